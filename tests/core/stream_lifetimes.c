/* Streams: who waits for them, what becomes of their queues when they are freed, and what is refused. */
#include "base/alloc.h"
#include "core/stream.h"
#include "support/api_test.h"
#include "support/late.h"
#include "support/text.h"
#include <facula/device.h>
#include <math.h>
#include <unistd.h>

/* ---- waiting ---- */

static void waits_for_a_stream_are_counted_and_can_be_forbidden(void **state)
{
    (void)state;
    fa__late_delay(-1);
    FA_SCOPE;
    fa_stream *a = fa_stream_new(FA_LATE(0)), *b = fa_stream_new(FA_LATE(0));
    fa_tensor *x = late_ones(1000);
    assert_true(fa_stream_done(a) && fa_stream_done(b));
    for (int i = 0; i < 2; i++) {
        FA_USE(.stream = i ? b : a);
        fa_add(x, 1);
    }
    assert_false(fa_stream_done(a) || fa_stream_done(b));
    fa_transfers_reset();
    {
        FA_USE(.forbid = FA_SYNC);
        assert_false(fa_stream_synchronize(a));
        assert_error(FA_ERROR_SYNC, "fa_stream_synchronize: the host would wait for late:0", "FA_SYNC");
        assert_false(fa_stream_done(a));
    }
    assert_int_equal(fa_transfers_total().waits, 0);
    assert_true(fa_stream_synchronize(a));
    assert_int_equal(fa_transfers_total().waits, 1);
    assert_true(fa_stream_done(a));
    assert_false(fa_stream_done(b)); /* nobody waited for it */
    {
        FA_USE(.forbid = FA_SYNC);
        assert_true(fa_stream_synchronize(a)); /* nothing to wait for */
    }
    assert_int_equal(fa_transfers_total().waits, 1);
    assert_true(fa_synchronize(FA_LATE(0))); /* all queues */
    assert_true(fa_stream_done(b));
    char *text = written(fa_transfers_report);
    assert_non_null(strstr(text, "fa_stream_synchronize"));
    free(text);
}

static fa_tensor *wrong_index(void)
{
    fa_tensor *index = fa_to(fa_tensor_of(0, 7), FA_LATE(0));
    return fa_index_select(fa_to(fa_ones(FA_SHAPE(4)), FA_LATE(0)), 0, index);
}

static void what_goes_wrong_on_a_stream_comes_up_when_it_is_waited_for(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_stream *s = fa_stream_new(FA_LATE(0));
    {
        FA_USE(.stream = s);
        wrong_index();
    }
    assert_no_error();
    assert_false(fa_stream_synchronize(s));
    assert_error(FA_ERROR_INDEX, "fa_index_select(", "index 7 is out of range");
    assert_true(fa_stream_synchronize(s));
    fa_event *e = fa_event_new();
    {
        FA_USE(.stream = s);
        wrong_index();
        assert_true(fa_event_record(e, NULL));
    }
    assert_false(fa_event_synchronize(e));
    assert_error(FA_ERROR_INDEX, "index 7 is out of range");
    /* another stream's work that depends on it fails too */
    fa_tensor *bad;
    {
        FA_USE(.stream = s);
        bad = wrong_index();
    }
    assert_true(isnan(fa_item(fa_sum(bad))));
    assert_error(FA_ERROR_INDEX, "index 7 is out of range");
    fa_stream_synchronize(s);
    fa_synchronize(FA_LATE(0));
    fa_error_clear();
}

/* ---- lives ---- */

static void a_freed_stream_leaves_its_queue_to_the_next(void **state)
{
    (void)state;
    fa__late_delay(-1);
    FA_SCOPE;
    fa_tensor *x = late_ones(1000), *y;
    fa__queue *queue;
    {
        FA_SCOPE;
        fa_stream *s = fa_stream_new(FA_LATE(0));
        queue = s->queue;
        FA_USE(.stream = s);
        y = fa_escape(fa_mul(x, 2));
    }
    fa_transfers t = fa_transfers_total();
    fa_stream *other = fa_stream_new(FA_LATE(0)); /* the work is not done: it has a queue of its own */
    assert_ptr_not_equal(other->queue, queue);
    assert_int_equal(fa_transfers_total().waits, t.waits); /* the host did not wait */
    assert_true(fa_item(fa_sum(y)) == 2000);
    bool found = false;
    fa_stream *more[8] = {NULL};
    for (int i = 0; i < 8 && !found; i++) {
        more[i] = fa_stream_new(FA_LATE(0));
        found = more[i] && more[i]->queue == queue;
    }
    assert_true(found);
    no_reports();
}

static void kept_streams_live_on(void **state)
{
    (void)state;
    fa_stream *s;
    {
        FA_SCOPE;
        s = fa_keep(fa_stream_new(FA_LATE(0)));
    }
    {
        FA_SCOPE;
        FA_USE(.stream = s);
        assert_true(fa_item(fa_sum(fa_add(late_ones(10), 1))) == 20);
    }
    assert_true(fa_stream_synchronize(s));
    fa_release(s);
}

/* More streams than the device has queues: as many as it has, then an error; freed ones make room, at once. */
static void streams_are_as_many_as_queues(void **state)
{
    (void)state;
    fa__late_delay(-1);
    FA_SCOPE;
    fa_tensor *x = late_ones(100);
    int most = 0;
    for (int turn = 0; turn < 3; turn++) {
        FA_SCOPE;
        int count = 0;
        for (fa_stream *s; (s = fa_stream_new(FA_LATE(0))); count++) {
            FA_USE(.stream = s);
            assert_non_null(fa_add(x, 1));
            assert_true(count < FA__LATE_QUEUES);
        }
        assert_error(FA_ERROR_DEVICE, "fa_stream_new: late:0 has no more than");
        most = turn ? most : count;
        assert_true(count >= 4 && count == most);
    }
    no_reports();
}

static void what_went_wrong_on_a_freed_stream_is_told_before_its_queue_is_used_again(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_synchronize(FA_LATE(0));
    fa__queue *queue;
    {
        FA_SCOPE;
        fa_stream *s = fa_stream_new(FA_LATE(0));
        queue = s->queue;
        FA_USE(.stream = s);
        wrong_index();
    }
    for (int64_t i = 0; atomic_load(&queue->done) < queue->issued && i < 20000; i++)
        usleep(1000);
    bool told = false, used = false;
    for (int i = 0; i < FA__LATE_QUEUES && !used; i++) {
        fa_stream *s = fa_stream_new(FA_LATE(0));
        used = s && s->queue == queue;
        if (!s) {
            assert_error(FA_ERROR_INDEX, "fa_stream_new: fa_index_select(", "index 7 is out of range");
            assert_false(told);
            told = true;
        }
    }
    assert_true(told && used);
}

/* ---- errors ---- */

static void what_is_no_stream_is_refused(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(2));
    fa_stream *good = fa_stream_new(FA_LATE(0)), *dead;
    {
        FA_SCOPE;
        dead = fa_stream_new(FA_LATE(0));
    }
    FA_USE(.stream = good);
    {
        FA_USE(.stream = dead, .no_grad = true);
        assert_error(FA_ERROR_STATE, "FA_USE: .stream was freed when its scope ended (", "stream_lifetimes.c:");
        assert_ptr_equal(fa__settings().stream, good); /* as they were */
        assert_false(fa__settings().no_grad);
    }
    {
        FA_USE(.stream = (fa_stream *)(void *)x);
        assert_error(FA_ERROR_ARGUMENT, "FA_USE: .stream is a tensor, not a stream");
        FA_USE(.stream = (fa_stream *)(void *)fa_event_new());
        assert_error(FA_ERROR_ARGUMENT, "FA_USE: .stream is a event, not a stream");
        assert_ptr_equal(fa__settings().stream, good);
    }
    assert_false(fa_stream_synchronize(dead));
    assert_error(FA_ERROR_STATE, "fa_stream_synchronize: the stream was freed");
    assert_false(fa_stream_done(NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_stream_done: the stream is NULL");
    assert_int_equal(fa_stream_device((fa_stream *)(void *)x).kind, 0);
    assert_error(FA_ERROR_ARGUMENT, "fa_stream_device: it is a tensor, not a stream");
    assert_null(fa_stream_new(FA_CUDA(0)));
    assert_error(FA_ERROR_UNAVAILABLE, "fa_stream_new: cuda: there is no CUDA driver: ");
    assert_null(fa_stream_new(FA_LATE(9)));
    assert_error(FA_ERROR_DEVICE, "fa_stream_new: late:9: there is no device of that number");
}

/* Settings that name a stream go on when it was freed meanwhile: those inside must not fail because of it. */
static void a_stream_that_is_freed_while_in_force(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = late_ones(100);
    fa_stream *s = fa_keep(fa_stream_new(FA_LATE(0)));
    fa_drop(s);
    FA_USE(.stream = s);
    fa_release(s);
    {
        FA_USE(.no_grad = true);
        assert_no_error();
        assert_true(fa__settings().no_grad);
        assert_true(fa_item(fa_sum(fa_add(x, 1))) == 200);
    }
}

/* Without memory at each place: an error, and no half of a stream. */
static void allocations_fail_one_after_another(void **state)
{
    (void)state;
    for (int64_t n = 1, done = 0; !done && n < 100; n++) {
        FA_SCOPE;
        fa__inject(n);
        fa_stream *s = fa_stream_new(FA_LATE(0));
        fa_event *e = s ? fa_event_new() : NULL;
        bool recorded = e && fa_event_record(e, s);
        fa__inject(0);
        done = recorded && !fa_failed();
        if (!done)
            assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
        fa_error_clear();
        assert_true(!recorded || fa_event_synchronize(e));
    }
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, late_begin, late_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(waits_for_a_stream_are_counted_and_can_be_forbidden),
        TEST(what_goes_wrong_on_a_stream_comes_up_when_it_is_waited_for),
        TEST(a_freed_stream_leaves_its_queue_to_the_next),
        TEST(kept_streams_live_on),
        TEST(streams_are_as_many_as_queues),
        TEST(what_went_wrong_on_a_freed_stream_is_told_before_its_queue_is_used_again),
        TEST(what_is_no_stream_is_refused),
        TEST(a_stream_that_is_freed_while_in_force),
        TEST(allocations_fail_one_after_another),
    };
    fa_set_log(quiet_log, NULL);
    return RUN("streams_lives");
}
