/* Results that are larger than the caches go past them, piece by piece. The same operation on parts that stay in the
 * caches gives the same bits: for each kind of loop, with numbers in the place of tensors, in dtypes of each size,
 * where neither lines nor pieces begin or end with the tensor, and in place. */
#include "support/api_test.h"

enum { ELEMENTS = (36 << 20) / 4 + 77, PART = 12345 };

static fa_tensor *sum(fa_tensor *x, fa_tensor *y)
{
    return fa_add(x, y);
}

static fa_tensor *halves(fa_tensor *x, fa_tensor *y)
{
    (void)y;
    return fa_mul(x, 0.5);
}

static fa_tensor *difference_from_one(fa_tensor *x, fa_tensor *y)
{
    (void)x;
    return fa_sub(1, y);
}

static fa_tensor *powers(fa_tensor *x, fa_tensor *y)
{
    (void)y;
    return fa_exp(x);
}

static fa_tensor *gelu(fa_tensor *x, fa_tensor *y)
{
    (void)y;
    return fa_gelu(x);
}

static fa_tensor *between(fa_tensor *x, fa_tensor *y)
{
    return fa_where(fa_gt(x, y), x, 2);
}

static fa_tensor *several_steps(fa_tensor *x, fa_tensor *y)
{
    return fa_pointwise("x * sigmoid(1.702 * x) + y", x, y);
}

typedef fa_tensor *operation(fa_tensor *x, fa_tensor *y);

/* op(x, y) as a whole is what it is of each part. */
static void check_parts(operation *op, fa_tensor *x, fa_tensor *y)
{
    FA_SCOPE;
    const int64_t n = fa_size(x, 0);
    fa_tensor *whole = op(x, y);
    assert_non_null(whole);
    for (int64_t at = 0; at < n; at += PART) {
        FA_SCOPE;
        const int64_t count = n - at < PART ? n - at : PART;
        if (!fa_equal(fa_narrow(whole, 0, at, count), op(fa_narrow(x, 0, at, count), fa_narrow(y, 0, at, count))))
            fail_msg("elements %lld to %lld differ", (long long)at, (long long)(at + count));
    }
}

/* n elements that repeat after a prime number of them, `shift` elements behind the beginning of their memory */
static fa_tensor *operand(int64_t n, int shift, int period, fa_dtype dtype)
{
    fa_tensor *places = fa_arange(-shift, (double)n, .dtype = FA_I64);
    return fa_narrow(fa_to(fa_sub(fa_remainder(places, period), period / 3), dtype), 0, shift, n);
}

static void each_kind_of_loop(void **state)
{
    (void)state;
    FA_SCOPE;
    static operation *const op[] = {sum, halves, difference_from_one, powers, gelu, between, several_steps};
    fa_tensor *x = fa_mul(operand(ELEMENTS, 5, 1009, FA_F32), 0.01),
              *y = fa_mul(operand(ELEMENTS, 3, 499, FA_F32), 0.02);
    for (size_t i = 0; i < sizeof op / sizeof *op; i++)
        check_parts(op[i], x, y);
}

static void dtypes_of_each_size(void **state)
{
    (void)state;
    static const fa_dtype dtype[] = {FA_F64, FA_I64, FA_I32};
    for (size_t i = 0; i < sizeof dtype / sizeof *dtype; i++) {
        FA_SCOPE;
        const int64_t n = dtype[i] == FA_I32 ? ELEMENTS : ELEMENTS / 2 + 1;
        check_parts(sum, operand(n, 1, 1009, dtype[i]), operand(n, 0, 499, dtype[i]));
    }
}

static void into_given_memory(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = operand(ELEMENTS, 0, 1009, FA_F32), *y = operand(ELEMENTS, 2, 499, FA_F32);
    fa_tensor *expected = fa_add(x, y), *frame = fa_full(FA_SHAPE(ELEMENTS + 7), -1e6),
              *inside = fa_narrow(frame, 0, 3, ELEMENTS);
    fa_add(x, y, .out = inside);
    assert_true(fa_equal(inside, expected));
    assert_true(fa_item(fa_sum(fa_narrow(frame, 0, 0, 3))) == -3e6);
    assert_true(fa_item(fa_sum(fa_narrow(frame, 0, ELEMENTS + 3, 4))) == -4e6);
    fa_add_(x, y);
    assert_true(fa_equal(x, expected));
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(each_kind_of_loop), TEST(dtypes_of_each_size), TEST(into_given_memory)};
    return RUN("streamed");
}
