"""Datasets and loaders with PyTorch's names; facula.data has others."""
from ctypes import POINTER, c_int64, c_size_t, c_void_p

from .. import _data, _library as _l, _ops
from .._training import Loader as _Loader

_subset = _l._declare('fa_data_subset', c_void_p, [c_void_p, POINTER(c_int64), c_int64])
_concat = _l._declare('fa__data_concat', c_void_p, [c_size_t, POINTER(c_void_p)])


class Dataset:
    """The base of datasets in Python: __len__() and __getitem__(); any object that has both will do."""

    def __getitem__(self, index):
        raise NotImplementedError


class DataLoader(_Loader):
    """Batches of a dataset: for each a list of its tensors, or one tensor if the samples are no tuples. Workers are threads."""
    __slots__ = ('_alone',)

    def __init__(self, dataset, batch_size=1, shuffle=False, sampler=None, num_workers=0, drop_last=False, timeout=0,
                 pin_memory=False, persistent_workers=False, prefetch_factor=None, **others):
        if others:
            raise TypeError(f'DataLoader() has no {", ".join(others)}; a dataset can return what its samples should be, and '
                            'facula.data.padded() makes batches of different lengths')
        self._h = None
        made = _data.loader(dataset, batch_size=batch_size, shuffle=shuffle, sampler=sampler, workers=num_workers,
                            drop_last=drop_last, timeout=timeout, prefetch=prefetch_factor or 2)
        self._h, made._h = made._h, None
        self._alone = not isinstance(dataset, TensorDataset)

    def __iter__(self):
        return (parts[0] if self._alone and len(parts) == 1 else parts for parts in self._batches())


class TensorDataset(_l.Dataset):
    """A dataset of the rows of tensors of one length."""
    __slots__ = ()

    def __init__(self, *tensors):
        self._h = None
        made = _data.tensors(list(tensors))
        self._h, made._h = made._h, None

    def __getitem__(self, index):
        sample = super().__getitem__(index)
        return sample if isinstance(sample, tuple) else (sample,)


def Subset(dataset, indices):
    """The samples of a dataset that have these numbers."""
    numbers = [int(i) for i in indices]
    array, dataset = (c_int64 * len(numbers))(*numbers), _l._dataset(dataset)
    return _l._making(_l.Dataset, _subset, dataset._h, array, len(numbers))


def ConcatDataset(datasets):
    """The samples of several datasets, one after the other."""
    datasets = [_l._dataset(d) for d in datasets]
    return _l._making(_l.Dataset, _concat, len(datasets), (c_void_p * len(datasets))(*[d._h for d in datasets]))


def random_split(dataset, lengths):
    """Disjoint random subsets of a dataset, of these lengths or, if their sum is 1, shares. facula.manual_seed() fixes
    them."""
    n = len(dataset)
    if abs(sum(lengths) - 1) < 1e-9 and n != 1:
        lengths = [int(n * part) for part in lengths]
        for i in range(n - sum(lengths)):
            lengths[i % len(lengths)] += 1
    if sum(lengths) != n:
        raise ValueError(f'the lengths {lengths} are not {n} together')
    order, begin, parts = _ops.randperm(n).tolist(), 0, []
    for length in lengths:
        parts.append(Subset(dataset, order[begin:begin + length]))
        begin += length
    return parts
