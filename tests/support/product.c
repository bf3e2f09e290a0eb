/* The reference of matrix products: elements of any dtype, and one chain of multiply-adds for an element of c. */
#include "product.h"
#include <math.h>
#include <string.h>

static double value_of_half(uint16_t h, int fraction_bits, int bias)
{
    int exponent = (h & 0x7fff) >> fraction_bits, most = 0x7fff >> fraction_bits;
    int fraction = h & ((1 << fraction_bits) - 1);
    double x = exponent == most ? (fraction ? (double)NAN : (double)INFINITY)
                                : ldexp(exponent ? fraction + (1 << fraction_bits) : fraction,
                                        (exponent ? exponent : 1) - bias - fraction_bits);
    return h & 0x8000 ? -x : x;
}

static uint16_t half_of_value(double x, int fraction_bits, int bias)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0, infinity = (uint16_t)((0x7fff >> fraction_bits) << fraction_bits);
    if (isnan(x))
        return (uint16_t)(sign | infinity | 1);
    x = fabs(x);
    if (x == 0)
        return sign;
    int exponent;
    frexp(x, &exponent);
    int last = exponent - 1 - fraction_bits, lowest = 1 - bias - fraction_bits;
    last = last < lowest ? lowest : last;
    double units = isinf(x) ? x : nearbyint(ldexp(x, -last));
    int64_t code =
        isinf(x) || last - lowest > 400 ? infinity : (int64_t)units + ((int64_t)(last - lowest) << fraction_bits);
    return (uint16_t)(sign | (code > infinity ? infinity : code));
}

size_t product_size(fa_dtype d)
{
    static const uint8_t size[FA__DTYPES] = {[FA_BOOL] = 1, [FA_U8] = 1,  [FA_I8] = 1,   [FA_I16] = 2, [FA_I32] = 4,
                                             [FA_I64] = 8,  [FA_F16] = 2, [FA_BF16] = 2, [FA_F32] = 4, [FA_F64] = 8};
    return size[d];
}

double product_at(fa_dtype d, const void *data, int64_t i)
{
    switch (d) {
    case FA_F16:
        return value_of_half(((const uint16_t *)data)[i], 10, 15);
    case FA_BF16:
        return value_of_half(((const uint16_t *)data)[i], 7, 127);
    case FA_F32:
        return (double)((const float *)data)[i];
    default:
        return ((const double *)data)[i];
    }
}

void product_put(fa_dtype d, void *data, double x)
{
    switch (d) {
    case FA_F16:
        *(uint16_t *)data = half_of_value(x, 10, 15);
        return;
    case FA_BF16:
        *(uint16_t *)data = half_of_value(x, 7, 127);
        return;
    case FA_F32:
        *(float *)data = (float)x;
        return;
    default:
        *(double *)data = x;
    }
}

static uint64_t whole_at(fa_dtype d, const void *data, int64_t i)
{
    uint64_t x = 0;
    memcpy(&x, (const char *)data + i * (int64_t)product_size(d), product_size(d));
    return x;
}

static void whole_element(const fa__gemm *g, fa_dtype d, int64_t i, int64_t j, void *out)
{
    uint64_t sum = 0;
    for (int64_t k = 0; k < g->k; k++)
        sum += whole_at(d, g->a, i * g->a_row + k * g->a_col) * whole_at(d, g->b, k * g->b_row + j * g->b_col);
    if (g->bias)
        sum += whole_at(d, g->bias, j * g->bias_col);
    bool negative = d != FA_U8 && sum >> (8 * product_size(d) - 1) & 1;
    if (g->relu && negative)
        sum = 0;
    memcpy(out, &sum, product_size(d));
}

/* What other roundings may change: for sums a unit of their last place each, for c one of its own */
static double tolerance_of(fa_dtype d, int64_t k, double sum_of_sizes, double result)
{
    static const double unit[FA__DTYPES] = {
        [FA_F16] = 0x1p-10, [FA_BF16] = 0x1p-7, [FA_F32] = 0x1p-23, [FA_F64] = 0x1p-52};
    double sums = sum_of_sizes * (double)(k + 1) * unit[d == FA_F64 ? FA_F64 : FA_F32];
    return sums + fabs(result) * unit[d] + (d == FA_F16 ? 0x1p-24 : 0);
}

static double float_element(const fa__gemm *g, fa_dtype d, int64_t i, int64_t j, void *out)
{
    double wide = 0, size = 0;
    float sum = 0;
    for (int64_t k = 0; k < g->k; k++) {
        double a = product_at(d, g->a, i * g->a_row + k * g->a_col);
        double b = product_at(d, g->b, k * g->b_row + j * g->b_col);
        if (d == FA_F64)
            wide = fma(a, b, wide);
        else
            sum = fmaf((float)a, (float)b, sum);
        size += fabs(a * b);
    }
    double bias = g->bias ? product_at(d, g->bias, j * g->bias_col) : 0;
    if (g->bias && d == FA_F64)
        wide += bias;
    else if (g->bias)
        sum += (float)bias;
    double result = d == FA_F64 ? wide : (double)sum;
    product_put(d, out, g->relu && result <= 0 ? 0 : result);
    return tolerance_of(d, g->k, size + fabs(bias), result);
}

double product_element(const fa__gemm *g, fa_dtype d, int64_t i, int64_t j, void *out)
{
    if (d >= FA_F16)
        return float_element(g, d, i, j, out);
    whole_element(g, d, i, j, out);
    return 0;
}

bool product_same(fa_dtype d, const void *x, const void *y, double tolerance)
{
    if (!memcmp(x, y, product_size(d)))
        return true;
    if (d < FA_F16)
        return false;
    double u = product_at(d, x, 0), v = product_at(d, y, 0);
    return (isnan(u) && isnan(v)) || fabs(u - v) <= tolerance;
}
