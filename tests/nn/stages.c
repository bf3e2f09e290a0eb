/* A network whose layers are on four devices, with skips over several of them: values, gradients and training are those
 * of one device, and only what the program copies goes between devices. */
#include "support/api_test.h"
#include "support/tensors.h"

enum { STAGES = 4, WIDTH = 24, ROWS = 6, STEPS = 4 };

/* Four late devices; of others the two of the run in turns. */
static fa_device place(int stage)
{
    return test_device_is_late(0) && test_device_is_late(1) ? FA_LATE(stage) : DEVICE(stage % 2);
}

typedef struct stages {
    fa_module *stage[STAGES];
    bool across;
} stages;

static fa_tensor *at(const stages *s, fa_tensor *x, int stage)
{
    return s->across ? fa_to(x, place(stage)) : x;
}

/* Each stage gets the results of all before it. */
static fa_tensor *forward(fa_module *self, fa_tensor *x)
{
    const stages *s = fa_module_data(self);
    fa_tensor *h[STAGES + 1] = {x};
    for (int i = 0; i < STAGES; i++) {
        fa_tensor *sum = at(s, h[0], i);
        for (int k = 1; k <= i; k++)
            sum = fa_add(sum, at(s, h[k], i));
        h[i + 1] = fa_forward(s->stage[i], sum);
    }
    return h[STAGES];
}

static fa_module *network(bool across)
{
    static const char *const names[STAGES] = {"a", "b", "c", "d"};
    fa_manual_seed(5);
    fa_module *net = fa_nn_custom("stages", sizeof(stages), forward);
    stages *s = fa_module_data(net);
    s->across = across;
    for (int i = 0; i < STAGES; i++) {
        fa_module *part = fa_nn_sequential(fa_nn_linear(WIDTH, WIDTH), fa_nn_tanh(), fa_nn_layer_norm(FA_SHAPE(WIDTH)));
        s->stage[i] = fa_module_add(net, names[i], part);
        fa_module_to(part, across ? place(i) : DEVICE(0));
    }
    return net;
}

static void assert_same(const fa_tensor *a, const fa_tensor *b)
{
    assert_no_error();
    assert_true(tensor_same_bits(fa_cpu(a), fa_cpu(b)));
}

static void four_devices_train_as_one(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net[2] = {network(false), network(true)};
    fa_optim *opt[2] = {fa_optim_adam(net[0], .lr = 1e-2), fa_optim_adam(net[1], .lr = 1e-2)};
    fa_tensor *x = fa_to(fa_randn(FA_SHAPE(ROWS, WIDTH)), DEVICE(0));
    for (int step = 0; step < STEPS; step++) {
        FA_SCOPE;
        fa_tensor *loss[2];
        for (int k = 0; k < 2; k++) {
            fa_optim_zero_grad(opt[k]);
            fa_tensor *y = fa_forward(net[k], x);
            loss[k] = fa_mse_loss(y, fa_to(x, fa_tensor_device(y)));
            fa_backward(loss[k]);
        }
        assert_same(loss[0], loss[1]);
        fa_parameters one = fa_module_parameters(net[0]), four = fa_module_parameters(net[1]);
        assert_int_equal(one.count, four.count);
        for (size_t i = 0; i < one.count; i++) {
            assert_true(fa_device_equal(fa_tensor_device(fa_grad(four.item[i])), place((int)(i * STAGES / one.count))));
            assert_same(fa_grad(one.item[i]), fa_grad(four.item[i]));
        }
        fa_optim_step(opt[0]);
        fa_optim_step(opt[1]);
        for (size_t i = 0; i < one.count; i++)
            assert_same(one.item[i], four.item[i]);
    }
}

/* Stage i reads x and the results of i stages. */
static void only_what_crosses_is_copied(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = network(true);
    fa_optim *opt = fa_optim_sgd(net, .lr = 1e-2);
    fa_tensor *x = fa_to(fa_randn(FA_SHAPE(ROWS, WIDTH)), place(0));
    int64_t to_x = 0, to_results = 0;
    for (int i = 1; i < STAGES; i++)
        for (int k = 0; k <= i; k++)
            if (!fa_device_equal(place(i), k ? place(k - 1) : place(0)))
                *(k ? &to_results : &to_x) += 1;
    fa_sum(fa_forward(net, x));
    fa_transfers_reset();
    {
        FA_USE(.forbid = FA_SYNC);
        fa_backward(fa_sum(fa_forward(net, x)));
        fa_optim_step(opt);
    }
    assert_no_error();
    fa_transfers t = fa_transfers_total();
    const int64_t crossed = to_x + 2 * to_results;      /* gradients come back the same way, but for that of x */
    const bool direct = place(0).kind == place(1).kind; /* devices of two kinds copy through the host */
    assert_int_equal(t.between, direct ? crossed : 0);
    assert_int_equal(t.to_host, direct ? 0 : crossed);
    assert_int_equal(t.to_device, direct ? 0 : crossed);
    assert_int_equal(t.waits, 0);
}

static void checkpoints_and_moves_work_across_devices(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = network(true);
    fa_tensor *x = fa_to(fa_randn(FA_SHAPE(ROWS, WIDTH)), place(0));
    fa_backward(fa_sum(fa_forward(net, x)));
    fa_tensor *weight = fa_module_tensor(net, "a.0.weight"), *grad = fa_clone(fa_grad(weight));
    fa_module_zero_grad(net);
    fa_backward(fa_sum(fa_checkpoint(net, x)));
    assert_same(fa_grad(weight), grad);
    fa_module_zero_grad(net);
    fa_module_to(net, place(1)); /* all stages; inputs still go where a stage was */
    ((stages *)fa_module_data(net))->across = false;
    fa_backward(fa_sum(fa_forward(net, fa_to(x, place(1)))));
    assert_same(fa_grad(weight), grad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(four_devices_train_as_one),
        TEST(only_what_crosses_is_copied),
        TEST(checkpoints_and_moves_work_across_devices),
    };
    return RUN("stages");
}
