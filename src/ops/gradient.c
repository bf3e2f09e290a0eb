/* What gradient functions use: giving an operand its gradient, and the gradients that are derived from expressions. */
#include "ops/call.h"

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

FA__HOT void fa__give(fa__back *b, const void *field, fa_tensor *g)
{
    give(b, field_number(b, field), g);
}

void fa__give_item(fa__back *b, size_t k, fa_tensor *g)
{
    give(b, b->node->op->nfields + (int)k, g);
}

/* gx of one operand: the derivative's operation on what was recorded, gy and y; summed where it was broadcast. */
static fa_tensor *derived(fa__back *b, int i)
{
    const fa__op *op = b->node->op, *d = fa__derivative_of(op, i);
    if (!d || d == &fa__zero_op)
        return NULL;
    _Alignas(16) char args[d->args_size];
    memcpy(args, b->args, op->args_size);
    memcpy(args + d->fields[op->nfields].offset, &b->gy[0], sizeof b->gy[0]);
    memcpy(args + d->fields[op->nfields + 1].offset, &b->y[0], sizeof b->y[0]);
    fa__call c = {.op = d, .args = args, .site = b->node->made_at};
    if (!fa__invoke(&c))
        return NULL;
    const fa_tensor *x = fa__field_tensor(b->args, &op->fields[i]);
    return x && !fa__same_shape(x, c.out[0]) ? fa_sum_to(c.out[0], x) : c.out[0];
}

FA__HOT void fa__give_derived(fa__back *b)
{
    FA__EACH_BIT (i, fa__tensor_fields(b->node->op))
        if (b->wanted[i])
            give(b, (int)i, derived(b, (int)i));
}
