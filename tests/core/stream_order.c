/* Streams: tensors and memory are ordered between them without the program's help, and for several threads. */
#include "base/alloc.h"
#include "core/stream.h"
#include "core/tensor.h"
#include "support/api_test.h"
#include "support/late.h"
#include <facula/device.h>
#include <pthread.h>

static void a_tensor_is_ordered_between_streams(void **state)
{
    (void)state;
    fa__late_delay(-1); /* nothing is done before somebody waits */
    FA_SCOPE;
    fa_stream *a = fa_stream_new(FA_LATE(0)), *b = fa_stream_new(FA_LATE(0));
    fa_tensor *x = late_ones(1000), *y, *z;
    {
        FA_USE(.stream = a);
        y = fa_mul(x, 3);
    }
    {
        FA_USE(.stream = b);
        z = fa_add(y, 1); /* read after write */
        fa_mul_(x, 5);    /* write after read */
        fa_mul_(y, 2);    /* write after write, and after the read above */
    }
    {
        FA_USE(.stream = a);
        fa_add_(z, y); /* and back */
    }
    fa_tensor *w = fa_add(fa_add(x, y), z); /* the device's own queue */
    assert_false(fa_stream_done(a));
    assert_false(fa_stream_done(b));
    assert_true(fa_item(fa_select(z, 0, 999)) == 10);
    assert_true(fa_item(fa_select(x, 0, 999)) == 5);
    assert_true(fa_item(fa_select(y, 0, 999)) == 6);
    assert_true(fa_item(fa_select(w, 0, 999)) == 21);
    no_reports();
}

static void read_after_write(fa_tensor *x, fa_stream *s, bool remove)
{
    fa_tensor *y = fa_mul(x, 2);
    fa__late_ignore_after(remove);
    FA_USE(.stream = s);
    fa_exp(y);
}

static void write_after_read(fa_tensor *x, fa_stream *s, bool remove)
{
    fa_exp(x);
    fa__late_ignore_after(remove);
    FA_USE(.stream = s);
    fa_mul_(x, 2);
}

static void write_after_write(fa_tensor *x, fa_stream *s, bool remove)
{
    fa_mul_(x, 2);
    fa__late_ignore_after(remove);
    FA_USE(.stream = s);
    fa_copy_(x, fa_ones(FA_SHAPE(1000)));
}

static void each_missing_order_between_streams_is_found(void **state)
{
    (void)state;
    static const struct {
        void (*run)(fa_tensor *, fa_stream *, bool remove);
        const char *said[2];
    } hazards[] = {
        {read_after_write, {"unordered: fa_exp (work ", "late:0) reads bytes that fa_mul (work "}},
        {write_after_read, {"unordered: fa_mul_ (work ", "late:0) writes bytes that fa_exp (work "}},
        {write_after_write, {"unordered: fa_copy_ (work ", "late:0) writes bytes that fa_mul_ (work "}},
    };
    for (size_t i = 0; i < 2 * sizeof hazards / sizeof *hazards; i++) {
        FA_SCOPE;
        bool remove = i % 2;
        fa__late_delay(-1);
        fa_stream *s = fa_stream_new(FA_LATE(0));
        hazards[i / 2].run(late_ones(1000), s, remove);
        fa__late_ignore_after(false);
        if (!remove) {
            no_reports();
            assert_no_error();
            continue;
        }
        const fa__late_report *report;
        assert_true(fa__late_reports(&report) >= 1);
        for (int k = 0; k < 2; k++)
            if (!strstr(report->text, hazards[i / 2].said[k]))
                fail_msg("\"%s\" is not in \"%s\"", hazards[i / 2].said[k], report->text);
        fa_error_clear();
        fa_synchronize(FA_LATE(0));
        fa__late_reports_clear();
        fa_error_clear();
    }
}

/* More reads of one tensor than its memory's block remembers. */
static void many_streams_read_one_tensor(void **state)
{
    (void)state;
    enum { STREAMS = 10 };
    FA_SCOPE;
    fa_stream *s[STREAMS];
    fa_tensor *y[2 * STREAMS];
    for (int i = 0; i < STREAMS; i++)
        assert_non_null(s[i] = fa_stream_new(FA_LATE(0)));
    fa_tensor *x = late_ones(1000);
    fa__late_delay(2000);
    fa_transfers_reset();
    {
        FA_SCOPE;
        fa_tensor *gone = fa_mul(x, 3);
        for (int i = 0; i < STREAMS; i++) {
            FA_USE(.stream = s[i]);
            y[i] = fa_keep(fa_mul(x, i));
            y[STREAMS + i] = fa_keep(fa_mul(gone, i));
        }
    } /* its memory is used again when nobody reads it any more */
    assert_non_null(fa_add_(x, 1));
    fa_tensor *other = fa_full(FA_SHAPE(1000), 7, .device = FA_LATE(0));
    assert_int_equal(fa_transfers_total().waits, 0);
    for (int i = 0; i < STREAMS - 2; i++) /* some of those who read it are done */
        assert_true(fa_stream_synchronize(s[i]));
    FA_REPEAT (i, 4)
        assert_non_null(fa_full(FA_SHAPE(1000), (double)i, .device = FA_LATE(0)));
    fa__late_delay(20);
    for (int i = 0; i < 2 * STREAMS; i++) {
        assert_true(fa_item(fa_get(y[i], "500")) == (i < STREAMS ? i : 3 * (i - STREAMS)));
        fa_release(y[i]);
    }
    assert_true(fa_item(fa_get(x, "500")) == 2 && fa_item(fa_get(other, "500")) == 7);
    no_reports();
}

static void memory_of_one_stream_is_not_another_ones_before_its_work_is_done(void **state)
{
    (void)state;
    if (fa__pools_off())
        skip();
    fa__late_delay(-1);
    FA_SCOPE;
    fa_stream *a = fa_stream_new(FA_LATE(0)), *b = fa_stream_new(FA_LATE(0));
    fa_tensor *x = late_ones(1000), *other, *again;
    const void *memory;
    {
        FA_USE(.stream = a);
        FA_SCOPE;
        fa_tensor *y = fa_mul(x, 2);
        memory = y->storage->data;
    }
    {
        FA_USE(.stream = b);
        other = fa_mul(x, 3);
        assert_ptr_not_equal(other->storage->data, memory);
    }
    {
        FA_USE(.stream = a);
        again = fa_mul(x, 4); /* the same queue has it at once */
        assert_ptr_equal(again->storage->data, memory);
    }
    assert_true(fa_item(fa_sum(other)) == 3000 && fa_item(fa_sum(again)) == 4000);
    no_reports();
    assert_true(fa_synchronize(FA_LATE(0)));
    {
        FA_SCOPE;
        FA_USE(.stream = a);
        memory = fa_mul(x, 5)->storage->data;
        assert_true(fa_stream_synchronize(a));
    }
    {
        FA_USE(.stream = b); /* done: another one may have it */
        assert_ptr_equal(fa_mul(x, 6)->storage->data, memory);
    }
    no_reports();
}

enum { TENSORS = 6, STREAMS = 4, ELEMENTS = 300 };

static uint32_t next(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 8;
}

/* A program at random over tensors, streams and both devices, and the same on the CPU. */
static bool shuffle(uint32_t random, int turns, int streams)
{
    FA_SCOPE;
    fa_stream *stream[STREAMS + 1] = {NULL};
    for (int i = 1; i <= streams; i++)
        stream[i] = fa_stream_new(FA_LATE(i % 2));
    fa_tensor *late[TENSORS], *cpu[TENSORS];
    for (int i = 0; i < TENSORS; i++) {
        cpu[i] = fa_keep(fa_full(FA_SHAPE(ELEMENTS), (double)i));
        late[i] = fa_keep(fa_to(cpu[i], FA_LATE(i % 2)));
    }
    FA_REPEAT (turn, turns) {
        int i = (int)(next(&random) % TENSORS), k = (int)(next(&random) % TENSORS), what = (int)(next(&random) % 5);
        FA_USE(.stream = stream[next(&random) % (uint32_t)(streams + 1)]);
        fa_device where = fa_tensor_device(late[i]);
        fa_tensor *l = NULL, *c = NULL;
        if (what == 0) {
            l = fa_add(late[i], fa_to(late[k], where));
            c = fa_add(cpu[i], cpu[k]);
        } else if (what == 1) {
            fa_mul_(late[i], 0.5);
            fa_mul_(cpu[i], 0.5);
        } else if (what == 2 && i != k) {
            fa_copy_(late[i], late[k]);
            fa_copy_(cpu[i], cpu[k]);
        } else if (what == 3) {
            l = fa_to(late[i], FA_LATE((int)(turn % 2)));
            c = fa_clone(cpu[i]);
        } else {
            l = fa_to(fa_neg(fa_cpu(late[i])), where); /* the host waits */
            c = fa_neg(cpu[i]);
        }
        if (l) {
            fa_release(late[i]);
            fa_release(cpu[i]);
            late[i] = fa_keep(l);
            cpu[i] = fa_keep(c);
        }
    }
    bool same = !fa_failed();
    for (int i = 0; i < TENSORS; i++) {
        same &= same_tensors(late[i], cpu[i]);
        fa_release(late[i]);
        fa_release(cpu[i]);
    }
    return same;
}

static void programs_at_random_give_the_values_of_the_cpu(void **state)
{
    (void)state;
    for (int64_t delay = 0; delay <= 20; delay += 20)
        for (uint32_t seed = 1; seed <= 6; seed++) {
            fa__late_delay(delay);
            assert_true(shuffle(seed * 7919, 150, STREAMS));
            no_reports();
        }
    fa__late_delay(-1);
    assert_true(shuffle(4711, 300, STREAMS));
    no_reports();
}

static void *shuffle_in_thread(void *seed)
{
    return shuffle(*(uint32_t *)seed, 150, 2) ? seed : NULL;
}

static void threads_have_streams_of_their_own(void **state)
{
    (void)state;
    uint32_t seed[4] = {1, 2, 3, 4};
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, shuffle_in_thread, &seed[i]), 0);
    for (int i = 0; i < 4; i++) {
        void *good;
        pthread_join(thread[i], &good);
        assert_non_null(good);
    }
    no_reports();
}

typedef struct shared {
    fa_stream *stream;
    fa_tensor *x;
    double sum;
} shared;

static void *use_shared(void *context)
{
    shared *s = context;
    FA_USE(.stream = s->stream);
    FA_REPEAT (i, 50)
        s->sum += fa_item(fa_sum(fa_mul(s->x, 2)));
    return NULL;
}

/* One stream, and one tensor, for several threads. */
static void a_stream_is_for_all_threads(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_stream *stream = fa_stream_new(FA_LATE(0));
    fa_tensor *x = late_ones(100);
    shared s[3] = {{stream, x, 0}, {stream, x, 0}, {NULL, x, 0}};
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, use_shared, &s[i]), 0);
    for (int i = 0; i < 3; i++) {
        pthread_join(thread[i], NULL);
        assert_true(s[i].sum == 200 * 50);
    }
    no_reports();
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, late_begin, late_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_tensor_is_ordered_between_streams),
        TEST(each_missing_order_between_streams_is_found),
        TEST(many_streams_read_one_tensor),
        TEST(memory_of_one_stream_is_not_another_ones_before_its_work_is_done),
        TEST(programs_at_random_give_the_values_of_the_cpu),
        TEST(threads_have_streams_of_their_own),
        TEST(a_stream_is_for_all_threads),
    };
    fa_set_log(quiet_log, NULL);
    return RUN("streams_order");
}
