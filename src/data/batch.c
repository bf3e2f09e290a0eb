/* Making the batch at a position: its samples, its random numbers, and its copy to the loader's device. It depends on
 * the position alone, and not on the thread. */
#include "data/batch.h"
#include <facula/error.h>
#include <facula/random.h>
#include <facula/tensor.h>

bool fa__order_of(const fa__plan *plan, fa_loader_place at, fa__numbers **order)
{
    *order = NULL;
    if (!plan->options.shuffle)
        return true;
    fa__numbers *all = *order = fa__numbers_new(plan->samples);
    for (int64_t i = 0; all && i < plan->samples; i++)
        all->item[i] = i;
    if (all)
        fa__shuffle(all->item, plan->samples, at.seed, (uint64_t)at.epoch);
    return all;
}

fa_loader_place fa__place_after(const fa__plan *plan, fa_loader_place at)
{
    if (++at.batch >= plan->batches)
        at = (fa_loader_place){at.seed, at.epoch + 1, 0};
    return at;
}

static fa__numbers *numbers_of(const fa__plan *plan, const fa__numbers *order, int64_t batch)
{
    int64_t start = batch * plan->options.batch_size, left = plan->samples - start;
    fa__numbers *which = fa__numbers_new(left < plan->options.batch_size ? left : plan->options.batch_size);
    for (int64_t i = 0; which && i < which->count; i++)
        which->item[i] = order ? order->item[start + i] : start + i;
    return which;
}

/* The samples from the dataset, with random numbers of the batch's own. */
static fa_sample read(const fa__plan *plan, const fa__numbers *which, fa_loader_place at)
{
    fa_generator *before = fa_keep(fa__generator_used());
    fa_generator *own = fa_generator_new(fa__seed_of(at.seed, (uint64_t)at.epoch, (uint64_t)at.batch));
    int64_t began = fa__data_clock(), transformed = fa__transform_time;
    fa_sample sample = {0};
    if (own) {
        fa_generator_use(own);
        sample = fa_dataset_batch(plan->dataset, which->item, which->count);
        fa_generator_use(before);
    }
    fa_release(before);
    transformed = fa__transform_time - transformed;
    atomic_fetch_add_explicit(&plan->times->transforming, transformed, memory_order_relaxed);
    atomic_fetch_add_explicit(&plan->times->reading, fa__data_clock() - began - transformed, memory_order_relaxed);
    return sample;
}

static bool to_device(const fa__plan *plan, fa_sample *sample)
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

bool fa__batch_make(const fa__plan *plan, const fa__numbers *order, fa_loader_place at, fa__made *made)
{
    made->which = numbers_of(plan, order, at.batch);
    if (!made->which)
        return false;
    made->sample = read(plan, made->which, at);
    return made->sample.input && to_device(plan, &made->sample);
}
