/* Random orders of samples, which depend only on the seed, not on the machine or other users of random numbers. */
#include "data/data.h"
#include <facula/error.h>

static const fa_object_type numbers_type = {"numbers", NULL};

fa__numbers *fa__numbers_new(int64_t count)
{
    if (count < 0 || (uint64_t)count > (SIZE_MAX / 2 - sizeof(fa__numbers)) / sizeof(int64_t)) {
        fa_fail(FA_ERROR_MEMORY, "a list of samples is too long");
        return NULL;
    }
    fa__numbers *n = fa_object_new(&numbers_type, sizeof *n + (size_t)count * sizeof *n->item);
    if (n)
        n->count = count;
    return n;
}

/* SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A uniform number from 0 to bound - 1; numbers from the last, incomplete interval are rejected. */
static uint64_t below(uint64_t *state, uint64_t bound)
{
    uint64_t x, most = UINT64_MAX - UINT64_MAX % bound;
    do
        x = next(state);
    while (x >= most);
    return x % bound;
}

uint64_t fa__seed_of(uint64_t seed, uint64_t epoch, uint64_t batch)
{
    uint64_t state = seed;
    state = next(&state) ^ epoch;
    state = next(&state) ^ batch;
    return next(&state);
}

void fa__shuffle(int64_t *item, int64_t count, uint64_t seed, uint64_t epoch)
{
    uint64_t state = seed;
    state = next(&state) ^ epoch;
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t k = (int64_t)below(&state, (uint64_t)i + 1), swapped = item[i];
        item[i] = item[k];
        item[k] = swapped;
    }
}
