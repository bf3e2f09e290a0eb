"""Operations with PyTorch's names and options for networks, and all others of facula."""
import inspect

from .. import _nn, _ops
from .._missing import missing as _missing
from .._ops import *  # noqa: F403
from .._forms import *  # noqa: F403
from .._resize import interpolate  # noqa: F401


def _activation(name):
    """An activation that takes `inplace`, too, as the last option."""
    plain, in_place = getattr(_ops, name), getattr(_ops, name + '_')
    count = len(inspect.signature(plain).parameters) - 2  # without the operand and `out`

    def called(input, *arguments, inplace=False, **options):
        inplace = arguments[count] if len(arguments) > count else inplace
        return (in_place if inplace else plain)(input, *arguments[:count], **options)
    called.__name__ = called.__qualname__ = name
    called.__doc__ = plain.__doc__
    return called


for _name in _nn.__all__:
    if hasattr(_ops, _name) and hasattr(_ops, _name + '_'):
        globals()[_name] = _activation(_name)
del _name


def gelu(input, approximate='none'):
    """GELU; approximate="tanh" is its approximation by tanh."""
    if approximate not in ('none', 'tanh'):
        raise ValueError(f'approximate is "none" or "tanh", not {approximate!r}')
    return (_ops.gelu_tanh if approximate == 'tanh' else _ops.gelu)(input)


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """The patches of images (samples, channels, height, width): (samples, channels * elements of a patch, patches)."""
    if input.ndim == 3:
        return unfold(input.unsqueeze(0), kernel_size, dilation, padding, stride).squeeze(0)
    (kh, kw), (dh, dw), (ph, pw), (sh, sw) = ((v, v) if isinstance(v, int) else v for v in (kernel_size, dilation, padding, stride))
    x = _ops.pad(input, (pw, pw, ph, ph)) if ph or pw else input
    rows, columns = (x.shape[2] - dh * (kh - 1) - 1) // sh + 1, (x.shape[3] - dw * (kw - 1) - 1) // sw + 1
    if rows < 1 or columns < 1:
        raise ValueError(f'a patch is larger than the image: {tuple(input.shape[2:])} with {padding=}, {kernel_size=}, {dilation=}')
    parts = [x[:, :, i * dh:i * dh + sh * (rows - 1) + 1:sh, j * dw:j * dw + sw * (columns - 1) + 1:sw]
             for i in range(kh) for j in range(kw)]
    return _ops.stack(parts, 2).reshape(x.shape[0], x.shape[1] * kh * kw, rows * columns)


def huber_loss(input, target, reduction='mean', delta=1.0, weight=None):
    """The square of small differences, and the absolute value of large ones; with PyTorch's order of options."""
    return _ops.huber_loss(input, target, delta=delta, reduction=reduction, weight=weight)


def dropout(input, p=0.5, training=True, inplace=False):
    """Zeros elements with probability p, and scales the others."""
    return (_ops.dropout_ if inplace else _ops.dropout)(input, p=p, training=training)


def dropout2d(input, p=0.5, training=True):
    """Zeros whole channels with probability p, and scales the others."""
    return _ops.feature_dropout(input, p=p, training=training)


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
                                 enable_gqa=False):
    """Attention: softmax(query key^T scale + mask) value."""
    return _ops.scaled_dot_product_attention(query, key, value, attn_mask=attn_mask, dropout_p=dropout_p, is_causal=is_causal,
                                             scale=scale or 0.0, enable_gqa=enable_gqa)


__getattr__ = _missing('facula.nn.functional')
