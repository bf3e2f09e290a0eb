/* Random numbers by place: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3",
 * 2011). The key is the seed; the counter is (block number, call), each of 64 bits, low word first; a block gives four
 * lanes of 32 bits.
 *     f32: element i has lane i mod 4 of block i / 4. uniform: its upper 24 bits times 2^-24.
 *     f64: element i has lanes 2 (i mod 2) and the next of block i / 2. uniform: the upper 27 bits of the first and the
 *          upper 26 of the second, times 2^-53.
 * Normals come in pairs of neighbouring elements (Box and Muller): of their uniforms u and v the first becomes
 * sqrt(-2 log(u')) cos(2 pi v), the second the same with sin; u' is u plus one unit, so in (0, 1]. */
#include "dialect.h"
#include "math.inc"
#include "math64.inc"
#include "simd.h"

enum { BLOCKS = 32, LANES = 4 * BLOCKS };

/* lanes[4 b + l]: lane l of block first + b */
static void philox(u32 *lanes, fa__key key, u64 first)
{
    u32 a[BLOCKS], b[BLOCKS], c[BLOCKS], d[BLOCKS];
    u32 k0 = (u32)key.seed, k1 = (u32)(key.seed >> 32);
    for (int i = 0; i < BLOCKS; i++) {
        a[i] = (u32)(first + (u64)i);
        b[i] = (u32)((first + (u64)i) >> 32);
        c[i] = (u32)key.call;
        d[i] = (u32)(key.call >> 32);
    }
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < BLOCKS; i++) {
            u64 p = (u64)a[i] * 0xd2511f53u, q = (u64)c[i] * 0xcd9e8d57u;
            u32 x = (u32)(q >> 32) ^ b[i] ^ k0, z = (u32)(p >> 32) ^ d[i] ^ k1;
            b[i] = (u32)q;
            d[i] = (u32)p;
            a[i] = x;
            c[i] = z;
        }
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    for (int i = 0; i < BLOCKS; i++) {
        lanes[4 * i] = a[i];
        lanes[4 * i + 1] = b[i];
        lanes[4 * i + 2] = c[i];
        lanes[4 * i + 3] = d[i];
    }
}

/* What all BLOCKS blocks from `first` on give: LANES numbers of f32, half as many of f64. */
static void uniforms_f32(f32 *o, fa__key key, u64 first)
{
    u32 lanes[LANES];
    philox(lanes, key, first);
    for (int i = 0; i < LANES; i++)
        o[i] = (f32)(i32)(lanes[i] >> 8) * 5.9604644775390625e-8f;
}

static void uniforms_f64(f64 *o, fa__key key, u64 first)
{
    u32 lanes[LANES];
    philox(lanes, key, first);
    for (int i = 0; i < LANES / 2; i++) {
        f64 high = (f64)(i32)(lanes[2 * i] >> 5), low = (f64)(i32)(lanes[2 * i + 1] >> 6);
        o[i] = FMA64(high, 67108864.0, low) * 1.1102230246251565e-16;
    }
}

/* 64 bits each: the lanes that f64 has there, the first one below. */
static void bitss_u64(u64 *o, fa__key key, u64 first)
{
    u32 lanes[LANES];
    philox(lanes, key, first);
    for (int i = 0; i < LANES / 2; i++)
        o[i] = (u64)lanes[2 * i] | (u64)lanes[2 * i + 1] << 32;
}

#define NORMALS(T, count, unit, sqrt_, log_, cos_, sin_)                                                               \
    static void normals_##T(T *o, fa__key key, u64 first)                                                              \
    {                                                                                                                  \
        T u[count];                                                                                                    \
        uniforms_##T(u, key, first);                                                                                   \
        for (int i = 0; i < count / 2; i++) {                                                                          \
            T radius = sqrt_((T)-2 * log_(u[2 * i] + unit)), v = u[2 * i + 1];                                         \
            o[2 * i] = radius * cos_(v);                                                                               \
            o[2 * i + 1] = radius * sin_(v);                                                                           \
        }                                                                                                              \
    }
NORMALS(f32, LANES, 5.9604644775390625e-8f, sqrt_f32, log_f32, cos_turn_f32, sin_turn_f32)
NORMALS(f64, LANES / 2, 1.1102230246251565e-16, sqrt_f64, log_f64, cos_turn_f64, sin_turn_f64)

/* Elements first to first + n: whole groups of blocks, of which the ends may be needed in part. */
#define TILE(kind, T, per_block)                                                                                       \
    void FA__SIMD(fa__##kind##_##T)(void *tile, fa__key key, int64_t first, int64_t n)                                 \
    {                                                                                                                  \
        T group[per_block * BLOCKS], *o = tile;                                                                        \
        while (n > 0) {                                                                                                \
            int64_t skip = first % per_block, count = per_block * BLOCKS - skip;                                       \
            count = count < n ? count : n;                                                                             \
            kind##s_##T(group, key, (u64)(first / per_block));                                                         \
            __builtin_memcpy(o, group + skip, (size_t)count * sizeof(T));                                              \
            o += count, first += count, n -= count;                                                                    \
        }                                                                                                              \
    }
TILE(uniform, f32, 4)
TILE(uniform, f64, 2)
TILE(normal, f32, 4)
TILE(normal, f64, 2)
TILE(bits, u64, 2)
