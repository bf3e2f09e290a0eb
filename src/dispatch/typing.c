/* From a program without types to one in which each value has one (typing.h): when the dtypes of its values are known
 * (value_types.c), they are built from the result back, each in the type that its reader computes in. */
#include "dispatch/typing.h"
#include "base/alloc.h"
#include "core/dtype.h"
#include "pointwise/narrow.h"
#include <stdio.h>
#include <string.h>

enum { NONE = UINT16_MAX };

typedef struct typing {
    const fa__ssa *from;
    const fa__operand_types *operands;
    fa__value_type of[FA__MAX_NODES];
    /* Nodes of the typed program, by those of the other: the value in its own type, which may be outside its dtype; the
     * same as it is when stored; that in each type. NONE: not yet. */
    uint16_t raw[FA__MAX_NODES], seen[FA__MAX_NODES], in[FA__MAX_NODES][FA__CLASSES];
    uint16_t input[FA__MAX_INPUTS][FA__CLASSES];
    uint8_t wanted[FA__MAX_INPUTS]; /* the types (bits) that an input is read in */
    uint32_t divisors;
    bool decided; /* `wanted` is complete */
    bool full;
    uint16_t count;
    fa__ssa_node node[FA__MAX_NODES];
    uint8_t type[FA__MAX_NODES];
    bool wide[FA__MAX_NODES]; /* may be outside a narrow dtype */
} typing;

static const uint8_t own_dtype[FA__CLASSES] = {
    [FA__CLASS_F32] = FA_F32, [FA__CLASS_F64] = FA_F64, [FA__CLASS_I32] = FA_I32, [FA__CLASS_I64] = FA_I64};

static const uint8_t casts[FA__DTYPES] = {
#define DTYPE(tag, name, ...) [FA_##tag] = FA__PRIM_to_##name,
#include "core/dtypes.def"
#undef DTYPE
};

static bool is_narrow(uint8_t dtype)
{
    return FA__NARROW_DTYPES >> dtype & 1;
}

static bool is_number(const typing *w, uint16_t i)
{
    return w->of[i].rank == FA__OPERAND_NUMBER && !w->of[i].test;
}

static int arity(const fa__ssa_node *n)
{
    return n->prim == FA__PRIM_input || n->prim == FA__PRIM_constant ? 0 : fa__prims[n->prim].arity;
}

/* ---- values, from the result back ---- */

static uint16_t put(typing *w, fa__ssa_node n, fa__class type)
{
    if (w->count == FA__MAX_NODES) {
        w->full = true;
        return 0;
    }
    w->type[w->count] = (uint8_t)type;
    w->wide[w->count] = false;
    w->node[w->count] = n;
    return w->count++;
}

/* x converted to a dtype, within its type. */
static uint16_t put_cast(typing *w, uint16_t x, uint8_t dtype)
{
    return put(w, (fa__ssa_node){.prim = casts[dtype], .a = x}, (fa__class)w->type[x]);
}

static uint16_t convert(typing *w, uint16_t x, fa__class type)
{
    return w->type[x] == type ? x : put(w, (fa__ssa_node){.prim = casts[own_dtype[type]], .a = x}, type);
}

/* The type that an input is loaded in: that of its readers, where they agree; else one that holds all its values. */
static fa__class load_type(const typing *w, uint16_t input)
{
    uint8_t wanted = w->wanted[input], dtype = w->operands->dtype[input];
    if (!(wanted & (wanted - 1)))
        return (fa__class)__builtin_ctz(wanted);
    if (w->operands->rank[input] != FA__OPERAND_NUMBER)
        return fa__class_of(dtype);
    return !fa__dtype_is_float(dtype) ? FA__CLASS_I64 : wanted >> FA__CLASS_F64 & 1 ? FA__CLASS_F64 : FA__CLASS_F32;
}

static uint16_t input_value(typing *w, uint16_t input, fa__class type)
{
    uint16_t *made = &w->input[input][type];
    if (*made != NONE)
        return *made;
    w->wanted[input] |= (uint8_t)(1U << type);
    fa__class loaded = w->decided ? load_type(w, input) : type;
    fa__ssa_node n = {.prim = FA__PRIM_input, .a = input};
    *made = loaded == type ? put(w, n, type) : convert(w, input_value(w, input, loaded), type);
    return *made;
}

static uint16_t value(typing *w, uint16_t i, fa__class type);
static uint16_t raw(typing *w, uint16_t i);

static fa__class own_type(const typing *w, uint16_t i)
{
    fa__value_type of = w->of[i];
    if (of.test)
        return fa__class_of(of.tests);
    return fa__class_of(is_number(w, i) ? fa__numbers_dtype(w->operands, of.dtype) : of.dtype);
}

/* A value of its own dtype as it is when stored: what wraps has wrapped. */
static uint16_t seen(typing *w, uint16_t i)
{
    uint16_t x = raw(w, i);
    if (w->of[i].test || !is_narrow(w->of[i].dtype) || !w->wide[x])
        return x;
    if (w->seen[i] == NONE)
        w->seen[i] = put_cast(w, x, w->of[i].dtype);
    return w->seen[i];
}

/* 0 or not, in a type: a value that may be lost on the way to another type is tested in its own. */
static uint16_t condition(typing *w, uint16_t i, fa__class type)
{
    fa__class own = own_type(w, i);
    if (own == type || w->of[i].test || w->of[i].dtype == FA_BOOL)
        return value(w, i, type);
    return convert(w, put(w, (fa__ssa_node){.prim = FA__PRIM_to_bool, .a = value(w, i, own)}, own), type);
}

static uint16_t put_integer(typing *w, int64_t number, fa__class type)
{
    return put(w, (fa__ssa_node){.prim = FA__PRIM_constant, .integer = true, .number.i = number}, type);
}

static uint16_t put2(typing *w, fa__prim prim, uint16_t x, uint16_t y)
{
    return put(w, (fa__ssa_node){.prim = (uint8_t)prim, .a = x, .b = y}, (fa__class)w->type[x]);
}

/* A number that is a bound keeps its meaning in 32 bits and fewer: it becomes the nearest value of the dtype. */
static uint16_t number_bound(typing *w, uint16_t i, uint8_t dtype)
{
    const fa__ssa_node *n = &w->from->node[i];
    fa__narrow_range r =
        is_narrow(dtype) ? fa__narrow_range_of((fa__prim)casts[dtype]) : (fa__narrow_range){INT32_MIN, INT32_MAX};
    if (n->prim == FA__PRIM_constant && n->integer) {
        int64_t least = n->number.i > r.low ? n->number.i : r.low;
        return put_integer(w, least < r.high ? least : r.high, FA__CLASS_I32);
    }
    if (n->prim != FA__PRIM_input)
        return value(w, i, FA__CLASS_I32);
    uint16_t x = value(w, i, FA__CLASS_I64);
    x = put2(w, FA__PRIM_maximum, x, put_integer(w, r.low, FA__CLASS_I64));
    x = put2(w, FA__PRIM_minimum, x, put_integer(w, r.high, FA__CLASS_I64));
    return convert(w, x, FA__CLASS_I32);
}

/* A value as operand of a primitive that computes in a dtype, and reads it in one of the ways of narrow.h. */
static uint16_t operand(typing *w, uint16_t i, uint8_t dtype, uint8_t how)
{
    fa__class type = fa__class_of(dtype);
    bool number = is_number(w, i), test = w->of[i].test;
    if (number && how == FA__READ_AS_BOUND && type == FA__CLASS_I32)
        return number_bound(w, i, dtype);
    if (!number && !test && w->of[i].dtype == dtype)
        return how == FA__READ_LOW_BITS ? raw(w, i) : seen(w, i);
    uint16_t x = value(w, i, type);
    bool converts = is_narrow(dtype) && !test && how != FA__READ_LOW_BITS && (!number || how == FA__READ_ALL_STORED);
    return converts ? put_cast(w, x, dtype) : x;
}

static void set_operands(fa__ssa_node *n, const uint16_t at[3])
{
    n->a = at[0], n->b = at[1], n->c = at[2];
}

static void note_divisor(typing *w, const fa__ssa_node *n, uint8_t dtype)
{
    bool divides = n->prim == FA__PRIM_floor_divide || n->prim == FA__PRIM_remainder || n->prim == FA__PRIM_fmod;
    if (divides && !fa__dtype_is_float(dtype) && w->from->node[n->b].prim == FA__PRIM_input)
        w->divisors |= 1U << w->from->node[n->b].a;
}

/* What a primitive that is no test gives in a dtype. */
static uint16_t computed(typing *w, fa__ssa_node n, uint8_t dtype)
{
    fa__class type = fa__class_of(dtype);
    const fa__reading *reading = &fa__readings[n.prim];
    uint16_t at[3] = {0};
    bool wide = reading->result == FA__GIVES_WIDE;
    for (int k = 0; k < arity(&n); k++) {
        uint16_t from = fa__ssa_operand(&n, k);
        bool chooses = n.prim == FA__PRIM_select && k == 0;
        at[k] = chooses ? condition(w, from, type) : operand(w, from, dtype, reading->operand[k]);
        wide |= reading->result == FA__GIVES_AS_PASSED && !chooses && w->wide[at[k]];
    }
    note_divisor(w, &n, dtype);
    if (n.prim == FA__PRIM_bit_not && dtype == FA_BOOL)
        n.prim = FA__PRIM_not;
    set_operands(&n, at);
    uint16_t made = put(w, n, type);
    w->wide[made] = wide;
    return made;
}

/* A comparison, in the dtype that its operands promote to. What only counts as true or false is tested in its own. */
static uint16_t tested(typing *w, fa__ssa_node n, uint8_t dtype)
{
    fa__class type = fa__class_of(dtype);
    bool truth =
        n.prim == FA__PRIM_and || n.prim == FA__PRIM_or || n.prim == FA__PRIM_not || n.prim == FA__PRIM_to_bool;
    uint16_t at[3] = {0};
    for (int k = 0; k < arity(&n); k++) {
        uint16_t from = fa__ssa_operand(&n, k);
        at[k] = truth ? condition(w, from, type) : operand(w, from, dtype, FA__READ_STORED);
    }
    set_operands(&n, at);
    return put(w, n, type);
}

/* A value converted to a dtype: rounded once where its own type can do it. */
static uint16_t cast(typing *w, const fa__ssa_node *n)
{
    uint8_t to = fa__prims[n->prim].dtype;
    fa__class type = fa__class_of(to);
    bool number = is_number(w, n->a), real = fa__dtype_is_float(w->of[n->a].dtype);
    fa__class from = number && !real ? FA__CLASS_I64 : own_type(w, n->a);
    uint16_t x = value(w, n->a, number && fa__dtype_is_float(to) ? type : from);
    bool is_own = own_dtype[type] == to;
    if (!is_own && w->type[x] == FA__CLASS_F64)
        return convert(w, put_cast(w, x, to), type);
    x = convert(w, x, type);
    bool same = !number && !w->of[n->a].test && w->of[n->a].dtype == to && is_narrow(to);
    return is_own || same ? x : put_cast(w, x, to);
}

/* A value in its own type; where its dtype is narrow it may be outside of that. */
static uint16_t raw(typing *w, uint16_t i)
{
    const fa__ssa_node *n = &w->from->node[i];
    if (w->raw[i] != NONE)
        return w->raw[i];
    if (n->prim == FA__PRIM_input)
        w->raw[i] = input_value(w, n->a, own_type(w, i));
    else if (w->of[i].test)
        w->raw[i] = tested(w, *n, w->of[i].tests);
    else
        w->raw[i] = fa__is_cast(n->prim) ? cast(w, n) : computed(w, *n, w->of[i].dtype);
    return w->raw[i];
}

/* What is made of numbers alone, in the type that asks for it. */
static uint16_t number_value(typing *w, uint16_t i, fa__class type)
{
    fa__ssa_node n = w->from->node[i];
    bool real = fa__dtype_is_float(own_dtype[type]);
    uint8_t domain = fa__prims[n.prim].domain;
    if (n.prim == FA__PRIM_input)
        return input_value(w, n.a, type);
    if (n.prim == FA__PRIM_constant || n.prim == FA__PRIM_index)
        return put(w, n, type);
    if ((domain == FA__DOMAIN_WHOLE && real) || (domain == FA__DOMAIN_FLOAT && !real))
        return convert(w, value(w, i, real ? FA__CLASS_I64 : FA__CLASS_F32), type);
    return computed(w, n, own_dtype[type]);
}

/* A value as it is when stored, in a type. */
static uint16_t value(typing *w, uint16_t i, fa__class type)
{
    const fa__ssa_node *n = &w->from->node[i];
    if (w->in[i][type] == NONE) {
        uint16_t x = is_number(w, i)             ? number_value(w, i, type)
                     : n->prim == FA__PRIM_input ? input_value(w, n->a, type)
                                                 : convert(w, seen(w, i), type);
        w->in[i][type] = x;
    }
    return w->in[i][type];
}

/* ---- the program ---- */

static uint8_t result_dtype(const typing *w, uint16_t i)
{
    return w->of[i].test ? FA_BOOL : is_number(w, i) ? w->operands->numbers : w->of[i].dtype;
}

static uint16_t build(typing *w)
{
    uint16_t i = w->from->output[0];
    memset(w->raw, 0xff, sizeof w->raw);
    memset(w->seen, 0xff, sizeof w->seen);
    memset(w->in, 0xff, sizeof w->in);
    memset(w->input, 0xff, sizeof w->input);
    w->count = 0;
    return is_number(w, i) ? value(w, i, fa__class_of(w->operands->numbers)) : raw(w, i);
}

static bool is_uniform(const typing *w)
{
    for (int i = 1; i < w->count; i++)
        if (w->type[i] != w->type[0])
            return false;
    return true;
}

static fa__typed *finish(const typing *w, uint16_t output)
{
    size_t nodes = w->count * sizeof *w->node;
    fa__typed *t = fa__calloc(1, sizeof *t + sizeof(fa__ssa) + nodes + w->count);
    if (!t)
        return NULL;
    fa__ssa *ssa = (fa__ssa *)(void *)(t + 1);
    *ssa = (fa__ssa){.count = w->count, .inputs = w->from->inputs, .outputs = 1, .output = {output}};
    ssa->node = memcpy(ssa + 1, w->node, nodes);
    uint8_t *type = memcpy((char *)(ssa + 1) + nodes, w->type, w->count);
    ssa->type = is_uniform(w) ? NULL : type;
    t->key = *w->operands;
    t->result = result_dtype(w, w->from->output[0]);
    t->compute = (fa__class)w->type[output];
    t->divisors = w->divisors;
    t->program = (fa__program){.ssa = ssa, .hot = -1, .low = INT32_MIN, .high = INT32_MAX};
    return t;
}

static fa__typed *typed(typing *w, fa__type_error *why)
{
    if (!fa__find_value_types(w->from, w->operands, w->of, why))
        return NULL;
    build(w); /* which finds out in which types inputs are read */
    w->decided = true;
    uint16_t output = build(w);
    if (!w->full)
        return finish(w, output);
    snprintf(why->message, sizeof why->message, "its operands' dtypes need more than %d values", FA__MAX_NODES);
    why->code = FA_ERROR_ARGUMENT;
    return NULL;
}

fa__typed *fa__program_typed(const fa__ssa *ssa, const fa__operand_types *operands, fa__type_error *why)
{
    *why = (fa__type_error){.code = FA_OK, .dtype = FA_SAME};
    typing *w = fa__calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->from = ssa;
    w->operands = operands;
    fa__typed *t = typed(w, why);
    fa__free(w);
    return t;
}
