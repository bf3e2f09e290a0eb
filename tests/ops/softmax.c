/* Softmax of long rows on the CPU: the bits are those of its parts, and no memory as long as a row is taken. */
#include "backend/cpu/scratch.h"
#include "base/thread.h"

#include "support/autograd_test.h"

enum { MIB = 1 << 20 };

/* The longest row that is gone through as a whole, and rows in strips, also such as end within a block, in either order
 * of memory. Of the two rows one has what is not finite: infinities far apart, or a NaN at its end. */
static fa_tensor *rows_of(fa_dtype dtype, int64_t size, int dim, int what)
{
    fa_tensor *x = fa_mul(fa_randn(dim ? FA_SHAPE(2, size) : FA_SHAPE(size, 2), .dtype = dtype), 3);
    fa_tensor *row = fa_select(x, 1 - dim, 1);
    if (what == 1)
        fa_copy_(row, -INFINITY);
    if (what == 2)
        fa_copy_(fa_narrow(row, 0, 3, size - 6), -INFINITY);
    if (what == 3)
        fa_copy_(fa_narrow(row, 0, size - 1, 1), NAN);
    return x;
}

static void long_rows(void **state)
{
    (void)state;
    static const int64_t sizes[] = {262144, 262145, 4096 * 70, 1100000};
    static const fa_dtype dtypes[] = {FA_F32, FA_BF16, FA_F64, FA_F16};
    for (int i = 0; i < 4; i++)
        for (int d = 0; d < 4; d++)
            for (int dim = 0; dim < 2; dim++) {
                FA_SCOPE;
                fa_tensor *x = rows_of(dtypes[d], sizes[i], dim, (i + d) % 4);
                fa_tensor *wide = d % 2 ? fa_to(x, FA_F32) : x;
                fa_tensor *less = fa_sub(wide, fa_amax(wide, .dim = dim, .keepdim = true)), *powers = fa_exp(less);
                fa_tensor *sum = fa_sum(powers, .dim = dim, .keepdim = true);
                assert_true(same_tensors(fa_softmax(x, dim), fa_to(fa_mul(powers, fa_reciprocal(sum)), dtypes[d])));
                assert_true(same_tensors(fa_log_softmax(x, dim), fa_to(fa_sub(less, fa_log(sum)), dtypes[d])));
            }
}

static void long_rows_take_little_memory(void **state)
{
    (void)state;
    for (int d = 0; d < 2; d++) {
        fa_tensor *x = fa_rand(FA_SHAPE(8 * MIB), .dtype = d ? FA_BF16 : FA_F32);
        fa__cpu_scratch_release();
        assert_non_null(fa_softmax(x, 0));
        assert_non_null(fa_log_softmax(x, 0));
        assert_true(fa__self->scratch_size > 0 && fa__self->scratch_size < MIB);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(long_rows), TEST(long_rows_take_little_memory)};
    return cmocka_run_group_tests_name("softmax", tests, NULL, NULL);
}
