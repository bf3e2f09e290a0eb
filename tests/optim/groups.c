/* Groups of parameters with options of their own, programs over several lists, and clipping. */
#include "optim/optim_test.h"

static void groups_have_options_of_their_own(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *p = parameter(0, FA_CPU, FA_F64), *q = parameter(1, DEVICE(0), FA_F32);
    fa_optim *o = fa_optim_sgd(fa_params(p), .lr = 0.5, .momentum = 0.9);
    assert_true(fa_optim_set_lr(o, 0.25)); /* a group begins as the optimizer was made */
    assert_int_equal(fa_optim_groups(o), 1);
    assert_int_equal(fa_optim_add_group(o, FA_TENSORS(q), .momentum = 0, .maximize = true), 1);
    assert_int_equal(fa_optim_groups(o), 2);
    assert_true(fa_optim_option(o, 1, "lr") == 0.5 && fa_optim_option(o, 1, "momentum") == 0);
    assert_true(fa_optim_option(o, 1, "maximize") == 1 && fa_optim_option(o, 0, "maximize") == 0);
    assert_true(fa_optim_lr(o) == 0.25);
    give_grad(p, 0, 0);
    give_grad(q, 0, 1);
    assert_true(fa_optim_step(o));
    assert_true(element(p, 1) == -0.5 - 0.25 * slope(0, 0, 1));
    assert_true(element(q, 1) == 0.5 + 0.5 * slope(0, 1, 1));
    assert_non_null(fa_optim_state(o, p, "momentum_buffer"));
    assert_null(fa_optim_state(o, q, "momentum_buffer"));
    assert_error(FA_ERROR_ARGUMENT, "momentum_buffer");
    assert_true(fa_optim_set_option(o, 1, "momentum", 0.5)); /* from now on q has one too */
    assert_true(fa_optim_set_lr(o, 0.125));
    assert_true(fa_optim_option(o, 0, "lr") == 0.125 && fa_optim_option(o, 1, "lr") == 0.125);
    double before = element(q, 1);
    assert_true(fa_optim_step(o));
    assert_true(element(q, 1) == before + 0.125 * slope(0, 1, 1));
    assert_true(element(fa_optim_state(o, q, "momentum_buffer"), 1) == -slope(0, 1, 1));
    assert_string_equal(fa_optim_kind(o), "sgd");
    assert_no_error();
}

/* As in PyTorch: a direction begins as the gradient, also in a step that is not the parameter's first. */
static void momentum_may_begin_late(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *p = parameter(0, FA_CPU, FA_F64), *q = parameter(1, FA_CPU, FA_F64);
    fa_optim *o = fa_optim_sgd(fa_params(p, q), .lr = 0.5, .dampening = 0.25);
    give_grad(p, 0, 0);
    assert_true(fa_optim_step(o) && fa_optim_set_option(o, 0, "momentum", 0.5));
    give_grad(q, 0, 1);
    assert_true(fa_optim_step(o));
    assert_true(element(fa_optim_state(o, p, "momentum_buffer"), 1) == slope(0, 0, 1));
    assert_true(element(fa_optim_state(o, q, "momentum_buffer"), 1) == slope(0, 1, 1));
    assert_true(fa_optim_step(o));
    assert_true(element(fa_optim_state(o, p, "momentum_buffer"), 1) == 0.5 * slope(0, 0, 1) + 0.75 * slope(0, 0, 1));
    assert_no_error();
}

static void bad_groups_are_named(void **state)
{
    (void)state;
    FA_SCOPE;
    const double infinite = (double)INFINITY;
    fa_tensor *p = parameter(0, FA_CPU, FA_F64), *q = parameter(1, FA_CPU, FA_F64), *r = parameter(2, FA_CPU, FA_F64);
    fa_optim *o = fa_optim_sgd(fa_params(p, r), .lr = 0.5);
    assert_int_equal(fa_optim_add_group(o, fa_params(q, p)), -1);
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_add_group", "parameter 1 is number 0 of group 0");
    assert_int_equal(fa_optim_add_group(o, fa_params(q, q)), -1);
    assert_error(FA_ERROR_ARGUMENT, "parameters 0 and 1");
    assert_int_equal(fa_optim_add_group(o, fa_params(q), .beta1 = 0.5), -1);
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_sgd has no option .beta1");
    assert_int_equal(fa_optim_add_group(o, fa_params(q), .lr = infinite), -1);
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_add_group: .lr is 0 or more, and finite, not inf");
    assert_int_equal(fa_optim_add_group(o, fa_params(q), .maximize = 0.5), -1);
    assert_error(FA_ERROR_ARGUMENT, ".maximize is 0 or 1, not 0.5");
    assert_int_equal(fa_optim_add_group(o, fa_params(q), .nesterov = true), -1);
    assert_error(FA_ERROR_ARGUMENT, ".nesterov needs .momentum");
    assert_int_equal(fa_optim_add_group(o, FA_TENSORS()), -1);
    assert_error(FA_ERROR_ARGUMENT, "no parameters");
    assert_int_equal(fa_optim_add_group((fa_optim *)NULL, fa_params(q)), -1);
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_add_group: the optimizer is NULL");
    assert_int_equal(fa_optim_groups(o), 1);
    assert_true(isnan(fa_optim_option(o, 1, "lr")));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_option: there is no group 1: the optimizer has 1");
    assert_true(isnan(fa_optim_option(o, -1, "lr")));
    assert_error(FA_ERROR_ARGUMENT, "group -1");
    assert_false(fa_optim_set_option(o, 0, "alpha", 1));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_set_option", "fa_optim_sgd has no option \"alpha\"");
    assert_false(fa_optim_set_option(o, 0, NULL, 1));
    assert_error(FA_ERROR_ARGUMENT, "NULL");
    assert_false(fa_optim_set_option(o, 0, "nesterov", true));
    assert_error(FA_ERROR_ARGUMENT, ".nesterov");
    assert_false(fa_optim_set_lr(o, (double)NAN));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_set_lr: .lr", "nan");
    assert_true(fa_optim_lr(o) == 0.5 && fa_optim_option(o, 0, "nesterov") == 0);
    assert_int_equal(fa_optim_groups(NULL), -1);
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_groups");
    assert_string_equal(fa_optim_kind(NULL), "");
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_kind");
}

static void bad_options_are_named(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *p = parameter(0, FA_CPU, FA_F64);
    assert_null(fa_optim_adamw(fa_params(p), .beta2 = 1));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_adamw: .beta2 is 0 or more, and below 1, not 1");
    assert_null(fa_optim_adamw(fa_params(p), .weight_decay = -1));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_adamw: .weight_decay", "-1");
    assert_null(fa_optim_rmsprop(fa_params(p), .alpha = -0.5));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_rmsprop: .alpha", "-0.5");
    assert_null(fa_optim_rmsprop(fa_params(p), .momentum = (double)NAN));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_rmsprop: .momentum", "nan");
    assert_null(fa_optim_rmsprop(fa_params(p), .eps = -1));
    assert_error(FA_ERROR_ARGUMENT, ".eps");
    assert_null(fa_optim_adagrad(fa_params(p), .lr_decay = -1));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_adagrad: .lr_decay", "-1");
    assert_null(fa_optim_adagrad(fa_params(p), .initial_accumulator_value = -2));
    assert_error(FA_ERROR_ARGUMENT, ".initial_accumulator_value", "-2");
    assert_null(fa_optim_adagrad(fa_params(p), .lr = (double)INFINITY));
    assert_error(FA_ERROR_ARGUMENT, ".lr", "inf");
    assert_null(fa_optim_sgd(fa_params(p), .dampening = (double)NAN));
    assert_error(FA_ERROR_ARGUMENT, ".dampening is finite, not nan");
    assert_null(fa_optim_adagrad((fa_module *)NULL));
    assert_error(FA_ERROR_ARGUMENT, "NULL");
}

static void freed_optimizers_are_refused(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *p = parameter(0, FA_CPU, FA_F64);
    assert_false(fa_optim_step((fa_optim *)(void *)p)); /* an object, but no optimizer */
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_step: the optimizer is a tensor");
    assert_null(fa_schedule_exponential((fa_optim *)(void *)p, 0.5));
    assert_error(FA_ERROR_ARGUMENT, "fa_schedule_exponential: the optimizer");
    assert_false(fa_schedule_step((fa_schedule *)(void *)p));
    assert_error(FA_ERROR_ARGUMENT, "fa_schedule_step: the schedule is a tensor");
    fa_module *net = fa_nn_relu();
    assert_false(fa_optim_step((fa_optim *)(void *)net));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_step: the optimizer is an object of another kind");
}

/* ---- programs over several lists ---- */

static void programs_run_all_or_none(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *p = parameter(0, FA_CPU, FA_F64), *q = parameter(1, DEVICE(0), FA_F64), *g = fa_ones_like(q);
    const double rates[] = {0.5, 2};
    fa_tensor *two[] = {p, q};
    const fa_binding first[] = {{.name = "p", .tensors = {2, two}}, {.name = "r", .numbers = rates}};
    const fa_binding second[] = {{.name = "q", .tensors = FA_TENSORS(q)}, {.name = "g", .tensors = FA_TENSORS(g)}};
    const fa_binding wrong[] = {{.name = "q", .tensors = FA_TENSORS(q)}, {.name = "g", .tensors = FA_TENSORS(p)}};
    const fa_program good[] = {{"p = p * r", 2, first}, {"q = q + g", 2, second}};
    const fa_program bad[] = {{"p = p * r", 2, first}, {"q = q + g", 2, wrong}};
    FA_USE(.no_grad = true);
    assert_false(fa_update_all(2, bad));
    assert_error(FA_ERROR_DEVICE, "fa_update: g[0]");
    assert_true(element(p, 0) == -1 && element(q, 2) == 1);
    assert_true(fa_update_all(2, good));
    assert_true(element(p, 0) == -0.5 && element(q, 2) == 3);
    assert_false(fa_update_all(1, NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_update_all");
    assert_true(fa_update_all(0, NULL));
    fa_program many[9];
    for (int i = 0; i < 9; i++)
        many[i] = good[1];
    assert_true(fa_update_all(9, many));
    assert_true(element(q, 2) == 12);
}

/* ---- clipping ---- */

static void clipping_does_not_wait(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *p = parameter(0, DEVICE(0), FA_F32), *q = parameter(1, DEVICE(0), FA_F32), *norm;
    give_grad(p, 0, 0);
    give_grad(q, 0, 1);
    double squares = 0;
    for (int i = 0; i < COUNT; i++)
        squares += slope(0, 0, i) * slope(0, 0, i) + slope(0, 1, i) * slope(0, 1, i);
    {
        FA_USE(.forbid = FA_SYNC | FA_TRANSFER);
        norm = fa_clip_grad_norm(fa_params(p, q), 0.25);
        assert_true(fa_clip_grad_value(fa_params(p, q), 0.0625));
    }
    assert_int_equal(fa_dim(norm), 0);
    assert_true(fa_device_equal(fa_tensor_device(norm), DEVICE(0)));
    assert_true(fabs(fa_item(norm) - sqrt(squares)) < 1e-6);
    double scaled = 0.25 * slope(0, 0, 0) / (sqrt(squares) + 1e-6), held = fmax(-0.0625, fmin(scaled, 0.0625));
    assert_true(fabs(element(fa_grad(p), 0) - held) < 1e-7);
    assert_no_error();
}

/* Gradients stay where they are, wherever operations are placed: only their norms travel. */
static void clipping_is_not_placed(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *p = parameter(0, FA_CPU, FA_F32), *q = parameter(1, DEVICE(0), FA_F32);
    give_grad(p, 0, 0);
    give_grad(q, 0, 1);
    FA_USE(.placement = FA_PLACE_AUTO, .device = DEVICE(1));
    fa_transfers_reset();
    const fa_tensor *norm = fa_clip_grad_norm(fa_params(p, q), 0.25);
    assert_true(fa_device_equal(fa_tensor_device(norm), FA_CPU));
    assert_int_equal(fa_transfers_total().bytes_to_device, sizeof(float));
    assert_int_equal(fa_transfers_total().bytes_to_host, sizeof(float));
    assert_int_equal(fa_transfers_total().between, 0);
    assert_no_error();
}

static void clipping_takes_what_is_not_finite(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *p = parameter(0, DEVICE(0), FA_F64), *q = parameter(1, FA_CPU, FA_F32),
              *none = parameter(2, FA_CPU, FA_F64);
    fa_tensor *zero = fa_clip_grad_norm(fa_params(none), 1);
    assert_true(fa_item(zero) == 0 && fa_dim(zero) == 0);
    assert_true(fa_clip_grad_value(fa_params(none), 1));
    fa_set_grad(p, fa_full_like(p, (double)INFINITY));
    fa_set_grad(q, fa_full_like(q, 2));
    assert_null(fa_clip_grad_norm(fa_params(p, q, none), 1, .error_if_nonfinite = true));
    assert_error(FA_ERROR_ARGUMENT, "fa_clip_grad_norm: the norm of the gradients is inf");
    assert_true(element(fa_grad(q), 0) == 2);
    assert_true(isinf(fa_item(fa_clip_grad_norm(fa_params(p, q), 1))));
    assert_true(isnan(element(fa_grad(p), 0)) && element(fa_grad(q), 0) == 0);
    assert_true(fa_clip_grad_value(fa_params(p, q), 1));
    assert_true(isnan(element(fa_grad(p), 0)));
    assert_null(fa_clip_grad_norm(fa_params(p), -1));
    assert_error(FA_ERROR_ARGUMENT, "fa_clip_grad_norm: max_norm is 0 or more, not -1");
    assert_null(strstr(fa_error_message(), "norm_type")); /* 2, which is right */
    assert_null(fa_clip_grad_norm(fa_params(p), (double)NAN));
    assert_error(FA_ERROR_ARGUMENT, "nan");
    assert_false(fa_clip_grad_value(fa_params(p), -2));
    assert_error(FA_ERROR_ARGUMENT, "fa_clip_grad_value", "-2");
    assert_null(fa_clip_grad_norm(fa_params(p, (fa_tensor *)NULL), 1));
    assert_error(FA_ERROR_ARGUMENT, "fa_clip_grad_norm: parameter 1 is NULL");
    assert_null(fa_clip_grad_norm((fa_module *)NULL, 1));
    assert_error(FA_ERROR_ARGUMENT, "NULL");
    fa_set_grad(p, fa_full_like(p, 4));
    assert_true(fa_clip_grad_value(fa_params(p), 0) && element(fa_grad(p), 0) == 0);
    fa_set_grad(p, fa_full_like(p, 4));
    fa_fail(FA_ERROR_USER, "something else");
    assert_null(fa_clip_grad_norm(fa_params(p), 1));
    assert_false(fa_clip_grad_value(fa_params(p), 1));
    assert_error(FA_ERROR_USER, "something else");
    assert_true(element(fa_grad(p), 0) == 4);
}

/* Parameters with the same number of steps, of which one has its momentum already, as that began between them: each is
 * updated as by an optimizer of its own. */
static void momentum_that_begins_late(void **state)
{
    (void)state;
    FA_SCOPE;
    double have[2][2 * COUNT];
    for (int apart = 0; apart < 2; apart++) {
        fa_tensor *p = parameter(0, FA_CPU, FA_F64), *q = parameter(1, FA_CPU, FA_F64);
        fa_optim *o[2] = {apart ? fa_optim_sgd(fa_params(p), .dampening = 0.5)
                                : fa_optim_sgd(fa_params(p, q), .dampening = 0.5),
                          apart ? fa_optim_sgd(fa_params(q), .dampening = 0.5) : NULL};
        for (int t = 1; t < 5; t++)
            for (int k = 0; k < 1 + apart; k++) {
                fa_optim_zero_grad(o[k]);
                if (t != 2 && !(apart && k == 1))
                    give_grad(p, t, 0);
                if (t != 1 && !(apart && k == 0))
                    give_grad(q, t, 1);
                if (t == 2)
                    assert_true(fa_optim_set_option(o[k], 0, "momentum", 0.9));
                assert_true(fa_optim_step(o[k]));
            }
        for (int i = 0; i < COUNT; i++) {
            have[apart][i] = element(p, i);
            have[apart][COUNT + i] = element(q, i);
        }
    }
    assert_no_error();
    for (int i = 0; i < 2 * COUNT; i++)
        assert_true(have[0][i] == have[1][i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(groups_have_options_of_their_own),
        TEST(momentum_may_begin_late),
        TEST(bad_groups_are_named),
        TEST(bad_options_are_named),
        TEST(freed_optimizers_are_refused),
        TEST(programs_run_all_or_none),
        TEST(clipping_does_not_wait),
        TEST(clipping_is_not_placed),
        TEST(clipping_takes_what_is_not_finite),
        TEST(momentum_that_begins_late),
    };
    return RUN("optim_groups");
}
