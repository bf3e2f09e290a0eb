/* Softmax, cross entropy and negative log likelihood. The targets of cross entropy are class numbers or class
 * probabilities. */
#include "ops/loss/losses.h"

typedef struct {
    const fa_tensor *x;          /* floating; any dtype if .dtype is given */
    int64_t dim;                 /* the dimension along which the results sum to 1; negative counts from the end */
    fa_dtype dtype OPT(FA_SAME); /* the floating dtype to compute in; FA_SAME means x's dtype */
} softmax_args;

static bool softmax_infer(fa__call *c)
{
    const softmax_args *a = c->args;
    fa_dtype dtype = a->dtype == FA_SAME ? (fa_dtype)a->x->dtype : a->dtype;
    if (!fa__dtype_is_float(dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "%s is %s, which is not floating: fa_to converts",
                             a->dtype == FA_SAME ? "x" : "dtype", fa_dtype_name(dtype));
    return fa__wrap_dim(c, a->x, a->dim) >= 0 && fa__infer_like(c, a->x, dtype);
}

static void softmax_grad(fa__back *b)
{
    const softmax_args *a = b->args;
    fa_tensor *sum = fa__sum_of_products(b->gy[0], b->y[0], a->dim);
    fa__set_input_grad(b, &a->x, fa_to(fa_pointwise("x * y - y * z", b->gy[0], b->y[0], sum), (fa_dtype)a->x->dtype));
}

/** Softmax along a dimension: exp(x) / sum(exp(x)), computed after subtracting the maximum. The result has x's shape. A
 *  row that is -infinity everywhere gives NaN. With .dtype, x is converted while it is read, without a temporary
 *  tensor; PyTorch converts it first, which differs if that dtype is narrower than x's. */
OP(softmax, softmax_args, (y), .infer = softmax_infer, .grad = softmax_grad, .keep = KEEP(y), .autocast = FA__CAST_F32,
   DIFFERS("i64 i32 u8 bool: integers are refused, empty ones too"), TORCH("softmax(x, dim, dtype=dtype)"),
   SAMPLES(
       "(3,4) 1; (3,4) 0; (2,3,4) -2; () 0; (0,3) 1; (3,0) 1; n(9) 0; (3,4) 1 dtype=f64; i(3,70) 1 dtype=f32; b(5) 0 "
       "dtype=bf16; i(2,3) 0 dtype=f16"))

static void log_softmax_grad(fa__back *b)
{
    const softmax_args *a = b->args;
    fa_tensor *sum = a->x->rank ? fa_sum(b->gy[0], .dim = a->dim, .keepdim = true) : b->gy[0];
    fa__set_input_grad(b, &a->x, fa_to(fa_pointwise("x - exp(y) * z", b->gy[0], b->y[0], sum), (fa_dtype)a->x->dtype));
}

/** The logarithm of softmax: x - log(sum(exp(x))) along a dimension. It is accurate where softmax itself underflows to
 *  0. The result has x's shape. */
OP(log_softmax, softmax_args, (y), .infer = softmax_infer, .grad = log_softmax_grad, .keep = KEEP(y),
   .autocast = FA__CAST_F32, DIFFERS("i64 i32 u8 bool: as softmax"), TORCH("log_softmax(x, dim, dtype=dtype)"),
   SAMPLES(
       "(3,4) 1; (3,4) 0; (2,3,4) -2; () 0; (0,3) 1; (3,0) 1; n(9) 0; (3,4) 1 dtype=f64; i(3,70) 1 dtype=f32; b(5) 0 "
       "dtype=f16"))

static fa_tensor *softmin_compose(fa__call *c)
{
    const softmax_args *a = c->args;
    return fa_softmax(fa_neg(a->x), a->dim, .dtype = a->dtype);
}

/** Softmax of -x: smaller elements get larger probabilities. The result has x's shape. */
OP(softmin, softmax_args, (y), .compose = softmin_compose, DIFFERS("i64 i32 u8 bool: as softmax"),
   TORCH("nn.functional.softmin(x, dim, dtype=dtype)"),
   SAMPLES("(3,4) 1; (3,4) 0; (2,3,4) -2; () 0; (0,3) 1; (3,0) 1; n(9) 0; (3,4) 1 dtype=f64; i(3,4) 0 dtype=f32"))

typedef struct {
    const fa_tensor *input;            /* logits: (classes), (n, classes) or (n, classes, ...) */
    const fa_tensor *target;           /* class numbers (), (n) or (n, ...); or class probabilities in input's shape */
    const fa_tensor *weight OPT(NULL); /* (classes): weight of each class; NULL means 1 */
    int64_t ignore_index OPT(-100);    /* targets with this class number are ignored */
    double label_smoothing OPT(0.0);   /* part of each target that is spread evenly over all classes, 0 to 1 */
    fa_reduction reduction OPT(FA_MEAN); /* FA_MEAN, FA_SUM or FA_NONE */
} cross_entropy_args;

/* A vector with one number for each class, reshaped to broadcast along input's class dimension. */
static fa_tensor *along(const fa_tensor *weight, const fa_tensor *input, int dim)
{
    fa_shape shape = {.rank = input->rank};
    for (int i = 0; i < shape.rank; i++)
        shape.dim[i] = i == dim ? weight->shape[0] : 1;
    return fa_reshape(weight, shape);
}

/* Applies the reduction; the mean divides by `count`, the sum of the weights. */
static fa_tensor *reduced(fa_tensor *each, fa_tensor *count, fa_reduction reduction)
{
    if (reduction == FA_NONE)
        return each;
    return reduction == FA_SUM ? fa_sum(each) : fa_div(fa_sum(each), count);
}

static fa_tensor *entropy_of_probabilities(const cross_entropy_args *a, fa_tensor *logp, int dim)
{
    const fa_tensor *q = a->target;
    double s = a->label_smoothing, classes = (double)a->input->shape[dim];
    if (s > 0)
        q = fa_add(fa_mul(q, 1 - s), s / classes);
    fa_tensor *terms = fa_mul(q, logp);
    if (a->weight)
        terms = fa_mul(terms, along(a->weight, a->input, dim));
    fa_tensor *each = fa_neg(fa_sum(terms, .dim = dim));
    return a->reduction == FA_MEAN ? fa_mean(each) : reduced(each, NULL, a->reduction);
}

static fa_tensor *entropy_of_classes(const cross_entropy_args *a, fa_tensor *logp, int dim)
{
    fa_tensor *target = fa_unsqueeze(a->target, dim), *counts = fa_ne(target, a->ignore_index);
    fa_tensor *index = fa_where(counts, target, 0);
    fa_tensor *each = fa_neg(fa_gather(logp, dim, index));
    fa_tensor *weight = a->weight ? fa_index_select(a->weight, 0, fa_reshape(index, FA_SHAPE(-1))) : NULL;
    fa_tensor *each_weight = weight ? fa_where(counts, fa_reshape(weight, fa_tensor_shape(each)), 0.0)
                                    : fa_to(counts, (fa_dtype)logp->dtype);
    each = fa_where(counts, weight ? fa_mul(each, each_weight) : each, 0.0);
    double s = a->label_smoothing;
    if (s > 0) {
        fa_tensor *terms = a->weight ? fa_mul(logp, along(a->weight, a->input, dim)) : logp;
        fa_tensor *spread = fa_where(counts, fa_neg(fa_sum(terms, .dim = dim, .keepdim = true)), 0.0);
        each = fa_add(fa_mul(each, 1 - s), fa_mul(spread, s / (double)a->input->shape[dim]));
    }
    return reduced(fa_squeeze(each, .dim = dim), fa_sum(each_weight), a->reduction);
}

static bool check_entropy(const fa__call *c, const cross_entropy_args *a, int dim)
{
    const fa_tensor *x = a->input, *t = a->target;
    if (!x->rank)
        return fa__call_fail(c, FA_ERROR_SHAPE, "input needs a dimension of classes");
    if (!fa__dtype_is_float(x->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "input is %s, and has to be logits: a floating number for each class",
                             fa_dtype_name((fa_dtype)x->dtype));
    if (!fa__check_class_weight(c, a->weight, x->shape[dim]))
        return false;
    if (!(a->label_smoothing >= 0 && a->label_smoothing <= 1))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "label_smoothing has to be between 0 and 1");
    if (!fa__dtype_is_float(t->dtype) && fa__same_shape(x, t))
        return fa__call_fail(c, FA_ERROR_DTYPE,
                             "target is %s and has input's shape, as class probabilities, which are floating: "
                             "fa_to converts",
                             fa_dtype_name((fa_dtype)t->dtype));
    if (!fa__dtype_is_float(t->dtype))
        return fa__check_classes(c, x, t, dim);
    if (a->ignore_index >= 0)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "ignore_index is of class numbers, and target has probabilities");
    return fa__same_shape(x, t)
           || fa__call_fail(c, FA_ERROR_SHAPE,
                            "target is %s: class numbers are integers, and class probabilities have input's shape",
                            fa_dtype_name((fa_dtype)t->dtype));
}

static fa_tensor *cross_entropy_compose(fa__call *c)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    const cross_entropy_args *a = c->args;
    int dim = a->input->rank > 1 ? 1 : 0;
    if (!fa__check_reduction(c, a->reduction) || !check_entropy(c, a, dim))
        return NULL;
    fa__warn_of_probabilities(c, a->input, FA__OP_softmax, "logits, to which the loss itself applies softmax", &warned);
    fa_tensor *logp = fa_log_softmax(a->input, dim);
    if (!logp)
        return NULL;
    return fa__dtype_is_float(a->target->dtype) ? entropy_of_probabilities(a, logp, dim)
                                                : entropy_of_classes(a, logp, dim);
}

/** Cross entropy between logits and class numbers or class probabilities: -log_softmax(input) at the target class, or
 *  its sum weighted by the target probabilities. The mean divides by the sum of the weights of the targets that are not
 *  ignored; if all are ignored it is NaN. The result is 0-dim, or with FA_NONE one loss for each target. Label
 *  smoothing is that of Szegedy et al., arXiv:1512.00567. */
OP(cross_entropy, cross_entropy_args, (loss), .compose = cross_entropy_compose, .autocast = FA__CAST_F32,
   .autocast_cpu = FA__CAST_F32,
   TORCH("nn.functional.cross_entropy(input, target, weight, ignore_index=ignore_index, reduction=reduction, "
         "label_smoothing=label_smoothing)"),
   SAMPLES(
       "(3,4) i(3)<4; (3,4) i(3)<4 label_smoothing=0.25 reduction=sum; (3,4) i(3)<4 weight=p(4); (3,4) i(3)<4 "
       "ignore_index=1;"
       "(4) i()<4; (2,3,5) i(2,5)<3 reduction=none; (3,4) u(3,4); (3,4) u(3,4) weight=p(4) label_smoothing=0.5; "
       "(0,4) i(0)<4;"
       "(3,4) i(3)<4 weight=p(4) label_smoothing=0.25 ignore_index=2; (3,4) i(3)<2 weight=p(4) ignore_index=1 "
       "reduction=none; (2,3,2) u(2,3,2); (2,3,2) u(2,3,2) reduction=none weight=p(3) label_smoothing=0.1; (4) u(4) "
       "reduction=sum; (2,3,5) i(2,5)<3 weight=p(3) label_smoothing=0.3 ignore_index=1"))

typedef struct {
    const fa_tensor *input;              /* log probabilities: (classes), (n, classes) or (n, classes, ...) */
    const fa_tensor *target;             /* class numbers: (), (n) or (n, ...) */
    const fa_tensor *weight OPT(NULL);   /* (classes): weight of each class; NULL means 1 */
    int64_t ignore_index OPT(-100);      /* targets with this class number are ignored */
    fa_reduction reduction OPT(FA_MEAN); /* FA_MEAN, FA_SUM or FA_NONE */
} nll_loss_args;

static fa_tensor *nll_loss_compose(fa__call *c)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT, warned_of_logits = ATOMIC_FLAG_INIT;
    static const char needed[] = "log probabilities, as fa_log_softmax gives";
    const nll_loss_args *a = c->args;
    int dim = a->input->rank > 1 ? 1 : 0;
    if (!fa__check_reduction(c, a->reduction))
        return NULL;
    if (!a->input->rank) {
        fa__call_fail(c, FA_ERROR_SHAPE, "input needs a dimension of classes");
        return NULL;
    }
    if (!fa__check_classes(c, a->input, a->target, dim) || !fa__check_class_weight(c, a->weight, a->input->shape[dim]))
        return NULL;
    fa__warn_of_probabilities(c, a->input, FA__OP_softmax, needed, &warned);
    fa__warn_of_probabilities(c, a->input, FA__OP_linear, needed, &warned_of_logits);
    const cross_entropy_args entropy = {.input = a->input,
                                        .target = a->target,
                                        .weight = a->weight,
                                        .ignore_index = a->ignore_index,
                                        .reduction = a->reduction};
    return entropy_of_classes(&entropy, (fa_tensor *)(uintptr_t)a->input, dim);
}

/** Negative log likelihood: -input at the target class, times the weight of the class; input is the result of
 *  fa_log_softmax(). The mean divides by the sum of the weights of the targets that are not ignored; if all are ignored
 *  it is NaN. The result is 0-dim, or with FA_NONE one loss for each target. */
OP(nll_loss, nll_loss_args, (loss), .compose = nll_loss_compose, .autocast = FA__CAST_F32, .autocast_cpu = FA__CAST_F32,
   TORCH("nn.functional.nll_loss(input, target, weight, ignore_index=ignore_index, reduction=reduction)"),
   SAMPLES(
       "(3,4) i(3)<4; (3,4) i(3)<4 reduction=sum; (3,4) i(3)<4 weight=p(4); (3,4) i(3)<4 weight=p(4) ignore_index=1 "
       "reduction=none; (4) i()<4; (2,3,5) i(2,5)<3; (2,3,2,2) i(2,2,2)<3 weight=p(3) reduction=none; (0,4) i(0)<4; "
       "(3,4) i(3)<1 ignore_index=0 reduction=sum"))

#include "loss.rows"
