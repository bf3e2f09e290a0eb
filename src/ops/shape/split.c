/* Split, chunk, unbind. Cuts a tensor along a dimension into a list of views. split, chunk and unbind record one
 * autograd node for all parts, so backward joins the parts' gradients once. */
#include "dispatch/row.h"
#include "dispatch/views.h"

/* The dimension that is split; -1 and an error. */
static int cut_along(const fa__call *c, const fa_tensor *x, int64_t dim)
{
    int d = fa__wrap_dim(c, x, dim);
    if (d < 0 || x->rank)
        return d;
    fa__call_fail(c, FA_ERROR_SHAPE, "a 0-dim tensor cannot be cut");
    return -1;
}

/* Parts of `size` elements each, except the last ones, which get the remainder. */
static bool cut_evenly(fa__call *c, const fa_tensor *x, int d, size_t count, int64_t size)
{
    if (!fa__parts(c, count))
        return false;
    const fa__spec whole = *fa__view_same(c, x);
    for (size_t k = 0; k < count; k++) {
        int64_t at = (int64_t)k * size, left = whole.shape[d] - at;
        fa__spec *s = &c->spec[k];
        *s = whole;
        s->shape[d] = left < size ? left : size;
        s->offset += s->shape[d] ? at * s->stride[d] : 0;
    }
    return true;
}

/* A zero gradient that needs no memory, for a part without one. */
static fa_tensor *no_gradient(const fa__result *r)
{
    fa_shape shape = {.rank = r->rank};
    memcpy(shape.dim, r->shape, sizeof shape.dim[0] * (size_t)r->rank);
    return fa_expand(fa_zeros(FA_SCALAR, .dtype = r->dtype, .device = r->device->id), shape);
}

/* The gradients of all parts, zeros where there is none. */
static fa_tensors all_gradients(const fa__back *b)
{
    const fa__node *n = b->node;
    for (uint32_t k = 0; k < n->results; k++)
        b->gy[k] = b->gy[k] ? b->gy[k] : no_gradient(&n->result[k]);
    return (fa_tensors){n->results, b->gy};
}

/* The gradient if only one part has one; `at` is set to where that part starts. */
static fa_tensor *only_gradient(const fa__back *b, int d, int64_t *at)
{
    fa_tensor *only = NULL;
    int64_t sum = 0;
    for (uint32_t k = 0; k < b->node->results; k++) {
        if (b->gy[k] && only)
            return NULL;
        if (b->gy[k]) {
            only = b->gy[k];
            *at = sum;
        }
        sum += d < 0 ? 1 : b->node->result[k].shape[d];
    }
    return only;
}

/* x must be the first argument. */
static void parts_grad(fa__back *b, int64_t dim)
{
    const fa_tensor *const *x = b->args;
    int64_t at = 0;
    int d = fa__wrap_dim(NULL, *x, dim);
    fa_tensor *only = only_gradient(b, d, &at);
    if (only) {
        fa__set_input_grad(b, x, fa__slice_back(only, *x, d, at, 1));
        return;
    }
    const fa_tensors all = all_gradients(b);
    fa__set_input_grad(b, x, fa_cat(all, .dim = d));
}

typedef struct {
    const fa_tensor *x;
    int64_t size;       /* size of each part along dim; the last one may be smaller */
    int64_t dim OPT(0); /* negative counts from the end */
} split_args;

static bool split_infer(fa__call *c)
{
    const split_args *a = c->args;
    int d = cut_along(c, a->x, a->dim);
    if (d < 0)
        return false;
    int64_t n = a->x->shape[d];
    if (fa__dims_named(a->size))
        return fa__call_fail(c, FA_ERROR_ARGUMENT,
                             "size is FA_DIMS: fa_split_sizes(x, FA_LIST(64, 4)) has several sizes");
    if (a->size < 0 || (!a->size && n))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "parts of %lld entries do not make %lld", (long long)a->size,
                             (long long)n);
    return cut_evenly(c, a->x, d, n ? (size_t)((n - 1) / a->size + 1) : 1, a->size);
}

static void split_grad(fa__back *b)
{
    const split_args *a = b->args;
    parts_grad(b, a->dim);
}

/** Splits x into parts of a given size along a dimension: a list of views. The parts must not be modified in place
 *  while gradients flow through them. */
OP(split, split_args, [parts], .infer = split_infer, .view = true, .null_gy = true, .grad = split_grad,
   TORCH("split(x, size, dim)"), SAMPLES("(5,4) 2; (3,4) 2 dim=-1; (5) 7; (0,3) 2; (2,0) 0 dim=1; (6) 1"))

typedef struct {
    const fa_tensor *x;
    fa_list sizes;      /* sizes of the parts along dim, such as FA_LIST(2, 3); their sum is dim's size */
    int64_t dim OPT(0); /* negative counts from the end */
} split_sizes_args;

static bool split_sizes_infer(fa__call *c)
{
    const split_sizes_args *a = c->args;
    int d = cut_along(c, a->x, a->dim);
    if (d < 0)
        return false;
    int64_t n = a->x->shape[d], at = 0, size;
    if (!fa__parts(c, a->sizes.count))
        return false;
    if (a->sizes.count)
        fa__view_same(c, a->x);
    for (size_t k = a->sizes.count; k-- > 1;)
        c->spec[k] = c->spec[0];
    for (size_t k = 0; k < a->sizes.count; k++) {
        if (!fa__list_whole(c, "sizes", a->sizes, k, &size))
            return false;
        if (size < 0 || size > n - at)
            return fa__call_fail(c, FA_ERROR_ARGUMENT, "sizes[%zu] is %lld, and %lld entries of %lld are left", k,
                                 (long long)size, (long long)(n - at), (long long)n);
        c->spec[k].shape[d] = size;
        c->spec[k].offset += size ? at * c->spec[k].stride[d] : 0;
        at += size;
    }
    return at == n
           || fa__call_fail(c, FA_ERROR_ARGUMENT, "the sizes make %lld entries of %lld", (long long)at, (long long)n);
}

static void split_sizes_grad(fa__back *b)
{
    const split_sizes_args *a = b->args;
    parts_grad(b, a->dim);
}

/** Splits x into parts of the given sizes along a dimension: a list of views. The parts must not be modified in place
 *  while gradients flow through them. */
OP(split_sizes, split_sizes_args, [parts], .infer = split_sizes_infer, .view = true, .null_gy = true,
   .grad = split_sizes_grad, TORCH("split(x, sizes, dim)"), ALSO("`split_with_sizes`"),
   SAMPLES("(5,4) l(2,3); (3,4) l(1,0,3) dim=-1; (5) l(5); (0,3) l(0,0); (7) l(1,1,1,1,1,2)"))

typedef struct {
    const fa_tensor *x;
    int64_t chunks;     /* maximum number of parts */
    int64_t dim OPT(0); /* negative counts from the end */
} chunk_args;

static bool chunk_infer(fa__call *c)
{
    const chunk_args *a = c->args;
    int d = cut_along(c, a->x, a->dim);
    if (d < 0)
        return false;
    if (a->chunks < 1)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "%lld chunks: there has to be one", (long long)a->chunks);
    int64_t n = a->x->shape[d], size = n ? (n - 1) / a->chunks + 1 : 0;
    return cut_evenly(c, a->x, d, (size_t)(n ? (n - 1) / size + 1 : a->chunks), size);
}

static void chunk_grad(fa__back *b)
{
    const chunk_args *a = b->args;
    parts_grad(b, a->dim);
}

/** Splits x into at most `chunks` parts along a dimension: a list of views of size ceil(size / chunks), the last one
 *  possibly smaller. The parts must not be modified in place while gradients flow through them. */
OP(chunk, chunk_args, [parts], .infer = chunk_infer, .view = true, .null_gy = true, .grad = chunk_grad,
   TORCH("chunk(x, chunks, dim)"), SAMPLES("(5,4) 2; (6) 4; (3,4) 3 dim=-1; (2) 5; (0,3) 2"))

typedef struct {
    const fa_tensor *x;
    int64_t dim OPT(0); /* the dimension to index, which is removed; negative counts from the end */
} unbind_args;

static bool unbind_infer(fa__call *c)
{
    const unbind_args *a = c->args;
    int d = cut_along(c, a->x, a->dim);
    if (d < 0 || !fa__parts(c, (size_t)a->x->shape[d]))
        return false;
    if (!c->list->count)
        return true;
    const fa__spec whole = *fa__view_same(c, a->x);
    for (size_t k = 0; k < c->list->count; k++) {
        c->spec[k] = whole;
        c->spec[k].offset += (int64_t)k * whole.stride[d];
        fa__spec_remove(&c->spec[k], d);
    }
    return true;
}

static void unbind_grad(fa__back *b)
{
    const unbind_args *a = b->args;
    int64_t at = 0;
    int d = fa__wrap_dim(NULL, a->x, a->dim);
    fa_tensor *only = only_gradient(b, -1, &at);
    if (only) {
        fa__set_input_grad(b, &a->x, fa__slice_back(fa_unsqueeze(only, d), a->x, d, at, 1));
        return;
    }
    const fa_tensors all = all_gradients(b);
    fa__set_input_grad(b, &a->x, fa_stack(all, .dim = d));
}

/** The slices of x along a dimension, without that dimension: a list of views. They must not be modified in place while
 *  gradients flow through them. */
OP(unbind, unbind_args, [parts], .infer = unbind_infer, .view = true, .null_gy = true, .grad = unbind_grad,
   TORCH("unbind(x, dim)"), ALSO("`unstack`"), SAMPLES("(3,4); (3,4) dim=-1; (2,3,2) dim=1; (5); (2,0)"))

/* ---- NumPy's array_split ---- */

/* Returns the views x[edge[k]:edge[k + 1]] as a list. */
static bool list_slices(fa__call *c, const fa_tensor *x, int d, size_t count, const int64_t *edge)
{
    fa_tensor **part = fa__malloc(count * sizeof *part);
    bool good = part != NULL;
    for (size_t k = 0; good && k < count; k++) {
        part[k] = fa_slice(x, d, .start = edge[k], .end = edge[k + 1]);
        good = part[k] != NULL;
    }
    good = good && fa__listed(c, count, part);
    fa__free(part);
    return good;
}

typedef struct {
    const fa_tensor *x;
    int64_t sections;   /* number of parts */
    int64_t dim OPT(0); /* negative counts from the end */
} tensor_split_args;

static bool tensor_split_list(fa__call *c)
{
    const tensor_split_args *a = c->args;
    int d = cut_along(c, a->x, a->dim);
    if (d < 0)
        return false;
    if (a->sections < 1)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "%lld sections: there has to be one", (long long)a->sections);
    if (!fa__check_parts(c, (size_t)a->sections))
        return false;
    int64_t n = a->x->shape[d], size = n / a->sections, larger = n % a->sections;
    int64_t *edge = fa__malloc(((size_t)a->sections + 1) * sizeof *edge);
    for (int64_t k = 0; edge && k <= a->sections; k++)
        edge[k] = k * size + (k < larger ? k : larger);
    bool good = edge && list_slices(c, a->x, d, (size_t)a->sections, edge);
    fa__free(edge);
    return good;
}

/** Splits x into exactly `sections` parts along a dimension: a list of views. If the size is not divisible, the first
 *  parts are larger by one. */
OP(tensor_split, tensor_split_args, [parts], .compose_list = tensor_split_list, .may_view = true,
   TORCH("tensor_split(x, sections, dim)"),
   ALSO("`array_split`, NumPy's `split`, `vsplit`, `hsplit`, `dsplit` along dim 0, 1, 2"),
   SAMPLES("(5,4) 2; (3,5) 3 dim=-1; (2) 4; (0,3) 2"))

typedef struct {
    const fa_tensor *x;
    fa_list indices;    /* where parts begin, such as FA_LIST(1, 3); as in slices, negative counts from the end */
    int64_t dim OPT(0); /* negative counts from the end */
} tensor_split_at_args;

static bool tensor_split_at_list(fa__call *c)
{
    const tensor_split_at_args *a = c->args;
    int d = cut_along(c, a->x, a->dim);
    if (d < 0)
        return false;
    size_t count = a->indices.count;
    int64_t *edge = fa__malloc((count + 2) * sizeof *edge);
    bool good = edge != NULL;
    for (size_t k = 0; good && k < count; k++)
        good = fa__list_whole(c, "indices", a->indices, k, &edge[k + 1]);
    if (good) {
        edge[0] = 0;
        edge[count + 1] = a->x->shape[d];
        good = list_slices(c, a->x, d, count + 1, edge);
    }
    fa__free(edge);
    return good;
}

/** Splits x at given indices along a dimension: a list of views x[:i0], x[i0:i1], ..., x[last:]. */
OP(tensor_split_at, tensor_split_at_args, [parts], .compose_list = tensor_split_at_list, .may_view = true,
   TORCH("tensor_split(x, indices, dim)"), ALSO("`array_split` and NumPy's `split` at indices"),
   SAMPLES("(5,4) l(1,3); (3,5) l(-2) dim=-1; (4) l(3,1); (4) l(9); (3) l(); (0,3) l(1)"))

#include "split.rows"
