/* Automatic placement: new tensors are where their call says, or else where the settings say; what is computed, where
 * the settings say, and what is written through views in the tensor itself. */
#include "support/api_test.h"
#include "support/devices.h"
#include <facula/facula.h>
#include <facula/optim.h>

static bool is_on(const fa_tensor *t, fa_device device)
{
    return t && fa_device_equal(fa_tensor_device(t), device);
}

static void new_tensors_are_where_their_call_says(void **state)
{
    (void)state;
    const fa_device says[] = {FA_CPU, DEVICE(0), DEVICE(1), FA_META};
    FA_SCOPE;
    FA_USE(.placement = FA_PLACE_AUTO, .device = DEVICE(0));
    for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
        assert_true(is_on(fa_ones(FA_SHAPE(2), .device = says[i]), says[i]));
        assert_true(is_on(fa_full(FA_SHAPE(2), 3, .device = says[i]), says[i]));
        assert_true(is_on(fa_rand(FA_SHAPE(2), .device = says[i]), says[i]));
        assert_true(is_on(fa_arange(0, 3, .device = says[i]), says[i]));
        assert_true(is_on(fa_eye(3, .device = says[i]), says[i]));
        assert_true(is_on(fa_linspace(0, 1, 3, .device = says[i]), says[i]));
        assert_true(is_on(fa_randperm(4, .device = says[i]), says[i]));
    }
    assert_true(is_on(fa_ones(FA_SHAPE(2)), DEVICE(0)));
    assert_true(is_on(fa_rand(FA_SHAPE(2)), DEVICE(0)));
    assert_no_error();
}

/* The operations on them are where the settings say, and gradients go back. */
static void what_is_computed_of_them_is_placed(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.placement = FA_PLACE_AUTO, .device = DEVICE(0));
    fa_tensor *p = fa_ones(FA_SHAPE(2), .device = FA_CPU, .requires_grad = true);
    fa_tensor *q = fa_ones(FA_SHAPE(2), .device = DEVICE(1), .requires_grad = true);
    fa_transfers_reset();
    fa_tensor *y = fa_mul(p, q);
    assert_true(is_on(y, DEVICE(0)));
    assert_int_equal(fa_transfers_total().to_device, DEVICE(0).kind == DEVICE(1).kind ? 1 : 2);
    assert_true(fa_backward(fa_sum(y)));
    assert_true(is_on(fa_grad(p), FA_CPU));
    assert_true(is_on(fa_grad(q), DEVICE(1)));
    assert_true(fa_item(fa_sum(fa_grad(p))) == 2 && fa_item(fa_sum(fa_grad(q))) == 2);
    assert_no_error();
}

/* Views of several tensors are placed as other operations are. */
static void views_of_several_tensors(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.placement = FA_PLACE_AUTO, .device = DEVICE(0));
    fa_tensor *p = fa_ones(FA_SHAPE(2), .device = FA_CPU), *q = fa_ones(FA_SHAPE(3), .device = DEVICE(1));
    fa_tensors grid = fa_meshgrid(((fa_tensors){2, (fa_tensor *[]){p, q}}));
    assert_true(grid.count == 2 && is_on(grid.item[0], DEVICE(0)) && is_on(grid.item[1], DEVICE(0)));
    fa_tensor *sum = fa_add(grid.item[0], grid.item[1]);
    assert_true(is_on(sum, DEVICE(0)) && fa_item(fa_sum(sum)) == 12);
    fa_tensors same = fa_broadcast_tensors(((fa_tensors){2, (fa_tensor *[]){fa_unsqueeze(p, 1), q}}));
    assert_true(same.count == 2 && is_on(same.item[0], DEVICE(0)) && is_on(same.item[1], DEVICE(0)));
    assert_no_error();
}

/* What is written through a view is written into its tensor, wherever that is. */
static void views_are_where_their_tensor_is(void **state)
{
    (void)state;
    const fa_device places[] = {FA_CPU, DEVICE(0), DEVICE(1)};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        FA_SCOPE;
        fa_tensor *x[10], *i = fa_to(fa_tensor_of(1, 2), places[k]), *m = fa_to(fa_gt(fa_arange(0, 4), 1), places[k]);
        for (int n = 0; n < 10; n++)
            x[n] = fa_zeros(FA_SHAPE(4), .device = places[k]);
        {
            FA_USE(.placement = FA_PLACE_AUTO, .device = DEVICE(0));
            assert_non_null(fa_set(x[0], "1:3", 6));
            assert_non_null(fa_index_put_(x[1], FA_INDEX("1:3"), 6));
            assert_non_null(fa_index_put_(x[2], FA_INDEX(i), 6));
            assert_non_null(fa_index_put_(x[3], FA_INDEX(m), 6));
            assert_non_null(fa_add_(fa_narrow(x[4], 0, 1, 2), 6));
            assert_non_null(fa_copy_(fa_get(x[5], "1:3"), 6));
            assert_non_null(fa_add_(fa_reshape(x[6], FA_SHAPE(2, 2)), 3));
            assert_non_null(fa_add_(fa_contiguous(x[7]), 3));
            assert_non_null(fa_add_(fa_chunk(x[8], 2).item[1], fa_full(FA_SHAPE(2), 6, .device = DEVICE(1))));
            assert_non_null(
                fa_add_(fa_diagonal(fa_view(x[9], FA_SHAPE(2, 2))), fa_full(FA_SCALAR, 6, .device = DEVICE(1))));
        }
        for (int n = 0; n < 10; n++)
            assert_true(is_on(x[n], places[k]) && fa_item(fa_sum(x[n])) == 12);
        assert_no_error();
    }
}

/* 0-dim tensors of the CPU go as values, and where all operands are such, to where the operation runs; what is changed
 * stays where it is. */
static void numbers_in_tensors(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_full(FA_SCALAR, 3.0), *b = fa_full(FA_SCALAR, 4.0, .requires_grad = true);
    {
        FA_USE(.placement = FA_PLACE_AUTO, .device = DEVICE(0));
        fa_transfers_reset();
        fa_tensor *y = fa_mul(fa_square(a), b);
        assert_int_equal(fa_transfers_total().to_device, 0);
        assert_true(is_on(y, DEVICE(0)) && fa_item(y) == 36);
        assert_true(fa_backward(y) && is_on(fa_grad(b), FA_CPU) && fa_item(fa_grad(b)) == 9);
        assert_ptr_equal(fa_add_(a, fa_full(FA_SCALAR, 2, .device = DEVICE(1))), a);
        assert_true(is_on(a, FA_CPU) && fa_item(a) == 5);
    }
    assert_no_error();
}

/* What is composed is placed as a whole: each operand is copied once. */
static void composed_operations(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_rand(FA_SHAPE(3, 5)), *t = fa_tensor_of(4, 0, 1), *y = fa_cross_entropy(x, t), *z;
    FA_USE(.placement = FA_PLACE_AUTO, .device = DEVICE(0));
    fa_transfers_reset();
    assert_true(is_on(z = fa_cross_entropy(x, t), DEVICE(0)));
    assert_int_equal(fa_transfers_total().to_device, 2);
    assert_true(is_on(fa_one_hot(t, .num_classes = 5), DEVICE(0)));
    assert_int_equal(fa_transfers_total().to_device, 3);
    assert_true(fa_equal(y, z) && fa_equal(fa_to(x, DEVICE(1)), x));
    assert_true(is_on(fa_repeat_interleave(x, fa_to(t, DEVICE(1)), .dim = 0), DEVICE(0)));
    assert_no_error();
}

/* However often an operation names a tensor, there is one copy of it. */
static void the_same_tensor_twice(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_full(FA_SHAPE(3), 2.0, .requires_grad = true), *y;
    FA_USE(.placement = FA_PLACE_AUTO, .device = DEVICE(0));
    fa_transfers_reset();
    assert_true(is_on(y = fa_mul(x, x), DEVICE(0)));
    assert_int_equal(fa_transfers_total().to_device, 1);
    y = fa_cat(FA_TENSORS(x, y, x, x));
    assert_int_equal(fa_transfers_total().to_device, 2);
    assert_true(fa_item(fa_sum(y)) == 30);
    assert_true(fa_backward(fa_sum(y)) && is_on(fa_grad(x), FA_CPU));
    assert_true(fa_item(fa_sum(fa_grad(x))) == 21);
    assert_no_error();
}

/* A layer's statistics are changed where they are, wherever it computes, and taken from there. */
static void running_statistics(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_rand(FA_SHAPE(5, 3, 4)), *y[2];
    fa_module *const layers[] = {fa_nn_batch_norm1d(3), fa_module_to(fa_nn_batch_norm1d(3), DEVICE(1))};
    for (int training = 1; training >= 0; training--) {
        for (int i = 0; i < 2; i++) {
            FA_USE(.placement = i ? FA_PLACE_AUTO : FA_PLACE_STRICT, .device = i ? DEVICE(0) : FA_CPU);
            fa_module_train(layers[i], training);
            fa_transfers_reset();
            y[i] = fa_forward(layers[i], x);
        }
        assert_true(is_on(y[1], DEVICE(0)) && same_tensors(fa_detach(y[0]), fa_cpu(fa_detach(y[1]))));
        fa_transfers t = fa_transfers_total(); /* x, weight, bias, and each of the two statistics once */
        assert_int_equal(t.to_device + t.between, 5);
    }
    fa_parameters here = fa_module_buffers(layers[0]), there = fa_module_buffers(layers[1]);
    for (size_t i = 0; i < here.count; i++)
        assert_true(is_on(there.item[i], DEVICE(1)) && same_tensors(here.item[i], fa_cpu(there.item[i])));
    assert_true(fa_item(fa_sum(here.item[0])) > 0);
    assert_no_error();
}

/* A meter's sums are where the values are. */
static void meters(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *logits = fa_to(fa_eye(3), DEVICE(1)), *target = fa_to(fa_tensor_of(0, 1, 1), DEVICE(1));
    fa_meter *const meter[] = {fa_meter_accuracy(), fa_meter_confusion(3)};
    FA_USE(.placement = FA_PLACE_AUTO, .device = DEVICE(0));
    for (int i = 0; i < 4; i++)
        assert_true(fa_meter_update(meter[i % 2], logits, .target = i < 2 ? fa_cpu(target) : target));
    for (int i = 0; i < 2; i++)
        assert_float_equal(fa_meter_value(meter[i]), 2.0 / 3, 1e-12);
    assert_no_error();
}

/* A dataset stays where it is: what comes to the device is the batch. */
static void datasets(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_rand(FA_SHAPE(1000, 3));
    fa_dataset *all = fa_data_tensors(x);
    FA_USE(.placement = FA_PLACE_AUTO, .device = DEVICE(0));
    fa_loader *loader = fa_data_loader(all, .batch_size = 4, .device = DEVICE(1));
    fa_transfers_reset();
    FA_EACH (batch, loader) {
        assert_true(is_on(batch.input, DEVICE(1)));
        break;
    }
    fa_transfers t = fa_transfers_total();
    assert_true(t.to_device > 0 && t.bytes_to_device + t.bytes_between <= 2 * fa_nbytes(fa_get(x, ":4")));
    assert_no_error();
}

/* What an optimizer keeps is where its parameters are, wherever new tensors are made. */
static void optimizers(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *w = fa_to(fa_tensor_of(1.0, 2.0), DEVICE(1));
    fa_set_requires_grad(w, true);
    fa_optim *opt = fa_optim_sgd(fa_params(w), .lr = 0.5, .momentum = 0.9);
    FA_USE(.device = DEVICE(0), .placement = FA_PLACE_AUTO);
    for (int i = 0; i < 2; i++) {
        assert_true(fa_set_grad(w, fa_to(fa_tensor_of(1.0, 1.0), DEVICE(1))));
        assert_true(fa_optim_step(opt));
    }
    assert_no_error();
    assert_true(fa_device_equal(fa_tensor_device(fa_optim_state(opt, w, "momentum_buffer")), DEVICE(1)));
    assert_float_equal(fa_item(fa_select(fa_cpu(fa_detach(w)), 0, 0)), -0.45, 1e-6);
}

/* What a program changes in place is nowhere else, and what it reads may be what it changed: nothing is copied. */
static void programs(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.placement = FA_PLACE_AUTO);
    fa_tensor *p = fa_tensor_of(1.0, 2.0), *g = fa_to(fa_tensor_of(1.0, 1.0), DEVICE(0));
    const fa_binding b[] = {FA_BIND("p", FA_TENSORS(p)), FA_BIND("g", FA_TENSORS(g))};
    assert_false(fa_update("p = p + g", 2, b));
    assert_error(FA_ERROR_DEVICE, "fa_update: g[0]: ", "on one device, with FA_PLACE_AUTO too", "late:0", "p[0] is");
    assert_float_equal(fa_item(fa_sum(p)), 3, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_tensors_are_where_their_call_says),
        cmocka_unit_test(what_is_computed_of_them_is_placed),
        cmocka_unit_test(views_of_several_tensors),
        cmocka_unit_test(views_are_where_their_tensor_is),
        cmocka_unit_test(numbers_in_tensors),
        cmocka_unit_test(composed_operations),
        cmocka_unit_test(the_same_tensor_twice),
        cmocka_unit_test(running_statistics),
        cmocka_unit_test(meters),
        cmocka_unit_test(datasets),
        cmocka_unit_test(optimizers),
        cmocka_unit_test(programs),
    };
    if (!test_devices_there())
        return TEST_SKIPPED;
    return cmocka_run_group_tests_name("placement", tests, NULL, NULL);
}
