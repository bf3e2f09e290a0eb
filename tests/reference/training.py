"""Writes training.txt: ten steps of small trainings in f64: losses, gradients and parameters.

A line is `run step what: numbers`: `loss`, or `grad NAME` and `param NAME` with the norm first and then every k-th element,
at most 16 of them."""
import torch
import torch.nn.functional as F

from samples import Operand, seed_of

STEPS = 10


def made(run, text, place, scale=1.0):
    t = Operand(text, place).tensor(seed_of("training", run), torch.float64)
    return t * scale if t.is_floating_point() else t


def shown(run, step, what, name, t):
    t = t.detach().flatten()
    chosen = t[:: max(1, (len(t) + 15) // 16)]
    return f"{run} {step} {what} {name}: " + " ".join(repr(v) for v in [t.norm().item()] + chosen.tolist())


def report(run, step, loss, parameters):
    yield f"{run} {step} loss: {loss.item()!r}"
    for name, p in parameters.items():
        yield shown(run, step, "grad", name, p.grad)
        yield shown(run, step, "param", name, p)


def linear_by_hand():
    run = "linear_hand"
    x, y, w = made(run, "(20,3)", 0), made(run, "(20,1)", 1), made(run, "(3,1)", 2)
    for step in range(STEPS):
        error = x @ w - y
        w.grad = x.T @ error / 20
        w.data = w - w.grad * 0.1
        yield from report(run, step, (error ** 2).mean(), {"w": w})


def linear_by_sgd():
    run = "linear_sgd"
    x, y, w = made(run, "(20,3)", 0), made(run, "(20,1)", 1), made(run, "(3,1)", 2).requires_grad_()
    optimizer = torch.optim.SGD([w], lr=0.1)
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        yield from report(run, step, loss, {"w": w})


def mlp(run, make_optimizer):
    shapes = {"w1": "(32,64)", "b1": "(32)", "w2": "(10,32)", "b2": "(10)"}
    p = {name: made(run, text, n, 0.125).requires_grad_() for n, (name, text) in enumerate(shapes.items())}
    optimizer = make_optimizer(list(p.values()))
    for step in range(STEPS):
        x, target = made(run, "(16,64)", 100 + step), made(run, "i(16)<10", 200 + step)
        optimizer.zero_grad()
        loss = F.cross_entropy(F.linear(F.relu(F.linear(x, p["w1"], p["b1"])), p["w2"], p["b2"]), target)
        loss.backward()
        optimizer.step()
        yield from report(run, step, loss, p)


def lines():
    yield from linear_by_hand()
    yield from linear_by_sgd()
    yield from mlp("mlp_sgd", lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9))
    yield from mlp("mlp_adam", lambda p: torch.optim.Adam(p, lr=0.002))
