"""What the generated functions stand on: the shared library, structs that are passed by value, conversions of arguments,
tensors and the other objects as handles. Objects of the library are taken out of their scope (fa_own) and released when
their Python object ends."""
import atexit
import collections
import ctypes
import errno
import operator
import os
import pathlib
import platform
import re
import struct
import sys
import threading
import warnings
from ctypes import (POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_int32, c_int64,
                    c_size_t, c_void_p, cast)

from ._constants import CONSTANTS, VERSION


def _load():
    """FACULA_LIBRARY, the library in the package, or that of the system."""
    here = pathlib.Path(__file__).parent / 'libfacula.so'
    names = [os.environ.get('FACULA_LIBRARY'), str(here) if here.exists() else None,
             'libfacula.so.' + '.'.join(VERSION.split('.')[:2])]
    return ctypes.CDLL(next(name for name in names if name))


lib = _load()
_short = ctypes.PyDLL(lib._name)  # for functions so short that they keep the GIL
# On these, a struct of two words travels as two words do, while registers last.
_WORDS = 6 if platform.machine() in ('x86_64', 'aarch64', 'arm64') and sys.maxsize > 1 << 32 else 0


def _declare_short(symbol, result, arguments):
    f = _short[symbol]
    f.restype, f.argtypes = result, arguments
    return f


def _declare(symbol, result, arguments):
    """A function of the library. The GIL is released while it runs. An fa_arg is given as two arguments, bits and kind."""
    f = lib[symbol]
    f.restype, f.argtypes = result, arguments
    if Arg not in arguments:
        return f
    words = [2 if a is Arg else 0 if a is c_double else 1 if a in (c_void_p, c_char_p, c_int64, c_int, c_bool) else 9
             for a in arguments]
    if result is c_void_p and sum(words) <= _WORDS:
        f.argtypes = [b for a in arguments for b in ((c_void_p, c_int64) if a is Arg else (a,))]
        return f
    places = [a is Arg for a in arguments]

    def packed(*given):
        rest = iter(given)
        return f(*[Arg(next(rest), next(rest)) if two else next(rest) for two in places])
    return packed


class Shape(Structure):
    _fields_ = [('rank', c_int32), ('dim', c_int64 * 8)]


class Device(Structure):
    _fields_ = [('kind', c_int32), ('index', c_int32)]


class Arg(Structure):
    _fields_ = [('bits', ctypes.c_uint64), ('kind', c_int32), ('reserved', c_int32)]


class Tensors(Structure):
    _fields_ = [('count', c_size_t), ('item', POINTER(c_void_p))]


class Numbers(Structure):
    _fields_ = [('count', c_size_t), ('item', POINTER(c_double))]


class Parameters(Structure):
    _fields_ = [('count', c_size_t), ('item', POINTER(c_void_p)), ('name', POINTER(c_char_p))]


class Place(Structure):
    _fields_ = [('device', Device), ('dtype', c_int)]


# ---- errors ----

class Error(RuntimeError):
    """What a call raises that fails; `kind` is "shape", "dtype", "device", ..."""

    def __init__(self, message, kind='user'):
        super().__init__(message)
        self.kind = kind


class OutOfRange(Error, IndexError):
    """An index or a dimension that a tensor does not have."""


class FileError(Error, OSError):
    """A file that cannot be read or written, or is damaged."""
    __str__ = Error.__str__


class FileMissing(FileError, FileNotFoundError):
    """A file that is not there."""


class OutOfMemory(Error, MemoryError):
    """No memory is left for a tensor."""


class WrongKeys(Error, KeyError):
    """Names of a state that do not fit the module."""
    __str__ = Error.__str__

    def __init__(self, message):
        super().__init__(message, 'argument')


_KINDS = {'file': FileError, 'memory': OutOfMemory, 'index': OutOfRange}
_error_code = _declare('fa_error_code', c_int, [])
_error_message = _declare('fa_error_message', c_char_p, [])
_error_clear = _declare('fa_error_clear', None, [])
_error_stands = _declare('fa_error_stands', c_bool, [])
_code_name = _declare('fa_code_name', c_char_p, [c_int])
_fa_fail = lib.fa_fail
_fa_fail.restype = c_bool
_CODES = {_code_name(n).decode(): n for n in range(32)}  # by kind
_raised = collections.deque(maxlen=8)  # exceptions of callbacks, on their way through functions in C: text, itself, thread


def _gave(e):
    """Makes an exception of a callback an error of the library, behind which _fail() raises it again."""
    code = _CODES.get(e.kind, 0) if isinstance(e, Error) else 0
    text = str(e) if code else f'{type(e).__name__}: {e}'
    _raised.append((text[:200], e, threading.get_ident()))
    _fa_fail(c_int(code or CONSTANTS['FA_ERROR_USER']), b'%s', text.encode(errors='replace'))


def _forget():
    """Drops exceptions of this thread's callbacks that became no error, such as those of samples that were skipped: they hold
    the frames that they went through, and what is in these."""
    mine = threading.get_ident()
    kept = [x for x in list(_raised) if x[2] != mine]
    _raised.clear()
    _raised.extend(kept)


_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def _frame():
    """The frame of the program that called the package."""
    frame = sys._getframe(1)
    while frame and os.path.abspath(frame.f_code.co_filename).startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def _line():
    """The line of the program that called the package: "train.py:41: "."""
    frame = _frame()
    return f'{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}: ' if frame else ''


# How Python writes what C's messages name; other functions are found in the package and its classes.
_IN_PYTHON = {'grad': '.grad', 'apply': 'Function.apply', 'backward': 'backward()', 'optim_add_group': 'optimizer.add_param_group()', 'grad_of': 'autograd.grad',
              'scaler_unscale': 'scaler.unscale_()', 'get': 'getitem', 'index': 'getitem', 'set': 'setitem', 'index_put_': 'setitem',
              'item_int': 'item()', 'dataset_get': 'dataset[...]', 'loader_begin': 'iter(loader)', 'device_of': 'device',
              'tensor_from': 'tensor', 'hook_grad': 'register_hook()', 'to_dlpack': 'dlpack', 'to_dlpack_unversioned': 'dlpack',
              'data_subset': 'Subset', 'schedule_step_metric': 'scheduler.step()', 'optim_option': 'optimizer.param_groups',
              'optim_set_option': 'optimizer.param_groups'}
_IDIOMS = (('fa_optim_zero_grad(optimizer)', 'fa_optim_zero_grad()'), ('FA_USE(.no_grad = true)', 'with no_grad():'),
           ('fa_module_train(net, false)', 'net.eval()'), ('fa_module_train(net, true)', 'net.train()'),
           ('fa_module_add(self, "name", layer)', 'self.name = layer'),
           ('under .no_grad', 'under no_grad()'), ('.no_grad is in force', 'no_grad() is in force'),
           ('a gradient that .grad gives', 'a gradient, as backward(gradient)'), ('fa_pointwise', 'a fused operation'),
           ('its pointwise', 'its fused operation'),
           ('fa_update(), which fa_optim_step() calls,', 'optimizer.step()'),
           ('allow_unused gives NULL', 'allow_unused=True gives None'), ('=NULL', '=None'), (' is NULL', ' is None'))
_PLACES = {'nn': 'nn', 'optim': 'optim', 'schedule': 'lr', 'data': 'data', 'transform': 'transform', 'init': 'init', 'amp': 'amp',
           'sampler': 'sampler'}
_VALUES = {'true': 'True', 'false': 'False', 'FA_PLACE_AUTO': '"auto"'}


def _options():
    """The names of all options of C's functions."""
    return {name for s in Structure.__subclasses__() if s.__module__.startswith(__package__) and s._fields_[0][0] == 'size'
            for name, *_ in s._fields_}


def _name_here(found):
    """A function's name in Python, if there is one. The parentheses of a call come with arguments from C."""
    package, (name, call) = sys.modules[__package__], found.groups('')
    begins = found.start() == 0
    place, _, rest = name.partition('_')
    objects = {'module': ('module', Module), 'optim': ('optimizer', Optimizer), 'schedule': ('scheduler', Schedule),
               'scaler': ('scaler', Scaler), 'loader': ('loader', Loader), 'dataset': ('dataset', Dataset),
               'sampler': ('sampler', Sampler), 'generator': ('generator', package.Generator)}
    here = _IN_PYTHON.get(name)
    if here is None and place in _PLACES and hasattr(getattr(package, _PLACES[place]), rest):
        here = f'{_PLACES[place]}.{rest}'
    elif here is None and place in objects and hasattr(objects[place][1], rest):
        here = f'{objects[place][0]}.{rest}()'
    elif here is None and name.startswith('set_') and hasattr(Tensor, name[4:]):
        here = f'.{name[4:]}'
    elif here is None and (hasattr(Tensor, name) or name == 'forward') and not hasattr(package, name):
        here = f'{name}()' if begins else f'.{name}()'
    elif here is None:
        here = name if hasattr(package, name) else f'nn.utils.{name}_' if hasattr(package.nn.utils, name + '_') else f'fa_{name}'
    return here[:-2] + (call or '()') if here.endswith('()') else here + call


def _in_python(message):
    """A message of the library with the names of Python. What may be the name of a file stays."""
    line, message = re.match(r'((?:[\w.-]+:\d+: )?)(.*)', message, re.S).groups()
    message = re.sub(r'\bfa_set_grad\((\w+), fa_grad\(\1\)\)', r'\1.grad = \1.grad', message)
    message = re.sub(r'\bfa_set_grad\((\w+), NULL\)', r'\1.grad = None', message)
    for in_c, here in _IDIOMS:
        message = message.replace(in_c, here)
    message = re.sub(r'FA_USE\(\.(\w+) = (\w+)\)', lambda found: f'with use({found[1]}={_VALUES.get(found[2], found[2])}):', message)
    message = re.sub(r'(?<!\w)\.(\w+) = (true|false)\b', lambda found: f'{found[1]}={_VALUES[found[2]]}', message)
    message = re.sub(r'(?<!\w)\(\) (?=(bool|b?[fiu]\d\w*) )', 'scalar ', message)
    options = _options()
    message = re.sub(r'(?<![^\s(])\.(\w+)\b(?!\.)', lambda found: found[found[1] in options], message)
    message = re.sub(r'\bFA_([A-Z0-9_]+)\b', lambda found: found[1].lower() if found[0] in CONSTANTS else found[0], message)
    message = re.sub(r'(?<![\w./-])(?!(?<=: )\w+:)fa_(\w+)(?![\w./-]*[/.]\w)(\()?', _name_here, message)
    return line + re.sub(r'\b(module|optimizer|scheduler|scaler|loader|dataset|sampler)(\.\w+\()\1, ', r'\1\2', message)


def _without_address(message):
    """A message without addresses, which would be those of ctypes."""
    message = re.sub(r', recorded at \S+\.so[\w.]*\+0x[0-9a-f]+(: .*)', r'\1 (facula.autograd.detect_anomaly() names the line that recorded it)',
                     message.decode(errors='replace'), flags=re.S)
    return re.sub(r', recorded at \S+\.so[\w.]*\+0x[0-9a-f]+$|^\S+\+0x[0-9a-f]+: |^an unknown line: | at \S+\.so[\w.]*\+0x[0-9a-f]+', '', message)


def _fail(path=None):
    """Raises the error that the library has set, with the line of the program. path: the file that was to be read."""
    message = _without_address(_error_message())
    kind = _code_name(_error_code()).decode()
    _error_clear()
    if _logged.value:
        _check_warnings()
    for text, e, _ in list(_raised)[::-1]:
        if text in message:
            _raised.clear()
            if isinstance(e, Error):
                raise _error(_in_python(message), kind) from e
            if hasattr(e, 'add_note') and message != text:
                e.add_note(message)
            raise e
    line = _line()
    message = (line if not message.startswith(line) else '') + _in_python(message)
    number = _errno_in(message) if kind == 'file' and path is not None else None
    e = FileMissing(message, kind) if number == errno.ENOENT else _error(message, kind)
    if number:
        e.errno, e.filename = number, os.fspath(path)
    raise e


def _errno_in(message):
    """The number of the system's error whose text ends a message; None if there is none."""
    return next((n for n in errno.errorcode if message.endswith(': ' + os.strerror(n))), None)


def _error(message, kind):
    return _KINDS.get(kind, Error)(message, kind)


def _check():
    if _error_stands():
        _fail()


# ---- warnings ----

_take = _declare('fa_log_take', c_bool, [POINTER(c_int), ctypes.c_char_p, c_size_t])


_logged = c_int()  # 1: there are messages


def _warn(message):
    """A warning of the line of the program that called the package."""
    frame = _frame()
    if frame:
        warnings.warn_explicit(message, UserWarning, frame.f_code.co_filename, frame.f_lineno,
                               frame.f_globals.get('__name__'), frame.f_globals.setdefault('__warningregistry__', {}))
    else:  # at the end, of another thread
        warnings.warn_explicit(message, UserWarning, 'facula', 0)


def _check_warnings():
    """Behind a call: gives Python what the library has logged in it, as of this line."""
    _logged.value = 0
    level, room = c_int(), ctypes.create_string_buffer(1 << 14)
    while _take(ctypes.byref(level), room, len(room)):
        message = _in_python(_without_address(room.value))
        if level.value == CONSTANTS['FA_LOG_ERROR']:
            print('facula: error:', message, file=sys.stderr)
        if level.value != CONSTANTS['FA_LOG_WARNING']:
            continue
        _warn(message)


def _log_as_python_does():
    """The library keeps its messages: it may hold locks when it logs, under which no code of Python may run."""
    set_log = lib.fa_set_log
    set_log.restype, set_log.argtypes = None, [c_void_p, c_void_p]
    set_log(cast(lib.fa_log_keep, c_void_p), ctypes.addressof(_logged))
    atexit.register(_check_warnings)
    atexit.register(set_log, None, None)


if not os.environ.get('FACULA_LOG'):  # its many lines go straight to standard error
    _log_as_python_does()


# ---- objects ----

_keep = _declare_short('fa_keep', c_void_p, [c_void_p])
_release = _declare('fa_release', None, [c_void_p])
_release_tensor = _declare_short('fa_release', None, [c_void_p])
_enter = _declare_short('fa_scope_enter', c_size_t, [c_char_p])
_leave = _declare_short('fa_scope_leave', None, [c_size_t])
_leave_with = _declare_short('fa_scope_leave_with', c_void_p, [c_size_t, c_void_p])
_own = _declare_short('fa_own', c_void_p, [c_void_p])
_new = object.__new__


class _scope:
    """A memory scope around calls, for what they make besides their results."""

    def __enter__(self):
        self.number = _enter(b'python')

    def __exit__(self, *_):
        _leave(self.number)
        if _logged.value and not _error_stands():
            _check_warnings()


class Handle:
    """A counted reference to an object of the library, `_h`."""
    __slots__ = ('_h', '__weakref__')

    def __del__(self, release=_release):
        h = getattr(self, '_h', None)
        if h:
            release(h)

    def __reduce_ex__(self, protocol):
        raise TypeError(f'{type(self).__name__} cannot be copied or pickled: facula.save() writes files')


def _taken(scope, h):
    """Takes what a call has returned out of its scope, which ends here: a new object, or an operand as it is."""
    taken = _leave_with(scope, h)
    if not taken:
        _error_clear()
        taken = _keep(h)
    return taken


def _made(scope, kind, h):
    """An object of a kind for what a call has returned in a scope, which ends here."""
    if not h:
        _leave(scope)
        _fail()
    made = _new(kind)
    made._h = _taken(scope, h)
    return made


def _making(kind, function, *arguments):
    """An object of a kind that a function returns; what else it makes ends here."""
    scope = _enter(b'python')
    try:
        h = function(*arguments)
    except BaseException:
        _leave(scope)
        raise
    return _made(scope, kind, h)


def _optimizer(scope, h, parameters):
    """An optimizer of parameters that a call has returned in a scope."""
    optimizer = _made(scope, Optimizer, h)
    optimizer.parameters = [parameters]
    return optimizer


def _scheduled(scope, h, optimizer):
    """A schedule of an optimizer that a call has returned in a scope."""
    schedule = _made(scope, Schedule, h)
    schedule.optimizer = optimizer
    return schedule


def _borrowed(kind, h):
    """An object of a kind for one that another object owns."""
    if not h:
        _fail()
    made = _new(kind)
    made._h = _keep(h)
    return made


def _handle(x):
    return None if x is None else x._h


def _dataset(x):
    """A dataset, also of a sequence of Python."""
    return x if x is None or isinstance(x, Dataset) else dataset_of(x)


def _module(x):
    """A module, also of a function of Python."""
    if isinstance(x, type) and issubclass(x, Module):
        raise TypeError(f'{x.__name__} is a class, not a module: {x.__name__}() makes one')
    if x is not None and not callable(x):
        raise TypeError(f'a module, or a function, goes here, not {type(x).__name__}')
    return x if x is None or isinstance(x, Module) else Lambda(x)


class _Sample(Structure):
    _fields_ = [('part', c_void_p * 8)]


_ENDLESS = 2**63 - 1  # the length of a stream


class Dataset(Handle):
    """A dataset; see facula.data."""
    __slots__ = ()

    def __repr__(self):
        n = _dataset_length(self._h)
        if n < 0:
            _error_clear()
        return f'Dataset({n} samples)' if 0 <= n < _ENDLESS else 'Dataset(a stream)' if n > 0 else 'Dataset()'

    def __len__(self):
        n = _dataset_length(self._h)
        if n < 0:
            _fail()
        return n

    def __getitem__(self, index):
        """The sample of a number; a negative one counts from the end."""
        try:
            number = operator.index(index)
        except TypeError:
            raise TypeError(f'a dataset has samples by number, not {type(index).__name__}: Subset(dataset, range(2)) has '
                            'several') from None
        n = len(self)
        if not -n <= number < n:
            raise IndexError(f'dataset[{number}]: there are {n} samples')
        with _scope():
            parts = [_borrowed(Tensor, h) for h in _dataset_get(self._h, number % n).part if h]
        if not parts:
            _fail()
        return parts[0] if len(parts) == 1 else tuple(parts)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    @property
    def classes(self):
        """The names of the classes, a list; an empty one if the dataset knows none."""
        return [_dataset_class(self._h, i).decode() for i in range(_dataset_classes(self._h))]

    @property
    def targets(self):
        """The targets of all samples, a tensor. It reads all samples, with their transforms."""
        from ._data import loader
        return sys.modules[__package__].cat([batch.target for batch in loader(self, batch_size=1000, seed=0)])


_dataset_classes = _declare('fa_dataset_classes', c_int64, [c_void_p])
_dataset_class = _declare('fa_dataset_class_name', c_char_p, [c_void_p, c_int64])
_dataset_length = _declare('fa_dataset_length', c_int64, [c_void_p])
_dataset_get = _declare('fa_dataset_get', _Sample, [c_void_p, c_int64])


# ---- dtypes and devices ----

class DType:
    """The type of a tensor's elements: facula.f32, ..."""

    def __init__(self, number):
        self.number = number
        info = _describe(number).contents
        self.name, self.size, self.itemsize = info.name.decode(), info.size, info.size
        self.digits, self.lowest, self.largest = info.digits, info.lowest, info.largest
        self.is_floating = self.is_floating_point = info.kind == b'f'
        self.typestr = info.npy.decode() if info.npy else None  # of NumPy

    def __repr__(self):
        return f'facula.{self.name}'


class _DTypeInfo(Structure):
    _fields_ = [('name', c_char_p), ('kind', c_char), ('storage', c_bool), ('size', ctypes.c_uint8),
                ('digits', ctypes.c_uint8), ('lowest', c_double), ('largest', c_double), ('smallest', c_double),
                ('torch', c_char_p), ('numpy', c_char_p), ('npy', c_char_p)]


_describe = _declare('fa_dtype_describe', POINTER(_DTypeInfo), [c_int])
DTYPES = {n: DType(n) for n in range(1, 13)}
_BY_NAME = {d.name: d for d in DTYPES.values()}
for _d in DTYPES.values():  # names of PyTorch and NumPy: "float32"
    for _name in (_describe(_d.number).contents.torch, _describe(_d.number).contents.numpy):
        if _name:
            _BY_NAME.setdefault(_name.decode(), _d)
_PYTHON_TYPES = {bool: _BY_NAME['bool'], int: _BY_NAME['i64'], float: _BY_NAME['f64']}


def _dtype(d):
    """A dtype from one, its name, a type of Python, or a dtype of NumPy or PyTorch."""
    if d.__class__ is DType:
        return d
    name = d if isinstance(d, str) else getattr(d, 'name', None) or str(d).split('.')[-1]
    found = _PYTHON_TYPES.get(d) if isinstance(d, type) else _BY_NAME.get(name)
    if found is None and isinstance(d, type):
        found = _BY_NAME.get(d.__name__)
    if found is None:
        raise TypeError(f'there is no dtype {d!r}')
    return found


def _dtype_number(d):
    return 0 if d is None else d.number if d.__class__ is DType else _dtype(d).number


class device(str):
    """The name of a device, with its `type` and `index`: facula.device("cuda:0"), facula.device("cuda", 0)."""
    __slots__ = ()

    def __new__(cls, name, index=None):
        text = str(name) if index is None else f'{name}:{index}'
        if not re.fullmatch(r'(cpu|cuda|opencl|meta|late)(:\d+)?|opencl:gpu', text):
            raise Error(f'{text!r} names no device: "cpu", "cuda", "cuda:1", "opencl:0"', 'device')
        return super().__new__(cls, text)

    @property
    def type(self):
        """The kind: "cpu", "cuda"."""
        return self.partition(':')[0]

    @property
    def index(self):
        """The number; None if the name has none."""
        number = self.partition(':')[2]
        return int(number) if number else None


_device_of = _declare('fa_device_of', Device, [c_char_p])
_device_name = _declare('fa_device_name', c_char_p, [Device])
_NO_DEVICE = Device(0, 0)


def _device(d):
    if d is None:
        return _NO_DEVICE
    if d.__class__ is Device:
        return d
    found = _device_of(str(d).encode())
    _check()
    return found


def _place(where, device, dtype):
    """The place that .to() is called with: a device, a dtype, both, or a tensor that is there."""
    place = Place()
    for w in (*where, device, dtype):
        if isinstance(w, Tensor):
            place.device, place.dtype = _device(w.device), w.dtype.number
        elif isinstance(w, Device) or isinstance(w, str) and w not in _BY_NAME:
            place.device = _device(w)
        elif w is not None:
            place.dtype = _dtype_number(w)
    return place


# ---- arguments ----

_GENERATED = {'_ops': '', '_nn': 'nn.', '_optim': 'optim.', '_lr': 'lr.', '_data': 'data.', '_transform': 'transform.',
              '_sampler': 'sampler.', '_init': 'nn.init.', '_amp': 'amp.'}


def _refused(expected, value, name=None):
    """A TypeError of an argument, with its name and that of the function that got it: "nn.Linear: in_features is an integer,
    not 2.0"."""
    frame = sys._getframe(1)
    while frame and frame.f_globals.get('__name__', '').rpartition('.')[2] not in _GENERATED:
        frame = frame.f_back
    shown = repr(value) if isinstance(value, (int, float, str, tuple, list, type(None))) else type(value).__name__
    if frame and name is None:
        name = next((n for n, v in frame.f_locals.items() if v is value), None)
    if frame is None or name is None:
        return TypeError(f'{expected} goes here, not {shown}')
    place, function = _GENERATED[frame.f_globals['__name__'].rpartition('.')[2]], frame.f_code.co_name
    if place == 'nn.':
        function = getattr(sys.modules[__package__].nn, function).__name__
    return TypeError(f'{place}{function}: {name} is {expected}, not {shown}')


def _is_index(x):
    return hasattr(x, '__index__') and not getattr(x, 'shape', ())


def _integer(x):
    try:
        return operator.index(x)
    except TypeError:
        raise _refused('an integer', x) from None


def _real(x):
    if not hasattr(x, '__float__'):
        raise _refused('a number', x)
    return float(x)


_ALL = -0x8000000000000000
_PADDINGS = {'same': _ALL, 'valid': 0}


def _dims(d):
    if d is None:
        return _ALL
    if isinstance(d, int):
        return d
    if _is_index(d):
        return operator.index(d)
    try:
        d = tuple(operator.index(i) for i in d)
    except TypeError:
        raise _refused('a dimension, or a tuple of them', d) from None
    if not all(-8 <= i < 8 for i in d) or len(d) > 8:
        raise ValueError(f'dimensions are from -8 to 7, and at most 8: {tuple(d)}')
    bits = order = 0
    for i in d:
        bits |= 1 << (i + 8)
        order = order << 4 | (i + 8)
    return len(d) << 52 | bits | order << 18


def _axis(function, axis, name='dim'):
    """A dimension that has to be given, by NumPy's name; or another argument that has to be given."""
    if axis is None:
        raise TypeError(f"{function}() missing 1 required positional argument: '{name}'")
    return axis


def _one(p):
    """A size in one dimension: a number, a tuple of it, or the name of a padding."""
    if isinstance(p, int):
        return p
    if isinstance(p, str) and p in _PADDINGS:
        return _PADDINGS[p]
    if not isinstance(p, (tuple, list)) or len(p) != 1:
        raise ValueError(f'one number goes here, not {p!r}')
    return p[0]


def _pair(p):
    if isinstance(p, (int, str)):
        return _one(p)
    if _is_index(p):
        return operator.index(p)
    try:
        if len(p) == 1:
            return _one(p)
        height, width = (-1 if s is None else operator.index(s) for s in p)
    except (TypeError, ValueError):
        raise _refused('an integer, or two of them', p) from None
    return 1 << 62 | (width + 1) << 31 | (height + 1) if -1 <= height < 0x7fffffff and -1 <= width < 0x7fffffff else -2


def _shape(s):
    if s is None:
        return Shape()
    try:
        sizes = (operator.index(s),) if _is_index(s) else tuple(s)
        return Shape(len(sizes), (c_int64 * 8)(*sizes[:8]))
    except TypeError:
        raise _refused('an integer, or a tuple of them', s) from None


def _numbers(values):
    if values is None:
        return Numbers()
    if not hasattr(values, '__len__'):
        raise _refused('a list of numbers', values)
    try:
        items = (c_double * len(values))(*values)
    except TypeError:
        raise _refused('a list of numbers', values) from None
    array = Numbers(len(values), cast(items, POINTER(c_double)))
    array.kept = items
    return array


def _text(s, name=None):
    try:
        return None if s is None else os.fspath(s).encode()
    except TypeError:
        raise _refused('a text', s, name) from None


def _enum(prefix, name, option=None):
    if isinstance(name, int) and not isinstance(name, bool):
        return name
    try:
        return CONSTANTS[prefix + name.upper()]
    except AttributeError:
        raise _refused('a text', name, option) from None
    except KeyError:
        raise ValueError(f'there is no {name!r} here') from None


_pack_double, _unpack_word = struct.Struct('=d').pack, struct.Struct('=q').unpack


def _bits(x):
    """Bits and kind of an fa_arg for a tensor or a number, and what has to live during the call."""
    if x.__class__ is float:
        return _unpack_word(_pack_double(x))[0], 1, None
    if x is True or x is False:
        return int(x), 3, None
    if isinstance(x, int) and -1 << 63 <= x < 1 << 63:
        return int(x), 2, None
    if isinstance(x, (int, float)):
        return _unpack_word(_pack_double(x))[0], 1, None
    t = _as_tensor(x)
    return t._h, 0, t


def _kept_options(known, key, o):
    """Remembers options for the next call with equal ones."""
    if len(known) > 200:
        known.clear()
    try:
        known[key] = o
    except TypeError:  # a list
        pass
    return o


def _h(x):
    if x is None:
        return None
    if not isinstance(x, Tensor):
        raise _refused('a tensor', x)
    return x._h


def _tensors(list_of):
    if list_of is None:
        return Tensors()
    if isinstance(list_of, Tensor) or not hasattr(list_of, '__iter__'):
        raise _refused('a list of tensors', list_of)
    kept = [_as_tensor(x) for x in list_of]
    items = (c_void_p * len(kept))(*[x._h for x in kept])
    array = Tensors(len(items), cast(items, POINTER(c_void_p)))
    array.kept = kept, items
    return array


def _parameter_list(p):
    """The parameters of a module, or some tensors, also with their names before them, as a list."""
    if isinstance(p, Module):
        return p.parameters()
    return [p] if isinstance(p, Tensor) else [x[1] if isinstance(x, tuple) and len(x) == 2 and isinstance(x[0], str) else x for x in p]


def _parameters(p):
    items = (c_void_p * len(p))(*[_h(x) for x in p])
    array = Parameters(len(items), cast(items, POINTER(c_void_p)), None)
    array.kept = p, items
    return array


# ---- lines of recorded operations ----

_line_of = _declare_short('fa_line_of', c_void_p, [c_char_p, c_int])
_line_enter = _declare_short('fa_line_enter', c_void_p, [c_void_p])
_plain = {}  # the functions of C that operations call, by their names there
_naming = {}  # threads whose calls record their lines, and in how many blocks


def _name_line():
    """Names the line of the program in what this thread's next call records."""
    if threading.get_ident() in _naming:
        frame = _frame()
        _line_enter(_line_of(os.path.basename(frame.f_code.co_filename).encode(), frame.f_lineno) if frame else None)


def _after_line(function):
    def named(*arguments):
        _name_line()
        try:
            return function(*arguments)
        finally:
            _line_enter(None)
    return named


def _record_lines(blocks):
    """Whether calls of this thread record the line of the program. It takes time, so that calls do not have it otherwise: the
    functions of C that operations call are exchanged, and others open a scope before they call one."""
    operations = vars(sys.modules[__package__ + '._ops'])
    if not _plain:
        _plain.update((name, f) for name, f in operations.items() if name.startswith('_c_'))
    thread = threading.get_ident()
    _naming[thread] = _naming.get(thread, 0) + blocks
    if not _naming[thread]:
        del _naming[thread]
        _line_enter(None)
    operations.update({name: _after_line(f) for name, f in _plain.items()} if _naming else _plain)
    if _naming:
        _enter.errcheck = lambda scope, *_: _name_line() or scope
    elif hasattr(_enter, 'errcheck'):
        del _enter.errcheck


# ---- results ----

def _result(scope, h):
    if not h:
        _leave(scope)
        _fail()
    t = _new(Tensor)
    t._h = _taken(scope, h)
    if _logged.value:
        _check_warnings()
    return t


def _given(scope, h, tensor):
    """The result of a call that writes into a tensor."""
    _leave(scope)
    if not h:
        _fail()
    if _logged.value:
        _check_warnings()
    return tensor


def _results(scope, list_of):
    if not list_of.count:
        _leave(scope)
        _check()
        return ()
    tensors = tuple(_borrowed(Tensor, list_of.item[i]) for i in range(list_of.count))
    _leave(scope)
    if _logged.value:
        _check_warnings()
    return tensors


def _several(scope, kind, all_of):
    handles = [getattr(all_of, name) for name, _ in all_of._fields_]
    tensors = [h and _borrowed(Tensor, h) for h in handles] if handles[0] else None
    _leave(scope)
    if tensors is None:
        _fail()
    if _logged.value:
        _check_warnings()
    return kind(*tensors)


def _call(function, *arguments):
    """A tensor that a function returns."""
    scope = _enter(b'python')
    try:
        h = function(*arguments)
    except BaseException:
        _leave(scope)
        raise
    return _result(scope, h)


from ._tensor import Tensor, _as_tensor  # noqa: E402
from ._modules import Lambda, Module  # noqa: E402
from ._layers import Layer, Transform  # noqa: E402,F401
from ._training import Loader, Optimizer, Sampler, Scaler, Schedule  # noqa: E402,F401
from ._callbacks import dataset_of  # noqa: E402
