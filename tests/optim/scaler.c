/* Gradient scaling, on the CPU and on devices that run late: trajectories of PyTorch's GradScaler, misuse, states. */
#include "support/api_test.h"
#include <facula/amp.h>
#include <facula/device.h>
#include <facula/operations.h>
#include <facula/save.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 14, INTERVAL = 3 };

/* A network of two parameters: loss = (sum(w * x) + b)^2. */
typedef struct net {
    fa_tensor *w, *b;
    fa_optim *optim;
    fa_scaler *scaler;
} net;

static fa_tensor *parameter(const float *values, int64_t count, fa_device device)
{
    fa_tensor *p = fa_to(fa_tensor_from(values, FA_SHAPE(count)), device);
    fa_set_requires_grad(p, true);
    return p;
}

static fa_optim *optimizer(int kind, fa_tensor *w, fa_tensor *b)
{
    switch (kind) {
    case 0:
        return fa_optim_adam(fa_params(w, b), .lr = 0.1, .amsgrad = true);
    case 1:
        return fa_optim_sgd(fa_params(w, b), .lr = 0.001, .momentum = 0.9, .dampening = 0.5);
    default:
        return fa_optim_adagrad(fa_params(w, b), .lr = 0.1, .lr_decay = 0.5);
    }
}

static net net_new(int kind, fa_device device)
{
    net n = {.w = parameter((float[]){1, 2, 3, 4}, 4, device), .b = parameter((float[]){0.5F}, 1, device)};
    n.optim = optimizer(kind, n.w, n.b);
    n.scaler = fa_amp_scaler(.init_scale = 1024, .growth_interval = INTERVAL);
    return n;
}

static fa_tensor *loss_of(const net *n, int step)
{
    const float values[] = {1.F * (float)(1 + step), -1.F * (float)(1 + step), .5F * (float)(1 + step),
                            .25F * (float)(1 + step)};
    fa_tensor *x = fa_to(fa_tensor_from(values, FA_SHAPE(4)), fa_tensor_device(n->w));
    return fa_square(fa_add(fa_sum(fa_mul(n->w, x)), fa_sum(n->b)));
}

static void spoil(fa_tensor *parameter, int64_t at, double value)
{
    FA_USE(.no_grad = true);
    assert_non_null(fa_copy_(fa_select(fa_grad(parameter), 0, at), value));
}

/* What PyTorch's program did: gradients that are not finite in four steps, clipping after unscaling in two. */
static void step_as_pytorch(const net *n, int step)
{
    assert_true(fa_optim_zero_grad(n->optim));
    assert_true(fa_backward(fa_scaler_scale(n->scaler, loss_of(n, step))));
    if (step == 0 || step == 5 || step == 6)
        spoil(n->w, 1, INFINITY);
    if (step == 9)
        spoil(n->b, 0, NAN);
    FA_USE(.forbid = FA_SYNC | FA_TRANSFER);
    if (step == 3 || step == 9)
        assert_true(fa_scaler_unscale(n->scaler, n->optim) && fa_clip_grad_norm(fa_params(n->w, n->b), 1.0));
    assert_true(fa_scaler_step(n->scaler, n->optim));
    assert_true(fa_scaler_update(n->scaler));
}

static const double known_scale[STEPS] = {512, 512, 512, 1024, 1024, 512, 256, 256, 256, 128, 128, 128, 256, 256},
                    known_tracker[STEPS] = {0, 1, 2, 0, 1, 0, 0, 1, 2, 0, 1, 2, 0, 1};
/* w and b after the last step, by PyTorch 2.15 */
static const double known[][5] = {
    {0.39462727308273315, 2.605372667312622, 2.394627332687378, 3.394627332687378, -0.2045777142047882},
    {0.08153598010540009, 2.918463945388794, 2.5407681465148926, 3.7703840732574463, 0.3117283880710602},
    {0.7022333741188049, 2.2977664470672607, 2.7022335529327393, 3.7022335529327393, 0.23701848089694977}};

static double number_in(const fa_state_dict *state, const char *name)
{
    for (size_t i = 0; i < state->numbers.count; i++)
        if (!strcmp(state->numbers.name[i], name))
            return state->numbers.item[i];
    return -1;
}

static void assert_values(const net *n, const double *values)
{
    float w[4], b[1];
    assert_true(fa_read(n->w, w, FA_F32, 4) && fa_read(n->b, b, FA_F32, 1));
    for (int i = 0; i < 4; i++)
        assert_true(fabs((double)w[i] - values[i]) < 2e-5);
    assert_true(fabs((double)b[0] - values[4]) < 2e-5);
}

static void its_steps_are_pytorchs(void **state)
{
    (void)state;
    for (int run = 0; run < 6; run++) {
        FA_SCOPE;
        int kind = run / 2;
        net n = net_new(kind, run % 2 ? FA_CPU : DEVICE(0));
        for (int step = 0; step < STEPS; step++) {
            step_as_pytorch(&n, step);
            fa_state_dict numbers = fa_scaler_state_dict(n.scaler);
            assert_true(fa_scaler_get_scale(n.scaler) == known_scale[step]);
            assert_true(number_in(&numbers, "growth_tracker") == known_tracker[step]);
        }
        assert_values(&n, known[kind]);
        fa_state_dict steps = fa_optim_state_dict(n.optim);
        assert_true(number_in(&steps, "state.0.step") == STEPS - 4);
        assert_no_error();
    }
}

/* From the middle, in objects that were restored from a checkpoint. */
static void it_goes_on_from_a_checkpoint(void **state)
{
    (void)state;
    const char *path = "scaler_test.safetensors";
    FA_SCOPE;
    net n = net_new(0, DEVICE(0));
    for (int step = 0; step < 8; step++)
        step_as_pytorch(&n, step);
    assert_true(fa_checkpoint_save(path, .optim = n.optim, .scaler = n.scaler));
    fa_optim *again = optimizer(0, n.w, n.b);
    fa_scaler *scaler = fa_amp_scaler(.growth_interval = 77);
    assert_true(fa_checkpoint_load(path, .optim = again, .scaler = scaler));
    n.optim = again;
    n.scaler = scaler;
    for (int step = 8; step < STEPS; step++)
        step_as_pytorch(&n, step);
    assert_values(&n, known[0]);
    assert_true(fa_scaler_get_scale(scaler) == known_scale[STEPS - 1]);
    assert_true(fa_checkpoint_save(path, .optim = n.optim));
    assert_false(fa_checkpoint_load(path, .scaler = scaler));
    assert_error(FA_ERROR_ARGUMENT, "fa_checkpoint_load", "has no scaler");
    unlink(path);
}

/* One scale for two optimizers on two devices: only the one whose gradients overflow is skipped. */
static void several_optimizers_share_it(void **state)
{
    (void)state;
    FA_SCOPE;
    net n = net_new(1, DEVICE(0)), m = net_new(1, DEVICE(1));
    fa_tensor *before = fa_clone(fa_detach(m.w)), *first = fa_clone(fa_detach(n.w));
    assert_true(fa_backward(fa_scaler_scale(n.scaler, loss_of(&n, 1))));
    assert_true(fa_backward(fa_scaler_scale(n.scaler, loss_of(&m, 1))));
    spoil(m.w, 2, -INFINITY);
    assert_true(fa_scaler_step(n.scaler, n.optim) && fa_scaler_step(n.scaler, m.optim));
    assert_true(fa_scaler_update(n.scaler));
    assert_true(same_tensors(fa_cpu(m.w), fa_cpu(before)) && !same_tensors(fa_cpu(n.w), fa_cpu(first)));
    assert_true(fa_scaler_get_scale(n.scaler) == 512);
    assert_no_error();
}

static void the_scale_has_limits(void **state)
{
    (void)state;
    FA_SCOPE;
    net n = net_new(1, DEVICE(0));
    n.scaler = fa_amp_scaler(.init_scale = 0x1p126, .growth_interval = 1, .min_scale = 0x1p124);
    fa_backward(fa_scaler_scale(n.scaler, fa_mul(loss_of(&n, 0), 0)));
    for (int i = 0; i < 4; i++) /* 2^128 is not finite */
        assert_true(fa_scaler_step(n.scaler, n.optim) && fa_scaler_update(n.scaler));
    assert_true(fa_scaler_get_scale(n.scaler) == 0x1p127);
    for (int i = 0; i < 5; i++) {
        spoil(n.w, 0, NAN);
        assert_true(fa_scaler_step(n.scaler, n.optim) && fa_scaler_update(n.scaler));
    }
    assert_true(fa_scaler_get_scale(n.scaler) == 0x1p124);
    assert_true(fa_scaler_update(n.scaler, .new_scale = 8) && fa_scaler_get_scale(n.scaler) == 8);
    spoil(n.w, 0, NAN); /* below the limit an overflow does not raise it */
    assert_true(fa_scaler_step(n.scaler, n.optim) && fa_scaler_update(n.scaler));
    assert_true(fa_scaler_get_scale(n.scaler) == 8);
    assert_no_error();
}

/* From one update to the next; a value that is no factor changes nothing. */
static void its_numbers_can_be_set(void **state)
{
    (void)state;
    FA_SCOPE;
    net n = net_new(1, DEVICE(0));
    fa_scaler *s = n.scaler;
    assert_true(fa_backward(fa_scaler_scale(s, fa_mul(loss_of(&n, 0), 0))));
    assert_true(fa_scaler_step(s, n.optim) && fa_scaler_update(s) && fa_scaler_get_scale(s) == 1024);
    assert_true(fa_scaler_set_growth_factor(s, 3) && fa_scaler_set_growth_interval(s, 2));
    assert_true(fa_scaler_step(s, n.optim) && fa_scaler_update(s) && fa_scaler_get_scale(s) == 3072);
    assert_true(fa_scaler_set_backoff_factor(s, 0.125));
    spoil(n.w, 0, NAN);
    assert_true(fa_scaler_step(s, n.optim) && fa_scaler_update(s) && fa_scaler_get_scale(s) == 384);
    const double wrong_growth[] = {1, 0.5, (double)NAN, (double)INFINITY, 1.00000001},
                 wrong_backoff[] = {0, 1, -1, (double)NAN, 0.99999999};
    for (int i = 0; i < 5; i++) {
        assert_false(fa_scaler_set_growth_factor(s, wrong_growth[i]));
        assert_error(FA_ERROR_ARGUMENT, "fa_scaler_set_growth_factor", "the factor is more than 1");
        assert_false(fa_scaler_set_backoff_factor(s, wrong_backoff[i]));
        assert_error(FA_ERROR_ARGUMENT, "fa_scaler_set_backoff_factor", "the factor is between 0 and 1");
        assert_false(fa_scaler_set_growth_interval(s, -i));
        assert_error(FA_ERROR_ARGUMENT, "fa_scaler_set_growth_interval", "the interval is a whole number from 1");
    }
    assert_true(fa_scaler_get_growth_factor(s) == 3 && fa_scaler_get_backoff_factor(s) == 0.125);
    assert_int_equal(fa_scaler_get_growth_interval(s), 2);
    fa_state_dict numbers = fa_scaler_state_dict(s);
    assert_true(number_in(&numbers, "growth_factor") == 3 && number_in(&numbers, "backoff_factor") == 0.125);
    assert_true(number_in(&numbers, "growth_interval") == 2);
    fa_scaler *off = fa_amp_scaler(.enabled = false);
    assert_true(fa_scaler_set_growth_factor(off, 5) && fa_scaler_get_growth_factor(off) == 5);
    assert_no_error();
    assert_true(isnan(fa_scaler_get_backoff_factor(NULL)) && fa_scaler_get_growth_interval(NULL) == 0);
    assert_error(FA_ERROR_ARGUMENT, "fa_scaler_get_backoff_factor: the scaler is NULL");
    assert_false(fa_scaler_set_growth_interval(NULL, 3));
    assert_error(FA_ERROR_ARGUMENT, "fa_scaler_set_growth_interval", "the scaler is NULL");
}

static void without_scaling_it_is_a_plain_step(void **state)
{
    (void)state;
    FA_SCOPE;
    net n = net_new(0, DEVICE(0)), plain = net_new(0, DEVICE(0));
    n.scaler = fa_amp_scaler(.enabled = false);
    fa_tensor *loss = loss_of(&n, 0);
    assert_true(fa_scaler_scale(n.scaler, loss) == loss);
    assert_true(fa_backward(loss) && fa_backward(loss_of(&plain, 0)) && fa_optim_step(plain.optim));
    assert_true(fa_scaler_unscale(n.scaler, n.optim) && fa_scaler_step(n.scaler, n.optim));
    assert_true(fa_scaler_update(n.scaler) && fa_scaler_get_scale(n.scaler) == 1);
    assert_true(same_tensors(fa_cpu(n.w), fa_cpu(plain.w)) && !fa_scaler_is_enabled(n.scaler));
    assert_no_error();
}

/* Numbers of a state, of which one is replaced; they are good for the others. */
static void load_with(fa_scaler *s, const char *name, double value, bool good, const char *message)
{
    fa_state_dict d = fa_scaler_state_dict(s);
    double item[6];
    for (size_t i = 0; i < d.numbers.count && i < 6; i++)
        item[i] = strcmp(d.numbers.name[i], name) ? d.numbers.item[i] : value;
    d.numbers.item = item;
    assert_true(fa_scaler_load_state_dict(s, &d) == good);
    if (!good)
        assert_error(FA_ERROR_ARGUMENT, "fa_scaler_load_state_dict", message);
}

static void a_state_is_checked(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_scaler *s = fa_amp_scaler();
    load_with(s, "scale", -2, false, "\"scale\" is between 1.2e-38 and 3.4e38, not -2");
    load_with(s, "growth_factor", 1, false, "\"growth_factor\" is more than 1");
    load_with(s, "backoff_factor", 1, false, "\"backoff_factor\" is between 0 and 1");
    load_with(s, "growth_interval", 2.5, false, "\"growth_interval\" is a whole number from 1 to 2^48, not 2.5");
    load_with(s, "min_scale", 0, false, "\"min_scale\" is between");
    load_with(s, "growth_tracker", 0.5, false, "\"growth_tracker\" is a whole number from 0 to 2^48");
    load_with(s, "scale", 4, true, NULL);
    assert_true(fa_scaler_get_scale(s) == 4);
    assert_no_error();
}

/* Beyond 2^24, where f32 has not all numbers. */
static void long_intervals_are_exact(void **state)
{
    (void)state;
    for (int run = 0; run < 4; run++) {
        FA_SCOPE;
        const int64_t interval = run / 2 ? ((int64_t)1 << 40) + 3 : (1 << 24) + 1;
        net n = net_new(1, run % 2 ? DEVICE(0) : FA_CPU);
        assert_true(fa_scaler_set_growth_interval(n.scaler, interval));
        load_with(n.scaler, "growth_tracker", (double)(interval - 2), true, NULL);
        for (int i = 0; i < 2; i++) {
            assert_true(fa_backward(fa_scaler_scale(n.scaler, loss_of(&n, i))));
            assert_true(fa_scaler_step(n.scaler, n.optim) && fa_scaler_update(n.scaler));
            fa_state_dict numbers = fa_scaler_state_dict(n.scaler);
            assert_true(number_in(&numbers, "growth_tracker") == (i ? 0 : (double)(interval - 1)));
            assert_true(fa_scaler_get_scale(n.scaler) == (i ? 2048 : 1024));
        }
        assert_no_error();
    }
    assert_null(fa_amp_scaler(.growth_interval = INT64_MAX));
    assert_error(FA_ERROR_ARGUMENT, "fa_amp_scaler", ".growth_interval is a whole number from 1 to 2^48");
}

static void without_scaling_there_is_no_state(void **state)
{
    (void)state;
    FA_SCOPE;
    const char *path = "scaler_off_test.safetensors";
    fa_scaler *off = fa_amp_scaler(.enabled = false, .growth_factor = 5), *on = fa_amp_scaler(.init_scale = 8);
    fa_state_dict none = fa_scaler_state_dict(off), numbers = fa_scaler_state_dict(on);
    assert_true(none.kind && none.numbers.count == 0 && none.tensors.count == 0);
    assert_true(fa_scaler_load_state_dict(off, &none) && fa_scaler_load_state_dict(off, &numbers));
    assert_true(fa_scaler_get_growth_factor(off) == 5);
    assert_no_error();
    assert_false(fa_scaler_load_state_dict(on, &none));
    assert_error(FA_ERROR_ARGUMENT, "fa_scaler_load_state_dict", "of a scaler that was not enabled");
    assert_false(fa_scaler_load_state_dict(off, NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_scaler_load_state_dict", "the state is NULL");
    assert_true(fa_checkpoint_save(path, .scaler = off) && fa_checkpoint_load(path, .scaler = off));
    assert_false(fa_checkpoint_load(path, .scaler = on));
    assert_error(FA_ERROR_ARGUMENT, "of a scaler that was not enabled");
    assert_true(fa_scaler_get_scale(on) == 8);
    unlink(path);
}

static void an_f16_loss_becomes_f32(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *loss = fa_full(FA_SCALAR, 3.0, .dtype = FA_F16, .device = DEVICE(0));
    fa_scaler *s = fa_amp_scaler();
    fa_tensor *scaled = fa_scaler_scale(s, loss);
    assert_true(fa_tensor_dtype(scaled) == FA_F32 && fa_item(scaled) == 3 * 65536.0);
}

/* ---- misuse ---- */
/* One step whose loss has the square of its own gradient in it, times `weight`; s: NULL without scaling */
static fa_tensor *step_with_penalty(fa_scaler *s, double weight)
{
    fa_tensor *w = parameter((float[]){1, -2, 0.5F, 3}, 4, DEVICE(0));
    fa_optim *optim = fa_optim_sgd(fa_params(w), .lr = 0.1);
    fa_tensor *one = fa_to(fa_ones(FA_SHAPE()), DEVICE(0));
    FA_USE(.forbid = FA_SYNC | FA_TRANSFER);
    fa_tensor *loss = fa_sum(fa_square(fa_tanh(w)));
    fa_tensor *g =
        fa_grad_of(FA_TENSORS(s ? fa_scaler_scale(s, loss) : loss), FA_TENSORS(w), .create_graph = true).item[0];
    if (s)
        g = fa_div(g, fa_scaler_scale(s, one));
    loss = fa_add(loss, fa_mul(fa_sum(fa_square(g)), weight));
    assert_true(fa_backward(s ? fa_scaler_scale(s, loss) : loss));
    assert_true(s ? fa_scaler_step(s, optim) && fa_scaler_update(s) : fa_optim_step(optim));
    return fa_detach(w);
}

static void gradients_can_be_penalized(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *expected = fa_cpu(step_with_penalty(NULL, 0.5));
    fa_tensor *w = fa_cpu(step_with_penalty(fa_amp_scaler(.init_scale = 1024), 0.5));
    assert_true(same_tensors(w, expected));
    assert_false(same_tensors(fa_cpu(step_with_penalty(fa_amp_scaler(.init_scale = 1024), 0)), expected));
    assert_no_error();
}

static void calls_in_the_wrong_order_are_errors(void **state)
{
    (void)state;
    FA_SCOPE;
    net n = net_new(0, DEVICE(0));
    assert_false(fa_scaler_step(n.scaler, n.optim));
    assert_error(FA_ERROR_ARGUMENT, "fa_scaler_step", "no loss was scaled yet");
    fa_tensor *loss = fa_scaler_scale(n.scaler, loss_of(&n, 0));
    assert_false(fa_scaler_step(n.scaler, n.optim));
    assert_error(FA_ERROR_ARGUMENT, "fa_scaler_step", "no parameter of the optimizer has a gradient");
    assert_true(fa_backward(loss));
    assert_false(fa_scaler_update(n.scaler));
    assert_error(FA_ERROR_STATE, "fa_scaler_update", "no fa_scaler_step()");
    assert_true(fa_scaler_unscale(n.scaler, n.optim));
    assert_false(fa_scaler_unscale(n.scaler, n.optim));
    assert_error(FA_ERROR_STATE, "fa_scaler_unscale", "were already unscaled");
    assert_true(fa_scaler_step(n.scaler, n.optim));
    assert_false(fa_scaler_unscale(n.scaler, n.optim));
    assert_error(FA_ERROR_STATE, "fa_scaler_unscale", "fa_scaler_step() was called");
    assert_false(fa_scaler_step(n.scaler, n.optim));
    assert_error(FA_ERROR_STATE, "fa_scaler_step", "already called");
    assert_true(fa_scaler_update(n.scaler));
}

static void wrong_arguments_are_errors(void **state)
{
    (void)state;
    FA_SCOPE;
    const fa_amp_scaler_options wrong[] = {
        {sizeof wrong[0], 0, 2, .5, 1, 1, true, 0},  {sizeof wrong[0], 1, 1, .5, 1, 1, true, 0},
        {sizeof wrong[0], 1, 2, 1, 1, 1, true, 0},   {sizeof wrong[0], 1, 2, .5, 0, 1, true, 0},
        {sizeof wrong[0], 1, 2, .5, 1, -1, true, 0},
    };
    const char *names[] = {".init_scale", ".growth_factor", ".backoff_factor", ".growth_interval", ".min_scale"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null((fa_amp_scaler)(&wrong[i]));
        assert_error(FA_ERROR_ARGUMENT, "fa_amp_scaler", names[i]);
    }
    net n = net_new(0, DEVICE(0));
    assert_null(fa_scaler_scale(NULL, loss_of(&n, 0)));
    assert_error(FA_ERROR_ARGUMENT, "fa_scaler_scale", "the scaler is NULL");
    assert_null(fa_scaler_scale(n.scaler, NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_scaler_scale", "the loss");
    assert_false(fa_scaler_step(n.scaler, NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_scaler_step", "the optimizer is NULL");
    assert_false(fa_scaler_update(n.scaler, .new_scale = -1));
    assert_error(FA_ERROR_ARGUMENT, "fa_scaler_update", ".new_scale");
    const double outside_f32[] = {1e39, 1e-45, (double)NAN, (double)INFINITY};
    for (int i = 0; i < 4; i++) {
        assert_null(fa_amp_scaler(.init_scale = outside_f32[i]));
        assert_error(FA_ERROR_ARGUMENT, "fa_amp_scaler", ".init_scale is between 1.2e-38 and 3.4e38");
        assert_null(fa_amp_scaler(.min_scale = outside_f32[i]));
        assert_error(FA_ERROR_ARGUMENT, "fa_amp_scaler", ".min_scale is between 1.2e-38 and 3.4e38");
        assert_false(fa_scaler_update(n.scaler, .new_scale = outside_f32[i]));
        assert_error(FA_ERROR_ARGUMENT, "fa_scaler_update", ".new_scale is between 1.2e-38 and 3.4e38");
    }
    assert_true(fa_scaler_get_scale(n.scaler) == 1024);
}

static void gradients_of_f16_are_refused(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *w = fa_to(fa_ones(FA_SHAPE(3)), FA_F16);
    w = fa_to(w, DEVICE(0));
    fa_set_requires_grad(w, true);
    fa_optim *o = fa_optim_sgd(fa_params(w));
    fa_scaler *s = fa_amp_scaler();
    assert_true(fa_backward(fa_scaler_scale(s, fa_sum(w))));
    assert_false(fa_scaler_step(s, o));
    assert_error(FA_ERROR_DTYPE, "fa_scaler_step", "the gradient of parameter 0 is f16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(its_steps_are_pytorchs),
        TEST(it_goes_on_from_a_checkpoint),
        TEST(several_optimizers_share_it),
        TEST(the_scale_has_limits),
        TEST(its_numbers_can_be_set),
        TEST(without_scaling_it_is_a_plain_step),
        TEST(an_f16_loss_becomes_f32),
        TEST(gradients_can_be_penalized),
        TEST(calls_in_the_wrong_order_are_errors),
        TEST(wrong_arguments_are_errors),
        TEST(gradients_of_f16_are_refused),
        TEST(a_state_is_checked),
        TEST(long_intervals_are_exact),
        TEST(without_scaling_there_is_no_state),
    };
    return RUN("scaler");
}
