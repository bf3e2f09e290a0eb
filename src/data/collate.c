/* Datasets whose batches are made from single samples by a function of the program, or by padding. */
#include "data/data.h"
#include <facula/dataset.h>
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/ops/shape.h>
#include <facula/tensor.h>
#include <inttypes.h>

typedef struct collated {
    fa_object base;
    fa_dataset *dataset;
    fa_collate_function *function; /* NULL: samples are padded */
    void *context;
    fa_data_padded_options pad;
} collated;

static void collated_destroy(void *object)
{
    fa__unhold(((collated *)object)->dataset);
}

typedef struct samples {
    fa_object base;
    fa_sample item[];
} samples;

static const fa_object_type collated_object = {"collated", collated_destroy}, samples_object = {"samples", NULL};

static int64_t collated_length(void *context)
{
    return fa_dataset_length(((const collated *)context)->dataset);
}

/* Single samples, in the innermost scope; NULL after an error. */
static fa_sample *read_rows(const collated *c, const int64_t *index, int64_t count)
{
    samples *s = fa_object_new(&samples_object, sizeof *s + (size_t)count * sizeof *s->item);
    for (int64_t i = 0; s && i < count; i++)
        if (!fa__dataset_row(c->dataset, index, i, &s->item[i], false))
            return NULL;
    return s ? s->item : NULL;
}

/* ---- padding ---- */

/* Lets a shape hold another one, too; false if they have other numbers of dimensions. */
static bool widen(fa_shape *whole, fa_shape one)
{
    for (int i = 0; i < one.rank && one.rank == whole->rank; i++)
        if (one.dim[i] > whole->dim[i])
            whole->dim[i] = one.dim[i];
    return one.rank == whole->rank;
}

/* The least shape that holds an item of all samples. False and an error that names the sample that does not fit. */
static bool shape_of(const int64_t *index, fa_sample *s, int64_t count, int item, fa_shape *shape)
{
    const fa_tensor *first = *fa__sample_item(&s[0], item);
    *shape = fa_tensor_shape(first);
    for (int64_t i = 1; i < count; i++) {
        const fa_tensor *t = *fa__sample_item(&s[i], item);
        if (!t || fa_tensor_dtype(t) != fa_tensor_dtype(first) || !widen(shape, fa_tensor_shape(t)))
            return fa_fail(FA_ERROR_SHAPE,
                           "fa_data_padded: sample %" PRId64 ": its tensor %d is %s of %d dimensions, and that of the "
                           "batch's first is %s of %d",
                           index[i], item, t ? fa_dtype_name(fa_tensor_dtype(t)) : "missing, not", t ? fa_dim(t) : 0,
                           fa_dtype_name(fa_tensor_dtype(first)), fa_dim(first));
    }
    return true;
}

/* Copies a tensor to the start of a row. */
static bool put(fa_tensor *whole, int64_t row, const fa_tensor *t)
{
    FA_SCOPE;
    fa_tensor *part = fa_select(whole, 0, row);
    for (int d = 0; part && d < fa_dim(t); d++)
        part = fa_narrow(part, d, 0, fa_size(t, d));
    return part && fa_copy_(part, t);
}

static fa_tensor *pad_item(const collated *c, const int64_t *index, fa_sample *s, int64_t count, int item)
{
    const fa_tensor *first = *fa__sample_item(&s[0], item);
    fa_shape one, many = {0};
    if (!shape_of(index, s, count, item, &one))
        return NULL;
    if (one.rank + 1 > FA_MAX_DIMS) {
        fa_fail(FA_ERROR_SHAPE, "fa_data_padded: a batch of samples of %d dimensions has too many", one.rank);
        return NULL;
    }
    many.rank = one.rank + 1;
    many.dim[0] = count;
    for (int i = 0; i < one.rank; i++)
        many.dim[i + 1] = one.dim[i];
    int64_t step = c->pad.multiple, over = one.rank ? one.dim[0] % step : 0;
    many.dim[1] += over ? step - over : 0;
    fa_tensor *whole = fa_full(many, item == 1 ? c->pad.target_value : c->pad.value, .dtype = fa_tensor_dtype(first),
                               .device = fa_tensor_device(first));
    for (int64_t i = 0; whole && i < count; i++)
        if (!put(whole, i, *fa__sample_item(&s[i], item)))
            return NULL;
    return whole;
}

/* The lengths of the inputs, in the first place that is free. */
static bool add_lengths(fa_sample *s, int64_t count, fa_sample *batch)
{
    int item = 2;
    while (item < FA__ITEMS && *fa__sample_item(batch, item))
        item++;
    if (item == FA__ITEMS)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_data_padded: samples of %d tensors have no place for the lengths",
                       (int)FA__ITEMS);
    fa__numbers *length = fa__numbers_new(count);
    for (int64_t i = 0; length && i < count; i++)
        length->item[i] = fa_dim(s[i].input) > 0 ? fa_size(s[i].input, 0) : 1;
    fa_tensor **to = fa__sample_item(batch, item);
    *to = length ? fa_tensor_from(length->item, FA_SHAPE(count), .dtype = FA_I64, .device = FA_CPU) : NULL;
    return *to;
}

static bool pad(const collated *c, const int64_t *index, fa_sample *s, int64_t count, fa_sample *batch)
{
    for (int k = 0; k < FA__ITEMS; k++)
        if (*fa__sample_item(&s[0], k) && !(*fa__sample_item(batch, k) = pad_item(c, index, s, count, k)))
            return false;
    return !c->pad.lengths || add_lengths(s, count, batch);
}

/* ---- the dataset ---- */

static bool collated_batch(void *context, const int64_t *index, int64_t count, fa_sample *batch)
{
    const collated *c = context;
    fa_sample *s = read_rows(c, index, count);
    if (!s)
        return false;
    return c->function ? c->function(c->context, s, count, batch) : pad(c, index, s, count, batch);
}

static fa_dataset *collated_new(const char *name, fa_dataset *dataset, collated like)
{
    const fa_dataset_type type = {
        .name = name, .length = collated_length, .batch = collated_batch, .release = fa__context_release};
    if (fa_dataset_length(dataset) < 0 || fa_error_stands())
        return NULL;
    FA_SCOPE;
    collated *c = fa_object_new(&collated_object, sizeof *c);
    if (!c)
        return NULL;
    c->dataset = fa__hold(dataset);
    c->function = like.function;
    c->context = like.context;
    c->pad = like.pad;
    fa_dataset *d = fa__dataset_like(fa_dataset_new(&type, fa__hold(c)), dataset, false);
    return d ? fa_escape(d) : NULL;
}

fa_dataset *fa_data_collated(fa_dataset *dataset, fa_collate_function *function, void *context)
{
    if (!function) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_data_collated: the function is NULL");
        return NULL;
    }
    return collated_new("collated", dataset, (collated){.function = function, .context = context});
}

fa_dataset *(fa_data_padded)(fa_dataset *dataset, const fa_data_padded_options *options)
{
    fa_data_padded_options o = FA__DEFAULT_fa_data_padded;
    fa__options_read(&o, o.size, options);
    if (o.multiple < 1) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_data_padded: .multiple is %" PRId64 ", and not 1 or more", o.multiple);
        return NULL;
    }
    return collated_new("padded", dataset, (collated){.pad = o});
}
