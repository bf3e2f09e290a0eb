/* What tests share that compare a GPU's results with the CPU's, bit by bit: the device, random operands on both. */
#ifndef GPU_AGAINST_CPU_H
#define GPU_AGAINST_CPU_H
#include "backend/cpu/level.h"
#include "backend/gpu/driver.h"
#include "support/api_test.h"
#include "support/tensors.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define GPU FA_OPENCL(0)
enum { GPU_SKIPPED = 77 };

/* Whether there is a device; says why not. The CPU's products of bf16 are chains from then on, as those of devices. */
static inline bool gpu_there(void)
{
    const char *level = fa__cpu_level_name();
    if (!strcmp(level, "amx") || !strcmp(level, "avx512_bf16"))
        fa__cpu_level_use("avx512");
    setenv("POCL_DEVICES", "pthread pthread", 0);
    const char *why = "";
    if (fa_device_count("opencl", &why) == 0) {
        printf("skipped: %s\n", why);
        return false;
    }
    return true;
}

static inline fa__gpu_device *gpu_own(void)
{
    fa__device *d = fa__device_get(GPU);
    assert_non_null(d);
    return d->own;
}

/* Setup and teardown of tests of a device that does not compute in f64. */
static bool gpu_had_f64;

__attribute__((__unused__)) static int gpu_without_f64(void **state)
{
    (void)state;
    gpu_had_f64 = gpu_own()->f64;
    gpu_own()->f64 = false;
    fa_error_clear();
    return 0;
}

__attribute__((__unused__)) static int gpu_as_it_was(void **state)
{
    (void)state;
    gpu_own()->f64 = gpu_had_f64;
    bool good = !fa_failed();
    if (!good)
        print_error("left behind: %s\n", fa_error_message());
    fa_error_clear();
    return good ? 0 : -1;
}

static inline bool gpu_has(fa_dtype dtype)
{
    return dtype != FA_F64 || gpu_own()->f64;
}

static uint64_t gpu_seed = 1;

static inline int64_t gpu_below(int64_t n)
{
    gpu_seed = gpu_seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = gpu_seed ^ gpu_seed >> 31;
    return (int64_t)((x * 0x9e3779b97f4a7c15u >> 16) % (uint64_t)n);
}

/* Around 1 and of full precision for floats, now and then special; small whole numbers for integers. */
static inline double gpu_value(fa_dtype dtype, bool special)
{
    static const double specials[] = {INFINITY, -INFINITY, NAN, 65504, -0.0, 1e-39, -1e-39, 3e38};
    static const double small[] = {INFINITY, NAN, 65504, -0.0, -0x1p-14}; /* that f16 has */
    if (dtype == FA_BOOL)
        return (double)gpu_below(2);
    if (dtype < FA_F16)
        return (double)gpu_below(dtype == FA_U8 ? 256 : 120);
    if (special && gpu_below(9) == 0)
        return dtype == FA_F16 ? small[gpu_below(5)] : specials[gpu_below(8)];
    double sign = gpu_below(2) ? 1 : -1;
    return sign * ((double)gpu_below(1 << 20) / (1 << 20) + 0.01);
}

/* The same tensor on the CPU and on the GPU. */
typedef struct pair {
    fa_tensor *cpu, *gpu;
} pair;

static inline pair pair_of(const double *values, fa_dtype dtype, fa_shape shape, layout how)
{
    pair p = {make_tensor(values, dtype, shape.rank, shape.dim, how, FA_CPU),
              make_tensor(values, dtype, shape.rank, shape.dim, how, GPU)};
    if (!p.cpu || !p.gpu)
        fail_msg("%s", fa_error_message());
    return p;
}

static inline int64_t gpu_count(fa_shape shape)
{
    int64_t count = 1;
    for (int i = 0; i < shape.rank; i++)
        count *= shape.dim[i];
    return count;
}

/* below: 0, or indices below it */
static inline pair gpu_random(fa_dtype dtype, fa_shape shape, layout how, bool special, int64_t below)
{
    int64_t count = gpu_count(shape);
    double *values = malloc((size_t)(count + 1) * sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < count; i++)
        values[i] = below ? (double)gpu_below(below) : gpu_value(dtype, special);
    if (how == LAYOUT_EXPANDED)
        repeat_values(shape.rank, shape.dim, values);
    pair p = pair_of(values, dtype, shape, how);
    free(values);
    return p;
}

/* Both were made, and have the same bits. */
#define SAME(what, cpu, gpu, ...)                                                                                      \
    do {                                                                                                               \
        const fa_tensor *same_cpu = (cpu), *same_gpu = (gpu), *same_back = fa_cpu(same_gpu);                           \
        if (!same_cpu || !same_back || !tensor_same_bits(same_back, same_cpu)) {                                       \
            print_error(what ": ", __VA_ARGS__);                                                                       \
            fail_msg("%s", fa_failed() ? fa_error_message() : "the bits differ");                                      \
        }                                                                                                              \
    } while (0)
#endif
