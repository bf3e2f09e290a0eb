/* Datasets made from others: joined, changed by a function, filtered, and kept in memory. */
#include "data/data.h"
#include "data/draw.h"
#include <facula/dataset.h>
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/ops/shape.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <pthread.h>

/* ---- concat ---- */

typedef struct concat {
    fa_object base;
    int64_t count;
    struct {
        fa_dataset *dataset;
        int64_t end; /* the number of samples up to here */
    } part[];
} concat;

static void concat_destroy(void *object)
{
    concat *c = object;
    for (int64_t i = 0; i < c->count; i++)
        fa__unhold(c->part[i].dataset);
}

static const fa_object_type concat_object = {"concat", concat_destroy};

static int64_t concat_length(void *context)
{
    const concat *c = context;
    return c->part[c->count - 1].end;
}

static int64_t part_of(const concat *c, int64_t index)
{
    int64_t low = 0, high = c->count - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (index < c->part[middle].end)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool concat_get(void *context, int64_t index, fa_sample *sample)
{
    const concat *c = context;
    int64_t p = part_of(c, index);
    *sample = fa_dataset_get(c->part[p].dataset, index - (p ? c->part[p - 1].end : 0));
    return sample->input;
}

static fa_dataset *concat_new(size_t count, fa_dataset *const *parts)
{
    static const fa_dataset_type type = {
        .name = "concat", .length = concat_length, .get = concat_get, .release = fa__context_release};
    concat *c = fa_object_new(&concat_object, sizeof *c + count * sizeof *c->part);
    int64_t end = 0;
    for (size_t i = 0; c && i < count; i++) {
        int64_t n = fa__dataset_by_number(parts[i], "fa_data_concat") ? fa_dataset_length(parts[i]) : -1;
        if (n < 0 || __builtin_add_overflow(end, n, &end))
            return n < 0 ? NULL : (fa_fail(FA_ERROR_ARGUMENT, "fa_data_concat: too many samples"), NULL);
        c->part[i].dataset = fa__hold(parts[i]);
        c->part[i].end = end;
        c->count++;
    }
    return c ? fa__dataset_like(fa_dataset_new(&type, fa__hold(c)), parts[0], true) : NULL;
}

fa_dataset *fa__data_concat(size_t count, fa_dataset *const *parts)
{
    if (!count) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_data_concat: there is no dataset");
        return NULL;
    }
    FA_SCOPE;
    fa_dataset *d = concat_new(count, parts);
    return d ? fa_escape(d) : NULL;
}

/* ---- map ---- */

typedef struct map {
    fa_object base;
    fa_dataset *dataset;
    fa_sample_function *function;
    void *context;
} map;

static void map_destroy(void *object)
{
    fa__unhold(((map *)object)->dataset);
}

static const fa_object_type map_object = {"map", map_destroy};

static int64_t map_length(void *context)
{
    return fa_dataset_length(((const map *)context)->dataset);
}

/* The function may change tensors in place: those that the dataset keeps, or that are parts of others, are copied. */
static bool map_get(void *context, int64_t index, fa_sample *sample)
{
    const map *m = context;
    *sample = fa_dataset_get(m->dataset, index);
    for (int k = 0; k < FA__ITEMS; k++) {
        fa_tensor **t = fa__sample_item(sample, k);
        *t = *t && fa__is_shared(*t) ? fa_clone(*t) : *t;
    }
    return sample->input && !fa_error_stands() && m->function(m->context, index, sample);
}

fa_dataset *fa_data_map(fa_dataset *dataset, fa_sample_function *function, void *context)
{
    static const fa_dataset_type type = {
        .name = "map", .length = map_length, .get = map_get, .release = fa__context_release};
    if (fa_dataset_length(dataset) < 0 || fa_error_stands())
        return NULL;
    if (!function) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_data_map: the function is NULL");
        return NULL;
    }
    map *m = fa_object_new(&map_object, sizeof *m);
    if (!m)
        return NULL;
    m->dataset = fa__hold(dataset);
    m->function = function;
    m->context = context;
    return fa__dataset_like(fa_dataset_new(&type, fa__hold(m)), dataset, true);
}

/* ---- filter ---- */

fa_dataset *fa_data_filter(fa_dataset *dataset, fa_sample_predicate *predicate, void *context)
{
    int64_t n = fa__dataset_by_number(dataset, "fa_data_filter") ? fa_dataset_length(dataset) : -1, count = 0;
    if (n >= 0 && !predicate) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_data_filter: the predicate is NULL");
        return NULL;
    }
    FA_SCOPE;
    fa__numbers *kept = n < 0 || fa_error_stands() ? NULL : fa__numbers_new(n);
    for (int64_t i = 0; kept && i < n; i++) {
        FA_SCOPE;
        fa_sample s = fa_dataset_get(dataset, i);
        if (s.input && predicate(context, i, &s))
            kept->item[count++] = i;
        if (fa_error_stands())
            return NULL;
    }
    return kept ? fa_escape(fa_data_subset(dataset, kept->item, count)) : NULL;
}

/* ---- cached ---- */

typedef struct cached {
    fa_object base;
    fa_dataset *dataset;
    pthread_mutex_t lock; /* guards the samples */
    int64_t count;
    fa_sample item[]; /* without an input: not read yet */
} cached;

static void cached_destroy(void *object)
{
    cached *c = object;
    for (int64_t i = 0; i < c->count; i++)
        for (int k = 0; k < FA__ITEMS; k++)
            fa__unhold(*fa__sample_item(&c->item[i], k));
    fa__unhold(c->dataset);
    pthread_mutex_destroy(&c->lock);
}

static const fa_object_type cached_object = {"cached", cached_destroy};

static int64_t cached_length(void *context)
{
    return ((const cached *)context)->count;
}

static bool find(cached *c, int64_t index, fa_sample *sample)
{
    pthread_mutex_lock(&c->lock);
    *sample = c->item[index];
    pthread_mutex_unlock(&c->lock);
    return sample->input;
}

/* Keeps a sample, unless another thread was faster. */
static void put(cached *c, int64_t index, fa_sample sample)
{
    pthread_mutex_lock(&c->lock);
    bool first = !c->item[index].input;
    for (int k = 0; first && k < FA__ITEMS; k++)
        if (*fa__sample_item(&sample, k))
            fa__hold(*fa__sample_item(&sample, k));
    if (first)
        c->item[index] = sample;
    pthread_mutex_unlock(&c->lock);
}

static bool cached_get(void *context, int64_t index, fa_sample *sample)
{
    cached *c = context;
    if (find(c, index, sample))
        return true;
    *sample = fa_dataset_get(c->dataset, index);
    if (sample->input)
        put(c, index, *sample);
    return sample->input;
}

fa_dataset *fa_data_cached(fa_dataset *dataset)
{
    static const fa_dataset_type type = {
        .name = "cached", .length = cached_length, .get = cached_get, .release = fa__context_release};
    int64_t n = fa__dataset_by_number(dataset, "fa_data_cached") ? fa_dataset_length(dataset) : -1;
    if (n < 0 || fa_error_stands())
        return NULL;
    if ((uint64_t)n > (SIZE_MAX / 2 - sizeof(cached)) / sizeof(fa_sample)) {
        fa_fail(FA_ERROR_MEMORY, "fa_data_cached: %" PRId64 " samples are too many", n);
        return NULL;
    }
    cached *c = fa_object_new(&cached_object, sizeof *c + (size_t)n * sizeof *c->item);
    if (!c)
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
    c->count = n;
    c->dataset = fa__hold(dataset);
    return fa__dataset_like(fa_dataset_new(&type, fa__hold(c)), dataset, true);
}
