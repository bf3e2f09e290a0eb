#!/usr/bin/env python3
"""Writes index.txt: what NumPy makes of index texts, for tests/api_tensors.c. Each line is the shape of x, which is
arange, the text, then the shape and the elements of x[text], or `error`."""
import itertools
import os
import random

import numpy

random.seed(7)


def entry():
    kind = random.random()
    number = lambda: str(random.randint(-6, 6))
    if kind < 0.3:
        return str(random.randint(-4, 3))
    if kind < 0.4:
        return "None"
    if kind < 0.5:
        return "..."
    text = (number() if random.random() < 0.6 else "") + ":" + (number() if random.random() < 0.6 else "")
    if random.random() < 0.6:
        text += ":" + (random.choice(["-3", "-2", "-1", "1", "2", "3", "7", "-7"]) if random.random() < 0.9 else "")
    return text


fixed = ["0", "-1", ":", "...", "::-1", "1:", ":-1", "::2", "::-2", "5:", "-9:", ":9", "3:1", "1:3:-1", "3:1:-1",
         "None", "..., 0", "0, ...", "..., None", "None, ...", "1:5, ..., -1", "::-1, ::-1", "0, 0, 0", "...,", "1,",
         "-100:100", "100:-100:-1", ": , 1", "0:0", "2:2:-1", "-1:-4:-2", "None, None, 0"]
shapes = [(), (5,), (1,), (0,), (3, 4), (2, 3, 4), (2, 0, 3), (2, 1, 3, 2)]


def line(shape, text):
    x = numpy.arange(int(numpy.prod(shape, dtype=int))).reshape(shape)
    try:
        y = numpy.asarray(eval("x[" + text + "]", {"x": x}))
    except (IndexError, ValueError):
        return f"{shape!r}|{text}|error|"
    return f"{shape!r}|{text}|{y.shape!r}|{' '.join(map(str, y.ravel()))}"


lines = []
for shape, text in itertools.product(shapes, fixed):
    lines.append(line(shape, text))
for _ in range(600):
    shape = random.choice(shapes[1:])
    text = ", ".join(entry() for _ in range(random.randint(1, len(shape) + 1)))
    lines.append(line(shape, text))
lines = [l for l in dict.fromkeys(lines) if l.count("\n") == 0]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "index.txt"), "w") as file:
    file.write("# written by index.py with NumPy " + numpy.__version__ + "\n" + "\n".join(lines) + "\n")
