"""facula.utils.data: datasets and loaders with PyTorch's names."""
from . import data  # noqa: F401
