"""Writes autocast.txt: the dtypes of results under autocast to bf16 on the CPU.

A line is `row form dtypes: sample`. The form says what the floating operands are: f32, bf16, or both, where the first
one of the sample is f32 and the others bf16. Results that are no floating tensors are written as
they are; `error` stands for what PyTorch refuses."""
import warnings

import torch

from operations import evaluate, flat_operands, materialise
from rows import read_rows
from samples import NAMES, Operand, arguments, seed_of

FORMS = ["f32", "bf16", "both"]


def in_order(given):
    """The arguments in the order in which the sample has their operands."""

    def place(v):
        return min((o.place for o in (v if isinstance(v, list) else [v]) if isinstance(o, Operand)), default=-1)

    return dict(sorted(given.items(), key=lambda item: place(item[1])))


def cast(values, form):
    """The arguments with floating tensors of the form's dtypes."""
    seen = 0

    def of(v):
        nonlocal seen
        if isinstance(v, list):
            return [of(item) for item in v]
        if not isinstance(v, torch.Tensor) or v.dtype != torch.float32:
            return v
        seen += 1
        return v.bfloat16() if form == "bf16" or (form == "both" and seen > 1) else v

    values = {name: of(v) for name, v in values.items()}
    return values, seen


def answer(row, values):
    try:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            results = evaluate(row, values)
    except Exception:
        return "error"
    return " ".join(NAMES.get(y.dtype, "other") if isinstance(y, torch.Tensor) else "other" for y in results)


def lines():
    warnings.simplefilter("ignore")
    for name, row in sorted(read_rows().items()):
        if not row.torch or row.internal:
            continue
        for sample in row.samples:
            given, seed = in_order(arguments(row, sample)), seed_of(name, sample)
            if all(o.fixed for o in flat_operands(given)):
                continue
            for form in FORMS:
                values, floats = cast(materialise(given, seed, torch.float32)[0], form)
                if floats and (form != "both" or floats > 1):
                    yield f"{name} {form} {answer(row, values)}: {sample}"
