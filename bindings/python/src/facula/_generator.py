"""Random number generators beside the default one: Generator, and generator= of functions that draw."""
import functools
import threading
from contextlib import nullcontext
from ctypes import Structure, c_bool, c_uint64, c_void_p

from ._library import Handle, _declare, _fail, _keep, _release, _scope


class _State(Structure):
    _fields_ = [('seed', c_uint64), ('call', c_uint64)]


_new = _declare('fa_generator_new', c_void_p, [c_uint64])
_get = _declare('fa_generator_get', _State, [c_void_p])
_set = _declare('fa_generator_set', c_bool, [c_void_p, _State])
_use = _declare('fa_generator_use', None, [c_void_p])
_used = _declare('fa__generator_used', c_void_p, [])


class Generator(Handle):
    """A random number generator, as in PyTorch: facula.rand(2, 3, generator=facula.Generator().manual_seed(1)). Its numbers are
    the same on every device. In a block, `with generator:`, all random numbers of this thread are drawn from it."""
    __slots__ = ('_outer',)

    def __init__(self, device=None):
        self._h, self._outer = None, {}  # what each thread drew from before
        with _scope():
            self._h = _keep(_new(0))
        if not self._h:
            _fail()

    def manual_seed(self, seed):
        """Begins anew with a seed; returns the generator."""
        self.set_state((seed, 0))
        return self

    def initial_seed(self):
        """The seed."""
        return self.get_state()[0]

    def get_state(self):
        """The seed, and the number of calls that have drawn since: a tuple, for set_state()."""
        state = _get(self._h)
        return state.seed, state.call

    def set_state(self, state):
        """Goes back to what get_state() gave."""
        if not _set(self._h, _State(*state)):
            _fail()

    def __enter__(self):
        self._outer.setdefault(threading.get_ident(), []).append(_keep(_used()))
        _use(self._h)
        return self

    def __exit__(self, *_):
        thread = threading.get_ident()
        outer = self._outer[thread].pop()
        if not self._outer[thread]:
            del self._outer[thread]
        _use(outer)
        if outer:
            _release(outer)


def from_generator(generator):
    """A block that draws from a generator; None: from that of the thread."""
    if generator is None:
        return nullcontext()
    if not isinstance(generator, Generator):
        raise TypeError(f'a generator is a facula.Generator, not {type(generator).__name__}')
    return generator


def drawing(function):
    """A function that draws random numbers, with the option generator."""
    @functools.wraps(function)
    def drawn(*arguments, generator=None, **options):
        with from_generator(generator):
            return function(*arguments, **options)
    drawn.__doc__ = f'{function.__doc__}\n    generator: a Generator to draw from; None: the default one\n    '
    return drawn
