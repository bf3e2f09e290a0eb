/* The loops of truth values: programs over bool operands alone that consist of tests and choices compute in bytes
 * (program.c), with the results that 0 and 1 give in class i32. Any other byte than 0 is true. */
#include "dialect.h"
#include "simd.h"

#define TRUTH(name, ...)                                                                                               \
    static void name##_loop(void *o_, const void *a_, const void *b_, const void *c_, int64_t n)                       \
    {                                                                                                                  \
        u8 *o = o_;                                                                                                    \
        const u8 *a = a_, *b = b_, *c = c_;                                                                            \
        (void)b, (void)c;                                                                                              \
        VECTOR_LOOP                                                                                                    \
        for (int64_t i = 0; i < n; i++)                                                                                \
            o[i] = (u8)(__VA_ARGS__);                                                                                  \
    }
#define A (a[i] != 0)
#define B (b[i] != 0)
TRUTH(and, A &B)
TRUTH(or, A | B)
TRUTH(differ, A != B)
TRUTH(same, A == B)
TRUTH(not, !A)
TRUTH(less, !A & B)
TRUTH(at_most, !A | B)
TRUTH(select, A ? B : c[i] != 0)
TRUTH(truth, A)

static void load(void *tile, const void *source, int64_t stride, int64_t n)
{
    u8 *o = tile;
    const u8 *s = source;
    for (int64_t i = 0; i < n; i++)
        o[i] = s[i * stride];
}

static void store(void *target, int64_t stride, const void *tile, int64_t n)
{
    u8 *o = target;
    const u8 *x = tile;
    for (int64_t i = 0; i < n; i++)
        o[i * stride] = x[i];
}

const fa__simd_class FA__SIMD(fa__simd_truth) = {
    .prim = {[FA__PRIM_and] = and_loop,
             [FA__PRIM_or] = or_loop,
             [FA__PRIM_not] = not_loop,
             [FA__PRIM_eq] = same_loop,
             [FA__PRIM_ne] = differ_loop,
             [FA__PRIM_lt] = less_loop,
             [FA__PRIM_le] = at_most_loop,
             [FA__PRIM_bit_and] = and_loop,
             [FA__PRIM_bit_or] = or_loop,
             [FA__PRIM_bit_xor] = differ_loop,
             [FA__PRIM_mul] = and_loop,
             [FA__PRIM_minimum] = and_loop,
             [FA__PRIM_maximum] = or_loop,
             [FA__PRIM_select] = select_loop,
             [FA__PRIM_to_bool] = truth_loop},
    .load = {[FA_BOOL] = load},
    .store = {[FA_BOOL] = store},
    .transpose = FA__SIMD(fa__transpose_8),
    .size = 1,
    .dtype = FA_BOOL,
};
