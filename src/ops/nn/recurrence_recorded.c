/* The gradient of the steps of a recurrent layer where backward is recorded: steps are computed again, and walked back,
 * by differentiable operations. */
#include "ops/nn/recurrent.h"

/* What a step had, and what it made. gate: an LSTM's four; a GRU's reset and update gate, new state, and the part of
 * that from the state. */
typedef struct step {
    const fa_tensor *h_0, *c_0, *h, *c, *gate[4];
} step;

static bool lstm_forward(step *s, fa_tensor *sum)
{
    fa_tensors g = fa_chunk(sum, 4, .dim = 1);
    for (size_t k = 0; k < g.count; k++)
        s->gate[k] = k == 2 ? fa_tanh(g.item[k]) : fa_sigmoid(g.item[k]);
    if (g.count != 4 || !s->gate[3])
        return false;
    s->c = fa_pointwise("x * y + z * w", s->gate[1], s->c_0, s->gate[0], s->gate[2]);
    s->h = fa_pointwise("x * tanh(y)", s->gate[3], s->c);
    return s->h;
}

static bool gru_forward(step *s, const fa_tensor *of_input, const fa_tensor *of_state)
{
    fa_tensors x = fa_chunk(of_input, 3, .dim = 1), h = fa_chunk(of_state, 3, .dim = 1);
    if (x.count != 3 || h.count != 3)
        return false;
    s->gate[0] = fa_pointwise("sigmoid(x + y)", x.item[0], h.item[0]);
    s->gate[1] = fa_pointwise("sigmoid(x + y)", x.item[1], h.item[1]);
    s->gate[2] = fa_pointwise("tanh(x + y * z)", x.item[2], s->gate[0], h.item[2]);
    s->gate[3] = h.item[2];
    s->h = fa_pointwise("x + y * (z - x)", s->gate[2], s->gate[1], s->h_0);
    return s->h;
}

static bool step_forward(int64_t kind, step *s, const fa_tensor *of_input, const fa_tensor *of_state)
{
    if (!of_input || !of_state)
        return false;
    if (kind == FA__GRU)
        return gru_forward(s, of_input, of_state);
    fa_tensor *sum = fa_add(of_input, of_state);
    if (kind == FA__LSTM)
        return sum && lstm_forward(s, sum);
    s->h = kind == FA__RNN_TANH ? fa_tanh(sum) : fa_relu(sum);
    return s->h;
}

/* Each step_back is given the gradient g of the step's state, and *other, and gives that of the gates. */
static fa_tensor *lstm_back(const step *s, const fa_tensor *g, fa_tensor **other)
{
    const fa_tensor *i = s->gate[0], *f = s->gate[1], *n = s->gate[2], *o = s->gate[3];
    fa_tensor *k = fa_pointwise("x * y * (1 - tanh(z) * tanh(z)) + w", g, o, s->c, *other);
    *other = fa_mul(k, f);
    return fa_cat(
        FA_TENSORS(fa_pointwise("x * y * z * (1 - z)", k, n, i), fa_pointwise("x * y * z * (1 - z)", k, s->c_0, f),
                   fa_pointwise("x * y * (1 - z * z)", k, i, n), fa_pointwise("x * tanh(y) * z * (1 - z)", g, s->c, o)),
        .dim = 1);
}

static fa_tensor *gru_back(const step *s, const fa_tensor *g, fa_tensor **other)
{
    const fa_tensor *r = s->gate[0], *z = s->gate[1], *n = s->gate[2], *of_state = s->gate[3];
    g = fa_add(g, *other);
    fa_tensor *u = fa_pointwise("x * (1 - y) * (1 - z * z)", g, z, n);
    *other = fa_mul(g, z);
    return fa_cat(FA_TENSORS(u, fa_pointwise("x * y * z * (1 - z)", u, of_state, r),
                             fa_pointwise("x * (y - z) * w * (1 - w)", g, s->h_0, n, z), fa_mul(u, r)),
                  .dim = 1);
}

static fa_tensor *step_back(int64_t kind, const step *s, const fa_tensor *g, fa_tensor **other)
{
    if (kind == FA__LSTM)
        return lstm_back(s, g, other);
    if (kind == FA__GRU)
        return gru_back(s, g, other);
    return kind == FA__RNN_TANH ? fa_pointwise("x * (1 - y * y)", g, s->h) : fa_pointwise("y > 0 ? x : 0", g, s->h);
}

static bool run_forward(const fa__recurrent_steps *r, size_t steps, step *s)
{
    const fa_tensor *h = r->h, *c = r->cell;
    fa_tensors x = fa_unbind(r->of_input);
    bool good = x.count == steps;
    for (size_t i = 0; good && i < steps; i++) {
        size_t t = r->reverse ? steps - 1 - i : i;
        s[t].h_0 = h;
        s[t].c_0 = c;
        good = step_forward(r->kind, &s[t], x.item[t], fa_linear(h, r->weight_hh, .bias = r->bias_hh));
        h = s[t].h;
        c = s[t].c;
    }
    return good;
}

static bool run_back(const fa__recurrent_steps *r, size_t steps, const step *s, fa_tensor **gates, fa__steps_back *to)
{
    const int64_t all = r->weight_hh->shape[0], skip = r->kind == FA__GRU ? r->weight_hh->shape[1] : 0;
    fa_tensors gy = fa_unbind(r->gy), gc = r->gc ? fa_unbind(r->gc) : (fa_tensors){0, NULL};
    bool good = gy.count == steps && to->h && to->other;
    for (size_t i = steps; good && i-- > 0;) {
        size_t t = r->reverse ? steps - 1 - i : i;
        if (gc.count)
            to->other = fa_add(to->other, gc.item[t]);
        gates[t] = to->other ? step_back(r->kind, &s[t], fa_add(gy.item[t], to->h), &to->other) : NULL;
        to->h = gates[t] ? fa_matmul(fa_narrow(gates[t], 1, skip, all), r->weight_hh) : NULL;
        good = to->h;
    }
    return good;
}

bool fa__recurrence_recorded(const fa__recurrent_steps *r, fa__steps_back *to)
{
    const size_t steps = r->of_input && r->gy ? (size_t)r->gy->shape[0] : 0;
    step *s = steps ? fa__calloc(steps, sizeof *s) : NULL;
    fa_tensor **item = s ? fa__calloc(steps, sizeof *item) : NULL;
    bool good = item && run_forward(r, steps, s) && run_back(r, steps, s, item, to);
    to->gates = good ? fa_stack(((fa_tensors){steps, item})) : NULL;
    for (size_t t = 0; good && t < steps; t++)
        item[t] = (fa_tensor *)(uintptr_t)s[t].h;
    to->y = to->gates ? fa_stack(((fa_tensors){steps, item})) : NULL;
    fa__free(item);
    fa__free(s);
    return to->y;
}
