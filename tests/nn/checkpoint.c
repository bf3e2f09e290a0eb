/* Activation checkpointing: the same values and gradients with less memory; random numbers, running statistics,
 * settings; what it refuses. */
#include "support/api_test.h"
#include <facula/facula.h>

enum { PARTS = 12, LAYERS = 6 };

static fa_module *block(fa_dtype dtype)
{
    fa_module *made = fa_nn_sequential(fa_nn_linear(64, 64, .dtype = dtype), fa_nn_tanh());
    for (int i = 1; i < LAYERS; i++) {
        fa_module_append(made, fa_nn_linear(64, 64, .dtype = dtype));
        fa_module_append(made, fa_nn_tanh());
    }
    return made;
}

static fa_tensor *run(fa_module *list, fa_tensor *x, bool checkpointed)
{
    for (size_t i = 0; i < fa_module_count(list); i++) {
        fa_module *part = fa_module_at(list, (int64_t)i);
        x = checkpointed ? fa_checkpoint(part, x) : fa_forward(part, x);
    }
    return fa_sum(x);
}

/* Bytes at the peak of a training step. */
static size_t step(fa_module *list, const fa_tensor *x, bool checkpointed, fa_device device)
{
    FA_SCOPE;
    fa_module_zero_grad(list);
    fa_memory_reset_peak(device);
    assert_true(fa_backward(run(list, (fa_tensor *)(uintptr_t)x, checkpointed)));
    fa_synchronize(device);
    return fa_memory_stats(device).peak;
}

static void gradients_are_the_same_with_less_memory(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_manual_seed(1);
    fa_module *list = fa_nn_list();
    for (int i = 0; i < PARTS; i++)
        fa_module_append(list, block(FA_F32));
    fa_module_to(list, DEVICE(0));
    fa_tensor *x = fa_randn(FA_SHAPE(2048, 64), .device = DEVICE(0));
    size_t bytes[2];
    fa_tensor *grad[2];
    for (int k = 0; k < 2; k++) {
        step(list, x, k, DEVICE(0)); /* kernels are compiled */
        bytes[k] = step(list, x, k, DEVICE(0));
        grad[k] = fa_clone(fa_grad(fa_module_tensor(list, "0.0.weight")));
    }
    assert_true(same_tensors(grad[0], grad[1]));
    print_message("peak of a step: %zu bytes, checkpointed %zu\n", bytes[0], bytes[1]);
    assert_true(2 * bytes[1] < bytes[0]);
    assert_no_error();
}

static void inputs_get_gradients(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *part = block(FA_F64);
    fa_tensor *x = fa_randn(FA_SHAPE(3, 64), .dtype = FA_F64, .requires_grad = true), *g[2];
    for (int k = 0; k < 2; k++) {
        fa_tensor *h = fa_mul(x, 2);
        fa_set_grad(x, NULL);
        assert_true(fa_backward(fa_sum(fa_square(k ? fa_checkpoint(part, h) : fa_forward(part, h)))));
        g[k] = fa_clone(fa_grad(x));
    }
    assert_true(same_tensors(g[0], g[1]));
    assert_no_error();
}

static void random_numbers_and_statistics_are_those_of_one_run(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *part = fa_nn_sequential(fa_nn_linear(8, 8), fa_nn_dropout(.p = 0.5), fa_nn_batch_norm1d(8));
    fa_module *other = fa_module_clone(part);
    fa_tensor *x = fa_randn(FA_SHAPE(16, 8)), *y[2], *after[2];
    for (int k = 0; k < 2; k++) {
        fa_manual_seed(7);
        y[k] = k ? fa_checkpoint(other, x) : fa_forward(part, x);
        after[k] = fa_rand(FA_SHAPE(4)); /* the second run draws other numbers than this goes on with */
        assert_true(fa_backward(fa_sum(fa_square(y[k]))));
        after[k] = fa_add(after[k], fa_rand(FA_SHAPE(4)));
    }
    assert_true(same_tensors(y[0], y[1]) && same_tensors(after[0], after[1]));
    assert_true(
        same_tensors(fa_grad(fa_module_tensor(part, "0.weight")), fa_grad(fa_module_tensor(other, "0.weight"))));
    assert_true(same_tensors(fa_module_tensor(part, "2.running_mean"), fa_module_tensor(other, "2.running_mean")));
    assert_int_equal(fa_item_int(fa_module_tensor(other, "2.num_batches_tracked")), 1);
    assert_no_error();
}

static void settings_are_those_of_the_first_run(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *part = fa_nn_linear(64, 64);
    fa_tensor *x = fa_randn(FA_SHAPE(4, 64)), *g[2];
    for (int k = 0; k < 2; k++) {
        fa_tensor *y;
        fa_module_zero_grad(part);
        {
            FA_USE(.autocast = FA_BF16);
            y = k ? fa_checkpoint(part, x) : fa_forward(part, x);
        }
        assert_int_equal(fa_tensor_dtype(y), FA_BF16);
        assert_true(fa_backward(fa_sum(fa_to(y, FA_F32))));
        g[k] = fa_clone(fa_grad(fa_module_tensor(part, "weight")));
    }
    assert_true(same_tensors(g[0], g[1]));
    {
        FA_USE(.no_grad = true);
        assert_false(fa_requires_grad(fa_checkpoint(part, x)));
    }
    assert_no_error();
}

static void changes_before_backward_are_errors(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *part = fa_nn_linear(4, 4);
    fa_tensor *x = fa_ones(FA_SHAPE(2, 4)), *y = fa_sum(fa_checkpoint(part, x));
    {
        FA_USE(.no_grad = true);
        fa_copy_(fa_module_tensor(part, "bias"), 1.0);
    }
    assert_false(fa_backward(y));
    assert_error(FA_ERROR_GRADIENT, "a parameter of the module linear was changed");
    y = fa_sum(fa_checkpoint(part, x));
    fa_module_train(part, false);
    assert_false(fa_backward(y));
    assert_error(FA_ERROR_GRADIENT, "the training mode of the module linear was changed");
    y = fa_sum(fa_checkpoint(part, x));
    assert_false(fa_backward(y, .create_graph = true));
    assert_error(FA_ERROR_GRADIENT, ".create_graph");
    assert_null(fa_checkpoint(part, fa_ones(FA_SHAPE(2, 5))));
    assert_error(FA_ERROR_SHAPE, "linear");
    assert_null(fa_checkpoint(part, x, x, x, x, x, x, x, x));
    assert_error(FA_ERROR_ARGUMENT, "at most 7 inputs: 8");
    assert_null(fa_checkpoint(NULL, x));
    assert_error(FA_ERROR_ARGUMENT, "NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(gradients_are_the_same_with_less_memory),
        TEST(inputs_get_gradients),
        TEST(random_numbers_and_statistics_are_those_of_one_run),
        TEST(settings_are_those_of_the_first_run),
        TEST(changes_before_backward_are_errors),
    };
    return RUN("checkpointing");
}
