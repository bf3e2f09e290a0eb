/* A linear layer and relu in a sequential network are one pass: results, gradients of first and second order, hooks and
 * errors are those of the two modules. */
#include "graph/node.h"
#include "support/api_test.h"
#include "support/devices.h"
#include "support/same.h"
#include <math.h>
#include <string.h>

static const fa_dtype dtypes[] = {FA_F32, FA_F64, FA_F16, FA_BF16};

/* Of a result that needs gradients */
static bool is_one_pass(const fa_tensor *y)
{
    return strcmp(((const fa__node *)y->node)->op->name, "linear_relu") == 0;
}

static fa_tensor *weight_of(const fa_module *net)
{
    return fa_module_tensor(net, "0.weight");
}

/* What goes in: whole numbers, among them zeros of both signs; also NaN and infinities, with a bias; or numbers whose
 * products underflow to zeros of both signs. */
typedef enum kind { WHOLE, WITH_NAN, TINY, KINDS } kind;

static fa_tensor *numbers(fa_shape shape, kind how)
{
    fa_tensor *lot = fa_rand(shape), *x = fa_round(fa_mul(fa_randn(shape), 2));
    if (how == WITH_NAN)
        x = fa_where(fa_lt(lot, 0.02), (double)NAN, fa_where(fa_gt(lot, 0.99), (double)INFINITY, x));
    return fa_where(fa_lt(fa_abs(fa_sub(lot, 0.5)), 0.1), -0.0, x);
}

static fa_tensor *scaled(fa_tensor *x, fa_dtype dtype, kind how)
{
    const double least = dtype == FA_F16 ? 1e-7 : dtype == FA_F64 ? 1e-200 : 1e-30;
    return fa_to(how == TINY ? fa_mul(fa_to(x, FA_F64), least) : x, dtype);
}

static void check(fa_dtype dtype, fa_device device, fa_shape shape, int64_t out, kind how)
{
    FA_SCOPE;
    const int64_t in = shape.dim[shape.rank - 1];
    fa_module *layer = fa_nn_linear(in, out, .bias = how == WITH_NAN, .dtype = dtype);
    fa_module_replace_tensor(layer, "weight", fa_detach(scaled(fa_module_tensor(layer, "weight"), dtype, how)));
    fa_module *net = fa_module_to(fa_nn_sequential(layer, fa_nn_relu()), device);
    fa_tensor *x = fa_to(scaled(numbers(shape, how), dtype, how), device), *w = weight_of(net);
    fa_set_requires_grad(x, true);
    fa_tensor *y = fa_forward(net, x), *expected = fa_relu(fa_forward(layer, x));
    assert_true(is_one_pass(y));
    assert_true(same_tensors(y, expected));
    assert_true(same_tensors(fa_signbit(fa_cpu(y)), fa_signbit(fa_cpu(expected))));
    fa_tensor *gy = fa_to(fa_to(numbers(fa_tensor_shape(y), WITH_NAN), dtype), device);
    fa_tensors of = FA_TENSORS(x, w), given = FA_TENSORS(gy);
    fa_tensors g = fa_grad_of(FA_TENSORS(y), of, .grad_outputs = given);
    fa_tensors due = fa_grad_of(FA_TENSORS(expected), of, .grad_outputs = given);
    for (int i = 0; i < 2; i++)
        assert_true(same_tensors(g.item[i], due.item[i]));
}

static void same_numbers(void **state)
{
    (void)state;
    const fa_shape shapes[] = {FA_SHAPE(3, 5),   FA_SHAPE(7),      FA_SHAPE(2, 3, 70), FA_SHAPE(65, 300),
                               FA_SHAPE(1, 129), FA_SHAPE(130, 9), FA_SHAPE(0, 4)};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (kind how = WHOLE; how < KINDS; how++) {
            const int64_t out = i % 2 ? 66 : 1;
            for (int d = 0; d < 4; d++)
                check(dtypes[d], FA_CPU, shapes[i], out, how);
            check(FA_F32, DEVICE(0), shapes[i], out, how);
        }
    assert_no_error();
}

static void second_gradients(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *layer = fa_nn_linear(6, 8), *net = fa_nn_sequential(layer, fa_nn_relu());
    fa_tensor *x = fa_randn(FA_SHAPE(5, 6), .requires_grad = true), *grad[2][2];
    for (int one = 0; one < 2; one++) {
        fa_tensor *y = one ? fa_forward(net, x) : fa_relu(fa_forward(layer, x));
        fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(fa_pow(y, 3))), FA_TENSORS(x), .create_graph = true);
        fa_tensors second = fa_grad_of(FA_TENSORS(fa_sum(fa_square(g.item[0]))), FA_TENSORS(x, weight_of(net)));
        grad[one][0] = second.item[0], grad[one][1] = second.item[1];
    }
    for (int i = 0; i < 2; i++) {
        assert_true(fa_item(fa_amax(fa_abs(grad[0][i]))) > 0.01);
        assert_true(same_tensors(grad[0][i], grad[1][i]));
    }
}

/* Other activations, and a layer whose result is used otherwise; errors are the layer's. */
static void others(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_randn(FA_SHAPE(5, 6), .requires_grad = true);
    fa_module *const activations[] = {fa_nn_tanh(), fa_nn_gelu(), fa_nn_relu6(), fa_nn_identity()};
    for (size_t i = 0; i < sizeof activations / sizeof *activations; i++)
        assert_false(is_one_pass(fa_forward(fa_nn_sequential(fa_nn_linear(6, 3), activations[i]), x)));
    fa_module *net = fa_nn_sequential(fa_nn_linear(6, 3), fa_nn_relu());
    assert_false(is_one_pass(fa_forward(fa_module_at(net, 0), x)));
    assert_true(is_one_pass(fa_forward(net, x)));
    assert_no_error();
    assert_null(fa_forward(net, fa_ones(FA_SHAPE(5, 7))));
    assert_error(FA_ERROR_SHAPE, "in linear \"0\" of sequential");
    assert_null(fa_forward(net, fa_ones(FA_SHAPE(5, 6), .dtype = FA_F64)));
    assert_error(FA_ERROR_DTYPE, "in linear \"0\" of sequential");
    assert_null(fa_forward(net, fa_ones(FA_SHAPE(), .dtype = FA_F32)));
    assert_error(FA_ERROR_SHAPE, "in linear \"0\" of sequential");
}

/* Under autocast it is computed in the dtype of the block, as the layer. */
static void under_autocast(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.autocast = FA_BF16);
    fa_module *layer = fa_nn_linear(40, 30), *net = fa_nn_sequential(layer, fa_nn_relu());
    fa_tensor *x = fa_randn(FA_SHAPE(50, 40)), *y = fa_forward(net, x), *halves = fa_forward(net, fa_to(x, FA_BF16));
    assert_true(is_one_pass(y) && is_one_pass(halves));
    assert_int_equal(fa_tensor_dtype(y), FA_BF16);
    assert_true(same_tensors(y, fa_relu(fa_forward(layer, x))));
    assert_true(same_tensors(y, halves));
}

static fa_tensor *note(fa_module *module, fa_tensors inputs, fa_tensor *output, void *context)
{
    (void)module;
    (void)inputs;
    *(double *)context = fa_item(fa_amin(output));
    return NULL;
}

static void hooks_see_all(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        FA_SCOPE;
        fa_module *net = fa_nn_sequential(fa_nn_linear(6, 30), fa_nn_relu());
        double least = 1;
        fa_module_hook_forward(fa_module_at(net, i), note, &least);
        assert_false(is_one_pass(fa_forward(net, fa_randn(FA_SHAPE(4, 6)))));
        assert_true(i ? least == 0 : least < 0);
    }
}

/* What is kept for backward: the result, and no second tensor of its size. */
static void memory(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(fa_nn_linear(16, 512), fa_nn_relu());
    fa_tensor *x = fa_randn(FA_SHAPE(128, 16));
    int64_t before = (int64_t)fa_memory_stats(FA_CPU).allocated, result = 128 * 512 * 4;
    FA_VAR(y, fa_forward(net, x));
    int64_t kept = (int64_t)fa_memory_stats(FA_CPU).allocated - before;
    assert_true(kept >= result && kept < result + result / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(same_numbers),   TEST(second_gradients), TEST(others),
                                       TEST(under_autocast), TEST(hooks_see_all),    TEST(memory)};
    return RUN("linear_relu");
}
