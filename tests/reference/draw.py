"""Draws programs: the next line is chosen by what variables there are, given to PyTorch at once, and kept or not."""
import re

import torch

from draw_views import Views
from machine import Machine
from rows import split
from samples import NAMES, Operand
from variables import ROWS, Abandoned, Dropped, Refused

SIZES = [1, 2, 2, 3, 3, 4]
LAYOUTS = ["dense"] * 5 + ["transposed", "gaps", "negative", "expanded"]
DTYPES = ["f64", "f32", "f32", "i64", "i32", "i16", "i8", "u8", "bool"]
POSITIVE = {"u": ["sigmoid {x}"], "p": ["sigmoid {x}", "add {x} 0.25"], "a": ["sigmoid {x}", "add {x} 1.25"]}
MOST_RESULTS = 8
NEVER = {"t", "n"}  # kinks and NaN: operations.txt has those


def usable(row):
    return row.torch and row.samples and not row.internal and all(f.kind != "key" for f in row.fields)


def tokens_of(sample):
    return [t for t in split(sample, " ", quotes="'") if t]


TENSOR = re.compile(r"([paudtnirb]?)\(([\d,]*)\)(?:<(\d+))?")


def samples_for(row):
    """Samples with tensors, of values that can be calculated with further."""
    for sample in row.samples:
        kinds = {m[1] for m in TENSOR.finditer(re.sub(r"\b[sl]\([^)]*\)|'[^']*'", "", sample))}
        if kinds and not kinds & NEVER and "f16" not in sample:
            yield sample


CALLS = {n: s for n, r in ROWS.items() if usable(r) and (s := list(samples_for(r)))}
WRITERS = [n for n in CALLS if ROWS[n].inplace]
USUAL = ["add", "mul", "sub", "copy", "tanh", "sigmoid", "neg", "div"]
OUTS = [n for n in CALLS if ROWS[n].single and not ROWS[n].view]


class Drawer(Views):
    def __init__(self, name, kind, rng):
        self.m, self.kind, self.r = Machine(name), kind, rng
        self.lines = []  # (text, what is seen, or the tag of a refusal)
        self.over = False
        self.created = False  # gradients have a history, which is made of other steps than PyTorch's

    # ---- lines ----

    def put(self, text, targets=0):
        """Runs a line with as many results, and keeps it. The names of its results; None when it was not kept."""
        count = len(self.m.vars)
        names = [f"x{count + k}" for k in range(targets)]
        line = " ".join(names) + " = " + text if targets else text
        no_grad = self.r.random() < 0.06 and not re.match(r"leaf|backward|grad|requires", text)
        line = "no_grad " + line if no_grad else line
        try:
            seen = self.m.run(line)
        except (Refused, Dropped) as e:
            return self.failed(line, e, count, targets == 0)
        self.lines.append((line, seen))
        return names or [None]

    def failed(self, line, e, count, changes):
        del self.m.vars[count:]
        if str(e) == "parts" and re.match("backward|.*= grad", line):
            raise Abandoned("PyTorch cannot look at what it kept") from e
        if isinstance(e, Refused) and (self.r.random() < 0.4 or "overlap" in str(e)):
            self.lines.append((line, str(e)))
        elif changes and isinstance(e, Dropped) and "bounds" in str(e):
            raise Abandoned from e
        else:
            self.m.number -= 1
        return None

    # ---- variables ----

    def dtype(self):
        return self.r.choice(DTYPES) if self.kind == "mixed" else self.kind

    def leaf(self, shape, domain="f", below=0, dtype=None):
        fixed = {"i": "i64", "r": "i64", "b": "bool"}.get(domain)
        dtype = fixed or dtype or self.dtype()
        dims, bound = ",".join(map(str, shape)), f"<{below}" if below else ""
        text = f"leaf {'' if domain == 'f' else domain}({dims}){bound} {dtype}"
        layout = self.r.choice(LAYOUTS) if domain not in "rd" else "dense"
        grad = " grad" if dtype in ("f64", "f32") and self.r.random() < 0.6 else ""
        made = self.put(f"{text} {layout}{grad}", 1)
        return made and made[0]

    def shape(self):
        if self.r.random() < 0.03:
            return self.r.choice([(0,), (0, 3), (2, 0)])
        return tuple(self.r.choice(SIZES) for _ in range(self.r.choice([0, 1, 1, 2, 2, 2, 3, 3, 4])))

    def names(self, test=lambda v: True):
        return [f"x{n}" for n, v in enumerate(self.m.vars) if v and v.readable() and test(v)]

    def some(self, test=lambda v: True):
        """A variable, rather one that was made lately."""
        names = self.names(test)
        return names[-1 - min(int(self.r.expovariate(0.5)), len(names) - 1)] if names else None

    def shape_of(self, name):
        return tuple(self.m.var(name).value().shape)

    def is_plain(self, v):
        return v.value().dtype.is_floating_point or self.kind == "mixed"

    def within(self, domain, x):
        """x with its values brought into a domain, by further lines."""
        for text in POSITIVE.get(domain, []):
            made = x and self.put(text.format(x=x), 1)
            x = made and made[0]
        return x

    def shaped(self, x, shape):
        """Some of x's elements, in another shape."""
        want = Operand(f"({','.join(map(str, shape))})", 0)
        count, have = 1, self.m.var(x).value().numel()
        for n in want.shape:
            count *= n
        dims = ",".join(map(str, shape))
        if have == count:
            made = self.put(f"reshape {x} s({dims})", 1)
        elif have == 1:
            made = self.put(f"expand {x} s({dims})", 1) if len(shape) >= len(self.shape_of(x)) else None
        elif have > count > 0:
            flat = self.put(f"flatten {x}", 1)
            part = flat and self.put(f"narrow {flat[0]} 0 {self.r.randint(0, have - count)} {count}", 1)
            made = part and self.put(f"reshape {part[0]} s({dims})", 1)
        else:
            return None
        return made and made[0]

    def operand(self, o, free):
        """A variable for a tensor of a sample; `free`: it may be of another shape of as many dimensions."""
        if o.below or o.domain == "r":
            return self.leaf(o.shape, o.domain, o.below)
        suits = lambda v: (v.value().dtype == torch.bool if o.domain == "b"
                           else not v.value().dtype.is_floating_point if o.domain == "i" else self.is_plain(v))
        chance = self.r.random()
        x = None
        if chance < 0.9:
            x = self.some(lambda v: suits(v) and tuple(v.value().shape) == o.shape)
        if not x and free and chance < 0.95:
            x = self.some(lambda v: suits(v) and v.value().dim() == len(o.shape))
        if not x and o.domain not in "ib" and chance < 0.85:
            x = self.some(lambda v: suits(v) and v.value().numel() > 0)
            x = x and self.shaped(x, o.shape)
        if not x:
            return self.leaf(o.shape, o.domain if o.domain in "ibpuad" else "f")
        return self.within(o.domain, x)

    def beside(self, shape, o):
        """A variable that broadcasts with a shape, for an element-wise operation."""
        def goes(v):
            mine = tuple(v.value().shape)
            return (v.value().dtype == torch.bool if o.domain == "b" else self.is_plain(v)) and len(mine) <= len(shape) \
                and all(a in (1, b) for a, b in zip(reversed(mine), reversed(shape)))
        x = self.some(goes) if self.r.random() < 0.9 and o.domain != "i" else None
        if not x:
            part = shape[self.r.randint(0, len(shape)):] if self.r.random() < 0.4 else shape
            return self.leaf(part, o.domain if o.domain in "ibpuad" else "f")
        return self.within(o.domain, x)

    # ---- calls of rows ----

    def call(self, name, first=None):
        """The tokens of a call by one of the row's samples; `first` stands for the operand that is written."""
        row, sample = ROWS[name], self.r.choice(CALLS[name])
        tokens, shape = tokens_of(sample), self.shape_of(first) if first else None
        named = {t.partition("=")[0] for t in tokens if re.match(r"[a-z_]\w*=", t)}
        free = [f for f in row.fields if f.default is None and f.kind != "key" and f.name not in named]
        kinds, made = {f.name: f.kind for f in row.fields}, []
        alone = len(TENSOR.findall(sample)) == 1
        for token in tokens:
            label, _, text = token.partition("=") if re.match(r"[a-z_]\w*=", token) else ("", "", token)
            field = label or (free.pop(0).name if free else "")
            if first and field == row.inplace:
                text = first
            elif text.startswith("[") and kinds[field] == "tensors":
                text = "[" + " ".join(self.tensor(row, t, alone, None) or "?" for t in split(text[1:-1], " ") if t) + "]"
            elif TENSOR.fullmatch(text):
                text = self.tensor(row, text, alone, shape) or "?"
                shape = shape if shape is not None or "?" in text or not row.pointwise else self.shape_of(text)
            made.append(f"{label}={text}" if label else text)
        return None if "?" in " ".join(made) else made

    def tensor(self, row, text, alone, shape):
        o = Operand(text, 0)
        if row.pointwise and shape is not None:
            return self.beside(shape, o)
        if row.pointwise and o.domain not in "ib" and self.r.random() < 0.9:
            return self.within(o.domain, self.some(self.is_plain))
        return self.operand(o, alone)

    def draw_row(self):
        name = self.r.choice(list(CALLS))
        tokens = self.call(name)
        if tokens:
            self.put_row(name, tokens)

    def put_row(self, name, tokens):
        count = self.results(name, tokens)
        if count <= MOST_RESULTS:
            self.put(" ".join([name] + tokens), count)

    def results(self, name, tokens):
        """How many there will be: asked of PyTorch."""
        row = ROWS[name]
        if row.single:
            return 1
        with torch.no_grad():
            try:
                given, _ = self.m.arguments(row, tokens)
                return len(self.m.evaluate(row, self.m.values(given)))
            except Exception:  # the line itself will say why
                return 1

    def draw_change(self):
        writable = lambda v: not v.frozen and (v.t.dtype.is_floating_point or self.kind == "mixed") \
            and (not (v.t.is_leaf and v.t.requires_grad) or self.r.random() < 0.2)
        x = self.some(writable)
        name = self.r.choice(WRITERS if self.r.random() < 0.4 else USUAL)
        tokens = x and self.call(name, x)
        if tokens and x in tokens:
            self.put(f"{name}_ {' '.join(tokens)}")

    def draw_out(self):
        name = self.r.choice(OUTS)
        tokens = self.call(name)
        if not tokens:
            return
        try:
            with torch.no_grad():
                given, _ = self.m.arguments(ROWS[name], tokens)
                y, = self.m.evaluate(ROWS[name], self.m.values(given))
        except Exception:
            return
        fits = lambda v: not v.frozen and v.t.shape == y.shape and (v.t.dtype == y.dtype or self.r.random() < 0.2)
        x = self.some(fits) if self.r.random() < 0.9 else self.some(lambda v: not v.frozen)
        if not x and y.dtype in (torch.float64, torch.float32):
            x = self.leaf(tuple(y.shape), dtype=NAMES[y.dtype])
        if x:
            self.put(f"{name} {' '.join(tokens)} out={x}")

    # ---- views ----

    def draw_view(self):
        x = self.some(self.is_plain if self.r.random() < 0.9 else lambda v: True)
        shape = self.shape_of(x)
        options = ["unsqueeze", "squeeze", "expand", "detach", "view", "get", "flatten", "reshape"]
        if shape:
            options += ["select", "narrow", "slice", "flip", "unbind", "split", "chunk", "get", "slice", "narrow", "unfold"]
        if len(shape) > 1:
            options += ["transpose", "permute", "diagonal", "movedim", "select", "rot90", "transpose"]
        kind = self.r.choice(options)
        rest = getattr(self, "view_" + kind, lambda s: "")(shape)
        if rest is None:
            return
        if kind == "get":
            self.put(f"get {x} {rest}", 1)
        else:
            self.put_row(kind, tokens_of(f"{x} {rest}"))

    # ---- the rest ----

    def draw_set(self):
        x = self.some(lambda v: not v.frozen and not (v.t.is_leaf and v.t.requires_grad))
        text = x and self.view_get(self.shape_of(x))
        value = str(self.r.choice([0.5, -1.25, 2]))
        if self.r.random() < 0.5:
            value = self.some(lambda v: self.is_plain(v) and v.value().dim() < 2) or value
        if text:
            self.put(f"set {x} {text} {value}")

    def draw_leaf(self):
        x = self.some(lambda v: not v.frozen and v.t.dtype.is_floating_point)
        if x:
            self.put(f"requires_grad {x}")

    def flows(self, v):
        return v.value().requires_grad and v.value().dtype.is_floating_point

    def is_input(self, v):
        """Whether gradients may be asked for it: what is between leaves and results is not always the same tensors."""
        if v.f or not self.flows(v) or v.t.is_leaf:
            return not v.f and v.t.is_leaf and not v.itself and self.flows(v)
        changed = v.t._is_view() and v.t._version > 0
        return not (self.created or changed or v.itself or v.turned)

    def draw_grad(self, last=False):
        """Gradients as variables, to go on with."""
        y = self.names(self.flows)
        x = self.names(self.is_input)
        if not y or not x:
            return
        most = 6 if last else 2
        y = self.r.sample(y[-most - 2:], min(len(y), self.r.randint(1, most)))
        x = self.r.sample(x, min(len(x), self.r.randint(1, most + 1)))
        option = "" if last else self.r.choice(["create", "create", "retain"])
        self.created |= option == "create"
        self.final(f"grad {' '.join(y)} : {' '.join(x)} {option}".strip(), len(x))

    def draw_backward(self, option=None):
        y = self.names(self.flows)
        if self.r.random() < 0.02:
            y = self.names()
        if y:
            if option is None:
                option = self.r.choice(["create", "retain", "retain", ""])
            self.created |= option == "create"
            self.final(f"backward {self.r.choice(y[-5:])} {option}".strip(), 0)

    def final(self, text, targets):
        """A line after which a refusal ends the program: gradients may have been added in part."""
        count, kept = len(self.m.vars), len(self.lines)
        self.put(text, targets)
        if len(self.m.vars) == count + targets and len(self.lines) > kept and not isinstance(self.lines[-1][1], str):
            return
        if len(self.lines) == kept:
            raise Abandoned
        self.over = True

    def draw(self):
        """All lines of one program."""
        for _ in range(self.r.choice([1, 2, 2, 3])):
            self.leaf(self.shape(), self.r.choice("fffpu"))
        if not self.m.vars:
            raise Abandoned
        steps = [self.draw_row, self.draw_view, self.draw_change, self.draw_out, self.draw_set, self.draw_leaf,
                 self.draw_grad, self.draw_backward]
        weights = [30, 32, 20, 4, 6, 1, 4, 3]
        if self.r.random() < 0.5:  # one base, and what is done to it through its views
            weights = [6, 45, 40, 2, 10, 0, 4, 2]
            self.put(self.r.choice(["mul x0 2", "sin x0", "clone x0", "sigmoid x0"]), 1)
        for _ in range(self.r.randint(5, 14)):
            if not self.over:
                self.r.choices(steps, weights)[0]()
        if not self.over and self.r.random() < 0.3:
            self.draw_grad()
            if not self.over:
                self.draw_row()
        for option in self.r.choice([[], ["retain"], ["retain", ""], [""]]):
            if not self.over:
                self.draw_backward(option)
        if not self.over:
            self.draw_grad(True)
        return self.lines
