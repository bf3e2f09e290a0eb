/* Launches that give no ticket: there is always an error, which names the operation. The device's table is exchanged
 * for one whose `run` issues nothing. */
#include "backend/device.h"
#include "base/error.h"
#include "support/api_test.h"

static uint64_t nothing(fa__queue *queue, const fa__launch *l)
{
    (void)queue;
    (void)l;
    return 0;
}

static uint64_t refusal(fa__queue *queue, const fa__launch *l)
{
    (void)queue;
    return fa__fail(FA_ERROR_UNAVAILABLE, "%s is not there", l->op->name);
}

/* What fa_add says on a device that runs launches so. */
static void run_with(fa_device where, uint64_t (*run)(fa__queue *, const fa__launch *), bool fallback)
{
    FA_SCOPE;
    FA_USE(.fallback = fallback);
    fa__device *d = fa__device_get(where);
    fa_tensor *x = fa_ones(FA_SHAPE(3), .device = where);
    assert_non_null(x);
    const fa__backend *real = d->backend;
    fa__backend other = *real;
    other.run = run;
    d->backend = &other;
    fa_tensor *y = fa_add(x, 1);
    d->backend = real;
    assert_int_equal(y != NULL, fallback && run == refusal);
}

static void a_launch_without_a_ticket_is_an_error(void **state)
{
    (void)state;
    for (int fallback = 0; fallback < 2; fallback++) {
        run_with(FA_LATE(0), nothing, fallback);
        assert_error(FA_ERROR_INTERNAL, "fa_add", "late:0 issued nothing, and gives no reason");
        run_with(FA_CPU, nothing, fallback);
        assert_error(FA_ERROR_INTERNAL, "fa_add", "cpu issued nothing, and gives no reason");
    }
}

static void an_error_that_was_given_stays(void **state)
{
    (void)state;
    run_with(FA_LATE(0), refusal, false);
    assert_error(FA_ERROR_UNAVAILABLE, "fa_add", "is not there");
    run_with(FA_LATE(0), refusal, true);
    assert_no_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(a_launch_without_a_ticket_is_an_error),
                                       TEST(an_error_that_was_given_stays)};
    return RUN("launches");
}
