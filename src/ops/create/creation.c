/* Making tensors: filled, counted, and random. */
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
    fa_shape shape;                /* FA_SHAPE(3, 4) or FA_SCALAR */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME: f32 */
    fa_device device OPT({0, 0});  /* where it is made; by default the settings' device */
    bool requires_grad OPT(false); /* it is a leaf that collects a gradient */
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

/** A tensor of zeros. */
OP(zeros, shape_args, (y), .infer = shape_infer, .exact = true, .run = zeros_run, .no_grad = "no operands",
   TORCH("zeros(shape, dtype=dtype)"), SAMPLES("s(3,4); s(); s(0,2); s(3) dtype=i64; s(2) dtype=bool"))

/** A tensor of ones. */
OP(ones, shape_args, (y), .infer = shape_infer, .exact = true, .run = ones_run, .no_grad = "no operands",
   TORCH("ones(shape, dtype=dtype)"), SAMPLES("s(3,4); s(); s(0,2); s(3) dtype=i64; s(2) dtype=bf16"))

typedef struct {
    fa_like x;                     /* gives the shape, and what the options leave open */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME: that of x */
    bool requires_grad OPT(false); /* it is a leaf that collects a gradient */
} new_like_args;

static bool new_like_infer(fa__call *c)
{
    const new_like_args *a = c->args;
    return fa__infer_like(c, a->x, a->dtype ? a->dtype : (fa_dtype)a->x->dtype);
}

/** Zeros with the shape, dtype and device of another tensor. */
OP(zeros_like, new_like_args, (y), .infer = new_like_infer, .exact = true, .run = zeros_run, .no_grad = "no operands",
   TORCH("zeros_like(x, dtype=dtype)"), SAMPLES("(3,4); (); (0,2); (3) dtype=i32"))

/** Ones with the shape, dtype and device of another tensor. */
OP(ones_like, new_like_args, (y), .infer = new_like_infer, .exact = true, .run = ones_run, .no_grad = "no operands",
   TORCH("ones_like(x, dtype=dtype)"), SAMPLES("(3,4); (); (0,2); (3) dtype=i32"))

typedef struct {
    fa_shape shape;                /* FA_SHAPE(3, 4) or FA_SCALAR */
    fa_arg value;                  /* of every element: a number, or a 0-dim tensor */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME: bool, i64 or f32, as the value is */
    fa_device device OPT({0, 0});  /* where it is made; by default the settings' device */
    bool requires_grad OPT(false); /* it is a leaf that collects a gradient */
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
    double v = whole ? (double)number->as.i : number->as.f;
    if ((whole && dtype == FA_I64) || fa__dtype_holds(dtype, v))
        return true;
    char text[40];
    struct fa__text shown = fa__text_in(text, sizeof text);
    fa__text_add_number(&shown, v);
    return fa__call_fail(c, FA_ERROR_ARGUMENT, "%s does not fit into %s", text, fa_dtype_name(dtype));
}

/* Down to where the bits of a whole number are those of the unsigned one; fractions are cut off. */
bool fa__check_written(const fa__call *c, fa_dtype dtype, const fa_arg *number)
{
    bool whole = number->kind == FA__ARG_INT;
    if (whole && dtype == FA_U8 && number->as.i < 0 && number->as.i >= -UINT8_MAX)
        return true;
    if (number->kind == FA__ARG_FLOAT && number->as.f > 0 && !fa__dtype_is_float(dtype)
        && fa__dtype_holds(dtype, floor(number->as.f)))
        return true;
    return fa__check_holds(c, dtype, number);
}

bool fa__infer_filled(fa__call *c, fa_shape shape, fa_dtype dtype, const fa_arg *value)
{
    bool tensor = value->kind == FA__ARG_TENSOR;
    if (tensor && value->as.t->rank)
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
    fa_dtype dtype = a->dtype ? a->dtype : (fa_dtype)(tensor ? a->value.as.t->dtype : own[a->value.kind]);
    return fa__infer_filled(c, a->shape, dtype, &a->value);
}

static bool full_run(fa__call *c)
{
    const full_args *a = c->args;
    return fa__run_filled(c, &a->value);
}

/** A tensor of one value. A number that the dtype does not hold is an error. */
OP(full, full_args, (y), .infer = full_infer, .exact = true, .run = full_run, .no_grad = "a constant",
   TORCH("full(shape, value, dtype=dtype)"),
   SAMPLES("s(3,4) 2; s() 1.5; s(0,2) 1; s(3) true; s(3) 7 dtype=u8; s(2) 2.5 dtype=f64"))

typedef struct {
    double start;                  /* the first value */
    double end;                    /* values stay below it (above it when step is negative) */
    double step OPT(1);            /* between neighbours; not 0 */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME: i64 when all three are whole numbers, else f32 */
    fa_device device OPT({0, 0});  /* where it is made; by default the settings' device */
    bool requires_grad OPT(false); /* it is a leaf that collects a gradient */
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

/** start, start + step, and so on, as long as it is below end. */
OP(arange, arange_args, (y), .infer = arange_infer, .run = arange_run, .no_grad = "no operands",
   TORCH("arange(start, end, step, dtype=dtype or (int64 if start % 1 == 0 and end % 1 == 0 and step % 1 == 0 else "
         "None))"),
   SAMPLES("0.0 5.0; 1.0 2.0 step=0.25; 5.0 0.0 step=-2.0; 0.0 0.0; 0.0 4.0 dtype=f16"))

/* ---- random ---- */

typedef struct {
    fa_shape shape;                /* FA_SHAPE(3, 4) or FA_SCALAR */
    fa_dtype dtype OPT(FA_SAME);   /* a floating one; FA_SAME: f32 */
    fa_device device OPT({0, 0});  /* where it is made; by default the settings' device */
    bool requires_grad OPT(false); /* it is a leaf that collects a gradient */
    fa__key key;                   /* names the draw */
} random_args;

static bool random_infer(fa__call *c)
{
    const random_args *a = c->args;
    if (a->dtype && !fa__dtype_is_float(a->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "random numbers of this kind are floating");
    return fa__infer_new(c, a->shape, a->dtype);
}

/* Narrow dtypes get as many bits as they hold, cut off: rounding could give 1. */
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

/** Random numbers, uniform in [0, 1), of the default generator: the same on every device. */
OP(rand, random_args, (y), .infer = random_infer, .run = rand_run, .no_grad = "no operands", TORCH(""),
   SAMPLES("s(3,4); s(); s(0,2); s(5) dtype=f64"))

/** Random numbers, normal with mean 0 and deviation 1, of the default generator: the same on every device. */
OP(randn, random_args, (y), .infer = random_infer, .run = randn_run, .no_grad = "no operands", TORCH(""),
   SAMPLES("s(3,4); s(); s(0,2); s(5) dtype=f64"))

typedef struct {
    int64_t n;                    /* how many, 0 or more */
    fa_dtype dtype OPT(FA_SAME);  /* FA_SAME: i64 */
    fa_device device OPT({0, 0}); /* where it is made; by default the settings' device */
    fa__key key;                  /* names the draw */
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

/** The numbers 0 to n - 1 in a random order of the default generator: the same on every device. */
OP(randperm, randperm_args, (y), .infer = randperm_infer, .no_grad = "no operands", TORCH(""),
   SAMPLES("5; 0; 100; 6 dtype=i32"))

#include "creation.rows"
