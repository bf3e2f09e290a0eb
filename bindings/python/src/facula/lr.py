"""Schedules of learning rates; facula.optim.lr_scheduler has them with the names of PyTorch."""
from ._lr import *  # noqa: F403
