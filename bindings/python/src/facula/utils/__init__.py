"""facula.utils.data: datasets and loaders with PyTorch's names."""
from . import data  # noqa: F401
from .._missing import missing as _missing


__getattr__ = _missing('facula.utils')
