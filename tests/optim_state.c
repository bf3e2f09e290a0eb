/* Optimizers beyond one step of one group: groups of parameters, clipping, schedules' errors, states saved and restored
 * bit for bit, and failures of memory in each of these. */
#include "api_test.h"
#include "base/alloc.h"
#include <facula/schedule.h>
#include <math.h>

enum { COUNT = 5, MOST_ENTRIES = 128 };

static fa_tensor *parameter(int k, fa_device device, fa_dtype dtype)
{
    double v[COUNT];
    for (int i = 0; i < COUNT; i++)
        v[i] = 0.5 * i - 1 + k;
    fa_tensor *p = fa_to(fa_tensor_from(v, FA_SHAPE(COUNT), .dtype = FA_F64, .device = device), dtype);
    fa_set_requires_grad(p, true);
    return p;
}

static double slope(int step, int k, int i)
{
    return ((step * 7 + i * 13 + k * 5) % 11 - 5) / 8.0;
}

static void give_grad(fa_tensor *p, int step, int k)
{
    double v[COUNT];
    for (int i = 0; i < COUNT; i++)
        v[i] = slope(step, k, i);
    fa_tensor *grad = fa_tensor_from(v, FA_SHAPE(COUNT), .dtype = FA_F64, .device = fa_tensor_device(p));
    fa_set_grad(p, fa_to(grad, fa_tensor_dtype(p)));
}

static double element(const fa_tensor *p, int i)
{
    double v[COUNT];
    assert_true(fa_read(p, v, FA_F64, COUNT));
    return v[i];
}

/* ---- groups ---- */

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
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_step: the optimizer is none, or was freed");
    assert_null(fa_schedule_exponential((fa_optim *)(void *)p, 0.5));
    assert_error(FA_ERROR_ARGUMENT, "fa_schedule_exponential: the optimizer");
    assert_false(fa_schedule_step((fa_schedule *)(void *)p));
    assert_error(FA_ERROR_ARGUMENT, "fa_schedule_step: the schedule is none");
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
    assert_error(FA_ERROR_ARGUMENT, "fa_update: g[0]");
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
    assert_error(FA_ERROR_ARGUMENT, "fa_clip_grad_norm: max_norm", "-1");
    assert_null(fa_clip_grad_norm(fa_params(p), (double)NAN));
    assert_error(FA_ERROR_ARGUMENT, "nan");
    assert_false(fa_clip_grad_value(fa_params(p), -2));
    assert_error(FA_ERROR_ARGUMENT, "fa_clip_grad_value", "-2");
    assert_null(fa_clip_grad_norm(fa_params(p, (fa_tensor *)NULL), 1));
    assert_error(FA_ERROR_ARGUMENT, "fa_clip_grad_norm: parameter 1 is NULL");
    assert_null(fa_clip_grad_norm((fa_module *)NULL, 1));
    assert_error(FA_ERROR_ARGUMENT, "NULL");
    fa_set_grad(p, fa_full_like(p, 4));
    fa_fail(FA_ERROR_USER, "something else");
    assert_null(fa_clip_grad_norm(fa_params(p), 1));
    assert_false(fa_clip_grad_value(fa_params(p), 1));
    assert_error(FA_ERROR_USER, "something else");
    assert_true(element(fa_grad(p), 0) == 4);
}

/* ---- what is held, as a file keeps it: copies, in the reverse order ---- */

typedef struct saved {
    char kind[64], name[MOST_ENTRIES][64];
    const char *names[MOST_ENTRIES];
    double number[MOST_ENTRIES];
    fa_tensor *tensor[MOST_ENTRIES];
    fa_state_dict dict;
} saved;

static void save(saved *s, fa_state_dict d)
{
    size_t n = d.numbers.count, t = d.tensors.count;
    assert_non_null(d.kind);
    assert_true(n + t <= MOST_ENTRIES);
    snprintf(s->kind, sizeof s->kind, "%s", d.kind);
    for (size_t i = 0; i < n + t; i++) {
        size_t from = i < n ? n - 1 - i : n + t - 1 - i;
        snprintf(s->name[i], sizeof s->name[i], "%s", i < n ? d.numbers.name[from] : d.tensors.name[from]);
        s->names[i] = s->name[i];
        if (i < n)
            s->number[i] = d.numbers.item[from];
        else
            s->tensor[i - n] = fa_clone(fa_cpu(d.tensors.item[from]));
    }
    s->dict = (fa_state_dict){s->kind, {t, s->tensor, s->names + n}, {n, s->number, s->names}};
}

/* The place of a name among the numbers. */
static size_t number_of(const saved *s, const char *name)
{
    size_t i = 0;
    while (i < s->dict.numbers.count && strcmp(s->names[i], name))
        i++;
    assert_true(i < s->dict.numbers.count);
    return i;
}

static fa_optim *made(int kind, fa_tensor *p, fa_tensor *q)
{
    fa_optim *o = kind == 0   ? fa_optim_sgd(fa_params(p), .momentum = 0.9, .dampening = 0.25)
                  : kind == 1 ? fa_optim_adam(fa_params(p), .amsgrad = true)
                  : kind == 2 ? fa_optim_adamw(fa_params(p), .beta1 = 0.25)
                  : kind == 3 ? fa_optim_rmsprop(fa_params(p), .momentum = 0.5, .centered = true)
                              : fa_optim_adagrad(fa_params(p), .lr_decay = 0.1, .initial_accumulator_value = 0.5);
    assert_int_equal(fa_optim_add_group(o, fa_params(q), .lr = 0.1, .weight_decay = 0.125), 1);
    return o;
}

/* The second parameter misses some steps. */
static void train(fa_optim *o, fa_tensor *p, fa_tensor *q, int first, int count)
{
    for (int t = first; t < first + count; t++) {
        FA_SCOPE;
        fa_optim_zero_grad(o);
        give_grad(p, t, 0);
        if (t % 3)
            give_grad(q, t, 1);
        assert_true(fa_optim_step(o));
    }
    assert_no_error();
}

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
                assert_true(fa_same(p, p2) && fa_same(q, q2));
                fa_state_dict a = fa_optim_state_dict(o), b = fa_optim_state_dict(fresh);
                assert_int_equal(a.tensors.count, b.tensors.count);
                assert_int_equal(a.numbers.count, b.numbers.count);
                for (size_t i = 0; i < a.tensors.count; i++)
                    assert_true(fa_same(a.tensors.item[i], b.tensors.item[i]));
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
    assert_true(fa_same(fa_cpu(mean), fa_to(fa_optim_state(o, p, "exp_avg"), FA_F32)));
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
        assert_true(fa_same(before.tensor[i], after.tensor[i]));
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

static double half_at_odd(int64_t epoch, int group, void *context)
{
    (void)group;
    return epoch == *(const int *)context ? (double)NAN : epoch % 2 ? 0.5 : 1;
}

enum { SCHEDULES = 11 };
static int never = -1;

static fa_schedule *schedule(int kind, fa_optim *o)
{
    switch (kind) {
    case 0:
        return fa_schedule_step_lr(o, 3);
    case 1:
        return fa_schedule_multi_step(o, FA_LIST(4, 9));
    case 2:
        return fa_schedule_exponential(o, 0.9);
    case 3:
        return fa_schedule_cosine(o, 12);
    case 4:
        return fa_schedule_linear(o, .total_iters = 13);
    case 5:
        return fa_schedule_constant(o, .total_iters = 13);
    case 6:
        return fa_schedule_one_cycle(o, 0.5, 40);
    case 7:
        return fa_schedule_reduce_on_plateau(o, .patience = 2, .cooldown = 3, .mode = "max");
    case 8:
        return fa_schedule_lambda(o, half_at_odd, &never);
    case 9:
        return fa_schedule_chained(schedule(3, o), schedule(2, o));
    default:
        return fa_schedule_sequential(FA_LIST(5, 12), schedule(4, o), schedule(9, o), schedule(2, o));
    }
}

static void schedule_go(fa_schedule *s, int first, int count)
{
    bool plateau = !strcmp(fa_schedule_kind(s), "reduce_on_plateau");
    for (int i = first; i < first + count; i++) {
        bool good = plateau ? fa_schedule_step_metric(s, i % 4) : fa_schedule_step(s);
        assert_no_error();
        assert_true(good);
    }
}

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
    save(&s, fa_schedule_state_dict(sequence));
    s.names[number_of(&s, "1.chained.0.cosine.epoch")] = "1.chained.0.cosine.epochs";
    assert_false(fa_schedule_load_state_dict(sequence, &s.dict));
    assert_error(FA_ERROR_ARGUMENT, "\"1.chained.0.cosine.epoch\" is missing");
    assert_false(fa_schedule_load_state_dict(NULL, &s.dict));
    assert_error(FA_ERROR_ARGUMENT, "the schedule is NULL");
    assert_null(fa_schedule_state_dict(NULL).kind);
    assert_error(FA_ERROR_ARGUMENT, "fa_schedule_state_dict");
}

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
            assert_true(fa_same(t->p, p) && fa_same(t->q, q) && fa_same(fa_grad(t->p), g));
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
        assert_true(fa_same(t->p, p) && fa_same(t->q, q));
        if (o)
            assert_int_equal(fa_optim_groups(o), added == 1 ? 2 : 1);
    }
    assert_true(nth > 3);
    assert_false(fa_same(t->q, q));
    assert_no_error();
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(groups_have_options_of_their_own),
        TEST(bad_groups_are_named),
        TEST(bad_options_are_named),
        TEST(freed_optimizers_are_refused),
        TEST(programs_run_all_or_none),
        TEST(clipping_does_not_wait),
        TEST(clipping_takes_what_is_not_finite),
        TEST(training_goes_on_bit_for_bit),
        TEST(restored_state_belongs_to_its_parameter),
        TEST(states_that_do_not_fit_are_refused),
        TEST(schedules_go_on_bit_for_bit),
        TEST(a_schedule_after_loading_begins_from_the_first_rates),
        TEST(schedules_refuse_what_does_not_fit),
        TEST(bad_schedules_are_named),
        TEST(steps_that_cannot_be_made_change_nothing),
        TEST(one_cycle_may_have_short_phases),
        TEST(a_schedule_holds_its_optimizer),
        TEST(each_allocation_may_fail),
        TEST(each_allocation_of_a_fresh_optimizer_may_fail),
    };
    return RUN("optim_state");
}
