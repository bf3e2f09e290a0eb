/* The simulation of training on many ranks (bench/support/cluster.c): cases whose time can be computed by hand, and
 * what has to hold for all of them. */
#include "../../bench/support/cluster.c" /* NOLINT(bugprone-suspicious-include): it is part of no library */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
/* after those */
#include <cmocka.h>

enum { LAYERS = 8 };
static cluster_layer layer[LAYERS];
static double steps[4] = {1, 1, 1, 1};

/* Equal layers of 1 ms forward, 2 ms backward and some MiB. */
static cluster_model model_of(double mib)
{
    for (int i = 0; i < LAYERS; i++)
        layer[i] = (cluster_layer){1e-3, 2e-3, mib * MIB};
    return (cluster_model){.layer = layer, .layers = LAYERS, .optimizer = 4e-3, .step = steps, .steps = 4};
}

static void assert_near(double a, double b)
{
    if (fabs(a - b) > 1e-9 * fabs(b))
        print_error("%.12g is not %.12g\n", a, b);
    assert_true(fabs(a - b) <= 1e-9 * fabs(b));
}

static void one_rank_is_ideal(void **state)
{
    (void)state;
    cluster_model m = model_of(4);
    const cluster_link link = {1, 1};
    for (int level = 0; level <= 3; level++)
        for (int overlap = 0; overlap < 2; overlap++) {
            const cluster_plan p = {.ranks = 1, .level = level, .bucket = 8 * MIB, .overlap = overlap};
            assert_near(cluster_step(&m, &link, &p), LAYERS * 3e-3 + 4e-3);
            assert_near(cluster_share(&m, &link, &p), 1);
        }
}

static void exchanges_take_log_n_steps(void **state)
{
    (void)state;
    const cluster_link link = {1e-5, 1e9};
    assert_near(cluster_scatter(&link, 2, 1e6), 1e-5 + 0.5e-3);
    assert_near(cluster_scatter(&link, 8, 1e6), 3e-5 + 0.875e-3);
    assert_near(cluster_scatter(&link, 10000, 0), 14e-5);
}

/* One bucket for each layer: 1 MiB at 2 ranks takes 2 latencies and 1 MiB / bandwidth. */
static void buckets_are_averaged_during_backward(void **state)
{
    (void)state;
    cluster_model m = model_of(1);
    cluster_plan p = {.ranks = 2, .bucket = MIB};
    cluster_link fast = {0, MIB / 1e-3}; /* 1 ms each: hidden but for the last */
    assert_near(cluster_step(&m, &fast, &p), LAYERS * 3e-3 + 1e-3 + 4e-3);
    cluster_link slow = {0, MIB / 5e-3}; /* 5 ms each: backward is hidden but for the first layer */
    assert_near(cluster_step(&m, &slow, &p), LAYERS * 1e-3 + 2e-3 + LAYERS * 5e-3 + 4e-3);
    p.bucket = 1024 * MIB; /* a first one of 1 MiB, and one of the rest */
    assert_near(cluster_step(&m, &fast, &p), LAYERS * 3e-3 + (LAYERS - 1) * 1e-3 + 4e-3);
}

static void shards_are_waited_for_or_fetched_ahead(void **state)
{
    (void)state;
    cluster_model m = model_of(2); /* 1 ms to gather or to reduce a layer on 2 ranks */
    const cluster_link link = {0, MIB / 1e-3};
    cluster_plan p = {.ranks = 2, .level = 2};
    assert_near(cluster_step(&m, &link, &p), LAYERS * 5e-3 + 2e-3);
    p.level = 3;
    assert_near(cluster_step(&m, &link, &p), LAYERS * 6e-3 + 2e-3);
    p.overlap = true; /* all but the first gathering and the last reduction are hidden: 2 ms of each 2 ms backward */
    assert_near(cluster_step(&m, &link, &p), LAYERS * 3e-3 + 2e-3 + 2e-3);
}

static void the_slowest_rank_counts(void **state)
{
    (void)state;
    double measured[] = {1, 1, 1, 2};
    cluster_model m = model_of(1);
    m.step = measured;
    assert_near(cluster_slowest(&m, 1), 1);
    assert_near(cluster_slowest(&m, 2), (2 - 0.75 * 0.75) / 1.25);
    assert_near(cluster_slowest(&m, 100000), 2 / 1.25);
    m.steps = 0;
    assert_near(cluster_slowest(&m, 8), 1);
}

static void more_ranks_and_worse_links_are_no_faster(void **state)
{
    (void)state;
    double measured[] = {1, 1.05, 1.1, 1.3};
    cluster_model m = model_of(3);
    m.step = measured;
    for (int level = 0; level <= 3; level++)
        for (int overlap = 0; overlap < 2; overlap++)
            for (int slow = 1; slow < 1000; slow *= 10) {
                double before = 1;
                for (int ranks = 8; ranks <= 10000; ranks *= 5) {
                    const cluster_link link = {1e-6 * slow, 1e11 / slow}, worse = {2e-6 * slow, 5e10 / slow};
                    cluster_plan p = {.ranks = ranks, .level = level, .bucket = 4 * MIB, .overlap = overlap};
                    double share = cluster_share(&m, &link, &p);
                    assert_true(share > 0 && share <= before + 1e-12);
                    assert_true(cluster_share(&m, &worse, &p) <= share + 1e-12);
                    if (overlap) {
                        p.overlap = false;
                        assert_true(cluster_share(&m, &link, &p) <= share + 1e-12);
                    }
                    before = share;
                }
            }
}

/* Latency wants large buckets, bandwidth those that leave little behind backward; no other size is better. */
static void the_best_bucket_is_found(void **state)
{
    (void)state;
    cluster_model m = model_of(4);
    const cluster_link links[] = {{1e-6, 1e10}, {1e-3, 1e10}, {1e-2, 1e12}, {3e-5, 1.2e9}};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        for (int ranks = 8; ranks <= 10000; ranks *= 5) {
            double best = cluster_best_bucket(&m, &links[i], ranks);
            cluster_plan p = {.ranks = ranks, .bucket = best};
            double least = cluster_step(&m, &links[i], &p);
            for (int mib = 1; mib <= 1024; mib *= 2) {
                p.bucket = mib * MIB;
                assert_true(cluster_step(&m, &links[i], &p) >= least * (1 - 2e-6));
            }
        }
    assert_true(cluster_best_bucket(&m, &links[2], 1000) > cluster_best_bucket(&m, &links[0], 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_rank_is_ideal),
        cmocka_unit_test(exchanges_take_log_n_steps),
        cmocka_unit_test(buckets_are_averaged_during_backward),
        cmocka_unit_test(shards_are_waited_for_or_fetched_ahead),
        cmocka_unit_test(the_slowest_rank_counts),
        cmocka_unit_test(more_ranks_and_worse_links_are_no_faster),
        cmocka_unit_test(the_best_bucket_is_found),
    };
    return cmocka_run_group_tests_name("scale", tests, NULL, NULL);
}
