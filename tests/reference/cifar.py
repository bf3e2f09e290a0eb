#!/usr/bin/env python3
"""Writes cifar.txt: the losses of the first ten steps of the network of examples/cifar10.c in f32, with that example's
settings, on CIFAR-10's training records, and the parameters behind them; as in training.txt.

    cifar.py FOLDER    with cifar-10-batches-bin, of whose files data_batch_1.bin is enough

Weights and the order of samples are made as samples' values are (README.md), so that tests/data/cifar.c has the same."""
import pathlib
import sys

sys.dont_write_bytecode = True
import torch  # noqa: E402
from torch import nn  # noqa: E402
import torch.nn.functional as F  # noqa: E402

from training import STEPS, made, shown  # noqa: E402

BATCH, RECORD = 64, 3073


def records(folder):
    data = (pathlib.Path(folder) / "cifar-10-batches-bin" / "data_batch_1.bin").read_bytes()
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).reshape(-1, RECORD)


def network():
    return nn.Sequential(
        nn.Conv2d(3, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(16 * 5 * 5, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


def load(net):
    """Within the bounds of PyTorch's own initialisation."""
    fan_in = 0
    for place, p in enumerate(net.parameters()):
        fan_in = p[0].numel() if p.dim() > 1 else fan_in
        text = "(" + ",".join(str(n) for n in p.shape) + ")"
        p.data = made("cifar", text, place, 0.5 * fan_in ** -0.5).float()


def lines(folder):
    all_of_them, net = records(folder), network()
    load(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.001, momentum=0.9)
    order = made("cifar", "r(10000)", 100)
    for step in range(STEPS):
        batch = all_of_them[order[step * BATCH : (step + 1) * BATCH]]
        x = (batch[:, 1:].reshape(-1, 3, 32, 32).float() / 255 - 0.5) / 0.5
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), batch[:, 0].long())
        loss.backward()
        optimizer.step()
        yield f"cifar {step} loss: {loss.item()!r}"
    for name, p in net.named_parameters():
        yield shown("cifar", STEPS - 1, "param", name, p)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    head = f"# Written by cifar.py with PyTorch {torch.__version__.partition('+')[0]}.\n"
    text = head + "".join(line + "\n" for line in lines(sys.argv[1]))
    pathlib.Path(__file__).with_name("cifar.txt").write_text(text)
