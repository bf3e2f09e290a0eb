/* Binary cross entropy and Kullback-Leibler divergence. Input is floating; input and target have the same shape; only
 * weights broadcast. */
#include "core/capture.h"
#include "ops/loss/losses.h"
#include <math.h>

/* PyTorch's gradients: the divisor (1 - x) * x is at least 1e-12, and the gradient of the target is between -100 and
 * 100. */
static void binary_entropy_grad(fa__back *b)
{
    const fa_arg *operand = b->args; /* x, target */
    if (fa__wants(b, &operand[0]))
        fa__set_input_grad(b, &operand[0],
                           fa_pointwise("z * (x - y) / maximum((1 - x) * x, 1e-12)", operand[0], operand[1], b->gy[0]));
    if (fa__wants(b, &operand[1]))
        fa__set_input_grad(b, &operand[1],
                           fa_pointwise("y * minimum(maximum(log1p(-x) - log(x), -100), 100)", operand[0], b->gy[0]));
}

/** -target * log(x) - (1 - target) * log(1 - x) for operands of one shape, with logarithms of at least -100. */
POINTWISE(binary_entropy, (x, target), y = (target - 1) * maximum(log1p(-x), -100) - target * maximum(log(x), -100),
          INTERNAL, .grad = binary_entropy_grad, .keep = KEEP(x, target for x),
          TORCH("nn.functional.binary_cross_entropy(x, target, reduction='none')"), SAMPLES("u(2,5) u(2,5)"))

typedef struct {
    const fa_tensor *input;              /* probabilities, 0 to 1 */
    const fa_tensor *target;             /* probabilities, usually 0 or 1; input's shape */
    const fa_tensor *weight OPT(NULL);   /* weight of each element: broadcasts to input's shape; NULL means 1 */
    fa_reduction reduction OPT(FA_MEAN); /* FA_MEAN, FA_SUM or FA_NONE */
} binary_cross_entropy_args;

static bool check_binary(const fa__call *c, const fa_tensor *input, const fa_tensor *target, const fa_tensor *weight,
                         fa_reduction reduction)
{
    return fa__check_reduction(c, reduction) && fa__check_floating(c, "input", input)
           && fa__check_one_shape(c, "input", input, "target", target) && fa__check_weight(c, "weight", weight, input);
}

/* Under autocast on a GPU the f16 sigmoid before this loss would lose the digits it needs; PyTorch rejects it, too. */
static bool check_autocast(const fa__call *c)
{
    fa_dtype autocast = fa__ctx()->settings->autocast;
    return autocast == FA_SAME || c->plan.device->host
           || fa__call_fail(c, FA_ERROR_DTYPE,
                            "probabilities are not exact enough under autocast: fa_binary_cross_entropy_with_logits "
                            "takes what stands before the sigmoid");
}

/* The loss, or an error if an input outside 0 to 1 has made it NaN. To know this of a device takes waiting for it, and
 * a replay of a graph does not ask. */
static fa_tensor *of_probabilities(const fa__call *c, const fa_tensor *input, fa_tensor *loss)
{
    if (!loss || !c->plan.device->host || fa__capturing())
        return loss;
    FA_USE(.no_grad = true);
    fa_tensor *all = loss->rank ? fa_sum(loss) : loss;
    if (!all)
        return NULL;
    if (!isnan(fa_item(all)))
        return loss;
    fa_tensor *outside = fa_any(fa_pointwise("x < 0 || x > 1", input));
    if (outside && fa_item(outside) == 0)
        return loss;
    fa__call_fail(c, FA_ERROR_ARGUMENT,
                  "input has elements outside 0 to 1, and has to be probabilities: fa_binary_cross_entropy_with_logits "
                  "takes logits");
    return NULL;
}

static fa_tensor *binary_cross_entropy_compose(fa__call *c)
{
    const binary_cross_entropy_args *a = c->args;
    if (!check_binary(c, a->input, a->target, a->weight, a->reduction) || !check_autocast(c))
        return NULL;
    fa_tensor *each = fa__binary_entropy(FA__ARG(a->input), FA__ARG(a->target));
    return of_probabilities(c, a->input, fa__weighted_loss(c, each, a->weight, a->reduction));
}

/** Binary cross entropy of probabilities: -target * log(input) - (1 - target) * log(1 - input). Logarithms are at least
 *  -100, so the loss is finite. An input outside 0 to 1 is an error on the CPU, and gives NaN on other devices and in a
 *  graph. An error under autocast, except on the CPU: fa_binary_cross_entropy_with_logits() is safe there. */
OP(binary_cross_entropy, binary_cross_entropy_args, (loss), .compose = binary_cross_entropy_compose,
   .autocast_cpu = FA__CAST_F32,
   TORCH("nn.functional.binary_cross_entropy(input, target, weight, reduction=reduction)"),
   SAMPLES(
       "u(3,4) u(3,4); u(2,4) u(2,4) weight=p(4) reduction=sum; u(3,2) u(3,2) weight=p(3,1) reduction=none; u() u(); "
       "u(0) u(0)"))

typedef struct {
    const fa_tensor *input;                /* logits */
    const fa_tensor *target;               /* probabilities, usually 0 or 1; input's shape */
    const fa_tensor *weight OPT(NULL);     /* weight of each element: broadcasts to input's shape; NULL means 1 */
    const fa_tensor *pos_weight OPT(NULL); /* weight of positive targets, usually (classes); broadcasts likewise */
    fa_reduction reduction OPT(FA_MEAN);   /* FA_MEAN, FA_SUM or FA_NONE */
} binary_cross_entropy_with_logits_args;

static fa_tensor *binary_cross_entropy_with_logits_compose(fa__call *c)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    const binary_cross_entropy_with_logits_args *a = c->args;
    if (!check_binary(c, a->input, a->target, a->weight, a->reduction)
        || !fa__check_weight(c, "pos_weight", a->pos_weight, a->input))
        return NULL;
    fa__warn_of_probabilities(c, a->input, FA__OP_sigmoid, "logits, to which the loss itself applies sigmoid", &warned);
    fa_tensor *each = a->pos_weight ? fa_pointwise("(1 - y) * x + ((z - 1) * y + 1) * softplus(-x)", a->input,
                                                   a->target, a->pos_weight)
                                    : fa_pointwise("(1 - y) * x + softplus(-x)", a->input, a->target);
    return fa__weighted_loss(c, each, a->weight, a->reduction);
}

/** Binary cross entropy of logits: fa_binary_cross_entropy() of sigmoid(input), accurate for logits of any size: (1 -
 *  target) * input + softplus(-input). pos_weight multiplies the loss of positive targets. */
OP(binary_cross_entropy_with_logits, binary_cross_entropy_with_logits_args, (loss),
   .compose = binary_cross_entropy_with_logits_compose, .autocast = FA__CAST_F32, .autocast_cpu = FA__CAST_F32,
   TORCH("nn.functional.binary_cross_entropy_with_logits(input, target, weight, pos_weight=pos_weight, "
         "reduction=reduction)"),
   SAMPLES(
       "(3,4) u(3,4); (3,4) u(3,4) pos_weight=p(4); (3,4) u(3,4) weight=p(4) pos_weight=p(3,1) reduction=sum; (3,2) "
       "(3,2) reduction=none; () u(); (0) u(0); n(9) t(9) reduction=none"))

typedef struct {
    const fa_tensor *input;              /* log probabilities */
    const fa_tensor *target;             /* probabilities, or log probabilities with .log_target; input's shape */
    bool log_target OPT(false);          /* true: target holds log probabilities */
    fa_reduction reduction OPT(FA_MEAN); /* FA_MEAN, FA_SUM, FA_NONE or FA_BATCHMEAN */
} kl_div_args;

static fa_tensor *kl_div_compose(fa__call *c)
{
    static const char *const text[] = {"(y == 0 ? 0 : y * log(y)) - y * x", "exp(y) * (y - x)"};
    const kl_div_args *a = c->args;
    bool batchmean = a->reduction == FA_BATCHMEAN;
    fa_reduction reduction = batchmean ? FA_SUM : a->reduction;
    if ((unsigned)reduction > FA_NONE) {
        fa__call_fail(c, FA_ERROR_ARGUMENT, "reduction is %d: it has to be FA_MEAN, FA_SUM, FA_NONE or FA_BATCHMEAN",
                      (int)reduction);
        return NULL;
    }
    if (!fa__check_floating(c, "input", a->input) || !fa__check_one_shape(c, "input", a->input, "target", a->target))
        return NULL;
    fa_tensor *loss = fa__reduced_loss(c, fa_pointwise(text[a->log_target], a->input, a->target), reduction);
    return batchmean && a->input->rank ? fa_div(loss, a->input->shape[0]) : loss;
}

/** Kullback-Leibler divergence, elementwise: target * (log(target) - input). FA_BATCHMEAN, the sum divided by the size
 *  of dimension 0, is the mathematical divergence of a batch of distributions; FA_MEAN divides by the number of
 *  elements and is not. */
OP(kl_div, kl_div_args, (loss), .compose = kl_div_compose, .autocast = FA__CAST_F32, .autocast_cpu = FA__CAST_F32,
   TORCH("nn.functional.kl_div(input, target, log_target=log_target, reduction=reduction)"),
   SAMPLES(
       "(3,4) p(3,4); (3,4) (3,4) log_target=true; (3,4) p(3,4) reduction=batchmean; (3,2) (3,2) log_target=true "
       "reduction=none; (3,2) p(3,2) reduction=sum; () p() reduction=batchmean; (0) p(0); (2,5) n(2,5) reduction=none"))

#include "probability_loss.rows"
