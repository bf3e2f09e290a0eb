"""Parameters and their gradients, all together; sequences of different lengths (rnn)."""
from ctypes import Structure, byref, c_bool, c_char, c_double, c_size_t, c_void_p

from ... import _ops
from ..._library import Parameters, _call, _declare, _fail, _parameter_list, _parameters
from . import rnn  # noqa: F401


class _ClipOptions(Structure):
    _fields_ = [('size', c_size_t), ('norm_type', c_double), ('error_if_nonfinite', c_bool), ('fa__end', c_char)]


_clip_norm = _declare('fa_clip_grad_norm', c_void_p, [Parameters, c_double, c_void_p])
_clip_value = _declare('fa_clip_grad_value', c_bool, [Parameters, c_double])


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    """Scales the gradients of parameters (some tensors, or a module) so that their norm, of all together, is at most max_norm.
    Returns the norm before."""
    options = _ClipOptions(_ClipOptions.fa__end.offset, norm_type, error_if_nonfinite)
    return _call(_clip_norm, _parameters(_parameter_list(parameters)), max_norm, byref(options))


def clip_grad_value_(parameters, clip_value):
    """Limits the gradients of parameters (some tensors, or a module) to -clip_value to clip_value."""
    if not _clip_value(_parameters(_parameter_list(parameters)), clip_value):
        _fail()


def parameters_to_vector(parameters):
    """The elements of parameters (some tensors, or a module), one after the other."""
    return _ops.cat([p.reshape(-1) for p in _parameter_list(parameters)])


def vector_to_parameters(vec, parameters):
    """Copies the elements of a vector into parameters (some tensors, or a module), one after the other."""
    begin, parameters = 0, _parameter_list(parameters)
    count = sum(p.numel() for p in parameters)
    if vec.numel() != count:
        raise ValueError(f'the vector has {vec.numel()} elements, and the parameters {count}')
    for p in parameters:
        p.data = vec[begin:begin + p.numel()].view(p.shape)
        begin += p.numel()
