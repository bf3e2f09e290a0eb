/* Convolutions on GPUs: what of them the kernels of dialect/convolve.inc and, where large ones of f16, bf16 and TF32
 * may be made on tensor cores (tensor.c), of dialect/tensor_convolve.inc are given, and in which tiles. */
#include "backend/convolution.h"
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"
#include "base/error.h"
#include "base/integer.h"
#include <math.h>

enum {
    TILE = 64, /* as those of products (matmul.c) */
    DIRECT = 64,
    FEW = 16,             /* on tensor cores, too: rows, columns, depth; */
    LEAST_WORK = 1 << 21, /* and there multiplications of a convolution that is worth it, */
    MOST_DEPTH = 1 << 30, /* sums that the kernel counts, */
    AT_ONCE = 16          /* bytes that are read */
};

typedef struct convolution {
    fa__gpu_issue *issue;
    const fa__launch *launch;
    fa__convolution v;
    int dtype;
    void *out;
    const void *left, *image, *bias;
    int64_t bias_step;
} convolution;

static int kind_of(int dtype)
{
    return dtype == FA_F16 ? 1 : dtype == FA_BF16 ? 2 : dtype == FA_U8 || dtype == FA_I8 || dtype == FA_I16 ? 3 : 0;
}

/* How 64 items share a rectangle of elements: 2^wide columns, the rest rows. */
static int width_of(int64_t m, int64_t n)
{
    int wide = 3;
    while (wide < 6 && m <= DIRECT >> (wide + 1))
        wide++;
    while (wide > 0 && n <= 1 << (wide - 1))
        wide--;
    return wide;
}

/* ---- what patches are of ---- */

static void set_patches(convolve_arguments *a, const fa__patches *p)
{
    a->pixels[0] = p->images;
    a->taps[0] = p->channels;
    for (int d = 0; d < 2; d++) {
        a->pixels[1 + d] = p->pixels[d];
        a->taps[1 + d] = p->taps[d];
        a->size[d] = p->size[d];
        a->start[d] = p->start[d];
        a->step[d] = p->step[d];
        a->tap[d] = p->tap[d];
    }
    for (int i = 0; i < 4; i++)
        a->patch[i] = p->stride[i];
}

/* Strides by m, and by images or the other channels, rows and columns */
static void set_strides(i64 to[4], int64_t m, int64_t first, const int64_t *rest)
{
    to[0] = m;
    to[1] = first;
    to[2] = rest[0];
    to[3] = rest[1];
}

static void set_back(convolve_arguments *a, const fa__convolution *v)
{
    const int64_t class[2] = {0, 0};
    int64_t first[2], every[2];
    const fa__patches p = fa__convolution_patches_back(v, class, first, every);
    set_patches(a, &p);
    a->back = 1;
    for (int d = 0; d < 2; d++) {
        a->classes[d] = fa__convolution_classes(v, d);
        a->x_size[d] = v->size[d];
        a->filter[d] = v->kernel[d];
        a->stride[d] = v->stride[d];
        a->dilation[d] = v->dilation[d];
        a->front[d] = v->front[d];
        a->every[d] = every[d];
        a->left[2 + d] *= every[d];
        a->out[2 + d] *= v->stride[d];
    }
}

/* Rows and columns are 32 bits in the kernel, and their sums. */
static bool fits(const convolution *w, const convolve_arguments *a)
{
    double most = 0;
    for (int d = 0; d < 2; d++) {
        double pixels = (double)a->pixels[1 + d] * (double)a->step[d] + (double)w->v.front[d];
        double taps = (double)w->v.kernel[d] * (double)w->v.dilation[d];
        most = pixels + taps > most ? pixels + taps : most;
        most = (double)a->size[d] > most ? (double)a->size[d] : most;
    }
    return most < -(double)CONVOLVE_NOWHERE
           || fa__fail(FA_ERROR_UNAVAILABLE,
                       "%s: an image that is padded so far, or a kernel that is dilated so far, is more than a kernel "
                       "of this device takes: FA_USE(.fallback = true) runs it on the CPU by counted copies",
                       w->launch->op->name);
}

/* ---- on tensor cores ---- */

/* How many products a sum has, over all taps */
static int64_t depth_of(const fa__convolution *v, const convolve_arguments *a)
{
    return a->weight ? v->images * v->result[0] * v->result[1]
                     : (a->back ? v->out : v->in) * v->kernel[0] * v->kernel[1];
}

/* Whether places in an operand, from the first one of a group of channels on, are 32-bit numbers. */
static bool is_near(const int64_t stride[4], int64_t images, int64_t channels, int64_t rows, int64_t columns)
{
    const int64_t size[4] = {images, channels, rows, columns};
    double most = 0;
    for (int i = 0; i < 4; i++)
        most += fabs((double)stride[i]) * (double)size[i];
    return most < INT32_MAX;
}

static bool are_near(const fa__convolution *v)
{
    return is_near(v->x, v->images, v->in, v->size[0], v->size[1])
           && is_near(v->y, v->images, v->out, v->result[0], v->result[1])
           && is_near(v->weight, v->out, v->in, v->kernel[0], v->kernel[1]);
}

static bool wants_tensor_cores(const convolution *w, const convolve_arguments *a, int64_t n)
{
    const fa__gpu_device *g = w->issue->device->own;
    const int64_t k = depth_of(&w->v, a);
    const double work = (double)a->m * (double)n * (double)k * (double)w->v.groups;
    return fa__gpu_tensor_kind(g, w->dtype) >= 0 && a->m > 0 && n > 0 && k < MOST_DEPTH && are_near(&w->v)
           && (g->tensor_use == FA__GPU_ALWAYS || (a->m >= FEW && n >= FEW && k >= FEW && work >= LEAST_WORK));
}

/* Whether pieces of the left operand that are read at once lie side by side, and at addresses that are multiples of
 * their size. */
static bool is_aligned(const convolution *w, const convolve_arguments *a)
{
    const int64_t each = w->dtype == FA_F32 ? AT_ONCE / 4 : AT_ONCE / 2, *k = a->weight ? a->pixels : a->taps;
    const int64_t plane = k[1] * k[2];
    return !a->back && (uintptr_t)w->left % AT_ONCE == 0 && a->left[3] == 1 && a->left[2] == k[2]
           && (a->left[1] == plane || (a->left[1] % each == 0 && plane % each == 0)) && a->left[0] % each == 0
           && a->left_group % each == 0 && (a->parts == 1 || a->part % each == 0);
}

static const fa__gpu_kernel *tensor_kernel(const convolution *w, convolve_arguments *a, int64_t n, int64_t repeats)
{
    fa__gpu_device *g = w->issue->device->own;
    const int64_t large_tiles = fa__ceil_div(a->m, FA__GPU_LARGE_TILE) * fa__ceil_div(n, FA__GPU_LARGE_TILE) * repeats;
    const bool large = a->m > FA__GPU_SMALL_TILE && large_tiles >= fa__gpu_tensor_units(g);
    const int tile = large ? FA__GPU_LARGE_TILE : FA__GPU_SMALL_TILE;
    g->tensor_products++;
    a->wide = is_aligned(w, a) ? TENSOR_A_ALIGNED : 0;
    a->across = fa__ceil_div(n, tile);
    a->down = fa__ceil_div(a->m, tile);
    return fa__gpu_fixed(w->issue, large ? FA__GPU_TENSOR_CONVOLVE : FA__GPU_TENSOR_CONVOLVE_SMALL,
                         4 * fa__gpu_tensor_kind(g, w->dtype) + !a->weight, FA__CLASS_F32);
}

/* ---- launches ---- */

static const fa__gpu_kernel *plain_kernel(const convolution *w, convolve_arguments *a, int64_t n, int64_t repeats)
{
    const fa__gpu_device *g = w->issue->device->own;
    bool tiles =
        a->m >= FEW && n >= FEW && fa__ceil_div(a->m, TILE) * fa__ceil_div(n, TILE) * repeats >= (int64_t)g->groups / 2;
    a->wide = tiles ? 0 : width_of(a->m, n);
    a->across = fa__ceil_div(n, tiles ? TILE : (int64_t)1 << a->wide);
    a->down = fa__ceil_div(a->m, tiles ? TILE : DIRECT >> a->wide);
    return fa__gpu_fixed(w->issue, FA__GPU_CONVOLVE, 2 * kind_of(w->dtype) + !tiles, fa__class_of((unsigned)w->dtype));
}

static uint64_t launch(const convolution *w, convolve_arguments *a, int64_t n, void *to)
{
    int64_t classes = a->back ? a->classes[0] * a->classes[1] : 1, repeats = classes * a->parts * w->v.groups;
    const fa__gpu_kernel *kernel =
        wants_tensor_cores(w, a, n) ? tensor_kernel(w, a, n, repeats) : plain_kernel(w, a, n, repeats);
    if (!kernel || !fits(w, a))
        return 0;
    int64_t groups = a->across * a->down * repeats;
    if (!groups) /* one that finds nothing to do */
        a->m = 0, a->across = a->down = groups = 1;
    fa__gpu_args args = {.count = 0};
    fa__gpu_memory(&args, to);
    fa__gpu_memory(&args, w->left);
    fa__gpu_memory(&args, w->image);
    fa__gpu_memory(&args, w->bias);
    fa__gpu_value(&args, a, sizeof *a);
    return fa__gpu_launch_groups(w->issue, kernel, (uint64_t[3]){(uint64_t)groups, 1, 1}, &args);
}

static uint64_t launch_sums(const convolution *w, const convolve_arguments *a, int64_t n, const void *sums)
{
    const fa__gpu_kernel *kernel =
        fa__gpu_fixed(w->issue, FA__GPU_CONVOLVE_ADD, 2 * kind_of(w->dtype), fa__class_of((unsigned)w->dtype));
    convolve_add_arguments b = {
        .groups = w->v.groups, .parts = a->parts, .added = FA__CONVOLUTION_ADDED, .m = a->m, .n = n};
    for (int i = 0; i < 4; i++)
        b.out[i] = a->out[i];
    for (int i = 0; i < 3; i++)
        b.taps[i] = a->taps[i];
    b.out_group = a->out_group;
    b.dtype = w->dtype;
    return FA__GPU_LAUNCH(w->issue, kernel, b.groups * b.m * b.n, b, w->out, sums);
}

static convolve_arguments arguments_of(const convolution *w)
{
    return (convolve_arguments){
        .parts = 1, .dtype = w->dtype, .bias = w->bias != NULL, .bias_step = w->bias ? w->bias_step : 0};
}

/* ---- the three products ---- */

KERNEL(conv2d)
{
    const fa__operand *y = &l->operand[0], *x = &l->operand[1], *weight = &l->operand[2], *bias = &l->operand[3];
    const conv2d_args *o = l->args;
    const fa__convolution v = fa__convolution_of(x, weight, y, o->stride, o->padding, o->dilation, o->groups);
    const convolution w = {issue, l, v, y->dtype, y->data, weight->data, x->data, bias->data, bias->stride[0]};
    const fa__patches p = fa__convolution_patches(&v);
    convolve_arguments a = arguments_of(&w);
    set_patches(&a, &p);
    set_strides(a.left, v.weight[0], v.weight[1], v.weight + 2);
    set_strides(a.out, v.y[1], v.y[0], v.y + 2);
    a.m = v.out;
    a.patch_group = v.in * v.x[1];
    a.left_group = v.out * v.weight[0];
    a.out_group = v.out * v.y[1];
    return launch(&w, &a, v.images * v.result[0] * v.result[1], w.out);
}

KERNEL(conv_transpose2d)
{
    const fa__operand *x = &l->operand[0], *y = &l->operand[1], *weight = &l->operand[2], *bias = &l->operand[3];
    const conv_transpose2d_args *o = l->args;
    const fa__convolution v = fa__convolution_of(x, weight, y, o->stride, o->padding, o->dilation, o->groups);
    const convolution w = {issue, l, v, x->dtype, x->data, weight->data, y->data, bias->data, bias->stride[0]};
    convolve_arguments a = arguments_of(&w);
    set_strides(a.left, v.weight[1], v.weight[0], v.weight + 2);
    set_strides(a.out, v.x[1], v.x[0], v.x + 2);
    set_back(&a, &v);
    a.m = v.in;
    a.patch_group = v.out * v.y[1];
    a.left_group = v.out * v.weight[0];
    a.out_group = v.in * v.x[1];
    return launch(&w, &a, a.pixels[0] * a.pixels[1] * a.pixels[2], w.out);
}

KERNEL(conv2d_weight)
{
    const fa__operand *weight = &l->operand[0], *x = &l->operand[1], *y = &l->operand[2];
    const conv2d_weight_args *o = l->args;
    const fa__convolution v = fa__convolution_of(x, weight, y, o->stride, o->padding, o->dilation, o->groups);
    const convolution w = {issue, l, v, x->dtype, weight->data, y->data, x->data, NULL, 0};
    const fa__patches p = fa__convolution_patches(&v);
    convolve_arguments a = arguments_of(&w);
    set_patches(&a, &p);
    set_strides(a.left, v.y[1], v.y[0], v.y + 2);
    set_strides(a.out, v.weight[0], v.weight[1], v.weight + 2);
    a.m = v.out;
    a.patch_group = v.in * v.x[1];
    a.left_group = v.out * v.y[1];
    a.out_group = v.out * v.weight[0];
    a.weight = 1;
    a.part = fa__convolution_part(&v);
    a.parts = fa__convolution_parts(&v);
    int64_t n = v.in * v.kernel[0] * v.kernel[1];
    if (a.parts == 1)
        return launch(&w, &a, n, w.out);
    bool wide = x->dtype == FA_F64 || x->dtype == FA_I64;
    void *sums = fa__gpu_scratch(issue, (size_t)(a.parts * v.groups * a.m * n) * (wide ? 8 : 4));
    a.partial = 1;
    return sums && launch(&w, &a, n, sums) ? launch_sums(&w, &a, n, sums) : 0;
}
