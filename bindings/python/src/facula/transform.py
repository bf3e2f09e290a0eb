"""Transforms of images and samples. facula.transform.RandomCrop and facula.transform.random_crop are the same function."""
from . import _transform
from ._layers import Transforms as _Transforms
from ._modules import Lambda  # noqa: F401
from ._transform import *  # noqa: F403


def compose(*transforms):
    """Applies transforms one after the other; functions of Python, too."""
    return _Transforms(*transforms)


def Compose(transforms):
    """compose() of a list."""
    return compose(*transforms)


globals().update((''.join(word.capitalize() for word in name.split('_')), getattr(_transform, name))
                 for name in _transform.__all__)
