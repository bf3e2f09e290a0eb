/* Rows of four elements: what a call costs beside its work. */
#include "row.h"
#include <facula/facula.h>

static fa_tensor *a, *b;

static void open_plain(void)
{
    a = fa_tensor_of(1.0, 2.0, 3.0, 4.0);
    b = fa_tensor_of(10.0, 20.0, 30.0, 40.0);
}

static void open_recorded(void)
{
    open_plain();
    fa_set_requires_grad(a, true);
}

static void add(int64_t count)
{
    FA_REPEAT (count)
        fa_add(a, b);
}

static void backward(int64_t count)
{
    FA_REPEAT (count) {
        fa_set_grad(a, NULL);
        fa_backward(fa_sum(fa_mul(a, b)));
    }
}

const bench_row bench_tiny[] = {
    {"tiny_add", BENCH_MICROSECONDS, 10, BENCH_NO_LIMIT, open_plain, add},
    {"tiny_add_recorded", BENCH_MICROSECONDS, 12, BENCH_NO_LIMIT, open_recorded, add},
    {"tiny_backward", BENCH_MICROSECONDS, 30, BENCH_NO_LIMIT, open_recorded, backward},
    {0},
};
