/* What the tests of cuDNN share; CUDNN_MADE(gpu) is the count of results that a test is about. The simulator's or a
 * real GPU, comparisons with results in f64 on the CPU. */
#ifndef CUDNN_TEST_H
#define CUDNN_TEST_H
#include "backend/gpu/cuda/cuda.h"
#include "support/api_test.h"
#include "support/cudasim.h"
#include "support/tensors.h"
#include <stdio.h>

#define GPU FA_CUDA(0)

static const cudasim_functions *sim; /* NULL: the GPU is a real one */

static inline const fa__cuda_device *gpu(void)
{
    const fa__device *d = fa__device_get(GPU);
    assert_non_null(d);
    return fa__cuda_own(d);
}

static inline fa_tensor *in_f64(const fa_tensor *x)
{
    return fa_to(fa_cpu(x), FA_F64);
}

/* How many results were cuDNN's since this was last asked */
static inline int64_t made(void)
{
    static int64_t before;
    const int64_t now = CUDNN_MADE(gpu()), count = now - before;
    before = now;
    return count;
}

static inline int begin(void **state)
{
    made();
    return api_begin(state);
}

#define CASE(f) cmocka_unit_test_setup(f, begin)

/* The largest error in units of the largest number. */
static inline double error_of(const fa_tensor *have, const fa_tensor *want)
{
    if (!have || !want)
        fail_msg("%s", fa_error_message());
    return fa_item(fa_amax(fa_abs(fa_sub(in_f64(have), want)))) / (fa_item(fa_amax(fa_abs(want))) + 1e-300);
}

/* Devices of which each can fail once, and cuDNN for work of any size. False, said why, when there is none, or it has
 * no such function. */
static inline bool cudnn_is_there(const char *function)
{
    setenv("CUDASIM_DEVICES", "8", 1);
    setenv("FACULA_CUDNN", "1", 1);
    sim = test_cudasim();
    if (sim)
        setenv("FACULA_CUDNN_LIBRARY", getenv("FACULA_CUDA_LIBRARY"), 1);
    else
        unsetenv("FACULA_CUDNN_LIBRARY");
    static fa__library cudnn;
    static void (*found)(void);
    const fa__symbol symbol = {function, &found, false};
    const char *why = "";
    const bool devices = fa_device_count("cuda", &why);
    const bool there = devices && fa__cuda_open_library(&cudnn, "FACULA_CUDNN_LIBRARY", "libcudnn", 9, &symbol, 1);
    if (!there)
        printf("skipped: there is no %s: %s\n", devices ? "cuDNN" : "CUDA", devices ? cudnn.reason : why);
    return there;
}
#endif
