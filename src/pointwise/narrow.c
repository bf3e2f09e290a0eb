/* Programs for dtypes that are narrower than what they compute in: u8, i8 and i16 compute in 32 bits and wrap when they
 * are stored, bool is 1 then where it is not 0. What looks at a value (a comparison, the larger of two) has to see it
 * wrapped, as if it had been stored: conversions are put in. Sums and products need none between them: their low bits
 * do not depend on the high ones, and those of bools are never below 0. */
#include "base/alloc.h"
#include "base/error.h"
#include "core/dtype.h"
#include "pointwise/expression.h"
#include <string.h>

typedef struct narrowing {
    const fa__ssa *from;
    fa__prim to;
    fa__narrow_range range;
    bool full;
    uint16_t count;
    uint16_t made[FA__MAX_NODES], narrow[FA__MAX_NODES]; /* of each node: its copy, and that converted (0: not yet) */
    bool wide[FA__MAX_NODES];                            /* it may be outside the dtype */
    fa__ssa_node node[FA__MAX_NODES];
} narrowing;

static uint16_t add(narrowing *w, fa__ssa_node n)
{
    w->full |= w->count == FA__MAX_NODES;
    if (!w->full)
        w->node[w->count++] = n;
    return w->full ? 0 : (uint16_t)(w->count - 1);
}

fa__narrow_range fa__narrow_range_of(fa__prim to)
{
    static const fa__narrow_range ranges[FA__DTYPES] = {
#define HIGHEST(digits) ((int32_t)((INT64_C(1) << ((digits) < 31 ? (digits) : 31)) - 1))
#define DTYPE(tag, name, cell, kind, class, form, use, digits, ...)                                                    \
    [FA_##tag] = {FA__KIND_##kind == FA__KIND_SIGNED ? -HIGHEST(digits) - 1 : 0, HIGHEST(digits)},
#include "core/dtypes.def"
#undef DTYPE
    };
    return ranges[fa__prims[to].dtype];
}

/* Node i as it is when stored. Numbers and operands of other dtypes are only converted where `all` asks for it. */
static uint16_t seen(narrowing *w, uint16_t i, bool all)
{
    uint8_t prim = w->from->node[i].prim;
    bool given = prim == FA__PRIM_input || prim == FA__PRIM_constant;
    if (!w->wide[i] && !(all && given))
        return w->made[i];
    if (!w->narrow[i])
        w->narrow[i] = add(w, (fa__ssa_node){.prim = (uint8_t)w->to, .a = w->made[i]});
    return w->narrow[i];
}

/* The same for what is held against others. A constant keeps its meaning, which is that of a bound; what numbers among
 * the operands are is not known here. */
static uint16_t bound(narrowing *w, uint16_t i)
{
    fa__ssa_node n = w->from->node[i];
    if (n.prim != FA__PRIM_constant || !n.integer)
        return seen(w, i, true);
    int64_t least = n.number.i > w->range.low ? n.number.i : w->range.low;
    n.number.i = least < w->range.high ? least : w->range.high;
    return add(w, n);
}

/* How a primitive reads each of its operands, and whether its result may be outside the dtype. What the table does not
 * name reads its operands as they are when stored, numbers and operands of other dtypes as they are given, and its
 * result is in the dtype when they are. */
enum {
    STORED,     /* as stored; what is given stays as it is */
    ALL_STORED, /* as stored, and what is given, too */
    AS_BOUND,   /* held against the other operands */
    LOW_BITS    /* as computed: only its low bits count, or it is passed on */
};
enum { IN_DTYPE, WIDE, AS_PASSED /* wide where an operand that is passed on is */ };

static const struct {
    uint8_t operand[3], result;
} readings[FA__PRIM_count] = {
    [FA__PRIM_neg] = {{LOW_BITS}, WIDE},
    [FA__PRIM_add] = {{LOW_BITS, LOW_BITS}, WIDE},
    [FA__PRIM_sub] = {{LOW_BITS, LOW_BITS}, WIDE},
    [FA__PRIM_mul] = {{LOW_BITS, LOW_BITS}, WIDE},
    [FA__PRIM_mad] = {{LOW_BITS, LOW_BITS, LOW_BITS}, WIDE},
    [FA__PRIM_bit_and] = {{LOW_BITS, LOW_BITS}, WIDE},
    [FA__PRIM_bit_or] = {{LOW_BITS, LOW_BITS}, WIDE},
    [FA__PRIM_bit_xor] = {{LOW_BITS, LOW_BITS}, WIDE},
    [FA__PRIM_bit_not] = {{LOW_BITS}, WIDE},
    [FA__PRIM_select] = {{STORED, LOW_BITS, LOW_BITS}, AS_PASSED},
    [FA__PRIM_shift_left] = {{LOW_BITS, ALL_STORED}, WIDE},
    [FA__PRIM_shift_right] = {{ALL_STORED, ALL_STORED}, IN_DTYPE},
    [FA__PRIM_abs] = {{ALL_STORED}, WIDE},
    [FA__PRIM_pow] = {{ALL_STORED, ALL_STORED}, WIDE},
    [FA__PRIM_gcd] = {{ALL_STORED, ALL_STORED}, WIDE},
    [FA__PRIM_lcm] = {{ALL_STORED, ALL_STORED}, WIDE},
    [FA__PRIM_floor_divide] = {{ALL_STORED, ALL_STORED}, WIDE},
    [FA__PRIM_round_to] = {{ALL_STORED, ALL_STORED}, WIDE},
    [FA__PRIM_sign] = {{ALL_STORED}, IN_DTYPE},
    [FA__PRIM_remainder] = {{ALL_STORED, ALL_STORED}, IN_DTYPE},
    [FA__PRIM_fmod] = {{ALL_STORED, ALL_STORED}, IN_DTYPE},
    [FA__PRIM_maximum] = {{AS_BOUND, AS_BOUND}, IN_DTYPE},
    [FA__PRIM_minimum] = {{AS_BOUND, AS_BOUND}, IN_DTYPE},
    [FA__PRIM_index] = {.result = WIDE},
};

static uint16_t read_operand(narrowing *w, uint16_t i, uint8_t how)
{
    return how == LOW_BITS ? w->made[i] : how == AS_BOUND ? bound(w, i) : seen(w, i, how == ALL_STORED);
}

static void narrow_node(narrowing *w, uint16_t i)
{
    fa__ssa_node n = w->from->node[i];
    if (n.prim == FA__PRIM_bit_not && w->to == FA__PRIM_to_bool)
        n.prim = FA__PRIM_not;
    int arity = n.prim == FA__PRIM_input || n.prim == FA__PRIM_constant ? 0 : fa__prims[n.prim].arity;
    uint8_t result = readings[n.prim].result;
    uint16_t *operand[] = {&n.a, &n.b, &n.c};
    w->wide[i] = result == WIDE;
    for (int k = 0; k < arity; k++) {
        uint8_t how = readings[n.prim].operand[k];
        w->wide[i] |= result == AS_PASSED && how == LOW_BITS && w->wide[*operand[k]];
        *operand[k] = read_operand(w, *operand[k], how);
    }
    w->made[i] = add(w, n);
}

static fa__ssa *finish(const narrowing *w)
{
    fa__ssa *s = fa__malloc(sizeof *s + w->count * sizeof *w->node);
    if (!s)
        return NULL;
    *s = *w->from;
    s->count = w->count;
    s->node = memcpy(s + 1, w->node, w->count * sizeof *w->node);
    for (int k = 0; k < s->outputs; k++)
        s->output[k] = w->made[w->from->output[k]];
    return s;
}

fa__ssa *fa__ssa_narrowed(const fa__ssa *ssa, fa__prim to)
{
    narrowing *w = fa__calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->from = ssa;
    w->to = to;
    w->range = fa__narrow_range_of(to);
    for (uint16_t i = 0; i < ssa->count; i++)
        narrow_node(w, i);
    fa__ssa *s = NULL;
    if (w->full)
        fa__fail(FA_ERROR_ARGUMENT, "an expression needs more than %d values in %s", FA__MAX_NODES,
                 fa__prims[to].name + strlen("to_"));
    else
        s = finish(w);
    fa__free(w);
    return s;
}
