"""Modules: layers, losses, containers, and Module, the base of networks of one's own. A layer has two names: facula.nn.Linear
and facula.nn.linear are the same class."""
import inspect as _inspect

from .. import _nn, _ops
from .._attention import BASES as _ATTENTION
from .._missing import missing as _missing
from .._layers import Layer, ModuleDict, ModuleList, ParameterList, Sequential  # noqa: F401
from .._modules import Lambda, Module, _classes  # noqa: F401
from .._recurrent import SPELLED as _RECURRENT, Recurrent as _Recurrent
from .._tensor import Parameter  # noqa: F401
from . import functional, init, utils  # noqa: F401

# What PyTorch does not write as the words of the library's name with capitals
_SPELLED = {
    'binary_cross_entropy': 'BCELoss', 'binary_cross_entropy_with_logits': 'BCEWithLogitsLoss', 'celu': 'CELU',
    'cross_entropy': 'CrossEntropyLoss', 'elu': 'ELU', 'gaussian_nll_loss': 'GaussianNLLLoss', 'gelu': 'GELU', 'glu': 'GLU',
    'kl_div': 'KLDivLoss', 'leaky_relu': 'LeakyReLU', 'logsigmoid': 'LogSigmoid', 'mse_loss': 'MSELoss', 'nll_loss': 'NLLLoss',
    'multilabel_margin_loss': 'MultiLabelMarginLoss', 'multilabel_soft_margin_loss': 'MultiLabelSoftMarginLoss',
    'poisson_nll_loss': 'PoissonNLLLoss', 'prelu': 'PReLU', 'relu': 'ReLU', 'relu6': 'ReLU6', 'rms_norm': 'RMSNorm',
    'rrelu': 'RReLU', 'selu': 'SELU', 'silu': 'SiLU', **_RECURRENT}


def _title(name):
    return _SPELLED.get(name) or ''.join(word.capitalize() for word in name.split('_'))


def _order(name, make):
    """The names of a layer's options in PyTorch's order, and how many of them are in their place here."""
    names = list(_inspect.signature(make).parameters)
    ours = list(names)
    if names[-2:] == ['dtype', 'device']:
        names[-2:] = ['device', 'dtype']
    if 'padding_mode' in names:
        names.remove('padding_mode')
        names.insert(names.index('bias') + 1, 'padding_mode')
    if name == 'embedding':
        names[3:3] = ['max_norm', 'norm_type']
    return names, next((i for i, (a, b) in enumerate(zip(names, ours)) if a != b), 99)


def _reset_running_stats(self):
    """Sets the mean to 0, the variance to 1, and the number of batches to 0."""
    if self.running_mean is not None:
        self.running_mean.zero_()
        self.running_var.fill_(1)
        self.num_batches_tracked.zero_()


def _layer(name, make):
    base = _Recurrent if name in _RECURRENT else _ATTENTION.get(name, Layer)
    made = type(_title(name), (base,), {'__slots__': (), '_make': staticmethod(make),
                                        '_in_place': hasattr(_ops, name + '_') or 'dropout' in name, '__doc__': make.__doc__,
                                        '__signature__': _inspect.signature(make), '__module__': __name__})
    if base is _Recurrent:
        made._cells, made._one_step, made._kind_name = 'lstm' in name, name.endswith('_cell'), name
    made._order, made._same = _order(name, make)
    if name.startswith('batch_norm'):
        made.reset_running_stats = _reset_running_stats
    _classes[name] = made
    return made


for _name in _nn.__all__:
    if _name != 'dict':
        globals()[_name] = globals()[_title(_name)] = _layer(_name, getattr(_nn, _name))
_classes.update(sequential=Sequential, list=ModuleList, dict=ModuleDict)
sequential = Sequential


class _Loss(Module):
    """A loss as a module, with the options of its function."""
    _function = None

    def __init__(self, *weight, **options):
        super().__init__()
        made = type(self).__name__
        known = {n: p.default for n, p in _inspect.signature(self._function).parameters.items()
                 if p.default is not p.empty and n != 'out'}
        if len(weight) == 1 and 'weight' in known and 'margin' not in known and (weight[0] is None or hasattr(weight[0], 'shape')):
            options['weight'] = weight[0]
        elif weight and hasattr(weight[0], 'shape'):
            raise TypeError(f'a loss is made first, and then called: loss = nn.{made}(); loss(input, target)')
        elif weight:
            raise TypeError(f'{made}() takes its options by name: {", ".join(known)}')
        for name, value in options.items():
            if name not in known:
                raise TypeError(f'{made}() has no option {name!r}')
        for name, value in {**known, **options}.items():
            if hasattr(value, 'shape'):  # it moves with the module
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)
        self._options = list(known)

    def forward(self, *inputs):
        return self._function(*inputs, **{name: getattr(self, name) for name in self._options})


class Upsample(Module):
    """functional.interpolate() as a module."""

    def __init__(self, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None):
        super().__init__()
        self._options = {'size': size, 'scale_factor': scale_factor, 'mode': mode, 'align_corners': align_corners,
                         'recompute_scale_factor': recompute_scale_factor}

    def forward(self, input):
        return functional.interpolate(input, **self._options)


for _name in _ops.__all__:
    if _name.endswith('_loss') or _name in _SPELLED and _SPELLED[_name].endswith('Loss'):
        _function = getattr(_ops, _name)
        globals()[_title(_name)] = type(_title(_name), (_Loss,), {
            '_function': staticmethod(_function), '__doc__': _function.__doc__, '__module__': __name__})
del _name, _function

__getattr__ = _missing('facula.nn')
