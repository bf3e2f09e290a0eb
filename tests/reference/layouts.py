#!/usr/bin/env python3
"""Writes layouts.txt: the strides that PyTorch gives to copies of tensors whose elements lie in memory in many ways, for
tests/dispatch/devices.c. Each line is a shape, strides, and the strides of clone(), which are those of to() too."""
import pathlib
import random

import torch

random.seed(7)


def layout():
    """Dense memory whose dimensions were permuted, sliced and expanded; and strides by chance, which may overlap."""
    shape = [random.choice([1, 2, 2, 3, 3, 4]) for _ in range(random.randint(1, 5))]
    if random.random() < 0.3:
        return shape, [random.choice([0, 1, 1, 2, 3, 4, 6, 12]) for _ in shape]
    x = torch.empty([n * random.choice([1, 1, 1, 2]) for n in shape])
    x = x[tuple(slice(0, None, x.shape[i] // n) if random.random() < 0.5 else slice(0, n)
                for i, n in enumerate(shape))]
    for i in range(x.dim()):
        if x.shape[i] == 1 and random.random() < 0.7:
            x = x.expand([random.randint(1, 3) if k == i else -1 for k in range(x.dim())])
    x = x.permute(random.sample(range(x.dim()), x.dim()))
    return list(x.shape), list(x.stride())


def line(shape, stride):
    x = torch.empty(5000).as_strided(shape, stride)
    copies = [x.clone(), x.to(torch.float64), x.to(torch.float32, copy=True)]
    assert all(c.stride() == copies[0].stride() for c in copies)
    return "|".join(" ".join(map(str, part)) for part in (shape, stride, copies[0].stride()))


lines = dict.fromkeys(line(*layout()) for _ in range(800))
path = pathlib.Path(__file__).resolve().parent / "layouts.txt"
path.write_text(f"# written by layouts.py with PyTorch {torch.__version__.partition('+')[0]}\n" + "\n".join(lines) + "\n")
