/* States of optimizers and schedules, saved and restored bit for bit, and failures of memory. */
#include "base/alloc.h"
#include "optim/optim_test.h"

static fa_tensor *copy_of(const fa_tensor *p)
{
    FA_USE(.no_grad = true);
    fa_tensor *c = fa_clone(p);
    fa_set_requires_grad(c, true);
    return c;
}

static void training_goes_on_bit_for_bit(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5; kind++)
        for (int f32 = 0; f32 < 2; f32++)
            for (int steps = 0; steps < 8; steps += 7) {
                FA_SCOPE;
                saved s;
                fa_tensor *p = parameter(0, FA_CPU, f32 ? FA_F32 : FA_F64), *q = parameter(1, DEVICE(0), FA_F64);
                fa_optim *o = made(kind, p, q);
                train(o, p, q, 0, steps);
                assert_true(fa_optim_set_lr(o, 0.03));
                save(&s, fa_optim_state_dict(o));
                fa_tensor *p2 = copy_of(p), *q2 = copy_of(q);
                fa_optim *fresh = made(kind, p2, q2);
                assert_true(fa_optim_load_state_dict(fresh, &s.dict));
                assert_true(fa_optim_lr(fresh) == 0.03);
                train(o, p, q, steps, 9);
                train(fresh, p2, q2, steps, 9);
                assert_true(same_tensors(p, p2) && same_tensors(q, q2));
                fa_state_dict a = fa_optim_state_dict(o), b = fa_optim_state_dict(fresh);
                assert_int_equal(a.tensors.count, b.tensors.count);
                assert_int_equal(a.numbers.count, b.numbers.count);
                for (size_t i = 0; i < a.tensors.count; i++)
                    assert_true(same_tensors(a.tensors.item[i], b.tensors.item[i]));
                for (size_t i = 0; i < a.numbers.count; i++)
                    assert_true(a.numbers.item[i] == b.numbers.item[i]);
                assert_no_error();
            }
}

static void restored_state_belongs_to_its_parameter(void **state)
{
    (void)state;
    FA_SCOPE;
    saved s;
    fa_tensor *p = parameter(0, FA_CPU, FA_F64), *q = parameter(1, FA_CPU, FA_F64);
    fa_optim *o = made(1, p, q);
    train(o, p, q, 1, 3);
    save(&s, fa_optim_state_dict(o));
    fa_tensor *p2 = parameter(0, DEVICE(0), FA_F32), *q2 = parameter(1, DEVICE(1), FA_F64);
    fa_optim *other = made(1, p2, q2);
    train(other, p2, q2, 1, 1);
    assert_true(fa_optim_load_state_dict(other, &s.dict));
    fa_tensor *mean = fa_optim_state(other, p2, "exp_avg");
    assert_true(mean != s.tensor[0] && fa_tensor_dtype(mean) == FA_F32);
    assert_true(fa_device_equal(fa_tensor_device(mean), DEVICE(0)));
    assert_true(same_tensors(fa_cpu(mean), fa_to(fa_optim_state(o, p, "exp_avg"), FA_F32)));
    assert_true(fa_move_(p2, DEVICE(1)));
    assert_true(fa_device_equal(fa_tensor_device(mean), DEVICE(1)));
    fa_state_dict own = fa_optim_state_dict(other); /* of itself, too */
    assert_true(fa_optim_load_state_dict(other, &own));
    train(other, p2, q2, 4, 2);
    assert_no_error();
}

/* A state that does not fit: the error says so, and the optimizer is as it was. */
static void refused(fa_optim *o, const saved *s, const char *said)
{
    saved before, after;
    save(&before, fa_optim_state_dict(o));
    assert_false(fa_optim_load_state_dict(o, &s->dict));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_load_state_dict", said);
    save(&after, fa_optim_state_dict(o));
    assert_int_equal(before.dict.tensors.count, after.dict.tensors.count);
    for (size_t i = 0; i < before.dict.numbers.count; i++)
        assert_true(before.number[i] == after.number[i]);
    for (size_t i = 0; i < before.dict.tensors.count; i++)
        assert_true(same_tensors(before.tensor[i], after.tensor[i]));
}

static void states_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    FA_SCOPE;
    saved s, t;
    fa_tensor *p = parameter(0, FA_CPU, FA_F64), *q = parameter(1, DEVICE(0), FA_F64);
    fa_optim *o = made(1, p, q), *w = made(2, copy_of(p), copy_of(q));
    train(o, p, q, 1, 4);
    save(&s, fa_optim_state_dict(o));
    train(o, p, q, 5, 1);
    refused(w, &s, "the state is of \"adam\", not of \"adamw\"");
    const struct {
        const char *name, *said;
        double value;
    } bad[] = {
        {"group.1.lr", "fa_optim_load_state_dict: .lr is 0 or more", -1},
        {"group.0.eps", "\"group.0.eps\" is not finite, but nan", (double)NAN},
        {"group.0.amsgrad", ".amsgrad is 0 or 1, not 7", 7},
        {"state.1.step", "\"state.1.step\" is a whole number from 0 on, not 1.5", 1.5},
        {"state.1.step", "\"state.1.step\"", -1},
        {"groups", "\"groups\" is 3: here are 2 groups", 3},
        {"group.0.parameters", "\"group.0.parameters\" is 2: here are 1 parameters", 2},
        {"state.0.tensors", "\"state.0.tensors\" is 4: here are 3", 4},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        t = s;
        t.dict.numbers.item = t.number;
        t.number[number_of(&s, bad[i].name)] = bad[i].value;
        refused(o, &t, bad[i].said);
    }
    size_t at = number_of(&s, "group.0.beta1");
    s.names[at] = "group.0.beta3";
    refused(o, &s, "\"group.0.beta1\" is missing");
    s.names[at] = s.name[at];
    s.dict.tensors.count--; /* that of state.0.exp_avg, as the order is reversed */
    refused(o, &s, "\"state.0.tensors\" is 3: here are 2");
    s.dict.tensors.count++;
    size_t last = s.dict.numbers.count + s.dict.tensors.count;
    s.tensor[s.dict.tensors.count] = s.tensor[0];
    s.names[last] = "state.9.exp_avg";
    s.dict.tensors.count++;
    refused(o, &s, "\"state.9.exp_avg\" is unexpected");
    s.dict.tensors.count--;
    fa_tensor *was = s.tensor[0];
    s.tensor[0] = fa_ones(FA_SHAPE(COUNT + 1));
    assert_false(fa_optim_load_state_dict(o, &s.dict));
    assert_error(FA_ERROR_SHAPE, "fa_optim_load_state_dict", "max_exp_avg_sq");
    s.tensor[0] = NULL;
    refused(o, &s, "is NULL");
    s.tensor[0] = was;
    t = s;
    t.dict.numbers.item = NULL;
    refused(o, &t, "a list of the state is NULL");
    t = s;
    t.dict.tensors.name = NULL;
    refused(o, &t, "a list of the state is NULL");
    s.dict.kind = NULL;
    refused(o, &s, "the state is NULL");
    s.dict.kind = s.kind;
    assert_false(fa_optim_load_state_dict(o, NULL));
    assert_error(FA_ERROR_ARGUMENT, "the state is NULL");
    assert_false(fa_optim_load_state_dict(NULL, &s.dict));
    assert_error(FA_ERROR_ARGUMENT, "the optimizer is NULL");
    assert_null(fa_optim_state_dict(NULL).kind);
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_state_dict");
    assert_true(fa_optim_load_state_dict(o, &s.dict));
}

/* ---- schedules ---- */

static void schedules_go_on_bit_for_bit(void **state)
{
    (void)state;
    for (int kind = 0; kind < SCHEDULES; kind++)
        for (int steps = 0; steps < 12; steps += 11) {
            FA_SCOPE;
            saved of_optim, of_schedule;
            fa_optim *o = made(1, parameter(0, FA_CPU, FA_F64), parameter(1, FA_CPU, FA_F64));
            fa_optim *fresh = made(1, parameter(0, FA_CPU, FA_F64), parameter(1, FA_CPU, FA_F64));
            fa_schedule *s = schedule(kind, o), *t = schedule(kind, fresh);
            schedule_go(s, 0, steps);
            save(&of_optim, fa_optim_state_dict(o));
            save(&of_schedule, fa_schedule_state_dict(s));
            schedule_go(t, 0, 3);
            assert_true(fa_schedule_load_state_dict(t, &of_schedule.dict));
            assert_true(fa_optim_load_state_dict(fresh, &of_optim.dict));
            for (int i = 0; i < 25; i++) {
                assert_true(fa_schedule_epoch(s) == steps + i && fa_schedule_epoch(t) == steps + i);
                for (int g = 0; g < 2; g++)
                    assert_true(fa_optim_option(o, g, "lr") == fa_optim_option(fresh, g, "lr")
                                && fa_optim_option(o, g, "beta1") == fa_optim_option(fresh, g, "beta1"));
                schedule_go(s, steps + i, 1);
                schedule_go(t, steps + i, 1);
            }
            save(&of_optim, fa_optim_state_dict(o));
            save(&of_schedule, fa_optim_state_dict(fresh));
            for (size_t i = 0; i < of_optim.dict.numbers.count; i++)
                assert_true(of_optim.number[i] == of_schedule.number[i]);
            assert_no_error();
        }
}

/* As a schedule that was made while another one went on. */
static void a_schedule_after_loading_begins_from_the_first_rates(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_optim *o = fa_optim_sgd(fa_params(parameter(0, FA_CPU, FA_F64)), .lr = 0.5);
    fa_optim *fresh = fa_optim_sgd(fa_params(parameter(0, FA_CPU, FA_F64)), .lr = 0.125);
    schedule_go(schedule(2, o), 0, 3);
    fa_state_dict d = fa_optim_state_dict(o);
    assert_true(fa_optim_load_state_dict(fresh, &d));
    assert_true(fa_optim_lr(fresh) == fa_optim_lr(o) && fa_optim_lr(o) < 0.5);
    fa_schedule *s = schedule(8, fresh);
    schedule_go(s, 0, 1);
    assert_true(fa_optim_lr(fresh) == 0.25);
}

static void schedules_refuse_what_does_not_fit(void **state)
{
    (void)state;
    FA_SCOPE;
    saved s;
    fa_optim *o = made(1, parameter(0, FA_CPU, FA_F64), parameter(1, FA_CPU, FA_F64));
    fa_schedule *cosine = schedule(3, o), *sequence = schedule(10, o);
    schedule_go(cosine, 0, 4);
    save(&s, fa_schedule_state_dict(cosine));
    assert_false(fa_schedule_load_state_dict(sequence, &s.dict));
    assert_error(FA_ERROR_ARGUMENT, "fa_schedule_load_state_dict", "\"cosine\", not of \"sequential\"");
    s.number[number_of(&s, "epoch")] = -1;
    assert_false(fa_schedule_load_state_dict(cosine, &s.dict));
    assert_error(FA_ERROR_ARGUMENT, "\"epoch\"", "-1");
    s.number[number_of(&s, "epoch")] = 2;
    s.number[number_of(&s, "base_rate.1")] = -3;
    assert_false(fa_schedule_load_state_dict(cosine, &s.dict));
    assert_error(FA_ERROR_ARGUMENT, "base_rate", "-3");
    assert_int_equal(fa_schedule_epoch(cosine), 4);
    save(&s, fa_schedule_state_dict(cosine));
    fa_tensor *tensor = fa_ones(FA_SCALAR);
    const char *stray = "stray";
    s.dict.tensors = (fa_parameters){1, &tensor, &stray};
    assert_false(fa_schedule_load_state_dict(cosine, &s.dict));
    assert_error(FA_ERROR_ARGUMENT, "\"stray\" is unexpected");
    save(&s, fa_schedule_state_dict(sequence));
    s.names[number_of(&s, "1.chained.0.cosine.epoch")] = "1.chained.0.cosine.epochs";
    assert_false(fa_schedule_load_state_dict(sequence, &s.dict));
    assert_error(FA_ERROR_ARGUMENT, "\"1.chained.0.cosine.epoch\" is missing");
    assert_false(fa_schedule_load_state_dict(NULL, &s.dict));
    assert_error(FA_ERROR_ARGUMENT, "the schedule is NULL");
    assert_null(fa_schedule_state_dict(NULL).kind);
    assert_error(FA_ERROR_ARGUMENT, "fa_schedule_state_dict");
}

/* The names of a state have a length: no state has names that were cut. */
static void schedules_nested_too_deeply(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_optim *o = fa_optim_sgd(fa_params(parameter(0, FA_CPU, FA_F64)));
    fa_schedule *s = fa_schedule_exponential(o, 0.5);
    int depth = 0;
    for (fa_state_dict d; (d = fa_schedule_state_dict(s)).kind; depth++) {
        assert_true(depth < 100);
        for (size_t i = 0; depth && i < d.numbers.count; i++) {
            const char *name = strrchr(d.numbers.name[i], '.');
            assert_true(!name || !strcmp(name, ".epoch") || !strcmp(name, ".groups") || !strcmp(name, ".0"));
        }
        s = fa_schedule_chained(s);
    }
    assert_error(FA_ERROR_ARGUMENT, "fa_schedule_state_dict", "nested too deeply");
    for (int i = 0; i < 5; i++) {
        s = fa_schedule_chained(s);
        assert_null(fa_schedule_state_dict(s).kind);
        assert_error(FA_ERROR_ARGUMENT, "fa_schedule_state_dict", "nested too deeply");
    }
}

/* ---- failures of memory: an error, nothing changed, and it works the next time ---- */

typedef struct trial {
    fa_tensor *p, *q;
    fa_optim *o;
    fa_schedule *s;
    saved state, of_schedule;
} trial;

static trial *trial_new(trial *t, int kind)
{
    t->p = parameter(0, DEVICE(0), FA_F64);
    t->q = parameter(1, FA_CPU, FA_F32);
    t->o = made(kind, t->p, t->q);
    t->s = schedule(10, t->o);
    train(t->o, t->p, t->q, 1, 2);
    save(&t->state, fa_optim_state_dict(t->o));
    save(&t->of_schedule, fa_schedule_state_dict(t->s));
    give_grad(t->p, 7, 0);
    give_grad(t->q, 7, 1);
    return t;
}

static bool again_step(trial *t)
{
    return fa_optim_step(t->o);
}

static bool clip(trial *t)
{
    return fa_clip_grad_norm(fa_params(t->p, t->q), 0.1) != NULL;
}

static bool clip_value(trial *t)
{
    return fa_clip_grad_value(fa_params(t->p, t->q), 0.1);
}

static bool save_state(trial *t)
{
    return fa_optim_state_dict(t->o).kind && fa_schedule_state_dict(t->s).kind;
}

static bool load_state(trial *t)
{
    return fa_optim_load_state_dict(t->o, &t->state.dict);
}

static bool load_schedule(trial *t)
{
    return fa_schedule_load_state_dict(t->s, &t->of_schedule.dict);
}

static bool make_schedules(trial *t)
{
    for (int kind = 0; kind < SCHEDULES; kind++)
        if (!schedule(kind, t->o))
            return false;
    return true;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    bool (*const calls[])(trial *) = {again_step, clip,          clip_value,    save_state,
                                      load_state, load_schedule, make_schedules};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        FA_SCOPE;
        trial *t = trial_new(malloc(sizeof *t), (int)i % 5);
        fa_tensor *p = fa_clone(t->p), *q = fa_clone(t->q), *g = fa_clone(fa_grad(t->p));
        int64_t nth = 1;
        bool done = false;
        for (; !done && nth < 2000; nth++) {
            FA_SCOPE;
            fa__inject(nth);
            done = calls[i](t);
            fa__inject(0);
            if (done)
                break;
            assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
            fa_error_clear();
            assert_true(same_tensors(t->p, p) && same_tensors(t->q, q) && same_tensors(fa_grad(t->p), g));
        }
        assert_true(done);
        assert_true(nth > 1);
        assert_no_error();
        free(t);
    }
}

static void each_allocation_of_a_fresh_optimizer_may_fail(void **state)
{
    (void)state;
    FA_SCOPE;
    trial *t = trial_new(malloc(sizeof *t), 0);
    fa_tensor *p = fa_clone(t->p), *q = fa_clone(t->q);
    int64_t nth = 1;
    for (bool done = false; !done; nth++) {
        FA_SCOPE;
        fa__inject(nth);
        fa_optim *o = fa_optim_adagrad(fa_params(t->p), .initial_accumulator_value = 1);
        int added = o ? fa_optim_add_group(o, fa_params(t->q), .lr = 0.5) : -1;
        done = added == 1 && fa_optim_step(o);
        fa__inject(0);
        if (done)
            break;
        assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
        fa_error_clear();
        assert_true(same_tensors(t->p, p) && same_tensors(t->q, q));
        if (o)
            assert_int_equal(fa_optim_groups(o), added == 1 ? 2 : 1);
    }
    assert_true(nth > 3);
    assert_false(same_tensors(t->q, q));
    assert_no_error();
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(training_goes_on_bit_for_bit),
        TEST(restored_state_belongs_to_its_parameter),
        TEST(states_that_do_not_fit_are_refused),
        TEST(schedules_go_on_bit_for_bit),
        TEST(a_schedule_after_loading_begins_from_the_first_rates),
        TEST(schedules_refuse_what_does_not_fit),
        TEST(schedules_nested_too_deeply),
        TEST(each_allocation_may_fail),
        TEST(each_allocation_of_a_fresh_optimizer_may_fail),
    };
    return RUN("optim_state");
}
