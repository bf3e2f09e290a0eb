/* Strided views and writes through them, which record in-place changes of views for autograd (history.c). Internal
 * operations. */
#include "dispatch/row.h"
#include "dispatch/views.h"

typedef struct {
    const fa_tensor *x; /* a tensor with the strides `layout` */
    fa_shape layout;    /* the strides of x */
    fa_shape shape;     /* shape of the result */
    fa_shape strides;   /* strides of the result, in elements of x's storage */
    int64_t offset;     /* offset of the result's first element from x's */
} strided_part_args;

#define FARTHEST (INT64_C(1) << 58) /* largest distance in elements that strides may span */

static bool layout_fits(const fa__call *c, const fa_tensor *x, fa_shape layout)
{
    return fa__part_within(c, fa_tensor_shape(x), layout, 0, -FARTHEST, FARTHEST);
}

static bool strided_part_infer(fa__call *c)
{
    const strided_part_args *a = c->args;
    fa__spec *s = fa__view_same(c, a->x);
    const fa__storage *memory = a->x->storage;
    int64_t elements = memory ? (int64_t)(memory->bytes / fa__dtype_size(a->x->dtype)) : FARTHEST;
    if (!fa__part_within(c, a->shape, a->strides, a->offset, -a->x->offset, elements - a->x->offset))
        return false;
    s->rank = a->shape.rank;
    memcpy(s->shape, a->shape.dim, sizeof s->shape);
    memcpy(s->stride, a->strides.dim, sizeof s->stride);
    s->offset += a->offset;
    return true;
}

/* Whether elements share memory in another way than by an expanded dimension (stride 0). */
static bool is_woven(fa_shape shape, fa_shape strides)
{
    for (int i = 0; i < shape.rank; i++)
        shape.dim[i] = strides.dim[i] == 0 && shape.dim[i] > 1 ? 1 : shape.dim[i];
    return fa__overlaps_itself(shape.rank, shape.dim, strides.dim);
}

/* The memory positions of a view's elements, counted from element `low`. */
static fa_tensor *places_of(fa_shape shape, fa_shape strides, int64_t from_low, int64_t span, fa_device device)
{
    fa_tensor *all = fa_arange(0, (double)span, .device = device);
    return all ? fa_flatten(fa__strided_part(all, FA_SHAPE(1), shape, strides, from_low)) : NULL;
}

/* The gradient of x by way of the common storage: gradients of view elements that share memory are added, and elements
 * of x that share memory divide theirs. */
static fa_tensor *by_memory(const fa__back *b)
{
    const strided_part_args *a = b->args;
    const fa_device device = fa_tensor_device(b->gy[0]);
    const fa_shape shape = fa_tensor_shape(a->x), dense = FA_SHAPE(1);
    int64_t low, high, from, to;
    fa__extent(shape.rank, shape.dim, a->layout.dim, &low, &high);
    fa__extent(a->shape.rank, a->shape.dim, a->strides.dim, &from, &to);
    low = a->offset + from < low ? a->offset + from : low;
    high = a->offset + to > high ? a->offset + to : high;
    fa_tensor *places = places_of(a->shape, a->strides, a->offset - low, high - low, device);
    fa_tensor *memory = fa__index_sum(fa_flatten(b->gy[0]), 0, places, high - low);
    if (fa__overlaps_itself(shape.rank, shape.dim, a->layout.dim)) {
        fa_tensor *of_x = places_of(shape, a->layout, -low, high - low, device);
        memory = fa_div(memory, fa_maximum(fa__index_sum(fa_ones_like(of_x), 0, of_x, high - low), 1));
    }
    return fa__strided_part(memory, dense, shape, a->layout, -low);
}

static bool lies_within(const strided_part_args *a)
{
    int64_t low, high, from, to;
    fa__extent(a->x->rank, a->x->shape, a->layout.dim, &low, &high);
    fa__extent(a->shape.rank, a->shape.dim, a->strides.dim, &from, &to);
    return a->offset + from >= low && a->offset + to <= high;
}

static void strided_part_grad(fa__back *b)
{
    const strided_part_args *a = b->args;
    bool simple = lies_within(a) && !is_woven(a->shape, a->strides)
                  && !fa__overlaps_itself(a->x->rank, a->x->shape, a->layout.dim);
    if (!simple && fa_numel(b->gy[0])) {
        fa__set_input_grad(b, &a->x, by_memory(b));
        return;
    }
    fa_tensor *zeros = fa_zeros_like(a->x);
    fa__set_input_grad(b, &a->x, fa__write_strided(zeros, b->gy[0], a->layout, a->shape, a->strides, a->offset, true));
}

/** The view of x that another tensor on the same storage is. */
OP(strided_part, strided_part_args, (y), .infer = strided_part_infer, .view = true, .grad = strided_part_grad, INTERNAL,
   .by_layout = true, TORCH("as_strided(x, shape, strides, offset)"),
   SAMPLES("(3,4) s(4,1) s(2,2) s(8,1) 1; (6) s(1) s(3) s(2) 0; (4) s(1) s(3,4) s(0,1) 0; (2,3) s(3,1) s() s() 4; "
           "(6) s(1) s(4,3) s(1,1) 0"))

typedef struct {
    const fa_tensor *x;     /* the tensor before the change */
    const fa_tensor *value; /* the new values of the view, or what is added to it */
    fa_shape layout;        /* the strides of x */
    fa_shape shape;         /* shape of the view */
    fa_shape strides;       /* strides of the view, in elements of x's storage */
    int64_t offset;         /* offset of the view's first element from x's */
    bool add;               /* add to the view, also where its elements share memory */
} write_strided_args;

/* The result has x's strides, so that the view's strides are valid in it. */
static bool write_strided_infer(fa__call *c)
{
    const write_strided_args *a = c->args;
    int64_t low, high;
    if (!layout_fits(c, a->x, a->layout))
        return false;
    fa__extent(a->x->rank, a->x->shape, a->layout.dim, &low, &high);
    if (!fa__part_within(c, a->shape, a->strides, a->offset, low, high))
        return false;
    return fa__infer_like(c, a->x, (fa_dtype)a->x->dtype);
}

static bool write_part(fa__call *c, fa_tensor *part, const fa_tensor *value, bool add)
{
    const fa_tensor *sum = add ? fa__summed_for(c, part, value) : value;
    fa__bound bound[] = {{.name = "v", .value = fa__arg_t(sum)}, {.name = "p", .value = fa__arg_t(part)}};
    if (!sum)
        return false;
    return add ? fa__run_expression(c, part, "p + v", 2, bound) : fa__run_expression(c, part, "v", 1, bound);
}

static bool write_strided_run(fa__call *c)
{
    const write_strided_args *a = c->args;
    fa__bound bound[] = {{.name = "x", .value = fa__arg_t(a->x)}};
    fa_tensor *work = fa__laid_out(c, c->out[0], a->layout),
              *part = work ? fa__part_of(work, a->shape, a->strides, a->offset) : NULL;
    if (!part || !fa__run_expression(c, work, "x", 1, bound))
        return false;
    if (fa__numel(part) && !write_part(c, part, a->value, a->add))
        return false;
    bound[0].value = fa__arg_t(work);
    return work == c->out[0] || fa__run_expression(c, c->out[0], "x", 1, bound);
}

static void write_strided_grad(fa__back *b)
{
    const write_strided_args *a = b->args;
    fa_tensor *gy = fa__with_layout(b->gy[0], a->layout);
    fa_tensor *part = gy ? fa__strided_part(gy, a->layout, a->shape, a->strides, a->offset) : NULL;
    fa__set_input_grad(b, &a->value, part);
    if (a->add)
        fa__set_input_grad(b, &a->x, b->gy[0]);
    else if (fa__wants(b, &a->x))
        fa__set_input_grad(
            b, &a->x,
            fa__write_strided(b->gy[0], fa_zeros_like(a->value), a->layout, a->shape, a->strides, a->offset, false));
}

/** x with the elements of a view of it replaced by value, or value added to them. */
OP(write_strided, write_strided_args, (y), .infer = write_strided_infer, .exact = true, .run = write_strided_run,
   .grad = write_strided_grad, INTERNAL, TORCH(""),
   SAMPLES(
       "(3,4) (2,2) s(4,1) s(2,2) s(8,1) 1 false; (6) (3) s(1) s(3) s(2) 0 true; (4) (3,4) s(1) s(3,4) s(0,1) 0 true"))

typedef struct {
    const fa_tensor *x;
    fa_shape layout; /* the strides of the result */
} relaid_args;

static bool relaid_infer(fa__call *c)
{
    const relaid_args *a = c->args;
    if (!layout_fits(c, a->x, a->layout))
        return false;
    memcpy(c->spec[0].stride, a->layout.dim, sizeof c->spec[0].stride);
    return fa__infer_like(c, a->x, (fa_dtype)a->x->dtype);
}

static bool relaid_run(fa__call *c)
{
    const relaid_args *a = c->args;
    return fa__run_copy(c, c->out[0], a->x);
}

static void relaid_grad(fa__back *b)
{
    const relaid_args *a = b->args;
    fa__set_input_grad(b, &a->x, b->gy[0]);
}

/** A copy of x with given strides. */
OP(relaid, relaid_args, (y), .infer = relaid_infer, .exact = true, .run = relaid_run, .sets_strides = true,
   .grad = relaid_grad, INTERNAL, TORCH("clone(x)"), SAMPLES("(3,4) s(1,3); (3,4) s(8,2); (2,2) s(-1,2); () s()"))

#include "strided.rows"
