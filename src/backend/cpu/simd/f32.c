/* The loops of class f32. */
#include "convert.h"
#include "math.inc"
#include "math64.inc"
#include "simd.h"
#include "wide.inc"

typedef f32 T;
typedef i32 INTEGER;
#define CLASS f32
#define BITS 32
#define CAPITALS F32
#define OWN_DTYPE FA_F32
#define FLOATING 1

#define abs(x) abs_f32(x)
#define fma(x, y, z) FMA32(x, y, z)
#define floor(x) floor_f32(x)
#define trunc(x) trunc_f32(x)
#define sqrt(x) sqrt_f32(x)
#define exp(x) exp_f32(x)
#define log(x) log_f32(x)
#define tanh(x) tanh_f32(x)
#define sigmoid(x) sigmoid_f32(x)
#define erf(x) erf_f32(x)
#define sin(x) sin_f32(x)
#define cos(x) cos_f32(x)
#define pow(x, y) pow_f32(x, y)

#define FROM_bool(s) ((s) != 0 ? 1.0f : 0.0f)
#define FROM_u8(s) ((f32)(s))
#define FROM_i8(s) ((f32)(s))
#define FROM_i16(s) ((f32)(s))
#define FROM_i32(s) ((f32)(s))
#define FROM_i64(s) ((f32)(s))
#define FROM_f16(s) f32_of_f16(s)
#define FROM_bf16(s) f32_of_bf16(s)
#define FROM_f32(s) (s)
#define FROM_f64(s) ((f32)(s))
#define TO_bool(x) ((x) != 0.0f ? 1 : 0)
#define TO_u8(x) ((u8)i32_of_f32(x))
#define TO_i8(x) ((i8)i32_of_f32(x))
#define TO_i16(x) ((i16)i32_of_f32(x))
#define TO_i32(x) i32_of_f32(x)
#define TO_i64(x) i64_of_f64((f64)(x))
#define TO_f16(x) f16_of_f32(x)
#define TO_bf16(x) bf16_of_f32(x)
#define TO_f32(x) (x)
#define TO_f64(x) ((f64)(x))

#include "sine.inc"

/* Uses what stands above. */
#include "class.inc"
