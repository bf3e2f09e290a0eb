/* Memory that is used up: the host waits for work that still uses what was freed, and the ledger tells. */
#include "core/order.h"
#include "support/api_test.h"
#include "support/devices.h"
#include "support/text.h"
#include <facula/facula.h>

enum { COUNT = 5 << 20, BYTES = 4 * COUNT }; /* a segment of its own */

static int begin(void **state)
{
    (void)state;
    test_devices_delay(0);
    fa_synchronize(DEVICE(0));
    fa__order_reap(true);
    fa_empty_cache(DEVICE(0));
    return fa_failed() ? -1 : 0;
}

static int end(void **state)
{
    test_devices_delay(0);
    fa_memory_limit(DEVICE(0), 0);
    return begin(state);
}

/* Freed while work of the stream still uses it. */
static void use_and_free(fa_stream *s)
{
    FA_SCOPE;
    FA_USE(.stream = s, .device = DEVICE(0));
    fa_full(FA_SHAPE(COUNT), 1.0);
}

static void a_wait_for_memory_is_counted(void **state)
{
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        FA_SCOPE;
        fa_stream *s = fa_stream_new(DEVICE(0));
        use_and_free(s);
        begin(state);
        fa_memory_limit(DEVICE(0), BYTES + BYTES / 2);
        test_devices_delay(waits ? -1 : 0);
        use_and_free(s);
        if (!waits)
            fa_stream_synchronize(s);
        fa_transfers_reset();
        fa_tensor *t;
        {
            FA_USE(.forbid = FA_SYNC, .device = DEVICE(0));
            t = fa_full(FA_SHAPE(COUNT), 2.0); /* on the device's own queue */
        }
        assert_non_null(t);
        assert_int_equal(fa_transfers_total().waits, 0);
        assert_int_equal(fa_transfers_total().implicit, waits);
        assert_true(!waits || fa_transfers_total().implicit_ns > 0);
        char *report = written(fa_transfers_report);
        assert_int_equal(strstr(report, "\nfa_full              wait ") != NULL, waits);
        free(report);
        test_devices_delay(0);
        assert_true(fa_item(fa_get(t, "7")) == 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_wait_for_memory_is_counted, begin, end),
    };
    if (!test_devices_there())
        return TEST_SKIPPED;
    return cmocka_run_group_tests_name("ledger_memory", tests, NULL, NULL);
}
