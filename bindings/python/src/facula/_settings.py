"""Settings for a block: no_grad, autocast and others; random numbers; files."""
import json
import os
import tempfile
from contextlib import ContextDecorator, contextmanager
from ctypes import POINTER, Structure, byref, c_bool, c_char, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p, cast
from functools import wraps
from inspect import isgeneratorfunction

from . import _library as _l
from ._generator import Generator
from ._library import Device, Parameters, _declare, _fail, _scope, _text
from ._modules import Module, _named, _state_of
from ._tensor import Tensor, _is_numpy, tensor


class _Settings(Structure):
    _fields_ = [('size', c_size_t), ('device', Device), ('no_grad', c_bool), ('fallback', c_bool),
                ('deterministic', c_bool), ('tf32', c_bool), ('anomaly', c_bool), ('autocast', c_int),
                ('placement', c_int), ('forbid', c_uint), ('stream', c_void_p), ('catch_errors', c_void_p),
                ('fa__end', c_char)]


class _Saved(Structure):
    _fields_ = [('tensors', Parameters), ('metadata_count', c_size_t), ('metadata_name', POINTER(c_char_p)),
                ('metadata_value', POINTER(c_char_p))]


class _SaveOptions(Structure):
    _fields_ = [('size', c_size_t), ('metadata_count', c_size_t), ('metadata_name', POINTER(c_char_p)),
                ('metadata_value', POINTER(c_char_p)), ('fa__end', c_char)]


class _LoadOptions(Structure):
    _fields_ = [('size', c_size_t), ('strict', c_bool), ('prefix', c_char_p), ('fa__end', c_char)]


_now = _declare('fa_settings_now', _Settings, [])
_enter = _declare('fa_use_enter', c_size_t, [POINTER(_Settings)])
_leave = _declare('fa_use_leave', None, [c_size_t])
_set_grad_enabled = _declare('fa__set_grad_enabled', c_bool, [c_bool])
_seed = _declare('fa_manual_seed', None, [c_uint64])
_save_numpy = _declare('fa_save', c_bool, [Parameters, c_char_p, c_void_p])
_save_safetensors = _declare('fa__save_safetensors', c_bool, [Parameters, c_char_p, c_void_p])
_load = _declare('fa_load', c_bool, [Parameters, c_char_p, c_void_p])
_load_file = _declare('fa_load_file', _Saved, [c_char_p, c_void_p])
_set_threads = _declare('fa_set_num_threads', None, [c_int])
_threads = _declare('fa_num_threads', c_int, [])
_STRUCTURE = b'facula.python'  # the name of the metadata that says how tensors make a nested dict
_best = _declare('fa_device_best', Device, [])
_available = _declare('fa_is_available', c_bool, [Device])


class use(ContextDecorator):
    """Settings for a block, or for a function of which it is the decorator:
    with facula.use(no_grad=True, device="cuda:0", autocast=facula.bf16)."""

    def __init__(self, **settings):
        self.settings, self.entered = settings, []
        unknown = set(settings) - {'device', 'no_grad', 'fallback', 'deterministic', 'tf32', 'anomaly', 'autocast',
                                   'placement'}
        if unknown:
            raise TypeError(f'there is no setting {", ".join(sorted(unknown))}')

    def __enter__(self):
        s = _now()
        for name, value in self.settings.items():
            convert = {'device': _l._device, 'autocast': _l._dtype_number,
                       'placement': lambda v: _l._enum('FA_PLACE_', v)}.get(name, bool)
            setattr(s, name, convert(value))
        number = _enter(byref(s))
        if not number or _l._error_stands():
            _leave(number)
            _fail()
        self.entered.append(number)
        if self.settings.get('anomaly'):
            _l._record_lines(1)
        return self

    def __exit__(self, *_):
        _leave(self.entered.pop())
        if self.settings.get('anomaly'):
            _l._record_lines(-1)

    def _recreate_cm(self):
        return use(**self.settings)  # calls of one function may overlap, on several threads

    def __call__(self, function):
        return self._generator(function) if isgeneratorfunction(function) else super().__call__(function)

    def _generator(self, function):
        """A generator function whose parts run with these settings, and what is between them with those of its caller."""
        @wraps(function)
        def run(*arguments, **options):
            parts = function(*arguments, **options)
            resume, given = parts.send, None
            while True:
                try:
                    with self._recreate_cm():
                        value = resume(given)
                except StopIteration as end:
                    return end.value
                try:
                    resume, given = parts.send, (yield value)
                except BaseException as e:  # of throw() and close()
                    resume, given = parts.throw, e
        return run


def no_grad(function=None):
    """Records nothing for backward in a block or a function: with facula.no_grad(), @facula.no_grad()."""
    return use(no_grad=True) if function is None else use(no_grad=True)(function)


def enable_grad(function=None):
    """Records for backward in a block or a function, inside of a no_grad()."""
    return use(no_grad=False) if function is None else use(no_grad=False)(function)


def inference_mode(mode=True):
    """no_grad(), or enable_grad() if the mode is False."""
    return no_grad(mode) if callable(mode) else use(no_grad=mode)


class set_grad_enabled:
    """Sets whether calls record for backward, from here on; as a block until it ends, and as a decorator in a function."""

    def __init__(self, mode):
        self.mode, self.before = bool(mode), _set_grad_enabled(mode)

    def __call__(self, function):
        _set_grad_enabled(self.before)
        return use(no_grad=not self.mode)(function)

    def __enter__(self):
        _set_grad_enabled(self.mode)

    def __exit__(self, *_):
        _set_grad_enabled(self.before)


def is_grad_enabled():
    """Whether calls record for backward."""
    return not _now().no_grad


def autocast(device_type=None, dtype=None, enabled=True):
    """Matrix products and convolutions in f16 or bf16 in a block: facula.autocast(facula.bf16), or as PyTorch writes it,
    facula.autocast("cuda", dtype=facula.bfloat16). If there is no dtype it is f16 for "cuda", and bf16 for others."""
    if not isinstance(device_type, str) or device_type in _l._BY_NAME:
        device_type, dtype = None, dtype or device_type
    if dtype is None:
        dtype = 'f16' if str(device_type).startswith('cuda') else 'bf16'
    return use(autocast=dtype if enabled else None)


def is_autocast_enabled(device_type=None):
    """Whether products and convolutions are in f16 or bf16 now. The device does not matter."""
    return bool(_now().autocast)


def manual_seed(seed):
    """Seeds the default random number generator. Returns another one with this seed, for generator=."""
    _seed(_l._integer(seed))
    return Generator().manual_seed(seed)


def best_device():
    """The name of the best device of the machine: a GPU, if there is one."""
    return _l._device_name(_best()).decode()


def is_available(device):
    """Whether there is a device of this name."""
    try:
        return _available(_l._device(device))
    except _l.Error:
        return False


def _array_of(named):
    names = (c_char_p * len(named))(*[n.encode() for n in named])
    items = (c_void_p * len(named))(*[_l._h(t) for t in named.values()])
    array = Parameters(len(named), cast(items, POINTER(c_void_p)), cast(names, POINTER(c_char_p)))
    array.kept = names, items, named
    return array


def _flattened(x, name, tensors):
    """What JSON can say of a value; its tensors go to `tensors`, by name."""
    if isinstance(x, Module):
        x = x.state_dict()
    if _is_numpy(x):
        x = tensor(x) if x.ndim else x.item()
    if isinstance(x, Tensor):
        tensors[name] = x
        return {'tensor': name}
    if isinstance(x, dict):
        return {'dict': [[k, _flattened(v, f'{name}.{k}' if name else str(k), tensors)] for k, v in x.items()]}
    if isinstance(x, (list, tuple)):
        return {type(x).__name__ if type(x) in (list, tuple) else 'tuple':
                [_flattened(v, f'{name}.{i}' if name else str(i), tensors) for i, v in enumerate(x)]}
    if x is None or isinstance(x, (bool, int, float, str)):
        return x
    where = f', as {name!r} is' if name else ''
    raise TypeError(f'a file has tensors, numbers, texts, dicts and lists, and nothing of type {type(x).__name__}{where}')


def _structure_of_state(module):
    """The same of a module's state: a tensor with several names is written once."""
    written = {t._h: name for name, t in module._state(_state_of).items()}
    return {'dict': [[name, {'tensor': written[t._h]}] for name, t in module._state().items()]}


def _rebuilt(x, tensors):
    if not isinstance(x, dict):
        return x
    (kind, value), = x.items()
    if kind == 'tensor':
        return tensors[value]
    if kind == 'dict':
        return {k: _rebuilt(v, tensors) for k, v in value}
    return (tuple if kind == 'tuple' else list)(_rebuilt(v, tensors) for v in value)


def save(what, path):
    """Writes a module, a tensor, or a dict of tensors, arrays, other dicts, lists, numbers and texts, to a file in the format of
    safetensors, whatever its name; a dict of tensors also to .npz or .npy. path: a path, or a file that is open for writing
    bytes. Of a module it writes the state_dict()."""
    if hasattr(path, 'write'):
        with _temporary() as name:
            save(what, name)
            with open(name, 'rb') as file:
                path.write(file.read())
        return
    tensors = {}
    structure = _structure_of_state(what) if isinstance(what, Module) else _flattened(what, '', tensors)
    plain = isinstance(what, Module) or isinstance(what, dict) and list(tensors) == list(what)
    write, options = _save_numpy, None
    if str(path).endswith(('.npy', '.npz')):
        if not plain:
            raise TypeError('a file of NumPy has a dict of tensors, and nothing else')
    else:
        names, values = (c_char_p * 1)(_STRUCTURE), (c_char_p * 1)(json.dumps(structure).encode())
        write, options = _save_safetensors, byref(_SaveOptions(_SaveOptions.fa__end.offset, 1, names, values))
    if not plain and len(set(map(id, tensors.values()))) < len(tensors):
        tensors = {n: t.clone() for n, t in tensors.items()}
    with _scope():
        if not write(_array_of(what._state(_state_of) if isinstance(what, Module) else tensors), _text(path), options):
            _fail(path)


@contextmanager
def _temporary(content=b''):
    """The name of a file with this content, which ends with the block."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, 'file')
        with open(name, 'wb') as file:
            file.write(content)
        yield name


def load(module, path=None, strict=True, prefix='', map_location=None, weights_only=True):
    """load(path) gives what save() wrote, on the device map_location; of a module its state_dict(). path: a path, or a file
    that is open for reading bytes. Nothing in a file is executed.

    load(module, path) reads the parameters and buffers of a module from a file. Not strict: missing and unexpected names are
    ignored."""
    file = module if path is None else path
    if hasattr(file, 'read'):
        with _temporary(file.read()) as name:
            return load(name if path is None else module, path and name, strict, prefix, map_location)
    if path is None:
        return _loaded(module, map_location)
    o = _LoadOptions(_LoadOptions.fa__end.offset, strict, prefix.encode())
    with _scope():
        if not _load(_array_of(module._state()), _text(path), byref(o)):
            _fail(path)


def _read(path):
    """The tensors of a file and its metadata, by name."""
    with _scope():
        of = _load_file(_text(path), None)
        if _l._error_stands():
            _fail(path)
        return _named(of.tensors), {of.metadata_name[i]: of.metadata_value[i] for i in range(of.metadata_count)}


def _loaded(path, device):
    tensors, texts = _read(path)
    if device is not None:
        tensors = {n: t.to(device) for n, t in tensors.items()}
    return _rebuilt(json.loads(texts[_STRUCTURE]), tensors) if _STRUCTURE in texts else tensors


def load_file(path, metadata=False):
    """The tensors of a .safetensors, .npz or .npy file, by name. metadata: gives these, and the metadata of a .safetensors
    file, a dict of texts."""
    tensors, texts = _read(path)
    return (tensors, {n.decode(): t.decode() for n, t in texts.items()}) if metadata else tensors


def summary(module, input=None, dtype=None, inputs=None, file=None, input_size=None):
    """Prints a table of a module, as its method summary() does."""
    module.summary(input, dtype, inputs, file, input_size)


def set_num_threads(threads):
    """Sets the number of threads for computations; 0 is the default."""
    _set_threads(threads)
    _l._check()


def get_num_threads():
    """The number of threads for computations."""
    return _threads()
