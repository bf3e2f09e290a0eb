/* Recurrent cells: one step of a recurrent network, for loops of a program's own. */
#include "ops/nn/recurrent.h"

typedef struct {
    const fa_tensor *x;                 /* (n, in), or (in): a step of n sequences */
    const fa_tensor *h_0;               /* (n, hidden), or (hidden): the state before it */
    const fa_tensor *weight_ih;         /* (gates * hidden, in) */
    const fa_tensor *weight_hh;         /* (gates * hidden, hidden) */
    const fa_tensor *bias_ih OPT(NULL); /* (gates * hidden); NULL: none */
    const fa_tensor *bias_hh OPT(NULL); /* (gates * hidden); NULL: none */
} recurrent_cell_args;

typedef struct {
    const fa_tensor *x;                 /* (n, in), or (in): a step of n sequences */
    const fa_tensor *h_0;               /* (n, hidden), or (hidden): the state before it */
    const fa_tensor *c_0;               /* in h_0's shape: the cell before it */
    const fa_tensor *weight_ih;         /* (4 * hidden, in) */
    const fa_tensor *weight_hh;         /* (4 * hidden, hidden) */
    const fa_tensor *bias_ih OPT(NULL); /* (4 * hidden); NULL: none */
    const fa_tensor *bias_hh OPT(NULL); /* (4 * hidden); NULL: none */
} lstm_cell_args;

static bool check_state(const fa__call *c, const lstm_cell_args *a, const char *name, const fa_tensor *s)
{
    const int64_t hidden = a->weight_hh->rank == 2 ? a->weight_hh->shape[1] : -1;
    bool fits =
        s->rank == a->x->rank && s->shape[s->rank - 1] == hidden && (s->rank == 1 || s->shape[0] == a->x->shape[0]);
    return fits
           || fa__call_fail(c, FA_ERROR_SHAPE, "%s has to be (n, hidden) for x (n, in), or (hidden) for (in)", name);
}

static bool check_cell(const fa__call *c, int64_t kind, const lstm_cell_args *a)
{
    if (a->x->rank != 1 && a->x->rank != 2)
        return fa__call_fail(c, FA_ERROR_SHAPE, "x has to be (n, in) or (in)");
    if (!fa__dtype_is_float(a->x->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "x is %s, which is not floating: fa_to converts",
                             fa_dtype_name((fa_dtype)a->x->dtype));
    if (!check_state(c, a, "h_0", a->h_0) || (kind == FA__LSTM && !check_state(c, a, "c_0", a->c_0)))
        return false;
    const int64_t rows = fa__recurrent_gates(kind) * a->weight_hh->shape[1];
    if (a->weight_hh->shape[0] != rows || a->weight_ih->rank != 2 || a->weight_ih->shape[0] != rows)
        return fa__call_fail(c, FA_ERROR_SHAPE, "weight_ih has to be (%lld, in) and weight_hh (%lld, %lld)",
                             (long long)rows, (long long)rows, (long long)a->weight_hh->shape[1]);
    return kind != FA__LSTM || a->c_0->dtype == a->h_0->dtype
           || fa__call_fail(c, FA_ERROR_DTYPE, "h_0 and c_0 have to be of one dtype");
}

static fa_tensor *run_cell(fa__call *c, int64_t kind, const lstm_cell_args *a)
{
    const fa_tensor *h = a->h_0, *cell = a->c_0;
    if (!check_cell(c, kind, a)
        || !fa__recurrent_step(kind, fa_linear(a->x, a->weight_ih, .bias = a->bias_ih),
                               fa_linear(a->h_0, a->weight_hh, .bias = a->bias_hh), &h, &cell))
        return NULL;
    if (kind == FA__LSTM)
        c->out[1] = (fa_tensor *)(uintptr_t)cell;
    return (fa_tensor *)(uintptr_t)h;
}

static fa_tensor *lstm_cell_compose(fa__call *c)
{
    return run_cell(c, FA__LSTM, c->args);
}

/** One step of an LSTM: the state and the cell behind it. See fa_lstm(). */
OP(lstm_cell, lstm_cell_args, (h_1, c_1), .compose = lstm_cell_compose, .autocast = FA__CAST_LOW,
   .autocast_cpu = FA__CAST_WIDEST, ALSO("nn.LSTMCell"),
   TORCH("lstm_cell(x, (h_0, c_0), weight_ih, weight_hh, bias_ih, bias_hh)"),
   SAMPLES("(2,4) (2,3) (2,3) (12,4) (12,3) bias_ih=(12) bias_hh=(12); (2,4) (2,3) (2,3) (12,4) (12,3)"))

static fa_tensor *run_other(fa__call *c, int64_t kind)
{
    const recurrent_cell_args *a = c->args;
    return run_cell(c, kind, &(lstm_cell_args){a->x, a->h_0, NULL, a->weight_ih, a->weight_hh, a->bias_ih, a->bias_hh});
}

static fa_tensor *gru_cell_compose(fa__call *c)
{
    return run_other(c, FA__GRU);
}

static fa_tensor *rnn_tanh_cell_compose(fa__call *c)
{
    return run_other(c, FA__RNN_TANH);
}

static fa_tensor *rnn_relu_cell_compose(fa__call *c)
{
    return run_other(c, FA__RNN_RELU);
}

/** One step of gated recurrent units: the state behind it. See fa_gru(). */
OP(gru_cell, recurrent_cell_args, (h_1), .compose = gru_cell_compose, .autocast = FA__CAST_LOW,
   .autocast_cpu = FA__CAST_WIDEST, ALSO("nn.GRUCell"),
   TORCH("gru_cell(x, h_0, weight_ih, weight_hh, bias_ih, bias_hh)"),
   SAMPLES("(2,4) (2,3) (9,4) (9,3) bias_ih=(9) bias_hh=(9); (2,4) (2,3) (9,4) (9,3)"))

/** One step of Elman's network: the state behind it. See fa_rnn_tanh(). */
OP(rnn_tanh_cell, recurrent_cell_args, (h_1), .compose = rnn_tanh_cell_compose, .autocast = FA__CAST_LOW,
   .autocast_cpu = FA__CAST_LOW, ALSO("nn.RNNCell"), DIFFERS("i64 i32 u8: integers are refused"),
   TORCH("rnn_tanh_cell(x, h_0, weight_ih, weight_hh, bias_ih, bias_hh)"),
   SAMPLES("(2,4) (2,3) (3,4) (3,3) bias_ih=(3) bias_hh=(3); (2,4) (2,3) (3,4) (3,3)"))

/** One step of Elman's network with relu: the state behind it. See fa_rnn_relu(). */
OP(rnn_relu_cell, recurrent_cell_args, (h_1), .compose = rnn_relu_cell_compose, .autocast = FA__CAST_LOW,
   .autocast_cpu = FA__CAST_LOW, ALSO("nn.RNNCell"), DIFFERS("i64 i32 u8: integers are refused"),
   TORCH("rnn_relu_cell(x, h_0, weight_ih, weight_hh, bias_ih, bias_hh)"),
   SAMPLES("(2,4) (2,3) (3,4) (3,3) bias_ih=(3) bias_hh=(3); (2,4) (2,3) (3,4) (3,3)"))

#include "recurrent_cell.rows"
