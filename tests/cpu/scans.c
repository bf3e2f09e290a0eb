/* Scans: the order of backend/scan.h, written down once more as plainly as can be, gives the same bits as the kernels
 * of all devices, in any layout and for any number of threads; and values near the truth. */
#include "backend/scan.h"
#include "internal.h"
#include "support/autograd_test.h"
#include <facula/host.h>

/* One number or two, as fa__scan_kind says. */
typedef struct state {
    float a, b;
} state;
typedef state join(state x, state y);

static state add(state x, state y)
{
    return (state){x.a + y.a, 0};
}

static state multiply(state x, state y)
{
    return (state){x.a * y.a, 0};
}

static state linear(state x, state y)
{
    float product = y.a * x.b;
    return (state){x.a * y.a, product + y.b};
}

/* s becomes its scan. */
static void scan(state *s, int64_t n, join *joined)
{
    int64_t runs = (n + FA__SCAN_RUN - 1) / FA__SCAN_RUN;
    state *ends = malloc((size_t)(runs + 1) * sizeof *ends);
    assert_non_null(ends);
    for (int64_t i = 0; i < n; i++)
        if (i % FA__SCAN_RUN)
            s[i] = joined(s[i - 1], s[i]);
    for (int64_t r = 0; r + 1 < runs; r++)
        ends[r] = s[(r + 1) * FA__SCAN_RUN - 1];
    if (runs > 1)
        scan(ends, runs - 1, joined);
    for (int64_t i = FA__SCAN_RUN; i < n; i++)
        s[i] = joined(ends[i / FA__SCAN_RUN - 1], s[i]);
    free(ends);
}

/* The columns of two contiguous n x columns matrices; `second`: the result is the state's other number. */
static fa_tensor *by_hand(fa_tensor *x, fa_tensor *y, join *joined, bool second)
{
    int64_t n = fa_size(x, 0), columns = fa_size(x, 1);
    fa_tensor *out = fa_empty_like(x);
    const float *a = fa_ptr(x, FA_F32), *b = fa_ptr(y, FA_F32);
    float *to = fa_ptr(out, FA_F32);
    state *s = malloc((size_t)n * sizeof *s);
    assert_non_null(s);
    for (int64_t c = 0; c < columns; c++) {
        for (int64_t i = 0; i < n; i++)
            s[i] = (state){a[i * columns + c], b[i * columns + c]};
        scan(s, n, joined);
        for (int64_t i = 0; i < n; i++)
            to[i * columns + c] = second ? s[i].b : s[i].a;
    }
    free(s);
    return out;
}

static void hold(const fa_tensor *have, const fa_tensor *want, const char *what, int64_t n)
{
    if (!have || !same_tensors(fa_cpu(have), want))
        fail_msg("%s of %lld: %s", what, (long long)n, fa_error_message());
}

static const int64_t sizes[] = {1, 31, 32, 33, 64, 1023, 1024, 1025, 1057, 33000};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void the_order_is_as_it_is_written_down(void **state_)
{
    (void)state_;
    for (size_t k = 0; k < SIZES; k++) {
        FA_SCOPE;
        int64_t n = sizes[k];
        fa_manual_seed((uint64_t)k);
        fa_tensor *x = fa_randn(FA_SHAPE(n, 3)), *y = fa_randn(FA_SHAPE(n, 3)), *f = fa_add(fa_mul(x, 0.01), 1);
        fa_tensor *sum = by_hand(x, x, add, false), *product = by_hand(f, f, multiply, false);
        fa_tensor *mixed = by_hand(f, y, linear, true);
        const fa_device where[] = {FA_CPU, DEVICE(0), DEVICE(1)};
        for (size_t i = 0; i < sizeof where / sizeof where[0]; i++) {
            fa_tensor *xd = fa_to(x, where[i]), *fd = fa_to(f, where[i]), *yd = fa_to(y, where[i]);
            hold(fa_cumsum(xd, 0), sum, "cumsum", n);
            hold(fa_cumprod(fd, 0), product, "cumprod", n);
            hold(fa__linear_scan(fd, yd, 0), mixed, "linear_scan", n);
            fa_tensor *rows = fa_contiguous(fa_t(xd));
            hold(fa_t(fa_cumsum(rows, 1)), sum, "cumsum of rows", n);
            hold(fa_cumsum(fa_t(rows), 0), sum, "cumsum of turned rows", n);
            fa_tensor *back = fa_flip(fa_contiguous(fa_flip(xd)));
            hold(fa_cumsum(back, 0), sum, "cumsum of negative strides", n);
            fa_tensor *pairs = fa_reshape(fa_cat(FA_TENSORS(xd, xd), .dim = 1), FA_SHAPE(n, 2, 3));
            hold(fa_select(fa_cumsum(pairs, 0), 1, 1), sum, "cumsum with two dimensions of lines", n);
            fa_tensor *wide = fa_cat(FA_TENSORS(xd, fa_expand(fa_narrow(xd, 1, 0, 1), FA_SHAPE(n, 70))), .dim = 1);
            hold(fa_narrow(fa_cumsum(wide, 0), 1, 0, 3), sum, "cumsum of many columns", n);
        }
    }
}

static void the_largest_and_sums_of_integers_are_exact(void **state_)
{
    (void)state_;
    fa_manual_seed(3);
    fa_tensor *x = fa_to(fa_mul(fa_randn(FA_SHAPE(2, 5000)), 50), FA_I16);
    int64_t sum = 0;
    int16_t top = 0;
    const int16_t *at = fa_ptr(x, FA_I16);
    const fa_device where[] = {FA_CPU, DEVICE(0), DEVICE(1)};
    for (size_t k = 0; k < sizeof where / sizeof where[0]; k++) {
        fa_tensor *s = fa_cpu(fa_cumsum(fa_to(x, where[k]), 1));
        fa_cummax_result m = fa_cummax(fa_to(x, where[k]), 1);
        fa_tensor *values = fa_cpu(m.values), *indices = fa_cpu(m.indices);
        assert_true(s && values && indices && fa_tensor_dtype(s) == FA_I64);
        int64_t last = 0;
        for (int64_t i = 0; i < 10000; i++) {
            bool first = i % 5000 == 0;
            sum = first ? at[i] : sum + at[i];
            last = first || at[i] >= top ? i % 5000 : last;
            top = first || at[i] > top ? at[i] : top;
            assert_int_equal(((int64_t *)fa_ptr(s, FA_I64))[i], sum);
            assert_int_equal(((int16_t *)fa_ptr(values, FA_I16))[i], top);
            assert_int_equal(((int64_t *)fa_ptr(indices, FA_I64))[i], last);
        }
    }
}

/* Whether m is the cummax (sign 1) or cummin (-1) of a 2-dim f32 x along dimension 0, element by element. */
static bool is_best_so_far(const fa_tensor *values, const fa_tensor *indices, const fa_tensor *x, float sign)
{
    const float *v = fa_ptr(fa_contiguous(fa_cpu(values)), FA_F32), *e = fa_ptr(fa_contiguous(fa_cpu(x)), FA_F32);
    const int64_t *at = fa_ptr(fa_contiguous(fa_cpu(indices)), FA_I64), n = fa_size(x, 0), columns = fa_size(x, 1);
    assert_true(v && at && e);
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = 0, best = 0; i < n; i++) {
            float here = e[i * columns + c], top = e[best * columns + c];
            best = isnan(here) || sign * here >= sign * top ? i : best;
            top = e[best * columns + c];
            if (at[i * columns + c] != best || memcmp(&v[i * columns + c], &top, sizeof top) != 0)
                return false;
        }
    return true;
}

static void the_best_so_far_and_its_place(void **state_)
{
    (void)state_;
    const int64_t lengths[] = {1, 2, 31, 32, 33, 100}, lines[] = {1, 3, 4, 63, 64, 65, 300};
    const fa_device where[] = {FA_CPU, DEVICE(0), DEVICE(1)};
    fa_manual_seed(7);
    for (int64_t i = 0; i < 6 * 7 * 3; i++) {
        FA_SCOPE;
        const fa_shape shape = FA_SHAPE(lengths[i % 6], lines[i / 6 % 7]);
        /* equal elements, zeros of both signs, and NaN in some lines */
        fa_tensor *x = fa_mul(fa_floor(fa_mul(fa_randn(shape), 2)), fa_sign(fa_randn(shape)));
        x = fa_where(fa_lt(fa_rand(shape), 0.004), NAN, x);
        x = fa_to(x, where[i / 42]);
        fa_tensor *turned = fa_t(fa_contiguous(fa_t(x)));
        fa_tensor *apart = fa_select(fa_stack(FA_TENSORS(x, x), .dim = 2), 2, 1), *back = fa_flip(fa_flip(x));
        const fa_tensor *layout[] = {x, turned, apart, back};
        for (size_t k = 0; k < 4; k++) {
            fa_cummax_result most = fa_cummax(layout[k], 0);
            fa_cummin_result least = fa_cummin(layout[k], 0);
            assert_true(is_best_so_far(most.values, most.indices, x, 1));
            assert_true(is_best_so_far(least.values, least.indices, x, -1));
            most = fa_cummax(fa_t(layout[k]), 1);
            assert_true(is_best_so_far(fa_t(most.values), fa_t(most.indices), x, 1));
        }
    }
}

static void long_sums_stay_near_the_truth(void **state_)
{
    (void)state_;
    fa_tensor *x = fa_expand(fa_tensor_of(0.1), FA_SHAPE(3000000));
    const float *at = fa_ptr(fa_cumsum(x, 0), FA_F32);
    fa_tensor *logs = fa_logcumsumexp(fa_expand(fa_tensor_of(-200.0), FA_SHAPE(100000)), 0);
    assert_non_null(at);
    for (int64_t i = 0; i < 3000000; i += 997)
        assert_true(fabs(at[i] - (double)0.1f * (double)(i + 1)) <= 2e-6 * (double)(i + 1) * 0.1);
    for (int64_t i = 0; i < 100000; i += 991)
        assert_true(fabs(fa_item(fa_select(logs, 0, i)) - (log((double)(i + 1)) - 200)) <= 2e-5);
    assert_false(fa_failed());
}

static void the_same_bits_for_any_number_of_threads(void **state_)
{
    (void)state_;
    int before = fa_num_threads();
    fa_manual_seed(5);
    fa_tensor *x = fa_randn(FA_SHAPE(900, 1001)), *down = NULL, *along = NULL, *all = NULL;
    for (int threads = 1; threads <= 4; threads *= 2) {
        fa_set_num_threads(threads);
        fa_tensor *d = fa_cumsum(x, 0), *a = fa_logcumsumexp(x, 1), *l = fa_cumsum(fa_reshape(x, FA_SHAPE(-1)), 0);
        down = down ? down : d;
        along = along ? along : a;
        all = all ? all : l;
        assert_true(same_tensors(d, down) && same_tensors(a, along) && same_tensors(l, all));
    }
    fa_set_num_threads(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_order_is_as_it_is_written_down),      TEST(the_largest_and_sums_of_integers_are_exact),
        TEST(the_best_so_far_and_its_place),           TEST(long_sums_stay_near_the_truth),
        TEST(the_same_bits_for_any_number_of_threads),
    };
    return RUN("scans");
}
