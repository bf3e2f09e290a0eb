/* Gumbel-softmax: classes come with softmax's probabilities, hard draws are exact and have the gradient of soft ones.
 */
#include "support/api_test.h"
#include "support/tensors.h"
#include <math.h>

enum { DRAWS = 40000 };

static void classes_come_as_softmax_says(void **state)
{
    (void)state;
    fa_manual_seed(3);
    fa_tensor *x = fa_tensor_of(-1.0, 0.5, 1.0, -0.25), *p = fa_softmax(x, 0);
    fa_tensor *many = fa_gumbel_softmax(fa_expand(x, FA_SHAPE(DRAWS, 4)), .tau = 0.3, .hard = true);
    fa_tensor *part = fa_mean(many, .dim = 0);
    assert_true(fa_item(fa_amax(fa_abs(fa_sub(part, p)))) < 0.012);
    fa_tensor *soft = fa_gumbel_softmax(fa_expand(x, FA_SHAPE(DRAWS, 4)), .tau = 0.3);
    assert_true(fa_item(fa_amax(fa_abs(fa_sub(fa_sum(soft, .dim = 1), 1)))) < 1e-5);
    fa_tensor *largest = fa_one_hot(fa_argmax(soft, .dim = 1), .num_classes = 4);
    assert_true(fa_item(fa_amax(fa_abs(fa_sub(fa_mean(largest, .dim = 0, .dtype = FA_F32), p)))) < 0.012);
    assert_no_error();
}

/* The lower the temperature, the nearer is a draw to 0 and 1. */
static void temperature(void **state)
{
    (void)state;
    double largest[3];
    const double tau[] = {10, 1, 0.05};
    for (int i = 0; i < 3; i++) {
        fa_manual_seed(4);
        largest[i] = fa_item(fa_mean(fa_amax(fa_gumbel_softmax(fa_zeros(FA_SHAPE(1000, 5)), .tau = tau[i]), .dim = 1)));
    }
    assert_true(largest[0] < 0.3 && largest[1] > 0.4 && largest[1] < 0.7 && largest[2] > 0.95);
    assert_no_error();
}

/* One draw, its sum with weights, and the gradient of that. */
static fa_tensor *gradient(bool hard, fa_tensor **drawn)
{
    fa_manual_seed(5);
    fa_tensor *x = fa_randn(FA_SHAPE(6, 5), .requires_grad = true);
    fa_tensor *w = fa_reshape(fa_arange(0, 30, .dtype = FA_F32), FA_SHAPE(6, 5));
    *drawn = fa_gumbel_softmax(x, .tau = 0.7, .hard = hard, .dim = 0);
    fa_backward(fa_sum(fa_mul(*drawn, w)));
    return fa_grad(x);
}

static void hard_draws(void **state)
{
    (void)state;
    fa_tensor *soft, *hard, *g_soft = gradient(false, &soft), *g_hard = gradient(true, &hard);
    assert_true(tensor_same_bits(g_soft, g_hard) && fa_item(fa_amax(fa_abs(g_soft))) > 0.01);
    fa_tensor *exact = fa_logical_or(fa_eq(hard, 0), fa_eq(hard, 1));
    assert_true(fa_item(fa_all(exact)) == 1 && same_tensors(fa_sum(hard, .dim = 0), fa_ones(FA_SHAPE(5))));
    assert_true(same_tensors(fa_argmax(hard, .dim = 0), fa_argmax(soft, .dim = 0)));
    assert_no_error();
}

/* Also where a uniform number of 0 comes nothing is infinite. */
static void nothing_is_infinite(void **state)
{
    (void)state;
    static const fa_dtype floats[] = {FA_F16, FA_BF16, FA_F32, FA_F64};
    for (int i = 0; i < 4; i++) {
        fa_manual_seed(6);
        fa_tensor *y = fa_gumbel_softmax(fa_zeros(FA_SHAPE(300000, 2), .dtype = floats[i]));
        assert_true(fa_tensor_dtype(y) == floats[i] && fa_item(fa_all(fa_isfinite(y))) == 1);
    }
    assert_no_error();
}

static void wrong_arguments(void **state)
{
    (void)state;
    assert_null(fa_gumbel_softmax(fa_ones(FA_SHAPE(3)), .tau = 0));
    assert_error(FA_ERROR_ARGUMENT, "fa_gumbel_softmax(", "tau");
    assert_null(fa_gumbel_softmax(fa_ones(FA_SHAPE(3), .dtype = FA_I64)));
    assert_error(FA_ERROR_DTYPE, "fa_gumbel_softmax(", "(3,) i64 cpu", "floating");
    assert_null(fa_gumbel_softmax(fa_ones(FA_SHAPE(3)), .dim = 1));
    assert_error(FA_ERROR_INDEX, "fa_gumbel_softmax(", "there is no dimension 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(classes_come_as_softmax_says), TEST(temperature), TEST(hard_draws),
                                       TEST(nothing_is_infinite), TEST(wrong_arguments)};
    return RUN("gumbel");
}
