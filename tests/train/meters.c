/* Meters: means, accuracies and confusions, added up where the values are, and how often the host waits for them. */
#include "base/alloc.h"
#include "support/api_test.h"
#include <facula/random.h>
#include <facula/train.h>
#include <math.h>

enum { BATCHES = 12, SAMPLES = 50, CLASSES = 4 };

#define assert_near(have, want, tolerance) assert_true(near(have, want, tolerance, __LINE__))

static bool near(double have, double want, double tolerance, int line)
{
    bool good = fabs(have - want) <= tolerance;
    if (!good)
        print_error("line %d: %.17g, not %.17g\n", line, have, want);
    return good;
}

static fa_device place(int i)
{
    return i == 0 ? FA_CPU : DEVICE(i - 1);
}

/* ---- means ---- */

static void a_mean_weighs_batches(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        FA_SCOPE;
        fa_meter *m = fa_meter_mean();
        assert_true(isnan(fa_meter_value(m)));
        assert_true(isnan(fa_item(fa_meter_tensor(m))));
        assert_true(fa_meter_update(m, fa_to(fa_tensor_of(2.5), place(i)), .count = 3));
        assert_true(fa_meter_update(m, fa_to(fa_tensor_of(1., 2., 6.), place(i)), .count = 2));
        assert_true(fa_meter_update(m, 0.5));
        assert_true(fa_meter_update(m, fa_to(fa_mean(fa_tensor_of(8.)), place(i)), .count = 0));
        const double expected = (2.5 * 3 + 9 * 2 + 0.5) / 10;
        assert_near(fa_meter_value(m), expected, 1e-15);
        assert_near(fa_item(fa_meter_tensor(m)), expected, 1e-15);
        assert_true(fa_device_equal(fa_tensor_device(fa_meter_tensor(m)), place(i)));
        assert_true(fa_meter_reset(m));
        assert_true(isnan(fa_meter_value(m)));
        assert_true(fa_meter_update(m, fa_to(fa_tensor_of(7), place((i + 1) % 3)))); /* elsewhere, and i64 */
        assert_near(fa_meter_value(m), 7, 0);
        assert_no_error();
    }
}

/* Whether calls have failed because of the index. */
static bool index_reported(void)
{
    if (!fa_failed())
        return false;
    assert_error(FA_ERROR_INDEX, "index 9 is out of range");
    return true;
}

/* Values that come after a fault are neither added nor counted. Updates with them fail if the device has found the
 * fault by then. The CPU reports errors at once. */
static void what_is_behind_a_fault_does_not_count(void **state)
{
    (void)state;
    for (int i = 1; i < 3; i++) {
        FA_SCOPE;
        fa_meter *m = fa_meter_mean(), *late = fa_meter_mean();
        fa_tensor *three = fa_to(fa_tensor_of(3.), place(i)),
                  *far = fa_to(fa_full(FA_SHAPE(1), 9, .dtype = FA_I64), place(i));
        assert_true(fa_meter_update(m, three, .count = 2));
        fa_index_select(three, 0, far);
        bool good = fa_meter_update(m, three, .count = 5), reported = index_reported();
        assert_true(good || reported);
        good = fa_meter_update(late, three);
        assert_true(good != index_reported());
        reported = reported || !good;
        assert_true(isnan(fa_meter_value(m)) || reported);
        assert_true(index_reported() || reported);
        assert_near(fa_meter_value(m), 3, 0);
        assert_true(isnan(fa_meter_value(late))); /* its sum was created behind the fault, or not at all */
        assert_true(index_reported() == good);
        assert_true(fa_meter_update(m, fa_mul(three, 2), .count = 2));
        assert_near(fa_meter_value(m), 4.5, 0);
        assert_near(fa_item(fa_meter_tensor(m)), 4.5, 0);
        assert_no_error();
    }
}

/* The meter is where its values are, wherever operations are placed; targets come to them. */
static void meters_are_not_placed(void **state)
{
    (void)state;
    for (int i = 0; i < 9; i++) {
        FA_SCOPE;
        const fa_device here = place(i / 3), there = place(i % 3);
        fa_meter *meter[] = {fa_meter_mean(), fa_meter_accuracy(), fa_meter_confusion(3)};
        fa_tensor *logits = fa_to(fa_eye(3), here), *target = fa_to(fa_tensor_of(0, 1, 0), there), *told[4];
        FA_USE(.placement = FA_PLACE_AUTO, .device = there);
        for (int k = 0; k < 6; k++)
            assert_true(fa_meter_update(meter[k % 3], logits, .target = k % 3 ? target : NULL));
        for (int k = 0; k < 3; k++)
            told[k] = fa_meter_tensor(meter[k]);
        told[3] = fa_meter_table(meter[2]);
        for (int k = 0; k < 4; k++)
            assert_true(told[k] && fa_device_equal(fa_tensor_device(told[k]), here));
        assert_near(fa_meter_value(meter[0]), 1 / 3., 1e-15);
        assert_near(fa_meter_value(meter[1]), 2 / 3., 1e-15);
        assert_near(fa_meter_value(meter[2]), 2 / 3., 1e-15);
        assert_no_error();
    }
}

static void dtypes_do_not_matter(void **state)
{
    (void)state;
    static const fa_dtype dtypes[] = {FA_BOOL, FA_U8, FA_I32, FA_I64, FA_F16, FA_BF16, FA_F32, FA_F64};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        FA_SCOPE;
        fa_meter *m = fa_meter_mean();
        fa_tensor *ones = fa_ones(FA_SHAPE(3000), .dtype = dtypes[i], .device = DEVICE(0));
        for (int k = 0; k < 3; k++)
            fa_meter_update(m, ones); /* in f16 they would add up to nothing near it */
        fa_meter_update(m, fa_sum(fa_get(ones, ":2")), .count = 9000);
        assert_no_error();

        assert_near(fa_meter_value(m), 1.5, 1e-15);
    }
    assert_no_error();
}

/* A million losses, summed once more in long double. */
static void a_million_updates_lose_nothing(void **state)
{
    (void)state;
    enum { KINDS = 100, TURNS = 10000 };
    FA_SCOPE;
    FA_USE(.device = FA_CPU);
    float value[KINDS];
    fa_tensor *loss[KINDS];
    long double sum = 0;
    fa_tensor *drawn = fa_rand(FA_SHAPE(KINDS));
    assert_true(fa_read(drawn, value, FA_F32, KINDS));
    for (int k = 0; k < KINDS; k++) {
        loss[k] = fa_tensor_from(&value[k], FA_SCALAR);
        sum += (long double)value[k] * (k % 7 + 1) * TURNS;
    }
    fa_meter *m = fa_meter_mean();
    double weight = 0;
    FA_REPEAT (i, TURNS)
        for (int k = 0; k < KINDS; k++) {
            fa_meter_update(m, loss[k], .count = k % 7 + 1);
            weight += k % 7 + 1;
        }
    double expected = (double)(sum / (long double)weight), have = fa_meter_value(m);
    assert_true(fabs(have - expected) <= 1e-12 * expected);
    assert_no_error();
}

static void what_is_not_finite_shows(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        FA_SCOPE;
        fa_meter *m = fa_meter_mean();
        assert_true(fa_meter_update(m, fa_to(fa_tensor_of(1.), place(i))));
        assert_true(fa_meter_update(m, fa_to(fa_tensor_of(INFINITY), place(i))));
        assert_true(isinf(fa_meter_value(m)));
        assert_true(fa_meter_update(m, fa_to(fa_tensor_of(NAN), place(i))));
        assert_true(isnan(fa_meter_value(m)));
    }
    assert_no_error();
}

/* ---- accuracies ---- */

typedef struct counts {
    int right[3], counted, table[CLASSES][CLASSES]; /* right within the first 1, 2, 3 */
} counts;

/* How many classes come before the target: larger ones, and equal ones in front. */
static int rank_of(const float *logits, int64_t target)
{
    int before = 0;
    for (int c = 0; c < CLASSES; c++)
        before += logits[c] > logits[target] || (logits[c] == logits[target] && c < target);
    return before;
}

static int largest(const float *logits)
{
    int best = 0;
    for (int c = 1; c < CLASSES; c++)
        best = logits[c] > logits[best] ? c : best;
    return best;
}

/* Counts by hand. */
static void count(counts *n, const float *logits, const int64_t *target, int64_t ignore)
{
    for (int i = 0; i < SAMPLES; i++) {
        const float *row = logits + i * CLASSES;
        if (target[i] == ignore)
            continue;
        int rank = rank_of(row, target[i]);
        for (int k = 0; k < 3; k++)
            n->right[k] += rank <= k;
        n->counted++;
        n->table[target[i]][largest(row)]++;
    }
}

static void hold_confusion(const fa_meter *m, const counts *n)
{
    int64_t table[CLASSES][CLASSES];
    fa_tensor *t = fa_meter_table(m);
    assert_int_equal(fa_dim(t), 2);
    assert_true(fa_read(t, table, FA_I64, CLASSES * CLASSES));
    for (int i = 0; i < CLASSES; i++)
        for (int j = 0; j < CLASSES; j++)
            assert_int_equal(table[i][j], n->table[i][j]);
    assert_near(fa_meter_value(m), (double)n->right[0] / n->counted, 0);
    assert_near(fa_item(fa_meter_tensor(m)), (double)n->right[0] / n->counted, 1e-6);
}

static void accuracies_and_confusions_are_counted(void **state)
{
    (void)state;
    static const int64_t ignored[] = {-100, 2};
    for (int i = 0; i < 3; i++)
        for (int g = 0; g < 2; g++) {
            FA_SCOPE;
            counts n = {0};
            fa_meter *confusion = fa_meter_confusion(CLASSES, .ignore_index = ignored[g]), *within[3];
            for (int k = 0; k < 3; k++)
                within[k] = fa_meter_accuracy(.top_k = k + 1, .ignore_index = ignored[g]);
            for (int b = 0; b < BATCHES; b++) {
                float logits[SAMPLES * CLASSES];
                int64_t target[SAMPLES];
                fa_tensor *x = fa_to(fa_randint(0, 6, FA_SHAPE(SAMPLES, CLASSES)), FA_F32); /* with ties */
                fa_tensor *y = fa_randint(0, CLASSES, FA_SHAPE(SAMPLES));
                if (!g)
                    fa_set(y, "::9", -100);
                assert_true(fa_read(x, logits, FA_F32, SAMPLES * CLASSES));
                assert_true(fa_read(y, target, FA_I64, SAMPLES));
                count(&n, logits, target, ignored[g]);
                x = fa_to(x, place(i));
                y = fa_to(fa_to(y, b % 2 ? FA_I64 : FA_I32), place(i));
                assert_true(fa_meter_update(confusion, x, .target = y));
                for (int k = 0; k < 3; k++)
                    assert_true(fa_meter_update(within[k], x, .target = y));
            }
            for (int k = 0; k < 3; k++) {
                assert_near(fa_meter_value(within[k]), (double)n.right[k] / n.counted, 0);
                assert_near(fa_item(fa_meter_tensor(within[k])), (double)n.right[k] / n.counted, 1e-6);
            }
            hold_confusion(confusion, &n);
            assert_no_error();
        }
}

/* As images have them: (samples, classes, height, width); and one sample alone. */
static void classes_are_the_second_dimension(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_meter *m = fa_meter_accuracy(), *second = fa_meter_accuracy(.top_k = 2), *all = fa_meter_accuracy(.top_k = 9);
    fa_tensor *x = fa_to(fa_rand(FA_SHAPE(2, CLASSES, 3, 5)), DEVICE(0)), *best = fa_argmax(x, .dim = 1);
    assert_true(fa_meter_update(m, x, .target = best));
    assert_true(fa_meter_update(second, x, .target = fa_get(fa_topk(x, 2, .dim = 1).indices, ":, 1")));
    assert_true(fa_meter_update(all, x, .target = fa_zeros_like(best)));
    assert_near(fa_meter_value(m), 1, 0);
    assert_near(fa_meter_value(second), 1, 0);
    assert_near(fa_meter_value(all), 1, 0);
    assert_true(fa_meter_update(m, fa_to(fa_tensor_of(1., 3., 2.), DEVICE(0)),
                                .target = fa_zeros(FA_SCALAR, .dtype = FA_U8, .device = DEVICE(0))));
    assert_near(fa_meter_value(m), 30. / 31, 0);
    assert_no_error();
}

/* ---- what it costs ---- */

static void train(fa_tensor *weight, fa_meter *loss_of, fa_meter *right, fa_meter *table)
{
    fa_tensor *target = fa_zeros(FA_SHAPE(SAMPLES), .dtype = FA_I64, .device = DEVICE(0));
    fa_tensor *logits = fa_matmul(fa_ones(FA_SHAPE(SAMPLES, 3), .device = DEVICE(0)), weight);
    fa_tensor *loss = fa_cross_entropy(logits, target);
    fa_backward(loss);
    fa_meter_update(loss_of, loss, .count = SAMPLES);
    fa_meter_update(right, logits, .target = target);
    fa_meter_update(table, logits, .target = target);
    fa_meter_tensor(loss_of);
    fa_meter_tensor(right);
    fa_meter_table(table);
}

static void the_host_waits_when_it_reads(void **state)
{
    (void)state;
    enum { STEPS = 60, EVERY = 20 };
    FA_SCOPE;
    fa_tensor *weight = fa_to(fa_rand(FA_SHAPE(3, CLASSES)), DEVICE(0));
    fa_set_requires_grad(weight, true);
    fa_meter *loss_of = fa_meter_mean(), *right = fa_meter_accuracy(), *table = fa_meter_confusion(CLASSES);
    train(weight, loss_of, right, table); /* a driver may wait when it compiles */
    fa_synchronize(DEVICE(0));
    test_devices_delay(200);
    fa_transfers_reset();
    unsigned reads = 0;
    FA_REPEAT (i, STEPS) {
        {
            FA_USE(.forbid = FA_SYNC | FA_TRANSFER);
            train(weight, loss_of, right, table);
        }
        if (i % EVERY != EVERY - 1)
            continue;
        assert_true(isfinite(fa_meter_value(loss_of)));
        reads++;
        fa_meter_reset(loss_of);
    }
    test_devices_delay(test_device_is_late(0) ? 20 : 0);
    if (test_device_is_late(0))
        assert_int_equal(fa_transfers_total().waits, reads);
    else /* a driver may have finished before the read */
        assert_in_range(fa_transfers_total().waits, 0, reads);
    assert_int_equal(fa_transfers_total().to_host, reads);
    assert_int_equal(reads, STEPS / EVERY);
    assert_no_error();
    {
        FA_USE(.forbid = FA_SYNC);
        assert_true(isnan(fa_meter_value(right)));
    }
    assert_error(FA_ERROR_SYNC, "fa_");
}

/* ---- errors ---- */

/* Fails each allocation of an update in turn until one goes through: what failed has changed nothing. */
static int fail_each(fa_meter *m, fa_tensor *value, const fa_tensor *target)
{
    int failed = 0;
    double before = fa_meter_value(m);
    for (int64_t nth = 1; nth < 1000; nth++) {
        fa_empty_cache(FA_CPU);
        fa_empty_cache(DEVICE(0));
        fa__inject(nth);
        bool good = fa_meter_update(m, value, .target = target), reached = fa__inject_count() >= nth;
        fa__inject(0);
        assert_true(good || fa_error_code() == FA_ERROR_MEMORY);
        assert_true(good || !strstr(fa_error_message(), "each target is one of them"));
        fa_error_clear();
        double after = fa_meter_value(m);
        assert_true(good || after == before || (isnan(after) && isnan(before)));
        before = after;
        failed += !good;
        if (!reached)
            return failed;
    }
    return 0;
}

static void updates_without_memory_change_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int begun = 0; begun < 2; begun++) {
            FA_SCOPE;
            fa_meter *meter[] = {fa_meter_mean(), fa_meter_accuracy(.top_k = 2), fa_meter_confusion(3)};
            fa_tensor *x = fa_to(fa_rand(FA_SHAPE(5, 3)), place(i)), *y = fa_argmin(x, .dim = 1);
            for (int k = 0; k < 3; k++) {
                if (begun)
                    fa_meter_update(meter[k], x, .target = k ? fa_argmax(x, .dim = 1) : NULL);
                assert_no_error();
                assert_true(fail_each(meter[k], x, k ? y : NULL) > 0);
            }
        }
    assert_no_error();
}

static void errors_leave_meters_alone(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_meter *mean = fa_meter_mean(), *right = fa_meter_accuracy(), *table = fa_meter_confusion(3);
    fa_tensor *x = fa_rand(FA_SHAPE(5, 3)), *y = fa_zeros(FA_SHAPE(5), .dtype = FA_I64);
    assert_true(fa_meter_update(mean, 4));
    assert_false(fa_meter_update(mean, fa_to(fa_tensor_of(1.), DEVICE(0))));
    assert_error(FA_ERROR_DEVICE, "late:0", "cpu");
    assert_false(fa_meter_update(mean, 1, .count = -1));
    assert_error(FA_ERROR_ARGUMENT, "fa_meter_update", "-1");
    assert_false(fa_meter_update(mean, x, .target = y));
    assert_error(FA_ERROR_ARGUMENT, "a meter of means takes no .target");
    assert_false(fa_meter_update(mean, (fa_tensor *)NULL));
    assert_error(FA_ERROR_ARGUMENT, "the value is NULL");
    assert_near(fa_meter_value(mean), 4, 0);
    assert_false(fa_meter_update(right, x));
    assert_error(FA_ERROR_ARGUMENT, "a meter of accuracies needs a .target");
    assert_false(fa_meter_update(right, 1, .target = y));
    assert_error(FA_ERROR_ARGUMENT, "a tensor of logits");
    assert_false(fa_meter_update(right, x, .target = fa_to(y, FA_F32)));
    assert_error(FA_ERROR_DTYPE, "f32");
    assert_false(fa_meter_update(right, x, .target = fa_get(y, ":4")));
    assert_error(FA_ERROR_SHAPE, "(samples, classes, ...)");
    assert_false(fa_meter_update(table, fa_rand(FA_SHAPE(5, 4)), .target = y));
    assert_error(FA_ERROR_SHAPE, "4 classes, in a confusion of 3");
    assert_false(fa_meter_update(table, x, .target = fa_add(y, 3)));
    assert_error(FA_ERROR_INDEX, "index 3 is out of range", "of size 3 (", ", in a confusion of 3 classes");
    assert_false(fa_meter_update(table, x, .target = fa_sub(y, 1)));
    assert_error(FA_ERROR_INDEX, ", in a confusion of 3 classes");
    fa_meter *late = fa_meter_confusion(3);
    fa_meter_update(late, fa_to(x, DEVICE(0)), .target = fa_to(fa_add(y, 3), DEVICE(0)));
    assert_true(isnan(fa_meter_value(late)));
    assert_error(FA_ERROR_INDEX, "index 3 is out of range", "of size 3 (");
    fa_meter *sound = fa_meter_confusion(3);
    fa_meter_update(sound, fa_to(x, DEVICE(0)), .target = fa_to(y, DEVICE(0)));
    fa_index_select(fa_to(x, DEVICE(0)), 0, fa_to(fa_tensor_of(99), DEVICE(0))); /* which is not the meter's */
    assert_true(isnan(fa_meter_value(sound)));
    assert_null(strstr(fa_error_message(), "confusion"));
    assert_error(FA_ERROR_INDEX, "fa_index_select");
    assert_true(isnan(fa_meter_value(right)));
    assert_true(isnan(fa_meter_value(table)));
    assert_near(fa_item(fa_sum(fa_meter_table(table))), 0, 0);
    assert_null(fa_meter_table(right));
    assert_error(FA_ERROR_ARGUMENT, "a meter of accuracies has no table");
    assert_null(fa_meter_accuracy(.top_k = 0));
    assert_error(FA_ERROR_ARGUMENT, "fa_meter_accuracy");
    assert_null(fa_meter_confusion(0));
    assert_error(FA_ERROR_ARGUMENT, "fa_meter_confusion");
    assert_true(isnan(fa_meter_value(NULL)));
    assert_error(FA_ERROR_ARGUMENT, "fa_meter_value: the meter is NULL");
    fa_fail(FA_ERROR_USER, "before");
    assert_false(fa_meter_update(mean, 1));
    fa_error_clear();
    assert_near(fa_meter_value(mean), 4, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_mean_weighs_batches),
        TEST(what_is_behind_a_fault_does_not_count),
        TEST(meters_are_not_placed),
        TEST(dtypes_do_not_matter),
        TEST(a_million_updates_lose_nothing),
        TEST(what_is_not_finite_shows),
        TEST(accuracies_and_confusions_are_counted),
        TEST(classes_are_the_second_dimension),
        TEST(the_host_waits_when_it_reads),
        TEST(updates_without_memory_change_nothing),
        TEST(errors_leave_meters_alone),
    };
    return RUN("meters");
}
