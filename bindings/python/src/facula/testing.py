"""Comparisons for tests."""
from . import _ops
from ._forms import allclose
from ._tensor import Tensor, _as_tensor

_TOLERANCES = {'f64': (1e-7, 1e-7), 'f32': (1.3e-6, 1e-5), 'f16': (1e-3, 1e-5), 'bf16': (1.6e-2, 1e-5)}


def assert_close(actual, expected, *, rtol=None, atol=None, equal_nan=False, check_dtype=True, msg=None):
    """An AssertionError unless |actual - expected| <= atol + rtol |expected| for all elements, and shapes and dtypes are the same.
    Tolerances that are not given depend on the dtype, and are 0 for integers. Lists, tuples and dicts are compared item by item.
    msg: the message, or a function that makes it of the one that would be raised."""
    def said(text):
        return text if msg is None else msg(text) if callable(msg) else msg
    options = dict(rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=check_dtype, msg=msg)
    if isinstance(expected, dict):
        assert actual.keys() == expected.keys(), said(f'names differ: {sorted(actual)} and {sorted(expected)}')
        actual, expected = list(actual.values()), [expected[name] for name in actual]
    if isinstance(expected, (list, tuple)) and not isinstance(actual, Tensor):
        assert len(actual) == len(expected), said(f'there are {len(actual)} items, and {len(expected)} were expected')
        for a, b in zip(actual, expected):
            assert_close(a, b, **options)
        return
    a, b = _as_tensor(actual), _as_tensor(expected)
    assert a.shape == b.shape, said(f'the shape is {a.shape}, and {b.shape} was expected')
    assert not check_dtype or a.dtype is b.dtype, said(f'the dtype is {a.dtype}, and {b.dtype} was expected')
    r, t = (max(p) for p in zip(*(_TOLERANCES.get(x.dtype.name, (0, 0)) for x in (a, b))))
    r, t = r if rtol is None else rtol, t if atol is None else atol
    if not allclose(a, b, rtol=r, atol=t, equal_nan=equal_nan):
        wrong = _ops.logical_not(_ops.isclose(a, b, rtol=r, atol=t, equal_nan=equal_nan))
        place = tuple(_ops.nonzero(wrong)[0].tolist())
        raise AssertionError(said(f'{wrong.sum().item()} of {wrong.numel()} elements are not close (rtol {r}, atol {t}); at {place} is '
                                  f'{a[place].item()}, and {b[place].item()} was expected'))
