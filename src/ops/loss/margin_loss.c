/* Margin losses. Hinge, ranking, multi-class margin, cosine embedding and triplet losses: they are 0 once a score,
 * similarity or distance is beyond the margin. Input is floating; operands that describe the same samples must have the
 * same shape, nothing is broadcast. The gradient is 0 where the margin is reached exactly. */
#include "ops/loss/losses.h"

typedef struct {
    const fa_tensor *input;              /* scores, for instance distances */
    const fa_tensor *target;             /* 1 for similar, -1 for dissimilar pairs; input's shape */
    double margin OPT(1);                /* the score that dissimilar pairs should reach */
    fa_reduction reduction OPT(FA_MEAN); /* FA_MEAN, FA_SUM or FA_NONE */
} hinge_embedding_loss_args;

static fa_tensor *hinge_embedding_loss_compose(fa__call *c)
{
    const hinge_embedding_loss_args *a = c->args;
    if (!fa__check_reduction(c, a->reduction) || !fa__check_floating(c, "input", a->input)
        || !fa__check_one_shape(c, "input", a->input, "target", a->target))
        return NULL;
    fa_tensor *each =
        fa_pointwise("(y == 1 || z <= x ? 0 : z - x) + (y == -1 ? 0 : x)", a->input, a->target, a->margin);
    return fa__reduced_loss(c, each, a->reduction);
}

/** Hinge embedding loss: input where target is 1, max(0, margin - input) where target is -1. */
OP(hinge_embedding_loss, hinge_embedding_loss_args, (loss), .compose = hinge_embedding_loss_compose,
   .autocast = FA__CAST_F32, .autocast_cpu = FA__CAST_F32, DIFFERS("i64 i32 u8 bool: as smooth_l1_loss"),
   TORCH("nn.functional.hinge_embedding_loss(input, target, margin, reduction=reduction)"),
   SAMPLES(
       "(3,4) t(3,4); (3,4) i(3,4) reduction=sum margin=0.7; (3,2) t(3,2) reduction=none; () i(); (0) (0); t(9) t(9) "
       "reduction=sum; (3,2) (3,2)"))

typedef struct {
    const fa_tensor *input1;             /* scores */
    const fa_tensor *input2;             /* scores, in input1's shape */
    const fa_tensor *target;             /* 1 if input1 should be ranked higher, -1 if input2; input1's shape */
    double margin OPT(0);                /* by how much the higher one should be larger */
    fa_reduction reduction OPT(FA_MEAN); /* FA_MEAN, FA_SUM or FA_NONE */
} margin_ranking_loss_args;

static fa_tensor *margin_ranking_loss_compose(fa__call *c)
{
    const margin_ranking_loss_args *a = c->args;
    if (!fa__check_reduction(c, a->reduction) || !fa__check_floating(c, "input1", a->input1)
        || !fa__check_one_shape(c, "input1", a->input1, "input2", a->input2)
        || !fa__check_one_shape(c, "input1", a->input1, "target", a->target))
        return NULL;
    fa_tensor *each = fa_pointwise("r = w - z * (x - y); r <= 0 ? 0 : r", a->input1, a->input2, a->target, a->margin);
    return fa__reduced_loss(c, each, a->reduction);
}

/** Margin ranking loss: max(0, -target * (input1 - input2) + margin). */
OP(margin_ranking_loss, margin_ranking_loss_args, (loss), .compose = margin_ranking_loss_compose,
   .autocast = FA__CAST_F32, .autocast_cpu = FA__CAST_F32, DIFFERS("i64 i32 u8 bool: as smooth_l1_loss"),
   TORCH("nn.functional.margin_ranking_loss(input1, input2, target, margin, reduction=reduction)"),
   SAMPLES("(3,4) (3,4) t(3,4); (3,4) (3,4) (3,4) margin=0.7 reduction=sum; (5) (5) i(5) reduction=none; () () (); (0) "
           "(0) (0); t(9) t(9) t(9) reduction=sum"))

typedef struct {
    const fa_tensor *input;              /* scores */
    const fa_tensor *target;             /* 1 or -1; input's shape */
    fa_reduction reduction OPT(FA_MEAN); /* FA_MEAN, FA_SUM or FA_NONE */
} soft_margin_loss_args;

static fa_tensor *soft_margin_loss_compose(fa__call *c)
{
    const soft_margin_loss_args *a = c->args;
    if (!fa__check_reduction(c, a->reduction) || !fa__check_floating(c, "input", a->input)
        || !fa__check_one_shape(c, "input", a->input, "target", a->target))
        return NULL;
    return fa__reduced_loss(c, fa_pointwise("softplus(-y * x)", a->input, a->target), a->reduction);
}

/** Soft margin loss (logistic loss): log(1 + exp(-target * input)), computed without overflow. */
OP(soft_margin_loss, soft_margin_loss_args, (loss), .compose = soft_margin_loss_compose, .autocast = FA__CAST_F32,
   .autocast_cpu = FA__CAST_F32, TORCH("nn.functional.soft_margin_loss(input, target, reduction=reduction)"),
   SAMPLES("(3,4) t(3,4); (3,4) (3,4) reduction=sum; (3,2) i(3,2) reduction=none; () (); (0) (0)"))

/* ---- classification ---- */

typedef struct {
    const fa_tensor *input;              /* scores: (classes) or (n, classes) */
    const fa_tensor *target;             /* class numbers: () or (n) */
    int64_t p OPT(1);                    /* exponent of each term, 1 or 2 */
    double margin OPT(1);                /* by how much the target's score should exceed the others */
    const fa_tensor *weight OPT(NULL);   /* (classes): weight of each class; NULL means 1 */
    fa_reduction reduction OPT(FA_MEAN); /* FA_MEAN, FA_SUM or FA_NONE */
} multi_margin_loss_args;

static bool check_scores(const fa__call *c, const fa_tensor *input)
{
    return ((input->rank == 1 || input->rank == 2) && input->shape[input->rank - 1])
           || fa__call_fail(c, FA_ERROR_SHAPE, "input has to be (classes) or (n, classes), with one class at least");
}

/* The weight of each sample's target class, with a last dimension of size 1. */
static fa_tensor *weight_of(const fa_tensor *weight, const fa_tensor *target)
{
    fa_tensor *each = fa_index_select(weight, 0, fa_flatten(target));
    return each ? fa_unsqueeze(fa_view(each, fa_tensor_shape(target)), -1) : NULL;
}

static fa_tensor *multi_margin_loss_compose(fa__call *c)
{
    static const char *const text[] = {"r = z - y + x; w ? (r <= 0 ? 0 : r) : 0",
                                       "r = z - y + x; w ? (r <= 0 ? 0 : r * r) : 0"};
    const multi_margin_loss_args *a = c->args;
    if (!fa__check_reduction(c, a->reduction) || !fa__check_floating(c, "input", a->input) || !check_scores(c, a->input)
        || !fa__check_classes(c, a->input, a->target, a->input->rank - 1))
        return NULL;
    int64_t classes = a->input->shape[a->input->rank - 1];
    if (!fa__check_class_weight(c, a->weight, classes))
        return NULL;
    fa_tensor *target = fa_unsqueeze(a->target, -1);
    fa_tensor *other = fa_ne(fa_arange(0, (double)classes, .device = fa_tensor_device(a->input)), target);
    fa_tensor *each = fa_pointwise(text[a->p == 2], a->input, fa_gather(a->input, -1, target), a->margin, other);
    if (a->weight)
        each = fa_mul(each, weight_of(a->weight, a->target));
    return fa__reduced_loss(c, fa_mean(each, .dim = -1), a->reduction);
}

/** Multi-class margin loss: for each sample the sum over all classes i except the target class of max(0, margin -
 *  input[target] + input[i])^p, times the weight of the target class, divided by the number of classes. The result is
 *  0-dim, or with FA_NONE one loss for each sample. */
OP(multi_margin_loss, multi_margin_loss_args, (loss), .compose = multi_margin_loss_compose,
   .require = REQUIRE(p == 1 || p == 2), .autocast = FA__CAST_F32, .autocast_cpu = FA__CAST_F32,
   TORCH("nn.functional.multi_margin_loss(input, target, p, margin, weight, reduction=reduction)"),
   SAMPLES(
       "(3,4) i(3)<4; (3,4) i(3)<4 p=2 reduction=sum; (3,4) i(3)<4 margin=0.3 weight=p(4) reduction=none; (4) i()<4; "
       "(3,1) i(3)<1 reduction=none; (3,4) i(3)<4 p=2 weight=p(4); t(5,3) i(5)<3 reduction=sum"))

typedef struct {
    const fa_tensor *input;              /* scores: (classes) or (n, classes) */
    const fa_tensor *target;             /* class numbers, ended by the first negative one; input's shape */
    fa_reduction reduction OPT(FA_MEAN); /* FA_MEAN, FA_SUM or FA_NONE */
} multilabel_margin_loss_args;

/* Whether each entry stands before the first negative one of its row. */
static fa_tensor *before_the_end(const fa_tensor *target)
{
    return fa_eq(fa_cumsum(fa_lt(target, 0), -1), 0);
}

static fa_tensor *multilabel_margin_loss_compose(fa__call *c)
{
    const multilabel_margin_loss_args *a = c->args;
    if (!fa__check_reduction(c, a->reduction) || !fa__check_floating(c, "input", a->input) || !check_scores(c, a->input)
        || !fa__check_one_shape(c, "input", a->input, "target", a->target))
        return NULL;
    if (fa__dtype_is_float(a->target->dtype)) {
        fa__call_fail(c, FA_ERROR_DTYPE, "target is %s: class numbers are integers",
                      fa_dtype_name((fa_dtype)a->target->dtype));
        return NULL;
    }
    fa_tensor *counts = before_the_end(a->target);
    fa_tensor *index = fa_to(fa_where(counts, a->target, 0), FA_I64);
    fa_tensor *none = fa_zeros(fa_tensor_shape(a->input), .dtype = FA_I64, .device = fa_tensor_device(a->input));
    fa_tensor *named = fa_scatter_add(none, -1, index, fa_to(counts, FA_I64));
    fa_tensor *own = fa_unsqueeze(fa_gather(a->input, -1, index), -1);
    fa_tensor *pairs = fa_pointwise("r = 1 - x + y; z && w == 0 ? (r <= 0 ? 0 : r) : 0", own,
                                    fa_unsqueeze(a->input, -2), fa_unsqueeze(counts, -1), fa_unsqueeze(named, -2));
    fa_tensor *each = fa_div(fa_sum(pairs, .dim = FA_DIMS(-2, -1)), a->input->shape[a->input->rank - 1]);
    return fa__reduced_loss(c, each, a->reduction);
}

/** Multi-label margin loss, for samples with several classes each: the sum of max(0, 1 - input[j] + input[i]) over all
 *  target classes j and all other classes i, divided by the number of classes. The result is 0-dim, or with FA_NONE one
 *  loss for each sample. Needs temporary memory for n * classes^2 numbers. */
OP(multilabel_margin_loss, multilabel_margin_loss_args, (loss), .compose = multilabel_margin_loss_compose,
   .autocast = FA__CAST_F32, .autocast_cpu = FA__CAST_F32,
   TORCH("nn.functional.multilabel_margin_loss(input, target.clamp(min=-1), reduction=reduction)"),
   SAMPLES(
       "(2,4) i(2,4)<4; (4,5) i(4,5); (6,5) i(6,5) reduction=none; (5) i(5) reduction=sum; (4) i(4)<2 reduction=none; "
       "t(6,5) i(6,5) reduction=sum"))

typedef struct {
    const fa_tensor *input;              /* logits: (..., classes) */
    const fa_tensor *target;             /* 1 if the sample has the class, 0 if not; input's shape */
    const fa_tensor *weight OPT(NULL);   /* usually (classes): broadcasts to input's shape; NULL means 1 */
    fa_reduction reduction OPT(FA_MEAN); /* FA_MEAN, FA_SUM or FA_NONE */
} multilabel_soft_margin_loss_args;

static fa_tensor *multilabel_soft_margin_loss_compose(fa__call *c)
{
    const multilabel_soft_margin_loss_args *a = c->args;
    if (!fa__check_reduction(c, a->reduction) || !fa__check_floating(c, "input", a->input)
        || !fa__check_one_shape(c, "input", a->input, "target", a->target)
        || !fa__check_weight(c, "weight", a->weight, a->input))
        return NULL;
    if (!a->input->rank) {
        fa__call_fail(c, FA_ERROR_SHAPE, "input needs a dimension of classes");
        return NULL;
    }
    fa_tensor *each = fa_pointwise("y * softplus(-x) + (1 - y) * softplus(x)", a->input, a->target);
    each = fa_mean(a->weight ? fa_mul(each, a->weight) : each, .dim = -1);
    return fa__reduced_loss(c, each, a->reduction);
}

/** Multi-label soft margin loss: the mean of fa_binary_cross_entropy_with_logits() over the classes, the last
 *  dimension. The result is 0-dim, or with FA_NONE one loss for each sample. */
OP(multilabel_soft_margin_loss, multilabel_soft_margin_loss_args, (loss),
   .compose = multilabel_soft_margin_loss_compose, .autocast = FA__CAST_F32,
   TORCH("nn.functional.multilabel_soft_margin_loss(input, target, weight, reduction=reduction)"),
   SAMPLES(
       "(3,4) u(3,4); (3,4) u(3,4) weight=p(4) reduction=sum; (2,3,2) (2,3,2) reduction=none; (3) u(3); (0,3) u(0,3); "
       "n(9) t(9) reduction=none"))

/* ---- similarities and distances ---- */

typedef struct {
    const fa_tensor *input1;             /* (d) or (n, d) */
    const fa_tensor *input2;             /* input1's shape */
    const fa_tensor *target;             /* 1 for similar, -1 for dissimilar pairs; () or (n) */
    double margin OPT(0);                /* the largest cosine that dissimilar pairs should have */
    fa_reduction reduction OPT(FA_MEAN); /* FA_MEAN, FA_SUM or FA_NONE */
} cosine_embedding_loss_args;

static bool check_embeddings(const fa__call *c, const cosine_embedding_loss_args *a)
{
    const fa_tensor *x = a->input1, *t = a->target;
    if (!fa__check_reduction(c, a->reduction) || !fa__check_floating(c, "input1", x)
        || !fa__check_one_shape(c, "input1", x, "input2", a->input2))
        return false;
    bool fits = (x->rank == 1 || x->rank == 2) && t->rank == x->rank - 1 && (!t->rank || t->shape[0] == x->shape[0]);
    return fits || fa__call_fail(c, FA_ERROR_SHAPE, "inputs of (n, d) go with a target of (n), those of (d) with ()");
}

static fa_tensor *cosine_embedding_loss_compose(fa__call *c)
{
    const cosine_embedding_loss_args *a = c->args;
    if (!check_embeddings(c, a))
        return NULL;
    fa_tensor *product = fa_sum(fa_mul(a->input1, a->input2), .dim = -1);
    fa_tensor *square1 = fa_sum(fa_square(a->input1), .dim = -1), *square2 = fa_sum(fa_square(a->input2), .dim = -1);
    fa_tensor *each = fa_pointwise("r = x / sqrt((y + 1e-12) * (z + 1e-12)); "
                                   "w == 1 ? 1 - r : w == -1 ? (r <= a ? 0 : r - a) : 0",
                                   product, square1, square2, a->target, a->margin);
    return fa__reduced_loss(c, each, a->reduction);
}

/** Cosine embedding loss: 1 - cos(input1, input2) where target is 1, max(0, cos(input1, input2) - margin) where it is
 *  -1. */
OP(cosine_embedding_loss, cosine_embedding_loss_args, (loss), .compose = cosine_embedding_loss_compose,
   .autocast = FA__CAST_F32, .autocast_cpu = FA__CAST_F32, DIFFERS("i64 i32 u8 bool: as smooth_l1_loss"),
   TORCH("nn.functional.cosine_embedding_loss(input1, input2, target, margin, reduction=reduction)"),
   SAMPLES("(3,4) (3,4) t(3); (9,4) (9,4) i(9) margin=0.2 reduction=sum; (9,4) (9,4) t(9) reduction=none; (4) (4) i(); "
           "(0,3) "
           "(0,3) i(0); (9,2) p(9,2) i(9) reduction=none"))

typedef struct {
    const fa_tensor *anchor;             /* (..., d) */
    const fa_tensor *positive;           /* samples that should be near to anchor; anchor's shape */
    const fa_tensor *negative;           /* samples that should be far from anchor; anchor's shape */
    double margin OPT(1);                /* by how much the negative should be farther than the positive */
    double p OPT(2);                     /* the p of the distance's p-norm */
    double eps OPT(1e-6);                /* added to each difference, see fa_pairwise_distance() */
    bool swap OPT(false);                /* true: use d(positive, negative) if it is the smaller distance */
    fa_reduction reduction OPT(FA_MEAN); /* FA_MEAN, FA_SUM or FA_NONE */
} triplet_margin_loss_args;

static fa_tensor *triplet_margin_loss_compose(fa__call *c)
{
    const triplet_margin_loss_args *a = c->args;
    if (!fa__check_reduction(c, a->reduction) || !fa__check_floating(c, "anchor", a->anchor)
        || !fa__check_one_shape(c, "anchor", a->anchor, "positive", a->positive)
        || !fa__check_one_shape(c, "anchor", a->anchor, "negative", a->negative))
        return NULL;
    fa_tensor *near = fa_pairwise_distance(a->anchor, a->positive, .p = a->p, .eps = a->eps);
    fa_tensor *far = fa_pairwise_distance(a->anchor, a->negative, .p = a->p, .eps = a->eps);
    if (a->swap)
        far = fa_minimum(far, fa_pairwise_distance(a->positive, a->negative, .p = a->p, .eps = a->eps));
    return fa__reduced_loss(c, fa_pointwise("r = z + x - y; r <= 0 ? 0 : r", near, far, a->margin), a->reduction);
}

/** Triplet margin loss: max(0, d(anchor, positive) - d(anchor, negative) + margin), with d = fa_pairwise_distance().
 *  The result is 0-dim, or with FA_NONE a loss for each triplet. `swap` is the distance swap of Balntas et al. 2016. */
OP(triplet_margin_loss, triplet_margin_loss_args, (loss), .compose = triplet_margin_loss_compose,
   .autocast = FA__CAST_F32, .autocast_cpu = FA__CAST_F32, DIFFERS("i64 i32 u8 bool: as smooth_l1_loss"),
   TORCH("nn.functional.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=reduction)"),
   SAMPLES("(3,4) (3,4) (3,4); (3,4) (3,4) (3,4) p=1 margin=0.3 reduction=sum; (5,4) (5,4) (5,4) swap=true p=3 "
           "reduction=none; (4) (4) (4) eps=0.25; (0,3) (0,3) (0,3); (2,3,2) (2,3,2) (2,3,2) swap=true"))

#include "margin_loss.rows"
