/* What the tests of products on a GPU share: the dtypes that have one, and the choice between both kinds of kernels. */
#ifndef GPU_PRODUCTS_H
#define GPU_PRODUCTS_H
#include "backend/cpu/level.h"
#include "gpu/gpu_against_cpu.h"

static const fa_dtype dtypes[] = {FA_F32, FA_F16, FA_BF16, FA_F64, FA_U8, FA_I8, FA_I16, FA_I32, FA_I64};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

static uint64_t groups; /* what the device says of itself */

/* Which kernels are chosen depends on how many groups keep the device busy. */
typedef enum { TILES, DIRECT, CHOSEN, WAYS } way;

static void choose(way w)
{
    gpu_own()->groups = w == TILES ? 0 : w == DIRECT ? UINT64_C(1) << 40 : groups;
}

static int begin(void **state)
{
    groups = gpu_own()->groups;
    return api_begin(state);
}

static int end(void **state)
{
    (void)state;
    choose(CHOSEN);
    return 0;
}
#endif
