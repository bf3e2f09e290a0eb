/* Dropout of channels, and dropout that keeps mean and variance. That of elements is in pointwise.h. */
#include "dispatch/row.h"

/** Dropout for selu(): sets each element to -1.7580993408473766, what selu gives for -infinity, with probability p, and
 *  scales and shifts all so that numbers of mean 0 and variance 1 keep both (arXiv:1706.02515); x itself when not
 *  training. */
POINTWISE(alpha_dropout, (x, p = 0.5, training = true, key = draw),
          y = !training ? x
              : p == 1  ? 0 * x
                        : ((uniform(key) >= p ? x : -1.7580993408473766) + 1.7580993408473766 * p)
                             / sqrt((1 - p) * (1 + p * 3.09091329228798)),
          .require = REQUIRE(p >= 0 && p <= 1), TORCH(""), SAMPLES("(30,4); (3,4) p=0.25; (3,4) training=false; (0,2)"))

typedef struct {
    const fa_tensor *x;      /* (n, c, ...), floating */
    double p OPT(0.5);       /* how likely a channel is dropped: 0 to 1 */
    bool training OPT(true); /* else the result is a copy of x */
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

/** dropout() of whole channels: dimension 1 of each sample. What stays is divided by 1 - p. PyTorch's dropout1d,
 *  dropout2d and dropout3d, of x without a batch: fa_unsqueeze(x, 0) gives it one. */
OP(feature_dropout, feature_dropout_args, (y), .compose = feature_dropout_compose, .require = REQUIRE(p >= 0 && p <= 1),
   DIFFERS("i64 i32 u8 bool: computed in f32, as dropout"), TORCH("feature_dropout(x, p, training).clone()"),
   ALSO("`dropout1d`, `dropout2d`, `dropout3d`"),
   SAMPLES("(2,3,4) training=false; (2,3,4,2) p=0; (3,4) p=1.0; (0,2,3) p=0"))

#include "dropout.rows"
