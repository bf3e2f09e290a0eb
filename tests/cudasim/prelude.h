/* CUDA's words for the host's C++ compiler: what a kernel's source finds when the simulator compiles it. One object has
 * one kernel's source; which thread runs stands in cudasim_place, and the simulator, which runs one block at a time,
 * changes that. */
typedef struct cudasim_three {
    unsigned x, y, z;
} cudasim_three;

extern "C" struct {
    cudasim_three thread, block, threads, blocks;
    void (*barrier)(void);
} cudasim_place;
__typeof__(cudasim_place) cudasim_place;
#define threadIdx cudasim_place.thread
#define blockIdx cudasim_place.block
#define blockDim cudasim_place.threads
#define gridDim cudasim_place.blocks
#define __syncthreads() cudasim_place.barrier()

/* A block's memory is in one section, which is poisoned before each block. */
#define __shared__ static __attribute__((__section__("cudasim_local")))
static char cudasim_first __attribute__((__section__("cudasim_local"), __used__)) = 0;
extern "C" {
extern char __start_cudasim_local[] __attribute__((__visibility__("hidden")));
extern char __stop_cudasim_local[] __attribute__((__visibility__("hidden")));
char *cudasim_shared[2] = {__start_cudasim_local, __stop_cudasim_local};
int cudasim_architecture = CUDASIM_ARCHITECTURE;
}

#define __global__ __attribute__((__hot__)) /* by which module.c finds kernels */
#define __device__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline __attribute__((__always_inline__))
#define __launch_bounds__(threads)

struct __attribute__((__aligned__(16))) float4 {
    float x, y, z, w;
};
struct __attribute__((__aligned__(16))) uint4 {
    unsigned x, y, z, w;
};
static inline float4 make_float4(float x, float y, float z, float w)
{
    return float4{x, y, z, w};
}

/* ---- accesses, as the compiler reports them to the thread sanitizer ---- */
#ifdef CUDASIM_RACES
#define CUDASIM_HIDDEN __attribute__((__visibility__("hidden"), __no_sanitize__("thread")))
extern "C" {
void (*cudasim_touched)(const void *, unsigned long, int);
#define CUDASIM_ACCESS(size)                                                                                           \
    CUDASIM_HIDDEN void __tsan_read##size(void *p)                                                                     \
    {                                                                                                                  \
        cudasim_touched(p, size, 0);                                                                                   \
    }                                                                                                                  \
    CUDASIM_HIDDEN void __tsan_write##size(void *p)                                                                    \
    {                                                                                                                  \
        cudasim_touched(p, size, 1);                                                                                   \
    }                                                                                                                  \
    CUDASIM_HIDDEN void __tsan_unaligned_read##size(void *p)                                                           \
    {                                                                                                                  \
        cudasim_touched(p, size, 0);                                                                                   \
    }                                                                                                                  \
    CUDASIM_HIDDEN void __tsan_unaligned_write##size(void *p)                                                          \
    {                                                                                                                  \
        cudasim_touched(p, size, 1);                                                                                   \
    }
CUDASIM_ACCESS(1)
CUDASIM_ACCESS(2)
CUDASIM_ACCESS(4)
CUDASIM_ACCESS(8)
CUDASIM_ACCESS(16)
CUDASIM_HIDDEN void __tsan_read_range(void *p, unsigned long size)
{
    cudasim_touched(p, size, 0);
}
CUDASIM_HIDDEN void __tsan_write_range(void *p, unsigned long size)
{
    cudasim_touched(p, size, 1);
}
CUDASIM_HIDDEN void __tsan_init(void)
{
}
CUDASIM_HIDDEN void __tsan_func_entry(void *)
{
}
CUDASIM_HIDDEN void __tsan_func_exit(void)
{
}
}
#endif

/* ---- functions ---- */
template <typename To, typename From> static inline To cudasim_as(From x)
{
    static_assert(sizeof(To) == sizeof(From), "of one size");
    To y;
    __builtin_memcpy(&y, &x, sizeof y);
    return y;
}
static inline int __float_as_int(float x)
{
    return cudasim_as<int>(x);
}
static inline float __int_as_float(int x)
{
    return cudasim_as<float>(x);
}
static inline long long __double_as_longlong(double x)
{
    return cudasim_as<long long>(x);
}
static inline double __longlong_as_double(long long x)
{
    return cudasim_as<double>(x);
}
#define __fmaf_rn(a, b, c) __builtin_fmaf(a, b, c)
#define __fma_rn(a, b, c) __builtin_fma(a, b, c)
#define __fsqrt_rn(x) __builtin_sqrtf(x)
#define __dsqrt_rn(x) __builtin_sqrt(x)
#define floorf(x) __builtin_floorf(x)
#define truncf(x) __builtin_truncf(x)
static inline double floor(double x)
{
    return __builtin_floor(x);
}
static inline double trunc(double x)
{
    return __builtin_trunc(x);
}

/* Threads do not run at once. */
static inline int atomicCAS(int *p, int expected, int value)
{
    int old = *p;
    *p = old == expected ? value : old;
    return old;
}
static inline int atomicExch(int *p, int value)
{
    int old = *p;
    *p = value;
    return old;
}

/* ---- how the simulator calls a kernel: by addresses of its arguments ---- */
struct cudasim_kernel {
    void (*run)(void **);
    int count;
    unsigned size[64];
};

template <int... I> struct cudasim_list {
};
template <int N, int... I> struct cudasim_upto : cudasim_upto<N - 1, N - 1, I...> {
};
template <int... I> struct cudasim_upto<0, I...> {
    typedef cudasim_list<I...> list;
};

template <typename... A, int... I>
static inline void cudasim_apply(void (*kernel)(A...), void **argument, cudasim_list<I...>)
{
    kernel(*static_cast<A *>(argument[I])...);
}

template <typename... A> static inline void cudasim_call(void (*kernel)(A...), void **argument)
{
    cudasim_apply(kernel, argument, typename cudasim_upto<sizeof...(A)>::list());
}

template <typename... A> constexpr cudasim_kernel cudasim_describe(void (*)(A...), void (*run)(void **))
{
    return cudasim_kernel{run, sizeof...(A), {sizeof(A)...}};
}
