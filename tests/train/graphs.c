/* Recorded training steps: replays give the bits that calls give, step by step, with new inputs, random numbers,
 * learning rates and step counts; on the CPU and on the devices of the run. */
#include "support/api_test.h"
#include "support/tensors.h"
#include <facula/amp.h>
#include <facula/graph.h>
#include <facula/schedule.h>
#include <math.h>

enum { STEPS = 7, BATCH = 8, PLACES = 3 /* the CPU, and the two devices of the run */ };

static fa_device place(int i)
{
    return i ? DEVICE(i - 1) : FA_CPU;
}

/* A network with its optimizer and its inputs. */
typedef struct model {
    fa_device device;
    fa_module *net;
    fa_optim *opt;
    fa_scaler *scaler; /* NULL: none */
    fa_schedule *schedule;
    fa_tensor *x, *y;
    bool autocast;
} model;

typedef model make_model(fa_device);

static fa_tensor *wave(fa_shape shape, double first)
{
    int64_t count = 1;
    for (int i = 0; i < shape.rank; i++)
        count *= shape.dim[i];
    fa_tensor *at = fa_arange(first, first + (double)count, .dtype = FA_F64);
    return fa_reshape(fa_to(fa_sin(fa_mul(at, 1.7)), FA_F32), shape);
}

static model begin(fa_device device, fa_shape shape, fa_module *net)
{
    fa_tensor *y = fa_remainder(fa_arange(0, BATCH, .dtype = FA_I64), 4);
    return (model){
        .device = device, .net = fa_module_to(net, device), .x = fa_to(wave(shape, 0), device), .y = fa_to(y, device)};
}

static model mlp_adam(fa_device device)
{
    fa_manual_seed(3);
    model m = begin(device, FA_SHAPE(BATCH, 12),
                    fa_nn_sequential(fa_nn_linear(12, 16), fa_nn_relu(), fa_nn_dropout(.p = 0.3), fa_nn_linear(16, 4)));
    m.opt = fa_optim_adam(m.net, .lr = 0.01);
    assert_true(fa_optim_set_capturable(m.opt, true));
    return m;
}

static model mlp_adamw(fa_device device)
{
    model m = mlp_adam(device);
    m.opt = fa_optim_adamw(m.net, .lr = 0.02, .amsgrad = true);
    assert_true(fa_optim_set_capturable(m.opt, true));
    m.schedule = fa_schedule_step_lr(m.opt, 2, .gamma = 0.5);
    return m;
}

static model cnn_momentum(fa_device device)
{
    fa_manual_seed(4);
    model m = begin(device, FA_SHAPE(BATCH, 2, 8, 8),
                    fa_nn_sequential(fa_nn_conv2d(2, 3, 3), fa_nn_batch_norm2d(3), fa_nn_relu(), fa_nn_max_pool2d(2),
                                     fa_nn_flatten(), fa_nn_linear(27, 4)));
    m.opt = fa_optim_sgd(m.net, .lr = 0.05, .momentum = 0.9, .nesterov = true);
    return m;
}

static model sgd_dampened(fa_device device)
{
    fa_manual_seed(5);
    model m = begin(device, FA_SHAPE(BATCH, 12), fa_nn_sequential(fa_nn_linear(12, 4)));
    m.opt = fa_optim_sgd(m.net, .lr = 0.05, .momentum = 0.9, .dampening = 0.5);
    return m;
}

static model scaled_f16(fa_device device)
{
    model m = mlp_adam(device);
    m.scaler = fa_amp_scaler(.init_scale = 1024, .growth_interval = 2);
    m.autocast = true;
    return m;
}

static fa_tensor *step(const model *m)
{
    fa_tensor *loss;
    fa_optim_zero_grad(m->opt);
    {
        FA_USE(.autocast = m->autocast ? FA_F16 : FA_SAME);
        loss = fa_cross_entropy(fa_forward(m->net, m->x), m->y);
    }
    if (!m->scaler) {
        fa_backward(loss);
        fa_optim_step(m->opt);
        return loss;
    }
    fa_backward(fa_scaler_scale(m->scaler, loss));
    fa_scaler_step(m->scaler, m->opt);
    fa_scaler_update(m->scaler);
    return loss;
}

/* What changes between steps: the batch, with an overflow for scalers, the rate, and the random numbers. */
static void change(const model *m, int i)
{
    fa_tensor *x = wave(fa_tensor_shape(m->x), 100.0 * i);
    if (m->scaler && i == 3)
        x = fa_mul(x, INFINITY);
    assert_non_null(fa_copy_(m->x, x));
    if (m->schedule)
        assert_true(fa_schedule_step(m->schedule));
    else if (i == 2)
        assert_true(fa_optim_set_lr(m->opt, 0.003));
    if (i == 5)
        fa_manual_seed(77);
}

/* Everything that a step changes, in one vector on the CPU. */
static fa_tensor *state_of(const model *m, const fa_tensor *loss)
{
    fa_tensor *all[64] = {fa_reshape(fa_cpu(loss), FA_SHAPE(1))};
    size_t count = 1;
    fa_parameters p = fa_module_state(m->net);
    for (size_t i = 0; i < p.count; i++)
        all[count++] = fa_to(fa_reshape(fa_cpu(p.item[i]), FA_SHAPE(-1)), FA_F32);
    p = fa_module_parameters(m->net);
    for (size_t i = 0; i < p.count; i++)
        all[count++] = fa_reshape(fa_cpu(fa_grad(p.item[i])), FA_SHAPE(-1));
    return fa_cat(((fa_tensors){count, all}));
}

static void eager(make_model *make, fa_device device, fa_tensor **states)
{
    model m = make(device);
    for (int i = 0; i < STEPS; i++) {
        FA_SCOPE;
        if (i)
            change(&m, i);
        states[i] = fa_escape(state_of(&m, step(&m)));
    }
    assert_no_error();
}

static void replays_give(make_model *make, fa_device device, fa_tensor *const *expected)
{
    model m = make(device);
    fa_graph *g = fa_graph_new(device);
    FA_VAR(loss, NULL);
    for (int i = 0; i < STEPS; i++) {
        FA_SCOPE;
        if (i)
            change(&m, i);
        if (i == 0) {
            FA_RECORD(g)
            fa_assign(&loss, step(&m));
        } else {
            assert_true(fa_graph_replay(g));
        }
        assert_no_error();
        if (!tensor_same_bits(state_of(&m, loss), expected[i]))
            fail_msg("step %d on %s is not as by calls", i, fa_device_name(device));
    }
}

static void is_as_by_calls(make_model *make)
{
    for (int i = 0; i < PLACES; i++) {
        FA_SCOPE;
        fa_tensor *states[STEPS];
        eager(make, place(i), states);
        replays_give(make, place(i), states);
    }
}

static void dropout_and_adam(void **state)
{
    (void)state;
    is_as_by_calls(mlp_adam);
}

static void adamw_with_a_schedule(void **state)
{
    (void)state;
    is_as_by_calls(mlp_adamw);
}

static void a_convolutional_network_with_momentum(void **state)
{
    (void)state;
    is_as_by_calls(cnn_momentum);
}

static void momentum_that_starts_with_the_first_gradient(void **state)
{
    (void)state;
    is_as_by_calls(sgd_dampened);
}

static void a_scaler_that_skips_a_step(void **state)
{
    (void)state;
    is_as_by_calls(scaled_f16);
}

/* An optimizer whose host has counted steps goes on from there, and calls go on where replays end. */
static void recording_in_the_middle_of_training(void **state)
{
    (void)state;
    for (int i = 0; i < PLACES; i++) {
        FA_SCOPE;
        model a = sgd_dampened(place(i)), b;
        for (int k = 0; k < 6; k++)
            step(&a);
        b = sgd_dampened(place(i));
        step(&b);
        step(&b);
        fa_graph *g = fa_graph_new(place(i));
        FA_RECORD(g)
        step(&b);
        assert_true(fa_graph_replay(g) && fa_graph_replay(g));
        fa_tensor *loss = step(&b);
        assert_no_error();
        fa_state_dict counts = fa_optim_state_dict(b.opt);
        assert_true(counts.numbers.count > 0);
        fa_parameters p = fa_module_parameters(a.net), q = fa_module_parameters(b.net);
        for (size_t k = 0; k < p.count; k++)
            assert_true(tensor_same_bits(fa_cpu(p.item[k]), fa_cpu(q.item[k])));
        assert_true(fa_item(loss) > 0);
    }
}

/* A generator of the program's own is drawn from, and one that the graph does not use is not. */
static void a_generator_goes_on(void **state)
{
    (void)state;
    for (int i = 0; i < PLACES; i++) {
        FA_SCOPE;
        fa_generator *own = fa_generator_new(9);
        fa_generator_state process = fa_random_state();
        fa_graph *g = fa_graph_new(place(i));
        fa_generator_use(own);
        FA_VAR(x, NULL);
        FA_RECORD(g)
        {
            fa_tensor *perm = fa_to(fa_randperm(50, .device = place(i)), FA_F32);
            fa_assign(&x, fa_add(fa_randn(FA_SHAPE(50), .device = place(i)), perm));
        }
        fa_generator_use(NULL);
        assert_true(fa_graph_replay(g) && fa_graph_replay(g));
        assert_int_equal(fa_generator_get(own).call, 6);
        assert_int_equal(fa_random_state().call, process.call);
        fa_generator_set(own, (fa_generator_state){9, 4});
        fa_generator_use(own);
        fa_tensor *perm = fa_to(fa_randperm(50, .device = place(i)), FA_F32);
        fa_tensor *y = fa_add(fa_randn(FA_SHAPE(50), .device = place(i)), perm);
        fa_generator_use(NULL);
        assert_true(tensor_same_bits(fa_cpu(x), fa_cpu(y)));
        assert_no_error();
    }
}

/* Training and evaluation, which share parameters; and training on two devices, in turn. */
static void several_graphs(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *states[2][STEPS];
    model m[2];
    fa_graph *train[2], *evaluate[2];
    fa_tensor *loss[2], *logits[2];
    for (int d = 0; d < 2; d++) {
        eager(cnn_momentum, DEVICE(d), states[d]);
        m[d] = cnn_momentum(DEVICE(d));
        train[d] = fa_graph_new(DEVICE(d));
        evaluate[d] = fa_graph_new(DEVICE(d));
        FA_RECORD(train[d])
        loss[d] = fa_keep(step(&m[d]));
        FA_RECORD(evaluate[d])
        {
            FA_USE(.no_grad = true);
            fa_module_train(m[d].net, false);
            logits[d] = fa_keep(fa_forward(m[d].net, m[d].x));
            fa_module_train(m[d].net, true);
        }
    }
    for (int i = 1; i < STEPS; i++)
        for (int d = 0; d < 2; d++) {
            FA_SCOPE;
            change(&m[d], i);
            assert_true(fa_graph_replay(train[d]) && fa_graph_replay(evaluate[d]));
            assert_true(tensor_same_bits(state_of(&m[d], loss[d]), states[d][i]));
            FA_USE(.no_grad = true);
            fa_module_train(m[d].net, false);
            assert_true(tensor_same_bits(fa_cpu(logits[d]), fa_cpu(fa_forward(m[d].net, m[d].x))));
            fa_module_train(m[d].net, true);
        }
    for (int d = 0; d < 2; d++) {
        fa_release(loss[d]);
        fa_release(logits[d]);
    }
    assert_no_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(dropout_and_adam),
        TEST(adamw_with_a_schedule),
        TEST(a_convolutional_network_with_momentum),
        TEST(momentum_that_starts_with_the_first_gradient),
        TEST(a_scaler_that_skips_a_step),
        TEST(recording_in_the_middle_of_training),
        TEST(a_generator_goes_on),
        TEST(several_graphs),
    };
    return RUN("graphs");
}
