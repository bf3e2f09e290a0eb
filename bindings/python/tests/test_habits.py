"""Tests of what those who know PyTorch write: what the other tests do not have."""
import copy
import gc
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

import facula as fa
from facula import nn
from facula.utils.data import ConcatDataset, DataLoader, Subset, TensorDataset, random_split

try:
    import numpy
except ImportError:
    numpy = None
F = nn.functional


class Settings(unittest.TestCase):
    def test_gradients_are_enabled_by_calls_blocks_and_decorators(self):
        w = fa.ones(2, requires_grad=True)

        def recorded():
            self.assertEqual((w * 2).requires_grad, fa.is_grad_enabled())
            return fa.is_grad_enabled()
        self.assertTrue(recorded())
        try:
            fa.set_grad_enabled(False)
            self.assertFalse(recorded())
            with fa.enable_grad():
                self.assertTrue(recorded())
                fa.set_grad_enabled(False)
                self.assertFalse(recorded())
            self.assertFalse(recorded())
            with fa.set_grad_enabled(True):
                self.assertTrue(recorded())
            self.assertFalse(recorded())
        finally:
            fa.set_grad_enabled(True)
        self.assertTrue(recorded())
        off = fa.set_grad_enabled(False)(recorded)
        self.assertTrue(recorded())
        self.assertFalse(off() or off())
        self.assertTrue(recorded())
        with fa.no_grad():
            self.assertTrue(fa.enable_grad(recorded)())
        self.assertFalse(fa.no_grad(recorded)() or fa.inference_mode(recorded)())
        with fa.inference_mode(False):
            self.assertTrue(recorded())

    def test_lines_of_warnings(self):
        program = textwrap.dedent('''
            import facula as fa
            F = fa.nn.functional
            x, target = fa.softmax(fa.ones(2, 3), 1), fa.tensor([0, 1])
            F.cross_entropy(
                x, target)
            net = fa.nn.BatchNorm1d(3)
            with fa.no_grad():
                y = x + 1
                net(y)
            F.nll_loss(x, target)
            try:
                F.binary_cross_entropy_with_logits(fa.sigmoid(x), x.unsqueeze(0))
            except fa.Error as e:
                print(e)
        ''')
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'train.py'
            path.write_text(program)
            environment = {k: v for k, v in os.environ.items() if k not in ('FACULA_LOG', 'PYTHONWARNINGS')}
            made = subprocess.run([sys.executable, path], capture_output=True, text=True, env=environment, check=True)
        for line, text in ((5, 'cross_entropy: input was made by softmax'), (10, 'batch_norm1d runs in training mode'),
                           (11, 'nll_loss: input was made by softmax, but it has to be log probabilities, as log_softmax')):
            self.assertIn(f'{path}:{line}: UserWarning: {text}', made.stderr)
        self.assertEqual(made.stderr.count('UserWarning'), 3)
        self.assertIn('train.py:13: binary_cross_entropy', made.stdout)


class Identity(unittest.TestCase):
    def test_parameters_have_one_object(self):
        net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
        w = net[0].weight
        self.assertIs(w, net[0].weight)
        self.assertIs(w, net.parameters()[0])
        self.assertIs(w, dict(net.named_parameters())['0.weight'])
        self.assertIs(w, fa.optim.SGD(net.parameters(), lr=0.1).param_groups[0]['params'][0])
        self.assertIsInstance(w, nn.Parameter)
        self.assertNotIsInstance(net[1].running_mean, nn.Parameter)
        self.assertIs(net[1].running_mean, net.buffers()[0])
        self.assertTrue(w in set(net.parameters()) and {p: n for n, p in net.named_parameters()}[w] == '0.weight')
        self.assertIn(id(net[0].bias), {id(p) for p in net.parameters()})
        net.half().float()
        self.assertIs(w, net[0].weight)
        net[0].bias.tag = 'kept'
        gc.collect()
        self.assertEqual(net.parameters()[1].tag, 'kept')
        (w * 2).sum().backward()
        self.assertIs(w.grad, w.grad)
        w.grad = given = fa.ones(3, 2)
        self.assertIs(w.grad, given)
        encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2), 1)
        self.assertIs(encoder.layers[0], encoder.layers[0])
        self.assertIsInstance(copy.deepcopy(nn.Parameter(fa.ones(2))), nn.Parameter)

    def test_an_address_that_is_used_again_has_another_object(self):
        errors, shared = [], nn.Linear(2, 2)

        def run():
            try:
                for _ in range(300):
                    w = nn.Linear(2, 2).weight
                    assert not hasattr(w, 'tag')
                    w.tag = 1
                    assert shared.bias.shape == (2,) and w.shape == (2, 2)
            except BaseException as e:
                errors.append(e)
        threads = [threading.Thread(target=run) for _ in range(3)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(errors, [])
        w = shared.weight
        shared = None
        gc.collect()
        self.assertEqual(w.shape, (2, 2))

    def test_tensors_with_several_names(self):
        class Tied(nn.Module):
            def __init__(self):
                super().__init__()
                self.emb, self.head = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
                self.head.weight = self.emb.weight
                self.register_buffer('mask', fa.ones(2), persistent=False)

        net, other = Tied(), Tied()
        self.assertEqual(list(net.state_dict()), ['emb.weight', 'head.weight'])
        self.assertEqual(len(net.parameters()), 1)
        self.assertEqual([n for n, _ in net.named_buffers()], ['mask'])
        for name in ('emb.weight', 'head.weight'):
            other.load_state_dict({name: net.head.weight})
            self.assertTrue(fa.equal(other.emb.weight, net.emb.weight))
        with tempfile.TemporaryDirectory() as folder:
            for what in (net, net.state_dict()):
                fa.save(what, os.path.join(folder, 'a.safetensors'))
                fa.load(other, os.path.join(folder, 'a.safetensors'))
                other.load_state_dict(fa.load(os.path.join(folder, 'a.safetensors')))
        twin = copy.deepcopy(net)
        self.assertIs(twin.head.weight, twin.emb.weight)
        self.assertEqual(list(twin.state_dict()), ['emb.weight', 'head.weight'])

    def test_modules_with_a_layer_twice(self):
        layer = nn.Linear(2, 2)
        net = nn.Sequential(layer, nn.ReLU(), layer)
        with tempfile.TemporaryDirectory() as folder:
            fa.save(net, os.path.join(folder, 'a.safetensors'))
            self.assertEqual(set(fa.load(os.path.join(folder, 'a.safetensors'))), set(net.state_dict()))

    def test_samplers_without_a_length(self):
        class Three(fa.utils.data.Sampler):
            def __iter__(self):
                return iter(range(3))

        self.assertEqual(list(Three()), [0, 1, 2])
        with self.assertRaisesRegex(TypeError, 'Three has no __len__'):
            len(Three())

    def test_parts_of_modules(self):
        net = nn.Sequential(nn.ReLU(), nn.Tanh())
        net.insert(1, nn.Linear(2, 2))
        self.assertEqual([type(m).__name__ for m in net], ['ReLU', 'Linear', 'Tanh'])
        self.assertEqual(net(fa.ones(1, 2)).shape, (1, 2))
        modules = nn.ModuleList([nn.ReLU()])
        modules += [nn.Linear(1, 1)]
        self.assertEqual(len(modules), 2)
        self.assertEqual(net.named_parameters(recurse=False), [])
        self.assertEqual([n for n, _ in net[1].named_parameters('fc', recurse=False)], ['fc.weight', 'fc.bias'])
        self.assertIsNone(nn.LSTM(2, 2).flatten_parameters())

    def test_parts_that_are_removed(self):
        net = nn.Module()
        net.before = None
        net.w, net.fc = nn.Parameter(fa.ones(2)), nn.Linear(2, 2)
        net.register_buffer('calls', fa.zeros(1))
        net.register_buffer('seen', fa.zeros(1), persistent=False)
        net.w = None
        self.assertIsNone(net.w)
        self.assertEqual([n for n, _ in net.named_parameters()], ['fc.weight', 'fc.bias'])
        net.w = nn.Parameter(fa.ones(3))
        self.assertEqual(net.w.shape, (3,))
        del net.w
        self.assertFalse(hasattr(net, 'w'))
        net.register_buffer('mean', fa.zeros(1))
        net.calls = None
        del net.seen
        self.assertEqual(list(net.state_dict()), ['mean', 'fc.weight', 'fc.bias'])
        del net.fc
        self.assertEqual((net.parameters(), net.children(), hasattr(net, 'fc')), ([], [], False))
        with self.assertRaises(AttributeError):
            del net.fc
        net.register_buffer('seen', fa.ones(1))
        self.assertIn('seen', net.state_dict())
        net = nn.Sequential(nn.ReLU(), nn.Linear(2, 2))
        delattr(net, '0')
        self.assertEqual([type(m).__name__ for m in net], ['Linear'])
        with self.assertRaisesRegex(AttributeError, 'bias is a part of the layer'):
            del net[0].bias

        class Early(nn.Module):
            def __init__(self):
                self.note = None
                super().__init__()
        self.assertIsNone(Early().note)

    def test_options_that_are_set_later(self):
        for layer, name in ((nn.Dropout(0.5), 'p'), (nn.BatchNorm1d(3), 'momentum'), (nn.Conv2d(1, 1, 3), 'stride')):
            with self.assertRaisesRegex(AttributeError, f'{name} cannot be changed: .* Make another one: .*{name}=0.25'):
                setattr(layer, name, 0.25)
        layer.note = 1
        self.assertRaisesRegex(AttributeError, 'bias is a part of the layer', setattr, layer, 'bias', None)
        nn.Linear(2, 2, bias=False).bias = None
        loss = nn.MSELoss()
        loss.reduction = 'sum'
        self.assertEqual(loss(fa.ones(4), fa.zeros(4)), 4)
        loss = nn.CrossEntropyLoss(fa.tensor([1.0, 0.0]))
        self.assertTrue(fa.equal(loss.weight, fa.tensor([1.0, 0.0])))

    def test_what_messages_say(self):
        x = fa.ones(2, 2)
        for text, wrong in ((r'cat takes a list: cat\(\[x, y\]\)', lambda: fa.cat(x, x)),
                            (r'LSTM is a pair: \(x, \(h_0, c_0\)\)', lambda: nn.LSTM(2, 4)(x, fa.ones(1, 4))),
                            ('GRU is one tensor', lambda: nn.GRU(2, 4)(x, (fa.ones(1, 4), fa.ones(1, 4)))),
                            ('made first, and then called', lambda: nn.CrossEntropyLoss(x, fa.tensor([0, 1]))),
                            (r'MSELoss\(\) takes its options by name: reduction', lambda: nn.MSELoss('sum')),
                            ('ReLU is a class, not a module', lambda: nn.Sequential(nn.Linear(1, 1), nn.ReLU))):
            self.assertRaisesRegex(TypeError, text, wrong)
        self.assertRaisesRegex(fa.Error, r'x\.any\(\)', bool, x)
        self.assertRaisesRegex(fa.Error, 'sum.x=scalar f32 cpu', lambda: fa.tensor(1.0).sum(3))
        w = fa.ones(2, requires_grad=True)
        self.assertRaisesRegex(fa.Error, 'allow_unused=True gives None', fa.autograd.grad, (w * 2).sum(), x.requires_grad_())
        self.assertEqual(fa._library._in_python('backward of fa_pointwise: x'), 'backward of a fused operation: x')
        self.assertEqual(fa._library._in_python('backward of fa_mse_loss (its pointwise): x was changed in place by fa_update(), '
                                                'which fa_optim_step() calls, after it was recorded'),
                         'backward of mse_loss (its fused operation): x was changed in place by optimizer.step() after it was recorded')


class Tensors(unittest.TestCase):
    def test_parts_are_tuples(self):
        x = fa.tensor([[1, 5], [5, 7]])
        x[fa.where(x == 5)] = -1
        self.assertEqual(x.tolist(), [[1, -1], [-1, 7]])
        for parts in (x.nonzero(as_tuple=True), x.chunk(2), x.split(1), x.unbind(), fa.meshgrid(x[0], x[0]),
                      fa.broadcast_tensors(x, x[0]), x.tensor_split(2)):
            self.assertIsInstance(parts, tuple)
        self.assertTrue(fa.equal(fa.block_diag(x, x), fa.block_diag([x, x])))
        self.assertEqual(fa.cartesian_prod(x[0], x[1]).shape, (4, 2))

    def test_numbers_and_dtypes(self):
        self.assertEqual([fa.arange(*a).dtype for a in ((24.0,), (0.0, 6.0, 1.0), (0, 3, 0.5), (3,))],
                         [fa.f32, fa.f32, fa.f32, fa.i64])
        self.assertRaisesRegex(fa.Error, 'powers of -1', lambda: fa.tensor([2]) ** -1)
        self.assertRaisesRegex(fa.Error, 'powers of -1', fa.tensor([2]).pow_, -1)
        self.assertEqual((fa.tensor([2.0]) ** -1).item(), 0.5)
        for wrong in (300, -1):
            self.assertRaisesRegex(fa.Error, f'{wrong} is no u8.* 0 to 255', fa.tensor, [wrong], dtype=fa.uint8)
        self.assertEqual(fa.tensor([255], dtype=fa.uint8).item(), 255)
        self.assertEqual([fa.promote_types(fa.f16, fa.f32), fa.promote_types('i32', fa.i64), fa.result_type(fa.ones(1, dtype='f16'), 2.5),
                          fa.result_type(fa.tensor([1]), 1.5)], [fa.f32, fa.i64, fa.f16, fa.f32])
        self.assertEqual(fa.broadcast_to(fa.ones(2), (3, 2)).shape, (3, 2))
        self.assertTrue(fa.inf > fa.pi > 3 and fa.nan != fa.nan)
        x = fa.ones(2, dtype='f64')
        self.assertEqual((x.new_tensor([1, 2]).dtype, x.data_ptr() == x.data_ptr() != 0), (fa.f64, True))
        self.assertIs(x.to('cpu'), x)

    def test_operators(self):
        x = fa.tensor([1, 2])
        self.assertEqual([(x << 1).tolist(), (x >> 1).tolist(), (1 << x).tolist(), (+x).tolist()], [[2, 4], [0, 1], [2, 4], [1, 2]])
        x <<= 1
        self.assertEqual(x.tolist(), [2, 4])
        self.assertTrue(4 in x.reshape(2, 1) and 5 not in x.reshape(2, 1))
        self.assertIs(x == None, False)  # noqa: E711
        self.assertIs(x != None, True)  # noqa: E711
        self.assertFalse(hasattr(fa.ones(2, 2, 2), 'T'))
        self.assertTrue(hasattr(fa.ones(2, 2), 'T'))

    def test_operators_of_bits(self):
        x, mask = fa.tensor([1, 2, 5]), fa.tensor([True, False])
        for a, b in ((1 & x, [1, 0, 1]), (1 | x, [1, 3, 5]), (1 ^ x, [0, 3, 4]), (1 << x, [2, 4, 32]), (64 >> x, [32, 16, 2]),
                     (True & mask, [True, False]), (True | mask, [True, True]), (True ^ mask, [False, True])):
            self.assertEqual(a.tolist(), b)

    def test_names_of_numpy(self):
        x = fa.tensor([[1.0, 2.0], [3.0, 5.0]])
        self.assertEqual(x.sum(axis=0).tolist(), [4, 7])
        self.assertEqual(fa.softmax(x, axis=1).shape, (2, 2))
        self.assertEqual(x.max(axis=1, keepdims=True).values.tolist(), [[2], [5]])
        self.assertRaisesRegex(TypeError, r"softmax\(\) missing 1 required positional argument: 'dim'", fa.softmax, x)
        places = fa.tensor([[1], [0]])
        self.assertEqual(x.gather(axis=1, index=places).tolist(), x.gather(1, places).tolist())
        self.assertEqual(fa.index_select(x, index=places[0], axis=1).tolist(), [[2], [5]])
        self.assertEqual(x.scatter(index=places, src=fa.zeros(2, 1), axis=1).tolist(), [[1, 0], [0, 5]])
        self.assertRaisesRegex(TypeError, r"gather\(\) missing 1 required positional argument: 'dim'", x.gather, index=places)
        self.assertRaisesRegex(TypeError, r"gather\(\) missing 1 required positional argument: 'index'", x.gather, 1)
        if numpy:
            self.assertEqual((np_sum := numpy.sum(x, axis=1)).tolist(), [3, 8])
            self.assertIsInstance(np_sum, fa.Tensor)
            self.assertEqual((numpy.mean(x), numpy.max(x)), (2.75, 5))

    def test_errors_of_indices_and_names(self):
        x = fa.ones(3)
        for wrong in (lambda: x[9], lambda: x[0, 0], lambda: x.sum(5), lambda: x[fa.tensor([7])], lambda: fa.tensor(1.0)[0],
                      lambda: x.unsqueeze(5), lambda: fa.cross_entropy(fa.ones(1, 3), fa.tensor([7]))):
            for kind in (IndexError, fa.Error):
                self.assertRaises(kind, wrong)
        try:
            fa._library._fa_fail(fa._library.c_int(1), b'%s', b'there is no dimension of this name')
            fa._library._fail()
        except fa.Error as e:
            self.assertNotIsInstance(e, IndexError)  # by its kind, not by its words
        for kind in (KeyError, RuntimeError):
            self.assertRaisesRegex(kind, r"^missing: \['weight', 'bias'\], unexpected: \[\]$", nn.Linear(1, 1).load_state_dict, {})

    def test_patches(self):
        x = fa.arange(32.0).reshape(1, 2, 4, 4)
        self.assertEqual(F.unfold(x, 2, stride=2)[0, :4].tolist(), [[0, 2, 8, 10], [1, 3, 9, 11], [4, 6, 12, 14], [5, 7, 13, 15]])
        w = fa.randn(3, 2, 3, 2)
        for options in ({}, {'padding': (1, 2), 'stride': (2, 1), 'dilation': (1, 2)}):
            patches = F.unfold(x, (3, 2), **options)
            y = F.conv2d(x, w, **options)
            self.assertTrue(fa.allclose((w.reshape(3, -1) @ patches).reshape(y.shape), y, atol=1e-3))
        self.assertEqual(F.unfold(x[0], 3).shape, (18, 4))

    def test_making(self):
        self.assertRaisesRegex(TypeError, r'facula\.tensor\(data\)', fa.Tensor, [1, 2])
        self.assertRaisesRegex(TypeError, r'facula\.tensor\(data\)', fa.Tensor, 3)
        self.assertIsInstance(fa.tensor([1, 2]), fa.Tensor)
        for wrong, text in ((None, 'numbers, not NoneType'), ('a', 'numbers, not str')):
            self.assertRaisesRegex(TypeError, text, lambda: fa.ones(2) + wrong)
        self.assertRaisesRegex(TypeError, 'mean is a list of numbers, not 0.5', fa.transform.Normalize, 0.5, 0.5)

    def test_medians(self):
        x = fa.tensor([[3.0, float('nan'), 1.0], [6.0, 5.0, 4.0]])
        self.assertEqual((x[1].median().item(), fa.nanmedian(x).item()), (5, 4))
        values, indices = x.nanmedian(1, keepdim=True)
        self.assertEqual((values.tolist(), indices.tolist()), ([[1], [5]], [[2], [1]]))
        self.assertEqual(x[1].median(dim=0).indices.item(), 1)

    def test_other_names(self):
        x = fa.arange(12).view(2, 2, 3)
        self.assertTrue(fa.equal(x.mT, x.transpose(1, 2)))
        self.assertIs(x.pin_memory(), x)
        self.assertEqual((x.stride(), x.stride(-2)), ((6, 3, 1), 3))
        self.assertIs(fa.get_default_dtype(), fa.f32)
        fa.set_default_dtype(fa.float32)
        self.assertRaisesRegex(ValueError, 'f32: dtype=.f64. of a call', fa.set_default_dtype, fa.float64)

    def test_names_of_devices(self):
        for wrong in ('nonsense:7', 'cuda:', 'cuda:x', 'cpu:gpu', 'float32', ''):
            self.assertRaisesRegex(fa.Error, 'names no device', fa.device, wrong)
        for name in ('cpu', 'cuda:7', 'opencl:gpu'):  # whether it is there or not
            self.assertEqual(fa.device(name), name)
        self.assertIsInstance(fa.ones(1).device, fa.device)

    def test_probabilities(self):
        target = fa.tensor([1.0, 0.0])
        for wrong in ([1.5, 0.5], [0.5, -0.1]):
            self.assertRaisesRegex(fa.Error, 'input has elements outside 0 to 1.* binary_cross_entropy_with_logits',
                                   F.binary_cross_entropy, fa.tensor(wrong), target)
        self.assertEqual(F.binary_cross_entropy(fa.tensor([1.0, 0.0], requires_grad=True), target).item(), 0)


class Parts(unittest.TestCase):
    def test_iterators_of_parts(self):
        net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
        found = net.parameters()
        self.assertEqual([next(found).shape, next(found).shape], [(3, 2), (3,)])
        self.assertEqual((len(found), len(list(found))), (4, 4))
        self.assertEqual([p.shape for p in found], [(3, 2), (3,), (3,), (3,)])
        fa.optim.SGD(found, lr=0.1)
        fa.optim.SGD(found, lr=0.1)
        next(found), next(found)
        self.assertRaises(StopIteration, next, found)
        self.assertIs(next(net.modules()), net)
        self.assertIs(next(net.children()), net[0])
        self.assertEqual([next(net.named_parameters())[0], next(net.named_buffers())[0], next(net.named_modules())[0],
                          next(net.named_children())[0]], ['0.weight', '1.running_mean', '', '0'])
        self.assertEqual(next(net.buffers()).shape, (3,))

    def test_names_that_are_missing(self):
        for module, name in ((fa, 'vmap'), (fa.optim, 'LBFGS'), (fa.optim.lr_scheduler, 'PolynomialLR'), (fa.utils, 'checkpoint'),
                             (fa.utils.data, 'datapipes'), (nn, 'Conv3d'), (nn.functional, 'grid_sample'),
                             (fa.linalg, 'svd'), (fa.cuda, 'Stream')):
            with self.assertRaisesRegex(AttributeError, rf'^{module.__name__} has no {name}: .*python\.md.*What is missing'):
                getattr(module, name)
        with self.assertRaises(ImportError):
            from facula.optim.lr_scheduler import PolynomialLR  # noqa: F401
        self.assertEqual((fa.arctan2(fa.zeros(1), 1.0).item(), fa.asarray([1, 2]).tolist(), fa.argwhere(fa.ones(2)).shape,
                          fa.ones(2, 3).nelement()), (0, [1, 2], (2, 1), 6))

    def test_names_of_torchvision(self):
        for name, own in (('CIFAR10', 'cifar10'), ('ImageFolder', 'image_folder'), ('FashionMNIST', 'fashion_mnist'), ('EMNIST', 'emnist')):
            self.assertRaisesRegex(AttributeError, rf'no {name}: facula\.data\.{own}\(\)', getattr, fa.data, name)
            self.assertTrue(callable(getattr(fa.data, own)))
        self.assertRaisesRegex(AttributeError, 'facula.data has no nothing$', getattr, fa.data, 'nothing')

    def test_samples_of_one_tensor(self):
        data = TensorDataset(fa.arange(10))
        self.assertEqual(repr(data), 'Dataset(10 samples)')
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'a.tar')
            with tarfile.open(path, 'w') as archive:
                member = tarfile.TarInfo('1.cls')
                member.size = 1
                archive.addfile(member, io.BytesIO(b'3'))
            self.assertEqual(repr(fa.data.webdataset(path)), 'Dataset(a stream)')
        split, rest = random_split(data, [4, 6])
        for part in (data, split, Subset(split, [1, 0]), ConcatDataset([data, rest])):
            self.assertIsInstance(part[0], tuple)
            x, = next(iter(DataLoader(part, batch_size=2)))
            self.assertEqual(x.shape, (2,))
        self.assertEqual(Subset(rest, [3, 1])[1][0].item(), rest[1][0].item())
        self.assertEqual((rest.dataset, len(rest.indices), sorted(split.indices + rest.indices)), (data, 6, list(range(10))))
        mixed = ConcatDataset([data, [fa.tensor(3)]])
        self.assertEqual((len(mixed), mixed[10].item()), (11, 3))

    def test_numbers_of_samples(self):
        x, y = fa.arange(5).float(), fa.arange(5) * 2
        data = TensorDataset(x, y)
        subset, both = Subset(data, [3, -1, 0]), ConcatDataset([data, data])
        self.assertEqual(([int(d[-1][1]) for d in (data, subset, both)], subset.indices), ([8, 0, 8], [3, -1, 0]))
        self.assertEqual(([int(y) for _, y in subset], [int(y) for _, y in data]), ([6, 8, 0], [0, 2, 4, 6, 8]))
        self.assertEqual(subset[fa.tensor(1)][0].item(), 4)
        for d, n in ((data, 5), (subset, 3), (both, 10)):
            for wrong in (n, -n - 1):
                self.assertRaisesRegex(IndexError, f'dataset.{wrong}.: there are {n} samples', lambda: d[wrong])
        self.assertRaisesRegex(fa.Error, 'no sample -6', Subset, data, [-6])
        for some in (slice(1, 3), [1, 2], fa.tensor([1, 2])):
            self.assertEqual([part.tolist() for part in data[some]], [[1, 2], [2, 4]])
        for wrong in (slice(1, 3), [1, 2], 1.5):
            self.assertRaisesRegex(TypeError, r'Subset\(dataset, range\(2\)\)', lambda: subset[wrong])

    def test_attributes_of_loaders_and_datasets(self):
        data = [(fa.ones(2), i % 2) for i in range(5)]
        loader = DataLoader(data, batch_size=2, num_workers=1, drop_last=True)
        self.assertIs(loader.dataset, data)
        self.assertEqual((loader.batch_size, loader.num_workers, loader.drop_last), (2, 1, True))
        self.assertEqual(DataLoader(data, batch_size=3, collate_fn=list).batch_size, 3)
        self.assertIsNone(DataLoader(data, batch_sampler=[[0, 1]]).batch_size)
        self.assertEqual(fa.data.tensors([fa.arange(3).float(), fa.tensor([5, 3, 4])]).targets.tolist(), [5, 3, 4])
        self.assertEqual(fa.data.digits().classes, [])
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, 'table.csv').write_text('x,y\n1,dog\n2,cat\n3,dog\n')
            table = fa.data.csv(os.path.join(folder, 'table.csv'), target='y')
        self.assertEqual([table.classes[i] for i in table.targets.tolist()], ['dog', 'cat', 'dog'])
        self.assertEqual(fa.transform.Lambda(lambda x: x + 1)(fa.zeros(2)).tolist(), [1, 1])

    def test_lists_of_parameters(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.weights = nn.ParameterList([fa.ones(2), nn.Parameter(fa.zeros(3))])
        net = Net()
        self.assertEqual([(n, p.shape) for n, p in net.named_parameters()], [('weights.0', (2,)), ('weights.1', (3,))])
        net.weights.append(fa.ones(4))
        net.weights[-1] = nn.Parameter(fa.full((4,), 2.0))
        self.assertEqual((len(net.weights), [p.shape for p in net.weights[1:]], net.weights[2][0].item()), (3, [(3,), (4,)], 2))
        self.assertRaises(IndexError, lambda: net.weights[3])
        vector = nn.utils.parameters_to_vector(net.parameters())
        self.assertEqual(vector.detach().tolist(), [1, 1, 0, 0, 0, 2, 2, 2, 2])
        nn.utils.vector_to_parameters(fa.arange(9).float(), net.parameters())
        self.assertEqual([p.tolist() for p in net.weights], [[0, 1], [2, 3, 4], [5, 6, 7, 8]])
        self.assertTrue(net.weights[0].is_leaf and net.weights[0].requires_grad)
        self.assertRaisesRegex(ValueError, '8 elements, and the parameters 9', nn.utils.vector_to_parameters, fa.ones(8), net)

    def test_parameters_that_are_not_trained(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.position = nn.Parameter(fa.ones(2), requires_grad=False)
                self.list = nn.ParameterList([nn.Parameter(fa.ones(2), requires_grad=False), net_less * 2])
        net_less = fa.ones(3).requires_grad_()
        net = Net()
        self.assertEqual([(n, p.requires_grad) for n, p in net.named_parameters()],
                         [('position', False), ('list.0', False), ('list.1', True)])
        self.assertEqual(sorted(net.state_dict()), ['list.0', 'list.1', 'position'])

    def test_settings_of_generator_functions(self):
        @fa.no_grad()
        def parts():
            sent = yield fa.is_grad_enabled()
            yield sent, fa.is_grad_enabled()
        made = parts()
        self.assertEqual((next(made), fa.is_grad_enabled(), made.send(3)), (False, True, (3, False)))
        self.assertEqual(list(made), [])

    def test_exceptions_of_generator_functions(self):
        seen = []

        @fa.set_grad_enabled(False)
        def parts():
            try:
                yield 1
            except ValueError as e:
                yield str(e), fa.is_grad_enabled()
            try:
                yield 2
            finally:
                seen.append(fa.is_grad_enabled())
            return 3
        made = parts()
        self.assertEqual((next(made), made.throw(ValueError('x')), next(made)), (1, ('x', False), 2))
        self.assertRaises(KeyError, made.throw, KeyError())
        self.assertEqual((seen, list(made), fa.is_grad_enabled()), ([False], [], True))
        made = parts()
        made.close()
        self.assertRaises(StopIteration, next, made)
        self.assertRaises(ValueError, parts().throw, ValueError())
        made = parts()
        next(made), made.throw(ValueError()), next(made), made.close()
        self.assertEqual(seen, [False, False])

    def test_settings_of_functions_that_overlap(self):
        begun, go_on = threading.Event(), threading.Event()

        @fa.no_grad()
        def waits(first):
            if first:
                begun.set()
                go_on.wait(10)
            return fa.is_grad_enabled()
        with ThreadPoolExecutor(2) as threads:
            first = threads.submit(lambda: (waits(True), fa.is_grad_enabled()))
            begun.wait(10)
            self.assertEqual((waits(False), fa.is_grad_enabled()), (False, True))
            go_on.set()
            self.assertEqual(first.result(), (False, True))

    def test_a_mean_over_all_batches(self):
        norm = nn.BatchNorm1d(1, momentum=None)
        for value in (2.0, 4.0, 9.0):
            norm(fa.full((3, 1), value))
        self.assertAlmostEqual(norm.running_mean.item(), 5, 5)


class Sizes(unittest.TestCase):
    def test_in_one_dimension(self):
        x, w, t = fa.rand(2, 4, 9), fa.rand(3, 4, 3), fa.rand(4, 3, 3)

        def same(function, *given, **options):
            """Whether a size as a number and as a tuple of it are the same."""
            tuples = {name: (value,) for name, value in options.items()}
            self.assertTrue(fa.equal(function(*given, **options), function(*given, **tuples)))
        same(F.conv1d, x, w, stride=2, padding=1, dilation=2)
        same(F.conv_transpose1d, x, t, stride=2, padding=1, output_padding=1, dilation=2)
        for pool in (F.max_pool1d, F.avg_pool1d):
            same(pool, x, kernel_size=3, stride=2, padding=1)
        for pool in (F.adaptive_avg_pool1d, F.adaptive_max_pool1d):
            same(pool, x, output_size=4)
        for layer in (nn.Conv1d(4, 3, (3,), stride=(2,), padding=(1,), dilation=(2,)), nn.MaxPool1d((2,), stride=(2,)),
                      nn.ConvTranspose1d(4, 3, (3,), stride=(1,), padding=(3,)), nn.AvgPool1d((2,)), nn.AdaptiveAvgPool1d((4,))):
            self.assertEqual(layer(x).shape[0], 2)
            self.assertEqual(layer(x).shape[2], 5 if isinstance(layer, nn.ConvTranspose1d) else 4)
        self.assertRaisesRegex(ValueError, r'one number goes here, not \(1, 2\)', F.conv1d, x, w, stride=(1, 2))

    def test_by_name_and_left_out(self):
        x, image = fa.rand(2, 4, 9), fa.rand(1, 4, 6, 6)
        self.assertEqual([F.conv1d(x, fa.ones(3, 4, 3), padding=p).shape[2] for p in ('same', 'valid')], [9, 7])
        self.assertEqual([nn.Conv2d(4, 3, 3, padding=p)(image).shape[2:] for p in ('same', 'valid')], [(6, 6), (4, 4)])
        self.assertEqual(nn.Conv2d(4, 3, (3,), padding=(1,))(image).shape, (1, 3, 6, 6))
        for pool in (F.max_pool2d, F.avg_pool2d):
            self.assertEqual(pool(image, 2, stride=None).shape, (1, 4, 3, 3))
        self.assertEqual((nn.MaxPool2d(2, None)(image).shape, F.max_pool1d(x, 3, None).shape), ((1, 4, 3, 3), (2, 4, 3)))
        self.assertRaises(ValueError, nn.Conv2d, 4, 3, 3, padding='full')


class Gradients(unittest.TestCase):
    def test_of_results(self):
        w = fa.ones(2, requires_grad=True)
        y = w * 3
        self.assertEqual((w.grad_fn, fa.ones(1).grad_fn, y.grad_fn.name(), repr(y.grad_fn)), (None, None, 'mul', '<mul>'))
        y.retain_grad()
        (y * y).sum().backward()
        self.assertEqual((y.grad.tolist(), w.grad.tolist()), ([6, 6], [18, 18]))
        self.assertRaises(fa.Error, fa.ones(2).retain_grad)

    def test_check(self):
        class Wrong(fa.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * x

            @staticmethod
            def backward(ctx, g):
                return g

        x, y = (fa.rand(2, 3, dtype='f64').t().requires_grad_() for _ in range(2))
        before = x.tolist()
        self.assertTrue(fa.autograd.gradcheck(lambda x, y, n: (x.exp() * y, x.sum(0), x.argmax()), (x, y, 3)))
        self.assertEqual(x.tolist(), before)
        self.assertTrue(fa.autograd.gradcheck(lambda x: x * 2, fa.tensor(0.5, dtype='f64', requires_grad=True)))
        self.assertFalse(fa.autograd.gradcheck(Wrong.apply, x, raise_exception=False))
        self.assertRaisesRegex(ValueError, 'input 0: the gradient of element 0', fa.autograd.gradcheck, Wrong.apply, x)
        self.assertRaisesRegex(ValueError, 'no input', fa.autograd.gradcheck, Wrong.apply, fa.ones(2))


@unittest.skipUnless(numpy, 'NumPy is not installed')
class NumPy(unittest.TestCase):
    def test_lists_of_arrays(self):
        x = fa.tensor([numpy.ones(2), numpy.zeros(2)])
        self.assertEqual((x.tolist(), x.dtype), ([[1, 1], [0, 0]], fa.f64))
        self.assertEqual(fa.ones(2, requires_grad=True).numpy(force=True).tolist(), [1, 1])

    def test_what_numpy_lacks(self):
        x = fa.ones(4).bfloat16()
        for _ in range(3):
            with self.assertRaisesRegex((BufferError, RuntimeError), '(?i)dtype|type'):
                numpy.from_dlpack(x)
        x.data.half()
        with fa.no_grad():
            nn.Linear(2, 2).half()
