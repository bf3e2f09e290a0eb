/* The steps of a recurrent layer in one direction, as one operation: the inputs' part of the gates is one matrix
 * product for all steps, and a step is a product with the state and one or two passes over the gates. Backward walks
 * the steps the other way, and has one product for each weight. */
#include "dispatch/call.h"
#include "dispatch/views.h"
#include "ops/nn/recurrent.h"

typedef struct {
    const fa_tensor *x;         /* (t, n, in), floating; t at least 1 */
    const fa_tensor *weight_ih; /* (gates * hidden, in) */
    const fa_tensor *weight_hh; /* (gates * hidden, hidden) */
    const fa_tensor *h;         /* (n, hidden): the state before the first step */
    fa_arg cell;                /* LSTM: (n, hidden), the cell before the first step; others: any number */
    fa_arg bias_ih;             /* (gates * hidden), or any number: none */
    fa_arg bias_hh;             /* likewise */
    int64_t kind;               /* fa__recurrent_kind */
    bool reverse;               /* true: from the last step to the first */
    bool keep;                  /* true: backward will be asked for, and need not compute the steps again */
} recurrence_args;

static const fa_tensor *tensor_of(const fa_arg *a)
{
    return a->kind == FA__ARG_TENSOR ? fa__tensor_in(*a) : NULL;
}

/* ---- shapes ---- */

static bool has_shape(const fa_tensor *t, int rank, const int64_t *shape)
{
    bool same = t->rank == rank;
    for (int i = 0; same && i < rank; i++)
        same = t->shape[i] == shape[i];
    return same;
}

static bool check_one(const fa__call *c, const char *name, const fa_tensor *t, fa_shape shape)
{
    const recurrence_args *a = c->args;
    if (t && t->dtype != a->x->dtype)
        return fa__call_fail(c, FA_ERROR_DTYPE, "%s is %s and x %s: all have to be of one dtype", name,
                             fa_dtype_name((fa_dtype)t->dtype), fa_dtype_name((fa_dtype)a->x->dtype));
    return !t || has_shape(t, shape.rank, shape.dim)
           || fa__call_fail(c, FA_ERROR_SHAPE, "%s is not of the shape that x and weight_hh ask for", name);
}

static bool check_operands(const fa__call *c)
{
    const recurrence_args *a = c->args;
    if (!fa__dtype_is_float(a->x->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "x is %s, which is not floating: fa_to converts",
                             fa_dtype_name((fa_dtype)a->x->dtype));
    if (a->kind < 0 || a->kind >= FA__RECURRENT_KINDS)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "there is no such kind");
    if (a->x->rank != 3 || a->x->shape[0] < 1 || a->weight_hh->rank != 2)
        return fa__call_fail(c, FA_ERROR_SHAPE, "x has to be (t, n, in), with one step at least");
    int64_t n = a->x->shape[1], hidden = a->weight_hh->shape[1], rows = fa__recurrent_gates(a->kind) * hidden;
    const fa_tensor *cell = a->kind == FA__LSTM ? tensor_of(&a->cell) : a->h;
    if (!cell)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "cell is missing");
    return check_one(c, "weight_ih", a->weight_ih, FA_SHAPE(rows, a->x->shape[2]))
           && check_one(c, "weight_hh", a->weight_hh, FA_SHAPE(rows, hidden))
           && check_one(c, "h", a->h, FA_SHAPE(n, hidden)) && check_one(c, "cell", cell, FA_SHAPE(n, hidden))
           && check_one(c, "bias_ih", tensor_of(&a->bias_ih), FA_SHAPE(rows))
           && check_one(c, "bias_hh", tensor_of(&a->bias_hh), FA_SHAPE(rows));
}

/* For backward an LSTM keeps its cells and gates, and a GRU its gates and the part of the new gate that comes from the
 * state. */
static bool recurrence_infer(fa__call *c)
{
    const recurrence_args *a = c->args;
    if (!check_operands(c))
        return false;
    int64_t hidden = a->weight_hh->shape[1];
    bool gated = a->kind == FA__GRU || a->kind == FA__LSTM, keeps = a->keep && gated;
    int64_t shape[] = {keeps ? a->x->shape[0] : 0, a->x->shape[1], a->weight_hh->shape[0]};
    if (!fa__infer_shape(c, (fa_dtype)a->x->dtype, 3, shape))
        return false;
    c->spec[2] = c->spec[0];
    shape[0] = keeps || a->kind == FA__LSTM ? a->x->shape[0] : 0;
    shape[2] = hidden;
    if (!fa__infer_shape(c, (fa_dtype)a->x->dtype, 3, shape))
        return false;
    c->spec[1] = c->spec[0];
    shape[0] = a->x->shape[0];
    return fa__infer_shape(c, (fa_dtype)a->x->dtype, 3, shape);
}

/* ---- one pass over the gates ---- */

/* Runs a program whose names are single letters, in the order of the tensors. */
static bool update(const char *text, const char *names, fa_tensor *const *tensor)
{
    char letter[FA__MAX_INPUTS][2];
    fa_binding binding[FA__MAX_INPUTS];
    size_t n = 0;
    for (; names[n]; n++) {
        letter[n][0] = names[n];
        letter[n][1] = 0;
        binding[n] = fa__bind_list(letter[n], (fa_tensors){1, &tensor[n]});
        if (!tensor[n])
            return false;
    }
    return fa_update(text, n, binding);
}

/* The view (n, width) of block k of t (steps, n, blocks * width) at a step. */
static fa_tensor *part(const fa_tensor *t, int64_t step, int64_t k, int64_t width)
{
    if (!t)
        return NULL;
    return fa__part_of(t, FA_SHAPE(t->shape[1], width), FA_SHAPE(t->stride[1], t->stride[2]),
                       step * t->stride[0] + k * width * t->stride[2]);
}

/* Step i of all in the order in which they are computed, and the step before it; -1: there is none. */
static int64_t step_at(const recurrence_args *a, int64_t i)
{
    return a->reverse ? a->x->shape[0] - 1 - i : i;
}

static int64_t step_before(const recurrence_args *a, int64_t i)
{
    return i ? step_at(a, i - 1) : -1;
}

static fa_tensor *state_before(const fa_tensor *all, const fa_tensor *first, int64_t before)
{
    return before < 0 ? (fa_tensor *)(uintptr_t)first : part(all, before, 0, first->shape[1]);
}

/* ---- forward ---- */

/* What a run works on: its results, or memory in their place; (1, n, gates * hidden) for the part from the state. */
typedef struct memory {
    fa_tensor *y, *states, *gates, *sum;
} memory;

static bool forward_lstm(const recurrence_args *a, const memory *m, int64_t t, int64_t before)
{
    const int64_t w = a->h->shape[1];
    fa_tensor *c = part(m->states, t, 0, w);
    return update("i = sigmoid(i + a); f = sigmoid(f + b); g = tanh(g + e); c = f * p + i * g", "ifgabepc",
                  (fa_tensor *[]){part(m->gates, t, 0, w), part(m->gates, t, 1, w), part(m->gates, t, 2, w),
                                  part(m->sum, 0, 0, w), part(m->sum, 0, 1, w), part(m->sum, 0, 2, w),
                                  state_before(m->states, tensor_of(&a->cell), before), c})
           && update("o = sigmoid(o + a); h = o * tanh(c)", "oach",
                     (fa_tensor *[]){part(m->gates, t, 3, w), part(m->sum, 0, 3, w), c, part(m->y, t, 0, w)});
}

static bool forward_gru(const recurrence_args *a, const memory *m, int64_t t, int64_t before)
{
    const int64_t w = a->h->shape[1];
    return update("r = sigmoid(r + a); z = sigmoid(z + b); k = e; n = tanh(n + r * e); h = n + z * (p - n)",
                  "rznabekph",
                  (fa_tensor *[]){part(m->gates, t, 0, w), part(m->gates, t, 1, w), part(m->gates, t, 2, w),
                                  part(m->sum, 0, 0, w), part(m->sum, 0, 1, w), part(m->sum, 0, 2, w),
                                  part(m->states, m->states->shape[0] > 1 ? t : 0, 0, w),
                                  state_before(m->y, a->h, before), part(m->y, t, 0, w)});
}

static bool forward_tanh(const recurrence_args *a, const memory *m, int64_t t, int64_t before)
{
    (void)before;
    return update("h = tanh(h + a)", "ha",
                  (fa_tensor *[]){part(m->y, t, 0, a->h->shape[1]), part(m->sum, 0, 0, a->h->shape[1])});
}

static bool forward_relu(const recurrence_args *a, const memory *m, int64_t t, int64_t before)
{
    (void)before;
    return update("s = h + a; h = s < 0 ? 0 : s", "ha",
                  (fa_tensor *[]){part(m->y, t, 0, a->h->shape[1]), part(m->sum, 0, 0, a->h->shape[1])});
}

static bool (*const forward[])(const recurrence_args *, const memory *, int64_t, int64_t) = {
    [FA__RNN_TANH] = forward_tanh, [FA__RNN_RELU] = forward_relu, [FA__GRU] = forward_gru, [FA__LSTM] = forward_lstm};

static fa_tensor *empty(const fa_tensor *like, int64_t steps, int64_t width)
{
    return fa_empty(FA_SHAPE(steps, like->shape[1], width), .dtype = (fa_dtype)like->dtype,
                    .device = fa_tensor_device(like));
}

static memory memory_of(const fa__call *c)
{
    const recurrence_args *a = c->args;
    memory m = {c->out[0], c->out[1], c->out[2], empty(a->x, 1, a->weight_hh->shape[0])};
    if (a->kind != FA__GRU && a->kind != FA__LSTM)
        m.gates = m.y;
    else if (!a->keep)
        m.gates = empty(a->x, a->x->shape[0], a->weight_hh->shape[0]);
    if (a->kind == FA__GRU && !a->keep)
        m.states = empty(a->x, 1, a->h->shape[1]);
    return m;
}

/* Both biases are added to the inputs' part, except that of a GRU's state, which belongs to the product. */
static bool multiply_inputs(const recurrence_args *a, const memory *m)
{
    const fa_tensor *bias = tensor_of(&a->bias_ih), *other = tensor_of(&a->bias_hh);
    if (a->kind != FA__GRU && other)
        bias = bias ? fa_add(bias, other) : other;
    return m->gates && fa_linear(a->x, a->weight_ih, .bias = bias, .out = m->gates);
}

static bool recurrence_run(fa__call *c)
{
    const recurrence_args *a = c->args;
    FA_SCOPE;
    FA_USE(.no_grad = true, .autocast = FA_SAME);
    const memory m = memory_of(c);
    bool good = multiply_inputs(a, &m) && m.sum && m.states;
    for (int64_t i = 0; good && i < a->x->shape[0]; i++) {
        FA_SCOPE;
        int64_t before = step_before(a, i);
        good = fa_linear(state_before(m.y, a->h, before), a->weight_hh,
                         .bias = a->kind == FA__GRU ? tensor_of(&a->bias_hh) : NULL,
                         .out = part(m.sum, 0, 0, a->weight_hh->shape[0]))
               && forward[a->kind](a, &m, step_at(a, i), before);
    }
    return good;
}

/* ---- backward, where it is not recorded ---- */

/* What the walk back reads, and what it makes. */
typedef struct gradients {
    const fa_tensor *gy, *gc, *states, *kept; /* (steps, n, ...); gc may be NULL */
    fa__steps_back to;
} gradients;

static bool backward_lstm(const recurrence_args *a, const gradients *g, int64_t t, int64_t before)
{
    const int64_t w = a->h->shape[1];
    if (g->gc && !fa_add_(g->to.other, part(g->gc, t, 0, w)))
        return false;
    return update(
        "q = tanh(c); s = y + h; k = s * o * (1 - q * q) + d; a = k * g * i * (1 - i); b = k * p * f * (1 - f); "
        "e = k * i * (1 - g * g); w = s * q * o * (1 - o); d = k * f",
        "cyhdifgopabew",
        (fa_tensor *[]){part(g->states, t, 0, w), part(g->gy, t, 0, w), g->to.h, g->to.other, part(g->kept, t, 0, w),
                        part(g->kept, t, 1, w), part(g->kept, t, 2, w), part(g->kept, t, 3, w),
                        state_before(g->states, tensor_of(&a->cell), before), part(g->to.gates, t, 0, w),
                        part(g->to.gates, t, 1, w), part(g->to.gates, t, 2, w), part(g->to.gates, t, 3, w)});
}

static bool backward_gru(const recurrence_args *a, const gradients *g, int64_t t, int64_t before)
{
    const int64_t w = a->h->shape[1];
    return update(
        "s = y + h + m; u = s * (1 - z) * (1 - n * n); a = u; b = u * k * r * (1 - r); e = s * (p - n) * z * (1 "
        "- z); w = u * r; m = s * z",
        "yhmrznkpabew",
        (fa_tensor *[]){part(g->gy, t, 0, w), g->to.h, g->to.other, part(g->kept, t, 0, w), part(g->kept, t, 1, w),
                        part(g->kept, t, 2, w), part(g->states, t, 0, w), state_before(g->to.y, a->h, before),
                        part(g->to.gates, t, 0, w), part(g->to.gates, t, 1, w), part(g->to.gates, t, 2, w),
                        part(g->to.gates, t, 3, w)});
}

static bool backward_rnn(const recurrence_args *a, const gradients *g, int64_t t, int64_t before)
{
    (void)before;
    const int64_t w = a->h->shape[1];
    return update(a->kind == FA__RNN_TANH ? "a = (y + h) * (1 - o * o)" : "a = o > 0 ? y + h : 0", "yhoa",
                  (fa_tensor *[]){part(g->gy, t, 0, w), g->to.h, part(g->to.y, t, 0, w), part(g->to.gates, t, 0, w)});
}

static bool (*const backward[])(const recurrence_args *, const gradients *, int64_t, int64_t) = {
    [FA__RNN_TANH] = backward_rnn, [FA__RNN_RELU] = backward_rnn, [FA__GRU] = backward_gru, [FA__LSTM] = backward_lstm};

static fa_tensor *zeros(const fa_tensor *like, fa_shape shape)
{
    return fa_zeros(shape, .dtype = (fa_dtype)like->dtype, .device = fa_tensor_device(like));
}

static bool walk_back(const recurrence_args *a, gradients *g)
{
    const int64_t w = a->h->shape[1], all = a->weight_hh->shape[0], skip = a->kind == FA__GRU ? w : 0;
    g->to.gates = empty(a->x, a->x->shape[0], skip + all);
    bool good = g->gy && g->to.gates && g->to.h && g->to.other;
    for (int64_t i = a->x->shape[0] - 1; good && i >= 0; i--) {
        FA_SCOPE;
        int64_t t = step_at(a, i);
        good = backward[a->kind](a, g, t, step_before(a, i))
               && fa_matmul(fa_narrow(part(g->to.gates, t, 0, skip + all), 1, skip, all), a->weight_hh, .out = g->to.h);
    }
    return good;
}

/* (steps, n, width) as (steps * n, width) */
static fa_tensor *rows(const fa_tensor *t)
{
    return t ? fa_flatten(t, .start_dim = 0, .end_dim = 1) : NULL;
}

/* The states before all steps, (steps, n, hidden). */
static fa_tensor *states_before(const recurrence_args *a, const fa_tensor *y)
{
    fa_tensor *h = fa_unsqueeze(a->h, 0), *others = fa_narrow(y, 0, a->reverse, y->shape[0] - 1);
    return a->reverse ? fa_cat(FA_TENSORS(others, h)) : fa_cat(FA_TENSORS(h, others));
}

/* A GRU's rows of weights, which begin with the reset gate, as they stand in the gradient, which begins with the new
 * one; the other way with -1. */
static fa_tensor *turned(const recurrence_args *a, const fa_tensor *t, int way)
{
    return a->kind == FA__GRU ? fa_roll(t, FA_SHAPE(way * a->h->shape[1]), .dims = 0) : (fa_tensor *)(uintptr_t)t;
}

static void give_input_gradients(fa__back *b, const gradients *g)
{
    const recurrence_args *a = b->args;
    const fa_tensor *of_input = fa_narrow(g->to.gates, 2, 0, a->weight_hh->shape[0]);
    if (fa__wants(b, &a->x))
        fa__set_input_grad(b, &a->x, fa_matmul(of_input, turned(a, a->weight_ih, 1)));
    if (fa__wants(b, &a->weight_ih))
        fa__set_input_grad(b, &a->weight_ih, turned(a, fa_matmul(fa_t(rows(of_input)), rows(a->x)), -1));
    if (tensor_of(&a->bias_ih) && fa__wants(b, &a->bias_ih))
        fa__set_input_grad(b, &a->bias_ih, turned(a, fa_sum(rows(of_input), .dim = 0), -1));
}

static void give_state_gradients(fa__back *b, const gradients *g)
{
    const recurrence_args *a = b->args;
    const fa_tensor *of_state =
        fa_narrow(g->to.gates, 2, a->kind == FA__GRU ? a->h->shape[1] : 0, a->weight_hh->shape[0]);
    if (fa__wants(b, &a->weight_hh))
        fa__set_input_grad(b, &a->weight_hh, fa_matmul(fa_t(rows(of_state)), rows(states_before(a, g->to.y))));
    if (tensor_of(&a->bias_hh) && fa__wants(b, &a->bias_hh))
        fa__set_input_grad(b, &a->bias_hh, fa_sum(rows(of_state), .dim = 0));
    if (fa__wants(b, &a->h))
        fa__set_input_grad(b, &a->h, a->kind == FA__GRU ? fa_add(g->to.h, g->to.other) : g->to.h);
    if (a->kind == FA__LSTM && fa__wants(b, &a->cell))
        fa__set_input_grad(b, &a->cell, g->to.other);
}

static gradients begin_back(const fa__back *b)
{
    const recurrence_args *a = b->args;
    fa_shape shape = FA_SHAPE(a->x->shape[0], a->h->shape[0], a->h->shape[1]);
    return (gradients){.gy = b->gy[0] ? b->gy[0] : zeros(a->x, shape),
                       .gc = a->kind == FA__LSTM ? b->gy[1] : NULL,
                       .to = {.h = zeros(a->x, fa_tensor_shape(a->h)), .other = zeros(a->x, fa_tensor_shape(a->h))}};
}

static void grad_by_steps(fa__back *b)
{
    gradients g = begin_back(b);
    g.to.y = b->y[0];
    g.states = b->y[1];
    g.kept = b->y[2];
    if (walk_back(b->args, &g)) {
        give_input_gradients(b, &g);
        give_state_gradients(b, &g);
    }
}

static void grad_recorded(fa__back *b)
{
    const recurrence_args *a = b->args;
    gradients g = begin_back(b);
    const fa__recurrent_steps r = {.kind = a->kind,
                                   .reverse = a->reverse,
                                   .of_input = fa_linear(a->x, a->weight_ih, .bias = tensor_of(&a->bias_ih)),
                                   .weight_hh = a->weight_hh,
                                   .bias_hh = tensor_of(&a->bias_hh),
                                   .h = a->h,
                                   .cell = tensor_of(&a->cell),
                                   .gy = g.gy,
                                   .gc = g.gc};
    if (fa__recurrence_recorded(&r, &g.to)) {
        give_input_gradients(b, &g);
        give_state_gradients(b, &g);
    }
}

static void recurrence_grad(fa__back *b)
{
    const recurrence_args *a = b->args;
    (fa__recording() || !a->keep ? grad_recorded : grad_by_steps)(b);
}

/** The states after all steps, (t, n, hidden); an LSTM's cells; and what backward needs. */
OP(recurrence, recurrence_args, (y, states, gates), .infer = recurrence_infer, .run = recurrence_run,
   .grad = recurrence_grad, .keep = KEEP(x, weight_ih, weight_hh, h, cell, bias_ih, bias_hh, y, states, gates),
   .null_gy = true, INTERNAL, TORCH(""),
   SAMPLES(
       "(3,2,4) (5,4) (5,5) (2,5) 0 (5) (5) 0 false false; (2,2,3) (2,3) (2,2) (2,2) 0 0 0 1 true false; (3,2,4) "
       "(6,4) (6,2) (2,2) 0 (6) (6) 2 false false; (2,1,3) (6,3) (6,2) (1,2) 0 0 0 2 true false; (3,2,4) (8,4) (8,2) "
       "(2,2) (2,2) (8) (8) 3 false false; (2,1,3) (4,3) (4,1) (1,1) (1,1) 0 0 3 true false"))

#include "recurrence.rows"
