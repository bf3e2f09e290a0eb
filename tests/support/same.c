/* Comparison of tensors by their values on the host, without the library's own comparisons. */
#include "support/same.h"
#include <facula/facula.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_numbers(const double *x, const double *y, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (x[i] != y[i] && !(isnan(x[i]) && isnan(y[i])))
            return false;
    return true;
}

/* The elements for the caller to free: floats as doubles, which are exact. NULL after an error. */
static void *values_of(const fa_tensor *t, bool is_float)
{
    size_t count = (size_t)fa_numel(t);
    void *values = malloc(count * sizeof(double) + 1);
    if (values && (fa_read)(t, values, is_float ? FA_F64 : FA_I64, (int64_t)count))
        return values;
    free(values);
    return NULL;
}

static bool same_values(const fa_tensor *a, const fa_tensor *b)
{
    bool is_float = fa_dtype_is_floating(fa_tensor_dtype(a));
    void *x = values_of(a, is_float), *y = values_of(b, is_float);
    int64_t count = fa_numel(a);
    bool same = x && y && (is_float ? same_numbers(x, y, count) : !memcmp(x, y, (size_t)count * sizeof(int64_t)));
    free(x);
    free(y);
    return same;
}

bool same_tensors(const fa_tensor *a, const fa_tensor *b)
{
    if (!a || !b || fa_tensor_dtype(a) != fa_tensor_dtype(b) || fa_dim(a) != fa_dim(b))
        return false;
    for (int i = 0; i < fa_dim(a); i++)
        if (fa_size(a, i) != fa_size(b, i))
            return false;
    return same_values(a, b);
}
