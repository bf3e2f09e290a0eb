/* Stochastic rounding: parameters and states in bf16 become one of the two neighbours of the exact result, which is
 * that of f32, with the right probability; on the CPU and on other devices with the same bits. */
#include "optim/optim_test.h"
#include <facula/amp.h>
#include <facula/expression.h>
#include <facula/graph.h>
#include <facula/operations.h>
#include <facula/random.h>

enum { KINDS = 5, N = 1 << 14 };

static fa_optim *optimizer(int kind, fa_parameters p, bool stochastic)
{
    switch (kind) {
    case 0:
        return fa_optim_sgd(p, .lr = 0.01, .momentum = 0.9, .stochastic_rounding = stochastic);
    case 1:
        return fa_optim_adam(p, .lr = 0.01, .amsgrad = true, .weight_decay = 0.1, .stochastic_rounding = stochastic);
    case 2:
        return fa_optim_adamw(p, .lr = 0.01, .beta1 = 0.25, .stochastic_rounding = stochastic);
    case 3:
        return fa_optim_rmsprop(p, .momentum = 0.5, .centered = true, .stochastic_rounding = stochastic);
    default:
        return fa_optim_adagrad(p, .lr_decay = 0.1, .stochastic_rounding = stochastic);
    }
}

static fa_device device_at(int i)
{
    return i ? DEVICE(i - 1) : FA_CPU;
}

/* Numbers of many magnitudes and both signs, which bf16 has. */
static fa_tensor *values(fa_device device, uint64_t seed)
{
    FA_USE(.no_grad = true);
    fa_manual_seed(seed);
    fa_tensor *sizes = fa_exp2(fa_mul(fa_randn(FA_SHAPE(N)), 8));
    return fa_to(fa_to(fa_mul(fa_randn(FA_SHAPE(N)), sizes), FA_BF16), device);
}

static fa_tensor *leaf(const fa_tensor *t, fa_dtype dtype)
{
    fa_tensor *p = fa_to(t, dtype, .copy = true);
    fa_set_requires_grad(p, true);
    return p;
}

/* The distance of bf16 numbers of x's magnitude, in f64. */
static fa_tensor *unit(const fa_tensor *x)
{
    return fa_pointwise("exp2(floor(log2(maximum(abs(x), 1e-38))) - 7)", fa_to(x, FA_F64));
}

/* rounded is a neighbour of exact, and equal if bf16 has exact; on average they are equal, to 6 standard deviations. */
static void assert_rounded(const fa_tensor *rounded, const fa_tensor *exact)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    assert_int_equal(fa_tensor_dtype(rounded), FA_BF16);
    const fa_tensor *e = fa_to(fa_cpu(exact), FA_F64);
    const fa_tensor *off = fa_div(fa_sub(fa_to(fa_cpu(rounded), FA_F64), e), unit(e)); /* in units of the last place */
    assert_true(fa_item(fa_amax(fa_abs(off))) < 1);
    const fa_tensor *representable = fa_eq(fa_to(fa_to(e, FA_BF16), FA_F64), e);
    assert_true(fa_item(fa_sum(fa_mul(fa_abs(off), representable))) == 0);
    double mean = fa_item(fa_mean(off)), deviation = fa_item(fa_sqrt(fa_mean(fa_square(off))));
    assert_true(fabs(mean) <= 6 * deviation / sqrt(N));
    assert_no_error();
}

static const char *const states[] = {"momentum_buffer", "exp_avg",  "exp_avg_sq", "max_exp_avg_sq",
                                     "square_avg",      "grad_avg", "sum"};

static void assert_states_rounded(const fa_optim *o, const fa_tensor *p, const fa_optim *exact, const fa_tensor *q)
{
    int found = 0;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        const fa_tensor *s = fa_optim_state(o, p, states[i]);
        fa_error_clear();
        if (!s)
            continue;
        assert_rounded(s, fa_optim_state(exact, q, states[i]));
        found++;
    }
    assert_true(found > 0);
}

/* The first step of each method, compared with f32. The second parameter is f32, and not rounded. */
static void steps_are_rounded(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        fa_tensor *first = NULL, *plain = NULL;
        FA_SCOPE;
        for (int where = 0; where < 2; where++) {
            fa_device device = device_at(where);
            fa_tensor *v = values(device, 3), *g = values(device, 4);
            fa_tensor *p = leaf(v, FA_BF16), *with = leaf(v, FA_F32), *exact = leaf(v, FA_F32);
            fa_optim *o = optimizer(kind, fa_params(p, with), true), *e = optimizer(kind, fa_params(exact), false);
            fa_set_grad(p, g);
            fa_set_grad(with, fa_to(g, FA_F32));
            fa_set_grad(exact, fa_to(g, FA_F32));
            fa_manual_seed(5);
            assert_true(fa_optim_step(o) && fa_optim_step(e));
            assert_rounded(p, exact);
            assert_states_rounded(o, p, e, exact);
            assert_true(same_tensors(fa_cpu(with), fa_cpu(exact)));
            if (!where) {
                first = p;
                plain = with;
            }
            assert_true(same_tensors(fa_cpu(p), first) && same_tensors(fa_cpu(with), plain));
        }
        assert_no_error();
    }
}

/* 256 steps of 1/32 of a unit in the last place, each of which rounding to nearest loses. */
static void small_steps_add_up(void **state)
{
    (void)state;
    for (int stochastic = 0; stochastic < 2; stochastic++) {
        FA_SCOPE;
        fa_manual_seed(6);
        fa_tensor *p = fa_ones(FA_SHAPE(N), .dtype = FA_BF16, .device = DEVICE(0), .requires_grad = true);
        fa_optim *o = fa_optim_sgd(fa_params(p), .lr = 0x1p-12, .stochastic_rounding = stochastic);
        fa_set_grad(p, fa_full_like(p, -1.0));
        FA_REPEAT (256)
            fa_optim_step(o);
        FA_USE(.no_grad = true);
        double mean = fa_item(fa_mean(fa_to(p, FA_F64)));
        /* a step's deviation is that of 1/32 of 2^-7: sqrt(1/32 * 31/32) 2^-7 */
        assert_true(stochastic ? fabs(mean - 1.0625) < 6 * 0x1p-7 * sqrt(256.0 * 31 / 1024 / N) : mean == 1.0);
        assert_no_error();
    }
}

static void special_values_are_kept(void **state)
{
    (void)state;
    const float v[] = {0, -0.0F, 0x1p-133F, -0x1.8p-130F, 0x1p-126F, -0x1.fep127F, INFINITY, -INFINITY, 1, -3};
    enum { COUNT_OF = sizeof v / sizeof *v };
    for (int where = 0; where < 2; where++) {
        FA_SCOPE;
        fa_tensor *x = fa_to(fa_tensor_from(v, FA_SHAPE(COUNT_OF)), FA_BF16),
                  *p = leaf(fa_to(x, device_at(where)), FA_BF16);
        fa_tensor *nan = leaf(fa_full(FA_SHAPE(3), (double)NAN, .dtype = FA_BF16, .device = device_at(where)), FA_BF16);
        fa_optim *o = fa_optim_sgd(fa_params(p, nan), .lr = 1, .stochastic_rounding = true);
        fa_set_grad(p, fa_zeros_like(p));
        fa_set_grad(nan, fa_zeros_like(nan));
        FA_REPEAT (20)
            assert_true(fa_optim_step(o));
        float out[COUNT_OF];
        assert_true(fa_read(fa_to(p, FA_F32), out, FA_F32, COUNT_OF));
        for (int i = 0; i < COUNT_OF; i++)
            assert_true(out[i] == v[i]);
        assert_true(isnan(fa_item(fa_sum(nan))));
        assert_no_error();
    }
}

static void seeds_decide(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *v = values(FA_CPU, 3), *g = values(FA_CPU, 4), *p[3];
    for (int i = 0; i < 3; i++) {
        p[i] = leaf(v, FA_BF16);
        fa_optim *o = optimizer(0, fa_params(p[i]), true);
        fa_set_grad(p[i], g);
        fa_manual_seed(i == 2);
        for (int step = 0; step < 3; step++)
            assert_true(fa_optim_step(o));
    }
    assert_true(same_tensors(p[0], p[1]));
    assert_false(same_tensors(p[0], p[2]));
    assert_no_error();
}

static void forward_backward_step(fa_tensor *p, fa_optim *o)
{
    FA_SCOPE;
    fa_optim_zero_grad(o);
    fa_backward(fa_sum(fa_square(fa_sub(p, 1.0))));
    fa_optim_step(o);
}

/* Replays round with new random numbers: those that calls would draw. */
static void recorded_steps_are_those_of_calls(void **state)
{
    (void)state;
    for (int where = 0; where < 2; where++) {
        FA_SCOPE;
        fa_device device = device_at(where);
        fa_tensor *v = values(device, 3), *p[2] = {leaf(v, FA_BF16), leaf(v, FA_BF16)};
        fa_optim *o[2] = {optimizer(2, fa_params(p[0]), true), optimizer(2, fa_params(p[1]), true)};
        fa_graph *graph = fa_graph_new(device);
        fa_manual_seed(7);
        FA_RECORD(graph)
        forward_backward_step(p[0], o[0]);
        for (int i = 1; i < 4; i++)
            assert_true(fa_graph_replay(graph));
        fa_manual_seed(7);
        assert_true(fa_optim_set_capturable(o[1], true));
        for (int i = 0; i < 4; i++)
            forward_backward_step(p[1], o[1]);
        assert_true(same_tensors(fa_cpu(p[0]), fa_cpu(p[1])));
        assert_no_error();
    }
}

static void skipped_steps_change_nothing(void **state)
{
    (void)state;
    for (int where = 0; where < 2; where++) {
        FA_SCOPE;
        fa_tensor *v = values(device_at(where), 3), *p = leaf(v, FA_BF16);
        fa_optim *o = optimizer(1, fa_params(p), true);
        fa_scaler *scaler = fa_amp_scaler(.init_scale = 4);
        for (int step = 0; step < 2; step++) {
            assert_non_null(fa_scaler_scale(scaler, fa_ones(FA_SCALAR, .device = device_at(where))));
            fa_set_grad(p, fa_full_like(p, step ? 1.0 : INFINITY));
            assert_true(fa_scaler_step(scaler, o) && fa_scaler_update(scaler));
            assert_true(same_tensors(fa_cpu(v), fa_cpu(p)) == !step);
        }
        assert_no_error();
    }
}

static void options_are_kept_and_checked(void **state)
{
    (void)state;
    FA_SCOPE;
    saved s;
    fa_tensor *p = parameter(0, FA_CPU, FA_BF16), *q = parameter(0, FA_CPU, FA_BF16);
    assert_null(fa_optim_sgd(fa_params(p), .stochastic_rounding = true, .master_weights = true));
    assert_error(FA_ERROR_ARGUMENT, ".stochastic_rounding and .master_weights cannot be combined");
    fa_optim *o = optimizer(1, fa_params(p), true), *other = optimizer(1, fa_params(q), false);
    give_grad(p, 1, 0);
    assert_true(fa_optim_step(o));
    save(&s, fa_optim_state_dict(o));
    assert_true(fa_optim_load_state_dict(other, &s.dict));
    assert_true(fa_optim_option(other, 0, "stochastic_rounding") == 1);
    assert_no_error();
}

/* ---- random numbers in programs of one's own ---- */

static void programs_draw_numbers(void **state)
{
    (void)state;
    fa_tensor *first[2] = {NULL};
    FA_SCOPE;
    for (int where = 0; where < 2; where++) {
        fa_tensor *x = fa_zeros(FA_SHAPE(N), .device = device_at(where)), *y = fa_zeros_like(x);
        fa_manual_seed(8);
        const fa_binding b[] = {FA_BIND("x", FA_TENSORS(x, y)), fa_bind_random("key")};
        assert_true(fa_update("x = uniform(key) + 2 * normal(key)", 2, b));
        assert_true(fabs(fa_item(fa_mean(x)) - 0.5) < 6 * sqrt((4 + 1 / 12.0) / N));
        assert_false(same_tensors(fa_cpu(x), fa_cpu(y)));
        if (!where) {
            first[0] = x;
            first[1] = y;
        }
        assert_true(same_tensors(fa_cpu(x), first[0]) && same_tensors(fa_cpu(y), first[1]));
    }
    assert_no_error();
}

static void keys_are_checked(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_zeros(FA_SHAPE(3));
    const fa_binding b[] = {FA_BIND("x", FA_TENSORS(x)), fa_bind_random("key"), FA_BIND("n", 3)};
    assert_false(fa_update("x = key + 1", 3, b));
    assert_error(FA_ERROR_ARGUMENT, "key is a random key");
    assert_false(fa_update("x = uniform(n)", 3, b));
    assert_error(FA_ERROR_ARGUMENT, "random numbers are drawn from n");
    assert_false(fa_update("x = uniform(x)", 3, b));
    assert_error(FA_ERROR_ARGUMENT, "random numbers are drawn from x");
    assert_false(fa_update("x = x + uniform(key) * key", 3, b));
    assert_error(FA_ERROR_ARGUMENT, "'key' is a key");
    assert_null(fa_pointwise("uniform(x)", x));
    assert_error(FA_ERROR_ARGUMENT, "draws random numbers");
    assert_true(fa_item(fa_sum(x)) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(steps_are_rounded),
        TEST(small_steps_add_up),
        TEST(special_values_are_kept),
        TEST(seeds_decide),
        TEST(recorded_steps_are_those_of_calls),
        TEST(skipped_steps_change_nothing),
        TEST(options_are_kept_and_checked),
        TEST(programs_draw_numbers),
        TEST(keys_are_checked),
    };
    return RUN("optim_stochastic_rounding");
}
