/* What the tests of the late devices share. */
#include "support/late.h"
#include <facula/device.h>
#include <facula/operations.h>
#include <facula/tensor.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

int late_begin(void **state)
{
    (void)state;
    fa__late_delay(20);
    fa__late_reports_clear();
    fa_transfers_reset();
    fa_error_clear();
    return 0;
}

int late_end(void **state)
{
    (void)state;
    fa__late_delay(20);
    fa__late_ignore_after(false);
    const fa__late_report *r;
    size_t count = fa__late_reports(&r);
    if (count)
        print_error("%s\n", r[0].text);
    if (fa_failed())
        print_error("left behind: %s\n", fa_error_message());
    bool good = !count && !fa_failed();
    fa_error_clear();
    fa_synchronize(FA_LATE(0));
    fa_synchronize(FA_LATE(1));
    return good && !fa_failed() ? 0 : -1;
}

void no_reports(void)
{
    const fa__late_report *r;
    size_t count = fa__late_reports(&r);
    for (size_t i = 0; i < count && i < 32; i++)
        print_message("%s\n", r[i].text);
    assert_int_equal(count, 0);
}

fa_tensor *late_ones(int64_t count)
{
    fa_tensor *x = fa_to(fa_ones(FA_SHAPE(count)), FA_LATE(0));
    assert_true(fa_synchronize(FA_LATE(0)));
    return x;
}

void quiet_log(void *context, fa_log_level level, const char *message)
{
    (void)context, (void)level, (void)message;
}
