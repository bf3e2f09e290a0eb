/* The pass that computes crops, flips, to_tensor and normalize at once gives what the transforms give one by one. */
#include "support/api_test.h"
#include <facula/data.h>

enum { COUNT = 9, CHANNELS = 3, HEIGHT = 7, WIDTH = 6 };

static fa_tensor *images(void)
{
    fa_tensor *x = fa_to(fa_remainder(fa_arange(0, COUNT * CHANNELS * HEIGHT * WIDTH), 256), FA_U8);
    return fa_reshape(x, FA_SHAPE(COUNT, CHANNELS, HEIGHT, WIDTH));
}

/* All samples as a dataset gives them, and as the transforms give them one by one: with a hook on it, a transform is
 * not fused. */
static fa_tensor *transformed(fa_tensor *x, fa_transform *t, uint64_t seed)
{
    int64_t index[COUNT];
    for (int i = 0; i < COUNT; i++)
        index[i] = (i * 4) % COUNT;
    fa_manual_seed(seed);
    return fa_dataset_batch(fa_data_transformed(fa_data_tensors(x), t), index, COUNT).input;
}

static fa_tensor *only_look(fa_module *module, fa_tensors inputs, fa_tensor *output, void *context)
{
    (void)module, (void)inputs;
    ++*(int *)context;
    return output;
}

static void compare(fa_transform *t)
{
    for (uint64_t seed = 0; seed < 20; seed++)
        for (int training = 0; training < 2; training++) {
            int looked = 0;
            fa_module_train(t, training);
            fa_tensor *at_once = transformed(images(), t, seed);
            fa_generator_state state = fa_random_state();
            int64_t hook = fa_module_hook_forward(t, only_look, &looked);
            fa_tensor *one_by_one = transformed(images(), t, seed);
            fa_module_unhook(t, hook);
            assert_no_error();
            assert_int_equal(looked, 1);
            assert_int_equal(fa_random_state().call, state.call);
            assert_true(same_tensors(at_once, one_by_one));
            assert_true(fa_tensor_dtype(at_once) == FA_F32);
        }
}

#define VALUES fa_transform_to_tensor(), fa_transform_normalize(FA_LIST(0.49, 0.48, 0.45), FA_LIST(0.25, 0.24, 0.3))
#define CROP(h, w, ...) fa_transform_random_crop(FA_PAIR(h, w), __VA_ARGS__)

static void the_same_bits(void **state)
{
    (void)state;
    FA_SCOPE;
    compare(fa_transform_to_tensor());
    compare(fa_transform_compose(VALUES));
    compare(fa_transform_compose(CROP(HEIGHT, WIDTH, .padding = 4), fa_transform_random_horizontal_flip(), VALUES));
    compare(fa_transform_compose(CROP(3, 2, .padding = 1, .fill = 200), VALUES));
    compare(fa_transform_compose(CROP(15, 12, .padding = FA_PAIR(4, 3), .fill = 7), fa_transform_to_tensor()));
    compare(fa_transform_compose(fa_transform_random_vertical_flip(.p = 0.7), fa_transform_random_horizontal_flip(),
                                 CROP(5, 6, .padding = 2), fa_transform_random_vertical_flip(),
                                 fa_transform_compose(VALUES, fa_transform_normalize(FA_LIST(0.1), FA_LIST(2)))));
    compare(fa_transform_compose(CROP(1, 1, .padding = 30), fa_transform_random_horizontal_flip(.p = 1), VALUES));
}

/* Those that run one by one: a fill that is no byte, two crops, values before crops, images that are no bytes. */
static void others_run_one_by_one(void **state)
{
    (void)state;
    FA_SCOPE;
    compare(fa_transform_compose(CROP(5, 5, .padding = 2), CROP(4, 4, .padding = 0), VALUES));
    compare(fa_transform_compose(VALUES, CROP(5, 5, .padding = 2, .fill = 0.5)));
    compare(fa_transform_compose(fa_transform_to_tensor(), fa_transform_random_horizontal_flip()));
    fa_tensor *x = fa_to(images(), FA_F32);
    fa_tensor *y = transformed(x, fa_transform_compose(VALUES), 0);
    assert_float_equal(fa_item(fa_get(y, "0, 0, 0, 1")), (1 - 0.49) / 0.25, 1e-6);
    assert_no_error();
}

static void errors_are_those_of_the_transforms(void **state)
{
    (void)state;
    FA_SCOPE;
    assert_null(transformed(images(), fa_transform_compose(CROP(8, 6, .padding = 0), VALUES), 0));
    assert_error(FA_ERROR_SHAPE, "fa_transform_random_crop: images of 7 x 6 have no part of 8 x 6");
    fa_transform *two = fa_transform_normalize(FA_LIST(0.1, 0.2), FA_LIST(1, 2));
    assert_null(transformed(images(), fa_transform_compose(fa_transform_to_tensor(), two), 0));
    assert_error(FA_ERROR_SHAPE, "2 means for images of 3 channels");
    assert_null(transformed(fa_select(images(), 1, 0), fa_transform_compose(VALUES), 0));
    assert_error(FA_ERROR_SHAPE, "images are (samples, channels, height, width), not of 3 dims");
    fa_transform *tiny = fa_transform_normalize(FA_LIST(0), FA_LIST(1e-60));
    assert_null(transformed(images(), fa_transform_compose(fa_transform_to_tensor(), tiny), 0));
    assert_error(FA_ERROR_ARGUMENT, "a deviation is 0 in f32");
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(the_same_bits), TEST(others_run_one_by_one),
                                       TEST(errors_are_those_of_the_transforms)};
    return RUN("data fused");
}
