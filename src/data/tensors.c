/* Datasets over tensors, and subsets of datasets. */
#include "data/data.h"
#include <facula/device.h>
#include <facula/error.h>
#include <facula/ops/index.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <inttypes.h>

/* ---- tensors ---- */

typedef struct tensors {
    fa_object base;
    int64_t length;
    fa_tensor *item[FA__ITEMS];
} tensors;

static void tensors_destroy(void *object)
{
    tensors *t = object;
    for (int k = 0; k < FA__ITEMS; k++)
        fa__unhold(t->item[k]);
}

static const fa_object_type tensors_object = {"tensors", tensors_destroy};

static int64_t tensors_length(void *context)
{
    return ((const tensors *)context)->length;
}

/* Returns copies, so that the dataset cannot be modified through a batch; made on the dataset's device, regardless of
 * automatic placement. */
static bool tensors_batch(void *context, const int64_t *index, int64_t count, fa_sample *batch)
{
    const tensors *t = context;
    FA_USE(.placement = FA_PLACE_STRICT);
    fa_tensor *which = NULL;
    for (int k = 0; k < FA__ITEMS; k++) {
        if (!t->item[k])
            continue;
        fa_device device = fa_tensor_device(t->item[k]);
        if (!which || !fa_device_equal(fa_tensor_device(which), device))
            which = fa_tensor_from(index, FA_SHAPE(count), .dtype = FA_I64, .device = device);
        if (!(*fa__sample_item(batch, k) = fa_index_select(t->item[k], 0, which)))
            return false;
    }
    return true;
}

void fa__context_release(void *context)
{
    fa__unhold(context);
}

static bool lengths_are_good(fa_tensors list)
{
    if (!list.count || list.count > FA__ITEMS)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_data_tensors: 1 to %d tensors, not %zu", (int)FA__ITEMS, list.count);
    for (size_t k = 0; k < list.count; k++) {
        const fa_tensor *t = list.item[k];
        if (!t || fa_dim(t) < 1)
            return fa_fail(FA_ERROR_SHAPE, "fa_data_tensors: tensor %zu %s", k, t ? "has no dimension" : "is NULL");
        if (fa_size(t, 0) != fa_size(list.item[0], 0))
            return fa_fail(FA_ERROR_SHAPE, "fa_data_tensors: tensor %zu has %" PRId64 " samples, the first %" PRId64, k,
                           fa_size(t, 0), fa_size(list.item[0], 0));
    }
    return true;
}

fa_dataset *fa__data_tensors(fa_tensors list)
{
    static const fa_dataset_type type = {
        .name = "tensors", .length = tensors_length, .batch = tensors_batch, .release = fa__context_release};
    tensors *t = lengths_are_good(list) ? fa_object_new(&tensors_object, sizeof *t) : NULL;
    if (!t)
        return NULL;
    t->length = fa_size(list.item[0], 0);
    for (size_t k = 0; k < list.count; k++)
        t->item[k] = fa__hold(list.item[k]);
    return fa_dataset_new(&type, fa__hold(t));
}

/* ---- subsets ---- */

typedef struct subset {
    fa_object base;
    fa_dataset *whole;
    fa__numbers *index;
} subset;

static void subset_destroy(void *object)
{
    fa__unhold(((subset *)object)->whole);
    fa__unhold(((subset *)object)->index);
}

static const fa_object_type subset_object = {"subset", subset_destroy};

static int64_t subset_length(void *context)
{
    return ((const subset *)context)->index->count;
}

static bool subset_batch(void *context, const int64_t *index, int64_t count, fa_sample *batch)
{
    const subset *s = context;
    fa__numbers *there = fa__numbers_new(count);
    for (int64_t i = 0; there && i < count; i++)
        there->item[i] = s->index->item[index[i]];
    if (there)
        *batch = fa_dataset_batch(s->whole, there->item, count);
    return batch->input;
}

/* Checks sample numbers, of which there are n; a negative n means an error. */
static bool check_numbers(const int64_t *index, int64_t count, int64_t n)
{
    if (count < 0)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_data_subset: count is %" PRId64 ", which is less than 0", count);
    if (count && !index)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_data_subset: the numbers of the samples are NULL");
    if (n < 0 || fa_error_stands())
        return false;
    for (int64_t i = 0; i < count; i++)
        if (index[i] < 0 || index[i] >= n)
            return fa_fail(FA_ERROR_INDEX, "fa_data_subset: there is no sample %" PRId64 ", only 0 to %" PRId64,
                           index[i], n - 1);
    return true;
}

fa_dataset *fa_data_subset(fa_dataset *dataset, const int64_t *index, int64_t count)
{
    static const fa_dataset_type type = {
        .name = "subset", .length = subset_length, .batch = subset_batch, .release = fa__context_release};
    int64_t n = fa__dataset_by_number(dataset, "fa_data_subset") ? fa_dataset_length(dataset) : -1;
    if (!check_numbers(index, count, n))
        return NULL;
    subset *s = fa_object_new(&subset_object, sizeof *s);
    fa__numbers *copy = s ? fa__numbers_new(count) : NULL;
    if (!copy)
        return NULL;
    for (int64_t i = 0; i < count; i++)
        copy->item[i] = index[i];
    s->whole = fa__hold(dataset);
    s->index = fa__hold(copy);
    return fa__dataset_like(fa_dataset_new(&type, fa__hold(s)), dataset, true);
}
