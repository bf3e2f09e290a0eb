/* Loaders and FA_EACH: an epoch is an order of samples, an iteration is a memory scope with a batch. */
#include "data/data.h"
#include <facula/device.h>
#include <facula/error.h>
#include <facula/host.h>
#include <facula/ops/create.h>
#include <facula/tensor.h>
#include <inttypes.h>

struct fa_loader {
    fa_object base;
    fa_dataset *dataset;
    fa_data_loader_options options;
    int64_t epoch, first;     /* the next epoch, and its first batch */
    fa_loader_place position; /* after the last batch that was returned */
};

/* One pass over the samples; nested loops over one loader each have their own. */
typedef struct fa__epoch {
    fa_object base;
    fa_loader *loader;
    fa__numbers *order; /* NULL: the order of the dataset */
    const char *where;
    uintptr_t function; /* FA__FUNCTION of the loop */
    int64_t number, samples, turn, turns;
} fa__epoch;

static void loader_destroy(void *object)
{
    fa_release(((fa_loader *)object)->dataset);
}

static void epoch_destroy(void *object)
{
    fa_release(((fa__epoch *)object)->loader);
    fa_release(((fa__epoch *)object)->order);
}

static const fa_object_type loader_type = {"loader", loader_destroy}, epoch_type = {"epoch", epoch_destroy};

static bool loader_check(const fa_loader *l, const char *who)
{
    if (fa_object_is(l, &loader_type))
        return true;
    return fa_fail(FA_ERROR_ARGUMENT, "%s: the loader is %s", who, l ? "none, or was freed" : "NULL");
}

/* Draws a seed from the default generator; false and an error if that failed. */
static bool draw_seed(uint64_t *seed)
{
    FA_SCOPE;
    double drawn = fa_item(fa_rand(FA_SCALAR, .dtype = FA_F64, .device = FA_CPU));
    if (!(drawn >= 0 && drawn < 1)) /* NaN */
        return false;
    *seed = (uint64_t)(drawn * 0x1p53);
    return true;
}

/* Checks that the device is available; the error lists the available ones. */
static bool device_is_there(fa_device device)
{
    fa_device_properties properties;
    fa_error caught = {0};
    if (device.kind == FA__DEFAULT_DEVICE)
        return true;
    {
        FA_USE(.catch_errors = &caught);
        fa_device_info(device, &properties);
    }
    return !caught.code || fa_fail(caught.code, "fa_data_loader: %s", caught.message);
}

fa_loader *(fa_data_loader)(fa_dataset *dataset, const fa_data_loader_options *options)
{
    fa_data_loader_options o = FA__DEFAULT_fa_data_loader;
    fa__options_read(&o, o.size, options);
    if (o.batch_size < 1 || o.seed < -1) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_data_loader: %s is %" PRId64 ", which is less than %d",
                o.seed < -1 ? ".seed" : ".batch_size", o.seed < -1 ? o.seed : o.batch_size, o.seed < -1 ? -1 : 1);
        return NULL;
    }
    if (!dataset) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_data_loader: the dataset is NULL");
        return NULL;
    }
    if (fa_dataset_length(dataset) < 0 || !device_is_there(o.device))
        return NULL;
    uint64_t seed = o.seed >= 0 ? (uint64_t)o.seed : 0;
    if (o.seed < 0 && o.shuffle && !draw_seed(&seed))
        return NULL;
    fa_loader *l = fa_object_new(&loader_type, sizeof *l);
    if (!l)
        return NULL;
    l->dataset = fa_keep(dataset);
    l->options = o;
    l->position.seed = seed;
    return l;
}

int64_t fa_loader_length(const fa_loader *loader)
{
    int64_t n = loader_check(loader, "fa_loader_length") ? fa_dataset_length(loader->dataset) : -1;
    if (n < 0)
        return -1;
    int64_t size = loader->options.batch_size;
    return n / size + (!loader->options.drop_last && n % size);
}

fa_dataset *fa_loader_dataset(const fa_loader *loader)
{
    return loader_check(loader, "fa_loader_dataset") ? loader->dataset : NULL;
}

fa_loader_place fa_loader_position(const fa_loader *loader)
{
    return loader_check(loader, "fa_loader_position") ? loader->position : (fa_loader_place){0};
}

bool fa_loader_seek(fa_loader *loader, fa_loader_place position)
{
    int64_t n = loader_check(loader, "fa_loader_seek") ? fa_loader_length(loader) : -1;
    if (n < 0)
        return false;
    if (position.epoch < 0 || position.batch < 0 || (position.batch && position.batch >= n))
        return fa_fail(FA_ERROR_INDEX,
                       "fa_loader_seek: there is no epoch %" PRId64 ", batch %" PRId64 " of a loader of %" PRId64
                       " batches",
                       position.epoch, position.batch, n);
    loader->position = position;
    loader->epoch = position.epoch;
    loader->first = position.batch;
    return true;
}

/* ---- FA_EACH ---- */

/* The numbers 0 to n - 1 in the order of the next epoch; NULL and an error if memory runs out. */
static fa__numbers *shuffled(const fa_loader *l, int64_t n)
{
    fa__numbers *order = fa__numbers_new(n);
    for (int64_t i = 0; order && i < n; i++)
        order->item[i] = i;
    if (order)
        fa__shuffle(order->item, n, l->position.seed, (uint64_t)l->epoch);
    return order;
}

static void position_is(const fa__epoch *e)
{
    bool over = e->turn >= e->turns;
    e->loader->position.epoch = e->number + over;
    e->loader->position.batch = over ? 0 : e->turn;
}

/* An epoch that the caller owns. */
static fa__epoch *epoch_new(fa_loader *l, const char *where, uintptr_t function)
{
    FA_SCOPE;
    int64_t n = loader_check(l, "FA_EACH") ? fa_dataset_length(l->dataset) : -1;
    fa__epoch *e = n < 0 ? NULL : fa_object_new(&epoch_type, sizeof *e);
    if (!e)
        return NULL;
    if (l->options.shuffle) {
        fa__numbers *order = shuffled(l, n);
        if (!order)
            return NULL;
        e->order = fa_keep(order);
    }
    e->loader = fa_keep(l);
    e->samples = n;
    e->turns = fa_loader_length(l);
    e->where = where;
    e->function = function;
    e->number = l->epoch++;
    e->turn = l->first;
    l->first = 0;
    position_is(e);
    return fa_keep(e);
}

fa_batch fa__each_open(fa_loader *loader, const char *where, uintptr_t function)
{
    return (fa_batch){.index = -1, .fa__epoch = epoch_new(loader, where, function)};
}

/* The sample numbers of a batch; for an unshuffled loader they belong to the scope of the iteration. NULL and an
 * error if memory runs out. */
static const int64_t *numbers_of(const fa__epoch *e, int64_t start, int64_t size)
{
    if (e->order)
        return e->order->item + start;
    fa__numbers *n = fa__numbers_new(size);
    for (int64_t i = 0; n && i < size; i++)
        n->item[i] = start + i;
    return n ? n->item : NULL;
}

/* Fills a batch from the dataset, on the loader's device. */
static bool load(fa_batch *batch, const fa__epoch *e)
{
    const fa_data_loader_options *o = &e->loader->options;
    int64_t start = e->turn * o->batch_size, left = e->samples - start;
    int64_t size = left < o->batch_size ? left : o->batch_size;
    const int64_t *which = numbers_of(e, start, size);
    if (!which)
        return false;
    fa_sample s = fa_dataset_batch(e->loader->dataset, which, size);
    for (int k = 0; k < FA__ITEMS && o->device.kind != FA__DEFAULT_DEVICE; k++) {
        fa_tensor **t = fa__sample_item(&s, k);
        if (*t && !(*t = fa_to(*t, o->device)))
            return false;
    }
    batch->input = s.input;
    batch->target = s.target;
    for (int k = 0; k < FA_MAX_EXTRA; k++)
        batch->extra[k] = s.extra[k];
    batch->index = e->turn;
    batch->size = size;
    batch->samples = which;
    return s.input;
}

bool fa__each_next(fa_batch *batch)
{
    fa__epoch *e = batch->fa__epoch;
    const char *outer FA__CLEANUP(fa__line_leave) = fa__line_enter(e ? e->where : NULL);
    fa__scope_close(&batch->fa__turn);
    if (!e || e->turn >= e->turns || fa_error_stands() || fa_stopped())
        return false;
    batch->fa__turn = fa__scope_open(e->where, e->function);
    if (!load(batch, e))
        return false;
    e->turn++;
    position_is(e);
    return true;
}

void fa__each_close(fa_batch *batch)
{
    fa__scope_close(&batch->fa__turn);
    fa_release(batch->fa__epoch);
    batch->fa__epoch = NULL;
}
