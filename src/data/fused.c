/* Crops, flips, to_tensor and normalize in one pass from bytes to the batch: a pixel of the result is a pixel of the
 * image, or of the padding, and its value is looked up in a table of 256 for each channel. The table is what the
 * transforms themselves make of the 256 bytes, so that the results have the same bits. */
#include "data/transform.h"
#include <facula/device.h>
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/ops/shape.h>
#include <facula/tensor.h>

enum { STEPS = 16, BYTES = 256, AT_ONCE = 8 };

/* Where row or column o of the result comes from: sign * o + offset of the image; beyond its ends there is padding. An
 * image has one for its rows, and one for its columns. */
typedef struct line {
    int64_t sign, offset;
} line;

/* Crops and flips, at most one crop, followed by the transforms of values. */
typedef struct chain {
    const fa_module *step[STEPS];
    int64_t image[2], result[2]; /* height and width */
    int count, moves;            /* of all steps, and of the crops and flips before the others */
    int fill;
} chain;

/* The table: f32 (channels, 256). */
typedef struct pass {
    const unsigned char *from;
    const float *table;
    float *to;
    int64_t channels;
    const chain *steps;
} pass;

/* ---- what can be fused ---- */

/* Takes a crop into account; false if it has to run by itself. */
static bool add_crop(chain *c, const fa__crop *crop)
{
    if (!(crop->fill >= 0 && crop->fill < BYTES) || crop->fill != (int)crop->fill)
        return false;
    c->fill = (int)crop->fill;
    for (int k = 0; k < 2; k++) {
        c->result[k] = crop->size[k];
        if (crop->padding[k] > INT32_MAX || crop->size[k] > c->image[k] + 2 * crop->padding[k])
            return false;
    }
    return true;
}

/* The steps of a transform of these images; false if they have to run one by one. */
static bool read_chain(const fa_module *transform, const fa_tensor *x, chain *c)
{
    int crops = 0, at = 0;
    *c = (chain){.image = {fa_size(x, 2), fa_size(x, 3)}, .result = {fa_size(x, 2), fa_size(x, 3)}};
    c->count = fa__module_chain(transform, c->step, STEPS);
    for (; at < c->count; at++)
        if (fa__module_runs(c->step[at], fa__crop_forward)) {
            if (crops++ || !add_crop(c, fa_module_data(c->step[at])))
                return false;
        } else if (!fa__module_runs(c->step[at], fa__flip_forward))
            break;
    c->moves = at;
    bool values = at < c->count && fa__module_runs(c->step[at], fa__to_tensor_forward);
    for (at++; values && at < c->count; at++)
        values = fa__module_runs(c->step[at], fa__normalize_forward);
    return values;
}

static bool can_fuse(const fa_module *transform, const fa_tensor *x, chain *c)
{
    return fa_tensor_dtype(x) == FA_U8 && fa_dim(x) == 4 && fa_device_equal(fa_tensor_device(x), FA_CPU)
           && fa_is_contiguous(x) && fa_numel(x) > 0 && read_chain(transform, x, c);
}

/* ---- where pixels come from ---- */

/* In front of what the line says already, a step takes row `sign * o + offset`. */
static void follow(line *l, int64_t sign, int64_t offset)
{
    l->offset += l->sign * offset;
    l->sign *= sign;
}

static bool crop_lines(const chain *c, const fa_module *step, const fa_tensor *x, line *lines)
{
    const fa__crop *crop = fa_module_data(step);
    for (int k = 0; k < 2; k++) {
        int64_t room = c->image[k] + 2 * crop->padding[k] - crop->size[k];
        const int64_t *begin = fa_ptr(fa__crop_begins(step, x, room), FA_I64);
        for (int64_t i = 0; begin && i < fa_size(x, 0); i++)
            follow(&lines[2 * i + k], 1, begin[i] - crop->padding[k]);
    }
    return !fa_error_stands();
}

static bool flip_lines(const fa_module *step, const fa_tensor *x, line *lines, const int64_t size[2])
{
    const fa__flip *flip = fa_module_data(step);
    int k = flip->dim - 2;
    if (!fa_module_training(step))
        return true;
    const bool *drawn = fa_ptr(fa__flip_drawn(step, x), FA_BOOL);
    for (int64_t i = 0; drawn && i < fa_size(x, 0); i++)
        if (drawn[i])
            follow(&lines[2 * i + k], -1, size[k] - 1);
    return drawn;
}

/* The lines of all images, in the innermost scope. Random numbers are drawn as the steps themselves draw them. NULL
 * after an error. */
static line *draw_lines(const chain *c, const fa_tensor *x)
{
    const int64_t *size = c->image;
    fa_tensor *room =
        fa_empty(FA_SHAPE(fa_size(x, 0), 2 * sizeof(line) / sizeof(int64_t)), .dtype = FA_I64, .device = FA_CPU);
    line *lines = room ? fa_ptr(room, FA_I64) : NULL;
    for (int64_t i = 0; lines && i < 2 * fa_size(x, 0); i++)
        lines[i] = (line){1, 0};
    for (int s = 0; lines && s < c->moves; s++) {
        bool crop = fa__module_runs(c->step[s], fa__crop_forward);
        if (crop ? !crop_lines(c, c->step[s], x, lines) : !flip_lines(c->step[s], x, lines, size))
            return NULL;
        size = crop ? c->result : size;
    }
    return lines;
}

/* ---- the pass ---- */

/* What the steps after the crops and flips make of the bytes: f32 (channels, 256); NULL after an error. */
static fa_tensor *table_of(const chain *c, int64_t channels)
{
    fa_tensor *all = fa_reshape(fa_arange(0, BYTES, .dtype = FA_U8, .device = FA_CPU), FA_SHAPE(1, 1, 1, BYTES));
    fa_tensor *t = fa_expand(all, FA_SHAPE(1, channels, 1, BYTES));
    for (int s = c->moves; t && s < c->count; s++)
        t = fa_forward((fa_module *)(uintptr_t)c->step[s], t);
    return t ? fa_contiguous(t) : NULL;
}

/* The range of the result's rows or columns that come from the image. */
static void inside(line l, int64_t image, int64_t result, int64_t *begin, int64_t *end)
{
    int64_t first = l.sign > 0 ? -l.offset : l.offset - image + 1, last = first + image;
    *begin = first < 0 ? 0 : first < result ? first : result;
    *end = last < *begin ? *begin : last < result ? last : result;
}

static void fill(float *to, int64_t begin, int64_t end, float value)
{
    for (int64_t i = begin; i < end; i++)
        to[i] = value;
}

static void put_row(float *restrict to, const unsigned char *restrict from, const float *restrict table, line l,
                    int64_t begin, int64_t end)
{
    int64_t i = begin;
    if (l.sign > 0) {
        for (; i + AT_ONCE <= end; i += AT_ONCE)
            for (int k = 0; k < AT_ONCE; k++)
                to[i + k] = table[from[i + k + l.offset]];
        for (; i < end; i++)
            to[i] = table[from[i + l.offset]];
        return;
    }
    for (; i + AT_ONCE <= end; i += AT_ONCE)
        for (int k = 0; k < AT_ONCE; k++)
            to[i + k] = table[from[l.offset - i - k]];
    for (; i < end; i++)
        to[i] = table[from[l.offset - i]];
}

static void put_plane(const pass *p, int64_t plane, const float *table, const line lines[2])
{
    const chain *c = p->steps;
    int64_t height = c->result[0], width = c->result[1], top, bottom, left, right;
    const unsigned char *from = p->from + plane * c->image[0] * c->image[1];
    float *to = p->to + plane * height * width;
    inside(lines[0], c->image[0], height, &top, &bottom);
    inside(lines[1], c->image[1], width, &left, &right);
    fill(to, 0, top * width, table[c->fill]);
    fill(to, bottom * width, height * width, table[c->fill]);
    for (int64_t y = top; y < bottom; y++) {
        fill(to + y * width, 0, left, table[c->fill]);
        put_row(to + y * width, from + (lines[0].sign * y + lines[0].offset) * c->image[1], table, lines[1], left,
                right);
        fill(to + y * width, right, width, table[c->fill]);
    }
}

static fa_tensor *run_fused(const chain *c, fa_tensor *x)
{
    int64_t images = fa_size(x, 0), channels = fa_size(x, 1);
    FA_SCOPE;
    const line *lines = draw_lines(c, x);
    if (!lines)
        return NULL;
    fa_tensor *table = table_of(c, channels);
    fa_tensor *y =
        table ? fa_empty(FA_SHAPE(images, channels, c->result[0], c->result[1]), .dtype = FA_F32, .device = FA_CPU)
              : NULL;
    if (!y)
        return NULL;
    const pass p = {fa_ptr(x, FA_U8), fa_ptr(table, FA_F32), fa_ptr(y, FA_F32), channels, c};
    if (!p.from || !p.table || !p.to)
        return NULL;
    for (int64_t plane = 0; plane < images * channels; plane++)
        put_plane(&p, plane, p.table + plane % channels * BYTES, lines + 2 * (plane / channels));
    return fa_escape(y);
}

fa_tensor *fa__transform_apply(fa_module *transform, fa_tensor *x)
{
    chain c;
    if (!fa_error_stands() && can_fuse(transform, x, &c))
        return run_fused(&c, x);
    return fa_forward(transform, x);
}
