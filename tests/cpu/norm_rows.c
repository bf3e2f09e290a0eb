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
    assert_true(fa_same(y, want));
    fa_tensor *gy = fa_randn_like(y);
    fa_tensors at = weights ? FA_TENSORS(x, weight, bias) : FA_TENSORS(x), from = FA_TENSORS(y), by = FA_TENSORS(gy);
    fa_tensors g = fa_grad_of(from, at, .grad_outputs = by, .retain_graph = true);
    fa_tensors recorded = fa_grad_of(from, at, .grad_outputs = by, .create_graph = true);
    for (size_t i = 0; i < at.count; i++)
        assert_true(fa_same(g.item[i], recorded.item[i]));
    fa_tensors scattered_g = fa_grad_of(FA_TENSORS(want), FA_TENSORS(other), .grad_outputs = by);
    assert_true(fa_same(g.item[0], scattered_g.item[0]));
    assert_int_equal(fa_failed(), 0);
}

static void norms(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{3, 4, 16},   {2, 4, 17},   {3, 4, 1023}, {2, 4, 1024}, {9, 2, 1025},
                                       {40, 2, 100}, {3, 2, 5000}, {5, 2, 340},  {200, 4, 20}, {2, 2, 40000},
                                       {3, 4, 1},    {33, 2, 15},  {1, 70, 700}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (norm which = LAYER; which < NORMS; which++)
            for (int k = 0; k < 4; k++)
                if (sizes[i][2] > 1 || which == LAYERS || which == BATCH)
                    check_norm(which, sizes[i][0], sizes[i][1], sizes[i][2], k % 2 ? FA_F64 : FA_F32, k / 2);
}

/* Rows whose elements are close together take a shorter way than others. */
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
                fa_tensor *less = fa_sub(x, fa_amax(x, .dim = 1, .keepdim = true)), *powers = fa_exp(less);
                fa_tensor *sum = fa_sum(powers, .dim = 1, .keepdim = true);
                assert_true(fa_same(fa_softmax(x, 1), fa_mul(powers, fa_reciprocal(sum))));
                assert_true(fa_same(fa_log_softmax(x, 1), fa_sub(less, fa_log(sum))));
                assert_int_equal(fa_failed(), 0);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(norms), TEST(softmax_rows)};
    return cmocka_run_group_tests_name("norm_rows", tests, NULL, NULL);
}
