/* RandAugment and AutoAugment: random operations on each image. */
#include "data/data.h"
#include "data/draw.h"
#include "data/frame.h"
#include "data/transform.h"
#include <facula/error.h>
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

static void invert(fa__frame frame[2], strength s)
{
    (void)s;
    fa__frame_solarize(&frame[0], 0);
}

typedef void operation(fa__frame frame[2], strength s);

static operation *const operations[] = {identity,  shear_x,    shear_y,      translate_x, translate_y,
                                        rotate,    brightness, color,        contrast,    sharpness,
                                        posterize, solarize,   autocontrast, equalize};

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

static fa_tensor *augment(fa_module *self, fa_tensor *x, fa__frame_function *image)
{
    if (x && !fa_module_training(self))
        return x;
    bool good = x && fa_dim(x) == 4;
    if (good && fa_size(x, 1) != 1 && fa_size(x, 1) != 3) {
        fa_fail(FA_ERROR_SHAPE, "fa_transform_%s: images have 1 or 3 channels, not %" PRId64, fa_module_kind(self),
                fa_size(x, 1));
        return NULL;
    }
    return fa__frames_map(self, x, good ? fa_size(x, 2) : 1, good ? fa_size(x, 3) : 1, true, image, NULL);
}

static fa_tensor *rand_augment_forward(fa_module *self, fa_tensor *x)
{
    return augment(self, x, rand_augment_image);
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

/* ---- AutoAugment ---- */

/* An operation, its probability in tenths, and its strength in ninths. */
typedef struct step {
    operation *run;
    int tenths, ninths;
} step;

/* The policy for CIFAR-10 (Cubuk et al. 2018, table 7). */
static const step cifar10_policy[][2] = {
    {{invert, 1, 7}, {contrast, 2, 6}},         {{rotate, 7, 2}, {translate_x, 3, 9}},
    {{sharpness, 8, 1}, {sharpness, 9, 3}},     {{shear_y, 5, 8}, {translate_y, 7, 9}},
    {{autocontrast, 5, 8}, {equalize, 9, 2}},   {{shear_y, 2, 7}, {posterize, 3, 7}},
    {{color, 4, 3}, {brightness, 6, 7}},        {{sharpness, 3, 9}, {brightness, 7, 9}},
    {{equalize, 6, 5}, {equalize, 5, 1}},       {{contrast, 6, 7}, {sharpness, 6, 5}},
    {{color, 7, 7}, {translate_x, 5, 8}},       {{equalize, 3, 7}, {autocontrast, 4, 8}},
    {{translate_y, 4, 3}, {sharpness, 2, 6}},   {{brightness, 9, 6}, {color, 2, 8}},
    {{solarize, 5, 2}, {invert, 0, 3}},         {{equalize, 2, 0}, {autocontrast, 6, 0}},
    {{equalize, 2, 8}, {equalize, 6, 4}},       {{color, 9, 9}, {equalize, 6, 6}},
    {{autocontrast, 8, 4}, {solarize, 2, 8}},   {{brightness, 1, 3}, {color, 7, 0}},
    {{solarize, 4, 5}, {autocontrast, 9, 3}},   {{translate_y, 9, 9}, {translate_y, 7, 9}},
    {{autocontrast, 9, 2}, {solarize, 8, 3}},   {{equalize, 8, 8}, {invert, 1, 3}},
    {{translate_y, 7, 9}, {autocontrast, 9, 1}}};

static void auto_augment_image(const void *data, fa__frame frame[2])
{
    uint64_t *state = frame[0].state;
    const step *steps = cifar10_policy[fa__random_below(state, sizeof cifar10_policy / sizeof *cifar10_policy)];
    for (int i = 0; i < 2; i++) {
        bool applied = (double)steps[i].tenths / 10 > fa__random_uniform(state);
        double sign = fa__random_below(state, 2) ? 1 : -1;
        if (applied)
            steps[i].run(frame, (strength){steps[i].ninths / 9.0, sign, *(const fa_interpolation *)data});
    }
}

static fa_tensor *auto_augment_forward(fa_module *self, fa_tensor *x)
{
    return augment(self, x, auto_augment_image);
}

fa_transform *(fa_transform_auto_augment)(const fa_transform_auto_augment_options *options)
{
    fa_transform_auto_augment_options o = FA__DEFAULT_fa_transform_auto_augment;
    fa__options_read(&o, o.size, options);
    if ((unsigned)o.interpolation > FA_BILINEAR) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_transform_auto_augment: .interpolation is FA_NEAREST or FA_BILINEAR");
        return NULL;
    }
    fa_module *m = fa_nn_custom("auto_augment", sizeof(fa_interpolation), auto_augment_forward);
    if (m)
        *(fa_interpolation *)fa_module_data(m) = o.interpolation;
    return m;
}
