/* Losses and distances at their edges: large and small numbers, kinks, gradients where PyTorch's are not the plain
 * derivative, and what is refused. Other values and gradients are held against PyTorch in golden.c. */
#include "support/autograd_test.h"

#define REFUSED(call, code, ...)                                                                                       \
    do {                                                                                                               \
        assert_null(call);                                                                                             \
        FAILS(code, __VA_ARGS__);                                                                                      \
    } while (0)

/* The gradient of the sum of a loss for a leaf. */
#define GRADIENT(loss, leaf, ...)                                                                                      \
    do {                                                                                                               \
        fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(loss)), FA_TENSORS(leaf));                                         \
        assert_int_equal(g.count, 1);                                                                                  \
        HOLD(g.item[0], __VA_ARGS__);                                                                                  \
    } while (0)

/* No overflow, and no digits lost, where exp() alone would do either. */
static void large_numbers(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1000.0, -1000.0, 40.0, -40.0), *one = fa_ones_like(x), *zero = fa_zeros_like(x);
    const double tiny = exp(-40);
    fa_tensor *y = fa_binary_cross_entropy_with_logits(x, one, .reduction = FA_NONE);
    HOLD(fa_mul(y, 1 / tiny), 0, 1000 / tiny, 1, 40 / tiny + 1);
    y = fa_binary_cross_entropy_with_logits(x, zero, .reduction = FA_NONE);
    HOLD(y, 1000, 0, 40, 0);
    HOLD(fa_soft_margin_loss(x, one, .reduction = FA_NONE), 0, 1000, 0, 40);
    HOLD(fa_multilabel_soft_margin_loss(x, one), 1040.0 / 4);
    HOLD(fa_binary_cross_entropy_with_logits(x, one, .pos_weight = fa_tensor_of(2.0)), 2 * 1040.0 / 4);
    HOLD(fa_huber_loss(fa_full(FA_SCALAR, 1e30), fa_zeros(FA_SCALAR)), 1e30);
    HOLD(fa_smooth_l1_loss(fa_full(FA_SCALAR, 1e30), fa_zeros(FA_SCALAR)), 1e30);
}

/* A number stands for as many variances; dtype says in which dtype softmax computes, also what is no float. */
static void numbers_and_dtypes(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, 2.0), *t = fa_tensor_of(0.0, 1.0), *i = fa_tensor_of(1, 2);
    HOLD(fa_gaussian_nll_loss(x, t, 2), fa_item(fa_gaussian_nll_loss(x, t, fa_tensor_of(2.0, 2.0))));
    REFUSED(fa_gaussian_nll_loss(x, t, -1), FA_ERROR_ARGUMENT, "fa_gaussian_nll_loss(", "var is a negative number");
    REFUSED(fa_gaussian_nll_loss(x, t, NAN), FA_ERROR_ARGUMENT, "fa_gaussian_nll_loss(", "var=nan");
    assert_int_equal(fa_tensor_dtype(fa_softmax(i, 0, .dtype = FA_F64)), FA_F64);
    assert_true(same_tensors(fa_softmax(i, 0, .dtype = FA_F32), fa_softmax(x, 0)));
    assert_true(same_tensors(fa_log_softmax(x, 0, .dtype = FA_F64), fa_log_softmax(fa_to(x, FA_F64), 0)));
    fa_tensor *h = fa_to(x, FA_F16);
    fa_set_requires_grad(h, true);
    fa_backward(fa_sum(fa_mul(fa_softmax(h, 0, .dtype = FA_F32), t)));
    assert_int_equal(fa_tensor_dtype(fa_grad(h)), FA_F16);
    REFUSED(fa_softmax(x, 0, .dtype = FA_I64), FA_ERROR_DTYPE, "fa_softmax(", "dtype is i64, which is not floating");
    REFUSED(fa_softmin(i, 0), FA_ERROR_DTYPE, "fa_softmin(", "x is i64, which is not floating");
}

static size_t most_memory(double p)
{
    FA_SCOPE;
    fa_tensor *x = fa_rand(FA_SHAPE(40, 1000), .requires_grad = true), *y = fa_rand(FA_SHAPE(50, 1000));
    fa_memory_reset_peak(FA_CPU);
    size_t before = fa_memory_stats(FA_CPU).allocated;
    fa_backward(fa_sum(fa_cdist(x, y, .p = p)));
    return fa_memory_stats(FA_CPU).peak - before;
}

/* Distances of all pairs take no memory for each of the vectors' numbers: that would be 8 million bytes. */
static void memory_of_pairs(void **state)
{
    (void)state;
    const double p[] = {0.5, 1, 2, 3, INFINITY};
    for (int i = 0; i < 5; i++)
        assert_true(most_memory(p[i]) < 2000000);
    assert_false(fa_failed());
}

/* The logarithm is held at -100, its gradient at 1e12. */
static void certain_probabilities(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(0, 1, 0, 1), *t = LEAF(0, 1, 1, 0);
    fa_tensor *loss = fa_binary_cross_entropy(x, t, .reduction = FA_NONE);
    HOLD(loss, 0, 0, 100, 100);
    GRADIENT(loss, x, 0, 0, -1e12, 1e12);
    loss = fa_binary_cross_entropy(x, t, .reduction = FA_NONE);
    GRADIENT(loss, t, 100, -100, 100, -100);
    REFUSED(fa_binary_cross_entropy(fa_tensor_of(0.5, 1.5), fa_tensor_of(1.0, 0.0)), FA_ERROR_ARGUMENT,
            "outside 0 to 1");
    REFUSED(fa_binary_cross_entropy(fa_tensor_of(-0.5), fa_tensor_of(1.0)), FA_ERROR_ARGUMENT, "outside 0 to 1");
    HOLD(fa_binary_cross_entropy(fa_tensor_of(NAN), fa_tensor_of(1.0), .reduction = FA_NONE), NAN);
}

/* A variance that is too small counts as eps, and its gradient makes it grow. */
static void small_variances(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(3.0, 3.0), *y = fa_tensor_of(1.0, 1.0);
    fa_tensor *var = fa_tensor_from(((float[]){0, 4}), FA_SHAPE(2), .requires_grad = true);
    fa_tensor *loss = fa_gaussian_nll_loss(x, y, var, .eps = 0.5, .reduction = FA_NONE);
    HOLD(loss, 0.5 * (log(0.5) + 8), 0.5 * (log(4) + 1));
    GRADIENT(loss, var, 0.5 * (2 - 16), 0.5 * (0.25 - 0.25));
    HOLD(fa_gaussian_nll_loss(x, y, fa_tensor_of(1.0, 1.0), .full = true), 2 + 0.5 * log(8 * atan(1)));
    REFUSED(fa_gaussian_nll_loss(x, y, fa_ones(FA_SHAPE(3))), FA_ERROR_SHAPE, "fa_gaussian_nll_loss(", "var");
    fa_tensor *matrix = fa_ones(FA_SHAPE(2, 3)), *row = fa_ones(FA_SHAPE(3));
    REFUSED(fa_gaussian_nll_loss(matrix, matrix, row), FA_ERROR_SHAPE, "fa_gaussian_nll_loss(");
    REFUSED(fa_gaussian_nll_loss(x, y, var, .eps = 0), FA_ERROR_ARGUMENT, "fa_gaussian_nll_loss(", "eps > 0");
}

/* 0 log 0 is 0; a probability of 0 has no use for the input's gradient. */
static void divergence(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(-1, -2, -3, -4), *t = fa_tensor_of(0.0, 1.0, 0.5, 0.5);
    fa_tensor *loss = fa_kl_div(x, t, .reduction = FA_NONE);
    HOLD(loss, 0, 2, 1.5 + 0.5 * log(0.5), 2 + 0.5 * log(0.5));
    GRADIENT(loss, x, 0, -1, -0.5, -0.5);
    fa_tensor *a = fa_reshape(x, FA_SHAPE(2, 2)), *b = fa_reshape(t, FA_SHAPE(2, 2));
    const double sum = 5.5 + log(0.5);
    HOLD(fa_kl_div(a, b, .reduction = FA_SUM), sum);
    HOLD(fa_kl_div(a, b, .reduction = FA_BATCHMEAN), sum / 2);
    HOLD(fa_kl_div(a, b), sum / 4);
    HOLD(fa_kl_div(x, fa_log(t), .log_target = true, .reduction = FA_SUM), NAN); /* 0 times infinity */
    REFUSED(fa_kl_div(x, x, .reduction = (fa_reduction)7), FA_ERROR_ARGUMENT, "fa_kl_div(",
            "reduction is 7: it has to be FA_MEAN, FA_SUM, FA_NONE or FA_BATCHMEAN");
    REFUSED(fa_mse_loss(x, x, .reduction = FA_BATCHMEAN), FA_ERROR_ARGUMENT, "fa_mse_loss(", "FA_NONE");
    REFUSED(fa_kl_div(x, x, .reduction = (fa_reduction)4), FA_ERROR_ARGUMENT, "fa_kl_div(", "reduction is 4");
}

static void nll_is_cross_entropy(void **state)
{
    (void)state;
    fa_manual_seed(1);
    fa_tensor *x = fa_randn(FA_SHAPE(4, 3, 2), .dtype = FA_F64), *logp = fa_log_softmax(x, 1);
    fa_tensor *t = fa_to(fa_mul(fa_rand(FA_SHAPE(4, 2)), 3), FA_I64), *w = fa_rand(FA_SHAPE(3), .dtype = FA_F64);
    fa_set(t, "1, 0", -100);
    for (int r = FA_MEAN; r <= FA_NONE; r++) {
        fa_reduction reduction = (fa_reduction)r;
        assert_true(same_tensors(fa_nll_loss(logp, t, .weight = w, .reduction = reduction),
                                 fa_cross_entropy(x, t, .weight = w, .reduction = reduction)));
    }
    HOLD(fa_nll_loss(fa_tensor_of(1.0, NAN), fa_zeros(FA_SCALAR, .dtype = FA_I64)), -1);
    HOLD(fa_nll_loss(fa_unsqueeze(fa_tensor_of(1.0, NAN), 0), fa_tensor_of(-100)), NAN);
    REFUSED(fa_nll_loss(logp, fa_zeros(FA_SHAPE(4, 2))), FA_ERROR_DTYPE, "fa_nll_loss(", "target is f32");
    REFUSED(fa_nll_loss(logp, fa_get(t, ":3")), FA_ERROR_SHAPE, "fa_nll_loss(", "(3, 2) i64", "without the classes");
    REFUSED(fa_nll_loss(logp, fa_get(t, "..., :1")), FA_ERROR_SHAPE, "without the classes", "fa_squeeze(target");
    const fa_tensor *numbers = fa_ones_like(x, .dtype = FA_I64);
    REFUSED(fa_cross_entropy(numbers, numbers), FA_ERROR_DTYPE, "input is i64, and has to be logits");
    REFUSED(fa_cross_entropy(x, fa_ones_like(x, .dtype = FA_I64)), FA_ERROR_DTYPE,
            "class probabilities, which are floating: fa_to converts");
    REFUSED(fa_nll_loss(logp, t, .weight = fa_ones(FA_SHAPE(2))), FA_ERROR_SHAPE, "fa_nll_loss(", "3 classes");
    REFUSED(fa_nll_loss(fa_ones(FA_SCALAR), t), FA_ERROR_SHAPE, "fa_nll_loss(", "dimension of classes");
    fa_tensor *bad = fa_clone(t);
    fa_set(bad, "0, 1", 3);
    REFUSED(fa_nll_loss(logp, bad), FA_ERROR_INDEX, "fa_nll_loss(", "3");
    REFUSED(fa_cross_entropy(x, fa_softmax(x, 1), .ignore_index = 1), FA_ERROR_ARGUMENT, "fa_cross_entropy(",
            "ignore_index");
}

/* max(0, 1 - input[j] + input[i]), j among the targets up to the first negative one, i not among them. */
static void several_classes(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(0.1, 0.2, 0.4, 0.8), *t = fa_tensor_of(3, 0, -1, 1);
    fa_tensor *loss = fa_multilabel_margin_loss(x, t);
    HOLD(loss, (0.4 + 0.6 + 1.1 + 1.3) / 4);
    GRADIENT(loss, x, -0.5, 0.5, 0.5, -0.5);
    HOLD(fa_multilabel_margin_loss(x, fa_tensor_of(-1, 0, 1, 2)), 0);
    HOLD(fa_multilabel_margin_loss(x, fa_tensor_of(3, 3, -1, -1)), 2 * (0.3 + 0.4 + 0.6) / 4);
    REFUSED(fa_multilabel_margin_loss(x, fa_tensor_of(4, -1, 0, 0)), FA_ERROR_INDEX, "fa_multilabel_margin_loss(", "4");
    REFUSED(fa_multilabel_margin_loss(x, x), FA_ERROR_DTYPE, "fa_multilabel_margin_loss(", "integers");
}

/* Where a margin is just reached, and where vectors coincide, gradients are 0. */
static void kinks(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 3), *minus = fa_tensor_of(-1.0, -1.0), *zero = LEAF(0, 0), *same = LEAF(2, 2);
    GRADIENT(fa_hinge_embedding_loss(x, minus), x, 0, 0);
    GRADIENT(fa_margin_ranking_loss(same, same, minus), same, 0, 0);
    GRADIENT(fa_l1_loss(same, same), same, 0, 0);
    GRADIENT(fa_smooth_l1_loss(same, fa_detach(same), .beta = 0), same, 0, 0);
    const double p[] = {0.5, 1, 1.5, 2, 3, INFINITY};
    for (int i = 0; i < 6; i++) {
        fa_tensor *d = fa_pairwise_distance(same, fa_detach(same), .p = p[i], .eps = 0);
        HOLD(d, 0);
        GRADIENT(d, same, 0, 0);
    }
    GRADIENT(fa_cosine_similarity(zero, x, .dim = 0), zero, 1e8 / sqrt(10), 3e8 / sqrt(10));
    HOLD(fa_cosine_embedding_loss(zero, x, fa_ones(FA_SCALAR)), 1);
}

/* The gradient of a gradient where nothing is between two vectors is a number, too. */
static void second_order_at_zero(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(1, 2, 1, 2), *rows = fa_reshape(x, FA_SHAPE(2, 2));
    for (int p = 2; p < 4; p++) {
        fa_tensor *d = fa_sum(fa_cdist(rows, rows, .p = p));
        fa_tensors first = fa_grad_of(FA_TENSORS(d), FA_TENSORS(x), .create_graph = true);
        HOLD(first.item[0], 0, 0, 0, 0);
        GRADIENT(first.item[0], x, 0, 0, 0, 0);
    }
}

/* Shorter vectors than eps count as eps long; the gradient is that of the division by it. */
static void short_vectors(void **state)
{
    (void)state;
    fa_tensor *x = LEAF(0.3, 0.4), *y = LEAF(3, 4);
    fa_tensor *c = fa_cosine_similarity(x, y, .dim = 0, .eps = 2);
    HOLD(c, 0.25);
    GRADIENT(c, x, 0.3, 0.4);
    REFUSED(fa_cosine_similarity(fa_tensor_of(1, 2), fa_tensor_of(1, 2), .dim = 0), FA_ERROR_DTYPE,
            "fa_cosine_similarity(", "floating");
    REFUSED(fa_cosine_similarity(x, y), FA_ERROR_INDEX, "fa_cosine_similarity(", "no dimension 1");
    REFUSED(fa_cosine_similarity(x, y, .eps = 0), FA_ERROR_ARGUMENT, "fa_cosine_similarity(", "eps > 0");
}

/* The two ways to Euclidean distances agree, also in f16, where squares would overflow. */
static void many_vectors(void **state)
{
    (void)state;
    fa_manual_seed(2);
    fa_tensor *x = fa_randn(FA_SHAPE(40, 3), .dtype = FA_F64), *y = fa_randn(FA_SHAPE(5, 3), .dtype = FA_F64);
    fa_tensor *by_product = fa_cdist(x, y), *few = fa_cdist(fa_get(x, "10:30"), y);
    HOLD(fa_amax(fa_abs(fa_sub(fa_get(by_product, "10:30"), few))), 0);
    HOLD(fa_amax(fa_abs(fa_sub(fa_cdist(x, y, .p = 2.0000001), by_product))), 0);
    fa_tensor *far = fa_full(FA_SHAPE(30, 1), 1000, .dtype = FA_F16), *near = fa_zeros(FA_SHAPE(1, 1), .dtype = FA_F16);
    HOLD(fa_amax(fa_cdist(far, near)), 1000);
    HOLD(fa_amax(fa_cdist(fa_get(far, ":2"), near)), 1000);
    HOLD(fa_pdist(fa_cat(FA_TENSORS(fa_get(far, ":1"), near))), 1000);
    HOLD(fa_cosine_similarity(far, fa_neg(far), .dim = 0), -1);
    REFUSED(fa_cdist(x, fa_ones(FA_SHAPE(5, 2), .dtype = FA_F64)), FA_ERROR_SHAPE, "fa_cdist(", "(..., m, d)");
    REFUSED(fa_cdist(x, fa_to(y, FA_F32)), FA_ERROR_DTYPE, "fa_cdist(", "one floating dtype");
    REFUSED(fa_cdist(x, y, .p = -1), FA_ERROR_ARGUMENT, "fa_cdist(", "p >= 0");
    REFUSED(fa_cdist(x, y, .p = NAN), FA_ERROR_ARGUMENT, "fa_cdist(", "p >= 0");
    REFUSED(fa_pdist(fa_ones(FA_SHAPE(3))), FA_ERROR_SHAPE, "fa_pdist(", "(n, d)");
}

/* Losses do not broadcast, and are of floats. */
static void refused(void **state)
{
    (void)state;
    fa_tensor *x = fa_ones(FA_SHAPE(2, 3)), *y = fa_ones(FA_SHAPE(3)), *i = fa_ones(FA_SHAPE(2, 3), .dtype = FA_I64);
    REFUSED(fa_l1_loss(x, y), FA_ERROR_SHAPE, "fa_l1_loss(input=(2, 3)", "target=(3,)", "nothing is broadcast");
    REFUSED(fa_mse_loss(fa_zeros(FA_SHAPE(8, 1)), fa_zeros(FA_SHAPE(8))), FA_ERROR_SHAPE,
            "nothing is broadcast; fa_squeeze(input, .dim = -1) drops the last size");
    REFUSED(fa_mse_loss(fa_zeros(FA_SHAPE(8)), fa_zeros(FA_SHAPE(8, 1))), FA_ERROR_SHAPE,
            "; fa_squeeze(target, .dim = -1) drops the last size");
    REFUSED(fa_huber_loss(x, y), FA_ERROR_SHAPE, "fa_huber_loss(");
    REFUSED(fa_smooth_l1_loss(x, y), FA_ERROR_SHAPE, "fa_smooth_l1_loss(");
    REFUSED(fa_poisson_nll_loss(x, y), FA_ERROR_SHAPE, "fa_poisson_nll_loss(");
    REFUSED(fa_binary_cross_entropy(x, y), FA_ERROR_SHAPE, "fa_binary_cross_entropy(");
    REFUSED(fa_binary_cross_entropy(x, x, .weight = fa_ones(FA_SHAPE(2))), FA_ERROR_SHAPE, "weight does not broadcast");
    REFUSED(fa_binary_cross_entropy_with_logits(x, x, .pos_weight = fa_ones(FA_SHAPE(1, 2, 3))), FA_ERROR_SHAPE,
            "pos_weight does not broadcast");
    REFUSED(fa_hinge_embedding_loss(x, y), FA_ERROR_SHAPE, "fa_hinge_embedding_loss(");
    REFUSED(fa_margin_ranking_loss(x, x, y), FA_ERROR_SHAPE, "fa_margin_ranking_loss(", "input1 and target");
    REFUSED(fa_soft_margin_loss(x, y), FA_ERROR_SHAPE, "fa_soft_margin_loss(");
    REFUSED(fa_multi_margin_loss(x, fa_get(i, "0")), FA_ERROR_SHAPE, "fa_multi_margin_loss(");
    REFUSED(fa_multi_margin_loss(x, fa_get(i, ":, 0"), .p = 3), FA_ERROR_ARGUMENT, "fa_multi_margin_loss(", "p == 1");
    REFUSED(fa_multi_margin_loss(fa_ones(FA_SHAPE(2, 0)), fa_get(i, ":, 0")), FA_ERROR_SHAPE, "one class at least");
    REFUSED(fa_multilabel_soft_margin_loss(x, y), FA_ERROR_SHAPE, "fa_multilabel_soft_margin_loss(");
    REFUSED(fa_multilabel_soft_margin_loss(fa_ones(FA_SCALAR), fa_ones(FA_SCALAR)), FA_ERROR_SHAPE, "classes");
    REFUSED(fa_cosine_embedding_loss(x, x, y), FA_ERROR_SHAPE, "fa_cosine_embedding_loss(", "target of (n)");
    REFUSED(fa_triplet_margin_loss(x, x, y), FA_ERROR_SHAPE, "fa_triplet_margin_loss(", "anchor and negative");
    REFUSED(fa_smooth_l1_loss(x, x, .beta = -1), FA_ERROR_ARGUMENT, "fa_smooth_l1_loss(", "beta >= 0");
    REFUSED(fa_huber_loss(x, x, .delta = 0), FA_ERROR_ARGUMENT, "fa_huber_loss(", "delta > 0");
    REFUSED(fa_huber_loss(i, i), FA_ERROR_DTYPE, "fa_huber_loss(input=(2, 3) i64", "input is i64");
    REFUSED(fa_triplet_margin_loss(i, i, i), FA_ERROR_DTYPE, "fa_triplet_margin_loss(", "anchor is i64");
    REFUSED(fa_cosine_embedding_loss(i, i, fa_get(i, ":, 0")), FA_ERROR_DTYPE, "input1 is i64");
    HOLD(fa_l1_loss(i, fa_neg(i), .reduction = FA_SUM), 12);
}

/* The mean over more targets than f16 can count. */
static void many_targets(void **state)
{
    (void)state;
    fa_tensor *x = fa_zeros(FA_SHAPE(70000, 4), .dtype = FA_F16), *p = fa_full_like(x, 0.25);
    fa_tensor *loss = fa_to(fa_cross_entropy(x, p), FA_F32);
    HOLD(fa_le(fa_abs(fa_sub(loss, log(4))), 1e-3), 1);
}

static void weights(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, 3.0), *y = fa_tensor_of(0.0, 0.0), *w = fa_tensor_of(3.0, 1.0);
    HOLD(fa_mse_loss(x, y, .weight = w), 12.0 / 4);
    HOLD(fa_l1_loss(x, y, .weight = w), 6.0 / 4);
    HOLD(fa_huber_loss(x, y, .weight = w), (3 * 0.5 + 2.5) / 2);
    REFUSED(fa_mse_loss(x, y, .weight = fa_ones(FA_SHAPE(1))), FA_ERROR_SHAPE, "fa_mse_loss(", "weight");
    REFUSED(fa_huber_loss(x, y, .weight = fa_ones(FA_SHAPE(1))), FA_ERROR_SHAPE, "fa_huber_loss(", "weight");
}

/* Losses are computed in f32 under autocast; of probabilities there is none, but on the CPU. */
static void autocast(void **state)
{
    (void)state;
    fa_tensor *x = fa_full(FA_SHAPE(30, 2), 0.5, .dtype = FA_F16), *there = fa_to(x, DEVICE(0));
    FA_USE(.autocast = FA_F16);
    assert_int_equal(fa_tensor_dtype(fa_binary_cross_entropy(x, x)), FA_F32);
    assert_int_equal(fa_tensor_dtype(fa_cdist(x, x)), FA_F32);
    assert_int_equal(fa_tensor_dtype(fa_cdist(there, there)), FA_F32);
    fa_tensor *far = fa_full(FA_SHAPE(30, 1), 300.0, .device = DEVICE(0)); /* whose square f16 does not hold */
    HOLD(fa_amax(fa_cdist(far, fa_sub(far, 1))), 1);
    assert_int_equal(fa_tensor_dtype(fa_triplet_margin_loss(there, there, there)), FA_F32);
    assert_int_equal(fa_tensor_dtype(fa_binary_cross_entropy_with_logits(there, there)), FA_F32);
    REFUSED(fa_binary_cross_entropy(there, there), FA_ERROR_DTYPE, "fa_binary_cross_entropy(", "with_logits");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(large_numbers),
        TEST(numbers_and_dtypes),
        TEST(memory_of_pairs),
        TEST(certain_probabilities),
        TEST(small_variances),
        TEST(divergence),
        TEST(nll_is_cross_entropy),
        TEST(several_classes),
        TEST(kinks),
        TEST(second_order_at_zero),
        TEST(short_vectors),
        TEST(many_vectors),
        TEST(refused),
        TEST(autocast),
        TEST(many_targets),
        TEST(weights),
    };
    return RUN("losses");
}
