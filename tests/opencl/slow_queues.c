/* Order between OpenCL's queues, seen by making one of them slow: results are right, and would not be without it. The
 * tests of devices run with slow queues, too (CMakeLists.txt). */
#include "support/autograd_test.h"
#include <facula/device.h>
#include <facula/optim.h>

enum { SLOW = 30000 /* microseconds */ };

static int begin(void **state)
{
    test_devices_delay(0);
    test_devices_delay_one(-1);
    return test_begin(state);
}

static int end(void **state)
{
    test_devices_ignore_order(false);
    test_devices_delay(0);
    return test_end(state);
}

/* The two devices have settled, and nothing is compiled any more. */
static void settle(void)
{
    assert_true(fa_synchronize(DEVICE(0)) && fa_synchronize(DEVICE(1)));
}

/* Each is two pieces of work on the same memory, by the queues of two devices, the first of which is slow. Returns what
 * the second one found, or what was left: 2 when they are in order. */
static double read_after_write(int slow)
{
    fa_tensor *x = fa_to(fa_ones(FA_SHAPE(1000)), DEVICE(slow));
    fa_tensor *y = fa_mul(x, 1);
    settle();
    test_devices_delay(SLOW);
    fa_add_(y, 1);
    return fa_item(fa_get(fa_to(y, DEVICE(1 - slow)), "7"));
}

static double write_after_read(int slow)
{
    fa_tensor *x = fa_to(fa_full(FA_SHAPE(1000), 2.0), DEVICE(1 - slow)),
              *y = fa_zeros(FA_SHAPE(1000), .device = DEVICE(slow));
    settle();
    test_devices_delay(SLOW);
    fa_copy_(y, x); /* the slow queue reads x, */
    fa_add_(x, 1);  /* the other one changes it */
    return fa_item(fa_get(y, "7"));
}

/* By two queues of one device: no driver knows of that. */
static double write_on_a_stream_after_read(int slow)
{
    fa_tensor *x = fa_full(FA_SHAPE(1000), 2.0, .device = DEVICE(slow));
    fa_stream *s = fa_stream_new(DEVICE(slow));
    assert_non_null(fa_add_(fa_mul(x, 1), 1));
    settle();
    test_devices_delay(SLOW);
    fa_tensor *y = fa_mul(x, 1);
    {
        FA_USE(.stream = s);
        fa_add_(x, 1);
        assert_true(fa_stream_synchronize(s));
    }
    return fa_item(fa_get(y, "7"));
}

static double write_after_write(int slow)
{
    fa_tensor *host = fa_zeros(FA_SHAPE(1000)), *x = fa_to(fa_ones(FA_SHAPE(1000)), DEVICE(slow)),
              *y = fa_to(fa_full(FA_SHAPE(1000), 2.0), DEVICE(1 - slow));
    settle();
    test_devices_delay(SLOW);
    fa_copy_(host, x);
    fa_copy_(host, y);
    settle();
    return fa_item(fa_get(host, "7"));
}

static double (*const hazards[])(int slow) = {read_after_write, write_after_read, write_on_a_stream_after_read,
                                              write_after_write};
enum { HAZARDS = sizeof hazards / sizeof *hazards };

static double run(int hazard, int slow, bool ignore)
{
    FA_SCOPE;
    test_devices_delay_one(slow);
    test_devices_ignore_order(ignore);
    double found = hazards[hazard](slow);
    test_devices_ignore_order(false);
    test_devices_delay(0);
    settle();
    return found;
}

static void work_is_in_order(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * HAZARDS; i++)
        assert_true(run(i / 2, i % 2, false) == 2);
}

static void without_order_results_are_wrong(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * HAZARDS; i++) {
        if (hazards[i / 2] == write_after_read) /* PoCL keeps that order itself, moving memory between its devices */
            continue;
        run(i / 2, i % 2, false);
        if (run(i / 2, i % 2, true) == 2)
            fail_msg("hazard %d: nothing is wrong without order", i / 2);
    }
}

/* A device reads what a stream of the other one is about to change: where the driver would keep that order itself, it
 * was asked for all the same. */
static void a_stream_writes_behind_a_read_by_the_other_device(void **state)
{
    (void)state;
    for (int reader = 0; reader < 2; reader++) {
        FA_SCOPE;
        fa_tensor *x = fa_full(FA_SHAPE(1000), 2.0, .device = DEVICE(1 - reader)),
                  *y = fa_zeros(FA_SHAPE(1000), .device = DEVICE(reader));
        fa_stream *s = fa_stream_new(DEVICE(1 - reader));
        settle();
        test_devices_delay_one(reader);
        test_devices_delay(-1);
        fa_copy_(y, x);
        int64_t before = test_devices_orders();
        {
            FA_USE(.stream = s);
            fa_add_(x, 1);
        }
        assert_int_equal(test_devices_orders(), before + 1);
        assert_true(fa_item(fa_get(y, "7")) == 2);
        assert_true(fa_item(fa_get(x, "7")) == 3);
        test_devices_delay(0);
        settle();
    }
}

static double trained(bool slow)
{
    FA_SCOPE;
    fa_tensor *w = fa_to(fa_full(FA_SHAPE(50), 0.5), DEVICE(0)), *v = fa_to(fa_full(FA_SHAPE(50), 0.25), DEVICE(1));
    fa_set_requires_grad(w, true);
    fa_set_requires_grad(v, true);
    fa_optim *o = fa_optim_sgd(fa_params(w, v), .lr = 0.1, .momentum = 0.9);
    settle();
    test_devices_delay(slow ? 1000 : 0);
    for (int i = 0; i < 8; i++) {
        FA_SCOPE;
        fa_optim_zero_grad(o);
        fa_tensor *h = fa_tanh(fa_mul(w, fa_to(v, DEVICE(0))));
        fa_backward(fa_sum(fa_pow(fa_sub(fa_to(h, DEVICE(1)), v), 2)));
        fa_optim_step(o);
    }
    double sum = fa_item(fa_sum(w)) + 1000 * fa_item(fa_sum(v));
    test_devices_delay(0);
    return sum;
}

/* Each device slow by itself, and both. */
static void a_training_on_slow_devices_gives_the_same(void **state)
{
    (void)state;
    double want = trained(false);
    for (int one = -1; one < 2; one++) {
        test_devices_delay_one(one);
        assert_true(trained(true) == want);
    }
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(work_is_in_order),
        TEST(without_order_results_are_wrong),
        TEST(a_stream_writes_behind_a_read_by_the_other_device),
        TEST(a_training_on_slow_devices_gives_the_same),
    };
    setenv("FACULA_TEST_DEVICES", "opencl:0 opencl:1", 0);
    return RUN("slow_queues");
}
