/* What inference functions share: dimensions by number, shapes of reductions, of results like an operand. */
#include "dispatch/row.h"

/* What is said of a number that is no dimension because it is a list or a pair of numbers; NULL if it is neither. */
static const char *mistaken(int64_t dim)
{
    return fa__dim_is_pair(dim)
               ? "FA_PAIR is a height and a width: a dimension is a plain number, several are FA_DIMS(0, 1)"
           : fa__dims_named(dim) ? "FA_DIMS is a list of dimensions: one goes here, as a plain number"
                                 : NULL;
}

bool fa__no_place(const fa__call *c, int64_t dim)
{
    const char *why = mistaken(dim);
    return why ? fa__call_fail(c, FA_ERROR_ARGUMENT, "%s", why)
               : fa__call_fail(c, FA_ERROR_INDEX, "there is no place %lld for a dimension", (long long)dim);
}

int fa__wrap_dim(const fa__call *c, const fa_tensor *x, int64_t dim)
{
    int64_t rank = x->rank ? x->rank : 1;
    if (dim >= -rank && dim < rank)
        return (int)(dim < 0 ? dim + rank : dim);
    if (c && mistaken(dim))
        fa__call_fail(c, FA_ERROR_ARGUMENT, "%s", mistaken(dim));
    else if (c)
        fa__call_fail(c, FA_ERROR_INDEX, "there is no dimension %lld in a %d-dim tensor", (long long)dim, x->rank);
    else
        fa__fail(FA_ERROR_INDEX, "there is no dimension %lld among %d", (long long)dim, x->rank);
    return -1;
}

FA__HOT bool fa__dim_set(const fa__call *c, const fa_tensor *x, fa_dims dims, unsigned *set)
{
    *set = (1U << x->rank) - 1;
    if (dims == FA_ALL)
        return true;
    *set = 0;
    int named = fa__dims_named(dims);
    if (!named) {
        int d = fa__wrap_dim(c, x, dims);
        *set = d < 0 || !x->rank ? 0 : 1U << d;
        return d >= 0;
    }
    if (dims & FA__DIM(9))
        return fa__call_fail(c, FA_ERROR_INDEX, "a dimension is below -8 or above 7");
    for (int k = -8; k < 8; k++) {
        int d = dims & FA__DIM(k) ? fa__wrap_dim(c, x, k) : 0;
        if (d < 0)
            return false;
        *set |= dims & FA__DIM(k) ? 1U << d : 0;
    }
    if (__builtin_popcount(*set) != named)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "one of the %d dimensions is named twice", named);
    *set &= (1U << x->rank) - 1;
    return true;
}

bool fa__infer_shape(fa__call *c, fa_dtype dtype, int rank, const int64_t *shape)
{
    fa__spec *s = &c->spec[0];
    s->dtype = dtype;
    s->rank = rank;
    for (int i = 0; i < rank; i++)
        s->shape[i] = shape[i];
    return true;
}

bool fa__infer_like(fa__call *c, const fa_tensor *x, fa_dtype dtype)
{
    return fa__infer_shape(c, dtype, x->rank, x->shape);
}

FA__HOT bool fa__infer_reduced(fa__call *c, const fa_tensor *x, fa_dims dims, bool keepdim, fa_dtype dtype)
{
    fa__spec *s = &c->spec[0];
    unsigned set;
    if (!fa__dim_set(c, x, dims, &set))
        return false;
    s->dtype = dtype;
    s->rank = 0;
    for (int i = 0; i < x->rank; i++)
        if (!(set >> i & 1))
            s->shape[s->rank++] = x->shape[i];
        else if (keepdim)
            s->shape[s->rank++] = 1;
    return true;
}

bool fa__infer_resized(fa__call *c, const fa_tensor *x, int64_t dim, int64_t size)
{
    int d = fa__wrap_dim(c, x, dim);
    if (d < 0 || !fa__infer_like(c, x, (fa_dtype)x->dtype))
        return false;
    if (size < 0)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "size %lld of dimension %d is negative", (long long)size, d);
    if (x->rank)
        c->spec[0].shape[d] = size;
    return true;
}

FA__HOT fa_tensor *fa__undo_reduced(fa_tensor *gy, const fa_tensor *x, fa_dims dims, bool keepdim)
{
    unsigned set;
    if (!gy || keepdim || dims == FA_ALL || !fa__dim_set(NULL, x, dims, &set))
        return gy;
    for (int i = 0; i < x->rank; i++)
        if (set >> i & 1)
            gy = fa_unsqueeze(gy, i);
    return gy;
}
