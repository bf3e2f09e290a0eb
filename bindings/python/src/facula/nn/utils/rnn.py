"""Sequences of different lengths, with the names of torch.nn.utils.rnn."""
from ..._packed import (PackedSequence, pack_padded_sequence, pack_sequence, pad_packed_sequence, pad_sequence,  # noqa: F401
                        unpad_sequence)
