"""Attention and the layers of transformers, which take masks as PyTorch's do: a mask that is bool is true where something is
hidden. A causal mask needs no tensor."""
from ctypes import Structure, byref, c_bool, c_char, c_size_t, c_void_p

from ._layers import Layer
from ._library import _as_tensor, _call, _declare, _enter, _leave, _several


class _AttentionOptions(Structure):
    _fields_ = [('size', c_size_t), ('key_padding_mask', c_void_p), ('attn_mask', c_void_p), ('causal', c_bool),
                ('need_weights', c_bool), ('average_attn_weights', c_bool), ('fa__end', c_char)]


class _TransformerOptions(Structure):
    _fields_ = [('size', c_size_t), ('memory', c_void_p), ('mask', c_void_p), ('key_padding_mask', c_void_p),
                ('causal', c_bool), ('memory_mask', c_void_p), ('memory_key_padding_mask', c_void_p),
                ('memory_causal', c_bool), ('src', c_void_p), ('src_mask', c_void_p), ('src_key_padding_mask', c_void_p),
                ('src_causal', c_bool), ('fa__end', c_char)]


class _Results(Structure):
    _fields_ = [('output', c_void_p), ('weights', c_void_p)]


_attention = _declare('fa_forward_attention', _Results, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p])
_transformer = _declare('fa_forward_transformer', c_void_p, [c_void_p, c_void_p, c_void_p])


def _given(*tensors):
    """Arrays as tensors, and None as it is."""
    return [t if t is None else _as_tensor(t) for t in tensors]


def _handles(tensors):
    return [None if t is None else t._h for t in tensors]


class Attention(Layer):
    """Multi-head attention."""
    __slots__ = ()

    def __call__(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                 average_attn_weights=True, is_causal=False):
        """Runs it: the output, and the weights, None with need_weights=False. is_causal=True needs no attn_mask."""
        tensors = _given(query, key, value, key_padding_mask, attn_mask)
        *inputs, padding, mask = _handles(tensors)
        options = _AttentionOptions(_AttentionOptions.fa__end.offset, padding, mask, is_causal, need_weights,
                                    average_attn_weights)
        scope = _enter(b'python')
        try:
            y = _attention(self._h, *inputs, byref(options))
        except BaseException:
            _leave(scope)
            raise
        return _several(scope, lambda *results: results, y)


def _run(module, x, memory=None, mask=None, padding=None, causal=False, memory_mask=None, memory_padding=None,
         memory_causal=False, src=None, src_mask=None, src_padding=None, src_causal=False):
    tensors = _given(x, memory, mask, padding, memory_mask, memory_padding, src, src_mask, src_padding)
    x, *h = _handles(tensors)
    options = _TransformerOptions(_TransformerOptions.fa__end.offset, *h[:3], bool(causal), *h[3:5], bool(memory_causal), *h[5:],
                                  bool(src_causal))
    return _call(_transformer, module._h, x, byref(options))


class Encoder(Layer):
    """A stack of a transformer's encoder layers."""
    __slots__ = ()

    def __call__(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        """Runs it. is_causal=True needs no mask."""
        return _run(self, src, None, mask, src_key_padding_mask, is_causal)


class EncoderLayer(Layer):
    """A layer of a transformer's encoder."""
    __slots__ = ()

    def __call__(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        """Runs it. is_causal=True needs no src_mask."""
        return _run(self, src, None, src_mask, src_key_padding_mask, is_causal)


class Decoder(Layer):
    """A layer of a transformer's decoder, or a stack of them."""
    __slots__ = ()

    def __call__(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None,
                 tgt_is_causal=None, memory_is_causal=False):
        """Runs it. tgt_is_causal=True needs no tgt_mask."""
        return _run(self, tgt, memory, tgt_mask, tgt_key_padding_mask, tgt_is_causal, memory_mask, memory_key_padding_mask,
                    memory_is_causal)


class Transformer(Layer):
    """A transformer's encoder and decoder."""
    __slots__ = ()

    def __call__(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None,
                 tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None,
                 memory_is_causal=False):
        """Runs it. tgt_is_causal=True needs no tgt_mask."""
        return _run(self, tgt, None, tgt_mask, tgt_key_padding_mask, tgt_is_causal, memory_mask, memory_key_padding_mask,
                    memory_is_causal, src, src_mask, src_key_padding_mask, src_is_causal)

    @staticmethod
    def generate_square_subsequent_mask(sz, device=None, dtype=None):
        """The mask (sz, sz) of numbers to add that hides later positions: -inf above the diagonal, 0 elsewhere."""
        from ._ops import full  # it imports this module
        return full((sz, sz), float('-inf'), dtype=dtype, device=device).triu(1)


for _class in (Attention, Encoder, EncoderLayer, Decoder, Transformer):
    _class.forward = _class.__call__  # a class of the program's that has one is refused

# the classes of layers, by their names in the library
BASES = {'multihead_attention': Attention, 'transformer_encoder': Encoder, 'transformer_encoder_layer': EncoderLayer,
         'transformer_decoder': Decoder, 'transformer_decoder_layer': Decoder, 'transformer': Transformer}
