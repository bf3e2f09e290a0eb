/* Transforms that change colors, blur, and erase. */
#include "data/data.h"
#include "data/frame.h"
#include <facula/error.h>
#include <facula/ops/math.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* What the transforms of this file need: numbers, and the function of an image. */
typedef struct color {
    fa__frame_function *function;
    fa__images_function *there; /* on a device; NULL: there is none */
    bool random;                /* it returns its input in inference mode */
    double number[4], range[2][2];
    int64_t kernel[2];
} color;

static double between(uint64_t *state, const double range[2])
{
    return range[0] + (range[1] - range[0]) * fa__random_uniform(state);
}

static fa_tensor *color_forward(fa_module *self, fa_tensor *x)
{
    const color *c = fa_module_data(self);
    if (x && c->random && !fa_module_training(self))
        return x;
    bool good = x && fa_dim(x) == 4;
    if (good && fa_size(x, 1) != 1 && fa_size(x, 1) != 3) {
        fa_fail(FA_ERROR_SHAPE, "fa_transform_%s: images have 1 or 3 channels, not %" PRId64, fa_module_kind(self),
                fa_size(x, 1));
        return NULL;
    }
    return fa__frames_map(self, x, good ? fa_size(x, 2) : 1, good ? fa_size(x, 3) : 1, c->random, c->function,
                          c->there);
}

static fa_transform *color_new(const char *kind, const color *c)
{
    fa_transform *m = fa_nn_custom(kind, sizeof *c, color_forward);
    if (m)
        *(color *)fa_module_data(m) = *c;
    return m;
}

static bool number_is_good(const char *kind, const char *name, double number, double most)
{
    return (number >= 0 && number <= most)
           || fa_fail(FA_ERROR_ARGUMENT, "fa_transform_%s: %s is 0 to %g, not %g", kind, name, most, number);
}

/* ---- without random numbers ---- */

static void gray_image(const void *data, fa__frame frame[2])
{
    (void)data;
    fa__frame_grayscale(&frame[0]);
}

static void autocontrast_image(const void *data, fa__frame frame[2])
{
    (void)data;
    fa__frame_autocontrast(&frame[0]);
}

static void equalize_image(const void *data, fa__frame frame[2])
{
    (void)data;
    fa__frame_equalize(&frame[0]);
}

static void posterize_image(const void *data, fa__frame frame[2])
{
    fa__frame_posterize(&frame[0], (int)((const color *)data)->number[0]);
}

static void solarize_image(const void *data, fa__frame frame[2])
{
    fa__frame_solarize(&frame[0], ((const color *)data)->number[0]);
}

static fa_tensor *gray_there(const void *data, const fa__images *b)
{
    (void)data;
    return fa__images_grayscale(b);
}

static fa_tensor *autocontrast_there(const void *data, const fa__images *b)
{
    (void)data;
    return fa__images_autocontrast(b);
}

static fa_tensor *equalize_there(const void *data, const fa__images *b)
{
    (void)data;
    return fa__images_equalize(b);
}

static fa_tensor *posterize_there(const void *data, const fa__images *b)
{
    return fa__images_posterize(b, (int)((const color *)data)->number[0]);
}

static fa_tensor *solarize_there(const void *data, const fa__images *b)
{
    return fa__images_solarize(b, ((const color *)data)->number[0]);
}

fa_transform *fa_transform_grayscale(void)
{
    return color_new("grayscale", &(color){.function = gray_image, .there = gray_there});
}

fa_transform *fa_transform_autocontrast(void)
{
    return color_new("autocontrast", &(color){.function = autocontrast_image, .there = autocontrast_there});
}

fa_transform *fa_transform_equalize(void)
{
    return color_new("equalize", &(color){.function = equalize_image, .there = equalize_there});
}

fa_transform *fa_transform_posterize(int64_t bits)
{
    if (bits >= 1 && bits <= 8)
        return color_new("posterize",
                         &(color){.function = posterize_image, .there = posterize_there, .number = {(double)bits}});
    fa_fail(FA_ERROR_ARGUMENT, "fa_transform_posterize: bits is 1 to 8, not %" PRId64, bits);
    return NULL;
}

fa_transform *fa_transform_solarize(double threshold)
{
    if (!number_is_good("solarize", "the threshold", threshold, 1))
        return NULL;
    return color_new("solarize", &(color){.function = solarize_image, .there = solarize_there, .number = {threshold}});
}

/* ---- color jitter ---- */

enum { CHANGES = 4, HUE = 3 };

/* The changes of an image in order, and their factors; that of the hue is a turn. 0 for changes that are not wanted. */
typedef struct jittered {
    double which[CHANGES], by[CHANGES];
} jittered;

static double drawn_factor(int which, double number, uint64_t *state)
{
    if (which == HUE)
        return number * (2 * fa__random_uniform(state) - 1);
    return between(state, (const double[]){fmax(0, 1 - number), 1 + number});
}

static jittered jitter_of(const color *c, uint64_t *state)
{
    jittered j = {{0, 1, 2, 3}, {0}};
    for (int i = CHANGES - 1; i > 0; i--) {
        int k = (int)fa__random_below(state, (uint64_t)i + 1);
        double swapped = j.which[i];
        j.which[i] = j.which[k];
        j.which[k] = swapped;
    }
    for (int i = 0; i < CHANGES; i++) {
        int which = (int)j.which[i];
        if (c->number[which] > 0)
            j.by[i] = drawn_factor(which, c->number[which], state);
    }
    return j;
}

static void jitter_image(const void *data, fa__frame frame[2])
{
    static void (*const change[])(fa__frame *, double) = {fa__frame_brightness, fa__frame_contrast,
                                                          fa__frame_saturation, fa__frame_hue};
    const color *c = data;
    const jittered j = jitter_of(c, frame[0].state);
    for (int i = 0; i < CHANGES; i++)
        if (c->number[(int)j.which[i]] > 0)
            change[(int)j.which[i]](&frame[0], j.by[i]);
}

/* Change number i of each image, which is another one from image to image. */
static bool jitter_step(const color *c, fa__images *b, const fa_tensor *drawn, int i)
{
    static fa_tensor *(*const change[])(const fa__images *, fa_tensor *, fa_tensor *) = {
        fa__images_brightness, fa__images_contrast, fa__images_saturation, fa__images_hue};
    for (int which = 0; which < CHANGES && b->x; which++)
        if (c->number[which] > 0) {
            fa_tensor *by = fa__number_of(drawn, CHANGES + i), *wanted = fa_eq(fa__number_of(drawn, i), which);
            b->x = by && wanted ? change[which](b, by, wanted) : NULL;
        }
    return b->x;
}

static fa_tensor *jitter_there(const void *data, const fa__images *images)
{
    const color *c = data;
    fa__images b = *images;
    jittered *j = malloc((size_t)b.count * sizeof *j);
    if (!j) {
        fa_fail(FA_ERROR_MEMORY, "fa_transform_color_jitter: out of memory");
        return NULL;
    }
    for (int64_t i = 0; i < b.count; i++)
        j[i] = jitter_of(c, &b.state[i]);
    fa_tensor *drawn = fa__numbers_of(&b, (const double *)j, 2 * CHANGES);
    free(j);
    for (int i = 0; drawn && i < CHANGES; i++)
        if (!jitter_step(c, &b, drawn, i))
            return NULL;
    return drawn ? b.x : NULL;
}

fa_transform *(fa_transform_color_jitter)(const fa_transform_color_jitter_options *options)
{
    static const char kind[] = "color_jitter";
    fa_transform_color_jitter_options o = FA__DEFAULT_fa_transform_color_jitter;
    fa__options_read(&o, o.size, options);
    if (!number_is_good(kind, ".brightness", o.brightness, 1e3) || !number_is_good(kind, ".contrast", o.contrast, 1e3)
        || !number_is_good(kind, ".saturation", o.saturation, 1e3) || !number_is_good(kind, ".hue", o.hue, 0.5))
        return NULL;
    return color_new(kind, &(color){.function = jitter_image,
                                    .there = jitter_there,
                                    .random = true,
                                    .number = {o.brightness, o.contrast, o.saturation, o.hue}});
}

/* ---- blur ---- */

static bool can_blur(const color *c, int64_t height, int64_t width)
{
    return (height > c->kernel[0] / 2 && width > c->kernel[1] / 2)
           || fa_fail(FA_ERROR_SHAPE,
                      "fa_transform_gaussian_blur: images of %" PRId64 " x %" PRId64 " are too small for a "
                      "kernel of %" PRId64 " x %" PRId64,
                      height, width, c->kernel[0], c->kernel[1]);
}

static void blur_image(const void *data, fa__frame frame[2])
{
    const color *c = data;
    if (can_blur(c, frame[0].height, frame[0].width))
        fa__frame_blur(frame, c->kernel, between(frame[0].state, c->range[0]));
}

static fa_tensor *blur_there(const void *data, const fa__images *b)
{
    const color *c = data;
    if (!can_blur(c, b->height, b->width))
        return NULL;
    double *sigma = malloc((size_t)b->count * sizeof *sigma);
    if (!sigma) {
        fa_fail(FA_ERROR_MEMORY, "fa_transform_gaussian_blur: out of memory");
        return NULL;
    }
    for (int64_t i = 0; i < b->count; i++)
        sigma[i] = between(&b->state[i], c->range[0]);
    fa_tensor *y = fa__images_blur(b, c->kernel, sigma);
    free(sigma);
    return y;
}

fa_transform *(fa_transform_gaussian_blur)(fa_pair kernel_size, const fa_transform_gaussian_blur_options *options)
{
    static const char kind[] = "gaussian_blur";
    fa_transform_gaussian_blur_options o = FA__DEFAULT_fa_transform_gaussian_blur;
    fa__options_read(&o, o.size, options);
    color c = {.function = blur_image, .there = blur_there, .random = true, .range = {{0.1, 2}}};
    for (int k = 0; k < 2; k++) {
        c.kernel[k] = fa_pair_at(kernel_size, k);
        if (c.kernel[k] < 1 || c.kernel[k] > FA_MAX_BLUR || c.kernel[k] % 2 == 0) {
            fa_fail(FA_ERROR_ARGUMENT, "fa_transform_gaussian_blur: kernel_size is odd, and 1 to %d, not %" PRId64,
                    (int)FA_MAX_BLUR, c.kernel[k]);
            return NULL;
        }
    }
    return fa__range_read(kind, "sigma", o.sigma, 1e-3, 1e3, c.range[0]) ? color_new(kind, &c) : NULL;
}

/* ---- random erasing ---- */

static void erase(fa__frame *f, fa__box box, float value)
{
    for (int64_t c = 0; c < f->channels; c++)
        for (int64_t y = box.top; y < box.top + box.height; y++)
            for (int64_t x = box.left; x < box.left + box.width; x++)
                fa__frame_row(f, c, y)[x] = value;
}

/* Ten rectangles are tried; if none fits, the image stays, and the box is empty. */
static fa__box erased(const color *c, int64_t height, int64_t width, uint64_t *state)
{
    const double logs[2] = {log(c->range[1][0]), log(c->range[1][1])};
    const fa__box none = {0, 0, 0, 0};
    if (fa__random_uniform(state) >= c->number[0])
        return none;
    for (int turn = 0; turn < 10; turn++) {
        double area = (double)(height * width) * between(state, c->range[0]), ratio = exp(between(state, logs));
        int64_t high = llrint(sqrt(area * ratio)), wide = llrint(sqrt(area / ratio));
        if (high < 1 || wide < 1 || high >= height || wide >= width)
            continue;
        int64_t top = (int64_t)fa__random_below(state, (uint64_t)(height - high + 1));
        int64_t left = (int64_t)fa__random_below(state, (uint64_t)(width - wide + 1));
        return (fa__box){top, left, high, wide};
    }
    return none;
}

static void erase_image(const void *data, fa__frame frame[2])
{
    const color *c = data;
    fa__frame *f = &frame[0];
    erase(f, erased(c, f->height, f->width, f->state), (float)c->number[1]);
}

static fa_tensor *erase_there(const void *data, const fa__images *b)
{
    const color *c = data;
    fa__box *box = malloc((size_t)b->count * sizeof *box);
    if (!box) {
        fa_fail(FA_ERROR_MEMORY, "fa_transform_random_erasing: out of memory");
        return NULL;
    }
    for (int64_t i = 0; i < b->count; i++)
        box[i] = erased(c, b->height, b->width, &b->state[i]);
    fa_tensor *y = fa__images_fill(b, box, c->number[1]);
    free(box);
    return y;
}

fa_transform *(fa_transform_random_erasing)(const fa_transform_random_erasing_options *options)
{
    static const char kind[] = "random_erasing";
    fa_transform_random_erasing_options o = FA__DEFAULT_fa_transform_random_erasing;
    fa__options_read(&o, o.size, options);
    color c = {.function = erase_image,
               .there = erase_there,
               .random = true,
               .number = {o.p, o.value},
               .range = {{0.02, 0.33}, {0.3, 3.3}}};
    bool good = number_is_good(kind, ".p", o.p, 1) && fa__range_read(kind, "scale", o.scale, 0, 1, c.range[0])
                && fa__range_read(kind, "ratio", o.ratio, 1e-3, 1e3, c.range[1]);
    return good ? color_new(kind, &c) : NULL;
}
