/* Image transforms: against torchvision's (tests/reference/transforms.txt); what random ones draw; batches mixed. */
#include "data/frame.h"
#include "support/api_test.h"
#include <facula/dataset.h>
#include <facula/transform.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 3 * 64 * 64 };

/* ---- operations of images, against torchvision's ---- */

typedef struct expected {
    int64_t height, width, count;
    float value[MOST];
} expected;

/* Reads the images of a name; false if there is no such kind of it. */
static bool read_expected(const char *name, const char *kind, expected *to)
{
    FILE *f = fopen(FA_TEST_DATA "/reference/transforms.txt", "r");
    char there[64], of[8];
    long long height, width;
    bool found = false;
    assert_non_null(f);
    while (!found && fscanf(f, "%63s %7s %lld %lld", there, of, &height, &width) == 4) {
        found = !strcmp(there, name) && !strcmp(of, kind);
        *to = (expected){.height = height, .width = width, .count = 3 * height * width};
        assert_true(to->count <= MOST);
        for (int64_t i = 0; i < to->count; i++)
            assert_int_equal(fscanf(f, "%f", &to->value[i]), 1);
    }
    fclose(f);
    return found;
}

static fa_tensor *image_of(bool bytes)
{
    static expected e;
    assert_true(read_expected("image", "u8", &e));
    fa_tensor *t = fa_tensor_from(e.value, FA_SHAPE(1, 3, e.height, e.width));
    return bytes ? fa_to(t, FA_U8) : fa_div(t, 255);
}

/* Compares with what torchvision makes of bytes, and, where it is there, of floats. */
static void assert_like_torchvision(const char *name, fa_tensor *got, bool bytes)
{
    static expected e;
    static float value[MOST];
    if (!read_expected(name, bytes ? "u8" : "f32", &e)) {
        assert_false(bytes);
        return;
    }
    assert_no_error();
    assert_int_equal(fa_tensor_dtype(got), bytes ? FA_U8 : FA_F32);
    assert_int_equal(fa_size(got, 2), e.height);
    assert_int_equal(fa_size(got, 3), e.width);
    assert_true(fa_read(got, value, FA_F32, e.count));
    for (int64_t i = 0; i < e.count; i++)
        if (!(fabsf(value[i] * (bytes ? 1 : 255) - e.value[i]) <= (bytes ? 1 : 0.02F)))
            fail_msg("%s: element %d is %g, not %g", name, (int)i, (double)value[i] * (bytes ? 1 : 255),
                     (double)e.value[i]);
}

static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        fa_interpolation interpolation;
        bool antialias;
    } rows[] = {{"bilinear", FA_BILINEAR, true},
                {"bicubic", FA_BICUBIC, true},
                {"bilinear_narrow", FA_BILINEAR, false},
                {"bicubic_narrow", FA_BICUBIC, false},
                {"nearest", FA_NEAREST, false}};
    static const int64_t to[][2] = {{5, 7}, {20, 25}, {30, 3}};
    FA_SCOPE;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int k = 0; k < 3; k++) {
            char name[64];
            snprintf(name, sizeof name, "resize_%s_%dx%d", rows[r].name, (int)to[k][0], (int)to[k][1]);
            fa_transform *t = fa_transform_resize(FA_PAIR(to[k][0], to[k][1]), .interpolation = rows[r].interpolation,
                                                  .antialias = rows[r].antialias);
            assert_like_torchvision(name, fa_forward(t, image_of(true)), true);
        }
    assert_like_torchvision("center_4x7", fa_forward(fa_transform_center_crop(FA_PAIR(4, 7)), image_of(true)), true);
    assert_like_torchvision("center_16x21", fa_forward(fa_transform_center_crop(FA_PAIR(16, 21)), image_of(true)),
                            true);
    assert_like_torchvision("center_25x2", fa_forward(fa_transform_center_crop(FA_PAIR(25, 2)), image_of(true)), true);
    fa_tensor *shorter = fa_forward(fa_transform_resize(6), image_of(true)); /* 13 x 17 */
    assert_int_equal(fa_size(shorter, 2), 6);
    assert_int_equal(fa_size(shorter, 3), 7);
    shorter = fa_forward(fa_transform_resize(6), fa_transpose(image_of(true), 2, 3));
    assert_int_equal(fa_size(shorter, 2), 7);
    assert_int_equal(fa_size(shorter, 3), 6);
    fa_tensor *padded = fa_forward(fa_transform_pad(FA_PAIR(2, 3), .fill = 7), image_of(true));
    assert_true(same_tensors(fa_get(padded, ":, :, 2:-2, 3:-3"), image_of(true)));
    assert_float_equal(fa_item(fa_sum(fa_to(padded, FA_F32))),
                       fa_item(fa_sum(fa_to(image_of(true), FA_F32))) + 7 * 3 * (17 * 23 - 13 * 17), 0);
}

/* What one operation makes of the image. */
static const struct {
    const char *name;
    int kind;
    double number;
} changes[] = {{"brightness", 0, 1.4},
               {"contrast", 1, 0.6},
               {"saturation", 2, 1.7},
               {"hue", 3, 0.2},
               {"hue_back", 3, -0.4},
               {"grayscale", 4, 0},
               {"sharpness", 5, 1.8},
               {"softness", 5, 0.3},
               {"blur", 6, 0.9},
               {"equalize", 8, 0},
               {"posterize", 9, 3},
               {"solarize", 10, 0.4},
               {"autocontrast", 7, 0},
               {"rotate_nearest", 11, 33},
               {"rotate_bilinear", 12, -71},
               {"affine_nearest", 13, 0},
               {"affine_bilinear", 14, 0},
               {"shear_corner", 15, 0},
               {"perspective_nearest", 17, 0},
               {"perspective_bilinear", 16, 0}};

static void warp(fa__frame f[2], int kind, double number)
{
    const double none[2] = {0, 0}, shift[2] = {2, -3}, shear[2] = {10, -5}, slant[2] = {15, 0};
    const double corner[2] = {-(double)f[0].width / 2, -(double)f[0].height / 2};
    const double from[] = {0, 0, 16, 0, 16, 12, 0, 12}, to[] = {2.3, 1.2, 13.1, 0.4, 15.2, 10.3, 1.1, 12.2};
    fa__warp w = kind > 15   ? fa__warp_of_corners(from, to, f[0].height, f[0].width)
                 : kind < 13 ? fa__warp_of(-number, none, 1, none, none)
                 : kind < 15 ? fa__warp_of(20, shift, 1.2, shear, none)
                             : fa__warp_of(0, none, 1, slant, corner);
    fa__frame_warp(f, &w, kind % 2 && kind != 15 ? FA_NEAREST : FA_BILINEAR, 0);
}

static void change(const void *data, fa__frame f[2])
{
    int row = *(const int *)data, kind = changes[row].kind;
    double number = changes[row].number;
    if (kind >= 11)
        warp(f, kind, number);
    else if (kind == 5)
        fa__frame_sharpness(f, number);
    else if (kind == 6)
        fa__frame_blur(f, (const int64_t[]){3, 5}, number);
    else if (kind == 9)
        fa__frame_posterize(f, (int)number);
    else if (kind == 0 || kind == 1 || kind == 2 || kind == 3 || kind == 10) {
        void (*const two[])(fa__frame *, double) = {fa__frame_brightness, fa__frame_contrast, fa__frame_saturation,
                                                    fa__frame_hue};
        if (kind == 10)
            fa__frame_solarize(f, number);
        else
            two[kind](f, number);
    } else if (kind == 4)
        fa__frame_grayscale(f);
    else if (kind == 7)
        fa__frame_autocontrast(f);
    else
        fa__frame_equalize(f);
}

static fa_tensor *change_forward(fa_module *self, fa_tensor *x)
{
    return fa__frames_map(self, x, fa_size(x, 2), fa_size(x, 3), false, change, NULL);
}

static void colors_and_positions(void **state)
{
    (void)state;
    for (int row = 0; row < (int)(sizeof changes / sizeof *changes); row++)
        for (int bytes = 0; bytes < 2; bytes++) {
            FA_SCOPE;
            fa_module *m = fa_nn_custom("change", sizeof row, change_forward);
            *(int *)fa_module_data(m) = row;
            fa_tensor *x = image_of(bytes);
            if (changes[row].kind == 7)
                x = bytes ? fa_to(fa_add(fa_floor(fa_div(fa_to(x, FA_F32), 2)), 20), FA_U8) : fa_add(fa_div(x, 2), 0.1);
            assert_like_torchvision(changes[row].name, fa_forward(m, x), bytes);
        }
}

static void public_ones(void **state)
{
    (void)state;
    FA_SCOPE;
    assert_like_torchvision("grayscale", fa_forward(fa_transform_grayscale(), image_of(true)), true);
    assert_like_torchvision("equalize", fa_forward(fa_transform_equalize(), image_of(true)), true);
    assert_like_torchvision("posterize", fa_forward(fa_transform_posterize(3), image_of(true)), true);
    assert_like_torchvision("solarize", fa_forward(fa_transform_solarize(0.4), image_of(true)), true);
    fa_transform *blur = fa_transform_gaussian_blur(FA_PAIR(3, 5), .sigma = FA_LIST(0.9, 0.9));
    assert_like_torchvision("blur", fa_forward(blur, image_of(false)), false);
}

/* ---- random numbers ---- */

enum { IMAGES = 400 };

/* Images of which pixel (y, x) is y * width + x; f32. */
static fa_tensor *grid(int64_t height, int64_t width)
{
    fa_tensor *one = fa_reshape(fa_to(fa_arange(0, (double)(height * width)), FA_F32), FA_SHAPE(1, 1, height, width));
    return fa_contiguous(fa_expand(one, FA_SHAPE(IMAGES, 1, height, width)));
}

/* Bytes are resized with PyTorch's whole numbers: the numbers of its interpolate(). */
static void resized_bytes(void **state)
{
    (void)state;
    FA_SCOPE;
    static const uint8_t torch[] = {81,  112, 116, 141, 82,  197, 156, 186, 171, 102,
                                    194, 108, 133, 129, 152, 54,  113, 121, 147, 100};
    uint8_t pixel[6 * 9], got[20];
    for (int i = 0; i < 6 * 9; i++)
        pixel[i] = (uint8_t)(i * i * 37 % 1009);
    fa_tensor *x = fa_tensor_from(pixel, FA_SHAPE(1, 1, 6, 9), .dtype = FA_U8);
    fa_tensor *y = fa_forward(fa_transform_resize(FA_PAIR(4, 5), .interpolation = FA_BICUBIC), x);
    assert_true(fa_read(y, got, FA_U8, 20));
    assert_memory_equal(got, torch, 20);
}

/* Areas and shapes of the crops: the corners of what a nearest-neighbour crop shows. */
static void resized_crops(void **state)
{
    (void)state;
    FA_SCOPE;
    static float got[IMAGES * 32 * 32];
    enum { SIDE = 64, TO = 32 };
    double area = 0, least = 1, most = 0, left = 0;
    fa_transform *t = fa_transform_random_resized_crop(TO, .scale = FA_LIST(0.2, 0.6), .interpolation = FA_NEAREST);
    fa_manual_seed(1);
    assert_true(fa_read(fa_forward(t, grid(SIDE, SIDE)), got, FA_F32, IMAGES * TO * TO));
    for (int64_t i = 0; i < IMAGES; i++) {
        int first = (int)got[i * TO * TO], last = (int)got[i * TO * TO + TO * TO - 1];
        double height = (last / SIDE - first / SIDE) * (double)TO / (TO - 1);
        double width = (last % SIDE - first % SIDE) * (double)TO / (TO - 1), part = height * width / (SIDE * SIDE);
        area += part / IMAGES;
        least = fmin(least, part), most = fmax(most, part);
        left += (double)(first % SIDE) / (SIDE - width) / IMAGES;
        assert_true(width / height > 0.7 && width / height < 1.43);
    }
    assert_true(fabs(area - 0.4) < 0.03 && least > 0.17 && least < 0.23 && most < 0.66 && most > 0.55);
    assert_true(fabs(left - 0.5) < 0.06);
    fa_tensor *held_out = fa_forward(fa_module_train(t, false), grid(SIDE, SIDE + 20)); /* the central square */
    assert_float_equal(fa_item(fa_get(held_out, "0, 0, 0, 0")), 10, 0);
    assert_no_error();
}

static void erased_rectangles(void **state)
{
    (void)state;
    FA_SCOPE;
    static float got[IMAGES];
    double area = 0;
    int64_t erased = 0;
    fa_manual_seed(2);
    fa_transform *t = fa_transform_random_erasing(.p = 0.25, .value = -1);
    fa_tensor *y = fa_forward(t, fa_ones(FA_SHAPE(IMAGES, 3, 32, 32)));
    assert_true(fa_read(fa_mean(fa_reshape(y, FA_SHAPE(IMAGES, -1)), .dim = 1), got, FA_F32, IMAGES));
    for (int64_t i = 0; i < IMAGES; i++) {
        erased += got[i] < 1;
        area += (1 - (double)got[i]) / 2;
    }
    assert_true(erased > 70 && erased < 130);
    assert_true(fabs(area / (double)erased - 0.175) < 0.03);
    assert_true(same_tensors(fa_forward(fa_module_train(t, false), grid(4, 4)), grid(4, 4)));
    assert_no_error();
}

/* Where the corners of images go: a white image shows black where nothing is. */
static void perspectives(void **state)
{
    (void)state;
    FA_SCOPE;
    static float got[IMAGES];
    int64_t changed = 0;
    double area = 0;
    fa_manual_seed(3);
    fa_transform *t = fa_transform_random_perspective(.distortion = 0.5, .p = 0.7);
    fa_tensor *y = fa_forward(t, fa_ones(FA_SHAPE(IMAGES, 1, 41, 31)));
    assert_true(fa_read(fa_mean(fa_reshape(y, FA_SHAPE(IMAGES, -1)), .dim = 1), got, FA_F32, IMAGES));
    for (int64_t i = 0; i < IMAGES; i++) {
        changed += got[i] < 1;
        area += got[i] < 1 ? (double)got[i] : 0;
        assert_true(got[i] > 0.2F); /* all corners moved half the way */
    }
    assert_true(changed > 240 && changed < 320);
    assert_true(fabs(area / (double)changed - 0.5625) < 0.03); /* corners move an eighth of each side on average */
    assert_true(same_tensors(fa_forward(fa_module_train(t, false), grid(4, 4)), grid(4, 4)));
    fa_transform *none = fa_transform_random_perspective(.distortion = 0, .p = 1);
    assert_true(fa_item(fa_amax(fa_abs(fa_sub(fa_forward(none, grid(5, 4)), grid(5, 4))))) < 1e-4);
    assert_no_error();
    assert_null(fa_transform_random_perspective(.distortion = 1.5));
    assert_error(FA_ERROR_ARGUMENT, ".distortion and .p are 0 to 1, not 1.5");
    assert_null(fa_transform_random_perspective(.interpolation = FA_BICUBIC));
    assert_error(FA_ERROR_ARGUMENT, "fa_transform_random_perspective: it has no .interpolation 2");
}

static void jittered_colors(void **state)
{
    (void)state;
    FA_SCOPE;
    static float got[IMAGES];
    double sum = 0, squares = 0;
    fa_manual_seed(3);
    fa_tensor *half = fa_full(FA_SHAPE(IMAGES, 3, 2, 2), 0.25);
    fa_tensor *y = fa_forward(fa_transform_color_jitter(.brightness = 0.6), half);
    assert_true(fa_read(fa_mean(fa_reshape(y, FA_SHAPE(IMAGES, -1)), .dim = 1), got, FA_F32, IMAGES));
    for (int64_t i = 0; i < IMAGES; i++) { /* uniform from 0.1 to 0.4 */
        assert_true(got[i] >= 0.0999F && got[i] <= 0.4001F);
        sum += (double)got[i] / IMAGES;
        squares += (double)got[i] * (double)got[i] / IMAGES;
    }
    assert_true(fabs(sum - 0.25) < 0.02 && fabs(sqrt(squares - sum * sum) - 0.3 / sqrt(12)) < 0.01);
    fa_transform *all = fa_transform_color_jitter(.brightness = 0.2, .contrast = 0.3, .saturation = 2, .hue = 0.5);
    y = fa_forward(all, fa_rand(FA_SHAPE(20, 3, 8, 8)));
    assert_true(fa_item(fa_amin(y)) >= 0 && fa_item(fa_amax(y)) <= 1);
    assert_no_error();
}

static void rotations(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = grid(15, 15);
    fa_tensor *y = fa_forward(fa_transform_random_rotation(40, .fill = -1), x);
    assert_true(same_tensors(fa_get(y, ":, :, 7, 7"), fa_get(x, ":, :, 7, 7"))); /* the center stays */
    assert_false(same_tensors(fa_get(y, "0"), fa_get(y, "1")));
    assert_true(same_tensors(fa_forward(fa_transform_random_affine(0), x), x));
    fa_tensor *shifted = fa_forward(fa_transform_random_affine(0, .translate = FA_LIST(0.2, 0), .fill = -1), x);
    static float got[IMAGES];
    int64_t seen[7] = {0};
    assert_true(fa_read(fa_get(shifted, ":, 0, 7, 7"), got, FA_F32, IMAGES));
    for (int64_t i = 0; i < IMAGES; i++) {
        int by = 7 * 15 + 7 - (int)got[i];
        assert_true(by >= -3 && by <= 3);
        seen[by + 3]++;
    }
    for (int i = 1; i < 6; i++)
        assert_true(seen[i] > 40 && seen[i] < 95); /* 67 */
    assert_no_error();
}

static void some_of_a_batch(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_manual_seed(5);
    fa_tensor *x = grid(4, 4), *y = fa_forward(fa_transform_random_apply(fa_transform_solarize(0), 0.3), x);
    fa_tensor *changed = fa_ne(fa_get(y, ":, 0, 1, 1"), fa_get(x, ":, 0, 1, 1"));
    double count = fa_item(fa_sum(fa_to(changed, FA_F32)));
    assert_true(count > 80 && count < 160);
    assert_true(same_tensors(fa_get(fa_forward(fa_transform_random_apply(fa_transform_solarize(0), 1), x), "3"),
                             fa_sub(1, fa_get(x, "3"))));
    assert_true(same_tensors(fa_forward(fa_transform_random_apply(fa_transform_solarize(0), 0), x), x));
    assert_no_error();
}

/* Each image gets one of the transforms, all about as often. */
static void one_of_several(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_manual_seed(5);
    fa_tensor *x = fa_full(FA_SHAPE(900, 3, 4, 4), 0.25);
    fa_transform *t = fa_transform_random_choice(
        fa_nn_list(fa_transform_solarize(0), fa_transform_compose(), fa_transform_normalize(FA_LIST(0), FA_LIST(0.5))));
    fa_tensor *y = fa_get(fa_forward(t, x), ":, 0, 1, 1");
    const double value[] = {0.75, 0.25, 0.5};
    for (int i = 0; i < 3; i++)
        assert_in_range((int)fa_item(fa_sum(fa_to(fa_eq(y, value[i]), FA_F32))), 240, 360);
    assert_true(same_tensors(fa_forward(fa_module_train(t, false), x), x));
    assert_no_error();
    assert_null(fa_transform_random_choice(fa_nn_list()));
    assert_error(FA_ERROR_ARGUMENT, "the list has no transforms");
    assert_null(fa_transform_random_choice(NULL));
    assert_error(FA_ERROR_ARGUMENT, "the list is NULL");
}

/* How many of many images the policy leaves as they are, and how many it inverts or shifts down by the most. */
static void auto_augment(void **state)
{
    (void)state;
    FA_SCOPE;
    enum { COUNT = 4000 };
    fa_manual_seed(11);
    fa_tensor *x = fa_full(FA_SHAPE(COUNT, 1, 12, 9), 0.25);
    fa_tensor *y = fa_forward(fa_transform_auto_augment(), fa_expand(x, FA_SHAPE(COUNT, 3, 12, 9)));
    assert_no_error();
    assert_true(fa_item(fa_amin(y)) >= 0 && fa_item(fa_amax(y)) <= 1);
    /* of 4,000 images, a 25th has each pair: 0.1 of two of them are inverted, and 0.2 of one solarized from 1/9 on */
    fa_tensor *center = fa_get(y, ":, 0, 6, 4");
    int inverted = (int)fa_item(fa_sum(fa_to(fa_eq(center, 0.75), FA_F32)));
    assert_in_range(inverted, 40, 92); /* 64 */
    /* moved down by 12 * 150 / 331 = 5 rows: half of 0.7 of two pairs, and of 0.9 * 0.3 + 0.1 * 0.7 of one */
    fa_tensor *top = fa_get(y, ":, 0, 4, 4"), *below = fa_get(y, ":, 0, 5, 4");
    int moved = (int)fa_item(fa_sum(fa_to(fa_logical_and(fa_eq(top, 0), fa_gt(below, 0)), FA_F32)));
    assert_in_range(moved, 96, 184); /* 139 */
    assert_int_equal(fa_tensor_dtype(fa_forward(fa_transform_auto_augment(), fa_to(fa_mul(x, 255), FA_U8))), FA_U8);
    assert_null(fa_transform_auto_augment(.interpolation = FA_BICUBIC));
    assert_error(FA_ERROR_ARGUMENT, ".interpolation is FA_NEAREST or FA_BILINEAR");
}

/* A batch is augmented alike for any batch size and any number of workers. */
static void augmentation_belongs_to_the_sample(void **state)
{
    (void)state;
    FA_SCOPE;
    enum { COUNT = 12, PIXELS = 3 * 8 * 8 };
    static unsigned char first[COUNT][PIXELS], again[PIXELS];
    fa_transform *t = fa_transform_compose(
        fa_transform_random_resized_crop(8), fa_transform_random_apply(fa_transform_color_jitter(.hue = 0.4), 0.5),
        fa_transform_random_horizontal_flip(), fa_transform_rand_augment(.num_ops = 3), fa_transform_random_rotation(9),
        fa_transform_random_erasing(.p = 0.5), fa_transform_auto_augment(),
        fa_transform_random_choice(fa_nn_list(fa_transform_random_horizontal_flip(), fa_transform_rand_augment())));
    fa_tensor *x = fa_to(fa_remainder(fa_arange(0, COUNT * 3 * 100), 251), FA_U8);
    fa_dataset *d = fa_data_transformed(fa_data_tensors(fa_reshape(x, FA_SHAPE(COUNT, 3, 10, 10))), t);
    for (int64_t size = 1; size <= COUNT; size += 3)
        for (int64_t workers = 0; workers < 3; workers += 2)
            FA_EACH (batch, fa_data_loader(d, .batch_size = size, .seed = 3, .workers = workers, .shuffle = size == 7))
                for (int64_t i = 0; i < batch.size; i++) {
                    bool known = size > 1 || workers;
                    assert_true(
                        fa_read(fa_get(batch.input, i), known ? again : first[batch.samples[i]], FA_U8, PIXELS));
                    if (known)
                        assert_memory_equal(again, first[batch.samples[i]], PIXELS);
                }
    assert_no_error();
}

/* Every operation of RandAugment, at its strongest, leaves values in their range. */
static void rand_augment(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_manual_seed(7);
    fa_tensor *x = fa_rand(FA_SHAPE(60, 3, 12, 9));
    for (int64_t magnitude = 0; magnitude < 31; magnitude += 30) {
        fa_transform *t = fa_transform_rand_augment(.num_ops = 3, .magnitude = magnitude);
        fa_tensor *y = fa_forward(t, x), *bytes = fa_forward(t, fa_to(fa_mul(x, 255), FA_U8));
        assert_no_error();
        assert_true(fa_item(fa_amin(y)) >= 0 && fa_item(fa_amax(y)) <= 1);
        assert_int_equal(fa_tensor_dtype(bytes), FA_U8);
        assert_false(same_tensors(y, x));
    }
}

/* ---- mixed batches ---- */

static void mixed_batches(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_expand(fa_reshape(fa_tensor_of(1.0, 2.0, 4.0), FA_SHAPE(3, 1, 1, 1)), FA_SHAPE(3, 1, 8, 8));
    fa_tensor *y = fa_tensor_of(2, 0, 1);
    double parts = 0, squares = 0;
    fa_manual_seed(9);
    for (int turn = 0; turn < 300; turn++) {
        FA_SCOPE;
        fa_mixed m = fa_mixup(x, y, 4, .alpha = 0.4);
        double part = fa_item(fa_get(m.target, "0, 2")); /* of image 0; the rest is image 2, of class 1 */
        assert_float_equal(fa_item(fa_get(m.target, "0, 1")), (float)(1 - part), 1e-6);
        assert_float_equal(fa_item(fa_get(m.input, "0, 0, 3, 3")), (float)(part + (1 - part) * 4), 1e-5);
        parts += part / 300;
        squares += part * part / 300;
        m = fa_cutmix(x, y, 4);
        part = fa_item(fa_get(m.target, "1, 0")); /* of image 1; the rest is image 0 */
        assert_float_equal(fa_item(fa_mean(fa_get(m.input, "1"))), (float)(1 + part), 1e-5);
        assert_float_equal(fa_item(fa_sum(m.target)), 3, 1e-5);
    }
    assert_true(fabs(parts - 0.5) < 0.07); /* Beta(0.4, 0.4) has the variance 1 / 7.2 */
    assert_true(fabs(squares - parts * parts - 1 / 7.2) < 0.02);
    fa_mixup(x, fa_tensor_of(0.5, 1.5, 2.5), 4);
    assert_error(FA_ERROR_DTYPE, "the target is i64");
    fa_mixup(fa_to(x, FA_U8), y, 4);
    assert_error(FA_ERROR_DTYPE, "the input is floating");
    fa_cutmix(fa_get(x, "0"), y, 4);
    assert_error(FA_ERROR_SHAPE, "the target is (batch)");
}

static void wrong_arguments(void **state)
{
    (void)state;
    FA_SCOPE;
    assert_null(fa_transform_resize(0));
    assert_error(FA_ERROR_ARGUMENT, "fa_transform_resize: size is 1 to 1048576, not 0, 0");
    assert_null(fa_transform_resize(FA_DIMS(4, 4)));
    assert_error(FA_ERROR_ARGUMENT, "fa_transform_resize: size is FA_DIMS: a height and a width are FA_PAIR(3, 5)");
    assert_null(fa_transform_random_crop(FA_DIMS(4, 4)));
    assert_error(FA_ERROR_ARGUMENT, "fa_transform_random_crop: size is FA_DIMS");
    assert_null(fa_transform_random_resized_crop(8, .scale = FA_LIST(0.5)));
    assert_error(FA_ERROR_ARGUMENT, ".scale is two numbers");
    assert_null(fa_transform_random_rotation(-1));
    assert_error(FA_ERROR_ARGUMENT, "the angle is 0 to 360");
    assert_null(fa_transform_random_affine(1, .interpolation = FA_BICUBIC));
    assert_error(FA_ERROR_ARGUMENT, "no .interpolation 2");
    assert_null(fa_transform_color_jitter(.hue = 0.6));
    assert_error(FA_ERROR_ARGUMENT, ".hue is 0 to 0.5, not 0.6");
    assert_null(fa_transform_gaussian_blur(4));
    assert_error(FA_ERROR_ARGUMENT, "kernel_size is odd");
    assert_null(fa_transform_posterize(9));
    assert_error(FA_ERROR_ARGUMENT, "bits is 1 to 8");
    assert_null(fa_transform_rand_augment(.magnitude = 31));
    assert_error(FA_ERROR_ARGUMENT, ".magnitude is 0 to num_magnitude_bins - 1");
    assert_null(fa_transform_random_apply(NULL, 0.5));
    assert_error(FA_ERROR_ARGUMENT, "the transform is NULL");
    assert_null(fa_forward(fa_transform_gaussian_blur(9), fa_rand(FA_SHAPE(2, 3, 4, 9))));
    assert_error(FA_ERROR_SHAPE, "images of 4 x 9 are too small");
    assert_null(fa_forward(fa_transform_equalize(), fa_rand(FA_SHAPE(2, 2, 4, 9))));
    assert_error(FA_ERROR_SHAPE, "1 or 3 channels, not 2");
    assert_null(fa_forward(fa_transform_resize(4), fa_rand(FA_SHAPE(3, 4, 9))));
    assert_error(FA_ERROR_SHAPE, "not of 3 dims");
    assert_null(fa_forward(fa_transform_resize(4), fa_to(fa_rand(FA_SHAPE(1, 3, 4, 9)), FA_F64)));
    assert_error(FA_ERROR_DTYPE, "images are u8 or f32, not f64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sizes),
        TEST(colors_and_positions),
        TEST(public_ones),
        TEST(resized_bytes),
        TEST(resized_crops),
        TEST(erased_rectangles),
        TEST(perspectives),
        TEST(jittered_colors),
        TEST(rotations),
        TEST(some_of_a_batch),
        TEST(augmentation_belongs_to_the_sample),
        TEST(one_of_several),
        TEST(auto_augment),
        TEST(rand_augment),
        TEST(mixed_batches),
        TEST(wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
