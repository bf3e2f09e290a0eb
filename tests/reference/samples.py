"""The grammar of samples and the values they stand for: README.md says what is written how. tests/support/sample.c holds
the same grammar and the same values."""
import math
import re

import numpy as np
import torch

from rows import split

DTYPES = {"bool": torch.bool, "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
          "i64": torch.int64, "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}
NAMES = {v: k for k, v in DTYPES.items()}
MASK = 0xFFFFFFFF
SPECIAL = [math.nan, math.inf, -math.inf, 0.0, -0.0, 0.5, -0.5, 1.0, 3.0]


def seed_of(row, text):
    """FNV-1a of "row:text"."""
    h = 0x811C9DC5
    for byte in f"{row}:{text}".encode():
        h = (h ^ byte) * 0x01000193 & MASK
    return h


def draw(seed, place, i):
    x = seed + place * 0x9E3779B9 + i * 0x85EBCA6B & MASK
    x = (x ^ x >> 16) * 0x85EBCA6B & MASK
    x = (x ^ x >> 13) * 0xC2B2AE35 & MASK
    return x ^ x >> 16


def permutation(seed, place, count):
    p = list(range(count))
    for k in range(count - 1, 0, -1):
        j = draw(seed, place, k) % (k + 1)
        p[k], p[j] = p[j], p[k]
    return p


def value(domain, sort, h, place, i, count):
    """What an element is; sort is "float", "signed", "unsigned" or "bool"; h is drawn or permuted."""
    whole = sort != "float"
    if sort == "bool":
        return 1 if domain == "p" else i & 1 if domain == "n" else h & 1
    if domain == "p":
        return 1 + h % 8 if whole else (16 + h % 192) / 64
    if domain == "a" and not whole:
        return (80 + h % 192) / 64
    if domain == "u":
        return h & 1 if whole else h % 64 / 64
    if domain == "d":
        return h - (count // 2 if sort == "signed" else 0) if whole else (4 * h - 2 * count + 1) / 64
    if domain == "t":
        return h % 3 - (0 if sort == "unsigned" else 1)
    if domain == "n":
        return i % 9 - (4 if sort == "signed" else 0) if whole else SPECIAL[(i + (place & 1) * (i // 9)) % 9]
    if whole:
        return h % 9 - (4 if sort == "signed" else 0)
    return (4 * (h % 64) - 127 + 2 * (place & 1)) / 64


class Operand:
    """A tensor of a sample: its kind, its shape, and where it stands."""

    def __init__(self, text, place):
        m = re.fullmatch(r"([paudtnirb]?)\(([\d,]*)\)(?:<(\d+))?", text)
        if not m:
            raise SyntaxError(f"{text!r} is no tensor")
        self.domain, self.place, self.below = m[1], place, int(m[3] or 0)
        self.shape = tuple(int(n) for n in m[2].split(",") if n)
        self.fixed = {"i": "i64", "r": "i64", "b": "bool"}.get(self.domain)

    def values(self, seed, dtype):
        count = math.prod(self.shape)
        sort = ("float" if dtype.is_floating_point else "bool" if dtype == torch.bool
                else "unsigned" if dtype == torch.uint8 else "signed")
        if self.domain in ("d", "r"):
            drawn = permutation(seed, self.place, count)
        else:
            drawn = [draw(seed, self.place, i) for i in range(count)]
        if self.domain == "r":
            return drawn
        if self.below:
            return [h % self.below for h in drawn]
        return [value(self.domain, sort, h, self.place, i, count) for i, h in enumerate(drawn)]

    def tensor(self, seed, dtype):
        dtype = DTYPES[self.fixed] if self.fixed else dtype
        flat = np.array(self.values(seed, dtype), dtype=np.float64)
        return torch.from_numpy(flat).to(dtype).reshape(self.shape)

    def like(self, y, seed):
        """Values of this kind in the shape and dtype of y."""
        other = Operand("()", self.place)
        other.shape = tuple(y.shape)
        return other.tensor(seed, y.dtype)


class Variable(int):
    """A variable of a program, "x3": there are none in samples (run.py gives them their values)."""


def operand(text, place):
    return Variable(text[1:]) if re.fullmatch(r"x\d+", text) else Operand(text, place)


def scalar(text):
    if text in ("true", "false"):
        return text == "true"
    if text in ("nan", "inf", "-inf"):
        return float(text)
    return float(text) if re.search(r"[.e]", text) else int(text)


def parse(kind, text, place):
    """The value of one argument: an Operand, a list of them, or what Python is to see."""
    if text == "null":
        return None
    if text[0] == "[":
        return [operand(t, place + 16 * (n + 1)) for n, t in enumerate(split(text[1:-1], " ")) if t]
    if text[0] == "'":
        return text[1:-1]
    if kind == "shape":
        return tuple(int(n) for n in text[2:-1].split(",") if n)
    if kind == "list":
        return tuple(scalar(n) for n in text[2:-1].split(",") if n)
    if kind == "dims":
        return None if text == "all" else tuple(map(int, text[1:-1].split(","))) if text[0] == "{" else int(text)
    if kind == "pair":
        return text if text == "same" else tuple(map(int, text[1:-1].split(","))) if text[0] == "{" else int(text)
    if kind == "dtype":
        return DTYPES[text]
    if kind == "enum":
        return ENUMS.get(text, text)
    return operand(text, place) if "(" in text or text[0] == "x" else scalar(text)


ENUMS = {"0": "mean", "1": "sum", "2": "none"}


def default(f):
    """What an option is when nobody gives it."""
    text = f.default.strip()
    if f.kind in ("device", "key") or text in ("NULL", "FA_ALL", "FA_SAME", "INT64_MIN", "INT64_MAX"):
        return None
    if f.kind in ("shape", "list"):
        rank, *sizes = map(int, re.findall(r"-?\d+", text))
        return tuple(sizes[:rank])
    if f.kind == "enum":
        return text.removeprefix("FA_").lower()
    if text.startswith("FA_DIMS"):
        return tuple(int(n) for n in text[8:-1].split(","))
    if f.kind == "dtype":
        return DTYPES[text.removeprefix("FA_").lower()]
    if text[0] == '"':
        return text[1:-1]
    if text in ("INFINITY", "-INFINITY"):
        return float(text.lower().removesuffix("inity"))
    m = re.fullmatch(r"fa__arg_[fib]\((.*)\)", text)
    return scalar(m[1] if m else text)


def arguments(row, sample):
    """field name -> value, for each field of the row."""
    tokens = [t for t in split(sample, " ", quotes="'") if t]
    named = {m[1] for t in tokens if (m := re.match(r"([a-z_]\w*)=", t))}
    free = [f for f in row.fields if f.default is None and f.kind != "key" and f.name not in named]
    given = {f.name: default(f) for f in row.fields if f.default is not None}
    kinds = {f.name: f.kind for f in row.fields}
    for place, token in enumerate(tokens):
        name, _, text = token.partition("=") if re.match(r"[a-z_]\w*=", token) else (None, None, token)
        if name is None:
            if not free:
                raise SyntaxError(f"{row.name}: more values than fields in {sample!r}")
            name = free.pop(0).name
        given[name] = parse(kinds[name], text, place)
    if free:
        raise SyntaxError(f"{row.name}: no {free[0].name} in {sample!r}")
    return given
