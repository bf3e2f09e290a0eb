/* Lines whose elements have up to 4 bytes, sorted by one thread each (sort_line.c). */
#ifndef FA__BACKEND_CPU_SORT_LINE_H
#define FA__BACKEND_CPU_SORT_LINE_H
#include "backend/order.h"
#include <stdbool.h>
#include <stdint.h>

/* A line of n < 2^32 elements, `step` elements apart, and what is wanted of it: of its elements in order those from
 * number `first` on, `count` of them. */
typedef struct fa__sort_line {
    fa__sort_key order;
    bool descending;
    int64_t n, step, first, count;
} fa__sort_line;

/* The values and their places along the line, each result so many elements after the one before. The sort is stable.
 * `room` is for two u64 of each element. */
void fa__sort_line_run(const fa__sort_line *, const void *x, void *values, int64_t value_step, int64_t *indices,
                       int64_t index_step, void *room);
#endif
