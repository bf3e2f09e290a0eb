/* Creating tensors: zeros, ones, constants, arange and random numbers. */
#include "ops/create/creation.h"
#include "base/text.h"
#include "dispatch/promote.h"
#include <math.h>

bool fa__infer_new(fa__call *c, fa_shape shape, fa_dtype dtype)
{
    if (shape.rank < 0 || shape.rank > FA_MAX_DIMS)
        return fa__call_fail(c, FA_ERROR_SHAPE, "%d dimensions: a tensor has 0 to %d", shape.rank, FA_MAX_DIMS);
    return fa__infer_shape(c, dtype == FA_SAME ? FA_F32 : dtype, shape.rank, shape.dim);
}

typedef struct {
    fa_shape shape;                /* FA_SHAPE(3, 4), or FA_SCALAR for a 0-dim tensor */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME means f32 */
    fa_device device OPT({0, 0});  /* the device of the result; default: the current default device */
    bool requires_grad OPT(false); /* true: the result is a leaf that accumulates a gradient */
} shape_args;

static bool shape_infer(fa__call *c)
{
    const shape_args *a = c->args;
    return fa__infer_new(c, a->shape, a->dtype);
}

static bool zeros_run(fa__call *c)
{
    return fa__run_expression(c, c->out[0], "0", 0, NULL);
}

static bool ones_run(fa__call *c)
{
    return fa__run_expression(c, c->out[0], "1", 0, NULL);
}

/** A tensor filled with 0, as torch.zeros. */
OP(zeros, shape_args, (y), .infer = shape_infer, .exact = true, .run = zeros_run, .no_grad = "no operands",
   TORCH("zeros(shape, dtype=dtype)"), SAMPLES("s(3,4); s(); s(0,2); s(3) dtype=i64; s(2) dtype=bool"))

/** A tensor filled with 1, as torch.ones. */
OP(ones, shape_args, (y), .infer = shape_infer, .exact = true, .run = ones_run, .no_grad = "no operands",
   TORCH("ones(shape, dtype=dtype)"), SAMPLES("s(3,4); s(); s(0,2); s(3) dtype=i64; s(2) dtype=bf16"))

typedef struct {
    fa_like x;                     /* gives the shape and device, and the dtype unless it is given */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME means x's dtype */
    bool requires_grad OPT(false); /* true: the result is a leaf that accumulates a gradient */
} new_like_args;

static bool new_like_infer(fa__call *c)
{
    const new_like_args *a = c->args;
    return fa__infer_like(c, a->x, a->dtype ? a->dtype : (fa_dtype)a->x->dtype);
}

/** A tensor of zeros with the shape, dtype and device of x. */
OP(zeros_like, new_like_args, (y), .infer = new_like_infer, .exact = true, .run = zeros_run, .no_grad = "no operands",
   TORCH("zeros_like(x, dtype=dtype)"), SAMPLES("(3,4); (); (0,2); (3) dtype=i32"))

/** A tensor of ones with the shape, dtype and device of x. */
OP(ones_like, new_like_args, (y), .infer = new_like_infer, .exact = true, .run = ones_run, .no_grad = "no operands",
   TORCH("ones_like(x, dtype=dtype)"), SAMPLES("(3,4); (); (0,2); (3) dtype=i32"))

typedef struct {
    fa_shape shape;                /* FA_SHAPE(3, 4), or FA_SCALAR for a 0-dim tensor */
    fa_arg value;                  /* the value of every element: a number or a 0-dim tensor */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME: bool, i64 or f32, depending on the type of value */
    fa_device device OPT({0, 0});  /* the device of the result; default: the current default device */
    bool requires_grad OPT(false); /* true: the result is a leaf that accumulates a gradient */
} full_args;

bool fa__dtype_holds(fa_dtype dtype, double v)
{
    const fa_dtype_info *d = &fa__dtypes[dtype].info;
    if (dtype == FA_BOOL || isnan(v))
        return dtype == FA_BOOL || fa__dtype_is_float(dtype);
    if (!fa__dtype_is_float(dtype))
        return v >= d->lowest && v <= d->largest;
    if (isinf(v))
        return fa__dtype_has_infinity(dtype);
    /* half a step above the largest number goes up where that one is odd */
    double step = ldexp(1, ilogb(d->largest) - d->digits + 1), above = fabs(v) - d->largest;
    return above < step / 2 || (above == step / 2 && fmod(d->largest / step, 2) == 0);
}

bool fa__check_holds(const fa__call *c, fa_dtype dtype, const fa_arg *number)
{
    bool whole = number->kind != FA__ARG_FLOAT;
    double v = whole ? (double)fa__int_in(*number) : fa__double_in(*number);
    if ((whole && dtype == FA_I64) || fa__dtype_holds(dtype, v))
        return true;
    char text[40];
    struct fa__text shown = fa__text_in(text, sizeof text);
    fa__text_add_number(&shown, v);
    return fa__call_fail(c, FA_ERROR_ARGUMENT, "%s does not fit into %s", text, fa_dtype_name(dtype));
}

/* Whether a number can be written into a dtype: u8 also accepts -255 to -1, which wrap around (-1 becomes 255), and
 * fractions are truncated. */
bool fa__check_written(const fa__call *c, fa_dtype dtype, const fa_arg *number)
{
    bool whole = number->kind == FA__ARG_INT;
    if (whole && dtype == FA_U8 && fa__int_in(*number) < 0 && fa__int_in(*number) >= -UINT8_MAX)
        return true;
    if (number->kind == FA__ARG_FLOAT && fa__double_in(*number) > 0 && !fa__dtype_is_float(dtype)
        && fa__dtype_holds(dtype, floor(fa__double_in(*number))))
        return true;
    return fa__check_holds(c, dtype, number);
}

bool fa__infer_filled(fa__call *c, fa_shape shape, fa_dtype dtype, const fa_arg *value)
{
    bool tensor = value->kind == FA__ARG_TENSOR;
    if (tensor && fa__tensor_in(*value)->rank)
        return fa__call_fail(c, FA_ERROR_SHAPE, "the value has to be a number or a 0-dim tensor");
    if (!tensor && !fa__check_written(c, dtype, value))
        return false;
    return fa__infer_new(c, shape, dtype);
}

bool fa__run_filled(fa__call *c, const fa_arg *value)
{
    return fa__run_expression(c, c->out[0], "value", 1, (fa__bound[]){{.name = "value", .value = *value}});
}

static bool full_infer(fa__call *c)
{
    const full_args *a = c->args;
    static const uint8_t own[] = {[FA__ARG_FLOAT] = FA_F32, [FA__ARG_INT] = FA_I64, [FA__ARG_BOOL] = FA_BOOL};
    bool tensor = a->value.kind == FA__ARG_TENSOR;
    fa_dtype dtype = a->dtype ? a->dtype : (fa_dtype)(tensor ? fa__tensor_in(a->value)->dtype : own[a->value.kind]);
    return fa__infer_filled(c, a->shape, dtype, &a->value);
}

static bool full_run(fa__call *c)
{
    const full_args *a = c->args;
    return fa__run_filled(c, &a->value);
}

/** A tensor with every element set to value. A number outside the range of the dtype is an error. */
OP(full, full_args, (y), .infer = full_infer, .exact = true, .run = full_run, .no_grad = "a constant",
   TORCH("full(shape, value, dtype=dtype)"),
   SAMPLES("s(3,4) 2; s() 1.5; s(0,2) 1; s(3) true; s(3) 7 dtype=u8; s(2) 2.5 dtype=f64"))

typedef struct {
    double start;                  /* the first value */
    double end;                    /* exclusive bound: values stay below it (above it if step is negative) */
    double step OPT(1);            /* difference between neighbouring values; not 0 */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME: i64 if start, end and step are whole numbers, else f32 */
    fa_device device OPT({0, 0});  /* the device of the result; default: the current default device */
    bool requires_grad OPT(false); /* true: the result is a leaf that accumulates a gradient */
} arange_args;

static bool arange_infer(fa__call *c)
{
    const arange_args *a = c->args;
    double n = ceil((a->end - a->start) / a->step);
    bool whole = a->start == floor(a->start) && a->end == floor(a->end) && a->step == floor(a->step);
    if (!isfinite(a->start) || !isfinite(a->end))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "start and end have to be finite");
    if (!isfinite(a->step) || a->step == 0)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "step has to be finite, and not 0");
    if (n < 0)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "step leads away from end");
    if (n > 0x1p62)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "%g elements are more than can be addressed", n);
    return fa__infer_shape(c, a->dtype ? a->dtype : whole ? FA_I64 : FA_F32, 1, (int64_t[]){(int64_t)n});
}

static fa_arg number(double v)
{
    return v == floor(v) && fabs(v) < 0x1p53 ? fa__arg_i((int64_t)v) : fa__arg_f(v);
}

static bool arange_run(fa__call *c)
{
    const arange_args *a = c->args;
    fa__bound bound[] = {{.name = "start", .value = number(a->start)}, {.name = "step", .value = number(a->step)}};
    return fa__run_expression(c, c->out[0], "start + index() * step", 2, bound);
}

/** The values start, start + step, start + 2 * step, ... below end (above end if step is negative); the result has
 *  shape (ceil((end - start) / step)). */
OP(arange, arange_args, (y), .infer = arange_infer, .run = arange_run, .no_grad = "no operands",
   TORCH("arange(start, end, step, dtype=dtype or (int64 if start % 1 == 0 and end % 1 == 0 and step % 1 == 0 else "
         "None))"),
   SAMPLES("0.0 5.0; 1.0 2.0 step=0.25; 5.0 0.0 step=-2.0; 0.0 0.0; 0.0 4.0 dtype=f16"))

/* ---- random numbers ---- */

typedef struct {
    fa_shape shape;                /* FA_SHAPE(3, 4), or FA_SCALAR for a 0-dim tensor */
    fa_dtype dtype OPT(FA_SAME);   /* a floating dtype; FA_SAME means f32 */
    fa_device device OPT({0, 0});  /* the device of the result; default: the current default device */
    bool requires_grad OPT(false); /* true: the result is a leaf that accumulates a gradient */
    fa__key key;                   /* identifies the random draw */
} random_args;

static bool random_infer(fa__call *c)
{
    const random_args *a = c->args;
    if (a->dtype && !fa__dtype_is_float(a->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "random numbers of this kind are floating");
    return fa__infer_new(c, a->shape, a->dtype);
}

/* f16 and bf16 get as many random bits as their mantissa holds, truncated: rounding could produce 1, which is
 * excluded. */
bool fa__run_uniform(fa__call *c, const fa__key *key)
{
    fa_tensor *y = c->out[0];
    double n = (double)fa__dtype_whole(y->dtype);
    fa__bound bound[] = {{.name = "key", .key = key}, {.name = "n", .value = fa__arg_f(n)}};
    if (fa__dtype_is_half(y->dtype))
        return fa__run_expression(c, y, "floor(uniform(key) * n) / n", 2, bound);
    return fa__run_expression(c, y, "uniform(key)", 1, bound);
}

bool fa__run_normal(fa__call *c, const fa__key *key)
{
    return fa__run_expression(c, c->out[0], "normal(key)", 1, (fa__bound[]){{.name = "key", .key = key}});
}

static bool rand_run(fa__call *c)
{
    const random_args *a = c->args;
    return fa__run_uniform(c, &a->key);
}

static bool randn_run(fa__call *c)
{
    const random_args *a = c->args;
    return fa__run_normal(c, &a->key);
}

/** Random numbers, uniformly distributed in [0, 1), from the default generator. Every device gives the same numbers for
 *  the same seed. */
OP(rand, random_args, (y), .infer = random_infer, .run = rand_run, .no_grad = "no operands", TORCH(""),
   SAMPLES("s(3,4); s(); s(0,2); s(5) dtype=f64"))

/** Random numbers from the standard normal distribution (mean 0, standard deviation 1), from the default generator.
 *  Every device gives the same numbers for the same seed. */
OP(randn, random_args, (y), .infer = random_infer, .run = randn_run, .no_grad = "no operands", TORCH(""),
   SAMPLES("s(3,4); s(); s(0,2); s(5) dtype=f64"))

typedef struct {
    int64_t n;                    /* number of elements, 0 or more */
    fa_dtype dtype OPT(FA_SAME);  /* FA_SAME means i64 */
    fa_device device OPT({0, 0}); /* the device of the result; default: the current default device */
    fa__key key;                  /* identifies the random draw */
} randperm_args;

static bool randperm_infer(fa__call *c)
{
    const randperm_args *a = c->args;
    if (a->n < 0)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "n is negative");
    if (a->dtype && a->n && (uint64_t)(a->n - 1) > fa__dtype_whole(a->dtype))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "%s does not hold all numbers below n", fa_dtype_name(a->dtype));
    return fa__infer_shape(c, a->dtype ? a->dtype : FA_I64, 1, &a->n);
}

/** A random permutation of the integers 0 to n - 1, from the default generator. Every device gives the same permutation
 *  for the same seed. */
OP(randperm, randperm_args, (y), .infer = randperm_infer, .no_grad = "no operands", TORCH(""),
   SAMPLES("5; 0; 100; 6 dtype=i32"))

#include "creation.rows"
