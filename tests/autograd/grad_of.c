/* Gradients of gradients, and fa_grad_of: gradients that go to no leaf. Numbers that are not plain are PyTorch 2.15's.
 */
#include "support/autograd_test.h"

/* ---- gradients of gradients ---- */

static fa_tensor *slope(fa_tensor *y, fa_tensor *x)
{
    fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(y)), FA_TENSORS(x), .create_graph = true);
    return g.count ? g.item[0] : NULL;
}

static void third_order_of_a_power(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(2, -1), *g = slope(fa_pow(x, 4), x);
    HOLD(g, 32, -4);
    g = slope(g, x);
    HOLD(g, 48, 12);
    g = slope(g, x);
    HOLD(g, 48, -24);
    HOLD(slope(g, x), 24, 24);
}

static void third_order_of_a_product(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(2, -1), *g = slope(fa_mul(fa_mul(x, x), fa_mul(x, x)), x);
    g = slope(slope(g, x), x);
    HOLD(g, 48, -24);
}

static void third_order_of_exp(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(0.5, -1), *y = fa_exp(fa_mul(x, 2));
    HOLD(slope(slope(slope(y, x), x), x), 8 * exp(1), 8 * exp(-2));
}

static void third_order_of_sin(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(0.5, -1);
    HOLD(slope(slope(slope(fa_sin(x), x), x), x), -cos(0.5), -cos(-1));
}

static void mixed_derivatives_of_a_product(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(2, 3), *y = LEAF(5, 7);
    fa_tensor *gx = slope(fa_mul(fa_mul(x, x), y), x); /* 2xy */
    HOLD(slope(gx, y), 4, 6);
    HOLD(slope(slope(gx, y), x), 2, 2);
}

static void create_graph_adds_to_leaves(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(3);
    assert_true(fa_backward(fa_mul(fa_mul(x, x), x), .create_graph = true));
    HOLD(fa_grad(x), 27);
    assert_true(fa_requires_grad(fa_grad(x)));
    fa_tensor *g = fa_grad(x);
    fa_set_grad(x, NULL);
    assert_true(fa_backward(g));
    HOLD(fa_grad(x), 18);
    fa_set_grad(x, NULL); /* or the gradient's graph would hold the leaf that holds it */
}

static void count_message(void *context, fa_log_level level, const char *message)
{
    int *count = context;
    *count += level == FA_LOG_WARNING && strstr(message, "fa_set_grad(t, NULL)");
}

/* Comes first: the log tells it once in a process, and only of gradients that hold a graph. */
static void cycles_of_create_graph_are_told(void **state)
{
    (void)state;
    int count = 0;
    fa_tensor *x = LEAF(3);
    fa_set_log(count_message, &count);
    fa_grad_of(FA_TENSORS(fa_mul(x, x)), FA_TENSORS(x), .create_graph = true);
    fa_backward(fa_mul(x, x), .retain_graph = true);
    fa_set_grad(x, NULL);
    fa_backward(fa_mul(x, 2), .create_graph = true);
    fa_set_grad(x, NULL);
    int before = count;
    for (int i = 0; i < 2; i++) {
        fa_backward(fa_mul(x, x), .create_graph = true);
        fa_set_grad(x, NULL);
    }
    fa_set_log(NULL, NULL);
    assert_int_equal(before, 0);
    assert_int_equal(count, 1);
}

static void gradients_are_leaves_without_create_graph(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(3);
    assert_true(fa_backward(fa_mul(x, x)));
    assert_false(fa_requires_grad(fa_grad(x)));
    fa_tensors g = fa_grad_of(FA_TENSORS(fa_mul(x, x)), FA_TENSORS(x));
    assert_false(fa_requires_grad(g.item[0]));
}

/* ---- fa_grad_of ---- */

static void grad_of_touches_no_leaf(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *w = LEAF(3, 4);
    fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(fa_mul(x, w))), FA_TENSORS(x));
    HOLD(g.item[0], 3, 4);
    assert_null(fa_grad(x));
    assert_null(fa_grad(w));
}

static void grad_of_results_in_between(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_mul(x, x), *z = fa_sum(fa_mul(y, y));
    fa_tensors g = fa_grad_of(FA_TENSORS(z), FA_TENSORS(y, x, z, y));
    assert_int_equal(g.count, 4);
    HOLD(g.item[0], 2, 8);
    HOLD(g.item[1], 4, 32);
    HOLD(g.item[2], 1);
    HOLD(g.item[3], 2, 8);
}

static void grad_of_several_outputs(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_mul(x, 3), *z = fa_mul(x, x);
    fa_tensors g =
        fa_grad_of(FA_TENSORS(y, z), FA_TENSORS(x), .grad_outputs = FA_TENSORS(fa_ones_like(y), fa_ones_like(z)));
    HOLD(g.item[0], 5, 7);
    fa_tensor *s = fa_sum(fa_mul(x, x));
    g = fa_grad_of(FA_TENSORS(s, s), FA_TENSORS(x));
    HOLD(g.item[0], 4, 8);
    assert_int_equal(fa_grad_of(FA_TENSORS(y, z), FA_TENSORS(x), .grad_outputs = FA_TENSORS(y)).count, 0);
    FAILS(FA_ERROR_ARGUMENT, "2 outputs");
}

static void grad_of_an_output_that_is_the_input(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(4), *y = fa_mul(x, 2);
    HOLD(fa_grad_of(FA_TENSORS(x), FA_TENSORS(x)).item[0], 1);
    HOLD(fa_grad_of(FA_TENSORS(y), FA_TENSORS(y)).item[0], 1);
}

static void grad_of_unused_inputs(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *other = LEAF(5), *y = fa_sum(fa_mul(x, 2));
    assert_int_equal(fa_grad_of(FA_TENSORS(y), FA_TENSORS(x, other)).count, 0);
    FAILS(FA_ERROR_GRADIENT, "allow_unused");
    fa_tensors g = fa_grad_of(FA_TENSORS(y), FA_TENSORS(x, other), .allow_unused = true);
    assert_int_equal(g.count, 2);
    HOLD(g.item[0], 2, 2);
    assert_null(g.item[1]);
    assert_int_equal(fa_grad_of(FA_TENSORS(y), FA_TENSORS(fa_tensor_of(1.0))).count, 0);
    FAILS(FA_ERROR_GRADIENT, "does not need gradients");
}

static void grad_of_runs_only_what_leads_to_inputs(void **state)
{
    (void)state;
    int aside = 0, on_the_way = 0;
    fa_tensor *x = LEAF(1, 2), *w = LEAF(3, 4), *deep = fa_exp(fa_mul(w, w)), *y = fa_mul(x, 2);
    assert_true(fa_hook_grad(deep, counts, &aside) > 0);
    assert_true(fa_hook_grad(y, counts, &on_the_way) > 0);
    assert_int_equal(fa_grad_of(FA_TENSORS(fa_sum(fa_add(fa_mul(deep, 2), y))), FA_TENSORS(x)).count, 1);
    assert_int_equal(aside, 0);
    assert_int_equal(on_the_way, 1);
}

static void grad_of_does_not_run_behind_inputs(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_exp(x);
    assert_int_equal(fa_grad_of(FA_TENSORS(fa_sum(y)), FA_TENSORS(y)).count, 1);
    HOLD(fa_grad_of(FA_TENSORS(fa_sum(y)), FA_TENSORS(x)).item[0], exp(1), exp(2)); /* exp was not dropped */
}

static void grad_of_uses_the_graph_up(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_sum(fa_exp(x));
    assert_int_equal(fa_grad_of(FA_TENSORS(y), FA_TENSORS(x), .retain_graph = true).count, 1);
    assert_int_equal(fa_grad_of(FA_TENSORS(y), FA_TENSORS(x)).count, 1);
    assert_int_equal(fa_grad_of(FA_TENSORS(y), FA_TENSORS(x)).count, 0);
    FAILS(FA_ERROR_GRADIENT, "exp", "retain_graph");
}

static void grad_of_a_leaf_of_another_dtype(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(2), .requires_grad = true), *y = fa_mul(x, fa_ones(FA_SHAPE(2), .dtype = FA_F64));
    fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(y)), FA_TENSORS(x), .retain_graph = true);
    assert_int_equal(fa_tensor_dtype(g.item[0]), FA_F32);
    assert_true(fa_backward(fa_sum(y)));
    assert_int_equal(fa_tensor_dtype(fa_grad(x)), FA_F32);
}

static void grad_of_needs_outputs_and_inputs(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(3), *y = fa_mul(x, x);
    const fa_tensors none = {0};
    assert_int_equal(fa_grad_of(none, FA_TENSORS(x)).count, 0);
    FAILS(FA_ERROR_ARGUMENT, "fa_grad_of", "at least one");
    assert_int_equal(fa_grad_of(FA_TENSORS(y), none).count, 0);
    FAILS(FA_ERROR_ARGUMENT, "fa_grad_of", "at least one");
    HOLD(fa_grad_of(FA_TENSORS(y), FA_TENSORS(x)).item[0], 6); /* the graph was not used up */
}

/* The gradient that a pass starts from has the dtype of its output, a given one and the default of 1. */
static void a_pass_starts_in_the_outputs_dtype(void **state)
{
    (void)state;
    fa_tensor *y = fa_mul(LEAF(3), 2), *given = fa_tensor_of(5.0);
    fa_tensors g = fa_grad_of(FA_TENSORS(y), FA_TENSORS(y), .grad_outputs = FA_TENSORS(given), .retain_graph = true);
    HOLD(g.item[0], 5);
    assert_int_equal(fa_tensor_dtype(g.item[0]), FA_F64);
    const fa_dtype dtypes[] = {FA_F16, FA_BF16, FA_F32, FA_F64};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        fa_tensor *z = fa_mul(fa_ones(FA_SCALAR, .dtype = dtypes[i], .requires_grad = true), 2);
        g = fa_grad_of(FA_TENSORS(z), FA_TENSORS(z));
        HOLD(g.item[0], 1);
        assert_int_equal(fa_tensor_dtype(g.item[0]), dtypes[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cycles_of_create_graph_are_told),
        TEST(third_order_of_a_power),
        TEST(third_order_of_a_product),
        TEST(third_order_of_exp),
        TEST(third_order_of_sin),
        TEST(mixed_derivatives_of_a_product),
        TEST(create_graph_adds_to_leaves),
        TEST(gradients_are_leaves_without_create_graph),
        TEST(grad_of_touches_no_leaf),
        TEST(grad_of_results_in_between),
        TEST(grad_of_several_outputs),
        TEST(grad_of_an_output_that_is_the_input),
        TEST(grad_of_unused_inputs),
        TEST(grad_of_runs_only_what_leads_to_inputs),
        TEST(grad_of_does_not_run_behind_inputs),
        TEST(grad_of_uses_the_graph_up),
        TEST(grad_of_a_leaf_of_another_dtype),
        TEST(grad_of_needs_outputs_and_inputs),
        TEST(a_pass_starts_in_the_outputs_dtype),
    };
    return RUN("autograd_grad_of");
}
