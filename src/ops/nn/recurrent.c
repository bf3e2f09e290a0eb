/* Recurrent networks: LSTM, GRU, and Elman's network. A layer runs the operation of recurrence.c in
 * each direction; a projected LSTM, and the cells, are made of other operations. */
#include "ops/nn/recurrent.h"

/* ---- one step ---- */

int64_t fa__recurrent_gates(int64_t kind)
{
    return kind == FA__LSTM ? 4 : kind == FA__GRU ? 3 : 1;
}

static bool lstm_step(fa_tensor *gates, const fa_tensor **h, const fa_tensor **c)
{
    fa_tensors g = fa_chunk(gates, 4, .dim = -1); /* input, forget, cell, output */
    if (g.count != 4)
        return false;
    *c = fa_pointwise("sigmoid(y) * w + sigmoid(x) * tanh(z)", g.item[0], g.item[1], g.item[2], *c);
    *h = *c ? fa_pointwise("sigmoid(x) * tanh(y)", g.item[3], *c) : NULL;
    return *h;
}

static bool gru_step(const fa_tensor *of_input, const fa_tensor *of_state, const fa_tensor **h)
{
    fa_tensors x = fa_chunk(of_input, 3, .dim = -1), s = fa_chunk(of_state, 3, .dim = -1); /* reset, update, new */
    if (x.count != 3 || s.count != 3)
        return false;
    *h = fa_pointwise("n = tanh(z + sigmoid(x + a) * c); n + sigmoid(y + b) * (w - n)", x.item[0], x.item[1], x.item[2],
                      *h, s.item[0], s.item[1], s.item[2]);
    return *h;
}

bool fa__recurrent_step(int64_t kind, const fa_tensor *of_input, const fa_tensor *of_state, const fa_tensor **h,
                        const fa_tensor **c)
{
    if (!of_input || !of_state)
        return false;
    if (kind == FA__LSTM)
        return lstm_step(fa_add(of_input, of_state), h, c);
    if (kind == FA__GRU)
        return gru_step(of_input, of_state, h);
    *h = kind == FA__RNN_TANH ? fa_pointwise("tanh(x + y)", of_input, of_state) : fa_relu(fa_add(of_input, of_state));
    return *h;
}

/* ---- the networks ---- */

typedef struct {
    const fa_tensor *x;             /* (t, n, in), or with batch_first (n, t, in), or (t, in): t steps of n sequences */
    fa_tensors params;              /* of each layer: weight_ih, weight_hh, and perhaps bias_ih, bias_hh */
    const fa_tensor *h_0 OPT(NULL); /* (layers * directions, n, hidden), or without n: the first states; NULL: zeros */
    double dropout OPT(0.0);        /* probability that an element of what goes into the next layer becomes 0 */
    bool bidirectional OPT(false);  /* true: behind the parameters of each layer stand those of the reverse direction */
    bool batch_first OPT(false);    /* true: x and output are (n, t, ...) */
} recurrent_args;

typedef struct {
    const fa_tensor *x; /* (t, n, in), or with batch_first (n, t, in), or (t, in): t steps of n sequences */
    fa_tensors params;  /* of each layer: weight_ih, weight_hh, perhaps bias_ih, bias_hh, perhaps weight_hr */
    const fa_tensor *h_0 OPT(NULL); /* (layers * directions, n, out), or without n: the first states; NULL: zeros */
    const fa_tensor *c_0 OPT(NULL); /* (layers * directions, n, hidden), or without n: the first cells; NULL: zeros */
    double dropout OPT(0.0);        /* probability that an element of what goes into the next layer becomes 0 */
    bool bidirectional OPT(false);  /* true: behind the parameters of each layer stand those of the reverse direction */
    bool batch_first OPT(false);    /* true: x and output are (n, t, ...) */
} lstm_args;

/* A network: its arguments, and what the shapes of its parameters say of it. */
typedef struct network {
    const fa__call *call;
    lstm_args a;
    int64_t kind, layers, directions, each; /* each: parameters of a layer in a direction */
    bool bias, projected;
    bool casts;          /* autocast is for its parts: tensors may be of several dtypes */
    int64_t hidden, out; /* out: the size of a state, which is smaller than hidden if it is projected */
    fa_tensor *x;        /* (t, n, in) */
    fa_tensors h, c;     /* the first states and cells of all layers and directions, each (n, size) */
} network;

static bool is_matrix(const fa_tensor *t)
{
    return t && t->rank == 2;
}

static bool is_projected(const lstm_args *a)
{
    const fa_tensor *hh = a->params.count > 1 ? a->params.item[1] : NULL;
    return is_matrix(hh) && hh->shape[1] < hh->shape[0] / fa__recurrent_gates(FA__LSTM);
}

/* Finds the form of the network from its parameters. */
static bool read_params(network *net)
{
    const fa_tensors p = net->a.params;
    const int64_t gates = fa__recurrent_gates(net->kind);
    if (p.count < 2 || !is_matrix(p.item[0]) || !is_matrix(p.item[1]) || p.item[1]->shape[0] % gates)
        return fa__call_fail(net->call, FA_ERROR_SHAPE, "params begin with weight_ih (%lld * hidden, in) and weight_hh",
                             (long long)gates);
    net->hidden = p.item[1]->shape[0] / gates;
    net->projected = net->kind == FA__LSTM && is_projected(&net->a);
    net->casts = net->projected && fa__ctx()->settings->autocast != FA_SAME;
    net->out = net->projected ? p.item[1]->shape[1] : net->hidden;
    net->bias = p.count > 2 && p.item[2]->rank == 1;
    net->each = 2 + 2 * net->bias + net->projected;
    net->directions = net->a.bidirectional ? 2 : 1;
    net->layers = (int64_t)p.count / (net->each * net->directions);
    return (int64_t)p.count == net->layers * net->each * net->directions
           || fa__call_fail(net->call, FA_ERROR_SHAPE,
                            "there are %zu params, which is no multiple of the %lld of a layer", p.count,
                            (long long)(net->each * net->directions));
}

static bool check_shape(const network *net, const char *name, const fa_tensor *t, int64_t layer, fa_shape shape)
{
    bool same = t->rank == shape.rank;
    for (int i = 0; same && i < shape.rank; i++)
        same = t->shape[i] == shape.dim[i];
    if (t->dtype != net->x->dtype && !net->casts)
        return fa__call_fail(net->call, FA_ERROR_DTYPE, "%s of layer %lld is %s and x %s: all have to be of one dtype",
                             name, (long long)layer, fa_dtype_name((fa_dtype)t->dtype),
                             fa_dtype_name((fa_dtype)net->x->dtype));
    return same
           || fa__call_fail(net->call, FA_ERROR_SHAPE, "%s of layer %lld has to be (%lld%s%.0lld)", name,
                            (long long)layer, (long long)shape.dim[0], shape.rank > 1 ? ", " : "",
                            (long long)(shape.rank > 1 ? shape.dim[1] : 0));
}

static bool check_params(const network *net)
{
    const int64_t rows = fa__recurrent_gates(net->kind) * net->hidden;
    for (int64_t k = 0; k < net->layers * net->directions; k++) {
        fa_tensor *const *p = net->a.params.item + k * net->each;
        int64_t layer = k / net->directions, in = layer ? net->out * net->directions : net->x->shape[2];
        if (!layer && is_matrix(p[0]) && p[0]->shape[1] != in)
            return fa__call_fail(net->call, FA_ERROR_SHAPE,
                                 "x has %lld features, its last size, and weight_ih takes %lld", (long long)in,
                                 (long long)p[0]->shape[1]);
        if (!check_shape(net, "weight_ih", p[0], layer, FA_SHAPE(rows, in))
            || !check_shape(net, "weight_hh", p[1], layer, FA_SHAPE(rows, net->out))
            || (net->bias && !check_shape(net, "bias_ih", p[2], layer, FA_SHAPE(rows)))
            || (net->bias && !check_shape(net, "bias_hh", p[3], layer, FA_SHAPE(rows)))
            || (net->projected
                && !check_shape(net, "weight_hr", p[net->each - 1], layer, FA_SHAPE(net->out, net->hidden))))
            return false;
    }
    return true;
}

/* x as (t, n, in). */
static bool read_x(network *net)
{
    const fa_tensor *x = net->a.x;
    if (x->rank != 2 && x->rank != 3)
        return fa__call_fail(net->call, FA_ERROR_SHAPE,
                             "x has to be (t, n, in), with batch_first (n, t, in), or (t, in)");
    if (!fa__dtype_is_float(x->dtype))
        return fa__call_fail(net->call, FA_ERROR_DTYPE, "x is %s, which is not floating: fa_to converts",
                             fa_dtype_name((fa_dtype)x->dtype));
    net->x = x->rank == 2 ? fa_unsqueeze(x, 1) : net->a.batch_first ? fa_transpose(x, 0, 1) : (fa_tensor *)(uintptr_t)x;
    return net->x
           && (net->x->shape[0] || fa__call_fail(net->call, FA_ERROR_SHAPE, "the sequence is empty: it has no steps"));
}

/* The first states or cells of all layers and directions; zeros for NULL. */
static bool read_state(const network *net, const char *name, const fa_tensor *s, int64_t size, fa_tensors *all)
{
    const int64_t count = net->layers * net->directions, n = net->x->shape[1];
    const bool single = net->a.x->rank == 2;
    if (!s)
        s = fa_zeros(FA_SHAPE(count, n, size), .dtype = (fa_dtype)net->x->dtype, .device = fa_tensor_device(net->x));
    else if (s->dtype != net->x->dtype && !net->casts)
        return fa__call_fail(net->call, FA_ERROR_DTYPE, "%s is %s and x %s: both have to be of one dtype", name,
                             fa_dtype_name((fa_dtype)s->dtype), fa_dtype_name((fa_dtype)net->x->dtype));
    else if (s->rank != (single ? 2 : 3) || s->shape[0] != count || (!single && s->shape[1] != n)
             || s->shape[s->rank - 1] != size)
        return fa__call_fail(net->call, FA_ERROR_SHAPE, "%s has to be (%lld, %s%.0lld%s%lld)", name, (long long)count,
                             "", (long long)(single ? 0 : n), single ? "" : ", ", (long long)size);
    else if (single)
        s = fa_unsqueeze(s, 1);
    *all = fa_unbind(s);
    return all->count;
}

/* ---- a layer in a direction ---- */

/* A projected LSTM, step by step; gives its outputs and puts the last state and cell into the results. */
static fa_tensor *run_projected(const network *net, const fa_tensor *x, size_t k, fa_tensor **h, fa_tensor **c)
{
    fa_tensor *const *p = net->a.params.item + (int64_t)k * net->each;
    const fa_tensor *bias_ih = net->bias ? p[2] : NULL, *bias_hh = net->bias ? p[3] : NULL;
    const fa_tensor *state = net->h.item[k], *cell = net->c.item[k];
    fa_tensors in = fa_unbind(fa_linear(x, p[0], .bias = bias_ih));
    fa_tensor **all = in.count ? fa__malloc(in.count * sizeof *all) : NULL, *y = NULL;
    bool good = all != NULL, reverse = k % (size_t)net->directions;
    for (size_t i = 0; good && i < in.count; i++) {
        size_t t = reverse ? in.count - 1 - i : i;
        good = fa__recurrent_step(net->kind, in.item[t], fa_linear(state, p[1], .bias = bias_hh), &state, &cell);
        all[t] = good ? fa_linear(state, p[net->each - 1]) : NULL;
        state = all[t];
    }
    if (good)
        y = fa_stack(((fa_tensors){in.count, all}));
    fa__free(all);
    *h = (fa_tensor *)(uintptr_t)state;
    *c = (fa_tensor *)(uintptr_t)cell;
    return y;
}

static bool needs_grad(const network *net, const fa_tensor *x, size_t k)
{
    bool needs =
        fa__needs_grad(x) || fa__needs_grad(net->h.item[k]) || (net->c.count && fa__needs_grad(net->c.item[k]));
    for (int64_t i = 0; i < net->each; i++)
        needs |= fa__needs_grad(net->a.params.item[(int64_t)k * net->each + i]);
    return needs && !fa__ctx()->settings->no_grad;
}

static fa_arg optional(bool there, fa_tensor *const *list, size_t i)
{
    return there ? fa__arg_t(list[i]) : fa__arg_f(0);
}

static fa_tensor *run_direction(const network *net, const fa_tensor *x, size_t k, fa_tensor **h, fa_tensor **c)
{
    fa_tensor *const *p = net->a.params.item + (int64_t)k * net->each;
    const bool reverse = k % (size_t)net->directions;
    if (net->projected)
        return run_projected(net, x, k, h, c);
    fa__recurrence_result r =
        fa__recurrence(x, p[0], p[1], net->h.item[k], optional(net->c.count, net->c.item, k), optional(net->bias, p, 2),
                       optional(net->bias, p, 3), net->kind, reverse, needs_grad(net, x, k));
    if (!r.y)
        return NULL;
    const int64_t last = reverse ? 0 : r.y->shape[0] - 1;
    *h = fa_select(r.y, 0, last);
    *c = net->kind == FA__LSTM ? fa_select(r.states, 0, last) : NULL;
    return *h && (*c || net->kind != FA__LSTM) ? r.y : NULL;
}

static fa_tensor *run_layer(const network *net, const fa_tensor *x, int64_t layer, fa_tensor **h, fa_tensor **c)
{
    const size_t k = (size_t)(layer * net->directions);
    if (layer && net->a.dropout > 0)
        x = fa_dropout(x, .p = net->a.dropout);
    fa_tensor *y = x ? run_direction(net, x, k, &h[k], &c[k]) : NULL;
    if (!y || net->directions == 1)
        return y;
    fa_tensor *back = run_direction(net, x, k + 1, &h[k + 1], &c[k + 1]);
    return back ? fa_cat(FA_TENSORS(y, back), .dim = 2) : NULL;
}

/* ---- all layers ---- */

/* The last states of all layers and directions, as the first ones were given. */
static fa_tensor *last_states(const network *net, size_t count, fa_tensor *const *last)
{
    fa_tensor *all = fa_stack(((fa_tensors){count, (fa_tensor **)(uintptr_t)last}));
    return net->a.x->rank == 2 && all ? fa_squeeze(all, .dim = 1) : all;
}

static fa_tensor *run_layers(const network *net, fa_tensor **h_n, fa_tensor **c_n)
{
    const size_t count = (size_t)(net->layers * net->directions);
    fa_tensor *y = net->x, **last = fa__calloc(2 * count, sizeof *last);
    for (int64_t layer = 0; last && y && layer < net->layers; layer++)
        y = run_layer(net, y, layer, last, last + count);
    *h_n = last && y ? last_states(net, count, last) : NULL;
    *c_n = *h_n && net->kind == FA__LSTM ? last_states(net, count, last + count) : NULL;
    fa__free(last);
    if (!*h_n || (net->kind == FA__LSTM && !*c_n))
        return NULL;
    return net->a.x->rank == 2 ? fa_squeeze(y, .dim = 1) : net->a.batch_first ? fa_transpose(y, 0, 1) : y;
}

static fa_tensor *run_network(fa__call *c, int64_t kind, lstm_args a)
{
    network net = {.call = c, .a = a, .kind = kind};
    fa_tensor *h_n, *c_n;
    if (!read_x(&net) || !read_params(&net) || !check_params(&net) || !read_state(&net, "h_0", a.h_0, net.out, &net.h)
        || (kind == FA__LSTM && !read_state(&net, "c_0", a.c_0, net.hidden, &net.c)))
        return NULL;
    fa_tensor *y = run_layers(&net, &h_n, &c_n);
    c->out[1] = y ? h_n : NULL;
    if (kind == FA__LSTM)
        c->out[2] = y ? c_n : NULL;
    return y;
}

/* As in PyTorch on the CPU, the cells of a projected one keep their dtype. */
static fa__cast lstm_cast(const fa__call *c)
{
    return is_projected(c->args) ? FA__CAST_NONE : FA__CAST_LOW;
}

static fa_tensor *lstm_compose(fa__call *c)
{
    return run_network(c, FA__LSTM, *(const lstm_args *)c->args);
}

static fa_tensor *run_recurrent(fa__call *c, int64_t kind)
{
    const recurrent_args *a = c->args;
    return run_network(c, kind,
                       (lstm_args){a->x, a->params, a->h_0, NULL, a->dropout, a->bidirectional, a->batch_first});
}

static fa_tensor *gru_compose(fa__call *c)
{
    return run_recurrent(c, FA__GRU);
}

static fa_tensor *rnn_tanh_compose(fa__call *c)
{
    return run_recurrent(c, FA__RNN_TANH);
}

static fa_tensor *rnn_relu_compose(fa__call *c)
{
    return run_recurrent(c, FA__RNN_RELU);
}

/** A long short-term memory network (Hochreiter and Schmidhuber 1997; with forget gates: Gers et al. 2000), of one or
 * more layers, each in one or both directions. The rows of weights and biases are those of the input gate i, the forget
 * gate f, the cell g and the output gate o, all four of W_ih x + b_ih + W_hh h + b_hh: c' = sigmoid(f) * c + sigmoid(i)
 * * tanh(g), h' = sigmoid(o) * tanh(c'). With weight_hr (out, hidden), known by weight_hh having fewer than hidden
 *  columns, h' is projected: weight_hr h' (arXiv:1402.1128).
 *
 *  output is (t, n, out * directions), with batch_first (n, t, ...), and without n where x is (t, in): the states of
 * the last layer. h_n and c_n are the last states and cells of all layers, in the shapes of h_0 and c_0. Dropout is
 * applied whenever it is above 0: pass 0 in evaluation. Under autocast on the CPU, the cells of a projected one keep
 * their dtype. */
OP(lstm, lstm_args, (output, h_n, c_n), .compose = lstm_compose, .require = REQUIRE(dropout >= 0 && dropout <= 1),
   .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW, .autocast_by = lstm_cast, ALSO("nn.LSTM"),
   TORCH("recurrent(lstm, x, params, h_0, c_0, dropout, bidirectional, batch_first)"),
   SAMPLES("(3,2,4) [(8,4) (8,2) (8) (8)]; (3,2,4) [(8,4) (8,2)] h_0=(1,2,2) c_0=(1,2,2); (2,3,4) [(12,4) (12,3) (12) "
           "(12) (12,3) (12,3) (12) (12)] h_0=(2,2,3) c_0=(2,2,3) batch_first=true; (3,2,2) [(4,2) (4,1) (4,2) (4,1) "
           "(4,2) (4,1) (4,2) (4,1)] bidirectional=true c_0=(4,2,1); (2,2,3) [(8,3) (8,2) (8) (8) (8,3) (8,2) (8) (8)] "
           "h_0=(2,2,2) bidirectional=true; (3,4) [(8,4) (8,2) (8) (8)] h_0=(1,2); (3,2,4) [(12,4) (12,2) (12) (12) "
           "(2,3)] h_0=(1,2,2) c_0=(1,2,3); (2,2,3) [(8,3) (8,1) (1,2) (8,3) (8,1) (1,2)] bidirectional=true; (1,2,4) "
           "[(8,4) (8,2) (8) (8)]"))

/** A network of gated recurrent units (arXiv:1406.1078), of one or more layers, each in one or both directions. The
 * rows of weights and biases are those of the reset gate r, the update gate z and the new state n, each with a part
 * from the input, W_ih x + b_ih, and one from the state, W_hh h + b_hh. The parts of r and z are added up: h' = m +
 * sigmoid(z) * (h - m), where m = tanh(n_ih + sigmoid(r) * n_hh). Shapes and options are as in fa_lstm(). */
OP(gru, recurrent_args, (output, h_n), .compose = gru_compose, .require = REQUIRE(dropout >= 0 && dropout <= 1),
   .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_WIDEST, ALSO("nn.GRU"),
   TORCH("recurrent(gru, x, params, h_0, None, dropout, bidirectional, batch_first)"),
   SAMPLES("(3,2,4) [(6,4) (6,2) (6) (6)]; (3,2,4) [(6,4) (6,2)] h_0=(1,2,2); (2,3,4) [(9,4) (9,3) (9) (9) (9,3) (9,3) "
           "(9) (9)] h_0=(2,2,3) batch_first=true; (3,2,2) [(3,2) (3,1) (3,2) (3,1) (3,2) (3,1) (3,2) (3,1)] "
           "bidirectional=true; (2,2,3) [(6,3) (6,2) (6) (6) (6,3) (6,2) (6) (6)] h_0=(2,2,2) bidirectional=true; "
           "(3,4) [(6,4) (6,2) (6) (6)] h_0=(1,2); (1,2,4) [(6,4) (6,2) (6) (6)]"))

/** Elman's network (Elman 1990), of one or more layers, each in one or both directions: h' = tanh(W_ih x + b_ih + W_hh
 * h + b_hh). Shapes and options are as in fa_lstm(). */
OP(rnn_tanh, recurrent_args, (output, h_n), .compose = rnn_tanh_compose,
   .require = REQUIRE(dropout >= 0 && dropout <= 1), .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW,
   ALSO("nn.RNN"), TORCH("recurrent(rnn_tanh, x, params, h_0, None, dropout, bidirectional, batch_first)"),
   SAMPLES("(3,2,4) [(3,4) (3,3) (3) (3)]; (3,2,4) [(2,4) (2,2)] h_0=(1,2,2); (2,3,4) [(3,4) (3,3) (3) (3) (3,3) (3,3) "
           "(3) (3)] h_0=(2,2,3) batch_first=true; (3,2,2) [(1,2) (1,1) (1,2) (1,1) (1,2) (1,1) (1,2) (1,1)] "
           "bidirectional=true; (3,4) [(2,4) (2,2) (2) (2)] h_0=(1,2)"))

/** Elman's network with relu in the place of tanh; otherwise as fa_rnn_tanh(). */
OP(rnn_relu, recurrent_args, (output, h_n), .compose = rnn_relu_compose,
   .require = REQUIRE(dropout >= 0 && dropout <= 1), .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW,
   ALSO("nn.RNN"), DIFFERS("i64 i32 u8: integers are refused"),
   TORCH("recurrent(rnn_relu, x, params, h_0, None, dropout, bidirectional, batch_first)"),
   SAMPLES("(3,2,4) [(3,4) (3,3) (3) (3)]; (3,2,4) [(2,4) (2,2)] h_0=(1,2,2); (2,3,4) [(3,4) (3,3) (3) (3) (3,3) (3,3) "
           "(3) (3)] batch_first=true; (3,2,2) [(1,2) (1,1) (1,2) (1,1)] bidirectional=true; (3,4) [(2,4) (2,2)]"))

#include "recurrent.rows"
