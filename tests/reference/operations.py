"""Asks PyTorch for rows and writes operations.txt (the format stands in README.md)."""
import sys
import warnings

import torch

from samples import DTYPES, NAMES, Operand, arguments, seed_of

WEIGHTS = 900  # the place of the weights that make gradients of result 0; result 1 has 901
TOLERANCE = {"f32": 2e-6, "f16": 4e-3, "bf16": 3e-2}
LOW = ["f32", "f16", "bf16"]
WHOLE = ["i64", "i32", "u8", "bool"]


class Slices:
    def __getitem__(self, index):
        return index if isinstance(index, tuple) else (index,)


def get(x, text):
    """x[text], as NumPy has it: PyTorch lacks negative steps, so what they choose is gathered."""
    index = eval(f"slices[{text}]", {"slices": Slices(), "newaxis": None})
    covered = sum(1 for i in index if i is not None and i is not Ellipsis)
    out, dim = [], 0
    for i in index:
        if isinstance(i, slice) and i.step is not None and i.step < 0:
            x = x.index_select(dim, torch.tensor(range(x.shape[dim])[i], dtype=torch.int64))
            i = slice(None)
        out.append(i)
        dim += x.dim() - covered if i is Ellipsis else 0 if i is None else 1
    return x[tuple(out)]


def sum_to(x, like):
    return (x if x.is_floating_point() else x.long()).sum_to_size(like.shape)


def recurrent(function, x, params, h_0, c_0, dropout, bidirectional, batch_first):
    """lstm, gru and others, with what nn.LSTM adds: one sequence alone, first states of zeros."""
    single = x.dim() == 2
    x = x.unsqueeze(0 if batch_first else 1) if single else x
    if x.shape[1 if batch_first else 0] == 0:
        raise ValueError("the sequence is empty")
    bias, cells = len(params) > 2 and params[2].dim() == 1, function is torch.lstm
    hidden, out = params[1].shape[0] // (4 if cells else 3 if function is torch.gru else 1), params[1].shape[1]
    directions = 2 if bidirectional else 1
    layers, rest = divmod(len(params), (2 + 2 * bias + (cells and out != hidden)) * directions)
    if rest:
        raise ValueError("parameters are missing")
    begin = [None if s is None else s.unsqueeze(1) if single else s for s in (h_0, c_0)]
    begin = [torch.zeros(layers * directions, x.shape[0 if batch_first else 1], size, dtype=x.dtype) if s is None else s
             for s, size in zip(begin, (out, hidden))]
    results = function(x, tuple(begin) if cells else begin[0], params, bias, layers, dropout, True, bidirectional, batch_first)
    return [results[0].squeeze(0 if batch_first else 1), *(s.squeeze(1) for s in results[1:])] if single else list(results)


NAMESPACE = {**vars(torch), "torch": torch, "get": get, "sum_to": sum_to, "recurrent": recurrent, "float": float, "int": int, "tuple": tuple,
             "range": range, "len": len}


def materialise(given, seed, dtype):
    """The arguments as PyTorch takes them, and the float tensors among them by their place."""
    tensors = {}

    def make(v):
        if isinstance(v, list):
            return [make(item) for item in v]
        if not isinstance(v, Operand):
            return v
        t = v.tensor(seed, dtype)
        if t.dtype.is_floating_point and v.domain != "n":
            tensors[v.place] = t
        return t

    values = {name: make(v) for name, v in given.items()}
    return values, dict(sorted(tensors.items()))


def flat_operands(given):
    for v in given.values():
        yield from (o for o in (v if isinstance(v, list) else [v]) if isinstance(o, Operand))


def ask(row, given, seed, dtype, wanted=None):
    """(results, float operands by place). Where PyTorch has no derivative for one of them, it is asked for that of the
    first alone."""
    values, tensors = materialise(given, seed, dtype)
    tensors = {place: t for place, t in list(tensors.items())[:wanted]}
    for t in tensors.values():
        t.requires_grad_(dtype.is_floating_point)
    try:
        return evaluate(row, values), tensors
    except RuntimeError as e:
        if wanted or "not differentiable with respect to" not in str(e):
            raise
    return ask(row, given, seed, dtype, 1)


def evaluate(row, values):
    results = eval(row.torch, dict(NAMESPACE), values)
    return list(results) if isinstance(results, (tuple, list)) else [results]


def number(v):
    if isinstance(v, (int, bool)):
        return str(int(v))
    return f"{v:.13g}"  # more than any tolerance asks for


def line(tag, t):
    shape = ",".join(map(str, t.shape)) or "-"
    if t._is_zerotensor():  # what some derivatives are: without memory
        t = torch.zeros(t.shape, dtype=t.dtype)
    return " ".join([tag, NAMES[t.dtype], shape] + [number(v) for v in t.detach().flatten().tolist()])


def close(a, b, tolerance):
    a, b = a.detach().double(), b.detach().double()
    return a.shape == b.shape and torch.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)


def gradients(results, tensors, seed):
    """The gradient of a weighted sum of the float results, for each float operand that has one."""
    total, used = 0, False
    for n, y in enumerate(results):
        if y.requires_grad:
            total, used = total + (y * Operand("()", WEIGHTS + n).like(y, seed)).sum(), True
    if not used:
        return {}
    found = torch.autograd.grad(total, list(tensors.values()), allow_unused=True)
    return {place: g for place, g in zip(tensors, found) if g is not None}


def unimplemented(e):
    """Whether PyTorch lacks this, and does not refuse it."""
    return isinstance(e, TypeError) or "not implemented for" in str(e)


def other_dtypes(row, given, seed, reference, tensors):
    whole = None
    for name in LOW + WHOLE:
        try:
            results, _ = ask(row, given, seed, DTYPES[name])
        except Exception as e:
            yield f"{name} 0 {'missing' if unimplemented(e) else 'error'}"
            continue
        for n, y in enumerate(results):
            if reference and name in LOW and close(y, reference[n], TOLERANCE[name]):
                yield f"{name} {n} {NAMES[y.dtype]} ~"
            elif name in WHOLE and whole and close(whole[n], y, 0):
                yield f"{name} {n} {NAMES[y.dtype]} ="
            else:
                yield line(f"{name} {n}", y)
        if name == "i64":
            whole = results


def note(row, sample, e):
    print(f"{row.where}: {row.name} [{sample}]: {str(e).splitlines()[0]}", file=sys.stderr)


def gradient_lines(row, sample, results, tensors, seed):
    try:
        found = gradients(results, tensors, seed)
    except RuntimeError as e:
        return note(row, sample, e)
    yield from (line(f"grad {place}", g) for place, g in found.items())


def sample_lines(row, sample):
    given, seed = arguments(row, sample), seed_of(row.name, sample)
    yield f"sample {sample}"
    reference, tensors = None, {}
    try:
        reference, tensors = ask(row, given, seed, torch.float64)
    except (NameError, SyntaxError):
        raise
    except Exception as e:
        note(row, sample, e)
        yield f"f64 0 {'missing' if unimplemented(e) else 'error'}"
    yield from (line(f"f64 {n}", y) for n, y in enumerate(reference or []))
    yield from gradient_lines(row, sample, reference or [], tensors, seed)
    if any(not o.fixed for o in flat_operands(given)):
        yield from other_dtypes(row, given, seed, reference, tensors)


def row_lines(row):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield f"row {row.name}"
        for sample in row.samples:
            yield from sample_lines(row, sample)
