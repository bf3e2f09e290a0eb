/* Products of given ranks, sums with products, powers, chains and blocks: what samples do not say of them. Values and
 * gradients are held against PyTorch in golden.c. */
#include "base/alloc.h"
#include "support/autograd_test.h"

static fa_tensor *count_up(fa_shape shape)
{
    int64_t n = 1;
    for (int i = 0; i < shape.rank; i++)
        n *= shape.dim[i];
    return fa_reshape(fa_arange(1, (double)n + 1, .dtype = FA_F64), shape);
}

#define REFUSED(call, code, ...)                                                                                       \
    do {                                                                                                               \
        assert_null(call);                                                                                             \
        FAILS(code, __VA_ARGS__);                                                                                      \
    } while (0)

/* beta 0: input does not count, whatever is in it; but it has to be of a shape and dtype that would do. */
static void input_without_weight(void **state)
{
    (void)state;
    fa_tensor *nan = fa_full(FA_SHAPE(2, 2), NAN, .dtype = FA_F64), *m = count_up(FA_SHAPE(2, 2)), *v = LEAF(1, -1);
    fa_tensor *batch = fa_unsqueeze(m, 0), *nans = fa_unsqueeze(nan, 0), *row = fa_select(nan, 0, 0);
    HOLD(fa_addmm(nan, m, m, .beta = 0), 7, 10, 15, 22);
    HOLD(fa_addmm(nan, m, m), NAN, NAN, NAN, NAN);
    HOLD(fa_addmv(row, m, v, .beta = 0, .alpha = 2), -2, -2);
    HOLD(fa_addr(nan, v, v, .beta = 0), 1, -1, -1, 1);
    HOLD(fa_baddbmm(nans, batch, batch, .beta = 0), 7, 10, 15, 22);
    HOLD(fa_addbmm(nan, batch, batch, .beta = 0, .alpha = -1), -7, -10, -15, -22);
    REFUSED(fa_addmm(fa_ones(FA_SHAPE(3), .dtype = FA_F64), m, m, .beta = 0), FA_ERROR_SHAPE, "fa_addmm(input=(3,)",
            "broadcast");
    REFUSED(fa_addmm(fa_ones(FA_SHAPE(2, 2)), m, m, .beta = 0), FA_ERROR_DTYPE, "fa_addmm(", "f32", "f64");
}

static void factors(void **state)
{
    (void)state;
    fa_tensor *m = count_up(FA_SHAPE(2, 2)), *i = fa_to(m, FA_I32);
    HOLD(fa_addmm(m, m, m, .beta = 0.5, .alpha = -1.5), -10, -14, -21, -31);
    HOLD(fa_addmm(i, i, i, .beta = -2, .alpha = 3), 19, 26, 39, 58);
    assert_int_equal(fa_tensor_dtype(fa_addmm(i, i, i, .beta = -2, .alpha = 3)), FA_I32);
    REFUSED(fa_addmm(i, i, i, .beta = 0.5), FA_ERROR_ARGUMENT, "fa_addmm(", "beta is 0.5");
    REFUSED(fa_addmm(i, i, i, .alpha = NAN), FA_ERROR_ARGUMENT, "fa_addmm(", "alpha");
    REFUSED(fa_addmm(i, i, i, .alpha = 1e300), FA_ERROR_ARGUMENT, "fa_addmm(", "alpha");
    HOLD(fa_addmm(fa_tensor_of(1.0, 2.0), fa_ones(FA_SHAPE(1, 0)), fa_ones(FA_SHAPE(0, 2)), .alpha = INFINITY), NAN,
         NAN);
}

static void ranks(void **state)
{
    (void)state;
    fa_tensor *m = count_up(FA_SHAPE(2, 2)), *v = fa_select(m, 0, 0), *b = fa_unsqueeze(m, 0);
    REFUSED(fa_mm(m, v), FA_ERROR_SHAPE, "fa_mm(a=(2, 2)", "the second a matrix");
    REFUSED(fa_bmm(b, fa_expand(b, FA_SHAPE(2, 2, 2))), FA_ERROR_SHAPE, "fa_bmm(", "1 matrices in a and 2 in b");
    REFUSED(fa_bmm(b, m), FA_ERROR_SHAPE, "fa_bmm(", "a batch of matrices");
    REFUSED(fa_mv(v, v), FA_ERROR_SHAPE, "fa_mv(");
    REFUSED(fa_dot(v, m), FA_ERROR_SHAPE, "fa_dot(");
    REFUSED(fa_dot(v, fa_ones(FA_SHAPE(3), .dtype = FA_F64)), FA_ERROR_SHAPE, "fa_dot(");
    REFUSED(fa_outer(v, m), FA_ERROR_SHAPE, "fa_outer(");
    REFUSED(fa_trace(v), FA_ERROR_SHAPE, "fa_trace(x=(2,)");
    REFUSED(fa_inner(m, fa_ones(FA_SHAPE(3), .dtype = fa_tensor_dtype(m))), FA_ERROR_SHAPE, "fa_inner(",
            "different sizes");
    fa_tensor *one = fa_ones(FA_SCALAR, .dtype = FA_I64), *yes = fa_ones(FA_SHAPE(2), .dtype = FA_BOOL);
    REFUSED(fa_inner(m, one), FA_ERROR_DTYPE, "fa_inner(", "matrix products do not promote", "fa_to converts");
    REFUSED(fa_inner(yes, fa_select(yes, 0, 0)), FA_ERROR_DTYPE, "fa_inner(", "no product of bool");
    REFUSED(fa_tensordot(m, one, .dims = 0), FA_ERROR_DTYPE, "fa_tensordot(", "matrix products do not promote");
    REFUSED(fa_tensordot(yes, yes, .dims = 0), FA_ERROR_DTYPE, "fa_tensordot(", "no product of bool");
    REFUSED(fa_mm(m, fa_to(m, FA_F32)), FA_ERROR_DTYPE, "fa_mm(");
    REFUSED(fa_cross(m, m), FA_ERROR_SHAPE, "fa_cross(", "3 entries along dimension 1");
    REFUSED(fa_cross(m, m, .dim = 2), FA_ERROR_INDEX, "fa_cross(");
    REFUSED(fa_cross(fa_ones(FA_SHAPE(3)), fa_ones(FA_SHAPE(2, 3))), FA_ERROR_SHAPE, "fa_cross(");
    REFUSED(fa_addbmm(m, b, m), FA_ERROR_SHAPE, "fa_addbmm(");
    fa_tensor *huge = fa_expand(fa_select(v, 0, 0), FA_SHAPE(INT64_C(1) << 40));
    REFUSED(fa_outer(huge, huge), FA_ERROR_SHAPE, "fa_outer(");
    REFUSED(fa_kron(huge, huge), FA_ERROR_SHAPE, "fa_kron(");
}

static void sums_over_dimensions(void **state)
{
    (void)state;
    fa_tensor *a = count_up(FA_SHAPE(2, 3, 4)), *b = count_up(FA_SHAPE(4, 3));
    fa_tensor *y = fa_tensordot_at(a, b, FA_SHAPE(1, -1), FA_SHAPE(1, 0));
    HOLD(y, 584, 1520);
    REFUSED(fa_tensordot(a, b), FA_ERROR_SHAPE, "fa_tensordot(", "dimension 1 of a and dimension 0 of b");
    REFUSED(fa_tensordot(a, b, .dims = 3), FA_ERROR_ARGUMENT, "fa_tensordot(", "no 3 dimensions");
    REFUSED(fa_tensordot(a, b, .dims = -1), FA_ERROR_ARGUMENT, "fa_tensordot(", "no -1");
    REFUSED(fa_tensordot_at(a, b, FA_SHAPE(1), FA_SHAPE(1, 0)), FA_ERROR_ARGUMENT, "1 dimensions of a and 2 of b");
    REFUSED(fa_tensordot_at(a, b, FA_SHAPE(1, 1), FA_SHAPE(1, 0)), FA_ERROR_ARGUMENT, "a_dims");
    REFUSED(fa_tensordot_at(a, b, FA_SHAPE(1), FA_SHAPE(2)), FA_ERROR_INDEX, "b_dims");
    fa_tensor *wide = fa_ones(FA_SHAPE(1, 1, 1, 1, 1, 1));
    REFUSED(fa_tensordot(wide, wide, .dims = 1), FA_ERROR_SHAPE, "fa_tensordot(", "10 dimensions");
    assert_int_equal(fa_dim(fa_tensordot(wide, wide, .dims = 2)), 8);
}

/* Dimensions of size 1 in both take none of the eight that are there. */
static void kron_of_many_dimensions(void **state)
{
    (void)state;
    fa_tensor *a = fa_reshape(count_up(FA_SHAPE(4)), FA_SHAPE(1, 2, 1, 2, 1, 1)),
              *b = fa_ones(FA_SHAPE(1, 1, 1, 2, 1, 3));
    fa_tensor *y = fa_kron(a, b);
    assert_int_equal(fa_numel(y), 24);
    HOLD(fa_get(y, "0, :, 0, :, 0, 2"), 1, 1, 2, 2, 3, 3, 4, 4);
    fa_tensor *just = fa_ones(FA_SHAPE(2, 2, 2, 2, 1)), *wide = fa_ones(FA_SHAPE(2, 2, 2, 2, 2));
    assert_int_equal(fa_numel(fa_kron(just, just)), 256);
    REFUSED(fa_kron(wide, wide), FA_ERROR_SHAPE, "fa_kron(", "more than 8 dimensions");
}

static void powers(void **state)
{
    (void)state;
    fa_tensor *x = fa_reshape(LEAF(1, 1, 0, 1), FA_SHAPE(2, 2));
    HOLD(fa_matrix_power(x, 0), 1, 0, 0, 1);
    HOLD(fa_matrix_power(x, 1000000), 1, 1000000, 0, 1);
    fa_tensor *same = fa_matrix_power(fa_detach(x), 1);
    fa_copy_(same, 5);
    HOLD(x, 1, 1, 0, 1);
    REFUSED(fa_matrix_power(x, -1), FA_ERROR_ARGUMENT, "fa_matrix_power(", "n is -1");
    REFUSED(fa_matrix_power(count_up(FA_SHAPE(2, 3)), 2), FA_ERROR_SHAPE, "fa_matrix_power(", "as many rows");
    REFUSED(fa_matrix_power(count_up(FA_SHAPE(4)), 2), FA_ERROR_SHAPE, "fa_matrix_power(");
    /* the column of zeroth powers is constant, at 0 too */
    fa_tensor *v = LEAF(0, 2, -3);
    assert_true(fa_backward(fa_sum(fa_vander(v))));
    HOLD(fa_grad(v), 1, 5, -5);
    REFUSED(fa_vander(x), FA_ERROR_SHAPE, "fa_vander(");
    REFUSED(fa_vander(v, .n = -2), FA_ERROR_ARGUMENT, "fa_vander(");
}

static void chains(void **state)
{
    (void)state;
    fa_tensor *m = count_up(FA_SHAPE(2, 2)), *v = fa_select(m, 0, 0);
    HOLD(fa_multi_dot(FA_TENSORS(v, m, m, v)), 145);
    REFUSED(fa_multi_dot(FA_TENSORS(m)), FA_ERROR_ARGUMENT, "fa_multi_dot(", "1 matrices");
    REFUSED(fa_multi_dot(FA_TENSORS(m, v, m)), FA_ERROR_SHAPE, "fa_multi_dot(", "x[1] has to be a matrix");
    REFUSED(fa_multi_dot(FA_TENSORS(m, count_up(FA_SHAPE(3, 2)))), FA_ERROR_SHAPE, "columns of x[0]", "rows of x[1]");
    REFUSED(fa_multi_dot(FA_TENSORS(m, fa_unsqueeze(m, 0))), FA_ERROR_SHAPE, "x[1]", "or a vector");
}

static void blocks(void **state)
{
    (void)state;
    fa_tensor *i = fa_tensor_of(1, 2), *f = fa_tensor_of(0.5), *y = fa_block_diag(FA_TENSORS(i, f));
    assert_int_equal(fa_tensor_dtype(y), FA_F32);
    HOLD(y, 1, 2, 0, 0, 0, 0.5);
    REFUSED(fa_block_diag(FA_TENSORS(i, fa_ones(FA_SHAPE(1, 1, 1)))), FA_ERROR_SHAPE, "fa_block_diag(", "x[1]");
    REFUSED(fa_block_diag(((fa_tensors){0, NULL})), FA_ERROR_ARGUMENT, "no blocks");
    fa_tensor *copy = fa_cartesian_prod(FA_TENSORS(i));
    fa_copy_(copy, 9);
    HOLD(i, 1, 2);
    REFUSED(fa_cartesian_prod(FA_TENSORS(fa_ones(FA_SHAPE(2, 2)))), FA_ERROR_SHAPE, "fa_cartesian_prod(", "x[0]");
    REFUSED(fa_cartesian_prod(FA_TENSORS(i, f)), FA_ERROR_DTYPE, "fa_cartesian_prod(");
    REFUSED(fa_cartesian_prod(FA_TENSORS(i, i, i, i, i, i, i, i, i)), FA_ERROR_ARGUMENT, "fa_cartesian_prod(", "9");
}

/* Under autocast products are computed low; dot and tensordot keep the widest of their operands, as in PyTorch. */
static void autocast(void **state)
{
    (void)state;
    fa_tensor *m = fa_ones(FA_SHAPE(2, 2), .device = DEVICE(0)), *v = fa_select(m, 0, 0), *b = fa_unsqueeze(m, 0);
    FA_USE(.autocast = FA_F16);
    fa_tensor *low[] = {fa_mm(m, m),
                        fa_bmm(b, b),
                        fa_mv(m, v),
                        fa_addmm(m, m, m),
                        fa_vecdot(m, m),
                        fa_einsum("ij,jk->ik", FA_TENSORS(m, m)),
                        fa_einsum("ij->i", FA_TENSORS(m)),
                        fa_multi_dot(FA_TENSORS(m, m)),
                        fa_matrix_power(m, 2)};
    for (size_t i = 0; i < sizeof low / sizeof *low; i++)
        assert_int_equal(fa_tensor_dtype(low[i]), FA_F16);
    fa_tensor *wide[] = {fa_dot(v, v),   fa_tensordot(m, m),    fa_outer(v, v),       fa_inner(m, m),
                         fa_inner(v, v), fa_matrix_power(m, 1), fa_matrix_power(m, 0)};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        assert_int_equal(fa_tensor_dtype(wide[i]), FA_F32);
}

/* On the CPU PyTorch leaves products of a matrix or a vector with a vector as they are. */
static void autocast_of_vectors_on_the_cpu(void **state)
{
    (void)state;
    fa_tensor *m = fa_ones(FA_SHAPE(2, 2)), *v = fa_ones(FA_SHAPE(2)), *y = fa_zeros(FA_SHAPE(2));
    FA_USE(.autocast = FA_BF16);
    fa_tensor *wide[] = {fa_mv(m, v),
                         fa_addmv(v, m, v),
                         fa_addr(m, v, v),
                         fa_dot(v, v),
                         fa_mv(m, v, .out = y),
                         fa_inner(v, v),
                         fa_inner(m, fa_select(v, 0, 0)),
                         fa_matrix_power(m, 1),
                         fa_matrix_power(m, 0)};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        assert_int_equal(fa_tensor_dtype(wide[i]), FA_F32);
    fa_tensor *low[] = {fa_vecdot(v, v), fa_inner(m, m), fa_matrix_power(m, 2), fa_tensordot(v, v, .dims = 0)};
    for (size_t i = 0; i < sizeof low / sizeof *low; i++)
        assert_int_equal(fa_tensor_dtype(low[i]), FA_BF16);
    HOLD(fa_addmv(v, m, v), 3, 3);
}

/* ---- memory ---- */

static fa_tensor *chain_of_three(fa_tensor *m)
{
    return fa_einsum("ii,ij,j...->i...", FA_TENSORS(m, m, m));
}

static fa_tensor *chain_of_ten(fa_tensor *m)
{
    return fa_einsum("ab,bc,cd,de,ef,fg,gh,hi,ij,jk->ak", FA_TENSORS(m, m, m, m, m, m, m, m, m, m));
}

static fa_tensor *chain_of_matrices(fa_tensor *m)
{
    return fa_multi_dot(FA_TENSORS(m, m, m, fa_select(m, 0, 0)));
}

static fa_tensor *blocks_of(fa_tensor *m)
{
    return fa_block_diag(FA_TENSORS(m, fa_select(m, 0, 0), m));
}

static fa_tensor *all_pairs(fa_tensor *m)
{
    return fa_cartesian_prod(FA_TENSORS(fa_select(m, 0, 0), fa_select(m, 0, 1)));
}

static fa_tensor *powers_of(fa_tensor *m)
{
    return fa_matrix_power(m, 5);
}

static fa_tensor *sums_of(fa_tensor *m)
{
    return fa_kron(fa_addmm(m, m, m, .beta = 2), fa_tensordot(m, m));
}

static fa_tensor *distances_of(fa_tensor *m)
{
    fa_tensor *d = fa_add(fa_sum(fa_cdist(m, m, .p = 3)), fa_sum(fa_pdist(m)));
    return fa_add(d, fa_sum(fa_cosine_similarity(m, m)));
}

static fa_tensor *losses_of(fa_tensor *m)
{
    fa_tensor *t = fa_to(fa_gt(m, 2), FA_I64), *a = fa_gaussian_nll_loss(m, m, m), *w = fa_select(m, 0, 1);
    if (!w) /* which would be no weight */
        return NULL;
    a = fa_add(a, fa_multilabel_margin_loss(m, t));
    a = fa_add(a, fa_multi_margin_loss(m, fa_select(t, 0, 0), .weight = w));
    return fa_add(a, fa_triplet_margin_loss(m, m, m, .swap = true));
}

/* Each allocation fails once: an error, no crash, and nothing stays behind that is wrong. */
static void without_memory(void **state)
{
    (void)state;
    fa_tensor *(*const call[])(fa_tensor *) = {chain_of_three, chain_of_ten, chain_of_matrices, blocks_of, all_pairs,
                                               powers_of,      sums_of,      distances_of,      losses_of};
    fa_tensor *m = fa_reshape(LEAF(1, 2, 3, 4), FA_SHAPE(2, 2));
    for (size_t i = 0; i < sizeof call / sizeof *call; i++) {
        int failed = 0;
        for (int64_t nth = 1;; nth++) {
            FA_SCOPE;
            fa__inject(nth);
            fa_tensor *y = call[i](m);
            bool reached = fa__inject_count() >= nth;
            fa__inject(0);
            if (y) {
                assert_false(fa_failed());
                if (!reached)
                    break;
                continue; /* it went without that memory, as a cache may */
            }
            failed++;
            assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
            fa_error_clear();
        }
        assert_true(failed > 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(input_without_weight),
        TEST(factors),
        TEST(ranks),
        TEST(sums_over_dimensions),
        TEST(kron_of_many_dimensions),
        TEST(powers),
        TEST(chains),
        TEST(blocks),
        TEST(autocast),
        TEST(autocast_of_vectors_on_the_cpu),
        TEST(without_memory),
    };
    return RUN("products");
}
