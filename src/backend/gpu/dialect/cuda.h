/* The words of the dialect in CUDA C++, without any header: inline PTX and compiler built-ins only. */
#define DIALECT 1

typedef float f32;
typedef double f64;
typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;
typedef float4 f32x4;
typedef uint4 u32x4;

#define KERNEL(name, wx, wy) extern "C" __global__ void __launch_bounds__((wx) * (wy)) name
#define FN static __device__ __forceinline__
#define GLOBAL
#define LOCAL
#define SHARED __shared__
#define CONSTANT_TABLE static __constant__ const
#define RESTRICT __restrict__
#define BYVAL(T) const __grid_constant__ T
#define UNROLL _Pragma("unroll")
#define UNROLL4 _Pragma("unroll 4")
#define BARRIER() __syncthreads()
#define AXIS_0 x
#define AXIS_1 y
#define AXIS_2 z
#define ON_AXIS_OF(vector, axis) vector.axis
#define ON_AXIS(vector, axis) ON_AXIS_OF(vector, axis)
#define LID(d) ((i32)ON_AXIS(threadIdx, AXIS_##d))
#define WID(d) ((i64)ON_AXIS(blockIdx, AXIS_##d))
#define WSZ(d) ((i32)ON_AXIS(blockDim, AXIS_##d))
#define NWG(d) ((i64)ON_AXIS(gridDim, AXIS_##d))
#define GID(d) (WID(d) * WSZ(d) + LID(d))

/* The queue's fault word, and whether the kernel writes over what was there: then not behind a fault. */
#define FAULT GLOBAL i32 *fault, const i32 careful
#define BUFFER(n) GLOBAL u8 *buffer##n, i64 at##n

#define U64(k) ((u64)k)
#define SELECT(condition, a, b) ((condition) ? (a) : (b))
#define AS_U32(x) ((u32)__float_as_int(x))
#define AS_F32(x) __int_as_float((i32)(x))
#define AS_U64(x) ((u64)__double_as_longlong(x))
#define AS_F64(x) __longlong_as_double((i64)(x))
/* four neighbours at an address that is a multiple of 16 */
#define MAKE4(a, b, c, d) make_float4(a, b, c, d)
#define LD4(p) (*(const f32x4 *)(p))
#define ST4(p, v) (*(f32x4 *)(p) = (v))
#define LD4U(p) (*(const u32x4 *)(p))
#define ST4U(p, v) (*(u32x4 *)(p) = (v))

/* Functions, not macros: later texts give fma, floor and sqrt meanings of their own. */
FN f32 FMA32(f32 a, f32 b, f32 c)
{
    return __fmaf_rn(a, b, c);
}

FN f32 sqrt_f32(f32 x)
{
    return __fsqrt_rn(x);
}

#define HAS_FLOOR 1
FN f32 floor_f32(f32 x)
{
    return floorf(x);
}

FN f32 trunc_f32(f32 x)
{
    return truncf(x);
}

FN f64 FMA64(f64 a, f64 b, f64 c)
{
    return __fma_rn(a, b, c);
}

FN f64 sqrt_f64(f64 x)
{
    return __dsqrt_rn(x);
}

FN f64 floor_f64(f64 x)
{
    return floor(x);
}

FN f64 trunc_f64(f64 x)
{
    return trunc(x);
}

FN i32 ATOMIC_SWAP_IF(GLOBAL i32 *p, i32 expected, i32 value)
{
    return atomicCAS(p, expected, value);
}

FN i32 ATOMIC_SWAP(GLOBAL i32 *p, i32 value)
{
    return atomicExch(p, value);
}
