"""Writes cnn.txt: ten steps of two small convolutional networks in f64, by SGD with momentum and by Adam: losses,
gradients, and parameters and buffers after each step.

Lines are as those of training.txt; names are those of the networks' state."""
import torch
from torch import nn
import torch.nn.functional as F

from training import STEPS, made, shown


def normed():
    return nn.Sequential(
        nn.Conv2d(3, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(4, 6, 3, stride=2, padding=1, groups=2), nn.ReLU(), nn.Flatten(), nn.Linear(24, 5))


def tour():
    return nn.Sequential(
        nn.Conv2d(3, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(16 * 2 * 2, 24), nn.ReLU(), nn.Linear(24, 12), nn.ReLU(), nn.Linear(12, 5))


def load(run, net):
    """Weights of two and more dimensions, and the biases beside them, are made; normalisations begin as they do."""
    for place, (name, p) in enumerate(net.named_parameters()):
        if p.dim() > 1 or (name.endswith("bias") and not isinstance(net[int(name.split(".")[0])], nn.BatchNorm2d)):
            text = "(" + ",".join(str(n) for n in p.shape) + ")"
            p.data = made(run, text, place, 0.25)


def train(run, net, size, make_optimizer):
    net.double()
    load(run, net)
    optimizer = make_optimizer(net.parameters())
    for step in range(STEPS):
        x, target = made(run, f"(8,3,{size},{size})", 100 + step), made(run, "i(8)<5", 200 + step)
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), target)
        loss.backward()
        optimizer.step()
        yield f"{run} {step} loss: {loss.item()!r}"
        for name, p in net.named_parameters():
            yield shown(run, step, "grad", name, p.grad)
            yield shown(run, step, "param", name, p)
        for name, b in net.named_buffers():
            if b.is_floating_point():
                yield shown(run, step, "buffer", name, b)


def lines():
    for name, new, size in (("normed", normed, 8), ("tour", tour, 16)):
        yield from train(f"{name}_sgd", new(), size, lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9))
        yield from train(f"{name}_adam", new(), size, lambda p: torch.optim.Adam(p, lr=0.002))
