/* The cache of cast parameters: one conversion for each parameter and step, never an outdated one. And classes of
 * operations on GPUs, where they differ from those on the CPU (autocast_classes.c). */
#include "dispatch/call.h"
#include "support/api_test.h"
#include "support/tensors.h"
#include <facula/autograd.h>
#include <facula/device.h>
#include <facula/operations.h>
#include <facula/optim.h>
#include <math.h>
#include <string.h>

static int casts;

static void count_casts(const fa__call *c, int depth)
{
    (void)depth;
    casts += !strcmp(c->op->name, "move");
}

#define CASTS_OF(call) (casts = 0, fa__call_hook = count_casts, (void)(call), fa__call_hook = NULL, casts)

static fa_tensor *weight, *x;

static int begin(void **state)
{
    if (api_begin(state))
        return -1;
    weight = fa_keep(fa_to(fa_randn(FA_SHAPE(4, 4)), DEVICE(0)));
    fa_set_requires_grad(weight, true);
    x = fa_keep(fa_to(fa_to(fa_randn(FA_SHAPE(3, 4)), FA_F16), DEVICE(0)));
    return 0;
}

static int end(void **state)
{
    (void)state;
    fa_release(weight);
    fa_release(x);
    return 0;
}

static void a_parameter_is_cast_once(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.autocast = FA_F16);
    assert_int_equal(CASTS_OF(fa_matmul(x, weight)), 1);
    assert_int_equal(CASTS_OF(fa_matmul(x, weight)), 0);
    {
        FA_SCOPE;
        FA_USE(.deterministic = true);
        assert_int_equal(CASTS_OF(fa_matmul(x, weight)), 0);
        FA_USE(.autocast = FA_SAME);
    }
    assert_int_equal(CASTS_OF(fa_matmul(x, weight)), 0);
    FA_USE(.autocast = FA_BF16);
    fa_tensor *xb = fa_to(x, FA_BF16);
    assert_int_equal(CASTS_OF(fa_matmul(xb, weight)), 1);
    assert_int_equal(CASTS_OF(fa_matmul(xb, weight)), 0);
    assert_no_error();
}

static void the_end_of_the_block_forgets_it(void **state)
{
    (void)state;
    FA_SCOPE;
    for (int i = 0; i < 2; i++) {
        FA_USE(.autocast = FA_F16);
        assert_int_equal(CASTS_OF(fa_matmul(x, weight)), 1);
    }
    FA_REPEAT (2) {
        FA_USE(.autocast = FA_F16);
        assert_int_equal(CASTS_OF(fa_matmul(x, weight)), 1);
    }
}

static void a_modified_parameter_is_cast_again(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.autocast = FA_F16);
    fa_tensor *before = fa_matmul(x, weight);
    {
        FA_USE(.no_grad = true);
        fa_mul_(weight, 2);
    }
    fa_tensor *after = NULL;
    assert_int_equal(CASTS_OF(after = fa_matmul(x, weight)), 1);
    assert_true(same_tensors(fa_cpu(fa_mul(before, 2)), fa_cpu(after)));
}

/* What is written through a pointer does not change the version. */
static void a_parameter_with_a_pointer_is_cast_each_time(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.autocast = FA_BF16);
    fa_tensor *w = fa_zeros(FA_SHAPE(4, 4), .requires_grad = true), *ones = fa_ones(FA_SHAPE(1, 4), .dtype = FA_BF16);
    assert_int_equal(CASTS_OF(fa_matmul(ones, w)), 1);
    assert_int_equal(CASTS_OF(fa_matmul(ones, w)), 0);
    float *at = fa_ptr(w, FA_F32);
    fa_tensor *y = NULL;
    for (int i = 1; i < 3; i++) {
        at[0] = (float)i;
        assert_int_equal(CASTS_OF(y = fa_matmul(ones, w)), 1);
        assert_true(fa_item(fa_get(y, "0,0")) == i);
    }
    assert_no_error();
}

/* What was cast without recording has no gradient. */
static void each_grad_mode_has_its_own(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.autocast = FA_F16);
    {
        FA_USE(.no_grad = true);
        assert_int_equal(CASTS_OF(fa_matmul(x, weight)), 1);
    }
    fa_tensor *y = NULL;
    assert_int_equal(CASTS_OF(y = fa_matmul(x, weight)), 1);
    assert_true(fa_backward(fa_sum(y)) && fa_grad(weight));
    assert_true(fa_tensor_dtype(fa_grad(weight)) == FA_F32);
}

static void other_tensors_are_not_kept(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.autocast = FA_F16);
    fa_tensor *activation = fa_to(x, FA_F32);
    assert_int_equal(CASTS_OF(fa_matmul(activation, weight)), 2);
    assert_int_equal(CASTS_OF(fa_matmul(activation, weight)), 1);
}

/* Gradients are accumulated in one block: backward goes through the same cast several times. */
static void backward_may_go_through_it_again(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *once = NULL, *product = NULL;
    {
        FA_USE(.autocast = FA_F16);
        assert_true(fa_backward(fa_sum(fa_matmul(x, weight))));
        once = fa_clone(fa_grad(weight));
        assert_int_equal(CASTS_OF(product = fa_matmul(x, weight)), 0);
        assert_true(fa_backward(fa_sum(product)));
    }
    assert_true(same_tensors(fa_cpu(fa_mul(once, 2)), fa_cpu(fa_grad(weight))));
    assert_no_error();
}

/* A product of x and a weight, times g, in the dtype of autocast, where g is: g is the gradient of the product. */
static fa_tensor *loss_of(const fa_tensor *in, const fa_tensor *w, const fa_tensor *g)
{
    FA_USE(.autocast = fa_tensor_dtype(g));
    return fa_sum(fa_mul(fa_linear(in, w), g));
}

/* The gradient of w by that: a product of 16 bits, converted. */
static fa_tensor *expected_from(const fa_tensor *in, const fa_tensor *g)
{
    return fa_to(fa_matmul(fa_t(g), fa_to(in, fa_tensor_dtype(g))), FA_F32);
}

/* Rows of a batch that are summed at once, or in several runs; features that fill tiles, and others. */
static void check_gradient_of_product(fa_dtype dtype, int64_t batch, int64_t features)
{
    FA_SCOPE;
    const int64_t out = 37;
    fa_tensor *in = fa_randn(FA_SHAPE(batch, features)), *w = fa_randn(FA_SHAPE(out, features), .requires_grad = true);
    fa_tensor *g = fa_to(fa_randn(FA_SHAPE(batch, out)), dtype), *h = fa_to(fa_randn(FA_SHAPE(batch, out)), dtype);
    fa_mul_(fa_narrow(g, 1, out - 1, 1), NAN);
    assert_true(fa_backward(loss_of(in, w, g)));
    assert_true(tensor_same_bits(fa_grad(w), expected_from(in, g)));
    fa_set_grad(w, NULL);
    fa_tensor *both = NULL;
    {
        FA_USE(.autocast = dtype);
        both = fa_add(loss_of(in, w, h), loss_of(fa_neg(in), w, g));
    }
    assert_true(fa_backward(both));
    fa_tensor *sum = fa_add(expected_from(in, h), expected_from(fa_neg(in), g));
    assert_true(tensor_same_bits(fa_narrow(fa_grad(w), 0, 0, out - 1), fa_narrow(sum, 0, 0, out - 1)));
    assert_no_error();
}

/* Each is rounded to 16 bits, and they are added in f32. */
static void gradients_behind_a_cast_are_f32(void **state)
{
    (void)state;
    FA_USE(.device = FA_CPU);
    for (fa_dtype dtype = FA_F16; dtype <= FA_BF16; dtype++)
        for (int64_t batch = 1; batch <= 625; batch *= 25) {
            check_gradient_of_product(dtype, batch, 64);
            check_gradient_of_product(dtype, batch, 75);
        }
}

/* The input's, through another f32 operation, in one launch; recorded, by an operation that has a gradient. */
static void gradients_of_activations_too(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.device = FA_CPU);
    fa_tensor *in = fa_randn(FA_SHAPE(2, 3, 8), .requires_grad = true), *w = fa_randn(FA_SHAPE(5, 8));
    fa_tensor *g = fa_to(fa_randn(FA_SHAPE(2, 3, 5)), FA_BF16);
    assert_true(fa_backward(loss_of(fa_exp(in), w, g)));
    fa_tensor *of_exp = fa_to(fa_matmul(g, fa_to(w, FA_BF16)), FA_F32);
    assert_true(same_tensors(fa_grad(in), fa_mul(of_exp, fa_exp(in))));
    fa_tensors again = fa_grad_of(FA_TENSORS(loss_of(fa_exp(in), w, g)), FA_TENSORS(in), .create_graph = true);
    assert_int_equal(again.count, 1);
    assert_true(same_tensors(fa_grad(in), again.item[0]));
    assert_int_equal(fa_grad_of(FA_TENSORS(fa_sum(again.item[0])), FA_TENSORS(in)).count, 1);
    assert_no_error();
}

/* More parameters than the first table has room for. */
static void there_may_be_many(void **state)
{
    (void)state;
    enum { MANY = 100 };
    FA_SCOPE;
    fa_tensor *w[MANY];
    for (int i = 0; i < MANY; i++) {
        w[i] = fa_full(FA_SHAPE(4, 4), (double)i, .device = DEVICE(0));
        fa_set_requires_grad(w[i], true);
    }
    FA_USE(.autocast = FA_F16);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < MANY; i++) {
            fa_tensor *y = NULL;
            assert_int_equal(
                CASTS_OF(y = fa_matmul(fa_ones(FA_SHAPE(1, 4), .dtype = FA_F16, .device = DEVICE(0)), w[i])), !round);
            assert_true(fa_item(fa_get(y, "0,3")) == 4 * i);
        }
}

/* From PyTorch's lists for CUDA. */
static void gpus_have_classes_of_their_own(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.autocast = FA_F16, .device = fa_device_of("late:0"));
    fa_tensor *s = fa_ones(FA_SHAPE(2, 3)), *h = fa_ones(FA_SHAPE(2, 3), .dtype = FA_F16);
    fa_tensor *places = fa_zeros(FA_SHAPE(2, 3), .dtype = FA_I64), *x3 = fa_ones(FA_SHAPE(9, 3));
    const struct {
        const fa_tensor *result;
        fa_dtype dtype;
    } calls[] = {
        {fa_matmul(s, fa_t(s)), FA_F16},
        {fa_gru_cell(s, s, x3, x3), FA_F16},
        {fa_reciprocal(h), FA_F32},
        {fa_exp(h), FA_F32},
        {fa_sum(h), FA_F32},
        {fa_scatter_add(s, 0, places, h), FA_F32},
        {fa_scatter_add(h, 0, places, s), FA_F32},
        {fa_scatter_add(h, 0, places, h), FA_F16},
        {fa_index_put(h, FA_INDEX(0), fa_get(s, "1")), FA_F32},
        {fa_index_put(s, FA_INDEX(fa_tensor_of((int64_t)0)), fa_get(h, "1")), FA_F32},
        {fa_index_put(h, FA_INDEX(fa_gt(h, 2)), fa_tensor_of(1.0), .accumulate = true), FA_F32},
        {fa_index_put(h, FA_INDEX(0), fa_get(h, "1"), .accumulate = true), FA_F16},
        {fa_index_put(h, FA_INDEX(0), 3), FA_F16},
        {fa_cat(FA_TENSORS(h, s)), FA_F32},
        {fa_relu(h), FA_F16},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        assert_non_null(calls[i].result);
        assert_int_equal(fa_tensor_dtype(calls[i].result), calls[i].dtype);
    }
    assert_no_error();
}

/* What f8 holds has scale factors, of which autocast knows nothing. */
static void f8_is_left_alone(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.autocast = FA_BF16);
    fa_tensor *q = fa_to(fa_ones(FA_SHAPE(4, 4)), FA_F8_E4M3FN), *one = fa_ones(FA_SCALAR),
              *f = fa_ones(FA_SHAPE(4, 4));
    assert_null(fa_mm(q, q));
    assert_error(FA_ERROR_DTYPE, "fa_mm", "f8_e4m3fn only holds values", "fa_scaled_mm");
    assert_null(fa_linear(f, q));
    assert_error(FA_ERROR_DTYPE, "fa_linear");
    assert_null(fa_mse_loss(q, q));
    assert_error(FA_ERROR_DTYPE, "f8_e4m3fn only holds values");
    assert_int_equal(fa_tensor_dtype(fa_scaled_mm(q, fa_t(q), one, one)), FA_BF16);
    assert_int_equal(fa_tensor_dtype(fa_pad(q, FA_LIST(1, 1), .mode = "replicate")), FA_F8_E4M3FN);
    assert_no_error();
}

/* The state of an LSTM cell, which is its cell too; x; and its four parameters, once. */
static void zero_states_are_cast_once(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.autocast = FA_F16, .device = fa_device_of("late:0"));
    fa_module *cell = fa_nn_lstm_cell(4, 4);
    fa_tensor *in = fa_randn(FA_SHAPE(3, 4));
    assert_int_equal(CASTS_OF(fa_forward(cell, in)), 6);
    assert_int_equal(CASTS_OF(fa_forward(cell, in)), 2);
    FA_USE(.device = FA_CPU);
    cell = fa_nn_lstm_cell(4, 4);
    fa_forward(cell, fa_randn(FA_SHAPE(3, 4)));
    int of_linear = CASTS_OF(fa_forward(cell, fa_randn(FA_SHAPE(3, 4))));
    assert_int_equal(of_linear, 0);
    assert_no_error();
}

#define OF(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OF(a_parameter_is_cast_once),
        OF(the_end_of_the_block_forgets_it),
        OF(a_modified_parameter_is_cast_again),
        OF(each_grad_mode_has_its_own),
        OF(other_tensors_are_not_kept),
        OF(backward_may_go_through_it_again),
        OF(gradients_behind_a_cast_are_f32),
        OF(gradients_of_activations_too),
        OF(there_may_be_many),
        OF(a_parameter_with_a_pointer_is_cast_each_time),
        OF(gpus_have_classes_of_their_own),
        OF(f8_is_left_alone),
        OF(zero_states_are_cast_once),
    };
    return RUN("autocast");
}
