/* CUDA's words for the host's C++ compiler: what a kernel's source finds when the simulator compiles it. One object has
 * one kernel's source; which thread runs stands in cudasim_place, and the simulator, which runs one block at a time,
 * changes that. */
typedef struct cudasim_three {
    unsigned x, y, z;
} cudasim_three;

extern "C" struct {
    cudasim_three thread, block, threads, blocks;
    void (*barrier)(void);
    void (*warp)(void); /* until all threads of the warp are there */
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
#define __launch_bounds__(...)

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

extern "C" {
void abort(void) __attribute__((__noreturn__));
int dprintf(int, const char *, ...);
}
static inline void cudasim_stop(const char *why)
{
    dprintf(2, "cudasim: %s\n", why);
    abort();
}

/* ---- tensor cores: what dialect/cuda_tensor.h has in PTX ---- */
struct cudasim_lane { /* what a thread shows to its warp */
    unsigned word[6];
};
enum { CUDASIM_THREADS = 1024, CUDASIM_COPIES = 64 };
static cudasim_lane cudasim_lanes[2][CUDASIM_THREADS];
static unsigned char cudasim_turn[CUDASIM_THREADS];

static inline unsigned cudasim_thread()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/* Shows a thread's words to its warp, and has those of all its threads. They stay until the next but one call. */
static inline const cudasim_lane *cudasim_show(const unsigned *word, int count)
{
    const unsigned me = cudasim_thread(), side = cudasim_turn[me] ^= 1;
    for (int i = 0; i < count; i++)
        cudasim_lanes[side][me].word[i] = word[i];
    cudasim_place.warp();
    return cudasim_lanes[side] + me / 32 * 32;
}

/* Copies run as late as they may: when a thread waits for them. */
struct cudasim_copy {
    unsigned char *to;
    const unsigned char *from;
    int bytes;
};
static cudasim_copy cudasim_copies[CUDASIM_THREADS][CUDASIM_COPIES];
static int cudasim_begun[CUDASIM_THREADS], cudasim_groups[CUDASIM_THREADS],
    cudasim_end[CUDASIM_THREADS][CUDASIM_COPIES];

static inline void copy16(unsigned char *to, const unsigned char *from, int bytes)
{
    const unsigned me = cudasim_thread();
    if (((unsigned long)to | (bytes ? (unsigned long)from : 0)) % 16 || bytes < 0 || bytes > 16
        || cudasim_begun[me] == CUDASIM_COPIES)
        cudasim_stop("a copy of 16 bytes is not aligned, or none of them is ever waited for");
    cudasim_copy c = {to, from, bytes};
    cudasim_copies[me][cudasim_begun[me]++] = c;
}

static inline void copies_end_group()
{
    const unsigned me = cudasim_thread();
    cudasim_end[me][cudasim_groups[me]++] = cudasim_begun[me];
}

static inline void copies_wait_but_one()
{
    const unsigned me = cudasim_thread();
    const int last = cudasim_groups[me] - 1, done = last > 0 ? cudasim_end[me][last - 1] : 0;
    for (int i = 0; i < done; i++) {
        const cudasim_copy &c = cudasim_copies[me][i];
        for (int k = 0; k < 16; k++)
            c.to[k] = k < c.bytes ? c.from[k] : 0;
    }
    for (int i = done; i < cudasim_begun[me]; i++)
        cudasim_copies[me][i - done] = cudasim_copies[me][i];
    cudasim_begun[me] -= done;
    if (last >= 0) {
        cudasim_end[me][0] = cudasim_begun[me];
        cudasim_groups[me] = 1;
    }
}

/* Rows of 16 bytes of one matrix that share banks of shared memory */
extern "C" {
long cudasim_bank_conflicts;
}

static inline void cudasim_load_matrices(unsigned *x, const unsigned char *row, bool turned)
{
    const unsigned lane = cudasim_thread() % 32;
    if ((unsigned long)row % 16)
        cudasim_stop("ldmatrix of a row that is not aligned");
    const unsigned *r = (const unsigned *)row,
                   word[5] = {r[0], r[1], r[2], r[3], (unsigned)((unsigned long)row / 16 % 8)};
    const cudasim_lane *all = cudasim_show(word, 5);
    for (unsigned i = lane / 8 * 8; i < lane; i++)
        cudasim_bank_conflicts += all[i].word[4] == word[4];
    for (int m = 0; m < 4; m++) {
        const cudasim_lane *matrix = all + 8 * m;
        x[m] = matrix[lane / 4].word[lane % 4];
        if (turned) {
            const unsigned first = matrix[lane % 4 * 2].word[lane / 8] >> lane / 4 % 2 * 16;
            const unsigned second = matrix[lane % 4 * 2 + 1].word[lane / 8] >> lane / 4 % 2 * 16;
            x[m] = (first & 0xffff) | second << 16;
        }
    }
}

static inline void load_matrices(unsigned *x, const unsigned char *row)
{
    cudasim_load_matrices(x, row, false);
}

static inline void load_matrices_turned(unsigned *x, const unsigned char *row)
{
    cudasim_load_matrices(x, row, true);
}

/* Half of the last bit that stays is added: ties go away from zero. */
static inline unsigned tf32_of(unsigned x)
{
    return (x & 0x7f800000) == 0x7f800000 ? x : (x + 0x1000) & ~0x1fffu;
}

static inline double cudasim_f16(unsigned h)
{
    const unsigned e = h >> 10 & 31, f = h & 1023;
    const double x = e == 31 ? (f ? __builtin_nan("") : __builtin_inf())
                             : __builtin_ldexp(e ? 1024.0 + f : f, e ? (int)e - 25 : -24);
    return h >> 15 & 1 ? -x : x;
}

static inline double cudasim_bf16(unsigned h)
{
    return __int_as_float((int)(h << 16));
}

/* Bits that the tensor cores do not look at are random: kernels have to round. */
static inline double cudasim_tf32(unsigned x)
{
    return __int_as_float((int)(x ^ (x & 0x1fff ? 0x1fff : 0)));
}

/* Element k of a fragment's line: its thread has two of two bytes in a word, or one of four. */
template <double (*Of)(unsigned), int Each>
static inline double cudasim_element(const cudasim_lane *line, int word, int k)
{
    const int pairs = 4 * Each; /* elements of a word of the four threads */
    const unsigned bits = line[k % pairs / Each].word[word];
    return Of(Each == 2 ? bits >> k % 2 * 16 & 0xffff : bits);
}

/* c (16 x 8) += a b: each sum is exact but for f64's bits, and rounded once. The real one may round more often. */
template <double (*Of)(unsigned), int Each>
static inline void cudasim_multiply(float *c, const unsigned *a, const unsigned *b)
{
    const unsigned lane = cudasim_thread() % 32, word[6] = {a[0], a[1], a[2], a[3], b[0], b[1]};
    const cudasim_lane *all = cudasim_show(word, 6);
    for (int i = 0; i < 4; i++) {
        const cudasim_lane *row = all + lane / 4 * 4, *column = all + (lane % 4 * 2 + i % 2) * 4;
        double sum = c[i];
        for (int k = 0; k < 8 * Each; k++) {
            const int high = k / (4 * Each);
            sum += cudasim_element<Of, Each>(row, i / 2 + 2 * high, k) * cudasim_element<Of, Each>(column, 4 + high, k);
        }
        c[i] = (float)sum;
    }
}
#define multiply_f16 cudasim_multiply<cudasim_f16, 2>
#define multiply_bf16 cudasim_multiply<cudasim_bf16, 2>
#define multiply_tf32 cudasim_multiply<cudasim_tf32, 1>

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
