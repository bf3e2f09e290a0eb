/* Running mean: a sum and a weight, in f64, or on devices without f64 each as a pair of f32. Both are updated by one
 * program, so that after a fault neither or both have changed. */
#include "train/meter.h"
#include <facula/error.h>
#include <facula/expression.h>
#include <facula/ops/create.h>
#include <facula/ops/math.h>
#include <facula/ops/reduce.h>
#include <facula/ops/shape.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <math.h>

enum { IN_F64 = 2, IN_PAIRS = 4 }; /* number of elements of the sum */

/* s: the sum; v: the value; n: its weight per element; w: the total weight, which increases by k. */
static const char f64_text[] = "s = s + n * f64(v); w = w + k";
/* h and l: the high and low part of the sum; n + m: the weight of the value. The rounding errors of the product and
 * of the sum of high parts are computed exactly (Dekker 1971, Knuth 1969) and added to the low part. Errors that are
 * not finite are dropped, as they would turn an infinite sum into NaN. w and u are the total weight in the same form,
 * which increases by k + j. */
static const char pair_text[] =
    "p = n * f32(v); lost = fma(n, f32(v), -p) + m * f32(v); "
    "t = h + p; b = t - h; c = (h - (t - b)) + (p - b) + lost; "
    "rest = l + (abs(c) < inf ? c : 0); "
    "h = t + rest; r = rest - (h - t); l = abs(r) < inf ? r : 0; "
    "x = w + k; y = x - w; e = u + ((w - (x - y)) + (k - y) + j); w = x + e; u = e - (w - x)";

static fa_device device_of(fa_arg value)
{
    return value.kind == FA__ARG_TENSOR ? fa_tensor_device(fa__tensor_in(value)) : FA_CPU;
}

/* A single floating-point number: tensors with more elements are summed. */
static fa_arg single(fa_arg value, fa_dtype dtype)
{
    if (value.kind == FA__ARG_TENSOR && fa_dim(fa__tensor_in(value)) > 0)
        value = fa__arg_t(fa_sum(fa__tensor_in(value), .dtype = dtype));
    else if (value.kind == FA__ARG_TENSOR && !fa_dtype_is_floating(fa_tensor_dtype(fa__tensor_in(value))))
        value = fa__arg_t(fa_to(fa__tensor_in(value), dtype));
    return value;
}

static fa_binding bind(const char *name, fa_tensor *const *tensor)
{
    return (fa_binding){.name = name, .tensors = {1, tensor}};
}

static fa_binding bind_value(fa_tensor **place, fa_arg value)
{
    if (value.kind != FA__ARG_TENSOR)
        return (fa_binding){.name = "v", .number = value};
    *place = (fa_tensor *)(uintptr_t)fa__tensor_in(value); /* it is only read */
    return bind("v", place);
}

static double numel_of(fa_arg value)
{
    return value.kind == FA__ARG_TENSOR ? (double)fa_numel(fa__tensor_in(value)) : 1;
}

static fa_binding bind_number(const char *name, double number)
{
    return (fa_binding){.name = name, .number = fa__arg_f(number)};
}

static bool add_in_f64(fa_tensor *both, fa_arg value, double count)
{
    fa_tensor *v, *sum = fa_select(both, 0, 0), *weight = fa_select(both, 0, 1);
    double more = count * numel_of(value);
    value = single(value, FA_F64);
    const fa_binding names[] = {bind("s", &sum), bind("w", &weight), bind_value(&v, value), bind_number("n", count),
                                bind_number("k", more)};
    return fa_update(f64_text, 5, names);
}

static bool add_in_pairs(fa_tensor *both, fa_arg value, double count)
{
    fa_tensor *v, *part[IN_PAIRS];
    for (int i = 0; i < IN_PAIRS; i++)
        part[i] = fa_select(both, 0, i);
    double most = (double)(float)count, more = count * numel_of(value), most_more = (double)(float)more;
    value = single(value, FA_F32);
    const fa_binding names[] = {bind("h", &part[0]),
                                bind("l", &part[1]),
                                bind("w", &part[2]),
                                bind("u", &part[3]),
                                bind_value(&v, value),
                                bind_number("n", most),
                                bind_number("m", count - most),
                                bind_number("k", most_more),
                                bind_number("j", more - most_more)};
    return fa_update(pair_text, 9, names);
}

static bool add(fa_tensor *sum, fa_arg value, double count)
{
    return sum && (fa_numel(sum) == IN_PAIRS ? add_in_pairs : add_in_f64)(sum, value, count);
}

/* Starts with a value in f64, or in pairs if the device does not support f64; a fallback to the CPU is not wanted. */
static fa_tensor *begin(fa_arg value, double count)
{
    fa_error caught = {0};
    fa_device device = device_of(value);
    fa_tensor *sum = NULL;
    {
        FA_USE(.fallback = false, .catch_errors = &caught);
        sum = fa_zeros(FA_SHAPE(IN_F64), .dtype = FA_F64, .device = device);
        if (!add(sum, value, count))
            sum = NULL;
    }
    if (sum)
        return sum;
    if (caught.code != FA_ERROR_UNAVAILABLE) {
        fa_fail(caught.code, "fa_meter_update: %s", caught.message);
        return NULL;
    }
    sum = fa_zeros(FA_SHAPE(IN_PAIRS), .dtype = FA_F32, .device = device);
    return add(sum, value, count) ? sum : NULL;
}

static bool mean_update(fa_meter *m, fa_arg value, const fa_meter_update_options *o)
{
    if (m->sum)
        return add(m->sum, value, o->count);
    fa_tensor *sum = begin(value, o->count);
    if (sum)
        fa__meter_holds(m, sum);
    return sum != NULL;
}

static double mean_value(const fa_meter *m)
{
    double part[IN_PAIRS] = {0};
    int64_t numel = fa_numel(m->sum);
    if (!fa_read(m->sum, part, FA_F64, numel))
        return NAN;
    return numel == IN_PAIRS ? (part[0] + part[1]) / (part[2] + part[3]) : part[0] / part[1];
}

static fa_tensor *mean_tensor(const fa_meter *m)
{
    fa_tensor *both = fa_sum(fa_view(m->sum, FA_SHAPE(2, -1)), .dim = 1);
    return fa_div(fa_select(both, 0, 0), fa_select(both, 0, 1));
}

static const fa__meter_kind mean = {.name = "means", .update = mean_update, .value = mean_value, .tensor = mean_tensor};

fa_meter *fa_meter_mean(void)
{
    return fa__meter_new(&mean);
}
