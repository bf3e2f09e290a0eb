/* The orders of samplers: what a sampler makes of a seed and the number of an epoch. */
#include "data/sampler.h"
#include <facula/error.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 1 << 24 /* permutations of more samples are computed item by item */ };

static void order_destroy(void *object)
{
    fa__order *o = object;
    fa__unhold((fa_sampler *)(uintptr_t)o->sampler);
    fa__unhold(o->item);
}

static const fa_object_type order_type = {"order", order_destroy}, pairs_type = {"pairs", NULL};

fa__order *fa__order_new(const fa_sampler *s, uint64_t seed, int64_t epoch)
{
    FA_SCOPE;
    fa__order *o = fa_object_new(&order_type, sizeof *o);
    if (!o)
        return NULL;
    o->sampler = fa__hold((fa_sampler *)(uintptr_t)s);
    o->seed = s->seed >= 0 ? (uint64_t)s->seed : seed;
    o->key = fa__seed_of(o->seed, (uint64_t)epoch, 0);
    bool good = !s->kind->begin || s->kind->begin(o, (uint64_t)epoch);
    o->item = o->item ? fa__hold(o->item) : NULL;
    return good ? fa_escape(o) : NULL;
}

int64_t fa__order_at(const fa__order *o, int64_t k)
{
    const fa_sampler *s = o->sampler;
    return s->kind->at(o, s->step == 1 ? k : (s->first + k * s->step) % s->samples);
}

static int64_t same_at(const fa__order *o, int64_t k)
{
    (void)o;
    return k;
}

static int64_t item_at(const fa__order *o, int64_t k)
{
    return o->item->item[k];
}

static bool copy_numbers(fa__order *o, const fa__numbers *from)
{
    o->item = fa__numbers_new(from->count);
    for (int64_t i = 0; o->item && i < from->count; i++)
        o->item->item[i] = from->item[i];
    return o->item;
}

static bool permute(fa__order *o, uint64_t epoch)
{
    int64_t n = o->sampler->samples;
    if (n > LISTED)
        return true;
    o->item = fa__numbers_new(n);
    for (int64_t i = 0; o->item && i < n; i++)
        o->item->item[i] = i;
    if (o->item)
        fa__shuffle(o->item->item, n, o->seed, epoch);
    return o->item;
}

static int64_t permuted_at(const fa__order *o, int64_t k)
{
    return o->item ? o->item->item[k] : fa__permuted(k, o->sampler->samples, o->key);
}

static int64_t drawn_at(const fa__order *o, int64_t k)
{
    uint64_t state = fa__seed_of(o->key, (uint64_t)k, 1);
    return (int64_t)fa__random_below(&state, (uint64_t)o->sampler->samples);
}

static bool shuffle_subset(fa__order *o, uint64_t epoch)
{
    if (!copy_numbers(o, o->sampler->index))
        return false;
    fa__shuffle(o->item->item, o->item->count, o->seed, epoch);
    return true;
}

static bool call_order(fa__order *o, uint64_t epoch)
{
    const fa_sampler *s = o->sampler;
    fa_error caught = {0};
    bool good = false;
    o->item = fa__numbers_new(s->length);
    if (o->item) {
        FA_USE(.catch_errors = &caught);
        good = s->type.order(s->context, o->seed, (int64_t)epoch, o->item->item);
    }
    if (good && !caught.code)
        return true;
    return fa_fail(caught.code ? caught.code : FA_ERROR_USER, "sampler %s, epoch %" PRIu64 ": %s", s->type.name, epoch,
                   caught.code ? caught.message : "order failed, and raised no error");
}

/* ---- weights ---- */

static int by_key(const void *a, const void *b)
{
    const fa__pair *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

fa__pairs *fa__pairs_new(int64_t count)
{
    fa__pairs *p = fa__items_new(&pairs_type, sizeof *p, count, sizeof *p->item);
    if (p)
        p->count = count;
    return p;
}

void fa__pairs_sort(fa__pairs *p)
{
    qsort(p->item, (size_t)p->count, sizeof *p->item, by_key);
}

/* The indices of the `count` smallest keys become the order. */
static bool sort_to_order(fa__order *o, fa__pairs *p, int64_t count)
{
    o->item = fa__numbers_new(count);
    if (!o->item)
        return false;
    fa__pairs_sort(p);
    for (int64_t i = 0; i < count; i++)
        o->item->item[i] = p->item[i].index;
    return true;
}

/* The smallest of exponentially distributed numbers with the weights as rates is each with a probability in proportion
 * to its weight. */
static bool sort_weighted(fa__order *o, uint64_t epoch)
{
    (void)epoch;
    const fa__pairs *w = o->sampler->weights;
    fa__pairs *p = fa__pairs_new(w->count);
    uint64_t state = o->key;
    for (int64_t i = 0; p && i < w->count; i++) {
        double drawn = -log1p(-fa__random_uniform(&state));
        p->item[i] = (fa__pair){w->item[i].key > 0 ? drawn / w->item[i].key : INFINITY, i};
    }
    return p && sort_to_order(o, p, o->sampler->length);
}

/* The first sample whose running sum is above a random number. */
static int64_t weighted_at(const fa__order *o, int64_t k)
{
    const fa__pairs *sums = o->sampler->weights;
    uint64_t state = fa__seed_of(o->key, (uint64_t)k, 1);
    double drawn = fa__random_uniform(&state) * sums->item[sums->count - 1].key;
    int64_t low = 0, high = sums->count - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (sums->item[middle].key > drawn)
            high = middle;
        else
            low = middle + 1;
    }
    return sums->item[low].index;
}

/* ---- classes ---- */

/* Sample j of the n in a class is put at (j + u) / n of the epoch, where u is a random number of the class. */
static bool spread_classes(fa__order *o, uint64_t epoch)
{
    const fa__pairs *class = o->sampler->weights;
    int64_t n = class->count;
    if (!copy_numbers(o, o->sampler->index))
        return false;
    fa__pairs *p = fa__pairs_new(n);
    for (int64_t begin = 0, end; p && begin < n; begin = end) {
        for (end = begin; end < n && class->item[end].key == class->item[begin].key;)
            end++;
        uint64_t state = fa__seed_of(o->key, (uint64_t)begin, 2);
        double shift = fa__random_uniform(&state);
        fa__shuffle(o->item->item + begin, end - begin, o->key, epoch + (uint64_t)begin);
        for (int64_t i = begin; i < end; i++)
            p->item[i] = (fa__pair){((double)(i - begin) + shift) / (double)(end - begin), o->item->item[i]};
    }
    return p && sort_to_order(o, p, n);
}

/* ---- kinds of samplers ---- */

/* Sorts samples at these positions of the order by length, and by position among equal lengths. */
static bool sort_pool(fa__order *o, int64_t first, int64_t count)
{
    FA_SCOPE;
    int64_t *item = o->item->item + first;
    fa__pairs *p = fa__pairs_new(count);
    fa__numbers *before = p ? fa__numbers_new(count) : NULL;
    for (int64_t i = 0; before && i < count; i++) {
        before->item[i] = item[i];
        p->item[i] = (fa__pair){o->sampler->weights->item[item[i]].key, i};
    }
    if (!before)
        return false;
    fa__pairs_sort(p);
    for (int64_t i = 0; i < count; i++)
        item[i] = before->item[p->item[i].index];
    return true;
}

/* Shuffles the complete batches. */
static bool shuffle_batches(fa__order *o, uint64_t epoch)
{
    FA_SCOPE;
    int64_t size = o->sampler->batch, n = o->item->count / size;
    fa__numbers *batch = fa__numbers_new(n), *before = batch ? fa__numbers_new(n * size) : NULL;
    for (int64_t i = 0; before && i < n; i++)
        batch->item[i] = i;
    if (!before)
        return false;
    memcpy(before->item, o->item->item, (size_t)(n * size) * sizeof *before->item);
    fa__shuffle(batch->item, n, fa__seed_of(o->seed, 1, 2), epoch);
    for (int64_t i = 0; i < n; i++)
        memcpy(o->item->item + i * size, before->item + batch->item[i] * size, (size_t)size * sizeof *before->item);
    return true;
}

static bool fill_buckets(fa__order *o, uint64_t epoch)
{
    int64_t n = o->sampler->samples, pool = o->sampler->batch * o->sampler->pool;
    o->item = fa__numbers_new(n);
    for (int64_t i = 0; o->item && i < n; i++)
        o->item->item[i] = i;
    if (!o->item)
        return false;
    fa__shuffle(o->item->item, n, o->seed, epoch);
    for (int64_t at = 0, count; at < n; at += count) {
        count = n - at < pool ? n - at : pool;
        if (!sort_pool(o, at, count))
            return false;
    }
    return shuffle_batches(o, epoch);
}

const fa__sampling fa__sampling_sequential = {"fa_sampler_sequential", NULL, same_at, false, false},
                   fa__sampling_random = {"fa_sampler_random", permute, permuted_at, true, false},
                   fa__sampling_replaced = {"fa_sampler_random", NULL, drawn_at, true, true},
                   fa__sampling_subset = {"fa_sampler_subset", shuffle_subset, item_at, true, true},
                   fa__sampling_own = {"fa_sampler_new", call_order, item_at, true, true},
                   fa__sampling_weighted = {"fa_sampler_weighted", NULL, weighted_at, true, true},
                   fa__sampling_weighted_once = {"fa_sampler_weighted", sort_weighted, item_at, true, false},
                   fa__sampling_stratified = {"fa_sampler_stratified", spread_classes, item_at, true, false},
                   fa__sampling_distributed = {"fa_sampler_distributed", permute, permuted_at, true, true},
                   fa__sampling_distributed_in_order = {"fa_sampler_distributed", NULL, same_at, false, true},
                   fa__sampling_bucketed = {"fa_sampler_bucketed", fill_buckets, item_at, true, false};
