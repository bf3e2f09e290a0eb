"""Writes every_dtype.safetensors with the format's own library: what tests/io/safetensors.c writes has to be the same bytes."""
import pathlib

import torch
from safetensors.torch import save_file

of = torch.tensor
tensors = {
    "b.weight": torch.arange(6, dtype=torch.float32).reshape(2, 3),
    "a": of([True, False, True]),
    "z": of(2.5, dtype=torch.float64),
    "h": of([1.5, -2.0], dtype=torch.float16),
    "bf": of([[1.5]], dtype=torch.bfloat16),
    "i": torch.arange(3),
    "e": torch.zeros(0, 4),
    "u": of([200], dtype=torch.uint8),
    'q"uo\\té': of([7], dtype=torch.int32),
    "s": of([-5], dtype=torch.int16),
    "c": of([-6], dtype=torch.int8),
}
save_file(tensors, pathlib.Path(__file__).with_name("every_dtype.safetensors"), metadata={"format": "pt"})
