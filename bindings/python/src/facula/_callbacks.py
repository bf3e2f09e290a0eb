"""What the library calls in Python, besides modules: functions with gradients of their own, datasets, hooks. An exception in
one of them becomes an error of the library, behind which it is raised again."""
import itertools
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char_p, c_int, c_int64, c_size_t, c_void_p, cast

from . import _library as _l
from ._library import Dataset, Tensors, _borrowed, _check, _declare, _enter, _fail, _gave, _making, _scope, _tensors
from ._modules import _handed_over, _object_of
from ._settings import no_grad
from ._tensor import Tensor, _as_tensor

_held = {}  # what the library refers to, by number
_numbers = itertools.count(1)


def _hold(thing):
    number = next(_numbers)
    _held[number] = thing
    return number


@CFUNCTYPE(None, c_void_p)
def _released(number):
    _held.pop(number, None)


# ---- gradients of tensors that are no leaves ----

class _GradOptions(Structure):
    _fields_ = [('size', c_size_t), ('grad_outputs', Tensors), ('retain_graph', c_bool), ('create_graph', c_bool),
                ('allow_unused', c_bool), ('fa__end', c_bool)]


_grad_of = _declare('fa_grad_of', Tensors, [Tensors, Tensors, c_void_p])


def grad_of(outputs, inputs, grad_outputs=None, retain_graph=False, create_graph=False, allow_unused=False):
    """The gradients of the sum of outputs with respect to inputs, which need not be leaves: a list. No leaf's gradient
    changes. With allow_unused, that of an input which the outputs do not depend on is None."""
    o = _GradOptions(_GradOptions.fa__end.offset, _tensors(grad_outputs), retain_graph, create_graph, allow_unused)
    with _scope():
        of = _grad_of(_tensors(outputs), _tensors(inputs), byref(o))
        if not of.count:
            _check()
        return [of.item[i] and _borrowed(Tensor, of.item[i]) for i in range(of.count)]


# ---- functions with gradients of their own ----

class _FaFunction(Structure):
    _fields_ = [('name', c_char_p), ('forward', c_void_p), ('backward', c_void_p), ('release', c_void_p),
                ('forward_all', c_void_p), ('backward_all', c_void_p), ('results', c_int), ('saves', c_int),
                ('null_grads', c_bool)]


class Context:
    """What forward() leaves for backward(): save_for_backward(), and attributes of one's own."""
    _saved = None
    _materialize = True

    def save_for_backward(self, *tensors):
        """Keeps tensors for backward(): inputs, results, and up to eight others."""
        self._to_save = tensors

    @property
    def saved_tensors(self):
        """What save_for_backward() kept; in backward() only."""
        if self._saved is None:
            raise _l.Error('saved_tensors are there in backward() only', 'state')
        return self._saved

    def set_materialize_grads(self, on):
        """False: backward() gets None, and not zeros, for a result that has no gradient."""
        self._materialize = on


class Function:
    """A function with a gradient of its own, as in PyTorch:

        class Exp(facula.Function):
            @staticmethod
            def forward(ctx, x):
                y = x.exp()
                ctx.save_for_backward(y)
                return y

            @staticmethod
            def backward(ctx, grad):
                y, = ctx.saved_tensors
                return grad * y

        Exp.apply(x)

    forward() runs without recording; up to eight of its arguments are tensors, and it returns one tensor or a tuple of up to
    four. backward() gets a gradient for each result, and returns one, or None, for each argument."""

    @staticmethod
    def forward(ctx, *inputs):
        """Computes the result."""
        raise NotImplementedError

    @staticmethod
    def backward(ctx, *grads):
        """Computes the gradients of the arguments."""
        raise NotImplementedError

    @classmethod
    def apply(cls, *inputs):
        """Runs forward(), and records it."""
        ctx = Context()
        ctx.needs_input_grad = tuple(isinstance(x, Tensor) and x.requires_grad for x in inputs)
        with no_grad():
            made = cls.forward(ctx, *inputs)
        results = made if isinstance(made, tuple) else (made,)
        record = _Record(cls, ctx, inputs, [_as_tensor(y) for y in results])
        function = _FaFunction(record.name, None, None, cast(_released, c_void_p), cast(_function_forward, c_void_p),
                               cast(_function_backward, c_void_p), len(results), len(record.more), not ctx._materialize)
        scope = _enter(b'python')
        try:
            ys = _apply_all(byref(function), _hold(record), _tensors(record.operands()))
            out = [_borrowed(Tensor, ys.item[i]) for i in range(ys.count)]
        finally:
            record.results = record.more = None
            _l._leave(scope)
        if not out:
            _fail()
        return tuple(out) if isinstance(made, tuple) else out[0]


class _Record:
    """A run of a Function. The graph holds the tensors, so that this holds none afterwards."""

    def __init__(self, cls, ctx, inputs, results):
        self.backward, self.ctx, self.results, self.inputs = cls.backward, ctx, results, inputs
        self.name = _names.setdefault(cls.__qualname__, cls.__qualname__.encode())  # lives as long as the process
        self.places = [i for i, x in enumerate(inputs) if isinstance(x, Tensor)]
        self.shapes = [inputs[i].shape for i in self.places]
        known, self.more = [x._h for x in self.operands()] + [y._h for y in results], []
        self.saved = []  # which of inputs, results and others, in this order
        for t in ctx.__dict__.pop('_to_save', ()):
            if t is None or t._h not in known:
                self.more += [t] if t is not None else []
                known += [t._h] if t is not None else []
            self.saved.append(None if t is None else known.index(t._h))

    def operands(self):
        return [self.inputs[i] for i in self.places]


_names = {}
_apply_all = _declare('fa_apply_all', Tensors, [c_void_p, c_void_p, Tensors])


@CFUNCTYPE(c_bool, c_void_p, Tensors, POINTER(c_void_p))
def _function_forward(number, inputs, out):
    try:
        record = _held[number]
        for i, t in enumerate(record.results + record.more):
            out[i] = _handed_over(t)
        record.inputs = len(record.inputs)
        return True
    except BaseException as e:
        _gave(e)
        return False


@CFUNCTYPE(c_bool, c_void_p, Tensors, Tensors, POINTER(c_void_p))
def _function_backward(number, saved, grads, grad_inputs):
    ctx = None
    try:
        record = _held[number]
        ctx = record.ctx
        ctx._saved = tuple(i if i is None else _borrowed(Tensor, saved.item[i]) for i in record.saved)
        given = record.backward(ctx, *[g and _borrowed(Tensor, g) for g in (grads.item[i] for i in range(grads.count))])
        given = given if isinstance(given, tuple) else (given,)
        if len(given) != record.inputs:
            raise TypeError(f'backward() returned {len(given)} gradients for {record.inputs} arguments of forward()')
        for i, place in enumerate(record.places):
            if given[place] is not None:
                grad = _as_tensor(given[place])
                if grad.shape != record.shapes[i]:
                    raise _l.Error(f'{record.name.decode()}: backward() gave a gradient of shape {grad.shape} for argument {place} of '
                                   f'forward(), whose shape is {record.shapes[i]}', 'shape')
                grad_inputs[i] = _handed_over(grad)
        return True
    except BaseException as e:
        _gave(e)
        return False
    finally:
        if ctx is not None:
            ctx._saved = None


# ---- datasets ----

class _DatasetType(Structure):
    _fields_ = [('name', c_char_p), ('length', c_void_p), ('get', c_void_p), ('batch', c_void_p), ('release', c_void_p)]


@CFUNCTYPE(c_int64, c_void_p)
def _length(number):
    try:
        return len(_held[number])
    except BaseException as e:
        _gave(e)
        return -1


def _part(part, place):
    """A part of a sample as a tensor."""
    try:
        return _as_tensor(part)
    except (TypeError, ValueError) as e:
        raise TypeError(f'a sample is a tensor, an array, a number, a list of numbers, or a tuple of them, but item {place} of it '
                        f'is {_described(part)}: facula.utils.data.DataLoader() makes batches of others') from e


def _described(part):
    """The type of a part of a sample, and of what is in a list."""
    inside = {type(x).__name__ for x in part} if isinstance(part, list) else ()
    return type(part).__name__ + (f' of {" and ".join(sorted(inside))}' if inside else '')


@CFUNCTYPE(c_bool, c_void_p, c_int64, POINTER(c_void_p))
def _get(number, index, sample):
    try:
        item = _held[number][index]
        parts = item if isinstance(item, (tuple, list)) else (item,)
        if not 1 <= len(parts) <= 8:
            raise ValueError(f'a sample has 1 to 8 tensors, not {len(parts)}')
        for i, part in enumerate(parts):
            sample[i] = _handed_over(_part(part, i))
        return True
    except BaseException as e:
        _gave(e)
        return False


_dataset_new = _declare('fa_dataset_new', c_void_p, [c_void_p, c_void_p])
_dataset_type = _DatasetType(b'a dataset of Python', cast(_length, c_void_p), cast(_get, c_void_p), None,
                             cast(_released, c_void_p))


def dataset_of(sequence):
    """A dataset of a sequence of Python: an object with __len__() and __getitem__(), whose items are tensors, arrays or
    numbers, or tuples or lists of an input, a target and up to six others. The library takes such an object where it takes a dataset,
    and holds it as long as it needs it. With workers, other threads call __getitem__()."""
    if not (hasattr(sequence, '__len__') and hasattr(sequence, '__getitem__')):
        raise TypeError(f'a dataset has __len__() and __getitem__(): {type(sequence).__name__}')
    return _making(Dataset, _dataset_new, byref(_dataset_type), _hold(sequence))


# ---- hooks ----

class Hook:
    """A hook of a module or tensor. It is kept until remove()."""

    def __init__(self, owner, kind, function, first=False, always=False):
        add, callback, self._unhook = _HOOKS[kind]
        self._owner, self._held = owner, _hold(function)
        self._number = add(owner._h, cast(callback, c_void_p), self._held)
        if not self._number:
            _held.pop(self._held)
            _fail()
        if first or always:
            self._number = _change(owner._h, self._number, first, always)

    def remove(self):
        """Ends the calls. Nothing happens the second time."""
        if self._number:
            self._unhook(self._owner._h, self._number)
            _held.pop(self._held, None)
            self._number = self._owner = None
            _check()


@CFUNCTYPE(c_void_p, c_void_p, c_void_p)
def _on_grad(grad, number):
    try:
        y = _held[number](_borrowed(Tensor, grad))
        return None if y is None else _handed_over(y)
    except BaseException as e:
        _gave(e)
        return None


@CFUNCTYPE(None, c_void_p, POINTER(c_void_p), c_size_t, c_void_p)
def _before_forward(module, inputs, count, number):
    try:
        y = _held[number](_object_of(module), tuple(_borrowed(Tensor, inputs[i]) for i in range(count)))
        ys = () if y is None else y if isinstance(y, tuple) else (y,)
        if ys and len(ys) != count:
            raise ValueError(f'a hook returned {len(ys)} inputs for {count}')
        for i, t in enumerate(ys):
            inputs[i] = _handed_over(t)
    except BaseException as e:
        _gave(e)


@CFUNCTYPE(c_void_p, c_void_p, Tensors, c_void_p, c_void_p)
def _after_forward(module, inputs, output, number):
    try:
        given = tuple(_borrowed(Tensor, inputs.item[i]) for i in range(inputs.count))
        y = _held[number](_object_of(module), given, output and _borrowed(Tensor, output))
        return None if y is None else _handed_over(y)
    except BaseException as e:
        _gave(e)
        return None


def _one_of(y, place):
    """The gradient at a place of what a hook returned; NULL if there is none."""
    if isinstance(y, tuple):
        if len(y) != place + 1:
            raise ValueError(f'a hook returned {len(y)} gradients for {place + 1}')
        y = y[place]
    return None if y is None else _handed_over(y)


@CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_void_p)
def _before_backward(module, grad, number):
    try:
        return _one_of(_held[number](_object_of(module), (_borrowed(Tensor, grad),)), 0)
    except BaseException as e:
        _gave(e)
        return None


@CFUNCTYPE(c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p)
def _after_backward(module, place, grad_input, grad, number):
    try:
        given = (None,) * place + (grad_input and _borrowed(Tensor, grad_input),)
        return _one_of(_held[number](_object_of(module), given, (_borrowed(Tensor, grad),)), place)
    except BaseException as e:
        _gave(e)
        return None


def _adder(name):
    return _declare(name, c_int64, [c_void_p, c_void_p, c_void_p])


_change = _declare('fa__module_hook_change', c_int64, [c_void_p, c_int64, c_bool, c_bool])
_module_unhook = _declare('fa_module_unhook', c_bool, [c_void_p, c_int64])
_HOOKS = {'grad': (_adder('fa_hook_grad'), _on_grad, _declare('fa_unhook', c_bool, [c_void_p, c_int64])),
          'forward': (_adder('fa_module_hook_forward'), _after_forward, _module_unhook),
          'forward_pre': (_adder('fa_module_hook_forward_pre'), _before_forward, _module_unhook),
          'backward': (_adder('fa_module_hook_backward'), _after_backward, _module_unhook),
          'backward_pre': (_adder('fa_module_hook_backward_pre'), _before_backward, _module_unhook)}


def _register_hook(self, hook):
    """Calls hook(grad) in backward() when the gradient of this tensor has been computed; a tensor that it returns replaces
    the gradient. remove() of the result ends it; until then the hook is kept."""
    return Hook(self, 'grad', hook)


Tensor.register_hook = _register_hook
