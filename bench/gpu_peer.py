"""What bench/gpu.c prints, of PyTorch on the first CUDA device."""
import time
import torch
from torch import nn

device = torch.device('cuda:0')


def show(name, value):
    print(f'{name}\t{value:.4g}', flush=True)


def time_of(run, calls):
    """The least of five rounds, in seconds for one call; the first round is to warm up."""
    least = 1e30
    for turn in range(6):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            run()
        torch.cuda.synchronize()
        least = min(least, (time.perf_counter() - start) / calls) if turn else least
    return least


def host_cost():
    a, least = torch.ones(4, device=device), 1e30
    for _ in range(20):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(256):
            a + a
        least = min(least, (time.perf_counter() - start) / 256)
    show('add_host_us', least * 1e6)


def copies():
    size = 256 << 20
    host, there = torch.ones(size // 4), torch.ones(size // 4, device=device)
    other = there.clone()
    show('copy_in_GB_s', size / time_of(lambda: there.copy_(host), 1) * 1e-9)
    show('copy_out_GB_s', size / time_of(lambda: host.copy_(there), 1) * 1e-9)
    show('copy_within_GB_s', 2 * size / time_of(lambda: other.copy_(there), 4) * 1e-9)


def products(name, dtype, tf32):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    a, b = (torch.randn(4096, 4096, device=device).to(dtype) for _ in range(2))
    show(f'gemm_{name}_TFLOP_s', 2 * 4096**3 / time_of(lambda: a @ b, 4) * 1e-12)
    x, w = torch.randn(64, 128, 56, 56, device=device).to(dtype), torch.randn(128, 128, 3, 3, device=device).to(dtype)
    work = 2 * 9 * 64 * 56 * 56 * 128 * 128
    show(f'conv_{name}_TFLOP_s', work / time_of(lambda: nn.functional.conv2d(x, w, padding=1), 4) * 1e-12)


def train(images):
    net = nn.Sequential(nn.Conv2d(3, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
                        nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
                        nn.Linear(84, 10)).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.001, momentum=0.9)
    x, y = torch.randn(images, 3, 32, 32, device=device), torch.zeros(images, dtype=torch.int64, device=device)

    def step():
        optimizer.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()

    show(f'cnn_{images}_us', time_of(step, 20) * 1e6)


with torch.no_grad():
    host_cost()
    copies()
    for setting in (('f32', torch.float32, False), ('tf32', torch.float32, True), ('f16', torch.float16, False),
                    ('bf16', torch.bfloat16, False)):
        products(*setting)
torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
train(64)
train(1024)
