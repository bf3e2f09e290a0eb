/* Versions, and what may not be changed in place (semantics, "Views, in-place, autograd"). */
#include "autograd_test.h"

/* Every in-place operation bumps the version that views and detached tensors share, also with grad off. */
static void every_change_is_counted(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(2, 3)), *v = fa_t(x), *d = fa_detach(v);
    int64_t n = fa_tensor_version(x);
    fa_add_(x, 1);
    assert_int_equal(fa_tensor_version(v), ++n);
    {
        FA_USE(.no_grad = true);
        fa_mul_(d, 2);
    }
    assert_int_equal(fa_tensor_version(x), ++n);
    fa_copy_(v, 3);
    assert_int_equal(fa_tensor_version(d), ++n);
    fa_set(x, "0, 0", 7);
    assert_int_equal(fa_tensor_version(x), ++n);
    fa_add(x, 1, .out = x);
    assert_int_equal(fa_tensor_version(x), ++n);
    fa_scatter_add_(x, 0, fa_to(fa_zeros(FA_SHAPE(1, 3)), FA_I64), fa_ones(FA_SHAPE(1, 3)));
    assert_int_equal(fa_tensor_version(x), ++n);
    assert_int_equal(fa_tensor_version(fa_clone(x)), 0);
}

/* Backward over a saved tensor that changed is an error naming the operation that made it, the one that changed it, and
 * both versions. */
static void a_saved_operand_that_changed(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_exp(x), *z = fa_sum(fa_mul(y, y));
    fa_sub_(y, 1);
    fa_sub_(y, 1);
    assert_false(fa_backward(z));
    FAILS(FA_ERROR_GRADIENT, "mul", "made by exp", "changed in place by sub", "version 2", "version 0");
    assert_null(fa_grad(x));
}

static void a_saved_result_that_changed(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_sigmoid(x);
    fa_mul_(y, 2);
    assert_false(fa_backward(fa_sum(y)));
    FAILS(FA_ERROR_GRADIENT, "sigmoid", "changed in place by mul", "version 1", "version 0");
}

/* There is no way round the counter. */
static void through_detach_no_grad_views_and_pieces(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_exp(x), *z = fa_sum(y);
    fa_copy_(fa_detach(y), 0);
    assert_false(fa_backward(z));
    FAILS(FA_ERROR_GRADIENT, "exp", "changed in place by copy");
    y = fa_exp(x);
    z = fa_sum(y);
    {
        FA_USE(.no_grad = true);
        fa_mul_(fa_get(y, "0:1"), 5);
    }
    assert_false(fa_backward(z));
    FAILS(FA_ERROR_GRADIENT, "exp", "changed in place by mul");
    y = fa_exp(x);
    z = fa_sum(y);
    fa_add(fa_detach(y), 1, .out = fa_detach(y));
    assert_false(fa_backward(z));
    FAILS(FA_ERROR_GRADIENT, "exp", "changed in place by add");
}

static void a_leaf_changed_under_no_grad(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_sum(fa_mul(x, x));
    {
        FA_USE(.no_grad = true);
        fa_sub_(x, 0.5);
    }
    assert_true(fa_is_leaf(x) && fa_requires_grad(x));
    assert_false(fa_backward(y));
    FAILS(FA_ERROR_GRADIENT, "mul", "changed in place by sub");
    assert_true(fa_backward(fa_sum(fa_mul(x, x))));
    HOLD(fa_grad(x), 1, 3);
}

static void what_is_not_saved_may_change(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_mul(x, 3), *z = fa_sum(fa_add(y, y));
    fa_mul_(y, 0);
    assert_true(fa_backward(z));
    HOLD(fa_grad(x), 6, 6);
}

/* relu keeps its result, a quotient its operands. */
static void what_relu_and_div_keep(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, -2), *h = fa_mul(x, 3), *r = fa_relu(h), *q = fa_div(x, h);
    fa_add_(h, 0);
    assert_true(fa_backward(fa_sum(r), .retain_graph = true));
    HOLD(fa_grad(x), 3, 0);
    fa_tensor *z = fa_div(x, fa_mul(x, x));
    fa_add_(z, 1);
    assert_true(fa_backward(fa_sum(z)));
    HOLD(fa_grad(x), 2, -0.25);
    assert_false(fa_backward(fa_sum(q)));
    FAILS(FA_ERROR_GRADIENT, "div", "changed in place by add");
}

static void copying_to_itself(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, 2.0);
    assert_non_null(fa_copy_(x, x));
    HOLD(x, 1, 2);
    assert_null(fa_copy_(x, fa_get(x, "::-1")));
    FAILS(FA_ERROR_ARGUMENT, "overlap");
}

/* A view follows its base, also when that becomes a leaf that needs gradients. */
static void a_view_that_was_there_before(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, 2.0, 3.0), *v = fa_narrow(x, 0, 0, 2);
    fa_set_requires_grad(x, true);
    assert_true(fa_requires_grad(v));
    assert_true(fa_backward(fa_sum(fa_mul(v, v))));
    HOLD(fa_grad(x), 2, 4, 0);
    fa_set_requires_grad(x, false);
    assert_false(fa_requires_grad(fa_sum(v)));
}

/* Errors: in-place on a leaf that needs grad (allowed under no_grad) */
static void a_leaf_in_place(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2);
    assert_null(fa_add_(x, 1));
    FAILS(FA_ERROR_GRADIENT, "leaf", "no_grad");
    assert_null(fa_add_(fa_select(x, 0, 0), 1));
    FAILS(FA_ERROR_GRADIENT, "view of a leaf");
    assert_null(fa_set(x, "1", 5));
    FAILS(FA_ERROR_GRADIENT, "view of a leaf");
    assert_null(fa_copy_(x, 5));
    FAILS(FA_ERROR_GRADIENT, "leaf");
    HOLD(x, 1, 2);
    FA_USE(.no_grad = true);
    assert_non_null(fa_add_(x, 1));
    assert_non_null(fa_set(x, "1", 5));
    HOLD(x, 2, 5);
}

static void a_view_that_is_a_leaf_in_place(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(2)), *v = fa_get(x, ":1");
    assert_true(fa_set_requires_grad(v, true));
    assert_null(fa_mul_(v, 2));
    FAILS(FA_ERROR_GRADIENT, "leaf");
}

/* arithmetic in place on expanded memory */
static void expanded_memory_in_place(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(1, 3)), *e = fa_expand(x, FA_SHAPE(2, 3));
    assert_null(fa_add_(e, 1));
    FAILS(FA_ERROR_ARGUMENT, "share memory");
    assert_null(fa_mul(x, fa_ones(FA_SHAPE(2, 3)), .out = e));
    FAILS(FA_ERROR_ARGUMENT, "share memory");
    assert_null(fa_copy_(e, fa_ones(FA_SHAPE(2, 3))));
    FAILS(FA_ERROR_ARGUMENT, "share memory");
    HOLD(x, 1, 1, 1);
    assert_non_null(fa_add_(fa_expand(x, FA_SHAPE(1, 3)), 1));
    HOLD(x, 2, 2, 2);
}

/* on partly overlapping input and output (a.add_(a.t())) */
static void overlapping_operands_in_place(void **state)
{
    (void)state;
    fa_tensor *a = fa_reshape(fa_arange(0, 9), FA_SHAPE(3, 3)), *v = fa_arange(0, 6);
    assert_null(fa_add_(a, fa_t(a)));
    FAILS(FA_ERROR_ARGUMENT, "overlap");
    assert_null(fa_add_(fa_get(v, "1:"), fa_get(v, ":-1")));
    FAILS(FA_ERROR_ARGUMENT, "overlap");
    assert_null(fa_add(fa_get(v, ":-1"), 1, .out = fa_get(v, "1:")));
    FAILS(FA_ERROR_ARGUMENT, "overlap");
    assert_null(fa_mul_(v, fa_get(v, "::-1")));
    FAILS(FA_ERROR_ARGUMENT, "overlap");
    assert_null(fa_mul_(v, fa_select(v, 0, 3)));
    FAILS(FA_ERROR_ARGUMENT, "overlap");
    HOLD(v, 0, 1, 2, 3, 4, 5);
    assert_non_null(fa_add_(fa_get(v, ":3"), fa_get(v, "3:")));
    assert_non_null(fa_add_(v, v));
    assert_non_null(fa_mul_(v, fa_view(v, FA_SHAPE(6))));
    HOLD(v, 36, 100, 196, 36, 64, 100);
}

static void scatter_add_of_itself(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(3));
    assert_null(fa_scatter_add_(x, 0, fa_tensor_of(0, 0, 1), x));
    FAILS(FA_ERROR_ARGUMENT, "overlap");
}

static void cat_into_its_own_part(void **state)
{
    (void)state;
    fa_tensor *x = fa_arange(0, 4);
    assert_null(fa_cat(FA_TENSORS(fa_get(x, "2:"), fa_get(x, ":2")), .out = x));
    FAILS(FA_ERROR_ARGUMENT, "overlap");
    HOLD(x, 0, 1, 2, 3);
}

/* so are operands or out that need gradients, when grad mode is on */
static void out_is_not_recorded(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *out = fa_zeros(FA_SHAPE(2), .dtype = FA_F64);
    assert_null(fa_mul(x, 2, .out = out));
    FAILS(FA_ERROR_GRADIENT, ".out");
    assert_null(fa_mul(fa_detach(x), 2, .out = x));
    FAILS(FA_ERROR_GRADIENT, ".out");
    assert_null(fa_cat(FA_TENSORS(x), .out = out));
    FAILS(FA_ERROR_GRADIENT, ".out");
    FA_USE(.no_grad = true);
    assert_non_null(fa_mul(x, 2, .out = out));
    HOLD(out, 2, 4);
}

/* in place ... on views made under no_grad when grad is on */
static void views_made_under_no_grad(void **state)
{
    (void)state;
    fa_tensor *x = fa_mul(LEAF(1, 2), 1), *v, *u, *w = LEAF(3), *plain = fa_ones(FA_SHAPE(2), .dtype = FA_F64);
    {
        FA_USE(.no_grad = true);
        v = fa_get(x, ":1");
        u = fa_get(plain, ":1");
        assert_non_null(fa_mul_(v, 1));
    }
    assert_null(fa_mul_(v, w));
    FAILS(FA_ERROR_GRADIENT, "no_grad");
    assert_null(fa_mul_(fa_get(v, "0"), fa_select(w, 0, 0)));
    FAILS(FA_ERROR_GRADIENT, "no_grad");
    assert_null(fa_mul_(u, w));
    FAILS(FA_ERROR_GRADIENT, "no_grad");
    assert_null(fa_mul_(v, 2));
    FAILS(FA_ERROR_GRADIENT, "no_grad");
    HOLD(x, 1, 2);
    FA_USE(.no_grad = true);
    assert_non_null(fa_mul_(v, w));
}

static void a_detached_tensor_may_gain_a_history(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(2), .dtype = FA_F64), *d = fa_detach(x), *w = LEAF(3, 4);
    assert_non_null(fa_mul_(d, w));
    assert_true(fa_requires_grad(d));
    assert_false(fa_requires_grad(x));
    assert_true(fa_backward(fa_sum(d)));
    HOLD(fa_grad(w), 1, 1);
}

static void integers_gain_no_history(void **state)
{
    (void)state;
    fa_tensor *x = fa_zeros(FA_SHAPE(2), .dtype = FA_I32), *w = LEAF(3.7, -4.2);
    assert_non_null(fa_copy_(x, w));
    assert_false(fa_requires_grad(x));
    HOLD(x, 3, -4);
    assert_non_null(fa_copy_(fa_get(x, "0"), fa_select(w, 0, 1)));
    assert_false(fa_requires_grad(x));
    HOLD(x, -4, -4);
}

/* What is overwritten is copied before, when backward needs it. */
static void operands_that_are_overwritten(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(2, 3), *w = LEAF(5, 7), *y = fa_mul(x, 1);
    fa_mul_(y, w);
    fa_mul_(y, y);
    fa_div_(y, w);
    assert_true(fa_backward(fa_sum(y))); /* x^2 w */
    HOLD(fa_grad(x), 20, 42);
    HOLD(fa_grad(w), 4, 9);
    fa_set_grad(x, NULL);
    y = fa_mul(x, 1);
    fa_mul_(fa_get(y, "0"), fa_get(y, "1"));
    assert_true(fa_backward(fa_sum(y)));
    HOLD(fa_grad(x), 3, 3);
}

static void several_changes_of_one_tensor(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(2, -3, 0.5), *y = fa_mul(x, 1);
    fa_pow_(y, 2);
    fa_clamp_(y, 0.5, 5);
    assert_true(fa_backward(fa_sum(y)));
    HOLD(fa_grad(x), 4, 0, 0);
    fa_set_grad(x, NULL);
    y = fa_mul(x, 1);
    fa_mul_(y, y);
    fa_where_(fa_gt(x, 0), y, 7.0);
    fa_log_(y);
    assert_true(fa_backward(fa_sum(y)));
    HOLD(fa_grad(x), 1, 0, 4);
}

static void a_history_ends_where_it_is_overwritten(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(2, 3), *y = fa_mul(x, x);
    fa_copy_(y, fa_ones(FA_SHAPE(2)));
    assert_true(fa_requires_grad(y));
    assert_true(fa_backward(fa_sum(fa_mul(y, 5))));
    HOLD(fa_grad(x), 0, 0);
}

static void standing_errors_keep_tensors_as_they_are(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(2)), *y = fa_zeros(FA_SHAPE(2));
    fa_fail(FA_ERROR_USER, "stands");
    assert_null(fa_add_(x, 1));
    assert_null(fa_copy_(x, 5));
    assert_null(fa_set(x, "0", 5));
    assert_null(fa_add(x, 1, .out = y));
    FAILS(FA_ERROR_USER, "stands");
    HOLD(x, 1, 1);
    HOLD(y, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_change_is_counted),
        TEST(a_saved_operand_that_changed),
        TEST(a_saved_result_that_changed),
        TEST(through_detach_no_grad_views_and_pieces),
        TEST(a_leaf_changed_under_no_grad),
        TEST(what_is_not_saved_may_change),
        TEST(what_relu_and_div_keep),
        TEST(copying_to_itself),
        TEST(a_view_that_was_there_before),
        TEST(a_leaf_in_place),
        TEST(a_view_that_is_a_leaf_in_place),
        TEST(expanded_memory_in_place),
        TEST(overlapping_operands_in_place),
        TEST(scatter_add_of_itself),
        TEST(cat_into_its_own_part),
        TEST(out_is_not_recorded),
        TEST(views_made_under_no_grad),
        TEST(a_detached_tensor_may_gain_a_history),
        TEST(integers_gain_no_history),
        TEST(operands_that_are_overwritten),
        TEST(several_changes_of_one_tensor),
        TEST(a_history_ends_where_it_is_overwritten),
        TEST(standing_errors_keep_tensors_as_they_are),
    };
    return cmocka_run_group_tests_name("autograd_inplace", tests, NULL, NULL);
}
