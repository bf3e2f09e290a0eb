"""Modules, data and settings as programs written for PyTorch use them, how long objects live, and the examples."""
import copy
import ctypes
import gc
import io
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import textwrap
import unittest
import warnings
import weakref

import facula as fa
from facula import _callbacks, _library, _modules, nn
from facula.utils.data import (BatchSampler, ConcatDataset, DataLoader, Dataset, IterableDataset, RandomSampler,
                               SequentialSampler, Subset, SubsetRandomSampler, TensorDataset, WeightedRandomSampler,
                               default_collate, random_split)

from test_facula import in_scopes

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / 'examples'


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.rest = nn.Sequential(nn.ReLU(), nn.Linear(8, 3))
        self.scale = nn.Parameter(fa.ones(3))
        self.register_buffer('offset', fa.zeros(6).view(2, 3)[0])
        self.cache = None

    def forward(self, x):
        self.cache = x  # no buffer
        return self.rest(self.first(x)) * self.scale + self.offset


class Case(unittest.TestCase):
    def setUp(self):
        self.before = self.held()

    def tearDown(self):
        self.assertEqual(self.held(), self.before)

    def held(self):
        return in_scopes()


class Modules(Case):
    def test_attributes(self):
        net = Net()
        net(fa.ones(2, 4))
        self.assertEqual([n for n, _ in net.named_parameters()],
                         ['scale', 'first.weight', 'first.bias', 'rest.1.weight', 'rest.1.bias'])
        self.assertEqual([n for n, _ in net.named_buffers()], ['offset'])
        self.assertEqual([n for n, _ in net.named_modules()], ['', 'first', 'rest', 'rest.0', 'rest.1'])
        self.assertEqual([type(m) for m in net.modules()], [Net, nn.Linear, nn.Sequential, nn.ReLU, nn.Linear])
        self.assertIs(net.rest[1], net.child('rest.1'))
        self.assertIs(nn.linear, nn.Linear)
        self.assertEqual((net.first.in_features, net.first.out_features), (4, 8))
        self.assertIsNone(nn.Linear(2, 3, bias=False).bias)
        self.assertIsNone(nn.BatchNorm2d(2, affine=False).weight)
        self.assertFalse(hasattr(nn.ReLU(), 'weight'))
        self.assertEqual(repr(net.rest), 'Sequential(\n  (0): ReLU()\n  (1): Linear(in_features=8, out_features=3)\n)')
        for layer in (nn.ReLU(True), nn.LeakyReLU(0.1, True), nn.Dropout(0.5, inplace=True)):
            self.assertEqual(layer.eval()(fa.ones(2)).tolist(), [1, 1])

    def test_what_is_replaced(self):
        net = Net()
        net.first = nn.Linear(5, 8)
        net.scale = nn.Parameter(fa.zeros(3))
        net.offset = fa.ones(3)
        self.assertEqual(net(fa.ones(2, 5)).tolist(), [[1, 1, 1]] * 2)
        net.rest[1] = nn.Linear(8, 2)
        self.assertEqual(net.rest(fa.ones(1, 8)).shape, (1, 2))
        self.assertEqual(net.state_dict()['rest.1.weight'].shape, net.rest[1].weight.shape)
        net.rest[1].weight = net.first.weight  # shared
        self.assertNotIn('rest.1.weight', dict(net.named_parameters()))
        copied = copy.deepcopy(net)
        self.assertEqual(copied.rest[1].weight._h, copied.first.weight._h)
        self.assertNotEqual(copied.first.weight._h, net.first.weight._h)

    def test_copies(self):
        net = Net().eval()
        copied, state = copy.deepcopy(net), copy.deepcopy(net.state_dict())
        x = fa.randn(2, 4)
        before = net(x).tolist()
        with fa.no_grad():
            for p in net.parameters():
                p.fill_(7)
        self.assertEqual(copied(x).tolist(), before)
        self.assertEqual((type(copied), copied.training, type(copied.first)), (Net, False, nn.Linear))
        net.load_state_dict(state)
        self.assertEqual(net(x).tolist(), before)
        self.assertRaises(TypeError, copy.copy, net)
        self.assertRaises(TypeError, pickle.dumps, x)
        self.assertEqual(copy.copy(x)._h, x._h)
        self.assertRaises(fa.Error, copy.deepcopy, net(x))

    def test_apply_and_settings(self):
        net, seen = Net(), []
        self.assertIs(net.apply(lambda m: seen.append(type(m).__name__)), net)
        self.assertEqual(seen, ['Linear', 'ReLU', 'Linear', 'Sequential', 'Net'])
        net.requires_grad_(False)
        self.assertFalse(any(p.requires_grad for p in net.parameters()))
        data = fa.ones(3)
        net.scale = nn.Parameter(data)
        self.assertEqual({t.dtype for t in net.double().state_dict().values()}, {fa.f64})
        self.assertEqual(net.to('cpu', dtype=fa.float16).offset.dtype, fa.f16)
        self.assertEqual(net.to(fa.ones(1)).scale.dtype, fa.f32)

    def test_states(self):
        net, state = Net(), Net().state_dict()
        self.assertEqual(net.load_state_dict(state), ([], []))
        del state['scale']
        state['other'] = fa.ones(1)
        self.assertRaisesRegex(KeyError, "scale.*other", net.load_state_dict, state)
        self.assertEqual(net.load_state_dict(state, strict=False), (['scale'], ['other']))
        state['first.weight'] = fa.ones(8, 5)
        with self.assertRaisesRegex(fa.Error, r'first\.weight is \(8, 4\).*\(8, 5\)'):
            net.load_state_dict(state, strict=False)

    def test_containers(self):
        layer = nn.Linear(2, 2)
        shared = nn.Sequential(layer, layer, nn.Linear(2, 3))
        self.assertEqual((len(shared), len(shared.parameters()), shared(fa.ones(1, 2)).shape), (3, 4, (1, 3)))
        self.assertEqual(len(shared[:2]), 2)
        named = nn.Sequential({'in': layer, 'out': nn.ReLU()})
        self.assertEqual([n for n, _ in named[1:].named_children()], ['out'])
        listed = nn.ModuleList([layer]).append(nn.ReLU()).extend([Net(), Net()])
        self.assertEqual(([type(m) for m in listed], type(listed[-1]), len(listed[1:])),
                         ([nn.Linear, nn.ReLU, Net, Net], Net, 3))
        several = nn.ModuleDict({'a': layer})
        several['b'] = Net()
        self.assertEqual((list(several), 'b' in several, type(several['b']), several.a), (['a', 'b'], True, Net, layer))
        self.assertIn('b.scale', several.state_dict())

        class Block(nn.Sequential):
            def __init__(self, width):
                super().__init__(nn.Linear(width, width), nn.ReLU())

        self.assertEqual(nn.Sequential(Block(3), lambda x: x + 1)(fa.ones(2, 3)).shape, (2, 3))
        self.assertEqual(nn.Sequential(nn.Identity(), nn.Dropout()).eval()(fa.ones(2)).tolist(), [1, 1])  # operands come back

    def test_mistakes(self):
        class Early(nn.Module):
            def __init__(self):
                self.layer = nn.Linear(1, 1)

        self.assertRaisesRegex(AttributeError, r'super\(\).__init__\(\)', Early)
        with self.assertRaisesRegex(TypeError, 'no other forward'):
            class Mine(nn.Linear):
                def forward(self, x):
                    return x
        self.assertRaises(NotImplementedError, nn.Module(), fa.ones(1))
        self.assertRaisesRegex(TypeError, 'padding_modes', nn.Conv2d, 1, 1, 1, padding_modes='zeros')
        self.assertRaisesRegex(TypeError, 'weights', nn.CrossEntropyLoss, weights=None)
        net = Net()
        self.assertRaises(fa.Error, setattr, net, 'me', net)
        with self.assertRaisesRegex(fa.Error, r'^test_modules.py:\d+: linear\(x=\(1, 5\).*x has 5 features'):
            net(fa.ones(1, 5))

    def test_summary(self):
        text = io.StringIO()
        fa.summary(Net(), input_size=(1, 4), file=text)
        self.assertRegex(text.getvalue(), r'(?s)Net.*first: linear.*parameters: 70')
        threads = fa.get_num_threads()
        fa.set_num_threads(1)
        self.assertEqual(fa.get_num_threads(), 1)
        fa.set_num_threads(threads)
        self.assertEqual((fa.is_available('cpu'), fa.is_available('tpu')), (True, False))

    def test_blocks_that_are_decorators(self):
        w = fa.ones(2, requires_grad=True)

        @fa.no_grad()
        def twice(x):
            with fa.enable_grad():
                self.assertTrue((w * 2).requires_grad)
            return x * 2

        self.assertFalse(twice(w).requires_grad or twice(w).requires_grad)
        for block in (fa.set_grad_enabled(False), fa.inference_mode()):
            with block:
                self.assertFalse((w * 2).requires_grad)
        with fa.autocast('cpu', enabled=False):
            self.assertEqual(fa.matmul(fa.ones(2, 2), fa.ones(2, 2)).dtype, fa.f32)
        with fa.amp.autocast('cuda'):
            self.assertEqual(fa.matmul(fa.ones(2, 2), fa.ones(2, 2)).dtype, fa.f16)

    def test_scaler(self):
        w = fa.ones(2, requires_grad=True)
        opt, scaler = fa.optim.SGD([w], lr=1), fa.amp.GradScaler('cpu', init_scale=8.0)
        scaler.scale((w * 2).sum()).backward()
        scaler.unscale_(opt)
        self.assertEqual(w.grad.tolist(), [2, 2])
        scaler.step(opt)
        scaler.update()
        self.assertEqual((w.tolist(), scaler.get_scale(), scaler.is_enabled()), ([-1, -1], 8, True))
        other = fa.amp.GradScaler(init_scale=4.0)
        other.load_state_dict(scaler.state_dict())
        self.assertEqual(other.get_scale(), 8)
        scaler.set_growth_factor(4)
        scaler.set_backoff_factor(0.25)
        scaler.set_growth_interval(1)
        self.assertEqual((scaler.get_growth_factor(), scaler.get_backoff_factor(), scaler.get_growth_interval()), (4, 0.25, 1))
        scaler.scale((w * 2).sum()).backward()
        scaler.step(opt)
        scaler.update()
        self.assertEqual(scaler.get_scale(), 32)
        for wrong in (lambda: scaler.set_growth_factor(1), lambda: scaler.set_backoff_factor(1),
                      lambda: scaler.set_growth_interval(0)):
            self.assertRaises(fa.Error, wrong)
        self.assertEqual((scaler.get_growth_factor(), scaler.get_backoff_factor(), scaler.get_growth_interval()), (4, 0.25, 1))

    def test_gradients(self):
        x = fa.tensor(3.0, requires_grad=True)
        g, = fa.autograd.grad(x ** 3, x, create_graph=True)
        self.assertEqual((g.item(), fa.autograd.grad(g, [x])[0].item()), (27, 18))
        self.assertEqual(x.data.requires_grad, False)
        x.data = fa.tensor(2.0)
        self.assertEqual((x.item(), x.device.type, x.device.index, x.is_leaf), (2, 'cpu', None, True))
        self.assertEqual((fa.device('cuda', 1), fa.device('cuda:1').index, fa.device('cpu')), ('cuda:1', 1, x.device))


class Steps(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return fa.tensor([float(i)]), i, i * 10


class Data(Case):
    def test_loaders(self):
        for workers in (0, 2):
            loader = DataLoader(Steps(), batch_size=4, num_workers=workers, pin_memory=True)
            self.assertEqual([[part.tolist() for part in batch] for batch in loader],
                             [[[[0], [1], [2], [3]], [0, 1, 2, 3], [0, 10, 20, 30]], [[[4], [5]], [4, 5], [40, 50]]])
            self.assertEqual((len(loader), len(loader.dataset)), (2, 6))
        self.assertEqual([x.tolist() for x in DataLoader([1.0, 2.0, 3.0], batch_size=2, drop_last=True)], [[1, 2]])
        (x,), = DataLoader(TensorDataset(fa.arange(3)), batch_size=3)
        self.assertEqual(x.tolist(), [0, 1, 2])
        self.assertEqual([part.item() for part in TensorDataset(fa.arange(3), fa.ones(3))[2]], [2, 1])
        self.assertRaisesRegex(TypeError, 'unknown', DataLoader, Steps(), unknown=1)

    def test_batches_by_functions(self):
        words = ['a', 'bcd', 'ef', 'ghij', 'k']
        for workers in (0, 2):
            loader = DataLoader(words, batch_size=2, collate_fn=lambda batch: {'text': batch, 'n': [len(w) for w in batch]},
                                num_workers=workers)
            self.assertEqual([b['n'] for b in loader], [[1, 3], [2, 4], [1]])
            self.assertEqual((len(loader), loader.dataset), (3, words))
        self.assertEqual(len(DataLoader(words, batch_size=2, collate_fn=list, drop_last=True)), 2)
        batch = next(iter(DataLoader([{'x': fa.ones(2), 'y': (1, 'a'), 'z': 0.5}] * 3, batch_size=3, collate_fn=default_collate)))
        self.assertEqual((batch['x'].shape, batch['y'][0].tolist(), batch['y'][1], batch['z'].dtype),
                         ((3, 2), [1, 1, 1], ['a', 'a', 'a'], fa.f32))
        self.assertRaises(ValueError, default_collate, [[1], [1, 2]])

        def padded(samples):
            x, y = zip(*samples)
            return nn.utils.rnn.pad_sequence(x, batch_first=True), fa.tensor(y)
        sequences = [(fa.ones(1 + i % 3), i) for i in range(6)]
        for workers in (0, 2):
            seen = [(x.shape, y) for x, y in DataLoader(sequences, 3, shuffle=True, collate_fn=padded, num_workers=workers)]
            self.assertEqual(sorted(fa.cat([y for _, y in seen]).tolist()), list(range(6)))
            for shape, y in seen:
                self.assertEqual(shape, (3, 1 + max(i % 3 for i in y.tolist())))
        for workers in (0, 2):
            with self.assertRaisesRegex(ZeroDivisionError, 'division'):
                list(DataLoader(words, collate_fn=lambda batch: 1 / 0, num_workers=workers))

    def test_generators(self):
        g = fa.Generator().manual_seed(3)
        fa.manual_seed(1)
        first, second = fa.rand(4, generator=g), fa.zeros(4).normal_(generator=g)
        state = g.get_state()
        self.assertEqual((g.initial_seed(), state), (3, (3, 2)))
        third = fa.randint(100, (4,), generator=g)
        g.set_state(state)
        with g, fa.Generator():
            fa.rand(4)
        with g:
            self.assertTrue(fa.equal(fa.randint(100, (4,)), third))
        g.manual_seed(3)
        self.assertTrue(fa.equal(fa.rand(4, generator=g), first) and fa.equal(fa.zeros(4).normal_(generator=g), second))
        expected = fa.rand(4)  # the default one has not been used
        fa.manual_seed(1)
        self.assertTrue(fa.equal(fa.rand(4), expected))
        with self.assertRaisesRegex(TypeError, 'a facula.Generator, not int'):
            fa.rand(4, generator=3)

    def test_generators_of_loaders(self):
        def order(seed, **options):
            loader = DataLoader(list(range(20)), batch_size=20, shuffle=True, generator=fa.Generator().manual_seed(seed), **options)
            return next(iter(loader)).tolist()
        for options in {}, {'collate_fn': fa.utils.data.default_collate}:
            self.assertEqual(order(1, **options), order(1, **options))
            self.assertNotEqual(order(1, **options), order(2, **options))
        parts = [[x for x in fa.utils.data.random_split(list(range(20)), [5, 15], fa.Generator().manual_seed(1))[0]]
                 for _ in range(2)]
        self.assertEqual(*parts)
        orders = []
        for seed in range(2):  # of the default generator, which is not drawn from
            fa.manual_seed(seed)
            sampler = fa.utils.data.BatchSampler(fa.utils.data.RandomSampler(list(range(20))), 20)
            loader = DataLoader(list(range(20)), batch_sampler=sampler, generator=fa.Generator().manual_seed(1))
            orders.append(next(iter(loader)).tolist())
        self.assertEqual(*orders)

    def test_generators_in_blocks(self):
        g = fa.Generator().manual_seed(1)
        with g:  # a loader whose batches are made in Python leaves the block's generator as it is
            list(DataLoader(list(range(4)), batch_size=2, collate_fn=fa.utils.data.default_collate))
            before = g.get_state()
            fa.rand(2)
            self.assertNotEqual(g.get_state(), before)
        entered, left = [threading.Event() for _ in range(2)], threading.Event()
        own = [fa.Generator().manual_seed(i) for i in range(2)]
        used = [None, None]

        def draw(i):  # thread 0 enters the block first, and leaves it first
            with own[i]:
                if i:
                    entered[0].wait(60)
                with g:
                    entered[i].set()
                    (left if i else entered[1]).wait(60)
                if not i:
                    left.set()
                state = own[i].get_state()
                fa.rand(2)
                used[i] = own[i].get_state() != state
        threads = [threading.Thread(target=draw, args=(i,)) for i in range(2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(used, [True, True])

    def test_samples_of_other_kinds(self):
        for sample, text in ((({'x': 1}, 2), r'item 0 of it is dict: facula.utils.data.DataLoader\(\)'), ((1, 'cat'), 'item 1 of it is str'),
                             (([1, 'cat'], 2), 'list of int and str'), ((1, None), 'NoneType')):
            with self.assertRaisesRegex(TypeError, text):
                next(iter(fa.data.loader([sample] * 2, batch_size=2)))
        for data, error, text in (([(1, None)] * 2, TypeError, 'is None'), ([fa.ones(1), fa.ones(2)], ValueError, r'\(1,\), \(2,\): a collate_fn'),
                                  (5, TypeError, r'or __iter__\(\): int has not')):
            with self.assertRaisesRegex(error, text):
                next(iter(DataLoader(data, batch_size=2)))
        (one, name), = DataLoader([({'x': 1}, 'cat')] * 2, batch_size=2)
        self.assertEqual((one['x'].tolist(), name), ([1, 1], ['cat', 'cat']))

    def test_samples_that_are_lists(self):
        def batches(samples, make=DataLoader):
            def plain(x):
                return x.tolist() if isinstance(x, fa.Tensor) else [plain(y) for y in x]
            return [plain(b) for b in make(samples, batch_size=2)]
        for data in ([[i, 2 * i] for i in range(3)], [[fa.tensor(i), fa.tensor(2 * i)] for i in range(3)]):
            for make in (DataLoader, fa.data.loader):
                self.assertEqual(batches(data, make), [[[0, 1], [0, 2]], [[2], [4]]])
            parts = Subset(data, [0, 1, 2]), ConcatDataset([data[:1], Subset(data, [1, 2])]), Subset(data[:1], [0]) + data[1:]
            for part in parts:
                self.assertEqual(batches(part), [[[0, 1], [0, 2]], [[2], [4]]])
        self.assertEqual(batches([[fa.ones(1), i] for i in range(2)]), [[[[1], [1]], [0, 1]]])
        self.assertEqual(batches([([fa.ones(1), fa.zeros(1)], i) for i in range(2)]), [[[[[1], [1]], [[0], [0]]], [0, 1]]])
        self.assertEqual(batches([(fa.tensor(i),) for i in range(2)]), [[[0, 1]]])

    def test_samples_that_require_gradients(self):
        x = fa.ones(4, 2, requires_grad=True)
        for part in (TensorDataset(x, fa.arange(4)), Subset(TensorDataset(x, fa.arange(4)), [3, 1])):
            for row, y in DataLoader(part, batch_size=2):
                (row.sum(1) * y).sum().backward()
        self.assertEqual(x.grad.tolist(), [[0, 0], [2, 2], [2, 2], [6, 6]])

    def test_samples_without_batches(self):
        read = []

        class Stream(IterableDataset[int]):
            def __iter__(self):
                for i in range(3):
                    read.append(i)
                    yield [fa.ones(2), i, {'name': 'x'}]
        first = next(iter(DataLoader(Stream(), batch_size=None)))
        self.assertEqual(([first[0].shape, *first[1:]], read), ([(2,), 0, {'name': 'x'}], [0]))
        for workers in (0, 2):
            self.assertEqual([x[1] for x in DataLoader(Stream(), batch_size=None, num_workers=workers)], [0, 1, 2])
        data = TensorDataset(fa.arange(4), fa.arange(4) * 2)
        for source in (data, [(i, 2 * i) for i in range(4)]):
            loader = DataLoader(source, batch_size=None, sampler=[3, 1])
            self.assertEqual(([[int(x) for x in part] for part in loader], len(loader)), ([[3, 6], [1, 2]], 2))
        self.assertEqual([x.tolist() for x in next(iter(DataLoader(data, batch_size=None, sampler=BatchSampler(range(4), 2))))],
                         [[0, 1], [0, 2]])
        self.assertEqual(list(DataLoader([1, 2], batch_size=None, collate_fn=str)), ['1', '2'])
        self.assertEqual(sorted(DataLoader([1, 2, 3], batch_size=None, shuffle=True)), [1, 2, 3])
        self.assertRaisesRegex(ValueError, 'drop_last', DataLoader, data, batch_size=None, drop_last=True)
        self.assertRaisesRegex(ValueError, '1 or more, or None', DataLoader, [1], batch_size=0)

    def test_samplers_of_ones_own(self):
        class Every(fa.utils.data.Sampler[int]):
            def __init__(self, data, step, base):
                if base:
                    super().__init__(data)
                self.numbers = range(0, len(data), step)

            def __iter__(self):
                return iter(self.numbers)

            def __len__(self):
                return len(self.numbers)
        data = TensorDataset(fa.arange(5))
        for base in (False, True):
            sampler = Every(data, 2, base)
            loader = DataLoader(data, batch_size=2, sampler=sampler)
            self.assertEqual(([x.tolist() for x, in loader], len(loader)), ([[0, 2], [4]], 2))
            self.assertIs(loader.sampler, sampler)
        with self.assertRaisesRegex(AttributeError, r'Every, a sampler of Python, goes to facula.utils.data.DataLoader\(\)'):
            fa.data.loader(data, sampler=sampler)

    def test_workers_and_joined_datasets(self):
        class Who(Dataset):
            def __len__(self):
                return 8

            def __getitem__(self, i):
                info = fa.utils.data.get_worker_info()
                return info.id, info.num_workers, info.dataset is self
        begun = []
        loader = DataLoader(Who(), batch_size=8, num_workers=2, worker_init_fn=begun.append, multiprocessing_context='spawn')
        (number, of, same), = loader
        self.assertEqual((of.tolist(), same.tolist(), set(number.tolist()) <= {0, 1}, set(begun) <= {0, 1}, bool(begun)),
                         ([2] * 8, [True] * 8, True, True, True))
        self.assertIsNone(fa.utils.data.get_worker_info())
        with self.assertRaises(ZeroDivisionError):
            list(DataLoader([1, 2], num_workers=1, worker_init_fn=lambda number: 1 / 0))
        for name, value in (('batch_size', 3), ('dataset', []), ('drop_last', True)):
            with self.assertRaisesRegex(ValueError, name):
                setattr(loader, name, value)

        class Count(IterableDataset):
            def __iter__(self):
                return iter((0, 1))
        self.assertEqual([list(x) for x in (Count() + Count(), fa.utils.data.ChainDataset([Count(), [5]]))], [[0, 1, 0, 1], [0, 1, 5]])
        self.assertEqual([len(d + d) for d in (Who(), TensorDataset(fa.arange(4)), Subset([1, 2], [0]))], [16, 8, 2])
        stack = fa.utils.data.StackDataset([1, 2], 'ab')
        self.assertEqual((stack[1], len(stack), fa.utils.data.StackDataset(x=[1, 2])[0]), ((2, 'b'), 2, {'x': 1}))
        self.assertRaisesRegex(ValueError, 'lengths', fa.utils.data.StackDataset, [1], [1, 2])

    def test_lines_of_recorded_operations(self):
        w = fa.ones(3, requires_grad=True)

        def wrong():
            y = fa.relu(w)
            z = y * y  # the line that is named
            y += 1
            z.sum().backward()
        with self.assertRaisesRegex(fa.Error, r'backward of mul: x .*detect_anomaly\(\) names the line'):
            wrong()
        line = wrong.__code__.co_firstlineno + 2
        with fa.autograd.detect_anomaly(), self.assertRaisesRegex(fa.Error, rf'recorded at test_modules\.py:{line}: x was changed'):
            wrong()
        with fa.autograd.detect_anomaly(), self.assertRaisesRegex(fa.Error, r'^test_modules\.py:\d+: matmul\('):
            fa.matmul(fa.ones(2, 3), fa.ones(2, 3))
        with self.assertRaisesRegex(fa.Error, r'backward of mul: x .*names the line'):
            wrong()

    def test_random_numbers_of_batches(self):
        def seen(workers):
            fa.manual_seed(5)
            loader = DataLoader(list(range(8)), 2, shuffle=True, collate_fn=lambda b: (b, fa.rand(2).tolist()), num_workers=workers)
            return [b for _ in range(2) for b in loader]
        self.assertEqual(seen(0), seen(3))
        self.assertNotEqual(seen(0)[:4], seen(0)[4:])
        fa.manual_seed(5)
        self.assertNotEqual(fa.rand(2).tolist(), seen(0)[0][1])

    def test_samplers(self):
        fa.manual_seed(1)
        weights = [0.0, 1.0, 0.0, 3.0]
        drawn = fa.cat(list(DataLoader(fa.arange(4).tolist(), 4, sampler=WeightedRandomSampler(weights, 400)))).tolist()
        self.assertEqual((len(drawn), set(drawn)), (400, {1, 3}))
        self.assertTrue(250 < drawn.count(3) < 350)
        self.assertEqual(sorted(WeightedRandomSampler(weights, 2, replacement=False)), [1, 3])
        self.assertEqual(sorted(DataLoader(Steps(), sampler=SubsetRandomSampler([4, 2])), key=lambda b: b[1].item())[1][1].tolist(), [4])
        self.assertEqual(sorted(RandomSampler(range(9))), list(range(9)))
        self.assertNotEqual(list(RandomSampler(range(99))), list(RandomSampler(range(99))))
        self.assertEqual((len(RandomSampler(range(9), True, 20)), list(SequentialSampler(range(3)))), (20, [0, 1, 2]))
        self.assertEqual(fa.sampler.stratified(fa.tensor([0, 1, 0, 1])).order(seed=1).shape, (4,))
        self.assertEqual([b[1].tolist() for b in DataLoader(Steps(), 2, sampler=[5, 3, 1])], [[5, 3], [1]])
        batches = BatchSampler(SequentialSampler(range(5)), 2)
        loader = DataLoader(Steps(), batch_sampler=batches)
        self.assertRaises(IndexError, list, DataLoader([1, 2], batch_sampler=batches))
        self.assertEqual(([b[1].tolist() for b in loader], len(loader)), ([[0, 1], [2, 3], [4]], 3))
        self.assertEqual([len(BatchSampler(range(5), 2, drop_last=d)) for d in (False, True)], [3, 2])
        self.assertRaises(ValueError, DataLoader, Steps(), shuffle=True, sampler=[1])
        self.assertRaises(fa.Error, WeightedRandomSampler, [1.0, -1.0], 2)

    def test_datasets_that_are_iterated(self):
        class Count(IterableDataset):
            def __iter__(self):
                return ((float(i), str(i)) for i in range(5))
        self.assertEqual([(x.tolist(), y) for x, y in DataLoader(Count(), 2, num_workers=1)],
                         [([0, 1], ['0', '1']), ([2, 3], ['2', '3']), ([4], ['4'])])
        self.assertRaises(ValueError, DataLoader, Count(), shuffle=True)

    def test_parts(self):
        self.assertEqual([Subset(Steps(), [4, 1])[i][1] for i in (0, 1)], [4, 1])
        parts = random_split(Steps(), [0.5, 0.5])
        self.assertEqual(sorted(part[i][1] for part in parts for i in range(3)), list(range(6)))
        self.assertEqual([len(part) for part in random_split(Steps(), [1, 5])], [1, 5])
        self.assertEqual([len(part) for part in random_split(Steps(), [0.4, 0.4, 0.2])], [3, 2, 1])
        for wrong in ([1, 2], [0.4, 0.4], [1.5, -0.5], [7, -1], [0.5, 5.5]):
            self.assertRaises(ValueError, random_split, Steps(), wrong)
        with self.assertWarnsRegex(UserWarning, 'empty') as warned:
            random_split(Steps(), [6, 0])
        self.assertEqual(warned.filename, __file__)
        self.assertEqual(len(ConcatDataset([Steps(), Steps()])), 12)
        changed = fa.transform.Compose([lambda x: x + 1, fa.transform.Normalize([0.5], [0.5])])
        self.assertEqual(changed(fa.ones(1, 1, 2, 2)).flatten().tolist(), [3, 3, 3, 3])

    def test_warnings(self):
        program = textwrap.dedent('''
            import sys
            import facula as fa
            w = fa.ones(2, requires_grad=True)
            optimizer = fa.optim.SGD([w], lr=0.1)
            def step():
                w.sum().backward()
                optimizer.step()
            try:
                for _ in range(3):
                    step()
                print((w * 2).grad)
            except UserWarning as e:
                print("caught", e)
        ''')
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'train.py'
            path.write_text(program)

            def run(*options):
                environment = {k: v for k, v in os.environ.items() if k not in ('FACULA_LOG', 'PYTHONWARNINGS')}
                made = subprocess.run([sys.executable, *options, path], capture_output=True, text=True, env=environment)
                self.assertEqual(made.returncode, 0, made.stderr)
                return made.stdout, made.stderr
            printed, warned = run()
            self.assertEqual(printed, 'None\n')
            self.assertIn(f'{path}:8: UserWarning: optimizer.step(): gradients contain those of the step before', warned)
            self.assertIn('optimizer.zero_grad() before backward() removes them (t.grad = t.grad says', warned)
            self.assertIn(f'{path}:12: UserWarning: .grad: only leaves', warned)
            self.assertEqual(warned.count('UserWarning'), 2)
            self.assertEqual(run('-W', 'ignore'), ('None\n', ''))
            self.assertTrue(run('-W', 'error')[0].startswith('caught optimizer.step(): gradients'))

    def test_one_image(self):
        image = fa.arange(48).float().reshape(3, 4, 4)
        for made in (fa.transform.Normalize([1.0], [2.0]), fa.transform.Compose([lambda x: x - 1, lambda x: x / 2])):
            self.assertTrue(fa.equal(made(image), (image - 1) / 2))
            self.assertTrue(fa.equal(made(image.unsqueeze(0)), (image.unsqueeze(0) - 1) / 2))
        crop = fa.transform.CenterCrop(2)
        self.assertEqual(crop(image).shape, (3, 2, 2))
        self.assertEqual(fa.transform.Compose([crop, fa.transform.Normalize([0.0], [1.0])])(image).shape, (3, 2, 2))

    def test_schedule_before_the_optimizer(self):
        def schedule():
            return fa.optim.lr_scheduler.StepLR(fa.optim.SGD([fa.ones(1, requires_grad=True)], lr=1), 1)
        for _ in range(2):  # each optimizer has its own
            s = schedule()
            with self.assertWarnsRegex(UserWarning, r'^scheduler.step\(\) comes before optimizer.step\(\)') as warned:
                s.step()
            self.assertEqual(len(warned.warnings), 1)  # and none of the library besides
        s = schedule()
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            s.optimizer.step()
            s.step()

    def test_text_of_transforms(self):
        t = fa.transform
        for made, text in ((t.RandomCrop(32, padding=4), 'RandomCrop(size=32, padding=4)'),
                           (t.to_tensor(), 'ToTensor()'),
                           (copy.deepcopy(t.Normalize([0.5], std=[0.2])), 'Normalize(mean=[0.5], std=[0.2])'),
                           (t.RandomApply(t.Grayscale(), 0.3), 'RandomApply(transform=Grayscale(), p=0.3)'),
                           (t.Compose([t.CenterCrop(2)]), 'Compose(\n  (0): CenterCrop(size=2)\n)')):
            self.assertEqual(repr(made), text)

    def test_transforms_of_the_digits(self):
        crop = fa.transform.Compose([nn.Unflatten(1, (1, 8, 8)), fa.transform.CenterCrop(4)])
        plain = fa.data.digits(train=False)
        self.assertTrue(fa.equal(fa.data.digits(train=False, transform=crop)[5][0], plain[5][0].view(1, 8, 8)[:, 2:6, 2:6]))
        self.assertTrue(fa.equal(fa.data.digits(transform=lambda x: 1 - x, train=False)[5][0], 1 - plain[5][0]))

    def test_modules_in_plain_lists(self):
        net = nn.Module()
        with self.assertWarnsRegex(UserWarning, 'blocks: modules in a plain list .* nn.ModuleList') as warned:
            net.blocks = [nn.Linear(2, 2)]
        self.assertEqual(warned.filename, __file__)
        with self.assertWarnsRegex(UserWarning, 'nn.ModuleDict'):
            net.named = {'a': nn.Linear(2, 2)}
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            net.sizes, net.right = [2, 2], nn.ModuleList([nn.Linear(2, 2)])
            net.parts = [net, net.right[0]]
            net.again = [*net.blocks, *net.named.values()]  # which have had their warning
            copy.deepcopy(net)
            net.teachers = [nn.Linear(2, 2).eval()]
        with self.assertRaisesRegex(TypeError, r'Sequential\(\*modules\)'):
            nn.Sequential([nn.Linear(2, 2)])

    def test_names_in_errors(self):
        for in_c, here in (('fa_nn_conv2d: 3', 'nn.conv2d: 3'), ('fa_no_such_thing: x', 'fa_no_such_thing: x'),
                           ('fa_load_file: folder/fa_sum: x', 'load_file: folder/fa_sum: x'),
                           ('fa_data_csv: fa_sum: x', 'data.csv: fa_sum: x'), ('fa_add(a) and fa_sum.csv', 'add(a) and fa_sum.csv'),
                           ('fa_optim_sgd: .lr is 2.5', 'optim.sgd: lr is 2.5'), ('see fa_grad_of.', 'see autograd.grad.'),
                           ('call fa_backward(fa_scaler_scale(scaler, loss))', 'call backward(scaler.scale(loss))'),
                           ('load_file: `runs/fa_optim_step.npz`: no', 'load_file: `runs/fa_optim_step.npz`: no'),
                           ('conv2d: .padding = true is; FA_USE(.no_grad = true) allows it', 'conv2d: padding=True is; with no_grad(): allows it'),
                           ('after fa_module_train(net, false) one is enough', 'after net.eval() one is enough'),
                           ('FA_USE(.fallback = true) runs it', 'with use(fallback=True): runs it'),
                           ('train.py:4: fa_get((3, 4) f32 cpu, "5"): 5', 'train.py:4: getitem((3, 4) f32 cpu, "5"): 5'),
                           ('fa_index_put_(x=()): 5', 'setitem(x=()): 5'), ('fa_item: one', 'item(): one'),
                           ('fa_set(x, "0"): no', 'setitem(x, "0"): no'),
                           ('meta: fa_cpu() copies, fa_to converts', 'meta: .cpu() copies, .to() converts'),
                           ('fa_dataset_get: no 7', 'dataset[...]: no 7'), ('fa_device_of("tpu"): none', 'device("tpu"): none'),
                           ('fa_loader_begin: an epoch', 'iter(loader): an epoch'), ('fa_sampler_order: -1', 'sampler.order(): -1'),
                           ('fa_optim_set_option: no x', 'optimizer.param_groups: no x'),
                           ('fa_set_requires_grad: not i64', '.requires_grad: not i64'),
                           ('fa_clip_grad_norm: max_norm', 'nn.utils.clip_grad_norm_: max_norm'),
                           ('or from a gradient that .grad gives: (3,)', 'or from a gradient, as backward(gradient): (3,)'),
                           ('neither x.gz nor .gz; call fa_module_to(module, x)', 'neither x.gz nor .gz; call module.to(x)'),
                           ('.dtype is FA_F32: FA_USE(.placement = FA_PLACE_AUTO) copies', 'dtype is f32: with use(placement="auto"): copies'),
                           ('fa_grad: none; fa_backward() and fa_optim_zero_grad(optimizer) do',
                            '.grad: none; backward() and optimizer.zero_grad() do')):
            self.assertEqual(_library._in_python(in_c), here)

    def test_files(self):
        net = Net()
        opt = fa.optim.AdamW(net.parameters())
        schedule = fa.optim.lr_scheduler.StepLR(opt, 1)
        net(fa.ones(1, 4)).sum().backward()
        opt.step()
        schedule.step()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'checkpoint.pt')
            fa.save({'net': net.state_dict(), 'opt': opt.state_dict(), 'schedule': schedule.state_dict(),
                     'more': {'epoch': 3, 'text': ['a', (1.5, None, True)]}}, path)
            state = fa.load(path, map_location='cpu', weights_only=True)
            self.assertEqual(state['more'], {'epoch': 3, 'text': ['a', (1.5, None, True)]})
            other = Net()
            other.load_state_dict(state['net'])
            opt = fa.optim.AdamW(other.parameters())
            opt.load_state_dict(state['opt'])
            self.assertAlmostEqual(opt.param_groups[0]['lr'], 1e-4)
            self.assertEqual(other.first.weight.tolist(), net.first.weight.tolist())
            self.assertRaises(TypeError, fa.save, {'f': print}, path)


class Memory(ctypes.Structure):
    _fields_ = [('allocated', ctypes.c_size_t), ('others', ctypes.c_size_t * 30)]


class Own(Case):
    """Optimizers and schedules in Python."""

    def optimizer(self, params, **options):
        class Plain(fa.optim.Optimizer):
            def __init__(self, params, lr=0.1, rho=0.5):
                super().__init__(params, dict(lr=lr, rho=rho))

            @fa.no_grad()
            def step(self):
                for group in self.param_groups:
                    for p in group['params']:
                        if p.grad is not None:
                            mean = self.state[p].setdefault('mean', fa.zeros_like(p))
                            mean.mul_(group['rho']).add_(p.grad)
                            p.sub_(group['lr'] * mean)
        return Plain(params, **options)

    def test_optimizers(self):
        def trained(make):
            fa.manual_seed(1)
            net = nn.Linear(2, 1)
            opt = make(net.parameters())
            rate = fa.optim.lr_scheduler.StepLR(opt, 1, 0.5)
            for _ in range(3):
                opt.zero_grad()
                net(fa.ones(3, 2)).square().sum().backward()
                opt.step()
                rate.step()
            return net.weight, opt
        w, opt = trained(self.optimizer)
        v, _ = trained(lambda params: fa.optim.SGD(params, lr=0.1, momentum=0.5))
        self.assertTrue(fa.allclose(w, v))
        self.assertEqual((repr(opt), opt.param_groups[0]['rho']), ('Plain: 2 parameters with lr 0.0125', 0.5))
        file = io.BytesIO()
        fa.save({'optimizer': opt.state_dict()}, file)
        file.seek(0)
        state = fa.load(file)['optimizer']
        self.assertEqual(state['param_groups'], [{'params': [0, 1], 'lr': 0.0125, 'rho': 0.5}])
        other = self.optimizer(nn.Linear(2, 1).parameters())
        other.load_state_dict(state)
        self.assertEqual((other.lr, other.state[other.param_groups[0]['params'][0]]['mean'].tolist()),
                         (0.0125, state['state'][0]['mean'].tolist()))
        groups = self.optimizer([{'params': [w], 'lr': 0.5}, {'params': [v], 'rho': 0.1}])
        self.assertEqual([(g['lr'], g['rho']) for g in groups.param_groups], [(0.5, 0.5), (0.1, 0.1)])
        self.assertRaisesRegex(ValueError, r'groups of \[2\] parameters', groups.load_state_dict, state)
        self.assertRaisesRegex(TypeError, 'bf16 needs no GradScaler', fa.amp.GradScaler().step, opt)

    def test_schedules(self):
        class WarmUp(fa.optim.lr_scheduler.LRScheduler):
            def __init__(self, optimizer, steps, last_epoch=-1):
                self.steps = steps
                super().__init__(optimizer, last_epoch)

            def get_lr(self):
                return [lr * min(1, (self.last_epoch + 1) / self.steps) for lr in self.base_lrs]
        for opt in (self.optimizer([fa.ones(1, requires_grad=True)], lr=1), fa.optim.Adam([fa.ones(1, requires_grad=True)], lr=1)):
            rate = WarmUp(opt, 4)
            self.assertEqual((rate.get_last_lr(), rate.last_epoch), ([0.25], 0))
            rate.step()
            self.assertEqual((rate.get_last_lr(), opt.lr), ([0.5], 0.5))
            other = WarmUp(fa.optim.SGD([fa.ones(1, requires_grad=True)], lr=3), 9)
            other.load_state_dict(rate.state_dict())
            self.assertEqual((other.last_epoch, other.steps, other.base_lrs), (1, 4, [1]))
            self.assertRaisesRegex(TypeError, 'WarmUp, which is of Python', fa.optim.lr_scheduler.ChainedScheduler, [rate])

    def test_groups(self):
        opt = fa.optim.Adam([fa.ones(1, requires_grad=True)], lr=1)
        group, = opt.param_groups
        group.update({'lr': 0.5}, betas=(0.5, 0.75))
        self.assertEqual((group['lr'], group['betas'], group['beta2'], group.get('momentum'), 'eps' in group, group['amsgrad'] is False),
                         (0.5, (0.5, 0.75), 0.75, None, True, True))
        self.assertEqual(list(group)[:3], ['params', 'lr', 'betas'])
        self.assertRaisesRegex(KeyError, 'no option "momentum"', lambda: group['momentum'])
        with self.assertRaisesRegex(fa.Error, r'^test_modules.*no option "momentum"'):
            group.update(momentum=1)
        self.assertRaisesRegex(TypeError, r'copy.deepcopy\(optimizer.state_dict\(\)\)', copy.deepcopy, opt)
        self.assertRaisesRegex(AttributeError, r'state_dict\(\) gives it', lambda: opt.state)

        class Bare(fa.optim.Optimizer):
            def __init__(self):
                pass
        self.assertRaisesRegex(AttributeError, r'Bare.__init__\(\) calls super', Bare().zero_grad)

    def test_files_that_are_open(self):
        net = nn.Sequential(nn.Linear(1, 2), nn.BatchNorm1d(2))
        for what in (net, net.state_dict()):
            file = io.BytesIO()
            fa.save(what, file)
            file.seek(0)
            self.assertEqual(list(fa.load(file)), list(net.state_dict()))  # in this order
            file.seek(0)
            fa.load(net, file)

    def test_normal_of_a_size(self):
        fa.manual_seed(1)
        x = fa.normal(3.0, 0.1, (1000, 2))
        self.assertEqual((x.shape, round(x.mean().item(), 1), round(x.std().item(), 1)), ((1000, 2), 3, 0.1))
        self.assertEqual(fa.normal(fa.zeros(3), 1.0, generator=fa.Generator()).shape, (3,))


class Lifetimes(Case):
    def held(self):
        """Bytes of tensors, and objects that are held for the library."""
        gc.collect()
        stats = _library._declare('fa_memory_stats', Memory, [_library.Device])
        return (stats(_library._device('cpu')).allocated, len(_callbacks._held), len(_modules._outlived),
                len(_modules._networks), len(_modules._by_handle), in_scopes())

    def test_children_without_parents(self):
        net = Net()
        first, rest, last = net.first, net.rest, net.rest[1]
        del net
        gc.collect()
        self.assertEqual((rest(first(fa.ones(2, 4))).shape, last.weight.shape), ((2, 3), (3, 8)))
        outer = nn.Sequential(Net(), nn.ReLU())
        inner = outer[0]
        del outer
        gc.collect()
        self.assertEqual((type(inner), inner(fa.ones(1, 4)).shape), (Net, (1, 3)))

    def test_parents_without_names_of_children(self):
        net, layer = Net(), nn.Linear(4, 8)
        net.first = layer
        del layer
        gc.collect()
        self.assertEqual((net(fa.ones(2, 4)).shape, type(net.first)), ((2, 3), nn.Linear))

    def test_cycles(self):
        net = Net()
        net.friends, net.function = [net], lambda: net  # noqa: F821
        again = weakref.ref(net)
        del net
        gc.collect()
        self.assertIsNone(again())

    def test_what_only_the_library_has(self):
        data = fa.data.transformed(fa.data.digits(), nn.Sequential(lambda x: x * 2, nn.Identity()))
        gc.collect()
        self.assertEqual(data[0][0].shape, (64,))

    def test_parameters_of_an_optimizer(self):
        net = Net()
        opt = fa.optim.Adam(net.parameters(), lr=0.1)
        rate = fa.optim.lr_scheduler.LambdaLR(opt, lambda epoch: 0.5 ** epoch)
        schedule = fa.optim.lr_scheduler.SequentialLR(opt, [rate], [])
        loss = net(fa.ones(1, 4)).sum()
        del net, rate
        gc.collect()
        loss.backward()
        opt.step()
        del opt, loss
        gc.collect()
        schedule.step()
        self.assertEqual(schedule.get_last_lr(), [0.05])

    def test_recurrent_layers(self):
        net = nn.LSTM(3, 4, num_layers=2)
        y, (h, c) = net(fa.ones(5, 2, 3))
        weight = net.weight_hh_l1
        del net, h, c
        gc.collect()
        y.sum().backward()
        self.assertEqual(weight.grad.shape, (16, 4))

    def test_attention(self):
        x = fa.randn(2, 5, 8)
        net = nn.MultiheadAttention(8, 2, batch_first=True)
        y, weights = net(x, x, x, key_padding_mask=[[False] * 5, [False, False, True, True, True]])
        self.assertEqual((y.shape, weights.shape), ((2, 5, 8), (2, 5, 5)))
        self.assertEqual(weights[1, :, 2:].abs().max().item(), 0)
        self.assertIsNone(net(x, x, x, need_weights=False)[1])
        self.assertEqual(net(x, x, x, average_attn_weights=False)[1].shape, (2, 2, 5, 5))
        self.assertRaises(fa.Error, nn.MultiheadAttention, 8, 3)
        self.assertRaises(fa.Error, net, x, x, x, attn_mask=fa.zeros(4, 5))

    def test_transformers(self):
        x, memory = fa.randn(2, 5, 8), fa.randn(2, 3, 8)
        encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, 0, batch_first=True), 2, norm=nn.LayerNorm(8))
        decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, 0, batch_first=True), 2)
        self.assertIn('layers.1.self_attn.in_proj_weight', encoder.state_dict())
        self.assertIn('layers.0.multihead_attn.out_proj.bias', decoder.state_dict())
        later = fa.triu(fa.ones(5, 5, dtype=fa.bool), 1)
        self.assertTrue(fa.allclose(encoder(x, mask=later), encoder(x, is_causal=True)))
        self.assertTrue(fa.allclose(decoder(x, memory, tgt_mask=later), decoder(x, memory, tgt_is_causal=True)))
        changed = fa.cat([x[:, :4], x[:, 4:] + 1], 1)
        self.assertTrue(fa.allclose(encoder(x, is_causal=True)[:, :4], encoder(changed, is_causal=True)[:, :4]))
        self.assertFalse(fa.allclose(encoder(x)[:, :4], encoder(changed)[:, :4]))
        decoder(x, encoder(x)).sum().backward()
        self.assertTrue(all(p.grad is not None for p in encoder.parameters()))
        self.assertRaises(fa.Error, nn.TransformerEncoder, nn.TransformerDecoderLayer(8, 2), 2)

        more = nn.MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True, batch_first=True)
        self.assertEqual(more(x, x, x)[1].shape, (2, 5, 7))
        self.assertEqual([n for n, _ in more.named_parameters()],
                         ['in_proj_weight', 'in_proj_bias', 'bias_k', 'bias_v', 'out_proj.weight', 'out_proj.bias'])
        both = nn.Transformer(8, 2, 1, 1, 16, 0, batch_first=True)
        self.assertTrue(fa.allclose(both(memory, x, tgt_mask=nn.Transformer.generate_square_subsequent_mask(5)),
                                    both(memory, x, tgt_is_causal=True)))
        self.assertFalse(fa.allclose(both(memory, x), both(memory, x, tgt_is_causal=True)))

    def test_recurrent_layers_are_layers_of_the_library(self):
        x = fa.randn(5, 2, 3)
        net = nn.LSTM(3, 4, batch_first=True)
        self.assertIs(nn.lstm, nn.LSTM)
        self.assertEqual((net.input_size, net.bias, net.batch_first, nn.GRU(3, 4, bias=False).bias), (3, True, True, False))
        twin = copy.deepcopy(net)
        self.assertEqual(twin(x)[0].tolist(), net(x)[0].tolist())
        self.assertEqual(nn.Sequential(net, nn.Linear(4, 2))(x).shape, (5, 2, 2))
        self.assertEqual([n for n, _ in net.named_parameters()],
                         ['weight_ih_l0', 'weight_hh_l0', 'bias_ih_l0', 'bias_hh_l0'])
        for wrong in ((fa.ones(3, 2, 4),), (x, fa.zeros(1, 5, 4)), (x, (fa.zeros(1, 2, 4), fa.zeros(1, 5, 4)))):
            self.assertRaises((fa.Error, ValueError, TypeError), net, *wrong)
        self.assertRaises(TypeError, nn.GRU, 3, 4, proj_size=2)

        class Cell(nn.LSTMCell):
            pass

        h, c = Cell(3, 4)(x[0])
        self.assertEqual((h.shape, c.shape, nn.RNNCell(3, 4, nonlinearity='relu')(x[0], h).shape), ((2, 4),) * 3)

    def test_what_fails_in_the_making(self):
        class Fails(nn.Module):
            def __init__(self, after):
                if after:
                    super().__init__()
                    self.layer = nn.Linear(2, 2)
                raise LookupError

        for after in (False, True):
            self.assertRaises(LookupError, Fails, after)
        self.assertRaises(fa.Error, nn.Linear, -1, 2)
        self.assertRaises(TypeError, nn.Linear, 2)

    def test_a_loop_that_is_left(self):
        for x, _, _ in DataLoader(Steps(), batch_size=2, num_workers=2):
            break
        self.assertEqual(x.shape, (2, 1))


class Examples(unittest.TestCase):
    def run_example(self, name, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            ran = subprocess.run([sys.executable, str(EXAMPLES / name), *arguments], cwd=folder, capture_output=True,
                                 text=True, timeout=300)
            self.assertEqual((ran.stderr, ran.returncode), ('', 0))
            return ran.stdout

    def test_digits(self):
        accuracy = float(self.run_example('digits.py', '--save', 'mlp.safetensors').split()[-1].rstrip('%'))
        self.assertGreater(accuracy, 90)

    def test_characters(self):
        loss = float(self.run_example('characters.py', '--steps', '80').split('loss ')[-1].split()[0])
        self.assertLess(loss, 0.5)

    def test_cifar10(self):
        with tempfile.TemporaryDirectory() as folder:
            for part in ('data_batch_1.bin', 'test_batch.bin'):
                with open(os.path.join(folder, part), 'wb') as file:
                    for i in range(64):
                        file.write(bytes([i % 10]) + bytes([25 * (i % 10)]) * 3072)
            checkpoint = os.path.join(folder, 'checkpoint')
            arguments = [folder, '--batch-size', '16', '--lr', '0.01', '--checkpoint', checkpoint]
            self.run_example('cifar10.py', *arguments, '--epochs', '1')
            self.assertRegex(self.run_example('cifar10.py', *arguments, '--epochs', '2', '--amp', '--resume'), '^epoch 2: ')


if __name__ == '__main__':
    unittest.main()
