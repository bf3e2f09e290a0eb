/* The orders that samplers give. */
#ifndef FA__DATA_SAMPLER_H
#define FA__DATA_SAMPLER_H
#include "data/data.h"
#include <facula/sampler.h>

/* The sample indices of an epoch. */
typedef struct fa__order fa__order;

/* A kind of sampler prepares an order once for an epoch (`begin`), and gives the index at each position (`at`). */
typedef struct fa__sampling {
    const char *name;                            /* of the function that makes such samplers */
    bool (*begin)(fa__order *o, uint64_t epoch); /* false and an error on failure; NULL: there is nothing to prepare */
    int64_t (*at)(const fa__order *o, int64_t k);
    bool draws, repeats;
} fa__sampling;

/* Numbers with one double each: weights, or keys to sort by. */
typedef struct fa__pair {
    double key;
    int64_t index;
} fa__pair;

typedef struct fa__pairs {
    fa_object base;
    int64_t count;
    fa__pair item[];
} fa__pairs;

struct fa_sampler {
    fa_object base;
    const fa__sampling *kind;
    int64_t length, samples; /* indices in an epoch, and different ones */
    int64_t seed;            /* -1: that of the loader */
    int64_t first, step;     /* the order has every step-th position of a longer one */
    int64_t batch, pool;     /* of a bucketed sampler: samples of a batch, and batches that are sorted together */
    fa__numbers *index;      /* of a subset; of a stratified sampler, sorted by class */
    fa__pairs *weights; /* their running sums, or they themselves; of a stratified sampler, the classes; of a bucketed
                           one, lengths */
    fa_sampler_type type;
    void *context;
};

struct fa__order {
    fa_object base;
    const fa_sampler *sampler;
    uint64_t seed, key; /* the seed, and one of this epoch */
    fa__numbers *item;  /* NULL: indices are computed */
};

extern const fa__sampling fa__sampling_sequential, fa__sampling_random, fa__sampling_replaced, fa__sampling_subset,
    fa__sampling_own, fa__sampling_weighted, fa__sampling_weighted_once, fa__sampling_stratified,
    fa__sampling_distributed, fa__sampling_distributed_in_order, fa__sampling_bucketed;

/* Room for pairs, in the innermost scope; NULL and an error if memory runs out. */
fa__pairs *fa__pairs_new(int64_t count);
/* Sorts pairs by key, and by index among equal keys. */
void fa__pairs_sort(fa__pairs *pairs);

/* The order of an epoch, in the innermost scope; NULL and an error on failure. */
fa__order *fa__order_new(const fa_sampler *sampler, uint64_t seed, int64_t epoch);
/* Index `k` of the order, 0 to fa_sampler_length() - 1. */
int64_t fa__order_at(const fa__order *order, int64_t k);
/* Whether an epoch may have an index more than once. */
bool fa__sampler_repeats(const fa_sampler *sampler);
/* Whether the order depends on the seed of the loader. */
bool fa__sampler_draws(const fa_sampler *sampler);
bool fa__sampler_check(const fa_sampler *sampler, const char *who);
#endif
