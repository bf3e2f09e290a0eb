/* Writes hot.h and hot.inc: the loops of HOT rows and of their derivatives, for the C compiler. Each value of the
 * simplified program is one statement that calls the primitive's function: the same bits as the program run any other
 * way, by construction. */
#include "rows.h"
#include <math.h>

/* A number as C(...), exactly. */
static void put_number(text *t, const fa__ssa_node *n)
{
    double value = n->integer ? (double)n->number.i : n->number.f;
    const char *sign = signbit(value) ? "-" : "";
    if (isnan(value))
        put(t, "C(__builtin_nan(\"\"))");
    else if (isinf(value))
        put(t, "C(%s__builtin_inf())", sign);
    else
        put(t, "C(%a)", value);
}

static void put_operand(text *t, const fa__ssa *ssa, int id)
{
    const fa__ssa_node *n = &ssa->node[id];
    if (n->prim == FA__PRIM_input)
        put(t, "i%d", n->a);
    else if (n->prim == FA__PRIM_constant)
        put_number(t, n);
    else
        put(t, "t%d", id);
}

static void put_node(text *t, const fa__ssa *ssa, int id)
{
    const fa__ssa_node *n = &ssa->node[id];
    const uint16_t operand[3] = {n->a, n->b, n->c};
    if (n->prim == FA__PRIM_input || n->prim == FA__PRIM_constant)
        return;
    put(t, "    const T t%d = prim_%s(", id, fa__prims[n->prim].name);
    for (int i = 0; i < 3 && i < fa__prims[n->prim].arity; i++) {
        put(t, "%s", i ? ", " : "");
        put_operand(t, ssa, operand[i]);
    }
    put(t, ");\n");
}

static void put_loop(text *t, const char *name, const fa__expression *e)
{
    put(t, "\n/* %s */\nHOT(%s, ", e->text, name);
    for (int i = 0; i < e->ninputs; i++)
        if (e->used >> i & 1)
            put(t, "INPUT(%d) ", i);
    put(t, ", {\n");
    for (int i = 0; i < e->ninputs; i++)
        if (e->used >> i & 1)
            put(t, "    ELEMENT(%d)\n", i);
    for (int i = 0; i < e->ssa.count; i++)
        put_node(t, &e->ssa, i);
    put(t, "    r = ");
    put_operand(t, &e->ssa, e->ssa.output[0]);
    put(t, ";\n})\n");
}

/* Whether a derivative is the incoming gradient itself: nothing to compute. */
static bool is_copy(const fa__expression *e)
{
    return e->ssa.node[e->ssa.output[0]].prim == FA__PRIM_input;
}

typedef struct hot {
    text ids, names, loops;
} hot;

static void add(hot *h, const op *o, int by, const fa__expression *e)
{
    const char *name = by < 0 ? o->name : rows_format("%s_d%d", o->name, by);
    put(&h->ids, "    FA__HOT_%s,\n", name);
    put(&h->names, "    {FA__OP_%s, %d, FA__HOT_%s},\n", o->name, by, name);
    put_loop(&h->loops, name, e);
}

void write_hot(const rows *r, const char *folder)
{
    static const char by[] = "/* Written by facula-rows from src/ops: edit there. */\n";
    hot h = {0};
    put(&h.ids,
        "%s#ifndef FA__GEN_HOT_H\n#define FA__GEN_HOT_H\n#include \"ids.h\"\n\n"
        "/* The programs that the C compiler made loops of. */\nenum {\n",
        by);
    put(&h.names,
        "    FA__HOT_COUNT\n};\n\n/* The operation, and the operand its derivative is by: -1 for the operation itself. "
        "Ends with op -1. */\nstatic const struct {\n    int op, by, hot;\n} fa__hot_names[] "
        "__attribute__((__unused__)) = {\n");
    put(&h.loops,
        "%s/* HOT(name, INPUT(k)..., { ELEMENT(k)..., then statements that give r its value }): those inputs are named "
        "that\n"
        " * are read; element k is i0, i1, ... of type T, a derivative's last two are the incoming gradient and the "
        "result. */\n",
        by);
    for (const op *o = r->ops; o; o = o->next) {
        if (!o->hot || !o->formula)
            continue;
        add(&h, o, -1, o->formula);
        for (int i = 0; i < o->args->nfields; i++)
            if (o->derivative[i] && !is_copy(o->derivative[i]))
                add(&h, o, i, o->derivative[i]);
    }
    put(&h.names, "    {-1, -1, -1},\n};\n#endif\n");
    put(&h.ids, "%s", text_take(&h.names));
    file_write(rows_format("%s/hot.h", folder), &h.ids);
    file_write(rows_format("%s/hot.inc", folder), &h.loops);
}
