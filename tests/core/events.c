/* Events: moments of streams, which the host and other streams wait for, and the time between two of them. */
#include "core/stream.h"
#include "support/api_test.h"
#include "support/late.h"
#include <facula/device.h>
#include <math.h>
#include <unistd.h>

static void events_mark_a_moment(void **state)
{
    (void)state;
    fa__late_delay(-1);
    FA_SCOPE;
    fa_stream *s = fa_stream_new(FA_LATE(0));
    fa_tensor *x = late_ones(1000);
    fa_event *first = fa_event_new(), *second = fa_event_new(), *third = fa_event_new();
    assert_true(fa_event_record(first, s));
    {
        FA_USE(.stream = s);
        fa_add(x, 1);
        assert_true(fa_event_record(second, NULL)); /* of the stream in force */
    }
    assert_false(fa_event_done(first) || fa_event_done(second));
    assert_true(isnan(fa_event_ms(first, second)));
    assert_error(FA_ERROR_STATE, "has not come yet on late:0");
    fa_transfers_reset();
    {
        FA_USE(.forbid = FA_SYNC);
        assert_false(fa_event_synchronize(second));
        assert_error(FA_ERROR_SYNC, "fa_event_synchronize: the host would wait for late:0");
    }
    assert_true(fa_event_synchronize(second));
    assert_int_equal(fa_transfers_total().waits, 1);
    assert_true(fa_event_done(first) && fa_event_done(second));
    assert_true(fa_event_synchronize(first));
    assert_int_equal(fa_transfers_total().waits, 1); /* it had come */
    fa__late_delay(20000);                           /* from here the queue rests for 20 ms before each piece of work */
    assert_true(fa_event_record(third, s));
    for (int64_t i = 0; !fa_event_done(third) && i < 20000; i++)
        usleep(1000);
    assert_true(fa_event_ms(first, second) >= 0);
    double ms = fa_event_ms(second, third);
    assert_true(ms >= 19.9 && ms < 20000);
    assert_true(fa_event_ms(third, second) == -ms);
    assert_true(fabs(fa_event_ms(first, third) - fa_event_ms(first, second) - ms) < 1e-9 * (1 + ms));
    assert_true(fa_event_record(first, s)); /* another moment */
    assert_true(fa_event_synchronize(first));
    assert_true(fa_event_ms(third, first) >= 0);
}

static void a_stream_waits_for_an_event(void **state)
{
    (void)state;
    fa__late_delay(-1);
    for (int i = 0; i < 2; i++) {
        FA_SCOPE;
        fa_stream *a = fa_stream_new(FA_LATE(0)), *b = fa_stream_new(FA_LATE(i));
        fa_tensor *x = late_ones(1000);
        fa_event *e = fa_event_new(), *behind = fa_event_new();
        {
            FA_USE(.stream = a);
            fa_add(x, 1);
        }
        assert_true(fa_event_record(e, a));
        {
            FA_USE(.forbid = FA_SYNC | FA_TRANSFER); /* queues follow each other, the host goes on */
            if (i == 0)
                assert_true(fa_event_wait(e, b));
            FA_USE(.stream = b);
            if (i == 1)
                assert_true(fa_event_wait(e, NULL));
            assert_true(fa_event_wait(e, a)); /* its own work comes behind it anyway */
        }
        assert_true(fa_event_record(behind, b));
        assert_false(fa_event_done(e) || fa_event_done(behind));
        assert_true(fa_event_synchronize(behind)); /* nobody waits for a, but b */
        assert_true(fa_event_done(e));
    }
    no_reports();
}

static void events_order_for_the_checker_too(void **state)
{
    (void)state;
    fa__late_delay(-1);
    FA_SCOPE;
    fa_stream *a = fa_stream_new(FA_LATE(0)), *b = fa_stream_new(FA_LATE(0));
    fa_tensor *x = late_ones(1000);
    fa_event *e = fa_event_new();
    {
        FA_USE(.stream = a);
        fa_add_(x, 1);
    }
    assert_true(fa_event_record(e, a) && fa_event_wait(e, b));
    fa__late_ignore_after(true); /* the tensor's own order is gone: the event's is enough */
    {
        FA_USE(.stream = b);
        fa_add_(x, 1);
    }
    fa__late_ignore_after(false);
    no_reports();
    assert_true(fa_item(fa_sum(x)) == 3000);
}

static void an_event_may_go_before_its_moment(void **state)
{
    (void)state;
    fa__late_delay(-1);
    FA_SCOPE;
    fa_stream *s = fa_stream_new(FA_LATE(0));
    {
        FA_SCOPE;
        FA_USE(.stream = s);
        fa_event *e = fa_event_new();
        assert_true(fa_event_record(e, s));
        assert_true(fa_event_record(e, s));
    }
    assert_true(fa_stream_synchronize(s));
}

static void the_cpu_and_meta_are_done_at_once(void **state)
{
    (void)state;
    const fa_device devices[] = {FA_CPU, FA_META};
    for (int i = 0; i < 2; i++) {
        FA_SCOPE;
        fa_stream *s = fa_stream_new(devices[i]);
        assert_non_null(s);
        assert_true(fa_device_equal(fa_stream_device(s), devices[i]));
        FA_USE(.stream = s, .device = devices[i]);
        fa_tensor *x = fa_add(fa_ones(FA_SHAPE(10)), 1);
        assert_true(fa_device_equal(fa_tensor_device(x), devices[i]));
        assert_true(fa_stream_done(s) && fa_stream_synchronize(s));
        fa_event *from = fa_event_new(), *to = fa_event_new();
        assert_true(fa_event_record(from, s));
        usleep(2000);
        assert_true(fa_event_record(to, s) && fa_event_wait(from, s) && fa_event_synchronize(to) && fa_event_done(to));
        assert_true(fa_event_ms(from, to) >= 2 && fa_event_ms(from, to) < 10000);
    }
    assert_int_equal(fa_transfers_total().waits, 0);
    /* later work of the CPU behind an event of a device: the host waits for it, unless that is forbidden */
    fa__late_delay(-1);
    FA_SCOPE;
    fa_stream *s = fa_stream_new(FA_LATE(0)), *cpu = fa_stream_new(FA_CPU), *meta = fa_stream_new(FA_META);
    fa_event *e = fa_event_new(), *here = fa_event_new();
    assert_true(fa_event_record(e, s) && fa_event_record(here, cpu));
    {
        FA_USE(.forbid = FA_SYNC);
        assert_false(fa_event_wait(e, cpu));
        assert_error(FA_ERROR_SYNC, "fa_event_wait: the host would wait for late:0");
        assert_true(fa_event_wait(e, meta)); /* it never does anything */
        assert_true(fa_event_wait(here, s)); /* it has come */
    }
    assert_true(fa_event_wait(e, cpu));
    assert_true(fa_event_done(e));
    assert_int_equal(fa_transfers_total().waits, 1);
    assert_true(isnan(fa_event_ms(e, here)));
    assert_error(FA_ERROR_DEVICE, "fa_event_ms: one event is of late:0, the other one of cpu");
}

static void what_is_no_event_is_refused(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_stream *good = fa_stream_new(FA_LATE(0)), *dead;
    {
        FA_SCOPE;
        dead = fa_stream_new(FA_LATE(0));
    }
    fa_event *e = fa_event_new(), *none = NULL;
    assert_false(fa_event_done(e));
    assert_error(FA_ERROR_STATE, "fa_event_done: the event marks nothing yet");
    assert_false(fa_event_wait(e, good));
    assert_error(FA_ERROR_STATE, "fa_event_wait: the event marks nothing yet");
    assert_false(fa_event_synchronize(e));
    assert_error(FA_ERROR_STATE, "fa_event_synchronize: the event marks nothing yet");
    assert_true(isnan(fa_event_ms(e, e)));
    assert_error(FA_ERROR_STATE, "fa_event_ms: the event marks nothing yet");
    assert_false(fa_event_record(none, good));
    assert_error(FA_ERROR_ARGUMENT, "fa_event_record: the event is NULL");
    assert_false(fa_event_record((fa_event *)(void *)good, good));
    assert_error(FA_ERROR_ARGUMENT, "fa_event_record: it is a stream, not an event");
    assert_false(fa_event_record(e, dead));
    assert_error(FA_ERROR_STATE, "fa_event_record: the stream was freed");
    assert_false(fa_event_done(e)); /* still nothing */
    assert_error(FA_ERROR_STATE, "marks nothing yet");
    assert_true(fa_event_record(e, good));
    assert_false(fa_event_wait(e, dead));
    assert_error(FA_ERROR_STATE, "fa_event_wait: the stream was freed");
    assert_true(fa_event_synchronize(e));
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, late_begin, late_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(events_mark_a_moment),
        TEST(a_stream_waits_for_an_event),
        TEST(events_order_for_the_checker_too),
        TEST(an_event_may_go_before_its_moment),
        TEST(the_cpu_and_meta_are_done_at_once),
        TEST(what_is_no_event_is_refused),
    };
    fa_set_log(quiet_log, NULL);
    return RUN("events");
}
