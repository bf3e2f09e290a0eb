"""Recurrent layers and cells of the library, which take and give states as PyTorch's do."""
from ctypes import Structure, byref, c_char, c_size_t, c_void_p

from . import _ops
from ._layers import Layer
from ._library import _as_tensor, _declare, _enter, _leave, _several
from ._packed import PackedSequence, run_packed
from ._tensor import Tensor


class _Options(Structure):
    _fields_ = [('size', c_size_t), ('h_0', c_void_p), ('c_0', c_void_p), ('fa__end', c_char)]


class _Results(Structure):
    _fields_ = [('output', c_void_p), ('h_n', c_void_p), ('c_n', c_void_p)]


_forward = _declare('fa_forward_recurrent', _Results, [c_void_p, c_void_p, c_void_p])


class Recurrent(Layer):
    """A recurrent layer or cell: the base of their classes."""
    __slots__ = ()
    _cells, _one_step = False, False  # whether its state is a pair, of states and cells; whether it does one step
    _kind_name = ''

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.__dict__['bias'] = 'bias' not in self.__dict__  # which is None where there is none

    def __call__(self, x, state=None):
        """Runs it. A layer gives the output of each step and the last state, a cell its state. `state` is the first one,
        zeros if it is not given; an LSTM's is a pair. The output of packed sequences (nn.utils.rnn) is packed, too."""
        if isinstance(x, PackedSequence):
            return self._run_packed(x, state)
        if self._cells and state is not None and (isinstance(state, Tensor) or len(state) != 2):
            raise TypeError(f'the state of {type(self).__name__} is a pair: (x, (h_0, c_0))')
        if not self._cells and isinstance(state, tuple):
            raise TypeError(f'the state of {type(self).__name__} is one tensor: (x, h_0)')
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

    def flatten_parameters(self):
        """Nothing: the library needs no single piece of memory."""

    def _run_packed(self, packed, state):
        if self._one_step:
            raise TypeError(f'{type(self).__name__} takes tensors, not packed sequences')
        directions, rows = 2 if self.bidirectional else 1, int(packed.batch_sizes[0])
        if state is None:
            widths = [getattr(self, 'proj_size', 0) or self.hidden_size] + [self.hidden_size] * self._cells
            state = [_ops.new_zeros(packed.data, (self.num_layers * directions, rows, w)) for w in widths]
        else:
            state = [_as_tensor(s) for s in (state if self._cells else (state,))]
        for s in state:
            if s.shape[:2] != (self.num_layers * directions, rows):
                raise ValueError(f'a first state of {rows} sequences is ({self.num_layers * directions}, {rows}, ...), '
                                 f'not {s.shape}')
        named = dict(self.named_parameters())
        layers = [[[named[n] for n in (f'{kind}_l{layer}{way}' for kind in _PARAMETERS) if n in named]
                   for way in ('', '_reverse')[:directions]] for layer in range(self.num_layers)]
        output, last = run_packed(packed, self._one, layers, state, self.num_layers, self.dropout if self.training else 0)
        return output, tuple(last) if self._cells else last[0]

    def _one(self, x, parameters, states):
        """A layer in one direction: the output, and the last states."""
        first = [_ops.unsqueeze(s, 0) for s in states]
        if self._cells:
            y = _ops.lstm(x, parameters, h_0=first[0], c_0=first[1])
        else:
            f = _ops.gru if self._kind_name == 'gru' else getattr(_ops, f'rnn_{self.nonlinearity}')
            y = f(x, parameters, h_0=first[0])
        return y[0], [s[0] for s in y[1:]]


_PARAMETERS = ('weight_ih', 'weight_hh', 'bias_ih', 'bias_hh', 'weight_hr')
Recurrent.forward = Recurrent.__call__  # a class of the program's that has one is refused

# names in the library, and in PyTorch
SPELLED = {'lstm': 'LSTM', 'gru': 'GRU', 'rnn': 'RNN', 'lstm_cell': 'LSTMCell', 'gru_cell': 'GRUCell', 'rnn_cell': 'RNNCell'}
