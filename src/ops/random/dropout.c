/* Dropout of channels, alpha dropout. fa_dropout() of single elements is listed under "Elementwise arithmetic". */
#include "dispatch/row.h"

/** Alpha dropout, for networks with fa_selu(): in training each element becomes -1.7580993408473766 (selu's limit at
 *  -infinity) with probability p, and all elements are scaled and shifted so that mean 0 and variance 1 are kept
 *  (arXiv:1706.02515). Otherwise x is returned. */
POINTWISE(alpha_dropout, (x, p = 0.5, training = true, key = draw),
          y = !training ? x
              : p == 1  ? 0 * x
                        : ((uniform(key) >= p ? x : -1.7580993408473766) + 1.7580993408473766 * p)
                             / sqrt((1 - p) * (1 + p * 3.09091329228798)),
          .require = REQUIRE(p >= 0 && p <= 1), TORCH(""), SAMPLES("(30,4); (3,4) p=0.25; (3,4) training=false; (0,2)"))

typedef struct {
    const fa_tensor *x;      /* (n, channels, ...), floating */
    double p OPT(0.5);       /* probability that a channel becomes 0 */
    bool training OPT(true); /* false: the result is a copy of x */
} feature_dropout_args;

static fa_tensor *feature_dropout_compose(fa__call *c)
{
    const feature_dropout_args *a = c->args;
    fa_shape shape = fa_tensor_shape(a->x);
    if (a->x->rank < 2) {
        fa__call_fail(c, FA_ERROR_SHAPE, "x has %d dimensions: it has to be (n, c) or (n, c, ...)", a->x->rank);
        return NULL;
    }
    if (!a->training)
        return fa_clone(a->x);
    for (int i = 2; i < shape.rank; i++)
        shape.dim[i] = 1;
    fa_tensor *ones = fa_ones(shape, .dtype = (fa_dtype)a->x->dtype, .device = fa_tensor_device(a->x));
    return fa_mul(a->x, fa_dropout(ones, .p = a->p, .training = a->training));
}

/** Dropout of whole channels (dimension 1 of each sample); channels that are kept are scaled by 1 / (1 - p). These are
 *  PyTorch's dropout1d, dropout2d and dropout3d. An x without a batch dimension needs fa_unsqueeze(x, 0). */
OP(feature_dropout, feature_dropout_args, (y), .compose = feature_dropout_compose, .require = REQUIRE(p >= 0 && p <= 1),
   DIFFERS("i64 i32 u8 bool: computed in f32, as dropout"), TORCH("feature_dropout(x, p, training).clone()"),
   ALSO("`dropout1d`, `dropout2d`, `dropout3d`"),
   SAMPLES("(2,3,4) training=false; (2,3,4,2) p=0; (3,4) p=1.0; (0,2,3) p=0"))

#include "dropout.rows"
