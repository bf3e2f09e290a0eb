/* The words of the dialect in OpenCL C 1.2. HAS_F64 is defined before. What the words mean is in cuda.h and here alike:
 * a kernel is KERNEL(name, wx, wy)(FAULT, BUFFER(0), ..., BYVAL(arguments) p) with groups of wx * wy items. */
#define DIALECT 1
#if HAS_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
#ifdef __clang__ /* (a) | (b) ? x : y is meant as it stands; so is a comparison of x with itself */
#pragma clang diagnostic ignored "-Wbitwise-conditional-parentheses"
#pragma clang diagnostic ignored "-Wtautological-compare"
#endif

typedef float f32;
#if HAS_F64
typedef double f64;
#endif
typedef uchar u8;
typedef char i8;
typedef ushort u16;
typedef short i16;
typedef uint u32;
typedef int i32;
typedef ulong u64;
typedef long i64;
typedef float4 f32x4;
typedef uint4 u32x4;

#define KERNEL(name, wx, wy) __kernel __attribute__((reqd_work_group_size(wx, wy, 1))) void name
#define FN static inline __attribute__((always_inline))
#define GLOBAL __global
#define LOCAL __local
#define SHARED __local
#define CONSTANT_TABLE __constant
#define RESTRICT restrict
#define BYVAL(T) const T
#define UNROLL _Pragma("unroll")
#define UNROLL4 /* not asked for: compilers report what they cannot unroll as an error */
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define LID(d) ((i32)get_local_id(d))
#define WID(d) ((i64)get_group_id(d))
#define WSZ(d) ((i32)get_local_size(d))
#define NWG(d) ((i64)get_num_groups(d))
#define GID(d) ((i64)get_global_id(d))

/* The queue's fault word, and whether the kernel writes over what was there: then not behind a fault. */
#define FAULT GLOBAL i32 *fault, const i32 careful
#define BUFFER(n) GLOBAL u8 *buffer##n, i64 at##n

#define U64(k) ((u64)k)
#define SELECT(condition, a, b) ((condition) ? (a) : (b))
#define AS_U32(x) as_uint(x)
#define AS_F32(x) as_float(x)
/* four neighbours at an address that is a multiple of 16 */
#define MAKE4(a, b, c, d) ((f32x4)(a, b, c, d))
#define LD4(p) (*(const GLOBAL f32x4 *)(p))
#define ST4(p, v) (*(GLOBAL f32x4 *)(p) = (v))
#define LD4U(p) (*(const GLOBAL u32x4 *)(p))
#define ST4U(p, v) (*(GLOBAL u32x4 *)(p) = (v))

/* Functions, not macros: later texts give fma, floor and sqrt meanings of their own. */
FN f32 FMA32(f32 a, f32 b, f32 c)
{
    return fma(a, b, c);
}

FN f32 sqrt_f32(f32 x)
{
    return sqrt(x);
}

#define HAS_FLOOR 1
FN f32 floor_f32(f32 x)
{
    return floor(x);
}

FN f32 trunc_f32(f32 x)
{
    return trunc(x);
}

#if HAS_F64
#define AS_U64(x) as_ulong(x)
#define AS_F64(x) as_double(x)

FN f64 FMA64(f64 a, f64 b, f64 c)
{
    return fma(a, b, c);
}

FN f64 sqrt_f64(f64 x)
{
    return sqrt(x);
}

FN f64 floor_f64(f64 x)
{
    return floor(x);
}

FN f64 trunc_f64(f64 x)
{
    return trunc(x);
}
#endif

FN i32 ATOMIC_SWAP_IF(GLOBAL i32 *p, i32 expected, i32 value)
{
    return atomic_cmpxchg((volatile GLOBAL i32 *)p, expected, value);
}

FN i32 ATOMIC_SWAP(GLOBAL i32 *p, i32 value)
{
    return atomic_xchg((volatile GLOBAL i32 *)p, value);
}

/* Compilers may have these as macros, which later texts define otherwise. */
#undef abs
#undef fma
#undef floor
#undef trunc
#undef sqrt
#undef exp
#undef log
#undef tanh
#undef erf
#undef sin
#undef cos
#undef pow
#undef ceil
#undef round
#undef fmod
#undef remainder
#undef copysign
#undef signbit
#undef nextafter
#undef cbrt
#undef exp2
#undef expm1
#undef log2
#undef log10
#undef log1p
#undef erfc
#undef lgamma
#undef tan
#undef asin
#undef acos
#undef atan
#undef atan2
#undef sinh
#undef cosh
#undef asinh
#undef acosh
#undef atanh
#undef hypot
