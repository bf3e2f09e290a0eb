/* Automatic placement of what has no operands: new tensors are where their call says, or else where the settings say.
 */
#include "api_test.h"
#include "support/devices.h"
#include <facula/facula.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_tensors_are_where_their_call_says),
        cmocka_unit_test(what_is_computed_of_them_is_placed),
        cmocka_unit_test(views_of_several_tensors),
    };
    if (!test_devices_there())
        return TEST_SKIPPED;
    return cmocka_run_group_tests_name("placement", tests, NULL, NULL);
}
