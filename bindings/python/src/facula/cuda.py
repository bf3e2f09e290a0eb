"""CUDA devices."""
from ctypes import POINTER, c_bool, c_char_p, c_int

from ._library import Device, _declare, _device, _fail
from ._missing import missing as _missing
from ._settings import manual_seed

_count = _declare('fa_device_count', c_int, [c_char_p, POINTER(c_char_p)])
_synchronize = _declare('fa_synchronize', c_bool, [Device])
manual_seed_all = manual_seed


def device_count():
    """The number of CUDA devices."""
    return max(_count(b'cuda', None), 0)


def is_available():
    """Whether there is a CUDA device."""
    return device_count() > 0


def synchronize(device='cuda'):
    """Waits until a device has done all that was asked of it."""
    if not _synchronize(_device(device)):
        _fail()


__getattr__ = _missing('facula.cuda')
