/* Optimizers: every combination of options against a scalar reference, parameters without a gradient, moves, failures.
 */
#include "base/alloc.h"
#include "support/api_test.h"
#include <facula/nn.h>
#include <facula/optim.h>
#include <math.h>

enum { STEPS = 10, COUNT = 5 };

/* The gradient of element i in a step; any numbers do. */
static double slope(int step, int i)
{
    return sin(1 + 3 * step + i) * (i + 1);
}

static double beginning(int i)
{
    return 0.5 * i - 1;
}

/* ---- references, written from the papers and PyTorch's documentation, for one number ---- */

static double sgd_reference(const fa_optim_sgd_options *o, int i)
{
    double p = beginning(i), b = 0;
    for (int t = 0; t < STEPS; t++) {
        double g = o->maximize ? -slope(t, i) : slope(t, i);
        g += o->weight_decay * p;
        if (o->momentum != 0) {
            b = t == 0 ? g : o->momentum * b + (1 - o->dampening) * g;
            g = o->nesterov ? g + o->momentum * b : b;
        }
        p -= o->lr * g;
    }
    return p;
}

static double adam_reference(const fa_optim_adam_options *o, int i)
{
    double p = beginning(i), m = 0, v = 0, most = 0;
    for (int t = 0; t < STEPS; t++) {
        double g = o->maximize ? -slope(t, i) : slope(t, i);
        g += o->weight_decay * p;
        m = o->beta1 * m + (1 - o->beta1) * g;
        v = o->beta2 * v + (1 - o->beta2) * g * g;
        most = v > most ? v : most;
        double mean = m / (1 - pow(o->beta1, t + 1)), square = (o->amsgrad ? most : v) / (1 - pow(o->beta2, t + 1));
        p -= o->lr * mean / (sqrt(square) + o->eps);
    }
    return p;
}

/* ---- running ---- */

static fa_tensor *parameter(fa_device device, fa_dtype dtype)
{
    double v[COUNT];
    for (int i = 0; i < COUNT; i++)
        v[i] = beginning(i);
    fa_tensor *p = fa_to(fa_tensor_from(v, FA_SHAPE(COUNT), .dtype = FA_F64, .device = device), dtype);
    fa_set_requires_grad(p, true);
    return p;
}

static void give_grad(fa_tensor *p, int step)
{
    double v[COUNT];
    for (int i = 0; i < COUNT; i++)
        v[i] = slope(step, i);
    fa_device device = fa_tensor_device(p);
    fa_set_grad(p, fa_to(fa_tensor_from(v, FA_SHAPE(COUNT), .dtype = FA_F64, .device = device), fa_tensor_dtype(p)));
}

static void run(fa_optim *o, fa_tensor *p, int first, int count)
{
    for (int t = first; t < first + count; t++) {
        FA_SCOPE;
        give_grad(p, t);
        assert_true(fa_optim_step(o));
    }
    assert_no_error();
}

static double element(const fa_tensor *p, int i)
{
    double v[COUNT];
    assert_true(fa_read(p, v, FA_F64, COUNT));
    return v[i];
}

static void assert_near(double have, double want, double tolerance)
{
    if (!(fabs(have - want) <= tolerance * (1 + fabs(want))))
        fail_msg("%.17g, expected %.17g", have, want);
}

static void sgd_is_right(void **state)
{
    (void)state;
    const double momenta[] = {0, 0.9}, dampenings[] = {0, 0.3}, decays[] = {0, 0.1};
    for (int bits = 0; bits < 32; bits++) {
        FA_SCOPE;
        fa_optim_sgd_options o = FA__DEFAULT_fa_optim_sgd;
        o.lr = 0.05;
        o.momentum = momenta[bits & 1];
        o.dampening = dampenings[bits >> 1 & 1];
        o.weight_decay = decays[bits >> 2 & 1];
        o.nesterov = bits >> 3 & 1;
        o.maximize = bits >> 4 & 1;
        fa_tensor *p = parameter(bits & 2 ? DEVICE(0) : FA_CPU, FA_F64);
        fa_optim *optim = (fa_optim_sgd)(fa_params(p), &o);
        if (o.nesterov && (o.momentum == 0 || o.dampening != 0)) {
            assert_null(optim);
            assert_error(FA_ERROR_ARGUMENT, "fa_optim_sgd", "nesterov");
            continue;
        }
        run(optim, p, 0, STEPS);
        for (int i = 0; i < COUNT; i++)
            assert_near(element(p, i), sgd_reference(&o, i), 1e-13);
    }
}

static void adam_is_right(void **state)
{
    (void)state;
    for (int bits = 0; bits < 16; bits++) {
        FA_SCOPE;
        fa_optim_adam_options o = FA__DEFAULT_fa_optim_adam;
        o.lr = 0.02;
        o.beta1 = bits & 1 ? 0.5 : 0.9;
        o.beta2 = bits & 1 ? 0.7 : 0.999;
        o.eps = bits & 1 ? 1e-2 : 1e-8;
        o.weight_decay = bits & 2 ? 0.1 : 0;
        o.amsgrad = bits & 4;
        o.maximize = bits & 8;
        fa_tensor *p = parameter(bits & 2 ? DEVICE(1) : FA_CPU, FA_F64);
        run((fa_optim_adam)(fa_params(p), &o), p, 0, STEPS);
        for (int i = 0; i < COUNT; i++)
            assert_near(element(p, i), adam_reference(&o, i), 1e-12);
    }
}

static void defaults_are_the_documented(void **state)
{
    (void)state;
    FA_SCOPE;
    const fa_optim_sgd_options s = FA__DEFAULT_fa_optim_sgd;
    const fa_optim_adam_options a = FA__DEFAULT_fa_optim_adam;
    assert_true(s.lr == 1e-3 && a.lr == 1e-3 && a.beta1 == 0.9 && a.beta2 == 0.999 && a.eps == 1e-8);
    fa_tensor *p = parameter(FA_CPU, FA_F64), *q = parameter(FA_CPU, FA_F64);
    run(fa_optim_sgd(fa_params(p)), p, 0, STEPS);
    run(fa_optim_adam(fa_params(q)), q, 0, STEPS);
    assert_near(element(p, 2), sgd_reference(&s, 2), 1e-13);
    assert_near(element(q, 2), adam_reference(&a, 2), 1e-12);
}

/* Lower precision, several parameters, on several devices: each as if it were alone. */
static void parameters_may_differ(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *p[] = {parameter(FA_CPU, FA_F64), parameter(DEVICE(0), FA_F32), parameter(DEVICE(1), FA_F64),
                      parameter(FA_CPU, FA_F32)};
    const fa_optim_adam_options a = FA__DEFAULT_fa_optim_adam;
    fa_optim *optim = fa_optim_adam(FA_TENSORS(p[0], p[1], p[2], p[3]));
    for (int t = 0; t < STEPS; t++) {
        for (int k = 0; k < 4; k++)
            give_grad(p[k], t);
        assert_true(fa_optim_step(optim));
    }
    for (int k = 0; k < 4; k++)
        assert_near(element(p[k], 3), adam_reference(&a, 3), k % 2 ? 1e-6 : 1e-12);
    assert_no_error();
}

/* ---- parameters without a gradient ---- */

static void without_gradient_nothing_changes(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *p = parameter(FA_CPU, FA_F64), *q = parameter(FA_CPU, FA_F64);
    fa_optim *optim = fa_optim_sgd(fa_params(p, q), .lr = 0.1, .momentum = 0.9, .weight_decay = 0.5);
    assert_true(fa_optim_step(optim));
    assert_near(element(p, 0), beginning(0), 0);
    give_grad(p, 0);
    assert_true(fa_optim_step(optim));
    assert_near(element(q, 0), beginning(0), 0);
    assert_null(fa_optim_state(optim, q, "momentum_buffer"));
    assert_non_null(fa_optim_state(optim, p, "momentum_buffer"));
    assert_true(fa_optim_zero_grad(optim));
    assert_null(fa_grad(p));
    assert_no_error();
}

/* Each parameter counts its own steps: q comes in four steps late, beside p, and ends as if it were alone. */
static void steps_are_counted_for_each(void **state)
{
    (void)state;
    for (int adam = 0; adam < 2; adam++) {
        FA_SCOPE;
        fa_tensor *p = parameter(FA_CPU, FA_F64), *q = parameter(DEVICE(0), FA_F32);
        fa_optim *optim = adam ? fa_optim_adam(fa_params(p, q), .lr = 0.02)
                               : fa_optim_sgd(fa_params(p, q), .lr = 0.02, .momentum = 0.9, .dampening = 0.3);
        for (int t = 0; t < STEPS + 4; t++) {
            fa_optim_zero_grad(optim);
            if (t < STEPS)
                give_grad(p, t);
            if (t >= 4)
                give_grad(q, t - 4);
            assert_true(fa_optim_step(optim));
        }
        fa_optim_sgd_options s = FA__DEFAULT_fa_optim_sgd;
        fa_optim_adam_options a = FA__DEFAULT_fa_optim_adam;
        a.lr = s.lr = 0.02;
        s.momentum = 0.9;
        s.dampening = 0.3;
        double want = adam ? adam_reference(&a, 1) : sgd_reference(&s, 1);
        assert_near(element(p, 1), want, 1e-12);
        assert_near(element(q, 1), want, 1e-6);
        assert_no_error();
    }
}

/* ---- moves ---- */

static void state_follows_its_parameter(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_manual_seed(1);
    fa_module *net = fa_nn_linear(COUNT, 1, .bias = false, .dtype = FA_F64);
    fa_tensor *p = fa_module_tensor(net, "weight");
    {
        FA_USE(.no_grad = true);
        fa_copy_(p, parameter(FA_CPU, FA_F64));
    }
    fa_optim *optim = fa_optim_adam(net, .lr = 0.02);
    fa_optim_adam_options a = FA__DEFAULT_fa_optim_adam;
    a.lr = 0.02;
    const fa_device where[] = {FA_CPU, DEVICE(0), DEVICE(1), FA_CPU};
    for (int t = 0; t < STEPS; t++) {
        FA_SCOPE;
        double v[COUNT];
        fa_module_to(net, where[t % 4]);
        if (t > 0) /* at once: the step moves nothing */
            assert_true(fa_device_equal(fa_tensor_device(fa_optim_state(optim, p, "exp_avg")), where[t % 4]));
        for (int i = 0; i < COUNT; i++)
            v[i] = slope(t, i);
        fa_set_grad(p, fa_tensor_from(v, FA_SHAPE(1, COUNT), .dtype = FA_F64, .device = where[t % 4]));
        FA_USE(.forbid = FA_TRANSFER);
        assert_true(fa_optim_step(optim));
        assert_true(fa_device_equal(fa_tensor_device(fa_optim_state(optim, p, "exp_avg")), where[t % 4]));
    }
    assert_near(element(p, 4), adam_reference(&a, 4), 1e-12);
    fa_module_to(net, FA_F32);
    fa_set_grad(p, fa_ones_like(p));
    assert_true(fa_optim_step(optim));
    assert_int_equal(fa_tensor_dtype(fa_optim_state(optim, p, "exp_avg_sq")), FA_F32);
    assert_no_error();
}

static bool is_on(const fa_tensor *t, fa_device device)
{
    return fa_device_equal(fa_tensor_device(t), device);
}

static void what_follows_moves_too_or_nothing_does(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *leader = parameter(FA_CPU, FA_F64), *real = fa_ones(FA_SHAPE(2), .dtype = FA_F32);
    fa_tensor *whole = fa_arange(0, COUNT), *view = fa_narrow(fa_ones(FA_SHAPE(4)), 0, 0, 2);
    assert_true(fa_follow(real, leader) && fa_follow(whole, leader) && fa_follow(whole, leader));
    assert_true(fa_move_(leader, DEVICE(0)));
    assert_true(is_on(leader, DEVICE(0)) && is_on(real, DEVICE(0)) && is_on(whole, DEVICE(0)));
    assert_int_equal(fa_tensor_dtype(real), FA_F32);
    assert_true(fa_move_(leader, FA_F16));
    assert_true(fa_tensor_dtype(real) == FA_F16 && fa_tensor_dtype(whole) == FA_I64);
    fa_tensor *number = fa_ones(FA_SCALAR, .device = DEVICE(0));
    assert_true(fa_follow(number, leader) && fa_move_(leader, FA_F64) && fa_move_(leader, FA_F16));
    assert_int_equal(fa_tensor_dtype(number), FA_F32);
    assert_true(fa_follow(view, leader));
    assert_false(fa_move_(leader, FA_CPU));
    assert_error(FA_ERROR_STATE, "fa_move_", "view");
    assert_true(is_on(leader, DEVICE(0)) && is_on(real, DEVICE(0)) && is_on(whole, DEVICE(0)));
    assert_true(fa_unfollow(view, leader) && fa_unfollow(real, leader) && fa_unfollow(real, leader));
    assert_true(fa_move_(leader, FA_CPU));
    assert_true(is_on(leader, FA_CPU) && is_on(real, DEVICE(0)) && is_on(whole, FA_CPU));
    assert_true(element(whole, 2) == 2);
    assert_false(fa_follow(leader, leader));
    assert_error(FA_ERROR_ARGUMENT, "itself");
    assert_false(fa_follow(leader, whole));
    assert_error(FA_ERROR_ARGUMENT, "followers");
    assert_true(fa_follow(real, whole)); /* leader, whole, real: no circle is closed */
    assert_false(fa_follow(leader, real));
    assert_error(FA_ERROR_ARGUMENT, "followers");
    assert_false(fa_follow(NULL, leader));
    assert_error(FA_ERROR_ARGUMENT, "fa_follow");
}

/* Step counts on the device are exact in narrow dtypes, too: those above 256 are not numbers of bf16. */
static void step_counts_are_exact_behind_a_move(void **state)
{
    (void)state;
    enum { MANY = 303 };
    for (int where = 0; where < 2; where++) {
        FA_SCOPE;
        fa_tensor *p = parameter(where ? DEVICE(0) : FA_CPU, FA_F32);
        fa_optim *o = fa_optim_adam(fa_params(p));
        assert_true(fa_optim_set_capturable(o, true));
        for (int step = 0; step < MANY; step++) {
            FA_SCOPE;
            if (step == MANY - 2)
                assert_true(fa_move_(p, FA_BF16));
            assert_true(fa_set_grad(p, fa_ones_like(p)));
            assert_true(fa_optim_step(o));
        }
        const fa_state_dict state_ = fa_optim_state_dict(o);
        double count = 0;
        for (size_t i = 0; i < state_.numbers.count; i++)
            count = strcmp(state_.numbers.name[i], "state.0.step") ? count : state_.numbers.item[i];
        assert_true(count == MANY);
        assert_no_error();
    }
}

static void state_goes_with_its_optimizer(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *p = parameter(DEVICE(0), FA_F64);
    size_t before = fa_memory_stats(DEVICE(0)).allocated;
    {
        FA_SCOPE;
        fa_optim *optim = fa_optim_adam(fa_params(p));
        fa_set_grad(p, fa_ones_like(p));
        assert_true(fa_optim_step(optim));
        fa_set_grad(p, NULL);
        assert_true(fa_memory_stats(DEVICE(0)).allocated > before);
    }
    assert_int_equal(fa_memory_stats(DEVICE(0)).allocated, before);
    assert_true(fa_move_(p, FA_CPU));
    assert_no_error();
}

/* ---- rates, refusals ---- */

static void rates_can_change(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *p = parameter(FA_CPU, FA_F64);
    fa_optim *optim = fa_optim_sgd(fa_params(p), .lr = 0.5);
    assert_true(fa_optim_lr(optim) == 0.5);
    assert_true(fa_optim_set_lr(optim, 0.25));
    run(optim, p, 0, 1);
    assert_near(element(p, 1), beginning(1) - 0.25 * slope(0, 1), 1e-14);
    assert_false(fa_optim_set_lr(optim, -1));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_set_lr", "-1");
    assert_true(fa_optim_lr(optim) == 0.25);
    assert_true(isnan(fa_optim_lr(NULL)));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_lr");
}

static void bad_options_are_named(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *p = parameter(FA_CPU, FA_F64), *whole = fa_arange(0, 3);
    assert_null(fa_optim_sgd(fa_params(p), .lr = -0.1));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_sgd", ".lr");
    assert_null(fa_optim_sgd(fa_params(p), .momentum = -0.1));
    assert_error(FA_ERROR_ARGUMENT, ".momentum");
    assert_null(fa_optim_sgd(fa_params(p), .weight_decay = (double)NAN));
    assert_error(FA_ERROR_ARGUMENT, ".weight_decay");
    assert_null(fa_optim_adam(fa_params(p), .beta1 = 1));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_adam", ".beta1");
    assert_null(fa_optim_adam(fa_params(p), .eps = -1));
    assert_error(FA_ERROR_ARGUMENT, ".eps");
    assert_null(fa_optim_sgd(fa_params(p, p)));
    assert_error(FA_ERROR_ARGUMENT, "parameters 0 and 1");
    assert_null(fa_optim_sgd(fa_params(p, whole)));
    assert_error(FA_ERROR_DTYPE, "parameter 1 is i64");
    assert_null(fa_optim_sgd(fa_params(fa_mul(p, 2))));
    assert_error(FA_ERROR_GRADIENT, "leaf");
    assert_null(fa_optim_sgd(fa_params((fa_tensor *)NULL)));
    assert_error(FA_ERROR_ARGUMENT, "parameter 0 is NULL");
    assert_null(fa_optim_sgd(fa_nn_relu()));
    assert_error(FA_ERROR_ARGUMENT, "no parameters");
    assert_null(fa_optim_sgd((fa_module *)NULL));
    assert_error(FA_ERROR_ARGUMENT, "NULL");
    fa_optim *optim = fa_optim_sgd(fa_params(p), .momentum = 0.5);
    assert_null(fa_optim_state(optim, p, "exp_avg"));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_state", "exp_avg");
    assert_null(fa_optim_state(optim, whole, "momentum_buffer"));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_state");
    assert_false(fa_optim_step(NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_optim_step");
}

static void an_error_stops_the_step(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *p = parameter(FA_CPU, FA_F64);
    fa_optim *optim = fa_optim_sgd(fa_params(p), .lr = 0.5);
    give_grad(p, 0);
    fa_fail(FA_ERROR_USER, "something else");
    assert_false(fa_optim_step(optim));
    assert_error(FA_ERROR_USER, "something else");
    assert_near(element(p, 1), beginning(1), 0);
    assert_true(fa_optim_step(optim));
    assert_near(element(p, 1), beginning(1) - 0.5 * slope(0, 1), 1e-14);
}

/* A training step whose 1st, 2nd, 3rd, ... allocation fails: an error, and weights as they were. */
static void failures_leave_weights_alone(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_manual_seed(3);
    fa_module *net = fa_nn_sequential(fa_nn_linear(4, 8), fa_nn_tanh(), fa_nn_linear(8, 2));
    fa_optim *optim = fa_optim_adam(net);
    fa_tensor *x = fa_rand(FA_SHAPE(6, 4)), *w = fa_module_tensor(net, "0.weight"), *was = fa_clone(w);
    fa_generator_state random = fa_random_state();
    bool done = false;
    int64_t nth = 1;
    for (; !done && nth < 2000; nth++) {
        FA_SCOPE;
        fa_set_random_state(random);
        fa__inject(nth);
        fa_optim_zero_grad(optim);
        fa_tensor *y = fa_forward(net, x);
        fa_backward(fa_mean(fa_mul(y, y)));
        done = fa_optim_step(optim);
        fa__inject(0);
        if (done)
            break;
        assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
        fa_error_clear();
        assert_true(same_tensors(w, was));
    }
    assert_true(done);
    assert_true(nth > 5);
    assert_false(same_tensors(w, was));
    assert_no_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sgd_is_right),
        TEST(adam_is_right),
        TEST(defaults_are_the_documented),
        TEST(parameters_may_differ),
        TEST(without_gradient_nothing_changes),
        TEST(steps_are_counted_for_each),
        TEST(state_follows_its_parameter),
        TEST(what_follows_moves_too_or_nothing_does),
        TEST(step_counts_are_exact_behind_a_move),
        TEST(state_goes_with_its_optimizer),
        TEST(rates_can_change),
        TEST(bad_options_are_named),
        TEST(an_error_stops_the_step),
        TEST(failures_leave_weights_alone),
    };
    return RUN("optim");
}
