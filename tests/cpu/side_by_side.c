/* What the CPU computes of many rows side by side: reductions of few elements, places of the largest, softmax down
 * columns. Plain loops over single rows give the same bits, in every dtype and layout. */
#include "support/autograd_test.h"
#include "support/tensors.h"
#include <math.h>

#define S(...) FA_SHAPE(__VA_ARGS__)

static uint64_t seed = 1;

static uint64_t next(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 33;
}

/* Many equal ones, both zeros, infinities and NaN among them. */
static fa_tensor *some_values(fa_dtype dtype, fa_shape s, layout how)
{
    static const double specials[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0};
    int64_t n = 1;
    for (int i = 0; i < s.rank; i++)
        n *= s.dim[i];
    double *values = malloc((size_t)(n + 1) * sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < n; i++)
        values[i] = dtype >= FA_F16 && next() % 64 == 0 ? specials[next() % 5] : (double)(next() % 61) - 30;
    if (dtype == FA_U8)
        for (int64_t i = 0; i < n; i++)
            values[i] += 30;
    if (how == LAYOUT_EXPANDED)
        repeat_values(s.rank, s.dim, values);
    fa_tensor *t = make_tensor(values, dtype, s.rank, s.dim, how, FA_CPU);
    assert_non_null(t);
    free(values);
    return t;
}

/* ---- reductions ---- */

#define TREE(T, expression)                                                                                            \
    T chain[16];                                                                                                       \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
        T a = chain[i % 16], b = x[i];                                                                                 \
        chain[i % 16] = i < 16 ? b : (expression);                                                                     \
    }                                                                                                                  \
    for (int64_t half = 8; half > 0; half /= 2)                                                                        \
        for (int64_t j = 0; j < half && j + half < n; j++) {                                                           \
            T a = chain[j], b = chain[j + half];                                                                       \
            chain[j] = (expression);                                                                                   \
        }                                                                                                              \
    return chain[0];
#define TREES(T)                                                                                                       \
    static T sum_##T(const T *x, int64_t n)                                                                            \
    {                                                                                                                  \
        TREE(T, a + b)                                                                                                 \
    }                                                                                                                  \
    static T prod_##T(const T *x, int64_t n)                                                                           \
    {                                                                                                                  \
        TREE(T, a *b)                                                                                                  \
    }
TREES(float)
TREES(double)
#define EXTREME(T)                                                                                                     \
    static T max_##T(const T *x, int64_t n)                                                                            \
    {                                                                                                                  \
        TREE(T, a > b || a != a ? a : b)                                                                               \
    }                                                                                                                  \
    static T min_##T(const T *x, int64_t n)                                                                            \
    {                                                                                                                  \
        TREE(T, a < b || a != a ? a : b)                                                                               \
    }
EXTREME(float)
EXTREME(double)

#define HOLD_ROWS(T, dtype)                                                                                            \
    static void hold_rows_##T(int64_t rows, int64_t n, double factor)                                                  \
    {                                                                                                                  \
        FA_SCOPE;                                                                                                      \
        fa_tensor *x = fa_mul(some_values(dtype, S(rows, n), LAYOUT_DENSE), factor), *f = fa_rand_like(x);             \
        fa_tensor *of[] = {fa_sum(f, .dim = 1), fa_prod(f, .dim = 1), fa_amax(x, .dim = 1), fa_amin(x, .dim = 1)};     \
        T (*const by[])(const T *, int64_t) = {sum_##T, prod_##T, max_##T, min_##T};                                   \
        for (int k = 0; k < 4; k++) {                                                                                  \
            const T *have = fa_ptr(of[k], dtype), *from = fa_ptr(k < 2 ? f : x, dtype);                                \
            assert_non_null(have);                                                                                     \
            for (int64_t r = 0; r < rows; r++) {                                                                       \
                T want = by[k](from + r * n, n);                                                                       \
                assert_true(memcmp(&have[r], &want, sizeof want) == 0 || (want != want && have[r] != have[r]));        \
            }                                                                                                          \
        }                                                                                                              \
    }
HOLD_ROWS(float, FA_F32)
HOLD_ROWS(double, FA_F64)

static void reductions_of_short_rows(void **state)
{
    (void)state;
    static const int64_t rows[] = {1, 2, 7, 8, 9, 64, 65, 130};
    for (int64_t n = 1; n < 70; n++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            hold_rows_float(rows[i], n, 1);
            hold_rows_double(rows[i], n, 1);
        }
    hold_rows_float(5, 1023, 1);
    hold_rows_double(5, 1023, 1);
    for (int64_t n = 64; n <= 1024; n += 32) /* the largest one is a zero: of which sign depends on the order */
        for (int64_t r = 1; r < 6; r++) {
            hold_rows_float(r, n, 0);
            hold_rows_double(r, n, 0);
        }
    for (int64_t n = 1; n < 40; n++) {
        FA_SCOPE;
        fa_tensor *x = some_values(FA_I32, S(70, n), LAYOUT_DENSE);
        assert_true(same_tensors(fa_sum(x, .dim = 1), fa_to(fa_sum(fa_to(x, FA_F64), .dim = 1), FA_I64)));
        assert_true(same_tensors(fa_amax(x, .dim = 1), fa_to(fa_amax(fa_to(x, FA_F64), .dim = 1), FA_I32)));
        assert_true(
            same_tensors(fa_amin(fa_to(x, FA_I64), .dim = 1), fa_to(fa_amin(fa_to(x, FA_F64), .dim = 1), FA_I64)));
    }
}

/* ---- the largest and the smallest, and where they are ---- */

static bool better(double a, double b, bool largest)
{
    return isnan(b) ? false : isnan(a) || (largest ? a > b : a < b);
}

/* Lines of n elements `pace` apart. */
static void hold_best(const fa_tensor *x, int dim, bool largest)
{
    FA_SCOPE;
    fa_max_result most = {0};
    fa_min_result least = {0};
    if (largest)
        most = fa_max(x, dim);
    else
        least = fa_min(x, dim);
    fa_tensor *values = largest ? most.values : least.values, *indices = largest ? most.indices : least.indices;
    fa_tensor *places = largest ? fa_argmax(x, .dim = dim) : fa_argmin(x, .dim = dim);
    assert_true(values && places && same_tensors(indices, places));
    double *from = tensor_values(x), *v = tensor_values(values), *at = tensor_values(indices);
    int64_t n = fa_size(x, dim), outer = 1, inner = 1;
    for (int d = 0; d < x->rank; d++)
        *(d < dim ? &outer : d > dim ? &inner : &(int64_t){1}) *= x->shape[d];
    for (int64_t i = 0; i < outer * inner; i++) {
        const double *line = from + i / inner * n * inner + i % inner;
        int64_t place = 0;
        for (int64_t k = 1; k < n; k++)
            place = better(line[k * inner], line[place * inner], largest) ? k : place;
        assert_int_equal((int64_t)at[i], place);
        assert_true(memcmp(&v[i], &line[place * inner], sizeof *v) == 0 || (isnan(v[i]) && isnan(line[place * inner])));
    }
    free(from);
    free(v);
    free(at);
}

static void places_of_the_largest(void **state)
{
    (void)state;
    static const fa_dtype dtypes[] = {FA_U8, FA_I16, FA_I32, FA_I64, FA_F16, FA_F32, FA_F64};
    static const int64_t shapes[][3] = {{3, 70, 5}, {2, 3, 300}, {1, 1, 1}, {5, 65, 64}, {70, 33, 3}};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int how = 0; how < LAYOUTS; how++) {
                FA_SCOPE;
                const int64_t *n = shapes[s];
                fa_tensor *x = some_values(dtypes[d], S(n[0], n[1], n[2]), (layout)how);
                for (int dim = 0; dim < 3; dim++)
                    hold_best(x, dim, (how + dim) % 2);
            }
}

/* Rows that are searched in tiles, and all elements as one row. */
static void places_in_long_rows(void **state)
{
    (void)state;
    static const fa_dtype dtypes[] = {FA_I8, FA_I64, FA_BF16, FA_F32, FA_F64};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int how = 0; how < LAYOUTS; how++) {
            FA_SCOPE;
            fa_tensor *x = some_values(dtypes[d], S(2, 9001), (layout)how), *flat = fa_flatten(x);
            hold_best(x, 1, how % 2);
            hold_best(flat, 0, true);
            assert_true(same_tensors(fa_argmax(x), fa_argmax(flat, .dim = 0)));
            assert_true(same_tensors(fa_argmin(x), fa_argmin(flat, .dim = 0)));
        }
}

/* ---- softmax ---- */

static void softmax_down_columns(void **state)
{
    (void)state;
    static const fa_dtype dtypes[] = {FA_F32, FA_F64, FA_F16, FA_BF16};
    static const int64_t shapes[][3] = {{1, 3, 2}, {2, 10, 17}, {3, 65, 70}, {1, 1030, 33}, {2, 5000, 3}};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            FA_SCOPE;
            const int64_t *n = shapes[s];
            fa_tensor *x = some_values(dtypes[d], S(n[0], n[1], n[2]), LAYOUT_DENSE);
            fa_tensor *rows = fa_contiguous(fa_transpose(x, 1, 2));
            assert_true(same_tensors(fa_softmax(x, 1), fa_transpose(fa_softmax(rows, 2), 1, 2)));
            assert_true(same_tensors(fa_log_softmax(x, 1), fa_transpose(fa_log_softmax(rows, 2), 1, 2)));
            assert_true(same_tensors(fa_softmax(fa_transpose(rows, 1, 2), 1), fa_softmax(x, 1)));
        }
}

/* ---- scans ---- */

static void scans_of_short_rows(void **state)
{
    (void)state;
    static const fa_dtype dtypes[] = {FA_F32, FA_F64, FA_F16, FA_I8};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int64_t n = 1; n < 80; n += n < 34 ? 1 : 7)
            for (int how = 0; how < LAYOUTS; how++) {
                FA_SCOPE;
                fa_tensor *x = some_values(dtypes[d], S(3, 19, n), (layout)how);
                fa_tensor *columns = fa_contiguous(fa_permute(x, S(2, 0, 1)));
                assert_true(same_tensors(fa_cumsum(x, 2), fa_permute(fa_cumsum(columns, 0), S(1, 2, 0))));
                assert_true(same_tensors(fa_cummax(x, 2).values, fa_permute(fa_cummax(columns, 0).values, S(1, 2, 0))));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reductions_of_short_rows), TEST(places_of_the_largest), TEST(places_in_long_rows),
        TEST(softmax_down_columns),     TEST(scans_of_short_rows),
    };
    return RUN("rows side by side");
}
