/* Searching in sorted sequences, and what is made by it: held against plain loops on the host, over dtypes, layouts and
 * sizes, on whatever devices FACULA_TEST_DEVICES names. */
#include "support/api_test.h"
#include "support/tensors.h"
#include <math.h>

#define S(...) FA_SHAPE(__VA_ARGS__)

static uint64_t seed = 9;

static int64_t below(int64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(((seed ^ seed >> 31) * 0x9e3779b97f4a7c15u >> 20) % (uint64_t)n);
}

/* Whole numbers, from -range to range for dtypes that have a sign. */
static double *random_values(int64_t n, fa_dtype dtype, int64_t range)
{
    double *v = malloc((size_t)(n + 1) * sizeof *v);
    assert_non_null(v);
    for (int64_t i = 0; i < n; i++)
        v[i] = dtype == FA_BOOL ? (double)below(2)
               : dtype == FA_U8 ? (double)below(range)
                                : (double)(below(2 * range) - range);
    return v;
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static fa_tensor *tensor(const double *v, fa_dtype dtype, fa_shape s, layout how)
{
    fa_tensor *t = make_tensor(v, dtype, s.rank, s.dim, how, DEVICE(0));
    if (!t)
        fail_msg("%s", fa_error_message());
    return t;
}

/* n places that were found, against counting. */
static void hold_places(const fa_tensor *have, const double *line, int64_t length, const double *v, int64_t first,
                        int64_t n, bool right)
{
    double *at = tensor_values(have);
    if (!at)
        fail_msg("%s", fa_error_message());
    for (int64_t i = first; i < first + n; i++) {
        int64_t want = 0;
        while (want < length && (right ? line[want] <= v[i] : line[want] < v[i]))
            want++;
        assert_true(at[i] == (double)want);
    }
    free(at);
}

static const fa_dtype dtypes[] = {FA_BOOL, FA_U8, FA_I8, FA_I16, FA_I32, FA_I64, FA_F16, FA_BF16, FA_F32, FA_F64};
enum { DTYPES = sizeof dtypes / sizeof *dtypes, LINE = 77, VALUES = 60 };

static void one_sequence(void **state)
{
    (void)state;
    for (int d = 0; d < DTYPES; d++)
        for (int how = 0; how < LAYOUTS - 1; how++) {
            FA_SCOPE;
            bool right = (d + how) % 2;
            double *line = random_values(LINE, dtypes[d], 40), *v = random_values(VALUES, dtypes[d], 45);
            qsort(line, LINE, sizeof *line, rising);
            fa_tensor *sequence = tensor(line, dtypes[d], S(LINE), (layout)how);
            fa_tensor *values = tensor(v, dtypes[d], S(3, 20), (layout)(LAYOUTS - 2 - how));
            fa_tensor *wide = fa_searchsorted(sequence, values, .right = right);
            fa_tensor *narrow = fa_bucketize(values, sequence, .right = right, .out_int32 = true);
            hold_places(wide, line, LINE, v, 0, VALUES, right);
            hold_places(narrow, line, LINE, v, 0, VALUES, right);
            assert_true(fa_tensor_dtype(wide) == FA_I64 && fa_tensor_dtype(narrow) == FA_I32);
            free(line);
            free(v);
        }
}

/* A line for each row of values; with an order for each that makes it sorted. */
static void many_lines(void **state)
{
    (void)state;
    for (int how = 0; how < LAYOUTS - 1; how++)
        for (int t = 0; t < 2; t++) {
            FA_SCOPE;
            fa_dtype dtype = t ? FA_F32 : FA_I16;
            double *line = random_values(6 * LINE, dtype, 40), *v = random_values(6 * VALUES, dtype, 45);
            fa_tensor *lines = tensor(line, dtype, S(2, 3, LINE), (layout)how);
            fa_tensor *values = tensor(v, dtype, S(2, 3, VALUES), (layout)how);
            fa_tensor *sorter = fa_argsort(lines);
            fa_tensor *have = fa_searchsorted(fa_sort(lines).values, values, .right = t);
            assert_true(same_tensors(have, fa_searchsorted(lines, values, .sorter = sorter, .right = t)));
            for (int r = 0; r < 6; r++) {
                qsort(line + r * LINE, LINE, sizeof *line, rising);
                hold_places(have, line + (ptrdiff_t)r * LINE, LINE, v, (int64_t)r * VALUES, VALUES, t);
            }
            free(line);
            free(v);
        }
}

static void a_long_sequence(void **state)
{
    (void)state;
    enum { LONG = 100000, MANY = 9000 };
    double *line = malloc(LONG * sizeof *line), *v = random_values(MANY, FA_F32, LONG);
    assert_non_null(line);
    for (int i = 0; i < LONG; i++)
        line[i] = i / 3;
    fa_tensor *have =
        fa_searchsorted(tensor(line, FA_F32, S(LONG), LAYOUT_DENSE), tensor(v, FA_F32, S(MANY), LAYOUT_DENSE));
    double *at = tensor_values(have);
    for (int i = 0; i < MANY; i++)
        assert_true(at[i] == (v[i] <= 0 ? 0 : 3 * v[i] > LONG ? LONG : 3 * v[i]));
    free(at);
    free(line);
    free(v);
}

static void membership(void **state)
{
    (void)state;
    for (int d = 0; d < DTYPES; d++)
        for (int how = 0; how < LAYOUTS - 1; how++) {
            FA_SCOPE;
            double *v = random_values(VALUES, dtypes[d], 30), *w = random_values(9, dtypes[d], 30);
            fa_tensor *x = tensor(v, dtypes[d], S(4, 15), (layout)how),
                      *test = tensor(w, dtypes[d], S(3, 3), (layout)how);
            double *in = tensor_values(fa_isin(x, test)), *out = tensor_values(fa_isin(x, test, .invert = true));
            assert_true(in && out);
            for (int i = 0; i < VALUES; i++) {
                bool found = false;
                for (int k = 0; k < 9; k++)
                    found |= w[k] == v[i];
                assert_true(in[i] == found && out[i] == !found);
            }
            free(in), free(out), free(v), free(w);
        }
}

/* ---- different elements ---- */

/* Each element is the value that it went to; values are different and in order; counts are right. */
static void hold_unique(const fa_tensor *x, const double *v, int64_t n)
{
    fa_unique_result r = fa_unique(x, .return_inverse = true, .return_counts = true);
    double *value = tensor_values(r.values), *to = tensor_values(r.inverse), *count = tensor_values(r.counts);
    if (!value || !to || !count)
        fail_msg("%s", fa_error_message());
    int64_t m = fa_numel(r.values);
    for (int64_t i = 1; i < m; i++)
        assert_true(value[i - 1] < value[i]);
    for (int64_t i = 0; i < n; i++) {
        assert_true(value[(int64_t)to[i]] == v[i]);
        count[(int64_t)to[i]]--;
    }
    for (int64_t i = 0; i < m; i++)
        assert_true(count[i] == 0);
    free(value), free(to), free(count);
}

static void unique_elements(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 30, 1000, 5000};
    for (int d = 0; d < DTYPES; d++)
        for (int s = 0; s < 6; s++) {
            FA_SCOPE;
            int64_t n = sizes[s];
            double *v = random_values(2 * n, dtypes[d], 50);
            hold_unique(tensor(v, dtypes[d], S(n, 2), s % 2 ? LAYOUT_TRANSPOSED : LAYOUT_NEGATIVE), v, 2 * n);
            free(v);
        }
    fa_unique_result r = fa_unique(fa_ones(S(3), .device = DEVICE(0)));
    assert_true(r.values && !r.inverse && !r.counts);
    assert_no_error();
}

/* Slices along a dimension are those that the inverse puts together again. */
static void unique_slices(void **state)
{
    (void)state;
    for (int dim = 0; dim < 3; dim++)
        for (int how = 0; how < LAYOUTS - 1; how++) {
            FA_SCOPE;
            double *v = random_values(6 * 6 * 6, FA_BOOL, 2);
            for (int i = 0; i < 216; i++) /* few different ones */
                v[i] = i / (dim == 0 ? 36 : dim == 1 ? 6 : 1) % 6 < 4 ? i % 6 % 2 * (dim != 2) : v[i];
            fa_tensor *x = tensor(v, FA_F32, S(6, 6, 6), (layout)how);
            fa_unique_result r = fa_unique(x, .dim = dim, .return_inverse = true, .return_counts = true);
            fa_unique_consecutive_result c = fa_unique_consecutive(x, .dim = dim - 3, .return_inverse = true);
            assert_no_error();
            assert_true(same_tensors(fa_index_select(r.values, dim, r.inverse), x));
            assert_true(same_tensors(fa_index_select(c.values, dim, c.inverse), x));
            assert_true(fa_item(fa_sum(r.counts)) == 6 && fa_size(r.values, dim) < 6 && !c.counts);
            free(v);
        }
}

/* Numbers that the other dtype has not got are compared all the same. */
static void numbers(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {3, 100, 255};
    fa_tensor *line = fa_to(fa_tensor_from(bytes, S(3), .dtype = FA_U8), DEVICE(0));
    assert_true(fa_item(fa_searchsorted(line, 300)) == 3 && fa_item(fa_searchsorted(line, -1)) == 0);
    assert_true(fa_item(fa_searchsorted(line, 99.5)) == 1 && fa_item(fa_searchsorted(line, 1e300)) == 3);
    assert_true(fa_item(fa_bucketize(100, line)) == 1 && fa_item(fa_bucketize(100, line, .right = true)) == 2);
    assert_true(fa_item(fa_sum(fa_isin(line, 300))) == 0 && fa_item(fa_sum(fa_isin(line, 255))) == 1);
    assert_true(fa_item(fa_isin(100, line)) == 1 && fa_item(fa_isin(100.5, line)) == 0);
    fa_tensor *half = fa_to(line, FA_F16);
    assert_true(fa_item(fa_searchsorted(half, 70000)) == 3 && fa_item(fa_searchsorted(half, 1e300)) == 3);
    assert_true(fa_item(fa_searchsorted(fa_gt(line, 50), true)) == 1);
    assert_no_error();
}

static void wrong_arguments(void **state)
{
    (void)state;
    fa_tensor *x = fa_zeros(S(3, 4), .device = DEVICE(0)), *line = fa_zeros(S(5), .device = DEVICE(0));
    assert_null(fa_searchsorted(x, line));
    assert_error(FA_ERROR_SHAPE, "fa_searchsorted(", "(3, 4) f32", "one dimension, or all but the last one");
    assert_null(fa_searchsorted(fa_zeros(FA_SCALAR, .device = DEVICE(0)), line));
    assert_error(FA_ERROR_SHAPE, "the sequence is 0-dim");
    assert_null(fa_searchsorted(line, x, .sorter = fa_argsort(x)));
    assert_error(FA_ERROR_SHAPE, "the sorter has another shape");
    fa_tensor *far = fa_full(S(5), 5, .device = DEVICE(0));
    fa_searchsorted(line, x, .sorter = far);
    fa_synchronize(DEVICE(0));
    assert_error(FA_ERROR_INDEX, "index 5", "size 5");
    assert_null(fa_bucketize(line, x));
    assert_error(FA_ERROR_SHAPE, "fa_bucketize(", "boundaries have to have one dimension");
    assert_null(fa_unique(fa_zeros(S(3, 0), .device = DEVICE(0)), .dim = 0).values);
    assert_error(FA_ERROR_SHAPE, "fa_unique(", "the slices have no elements");
    assert_null(fa_unique(x, .dim = 2).values);
    assert_error(FA_ERROR_INDEX, "fa_unique(", "no dimension 2");
    assert_null(fa_unique(fa_zeros(S(3), .device = FA_META)).values);
    assert_error(FA_ERROR_DEVICE, "on meta there are no values");
}

/* NaN is above all numbers, where fa_sort() puts it, and is found nowhere. */
static void not_a_number(void **state)
{
    (void)state;
    FA_SCOPE;
    static const fa_dtype floats[] = {FA_F16, FA_BF16, FA_F32, FA_F64};
    const double line[] = {-1, 0, NAN, NAN, NAN}, v[] = {0, NAN, -1, 1, -2}, mixed[] = {NAN, -1, NAN, 0, NAN};
    for (int d = 0; d < 4; d++) {
        fa_tensor *sequence = tensor(line, floats[d], S(5), LAYOUT_DENSE);
        fa_tensor *values = tensor(v, floats[d], S(5), LAYOUT_DENSE);
        double *left = tensor_values(fa_searchsorted(sequence, values));
        double *right = tensor_values(fa_searchsorted(sequence, values, .right = true));
        double *in = tensor_values(fa_isin(values, tensor(mixed, floats[d], S(5), LAYOUT_DENSE)));
        assert_true(left && right && in);
        assert_memory_equal(left, ((double[]){1, 5, 0, 2, 0}), 5 * sizeof *left);
        assert_memory_equal(right, ((double[]){2, 5, 1, 2, 0}), 5 * sizeof *right);
        assert_memory_equal(in, ((double[]){1, 0, 1, 0, 0}), 5 * sizeof *in);
        free(left);
        free(right);
        free(in);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(one_sequence),    TEST(not_a_number), TEST(many_lines),
                                       TEST(a_long_sequence), TEST(membership),   TEST(unique_elements),
                                       TEST(unique_slices),   TEST(numbers),      TEST(wrong_arguments)};
    return RUN("search");
}
