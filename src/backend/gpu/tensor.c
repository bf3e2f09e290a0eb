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
    LARGE = FA__GPU_LARGE_TILE,
    SMALL = FA__GPU_SMALL_TILE,
    LEAST_SIDE = 64, /* rows and columns, */
    LEAST_DEPTH = 32,
    LEAST_WORK = 1 << 21, /* and multiplications of a product that is worth it: smaller ones have the CPU's bits */
    MOST_DEPTH = 1 << 30, /* that the kernel counts */
    AT_ONCE = 16,         /* bytes that are read */
    PART = 256,           /* the least depth of a part of a product, which is a multiple of */
    STEP = 32,            /* what all kinds read in whole steps */
    MOST_PARTS = 32,
    PER_UNIT = 16 /* of fa__gpu_device's groups */
};

int fa__gpu_tensor_kind(const fa__gpu_device *g, int dtype)
{
    const fa_settings *s = fa__ctx()->settings;
    if (g->tensor_use == FA__GPU_NEVER || s->deterministic)
        return -1;
    return dtype == FA_F16 ? 1 : dtype == FA_BF16 ? 2 : dtype == FA_F32 && s->tf32 ? 0 : -1;
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
    return fa__gpu_tensor_kind(g, p->dtype) >= 0 && p->m > 0 && p->n > 0 && p->k > 0 && fa__gpu_batch(p) > 0
           && lies_right(p) && (g->tensor_use == FA__GPU_ALWAYS || is_large(p));
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

int64_t fa__gpu_tensor_units(const fa__gpu_device *g)
{
    return (int64_t)(g->groups / PER_UNIT);
}

static uint64_t launch_product(fa__gpu_issue *issue, const fa__gpu_product *x)
{
    fa__gpu_device *g = issue->device->own;
    matmul_arguments p = x->p;
    const int64_t units = fa__gpu_tensor_units(g), at_once = p.dtype == FA_F32 ? AT_ONCE / 4 : AT_ONCE / 2;
    const bool large = !p.depth && fa__ceil_div(p.m, LARGE) * fa__ceil_div(p.n, LARGE) * fa__gpu_batch(&p) >= units;
    const int tile = large ? LARGE : SMALL, a_turned = p.a_col != 1, b_turned = p.b_row != 1;
    const fa__gpu_kernel *kernel =
        fa__gpu_fixed(issue, large ? FA__GPU_TENSOR_MATMUL : FA__GPU_TENSOR_MATMUL_SMALL,
                      4 * fa__gpu_tensor_kind(g, p.dtype) + 2 * a_turned + b_turned, FA__CLASS_F32);
    if (!kernel)
        return 0;
    p.across = fa__ceil_div(p.n, tile);
    p.down = fa__ceil_div(p.m, tile);
    p.wide &= TENSOR_SUMS;
    p.wide |= is_aligned(&p, x->a, a_turned ? p.a_col : p.a_row, p.a, at_once) ? TENSOR_A_ALIGNED : 0;
    p.wide |= is_aligned(&p, x->b, b_turned ? p.b_row : p.b_col, p.b, at_once) ? TENSOR_B_ALIGNED : 0;
    p.wide |= p.c_col == 1 && is_aligned(&p, x->c, p.c_row, p.c, 2) ? TENSOR_PAIRS : 0;
    fa__gpu_args args = {.count = 0};
    fa__gpu_memory(&args, x->c);
    fa__gpu_memory(&args, x->a);
    fa__gpu_memory(&args, x->b);
    fa__gpu_memory(&args, x->bias);
    fa__gpu_value(&args, &p, sizeof p);
    return fa__gpu_launch_groups(issue, kernel, (uint64_t[3]){(uint64_t)(p.across * p.down * fa__gpu_batch(&p)), 1, 1},
                                 &args);
}

/* ---- products of few tiles and many sums: their k is divided, so that all multiprocessors have work ---- */
static int64_t parts_of(const fa__gpu_device *g, const matmul_arguments *p)
{
    const int64_t tiles = fa__ceil_div(p->m, SMALL) * fa__ceil_div(p->n, SMALL), most = p->k / PART;
    int64_t parts = p->rank || p->bias ? 1 : fa__gpu_tensor_units(g) / tiles;
    parts = parts < most ? parts : most;
    return parts < MOST_PARTS ? parts : MOST_PARTS;
}

/* The parts as a batch of products, whose results are f32 and stand one behind the other. */
static fa__gpu_product in_parts(const fa__gpu_product *x, int64_t parts, void *sums)
{
    fa__gpu_product y = *x;
    matmul_arguments *p = &y.p;
    const int64_t each = fa__ceil_div(fa__ceil_div(p->k, parts), STEP) * STEP;
    y.c = sums;
    p->depth = (int32_t)p->k;
    p->k = each;
    p->rank = 1;
    p->shape[0] = fa__ceil_div(p->depth, each);
    p->a[0] = each * p->a_col;
    p->b[0] = each * p->b_row;
    p->c[0] = p->m * p->n;
    p->c_row = p->n;
    p->c_col = 1;
    p->wide = TENSOR_SUMS;
    return y;
}

/* Added in order: the same bits in every run. */
static uint64_t launch_sums(fa__gpu_issue *issue, const fa__gpu_product *x, int64_t parts, const void *sums)
{
    const matmul_arguments *p = &x->p;
    const convolve_add_arguments b = {.groups = 1,
                                      .parts = parts,
                                      .added = 1,
                                      .m = p->m,
                                      .n = p->n,
                                      .taps = {p->n, 1, 1},
                                      .out = {p->c_row, p->c_col},
                                      .dtype = p->dtype};
    const fa__gpu_kernel *kernel = fa__gpu_fixed(issue, FA__GPU_CONVOLVE_ADD,
                                                 2 * fa__gpu_tensor_kind(issue->device->own, p->dtype), FA__CLASS_F32);
    return FA__GPU_LAUNCH(issue, kernel, p->m * p->n, b, x->c, sums);
}

uint64_t fa__gpu_run_on_tensor_cores(fa__gpu_issue *issue, const fa__gpu_product *x)
{
    fa__gpu_device *g = issue->device->own;
    const int64_t parts = parts_of(g, &x->p);
    g->tensor_products++;
    if (parts < 2)
        return launch_product(issue, x);
    void *sums = fa__gpu_scratch(issue, (size_t)(parts * x->p.m * x->p.n) * sizeof(float));
    if (!sums)
        return 0;
    const fa__gpu_product y = in_parts(x, parts, sums);
    return launch_product(issue, &y) ? launch_sums(issue, x, y.p.shape[0], sums) : 0;
}
