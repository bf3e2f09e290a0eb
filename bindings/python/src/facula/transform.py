"""Transforms of images and samples. facula.transform.RandomCrop and facula.transform.random_crop are the same function."""
import functools as _functools
import inspect as _inspect

from . import _transform
from ._layers import Transforms as _Transforms, _plain, _shown, _title
from ._modules import Lambda  # noqa: F401


def _made_with(make):
    """A function that makes a transform, whose text then has the options."""
    signature = _inspect.signature(make)

    @_functools.wraps(make)
    def made(*arguments, **options):
        transform = make(*arguments, **options)
        given = signature.bind(*arguments, **options).arguments
        transform.__dict__['_shown'] = _shown({name: _plain(value) for name, value in given.items()})
        return transform
    return made


for _name in _transform.__all__:
    globals()[_name] = globals()[_title(_name)] = _made_with(getattr(_transform, _name))


def compose(*transforms):
    """Applies transforms one after the other; functions of Python, too."""
    return _Transforms(*transforms)


def Compose(transforms):
    """compose() of a list."""
    return compose(*transforms)
