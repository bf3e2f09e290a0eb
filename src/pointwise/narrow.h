/* Values of dtypes that are narrower than what they are computed in: u8, i8 and i16 are computed in 32 bits and wrap
 * when they are stored; bool is then 1 where the value is not 0. How a primitive reads such values decides where
 * conversions are needed. */
#ifndef FA__POINTWISE_NARROW_H
#define FA__POINTWISE_NARROW_H
#include "core/ssa.h"

/* How a primitive reads an operand. "Given" are numbers and operands of other dtypes. */
enum {
    FA__READ_STORED,     /* as stored; what is given stays as it is */
    FA__READ_ALL_STORED, /* as stored, and what is given, too */
    FA__READ_AS_BOUND,   /* compared with the other operands */
    FA__READ_LOW_BITS    /* as computed: only its low bits count, or it is passed on */
};
enum { FA__GIVES_IN_DTYPE, FA__GIVES_WIDE, FA__GIVES_AS_PASSED /* wide where an operand that is passed on is */ };

typedef struct fa__reading {
    uint8_t operand[3];
    uint8_t result; /* whether the result may be outside the dtype */
} fa__reading;

/* What the table does not name reads its operands as STORED, and its result is IN_DTYPE. */
extern const fa__reading fa__readings[FA__PRIM_count];

/* The least and the largest value of a narrow dtype, by the conversion to it. */
typedef struct fa__narrow_range {
    int32_t low, high;
} fa__narrow_range;

fa__narrow_range fa__narrow_range_of(fa__prim to);

/* The program for a dtype that is narrower than what it computes in: values that wrap are converted by
 * `to`, as FA__PRIM_to_u8, before anything but sums and products sees them. Constants that are bounds
 * become the nearest value of the dtype. One piece of memory, freed with fa__free; NULL and an error without memory. */
fa__ssa *fa__ssa_narrowed(const fa__ssa *, fa__prim to);
#endif
