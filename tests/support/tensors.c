/* Tensors for the tests: layouts, elements, and comparison. */
#include "support/tensors.h"
#include "backend/device.h"
#include "core/context.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const layout_names[LAYOUTS] = {"dense", "transposed", "gaps", "negative", "expanded"};

static const double tolerances[FA__DTYPES] = {
    [FA_F16] = 4e-3, [FA_BF16] = 3e-2, [FA_F32] = 4e-6, [FA_F64] = 1e-11, [FA_F8_E4M3FN] = 0.07, [FA_F8_E5M2] = 0.13};

double dtype_tolerance(fa_dtype dtype)
{
    return tolerances[dtype];
}

/* ---- layouts ---- */
int expanded_dim(int rank, const int64_t *shape)
{
    for (int i = 0; i < rank; i++)
        if (shape[i] > 1)
            return i;
    return -1;
}

/* Strides in the order given, each step times `step`. */
static void set_strides(geometry *g, int rank, const int64_t *shape, bool forwards, int64_t step, int skip)
{
    for (int k = 0; k < rank; k++) {
        int i = forwards ? k : rank - 1 - k;
        g->stride[i] = i == skip ? 0 : step;
        step *= i == skip || !shape[i] ? 1 : shape[i];
    }
}

geometry layout_geometry(layout how, int rank, const int64_t *shape)
{
    geometry g = {.offset = how == LAYOUT_GAPS ? 3 : 0};
    int repeated = how == LAYOUT_EXPANDED ? expanded_dim(rank, shape) : -1;
    set_strides(&g, rank, shape, how == LAYOUT_TRANSPOSED, how == LAYOUT_GAPS ? 2 : 1, repeated);
    int64_t last = g.offset;
    for (int i = 0; i < rank; i++)
        last += shape[i] ? (shape[i] - 1) * g.stride[i] : 0;
    g.span = last + 1 + g.offset;
    if (how != LAYOUT_NEGATIVE)
        return g;
    g.offset = last;
    for (int i = 0; i < rank; i++)
        g.stride[i] = -g.stride[i];
    return g;
}

int64_t element_place(const geometry *g, int rank, const int64_t *shape, int64_t i)
{
    int64_t at = g->offset;
    for (int d = rank; d-- > 0; i /= shape[d])
        at += i % shape[d] * g->stride[d];
    return at;
}

static int64_t count_of(int rank, const int64_t *shape)
{
    int64_t n = 1;
    for (int i = 0; i < rank; i++)
        n *= shape[i];
    return n;
}

void repeat_values(int rank, const int64_t *shape, double *values)
{
    int dim = expanded_dim(rank, shape);
    int64_t inner = dim < 0 ? 0 : count_of(rank - dim - 1, shape + dim + 1), count = count_of(rank, shape);
    for (int64_t i = 0; dim >= 0 && i < count; i++)
        values[i] = values[i - i / inner % shape[dim] * inner];
}

/* ---- elements ---- */
static uint32_t float_bits(double value)
{
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* Of values that f16 holds exactly. */
static uint16_t half_bits(double value)
{
    uint32_t b = float_bits(value), sign = b >> 16 & 0x8000, rest = b & 0x7FFFFFFF;
    if (rest > 0x7F800000)
        return (uint16_t)(sign | 0x7E00);
    if (rest == 0x7F800000)
        return (uint16_t)(sign | 0x7C00);
    if (rest < 0x38800000) /* denormal, or 0: steps of 2^-24 */
        return (uint16_t)(sign | (uint32_t)ldexp(fabs(value), 24));
    return (uint16_t)(sign | (rest - 0x38000000) >> 13);
}

static double half_value(uint16_t h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 31  ? (fraction ? NAN : INFINITY)
               : exponent == 0 ? ldexp(fraction, -24)
                               : ldexp(fraction + 1024, exponent - 25);
    return h >> 15 ? -v : v;
}

/* The 8-bit floats by their definition: 2^(e - bias) * 1.f, or 2^(1 - bias) * 0.f where e is 0. E4M3FN has its only NaN
 * where all bits are 1; E5M2 has infinities and NaN where all of the exponent's are. */
double quarter_value(uint8_t code, fa_dtype dtype)
{
    bool e5m2 = dtype == FA_F8_E5M2;
    int bits = e5m2 ? 2 : 3, bias = e5m2 ? 15 : 7, e = (code & 0x7F) >> bits, f = code & ((1 << bits) - 1);
    double v = ldexp(e ? f + (1 << bits) : f, (e ? e : 1) - bias - bits);
    if (e5m2 ? e == 31 : (code & 0x7F) == 0x7F)
        v = e5m2 && !f ? INFINITY : NAN;
    return code & 0x80 ? -v : v;
}

/* The code of the nearest value, of two the one that is even; what is beyond half a step above the largest is
 * infinity, or NaN where there is none. */
uint8_t quarter_bits(double value, fa_dtype dtype)
{
    double a = fabs(value);
    int best = 0, over = dtype == FA_F8_E5M2 ? 0x7C : 0x7F, sign = signbit(value) ? 0x80 : 0;
    double above = ldexp(1, dtype == FA_F8_E5M2 ? 16 : 8) * (dtype == FA_F8_E5M2 ? 1 : 1.875);
    if (isnan(value))
        return (uint8_t)(sign | 0x7F);
    for (int code = 1; code <= over; code++) {
        double v = code == over ? above : quarter_value((uint8_t)code, dtype),
               old = quarter_value((uint8_t)best, dtype);
        double nearer = fabs(a - old) - fabs(a - v);
        if (nearer > 0 || (nearer == 0 && code % 2 == 0))
            best = code;
        if (v >= a)
            break;
    }
    return (uint8_t)(sign | (a > above ? over : best));
}

/* As a conversion of the library does: an integer dtype holds the low bits. */
static int64_t whole(double v)
{
    return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;
}

void put_element(void *at, fa_dtype dtype, double v)
{
    switch (dtype) {
    case FA_BOOL:
    case FA_U8:
        *(uint8_t *)at = (uint8_t)whole(v);
        break;
    case FA_I8:
        *(int8_t *)at = (int8_t)whole(v);
        break;
    case FA_I16:
        *(int16_t *)at = (int16_t)whole(v);
        break;
    case FA_I32:
        *(int32_t *)at = (int32_t)whole(v);
        break;
    case FA_I64:
        *(int64_t *)at = whole(v);
        break;
    case FA_F16:
        *(uint16_t *)at = half_bits(v);
        break;
    case FA_BF16:
        *(uint16_t *)at = (uint16_t)(float_bits(v) >> 16);
        break;
    case FA_F32:
        *(float *)at = (float)v;
        break;
    case FA_F8_E4M3FN:
    case FA_F8_E5M2:
        *(uint8_t *)at = quarter_bits(v, dtype);
        break;
    default:
        *(double *)at = v;
    }
}

double get_element(const void *at, fa_dtype dtype)
{
    uint32_t bits;
    float f;
    switch (dtype) {
    case FA_BOOL:
    case FA_U8:
        return *(const uint8_t *)at;
    case FA_I8:
        return *(const int8_t *)at;
    case FA_I16:
        return *(const int16_t *)at;
    case FA_I32:
        return *(const int32_t *)at;
    case FA_I64:
        return (double)*(const int64_t *)at;
    case FA_F16:
        return half_value(*(const uint16_t *)at);
    case FA_BF16:
        bits = (uint32_t) * (const uint16_t *)at << 16;
        memcpy(&f, &bits, sizeof f);
        return f;
    case FA_F32:
        return *(const float *)at;
    case FA_F8_E4M3FN:
    case FA_F8_E5M2:
        return quarter_value(*(const uint8_t *)at, dtype);
    default:
        return *(const double *)at;
    }
}

/* ---- tensors ---- */

/* One-dimensional memory with the values where the geometry wants them, and a pattern elsewhere. */
static fa_tensor *make_memory(const double *values, fa_dtype dtype, int rank, const int64_t *shape, const geometry *g,
                              fa_device where)
{
    size_t size = fa_dtype_size(dtype);
    unsigned char *bytes = malloc((size_t)g->span * size);
    if (!bytes)
        return NULL;
    memset(bytes, dtype == FA_BOOL ? 1 : 0x7B, (size_t)g->span * size);
    for (int64_t i = 0, n = count_of(rank, shape); i < n; i++)
        put_element(bytes + (size_t)element_place(g, rank, shape, i) * size, dtype, values[i]);
    fa_tensor *t = fa_tensor_from(bytes, FA_SHAPE(g->span), .dtype = dtype, .device = where);
    free(bytes);
    return t;
}

fa_tensor *make_tensor(const double *values, fa_dtype dtype, int rank, const int64_t *shape, layout how,
                       fa_device where)
{
    geometry g = layout_geometry(how, rank, shape);
    fa_device real = where.kind == FA__DEFAULT_DEVICE ? FA_CPU : where;
    if (real.kind == FA__META) {
        fa__device *device = fa__device_get(real);
        return device ? fa__own(fa__tensor_empty(device, dtype, rank, shape, NULL)) : NULL;
    }
    fa_tensor *memory = make_memory(values, dtype, rank, shape, &g, real);
    return memory ? fa__own(fa__tensor_new(memory->storage, dtype, rank, shape, g.stride, g.offset)) : NULL;
}

static unsigned char *read_bytes(const fa_tensor *t)
{
    int64_t count = fa_numel(t);
    unsigned char *bytes = count < 0 ? NULL : malloc(fa_nbytes(t) + 1);
    if (bytes && !fa_read(t, bytes, fa_tensor_dtype(t), count)) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

double *tensor_values(const fa_tensor *t)
{
    unsigned char *bytes = t ? read_bytes(t) : NULL;
    int64_t count = bytes ? fa_numel(t) : 0;
    double *values = bytes ? malloc(((size_t)count + 1) * sizeof *values) : NULL;
    for (int64_t i = 0; values && i < count; i++)
        values[i] = get_element(bytes + (size_t)i * fa_element_size(t), fa_tensor_dtype(t));
    free(bytes);
    return values;
}

bool tensor_same_form(const fa_tensor *a, const fa_tensor *b)
{
    return a && b && a->dtype == b->dtype && fa__same_shape(a, b);
}

static bool same_element(const unsigned char *a, const unsigned char *b, fa_dtype dtype)
{
    return !memcmp(a, b, fa_dtype_size(dtype)) || (isnan(get_element(a, dtype)) && isnan(get_element(b, dtype)));
}

bool tensor_same_bits(const fa_tensor *a, const fa_tensor *b)
{
    if (!tensor_same_form(a, b))
        return false;
    unsigned char *x = read_bytes(a), *y = read_bytes(b);
    size_t size = fa_element_size(a);
    bool same = x && y;
    for (size_t i = 0, n = (size_t)fa_numel(a); same && i < n; i++)
        same = same_element(x + i * size, y + i * size, fa_tensor_dtype(a));
    free(x);
    free(y);
    return same;
}

bool values_close(const double *a, const double *b, int64_t count, double tolerance, double *worst)
{
    *worst = 0;
    bool close = true;
    for (int64_t i = 0; i < count; i++) {
        if ((isnan(a[i]) && isnan(b[i])) || a[i] == b[i])
            continue;
        double difference = fabs(a[i] - b[i]);
        if (!(difference <= tolerance * (1 + fabs(b[i]))))
            close = false;
        if (!(difference <= *worst))
            *worst = difference;
    }
    return close;
}
