#!/usr/bin/env python3
"""Draws random programs and writes what PyTorch makes of them; README.md says what the lines are.

    programs.py                                     writes programs.txt, which the tests read
    programs.py --count 10000 --seed 7 --out FILE   writes as many others, for build/release/tests/cpu_random_programs FILE
    programs.py --found FILE --out FILE             writes those of a file that has lines alone, as found.txt
    programs.py --show FILE NAME                    runs a program of a file, and prints what PyTorch has after each line
"""
import argparse
import contextlib
import pathlib
import random
import re
import sys

sys.dont_write_bytecode = True
import torch  # noqa: E402

from draw import Drawer  # noqa: E402
from machine import Machine, close  # noqa: E402
from variables import DROPPED, Abandoned, Dropped, Refused  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE / "programs.txt"
KINDS = ["f64"] * 6 + ["f32"] * 2 + ["mixed"] * 2
NUDGE = 1e-4    # a change of the leaves by a millionth may change sums that much, relative to their size
ROUNDING = 1e-4 # f32 may differ from f64 that much
TURNING = r"step=-|:-\d+[',]"  # lines that make views which PyTorch lacks
FORGIVEN = ("changed", "freed")  # refusals that depend on what is kept for backward


def changes(text):
    return re.search(r"^(no_grad )?(set|\w+_) | out=", text)


def replay(name, lines, **how):
    """What is seen by a run of all lines, refusals as their tags; the last entry is of the end."""
    m, seen = Machine(name, **how), []
    for line, before in lines:
        count = len(m.vars)
        try:
            seen.append(m.run(line))
        except Refused as e:
            del m.vars[count:]
            seen.append(str(e))
    return seen + [m.end()]


def agree(a, b, tolerance):
    return len(a) == len(b) and all(
        x == y if isinstance(x, str) or isinstance(y, str) else close(x, y, tolerance) for x, y in zip(a, b))


def complete(name, lines):
    """Lines with what is seen: (text, seen, the sums in f64, whether it may be refused). None: they do not say enough."""
    forgiven = isinstance(lines[-1][1], str) and lines[-1][1] in FORGIVEN
    hows = [{}, {"widen": True}, {"widen": True, "nudge": 1}, {"widen": True, "nudge": 2}]
    with torch.autograd.graph.allow_mutation_on_saved_tensors() if forgiven else contextlib.nullcontext():
        plain, *runs = [replay(name, lines, truth=forgiven, **how) for how in hows]
    if forgiven and isinstance(plain[-2], str):
        return None
    if not agree(plain, runs[0], ROUNDING) or not agree(runs[0], runs[1], NUDGE) or not agree(runs[0], runs[2], NUDGE):
        return None
    texts = [t for t, _ in lines] + ["end"]
    maybe = [forgiven and k == len(lines) - 1 or kept_a_copy(lines[:k + 1]) for k in range(len(texts))]
    return list(zip(texts, plain, runs[0], maybe))


def kept_a_copy(lines):
    """Whether PyTorch may have kept a copy of what Facula has a view of, and that was changed."""
    turned = next((k for k, (text, _) in enumerate(lines) if re.search(TURNING, text)), None)
    return bool(re.match("backward|.*= grad", lines[-1][0])) and turned is not None \
        and any(changes(text) for text, _ in lines[turned:])


DIGITS = {"f64": 8}  # of sums; 5 are enough for the tolerance of others


def seen_text(seen, sums, text, kind):
    """`x3 f64 2,3 1.25 new`, without the name where it is that of the line's result, and without the program's dtype;
    what is known of form is left out at the end."""
    parts, results, form = [], text.split(" = ")[0].split() if " = " in text else [], text != "end"
    for k, ((name, dtype, shape, _, _, memory), other) in enumerate(zip(seen, sums)):
        words = [] if results[k:k + 1] == [name] else [name]
        if form and dtype == "none":
            words.append("none")
        elif form:
            words += ([] if dtype == kind else [dtype]) + [",".join(map(str, shape)) or "-"]
        if dtype != "none":
            words.append(f"{other[3]:.{DIGITS.get(kind, 5)}g}" if abs(other[3]) > 1e-12 else "0")
        parts.append(" ".join(words + ([memory] if memory else [])))
    return " ; ".join(parts)


def program_text(name, kind, lines):
    """Its lines in the file; at the end the variables that may have changed since they were seen."""
    changed = [k for k, (text, seen, *_) in enumerate(lines) if changes(text) and not isinstance(seen, str)]
    older = {x[0] for _, seen, *_ in lines[:max(changed, default=0)] for x in seen if not isinstance(seen, str)}
    keep = [k for k, x in enumerate(lines[-1][1]) if x[0] in older]
    lines[-1] = ("end", [lines[-1][1][k] for k in keep], [lines[-1][2][k] for k in keep], False)
    yield f"program {name} {kind}"
    for text, seen, sums, maybe in lines if keep else lines[:-1]:
        if isinstance(seen, str):
            yield f"{text} | refused {seen}"
        else:
            yield f"{text} | {'maybe ' if maybe else ''}{seen_text(seen, sums, text, kind)}"


def drawn(seed, number):
    """The text of a program, and how often it was drawn until it was good."""
    for turn in range(1000):
        rng, name = random.Random(f"{seed}.{number}.{turn}"), f"{seed}.{number}"
        kind = rng.choice(KINDS)
        try:
            lines = Drawer(name, kind, rng).draw()
            whole = complete(name, lines) if len(lines) > 3 else None
        except (Abandoned, Dropped):
            continue
        if whole:
            return "\n".join(program_text(name, kind, whole)) + "\n", turn
    sys.exit(f"no program {seed}.{number}")


def found(path):
    """The programs of a file without what is to be seen: those that once found something."""
    for text in re.split(r"^program ", path.read_text(), flags=re.M)[1:]:
        head, *lines = [t for t in text.splitlines() if t and t[0] != "#"]
        m, seen = Machine(head.split()[0]), []
        for line in lines:
            count = len(m.vars)
            try:
                seen.append((line, m.run(line)))
            except Refused as e:
                del m.vars[count:]
                seen.append((line, str(e)))
        whole = complete(m.name, seen)
        if not whole:
            sys.exit(f"{path}: program {m.name}: runs differ")
        yield "\n".join(program_text(*head.split(), whole)) + "\n"


def lines_of(path, wanted):
    found = False
    for text in pathlib.Path(path).read_text().splitlines():
        if text.startswith("program "):
            found = text.split()[1] == wanted
        elif found:
            yield text.partition(" | ")


def show(path, wanted):
    m = Machine(wanted)
    for text, _, seen in lines_of(path, wanted):
        print(text, "|", seen)
        if text == "end":
            return
        count = len(m.vars)
        try:
            for name, *_ in m.run(text):
                v = m.var(name)
                print(f"    {name} = {v.value()}" + (f"\n    .grad = {v.t.grad}" if text.startswith("backward") else ""))
        except Refused as e:
            del m.vars[count:]
            print("   ", e.__cause__ or e)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--count", type=int, default=450)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--out", default=OUT)
    p.add_argument("--why", action="store_true", help="print what PyTorch said of lines that were not kept")
    p.add_argument("--found", type=pathlib.Path)
    p.add_argument("--show", nargs=2, metavar=("FILE", "NAME"))
    a = p.parse_args()
    torch.set_num_threads(1)
    if a.show:
        return show(*a.show)
    turns = 0
    with open(a.out, "w") as out:
        out.write(f"# Written by programs.py with PyTorch {torch.__version__.partition('+')[0]}.\n")
        out.writelines(found(a.found) if a.found else found(HERE / "found.txt") if a.out == OUT else ())
        for number in range(0 if a.found else a.count):
            text, turn = drawn(a.seed, number)
            turns += turn
            out.write(text)
    print(f"{a.count} programs, {turns} drawn in vain")
    for message, times in DROPPED.most_common() if a.why else ():
        print(f"{times:6} {message}")


if __name__ == "__main__":
    main()
