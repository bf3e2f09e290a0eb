"""Tests of the package facula: python -m unittest. Those of NumPy and PyTorch are skipped where these are missing."""
import ctypes
import gc
import inspect
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings
import weakref

import facula as fa
from facula import (_amp, _callbacks, _data, _init, _layers, _library, _lr, _modules, _nn, _ops, _optim, _settings, _tensor,
                    _transform)

try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None


def in_scopes():
    """How many objects the scopes of this thread own. What calls leave there is freed when Python has ended."""
    c = ctypes.CDLL(None)
    c.fopen.restype, c.fopen.argtypes, c.fclose.argtypes = ctypes.c_void_p, [ctypes.c_char_p] * 2, [ctypes.c_void_p]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'report')
        file = c.fopen(path.encode(), b'w')
        _library._declare('fa_scope_report', None, [ctypes.c_void_p])(file)
        c.fclose(file)
        with open(path) as lines:
            return sum(int(n) for n in re.findall(r'(\d+) objects?', lines.read()))


class Basics(unittest.TestCase):
    def test_creation(self):
        x = fa.tensor([[1, 2.5], [3, 4]])
        self.assertEqual((x.shape, x.dtype, x.device, x.ndim, x.numel()), ((2, 2), fa.f32, 'cpu', 2, 4))
        self.assertEqual(x.tolist(), [[1, 2.5], [3, 4]])
        self.assertEqual(fa.tensor([1, 2]).dtype, fa.i64)
        self.assertEqual(fa.tensor([True, False]).tolist(), [True, False])
        self.assertEqual(fa.tensor(3).item(), 3)
        self.assertEqual(fa.tensor([1, 2], dtype='f64').dtype, fa.f64)
        self.assertEqual(fa.tensor([0.1], dtype=float).dtype, fa.f64)
        self.assertEqual(fa.tensor([0.1], dtype=fa.f64).item(), 0.1)
        self.assertEqual(fa.tensor([]).shape, (0,))
        self.assertEqual(fa.tensor([[], []]).tolist(), [[], []])
        self.assertEqual(fa.zeros((2, 3), dtype='f16').dtype, fa.f16)
        self.assertEqual(fa.zeros(3).shape, (3,))
        self.assertEqual(fa.full((), 7).item(), 7)
        self.assertEqual(repr(fa.tensor([1, 2])), 'tensor([1, 2])')
        for wrong in ([[1], [2, 3]], [[1], 2], [1, [2]]):
            self.assertRaises(ValueError, fa.tensor, wrong)
        self.assertRaises(TypeError, fa.tensor, ['a'])

    def test_numbers(self):
        self.assertIs(type(fa.tensor([1.5]).item()), float)
        self.assertEqual(fa.tensor([2 ** 53 + 1]).item(), 2 ** 53 + 1)
        self.assertIs(fa.tensor([True]).item(), True)
        self.assertEqual(float(fa.tensor(2.5)), 2.5)
        self.assertEqual([10, 20, 30][fa.tensor(1)], 20)
        self.assertTrue(fa.tensor(1))
        self.assertRaises(fa.Error, lambda: fa.ones(3).item())
        self.assertEqual(len(fa.ones((4, 2))), 4)
        self.assertEqual([row.tolist() for row in fa.tensor([[1], [2]])], [[1], [2]])

    def test_operators(self):
        x, y = fa.tensor([1., 2., 3.]), fa.tensor([4., 5., 6.])
        self.assertEqual((x * 2 + y).tolist(), [6, 9, 12])
        self.assertEqual((1 - x / 2).tolist(), [0.5, 0, -0.5])
        self.assertEqual((2 ** x).tolist(), [2, 4, 8])
        self.assertEqual((-x).tolist(), [-1, -2, -3])
        self.assertEqual((x > 1).tolist(), [False, True, True])
        self.assertEqual((x == 2).tolist(), [False, True, False])
        self.assertEqual((~(x > 1) | (x == 3)).tolist(), [True, False, True])
        self.assertEqual((x @ y).item(), 32)
        self.assertEqual((x // 2).tolist(), [0, 1, 1])
        self.assertEqual(abs(-x).tolist(), [1, 2, 3])
        self.assertEqual((x + True).tolist(), [2, 3, 4])
        same = x
        x += 1
        x *= y
        self.assertIs(same, x)
        self.assertEqual(x.tolist(), [8, 15, 24])
        self.assertEqual(fa.ones((2, 3)).T.shape, (3, 2))

    def test_options(self):
        x = fa.tensor([[1., 2., 3.], [4., 5., 6.]])
        self.assertEqual(x.sum().item(), 21)
        self.assertEqual(fa.sum(x, dim=(0, 1), keepdim=True).shape, (1, 1))
        self.assertEqual(x.sum(-1, dtype='f64').dtype, fa.f64)
        self.assertEqual(x.permute((1, 0)).shape, (3, 2))
        values, indices = x.max(1)
        self.assertEqual((values.tolist(), indices.tolist()), ([3, 6], [2, 2]))
        values, counts = fa.unique(fa.tensor([2, 1, 2]), return_counts=True)
        self.assertEqual((values.tolist(), counts.tolist()), ([1, 2], [1, 2]))
        self.assertEqual(fa.unique(fa.tensor([2, 1, 2])).tolist(), [1, 2])
        self.assertEqual([p.tolist() for p in x.split(2, dim=1)], [[[1, 2], [4, 5]], [[3], [6]]])
        self.assertEqual(fa.cat([x, x], dim=1).shape, (2, 6))
        out = fa.zeros((2, 3))
        self.assertIs(fa.mul(x, 2, out=out), out)
        self.assertEqual(out.tolist(), [[2, 4, 6], [8, 10, 12]])
        self.assertEqual(fa.mse_loss(x, x * 0, reduction='sum').item(), 91)
        self.assertRaises(ValueError, fa.mse_loss, x, x, reduction='none at all')
        self.assertEqual(fa.einsum('ij->ji', [x]).shape, (3, 2))
        self.assertEqual(fa.max_pool2d(fa.ones((1, 1, 4, 6)), (2, 3)).shape, (1, 1, 2, 2))

    def test_indexing(self):
        x = fa.arange(0, 12).reshape((3, 4))
        self.assertEqual(x[1, 2].item(), 6)
        self.assertEqual(x[-1].tolist(), [8, 9, 10, 11])
        self.assertEqual(x[1:, ::2].tolist(), [[4, 6], [8, 10]])
        self.assertEqual(x[..., None].shape, (3, 4, 1))
        self.assertEqual(x[[0, 2], 1].tolist(), [1, 9])
        self.assertEqual(x[x > 9].tolist(), [10, 11])
        self.assertEqual(x['0, 1:3'].tolist(), [1, 2])
        x[0] = 7
        x[1:, -1] = fa.tensor([70, 71])
        x[x < 6] = 0
        self.assertEqual(x.tolist(), [[7, 7, 7, 7], [0, 0, 6, 70], [8, 9, 10, 71]])
        self.assertRaises(fa.Error, lambda: x[5])

    def test_errors(self):
        with self.assertRaises(fa.Error) as caught:
            fa.matmul(fa.ones((2, 3)), fa.ones((2, 3)))
        self.assertEqual(caught.exception.kind, 'shape')
        line = inspect.currentframe().f_lineno - 2
        begin = f'test_facula.py:{line}: matmul(a=(2, 3) f32 cpu'
        self.assertTrue(str(caught.exception).startswith(begin), str(caught.exception))
        self.assertEqual((fa.ones(2) + 1).tolist(), [2, 2])  # no error is left
        self.assertRaises(fa.Error, fa.zeros, 3, device='tpu')
        self.assertRaises(TypeError, fa.zeros, 3, dtype='f17')
        self.assertRaises(TypeError, fa.cat, fa.ones(2))
        self.assertRaises(TypeError, fa.use, no_gard=True)

    def test_settings(self):
        w = fa.ones(2, requires_grad=True)
        with fa.no_grad():
            self.assertFalse((w * 2).requires_grad)
        self.assertTrue((w * 2).requires_grad)
        with fa.autocast(fa.bf16):
            self.assertEqual(fa.matmul(fa.ones((4, 4)), fa.ones((4, 4))).dtype, fa.bf16)
        with self.assertRaises(fa.Error):
            with fa.autocast(fa.i32):
                pass
        with self.assertRaises(KeyError), fa.no_grad():
            raise KeyError
        self.assertTrue((w * 2).requires_grad)
        self.assertTrue(fa.is_available('cpu') and fa.best_device())

    def test_memory(self):
        # objects end with their last reference, in any thread
        living = _library._declare('fa_tensor_version', ctypes.c_int64, [ctypes.c_void_p])
        x = fa.ones(1000)
        view, again = x[10:], weakref.ref(x)
        del x
        gc.collect()
        self.assertIsNone(again())
        self.assertEqual(view.sum().item(), 990)
        made = []
        worker = threading.Thread(target=lambda: made.append(view * 2))  # noqa: F821
        worker.start()
        worker.join()
        self.assertEqual(made.pop()[0].item(), 2)
        self.assertEqual(living(view._h), 0)
        for _ in range(200):
            view = view + 0
        self.assertEqual(view.sum().item(), 990)
        again = weakref.ref(view)
        part = view[None, 3:9, None][0]  # views of views, which the library makes on its way
        del view, part
        gc.collect()
        self.assertIsNone(again())


class Generated(unittest.TestCase):
    def test_options_are_laid_out_as_in_c(self):
        fill = _library._declare('fa_options_default', ctypes.c_bool, [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t])
        count = 0
        spaces = {'fa_': _ops, 'fa_nn_': _nn, 'fa_optim_': _optim, 'fa_schedule_': _lr, 'fa_data_': _data,
                  'fa_transform_': _transform, 'fa_init_': _init, 'fa_amp_': _amp}
        for prefix, module in spaces.items():
            for name in module.__all__:
                struct = getattr(module, f'_{prefix}{name}_options', None)
                if struct is None:
                    continue
                o = struct()
                self.assertTrue(fill((prefix + name).encode(), ctypes.byref(o), ctypes.sizeof(o)), prefix + name)
                for p in inspect.signature(getattr(module, name)).parameters.values():
                    if isinstance(p.default, (bool, int, float)) and p.default is not inspect.Parameter.empty:
                        self.assertEqual(getattr(o, p.name.rstrip('_')), p.default, (name, p.name))
                        count += 1
        self.assertGreater(count, 250)

    def test_options_that_are_written_by_hand_are_laid_out_as_in_c(self):
        fill = _library._declare('fa_options_default', ctypes.c_bool, [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t])
        structs = {'fa_tensor_from': _tensor._FromOptions, 'fa_to': _tensor._ToOptions, 'fa_backward': _tensor._BackwardOptions,
                   'fa_grad_of': _callbacks._GradOptions, 'fa_save': _settings._SaveOptions, 'fa_load': _settings._LoadOptions,
                   'fa_module_summary': _modules._SummaryOptions, 'fa_nn_custom': _modules._CustomOptions,
                   'fa_clip_grad_norm': fa.nn.utils._ClipOptions, 'fa_allclose': fa._forms._CloseOptions}
        for name, struct in structs.items():
            o = struct()
            self.assertTrue(fill(name.encode(), ctypes.byref(o), ctypes.sizeof(o)), name)
            self.assertEqual(o.size, struct.fa__end.offset, name)

    def test_pointwise_operations_leave_nothing_in_the_scope(self):
        x, y = fa.rand(1000) + 0.5, fa.arange(1, 1001)
        held = []
        for name in _ops.__all__:
            f = getattr(_ops, name)
            if '_own(h)' not in inspect.getsource(f):
                continue
            needed = [p for p in inspect.signature(f).parameters.values() if p.default is inspect.Parameter.empty]
            for operand in (x, y):
                held.append(name)
                try:
                    f(*[operand] * len(needed))
                except fa.Error:
                    pass
        self.assertGreater(len(held), 200)
        self.assertLess(in_scopes(), 20)

    def test_equal_options_are_made_once_and_others_anew(self):
        x = fa.tensor([[1.0, 2.0], [3.0, 5.0]])
        for _ in range(2):
            self.assertEqual(x.sum(dim=1).tolist(), [3, 8])
            self.assertEqual(x.sum(dim=0).tolist(), [4, 7])
            self.assertEqual(x.sum(dim=(0, 1), keepdim=True).tolist(), [[11]])
            self.assertEqual(x.sum(dim=[0]).tolist(), [4, 7])  # a list cannot be a key
            self.assertEqual(fa.add(x, x, alpha=2.5).tolist(), [[3.5, 7], [10.5, 17.5]])
        self.assertLessEqual(len(_ops._known_fa_sum), 200)
        for i in range(300):
            fa.add(1.0, x, alpha=i)
        self.assertLessEqual(len(_ops._known_fa_add), 201)

    def test_numbers_of_every_kind_are_operands(self):
        x = fa.tensor([2.0, -4.0])
        for number in (3, -3, 2.5, -0.0, True, 1 << 62, -(1 << 63), 1 << 70, float('inf'), numpy.float64(1.5) if numpy else 1.5):
            sums = fa.tensor([2.0 + float(number), -4.0 + float(number)])
            self.assertEqual(fa.add(x, number).tolist(), sums.tolist(), number)
            if number is not True:
                self.assertEqual((number - x).tolist(), fa.sub(number, x).tolist())
        self.assertEqual((fa.tensor([1, 2]) * (1 << 40)).tolist(), [1 << 40, 1 << 41])
        self.assertEqual((fa.tensor([1, 2]) + -7).tolist(), [-6, -5])
        self.assertEqual(fa.where(fa.tensor([True, False]), 1.5, -1).tolist(), [1.5, -1])
        with self.assertRaises(TypeError):
            fa.add(x, 'one')

    def test_arguments_that_are_structs(self):
        """Machines on which a struct does not travel as its words."""
        words, _library._WORDS = _library._WORDS, 0
        try:
            packed = _library._declare('fa_add', ctypes.c_void_p, [_library.Arg, _library.Arg, ctypes.c_void_p])
            y = fa.Tensor.__new__(fa.Tensor)
            x = fa.tensor([1.0])
            y._h = _library._own(packed(x._h, 0, *_library._bits(2.5)[:2], None))
            self.assertEqual(y.tolist(), [3.5])
            y._h = _library._own(packed(x._h, 0, *_library._bits(-3)[:2], None))
            self.assertEqual(y.tolist(), [-2])
            self.assertEqual(type(packed).__name__, 'function')
        finally:
            _library._WORDS = words

    def test_every_name_is_documented(self):
        for module in (_ops, _nn, _optim, _lr, _data, _transform, _init, _amp):
            for name in module.__all__:
                self.assertTrue(getattr(module, name).__doc__, name)
        self.assertGreater(len(_ops.__all__), 500)


class MLP(fa.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = fa.nn.linear(4, 16), fa.nn.linear(16, 2)
        self.scale = fa.ones(2, requires_grad=True)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls == 1000:
            raise LookupError('not today')
        return self.fc2(self.fc1(x).relu()) * self.scale


class Training(unittest.TestCase):
    def test_gradients(self):
        w = fa.tensor([1., 2.], requires_grad=True)
        self.assertIsNone(w.grad)
        (w * w).sum().backward()
        self.assertEqual(w.grad.tolist(), [2, 4])
        (w * 3).backward(fa.tensor([1., 10.]))
        self.assertEqual(w.grad.tolist(), [5, 34])
        w.grad = None
        self.assertIsNone(w.grad)
        self.assertFalse(w.detach().requires_grad)
        self.assertRaises(fa.Error, (w * 2).backward)

    def train(self, net, opt, steps=60):
        fa.manual_seed(5)
        x = fa.rand((32, 4))
        target = x[:, :2].argmax(dim=1)
        losses = []
        for _ in range(steps):
            opt.zero_grad()
            loss = fa.cross_entropy(net(x), target)
            loss.backward()
            opt.step()
            losses.append(loss.item())
        return losses

    def test_a_module_of_ones_own(self):
        net = MLP()
        self.assertEqual(sorted(dict(net.named_parameters())),
                         ['fc1.bias', 'fc1.weight', 'fc2.bias', 'fc2.weight', 'scale'])
        losses = self.train(net, fa.optim.adam(net, lr=0.03))
        self.assertLess(losses[-1], 0.4 * losses[0])
        self.assertEqual(net.numel(), 4 * 16 + 16 + 2 * 16 + 2 + 2)
        self.assertIn('(fc2): Linear(in_features=16, out_features=2)', repr(net))
        net.calls = 999
        with self.assertRaises(LookupError):
            net(fa.ones((1, 4)))
        outer = fa.nn.sequential(net, fa.nn.softmax(1))
        self.assertEqual(outer(fa.ones((3, 4))).shape, (3, 2))
        net.calls = 999
        with self.assertRaises(LookupError):  # through the library
            outer(fa.ones((1, 4)))
        self.assertEqual(outer(fa.ones((3, 4))).shape, (3, 2))

    def test_layers_and_optimizers(self):
        for make in (fa.optim.sgd, fa.optim.adam, fa.optim.adamw, fa.optim.rmsprop, fa.optim.adagrad):
            net = fa.nn.sequential(fa.nn.linear(4, 16), fa.nn.relu(), fa.nn.linear(16, 2))
            losses = self.train(net, make(net.parameters(), lr=0.05))
            self.assertLess(losses[-1], losses[0])
        opt = fa.optim.sgd([net[0].weight], lr=0.1)
        schedule = fa.lr.exponential(opt, 0.5)
        schedule.step()
        self.assertAlmostEqual(opt.lr, 0.05)
        opt.lr = 1
        self.assertEqual(opt.lr, 1)
        net.eval()
        self.assertFalse(net.training)
        self.assertIs(net.train().to('f64'), net)
        self.assertEqual(net(fa.ones((1, 4), dtype='f64')).dtype, fa.f64)

    def test_what_is_written_as_in_pytorch(self):
        x = fa.tensor([[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]])
        self.assertEqual(x.view(3, 2).shape, (3, 2))
        self.assertEqual(x.reshape(-1).shape, (6,))
        self.assertEqual(x.permute(1, 0).shape, (3, 2))
        self.assertEqual(x.view((1, 6)).shape, (1, 6))
        self.assertEqual(fa.zeros(3, 4, dtype=fa.float64).dtype, fa.f64)
        self.assertEqual(fa.randn(2, 3).shape, (2, 3))
        self.assertEqual(fa.ones(()).shape, ())
        self.assertEqual((x.max().item(), x.min().item()), (6, 1))
        self.assertEqual(x.max(1).values.tolist(), [5, 6])
        self.assertEqual(fa.min(x, dim=0, keepdim=True).indices.tolist(), [[0, 1, 0]])
        self.assertEqual(x.max(x * 0 + 3).tolist(), [[3, 5, 3], [4, 3, 6]])
        self.assertEqual(fa.arange(3).tolist(), [0, 1, 2])
        self.assertEqual(fa.arange(1, 7, step=2).tolist(), [1, 3, 5])
        self.assertEqual([x.float().dtype, x.double().dtype, x.half().dtype, x.long().dtype, x.int().dtype, x.bool().dtype],
                         [fa.f32, fa.f64, fa.f16, fa.i64, fa.i32, fa.bool_])
        net = fa.nn.Sequential(fa.nn.Conv2d(1, 2, 3), fa.nn.BatchNorm2d(2), fa.nn.ReLU(), fa.nn.Flatten(), fa.nn.Linear(8, 3))
        self.assertEqual(net(fa.ones((2, 1, 4, 4))).shape, (2, 3))
        self.assertEqual(fa.nn.functional.relu(fa.tensor(-1.0)).item(), 0)
        self.assertRaises(AttributeError, getattr, fa.nn, 'Linearr')
        self.assertRaises(AttributeError, getattr, fa.nn, 'linearr')
        fa.optim.AdamW(net.parameters(), lr=0.1).step()
        mlp = MLP()
        self.assertEqual(mlp.fc1.weight.shape, (16, 4))
        self.assertEqual(net[1].running_mean.tolist(), net.state_dict()['1.running_mean'].tolist())
        self.assertRaises(AttributeError, getattr, mlp.fc1, 'weights')
        other = MLP()
        other.load_state_dict(mlp.state_dict())
        self.assertEqual(other(fa.ones((1, 4))).tolist(), mlp(fa.ones((1, 4))).tolist())
        self.assertRaises(KeyError, other.load_state_dict, {'fc1.weight': x})
        with self.assertRaises(fa.Error) as caught:
            x.backward()
        self.assertNotIn('.so', str(caught.exception))

    def test_a_scaler(self):
        w = fa.ones(2, requires_grad=True)
        opt, scaler = fa.optim.sgd([w], lr=1), fa.amp.scaler(init_scale=8)
        scaler.scale((w * 2).sum()).backward()
        self.assertEqual(w.grad.tolist(), [16, 16])
        scaler.step(opt)
        scaler.update()
        self.assertEqual(w.tolist(), [-1, -1])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            net, copy, path = MLP(), MLP(), os.path.join(folder, 'net.safetensors')
            fa.save(net, path)
            fa.load(copy, path)
            x = fa.rand((3, 4))
            self.assertEqual(net(x).tolist(), copy(x).tolist())
            self.assertEqual(fa.load_file(path)['fc1.weight'].shape, (16, 4))
            fa.save({'a': x, 'b': fa.arange(0, 3)}, os.path.join(folder, 'x.npz'))
            self.assertEqual(fa.load_file(os.path.join(folder, 'x.npz'))['b'].tolist(), [0, 1, 2])
            self.assertRaises(fa.Error, fa.load, copy, os.path.join(folder, 'none.safetensors'))

    def test_a_loader(self):
        x = fa.arange(0, 10)
        loader = fa.data.loader(fa.data.tensors([x, x * 2]), batch_size=4)
        self.assertEqual(len(loader), 3)
        seen = [(b.input.tolist(), b.target.tolist()) for b in loader]
        self.assertEqual(seen[2], ([8, 9], [16, 18]))
        for batch in loader:
            break
        self.assertEqual(batch.input.tolist(), [0, 1, 2, 3])
        only = next(iter(fa.data.loader(fa.data.tensors([x]), batch_size=2)))
        self.assertIsNone(only.target)
        images, digits = next(iter(fa.data.loader(fa.data.digits(train=False), batch_size=100)))
        self.assertEqual((images.shape, digits.shape), ((100, 64), (100,)))


class Exp(fa.Function):
    @staticmethod
    def forward(ctx, x, scale):
        y = (x * scale).exp()
        ctx.save_for_backward(y)
        ctx.scale = scale
        return y

    @staticmethod
    def backward(ctx, grad):
        y, = ctx.saved_tensors
        return grad * y * ctx.scale, None


class Squares:
    """A dataset in Python."""

    def __init__(self, length, wrong=None):
        self.length, self.wrong = length, wrong

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        if i == self.wrong:
            raise LookupError(f'sample {i} is lost')
        return [float(i), float(i * i)], i


class Callbacks(unittest.TestCase):
    def held(self):
        gc.collect()
        return len(_callbacks._held), len(_modules._outlived)

    def test_a_function_with_a_gradient_of_its_own(self):
        before = self.held()
        x = fa.tensor([0.5, -1.0], requires_grad=True)
        y = Exp.apply(x, 2.0)
        self.assertEqual(y.tolist(), (x * 2).exp().tolist())
        g, = fa.grad_of([y.sum()], [x], create_graph=True)
        self.assertEqual(g.tolist(), (y * 2).tolist())
        g.sum().backward()  # of second order: y is a result, so that gradients flow through it
        for ours, right in zip(x.grad.tolist(), (y * 4).tolist()):
            self.assertAlmostEqual(ours, right, 5)
        with fa.no_grad():
            self.assertFalse(Exp.apply(x, 1.0).requires_grad)
        x.grad = None
        del y, g
        self.assertEqual(self.held(), before)  # the graph gave them back

    def test_several_results_and_what_is_saved_besides(self):
        class Both(fa.Function):
            @staticmethod
            def forward(ctx, name, a, b):
                ctx.save_for_backward(a, None, a * b)
                ctx.set_materialize_grads(False)
                self.assertEqual(ctx.needs_input_grad, (False, True, False))
                return a + b, a * b

            @staticmethod
            def backward(ctx, of_sum, of_product):
                a, nothing, product = ctx.saved_tensors
                self.assertIsNone(nothing)
                self.assertIsNone(of_product)
                self.assertEqual(product.tolist(), [8, 15])
                return None, of_sum * a, None

        a, b = fa.tensor([2.0, 3.0], requires_grad=True), fa.tensor([4.0, 5.0])
        total, product = Both.apply('both', a, b)
        self.assertEqual((total.tolist(), product.tolist()), ([6, 8], [8, 15]))
        total.sum().backward()
        self.assertEqual(a.grad.tolist(), [2, 3])

    def test_gradients_of_tensors(self):
        x, other = fa.ones(2, requires_grad=True), fa.ones(2, requires_grad=True)
        y = x * 3
        g, none = fa.grad_of([y * y], [y, other], grad_outputs=[fa.tensor([1.0, 2.0])], allow_unused=True)
        self.assertEqual((g.tolist(), none, x.grad), ([6, 12], None, None))
        self.assertRaises(fa.Error, fa.grad_of, [(x * 2).sum()], [other])

    def test_errors_in_functions(self):
        class Wrong(fa.Function):
            @staticmethod
            def forward(ctx, x, how):
                if how == 'forward':
                    raise LookupError('in forward')
                ctx.how = how
                return x * 2

            @staticmethod
            def backward(ctx, grad):
                if ctx.how == 'count':
                    return grad
                if ctx.how == 'library':
                    return fa.matmul(grad, fa.ones((7, 7))), None
                if ctx.how == 'shape':
                    return fa.ones(9), None
                raise LookupError('in backward')

        x = fa.ones(2, requires_grad=True)
        self.assertRaisesRegex(LookupError, 'in forward', Wrong.apply, x, 'forward')
        self.assertRaisesRegex(LookupError, 'in backward', Wrong.apply(x, 'backward').sum().backward)
        self.assertRaisesRegex(TypeError, '1 gradients for 2', Wrong.apply(x, 'count').sum().backward)
        self.assertRaisesRegex(fa.Error, ' matmul', Wrong.apply(x, 'library').sum().backward)
        self.assertRaisesRegex(fa.Error, 'Wrong', Wrong.apply(x, 'shape').sum().backward)
        self.assertEqual((x * 2).tolist(), [2, 2])

    def test_modules_that_only_the_library_knows(self):
        before = self.held()
        modules = [fa.nn.linear(2, 3), fa.nn.Lambda(lambda x: x * 2), MLP3()]
        items = (ctypes.c_void_p * 3)(*[m._h for m in modules])
        net = _library._made(_library._enter(b'test'), _layers.Sequential, _layers._sequential(3, items))
        modules[2].note = 'mine'
        del modules
        gc.collect()
        self.assertEqual((type(net[0]), type(net[2]), net[2].note), (fa.nn.Linear, MLP3, 'mine'))
        self.assertEqual(net(fa.ones((4, 2))).shape, (4, 5))
        self.assertEqual(sorted(name for name, p in net.named_parameters()),
                         ['0.bias', '0.weight', '2.fc.bias', '2.fc.weight'])
        self.assertEqual([name for name, m in net.named_children()], ['0', '1', '2'])
        self.assertEqual([type(m) for m in net], [type(m) for m in net.children()])
        self.assertEqual((net[0].weight.shape, net[-1].fc.weight.shape), (net.state_dict()['0.weight'].shape,
                                                                          net.state_dict()['2.fc.weight'].shape))
        self.assertRaises(IndexError, lambda: net[3])  # noqa: F821
        self.assertEqual(len(_modules._outlived), before[1] + 2)
        with self.assertRaises(fa.Error) as caught:
            net(fa.ones((4, 9)))
        self.assertIn(' linear(', str(caught.exception))
        self.assertIn('"0"', str(caught.exception))
        del net
        self.assertEqual(self.held(), before)

    def test_errors_in_modules_name_them(self):
        def fails(x):
            return fa.matmul(x, fa.ones((50, 2)))

        with self.assertRaises(fa.Error) as caught:
            fa.nn.sequential(fa.nn.relu(), fails)(fa.ones((4, 2)))
        self.assertEqual(caught.exception.kind, 'shape')
        self.assertRegex(str(caught.exception), ' matmul.*in fails "1"')

    def test_datasets(self):
        before = self.held()
        for workers in (0, 2):
            loader = fa.data.loader(Squares(10), batch_size=4, workers=workers)
            for _ in range(2):
                seen = [(b.input.tolist(), b.target.tolist()) for b in loader]
                self.assertEqual(seen[2], ([[8, 64], [9, 81]], [8, 9]))
            bad = fa.data.loader(Squares(10, wrong=5), batch_size=4, workers=workers)
            with self.assertRaisesRegex(LookupError, 'sample 5 is lost'):
                list(bad)
            skips = fa.data.loader(Squares(10, wrong=5), batch_size=4, workers=workers, skip_bad_samples=True)
            self.assertEqual(sum(b.input.shape[0] for b in skips), 9)
        d = fa.data.dataset(Squares(6))
        self.assertEqual((len(d), d[3][0].tolist(), d[3][1].item()), (6, [3, 9], 3))
        self.assertRaises(IndexError, d.__getitem__, 6)
        half = fa.data.transformed(d, lambda x: x / 2)
        self.assertEqual(half[3][0].tolist(), [1.5, 4.5])
        del loader, bad, skips, d, half
        self.assertRaises(TypeError, fa.data.loader, 5)
        self.assertEqual(self.held(), before)

    def test_hooks(self):
        before, seen = self.held(), []
        w = fa.ones(2, requires_grad=True)
        h = w.register_hook(lambda g: seen.append(g.tolist()) or g * 10)
        (w * 3).sum().backward()
        self.assertEqual((seen, w.grad.tolist()), ([[3, 3]], [30, 30]))
        h.remove()
        h.remove()
        (w * 3).sum().backward()
        self.assertEqual((len(seen), w.grad.tolist()), (1, [33, 33]))
        for net in (fa.nn.linear(2, 2), MLP3(2)):
            parts = [net.register_forward_pre_hook(lambda m, x: seen.append(m) or x[0] * 0),
                     net.register_forward_hook(lambda m, x, y: y + x[0].sum() + 1)]
            y = net(fa.ones((1, 2)))
            self.assertEqual(type(seen[-1]), type(net))
            for part in parts:
                part.remove()
            self.assertEqual(y.tolist(), (net(fa.zeros((1, 2))) + 1).tolist())
        part = net.register_forward_hook(lambda m, x, y: {}['none'])
        self.assertRaises(KeyError, net, fa.ones((1, 2)))
        part.remove()
        w.register_hook(lambda g: 1 / 0).remove()
        h = w.register_hook(lambda g: 1 / 0)
        self.assertRaises(ZeroDivisionError, (w * 3).sum().backward)
        h.remove()
        del part, parts, h
        self.assertEqual(self.held(), before)

    def test_backward_hooks_of_modules(self):
        before, seen = self.held(), []
        x = fa.tensor([-1.0, 2.0, 3.0], requires_grad=True)

        class Relu(fa.nn.Module):
            def forward(self, x):
                return x.relu()

        for net in (fa.nn.relu(), Relu()):
            del seen[:]
            parts = [net.register_full_backward_pre_hook(lambda m, g: seen.append((type(m), g[0].tolist())) or g[0] * 10),
                     net.register_full_backward_hook(
                         lambda m, i, g: seen.append((i[0].tolist(), g[0].tolist())) or (i[0] + 1,))]
            x.grad = None
            (net(x) * 3).sum().backward()
            self.assertEqual(seen, [(type(net), [3, 3, 3]), ([0, 30, 30], [30, 30, 30])])
            self.assertEqual(x.grad.tolist(), [1, 31, 31])
            for part in parts:
                part.remove()
            net(x).sum().backward()
            self.assertEqual((len(seen), x.grad.tolist()), (2, [1, 32, 32]))

        class Product(fa.nn.Module):
            def forward(self, a, b):
                return a * b

        net, b = Product(), fa.tensor([5.0, 6.0, 7.0], requires_grad=True)
        got = {}
        h = net.register_full_backward_hook(lambda m, i, g: got.update({len(i) - 1: i[-1].tolist()}))
        net(x, b).sum().backward()
        self.assertEqual(got, {0: [5, 6, 7], 1: [-1, 2, 3]})
        h.remove()
        net = fa.nn.linear(3, 2)  # whose input needs no gradient
        h = net.register_full_backward_hook(lambda m, i, g: seen.append((i, g[0].shape)))
        net(fa.ones((1, 3))).sum().backward()
        self.assertEqual(seen[-1], ((None,), (1, 2)))
        h.remove()
        for bad, error in ((lambda m, g: 1 / 0, ZeroDivisionError), (lambda m, g: (g[0], g[0]), ValueError)):
            h = net.register_full_backward_pre_hook(bad)
            self.assertRaises(error, net(fa.ones((1, 3))).sum().backward)
            h.remove()
        del net, h, parts, part
        self.assertEqual(self.held(), before)

    def test_an_end_with_everything_alive(self):
        program = """
import facula as fa, gc
gc.disable()
class D:
    def __len__(self): return 1000
    def __getitem__(self, i): return fa.tensor([float(i)])
class F(fa.Function):
    forward = staticmethod(lambda ctx, x: x * 2)
    backward = staticmethod(lambda ctx, g: g * 2)
net = fa.nn.sequential(fa.nn.linear(1, 1), lambda x: F.apply(x))
net.me = {'me': net}
loader = fa.data.loader(D(), batch_size=2, workers=2)
for b in loader:
    y = net(b.input)
    break
x = fa.ones(1, requires_grad=True)
h = x.register_hook(lambda g: g)
y.sum().backward(retain_graph=True)
print("done")
"""
        ran = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True, timeout=100)
        self.assertEqual((ran.stdout, ran.stderr, ran.returncode), ('done\n', '', 0))


class MLP3(fa.nn.Module):
    def __init__(self, n=3):
        super().__init__()
        self.fc = fa.nn.linear(n, 5)

    def forward(self, x):
        return self.fc(x)


@unittest.skipUnless(numpy, 'NumPy is not installed')
class NumPy(unittest.TestCase):
    def test_memory_is_shared(self):
        x = fa.tensor([[1., 2.], [3., 4.]])
        a = numpy.asarray(x)
        self.assertEqual((a.dtype, a.shape), (numpy.float32, (2, 2)))
        a[0, 0] = 9
        self.assertEqual(x[0, 0].item(), 9)
        x[1, 1] = 7
        self.assertEqual(a[1, 1], 7)
        self.assertEqual(numpy.asarray(x.T).strides, (4, 8))
        del x
        self.assertEqual(a[0, 0], 9)  # the array keeps the tensor

    def test_arrays_are_shared(self):
        a = numpy.empty((3, 4), dtype=numpy.int32)
        a[:] = numpy.arange(12).reshape(3, 4)
        x = fa.from_numpy(a[:, ::2])
        self.assertEqual((x.dtype, x.tolist()), (fa.i32, [[0, 2], [4, 6], [8, 10]]))
        a[0, 2] = 50
        self.assertEqual(x[0, 1].item(), 50)  # two views, of which neither stays
        references = weakref.ref(a)
        del a
        gc.collect()
        self.assertIsNotNone(references())
        del x
        gc.collect()
        self.assertIsNone(references())

    def test_every_dtype(self):
        for name in ('uint8', 'int8', 'int16', 'int32', 'int64', 'float16', 'float32', 'float64', 'bool'):
            a = numpy.array([0, 1, 1], dtype=name)
            for x in (fa.from_numpy(a), fa.tensor(a)):
                self.assertEqual(numpy.asarray(x).dtype, a.dtype)
                self.assertEqual(numpy.asarray(x).tolist(), a.tolist())
        self.assertRaises(TypeError, fa.tensor, numpy.array([1j]))
        self.assertEqual(numpy.asarray(fa.ones(2, dtype='bf16')).dtype, numpy.float32)

    def test_copies(self):
        a = numpy.ones(3, dtype='>f4')
        self.assertRaisesRegex(TypeError, r'the byte order of >f4 .* facula\.tensor\(a\) copies', fa.from_numpy, a)
        self.assertEqual((fa.tensor(a) + a).tolist(), [2, 2, 2])
        a = numpy.ones(3)
        a.flags.writeable = False
        with self.assertWarnsRegex(UserWarning, 'read-only') as warned:
            self.assertEqual(fa.from_numpy(a).sum().item(), 3)
        self.assertEqual(warned.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            self.assertEqual((fa.tensor(a) + a).tolist(), [2, 2, 2])
        a = numpy.array([True, False])
        x = fa.from_numpy(a)
        a[0] = False
        shared = tuple(int(n) for n in numpy.__version__.split('.')[:2]) >= (1, 25)  # NumPy's DLPack has bool from then on
        self.assertEqual(x.tolist(), [not shared, False])
        b = numpy.ones(3)
        x = fa.tensor(b)
        b[0] = 5
        self.assertEqual(x[0].item(), 1)
        w = fa.ones(2, requires_grad=True)
        self.assertRaises(fa.Error, w.numpy)
        self.assertEqual(numpy.asarray(w).tolist(), [1, 1])
        self.assertEqual(w.detach().numpy().tolist(), [1, 1])
        self.assertEqual(numpy.array(fa.ones(2), dtype='f8').dtype, numpy.float64)
        self.assertEqual(numpy.asarray(fa.tensor(3.5)).shape, ())
        self.assertEqual(fa.tensor(numpy.float64(2.5)).dtype, fa.f64)
        self.assertEqual(numpy.asarray(fa.zeros((0, 3))).shape, (0, 3))

    def test_together(self):
        a, x = numpy.array([1., 2.], dtype='f4'), fa.tensor([10., 20.])
        for y in (x + a, a + x):
            self.assertIsInstance(y, fa.Tensor)
            self.assertEqual(y.tolist(), [11, 22])
        self.assertEqual(fa.cat([a, x]).tolist(), [1, 2, 10, 20])
        self.assertEqual(fa.matmul(numpy.eye(2, dtype='f4'), x).tolist(), [10, 20])
        self.assertEqual((x * numpy.float32(2)).tolist(), [20, 40])
        self.assertTrue(numpy.allclose(numpy.asarray(fa.softmax(x, 0)), numpy.exp(a * 10 - 20) / numpy.exp(a * 10 - 20).sum()))

    def test_comparisons_are_true_or_false(self):
        x, nan = fa.tensor([1.0, 2.0]), fa.tensor([numpy.nan])
        self.assertIs(fa.equal(x, numpy.array([1.0, 2.0])), True)
        self.assertIs(x.equal(x.reshape(2, 1)), False)
        self.assertFalse(fa.equal(nan, nan) or fa.allclose(nan, nan))
        self.assertTrue(fa.allclose(nan, nan, equal_nan=True))
        self.assertIs(x.allclose(x + 1e-6), True)
        self.assertIs(fa.allclose(x, x + 0.1, atol=0.2), True)
        self.assertIs(fa.allclose(x, x + 0.1, rtol=0.01), False)
        with self.assertRaisesRegex(fa.Error, ' isclose'):
            fa.allclose(x, fa.zeros(3))

    def test_results_are_those_of_numpy(self):
        random = numpy.random.default_rng(1)
        a, b = random.normal(size=(4, 5)), random.normal(size=(5, 3))
        x, y = fa.from_numpy(a), fa.from_numpy(b)
        pairs = [(x @ y, a @ b), (x.exp(), numpy.exp(a)), (x.sum(0), a.sum(0)), (x.var(dim=1), a.var(1, ddof=1)),
                 (x.cumsum(1), a.cumsum(1)), (x.sort(dim=0).values, numpy.sort(a, 0)), (x[1:, [0, 2]], a[1:, [0, 2]]),
                 (fa.where(x > 0, x, 0), numpy.where(a > 0, a, 0)), (fa.einsum('ij,jk->ki', [x, y]), (a @ b).T)]
        for ours, theirs in pairs:
            self.assertTrue(numpy.allclose(numpy.asarray(ours), theirs, rtol=1e-12, atol=1e-14))

    def test_dlpack(self):
        x = fa.arange(0, 6).reshape((2, 3))
        a = numpy.from_dlpack(x)
        self.assertEqual(a.tolist(), [[0, 1, 2], [3, 4, 5]])
        x[0, 0] = 8
        self.assertEqual(a[0, 0], 8)
        for capsule in (x.__dlpack__(), x.__dlpack__(max_version=(1, 0))):
            y = fa.from_dlpack(capsule)
            y[0, 1] = y[0, 1] + 1
            self.assertEqual((y.tolist(), y.shape), (x.tolist(), (2, 3)))
            self.assertRaisesRegex(ValueError, 'taken already', fa.from_dlpack, capsule)
        self.assertRaises(AttributeError, fa.from_dlpack, 3)
        x.__dlpack__()  # capsules that nobody consumes
        x.__dlpack__(max_version=(1, 0))
        self.assertEqual(x.__dlpack_device__(), (1, 0))


@unittest.skipUnless(numpy, 'NumPy is not installed')
class Pointers(unittest.TestCase):
    def test_memory_moves_again_after_its_arrays(self):
        net = fa.nn.Linear(64, 32)
        a = net.weight.detach().numpy()
        b = a[1:]
        del a
        self.assertRaisesRegex(fa.Error, 'other tensors view|a pointer', net.half)
        b[0] = 2
        self.assertEqual(net.weight[1, 3].item(), 2)
        del b
        self.assertEqual(net.half().weight.dtype, fa.f16)
        numpy.add(net.weight.float(), 1.0, dtype=numpy.float32)


@unittest.skipUnless(torch, 'PyTorch is not installed')
class PyTorch(unittest.TestCase):
    def test_gradients_are_those_of_pytorch(self):
        a = torch.randn(8, 1, 6, 6, requires_grad=True)
        k = torch.randn(4, 1, 3, 3, requires_grad=True)
        target = torch.randint(0, 4, (8,))
        loss = torch.nn.functional.cross_entropy(torch.nn.functional.conv2d(a, k).amax((2, 3)), target)
        loss.backward()
        x, w = (fa.tensor(t.detach(), requires_grad=True) for t in (a, k))
        ours = fa.cross_entropy(fa.conv2d(x, w).amax(dim=(2, 3)), fa.from_dlpack(target))
        ours.backward()
        self.assertAlmostEqual(ours.item(), loss.item(), places=5)
        self.assertTrue(torch.allclose(torch.from_dlpack(w.grad), k.grad, atol=1e-5))
        self.assertTrue(torch.allclose(torch.from_dlpack(x.grad), a.grad, atol=1e-5))


if __name__ == '__main__':
    unittest.main()
