#!/usr/bin/env python3
"""Writes the reference files from what PyTorch answers; README.md says what they are for.

    generate.py              writes all of them
    generate.py NAME...      writes those rows, "autocast", "cnn", "nn", "optim", "promotion" or "training" again
    generate.py --show NAME  prints what is asked and answered, and writes nothing
"""
import pathlib
import sys

sys.dont_write_bytecode = True
import torch  # noqa: E402

import autocast
import cnn
import nn
import operations
import optim
import promotion
import rows
import training

HERE = pathlib.Path(__file__).resolve().parent
WANTED = "2.15.0"


def read_blocks(path):
    """row name -> its lines, as they stand in the file."""
    blocks, name = {}, None
    for text in path.read_text().splitlines() if path.exists() else []:
        if text.startswith("row "):
            name = text[4:]
        if name:
            blocks.setdefault(name, []).append(text)
    return blocks


def write_operations(chosen):
    path, all_rows = HERE / "operations.txt", rows.read_rows()
    asked = {n: r for n, r in all_rows.items() if r.torch and r.samples}
    blocks = {n: b for n, b in read_blocks(path).items() if n in asked} if chosen else {}
    for name, row in asked.items():
        if not chosen or name in chosen:
            try:
                blocks[name] = list(operations.row_lines(row))
            except Exception as e:
                sys.exit(f"{row.where}: {name}: {type(e).__name__}: {e}\n    TORCH({row.torch!r})")
    with path.open("w") as out:
        out.write(f"# Written by generate.py with PyTorch {WANTED}.\n")
        out.writelines(text + "\n" for name in sorted(blocks) for text in blocks[name])
    return all_rows


def show(names):
    all_rows = rows.read_rows()
    for name in names:
        print(all_rows[name].where, all_rows[name].torch)
        print("\n".join(operations.row_lines(all_rows[name])))


def main(arguments):
    if torch.__version__.partition("+")[0] != WANTED:
        sys.exit(f"this is PyTorch {torch.__version__}; the reference is {WANTED} (requirements.txt)")
    torch.set_num_threads(1)
    if arguments[:1] == ["--show"]:
        return show(arguments[1:])
    others = {"autocast": autocast, "cnn": cnn, "nn": nn, "optim": optim, "promotion": promotion, "training": training}
    for name, module in others.items():
        if not arguments or name in arguments:
            (HERE / f"{name}.txt").write_text(f"# Written by generate.py with PyTorch {WANTED}.\n"
                                              + "".join(t + "\n" for t in module.lines()))
    chosen = [a for a in arguments if a not in others]
    if chosen or not arguments:
        known = write_operations(chosen)
        if unknown := [n for n in chosen if n not in known]:
            sys.exit(f"no such row: {', '.join(unknown)}")


if __name__ == "__main__":
    main(sys.argv[1:])
