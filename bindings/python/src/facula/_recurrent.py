"""Recurrent layers and cells of the library, which take and give states as PyTorch's do."""
from ctypes import Structure, byref, c_char, c_size_t, c_void_p

from ._layers import Layer
from ._library import _as_tensor, _declare, _enter, _leave, _several


class _Options(Structure):
    _fields_ = [('size', c_size_t), ('h_0', c_void_p), ('c_0', c_void_p), ('fa__end', c_char)]


class _Results(Structure):
    _fields_ = [('output', c_void_p), ('h_n', c_void_p), ('c_n', c_void_p)]


_forward = _declare('fa_forward_recurrent', _Results, [c_void_p, c_void_p, c_void_p])


class Recurrent(Layer):
    """A recurrent layer or cell: the base of their classes."""
    __slots__ = ()
    _cells, _one_step = False, False  # whether its state is a pair, of states and cells; whether it does one step

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.__dict__['bias'] = 'bias' not in self.__dict__  # which is None where there is none

    def __call__(self, x, state=None):
        """Runs it. A layer gives the output of each step and the last state, a cell its state. `state` is the first one,
        zeros if it is not given; an LSTM's is a pair."""
        pair = state if self._cells and state is not None else (state, None)
        x, h, c = (t if t is None else _as_tensor(t) for t in (x, *pair))
        options = None
        if h is not None:
            options = byref(_Options(_Options.fa__end.offset, h._h, None if c is None else c._h))
        scope = _enter(b'python')
        try:
            y = _forward(self._h, x._h, options)
        except BaseException:
            _leave(scope)
            raise
        output, h, c = _several(scope, lambda *results: results, y)
        state = (h, c) if self._cells else h
        return state if self._one_step else (output, state)


Recurrent.forward = Recurrent.__call__  # a class of the program's that has one is refused

# names in the library, and in PyTorch
SPELLED = {'lstm': 'LSTM', 'gru': 'GRU', 'rnn': 'RNN', 'lstm_cell': 'LSTMCell', 'gru_cell': 'GRUCell', 'rnn_cell': 'RNNCell'}
