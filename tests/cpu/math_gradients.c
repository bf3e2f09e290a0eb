/* Gradients of mathematical functions at points where formulas alone give NaN. */
#include "support/autograd_test.h"

/* The angle of the origin has no direction to grow in: 0, as PyTorch has it, also where squares vanish. */
static void angle_of_the_origin(void **state)
{
    (void)state;
    for (int f64 = 0; f64 < 2; f64++) {
        const fa_dtype dtype = f64 ? FA_F64 : FA_F32;
        fa_tensor *y = fa_zeros(FA_SHAPE(3), .dtype = dtype, .requires_grad = true);
        fa_tensor *x = fa_to(fa_tensor_of(0.0, -0.0, 2.0), dtype);
        fa_set_requires_grad(x, true);
        fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(fa_atan2(y, x))), FA_TENSORS(y, x), .create_graph = true);
        HOLD(g.item[0], 0, 0, 0.5);
        HOLD(g.item[1], 0, 0, 0);
        fa_tensors h = fa_grad_of(FA_TENSORS(fa_sum(fa_square(g.item[0]))), FA_TENSORS(x));
        HOLD(fa_narrow(h.item[0], 0, 2, 1), -0.25);
    }
    fa_tensor *nan = fa_full(FA_SHAPE(1), NAN, .requires_grad = true);
    assert_true(fa_backward(fa_sum(fa_atan2(nan, 0.0))));
    assert_true(isnan(fa_item(fa_grad(nan))));
}

/* Where both operands are equal a maximum has a kink, but the logarithm of a sum has none. */
static void sums_of_equal_logarithms(void **state)
{
    (void)state;
    for (int two = 0; two < 2; two++) {
        fa_tensor *x = fa_tensor_parse("[1.5, -2, 0]"), *y = fa_clone(x);
        fa_set_requires_grad(x, true);
        fa_set_requires_grad(y, true);
        fa_tensor *z = two ? fa_logaddexp2(x, y) : fa_logaddexp(x, y);
        fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(z)), FA_TENSORS(x, y), .create_graph = true);
        HOLD(g.item[0], 0.5, 0.5, 0.5);
        HOLD(g.item[1], 0.5, 0.5, 0.5);
        fa_tensors h = fa_grad_of(FA_TENSORS(fa_sum(g.item[0])), FA_TENSORS(x, y));
        double slope = two ? 0.25 * 0.6931471805599453 : 0.25;
        HOLD(h.item[0], slope, slope, slope);
        HOLD(h.item[1], -slope, -slope, -slope);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(angle_of_the_origin), TEST(sums_of_equal_logarithms)};
    return RUN("math_gradients");
}
