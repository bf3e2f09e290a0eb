"""Facula: tensors, automatic differentiation and training, by the C library of that name.

    import facula as fa

    net = fa.nn.sequential(fa.nn.linear(64, 32), fa.nn.relu(), fa.nn.linear(32, 10))
    opt = fa.optim.sgd(net, lr=0.1)
    for x, target in fa.data.loader(fa.data.digits(), batch_size=32, shuffle=True):
        opt.zero_grad()
        loss = fa.cross_entropy(net(x), target)
        loss.backward()
        opt.step()

Functions have the names, options and documentation of the library's, without the fa_. Tensors share memory with NumPy
(numpy.asarray(x), facula.from_numpy(a)) and with all that knows DLPack (torch.from_dlpack(x), facula.from_dlpack(x)).
A call that fails raises facula.Error."""
import sys as _sys

from . import _ops
from ._constants import METHODS as _METHODS, VERSION as __version__
from ._library import DTYPES as _DTYPES, _BY_NAME, DType, Error, _as_tensor as as_tensor
from ._callbacks import Function, dataset_of, grad_of
from ._objects import Batch, Lambda, Loader, Module, Optimizer, Scaler, Schedule
from ._ops import *  # noqa: F403
from ._settings import (autocast, best_device, get_num_threads, is_available, load, load_file, manual_seed, no_grad, save,
                        set_num_threads, summary, use)
from ._tensor import Tensor, from_dlpack, from_numpy
from . import _pytorch
from . import _amp as amp, _data as data, _init as init, _lr as lr, _nn as nn, _optim as optim, _transform as transform

tensor = Tensor
globals().update({name: d for name, d in _BY_NAME.items() if name != 'bool'})  # f32, and float32 as elsewhere
bool_ = _DTYPES[1]


def arange(start, end=None, **options):
    """Numbers from `start` (0 if there is only one) up to, and without, `end`; options as of the C function: step, dtype,
    device."""
    return _ops.arange(0, start, **options) if end is None else _ops.arange(start, end, **options)


def _extreme(both, one, pairs, name):
    def extreme(x, dim=None, keepdim=False, **options):
        if isinstance(dim, Tensor):
            return pairs(x, dim, **options)
        return one(x, keepdim=keepdim, **options) if dim is None else both(x, dim, keepdim=keepdim, **options)
    extreme.__name__ = extreme.__qualname__ = name
    extreme.__doc__ = f"""The {name}imum of all elements; with a dim, values and indices along it; with a tensor, the larger or
    smaller ones of both."""
    return extreme


max = _extreme(_ops.max, _ops.amax, _ops.maximum, 'max')
min = _extreme(_ops.min, _ops.amin, _ops.minimum, 'min')
Tensor.max, Tensor.min = max, min

for _name in _METHODS:
    if not hasattr(Tensor, _name):
        setattr(Tensor, _name, getattr(_ops, _name))
del _name


def _operators():
    o = _ops
    both = {'add': o.add, 'sub': o.sub, 'mul': o.mul, 'truediv': o.div, 'pow': o.pow, 'floordiv': o.floor_divide,
            'mod': o.remainder}
    for name, f in both.items():
        setattr(Tensor, f'__{name}__', f)
        setattr(Tensor, f'__r{name}__', lambda x, y, f=f: f(y, x))
    for name, f in {'iadd': o.add_, 'isub': o.sub_, 'imul': o.mul_, 'itruediv': o.div_, 'lt': o.lt, 'le': o.le, 'gt': o.gt,
                    'ge': o.ge, 'eq': o.eq, 'ne': o.ne, 'matmul': o.matmul, 'neg': o.neg, 'abs': o.abs}.items():
        setattr(Tensor, f'__{name}__', f)
    Tensor.__hash__ = object.__hash__
    Tensor.__rmatmul__ = lambda x, y: o.matmul(y, x)
    Tensor.__invert__ = lambda x: o.logical_not(x) if x.dtype.name == 'bool' else o.bitwise_not(x)
    Tensor.__and__ = lambda x, y: o.logical_and(x, y) if x.dtype.name == 'bool' else o.bitwise_and(x, y)
    Tensor.__or__ = lambda x, y: o.logical_or(x, y) if x.dtype.name == 'bool' else o.bitwise_or(x, y)
    Tensor.__xor__ = lambda x, y: o.logical_xor(x, y) if x.dtype.name == 'bool' else o.bitwise_xor(x, y)
    Tensor.T = property(lambda x: o.t(x))


_operators()
data.dataset = dataset_of
del dataset_of
_pytorch.install(_sys.modules[__name__])
