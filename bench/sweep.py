"""Every kind of operation beside PyTorch's, in one process: finds those that are slow, where the rows of `make bench`
measure a few with care. Forward and backward, one thread or as many as wanted.

    pip install --target DIR ./bindings/python          (FACULA_BUILD=build/release takes that build's library)
    PYTHONPATH=DIR python bench/sweep.py [--threads N] [--below RATIO] [PART OF A NAME]

PyTorch has to be there. Prints the least time of several rounds in microseconds, and PyTorch's divided by Facula's."""
import argparse
import os
import sys
import time

OPTIONS = argparse.ArgumentParser(description=__doc__.split('\n')[0])
OPTIONS.add_argument('--threads', default='1')
OPTIONS.add_argument('--below', type=float, default=float('inf'), help='shows ratios below this one')
OPTIONS.add_argument('--rounds', type=int, default=7)
OPTIONS.add_argument('part', nargs='?', default='')
GIVEN = OPTIONS.parse_args()
os.environ['FACULA_NUM_THREADS'] = os.environ['OMP_NUM_THREADS'] = GIVEN.threads

import numpy  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
import facula as fa  # noqa: E402

# An operation a line: its code for Facula, and after | for PyTorch where it differs. Names in it are those of OPERANDS; L.
# is the library. With a + before it, the gradient of the operands in brackets is taken as well.
OPERATIONS = '''
L.add(x, y)
L.add(x, v)
L.mul(x, 2.)
L.where(mask, x, y)
L.clamp(x, -1., 1.)
L.exp(x)
L.log(p)
L.sin(x)
L.tan(x)
L.tanh(x)
L.sqrt(p)
L.pow(p, 1.5)
L.erf(x)
L.sigmoid(x)
L.gelu(x) | F.gelu(x)
L.silu(x) | F.silu(x)
L.softplus(x) | F.softplus(x)
L.expm1(x)
L.log1p(p)
L.lgamma(p)
L.atan2(x, y)
L.floor(x)
L.round(x)
L.lt(x, y)
L.logical_and(mask, mask)
L.isnan(x)
L.add(i, i)
L.remainder(i, 7)
L.floor_divide(i, 7) | L.div(i, 7, rounding_mode='floor')
L.bitwise_and(i, i)
x.to(L.f64) | x.to(L.float64)
x.to(L.bf16) | x.to(L.bfloat16)
x.to(L.i64) | x.to(L.int64)
i.to(L.f32) | i.to(L.float32)
L.sum(x)
L.sum(x, 0)
L.sum(x, 1)
L.sum(im, (0, 2, 3))
L.sum(im, 1)
L.mean(x, 1)
L.var(x, 1)
L.std(x, 0)
L.amax(x, 0)
L.amax(x, 1)
L.max(x, 1)
L.argmax(x, 0)
L.argmax(x, 1)
L.amax(rows, 1)
L.sum(rows, 1)
L.argmax(rows, 1)
L.prod(x, 1)
L.all(mask)
L.any(mask, 1)
L.norm(x) | L.linalg.vector_norm(x)
L.norm(x, dim=1) | L.linalg.vector_norm(x, dim=1)
L.logsumexp(x, 1)
L.softmax(x, 1)
L.softmax(x, 0)
L.log_softmax(x, 1)
L.softmax(rows, 1)
L.cumsum(x, 0)
L.cumsum(x, 1)
L.cumprod(x, 1)
L.cummax(x, 1)
L.sort(x, 1)
L.sort(flat)
L.argsort(x, 0)
L.topk(x, 5)
L.kthvalue(x, 5)
L.median(x, 1)
L.unique(few)
L.bincount(few)
L.histogram(flat, 64, -3, 3) | L.histogram(flat, 64, range=(-3, 3))
L.searchsorted(sorted, x)
L.gather(x, 1, index)
L.gather(x, 0, index)
L.scatter(x, 1, index, y)
L.scatter_add(x, 1, index, y)
L.scatter_add(x, 0, index, y)
L.index_select(x, 0, picks)
L.index_select(x, 1, picks)
L.index_add(x, 0, picks, y)
L.index_fill(x, 0, picks, 1.)
L.take(x, index)
L.masked_fill(x, mask, 0.)
L.masked_select(x, mask)
L.nonzero(mask)
L.one_hot(few) | F.one_hot(few)
L.embedding(picks, x) | F.embedding(picks, x)
L.cat([x, y], 0)
L.cat([x, y], 1)
L.cat(parts, 0)
L.stack([x, y], 0)
L.stack([x, y], 2)
L.contiguous(L.t(x)) | x.t().contiguous()
L.contiguous(L.permute(im, (0, 2, 3, 1))) | im.permute(0, 2, 3, 1).contiguous()
L.flip(x, [0])
L.flip(x, [1])
L.roll(x, [3], [1])
L.repeat(x, [2, 2]) | x.repeat(2, 2)
L.repeat_interleave(x, 2, dim=1)
L.tile(v, [64])
L.tril(x)
L.triu(x)
L.diag(v)
L.pad(im, [1, 1, 1, 1]) | F.pad(im, [1, 1, 1, 1])
L.pad(im, [1, 1, 1, 1], mode='reflect') | F.pad(im, [1, 1, 1, 1], mode='reflect')
L.unfold(x, 1, 8, 4) | x.unfold(1, 8, 4)
L.kron(k, k)
L.outer(v, v)
L.matmul(x, y)
L.matmul(x, v)
L.matmul(v, x)
L.dot(flat, flat)
L.bmm(tiny, tiny)
L.bmm(batch, batch)
L.addmm(x, x, y)
L.einsum('bij,bjk->bik', [batch, batch]) | L.einsum('bij,bjk->bik', batch, batch)
L.linear(x, y, v) | F.linear(x, y, v)
L.cdist(k, k)
L.conv2d(im, w, padding=1) | F.conv2d(im, w, padding=1)
L.conv2d(im, dw, padding=1, groups=16) | F.conv2d(im, dw, padding=1, groups=16)
L.conv2d(im, w1) | F.conv2d(im, w1)
L.conv1d(x3, w3) | F.conv1d(x3, w3)
L.conv_transpose2d(im, w) | F.conv_transpose2d(im, w)
L.max_pool2d(im, 2) | F.max_pool2d(im, 2)
L.avg_pool2d(im, 2) | F.avg_pool2d(im, 2)
L.max_pool2d(im, 3, 1, 1) | F.max_pool2d(im, 3, 1, 1)
L.adaptive_avg_pool2d(im, 4) | F.adaptive_avg_pool2d(im, 4)
L.layer_norm(x, [1024], v, v) | F.layer_norm(x, [1024], v, v)
L.batch_norm(im, training=True) | F.batch_norm(im, None, None, training=True)
L.group_norm(im, 4) | F.group_norm(im, 4)
L.rms_norm(x, [1024]) | F.rms_norm(x, [1024])
L.dropout(x) | F.dropout(x)
L.cross_entropy(x, picks) | F.cross_entropy(x, picks)
L.mse_loss(x, y) | F.mse_loss(x, y)
L.binary_cross_entropy_with_logits(x, y) | F.binary_cross_entropy_with_logits(x, y)
L.smooth_l1_loss(x, y) | F.smooth_l1_loss(x, y)
L.kl_div(x, y) | F.kl_div(x, y)
L.scaled_dot_product_attention(q, q, q) | F.scaled_dot_product_attention(q, q, q)
L.rand([1024, 1024]) | L.rand(1024, 1024)
L.randn([1024, 1024]) | L.randn(1024, 1024)
L.randint(0, 10, [1024, 1024]) | L.randint(0, 10, (1024, 1024))
L.randperm(100000)
L.multinomial(p, 8)
L.bernoulli(u)
L.zeros([1024, 1024]) | L.zeros(1024, 1024)
L.arange(0, 1000000)
L.linspace(0, 1, 1000000)
x[index1, index1]
x[10:500, ::2] + 1
+ x: L.exp(x)
+ x: L.tanh(x)
+ x: L.gelu(x) | F.gelu(x)
+ x y: L.mul(x, y)
+ x v: L.add(x, v)
+ x: L.sum(x, 1)
+ x: L.amax(x, 1)
+ x: L.prod(x, 1)
+ rows: L.prod(rows, 1)
+ x: L.var(x, 1)
+ x: L.softmax(x, 1)
+ x: L.logsumexp(x, 1)
+ x: L.cumsum(x, 1)
+ x: L.sort(x, 1)[0]
+ x: L.gather(x, 1, index)
+ x: L.index_select(x, 0, picks)
+ x y: L.cat([x, y], 1)
+ x y: L.matmul(x, y)
+ x v: L.matmul(x, v)
+ x y: L.where(mask, x, y)
+ x: L.norm(x, dim=1) | L.linalg.vector_norm(x, dim=1)
+ im w: L.conv2d(im, w, padding=1) | F.conv2d(im, w, padding=1)
+ im dw: L.conv2d(im, dw, padding=1, groups=16) | F.conv2d(im, dw, padding=1, groups=16)
+ im w: L.conv_transpose2d(im, w) | F.conv_transpose2d(im, w)
+ im: L.max_pool2d(im, 3, 1, 1) | F.max_pool2d(im, 3, 1, 1)
+ im: L.avg_pool2d(im, 2) | F.avg_pool2d(im, 2)
+ im: L.group_norm(im, 4) | F.group_norm(im, 4)
+ x: L.layer_norm(x, [1024], v, v) | F.layer_norm(x, [1024], v, v)
+ x: L.cross_entropy(x, picks) | F.cross_entropy(x, picks)
+ x: L.embedding(picks, x) | F.embedding(picks, x)
+ q: L.scaled_dot_product_attention(q, q, q) | F.scaled_dot_product_attention(q, q, q)
'''


def operands():
    """NumPy arrays by name."""
    r = numpy.random.default_rng(0)

    def normal(*shape):
        return r.standard_normal(shape, dtype=numpy.float32)

    k = normal(64, 64)
    return {
        'x': normal(1024, 1024), 'y': normal(1024, 1024), 'v': normal(1024), 'p': abs(normal(1024, 1024)) + .1,
        'u': r.random((1024, 1024), dtype=numpy.float32), 'mask': normal(1024, 1024) > 0,
        'i': r.integers(1, 1000, (1024, 1024)), 'index': r.integers(0, 1024, (1024, 1024)),
        'index1': r.integers(0, 1024, 10000), 'picks': r.integers(0, 1024, 1024), 'few': r.integers(0, 10, 100000),
        'flat': normal(1000000), 'sorted': numpy.sort(normal(1000)), 'rows': normal(20000, 10), 'im': normal(32, 16, 32, 32),
        'w': normal(16, 16, 3, 3), 'w1': normal(32, 16, 1, 1), 'dw': normal(16, 1, 3, 3), 'x3': normal(16, 32, 256),
        'w3': normal(32, 32, 3), 'k': k, 'spd': k @ k.T + 64 * numpy.eye(64, dtype=numpy.float32),
        'tiny': normal(1000, 4, 4), 'batch': normal(64, 64, 64), 'q': normal(4, 6, 256, 64)}


class Side:
    """One of the libraries with its operands."""

    def __init__(self, library, of_array):
        self.names = {'L': library, 'F': F}
        self.names.update({name: of_array(a) for name, a in operands().items()})
        self.names['parts'] = [of_array(a) for a in numpy.split(numpy.ones((1024, 8), 'f4'), 256)]

    def call(self, code, wanted):
        """A function that computes the code, and the gradients of the operands that are wanted."""
        inside = dict(self.names)
        for name in wanted:
            inside[name] = self.leaf(name)
        f = eval(f'lambda: {code}', inside)
        if not wanted:
            return f
        leaves = [inside[name] for name in wanted]
        seed = self.ones_like(f())

        def both():
            f().backward(seed)
            for t in leaves:
                t.grad = None
        return both


class Facula(Side):
    def __init__(self):
        super().__init__(fa, fa.from_numpy)

    def leaf(self, name):
        t = fa.clone(self.names[name])
        t.requires_grad = True
        return t

    def ones_like(self, t):
        return fa.ones_like(t)


class PyTorch(Side):
    def __init__(self):
        super().__init__(torch, torch.from_numpy)

    def leaf(self, name):
        return self.names[name].clone().requires_grad_()

    def ones_like(self, t):
        return torch.ones_like(t)


def seconds(f, count):
    began = time.perf_counter()
    for _ in range(count):
        f()
    return (time.perf_counter() - began) / count


def least(first, second):
    """The least time of each over alternating rounds."""
    best, count = [float('inf')] * 2, [1, 1]
    for turn, f in enumerate((first, second)):
        f()
        count[turn] = max(1, min(1000, int(.004 / max(seconds(f, 1), 1e-7))))
    for _ in range(GIVEN.rounds):
        for turn, f in enumerate((first, second)):
            best[turn] = min(best[turn], seconds(f, count[turn]))
    return best


def main():
    torch.set_num_threads(int(GIVEN.threads))
    ours, theirs = Facula(), PyTorch()
    print(f'{"operation":58} {"Facula us":>10} {"PyTorch us":>10} {"ratio":>6}')
    for line in OPERATIONS.strip().splitlines():
        if GIVEN.part not in line:
            continue
        wanted, code = [], line
        if line.startswith('+'):
            wanted, code = line[1:].split(':', 1)
            wanted = wanted.split()
        mine, _, other = (part.strip() for part in code.partition('|'))
        try:
            a, b = least(ours.call(mine, wanted), theirs.call(other or mine, wanted))
        except Exception as error:  # the sweep goes on with the next one
            print(f'{line[:58]:58} {type(error).__name__}: {str(error)[:120]}')
            continue
        if b / a < GIVEN.below:
            print(f'{("backward " if wanted else "") + mine:58} {1e6 * a:10.1f} {1e6 * b:10.1f} {b / a:6.2f}')
        sys.stdout.flush()


main()
