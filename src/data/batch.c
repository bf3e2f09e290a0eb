/* Making the batch at a position: its samples, their random numbers, and its copy to the loader's device. It depends on
 * the position alone, and not on the thread. */
#include "data/batch.h"
#include "data/draw.h"
#include <facula/error.h>
#include <facula/random.h>
#include <facula/tensor.h>

fa_loader_place fa__place_after(const fa__batch_plan *plan, fa_loader_place at, bool last)
{
    if (++at.batch >= plan->batches || last)
        at = (fa_loader_place){at.seed, at.epoch + 1, 0};
    return at;
}

static fa__numbers *numbers_of(const fa__batch_plan *plan, const fa__order *order, int64_t batch)
{
    int64_t start = batch * plan->options.batch_size, left = plan->samples - start;
    fa__numbers *which = fa__numbers_new(left < plan->options.batch_size ? left : plan->options.batch_size);
    for (int64_t i = 0; which && i < which->count; i++)
        which->item[i] = fa__order_at(order, start + i);
    return which;
}

static fa__numbers *numbers_pulled(const fa__pulled *pulled)
{
    fa__numbers *which = fa__numbers_new(pulled->count);
    for (int64_t i = 0; which && i < which->count; i++)
        which->item[i] = pulled->first + i;
    return which;
}

fa__pulled *fa__batch_pull(const fa__batch_plan *plan, fa__stream_pass *pass, fa_loader_place at)
{
    int64_t size = plan->options.batch_size, began = fa__data_clock();
    fa__pulled *pulled = fa__pass_pull(pass, at, at.batch * size, size, plan->options.drop_last);
    atomic_fetch_add_explicit(&plan->times->reading, fa__data_clock() - began, memory_order_relaxed);
    return pulled;
}

/* Leaves the sample that failed out of the batch; false if this error was no single sample's. */
static bool leave_out(fa__numbers *which, fa__numbers *position, fa__making *making, const fa_error *error)
{
    int64_t kept = 0;
    if (making->failed < 0 || error->code == FA_ERROR_MEMORY)
        return false;
    for (int64_t i = 0; i < which->count; i++)
        if (position->item[i] != making->failed) {
            which->item[kept] = which->item[i];
            position->item[kept++] = position->item[i];
        }
    which->count = making->count = kept;
    making->failed = -1;
    return true;
}

/* The samples from the dataset. With .skip_bad_samples, those that fail are removed from `which`, and the others are
 * read again; no input, and no error, if none is left. */
static fa_sample read_good(const fa__batch_plan *plan, fa__numbers *which, fa__numbers *position, fa__making *making)
{
    if (!plan->options.skip_bad_samples)
        return fa_dataset_batch(plan->dataset, which->item, which->count);
    while (which->count > 0) {
        fa_error caught = {0};
        fa_sample sample;
        {
            FA_USE(.catch_errors = &caught);
            sample = fa_dataset_batch(plan->dataset, which->item, which->count);
        }
        if (!caught.code)
            return sample;
        if (!leave_out(which, position, making, &caught)) {
            fa__error_hand_over(&caught);
            break;
        }
    }
    return (fa_sample){0};
}

/* The samples, while fa__making_now describes the batch. NULL after an error. */
static fa_sample read_making(const fa__batch_plan *plan, fa__numbers *which, const fa__pulled *pulled,
                             fa_loader_place at)
{
    FA_SCOPE;
    fa__numbers *position = fa__numbers_new(which->count);
    for (int64_t i = 0; position && i < which->count; i++)
        position->item[i] = at.batch * plan->options.batch_size + i;
    if (!position)
        return (fa_sample){0};
    fa__making making = {.seed = at.seed,
                         .epoch = (uint64_t)at.epoch,
                         .position = position->item,
                         .count = which->count,
                         .repeats = fa__sampler_repeats(plan->sampler),
                         .failed = -1,
                         .pulled = pulled};
    fa__making *outer = fa__making_now;
    fa__making_now = &making;
    fa_sample sample = read_good(plan, which, position, &making);
    fa__making_now = outer;
    for (int k = 0; k < FA__ITEMS; k++)
        if (*fa__sample_item(&sample, k))
            fa_escape(*fa__sample_item(&sample, k));
    return sample;
}

/* The samples from the dataset, with random numbers of the batch's own. */
static fa_sample read(const fa__batch_plan *plan, fa__numbers *which, const fa__pulled *pulled, fa_loader_place at)
{
    fa_generator *before = fa__hold(fa__generator_used());
    fa_generator *own = fa_generator_new(fa__seed_of(at.seed, (uint64_t)at.epoch, (uint64_t)at.batch));
    int64_t began = fa__data_clock(), transformed = fa__transform_time;
    fa_sample sample = {0};
    if (own) {
        fa_generator_use(own);
        sample = read_making(plan, which, pulled, at);
        fa_generator_use(before);
    }
    fa__unhold(before);
    transformed = fa__transform_time - transformed;
    atomic_fetch_add_explicit(&plan->times->transforming, transformed, memory_order_relaxed);
    atomic_fetch_add_explicit(&plan->times->reading, fa__data_clock() - began - transformed, memory_order_relaxed);
    return sample;
}

static bool to_device(const fa__batch_plan *plan, fa_sample *sample)
{
    int64_t began = fa__data_clock();
    for (int k = 0; k < FA__ITEMS && plan->options.device.kind != FA__DEFAULT_DEVICE; k++) {
        fa_tensor **t = fa__sample_item(sample, k);
        if (*t && !(*t = fa_to(*t, plan->options.device)))
            return false;
    }
    atomic_fetch_add_explicit(&plan->times->copying, fa__data_clock() - began, memory_order_relaxed);
    return true;
}

bool fa__batch_make(const fa__batch_plan *plan, const fa__order *order, const fa__pulled *pulled, fa_loader_place at,
                    fa__made *made)
{
    made->which = pulled ? numbers_pulled(pulled) : numbers_of(plan, order, at.batch);
    if (!made->which)
        return false;
    int64_t all = made->which->count;
    made->sample = read(plan, made->which, pulled, at);
    made->skipped = all - made->which->count;
    return !made->which->count || (made->sample.input && to_device(plan, &made->sample));
}
