"""The class Tensor: creation from Python and NumPy, attributes, indexing, gradients, and the protocols of NumPy and
DLPack. __init__.py adds the operations as methods and operators."""
import array
import ctypes
import sys
import warnings
import weakref
from ctypes import POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p

from . import _library as _l
from ._library import (Arg, Device, Handle, Place, Shape, _bits, _call, _check, _declare, _declare_short, _dtype_number,
                       _fail, _release_tensor)


class _FromOptions(Structure):
    _fields_ = [('size', c_size_t), ('dtype', c_int), ('device', Device), ('requires_grad', c_bool), ('pointed', c_int),
                ('room', c_size_t), ('fa__end', c_char)]


class _ToOptions(Structure):
    _fields_ = [('size', c_size_t), ('copy', c_bool), ('non_blocking', c_bool), ('fa__end', c_char)]


class _BackwardOptions(Structure):
    _fields_ = [('size', c_size_t), ('grad', c_void_p), ('retain_graph', c_bool), ('create_graph', c_bool),
                ('fa__end', c_char)]


class _IndexPart(Structure):
    _fields_ = [('text', c_char_p), ('tensor', c_void_p), ('number', c_int64), ('is_tensor', c_bool)]


class _IndexParts(Structure):
    _fields_ = [('count', c_size_t), ('item', POINTER(_IndexPart))]


_from = _declare('fa_tensor_from', c_void_p, [c_void_p, Shape, c_void_p])
_to = _declare('fa_to', c_void_p, [c_void_p, Place, c_void_p])
_tensor_shape = _declare_short('fa_tensor_shape', Shape, [c_void_p])
_tensor_dtype = _declare_short('fa_tensor_dtype', c_int, [c_void_p])
_tensor_device = _declare_short('fa_tensor_device', Device, [c_void_p])
_stride = _declare_short('fa_stride', c_int64, [c_void_p, c_int64])
_numel = _declare_short('fa_numel', c_int64, [c_void_p])
_item = _declare('fa_item', c_double, [c_void_p])
_item_int = _declare('fa_item_int', c_int64, [c_void_p])
_read = _declare('fa_read', c_bool, [c_void_p, c_void_p, c_int, c_int64])
_ptr = _declare('fa_ptr', c_void_p, [c_void_p, c_int])
_ptr_end = _declare('fa_ptr_end', c_bool, [c_void_p])
_fa_text = _declare('fa_text', c_void_p, [c_void_p])
_free_text = _declare('fa_free_text', None, [c_void_p])
_get = _declare('fa_get', c_void_p, [c_void_p, c_char_p])
_get_at = _declare('fa__get_at', c_void_p, [c_void_p, c_int64])
_set = _declare('fa_set', c_void_p, [c_void_p, c_char_p, Arg])
_index = _declare('fa_index', c_void_p, [c_void_p, _IndexParts])
_index_put = _declare('fa_index_put_', c_void_p, [c_void_p, _IndexParts, Arg, c_void_p])
_requires_grad = _declare_short('fa_requires_grad', c_bool, [c_void_p])
_set_requires_grad = _declare('fa_set_requires_grad', c_bool, [c_void_p, c_bool])
_is_leaf = _declare_short('fa_is_leaf', c_bool, [c_void_p])
_grad = _declare('fa_grad', c_void_p, [c_void_p])
_set_grad = _declare('fa_set_grad', c_bool, [c_void_p, c_void_p])
_grad_fn = _declare_short('fa__grad_fn', c_char_p, [c_void_p])
_retain_grad = _declare('fa_retain_grad', c_bool, [c_void_p])
_backward = _declare('fa_backward', c_bool, [c_void_p, c_void_p])
_detach = _declare('fa_detach', c_void_p, [c_void_p])
_version = _declare_short('fa_tensor_version', c_int64, [c_void_p])
_to_dlpack = _declare('fa_to_dlpack', c_void_p, [c_void_p])
_to_dlpack_old = _declare('fa_to_dlpack_unversioned', c_void_p, [c_void_p])
_from_dlpack = _declare('fa_from_dlpack', c_void_p, [c_void_p])
_from_dlpack_old = _declare('fa_from_dlpack_unversioned', c_void_p, [c_void_p])
_CPU = _l._device('cpu')
_NO_DATA = ctypes.c_double()  # an address for tensors without elements


class Tensor(Handle):
    """A tensor; facula.tensor(), facula.zeros() and others make them. Operations are functions of the module, and methods:
    facula.sum(x, dim=1) and x.sum(dim=1)."""
    __slots__ = ()
    __array_priority__ = 1000

    def __del__(self, release=_release_tensor):
        try:
            release(self._h)
        except AttributeError:  # its making failed
            pass

    def __init__(self, *_, **__):
        raise TypeError('facula.Tensor is the class: facula.tensor(data) makes a tensor of data, facula.empty(sizes) one of sizes')

    @property
    def shape(self):
        """The sizes of the dimensions, a tuple."""
        s = _tensor_shape(self._h)
        return tuple(s.dim[:s.rank])

    @property
    def ndim(self):
        """The number of dimensions."""
        return _tensor_shape(self._h).rank

    @property
    def dtype(self):
        """The type of the elements."""
        return _l.DTYPES[_tensor_dtype(self._h)]

    @property
    def device(self):
        """The name of the device: "cpu", "cuda:0"."""
        return str.__new__(_l.device, _l._device_name(_tensor_device(self._h)).decode())

    def numel(self):
        """The number of elements."""
        return _numel(self._h)

    def dim(self):
        """The number of dimensions."""
        return self.ndim

    def is_contiguous(self):
        """Whether the elements lie in memory one after the other, the last dimension's first."""
        size = 1
        for n, stride in zip(self.shape[::-1], self.stride()[::-1]):
            if n != 1 and stride != size and self.numel():
                return False
            size *= n
        return True

    def size(self, dim=None):
        """The shape, or the size of a dimension."""
        return self.shape if dim is None else self.shape[dim]

    def stride(self, dim=None):
        """The strides of the dimensions, in elements, or that of one."""
        strides = tuple(_stride(self._h, i) for i in range(self.ndim))
        return strides if dim is None else strides[dim]

    def item(self):
        """The only element, as a number of Python. Waits for it."""
        d = self.dtype
        value = _item(self._h) if d.is_floating else _item_int(self._h)
        _check()
        return bool(value) if d.name == 'bool' else value

    def tolist(self):
        """The elements, as nested lists of numbers. Waits for them."""
        d, n = self.dtype, self.numel()
        kind, number = ('d', 'f64') if d.is_floating else ('q', 'i64')
        values = array.array(kind, bytes(8 * n))
        if not _read(self._h, values.buffer_info()[0], _dtype_number(number), n):
            _fail()
        values = [bool(v) for v in values] if d.name == 'bool' else list(values)
        return _nested(iter(values), self.shape)

    def __repr__(self):
        text = _fa_text(self._h)
        if not text:
            _fail()
        try:
            return ctypes.string_at(text).decode().replace('requires_grad=true', 'requires_grad=True')
        finally:
            _free_text(text)

    def __len__(self):
        if not self.ndim:
            raise TypeError('a tensor without dimensions has no length')
        return self.shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __bool__(self):
        if _numel(self._h) != 1:
            raise _l.Error(f'several elements are neither true nor false: x.any(), x.all() or facula.equal(x, y) of {self.shape}; '
                           'any(x is y for y in tensors) finds a tensor in a list', 'shape')
        return bool(self.item())

    def __float__(self):
        return float(self.item())

    def __int__(self):
        return int(self.item())

    def __format__(self, spec):
        return format(self.item(), spec) if spec and self.numel() == 1 else format(str(self), spec)

    def __index__(self):
        if self.dtype.is_floating:
            raise TypeError('only integer tensors of one element are an index')
        return int(self.item())

    __hash__ = object.__hash__

    # ---- devices and dtypes ----

    def to(self, *where, device=None, dtype=None, non_blocking=True, copy=False):
        """A copy on a device ("cuda:0"), in a dtype (facula.f16), or both; the tensor itself if it is there already."""
        o = byref(_ToOptions(_ToOptions.fa__end.offset, copy, True)) if copy else None
        t = _call(_to, self._h, _l._place(where, device, dtype), o)
        return self if t._h == self._h else t

    def cpu(self):
        """A copy on the CPU; the tensor itself if it is there."""
        return self.to(_CPU)

    def cuda(self):
        """A copy on the current CUDA device."""
        return self.to('cuda')

    def pin_memory(self):
        """The tensor itself: copies to a device need no pinned memory."""
        return self

    def float(self):
        """The tensor in f32."""
        return self.to('f32')

    def double(self):
        """The tensor in f64."""
        return self.to('f64')

    def half(self):
        """The tensor in f16."""
        return self.to('f16')

    def bfloat16(self):
        """The tensor in bf16."""
        return self.to('bf16')

    def long(self):
        """The tensor in i64."""
        return self.to('i64')

    def int(self):
        """The tensor in i32."""
        return self.to('i32')

    def bool(self):
        """The tensor in bool."""
        return self.to('bool')

    def byte(self):
        """The tensor in u8."""
        return self.to('u8')

    def type(self, dtype):
        """The tensor in a dtype."""
        return self.to(_l._dtype(dtype))

    def type_as(self, other):
        """The tensor in the dtype of another one."""
        return self.to(other.dtype)

    @property
    def is_cuda(self):
        """Whether it is on a CUDA device."""
        return self.device.type == 'cuda'

    def is_floating_point(self):
        """Whether its elements are floating-point numbers."""
        return self.dtype.is_floating

    def element_size(self):
        """The size of an element in bytes."""
        return self.dtype.size

    @property
    def itemsize(self):
        """The size of an element in bytes."""
        return self.dtype.size

    @property
    def nbytes(self):
        """The size of all elements in bytes."""
        return self.numel() * self.dtype.size

    # ---- copies ----

    def __copy__(self):
        return _l._borrowed(Tensor, self._h)

    def __deepcopy__(self, memo):
        if not self.is_leaf:
            raise _l.Error('a tensor that depends on others cannot be copied by copy: x.detach(), x.clone()', 'gradient')
        if ('tensor', self._h) not in memo:
            kind = Parameter if isinstance(self, Parameter) else tensor
            memo['tensor', self._h] = kind(self, requires_grad=self.requires_grad)
        return memo['tensor', self._h]

    @property
    def data(self):
        """The tensor without its graph; it shares the memory. An assignment copies elements into it."""
        return _call(_detach, self._h)

    @data.setter
    def data(self, value):
        self.data[...] = value

    def fill_(self, value):
        """Sets all elements to a number."""
        self[...] = value
        return self

    def zero_(self):
        """Sets all elements to zero."""
        return self.fill_(0)

    # ---- indexing ----

    def __getitem__(self, key):
        if key.__class__ is int:
            return _call(_get_at, self._h, key)
        text = _text_of(key)
        if text is not None:
            return _call(_get, self._h, text)
        parts = _parts_of(key)
        return _call(_index, self._h, parts)

    def __setitem__(self, key, value):
        text = _text_of(key)
        bits, kind, kept = (value._h, 0, value) if value.__class__ is Tensor else _bits(value)  # kept: during the call
        with _l._scope():
            good = (_set(self._h, text, bits, kind) if text is not None else
                    _index_put(self._h, _parts_of(key), bits, kind, None))
        if not good:
            _fail()

    # ---- gradients ----

    @property
    def requires_grad(self):
        """Whether gradients flow to it. May be set."""
        return _requires_grad(self._h)

    @requires_grad.setter
    def requires_grad(self, value):
        if not _set_requires_grad(self._h, value):
            _fail()

    def requires_grad_(self, requires_grad=True):
        """Sets requires_grad; returns the tensor."""
        self.requires_grad = requires_grad
        return self

    @property
    def is_leaf(self):
        """Whether it is not the result of a recorded operation."""
        return _is_leaf(self._h)

    @property
    def grad_fn(self):
        """The operation that recorded it, with its name(); None of leaves."""
        name = _grad_fn(self._h)
        return GradFn(name.decode()) if name else None

    def retain_grad(self):
        """Lets backward() keep the gradient of the result of a recorded operation in .grad."""
        if not _retain_grad(self._h):
            _fail()

    @property
    def grad(self):
        """The gradient of a leaf that backward() has accumulated; None before. May be set, also to None."""
        with _l._scope():
            g = _grad(self._h)
            return _object(Tensor, g) if g else None

    @grad.setter
    def grad(self, value):
        if not _set_grad(self._h, _l._h(value)):
            _fail()
        if value is not None:
            _known(value)

    def backward(self, gradient=None, retain_graph=False, create_graph=False):
        """Computes the gradients of all leaves it depends on; `gradient` is needed unless it has one element."""
        o = None
        if gradient is not None or retain_graph or create_graph:
            o = byref(_BackwardOptions(_BackwardOptions.fa__end.offset, _l._h(gradient), retain_graph, create_graph))
        with _l._scope():
            good = _backward(self._h, o)
        if not good:
            _fail()

    # ---- NumPy and DLPack ----

    def _pointer(self):
        p = _ptr(self._h, _tensor_dtype(self._h))
        _check()
        return p

    @property
    def __array_interface__(self):
        """NumPy shares the memory of a tensor on the CPU that requires no gradient."""
        if self.device != 'cpu' or self.requires_grad or self.dtype.typestr is None:
            raise AttributeError('__array_interface__')
        size = self.dtype.size
        return {'version': 3, 'shape': self.shape, 'typestr': self.dtype.typestr,
                'data': (self._pointer() or ctypes.addressof(_NO_DATA), False),
                'strides': tuple(s * size for s in self.stride())}

    def __array__(self, dtype=None, copy=None):
        """A copy for NumPy where memory cannot be shared: of other devices, and of dtypes that NumPy lacks, as f32."""
        import numpy
        t = _call(_detach, self._h).to(_CPU)
        shared = t.dtype.typestr is not None
        if copy is False and (self.device != 'cpu' or not shared):
            raise ValueError(f'a tensor of {self.dtype.name} on {self.device} has to be copied')
        a = numpy.asarray(_Memory(t if shared else t.to('f32')))
        if dtype is not None and a.dtype != dtype:
            return a.astype(dtype)
        return a.copy() if copy else a

    def new_tensor(self, data, dtype=None, device=None, requires_grad=False):
        """A tensor of data with this one's dtype and device, if no others are given."""
        return tensor(data, dtype or self.dtype, device or self.device, requires_grad)

    def data_ptr(self):
        """The address of the elements of a tensor on the CPU."""
        address = self._pointer()
        _ptr_end(self._h)
        return address or 0

    def numpy(self, force=False):
        """An array of NumPy that shares the memory. The tensor is on the CPU, and requires no gradient; force: of one that is
        not so, an array of a copy."""
        import numpy
        if force:
            return numpy.asarray(self)
        if self.requires_grad:
            raise _l.Error('the tensor requires a gradient: x.detach().numpy()', 'gradient')
        if self.device != 'cpu' or self.dtype.typestr is None:
            raise _l.Error(f'NumPy cannot share a tensor of {self.dtype.name} on {self.device}: x.cpu(), x.to("f32")', 'device')
        return numpy.asarray(_Memory(self))

    def __dlpack_device__(self):
        kinds = {'cpu': 1, 'cuda': 2}
        kind, _, index = self.device.partition(':')
        if kind not in kinds:
            raise BufferError(f'other libraries cannot use the memory of {self.device}')
        return kinds[kind], int(index or 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        versioned = max_version is not None and max_version[0] >= 1
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError('the tensor is on another device')
        t = _call(_l.lib.fa_clone, self._h, None) if copy else self
        if min(t.stride(), default=0) < 0:
            raise BufferError('other libraries have no negative steps, as of x[::-1]: x.clone() is without')
        p = (_to_dlpack if versioned else _to_dlpack_old)(t._h)
        if not p:
            _fail()
        return _capsule_new(p, _NAMES[versioned], _drop_capsule)


def _become(x, view):
    """Makes a tensor's object that of a view of it."""
    if x._h in _objects or x.requires_grad and x.is_leaf:
        raise _l.Error('parameters, buffers and leaves that require a gradient keep their shape: y = x.unsqueeze(0)', 'argument')
    x._h, view._h = view._h, x._h
    return x


class GradFn:
    """The operation that recorded a tensor."""

    def __init__(self, name):
        self._name = name

    def name(self):
        """The name of the operation."""
        return self._name

    def __repr__(self):
        return f'<{self._name}>'


class _Memory:
    """The memory of a tensor, which may move again when the arrays over it have ended."""

    def __init__(self, tensor):
        self.__array_interface__ = tensor.__array_interface__
        self.tensor = tensor

    def __del__(self, end=_ptr_end):
        if hasattr(self, 'tensor'):
            end(self.tensor._h)


class Parameter(Tensor):
    """A copy of a tensor that requires a gradient, which becomes a parameter when it becomes an attribute of a module. The
    parameters of layers are of this class, too."""
    __slots__ = ('__dict__',)

    def __init__(self, data, requires_grad=True):
        t = tensor(data, requires_grad=requires_grad)
        self._h, t._h = t._h, None


# ---- one object for each tensor ----

class _Reference(weakref.ref):
    """A weak reference to the object of a tensor. It holds the tensor, too, so that no other one has its address before."""
    __slots__ = ('tensor',)


_objects = {}  # references to the objects of parameters, buffers and gradients, by their handles


def _ended(reference, objects=_objects, release=_release_tensor):
    if objects.get(reference.tensor) is reference:
        del objects[reference.tensor]
    release(reference.tensor)


def _known(x):
    """Makes a tensor's object the one that it has; returns that: an earlier one, if there is one."""
    reference = _objects.get(x._h)
    known = None if reference is None else reference()
    if known is not None:
        return known
    reference = _Reference(x, _ended)
    reference.tensor = _l._keep(x._h)
    _objects[x._h] = reference
    return x


def _object(kind, h):
    """The object of a tensor that another object owns: one, as long as something refers to it."""
    reference = _objects.get(h)
    known = None if reference is None else reference()
    return _known(_l._borrowed(kind, h)) if known is None else known


_l.lib.fa_clone.restype, _l.lib.fa_clone.argtypes = c_void_p, [c_void_p, c_void_p]


def _nested(values, shape):
    return [_nested(values, shape[1:]) for _ in range(shape[0])] if shape else next(values)


# ---- capsules ----

_python = ctypes.pythonapi
_capsule_new = ctypes.PYFUNCTYPE(ctypes.py_object, c_void_p, c_char_p, c_void_p)(('PyCapsule_New', _python))
_capsule_valid = ctypes.PYFUNCTYPE(c_int, c_void_p, c_char_p)(('PyCapsule_IsValid', _python))
_capsule_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(('PyCapsule_GetPointer', _python))
_capsule_rename = ctypes.PYFUNCTYPE(c_int, c_void_p, c_char_p)(('PyCapsule_SetName', _python))
_NAMES = {False: b'dltensor', True: b'dltensor_versioned'}
_USED = {False: b'used_dltensor', True: b'used_dltensor_versioned'}
_drop_capsule = ctypes.cast(_l.lib.fa__capsule_end, c_void_p)  # a capsule that was not consumed owns its struct
_l.lib.fa__capsule_calls(ctypes.cast(_python.PyCapsule_IsValid, c_void_p), ctypes.cast(_python.PyCapsule_GetPointer, c_void_p))


def _capsule_of(x):
    try:
        return x.__dlpack__(max_version=(1, 0))
    except TypeError:
        return x.__dlpack__()


def from_dlpack(x):
    """A tensor over the memory of another library's, without a copy: anything that has __dlpack__(), or a capsule that one
    has given, which can be taken once."""
    capsule = x if type(x).__name__ == 'PyCapsule' else _capsule_of(x)
    versioned = bool(_capsule_valid(id(capsule), _NAMES[True]))
    if any(_capsule_valid(id(capsule), name) for name in _USED.values()):
        raise ValueError('this capsule has been taken already: another __dlpack__() gives another one')
    p = _capsule_pointer(id(capsule), _NAMES[versioned])
    t = _call(_from_dlpack if versioned else _from_dlpack_old, p)
    _capsule_rename(id(capsule), _USED[versioned])
    return t


# ---- from Python ----

def _is_numpy(x):
    numpy = sys.modules.get('numpy')
    return numpy is not None and isinstance(x, (numpy.ndarray, numpy.generic))


def from_numpy(a):
    """A tensor that shares the memory of an array of NumPy. Of one that is read-only it is a copy, with a warning, and of one of
    bools where NumPy is older than 1.25. Dtypes that the library lacks, and another byte order than the machine's, are an
    error."""
    if not a.dtype.isnative:
        raise TypeError(f'the byte order of {a.dtype.str} is not this machine\'s: facula.tensor(a) copies')
    if not a.flags.writeable:
        warnings.warn('the array is read-only: the tensor has a copy, as facula.tensor(a) makes', stacklevel=2)
    return _over(a)


def _over(a):
    """A tensor over the memory of an array; a copy where that is not possible."""
    if a.flags.writeable and a.dtype.isnative and a.dtype.kind in 'uifb':
        try:
            return from_dlpack(a)
        except (BufferError, AttributeError):
            pass
    return tensor(a)


def _copied_numpy(a, dtype, device, requires_grad):
    import numpy
    kept = _l._BY_NAME.get(a.dtype.name)
    if kept is None:
        raise TypeError(f'there is no dtype for {a.dtype}')
    a = numpy.ascontiguousarray(a, a.dtype.newbyteorder('=')).reshape(a.shape)
    return _of_memory(a.ctypes.data, a.shape, kept.number, dtype, device, requires_grad)


def _of_memory(address, shape, number, dtype, device, requires_grad):
    other = dtype is not None and _dtype_number(dtype) != number
    o = _FromOptions(_FromOptions.fa__end.offset, number, _l._device(device), requires_grad and not other, 0)
    t = _call(_from, address, _l._shape(shape), byref(o))
    return t.to(dtype).requires_grad_(requires_grad) if other else t


def _flat(data, depth, shape, values):
    """Appends the numbers of nested lists; checks that they are regular."""
    if isinstance(data, (list, tuple, range)):
        if depth == len(shape) and not values:
            shape.append(len(data))
        if depth >= len(shape) or shape[depth] != len(data):
            raise ValueError('nested lists are not of equal length')
        for x in data:
            _flat(x, depth + 1, shape, values)
        return
    if depth != len(shape):
        raise ValueError('nested lists are not of equal depth')
    values.append(data.item() if isinstance(data, Tensor) or _is_numpy(data) else data)


def tensor(data, dtype=None, device=None, requires_grad=False):
    """A tensor of data: nested lists, numbers, or what NumPy can read; its elements are copied. Floating-point numbers of
    Python are f32, integers i64, and truth values bool, if no dtype is given; arrays of NumPy keep theirs."""
    if isinstance(data, Tensor):
        t = data.to(_l._device(device), copy=True) if device is not None else data.to(data.dtype, copy=True)
        t = _call(_detach, t._h)
        return (t if dtype is None else t.to(dtype)).requires_grad_(requires_grad) if requires_grad or dtype else t
    if _is_numpy(data) or hasattr(data, '__array_interface__'):
        import numpy
        return _copied_numpy(numpy.asarray(data), dtype, device, requires_grad)
    if hasattr(data, '__dlpack__'):
        return tensor(from_dlpack(data), dtype, device, requires_grad)
    first = data
    while isinstance(first, (list, tuple, range)) and first:
        first = first[0]
    if _is_numpy(first) and first.ndim:
        import numpy
        return _copied_numpy(numpy.asarray(data), dtype, device, requires_grad)
    shape, values = [], []
    _flat(data, 0, shape, values)
    for v in values:
        if not isinstance(v, (bool, int, float)):
            raise TypeError(f'a tensor is made of numbers, not {type(v).__name__}')
    _check_range(values, dtype)
    floats = not values or any(isinstance(v, float) for v in values)
    if floats:
        memory = array.array('f', values)
        number = _dtype_number('f32')
        if dtype is not None and _dtype_number(dtype) == _dtype_number('f64'):
            memory, number = array.array('d', values), _dtype_number('f64')
    else:
        memory, number = array.array('q', values), _dtype_number('i64')
        if all(isinstance(v, bool) for v in values) and dtype is None:
            dtype = 'bool'
    return _of_memory(memory.buffer_info()[0], shape, number, dtype, device, requires_grad)


def _check_range(values, dtype):
    """Refuses numbers that an integer dtype does not have."""
    d = None if dtype is None else _l._dtype(dtype)
    if d is None or d.is_floating or d.name == 'bool' or d.size > 4:
        return
    for v in values:
        if not d.lowest <= v <= d.largest:
            raise _l.Error(f'{v} is no {d.name}, which goes from {d.lowest:.0f} to {d.largest:.0f}', 'dtype')


def _as_tensor(x):
    """A tensor as it is; others without a copy where that is possible."""
    if isinstance(x, Tensor):
        return x
    if _is_numpy(x) and x.ndim:
        return _over(x)
    return from_dlpack(x) if hasattr(x, '__dlpack__') and not _is_numpy(x) else tensor(x)


# ---- indices ----

def _number_text(i):
    if i is not None and not hasattr(i, '__index__'):
        raise TypeError(f'a slice has integers or None, not {i!r}')
    return '' if i is None else str(i.__index__())


def _entry_text(e):
    """NumPy's notation of an entry; None for tensors, arrays and lists."""
    if isinstance(e, slice):
        step = f':{_number_text(e.step)}' if e.step is not None else ''
        return f'{_number_text(e.start)}:{_number_text(e.stop)}{step}'
    if e is Ellipsis:
        return '...'
    if e is None:
        return 'None'
    if isinstance(e, int) and not isinstance(e, bool):
        return str(e)
    return None


def _text_of(key):
    if isinstance(key, str):
        return key.encode()
    entries = [_entry_text(e) for e in (key if isinstance(key, tuple) else (key,))]
    return None if None in entries else (', '.join(entries) or '...').encode()


def _index_of(e):
    """The tensor of an entry: u8 is a mask, as bool, and an empty list has no indices."""
    t = _as_tensor(e)
    if isinstance(e, list) and not t.numel():
        return t.to('i64')
    if t.dtype.is_floating:
        what = f'a tensor of {t.dtype.name}' if isinstance(e, Tensor) else repr(e) if isinstance(e, float) else f'{type(e).__name__} of {t.dtype.name}'
        raise _l.OutOfRange(f'an index is an integer, a slice, None, ..., or a tensor or list of integers or bools, not {what}', 'dtype')
    return t.to('bool') if t.dtype.name == 'u8' else t


def _parts_of(key):
    kept, parts = [], []
    for e in key if isinstance(key, tuple) else (key,):
        text = _entry_text(e)
        if text is not None:
            parts.append(_IndexPart(text.encode(), None, 0, False))
        else:
            kept.append(_index_of(e))
            parts.append(_IndexPart(None, kept[-1]._h, 0, True))
    items = (_IndexPart * len(parts))(*parts)
    array_of = _IndexParts(len(parts), ctypes.cast(items, POINTER(_IndexPart)))
    array_of.kept = kept, items
    return array_of
