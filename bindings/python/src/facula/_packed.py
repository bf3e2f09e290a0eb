"""Sequences of different lengths: padded in one tensor, or packed, as recurrent layers read them without computing what is
padding. facula.nn.utils.rnn has the names."""
from collections import namedtuple

from . import _ops
from ._library import _as_tensor
from ._tensor import tensor

__all__ = ['PackedSequence', 'pack_padded_sequence', 'pack_sequence', 'pad_packed_sequence', 'pad_sequence', 'unpad_sequence']


class PackedSequence(namedtuple('PackedSequence', ['data', 'batch_sizes', 'sorted_indices', 'unsorted_indices'],
                                defaults=(None, None))):
    """Sequences of different lengths, the longest first: `data` is (all steps, ...), which has the first step of all sequences,
    the second step of those that have one, and so on; `batch_sizes` says how many each step has, an i64 tensor."""
    __slots__ = ()

    def to(self, *where, **options):
        """The same with data on another device, or in another dtype."""
        return self._replace(data=self.data.to(*where, **options))

    @property
    def device(self):
        """The device of the data."""
        return self.data.device


def _numbers(lengths):
    return [int(n) for n in (lengths.tolist() if hasattr(lengths, 'tolist') else lengths)]


def _i64(numbers, device='cpu'):
    return tensor(numbers, dtype='i64', device=device)


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side='right'):
    """Sequences (steps, ...) in one tensor (longest, sequences, ...), or (sequences, longest, ...) with batch_first, which
    have padding_value in front or behind where they are shorter."""
    if padding_side not in ('left', 'right'):
        raise ValueError(f'padding_side is "left" or "right", not {padding_side!r}')
    sequences = [_as_tensor(s) for s in sequences]
    longest = max(len(s) for s in sequences)

    def padded(s):
        missing = longest - len(s)
        edges = (0, missing) if padding_side == 'right' else (missing, 0)
        return _ops.pad(s, (0, 0) * (s.ndim - 1) + edges, value=padding_value) if missing else s
    return _ops.stack([padded(s) for s in sequences], dim=0 if batch_first else 1)


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """The sequences that pad_sequence() has padded behind, a list."""
    x = padded_sequences if batch_first else _ops.transpose(padded_sequences, 0, 1)
    return [x[i, :n] for i, n in enumerate(_numbers(lengths))]


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Packs sequences (steps, sequences, ...), which are padded behind, for a recurrent layer. enforce_sorted=False: they need
    not stand in the order of their lengths."""
    x, lengths = _ops.transpose(input, 0, 1) if batch_first else input, _numbers(lengths)
    if len(lengths) != x.shape[1]:
        raise ValueError(f'{len(lengths)} lengths for {x.shape[1]} sequences')
    if min(lengths) < 1 or max(lengths) > x.shape[0]:
        raise ValueError(f'lengths are from 1 to the {x.shape[0]} steps of the input: {lengths}')
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    indices = places = None
    if not enforce_sorted:
        indices = _i64(order, x.device)
        places = _i64(sorted(range(len(order)), key=order.__getitem__), x.device)
        x = _ops.index_select(x, 1, indices)
    elif order != list(range(len(order))):
        raise ValueError('the sequences are not in the order of their lengths, the longest first: enforce_sorted=False')
    sizes = [sum(n > t for n in lengths) for t in range(max(lengths))]
    data = _ops.cat([x[run.step:run.step + run.steps, :run.size].flatten(0, 1) for run in _runs(sizes)])
    return PackedSequence(data, _i64(sizes), indices, places)


def pack_sequence(sequences, enforce_sorted=True):
    """Packs a list of sequences (steps, ...)."""
    return pack_padded_sequence(pad_sequence(sequences), [len(s) for s in sequences], enforce_sorted=enforce_sorted)


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """What pack_padded_sequence() has packed: the padded tensor, and the lengths, an i64 tensor."""
    sizes = _numbers(sequence.batch_sizes)
    runs, rows = _runs(sizes), sizes[0]
    steps = len(sizes) if total_length is None else total_length
    if steps < len(sizes):
        raise ValueError(f'total_length is {total_length}, and the longest sequence has {len(sizes)} steps')

    def widened(run):
        x = sequence.data[run.place:run.place + run.steps * run.size].unflatten(0, (run.steps, run.size))
        return _ops.pad(x, (0, 0) * (x.ndim - 2) + (0, rows - run.size), value=padding_value) if run.size < rows else x
    x = _ops.cat([widened(run) for run in runs])
    if steps > len(sizes):
        x = _ops.pad(x, (0, 0) * (x.ndim - 1) + (0, steps - len(sizes)), value=padding_value)
    lengths = _i64([sum(size > i for size in sizes) for i in range(rows)])
    if sequence.unsorted_indices is not None:
        x = _ops.index_select(x, 1, sequence.unsorted_indices)
        lengths = _ops.index_select(lengths, 0, sequence.unsorted_indices.cpu())
    return _ops.transpose(x, 0, 1) if batch_first else x, lengths


# ---- recurrent layers over packed sequences ----

_Run = namedtuple('_Run', ['step', 'steps', 'size', 'place'])


def _runs(sizes):
    """Steps that the same sequences have: the first one, how many, the number of sequences, and the place in the data."""
    runs, place = [], 0
    for step, size in enumerate(sizes):
        if runs and runs[-1].size == size:
            runs[-1] = runs[-1]._replace(steps=runs[-1].steps + 1)
        else:
            runs.append(_Run(step, 1, size, place))
        place += size
    return runs


def _one_direction(data, runs, first, compute, backward):
    """One layer in one direction: compute(x, states) of each run, whose states are those of the sequences that are in it. Gives
    the packed output, and the last states."""
    states = [s[:runs[-1].size if backward else runs[0].size] for s in first]
    outputs = []
    for run in runs[::-1] if backward else runs:
        x = data[run.place:run.place + run.steps * run.size].unflatten(0, (run.steps, run.size))
        known = states[0].shape[0]
        if run.size > known:  # backwards, a sequence begins where it ends
            states = [_ops.cat([s, f[known:run.size]]) for s, f in zip(states, first)]
        y, now = compute(_ops.flip(x, 0) if backward else x, [s[:run.size] for s in states])
        outputs.append((_ops.flip(y, 0) if backward else y).flatten(0, 1))
        states = [_ops.cat([n, s[run.size:]]) if run.size < s.shape[0] else n for n, s in zip(now, states)]
    return _ops.cat(outputs[::-1] if backward else outputs), states


def run_packed(packed, function, parameters, states, layers, dropout):
    """All layers and directions over packed sequences.

    function:   (x, parameters, states) of one layer in one direction -> output, new states
    parameters: for each layer a list of the parameters of its directions
    states:     tensors (layers * directions, sequences, ...)
    Returns the packed output, and the last states."""
    runs, data, last = _runs(_numbers(packed.batch_sizes)), packed.data, []
    if packed.sorted_indices is not None:
        states = [_ops.index_select(s, 1, packed.sorted_indices) for s in states]
    for layer, directions in enumerate(parameters):
        outputs = []
        for d, p in enumerate(directions):
            first = [s[layer * len(directions) + d] for s in states]
            y, now = _one_direction(data, runs, first, lambda x, s, p=p: function(x, p, s), d == 1)
            outputs.append(y)
            last.append(now)
        data = outputs[0] if len(outputs) == 1 else _ops.cat(outputs, dim=1)
        if dropout and layer + 1 < layers:
            data = _ops.dropout(data, p=dropout)
    last = [_ops.stack(list(s)) for s in zip(*last)]
    if packed.unsorted_indices is not None:
        last = [_ops.index_select(s, 1, packed.unsorted_indices) for s in last]
    return packed._replace(data=data), last
