"""Gradients: functions with gradients of their own, and gradients of tensors that are no leaves."""
import itertools

from . import _ops
from ._callbacks import Function, grad_of  # noqa: F401
from ._settings import enable_grad, no_grad, set_grad_enabled, use  # noqa: F401
from ._tensor import Tensor


def detect_anomaly():
    """For a block: the first gradient that is NaN is an error, and errors of backward name the line that recorded the
    operation. Calls take longer."""
    return use(anomaly=True)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=False):
    """The gradients of the sum of outputs with respect to inputs, a tuple; grad_of() with PyTorch's forms of arguments."""
    listed = [[x] if hasattr(x, 'backward') else x for x in (outputs, inputs, grad_outputs)]
    keep = create_graph if retain_graph is None else retain_graph
    return tuple(grad_of(*listed, retain_graph=keep, create_graph=create_graph, allow_unused=allow_unused))


def gradcheck(func, inputs, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True):
    """Compares the gradients of func(*inputs) with finite differences, (f(x + eps) - f(x - eps)) / (2 eps), for the inputs that
    require a gradient: f64, or the differences are not exact enough. True, or an error; False without raise_exception."""
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    asked = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    if not asked:
        raise ValueError('no input requires a gradient')

    def elements():
        y = func(*inputs)
        parts = y if isinstance(y, (tuple, list)) else (y,)
        return _ops.cat([part.reshape(-1).double() for part in parts if part.dtype.is_floating])
    for i in asked:
        x, columns = inputs[i].data, []
        for place in itertools.product(*map(range, x.shape)):
            value, ends = x[place].clone(), []
            for change in (eps, -eps):
                x[place] = value + change
                ends.append(elements().detach())
            x[place] = value
            columns.append((ends[0] - ends[1]) / (2 * eps))
        for j, y in enumerate(elements()):
            ours, = grad(y, inputs[i], retain_graph=True, allow_unused=True) if y.requires_grad else (None,)
            ours = _ops.zeros(x.numel()) if ours is None else ours.reshape(-1)
            theirs = _ops.stack([column[j] for column in columns])
            if not _ops.all((ours - theirs).abs() <= atol + rtol * theirs.abs()):
                if not raise_exception:
                    return False
                raise ValueError(f'input {i}: the gradient of element {j} of the output is {ours.tolist()}, '
                                 f'and differences give {theirs.tolist()}')
    return True
