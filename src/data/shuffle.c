/* Random orders of samples, which depend only on the seed, not on the machine or other users of random numbers. */
#include "data/data.h"
#include <facula/error.h>

static const fa_object_type numbers_type = {"numbers", NULL};

void *fa__items_new(const fa_object_type *type, size_t head, int64_t count, size_t item)
{
    if (count >= 0 && (uint64_t)count <= (SIZE_MAX / 2 - head) / item)
        return fa_object_new(type, head + (size_t)count * item);
    fa_fail(FA_ERROR_MEMORY, "a list of samples is too long");
    return NULL;
}

fa__numbers *fa__numbers_new(int64_t count)
{
    fa__numbers *n = fa__items_new(&numbers_type, sizeof *n, count, sizeof *n->item);
    if (n)
        n->count = count;
    return n;
}

/* SplitMix64 (Steele, Lea and Flood 2014). */
uint64_t fa__random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A uniform number from 0 to bound - 1; numbers from the last, incomplete interval are rejected. */
uint64_t fa__random_below(uint64_t *state, uint64_t bound)
{
    uint64_t x, most = UINT64_MAX - UINT64_MAX % bound;
    do
        x = fa__random_next(state);
    while (x >= most);
    return x % bound;
}

double fa__random_uniform(uint64_t *state)
{
    return (double)(fa__random_next(state) >> 11) * 0x1p-53;
}

uint64_t fa__seed_of(uint64_t seed, uint64_t epoch, uint64_t batch)
{
    uint64_t state = seed;
    state = fa__random_next(&state) ^ epoch;
    state = fa__random_next(&state) ^ batch;
    return fa__random_next(&state);
}

void fa__shuffle(int64_t *item, int64_t count, uint64_t seed, uint64_t epoch)
{
    uint64_t state = seed;
    state = fa__random_next(&state) ^ epoch;
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t k = (int64_t)fa__random_below(&state, (uint64_t)i + 1), swapped = item[i];
        item[i] = item[k];
        item[k] = swapped;
    }
}

/* ---- permutations that are not stored ---- */

enum { ROUNDS = 8 };

/* A permutation of 0 to 4^half - 1: a Feistel network, whose rounds add a function of one half of the bits to the
 * other. */
static uint64_t feistel(uint64_t x, int half, uint64_t key)
{
    uint64_t mask = (UINT64_C(1) << half) - 1, left = x >> half, right = x & mask;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t mixed = left ^ (fa__seed_of(key, round, right) & mask);
        left = right;
        right = mixed;
    }
    return left << half | right;
}

/* Follows the cycle of the larger permutation until it returns to the range; at most 4 steps on average. */
int64_t fa__permuted(int64_t at, int64_t count, uint64_t key)
{
    int half = 1;
    while (half < 32 && (UINT64_C(1) << 2 * half) < (uint64_t)count)
        half++;
    uint64_t x = (uint64_t)at;
    do
        x = feistel(x, half, key);
    while (x >= (uint64_t)count);
    return (int64_t)x;
}
