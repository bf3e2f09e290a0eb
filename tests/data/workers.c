/* Loaders with workers: the same batches for any number of them, also from a saved position; failures, early ends,
 * process ends, forks; and copies to a device beside the work of the loop. */
#define _GNU_SOURCE /* SCHED_BATCH */
#include "backend/late/late.h"
#include "support/api_test.h"
#include "support/process.h"
#include <facula/data.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 23, BATCH = 4, BATCHES = 6, PIXELS = 3 * 6 * 5 };

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* Images that a random crop and a random flip change. */
static fa_dataset *images(void)
{
    fa_tensor *x = fa_to(fa_remainder(fa_arange(0, COUNT * PIXELS), 251), FA_U8);
    fa_transform *t = fa_transform_compose(fa_transform_random_crop(FA_PAIR(6, 5), .padding = 2),
                                           fa_transform_random_horizontal_flip(), fa_transform_to_tensor());
    return fa_data_transformed(fa_data_tensors(fa_reshape(x, FA_SHAPE(COUNT, 3, 6, 5)), fa_arange(0, COUNT)), t);
}

static fa_loader *loader_of(fa_dataset *d, int64_t workers, bool shuffle)
{
    return fa_data_loader(d, .batch_size = BATCH, .shuffle = shuffle, .seed = 7, .workers = workers,
                          .prefetch = shuffle ? 2 : 0);
}

/* The pixels of at most `most` batches of an epoch, as they come; returns their number. */
static int64_t gather(fa_loader *loader, float *to, int64_t most)
{
    int64_t n = 0, turns = 0;
    FA_EACH (batch, loader) {
        int64_t target[BATCH];
        assert_true(fa_read(fa_cpu(batch.input), to + n * PIXELS, FA_F32, batch.size * PIXELS));
        assert_true(fa_read(fa_cpu(batch.target), target, FA_I64, batch.size));
        assert_memory_equal(target, batch.samples, (size_t)batch.size * sizeof *target);
        n += batch.size;
        if (++turns == most)
            break;
    }
    assert_no_error();
    return n;
}

static const int64_t worker_counts[] = {0, 1, 2, 5};
enum { COUNTS = sizeof worker_counts / sizeof *worker_counts };

static void batches_do_not_depend_on_workers(void **state)
{
    (void)state;
    FA_SCOPE;
    static float first[3][COUNT * PIXELS], again[COUNT * PIXELS];
    for (int shuffle = 0; shuffle < 2; shuffle++)
        for (int k = 0; k < COUNTS; k++) {
            fa_loader *loader = loader_of(images(), worker_counts[k], shuffle);
            for (int epoch = 0; epoch < 3; epoch++) {
                fa_manual_seed((uint64_t)(k + epoch)); /* nothing to do with it */
                assert_int_equal(gather(loader, k ? again : first[epoch], 0), COUNT);
                if (k)
                    assert_memory_equal(again, first[epoch], sizeof again);
            }
            assert_memory_not_equal(first[0], first[1], sizeof *first); /* other crops in each epoch */
        }
}

/* A sample of an epoch is augmented alike in batches of any size, in any order, through subsets; and whether a dataset
 * gives samples one by one or in batches does not matter. A sample that comes twice is augmented in two ways. */
static void augmentation_belongs_to_the_sample(void **state)
{
    (void)state;
    FA_SCOPE;
    static float first[COUNT][PIXELS], again[PIXELS];
    int64_t reverse[COUNT];
    fa_dataset *d = images();
    for (int64_t i = 0; i < COUNT; i++)
        reverse[i] = COUNT - 1 - i;
    for (int k = 0; k < 5; k++) {
        const int64_t size[] = {1, 5, COUNT, 4, 3};
        fa_loader *loader = fa_data_loader(k == 4 ? fa_data_subset(d, reverse, COUNT) : d, .batch_size = size[k],
                                           .seed = 7, .shuffle = k == 3, .workers = k % 3);
        FA_EACH (batch, loader)
            for (int64_t i = 0; i < batch.size; i++) {
                int64_t which = k == 4 ? reverse[batch.samples[i]] : batch.samples[i];
                assert_true(fa_read(fa_get(fa_cpu(batch.input), i), k ? again : first[which], FA_F32, PIXELS));
                if (k)
                    assert_memory_equal(again, first[which], sizeof again);
            }
        assert_no_error();
    }
    fa_loader *twice = fa_data_loader(d, .sampler = fa_sampler_subset((int64_t[]){3, 3, 3, 3}, 4), .batch_size = 4);
    FA_EACH (batch, twice) {
        assert_true(fa_read(fa_get(fa_cpu(batch.input), 0), again, FA_F32, PIXELS));
        int64_t same = 0;
        for (int64_t i = 1; i < 4; i++) {
            assert_true(fa_read(fa_get(fa_cpu(batch.input), i), first[i], FA_F32, PIXELS));
            same += !memcmp(first[i], again, sizeof again);
        }
        assert_true(same < 3);
    }
    assert_no_error();
}

static void positions_continue_exactly(void **state)
{
    (void)state;
    FA_SCOPE;
    static float whole[2][COUNT * PIXELS], rest[COUNT * PIXELS];
    fa_dataset *d = images();
    for (int epoch = 0; epoch < 2; epoch++)
        gather(loader_of(d, 0, true), whole[epoch], 0);
    for (int64_t k = 0; k < COUNTS * COUNTS; k++) {
        fa_loader *one = loader_of(d, worker_counts[k / COUNTS], true);
        fa_loader *other =
            fa_data_loader(d, .batch_size = BATCH, .shuffle = true, .seed = 1, .workers = worker_counts[k % COUNTS]);
        gather(other, rest, 2); /* has prepared something else */
        gather(one, rest, 3);
        assert_memory_equal(rest, whole[0], 3 * BATCH * PIXELS * sizeof *rest);
        assert_true(fa_loader_seek(other, fa_loader_position(one)));
        assert_int_equal(gather(other, rest, 0), COUNT - 3 * BATCH);
        assert_memory_equal(rest, whole[0] + 3 * BATCH * PIXELS, (COUNT - 3 * BATCH) * PIXELS * sizeof *rest);
    }
}

static void incomplete_batches_are_dropped(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_loader *loader = fa_data_loader(images(), .batch_size = BATCH, .drop_last = true, .workers = 2);
    for (int epoch = 0; epoch < 2; epoch++) {
        int64_t turns = 0;
        FA_EACH (batch, loader) {
            assert_int_equal(batch.size, BATCH);
            assert_int_equal(batch.index, turns++);
        }
        assert_int_equal(turns, COUNT / BATCH);
    }
    FA_EACH (batch, fa_data_loader(fa_data_subset(images(), NULL, 0), .workers = 2))
        fail();
    assert_no_error();
}

static void loops_may_be_nested_and_left(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_loader *loader = loader_of(images(), 2, false);
    int64_t inner_turns = 0, after = -1;
    FA_EACH (outer, loader) {
        FA_EACH (inner, loader) {
            assert_int_equal(fa_item_int(fa_get(fa_cpu(inner.target), "0")), inner.index * BATCH);
            inner_turns++;
        }
        assert_int_equal(fa_item_int(fa_get(fa_cpu(outer.target), "0")), outer.index * BATCH);
        if (outer.index == 2)
            break;
    }
    assert_int_equal(inner_turns, 3 * BATCHES);
    FA_EACH (batch, loader) {
        after = batch.index;
        break;
    }
    assert_int_equal(after, 0);
    assert_no_error();
}

/* ---- a dataset of the program's own ---- */

typedef struct own {
    int64_t length, fails_at;
    long ms;
    int64_t more; /* numbers in a sample beyond the three */
    _Atomic int64_t gets, inside, most_inside;
    int64_t together;   /* gets wait until so many were inside at once, for 5 s at most */
    _Atomic bool stays; /* sample 0 does not return before this is false */
    _Atomic bool holds; /* nor do samples 1 and 2, but in the thread of the loop */
    pthread_t loop;
    _Atomic int64_t by_loop; /* gets in that thread */
    _Atomic int policy;      /* of the scheduler, in the last get */
} own;

static int64_t own_length(void *context)
{
    return ((own *)context)->length;
}

static bool own_get(void *context, int64_t index, fa_sample *sample)
{
    own *o = context;
    int64_t inside = atomic_fetch_add(&o->inside, 1) + 1, most = atomic_load(&o->most_inside);
    while (inside > most && !atomic_compare_exchange_weak(&o->most_inside, &most, inside))
        continue;
    for (int i = 0; i < 5000 && atomic_load(&o->most_inside) < o->together; i++)
        sleep_ms(1);
    while (index == 0 && atomic_load(&o->stays))
        sleep_ms(1);
    const bool by_loop = pthread_equal(pthread_self(), o->loop);
    atomic_fetch_add(&o->by_loop, by_loop);
    while ((index == 1 || index == 2) && atomic_load(&o->holds) && !by_loop)
        sleep_ms(1);
    struct sched_param parameters;
    int policy;
    if (!by_loop && !pthread_getschedparam(pthread_self(), &policy, &parameters))
        atomic_store(&o->policy, policy);
    if (o->ms)
        sleep_ms(o->ms);
    atomic_fetch_sub(&o->inside, 1);
    atomic_fetch_add(&o->gets, 1);
    if (index == o->fails_at)
        return fa_fail(FA_ERROR_FILE, "cat.jpg is no image");
    sample->input = fa_add(fa_full(FA_SHAPE(3), (double)index), fa_mul(fa_rand(FA_SHAPE(3)), 0.5));
    if (o->more)
        sample->target = fa_zeros(FA_SHAPE(o->more));
    return true;
}

static fa_dataset *own_dataset(own *o)
{
    return fa_dataset_new(&(fa_dataset_type){"mine", own_length, own_get, NULL, NULL}, o);
}

/* What a dataset draws for a sample does not depend on the others in its batch. */
static void random_numbers_belong_to_the_sample(void **state)
{
    (void)state;
    own o = {.length = 10, .fails_at = -1};
    float drawn[10][3], again[3];
    for (int k = 0; k < 3; k++) {
        FA_SCOPE;
        FA_EACH (batch, fa_data_loader(own_dataset(&o), .batch_size = 1 + 3 * k, .seed = 4, .shuffle = k == 1))
            for (int64_t i = 0; i < batch.size; i++) {
                float *to = k ? again : drawn[batch.samples[i]];
                assert_true(fa_read(fa_get(batch.input, i), to, FA_F32, 3));
                assert_memory_equal(to, drawn[batch.samples[i]], sizeof again);
            }
        assert_no_error();
    }
    assert_true(drawn[0][0] != drawn[1][0] - 1 && drawn[0][0] != drawn[0][1]);
}

static void failures_reach_the_loop(void **state)
{
    (void)state;
    for (int k = 0; k < COUNTS; k++) {
        own o = {.length = 10, .fails_at = 7};
        FA_SCOPE;
        fa_loader *loader = fa_data_loader(own_dataset(&o), .batch_size = 2, .workers = worker_counts[k]);
        int64_t turns = 0;
        FA_EACH (batch, loader)
            turns++;
        assert_int_equal(turns, 3);
        assert_error(FA_ERROR_FILE, "workers.c:", "dataset mine, sample 7: ", "cat.jpg is no image");
        assert_int_equal(fa_loader_position(loader).batch, 3);
        fa_loader_seek(loader, fa_loader_position(loader)); /* the batch is asked for again */
        FA_EACH (batch, loader)
            fail();
        assert_error(FA_ERROR_FILE, "sample 7");
        FA_EACH (batch, loader)
            turns++;
        assert_int_equal(turns, 6);
        assert_error(FA_ERROR_FILE, "sample 7");
    }
}

static void wait_for_gets(const own *o, int64_t count)
{
    for (int i = 0; i < 20000 && atomic_load(&o->gets) < count; i++)
        sleep_ms(1);
    assert_true(atomic_load(&o->gets) >= count);
}

/* Four batches are prepared ahead, and no more; workers begin again when two of them are taken. At the end of an epoch
 * they are those of the next. */
static void workers_prepare_ahead(void **state)
{
    (void)state;
    own o = {.length = 10, .fails_at = -1, .ms = 1};
    FA_SCOPE;
    fa_loader *loader = fa_data_loader(own_dataset(&o), .workers = 2, .prefetch = 2, .shuffle = true);
    FA_EACH (batch, loader) {
        wait_for_gets(&o, batch.index + 1 + 3);
        sleep_ms(3);
        assert_in_range(atomic_load(&o.gets), batch.index + 1 + 3, batch.index + 1 + 4);
    }
    assert_true(atomic_load(&o.most_inside) <= 2 + 1); /* and the loop */
    fa_loader_times t = fa_loader_report(loader);
    assert_int_equal(t.batches, 10);
    assert_true(t.reading > 0.01 && t.waiting < t.reading + 20); /* what was taken has been read */
    assert_no_error();
}

/* Without .prefetch, 32 small batches for each worker, or 2 of more than 8 MiB. */
static void small_batches_are_prepared_further_ahead(void **state)
{
    (void)state;
    const struct {
        int64_t more, ahead;
    } cases[] = {{0, 64}, {1 << 18, 15}, {1 << 22, 4}};
    for (int i = 0; i < 3; i++) {
        own o = {.length = 100, .fails_at = -1, .more = cases[i].more};
        FA_SCOPE;
        fa_loader *loader = fa_data_loader(own_dataset(&o), .workers = 2, .batch_size = 1);
        FA_EACH (batch, loader) {
            if (batch.index < 2)
                continue; /* the first ones tell the size */
            wait_for_gets(&o, batch.index + cases[i].ahead / 2);
            sleep_ms(3);
            assert_in_range(atomic_load(&o.gets), batch.index + cases[i].ahead / 2, batch.index + 1 + cases[i].ahead);
            if (batch.index == 5)
                break;
        }
    }
    assert_no_error();
}

/* On Linux, a worker that wakes up does not preempt the loop. */
static void workers_do_not_preempt(void **state)
{
    (void)state;
    own o = {.length = 9, .fails_at = -1, .loop = pthread_self()};
    FA_SCOPE;
    FA_EACH (batch, fa_data_loader(own_dataset(&o), .workers = 1))
        continue;
#ifdef __linux__
    assert_int_equal(atomic_load(&o.policy), SCHED_BATCH);
#endif
    assert_no_error();
}

/* Where each prepares one batch ahead, all of them are at work while the loop waits. */
static void all_workers_work(void **state)
{
    (void)state;
    own o = {.length = 30, .fails_at = -1, .together = 3};
    FA_SCOPE;
    FA_EACH (batch, fa_data_loader(own_dataset(&o), .workers = 3, .prefetch = 1))
        if (batch.index == 0)
            atomic_store(&o.most_inside, 0);
        else if (batch.index == 8)
            break;
    assert_true(atomic_load(&o.most_inside) >= 3);
    assert_no_error();
}

/* A dataset of one worker is never used by two threads, also where the loop goes back. */
static void one_worker_is_one_thread(void **state)
{
    (void)state;
    own o = {.length = 10, .fails_at = -1, .ms = 1, .loop = pthread_self()};
    FA_SCOPE;
    fa_loader *loader = fa_data_loader(own_dataset(&o), .workers = 1);
    for (int epoch = 0; epoch < 3; epoch++)
        FA_EACH (batch, loader)
            if (batch.index == 3)
                break;
    assert_true(atomic_load(&o.most_inside) == 1 && atomic_load(&o.by_loop) == 0);
    assert_no_error();
}

/* Both workers are held by batches of an epoch that was left, so the loop makes all batches of the next itself. */
static void the_loop_makes_what_no_worker_has_begun(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        own o = {.length = 10, .fails_at = k ? 7 : -1, .loop = pthread_self(), .holds = true}, alone = o;
        FA_SCOPE;
        float of[2][10][3] = {0};
        fa_loader *loader = fa_data_loader(own_dataset(&o), .seed = 3, .workers = 2, .prefetch = 1,
                                           .skip_bad_samples = k == 2),
                  *other = fa_data_loader(own_dataset(&alone), .seed = 3, .skip_bad_samples = k == 2);
        FA_EACH (batch, loader) {
            for (int i = 0; i < 20000 && atomic_load(&o.inside) < 2; i++)
                sleep_ms(1);
            break;
        }
        assert_int_equal(atomic_load(&o.inside), 2);
        atomic_store(&o.by_loop, 0);
        const fa_loader_place second = {3, 1, 0};
        assert_true(fa_loader_seek(loader, second) && fa_loader_seek(other, second));
        for (int i = 0; i < 2; i++) {
            FA_EACH (batch, i ? other : loader)
                assert_true(fa_read(batch.input, of[i][batch.samples[0]], FA_F32, 3));
            if (k == 1)
                assert_error(FA_ERROR_FILE, "workers.c:", "dataset mine, sample 7: ", "cat.jpg is no image");
            assert_no_error();
        }
        assert_int_equal(atomic_load(&o.by_loop), k == 1 ? 8 : 10);
        assert_int_equal(fa_loader_report(loader).skipped, k == 2);
        assert_memory_equal(of[0], of[1], sizeof *of);
        assert_true(of[0][6][0] >= 6 && of[0][9][0] >= (k == 1 ? 0 : 9));
        atomic_store(&o.holds, false);
    }
}

/* The loop ends, or the loader does, while workers are in the middle of a batch. */
static void nothing_is_left_behind(void **state)
{
    (void)state;
    size_t before = fa_memory_stats(FA_CPU).allocated;
    for (int64_t turns = 0; turns < 8; turns++) {
        own o = {.length = 10, .fails_at = turns == 3 ? 5 : -1, .ms = turns % 2};
        FA_SCOPE;
        fa_loader *loader = fa_data_loader(own_dataset(&o), .batch_size = 2, .workers = 3, .prefetch = 3);
        for (int epoch = 0; epoch < 2; epoch++)
            FA_EACH (batch, loader)
                if (batch.index == turns)
                    break;
        if (turns == 3)
            assert_error(FA_ERROR_FILE, "sample 5");
        assert_no_error();
    }
    assert_int_equal(fa_memory_stats(FA_CPU).allocated, before);
}

static void loops_need_not_wait_for_ever(void **state)
{
    (void)state;
    own o = {.length = 10, .fails_at = -1, .stays = true};
    FA_SCOPE;
    FA_EACH (batch, fa_data_loader(own_dataset(&o), .workers = 2, .timeout = 0.02)) {
        fail();
    }
    assert_error(FA_ERROR_STATE, "no batch came within 0.02 s from the 2 workers");
    fa_stop();
    FA_EACH (batch, fa_data_loader(own_dataset(&o), .workers = 2))
        fail();
    fa_stop_clear();
    atomic_store(&o.stays, false);
    assert_no_error();
}

static void options_are_checked(void **state)
{
    (void)state;
    FA_SCOPE;
    assert_null(fa_data_loader(images(), .workers = -1));
    assert_error(FA_ERROR_ARGUMENT, ".workers is -1, which is less than 0");
    assert_null(fa_data_loader(images(), .workers = 257));
    assert_error(FA_ERROR_ARGUMENT, ".workers is 257, which is more than 256");
    assert_null(fa_data_loader(images(), .prefetch = -1));
    assert_error(FA_ERROR_ARGUMENT, ".prefetch is -1, which is less than 0");
    assert_null(fa_data_loader(images(), .timeout = -1));
    assert_error(FA_ERROR_ARGUMENT, ".timeout is -1");
    assert_int_equal(fa_loader_report(NULL).batches, 0);
    assert_error(FA_ERROR_ARGUMENT, "fa_loader_report");
}

/* Unshuffled loaders without a seed: other random numbers after another seed of the program's, which do not go on. */
static void seeds_come_from_the_program(void **state)
{
    (void)state;
    FA_SCOPE;
    static float pixels[3][COUNT * PIXELS];
    for (int i = 0; i < 3; i++) {
        fa_manual_seed(i == 2);
        gather(fa_data_loader(images(), .batch_size = BATCH, .workers = i == 1), pixels[i], 0);
        assert_int_equal(fa_random_state().call, 0);
    }
    assert_memory_equal(pixels[0], pixels[1], sizeof *pixels);
    assert_memory_not_equal(pixels[0], pixels[2], sizeof *pixels);
}

/* ---- processes ---- */

/* A child makes the batches itself, and the same ones. */
static void children_have_no_workers(void **state)
{
    (void)state;
    FA_SCOPE;
    static float whole[COUNT * PIXELS], there[COUNT * PIXELS];
    fa_dataset *d = images();
    fa_loader *loader = loader_of(d, 3, true);
    gather(loader_of(d, 0, true), whole, 0);
    int64_t n = 0;
    FA_EACH (batch, loader) {
        assert_true(fa_read(batch.input, there + n * PIXELS, FA_F32, batch.size * PIXELS));
        n += batch.size;
        pid_t child = batch.index == 2 ? fork() : -1;
        if (child == 0) {
            memset(there + n * PIXELS, 0, sizeof there - (size_t)n * PIXELS * sizeof *there);
            FA_EACH (other, fa_data_loader(d, .workers = 2)) /* no threads are started, either */
                break;
            continue;
        }
        if (child > 0)
            assert_int_equal(status_of(child), 0);
        if (batch.index == BATCHES - 1 && getpid() != (pid_t)(intptr_t)*state)
            _exit(fa_failed() || memcmp(there, whole, sizeof whole));
    }
    assert_no_error();
    assert_memory_equal(there, whole, sizeof whole);
}

static int remember_process(void **state)
{
    *state = (void *)(intptr_t)getpid();
    return api_begin(state);
}

/* What another process does: ends with workers that are waiting, or in the middle of a batch. */
static int end_with_workers(const char *how)
{
    static own o = {.length = 1000, .fails_at = -1, .ms = 1};
    fa_loader *loader = fa_data_loader(own_dataset(&o), .workers = 3);
    FA_EACH (batch, loader)
        if (batch.index == 5)
            break;
    if (!strcmp(how, "exit"))
        exit(fa_failed());
    return fa_failed();
}

static void processes_end(void **state)
{
    (void)state;
    assert_int_equal(run_again("FACULA_TEST_ENDS", "return", "return"), 0);
    assert_int_equal(run_again("FACULA_TEST_ENDS", "exit", "exit"), 0);
}

/* ---- devices ---- */

static void batches_come_to_a_device(void **state)
{
    (void)state;
    FA_SCOPE;
    static float whole[COUNT * PIXELS], there[COUNT * PIXELS];
    fa_dataset *d = images();
    for (int k = 0; k < COUNTS; k++) {
        fa_loader *loader = fa_data_loader(d, .batch_size = BATCH, .shuffle = true, .seed = 7, .device = DEVICE(0),
                                           .workers = worker_counts[k]);
        fa_loader *here = loader_of(d, 0, true);
        for (int epoch = 0; epoch < 2; epoch++) {
            int64_t n = 0;
            gather(here, whole, 0);
            FA_EACH (batch, loader) {
                assert_true(fa_device_equal(fa_tensor_device(batch.input), DEVICE(0)));
                fa_mul_(batch.input, 2); /* on the default queue, behind the copy */
                assert_true(fa_read(fa_mul(batch.input, 0.5), there + n * PIXELS, FA_F32, batch.size * PIXELS));
                n += batch.size;
            }
            assert_no_error();
            assert_memory_equal(there, whole, sizeof whole);
        }
    }
    FA_EACH (batch, fa_data_loader(fa_data_tensors(fa_to(fa_arange(0, 6), DEVICE(1))), .batch_size = 4, .workers = 2))
        assert_int_equal(fa_item_int(fa_get(batch.input, "1")), 4 * batch.index + 1);
    assert_no_error();
}

/* A batch arrives although the queue of the training step has much to do still. */
static void copies_overlap_the_step(void **state)
{
    (void)state;
    if (DEVICE(0).kind != FA_LATE(0).kind)
        skip();
    FA_SCOPE;
    fa_stream *side = fa_stream_new(DEVICE(0));
    fa_event *step = fa_event_new();
    fa_loader *loader = fa_data_loader(fa_data_tensors(fa_ones(FA_SHAPE(10, 3))), .batch_size = 2, .device = DEVICE(0),
                                       .workers = 1, .prefetch = 1);
    fa_tensor *w = fa_zeros(FA_SHAPE(3), .device = DEVICE(0));
    fa__late_delay(-1); /* a queue stands still until somebody waits for it */
    FA_EACH (batch, loader) {
        for (int i = 0; i < 10; i++)
            fa_add_(w, 1);
        FA_USE(.device = DEVICE(0));
        fa_event_record(step, NULL);
        FA_USE(.stream = side);
        assert_float_equal(fa_item(fa_sum(batch.input)), 6, 0);
        assert_false(fa_event_done(step));
    }
    fa__late_delay(0);
    assert_float_equal(fa_item(fa_sum(w)), 150, 0);
    assert_no_error();
}

int main(void)
{
    if (getenv("FACULA_TEST_ENDS"))
        return end_with_workers(getenv("FACULA_TEST_ENDS"));
    const struct CMUnitTest tests[] = {
        TEST(batches_do_not_depend_on_workers),
        TEST(augmentation_belongs_to_the_sample),
        TEST(random_numbers_belong_to_the_sample),
        TEST(positions_continue_exactly),
        TEST(incomplete_batches_are_dropped),
        TEST(loops_may_be_nested_and_left),
        TEST(failures_reach_the_loop),
        TEST(workers_prepare_ahead),
        TEST(small_batches_are_prepared_further_ahead),
        TEST(workers_do_not_preempt),
        TEST(all_workers_work),
        TEST(one_worker_is_one_thread),
        TEST(the_loop_makes_what_no_worker_has_begun),
        TEST(nothing_is_left_behind),
        TEST(loops_need_not_wait_for_ever),
        TEST(options_are_checked),
        TEST(seeds_come_from_the_program),
        cmocka_unit_test_setup(children_have_no_workers, remember_process),
        TEST(processes_end),
        TEST(batches_come_to_a_device),
        TEST(copies_overlap_the_step),
    };
    return RUN("data workers");
}
