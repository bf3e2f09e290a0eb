/* Numbers of distributions: that they look like them, that they are the same on every device and for any number of
 * threads, and what fillers do to what was there. Seeds are fixed; bounds are such that other seeds keep them, too. */
#include "core/random.h"
#include "support/api_test.h"
#include "support/tensors.h"
#include <math.h>

#define S(...) FA_SHAPE(__VA_ARGS__)
enum { MANY = 100000 };
static double values[MANY];

static void read_values(const fa_tensor *t)
{
    if (!t || fa_numel(t) != MANY || !fa_read(t, values, FA_F64, MANY))
        fail_msg("%s", fa_error_message());
}

static double mean_of(void)
{
    double sum = 0;
    for (int i = 0; i < MANY; i++)
        sum += values[i];
    return sum / MANY;
}

static double variance_of(void)
{
    double mean = mean_of(), sum = 0;
    for (int i = 0; i < MANY; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return sum / MANY;
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Kolmogorov's distance to a distribution; above 1.95 by chance once in 1,000. Sorts the values. */
static double distance_to(double (*below)(double))
{
    double most = 0;
    qsort(values, MANY, sizeof *values, rising);
    for (int i = 0; i < MANY; i++) {
        double p = below(values[i]);
        double distance = fmax(p - i / (double)MANY, (i + 1) / (double)MANY - p);
        if (!(distance <= most)) /* nor is NaN below */
            most = distance;
    }
    return most * sqrt(MANY);
}

/* ---- distributions ---- */

static double uniform_below(double x)
{
    return (x + 2) / 5;
}

static double normal_below(double x)
{
    return 0.5 * erfc(-(x - 1) / 2 / sqrt(2));
}

static double log_normal_below(double x)
{
    return 0.5 * erfc(-(log(x) - 0.5) / 0.25 / sqrt(2));
}

static double exponential_below(double x)
{
    return -expm1(-3 * x);
}

static double cauchy_below(double x)
{
    return 0.5 + atan((x + 1) / 2) / 3.14159265358979323846;
}

static void fillers_keep_their_distribution(void **state)
{
    (void)state;
    static const fa_dtype floats[] = {FA_F32, FA_F64};
    for (int f = 0; f < 2; f++) {
        FA_SCOPE;
        fa_manual_seed(3);
        fa_tensor *x = fa_empty(S(100, MANY / 100), .dtype = floats[f], .device = DEVICE(0));
        read_values(fa_uniform_(x, .from = -2, .to = 3));
        assert_true(distance_to(uniform_below) < 1.95 && values[0] >= -2 && values[MANY - 1] <= 3);
        read_values(fa_normal_(x, .mean = 1, .std = 2));
        assert_true(distance_to(normal_below) < 1.95);
        read_values(fa_log_normal_(x, .mean = 0.5, .std = 0.25));
        assert_true(distance_to(log_normal_below) < 1.95);
        read_values(fa_exponential_(x, .lambd = 3));
        assert_true(distance_to(exponential_below) < 1.95 && values[0] > 0);
        read_values(fa_cauchy_(x, .median = -1, .sigma = 2));
        assert_true(distance_to(cauchy_below) < 1.95);
    }
}

/* Squared differences from what is expected, over bins from 0 on; the last one is for all above. */
static double chi_squared(const double *p, int bins)
{
    double square = 0;
    int count[64] = {0};
    for (int i = 0; i < MANY; i++) {
        assert_true(values[i] >= 0 && values[i] == floor(values[i]));
        count[values[i] < bins - 1 ? (int)values[i] : bins - 1]++;
    }
    for (int b = 0; b < bins; b++)
        square += (count[b] - MANY * p[b]) * (count[b] - MANY * p[b]) / (MANY * p[b]);
    return square;
}

static void trials(void **state)
{
    (void)state;
    double p[20] = {0}, left = 1;
    for (int k = 1; k < 20; k++) {
        p[k] = k < 19 ? left * 0.25 : left;
        left -= p[k];
    }
    p[0] = 1e-9; /* never */
    fa_manual_seed(4);
    fa_tensor *x = fa_empty(S(MANY), .dtype = FA_I32, .device = DEVICE(0));
    read_values(fa_geometric_(x, 0.25));
    assert_true(chi_squared(p, 20) < 43); /* 18 degrees: above by chance once in 1,000 */
    read_values(fa_geometric_(x, 1));
    assert_true(mean_of() == 1 && variance_of() == 0);
    read_values(fa_bernoulli_(x, 0.3));
    assert_true(chi_squared((double[]){0.7, 0.3}, 2) < 10.8);
    read_values(fa_bernoulli(fa_full(S(MANY), 0.3, .device = DEVICE(0))));
    assert_true(chi_squared((double[]){0.7, 0.3}, 2) < 10.8);
    static const double edges[] = {0, 1, 2, NAN};
    fa_tensor *q = fa_to(fa_tensor_from(edges, S(4, 1), .dtype = FA_F64), DEVICE(0));
    fa_tensor *y = fa_bernoulli_(fa_empty(S(4, MANY / 4), .dtype = FA_BOOL, .device = DEVICE(0)), q);
    read_values(y);
    for (int i = 0; i < MANY; i++)
        assert_true(values[i] == (i / (MANY / 4) == 1 || i / (MANY / 4) == 2));
}

/* All 2^64 numbers of i64, of which half are negative, and half odd. */
static void all_of_i64(fa_device device)
{
    static int64_t all[MANY];
    int64_t negative = 0, odd = 0;
    fa_tensor *x = fa_random_(fa_zeros(S(MANY), .dtype = FA_I64, .device = device), .from = INT64_MIN);
    assert_true(fa_read(x, all, FA_I64, MANY));
    for (int i = 0; i < MANY; i++) {
        negative += all[i] < 0;
        odd += all[i] & 1;
    }
    assert_true(llabs(negative - MANY / 2) < MANY / 50 && llabs(odd - MANY / 2) < MANY / 50);
}

static void whole_numbers(void **state)
{
    (void)state;
    double p[37];
    for (int k = 0; k < 37; k++)
        p[k] = 1.0 / 37;
    fa_manual_seed(5);
    static const fa_dtype of[] = {FA_I64, FA_U8, FA_F16, FA_F64};
    for (int d = 0; d < 4; d++) {
        read_values(fa_randint(0, 37, S(MANY), .dtype = of[d], .device = DEVICE(0)));
        assert_true(chi_squared(p, 37) < 68); /* 36 degrees */
    }
    read_values(fa_randint(-1000000007, 3, S(MANY), .device = DEVICE(0)));
    assert_true(fabs(mean_of() / -500000002 - 1) < 0.01);
    fa_tensor *x = fa_empty(S(MANY), .dtype = FA_I64, .device = DEVICE(0));
    read_values(fa_random_(x));
    double most = 0;
    for (int i = 0; i < MANY; i++) {
        assert_true(values[i] >= 0);
        most = fmax(most, values[i]);
    }
    assert_true(most > 0x1.ffp62 && fabs(mean_of() / 0x1p62 - 1) < 0.01);
    read_values(fa_random_(fa_empty(S(MANY), .dtype = FA_BOOL, .device = DEVICE(0))));
    assert_true(chi_squared((double[]){0.5, 0.5}, 2) < 10.8);
    int64_t far[2];
    assert_true(fa_read(fa_randint(INT64_MIN, INT64_MIN + 1, S(2), .device = DEVICE(0)), far, FA_I64, 2));
    assert_true(far[0] == INT64_MIN && far[1] == INT64_MIN);
    all_of_i64(DEVICE(0));
    assert_true(fa_tensor_dtype(fa_randint_like(fa_ones(S(2), .dtype = FA_I16), 0, 9)) == FA_I16);
    assert_no_error();
}

/* Probabilities by lgamma of the C library; bins are chosen so that each has some. */
static void poisson_numbers(void **state)
{
    (void)state;
    static const double rates[] = {0.01, 0.7, 3, 9.99, 10, 25, 170.5, 1e5, 1e12};
    for (int r = 0; r < 9; r++) {
        FA_SCOPE;
        double rate = rates[r], p[60], left = 1;
        fa_manual_seed(60 + (uint64_t)r);
        read_values(fa_poisson(fa_full(S(MANY), rate, .dtype = FA_F64, .device = DEVICE(0))));
        assert_true(fabs(mean_of() - rate) < 4 * sqrt(rate / MANY));
        assert_true(fabs(variance_of() / rate - 1) < 4 * sqrt((2 + 1 / rate) / MANY));
        if (rate > 1000)
            continue;
        int first = rate > 20 ? (int)(rate - 2 * sqrt(rate)) : 0, bins = 0;
        for (int k = 0; k < first; k++)
            p[0] = (k > 0 ? p[0] : 0) + exp(k * log(rate) - rate - lgamma(k + 1));
        left -= first ? p[0] : 0;
        bins = first > 0;
        for (int k = first; bins < 50; k++) {
            double here = exp(k * log(rate) - rate - lgamma(k + 1));
            if (k > rate && (left - here) * MANY < 20)
                break;
            p[bins++] = here;
            left -= here;
        }
        p[bins++] = left;
        for (int i = 0; i < MANY; i++) /* so that bin 0 is for all below */
            values[i] = values[i] < first ? 0 : values[i] - first + (first > 0);
        assert_true(chi_squared(p, bins) < bins - 1 + 5 * sqrt(2.0 * bins));
    }
    double few[4];
    static const double edges[] = {0, -1, NAN, INFINITY};
    assert_true(fa_read(fa_poisson(fa_to(fa_tensor_from(edges, S(4), .dtype = FA_F64), DEVICE(0))), few, FA_F64, 4));
    assert_true(few[0] == 0 && isnan(few[1]) && isnan(few[2]) && few[3] == INFINITY);
}

static void normal_of_tensors(void **state)
{
    (void)state;
    fa_manual_seed(7);
    fa_tensor *mean = fa_full(S(MANY / 2, 1), 1.0, .device = DEVICE(0), .requires_grad = true);
    fa_tensor *std = fa_full(S(2), 2.0, .device = DEVICE(0), .requires_grad = true);
    fa_tensor *x = fa_normal(mean, std), *z = fa_div(fa_sub(x, mean), std);
    fa_backward(fa_sum(x));
    double two[2], sums[2];
    assert_true(fa_read(fa_grad(std), two, FA_F64, 2) && fa_read(fa_sum(z, .dim = 0), sums, FA_F64, 2));
    assert_true(fabs(two[0] - sums[0]) < 1 && fabs(two[1] - sums[1]) < 1 && fabs(two[0] - two[1]) > 1);
    assert_true(fa_item(fa_get(fa_grad(mean), "5, 0")) == 2);
    read_values(fa_detach(x));
    assert_true(distance_to(normal_below) < 1.95);
    assert_no_error();
}

/* ---- places ---- */

static void drawing_again(void **state)
{
    (void)state;
    static const double weights[] = {0, 3, 0, 1, 4, 2, 0};
    fa_manual_seed(8);
    fa_tensor *w = fa_to(fa_tensor_from(weights, S(7), .dtype = FA_F64), DEVICE(0));
    read_values(fa_multinomial(w, MANY, .replacement = true));
    static const double p[] = {1e-9, 0.3, 1e-9, 0.1, 0.4, 0.2, 1e-9};
    assert_true(chi_squared(p, 7) < 16.3); /* 3 degrees, and what must not come */
    /* many places, some without weight, in lines; half of all weight is on the last */
    fa_tensor *many = fa_to(fa_fmod(fa_arange(0, 3000, .device = DEVICE(0)), 3), FA_F32);
    fa_set(many, "-1", 3000);
    fa_tensor *lines = fa_expand(many, S(10, 3000));
    read_values(fa_multinomial(lines, MANY / 10, .replacement = true));
    int last = 0;
    for (int i = 0; i < MANY; i++) {
        assert_true(values[i] >= 0 && values[i] < 3000 && (int)values[i] % 3 != 0);
        last += values[i] == 2999;
    }
    assert_true(fabs(last / (double)MANY - 3000.0 / 5998) < 0.01);
    assert_no_error();
}

static void drawing_once(void **state)
{
    (void)state;
    enum { LINES = MANY / 4 };
    static const double weights[] = {0, 3, 0.5, 1, 4, 2};
    int first[6] = {0};
    fa_manual_seed(9);
    fa_tensor *w = fa_to(fa_tensor_from(weights, S(6), .dtype = FA_F64), DEVICE(0));
    read_values(fa_multinomial(fa_expand(w, S(LINES, 6)), 4));
    for (int i = 0; i < LINES; i++) {
        unsigned seen = 1; /* place 0 has no weight */
        for (int k = 0; k < 4; k++) {
            assert_true(values[4 * i + k] >= 0 && values[4 * i + k] < 6 && !(seen >> (int)values[4 * i + k] & 1));
            seen |= 1u << (int)values[4 * i + k];
        }
        first[(int)values[4 * i]]++;
    }
    double square = 0;
    for (int k = 1; k < 6; k++)
        square += pow(first[k] - LINES * weights[k] / 10.5, 2) / (LINES * weights[k] / 10.5);
    assert_true(square < 18.5); /* 4 degrees */
    fa_tensor *all = fa_multinomial(fa_rand(S(1000), .device = DEVICE(0)), 999);
    assert_true(fa_numel(fa_unique(all).values) == 999);
    assert_no_error();
}

/* ---- where, and what for ---- */

static fa_tensor *drawn(int which, fa_dtype dtype, fa_device device)
{
    FA_USE(.device = device);
    fa_tensor *x = fa_empty(S(3, 4001), .dtype = dtype), *half = fa_full(S(3, 4001), 0.5, .dtype = dtype);
    switch (which) {
    case 0:
        return fa_uniform_(x, .from = -1, .to = 2);
    case 1:
        return fa_normal_(x, .mean = 3, .std = 0.1);
    case 2:
        return fa_log_normal_(x);
    case 3:
        return fa_exponential_(x, .lambd = 0.3);
    case 4:
        return fa_cauchy_(x);
    case 5:
        return fa_geometric_(x, 0.1);
    case 6:
        return fa_bernoulli_(x, half);
    case 7:
        return fa_random_(x, .from = -99, .to = 99);
    case 8:
        return fa_bernoulli(half);
    case 9:
        return fa_normal(half, 2);
    case 10:
        return fa_poisson(fa_mul(half, 7));
    case 11:
        return fa_poisson(fa_mul(half, 77));
    case 12:
        return fa_multinomial(half, 4000);
    default:
        return fa_multinomial(half, 5000, .replacement = true);
    }
}

static void the_same_everywhere(void **state)
{
    (void)state;
    static const fa_dtype floats[] = {FA_F32, FA_F64, FA_F16, FA_BF16};
    for (int which = 0; which < 14; which++)
        for (int f = 0; f < 4; f++) {
            FA_SCOPE;
            fa_manual_seed(42);
            fa_set_num_threads(1);
            fa_tensor *one = drawn(which, floats[f], FA_CPU), *two = drawn(which, floats[f], FA_CPU);
            fa_manual_seed(42);
            fa_set_num_threads(3);
            assert_true(tensor_same_bits(drawn(which, floats[f], FA_CPU), one));
            assert_false(tensor_same_bits(one, two));
            fa_manual_seed(42);
            if (!tensor_same_bits(fa_cpu(drawn(which, floats[f], DEVICE(0))), one))
                fail_msg("number %d, %s: %s", which, fa_dtype_name(floats[f]), fa_error_message());
            assert_no_error();
        }
    fa_set_num_threads(0);
}

/* A part is filled as if it were all; what it was made of gets no gradient any more. */
static void filling_parts(void **state)
{
    (void)state;
    fa_manual_seed(10);
    fa_tensor *whole = fa_normal_(fa_empty(S(6), .device = DEVICE(0)));
    fa_tensor *x = fa_zeros(S(4, 6), .device = DEVICE(0));
    fa_manual_seed(10);
    fa_normal_(fa_select(x, 0, 2));
    assert_true(same_tensors(fa_select(x, 0, 2), whole) && fa_item(fa_sum(fa_abs(fa_select(x, 0, 1)))) == 0);
    fa_tensor *a = fa_ones(S(4), .device = DEVICE(0), .requires_grad = true), *y = fa_mul(a, 2);
    fa_uniform_(fa_narrow(y, 0, 1, 2));
    fa_backward(fa_sum(y));
    assert_true(fa_item(fa_sum(fa_grad(a))) == 4 && fa_item(fa_get(fa_grad(a), "1")) == 0);
    assert_no_error();
    assert_null(fa_normal_(a));
    assert_error(FA_ERROR_GRADIENT, "fa_normal_(", "leaf");
}

static void wrong_arguments(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(S(3)), *whole = fa_ones(S(3), .dtype = FA_I64);
    assert_null(fa_uniform_(whole));
    assert_error(FA_ERROR_DTYPE, "fa_uniform_(", "(3,) i64 cpu", "floating");
    assert_null(fa_uniform_(x, .from = 2, .to = 1));
    assert_error(FA_ERROR_ARGUMENT, "fa_uniform_(", "from has to be at most as large as to");
    assert_null(fa_normal_(x, .std = -1));
    assert_error(FA_ERROR_ARGUMENT, "fa_normal_(", "std");
    assert_null(fa_exponential_(x, .lambd = 0));
    assert_error(FA_ERROR_ARGUMENT, "fa_exponential_(", "lambd");
    assert_null(fa_geometric_(x, 0));
    assert_error(FA_ERROR_ARGUMENT, "fa_geometric_(", "p");
    assert_null(fa_bernoulli_(x, 1.5));
    assert_error(FA_ERROR_ARGUMENT, "fa_bernoulli_(", "p has to be 0 to 1");
    assert_null(fa_bernoulli_(x, fa_ones(S(2))));
    assert_error(FA_ERROR_SHAPE, "fa_bernoulli_(", "p does not broadcast to x");
    assert_null(fa_bernoulli(whole));
    assert_error(FA_ERROR_DTYPE, "fa_bernoulli(", "floating");
    assert_null(fa_randint(5, 5, S(3)));
    assert_error(FA_ERROR_ARGUMENT, "fa_randint(", "no number from 5 up to below 5");
    assert_null(fa_randint(0, 300, S(3), .dtype = FA_U8));
    assert_error(FA_ERROR_ARGUMENT, "299 does not fit into u8");
    assert_null(fa_randint(0, INT64_MIN, S(3)));
    assert_error(FA_ERROR_ARGUMENT, "fa_randint(", "no number from 0 up to below -9223372036854775808");
    assert_null(fa_randint(0, 3, S(3), .dtype = FA_BOOL));
    assert_error(FA_ERROR_ARGUMENT, "fa_randint(", "bool has the numbers 0 and 1 alone");
    assert_null(fa_random_(fa_ones(S(3)), .from = 16777217));
    assert_error(FA_ERROR_ARGUMENT, "fa_random_(", "f32 has all whole numbers up to 16777216");
    assert_null(fa_random_(fa_ones(S(3), .dtype = FA_BOOL), .from = 2));
    assert_error(FA_ERROR_ARGUMENT, "fa_random_(", "from is 2");
    assert_null(fa_random_(fa_ones(S(3), .dtype = FA_U8), .from = -1));
    assert_error(FA_ERROR_ARGUMENT, "fa_random_(", "-1 does not fit into u8");
    assert_null(fa_multinomial(x, 4));
    assert_error(FA_ERROR_ARGUMENT, "fa_multinomial(", "there are 3 places to draw from");
    assert_null(fa_multinomial(fa_tril(fa_ones(S(3, 3))), 2));
    assert_error(FA_ERROR_ARGUMENT, "a line has 1 weights above 0, and 2 places have to be drawn");
    assert_null(fa_multinomial(fa_neg(x), 1));
    assert_error(FA_ERROR_ARGUMENT, "3 weights are negative, infinite or NaN: fa_softmax makes weights of logits");
    assert_null(fa_multinomial(whole, 1));
    assert_error(FA_ERROR_DTYPE, "weights are floating");
}

/* Halves round to the upper end, which is excluded. */
static void uniform_without_its_end(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) {
            FA_SCOPE;
            const fa_dtype dtype[] = {FA_F16, FA_BF16, FA_F32};
            fa_tensor *x = fa_zeros(FA_SHAPE(300000), .dtype = dtype[i], .device = k ? DEVICE(0) : FA_CPU);
            fa_uniform_(x, .from = 1, .to = 2);
            assert_true(fa_item(fa_amax(x)) < 2 && fa_item(fa_amin(x)) >= 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(fillers_keep_their_distribution),
                                       TEST(trials),
                                       TEST(whole_numbers),
                                       TEST(poisson_numbers),
                                       TEST(normal_of_tensors),
                                       TEST(drawing_again),
                                       TEST(drawing_once),
                                       TEST(the_same_everywhere),
                                       TEST(filling_parts),
                                       TEST(uniform_without_its_end),
                                       TEST(wrong_arguments)};
    return RUN("distributions");
}
