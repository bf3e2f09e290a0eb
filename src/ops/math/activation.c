/* Activation functions. relu, gelu, silu, sigmoid and tanh are listed under "Elementwise arithmetic". */
#include "dispatch/row.h"

/** min(max(x, 0), 6). The gradient is 0 at 0 and at 6. */
POINTWISE(relu6, (x),
          y = x <= 0   ? 0
              : x >= 6 ? 6
                       : x,
          DIFFERS("bool: as hardtanh"), TORCH("nn.functional.relu6(x)"), SAMPLES("(3,4); (); (0,2); n(9); t(5)"))

/** min(max(x, low), high). The gradient is 0 at low and at high. low > high is an error. */
POINTWISE(hardtanh, (x, low = -1, high = 1),
          y = x <= low    ? low
              : x >= high ? high
                          : x,
          .require = REQUIRE(low <= high), DIFFERS("bool: bool has an order"),
          TORCH("nn.functional.hardtanh(x, low, high)"), SAMPLES("(3,4); (3,4) low=0 high=1; (); (0,2); n(9); t(5)"))

/** x where x > 0, negative_slope * x elsewhere. */
POINTWISE(leaky_relu, (x, negative_slope = 0.01), y = x > 0 ? x : negative_slope * x,
          TORCH("nn.functional.leaky_relu(x, negative_slope)"),
          SAMPLES("(3,4); (3,4) negative_slope=0.25; (); (0,2); n(9); t(5)"))

/** x where x > threshold, `value` elsewhere; NaN stays NaN. */
POINTWISE(threshold, (x, threshold, value), y = x <= threshold ? value : x,
          TORCH("nn.functional.threshold(x, threshold, value)"),
          SAMPLES("(3,4) 1 2; (3,4) 0 -1; () 0 1; (0,2) 0 1; n(9) 0 1; t(5) 0 3"))

/** Exponential linear unit: x where x > 0, alpha * (exp(x) - 1) elsewhere (arXiv:1511.07289). */
POINTWISE(elu, (x, alpha = 1), y = x > 0 ? x : alpha * expm1(x), TORCH("nn.functional.elu(x, alpha)"),
          SAMPLES("(3,4); (3,4) alpha=0.5; (); (0,2); n(9); t(5)"))

/** Scaled exponential linear unit: scale * elu(x, alpha) with alpha = 1.6733 and scale = 1.0507, for which activations
 *  keep mean 0 and variance 1 (arXiv:1706.02515). */
POINTWISE(selu, (x), y = x > 0 ? 1.0507009873554805 * x : 1.7580993408473766 * expm1(x), TORCH("nn.functional.selu(x)"),
          SAMPLES("(3,4); (); (0,2); n(9); t(5)"))

/** Continuously differentiable ELU: x where x > 0, alpha * (exp(x / alpha) - 1) elsewhere (arXiv:1704.07483). alpha = 0
 *  is an error. */
POINTWISE(celu, (x, alpha = 1), y = x > 0 ? x : alpha * expm1(x / alpha), .require = REQUIRE(alpha != 0),
          TORCH("nn.functional.celu(x, alpha)"), SAMPLES("(3,4); (3,4) alpha=0.5; (); (0,2); n(9); t(5)"))

/** log(1 + exp(beta * x)) / beta, a smooth relu; x itself where beta * x > threshold. */
POINTWISE(softplus, (x, beta = 1, threshold = 20), y = x * beta > threshold ? x : softplus(x * beta) / beta,
          .autocast = FA__CAST_F32, TORCH("nn.functional.softplus(x, beta, threshold)"),
          SAMPLES("(3,4); (3,4) beta=2; (3,4) beta=0.5 threshold=0.25; (); (0,2); n(9)"))

/** log(sigmoid(x)), computed without overflow. */
POINTWISE(logsigmoid, (x), y = -softplus(-x), TORCH("nn.functional.logsigmoid(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** x / (1 + |x|). */
POINTWISE(softsign, (x), y = x / (1 + abs(x)), TORCH("nn.functional.softsign(x)"), SAMPLES("(3,4); (); (0,2); t(5)"))

/** x - tanh(x). */
POINTWISE(tanhshrink, (x), y = x - tanh(x), DIFFERS("bool: computed in f32"), TORCH("nn.functional.tanhshrink(x)"),
          SAMPLES("(3,4); (); (0,2); n(9)"))

/** Soft shrinkage: x - lambd where x > lambd, x + lambd where x < -lambd, 0 elsewhere. A negative lambd is an error. */
POINTWISE(softshrink, (x, lambd = 0.5),
          y = x > lambd    ? x - lambd
              : x < -lambd ? x + lambd
                           : x * 0,
          .require = REQUIRE(lambd >= 0), TORCH("nn.functional.softshrink(x, lambd)"),
          SAMPLES("(3,4); (3,4) lambd=1.25; (); (0,2); n(9); t(5)"))

/** Hard shrinkage: 0 where -lambd <= x <= lambd, x elsewhere. */
POINTWISE(hardshrink, (x, lambd = 0.5), y = x >= -lambd && x <= lambd ? 0 : x,
          TORCH("nn.functional.hardshrink(x, lambd)"), SAMPLES("(3,4); (3,4) lambd=1.25; (); (0,2); n(9); t(5)"))

/** Piecewise linear sigmoid: min(max((x + 3) / 6, 0), 1). */
POINTWISE(hardsigmoid, (x),
          y = x <= -3  ? 0
              : x >= 3 ? 1
                       : (x + 3) / 6,
          DIFFERS("coarse: PyTorch computes f64 by coefficients of f32, or by short series"),
          TORCH("nn.functional.hardsigmoid(x)"), SAMPLES("(3,4); (); (0,2); n(9); t(5)"))

/** x * fa_hardsigmoid(x) (arXiv:1905.02244). */
POINTWISE(hardswish, (x),
          y = x <= -3  ? 0
              : x >= 3 ? x
                       : x * (x + 3) / 6,
          TORCH("nn.functional.hardswish(x)"), SAMPLES("(3,4); (); (0,2); t(5)"))

/** x * tanh(softplus(x)) (arXiv:1908.08681), computed as x * n / (n + 2) with n = exp(x) * (exp(x) + 2). */
POINTWISE(mish, (x), y = exp(minimum(x, 20)); y = y * (y + 2);
          y = x * (y / (y + 2)), TORCH("nn.functional.mish(x)"), SAMPLES("(3,4); (); (0,2); t(5)"))

/** The tanh approximation of gelu: x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) (arXiv:1606.08415). In
 *  PyTorch it is gelu with approximate="tanh". */
POINTWISE(gelu_tanh, (x), y = maximum(minimum(x, 40), -40);
          y = x * sigmoid(y * (1.5957691216057308 + 0.07135481627260025 * y * y)), HOT,
          TORCH("nn.functional.gelu(x, approximate='tanh')"), SAMPLES("(3,4); (); (0,2); t(5)"))

/** x where x > 0, weight * x elsewhere. */
POINTWISE(prelu_each, (x, weight), y = x > 0 ? x : weight * x, INTERNAL, TORCH("where(x > 0, x, weight * x)"),
          SAMPLES("(3,4) (4); () (); (0,2) (2); n(9) n(9)"))

typedef struct {
    const fa_tensor *x;      /* (n), or (n, channels, ...) */
    const fa_tensor *weight; /* a learned slope for negative x: one number, or (channels) */
} prelu_args;

static fa_tensor *prelu_compose(fa__call *c)
{
    const prelu_args *a = c->args;
    fa_shape shape = {.rank = a->x->rank};
    for (int i = 0; i < shape.rank; i++)
        shape.dim[i] = i == 1 ? fa_numel(a->weight) : 1;
    bool one = fa_numel(a->weight) == 1, each = a->weight->rank == 1 && shape.rank > 1;
    if (!one && !(each && a->x->shape[1] == a->weight->shape[0])) {
        fa__call_fail(c, FA_ERROR_SHAPE,
                      "weight has to be one number, or one for each of x's channels, its dimension 1");
        return NULL;
    }
    return fa__prelu_each(FA__ARG(a->x), FA__ARG(fa_reshape(a->weight, shape)));
}

/** Parametric relu: x where x > 0, weight * x elsewhere, with one learned weight or one for each channel, dimension 1
 *  of x (arXiv:1502.01852). */
OP(prelu, prelu_args, (y), .compose = prelu_compose, .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW,
   TORCH("nn.functional.prelu(x, weight)"), SAMPLES("(3,4) (4); (2,3,2) (3); (3,4) (1); (5) (1); (0,2) (2); n(9) (1)"))

/** Randomized leaky relu: x where x > 0, slope * x elsewhere (arXiv:1505.00853). In training each element's slope is
 *  drawn uniformly from [lower, upper), and backward draws the same numbers again; otherwise the slope is (lower +
 *  upper) / 2. */
POINTWISE(rrelu, (x, lower = 0.125, upper = 0.3333333333333333, training = false, key = draw),
          y = x > 0 ? x : x * (training ? lower + (upper - lower) * uniform(key) : (lower + upper) / 2),
          .require = REQUIRE(lower <= upper), TORCH("nn.functional.rrelu(x, lower, upper, training)"),
          SAMPLES("(3,4); (3,4) lower=0.25 upper=0.5; (3,4) lower=0.25 upper=0.25 training=true; (); (0,2); t(5)"))

typedef struct {
    const fa_tensor *x;  /* floating; the size of dim must be even */
    int64_t dim OPT(-1); /* the dimension that is split into two halves; negative counts from the end */
} glu_args;

static fa_tensor *glu_compose(fa__call *c)
{
    const glu_args *a = c->args;
    int dim = fa__wrap_dim(c, a->x, a->dim);
    if (dim < 0)
        return NULL;
    int64_t size = a->x->rank ? a->x->shape[dim] : 1, half = size / 2;
    if (size % 2) {
        fa__call_fail(c, FA_ERROR_SHAPE, "dimension %d has %lld elements, which cannot be halved", dim,
                      (long long)size);
        return NULL;
    }
    return fa_mul(fa_narrow(a->x, dim, 0, half), fa_sigmoid(fa_narrow(a->x, dim, half, half)));
}

/** Gated linear unit: a * sigmoid(b), where a and b are the first and the second half of x along dim
 *  (arXiv:1612.08083). The size of dim is halved. */
OP(glu, glu_args, (y), .compose = glu_compose, TORCH("nn.functional.glu(x, dim)"),
   SAMPLES("(3,4); (4,3) dim=0; (2,6,2) dim=1; (0,2); n(8)"))

#include "activation.rows"
