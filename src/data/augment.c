/* RandAugment, and transforms that are applied to some images of a batch. */
#include "data/data.h"
#include "data/draw.h"
#include "data/frame.h"
#include "data/transform.h"
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/ops/index.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <math.h>

/* ---- RandAugment ---- */

/* An operation of strength 0 to 1; `sign` is 1, or -1 at random. */
typedef struct strength {
    double part, sign;
    fa_interpolation interpolation;
} strength;

static void warp(fa__frame frame[2], double angle, double x, double y, double shear_x, double shear_y,
                 fa_interpolation how)
{
    /* sheared around the corner at the top left, as torchvision does */
    bool sheared = shear_x != 0 || shear_y != 0;
    const double center[2] = {sheared ? -(double)frame[0].width / 2 : 0, sheared ? -(double)frame[0].height / 2 : 0};
    const double translate[2] = {x, y}, shear[2] = {shear_x, shear_y};
    fa__warp w = fa__warp_of(angle, translate, 1, shear, center);
    fa__frame_warp(frame, &w, how, 0);
}

static double degrees(double slope)
{
    return atan(slope) * 180 / acos(-1);
}

static void identity(fa__frame frame[2], strength s)
{
    (void)frame, (void)s;
}

static void shear_x(fa__frame frame[2], strength s)
{
    warp(frame, 0, 0, 0, degrees(0.3 * s.part * s.sign), 0, s.interpolation);
}

static void shear_y(fa__frame frame[2], strength s)
{
    warp(frame, 0, 0, 0, 0, degrees(0.3 * s.part * s.sign), s.interpolation);
}

static void translate_x(fa__frame frame[2], strength s)
{
    warp(frame, 0, trunc(150.0 / 331 * (double)frame[0].width * s.part * s.sign), 0, 0, 0, s.interpolation);
}

static void translate_y(fa__frame frame[2], strength s)
{
    warp(frame, 0, 0, trunc(150.0 / 331 * (double)frame[0].height * s.part * s.sign), 0, 0, s.interpolation);
}

static void rotate(fa__frame frame[2], strength s)
{
    warp(frame, -30 * s.part * s.sign, 0, 0, 0, 0, s.interpolation);
}

static void brightness(fa__frame frame[2], strength s)
{
    fa__frame_brightness(&frame[0], 1 + 0.9 * s.part * s.sign);
}

static void color(fa__frame frame[2], strength s)
{
    fa__frame_saturation(&frame[0], 1 + 0.9 * s.part * s.sign);
}

static void contrast(fa__frame frame[2], strength s)
{
    fa__frame_contrast(&frame[0], 1 + 0.9 * s.part * s.sign);
}

static void sharpness(fa__frame frame[2], strength s)
{
    fa__frame_sharpness(frame, 1 + 0.9 * s.part * s.sign);
}

static void posterize(fa__frame frame[2], strength s)
{
    fa__frame_posterize(&frame[0], 8 - (int)rint(4 * s.part));
}

static void solarize(fa__frame frame[2], strength s)
{
    fa__frame_solarize(&frame[0], 1 - s.part);
}

static void autocontrast(fa__frame frame[2], strength s)
{
    (void)s;
    fa__frame_autocontrast(&frame[0]);
}

static void equalize(fa__frame frame[2], strength s)
{
    (void)s;
    fa__frame_equalize(&frame[0]);
}

static void (*const operations[])(fa__frame frame[2], strength s) = {
    identity, shear_x,  shear_y,   translate_x, translate_y, rotate,       brightness,
    color,    contrast, sharpness, posterize,   solarize,    autocontrast, equalize};

enum { OPERATIONS = sizeof operations / sizeof *operations };

typedef struct rand_augment {
    int64_t count;
    strength strength;
} rand_augment;

static void rand_augment_image(const void *data, fa__frame frame[2])
{
    uint64_t *state = frame[0].state;
    const rand_augment *r = data;
    for (int64_t i = 0; i < r->count; i++) {
        uint64_t which = fa__random_below(state, OPERATIONS);
        strength s = r->strength;
        s.sign = fa__random_below(state, 2) ? 1 : -1;
        operations[which](frame, s);
    }
}

static fa_tensor *rand_augment_forward(fa_module *self, fa_tensor *x)
{
    if (x && !fa_module_training(self))
        return x;
    bool good = x && fa_dim(x) == 4;
    if (good && fa_size(x, 1) != 1 && fa_size(x, 1) != 3) {
        fa_fail(FA_ERROR_SHAPE, "fa_transform_rand_augment: images have 1 or 3 channels, not %" PRId64, fa_size(x, 1));
        return NULL;
    }
    return fa__frames_map(self, x, good ? fa_size(x, 2) : 1, good ? fa_size(x, 3) : 1, true, rand_augment_image);
}

fa_transform *(fa_transform_rand_augment)(const fa_transform_rand_augment_options *options)
{
    fa_transform_rand_augment_options o = FA__DEFAULT_fa_transform_rand_augment;
    fa__options_read(&o, o.size, options);
    const char *why = o.num_ops < 1 || o.num_ops > 16                              ? ".num_ops is 1 to 16"
                      : o.num_magnitude_bins < 2 || o.num_magnitude_bins > 1 << 20 ? ".num_magnitude_bins is at least 2"
                      : o.magnitude < 0 || o.magnitude >= o.num_magnitude_bins
                          ? ".magnitude is 0 to num_magnitude_bins - 1"
                      : (unsigned)o.interpolation > FA_BILINEAR ? ".interpolation is FA_NEAREST or FA_BILINEAR"
                                                                : NULL;
    if (why) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_transform_rand_augment: %s", why);
        return NULL;
    }
    fa_module *m = fa_nn_custom("rand_augment", sizeof(rand_augment), rand_augment_forward);
    if (m)
        *(rand_augment *)fa_module_data(m) =
            (rand_augment){o.num_ops, {(double)o.magnitude / (double)(o.num_magnitude_bins - 1), 1, o.interpolation}};
    return m;
}

/* ---- some images of a batch ---- */

/* Transforms behind this one draw other numbers, whatever it has drawn, as it may have been applied to other images. */
enum { MOST_DRAWS = 256 };

typedef struct random_apply {
    fa_module *transform;
    double p;
} random_apply;

/* The numbers of the images that are drawn. */
static fa__numbers *draw_images(const random_apply *r, int64_t count)
{
    uint64_t *state = fa__streams(count);
    fa__numbers *chosen = state ? fa__numbers_new(count) : NULL;
    int64_t n = 0;
    for (int64_t i = 0; chosen && i < count; i++)
        if (fa__random_uniform(&state[i]) < r->p)
            chosen->item[n++] = i;
    if (chosen)
        chosen->count = n;
    return chosen;
}

/* Applies the transform to these images of a `whole` batch, with their random numbers. */
static fa_tensor *apply_to(const random_apply *r, const fa__numbers *chosen, fa_tensor *x, int64_t whole)
{
    fa__rows *outer = fa__rows_now, rows;
    bool keyed = outer && outer->count == whole;
    fa__numbers *key = fa__numbers_new(chosen->count);
    for (int64_t i = 0; key && keyed && i < chosen->count; i++)
        key->item[i] = (int64_t)outer->key[chosen->item[i]];
    if (!key)
        return NULL;
    rows = (fa__rows){(const uint64_t *)key->item, chosen->count, keyed ? outer->step - MOST_DRAWS : 0};
    fa__rows_now = keyed ? &rows : NULL;
    x = fa_forward(r->transform, x);
    fa__rows_now = outer;
    return x;
}

static fa_tensor *random_apply_forward(fa_module *self, fa_tensor *x)
{
    const random_apply *r = fa_module_data(self);
    if (!x || fa_dim(x) < 1 || !fa_module_training(self))
        return x;
    const fa__numbers *chosen = draw_images(r, fa_size(x, 0));
    if (fa__rows_now)
        fa__rows_now->step += MOST_DRAWS;
    if (!chosen || !chosen->count)
        return chosen ? x : NULL;
    fa_tensor *which =
        fa_tensor_from(chosen->item, FA_SHAPE(chosen->count), .dtype = FA_I64, .device = fa_tensor_device(x));
    fa_tensor *some = apply_to(r, chosen, fa_index_select(x, 0, which), fa_size(x, 0));
    return some ? fa_index_copy(x, 0, which, some) : NULL;
}

fa_transform *fa_transform_random_apply(fa_transform *transform, double p)
{
    if (!transform || !(p >= 0 && p <= 1)) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_transform_random_apply: %s",
                transform ? "p is 0 to 1" : "the transform is NULL");
        return NULL;
    }
    fa_module *m = fa_nn_custom("random_apply", sizeof(random_apply), random_apply_forward);
    if (!m)
        return NULL;
    random_apply *r = fa_module_data(m);
    r->transform = fa_module_add(m, "transform", transform);
    r->p = p;
    return r->transform ? m : NULL;
}
