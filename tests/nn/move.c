/* Moving a module whose recorded graph is there still, and modules of which a part cannot move. */
#include "support/api_test.h"
#include <facula/facula.h>

static fa_module *norms(void)
{
    return fa_nn_sequential(fa_nn_linear(4, 4), fa_nn_batch_norm1d(4), fa_nn_layer_norm(FA_SHAPE(4)),
                            fa_nn_group_norm(2, 4), fa_nn_rms_norm(FA_SHAPE(4)), fa_nn_prelu(.num_parameters = 4));
}

/* The views that composed operations keep for backward do not stand in the way; backward tells of the change. */
static void a_recorded_graph_does_not_hold_a_dtype(void **state)
{
    (void)state;
    for (int training = 0; training < 2; training++) {
        FA_SCOPE;
        fa_module *net = norms();
        fa_module_train(net, training);
        fa_tensor *x = fa_rand(FA_SHAPE(5, 4), .requires_grad = true), *y = fa_sum(fa_forward(net, x));
        assert_ptr_equal(fa_module_to(net, FA_F64), net);
        assert_no_error();
        assert_int_equal(fa_tensor_dtype(fa_module_tensor(net, "1.running_mean")), FA_F64);
        assert_int_equal(fa_tensor_dtype(fa_module_tensor(net, "2.weight")), FA_F64);
        assert_false(fa_backward(y));
        assert_error(FA_ERROR_GRADIENT, "changed in place by move_");
        assert_true(fa_backward(fa_sum(fa_forward(net, fa_to(x, FA_F64)))));
        assert_no_error();
    }
}

/* Of one layer alone backward tells it as well: what is kept is a view of the old memory. */
static void backward_through_a_kept_view_tells(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *norm = fa_nn_batch_norm1d(4);
    fa_tensor *x = fa_rand(FA_SHAPE(5, 4), .requires_grad = true), *y = fa_sum(fa_forward(norm, x));
    assert_non_null(fa_module_to(norm, FA_F16));
    assert_false(fa_backward(y));
    assert_error(FA_ERROR_GRADIENT, "changed in place by move_");
}

/* What a composed operation hands out is the program's view, as any other. */
static void views_of_the_program_hold_a_dtype(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *w = fa_ones(FA_SHAPE(2, 2, 2));
    {
        FA_SCOPE;
        assert_non_null(fa_flatten(w));
        assert_false(fa_move_(w, FA_F64));
        assert_error(FA_ERROR_STATE, "other tensors view");
    }
    {
        FA_SCOPE;
        assert_int_equal(fa_tensor_split(w, 2).count, 2);
        assert_false(fa_move_(w, FA_F64));
        assert_error(FA_ERROR_STATE, "other tensors view");
    }
    assert_true(fa_move_(w, FA_F64));
}

static void all_move_or_none(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(fa_nn_linear(2, 3), fa_nn_sequential(fa_nn_relu(), fa_nn_linear(3, 2)));
    fa_tensor *w = fa_module_tensor(net, "0.weight"), *last = fa_module_tensor(net, "1.1.bias");
    {
        FA_SCOPE;
        fa_tensor *view = fa_get(last, "0:1");
        assert_null(fa_module_to(net, FA_F64));
        assert_error(FA_ERROR_STATE, "fa_module_to: ", "other tensors view", "1.1.bias");
        assert_int_equal(fa_tensor_dtype(w), FA_F32);
        assert_int_equal(fa_tensor_dtype(view), FA_F32);
    }
    assert_non_null(fa_ptr_f32(last));
    assert_null(fa_module_to(net, DEVICE(0)));
    assert_error(FA_ERROR_STATE, "fa_module_to: ", "a pointer was taken of", "this is 1.1.bias");
    assert_true(fa_device_equal(fa_tensor_device(w), FA_CPU));
    assert_non_null(fa_ptr_f32(last));
    assert_true(fa_ptr_end(last));
    assert_null(fa_module_to(net, FA_F64)); /* one is left */
    assert_error(FA_ERROR_STATE, "a pointer was taken of");
    assert_true(fa_ptr_end(last));
    assert_non_null(fa_module_to(net, FA_F64));
    assert_false(fa_ptr_end(last));
    assert_error(FA_ERROR_STATE, "fa_ptr_end: no pointer");
    assert_false(fa_ptr_end(NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_ptr_end: the tensor");
    assert_null(fa_module_to(net, FA_META));
    assert_error(FA_ERROR_DEVICE, "fa_module_to: ", "no elements", "this is 0.weight");
}

/* Gradients and what follows a parameter are looked at, too. */
static void what_follows_is_looked_at(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(fa_nn_linear(2, 3), fa_nn_linear(3, 2));
    fa_tensor *w = fa_module_tensor(net, "0.weight");
    fa_optim *optim = fa_optim_adam(net);
    fa_backward(fa_sum(fa_forward(net, fa_ones(FA_SHAPE(1, 2)))));
    assert_true(fa_optim_step(optim));
    fa_tensor *last = fa_module_tensor(net, "1.weight");
    {
        FA_SCOPE;
        assert_non_null(fa_get(fa_grad(last), "0"));
        assert_null(fa_module_to(net, FA_F64));
        assert_error(FA_ERROR_STATE, "this is 1.weight");
        assert_int_equal(fa_tensor_dtype(w), FA_F32);
    }
    {
        FA_SCOPE;
        assert_non_null(fa_get(fa_optim_state(optim, last, "exp_avg"), "0"));
        assert_null(fa_module_to(net, FA_F64));
        assert_error(FA_ERROR_STATE, "this is 1.weight");
        assert_int_equal(fa_tensor_dtype(w), FA_F32);
    }
    assert_non_null(fa_module_to(net, FA_F64));
    assert_int_equal(fa_tensor_dtype(fa_optim_state(optim, last, "exp_avg")), FA_F64);
    assert_no_error();
}

/* Views by an index are the program's, too, though they are made within a call. */
static void views_by_indices_hold_a_dtype(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(3, 4)), *y = fa_ones(FA_SHAPE(3, 4));
    fa_tensor *rows = fa_index(x, "1:3"), *row = fa_index(y, 1);
    assert_null(fa_move_(x, FA_F64));
    assert_int_equal(fa_error_code(), FA_ERROR_STATE);
    fa_error_clear();
    assert_null(fa_move_(y, FA_F64));
    assert_int_equal(fa_error_code(), FA_ERROR_STATE);
    fa_error_clear();
    assert_true(fa_item(fa_add(fa_sum(rows), fa_sum(row))) == 12);
    assert_no_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_recorded_graph_does_not_hold_a_dtype),
        TEST(backward_through_a_kept_view_tells),
        TEST(views_of_the_program_hold_a_dtype),
        TEST(views_by_indices_hold_a_dtype),
        TEST(all_move_or_none),
        TEST(what_follows_is_looked_at),
    };
    return RUN("nn_move");
}
