/* What gradient functions use: giving an operand its gradient, and the gradients that are derived from expressions. */
#include "dispatch/call.h"

static int field_number(const fa__back *b, const void *field)
{
    ptrdiff_t offset = (const char *)field - (const char *)b->args;
    for (int i = 0; i < b->node->op->nfields; i++)
        if (b->node->op->fields[i].offset == offset)
            return i;
    return -1;
}

bool fa__wants(const fa__back *b, const void *field)
{
    int i = field_number(b, field);
    return i >= 0 && b->wanted[i];
}

fa_dtype fa__wanted_dtype(const fa__back *b, const void *field)
{
    const fa__edge *e = &b->node->edge[field_number(b, field)];
    return e->to->type == FA__TYPE_NODE ? ((const fa__node *)e->to)->result[e->slot].dtype
                                        : fa__gradient_dtype(((const fa_tensor *)e->to)->dtype);
}

bool fa__wants_item(const fa__back *b, size_t k)
{
    return b->wanted[b->node->op->nfields + k];
}

static FA__HOT void give(fa__back *b, int i, fa_tensor *g)
{
    if (i < 0 || !b->wanted[i] || !g)
        return;
    b->gx[i] = b->gx[i] ? fa_add(b->gx[i], g) : g;
}

FA__HOT void fa__set_input_grad(fa__back *b, const void *field, fa_tensor *g)
{
    give(b, field_number(b, field), g);
}

FA__HOT fa_tensor *fa__summed_to(fa_tensor *g, const fa_tensor *x)
{
    return g && x && !fa__same_shape(x, g) ? fa_sum_to(g, x) : g;
}

void fa__set_item_grad(fa__back *b, size_t k, fa_tensor *g)
{
    give(b, b->node->op->nfields + (int)k, g);
}

FA__HOT fa_tensor *fa__derived(const fa__op *op, const fa__op *d, const void *operands, fa_tensor *gy, fa_tensor *y,
                               const void *site)
{
    _Alignas(16) char args[d->args_size];
    memcpy(args, operands, op->args_size);
    memcpy(args + d->fields[d->nfields - 2].offset, &gy, sizeof gy);
    if (FA__LIKELY(d != op))
        memcpy(args + d->fields[d->nfields - 1].offset, &y, sizeof y);
    fa__call c = {.op = d, .args = args, .site = site};
    return fa__invoke(&c) ? c.out[0] : NULL;
}

/* gx of one operand: the derivative's operation on what was recorded, gy and y; summed where it was broadcast. */
static FA__HOT bool give_derivative(fa__back *b, int i)
{
    const fa__op *op = b->node->op, *d = fa__derivative_of(op, i);
    if (FA__UNLIKELY(d == &fa__large_op))
        return false;
    if (!d)
        return true;
    const fa_tensor *x = fa__field_tensor(b->args, &op->fields[i]);
    fa_tensor *g = FA__UNLIKELY(d == &fa__zero_op) ? fa_zeros_like(b->gy[0])
                                                   : fa__derived(op, d, b->args, b->gy[0], b->y[0], b->node->made_at);
    give(b, i, fa__summed_to(g, x));
    return true;
}

FA__HOT void fa__set_derived_grads(fa__back *b)
{
    uint32_t large = 0;
    FA__EACH_BIT (i, fa__tensor_fields(b->node->op))
        if (b->wanted[i] && !give_derivative(b, (int)i))
            large |= 1U << i;
    FA__EACH_BIT (i, large)
        give(b, (int)i, fa__derived_stepwise(b, (int)i));
}
