/* One-hot encoding. */
#include "dispatch/call.h"
#include "dispatch/row.h"

typedef struct {
    const fa_tensor *x;          /* class numbers: integers, at least 0 */
    int64_t num_classes OPT(-1); /* number of classes; -1: one more than the largest value in x, which the host reads */
} one_hot_args;

/* One more than the largest class in x; -1 and an error. */
static int64_t count_classes(const fa__call *c, const fa_tensor *x)
{
    if (!fa__numel(x)) {
        fa__call_fail(c, FA_ERROR_ARGUMENT, "an empty tensor does not tell how many classes there are");
        return -1;
    }
    FA__WORK_FOR(fa__asked_for(c));
    int64_t most = fa_item_int(fa_amax(x));
    if (!fa__failed() && (most < 0 || most == INT64_MAX))
        fa__call_fail(c, FA_ERROR_INDEX, "%lld is no class", (long long)most);
    return fa__failed() ? -1 : most + 1;
}

static fa_tensor *one_hot_compose(fa__call *c)
{
    const one_hot_args *a = c->args;
    fa_shape shape = fa_tensor_shape(a->x);
    if (fa__dtype_is_float(a->x->dtype)) {
        fa__call_fail(c, FA_ERROR_DTYPE, "classes are integers");
        return NULL;
    }
    if (shape.rank == FA_MAX_DIMS) {
        fa__call_fail(c, FA_ERROR_SHAPE, "a tensor has at most %d dimensions", FA_MAX_DIMS);
        return NULL;
    }
    if (a->num_classes < -1 || (a->num_classes == 0 && fa__numel(a->x))) {
        fa__call_fail(c, FA_ERROR_ARGUMENT, "there have to be classes");
        return NULL;
    }
    int64_t classes = a->num_classes == -1 ? count_classes(c, a->x) : a->num_classes;
    if (classes < 0)
        return NULL;
    shape.dim[shape.rank++] = classes;
    const fa_device device = fa_tensor_device(a->x);
    fa_tensor *zeros = fa_zeros(shape, .dtype = FA_I64, .device = device), *index = fa_unsqueeze(a->x, -1);
    fa_tensor *one = index ? fa_expand_as(fa_ones(FA_SCALAR, .dtype = FA_I64, .device = device), index) : NULL;
    return zeros && one ? fa_scatter_add_(zeros, -1, index, one) : NULL;
}

/** One-hot encoding of class numbers: i64, with a new last dimension of size num_classes that is 1 at the position of
 *  the class and 0 elsewhere. A class number out of range is an error. */
OP(one_hot, one_hot_args, (y), .compose = one_hot_compose, .by_values = true,
   TORCH("nn.functional.one_hot(x, num_classes)"),
   SAMPLES("i(3)<4 num_classes=4; i(2,3)<3; i()<3 num_classes=5; i(0)<3 num_classes=2; i(0,2)<3 num_classes=1"))

#include "one_hot.rows"
