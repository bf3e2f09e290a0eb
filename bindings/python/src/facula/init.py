"""Initializations of parameters, in place: facula.nn.init."""
from .nn.init import *  # noqa: F403
