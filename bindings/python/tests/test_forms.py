"""Tests of calls as PyTorch has them: forms of arguments, and messages for what does not go."""
import errno
import io
import math
import os
import pathlib
import tempfile
import unittest
import warnings

import facula as fa
from facula import nn

try:
    import numpy
except ImportError:
    numpy = None
F = nn.functional


class Methods(unittest.TestCase):
    def test_where_and_polygamma_as_methods(self):
        x = fa.tensor([1.0, -2.0, 3.0], requires_grad=True)
        y = x.where(x > 0, fa.zeros(3))
        self.assertEqual(y.tolist(), [1, 0, 3])
        y.sum().backward()
        self.assertEqual(x.grad.tolist(), [1, 0, 1])
        self.assertEqual(x.where(x > 0, -1.0).tolist(), [1, -1, 3])
        z = fa.tensor([2.0])
        self.assertAlmostEqual(z.polygamma(1).item(), 0.644934, 5)
        self.assertEqual(z.polygamma(1).tolist(), fa.polygamma(1, z).tolist())
        self.assertIs(z.polygamma_(1), z)
        self.assertAlmostEqual(z.item(), 0.644934, 5)
        self.assertFalse(hasattr(z, 'where_') or hasattr(z, 'igamma_'))  # which would write to the other operand

    def test_results_as_in_pytorch(self):
        x = fa.tensor([1, 1, 2, 1])
        self.assertEqual(fa.unique_consecutive(x).tolist(), [1, 2, 1])
        values, inverse, counts = x.unique_consecutive(True, True)
        self.assertEqual([values.tolist(), inverse.tolist(), counts.tolist()], [[1, 2, 1], [0, 0, 1, 2], [2, 1, 1]])
        self.assertEqual([t.tolist() for t in fa.unique_consecutive(x, return_counts=True)], [[1, 2, 1], [2, 1, 1]])
        a, b = fa.arange(9.0).reshape(3, 3), fa.eye(3)
        self.assertEqual(fa.cross(a, b).tolist(), fa.cross(a, b, dim=0).tolist())  # the first dimension of size 3
        self.assertEqual(fa.linalg.cross(a, b).tolist(), fa.cross(a, b, dim=-1).tolist())
        self.assertEqual((fa.ones(2, dtype=float).dtype, fa.ones(2).to(float).dtype), (fa.float64, fa.float64))
        mask = fa.tensor([0, 1, 0, 1], dtype=fa.uint8)
        self.assertEqual(fa.arange(4)[mask].tolist(), [1, 3])
        z = fa.zeros(4)
        z[mask] = 5
        self.assertEqual(z.tolist(), [0, 5, 0, 5])


class Parts(unittest.TestCase):
    def test_a_plain_tensor_is_no_parameter(self):
        layer = nn.Linear(2, 2)
        for value in (fa.ones(2, 2), layer.weight * 2):
            with self.assertRaisesRegex(TypeError, "cannot assign a tensor as parameter 'weight'"):
                layer.weight = value
        before, norm = layer.weight, nn.BatchNorm1d(2)
        norm.running_mean = fa.ones(2)
        self.assertEqual(norm.state_dict()['running_mean'].tolist(), [1, 1])
        layer.weight = nn.Parameter(fa.ones(2, 2))
        self.assertIsNot(layer.weight, before)

        class Scale(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = nn.Parameter(fa.ones(2), requires_grad=False)
                self.register_buffer('calls', fa.zeros(1))
        net = Scale()
        net.calls = net.calls + 1
        self.assertEqual(net.state_dict()['calls'].tolist(), [1])
        self.assertRaisesRegex(TypeError, "parameter 'w'", setattr, net, 'w', fa.ones(2))

    def test_layers_are_no_lists(self):
        layer = nn.Linear(2, 2)
        for call in (nn.ModuleList, len, list, iter):
            self.assertRaises(TypeError, call, layer)
        self.assertRaises(TypeError, lambda: layer[0])
        self.assertTrue(layer)
        net = nn.Sequential(layer, nn.ReLU())
        self.assertEqual((len(net), list(net)[0], net[-1]), (2, layer, net[1]))
        self.assertEqual(len(nn.ModuleList(net)), 2)
        self.assertEqual(len(nn.ModuleDict({'a': layer})), 1)
        encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 3)
        self.assertEqual(len(list(encoder.layers)), 3)

    def test_options_in_the_order_of_pytorch(self):
        self.assertIsNone(nn.Conv2d(4, 4, 3, 1, 1, 1, 1, False).bias)
        conv = nn.Conv1d(4, 4, 3, 1, 1, 1, 1, True, 'circular')
        self.assertEqual((conv.padding_mode, conv.bias.shape), ('circular', (4,)))
        self.assertIs(nn.Linear(2, 2, True, 'cpu', fa.float64).weight.dtype, fa.float64)
        self.assertIs(nn.Conv2d(1, 1, 3, dtype=fa.float64).weight.dtype, fa.float64)
        self.assertRaisesRegex(TypeError, 'max_norm', nn.Embedding, 7, 3, 0, 1.0)
        self.assertRaisesRegex(TypeError, "two values for 'bias'", lambda: nn.Conv2d(4, 4, 3, 1, 1, 1, 1, True, bias=False))
        self.assertRaises(TypeError, nn.Linear, 2, 2, True, 'cpu', fa.f32, 1)
        self.assertEqual(F.huber_loss(fa.zeros(2), fa.ones(2), 'sum', 0.5).item(), 0.75)
        self.assertEqual(nn.AdaptiveAvgPool2d((2, None))(fa.ones(1, 1, 4, 6)).shape, (1, 1, 2, 6))
        self.assertEqual(F.adaptive_avg_pool2d(fa.ones(1, 1, 4, 6), (None, 1)).shape, (1, 1, 4, 1))

    def test_statistics_that_are_reset(self):
        norm = nn.BatchNorm1d(2)
        norm(fa.ones(4, 2))
        norm.reset_running_stats()
        self.assertEqual([b.tolist() for b in norm.buffers()], [[0, 0], [1, 1], 0])
        self.assertFalse(hasattr(nn.Linear(1, 1), 'reset_running_stats'))


class Forms(unittest.TestCase):
    def test_dimensions_one_by_one(self):
        x = fa.arange(6).reshape(2, 3)
        self.assertEqual(x.flip(0, 1).tolist(), [[5, 4, 3], [2, 1, 0]])
        self.assertEqual(fa.flip(x, dims=(1,)).tolist(), x.flip(1).tolist())
        self.assertEqual(x.rot90().tolist(), [[2, 5], [1, 4], [0, 3]])
        self.assertEqual(fa.ones(1, 2, 1, 1).squeeze(0, 2).shape, (2, 1))
        self.assertEqual(fa.ones(1, 2, 1).squeeze().shape, (2,))
        self.assertEqual([part.tolist() for part in fa.arange(5).tensor_split([1, 3])], [[0], [1, 2], [3, 4]])
        self.assertEqual([len(part) for part in fa.tensor_split(fa.arange(5), 2)], [3, 2])
        self.assertEqual(fa.tensor([2, 1, 2]).argsort(stable=True).tolist(), [1, 0, 2])
        self.assertEqual(fa.sort(fa.tensor([2, 1, 2]), stable=True, descending=True).indices.tolist(), [0, 2, 1])
        a, b = fa.arange(6.0).reshape(2, 3), fa.arange(12.0).reshape(3, 4)
        self.assertEqual(fa.tensordot(a, b, dims=([1], [0])).tolist(), (a @ b).tolist())
        self.assertEqual(fa.tensordot(a, b, 1).tolist(), (a @ b).tolist())

    def test_lists_and_ranges(self):
        x = fa.arange(4)
        self.assertEqual((x[[]].shape, x[[]].dtype, x.reshape(2, 2)[[]].shape), ((0,), fa.int64, (0, 2)))
        self.assertEqual(x[range(1, 3)].tolist(), [1, 2])
        self.assertEqual((fa.tensor(range(3)).tolist(), fa.tensor([range(2), [4, 5]]).tolist()), ([0, 1, 2], [[0, 1], [4, 5]]))
        self.assertRaisesRegex(TypeError, 'a slice has integers or None, not 1.0', lambda: x[1.0:])

    def test_small_functions(self):
        self.assertAlmostEqual(nn.init.calculate_gain('leaky_relu', 0.2), math.sqrt(2 / 1.04))
        self.assertEqual((nn.init.calculate_gain('linear'), nn.init.calculate_gain('tanh')), (1, 5 / 3))
        self.assertRaises(ValueError, nn.init.calculate_gain, 'other')
        self.assertTrue(fa.is_floating_point(fa.ones(1)) and not fa.is_floating_point(fa.arange(2)))
        x = fa.zeros(2, 3, dtype=fa.float16)
        self.assertEqual((x.itemsize, x.nbytes), (2, 12))
        y = fa.arange(3)
        self.assertIs(y.unsqueeze_(0), y)
        self.assertEqual((y.shape, y.transpose_(0, 1).shape, y.squeeze_(1).shape, y.tolist()), ((1, 3), (3, 1), (3,), [0, 1, 2]))
        self.assertRaisesRegex(fa.Error, 'keep their shape', nn.Parameter(fa.ones(2)).unsqueeze_, 0)
        first = fa.rand(3, generator=fa.manual_seed(3)).tolist()
        self.assertEqual(fa.rand(3, generator=fa.manual_seed(3)).tolist(), first)
        self.assertFalse(fa.is_autocast_enabled())
        with fa.autocast('cpu'):
            self.assertTrue(fa.is_autocast_enabled())

    def test_assert_close(self):
        close = fa.testing.assert_close
        close(fa.ones(2), fa.ones(2) + 1e-7)
        close({'a': [1.0, 2]}, {'a': (1.0, 2)})
        for actual, expected, text in ((fa.ones(2), fa.tensor([1.0, 1.1]), r'1 of 2 elements .* at \(1,\)'),
                                       (fa.ones(2), fa.ones(1), 'the shape'), (fa.ones(2), fa.arange(2), 'the dtype'),
                                       ([1], [1, 2], '1 items'), ({'a': 1}, {'b': 1}, 'names')):
            self.assertRaisesRegex(AssertionError, text, close, actual, expected)
        close(fa.ones(2), fa.ones(2).long(), check_dtype=False)
        close(fa.ones(2), fa.ones(2) + 0.1, atol=0.2, rtol=0)
        self.assertRaisesRegex(AssertionError, 'mine', close, 1, 2, msg='mine')
        self.assertRaisesRegex(AssertionError, '^layer 2: 1 of 1 elements', close, 1, 2, msg=lambda text: 'layer 2: ' + text)

    def test_view_of_another_dtype(self):
        x = fa.tensor([[1.0, 2.0], [3.0, 4.0]])
        self.assertEqual(x.view(fa.int32).tolist(), [[0x3f800000, 0x40000000], [0x40400000, 0x40800000]])
        self.assertEqual((x.view(dtype=fa.u8).shape, x.view(fa.f64).shape, x.view(4).shape, x.view(shape=(1, 4)).shape),
                         ((2, 8), (2, 1), (4,), (1, 4)))
        self.assertEqual(x.view(fa.bf16)[:, 1::2].tolist(), x.tolist())
        x.view(fa.i32)[0, 0] = 0
        self.assertEqual(x.tolist(), [[0, 2], [3, 4]])
        self.assertFalse(x.requires_grad_().view(fa.i32).requires_grad)
        for of, dtype, text in ((x.t(), fa.u8, 'without gaps'), (fa.tensor(1.0), fa.f64, 'without gaps'), (x[:, :1], fa.f64, 'are no elements'),
                                (fa.ones(3)[1:], fa.f64, 'between elements')):
            self.assertRaisesRegex(fa.Error, text, of.view, dtype)
        self.assertRaisesRegex(TypeError, 'shape', x.view)

    def test_indices_that_are_fractions(self):
        x = fa.ones(2, 3)
        for key in (1.0, (0, 1.0), [0.5], x, fa.zeros(0)) + ((numpy.float64(1), numpy.ones(2)) if numpy else ()):
            self.assertRaisesRegex(IndexError, 'an index is an integer', lambda: x[key])
            with self.assertRaises(IndexError) as caught:
                x[key] = 1
            self.assertIsInstance(caught.exception, fa.Error)
        self.assertEqual(x[[]].shape, (0, 3))

    def test_parts_of_containers(self):
        x = fa.ones(1, 2)
        net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 3), nn.Tanh())
        first, last = net[0], net[3]
        del net[2]
        self.assertEqual([name for name, _ in net.named_parameters()], ['0.weight', '0.bias'])
        self.assertTrue(fa.equal(net(x), last(first(x).relu())))
        del net[-2:]
        self.assertEqual((len(net), fa.equal(net(x), first(x))), (1, True))
        self.assertIs(net.pop(), first)
        self.assertEqual(len(net.parameters()), 0)
        self.assertRaises(IndexError, net.pop, 3)
        a, b = nn.ModuleList([nn.Linear(1, 1)]), nn.ModuleList([nn.ReLU(), nn.Linear(1, 2)])
        both = a + b
        self.assertEqual((type(both), list(both), len(a)), (nn.ModuleList, [*a, *b], 1))
        self.assertIs(type(nn.Sequential(nn.ReLU()) + nn.Sequential(nn.Tanh())), nn.Sequential)
        named = nn.ModuleDict({'a': nn.ReLU()})
        named.update({'b': nn.Linear(1, 1), 'a': nn.Linear(1, 2)})
        named.update([('c', nn.Tanh())])
        self.assertEqual([name for name, _ in named.named_parameters()], ['a.weight', 'a.bias', 'b.weight', 'b.bias'])
        del named['a']
        self.assertEqual((type(named.pop('c')), list(named)), (nn.Tanh, ['b']))
        self.assertRaises(KeyError, named.pop, 'a')
        named.clear()
        self.assertEqual((len(named), named.parameters()), (0, []))

    def test_hooks_with_inputs_that_have_names(self):
        class Scaled(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = nn.Linear(2, 2)

            def forward(self, x, scale=1, more=None):
                return self.inner(x) * scale
        net, seen, x = Scaled(), [], fa.ones(1, 2)
        plain = net(x)
        after = net.register_forward_hook(lambda *given: seen.append(given), with_kwargs=True)
        self.assertTrue(fa.allclose(net(x, scale=3), plain * 3))
        module, inputs, named, output = seen.pop()
        self.assertEqual((module, len(inputs), named), (net, 1, {'scale': 3}))
        self.assertTrue(fa.allclose(output, plain * 3))
        before = net.register_forward_pre_hook(lambda module, inputs, named: (inputs, {**named, 'scale': 5}), with_kwargs=True)
        self.assertTrue(fa.allclose(net(x=x), plain * 5))
        self.assertEqual((seen.pop()[1:2], fa.allclose(nn.Sequential(net)(x), plain * 5)), (((),), False))
        before.remove()
        net.register_forward_pre_hook(lambda *_: 3, with_kwargs=True)
        self.assertRaisesRegex(TypeError, 'with_kwargs returns None, or', net, x)
        after.remove()
        layer = nn.Linear(2, 2)
        layer.register_forward_pre_hook(lambda module, inputs, named: (inputs, {'y': 1}), with_kwargs=True)
        self.assertRaisesRegex(TypeError, 'Linear takes no inputs with names: y', layer, x)

    def test_messages_of_what_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(TypeError, "nothing of type object, as 'run.0' is"):
                fa.save({'run': [object()]}, os.path.join(folder, 'a.pt'))
        if numpy:
            with self.assertRaisesRegex(fa.Error, 'no dtype for unsigned integers of 16 bits'):
                fa.from_numpy(numpy.ones(2, numpy.uint16))

    def test_hooks_before_others(self):
        net, seen, x = nn.Sequential(nn.Linear(2, 2), nn.ReLU()), [], fa.ones(1, 2, requires_grad=True)
        for layer in (net, net[1]):
            for kind in ('forward', 'forward_pre', 'full_backward', 'full_backward_pre'):
                register = getattr(layer, f'register_{kind}_hook')
                hooks = [register(lambda *_, n=n: seen.append((kind, n)), prepend=n % 2 == 1) for n in range(5)]
                net(x).sum().backward()
                self.assertEqual(seen, [(kind, n) for n in (3, 1, 0, 2, 4)])
                hooks[1].remove()
                hooks[0].remove()
                net(x).sum().backward()
                self.assertEqual(seen[5:], [(kind, n) for n in (3, 2, 4)])
                for hook in hooks:
                    hook.remove()
                net(x).sum().backward()
                self.assertEqual(len(seen), 8)
                del seen[:]

    def test_hooks_after_exceptions(self):
        class Failing(nn.Module):
            def forward(self, x):
                raise KeyError('mine')

        for part, error, text in ((Failing(), KeyError, 'mine'), (nn.Linear(3, 2), fa.Error, 'x has 2 features')):
            for net in (part, nn.Sequential(nn.Linear(2, 2), part)):
                seen = []

                def look(module, inputs, output):
                    seen.append((module, inputs[0].shape, output))
                    try:
                        nn.Linear(2, 2)(fa.ones(1, 5))  # a call that fails in the hook, and one that does not
                    except fa.Error:
                        seen.append(fa.ones(2).sum().item())
                    return fa.ones(7)

                hooks = [part.register_forward_hook(lambda *_: seen.append('never')),
                         part.register_forward_hook(look, always_call=True)]
                with self.assertRaisesRegex(error, text) as raised:
                    net(fa.ones(1, 2))
                self.assertEqual((seen, '?' in str(raised.exception)), ([(part, (1, 2), None), 2], False))
                hooks.append(part.register_forward_hook(lambda *_: 1 / 0, always_call=True, prepend=True))
                with self.assertWarnsRegex(UserWarning, 'ZeroDivisionError'), self.assertRaisesRegex(error, text):
                    net(fa.ones(1, 2))
                self.assertEqual(len(seen), 4)
                before = part.register_forward_pre_hook(lambda *_: {}['first'])
                with self.assertWarnsRegex(UserWarning, 'ZeroDivisionError'), self.assertRaisesRegex(KeyError, 'first'):
                    net(fa.ones(1, 2))
                self.assertEqual(len(seen), 6)
                for hook in hooks + [before]:
                    hook.remove()
                self.assertRaisesRegex(error, text, net, fa.ones(1, 2))
                self.assertEqual(len(seen), 6)
        layer, seen = nn.Linear(2, 2), []
        layer.register_forward_hook(lambda module, inputs, named, output: seen.append(output), always_call=True, with_kwargs=True)
        layer.register_forward_hook(lambda *_: 1 / 0)
        layer.register_forward_hook(lambda module, inputs, output: seen.append(output), always_call=True)
        self.assertRaises(ZeroDivisionError, layer, fa.ones(1, 2))
        self.assertEqual([y.shape for y in seen], [(1, 2)] * 2)

    def test_rates_of_a_cycle_by_a_function(self):
        for mode, scale in (('cycle', lambda n: 0.5 ** (n - 1)), ('iterations', lambda n: 0.9 ** n)):
            rates = []
            for options in (dict(scale_fn=scale, scale_mode=mode), dict(mode='triangular2') if mode == 'cycle' else
                            dict(mode='exp_range', gamma=0.9)):
                optimizer = fa.optim.SGD([fa.ones(1, requires_grad=True)], lr=1, momentum=0.5)
                schedule = fa.optim.lr_scheduler.CyclicLR(optimizer, 0.1, 1.1, 3, 2, **options)
                rates.append([])
                for _ in range(12):
                    rates[-1] += [optimizer.lr, optimizer.param_groups[0]['momentum']]
                    optimizer._stepped = True
                    schedule.step()
            for a, b in zip(*rates):
                self.assertAlmostEqual(a, b)
        optimizer = fa.optim.Adagrad([fa.ones(1, requires_grad=True)])
        self.assertRaisesRegex(ValueError, 'cycle_momentum=False', fa.optim.lr_scheduler.CyclicLR, optimizer, 0.1, 1, scale_fn=abs)
        self.assertRaisesRegex(ValueError, 'scale_mode', fa.optim.lr_scheduler.CyclicLR, optimizer, 0.1, 1, scale_fn=abs, scale_mode='x')

    @unittest.skipUnless(numpy, 'NumPy is not installed')
    def test_text_of_layers_without_numbers_of_numpy(self):
        self.assertEqual(repr(nn.Linear(numpy.int64(3), numpy.int64(4))), 'Linear(in_features=3, out_features=4)')
        self.assertEqual(repr(nn.LayerNorm((numpy.int64(3),))), 'LayerNorm(normalized_shape=(3,))')
        self.assertIs(type(nn.Dropout(numpy.float64(0.5)).p), float)

    def test_layers_that_forward_makes(self):
        class Made(nn.Module):
            def __init__(self, inner):
                super().__init__()
                self.lists, self.inner = nn.ModuleList([nn.Linear(2, 2)]), inner

            def forward(self, x):
                return self.inner(nn.ReLU()(self.lists[0](x)))
        x = fa.ones(1, 2)

        def warned(net):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter('always')
                with fa.no_grad():
                    net(x)
                net(x), net(x)
            return [str(w.message) for w in caught]
        said = warned(Made(lambda x: nn.Linear(2, 2)(x)))
        self.assertEqual(len(said), 1)
        self.assertRegex(said[0], r'^Linear runs inside Made, but was not added to it.*self.name = Linear\(...\). One that forward\(\) makes')
        forgotten = Made(nn.Linear(2, 2))
        self.assertRegex(warned(Made(lambda x: forgotten(x)))[0], '^Made runs inside Made')
        added, teacher, other = nn.Linear(2, 2), nn.Linear(2, 2).eval(), nn.Sequential(nn.Linear(2, 2))
        self.assertEqual((warned(Made(added)), warned(Made(lambda x: teacher(x))), warned(Made(lambda x: other[0](x)))), ([], [], []))


class Messages(unittest.TestCase):
    def test_floats_as_sizes(self):
        x = fa.ones(2, 4)
        for call, text in (
                (lambda: nn.Linear(4 / 2, 2), 'nn.Linear: in_features is an integer, not 2.0'),
                (lambda: nn.Linear(2, None), 'nn.Linear: out_features is an integer, not None'),
                (lambda: nn.Conv2d(3, 8, 3.0), 'nn.Conv2d: kernel_size is an integer, or two of them, not 3.0'),
                (lambda: nn.Conv2d(3, 8, (3, 3.0)), 'kernel_size is an integer, or two of them'),
                (lambda: nn.Conv2d(3, 8, 3, padding_mode=1), 'padding_mode is a text, not 1'),
                (lambda: nn.LSTM(2, 3, num_layers=2.0), 'num_layers is an integer, not 2.0'),
                (lambda: nn.LayerNorm(4 / 2), 'nn.LayerNorm: normalized_shape is an integer, or a tuple'),
                (lambda: nn.Dropout('a'), "nn.Dropout: p is a number, not 'a'"),
                (lambda: fa.zeros(2.0), 'zeros: shape is an integer, or a tuple of them, not 2.0'),
                (lambda: x.view(4 / 2, 4), 'view: shape is an integer'), (lambda: fa.ones('a'), 'ones: shape'),
                (lambda: x.sum(1.0), 'sum: dim is a dimension, or a tuple of them, not 1.0'),
                (lambda: x.chunk(2.0), 'chunk: .* is an integer, not 2.0'), (lambda: fa.cat(3), 'cat: .* is a list of tensors, not 3'),
                (lambda: fa.randint(0, 5.5, (2,)), 'randint: high is an integer, not 5.5'),
                (lambda: fa.optim.Adam([fa.ones(1, requires_grad=True)], lr='1e-3'), "optim.adam: lr is a number, not '1e-3'"),
                (lambda: F.mse_loss(x, x, reduction=0.5), 'mse_loss: reduction is a text, not 0.5'),
                (lambda: fa.manual_seed(1.5), 'an integer goes here, not 1.5'),
                (lambda: nn.Sequential(nn.ReLU(), 3), 'a module, or a function, goes here, not int'),
                (lambda: nn.Sequential(nn.ReLU(), None), 'goes here, not None'),
                (lambda: fa.utils.data.DataLoader([1, 2], batch_size=2.0), 'batch_size is an integer, not 2.0'),
                (lambda: fa.optim.lr_scheduler.OneCycleLR(fa.optim.SGD([fa.ones(1, requires_grad=True)]), 0.1), 'total_steps, or epochs')):
            with self.assertRaisesRegex(TypeError, text):
                call()
        self.assertRaisesRegex(ValueError, 'num_workers is 0 or more', fa.utils.data.DataLoader, [1, 2], num_workers=-1)
        nn.LSTM(2, 3, num_layers=2), x.sum(1), nn.Conv2d(3, 8, 3, stride=2)
        self.assertRaisesRegex(TypeError, 'dim is a dimension', x.sum, 1.0)
        self.assertRaisesRegex(TypeError, 'stride is an integer', nn.Conv2d, 3, 8, 3, stride=2.0)
        self.assertRaisesRegex(TypeError, 'num_layers is an integer', nn.LSTM, 2, 3, num_layers=2.0)
        self.assertEqual(nn.Linear(fa.tensor(2), True).weight.shape, (1, 2))
        self.assertRaisesRegex(fa.Error, 'x is None', F.relu, None)

    def test_errors_of_files_and_memory(self):
        with tempfile.TemporaryDirectory() as folder:
            missing, damaged = os.path.join(folder, 'none'), pathlib.Path(folder, 'damaged')
            damaged.write_bytes(b'x' * 100)
            for call in (lambda: fa.load(missing), lambda: fa.load(nn.Linear(1, 1), missing)):
                with self.assertRaisesRegex(FileNotFoundError, 'test_forms.py:.*cannot open') as caught:
                    call()
                self.assertIsInstance(caught.exception, fa.Error)
                self.assertEqual(caught.exception.kind, 'file')
                self.assertEqual((caught.exception.errno, caught.exception.filename), (errno.ENOENT, str(missing)))
            for path, number in ((os.path.join(missing, 'x'), errno.ENOENT), (folder, errno.EISDIR), (missing + '/x.npz', errno.ENOENT)):
                with self.assertRaises(OSError) as caught:
                    fa.save({'x': fa.ones(2)}, path)
                self.assertEqual((caught.exception.errno, caught.exception.filename), (number, path))
                self.assertEqual(isinstance(caught.exception, FileNotFoundError), number == errno.ENOENT)
            with self.assertRaisesRegex(OSError, 'damaged') as caught:
                fa.load(damaged)
            self.assertNotIsInstance(caught.exception, FileNotFoundError)
        with self.assertRaises(MemoryError) as caught:
            fa.ones(10 ** 6, 10 ** 8)
        self.assertEqual((caught.exception.kind, isinstance(caught.exception, fa.Error)), ('memory', True))

    def test_what_is_no_state(self):
        layer = nn.Linear(2, 2)
        self.assertRaisesRegex(TypeError, r'not str: load_state_dict\(fa.load\(path\)\)', layer.load_state_dict, 'x.pt')
        self.assertRaisesRegex(TypeError, r'not Linear: load_state_dict\(other.state_dict\(\)\)', layer.load_state_dict, layer)
        optimizer = fa.optim.SGD(layer.parameters(), lr=0.1)
        self.assertRaisesRegex(TypeError, 'not str', optimizer.load_state_dict, 'x.pt')

    def test_gradients_of_another_shape(self):
        class Wrong(fa.autograd.Function):
            @staticmethod
            def forward(ctx, k, x):
                return x * k

            @staticmethod
            def backward(ctx, grad):
                return None, grad.sum().reshape(1, 1)
        with self.assertRaisesRegex(fa.Error, r'Wrong.*shape \(1, 1\) for argument 1 of forward\(\), whose shape is \(2,\), '
                                              r'in the backward of Function.apply$'):
            Wrong.apply(2, fa.ones(2, requires_grad=True)).sum().backward()

    def test_negative_steps_by_dlpack(self):
        x = fa.arange(6)[::-1]
        self.assertRaisesRegex(BufferError, r'x.clone\(\)', x.__dlpack__)
        self.assertEqual(fa.from_dlpack(x.clone()).tolist(), [5, 4, 3, 2, 1, 0])
        x.__dlpack__(copy=True)


class Training(unittest.TestCase):
    def test_groups_keep_what_the_optimizer_does_not_know(self):
        layer = nn.Linear(2, 2)
        optimizer = fa.optim.SGD([{'params': [layer.weight], 'name': 'body', 'lr': 0.2}, {'params': [layer.bias], 'lr_scale': 0.5}], lr=0.1)
        first, second = optimizer.param_groups
        self.assertEqual((first['name'], second['lr_scale'], second.get('name')), ('body', 0.5, None))
        second['note'] = [1]
        self.assertEqual(optimizer.param_groups[1]['note'], [1])
        self.assertIn('lr_scale', list(second))
        self.assertRaises(KeyError, lambda: first['other'])
        self.assertRaisesRegex(fa.Error, 'amsgrad', first.__setitem__, 'amsgrad', True)
        self.assertRaisesRegex(TypeError, "lr is a number, not 'a'", first.__setitem__, 'lr', 'a')
        self.assertEqual((optimizer.defaults['lr'], optimizer.defaults['momentum']), (0.1, 0))

    def test_schedules_before_optimizers(self):
        layer = nn.Linear(2, 2)

        def warned(steps):
            optimizer = fa.optim.SGD(layer.parameters(), lr=0.1)
            schedule = fa.optim.lr_scheduler.StepLR(optimizer, 1)
            layer(fa.ones(1, 2)).sum().backward()
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter('always')
                for step in steps:
                    (optimizer if step == 'o' else schedule).step()
                optimizer.zero_grad()
            return [str(w.message) for w in caught if 'scheduler.step()' in str(w.message)]
        self.assertEqual(len(warned('sos')), 1)
        self.assertEqual((warned('oss'), warned('oo')), ([], []))

    @unittest.skipUnless(numpy, 'NumPy is not installed')
    def test_files_with_numpy(self):
        file = io.BytesIO()
        fa.save({'best': numpy.float32(0.5), 'epoch': numpy.int64(3), 'done': numpy.bool_(True), 'curve': numpy.arange(3.0)}, file)
        file.seek(0)
        loaded = fa.load(file)
        self.assertEqual((loaded['best'], loaded['epoch'], loaded['done'], loaded['curve'].tolist()), (0.5, 3, True, [0, 1, 2]))
        self.assertIs(loaded['curve'].dtype, fa.float64)


if __name__ == '__main__':
    unittest.main()
