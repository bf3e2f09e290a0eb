"""Samplers, for the `sampler` of facula.data.loader() and of facula.utils.data.DataLoader(): weighted(), stratified(),
bucketed() (samples of similar lengths together), distributed(), random(), sequential(). facula.utils.data has those of
PyTorch's names."""
from ._sampler import *  # noqa: F403
