"""Initializations of parameters, in place."""
from .._init import *  # noqa: F403
from .._init import constant_


def zeros_(tensor):
    """Fills a tensor with zeros."""
    return constant_(tensor, 0)


def ones_(tensor):
    """Fills a tensor with ones."""
    return constant_(tensor, 1)
