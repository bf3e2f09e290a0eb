/* relu and max pooling of 2 x 2 in a sequential network are one pass: results, gradients of first and second order,
 * hooks and errors are those of the two modules. */
#include "graph/node.h"
#include "support/api_test.h"
#include "support/devices.h"
#include <math.h>
#include <string.h>

static fa_module *both(void)
{
    return fa_nn_sequential(fa_nn_relu(), fa_nn_max_pool2d(2));
}

/* Of a result that needs gradients */
static bool is_one_pass(const fa_tensor *y)
{
    return strcmp(((const fa__node *)y->node)->op->name, "relu_max_pool2d") == 0;
}

static bool has_kernel(fa_device device)
{
    return fa_device_equal(device, FA_CPU) || test_device_is_late(0);
}

/* Noise with equal elements, zeros of both signs, infinities and, where asked for, NaN of both signs */
static fa_tensor *special(fa_shape shape, bool nan, fa_device device)
{
    fa_tensor *x = fa_round(fa_mul(fa_randn(shape), 2));
    fa_tensor *lot = fa_rand(shape);
    if (nan)
        x = fa_where(fa_lt(lot, 0.05), fa_copysign((double)NAN, fa_sub(lot, 0.02)), x);
    x = fa_where(fa_gt(lot, 0.95), (double)INFINITY, x);
    return fa_to(fa_where(fa_lt(fa_abs(fa_sub(lot, 0.5)), 0.05), -0.0, x), device);
}

static fa_tensor *apart(const fa_tensor *x)
{
    return fa_max_pool2d(fa_relu(x), 2);
}

static void check_shape(const fa_module *net, fa_shape shape, bool nan, fa_device device, fa_dtype dtype)
{
    FA_SCOPE;
    fa_tensor *x = fa_to(special(shape, nan, device), dtype);
    fa_set_requires_grad(x, true);
    fa_tensor *y = fa_forward((fa_module *)net, x), *expected = apart(x);
    assert_true(is_one_pass(y) == has_kernel(device));
    assert_true(same_tensors(y, expected));
    fa_tensor *gy = fa_to(special(shape, nan, device), dtype);
    gy = fa_narrow(fa_narrow(gy, 2, 0, fa_size(y, 2)), 3, 0, fa_size(y, 3));
    for (int dense = 0; dense < 2; dense++) {
        fa_tensors given = FA_TENSORS(dense ? fa_contiguous(gy) : gy);
        fa_tensors g = fa_grad_of(FA_TENSORS(y), FA_TENSORS(x), .grad_outputs = given, .retain_graph = true);
        fa_tensors due = fa_grad_of(FA_TENSORS(expected), FA_TENSORS(x), .grad_outputs = given, .retain_graph = true);
        assert_true(same_tensors(g.item[0], due.item[0]));
    }
}

static void same_numbers(void **state)
{
    (void)state;
    FA_SCOPE;
    const fa_shape shapes[] = {FA_SHAPE(2, 3, 4, 6),    FA_SHAPE(1, 1, 2, 2),   FA_SHAPE(3, 2, 5, 7),
                               FA_SHAPE(1, 2, 2, 31),   FA_SHAPE(1, 1, 32, 32), FA_SHAPE(2, 1, 3, 33),
                               FA_SHAPE(4, 6, 28, 28),  FA_SHAPE(1, 1, 2, 66),  FA_SHAPE(1, 3, 9, 130),
                               FA_SHAPE(64, 2, 10, 10), FA_SHAPE(0, 3, 4, 4)};
    const fa_module *net = both();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int nan = 0; nan < 2; nan++) {
            check_shape(net, shapes[i], nan, FA_CPU, FA_F32);
            check_shape(net, shapes[i], nan, DEVICE(0), FA_F32);
            check_shape(net, shapes[i], nan, FA_CPU, FA_BF16);
            check_shape(net, shapes[i], nan, FA_CPU, FA_F16);
        }
    assert_no_error();
}

static void second_gradients(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *grad[2];
    fa_tensor *x = fa_randn(FA_SHAPE(2, 3, 6, 10), .requires_grad = true);
    for (int one = 0; one < 2; one++) {
        fa_tensor *y = one ? fa_forward(both(), x) : apart(x);
        fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(fa_pow(y, 3))), FA_TENSORS(x), .create_graph = true);
        grad[one] = fa_grad_of(FA_TENSORS(fa_sum(fa_square(g.item[0]))), FA_TENSORS(x)).item[0];
    }
    assert_true(fa_item(fa_amax(fa_abs(grad[0]))) > 1);
    assert_true(same_tensors(grad[0], grad[1]));
}

/* Other windows, other dtypes and views are not for it. */
static void others(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_randn(FA_SHAPE(2, 3, 6, 10), .requires_grad = true);
    fa_module *pools[] = {fa_nn_max_pool2d(3),
                          fa_nn_max_pool2d(2, .stride = 1),
                          fa_nn_max_pool2d(2, .padding = 1),
                          fa_nn_max_pool2d(2, .dilation = 2),
                          fa_nn_max_pool2d(2, .ceil_mode = true),
                          fa_nn_max_pool2d(FA_PAIR(2, 1)),
                          fa_nn_avg_pool2d(2)};
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        assert_false(is_one_pass(fa_forward(fa_nn_sequential(fa_nn_relu(), pools[i]), x)));
    assert_false(is_one_pass(fa_forward(fa_nn_sequential(fa_nn_gelu(), fa_nn_max_pool2d(2)), x)));
    assert_false(is_one_pass(fa_forward(both(), fa_to(x, FA_F64))));
    assert_false(is_one_pass(fa_forward(both(), fa_transpose(x, 2, 3))));
    assert_true(is_one_pass(fa_forward(both(), x)));
    assert_no_error();
    assert_null(fa_forward(both(), fa_ones(FA_SHAPE(2, 3, 1, 10))));
    assert_error(FA_ERROR_SHAPE, "in max_pool2d \"1\" of sequential");
}

static fa_tensor *note(fa_module *module, fa_tensors inputs, fa_tensor *output, void *context)
{
    (void)module;
    (void)inputs;
    *(int64_t *)context = fa_numel(output);
    return NULL;
}

static void hooks_see_all(void **state)
{
    (void)state;
    FA_SCOPE;
    for (int i = 0; i < 2; i++) {
        fa_module *net = both();
        int64_t elements = 0;
        fa_module_hook_forward(fa_module_at(net, i), note, &elements);
        assert_false(is_one_pass(fa_forward(net, fa_randn(FA_SHAPE(1, 1, 8, 8), .requires_grad = true))));
        assert_int_equal(elements, i ? 16 : 64);
    }
}

/* What is kept for backward: a byte for each window, not what goes in. */
static void memory(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_randn(FA_SHAPE(4, 8, 64, 64), .requires_grad = true);
    int64_t before = (int64_t)fa_memory_stats(FA_CPU).allocated;
    FA_VAR(y, fa_forward(both(), fa_mul(x, 2)));
    int64_t windows = 4 * 8 * 32 * 32, kept = (int64_t)fa_memory_stats(FA_CPU).allocated - before;
    assert_true(kept >= 5 * windows && kept < 6 * windows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(same_numbers), TEST(second_gradients), TEST(others), TEST(hooks_see_all),
                                       TEST(memory)};
    return RUN("relu_pool");
}
