/* What tests of our kernels on tensor cores share: how many products they made, and how far off results may be
 * (docs/math.md). */
#ifndef TENSOR_CORES_H
#define TENSOR_CORES_H
#include "backend/gpu/gpu.h"
#include "support/api_test.h"
#include <math.h>
#include <stdlib.h>

#define GPU FA_CUDA(0)

static uint64_t groups; /* what the device says of itself */

static inline fa__gpu_device *own(void)
{
    fa__device *d = fa__device_get(GPU);
    assert_non_null(d);
    return d->own;
}

/* How many products were on tensor cores since this was last asked */
static inline int64_t made(void)
{
    static int64_t before;
    int64_t now = own()->tensor_products, count = now - before;
    before = now;
    return count;
}

static int begin(void **state)
{
    own()->tensor_use = FA__GPU_ALWAYS; /* small ones, too */
    own()->groups = groups;
    made();
    return api_begin(state);
}

#define CASE(f) cmocka_unit_test_setup(f, begin)

/* Which tiles are chosen depends on how many groups keep the device busy. */
static inline void use_large_tiles(bool large)
{
    own()->groups = large ? 0 : UINT64_C(1) << 40;
}

static inline fa_tensor *in_f64(const fa_tensor *x)
{
    return fa_to(fa_cpu(x), FA_F64);
}

/* How far a result may be from the exact one, for sums of k products: relative to the products of absolute values, and
 * to the result, which is rounded once more. */
static inline double of_products(fa_dtype dtype, int64_t k)
{
    return ldexp((double)k + 8, -22) + (dtype == FA_F32 ? ldexp(1, -10) : 0);
}

static inline double of_result(fa_dtype dtype)
{
    return dtype == FA_F32 ? 0 : ldexp(1, dtype == FA_F16 ? -11 : -8);
}

/* A result in `dtype` whose exact values are `want`, with the products' absolute values in `sums`; and on what it was
 * made. */
static inline void check_result(const char *what, fa_dtype dtype, const fa_tensor *have, const fa_tensor *want,
                                const fa_tensor *sums, int64_t k, int64_t on_tensor_cores)
{
    if (!have || fa_tensor_dtype(have) != dtype)
        fail_msg("%s: %s", what, fa_error_message());
    fa_tensor *room = fa_add(fa_mul(sums, of_products(dtype, k)), fa_add(fa_mul(fa_abs(want), of_result(dtype)), 1e-7));
    const double off = fa_item(fa_amax(fa_div(fa_abs(fa_sub(in_f64(have), want)), room)));
    if (!(off <= 1))
        fail_msg("%s of %s: %g times as far off as it may be", what, fa_dtype_name(dtype), off);
    const int64_t count = made();
    if (count != on_tensor_cores)
        fail_msg("%s of %s: %d on tensor cores", what, fa_dtype_name(dtype), (int)count);
}

/* Whether there are tensor cores; says why not. */
static inline bool tensor_cores_there(void)
{
    const char *why = "";
    if (fa_device_count("cuda", &why) && own()->tensor) {
        groups = own()->groups;
        return true;
    }
    printf("skipped: there are no tensor cores here: %s\n", why);
    return false;
}
#endif
