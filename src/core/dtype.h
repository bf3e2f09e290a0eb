/* Dtypes: the rows of dtypes.def as tables by dtype, and as sets where a call only asks what sort of dtype it has. */
#ifndef FA__CORE_DTYPE_H
#define FA__CORE_DTYPE_H
#include <facula/dtype.h>
#include <stdbool.h>
#include <stdint.h>

/* Asked for on every call. */
extern const uint8_t fa__dtype_sizes[FA__DTYPES];
extern const char *const fa__dtype_names[FA__DTYPES];

typedef struct fa__dtype {
    fa_dtype_info info;
    uint64_t top; /* of floats: the bits that only NaN exceeds */
} fa__dtype;

extern const fa__dtype fa__dtypes[FA__DTYPES];

/* ---- sets: bit d stands for dtype d ---- */
enum {
    FA__KIND_BOOL = 1,
    FA__KIND_UNSIGNED = 2,
    FA__KIND_SIGNED = 4,
    FA__KIND_FLOAT = 8,
    FA__USE_COMPUTES = 16,
    FA__USE_STORES = 32
};

#define FA__DTYPES_WHERE(condition, tag) | ((condition) ? 1 << FA_##tag : 0)
enum {
    FA__FLOAT_DTYPES = 0
#define DTYPE(tag, name, cell, kind, ...) FA__DTYPES_WHERE(FA__KIND_##kind == FA__KIND_FLOAT, tag)
#include "core/dtypes.def"
#undef DTYPE
    ,
    /* bool and integers that compute in 32 bits and have fewer */
    FA__NARROW_DTYPES = 0
#define DTYPE(tag, name, cell, kind, class, form, use, digits, ...)                                                    \
    FA__DTYPES_WHERE(FA__KIND_##kind != FA__KIND_FLOAT && (digits) < 31, tag)
#include "core/dtypes.def"
#undef DTYPE
    ,
    /* floats that compute in f32 and have fewer digits */
    FA__HALF_DTYPES = 0
#define DTYPE(tag, name, cell, kind, class, form, use, digits, ...)                                                    \
    FA__DTYPES_WHERE(FA__KIND_##kind == FA__KIND_FLOAT && (digits) < 24, tag)
#include "core/dtypes.def"
#undef DTYPE
    ,
    /* floats that are computed in */
    FA__REAL_DTYPES = 0
#define DTYPE(tag, name, cell, kind, class, form, use, ...)                                                            \
    FA__DTYPES_WHERE(FA__KIND_##kind == FA__KIND_FLOAT && FA__USE_##use == FA__USE_COMPUTES, tag)
#include "core/dtypes.def"
#undef DTYPE
    ,
    FA__STORAGE_DTYPES = 0
#define DTYPE(tag, name, cell, kind, class, form, use, ...) FA__DTYPES_WHERE(FA__USE_##use == FA__USE_STORES, tag)
#include "core/dtypes.def"
#undef DTYPE
};

static inline bool fa__dtype_is_float(unsigned dtype)
{
    return FA__FLOAT_DTYPES >> dtype & 1;
}

/* Whether values are stored with fewer digits than they are computed with: f16, bf16. */
static inline bool fa__dtype_is_half(unsigned dtype)
{
    return FA__HALF_DTYPES >> dtype & 1;
}

/* Whether it only holds values: nothing is computed in it. */
static inline bool fa__dtype_is_storage(unsigned dtype)
{
    return FA__STORAGE_DTYPES >> dtype & 1;
}

/* The dtype of a tensor's gradient: f32 for one that only holds values, as gradients are summed. */
static inline fa_dtype fa__gradient_dtype(unsigned dtype)
{
    return fa__dtype_is_storage(dtype) ? FA_F32 : (fa_dtype)dtype;
}

static inline size_t fa__dtype_size(unsigned dtype)
{
    return fa__dtype_sizes[dtype];
}

/* The largest whole number up to which it has all others. */
static inline uint64_t fa__dtype_whole(unsigned dtype)
{
    return ((uint64_t)1 << fa__dtypes[dtype].info.digits) - !fa__dtype_is_float(dtype);
}

bool fa__dtype_has_infinity(fa_dtype);

/* A single element as a number. */
double fa__load_f64(const void *element, fa_dtype);
int64_t fa__load_i64(const void *element, fa_dtype);
#endif
