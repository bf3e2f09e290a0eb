/* Datasets split into two parts. */
#include "data/data.h"
#include <facula/error.h>
#include <inttypes.h>
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

/* The number of samples in the first of two parts of n samples; -1 and an error if it is none. */
static int64_t samples_in(fa_arg first, int64_t n)
{
    const double fraction = first.kind == FA__ARG_FLOAT ? fa__double_in(first) : 0;
    const int64_t count = fa__int_in(first);
    if (first.kind == FA__ARG_INT && count >= 1 && count <= n)
        return count;
    if (first.kind == FA__ARG_FLOAT && fraction >= 0 && fraction <= 1)
        return llround(fraction * (double)n);
    if (first.kind == FA__ARG_FLOAT)
        fa_fail(
            FA_ERROR_ARGUMENT,
            "a floating-point number is a fraction, 0 to 1, not %g; an integer is a count (fa_data_subset takes the "
            "samples of a list)",
            fraction);
    else if (first.kind == FA__ARG_INT)
        fa_fail(FA_ERROR_ARGUMENT,
                "an integer is a count of samples, 1 to %" PRId64 " here, not %" PRId64 "; a fraction is a "
                "floating-point number, such as 0.8%s",
                n, count, count ? "" : ", also where it is 0.0 (4 / 5 of integers is 0)");
    else
        fa_fail(FA_ERROR_ARGUMENT, "the size of the first part is a fraction, such as 0.8, or a count");
    return -1;
}

static fa_datasets split(fa_dataset *dataset, fa_arg size, int64_t seed)
{
    fa_datasets none = {0}, parts;
    const int64_t n = fa_dataset_length(dataset), first = n < 0 ? -1 : samples_in(size, n);
    FA_SCOPE;
    const fa__numbers *order = first < 0 ? NULL : order_of(n, seed);
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

fa_datasets(fa_data_split)(fa_dataset *dataset, fa_arg first, const fa_data_split_options *options)
{
    static const char who[] = "fa_data_split";
    fa_datasets none = {0}, parts;
    fa_error caught = {0};
    fa_data_split_options o = FA__DEFAULT_fa_data_split;
    fa__options_read(&o, o.size, options);
    if (fa_error_stands() || !fa__dataset_by_number(dataset, who))
        return none;
    {
        FA_USE(.catch_errors = &caught);
        parts = split(dataset, first, o.seed);
    }
    if (!caught.code)
        return parts;
    fa_fail(caught.code, "%s: %s", who, caught.message);
    return none;
}
