/* What the tests of the late devices share: they begin with queues that are a bit slow and a checker that has nothing
 * to say. */
#ifndef FA__TESTS_LATE_H
#define FA__TESTS_LATE_H
#include "backend/late/late.h"
#include <facula/error.h>
#include <facula/host.h>

int late_begin(void **state);
/* A test that leaves an error or a report behind has failed. */
int late_end(void **state);
/* The checker has found nothing. */
void no_reports(void);
/* Ones on late:0 that all queues know of. */
fa_tensor *late_ones(int64_t count);
/* The checker's reports go to the log too: this is one that prints nothing. */
void quiet_log(void *context, fa_log_level level, const char *message);
#endif
