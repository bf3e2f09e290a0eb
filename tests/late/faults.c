/* What goes wrong inside a kernel, on devices of any kind that run late: a thread is told of each fault once, one at a
 * time, and goes on; what it had issued behind that changes nothing, what it issues afterwards is done. */
#include "support/api_test.h"
#include <facula/device.h>
#include <pthread.h>

enum { STILL = -1 };

static fa_tensor *rows, *sum, *there; /* (5, 4); (2, 4) of 1s, of each of the devices */
static fa_stream *side;               /* of the first one */

static fa_tensor *select_row(double index)
{
    return fa_index_select(rows, 0, fa_to(fa_to(fa_tensor_of(0., index), FA_I64), DEVICE(0)));
}

static void make_operands(void)
{
    rows = fa_full(FA_SHAPE(5, 4), 2.0, .device = DEVICE(0));
    sum = fa_ones(FA_SHAPE(2, 4), .device = DEVICE(0));
    there = fa_ones(FA_SHAPE(2, 4), .device = DEVICE(1));
    side = fa_stream_new(DEVICE(0));
    fa_add_(sum, fa_mul(select_row(1), 0)); /* and all that is needed is compiled */
    fa_add_(there, fa_mul(fa_to(select_row(1), DEVICE(1)), 0));
    assert_true(fa_item(fa_sum(sum)) == 8 && fa_item(fa_sum(there)) == 8);
    fa_synchronize(DEVICE(0));
    fa_synchronize(DEVICE(1));
}

static fa_tensor *use_aside(const fa_tensor *wrong)
{
    FA_USE(.stream = side);
    return fa_mul(wrong, 2);
}

#define TOLD(index)                                                                                                    \
    assert_error(FA_ERROR_INDEX, "fa_index_select(x=(5, 4) f32 late:0", "index " #index " is out of range")

static int end(void **state)
{
    (void)state;
    test_devices_delay(0);
    fa_error_clear();
    return fa_synchronize(DEVICE(0)) && fa_synchronize(DEVICE(1)) ? 0 : -1;
}

/* The first one by another queue; the second one was found since. */
static void two_faults_are_told_one_by_one(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    use_aside(select_row(9));
    fa_stream_synchronize(side);
    TOLD(9);
    fa_add_(sum, 1);
    select_row(7);
    fa_add_(sum, 1);
    fa_synchronize(DEVICE(0));
    TOLD(7);
    assert_true(fa_synchronize(DEVICE(0)));
    assert_true(fa_item(fa_sum(sum)) == 16);
}

static void two_queues_have_faults_of_their_own(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    select_row(9);
    {
        FA_USE(.stream = side);
        select_row(7);
    }
    fa_add_(sum, 1);
    fa_synchronize(DEVICE(0));
    TOLD(9);
    fa_synchronize(DEVICE(0));
    TOLD(7);
    assert_true(fa_synchronize(DEVICE(0)));
    assert_true(fa_item(fa_sum(sum)) == 8);
}

static void a_fault_waits_until_an_error_was_cleared(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    select_row(9);
    fa_fail(FA_ERROR_USER, "something else");
    fa_synchronize(DEVICE(0));
    assert_error(FA_ERROR_USER, "something else");
    fa_synchronize(DEVICE(0));
    TOLD(9);
    assert_true(fa_synchronize(DEVICE(0)));
}

/* Whatever queue the thread waits for, and wherever it takes what is wrong afterwards. Between kinds of devices an
 * error is another one. */
static void a_thread_is_told_once(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    const fa_device other = DEVICE(DEVICE(1).kind == DEVICE(0).kind);
    fa_tensor *wrong = select_row(9), *target = fa_device_equal(other, DEVICE(1)) ? there : sum;
    use_aside(wrong);
    fa_add_(target, fa_to(wrong, other));
    fa_stream_synchronize(side);
    TOLD(9);
    assert_true(fa_synchronize(DEVICE(0)) && fa_synchronize(DEVICE(1)));
    for (int i = 0; i < 3; i++) {
        use_aside(wrong);
        assert_true(fa_stream_synchronize(side));
        fa_item(fa_sum(fa_to(wrong, other)));
        assert_no_error();
    }
    fa_add_(target, 1);
    assert_true(fa_item(fa_sum(target)) == 16);
}

/* Also when the host was told before it came to that. */
static void what_was_issued_before_the_wait_changes_nothing(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    test_devices_delay(STILL);
    fa_tensor *wrong = select_row(9), *back = fa_cpu(wrong);
    fa_add_(sum, 1);
    fa_add_(there, fa_to(wrong, DEVICE(1)));
    fa_item(fa_get(back, "0, 0"));
    TOLD(9);
    fa_add_(sum, 2);
    fa_add_(there, 2);
    test_devices_delay(0);
    assert_true(fa_item(fa_sum(sum)) == 24 && fa_item(fa_sum(there)) == 24);
    assert_no_error();
}

static void *wait_for_it(void *code)
{
    fa_synchronize(DEVICE(0));
    *(fa_code *)code = fa_error_code();
    fa_error_clear();
    return NULL;
}

static fa_code told_to_another_thread(void)
{
    pthread_t thread;
    fa_code code = FA_ERROR_INTERNAL;
    assert_int_equal(pthread_create(&thread, NULL, wait_for_it, &code), 0);
    pthread_join(thread, NULL);
    return code;
}

/* Whoever waits is told, but who comes when the queue is well again. */
static void who_comes_later_is_not_told(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands();
    for (int later = 0; later < 2; later++) {
        use_aside(select_row(9));
        fa_stream_synchronize(side);
        TOLD(9);
        if (later)
            fa_add_(sum, 1);
        assert_int_equal(told_to_another_thread(), later ? FA_OK : FA_ERROR_INDEX);
        assert_true(fa_synchronize(DEVICE(0)));
    }
    assert_true(fa_item(fa_sum(sum)) == 16);
}

#define OF(f) cmocka_unit_test_setup_teardown(f, api_begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OF(two_faults_are_told_one_by_one),
        OF(two_queues_have_faults_of_their_own),
        OF(a_fault_waits_until_an_error_was_cleared),
        OF(a_thread_is_told_once),
        OF(what_was_issued_before_the_wait_changes_nothing),
        OF(who_comes_later_is_not_told),
    };
    return RUN("faults");
}
