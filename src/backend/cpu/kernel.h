/* What the CPU's kernels share. A kernel is KERNEL(name) { ... }: a function of the launch `l`; the generator finds it.
 */
#ifndef FA__CPU_KERNEL_H
#define FA__CPU_KERNEL_H
#include "args.h"
#include "backend/cpu/level.h"
#include "backend/device.h"
#include "core/tensor.h"
#include <facula/error.h>

#define KERNEL(name)                                                                                                   \
    bool FA__CAT(fa__cpu_, name)(const fa__launch *l);                                                                 \
    bool FA__CAT(fa__cpu_, name)(const fa__launch *l)

/* The loops of the class that a dtype computes in. */
static inline const fa__simd_class *fa__cpu_class(unsigned dtype)
{
    return fa__cpu_simd->of[fa__class_of(dtype)];
}

/* Results that are larger than this are written past the caches. */
int64_t fa__cpu_cache_bytes(void);
/* Whether the result of a kernel is, where so many bytes are all that it reads and writes. */
static inline bool fa__cpu_streams(int64_t bytes)
{
    return bytes > fa__cpu_cache_bytes();
}

/* Notes what is wrong, for the host to report: the first fault of a launch stays. Always false. */
bool fa__cpu_fault(const fa__launch *l, fa_code code, fa__fault what);
/* Element i of an operand of integers or bool, by its address. */
int64_t fa__cpu_integer(const fa__operand *, int64_t offset);

/* Asks for memory that is read soon: processors do so themselves only within a page. */
static inline void fa__cpu_prefetch(const void *from, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i += 64)
        __builtin_prefetch((const char *)from + i, 0, 2);
}

/* Of each of `count` rows of n elements, one behind the other, the sum or the largest one and so on, by the reductions'
 * tree; the work is room for an element for each FA__BLOCK of a row. */
void fa__cpu_combine_rows(const fa__simd_class *, int how, char *out, const char *x, int64_t count, int64_t n,
                          char *work);

/* The dimension that an argument names. */
static inline int fa__cpu_dim(const fa__operand *x, int64_t dim)
{
    return (int)(dim < 0 ? dim + (x->rank ? x->rank : 1) : dim);
}

/* All elements but those along one dimension: a counter over the other dimensions, with an offset into each of up to
 * three operands, which have the same shape there. */
typedef struct fa__cpu_walk {
    int rank;
    int64_t count, shape[FA_MAX_DIMS], stride[3][FA_MAX_DIMS];
} fa__cpu_walk;

fa__cpu_walk fa__cpu_others(const int64_t *shape, int rank, int dim, const fa__operand *a, const fa__operand *b,
                            const fa__operand *c);
/* The same places in the same order, with dimensions joined that all operands step through as one. */
fa__cpu_walk fa__cpu_joined(fa__cpu_walk);
/* Offsets of the i-th place. */
void fa__cpu_place(const fa__cpu_walk *, int64_t i, int64_t offset[3]);
/* How many elements a tile has that begins with element `begin`: up to `most`, none from `end` on, and all of one row,
 * where rows have `inner` elements each. */
static inline int64_t fa__cpu_tile(int64_t begin, int64_t end, int64_t inner, int64_t most)
{
    int64_t row = inner - begin % inner, left = end - begin, count = row < left ? row : left;
    return count < most ? count : most;
}
/* A result of less dimensions than `rank` because it lacks dim, with that put back. */
fa__operand fa__cpu_with_dim(const fa__operand *, int rank, int dim);
#endif
