"""The peer's side of the benchmark: PyTorch on the same rows as bench/support/rows_*.c, by the same names.

A row is a function that makes its operands and returns what makes one call. It answers lines on standard input as
bench_worker() does: "version", "open NAME", "check", "peak", "go", "close". A call that has a method `check` answers with it."""
import os
import socket
import subprocess
import sys
import time
import warnings
from contextlib import nullcontext

warnings.filterwarnings("ignore")
import torch
import torch.nn.functional as F
import torch.distributed as dist
from torch import nn

ROUND_SECONDS = 0.03
ROWS = {}
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


# ---- loaders ----


class Photographs(torch.utils.data.Dataset):
    """Bytes in the format of CIFAR-10; the transform is written with operations of PyTorch, for torchvision may be missing."""

    def __init__(self, augment):
        self.image = torch.randint(0, 256, (10000, 32, 32, 3), dtype=torch.uint8)
        self.label = torch.randint(0, 10, (10000,)).tolist()
        self.mean = torch.full((3, 1, 1), 0.5)
        self.std = torch.full((3, 1, 1), 0.5)
        self.augment = augment

    def __len__(self):
        return len(self.label)

    def __getitem__(self, i):
        x = self.image[i].permute(2, 0, 1)
        if self.augment:
            x = F.pad(x, (4, 4, 4, 4))
            top, left = torch.randint(0, 9, (2,)).tolist()
            x = x[:, top : top + 32, left : left + 32]
            if torch.rand(1) < 0.5:
                x = x.flip(-1)
        x = x.contiguous().to(torch.float32).div(255)
        return x.sub_(self.mean).div_(self.std), self.label[i]


def epochs(loader):
    while True:
        yield from loader


def loader_row(augment):
    data = Photographs(augment)
    batches = epochs(torch.utils.data.DataLoader(data, 64, shuffle=True, drop_last=True, num_workers=2,
                                                 persistent_workers=True))

    def call():
        for _ in range(64):
            next(batches)

    return call


@row
def loader_cifar():
    return loader_row(False)


@row
def loader_cifar_augmented():
    return loader_row(True)


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


ROWS["linreg_graph"] = linreg_step


def learn(loss, optim, scaler=None):
    if scaler:
        scaler.scale(loss).backward()
        scaler.step(optim)
        scaler.update()
    else:
        loss.backward()
        optim.step()


def mlp(optimizer, low=None, **settings):
    x, y = torch.randn(64, 784), torch.randint(0, 10, (64,))
    net = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    optim = optimizer(net.parameters(), **settings)
    scaler = torch.amp.GradScaler("cpu") if low == torch.float16 else None

    def call():
        optim.zero_grad()
        with torch.autocast("cpu", low) if low else nullcontext():
            loss = F.cross_entropy(net(x), y)
        learn(loss, optim, scaler)

    return call


@row
def mlp_step():
    return mlp(torch.optim.SGD, lr=0.01)


@row
def mlp_graph():
    return mlp(torch.optim.SGD, lr=0.01)


@row
def mlp_adam_step():
    return mlp(torch.optim.Adam, lr=0.001)


@row
def mlp_bf16_step():
    return mlp(torch.optim.SGD, low=torch.bfloat16, lr=0.01)


@row
def mlp_f16_step():
    return mlp(torch.optim.SGD, low=torch.float16, lr=0.01)


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
def softmax_dim0():
    x = torch.randn(1024, 1024)
    return lambda: torch.softmax(x, 0)


@row
def amax_short_rows():
    x = torch.randn(20000, 10)
    return lambda: torch.amax(x, 1)


@row
def argmax_dim0():
    x = torch.randn(1024, 1024)
    return lambda: torch.argmax(x, 0)


@row
def cumsum_rows():
    x = torch.randn(1024, 1024)
    return lambda: torch.cumsum(x, 1)


@row
def topk_5():
    x = torch.randn(1024, 1024)
    return lambda: torch.topk(x, 5)


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


def noise(shape, scale):
    """The same numbers as in network.c."""
    large = torch.sin(torch.arange(torch.Size(shape).numel(), dtype=torch.float64) * 12.9898) * 43758.5453
    return (((large - large.floor()) * 2 - 1) * scale).float().reshape(shape)


class Training:
    """A network in training, as network.c has it."""

    def __init__(self, x, y, net, optimizer, scale, autocast=None):
        self.x, self.y, self.net, self.optimizer, self.scale, self.autocast = x, y, net, optimizer, scale, autocast
        self.optim = self.fresh()
        self.scaler = torch.amp.GradScaler("cpu") if autocast == torch.float16 else None

    def fresh(self):
        with torch.no_grad():
            for name, p in self.net.named_parameters():
                if p.dim() == 1 and "bias" not in name:
                    p.fill_(1)
                else:
                    p.copy_(noise(p.shape, self.scale))
        return self.optimizer(self.net.parameters())

    def step(self, optim):
        optim.zero_grad()
        with torch.autocast("cpu", self.autocast) if self.autocast else nullcontext():
            loss = F.cross_entropy(self.net(self.x), self.y)
        learn(loss, optim, self.scaler)
        return loss

    def __call__(self):
        return self.step(self.optim)

    def check(self):
        if self.autocast:
            return 0
        optim = self.fresh()
        return [self.step(optim).item() for _ in range(5)][-1]


def momentum(parameters):
    return torch.optim.SGD(parameters, lr=0.001, momentum=0.9)


def cnn(images, autocast=None):
    x, y = noise((images, 3, 32, 32), 1), torch.arange(images) % 10
    layers = [nn.Conv2d(3, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2)]
    layers += [nn.Flatten(), nn.Linear(16 * 5 * 5, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)]
    return Training(x, y, nn.Sequential(*layers), momentum, 0.1, autocast)


for images in [4, 64, 256]:
    ROWS[f"cnn_b{images}"] = lambda images=images: cnn(images)
ROWS["cnn_graph_b4"] = ROWS["cnn_b4"]
ROWS["cnn_b64_bf16"] = lambda: cnn(64, torch.bfloat16)
ROWS["cnn_b64_f16"] = lambda: cnn(64, torch.float16)


# ---- ResNet-18 ----


class Block(nn.Module):
    def __init__(self, width_in, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(width_in, width, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.shortcut = nn.Identity()
        if stride != 1 or width_in != width:
            shortcut = nn.Conv2d(width_in, width, 1, stride, bias=False)
            self.shortcut = nn.Sequential(shortcut, nn.BatchNorm2d(width))

    def forward(self, x):
        h = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(h)) + self.shortcut(x))


def resnet18():
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    widths = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1)]
    widths += [(128, 256, 2), (256, 256, 1), (256, 512, 2), (512, 512, 1)]
    layers += [Block(*width) for width in widths]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


@row
def resnet18_b8():
    return Training(noise((8, 3, 224, 224), 1), torch.arange(8) * 100, resnet18(), momentum, 0.05)


@row
def resnet18_memory():
    return resnet18_b8()


@row
def inference_memory():
    net, x = resnet18().eval(), noise((8, 3, 224, 224), 1)
    return torch.no_grad()(lambda: net(x))


# ---- GPT ----


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        q, k, v = (part.unflatten(2, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(width), Attention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        mlp = nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width)
        self.mlp = nn.Sequential(*mlp)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, layers, width, heads, tokens, vocabulary):
        super().__init__()
        self.token, self.position = nn.Embedding(vocabulary, width), nn.Embedding(tokens, width)
        self.layers = nn.Sequential(*(Layer(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        h = self.token(tokens) + self.position(torch.arange(tokens.shape[1]))
        return self.head(self.norm(self.layers(h))).flatten(0, 1)


@row
def gpt_step():
    tokens = torch.arange(4 * 256)
    x, y = (tokens * 7 % 65).reshape(4, 256), tokens * 11 % 65
    return Training(x, y, GPT(6, 384, 6, 256, 65), lambda p: torch.optim.AdamW(p, lr=0.0003), 0.05)


@row
def gpt_memory():
    return gpt_step()


# ---- two processes, one thread each ----


class Ranks:
    """A row of two processes: the second one is told the number of calls. -1: the check."""

    def __init__(self, name, rank, port):
        torch.set_num_threads(1)
        self.child = None
        if rank == 0:
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            self.child = subprocess.Popen([sys.executable, __file__, "--rank", name, str(port)])
        os.environ["GLOO_SOCKET_IFNAME"] = "lo"
        dist.init_process_group("gloo", f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
        self.call = DIST[name]()

    def tell(self, count):
        word = torch.tensor([count])
        dist.broadcast(word, 0)
        return int(word)

    def timed(self, count):
        self.tell(count)
        return timed(self.call, count)

    def check(self):
        self.tell(-1)
        return self.call.check() if hasattr(self.call, "check") else 0

    def follow(self):
        while (count := self.tell(0)) != 0:
            if count > 0:
                timed(self.call, count)
            elif hasattr(self.call, "check"):
                self.call.check()

    def close(self):
        self.tell(0)
        self.child.wait()
        dist.destroy_process_group()
        torch.set_num_threads(2)


def ddp(training):
    training.net = nn.parallel.DistributedDataParallel(training.net)
    training.optim = training.optimizer(training.net.parameters())
    return training


def without_sync(training):
    def call():
        with training.net.no_sync():
            training()

    return call


def all_reduce(size):
    x = torch.zeros(size // 4)
    return lambda: torch.distributed.all_reduce(x)


SIZES = {"1k": 1 << 10, "1m": 1 << 20, "100m": 100 << 20}
GPT_BYTES = 4 * 10795776
DIST = {
    "ddp_cnn_b64": lambda: ddp(cnn(64)),
    "ddp_gpt": lambda: ddp(gpt_step()),
    "ddp_gpt_compute": lambda: without_sync(ddp(gpt_step())),
    "ddp_gpt_reduce": lambda: all_reduce(GPT_BYTES),
}
for name, size in SIZES.items():
    DIST[f"all_reduce_{name}"] = lambda size=size: all_reduce(size)
for name in DIST:
    ROWS[name] = lambda name=name: Ranks(name, 0, 0)


# ---- rounds ----


def timed(call, count):
    if hasattr(call, "timed"):
        return call.timed(count)
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


def status_bytes(field):
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith(field))


def begin_peak():
    """The peak begins anew at what is resident now."""
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")
    return status_bytes("VmRSS:")


def answers():
    call, count, before = None, 0, 0
    for line in sys.stdin:
        command, _, name = line.strip().partition(" ")
        if command == "version":
            yield "PyTorch " + torch.__version__
        elif command == "open" and name in ROWS:
            torch.manual_seed(0)
            before = begin_peak()
            call = ROWS[name]()
            begin_peak()  # what only making the operands took is not the row's
            count = calls_of_a_round(call)
            yield count
        elif command == "open":
            yield "failed the peer has no such row"
        elif command == "check":
            yield call.check() if hasattr(call, "check") else 0
        elif command == "peak":
            yield status_bytes("VmHWM:") - before
        elif command == "go":
            yield go(call, count)
        else:
            if hasattr(call, "close"):
                call.close()
            call = None
            yield 0


def main():
    torch.set_num_threads(2)
    if sys.argv[1:2] == ["--rank"]:
        return Ranks(sys.argv[2], 1, int(sys.argv[3])).follow()
    for answer in answers():
        print(answer, flush=True)


main()
