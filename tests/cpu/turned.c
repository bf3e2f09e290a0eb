/* Operands that lie across the result: blocks of them are turned over. Plain loops over the elements say the same, for
 * sizes around a block's edges, for results that go past the caches, and for every size of an element. */
#include "support/api_test.h"
#include <stdlib.h>

static const fa_dtype dtypes[] = {FA_F32, FA_F64, FA_I32, FA_I64, FA_U8, FA_I16, FA_F16};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* Whole numbers, so that they are the same in each dtype. */
static fa_tensor *numbers(int64_t rows, int64_t columns, fa_dtype dtype)
{
    fa_tensor *places = fa_arange(0, (double)(rows * columns), .dtype = FA_I64);
    return fa_reshape(fa_to(fa_remainder(places, 101), dtype), FA_SHAPE(rows, columns));
}

static int64_t number(int64_t row, int64_t column, int64_t columns)
{
    return (row * columns + column) % 101;
}

/* y[r][c] is to be x[c][r] * factor, where x has `rows` columns. */
static void check(const fa_tensor *y, int64_t rows, int64_t columns, int64_t factor)
{
    assert_non_null(y);
    int64_t *value = malloc((size_t)(rows * columns) * sizeof *value);
    assert_non_null(value);
    assert_true(fa_read(y, value, FA_I64, rows * columns));
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++)
            if (value[r * columns + c] != factor * number(c, r, rows))
                fail_msg("%lld x %lld: element %lld, %lld is %lld", (long long)rows, (long long)columns, (long long)r,
                         (long long)c, (long long)value[r * columns + c]);
    free(value);
}

static void around_blocks(void **state)
{
    (void)state;
    static const int64_t sizes[] = {4, 15, 16, 17, 33, 64, 65, 100, 257, 320};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (int d = 0; d < DTYPES; d++)
        for (int i = 0; i < SIZES * SIZES; i++) {
            FA_SCOPE;
            int64_t rows = sizes[i / SIZES], columns = sizes[i % SIZES];
            fa_tensor *x = fa_t(numbers(columns, rows, dtypes[d]));
            check(fa_contiguous(x), rows, columns, 1);
            check(fa_add(x, fa_contiguous(x)), rows, columns, 2);
            check(fa_to(x, dtypes[(d + 1) % DTYPES]), rows, columns, 1);
        }
}

/* Larger than a quarter of any cache: with rows that begin lines of memory, with rows that do not, and in a part of a
 * larger tensor. */
static void past_the_caches(void **state)
{
    (void)state;
    static const int64_t shape[][2] = {{1040, 2100}, {2100, 1040}, {1041, 2099}};
    for (int d = 0; d < 2; d++)
        for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
            FA_SCOPE;
            int64_t rows = shape[i][0], columns = shape[i][1];
            fa_tensor *x = fa_t(numbers(columns, rows, dtypes[d])),
                      *wide = fa_zeros(FA_SHAPE(rows, columns + 3), .dtype = dtypes[d]);
            check(fa_contiguous(x), rows, columns, 1);
            fa_tensor *part = fa_narrow(wide, 1, 1, columns);
            fa_copy_(part, x);
            check(part, rows, columns, 1);
            assert_true(fa_item(fa_count_nonzero(fa_select(wide, 1, 0))) == 0);
            assert_true(fa_item(fa_count_nonzero(fa_select(wide, 1, columns + 1))) == 0);
        }
}

/* As large, and of another dtype than the operand. */
static void converted(void **state)
{
    (void)state;
    static const fa_dtype pair[][2] = {{FA_F32, FA_F64}, {FA_I32, FA_I64}, {FA_F16, FA_F64}, {FA_F64, FA_F32}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        FA_SCOPE;
        const int64_t rows = 2080, columns = 1024 + 16 * (int64_t)i;
        fa_tensor *x = fa_t(numbers(columns, rows, pair[i][0]));
        fa_tensor *y = fa_zeros(FA_SHAPE(rows, columns), .dtype = pair[i][1]);
        check(fa_copy_(y, x), rows, columns, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(around_blocks), TEST(past_the_caches), TEST(converted)};
    return RUN("turned");
}
