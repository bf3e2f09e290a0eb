/* From the values of a program to steps over slots: what no result needs is left out, products that are only added to
 * something become one step, slots are used again when their value has been read for the last time. */
#include "backend/cpu/code.h"
#include "base/alloc.h"
#include "base/error.h"
#include <math.h>
#include <string.h>

typedef struct lowering {
    fa__ssa_node node[FA__MAX_NODES];
    uint8_t type[FA__MAX_NODES]; /* fa__class */
    bool needed[FA__MAX_NODES];
    uint16_t uses[FA__MAX_NODES]; /* by needed nodes and outputs */
    uint16_t last[FA__MAX_NODES]; /* the last node that reads it; FA__MAX_NODES: an output */
    uint16_t slot[FA__MAX_NODES];
    uint16_t free_slot[FA__MAX_NODES];
    int free_slots;
    fa__code_constant constant[FA__MAX_NODES];
    fa__step step[FA__MAX_NODES + FA__MAX_OUTPUTS];
    fa__code code;
} lowering;

static int arity(const fa__ssa_node *n)
{
    return n->prim == FA__PRIM_input || n->prim == FA__PRIM_constant ? 0 : fa__prims[n->prim].arity;
}

static uint16_t operand(const fa__ssa_node *n, int k)
{
    return k == 0 ? n->a : k == 1 ? n->b : n->c;
}

static void count_uses(lowering *l, const fa__ssa *ssa)
{
    memset(l->needed, 0, sizeof l->needed);
    memset(l->uses, 0, sizeof l->uses);
    for (int k = 0; k < ssa->outputs; k++) {
        l->needed[ssa->output[k]] = true;
        l->uses[ssa->output[k]]++;
    }
    for (int i = ssa->count - 1; i >= 0; i--)
        for (int k = 0; l->needed[i] && k < arity(&l->node[i]); k++) {
            l->needed[operand(&l->node[i], k)] = true;
            l->uses[operand(&l->node[i], k)]++;
        }
}

/* a * b + c, c + a * b or c - a * b, where nothing else reads the product: rounded twice, as it was */
static void join_products(lowering *l, const fa__ssa *ssa)
{
    for (int i = 0; i < ssa->count; i++) {
        fa__ssa_node *n = &l->node[i];
        const bool minus = n->prim == FA__PRIM_sub;
        if (!l->needed[i] || (n->prim != FA__PRIM_add && !minus))
            continue;
        for (int side = minus; side < 2; side++) {
            uint16_t product = side ? n->b : n->a, rest = side ? n->a : n->b;
            const fa__ssa_node *p = &l->node[product];
            if (p->prim == FA__PRIM_mul && l->uses[product] == 1) {
                l->needed[product] = false;
                *n = (fa__ssa_node){minus ? FA__PRIM_nmad : FA__PRIM_mad, .a = p->a, .b = p->b, .c = rest};
                break;
            }
        }
    }
}

static void find_last_reads(lowering *l, const fa__ssa *ssa)
{
    memset(l->last, 0, sizeof l->last);
    for (int i = 0; i < ssa->count; i++)
        for (int k = 0; l->needed[i] && k < arity(&l->node[i]); k++)
            l->last[operand(&l->node[i], k)] = (uint16_t)i;
    for (int k = 0; k < ssa->outputs; k++)
        l->last[ssa->output[k]] = FA__MAX_NODES;
}

static uint64_t constant_bits(const fa__ssa_node *n, fa__class class)
{
    union {
        float f32;
        double f64;
        int32_t i32;
        int64_t i64;
        uint64_t bits;
    } v = {.bits = 0};
    double f = n->integer ? (double)n->number.i : n->number.f;
    /* classes of integers have no constants beyond them */
    int64_t i = n->integer ? n->number.i : fabs(n->number.f) < 0x1p63 ? (int64_t)n->number.f : 0;
    if (class == FA__CLASS_F32)
        v.f32 = n->integer ? (float)n->number.i : (float)n->number.f;
    else if (class == FA__CLASS_F64)
        v.f64 = f;
    else if (class == FA__CLASS_I32)
        v.i32 = (int32_t)i;
    else
        v.i64 = i;
    return v.bits;
}

static uint16_t new_slot(lowering *l)
{
    return l->free_slots > 0 ? l->free_slot[--l->free_slots] : l->code.slots++;
}

/* The output whose slot node i is computed into; -1: none. */
static int output_of(const fa__ssa *ssa, int i)
{
    for (int k = 0; k < ssa->outputs; k++)
        if (ssa->output[k] == i)
            return k;
    return -1;
}

/* The loops for node i. */
static const fa__simd_class *loops_of(const lowering *l, int i)
{
    return fa__cpu_simd->of[l->type[i]];
}

static bool kind_of(const lowering *l, const fa__ssa *ssa, int i, fa__step *s)
{
    const fa__ssa_node *n = &l->node[i];
    s->prim = n->prim;
    s->type = l->type[i];
    s->from = fa__ssa_converts(ssa, i) ? loops_of(l, n->a)->dtype : FA_SAME;
    s->kind = s->from != FA_SAME            ? FA__STEP_CONVERT
              : n->prim == FA__PRIM_index   ? FA__STEP_INDEX
              : n->prim == FA__PRIM_uniform ? FA__STEP_UNIFORM
              : n->prim == FA__PRIM_normal  ? FA__STEP_NORMAL
                                            : FA__STEP_LOOP;
    if (s->kind == FA__STEP_LOOP && !loops_of(l, i)->prim[n->prim])
#ifdef FA__MINIMAL
        return fa__fail(FA_ERROR_UNAVAILABLE, "%s is left out of this build (FACULA_OPS=minimal)",
                        fa__prims[n->prim].name);
#else
        return fa__fail(FA_ERROR_INTERNAL, "%s is not computed in %s", fa__prims[n->prim].name,
                        s->type >= FA__CLASS_I32 ? "integers" : "floats");
#endif
    return true;
}

/* Operands whose last reader this is give their slots back: before the result gets its own, because loops may write
 * over what they read, but for conversions, whose elements may differ in size. */
static void give_back(lowering *l, const fa__ssa_node *n, int i)
{
    for (int k = 0; k < arity(n); k++) {
        uint16_t o = operand(n, k);
        uint8_t p = l->node[o].prim;
        bool again = (k > 0 && operand(n, 0) == o) || (k > 1 && operand(n, 1) == o);
        if (!again && l->last[o] == i && p != FA__PRIM_input && p != FA__PRIM_constant)
            l->free_slot[l->free_slots++] = l->slot[o];
    }
}

static bool add_step(lowering *l, const fa__ssa *ssa, int i)
{
    const fa__ssa_node *n = &l->node[i];
    fa__code *c = &l->code;
    fa__step *s = &l->step[c->steps];
    if (!kind_of(l, ssa, i, s))
        return false;
    uint16_t slot[3] = {0, 0, 0};
    for (int k = 0; k < arity(n); k++) {
        uint16_t o = operand(n, k);
        slot[k] = l->slot[o];
        if (l->node[o].prim == FA__PRIM_input)
            c->last_read[l->node[o].a] = c->steps;
    }
    int out = output_of(ssa, i);
    bool converts = s->kind == FA__STEP_CONVERT;
    if (!converts)
        give_back(l, n, i);
    l->slot[i] = out >= 0 ? (uint16_t)(c->inputs + out) : new_slot(l);
    if (converts)
        give_back(l, n, i);
    s->o = l->slot[i];
    s->a = slot[0], s->b = slot[1], s->c = slot[2];
    c->placed |= s->kind != FA__STEP_LOOP && !converts;
    if (out >= 0)
        c->written[out] = c->steps;
    c->steps++;
    return true;
}

/* Outputs that are inputs, constants or other outputs as well. */
static void add_copies(lowering *l, const fa__ssa *ssa)
{
    fa__code *c = &l->code;
    for (int k = 0; k < ssa->outputs; k++) {
        const fa__ssa_node *n = &l->node[ssa->output[k]];
        uint16_t to = (uint16_t)(c->inputs + k);
        c->same_as[k] = n->prim == FA__PRIM_input ? (int16_t)n->a : -1;
        if (l->slot[ssa->output[k]] == to)
            continue;
        if (n->prim == FA__PRIM_input)
            c->last_read[n->a] = c->steps;
        c->written[k] = c->steps;
        l->step[c->steps++] =
            (fa__step){.kind = FA__STEP_COPY, .type = l->type[ssa->output[k]], .o = to, .a = l->slot[ssa->output[k]]};
    }
}

static void add_hot(lowering *l, const fa__program *p)
{
    fa__code *c = &l->code;
    if (p->hot < 0 || !loops_of(l, 0)->hot)
        return;
    c->hot = (int16_t)p->hot;
    c->steps = 1;
    c->constants = 0;
    c->slots = (uint16_t)(c->inputs + c->outputs);
    memset(c->written, 0, sizeof c->written);
    memset(c->last_read, 0, sizeof c->last_read);
    l->step[0] = (fa__step){.kind = FA__STEP_HOT, .o = c->inputs};
}

static bool lower_node(lowering *l, const fa__ssa *ssa, int i)
{
    const fa__ssa_node *n = &l->node[i];
    fa__code *c = &l->code;
    if (n->prim == FA__PRIM_input) {
        l->slot[i] = n->a;
        c->read[n->a] = true;
        c->type[n->a] = l->type[i];
        return true;
    }
    if (n->prim == FA__PRIM_constant) {
        l->slot[i] = c->slots++;
        l->constant[c->constants++] =
            (fa__code_constant){l->slot[i], l->type[i], constant_bits(n, (fa__class)l->type[i])};
        return true;
    }
    return add_step(l, ssa, i);
}

/* The types of nodes, and of the slots that operands have. */
static void set_types(lowering *l, const fa__ssa *ssa, fa__class class)
{
    fa__code *c = &l->code;
    c->typed = ssa->type != NULL;
    for (int i = 0; i < ssa->count; i++) {
        l->type[i] = (uint8_t)fa__ssa_type(ssa, i, class);
        c->size = loops_of(l, i)->size > c->size ? loops_of(l, i)->size : c->size;
    }
    memset(c->type, (int)class, sizeof c->type);
    for (int k = 0; k < ssa->outputs; k++)
        c->type[c->inputs + k] = l->type[ssa->output[k]];
}

/* Whether the steps are tests and choices, whose results for 0 and 1 are 0 and 1. */
static bool is_logical(const lowering *l, fa__class class)
{
    const fa__code *c = &l->code;
    bool logical = class == FA__CLASS_I32 && !c->typed && c->constants == 0;
    for (int i = 0; i < c->steps; i++)
        logical &= l->step[i].kind == FA__STEP_LOOP && fa__cpu_simd->truth->prim[l->step[i].prim];
    return logical;
}

static bool lower(lowering *l, const fa__program *p, fa__class class)
{
    const fa__ssa *ssa = p->ssa;
    fa__code *c = &l->code;
    memcpy(l->node, ssa->node, ssa->count * sizeof *ssa->node);
    count_uses(l, ssa);
    join_products(l, ssa);
    find_last_reads(l, ssa);
    *c = (fa__code){.inputs = ssa->inputs, .outputs = ssa->outputs, .hot = -1};
    set_types(l, ssa, class);
    c->slots = (uint16_t)(c->inputs + c->outputs);
    l->free_slots = 0;
    for (int i = 0; i < ssa->count; i++)
        if (l->needed[i] && !lower_node(l, ssa, i))
            return false;
    add_copies(l, ssa);
    add_hot(l, p);
    uint8_t kind = c->steps == 1 ? l->step[0].kind : FA__STEP_INDEX;
    c->single = c->outputs == 1 && c->constants == 0 && (kind == FA__STEP_LOOP || kind == FA__STEP_HOT);
    c->logical = is_logical(l, class);
    const int bytes = c->slots * c->size; /* not 0: there is an output */
    int fit = (FA__TILE_BYTES - c->slots * FA__TILE_GAP) / (bytes ? bytes : 1);
    int wanted = FA__TILE_CACHE / (bytes ? bytes : 1) & ~15;
    wanted = wanted < FA__TILE ? FA__TILE : wanted > FA__TILE_MOST ? FA__TILE_MOST : wanted;
    c->tile = (uint16_t)(fit > wanted ? wanted : fit & ~15);
    return true;
}

/* Steps and constants stand behind the code, in its memory. */
static fa__code *pack(const lowering *l)
{
    size_t steps = l->code.steps * sizeof(fa__step), constants = l->code.constants * sizeof(fa__code_constant);
    fa__code *c = fa__malloc(sizeof *c + constants + steps);
    if (!c)
        return NULL;
    *c = l->code;
    c->constant = memcpy(c + 1, l->constant, constants);
    c->step = memcpy((char *)(c + 1) + constants, l->step, steps);
    return c;
}

fa__code *fa__cpu_lower(const fa__program *program, fa__class class)
{
    lowering *l = fa__malloc(sizeof *l);
    if (!l)
        return NULL;
    fa__code *c = lower(l, program, class) ? pack(l) : NULL;
    fa__free(l);
    return c;
}
