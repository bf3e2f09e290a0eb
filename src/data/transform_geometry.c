/* Transforms that change sizes and positions: resize, crops, padding, rotation. */
#include "data/data.h"
#include "data/frame.h"
#include <facula/error.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <math.h>
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

static fa_tensor *resize_forward(fa_module *self, fa_tensor *x)
{
    const resize *r = fa_module_data(self);
    int64_t to[2] = {1, 1};
    if (x && fa_dim(x) == 4 && fa_size(x, 2) > 0 && fa_size(x, 3) > 0)
        resize_to(r->size, fa_size(x, 2), fa_size(x, 3), to);
    return fa__frames_map(self, x, to[0], to[1], false, resize_image);
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

static void center_image(const void *data, fa__frame frame[2])
{
    const edges *e = data;
    fa__frame_crop(
        frame,
        (fa__box){middle(frame[0].height, e->size[0]), middle(frame[0].width, e->size[1]), e->size[0], e->size[1]}, 0);
}

static fa_tensor *center_forward(fa_module *self, fa_tensor *x)
{
    const edges *e = fa_module_data(self);
    return fa__frames_map(self, x, e->size[0], e->size[1], false, center_image);
}

fa_transform *fa_transform_center_crop(fa_pair size)
{
    const edges e = {.size = {fa_pair_at(size, 0), fa_pair_at(size, 1)}};
    fa_transform *m = NULL;
    if (size_is_good("center_crop", size, 1, "size"))
        transform_new("center_crop", sizeof e, &e, center_forward, &m);
    return m;
}

static void pad_image(const void *data, fa__frame frame[2])
{
    const edges *e = data;
    fa__frame_crop(frame,
                   (fa__box){-e->padding[0], -e->padding[1], frame[0].height + 2 * e->padding[0],
                             frame[0].width + 2 * e->padding[1]},
                   (float)e->fill);
}

static fa_tensor *pad_forward(fa_module *self, fa_tensor *x)
{
    const edges *e = fa_module_data(self);
    bool good = x && fa_dim(x) == 4;
    return fa__frames_map(self, x, good ? fa_size(x, 2) + 2 * e->padding[0] : 1,
                          good ? fa_size(x, 3) + 2 * e->padding[1] : 1, false, pad_image);
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
static fa__box central_box(const fa__frame *f, double ratio)
{
    fa__box b = {0, 0, f->height, f->width};
    if ((double)f->width / (double)f->height > ratio)
        b.width = (int64_t)fmax(1, rint((double)f->height * ratio));
    else
        b.height = (int64_t)fmax(1, rint((double)f->width / ratio));
    b.top = (f->height - b.height) / 2;
    b.left = (f->width - b.width) / 2;
    return b;
}

/* A box of random area and proportions; after ten that do not fit, a central one. */
static fa__box random_box(const resized_crop *r, const fa__frame *f, uint64_t *state)
{
    const double logs[2] = {log(r->ratio[0]), log(r->ratio[1])};
    double area = (double)f->height * (double)f->width, whole = (double)f->width / (double)f->height;
    for (int turn = 0; turn < 10; turn++) {
        double part = area * between(state, r->scale), ratio = exp(between(state, logs));
        int64_t width = llrint(sqrt(part * ratio)), height = llrint(sqrt(part / ratio));
        if (width < 1 || height < 1 || width > f->width || height > f->height)
            continue;
        int64_t top = (int64_t)fa__random_below(state, (uint64_t)(f->height - height + 1));
        int64_t left = (int64_t)fa__random_below(state, (uint64_t)(f->width - width + 1));
        return (fa__box){top, left, height, width};
    }
    return central_box(f, fmin(fmax(whole, r->ratio[0]), r->ratio[1]));
}

static void resized_crop_image(const void *data, fa__frame frame[2])
{
    uint64_t *state = frame[0].state;
    const resized_crop *r = data;
    fa__box box =
        state ? random_box(r, &frame[0], state) : central_box(&frame[0], (double)r->size[1] / (double)r->size[0]);
    fa__frame_crop(frame, box, 0);
    fa__frame_resize(frame, r->size[0], r->size[1], r->interpolation, r->antialias);
}

static fa_tensor *resized_crop_forward(fa_module *self, fa_tensor *x)
{
    const resized_crop *r = fa_module_data(self);
    return fa__frames_map(self, x, r->size[0], r->size[1], fa_module_training(self), resized_crop_image);
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

static void affine_image(const void *data, fa__frame frame[2])
{
    uint64_t *state = frame[0].state;
    const affine *a = data;
    const double both[2] = {-1, 1}, center[2] = {0, 0};
    double angle = a->degrees * between(state, both);
    double x = a->translate[0] * (double)frame[0].width, y = a->translate[1] * (double)frame[0].height;
    const double shift[2] = {rint(x * between(state, both)), rint(y * between(state, both))};
    double scale = between(state, a->scale);
    const double shear[2] = {a->shear[0] * between(state, both), a->shear[1] * between(state, both)};
    fa__warp w = fa__warp_of(angle, shift, scale, shear, center);
    fa__frame_warp(frame, &w, a->interpolation, (float)a->fill);
}

static fa_tensor *affine_forward(fa_module *self, fa_tensor *x)
{
    if (x && !fa_module_training(self))
        return x;
    bool good = x && fa_dim(x) == 4;
    return fa__frames_map(self, x, good ? fa_size(x, 2) : 1, good ? fa_size(x, 3) : 1, true, affine_image);
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

static void perspective_image(const void *data, fa__frame frame[2])
{
    const perspective *p = data;
    uint64_t *state = frame[0].state;
    double right = (double)frame[0].width - 1, bottom = (double)frame[0].height - 1;
    double wide = floor(p->distortion * floor((double)frame[0].width / 2)) + 1;
    double high = floor(p->distortion * floor((double)frame[0].height / 2)) + 1;
    const double from[8] = {0, 0, right, 0, right, bottom, 0, bottom};
    double to[8];
    bool wanted = fa__random_uniform(state) < p->p;
    for (int i = 0; i < 8; i++) {
        double by = draw_whole(state, i % 2 ? high : wide);
        to[i] = from[i] > 0 ? from[i] - by : by;
    }
    if (!wanted)
        return;
    fa__warp w = fa__warp_of_corners(from, to, frame[0].height, frame[0].width);
    fa__frame_warp(frame, &w, p->interpolation, (float)p->fill);
}

static fa_tensor *perspective_forward(fa_module *self, fa_tensor *x)
{
    if (x && !fa_module_training(self))
        return x;
    bool good = x && fa_dim(x) == 4;
    return fa__frames_map(self, x, good ? fa_size(x, 2) : 1, good ? fa_size(x, 3) : 1, true, perspective_image);
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
