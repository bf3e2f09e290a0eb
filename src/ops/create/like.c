/* Uninitialized tensors, and new tensors like an existing one. */
#include "ops/create/creation.h"

static bool nothing_run(fa__call *c)
{
    c->out[0]->storage->blank = !c->given;
    return true;
}

static bool zeros_run(fa__call *c)
{
    return fa__run_expression(c, c->out[0], "0", 0, NULL);
}

static bool ones_run(fa__call *c)
{
    return fa__run_expression(c, c->out[0], "1", 0, NULL);
}

typedef struct {
    fa_shape shape;                /* FA_SHAPE(3, 4), or FA_SCALAR for a 0-dim tensor */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME means f32 */
    fa_device device OPT({0, 0});  /* the device of the result; default: the current default device */
    bool requires_grad OPT(false); /* true: the result is a leaf that accumulates a gradient */
} empty_args;

static bool empty_infer(fa__call *c)
{
    const empty_args *a = c->args;
    return fa__infer_new(c, a->shape, a->dtype);
}

/** A tensor whose elements are uninitialized: their values are unspecified until they are written. */
OP(empty, empty_args, (y), .infer = empty_infer, .exact = true, .run = nothing_run, .no_grad = "no operands",
   .unspecified_values = true, TORCH(""), SAMPLES("s(3,4); s(); s(0,2); s(3) dtype=i64"))

/* ---- the same shape as another tensor ---- */

typedef struct {
    fa_like x;                     /* gives the shape and device, and the dtype unless it is given */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME means x's dtype */
    bool requires_grad OPT(false); /* true: the result is a leaf that accumulates a gradient */
} empty_like_args;

static fa_dtype dtype_or(fa_dtype given, const fa_tensor *x)
{
    return given ? given : (fa_dtype)x->dtype;
}

static bool like_infer(fa__call *c)
{
    const empty_like_args *a = c->args;
    return fa__infer_like(c, a->x, dtype_or(a->dtype, a->x));
}

/** An uninitialized tensor with the shape, dtype and device of x. */
OP(empty_like, empty_like_args, (y), .infer = like_infer, .exact = true, .run = nothing_run, .no_grad = "no operands",
   .unspecified_values = true, TORCH(""), SAMPLES("(3,4); (); (0,2); (3) dtype=i32"))

typedef struct {
    fa_like x;                     /* gives the shape and device, and the dtype unless it is given */
    fa_arg value;                  /* the value of every element: a number or a 0-dim tensor */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME means x's dtype */
    bool requires_grad OPT(false); /* true: the result is a leaf that accumulates a gradient */
} full_like_args;

static bool full_like_infer(fa__call *c)
{
    const full_like_args *a = c->args;
    return fa__infer_filled(c, fa_tensor_shape(a->x), dtype_or(a->dtype, a->x), &a->value);
}

static bool full_like_run(fa__call *c)
{
    const full_like_args *a = c->args;
    return fa__run_filled(c, &a->value);
}

/** A tensor with every element set to value, with the shape, dtype and device of x. A number outside the range of the
 *  dtype is an error. */
OP(full_like, full_like_args, (y), .infer = full_like_infer, .exact = true, .run = full_like_run,
   .no_grad = "a constant", TORCH("full_like(x, value, dtype=dtype)"),
   SAMPLES("(3,4) 2; () 1; (0,2) 1; (3) 1.5 dtype=f64; (3) true dtype=bool"))

typedef struct {
    fa_like x;                     /* gives the shape and device, and the dtype unless it is given */
    fa_dtype dtype OPT(FA_SAME);   /* a floating dtype; FA_SAME means x's dtype */
    bool requires_grad OPT(false); /* true: the result is a leaf that accumulates a gradient */
    fa__key key;                   /* identifies the random draw */
} random_like_args;

static bool random_like_infer(fa__call *c)
{
    const random_like_args *a = c->args;
    fa_dtype dtype = dtype_or(a->dtype, a->x);
    if (!fa__dtype_is_float(dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "random numbers of this kind are floating");
    return fa__infer_like(c, a->x, dtype);
}

static bool rand_like_run(fa__call *c)
{
    const random_like_args *a = c->args;
    return fa__run_uniform(c, &a->key);
}

static bool randn_like_run(fa__call *c)
{
    const random_like_args *a = c->args;
    return fa__run_normal(c, &a->key);
}

/** Random numbers, uniformly distributed in [0, 1), with the shape, dtype and device of x. */
OP(rand_like, random_like_args, (y), .infer = random_like_infer, .run = rand_like_run, .no_grad = "no operands",
   TORCH(""), SAMPLES("(3,4); (); (0,2); i(5) dtype=f64"))

/** Random numbers from the standard normal distribution, with the shape, dtype and device of x. */
OP(randn_like, random_like_args, (y), .infer = random_like_infer, .run = randn_like_run, .no_grad = "no operands",
   TORCH(""), SAMPLES("(3,4); (); (0,2); i(5) dtype=f64"))

/* ---- a new shape, the dtype and device of another tensor ---- */

typedef struct {
    fa_like x;                     /* gives the device, and the dtype unless it is given */
    fa_shape shape;                /* FA_SHAPE(3, 4), or FA_SCALAR for a 0-dim tensor */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME means x's dtype */
    bool requires_grad OPT(false); /* true: the result is a leaf that accumulates a gradient */
} new_args;

static bool new_infer(fa__call *c)
{
    const new_args *a = c->args;
    return fa__infer_new(c, a->shape, dtype_or(a->dtype, a->x));
}

/** An uninitialized tensor of the given shape with the dtype and device of x. */
OP(new_empty, new_args, (y), .infer = new_infer, .exact = true, .run = nothing_run, .no_grad = "no operands",
   .unspecified_values = true, TORCH(""), SAMPLES("(3,4) s(2); () s(); (2) s(0,3); (3) s(2) dtype=i32"))

/** A tensor of zeros of the given shape with the dtype and device of x. */
OP(new_zeros, new_args, (y), .infer = new_infer, .exact = true, .run = zeros_run, .no_grad = "no operands",
   TORCH("x.new_zeros(shape, dtype=dtype)"), SAMPLES("(3,4) s(2); () s(); (2) s(0,3); (3) s(2) dtype=i32"))

/** A tensor of ones of the given shape with the dtype and device of x. */
OP(new_ones, new_args, (y), .infer = new_infer, .exact = true, .run = ones_run, .no_grad = "no operands",
   TORCH("x.new_ones(shape, dtype=dtype)"), SAMPLES("(3,4) s(2); () s(); (2) s(0,3); (3) s(2) dtype=i32"))

typedef struct {
    fa_like x;                     /* gives the device, and the dtype unless it is given */
    fa_shape shape;                /* FA_SHAPE(3, 4), or FA_SCALAR for a 0-dim tensor */
    fa_arg value;                  /* the value of every element: a number or a 0-dim tensor */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME means x's dtype */
    bool requires_grad OPT(false); /* true: the result is a leaf that accumulates a gradient */
} new_full_args;

static bool new_full_infer(fa__call *c)
{
    const new_full_args *a = c->args;
    return fa__infer_filled(c, a->shape, dtype_or(a->dtype, a->x), &a->value);
}

static bool new_full_run(fa__call *c)
{
    const new_full_args *a = c->args;
    return fa__run_filled(c, &a->value);
}

/** A tensor of the given shape with every element set to value, with the dtype and device of x. A number outside the
 *  range of the dtype is an error. */
OP(new_full, new_full_args, (y), .infer = new_full_infer, .exact = true, .run = new_full_run, .no_grad = "a constant",
   TORCH("x.new_full(shape, value, dtype=dtype)"),
   SAMPLES("(3,4) s(2) 2; () s() 1; (2) s(0,3) 1; (3) s(2) 1.5 dtype=f64"))

#include "like.rows"
