"""Writes pickles/*: one record of CIFAR-10 as Python 2 wrote it, as NumPy writes it in each protocol, and one of CIFAR-100.

    python3 write_pickles.py
"""
import os
import pickle
import struct

import numpy

os.makedirs("pickles", exist_ok=True)
pixels = (numpy.arange(3072) * 7 % 256).astype(numpy.uint8).reshape(1, 3072)
for protocol in 3, 4, 5:
    with open(f"pickles/cifar10_{protocol}", "wb") as f:
        batch = {b"batch_label": b"training batch 1 of 5", b"labels": [6], b"data": pixels, b"filenames": [b"frog.png"]}
        pickle.dump(batch, f, protocol)
with open("pickles/cifar100_4", "wb") as f:
    pickle.dump({"filenames": ["x"], "fine_labels": [77], "coarse_labels": [12], "data": pixels}, f, 4)
# What cPickle of Python 2 wrote, protocol 2: instructions as in the files that the University of Toronto offers.
short = lambda text: b"U" + bytes([len(text)]) + text
array = (b"cnumpy.core.multiarray\n_reconstruct\nq\x06cnumpy\nndarray\nq\x07K\x00\x85U\x01b\x87Rq\x08(K\x01K\x01M\x00\x0c\x86"
         b"cnumpy\ndtype\nq\x09U\x02u1K\x00K\x01\x87Rq\x0a(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89T"
         + struct.pack("<I", 3072) + pixels.tobytes() + b"tb")
with open("pickles/cifar10_2", "wb") as f:
    f.write(b"\x80\x02}q\x01(" + short(b"batch_label") + b"q\x02" + short(b"testing batch 1 of 1") + b"q\x03"
            + short(b"labels") + b"q\x04]q\x05K\x06a" + short(b"data") + array + short(b"filenames") + b"]q\x0b"
            + short(b"frog.png") + b"q\x0cau.")
for name in sorted(os.listdir("pickles")):
    with open(f"pickles/{name}", "rb") as f:
        batch = pickle.load(f, encoding="bytes")
        assert (batch.get(b"data", batch.get("data")) == pixels).all(), name
