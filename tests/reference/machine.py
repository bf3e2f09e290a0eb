"""Runs the lines of a program (README.md says how they are written) in PyTorch, and says what is to be seen after each."""
import re
import warnings

import torch

from operations import NAMESPACE, WEIGHTS, get
from rows import split
from samples import DTYPES, NAMES, Operand, Variable, default, parse, scalar, seed_of
from variables import (ARRANGED, BY_LAYOUT, CONSTANT, COPIED, DIFFERENT, OURS, PICKS, REFUSALS, ROWS, Abandoned, Dropped,
                       Refused, Var, index_of, native, tag_of, turns)

CHECKSUM = 800  # the place of the weights that values are summed with
LARGEST = 1e4


def tensors_in(values):
    """The tensors among a call's values, those in lists too."""
    for v in values.values():
        yield from (t for t in (v if isinstance(v, list) else [v]) if isinstance(t, torch.Tensor))


class Machine:
    """`widen` makes f64 of f32; `nudge` changes the leaves a little; `truth` forgives changes of what backward needs."""

    def __init__(self, name, widen=False, nudge=0, truth=False):
        self.name, self.seed = name, seed_of("programs", name)
        self.widen, self.truth = widen, truth
        self.vars, self.number = [], 0
        self.random = torch.Generator().manual_seed(nudge) if nudge else None

    # ---- lines ----

    def run(self, line):
        """What is to be seen: a list of (name, dtype, shape, sum, magnitude, memory)."""
        self.number += 1
        m = re.fullmatch(r"(no_grad )?(?:((?:x\d+ )+)= )?(\w+)(?: (.*))?", line)
        targets = m[2].split() if m[2] else []
        name, rest = m[3], [t for t in split(m[4] or "", " ", quotes="'") if t]
        do = getattr(self, "do_" + name, None)
        with torch.set_grad_enabled(not m[1]), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return do(targets, rest) if do else self.row(targets, name, rest)
            except (Refused, Dropped, Abandoned, SyntaxError, NameError):
                raise
            except Exception as e:
                raise Refused(tag_of(e)) from e

    def var(self, name):
        return self.vars[int(name[1:])]

    def see(self, name, memory=None):
        v = self.var(name)
        t = v.value().detach()
        flat = t.double().flatten()
        if not bool(flat.isfinite().all()) or (flat.numel() and float(flat.abs().max()) > LARGEST):
            raise Dropped("values out of bounds")
        return (name, NAMES[t.dtype], tuple(t.shape)) + self.summed(flat) + (memory,)

    def summed(self, flat):
        o = Operand(f"({flat.numel()})", CHECKSUM)
        w = o.tensor(self.seed, torch.float64) * flat
        return float(w.sum()), float(w.abs().sum())

    def add(self, v, targets):
        name = targets.pop(0)
        if int(name[1:]) != len(self.vars):
            raise Dropped("PyTorch refuses an earlier line in f64 only")
        self.vars.append(v)
        return self.see(name, self.memory_of(v, len(self.vars) - 1))

    def memory_of(self, v, number):
        """The first variable whose memory it shares, and strides where they are PyTorch's; "-" for memory of its own."""
        t = v.value()
        if not t.numel() or v.frozen:
            return None
        for k, other in enumerate(self.vars[:number]):
            if other and other.root() == v.root() and other.t.numel() and not other.frozen:
                strides = "" if v.f or v.sets_strides else ",".join(map(str, t.stride()))
                return f"x{k} {strides or '-'}"
        return "new"

    # ---- leaves ----

    def do_leaf(self, targets, rest):
        o, dtype, how = Operand(rest[0], self.number), DTYPES[rest[1]], rest[2]
        if self.widen and dtype == torch.float32:
            dtype = torch.float64
        t = o.tensor(self.seed, dtype)
        if how == "expanded":
            t = t.clone()
            dim = next((i for i, n in enumerate(o.shape) if n > 1), None)
            if dim is not None:
                t[:] = t.select(dim, 0).unsqueeze(dim).clone()
        if self.random and t.dtype.is_floating_point:
            noise = torch.rand(t.shape, generator=self.random, dtype=torch.float64) - 0.5
            if how == "expanded" and dim is not None:
                noise = noise.select(dim, 0).unsqueeze(dim).expand(t.shape)
            t = (t.double() * (1 + 2e-6 * noise) + 1e-6 * noise).to(t.dtype)
        v = Var(self.lay(t, how), frozen=how in ("negative", "expanded"), laid=how == "negative")
        v.t.requires_grad_("grad" in rest[3:])
        return [self.add(v, targets)]

    def lay(self, t, how):
        """The same values in another layout, as tests/support/tensors.c lays them out."""
        if how in ("dense", "negative"):
            return t
        rank, shape, strides = t.dim(), t.shape, [0] * t.dim()
        step, skip = 2 if how == "gaps" else 1, None
        if how == "expanded":
            skip = next((i for i, n in enumerate(shape) if n > 1), None)
        for i in range(rank) if how == "transposed" else reversed(range(rank)):
            strides[i] = 0 if i == skip else step
            step *= 1 if i == skip or not shape[i] else shape[i]
        offset = 3 if how == "gaps" else 0
        span = offset + 1 + sum((n - 1) * s for n, s in zip(shape, strides) if n)
        memory = torch.zeros(span, dtype=t.dtype)
        if t.numel():
            at = torch.as_strided(torch.arange(span), shape, strides, offset)
            memory[at.flatten()] = t.flatten()
        return torch.empty(0, dtype=t.dtype).set_(memory.untyped_storage(), offset, shape, strides)

    # ---- rows ----

    def arguments(self, row, tokens):
        """Field name -> value, with variables in it; what out= names stands beside."""
        given = {f.name: default(f) for f in row.fields if f.default is not None and f.kind != "key"}
        kinds = {f.name: f.kind for f in row.fields}
        named = [t.partition("=") for t in tokens if re.match(r"[a-z_]\w*=", t)]
        free = [f for f in row.fields if f.default is None and f.kind != "key" and f.name not in {n[0] for n in named}]
        out = None
        for token in tokens:
            name, _, text = token.partition("=") if re.match(r"[a-z_]\w*=", token) else (None, None, token)
            if name == "out":
                out = text
                continue
            name = name or free.pop(0).name
            given[name] = parse(kinds[name], text, 0)
        return given, out

    def values(self, given):
        def value(v):
            if isinstance(v, list):
                return [value(x) for x in v]
            if self.widen and isinstance(v, torch.dtype) and v == torch.float32:
                return torch.float64
            return self.vars[v].value() if isinstance(v, Variable) else v
        return {name: value(v) for name, v in given.items()}

    def operands(self, given, row=None):
        """The variables among the arguments; of a row, without those that only give a shape."""
        likes = {f.name for f in row.fields if f.kind == "like"} if row else ()
        for v in (v for n, v in given.items() if n not in likes):
            yield from (self.vars[x] for x in (v if isinstance(v, list) else [v]) if isinstance(x, Variable))

    def evaluate(self, row, values):
        """The results; none for dtypes that tests/ops/pytorch_reference.c has on its list of differences."""
        for v in tensors_in(values):
            name = NAMES[v.dtype]
            if {"i8": "i32", "i16": "i32"}.get(name, name) in DIFFERENT[row.name]:
                raise Dropped("differs on purpose")
        if row.name in PICKS and values["x"].unique().numel() < values["x"].numel():
            raise Dropped("ties")
        if row.name in OURS and torch.is_grad_enabled() and any(v.requires_grad for v in tensors_in(values)):
            raise Dropped("has a gradient only here")
        results = eval(row.torch, dict(NAMESPACE), values)
        results = list(results) if isinstance(results, (tuple, list)) else [results]
        if not all(isinstance(y, torch.Tensor) for y in results):
            raise Dropped("no tensor")
        return results

    def row(self, targets, name, tokens):
        inplace = name.endswith("_")
        row = ROWS[name.removesuffix("_")]
        given, out = self.arguments(row, tokens)
        if out:
            return self.into(row, given, out)
        if inplace:
            return self.change(row, given)
        v = next(self.operands(given), None)
        if v and (self.turns(row, given, v) or v.f and self.shares(row, given, v)):
            return self.turned(row, given, v, targets)
        if row.name in ("view", "as_strided") and any(v.sets_strides for v in self.operands(given)):
            raise Dropped("layouts differ")
        if row.name == "as_strided" and self.has_gaps(v.t):
            raise Dropped("the gaps hold other values")
        return [self.add(self.wrap(y, list(self.operands(given)), row), targets)
                for y in self.evaluate(row, self.values(given))]

    def has_gaps(self, t):
        base = t._base if t._is_view() else t
        return len(t.untyped_storage()) > base.numel() * t.element_size()

    def turns(self, row, given, v):
        """Whether the result is a view that PyTorch lacks."""
        return row.name == "slice" and given["step"] < 0

    def wrap(self, y, operands, row=None):
        """A result as a variable: row-major, as ours are."""
        if y._is_zerotensor():
            y = torch.zeros(y.shape, dtype=y.dtype)
        itself = any(y is v.t for v in operands)
        for v in operands:
            v.viewed |= row is not None and (row.view or row.composed)
        if not torch.is_grad_enabled() and (itself or y.requires_grad):
            raise Dropped("PyTorch makes no view, or one with a history")
        if row is not None and row.name in COPIED:
            y = y.clone()
        if row is not None and row.name in CONSTANT:
            y = y.detach()
        home = next((v for v in operands if y.numel() and v.root() == y.untyped_storage()._cdata), None)
        if home:
            home.viewed = True
            return Var(y.view_as(y) if itself else y, frozen=home.frozen, laid=home.sets_strides, itself=itself)
        if itself:
            return Var(y.view_as(y), frozen=True, laid=True, itself=True)
        odd = not y.is_contiguous() or any(v.sets_strides for v in operands) or (row is not None and row.name in ARRANGED)
        y = y.contiguous()
        return Var(y if torch.is_grad_enabled() or not y.numel() else y.clone(), frozen=odd, laid=odd)

    def shares(self, row, given, v):
        """Whether the row's result is a view of v, found with a tensor that can be one."""
        if row.name in COPIED:
            return False
        if row.name in BY_LAYOUT:
            raise Dropped("layouts differ")
        like = v.value().detach().clone()
        values = self.values(given)
        values = {n: like if x is values.get(n) and given[n] is not None and isinstance(given[n], Variable)
                  and self.vars[given[n]] is v else x for n, x in values.items()}
        return any(y.untyped_storage()._cdata == like.untyped_storage()._cdata for y in self.evaluate(row, values))

    def turned(self, row, given, v, targets):
        field = next(n for n, x in given.items() if isinstance(x, Variable))
        others = {n: x for n, x in given.items() if n != field}

        def f(k):
            return lambda t: self.evaluate(row, {**self.values(others), field: v_f(t) if v_f else t})[k]
        v_f, v.viewed, v.turned = v.f, True, True
        count = len(self.evaluate(row, self.values(given)))
        base = v.t if torch.is_grad_enabled() and row.name != "detach" else v.t.detach()
        frozen = v.frozen or not row.single or not torch.is_grad_enabled()
        return [self.add(Var(base, f(k), frozen=frozen, laid=True), targets) for k in range(count)]

    # ---- changes ----

    def check_memory(self, target, operands):
        """Operands that share some elements with what is written, and are not the same view."""
        at = target.places()
        for v in operands:
            if v is not target and v.root() == target.root() and v.t.numel() and at.numel():
                other = v.places()
                if (other.shape != at.shape or not bool((other == at).all())) \
                        and bool(torch.isin(at.flatten(), other.flatten()).any()):
                    return "overlap"
        return "overlap" if at.numel() != at.unique().numel() else None

    def write(self, target, value):
        """Puts `value` into the elements of a variable."""
        if not target.f:
            return target.t.copy_(value)
        base = target.t
        at = target.f(torch.arange(base.numel()).reshape(base.shape)).flatten()
        value = torch.broadcast_to(value, target.value().shape).to(base.dtype)
        base.copy_(base.flatten().index_put((at,), value.flatten()).view(base.shape))

    def change(self, row, given):
        number = given[row.inplace]
        target = self.vars[number]
        operands = list(self.operands(given))
        overlap = self.check_memory(target, operands)
        if target.frozen:
            raise Dropped("frozen")
        if overlap and (target.f or not native(row.name)):
            raise Dropped("overlap")
        if target.t.is_leaf and target.t.requires_grad and target.t._is_view() and target.t._base.grad_fn:
            raise Dropped("PyTorch takes a view for a leaf that was there before its base had a history")
        with torch.no_grad():
            y, = self.evaluate(row, self.values(given))
        if y.dtype == torch.bool and target.t.dtype.is_floating_point:
            raise Dropped("PyTorch leaves a history behind through which nothing flows")
        if native(row.name) and not target.f:
            self.natively(row, given, overlap)
        else:
            y, = self.evaluate(row, self.values(given))
            t = target.value()
            if y.shape != t.shape:
                raise Refused("shape")
            if not torch.can_cast(y.dtype, t.dtype) and row.name != "copy":
                raise Refused("cast")
            self.write(target, y)
        return [self.see(f"x{number}")]

    def natively(self, row, given, overlap):
        """In place by PyTorch's own form; what it says of overlapping memory has to be so."""
        try:
            eval(native(row.name), dict(NAMESPACE), self.values(given))
        except RuntimeError as e:
            if not overlap and re.search(REFUSALS["overlap"], str(e)):
                raise Dropped("the same elements") from e
            raise
        if overlap:
            raise Abandoned("PyTorch does not see the overlap")

    def into(self, row, given, out):
        """.out, by its rules: nothing is recorded, and nothing that needs a gradient is written."""
        target, operands = self.var(out), list(self.operands(given, row))
        if target.frozen or target.f or any(v.root() == target.root() for v in operands):
            raise Dropped("memory")
        if torch.is_grad_enabled() and any(v.t.requires_grad for v in operands + [target]):
            raise Refused("out")
        with torch.no_grad():
            y, = self.evaluate(row, self.values(given))
            if y.shape != target.t.shape:
                if not target.t.numel():
                    raise Dropped("resized")
                raise Refused("shape")
            if not torch.can_cast(y.dtype, target.t.dtype) if row.pointwise else y.dtype != target.t.dtype:
                raise Refused("cast")
            if target.places().unique().numel() != target.t.numel():
                raise Refused("overlap")
            target.t.copy_(y)
        return [self.see(out)]

    # ---- lines that are no rows ----

    def do_get(self, targets, rest):
        v, text = self.var(rest[0]), rest[1][1:-1]
        v.viewed = True
        if v.f or turns(text):
            f, v.turned = v.f, True
            frozen = v.frozen or not torch.is_grad_enabled()
            base = v.t if torch.is_grad_enabled() else v.t.detach()
            return [self.add(Var(base, lambda t: get(f(t) if f else t, text), frozen=frozen, laid=True), targets)]
        y = v.t[index_of(text)]
        if y.requires_grad and not torch.is_grad_enabled():
            raise Dropped("PyTorch makes a view with a history")
        return [self.add(Var(y, frozen=v.frozen, laid=v.sets_strides), targets)]

    def do_set(self, targets, rest):
        v, text = self.var(rest[0]), rest[1][1:-1]
        source = self.var(rest[2]) if rest[2][0] == "x" else None
        value = source.value() if source else scalar(rest[2])
        f = v.f
        part = Var(v.t, lambda t: get(f(t) if f else t, text))
        if v.frozen or (source and source.root() == v.root()) or self.check_memory(v, []):
            raise Dropped("memory")
        if v.f or turns(text):
            self.write(part, value if source else torch.tensor(value, dtype=v.t.dtype))
        elif source:
            v.t[index_of(text)] = value
        else:
            v.t[index_of(text)].fill_(value)
        return [self.see(rest[0])]

    def do_requires_grad(self, targets, rest):
        v = self.var(rest[0])
        if v.f or v.t._is_view() or v.viewed or v.t.requires_grad:
            raise Dropped("no new leaf")
        if v.itself:
            raise Dropped("no new leaf")
        v.t.requires_grad_(True)
        return [self.see(rest[0])]

    def weights(self, t, k):
        return Operand("()", WEIGHTS + 8 * self.number + k).like(t, self.seed)

    def do_backward(self, targets, rest):
        v = self.var(rest[0]).value()
        v.backward(self.weights(v, 0), retain_graph="retain" in rest or "create" in rest or self.truth,
                   create_graph="create" in rest)
        once = {id(w.t): n for n, w in reversed(list(enumerate(self.vars))) if self.collects(w)}
        return [self.gradient(f"x{n}", self.vars[n]) for n in sorted(once.values())]

    def collects(self, v):
        return v and v.readable() and v.t.is_leaf and v.t.requires_grad and not v.f

    def gradient(self, name, v):
        if v.t.grad is None:
            return (name, "none", (), 0.0, 0.0, None)
        flat = v.t.grad.detach().double().flatten()
        if not bool(flat.isfinite().all()) or (flat.numel() and float(flat.abs().max()) > LARGEST):
            raise Dropped("gradients out of bounds")
        return (name, NAMES[v.t.grad.dtype], tuple(v.t.grad.shape)) + self.summed(flat) + (None,)

    def do_grad(self, targets, rest):
        split_at = rest.index(":")
        options = [t for t in rest if t in ("retain", "create")]
        y = [self.var(t).value() for t in rest[:split_at]]
        x = [self.var(t).t for t in rest[split_at + 1:] if t not in options]
        found = torch.autograd.grad(y, x, [self.weights(t, k) for k, t in enumerate(y)], allow_unused=True,
                                    retain_graph=bool(options) or self.truth, create_graph="create" in options)
        seen = []
        for g in found:
            if g is None:
                seen.append((targets[0], "none", (), 0.0, 0.0, None))
                targets.pop(0)
                self.vars.append(None)
            else:
                g = torch.zeros(g.shape, dtype=g.dtype) if g._is_zerotensor() else g
                seen.append(self.add(Var(g, frozen=True, laid=True, itself=True), targets))
        return seen

    def end(self):
        """All variables once more."""
        return [self.see(f"x{n}") for n, v in enumerate(self.vars) if v and v.readable()]


def close(a, b, tolerance):
    """Whether two runs saw the same."""
    return len(a) == len(b) and all(
        x[0] == y[0] and x[2] == y[2] and abs(x[3] - y[3]) <= tolerance * (1 + x[4]) for x, y in zip(a, b))
