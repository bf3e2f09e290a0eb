/* Room in a device's memory: tensors are moved to join free memory, or go to the host's memory and come back. */
#define _GNU_SOURCE
#include "base/alloc.h"
#include "core/order.h"
#include "support/api_test.h"
#include "support/tensors.h"
#include "support/text.h"
#include <facula/graph.h>
#include <facula/nn.h>
#include <facula/optim.h>
#include <pthread.h>

enum { MIB = 1 << 20, PART = 5 * MIB / 4, PARTS = 12, SPARE = 4 * MIB };

/* Frees what is unused, so that reserved memory is what tests hold. */
static void settle(void)
{
    fa_synchronize(DEVICE(0));
    fa__order_reap(true);
    fa_empty_cache(DEVICE(0));
}

static int begin(void **state)
{
    test_devices_delay(0);
    settle();
    fa_transfers_reset();
    return api_begin(state);
}

static int end(void **state)
{
    fa_error_clear();
    fa_memory_limit(DEVICE(0), 0);
    return begin(state);
}

static fa_memory stats(void)
{
    return fa_memory_stats(DEVICE(0));
}

static fa_tensor *filled(size_t bytes, int number)
{
    return fa_full(FA_SHAPE((int64_t)bytes / 4), number, .dtype = FA_F32, .device = DEVICE(0));
}

static void assert_is(const fa_tensor *t, double value)
{
    FA_SCOPE;
    double low = fa_item(fa_amin(t)), high = fa_item(fa_amax(t));
    assert_no_error();
    assert_true(low == value && high == value);
}

static void write_summary(FILE *file)
{
    fa_memory_summary(DEVICE(0), file);
}

/* ---- free memory is joined ---- */

/* A segment of PARTS parts, of which every other one is in use; there is little other memory below the limit. */
static void fragment(fa_tensor *held[PARTS / 2])
{
    {
        FA_SCOPE;
        filled((size_t)PARTS * PART, 0);
    }
    fa_synchronize(DEVICE(0));
    assert_true(fa_memory_limit(DEVICE(0), stats().reserved + SPARE));
    FA_VAR(none, NULL);
    for (int i = 0; i < PARTS; i++) {
        fa_tensor *t = filled(PART, i);
        if (i % 2)
            held[i / 2] = fa_keep(t);
        fa_assign(&none, t);
    }
    assert_no_error();
}

static void free_parts(fa_tensor *held[PARTS / 2])
{
    for (int i = 0; i < PARTS / 2; i++)
        fa_release(held[i]);
}

static void tensors_move_for_a_large_one(void **state)
{
    (void)state;
    if (fa__pools_off())
        skip();
    fa_tensor *held[PARTS / 2], *view;
    {
        FA_SCOPE;
        fragment(held);
        view = fa_keep(fa_narrow(held[2], 0, 1000, 1000));
    }
    fa_synchronize(DEVICE(0));
    fa_memory before = stats();
    const size_t large = 5 * PART;
    assert_true(before.largest_free < large && before.reserved - before.allocated >= large);
    assert_true(before.limit - before.reserved < large);
    {
        FA_SCOPE;
        fa_graph *graph = fa_graph_new(DEVICE(0)); /* what it uses cannot move */
        FA_RECORD(graph)
        {
            for (int i = 0; i < PARTS / 2; i++)
                fa_add_(held[i], 1);
        }
        assert_no_error();
        assert_null(filled(large, 7));
        assert_error(FA_ERROR_MEMORY, "out of memory on late:0");
        assert_true(fa_graph_replay(graph));
        assert_int_equal(stats().moved, before.moved);
    }
    FA_SCOPE;
    int64_t version = fa_tensor_version(held[2]);
    fa_tensor *y = filled(large, 7);
    assert_is(y, 7);
    fa_memory after = stats();
    assert_true(after.moved - before.moved >= PART && after.moved - before.moved <= 3 * PART);
    assert_int_equal(after.spilled.total, before.spilled.total);
    for (int i = 0; i < PARTS / 2; i++)
        assert_is(held[i], 2 * i + 3);
    assert_is(view, 7);
    assert_int_equal(fa_tensor_version(held[2]), version);
    assert_int_equal(fa_transfers_total().bytes_to_host, fa_transfers_total().to_host * 4); /* the values above */
    char *summary = written(write_summary);
    assert_non_null(strstr(summary, "moved to join free memory: "));
    free(summary);
    free_parts(held);
    fa_release(view);
}

/* All segments are too small: tensors are put together until some come free. */
static void segments_are_emptied_for_a_large_tensor(void **state)
{
    (void)state;
    if (fa__pools_off())
        skip();
    enum { SEGMENTS = 4, EACH = 24 * MIB };
    fa_tensor *held[SEGMENTS];
    {
        FA_SCOPE;
        fa_tensor *whole[SEGMENTS];
        for (int i = 0; i < SEGMENTS; i++)
            whole[i] = fa_keep(filled(EACH, 0));
        for (int i = 0; i < SEGMENTS; i++)
            fa_release(whole[i]);
    }
    fa_synchronize(DEVICE(0));
    {
        FA_SCOPE;
        fa_tensor *fill[SEGMENTS];
        for (int i = 0; i < SEGMENTS; i++) { /* one of 6 MiB in each */
            held[i] = fa_keep(filled(EACH / 4, i));
            fill[i] = fa_keep(filled(EACH - EACH / 4, i));
        }
        for (int i = 0; i < SEGMENTS; i++)
            fa_release(fill[i]);
    }
    fa_synchronize(DEVICE(0));
    size_t moved = stats().moved;
    assert_true(fa_memory_limit(DEVICE(0), stats().reserved));
    FA_SCOPE;
    assert_is(filled(2 * EACH, 5), 5);
    assert_true(stats().moved > moved);
    for (int i = 0; i < SEGMENTS; i++) {
        assert_is(held[i], i);
        fa_release(held[i]);
    }
}

/* ---- the host's memory takes what does not fit ---- */
enum { MANY = 12 };

/* As many parts fit at a time. */
static void limit_to(int parts, size_t spill)
{
    assert_true(fa_memory_limit(DEVICE(0), stats().reserved + (size_t)parts * PART + 3 * MIB, .spill = spill));
}

static void tensors_go_to_the_host_and_come_back(void **state)
{
    (void)state;
    fa_memory before = stats();
    limit_to(6, (size_t)MANY * PART);
    FA_SCOPE;
    fa_tensor *t[MANY], *view[MANY];
    for (int i = 0; i < MANY; i++) {
        t[i] = filled(PART, i);
        view[i] = fa_narrow(t[i], 0, i, 10);
    }
    assert_no_error();
    fa_memory full = stats();
    assert_true(full.spilled.current >= MANY * PART - (full.limit - before.reserved) && full.reserved <= full.limit);
    assert_true(fa_device_equal(fa_tensor_device(t[0]), DEVICE(0)));
    fa_transfers copies = fa_transfers_total();
    assert_int_equal(copies.bytes_to_host, full.spilled.total - before.spilled.total);
    assert_int_equal(copies.bytes_to_device, 0);
    assert_int_equal(copies.waits, 0);
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < MANY; i++) {
            int64_t version = fa_tensor_version(t[i]);
            assert_is(view[i], i + turn);
            assert_int_equal(fa_tensor_version(t[i]), version);
            fa_add_(t[i], 1);
            assert_is(t[i], i + turn + 1);
        }
    char *report = written(fa_transfers_report);
    assert_non_null(strstr(report, "fa_memory_limit(.spill)"));
    free(report);
    char *summary = written(write_summary);
    assert_non_null(strstr(summary, "spilled to the host"));
    free(summary);
}

static void spilled_tensors_are_freed(void **state)
{
    (void)state;
    limit_to(4, (size_t)MANY * PART);
    size_t on_host = fa_memory_stats(FA_CPU).allocated;
    {
        FA_SCOPE;
        for (int i = 0; i < MANY; i++)
            filled(PART, i);
        assert_true(stats().spilled.current > 0);
        assert_true(fa_memory_stats(FA_CPU).allocated >= on_host + stats().spilled.current);
    }
    settle();
    assert_int_equal(stats().spilled.current, 0);
    assert_int_equal(fa_memory_stats(FA_CPU).allocated, on_host);
}

/* What was used last stays: each call uses the first one and a new one. */
static void the_least_recently_used_goes(void **state)
{
    (void)state;
    if (fa__pools_off())
        skip();
    limit_to(6, (size_t)MANY * PART);
    FA_SCOPE;
    fa_tensor *first = filled(PART, 0);
    for (int i = 1; i < MANY; i++) {
        fa_add_(first, 1);
        filled(PART, i);
    }
    size_t went = stats().spilled.total;
    fa_transfers_reset();
    fa_add_(first, 1);
    assert_int_equal(fa_transfers_total().bytes_to_device, 0);
    assert_int_equal(stats().spilled.total, went);
    assert_is(first, MANY);
}

static void a_budget_is_kept(void **state)
{
    (void)state;
    limit_to(3, 2 * PART);
    FA_SCOPE;
    int made = 0;
    while (made < MANY && filled(PART, made))
        made++;
    assert_error(FA_ERROR_MEMORY, "out of memory on late:0", "spilled");
    assert_true(made >= 5 && made < 9);
    assert_true(stats().spilled.current <= 2 * PART);
    assert_false(fa_memory_limit(FA_CPU, 0, .spill = 1));
    assert_error(FA_ERROR_DEVICE, "fa_memory_limit: tensors of cpu cannot go to the host's memory");
}

static void an_operation_too_large_fails_cleanly(void **state)
{
    (void)state;
    limit_to(3, (size_t)MANY * PART);
    FA_SCOPE;
    fa_tensor *t[8];
    const fa_tensors list = {8, t};
    for (int i = 0; i < 8; i++)
        t[i] = filled(PART, i);
    assert_no_error();
    assert_null(fa_cat(list));
    assert_error(FA_ERROR_MEMORY, "out of memory on late:0");
    for (int i = 0; i < 8; i++)
        assert_is(t[i], i);
}

static void forbidden_transfers_stay_forbidden(void **state)
{
    (void)state;
    limit_to(4, (size_t)MANY * PART);
    FA_SCOPE;
    fa_tensor *t[MANY];
    for (int i = 0; i < MANY; i++)
        t[i] = filled(PART, i);
    {
        FA_USE(.forbid = FA_TRANSFER);
        assert_false(fa_add_(t[0], 1) && !fa_failed());
        assert_error(FA_ERROR_SYNC, "fa_memory_limit(.spill)");
    }
    for (int i = 0; i < MANY; i++)
        assert_is(t[i], i);
}

/* Copies and moves between devices of tensors that are in the host's memory. */
static void spilled_tensors_are_copied_and_moved(void **state)
{
    (void)state;
    limit_to(4, (size_t)2 * MANY * PART);
    FA_SCOPE;
    fa_tensor *t[MANY];
    for (int i = 0; i < MANY; i++)
        t[i] = filled(PART, i);
    for (int i = 0; i < 4; i++) {
        assert_is(fa_cpu(t[i]), i);
        assert_is(fa_to(t[i], DEVICE(1)), i);
    }
    fa_move_(t[0], DEVICE(1));
    fa_move_(t[1], FA_CPU);
    fa_copy_(t[2], t[3]);
    assert_no_error();
    assert_true(fa_device_equal(fa_tensor_device(t[0]), DEVICE(1)));
    assert_is(t[0], 0);
    assert_is(t[1], 1);
    assert_is(t[2], 3);
    fa_move_(t[1], DEVICE(0));
    assert_is(t[1], 1);
}

/* Work that has not run yet, on two streams. */
static void work_on_its_way_is_not_overtaken(void **state)
{
    (void)state;
    limit_to(6, (size_t)MANY * PART);
    FA_SCOPE;
    fa_stream *side = fa_stream_new(DEVICE(0));
    test_devices_delay(2000);
    fa_tensor *t[MANY];
    for (int i = 0; i < MANY; i++) {
        FA_USE(.stream = i % 2 ? side : NULL);
        t[i] = filled(PART, i);
        fa_add_(t[i], 1);
        if (i)
            fa_add_(t[i - 1], t[i]);
    }
    assert_no_error();
    test_devices_delay(0);
    for (int i = 0; i < MANY; i++)
        assert_is(t[i], i + 1 < MANY ? 2 * i + 3 : i + 1);
}

static void a_recording_brings_tensors_back(void **state)
{
    (void)state;
    limit_to(6, (size_t)MANY * PART);
    FA_SCOPE;
    fa_tensor *t[MANY];
    for (int i = 0; i < MANY; i++)
        t[i] = filled(PART, i);
    fa_graph *graph = fa_graph_new(DEVICE(0));
    FA_RECORD(graph)
    {
        fa_add_(t[0], 1);
        fa_add_(t[1], t[0]);
    }
    assert_no_error();
    for (int i = 2; i < MANY; i++) /* the others take turns; what the graph uses stays */
        fa_add_(t[i], 1);
    assert_true(fa_graph_replay(graph));
    assert_is(t[0], 2);
    assert_is(t[1], 4);
    for (int i = 2; i < MANY; i++)
        assert_is(t[i], i + 1);
}

/* ---- a model that does not fit ---- */
enum { LAYERS = 6, WIDTH = 384, ROWS = 4 };

static fa_tensor *trained(int steps, fa_tensor *losses[])
{
    FA_SCOPE;
    fa_manual_seed(3);
    fa_module *net = fa_nn_sequential(fa_nn_linear(WIDTH, WIDTH));
    for (int i = 1; i < LAYERS; i++)
        fa_module_append(net, i % 2 ? fa_nn_tanh() : fa_nn_linear(WIDTH, WIDTH));
    for (int i = 0; i < LAYERS; i++)
        fa_module_append(net, fa_nn_linear(WIDTH, WIDTH));
    fa_module_to(net, DEVICE(0));
    fa_optim *opt = fa_optim_adam(net, .lr = 1e-3);
    fa_tensor *x = fa_randn(FA_SHAPE(ROWS, WIDTH), .device = DEVICE(0));
    for (int i = 0; i < steps; i++) {
        FA_SCOPE;
        fa_optim_zero_grad(opt);
        fa_tensor *loss = fa_mse_loss(fa_forward(net, x), x);
        fa_backward(loss);
        fa_optim_step(opt);
        losses[i] = fa_keep(fa_cpu(fa_detach(loss)));
    }
    return fa_escape(fa_cpu(fa_detach(fa_module_tensor(net, "2.weight"))));
}

static void a_model_larger_than_the_limit_trains(void **state)
{
    (void)state;
    enum { STEPS = 3 };
    FA_SCOPE;
    fa_tensor *loss[2][STEPS], *weight[2];
    size_t peak = 0, reserved = stats().reserved;
    for (int limited = 0; limited < 2; limited++) {
        FA_SCOPE;
        settle();
        fa_memory_reset_peak(DEVICE(0));
        if (limited)
            assert_true(fa_memory_limit(DEVICE(0), reserved + (peak - reserved) / 3, .spill = 2 * peak));
        weight[limited] = fa_keep(trained(STEPS, loss[limited]));
        assert_no_error();
        peak = limited ? peak : stats().peak;
    }
    fa_memory m = stats();
    print_message("peak %zu, limited to %zu: peak %zu, spilled at most %zu, in all %zu, moved %zu\n", peak, m.limit,
                  m.peak, m.spilled.peak, m.spilled.total, m.moved);
    assert_true(m.spilled.peak > 0 && 2 * m.peak < peak);
    for (int i = 0; i < STEPS; i++) {
        assert_true(tensor_same_bits(loss[0][i], loss[1][i]));
        fa_release(loss[0][i]);
        fa_release(loss[1][i]);
    }
    assert_true(tensor_same_bits(weight[0], weight[1]));
    fa_release(weight[0]);
    fa_release(weight[1]);
}

/* ---- threads ---- */
static void *in_thread(void *argument)
{
    int number = *(int *)argument;
    FA_SCOPE;
    fa_tensor *t[6];
    for (int i = 0; i < 6; i++)
        t[i] = filled(PART, 10 * number + i);
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < 6; i++)
            fa_add_(t[i], t[(i + 1) % 6]);
    double sum = 0;
    for (int i = 0; i < 6; i++)
        sum += fa_item(fa_amax(t[i]));
    *(int *)argument = fa_failed() ? -1 : (int)sum;
    if (fa_failed())
        fprintf(stderr, "%s\n", fa_error_message());
    fa_error_clear();
    return NULL;
}

static int expected_of(int number)
{
    int t[6], sum = 0;
    for (int i = 0; i < 6; i++)
        t[i] = 10 * number + i;
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < 6; i++)
            t[i] += t[(i + 1) % 6];
    for (int i = 0; i < 6; i++)
        sum += t[i];
    return sum;
}

static void threads_share_a_device_that_is_too_small(void **state)
{
    (void)state;
    enum { THREADS = 3 };
    limit_to(6, (size_t)6 * THREADS * PART);
    pthread_t thread[THREADS];
    int value[THREADS];
    for (int i = 0; i < THREADS; i++) {
        value[i] = i;
        assert_int_equal(pthread_create(&thread[i], NULL, in_thread, &value[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(value[i], expected_of(i));
    assert_true(stats().spilled.total > 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(tensors_move_for_a_large_one),
        CASE(segments_are_emptied_for_a_large_tensor),
        CASE(tensors_go_to_the_host_and_come_back),
        CASE(spilled_tensors_are_freed),
        CASE(the_least_recently_used_goes),
        CASE(a_budget_is_kept),
        CASE(an_operation_too_large_fails_cleanly),
        CASE(forbidden_transfers_stay_forbidden),
        CASE(spilled_tensors_are_copied_and_moved),
        CASE(work_on_its_way_is_not_overtaken),
        CASE(a_recording_brings_tensors_back),
        CASE(a_model_larger_than_the_limit_trains),
        CASE(threads_share_a_device_that_is_too_small),
    };
    return RUN("room");
}
