"""Writes promotion.txt: the dtype of the result for pairs of operands.

A line is `operation form left: results`. The form is two letters, one for each operand: t a tensor of shape (2,), 0 a
0-dim tensor, b, i and f the numbers True, 1 and 1.5. `left` is the left operand's dtype ("-" when it is a number), and
the results are for the right operand's dtypes in order, or one when it is a number. An operation whose name ends with "_"
works in place on the left operand."""
import torch

from samples import DTYPES, NAMES

NUMBERS = {"b": True, "i": 1, "f": 1.5}
FORMS = ["tt", "t0", "0t", "00", "tb", "ti", "tf", "0b", "0i", "0f", "bt", "it", "ft", "b0", "i0", "f0"]
OPERATIONS = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "pow": torch.pow, "eq": torch.eq,
    "where": lambda a, b: torch.where(torch.tensor([True, False]), a, b),
    "floor_divide": torch.floor_divide, "remainder": torch.remainder, "fmod": torch.fmod, "atan2": torch.atan2,
    "maximum": torch.maximum, "fmin": torch.fmin, "copysign": torch.copysign, "xlogy": torch.xlogy,
    "bitwise_and": torch.bitwise_and, "bitwise_left_shift": torch.bitwise_left_shift, "gcd": torch.gcd,
    "logical_xor": torch.logical_xor,
    "add_": lambda a, b: a.add_(b), "sub_": lambda a, b: a.sub_(b), "mul_": lambda a, b: a.mul_(b),
    "div_": lambda a, b: a.div_(b), "pow_": lambda a, b: a.pow_(b),
}


def operands(letter):
    if letter in NUMBERS:
        return {"-": lambda: NUMBERS[letter]}
    shape = () if letter == "0" else (2,)
    return {name: lambda d=d: torch.ones(shape, dtype=d) for name, d in DTYPES.items()}


def result(function, a, b):
    try:
        return NAMES[function(a, b).dtype]
    except Exception as e:
        return "missing" if isinstance(e, TypeError) or "not implemented for" in str(e) else "error"


def lines():
    for name, function in OPERATIONS.items():
        for form in FORMS:
            if name.endswith("_") and (form[0] not in "t0" or form == "0t"):
                continue
            for left, a in operands(form[0]).items():
                found = [result(function, a(), b()) for b in operands(form[1]).values()]
                yield f"{name} {form} {left}: {' '.join(found)}"
    for left, a in DTYPES.items():
        yield f"cat tt {left}: " + " ".join(
            result(lambda x, y: torch.cat([x, y]), torch.ones(2, dtype=a), torch.ones(2, dtype=b)) for b in DTYPES.values())
    for left, a in DTYPES.items():
        yield f"matmul tt {left}: " + " ".join(
            result(torch.matmul, torch.ones(2, 2, dtype=a), torch.ones(2, 2, dtype=b)) for b in DTYPES.values())
