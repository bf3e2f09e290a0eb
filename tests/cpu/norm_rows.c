/* Norms and softmax of rows in memory have kernels of their own. They give the bits of the same operations on other
 * layouts, which are computed by expressions and reductions, and backward those of backward that is recorded. */
#include "support/autograd_test.h"

/* The same elements in memory that is ordered otherwise. */
static fa_tensor *scattered(const fa_tensor *x)
{
    return fa_transpose(fa_contiguous(fa_transpose(x, 0, 2)), 0, 2);
}

typedef enum { LAYER, LAYERS, GROUP, INSTANCE, BATCH, NORMS } norm;

static fa_tensor *normalized(norm which, const fa_tensor *x, const fa_tensor *weight, const fa_tensor *bias)
{
    int64_t c = fa_tensor_shape(x).dim[1], n = fa_tensor_shape(x).dim[2];
    switch (which) {
    case LAYER:
        return fa_layer_norm(x, FA_SHAPE(n), .weight = weight, .bias = bias);
    case LAYERS:
        return fa_layer_norm(x, FA_SHAPE(c, n), .weight = weight, .bias = bias);
    case GROUP:
        return fa_group_norm(x, 2, .weight = weight, .bias = bias);
    case INSTANCE:
        return fa_instance_norm(x, .weight = weight, .bias = bias);
    default:
        return fa_batch_norm(x, .weight = weight, .bias = bias, .training = true);
    }
}

static fa_tensor *weight_of(norm which, int64_t c, int64_t n, fa_dtype dtype)
{
    fa_shape shape = which == LAYER ? FA_SHAPE(n) : which == LAYERS ? FA_SHAPE(c, n) : FA_SHAPE(c);
    return fa_rand(shape, .dtype = dtype, .requires_grad = true);
}

static void check_norm(norm which, int64_t batch, int64_t c, int64_t n, fa_dtype dtype, bool weights)
{
    FA_SCOPE;
    fa_tensor *x = fa_add(fa_randn(FA_SHAPE(batch, c, n), .dtype = dtype), 3), *other = scattered(x);
    fa_tensor *weight = weights ? weight_of(which, c, n, dtype) : NULL,
              *bias = weights ? weight_of(which, c, n, dtype) : NULL;
    fa_set_requires_grad(x, true);
    fa_set_requires_grad(other, true);
    fa_tensor *y = normalized(which, x, weight, bias), *want = normalized(which, other, weight, bias);
    assert_true(same_tensors(y, want));
    fa_tensor *gy = fa_randn_like(y);
    fa_tensors at = weights ? FA_TENSORS(x, weight, bias) : FA_TENSORS(x), from = FA_TENSORS(y), by = FA_TENSORS(gy);
    fa_tensors g = fa_grad_of(from, at, .grad_outputs = by, .retain_graph = true);
    fa_tensors recorded = fa_grad_of(from, at, .grad_outputs = by, .create_graph = true);
    for (size_t i = 0; i < at.count; i++)
        assert_true(same_tensors(g.item[i], recorded.item[i]));
    fa_tensors scattered_g = fa_grad_of(FA_TENSORS(want), FA_TENSORS(other), .grad_outputs = by);
    assert_true(same_tensors(g.item[0], scattered_g.item[0]));
    assert_int_equal(fa_failed(), 0);
}

static void norms(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{3, 4, 16},   {2, 4, 17},   {3, 4, 1023}, {2, 4, 1024}, {9, 2, 1025},
                                       {40, 2, 100}, {3, 2, 5000}, {5, 2, 340},  {200, 4, 20}, {2, 2, 40000},
                                       {3, 4, 1},    {33, 2, 15},  {1, 70, 700}, {1030, 2, 5}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (norm which = LAYER; which < NORMS; which++)
            for (int k = 0; k < 4; k++)
                if (sizes[i][2] > 1 || which == LAYERS || which == BATCH)
                    check_norm(which, sizes[i][0], sizes[i][1], sizes[i][2], k % 2 ? FA_F64 : FA_F32, k / 2);
}

/* Results that are larger than the caches go past them, also those of rows that begin anywhere in a line. */
static void large_norms(void **state)
{
    (void)state;
    for (int weights = 0; weights < 2; weights++)
        check_norm(LAYER, 2, 2100, 1025, FA_F32, weights);
    check_norm(BATCH, 33, 16, 8200, FA_F32, true);
}

/* Sums over rows are the same for any number of threads: of less rows than chains, of one block, of several. */
static void threads(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{1, 3000}, {7, 1030}, {100, 300}, {1024, 64}, {1025, 64}, {5000, 20}};
    const int before = fa_num_threads();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        FA_SCOPE;
        const int64_t rows = sizes[i][0], n = sizes[i][1];
        fa_tensor *x = fa_randn(FA_SHAPE(rows, n), .requires_grad = true);
        fa_tensor *weight = fa_rand(FA_SHAPE(n), .requires_grad = true);
        fa_tensor *bias = fa_rand(FA_SHAPE(n), .requires_grad = true);
        fa_tensor *y = fa_layer_norm(x, FA_SHAPE(n), .weight = weight, .bias = bias), *gy = fa_randn_like(y);
        fa_tensors want = {0};
        for (int count = 1; count <= 5; count++) {
            fa_set_num_threads(count);
            fa_tensors g = fa_grad_of(FA_TENSORS(y), FA_TENSORS(x, weight, bias), .grad_outputs = FA_TENSORS(gy),
                                      .retain_graph = true);
            want = count == 1 ? g : want;
            for (size_t k = 0; k < g.count; k++)
                assert_true(same_tensors(g.item[k], want.item[k]));
        }
        assert_int_equal(fa_failed(), 0);
    }
    fa_set_num_threads(before);
}

static void check_softmax(const fa_tensor *x)
{
    fa_tensor *less = fa_sub(x, fa_amax(x, .dim = 1, .keepdim = true)), *powers = fa_exp(less);
    fa_tensor *sum = fa_sum(powers, .dim = 1, .keepdim = true);
    assert_true(same_tensors(fa_softmax(x, 1), fa_mul(powers, fa_reciprocal(sum))));
    assert_true(same_tensors(fa_log_softmax(x, 1), fa_sub(less, fa_log(sum))));
    assert_int_equal(fa_failed(), 0);
}

/* Rows whose elements are close together take a shorter way than others, and those with a NaN anywhere a longer one. */
static void softmax_rows(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 5, 15, 16, 17, 100, 1023, 1024, 1025, 3000};
    static const double scales[] = {1, 20, 60, 1e4};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int s = 0; s < 4; s++)
            for (int d = 0; d < 2; d++) {
                FA_SCOPE;
                fa_dtype dtype = d ? FA_F64 : FA_F32;
                fa_tensor *x = fa_mul(fa_randn(FA_SHAPE(37, sizes[i]), .dtype = dtype), scales[s]);
                fa_copy_(fa_narrow(fa_select(x, 0, 3), 0, 0, sizes[i] / 2), -INFINITY);
                for (int64_t row = 5; row < 30; row++)
                    fa_copy_(fa_narrow(fa_select(x, 0, row), 0, sizes[i] * (row - 5) / 25, 1), NAN);
                check_softmax(x);
            }
}

static void large_softmax(void **state)
{
    (void)state;
    check_softmax(fa_randn(FA_SHAPE(4200, 1025)));
    check_softmax(fa_randn(FA_SHAPE(70, 70000), .dtype = FA_F64));
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(norms), TEST(large_norms), TEST(threads), TEST(softmax_rows),
                                       TEST(large_softmax)};
    return cmocka_run_group_tests_name("norm_rows", tests, NULL, NULL);
}
