/* Transforms of images that are on a device: what the CPU computes, from the same random numbers, without a copy of the
 * images to the host. */
#include "support/api_test.h"
#include <facula/dataset.h>
#include <facula/transform.h>
#include <math.h>
#include <stdlib.h>

enum { IMAGES = 5, HEIGHT = 23, WIDTH = 31 };

/* Smooth images with edges. */
static fa_tensor *images_of(int64_t channels, bool bytes)
{
    static float value[IMAGES * 3 * HEIGHT * WIDTH];
    int64_t count = IMAGES * channels * HEIGHT * WIDTH;
    for (int64_t i = 0; i < count; i++) {
        int64_t x = i % WIDTH, y = i / WIDTH % HEIGHT, plane = i / (WIDTH * HEIGHT);
        double wave = 0.5 + 0.45 * sin(0.37 * (double)x + 0.23 * (double)(y * (1 + plane % 3)) + (double)plane);
        value[i] = (float)((x / 7 + y / 5 + plane) % 4 ? wave : 0.1 * (double)(plane % 10));
    }
    fa_tensor *t = fa_tensor_from(value, FA_SHAPE(IMAGES, channels, HEIGHT, WIDTH), .device = FA_CPU);
    return bytes ? fa_to(fa_round(fa_mul(t, 255)), FA_U8) : t;
}

/* How far the device's result is from the CPU's, in 255ths, and how many values are further than one. */
static void assert_same(fa_transform *t, int64_t channels, bool bytes, const char *name)
{
    FA_SCOPE;
    fa_tensor *x = images_of(channels, bytes), *there = fa_to(x, DEVICE(0));
    fa_manual_seed(5);
    fa_tensor *expected = fa_forward(t, x);
    fa_manual_seed(5);
    fa_forward(t, there); /* what is compiled and cached is, and tables are copied */
    fa_synchronize(DEVICE(0));
    fa_manual_seed(5);
    const fa_transfers before = fa_transfers_total();
    fa_tensor *got = fa_forward(t, there);
    fa_synchronize(DEVICE(0));
    const fa_transfers after = fa_transfers_total();
    assert_no_error();
    assert_true(fa_device_equal(fa_tensor_device(got), DEVICE(0)));
    assert_int_equal(fa_tensor_dtype(got), fa_tensor_dtype(expected));
    assert_int_equal(after.bytes_to_host - before.bytes_to_host, 0);
    got = fa_cpu(got);
    assert_int_equal(fa_size(got, 2), fa_size(expected, 2));
    assert_int_equal(fa_size(got, 3), fa_size(expected, 3));
    double far = fa_item(fa_amax(fa_abs(fa_sub(fa_to(got, FA_F64), fa_to(expected, FA_F64)))));
    const double most = fa_tensor_dtype(got) == FA_U8 ? 1 : 1.0 / 255;
    if (!(far <= most))
        print_error("%s, %d channels, %s: %g\n", name, (int)channels, bytes ? "u8" : "f32", far);
    assert_true(far <= most);
}

#define SAME(...)                                                                                                      \
    for (int bytes = 0; bytes < 2; bytes++)                                                                            \
        for (int64_t channels = 1; channels <= 3; channels += 2)                                                       \
    assert_same(__VA_ARGS__, channels, bytes, #__VA_ARGS__)

static void sizes(void **state)
{
    (void)state;
    FA_SCOPE;
    const fa_interpolation how[] = {FA_NEAREST, FA_BILINEAR, FA_BICUBIC};
    for (int i = 0; i < 3; i++)
        for (int antialias = 0; antialias < 2; antialias++) {
            SAME(fa_transform_resize(11, .interpolation = how[i], .antialias = antialias));
            SAME(fa_transform_resize(FA_PAIR(40, 13), .interpolation = how[i], .antialias = antialias));
            SAME(fa_transform_random_resized_crop(16, .interpolation = how[i], .antialias = antialias));
        }
    SAME(fa_transform_resize(FA_PAIR(HEIGHT, WIDTH)));
    SAME(fa_transform_center_crop(FA_PAIR(9, 40)));
    SAME(fa_transform_center_crop(8));
    SAME(fa_transform_pad(FA_PAIR(2, 3), .fill = 0.5));
    SAME(fa_module_train(fa_transform_random_resized_crop(FA_PAIR(7, 9)), false));
}

static void positions(void **state)
{
    (void)state;
    FA_SCOPE;
    for (int bilinear = 0; bilinear < 2; bilinear++) {
        const fa_interpolation how = bilinear ? FA_BILINEAR : FA_NEAREST;
        SAME(fa_transform_random_rotation(80, .interpolation = how, .fill = 0.25));
        SAME(fa_transform_random_affine(30, .translate = FA_LIST(0.2, 0.3), .scale = FA_LIST(0.5, 2),
                                        .shear = FA_LIST(20, 10), .interpolation = how));
        SAME(fa_transform_random_perspective(.p = 0.7, .interpolation = how));
    }
}

static void colors(void **state)
{
    (void)state;
    FA_SCOPE;
    SAME(fa_transform_color_jitter(.brightness = 0.4, .contrast = 0.5, .saturation = 0.6, .hue = 0.3));
    SAME(fa_transform_color_jitter(.contrast = 0.9));
    SAME(fa_transform_color_jitter(.hue = 0.5, .brightness = 0.1));
    SAME(fa_transform_grayscale());
    SAME(fa_transform_autocontrast());
    SAME(fa_transform_posterize(3));
    SAME(fa_transform_solarize(0.5));
    SAME(fa_transform_gaussian_blur(5));
    SAME(fa_transform_gaussian_blur(FA_PAIR(3, 7), .sigma = FA_LIST(0.5, 4)));
    SAME(fa_transform_random_erasing(.p = 0.8, .value = 0.5));
}

static void several_in_a_row(void **state)
{
    (void)state;
    FA_SCOPE;
    SAME(fa_transform_compose(fa_transform_random_horizontal_flip(.p = 1), fa_transform_random_rotation(20),
                              fa_transform_random_erasing(), fa_transform_to_tensor(),
                              fa_transform_normalize(FA_LIST(0.5), FA_LIST(1.0))));
}

static void some_images_of_a_batch(void **state)
{
    (void)state;
    FA_SCOPE;
    SAME(fa_transform_random_apply(fa_transform_grayscale(), 0.5));
    SAME(fa_transform_random_choice(fa_nn_list(fa_transform_random_rotation(30), fa_transform_solarize(0.4),
                                               fa_transform_color_jitter(.brightness = 0.5))));
}

/* Each image of a batch alike, and none. */
static void plain_and_empty_batches(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *flat = fa_full(FA_SHAPE(2, 3, 8, 8), 0.5, .device = DEVICE(0));
    assert_true(same_tensors(fa_forward(fa_transform_autocontrast(), flat), flat));
    assert_true(fa_allclose(fa_forward(fa_transform_color_jitter(.hue = 0.5), flat), flat, .rtol = 0, .atol = 1e-6));
    fa_tensor *none = fa_empty(FA_SHAPE(0, 3, 8, 8), .device = DEVICE(0));
    fa_tensor *y = fa_forward(fa_transform_resize(4), none);
    assert_no_error();
    assert_true(fa_device_equal(fa_tensor_device(y), DEVICE(0)) && fa_size(y, 0) == 0 && fa_size(y, 2) == 4);
    assert_null(fa_forward(fa_transform_gaussian_blur(19), flat));
    assert_error(FA_ERROR_SHAPE, "fa_transform_gaussian_blur: images of 8 x 8 are too small");
}

/* All operations of RandAugment and AutoAugment occur; images too small to be sharpened stay as they are. */
static void augmentations(void **state)
{
    (void)state;
    FA_SCOPE;
    SAME(fa_transform_equalize());
    for (int i = 0; i < 12; i++) {
        const fa_interpolation how = i % 2 ? FA_BILINEAR : FA_NEAREST;
        SAME(fa_transform_rand_augment(.num_ops = 1, .magnitude = 5 + 2 * i, .interpolation = how));
        SAME(fa_transform_compose(fa_transform_random_rotation(i), fa_transform_auto_augment(.interpolation = how)));
    }
    SAME(fa_transform_rand_augment());
    fa_tensor *none = fa_empty(FA_SHAPE(0, 3, 8, 8), .dtype = FA_U8, .device = DEVICE(0));
    assert_int_equal(fa_size(fa_forward(fa_transform_rand_augment(), none), 0), 0);
    fa_tensor *flat = fa_full(FA_SHAPE(2, 1, 2, 2), 7, .dtype = FA_U8, .device = DEVICE(0));
    assert_true(same_tensors(fa_forward(fa_transform_equalize(), flat), flat));
    fa_forward(fa_transform_rand_augment(.num_ops = 16), flat);
    assert_no_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sizes),
        TEST(positions),
        TEST(colors),
        TEST(several_in_a_row),
        TEST(some_images_of_a_batch),
        TEST(plain_and_empty_batches),
        TEST(augmentations),
    };
    return RUN("device transforms");
}
