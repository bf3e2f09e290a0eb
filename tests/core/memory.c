/* Memory: statistics that add up, and limits. Shapes without memory are in large_model.c. */
#define _GNU_SOURCE
#include "core/order.h"
#include "support/api_test.h"
#include "support/devices.h"

enum { BIG = 1 << 20 };

static fa_device place(int number)
{
    return number ? DEVICE(0) : FA_CPU;
}

/* ---- statistics ---- */

static void counts_follow_what_is_made_and_freed(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        FA_USE(.device = place(p));
        fa_synchronize(place(p));
        fa__order_reap(true);
        fa_memory before = fa_memory_stats(place(p));
        {
            FA_SCOPE;
            fa_memory_reset_peak(place(p));
            fa_tensor *t = fa_zeros(FA_SHAPE(BIG / 4));
            fa_memory one = fa_memory_stats(place(p));
            assert_int_equal(one.requested.current - before.requested.current, BIG);
            assert_true(one.allocated - before.allocated >= BIG && one.allocated - before.allocated < BIG + BIG / 4);
            assert_int_equal(one.allocated, one.active.current);
            assert_int_equal(one.reserved, one.segments.current);
            assert_int_equal(one.blocks.current, before.blocks.current + 1);
            assert_true(one.reserved >= one.allocated);
            fa_get(t, "::2"); /* a view takes none */
            assert_int_equal(fa_memory_stats(place(p)).allocated, one.allocated);
            FA_REPEAT (i, 3)
                fa_zeros(FA_SHAPE(BIG / 4));
            fa_synchronize(place(p));
            fa__order_reap(true);
            fa_memory two = fa_memory_stats(place(p));
            assert_int_equal(two.allocated, one.allocated);
            assert_true(two.peak >= one.allocated + BIG);
            assert_int_equal(two.peak, two.active.peak);
            assert_int_equal(two.requested.total - one.requested.total, 3 * BIG);
            fa_memory_reset_peak(place(p));
            assert_int_equal(fa_memory_stats(place(p)).peak, two.allocated);
        }
        fa_synchronize(place(p));
        fa__order_reap(true);
        fa_memory after = fa_memory_stats(place(p));
        assert_int_equal(after.allocated, before.allocated);
        assert_int_equal(after.requested.current, before.requested.current);
        assert_int_equal(after.blocks.current, before.blocks.current);
        assert_int_equal(after.failures, before.failures);
        fa_empty_cache(place(p));
        assert_true(fa_memory_stats(place(p)).reserved <= after.reserved);
        assert_true(fa_memory_stats(place(p)).reserved >= fa_memory_stats(place(p)).allocated);
    }
    assert_no_error();
}

static void small_host_tensors_are_counted(void **state)
{
    (void)state;
    fa_memory before = fa_memory_stats(FA_CPU);
    {
        FA_SCOPE;
        for (int i = 0; i < 100; i++)
            fa_zeros(FA_SHAPE(25));
        fa_memory now = fa_memory_stats(FA_CPU);
        assert_true(now.allocated - before.allocated >= 100 * 100);
        assert_int_equal(now.blocks.current - before.blocks.current, 100);
    }
    assert_int_equal(fa_memory_stats(FA_CPU).allocated, before.allocated);
    assert_int_equal(fa_memory_stats(FA_CPU).blocks.current, before.blocks.current);
}

static void empty_tensors_take_nothing(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        FA_SCOPE;
        fa_memory before = fa_memory_stats(place(p));
        for (int i = 0; i < 10; i++)
            fa_zeros(FA_SHAPE(3, 0, 5), .device = place(p));
        assert_int_equal(fa_memory_stats(place(p)).allocated, before.allocated);
    }
    assert_no_error();
}

static void an_unknown_device_has_no_memory(void **state)
{
    (void)state;
    fa_memory m = fa_memory_stats(FA_CUDA(3));
    assert_int_equal(m.allocated, 0);
    assert_true(fa_failed());
    fa_error_clear();
    assert_false(fa_memory_limit(FA_LATE(9), 100));
    fa_error_clear();
    fa_empty_cache(FA_CUDA(0));
    fa_memory_reset_peak(FA_CUDA(0));
    fa_error_clear();
}

/* ---- a limit ---- */

static void a_limit_gives_a_clean_error(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        FA_SCOPE;
        fa_empty_cache(place(p));
        size_t reserved = fa_memory_stats(place(p)).reserved;
        assert_true(fa_memory_limit(place(p), reserved + 8 * BIG));
        fa_tensor *held = fa_full(FA_SHAPE(BIG / 4), 3, .device = place(p));
        assert_non_null(held);
        assert_null(fa_zeros(FA_SHAPE(10 * BIG / 4), .device = place(p)));
        assert_error(FA_ERROR_MEMORY, "out of memory on ", fa_device_name(place(p)), "10485760 bytes were asked for",
                     "allocated", "reserved", "largest");
        assert_true(fa_memory_stats(place(p)).failures > 0);
        assert_true(fa_item(fa_sum(held)) == 3.0 * BIG / 4);
        assert_non_null(fa_zeros(FA_SHAPE(10), .device = place(p)));
        assert_true(fa_memory_limit(place(p), 0));
        assert_non_null(fa_zeros(FA_SHAPE(10 * BIG / 4), .device = place(p)));
        assert_no_error();
    }
}

static void cached_memory_makes_room_below_a_limit(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_empty_cache(FA_CPU);
    size_t reserved = fa_memory_stats(FA_CPU).reserved;
    assert_true(fa_memory_limit(FA_CPU, reserved + 40 * BIG));
    FA_REPEAT (i, 10) {
        fa_zeros(FA_SHAPE(12 + i, BIG / 4)); /* each of another size: the cache has to let the others go */
        fa_zeros(FA_SHAPE(10, BIG / 4 + i));
    }
    assert_no_error();
    assert_true(fa_memory_limit(FA_CPU, 0));
}

/* ---- memory of the program ---- */

static void borrowed_memory_is_not_counted(void **state)
{
    (void)state;
    float data[6] = {0};
    const fa_device where[] = {FA_CPU, FA_META};
    for (int i = 0; i < 2; i++) {
        fa_memory before = fa_memory_stats(where[i]);
        {
            FA_SCOPE;
            assert_non_null(fa_tensor_borrow(data, FA_SHAPE(6), .device = where[i]));
        }
        assert_int_equal(fa_memory_stats(where[i]).allocated, before.allocated);
    }
    assert_no_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(counts_follow_what_is_made_and_freed), TEST(small_host_tensors_are_counted),
        TEST(empty_tensors_take_nothing),           TEST(an_unknown_device_has_no_memory),
        TEST(a_limit_gives_a_clean_error),          TEST(cached_memory_makes_room_below_a_limit),
        TEST(borrowed_memory_is_not_counted),
    };
    if (!test_devices_there())
        return TEST_SKIPPED;
    return RUN("api_memory");
}
