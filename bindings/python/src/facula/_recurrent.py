"""Recurrent layers, with PyTorch's parameters, options and results. A step is some calls of the library."""
from . import _init, _ops
from ._modules import Module


class _Recurrent(Module):
    """What the layers have in common. Subclasses have the number of gates, and one step."""
    _gates, _states = 1, 1

    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False,
                 device=None, dtype=None):
        super().__init__()
        self.input_size, self.hidden_size, self.num_layers, self.bias = input_size, hidden_size, num_layers, bias
        self.batch_first, self.dropout, self.bidirectional = batch_first, dropout, bidirectional
        rows, reach = self._gates * hidden_size, hidden_size ** -0.5
        for layer in range(num_layers):
            width = input_size if layer == 0 else hidden_size * (2 if bidirectional else 1)
            for end in self._directions(layer):
                shapes = {'weight_ih': (rows, width), 'weight_hh': (rows, hidden_size)}
                if bias:
                    shapes.update(bias_ih=(rows,), bias_hh=(rows,))
                for name, shape in shapes.items():
                    w = _ops.zeros(shape, dtype=dtype, device=device)
                    setattr(self, name + end, _init.uniform_(w, -reach, reach).requires_grad_())

    def _directions(self, layer):
        return [f'_l{layer}', f'_l{layer}_reverse'][:2 if self.bidirectional else 1]

    def _run(self, x, end, state):
        """All steps of a layer in a direction: the outputs, and the last state."""
        get = self.__dict__.get
        inputs = _ops.unbind(_ops.linear(x, get('weight_ih' + end), bias=get('bias_ih' + end)))
        weight, bias, outputs = get('weight_hh' + end), get('bias_hh' + end), [None] * len(inputs)
        for t in reversed(range(len(inputs))) if end.endswith('reverse') else range(len(inputs)):
            state = self._step(inputs[t], _ops.linear(state[0], weight, bias=bias), *state)
            outputs[t] = state[0]
        return _ops.stack(outputs), state

    def forward(self, x, state=None):
        """x: (steps, batch, input_size), with batch_first (batch, steps, input_size), or (steps, input_size). Gives the
        output of the last layer for each step, and the last state of all layers (layers * directions, batch, hidden_size),
        which is a pair for an LSTM. `state` is such a state, and zeros if it is not given."""
        single = x.ndim == 2
        if x.ndim not in (2, 3):
            raise ValueError(f'the input has 2 or 3 dimensions, not {x.ndim}: {x.shape}')
        if x.shape[-1] != self.input_size:
            raise ValueError(f'the last size of the input is {self.input_size}, not {x.shape[-1]}: {x.shape}')
        x = x.unsqueeze(1) if single else x.transpose(0, 1) if self.batch_first else x
        count = self.num_layers * (2 if self.bidirectional else 1)
        shape = (count, x.shape[1], self.hidden_size)
        if state is None:
            begin = [_ops.zeros(shape, dtype=x.dtype, device=x.device)] * self._states
        else:
            begin = [state] if self._states == 1 else list(state)
            begin = [s.unsqueeze(1) if single else s for s in begin]
            if len(begin) != self._states or any(s.shape != shape for s in begin):
                raise ValueError(f'the state is {self._states} of {shape}, not {[s.shape for s in begin]}')
        begin, last = [_ops.unbind(s) for s in begin], []
        for layer in range(self.num_layers):
            if layer and self.dropout and self.training:
                x = _ops.dropout(x, p=self.dropout)
            sides = [self._run(x, end, tuple(s[len(last) + i] for s in begin))
                     for i, end in enumerate(self._directions(layer))]
            last += [s for _, s in sides]
            x = sides[0][0] if len(sides) == 1 else _ops.cat([y for y, _ in sides], dim=2)
        ends = tuple(_ops.stack(list(s)) for s in zip(*last))
        if single:
            x, ends = x.squeeze(1), tuple(s.squeeze(1) for s in ends)
        elif self.batch_first:
            x = x.transpose(0, 1)
        return x, ends[0] if self._states == 1 else ends

    def __repr__(self):
        options = {'num_layers': 1, 'bias': True, 'batch_first': False, 'dropout': 0.0, 'bidirectional': False}
        given = [f'{n}={getattr(self, n)}' for n, usual in options.items() if getattr(self, n) != usual]
        return f'{type(self).__name__}({", ".join([str(self.input_size), str(self.hidden_size), *given])})'


class LSTM(_Recurrent):
    """Long short-term memory: output, (h, c) = lstm(x, (h0, c0))."""
    _gates, _states = 4, 2

    def _step(self, of_input, of_state, h, c):
        i, f, g, o = _ops.chunk(of_input + of_state, 4, dim=1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c


class GRU(_Recurrent):
    """Gated recurrent units: output, h = gru(x, h0)."""
    _gates = 3

    def _step(self, of_input, of_state, h):
        (r, z, n), (hr, hz, hn) = _ops.chunk(of_input, 3, dim=1), _ops.chunk(of_state, 3, dim=1)
        r, z = (r + hr).sigmoid(), (z + hz).sigmoid()
        n = (n + r * hn).tanh()
        return n + z * (h - n),


class RNN(_Recurrent):
    """Elman's network: output, h = rnn(x, h0); nonlinearity "tanh" or "relu"."""

    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity='tanh', bias=True, **options):
        if nonlinearity not in ('tanh', 'relu'):
            raise ValueError(f'nonlinearity is "tanh" or "relu", not {nonlinearity!r}')
        super().__init__(input_size, hidden_size, num_layers, bias, **options)
        self._bend = getattr(_ops, nonlinearity)

    def _step(self, of_input, of_state, h):
        return self._bend(of_input + of_state),
