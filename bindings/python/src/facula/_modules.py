"""Modules: what all have, and those of Python."""
import copy
import ctypes
import sys
import threading
import weakref
from collections import namedtuple
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char_p, c_int, c_int64, c_size_t, c_void_p, cast

from . import _library as _l
from ._library import (Handle, Parameters, Place, Shape, Tensors, _borrowed, _call, _check, _declare, _fail, _gave, _making,
                       _module, _new, _scope, _tensors)
from ._tensor import Parameter, Tensor, _as_tensor, _known, _object, tensor as copied


class _Modules(Structure):
    _fields_ = [('count', c_size_t), ('item', POINTER(c_void_p)), ('name', POINTER(c_char_p))]


class _ForwardFunction(Structure):
    _fields_ = [('one', c_void_p), ('many', c_void_p)]


class _SummaryOptions(Structure):
    _fields_ = [('size', c_size_t), ('input', Shape), ('dtype', c_int), ('inputs', Tensors), ('fa__end', ctypes.c_char)]


class _CustomOptions(Structure):
    _fields_ = [('size', c_size_t), ('data', c_void_p), ('destroy', c_void_p), ('fa__end', ctypes.c_char)]


_forward = _declare('fa__forward', c_void_p, [c_void_p, Tensors])
_custom = _declare('fa_nn_custom', c_void_p, [c_char_p, c_size_t, _ForwardFunction, c_void_p])
_data = _declare('fa_module_data', c_void_p, [c_void_p])
_add = _declare('fa_module_add', c_void_p, [c_void_p, c_char_p, c_void_p])
_replace = _declare('fa_module_replace', c_void_p, [c_void_p, c_char_p, c_void_p])
_parameter = _declare('fa_module_parameter', c_void_p, [c_void_p, c_char_p, c_void_p])
_buffer = _declare('fa_module_buffer', c_void_p, [c_void_p, c_char_p, c_void_p])
_remove = _declare('fa__module_remove', c_bool, [c_void_p, c_char_p])
_replace_tensor = _declare('fa_module_replace_tensor', c_void_p, [c_void_p, c_char_p, c_void_p])
_module_to = _declare('fa__module_to', c_void_p, [c_void_p, Place])
_train = _declare('fa_module_train', c_void_p, [c_void_p, c_bool])
_training = _declare('fa_module_training', c_bool, [c_void_p])
_zero_grad = _declare('fa_module_zero_grad', c_bool, [c_void_p])
_set_requires_grad = _declare('fa_module_set_requires_grad', c_void_p, [c_void_p, c_bool])
_parameters_of = _declare('fa_module_parameters', Parameters, [c_void_p])
_buffers_of = _declare('fa_module_buffers', Parameters, [c_void_p])
_state_of = _declare('fa_module_state', Parameters, [c_void_p])
_names_of = _declare('fa__module_names', Parameters, [c_void_p])  # tensors with several names under each
_children = _declare('fa_module_children', _Modules, [c_void_p])
_child = _declare('fa_module_child', c_void_p, [c_void_p, c_char_p])
_tensor = _declare('fa_module_tensor', c_void_p, [c_void_p, c_char_p])
_kind = _declare('fa_module_kind', c_char_p, [c_void_p])
_numel = _declare('fa_module_numel', c_int64, [c_void_p])
_summary = _declare('fa_module_summary', c_bool, [c_void_p, c_void_p, c_void_p])
_adopt = _declare('fa__adopt', c_void_p, [c_void_p])

Keys = namedtuple('Keys', ['missing_keys', 'unexpected_keys'])


def _checked_state(state):
    """An error for what is no state, but where one comes from."""
    if not hasattr(state, 'keys'):
        hint = 'fa.load(path)' if isinstance(state, (str, bytes)) or hasattr(state, '__fspath__') else \
            'other.state_dict()' if hasattr(state, 'state_dict') else 'a dict'
        raise TypeError(f'load_state_dict() takes what state_dict() gives, not {type(state).__name__}: load_state_dict({hint})')


def _named(array):
    if not array.count:
        _check()
    return {array.name[i].decode(): _borrowed(Tensor, array.item[i]) for i in range(array.count)}


def _part(find, h, name):
    """The child or tensor of a module that has this name; None if there is none."""
    found = find(h, name.encode())
    if not found:
        _l._error_clear()
    return found


def _pairs(named, prefix, recurse):
    """Pairs of names, behind a prefix, and tensors; those of the modules in a module have a dot in their name."""
    return List((f'{prefix}.{name}' if prefix else name, t) for name, t in named.items() if recurse or '.' not in name)


class List(list):
    """A list of which next() gives one item after the other, as of PyTorch's iterators."""

    def __next__(self):
        self._rest = getattr(self, '_rest', None) or iter(self)
        return next(self._rest)


class Module(Handle):
    """A network of one's own is a subclass with forward(). Modules that become attributes are its children, and tensors that
    require a gradient its parameters:

        class MLP(facula.nn.Module):
            def __init__(self):
                super().__init__()
                self.fc1, self.fc2 = facula.nn.Linear(784, 128), facula.nn.Linear(128, 10)

            def forward(self, x):
                return self.fc2(self.fc1(x).relu())
    """
    __slots__ = ('__dict__', '_twin', '_kept')  # _kept: the objects of its tensors, by kind

    def __init__(self, kind=None):
        run = _ForwardFunction(None, cast(_called, c_void_p))
        options = _CustomOptions(_CustomOptions.fa__end.offset, None, cast(_destroyed, c_void_p))
        self._h = None
        self._take(_making(Handle, _custom, (kind or type(self).__name__).encode(), 8, run, byref(options)))
        cast(_data(self._h), POINTER(c_int64))[0] = id(self)
        _networks[id(self)] = self

    def _take(self, made):
        """Makes the module of another object that of this one."""
        self._h, made._h = made._h, None
        _by_handle[self._h] = self

    def __del__(self, release=_l._release):
        h = getattr(self, '_h', None)
        if h and not getattr(self, '_twin', False):  # others, as a sequential, may have it: then it stays until they end
            _outlived[id(self)] = _networks[id(self)] = _by_handle[h] = self
        if h:
            release(h)

    def __setattr__(self, name, value):
        if type(value) in (list, tuple, dict) and name != '__dict__' and _are_apart(self, value):
            _l._warn(f'{name}: modules in a plain {type(value).__name__} are no parts of the network, and neither trained nor '
                     f'saved: use nn.{"ModuleDict" if type(value) is dict else "ModuleList"}')
        put = None
        if value is None:
            self._remove(name)
        elif isinstance(value, Module):
            put = _replace if _part(_child, self._h, name) else _add
            value.__dict__['_inside'] = True
        elif isinstance(value, Tensor) and _part(_tensor, self._h, name):
            self._refuse(name, value)
            put = _replace_tensor
        elif isinstance(value, Parameter) or isinstance(value, Tensor) and value.requires_grad and value.is_leaf:
            put = _parameter
        frozen = put is _parameter and not value.requires_grad
        if put and not put(self._h, name.encode(), value._h):
            _fail()
        if frozen:
            value.requires_grad_(False)
        if put and isinstance(value, Tensor):
            value = _known(value)
        object.__setattr__(self, name, value)

    def _refuse(self, name, value):
        """An error for a tensor that cannot take the place of a parameter."""
        if isinstance(value, Parameter) or value.requires_grad and value.is_leaf:
            return
        old = _part(_tensor, self._h, name)
        with _scope():
            of = _parameters_of(self._h)
            if any(of.item[i] == old for i in range(of.count)):
                raise TypeError(f"cannot assign a tensor as parameter '{name}': {name} = nn.Parameter(tensor) makes another parameter, "
                                f'and with no_grad(): {name}.copy_(tensor) changes this one')

    def __delattr__(self, name):
        if not self._remove(name) or name in self.__dict__:
            object.__delattr__(self, name)

    def _remove(self, name):
        """Whether there was a child, parameter or buffer of this name, which is none any more."""
        h = getattr(self, '_h', None)  # None: before __init__()
        if not h or not (_part(_child, h, name) or _part(_tensor, h, name)):
            return False
        self.__dict__.get('_unsaved', set()).discard(name)
        return _remove(h, name.encode()) or _fail()

    def __getattr__(self, name):
        """A child, parameter or buffer by its name, where it is no attribute: net.fc.weight."""
        if name == '_h':
            raise AttributeError(f'{type(self).__name__}.__init__() calls super().__init__() before all else')
        if not name.startswith('_'):
            h = _part(_child, self._h, name)
            if h:
                return self._child_of(name, h)
            h = _part(_tensor, self._h, name)
            if h:
                return self._tensor_of(h)
        raise AttributeError(f'{type(self).__name__} has no {name!r}')

    def _objects(self, kind, array):
        """The objects of tensors in it, by name, which live as long as it does."""
        if not array.count:
            _check()
        named = {array.name[i].decode(): _object(kind, array.item[i]) for i in range(array.count)}
        self._kept = {**getattr(self, '_kept', {}), kind: {t._h: t for t in named.values()}}
        return named

    def _child_of(self, name, h):
        """The object of a module in it. Those that the library has made live as long as it does, too."""
        kept = getattr(self, '_kept', {}).get(Module, {})
        if name in kept and kept[name]._h == h:
            return kept[name]
        child = _object_of(h)
        if isinstance(child, _l.Layer) and child is not self.__dict__.get(name):
            self._kept = {**getattr(self, '_kept', {}), Module: {**kept, name: child}}
        return child

    def _tensor_of(self, h):
        for kind in (Parameter, Tensor):
            found = getattr(self, '_kept', {}).get(kind, {}).get(h)
            if found is not None:
                return found
        self.named_parameters()
        self.named_buffers()
        return _object(Tensor, h)

    def __deepcopy__(self, memo):
        made = memo[id(self)] = _new(type(self))
        Module.__init__(made)
        made._copy(self, memo)
        return made

    def _copy(self, of, memo):
        """Fills a new module with copies of the attributes of another one."""
        buffers = dict(of.named_buffers())
        for name, value in of.__dict__.items():
            (self.register_buffer if name in buffers else self.__setattr__)(name, copy.deepcopy(value, memo))
        _train(self._h, of.training)

    def forward(self, *inputs):
        """Computes the result: what subclasses define."""
        raise NotImplementedError(f'{type(self).__name__} has no forward()')

    def __call__(self, *inputs, **options):
        """Runs it. Arrays become tensors; what else forward() takes, as a tuple of tensors or None, reaches it as it is."""
        if '_hooked' in self.__dict__:
            return _run_named(self, inputs, options)
        if '_ran' not in self.__dict__:
            return _first_run(self, [_as_input(x) for x in inputs], options)
        return self.forward(*[_as_input(x) for x in inputs], **options)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Calls hook(module, inputs, output) after each run; a tensor that it returns replaces the output. with_kwargs:
        hook(module, inputs, named, output), where `named` is a dict of the inputs with names. prepend: before the hooks that
        are there. always_call: also after an exception, with the output or None; what it returns is dropped then, and an
        exception of its own is a warning. remove() of the result ends it; until then the hook is kept."""
        hook = _after_named(hook) if with_kwargs else hook
        return self._hook('forward', _always(hook) if always_call else hook, prepend, always_call)

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Calls hook(module, inputs) before each run; a tensor or tuple that it returns replaces the inputs. with_kwargs:
        hook(module, inputs, named), where `named` is a dict of the inputs with names; it returns None, or both. prepend:
        before the hooks that are there. remove() of the result ends it; until then the hook is kept."""
        return self._hook('forward_pre', _before_named(hook) if with_kwargs else hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Calls hook(module, grad_input, grad_output) in backward() with tuples of gradients; a tensor or tuple that it
        returns replaces grad_input. A module with several inputs calls it for each that receives a gradient, which is the
        last of grad_input, behind a None for each input before it; if none does, grad_input is (None,). It applies to
        later runs of the module. prepend: before the hooks that are there. remove() of the result ends it; until then the
        hook is kept."""
        return self._hook('backward', hook, prepend)

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Calls hook(module, grad_output) in backward(), before the gradients inside the module are computed, with a tuple
        of the gradient of the output; a tensor or tuple that it returns replaces it. It applies to later runs of the
        module. prepend: before the hooks that are there. remove() of the result ends it; until then the hook is kept."""
        return self._hook('backward_pre', hook, prepend)

    def _hook(self, kind, hook, first=False, always=False):
        from ._callbacks import Hook
        object.__setattr__(self, '_hooked', True)
        return Hook(self, kind, hook, first, always)

    def extra_repr(self):
        """What the text of a module says of its options."""
        return ''

    def __repr__(self):
        parts = [f'  ({name}): ' + repr(m).replace('\n', '\n  ') for name, m in self.named_children()]
        inside = '\n' + '\n'.join(parts) + '\n' if parts else self.extra_repr()
        return f'{self._get_name()}({inside})'

    def _get_name(self):
        return type(self).__name__

    # ---- children ----

    def named_children(self):
        """The modules in it, with their names: a list of pairs."""
        with _scope():
            list_of = _children(self._h)
            names = [list_of.name[i].decode() for i in range(list_of.count)]
            return List((name, self._child_of(name, list_of.item[i])) for i, name in enumerate(names))

    def children(self):
        """The modules in it, a list."""
        return List(m for _, m in self.named_children())

    def named_modules(self, prefix=''):
        """It, and all modules in it on every level, with their names: a list of pairs. One with several names has the first."""
        found, known = List([(prefix, self)]), {self._h}
        for name, child in self.named_children():
            for inner, m in child.named_modules(f'{prefix}.{name}' if prefix else name):
                if m._h not in known:
                    known.add(m._h)
                    found.append((inner, m))
        return found

    def modules(self):
        """It, and all modules in it on every level, a list."""
        return List(m for _, m in self.named_modules())

    def apply(self, function):
        """Calls function(module) for all modules in it, and for it."""
        for m in self.children():
            m.apply(function)
        function(self)
        return self

    def add_module(self, name, module):
        """Adds a module under a name."""
        setattr(self, name, _module(module))

    def child(self, name):
        """A module in it, as "features.0"."""
        h = _child(self._h, name.encode())
        return _object_of(h) if h else _fail()

    get_submodule = child

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

    # ---- parameters and buffers ----

    def named_parameters(self, prefix='', recurse=True):
        """The parameters, with their names: a list of pairs. recurse=False: without those of the modules in it."""
        with _scope():
            return _pairs(self._objects(Parameter, _parameters_of(self._h)), prefix, recurse)

    def parameters(self, recurse=True):
        """The parameters, a list."""
        return List(p for _, p in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix='', recurse=True):
        """The buffers, with their names: a list of pairs."""
        with _scope():
            return _pairs(self._objects(Tensor, _buffers_of(self._h)), prefix, recurse)

    def buffers(self, recurse=True):
        """The buffers, a list."""
        return List(b for _, b in self.named_buffers(recurse=recurse))

    def register_parameter(self, name, tensor):
        """Adds a parameter, as an assignment does."""
        setattr(self, name, tensor)

    def register_buffer(self, name, tensor, persistent=True):
        """Adds a copy of a tensor, which is saved with the module and moves with it, and is not trained; None: only the
        attribute. persistent=False: it is not saved."""
        if not persistent:
            self.__dict__.setdefault('_unsaved', set()).add(name)
            Module._some_unsaved = True
        if tensor is not None:
            tensor = copied(tensor)  # memory of its own can move
            if not _buffer(self._h, name.encode(), tensor._h):
                _fail()
        object.__setattr__(self, name, tensor)

    def state_dict(self):
        """Parameters and buffers, by name: not copies, and without gradients. One with several names is under each."""
        return {name: t.detach() for name, t in self._state().items()}

    def _state(self, find=_names_of):
        unsaved = self._unsaved_handles()
        with _scope():
            return {name: t for name, t in _named(find(self._h)).items() if not unsaved or t._h not in unsaved}

    _some_unsaved = False  # whether any module has a buffer that is not saved

    def _unsaved_handles(self):
        return self._some_unsaved and {_part(_tensor, m._h, name) for m in self.modules() for name in m.__dict__.get('_unsaved', ())}

    def load_state_dict(self, state, strict=True):
        """Copies tensors or arrays into the parameters and buffers of their names; strict: both have the same names, of which
        one is enough for a tensor with several. Returns the missing and the unexpected names."""
        _checked_state(state)
        own = self._state()
        given = {t._h for n, t in own.items() if n in state}
        keys = Keys([n for n, t in own.items() if t._h not in given], [n for n in state if n not in own])
        if strict and (keys.missing_keys or keys.unexpected_keys):
            raise _l.WrongKeys(f'missing: {keys.missing_keys}, unexpected: {keys.unexpected_keys}')
        from ._ops import copy_
        from ._settings import no_grad
        with no_grad():
            for name in own.keys() & state.keys():
                given = _as_tensor(state[name])
                if given.shape != own[name].shape:
                    raise _l.Error(f'{name} is {own[name].shape}, and the state has {given.shape}', 'shape')
                copy_(own[name], given)
        return keys

    def numel(self):
        """The number of elements of all parameters."""
        return _numel(self._h)

    def to(self, *where, device=None, dtype=None, non_blocking=True):
        """Moves parameters and buffers to a device, converts the floating-point ones to a dtype, or both, in place."""
        if not _module_to(self._h, _l._place(where, device, dtype)):
            _fail()
        return self

    def cpu(self):
        """Moves it to the CPU, in place."""
        return self.to('cpu')

    def cuda(self):
        """Moves it to the current CUDA device, in place."""
        return self.to('cuda')

    def float(self):
        """Converts it to f32, in place."""
        return self.to('f32')

    def double(self):
        """Converts it to f64, in place."""
        return self.to('f64')

    def half(self):
        """Converts it to f16, in place."""
        return self.to('f16')

    def bfloat16(self):
        """Converts it to bf16, in place."""
        return self.to('bf16')

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

    def requires_grad_(self, requires_grad=True):
        """Sets whether its parameters require gradients."""
        if not _set_requires_grad(self._h, requires_grad):
            _fail()
        return self

    def zero_grad(self, set_to_none=True):
        """Removes the gradients of all parameters."""
        if not _zero_grad(self._h):
            _fail()


_c = ctypes.CDLL(None)
_open_memory, _close, _free = _c.open_memstream, _c.fclose, _c.free
_open_memory.restype, _open_memory.argtypes = c_void_p, [POINTER(c_void_p), POINTER(c_size_t)]
_close.argtypes = _free.argtypes = [c_void_p]

_networks = weakref.WeakValueDictionary()  # modules of Python, by the number in their data
_by_handle = weakref.WeakValueDictionary()  # all modules that have an object of Python, by their handles
_outlived = {}  # those that only the library refers to
_classes = {}  # of layers, by kind: facula.nn fills it


def _object_of(h):
    """The object of Python for a module of the library: the program's, if it still has one. A network that only the library
    refers to gets a new object with the same attributes."""
    known = _by_handle.get(h)
    if known is not None and id(known) not in _outlived:
        return known
    if known is None:
        made = _by_handle[h] = _borrowed(_classes.get(_kind(h).decode(), _l.Layer), h)
        return made
    twin = _borrowed(type(known), h)
    twin._twin, twin.__dict__ = True, known.__dict__
    return twin


def _are_apart(module, things):
    """Whether there are modules among the things that are no parts of the module, and of which it is new. Those in inference
    mode are meant to be none, as a teacher."""
    modules = [x for x in (things.values() if isinstance(things, dict) else things) if isinstance(x, Module) and x.training]
    parts = {x._h for x in module.modules()} if modules else ()
    new = [x for x in modules if x._h not in parts and not x.__dict__.get('_apart')]
    for x in new:
        x.__dict__['_apart'] = True  # copies have it, too
    return bool(new)


def _run(module, inputs):
    """Runs a module in the library."""
    return _call(_forward, module._h, _tensors(inputs))


_running = threading.local()  # what runs in a thread
# .network: the outermost module of Python that runs, in its first run with gradients
# .named: pairs of the handle of a module with hooks that runs, and its inputs with names


def _first_run(network, inputs, named):
    """Runs a module of Python; in the first run with gradients, layers that it runs and that were not added are a warning."""
    from ._settings import is_grad_enabled
    outer = getattr(_running, 'network', None)
    if not is_grad_enabled():
        return network.forward(*inputs, **named)
    network.__dict__['_ran'] = True
    if outer is not None:
        _look(network)
        return network.forward(*inputs, **named)
    _running.network = network
    _first_runs.append(network)
    try:
        return network.forward(*inputs, **named)
    finally:
        _first_runs.pop()
        _running.network = None


_first_runs = []  # those of all threads; none: no layer has to be looked at


def _look(module):
    """A warning of a module that runs in the first run of a network, has parameters that are trained, and is in none."""
    from ._settings import is_grad_enabled
    network = getattr(_running, 'network', None)
    if network is None or module.__dict__.keys() & {'_inside', '_apart'} or not is_grad_enabled():
        return
    known = {m._h for m in network.modules()}
    if module.training and module._h not in known and any(p.requires_grad for p in module.parameters()):
        module.__dict__['_apart'] = True
        kind, around = type(module).__name__, type(network).__name__
        _l._warn(f'{kind} runs inside {around}, but was not added to it, and so neither its optimizer nor net.train() knows it: '
                 f'__init__() makes it, self.name = {kind}(...). One that forward() makes is another one in each run')


def _run_named(module, inputs, named):
    """Runs a module in the library, which knows no inputs with names: they wait here for its hooks and its forward()."""
    stack = _running.__dict__.setdefault('named', [])
    stack.append((module._h, named))
    try:
        return _run(module, inputs)
    finally:
        stack.pop()


def _named_inputs(h):
    """The inputs with names of the module that runs."""
    stack = getattr(_running, 'named', None)
    return stack[-1][1] if stack and stack[-1][0] == h else {}


def _after_named(hook):
    return lambda module, inputs, output: hook(module, inputs, _named_inputs(module._h), output)


def _always(hook):
    """A hook that is called after an exception, too, which it neither replaces nor drops."""
    def after(module, inputs, output):
        kept = list(_l._raised)
        try:
            return hook(module, inputs, output)
        except Exception as e:
            if output is not None:
                raise
            _l._warn(f'a hook with always_call=True, called after an exception, raised another one: {type(e).__name__}: {e}')
        finally:
            _l._raised.extend(x for x in kept if x not in _l._raised)
    return after


def _before_named(hook):
    def before(module, inputs):
        named = _named_inputs(module._h)
        given = hook(module, inputs, named)
        if given is None:
            return None
        if not isinstance(given, tuple) or len(given) != 2:
            raise TypeError('a hook with_kwargs returns None, or the inputs and a dict of those with names')
        changed = dict(given[1])
        if changed and isinstance(module, _l.Layer):
            raise TypeError(f'{type(module).__name__} takes no inputs with names: {", ".join(changed)}')
        named.clear()
        named.update(changed)
        return given[0]
    return before


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
        return _handed_over(network.forward(*[_borrowed(Tensor, inputs.item[i]) for i in range(inputs.count)], **_named_inputs(module)))
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
