/* Schedules: bad options, steps that cannot be made, who holds whom. Their rates are held in optim_reference.c. */
#include "optim/optim_test.h"

#define REFUSED(call, ...)                                                                                             \
    do {                                                                                                               \
        assert_null(call);                                                                                             \
        assert_error(FA_ERROR_ARGUMENT, __VA_ARGS__);                                                                  \
    } while (0)

static void bad_schedules_are_named(void **state)
{
    (void)state;
    FA_SCOPE;
    const double infinite = (double)INFINITY;
    fa_optim *o = fa_optim_sgd(fa_params(parameter(0, FA_CPU, FA_F64)), .lr = 0.5);
    fa_optim *other = fa_optim_adagrad(fa_params(parameter(0, FA_CPU, FA_F64)));
    REFUSED(fa_schedule_step_lr(o, 0), "fa_schedule_step_lr: step_size is 1 or more, not 0");
    REFUSED(fa_schedule_step_lr(o, 3, .gamma = -1), ".gamma", "-1");
    REFUSED(fa_schedule_multi_step(o, FA_LIST(3, 4.5)), "fa_schedule_multi_step: milestone 1", "4.5");
    REFUSED(fa_schedule_multi_step(o, FA_LIST(-3)), "milestone 0", "-3");
    const fa_list nowhere = {.count = 2};
    REFUSED(fa_schedule_multi_step(o, nowhere), "fa_schedule_multi_step: the milestones are NULL");
    REFUSED(fa_schedule_exponential(o, infinite), "fa_schedule_exponential: gamma", "inf");
    REFUSED(fa_schedule_cosine(o, 0), "fa_schedule_cosine: t_max", "0");
    REFUSED(fa_schedule_cosine(o, 5, .eta_min = (double)NAN), ".eta_min", "nan");
    REFUSED(fa_schedule_linear(o, .start_factor = 0), "fa_schedule_linear: .start_factor is more than 0", "not 0");
    REFUSED(fa_schedule_linear(o, .end_factor = 1.5), ".end_factor is 0 to 1, not 1.5");
    REFUSED(fa_schedule_linear(o, .total_iters = -1), ".total_iters", "-1");
    REFUSED(fa_schedule_constant(o, .factor = 2), "fa_schedule_constant: .factor", "2");
    REFUSED(fa_schedule_one_cycle(o, -1, 10), "fa_schedule_one_cycle: max_lr", "-1");
    REFUSED(fa_schedule_one_cycle(o, 1, 0), "total_steps", "0");
    REFUSED(fa_schedule_one_cycle(o, 1, 10, .pct_start = 1.5), ".pct_start", "1.5");
    REFUSED(fa_schedule_one_cycle(o, 1, 10, .anneal_strategy = "sine"), ".anneal_strategy", "\"sine\"");
    REFUSED(fa_schedule_one_cycle(o, 1, 10, .anneal_strategy = NULL), "NULL");
    REFUSED(fa_schedule_one_cycle(o, 1, 10, .div_factor = 0), ".div_factor is more than 0");
    REFUSED(fa_schedule_one_cycle(o, 1, 10, .max_lrs = FA_LIST(1, 2)), ".max_lrs has 2 numbers", "1 groups");
    REFUSED(fa_schedule_one_cycle(other, 1, 10), "fa_optim_adagrad has no momentum");
    REFUSED(fa_schedule_cyclic(o, -1, 1), "fa_schedule_cyclic: base_lr", "-1");
    REFUSED(fa_schedule_cyclic(o, 0, 1, .step_size_up = 0), ".step_size_up is 1 or more, not 0");
    REFUSED(fa_schedule_cyclic(o, 0, 1, .step_size_down = -1), ".step_size_down is 0 or more, not -1");
    REFUSED(fa_schedule_cyclic(o, 0, 1, .mode = "square"), "or \"exp_range\", not \"square\"");
    REFUSED(fa_schedule_cyclic(o, 0, 1, .mode = NULL), "NULL");
    REFUSED(fa_schedule_cyclic(other, 0, 1), "fa_optim_adagrad has no momentum");
    REFUSED(fa_schedule_reduce_on_plateau(o, .mode = "down"), ".mode is \"min\" or \"max\", not \"down\"");
    REFUSED(fa_schedule_reduce_on_plateau(o, .threshold_mode = NULL), ".threshold_mode", "NULL");
    REFUSED(fa_schedule_reduce_on_plateau(o, .factor = 1), ".factor is 0 or more, and below 1, not 1");
    REFUSED(fa_schedule_reduce_on_plateau(o, .patience = -1), ".patience", "-1");
    REFUSED(fa_schedule_reduce_on_plateau(o, .min_lrs = FA_LIST(-1)), ".min_lrs", "-1");
    REFUSED(fa_schedule_lambda(o, NULL, NULL), "fa_schedule_lambda: the function is NULL");
    REFUSED(fa_schedule_cosine(NULL, 5), "fa_schedule_cosine: the optimizer is NULL");
    REFUSED(fa_schedule_reduce_on_plateau((fa_optim *)NULL), "NULL");
    assert_true(fa_optim_lr(o) == 0.5);
    fa_schedule *s = fa_schedule_exponential(o, 0.5), *of_other = fa_schedule_exponential(other, 0.5);
    fa_schedule *plateau = fa_schedule_reduce_on_plateau(o);
    REFUSED(fa_schedule_chained(), "fa_schedule_chained: there are no schedules");
    REFUSED(fa_schedule_chained(s, of_other), "schedules 0 and 1 are of different optimizers");
    REFUSED(fa_schedule_chained(s, plateau), "schedule 1 steps by a metric");
    REFUSED(fa_schedule_chained(s, s), "schedules 0 and 1 are the same");
    REFUSED(fa_schedule_chained(s, (fa_schedule *)NULL), "the schedule is NULL");
    REFUSED(fa_schedule_sequential(FA_LIST(3), s), "1 schedules have 0 milestones between them, not 1");
    REFUSED(fa_schedule_sequential(FA_LIST(3, 2), s, s, s), "ascending: number 1 is 2");
    assert_false(fa_schedule_step(plateau));
    assert_error(FA_ERROR_ARGUMENT, "fa_schedule_step_metric()");
    assert_false(fa_schedule_step_metric(s, 1));
    assert_error(FA_ERROR_ARGUMENT, "fa_schedule_step_metric: fa_schedule_exponential takes no metric");
    assert_false(fa_schedule_step(NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_schedule_step: the schedule is NULL");
    assert_true(fa_schedule_epoch(NULL) == -1);
    assert_error(FA_ERROR_ARGUMENT, "fa_schedule_epoch");
    assert_string_equal(fa_schedule_kind(NULL), "");
    assert_error(FA_ERROR_ARGUMENT, "fa_schedule_kind");
}

static void steps_that_cannot_be_made_change_nothing(void **state)
{
    (void)state;
    int wrong_at = 3;
    FA_SCOPE;
    fa_optim *o = fa_optim_sgd(fa_params(parameter(0, FA_CPU, FA_F64)), .lr = 0.5);
    fa_schedule *s = fa_schedule_lambda(o, half_at_odd, &wrong_at);
    assert_true(fa_schedule_step(s) && fa_optim_lr(o) == 0.25);
    fa_fail(FA_ERROR_USER, "something else");
    assert_false(fa_schedule_step(s));
    assert_error(FA_ERROR_USER, "something else");
    assert_true(fa_schedule_step(s) && fa_optim_lr(o) == 0.5);
    assert_false(fa_schedule_step(s));
    assert_error(FA_ERROR_ARGUMENT, "fa_schedule_lambda: the rate of group 0 would be nan");
    assert_true(fa_schedule_epoch(s) == 2 && fa_optim_lr(o) == 0.5);
    fa_schedule *cycle = fa_schedule_one_cycle(o, 1, 4);
    for (int i = 0; i < 4; i++)
        assert_true(fa_schedule_step(cycle));
    double last = fa_optim_lr(o), momentum = fa_optim_option(o, 0, "momentum");
    assert_false(fa_schedule_step(cycle));
    assert_error(FA_ERROR_STATE, "fa_schedule_one_cycle: all 4 steps were made");
    assert_true(fa_optim_lr(o) == last && fa_optim_option(o, 0, "momentum") == momentum);
    assert_int_equal(fa_schedule_epoch(cycle), 4);
    assert_int_equal(fa_optim_add_group(o, fa_params(parameter(1, FA_CPU, FA_F64))), 1);
    assert_false(fa_schedule_step(cycle));
    assert_error(FA_ERROR_STATE, "the optimizer has 2 groups, and had 1 when the one_cycle schedule was made");
}

/* Ranges include their ends, and milestones may be equal: a schedule between them is skipped. */
static void the_ends_of_ranges(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_optim *o = fa_optim_sgd(fa_params(parameter(0, FA_CPU, FA_F64)), .lr = 1);
    fa_schedule *s = fa_schedule_sequential(FA_LIST(0, 2, 2), fa_schedule_constant(o, .factor = 0.25),
                                            fa_schedule_exponential(o, 0.5), fa_schedule_constant(o, .factor = 0.125),
                                            fa_schedule_exponential(o, 1));
    const double rates[] = {0.5, 1, 1};
    assert_true(fa_optim_lr(o) == 1);
    for (int i = 0; i < 3; i++)
        assert_true(fa_schedule_step(s) && fa_optim_lr(o) == rates[i]);
    s = fa_schedule_reduce_on_plateau(o, .patience = 0, .factor = 0.5, .eps = 0.5);
    for (int i = 0; i < 2; i++)
        assert_true(fa_schedule_step_metric(s, 1) && fa_optim_lr(o) == 1); /* less by no more than .eps */
    s = fa_schedule_reduce_on_plateau(o, .patience = 0, .factor = 0);
    for (int i = 0; i < 2; i++)
        assert_true(fa_schedule_step_metric(s, 1) && fa_optim_lr(o) == 1 - i);
    assert_no_error();
}

/* The best metric that there can be is no better than itself, also behind a state, whose numbers are finite. */
static void an_infinite_metric_is_the_best_once(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        FA_SCOPE;
        const char *mode = i % 2 ? "max" : "min", *threshold_mode = i / 2 ? "abs" : "rel";
        const double best = i % 2 ? (double)INFINITY : -(double)INFINITY;
        fa_optim *o = fa_optim_sgd(fa_params(parameter(0, FA_CPU, FA_F64)), .lr = 1);
        fa_schedule *s = fa_schedule_reduce_on_plateau(o, .mode = mode, .threshold_mode = threshold_mode, .patience = 0,
                                                       .factor = 0.5);
        assert_true(fa_schedule_step_metric(s, -best) && fa_optim_lr(o) == 0.5);
        assert_true(fa_schedule_step_metric(s, best) && fa_optim_lr(o) == 0.5);
        assert_true(fa_schedule_step_metric(s, best) && fa_optim_lr(o) == 0.25);
        fa_state_dict d = fa_schedule_state_dict(s);
        assert_true(fa_schedule_load_state_dict(s, &d));
        assert_true(fa_schedule_step_metric(s, best) && fa_optim_lr(o) == 0.125);
        assert_no_error();
    }
}

/* A phase of no length, which divides by 0 in PyTorch. */
static void one_cycle_may_have_short_phases(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_optim *o = fa_optim_sgd(fa_params(parameter(0, FA_CPU, FA_F64)));
    fa_schedule *s = fa_schedule_one_cycle(o, 1, 10, .pct_start = 0.1);
    assert_true(fa_optim_lr(o) == 1);
    schedule_go(s, 0, 9);
    assert_true(fabs(fa_optim_lr(o) - 1 / 25e4) < 1e-15);
    assert_no_error();
}

/* A step of the schedule after each of the steps, the last too: the line stays where it ends. */
/* Names in a state are of limited length: a state that would need longer ones is an error, and nothing is cut off. */
static void schedules_in_schedules(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_schedule *s =
        fa_schedule_exponential(fa_optim_sgd(fa_params(fa_ones(FA_SHAPE(2), .requires_grad = true)), .lr = 0.5), 0.5);
    for (int depth = 0; depth < 5; depth++)
        s = fa_schedule_chained(s);
    assert_true(fa_schedule_state_dict(s).numbers.count > 0);
    for (int depth = 0; depth < 40; depth++)
        s = fa_schedule_chained(s);
    assert_non_null(s);
    assert_int_equal(fa_schedule_state_dict(s).numbers.count, 0);
    assert_error(FA_ERROR_ARGUMENT, "schedules are nested too deeply");
}

static void a_linear_cycle_ends_with_its_last_rate(void **state)
{
    (void)state;
    for (int total = 1; total < 40; total++)
        for (int three = 0; three < 2; three++) {
            FA_SCOPE;
            fa_optim *o = fa_optim_adam(fa_params(parameter(0, FA_CPU, FA_F64)));
            fa_schedule *s = fa_schedule_one_cycle(o, 0.1, total, .anneal_strategy = "linear", .three_phase = three,
                                                   .max_momentum = 0.99);
            schedule_go(s, 0, total - 1);
            double last = fa_optim_lr(o), beta = fa_optim_option(o, 0, "beta1");
            assert_true(fabs(last - 0.1 / 25e4) < 1e-15 && fabs(beta - 0.99) < 1e-15);
            assert_true(fa_schedule_step(s));
            assert_true(fa_optim_lr(o) == last && fa_optim_option(o, 0, "beta1") == beta);
            assert_false(fa_schedule_step(s));
            assert_error(FA_ERROR_STATE, "steps were made");
        }
}

/* The quotients by which the rate falls to 0 are rounded. */
static void a_line_to_nothing_ends_at_0(void **state)
{
    (void)state;
    const double starts[] = {0.1, 1.0 / 3, 0.5, 0.01, 1}, rates[] = {1, 0.1, 0.003};
    for (int total = 1; total < 40; total++)
        for (int k = 0; k < 15; k++) {
            FA_SCOPE;
            fa_optim *o = fa_optim_sgd(fa_params(parameter(0, FA_CPU, FA_F64)), .lr = rates[k % 3]);
            fa_schedule *s =
                fa_schedule_linear(o, .start_factor = starts[k / 3], .end_factor = 0, .total_iters = total);
            schedule_go(s, 0, total + 3);
            assert_no_error();
            assert_true(fa_optim_lr(o) >= 0 && fa_optim_lr(o) < 1e-15);
        }
}

static void a_schedule_holds_its_optimizer(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_schedule *s;
    {
        FA_SCOPE;
        s = fa_escape(schedule(10, made(0, parameter(0, FA_CPU, FA_F64), parameter(1, DEVICE(0), FA_F64))));
    }
    schedule_go(s, 0, 20);
    assert_no_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bad_schedules_are_named),
        TEST(steps_that_cannot_be_made_change_nothing),
        TEST(the_ends_of_ranges),
        TEST(an_infinite_metric_is_the_best_once),
        TEST(one_cycle_may_have_short_phases),
        TEST(schedules_in_schedules),
        TEST(a_linear_cycle_ends_with_its_last_rate),
        TEST(a_line_to_nothing_ends_at_0),
        TEST(a_schedule_holds_its_optimizer),
    };
    return RUN("schedules");
}
