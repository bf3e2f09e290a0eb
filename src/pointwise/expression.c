/* Expressions as objects: made from a draft, counted, freed; and their derivatives, kept with them. */
#include "pointwise/expression.h"
#include "base/alloc.h"
#include "pointwise/body.h"
#include <string.h>

uint32_t fa__draft_count(const fa__draft *d)
{
    fa__mark_needed(d->builder, d->output, d->outputs);
    uint32_t needed = 0;
    for (uint32_t i = 0; i < d->builder->count; i++)
        needed += d->builder->map[i];
    return needed;
}

/* Copies the needed nodes in their order, so operands stay before their users. */
static void copy_nodes(const fa__draft *d, fa__ssa *ssa)
{
    fa__node_id *map = d->builder->map;
    for (uint32_t i = 0; i < d->builder->count; i++) {
        if (!map[i])
            continue;
        fa__ssa_node node = d->builder->node[i];
        int arity = fa__prims[node.prim].arity;
        node.a = arity > 0 ? map[node.a] : node.a; /* of an input: its number */
        node.b = arity > 1 ? map[node.b] : 0;
        node.c = arity > 2 ? map[node.c] : 0;
        map[i] = ssa->count;
        ssa->node[ssa->count++] = node;
    }
    for (int i = 0; i < d->outputs; i++)
        ssa->output[i] = map[d->output[i]];
}

static char *copy_text(char **at, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = memcpy(*at, text, size);
    *at += size;
    return copy;
}

static size_t texts_size(const fa__draft *d)
{
    const fa__signature *s = &d->signature;
    size_t size = strlen(d->text) + 1;
    for (int i = 0; i < s->ninputs; i++)
        size += strlen(s->inputs[i]) + 1;
    return size;
}

static void copy_texts(const fa__draft *d, fa__body *body, const char **names, char *at)
{
    const fa__signature *s = &d->signature;
    body->expression.names = names;
    body->expression.text = copy_text(&at, d->text);
    for (int i = 0; i < s->ninputs; i++)
        *names++ = copy_text(&at, s->inputs[i]);
}

static uint32_t inputs_used(const fa__ssa *ssa)
{
    uint32_t used = 0;
    for (int i = 0; i < ssa->count; i++)
        if (ssa->node[i].prim == FA__PRIM_input)
            used |= 1u << ssa->node[i].a;
    return used;
}

fa__expression *fa__draft_finish(const fa__draft *d)
{
    const fa__signature *s = &d->signature;
    size_t nodes = fa__draft_count(d), names = (size_t)s->ninputs;
    size_t nodes_size = nodes * sizeof(fa__ssa_node), names_size = names * sizeof(char *);
    fa__body *body = fa__malloc(sizeof *body + nodes_size + names_size + texts_size(d));
    if (!body)
        return NULL;
    memset(body, 0, sizeof *body);
    atomic_init(&body->references, 1);

    fa__expression *e = &body->expression;
    e->ninputs = (uint16_t)s->ninputs;
    e->ssa.node = (fa__ssa_node *)(body + 1);
    e->ssa.inputs = e->ninputs;
    e->ssa.outputs = (uint16_t)d->outputs;
    copy_nodes(d, &e->ssa);
    char *after_nodes = (char *)(e->ssa.node + nodes);
    copy_texts(d, body, (const char **)after_nodes, after_nodes + names_size);
    e->used = inputs_used(&e->ssa);
    return e;
}

const fa__expression *fa__expression_ref(const fa__expression *e)
{
    if (e)
        atomic_fetch_add_explicit(&((fa__body *)e)->references, 1, memory_order_relaxed);
    return e;
}

/* Its address stands for a derivative that is zero. */
static fa__expression zero_derivative;

/* An expression owns its derivatives, which own theirs: as deep as there is room for inputs, FA__MAX_INPUTS / 2. */
void fa__expression_free(const fa__expression *e)
{
    fa__body *body = (fa__body *)e;
    if (!body || atomic_fetch_sub_explicit(&body->references, 1, memory_order_acq_rel) > 1)
        return;
    for (int i = 0; i < FA__MAX_INPUTS; i++) {
        fa__expression *d = atomic_load_explicit(&body->derivative[i], memory_order_relaxed);
        if (d != &zero_derivative)
            fa__expression_free(d);
    }
    fa__free(body);
}

const fa__expression *fa__expression_derivative(const fa__expression *e, int wrt, fa__underived *why)
{
    if (wrt < 0 || wrt >= e->ninputs)
        return fa__expression_derive(e, wrt, why); /* which tells */
    _Atomic(fa__expression *) *place = &((fa__body *)e)->derivative[wrt];
    fa__expression *known = atomic_load_explicit(place, memory_order_acquire);
    if (!known) {
        fa__expression *made = fa__expression_derive(e, wrt, why);
        if (!made && *why != FA__UNDERIVED_ZERO)
            return NULL;
        made = made ? made : &zero_derivative;
        if (atomic_compare_exchange_strong(place, &known, made))
            known = made;
        else if (made != &zero_derivative) /* another thread was faster */
            fa__expression_free(made);
    }
    *why = known == &zero_derivative ? FA__UNDERIVED_ZERO : FA__UNDERIVED_ERROR;
    return *why == FA__UNDERIVED_ZERO ? NULL : known;
}
