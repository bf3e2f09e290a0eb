/* Whole random numbers, as every device makes them: the upper half of the product of 64 random bits and how many
 * numbers there are. */
#ifndef FA__BACKEND_RANDOM_H
#define FA__BACKEND_RANDOM_H
#include "core/dtype.h"

/* One more than the largest number that a dtype has, or, of floating ones, up to which it has all whole numbers. */
static inline uint64_t fa__random_end(unsigned dtype)
{
    return fa__dtype_whole(dtype) + 1;
}

/* How many numbers there are from `low` up to below `high`, or, where high is INT64_MIN, up to the dtype's end. All of
 * i64 are 2^64, told by 0: then each 64 bits are a number. */
static inline uint64_t fa__random_range(unsigned dtype, int64_t low, int64_t high)
{
    return (high == INT64_MIN ? fa__random_end(dtype) : (uint64_t)high) - (uint64_t)low;
}
#endif
