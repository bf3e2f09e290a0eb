"""Writes nn.txt: what layers give, forward and backward, how their parameters begin, and the logits of a small network.

A line is `layer step name: numbers`. Step 0 and 1 are training, with another input each, step 2 is inference; names are y, x.grad,
state0 and so on (what a recurrent layer gives besides), and those of gradients of parameters and of buffers. `init layer name: deviation most` is how large what a layer begins with is.
`cnn` are the logits of the network in cnn.safetensors, which is written here too: a state_dict of PyTorch's; `saved lstm` is the
output of that in lstm.safetensors, and `saved transformer` of that in transformer.safetensors. The layers, with
their options, and their masks stand in tests/nn/reference.c under the same names."""
import math
import pathlib

import torch
from torch import nn

HERE = pathlib.Path(__file__).resolve().parent


def numbers(t):
    return " ".join(f"{v:.10g}" for v in t.detach().double().flatten().tolist())


def values(shape, place, scale=1.0, dtype=torch.float64):
    """Odd multiples of scale/16, so that no bend of a function is hit."""
    n = math.prod(shape)
    return torch.tensor([((i * 7 + place * 5) % 23 - 11.5) / 8 * scale for i in range(n)], dtype=dtype).reshape(shape)


def tokens(shape, place, below):
    return torch.tensor([(i * 3 + place) % below for i in range(math.prod(shape))]).reshape(shape)


def causal(l, s):
    return torch.ones(l, s, dtype=torch.bool).triu(1)


PADDING = torch.tensor([[False, False, False, False, True], [False, False, True, True, True]])
NUMBERS, HEADS = values((5, 5), 2, 0.5), torch.tensor([(i * 5) % 7 > 4 for i in range(100)]).reshape(4, 5, 5)


def crossing(attention, x):
    """Keys and values of other widths, twice as many as queries."""
    twice = torch.cat([x, x.flip(1)], 1)
    return attention(x, twice[..., :3], torch.cat([twice, twice[..., :1]], -1), average_attn_weights=False)


PLANES, LINES, FLAT, STEPS = (2, 4, 5, 4), (2, 4, 6), (3, 8), (5, 2, 4)
LAYERS = {
    "linear": (lambda: nn.Linear(8, 3), FLAT),
    "linear_no_bias": (lambda: nn.Linear(4, 2, bias=False), (2, 3, 4)),
    "conv2d": (lambda: nn.Conv2d(4, 3, 3), PLANES),
    "conv2d_all": (lambda: nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=(1, 2), dilation=(1, 2), groups=2, bias=False), PLANES),
    "conv2d_same": (lambda: nn.Conv2d(4, 2, (2, 3), padding="same"), PLANES),
    "conv2d_reflect": (lambda: nn.Conv2d(4, 2, 3, padding=(2, 1), padding_mode="reflect"), PLANES),
    "conv2d_replicate": (lambda: nn.Conv2d(4, 2, (2, 4), padding="same", padding_mode="replicate"), PLANES),
    "conv2d_circular": (lambda: nn.Conv2d(4, 2, 3, padding=(1, 2), padding_mode="circular"), PLANES),
    "conv2d_without_batch": (lambda: nn.Conv2d(4, 3, 3), (4, 5, 4)),
    "conv1d": (lambda: nn.Conv1d(4, 3, 3, stride=2, padding=1), LINES),
    "conv1d_circular": (lambda: nn.Conv1d(4, 2, 4, padding="same", padding_mode="circular"), LINES),
    "conv_transpose2d": (lambda: nn.ConvTranspose2d(4, 6, (3, 2), stride=2, padding=(1, 0), output_padding=1, groups=2), PLANES),
    "conv_transpose1d": (lambda: nn.ConvTranspose1d(4, 3, 3, stride=2, padding=1, dilation=2), LINES),
    "max_pool2d": (lambda: nn.MaxPool2d(2), PLANES),
    "max_pool2d_all": (lambda: nn.MaxPool2d((3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2), ceil_mode=True), PLANES),
    "max_pool1d": (lambda: nn.MaxPool1d(3, stride=2, padding=1), LINES),
    "avg_pool2d": (lambda: nn.AvgPool2d(2), PLANES),
    "avg_pool2d_all": (lambda: nn.AvgPool2d((3, 2), stride=(2, 1), padding=1, ceil_mode=True, count_include_pad=False), PLANES),
    "avg_pool2d_divisor": (lambda: nn.AvgPool2d(2, divisor_override=3), PLANES),
    "avg_pool1d": (lambda: nn.AvgPool1d(3, stride=2, padding=1, count_include_pad=False), LINES),
    "adaptive_avg_pool2d": (lambda: nn.AdaptiveAvgPool2d((2, 3)), PLANES),
    "adaptive_max_pool2d": (lambda: nn.AdaptiveMaxPool2d(2), PLANES),
    "adaptive_avg_pool1d": (lambda: nn.AdaptiveAvgPool1d(4), LINES),
    "adaptive_max_pool1d": (lambda: nn.AdaptiveMaxPool1d(4), LINES),
    "batch_norm2d": (lambda: nn.BatchNorm2d(4), PLANES),
    "batch_norm2d_all": (lambda: nn.BatchNorm2d(4, eps=0.01, momentum=0.3, affine=False), PLANES),
    "batch_norm2d_mean": (lambda: nn.BatchNorm2d(4, momentum=None), PLANES),
    "batch_norm2d_not_tracked": (lambda: nn.BatchNorm2d(4, track_running_stats=False), PLANES),
    "batch_norm1d": (lambda: nn.BatchNorm1d(4), LINES),
    "batch_norm1d_flat": (lambda: nn.BatchNorm1d(8), FLAT),
    "layer_norm": (lambda: nn.LayerNorm(8), FLAT),
    "layer_norm_planes": (lambda: nn.LayerNorm((5, 4), eps=0.1, bias=False), PLANES),
    "layer_norm_plain": (lambda: nn.LayerNorm(8, elementwise_affine=False), FLAT),
    "rms_norm": (lambda: nn.RMSNorm(8), FLAT),
    "rms_norm_eps": (lambda: nn.RMSNorm(8, eps=0.1, elementwise_affine=False), FLAT),
    "group_norm": (lambda: nn.GroupNorm(2, 4), PLANES),
    "group_norm_plain": (lambda: nn.GroupNorm(4, 4, eps=0.1, affine=False), LINES),
    "embedding": (lambda: nn.Embedding(5, 3), ("tokens", 5, (2, 4))),
    "embedding_padding": (lambda: nn.Embedding(5, 3, padding_idx=-2, scale_grad_by_freq=True), ("tokens", 5, (2, 4))),
    "flatten": (lambda: nn.Flatten(), PLANES),
    "flatten_some": (lambda: nn.Flatten(0, 1), LINES),
    "unflatten": (lambda: nn.Unflatten(1, (2, 4)), FLAT),
    "identity": (lambda: nn.Identity(), FLAT),
    "relu": (lambda: nn.ReLU(), FLAT),
    "relu6": (lambda: nn.ReLU6(), FLAT),
    "sigmoid": (lambda: nn.Sigmoid(), FLAT),
    "tanh": (lambda: nn.Tanh(), FLAT),
    "silu": (lambda: nn.SiLU(), FLAT),
    "selu": (lambda: nn.SELU(), FLAT),
    "mish": (lambda: nn.Mish(), FLAT),
    "logsigmoid": (lambda: nn.LogSigmoid(), FLAT),
    "softsign": (lambda: nn.Softsign(), FLAT),
    "tanhshrink": (lambda: nn.Tanhshrink(), FLAT),
    "hardsigmoid": (lambda: nn.Hardsigmoid(), FLAT),
    "hardswish": (lambda: nn.Hardswish(), FLAT),
    "gelu": (lambda: nn.GELU(), FLAT),
    "gelu_tanh": (lambda: nn.GELU(approximate="tanh"), FLAT),
    "leaky_relu": (lambda: nn.LeakyReLU(), FLAT),
    "leaky_relu_slope": (lambda: nn.LeakyReLU(0.3), FLAT),
    "elu": (lambda: nn.ELU(), FLAT),
    "elu_alpha": (lambda: nn.ELU(0.5), FLAT),
    "celu": (lambda: nn.CELU(), FLAT),
    "celu_alpha": (lambda: nn.CELU(0.5), FLAT),
    "hardtanh": (lambda: nn.Hardtanh(), FLAT),
    "hardtanh_range": (lambda: nn.Hardtanh(-2, 0.5), FLAT),
    "softplus": (lambda: nn.Softplus(), FLAT),
    "softplus_beta": (lambda: nn.Softplus(2, 3), FLAT),
    "softshrink": (lambda: nn.Softshrink(), FLAT),
    "softshrink_lambd": (lambda: nn.Softshrink(1.5), FLAT),
    "hardshrink": (lambda: nn.Hardshrink(), FLAT),
    "hardshrink_lambd": (lambda: nn.Hardshrink(1.5), FLAT),
    "rrelu": (lambda: nn.RReLU(0.2, 0.6), FLAT),
    "threshold": (lambda: nn.Threshold(0.6, -3), FLAT),
    "glu": (lambda: nn.GLU(), FLAT),
    "glu_dim": (lambda: nn.GLU(1), LINES),
    "softmax": (lambda: nn.Softmax(1), FLAT),
    "log_softmax": (lambda: nn.LogSoftmax(0), FLAT),
    "softmin": (lambda: nn.Softmin(-1), FLAT),
    "prelu": (lambda: nn.PReLU(), FLAT),
    "prelu_channels": (lambda: nn.PReLU(4, 0.1), LINES),
    "lstm": (lambda: nn.LSTM(4, 3), STEPS),
    "lstm_all": (lambda: nn.LSTM(4, 3, num_layers=2, bias=False, batch_first=True, bidirectional=True), STEPS),
    "lstm_dropout": (lambda: nn.LSTM(4, 3, num_layers=3, dropout=0.5), STEPS),
    "lstm_projected": (lambda: nn.LSTM(4, 3, num_layers=2, bidirectional=True, proj_size=2), STEPS),
    "lstm_without_batch": (lambda: nn.LSTM(4, 3, num_layers=2, batch_first=True), (5, 4)),
    "lstm_one_step": (lambda: nn.LSTM(4, 3, bidirectional=True), (1, 3, 4)),
    "gru": (lambda: nn.GRU(4, 3), STEPS),
    "gru_all": (lambda: nn.GRU(4, 3, num_layers=2, bias=False, batch_first=True, bidirectional=True), STEPS),
    "gru_dropout": (lambda: nn.GRU(4, 3, num_layers=2, dropout=0.5), STEPS),
    "gru_without_batch": (lambda: nn.GRU(4, 3), (5, 4)),
    "rnn": (lambda: nn.RNN(4, 3), STEPS),
    "rnn_all": (lambda: nn.RNN(4, 3, num_layers=2, nonlinearity="relu", bias=False, batch_first=True, bidirectional=True), STEPS),
    "rnn_dropout": (lambda: nn.RNN(4, 3, num_layers=2, dropout=0.5), STEPS),
    "rnn_relu": (lambda: nn.RNN(4, 3, nonlinearity="relu"), STEPS),
    "lstm_cell": (lambda: nn.LSTMCell(4, 3), (3, 4)),
    "lstm_cell_no_bias": (lambda: nn.LSTMCell(4, 3, bias=False), (4,)),
    "gru_cell": (lambda: nn.GRUCell(4, 3), (3, 4)),
    "gru_cell_no_bias": (lambda: nn.GRUCell(4, 3, bias=False), (4,)),
    "rnn_cell": (lambda: nn.RNNCell(4, 3), (3, 4)),
    "rnn_cell_relu": (lambda: nn.RNNCell(4, 3, bias=False, nonlinearity="relu"), (4,)),
    "attention": (lambda: nn.MultiheadAttention(4, 2), STEPS, lambda m, x: m(x, x, x)),
    "attention_all": (lambda: nn.MultiheadAttention(4, 2, bias=False, kdim=3, vdim=5, batch_first=True), STEPS, crossing),
    "attention_masks": (lambda: nn.MultiheadAttention(4, 2), STEPS, lambda m, x: m(
        x, x.flip(0), x, key_padding_mask=torch.zeros(2, 5).double().masked_fill(PADDING, -math.inf), attn_mask=NUMBERS)),
    "attention_heads": (lambda: nn.MultiheadAttention(4, 2), STEPS, lambda m, x: m(
        x, x, x, key_padding_mask=PADDING, attn_mask=HEADS, need_weights=False)[0]),
    "attention_causal": (lambda: nn.MultiheadAttention(4, 2), STEPS, lambda m, x: m(
        x, x, x, attn_mask=causal(5, 5), is_causal=True, need_weights=False)[0]),
    "attention_without_batch": (lambda: nn.MultiheadAttention(4, 2, batch_first=True), (5, 4), lambda m, x: m(
        x, x, x, key_padding_mask=PADDING[1], attn_mask=HEADS[:2])),
    "attention_bias_kv": (lambda: nn.MultiheadAttention(4, 2, add_bias_kv=True), STEPS, lambda m, x: m(
        x, x.flip(0), x, key_padding_mask=torch.zeros(2, 5).double().masked_fill(PADDING, -math.inf), attn_mask=NUMBERS)),
    "attention_all_zero": (lambda: nn.MultiheadAttention(
        4, 2, bias=False, add_zero_attn=True, kdim=3, vdim=5, batch_first=True), STEPS, crossing),
    "attention_heads_more": (lambda: nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True), STEPS, lambda m, x: m(
        x, x, x, key_padding_mask=PADDING, attn_mask=HEADS, need_weights=False)[0]),
    "attention_causal_more": (lambda: nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True), STEPS, lambda m, x: m(
        x, x, x, attn_mask=causal(5, 5), need_weights=False)[0]),
    "attention_without_batch_more": (lambda: nn.MultiheadAttention(
        4, 2, add_bias_kv=True, add_zero_attn=True, batch_first=True), (5, 4), lambda m, x: m(
        x, x, x, key_padding_mask=PADDING[1], attn_mask=HEADS[:2])),
    "attention_dropout": (lambda: nn.MultiheadAttention(4, 2, dropout=0.5), STEPS, lambda m, x: m(x, x, x)),
    "transformer_encoder_layer": (lambda: nn.TransformerEncoderLayer(4, 2, 6, 0), STEPS),
    "transformer_encoder_layer_all": (lambda: nn.TransformerEncoderLayer(
        4, 2, 6, 0, "gelu", 0.1, batch_first=True, norm_first=True, bias=False), STEPS),
    "transformer_encoder_layer_masks": (lambda: nn.TransformerEncoderLayer(4, 2, 6, 0), STEPS, lambda m, x: m(
        x, src_mask=causal(5, 5), src_key_padding_mask=PADDING)),
    "transformer_encoder_layer_dropout": (lambda: nn.TransformerEncoderLayer(4, 2, 6), STEPS),
    "transformer_encoder": (lambda: nn.TransformerEncoder(
        nn.TransformerEncoderLayer(4, 2, 6, 0), 2, nn.LayerNorm(4)), STEPS, lambda m, x: m(
        x, mask=causal(5, 5), src_key_padding_mask=PADDING)),
    "transformer_decoder_layer": (lambda: nn.TransformerDecoderLayer(4, 2, 6, 0), STEPS, lambda m, x: m(
        x, x[1:4], tgt_key_padding_mask=PADDING, memory_mask=NUMBERS[:, :3])),
    "transformer_decoder_layer_all": (lambda: nn.TransformerDecoderLayer(
        4, 2, 6, 0, "gelu", 0.1, batch_first=True, norm_first=True, bias=False), STEPS, lambda m, x: m(x, x[:, 1:])),
    "transformer_decoder": (lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 6, 0), 2), STEPS, lambda m, x: m(
        x, x[1:4], tgt_mask=causal(5, 5), memory_key_padding_mask=PADDING[:, 1:4])),
    "transformer": (lambda: nn.Transformer(4, 2, 2, 1, 6, 0), STEPS, lambda m, x: m(
        x, x[1:4], src_key_padding_mask=PADDING, memory_key_padding_mask=PADDING, tgt_mask=causal(3, 3), src_mask=NUMBERS)),
    "transformer_all": (lambda: nn.Transformer(4, 2, 1, 2, 6, 0, "gelu", layer_norm_eps=0.1, batch_first=True, norm_first=True,
                                               bias=False), STEPS, lambda m, x: m(x, x[:, 1:])),
}
INITS = {
    "linear": lambda: nn.Linear(300, 200),
    "conv2d": lambda: nn.Conv2d(30, 200, 3, groups=2),
    "conv1d": lambda: nn.Conv1d(60, 200, 5),
    "conv_transpose2d": lambda: nn.ConvTranspose2d(60, 200, 3, groups=2),
    "embedding": lambda: nn.Embedding(300, 200),
    "lstm": lambda: nn.LSTM(60, 50, num_layers=2, bidirectional=True, proj_size=40),
    "gru_cell": lambda: nn.GRUCell(60, 50),
    "attention": lambda: nn.MultiheadAttention(60, 4),
    "attention_apart": lambda: nn.MultiheadAttention(60, 4, kdim=40, vdim=50),
    "attention_bias_kv": lambda: nn.MultiheadAttention(400, 4, add_bias_kv=True),
    "transformer_encoder_layer": lambda: nn.TransformerEncoderLayer(60, 4, 80),
    "transformer": lambda: nn.Transformer(60, 4, 1, 1, 80),
}


def softened(name):
    """Attention takes smaller numbers, with which no weight comes near to 1."""
    return 0.25 if name.startswith(("attention", "transformer")) else 1


def step(name, module, shape, call, place):
    given = shape[0] == "tokens"
    x = tokens(shape[2], place, shape[1]) if given else values(shape, place, 3 * softened(name)).requires_grad_()
    module.zero_grad(set_to_none=True)
    y = call(module, x)
    states = []
    if isinstance(y, tuple):  # of a recurrent layer, an LSTM's cell, or attention
        y, *others = y
        states = [others[0][0], others[0][1]] if others and isinstance(others[0], tuple) else others
    if y.requires_grad:
        (y * values(y.shape, 9)).sum().backward()
    return [("y", y)] + [(f"state{k}", s) for k, s in enumerate(states)] + ([("x.grad", x.grad)] if x.is_leaf and x.grad is not None else [])


def layer_lines(name):
    make, shape, *call = LAYERS[name]
    module = make().double()
    for k, p in enumerate(module.parameters()):
        p.data = values(p.shape, k + 1, softened(name))
    steps = (0, 1, 2) if name.startswith("batch_norm") else (2,) if name == "rrelu" or name.endswith("_dropout") else (0,)
    for s in steps:
        module.train(s < 2)
        made = step(name, module, shape, call[0] if call else lambda m, x: m(x), s)
        made += [(n + ".grad", p.grad) for n, p in module.named_parameters()] + (list(module.named_buffers()) if len(steps) > 1 else [])
        yield from (f"{name} {s} {n}: {numbers(t)}" for n, t in made)


def init_lines(name):
    torch.manual_seed(5)
    for n, p in INITS[name]().named_parameters():
        yield f"init {name} {n}: {p.std().item():.10g} {p.abs().max().item():.10g}"


def cnn():
    return nn.Sequential(nn.Conv2d(3, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(4, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(24, 5))


def cnn_line():
    from safetensors.torch import save_file

    torch.manual_seed(6)
    net = cnn()
    for s in range(3):
        net(values((4, 3, 8, 8), s, dtype=torch.float32))
    save_file(net.state_dict(), HERE / "cnn.safetensors")
    yield f"cnn 2 y: {numbers(net.eval()(values((2, 3, 8, 8), 3, dtype=torch.float32)))}"


def lstm_line():
    from safetensors.torch import save_file

    torch.manual_seed(7)
    net = nn.Sequential()
    net.lstm = nn.LSTM(3, 4, num_layers=2, bidirectional=True, proj_size=2)
    save_file(net.state_dict(), HERE / "lstm.safetensors")
    yield f"saved lstm y: {numbers(net.lstm(values((5, 2, 3), 3, dtype=torch.float32))[0])}"


def transformer_line():
    from safetensors.torch import save_file

    torch.manual_seed(8)
    net = nn.Transformer(8, 2, num_encoder_layers=2, num_decoder_layers=2, dim_feedforward=12, dropout=0, batch_first=True)
    save_file(net.state_dict(), HERE / "transformer.safetensors")
    x = values((2, 5, 8), 3, dtype=torch.float32)
    y = net(x, x[:, 1:4], tgt_mask=causal(3, 3), src_key_padding_mask=PADDING, memory_key_padding_mask=PADDING)
    yield f"saved transformer y: {numbers(y)}"


def lines():
    for name in LAYERS:
        yield from layer_lines(name)
    for name in INITS:
        yield from init_lines(name)
    yield from cnn_line()
    yield from lstm_line()
    yield from transformer_line()
