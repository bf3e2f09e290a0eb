/* relu and max pooling over windows of 2 x 2 as one operation, for fa_nn_sequential(): it keeps a byte for each window
 * for backward instead of what goes in, and passes over memory once. Devices without its kernel compute it from other
 * operations, with the same bits. */
#include "dispatch/call.h"

enum { NONE = 255 /* instead of a position: no element of the window is above 0 */ };

typedef struct {
    const fa_tensor *x; /* (n, c, h, w) or (c, h, w), floating; h and w at least 2 */
} relu_max_pool2d_args;

static bool check_dtype(const fa__call *c, const fa_tensor *x)
{
    return fa__dtype_is_float(x->dtype) || fa__call_fail(c, FA_ERROR_DTYPE, "it has to be floating");
}

static bool relu_max_pool2d_infer(fa__call *c)
{
    const relu_max_pool2d_args *a = c->args;
    const fa_tensor *x = a->x;
    int64_t shape[FA_MAX_DIMS];
    if (!check_dtype(c, x))
        return false;
    if ((x->rank != 3 && x->rank != 4) || x->shape[x->rank - 2] < 2 || x->shape[x->rank - 1] < 2)
        return fa__call_fail(c, FA_ERROR_SHAPE, "x has to be (n, c, h, w) or (c, h, w), planes of 2 x 2 at least");
    for (int i = 0; i < x->rank; i++)
        shape[i] = i < x->rank - 2 ? x->shape[i] : x->shape[i] / 2;
    if (!fa__infer_shape(c, FA_U8, x->rank, shape))
        return false;
    c->spec[1] = c->spec[0];
    c->spec[0].dtype = (fa_dtype)x->dtype;
    return true;
}

/* The kernel is for rows without gaps. */
static bool has_loops(const fa_tensor *x)
{
    return (x->dtype == FA_F32 || fa__dtype_is_half(x->dtype)) && fa_is_contiguous(x);
}

static bool by_kernel(const fa__call *c, const fa_tensor *x)
{
    return c->plan.device->backend->has_kernel(c->op) && has_loops(x);
}

static bool relu_max_pool2d_run(fa__call *c)
{
    const relu_max_pool2d_args *a = c->args;
    if (by_kernel(c, a->x))
        return fa__run_kernel(c);
    FA_SCOPE;
    FA_USE(.no_grad = true, .autocast = FA_SAME);
    fa_max_pool2d_with_indices_result r = fa_max_pool2d_with_indices(fa_relu(a->x), 2);
    fa_tensor *row = fa_floor_divide(r.indices, a->x->shape[a->x->rank - 1]);
    fa_tensor *column = fa_remainder(r.indices, a->x->shape[a->x->rank - 1]);
    fa_tensor *at = fa_add(fa_mul(fa_remainder(row, 2), 2), fa_remainder(column, 2));
    return fa__run_copy(c, c->out[0], r.values) && fa__run_copy(c, c->out[1], fa_where(fa_le(r.values, 0), NONE, at));
}

/* The numbers of the chosen elements in their planes; those of windows without one are any. */
static fa_tensor *indices_of(const fa_tensor *at, const fa_like x)
{
    const int64_t h = at->shape[at->rank - 2], w = at->shape[at->rank - 1];
    const fa_device device = fa_tensor_device(at);
    fa_tensor *rows = fa_view(fa_arange(0, (double)h, .dtype = FA_I64, .device = device), FA_SHAPE(h, 1));
    fa_tensor *columns = fa_arange(0, (double)w, .dtype = FA_I64, .device = device);
    fa_tensor *k = fa_remainder(fa_to(at, FA_I64), 4);
    fa_tensor *row = fa_add(fa_mul(rows, 2), fa_floor_divide(k, 2));
    return fa_add(fa_mul(row, x->shape[x->rank - 1]), fa_add(fa_mul(columns, 2), fa_remainder(k, 2)));
}

typedef struct {
    const fa_tensor *gy; /* (n, c, h / 2, w / 2) or (c, h / 2, w / 2), floating */
    const fa_tensor *at; /* gy's shape, integers: which element of its window is the result */
    fa_like x;           /* (n, c, h, w) or (c, h, w) */
} relu_max_pool2d_back_args;

static void relu_max_pool2d_grad(fa__back *b)
{
    const relu_max_pool2d_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa__relu_max_pool2d_back(b->gy[0], b->y[1], a->x));
}

/** The largest element of each window of 2 x 2 or 0, and where it is: a u8 of 0 to 3, row by row; 255 where no element
 *  is above 0. An odd last row or column is in no window. */
OP(relu_max_pool2d, relu_max_pool2d_args, (y, at), .infer = relu_max_pool2d_infer, .run = relu_max_pool2d_run,
   .grad = relu_max_pool2d_grad, .keep = KEEP(at), INTERNAL, TORCH(""),
   SAMPLES("d(2,3,4,6); d(2,5,7); d(1,2,2,70); d(3,36,9); n(1,2,8,18); t(1,3,6,6); (0,3,4,4)"))

static bool relu_max_pool2d_back_infer(fa__call *c)
{
    const relu_max_pool2d_back_args *a = c->args;
    const fa_tensor *gy = a->gy, *at = a->at, *x = a->x;
    bool fits = gy->rank == x->rank && (x->rank == 3 || x->rank == 4) && !fa__dtype_is_float(at->dtype)
                && fa__same_shape(gy, at);
    for (int i = 0; fits && i < x->rank; i++)
        fits = gy->shape[i] == (i < x->rank - 2 ? x->shape[i] : x->shape[i] / 2);
    if (!fits)
        return fa__call_fail(c, FA_ERROR_SHAPE, "gy and at are not those of x");
    return check_dtype(c, gy) && fa__infer_like(c, x, (fa_dtype)gy->dtype);
}

static bool relu_max_pool2d_back_run(fa__call *c)
{
    const relu_max_pool2d_back_args *a = c->args;
    if (by_kernel(c, a->gy) && a->at->dtype == FA_U8 && fa_is_contiguous(a->at))
        return fa__run_kernel(c);
    FA_SCOPE;
    FA_USE(.no_grad = true, .autocast = FA_SAME);
    fa_tensor *g = fa_where(fa_eq(a->at, NONE), 0, a->gy);
    return fa__run_copy(c, c->out[0], fa__max_pool2d_back(g, indices_of(a->at, a->x), a->x, 2, 2, 0, 1));
}

static fa_tensor *flat_planes(const fa_tensor *x)
{
    return fa_flatten(x, .start_dim = -2);
}

static void relu_max_pool2d_back_grad(fa__back *b)
{
    const relu_max_pool2d_back_args *a = b->args;
    fa_tensor *chosen = fa_gather(flat_planes(b->gy[0]), -1, flat_planes(indices_of(a->at, a->x)));
    fa_tensor *g = fa_reshape(chosen, fa_tensor_shape(a->at));
    fa__set_input_grad(b, &a->gy, fa_where(fa_eq(a->at, NONE), 0, g));
}

/** The gradient of relu_max_pool2d: zeros in x's shape, and each element of gy where `at` says. */
OP(relu_max_pool2d_back, relu_max_pool2d_back_args, (y), .infer = relu_max_pool2d_back_infer,
   .run = relu_max_pool2d_back_run, .grad = relu_max_pool2d_back_grad, .keep = KEEP(at), INTERNAL, TORCH(""),
   SAMPLES("(2,3,2,3) i(2,3,2,3)<4 (2,3,4,6); (2,2,3) i(2,2,3)<4 (2,5,7); (1,1,35) i(1,1,35)<4 (1,2,70); (0,3,2,2) "
           "i(0,3,2,2)<4 (0,3,4,4)"))

fa_tensor *fa__relu_pool(const fa_tensor *x)
{
    bool fits = (x->rank == 3 || x->rank == 4) && x->shape[x->rank - 2] >= 2 && x->shape[x->rank - 1] >= 2
                && has_loops(x) && x->storage && x->storage->device->backend->has_kernel(&fa__op_relu_max_pool2d);
    return fits ? fa__relu_max_pool2d(x).y : NULL;
}

#include "relu_pool.rows"
