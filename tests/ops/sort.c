/* Sorting on the CPU: that results are a permutation, in order and stable, over dtypes, layouts, lengths and numbers of
 * threads; numbers at the ends of their dtypes; what happens when memory runs out. */
#include "base/alloc.h"
#include "support/api_test.h"
#include "support/tensors.h"
#include <math.h>
#include <stdio.h>

#define S(...) FA_SHAPE(__VA_ARGS__)

static uint64_t seed = 1;

static uint64_t next(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed ^ seed >> 31) * 0x9e3779b97f4a7c15u >> 20;
}

/* Many equal ones, both zeros and NaN among them. */
static double some_value(fa_dtype dtype)
{
    static const double specials[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1, -1};
    if (dtype == FA_BOOL || dtype == FA_U8)
        return (double)(next() % (dtype == FA_BOOL ? 2 : 256));
    if (dtype < FA_F16)
        return (double)(next() % 200) - 100;
    return next() % 4 == 0 ? specials[next() % 7] : ((double)(next() % 4096) - 2048) / 64;
}

static fa_tensor *random_tensor(fa_dtype dtype, fa_shape s, layout how)
{
    int64_t n = 1;
    for (int i = 0; i < s.rank; i++)
        n *= s.dim[i];
    double *values = malloc((size_t)(n + 1) * sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < n; i++)
        values[i] = some_value(dtype);
    if (how == LAYOUT_EXPANDED)
        repeat_values(s.rank, s.dim, values);
    fa_tensor *t = make_tensor(values, dtype, s.rank, s.dim, how, FA_CPU);
    assert_non_null(t);
    free(values);
    return t;
}

/* -1, 0 or 1: a before b in ascending order, with NaN at the end. */
static int compared(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return a < b ? -1 : a > b;
}

/* The line of elements pace apart: a permutation, in order, equal ones in the order of their places. */
static void hold_line(const double *x, const double *v, const double *at, int64_t n, int64_t pace, bool descending)
{
    char *seen = calloc((size_t)n + 1, 1);
    assert_non_null(seen);
    for (int64_t i = 0; i < n; i++) {
        int64_t place = (int64_t)at[i * pace];
        assert_true(place >= 0 && place < n && !seen[place]);
        seen[place] = 1;
        assert_true(memcmp(&x[place * pace], &v[i * pace], sizeof *v) == 0 || isnan(v[i * pace]));
        assert_int_equal(isnan(x[place * pace]), isnan(v[i * pace]));
        if (i == 0)
            continue;
        int order = compared(v[(i - 1) * pace], v[i * pace]) * (descending ? -1 : 1);
        assert_true(order < 0 || (order == 0 && at[(i - 1) * pace] < at[i * pace]));
    }
    free(seen);
}

static void hold_sorted(const fa_tensor *x, int dim, bool descending)
{
    FA_SCOPE;
    fa_sort_result r = fa_sort(x, .dim = dim, .descending = descending);
    if (!r.values || !r.indices)
        fail_msg("%s", fa_error_message());
    double *from = tensor_values(x), *v = tensor_values(r.values), *at = tensor_values(r.indices);
    int64_t n = fa_size(x, dim), outer = 1, inner = 1;
    for (int d = 0; d < x->rank; d++)
        *(d < dim ? &outer : d > dim ? &inner : &(int64_t){1}) *= x->shape[d];
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            int64_t first = o * n * inner + i;
            hold_line(from + first, v + first, at + first, n, inner, descending);
        }
    free(from);
    free(v);
    free(at);
}

static const fa_dtype dtypes[] = {FA_BOOL, FA_U8, FA_I8, FA_I16, FA_I32, FA_I64, FA_F16, FA_BF16, FA_F32, FA_F64};

static void all_dtypes(void **state)
{
    (void)state;
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int how = 0; how < LAYOUTS; how++)
            for (int dim = 0; dim < 3; dim++) {
                FA_SCOPE;
                hold_sorted(random_tensor(dtypes[d], S(5, 61, 3), (layout)how), dim, how % 2 == dim % 2);
            }
}

/* By insertion, by bytes, in parts; with a last part that is short, or empty. */
static void all_lengths(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 47, 48, 49, 1000, 65535, 65536, 65537, 131072, 131073, 300000};
    static const int threads[] = {1, 2, 3, 8};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t t = 0; t < 4; t++) {
            FA_SCOPE;
            fa_set_num_threads(threads[t]);
            fa_dtype dtype = t % 2 ? FA_F32 : FA_I64;
            hold_sorted(random_tensor(dtype, S(sizes[i]), t == 3 ? LAYOUT_NEGATIVE : LAYOUT_DENSE), 0, t > 1);
            hold_sorted(random_tensor(FA_F64, S(sizes[i] / 2, 2), LAYOUT_DENSE), 0, t < 2);
        }
    fa_set_num_threads(0);
}

static void ends_of_dtypes(void **state)
{
    (void)state;
    static const int64_t from[] = {INT64_MAX, -1, INT64_MIN, 0, INT64_MAX - 1, 1, INT64_MIN + 1};
    static const int64_t to[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
    int64_t have[7];
    fa_tensor *x = fa_tensor_from(from, S(7), .dtype = FA_I64);
    assert_true(fa_read(fa_sort(x).values, have, FA_I64, 7));
    assert_memory_equal(have, to, sizeof to);
    assert_true(fa_read(fa_sort(x, .descending = true).values, have, FA_I64, 7));
    for (int i = 0; i < 7; i++)
        assert_true(have[i] == to[6 - i]);
    static const double tiny[] = {0x1p-1074, -0x1p-1074, INFINITY, 0x1.fffffffffffffp1023, -INFINITY, 0};
    static const double rising[] = {-INFINITY, -0x1p-1074, 0, 0x1p-1074, 0x1.fffffffffffffp1023, INFINITY};
    double values[6];
    assert_true(fa_read(fa_sort(fa_tensor_from(tiny, S(6), .dtype = FA_F64)).values, values, FA_F64, 6));
    assert_memory_equal(values, rising, sizeof rising);
}

/* What is taken of a sorted line is what stands there, also where equal ones are. */
static void parts_of_lines(void **state)
{
    (void)state;
    static const fa_dtype of[] = {FA_F32, FA_I16, FA_F64};
    for (int d = 0; d < 3; d++)
        for (int how = 0; how < LAYOUTS; how++)
            for (int dim = 0; dim < 2; dim++) {
                FA_SCOPE;
                fa_tensor *x = random_tensor(of[d], S(70, 60), (layout)how);
                fa_sort_result up = fa_sort(x, .dim = dim), down = fa_sort(x, .dim = dim, .descending = true);
                fa_topk_result least = fa_topk(x, 9, .dim = dim, .largest = false), most = fa_topk(x, 9, .dim = dim);
                fa_topk_result few = fa_topk(x, 3, .dim = dim), half = fa_topk(x, 28, .dim = dim, .largest = false);
                fa_kthvalue_result k = fa_kthvalue(x, 10, .dim = dim);
                assert_no_error();
                assert_true(tensor_same_bits(least.values, fa_narrow(up.values, dim, 0, 9)));
                assert_true(tensor_same_bits(least.indices, fa_narrow(up.indices, dim, 0, 9)));
                assert_true(tensor_same_bits(most.values, fa_narrow(down.values, dim, 0, 9)));
                assert_true(tensor_same_bits(most.indices, fa_narrow(down.indices, dim, 0, 9)));
                assert_true(tensor_same_bits(few.values, fa_narrow(down.values, dim, 0, 3)));
                assert_true(tensor_same_bits(few.indices, fa_narrow(down.indices, dim, 0, 3)));
                assert_true(tensor_same_bits(half.values, fa_narrow(up.values, dim, 0, 28)));
                assert_true(tensor_same_bits(half.indices, fa_narrow(up.indices, dim, 0, 28)));
                assert_true(tensor_same_bits(k.values, fa_select(up.values, dim, 9)));
                assert_true(tensor_same_bits(k.indices, fa_select(up.indices, dim, 9)));
            }
}

static void wrong_arguments(void **state)
{
    (void)state;
    fa_tensor *x = fa_zeros(S(3, 4));
    assert_null(fa_sort(x, .dim = 2).values);
    assert_error(FA_ERROR_INDEX, "fa_sort(", "(3, 4) f32 cpu");
    assert_null(fa_topk(x, 5).values);
    assert_error(FA_ERROR_ARGUMENT, "fa_topk(", "k has to be 0 to 4, the size of dimension 1");
    assert_null(fa_topk(x, -1, .dim = 0).values);
    assert_error(FA_ERROR_ARGUMENT, "0 to 3, the size of dimension 0");
    assert_null(fa_topk(fa_zeros(FA_SCALAR), 0).values);
    assert_error(FA_ERROR_ARGUMENT, "x is 0-dim");
    assert_null(fa_kthvalue(x, 0).values);
    assert_error(FA_ERROR_ARGUMENT, "fa_kthvalue(", "k has to be 1 to 4");
    assert_null(fa_kthvalue(fa_zeros(S(0)), 1).values);
    assert_error(FA_ERROR_ARGUMENT, "fa_kthvalue(", "k has to be 1 to 0");
}

/* Each allocation fails once: an error, and the next call works. A repeated element makes a line as long as one likes.
 */
static void without_memory(void **state)
{
    (void)state;
    fa_tensor *x = random_tensor(FA_F32, S(100000), LAYOUT_DENSE);
    bool reached = true;
    for (int64_t nth = 1; reached; nth++) {
        FA_SCOPE;
        fa__inject(nth);
        fa_sort_result r = fa_sort(x);
        reached = fa__inject_count() >= nth;
        fa__inject(0);
        assert_int_equal(fa_error_code(), reached ? FA_ERROR_MEMORY : FA_OK);
        assert_int_equal(r.values != NULL, !reached);
        fa_error_clear();
        assert_true(nth < 100);
    }
#if !defined API_ASAN && !defined API_TSAN /* whose allocators end the process */
    assert_null(fa_kthvalue(fa_expand(fa_ones(S(1)), S((int64_t)1 << 56)), 5).values);
    assert_error(FA_ERROR_MEMORY, "");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(all_dtypes),     TEST(all_lengths),     TEST(ends_of_dtypes),
                                       TEST(parts_of_lines), TEST(wrong_arguments), TEST(without_memory)};
    return RUN("sort");
}
