/* Datasets derived from others: transformed, or split into two parts. */
#include "data/data.h"
#include <facula/error.h>
#include <facula/nn.h>
#include <math.h>

/* ---- transformed ---- */

typedef struct transformed {
    fa_object base;
    fa_dataset *dataset;
    fa_module *transform;
} transformed;

static void transformed_destroy(void *object)
{
    fa_release(((transformed *)object)->dataset);
    fa_release(((transformed *)object)->transform);
}

static const fa_object_type transformed_object = {"transformed", transformed_destroy};

static int64_t transformed_length(void *context)
{
    return fa_dataset_length(((const transformed *)context)->dataset);
}

static bool transformed_batch(void *context, const int64_t *index, int64_t count, fa_sample *batch)
{
    const transformed *t = context;
    *batch = fa_dataset_batch(t->dataset, index, count);
    return batch->input && (batch->input = fa_forward(t->transform, batch->input));
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
    t->dataset = fa_keep(dataset);
    t->transform = fa_keep(transform);
    return fa_dataset_new(&type, fa_keep(t));
}

/* ---- split ---- */

fa_datasets(fa_data_split)(fa_dataset *dataset, double fraction, const fa_data_split_options *options)
{
    fa_datasets none = {0}, parts;
    fa_data_split_options o = FA__DEFAULT_fa_data_split;
    fa__options_read(&o, o.size, options);
    int64_t n = fa_dataset_length(dataset);
    if (!(fraction >= 0 && fraction <= 1))
        fa_fail(FA_ERROR_ARGUMENT, "fa_data_split: the fraction is 0 to 1, not %g", fraction);
    if (n < 0 || fa_error_stands())
        return none;
    FA_SCOPE;
    fa__numbers *order = fa__numbers_new(n);
    if (!order)
        return none;
    for (int64_t i = 0; i < n; i++)
        order->item[i] = i;
    if (o.seed >= 0)
        fa__shuffle(order->item, n, (uint64_t)o.seed, 0);
    int64_t first = llround(fraction * (double)n);
    parts.first = fa_data_subset(dataset, order->item, first);
    parts.second = fa_data_subset(dataset, order->item + first, n - first);
    if (!parts.first || !parts.second)
        return none;
    fa_escape(parts.first);
    fa_escape(parts.second);
    return parts;
}
