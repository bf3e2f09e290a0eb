"""Datasets and loaders with PyTorch's names; facula.data has others."""
import itertools
import warnings
from ctypes import POINTER, c_int64, c_size_t, c_void_p

from .. import _batches, _data, _library as _l, _ops, _sampler
from .._batches import default_collate, default_convert  # noqa: F401
from .._generator import from_generator
from .._training import Loader as _Loader, Sampler
from .._missing import missing as _missing

_subset = _l._declare('fa_data_subset', c_void_p, [c_void_p, POINTER(c_int64), c_int64])
_concat = _l._declare('fa__data_concat', c_void_p, [c_size_t, POINTER(c_void_p)])
_subset_sampler = _l._declare('fa_sampler_subset', c_void_p, [POINTER(c_int64), c_int64])


def get_worker_info():
    """In a worker of a DataLoader: its id, num_workers, seed and dataset; elsewhere None. Workers are threads that read samples
    of one dataset: an IterableDataset is iterated once, outside of them, so that its __iter__() has nothing to share out."""
    return getattr(_batches.worker, 'info', None)


class Dataset:
    """The base of datasets in Python: __len__() and __getitem__(); any object that has both will do.

        class Squares(facula.utils.data.Dataset):
            def __len__(self):
                return 100

            def __getitem__(self, i):
                return facula.tensor([float(i)]), i * i
    """
    __class_getitem__ = classmethod(lambda cls, item: cls)

    def __getitem__(self, index):
        raise NotImplementedError

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset:
    """The base of datasets that are iterated, without numbers and length: __iter__()."""
    __class_getitem__ = classmethod(lambda cls, item: cls)

    def __iter__(self):
        raise NotImplementedError

    def __add__(self, other):
        return ChainDataset([self, other])


class ChainDataset(IterableDataset):
    """The samples of several datasets that are iterated, one dataset after the other."""

    def __init__(self, datasets):
        self.datasets = list(datasets)

    def __iter__(self):
        return itertools.chain.from_iterable(self.datasets)

    def __len__(self):
        return sum(map(len, self.datasets))


class StackDataset(Dataset):
    """Samples that have a part from each of several datasets of one length: tuples, or dicts of datasets by name."""

    def __init__(self, *datasets, **named):
        if bool(datasets) == bool(named):
            raise ValueError('StackDataset takes datasets, either without names or by name')
        self.datasets = named or datasets
        parts = list(named.values()) or datasets
        if len(set(map(len, parts))) > 1:
            raise ValueError(f'datasets have different lengths: {[len(d) for d in parts]}')

    def __getitem__(self, index):
        if isinstance(self.datasets, dict):
            return {name: d[index] for name, d in self.datasets.items()}
        return tuple(d[index] for d in self.datasets)

    def __len__(self):
        return len(next(iter(self.datasets.values())) if isinstance(self.datasets, dict) else self.datasets[0])


class DataLoader(_Loader):
    """Batches of a dataset; iterating it is an epoch.

        loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
        for input, target in loader:    # (32, ...) each; the last batch may be smaller

    dataset: has __len__() and __getitem__(), or only __iter__() (IterableDataset)
    batch_size: samples of a batch; None: no batches, but each sample as it is, with arrays as tensors
    shuffle: a new random order in each epoch
    sampler: gives the numbers of samples in the order to read them: a Sampler, or any object that can be iterated
    batch_sampler: gives lists of numbers, a batch each, in place of batch_size, shuffle, sampler and drop_last
    num_workers: threads that make batches in advance; 0: the caller's thread
    collate_fn: makes a batch of a list of samples (of one sample where batch_size is None); default_collate() if there is none
    drop_last: leaves out a last batch that is smaller
    prefetch_factor: batches in advance for each worker; None: small ones further than large ones
    timeout: the most seconds to wait for a batch of a dataset of the library; 0: no limit
    worker_init_fn: is called with the number of a worker, in it, before its first sample
    generator: a facula.Generator, of which orders and the random numbers of transforms depend; None: the default one, which
        facula.manual_seed() sets
    pin_memory, persistent_workers, multiprocessing_context: are accepted, and change nothing

    Samples that are tuples or lists make batches that are lists, with an item for each part; dicts make dicts. Batches and
    their random numbers are the same for any number of workers."""
    __slots__ = ('_alone', '_python', 'dataset', 'batch_size', 'num_workers', 'drop_last', 'sampler', 'batch_sampler',
                 'collate_fn', 'generator')

    def __init__(self, dataset, batch_size=1, shuffle=False, sampler=None, batch_sampler=None, num_workers=0, collate_fn=None,
                 pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None, multiprocessing_context=None,
                 generator=None, *, prefetch_factor=None, persistent_workers=False, pin_memory_device='', in_order=True):
        self._h = self._python = None
        if num_workers < 0:
            raise ValueError(f'num_workers is 0 or more, not {num_workers}')
        if batch_size is not None and not _l._is_index(batch_size):
            raise TypeError(f'batch_size is an integer, not {batch_size!r}')
        if batch_sampler is not None:
            batch_size = None
        self.dataset, self.num_workers, self.drop_last, self.batch_size = dataset, num_workers, drop_last, batch_size
        self.sampler, self.batch_sampler, self.collate_fn, self.generator = sampler, batch_sampler, collate_fn, generator
        own = sampler if getattr(sampler, '_h', None) else None
        if shuffle and (sampler is not None or batch_sampler is not None):
            raise ValueError('shuffle goes without a sampler')
        if batch_size is None and drop_last:
            raise ValueError('drop_last goes with a batch_size')
        if (collate_fn or batch_size is None or own is not sampler or worker_init_fn or _in_python(dataset)):
            self._python = _Plan(self, shuffle, prefetch_factor or 2, worker_init_fn)
            return
        with from_generator(generator):
            seed = -1 if generator is None else _batches.seed_drawn()
        made = _data.loader(dataset, batch_size=batch_size, shuffle=shuffle, sampler=sampler, workers=num_workers,
                            drop_last=drop_last, timeout=timeout, prefetch=prefetch_factor or 0, seed=seed)
        self._h, made._h = made._h, None
        self._alone = not _in_tuples(dataset)

    def __setattr__(self, name, value):
        if name in ('dataset', 'batch_size', 'sampler', 'batch_sampler', 'drop_last') and hasattr(self, 'generator'):
            raise ValueError(f'{name} of a DataLoader cannot be changed: make another one')
        super().__setattr__(name, value)

    def __len__(self):
        return len(self._python) if self._python is not None else super().__len__()

    def __iter__(self):
        if self._python is not None:
            return iter(self._python)
        return (parts[0] if self._alone and len(parts) == 1 else parts for parts in self._batches())


class _Plan:
    """What a loader does whose batches are made in Python."""

    def __init__(self, of, shuffle, prefetch, worker_init):
        self.dataset, self.batch_size, self.drop_last = of.dataset, of.batch_size, of.drop_last
        self.batch_sampler = of.batch_sampler
        self.workers, self.prefetch, self.worker_init = of.num_workers, prefetch, worker_init
        self.batched = self.batch_size is not None or self.batch_sampler is not None
        self.collate = of.collate_fn or (_batches.default_collate if self.batched else _batches.default_convert)
        self.generator = from_generator(of.generator)
        self.iterated = not hasattr(self.dataset, '__getitem__')
        if self.iterated and not hasattr(self.dataset, '__iter__'):
            raise TypeError(f'a dataset has __len__() and __getitem__(), or __iter__(): {type(self.dataset).__name__} has not')
        if self.iterated and (shuffle or of.sampler is not None or of.batch_sampler is not None):
            raise ValueError('a dataset that is iterated has its own order: no shuffle, no sampler')
        if self.batch_size is not None and self.batch_size < 1:
            raise ValueError(f'batch_size is 1 or more, or None, not {self.batch_size}')
        needs_all = not self.iterated and of.sampler is None and of.batch_sampler is None
        self.sampler = RandomSampler(self.dataset) if shuffle else range(len(self.dataset)) if needs_all else of.sampler

    def __len__(self):
        if self.batch_sampler is not None:
            return len(self.batch_sampler)
        n = len(self.dataset if self.iterated else self.sampler)
        if not self.batched:
            return n
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)

    def _parts(self):
        """What batches are made of: samples, or their numbers."""
        if self.batch_sampler is not None:
            return iter(self.batch_sampler)
        samples = iter(self.dataset if self.iterated else self.sampler)
        return _batches.in_batches(samples, self.batch_size, self.drop_last) if self.batched else samples

    def _make(self, part):
        if not self.iterated:
            part = [self.dataset[_number(i)] for i in part] if self.batched else self.dataset[_number(part)]
        return self.collate(part)

    def __iter__(self):
        with self.generator:
            parts, seed = self._parts(), _batches.seed_drawn()
        return _batches.batches(parts, self._make, seed, self.workers, self.prefetch, self.dataset, self.worker_init)


def _number(i):
    return int(i) if hasattr(i, '__index__') and not getattr(i, 'shape', ()) else i


def RandomSampler(data_source, replacement=False, num_samples=None):
    """The numbers of all samples in a random order; with replacement, numbers that are drawn one by one."""
    return _sampler.random(data_source, replacement=replacement, num_samples=-1 if num_samples is None else num_samples)


def SequentialSampler(data_source):
    """The numbers of all samples in their order."""
    return _sampler.sequential(data_source)


def WeightedRandomSampler(weights, num_samples, replacement=True):
    """Numbers that are drawn with probabilities in proportion to the weights, one for each sample."""
    return _sampler.weighted(_l._as_tensor(weights), num_samples=num_samples, replacement=replacement)


def SubsetRandomSampler(indices):
    """The given numbers in a random order."""
    numbers = [int(i) for i in indices]
    return _l._making(Sampler, _subset_sampler, (c_int64 * len(numbers))(*numbers), len(numbers))


class BatchSampler:
    """Lists of batch_size numbers of another sampler."""

    def __init__(self, sampler, batch_size, drop_last=False):
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        return _batches.in_batches(iter(self.sampler), self.batch_size, self.drop_last)  # its order is drawn here

    def __len__(self):
        n = len(self.sampler)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)


class _Made(_l.Dataset):
    """A dataset whose samples are tuples, also of one tensor, if those of what it is made of are."""
    __slots__ = ('_tuples', '_python')

    def _take(self, made, tuples, python=False):
        self._h, made._h = made._h, None
        self._tuples, self._python = tuples, python

    def __getitem__(self, index):
        sample = super().__getitem__(index)
        return (sample,) if self._tuples and not isinstance(sample, tuple) else sample


def _in_tuples(dataset):
    return isinstance(dataset, _Made) and dataset._tuples


def _in_python(dataset):
    """Whether samples are made in Python: then they may be any objects."""
    return dataset._python if isinstance(dataset, _Made) else not isinstance(dataset, _l.Dataset)


_l.Dataset.__add__ = lambda self, other: ConcatDataset([self, other])


class TensorDataset(_Made):
    """A dataset of the rows of tensors of one length. Batches of tensors that require gradients have them, too."""
    __slots__ = ('tensors',)

    def __init__(self, *tensors):
        self._h, self.tensors = None, tensors
        self._take(_data.tensors(list(tensors)), True, any(getattr(t, 'requires_grad', False) for t in tensors))

    def __getitem__(self, index):
        """The sample of a number; of a slice or of several numbers, a tuple of the tensors' rows."""
        if hasattr(index, '__index__') and not getattr(index, 'shape', ()):
            if not self._python:
                return super().__getitem__(index)
            index = range(len(self))[index]
        return tuple(_l._as_tensor(t)[index] for t in self.tensors)


class Subset(_Made):
    """The samples of a dataset that have these numbers; a negative one counts from the end."""
    __slots__ = ('dataset', 'indices')

    def __init__(self, dataset, indices):
        self._h, self.dataset, self.indices = None, dataset, [int(i) for i in indices]
        of = _l._dataset(dataset)
        n = len(of)
        array = (c_int64 * len(self.indices))(*[i + n if -n <= i < 0 else i for i in self.indices])
        self._take(_l._making(_l.Dataset, _subset, of._h, array, len(self.indices)), _in_tuples(dataset), _in_python(dataset))

    def __getitem__(self, index):
        if not self._python:
            return super().__getitem__(index)
        return self.dataset[self.indices[index]]


class ConcatDataset(_Made):
    """The samples of several datasets, one after the other."""
    __slots__ = ('datasets',)

    def __init__(self, datasets):
        self._h, self.datasets = None, list(datasets)
        of = [_l._dataset(d) for d in self.datasets]
        made = _l._making(_l.Dataset, _concat, len(of), (c_void_p * len(of))(*[d._h for d in of]))
        self._take(made, all(map(_in_tuples, self.datasets)), any(map(_in_python, self.datasets)))

    def __getitem__(self, index):
        if not self._python:
            return super().__getitem__(index)
        index = range(len(self))[index]
        for d in self.datasets:
            if index < len(d):
                return d[index]
            index -= len(d)


def random_split(dataset, lengths, generator=None):
    """Disjoint random subsets of a dataset, of these lengths, which are len(dataset) together, or of these fractions, which
    are 1 together. facula.manual_seed() fixes them, or the generator."""
    n = len(dataset)
    if not all(length >= 0 for length in lengths):
        raise ValueError(f'lengths are 0 or more: {lengths}')
    if abs(sum(lengths) - 1) < 1e-9:
        lengths = [int(n * part) for part in lengths]
        for i in range(n - sum(lengths)):
            lengths[i % len(lengths)] += 1
    if sum(lengths) != n or any(length != int(length) for length in lengths):
        raise ValueError(f'lengths are counts, {n} together, or fractions, 1 together: {lengths}')
    if 0 in lengths:
        warnings.warn(f'a part is empty: of {n} samples they get {lengths}', stacklevel=2)
    lengths = [int(length) for length in lengths]
    with from_generator(generator):
        order, begin, parts = _ops.randperm(n).tolist(), 0, []
    for length in lengths:
        parts.append(Subset(dataset, order[begin:begin + length]))
        begin += length
    return parts


__getattr__ = _missing('facula.utils.data')
