/* Calls whose operands need gradients, and those gradients. */
#include "support/gradient.h"
#include <stdlib.h>

enum { WEIGHTS = 900 /* the place of the weights, as in tests/reference/operations.py */ };

/* Weights for a tensor: fixed numbers of its shape. */
static fa_tensor *weights_like(const inputs *in, const fa_tensor *t, int number)
{
    operand o = {.domain = 'f', .place = WEIGHTS + number, .rank = t->rank, .count = fa_numel(t)};
    double *v = malloc(((size_t)o.count + 1) * sizeof *v);
    if (!v)
        return NULL;
    operand_values(in->s, &o, FA_F64, v);
    fa_tensor *w = make_tensor(v, fa_tensor_dtype(t), t->rank, t->shape, LAYOUT_DENSE, in->where);
    free(v);
    return w;
}

static void add_term(terms *t, const inputs *in, fa_tensor *y, int number)
{
    t->y[t->count] = y;
    t->w[t->count++] = weights_like(in, y, number);
}

bool gradients_of(const terms *t, fa_tensor *const *x, int count, bool create, fa_tensor **g)
{
    fa_tensors y = {(size_t)t->count, t->y}, w = {(size_t)t->count, t->w}, to = {(size_t)count, x};
    fa_tensors found = {0, NULL};
    if (t->count)
        found = fa_grad_of(y, to, .grad_outputs = w, .create_graph = create, .allow_unused = true);
    for (int i = 0; i < count; i++)
        g[i] = found.count ? found.item[i] : NULL;
    return !t->count || found.count;
}

bool has_history(const fa_tensor *t)
{
    return t && (t->node || t->requires_grad);
}

bool chain_run(chain *c, const inputs *in, int order, bool gradients)
{
    c->count = c->terms.count = 0;
    if (!attempt_make(&c->a, in, NULL, in->where))
        return false;
    for (int i = 0; i < in->s->operands; i++)
        if (operand_differentiable(in->s, i)) {
            c->which[c->count] = i;
            c->x[c->count++] = c->a.tensor[i];
            if (gradients || order == 2)
                fa_set_requires_grad(c->a.tensor[i], true);
        }
    if (!attempt_run(&c->a, NULL, false))
        return false;
    for (int i = 0; i < c->a.results; i++)
        if (fa__dtype_is_float(c->a.result[i]->dtype) && (has_history(c->a.result[i]) || !(gradients || order == 2)))
            add_term(&c->terms, in, c->a.result[i], i);
    if (order == 1)
        return true;
    if (!gradients_of(&c->terms, c->x, c->count, true, c->g))
        return false;
    c->terms.count = 0;
    for (int i = 0; i < c->count; i++)
        if (c->g[i] && (!gradients || has_history(c->g[i])))
            add_term(&c->terms, in, c->g[i], 10 + i);
    return true;
}
