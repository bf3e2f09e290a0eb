"""Datasets and loaders; facula.utils.data has those of PyTorch's names."""
from ._callbacks import dataset_of as dataset  # noqa: F401
from ._data import *  # noqa: F403
