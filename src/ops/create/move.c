/* Copies, detach, and moves between devices and dtypes. */
#include "backend/movement.h"
#include "dispatch/call.h"
#include "dispatch/row.h"
#include "dispatch/views.h"
#include <stdlib.h>

typedef struct {
    const fa_tensor *x;
    fa_device device OPT({0, 0}); /* the target device; default: x's device */
    fa_dtype dtype OPT(FA_SAME);  /* the target dtype; FA_SAME means x's dtype */
    bool non_blocking OPT(true);  /* true: return before the copy is complete; reading the result waits for it */
} move_args;

/* Compares the strides of dimensions i and j of x: 1 if i has the larger one, -1 if the smaller one, 0 if neither can
 * be said to be outer because one of them is expanded (stride 0). */
static int farther(const fa_tensor *x, int i, int j)
{
    int64_t a = llabs(x->stride[i]), b = llabs(x->stride[j]);
    if (!a || !b || a == b)
        return a && a == b && x->shape[i] > x->shape[j];
    return a > b ? 1 : -1;
}

/* Sorts the dimensions of x by stride, innermost first (insertion sort). Expanded dimensions keep their position, as in
 * PyTorch. */
static void order_in_memory(const fa_tensor *x, int *order)
{
    for (int i = 0; i < x->rank; i++) {
        int at = i, sign = 0;
        order[i] = x->rank - 1 - i;
        for (int k = i; k-- > 0 && (sign = farther(x, order[k], order[at])) >= 0;) {
            int dim = order[k];
            if (!sign)
                continue;
            order[k] = order[at];
            order[at] = dim;
            at = k;
        }
    }
}

/* Strides of the result: the same dimension order in memory as x, without gaps. */
static bool infer_layout(fa__call *c, const fa_tensor *x)
{
    int order[FA_MAX_DIMS];
    int64_t step = 1;
    order_in_memory(x, order);
    for (int i = 0; i < x->rank; i++) {
        c->spec[0].stride[order[i]] = step;
        step *= x->shape[order[i]] > 1 ? x->shape[order[i]] : 1;
    }
    return true;
}

static bool move_infer(fa__call *c)
{
    const move_args *a = c->args;
    fa__device *to = a->device.kind == FA__DEFAULT_DEVICE ? fa__tensor_device(a->x) : fa__device_get(a->device);
    if (!to)
        return false;
    c->plan.device = to;
    c->plan.queue = fa__queue_of(to);
    return fa__infer_like(c, a->x, a->dtype ? a->dtype : (fa_dtype)a->x->dtype) && infer_layout(c, a->x);
}

/* The gradient is copied back on the queue that the forward copy was issued to. */
static bool goes_back_by(fa__call *c, const fa_tensor *source)
{
    c->plan.queue = fa__queue_between(c->plan.device, fa__tensor_device(source));
    return true;
}

/* On one device the copy is a compiled expression; between devices bytes are copied, and converted on the side that
 * makes the transfer smaller. */
static bool move_run(fa__call *c)
{
    const move_args *a = c->args;
    return fa__copy_elements(c, c->out[0], a->x, !a->non_blocking) && goes_back_by(c, a->x);
}

static void move_grad(fa__back *b)
{
    const move_args *a = b->args;
    const fa_dtype dtype = fa__gradient_dtype(a->x->dtype);
    fa__device *home = fa__tensor_device(a->x);
    fa_tensor *g = b->gy[0];
    bool there = g && g->dtype == dtype && fa__tensor_device(g) == home;
    fa__set_input_grad(b, &a->x, there ? g : fa_move(g, .device = home->id, .dtype = dtype));
}

/** A copy of x on another device, in another dtype, or both. fa_to() is the short form; it returns x itself if nothing
 *  changes. Differentiable: the gradient is moved back to x's device and dtype,
 *  f32 if that is f8. */
OP(move, move_args, (y), .infer = move_infer, .exact = true, .run = move_run, .grad = move_grad, .cross_device = true,
   .sets_strides = true, TORCH("x.to(dtype or x.dtype, copy=True)"),
   SAMPLES("(3,4) dtype=f64; (3,4) dtype=i32; (); (0,2) dtype=bf16; i(5) dtype=f16; n(9) dtype=bool; (3,4) dtype=u8"))

typedef struct {
    const fa_tensor *x;
} one_args;

static bool clone_infer(fa__call *c)
{
    const one_args *a = c->args;
    return fa__infer_like(c, a->x, (fa_dtype)a->x->dtype) && infer_layout(c, a->x);
}

static bool clone_run(fa__call *c)
{
    const one_args *a = c->args;
    return fa__run_copy(c, c->out[0], a->x);
}

static void clone_grad(fa__back *b)
{
    const one_args *a = b->args;
    fa__set_input_grad(b, &a->x, b->gy[0]);
}

/** A copy of x in new memory without gaps. The order of x's dimensions in memory is preserved (PyTorch's
 *  preserve_format); for a row-major copy use fa_contiguous(). */
OP(clone, one_args, (y), .infer = clone_infer, .exact = true, .run = clone_run, .grad = clone_grad,
   .sets_strides = true, TORCH("clone(x)"), SAMPLES("(3,4); (); (0,2); b(3)"))

static fa_tensor *contiguous_compose(fa__call *c)
{
    const one_args *a = c->args;
    bool dense = fa__is_dense(a->x->rank, a->x->shape, a->x->stride);
    return dense ? (fa_tensor *)fa__own(fa__ref(a->x)) : fa__row_major(a->x);
}

/** Returns x if it is contiguous (row-major without gaps), otherwise a contiguous copy. */
OP(contiguous, one_args, (y), .compose = contiguous_compose, .may_view = true, TORCH("x.contiguous()"),
   SAMPLES("(3,4); (); (0,2)"))

static bool detach_infer(fa__call *c)
{
    const one_args *a = c->args;
    fa__spec *s = &c->spec[0];
    if (!fa__infer_like(c, a->x, (fa_dtype)a->x->dtype))
        return false;
    memcpy(s->stride, a->x->stride, sizeof s->stride);
    s->offset = a->x->offset;
    return true;
}

/** A view of x that is cut from the autograd graph: it shares x's memory, and no gradient flows through it. In-place
 *  changes of either are seen by both, and by backward. */
OP(detach, one_args, (y), .infer = detach_infer, .view = true, .no_grad = "cuts the graph", TORCH("x.detach()"),
   SAMPLES("(3,4); (); (0,2)"))

typedef struct {
    const fa_tensor *x; /* the tensor that is overwritten */
    fa_arg source;      /* broadcasts to x's shape; any dtype, any device */
} copy_args;

static bool copy_infer(fa__call *c)
{
    const copy_args *a = c->args;
    const fa_tensor *s = a->source.kind == FA__ARG_TENSOR ? fa__tensor_in(a->source) : NULL;
    if (!s && !fa__check_written(c, (fa_dtype)a->x->dtype, &a->source))
        return false;
    c->plan.device = fa__tensor_device(a->x);
    c->plan.queue = fa__queue_of(c->plan.device);
    if (s && s->rank > a->x->rank)
        return fa__call_fail(c, FA_ERROR_SHAPE, "the source has more dimensions than what it is copied into");
    for (int i = 0; s && i < s->rank; i++) {
        int64_t n = a->x->shape[a->x->rank - s->rank + i];
        if (s->shape[i] != n && s->shape[i] != 1)
            return fa__call_fail(c, FA_ERROR_SHAPE, "the source does not broadcast to what it is copied into");
    }
    return fa__infer_like(c, a->x, (fa_dtype)a->x->dtype);
}

static bool copy_run(fa__call *c)
{
    const copy_args *a = c->args;
    if (a->source.kind == FA__ARG_TENSOR)
        return fa__copy_elements(c, c->out[0], fa__tensor_in(a->source), false)
               && goes_back_by(c, fa__tensor_in(a->source));
    return fa__run_expression(c, c->out[0], "source", 1, (fa__bound[]){{.name = "source", .value = a->source}});
}

static void copy_grad(fa__back *b)
{
    const copy_args *a = b->args;
    fa__set_input_grad(b, &a->x, fa_zeros_like(b->gy[0]));
    if (a->source.kind == FA__ARG_TENSOR && fa__wants(b, &a->source)) {
        const fa_tensor *s = fa__tensor_in(a->source);
        fa__set_input_grad(
            b, &a->source,
            fa_move(fa__summed_to(b->gy[0], s), .device = fa__tensor_device(s)->id, .dtype = (fa_dtype)s->dtype));
    }
}

/** x with its elements replaced by those of source; fa_copy_(x, source) overwrites x in place, across devices and
 *  dtypes. Values are converted as by fa_to(): 2.7 becomes 2 in i32. */
OP(copy, copy_args, (y), .infer = copy_infer, .exact = true, .run = copy_run, .grad = copy_grad, .cross_device = true,
   .inplace = INPLACE(x), TORCH("x.clone().copy_(source) if isinstance(source, Tensor) else full_like(x, source)"),
   ALSO("`fill` with a number, `zero_` with 0, NumPy's `copyto`"), SAMPLES("(3,4) (4); (3,4) 2; (3) (3); () ()"))

#include "move.rows"
