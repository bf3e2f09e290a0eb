/* A monotonic clock. */
#ifndef FA__BASE_CLOCK_H
#define FA__BASE_CLOCK_H
#include "base/types.h"
#include <time.h>

/* Nanoseconds since an arbitrary point in time before the process started. */
static inline int64_t fa__clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
#endif
