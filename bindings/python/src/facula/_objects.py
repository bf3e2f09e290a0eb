"""Modules, optimizers, schedules, loaders and gradient scalers."""
import ctypes
import sys
import weakref
from collections import namedtuple
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p,
                    cast)

from . import _library as _l
from ._library import (Handle, Parameters, Place, Shape, Tensors, _borrowed, _call, _check, _declare, _enter, _fail, _gave, _made,
                       _module, _scope, _tensors)
from ._tensor import Tensor, _as_tensor


class _Modules(Structure):
    _fields_ = [('count', c_size_t), ('item', POINTER(c_void_p)), ('name', POINTER(c_char_p))]


class _ForwardFunction(Structure):
    _fields_ = [('one', c_void_p), ('many', c_void_p)]


class _SummaryOptions(Structure):
    _fields_ = [('size', c_size_t), ('input', Shape), ('dtype', c_int), ('inputs', Tensors), ('fa__end', ctypes.c_char)]


class _Numbers(Structure):
    _fields_ = [('count', c_size_t), ('item', POINTER(c_double)), ('name', POINTER(c_char_p))]


class _StateDict(Structure):
    _fields_ = [('kind', c_char_p), ('tensors', Parameters), ('numbers', _Numbers)]


class _CustomOptions(Structure):
    _fields_ = [('size', c_size_t), ('data', c_void_p), ('destroy', c_void_p), ('fa__end', ctypes.c_char)]


_forward = _declare('fa__forward', c_void_p, [c_void_p, Tensors])
_custom = _declare('fa_nn_custom', c_void_p, [c_char_p, c_size_t, _ForwardFunction, c_void_p])
_data = _declare('fa_module_data', c_void_p, [c_void_p])
_add = _declare('fa_module_add', c_void_p, [c_void_p, c_char_p, c_void_p])
_parameter = _declare('fa_module_parameter', c_void_p, [c_void_p, c_char_p, c_void_p])
_buffer = _declare('fa_module_buffer', c_void_p, [c_void_p, c_char_p, c_void_p])
_module_to = _declare('fa__module_to', c_void_p, [c_void_p, Place])
_train = _declare('fa_module_train', c_void_p, [c_void_p, c_bool])
_training = _declare('fa_module_training', c_bool, [c_void_p])
_zero_grad = _declare('fa_module_zero_grad', c_bool, [c_void_p])
_parameters_of = _declare('fa_module_parameters', Parameters, [c_void_p])
_state_of = _declare('fa_module_state', Parameters, [c_void_p])
_children = _declare('fa_module_children', _Modules, [c_void_p])
_child = _declare('fa_module_child', c_void_p, [c_void_p, c_char_p])
_kind = _declare('fa_module_kind', c_char_p, [c_void_p])
_numel = _declare('fa_module_numel', c_int64, [c_void_p])
_module_count = _declare('fa_module_count', c_size_t, [c_void_p])
_summary = _declare('fa_module_summary', c_bool, [c_void_p, c_void_p, c_void_p])
_sequential = _declare('fa__nn_sequential', c_void_p, [c_size_t, POINTER(c_void_p)])
_adopt = _declare('fa__adopt', c_void_p, [c_void_p])


def _named(array):
    if not array.count:
        _check()
    return {array.name[i].decode(): _borrowed(Tensor, array.item[i]) for i in range(array.count)}


class Module(Handle):
    """A layer or network. A network of one's own is a subclass with forward(); modules and tensors that become attributes
    are its children and parameters:

        class MLP(facula.nn.Module):
            def __init__(self):
                super().__init__()
                self.fc1, self.fc2 = facula.nn.linear(784, 128), facula.nn.linear(128, 10)

            def forward(self, x):
                return self.fc2(self.fc1(x).relu())
    """
    __slots__ = ('__dict__',)

    def __init__(self, kind=None):
        run = _ForwardFunction(None, cast(_called, c_void_p))
        options = _CustomOptions(_CustomOptions.fa__end.offset, None, cast(_destroyed, c_void_p))
        self._h = None
        own = _made(_enter(b'python'), Module, _custom((kind or type(self).__name__).encode(), 8, run, byref(options)))
        self._h, own._h = own._h, None
        cast(_data(self._h), POINTER(c_int64))[0] = id(self)
        _networks[id(self)] = _by_handle[self._h] = self

    def __del__(self, release=_l._release):
        h = getattr(self, '_h', None)
        if h and self.__class__ is not Module:  # others, as a sequential, may have it: then it stays until they end
            _outlived[id(self)] = _networks[id(self)] = _by_handle[h] = self
        if h:
            release(h)

    def __setattr__(self, name, value):
        if isinstance(value, Module):
            if not _add(self._h, name.encode(), value._h):
                _fail()
        elif isinstance(value, Tensor) and value.dtype.is_floating:
            if not (_parameter if value.requires_grad else _buffer)(self._h, name.encode(), value._h):
                _fail()
        object.__setattr__(self, name, value)

    def __getattr__(self, name):
        """A child, parameter or buffer by its name, where it is no attribute: net.fc.weight."""
        if not name.startswith('_'):
            parts = dict(self.named_children())
            if name in parts:
                return parts[name]
            state = self.state_dict()
            if name in state:
                return state[name]
        raise AttributeError(f'{type(self).__name__} has no {name!r}')

    def forward(self, *inputs):
        """Computes the result: what subclasses define. A layer runs in the library."""
        return _call(_forward, self._h, _tensors(inputs))

    def __call__(self, *inputs, **options):
        """Runs it. Arrays become tensors; what else forward() of a subclass takes, as a tuple of tensors or None, reaches it
        as it is."""
        if self.__class__ is Module:
            return self.forward(*[_as_tensor(x) for x in inputs], **options)
        if '_hooked' in self.__dict__:
            return Module.forward(self, *inputs, **options)
        return self.forward(*[_as_input(x) for x in inputs], **options)

    def register_forward_hook(self, hook):
        """Calls hook(module, inputs, output) after each run; a tensor that it returns replaces the output. remove() of the
        result ends it; until then the hook is kept."""
        return self._hook('forward', hook)

    def register_forward_pre_hook(self, hook):
        """Calls hook(module, inputs) before each run; a tensor or tuple that it returns replaces the inputs. remove() of
        the result ends it; until then the hook is kept."""
        return self._hook('forward_pre', hook)

    def register_full_backward_hook(self, hook):
        """Calls hook(module, grad_input, grad_output) in backward() with tuples of gradients; a tensor or tuple that it
        returns replaces grad_input. A module with several inputs calls it for each that receives a gradient, which is the
        last of grad_input, behind a None for each input before it; if none does, grad_input is (None,). It applies to
        later runs of the module. remove() of the result ends it; until then the hook is kept."""
        return self._hook('backward', hook)

    def register_full_backward_pre_hook(self, hook):
        """Calls hook(module, grad_output) in backward(), before the gradients inside the module are computed, with a tuple
        of the gradient of the output; a tensor or tuple that it returns replaces it. It applies to later runs of the
        module. remove() of the result ends it; until then the hook is kept."""
        return self._hook('backward_pre', hook)

    def _hook(self, kind, hook):
        from ._callbacks import Hook
        object.__setattr__(self, '_hooked', True)
        return Hook(self, kind, hook)

    def __repr__(self):
        parts = [f'  ({name}): ' + repr(m).replace('\n', '\n  ') for name, m in self.named_children()]
        kind = _kind(self._h).decode()
        return f'{kind}(\n' + '\n'.join(parts) + '\n)' if parts else kind

    def named_children(self):
        """The modules in it, with their names: a list of pairs."""
        with _scope():
            list_of = _children(self._h)
            return [(list_of.name[i].decode(), _child_of(list_of.item[i])) for i in range(list_of.count)]

    def children(self):
        """The modules in it, a list."""
        return [m for _, m in self.named_children()]

    def child(self, name):
        """A module in it, as "features.0"."""
        h = _child(self._h, name.encode())
        return _child_of(h) if h else _fail()

    def __getitem__(self, i):
        """A module in it, by its number: net[0], net[-1]."""
        return self.children()[i]

    def __iter__(self):
        return iter(self.children())

    def __len__(self):
        """The number of modules in it."""
        return _module_count(self._h)

    def __bool__(self):
        return True  # a layer has no modules in it

    def summary(self, input=None, dtype=None, inputs=None, file=None, input_size=None):
        """Prints a table of the modules, their parameters and their sizes. With the shape of an input, or a list of
        `inputs`, it runs once, and the table has the outputs' shapes and the multiply-adds, too. `file` is that of
        print()."""
        shape = input_size if input is None else input
        o = _SummaryOptions(_SummaryOptions.fa__end.offset, _l._shape(shape), _l._dtype_number(dtype), _tensors(inputs))
        text, size = c_void_p(), c_size_t()
        stream = _open_memory(byref(text), byref(size))
        if not stream:
            raise MemoryError
        with _scope():
            good = _summary(self._h, stream, byref(o))
        _close(stream)
        try:
            if not good:
                _fail()
            print(ctypes.string_at(text, size.value).decode(), end='', file=file or sys.stdout)
        finally:
            _free(text)

    def named_parameters(self):
        """The parameters, with their names: a list of pairs."""
        with _scope():
            return list(_named(_parameters_of(self._h)).items())

    def parameters(self):
        """The parameters, a list."""
        return [p for _, p in self.named_parameters()]

    def state_dict(self):
        """Parameters and buffers, by name. They are not copies."""
        with _scope():
            return _named(_state_of(self._h))

    def load_state_dict(self, state, strict=True):
        """Copies tensors or arrays into the parameters and buffers of their names; strict: both have the same names."""
        own = self.state_dict()
        if strict and set(own) != set(state):
            raise KeyError(f'missing: {sorted(set(own) - set(state))}, unexpected: {sorted(set(state) - set(own))}')
        from ._ops import copy_
        from ._settings import no_grad
        with no_grad():
            for name in set(own) & set(state):
                copy_(own[name], _as_tensor(state[name]))

    def numel(self):
        """The number of elements of all parameters."""
        return _numel(self._h)

    def to(self, where):
        """Moves parameters and buffers to a device, or converts the floating-point ones to a dtype, in place."""
        place = Place()
        if isinstance(where, str) and where not in _l._BY_NAME:
            place.device = _l._device(where)
        else:
            place.dtype = _l._dtype_number(where)
        if not _module_to(self._h, place):
            _fail()
        return self

    def cpu(self):
        """Moves it to the CPU, in place."""
        return self.to('cpu')

    def cuda(self):
        """Moves it to the current CUDA device, in place."""
        return self.to('cuda')

    def register_buffer(self, name, tensor):
        """Adds a tensor that is saved with the module and moves with it, and is not trained."""
        if not _buffer(self._h, name.encode(), tensor._h):
            _fail()
        object.__setattr__(self, name, tensor)

    def train(self, mode=True):
        """Sets it and all in it to training mode, or to inference mode."""
        if not _train(self._h, mode):
            _fail()
        return self

    def eval(self):
        """Sets it and all in it to inference mode."""
        return self.train(False)

    @property
    def training(self):
        """Whether it is in training mode."""
        return _training(self._h)

    def zero_grad(self):
        """Removes the gradients of all parameters."""
        if not _zero_grad(self._h):
            _fail()


_c = ctypes.CDLL(None)
_open_memory, _close, _free = _c.open_memstream, _c.fclose, _c.free
_open_memory.restype, _open_memory.argtypes = c_void_p, [POINTER(c_void_p), POINTER(c_size_t)]
_close.argtypes = _free.argtypes = [c_void_p]

_networks = weakref.WeakValueDictionary()  # modules of Python, by the number in their data
_by_handle = weakref.WeakValueDictionary()  # the same, by their handles
_outlived = {}  # those that only the library refers to


def _known(module):
    """The object of Python for a module of the library."""
    known = _by_handle.get(module)
    return _borrowed(Module, module) if known is None else known


def _child_of(h):
    """The object of Python for a child, if the program still has it: with its attributes, and results besides tensors."""
    known = _by_handle.get(h)
    return known if known is not None and id(known) not in _outlived else _borrowed(Module, h)


def _as_input(x):
    """Arrays as tensors, other things as they are."""
    if isinstance(x, (Tensor, Module)) or not (hasattr(x, '__dlpack__') or hasattr(x, '__array_interface__') or _is_numbers(x)):
        return x
    return _as_tensor(x)


def _is_numbers(x):
    """Whether it is a list, or nested lists, of numbers."""
    while isinstance(x, list) and x:
        x = x[0]
        if isinstance(x, (int, float)):
            return True
    return False


@CFUNCTYPE(None, POINTER(c_int64))
def _destroyed(data):
    _outlived.pop(data[0], None)


@CFUNCTYPE(c_void_p, c_void_p, Tensors)
def _called(module, inputs):
    """Runs a module of Python that the library calls, as in a sequential. An exception is raised again behind the
    library."""
    try:
        network = _networks.get(cast(_data(module), POINTER(c_int64))[0])
        if network is None or network._h != module:
            raise _l.Error('the Python object of this module is gone: keep a reference to it', 'state')
        return _handed_over(network.forward(*[_borrowed(Tensor, inputs.item[i]) for i in range(inputs.count)]))
    except BaseException as e:  # what is not caught here would be printed and lost
        _gave(e)
        return None


def _handed_over(y):
    """The result of a callback, which the innermost scope of the library owns."""
    if isinstance(y, (tuple, type(None))):
        raise TypeError(f'where the library calls Python, a result is one tensor, not {type(y).__name__}')
    t = _as_tensor(y)
    return _adopt(_l._keep(t._h))


class Lambda(Module):
    """A module that calls a function of Python; the library takes functions where it takes modules."""

    def __init__(self, function):
        super().__init__(getattr(function, '__name__', 'function').strip('<>'))
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def sequential(*modules):
    """Runs modules one after the other; functions of Python, too."""
    modules = [_module(m) for m in modules]
    items = (c_void_p * max(len(modules), 1))(*[m._h for m in modules])
    return _made(_enter(b'python'), Module, _sequential(len(modules), items))


class ModuleList(Module):
    """A list of modules, which are children of the module that has it."""

    def __init__(self, modules=()):
        super().__init__()
        self.extend(modules)

    def append(self, module):
        """Adds a module."""
        setattr(self, str(len(self)), _module(module))
        return self

    def extend(self, modules):
        """Adds modules."""
        for m in modules:
            self.append(m)
        return self


# ---- states ----

def _state_dict(of):
    """A state of the library as a dict: "kind", tensors and numbers."""
    if not of.kind:
        _fail()
    state = {'kind': of.kind.decode(), **_named(of.tensors)}
    state.update((of.numbers.name[i].decode(), of.numbers.item[i]) for i in range(of.numbers.count))
    return state


def _load_state(load, h, state):
    kind = state['kind'].encode()
    tensors = {n: t for n, t in state.items() if isinstance(t, Tensor)}
    numbers = {n: v for n, v in state.items() if isinstance(v, (int, float))}
    names = [(c_char_p * max(len(d), 1))(*[n.encode() for n in d]) for d in (tensors, numbers)]
    handles = (c_void_p * max(len(tensors), 1))(*[t._h for t in tensors.values()])
    values = (c_double * max(len(numbers), 1))(*numbers.values())
    of = _StateDict(kind, Parameters(len(tensors), handles, names[0]), _Numbers(len(numbers), values, names[1]))
    with _scope():
        if not load(h, byref(of)):
            _fail()


# ---- training ----

class Optimizer(Handle):
    """An optimizer; see facula.optim."""
    __slots__ = ()
    _zero_grad = staticmethod(_declare('fa_optim_zero_grad', c_bool, [c_void_p]))
    _step = staticmethod(_declare('fa_optim_step', c_bool, [c_void_p]))
    _lr = staticmethod(_declare('fa_optim_lr', c_double, [c_void_p]))
    _set_lr = staticmethod(_declare('fa_optim_set_lr', c_bool, [c_void_p, c_double]))

    _groups = staticmethod(_declare('fa_optim_groups', c_int, [c_void_p]))
    _state = staticmethod(_declare('fa_optim_state_dict', _StateDict, [c_void_p]))
    _load = staticmethod(_declare('fa_optim_load_state_dict', c_bool, [c_void_p, POINTER(_StateDict)]))

    def zero_grad(self, set_to_none=True):
        """Removes the gradients of all parameters."""
        if not self._zero_grad(self._h):
            _fail()

    def step(self):
        """Updates the parameters from their gradients."""
        if not self._step(self._h):
            _fail()

    @property
    def param_groups(self):
        """The groups, whose options can be read and set: opt.param_groups[0]["lr"] = 0.01."""
        return [Group(self, i) for i in range(self._groups(self._h))]

    def state_dict(self):
        """The state: tensors, which are not copies, and numbers, by name."""
        with _scope():
            return _state_dict(self._state(self._h))

    def load_state_dict(self, state):
        """Loads a state into an optimizer that was made in the same way."""
        _load_state(self._load, self._h, state)

    @property
    def lr(self):
        """The learning rate of group 0; setting it sets that of all groups."""
        return self._lr(self._h)

    @lr.setter
    def lr(self, value):
        if not self._set_lr(self._h, value):
            _fail()


class Group:
    """The options of a group of an optimizer's parameters."""
    _get = staticmethod(_declare('fa_optim_option', c_double, [c_void_p, c_int, c_char_p]))
    _set = staticmethod(_declare('fa_optim_set_option', c_bool, [c_void_p, c_int, c_char_p, c_double]))

    def __init__(self, optimizer, number):
        self.optimizer, self.number = optimizer, number

    def __getitem__(self, name):
        if name == 'betas':
            return self['beta1'], self['beta2']
        value = self._get(self.optimizer._h, self.number, name.encode())
        _check()
        return value

    def __setitem__(self, name, value):
        if name == 'betas':
            self['beta1'], self['beta2'] = value
        elif not self._set(self.optimizer._h, self.number, name.encode(), value):
            _fail()


class Schedule(Handle):
    """A schedule of learning rates; see facula.lr."""
    __slots__ = ()
    _step = staticmethod(_declare('fa_schedule_step', c_bool, [c_void_p]))
    _step_metric = staticmethod(_declare('fa_schedule_step_metric', c_bool, [c_void_p, c_double]))
    _state = staticmethod(_declare('fa_schedule_state_dict', _StateDict, [c_void_p]))
    _load = staticmethod(_declare('fa_schedule_load_state_dict', c_bool, [c_void_p, POINTER(_StateDict)]))

    def step(self, metric=None):
        """Goes to the next epoch or step; lr.reduce_on_plateau() takes a metric."""
        if not (self._step(self._h) if metric is None else self._step_metric(self._h, metric)):
            _fail()

    def state_dict(self):
        """The state, by name. The current rates are part of the optimizer's."""
        with _scope():
            return _state_dict(self._state(self._h))

    def load_state_dict(self, state):
        """Loads a state into a schedule that was made in the same way."""
        _load_state(self._load, self._h, state)


class Scaler(Handle):
    """A gradient scaler for training in f16; facula.amp.scaler() makes one."""
    __slots__ = ()
    _scale = staticmethod(_declare('fa_scaler_scale', c_void_p, [c_void_p, c_void_p]))
    _step = staticmethod(_declare('fa_scaler_step', c_bool, [c_void_p, c_void_p]))
    _update = staticmethod(_declare('fa_scaler_update', c_bool, [c_void_p, c_void_p]))

    def scale(self, loss):
        """The loss times the scale, to call backward() on."""
        with _scope():
            return _borrowed(Tensor, self._scale(self._h, loss._h))

    def step(self, optimizer):
        """A step of the optimizer with unscaled gradients; nothing where one of them is not finite."""
        if not self._step(self._h, optimizer._h):
            _fail()

    def update(self):
        """Adjusts the scale, after the steps."""
        if not self._update(self._h, None):
            _fail()


# ---- data ----

Batch = namedtuple('Batch', ['input', 'target'])


class _Batch(Structure):
    _fields_ = [('input', c_void_p), ('target', c_void_p), ('extra', c_void_p * 6), ('index', c_int64), ('size', c_int64),
                ('samples', c_void_p), ('epoch', c_void_p), ('turn', c_size_t * 2)]


class Loader(Handle):
    """A loader; facula.data.loader() makes one. `for input, target in loader` is an epoch."""
    __slots__ = ()
    _begin = staticmethod(_declare('fa_loader_begin', c_bool, [c_void_p, POINTER(_Batch)]))
    _next = staticmethod(_declare('fa_loader_next', c_bool, [POINTER(_Batch)]))
    _end = staticmethod(_declare('fa_loader_end', None, [POINTER(_Batch)]))
    _length = staticmethod(_declare('fa_loader_length', c_int64, [c_void_p]))
    _dataset = staticmethod(_declare('fa_loader_dataset', c_void_p, [c_void_p]))

    @property
    def dataset(self):
        """The dataset that it loads."""
        return _borrowed(_l.Dataset, self._dataset(self._h))

    def __len__(self):
        return self._length(self._h)

    def __iter__(self):
        place = _Batch()
        if not self._begin(self._h, byref(place)):
            _fail()
        try:
            while self._next(byref(place)):
                yield Batch(_borrowed(Tensor, place.input), place.target and _borrowed(Tensor, place.target))
            _check()
        finally:
            self._end(byref(place))
