"""Writes tests/reference/npy/*: files of numpy.save and numpy.savez, for tests/io/npy.c. Needs NumPy.

Element (i, j, k) of every array is 12 i + 4 j + k; of bool arrays, whether that is odd.
"""
import os
import zipfile

import numpy as np
from numpy.lib import format as npy

folder = os.path.join(os.path.dirname(__file__), "npy")
numbers = np.arange(24).reshape(2, 3, 4)


def array(dtype):
    return numbers % 2 == 1 if dtype.endswith("b1") else numbers.astype(dtype)


def fixed(path, arrays, method=zipfile.ZIP_STORED):
    """An npz file like that of numpy.savez or numpy.savez_compressed, without times."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, value in arrays.items():
            entry = zipfile.ZipInfo(name + ".npy")
            entry.compress_type = method
            with archive.open(entry, "w", force_zip64=True) as member:
                npy.write_array(member, value)


arrays = {}
for dtype in ["|b1", "|u1", "|i1", "<i2", "<i4", "<i8", "<f2", "<f4", "<f8", ">i2", ">i4", ">i8", ">f2", ">f4", ">f8"]:
    kind = ("big " if dtype[0] == ">" else "") + dtype[1:]
    arrays[kind] = array(dtype)
    arrays[kind + " fortran"] = np.asfortranarray(array(dtype))
arrays["scalar"] = np.float64(7.5)
arrays["vector"] = np.arange(5, dtype="<i4")
arrays["empty"] = np.zeros((0, 3), "<f4")
arrays["b\u00e4r/x"] = np.ones(1, "<f4")
fixed(os.path.join(folder, "arrays.npz"), arrays)
fixed(os.path.join(folder, "others.npz"), {"u4": numbers.astype("<u4"), "c8": numbers.astype("<c8"),
                                           "text": np.array(["a", "bc"]), "rec": np.zeros(2, [("x", "<f4"), ("y", "<i4")]),
                                           "deep": np.zeros((1,) * 9, "<f4")})
fixed(os.path.join(folder, "compressed.npz"), arrays, zipfile.ZIP_DEFLATED)
fixed(os.path.join(folder, "two.npz"), {"a": numbers.astype("<f4"), "b": np.asfortranarray(array(">i2"))}, zipfile.ZIP_DEFLATED)
fixed(os.path.join(folder, "zeros.npz"), {"zeros": np.zeros((1000, 1000), "<f4")}, zipfile.ZIP_DEFLATED)
fixed(os.path.join(folder, "lzma.npz"), {"a": numbers.astype("<f4")}, zipfile.ZIP_LZMA)
for version in [(1, 0), (2, 0), (3, 0)]:
    with open(os.path.join(folder, "version%d.npy" % version[0]), "wb") as file:
        npy.write_array(file, array("<f4"), version=version)
np.save(os.path.join(folder, "fortran.npy"), np.asfortranarray(array("<f8")))
