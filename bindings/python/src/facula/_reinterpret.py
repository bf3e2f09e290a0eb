"""view() of a tensor's memory in another dtype, through DLPack's description of the memory."""
from ctypes import POINTER, Structure, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p, cast

from . import _library as _l, _ops
from ._tensor import _NAMES, _capsule_pointer, from_dlpack


class _Described(Structure):
    _fields_ = [('data', c_void_p), ('device', c_int32 * 2), ('ndim', c_int32), ('code', c_uint8), ('bits', c_uint8), ('lanes', c_uint16),
                ('shape', POINTER(c_int64)), ('strides', POINTER(c_int64)), ('byte_offset', c_uint64)]


def _described(capsule):
    return cast(_capsule_pointer(id(capsule), _NAMES[False]), POINTER(_Described)).contents


def reinterpreted(x, dtype):
    """The same bytes as elements of another dtype, without a copy and a gradient; the last dimension is as much longer or shorter as
    elements are smaller or larger."""
    d, old = _l._dtype(dtype), x.dtype.size
    strides = x.stride()
    if d.size != old and (not strides or strides[-1] != 1):
        raise _l.Error(f'elements of {d.name} have another size: the last dimension has to lie in memory without gaps: x.contiguous()', 'shape')
    if any(n * old % d.size for n in (x.shape[-1:] + strides[:-1] if d.size > old else ())):
        raise _l.Error(f'the bytes of a tensor of {x.dtype.name} of shape {x.shape} are no elements of {d.name}', 'shape')
    capsule, kind = x.detach().__dlpack__(), _ops.empty((1,), dtype=d).__dlpack__()
    of, known = _described(capsule), _described(kind)
    of.code, of.bits, of.lanes = known.code, known.bits, known.lanes
    if d.size != old:
        of.shape[of.ndim - 1] = x.shape[-1] * old // d.size
        for i, stride in enumerate(strides[:-1]):
            of.strides[i] = stride * old // d.size
    if ((of.data or 0) + of.byte_offset) % d.size:
        raise _l.Error(f'the tensor begins between elements of {d.name}: x.clone()', 'shape')
    return from_dlpack(capsule)
