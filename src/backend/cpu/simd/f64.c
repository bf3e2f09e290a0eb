/* The loops of class f64. */
#include "convert.h"
#include "math.inc"
#include "math64.inc"
#include "simd.h"
#include "wide.inc"
#include "wide64.inc"

typedef f64 T;
typedef i64 INTEGER;
#define CLASS f64
#define BITS 64
#define CAPITALS F64
#define OWN_DTYPE FA_F64
#define FLOATING 1

#define abs(x) abs_f64(x)
#define fma(x, y, z) FMA64(x, y, z)
#define floor(x) floor_f64(x)
#define trunc(x) trunc_f64(x)
#define sqrt(x) sqrt_f64(x)
#define exp(x) exp_f64(x)
#define log(x) log_f64(x)
#define tanh(x) tanh_f64(x)
#define sigmoid(x) sigmoid_f64(x)
#define erf(x) erf_f64(x)
#define sin(x) sin_f64(x)
#define cos(x) cos_f64(x)
#define pow(x, y) pow_f64(x, y)

#define FROM_bool(s) ((s) != 0 ? 1.0 : 0.0)
#define FROM_u8(s) ((f64)(s))
#define FROM_i8(s) ((f64)(s))
#define FROM_i16(s) ((f64)(s))
#define FROM_i32(s) ((f64)(s))
#define FROM_i64(s) ((f64)(s))
#define FROM_f16(s) ((f64)f32_of_f16(s))
#define FROM_bf16(s) ((f64)f32_of_bf16(s))
#define FROM_f32(s) ((f64)(s))
#define FROM_f64(s) (s)
#define TO_bool(x) ((x) != 0.0 ? 1 : 0)
#define TO_u8(x) ((u8)i64_of_f64(x))
#define TO_i8(x) ((i8)i64_of_f64(x))
#define TO_i16(x) ((i16)i64_of_f64(x))
#define TO_i32(x) ((i32)i64_of_f64(x))
#define TO_i64(x) i64_of_f64(x)
#define TO_f16(x) f16_of_f32(odd_f32_of_f64(x))
#define TO_bf16(x) bf16_of_f32(odd_f32_of_f64(x))
#define TO_f32(x) ((f32)(x))
#define TO_f64(x) (x)

#include "sine.inc"

/* Uses what stands above. */
#include "class.inc"
