"""Operations that PyTorch calls in more ways than the library: with other arguments, or with bounds left out."""
import functools
from collections import namedtuple
from ctypes import Structure, byref, c_bool, c_double, c_size_t, c_void_p

from . import _ops
from ._library import DType, Error, _axis, _check, _declare, _dtype
from ._reinterpret import reinterpreted
from ._tensor import Tensor, _as_tensor

__all__ = ['allclose', 'arange', 'argsort', 'block_diag', 'broadcast_tensors', 'cartesian_prod', 'clamp', 'clamp_', 'cross', 'div', 'einsum', 'equal', 'finfo', 'flip', 'get_default_dtype', 'iinfo', 'is_floating_point', 'is_tensor', 'max', 'median', 'meshgrid', 'min', 'nanmedian',
           'nonzero', 'normal', 'numel', 'pow', 'pow_', 'promote_types', 'randint', 'result_type', 'set_default_dtype', 'sort', 'split', 'squeeze', 'std', 'tensor_split', 'tensordot', 'unique', 'unique_consecutive', 'var', 'view', 'where']


def arange(start, end=None, step=1, **options):
    """Numbers from `start` (0 if there is only one) up to, and without, `end`: i64 if all three are integers, and otherwise
    f32. Options as of the C function: dtype, device."""
    if options.get('dtype') is None and not all(x is None or hasattr(x, '__index__') for x in (start, end, step)):
        options['dtype'] = 'f32'
    return _ops.arange(0, start, step=step, **options) if end is None else _ops.arange(start, end, step=step, **options)


def _numpy_names(function):
    """The function with NumPy's names of two options, too: axis and keepdims."""
    @functools.wraps(function)
    def named(*arguments, **options):
        for ours, theirs in (('dim', 'axis'), ('keepdim', 'keepdims')):
            if theirs in options:
                options[ours] = options.pop(theirs)
        return function(*arguments, **options)
    return named


def _extreme(both, one, pairs, name):
    def extreme(x, dim=None, keepdim=False, **options):
        if isinstance(dim, Tensor):
            return pairs(x, dim, **options)
        return one(x, keepdim=keepdim, **options) if dim is None else both(x, dim, keepdim=keepdim, **options)
    extreme.__name__ = extreme.__qualname__ = name
    extreme.__doc__ = f"""The {name}imum of all elements; with a dim, values and indices along it; with a tensor, the larger or
    smaller ones of both."""
    return extreme


max = _numpy_names(_extreme(_ops.max, _ops.amax, _ops.maximum, 'max'))
min = _numpy_names(_extreme(_ops.min, _ops.amin, _ops.minimum, 'min'))


@_numpy_names
def median(x, dim=None, keepdim=False):
    """The median of all elements, the lower of two middle ones; with a dim, values and indices along it."""
    both = _ops.median(x, dim, keepdim=keepdim)
    return both.values if dim is None else both


@_numpy_names
def nanmedian(x, dim=None, keepdim=False):
    """median() of the elements that are not NaN."""
    both = _ops.nanmedian(x, dim, keepdim=keepdim)
    return both.values if dim is None else both


def clamp(x, min=None, max=None, out=None):
    """x limited to min and max, of which one may be missing."""
    if min is None:
        return _ops.clamp_max(x, max, out=out)
    return _ops.clamp_min(x, min, out=out) if max is None else _ops.clamp(x, min, max, out=out)


def clamp_(x, min=None, max=None):
    """clamp(), in place."""
    return clamp(x, min, max, out=x)


def normal(mean, std, size=None, **options):
    """Normally distributed numbers with these means and standard deviations, tensors or numbers. For two numbers, size is the
    sizes of the result; options as of facula.randn(): dtype, device."""
    if size is None:
        return _ops.normal(mean, std, **options)
    return _ops.add(_ops.mul(_ops.randn(*size, **options), std), mean)


def div(x, y, rounding_mode=None, out=None):
    """x / y; rounding_mode "floor" or "trunc" rounds the quotient."""
    functions = {None: _ops.div, 'floor': _ops.floor_divide, 'trunc': _ops.trunc_divide}
    if rounding_mode not in functions:
        raise ValueError(f'rounding_mode is "floor", "trunc" or None, not {rounding_mode!r}')
    return functions[rounding_mode](x, y, out=out)


def _powers(function):
    def power(x, y, *arguments, **options):
        if isinstance(y, int) and y < 0 and isinstance(x, Tensor) and not x.dtype.is_floating:
            raise Error(f'{function.__name__}: integers have no powers of {y}: x.float() has', 'dtype')
        return function(x, y, *arguments, **options)
    power.__name__ = power.__qualname__ = function.__name__
    power.__doc__ = function.__doc__
    return power


pow, pow_ = _powers(_ops.pow), _powers(_ops.pow_)


class _CloseOptions(Structure):
    _fields_ = [('size', c_size_t), ('rtol', c_double), ('atol', c_double), ('equal_nan', c_bool), ('fa__end', c_bool)]


_equal = _declare('fa_equal', c_bool, [c_void_p, c_void_p])
_allclose = _declare('fa_allclose', c_bool, [c_void_p, c_void_p, c_void_p])


def equal(x, y):
    """Whether both have the same shape and equal elements: True or False. NaN equals nothing. Waits for both."""
    x, y = _as_tensor(x), _as_tensor(y)
    found = _equal(x._h, y._h)
    _check()
    return found


def allclose(x, y, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether |x - y| <= atol + rtol * |y| for all elements: True or False. Waits for both."""
    x, y = _as_tensor(x), _as_tensor(y)
    found = _allclose(x._h, y._h, byref(_CloseOptions(_CloseOptions.fa__end.offset, rtol, atol, equal_nan)))
    _check()
    return found


def _listed(tensors):
    """Tensors that are one list, or several arguments."""
    return tensors if len(tensors) != 1 or isinstance(tensors[0], Tensor) else tensors[0]


def einsum(equation, *operands):
    """Sums of products in Einstein's notation: einsum("ij,jk->ik", x, y), also of a list."""
    return _ops.einsum(equation, _listed(operands))


def meshgrid(*tensors, indexing='ij'):
    """Grids of coordinates, of several tensors or of a list: a tuple."""
    return _ops.meshgrid(_listed(tensors), indexing=indexing)


def block_diag(*tensors):
    """Matrices along the diagonal of one, of several or of a list."""
    return _ops.block_diag(_listed(tensors))


def cartesian_prod(*tensors):
    """All combinations of elements of several tensors, or of a list."""
    return _ops.cartesian_prod(_listed(tensors))


def broadcast_tensors(*tensors):
    """Tensors expanded to their common shape, of several or of a list: a tuple."""
    return _ops.broadcast_tensors(_listed(tensors))


def nonzero(x, as_tuple=False):
    """The indices of elements that are not 0, one in each row; as_tuple: a tensor for each dimension."""
    return _ops.nonzero_tuple(x) if as_tuple else _ops.nonzero(x)


def where(condition, x=None, y=None, out=None):
    """x where the condition holds, and y elsewhere; of a condition alone, the indices where it holds."""
    return _ops.nonzero_tuple(condition) if x is None else _ops.where(condition, x, y, out=out)


@_numpy_names
def split(x, split_size, dim=0):
    """Parts of one size along a dimension, or of several: a tuple."""
    return _ops.split(x, split_size, dim=dim) if isinstance(split_size, int) else _ops.split_sizes(x, split_size, dim=dim)


def tensor_split(x, indices_or_sections=None, dim=0, *, indices=None, sections=None):
    """Parts along a dimension, a tuple: as many as a number says, of nearly one size, or parts that end before each of a list of
    indices."""
    where_ = next((given for given in (indices_or_sections, indices, sections) if given is not None), None)
    if isinstance(where_, Tensor):
        where_ = where_.tolist()
    return _ops.tensor_split_at(x, where_, dim=dim) if isinstance(where_, (list, tuple)) else _ops.tensor_split(x, where_, dim=dim)


def view(x, shape=None, *more, dtype=None):
    """x with another shape, of which one size may be -1: a view. view(dtype): the same bytes as elements of another dtype."""
    if dtype is None and not isinstance(shape, DType):
        return _ops.view(x, _axis('view', shape, 'shape'), *more)
    return reinterpreted(x, shape if dtype is None else dtype)


def flip(x, dims=None, *more, **options):
    """Reverses the order along dimensions, flip(x, (0, 1)) or flip(x, 0, 1), or along all: a copy."""
    return _ops.flip(x, (dims, *more) if more else dims, **options)


def squeeze(x, dim=None, *more, **options):
    """Removes dimensions of size 1, all or some of them: a view."""
    return _ops.squeeze(x, (dim, *more) if more else dim, **options)


def sort(x, dim=-1, descending=False, *, stable=True, **options):
    """The elements in ascending order along a dimension: (values, indices). Equal ones keep their order, whatever `stable` is."""
    return _ops.sort(x, dim, descending, **options)


def argsort(x, dim=-1, descending=False, *, stable=True, **options):
    """The indices of sort()."""
    return _ops.argsort(x, dim, descending, **options)


def tensordot(a, b, dims=2, out=None):
    """Sums of products over dimensions: the last `dims` of a with the first of b, or those of two lists, dims=([1], [0])."""
    if isinstance(dims, int):
        return _ops.tensordot(a, b, dims=dims, out=out)
    of_a, of_b = dims.tolist() if isinstance(dims, Tensor) else dims
    return _ops.tensordot_at(a, b, of_a, of_b, out=out)


def randint(low, high, size=None, **options):
    """Random integers from low (0 if there is no other number) up to, and without, high: randint(10, (2, 3))."""
    return _ops.randint(0, low, high, **options) if size is None else _ops.randint(low, high, size, **options)


@_numpy_names
def var(x, dim=None, unbiased=None, correction=1, keepdim=False, out=None):
    """The variance, over the number of elements less correction; unbiased=False is correction=0."""
    return _ops.var(x, dim, correction=correction if unbiased is None else int(unbiased), keepdim=keepdim, out=out)


@_numpy_names
def std(x, dim=None, unbiased=None, correction=1, keepdim=False, out=None):
    """The standard deviation: the root of var()."""
    return _ops.std(x, dim, correction=correction if unbiased is None else int(unbiased), keepdim=keepdim, out=out)


@_numpy_names
def unique(x, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The different elements, or slices along a dimension, in ascending order: a tensor. With an option a tuple: also where
    each element is among them (return_inverse), and how many there are of each (return_counts)."""
    values, inverse, counts = _ops.unique(x, dim=dim, return_inverse=return_inverse, return_counts=return_counts)
    return _asked_for(values, inverse, counts)


def unique_consecutive(x, return_inverse=False, return_counts=False, dim=None):
    """The elements, or slices along a dimension, without those that are equal to the one before them; options as of unique()."""
    return _asked_for(*_ops.unique_consecutive(x, dim=dim, return_inverse=return_inverse, return_counts=return_counts))


def _asked_for(values, *others):
    """The values, and behind them what there is of the others: a tuple then."""
    others = tuple(part for part in others if part is not None)
    return (values, *others) if others else values


def cross(x, y, dim=None, out=None):
    """The vector product along a dimension of size 3: the first one, if none is given."""
    if dim is None:
        x = _as_tensor(x)
        dim = x.shape.index(3) if 3 in x.shape else -1
    return _ops.cross(x, y, dim=dim, out=out)


_Limits = namedtuple('Limits', ['bits', 'min', 'max', 'eps'])


def finfo(dtype):
    """Least and largest number of a floating-point dtype, and the distance of 1 to the next one."""
    d = _dtype(dtype)
    return _Limits(8 * d.size, d.lowest, d.largest, 2.0 ** (1 - d.digits))


def iinfo(dtype):
    """Least and largest number of an integer dtype."""
    d = _dtype(dtype)
    signed = d.name.startswith('i')
    bits = 8 * d.size
    return _Limits(bits, -(1 << bits - 1) if signed else 0, (1 << bits - signed) - 1, 1)


def get_default_dtype():
    """The dtype of floating-point numbers without another one: f32."""
    return _dtype('f32')


def set_default_dtype(d):
    """Nothing for f32, which is the default; an error for others."""
    if _dtype(d) is not get_default_dtype():
        raise ValueError(f'the default dtype is f32: dtype={_dtype(d).name!r} of a call, and x.to() and module.to(), choose another one')


def promote_types(type1, type2):
    """The dtype of results of operands that have these two."""
    return _ops.mul(_ops.zeros((1,), dtype=type1), _ops.zeros((1,), dtype=type2)).dtype


def result_type(x, y):
    """The dtype of x + y, of tensors and numbers."""
    one = [_ops.zeros((1,) * (v.ndim > 0), dtype=v.dtype) if isinstance(v, Tensor) else v for v in (x, y)]
    return _ops.mul(*one).dtype if any(isinstance(v, Tensor) for v in one) else _ops.mul(_as_tensor(x), y).dtype


def numel(x):
    """The number of elements."""
    return x.numel()


def is_floating_point(x):
    """Whether the elements are floating-point numbers."""
    return x.is_floating_point()


def is_tensor(x):
    """Whether it is a tensor."""
    return isinstance(x, Tensor)
