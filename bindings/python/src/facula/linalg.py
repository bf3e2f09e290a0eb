"""Linear algebra with PyTorch's names: norms and products. There are no decompositions, and no inverse."""
import math

from . import _ops
from ._missing import missing as _missing
from ._ops import diagonal, matmul, matrix_power, multi_dot, vecdot  # noqa: F401


def vector_norm(x, ord=2, dim=None, keepdim=False, dtype=None):
    """The norm of all elements, or along dimensions: the root of degree `ord` of the sum of |x| to the power `ord`; inf and
    -inf are the largest and the smallest |x|, and 0 the number of elements that are not 0."""
    return _ops.norm(x, p=ord, dim=dim, keepdim=keepdim, dtype=dtype)


def matrix_norm(A, ord='fro', dim=(-2, -1), keepdim=False, dtype=None):
    """The norm of matrices: "fro", the root of the sum of squares; 1 and -1, the largest and smallest sum of a column's
    absolute values; inf and -inf, of a row's. Those of singular values (2, -2, "nuc") are missing."""
    if ord == 'fro':
        return vector_norm(A, 2, dim, keepdim, dtype)
    if ord not in (1, -1, math.inf, -math.inf):
        raise ValueError(f'ord is "fro", 1, -1, inf or -inf, not {ord!r}: there are no singular values')
    row, column = (d + A.ndim if d < 0 else d for d in dim)
    summed, extreme = (row, column) if abs(ord) == 1 else (column, row)
    sums = _ops.sum(_ops.abs(A), dim=summed, keepdim=True, dtype=dtype)
    norms = (_ops.amax if ord > 0 else _ops.amin)(sums, dim=extreme, keepdim=True)
    return norms if keepdim else _ops.squeeze(norms, dim=(row, column))


def norm(A, ord=None, dim=None, keepdim=False, dtype=None):
    """vector_norm() of all elements or, with an ord, of a vector; matrix_norm() where ord is given and there are two
    dimensions."""
    dims = A.ndim if dim is None else 1 if isinstance(dim, int) else len(dim)
    if isinstance(ord, str) or ord is not None and dims == 2:
        return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype)
    if ord is not None and dims > 2:
        raise ValueError(f'with an ord there are one or two dimensions, not {dims}')
    return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype)


def vander(x, N=None):
    """The powers of each number of a vector, in ascending order: (..., N), as many as numbers if there is no N."""
    return _ops.vander(x, n=-1 if N is None else N, increasing=True)


def cross(x, y, dim=-1):
    """The vector product along a dimension of size 3."""
    return _ops.cross(x, y, dim=dim)


__getattr__ = _missing('facula.linalg')
