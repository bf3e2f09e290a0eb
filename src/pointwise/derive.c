/* An expression's derivative as an expression: times the incoming gradient, and with the result in place of what would
 * be computed again. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "pointwise/body.h"
#include "pointwise/cells.h"
#include <stdio.h>
#include <string.h>

/* What takes about as long as reading a value: not worth keeping a result for. */
static const bool cheap[FA__PRIM_count] = {
    [FA__PRIM_input] = true,  [FA__PRIM_constant] = true, [FA__PRIM_neg] = true,     [FA__PRIM_add] = true,
    [FA__PRIM_sub] = true,    [FA__PRIM_mul] = true,      [FA__PRIM_mad] = true,     [FA__PRIM_fma] = true,
    [FA__PRIM_abs] = true,    [FA__PRIM_sign] = true,     [FA__PRIM_maximum] = true, [FA__PRIM_minimum] = true,
    [FA__PRIM_floor] = true,  [FA__PRIM_trunc] = true,    [FA__PRIM_lt] = true,      [FA__PRIM_le] = true,
    [FA__PRIM_eq] = true,     [FA__PRIM_ne] = true,       [FA__PRIM_and] = true,     [FA__PRIM_or] = true,
    [FA__PRIM_not] = true,    [FA__PRIM_select] = true,   [FA__PRIM_index] = true,   [FA__PRIM_ceil] = true,
    [FA__PRIM_round] = true,  [FA__PRIM_copysign] = true, [FA__PRIM_signbit] = true, [FA__PRIM_bit_and] = true,
    [FA__PRIM_bit_or] = true, [FA__PRIM_bit_xor] = true,  [FA__PRIM_bit_not] = true, [FA__PRIM_nmad] = true,
#define DTYPE(tag, name, ...) [FA__PRIM_to_##name] = true,
#include "core/dtypes.def"
#undef DTYPE
};

typedef struct fa__cost {
    int inputs; /* other than the gradient, which is there anyway */
    int costly; /* nodes that are not cheap */
} cost;

static cost cost_of(const fa__builder *b, fa__node_id output, int gradient)
{
    cost sum = {0};
    fa__mark_needed(b, &output, 1);
    for (uint32_t i = 0; i < b->count; i++) {
        const fa__ssa_node *n = &b->node[i];
        sum.inputs += b->map[i] && n->prim == FA__PRIM_input && n->a != gradient;
        sum.costly += b->map[i] && !cheap[n->prim];
    }
    return sum;
}

enum { MOST_READ = 2 };

/* What reading the result y stands for: the result itself, and a test of it. */
typedef struct fa__read {
    fa__node_id node[MOST_READ], with[MOST_READ];
    int count;
} read;

/* Builds what `output` needs of `from` again, in `to`, with what is read in the place of nodes. The first `fixed` nodes
 * stay as they are. */
static fa__node_id rebuild(fa__builder *to, const fa__builder *from, fa__node_id output, const read *r, uint32_t fixed)
{
    fa__mark_needed(from, &output, 1);
    for (uint32_t i = 0; i < from->count; i++) {
        fa__ssa_node n = from->node[i];
        if (!from->map[i])
            continue;
        int k = 0;
        while (k < r->count && r->node[k] != i)
            k++;
        if (k < r->count) {
            from->map[i] = r->with[k];
            continue;
        }
        int arity = fa__prims[n.prim].arity;
        fa__node_id x = arity > 0 ? from->map[n.a] : n.a, y = arity > 1 ? from->map[n.b] : 0;
        fa__node_id z = arity > 2 ? from->map[n.c] : 0;
        if (arity)
            n.a = x, n.b = y, n.c = z;
        from->map[i] = arity && i >= fixed ? fa__build(to, (fa__prim)n.prim, x, y, z) : fa__build_raw(to, n);
    }
    return from->map[output];
}

/* Whether it pays to read the result instead: it saves something costly, and needs no more operands or is itself that
 * costly; or it takes an operand's place at the same cost (`tested`). A quotient keeps its operands, so that the
 * program may go on changing it in place, unless it alone is read. */
static bool result_pays(const fa__expression *e, cost recomputed, cost reading, bool tested)
{
    fa__prim root = (fa__prim)e->ssa.node[e->ssa.output[0]].prim;
    if (root == FA__PRIM_div && reading.inputs > 1)
        return false;
    if (tested && reading.inputs == 1 && reading.costly == recomputed.costly)
        return true;
    return reading.costly < recomputed.costly && (!cheap[root] || reading.inputs <= recomputed.inputs);
}

static bool is_zero(const fa__ssa_node *n)
{
    return n->prim == FA__PRIM_constant && (n->integer ? n->number.i == 0 : n->number.f == 0);
}

/* The test x <= 0 of y = x <= 0 ? 0 : x, which is y <= 0; FA__NO_NODE when the expression is not of that form. */
static fa__node_id sign_test(const fa__ssa *s)
{
    const fa__ssa_node *root = &s->node[s->output[0]], *test = &s->node[root->a];
    bool rectifies = root->prim == FA__PRIM_select && test->prim == FA__PRIM_le && is_zero(&s->node[root->b])
                     && test->a == root->c && is_zero(&s->node[test->b]);
    return rectifies ? root->a : FA__NO_NODE;
}

typedef struct fa__derivation {
    const fa__expression *e;
    fa__builder b, reading; /* the derivative, and the one that reads the result */
    fa__node_id *d;         /* of each node */
    fa__underived why;
} derivation;

static bool begin(derivation *w, const fa__expression *e)
{
    uint32_t nodes = e->ssa.count;
    *w = (derivation){.e = e};
    if (!fa__builder_init(&w->b, 16 * nodes + 64))
        return false;
    w->b.typed = e->typed;
    w->d = fa__malloc(nodes * sizeof *w->d);
    for (uint32_t i = 0; i < nodes; i++)
        fa__build_raw(&w->b, e->ssa.node[i]);
    return w->d;
}

static void end(derivation *w)
{
    fa__builder_end(&w->b);
    fa__builder_end(&w->reading);
    fa__free(w->d);
}

static uint32_t input_bit(const fa__ssa_node *n)
{
    return n->prim == FA__PRIM_input ? 1u << n->a : 0;
}

/* As they are in the finished program. What was derived a second time mentions what that was by: a constant, such as
 * that of x * x, passes on a gradient that is zero. */
static void set_flags(fa__expression *derived, const fa__expression *of, int wrt)
{
    const fa__ssa *ssa = &derived->ssa;
    uint32_t plain = input_bit(&ssa->node[ssa->output[0]]), quiet = 0, cast = 0;
    derived->floating = of->floating;
    for (int i = 0; i < ssa->count; i++) {
        const fa__ssa_node *n = &ssa->node[i];
        for (int k = 0; k < fa__prims[n->prim].arity; k++) {
            uint32_t bit = input_bit(&ssa->node[fa__ssa_operand(n, k)]);
            bool is_key = n->prim == FA__PRIM_uniform || n->prim == FA__PRIM_normal;
            bool is_condition = n->prim == FA__PRIM_select && k == 0;
            *(is_condition                     ? &quiet
              : is_key                         ? &derived->random
              : fa__is_cast((fa__prim)n->prim) ? &cast
                                               : &plain) |= bit;
        }
        derived->floating |=
            fa__prims[n->prim].domain == FA__DOMAIN_FLOAT || (n->prim == FA__PRIM_constant && !n->integer);
    }
    derived->mentioned = plain | cast | (of->order > 0 ? 1u << wrt : 0);
    derived->silent = (quiet | cast | derived->random) & ~plain;
    derived->typed = derived->judged = of->typed;
}

static fa__expression *finish(derivation *w, const fa__builder *b, fa__node_id output, int wrt)
{
    const fa__expression *e = w->e;
    char text[256], gradient[16], result[16];
    fa__text t = fa__text_in(text, sizeof text);
    fa__text_add(&t, "d(%s)/d(%s)", e->text, e->names[wrt]);
    bool first = e->order == 0;
    snprintf(gradient, sizeof gradient, first ? "gy" : "gy%d", e->order + 1);
    snprintf(result, sizeof result, first ? "y" : "y%d", e->order + 1);

    const char *names[FA__MAX_INPUTS];
    memcpy(names, e->names, e->ninputs * sizeof *names);
    names[e->ninputs] = gradient;
    names[e->ninputs + 1] = result;
    fa__draft draft = {b, &output, 1, text, {.inputs = names, .ninputs = e->ninputs + 2}};
    if (b->full || fa__draft_count(&draft) > FA__MAX_NODES) {
        w->why = FA__UNDERIVED_LARGE;
        return NULL;
    }
    fa__expression *derived = fa__draft_finish(&draft);
    if (derived) {
        derived->order = (uint16_t)(e->order + 1);
        set_flags(derived, e, wrt);
    }
    return derived;
}

/* Replaces *output, of w->b, by a node of w->reading if that pays. False without memory. */
static bool read_result(derivation *w, const fa__builder **b, fa__node_id *output)
{
    const fa__expression *e = w->e;
    int gradient = e->ninputs, result = gradient + 1;
    fa__node_id root = e->ssa.output[0];
    cost recomputed = cost_of(&w->b, *output, gradient);
    bool mentioned = w->b.map[root] || sign_test(&e->ssa) != FA__NO_NODE;
    if (w->b.full || !mentioned || e->ssa.node[root].prim == FA__PRIM_input)
        return true;
    if (!fa__builder_init(&w->reading, w->b.count + 3))
        return false;
    w->reading.typed = e->typed;
    fa__node_id y = fa__build_input(&w->reading, (unsigned)result), test = sign_test(&e->ssa);
    read r = {.node = {root}, .with = {y}, .count = 1};
    bool tested = test != FA__NO_NODE && w->b.map[test];
    if (tested) {
        fa__ssa_node zero = e->ssa.node[e->ssa.node[test].b];
        r.node[r.count] = test;
        r.with[r.count++] = fa__build(&w->reading, FA__PRIM_le, y, fa__build_raw(&w->reading, zero), 0);
    }
    fa__node_id reading = rebuild(&w->reading, &w->b, *output, &r, e->typed ? e->ssa.count : 0);
    if (result_pays(e, recomputed, cost_of(&w->reading, reading, gradient), tested)) {
        *b = &w->reading;
        *output = reading;
    }
    return true;
}

static fa__expression *derived(derivation *w, int wrt)
{
    const fa__expression *e = w->e;
    const fa__builder *b = &w->b;
    fa__node_id d = fa__differentiate(&w->b, &e->ssa, wrt, w->d);
    if (d == FA__NO_NODE) {
        w->why = FA__UNDERIVED_ZERO;
        return NULL;
    }
    fa__node_id output = fa__times_gradient(&w->b, d, fa__build_input(&w->b, e->ninputs));
    return read_result(w, &b, &output) ? finish(w, b, output, wrt) : NULL;
}

fa__expression *fa__expression_derive(const fa__expression *e, int wrt, fa__underived *why)
{
    *why = FA__UNDERIVED_ERROR;
    if (wrt < 0 || wrt >= e->ninputs) {
        fa__fail(FA_ERROR_INTERNAL, "'%s' has no operand %d to be derived by", e->text, wrt);
        return NULL;
    }
    if (!(e->used >> wrt & 1))
        *why = FA__UNDERIVED_ZERO;
    else if (e->ninputs + 2 > FA__MAX_INPUTS)
        *why = FA__UNDERIVED_LARGE;
    if (*why != FA__UNDERIVED_ERROR)
        return NULL;
    derivation w;
    fa__expression *made = begin(&w, e) ? derived(&w, wrt) : NULL;
    *why = w.why;
    end(&w);
    return made;
}
