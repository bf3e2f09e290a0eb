/* Gradients of expressions whose derivative would not fit into one expression: node by node, forward and back again,
 * by operations of one primitive each. When backward is recorded these are, and have derivatives of their own, which
 * are small again: so there are derivatives of any order. */
#include "dispatch/call.h"

typedef struct steps {
    const fa__back *b;
    const fa__expression *e;
    int wrt;
    fa_dtype dtype;                  /* of all values, or where they have types of their own of tests */
    bool varies[FA__MAX_NODES];      /* it depends on the operand */
    fa_tensor *value[FA__MAX_NODES]; /* NULL: not needed, or a key */
    fa_tensor *gradient[FA__MAX_NODES];
} steps;

/* The operation of one primitive: its operands are called x, y, z. */
static const fa__op *step_op(fa__prim prim)
{
    static const char *const names[] = {"x", "y", "z"}, *const operands[] = {"()", "(x)", "(x, y)", "(x, y, z)"};
    const char *name = fa__prims[prim].name;
    char text[32];
    bool casts = prim >= FA__PRIM_to_bool && prim <= FA__PRIM_to_f64;
    snprintf(text, sizeof text, "%s%s", casts ? name + strlen("to_") : name, operands[fa__prims[prim].arity]);
    return fa__expression_op("pointwise", text, names, fa__prims[prim].arity, NULL, 0);
}

static fa_tensor *in_dtype(const steps *s, fa_tensor *t)
{
    bool stays = !t || (fa_dtype)t->dtype == s->dtype || (s->e->typed && t->dtype != FA_BOOL);
    return stays ? t : fa_to(t, s->dtype);
}

/* Numbers are 0-dim tensors of the CPU, which go with any device. */
static fa_tensor *number(const steps *s, fa_arg value)
{
    bool whole = s->e->typed && value.kind == FA__ARG_INT;
    return fa_full(FA_SCALAR, value, .dtype = whole ? FA_I64 : s->dtype, .device = FA_CPU);
}

static fa_tensor *operand_value(const steps *s, int input)
{
    const fa__field *f = &s->b->node->op->fields[input];
    const fa_tensor *t = fa__field_tensor(s->b->args, f);
    if (t)
        return in_dtype(s, (fa_tensor *)(uintptr_t)t);
    fa__operand o;
    fa__value_of(&o, f, fa__field_at(s->b->args, f));
    return number(s, o.kind == FA__VALUE_FLOAT ? fa__arg_f(o.value.f) : fa__arg_i(o.value.i));
}

static void step_args(const steps *s, const fa__ssa_node *n, fa_arg args[3])
{
    for (int k = 0; k < fa__prims[n->prim].arity; k++)
        args[k] = fa__arg_t(s->value[fa__ssa_operand(n, k)]);
}

/* Elements of one node alone do not have the places that they have in the whole. */
static bool has_places(const fa__ssa_node *n)
{
    return n->prim == FA__PRIM_index || n->prim == FA__PRIM_uniform || n->prim == FA__PRIM_normal;
}

static bool forward(steps *s, int i)
{
    const fa__ssa_node *n = &s->e->ssa.node[i];
    if (has_places(n))
        return fa__fail(FA_ERROR_GRADIENT, "derivatives of this order are not available for %s()",
                        fa__prims[n->prim].name);
    if (n->prim == FA__PRIM_input && s->b->node->op->fields[n->a].kind == FA__KEY)
        return true;
    if (n->prim == FA__PRIM_input) {
        s->varies[i] = n->a == s->wrt;
        s->value[i] = operand_value(s, n->a);
    } else if (n->prim == FA__PRIM_constant) {
        s->value[i] = number(s, n->integer ? fa__arg_i(n->number.i) : fa__arg_f(n->number.f));
    } else {
        const fa__op *op = step_op((fa__prim)n->prim);
        fa_arg args[3] = {{0}};
        step_args(s, n, args);
        for (int k = 0; k < fa__prims[n->prim].arity; k++)
            s->varies[i] |= s->varies[fa__ssa_operand(n, k)];
        fa__call c = {.op = op, .args = args, .site = s->b->node->made_at};
        s->value[i] = op && fa__invoke(&c) ? in_dtype(s, c.out[0]) : NULL;
    }
    return s->value[i] != NULL;
}

/* What node i gives to its operand k. */
static bool give(steps *s, int i, int k)
{
    const fa__ssa_node *n = &s->e->ssa.node[i];
    uint16_t to = fa__ssa_operand(n, k);
    const fa__op *op = step_op((fa__prim)n->prim), *d = op ? fa__derivative_of(op, k) : NULL;
    fa_tensor *x = s->value[to], **sum = &s->gradient[to];
    fa_arg args[3] = {{0}};
    if (d == &fa__zero_op)
        return true;
    step_args(s, n, args);
    fa_tensor *g = d ? fa__derived(op, d, args, s->gradient[i], s->value[i], s->b->node->made_at) : NULL;
    g = fa__summed_to(g, x);
    *sum = *sum && g ? fa_add(*sum, g) : g;
    return *sum != NULL;
}

static bool back(steps *s, int i)
{
    const fa__ssa_node *n = &s->e->ssa.node[i];
    for (int k = 0; s->gradient[i] && k < fa__prims[n->prim].arity; k++)
        if (s->varies[fa__ssa_operand(n, k)] && !give(s, i, k))
            return false;
    return true;
}

fa_tensor *fa__derived_stepwise(const fa__back *b, int i)
{
    const fa__op *op = b->node->op;
    steps *s = fa__calloc(1, sizeof *s);
    if (!s)
        return NULL;
    fa_dtype dtype = (fa_dtype)b->gy[0]->dtype;
    *s = (steps){.b = b, .e = fa__compiled_of(op)->e, .wrt = i, .dtype = dtype == FA_F64 ? FA_F64 : FA_F32};
    const fa__ssa *ssa = &s->e->ssa;
    int count = ssa->count, x = -1;
    bool good = true;
    for (int k = 0; good && k < count; k++)
        good = forward(s, k);
    s->gradient[ssa->output[0]] = good ? in_dtype(s, b->gy[0]) : NULL;
    for (int k = count; good && k-- > 0;) {
        good = back(s, k);
        x = ssa->node[k].prim == FA__PRIM_input && ssa->node[k].a == i ? k : x;
    }
    fa_tensor *g = good && x >= 0 ? s->gradient[x] : NULL;
    g = good && !g ? fa_zeros_like(s->value[x]) : g;
    fa__free(s);
    return g;
}
