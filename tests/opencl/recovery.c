/* After a fault: the program was told of it once, by whichever queue it waited for, and goes on with all of them; and
 * nothing is kept of what is over. */
#include "support/opencl.h"
#include <facula/facula.h>
#include <pthread.h>

enum { STILL = -1, TURNS = 6, BAD = 2 };

static fa_tensor *rows, *good, *bad; /* of device 0: 2s, (5, 4); indices */
static fa_tensor *steps;             /* of device 1: turns that were done there */

static int begin(void **state)
{
    test_devices_delay(0);
    return opencl_begin(state);
}

static int end(void **state)
{
    test_devices_delay_one(-1);
    test_devices_delay(0);
    for (int d = 0; d < 2; d++)
        fa_synchronize(DEVICE(d));
    if (fa_failed())
        print_message("left behind: %s\n", fa_error_message());
    use_pinned(false);
    return !fa_failed() ? opencl_end(state) : -1;
}

static fa_tensor *indices(double last)
{
    return fa_to(fa_to(fa_tensor_of(0., last), FA_I64), DEVICE(0));
}

static void make_operands(void)
{
    rows = fa_full(FA_SHAPE(5, 4), 2.0, .device = DEVICE(0));
    good = indices(1);
    bad = indices(9);
    steps = fa_zeros(FA_SHAPE(2, 4), .device = DEVICE(1));
    fa_synchronize(DEVICE(0));
    fa_synchronize(DEVICE(1));
}

/* From device 0 to the other one, which counts, and back. */
static fa_tensor *there_and_back(const fa_tensor *index)
{
    fa_tensor *there = fa_to(fa_index_select(rows, 0, index), DEVICE(1));
    fa_add_(steps, fa_mul(there, 0.5));
    return fa_add(fa_to(fa_mul(there, 2), DEVICE(0)), 1);
}

static fa_stream *side;

/* The same between two queues of one device. */
static fa_tensor *aside_and_back(const fa_tensor *index)
{
    fa_tensor *selected = fa_index_select(rows, 0, index), *twice;
    {
        FA_USE(.stream = side);
        twice = fa_mul(selected, 2);
    }
    return fa_add(twice, 1);
}

static bool told(void)
{
    bool is = fa_error_code() == FA_ERROR_INDEX && strstr(fa_error_message(), "index 9 is out of range");
    fa_error_clear();
    return is;
}

/* Only the first device's results are ever waited for. */
static void go_on_after(fa_tensor *(*turn)(const fa_tensor *index), int64_t delay)
{
    for (int i = 0; i < TURNS; i++) {
        FA_SCOPE;
        test_devices_delay(delay);
        double sum = fa_item(fa_sum(turn(i == BAD ? bad : good)));
        if (i == BAD)
            assert_true(told());
        else if (fa_failed() || sum != 40)
            fail_msg("turn %d: %g, %s", i, sum, fa_error_message());
    }
    test_devices_delay(0);
}

static void a_program_that_waits_for_one_device_goes_on(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        FA_SCOPE;
        use_pinned(way & 1);
        make_operands();
        go_on_after(there_and_back, way & 2 ? STILL : 0);
        assert_true(fa_synchronize(DEVICE(1))); /* it was told, and has gone on */
        assert_true(fa_item(fa_sum(steps)) == 8 * (TURNS - 1));
    }
}

static void a_program_that_waits_for_one_stream_goes_on(void **state)
{
    (void)state;
    FA_SCOPE;
    side = fa_stream_new(DEVICE(0));
    make_operands();
    go_on_after(aside_and_back, 0);
    go_on_after(aside_and_back, STILL);
    assert_true(fa_stream_synchronize(side));
}

/* A thread is told once: results of before are as wrong as they were, wherever it takes them. */
static void what_was_issued_before_is_not_told_of_again(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    fa_tensor *there = fa_to(fa_index_select(rows, 0, bad), DEVICE(1)), *wrong = fa_mul(there, 2);
    fa_item(fa_sum(fa_to(wrong, DEVICE(0))));
    assert_true(told());
    fa_tensor *fine = fa_full(FA_SHAPE(2), 3.0, .device = DEVICE(1));
    assert_true(fa_item(fa_sum(fa_to(fine, DEVICE(0)))) == 6);
    for (int i = 0; i < 3; i++) {
        fa_item(fa_sum(fa_to(wrong, DEVICE(0))));
        assert_false(fa_failed());
        assert_true(fa_item(fa_sum(fa_index_select(rows, 0, good))) == 16);
    }
    assert_true(fa_synchronize(DEVICE(1)));
}

/* What was left alone is sound: its device need not be waited for to go on with it. */
static void what_was_left_alone_is_used_elsewhere(void **state)
{
    (void)state;
    for (int slow = 0; slow < 2; slow++) {
        FA_SCOPE;
        make_operands();
        test_devices_delay_one(1);
        test_devices_delay(slow * 100000);
        fa_add_(steps, fa_to(fa_index_select(rows, 0, bad), DEVICE(1)));
        fa_synchronize(DEVICE(0));
        assert_true(told());
        for (int i = 0; i < 3; i++)
            assert_true(fa_item(fa_sum(fa_to(steps, DEVICE(0)))) == 0 && !fa_failed());
        fa_add_(steps, 1);
        assert_true(fa_item(fa_sum(steps)) == 8);
        test_devices_delay(0);
        test_devices_delay_one(-1);
    }
}

static void *add_to_the_steps(void *wrong)
{
    fa_add_(steps, fa_sum(fa_to(wrong, DEVICE(1))));
    return NULL;
}

/* At an event, with work behind it that is still under way: another stream that is given what it makes goes on, whether
 * or not the first one was used since. */
static void what_is_still_under_way_is_not_told_of_again(void **state)
{
    (void)state;
    for (int used = 0; used < 2; used++) {
        FA_SCOPE;
        make_operands();
        side = fa_stream_new(DEVICE(0));
        fa_stream *other = fa_stream_new(DEVICE(0));
        fa_tensor *sum = fa_zeros(FA_SHAPE(2, 4), .device = DEVICE(0)), *later, *taken;
        fa_event *e = fa_event_new();
        fa_synchronize(DEVICE(0));
        {
            FA_USE(.stream = side);
            fa_index_select(rows, 0, bad);
            fa_event_record(e, side);
            test_devices_delay(300000);
            later = fa_index_select(rows, 0, good);
            fa_event_synchronize(e);
            assert_true(told());
            if (used)
                fa_add(rows, 1);
        }
        {
            FA_USE(.stream = other);
            taken = fa_add(later, 1);
            fa_add_(sum, 1);
        }
        test_devices_delay(0);
        if (!fa_stream_synchronize(other))
            fail_msg("told again: %s", fa_error_message());
        assert_true(taken && fa_item(fa_sum(sum)) == 8 && !fa_failed());
        assert_true(fa_synchronize(DEVICE(0)));
    }
}

/* By a thread that was not told, though the other device has seen since then that the queue is well. */
static void what_was_issued_before_is_taken_over_later(void **state)
{
    (void)state;
    FA_SCOPE;
    pthread_t thread;
    make_operands();
    side = fa_stream_new(DEVICE(0));
    test_devices_delay(STILL);
    fa_tensor *wrong = fa_index_select(rows, 0, bad), *aside;
    {
        FA_USE(.stream = side);
        aside = fa_mul(wrong, 2);
    }
    fa_stream_synchronize(side);
    assert_true(told());
    assert_true(fa_item(fa_sum(fa_to(fa_index_select(rows, 0, good), DEVICE(1)))) == 16);
    assert_true(fa_synchronize(DEVICE(0))); /* this thread knows; others do not */
    assert_int_equal(pthread_create(&thread, NULL, add_to_the_steps, wrong), 0);
    pthread_join(thread, NULL);
    fa_synchronize(DEVICE(1));
    assert_true(aside && told());
    assert_true(fa_item(fa_sum(steps)) == 0);
    assert_true(fa_synchronize(DEVICE(0)));
}

/* Though the other device has not come to see the fault yet that the program was told of. */
static void what_is_issued_afterwards_is_done(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    fa_add_(steps, fa_to(fa_index_select(rows, 0, good), DEVICE(1)));
    fa_synchronize(DEVICE(1));
    test_devices_delay_one(1);
    test_devices_delay(200000);
    fa_add_(steps, fa_to(fa_index_select(rows, 0, bad), DEVICE(1)));
    fa_synchronize(DEVICE(0));
    assert_true(told());
    fa_add_(steps, 1);
    assert_true(fa_item(fa_sum(steps)) == 24 && !fa_failed());
}

/* What the first fault left does not hide the next one. */
static void a_second_fault_is_told_of(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    for (int i = 0; i < 3; i++) {
        fa_item(fa_sum(there_and_back(bad)));
        assert_true(told());
    }
    assert_true(fa_item(fa_sum(there_and_back(good))) == 40);
    there_and_back(bad);
    fa_synchronize(DEVICE(1));
    assert_true(told());
    fa_synchronize(DEVICE(0));
    fa_error_clear();
    assert_true(fa_item(fa_sum(steps)) == 8);
}

/* A device of another kind, for which the host waits: the thread is told at once, and never again. */
static void another_kind_of_device_takes_nothing_over(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    fa_device late = FA_LATE(0);
    fa_tensor *sum = fa_zeros(FA_SHAPE(2, 4), .device = late);
    fa_add_(sum, fa_to(fa_index_select(rows, 0, bad), late));
    assert_true(told());
    assert_true(fa_synchronize(late) && fa_synchronize(DEVICE(0)));
    assert_true(fa_item(fa_sum(sum)) == 0);
}

/* ---- what is kept meanwhile ---- */
static fa__opencl_queue *queue_of(int device)
{
    return (fa__opencl_queue *)opencl_device(device)->queue;
}

static int pending_of(fa__opencl_queue *q)
{
    int count = 0;
    pthread_mutex_lock(&q->lock);
    for (uint64_t t = fa__opencl_done(q) + 1; t <= q->base.issued; t++)
        count += fa__opencl_work_of(q, t)->suspect != NULL;
    fa__opencl_leave(q);
    return count;
}

static int taken_of(const fa__opencl_queue *q)
{
    int count = 0;
    for (int i = 0; i < FA__OPENCL_LOOKS; i++)
        count += atomic_load(&q->taken[i]);
    return count;
}

/* From device to device without end, so that there is always one that has not looked yet: what the others saw is let go
 * of all the same. */
static void looks_that_are_over_take_no_places(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    fa_tensor *t = fa_index_select(rows, 0, good);
    fa_to(fa_to(t, DEVICE(1)), DEVICE(0));
    test_devices_delay(3000);
    t = fa_index_select(rows, 0, good);
    for (int i = 0; i < 400; i++)
        t = fa_to(fa_to(t, DEVICE(1)), DEVICE(0));
    int pending = pending_of(queue_of(0)) + pending_of(queue_of(1)),
        taken = taken_of(queue_of(0)) + taken_of(queue_of(1));
    if (taken > 2 * pending + 2)
        fail_msg("%d places are taken for %d looks", taken, pending);
    test_devices_delay(0);
    assert_true(fa_item(fa_sum(t)) == 16);
}

#define OF(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OF(a_program_that_waits_for_one_device_goes_on),  OF(a_program_that_waits_for_one_stream_goes_on),
        OF(what_was_issued_before_is_not_told_of_again),  OF(a_second_fault_is_told_of),
        OF(what_was_issued_before_is_taken_over_later),   OF(what_is_issued_afterwards_is_done),
        OF(looks_that_are_over_take_no_places),           OF(what_was_left_alone_is_used_elsewhere),
        OF(what_is_still_under_way_is_not_told_of_again), OF(another_kind_of_device_takes_nothing_over),
    };
    setenv("FACULA_TEST_DEVICES", "opencl:0 opencl:1", 1);
    if (!opencl_there() || !test_devices_there())
        return TEST_SKIPPED;
    return cmocka_run_group_tests_name("opencl_recovery", tests, NULL, NULL);
}
