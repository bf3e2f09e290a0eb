/* Recorded steps as CUDA graphs, on the simulator: a replay is one call of the driver, random numbers and rates are new
 * in each, memory that is allocated between replays does no harm, faults have their call, and where the driver lacks
 * graphs, or fails, launches are issued one by one. That replays give the bits of calls is in train/graphs.c. */
#include "backend/gpu/cuda/cuda.h"
#include "support/api_test.h"
#include "support/cudasim.h"
#include "support/tensors.h"
#include <facula/graph.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 3000, REPLAYS = 5, LAUNCH_FAILED = 719 };
static const cudasim_functions *sim;

static long launches(void)
{
    return sim->calls("cuLaunchKernel");
}

/* A step with scratch memory (the sum), a list with a table (the optimizer), random numbers and checked indices. */
typedef struct step {
    fa_module *net;
    fa_optim *opt;
    fa_tensor *x, *at, *sum;
    fa_graph *graph;
} step;

static void compute(step *s)
{
    fa_tensor *rows = fa_index_select(s->x, 0, s->at);
    fa_optim_zero_grad(s->opt);
    fa_tensor *y = fa_add(fa_forward(s->net, rows), fa_randn(FA_SHAPE(COUNT, 2), .device = FA_CUDA(0)));
    s->sum = fa_escape(fa_sum(y));
    fa_backward(s->sum);
    fa_optim_step(s->opt);
}

static step record(void)
{
    fa_manual_seed(5);
    step s = {.net = fa_module_to(fa_nn_sequential(fa_nn_linear(3, 4), fa_nn_relu(), fa_nn_linear(4, 2)), FA_CUDA(0)),
              .x = fa_to(fa_reshape(fa_arange(0, 9, .dtype = FA_F32), FA_SHAPE(3, 3)), FA_CUDA(0)),
              .at = fa_to(fa_remainder(fa_arange(0, COUNT, .dtype = FA_I64), 3), FA_CUDA(0)),
              .graph = fa_graph_new(FA_CUDA(0))};
    s.opt = fa_optim_sgd(s.net, .lr = 1e-6, .momentum = 0.9);
    FA_RECORD(s.graph)
    compute(&s);
    assert_no_error();
    return s;
}

/* The sums and the last parameters, in one vector on the CPU. `between` comes before each replay. */
static fa_tensor *run(void (*between)(step *, int))
{
    step s = record();
    fa_tensor *all[REPLAYS + 4];
    for (int i = 0; i < REPLAYS; i++) {
        if (between)
            between(&s, i);
        assert_true(fa_graph_replay(s.graph));
        all[i] = fa_reshape(fa_cpu(s.sum), FA_SHAPE(1));
    }
    fa_parameters p = fa_module_parameters(s.net);
    for (size_t i = 0; i < 4; i++)
        all[REPLAYS + i] = fa_reshape(fa_cpu(p.item[i]), FA_SHAPE(-1));
    fa_tensor *result = fa_cat(((fa_tensors){REPLAYS + 4, all}));
    assert_no_error();
    return result;
}

static fa_tensor *run_by_launches(void (*between)(step *, int))
{
    setenv("FACULA_CUDA_GRAPHS", "0", 1);
    fa_tensor *result = run(between);
    unsetenv("FACULA_CUDA_GRAPHS");
    return result;
}

static void a_replay_is_one_call_of_the_driver(void **state)
{
    (void)state;
    FA_SCOPE;
    step s = record();
    assert_true(fa_graph_replay(s.graph)); /* makes the graph */
    long issued = launches(), made = sim->calls("cuGraphLaunch"),
         changed = sim->calls("cuGraphExecKernelNodeSetParams_v2");
    FA_REPEAT (3)
        assert_true(fa_graph_replay(s.graph));
    assert_int_equal(launches(), issued);
    assert_int_equal(sim->calls("cuGraphLaunch") - made, 3);
    assert_int_equal(sim->calls("cuGraphExecKernelNodeSetParams_v2") - changed, 3); /* the random numbers' key */
}

static void graphs_give_the_bits_of_launches(void **state)
{
    (void)state;
    FA_SCOPE;
    long before = sim->calls("cuGraphLaunch");
    fa_tensor *expected = run_by_launches(NULL);
    assert_int_equal(sim->calls("cuGraphLaunch"), before);
    assert_true(tensor_same_bits(run(NULL), expected));
    assert_int_equal(sim->calls("cuGraphLaunch"), before + REPLAYS);
}

/* Memory is allocated, filled, freed and given back to the driver; work with scratch memory and tables of its own. */
static void disturb(step *s, int i)
{
    FA_SCOPE;
    for (int64_t n = 64; n < 1 << 20; n *= 3)
        fa_full(FA_SHAPE(n), 77.0 + i, .device = FA_CUDA(0));
    fa_sum(fa_ones(FA_SHAPE(20000), .device = FA_CUDA(0)));
    if (i % 2)
        fa_empty_cache(FA_CUDA(0));
    if (i == 2)
        assert_true(fa_optim_set_lr(s->opt, 1e-7));
}

static void memory_may_be_taken_between_replays(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *expected = run_by_launches(disturb);
    assert_true(tensor_same_bits(run(disturb), expected));
    sim->delay(-1, NULL); /* nothing runs before somebody waits */
    assert_true(tensor_same_bits(run(disturb), expected));
    sim->delay(300, NULL);
    assert_true(tensor_same_bits(run(disturb), expected));
    sim->delay(0, NULL);
}

/* Later replays, which are issued before the fault is known, do not change whose it is. */
static void a_fault_has_the_call_that_found_it(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(4), .device = FA_CUDA(0)), *y = NULL;
    fa_tensor *a = fa_zeros(FA_SHAPE(3), .dtype = FA_I64, .device = FA_CUDA(0));
    fa_tensor *b = fa_zeros(FA_SHAPE(3), .dtype = FA_I64, .device = FA_CUDA(0));
    fa_graph *g = fa_graph_new(FA_CUDA(0));
    FA_RECORD(g)
    y = fa_escape(fa_add(fa_index_select(x, 0, a), fa_gather(x, 0, b)));
    assert_true(fa_graph_replay(g));
    assert_true(fa_synchronize(FA_CUDA(0)));
    sim->delay(-1, NULL);
    fa_copy_(b, 9);
    FA_REPEAT (3)
        fa_graph_replay(g);
    assert_false(fa_synchronize(FA_CUDA(0)));
    assert_error(FA_ERROR_INDEX, "fa_gather(", "index 9 is out of range for dimension 0 of size 4");
    sim->delay(0, NULL);
    fa_copy_(b, 1);
    assert_true(fa_graph_replay(g));
    assert_true(fa_item(fa_sum(y)) == 6);
}

/* ---- what the driver lacks, or fails at ---- */
static void without_the_functions_launches_are_issued(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *expected = run(NULL);
    CUresult (*had)(CUgraph) = fa__cuda.cuGraphDestroy;
    long before = sim->calls("cuGraphLaunch");
    fa__cuda.cuGraphDestroy = NULL;
    fa_tensor *got = run(NULL);
    fa__cuda.cuGraphDestroy = had;
    assert_true(tensor_same_bits(got, expected));
    assert_int_equal(sim->calls("cuGraphLaunch"), before);
}

/* While a graph is made a failure has no effect: launches are issued. Later it is an error. */
static void each_call_may_fail(void **state)
{
    (void)state;
    static const char *const making[] = {"cuStreamCreate",
                                         "cuStreamBeginCapture_v2",
                                         "cuLaunchKernel",
                                         "cuMemcpyHtoDAsync_v2",
                                         "cuStreamGetCaptureInfo_v3",
                                         "cuStreamEndCapture",
                                         "cuGraphInstantiateWithFlags"},
                             *const later[] = {"cuGraphLaunch", "cuGraphExecKernelNodeSetParams_v2"};
    FA_SCOPE;
    fa_tensor *expected = fa_cpu(run_by_launches(NULL));
    for (size_t i = 0; i < sizeof making / sizeof *making; i++) {
        FA_SCOPE;
        step s = record();
        long before = sim->calls("cuGraphLaunch");
        sim->inject(making[i], 1, LAUNCH_FAILED, false);
        for (int k = 0; k < REPLAYS; k++)
            assert_true(fa_graph_replay(s.graph));
        assert_no_error();
        assert_int_equal(sim->calls("cuGraphLaunch"), before);
        assert_true(fa_item(s.sum) == fa_item(fa_narrow(expected, 0, REPLAYS - 1, 1)));
    }
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        FA_SCOPE;
        step s = record();
        assert_true(fa_graph_replay(s.graph));
        sim->inject(later[i], 1, LAUNCH_FAILED, false);
        assert_false(fa_graph_replay(s.graph));
        assert_error(FA_ERROR_DEVICE, later[i], "CUDA_ERROR_LAUNCH_FAILED");
        assert_true(fa_graph_replay(s.graph) && fa_synchronize(FA_CUDA(0)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_replay_is_one_call_of_the_driver),        TEST(graphs_give_the_bits_of_launches),
        TEST(memory_may_be_taken_between_replays),       TEST(a_fault_has_the_call_that_found_it),
        TEST(without_the_functions_launches_are_issued), TEST(each_call_may_fail),
    };
    sim = test_cudasim();
    if (!sim) {
        printf("skipped: the simulator of CUDA is not here\n");
        return 77;
    }
    return cmocka_run_group_tests_name("cuda_graphs", tests, NULL, NULL);
}
