/* Datasets: getting samples, and stacking single samples to batches. */
#include "data/data.h"
#include "data/draw.h"
#include <facula/dataset.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/host.h>
#include <facula/ops/create.h>
#include <facula/ops/shape.h>
#include <facula/random.h>
#include <facula/tensor.h>
#include <inttypes.h>

struct fa_dataset {
    fa_object base;
    fa_dataset_type type;
    void *context;
    bool singles;      /* samples come one by one, here or in the dataset that this one is made from */
    fa__names *names;  /* of the classes; NULL: not known */
    fa_object *about;  /* describes the dataset; NULL: nothing does */
    fa_object *stream; /* that the samples come from, here or in the dataset that this one is made from; or NULL */
};

static void dataset_destroy(void *object)
{
    fa_dataset *d = object;
    if (d->type.release)
        d->type.release(d->context);
    fa__unhold(d->names);
    fa__unhold(d->about);
    fa__unhold(d->stream);
}

static const fa_object_type dataset_type = {"dataset", dataset_destroy};

bool fa__dataset_check(const fa_dataset *d, const char *who)
{
    return fa__object_check(d, &dataset_type, who);
}

fa_dataset *fa_dataset_new(const fa_dataset_type *type, void *context)
{
    fa_dataset *d = NULL;
    if (!type || !type->name || !type->length || (!type->get && !type->batch))
        fa_fail(FA_ERROR_ARGUMENT, "fa_dataset_new: a dataset has a name, a length, and get or batch");
    else if (!fa_error_stands())
        d = fa_object_new(&dataset_type, sizeof *d);
    if (!d) {
        if (type && type->release)
            type->release(context);
        return NULL;
    }
    d->type = *type;
    d->context = context;
    d->singles = !type->batch;
    return d;
}

int64_t fa_dataset_length(const fa_dataset *dataset)
{
    if (!fa__dataset_check(dataset, "fa_dataset_length"))
        return -1;
    int64_t n = dataset->type.length(dataset->context);
    if (n < 0)
        fa_fail(FA_ERROR_USER, "dataset %s: its length is %" PRId64, dataset->type.name, n);
    return n < 0 ? -1 : n;
}

/* ---- single samples ---- */

static void sample_release(fa_sample *s)
{
    for (int k = 0; k < FA__ITEMS; k++)
        fa__unhold(*fa__sample_item(s, k));
    *s = (fa_sample){0};
}

/* Gives the references of a sample to the innermost scope. */
static fa_sample hand_out(fa_sample sample)
{
    for (int k = 0; k < FA__ITEMS; k++) {
        fa_tensor **t = fa__sample_item(&sample, k);
        *t = *t ? fa__own_held(*t) : NULL;
    }
    return sample;
}

static _Thread_local bool copied_soon;

bool fa__sample_is_copied(void)
{
    return copied_soon;
}

static bool call_get(fa_dataset *d, int64_t index, fa_sample *sample, bool copied)
{
    bool outer = copied_soon;
    copied_soon = copied;
    bool good = d->type.get ? d->type.get(d->context, index, sample)
                            : d->type.batch && d->type.batch(d->context, &index, 1, sample);
    copied_soon = outer;
    return good;
}

/* Gets one sample from the dataset's `get`. The caller has to release the references to its tensors; `copied`: after
 * copying them to a batch. */
static bool get_one(fa_dataset *d, int64_t index, fa_sample *sample, bool copied)
{
    fa_error caught = {0};
    bool good = false;
    FA_SCOPE;
    *sample = (fa_sample){0};
    {
        FA_USE(.no_grad = true, .catch_errors = &caught);
        good = call_get(d, index, sample, copied);
    }
    const char *why = caught.code ? caught.message : good ? "it has no input" : "get failed, and raised no error";
    if (caught.code || !good || !sample->input) {
        *sample = (fa_sample){0};
        return fa_fail(caught.code ? caught.code : FA_ERROR_USER, "dataset %s, sample %" PRId64 ": %s", d->type.name,
                       index, why);
    }
    for (int k = 0; k < FA__ITEMS; k++) {
        fa_tensor **t = fa__sample_item(sample, k);
        *t = fa__hold(*t && !d->type.get ? fa_select(*t, 0, 0) : *t);
    }
    return true;
}

static const char *item_name(int item)
{
    static const char *const names[FA__ITEMS] = {"input",    "target",   "extra[0]", "extra[1]",
                                                 "extra[2]", "extra[3]", "extra[4]", "extra[5]"};
    return names[item];
}

enum { ROOM = 300 }; /* of a tensor's description */

static const char *describe(char text[static ROOM], const fa_tensor *t)
{
    snprintf(text, ROOM, "%s %s on %s", fa_dtype_name(fa_tensor_dtype(t)), fa__shape_write(fa_tensor_shape(t)).text,
             fa_device_name(fa_tensor_device(t)));
    return text;
}

/* Checks that a tensor of another sample can be stacked with that of the first one. */
static bool fits(const fa_dataset *d, int64_t index, int item, const fa_tensor *row, const fa_tensor *t)
{
    char first[ROOM], other[ROOM];
    bool alike = row && t && fa_tensor_dtype(row) == fa_tensor_dtype(t) && fa_dim(row) == fa_dim(t)
                 && fa_device_equal(fa_tensor_device(row), fa_tensor_device(t)),
         good = alike;
    for (int i = 0; good && i < fa_dim(t); i++)
        good = fa_size(row, i) == fa_size(t, i);
    return good
           || fa_fail(FA_ERROR_SHAPE, "dataset %s, sample %" PRId64 ": its %s is %s, that of the batch's first is %s%s",
                      d->type.name, index, item_name(item), t ? describe(other, t) : "not there",
                      row ? describe(first, row) : "not there",
                      alike ? "; fa_data_padded() pads samples to one size" : "");
}

static fa_tensor *room_for(const fa_tensor *t, int64_t count)
{
    fa_shape one = fa_tensor_shape(t), many = {.rank = one.rank + 1, .dim = {count}};
    for (int i = 0; i < one.rank && i + 1 < FA_MAX_DIMS; i++)
        many.dim[i + 1] = one.dim[i];
    return fa_empty(many, .dtype = fa_tensor_dtype(t), .device = fa_tensor_device(t));
}

/* Copies a sample to its row of the batch, which the first sample creates. */
static bool put_row(const fa_dataset *d, int64_t index, fa_sample *batch, fa_sample *sample, int64_t row, int64_t count)
{
    for (int k = 0; k < FA__ITEMS; k++) {
        FA_SCOPE;
        fa_tensor **whole = fa__sample_item(batch, k), *t = *fa__sample_item(sample, k);
        if (t && row == 0 && !(*whole = fa__hold(room_for(t, count))))
            return false;
        if (!t && !*whole)
            continue;
        fa_tensor *part = *whole ? fa_select(*whole, 0, row) : NULL;
        if (!fits(d, index, k, part, t) || !fa_copy_(part, t))
            return false;
    }
    return true;
}

/* Gets the sample in a row of a batch. In a loader, its random numbers are its own: they do not depend on the others in
 * the batch. */
static bool get_row(fa_dataset *d, const int64_t *index, int64_t row, fa_sample *sample, bool copied)
{
    fa__making *whole = fa__making_now, one;
    fa_generator *g = whole ? fa__generator_used() : NULL;
    if (!g)
        return get_one(d, index[row], sample, copied);
    fa_generator_state before = fa_generator_get(g);
    one = *whole;
    one.position += row < whole->count ? row : 0;
    one.count = row < whole->count;
    fa_generator_set(g, (fa_generator_state){.seed = fa__sample_key(index[row], row)});
    fa__making_now = &one;
    bool good = get_one(d, index[row], sample, copied);
    fa__making_now = whole;
    if (!good && row < whole->count)
        whole->failed = whole->position[row];
    return fa_generator_set(g, before) && good;
}

bool fa__dataset_row(fa_dataset *d, const int64_t *index, int64_t row, fa_sample *sample, bool copied)
{
    if (!get_row(d, index, row, sample, copied))
        return false;
    *sample = hand_out(*sample);
    return true;
}

bool fa__samples_stack(const fa_dataset *d, const int64_t *index, fa_sample *sample, int64_t count, fa_sample *batch)
{
    FA_USE(.no_grad = true);
    *batch = (fa_sample){0};
    for (int64_t i = 0; i < count; i++)
        if (!put_row(d, index[i], batch, &sample[i], i, count)) {
            sample_release(batch);
            return false;
        }
    *batch = hand_out(*batch);
    return true;
}

/* A batch made of single samples; the caller owns the references. */
static bool stack(fa_dataset *d, const int64_t *index, int64_t count, fa_sample *batch)
{
    FA_USE(.no_grad = true);
    *batch = (fa_sample){0};
    bool good = true;
    for (int64_t i = 0; good && i < count; i++) {
        fa_sample sample;
        good = get_row(d, index, i, &sample, true) && put_row(d, index[i], batch, &sample, i, count);
        sample_release(&sample);
    }
    if (!good)
        sample_release(batch);
    return good;
}

/* ---- batches ---- */

/* Gets a batch from the dataset's `batch`. The caller has to release the references to its tensors. */
static bool get_many(fa_dataset *d, const int64_t *index, int64_t count, fa_sample *batch)
{
    fa_error caught = {0};
    bool good;
    FA_SCOPE;
    *batch = (fa_sample){0};
    {
        FA_USE(.no_grad = true, .catch_errors = &caught);
        good = d->type.batch(d->context, index, count, batch);
    }
    for (int k = 0; good && !caught.code && k < FA__ITEMS; k++) {
        char text[ROOM];
        const fa_tensor *t = *fa__sample_item(batch, k);
        if (!t && k == 0)
            good =
                fa_fail(FA_ERROR_SHAPE, "dataset %s: a batch of %" PRId64 " samples has no input", d->type.name, count);
        else if (t && (fa_dim(t) < 1 || fa_size(t, 0) != count))
            good = fa_fail(FA_ERROR_SHAPE,
                           "dataset %s: the %s of a batch of %" PRId64 " samples is %s: its first size is their number",
                           d->type.name, item_name(k), count, describe(text, t));
    }
    if (caught.code || !good) {
        *batch = (fa_sample){0};
        return fa_fail(caught.code ? caught.code : FA_ERROR_USER,
                       "dataset %s, %" PRId64 " samples from number %" PRId64 " on: %s", d->type.name, count, index[0],
                       caught.code ? caught.message : "batch failed, and raised no error");
    }
    for (int k = 0; k < FA__ITEMS; k++)
        fa__hold(*fa__sample_item(batch, k));
    return true;
}

static bool indices_are_good(const fa_dataset *d, const int64_t *index, int64_t count, const char *who)
{
    int64_t n = fa__dataset_check(d, who) ? fa_dataset_length(d) : -1;
    if (n < 0 || fa_error_stands())
        return false;
    if (!index || count < 1)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: a batch has one sample or more", who);
    for (int64_t i = 0; i < count; i++)
        if (index[i] < 0 || index[i] >= n)
            return fa_fail(FA_ERROR_INDEX, "%s: the dataset %s has no sample %" PRId64 ", only 0 to %" PRId64, who,
                           d->type.name, index[i], n - 1);
    return true;
}

fa_sample fa_dataset_get(fa_dataset *dataset, int64_t index)
{
    fa_sample sample = {0};
    if (!indices_are_good(dataset, &index, 1, "fa_dataset_get") || !get_one(dataset, index, &sample, false))
        return (fa_sample){0};
    return hand_out(sample);
}

fa_sample fa_dataset_batch(fa_dataset *dataset, const int64_t *index, int64_t count)
{
    fa_sample batch = {0};
    if (!indices_are_good(dataset, index, count, "fa_dataset_batch"))
        return batch;
    bool good = dataset->type.batch ? get_many(dataset, index, count, &batch) : stack(dataset, index, count, &batch);
    return good ? hand_out(batch) : (fa_sample){0};
}

/* ---- what datasets know of others ---- */

fa_dataset *fa__dataset_like(fa_dataset *fresh, const fa_dataset *other, bool same)
{
    if (!fresh)
        return NULL;
    fresh->names = other->names ? fa__hold(other->names) : NULL;
    fresh->about = other->about ? fa__hold(other->about) : NULL;
    fresh->stream = other->stream ? fa__hold(other->stream) : NULL;
    fresh->singles |= same && other->singles;
    return fresh;
}

fa_object *fa__dataset_stream(const fa_dataset *dataset)
{
    return dataset->stream;
}

fa_dataset *fa__dataset_set_stream(fa_dataset *dataset, fa_object *stream)
{
    dataset->stream = fa__hold(stream);
    return dataset;
}

bool fa__dataset_by_number(const fa_dataset *dataset, const char *who)
{
    return fa__dataset_check(dataset, who)
           && (!dataset->stream
               || fa_fail(FA_ERROR_ARGUMENT, "%s: the samples of a stream have no numbers: they come in their order",
                          who));
}

bool fa__dataset_singles(const fa_dataset *dataset)
{
    return dataset->singles;
}

fa_dataset *fa__dataset_named(fa_dataset *dataset, fa__names *names)
{
    if (!dataset || !names)
        return NULL;
    dataset->names = fa__hold(names);
    return dataset;
}

fa_dataset *fa__dataset_set_about(fa_dataset *dataset, fa_object *about)
{
    if (!dataset || !about)
        return NULL;
    dataset->about = fa__hold(about);
    return dataset;
}

fa_object *fa__dataset_about(const fa_dataset *dataset)
{
    return dataset->about;
}

int64_t fa_dataset_classes(const fa_dataset *dataset)
{
    if (!fa__dataset_check(dataset, "fa_dataset_classes"))
        return -1;
    return dataset->names ? dataset->names->count : 0;
}

const char *fa_dataset_class_name(const fa_dataset *dataset, int64_t index)
{
    int64_t n = fa_dataset_classes(dataset);
    if (n >= 0 && index >= 0 && index < n)
        return dataset->names->item[index];
    if (n >= 0)
        fa_fail(FA_ERROR_INDEX,
                "fa_dataset_class_name: the dataset %s knows %" PRId64 " classes, and no number %" PRId64,
                dataset->type.name, n, index);
    return NULL;
}
