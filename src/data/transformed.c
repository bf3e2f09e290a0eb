/* Datasets whose inputs are transformed by a module: batch by batch, or, where the dataset has images of different
 * sizes, one by one. */
#include "data/data.h"
#include "data/draw.h"
#include "data/transform.h"
#include <facula/error.h>
#include <facula/nn.h>
#include <facula/ops/create.h>
#include <facula/ops/shape.h>
#include <facula/tensor.h>
#include <time.h>

_Thread_local int64_t fa__transform_time;

int64_t fa__data_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

typedef struct transformed {
    fa_object base;
    fa_dataset *dataset;
    fa_module *transform;
} transformed;

static void transformed_destroy(void *object)
{
    fa__unhold(((transformed *)object)->dataset);
    fa__unhold(((transformed *)object)->transform);
}

static const fa_object_type transformed_object = {"transformed", transformed_destroy};

static int64_t transformed_length(void *context)
{
    return fa_dataset_length(((const transformed *)context)->dataset);
}

/* Applies the transform to the samples in rows of the batch from `row` on, with their random numbers if a loader makes
 * it. */
static fa_tensor *apply(const transformed *t, const int64_t *index, int64_t row, int64_t count, fa_tensor *x)
{
    FA_SCOPE;
    int64_t began = fa__data_clock();
    fa__rows rows = {.count = count}, *outer = fa__rows_now;
    fa__numbers *key = x && fa__making_now ? fa__numbers_new(count) : NULL;
    for (int64_t i = 0; key && i < count; i++)
        key->item[i] = (int64_t)fa__sample_key(index[row + i], row + i);
    rows.key = key ? (const uint64_t *)key->item : NULL;
    if (!x || fa_error_stands())
        return NULL;
    fa__rows_now = key ? &rows : NULL;
    x = fa__transform_apply(t->transform, x);
    fa__rows_now = outer;
    fa__transform_time += fa__data_clock() - began;
    return x ? fa_escape(x) : NULL;
}

/* ---- one by one ---- */

typedef struct samples {
    fa_object base;
    fa_sample item[];
} samples;

static const fa_object_type samples_object = {"samples", NULL};

static bool same_shapes(const fa_sample *s, int64_t count)
{
    fa_shape first = fa_tensor_shape(s[0].input);
    for (int64_t i = 1; i < count; i++) {
        fa_shape other = fa_tensor_shape(s[i].input);
        bool same = first.rank == other.rank;
        for (int k = 0; same && k < first.rank; k++)
            same = first.dim[k] == other.dim[k];
        if (!same)
            return false;
    }
    return true;
}

static void change_depth(int by)
{
    if (fa__making_now)
        fa__making_now->depth += (uint64_t)by;
}

static bool read_rows(const transformed *t, const int64_t *index, int64_t count, fa_sample *to)
{
    bool good = true;
    change_depth(1);
    for (int64_t i = 0; good && i < count; i++)
        good = fa__dataset_row(t->dataset, index, i, &to[i], true);
    change_depth(-1);
    return good;
}

/* Reads samples one by one; transforms them together if they have the same shape, else one by one. */
static bool transform_singles(const transformed *t, const int64_t *index, int64_t count, fa_sample *batch)
{
    samples *s = fa_object_new(&samples_object, sizeof *s + (size_t)count * sizeof *s->item);
    if (!s)
        return false;
    if (!read_rows(t, index, count, s->item))
        return false;
    bool together = same_shapes(s->item, count);
    for (int64_t i = 0; !together && i < count; i++) {
        fa_tensor *y = apply(t, index, i, 1, fa_contiguous(fa_unsqueeze(s->item[i].input, 0)));
        if (!y || fa_dim(y) < 1 || fa_size(y, 0) != 1)
            return y && fa_fail(FA_ERROR_SHAPE, "the transform made no batch of 1 of a batch of 1");
        s->item[i].input = fa_select(y, 0, 0);
    }
    if (!fa__samples_stack(t->dataset, index, s->item, count, batch))
        return false;
    if (together)
        batch->input = apply(t, index, 0, count, batch->input);
    return batch->input;
}

static bool transformed_batch(void *context, const int64_t *index, int64_t count, fa_sample *batch)
{
    const transformed *t = context;
    if (fa__dataset_singles(t->dataset))
        return transform_singles(t, index, count, batch);
    change_depth(1);
    *batch = fa_dataset_batch(t->dataset, index, count);
    change_depth(-1);
    batch->input = apply(t, index, 0, count, batch->input);
    return batch->input;
}

fa_dataset *fa_data_transformed(fa_dataset *dataset, fa_module *transform)
{
    static const fa_dataset_type type = {.name = "transformed",
                                         .length = transformed_length,
                                         .batch = transformed_batch,
                                         .release = fa__context_release};
    if (fa_dataset_length(dataset) < 0 || fa_error_stands())
        return NULL;
    if (!transform)
        return dataset;
    transformed *t = fa_object_new(&transformed_object, sizeof *t);
    if (!t)
        return NULL;
    t->dataset = fa__hold(dataset);
    t->transform = fa__hold(transform);
    return fa__dataset_like(fa_dataset_new(&type, fa__hold(t)), dataset, false);
}
