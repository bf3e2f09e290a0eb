#!/usr/bin/env python3
"""Writes index.txt and index_tensors.txt: what NumPy makes of indices, for tests/ops/numpy_index.c and tests/ops/tensor_index.c.

A line of index.txt is the shape of x, which is arange, the text, then the shape and the elements of x[text], or `error`.
In index_tensors.txt there are tensors among the entries: <2,3:0 1 ...> of integers, <b3:1 0 1> masks; and two more
columns, the elements of x after x[index] = 100, 101, ... and after these were added instead (numpy.add.at)."""
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


def tensor(shape):
    """An index of integers for a dimension of this size, or a mask for some."""
    kind = random.random()
    if kind < 0.35:
        mask = numpy.array([random.random() < 0.5 for _ in range(int(numpy.prod(shape, dtype=int)))], bool)
        return mask.reshape(shape)
    sizes = random.choice([(), (2,), (3,), (3,), (1,), (2, 1), (2, 3), (0,)])
    low, high = -shape[0], shape[0]
    if random.random() < 0.04:
        high += 1
    count = int(numpy.prod(sizes, dtype=int))
    return numpy.array([random.randrange(low, high) if low < high else 0 for _ in range(count)], int).reshape(sizes)


def spelled(part):
    if not isinstance(part, numpy.ndarray):
        return part
    sizes = ",".join(map(str, part.shape))
    return f"<{'b' if part.dtype == bool else ''}{sizes}:{' '.join(str(int(v)) for v in part.ravel())}>"


def evaluated(part):
    return [part] if isinstance(part, numpy.ndarray) else list(eval("numpy.index_exp[" + part + "]"))


def numbers(x):
    return " ".join(map(str, x.ravel()))


def tensor_line(shape, parts):
    x = numpy.arange(int(numpy.prod(shape, dtype=int))).reshape(shape)
    head = f"{shape!r}|{', '.join(map(spelled, parts))}|"
    index = tuple(e for part in parts for e in evaluated(part))
    try:
        y = numpy.asarray(x[index])
    except IndexError:
        return head + "error|||"
    if y.ndim > 8 or y.size > 60:
        return None
    if y.size == 0 and x.size == 0 and any(isinstance(p, numpy.ndarray) and p.dtype != bool and p.size for p in parts):
        return None  # NumPy does not look at indices by which nothing is taken
    value = 100 + numpy.arange(y.size).reshape(y.shape)
    put, added = x.copy(), x.copy()
    put[index] = value
    numpy.add.at(added, index, value)
    return head + f"{y.shape!r}|{numbers(y)}|{numbers(put)}|{numbers(added)}"


def random_parts(shape):
    parts, left = [], list(shape)
    while left and random.random() < 0.85:
        kind = random.random()
        if kind < 0.5:
            covers = 2 if len(left) > 1 and random.random() < 0.3 else 1
            part = tensor(left[:covers])
            del left[: part.ndim if part.dtype == bool else 1]
        elif kind < 0.62:
            part = "None"
        elif kind < 0.7:
            part = "None" if any(isinstance(p, str) and p == "..." for p in parts) else "..."
        elif kind < 0.82:
            part, left = str(random.randint(-left[0], max(left[0] - 1, 0))), left[1:]
        else:
            part, left = random.choice([":", "::2", "::-1", "1:", ":-1", "::-2"]), left[1:]
        parts.append(part)
    if not any(isinstance(part, numpy.ndarray) for part in parts):
        parts.append(tensor(left[:1]) if left else numpy.array(random.random() < 0.5))
    return parts


three, two = numpy.array([1, 2]), numpy.array([0, 1])
tensor_lines = [tensor_line(shape, parts) for shape, parts in [
    ((2, 3, 4), ["0", ":", three]), ((2, 3, 4), [two, ":", three]), ((2, 3, 4), [":", two, three]),
    ((2, 3, 4), [":", "0", three]), ((2, 3, 4), ["0", "...", three]), ((2, 3, 4), ["0", two, "..."]),
    ((2, 3), ["0", "...", three]), ((2, 3), ["...", two]), ((2, 3), [two, "None", two]), ((2, 3), [two, two, "None"]),
    ((2, 3, 4), [numpy.eye(2, 3, dtype=bool)]), ((2, 3, 4), [":", numpy.eye(3, 4, dtype=bool)]),
    ((2, 3), [numpy.array(True)]), ((2, 3), [numpy.array(False)]), ((), [numpy.array(True)]), ((), [numpy.array(False)]),
    ((2, 3), [numpy.eye(3, dtype=bool)]), ((4,), [numpy.array([0, 0, 3, 0])]), ((2, 3, 4), ["..., 0", two]),
    ((3, 4), [numpy.array([True, False, True]), three]), ((3, 4), [three, numpy.array([True, False, False, False])]),
    ((0,), [numpy.zeros(0, int)]), ((0, 3), [":", two]), ((2, 3), [numpy.array([5])]), ((2, 3), [two, two, two]),
    ((2, 3), [numpy.array(0), ":"]), ((2, 3, 2), [":", numpy.array(1), ":"]), ((2, 3, 2), [two, "0, ::-1"])]]
for _ in range(700):
    shape = random.choice(shapes[1:] + [(2, 3, 4), (3, 2, 2)])
    tensor_lines.append(tensor_line(shape, random_parts(shape)))
tensor_lines = [l for l in dict.fromkeys(tensor_lines) if l]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "index_tensors.txt"), "w") as file:
    file.write("# written by index.py with NumPy " + numpy.__version__ + "\n" + "\n".join(tensor_lines) + "\n")
