/* Sharded data parallel: the losses of one process at each level, memory, layers that are used in other ways,
 * accumulation, and checkpoints that another number of ranks loads. */
#include "dist/ranks.h"
#include "support/same.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { STEPS = 4, ROWS = 16, WIDE = 40 };

#define close_to(...) fa_allclose(__VA_ARGS__)

static int level; /* of the ranks that run */

/* ---- networks ---- */

static fa_module *plain(void)
{
    return fa_nn_sequential(
        fa_nn_linear(6, WIDE, .dtype = FA_F64), fa_nn_tanh(),
        fa_nn_sequential(fa_nn_linear(WIDE, WIDE, .dtype = FA_F64), fa_nn_layer_norm(FA_SHAPE(WIDE), .dtype = FA_F64)),
        fa_nn_linear(WIDE, 2, .dtype = FA_F64));
}

/* Uses the same layer twice, the weight of another without running it, a parameter of its own, and a frozen one. */
static fa_tensor *odd_forward(fa_module *self, fa_tensor *x)
{
    fa_module *in = fa_module_child(self, "in"), *middle = fa_module_child(self, "middle");
    fa_tensor *h = fa_tanh(fa_forward(in, x));
    h = fa_tanh(fa_forward(middle, fa_tanh(fa_forward(middle, h))));
    fa_tensor *shared = fa_module_tensor(self, "tied.weight"); /* (WIDE, 2), also a layer's */
    return fa_mul(fa_matmul(h, shared), fa_module_tensor(self, "scale"));
}

static fa_module *odd(void)
{
    fa_module *net = fa_nn_custom("odd", 0, odd_forward);
    fa_module_add(net, "in", fa_nn_linear(6, WIDE, .dtype = FA_F64));
    fa_module *middle = fa_module_add(net, "middle", fa_nn_linear(WIDE, WIDE, .dtype = FA_F64));
    fa_set_requires_grad(fa_module_tensor(middle, "weight"), false);
    fa_module_add(net, "tied", fa_nn_linear(2, WIDE, .bias = false, .dtype = FA_F64));
    fa_module_add(net, "tie", fa_nn_linear(2, WIDE, .bias = false, .dtype = FA_F64));
    fa_module_replace_tensor(net, "tie.weight", fa_module_tensor(net, "tied.weight"));
    fa_module_parameter(net, "scale", fa_full(FA_SHAPE(2), 1.5, .dtype = FA_F64));
    return net;
}

static fa_module *net_of(fa_module *(*make)(void), uint64_t seed)
{
    fa_generator_use(fa_generator_new(seed));
    return make();
}

/* ---- training ---- */

typedef struct result {
    double loss[STEPS];
    double weight[6 * WIDE];
} result;

static bool take_step(fa_module *run, fa_optim *optim, fa_group *g, double *loss)
{
    FA_SCOPE;
    int r = g ? fa_dist_rank(g) : 0, ranks = g ? fa_dist_size(g) : 1;
    int64_t part = ROWS / ranks;
    fa_tensor *x = fa_randn(FA_SHAPE(ROWS, 6), .dtype = FA_F64), *y = fa_randn(FA_SHAPE(ROWS, 2), .dtype = FA_F64);
    x = fa_narrow(x, 0, r * part, part);
    y = fa_narrow(y, 0, r * part, part);
    fa_optim_zero_grad(optim);
    fa_tensor *l = fa_mse_loss(fa_forward(run, x), y);
    WANT(fa_backward(l) && fa_optim_step(optim));
    fa_tensor *mean = fa_clone(fa_detach(l));
    WANT(!g || fa_dist_all_reduce(mean, g, .op = FA_DIST_MEAN));
    *loss = fa_item(mean);
    return true;
}

static bool read_weight(fa_module *run, fa_module *net, fa_group *g, const char *name, result *out)
{
    WANT(!g || fa_dist_shard_gather(run, true));
    WANT(fa_read(fa_module_tensor(net, name), out->weight, FA_F64, 6 * WIDE));
    return !g || fa_dist_shard_gather(run, false);
}

static bool train(fa_module *(*make)(void), const char *name, fa_group *g, result *out)
{
    fa_module *net = net_of(make, g ? (uint64_t)fa_dist_rank(g) : 0); /* that of rank 0 is taken */
    fa_module *run = g ? fa_dist_shard(net, g, .level = level) : net;
    WANT(run);
    fa_optim *optim = fa_optim_adam(run, .lr = 0.01, .weight_decay = 0.01);
    fa_generator_use(fa_generator_new(99));
    for (int i = 0; i < STEPS; i++)
        WANT(take_step(run, optim, g, &out->loss[i]));
    return read_weight(run, net, g, name, out);
}

static bool same(const result *a, const result *b)
{
    for (int i = 0; i < STEPS; i++)
        WANT(fabs(a->loss[i] - b->loss[i]) < 1e-12);
    for (int i = 0; i < 6 * WIDE; i++)
        WANT(fabs(a->weight[i] - b->weight[i]) < 1e-12);
    return true;
}

static bool is_as_one(fa_group *g, int r, int ranks)
{
    (void)r, (void)ranks;
    result alone, together;
    WANT(train(plain, "0.weight", NULL, &alone) && train(plain, "0.weight", g, &together) && same(&alone, &together));
    return train(odd, "in.weight", NULL, &alone) && train(odd, "in.weight", g, &together) && same(&alone, &together);
}

static void losses_are_those_of_one_process(void **state)
{
    (void)state;
    for (level = 1; level <= 3; level++)
        for (int ranks = 1; ranks <= MOST_RANKS; ranks *= 2)
            assert_true(run_threads(ranks, is_as_one));
}

/* ---- memory ---- */

enum { LAYERS = 12, SIDE = 128 };

static size_t in_use(void)
{
    return fa_memory_stats(FA_CPU).allocated;
}

static fa_module *deep(void)
{
    fa_module *net = fa_nn_sequential();
    for (int i = 0; i < LAYERS; i++)
        fa_module_append(net, fa_nn_linear(SIDE, SIDE, .bias = false));
    return net;
}

static size_t before;
static double share[4]; /* of each level: bytes of a rank after a step, beside 4 per element: weight, gradient, Adam */

/* All ranks are in this process: what it uses is the sum. */
static bool measures(fa_group *g, int r, int ranks)
{
    if (r == 0)
        before = in_use();
    WANT(fa_dist_barrier(g));
    fa_module *net = deep(), *run = fa_dist_shard(net, g, .level = level);
    fa_optim *optim = fa_optim_adam(run, .lr = 0.01);
    for (int i = 0; i < 2; i++) {
        FA_SCOPE;
        fa_optim_zero_grad(optim);
        WANT(fa_backward(fa_sum(fa_forward(run, fa_ones(FA_SHAPE(1, SIDE))))) && fa_optim_step(optim));
    }
    WANT(fa_dist_barrier(g));
    if (r == 0)
        share[level] = (double)(in_use() - before) / ranks / (4.0 * LAYERS * SIDE * SIDE * 4);
    return fa_dist_barrier(g);
}

static void memory_is_that_of_the_shards(void **state)
{
    (void)state;
    const double part = 1.0 / 4;
    for (level = 1; level <= 3; level++)
        assert_true(run_threads(4, measures));
    /* Adam's state is 2 of 4 parts, parameters and gradients one each; level 1 also has the shards' gradients */
    assert_true(share[1] < 0.5 + 0.75 * part + 0.03);
    assert_true(share[2] < 0.25 + 0.75 * part + 0.03);
    assert_true(share[3] < part + 0.03);
    assert_true(share[3] > part - 0.03);
}

static size_t most;

/* In a forward and backward pass at level 3 there is one layer, and not the network. */
static bool peaks(fa_group *g, int r, int ranks)
{
    (void)ranks;
    fa_module *run = fa_dist_shard(deep(), g);
    WANT(run && fa_dist_barrier(g));
    if (r == 0) {
        before = in_use();
        fa_memory_reset_peak(FA_CPU);
    }
    WANT(fa_dist_barrier(g));
    FA_SCOPE;
    WANT(fa_backward(fa_sum(fa_forward(run, fa_ones(FA_SHAPE(1, SIDE))))));
    WANT(fa_dist_barrier(g));
    if (r == 0)
        most = fa_memory_stats(FA_CPU).peak - before;
    return fa_dist_barrier(g);
}

static void a_pass_has_one_layer_at_a_time(void **state)
{
    (void)state;
    assert_true(run_threads(2, peaks));
    const size_t layer = SIDE * SIDE * 4;
    /* for each of 2 ranks: the gradients of its shards, and of one layer weight, gradient and working memory */
    assert_true(most < 2 * (LAYERS / 2 + 5) * layer);
}

/* ---- use ---- */

static bool is_used_otherwise(fa_group *g, int r, int ranks)
{
    (void)r, (void)ranks;
    fa_module *net = net_of(plain, 1), *run = fa_dist_shard(net, g);
    fa_tensor *x = fa_ones(FA_SHAPE(2, 6), .dtype = FA_F64), *with = fa_detach(fa_forward(run, x));
    {
        FA_USE(.no_grad = true);
        WANT(close_to(fa_forward(run, x), with));
    }
    WANT(fa_device_equal(fa_tensor_device(fa_module_tensor(net, "0.weight")), FA_META));
    WANT(!fa_mul(fa_module_tensor(net, "0.weight"), x) && says("meta"));
    fa_module_train(run, false);
    WANT(fa_forward(run, x) && !fa_module_training(net));
    WANT(fa_dist_shard_gather(run, true) && close_to(fa_forward(net, x), with));
    {
        FA_USE(.no_grad = true);
        WANT(fa_mul_(fa_module_tensor(net, "3.weight"), 2) && fa_mul_(fa_module_tensor(net, "3.bias"), 2));
    }
    WANT(fa_dist_shard_gather(run, false) && close_to(fa_forward(run, x), fa_mul(with, 2)));
    WANT(!fa_dist_shard_gather(net, true) && says("none of fa_dist_shard"));
    WANT(!fa_dist_shard(net, g, .level = 4) && says(".level is 1, 2 or 3"));
    return true;
}

/* Two backward passes, of which the first only accumulates, are one of the sum. */
static bool accumulates(fa_group *g, int r, int ranks)
{
    (void)ranks;
    fa_module *net = net_of(plain, 1), *run = fa_dist_shard(net, g, .level = level);
    fa_tensor *shard = fa_module_tensor(run, "shard0");
    fa_tensor *x = fa_full(FA_SHAPE(2, 6), 0.1 * (r + 1), .dtype = FA_F64);
    WANT(fa_dist_set_sync(run, false) && fa_backward(fa_sum(fa_forward(run, x))) && !fa_grad(shard));
    WANT(fa_dist_set_sync(run, true) && fa_backward(fa_sum(fa_forward(run, x))));
    fa_tensor *twice = fa_clone(fa_grad(shard));
    WANT(fa_set_grad(shard, NULL) && fa_backward(fa_sum(fa_forward(run, x))));
    WANT(close_to(twice, fa_mul(fa_grad(shard), 2), .atol = 1e-13));
    double norm = fa_dist_shard_clip_norm(run, 0.5);
    WANT(norm > 0.5 && fabs(fa_dist_shard_clip_norm(run, 10) - 0.5) < 1e-5);
    return true;
}

static bool changes_are_noticed(fa_group *g, int r, int ranks)
{
    (void)r, (void)ranks;
    fa_module *run = fa_dist_shard(net_of(plain, 1), g);
    fa_optim *optim = fa_optim_sgd(run, .lr = 0.1);
    fa_tensor *x = fa_ones(FA_SHAPE(2, 6), .dtype = FA_F64), *l = fa_sum(fa_forward(run, x));
    WANT(fa_backward(l, .retain_graph = true) && fa_optim_step(optim));
    WANT(!fa_backward(l) && says("was changed in place"));
    return true;
}

static void it_can_be_used_otherwise(void **state)
{
    (void)state;
    assert_true(run_threads(2, is_used_otherwise) && run_threads(2, changes_are_noticed));
    for (level = 1; level <= 3; level++)
        assert_true(run_threads(2, accumulates) && run_threads(3, accumulates));
}

/* An infinite gradient is in the shard of one rank: all skip the step. */
static bool skips_together(fa_group *g, int r, int ranks)
{
    fa_module *run = fa_dist_shard(fa_nn_linear(64, 64), g);
    fa_tensor *shard = fa_module_tensor(run, "shard0"), *old = fa_clone(fa_detach(shard));
    fa_optim *optim = fa_optim_sgd(run, .lr = 1);
    fa_scaler *scaler = fa_amp_scaler();
    WANT(fa_dist_sync_scaler(scaler, g));
    for (int i = 0; i < 2; i++) {
        fa_optim_zero_grad(optim);
        WANT(fa_backward(fa_scaler_scale(scaler, fa_sum(fa_forward(run, fa_ones(FA_SHAPE(1, 64)))))));
        if (!i && r == ranks - 1)
            WANT(fa_set(fa_grad(shard), 0, INFINITY));
        WANT(fa_scaler_step(scaler, optim) && fa_scaler_update(scaler));
        WANT(fa_scaler_get_scale(scaler) == 32768 && same_tensors(old, fa_detach(shard)) == !i);
    }
    return true;
}

static void scalers_agree(void **state)
{
    (void)state;
    assert_true(run_threads(2, skips_together) && run_threads(3, skips_together));
}

/* ---- checkpoints ---- */

static char folder[64];
static result saved;
static bool saves;

static bool goes_on(fa_group *g, int r, int ranks)
{
    (void)ranks;
    result now;
    fa_module *net = net_of(plain, (uint64_t)r + 10), *run = fa_dist_shard(net, g, .level = level);
    fa_optim *optim = fa_optim_adam(run, .lr = 0.01);
    for (int i = 0; saves && i < 2; i++)
        WANT(take_step(run, optim, g, &now.loss[i]));
    WANT(saves ? fa_dist_checkpoint_save(folder, g, .module = run, .optim = optim)
               : fa_dist_checkpoint_load(folder, g, .module = run, .optim = optim));
    fa_generator_use(fa_generator_new(7));
    for (int i = 0; i < STEPS; i++)
        WANT(take_step(run, optim, g, &now.loss[i]));
    WANT(read_weight(run, net, g, "0.weight", &now));
    if (saves && r == 0)
        saved = now;
    return saves || same(&saved, &now);
}

/* Returns how many files there were. */
static int remove_all(void)
{
    int count = 0;
    char path[512];
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && (e = readdir(d));)
        if (*e->d_name != '.') {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            count += unlink(path) == 0;
        }
    closedir(d);
    return rmdir(folder) == 0 ? count : -1;
}

static bool finds_none(fa_group *g, int r, int ranks)
{
    (void)r, (void)ranks;
    WANT(!fa_dist_checkpoint_load(folder, g, .module = net_of(plain, 1)) && says("there is no checkpoint in"));
    WANT(!fa_dist_checkpoint_save("/nowhere/at/all", g) && fa_failed());
    fa_error_clear();
    return true;
}

static void other_numbers_of_ranks_load_checkpoints(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/facula-shard-%d", (int)getpid());
    for (level = 1; level <= 3; level += 2)
        for (int i = 0; i < 4; i++) {
            saves = true;
            assert_true(run_threads((int[]){2, 4, 4, 1}[i], goes_on));
            saves = false;
            assert_true(run_threads((int[]){2, 2, 8, 2}[i], goes_on));
        }
    assert_int_equal(remove_all(), 2); /* of the last one */
    assert_true(run_threads(2, finds_none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(losses_are_those_of_one_process),         TEST(memory_is_that_of_the_shards),
        TEST(a_pass_has_one_layer_at_a_time),          TEST(it_can_be_used_otherwise),
        TEST(other_numbers_of_ranks_load_checkpoints), TEST(scalers_agree),
    };
    return RUN("shard");
}
