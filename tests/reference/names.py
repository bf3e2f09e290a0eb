"""The public functions of PyTorch and NumPy, one on a line, for tools/rows/names.txt: names.py > tools/rows/names.txt

Modules, classes, names that begin with "_", and methods whose name a function of torch has too are left out."""
import inspect
import types

import numpy
import numpy.fft
import numpy.linalg
import numpy.random
import torch


def public(holder):
    for name in sorted(dir(holder)):
        it = getattr(holder, name, None)
        if not name.startswith("_") and callable(it) and not inspect.isclass(it) and not isinstance(it, types.ModuleType):
            yield name


def main():
    print("# Public functions of PyTorch %s and NumPy %s; written by tests/reference/names.py."
          % (torch.__version__.split("+")[0], numpy.__version__))
    top = set(public(torch))
    for name in sorted(top):
        print("torch." + name)
    for part in "nn.functional", "linalg", "special", "fft", "Tensor":
        holder = torch
        for step in part.split("."):
            holder = getattr(holder, step)
        for name in public(holder):
            if part != "Tensor" or name not in top:
                print("torch.%s.%s" % (part, name))
    for part in numpy, numpy.linalg, numpy.fft, numpy.random:
        for name in public(part):
            print(part.__name__ + "." + name)


main()
