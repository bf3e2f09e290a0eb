/* The kernel of attention works on some rows of the scores at a time. It gives the bits of the same thing made of
 * products and softmax, at every edge of its blocks, forward and backward, and takes less memory. */
#include "support/autograd_test.h"
#include <math.h>

/* By operations that each see all scores. */
static fa_tensor *by_parts(const fa_tensor *q, const fa_tensor *k, const fa_tensor *v, const fa_tensor *mask,
                           double scale)
{
    fa_tensor *scores = fa_mul(fa_matmul(q, fa_transpose(k, -2, -1)), scale);
    if (mask)
        scores = fa_tensor_dtype(mask) == FA_BOOL ? fa_where(mask, scores, -INFINITY) : fa_add(scores, mask);
    return fa_matmul(fa_softmax(scores, -1), v);
}

typedef enum { PLAIN, CAUSAL, BOOLS, NUMBERS, KINDS } kind;

static fa_tensor *mask_of(kind which, int64_t rows, int64_t columns, fa_dtype dtype)
{
    fa_shape shape = FA_SHAPE(rows, columns);
    if (which == CAUSAL)
        return fa_tril(fa_ones(shape, .dtype = FA_BOOL));
    if (which == BOOLS) {
        fa_tensor *mask = fa_lt(fa_rand(shape), 0.7);
        fa_copy_(fa_select(mask, 1, 0), true);
        return mask;
    }
    return which == NUMBERS ? fa_randn(shape, .dtype = dtype) : NULL;
}

static void check(kind which, int64_t rows, int64_t columns, int64_t width, int64_t v_width, fa_dtype dtype)
{
    FA_SCOPE;
    fa_tensor *q = fa_transpose(fa_randn(FA_SHAPE(2, rows, 3, width), .dtype = dtype), 1, 2);
    fa_tensor *k = fa_randn(FA_SHAPE(2, 3, columns, width), .dtype = dtype);
    fa_tensor *v = fa_transpose(fa_randn(FA_SHAPE(2, columns, 3, v_width), .dtype = dtype), 1, 2);
    fa_set_requires_grad(q, true);
    fa_set_requires_grad(k, true);
    fa_set_requires_grad(v, true);
    fa_tensor *mask = mask_of(which, rows, columns, dtype);
    fa_tensor *y = fa_scaled_dot_product_attention(q, k, v, .mask = which == CAUSAL ? NULL : mask,
                                                   .causal = which == CAUSAL, .scale = 0.3);
    fa_tensor *want = by_parts(q, k, v, mask, 0.3);
    assert_true(same_tensors(y, want));
    fa_tensor *gy = fa_randn_like(y);
    fa_tensors g = fa_grad_of(FA_TENSORS(y), FA_TENSORS(q, k, v), .grad_outputs = FA_TENSORS(gy), .retain_graph = true);
    fa_tensors recorded =
        fa_grad_of(FA_TENSORS(y), FA_TENSORS(q, k, v), .grad_outputs = FA_TENSORS(gy), .create_graph = true);
    fa_tensors wanted = fa_grad_of(FA_TENSORS(want), FA_TENSORS(q, k, v), .grad_outputs = FA_TENSORS(gy));
    for (size_t i = 0; i < 3; i++) {
        assert_true(same_tensors(g.item[i], recorded.item[i]));
        assert_true(same_tensors(g.item[i], wanted.item[i]));
    }
    assert_int_equal(fa_failed(), 0);
}

static void blocks(void **state)
{
    (void)state;
    static const int64_t sizes[][4] = {{1, 1, 1, 1},      {5, 1, 3, 2},     {1, 40, 8, 8},    {15, 17, 16, 5},
                                       {84, 84, 64, 64},  {85, 83, 7, 33},  {169, 200, 4, 9}, {40, 1025, 16, 3},
                                       {90, 2100, 5, 17}, {200, 16, 32, 32}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (kind which = PLAIN; which < KINDS; which++)
            for (int d = 0; d < 2; d++)
                check(which, sizes[i][0], sizes[i][1], sizes[i][2], sizes[i][3], d ? FA_F64 : FA_F32);
}

/* A query that sees nothing gets 0, also as a gradient; keys it does not see may be anything. */
static void nothing_seen(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *q = fa_randn(FA_SHAPE(3, 4), .requires_grad = true), *k = fa_randn(FA_SHAPE(5, 4));
    fa_tensor *v = fa_randn(FA_SHAPE(5, 2), .requires_grad = true);
    fa_tensor *mask = fa_ones(FA_SHAPE(3, 5), .dtype = FA_BOOL);
    fa_copy_(fa_select(mask, 0, 1), false);
    fa_tensor *y = fa_scaled_dot_product_attention(q, k, v, .mask = mask);
    assert_true(fa_item(fa_amax(fa_abs(fa_select(y, 0, 1)))) == 0);
    assert_true(fa_item(fa_amin(fa_abs(fa_select(y, 0, 0)))) > 0);
    fa_backward(fa_sum(y));
    assert_true(fa_item(fa_amax(fa_abs(fa_select(fa_grad(q), 0, 1)))) == 0);
    assert_true(fa_item(fa_amax(fa_abs(fa_grad(q)))) < 100 && fa_item(fa_amin(fa_abs(fa_grad(v)))) > 0);
    fa_tensor *none = fa_scaled_dot_product_attention(q, fa_zeros(FA_SHAPE(0, 4)), fa_zeros(FA_SHAPE(0, 2)));
    assert_true(fa_item(fa_amax(fa_abs(none))) == 0);
}

/* Heads of k and v that serve several of q's; half precision is computed in f32. */
static void shared_heads(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *q = fa_randn(FA_SHAPE(2, 6, 10, 8)), *k = fa_randn(FA_SHAPE(2, 2, 12, 8)),
              *v = fa_randn(FA_SHAPE(2, 3, 12, 8));
    fa_tensor *y = fa_scaled_dot_product_attention(q, k, v, .enable_gqa = true);
    for (int64_t head = 0; head < 6; head++) {
        fa_tensor *one = fa_scaled_dot_product_attention(fa_select(q, 1, head), fa_select(k, 1, head / 3),
                                                         fa_select(v, 1, head / 2));
        assert_true(same_tensors(fa_select(y, 1, head), one));
    }
    fa_tensor *half = fa_to(q, FA_BF16), *wide = fa_to(half, FA_F32);
    assert_true(same_tensors(fa_scaled_dot_product_attention(half, half, half),
                             fa_to(fa_scaled_dot_product_attention(wide, wide, wide), FA_BF16)));
    assert_null(fa_scaled_dot_product_attention(q, k, v));
    fa_error_clear();
    assert_null(fa_scaled_dot_product_attention(q, q, q, .causal = true, .mask = fa_ones(FA_SHAPE(10, 10))));
    fa_error_clear();
}

/* A mask is refused with the shape that it needs, also where products would have broadcast the scores to it. */
static void masks_of_other_sizes(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *q = fa_randn(FA_SHAPE(2, 5, 8)), *one = fa_randn(FA_SHAPE(2, 1, 8));
    assert_null(fa_scaled_dot_product_attention(q, q, q, .mask = fa_ones(FA_SHAPE(6, 6), .dtype = FA_BOOL)));
    assert_non_null(strstr(fa_error_message(), "mask has to broadcast to (..., 5, 5), queries and keys"));
    fa_error_clear();
    assert_null(fa_scaled_dot_product_attention(one, q, q, .mask = fa_ones(FA_SHAPE(5, 5)), .dropout = 0.5));
    assert_non_null(strstr(fa_error_message(), "mask has to broadcast to (..., 1, 5)"));
    fa_error_clear();
    assert_non_null(fa_scaled_dot_product_attention(q, q, q, .mask = fa_ones(FA_SHAPE(5))));
    assert_non_null(fa_scaled_dot_product_attention(q, q, q, .mask = fa_ones(FA_SHAPE(2, 1, 5))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(blocks), TEST(nothing_seen), TEST(shared_heads),
                                       TEST(masks_of_other_sizes)};
    return cmocka_run_group_tests_name("attention", tests, NULL, NULL);
}
