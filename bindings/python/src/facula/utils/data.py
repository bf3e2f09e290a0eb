"""Datasets and loaders with PyTorch's names; facula.data has others."""
import warnings
from ctypes import POINTER, c_int64, c_size_t, c_void_p

from .. import _batches, _data, _library as _l, _ops, _sampler
from .._batches import default_collate  # noqa: F401
from .._generator import from_generator
from .._training import Loader as _Loader, Sampler

_subset = _l._declare('fa_data_subset', c_void_p, [c_void_p, POINTER(c_int64), c_int64])
_concat = _l._declare('fa__data_concat', c_void_p, [c_size_t, POINTER(c_void_p)])
_subset_sampler = _l._declare('fa_sampler_subset', c_void_p, [POINTER(c_int64), c_int64])


class Dataset:
    """The base of datasets in Python: __len__() and __getitem__(); any object that has both will do."""

    def __getitem__(self, index):
        raise NotImplementedError


class IterableDataset:
    """The base of datasets that are iterated, without numbers and length: __iter__()."""

    def __iter__(self):
        raise NotImplementedError


class DataLoader(_Loader):
    """Batches of a dataset: for each a list of its tensors, or one tensor if the samples are no tuples. Workers are threads.

    With a collate_fn, a batch is what it returns for a list of samples, which may be any objects, as the batch. A sampler is
    one of this module or of facula.sampler, or any object that gives the numbers of samples; a batch_sampler gives lists of
    them. Orders and random transforms are drawn from the generator, or from the default one, which gives a seed: once,
    when the loader is made; for each epoch where batches are made in Python, as with a collate_fn or a batch_sampler."""
    __slots__ = ('_alone', '_python', 'dataset', 'batch_size', 'num_workers', 'drop_last')

    def __init__(self, dataset, batch_size=1, shuffle=False, sampler=None, batch_sampler=None, num_workers=0, collate_fn=None,
                 pin_memory=False, drop_last=False, timeout=0, persistent_workers=False, prefetch_factor=None, generator=None):
        self._h = self._python = None
        self.dataset, self.num_workers, self.drop_last = dataset, num_workers, drop_last
        self.batch_size = batch_size if batch_sampler is None else None
        own = sampler if isinstance(sampler, Sampler) else None
        if shuffle and (sampler is not None or batch_sampler is not None):
            raise ValueError('shuffle goes without a sampler')
        iterated = not hasattr(dataset, '__getitem__')
        if collate_fn or batch_sampler is not None or own is not sampler or iterated:
            self._python = _Plan(dataset, batch_size, shuffle, sampler, batch_sampler, num_workers, drop_last,
                                 collate_fn or _batches.default_collate, prefetch_factor or 2, iterated, generator)
            return
        with from_generator(generator):
            seed = -1 if generator is None else _batches.seed_drawn()
        made = _data.loader(dataset, batch_size=batch_size, shuffle=shuffle, sampler=sampler, workers=num_workers,
                            drop_last=drop_last, timeout=timeout, prefetch=prefetch_factor or 2, seed=seed)
        self._h, made._h = made._h, None
        self._alone = not _in_tuples(dataset)

    def __len__(self):
        return len(self._python) if self._python is not None else super().__len__()

    def __iter__(self):
        if self._python is not None:
            return iter(self._python)
        return (parts[0] if self._alone and len(parts) == 1 else parts for parts in self._batches())


class _Plan:
    """What a loader does whose batches are made in Python."""

    def __init__(self, dataset, batch_size, shuffle, sampler, batch_sampler, workers, drop_last, collate, prefetch, iterated,
                 generator):
        self.dataset, self.batch_size, self.drop_last, self.batch_sampler = dataset, batch_size, drop_last, batch_sampler
        self.workers, self.collate, self.prefetch, self.iterated = workers, collate, prefetch, iterated
        self.generator = from_generator(generator)
        if iterated and (shuffle or sampler is not None or batch_sampler is not None):
            raise ValueError('a dataset that is iterated has its own order: no shuffle, no sampler')
        self.sampler = RandomSampler(dataset) if shuffle else range(len(dataset)) if sampler is None and not iterated else sampler

    def __len__(self):
        if self.batch_sampler is not None:
            return len(self.batch_sampler)
        n = len(self.dataset if self.iterated else self.sampler)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)

    def _parts(self):
        """What batches are made of: samples, or their numbers."""
        if self.batch_sampler is not None:
            return iter(self.batch_sampler)
        return _batches.in_batches(iter(self.dataset if self.iterated else self.sampler), self.batch_size, self.drop_last)

    def _make(self, numbers):
        return self.collate([self.dataset[int(i)] for i in numbers])

    def __iter__(self):
        with self.generator:
            parts, seed = self._parts(), _batches.seed_drawn()
        return _batches.batches(parts, self.collate if self.iterated else self._make, seed, self.workers, self.prefetch)


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
    __slots__ = ('_tuples',)

    def _take(self, made, tuples):
        self._h, made._h = made._h, None
        self._tuples = tuples

    def __getitem__(self, index):
        sample = super().__getitem__(index)
        return (sample,) if self._tuples and not isinstance(sample, tuple) else sample


def _in_tuples(dataset):
    return isinstance(dataset, _Made) and dataset._tuples


class TensorDataset(_Made):
    """A dataset of the rows of tensors of one length."""
    __slots__ = ('tensors',)

    def __init__(self, *tensors):
        self._h, self.tensors = None, tensors
        self._take(_data.tensors(list(tensors)), True)

    def __getitem__(self, index):
        """The sample of a number; of a slice or of several numbers, a tuple of the tensors' rows."""
        if hasattr(index, '__index__') and not getattr(index, 'shape', ()):
            return super().__getitem__(index)
        return tuple(_l._as_tensor(t)[index] for t in self.tensors)


class Subset(_Made):
    """The samples of a dataset that have these numbers; a negative one counts from the end."""
    __slots__ = ('dataset', 'indices')

    def __init__(self, dataset, indices):
        self._h, self.dataset, self.indices = None, dataset, [int(i) for i in indices]
        of = _l._dataset(dataset)
        n = len(of)
        array = (c_int64 * len(self.indices))(*[i + n if -n <= i < 0 else i for i in self.indices])
        self._take(_l._making(_l.Dataset, _subset, of._h, array, len(self.indices)), _in_tuples(dataset))


class ConcatDataset(_Made):
    """The samples of several datasets, one after the other."""
    __slots__ = ('datasets',)

    def __init__(self, datasets):
        self._h, self.datasets = None, list(datasets)
        of = [_l._dataset(d) for d in self.datasets]
        made = _l._making(_l.Dataset, _concat, len(of), (c_void_p * len(of))(*[d._h for d in of]))
        self._take(made, all(map(_in_tuples, self.datasets)))


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
