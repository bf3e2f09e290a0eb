/* Numbers that stand in a device's memory: the same program gives another result when they have changed there, and the
 * host neither copies nor waits. */
#include "support/api_test.h"
#include "support/tensors.h"
#include <facula/expression.h>
#include <facula/optim.h>
#include <string.h>

#define S(...) FA_SHAPE(__VA_ARGS__)
enum { COUNT = 1000, STEPS = 3 };

static fa_tensor *number(double value, fa_dtype dtype)
{
    return fa_full(FA_SCALAR, value, .dtype = dtype, .device = DEVICE(0));
}

static fa_tensor *numbers(int64_t count, double first)
{
    fa_tensor *x = fa_sin(fa_arange(first, first + (double)count, .dtype = FA_F32));
    return fa_to(x, DEVICE(0));
}

static void assert_same(const fa_tensor *a, const fa_tensor *b)
{
    assert_no_error();
    assert_true(tensor_same_bits(fa_cpu(a), fa_cpu(b)));
}

/* ---- fa_update ---- */
static void a_program_reads_it_when_it_runs(void **state)
{
    (void)state;
    static const fa_dtype dtypes[] = {FA_F32, FA_F16, FA_I64};
    for (int d = 0; d < 3; d++) {
        FA_SCOPE;
        fa_tensor *x = numbers(COUNT, 1), *y = fa_clone(x), *lr = number(2, dtypes[d]);
        const fa_binding by_tensor[] = {FA_BIND("x", FA_TENSORS(x)), FA_BIND("lr", lr)};
        {
            FA_USE(.forbid = FA_SYNC | FA_TRANSFER);
            assert_true(fa_update("x = x - lr * x", 2, by_tensor));
            fa_mul_(lr, 4);
            assert_true(fa_update("x = x - lr * x", 2, by_tensor));
        }
        for (int step = 0; step < 2; step++) {
            const fa_binding by_value[] = {FA_BIND("x", FA_TENSORS(y)), FA_BIND("lr", step ? 8.0 : 2.0)};
            assert_true(fa_update("x = x - lr * x", 2, by_value));
        }
        assert_same(x, y);
    }
}

/* It says nothing about the dtype that is computed in. */
static void an_f64_rounds_as_a_number_does(void **state)
{
    (void)state;
    FA_SCOPE;
    if (test_without_f64())
        skip();
    fa_tensor *x = numbers(COUNT, 1), *y = fa_clone(x), *lr = number(1.0 / 3, FA_F64);
    const fa_binding by_tensor[] = {FA_BIND("x", FA_TENSORS(x)), FA_BIND("lr", lr)};
    const fa_binding by_value[] = {FA_BIND("x", FA_TENSORS(y)), FA_BIND("lr", 1.0 / 3)};
    assert_true(fa_update("x = (x - lr * x) * lr", 2, by_tensor));
    assert_true(fa_update("x = (x - lr * x) * lr", 2, by_value));
    assert_same(x, y);
}

/* A counter for each tensor, which one program advances and the next one reads. */
static void each_place_may_have_its_own(void **state)
{
    (void)state;
    enum { PLACES = 5 };
    FA_SCOPE;
    fa_tensor *x[PLACES], *y[PLACES], *t[PLACES];
    for (int i = 0; i < PLACES; i++) {
        x[i] = numbers(i * 100 + 3, i);
        y[i] = fa_clone(x[i]);
        t[i] = number(i, FA_F32);
    }
    const fa_binding count[] = {FA_BIND("t", ((fa_tensors){PLACES, t}))};
    const fa_binding use[] = {FA_BIND("x", ((fa_tensors){PLACES, x})), FA_BIND("t", ((fa_tensors){PLACES, t}))};
    const fa_program programs[] = {{"t = t + 1", 1, count}, {"x = x / t", 2, use}};
    {
        FA_USE(.forbid = FA_SYNC | FA_TRANSFER);
        for (int step = 0; step < STEPS; step++)
            assert_true(fa_update_all(2, programs));
    }
    for (int i = 0; i < PLACES; i++) {
        for (int step = 1; step <= STEPS; step++)
            y[i] = fa_div(y[i], i + step);
        assert_same(x[i], y[i]);
    }
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = numbers(3, 1), *was = fa_clone(x), *first = fa_select(x, 0, 0);
    const struct {
        const fa_tensor *lr;
        fa_code code;
        const char *text;
    } cases[] = {{numbers(3, 1), FA_ERROR_SHAPE, "a tensor in the place of a number has no dimensions"},
                 {fa_full(FA_SCALAR, 1.0), FA_ERROR_DEVICE, "has to be on the device of the others"},
                 {first, FA_ERROR_ARGUMENT, "a tensor in the place of a number overlaps a result"}};
    for (int i = 0; i < 3; i++) {
        const fa_binding names[] = {FA_BIND("x", FA_TENSORS(x)), FA_BIND("lr", cases[i].lr)};
        assert_false(fa_update("x = lr * x", 2, names));
        assert_error(cases[i].code, "fa_update: lr", cases[i].text);
    }
    assert_same(x, was);
}

/* ---- optimizers ---- */
static fa_optim *optimizer(int kind, fa_parameters p)
{
    switch (kind) {
    case 0:
        return fa_optim_sgd(p, .lr = 0.5, .momentum = 0.5);
    case 1:
        return fa_optim_adam(p, .lr = 0.5, .weight_decay = 0.25);
    case 2:
        return fa_optim_adamw(p, .lr = 0.5, .weight_decay = 0.25);
    case 3:
        return fa_optim_rmsprop(p, .lr = 0.5);
    default:
        return fa_optim_adagrad(p, .lr = 0.5, .lr_decay = 0.5);
    }
}

static bool are_close(const fa_tensor *a, const fa_tensor *b)
{
    return fa_item(fa_amax(fa_abs(fa_sub(fa_cpu(a), fa_cpu(b))))) < 1e-5;
}

/* The rate is halved before each step: in a tensor, and as a number. */
static void a_learning_rate_may_stand_there(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        FA_SCOPE;
        fa_tensor *p[2], *rate = number(1, FA_F32);
        fa_optim *o[2];
        for (int k = 0; k < 2; k++) {
            p[k] = numbers(COUNT, 1);
            fa_set_requires_grad(p[k], true);
            fa_set_grad(p[k], numbers(COUNT, 5));
            o[k] = optimizer(kind, fa_params(p[k]));
            assert_true(fa_optim_step(o[k]));
        }
        assert_true(fa_optim_set_lr_tensor(o[0], 0, rate));
        for (int step = 0; step < STEPS; step++) {
            assert_true(fa_optim_set_lr(o[1], 0.5 / (1 << step)));
            assert_true(fa_optim_step(o[1]));
            FA_USE(.forbid = FA_SYNC | FA_TRANSFER, .no_grad = true);
            fa_mul_(rate, 0.5);
            assert_true(fa_optim_step(o[0]));
        }
        assert_true(are_close(p[0], p[1]));
        {
            FA_USE(.forbid = FA_SYNC | FA_TRANSFER);
            assert_true(fa_optim_set_lr(o[0], 0.25)); /* writes into it */
        }
        assert_true(fa_item(rate) == 0.25);
        assert_true(fa_optim_set_lr_tensor(o[0], 0, NULL));
        fa_mul_(rate, 0);
        for (int k = 0; k < 2; k++)
            assert_true(fa_optim_set_lr(o[k], 0.125) && fa_optim_step(o[k]));
        assert_true(fa_item(rate) == 0);
        assert_true(are_close(p[0], p[1]));
        assert_no_error();
    }
}

static void other_tensors_are_no_learning_rate(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *p = numbers(COUNT, 1), *was = fa_clone(p);
    fa_set_requires_grad(p, true);
    fa_set_grad(p, numbers(COUNT, 5));
    fa_optim *o = optimizer(0, fa_params(p));
    assert_false(fa_optim_set_lr_tensor(o, 0, numbers(1, 1)));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_set_lr_tensor", "a floating tensor without dimensions");
    assert_false(fa_optim_set_lr_tensor(o, 0, number(1, FA_I64)));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_set_lr_tensor", "a floating tensor without dimensions");
    assert_false(fa_optim_set_lr_tensor(o, 1, number(1, FA_F32)));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_set_lr_tensor", "there is no group 1");
    assert_true(fa_optim_set_lr_tensor(o, 0, fa_full(FA_SCALAR, 1.0)));
    assert_false(fa_optim_step(o));
    assert_error(FA_ERROR_DEVICE, "lr", "has to be on the device of the others");
    assert_same(fa_detach(p), was);
}

/* ---- step counts ---- */

static fa_optim *counting_optimizer(int kind, fa_parameters p)
{
    switch (kind) {
    case 0:
        return fa_optim_adam(p, .lr = 0.5, .weight_decay = 0.25, .amsgrad = true);
    case 1:
        return fa_optim_adamw(p, .lr = 0.5, .weight_decay = 0.25, .beta1 = 0);
    case 2:
        return fa_optim_adagrad(p, .lr = 0.5, .lr_decay = 0.5);
    default:
        return fa_optim_sgd(p, .lr = 0.5, .momentum = 0.5);
    }
}

/* Two parameters; the second one has no gradient in the second step. */
static void step_with_gradients(fa_optim *o, fa_tensor *const *p, int step)
{
    fa_set_grad(p[0], numbers(COUNT, step));
    fa_set_grad(p[1], step == 1 ? NULL : numbers(3, step));
    FA_USE(.forbid = FA_SYNC | FA_TRANSFER);
    assert_true(fa_optim_step(o));
}

static double number_in(const fa_state_dict *state, const char *name)
{
    for (size_t i = 0; i < state->numbers.count; i++)
        if (!strcmp(state->numbers.name[i], name))
            return state->numbers.item[i];
    return -1;
}

static void parameters_make(fa_tensor **p)
{
    for (int i = 0; i < 2; i++) {
        p[i] = numbers(i ? 3 : COUNT, 1);
        fa_set_requires_grad(p[i], true);
    }
}

/* By counters on the device, beside counting on the host; from the third step on in a copy made from the state. */
static void step_counts_may_stand_there(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        FA_SCOPE;
        fa_tensor *p[2], *q[2];
        parameters_make(p);
        parameters_make(q);
        fa_optim *host = counting_optimizer(kind, fa_params(p[0], p[1]));
        fa_optim *there = counting_optimizer(kind, fa_params(q[0], q[1]));
        assert_true(fa_optim_set_capturable(there, true));
        for (int step = 0; step < 2 * STEPS; step++) {
            step_with_gradients(host, p, step);
            step_with_gradients(there, q, step);
            if (step == 3)
                assert_true(fa_optim_set_lr(host, 0.25) && fa_optim_set_lr(there, 0.25));
            if (step == 2) {
                fa_state_dict counts = fa_optim_state_dict(there);
                assert_true(number_in(&counts, "state.0.step") == 3 && number_in(&counts, "state.1.step") == 2);
                there = counting_optimizer(kind, fa_params(q[0], q[1]));
                assert_true(fa_optim_set_capturable(there, true) && fa_optim_load_state_dict(there, &counts));
            }
            if (step == 4)
                assert_true(fa_optim_set_capturable(there, false));
        }
        for (int i = 0; i < 2; i++)
            assert_true(are_close(p[i], q[i]));
        assert_no_error();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_program_reads_it_when_it_runs), TEST(an_f64_rounds_as_a_number_does),
        TEST(each_place_may_have_its_own),     TEST(what_is_no_number_is_refused),
        TEST(a_learning_rate_may_stand_there), TEST(other_tensors_are_no_learning_rate),
        TEST(step_counts_may_stand_there),
    };
    return RUN("device_numbers");
}
