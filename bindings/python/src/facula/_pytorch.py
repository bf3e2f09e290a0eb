"""PyTorch's names of what has others here: classes with their keywords, losses, data, schedules, devices. They lead to the
functions of the library; a script that is written for PyTorch finds here what it imports."""
import functools
import inspect
import sys
import types
from ctypes import POINTER, c_bool, c_char_p, c_double, c_int, c_int64, c_void_p

from . import _data, _init, _library as _l, _lr, _nn, _ops, _optim
from ._library import Parameters, _call, _declare, _enter, _fail, _made
from ._objects import Lambda, Module, ModuleList, Optimizer, sequential
from ._tensor import Tensor

# PyTorch's keyword: the names it has here, of which a function has one
KEYWORDS = {'in_features': 'in_', 'in_channels': 'in_', 'out_features': 'out', 'out_channels': 'out', 'kernel_size': 'kernel',
            'output_size': 'size', 'num_features': 'features', 'normalized_shape': 'shape', 'num_groups': 'groups',
            'num_channels': 'channels', 'num_embeddings': 'rows', 'embedding_dim': 'width', 'start_dim': 'start',
            'end_dim': 'end', 'min_val': 'low', 'max_val': 'high', 'unflattened_size': 'shape', 'T_max': 't_max'}
# what changes no result: accepted with these values
WITHOUT_EFFECT = {'inplace': (False, True), 'fused': (None, False, True), 'foreach': (None, False, True)}


def with_keywords(f):
    """The function, which knows PyTorch's keywords too."""
    known = inspect.signature(f).parameters

    @functools.wraps(f)
    def called(*arguments, **options):
        for name in [name for name in options if name not in known]:
            ours = KEYWORDS.get(name)
            if ours in known:
                options[ours] = options.pop(name)
            elif name == 'betas' and 'beta1' in known:
                options['beta1'], options['beta2'] = options.pop(name)
            elif options[name] in WITHOUT_EFFECT.get(name, ()):
                del options[name]
        return f(*arguments, **options)
    return called


def as_elsewhere(module):
    """PyTorch's names of what a module has: facula.nn.BatchNorm2d is facula.nn.batch_norm2d."""
    names = {name.replace('_', ''): name for name in dir(module) if not name.startswith('_')}

    def find(name):
        if name[:1].isupper() and name.lower() in names:
            setattr(module, name, with_keywords(getattr(module, names[name.lower()])))
            return getattr(module, name)
        raise AttributeError(f'module {module.__name__!r} has no {name!r}')
    module.__getattr__ = find


# ---- losses ----

def loss(name):
    """A loss as a module: nn.CrossEntropyLoss(label_smoothing=0.1)(input, target)."""
    function = getattr(_ops, name)
    words = name.split('_')
    spelled = {'nll': 'NLL', 'mse': 'MSE', 'bce': 'BCE', 'kl': 'KL', 'multilabel': 'MultiLabel'}
    title = ''.join(spelled.get(w, w.capitalize()) for w in words)
    title = {'BinaryCrossEntropy': 'BCELoss', 'BinaryCrossEntropyWithLogits': 'BCEWithLogitsLoss',
             'KLDiv': 'KLDivLoss', 'CrossEntropy': 'CrossEntropyLoss'}.get(title, title)
    known = inspect.signature(function).parameters

    def __init__(self, *arguments, **options):
        Module.__init__(self)
        if arguments:
            raise TypeError(f'options of {title}() have names: ' + ', '.join(
                n for n, p in known.items() if p.default is not p.empty))
        for n in options:
            if n not in known:
                raise TypeError(f'{title}() has no option {n!r}')
        self.options = options

    def forward(self, *inputs):
        return function(*inputs, **self.options)

    return type(title, (Module,), {'__init__': __init__, 'forward': forward, '__doc__': f'{name}() as a module.'})


# ---- devices ----

class device(str):
    """The name of a device, with its `type` and `index`."""

    def __new__(cls, name, index=None):
        return super().__new__(cls, name if index is None else f'{name}:{index}')

    @property
    def type(self):
        """The kind: "cpu", "cuda"."""
        return self.partition(':')[0]

    @property
    def index(self):
        """The number; None if the name has none."""
        number = self.partition(':')[2]
        return int(number) if number else None


def _space(name, doc, **members):
    space = types.ModuleType(f'facula.{name}', doc)
    for n, m in members.items():
        setattr(space, n, m)
    sys.modules[space.__name__] = space
    return space


_count = _declare('fa_device_count', c_int, [c_char_p, POINTER(c_char_p)])
cuda = _space('cuda', 'CUDA devices.', is_available=lambda: _count(b'cuda', None) > 0,
              device_count=lambda: max(_count(b'cuda', None), 0))


# ---- data ----

_subset = _declare('fa_data_subset', c_void_p, [c_void_p, POINTER(c_int64), c_int64])


class Dataset:
    """The base of datasets in Python: __len__() and __getitem__(); any object that has both will do."""

    def __getitem__(self, index):
        raise NotImplementedError


def DataLoader(dataset, batch_size=1, shuffle=False, sampler=None, num_workers=0, drop_last=False, pin_memory=False,
               timeout=0, **others):
    """A loader, as facula.data.loader() makes one, with PyTorch's names of its options."""
    if others:
        raise TypeError(f'DataLoader() has no {", ".join(others)}; facula.data.loader() has others: help(facula.data.loader)')
    return _data.loader(dataset, batch_size=batch_size, shuffle=shuffle, sampler=sampler, workers=num_workers,
                        drop_last=drop_last, timeout=timeout)


def TensorDataset(*tensors):
    """A dataset of the rows of tensors of one length."""
    return _data.tensors(list(tensors))


def Subset(dataset, indices):
    """The samples of a dataset that have these numbers."""
    numbers = [int(i) for i in indices]
    array = (c_int64 * len(numbers))(*numbers)
    return _made(_enter(b'python'), _l.Dataset, _subset(_l._dataset(dataset)._h, array, len(numbers)))


def random_split(dataset, lengths):
    """Disjoint random subsets of a dataset, of these lengths or, if their sum is 1, shares."""
    n = len(dataset)
    if abs(sum(lengths) - 1) < 1e-9 and n != 1:
        lengths = [int(n * part) for part in lengths]
        for i in range(n - sum(lengths)):
            lengths[i % len(lengths)] += 1
    if sum(lengths) != n:
        raise ValueError(f'the lengths {lengths} are not {n} together')
    order, begin, parts = _ops.randperm(n).tolist(), 0, []
    for length in lengths:
        parts.append(Subset(dataset, order[begin:begin + length]))
        begin += length
    return parts


# ---- schedules ----

def OneCycleLR(optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, **options):
    """lr.one_cycle(), over total_steps, or epochs times steps_per_epoch."""
    return _lr.one_cycle(optimizer, max_lr, epochs * steps_per_epoch if total_steps is None else total_steps, **options)


class LambdaLR:
    """The base rate times function(epoch), for all groups."""

    def __init__(self, optimizer, lr_lambda):
        self.optimizer, self.function, self.epoch = optimizer, lr_lambda, 0
        self.base = [g['lr'] for g in optimizer.param_groups]
        self._set()

    def _set(self):
        for group, rate in zip(self.optimizer.param_groups, self.base):
            group['lr'] = rate * self.function(self.epoch)

    def step(self):
        """Goes to the next epoch or step."""
        self.epoch += 1
        self._set()

    def get_last_lr(self):
        """The rates of the groups."""
        return [g['lr'] for g in self.optimizer.param_groups]

    def state_dict(self):
        """Its epoch and base rates."""
        return {'epoch': self.epoch, 'base': self.base}

    def load_state_dict(self, state):
        """Takes over a state."""
        self.epoch, self.base = state['epoch'], list(state['base'])
        self._set()


# ---- gradients ----

_clip_norm = _declare('fa_clip_grad_norm', c_void_p, [Parameters, c_double, c_void_p])
_clip_value = _declare('fa_clip_grad_value', c_bool, [Parameters, c_double])


def clip_grad_norm_(parameters, max_norm):
    """Scales the gradients of parameters (a list, or a module) so that their norm, of all together, is at most max_norm.
    Returns the norm before."""
    return _call(_clip_norm, _l._parameters(parameters), max_norm, None)


def clip_grad_value_(parameters, clip_value):
    """Limits the gradients of parameters (a list, or a module) to -clip_value to clip_value."""
    if not _clip_value(_l._parameters(parameters), clip_value):
        _fail()


def Parameter(data, requires_grad=True):
    """A tensor that becomes a parameter when it becomes an attribute of a module."""
    return data.detach().requires_grad_(requires_grad)


def install(package):
    """Adds the names to the package."""
    from . import _recurrent
    as_elsewhere(_nn)
    as_elsewhere(_optim)
    package.device, package.cuda = device, cuda
    nn, optim = _nn, _optim
    nn.Module, nn.Lambda, nn.ModuleList, nn.sequential, nn.Parameter = Module, Lambda, ModuleList, sequential, Parameter
    nn.LSTM, nn.GRU, nn.RNN = _recurrent.LSTM, _recurrent.GRU, _recurrent.RNN
    nn.functional, nn.init, nn.Sequential = package, _init, sequential
    optim.Optimizer = Optimizer
    for name in _ops.__all__:
        if name.endswith('_loss') or name in ('cross_entropy', 'binary_cross_entropy', 'binary_cross_entropy_with_logits',
                                              'kl_div'):
            made = loss(name)
            setattr(nn, made.__name__, made)
        if '_pool' in name or name == 'flatten':
            translated = with_keywords(getattr(_ops, name))
            setattr(package, name, translated)
            if hasattr(Tensor, name):
                setattr(Tensor, name, translated)
    nn.utils = _space('nn.utils', 'Gradients of parameters.', clip_grad_norm_=clip_grad_norm_,
                      clip_grad_value_=clip_grad_value_)
    rates = {'StepLR': _lr.step_lr, 'MultiStepLR': _lr.multi_step, 'ExponentialLR': _lr.exponential,
             'CosineAnnealingLR': _lr.cosine, 'LinearLR': _lr.linear, 'ConstantLR': _lr.constant,
             'ReduceLROnPlateau': _lr.reduce_on_plateau}
    optim.lr_scheduler = _space('optim.lr_scheduler', "PyTorch's names of facula.lr.", OneCycleLR=OneCycleLR,
                                LambdaLR=LambdaLR, **{n: with_keywords(f) for n, f in rates.items()})
    data = _space('utils.data', 'Datasets and loaders.', Dataset=Dataset, DataLoader=DataLoader, TensorDataset=TensorDataset,
                  Subset=Subset, random_split=random_split)
    package.utils = _space('utils', 'Data.', data=data)
    for name in ('nn', 'optim', 'lr', 'data', 'init', 'amp', 'transform'):
        sys.modules[f'facula.{name}'] = getattr(package, name)
    sys.modules['facula.nn.functional'], sys.modules['facula.nn.init'] = package, _init
    for name, short in {'f64': 'double', 'f32': 'float', 'f16': 'half', 'i64': 'long', 'i32': 'int', 'i16': 'short',
                        'bool': 'bool'}.items():
        setattr(package, short, _l._BY_NAME[name])
