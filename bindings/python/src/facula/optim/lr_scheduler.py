"""Schedules of learning rates, with PyTorch's names; facula.lr has the library's."""
from ctypes import CFUNCTYPE, POINTER, c_double, c_int, c_int64, c_size_t, c_void_p

from .. import _library as _l, _lr
from .._training import Schedule as LRScheduler
from .._missing import missing as _missing

StepLR, MultiStepLR, ExponentialLR, CosineAnnealingLR = _lr.step_lr, _lr.multi_step, _lr.exponential, _lr.cosine
LinearLR, ConstantLR, ReduceLROnPlateau = _lr.linear, _lr.constant, _lr.reduce_on_plateau

_Rate = CFUNCTYPE(c_double, c_int64, c_int, c_void_p)
_lambda = _l._declare('fa_schedule_lambda', c_void_p, [c_void_p, _Rate, c_void_p])
_chained = _l._declare('fa__schedule_chained', c_void_p, [c_size_t, POINTER(c_void_p)])
_sequential = _l._declare('fa__schedule_sequential', c_void_p, [_l.Numbers, c_size_t, POINTER(c_void_p)])


def OneCycleLR(optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, **options):
    """lr.one_cycle(), over total_steps, or epochs times steps_per_epoch."""
    if total_steps is None and (epochs is None or steps_per_epoch is None):
        raise TypeError('OneCycleLR needs total_steps, or epochs and steps_per_epoch')
    return _lr.one_cycle(optimizer, max_lr, epochs * steps_per_epoch if total_steps is None else total_steps, **options)


def CyclicLR(optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode='triangular', gamma=1.0, scale_fn=None,
             scale_mode='cycle', cycle_momentum=True, base_momentum=0.8, max_momentum=0.9):
    """lr.cyclic(); with scale_fn, the rates are scale_fn(x) times as far from base_lr, in place of `mode`: x is the number of the
    cycle, from 1 on, or that of the steps, with scale_mode="iterations"."""
    if scale_fn is None:
        return _lr.cyclic(optimizer, base_lr, max_lr, step_size_up=step_size_up, step_size_down=step_size_down or 0, mode=mode,
                          gamma=gamma, cycle_momentum=cycle_momentum, base_momentum=base_momentum, max_momentum=max_momentum)
    if scale_mode not in ('cycle', 'iterations'):
        raise ValueError(f'scale_mode is "cycle" or "iterations", not {scale_mode!r}')
    for group in optimizer.param_groups:
        group['lr'] = base_lr
    momentum = (base_momentum, max_momentum) if cycle_momentum else None
    return _Cyclic(optimizer, max_lr, step_size_up, step_size_down or step_size_up, scale_fn, scale_mode, momentum)


class _Cyclic(LRScheduler):
    """CyclicLR() with a function of Python."""

    def __init__(self, optimizer, max_lr, up, down, scale_fn, scale_mode, momentum):
        self._kept = max_lr, up, down, scale_fn, scale_mode, momentum
        super().__init__(optimizer)

    def get_lr(self):
        max_lr, up, down, scale_fn, scale_mode, momentum = self._kept
        cycle, step = divmod(self.last_epoch, up + down)
        part = step / up if step <= up else (up + down - step) / down
        part *= scale_fn(cycle + 1 if scale_mode == 'cycle' else self.last_epoch)
        for group in self.optimizer.param_groups if momentum else ():
            value = momentum[1] - (momentum[1] - momentum[0]) * part
            if 'betas' in group:
                group['betas'] = value, group['betas'][1]
            elif 'momentum' in group:
                group['momentum'] = value
            else:
                raise ValueError('the optimizer has no momentum: cycle_momentum=False')
        return [lr + (max_lr - lr) * part for lr in self.base_lrs]


def LambdaLR(optimizer, lr_lambda):
    """The base rate times lr_lambda(epoch); a list has a function for each group."""
    @_Rate
    def rate(epoch, group, _):
        try:
            return (lr_lambda[group] if isinstance(lr_lambda, (list, tuple)) else lr_lambda)(epoch)
        except BaseException as e:
            _l._gave(e)
            return -1

    return _combined(optimizer, rate, _lambda, optimizer._h, rate, None)


def ChainedScheduler(schedulers, optimizer=None):
    """Steps several schedules together, which multiply their factors."""
    handles = _handles(schedulers)
    return _combined(schedulers[0].optimizer, list(schedulers), _chained, len(schedulers), handles)


def SequentialLR(optimizer, schedulers, milestones):
    """Runs schedules one after the other: the first until epoch milestones[0], and so on."""
    handles = _handles(schedulers)
    return _combined(optimizer, list(schedulers), _sequential, _l._numbers(milestones), len(schedulers), handles)


def _handles(schedulers):
    for s in schedulers:
        if not s._h:
            raise TypeError(f'schedules of the library go here, not {type(s).__name__}, which is of Python')
    return (c_void_p * len(schedulers))(*[s._h for s in schedulers])


def _combined(optimizer, parts, function, *arguments):
    """A schedule that a function makes. It keeps the parts, which the library refers to."""
    made = _l._making(LRScheduler, function, *arguments)
    made.optimizer, made._kept = optimizer, parts
    return made


__getattr__ = _missing('facula.optim.lr_scheduler')
