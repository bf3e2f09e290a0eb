/* Whole random numbers, as every device makes them: the upper half of the product of 64 random bits and how many
 * numbers there are. */
#ifndef FA__BACKEND_RANDOM_H
#define FA__BACKEND_RANDOM_H
#include <facula/types.h>

/* One more than the largest number that a dtype has, or, of floating ones, up to which it has all whole numbers. */
static inline uint64_t fa__random_end(unsigned dtype)
{
    static const uint64_t end[] = {[FA_BOOL] = 2,
                                   [FA_U8] = 256,
                                   [FA_I8] = 128,
                                   [FA_I16] = 32768,
                                   [FA_I32] = (uint64_t)1 << 31,
                                   [FA_I64] = (uint64_t)1 << 63,
                                   [FA_F16] = 2049,
                                   [FA_BF16] = 257,
                                   [FA_F32] = ((uint64_t)1 << 24) + 1,
                                   [FA_F64] = ((uint64_t)1 << 53) + 1};
    return end[dtype];
}

/* How many numbers there are from `low` up to below `high`, or, where high is INT64_MIN, up to the dtype's end. All of
 * i64 are 2^64, told by 0: then each 64 bits are a number. */
static inline uint64_t fa__random_range(unsigned dtype, int64_t low, int64_t high)
{
    return (high == INT64_MIN ? fa__random_end(dtype) : (uint64_t)high) - (uint64_t)low;
}
#endif
