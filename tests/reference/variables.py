"""The variables of programs, what PyTorch refuses of their lines, and where Facula's views are not PyTorch's.

Facula has views that PyTorch lacks: slices with negative steps. A variable that is such a view is kept as what it is a view
of, and a function; it is evaluated anew whenever it is read, and written through the places of its elements."""
import ast
import collections
import functools
import re

import torch

from rows import read_rows

ROWS = read_rows()
DIFFERENT = collections.defaultdict(set, {n: set(r.differs.partition(":")[0].split()) for n, r in ROWS.items()})
COPIED = ("sum_to", "nonzero_tuple", "cartesian_prod", "feature_dropout")  # copies here, views in PyTorch, some where nothing is to be done
ARRANGED = ("clone", "move", "copy", "einsum", "scatter_reduce", "flip", "fliplr", "flipud", "rot90")  # have other strides here
CONSTANT = ("histogram",)  # have a history in PyTorch, through which nothing flows
OURS = ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_k0", "modified_bessel_k1", "spherical_bessel_j0",
        "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "nextafter")  # without a gradient in PyTorch
PICKS = ("kthvalue", "topk", "median", "nanmedian", "mode", "quantile", "nanquantile")  # of equal elements they find another one
BY_LAYOUT = ("view", "reshape", "flatten", "unflatten", "contiguous", "as_strided", "broadcast_tensors", "meshgrid")

# What PyTorch refuses on purpose, by its message.
REFUSALS = {
    "leaf": "a leaf Variable that requires grad",
    "leaf_view": "a view of a leaf Variable",
    "parts": "returns multiple views",
    "no_grad_view": "no_grad mode|base was created in",
    "overlap": "refer to a single memory location",
    "cast": "can't be cast to",
    "shape": "match the broadcast shape|must match the size of tensor|must match the existing size|"
             "is not compatible with input tensor's|is invalid for input of size|cannot be multiplied",
    "copy": "view size is not compatible",
    "constant": "does not require grad and does not have a grad_fn",
    "changed": "modified by an inplace operation",
    "freed": "backward through the graph a second time",
}


DROPPED = collections.Counter()  # what PyTorch says of lines that are not kept


class Refused(Exception):
    """PyTorch refuses the line, and so must we."""


class Dropped(Exception):
    """Nothing to be learned from the line."""


def tag_of(e):
    for tag, pattern in REFUSALS.items():
        if re.search(pattern, str(e)):
            return tag
    DROPPED[re.sub(r"[\d\[\], ]+", " ", f"{type(e).__name__}: {e}".partition("\n")[0])[:120]] += 1
    raise Dropped(str(e)) from e


class Abandoned(Exception):
    """A line changed variables and was no good: the program is drawn anew."""


class Var:
    """A tensor, or what `f` makes of it where that is no view in PyTorch."""

    def __init__(self, t, f=None, frozen=False, laid=False, itself=False):
        self.t, self.f = t, f
        self.frozen = frozen  # not to be changed: Facula has other memory here
        self.sets_strides = laid      # its strides are not PyTorch's
        self.itself = itself  # Facula may have a view here, or the very tensor: their gradients are not told apart
        self.viewed = False
        self.turned = False   # there are views of it that PyTorch lacks

    def value(self):
        return self.f(self.t) if self.f else self.t

    def readable(self):
        """Parts of a tensor that was changed in place since are not to be looked at in PyTorch; in Facula they are."""
        try:
            return self.t.is_leaf in (True, False)
        except RuntimeError:
            return False

    def root(self):
        return self.t.untyped_storage()._cdata

    def places(self):
        """Where in the storage each element is."""
        storage = torch.arange(len(self.t.untyped_storage()) // self.t.element_size())
        at = torch.as_strided(storage, self.t.shape, self.t.stride(), self.t.storage_offset())
        return self.f(at) if self.f else at


@functools.cache
def native(name):
    """The in-place form of a row's expression, as "x.add_(y)"; None when PyTorch has none."""
    row = ROWS[name]
    call = ast.parse(row.torch, mode="eval").body
    if not isinstance(call, ast.Call):
        return None
    if isinstance(call.func, ast.Name) and call.args and ast.unparse(call.args[0]) == row.inplace:
        name = call.func.id
        call.args.pop(0)
    elif isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == row.inplace:
        name = call.func.attr
    else:
        return None
    call.func = ast.Attribute(ast.Name(row.inplace, ast.Load()), name + "_", ast.Load())
    return ast.unparse(call) if hasattr(torch.Tensor, name + "_") else None


def index_of(text):
    return eval(f"Slices()[{text}]", {"Slices": type("Slices", (), {"__getitem__": lambda self, i: i}), "newaxis": None})


def turns(text):
    return "::-" in text or re.search(r":-?\d*:-", text) is not None
