/* Elements moved between two operands by an index along one dimension, as in gather and scatter. Indices were checked.
 * How the loops are laid out is indexed.c, the loops over a line of elements are indexed_lines.c. */
#ifndef FA__BACKEND_CPU_INDEXED_H
#define FA__BACKEND_CPU_INDEXED_H
#include "backend/cpu/kernel.h"

/* How an element is combined with the one at its position: the numbers of fa__placing (ops/index/index.h). */
enum { FA__INDEXED_SET, FA__INDEXED_ADD, FA__INDEXED_MUL, FA__INDEXED_MAX, FA__INDEXED_MIN };

/* Of shape and rank of `moved`, whose element at i goes with the element of `chosen` that is at the same place but for
 * `dim`, where it is at index[i]. `index` has its shape, too;
 * NULL: all are 0. dim < 0: there is none, and all places are the same. */
typedef struct fa__by_index {
    const fa__operand *chosen, *moved, *index;
    int dim;
} fa__by_index;

/* moved = chosen */
void fa__cpu_fetch(const fa__by_index *);
/* chosen = moved, or their sum and so on (`how` is FA__INDEXED_SET, ...), in the order of the index: any number of
 * threads gives the same bits. chosen may be wider than moved. */
void fa__cpu_place_into(const fa__by_index *, int how);

/* y = x and y = 0, of the same dtype and shape */
void fa__cpu_copy(const fa__operand *y, const fa__operand *x);
void fa__cpu_clear(const fa__operand *y);

/* Reports the first index, in row-major order, that is below `low` or not below `size`. */
bool fa__cpu_check_index(const fa__launch *, const fa__operand *index, int dim, int64_t low, int64_t size);

/* ---- lines ---- */

/* Where elements of a line are: of `chosen`, at chosen + (i * chosen_step + at[i] * pace) elements. */
typedef struct fa__indexed_line {
    char *chosen, *moved;
    int64_t chosen_step, moved_step, pace;
    const int64_t *at;
    int64_t n;
} fa__indexed_line;

typedef struct fa__line_loops {
    uint8_t chosen_dtype, moved_dtype;
    int how;
    const fa__simd_class *k;
    void (*run)(const fa__indexed_line *); /* NULL: by `combine`, as the dtypes differ */
} fa__line_loops;

fa__line_loops fa__cpu_line_loops(const fa__by_index *, int how, bool fetch);
/* Each element by its own index, one after the other. */
void fa__cpu_indexed_line(const fa__line_loops *, const fa__indexed_line *);
/* All by the same index, which `chosen` begins at: places differ. */
void fa__cpu_plain_line(const fa__line_loops *, const fa__indexed_line *, bool fetch);
#endif
