/* MixUp and CutMix: batches mixed with themselves, shifted by one image. */
#include <facula/device.h>
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/ops/index.h>
#include <facula/ops/math.h>
#include <facula/ops/random.h>
#include <facula/ops/shape.h>
#include <facula/random.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <facula/transform.h>
#include <inttypes.h>
#include <math.h>

/* A number from 0 to less than 1 of the current generator. */
static double draw(void)
{
    return fa_item(fa_rand(FA_SCALAR, .dtype = FA_F64, .device = FA_CPU));
}

/* A number from the gamma distribution (Marsaglia and Tsang 2000). */
static double draw_gamma(double shape)
{
    double lift = shape < 1 ? pow(1 - draw(), 1 / shape) : 1, d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3;
    while (!fa_error_stands()) {
        double x = fa_item(fa_randn(FA_SCALAR, .dtype = FA_F64, .device = FA_CPU)), v = 1 + x / sqrt(9 * d);
        v = v * v * v;
        if (v > 0 && log(1 - draw()) < 0.5 * x * x + d - d * v + d * log(v))
            return d * v * lift;
    }
    return 1;
}

/* A number from Beta(alpha, alpha). */
static double draw_beta(double alpha)
{
    double a = draw_gamma(alpha), b = draw_gamma(alpha);
    return a + b > 0 ? a / (a + b) : draw() < 0.5;
}

static bool arguments_are_good(const char *who, const fa_tensor *x, const fa_tensor *target, int64_t classes,
                               double alpha)
{
    if (fa_error_stands())
        return false;
    if (!x || !target)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: the %s is NULL", who, x ? "target" : "input");
    if (fa_dim(x) < 1 || fa_dim(target) != 1 || fa_size(x, 0) != fa_size(target, 0))
        return fa_fail(FA_ERROR_SHAPE, "%s: the target is (batch), for an input (batch, ...)", who);
    if (fa_tensor_dtype(target) != FA_I64)
        return fa_fail(FA_ERROR_DTYPE, "%s: the target is i64, not %s", who, fa_dtype_name(fa_tensor_dtype(target)));
    return (classes >= 1 && alpha > 0 && alpha < 1e6)
           || fa_fail(FA_ERROR_ARGUMENT, "%s: classes is at least 1, and .alpha above 0", who);
}

static fa_tensor *mix(const fa_tensor *a, const fa_tensor *b, double part)
{
    return fa_add(fa_mul(a, part), fa_mul(b, 1 - part));
}

/* Probabilities of the classes, mixed with those of the image before. */
static fa_tensor *mix_target(const fa_tensor *target, int64_t classes, double part)
{
    fa_tensor *one = fa_to(fa_one_hot(target, .num_classes = classes), FA_F32);
    return mix(one, fa_roll(one, FA_SHAPE(1), .dims = 0), part);
}

static fa_mixed hand_out(fa_tensor *input, fa_tensor *target)
{
    if (!input || !target)
        return (fa_mixed){0};
    return (fa_mixed){input, target};
}

fa_mixed(fa_mixup)(const fa_tensor *input, const fa_tensor *target, int64_t classes, const fa_mixup_options *options)
{
    fa_mixup_options o = FA__DEFAULT_fa_mixup;
    fa__options_read(&o, o.size, options);
    if (!arguments_are_good("fa_mixup", input, target, classes, o.alpha))
        return (fa_mixed){0};
    if (!fa_dtype_is_floating(fa_tensor_dtype(input))) {
        fa_fail(FA_ERROR_DTYPE, "fa_mixup: the input is floating, not %s", fa_dtype_name(fa_tensor_dtype(input)));
        return (fa_mixed){0};
    }
    double part = draw_beta(o.alpha);
    return hand_out(mix(input, fa_roll(input, FA_SHAPE(1), .dims = 0), part), mix_target(target, classes, part));
}

/* The begin and end of a stretch of about `length` around a random middle. */
static void draw_stretch(int64_t size, double length, int64_t *begin, int64_t *end)
{
    double middle = floor(draw() * (double)size);
    *begin = (int64_t)fmax(0, trunc(middle - length / 2));
    *end = (int64_t)fmin((double)size, trunc(middle + length / 2));
}

fa_mixed(fa_cutmix)(const fa_tensor *input, const fa_tensor *target, int64_t classes, const fa_cutmix_options *options)
{
    fa_cutmix_options o = FA__DEFAULT_fa_cutmix;
    fa__options_read(&o, o.size, options);
    if (!arguments_are_good("fa_cutmix", input, target, classes, o.alpha))
        return (fa_mixed){0};
    if (fa_dim(input) != 4) {
        fa_fail(FA_ERROR_SHAPE, "fa_cutmix: images are (batch, channels, height, width), not of %d dims",
                fa_dim(input));
        return (fa_mixed){0};
    }
    int64_t height = fa_size(input, 2), width = fa_size(input, 3), top, bottom, left, right;
    double side = sqrt(1 - draw_beta(o.alpha));
    draw_stretch(height, side * (double)height, &top, &bottom);
    draw_stretch(width, side * (double)width, &left, &right);
    fa_tensor *mixed = fa_clone(input), *before = fa_roll(input, FA_SHAPE(1), .dims = 0);
    if (mixed && before && bottom > top && right > left)
        fa_copy_(fa_narrow(fa_narrow(mixed, 2, top, bottom - top), 3, left, right - left),
                 fa_narrow(fa_narrow(before, 2, top, bottom - top), 3, left, right - left));
    double part = 1 - (double)((bottom - top) * (right - left)) / (double)(height * width);
    return hand_out(mixed, fa_error_stands() ? NULL : mix_target(target, classes, part));
}
