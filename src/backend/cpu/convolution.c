/* Convolutions as matrix products of patches (backend/convolution.h), which are packed from where they lie. */
#include "backend/convolution.h"
#include "backend/cpu/kernel.h"
#include "backend/cpu/lanes.h"
#include "backend/cpu/lanes_plan.h"
#include "backend/cpu/patches.h"
#include "backend/cpu/widened.h"
#include "backend/cpu/winograd.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/integer.h"
#include "base/parallel.h"
#include <string.h>

/* What all groups have in common, and all stretches of pixels. */
typedef struct work {
    const fa__convolution *v;
    const fa__gemm_kind *kind;
    const char *x, *y, *weight, *bias; /* of the first group */
    int64_t bias_step;
    fa__patches p;
    int64_t class[2], first[2], every[2]; /* of pixels of x, and of their taps */
    char *packed;                         /* weights one behind the other, when they do not lie so */
    int64_t part, parts;                  /* pixels of a stretch; how many there are */
    char *sums;                           /* of each group, row by row */
    int64_t rows;                         /* of sums: one for each stretch, or */
    bool added;                           /* for some neighbouring ones */
    _Atomic bool failed;
} work;

/* Runs `each` for all of them: on several threads where there are enough, else each of them uses the threads. */
static bool run_all(work *w, int64_t count, void (*each)(void *, int64_t, int64_t))
{
    fa__parallel_for(count, count >= fa__parallel_threads() ? 1 : count, each, w);
    return !atomic_load(&w->failed);
}

static void run_product(work *w, const fa__gemm *g)
{
    if (!fa__gemm_by_tiles(g, w->kind))
        atomic_store(&w->failed, true);
}

static char *moved(const char *data, int64_t elements, size_t size)
{
    return data ? (char *)(uintptr_t)data + elements * (int64_t)size : NULL; /* without elements there is no memory */
}

/* ---- the weight as a matrix ---- */

/* Whether three dimensions can be counted through with one stride, that of the last one longer than 1. */
static bool in_line(const int64_t shape[3], const int64_t stride[3], int64_t *step)
{
    int64_t count = 1;
    *step = 1;
    for (int d = 2; d >= 0; d--) {
        if (shape[d] == 1)
            continue;
        if (count == 1)
            *step = stride[d];
        else if (stride[d] != count * *step)
            return false;
        count *= shape[d];
    }
    return true;
}

/* Weights that are copied: to[i][c][t][u], without gaps */
typedef struct copy {
    char *to;
    const char *from;
    size_t size;
    int64_t row_step, shape[3], stride[3];
} copy;

#define COPY_LINE(type)                                                                                                \
    static void copy_##type(char *to, const char *from, int64_t count, int64_t step)                                   \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++)                                                                            \
            ((type *)(void *)to)[i] = ((const type *)(const void *)from)[i * step];                                    \
    }
COPY_LINE(uint8_t)
COPY_LINE(uint16_t)
COPY_LINE(uint32_t)
COPY_LINE(uint64_t)

static void copy_rows(void *context, int64_t begin, int64_t end)
{
    static void (*const line[])(char *, const char *, int64_t, int64_t) = {
        [1] = copy_uint8_t, [2] = copy_uint16_t, [4] = copy_uint32_t, [8] = copy_uint64_t};
    const copy *m = context;
    const int64_t size = (int64_t)m->size, lines = m->shape[0] * m->shape[1];
    for (int64_t i = begin; i < end; i++)
        for (int64_t k = 0; k < lines; k++) {
            int64_t at = i * m->row_step + k / m->shape[1] * m->stride[0] + k % m->shape[1] * m->stride[1];
            line[size](m->to + (i * lines + k) * m->shape[2] * size, m->from + at * size, m->shape[2], m->stride[2]);
        }
}

static void copy_weights(copy *m, int64_t rows)
{
    if (m->stride[1] == m->shape[2] * m->stride[2]) { /* rows of a kernel that follow each other are one */
        m->shape[2] *= m->shape[1];
        m->shape[1] = 1;
    }
    fa__parallel_for(rows, 1 + 20000 / (m->shape[0] * m->shape[1] * m->shape[2] + 1), copy_rows, m);
}

/* Rows of weights as the left operand: as they lie, or as they were copied for this group. */
static void set_weights(const work *w, fa__gemm *g, int64_t group, const char *from, int64_t row_step,
                        const int64_t shape[3], const int64_t stride[3])
{
    g->a = from;
    g->a_row = row_step;
    if (in_line(shape, stride, &g->a_col) || !from)
        return;
    char *to = w->packed + group * g->m * g->k * (int64_t)w->kind->element;
    copy m = {to, from, w->kind->element, row_step, {shape[0], shape[1], shape[2]}, {stride[0], stride[1], stride[2]}};
    copy_weights(&m, g->m);
    g->a = to;
    g->a_row = g->k;
    g->a_col = 1;
}

static bool begin(work *w, const fa__convolution *v, int dtype, bool weights)
{
    w->v = v;
    w->kind = fa__cpu_gemm_of(dtype)->kind[dtype];
    if (!weights)
        return true;
    int64_t count = v->groups * v->in * v->out * v->kernel[0] * v->kernel[1];
    w->packed = fa__aligned(64, (size_t)(count ? count : 1) * w->kind->element);
    return w->packed != NULL;
}

/* ---- y from x and weight ---- */

static void forward_groups(void *context, int64_t begin, int64_t end)
{
    work *w = context;
    const fa__convolution *v = w->v;
    const size_t size = w->kind->element;
    const int64_t shape[3] = {v->in, v->kernel[0], v->kernel[1]};
    for (int64_t i = begin; i < end; i++) {
        fa__cpu_patches patches;
        fa__cpu_image y;
        fa__cpu_patches_init(&patches, moved(w->x, i * v->in * v->x[1], size), &w->p, 0);
        fa__cpu_image_init(&y, moved(w->y, i * v->out * v->y[1], size), v->result, v->y, 0);
        fa__gemm g = {.m = v->out,
                      .n = fa__cpu_flatten(&patches, &y, v->out),
                      .k = v->in * v->kernel[0] * v->kernel[1],
                      .bias = moved(w->bias, i * v->out * w->bias_step, size),
                      .bias_row = w->bias_step,
                      .b_source = &patches.source,
                      .sink = &y.sink};
        set_weights(w, &g, i, moved(w->weight, i * v->out * v->weight[0], size), v->weight[0], shape, v->weight + 1);
        run_product(w, &g);
    }
}

static fa__lanes_image forward_lanes(const work *w, const fa__convolution *v, fa_dtype dtype)
{
    fa__lanes_image g = {.p = w->p,
                         .dtype = dtype,
                         .groups = v->groups,
                         .channels = v->out,
                         .x = (const void *)w->x,
                         .weight = (const void *)w->weight,
                         .bias = (const void *)w->bias,
                         .y = (void *)moved(w->y, 0, 1),
                         .weight_group = v->out * v->weight[0],
                         .weight_channel = v->weight[0],
                         .bias_channel = w->bias_step};
    memcpy(g.weight_tap, v->weight + 1, sizeof g.weight_tap);
    memcpy(g.stride, v->y, sizeof g.stride);
    return g;
}

/* By one of the ways that are faster than a matrix product of patches, if there is one. */
static bool image_run(const fa__lanes_image *g, bool *ok)
{
    return fa__winograd_image_run(g, ok) || fa__lanes_image_run(g, ok);
}

/* Operands 2 and 3 of a launch: x and y are converted on their way into lanes and out of them. */
enum { WEIGHT_AND_BIAS = 1 << 2 | 1 << 3 };

/* Whether lanes would do, but there are channels enough for Winograd's filtering in both dimensions, which is for f32
 * alone. It changes bits, and so may depend on the shape only. */
static bool pays_in_f32(const fa__lanes_image *g)
{
    return fa__lanes_suit_image(g) && fa__winograd_pays(g->p.channels, g->channels, INT64_MAX);
}

KERNEL(conv2d)
{
    const fa__operand *y = &l->operand[0], *x = &l->operand[1], *weight = &l->operand[2], *bias = &l->operand[3];
    const conv2d_args *a = l->args;
    const fa__convolution v = fa__convolution_of(x, weight, y, a->stride, a->padding, a->dilation, a->groups);
    int64_t step;
    bool copied = !in_line((int64_t[]){v.in, v.kernel[0], v.kernel[1]}, v.weight + 1, &step);
    work w = {.x = x->data, .y = y->data, .weight = weight->data, .bias = bias->data, .p = fa__convolution_patches(&v)};
    w.bias_step = bias->data ? bias->stride[0] : 0;
    const fa__lanes_image lanes = forward_lanes(&w, &v, (fa_dtype)y->dtype);
    fa__lanes_plan plan;
    bool ok;
    if (fa__dtype_is_half(weight->dtype) && pays_in_f32(&lanes))
        return fa__cpu_run_widened(l, fa__cpu_conv2d);
    if (fa__dtype_is_half(weight->dtype) && fa__lanes_plan_image(&plan, &lanes))
        return fa__cpu_run_widened_some(l, WEIGHT_AND_BIAS, fa__cpu_conv2d);
    if (weight->dtype == FA_F32 && image_run(&lanes, &ok))
        return ok;
    ok = begin(&w, &v, y->dtype, copied) && run_all(&w, v.groups, forward_groups);
    fa__aligned_free(w.packed);
    return ok;
}

/* ---- x from y and weight ---- */

static void backward_groups(void *context, int64_t begin, int64_t end)
{
    work *w = context;
    const fa__convolution *v = w->v;
    const size_t size = w->kind->element;
    const int64_t shape[3] = {v->out, w->p.taps[0], w->p.taps[1]};
    const int64_t step[3] = {v->weight[0], w->every[0] * v->weight[2], w->every[1] * v->weight[3]};
    const int64_t stride[4] = {v->x[0], v->x[1], v->x[2] * v->stride[0], v->x[3] * v->stride[1]};
    const int64_t corner = w->class[0] * v->x[2] + w->class[1] * v->x[3];
    const int64_t tap = w->first[0] * v->weight[2] + w->first[1] * v->weight[3];
    for (int64_t i = begin; i < end; i++) {
        fa__cpu_patches patches;
        fa__cpu_image x;
        fa__cpu_patches_init(&patches, moved(w->y, i * v->out * v->y[1], size), &w->p, 0);
        fa__cpu_image_init(&x, moved(w->x, corner + i * v->in * v->x[1], size), w->p.pixels, stride, 0);
        fa__gemm g = {.m = v->in,
                      .n = fa__cpu_flatten(&patches, &x, v->in),
                      .k = v->out * w->p.taps[0] * w->p.taps[1],
                      .bias = moved(w->bias, i * v->in * w->bias_step, size),
                      .bias_row = w->bias_step,
                      .b_source = &patches.source,
                      .sink = &x.sink};
        if (g.k)
            set_weights(w, &g, i, moved(w->weight, tap + i * v->out * v->weight[0], size), v->weight[1], shape, step);
        run_product(w, &g);
    }
}

/* One class of pixels; weights of groups follow each other by the channels of y, which are this product's taps. */
static fa__lanes_image backward_lanes(const work *w, fa_dtype dtype)
{
    const fa__convolution *v = w->v;
    return (fa__lanes_image){
        .p = w->p,
        .dtype = dtype,
        .groups = v->groups,
        .channels = v->in,
        .x = (const void *)w->y,
        .weight =
            (const void *)moved(w->weight, w->first[0] * v->weight[2] + w->first[1] * v->weight[3], sizeof(float)),
        .bias = (const void *)w->bias,
        .y = (void *)moved(w->x, w->class[0] * v -> x[2] + w -> class[1] * v -> x[3], fa__dtype_sizes[dtype]),
        .weight_group = v->out * v->weight[0],
        .weight_channel = v->weight[1],
        .weight_tap = {v->weight[0], w->every[0] * v->weight[2], w->every[1] * v->weight[3]},
        .bias_channel = w->bias_step,
        .stride = {v->x[0], v->x[1], v->x[2] * v->stride[0], v->x[3] * v->stride[1]}};
}

/* `lanes`: weights are f32, as lanes want them. */
static bool run_classes(work *w, fa_dtype dtype, bool lanes)
{
    const fa__convolution *v = w->v;
    for (w->class[0] = 0; w->class[0] < fa__convolution_classes(v, 0); w->class[0]++)
        for (w->class[1] = 0; w->class[1] < fa__convolution_classes(v, 1); w->class[1]++) {
            w->p = fa__convolution_patches_back(v, w->class, w->first, w->every);
            const fa__lanes_image image = backward_lanes(w, dtype);
            bool ok;
            if (!lanes || !image_run(&image, &ok))
                ok = run_all(w, v->groups, backward_groups);
            if (!ok)
                return false;
        }
    return true;
}

/* Which operands of half precision become f32 before: the weight and the bias where all classes of pixels are summed by
 * lanes, which convert x and y; else all where one is filtered, which changes bits; else none. */
static unsigned operands_to_widen(work *w, const fa__convolution *v, fa_dtype dtype)
{
    bool lanes_all = true, filtered = false, pays = false;
    w->v = v;
    for (w->class[0] = 0; w->class[0] < fa__convolution_classes(v, 0); w->class[0]++)
        for (w->class[1] = 0; w->class[1] < fa__convolution_classes(v, 1); w->class[1]++) {
            w->p = fa__convolution_patches_back(v, w->class, w->first, w->every);
            const fa__lanes_image lanes = backward_lanes(w, dtype);
            fa__lanes_plan plan;
            const bool planned = fa__lanes_plan_image(&plan, &lanes);
            filtered |= planned && plan.tile;
            lanes_all &= planned;
            pays |= pays_in_f32(&lanes);
        }
    return pays ? ~0u : lanes_all ? WEIGHT_AND_BIAS : filtered ? ~0u : 0;
}

KERNEL(conv_transpose2d)
{
    const fa__operand *x = &l->operand[0], *y = &l->operand[1], *weight = &l->operand[2], *bias = &l->operand[3];
    const conv_transpose2d_args *a = l->args;
    if (!x->shape[0] || !x->shape[1])
        return true; /* such an x may have any height and width, and more classes of pixels than can be visited */
    const fa__convolution v = fa__convolution_of(x, weight, y, a->stride, a->padding, a->dilation, a->groups);
    work w = {.x = x->data, .y = y->data, .weight = weight->data, .bias = bias->data};
    w.bias_step = bias->data ? bias->stride[0] : 0;
    const unsigned wider = fa__dtype_is_half(weight->dtype) ? operands_to_widen(&w, &v, (fa_dtype)x->dtype) : 0;
    if (wider)
        return fa__cpu_run_widened_some(l, wider, fa__cpu_conv_transpose2d);
    bool ok = begin(&w, &v, x->dtype, true) && run_classes(&w, (fa_dtype)x->dtype, weight->dtype == FA_F32);
    fa__aligned_free(w.packed);
    return ok;
}

/* ---- weight from x and y ---- */

/* Complete sums (taps x channels of y) into the weight, or into a list of them. */
typedef struct weight_sink {
    fa__gemm_sink sink;
    const work *w;
    int64_t group;
    char *sums; /* NULL: into the weight */
} weight_sink;

static void put_weight(const work *w, int64_t group, const fa__gemm_block *at, const char *sums, int64_t sums_row)
{
    const fa__convolution *v = w->v;
    const size_t size = w->kind->element;
    const int64_t each = v->kernel[0] * v->kernel[1], *step = v->weight;
    char *to = moved(w->weight, group * v->out * step[0], size);
    int64_t line;
    fa__gemm g = {.c = to, .c_row = 0, .c_col = step[0]};
    if (in_line((int64_t[]){v->in, v->kernel[0], v->kernel[1]}, step + 1, &line)) {
        g.c_row = line;
        w->kind->finish(&g, at, sums, sums_row);
        return;
    }
    for (int64_t i = 0; i < at->rows; i++) {
        int64_t c = (at->row + i) / each, tap = (at->row + i) % each;
        int64_t offset = c * step[1] + tap / v->kernel[1] * step[2] + tap % v->kernel[1] * step[3];
        const fa__gemm_block one = {0, at->col, 1, at->cols};
        g.c = moved(to, offset, size);
        w->kind->finish(&g, &one, sums + i * sums_row * (int64_t)w->kind->sum, sums_row);
    }
}

static void put_sums(const fa__gemm_sink *sink, const fa__gemm_kind *kind, const fa__gemm *g, const fa__gemm_block *at,
                     const void *sums, int64_t sums_row)
{
    const weight_sink *s = (const weight_sink *)sink;
    const int64_t size = (int64_t)kind->sum;
    if (!s->sums) {
        put_weight(s->w, s->group, at, sums, sums_row);
        return;
    }
    for (int64_t i = 0; i < at->rows; i++)
        memcpy(s->sums + ((at->row + i) * g->n + at->col) * size, (const char *)sums + i * sums_row * size,
               (size_t)(at->cols * size));
}

static int64_t weights_of_group(const fa__convolution *v)
{
    return v->in * v->out * v->kernel[0] * v->kernel[1];
}

static void weight_parts(void *context, int64_t begin, int64_t end)
{
    work *w = context;
    const fa__convolution *v = w->v;
    const size_t size = w->kind->element;
    const int64_t pixels = v->images * v->result[0] * v->result[1];
    for (int64_t i = begin; i < end; i++) {
        int64_t group = i / w->parts, first = i % w->parts * w->part;
        fa__cpu_patches patches;
        fa__cpu_image y;
        weight_sink sink = {{put_sums}, w, group, NULL};
        if (w->sums)
            sink.sums = w->sums + i * weights_of_group(v) * (int64_t)w->kind->sum;
        fa__cpu_patches_init(&patches, moved(w->x, group * v->in * v->x[1], size), &w->p, first);
        fa__cpu_image_init(&y, moved(w->y, group * v->out * v->y[1], size), v->result, v->y, first);
        run_product(w, &(fa__gemm){.m = v->in * v->kernel[0] * v->kernel[1],
                                   .n = v->out,
                                   .k = pixels - first < w->part ? pixels - first : w->part,
                                   .a_source = &patches.source,
                                   .b_source = &y.source,
                                   .sink = &sink.sink});
    }
}

/* The sums of some weights' stretches, added as convolution.h says. */
static void add_some(void *context, int64_t begin, int64_t end)
{
    work *w = context;
    const int64_t size = (int64_t)w->kind->sum, count = weights_of_group(w->v);
    for (int64_t i = begin; i < end;) {
        int64_t group = i / count, at = i - group * count, n = fa__min(end - i, count - at);
        char *sums = w->sums + (group * w->rows * count + at) * size;
        for (int64_t part = 0; part < w->parts && !w->added; part++)
            if (part % FA__CONVOLUTION_ADDED)
                w->kind->add(sums + part / FA__CONVOLUTION_ADDED * FA__CONVOLUTION_ADDED * count * size,
                             sums + part * count * size, n);
        const int64_t step = w->added ? 1 : FA__CONVOLUTION_ADDED;
        for (int64_t part = step; part < w->rows; part += step)
            w->kind->add(sums, sums + part * count * size, n);
        i += n;
    }
}

static void add_parts(work *w)
{
    const fa__convolution *v = w->v;
    const int64_t count = weights_of_group(v);
    const fa__gemm_block all = {0, 0, v->in * v->kernel[0] * v->kernel[1], v->out};
    fa__parallel_for(v->groups * count, 1 + 65536 / w->parts, add_some, w);
    for (int64_t group = 0; group < v->groups; group++)
        put_weight(w, group, &all, w->sums + group * w->rows * count * (int64_t)w->kind->sum, v->out);
}

static bool run_parts(work *w, fa_dtype dtype)
{
    const fa__lanes_weight g = {w->v, dtype, (const void *)w->x, (const void *)w->y, (void *)w->sums};
    bool ok;
    w->rows = fa__ceil_div(w->parts, FA__CONVOLUTION_ADDED);
    w->added = (dtype == FA_F32 || fa__dtype_is_half(dtype)) && fa__lanes_weight_run(&g, &ok);
    if (w->added)
        return ok;
    w->rows = w->parts;
    return run_all(w, w->v->groups * w->parts, weight_parts);
}

/* As pays_in_f32. */
static bool weight_pays_in_f32(const fa__convolution *v)
{
    return fa__lanes_suit_weight(v) && fa__winograd_pays(v->in, v->out, INT64_MAX);
}

KERNEL(conv2d_weight)
{
    const fa__operand *weight = &l->operand[0], *x = &l->operand[1], *y = &l->operand[2];
    const conv2d_weight_args *a = l->args;
    const fa__convolution v = fa__convolution_of(x, weight, y, a->stride, a->padding, a->dilation, a->groups);
    work w = {.x = x->data, .y = y->data, .weight = weight->data, .p = fa__convolution_patches(&v)};
    begin(&w, &v, x->dtype, false);
    w.part = fa__convolution_part(&v);
    w.parts = fa__convolution_parts(&v);
    if (fa__dtype_is_half(x->dtype) && w.parts > 1 && weight_pays_in_f32(&v))
        return fa__cpu_run_widened(l, fa__cpu_conv2d_weight);
    bool ok;
    if (x->dtype == FA_F32 && fa__winograd_weight_run(&v, x->data, y->data, weight->data, &ok))
        return ok;
    if (w.parts == 1)
        return run_all(&w, v.groups, weight_parts);
    w.sums = fa__aligned(64, (size_t)(w.parts * v.groups * weights_of_group(&v)) * w.kind->sum);
    ok = w.sums && run_parts(&w, (fa_dtype)x->dtype);
    if (ok)
        add_parts(&w);
    fa__aligned_free(w.sums);
    return ok;
}
