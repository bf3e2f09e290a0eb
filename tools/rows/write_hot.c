/* Writes hot.h and hot.inc: the loops of HOT rows, of their derivatives and of the programs in core/hot.def, for the C
 * compiler. Each value of the simplified program is one statement that calls the primitive's function: the same bits as
 * the program run any other way, by construction. */
#include "rows.h"
#include <math.h>
#include <string.h>

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
        put(t, "x%d", n->a);
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
    for (int k = 0; k < e->ssa.outputs; k++)
        put(t, "OUTPUT(%d) ", k);
    put(t, ", {\n");
    for (int i = 0; i < e->ninputs; i++)
        if (e->used >> i & 1)
            put(t, "    ELEMENT(%d)\n", i);
    for (int i = 0; i < e->ssa.count; i++)
        put_node(t, &e->ssa, i);
    for (int k = 0; k < e->ssa.outputs; k++) {
        put(t, "    RESULT(%d, ", k);
        put_operand(t, &e->ssa, e->ssa.output[k]);
        put(t, ")\n");
    }
    put(t, "})\n");
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

/* ---- core/hot.def ---- */

static const struct {
    const char *name, *operands, *results, *text;
} programs[] = {
#define HOT_PROGRAM(name, operands, results, text) {#name, operands, results, text},
#include "core/hot.def"
#undef HOT_PROGRAM
};

/* The names that a list has; returns their number. */
static int split(const char *list, const char **name)
{
    int count = 0;
    char *rest, *copy = rows_format("%s", list);
    for (char *at = strtok_r(copy, " ", &rest); at; at = strtok_r(NULL, " ", &rest))
        name[count++] = at;
    return count;
}

static void add_programs(hot *h)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const char *operand[FA__MAX_INPUTS], *result[FA__MAX_OUTPUTS];
        fa__signature signature = {.inputs = operand, .outputs = result};
        signature.ninputs = split(programs[i].operands, operand);
        signature.noutputs = split(programs[i].results, result);
        fa__parse_error error;
        const fa__expression *e = fa__expression_parse(programs[i].text, &signature, &error);
        if (!e) {
            fail("src/core/hot.def", 0, "%s: %s", programs[i].name, error.message);
            continue;
        }
        put(&h->ids, "    FA__HOT_%s,\n", programs[i].name);
        put_loop(&h->loops, programs[i].name, e);
        fa__expression_free(e);
    }
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
        "%s/* HOT(name, INPUT(k)... OUTPUT(k)..., { ELEMENT(k)..., values, then RESULT(k, value)... }): those inputs "
        "are "
        "named\n"
        " * that are read; element k is x0, x1, ... of type T, a derivative's last two are the incoming gradient and "
        "the "
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
    add_programs(&h);
    put(&h.names, "    {-1, -1, -1},\n};\n#endif\n");
    put(&h.ids, "%s", text_take(&h.names));
    file_write(rows_format("%s/hot.h", folder), &h.ids);
    file_write(rows_format("%s/hot.inc", folder), &h.loops);
}
