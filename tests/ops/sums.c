/* The fixed tree of sums (architecture, "Equal bits"): near the truth, and the same bits on every device, for any
 * number of threads and in any layout. */
#include "support/autograd_test.h"
#include <facula/host.h>
#include <facula/indexing.h>

static uint64_t bits(const fa_tensor *t)
{
    double v = fa_item(t);
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

static void ten_million_tenths(void **state)
{
    (void)state;
    double truth = 1e7 * (double)0.1f;
    fa_tensor *x = fa_full(FA_SHAPE(10000000), 0.1);
    assert_true(fabs(fa_item(fa_sum(x)) - truth) <= 1e-6 * truth);
    assert_true(fabs(fa_item(fa_mean(x)) - (double)0.1f) <= 1e-7);
}

/* One number of memory, seen 10^8 times. */
static void a_hundred_million_tenths(void **state)
{
    (void)state;
    double truth = 1e8 * (double)0.1f;
    const fa_device where[] = {FA_CPU, DEVICE(0)};
    for (size_t k = 0; k < sizeof where / sizeof where[0]; k++) {
        fa_tensor *x = fa_expand(fa_full(FA_SHAPE(1), 0.1, .device = where[k]), FA_SHAPE(100000000));
        assert_true(fabs(fa_item(fa_sum(x)) - truth) <= 1e-6 * truth);
        assert_true(fabs(fa_item(fa_nansum(x)) - truth) <= 1e-6 * truth);
        assert_true(fabs(fa_item(fa_norm(x, .p = 1)) - truth) <= 1e-6 * truth);
        assert_true(fabs(fa_item(fa_mean(x)) - (double)0.1f) <= 1e-7);
        const fa_tensor *product[] = {fa_dot(x, x), fa_inner(x, x), fa_einsum("i,i", FA_TENSORS(x, x)),
                                      fa_tensordot(x, x, .dims = 1)};
        for (size_t i = 0; i < sizeof product / sizeof product[0]; i++)
            assert_true(fabs(fa_item(product[i]) - truth * (double)0.1f) <= 1e-6 * truth * (double)0.1f);
        assert_true(fa_item(fa_sum(fa_expand(fa_full(FA_SHAPE(1), true), FA_SHAPE(100000000)))) == 1e8);
    }
}

/* Sums of all, of rows and of columns; also where blocks are cut. */
static void the_same_bits_everywhere(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 15, 16, 17, 1023, 1024, 1025, 4097, 100003};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        FA_SCOPE;
        int64_t n = sizes[k];
        fa_manual_seed((uint64_t)k);
        fa_tensor *x = fa_randn(FA_SHAPE(n, 3)), *t = fa_contiguous(fa_t(x));
        fa_tensor *all = fa_sum(x), *rows = fa_sum(x, .dim = 0);
        fa_tensor *gaps = fa_slice(fa_reshape(fa_cat(FA_TENSORS(x, x), .dim = 1), FA_SHAPE(n, 6)), 1, .end = 3);
        fa_tensor *back = fa_slice(fa_contiguous(fa_slice(x, 0, .step = -1)), 0, .step = -1);
        fa_tensor *others[] = {fa_t(t), gaps, back, fa_to(x, DEVICE(0)), fa_to(fa_t(t), DEVICE(1))};
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
            if (bits(fa_sum(others[i])) != bits(all))
                fail_msg("%lld elements, layout %zu: all", (long long)n, i);
            if (!same_tensors(fa_cpu(fa_sum(others[i], .dim = 0)), rows))
                fail_msg("%lld elements, layout %zu: columns", (long long)n, i);
        }
        fa_tensor *flat = fa_reshape(x, FA_SHAPE(-1)), *there = fa_to(flat, DEVICE(0));
        if (bits(fa_sum(flat)) != bits(all))
            fail_msg("%lld elements: flat", (long long)n);
        if (bits(fa_dot(flat, flat)) != bits(fa_dot(there, there)))
            fail_msg("%lld elements: products", (long long)n);
    }
}

static void the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    int before = fa_num_threads();
    uint64_t all = 0, gaps = 0;
    FA_VAR(rows, NULL);
    fa_manual_seed(5);
    fa_tensor *x = fa_randn(FA_SHAPE(1500, 1001));
    for (int threads = 1; threads <= 4; threads *= 2) {
        fa_set_num_threads(threads);
        fa_tensor *r = fa_sum(x, .dim = 0);
        if (threads == 1) {
            all = bits(fa_sum(x));
            gaps = bits(fa_sum(fa_get(x, ":, ::2")));
            fa_assign(&rows, r);
        }
        assert_true(bits(fa_sum(x)) == all);
        assert_true(bits(fa_sum(fa_get(x, ":, ::2"))) == gaps);
        assert_true(same_tensors(r, rows));
    }
    fa_set_num_threads(before);
}

/* Within half a step of the dtype, though the sum went through thousands of steps. */
/* Lines apart in memory, which are read there, give the bits of a dense copy. */
static void lines_apart(void **state)
{
    (void)state;
    const int64_t sizes[] = {127, 128, 1000, 1023, 1024, 1025, 2048, 5000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        FA_SCOPE;
        fa_tensor *x = fa_randn(FA_SHAPE(5, 3, sizes[i])), *channels = fa_contiguous(fa_transpose(x, 0, 1));
        fa_tensor *wide = fa_randn(FA_SHAPE(7, sizes[i] + 3)), *part = fa_narrow(wide, 1, 1, sizes[i]);
        assert_true(
            same_tensors(fa_sum(x, .dim = FA_DIMS(0, 2)), fa_sum(fa_reshape(channels, FA_SHAPE(3, -1)), .dim = 1)));
        assert_true(same_tensors(fa_amax(x, .dim = FA_DIMS(0, 2)), fa_amax(channels, .dim = FA_DIMS(1, 2))));
        assert_true(same_tensors(fa_sum(part, .dim = 1), fa_sum(fa_contiguous(part), .dim = 1)));
        assert_true(same_tensors(fa_sum(part), fa_sum(fa_contiguous(part))));
    }
}

static void hold(const fa_tensor *sum, double truth, const char *what, fa_dtype dtype)
{
    double step = dtype == FA_BF16 ? 0x1p-8 : 0x1p-11, have = fa_item(fa_select(fa_flatten(sum), 0, 0));
    if (!(fabs(have - truth) <= step * truth))
        fail_msg("%s: %g, and not %g", what, have, truth);
}

enum { TERMS = 3000 };

/* What comes to one place is added in f32 and rounded once, whichever operation brings it there. */
static void halves_by_index(void **state)
{
    (void)state;
    const fa_dtype halves[] = {FA_F16, FA_BF16};
    for (int k = 0; k < 4; k++) {
        FA_SCOPE;
        FA_USE(.device = k < 2 ? FA_CPU : DEVICE(0));
        const fa_dtype d = halves[k % 2];
        fa_tensor *x = fa_full(FA_SHAPE(TERMS), 0.1, .dtype = d), *to = fa_zeros(FA_SHAPE(TERMS), .dtype = FA_I64);
        fa_tensor *rows = fa_full(FA_SHAPE(TERMS, 4), 0.1, .dtype = d), *zero = fa_zeros(FA_SHAPE(2), .dtype = d);
        fa_tensor *grid = fa_zeros(FA_SHAPE(2, 4), .dtype = d), *columns = fa_t(grid);
        double term = fa_item(fa_select(x, 0, 0)), sum = TERMS * term;
        hold(fa_scatter_add(zero, 0, to, x), sum, "scatter_add", d);
        hold(fa_scatter_add_(fa_clone(zero), 0, to, x), sum, "scatter_add_", d);
        hold(fa_index_add(grid, 0, to, rows), sum, "index_add", d);
        hold(fa_index_add_(fa_t(fa_clone(columns)), 0, to, rows), sum, "index_add_ of columns", d);
        hold(fa_put(grid, to, x, .accumulate = true), sum, "put", d);
        hold(fa_index_put(grid, FA_INDEX(to), rows, .accumulate = true), sum, "index_put", d);
        hold(fa_scatter_reduce(zero, 0, to, x, "mean", .include_self = false), term, "scatter_reduce, mean", d);
        double power = pow(fa_item(fa_full(FA_SCALAR, 1.01, .dtype = d)), 500);
        fa_tensor *factors = fa_full(FA_SHAPE(500), 1.01, .dtype = d), *one = fa_ones(FA_SHAPE(2), .dtype = d);
        hold(fa_scatter_reduce(one, 0, fa_zeros(FA_SHAPE(500), .dtype = FA_I64), factors, "prod"), power, "prod", d);
        fa_tensor *table = fa_zeros(FA_SHAPE(2, 4), .dtype = d, .requires_grad = true);
        fa_tensor *line = fa_zeros(FA_SHAPE(2), .dtype = d, .requires_grad = true);
        const fa_tensor *fetched[] = {fa_embedding(to, table), fa_index_select(table, 0, to), fa_index(table, to),
                                      fa_gather(line, 0, to), fa_take(line, to)};
        for (size_t i = 0; i < sizeof fetched / sizeof fetched[0]; i++) {
            fa_tensors y = FA_TENSORS((fa_tensor *)fetched[i]), of = FA_TENSORS(i < 3 ? table : line);
            fa_tensors ones = FA_TENSORS(fa_ones_like(fetched[i]));
            hold(fa_grad_of(y, of, .grad_outputs = ones).item[0], TERMS, "a gradient", d);
        }
    }
}

/* What is written into memory that is there takes none that stays, though f32 or the narrower dtype comes in between.
 */
static void in_place_and_out_keep_no_memory(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        FA_SCOPE;
        FA_USE(.device = k ? DEVICE(0) : FA_CPU);
        enum { N = 10000 };
        fa_tensor *sum = fa_zeros(FA_SHAPE(N), .dtype = FA_F16), *to = fa_arange(0, N), *one = fa_ones_like(sum);
        fa_tensor *byte = fa_full(FA_SHAPE(N), 200, .dtype = FA_U8), *out = fa_zeros(FA_SHAPE(N));
        size_t before = fa_memory_stats(fa_device_current()).allocated;
        for (int i = 0; i < 3; i++) {
            fa_scatter_add_(sum, 0, to, one);
            fa_add(byte, byte, .out = out);
        }
        assert_int_equal(fa_memory_stats(fa_device_current()).allocated, before);
        assert_true(fa_item(fa_amin(sum)) == 3 && fa_item(fa_amax(out)) == 144);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lines_apart),
        TEST(ten_million_tenths),
        TEST(a_hundred_million_tenths),
        TEST(the_same_bits_everywhere),
        TEST(halves_by_index),
        TEST(in_place_and_out_keep_no_memory),
        TEST(the_same_bits_for_any_number_of_threads),
    };
    return RUN("semantics_sums");
}
