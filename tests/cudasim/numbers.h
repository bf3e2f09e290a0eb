/* Numbers of all dtypes that NVIDIA's libraries take, as f64: for the simulator's libraries. */
#ifndef CUDASIM_NUMBERS_H
#define CUDASIM_NUMBERS_H
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { F32, F64, F16, BF16, E4M3, E5M2, NONE };

static inline size_t cudasim_size_of(int type)
{
    return type == F32 ? 4 : type == F64 ? 8 : type == F16 || type == BF16 ? 2 : type == E4M3 || type == E5M2;
}

static inline float cudasim_f32(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t cudasim_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* To the nearest number without the last bits, ties to even */
static inline float cudasim_shortened(float x, int bits)
{
    const uint32_t b = cudasim_bits(x), half = (1u << (bits - 1)) - 1 + (b >> bits & 1);
    return isfinite(x) ? cudasim_f32((b + half) & ~((1u << bits) - 1)) : x;
}

static inline double cudasim_tf32(double x)
{
    return (double)cudasim_shortened((float)x, 13);
}

static inline double cudasim_of_f16(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                        : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                       : ldexp(fraction, -24);
    return bits >> 15 ? -size : size;
}

static inline double cudasim_of_e4m3(uint8_t bits)
{
    const int exponent = bits >> 3 & 15, fraction = bits & 7;
    const double size = (bits & 127) == 127 ? NAN : exponent ? ldexp(8 + fraction, exponent - 10) : ldexp(fraction, -9);
    return bits >> 7 ? -size : size;
}

static inline uint16_t cudasim_to_f16(float x)
{
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    const double size = fabs((double)x);
    if (!(size < 65520)) /* which rounds to 2^16 */
        return (uint16_t)(sign | (isnan(x) ? 0x7e00 : 0x7c00));
    const int exponent = size < 0x1p-14 ? -14 : ilogb(size);
    return (uint16_t)(sign | (((exponent + 14) << 10) + (int)nearbyint(ldexp(size, 10 - exponent))));
}

static inline double cudasim_load(const void *from, int type, int64_t i)
{
    cudasim_touch((const char *)from + i * (int64_t)cudasim_size_of(type), cudasim_size_of(type), false);
    if (type == E4M3)
        return cudasim_of_e4m3(((const uint8_t *)from)[i]);
    if (type == E5M2) /* the first half of an f16 */
        return cudasim_of_f16((uint16_t)(((const uint8_t *)from)[i] << 8));
    return type == F32   ? (double)((const float *)from)[i]
           : type == F64 ? ((const double *)from)[i]
           : type == F16 ? cudasim_of_f16(((const uint16_t *)from)[i])
                         : (double)cudasim_f32((uint32_t)((const uint16_t *)from)[i] << 16);
}

static inline void cudasim_store(void *to, int type, int64_t i, double x)
{
    cudasim_touch((char *)to + i * (int64_t)cudasim_size_of(type), cudasim_size_of(type), true);
    if (type == F32)
        ((float *)to)[i] = (float)x;
    else if (type == F64)
        ((double *)to)[i] = x;
    else if (type == F16)
        ((uint16_t *)to)[i] = cudasim_to_f16((float)x);
    else
        ((uint16_t *)to)[i] = (uint16_t)(cudasim_bits(cudasim_shortened((float)x, 16)) >> 16);
}
#endif
