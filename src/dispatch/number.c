/* Single elements of the host's memory as numbers. */
#include "dispatch/call.h"

static double from_f16(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000U) << 16, exponent = h >> 10 & 31, fraction = h & 1023;
    if (exponent == 0)
        return (sign ? -1.0 : 1.0) * (double)fraction * 0x1p-24;
    union {
        uint32_t u;
        float f;
    } v = {.u = sign | (exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13};
    return (double)v.f;
}

static double from_bf16(uint16_t h)
{
    union {
        uint32_t u;
        float f;
    } v = {.u = (uint32_t)h << 16};
    return (double)v.f;
}

double fa__load_f64(const void *p, fa_dtype dtype)
{
    switch (dtype) {
    case FA_F64:
        return *(const double *)p;
    case FA_F32:
        return (double)*(const float *)p;
    case FA_F16:
        return from_f16(*(const uint16_t *)p);
    case FA_BF16:
        return from_bf16(*(const uint16_t *)p);
    default:
        return (double)fa__load_i64(p, dtype);
    }
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
