/* Data parallel: the results of one device on several; what is split, copied and kept; gradients, hooks, buffers,
 * random numbers; errors that name the device. On two devices, and on four late ones. */
#include "support/api_test.h"
#include <facula/facula.h>
#include <math.h>
#include <pthread.h>

enum { STEPS = 5, ROWS = 10 };

static fa_module *wide_on(int devices, fa_module *net)
{
    const fa_device four[] = {FA_LATE(0), FA_LATE(1), FA_LATE(2), FA_LATE(3)};
    return devices == 4 ? fa_data_parallel_on(net, 4, four) : fa_data_parallel(net, DEVICE(0), DEVICE(1));
}

static fa_device first_of(int devices)
{
    return devices == 4 ? FA_LATE(0) : DEVICE(0);
}

static fa_module *small_net(fa_dtype dtype)
{
    fa_manual_seed(3);
    return fa_nn_sequential(fa_nn_linear(6, 8, .dtype = dtype), fa_nn_tanh(), fa_nn_linear(8, 3, .dtype = dtype));
}

/* Trains a net; `wide` is what runs it. The losses, and the weights behind them. */
static void train(fa_module *net, fa_module *wide, fa_device device, double *loss, double *weight)
{
    fa_optim *optim = fa_optim_sgd(net, .lr = 0.1, .momentum = 0.9);
    fa_manual_seed(4);
    for (int i = 0; i < STEPS; i++) {
        FA_SCOPE;
        fa_tensor *x = fa_randn(FA_SHAPE(ROWS - i, 6), .dtype = FA_F64),
                  *y = fa_randn(FA_SHAPE(ROWS - i, 3), .dtype = FA_F64);
        fa_optim_zero_grad(optim);
        fa_tensor *l = fa_mse_loss(fa_forward(wide, wide == net ? fa_to(x, device) : x), fa_to(y, device));
        assert_true(fa_backward(l));
        assert_true(fa_optim_step(optim));
        loss[i] = fa_item(l);
    }
    assert_true(fa_read(fa_cpu(fa_module_tensor(net, "0.weight")), weight, FA_F64, 48));
    assert_no_error();
}

static void losses_are_those_of_one_device(void **state)
{
    (void)state;
    for (int devices = 2; devices <= 4; devices += 2) {
        FA_SCOPE;
        double loss[3][STEPS], weight[3][48];
        fa_module *one = fa_module_to(small_net(FA_F64), first_of(devices));
        train(one, one, first_of(devices), loss[0], weight[0]);
        for (int k = 1; k < 3; k++) {
            fa_module *net = small_net(FA_F64), *wide = wide_on(devices, net);
            assert_non_null(wide);
            train(net, wide, first_of(devices), loss[k], weight[k]);
        }
        for (int i = 0; i < STEPS; i++)
            assert_true(fabs(loss[0][i] - loss[1][i]) < 1e-12);
        for (int i = 0; i < 48; i++)
            assert_true(fabs(weight[0][i] - weight[1][i]) < 1e-12);
        assert_memory_equal(loss[1], loss[2], sizeof loss[1]);
        assert_memory_equal(weight[1], weight[2], sizeof weight[1]);
    }
}

/* ---- what each device gets ---- */

static struct {
    pthread_mutex_t lock;
    int64_t rows[8];   /* by the device's index */
    int64_t second[2]; /* of DEVICE(0), and of another one */
    int calls;
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

static fa_tensor *look(fa_module *self, fa_tensors x)
{
    (void)self;
    int index = fa_tensor_device(x.item[0]).index;
    pthread_mutex_lock(&seen.lock);
    seen.rows[index] = fa_size(x.item[0], 0);
    seen.second[!fa_device_equal(fa_tensor_device(x.item[0]), DEVICE(0))] = x.count > 1 ? fa_numel(x.item[1]) : 0;
    seen.calls++;
    pthread_mutex_unlock(&seen.lock);
    return x.count > 1 && fa_dim(x.item[1]) == 0 ? fa_mul(x.item[0], x.item[1]) : fa_mul(x.item[0], 2);
}

static void look_again(void)
{
    memset(seen.rows, -1, sizeof seen.rows);
    memset(seen.second, -1, sizeof seen.second);
    seen.calls = 0;
}

static void batches_are_split_evenly(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *wide = wide_on(4, fa_nn_custom("look", 0, look));
    static const int64_t expected[][5] = {{0, 0, -1, -1, -1}, {1, 1, -1, -1, -1}, {2, 1, 1, -1, -1}, {4, 1, 1, 1, 1},
                                          {5, 2, 2, 1, -1},   {8, 2, 2, 2, 2},    {9, 3, 3, 3, -1},  {13, 4, 4, 4, 1}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        FA_SCOPE;
        look_again();
        fa_tensor *x = fa_reshape(fa_arange(0, (double)(3 * expected[i][0])), FA_SHAPE(expected[i][0], 3));
        fa_tensor *y = fa_forward(wide, x);
        assert_true(fa_device_equal(fa_tensor_device(y), FA_LATE(0)));
        assert_true(same_tensors(y, fa_mul(x, 2)));
        assert_memory_equal(seen.rows, expected[i] + 1, 4 * sizeof *seen.rows);
    }
    assert_no_error();
}

static void several_inputs_are_split_alike(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *wide = wide_on(2, fa_nn_custom("look", 0, look));
    look_again();
    fa_tensor *x = fa_randn(FA_SHAPE(5, 2));
    assert_true(same_tensors(fa_forward(wide, x, fa_full(FA_SCALAR, 3.0)), fa_mul(x, 3)));
    assert_int_equal(seen.second[1], 1);
    look_again();
    assert_true(same_tensors(fa_forward(wide, x, fa_zeros(FA_SHAPE(5, 4))), fa_mul(x, 2)));
    assert_int_equal(seen.second[0], 12);
    assert_int_equal(seen.second[1], 8);
    assert_null(fa_forward(wide, x, fa_zeros(FA_SHAPE(4, 5))));
    assert_error(FA_ERROR_SHAPE, "dimension 0, which is 4 of input 1 and 5");
}

static fa_tensor *mean_of(fa_module *self, fa_tensor *x)
{
    (void)self;
    return fa_mean(x);
}

static void results_without_dimensions_become_a_list(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *wide = wide_on(2, fa_nn_custom("mean", 0, mean_of));
    fa_tensor *y = fa_forward(wide, fa_tensor_of(1.0, 2.0, 6.0));
    assert_true(same_tensors(y, fa_tensor_of(1.5, 6.0)));
}

/* Both threads have to be in it at once. */
static fa_tensor *meet(fa_module *self, fa_tensor *x)
{
    pthread_barrier_wait(*(pthread_barrier_t *const *)fa_module_data(self));
    return fa_add(x, fa_zeros(FA_SHAPE(1)));
}

static void devices_have_threads(void **state)
{
    (void)state;
    pthread_barrier_t both, *data = &both;
    pthread_barrier_init(&both, NULL, 2);
    {
        FA_SCOPE;
        FA_USE(.device = DEVICE(0)); /* as that of zeros is of the replica */
        fa_module *wide = wide_on(2, fa_nn_custom("meet", sizeof data, meet, .data = &data));
        fa_tensor *x = fa_randn(FA_SHAPE(5, 2));
        for (int i = 0; i < 3; i++)
            assert_true(same_tensors(fa_forward(wide, x), x));
        assert_no_error();
    }
    pthread_barrier_destroy(&both);
}

/* ---- replicas ---- */

/* Bytes between devices of two kinds go by way of the host, and are counted there and back: here once. */
static uint64_t bytes_of_forward(fa_module *wide, fa_tensor *x)
{
    FA_SCOPE;
    const uint64_t ways = DEVICE(0).kind == DEVICE(1).kind ? 1 : 2;
    fa_transfers before = fa_transfers_total();
    assert_non_null(fa_forward(wide, x));
    fa_transfers t = fa_transfers_total();
    return (t.bytes_to_device + t.bytes_to_host + t.bytes_between - before.bytes_to_device - before.bytes_to_host
            - before.bytes_between)
           / ways;
}

static void replicas_are_kept(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_module *net = fa_nn_linear(100, 2), *wide = wide_on(2, net);
    fa_tensor *x = fa_to(fa_randn(FA_SHAPE(2, 100)), DEVICE(0));
    const uint64_t weights = (200 + 2) * 4, others = 100 * 4 + 2 * 4; /* half of the input and of the output */
    assert_int_equal(bytes_of_forward(wide, x), weights + others);
    assert_int_equal(bytes_of_forward(wide, x), others);
    fa_copy_(fa_module_tensor(net, "bias"), 1.0);
    assert_int_equal(bytes_of_forward(wide, x), others + 2 * 4);
    assert_int_equal(bytes_of_forward(wide, x), others);
    fa_module_replace_tensor(net, "weight", fa_zeros(FA_SHAPE(2, 100), .device = DEVICE(0)));
    assert_int_equal(bytes_of_forward(wide, x), weights + others);
    assert_true(same_tensors(fa_forward(wide, x), fa_ones(FA_SHAPE(2, 2))));
    assert_no_error();
}

static void replicas_follow_the_module(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(fa_nn_linear(4, 4), fa_nn_dropout(.p = 0.5), fa_nn_relu()),
              *wide = wide_on(2, net);
    fa_tensor *x = fa_to(fa_randn(FA_SHAPE(6, 4)), DEVICE(0));
    assert_false(same_tensors(fa_forward(wide, x), fa_forward(wide, x)));
    fa_module_train(wide, false);
    assert_true(same_tensors(fa_forward(wide, x), fa_forward(net, x)));
    fa_module_train(wide, true);
    fa_module_replace(net, "1", fa_nn_tanh());
    assert_true(same_tensors(fa_forward(wide, x), fa_forward(net, x)));
    fa_module_replace(net, "2", fa_nn_linear(4, 9, .device = DEVICE(0)));
    assert_true(same_tensors(fa_forward(wide, x), fa_forward(net, x)));
    fa_module_to(wide, FA_F64);
    assert_true(same_tensors(fa_forward(wide, fa_to(x, FA_F64)), fa_forward(net, fa_to(x, FA_F64))));
    assert_non_null(fa_module_tensor(wide, "module.0.weight"));
    assert_no_error();
    fa_module_to(net, FA_CPU);
    assert_null(fa_forward(wide, x));
    assert_error(FA_ERROR_DEVICE, "belongs on late:0", "\"0.weight\" is on cpu");
}

/* Running statistics are those of the first device's rows. */
static void buffers_are_those_of_the_first_device(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_module_to(fa_nn_batch_norm1d(3), DEVICE(0)), *other = fa_module_clone(net);
    fa_module *wide = wide_on(2, net);
    for (int i = 0; i < 3; i++) {
        fa_tensor *x = fa_to(fa_randn(FA_SHAPE(7, 3)), DEVICE(0));
        fa_tensor *y = fa_forward(wide, x), *first = fa_forward(other, fa_narrow(x, 0, 0, 4));
        assert_true(same_tensors(fa_narrow(y, 0, 0, 4), first));
        assert_true(same_tensors(fa_module_tensor(net, "running_var"), fa_module_tensor(other, "running_var")));
    }
    assert_int_equal(fa_item_int(fa_module_tensor(net, "num_batches_tracked")), 3);
    fa_module_train(wide, false);
    fa_tensor *x = fa_to(fa_randn(FA_SHAPE(7, 3)), DEVICE(0));
    assert_true(same_tensors(fa_forward(wide, x), fa_forward(net, x)));
    assert_no_error();
}

static void random_numbers_follow_from_the_seed(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *wide = wide_on(4, fa_nn_dropout(.p = 0.5));
    fa_tensor *x = fa_ones(FA_SHAPE(8, 64)), *y[2][2];
    for (int k = 0; k < 2; k++) {
        fa_manual_seed(5);
        for (int i = 0; i < 2; i++)
            y[k][i] = fa_forward(wide, x);
    }
    for (int i = 0; i < 2; i++)
        assert_true(same_tensors(y[0][i], y[1][i]));
    assert_false(same_tensors(y[0][0], y[0][1]));
    for (int i = 2; i < 8; i += 2)
        assert_false(same_tensors(fa_narrow(y[0][0], 0, 0, 2), fa_narrow(y[0][0], 0, i, 2)));
    assert_no_error();
}

/* ---- gradients ---- */

static int hooked;

static fa_tensor *count_hook(fa_tensor *grad, void *context)
{
    (void)grad, (void)context;
    hooked++;
    return NULL;
}

static void gradients_go_to_the_module(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_module_to(small_net(FA_F64), DEVICE(0)), *wide = wide_on(2, net);
    fa_tensor *x = fa_to(fa_randn(FA_SHAPE(5, 6), .dtype = FA_F64, .requires_grad = true), DEVICE(0));
    fa_tensor *weight = fa_module_tensor(net, "0.weight");
    fa_hook_grad(weight, count_hook, NULL);
    fa_tensors one = fa_grad_of(FA_TENSORS(fa_sum(fa_forward(net, x))), FA_TENSORS(x, weight));
    fa_tensors two = fa_grad_of(FA_TENSORS(fa_sum(fa_forward(wide, x))), FA_TENSORS(x, weight));
    for (size_t i = 0; i < 2; i++)
        assert_true(fa_allclose(one.item[i], two.item[i], .rtol = 0, .atol = 1e-13));
    assert_null(fa_grad(weight));
    hooked = 0;
    assert_true(fa_backward(fa_sum(fa_forward(wide, x))));
    assert_int_equal(hooked, 1);
    assert_true(fa_allclose(fa_grad(weight), two.item[1], .rtol = 0, .atol = 1e-13));
    /* two graphs at once, and accumulation */
    fa_tensor *a = fa_sum(fa_forward(wide, x)), *b = fa_sum(fa_forward(wide, x));
    assert_true(fa_backward(a) && fa_backward(b));
    assert_true(fa_allclose(fa_grad(weight), fa_mul(two.item[1], 3), .rtol = 0, .atol = 1e-12));
    /* gradients of gradients */
    for (int k = 0; k < 2; k++) {
        fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(fa_square(fa_forward(k ? wide : net, x)))), FA_TENSORS(weight),
                                  .create_graph = true);
        one.item = two.item;
        two = fa_grad_of(FA_TENSORS(fa_sum(fa_square(g.item[0]))), FA_TENSORS(weight));
    }
    assert_true(fa_allclose(one.item[0], two.item[0], .rtol = 0, .atol = 1e-9));
    assert_no_error();
}

static void frozen_parameters_get_none(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = small_net(FA_F32), *wide = wide_on(2, net);
    fa_tensor *x = fa_randn(FA_SHAPE(5, 6)), *bias = fa_module_tensor(net, "0.bias");
    for (int k = 0; k < 2; k++) {
        fa_set_requires_grad(bias, k == 1);
        assert_true(fa_backward(fa_sum(fa_forward(wide, x))));
        assert_int_equal(fa_grad(bias) != NULL, k == 1);
        assert_non_null(fa_grad(fa_module_tensor(net, "0.weight")));
    }
    fa_module_set_requires_grad(net, false);
    assert_false(fa_requires_grad(fa_forward(wide, x)));
    {
        FA_USE(.no_grad = true);
        fa_module_set_requires_grad(net, true);
        assert_false(fa_requires_grad(fa_forward(wide, x)));
    }
    assert_true(fa_requires_grad(fa_forward(wide, x)));
    assert_no_error();
}

static void changed_weights_are_noticed_by_backward(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = small_net(FA_F32), *wide = wide_on(2, net);
    fa_tensor *x = fa_randn(FA_SHAPE(5, 6)), *l = fa_sum(fa_forward(wide, x));
    {
        FA_USE(.no_grad = true);
        fa_copy_(fa_module_tensor(net, "2.weight"), 1.0);
    }
    assert_non_null(fa_forward(wide, x));
    assert_false(fa_backward(l));
    assert_error(FA_ERROR_GRADIENT, "changed in place");
}

/* ---- errors ---- */

static fa_tensor *fails_on(fa_module *self, fa_tensor *x)
{
    const fa_device *bad = fa_module_data(self);
    if (fa_device_equal(fa_tensor_device(x), *bad)) {
        fa_fail(FA_ERROR_USER, "no luck here");
        return NULL;
    }
    return fa_add(x, 1);
}

static void errors_name_the_device(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        FA_SCOPE;
        fa_device bad = DEVICE(k);
        fa_module *wide =
            wide_on(2, fa_nn_sequential(fa_nn_relu(), fa_nn_custom("unlucky", sizeof bad, fails_on, .data = &bad)));
        for (int i = 0; i < 2; i++) {
            assert_null(fa_forward(wide, fa_randn(FA_SHAPE(4, 2))));
            assert_error(FA_ERROR_USER, "data_parallel.c:", "no luck here", "in unlucky \"1\" of sequential",
                         k ? "in the replica on late:1" : "in the replica on late:0");
        }
    }
}

static void wrong_arguments(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = small_net(FA_F32);
    assert_null(fa_data_parallel(net, DEVICE(0), DEVICE(0)));
    assert_error(FA_ERROR_DEVICE, "late:0 is named twice");
    assert_null(fa_data_parallel(net, FA_LATE(0), FA_LATE(1000)));
    assert_error(FA_ERROR_DEVICE, "no device of that number");
    assert_null(fa_data_parallel_on(net, 0, NULL));
    assert_error(FA_ERROR_ARGUMENT, "1 to 64 devices: 0");
    assert_null(fa_data_parallel(NULL, DEVICE(0)));
    assert_error(FA_ERROR_ARGUMENT, "NULL");
    fa_module *nested = fa_data_parallel(fa_data_parallel(net, DEVICE(0)), DEVICE(0), DEVICE(1));
    assert_null(fa_forward(nested, fa_randn(FA_SHAPE(4, 6))));
    assert_error(FA_ERROR_ARGUMENT, "module data_parallel has a .destroy function");
    assert_null(fa_forward(fa_data_parallel(net, DEVICE(0), DEVICE(1)), NULL));
    assert_error(FA_ERROR_ARGUMENT, "NULL");
}

/* ---- several threads ---- */

typedef struct caller {
    fa_module *wide;
    double sum;
    pthread_t thread;
} caller;

static void *infer(void *context)
{
    caller *c = context;
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_tensor *x = fa_ones(FA_SHAPE(6, 6));
    for (int i = 0; i < 10; i++) {
        FA_SCOPE;
        c->sum += fa_item(fa_sum(fa_forward(c->wide, x)));
    }
    return NULL;
}

static void threads_take_turns(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *wide = wide_on(2, small_net(FA_F32));
    caller c[3];
    for (int i = 0; i < 3; i++) {
        c[i] = (caller){.wide = wide};
        pthread_create(&c[i].thread, NULL, infer, &c[i]);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(c[i].thread, NULL);
        assert_true(c[i].sum == c[0].sum && isfinite(c[i].sum));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(losses_are_those_of_one_device),
        TEST(batches_are_split_evenly),
        TEST(several_inputs_are_split_alike),
        TEST(results_without_dimensions_become_a_list),
        TEST(devices_have_threads),
        TEST(replicas_are_kept),
        TEST(replicas_follow_the_module),
        TEST(buffers_are_those_of_the_first_device),
        TEST(random_numbers_follow_from_the_seed),
        TEST(gradients_go_to_the_module),
        TEST(frozen_parameters_get_none),
        TEST(changed_weights_are_noticed_by_backward),
        TEST(errors_name_the_device),
        TEST(wrong_arguments),
        TEST(threads_take_turns),
    };
    return RUN("data parallel");
}
