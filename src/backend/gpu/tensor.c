/* Matrix products of f16, bf16, and of f32 that may be rounded to TF32, by our kernel on tensor cores
 * (dialect/tensor_matmul.inc): those that no library made, on devices that have them. Sums are made in another order
 * than the chains of dialect/matmul.inc: never under FA_USE(.deterministic = true), which promises the CPU's bits.
 *
 * FACULA_TENSOR_CORES=0 turns it off; with 1 it makes all products that lie right, of any size. */
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"
#include "backend/gpu/queue.h"
#include "base/integer.h"
#include "core/context.h"

enum {
    LARGE = 128, /* tiles */
    SMALL = 64,
    LEAST_SIDE = 64, /* rows and columns, */
    LEAST_DEPTH = 32,
    LEAST_WORK = 1 << 21, /* and multiplications of a product that is worth it: smaller ones have the CPU's bits */
    MOST_DEPTH = 1 << 30, /* that the kernel counts */
    AT_ONCE = 16,         /* bytes that are read */
    PER_UNIT = 16         /* of fa__gpu_device's groups */
};

/* What the kernel calls its kind; -1: it has none for the dtype. */
static int kind_of(int dtype)
{
    return dtype == FA_F16 ? 1 : dtype == FA_BF16 ? 2 : dtype == FA_F32 && fa__ctx()->settings->tf32 ? 0 : -1;
}

static bool lies_right(const matmul_arguments *p)
{
    return (p->a_col == 1 || p->a_row == 1) && (p->b_row == 1 || p->b_col == 1) && p->k < MOST_DEPTH;
}

static bool is_large(const matmul_arguments *p)
{
    return p->m >= LEAST_SIDE && p->n >= LEAST_SIDE && p->k >= LEAST_DEPTH
           && (double)p->m * (double)p->n * (double)p->k * (double)fa__gpu_batch(p) >= LEAST_WORK;
}

bool fa__gpu_wants_tensor_cores(const fa__gpu_device *g, const fa__gpu_product *x)
{
    const matmul_arguments *p = &x->p;
    return g->tensor_use != FA__GPU_NEVER && p->m > 0 && p->n > 0 && p->k > 0 && fa__gpu_batch(p) > 0
           && kind_of(p->dtype) >= 0 && !fa__ctx()->settings->deterministic && lies_right(p)
           && (g->tensor_use == FA__GPU_ALWAYS || is_large(p));
}

/* Whether `elements` neighbours from each start of a line on are at addresses that are multiples of their size. */
static bool is_aligned(const matmul_arguments *p, const void *address, int64_t step, const int64_t *batch,
                       int64_t elements)
{
    const int64_t size = p->dtype == FA_F32 ? 4 : 2;
    bool aligned = (uintptr_t)address % (uintptr_t)(elements * size) == 0 && step % elements == 0;
    for (int d = 0; d < p->rank; d++)
        aligned &= batch[d] % elements == 0;
    return aligned;
}

uint64_t fa__gpu_run_on_tensor_cores(fa__gpu_issue *issue, const fa__gpu_product *x)
{
    fa__gpu_device *g = issue->device->own;
    matmul_arguments p = x->p;
    const int64_t units = (int64_t)(g->groups / PER_UNIT), at_once = p.dtype == FA_F32 ? AT_ONCE / 4 : AT_ONCE / 2;
    const bool large = fa__ceil_div(p.m, LARGE) * fa__ceil_div(p.n, LARGE) * fa__gpu_batch(&p) >= units;
    const int tile = large ? LARGE : SMALL, a_turned = p.a_col != 1, b_turned = p.b_row != 1;
    const fa__gpu_kernel *kernel = fa__gpu_fixed(issue, large ? FA__GPU_TENSOR_MATMUL : FA__GPU_TENSOR_MATMUL_SMALL,
                                                 4 * kind_of(p.dtype) + 2 * a_turned + b_turned, FA__CLASS_F32);
    if (!kernel)
        return 0;
    p.across = fa__ceil_div(p.n, tile);
    p.down = fa__ceil_div(p.m, tile);
    p.wide = is_aligned(&p, x->a, a_turned ? p.a_col : p.a_row, p.a, at_once) ? TENSOR_A_ALIGNED : 0;
    p.wide |= is_aligned(&p, x->b, b_turned ? p.b_row : p.b_col, p.b, at_once) ? TENSOR_B_ALIGNED : 0;
    p.wide |= p.c_col == 1 && is_aligned(&p, x->c, p.c_row, p.c, 2) ? TENSOR_PAIRS : 0;
    fa__gpu_args args = {.count = 0};
    fa__gpu_memory(&args, x->c);
    fa__gpu_memory(&args, x->a);
    fa__gpu_memory(&args, x->b);
    fa__gpu_memory(&args, x->bias);
    fa__gpu_value(&args, &p, sizeof p);
    g->tensor_products++;
    return fa__gpu_launch_groups(issue, kernel, (uint64_t[3]){(uint64_t)(p.across * p.down * fa__gpu_batch(&p)), 1, 1},
                                 &args);
}
