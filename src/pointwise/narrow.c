/* Programs for dtypes that are narrower than what they compute in: u8, i8 and i16 compute in 32 bits and wrap when they
 * are stored, bool is 1 then where it is not 0. What looks at a value (a comparison, the larger of two) has to see it
 * wrapped, as if it had been stored: conversions are put in. Sums and products need none between them: their low bits
 * do not depend on the high ones, and those of bools are never below 0. */
#include "pointwise/narrow.h"
#include "base/alloc.h"
#include "base/error.h"
#include "core/dtype.h"
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

const fa__reading fa__readings[FA__PRIM_count] = {
    [FA__PRIM_neg] = {{FA__READ_LOW_BITS}, FA__GIVES_WIDE},
    [FA__PRIM_add] = {{FA__READ_LOW_BITS, FA__READ_LOW_BITS}, FA__GIVES_WIDE},
    [FA__PRIM_sub] = {{FA__READ_LOW_BITS, FA__READ_LOW_BITS}, FA__GIVES_WIDE},
    [FA__PRIM_mul] = {{FA__READ_LOW_BITS, FA__READ_LOW_BITS}, FA__GIVES_WIDE},
    [FA__PRIM_mad] = {{FA__READ_LOW_BITS, FA__READ_LOW_BITS, FA__READ_LOW_BITS}, FA__GIVES_WIDE},
    [FA__PRIM_nmad] = {{FA__READ_LOW_BITS, FA__READ_LOW_BITS, FA__READ_LOW_BITS}, FA__GIVES_WIDE},
    [FA__PRIM_bit_and] = {{FA__READ_LOW_BITS, FA__READ_LOW_BITS}, FA__GIVES_WIDE},
    [FA__PRIM_bit_or] = {{FA__READ_LOW_BITS, FA__READ_LOW_BITS}, FA__GIVES_WIDE},
    [FA__PRIM_bit_xor] = {{FA__READ_LOW_BITS, FA__READ_LOW_BITS}, FA__GIVES_WIDE},
    [FA__PRIM_bit_not] = {{FA__READ_LOW_BITS}, FA__GIVES_WIDE},
    [FA__PRIM_select] = {{FA__READ_STORED, FA__READ_LOW_BITS, FA__READ_LOW_BITS}, FA__GIVES_AS_PASSED},
    [FA__PRIM_shift_left] = {{FA__READ_LOW_BITS, FA__READ_ALL_STORED}, FA__GIVES_WIDE},
    [FA__PRIM_shift_right] = {{FA__READ_ALL_STORED, FA__READ_ALL_STORED}, FA__GIVES_IN_DTYPE},
    [FA__PRIM_abs] = {{FA__READ_ALL_STORED}, FA__GIVES_WIDE},
    [FA__PRIM_pow] = {{FA__READ_ALL_STORED, FA__READ_ALL_STORED}, FA__GIVES_WIDE},
    [FA__PRIM_gcd] = {{FA__READ_ALL_STORED, FA__READ_ALL_STORED}, FA__GIVES_WIDE},
    [FA__PRIM_lcm] = {{FA__READ_ALL_STORED, FA__READ_ALL_STORED}, FA__GIVES_WIDE},
    [FA__PRIM_floor_divide] = {{FA__READ_ALL_STORED, FA__READ_ALL_STORED}, FA__GIVES_WIDE},
    [FA__PRIM_round_to] = {{FA__READ_ALL_STORED, FA__READ_ALL_STORED}, FA__GIVES_WIDE},
    [FA__PRIM_sign] = {{FA__READ_ALL_STORED}, FA__GIVES_IN_DTYPE},
    [FA__PRIM_remainder] = {{FA__READ_ALL_STORED, FA__READ_ALL_STORED}, FA__GIVES_IN_DTYPE},
    [FA__PRIM_fmod] = {{FA__READ_ALL_STORED, FA__READ_ALL_STORED}, FA__GIVES_IN_DTYPE},
    [FA__PRIM_maximum] = {{FA__READ_AS_BOUND, FA__READ_AS_BOUND}, FA__GIVES_IN_DTYPE},
    [FA__PRIM_minimum] = {{FA__READ_AS_BOUND, FA__READ_AS_BOUND}, FA__GIVES_IN_DTYPE},
    [FA__PRIM_index] = {.result = FA__GIVES_WIDE},
};

static uint16_t read_operand(narrowing *w, uint16_t i, uint8_t how)
{
    return how == FA__READ_LOW_BITS   ? w->made[i]
           : how == FA__READ_AS_BOUND ? bound(w, i)
                                      : seen(w, i, how == FA__READ_ALL_STORED);
}

static void narrow_node(narrowing *w, uint16_t i)
{
    fa__ssa_node n = w->from->node[i];
    if (n.prim == FA__PRIM_bit_not && w->to == FA__PRIM_to_bool)
        n.prim = FA__PRIM_not;
    int arity = n.prim == FA__PRIM_input || n.prim == FA__PRIM_constant ? 0 : fa__prims[n.prim].arity;
    uint8_t result = fa__readings[n.prim].result;
    uint16_t *operand[] = {&n.a, &n.b, &n.c};
    w->wide[i] = result == FA__GIVES_WIDE;
    for (int k = 0; k < arity; k++) {
        uint8_t how = fa__readings[n.prim].operand[k];
        w->wide[i] |= result == FA__GIVES_AS_PASSED && how == FA__READ_LOW_BITS && w->wide[*operand[k]];
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
