/* Arithmetic of integers that many files need. */
#ifndef FA__BASE_INTEGER_H
#define FA__BASE_INTEGER_H
#include <stdint.h>

/* The smallest integer that is not below a / b, for a >= 0 and b > 0. */
static inline int64_t fa__ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static inline int64_t fa__min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
#endif
