/* What FA_USE(.forbid = FA_SYNC) refuses: a value that the host has to read from a device, also where the device would
 * have it by then. It does not depend on how fast the device is. */
#include "support/api_test.h"

enum { TURNS = 50 }; /* a device that is fast wins the race in some of them */

static fa_tensor *mask, *counts, *classes;

static void make_operands(fa_device where)
{
    mask = fa_to(fa_gt(fa_tensor_of(1., -1., 2.), 0), where);
    counts = fa_to(fa_tensor_of(2, 0, 1), where);
    classes = fa_to(fa_tensor_of(0, 1, 1), where);
    fa_synchronize(DEVICE(0));
}

static void read_places(void)
{
    fa_nonzero(mask);
}

static void read_tuple(void)
{
    fa_nonzero_tuple(mask);
}

static void select_masked(void)
{
    fa_masked_select(counts, mask);
}

static void read_bins(void)
{
    fa_bincount(counts);
}

static void read_classes(void)
{
    fa_one_hot(classes);
}

static void read_unique(void)
{
    fa_unique(counts);
}

static void repeat_each(void)
{
    fa_repeat_interleave(classes, counts);
}

static void read_item(void)
{
    fa_item(fa_get(counts, "0"));
}

static void read_int(void)
{
    fa_item_int(fa_get(counts, "0"));
}

static void read_all(void)
{
    int64_t values[3];
    if (fa_read(counts, values, FA_I64, 3)) /* that it waits is what counts */
        assert_int_equal(values[0], 2);
}

static void write_text(void)
{
    fa_free_text(fa_text(counts));
}

static void compare(void)
{
    fa_equal(counts, counts);
}

static void compare_closely(void)
{
    fa_allclose(counts, counts);
}

static void come_back(void)
{
    fa_to(counts, FA_CPU, .non_blocking = false, .copy = true);
}

static const struct {
    void (*call)(void);
    const char *name;
} calls[] = {
    {read_places, "fa_nonzero: "},
    {read_tuple, "fa_nonzero_tuple: "},
    {select_masked, "fa_masked_select: "},
    {read_bins, "fa_bincount: "},
    {read_classes, "fa_one_hot: "},
    {read_unique, "fa_unique: "},
    {repeat_each, "fa_repeat_interleave: "},
    {read_item, "fa_item: "},
    {read_int, "fa_item_int: "},
    {read_all, "fa_read: "},
    {write_text, "fa_text: "},
    {compare, "fa_equal: "},
    {compare_closely, "fa_allclose: "},
    {come_back, "fa_to: "},
};
enum { CALLS = sizeof calls / sizeof *calls };

static void what_the_host_reads_is_refused_however_fast_the_device_is(void **state)
{
    (void)state;
    test_devices_delay(0);
    FA_SCOPE;
    make_operands(DEVICE(0));
    for (int i = 0; i < CALLS; i++)
        calls[i].call();
    assert_no_error();
    fa_synchronize(DEVICE(0));
    fa_transfers_reset();
    for (int i = 0; i < CALLS * TURNS; i++) {
        FA_SCOPE;
        FA_USE(.forbid = FA_SYNC);
        calls[i % CALLS].call();
        assert_error(FA_ERROR_SYNC, calls[i % CALLS].name,
                     "the host would wait for late:0, which .forbid = FA_SYNC forbids here");
    }
    assert_int_equal(fa_transfers_total().waits, 0);
}

static void the_cpus_own_values_are_read(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands(FA_CPU);
    FA_USE(.forbid = FA_SYNC | FA_TRANSFER);
    for (int i = 0; i < CALLS; i++)
        calls[i].call();
    assert_no_error();
}

/* Nor is what has nothing to read, or has come. */
static void what_is_there_is_read(void **state)
{
    (void)state;
    FA_SCOPE;
    make_operands(DEVICE(0));
    fa_tensor *here = fa_cpu(counts), *none = fa_zeros(FA_SHAPE(0), .device = DEVICE(0));
    fa_synchronize(DEVICE(0));
    FA_USE(.forbid = FA_SYNC);
    assert_true(fa_item(fa_get(here, "0")) == 2);
    assert_true(fa_read(none, &(float){0}, FA_F32, 0));
    assert_true(fa_tensor_shape(fa_nonzero(none)).dim[0] == 0);
    assert_no_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_the_host_reads_is_refused_however_fast_the_device_is),
        TEST(the_cpus_own_values_are_read),
        TEST(what_is_there_is_read),
    };
    return RUN("forbidden");
}
