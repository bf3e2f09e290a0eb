/* Reductions and statistics by hand: what samples of rows cannot say. Derivatives of products with zeros, ranks among
 * NaN, counts against plain loops, what is read by the host, and what is refused. */
#include "support/autograd_test.h"

#define S(...) FA_SHAPE(__VA_ARGS__)

static fa_tensor *there(fa_tensor *t)
{
    return fa_to(t, DEVICE(0));
}

static fa_tensor *numbers(const double *v, int64_t n)
{
    return fa_tensor_from(v, S(n), .dtype = FA_F64);
}
#define NUMBERS(...) numbers((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static fa_tensor *leaf(fa_tensor *t)
{
    fa_set_requires_grad(t, true);
    return t;
}

/* ---- sums in bool ---- */

/* That elements cancel each other, are fractions, or so small that their product is none does not make them false. */
static void sums_in_bool(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        fa_tensor *pair = fa_to(fa_tensor_of(1, -1), k ? DEVICE(0) : FA_CPU);
        fa_tensor *x = fa_mul(pair, 0.25), *small = fa_mul(pair, 1e-30), *none = fa_mul(pair, 0);
        HOLD(fa_sum(pair, .dtype = FA_BOOL), 1);
        HOLD(fa_sum(fa_to(pair, FA_I32), .dtype = FA_BOOL), 1);
        HOLD(fa_sum(x, .dim = 0, .dtype = FA_BOOL), 1);
        HOLD(fa_nansum(x, .dtype = FA_BOOL), 1);
        HOLD(fa_nansum(fa_div(none, 0), .dtype = FA_BOOL), 0);
        HOLD(fa_prod(fa_to(small, FA_F32), .dtype = FA_BOOL), 1);
        HOLD(fa_prod(none, .dtype = FA_BOOL), 0);
        HOLD(fa_sum(none, .dtype = FA_BOOL), 0);
        HOLD(fa_sum(fa_expand(fa_ne(fa_narrow(pair, 0, 0, 1), 0), S(256)), .dtype = FA_BOOL), 1);
    }
    assert_null(fa_cumsum(fa_ones(S(2)), 0, .dtype = FA_BOOL));
    FAILS(FA_ERROR_DTYPE, "fa_cumsum(", "in bool");
}

/* ---- other dtypes than that of the elements ---- */

/* Elements are converted before they are put together, not what comes of them. */
static void converted_before(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        fa_tensor *x = fa_to(fa_tensor_of(1.5, 1.75, -2.5), k ? DEVICE(0) : FA_CPU);
        fa_tensor *large = fa_to(fa_add(fa_tensor_of(257, 3), 0), k ? DEVICE(0) : FA_CPU);
        fa_tensor *beyond = fa_to(fa_tensor_of(16777217, -16777216), k ? DEVICE(0) : FA_CPU);
        HOLD(fa_sum(beyond), 1);
        HOLD(fa_sum(beyond, .dtype = FA_F32), 0);
        HOLD(fa_sum(beyond, .dtype = FA_F64), 1);
        HOLD(fa_sum(x, .dtype = FA_I32), 0);
        HOLD(fa_nansum(x, .dtype = FA_I64), 0);
        HOLD(fa_prod(x, .dtype = FA_I64), -2);
        HOLD(fa_prod(x, .dim = 0, .dtype = FA_I32), -2);
        HOLD(fa_prod(x, .dtype = FA_I8), -2);
        HOLD(fa_prod(fa_narrow(x, 0, 0, 2), .dtype = FA_U8), 1);
        HOLD(fa_prod(large, .dtype = FA_U8), 3);
        HOLD(fa_prod(fa_to(x, FA_F64), .dtype = FA_F32), -6.5625);
    }
}

/* ---- products ---- */

/* The product of the first n of x, without those numbered i and j. */
static double product_without(const double *x, int64_t n, int64_t i, int64_t j)
{
    double p = 1;
    for (int64_t k = 0; k < n; k++)
        p *= k == i || k == j ? 1 : x[k];
    return p;
}

/* First and second derivatives of the sum of w[m] times the product of the first m + 1 elements. */
static void hold_products(fa_tensor *x, fa_tensor *y, const double *v, const double *w, int64_t n)
{
    fa_tensors g = fa_grad_of(FA_TENSORS(y), FA_TENSORS(x), .create_graph = true);
    assert_true(g.count == 1 && g.item[0]);
    for (int64_t i = 0; i < n; i++) {
        FA_SCOPE;
        double first = 0;
        for (int64_t m = i; m < n; m++)
            first += w[m] * product_without(v, m + 1, i, i);
        fa_tensor *gi = fa_select(fa_reshape(g.item[0], S(-1)), 0, i);
        HOLD(gi, first);
        fa_tensors h = fa_grad_of(FA_TENSORS(gi), FA_TENSORS(x), .retain_graph = true);
        double have[16] = {0};
        assert_true(h.count == 1 && fa_read(h.item[0], have, FA_F64, n));
        for (int64_t j = 0; j < n; j++) {
            double second = 0;
            for (int64_t m = i > j ? i : j; m < n && i != j; m++)
                second += w[m] * product_without(v, m + 1, i, j);
            if (!(fabs(have[j] - second) <= 1e-9))
                fail_msg("d2/dx%d dx%d is %g, not %g", (int)i, (int)j, have[j], second);
        }
    }
}

static const double zeros[][6] = {
    {2, -1, 3, 0.5, 4, 1.5}, {2, 0, 3, 0.5, 4, 1.5}, {0, -1, 3, 0.5, 4, 0}, {2, 0, 0, 0, 4, 1.5}, {0, 0, 0, 0, 0, 0},
};

static void products_are_differentiated_twice_with_zeros(void **state)
{
    (void)state;
    static const double all[] = {0, 0, 0, 0, 0, 1}, each[] = {1, -2, 0.5, 3, -1, 2};
    for (size_t k = 0; k < sizeof zeros / sizeof *zeros; k++) {
        FA_SCOPE;
        fa_tensor *flat = leaf(there(numbers(zeros[k], 6)));
        hold_products(flat, fa_prod(flat), zeros[k], all, 6);
        hold_products(flat, fa_sum(fa_mul(fa_cumprod(flat, 0), there(numbers(each, 6)))), zeros[k], each, 6);
        fa_tensor *matrix = leaf(there(fa_reshape(numbers(zeros[k], 6), S(2, 3))));
        hold_products(matrix, fa_prod(matrix), zeros[k], all, 6);
        hold_products(matrix, fa_prod(fa_prod(matrix, .dim = 1)), zeros[k], all, 6);
    }
}

/* ---- gradients where values are on an edge ---- */

static void nothing_to_go_by_has_no_gradient(void **state)
{
    (void)state;
    fa_tensor *same = leaf(there(NUMBERS(2, 2, 2)));
    HOLD(fa_grad_of(FA_TENSORS(fa_std(same)), FA_TENSORS(same)).item[0], 0, 0, 0);
    fa_tensor *zero = leaf(there(NUMBERS(0, 0)));
    HOLD(fa_grad_of(FA_TENSORS(fa_norm(zero)), FA_TENSORS(zero)).item[0], 0, 0);
    HOLD(fa_grad_of(FA_TENSORS(fa_norm(zero, .p = 3)), FA_TENSORS(zero)).item[0], 0, 0);
    fa_tensor *low = leaf(there(NUMBERS(-INFINITY, -INFINITY, 1)));
    HOLD(fa_grad_of(FA_TENSORS(fa_logsumexp(fa_narrow(low, 0, 0, 2))), FA_TENSORS(low)).item[0], 0, 0, 0);
    HOLD(fa_grad_of(FA_TENSORS(fa_sum(fa_logcumsumexp(low, 0))), FA_TENSORS(low)).item[0], 0, 0, 1);
    fa_tensor *x = leaf(there(NUMBERS(3, -3, 1)));
    HOLD(fa_grad_of(FA_TENSORS(fa_norm(x, .p = INFINITY)), FA_TENSORS(x)).item[0], 0.5, -0.5, 0);
}

/* Places in lines that are longer than the whole numbers of f32. */
static void quantiles_of_long_lines(void **state)
{
    (void)state;
    const int64_t n = ((int64_t)1 << 24) + 4;
    fa_tensor *x = fa_zeros(S(n));
    fa_add_(fa_narrow(x, 0, n - 1, 1), 2);
    HOLD(fa_quantile(x, 1.0), 2);
    HOLD(fa_quantile(x, 1.0, .interpolation = "lower"), 2);
}

static void numbers_beyond_the_dtype_are_met_in_between_only(void **state)
{
    (void)state;
    HOLD(fa_logsumexp(there(NUMBERS(1000, 1000))), 1000 + log(2));
    HOLD(fa_logsumexp(there(NUMBERS(-1000, -1000, -INFINITY))), -1000 + log(2));
    HOLD(fa_logsumexp(there(NUMBERS(INFINITY, 1))), INFINITY);
    fa_tensor *half = fa_to(there(fa_full(S(2000), 60)), FA_F16);
    HOLD(fa_nanmean(half), 60);
    HOLD(fa_norm(fa_narrow(fa_mul(half, 10), 0, 0, 100)), 6000);
    HOLD(fa_std(fa_mul(there(NUMBERS(600, -600)), 1), .correction = 0), 600);
    HOLD(fa_std(fa_to(there(NUMBERS(600, -600)), FA_F16), .correction = 0), 600);
}

/* ---- truth ---- */

static void fractions_and_nan_are_true(void **state)
{
    (void)state;
    fa_tensor *x = there(fa_zeros(S(3000), .dtype = FA_F32));
    HOLD(fa_any(x), 0);
    fa_add_(fa_select(x, 0, 2999), 0.25);
    HOLD(fa_any(x), 1);
    HOLD(fa_all(x), 0);
    HOLD(fa_all(there(NUMBERS(0.25, NAN, -1e-300))), 1);
    HOLD(fa_count_nonzero(there(NUMBERS(0.25, NAN, 0, -0.0, 1e-300))), 3);
    fa_tensor *lines = fa_reshape(fa_arange(0, 6, .dtype = FA_U8), S(2, 3));
    HOLD(fa_all(there(lines), .dim = 1), 0, 1);
}

/* ---- ranks ---- */

static void medians_among_nan(void **state)
{
    (void)state;
    fa_tensor *x = there(fa_reshape(NUMBERS(3, NAN, 1, NAN, 5, 4, 2, 9, NAN, NAN, NAN, NAN), S(3, 4)));
    fa_median_result m = fa_median(x, .dim = 1);
    HOLD(m.values, NAN, 4, NAN);
    HOLD(m.indices, 1, 1, 0);
    fa_nanmedian_result n = fa_nanmedian(x, .dim = 1);
    HOLD(n.values, 1, 4, NAN);
    HOLD(n.indices, 2, 1, 0);
    HOLD(fa_nanmedian(x).values, 3);
    HOLD(fa_nanmedian(x).indices, 0);
    HOLD(fa_nanquantile(x, 0.5, .dim = 1), 2, 4.5, NAN);
    HOLD(fa_quantile(x, 0.5, .dim = 1), NAN, 4.5, NAN);
    HOLD(fa_median(fa_reshape(x, S(2, 6)), .keepdim = true).indices, 1);
}

static void the_most_frequent(void **state)
{
    (void)state;
    fa_tensor *x = there(fa_reshape(NUMBERS(2, 1, 2, 1, 0, 5, 5, 5, 1, 2), S(2, 5)));
    fa_mode_result m = fa_mode(x);
    HOLD(m.values, 1, 5);
    HOLD(m.indices, 3, 2);
    HOLD(fa_mode(there(NUMBERS(NAN, 0, NAN, 0, NAN))).values, 0);
}

static void quantiles_beyond_0_and_1(void **state)
{
    (void)state;
    fa_tensor *x = there(NUMBERS(1, 2, 3));
    assert_null(fa_quantile(x, 1.5));
    FAILS(FA_ERROR_ARGUMENT, "fa_quantile(", "q is 1.5: it has to be from 0 to 1");
    assert_null(fa_quantile(x, 0.5, .interpolation = "cubic"));
    FAILS(FA_ERROR_ARGUMENT, "interpolation is \"linear\"");
    assert_null(fa_quantile(fa_to(x, FA_I64), 0.5));
    FAILS(FA_ERROR_DTYPE, "f32 or f64");
    assert_null(fa_median(fa_zeros(S(0, 3)), .dim = 0).values);
    FAILS(FA_ERROR_SHAPE, "fa_median(", "there is nothing to choose from");
    assert_null(fa_median(fa_zeros(S(2, 3)), .dim = FA_DIMS(0, 1)).values);
    FAILS(FA_ERROR_ARGUMENT, "one dimension, or all of them");
    fa_tensor *q = there(NUMBERS(0.5, 1.75));
    double both[2];
    if (fa_read(fa_quantile(x, q), both, FA_F64, 2))
        fail_msg("a quantile beyond 1 was found");
    FAILS(FA_ERROR_INDEX, "out of range");
}

/* ---- counts ---- */

static void numbers_are_counted_with_one_wait(void **state)
{
    (void)state;
    fa_tensor *x = there(fa_to(NUMBERS(3, 1, 3, 0, 3), FA_I32)), *w = there(NUMBERS(0.5, 1, 0.25, 2, 1));
    fa_synchronize(DEVICE(0));
    test_devices_delay(-1); /* nothing is done before somebody waits for it */
    fa_transfers_reset();
    fa_tensor *counts = fa_bincount(x);
    assert_true(fa_transfers_total().waits == 1);
    HOLD(counts, 1, 1, 0, 3);
    HOLD(fa_bincount(x, .weights = w, .minlength = 5), 2, 1, 0, 1.75, 0);
    {
        FA_USE(.forbid = FA_SYNC);
        assert_null(fa_bincount(x));
    }
    FAILS(FA_ERROR_SYNC, "fa_bincount");
    test_devices_delay(0);
    assert_null(fa_bincount(fa_sub(x, 2)));
    FAILS(FA_ERROR_ARGUMENT, "fa_bincount(", "x has the element -2");
    assert_null(fa_bincount(w));
    FAILS(FA_ERROR_DTYPE, "x has to be of integers");
}

static void histograms_against_a_loop(void **state)
{
    (void)state;
    enum { N = 5000, BINS = 7 };
    static float v[N], edges[BINS + 1];
    fa_manual_seed(8);
    fa_tensor *x = fa_randn(S(N));
    fa_histogram_result h = fa_histogram(there(x), .bins = BINS, .min = -1.5, .max = 2);
    double want[BINS] = {0};
    assert_true(fa_read(x, v, FA_F32, N) && fa_read(h.bin_edges, edges, FA_F32, BINS + 1));
    for (int i = 0; i < N; i++)
        for (int k = 0; k < BINS; k++)
            want[k] += v[i] >= edges[k] && (v[i] < edges[k + 1] || (k == BINS - 1 && v[i] == edges[k + 1]));
    hold_values(h.hist, want, BINS, 0, __FILE__, __LINE__);
    HOLD(h.bin_edges, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2);
    fa_tensor *spread = there(NUMBERS(0, 1, 1, 4, NAN, 2, -1)), *cuts = there(NUMBERS(0, 1, 2));
    HOLD(fa_histogram(spread, .edges = cuts).hist, 1, 3);
    assert_null(fa_histogram(spread, .bins = 0).hist);
    FAILS(FA_ERROR_ARGUMENT, "fa_histogram(", "bins have to be 1 or more");
}

/* ---- variances ---- */

/* How far `a` may be from `b`, as a part of b. */
static void hold_near(fa_tensor *a, const fa_tensor *b, double part)
{
    a = fa_to(a, FA_CPU);
    fa_tensor *off = fa_amax(fa_abs(fa_sub(fa_to(a, FA_F64), b))), *most = fa_amax(fa_abs(b));
    if (!(fa_item(off) <= part * fa_item(most)))
        print_error("%g instead of %g\n", fa_item(a), fa_item(b));
    assert_true(fa_item(off) <= part * fa_item(most));
}

/* x in f64, and in f32 with a leaf: the gradient of the variance, and of its square's gradient. */
static void hold_variance(fa_tensor *x, fa_dims dim, fa_device device)
{
    FA_SCOPE;
    fa_tensor *wide = leaf(fa_to(x, FA_F64)), *near = leaf(fa_to(fa_to(x, FA_F32), device));
    fa_tensor *want = fa_var(wide, .dim = dim), *have = fa_var(near, .dim = dim);
    hold_near(have, want, 1e-5);
    hold_near(fa_std(near, .dim = dim), fa_std(wide, .dim = dim), 1e-5);
    hold_near(fa_var_mean(near, .dim = dim).variance, want, 1e-5);
    fa_tensor *g = fa_grad_of(FA_TENSORS(fa_sum(want)), FA_TENSORS(wide)).item[0];
    hold_near(fa_grad_of(FA_TENSORS(fa_sum(have)), FA_TENSORS(near)).item[0], g, 1e-4);
}

/* Elements that are close to each other, and far from 0: in f32 there are 16 steps from one to the next whole number.
 */
static void variances_about_a_large_mean(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        FA_SCOPE;
        fa_device device = k ? DEVICE(k - 1) : FA_CPU;
        fa_manual_seed(3);
        fa_tensor *x = fa_to(fa_add(fa_rand(S(30, 1000)), 1e6), FA_F64);
        hold_variance(x, FA_ALL, device);
        hold_variance(x, 1, device);
        hold_variance(x, 0, device);
        hold_variance(fa_neg(x), 1, device);
        /* the first element is far from all others, which may make no difference */
        fa_tensor *far = fa_full(S(30, 1), 1e3, .dtype = FA_F64), *others = fa_rand(S(30, 500), .dtype = FA_F64);
        hold_variance(fa_cat(FA_TENSORS(far, others), .dim = 1), 1, device);
        fa_tensor *same = fa_to(fa_full(S(3, 1000), 1e6 + 0.0625), device);
        HOLD(fa_var(same, .dim = 1), 0, 0, 0);
        /* one step between them: means are between two numbers, and no square is taken off that is not there */
        fa_tensor *low = fa_full(S(1), 1e6), *high = fa_full(S(999), 1e6 + 0.0625);
        fa_tensor *two = fa_to(fa_cat(FA_TENSORS(low, high), .dim = 0), device);
        HOLD(fa_var(two), 0.0625 * 0.0625 / 1000);
        HOLD(fa_var(fa_neg(two)), 0.0625 * 0.0625 / 1000);
    }
}

/* ---- covariances ---- */

static void covariances_of_repeated_observations(void **state)
{
    (void)state;
    fa_tensor *x = there(fa_reshape(NUMBERS(1, 2, 4, 3, 0, 5), S(2, 3)));
    fa_tensor *often = there(fa_to(NUMBERS(1, 3, 2), FA_I64));
    fa_tensor *repeated = fa_index_select(x, 1, there(fa_to(NUMBERS(0, 1, 1, 1, 2, 2), FA_I64)));
    double want[4];
    assert_true(fa_read(fa_cov(repeated), want, FA_F64, 4));
    hold_values(fa_cov(x, .fweights = often), want, 4, 1e-12, __FILE__, __LINE__);
    assert_null(fa_cov(x, .fweights = fa_to(often, FA_F64)));
    FAILS(FA_ERROR_DTYPE, "fa_cov(", "fweights are integers");
    assert_null(fa_average(x, .dim = 0, .weights = often));
    FAILS(FA_ERROR_SHAPE, "fa_average(", "weights have to be");
}

/* Told at once, or when a device is waited for. */
static void weights_that_cannot_be(void **state)
{
    (void)state;
    const fa_device places[] = {FA_CPU, DEVICE(0)};
    for (int p = 0; p < 2; p++) {
        fa_tensor *x = fa_to(fa_reshape(NUMBERS(1, 2, 4, 3, 0, 5), S(2, 3)), places[p]);
        fa_tensor *often = fa_to(fa_to(NUMBERS(1, 3, -2), FA_I64), places[p]), *once = fa_abs(often);
        fa_cov(x, .fweights = often);
        fa_synchronize(places[p]);
        FAILS(FA_ERROR_ARGUMENT, "fa_cov", "a weight that is not 0 or more, at element 2");
        fa_cov(x, .fweights = once, .aweights = fa_to(often, FA_F32));
        fa_synchronize(places[p]);
        FAILS(FA_ERROR_ARGUMENT, "fa_cov", "a weight that is not 0 or more, at element 2");
        fa_cov(x, .aweights = fa_mul(fa_to(often, FA_F32), 0)); /* and -0 is not negative */
        fa_synchronize(places[p]);
        assert_null(strstr(fa_error_message(), "at element"));
        FAILS(FA_ERROR_ARGUMENT, "fa_cov", "weights of which the sum is 0");
        fa_cov(x, .aweights = fa_to(NUMBERS(1, NAN, 2), places[p]));
        fa_synchronize(places[p]);
        FAILS(FA_ERROR_ARGUMENT, "fa_cov", "a weight that is not 0 or more, at element 1");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sums_in_bool),
        TEST(converted_before),
        TEST(quantiles_of_long_lines),
        TEST(products_are_differentiated_twice_with_zeros),
        TEST(nothing_to_go_by_has_no_gradient),
        TEST(numbers_beyond_the_dtype_are_met_in_between_only),
        TEST(fractions_and_nan_are_true),
        TEST(medians_among_nan),
        TEST(the_most_frequent),
        TEST(quantiles_beyond_0_and_1),
        TEST(numbers_are_counted_with_one_wait),
        TEST(histograms_against_a_loop),
        TEST(variances_about_a_large_mean),
        TEST(covariances_of_repeated_observations),
        TEST(weights_that_cannot_be),
    };
    return RUN("reductions");
}
