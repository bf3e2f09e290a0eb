/* Distributed data parallel: the losses of one process for any number of ranks, as threads and as processes; state,
 * buffers, unused parameters, accumulation; gradients that are ready early. */
#include "dist/ranks.h"
#include "support/process.h"
#include <math.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 4, ROWS = 16 };

#define close_to(...) fa_allclose(__VA_ARGS__)

/* Weights that depend on the seed; each thread has a generator of its own. */
static fa_module *net_of(uint64_t seed)
{
    fa_generator_use(fa_generator_new(seed));
    fa_module *net =
        fa_nn_sequential(fa_nn_linear(6, 40, .dtype = FA_F64), fa_nn_tanh(), fa_nn_linear(40, 30, .dtype = FA_F64),
                         fa_nn_tanh(), fa_nn_linear(30, 2, .dtype = FA_F64));
    return net;
}

/* The losses over all rows, of rows that are split over `ranks`. */
static bool train(fa_group *g, int r, int ranks, double *loss, double *weight)
{
    fa_module *net = net_of(g ? (uint64_t)r : 0); /* those of rank 0 are taken */
    fa_module *run = g ? fa_dist_data_parallel(net, g, .bucket_bytes = 3000) : net;
    fa_optim *optim = fa_optim_adam(net, .lr = 0.01);
    fa_generator_use(fa_generator_new(99));
    int64_t part = ROWS / ranks;
    for (int i = 0; run && i < STEPS; i++) {
        FA_SCOPE;
        fa_tensor *x = fa_randn(FA_SHAPE(ROWS, 6), .dtype = FA_F64), *y = fa_randn(FA_SHAPE(ROWS, 2), .dtype = FA_F64);
        x = fa_narrow(x, 0, r * part, part);
        y = fa_narrow(y, 0, r * part, part);
        fa_optim_zero_grad(optim);
        fa_tensor *l = fa_mse_loss(fa_forward(run, x), y);
        WANT(fa_backward(l));
        WANT(fa_optim_step(optim));
        fa_tensor *mean = fa_clone(fa_detach(l));
        WANT(!g || fa_dist_all_reduce(mean, g, .op = FA_DIST_MEAN));
        loss[i] = fa_item(mean);
    }
    WANT(run && fa_read(fa_module_tensor(net, "0.weight"), weight, FA_F64, 240));
    return true;
}

static bool is_as_one(fa_group *g, int r, int ranks)
{
    double loss[2][STEPS], weight[2][240];
    WANT(train(NULL, 0, 1, loss[0], weight[0]) && train(g, r, ranks, loss[1], weight[1]));
    for (int i = 0; i < STEPS; i++)
        WANT(fabs(loss[0][i] - loss[1][i]) < 1e-12);
    for (int i = 0; i < 240; i++)
        WANT(fabs(weight[0][i] - weight[1][i]) < 1e-12);
    return true;
}

static void losses_are_those_of_one_process(void **state)
{
    (void)state;
    for (int ranks = 1; ranks <= MOST_RANKS; ranks *= 2)
        assert_true(run_threads(ranks, is_as_one));
}

/* ---- processes ---- */

/* What a launcher sets: number of the process, of all, and, if it does, of those on this machine. */
static const struct launcher {
    const char *rank, *ranks, *local;
} launchers[] = {
    {"RANK", "WORLD_SIZE", NULL},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", NULL},
};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

static void set_number(const char *name, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    if (name)
        setenv(name, text, 1);
}

/* In a child: the environment of a rank. */
static void set_environment(const struct launcher *l, int number, int ranks, int port)
{
    set_number(l->rank, number);
    set_number(l->ranks, ranks);
    set_number(l->local, ranks);
    if (l == launchers) {
        set_number("MASTER_PORT", port);
    } else { /* the port follows from the parent or the job */
        set_number("SLURM_JOB_ID", (int)getppid());
        setenv("SLURM_STEP_ID", "2", 1);
        setenv("SLURM_STEP_NODELIST", "local[host-99,7],other", 1);
    }
}

static void start_processes(const struct launcher *l, int ranks, pid_t *child)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof a;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(s, (struct sockaddr *)&a, length), 0);
    getsockname(s, (struct sockaddr *)&a, &length);
    close(s);
    for (int i = 0; i < ranks; i++) {
        child[i] = fork();
        if (child[i])
            continue;
        set_environment(l, i, ranks, ntohs(a.sin_port));
        execl("/proc/self/exe", "distributed", "rank", (char *)NULL);
        _exit(99);
    }
}

static void processes_do_the_same(void **state)
{
    (void)state;
    pid_t child[4];
    start_processes(launchers, 4, child);
    for (int i = 0; i < 4; i++)
        assert_int_equal(status_of(child[i]), 0);
    for (int l = 0; l < LAUNCHERS; l++) {
        start_processes(&launchers[l], 2, child);
        for (int i = 0; i < 2; i++)
            assert_int_equal(status_of(child[i]), 0);
    }
}

/* All others wait for the slow rank. */
static bool knows_the_slow_rank(fa_group *g, int r, int ranks)
{
    if (r == 1)
        usleep(200000);
    WANT(fa_dist_barrier(g));
    WANT(r == 1 || fa_dist_waited(g, 1) > 0.15);
    WANT(fa_dist_waited(g, r) == 0 && fa_dist_waited(g, ranks) == 0 && says("fa_dist_waited: rank 3 of a group of 3"));
    return true;
}

static void the_slow_rank_is_known(void **state)
{
    (void)state;
    assert_true(run_threads(3, knows_the_slow_rank));
}

static int run_as_rank(void)
{
    FA_SCOPE;
    fa_group *g = fa_dist_init(.timeout = 600);
    bool good = g && is_as_one(g, fa_dist_rank(g), fa_dist_size(g));
    if (fa_failed())
        fprintf(stderr, "%s\n", fa_error_message());
    return !good;
}

/* ---- accumulation and unused parameters ---- */

static bool accumulates(fa_group *g, int r, int ranks)
{
    fa_module *net = net_of(1), *ddp = fa_dist_data_parallel(net, g);
    fa_tensor *w = fa_module_tensor(net, "4.weight"), *first = NULL;
    fa_generator_use(fa_generator_new(5));
    fa_tensor *x = fa_randn(FA_SHAPE(ranks, 2, 6), .dtype = FA_F64);
    for (int i = 0; i < 2; i++) {
        WANT(fa_dist_set_sync(ddp, i == 1));
        WANT(fa_backward(fa_sum(fa_forward(ddp, fa_select(x, 0, r)))));
        first = i ? first : fa_clone(fa_grad(w));
    }
    /* the same twice: once alone, once averaged with what was accumulated */
    fa_tensor *mean = fa_clone(first);
    WANT(fa_dist_all_reduce(mean, g, .op = FA_DIST_MEAN));
    WANT(close_to(fa_grad(w), fa_mul(mean, 2), .rtol = 0, .atol = 1e-12));
    WANT(!close_to(first, mean, .rtol = 0, .atol = 1e-6));
    WANT(!fa_dist_set_sync(net, true) && says("none of fa_dist_data_parallel"));
    return true;
}

/* Layer "k" is used by ranks for which the input is above k. */
static fa_tensor *some_layers(fa_module *self, fa_tensor *x)
{
    double most = fa_item(fa_amax(x));
    fa_tensor *y = fa_forward(fa_module_child(self, "0"), x);
    if (most > 1)
        y = fa_add(y, fa_forward(fa_module_child(self, "1"), x));
    return most > 2 ? fa_add(y, fa_forward(fa_module_child(self, "2"), x)) : y;
}

static bool leaves_out(fa_group *g, int r, int ranks)
{
    fa_module *net = fa_nn_custom("some", 0, some_layers);
    for (int i = 0; i < 3; i++)
        fa_module_append(net, fa_nn_linear(1, 1, .bias = false));
    fa_module *ddp = fa_dist_data_parallel(net, g, .bucket_bytes = 4);
    for (int i = 0; i < 3; i++) { /* buckets are put in order after the first pass */
        fa_module_zero_grad(net);
        WANT(fa_backward(fa_sum(fa_forward(ddp, fa_full(FA_SHAPE(1, 1), r == 1 ? 2.0 : 1.0)))));
        WANT(fabs(fa_item(fa_grad(fa_module_tensor(net, "0.weight"))) - (1 + 1.0 / ranks)) < 1e-6);
        WANT(fabs(fa_item(fa_grad(fa_module_tensor(net, "1.weight"))) - 2.0 / ranks) < 1e-6);
        WANT(!fa_grad(fa_module_tensor(net, "2.weight")));
    }
    return true;
}

static void gradients_accumulate_and_may_be_missing(void **state)
{
    (void)state;
    assert_true(run_threads(2, accumulates) && run_threads(3, leaves_out) && run_threads(2, leaves_out));
}

/* ---- state and buffers ---- */

static bool has_other_tensors(fa_group *g, int r, int ranks)
{
    (void)ranks;
    fa_module *net = fa_nn_sequential(fa_nn_linear(2, 2), fa_nn_linear(2, r == 1 ? 3 : 2));
    WANT(!fa_dist_data_parallel(net, g));
    WANT(says(r == 1 ? "the module has 1.weight: f32 (3, 2), that of rank 0 has 1.weight: f32 (2, 2)"
                     : "the module has other tensors than that of rank 0 on rank 1"));
    net = fa_nn_sequential(fa_nn_linear(2, 2), r == 0 ? fa_nn_batch_norm1d(2) : fa_nn_relu());
    WANT(!fa_dist_data_parallel(net, g));
    WANT(says(r ? "that of rank 0 has 1.weight" : "on rank"));
    return true;
}

static bool shares_buffers(fa_group *g, int r, int ranks)
{
    (void)ranks;
    fa_module *net = fa_nn_sequential(fa_nn_batch_norm1d(3), fa_nn_linear(3, 2), fa_nn_batch_norm1d(2));
    fa_module *ddp = fa_dist_data_parallel(net, g);
    for (int i = 0; i < 3; i++)
        WANT(fa_backward(fa_sum(fa_forward(ddp, fa_add(fa_rand(FA_SHAPE(4, 3)), r)))));
    fa_tensor *mean = fa_module_tensor(net, "0.running_mean"), *zero = fa_clone(mean);
    WANT(fa_dist_broadcast(zero, 0, g));
    WANT(r == 0 || !close_to(mean, zero, .atol = 1e-3)); /* written after the last broadcast */
    fa_forward(ddp, fa_ones(FA_SHAPE(4, 3)));
    fa_tensor *after = fa_clone(mean);
    WANT(fa_dist_broadcast(after, 0, g) && close_to(mean, after));
    WANT(fa_item_int(fa_module_tensor(net, "2.num_batches_tracked")) == 4);
    fa_module_train(ddp, false);
    if (r == 0) /* nothing is exchanged */
        WANT(fa_forward(ddp, fa_ones(FA_SHAPE(4, 3))));
    return true;
}

static void states_are_shared_and_compared(void **state)
{
    (void)state;
    assert_true(run_threads(3, has_other_tensors) && run_threads(2, shares_buffers));
}

/* ---- batch normalization over all ranks ---- */

static fa_module *normed(void)
{
    fa_generator_use(fa_generator_new(3));
    return fa_nn_sequential(fa_nn_conv2d(1, 3, 3, .dtype = FA_F64), fa_nn_batch_norm2d(3, .dtype = FA_F64),
                            fa_nn_tanh(), fa_nn_flatten(), fa_nn_linear(12, 4, .dtype = FA_F64),
                            fa_nn_batch_norm1d(4, .momentum = -1, .affine = false, .dtype = FA_F64));
}

static bool normalizes_as_one(fa_group *g, int r, int ranks)
{
    fa_module *alone = normed(), *net = fa_dist_sync_batch_norm(normed(), g), *ddp = fa_dist_data_parallel(net, g);
    WANT(ddp);
    for (int i = 0; i < 3; i++) {
        fa_module_zero_grad(alone);
        fa_module_zero_grad(net);
        fa_generator_use(fa_generator_new((uint64_t)i));
        fa_tensor *x = fa_randn(FA_SHAPE(4 * ranks, 1, 4, 4), .dtype = FA_F64, .requires_grad = true);
        fa_tensor *own = fa_set_requires_grad(x, true) ? fa_detach(fa_narrow(x, 0, 4 * r, 4)) : NULL;
        fa_set_requires_grad(own, true);
        fa_tensor *whole = fa_forward(alone, x), *part = fa_forward(ddp, own);
        WANT(close_to(part, fa_narrow(whole, 0, 4 * r, 4), .rtol = 0, .atol = 1e-12));
        /* the mean over the ranks of their means is the mean of all */
        WANT(fa_backward(fa_mean(fa_pow(whole, 3))) && fa_backward(fa_mean(fa_pow(part, 3))));
        WANT(close_to(fa_grad(own), fa_mul(fa_narrow(fa_grad(x), 0, 4 * r, 4), ranks), .rtol = 0, .atol = 1e-12));
        fa_parameters a = fa_module_state(alone), b = fa_module_state(net);
        for (size_t k = 0; k < a.count; k++) {
            WANT(close_to(a.item[k], b.item[k], .rtol = 0, .atol = 1e-12));
            WANT(!fa_grad(a.item[k]) || close_to(fa_grad(a.item[k]), fa_grad(b.item[k]), .rtol = 0, .atol = 1e-12));
        }
    }
    fa_module_train(ddp, false);
    WANT(r || fa_forward(net, fa_ones(FA_SHAPE(1, 1, 4, 4), .dtype = FA_F64))); /* nothing is exchanged */
    WANT(fa_dist_sync_batch_norm(net, NULL) && fa_module_train(net, true));
    return r || fa_forward(net, fa_ones(FA_SHAPE(4, 1, 4, 4), .dtype = FA_F64));
}

static void batches_of_all_ranks_are_normalized(void **state)
{
    (void)state;
    for (int ranks = 1; ranks <= 4; ranks++)
        assert_true(run_threads(ranks, normalizes_as_one));
}

/* ---- different numbers of batches ---- */

static fa_tensor *batch_of(int r, int step)
{
    fa_generator_use(fa_generator_new((uint64_t)(100 * r + step)));
    return fa_randn(FA_SHAPE(4, 6), .dtype = FA_F64);
}

/* Two epochs, in which rank r has r + 1 batches and 3 - r. */
static int batches_of(int epoch, int r)
{
    return epoch ? 3 - r : r + 1;
}

static bool trains_unevenly(fa_group *g, int r, int ranks)
{
    fa_module *alone = net_of(0), *net = net_of((uint64_t)r), *ddp = fa_dist_data_parallel(net, g, .uneven = true);
    fa_optim *one = fa_optim_sgd(alone, .lr = 0.1), *optim = fa_optim_sgd(net, .lr = 0.1);
    for (int epoch = 0; epoch < 2; epoch++) {
        for (int i = 0; i < 3; i++) { /* one process: who has no batch adds nothing */
            fa_optim_zero_grad(one);
            for (int k = 0; k < ranks; k++)
                if (i < batches_of(epoch, k))
                    WANT(fa_backward(fa_div(fa_mean(fa_forward(alone, batch_of(k, i))), ranks)));
            WANT(fa_optim_step(one));
        }
        for (int i = 0; i < batches_of(epoch, r); i++) {
            fa_optim_zero_grad(optim);
            WANT(fa_backward(fa_mean(fa_forward(ddp, batch_of(r, i)))) && fa_optim_step(optim));
        }
        WANT(fa_dist_join(ddp));
        for (int k = 0; k < 6; k++)
            WANT(close_to(fa_module_state(alone).item[k], fa_module_state(net).item[k], .rtol = 0, .atol = 1e-12));
    }
    WANT(!fa_dist_join(net) && says("fa_dist_join"));
    return true;
}

static void ranks_may_have_different_numbers_of_batches(void **state)
{
    (void)state;
    assert_true(run_threads(3, trains_unevenly) && run_threads(2, trains_unevenly));
}

/* ---- gradients in another dtype ---- */

static bool compresses(fa_group *g, int r, int ranks)
{
    fa_module *net = fa_nn_linear(2, 1, .bias = false);
    fa_module *ddp = fa_dist_data_parallel(net, g, .gradient_dtype = FA_BF16);
    /* 1 + 2^-8 is 1 in bf16; 256 + r and the sums are not all bf16, their mean is rounded once */
    const float rows[] = {1 + 1.0f / 256, (float)(r == 0 ? 256 : 1)};
    WANT(fa_backward(fa_sum(fa_forward(ddp, fa_tensor_from(rows, FA_SHAPE(1, 2))))));
    fa_tensor *grad = fa_grad(fa_module_tensor(net, "weight"));
    float got[2];
    WANT(fa_tensor_dtype(grad) == FA_F32 && fa_read(grad, got, FA_F32, 2));
    WANT(got[0] == 1.0f
         && got[1] == (float)fa_item(fa_to(fa_to(fa_full(FA_SCALAR, (256.0 + ranks - 1) / ranks), FA_BF16), FA_F32)));
    WANT(!fa_dist_data_parallel(net, g, .gradient_dtype = FA_I32) && says(".gradient_dtype is floating point"));
    return true;
}

static void gradients_may_be_sent_in_bf16(void **state)
{
    (void)state;
    assert_true(run_threads(2, compresses) && run_threads(4, compresses));
}

/* ---- early hooks ---- */

typedef struct note {
    char text[16];
} note;

static fa_tensor *write_a(fa_tensor *grad, void *context)
{
    (void)grad;
    strcat(((note *)context)->text, "a");
    return NULL;
}

static fa_tensor *write_w(fa_tensor *grad, void *context)
{
    (void)grad;
    strcat(((note *)context)->text, "w");
    return NULL;
}

static fa_tensor *write_v(fa_tensor *grad, void *context)
{
    (void)grad;
    strcat(((note *)context)->text, "v");
    return NULL;
}

/* w is used in the last product alone, v in both. */
static void hooks_of_leaves_may_run_early(void **state)
{
    (void)state;
    for (int early = 0; early < 2; early++) {
        note n = {""};
        FA_SCOPE;
        fa_tensor *w = fa_ones(FA_SHAPE(2, 2), .requires_grad = true),
                  *v = fa_ones(FA_SHAPE(2, 2), .requires_grad = true);
        fa_tensor *x = fa_ones(FA_SHAPE(2, 2)), *a = fa_tanh(fa_matmul(x, v));
        fa_hook_grad(a, write_a, &n);
        fa_hook_after(w, write_w, &n);
        fa_hook_after(v, write_v, &n);
        fa__hooks_early(early);
        assert_true(fa_backward(fa_sum(fa_matmul(fa_matmul(a, v), w))));
        fa__hooks_early(-early);
        assert_string_equal(n.text, early ? "wav" : "awv");
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "rank"))
        return run_as_rank();
    const struct CMUnitTest tests[] = {
        TEST(losses_are_those_of_one_process),
        TEST(processes_do_the_same),
        TEST(gradients_accumulate_and_may_be_missing),
        TEST(states_are_shared_and_compared),
        TEST(batches_of_all_ranks_are_normalized),
        TEST(gradients_may_be_sent_in_bf16),
        TEST(hooks_of_leaves_may_run_early),
        TEST(the_slow_rank_is_known),
        TEST(ranks_may_have_different_numbers_of_batches),
    };
    return RUN("distributed");
}
