"""Gradients: functions with gradients of their own, and gradients of tensors that are no leaves."""
from ._callbacks import Function, grad_of  # noqa: F401
from ._settings import enable_grad, no_grad, set_grad_enabled, use  # noqa: F401


def detect_anomaly():
    """For a block: the first gradient that is NaN is an error, and errors of backward name the line that recorded the
    operation. Calls take longer."""
    return use(anomaly=True)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, allow_unused=False):
    """The gradients of the sum of outputs with respect to inputs, a tuple; grad_of() with PyTorch's forms of arguments."""
    listed = [[x] if hasattr(x, 'backward') else x for x in (outputs, inputs, grad_outputs)]
    keep = create_graph if retain_graph is None else retain_graph
    return tuple(grad_of(*listed, retain_graph=keep, create_graph=create_graph, allow_unused=allow_unused))
