"""Transforms of samples."""
from ._transform import *  # noqa: F403
