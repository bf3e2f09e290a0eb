"""Layers of the library, and the containers of modules."""
import copy
import inspect
from ctypes import POINTER, c_size_t, c_void_p

from . import _library as _l
from ._library import Handle, _declare, _fail, _making, _module, _new
from ._modules import List, Module, _add, _as_input, _child, _first_runs, _kind, _look, _part, _replace, _run, _state_of, _tensor, _train
from ._tensor import Parameter, Tensor, _is_numpy

_clone = _declare('fa_module_clone', c_void_p, [c_void_p])
_sequential = _declare('fa__nn_sequential', c_void_p, [c_size_t, POINTER(c_void_p)])
_list = _declare('fa__nn_list', c_void_p, [c_size_t, POINTER(c_void_p)])
_dict = _declare('fa_nn_dict', c_void_p, [])


def _title(name):
    """A name as that of a class: RandomCrop of random_crop."""
    return ''.join(word.capitalize() for word in name.split('_'))


def _shown(given):
    """Arguments as the text of a layer shows them."""
    return ', '.join(f'{name}={value!r}' for name, value in given.items())


class Layer(Module):
    """A layer of the library. The classes of layers are its subclasses; the options they were made with are attributes."""
    __slots__ = ()
    _make = None  # the function that makes one
    _order, _same = [], 99  # the names of its options in PyTorch's order, and how many of them are in their place here
    _in_place = False  # whether PyTorch's takes `inplace`, which changes no result, as the last option

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if 'forward' in cls.__dict__:
            raise TypeError(f'{cls.__name__}: a layer runs in the library, which knows no other forward(); '
                            'subclass Module, and let the layer be an attribute')

    def __init__(self, *arguments, **options):
        signature = inspect.signature(self._make)
        if len(arguments) > self._same:
            arguments, options = self._by_name(arguments, options)
        if self._in_place:
            options.pop('inplace', None)
            arguments = arguments[:len(signature.parameters)]
        self._h = None
        self._take(self._make(*arguments, **options))
        given = signature.bind(*arguments, **options)
        given.arguments.update({name: _plain(value) for name, value in given.arguments.items()})
        shown = _shown(given.arguments)
        given.apply_defaults()
        self.__dict__.update((name, value) for name, value in given.arguments.items() if name not in _NOT_KEPT)
        self.__dict__['_shown'], self.__dict__['_fixed'] = shown, set(given.arguments) - _NOT_KEPT
        for option, names in _ABSENT.items():
            if given.arguments.get(option) is False:
                self.__dict__.update(dict.fromkeys(names))

    def _by_name(self, arguments, options):
        """Arguments in PyTorch's order, as options."""
        if len(arguments) > len(self._order):
            return arguments, options
        named = dict(zip(self._order, arguments))
        for name in named.keys() & options.keys():
            raise TypeError(f'{type(self).__name__}() got two values for {name!r}')
        return (), {**named, **options}

    def __setattr__(self, name, value):
        if name in self.__dict__.get('_fixed', ()) and not isinstance(value, (Module, Tensor)) and value != self.__dict__.get(name):
            raise AttributeError(f'{type(self).__name__}.{name} cannot be changed: the library has it since the layer was made. '
                                 f'Make another one: net.layer = {type(self).__name__}(..., {name}={value!r})')
        if not isinstance(value, (Module, Tensor)):
            self._remove(name)
        super().__setattr__(name, value)

    def _remove(self, name):
        if not name.startswith('_') and (_part(_tensor, self._h, name) or _part(_child, self._h, name)):
            raise AttributeError(f'{type(self).__name__}.{name} is a part of the layer, and stays one: make another layer, as '
                                 'nn.Linear(..., bias=False)')
        return False

    def __del__(self, release=_l._release):
        h = getattr(self, '_h', None)
        if h:
            release(h)

    def __deepcopy__(self, memo):
        made = memo[id(self)] = _new(type(self))
        made._take(_making(Handle, _clone, self._h))
        made.__dict__.update((name, value) for name, value in self.__dict__.items() if not isinstance(value, Tensor))
        for name, tensor in self._state(_state_of).items():  # what two modules share, their copies share
            key = 'tensor', tensor._h
            if key in memo:
                setattr(made, name, memo[key])
            memo[key] = getattr(made, name)
        return made

    def forward(self, *inputs):
        """Runs it, in the library."""
        return _run(self, inputs)

    def __call__(self, *inputs):
        """Runs it. Arrays become tensors."""
        if _first_runs:
            _look(self)
        return _run(self, inputs)

    def extra_repr(self):
        """The options it was made with."""
        return self.__dict__.get('_shown', '')


def _plain(value):
    """Numbers of NumPy as those of Python, also in tuples and lists."""
    if type(value) in (tuple, list):
        return type(value)(map(_plain, value))
    return value.item() if _is_numpy(value) and not value.shape else value


# Tensors that a layer lacks, and which are None then, without an option
_ABSENT = {'bias': ['bias'], 'affine': ['weight', 'bias'], 'elementwise_affine': ['weight', 'bias'],
           'track_running_stats': ['running_mean', 'running_var', 'num_batches_tracked']}
_NOT_KEPT = {'bias', 'dtype', 'device', 'more'}  # options that are no attributes: these are those of the parameters


class Container(Layer):
    """What has modules in it that the program gives."""
    __slots__ = ()

    def __init__(self, named=()):
        self._h = None
        self._take(_making(Handle, self._make))
        self.__dict__['_parts'] = {}
        for name, module in named:
            self._put(name, module)

    def __deepcopy__(self, memo):
        made = memo[id(self)] = _new(type(self))
        Container.__init__(made)
        for name, value in self.__dict__.items():
            if name == '_parts':
                for key, part in value.items():
                    made._put(key, copy.deepcopy(part, memo))
            else:
                made.__dict__[name] = copy.deepcopy(value, memo)
        _train(made._h, self.training)
        return made

    def _put(self, name, module):
        if module is None:
            raise TypeError('a module, or a function, goes here, not None')
        module = _module(module)
        module.__dict__['_inside'] = True
        if not (_replace if name in self._parts else _add)(self._h, name.encode(), module._h):
            _fail()
        self._parts[name] = module

    def __setattr__(self, name, value):
        if isinstance(value, Module) and '_parts' in self.__dict__:
            self._put(name, value)
        else:
            Module.__setattr__(self, name, value)

    def _remove(self, name):
        self.__dict__.get('_parts', {}).pop(name, None)
        return Module._remove(self, name)

    def __len__(self):
        """The number of modules in it."""
        return len(self.children())

    def named_children(self):
        """The modules in it, with their names: a list of pairs."""
        return List(self._parts.items()) if '_parts' in self.__dict__ else super().named_children()


class ModuleList(Container):
    """A list of modules: what a module has in a list of Python are no children of it, what it has in this one is."""
    __slots__ = ()
    _make = staticmethod(lambda: _list(0, None))

    def __init__(self, modules=()):
        super().__init__((str(i), m) for i, m in enumerate(modules))

    def __iter__(self):
        return iter(self.children())

    def __getitem__(self, i):
        if isinstance(i, slice):
            return ModuleList(self.children()[i])
        return self.children()[i]

    def __setitem__(self, i, module):
        self._put(self.named_children()[i][0], module)

    def append(self, module):
        """Adds a module."""
        self._put(str(len(self)), module)
        return self

    def extend(self, modules):
        """Adds modules."""
        for m in list(modules):
            self.append(m)
        return self

    __iadd__ = extend

    def __add__(self, other):
        """A new one, with the modules of both."""
        modules = self.children() + list(other)
        return Sequential(*modules) if isinstance(self, Sequential) else ModuleList(modules)

    def __delitem__(self, i):
        """Removes a module, or those of a slice, and numbers the others anew."""
        modules = self.children()
        del modules[i]
        for name in list(self._parts):
            self._remove(name)
        self.extend(modules)

    def pop(self, i=-1):
        """Removes a module, and returns it."""
        module = self[i]
        del self[i]
        return module

    def insert(self, i, module):
        """Adds a module before that of a number, and renames those behind it."""
        modules = self.children()
        modules.insert(i, module)
        self.append(module)
        for (name, _), m in zip(self.named_children(), modules):
            self._put(name, m)
        return self


class ParameterList(Module):
    """A list of parameters, which are those of the module that has it."""

    def __init__(self, parameters=()):
        super().__init__()
        self.extend(parameters)

    def __getitem__(self, i):
        return ParameterList(self.parameters()[i]) if isinstance(i, slice) else self.parameters()[i]

    def __setitem__(self, i, tensor):
        setattr(self, str(range(len(self))[i]), _parameter_of(tensor))

    def __len__(self):
        return len(self.parameters())

    def __iter__(self):
        return iter(self.parameters())

    def append(self, tensor):
        """Adds a parameter."""
        setattr(self, str(len(self)), _parameter_of(tensor))
        return self

    def extend(self, tensors):
        """Adds parameters."""
        for tensor in tensors:
            self.append(tensor)
        return self

    def extra_repr(self):
        return ', '.join(str(p.shape) for p in self)


def _parameter_of(tensor):
    known = isinstance(tensor, Parameter) or isinstance(tensor, Tensor) and tensor.requires_grad and tensor.is_leaf
    return tensor if known else Parameter(tensor)


class Sequential(ModuleList):
    """Runs modules one after the other; functions of Python, too. It takes modules, or a dict of them by name."""
    __slots__ = ()
    _make = staticmethod(lambda: _sequential(0, None))

    def __init__(self, *modules):
        if len(modules) == 1 and isinstance(modules[0], dict):
            Container.__init__(self, modules[0].items())
        elif len(modules) == 1 and isinstance(modules[0], (list, tuple)):
            raise TypeError('Sequential takes modules one by one: Sequential(*modules)')
        else:
            super().__init__(modules)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return Sequential(dict(self.named_children()[i]))
        return self.children()[i]


class _OfImages:
    """Runs on images (samples, channels, height, width), or on one without the first dimension."""
    __slots__ = ()

    def __call__(self, *inputs, **options):
        one = _as_input(inputs[0]) if len(inputs) == 1 else None
        if isinstance(one, Tensor) and one.dim() == 3:
            return super().__call__(one.unsqueeze(0), **options).squeeze(0)
        return super().__call__(*inputs, **options)


class Transform(_OfImages, Layer):
    """A transform of the library, of images (samples, channels, height, width) or of one without the first dimension."""
    __slots__ = ()

    def __repr__(self):
        return f'{_title(_kind(self._h).decode())}({self.extra_repr()})'


class Transforms(_OfImages, Sequential):
    """Transforms one after the other; functions of Python, too, which get images with their first dimension."""
    __slots__ = ()

    def _get_name(self):
        return 'Compose'


class ModuleDict(Container):
    """A dict of modules, which are its children."""
    __slots__ = ()
    _make = staticmethod(_dict)

    def __init__(self, modules=()):
        super().__init__(dict(modules).items())

    def __getitem__(self, name):
        return self._parts[name]

    def __setitem__(self, name, module):
        self._put(name, module)

    def __contains__(self, name):
        return name in self._parts

    def __iter__(self):
        return iter(self._parts)

    def __delitem__(self, name):
        self.pop(name)

    def pop(self, name):
        """Removes a module, and returns it."""
        module = self._parts[name]
        self._remove(name)
        return module

    def clear(self):
        """Removes all modules."""
        for name in list(self._parts):
            self._remove(name)

    def update(self, modules):
        """Adds or replaces modules, of a dict or of pairs of name and module."""
        for name, module in dict(modules).items():
            self._put(name, module)

    def keys(self):
        """The names."""
        return self._parts.keys()

    def values(self):
        """The modules."""
        return self._parts.values()

    def items(self):
        """Pairs of name and module."""
        return self._parts.items()
