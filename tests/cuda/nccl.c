/* Collective calls by NCCL on the simulator, whose ranks are threads with a device each: results are those of the host,
 * no call waits or copies through the host, and what is not available says why. */
#include "dist/ranks.h"
#include "support/cudasim.h"
#include "support/same.h"
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { RANKS = 4 };
static const cudasim_functions *sim;

static fa_tensor *values(int r, int64_t n, fa_dtype dtype)
{
    fa_tensor *x = fa_mul(fa_arange(0, (double)n, .dtype = FA_I64), 7 + r);
    fa_tensor *whole = fa_remainder(fa_add(x, r), 5);
    return fa_dtype_is_floating(dtype) ? fa_to(fa_sin(fa_to(whole, FA_F32)), dtype) : fa_to(whole, dtype);
}

/* ---- results are those of the host ---- */

static bool reduces(fa_group *g, int r, int ranks)
{
    static const fa_dtype dtypes[] = {FA_F32, FA_F64, FA_F16, FA_BF16, FA_I64, FA_I32, FA_I8, FA_U8, FA_I16};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int op = FA_DIST_SUM; op <= FA_DIST_MAX; op++) {
            FA_SCOPE;
            if (op == FA_DIST_MEAN && !fa_dtype_is_floating(dtypes[d]))
                continue;
            const fa_dist_op how = (fa_dist_op)op;
            fa_tensor *t = values(r, 12 * ranks, dtypes[d]), *y = fa_to(t, FA_CUDA(r)), *z = fa_to(t, FA_CUDA(r));
            fa_tensor *part = fa_dist_reduce_scatter(z, g, .op = how), *host = fa_dist_reduce_scatter(t, g, .op = how);
            WANT(part && same_tensors(fa_cpu(part), host));
            WANT(fa_dist_reduce(z, 1, g, .op = how));
            WANT(fa_dist_all_reduce(y, g, .op = how));
            fa_tensor *before = fa_clone(t);
            WANT(fa_dist_all_reduce(t, g, .op = how));
            WANT(same_tensors(fa_cpu(y), t));
            WANT(same_tensors(fa_cpu(z), r == 1 ? t : before));
        }
    return true;
}

static bool moves(fa_group *g, int r, int ranks)
{
    for (int64_t n = 1; n < 3000; n = 40 * n + 1) {
        FA_SCOPE;
        fa_tensor *t = values(r, n * ranks, FA_F32), *x = fa_to(t, FA_CUDA(r)), *flags = fa_gt(x, 0.5);
        WANT(same_tensors(fa_cpu(fa_dist_all_gather(x, g)), fa_dist_all_gather(t, g)));
        WANT(same_tensors(fa_cpu(fa_dist_all_gather(flags, g)), fa_dist_all_gather(fa_cpu(flags), g)));
        WANT(same_tensors(fa_cpu(fa_dist_gather(x, 2, g)), fa_dist_gather(t, 2, g)));
        WANT(same_tensors(fa_cpu(fa_dist_all_to_all(x, g)), fa_dist_all_to_all(t, g)));
        fa_tensor *all = fa_dist_all_gather(x, g), *part = fa_zeros(fa_tensor_shape(x), .device = FA_CUDA(r));
        WANT(fa_dist_scatter(part, r == 3 ? all : NULL, 3, g) && same_tensors(fa_cpu(part), t));
        WANT(fa_dist_broadcast(x, 1, g) && same_tensors(fa_cpu(x), values(1, n * ranks, FA_F32)));
        WANT(fa_dist_barrier(g));
    }
    return true;
}

static bool views(fa_group *g, int r, int ranks)
{
    fa_tensor *wide = fa_zeros(FA_SHAPE(6, 4), .device = FA_CUDA(r)), *t = fa_t(wide);
    fa_copy_(t, r + 1);
    const int64_t version = fa_tensor_version(wide);
    WANT(fa_dist_all_reduce(t, g) && fa_tensor_version(wide) > version);
    WANT(same_tensors(fa_cpu(wide), fa_full(FA_SHAPE(6, 4), ranks * (ranks + 1) / 2.0)));
    fa_tensor *none = fa_zeros(FA_SHAPE(0, 3), .device = FA_CUDA(r));
    WANT(fa_dist_all_reduce(none, g));
    return true;
}

static bool sends(fa_group *g, int r, int ranks)
{
    fa_tensor *one = fa_ones(FA_SCALAR, .device = FA_CUDA(r));
    WANT(fa_dist_all_reduce(one, g)); /* makes the communicator */
    for (int turn = 0; turn < 3; turn++) {
        FA_SCOPE;
        fa_tensor *got = fa_zeros(FA_SHAPE(50), .device = FA_CUDA(r)), *mine = fa_to(values(r, 50, FA_F32), FA_CUDA(r));
        int next = (r + 1) % ranks, last = (r + ranks - 1) % ranks;
        if (r % 2 == 0)
            WANT(fa_dist_send(mine, next, g));
        WANT(fa_dist_recv(got, last, g));
        if (r % 2)
            WANT(fa_dist_send(mine, next, g));
        WANT(same_tensors(fa_cpu(got), values(last, 50, FA_F32)));
    }
    return true;
}

static void calls_give_what_the_host_computes(void **state)
{
    (void)state;
    const long before = sim->calls("ncclAllReduce"), sent = sim->calls("ncclSend");
    assert_true(run_threads(RANKS, reduces));
    assert_int_equal(sim->calls("ncclAllReduce") - before, RANKS * (4 * 5 + 4 * 4));
    assert_true(run_threads(RANKS, moves) && run_threads(RANKS, views));
    const long moved = sim->calls("ncclSend");
    assert_true(moved > sent);
    assert_true(run_threads(RANKS, sends));
    assert_int_equal(sim->calls("ncclSend") - moved, 3 * RANKS);
    assert_no_error();
}

/* ---- order, without waiting ---- */

static bool in_order(fa_group *g, int r, int ranks)
{
    fa_tensor *x = fa_zeros(FA_SHAPE(1000), .device = FA_CUDA(r));
    fa_stream *other = fa_stream_new(FA_CUDA(r));
    WANT(fa_dist_all_reduce(x, g));
    fa_tensor *y = NULL;
    {
        FA_USE(.forbid = FA_TRANSFER | FA_SYNC);
        for (int i = 0; i < 5; i++) {
            fa_add_(x, r + 1);
            WANT(fa_dist_all_reduce(x, g, .op = FA_DIST_SUM));
            FA_USE(.stream = other);
            fa_mul_(x, 0.5);
            fa_work *w = fa_dist_all_reduce_start(x, g, .op = FA_DIST_MAX);
            WANT(w && fa_work_wait(w));
        }
        y = fa_add(x, 1);
    }
    double expected = 0;
    for (int i = 0; i < 5; i++)
        expected = (expected * ranks + ranks * (ranks + 1) / 2.0) * 0.5;
    WANT(same_tensors(fa_cpu(y), fa_full(FA_SHAPE(1000), expected + 1)));
    return true;
}

static void calls_are_in_order_and_the_host_does_not_wait(void **state)
{
    (void)state;
    for (int turn = 0; turn < 3; turn++) {
        sim->delay(turn == 1 ? -1 : turn == 2 ? 300 : 0, NULL);
        assert_true(run_threads(RANKS, in_order));
    }
    sim->delay(0, NULL);
    assert_no_error();
}

/* ---- training ---- */

static float trained[3][RANKS];
static int row;

/* Ranks begin with other weights, and get those of rank 0. */
static fa_module *network(int r)
{
    FA_USE(.no_grad = true);
    fa_module *net = fa_nn_sequential(fa_nn_linear(6, 20), fa_nn_relu(), fa_nn_linear(20, 4));
    fa_parameters p = fa_module_parameters(net);
    for (size_t i = 0; i < p.count; i++)
        fa_copy_(p.item[i], fa_reshape(values(r, fa_numel(p.item[i]), FA_F32), fa_tensor_shape(p.item[i])));
    return net;
}

static bool trains(fa_group *g, int r, int ranks)
{
    FA_USE(.device = FA_CUDA(r));
    fa_module *net = network(r);
    fa_module *ddp = fa_dist_data_parallel(net, g, .bucket_bytes = 300);
    fa_optim *optim = fa_optim_sgd(net, .lr = 0.1);
    for (int step = 0; step < 4; step++) {
        FA_SCOPE;
        fa_tensor *x = fa_to(fa_reshape(values(step, 8 * 6, FA_F32), FA_SHAPE(8, 6)), FA_CUDA(r));
        fa_tensor *part = fa_narrow(x, 0, r * (8 / ranks), 8 / ranks), *y = fa_forward(ddp, part);
        fa_tensor *loss = fa_mean(fa_mul(y, y));
        fa_optim_zero_grad(optim);
        fa_backward(loss);
        fa_optim_step(optim);
    }
    trained[row][r] = (float)fa_item(fa_sum(fa_abs(fa_module_parameters(net).item[0])));
    return true;
}

static void distributed_training_goes_through_it(void **state)
{
    (void)state;
    const long before = sim->calls("ncclAllReduce");
    row = 0;
    assert_true(run_threads(RANKS, trains));
    const long used = sim->calls("ncclAllReduce");
    assert_true(used - before >= RANKS * 4 * 2); /* buckets */
    setenv("FACULA_DIST_BACKEND", "tcp", 1);
    row = 1;
    assert_true(run_threads(RANKS, trains));
    unsetenv("FACULA_DIST_BACKEND");
    assert_int_equal(sim->calls("ncclAllReduce"), used);
    row = 2;
    assert_true(run_threads(1, trains));
    assert_true(fabsf(trained[2][0] - trained[0][0]) < 1e-3f); /* one process */
    for (int r = 0; r < RANKS; r++)
        assert_true(trained[0][r] == trained[0][0] && trained[1][r] == trained[0][0] && trained[0][0] > 0);
    assert_no_error();
}

/* ---- ranks that do not come ---- */

/* All have a communicator, and rank 2 is late. */
static fa_tensor *begin_late(fa_group *g, int r, unsigned microseconds)
{
    fa_tensor *x = fa_full(FA_SHAPE(3), r + 1.0, .device = FA_CUDA(r));
    bool good = fa_dist_all_reduce(x, g, .op = FA_DIST_MAX) && fa_item(fa_sum(x)) > 0 && fa_dist_barrier(g);
    if (good && r == 2)
        usleep(microseconds);
    return good ? x : NULL;
}

static bool is_missed(fa_group *g, int r, int ranks)
{
    fa_tensor *x = begin_late(g, r, 1500000);
    fa_tensor *weight = fa_ones(FA_SHAPE(3), .device = FA_CUDA(r)), *other = fa_clone(weight);
    WANT(x && fa_item(fa_sum(weight)) == 3);
    if (r == 2)
        return !fa_dist_barrier(g) && says("all_reduce: nothing came within 0.5 s from rank 2 (rank ");
    WANT(fa_dist_all_reduce(x, g));
    fa_tensor *y = fa_add(x, 1);
    fa_sub_(fa_narrow(weight, 0, 1, 2), fa_narrow(x, 0, 1, 2));
    fa_tensor *lost[] = {y, x, fa_narrow(x, 0, 1, 1), weight, y, x, weight}; /* each time */
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
        WANT(isnan(fa_item(fa_sum(lost[i]))) && says("all_reduce: nothing came within 0.5 s from rank 2"));
    WANT(!fa_add_(x, 1) && says("all_reduce: nothing came within 0.5 s from rank 2"));
    WANT(!fa_cpu(weight) && says("all_reduce: nothing came within 0.5 s from rank 2"));
    WANT(fa_item(fa_sum(other)) == 3);
    WANT(!fa_dist_all_reduce(x, g) && says("the group has failed before"));
    WANT(fa_item(fa_sum(fa_ones(FA_SHAPE(ranks), .device = FA_CUDA(r)))) == ranks); /* the device is well */
    return true;
}

/* Later than others say that they wait, and earlier than it is too late: also where the group's own messages follow. */
static bool is_late(fa_group *g, int r, int ranks)
{
    for (int turn = 0; turn < 2; turn++) {
        fa_tensor *x = begin_late(g, r, 900000), *t = fa_ones(FA_SHAPE(5));
        WANT(x && fa_dist_all_reduce(x, g) && fa_dist_all_reduce(t, g));
        WANT(same_tensors(fa_cpu(x), fa_full(FA_SHAPE(3), (double)ranks * ranks)) && fa_item(fa_sum(t)) == 5.0 * ranks);
    }
    return true;
}

static void a_rank_that_does_not_come_is_named(void **state)
{
    (void)state;
    assert_true(run_threads_for(RANKS, 0.5, is_missed));
    assert_true(run_threads_for(RANKS, 2, is_late));
    assert_no_error();
}

/* ---- what is not available, and failures ---- */

static bool on_one_device(fa_group *g, int r, int ranks)
{
    fa_tensor *x = fa_full(FA_SHAPE(3), r + 1.0, .device = FA_CUDA(0));
    if (fa_dist_all_reduce(x, g)) {
        WANT(!getenv("FACULA_DIST_BACKEND"));
        WANT(fa_dist_all_reduce(x, g, .op = FA_DIST_MAX));
        WANT(same_tensors(fa_cpu(x), fa_full(FA_SHAPE(3), ranks * (ranks + 1) / 2.0)));
        return true;
    }
    return says("NCCL is not available on rank 0: invalid usage");
}

static void what_is_not_available_goes_through_the_host(void **state)
{
    (void)state;
    assert_true(run_threads(2, on_one_device));
    setenv("FACULA_DIST_BACKEND", "nccl", 1);
    assert_true(run_threads(2, on_one_device));
    unsetenv("FACULA_DIST_BACKEND");
    assert_no_error();
}

static bool fails(fa_group *g, int r, int ranks)
{
    (void)ranks;
    fa_tensor *x = fa_ones(FA_SHAPE(3), .device = FA_CUDA(r)), *all = fa_ones(FA_SCALAR, .device = FA_CPU);
    WANT(fa_dist_all_reduce(x, g) && fa_dist_barrier(g));
    if (r == 0) {
        sim->inject("ncclAllReduce", 1, 1, false);
        WANT(!fa_dist_all_reduce(x, g) && says("all_reduce: NCCL failed on cuda:0: unhandled cuda error (1)"));
        WANT(!fa_dist_barrier(g) && says("the group has failed before"));
        return true;
    }
    WANT(!fa_dist_all_reduce(all, g) && says("NCCL failed on cuda:0: unhandled cuda error (1) (rank 0 reports)"));
    return true;
}

static void a_failing_call_ends_the_group(void **state)
{
    (void)state;
    assert_true(run_threads(2, fails));
    sim->inject(NULL, 0, 0, false);
    assert_no_error();
}

static bool without_a_library(fa_group *g, int r, int ranks)
{
    fa_tensor *x = fa_full(FA_SHAPE(3), r + 1.0, .device = FA_CUDA(r));
    if (getenv("FACULA_DIST_BACKEND"))
        return !fa_dist_all_reduce(x, g) && says("NCCL is not available on rank 0: nowhere.so");
    WANT(fa_dist_all_reduce(x, g));
    return same_tensors(fa_cpu(x), fa_full(FA_SHAPE(3), ranks * (ranks + 1) / 2.0));
}

static void a_library_that_is_not_there_is_named(void **state)
{
    (void)state;
    assert_true(run_threads(2, without_a_library));
    setenv("FACULA_DIST_BACKEND", "nccl", 1);
    assert_true(run_threads(2, without_a_library));
    assert_no_error();
}

/* With an argument: without NCCL. */
int main(int count, char **argument)
{
    (void)argument;
    setenv("CUDASIM_DEVICES", "4", 1);
    sim = test_cudasim();
    const struct CMUnitTest absent[] = {cmocka_unit_test(a_library_that_is_not_there_is_named)};
    if (count > 1 && sim) {
        setenv("FACULA_NCCL_LIBRARY", "nowhere.so", 1);
        return cmocka_run_group_tests(absent, NULL, NULL);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_give_what_the_host_computes),
        cmocka_unit_test(calls_are_in_order_and_the_host_does_not_wait),
        cmocka_unit_test(distributed_training_goes_through_it),
        cmocka_unit_test(what_is_not_available_goes_through_the_host),
        cmocka_unit_test(a_failing_call_ends_the_group),
        cmocka_unit_test(a_rank_that_does_not_come_is_named),
    };
    return sim ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
