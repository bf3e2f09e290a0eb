"""Reads the operation rows of src/ops: their fields, TORCH texts and samples. It looks for the few forms that rows are
written in; tools/rows, which the build runs, is the judge of whether they are right."""
import pathlib
import re
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = {
    "const fa_tensor *": "tensor", "fa_like": "like", "fa_tensors": "tensors", "fa_list": "list", "fa_arg": "number", "int64_t": "int",
    "double": "double", "bool": "bool", "fa_dims": "dims", "fa_pair": "pair", "fa_shape": "shape", "fa_dtype": "dtype",
    "fa_device": "device", "const char *": "string", "fa__key": "key",
}


@dataclass
class Field:
    name: str
    kind: str
    default: str | None = None  # the text of an option's default; None: positional


@dataclass
class Row:
    name: str
    where: str
    fields: list
    torch: str | None = None
    samples: list = field(default_factory=list)
    pointwise: bool = False
    internal: bool = False
    single: bool = True  # one result, and not a list
    view: bool = False
    composed: bool = False
    differs: str = ""  # dtypes in which PyTorch answers otherwise, on purpose: why
    inplace: str | None = None  # the field that the in-place form writes


def without_comments(text):
    """Comments become blanks, line ends stay, and texts in quotes are left alone."""
    pattern = r'"(?:\\.|[^"\\])*"|/\*.*?\*/|//[^\n]*'
    blank = lambda m: m[0] if m[0][0] == '"' else re.sub(r"[^\n]", " ", m[0])
    return re.sub(pattern, blank, text, flags=re.S)


def split(text, separator=",", quotes='"'):
    """Divides at the separator outside of brackets and quotes."""
    parts, depth, quote, start = [], 0, None, 0
    for i, c in enumerate(text):
        if quote:
            quote = None if c == quote and text[i - 1] != "\\" else quote
        elif c in quotes:
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == separator and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return parts + [text[start:].strip()]


def closing(text, start):
    """The place of the bracket that closes the one at start."""
    depth, quoted = 0, False
    for i in range(start, len(text)):
        if text[i] == '"' and text[i - 1] != "\\":
            quoted = not quoted
        elif not quoted and text[i] in "([{":
            depth += 1
        elif not quoted and text[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i
    raise SyntaxError("a bracket is not closed")


def c_string(text):
    """The value of adjoining C string literals; None when it is none."""
    pieces = re.findall(r'"((?:\\.|[^"\\])*)"', text)
    return "".join(pieces).replace('\\"', '"').replace("\\\\", "\\") if pieces else None


def struct_fields(body):
    for line in split(body, ";"):
        m = re.fullmatch(r"(.*?[\s*])(\w+)(?:\s+OPT\((.*)\))?", " ".join(line.split()))
        if m:
            ctype = re.sub(r"\s*\*$", " *", m[1].strip())
            yield Field(m[2], KINDS.get(ctype, "enum"), m[3])


def signature_fields(signature):
    for part in split(signature.strip()[1:-1]):
        name, _, default = (s.strip() for s in part.partition("="))
        kind = "key" if default == "draw" else "bool" if default in ("true", "false") else "number"
        yield Field(name, kind, default or None)


def samples_of(text):
    return [" ".join(s.split()) for s in split(text, ";", quotes="'") if s.strip()]


def read_rows():
    """All rows, by name."""
    structs, rows = {}, {}
    texts = {p: without_comments(p.read_text()) for p in sorted((ROOT / "src/ops").rglob("*.c"))}
    for text in texts.values():
        for m in re.finditer(r"typedef struct\s*\w*\s*\{", text):
            end = closing(text, m.end() - 1)
            name = re.match(r"\s*(\w+)", text[end + 1:])[1]
            structs[name] = list(struct_fields(text[m.end():end]))
    for path, text in texts.items():
        for m in re.finditer(r"^(POINTWISE|OP)\(", text, flags=re.M):
            parts = split(text[m.end():closing(text, m.end() - 1)])
            fields = list(signature_fields(parts[1])) if m[1] == "POINTWISE" else structs[parts[1]]
            row = Row(parts[0], f"{path.name}:{text.count(chr(10), 0, m.start()) + 1}", fields)
            row.pointwise, row.internal = m[1] == "POINTWISE", "INTERNAL" in parts[3:]
            row.single = row.pointwise or bool(re.fullmatch(r"\(\w+\)", parts[2]))
            row.inplace = fields[0].name if row.pointwise and not row.internal else None
            for cell in parts[3:]:
                if cell.startswith("TORCH"):
                    row.torch = c_string(cell) or None
                elif cell.startswith("DIFFERS"):
                    row.differs = c_string(cell) or ""
                elif re.match(r"\.view\s*=\s*true", cell):
                    row.view = True
                elif cell.startswith(".compose"):
                    row.composed = True
                elif m2 := re.match(r"\.inplace\s*=\s*INPLACE\((\w+)\)", cell):
                    row.inplace = m2[1] if m2[1] != "none" else None
                elif cell.startswith("SAMPLES"):
                    row.samples = samples_of(c_string(cell) or "")
            rows[row.name] = row
    return rows
