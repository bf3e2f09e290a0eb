"""functional.interpolate(): each dimension is resized by weighted sums of its pixels."""
import math
from ctypes import c_int64, c_void_p

from . import _ops
from ._library import _call, _declare, _pair
from ._tensor import tensor

_image_resize = _declare('fa_image_resize', c_void_p, [c_void_p, c_int64])


def _places(old, new, align_corners, scale):
    """Where the pixels of a resized line lie in the old one, as numbers of its pixels."""
    if align_corners:
        return [i * (old - 1) / (new - 1) if new > 1 else 0.0 for i in range(new)]
    step = 1 / scale if scale else old / new
    return [(i + 0.5) * step - 0.5 for i in range(new)]


def _nearest(old, new, scale, exact):
    step = 1 / scale if scale else old / new
    return [[(min(int((i + 0.5 * exact) * step), old - 1), 1.0)] for i in range(new)]


def _linear(old, new, align_corners, scale):
    taps = []
    for p in (max(p, 0.0) for p in _places(old, new, align_corners, scale)):
        low = min(int(p), old - 1)
        taps.append([(low, 1 - (p - low)), (min(low + 1, old - 1), p - low)])
    return taps


def _cubic(old, new, align_corners, scale, a=-0.75):
    """Keys' kernel (1981), whose parameter is -0.75 as in PyTorch."""
    def near(t):
        return ((a + 2) * t - (a + 3)) * t * t + 1

    def far(t):
        return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    taps = []
    for p in _places(old, new, align_corners, scale):
        low = math.floor(p)
        t = p - low
        taps.append([(min(max(low + k, 0), old - 1), w)
                     for k, w in zip((-1, 0, 1, 2), (far(t + 1), near(t), near(1 - t), far(2 - t)))])
    return taps


def _resampled(x, dim, taps):
    """A sum of pixels with weights along a dimension, for each new pixel."""
    sum = None
    shape = [1] * x.ndim
    shape[dim] = len(taps)
    for k in range(len(taps[0])):
        part = _ops.index_select(x, dim, tensor([t[k][0] for t in taps], dtype='i64', device=x.device))
        if len(taps[0]) > 1:
            part = part * tensor([t[k][1] for t in taps], dtype=x.dtype, device=x.device).view(shape)
        sum = part if sum is None else sum + part
    return sum


_MODES = {'nearest': (1, 2, 3), 'nearest-exact': (1, 2, 3), 'linear': (1,), 'bilinear': (2,), 'bicubic': (2,),
          'trilinear': (3,), 'area': (1, 2)}


def interpolate(input, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None,
                antialias=False):
    """Resizes lines, images or volumes (n, c, ...) to a size, or by a factor. The modes are "nearest", "nearest-exact",
    "linear", "bilinear", "bicubic", "trilinear" and "area". antialias is possible for bilinear images, by their size alone."""
    dims = input.ndim - 2
    if mode not in _MODES or dims not in _MODES[mode]:
        raise ValueError(f'mode={mode!r} is not for {dims} dimensions behind n and c')
    if (size is None) == (scale_factor is None):
        raise ValueError('either size or scale_factor')
    if align_corners is not None and mode in ('nearest', 'nearest-exact', 'area'):
        raise ValueError(f'align_corners is not for mode={mode!r}')
    old = input.shape[2:]
    scales = [None] * dims
    if size is None:
        scales = [float(s) for s in scale_factor] if hasattr(scale_factor, '__len__') else [float(scale_factor)] * dims
        size = [math.floor(n * s) for n, s in zip(old, scales)]
        if recompute_scale_factor:
            scales = [None] * dims
    size = list(size) if hasattr(size, '__len__') else [size] * dims
    if len(size) != dims or min(size) < 1:
        raise ValueError(f'the size of {dims} dimensions, each at least 1, is not {tuple(size)}')
    if antialias:
        if mode != 'bilinear' or align_corners or scales != [None] * dims:
            raise ValueError('antialias is for mode="bilinear" with a size')
        return _call(_image_resize, input._h, _pair(size))
    if mode == 'area':
        return (_ops.adaptive_avg_pool1d if dims == 1 else _ops.adaptive_avg_pool2d)(input, size[0] if dims == 1 else size)
    x = input
    for d, (n, new, scale) in enumerate(zip(old, size, scales)):
        if mode.startswith('nearest'):
            taps = _nearest(n, new, scale, mode == 'nearest-exact')
        else:
            taps = (_cubic if mode == 'bicubic' else _linear)(n, new, bool(align_corners), scale)
        x = _resampled(x, d + 2, taps)
    return x
