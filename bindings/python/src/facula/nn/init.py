"""Initializations of parameters, in place."""
import math

from .._init import *  # noqa: F403
from .._init import constant_


def calculate_gain(nonlinearity, param=None):
    """The gain by which initializations scale in front of an activation; param is the slope of "leaky_relu"."""
    slope = 0.01 if param is None else param
    gains = {'tanh': 5 / 3, 'relu': math.sqrt(2), 'leaky_relu': math.sqrt(2 / (1 + slope ** 2)), 'selu': 3 / 4}
    if nonlinearity not in gains and nonlinearity not in ('linear', 'sigmoid', 'conv1d', 'conv2d', 'conv_transpose2d'):
        raise ValueError(f'there is no gain for {nonlinearity!r}')
    return gains.get(nonlinearity, 1)


def zeros_(tensor):
    """Fills a tensor with zeros."""
    return constant_(tensor, 0)


def ones_(tensor):
    """Fills a tensor with ones."""
    return constant_(tensor, 1)
