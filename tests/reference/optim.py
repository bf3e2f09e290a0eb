"""Writes optim.txt: parameters after steps of each optimizer, norms of clipped gradients, and rates of each schedule.

A line is `run step: numbers`. Of an optimizer they are the elements of two parameters after that many steps, of clipping the norm
before them, of a schedule the rate of each of two groups at that epoch, and the momentum where it is cycled. The runs, with their
options, stand in tests/optim/reference.c under the same names."""
import math

import torch

SHAPES = [(2, 3), (2,)]
SHOWN = (1, 2, 10, 100)
EPOCHS = [*range(0, 24), *range(24, 196, 9), *range(196, 201)]


def number(v):
    return "nan" if math.isnan(v) else f"{v:.13g}"


# ---- optimizers ----

def begin(place, i):
    return (i + 1) * 0.5 - 1 - place


def slope(p, step, place, i):
    """The gradient of element i in a step: towards a goal, with jolts. Computed in f64 from whatever p is."""
    return (p - (i - 2) * 0.25) * (1 + i) * 0.5 + ((step * 7 + i * 13 + place * 5) % 11 - 5) / 8


def parameters(dtype):
    return [torch.tensor([begin(k, i) for i in range(math.prod(s))], dtype=torch.float64).to(dtype).reshape(s).requires_grad_()
            for k, s in enumerate(SHAPES)]


def give_grads(ps, step):
    """The second parameter has no gradient in every third step."""
    for k, p in enumerate(ps):
        values = [slope(v, step, k, i) for i, v in enumerate(p.detach().double().flatten().tolist())]
        p.grad = None if k == 1 and step % 3 == 2 else torch.tensor(values, dtype=torch.float64).to(p.dtype).reshape(p.shape)


SGD, Adam, AdamW = torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW
RMSprop, Adagrad = torch.optim.RMSprop, torch.optim.Adagrad
OPTIMIZERS = {
    "sgd": (SGD, {}),
    "sgd_momentum": (SGD, dict(lr=0.05, momentum=0.9)),
    "sgd_dampening": (SGD, dict(lr=0.05, momentum=0.9, dampening=0.4)),
    "sgd_weight_decay": (SGD, dict(lr=0.05, weight_decay=0.1)),
    "sgd_nesterov": (SGD, dict(lr=0.05, momentum=0.8, nesterov=True)),
    "sgd_maximize": (SGD, dict(lr=0.001, maximize=True)),
    "sgd_all": (SGD, dict(lr=0.01, momentum=0.8, weight_decay=3.0, nesterov=True, maximize=True)),
    "adam": (Adam, {}),
    "adam_lr": (Adam, dict(lr=0.05)),
    "adam_betas": (Adam, dict(lr=0.02, betas=(0.5, 0.7))),
    "adam_no_betas": (Adam, dict(lr=0.02, betas=(0.0, 0.0), eps=1e-2)),
    "adam_eps": (Adam, dict(lr=0.02, eps=0.1)),
    "adam_weight_decay": (Adam, dict(lr=0.02, weight_decay=0.1)),
    "adam_amsgrad": (Adam, dict(lr=0.02, betas=(0.9, 0.8), amsgrad=True)),
    "adam_maximize": (Adam, dict(lr=0.02, maximize=True)),
    "adam_all": (Adam, dict(lr=0.02, betas=(0.8, 0.9), eps=1e-3, weight_decay=2.0, amsgrad=True, maximize=True)),
    "adamw": (AdamW, {}),
    "adamw_lr": (AdamW, dict(lr=0.05)),
    "adamw_betas": (AdamW, dict(lr=0.02, betas=(0.5, 0.7))),
    "adamw_eps": (AdamW, dict(lr=0.02, eps=0.1)),
    "adamw_weight_decay": (AdamW, dict(lr=0.02, weight_decay=0.5)),
    "adamw_no_decay": (AdamW, dict(lr=0.02, weight_decay=0)),
    "adamw_amsgrad": (AdamW, dict(lr=0.02, betas=(0.9, 0.8), amsgrad=True)),
    "adamw_maximize": (AdamW, dict(lr=0.02, maximize=True)),
    "adamw_all": (AdamW, dict(lr=0.02, betas=(0.8, 0.9), eps=1e-3, weight_decay=2.0, amsgrad=True, maximize=True)),
    "rmsprop": (RMSprop, {}),
    "rmsprop_lr": (RMSprop, dict(lr=0.002)),
    "rmsprop_alpha": (RMSprop, dict(alpha=0.8)),
    "rmsprop_eps": (RMSprop, dict(eps=0.1)),
    "rmsprop_weight_decay": (RMSprop, dict(weight_decay=0.1)),
    "rmsprop_momentum": (RMSprop, dict(lr=0.003, momentum=0.9)),
    "rmsprop_centered": (RMSprop, dict(centered=True, alpha=0.9)),
    "rmsprop_maximize": (RMSprop, dict(maximize=True)),
    "rmsprop_all": (RMSprop, dict(lr=0.003, alpha=0.9, eps=1e-3, weight_decay=2.0, momentum=0.8, centered=True, maximize=True)),
    "adagrad": (Adagrad, {}),
    "adagrad_lr": (Adagrad, dict(lr=0.3)),
    "adagrad_lr_decay": (Adagrad, dict(lr=0.1, lr_decay=0.05)),
    "adagrad_weight_decay": (Adagrad, dict(lr=0.1, weight_decay=0.1)),
    "adagrad_initial": (Adagrad, dict(lr=0.1, initial_accumulator_value=0.5)),
    "adagrad_eps": (Adagrad, dict(lr=0.1, eps=0.1)),
    "adagrad_maximize": (Adagrad, dict(lr=0.1, maximize=True)),
    "adagrad_all": (Adagrad, dict(lr=0.1, lr_decay=0.1, weight_decay=2.0, initial_accumulator_value=0.3, eps=1e-3, maximize=True)),
}
# The options of the second parameter, where it is a group of its own.
GROUPS = {
    "groups_sgd": (SGD, dict(lr=0.05, momentum=0.9, weight_decay=0.1), dict(lr=0.01, weight_decay=0)),
    "groups_sgd_nesterov": (SGD, dict(lr=0.05, momentum=0.9), dict(nesterov=True, momentum=0.5)),
    "groups_adam": (Adam, dict(lr=0.02), dict(betas=(0.5, 0.6), eps=1e-2, weight_decay=0.3, amsgrad=True)),
    "groups_adamw": (AdamW, dict(lr=0.02), dict(lr=0.001, weight_decay=0)),
    "groups_rmsprop": (RMSprop, dict(momentum=0.5), dict(alpha=0.7, centered=True, momentum=0, maximize=True)),
    "groups_adagrad": (Adagrad, dict(lr=0.1), dict(lr=0.2, lr_decay=0.1, eps=1e-2)),
}
CLIPS = {
    "clip_norm": dict(max_norm=0.5),
    "clip_norm_1": dict(max_norm=2.0, norm_type=1),
    "clip_norm_3": dict(max_norm=0.5, norm_type=3),
    "clip_norm_inf": dict(max_norm=0.25, norm_type=math.inf),
    "clip_norm_large": dict(max_norm=1e6),
}


def numbers_of(ps):
    return [v for p in ps for v in p.detach().flatten().tolist()]


def optimizer_lines(run, ps, optimizer, clip=lambda: []):
    for step in range(max(SHOWN)):
        give_grads(ps, step)
        before = clip()
        optimizer.step()
        if step + 1 in SHOWN:
            yield f"{run} {step + 1}: " + " ".join(number(v) for v in before + numbers_of(ps))


def optimizers():
    for name, (kind, options) in OPTIMIZERS.items():
        for dtype in (torch.float64, torch.float32):
            if dtype == torch.float64 or name.endswith("_all"):
                ps = parameters(dtype)
                run = name if dtype == torch.float64 else name + "_f32"
                yield from optimizer_lines(run, ps, kind(ps, foreach=False, **options))
    for name, (kind, options, second) in GROUPS.items():
        ps = parameters(torch.float64)
        optimizer = kind(ps[:1], foreach=False, **options)
        optimizer.add_param_group(dict(params=ps[1:], **second))
        yield from optimizer_lines(name, ps, optimizer)


def clips():
    for name, options in CLIPS.items():
        ps = parameters(torch.float64)
        clip = lambda: [torch.nn.utils.clip_grad_norm_(ps, **options).item()]  # noqa: E731
        yield from optimizer_lines(name, ps, SGD(ps, lr=0.05), clip)
    ps = parameters(torch.float64)
    clip = lambda: torch.nn.utils.clip_grad_value_(ps, 0.3) or []  # noqa: E731
    yield from optimizer_lines("clip_value", ps, SGD(ps, lr=0.05), clip)


# ---- schedules ----

S = torch.optim.lr_scheduler


def metric(epoch):
    """Falls in stairs, with ripples; one is no number."""
    return math.nan if epoch == 33 else 1 / (1 + epoch // 7) + ((epoch * 5) % 3 - 1) / 1024


SCHEDULES = {
    "step_lr": lambda o: S.StepLR(o, 30),
    "step_lr_gamma": lambda o: S.StepLR(o, 7, gamma=0.9),
    "multi_step": lambda o: S.MultiStepLR(o, [80, 30, 30, 120]),
    "multi_step_gamma": lambda o: S.MultiStepLR(o, [3, 5, 50], gamma=0.5),
    "exponential": lambda o: S.ExponentialLR(o, 0.97),
    "cosine": lambda o: S.CosineAnnealingLR(o, 200),
    "cosine_again": lambda o: S.CosineAnnealingLR(o, 30, eta_min=0.001),
    "linear": lambda o: S.LinearLR(o),
    "linear_down": lambda o: S.LinearLR(o, start_factor=0.9, end_factor=0.1, total_iters=150),
    "constant": lambda o: S.ConstantLR(o),
    "constant_half": lambda o: S.ConstantLR(o, factor=0.5, total_iters=40),
    "lambda": lambda o: S.LambdaLR(o, [lambda e: 1 / (1 + e), lambda e: 1 / (2 + e)]),
    "one_cycle": lambda o: S.OneCycleLR(o, 0.5, total_steps=200),
    "one_cycle_linear": lambda o: S.OneCycleLR(o, 0.5, total_steps=210, pct_start=0.2, anneal_strategy="linear", base_momentum=0.5,
                                               max_momentum=0.9, div_factor=10, final_div_factor=100),
    "one_cycle_three": lambda o: S.OneCycleLR(o, [0.5, 0.3], total_steps=200, three_phase=True),
    "one_cycle_still": lambda o: S.OneCycleLR(o, 0.5, total_steps=200, cycle_momentum=False),
    "cyclic": lambda o: S.CyclicLR(o, 0.01, 0.3, step_size_up=10),
    "cyclic_halved": lambda o: S.CyclicLR(o, 0.05, 0.5, step_size_up=7, step_size_down=20, mode="triangular2", base_momentum=0.5,
                                          max_momentum=0.95),
    "cyclic_range": lambda o: S.CyclicLR(o, 0.01, 0.4, step_size_up=30, step_size_down=3, mode="exp_range", gamma=0.98),
    "cyclic_still": lambda o: S.CyclicLR(o, 0.01, 0.4, step_size_up=25, cycle_momentum=False),
    "plateau": lambda o: S.ReduceLROnPlateau(o),
    "plateau_patience": lambda o: S.ReduceLROnPlateau(o, factor=0.7, patience=3, threshold=1e-2),
    "plateau_abs": lambda o: S.ReduceLROnPlateau(o, factor=0.7, patience=3, threshold=1e-2, threshold_mode="abs", cooldown=5),
    "plateau_max": lambda o: S.ReduceLROnPlateau(o, mode="max", factor=0.5, patience=20, min_lr=0.01),
    "plateau_max_abs": lambda o: S.ReduceLROnPlateau(o, mode="max", factor=0.5, patience=20, threshold=0.5, threshold_mode="abs",
                                                     cooldown=9, min_lr=[0.001, 0.01], eps=1e-3),
    "chained": lambda o: S.ChainedScheduler([S.LinearLR(o, 0.1, total_iters=20), S.ExponentialLR(o, 0.98), S.StepLR(o, 50)]),
    "sequential": lambda o: S.SequentialLR(o, [S.LinearLR(o, 0.01, total_iters=10), S.CosineAnnealingLR(o, 190)], [10]),
    "sequential_three": lambda o: S.SequentialLR(o, [S.ConstantLR(o, 0.1, 100), S.ExponentialLR(o, 0.9), S.StepLR(o, 20)], [4, 80]),
    "sequential_multi_step": lambda o: S.SequentialLR(o, [S.ConstantLR(o, 0.1, 10), S.MultiStepLR(o, [0, 30], 0.5)], [15]),
}


def schedules():
    for name, make in SCHEDULES.items():
        kind = Adam if name == "one_cycle_linear" else SGD
        ps = parameters(torch.float64)
        optimizer = kind([dict(params=ps[:1]), dict(params=ps[1:], lr=0.02)], lr=0.1)
        schedule = make(optimizer)
        optimizer.step()
        for epoch in range(201):
            if epoch:
                schedule.step(*([metric(epoch - 1)] if name.startswith("plateau") else []))
            group = optimizer.param_groups[0]
            cycled = [group["betas"][0] if kind == Adam else group["momentum"]] if "cycl" in name else []
            if epoch in EPOCHS:
                yield f"{name} {epoch}: " + " ".join(number(v) for v in [g["lr"] for g in optimizer.param_groups] + cycled)


def lines():
    yield from optimizers()
    yield from clips()
    yield from schedules()
