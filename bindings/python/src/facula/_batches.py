"""Batches that functions of Python make: what DataLoader() does with a collate_fn, a batch_sampler, a sampler of Python or a
dataset that is iterated. Samples and batches are any objects."""
import itertools
import threading
from collections import deque, namedtuple
from concurrent.futures import ThreadPoolExecutor
from ctypes import c_uint64, c_void_p

from . import _library as _l, _ops
from ._tensor import Tensor, tensor

_generator_new = _l._declare('fa_generator_new', c_void_p, [c_uint64])
_generator_use = _l._declare('fa_generator_use', None, [c_void_p])
_generator_used = _l._declare('fa__generator_used', c_void_p, [])


def seed_drawn():
    """A seed by the default generator: facula.manual_seed() fixes what depends on it."""
    return _ops.randint(0, 1 << 62, ()).item()


_l.seed_drawn = seed_drawn


def default_collate(samples):
    """A batch of samples: tensors, arrays and numbers are stacked, tuples, lists and dicts are taken item by item, and others,
    such as texts, become a list."""
    first = samples[0]
    if isinstance(first, dict):
        return {key: default_collate([s[key] for s in samples]) for key in first}
    if isinstance(first, tuple) and hasattr(first, '_fields'):
        return type(first)(*map(default_collate, zip(*samples)))
    if isinstance(first, (tuple, list)):
        if any(len(s) != len(first) for s in samples):
            raise ValueError('samples of a batch have different numbers of items: a collate_fn can join them')
        return [default_collate(list(part)) for part in zip(*samples)]
    if isinstance(first, Tensor) or hasattr(first, '__array_interface__') or hasattr(first, '__dlpack__'):
        parts = [_l._as_tensor(s) for s in samples]
        if any(p.shape != parts[0].shape for p in parts):
            shapes = ', '.join(str(p.shape) for p in parts[:8])
            raise ValueError(f'samples of a batch have different shapes, {shapes}: a collate_fn can join them')
        return _ops.stack(parts)
    if first is None:
        raise TypeError('a sample, or a part of it, is None: a batch has none')
    return tensor(list(samples)) if isinstance(first, (bool, int, float)) else list(samples)


def default_convert(sample):
    """A sample with its arrays as tensors, also those in tuples, lists and dicts."""
    if isinstance(sample, dict):
        return {key: default_convert(part) for key, part in sample.items()}
    if isinstance(sample, tuple) and hasattr(sample, '_fields'):
        return type(sample)(*map(default_convert, sample))
    if isinstance(sample, (tuple, list)):
        return [default_convert(part) for part in sample]
    array = hasattr(sample, '__array_interface__') or hasattr(sample, '__dlpack__')
    return _l._as_tensor(sample) if array and not isinstance(sample, Tensor) else sample


def in_batches(numbers, batch_size, drop_last):
    """Lists of batch_size items each."""
    numbers = iter(numbers)
    while True:
        batch = list(itertools.islice(numbers, batch_size))
        if not batch or drop_last and len(batch) < batch_size:
            return
        yield batch


class _drawing:
    """A block whose random numbers depend on a seed alone, in any thread."""

    def __init__(self, seed):
        self.seed = seed

    def __enter__(self):
        self.outer = _l._keep(_generator_used())
        self.scope = _l._enter(b'python')
        _generator_use(_generator_new(self.seed))

    def __exit__(self, *_):
        _generator_use(self.outer)
        _l._leave(self.scope)
        if self.outer:
            _l._release(self.outer)


Worker = namedtuple('Worker', ['id', 'num_workers', 'seed', 'dataset'])
worker = threading.local()  # its info: that of the worker that this thread is


def batches(parts, make, seed, workers=0, prefetch=2, dataset=None, begin=None):
    """make(part) of each part, in their order; with workers on threads of their own, which call begin(number) first. The
    random numbers that the library draws in it depend on the seed, and are the same for any number of workers."""
    def made(number, part):
        with _drawing(seed + number):
            return make(part)
    if not workers:
        yield from (made(*p) for p in enumerate(parts))
        return
    numbers, failed = iter(range(workers)), []

    def enter():
        number = next(numbers)
        worker.info = Worker(number, workers, seed + number, dataset)
        try:
            if begin:
                begin(number)
        except BaseException as e:
            failed.append(e)

    def made_after(number, part):
        if failed:
            raise failed[0]
        return made(number, part)
    with ThreadPoolExecutor(workers, initializer=enter) as threads:
        waiting = deque()
        try:
            for p in enumerate(parts):
                waiting.append(threads.submit(made_after, *p))
                if len(waiting) > workers * prefetch:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for w in waiting:
                w.cancel()
