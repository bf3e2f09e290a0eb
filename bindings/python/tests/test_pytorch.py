"""What a program for PyTorch finds here: the same expressions, evaluated in both. Skipped where PyTorch is not installed."""
import os
import tempfile
import types
import unittest

import facula as fa
import facula.nn as nn
import facula.nn.functional as F

try:
    import numpy
    import torch
except ImportError:
    raise unittest.SkipTest('PyTorch is not installed') from None

BOTH = (types.SimpleNamespace(torch=fa, nn=nn, F=F, optim=fa.optim, rates=fa.optim.lr_scheduler),
        types.SimpleNamespace(torch=torch, nn=torch.nn, F=torch.nn.functional, optim=torch.optim,
                              rates=torch.optim.lr_scheduler))


def ours_of(t, requires_grad=False):
    """A copy of a tensor of PyTorch."""
    return fa.tensor(t.detach(), requires_grad=requires_grad)


class Case(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        fa.manual_seed(1)

    def near(self, ours, theirs, where='', tolerance=1e-5):
        """Compares tensors, or tuples of them."""
        if isinstance(theirs, (tuple, list)):
            self.assertEqual(len(ours), len(theirs), where)
            for a, b in zip(ours, theirs):
                self.near(a, b, where, tolerance)
        elif isinstance(theirs, torch.Tensor):
            a, b = torch.tensor(ours.tolist(), dtype=torch.float64), theirs.detach().double()
            self.assertEqual(a.shape, b.shape, where)
            self.assertTrue(torch.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True), f'{where}: {a} {b}')
        else:
            self.assertEqual(ours, theirs, where)

    def same_state(self, ours, theirs):
        self.assertEqual(set(ours), set(theirs))
        self.near([ours[n] for n in theirs], list(theirs.values()))

    def both(self, text, constant=(), **inputs):
        """Evaluates an expression in both, and its gradients with respect to floating-point inputs that are no constants."""
        theirs = {n: t.clone().requires_grad_(t.is_floating_point() and n not in constant) for n, t in inputs.items()}
        ours = {n: ours_of(t, t.requires_grad) for n, t in theirs.items()}
        a, b = (eval(text, {**vars(space), **given}) for space, given in zip(BOTH, (ours, theirs)))
        self.near(a, b, text)
        if isinstance(b, torch.Tensor) and b.requires_grad:
            (a * a).sum().backward()
            (b * b).sum().backward()
            for n, t in theirs.items():
                if t.grad is not None:
                    self.near(ours[n].grad, t.grad, f'{text}: gradient of {n}', 1e-4)
        return a, b


class Functional(Case):
    def test_operations(self):
        x, y, images = torch.randn(4, 6), torch.randn(4, 6), torch.randn(2, 3, 8, 8)
        for text in ('F.relu(x + 0, inplace=True)', 'F.leaky_relu(x, 0.2)', 'F.elu(x, alpha=0.5)', 'F.gelu(x)', 'F.silu(x)',
                     'F.gelu(x, approximate="tanh")', 'F.hardtanh(x, min_val=-0.5, max_val=0.5)', 'F.softplus(x, beta=2)',
                     'F.softmax(x, dim=-1)', 'F.log_softmax(x, dim=1)', 'F.normalize(x, dim=1)',
                     'F.pad(x, (1, 2), value=3.0)', 'F.pad(x, pad=(1, 1))', 'F.dropout(x, p=0.5, training=False)',
                     'F.cosine_similarity(x, y, dim=1)', 'F.linear(x, y, bias=None)', 'F.layer_norm(x, (6,))',
                     'torch.flatten(x, start_dim=0)', 'x.flatten(0, 1)', 'torch.clamp(x, min=-0.5, max=0.5)',
                     'x.clamp(min=0)', 'torch.clip(x, -1, 1)', 'torch.flip(x, dims=[0])', 'torch.cat([x, y], dim=1)',
                     'torch.stack((x, y), dim=0)', 'x.view(-1)', 'x.reshape(2, 12)', 'x.T', 'x.t()', 'torch.multiply(x, y)',
                     'x.view_as(y)', 'torch.diag(x[:, :4], diagonal=1)', 'x.ravel()', 'x.data * 2',
                     'torch.full((2, 2), fill_value=3.0)', 'x.split(split_size=2, dim=1)', 'x.max(dim=1)',
                     'torch.max(x, 1)[1]', 'x.masked_fill(y > 0, -1e9)', 'torch.where(x > 0, x, y)',
                     'torch.einsum("ij,kj->ik", x, y)', 'x.std(dim=0)', 'torch.tril(torch.ones(3, 3), diagonal=-1)',
                     'x.unsqueeze(0).squeeze(0)', 'x.mean(dim=(0, 1), keepdim=True)', 'x.topk(2, dim=1)',
                     'x.argsort(dim=1, descending=True)', 'x.norm()', 'x.var(dim=1, unbiased=False)', 'x.chunk(3, dim=1)',
                     'x.permute(1, 0)', 'x.transpose(0, 1)', 'x.repeat(2, 1)', 'x.expand(2, 4, 6)', 'x.clamp(max=y)',
                     'torch.div(x, y, rounding_mode="trunc")', 'torch.where(x > 0)', '(x > 0).nonzero(as_tuple=True)',
                     'torch.nonzero(x > 0)', 'torch.split(x, [1, 3])', 'torch.arange(0, 10, 2)', 'torch.roll(x, 1, 0)',
                     'x.std(1)', 'F.layer_norm(x, (6,), y[0], y[1], 1e-3)', 'torch.meshgrid(x[0], y[:, 0], indexing="ij")',
                     'x.var(1, keepdim=True)',
                     'x.is_contiguous(), x.T.is_contiguous(), x.dim(), x.numel(), x.element_size(), x.is_floating_point()'):
            with self.subTest(text):
                self.both(text, x=x, y=y)
        for text in ('F.max_pool2d(images, kernel_size=2)', 'F.max_pool2d(images, 3, stride=2, padding=1)',
                     'F.avg_pool2d(images, 2)', 'F.adaptive_avg_pool2d(images, output_size=(2, 2))',
                     'F.adaptive_avg_pool2d(images, 1).flatten(1)', 'images.flatten(start_dim=1)',
                     'F.conv2d(images, w, stride=2, padding=1)', 'F.conv2d(images, w, padding="same")'):
            with self.subTest(text):
                self.both(text, images=images, w=torch.randn(4, 3, 3, 3))
        for text in ('x.sum(axis=0)', 'x.mean(axis=1, keepdims=True)', 'torch.std(x, axis=1)', 'x.amax(axis=(0, 1))', 'x.argmax(axis=1)',
                     'torch.max(x, axis=1)', 'x.median(axis=1, keepdims=True)', 'torch.softmax(x, axis=0)', 'x.cumsum(axis=1)',
                     'torch.cat([x, x], axis=1)', 'torch.stack([x, x], axis=1)', 'x.unsqueeze(axis=0).squeeze(axis=0)',
                     'x.sort(axis=0)', 'x.norm(p=2, dim=1, keepdim=True)', 'x.sum(axis=None)',
                     'x.gather(axis=1, index=torch.tensor([[0, 3]]))', 'torch.index_select(x, axis=1, index=torch.tensor([2, 0]))',
                     'x.view(torch.int32)', 'x.view(torch.uint8)', 'x.view(torch.float64)', 'x.view(dtype=torch.int16)'):
            self.both(text, x=torch.randn(3, 4))
        self.both('F.one_hot(i, num_classes=5)', i=torch.tensor([1, 4]))
        self.both('F.embedding(i, w)', i=torch.tensor([[1, 3], [0, 1]]), w=torch.randn(5, 3))
        q, k, v = (torch.randn(2, 3, 5, 4) for _ in range(3))
        self.both('F.scaled_dot_product_attention(q, k, v, is_causal=True)', q=q, k=k, v=v)
        self.both('F.scaled_dot_product_attention(q, k, v, attn_mask=m)', q=q, k=k, v=v, m=torch.rand(5, 5) > 0.3)

    def test_interpolation(self):
        lines, images, volumes = torch.randn(2, 3, 7), torch.randn(2, 3, 5, 8), torch.randn(1, 2, 3, 4, 5)
        for text in ('images, size=(7, 3)', 'images, scale_factor=2', 'images, (9, 4), mode="nearest-exact"',
                     'images, scale_factor=2, mode="bilinear"', 'images, size=(3, 11), mode="bilinear", align_corners=True',
                     'images, scale_factor=(0.6, 1.7), mode="bilinear"', 'images, size=1, mode="bilinear", align_corners=True',
                     'images, scale_factor=(0.6, 1.7), mode="bilinear", recompute_scale_factor=True',
                     'images, size=(4, 12), mode="bicubic"', 'images, scale_factor=0.7, mode="bicubic", align_corners=True',
                     'images, size=(3, 4), mode="area"', 'images, size=(3, 4), mode="bilinear", antialias=True',
                     'lines, size=11, mode="linear"', 'lines, scale_factor=0.5', 'lines, 4, mode="area"',
                     'volumes, size=(5, 2, 7), mode="trilinear"', 'volumes, scale_factor=2'):
            with self.subTest(text):
                name = text.split(',')[0]
                self.both(f'F.interpolate({text})', **{name: {'images': images, 'lines': lines, 'volumes': volumes}[name]})
        self.both('nn.Upsample(scale_factor=3, mode="bilinear")(images)', images=images)
        for wrong in (dict(size=3, mode='linear'), dict(size=3, scale_factor=2), dict(), dict(size=(1, 2, 3)), dict(size=0),
                      dict(size=3, align_corners=True), dict(size=3, mode='bicubic', antialias=True)):
            self.assertRaises(ValueError, F.interpolate, fa.ones(1, 1, 4, 4), **wrong)

    def test_linear_algebra(self):
        x, y, m = torch.randn(4, 6), torch.randn(4, 6), torch.randn(2, 3, 4)
        for text in ('norm(x)', 'norm(x, dim=1)', 'norm(x[0], 1)', 'norm(x, "fro")', 'norm(x, float("inf"))', 'norm(x, 1)',
                     'norm(m, -1, dim=(0, 2))', 'norm(x, 3, dim=0, keepdim=True)', 'vector_norm(x, 0)',
                     'vector_norm(m, 1, dim=(0, 1))', 'matrix_norm(m)', 'matrix_norm(m, float("-inf"), keepdim=True)',
                     'matrix_norm(m, 1, dim=(0, 1))', 'vecdot(x, y)', 'multi_dot([x, y.T, x])', 'matrix_power(x[:, :4], 3)',
                     'cross(x[:, :3], y[:, :3])', 'vander(x[0])', 'diagonal(x)', 'matmul(x, y.T)'):
            with self.subTest(text):
                self.both(f'torch.linalg.{text}', x=x, y=y, m=m)
        self.assertRaisesRegex(ValueError, 'singular', fa.linalg.norm, fa.ones(2, 2), 'nuc')
        self.assertRaises(ValueError, fa.linalg.norm, fa.ones(2, 2, 2), 1)

    def test_losses(self):
        x, y, p = torch.randn(5, 4), torch.randn(5, 4), torch.rand(5, 4)
        target, sign = torch.randint(0, 4, (5,)), torch.randn(5).sign()
        weight = torch.rand(4)
        for text in ('nn.CrossEntropyLoss()(x, target)',
                     'nn.CrossEntropyLoss(weight=weight, label_smoothing=0.1)(x, target)',
                     'nn.CrossEntropyLoss(ignore_index=1, reduction="sum")(x, target)', 'nn.MSELoss()(x, y)',
                     'nn.MSELoss(reduction="none")(x, y)', 'nn.L1Loss()(x, y)', 'nn.SmoothL1Loss(beta=0.5)(x, y)',
                     'nn.HuberLoss(delta=0.5)(x, y)', 'nn.NLLLoss()(F.log_softmax(x, 1), target)',
                     'nn.BCELoss()(p, p * 0.5)', 'nn.BCEWithLogitsLoss(pos_weight=weight)(x, p)',
                     'nn.KLDivLoss(reduction="batchmean")(x, p)', 'nn.KLDivLoss(reduction="sum", log_target=True)(x, y)',
                     'nn.GaussianNLLLoss()(x, y, p + 0.1)', 'nn.PoissonNLLLoss()(x, p)',
                     'nn.HingeEmbeddingLoss()(x[:, 0], sign)', 'nn.SoftMarginLoss()(x[:, 0], sign)',
                     'nn.MarginRankingLoss(margin=0.1)(x[:, 0], y[:, 0], sign)', 'nn.CosineEmbeddingLoss()(x, y, sign)',
                     'nn.TripletMarginLoss()(x, y, p)', 'nn.MultiMarginLoss()(x, target)',
                     'nn.MultiLabelSoftMarginLoss()(x, (p > 0.5) * 1.0)', 'F.cross_entropy(x, target, reduction="sum")',
                     'F.mse_loss(x, y)', 'F.binary_cross_entropy_with_logits(input=x, target=p)'):
            with self.subTest(text):
                given = dict(x=x, y=y, p=p, target=target, sign=sign, weight=weight)
                self.both(text, ('weight', 'sign'), **given)


class Layers(Case):
    TEXTS = {
        (3, 4, 6): ['nn.Linear(6, 5)', 'nn.Linear(in_features=6, out_features=5, bias=False)', 'nn.LayerNorm(6)',
                    'nn.RMSNorm(6)', 'nn.LayerNorm((4, 6), eps=1e-3)', 'nn.Conv1d(4, 8, 3, padding=1)', 'nn.BatchNorm1d(4)',
                    'nn.PReLU()', 'nn.Softmax(dim=1)', 'nn.GELU()', 'nn.GELU(approximate="tanh")', 'nn.SiLU(inplace=True)',
                    'nn.ELU(0.5)', 'nn.Flatten()', 'nn.Flatten(start_dim=0, end_dim=1)', 'nn.Identity()',
                    'nn.LogSoftmax(-1)', 'nn.ReLU6()', 'nn.MaxPool1d(2)', 'nn.Hardtanh(min_val=-0.1, max_val=0.2)',
                    'nn.Mish()', 'nn.Tanh()', 'nn.LeakyReLU(0.1)', 'nn.Unflatten(dim=2, unflattened_size=(2, 3))',
                    'nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 2))'],
        (2, 4, 8, 8): ['nn.Conv2d(4, 6, 3)',
                       'nn.Conv2d(in_channels=4, out_channels=6, kernel_size=(3, 1), stride=2, padding=(1, 0))',
                       'nn.Conv2d(4, 4, 3, padding="same", groups=2, bias=False)', 'nn.Conv2d(4, 2, 3, dilation=2)',
                       'nn.ConvTranspose2d(4, 3, kernel_size=2, stride=2)', 'nn.BatchNorm2d(4)', 'nn.GroupNorm(2, 4)',
                       'nn.BatchNorm2d(num_features=4, affine=False)', 'nn.MaxPool2d(kernel_size=2, stride=2)',
                       'nn.MaxPool2d(2, 2)', 'nn.AvgPool2d(2)', 'nn.AdaptiveAvgPool2d((1, 1))',
                       'nn.AdaptiveAvgPool2d(output_size=2)',
                       'nn.Sequential(nn.Conv2d(4, 2, 3), nn.BatchNorm2d(2), nn.ReLU(inplace=True), nn.Flatten())',
                       'nn.Dropout2d(0)']}

    def compare(self, text, x):
        theirs, ours = (eval(text, vars(space)) for space in BOTH[::-1])
        self.assertEqual({n: t.shape for n, t in ours.state_dict().items()},
                         {n: tuple(t.shape) for n, t in theirs.state_dict().items()})
        ours.load_state_dict(theirs.state_dict())
        for mode in (True, False):
            ours.train(mode), theirs.train(mode)
            self.near(ours(ours_of(x)), theirs(x.clone()), text)
        self.same_state(ours.state_dict(), theirs.state_dict())

    def test_layers(self):
        for shape, texts in self.TEXTS.items():
            for text in texts:
                with self.subTest(text):
                    self.compare(text, torch.randn(shape))
        self.compare('nn.Embedding(num_embeddings=5, embedding_dim=3, padding_idx=0)', torch.tensor([[0, 4], [1, 1]]))
        self.assertEqual(nn.Linear(6, 5).in_features, 6)
        self.assertEqual(nn.Conv2d(4, 6, kernel_size=3).kernel_size, 3)
        self.assertIsInstance(nn.Sequential(nn.Linear(2, 2))[0], nn.Linear)

    def test_recurrent_layers(self):
        options = ('', 'bias=False', 'num_layers=2', 'num_layers=2, bidirectional=True, batch_first=True',
                   'num_layers=3, dropout=0')
        more = {'RNN': ('nonlinearity="relu"', '2, "relu"'), 'LSTM': ('num_layers=2, proj_size=3',)}
        for kind in ('LSTM', 'GRU', 'RNN'):
            for option in options + more.get(kind, ()):
                text = f'nn.{kind}(5, 4, {option})'
                for shape in ((3, 2, 5), (3, 5)):
                    with self.subTest(text, shape=shape):
                        self.recurrent(text, kind, shape)

    def recurrent(self, text, kind, shape):
        theirs, ours = (eval(text, vars(space)) for space in BOTH[::-1])
        self.assertEqual(list(ours.state_dict()), list(theirs.state_dict()))
        ours.load_state_dict(theirs.state_dict())
        x = torch.randn(shape, requires_grad=True)
        first = ours_of(x, True)
        y, state = theirs(x)
        ours_y, ours_state = ours(first)
        self.near((ours_y, ours_state), (y, state), text)
        y, state = theirs(x, state)  # with a state
        ours_y, ours_state = ours(first, ours_state)
        self.near((ours_y, ours_state), (y, state), text)
        (y * y).sum().backward()
        (ours_y * ours_y).sum().backward()
        self.near(first.grad, x.grad, text, 1e-4)
        for (name, p), (_, q) in zip(ours.named_parameters(), theirs.named_parameters()):
            self.near(p.grad, q.grad, f'{text}: {name}', 1e-4)
        x = x.detach().double()
        self.near(ours.to(fa.float64)(ours_of(x)), theirs.double()(x), text, 1e-10)
        self.assertEqual({p.dtype for p in ours.parameters()}, {fa.f64})

    def test_packed_sequences(self):
        x, rnn = torch.randn(5, 4, 3), 'nn.utils.rnn.'
        for text in ('pad_sequence([x[:3, 0], x[:, 1], x[:1, 2]])', 'pad_sequence([x[:2], x], True, -1.0)',
                     'pad_sequence([x[:2, 0], x[:, 1]], padding_side="left")', 'unpad_sequence(x + 0, torch.tensor([3, 5, 1, 2]))',
                     'unpad_sequence(x + 0, torch.tensor([3, 2, 1, 3, 4]), batch_first=True)'):
            self.both(rnn + text, x=x)
        for lengths, options in (([5, 3, 3, 1], ''), ([3, 3, 3, 3], ''), ([2, 4, 1, 5], ', enforce_sorted=False'),
                                 ([4, 4, 2, 3, 4], ', batch_first=True, enforce_sorted=False')):
            self.both(f'{rnn}pack_padded_sequence(x, {lengths}{options})', x=x)
            for more in ('', 'batch_first=True, padding_value=-2', 'total_length=7'):
                self.both(f'{rnn}pad_packed_sequence({rnn}pack_padded_sequence(x, {lengths}{options}), {more})', x=x)
        self.both(f'{rnn}pack_sequence([x[:3, 0], x[:, 1]], enforce_sorted=False)', x=x)
        pack = nn.utils.rnn.pack_padded_sequence
        for wrong in (([1, 2],), ([6, 1, 1, 1],), ([1, 0, 1, 1],), ([1, 2, 3, 4],)):
            self.assertRaises(ValueError, pack, fa.ones(5, 4, 3), *wrong)
        self.assertRaises(TypeError, nn.LSTMCell(3, 2), pack(fa.ones(5, 4, 3), [5, 4, 3, 2]))

    def test_recurrent_layers_over_packed_sequences(self):
        for text in ('nn.LSTM(5, 4)', 'nn.GRU(5, 4, num_layers=2)', 'nn.RNN(5, 4, bias=False)',
                     'nn.RNN(5, 4, nonlinearity="relu", bidirectional=True)', 'nn.GRU(5, 4, bidirectional=True)',
                     'nn.LSTM(5, 4, num_layers=2, bidirectional=True, proj_size=3, batch_first=True)'):
            for lengths in ([6, 2, 2, 1], [3, 6, 1, 3]):
                with self.subTest(text, lengths=lengths):
                    self.packed(text, lengths)
        net = nn.LSTM(5, 4)
        packed = nn.utils.rnn.pack_padded_sequence(fa.randn(3, 2, 5), [3, 2])
        self.assertRaises(ValueError, net, packed, (fa.zeros(1, 3, 4), fa.zeros(1, 3, 4)))

    def packed(self, text, lengths):
        theirs, ours = (eval(text, vars(space)) for space in BOTH[::-1])
        ours.load_state_dict(theirs.state_dict())
        x = torch.randn(6, 4, 5, requires_grad=True)
        first = ours_of(x, True)
        pack, our_pack = torch.nn.utils.rnn.pack_padded_sequence, nn.utils.rnn.pack_padded_sequence
        y, state = theirs(pack(x, lengths, enforce_sorted=False))
        ours_y, ours_state = ours(our_pack(first, lengths, enforce_sorted=False))
        self.near((tuple(ours_y), ours_state), (tuple(y), state), text)
        y, state = theirs(pack(x, lengths, enforce_sorted=False), state)
        ours_y, ours_state = ours(our_pack(first, lengths, enforce_sorted=False), ours_state)
        self.near((tuple(ours_y), ours_state), (tuple(y), state), text)
        for y, h in ((y, state), (ours_y, ours_state)):
            ((y.data ** 2).sum() + sum((s ** 2).sum() for s in (h if isinstance(h, tuple) else (h,)))).backward()
        self.near(first.grad, x.grad, text, 1e-4)
        for (name, p), (_, q) in zip(ours.named_parameters(), theirs.named_parameters()):
            self.near(p.grad, q.grad, f'{text}: {name}', 1e-4)

    def test_recurrent_cells(self):
        for text in ('nn.LSTMCell(5, 4)', 'nn.GRUCell(5, 4, bias=False)', 'nn.RNNCell(5, 4)', 'nn.RNNCell(5, 4, nonlinearity="relu")'):
            theirs, ours = (eval(text, vars(space)) for space in BOTH[::-1])
            self.assertEqual(list(ours.state_dict()), list(theirs.state_dict()))
            ours.load_state_dict(theirs.state_dict())
            for shape in ((3, 5), (5,)):
                x, state, our_state = torch.randn(shape), None, None
                for _ in range(2):
                    state, our_state = theirs(x, state), ours(ours_of(x), our_state)
                    self.near(our_state, state, text)

    def test_recurrent_layers_in_half_precision(self):
        for kind in ('LSTM', 'GRU', 'RNN'):
            net, x = getattr(nn, kind)(5, 4, num_layers=2), fa.randn(3, 2, 5)
            right = net(x)[0]
            with fa.autocast('cpu', dtype=fa.bfloat16):
                self.assertLess((net(x)[0].float() - right).abs().max().item(), 0.05)
            y = net.bfloat16().to('cpu')(x.bfloat16())[0]
            self.assertEqual(y.dtype, fa.bf16)
            self.assertLess((y.float() - right).abs().max().item(), 0.05)
        for device in ('late:0', 'cuda'):
            if fa.is_available(device):
                y = net.float().to(device)(x.to(device))[0]
                self.assertEqual(y.device.type, device.partition(':')[0])
                self.assertLess((y.cpu() - right).abs().max().item(), 0.05)
                criterion = nn.CrossEntropyLoss(weight=fa.ones(4)).to(device)
                criterion(y[0], fa.zeros(2, dtype=fa.long, device=device)).backward()
        for wrong in ((fa.ones(3, 2, 4),), (fa.ones(2, 2, 2, 5),), (fa.ones(3, 2, 5), fa.zeros(1, 2, 4))):
            self.assertRaises(fa.Error, nn.GRU(5, 4, num_layers=2), *wrong)


class Training(Case):
    def steps(self, text, rate='None', count=12):
        """Rates and parameters of both after some steps."""
        start, results = torch.randn(3, 2), []
        for space in BOTH:
            w = ours_of(start, True) if space.torch is fa else start.clone().requires_grad_()
            v = ours_of(start, True) if space.torch is fa else start.clone().requires_grad_()
            scope = {**vars(space), 'w': w, 'v': v}
            scope['opt'] = opt = eval(text, scope)
            schedule, rates = eval(rate, scope), []
            for i in range(count):
                opt.zero_grad()
                ((w - 1) ** 2 + 0.1 * v * v).sum().backward()
                opt.step()
                if schedule:
                    schedule.step(*[1.0] * ('Plateau' in rate))
                    rates.append(torch.tensor(schedule.get_last_lr()))
            results.append((rates, w, v))
        (rates, w, v), theirs = results
        self.near([ours_of(r) for r in rates], theirs[0], rate or text, 1e-6)
        self.near((w, v), theirs[1:], text + rate)

    def test_optimizers(self):
        for text in ('optim.SGD([w, v], 0.1, 0.9)',
                     'optim.SGD([w, v], lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1)',
                     'optim.Adam([w, v], 0.05, (0.8, 0.99))',
                     'optim.Adam([w, v], lr=0.05, betas=(0.8, 0.99), amsgrad=True)',
                     'optim.AdamW([w, v], lr=0.05, weight_decay=0.1, fused=False)',
                     'optim.RMSprop([w, v], 0.05, 0.9, momentum=0.5)', 'optim.Adagrad([w, v], lr=0.1, lr_decay=0.01)',
                     'optim.Adam((p for p in (w, v)), lr=0.1)',
                     'optim.SGD([{"params": [w], "lr": 0.2}, {"params": v, "weight_decay": 0.1}], lr=0.1, momentum=0.9)',
                     'optim.AdamW([{"params": [w]}, {"params": [v], "lr": 0.01, "betas": (0.5, 0.9)}], lr=0.1)'):
            with self.subTest(text):
                self.steps(text)

    def test_groups(self):
        w, v = fa.ones(2, requires_grad=True), fa.ones(3, requires_grad=True)
        opt = fa.optim.SGD([{'params': w}], lr=0.1)
        opt.add_param_group({'params': [v], 'lr': 0.5})
        self.assertEqual([[p.shape for p in g['params']] for g in opt.param_groups], [[(2,)], [(3,)]])
        self.assertEqual(repr(opt), 'sgd: 1 parameters with lr 0.1, 1 parameters with lr 0.5')
        for g in opt.param_groups:
            g['lr'] *= 0.5
        self.assertEqual([g['lr'] for g in opt.param_groups], [0.05, 0.25])
        ((w * w).sum() + v.sum()).backward()
        self.assertEqual(opt.step(lambda: 7), 7)

    def test_schedules(self):
        for rate in ('rates.StepLR(opt, step_size=3, gamma=0.5)', 'rates.MultiStepLR(opt, milestones=[2, 5], gamma=0.3)',
                     'rates.ExponentialLR(opt, gamma=0.9)', 'rates.CosineAnnealingLR(opt, T_max=10, eta_min=0.001)',
                     'rates.LinearLR(opt, start_factor=0.1, total_iters=4)',
                     'rates.ConstantLR(opt, factor=0.5, total_iters=3)',
                     'rates.LambdaLR(opt, lr_lambda=lambda epoch: 0.95 ** epoch)',
                     'rates.LambdaLR(opt, [lambda e: 1 / (e + 1), lambda e: 0.5 ** e])',
                     'rates.OneCycleLR(opt, max_lr=0.5, total_steps=12)',
                     'rates.CyclicLR(opt, 0.1, 0.5, step_size_up=3, mode="triangular2")',
                     'rates.CyclicLR(opt, 0.1, 0.5, 3, 2, scale_fn=lambda n: 0.9 ** n, base_momentum=0.7)',
                     'rates.CyclicLR(opt, 0.1, 0.5, 3, scale_fn=lambda n: 0.9 ** n, scale_mode="iterations")',
                     'rates.OneCycleLR(opt, 0.5, epochs=3, steps_per_epoch=4)',
                     'rates.ReduceLROnPlateau(opt, patience=2, factor=0.5)',
                     'rates.SequentialLR(opt, [rates.LinearLR(opt, 0.1, total_iters=3), rates.ExponentialLR(opt, 0.9)], [3])',
                     'rates.ChainedScheduler([rates.ConstantLR(opt, 0.5, 3), rates.ExponentialLR(opt, 0.9)])'):
            with self.subTest(rate):
                self.steps('optim.SGD([{"params": [w]}, {"params": [v], "lr": 0.02}], lr=0.1, momentum=0.9)', rate)

    def test_a_function_of_a_schedule_that_fails(self):
        opt = fa.optim.SGD([fa.ones(2, requires_grad=True)], lr=1)
        self.assertRaises(ZeroDivisionError, fa.optim.lr_scheduler.LambdaLR, opt, lambda epoch: 1 / epoch)

    def test_clipping(self):
        a, b = torch.randn(3, 2, requires_grad=True), torch.randn(4, requires_grad=True)
        p, q = ours_of(a, True), ours_of(b, True)
        for x, y in ((a, b), (p, q)):
            ((x ** 3).sum() + (y ** 3).sum()).backward()
        self.near(nn.utils.clip_grad_norm_([p, q], max_norm=0.5), torch.nn.utils.clip_grad_norm_([a, b], max_norm=0.5))
        self.near(nn.utils.clip_grad_norm_(iter([p, q]), 0.1, norm_type=float('inf')),
                  torch.nn.utils.clip_grad_norm_([a, b], 0.1, norm_type=float('inf')))
        nn.utils.clip_grad_value_([p, q], clip_value=0.05)
        torch.nn.utils.clip_grad_value_([a, b], clip_value=0.05)
        self.near((p.grad, q.grad), (a.grad, b.grad))

    def test_files_of_safetensors(self):
        try:
            from safetensors import safe_open
            from safetensors.torch import load_file, save_file
        except ImportError:
            self.skipTest('safetensors is not installed')
        theirs, ours = torch.nn.LSTM(3, 4), nn.LSTM(3, 4)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'net.safetensors')
            save_file(theirs.state_dict(), path, metadata={'epoch': '7'})
            tensors, texts = fa.load_file(path, metadata=True)
            self.assertEqual(texts, {'epoch': '7'})
            ours.load_state_dict(tensors)
            self.same_state(ours.state_dict(), theirs.state_dict())
            fa.save(ours.state_dict(), path)
            self.same_state(ours.state_dict(), load_file(path))
            fa.save({'net': ours, 'epoch': 3}, path)
            with safe_open(path, 'pt') as file:
                self.assertIn('net.weight_ih_l0', file.keys())

    def test_memory_is_shared(self):
        x = fa.tensor([[1., 2.], [3., 4.]])
        t = torch.from_dlpack(x)
        t[0, 1] = 20
        self.assertEqual(x.tolist(), [[1, 20], [3, 4]])
        s = torch.arange(4, dtype=torch.bfloat16)
        y = fa.from_dlpack(s)
        self.assertEqual((y.dtype, y.tolist()), (fa.bf16, [0, 1, 2, 3]))
        s[0] = 5
        self.assertEqual(y[0].item(), 5)
        self.assertEqual(fa.zeros(2, dtype=torch.float64).dtype, fa.f64)
        self.assertEqual(numpy.asarray(fa.tensor(t)).tolist(), t.tolist())

    def test_datasets_of_tensors(self):
        theirs = torch.utils.data.TensorDataset(torch.arange(8.0).reshape(4, 2), torch.arange(4))
        x, y = next(iter(fa.utils.data.DataLoader(theirs, batch_size=3)))
        self.assertEqual((type(x), x.tolist(), type(y), y.tolist()), (fa.Tensor, [[0, 1], [2, 3], [4, 5]], fa.Tensor, [0, 1, 2]))
        x, y = next(iter(fa.utils.data.DataLoader(theirs, batch_size=None)))
        self.assertEqual((type(x), x.tolist()), (fa.Tensor, [0, 1]))

    def test_parameters_with_names(self):
        for lib in BOTH:
            net = lib.nn.Linear(2, 1)
            optimizers = [lib.optim.SGD(net.named_parameters(), lr=0.5),
                          lib.optim.SGD([{'params': net.named_parameters(), 'lr': 0.5}], lr=0.1)]
            for optimizer in optimizers:
                before = net.weight.tolist()
                optimizer.zero_grad()
                net(lib.torch.ones(1, 2)).sum().backward()
                optimizer.step()
                self.assertEqual(len(optimizer.param_groups[0]['params']), 2)
                for old, new in zip(before[0], net.weight.tolist()[0]):
                    self.assertAlmostEqual(new, old - 0.5, 5)


if __name__ == '__main__':
    unittest.main()
