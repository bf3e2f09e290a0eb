/* Means on a device that does not compute in f64: two numbers of f32 are one sum. Needs OpenCL, such as PoCL; without a
 * platform it is skipped. */
#include "gpu/gpu_against_cpu.h"
#include <facula/train.h>
#include <math.h>

static fa_tensor *on_gpu(double v)
{
    return fa_tensor_from(&(float){(float)v}, FA_SCALAR, .device = GPU);
}

/* Small numbers behind a large one, all of which one f32 would lose. */
static void small_numbers_are_not_lost(void **state)
{
    (void)state;
    enum { UPDATES = 2000, LARGE = 16777216 };
    FA_SCOPE;
    fa_meter *m = fa_meter_mean();
    const double small = (double)0.3F;
    fa_meter_update(m, on_gpu(1), .count = LARGE);
    FA_REPEAT (i, UPDATES)
        fa_meter_update(m, on_gpu(small));
    double sum = LARGE + small * UPDATES, weight = LARGE + UPDATES, have = fa_meter_value(m) * weight;
    assert_true(fabs(have - sum) <= 1e-12 * sum);
    assert_true(fabs(fa_item(fa_meter_tensor(m)) * weight - sum) <= 1e-6 * sum);
    assert_int_equal(fa_tensor_dtype(fa_meter_tensor(m)), FA_F32);
}

/* A product of f32 with how often it counts, which f32 does not hold: nothing of it is lost. */
static void products_are_not_rounded(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_meter *m = fa_meter_mean();
    const double value = (double)0.1F, count = 16777219;
    for (int i = 0; i < 100; i++)
        fa_meter_update(m, on_gpu(value), .count = count);
    fa_meter_update(m, on_gpu(-value), .count = 100 * count - 1);
    double have = fa_meter_value(m) * (200 * count - 1);
    assert_true(fabs(have - value) <= 1e-4 * value);
}

static void what_is_not_finite_shows(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_meter *m = fa_meter_mean();
    fa_meter_update(m, on_gpu(1));
    fa_meter_update(m, on_gpu(-INFINITY));
    fa_meter_update(m, on_gpu(2));
    double value = fa_meter_value(m);
    assert_true(isinf(value) && value < 0);
    fa_meter_update(m, on_gpu(NAN));
    assert_true(isnan(fa_meter_value(m)));
}

/* Nothing is copied to the host, with .fallback neither. */
static void the_device_does_it(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.fallback = true);
    fa_meter *m = fa_meter_mean();
    fa_tensor *loss = on_gpu(0.5), *several = fa_to(fa_tensor_of(1, 2, 3), GPU);
    fa_synchronize(GPU);
    fa_transfers_reset();
    {
        FA_USE(.forbid = FA_SYNC | FA_TRANSFER);
        fa_meter_update(m, loss);
        fa_meter_update(m, several, .count = 2);
    }
    assert_int_equal(fa_transfers_total().to_host, 0);
    assert_true(fabs(fa_meter_value(m) - 12.5 / 7) < 1e-15);
    assert_int_equal(fa_transfers_total().to_host, 1);
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, gpu_without_f64, gpu_as_it_was)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(small_numbers_are_not_lost), TEST(products_are_not_rounded),
                                       TEST(what_is_not_finite_shows), TEST(the_device_does_it)};
    return gpu_there() ? RUN("gpu_meters") : GPU_SKIPPED;
}
