/* Order on the simulator, which looks for races: sound work has none; when an order is taken out of the backend (events
 * that streams or the host no longer wait for), it reports the two accesses, of whichever kind. */
#include "backend/gpu/cuda/cuda.h"
#include "core/stream.h"
#include "support/api_test.h"
#include "support/cudasim.h"
#include "support/digits_training.h"
#include "support/storages.h"
#include <facula/graph.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 500 };
static const cudasim_functions *sim;
static char text[600];

static void assert_no_race(void)
{
    if (sim->races(text, sizeof text))
        fail_msg("%s", text);
}

/* In whichever order they ran. */
static void assert_race(const char *a, const char *b)
{
    fa_synchronize(FA_CUDA(0));
    fa_synchronize(FA_CUDA(1));
    fa_error_clear();
    if (!sim->races(text, sizeof text))
        fail_msg("no race was found, of '%s' and '%s'", a, b);
    const char *at = strstr(text, a);
    if (!at || !strstr(strcmp(a, b) ? text : at + 1, b))
        fail_msg("not of '%s' and '%s': %s", a, b, text);
}

/* ---- orders that are taken out ---- */
static CUresult follows_nothing(CUstream s, CUevent e, unsigned flags)
{
    (void)s, (void)e, (void)flags;
    return CUDA_SUCCESS;
}

static CUresult waits_for_nothing(CUevent e)
{
    (void)e;
    return CUDA_SUCCESS;
}

/* All that was issued has run, whatever the library believes. */
static void settle(void)
{
    sim->delay(0, NULL);
    for (int i = 0; i < 2; i++) {
        const fa__device *d = fa__device_get(FA_CUDA(i));
        fa__cuda_finish(((const fa__gpu_queue *)d->queue)->handle);
        fa__cuda_finish(fa__gpu_own(d)->transfers);
    }
}

/* The work is sound; then streams, or the host, do not wait for events. */
static void without_order(void (*work)(fa_stream *, fa_stream *), bool host)
{
    FA_SCOPE;
    const fa__cuda_api whole = fa__cuda;
    fa_stream *a = fa_stream_new(FA_CUDA(0)), *b = fa_stream_new(FA_CUDA(0));
    assert_true(fa_synchronize(FA_CUDA(0)));
    work(a, b);
    fa_synchronize(FA_CUDA(0));
    assert_no_race();
    assert_no_error();
    if (host)
        fa__cuda.cuEventQuery = waits_for_nothing;
    else
        fa__cuda.cuStreamWaitEvent = follows_nothing;
    sim->delay(-1, NULL); /* what is known to be done needs no event */
    work(a, b);
    settle();
    fa__cuda_finish(((fa__gpu_queue *)a->queue)->handle);
    fa__cuda_finish(((fa__gpu_queue *)b->queue)->handle);
    fa__cuda = whole;
}

static fa_tensor *numbers(void)
{
    fa_tensor *x = fa_ones(FA_SHAPE(COUNT), .device = FA_CUDA(0));
    fa_synchronize(FA_CUDA(0));
    return x;
}

static void write_then_read(fa_stream *a, fa_stream *b)
{
    FA_SCOPE;
    fa_tensor *x = numbers();
    {
        FA_USE(.stream = a);
        fa_add_(x, 1);
    }
    FA_USE(.stream = b);
    fa_mul(x, 2);
}

static void read_then_write(fa_stream *a, fa_stream *b)
{
    FA_SCOPE;
    fa_tensor *x = numbers();
    {
        FA_USE(.stream = a);
        fa_escape(fa_mul(x, 2));
    }
    FA_USE(.stream = b);
    fa_copy_(x, 3);
}

static void write_twice(fa_stream *a, fa_stream *b)
{
    FA_SCOPE;
    fa_tensor *x = numbers();
    {
        FA_USE(.stream = a);
        fa_copy_(x, 2);
    }
    FA_USE(.stream = b);
    fa_copy_(x, 3);
}

/* What one stream computes is freed; another one gets the memory. */
static void use_memory_again(fa_stream *a, fa_stream *b)
{
    FA_SCOPE;
    fa_empty_cache(FA_CUDA(0));
    {
        FA_SCOPE;
        FA_USE(.stream = a);
        fa_full(FA_SHAPE(COUNT), 7.0, .device = FA_CUDA(0));
    }
    FA_REPEAT (3)
        fa_stream_done(a); /* asks, so that the allocator knows */
    FA_USE(.stream = b);
    fa_full(FA_SHAPE(COUNT), 8.0, .device = FA_CUDA(0));
}

static void copy_to_another_device(fa_stream *a, fa_stream *b)
{
    FA_SCOPE;
    (void)b;
    FA_USE(.stream = a);
    fa_tensor *x = fa_add(numbers(), 1);
    FA_USE(.stream = NULL);
    fa_to(x, FA_CUDA(1));
}

static void replay_then_read(fa_stream *a, fa_stream *b)
{
    FA_SCOPE;
    fa_tensor *x = numbers();
    {
        FA_USE(.stream = a);
        fa_graph *g = fa_graph_new(FA_CUDA(0));
        FA_RECORD(g)
        fa_add_(x, 1);
        fa_synchronize(FA_CUDA(0));
        fa_graph_replay(g);
    }
    FA_USE(.stream = b);
    fa_mul(x, 2);
}

static training net;

/* The step's batch is still on its way to the device. */
static void train_on_copies(fa_stream *a, fa_stream *b)
{
    FA_SCOPE;
    fa_tensor *x = fa_full(FA_SHAPE(DIGITS_BATCH, 64), 0.5), *y = fa_zeros(FA_SHAPE(DIGITS_BATCH), .dtype = FA_I64);
    fa_tensor *input, *target;
    {
        FA_USE(.stream = a);
        input = fa_to(x, FA_CUDA(0), .non_blocking = true);
        target = fa_to(y, FA_CUDA(0), .non_blocking = true);
    }
    FA_USE(.stream = b);
    training_step(&net, input, target);
}

static void replays_and_training_steps_need_them(void **state)
{
    (void)state;
    FA_SCOPE;
    net = training_new(FA_CUDA(0));
    without_order(replay_then_read, false);
    assert_race("kernel elementwise", "kernel elementwise");
    without_order(train_on_copies, false);
    assert_race("a copy of", "kernel");
}

static void streams_need_their_events(void **state)
{
    (void)state;
    without_order(write_then_read, false);
    assert_race(" writes", " reads");
    assert_non_null(strstr(text, "kernel elementwise"));
    without_order(read_then_write, false);
    assert_race(" writes", " reads");
    without_order(write_twice, false);
    assert_race(" writes", " writes");
    without_order(copy_to_another_device, false);
    assert_race("kernel elementwise", "a copy of 2000 bytes");
}

static void memory_that_is_used_again_needs_them(void **state)
{
    (void)state;
    without_order(use_memory_again, true);
    assert_race(" writes", " writes");
}

static void the_host_needs_to_wait(void **state)
{
    (void)state;
    FA_SCOPE;
    const fa__cuda_api whole = fa__cuda;
    fa_tensor *x = numbers();
    assert_true(fa_item(fa_sum(x)) == COUNT);
    assert_no_race();
    fa__cuda.cuEventSynchronize = fa__cuda.cuEventQuery = waits_for_nothing;
    fa_item(fa_sum(x));
    settle();
    fa__cuda = whole;
    assert_race("the host reads", "a copy of 4 bytes");
}

static void memory_is_freed_when_nobody_uses_it(void **state)
{
    (void)state;
    fa__device *d = fa__device_get(FA_CUDA(0));
    void *handle, *queue = fa__cuda_queue_new(d), *there = fa__cuda_allocate(d, COUNT);
    void *host = fa__cuda_pinned(d, queue, COUNT, &handle);
    memset(host, 1, COUNT);
    const fa__gpu_copy c = {.to = there, .from = host, .bytes = COUNT, .to_device = d};
    for (int waits = 1; waits >= 0; waits--) {
        assert_true(fa__cuda_copy(d, queue, &c, NULL));
        if (waits)
            assert_int_equal(fa__cuda_finish(queue), FA__GPU_DONE);
        else
            usleep(50000); /* it is done, but the host cannot know */
        fa__cuda_host(host, COUNT, true);
        if (waits)
            assert_no_race();
        else
            assert_race("a copy of 500 bytes", "the host writes");
    }
    fa__cuda_release(d, there, COUNT);
    assert_race("a copy of 500 bytes", "the host, which frees it");
    fa__cuda_finish(queue);
    fa__cuda_pinned_free(d, queue, host, handle);
    fa__cuda_queue_free(d, queue);
    assert_no_race();
}

/* ---- sound work ---- */
static void sound_work_has_no_races(void **state)
{
    (void)state;
    assert_true(copy_at_random(FA__CUDA, 1, 100));
    assert_true(copy_at_random_in_threads(FA__CUDA, 30, 30));
    sim->delay(-1, NULL);
    assert_true(copy_at_random(FA__CUDA, 3, 100));
    sim->delay(0, NULL);
    assert_no_race();
}

static void replays_have_no_races(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_stream *aside = fa_stream_new(FA_CUDA(0));
    fa_tensor *x = numbers(), *y = NULL;
    fa_graph *g = fa_graph_new(FA_CUDA(0));
    FA_RECORD(g)
    y = fa_escape(fa_cumsum(fa_add_(x, 1), 0));
    FA_REPEAT (4) {
        fa_graph_replay(g);
        FA_USE(.stream = aside);
        fa_copy_(x, fa_mul(y, 0.5));
        fa_full(FA_SHAPE(COUNT), 9.0, .device = FA_CUDA(0));
    }
    assert_true(fa_synchronize(FA_CUDA(0)));
    assert_no_race();
}

/* The driver's functions are known from then on. */
static int open_devices(void **state)
{
    (void)state;
    return fa_synchronize(FA_CUDA(0)) && fa_synchronize(FA_CUDA(1)) ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(streams_need_their_events),
        TEST(memory_that_is_used_again_needs_them),
        TEST(the_host_needs_to_wait),
        TEST(memory_is_freed_when_nobody_uses_it),
        TEST(sound_work_has_no_races),
        TEST(replays_have_no_races),
        TEST(replays_and_training_steps_need_them),
    };
    setenv("CUDASIM_RACES", "1", 1);
    sim = test_cudasim();
    if (!sim) {
        printf("skipped: the simulator of CUDA is not here\n");
        return 77;
    }
    return cmocka_run_group_tests_name("cuda_races", tests, open_devices, NULL);
}
