/* RandAugment and AutoAugment: random operations on each image. */
#include "data/augment.h"
#include "data/data.h"
#include "data/draw.h"
#include "data/transform.h"
#include <facula/error.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- RandAugment ---- */

static double degrees(double slope)
{
    return atan(slope) * 180 / acos(-1);
}

/* Sheared around the corner at the top left, as torchvision does. */
fa__warp fa__step_warp(const fa__augment_step *s, int64_t height, int64_t width)
{
    double by = s->part * s->sign, most = 150.0 / 331, angle = s->operation == FA__ROTATE ? -30 * by : 0;
    const double translate[2] = {s->operation == FA__TRANSLATE_X ? trunc(most * (double)width * by) : 0,
                                 s->operation == FA__TRANSLATE_Y ? trunc(most * (double)height * by) : 0};
    const double shear[2] = {s->operation == FA__SHEAR_X ? degrees(0.3 * by) : 0,
                             s->operation == FA__SHEAR_Y ? degrees(0.3 * by) : 0};
    bool sheared = shear[0] != 0 || shear[1] != 0;
    const double center[2] = {sheared ? -(double)width / 2 : 0, sheared ? -(double)height / 2 : 0};
    return fa__warp_of(angle, translate, 1, shear, center);
}

double fa__step_factor(const fa__augment_step *s)
{
    return 1 + 0.9 * s->part * s->sign;
}

int fa__step_bits(const fa__augment_step *s)
{
    return 8 - (int)rint(4 * s->part);
}

double fa__step_threshold(const fa__augment_step *s)
{
    return s->operation == FA__INVERT ? 0 : 1 - s->part;
}

static void identity(fa__frame frame[2], const fa__augment_step *s)
{
    (void)frame, (void)s;
}

static void warp(fa__frame frame[2], const fa__augment_step *s)
{
    fa__warp w = fa__step_warp(s, frame[0].height, frame[0].width);
    fa__frame_warp(frame, &w, s->interpolation, 0);
}

static void brightness(fa__frame frame[2], const fa__augment_step *s)
{
    fa__frame_brightness(&frame[0], fa__step_factor(s));
}

static void color(fa__frame frame[2], const fa__augment_step *s)
{
    fa__frame_saturation(&frame[0], fa__step_factor(s));
}

static void contrast(fa__frame frame[2], const fa__augment_step *s)
{
    fa__frame_contrast(&frame[0], fa__step_factor(s));
}

static void sharpness(fa__frame frame[2], const fa__augment_step *s)
{
    fa__frame_sharpness(frame, fa__step_factor(s));
}

static void posterize(fa__frame frame[2], const fa__augment_step *s)
{
    fa__frame_posterize(&frame[0], fa__step_bits(s));
}

static void solarize(fa__frame frame[2], const fa__augment_step *s)
{
    fa__frame_solarize(&frame[0], fa__step_threshold(s));
}

static void autocontrast(fa__frame frame[2], const fa__augment_step *s)
{
    (void)s;
    fa__frame_autocontrast(&frame[0]);
}

static void equalize(fa__frame frame[2], const fa__augment_step *s)
{
    (void)s;
    fa__frame_equalize(&frame[0]);
}

static void (*const operations[])(fa__frame frame[2], const fa__augment_step *s) = {
    [FA__IDENTITY] = identity,         [FA__SHEAR_X] = warp,        [FA__SHEAR_Y] = warp,
    [FA__TRANSLATE_X] = warp,          [FA__TRANSLATE_Y] = warp,    [FA__ROTATE] = warp,
    [FA__BRIGHTNESS] = brightness,     [FA__COLOR] = color,         [FA__CONTRAST] = contrast,
    [FA__SHARPNESS] = sharpness,       [FA__POSTERIZE] = posterize, [FA__SOLARIZE] = solarize,
    [FA__AUTOCONTRAST] = autocontrast, [FA__EQUALIZE] = equalize,   [FA__INVERT] = solarize};

enum { MOST_ROUNDS = 16 };

/* Draws the steps of an image; their number, which is the same for all. */
typedef int64_t draw_function(const void *data, uint64_t *state, fa__augment_step *step);

static void augment_image(const void *data, fa__frame frame[2], draw_function *draw)
{
    fa__augment_step step[MOST_ROUNDS];
    int64_t rounds = draw(data, frame[0].state, step);
    for (int64_t r = 0; r < rounds; r++)
        operations[step[r].operation](frame, &step[r]);
}

static fa_tensor *augment_there(const void *data, const fa__images *b, draw_function *draw)
{
    fa__augment_step *step = malloc((size_t)(b->count + 1) * MOST_ROUNDS * sizeof *step);
    int64_t rounds = 0;
    if (!step) {
        fa_fail(FA_ERROR_MEMORY, "a transform has no memory for the operations of %" PRId64 " images", b->count);
        return NULL;
    }
    for (int64_t i = 0; i < b->count; i++)
        rounds = draw(data, &b->state[i], &step[i * rounds]);
    fa_tensor *y = fa__images_augment(b, step, rounds);
    free(step);
    return y;
}

typedef struct rand_augment {
    int64_t count;
    double part;
    fa_interpolation interpolation;
} rand_augment;

static int64_t draw_rand(const void *data, uint64_t *state, fa__augment_step *step)
{
    const rand_augment *r = data;
    for (int64_t i = 0; i < r->count; i++) {
        fa__augmentation which = (fa__augmentation)fa__random_below(state, FA__INVERT);
        step[i] = (fa__augment_step){which, r->part, fa__random_below(state, 2) ? 1 : -1, r->interpolation};
    }
    return r->count;
}

static void rand_augment_image(const void *data, fa__frame frame[2])
{
    augment_image(data, frame, draw_rand);
}

static fa_tensor *rand_augment_there(const void *data, const fa__images *b)
{
    return augment_there(data, b, draw_rand);
}

static fa_tensor *augment(fa_module *self, fa_tensor *x, fa__frame_function *image, fa__images_function *there)
{
    if (x && !fa_module_training(self))
        return x;
    bool good = x && fa_dim(x) == 4;
    if (good && fa_size(x, 1) != 1 && fa_size(x, 1) != 3) {
        fa_fail(FA_ERROR_SHAPE, "fa_transform_%s: images have 1 or 3 channels, not %" PRId64, fa_module_kind(self),
                fa_size(x, 1));
        return NULL;
    }
    return fa__frames_map(self, x, good ? fa_size(x, 2) : 1, good ? fa_size(x, 3) : 1, true, image, there);
}

static fa_tensor *rand_augment_forward(fa_module *self, fa_tensor *x)
{
    return augment(self, x, rand_augment_image, rand_augment_there);
}

fa_transform *(fa_transform_rand_augment)(const fa_transform_rand_augment_options *options)
{
    fa_transform_rand_augment_options o = FA__DEFAULT_fa_transform_rand_augment;
    fa__options_read(&o, o.size, options);
    const char *why = o.num_ops < 1 || o.num_ops > MOST_ROUNDS                     ? ".num_ops is 1 to 16"
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
            (rand_augment){o.num_ops, (double)o.magnitude / (double)(o.num_magnitude_bins - 1), o.interpolation};
    return m;
}

/* ---- AutoAugment ---- */

/* An operation, its probability in tenths, and its strength in ninths. */
typedef struct policy {
    fa__augmentation operation;
    int tenths, ninths;
} policy;

/* The policy for CIFAR-10 (Cubuk et al. 2018, table 7). */
static const policy cifar10_policy[][2] = {
    {{FA__INVERT, 1, 7}, {FA__CONTRAST, 2, 6}},         {{FA__ROTATE, 7, 2}, {FA__TRANSLATE_X, 3, 9}},
    {{FA__SHARPNESS, 8, 1}, {FA__SHARPNESS, 9, 3}},     {{FA__SHEAR_Y, 5, 8}, {FA__TRANSLATE_Y, 7, 9}},
    {{FA__AUTOCONTRAST, 5, 8}, {FA__EQUALIZE, 9, 2}},   {{FA__SHEAR_Y, 2, 7}, {FA__POSTERIZE, 3, 7}},
    {{FA__COLOR, 4, 3}, {FA__BRIGHTNESS, 6, 7}},        {{FA__SHARPNESS, 3, 9}, {FA__BRIGHTNESS, 7, 9}},
    {{FA__EQUALIZE, 6, 5}, {FA__EQUALIZE, 5, 1}},       {{FA__CONTRAST, 6, 7}, {FA__SHARPNESS, 6, 5}},
    {{FA__COLOR, 7, 7}, {FA__TRANSLATE_X, 5, 8}},       {{FA__EQUALIZE, 3, 7}, {FA__AUTOCONTRAST, 4, 8}},
    {{FA__TRANSLATE_Y, 4, 3}, {FA__SHARPNESS, 2, 6}},   {{FA__BRIGHTNESS, 9, 6}, {FA__COLOR, 2, 8}},
    {{FA__SOLARIZE, 5, 2}, {FA__INVERT, 0, 3}},         {{FA__EQUALIZE, 2, 0}, {FA__AUTOCONTRAST, 6, 0}},
    {{FA__EQUALIZE, 2, 8}, {FA__EQUALIZE, 6, 4}},       {{FA__COLOR, 9, 9}, {FA__EQUALIZE, 6, 6}},
    {{FA__AUTOCONTRAST, 8, 4}, {FA__SOLARIZE, 2, 8}},   {{FA__BRIGHTNESS, 1, 3}, {FA__COLOR, 7, 0}},
    {{FA__SOLARIZE, 4, 5}, {FA__AUTOCONTRAST, 9, 3}},   {{FA__TRANSLATE_Y, 9, 9}, {FA__TRANSLATE_Y, 7, 9}},
    {{FA__AUTOCONTRAST, 9, 2}, {FA__SOLARIZE, 8, 3}},   {{FA__EQUALIZE, 8, 8}, {FA__INVERT, 1, 3}},
    {{FA__TRANSLATE_Y, 7, 9}, {FA__AUTOCONTRAST, 9, 1}}};

static int64_t draw_auto(const void *data, uint64_t *state, fa__augment_step *step)
{
    const policy *p = cifar10_policy[fa__random_below(state, sizeof cifar10_policy / sizeof *cifar10_policy)];
    for (int i = 0; i < 2; i++) {
        bool applied = (double)p[i].tenths / 10 > fa__random_uniform(state);
        double sign = fa__random_below(state, 2) ? 1 : -1;
        step[i] = (fa__augment_step){applied ? p[i].operation : FA__IDENTITY, p[i].ninths / 9.0, sign,
                                     *(const fa_interpolation *)data};
    }
    return 2;
}

static void auto_augment_image(const void *data, fa__frame frame[2])
{
    augment_image(data, frame, draw_auto);
}

static fa_tensor *auto_augment_there(const void *data, const fa__images *b)
{
    return augment_there(data, b, draw_auto);
}

static fa_tensor *auto_augment_forward(fa_module *self, fa_tensor *x)
{
    return augment(self, x, auto_augment_image, auto_augment_there);
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
