/* Transforms that change sizes and positions: resize, crops, padding, rotation. */
#include "data/data.h"
#include "data/frame.h"
#include <facula/error.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *transform_new(const char *kind, size_t size, const void *data,
                           fa_tensor *(*forward)(fa_module *, fa_tensor *), fa_transform **made)
{
    fa_transform *m = *made = fa_nn_custom(kind, size, forward);
    return m ? memcpy(fa_module_data(m), data, size) : NULL;
}

/* A number from a range. */
static double between(uint64_t *state, const double range[2])
{
    return range[0] + (range[1] - range[0]) * fa__random_uniform(state);
}

static bool size_is_good(const char *kind, fa_pair size, int64_t least, const char *what)
{
    int64_t height = fa_pair_at(size, 0), width = fa_pair_at(size, 1);
    const char *mistake = fa__pair_mistake(size);
    if (mistake)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_transform_%s: %s %s", kind, what, mistake);
    return (height >= least && width >= least && height <= 1 << 20 && width <= 1 << 20)
           || fa_fail(FA_ERROR_ARGUMENT, "fa_transform_%s: %s is %" PRId64 " to 1048576, not %" PRId64 ", %" PRId64,
                      kind, what, least, height, width);
}

static bool interpolation_is_good(const char *kind, fa_interpolation how, fa_interpolation most)
{
    return (unsigned)how <= (unsigned)most
           || fa_fail(FA_ERROR_ARGUMENT, "fa_transform_%s: it has no .interpolation %d", kind, (int)how);
}

bool fa__range_read(const char *kind, const char *name, fa_list list, double least, double most, double range[2])
{
    if (list.count == 0)
        return true;
    if (list.count == 2 && list.item[0] >= least && list.item[0] <= list.item[1] && list.item[1] <= most) {
        range[0] = list.item[0];
        range[1] = list.item[1];
        return true;
    }
    return fa_fail(FA_ERROR_ARGUMENT, "fa_transform_%s: .%s is two numbers from %g to %g, the smaller one first", kind,
                   name, least, most);
}

/* ---- resize ---- */

typedef struct resize {
    fa_pair size;
    fa_interpolation interpolation;
    bool antialias;
} resize;

/* A lone number is the length of the shorter side. */
static void resize_to(fa_pair size, int64_t height, int64_t width, int64_t to[2])
{
    bool lone = size < INT64_C(1) << 62;
    to[0] = lone && height > width ? size * height / width : fa_pair_at(size, 0);
    to[1] = lone && height <= width ? size * width / height : fa_pair_at(size, 1);
}

static void resize_image(const void *data, fa__frame frame[2])
{
    const resize *r = data;
    int64_t to[2];
    resize_to(r->size, frame[0].height, frame[0].width, to);
    fa__frame_resize(frame, to[0], to[1], r->interpolation, r->antialias);
}

static fa_tensor *resize_there(const void *data, const fa__images *b)
{
    const resize *r = data;
    const fa__box whole = {0, 0, b->height, b->width};
    int64_t to[2];
    resize_to(r->size, b->height, b->width, to);
    return fa__images_resize(b, &whole, 1, to, r->interpolation, r->antialias);
}

static fa_tensor *resize_forward(fa_module *self, fa_tensor *x)
{
    const resize *r = fa_module_data(self);
    int64_t to[2] = {1, 1};
    if (x && fa_dim(x) == 4 && fa_size(x, 2) > 0 && fa_size(x, 3) > 0)
        resize_to(r->size, fa_size(x, 2), fa_size(x, 3), to);
    return fa__frames_map(self, x, to[0], to[1], false, resize_image, resize_there);
}

fa_transform *(fa_transform_resize)(fa_pair size, const fa_transform_resize_options *options)
{
    fa_transform_resize_options o = FA__DEFAULT_fa_transform_resize;
    fa__options_read(&o, o.size, options);
    const resize r = {size, o.interpolation, o.antialias};
    fa_transform *m = NULL;
    if (size_is_good("resize", size, 1, "size") && interpolation_is_good("resize", o.interpolation, FA_BICUBIC))
        transform_new("resize", sizeof r, &r, resize_forward, &m);
    return m;
}

/* ---- crop and pad ---- */

typedef struct edges {
    int64_t size[2], padding[2]; /* one of them */
    double fill;
} edges;

static int64_t middle(int64_t whole, int64_t part)
{
    return whole >= part ? (int64_t)rint((double)(whole - part) / 2) : -((part - whole) / 2);
}

static fa__box center_of(const edges *e, int64_t height, int64_t width)
{
    return (fa__box){middle(height, e->size[0]), middle(width, e->size[1]), e->size[0], e->size[1]};
}

static void center_image(const void *data, fa__frame frame[2])
{
    fa__frame_crop(frame, center_of(data, frame[0].height, frame[0].width), 0);
}

static fa_tensor *center_there(const void *data, const fa__images *b)
{
    return fa__images_crop(b, center_of(data, b->height, b->width), 0);
}

static fa_tensor *center_forward(fa_module *self, fa_tensor *x)
{
    const edges *e = fa_module_data(self);
    return fa__frames_map(self, x, e->size[0], e->size[1], false, center_image, center_there);
}

fa_transform *fa_transform_center_crop(fa_pair size)
{
    const edges e = {.size = {fa_pair_at(size, 0), fa_pair_at(size, 1)}};
    fa_transform *m = NULL;
    if (size_is_good("center_crop", size, 1, "size"))
        transform_new("center_crop", sizeof e, &e, center_forward, &m);
    return m;
}

static fa__box padded(const edges *e, int64_t height, int64_t width)
{
    return (fa__box){-e->padding[0], -e->padding[1], height + 2 * e->padding[0], width + 2 * e->padding[1]};
}

static void pad_image(const void *data, fa__frame frame[2])
{
    const edges *e = data;
    fa__frame_crop(frame, padded(e, frame[0].height, frame[0].width), (float)e->fill);
}

static fa_tensor *pad_there(const void *data, const fa__images *b)
{
    const edges *e = data;
    return fa__images_crop(b, padded(e, b->height, b->width), e->fill);
}

static fa_tensor *pad_forward(fa_module *self, fa_tensor *x)
{
    const edges *e = fa_module_data(self);
    bool good = x && fa_dim(x) == 4;
    return fa__frames_map(self, x, good ? fa_size(x, 2) + 2 * e->padding[0] : 1,
                          good ? fa_size(x, 3) + 2 * e->padding[1] : 1, false, pad_image, pad_there);
}

fa_transform *(fa_transform_pad)(fa_pair padding, const fa_transform_pad_options *options)
{
    fa_transform_pad_options o = FA__DEFAULT_fa_transform_pad;
    fa__options_read(&o, o.size, options);
    const edges e = {.padding = {fa_pair_at(padding, 0), fa_pair_at(padding, 1)}, .fill = o.fill};
    fa_transform *m = NULL;
    if (size_is_good("pad", padding, 0, "padding"))
        transform_new("pad", sizeof e, &e, pad_forward, &m);
    return m;
}

/* ---- random resized crop ---- */

typedef struct resized_crop {
    int64_t size[2];
    double scale[2], ratio[2];
    fa_interpolation interpolation;
    bool antialias;
} resized_crop;

/* The largest central part of these proportions. */
static fa__box central_box(int64_t height, int64_t width, double ratio)
{
    fa__box b = {0, 0, height, width};
    if ((double)width / (double)height > ratio)
        b.width = (int64_t)fmax(1, rint((double)height * ratio));
    else
        b.height = (int64_t)fmax(1, rint((double)width / ratio));
    b.top = (height - b.height) / 2;
    b.left = (width - b.width) / 2;
    return b;
}

/* A box of random area and proportions; after ten that do not fit, a central one. */
static fa__box random_box(const resized_crop *r, int64_t height, int64_t width, uint64_t *state)
{
    const double logs[2] = {log(r->ratio[0]), log(r->ratio[1])};
    double area = (double)height * (double)width, whole = (double)width / (double)height;
    for (int turn = 0; turn < 10; turn++) {
        double part = area * between(state, r->scale), ratio = exp(between(state, logs));
        int64_t wide = llrint(sqrt(part * ratio)), high = llrint(sqrt(part / ratio));
        if (wide < 1 || high < 1 || wide > width || high > height)
            continue;
        int64_t top = (int64_t)fa__random_below(state, (uint64_t)(height - high + 1));
        int64_t left = (int64_t)fa__random_below(state, (uint64_t)(width - wide + 1));
        return (fa__box){top, left, high, wide};
    }
    return central_box(height, width, fmin(fmax(whole, r->ratio[0]), r->ratio[1]));
}

/* In inference mode there is no state, and the box is the central one. */
static fa__box box_of(const resized_crop *r, int64_t height, int64_t width, uint64_t *state)
{
    return state ? random_box(r, height, width, state)
                 : central_box(height, width, (double)r->size[1] / (double)r->size[0]);
}

static void resized_crop_image(const void *data, fa__frame frame[2])
{
    const resized_crop *r = data;
    fa__frame_crop(frame, box_of(r, frame[0].height, frame[0].width, frame[0].state), 0);
    fa__frame_resize(frame, r->size[0], r->size[1], r->interpolation, r->antialias);
}

static void *no_memory(const char *kind)
{
    fa_fail(FA_ERROR_MEMORY, "fa_transform_%s: out of memory", kind);
    return NULL;
}

static fa_tensor *resized_crop_there(const void *data, const fa__images *b)
{
    const resized_crop *r = data;
    const int64_t boxes = b->state ? b->count : 1;
    fa__box *box = malloc((size_t)boxes * sizeof *box);
    if (!box)
        return no_memory("random_resized_crop");
    for (int64_t i = 0; i < boxes; i++)
        box[i] = box_of(r, b->height, b->width, b->state ? &b->state[i] : NULL);
    fa_tensor *y = fa__images_resize(b, box, boxes, r->size, r->interpolation, r->antialias);
    free(box);
    return y;
}

static fa_tensor *resized_crop_forward(fa_module *self, fa_tensor *x)
{
    const resized_crop *r = fa_module_data(self);
    return fa__frames_map(self, x, r->size[0], r->size[1], fa_module_training(self), resized_crop_image,
                          resized_crop_there);
}

fa_transform *(fa_transform_random_resized_crop)(fa_pair size, const fa_transform_random_resized_crop_options *options)
{
    static const char kind[] = "random_resized_crop";
    fa_transform_random_resized_crop_options o = FA__DEFAULT_fa_transform_random_resized_crop;
    fa__options_read(&o, o.size, options);
    resized_crop r = {.size = {fa_pair_at(size, 0), fa_pair_at(size, 1)},
                      .scale = {0.08, 1},
                      .ratio = {3.0 / 4, 4.0 / 3},
                      .interpolation = o.interpolation,
                      .antialias = o.antialias};
    fa_transform *m = NULL;
    if (size_is_good(kind, size, 1, "size") && interpolation_is_good(kind, o.interpolation, FA_BICUBIC)
        && fa__range_read(kind, "scale", o.scale, 0, 1, r.scale)
        && fa__range_read(kind, "ratio", o.ratio, 1e-3, 1e3, r.ratio))
        transform_new(kind, sizeof r, &r, resized_crop_forward, &m);
    return m;
}

/* ---- rotation, and other affine maps ---- */

typedef struct affine {
    double degrees, translate[2], scale[2], shear[2], fill;
    fa_interpolation interpolation;
} affine;

static fa__warp affine_of(const affine *a, int64_t height, int64_t width, uint64_t *state)
{
    const double both[2] = {-1, 1}, center[2] = {0, 0};
    double angle = a->degrees * between(state, both);
    double x = a->translate[0] * (double)width, y = a->translate[1] * (double)height;
    double right = rint(x * between(state, both)), down = rint(y * between(state, both));
    const double shift[2] = {right, down};
    double scale = between(state, a->scale);
    double along_x = a->shear[0] * between(state, both), along_y = a->shear[1] * between(state, both);
    return fa__warp_of(angle, shift, scale, (const double[]){along_x, along_y}, center);
}

static void affine_image(const void *data, fa__frame frame[2])
{
    const affine *a = data;
    fa__warp w = affine_of(a, frame[0].height, frame[0].width, frame[0].state);
    fa__frame_warp(frame, &w, a->interpolation, (float)a->fill);
}

static fa_tensor *affine_there(const void *data, const fa__images *b)
{
    const affine *a = data;
    fa__warp *w = malloc((size_t)b->count * sizeof *w);
    if (!w)
        return no_memory("random_affine");
    for (int64_t i = 0; i < b->count; i++)
        w[i] = affine_of(a, b->height, b->width, &b->state[i]);
    fa_tensor *y = fa__images_warp(b, w, a->interpolation, a->fill);
    free(w);
    return y;
}

static fa_tensor *affine_forward(fa_module *self, fa_tensor *x)
{
    if (x && !fa_module_training(self))
        return x;
    bool good = x && fa_dim(x) == 4;
    return fa__frames_map(self, x, good ? fa_size(x, 2) : 1, good ? fa_size(x, 3) : 1, true, affine_image,
                          affine_there);
}

static fa_transform *affine_new(const char *kind, const affine *a)
{
    fa_transform *m = NULL;
    if (!(a->degrees >= 0 && a->degrees <= 360)) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_transform_%s: the angle is 0 to 360 degrees, not %g", kind, a->degrees);
        return NULL;
    }
    if (interpolation_is_good(kind, a->interpolation, FA_BILINEAR))
        transform_new(kind, sizeof *a, a, affine_forward, &m);
    return m;
}

/* One or two numbers from 0 to `most`. */
static bool read_largest(const char *name, fa_list list, double most, double to[2])
{
    bool good = list.count <= 2;
    for (size_t i = 0; good && i < list.count; i++) {
        to[i] = list.item[i];
        good = to[i] >= 0 && to[i] <= most;
    }
    return good
           || fa_fail(FA_ERROR_ARGUMENT, "fa_transform_random_affine: .%s is two numbers from 0 to %g", name, most);
}

fa_transform *(fa_transform_random_affine)(double degrees, const fa_transform_random_affine_options *options)
{
    static const char kind[] = "random_affine";
    fa_transform_random_affine_options o = FA__DEFAULT_fa_transform_random_affine;
    fa__options_read(&o, o.size, options);
    affine a = {.degrees = degrees, .scale = {1, 1}, .fill = o.fill, .interpolation = o.interpolation};
    bool good = read_largest("translate", o.translate, 1, a.translate) && read_largest("shear", o.shear, 89, a.shear)
                && fa__range_read(kind, "scale", o.scale, 1e-3, 1e3, a.scale);
    return good ? affine_new(kind, &a) : NULL;
}

fa_transform *(fa_transform_random_rotation)(double degrees, const fa_transform_random_rotation_options *options)
{
    fa_transform_random_rotation_options o = FA__DEFAULT_fa_transform_random_rotation;
    fa__options_read(&o, o.size, options);
    const affine a = {.degrees = degrees, .scale = {1, 1}, .fill = o.fill, .interpolation = o.interpolation};
    return affine_new("random_rotation", &a);
}

/* ---- perspective ---- */

typedef struct perspective {
    double distortion, p, fill;
    fa_interpolation interpolation;
} perspective;

/* A whole number from 0 to bound - 1; 0 if there is none. */
static double draw_whole(uint64_t *state, double bound)
{
    return floor(fa__random_uniform(state) * fmax(bound, 1));
}

/* False: this image stays as it is. */
static bool perspective_of(const perspective *p, int64_t height, int64_t width, uint64_t *state, fa__warp *w)
{
    double right = (double)width - 1, bottom = (double)height - 1;
    double wide = floor(p->distortion * floor((double)width / 2)) + 1;
    double high = floor(p->distortion * floor((double)height / 2)) + 1;
    const double from[8] = {0, 0, right, 0, right, bottom, 0, bottom};
    double to[8];
    bool wanted = fa__random_uniform(state) < p->p;
    for (int i = 0; i < 8; i++) {
        double by = draw_whole(state, i % 2 ? high : wide);
        to[i] = from[i] > 0 ? from[i] - by : by;
    }
    if (wanted)
        *w = fa__warp_of_corners(from, to, height, width);
    return wanted;
}

static void perspective_image(const void *data, fa__frame frame[2])
{
    const perspective *p = data;
    fa__warp w;
    if (perspective_of(p, frame[0].height, frame[0].width, frame[0].state, &w))
        fa__frame_warp(frame, &w, p->interpolation, (float)p->fill);
}

static fa_tensor *perspective_there(const void *data, const fa__images *b)
{
    const perspective *p = data;
    fa__warp *w = malloc((size_t)b->count * sizeof *w);
    if (!w)
        return no_memory("random_perspective");
    for (int64_t i = 0; i < b->count; i++)
        if (!perspective_of(p, b->height, b->width, &b->state[i], &w[i]))
            w[i] = (fa__warp){{1, 0, 0, 0, 1, 0, 0, 0}};
    fa_tensor *y = fa__images_warp(b, w, p->interpolation, p->fill);
    free(w);
    return y;
}

static fa_tensor *perspective_forward(fa_module *self, fa_tensor *x)
{
    if (x && !fa_module_training(self))
        return x;
    bool good = x && fa_dim(x) == 4;
    return fa__frames_map(self, x, good ? fa_size(x, 2) : 1, good ? fa_size(x, 3) : 1, true, perspective_image,
                          perspective_there);
}

fa_transform *(fa_transform_random_perspective)(const fa_transform_random_perspective_options *options)
{
    static const char kind[] = "random_perspective";
    fa_transform_random_perspective_options o = FA__DEFAULT_fa_transform_random_perspective;
    fa__options_read(&o, o.size, options);
    const perspective p = {o.distortion, o.p, o.fill, o.interpolation};
    fa_transform *m = NULL;
    if (!(o.distortion >= 0 && o.distortion <= 1) || !(o.p >= 0 && o.p <= 1)) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_transform_random_perspective: .distortion and .p are 0 to 1, not %g and %g",
                o.distortion, o.p);
        return NULL;
    }
    if (interpolation_is_good(kind, o.interpolation, FA_BILINEAR))
        transform_new(kind, sizeof p, &p, perspective_forward, &m);
    return m;
}
