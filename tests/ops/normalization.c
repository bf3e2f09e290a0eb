/* What the layers of networks change besides their results, and what they refuse: running statistics of batch_norm and
 * instance_norm, rows that get no gradient, windows that do not fit. Values and gradients are held against PyTorch in
 * golden.c. */
#include "support/autograd_test.h"

#define REFUSED(call, code, ...)                                                                                       \
    do {                                                                                                               \
        assert_null(call);                                                                                             \
        FAILS(code, __VA_ARGS__);                                                                                      \
    } while (0)

static fa_device place(int i)
{
    return i ? DEVICE(i - 1) : FA_CPU;
}

/* Channel 0 has 1, 2, 3, 6 and channel 1 has 0, 0, 4, 4: (2, 2, 2). */
static fa_tensor *batch(void)
{
    return fa_tensor_from(((float[]){1, 2, 0, 0, 3, 6, 4, 4}), FA_SHAPE(2, 2, 2));
}

/* Means 3 and 2; variances, by 3 for 4 elements, 14 / 3 and 16 / 3. Each batch replaces a part. */
static void running_statistics(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        FA_SCOPE;
        fa_device device = place(i);
        fa_tensor *mean = fa_to(fa_tensor_of(1.0, -2.0), device), *var = fa_to(fa_tensor_of(1.0, 3.0), device);
        fa_tensor *x = fa_to(batch(), device);
        fa_tensor *y =
            fa_batch_norm(x, .running_mean = mean, .running_var = var, .training = true, .momentum = 0.25, .eps = 0.5);
        HOLD(mean, 0.75 + 0.75, -1.5 + 0.5);
        HOLD(var, 0.75 + 3.5 / 3, 2.25 + 4.0 / 3);
        double a = 1 / 2.0, b = 1 / sqrt(4.5); /* variances by 4: 3.5 and 4 */
        HOLD(y, -2 * a, -1 * a, -2 * b, -2 * b, 0, 3 * a, 2 * b, 2 * b);
        /* a cumulative average over three batches: of the third one a third */
        fa_batch_norm(x, .running_mean = mean, .running_var = var, .training = true, .momentum = 1.0 / 3);
        HOLD(mean, 1 + 1, -2.0 / 3 + 2.0 / 3);
        /* an empty batch changes nothing, and evaluation does not either */
        fa_batch_norm(fa_zeros(FA_SHAPE(0, 2, 2), .device = device), .running_mean = mean, .running_var = var,
                      .training = true);
        y = fa_batch_norm(x, .running_mean = mean, .running_var = var);
        HOLD(mean, 2, 0);
    }
}

/* What the running ones were is no part of what is recorded: changing them is no error for backward. */
static void recorded(void **state)
{
    (void)state;
    fa_tensor *mean = fa_zeros(FA_SHAPE(2)), *var = fa_ones(FA_SHAPE(2)), *x = batch();
    fa_set_requires_grad(x, true);
    fa_tensor *y = fa_batch_norm(x, .running_mean = mean, .running_var = var, .training = true);
    fa_batch_norm(x, .running_mean = mean, .running_var = var, .training = true);
    assert_false(fa_requires_grad(mean));
    fa_backward(fa_sum(fa_mul(y, y)));
    assert_non_null(fa_grad(x));
    /* with weights of other dtypes: what comes out has x's */
    fa_tensor *half = fa_to(batch(), FA_F16), *scale = fa_tensor_of(2.0, 3.0);
    y = fa_batch_norm(half, .weight = scale, .bias = scale, .training = true);
    assert_int_equal(fa_tensor_dtype(y), FA_F16);
    y = fa_batch_norm(half, .running_mean = mean, .running_var = var, .weight = scale);
    assert_int_equal(fa_tensor_dtype(y), FA_F16);
}

/* How far y's mean is from 0, and its deviation from 1; how far the variance that was found is from x's. */
static void hold_normal(fa_tensor *y, fa_dims dim)
{
    y = fa_to(fa_to(y, FA_CPU), FA_F64);
    assert_true(fa_item(fa_amax(fa_abs(fa_mean(y, .dim = dim)))) < 0.15);
    assert_true(fa_item(fa_amax(fa_abs(fa_sub(fa_std(y, .dim = dim, .correction = 0), 1)))) < 1e-3);
}

/* A million in f32 is followed by a number that is 1/16 more: means are rounded to that, variances are not. */
static void large_means(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        FA_SCOPE;
        fa_manual_seed(5);
        fa_tensor *x = fa_to(fa_add(fa_rand(FA_SHAPE(8, 4, 500)), 1e6), place(i));
        hold_normal(fa_layer_norm(x, FA_SHAPE(500)), 2);
        hold_normal(fa_layer_norm(x, FA_SHAPE(4, 500)), FA_DIMS(1, 2));
        hold_normal(fa_reshape(fa_group_norm(x, 2), FA_SHAPE(8, 2, 1000)), 2);
        hold_normal(fa_instance_norm(x), 2);
        fa_tensor *mean = fa_zeros(FA_SHAPE(4), .device = place(i)), *var = fa_ones(FA_SHAPE(4), .device = place(i));
        hold_normal(fa_batch_norm(x, .running_mean = mean, .running_var = var, .training = true, .momentum = 1),
                    FA_DIMS(0, 2));
        fa_tensor *want = fa_var(fa_to(fa_to(x, FA_CPU), FA_F64), .dim = FA_DIMS(0, 2));
        fa_tensor *off = fa_abs(fa_sub(fa_div(fa_to(var, FA_CPU), want), 1));
        assert_true(fa_item(fa_amax(off)) < 1e-5);
    }
}

/* Running statistics are no operands of backward; of an empty batch all gradients are 0, also the second ones. */
static void no_gradients_for_what_is_kept(void **state)
{
    (void)state;
    fa_tensor *mean = fa_zeros(FA_SHAPE(2), .requires_grad = true), *var = fa_ones(FA_SHAPE(2), .requires_grad = true);
    fa_tensor *x = batch(), *w = fa_ones(FA_SHAPE(2), .requires_grad = true);
    fa_set_requires_grad(x, true);
    fa_tensor *y = fa_batch_norm(x, .running_mean = mean, .running_var = var, .weight = w);
    fa_backward(fa_sum(y));
    assert_true(fa_grad(x) && fa_grad(w) && !fa_grad(mean) && !fa_grad(var));
    fa_tensor *none = fa_zeros(FA_SHAPE(0, 2, 3), .requires_grad = true);
    y = fa_batch_norm(none, .weight = w, .training = true);
    fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(y)), FA_TENSORS(none, w), .create_graph = true);
    HOLD(g.item[1], 0, 0);
    g = fa_grad_of(FA_TENSORS(fa_add(fa_sum(g.item[0]), fa_sum(g.item[1]))), FA_TENSORS(w), .allow_unused = true);
    if (g.item[0])
        HOLD(g.item[0], 0, 0);
    FAILS(FA_OK, "");
}

/* Each sample's statistics; the running ones get their mean. */
/* Inference that was recorded keeps the mean that it took, whatever training does before backward. */
static void inference_outlives_training(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        FA_SCOPE;
        FA_USE(.device = place(i));
        fa_tensor *x = fa_to(batch(), place(i)), *w = fa_ones(FA_SHAPE(2), .requires_grad = true);
        fa_tensor *mean = fa_full(FA_SHAPE(2), 1.0), *var = fa_full(FA_SHAPE(2), 4.0);
        fa_tensor *y = fa_batch_norm(x, .running_mean = mean, .running_var = var, .weight = w, .eps = 0);
        assert_non_null(fa_batch_norm(x, .running_mean = mean, .running_var = var, .training = true));
        assert_true(fa_backward(fa_sum(y)));
        HOLD(fa_grad(w), 4, 2); /* (0 + 1 + 2 + 5) / 2, (-1 - 1 + 3 + 3) / 2 */
    }
}

static void results_are_of_the_images_dtype(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *mean = fa_zeros(FA_SHAPE(3), .dtype = FA_F64), *var = fa_ones(FA_SHAPE(3), .dtype = FA_F64);
    const fa_dtype dtypes[] = {FA_F16, FA_BF16, FA_F32, FA_F64};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        fa_tensor *x = fa_rand(FA_SHAPE(2, 3), .dtype = dtypes[i]);
        assert_int_equal(fa_tensor_dtype(fa_batch_norm(x, .running_mean = mean, .running_var = var)), dtypes[i]);
    }
}

static void instances(void **state)
{
    (void)state;
    fa_tensor *mean = fa_zeros(FA_SHAPE(2)), *var = fa_zeros(FA_SHAPE(2));
    fa_instance_norm(batch(), .running_mean = mean, .running_var = var, .momentum = 0.5);
    HOLD(mean, 0.5 * (1.5 + 4.5) / 2, 0.5 * (0 + 4) / 2);
    HOLD(var, 0.5 * (0.5 + 4.5) / 2, 0);
}

static void refused(void **state)
{
    (void)state;
    fa_tensor *x = batch(), *two = fa_zeros(FA_SHAPE(2)), *three = fa_zeros(FA_SHAPE(3));
    REFUSED(fa_batch_norm(x), FA_ERROR_ARGUMENT, "fa_batch_norm(", ".running_mean");
    REFUSED(fa_batch_norm(x, .running_mean = two), FA_ERROR_ARGUMENT, "come together");
    REFUSED(fa_batch_norm(x, .weight = three, .training = true), FA_ERROR_SHAPE, "weight has to be (2)");
    REFUSED(fa_batch_norm(fa_zeros(FA_SHAPE(1, 2)), .training = true), FA_ERROR_SHAPE, "one value a channel",
            "fa_module_train(net, false)");
    REFUSED(fa_batch_norm(two, .training = true), FA_ERROR_SHAPE, "1 dimension");
    REFUSED(fa_instance_norm(fa_zeros(FA_SHAPE(3, 2))), FA_ERROR_SHAPE, "one value an instance");
    REFUSED(fa_instance_norm(fa_zeros(FA_SHAPE(2, 3, 1))), FA_ERROR_SHAPE, "one value an instance");
    REFUSED(fa_instance_norm(fa_zeros(FA_SHAPE(2, 3, 1, 1))), FA_ERROR_SHAPE, "one value an instance");
    assert_non_null(fa_instance_norm(fa_zeros(FA_SHAPE(2, 3, 1, 2))));
    REFUSED(fa_group_norm(x, 3), FA_ERROR_ARGUMENT, "2 channels cannot be 3 groups");
    REFUSED(fa_layer_norm(x, FA_SHAPE(3)), FA_ERROR_SHAPE, "normalized_shape");
    REFUSED(fa_layer_norm(x, FA_SHAPE(2), .bias = three), FA_ERROR_SHAPE, "bias has to be of normalized_shape");
    REFUSED(fa_layer_norm(x, FA_SCALAR), FA_ERROR_SHAPE, "normalized_shape");
    REFUSED(fa_layer_norm(x, FA_SHAPE(2), .weight = fa_zeros(FA_SHAPE(2), .dtype = FA_F64)), FA_ERROR_DTYPE,
            "weight is f64");
}

static void windows(void **state)
{
    (void)state;
    fa_tensor *x = fa_zeros(FA_SHAPE(1, 2, 5, 6));
    REFUSED(fa_max_pool2d(fa_zeros(FA_SHAPE(5, 6)), 2), FA_ERROR_SHAPE, "fa_max_pool2d(", "2 dimensions");
    REFUSED(fa_max_pool2d(x, FA_PAIR(6, 1)), FA_ERROR_SHAPE, "larger than the height, 5");
    REFUSED(fa_max_pool2d(x, 3, .padding = 2), FA_ERROR_ARGUMENT, "half of the window's 3");
    REFUSED(fa_max_pool2d(x, 2, .stride = FA_PAIR(1, 0)), FA_ERROR_ARGUMENT, "at least 1 along the width");
    REFUSED(fa_max_pool2d(x, 0), FA_ERROR_ARGUMENT, "at least 1 along the height");
    REFUSED(fa_max_pool2d(x, INT64_MAX), FA_ERROR_SHAPE, "larger than the height");
    /* a window that is nearly all padding */
    HOLD(fa_avg_pool2d(fa_ones(FA_SHAPE(1, 5, 6)), 2147483000, .padding = 1073741500, .divisor_override = 15), 2);
    REFUSED(fa_avg_pool2d(fa_to(x, FA_I32), 2), FA_ERROR_DTYPE, "mean of i32");
    REFUSED(fa_adaptive_avg_pool2d(x, FA_PAIR(-2, 1)), FA_ERROR_ARGUMENT, "sizes are 0 or more");
    /* windows -1, 1 of one element: both are padding */
    REFUSED(fa_max_pool2d(fa_zeros(FA_SHAPE(1, 1, 1)), 2, .dilation = 2, .padding = 1), FA_ERROR_ARGUMENT,
            "only padding");
}

/* A plane that is stepped through from behind, or repeated, gives what its copy gives. */
static void embeddings(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        FA_SCOPE;
        fa_device device = place(i);
        fa_tensor *weight = fa_to(fa_reshape(fa_arange(0, 6, .dtype = FA_F32), FA_SHAPE(3, 2)), device);
        fa_set_requires_grad(weight, true);
        fa_tensor *at = fa_to(fa_tensor_of(2, 0, 2), device);
        fa_tensor *y = fa_embedding(at, weight, .padding_idx = 0);
        HOLD(y, 4, 5, 0, 1, 4, 5);
        fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(y)), FA_TENSORS(weight));
        HOLD(g.item[0], 0, 0, 0, 0, 2, 2);
        fa_embedding(fa_to(fa_tensor_of(1, 3), device), weight);
        fa_synchronize(device);
        FAILS(FA_ERROR_INDEX, "fa_embedding", "index 3", "size 3");
    }
    REFUSED(fa_embedding(fa_tensor_of(1.0), fa_zeros(FA_SHAPE(3, 2))), FA_ERROR_DTYPE, "fa_embedding(");
    REFUSED(fa_embedding(fa_tensor_of(1), fa_zeros(FA_SHAPE(3))), FA_ERROR_SHAPE, "(rows, width)");
    REFUSED(fa_embedding(fa_tensor_of(1), fa_zeros(FA_SHAPE(3, 2)), .padding_idx = 3), FA_ERROR_INDEX, "no row 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(running_statistics),
        TEST(recorded),
        TEST(results_are_of_the_images_dtype),
        TEST(instances),
        TEST(large_means),
        TEST(no_gradients_for_what_is_kept),
        TEST(inference_outlives_training),
        TEST(refused),
        TEST(windows),
        TEST(embeddings),
    };
    return RUN("normalization");
}
