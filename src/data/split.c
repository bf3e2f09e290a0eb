/* Datasets split into two parts. */
#include "data/data.h"
#include <facula/error.h>
#include <math.h>

/* The numbers of all samples, shuffled unless the seed is negative. */
static fa__numbers *order_of(int64_t count, int64_t seed)
{
    fa__numbers *order = fa__numbers_new(count);
    for (int64_t i = 0; order && i < count; i++)
        order->item[i] = i;
    if (order && seed >= 0)
        fa__shuffle(order->item, count, (uint64_t)seed, 0);
    return order;
}

static fa_datasets split(fa_dataset *dataset, double fraction, int64_t seed)
{
    fa_datasets none = {0}, parts;
    int64_t n = fa_dataset_length(dataset), first = llround(fraction * (double)n);
    FA_SCOPE;
    const fa__numbers *order = n < 0 ? NULL : order_of(n, seed);
    if (!order)
        return none;
    parts.first = fa_data_subset(dataset, order->item, first);
    parts.second = fa_data_subset(dataset, order->item + first, n - first);
    if (!parts.first || !parts.second)
        return none;
    fa_escape(parts.first);
    fa_escape(parts.second);
    return parts;
}

fa_datasets(fa_data_split)(fa_dataset *dataset, double fraction, const fa_data_split_options *options)
{
    static const char who[] = "fa_data_split";
    fa_datasets none = {0}, parts;
    fa_error caught = {0};
    fa_data_split_options o = FA__DEFAULT_fa_data_split;
    fa__options_read(&o, o.size, options);
    if (fa_error_stands() || !fa__dataset_by_number(dataset, who))
        return none;
    if (!(fraction >= 0 && fraction <= 1)) {
        fa_fail(FA_ERROR_ARGUMENT, "%s: the fraction is 0 to 1, not %g (fa_data_subset takes the samples of a list)",
                who, fraction);
        return none;
    }
    {
        FA_USE(.catch_errors = &caught);
        parts = split(dataset, fraction, o.seed);
    }
    if (!caught.code)
        return parts;
    fa_fail(caught.code, "%s: %s", who, caught.message);
    return none;
}
