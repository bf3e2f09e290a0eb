"""Facula: tensors, automatic differentiation and training, by the C library of that name.

    import facula as fa

    net = fa.nn.Sequential(fa.nn.Linear(64, 32), fa.nn.ReLU(), fa.nn.Linear(32, 10))
    opt = fa.optim.SGD(net.parameters(), lr=0.1)
    for x, target in fa.data.loader(fa.data.digits(), batch_size=32, shuffle=True):
        opt.zero_grad()
        loss = fa.cross_entropy(net(x), target)
        loss.backward()
        opt.step()

Functions have the names, options and documentation of the library's, without the fa_. Tensors share memory with NumPy
(numpy.asarray(x), facula.from_numpy(a)) and with all that knows DLPack (torch.from_dlpack(x), facula.from_dlpack(x)).
A call that fails raises facula.Error."""
import math as _math

from . import _ops
from ._constants import METHODS as _METHODS, VERSION as __version__  # noqa: F401
from ._library import DTYPES as _DTYPES, _BY_NAME, DType, Error, _as_tensor as as_tensor, device  # noqa: F401
from ._callbacks import Function, grad_of  # noqa: F401
from ._ops import *  # noqa: F403
from ._settings import (autocast, best_device, enable_grad, get_num_threads, inference_mode, is_autocast_enabled, is_available, is_grad_enabled,  # noqa: F401
                        load, load_file, manual_seed, no_grad, save, set_grad_enabled, set_num_threads, summary, use)
from ._tensor import Parameter, Tensor, _become, from_dlpack, from_numpy, tensor  # noqa: F401
from ._training import Batch, Loader, Optimizer, Sampler, Scaler, Schedule  # noqa: F401
from ._forms import *  # noqa: F403
from ._generator import Generator, drawing as _drawing  # noqa: F401
from ._missing import missing as _missing
from . import amp, autograd, cuda, nn, optim, data, init, linalg, lr, sampler, testing, transform, utils  # noqa: F401
from .nn import Lambda, Module  # noqa: F401

dtype, inf, pi, nan, e = DType, _math.inf, _math.pi, _math.nan, _math.e
globals().update({name: d for name, d in _BY_NAME.items() if name != 'bool'})  # f32, and float32 as elsewhere
double, float, half, long, int, short = f64, f32, f16, i64, i32, i16  # noqa: F405
_builtin_bool = bool
bool_ = bool = _DTYPES[1]


for _name in ('rand', 'randn', 'rand_like', 'randn_like', 'randint', 'randint_like', 'randperm', 'bernoulli', 'normal', 'poisson',
              'multinomial', 'uniform_', 'normal_', 'log_normal_', 'exponential_', 'cauchy_', 'geometric_', 'bernoulli_', 'random_'):
    globals()[_name] = _drawing(globals()[_name])
for _name in _METHODS:
    if not hasattr(Tensor, _name):
        setattr(Tensor, _name, globals()[_name])

# Other names that PyTorch has for operations
for _name, _ours in {'absolute': 'abs', 'clip': 'clamp', 'clip_': 'clamp_', 'concat': 'cat', 'concatenate': 'cat',
                     'divide': 'div', 'multiply': 'mul', 'subtract': 'sub', 'negative': 'neg', 'greater': 'gt',
                     'greater_equal': 'ge', 'less': 'lt', 'less_equal': 'le', 'not_equal': 'ne', 'ravel': 'flatten',
                     'moveaxis': 'movedim', 'swapaxes': 'transpose', 'true_divide': 'div',
                     'split_with_sizes': 'split_sizes', 'arcsin': 'asin', 'arccos': 'acos', 'arctan': 'atan', 'arctan2': 'atan2',
                     'arcsinh': 'asinh', 'arccosh': 'acosh', 'arctanh': 'atanh', 'fix': 'trunc', 'ger': 'outer', 'vdot': 'dot',
                     'row_stack': 'vstack', 'argwhere': 'nonzero', 'asarray': 'as_tensor'}.items():
    globals()[_name] = globals()[_ours]
    if _ours in _METHODS:
        setattr(Tensor, _name, globals()[_ours])
del _name, _ours
Tensor.nelement = Tensor.numel
Tensor.equal, Tensor.allclose = equal, allclose  # noqa: F405
Tensor.where = lambda x, condition, other: where(condition, x, other)  # noqa: F405
Tensor.polygamma, Tensor.polygamma_ = lambda x, n: polygamma(n, x), lambda x, n: polygamma_(n, x)  # noqa: F405
broadcast_to = Tensor.broadcast_to = Tensor.expand
Tensor.unsqueeze_ = lambda x, dim: _become(x, x.unsqueeze(dim))
Tensor.squeeze_ = lambda x, *dim: _become(x, x.squeeze(*dim))
Tensor.transpose_ = lambda x, dim0, dim1: _become(x, x.transpose(dim0, dim1))
Tensor.view_as = lambda x, other: x.view(other.shape)
Tensor.reshape_as = lambda x, other: x.reshape(other.shape)


def _operators():
    o = _ops
    both = {'add': o.add, 'sub': o.sub, 'mul': o.mul, 'truediv': o.div, 'pow': pow,  # noqa: F405
            'floordiv': o.floor_divide,
            'mod': o.remainder, 'lshift': o.bitwise_left_shift, 'rshift': o.bitwise_right_shift}
    for name, f in both.items():
        setattr(Tensor, f'__{name}__', f)
        setattr(Tensor, f'__r{name}__', lambda x, y, f=f: f(y, x))
    for name, f in {'iadd': o.add_, 'isub': o.sub_, 'imul': o.mul_, 'itruediv': o.div_, 'lt': o.lt, 'le': o.le, 'gt': o.gt,
                    'ge': o.ge, 'ilshift': o.bitwise_left_shift_, 'irshift': o.bitwise_right_shift_, 'matmul': o.matmul, 'neg': o.neg, 'abs': o.abs}.items():
        setattr(Tensor, f'__{name}__', f)
    Tensor.__eq__ = lambda x, y: NotImplemented if y is None or isinstance(y, str) else o.eq(x, y)
    Tensor.__ne__ = lambda x, y: NotImplemented if y is None or isinstance(y, str) else o.ne(x, y)
    Tensor.__hash__ = object.__hash__
    Tensor.__pos__ = lambda x: x
    Tensor.__contains__ = lambda x, y: _builtin_bool(o.any(o.eq(x, y)))
    Tensor.__rmatmul__ = lambda x, y: o.matmul(y, x)
    Tensor.__invert__ = lambda x: o.logical_not(x) if x.dtype.name == 'bool' else o.bitwise_not(x)
    for name, logical, bitwise in (('and', o.logical_and, o.bitwise_and), ('or', o.logical_or, o.bitwise_or),
                                   ('xor', o.logical_xor, o.bitwise_xor)):
        f = lambda x, y, logical=logical, bitwise=bitwise: (logical if x.dtype.name == 'bool' else bitwise)(x, y)  # noqa: E731
        setattr(Tensor, f'__{name}__', f)
        setattr(Tensor, f'__r{name}__', f)
    Tensor.T = property(lambda x: _attribute(o.t, x))
    Tensor.mT = property(lambda x: _attribute(o.transpose, x, -2, -1))


def _attribute(function, *arguments):
    try:
        return function(*arguments)
    except Error as e:
        raise AttributeError(str(e)) from None


_operators()
__getattr__ = _missing('facula')
