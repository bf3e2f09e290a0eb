"""The peer's side of the benchmark: PyTorch on the same rows as bench/support/rows_*.c, by the same names.

A row is a function that makes its operands and returns what makes one call. It answers lines on standard input as
bench_worker() does: "version", "open NAME", "check", "go", "close". What "check" answers is in CHECKS."""
import sys
import time
import warnings
from contextlib import nullcontext

warnings.filterwarnings("ignore")
import torch
import torch.nn.functional as F
from torch import nn

ROUND_SECONDS = 0.03
ROWS = {}
CHECKS = {}
MILLION = 1 << 20


def row(function):
    ROWS[function.__name__] = function
    return function


# ---- four elements ----


def four(requires_grad=False):
    return torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=requires_grad), torch.tensor([10.0, 20.0, 30.0, 40.0])


@row
def tiny_add():
    a, b = four()
    return lambda: torch.add(a, b)


@row
def tiny_add_recorded():
    a, b = four(True)
    return lambda: torch.add(a, b)


@row
def tiny_backward():
    a, b = four(True)

    def call():
        a.grad = None
        torch.mul(a, b).sum().backward()

    return call


# ---- training ----


def regression(requires_grad):
    return torch.randn(100, 10), torch.randn(100, 1), torch.zeros(10, 1, requires_grad=requires_grad)


@row
def linreg_manual():
    x, y, w = regression(False)

    def call():
        error = x @ w - y
        grad = x.t() @ error / x.shape[0]
        w.sub_(grad * 0.01)

    return call


@row
def linreg_step():
    x, y, w = regression(True)
    optim = torch.optim.SGD([w], lr=0.01)

    def call():
        optim.zero_grad()
        ((x @ w - y) ** 2).mean().backward()
        optim.step()

    return call


def mlp(optimizer, low=False, **settings):
    x, y = torch.randn(64, 784), torch.randint(0, 10, (64,))
    net = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    optim = optimizer(net.parameters(), **settings)

    def call():
        optim.zero_grad()
        with torch.autocast("cpu", torch.bfloat16) if low else nullcontext():
            loss = F.cross_entropy(net(x), y)
        loss.backward()
        optim.step()

    return call


@row
def mlp_step():
    return mlp(torch.optim.SGD, lr=0.01)


@row
def mlp_adam_step():
    return mlp(torch.optim.Adam, lr=0.001)


@row
def mlp_bf16_step():
    return mlp(torch.optim.SGD, low=True, lr=0.01)


# ---- many elements ----


def two_16m():
    return torch.randn(16 * MILLION), torch.randn(16 * MILLION)


@row
def add_16m():
    x, y = two_16m()
    return lambda: torch.add(x, y)


@row
def add_out_16m():
    x, y = two_16m()
    out = torch.zeros(16 * MILLION)
    return lambda: torch.add(x, y, out=out)


@row
def pointwise_chain():
    x, y = two_16m()
    return lambda: x * torch.sigmoid(1.702 * x) + y


@row
def exp_1m():
    x = torch.randn(MILLION)
    return lambda: torch.exp(x)


@row
def gelu_1m():
    x = torch.randn(MILLION)
    return lambda: F.gelu(x, approximate="tanh")


@row
def exp_16m():
    x = torch.randn(16 * MILLION)
    return lambda: torch.exp(x)


@row
def gelu_16m():
    x = torch.randn(16 * MILLION)
    return lambda: F.gelu(x)


@row
def sum_16m():
    x = torch.randn(16 * MILLION)
    return lambda: torch.sum(x)


@row
def sum_dim0():
    x = torch.randn(4096, 1024)
    return lambda: torch.sum(x, 0)


@row
def softmax():
    x = torch.randn(4096, 1024)
    return lambda: torch.softmax(x, 1)


@row
def transpose_copy():
    x = torch.randn(4096, 1024).t()
    return lambda: x.contiguous()


# ---- norms and lookups ----


@row
def layer_norm():
    x, weight, bias = torch.randn(4096, 1024), torch.randn(1024), torch.randn(1024)
    return lambda: F.layer_norm(x, (1024,), weight, bias)


@row
def layer_norm_backward():
    shapes = (4096, 1024), (1024,), (1024,)
    x, weight, bias = (torch.randn(shape, requires_grad=True) for shape in shapes)
    y = F.layer_norm(x, (1024,), weight, bias)
    gy = torch.randn_like(y)
    return lambda: torch.autograd.grad(y, (x, weight, bias), gy, retain_graph=True)


@row
def batch_norm():
    x, weight, bias = torch.randn(32, 64, 56, 56), torch.randn(64), torch.randn(64)
    mean, variance = torch.zeros(64), torch.ones(64)
    return lambda: F.batch_norm(x, mean, variance, weight, bias, training=True)


@row
def embedding():
    index, weight = torch.randint(100000, (65536,)), torch.randn(100000, 64)
    return lambda: F.embedding(index, weight)


def queries():
    return (torch.randn(4, 6, 256, 64, requires_grad=True) for _ in range(3))


@row
def attention():
    q, k, v = (t.detach() for t in queries())
    return lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True)


@row
def attention_backward():
    q, k, v = queries()
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    gy = torch.randn_like(y)
    return lambda: torch.autograd.grad(y, (q, k, v), gy, retain_graph=True)


# ---- matrix products ----


def product(m, k, n, dtype=torch.float32):
    a, b = torch.randn(m, k).to(dtype), torch.randn(k, n).to(dtype)
    return lambda: torch.matmul(a, b)


ROWS.update(
    gemm_512=lambda: product(512, 512, 512),
    gemm_1024=lambda: product(1024, 1024, 1024),
    gemm_2048=lambda: product(2048, 2048, 2048),
    gemm_64x128x784=lambda: product(64, 784, 128),
    gemm_128x784x64=lambda: product(128, 64, 784),
    gemm_64x10x128=lambda: product(64, 128, 10),
    gemm_bf16_1024=lambda: product(1024, 1024, 1024, torch.bfloat16),
    gemm_f16_1024=lambda: product(1024, 1024, 1024, torch.float16),
)


# ---- convolutions ----


def convolution(images, channels, out, size, kernel, padding=0, way="forward"):
    x, weight = torch.randn(images, channels, size, size), torch.randn(out, channels, kernel, kernel)
    if way == "forward":
        return lambda: F.conv2d(x, weight, padding=padding)
    of = (x if way == "x" else weight).requires_grad_()
    y = F.conv2d(x, weight, padding=padding)
    gy = torch.randn_like(y)
    return lambda: torch.autograd.grad(y, of, gy, retain_graph=True)


LAYERS = {"first": (64, 3, 6, 32, 5), "second": (64, 6, 16, 14, 5), "residual": (16, 64, 64, 56, 3, 1)}
for name, layer in LAYERS.items():
    for way in ["forward", "weight"] + ["x"] * (name != "first"):
        key = f"conv_{name}" + (way != "forward") * f"_{way}"
        ROWS[key] = lambda layer=layer, way=way: convolution(*layer, way=way)


# ---- the tour's network ----


def wave(shape, scale):
    """The same numbers as in rows_cnn.c."""
    count = torch.Size(shape).numel()
    return (torch.sin(1.3 * torch.arange(count, dtype=torch.float64)) * scale).float().reshape(shape)


def cnn(images, low=False):
    x, y = wave((images, 3, 32, 32), 1), torch.arange(images) % 10
    layers = [nn.Conv2d(3, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2)]
    layers += [nn.Flatten(), nn.Linear(16 * 5 * 5, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)]
    net = nn.Sequential(*layers)
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(wave(p.shape, 0.1))
    optim = torch.optim.SGD(net.parameters(), lr=0.001, momentum=0.9)

    def call():
        optim.zero_grad()
        with torch.autocast("cpu", torch.bfloat16) if low else nullcontext():
            loss = F.cross_entropy(net(x), y)
        loss.backward()
        optim.step()
        return loss

    return call


def last_loss(images):
    step = cnn(images)
    return [step().item() for _ in range(5)][-1]


for images in [4, 64, 256]:
    ROWS[f"cnn_b{images}"] = lambda images=images: cnn(images)
    CHECKS[f"cnn_b{images}"] = lambda images=images: last_loss(images)


ROWS["cnn_b64_bf16"] = lambda: cnn(64, low=True)


# ---- rounds ----


def timed(call, count):
    turns = range(count)
    start = time.perf_counter()
    for _ in turns:
        call()
    return time.perf_counter() - start


def calls_of_a_round(call):
    count = 1
    timed(call, 1)
    while (taken := timed(call, count)) < ROUND_SECONDS:
        count = 4 * count if taken < ROUND_SECONDS / 10 else int(count * ROUND_SECONDS / taken) + 1
    return count


def go(call, count):
    timed(call, count // 8 + 1)
    return timed(call, count) / count


def answers():
    call, count, opened = None, 0, None
    for line in sys.stdin:
        command, _, name = line.strip().partition(" ")
        if command == "version":
            yield "PyTorch " + torch.__version__
        elif command == "open" and name in ROWS:
            torch.manual_seed(0)
            call, opened = ROWS[name](), name
            count = calls_of_a_round(call)
            yield count
        elif command == "open":
            yield "failed the peer has no such row"
        elif command == "check":
            yield CHECKS.get(opened, lambda: 0)()
        elif command == "go":
            yield go(call, count)
        else:
            call = None
            yield 0


def main():
    torch.set_num_threads(2)
    for answer in answers():
        print(answer, flush=True)


main()
