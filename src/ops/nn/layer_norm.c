/* Layer norm, RMS norm, normalize and local response norm. */
#include "ops/reduce/reduce.h"
#include <math.h>

static bool check_floating(const fa__call *c, const fa_tensor *x)
{
    return fa__dtype_is_float(x->dtype)
           || fa__call_fail(c, FA_ERROR_DTYPE, "x is %s, which is not floating: fa_to converts",
                            fa_dtype_name((fa_dtype)x->dtype));
}

/* ---- over the last dimensions ---- */

typedef struct {
    const fa_tensor *x;                /* (..., normalized_shape), floating */
    fa_shape normalized_shape;         /* the shape of x's last dimensions, over which the statistics are computed */
    const fa_tensor *weight OPT(NULL); /* in normalized_shape; NULL means 1 */
    const fa_tensor *bias OPT(NULL);   /* in normalized_shape; NULL means 0 */
    double eps OPT(1e-5);              /* added to the variance */
} layer_norm_args;

/* Whether a shape is that of x's last dimensions: returns these as a bit mask, or 0 and an error. */
static int64_t last_ones(const fa__call *c, const fa_tensor *x, fa_shape shape)
{
    bool fits = shape.rank >= 1 && shape.rank <= x->rank;
    for (int i = 0; fits && i < shape.rank; i++)
        fits = shape.dim[i] == x->shape[x->rank - shape.rank + i];
    if (!fits)
        return fa__call_fail(c, FA_ERROR_SHAPE,
                             "normalized_shape has to be that of the last dimensions of x, one at least");
    return ((INT64_C(1) << shape.rank) - 1) << (x->rank - shape.rank);
}

static bool check_last(const fa__call *c, const char *name, const fa_tensor *t, fa_shape shape)
{
    bool fits = !t || t->rank == shape.rank;
    for (int i = 0; t && fits && i < shape.rank; i++)
        fits = t->shape[i] == shape.dim[i];
    return fits || fa__call_fail(c, FA_ERROR_SHAPE, "%s has to be of normalized_shape", name);
}

/* A tensor in normalized_shape with x's rank; the number `otherwise` for NULL. */
static fa_arg last_or(const fa_tensor *t, const fa_tensor *x, double otherwise)
{
    fa_shape shape = {.rank = x->rank};
    for (int i = 0; t && i < x->rank; i++)
        shape.dim[i] = i < x->rank - t->rank ? 1 : t->shape[i - (x->rank - t->rank)];
    return t ? fa__arg_t(fa_reshape(t, shape)) : fa__arg_f(otherwise);
}

static fa_tensor *layer_norm_compose(fa__call *c)
{
    const layer_norm_args *a = c->args;
    int64_t set = check_floating(c, a->x) ? last_ones(c, a->x, a->normalized_shape) : 0;
    if (!set || !check_last(c, "weight", a->weight, a->normalized_shape)
        || !check_last(c, "bias", a->bias, a->normalized_shape))
        return NULL;
    return fa__standardize(a->x, last_or(a->weight, a->x, 1), last_or(a->bias, a->x, 0), set, a->eps).y;
}

/** Layer normalization: (x - mean) / sqrt(variance + eps) * weight + bias, with mean and variance over the last
 *  dimensions (arXiv:1607.06450). The result has x's shape. Weight and bias may be f32 if x is f16 or bf16. */
OP(layer_norm, layer_norm_args, (y), .compose = layer_norm_compose, .autocast = FA__CAST_F32,
   TORCH("nn.functional.layer_norm(x, normalized_shape, weight, bias, eps)"),
   SAMPLES(
       "(3,4) s(4); (2,3,4) s(3,4) weight=p(3,4) bias=(3,4) eps=0.01; (5,7) s(7) weight=p(7); (2,3,4) s(4) bias=(4); "
       "(4) s(4) weight=(4) bias=(4); (0,4) s(4) weight=(4); (3,1) s(1); n(2,9) s(9); (2,130) s(130) weight=p(130)"))

typedef struct {
    const fa_tensor *x;                /* (..., normalized_shape), floating */
    fa_shape normalized_shape;         /* the shape of x's last dimensions, over which the mean is computed */
    const fa_tensor *weight OPT(NULL); /* in normalized_shape; NULL means 1 */
    double eps OPT(-1);                /* added to the mean of squares; negative: the machine epsilon of f32 or f64 */
} rms_norm_args;

/* Evaluates an expression of x, weight and others in x's dtype. */
static fa_tensor *scaled(const fa_tensor *x, const fa_tensor *scale, fa_arg weight)
{
    static const char *const rounded[FA__DTYPES] = {
#define DTYPE(tag, name, ...) [FA_##tag] = #name "(x * y * z)",
#include "core/dtypes.def"
#undef DTYPE
    };
    const char *text = fa__dtype_is_half(x->dtype) ? rounded[x->dtype] : "x * y * z";
    return fa_pointwise(text, x, scale, weight);
}

static fa_tensor *rms_norm_compose(fa__call *c)
{
    const rms_norm_args *a = c->args;
    int64_t set = check_floating(c, a->x) ? last_ones(c, a->x, a->normalized_shape) : 0;
    if (!set || !check_last(c, "weight", a->weight, a->normalized_shape))
        return NULL;
    fa_dtype wide = a->x->dtype == FA_F64 ? FA_F64 : FA_F32;
    double eps = a->eps >= 0 ? a->eps : wide == FA_F64 ? 0x1p-52 : 0x1p-23;
    fa_dims dims = FA__DIMS(a->normalized_shape.rank) | set << 8;
    fa_tensor *norm = fa_norm(a->x, .dim = dims, .keepdim = true, .dtype = wide);
    double n = (double)fa__reduced_count(a->x, (unsigned)set);
    return scaled(a->x, fa_pointwise("1 / sqrt(x * x / y + z)", norm, n, eps), last_or(a->weight, a->x, 1));
}

/** Root mean square normalization: x / sqrt(mean(x * x) + eps) * weight, with the mean over the last dimensions
 *  (arXiv:1910.07467). The result has x's shape. The weight may be f32 if x is f16 or bf16. */
OP(rms_norm, rms_norm_args, (y), .compose = rms_norm_compose, .autocast = FA__CAST_F32,
   TORCH("nn.functional.rms_norm(x, normalized_shape, weight, eps if eps >= 0 else None)"),
   SAMPLES("(3,4) s(4); (2,3,4) s(3,4) weight=p(3,4) eps=0.01; (5,7) s(7) weight=p(7); (4) s(4) weight=(4); (0,4) s(4) "
           "weight=(4); n(2,9) s(9)"))

typedef struct {
    const fa_tensor *x;    /* floating */
    double p OPT(2);       /* the p of the p-norm */
    fa_dims dim OPT(1);    /* one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    double eps OPT(1e-12); /* lower bound of the divisor */
} normalize_args;

static fa_tensor *normalize_compose(fa__call *c)
{
    const normalize_args *a = c->args;
    fa_tensor *norm = fa_norm(a->x, .p = a->p, .dim = a->dim, .keepdim = true);
    return norm ? fa_div(a->x, fa_clamp(norm, a->eps, (double)INFINITY)) : NULL;
}

/** x divided by its p-norm over the given dimensions: x / max(norm(x), eps). */
OP(normalize, normalize_args, (y), .compose = normalize_compose, TORCH("nn.functional.normalize(x, p, dim, eps)"),
   SAMPLES("(3,4); (3,4) dim=0; (2,3,4) p=1 dim=-1; (2,3,4) p=3 dim={0,2}; t(3,4) dim=1; n(2,9)"))

typedef struct {
    const fa_tensor *x;     /* (n, channels, ...), floating */
    int64_t size;           /* number of neighbouring channels */
    double alpha OPT(1e-4); /* factor for the mean of squares */
    double beta OPT(0.75);  /* the exponent */
    double k OPT(1);        /* added to the mean */
} local_response_norm_args;

static fa_tensor *local_response_norm_compose(fa__call *c)
{
    const local_response_norm_args *a = c->args;
    if (!check_floating(c, a->x))
        return NULL;
    if (a->x->rank < 3 || a->size < 1) {
        fa__call_fail(c, FA_ERROR_SHAPE, "x has to be (n, c, ...), and size at least 1");
        return NULL;
    }
    fa_tensor *square = fa_flatten(fa_square(a->x), .start_dim = 2);
    const int64_t before = a->size / 2, behind = (a->size - 1) / 2;
    const double pads[] = {0, 0, (double)before, (double)behind};
    fa_tensor *mean = fa_avg_pool2d(fa_pad(square, ((fa_list){4, pads})), FA_PAIR(a->size, 1), .stride = 1);
    if (!mean)
        return NULL;
    return fa_pointwise("x / pow(y * z + w, a)", a->x, fa_reshape(mean, fa_tensor_shape(a->x)), a->alpha, a->k,
                        a->beta);
}

/** Local response normalization: x / (k + alpha * mean)^beta, where mean is the mean of squares over `size` channels
 *  around each one; missing channels count as 0 (Krizhevsky et al. 2012). */
OP(local_response_norm, local_response_norm_args, (y), .compose = local_response_norm_compose,
   DIFFERS("i64: means of integers are refused"), TORCH("nn.functional.local_response_norm(x, size, alpha, beta, k)"),
   SAMPLES("(2,5,3) 2; (2,5,3,2) 3 alpha=0.5 beta=0.5 k=2; (1,3,4) 1; (2,4,3) 4 alpha=0.1; n(1,2,9) 2"))

#include "layer_norm.rows"
