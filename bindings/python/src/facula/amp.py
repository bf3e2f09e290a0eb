"""Mixed precision: autocast() and gradient scalers."""
from ._amp import scaler
from ._settings import autocast  # noqa: F401
from ._training import Scaler  # noqa: F401


def GradScaler(device=None, init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
    """scaler() with PyTorch's order of options. The device is that of the gradients."""
    return scaler(init_scale=init_scale, growth_factor=growth_factor, backoff_factor=backoff_factor,
                  growth_interval=growth_interval, enabled=enabled)
