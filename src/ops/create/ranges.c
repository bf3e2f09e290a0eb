/* Ranges, identity, triangular indices. */
#include "ops/create/creation.h"
#include <math.h>

typedef struct {
    double start;                  /* the first value */
    double end;                    /* the last value */
    int64_t steps;                 /* number of values */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME means f32 */
    fa_device device OPT({0, 0});  /* the device of the result; default: the current default device */
    bool requires_grad OPT(false); /* true: the result is a leaf that accumulates a gradient */
} linspace_args;

static bool infer_steps(fa__call *c, int64_t steps, fa_dtype dtype)
{
    if (steps < 0)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "steps is negative");
    return fa__infer_shape(c, dtype ? dtype : FA_F32, 1, &steps);
}

static bool linspace_infer(fa__call *c)
{
    const linspace_args *a = c->args;
    return infer_steps(c, a->steps, a->dtype);
}

/* Integer results are computed in f64 and then truncated, and start and end are truncated first, as in PyTorch. */
static bool run_series(fa__call *c, double start, double end, int64_t steps, const double *base)
{
    fa_tensor *y = c->out[0], *work = y;
    if (!fa__dtype_is_float(y->dtype)) {
        start = trunc(start);
        end = trunc(end);
        work = fa__own(fa__tensor_empty(c->plan.device, FA_F64, 1, y->shape, c->plan.queue));
    }
    fa__bound bound[] = {{.name = "start", .value = fa__arg_f(start)},
                         {.name = "end", .value = fa__arg_f(steps > 1 ? end : start)},
                         {.name = "step", .value = fa__arg_f(steps > 1 ? (end - start) / (double)(steps - 1) : 0)},
                         {.name = "half", .value = fa__arg_i(steps / 2)},
                         {.name = "last", .value = fa__arg_i(steps - 1)},
                         {.name = "base", .value = fa__arg_f(base ? *base : 0)}};
    bool good =
        work
        && (base ? fa__run_expression(
                c, work, "pow(base, index() < half ? start + step * index() : end - step * (last - index()))", 6, bound)
                 : fa__run_expression(
                     c, work, "index() < half ? start + step * index() : end - step * (last - index())", 5, bound));
    return good && (work == y || fa__run_copy(c, y, work));
}

static bool linspace_run(fa__call *c)
{
    const linspace_args *a = c->args;
    return run_series(c, a->start, a->end, a->steps, NULL);
}

/** `steps` evenly spaced values from start to end, both included: shape (steps). */
OP(linspace, linspace_args, (y), .infer = linspace_infer, .run = linspace_run, .no_grad = "no operands",
   TORCH("linspace(start, end, steps, dtype=dtype)"),
   SAMPLES("0.0 1.0 5; -2.0 3.0 8 dtype=f64; 3.0 1.0 4; 2.0 5.0 1; 0.0 1.0 0; 0.0 10.0 7 dtype=i64; -1.5 2.5 4 "
           "dtype=f16; 5.0 "
           "-4.0 6 dtype=i8"))

typedef struct {
    double start;                  /* the first exponent */
    double end;                    /* the last value */
    int64_t steps;                 /* number of values */
    double base OPT(10);           /* the base of the powers */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME means f32 */
    fa_device device OPT({0, 0});  /* the device of the result; default: the current default device */
    bool requires_grad OPT(false); /* true: the result is a leaf that accumulates a gradient */
} logspace_args;

static bool logspace_infer(fa__call *c)
{
    const logspace_args *a = c->args;
    return infer_steps(c, a->steps, a->dtype);
}

static bool logspace_run(fa__call *c)
{
    const logspace_args *a = c->args;
    return run_series(c, a->start, a->end, a->steps, &a->base);
}

/** base raised to `steps` evenly spaced exponents from start to end, both included: shape (steps). */
OP(logspace, logspace_args, (y), .infer = logspace_infer, .run = logspace_run, .no_grad = "no operands",
   TORCH("logspace(start, end, steps, base, dtype=dtype)"), ALSO("`geomspace`, given the exponents"),
   SAMPLES("0.0 2.0 5; -1.0 1.0 4 base=2 dtype=f64; 0.0 3.0 4 dtype=i32; 1.0 2.0 1; 0.0 1.0 0"))

/* ---- identity matrix ---- */

typedef struct {
    int64_t n;                     /* number of rows */
    int64_t m OPT(-1);             /* number of columns; -1 means n */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME means f32 */
    fa_device device OPT({0, 0});  /* the device of the result; default: the current default device */
    bool requires_grad OPT(false); /* true: the result is a leaf that accumulates a gradient */
} eye_args;

static bool eye_infer(fa__call *c)
{
    const eye_args *a = c->args;
    if (a->n < 0 || a->m < -1)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "there cannot be %lld %s", (long long)(a->n < 0 ? a->n : a->m),
                             a->n < 0 ? "rows" : "columns");
    return fa__infer_shape(c, a->dtype ? a->dtype : FA_F32, 2, (int64_t[]){a->n, a->m < 0 ? a->n : a->m});
}

static bool eye_run(fa__call *c)
{
    fa_tensor *y = c->out[0], *part = fa__own(fa__tensor_alias(y));
    if (!part || !fa__run_expression(c, y, "0", 0, NULL))
        return false;
    part->shape[0] = y->shape[0] < y->shape[1] ? y->shape[0] : y->shape[1];
    part->stride[0] = part->shape[0] ? y->stride[0] + y->stride[1] : 1;
    part->rank = 1;
    part->dense = false;
    return fa__run_expression(c, part, "1", 0, NULL);
}

/** An n x m matrix with ones on the main diagonal and zeros elsewhere. */
OP(eye, eye_args, (y), .infer = eye_infer, .exact = true, .run = eye_run, .no_grad = "no operands",
   TORCH("eye(n, n if m < 0 else m, dtype=dtype)"), ALSO("`identity`"),
   SAMPLES("3; 2 m=4; 4 m=2 dtype=i64; 0; 3 m=0; 2 dtype=bool; 2 dtype=bf16"))

/* ---- indices of triangles ---- */

typedef struct {
    int64_t row;                  /* number of rows of the matrix */
    int64_t col;                  /* number of columns of the matrix */
    int64_t offset OPT(0);        /* which diagonal bounds the triangle: 0 the main one, positive above it */
    fa_dtype dtype OPT(FA_SAME);  /* FA_SAME means i64 */
    fa_device device OPT({0, 0}); /* the device of the result; default: the current default device */
} triangle_indices_args;

static int64_t held(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* The number of elements in rows i = 0 to rows - 1 whose column is below i + shift. */
static int64_t count_below(int64_t rows, int64_t columns, int64_t shift)
{
    int64_t some = held(-shift, 0, rows), all = held(columns - shift, some, rows), ramp = all - some;
    return ramp * shift + (some + all - 1) * ramp / 2 + (rows - all) * columns;
}

static bool infer_places(fa__call *c, bool upper)
{
    const triangle_indices_args *a = c->args;
    int64_t all;
    if (a->row < 0 || a->col < 0 || !fa__mul_i64(a->row, a->col, &all) || all > INT64_MAX / 16)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "%lld rows of %lld columns", (long long)a->row, (long long)a->col);
    int64_t count = 0;
    if (all) {
        int64_t offset = held(a->offset, -a->row - 1, a->col + 1);
        count = upper ? all - count_below(a->row, a->col, offset) : count_below(a->row, a->col, offset + 1);
    }
    return fa__infer_shape(c, a->dtype ? a->dtype : FA_I64, 2, (int64_t[]){2, count});
}

static bool tril_indices_infer(fa__call *c)
{
    return infer_places(c, false);
}

static bool triu_indices_infer(fa__call *c)
{
    return infer_places(c, true);
}

/** The indices of the lower triangle of a row x col matrix, in row-major order: (2, k), row indices in the first row,
 *  column indices in the second. */
OP(tril_indices, triangle_indices_args, (y), .infer = tril_indices_infer, .no_grad = "no operands",
   TORCH("tril_indices(row, col, offset, dtype=dtype or int64)"),
   SAMPLES("3 4; 4 3 offset=1; 3 3 offset=-1; 0 3; 3 0; 2 5 offset=9; 5 2 offset=-9; 9 4 offset=-3 dtype=i32"))

/** The indices of the upper triangle of a row x col matrix, in row-major order: (2, k), row indices in the first row,
 *  column indices in the second. */
OP(triu_indices, triangle_indices_args, (y), .infer = triu_indices_infer, .no_grad = "no operands",
   TORCH("triu_indices(row, col, offset, dtype=dtype or int64)"),
   SAMPLES("3 4; 4 3 offset=1; 3 3 offset=-1; 0 3; 3 0; 2 5 offset=9; 5 2 offset=-9; 9 4 offset=-3 dtype=i32"))

#include "ranges.rows"
