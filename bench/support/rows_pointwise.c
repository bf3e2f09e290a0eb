/* Rows of pointwise operations, reductions and copies over many elements: what memory allows. */
#include "row.h"
#include <facula/facula.h>

#define MILLION INT64_C(1048576)
#define MEBI 1048576.0

static fa_tensor *x, *y, *out;

static void open_1m(void)
{
    x = fa_randn(FA_SHAPE(MILLION));
}

static void open_16m(void)
{
    x = fa_randn(FA_SHAPE(16 * MILLION));
    y = fa_randn(FA_SHAPE(16 * MILLION));
    out = fa_zeros(FA_SHAPE(16 * MILLION));
}

static void open_matrix(void)
{
    x = fa_randn(FA_SHAPE(4096, 1024));
}

static void open_square(void)
{
    x = fa_randn(FA_SHAPE(1024, 1024));
}

static void open_short_rows(void)
{
    x = fa_randn(FA_SHAPE(20000, 10));
}

static void open_transposed(void)
{
    x = fa_t(fa_randn(FA_SHAPE(4096, 1024)));
}

static void add(int64_t count)
{
    FA_REPEAT (count)
        fa_add(x, y);
}

static void add_out(int64_t count)
{
    FA_REPEAT (count)
        fa_add(x, y, .out = out);
}

static void chain(int64_t count)
{
    FA_REPEAT (count)
        fa_pointwise("x * sigmoid(1.702 * x) + y", x, y);
}

/* ONE(name, expression): a function that evaluates it `count` times. */
#define ONE(name, expression)                                                                                          \
    static void name(int64_t count)                                                                                    \
    {                                                                                                                  \
        FA_REPEAT (count)                                                                                              \
            expression;                                                                                                \
    }
ONE(exponential, fa_exp(x))
ONE(gelu_erf, fa_gelu(x))
ONE(gelu_tanh, fa_gelu_tanh(x))
ONE(sum_all, fa_sum(x))
ONE(sum_rows, fa_sum(x, .dim = 0))
ONE(softmax, fa_softmax(x, 1))
ONE(softmax_down, fa_softmax(x, 0))
ONE(largest, fa_amax(x, .dim = 1))
ONE(where_largest, fa_argmax(x, .dim = 0))
ONE(running_sums, fa_cumsum(x, 1))
ONE(best_five, fa_topk(x, 5))
ONE(contiguous, fa_contiguous(x))

const bench_row bench_pointwise[] = {
    {"add_16m", BENCH_MILLISECONDS, 4, {.add = 192 * MEBI}, open_16m, add},
    {"add_out_16m", BENCH_MILLISECONDS, 1.25, {.add = 192 * MEBI}, open_16m, add_out},
    {"pointwise_chain", BENCH_MILLISECONDS, 5, {.add = 192 * MEBI}, open_16m, chain},
    {"exp_1m", BENCH_MICROSECONDS, 1, BENCH_NO_LIMIT, open_1m, exponential},
    {"gelu_1m", BENCH_MICROSECONDS, 2, BENCH_NO_LIMIT, open_1m, gelu_tanh},
    {"exp_16m", BENCH_MILLISECONDS, 4, {.copy = 128 * MEBI}, open_16m, exponential},
    {"gelu_16m", BENCH_MILLISECONDS, 3, {.copy = 128 * MEBI}, open_16m, gelu_erf},
    {"sum_16m", BENCH_MILLISECONDS, 1, {.read = 64 * MEBI}, open_16m, sum_all},
    {"sum_dim0", BENCH_MILLISECONDS, 1.2, {.read = 16 * MEBI}, open_matrix, sum_rows},
    {"softmax", BENCH_MILLISECONDS, 1.8, {.copy = 32 * MEBI}, open_matrix, softmax},
    {"softmax_dim0", BENCH_MICROSECONDS, 1.2, BENCH_NO_LIMIT, open_square, softmax_down},
    {"amax_short_rows", BENCH_MICROSECONDS, 1, BENCH_NO_LIMIT, open_short_rows, largest},
    {"argmax_dim0", BENCH_MICROSECONDS, 4, BENCH_NO_LIMIT, open_square, where_largest},
    {"cumsum_rows", BENCH_MICROSECONDS, 1, BENCH_NO_LIMIT, open_square, running_sums},
    {"topk_5", BENCH_MICROSECONDS, 1, BENCH_NO_LIMIT, open_square, best_five},
    {"transpose_copy", BENCH_MILLISECONDS, 6, {.copy = 32 * MEBI}, open_transposed, contiguous},
    {0},
};
