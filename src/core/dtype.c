/* The rows of dtypes.def as tables: sizes, names, limits and compute classes by dtype. */
#include "core/dtype.h"
#include "core/program.h"
#include <math.h>

#define DTYPE(...) +1
_Static_assert(0
#include "core/dtypes.def"
                   == FA__DTYPES - 1,
               "each fa_dtype has a row in dtypes.def");
#undef DTYPE

enum { SIZE_u8 = 1, SIZE_i8 = 1, SIZE_u16 = 2, SIZE_i16 = 2, SIZE_i32 = 4, SIZE_f32 = 4, SIZE_i64 = 8, SIZE_f64 = 8 };

const uint8_t fa__dtype_sizes[FA__DTYPES] = {
#define DTYPE(tag, name, cell, ...) [FA_##tag] = SIZE_##cell,
#include "core/dtypes.def"
#undef DTYPE
};

const char *const fa__dtype_names[FA__DTYPES] = {
    [FA_SAME] = "none",
#define DTYPE(tag, name, ...) [FA_##tag] = #name,
#include "core/dtypes.def"
#undef DTYPE
};

const uint8_t fa__dtype_classes[FA__DTYPES] = {
#define DTYPE(tag, name, cell, kind, class, ...) [FA_##tag] = FA__CLASS_##class,
#include "core/dtypes.def"
#undef DTYPE
};

#define LOW_BOOL(digits, largest) 0
#define LOW_UNSIGNED(digits, largest) 0
#define LOW_SIGNED(digits, largest) (-(double)(UINT64_C(1) << (digits)))
#define LOW_FLOAT(digits, largest) (-(largest))

enum { LETTER_BOOL = 'b', LETTER_UNSIGNED = 'u', LETTER_SIGNED = 'i', LETTER_FLOAT = 'f' };

const fa__dtype fa__dtypes[FA__DTYPES] = {
#define DTYPE(tag, name_, cell, kind_, class, form, use, digits_, largest_, smallest_, top_, torch_, numpy_, npy_,     \
              stored, rank, dlpack_)                                                                                   \
    [FA_##tag] = {.info = {.name = #name_,                                                                             \
                           .kind = LETTER_##kind_,                                                                     \
                           .storage = FA__USE_##use == FA__USE_STORES,                                                 \
                           .size = SIZE_##cell,                                                                        \
                           .digits = (digits_),                                                                        \
                           .lowest = LOW_##kind_(digits_, largest_),                                                   \
                           .largest = (largest_),                                                                      \
                           .smallest = (smallest_),                                                                    \
                           .torch = (torch_),                                                                          \
                           .numpy = (numpy_),                                                                          \
                           .npy = (npy_),                                                                              \
                           .safetensors = (stored),                                                                    \
                           .safetensors_rank = (rank),                                                                 \
                           .dlpack = (dlpack_)},                                                                       \
                  .top = (top_)},
#include "core/dtypes.def"
#undef DTYPE
};

static bool is_dtype(fa_dtype d)
{
    return d > FA_SAME && d < FA__DTYPES;
}

const fa_dtype_info *fa_dtype_describe(fa_dtype dtype)
{
    return is_dtype(dtype) ? &fa__dtypes[dtype].info : NULL;
}

const char *fa_dtype_name(fa_dtype dtype)
{
    return is_dtype(dtype) ? fa__dtype_names[dtype] : "unknown";
}

bool fa_dtype_is_floating(fa_dtype dtype)
{
    return is_dtype(dtype) && fa__dtype_is_float(dtype);
}

size_t fa_dtype_size(fa_dtype dtype)
{
    return is_dtype(dtype) ? fa__dtype_sizes[dtype] : 0;
}

/* ---- single elements ---- */

/* A float of fewer than 32 bits, by its fields: whoever converts many has loops for that. */
static double decode(uint32_t bits, const fa__dtype *d)
{
    uint32_t sign = 1U << (8 * d->info.size - 1), magnitude = bits & (sign - 1);
    int fraction = d->info.digits - 1, exponent = (int)(magnitude >> fraction);
    uint32_t significand = (magnitude & ((1U << fraction) - 1)) | (exponent ? 1U << fraction : 0);
    double v = ldexp((double)significand * d->info.smallest, exponent ? exponent - 1 : 0);
    v = magnitude > d->top ? (double)NAN : v > d->info.largest ? (double)INFINITY : v;
    return bits & sign ? -v : v;
}

bool fa__dtype_has_infinity(fa_dtype dtype)
{
    uint64_t top = fa__dtypes[dtype].top;
    return fa__dtype_is_float(dtype) && (!fa__dtype_is_half(dtype) || isinf(decode((uint32_t)top, &fa__dtypes[dtype])));
}

double fa__load_f64(const void *p, fa_dtype dtype)
{
    if (dtype == FA_F64)
        return *(const double *)p;
    if (dtype == FA_F32)
        return (double)*(const float *)p;
    if (!fa__dtype_is_float(dtype))
        return (double)fa__load_i64(p, dtype);
    return decode(fa__dtype_sizes[dtype] == 1 ? *(const uint8_t *)p : *(const uint16_t *)p, &fa__dtypes[dtype]);
}

int64_t fa__load_i64(const void *p, fa_dtype dtype)
{
    switch (dtype) {
    case FA_BOOL:
    case FA_U8:
        return *(const uint8_t *)p;
    case FA_I8:
        return *(const int8_t *)p;
    case FA_I16:
        return *(const int16_t *)p;
    case FA_I32:
        return *(const int32_t *)p;
    case FA_I64:
        return *(const int64_t *)p;
    default:
        return (int64_t)fa__load_f64(p, dtype);
    }
}
