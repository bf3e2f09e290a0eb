/* scale [--latency US] [--bandwidth GB_S] [--steps N]: the share of ideal speed of a training step on 8 to 10,000
 * ranks, simulated from measured costs. It measures a step of the GPT of the rows on one rank: forward, when each
 * gradient is complete, and the optimizer. Started with `facula run -n 2`, it also measures the link between the ranks,
 * and steps of fa_dist_data_parallel() and fa_dist_shard(), beside what is simulated for these ranks. */
#define _GNU_SOURCE
#include "support/cluster.h"
#include "support/network.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MIB 1048576.0
enum { MOST = 256 /* parameters */, MOST_STEPS = 200, WARM = 1 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *times, int count)
{
    double sorted[MOST_STEPS];
    memcpy(sorted, times, (size_t)count * sizeof *times);
    qsort(sorted, (size_t)count, sizeof *sorted, by_size);
    return sorted[count / 2];
}

static void fill(fa_module *net)
{
    fa_parameters all = fa_module_parameters(net);
    for (size_t i = 0; i < all.count; i++)
        fa_init_uniform_(all.item[i], .a = -0.05, .b = 0.05);
}

/* ---- a step ---- */
typedef struct seconds {
    double forward, backward, optimizer;
} seconds;

typedef struct training {
    fa_module *net;
    fa_optim *optim;
    fa_tensor *x, *y;
    double step[MOST_STEPS], forward[MOST_STEPS], backward[MOST_STEPS], optimizer[MOST_STEPS];
    int steps;
} training;

/* Which gradient became complete when, in the last pass. */
static struct {
    double begin, at[MOST];
    int parameter[MOST], count;
} pass;

static fa_tensor *complete(fa_tensor *grad, void *number)
{
    (void)grad;
    if (pass.count < MOST) {
        pass.parameter[pass.count] = *(int *)number;
        pass.at[pass.count++] = now() - pass.begin;
    }
    return NULL;
}

static void make_steps(training *t, void (*each)(void))
{
    for (int i = -WARM; i < t->steps && !fa_failed(); i++) {
        FA_SCOPE;
        double begin = now();
        fa_tensor *loss = fa_cross_entropy(fa_forward(t->net, t->x), t->y);
        double middle = pass.begin = now();
        pass.count = 0;
        fa_backward(loss);
        double end = now();
        fa_optim_step(t->optim);
        fa_optim_zero_grad(t->optim);
        if (i < 0)
            continue;
        t->forward[i] = middle - begin;
        t->backward[i] = end - middle;
        t->optimizer[i] = now() - end;
        t->step[i] = t->forward[i] + t->backward[i] + t->optimizer[i];
        if (each)
            each();
    }
}

static training training_of(fa_module *net, int steps)
{
    return (training){.net = net,
                      .optim = fa_optim_adamw(net),
                      .x = fa_view(bench_gpt_tokens(7), FA_SHAPE(4, 256)),
                      .y = bench_gpt_tokens(11),
                      .steps = steps};
}

/* ---- the model of the simulation ---- */
static double spent[MOST], ready_bytes[MOST]; /* of the parameters, in the order in which gradients are complete */
static int ready[MOST], passes;

static void add_pass(void)
{
    for (int i = 0; i < pass.count; i++) {
        spent[i] += pass.at[i] - (i ? pass.at[i - 1] : 0);
        ready[i] = pass.parameter[i];
    }
    passes++;
}

typedef struct costs {
    cluster_layer parameter[MOST], unit[MOST]; /* units: what fa_dist_shard() keeps together */
    double step[MOST_STEPS];
    cluster_model by_parameter, by_unit;
    double forward, backward;
} costs;

static bool same_unit(const char *a, const char *b)
{
    size_t n = strcspn(a, ".");
    return n == strcspn(b, ".") && !strncmp(a, b, n);
}

/* Backward from the last to the first; forward takes the same share in each. */
static void lay_out(costs *c, const fa_parameters *all, int count)
{
    int units = 0;
    for (int i = count - 1; i >= 0; i--) {
        double share = spent[i] / passes / c->backward;
        cluster_layer one = {share * c->forward, share * c->backward, ready_bytes[i]};
        c->parameter[count - 1 - i] = one;
        if (i == count - 1 || !same_unit(all->name[ready[i]], all->name[ready[i + 1]]))
            c->unit[units++] = (cluster_layer){0};
        cluster_layer *u = &c->unit[units - 1];
        *u = (cluster_layer){u->forward + one.forward, u->backward + one.backward, u->bytes + one.bytes};
    }
    c->by_parameter.layer = c->parameter;
    c->by_parameter.layers = count;
    c->by_unit.layer = c->unit;
    c->by_unit.layers = units;
}

/* Hooks run when gradients are complete if a module of fa_dist_data_parallel() exists: here with a group of one. */
static bool measure(costs *c, int steps)
{
    static int number[MOST];
    static training t;
    FA_SCOPE;
    fa_group *one = NULL;
    fa_module *net = bench_gpt_net();
    fill(net);
    fa_dist_threads(1, 60, &one);
    fa_parameters all = fa_module_parameters(net);
    t = training_of(fa_dist_data_parallel(net, one), steps);
    for (size_t i = 0; i < all.count && i < MOST; i++) {
        number[i] = (int)i;
        fa_hook_after(all.item[i], complete, &number[i]);
    }
    make_steps(&t, add_pass);
    if (fa_failed() || pass.count != (int)all.count)
        return fa_failed() || fa_fail(FA_ERROR_STATE, "scale: %d gradients of %zu parameters", pass.count, all.count);
    for (int i = 0; i < pass.count; i++)
        ready_bytes[i] = (double)fa_nbytes(all.item[ready[i]]);
    c->forward = median(t.forward, steps);
    c->backward = median(t.backward, steps);
    memcpy(c->step, t.step, sizeof c->step);
    c->by_parameter = (cluster_model){.optimizer = median(t.optimizer, steps), .step = c->step, .steps = steps};
    c->by_unit = c->by_parameter;
    lay_out(c, &all, pass.count);
    return true;
}

/* ---- the link between ranks ---- */
static double all_reduce_time(fa_group *world, int64_t count)
{
    FA_SCOPE;
    double times[MOST_STEPS];
    fa_tensor *t = fa_zeros(FA_SHAPE(count));
    enum { TIMES = 21 };
    for (int i = 0; i < TIMES; i++) {
        fa_dist_barrier(world);
        double begin = now();
        fa_dist_all_reduce(t, world);
        times[i] = now() - begin;
    }
    return median(times, TIMES);
}

/* Between 2 ranks an all_reduce is 2 steps of half of the bytes. */
static cluster_link measured_link(fa_group *world)
{
    enum { LARGE = 4 << 20 };
    double small = all_reduce_time(world, 1), large = all_reduce_time(world, LARGE);
    return (cluster_link){.latency = small / 2, .bandwidth = 4.0 * LARGE / (large - small)};
}

/* ---- what is printed ---- */
static void print_measured(const costs *c, const cluster_link *link, const char *whose)
{
    double bytes = 0;
    for (int i = 0; i < c->by_parameter.layers; i++)
        bytes += c->parameter[i].bytes;
    printf("one rank: forward %.1f ms, backward %.1f ms, optimizer %.1f ms; %.1f MiB of gradients, %d parameters in %d "
           "layers; slowest of %d steps %.2f times the mean\n",
           c->forward * 1e3, c->backward * 1e3, c->by_parameter.optimizer * 1e3, bytes / MIB, c->by_parameter.layers,
           c->by_unit.layers, c->by_parameter.steps, cluster_slowest(&c->by_parameter, 1000000));
    printf("link (%s): latency %.1f us, bandwidth %.2f GB/s\n", whose, link->latency * 1e6, link->bandwidth / 1e9);
}

static const cluster_plan plans[] = {
    {.level = 0}, {.level = 2}, {.level = 3}, {.level = 2, .overlap = true}, {.level = 3, .overlap = true}};

static void print_shares(const costs *c, const cluster_link *link)
{
    static const int counts[] = {8, 16, 64, 256, 1024, 4096, 10000};
    printf("simulated share of ideal speed:\n%8s %10s %8s %8s %8s %14s %14s\n", "ranks", "bucket", "DDP", "ZeRO 1, 2",
           "ZeRO 3", "ZeRO 1, 2 ahead", "ZeRO 3 ahead");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double bucket = cluster_best_bucket(&c->by_parameter, link, counts[i]);
        printf("%8d %6.0f MiB", counts[i], bucket / MIB);
        for (size_t k = 0; k < sizeof plans / sizeof *plans; k++) {
            cluster_plan p = plans[k];
            p.ranks = counts[i];
            p.bucket = bucket;
            printf(" %*.1f %%", k < 3 ? 6 : 12,
                   100 * cluster_share(p.level ? &c->by_unit : &c->by_parameter, link, &p));
        }
        printf("\n");
    }
}

/* Steps that the ranks of this run make together. */
static void compare(const costs *c, const cluster_link *link, fa_group *world, int level, int steps)
{
    static training t;
    FA_SCOPE;
    fa_module *net = bench_gpt_net();
    fill(net);
    const double bucket = 25 * MIB;
    fa_module *run = level ? fa_dist_shard(net, world, .level = level) : fa_dist_data_parallel(net, world);
    t = training_of(run, steps);
    make_steps(&t, NULL);
    const cluster_plan p = {.ranks = fa_dist_size(world), .level = level, .bucket = bucket};
    const cluster_model *m = level ? &c->by_unit : &c->by_parameter;
    double wait = (c->forward + c->backward) * (cluster_slowest(m, p.ranks) - 1);
    if (fa_dist_rank(world) == 0 && !fa_failed())
        printf("%d ranks, %s%.0d: measured %.1f ms, simulated %.1f ms\n", p.ranks, level ? "ZeRO " : "DDP", level,
               median(t.step, steps) * 1e3, (cluster_step(m, link, &p) + wait) * 1e3);
}

static double number_of(int argc, char **argv, const char *name, double otherwise)
{
    for (int i = 1; i + 1 < argc; i++)
        if (!strcmp(argv[i], name))
            return atof(argv[i + 1]);
    return otherwise;
}

int main(int argc, char **argv)
{
    static costs c;
    fa_group *world = fa_dist_init();
    int ranks = fa_dist_size(world), steps = (int)number_of(argc, argv, "--steps", 20);
    double latency = number_of(argc, argv, "--latency", 5), bandwidth = number_of(argc, argv, "--bandwidth", 10);
    if (steps < 1 || steps > MOST_STEPS || !(latency >= 0) || !(bandwidth > 0)) {
        fprintf(stderr, "usage: scale [--latency US] [--bandwidth GB_S] [--steps 1..%d]\n", MOST_STEPS);
        return 2;
    }
    const cluster_link given = {latency * 1e-6, bandwidth * 1e9};
    cluster_link here = given;
    measure(&c, steps);
    if (ranks > 1)
        here = measured_link(world);
    if (fa_dist_rank(world) == 0 && !fa_failed()) {
        print_measured(&c, &here, ranks > 1 ? "measured" : "given");
        print_shares(&c, &here);
        if (ranks > 1) {
            print_measured(&c, &given, "given");
            print_shares(&c, &given);
        }
    }
    for (int level = 0; level <= 3 && ranks > 1; level++)
        compare(&c, &here, world, level, steps);
    if (fa_failed())
        fprintf(stderr, "scale: %s\n", fa_error_message());
    return fa_failed();
}
