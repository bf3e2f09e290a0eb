/* Views of tensors that were changed in place, through another view or as a whole, without gradients flowing. */
#include "support/autograd_test.h"

static void integers_have_none(void **state)
{
    (void)state;
    fa_tensor *x = fa_full(FA_SHAPE(2), 3.0, .requires_grad = true), *base = fa_zeros(FA_SHAPE(2, 1), .dtype = FA_I32);
    fa_tensor *view = fa_view(base, FA_SHAPE(2)), *other = fa_select(base, 0, 1);
    assert_ptr_equal(fa_copy_(view, x), view);
    assert_false(fa_requires_grad(view));
    assert_false(fa_requires_grad(other));
    assert_false(fa_requires_grad(base));
    assert_true(fa_is_leaf(view));
    assert_true(fa_is_leaf(other));
    HOLD(base, 3, 3);
}

/* The base's history goes, so that of its views does too; and it comes again. */
static void floats_lose_theirs(void **state)
{
    (void)state;
    fa_tensor *x = fa_full(FA_SHAPE(2), 3, .dtype = FA_F64, .requires_grad = true), *y = fa_mul(x, 2);
    fa_tensor *view = fa_select(y, 0, 0);
    assert_true(fa_requires_grad(view));
    fa_copy_(y, 1);
    assert_int_equal(fa_requires_grad(view), fa_requires_grad(y));
    assert_int_equal(fa_is_leaf(view), fa_is_leaf(y));
    fa_copy_(y, x);
    assert_true(fa_requires_grad(view));
    assert_false(fa_is_leaf(view));
    assert_true(fa_backward(view));
    HOLD(fa_grad(x), 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(integers_have_none), TEST(floats_lose_theirs)};
    return RUN("views_without_history");
}
