/* Gradients across devices: each lands where its leaf is. A leaf that moves takes its gradient along. */
#include "support/autograd_test.h"

static bool on(const fa_tensor *t, fa_device d)
{
    return t && fa_device_equal(fa_tensor_device(t), d);
}

static void gradients_land_where_leaves_are(void **state)
{
    (void)state;
    fa_tensor *a = fa_tensor_of(1.0, 2.0, 3.0);
    fa_set_requires_grad(a, true);
    fa_tensor *b = fa_to(fa_tensor_of(4.0, 5.0, 6.0), DEVICE(0));
    fa_set_requires_grad(b, true);
    fa_tensor *r = fa_mul(b, fa_to(a, DEVICE(0)));
    assert_true(fa_backward(r, .grad = fa_ones_like(r)));
    assert_true(on(fa_grad(a), FA_CPU));
    assert_true(on(fa_grad(b), DEVICE(0)));
    HOLD(fa_grad(a), 4, 5, 6);
    HOLD(fa_grad(b), 1, 2, 3);
}

static void over_three_devices_and_two_dtypes(void **state)
{
    (void)state;
    fa_tensor *a = LEAF(1, 2);
    fa_tensor *b = fa_exp(fa_to(a, DEVICE(0)));
    fa_tensor *c = fa_sum(fa_mul(fa_to(fa_to(b, DEVICE(1)), FA_F32), 2));
    assert_true(fa_backward(c, .create_graph = true));
    assert_int_equal(fa_tensor_dtype(fa_grad(a)), FA_F64);
    assert_true(on(fa_grad(a), FA_CPU));
    hold_values(fa_grad(a), (const double[]){2 * exp(1), 2 * exp(2)}, 2, 1e-6, __FILE__, __LINE__);
    fa_tensor *g = fa_grad(a);
    fa_set_grad(a, NULL);
    assert_true(fa_backward(fa_sum(g)));
    hold_values(fa_grad(a), (const double[]){2 * exp(1), 2 * exp(2)}, 2, 1e-6, __FILE__, __LINE__);
}

/* A 0-dim CPU operand mixes with a GPU tensor: its gradient comes back to it, through what made it. */
static void the_gradient_of_a_value(void **state)
{
    (void)state;
    fa_tensor *s = fa_full(FA_SCALAR, 3.0, .requires_grad = true), *x = fa_to(fa_tensor_of(1.0, 2.0), DEVICE(0));
    fa_tensor *y = fa_mul(x, fa_mul(s, s));
    assert_true(on(y, DEVICE(0)));
    HOLD(y, 9, 18);
    assert_true(fa_backward(fa_sum(y)));
    assert_true(on(fa_grad(s), FA_CPU));
    HOLD(fa_grad(s), 18);
    fa_set_grad(s, NULL);
    assert_true(fa_backward(fa_sum(fa_mul(fa_sum(x), fa_exp(s)))));
    HOLD(fa_grad(s), 3 * exp(3));
    fa_set_grad(s, NULL);
    assert_true(fa_backward(fa_mul(fa_sum(x), fa_exp(s)), .create_graph = true));
    HOLD(fa_grad(s), 3 * exp(3));
    fa_set_grad(s, NULL);
}

static void copy_in_place_from_another_device(void **state)
{
    (void)state;
    fa_tensor *w = LEAF(1, 2), *x = fa_zeros(FA_SHAPE(3, 2), .device = DEVICE(0));
    assert_non_null(fa_copy_(fa_get(x, "1:"), w));
    assert_true(fa_requires_grad(x));
    assert_true(fa_backward(fa_sum(fa_mul(x, x))));
    assert_true(on(fa_grad(w), FA_CPU));
    HOLD(fa_grad(w), 4, 8);
}

static void changes_in_place_on_late(void **state)
{
    (void)state;
    fa_tensor *a = fa_ones(FA_SHAPE(2, 3), .device = DEVICE(0), .requires_grad = true);
    fa_tensor *x = fa_mul(a, 2), *w = fa_to(fa_tensor_of(1.0, 2.0, 3.0), DEVICE(0));
    fa_set_requires_grad(w, true);
    fa_mul_(fa_get(x, "1"), w);
    fa_mul_(fa_t(x), 2);
    assert_true(fa_backward(fa_sum(fa_mul(x, x))));
    HOLD(fa_grad(a), 32, 32, 32, 32, 128, 288);
    HOLD(fa_grad(w), 32, 64, 96);
}

static void a_leaf_moves_with_its_gradient(void **state)
{
    (void)state;
    fa_tensor *w = fa_ones(FA_SHAPE(2), .requires_grad = true), *view = fa_detach(w);
    assert_true(fa_backward(fa_sum(fa_mul(w, 3))));
    FA_VAR(momentum, fa_clone(fa_grad(w)));
    FA_VAR(held, fa_grad(w));
    int64_t version = fa_tensor_version(w);
    assert_true(fa_move_(w, DEVICE(1)));
    assert_true(on(w, DEVICE(1)) && on(fa_grad(w), DEVICE(1)) && on(view, DEVICE(1)) && on(held, DEVICE(1)));
    assert_true(on(momentum, FA_CPU));
    assert_true(fa_tensor_version(w) > version);
    assert_true(fa_requires_grad(w) && fa_is_leaf(w));
    assert_true(fa_backward(fa_sum(fa_mul(w, 2))));
    HOLD(fa_grad(w), 5, 5);
    assert_true(fa_move_(w, FA_CPU));
    assert_true(on(view, FA_CPU) && on(held, FA_CPU));
    HOLD(view, 1, 1);
    HOLD(held, 5, 5);
}

static void a_graph_behind_a_moved_leaf_is_refused(void **state)
{
    (void)state;
    fa_tensor *w = LEAF(1, 2), *y = fa_sum(fa_mul(w, w));
    assert_true(fa_move_(w, DEVICE(0)));
    assert_false(fa_backward(y));
    FAILS(FA_ERROR_GRADIENT, "mul", "changed in place");
}

static void what_cannot_move(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_mul(x, 2), *v = fa_detach(x);
    assert_false(fa_move_(y, DEVICE(0)));
    FAILS(FA_ERROR_STATE, "not a leaf");
    assert_false(fa_move_(fa_get(x, "0"), DEVICE(0)));
    FAILS(FA_ERROR_STATE, "not a leaf");
    assert_false(fa_move_(x, FA_F32));
    FAILS(FA_ERROR_STATE, "view");
    HOLD(v, 1, 2);
    assert_false(fa_move_(x, FA_I32));
    FAILS(FA_ERROR_DTYPE, "i32");
}

/* gradients may be assigned as views of a bucket */
static void a_gradient_that_is_a_view_moves_or_nothing_does(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *bucket = fa_zeros(FA_SHAPE(4), .dtype = FA_F64);
    assert_true(fa_set_grad(x, fa_get(bucket, ":2")));
    if (!fa_move_(x, DEVICE(0)))
        fa_error_clear();
    assert_true(on(fa_grad(x), fa_tensor_device(x)));
}

/* Devices are told of first, by their own code. */
static void gradients_of_other_devices(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2), *y = fa_mul(x, 2), *there = fa_zeros(FA_SHAPE(3), .device = DEVICE(0));
    assert_false(fa_backward(y, .grad = there));
    FAILS(FA_ERROR_DEVICE, "fa_backward", "not on the tensor's device, cpu", "(3,) f32");
    assert_false(fa_set_grad(x, there));
    FAILS(FA_ERROR_DEVICE, "fa_set_grad", "(3,) f32", "(2,) f64 cpu");
    assert_false(fa_set_grad(x, fa_zeros(FA_SHAPE(3))));
    FAILS(FA_ERROR_GRADIENT, "fa_set_grad", "(3,) f32");
    const fa_binding b[] = {{.name = "p", .tensors = FA_TENSORS(x)}, {.name = "g", .tensors = FA_TENSORS(there)}};
    assert_false(fa_update("p = p - g", 2, b));
    FAILS(FA_ERROR_DEVICE, "fa_update: g[0]", "p[0] is (2,) f64 cpu");
}

static void dtype_changes_in_place(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2);
    assert_true(fa_backward(fa_sum(x)));
    assert_true(fa_move_(x, FA_F32));
    assert_int_equal(fa_tensor_dtype(x), FA_F32);
    assert_int_equal(fa_tensor_dtype(fa_grad(x)), FA_F32);
    assert_true(fa_backward(fa_sum(x)));
    HOLD(fa_grad(x), 2, 2);
}

static fa_tensor *times(fa_tensor *grad, void *number)
{
    return fa_mul(grad, (fa_tensor *)number);
}

static fa_tensor *times_forward(void *number, fa_tensors inputs)
{
    return fa_mul(inputs.item[0], (fa_tensor *)number);
}

static bool times_backward(void *number, fa_tensors saved, fa_tensor *grad, fa_tensor **grad_inputs)
{
    (void)saved;
    return (grad_inputs[0] = fa_mul(grad, (fa_tensor *)number));
}

/* What the program's own functions do in a backward is placed as where that was called; its own steps are not. */
static void own_functions_are_placed_in_backward(void **state)
{
    (void)state;
    static const fa_function function = {.name = "times", .forward = times_forward, .backward = times_backward};
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(2), .device = DEVICE(0), .requires_grad = true), *three = fa_full(FA_SHAPE(2), 3.0);
    fa_tensor *y;
    {
        FA_USE(.placement = FA_PLACE_AUTO);
        y = fa_apply(&function, three, FA_TENSORS(x));
        fa_hook_grad(y, times, three);
        fa_hook_grad(x, times, three);
        fa_transfers_reset();
        assert_true(fa_backward(fa_sum(y), .retain_graph = true));
        assert_int_equal(fa_transfers_total().to_device, 3);
    }
    assert_true(fa_item(fa_sum(fa_grad(x))) == 54);
    assert_false(fa_backward(fa_sum(y)));
    assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
    assert_non_null(strstr(fa_error_message(), "fa_mul("));
    fa_error_clear();
}

static fa_tensor *copied_forward(void *kept, fa_tensors inputs)
{
    (void)kept;
    return fa_mul(inputs.item[0], 1);
}

/* A view of what the program keeps, in whatever dtype and wherever that is. */
static bool kept_backward(void *kept, fa_tensors saved, fa_tensor *grad, fa_tensor **grad_inputs)
{
    (void)saved, (void)grad;
    return (grad_inputs[0] = fa_detach(kept)) != NULL;
}

/* A leaf's gradient is on its device, in its dtype, and in memory of its own, whatever a function returns. */
static void a_functions_gradient_becomes_the_leafs(void **state)
{
    (void)state;
    static const fa_function function = {.name = "kept", .forward = copied_forward, .backward = kept_backward};
    for (int i = 0; i < 4; i++) {
        FA_SCOPE;
        fa_device here = i & 1 ? DEVICE(1) : DEVICE(0);
        fa_tensor *x = fa_ones(FA_SHAPE(2), .device = DEVICE(0), .dtype = FA_F32, .requires_grad = true);
        fa_tensor *kept = fa_full(FA_SHAPE(2), 3, .device = here, .dtype = i & 2 ? FA_F64 : FA_F32);
        for (int k = 1; k < 3; k++) {
            assert_true(fa_backward(fa_sum(fa_apply(&function, kept, FA_TENSORS(x)))));
            assert_true(on(fa_grad(x), DEVICE(0)));
            assert_int_equal(fa_tensor_dtype(fa_grad(x)), FA_F32);
            HOLD(fa_grad(x), 3 * k, 3 * k);
        }
        HOLD(kept, 3, 3);
    }
}

/* What a hook computes for a gradient elsewhere comes back to it. */
static void a_hooks_gradient_comes_back(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(2), .device = FA_CPU, .requires_grad = true), *y = fa_mul(x, 2);
    fa_hook_grad(x, times, fa_full(FA_SHAPE(2), 3.0, .device = FA_CPU));
    fa_hook_grad(y, times, fa_full(FA_SHAPE(2), 5.0, .device = FA_CPU));
    {
        FA_USE(.device = DEVICE(0), .placement = FA_PLACE_AUTO);
        assert_true(fa_backward(y, .grad = fa_ones(FA_SHAPE(2), .device = FA_CPU)));
    }
    assert_true(fa_device_equal(fa_tensor_device(fa_grad(x)), FA_CPU));
    HOLD(fa_grad(x), 30, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(gradients_land_where_leaves_are),
        TEST(over_three_devices_and_two_dtypes),
        TEST(the_gradient_of_a_value),
        TEST(copy_in_place_from_another_device),
        TEST(changes_in_place_on_late),
        TEST(a_leaf_moves_with_its_gradient),
        TEST(gradients_of_other_devices),
        TEST(a_graph_behind_a_moved_leaf_is_refused),
        TEST(what_cannot_move),
        TEST(a_gradient_that_is_a_view_moves_or_nothing_does),
        TEST(dtype_changes_in_place),
        TEST(own_functions_are_placed_in_backward),
        TEST(a_functions_gradient_becomes_the_leafs),
        TEST(a_hooks_gradient_comes_back),
    };
    return RUN("autograd_devices");
}
