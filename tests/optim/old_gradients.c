/* A step whose gradients still contain those of the step before logs a warning, once; loops that are right log none. */
#include "optim/optim_test.h"

static void count_message(void *context, fa_log_level level, const char *message)
{
    int *count = context;
    *count += level == FA_LOG_WARNING && strstr(message, "fa_optim_zero_grad(optimizer) before fa_backward");
}

static bool backward(fa_tensor *p)
{
    FA_SCOPE;
    return fa_backward(fa_sum(fa_mul(fa_square(p), p))); /* p is used several times */
}

/* ---- loops without the mistake: they are true if all calls were good ---- */

static bool plain(fa_tensor *p, fa_optim *o)
{
    return fa_optim_zero_grad(o) && backward(p) && fa_clip_grad_norm(fa_params(p), 1) && fa_optim_step(o);
}

static bool after_the_step(fa_tensor *p, fa_optim *o)
{
    return backward(p) && fa_optim_step(o) && fa_optim_zero_grad(o);
}

static bool accumulated(fa_tensor *p, fa_optim *o)
{
    return fa_optim_zero_grad(o) && backward(p) && backward(p) && fa_optim_step(o);
}

/* More steps with the same gradient. */
static bool repeated(fa_tensor *p, fa_optim *o)
{
    return accumulated(p, o) && fa_optim_step(o) && fa_optim_step(o);
}

static bool zeroed_in_place(fa_tensor *p, fa_optim *o)
{
    fa_tensor *g = fa_grad(p);
    return (!g || fa_copy_(g, 0)) && backward(p) && fa_optim_step(o);
}

/* Backward passes without a step in between, as for the other network in adversarial training. */
static bool another_backward(fa_tensor *p, fa_optim *o)
{
    return plain(p, o) && backward(p) && backward(p);
}

static bool another_backward_in_place(fa_tensor *p, fa_optim *o)
{
    return zeroed_in_place(p, o) && backward(p);
}

static bool two_optimizers(fa_tensor *p, fa_optim *o)
{
    fa_optim *other = fa_optim_sgd(fa_params(p));
    return plain(p, o) && backward(p) && fa_optim_step(other) && backward(p) && fa_optim_zero_grad(other);
}

static bool replaced(fa_tensor *p, fa_optim *o)
{
    fa_tensor *g = fa_grad(p);
    return (!g || fa_set_grad(p, fa_zeros_like(g))) && backward(p) && fa_optim_step(o);
}

static bool meant(fa_tensor *p, fa_optim *o)
{
    return fa_set_grad(p, fa_grad(p)) && backward(p) && fa_optim_step(o);
}

static bool with_graph(fa_tensor *p, fa_optim *o)
{
    return fa_optim_zero_grad(o) && fa_backward(fa_sum(fa_square(p)), .create_graph = true) && fa_optim_step(o)
           && fa_optim_zero_grad(o);
}

/* Every other step is skipped, since its loss is infinite. */
static bool scaled(fa_tensor *p, fa_optim *o, fa_scaler *s, double factor)
{
    return fa_optim_zero_grad(o) && fa_backward(fa_scaler_scale(s, fa_sum(fa_mul(fa_square(p), factor))))
           && fa_scaler_step(s, o) && fa_scaler_update(s);
}

static bool by_scaler(fa_tensor *p, fa_optim *o)
{
    fa_scaler *s = fa_amp_scaler(.init_scale = 8);
    return scaled(p, o, s, 1) && scaled(p, o, s, (double)INFINITY) && scaled(p, o, s, 1);
}

typedef bool loop(fa_tensor *p, fa_optim *o);

static int warnings_of(loop *turn, fa_device device)
{
    int count = 0;
    FA_SCOPE;
    fa_tensor *p = parameter(0, device, FA_F32);
    fa_optim *o = fa_optim_sgd(fa_params(p), .lr = 1e-4);
    fa_set_log(count_message, &count);
    bool good = true;
    for (int i = 0; good && i < 4; i++)
        good = turn(p, o);
    fa_set_log(NULL, NULL);
    assert_no_error();
    assert_true(good);
    return count;
}

static void right_loops_log_nothing(void **state)
{
    (void)state;
    loop *const right[] = {plain,    after_the_step,  accumulated,
                           repeated, zeroed_in_place, another_backward,
                           replaced, two_optimizers,  another_backward_in_place,
                           meant,    with_graph,      by_scaler};
    for (int device = 0; device < 2; device++)
        for (size_t i = 0; i < sizeof right / sizeof *right; i++)
            assert_int_equal(warnings_of(right[i], DEVICE(device)), 0);
}

static void train_module(fa_module *wrapped, fa_module *part, fa_optim *o)
{
    for (int i = 0; i < 3; i++) {
        FA_SCOPE;
        fa_tensor *x = fa_rand(FA_SHAPE(4, 3), .device = DEVICE(0));
        assert_true(fa_optim_zero_grad(o));
        assert_true(fa_backward(fa_sum(part ? fa_checkpoint(part, x) : fa_forward(wrapped, x))));
        assert_true(fa_optim_step(o));
    }
}

static void layers_used_twice_replicas_and_checkpoints_log_nothing(void **state)
{
    (void)state;
    FA_SCOPE;
    int count = 0;
    fa_module *layer = fa_nn_linear(3, 3), *net = fa_nn_sequential(layer, fa_nn_relu(), layer);
    assert_true(fa_module_to(net, DEVICE(0)));
    fa_optim *o = fa_optim_adam(layer);
    fa_set_log(count_message, &count);
    train_module(net, NULL, o);
    train_module(NULL, net, o);
    train_module(fa_data_parallel(net, DEVICE(0), DEVICE(1)), NULL, o);
    fa_set_log(NULL, NULL);
    assert_no_error();
    assert_int_equal(count, 0);
}

static void recorded_steps_log_nothing(void **state)
{
    (void)state;
    FA_SCOPE;
    int count = 0;
    fa_tensor *p = parameter(0, DEVICE(0), FA_F32);
    fa_optim *o = fa_optim_adam(fa_params(p));
    fa_graph *graph = fa_graph_new(DEVICE(0));
    fa_set_log(count_message, &count);
    assert_true(plain(p, o));
    FA_RECORD(graph)
    assert_true(plain(p, o));
    for (int i = 0; i < 3; i++)
        assert_true(fa_graph_replay(graph));
    assert_true(plain(p, o));
    fa_set_log(NULL, NULL);
    assert_no_error();
    assert_int_equal(count, 0);
}

static bool forgotten(fa_tensor *p, fa_optim *o)
{
    return backward(p) && fa_clip_grad_norm(fa_params(p), 1) && fa_optim_step(o);
}

/* Runs last, because the warning is logged once per process. */
static void the_mistake_is_told_once(void **state)
{
    (void)state;
    assert_int_equal(warnings_of(forgotten, DEVICE(0)), 1);
    assert_int_equal(warnings_of(forgotten, DEVICE(0)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_loops_log_nothing),
        cmocka_unit_test(layers_used_twice_replicas_and_checkpoints_log_nothing),
        cmocka_unit_test(recorded_steps_log_nothing),
        cmocka_unit_test(the_mistake_is_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
