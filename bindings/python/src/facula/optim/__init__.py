"""Optimizers. Parameters are those of a module, a list of tensors, or a list of dicts, which are groups with options of their
own: [{"params": body.parameters()}, {"params": head.parameters(), "lr": 0.1}]."""
from .. import _optim
from .._modules import Module as _Module
from .._tensor import Tensor as _Tensor
from .._training import Optimizer  # noqa: F401
from . import lr_scheduler  # noqa: F401
from .._missing import missing as _missing

sgd, adam, adamw, rmsprop, adagrad = _optim.sgd, _optim.adam, _optim.adamw, _optim.rmsprop, _optim.adagrad


def _grouped(make, params, options):
    """An optimizer of parameters that may be groups."""
    for name in ('fused', 'foreach'):  # which change no result
        options.pop(name, None)
    if not isinstance(params, (_Module, _Tensor)):
        params = list(params)
        if params and isinstance(params[0], dict):
            first = dict(params[0])
            made = make(first.pop('params'), **options)
            made.defaults = _options(made)
            for group in params[1:]:
                made.add_param_group(group)
            for name, value in first.items():
                made.param_groups[0][name] = value
            return made
    made = make(params, **options)
    made.defaults = _options(made)
    return made


def _options(made):
    return {name: value for name, value in made.param_groups[0].items() if name != 'params'}


def SGD(params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, **options):
    """Gradient descent; sgd() with PyTorch's order of options, and groups."""
    return _grouped(sgd, params, dict(lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay,
                                      nesterov=nesterov, **options))


def Adam(params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, **options):
    """Adam; adam() with PyTorch's order of options, and groups."""
    return _grouped(adam, params, dict(lr=lr, beta1=betas[0], beta2=betas[1], eps=eps, weight_decay=weight_decay,
                                       amsgrad=amsgrad, **options))


def AdamW(params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, **options):
    """Adam with decoupled weight decay; adamw() with PyTorch's order of options, and groups."""
    return _grouped(adamw, params, dict(lr=lr, beta1=betas[0], beta2=betas[1], eps=eps, weight_decay=weight_decay,
                                        amsgrad=amsgrad, **options))


def RMSprop(params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False, **options):
    """RMSprop; rmsprop() with PyTorch's order of options, and groups."""
    return _grouped(rmsprop, params, dict(lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum,
                                          centered=centered, **options))


def Adagrad(params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, **options):
    """Adagrad; adagrad() with PyTorch's order of options, and groups."""
    return _grouped(adagrad, params, dict(lr=lr, lr_decay=lr_decay, weight_decay=weight_decay,
                                          initial_accumulator_value=initial_accumulator_value, eps=eps, **options))


__getattr__ = _missing('facula.optim')
