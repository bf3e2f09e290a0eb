/* Samplers: functions from a seed and an epoch to an order of sample indices. */
#include "data/sampler.h"
#include <facula/dtype.h>
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <math.h>

static void sampler_destroy(void *object)
{
    fa_sampler *s = object;
    fa__unhold(s->index);
    fa__unhold(s->weights);
    if (s->type.release)
        s->type.release(s->context);
}

static const fa_object_type sampler_type = {"sampler", sampler_destroy};

bool fa__sampler_check(const fa_sampler *s, const char *who)
{
    return fa__object_check(s, &sampler_type, who);
}

bool fa__sampler_repeats(const fa_sampler *sampler)
{
    return sampler->kind->repeats;
}

bool fa__sampler_draws(const fa_sampler *sampler)
{
    return sampler->kind->draws && sampler->seed < 0;
}

int64_t fa_sampler_length(const fa_sampler *sampler)
{
    return fa__sampler_check(sampler, "fa_sampler_length") ? sampler->length : -1;
}

fa_tensor *fa_sampler_order(const fa_sampler *sampler, uint64_t seed, int64_t epoch)
{
    if (!fa__sampler_check(sampler, "fa_sampler_order"))
        return NULL;
    if (epoch < 0) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_sampler_order: there is no epoch %" PRId64, epoch);
        return NULL;
    }
    FA_SCOPE;
    const fa__order *o = fa__order_new(sampler, seed, epoch);
    fa__numbers *all = o ? fa__numbers_new(sampler->length) : NULL;
    for (int64_t k = 0; all && k < all->count; k++)
        all->item[k] = fa__order_at(o, k);
    return all ? fa_escape(fa_tensor_from(all->item, FA_SHAPE(all->count), .dtype = FA_I64, .device = FA_CPU)) : NULL;
}

static fa_sampler *sampler_new(const fa__sampling *k, int64_t length, int64_t samples, int64_t seed)
{
    fa_sampler *s = fa_error_stands() ? NULL : fa_object_new(&sampler_type, sizeof *s);
    if (!s)
        return NULL;
    s->kind = k;
    s->length = length;
    s->samples = samples;
    s->seed = seed;
    s->step = 1;
    return s;
}

static bool seed_is_good(const fa__sampling *k, int64_t seed)
{
    return seed >= -1 || fa_fail(FA_ERROR_ARGUMENT, "%s: .seed is %" PRId64 ", which is less than -1", k->name, seed);
}

/* The number of indices in an epoch that an option gives, of a sampler of n samples; -1 and an error on failure. */
static int64_t number_of(const fa__sampling *k, int64_t chosen, int64_t n, bool replacement)
{
    int64_t count = chosen == -1 ? n : chosen;
    if (count >= 0 && (n > 0 || count == 0) && (replacement || count <= n))
        return count;
    fa_fail(FA_ERROR_ARGUMENT, "%s: .num_samples is %" PRId64 ", of %" PRId64 " samples%s", k->name, chosen, n,
            replacement ? "" : " without replacement");
    return -1;
}

fa_sampler *fa_sampler_sequential(const fa_dataset *dataset)
{
    int64_t n = fa_dataset_length(dataset);
    return n < 0 ? NULL : sampler_new(&fa__sampling_sequential, n, n, -1);
}

fa_sampler *(fa_sampler_random)(const fa_dataset *dataset, const fa_sampler_random_options *options)
{
    fa_sampler_random_options o = FA__DEFAULT_fa_sampler_random;
    fa__options_read(&o, o.size, options);
    const fa__sampling *k = o.replacement ? &fa__sampling_replaced : &fa__sampling_random;
    int64_t n = fa_dataset_length(dataset), count;
    if (n < 0 || !seed_is_good(k, o.seed) || (count = number_of(k, o.num_samples, n, o.replacement)) < 0)
        return NULL;
    return sampler_new(k, count, n, o.seed);
}

fa_sampler *fa_sampler_subset(const int64_t *index, int64_t count)
{
    if (count < 0 || (count && !index)) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_sampler_subset: %s", count < 0 ? "count is negative" : "the indices are NULL");
        return NULL;
    }
    fa_sampler *s = sampler_new(&fa__sampling_subset, count, count, -1);
    fa__numbers *copy = s ? fa__numbers_new(count) : NULL;
    if (!copy)
        return NULL;
    for (int64_t i = 0; i < count; i++)
        copy->item[i] = index[i];
    s->index = fa__hold(copy);
    return s;
}

fa_sampler *fa_sampler_new(const fa_sampler_type *type, void *context)
{
    fa_sampler *s = NULL;
    int64_t length = -1;
    if (!type || !type->name || !type->length || !type->order)
        fa_fail(FA_ERROR_ARGUMENT, "fa_sampler_new: a sampler has a name, a length and an order");
    else if ((length = type->length(context)) < 0)
        fa_fail(FA_ERROR_USER, "sampler %s: its length is %" PRId64, type->name, length);
    else
        s = sampler_new(&fa__sampling_own, length, length, -1);
    if (!s) {
        if (type && type->release)
            type->release(context);
        return NULL;
    }
    s->type = *type;
    s->context = context;
    return s;
}

/* The elements of a tensor (samples); NULL and an error on failure. */
static fa__pairs *read_pairs(const fa__sampling *k, const fa_tensor *t, bool whole)
{
    bool floating = t && fa_dtype_is_floating(fa_tensor_dtype(t));
    if (!t || fa_dim(t) != 1 || (whole && floating)) {
        fa_fail(!t               ? FA_ERROR_ARGUMENT
                : fa_dim(t) != 1 ? FA_ERROR_SHAPE
                                 : FA_ERROR_DTYPE,
                "%s: %s", k->name,
                !t               ? "the tensor is NULL"
                : fa_dim(t) != 1 ? "the tensor has one dimension, the samples"
                                 : "the labels are whole numbers");
        return NULL;
    }
    fa__pairs *p = fa__pairs_new(fa_size(t, 0));
    const double *value = p ? fa_ptr(fa_contiguous(fa_to(fa_cpu(t), FA_F64)), FA_F64) : NULL;
    for (int64_t i = 0; value && i < p->count; i++)
        p->item[i] = (fa__pair){value[i], i};
    return fa_error_stands() ? NULL : p;
}

/* Checks weights; the number of those above 0, -1 and an error on failure. */
static int64_t check_weights(const fa__pairs *p)
{
    int64_t positive = 0;
    double sum = 0;
    for (int64_t i = 0; i < p->count; i++) {
        if (!(p->item[i].key >= 0 && p->item[i].key < INFINITY)) {
            fa_fail(FA_ERROR_ARGUMENT, "fa_sampler_weighted: weight %" PRId64 " is %g", i, p->item[i].key);
            return -1;
        }
        positive += p->item[i].key > 0;
        sum += p->item[i].key;
    }
    if (!positive || !(sum < INFINITY)) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_sampler_weighted: the sum of the weights is %g", sum);
        return -1;
    }
    return positive;
}

/* Running sums of the weights above 0. */
static void add_weights(fa__pairs *p)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < p->count; i++)
        if (p->item[i].key > 0)
            p->item[count++] = (fa__pair){sum += p->item[i].key, p->item[i].index};
    p->count = count;
}

fa_sampler *(fa_sampler_weighted)(const fa_tensor *weights, const fa_sampler_weighted_options *options)
{
    fa_sampler_weighted_options o = FA__DEFAULT_fa_sampler_weighted;
    fa__options_read(&o, o.size, options);
    const fa__sampling *k = o.replacement ? &fa__sampling_weighted : &fa__sampling_weighted_once;
    FA_SCOPE;
    fa__pairs *p = seed_is_good(k, o.seed) ? read_pairs(k, weights, false) : NULL;
    int64_t positive = p ? check_weights(p) : -1;
    int64_t count = positive < 0 ? -1
                                 : number_of(k, o.num_samples == -1 ? p->count : o.num_samples,
                                             o.replacement ? p->count : positive, o.replacement);
    fa_sampler *s = count < 0 ? NULL : sampler_new(k, count, p->count, o.seed);
    if (!s)
        return NULL;
    if (o.replacement)
        add_weights(p);
    s->weights = fa__hold(p);
    return fa_escape(s);
}

fa_sampler *fa_sampler_stratified(const fa_tensor *labels)
{
    FA_SCOPE;
    fa__pairs *p = read_pairs(&fa__sampling_stratified, labels, true);
    fa_sampler *s = p ? sampler_new(&fa__sampling_stratified, p->count, p->count, -1) : NULL;
    fa__numbers *index = s ? fa__numbers_new(p->count) : NULL;
    if (!index)
        return NULL;
    fa__pairs_sort(p);
    for (int64_t i = 0; i < p->count; i++)
        index->item[i] = p->item[i].index;
    s->index = fa__hold(index);
    s->weights = fa__hold(p);
    return fa_escape(s);
}

fa_sampler *(fa_sampler_bucketed)(const fa_tensor *lengths, int64_t batch_size,
                                  const fa_sampler_bucketed_options *options)
{
    const fa__sampling *k = &fa__sampling_bucketed;
    fa_sampler_bucketed_options o = FA__DEFAULT_fa_sampler_bucketed;
    fa__options_read(&o, o.size, options);
    if (batch_size < 1 || o.pool < 1 || batch_size > INT64_MAX / o.pool) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_sampler_bucketed: %" PRId64 " batches of %" PRId64 " samples cannot be sorted",
                o.pool, batch_size);
        return NULL;
    }
    FA_SCOPE;
    fa__pairs *p = seed_is_good(k, o.seed) ? read_pairs(k, lengths, false) : NULL;
    for (int64_t i = 0; p && i < p->count; i++)
        if (!isfinite(p->item[i].key)) {
            fa_fail(FA_ERROR_ARGUMENT, "fa_sampler_bucketed: length %" PRId64 " is %g", i, p->item[i].key);
            return NULL;
        }
    fa_sampler *s = p ? sampler_new(k, p->count, p->count, o.seed) : NULL;
    if (!s)
        return NULL;
    s->batch = batch_size;
    s->pool = o.pool;
    s->weights = fa__hold(p);
    return fa_escape(s);
}

fa_sampler *(fa_sampler_distributed)(const fa_dataset *dataset, const fa_sampler_distributed_options *options)
{
    fa_sampler_distributed_options o = FA__DEFAULT_fa_sampler_distributed;
    fa__options_read(&o, o.size, options);
    const fa__sampling *k = o.shuffle ? &fa__sampling_distributed : &fa__sampling_distributed_in_order;
    int64_t n = fa_dataset_length(dataset);
    if (n < 0 || !seed_is_good(k, o.seed))
        return NULL;
    if (o.num_replicas < 1 || o.num_replicas > INT32_MAX || o.rank < 0 || o.rank >= o.num_replicas) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_sampler_distributed: there is no rank %" PRId64 " of %" PRId64 " replicas",
                o.rank, o.num_replicas);
        return NULL;
    }
    int64_t length = n / o.num_replicas + (!o.drop_last && n % o.num_replicas);
    fa_sampler *s = sampler_new(k, length, n, o.seed);
    if (s) {
        s->first = o.rank;
        s->step = o.num_replicas;
    }
    return s;
}
