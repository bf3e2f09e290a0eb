/* Numbers in a row, on a diagonal, and the places of triangles. */
#include "ops/create/creation.h"
#include <math.h>

typedef struct {
    double start;                  /* the first value */
    double end;                    /* the last one */
    int64_t steps;                 /* how many values */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME: f32 */
    fa_device device OPT({0, 0});  /* where it is made; by default the settings' device */
    bool requires_grad OPT(false); /* it is a leaf that collects a gradient */
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

/* Integers are made of f64, as PyTorch does, and then cut off; ends that are not whole are so before. */
static bool run_series(fa__call *c, double start, double end, int64_t steps, const double *base)
{
    fa_tensor *y = c->out[0], *work = y;
    if (!fa__dtype_is_float(y->dtype)) {
        start = trunc(start);
        end = trunc(end);
        work = fa__own(fa__tensor_empty(c->device, FA_F64, 1, y->shape, c->queue));
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
    return good
           && (work == y || fa__run_expression(c, y, "x", 1, (fa__bound[]){{.name = "x", .value = fa__arg_t(work)}}));
}

static bool linspace_run(fa__call *c)
{
    const linspace_args *a = c->args;
    return run_series(c, a->start, a->end, a->steps, NULL);
}

/** So many values from start to end, equally far apart. */
OP(linspace, linspace_args, (y), .infer = linspace_infer, .run = linspace_run, .no_grad = "no operands",
   TORCH("linspace(start, end, steps, dtype=dtype)"),
   SAMPLES("0.0 1.0 5; -2.0 3.0 8 dtype=f64; 3.0 1.0 4; 2.0 5.0 1; 0.0 1.0 0; 0.0 10.0 7 dtype=i64; -1.5 2.5 4 "
           "dtype=f16; 5.0 "
           "-4.0 6 dtype=i8"))

typedef struct {
    double start;                  /* the first exponent */
    double end;                    /* the last one */
    int64_t steps;                 /* how many values */
    double base OPT(10);           /* whose powers they are */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME: f32 */
    fa_device device OPT({0, 0});  /* where it is made; by default the settings' device */
    bool requires_grad OPT(false); /* it is a leaf that collects a gradient */
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

/** So many powers of base, whose exponents are equally far apart from start to end. */
OP(logspace, logspace_args, (y), .infer = logspace_infer, .run = logspace_run, .no_grad = "no operands",
   TORCH("logspace(start, end, steps, base, dtype=dtype)"), ALSO("`geomspace`, by its exponents"),
   SAMPLES("0.0 2.0 5; -1.0 1.0 4 base=2 dtype=f64; 0.0 3.0 4 dtype=i32; 1.0 2.0 1; 0.0 1.0 0"))

/* ---- on a diagonal ---- */

typedef struct {
    int64_t n;                     /* rows */
    int64_t m OPT(-1);             /* columns; -1: as many */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME: f32 */
    fa_device device OPT({0, 0});  /* where it is made; by default the settings' device */
    bool requires_grad OPT(false); /* it is a leaf that collects a gradient */
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
    part->stride[0] = y->stride[0] + y->stride[1];
    part->rank = 1;
    part->dense = false;
    return fa__run_expression(c, part, "1", 0, NULL);
}

/** A matrix with ones on its diagonal, and zeros. */
OP(eye, eye_args, (y), .infer = eye_infer, .exact = true, .run = eye_run, .no_grad = "no operands",
   TORCH("eye(n, n if m < 0 else m, dtype=dtype)"), ALSO("`identity`"),
   SAMPLES("3; 2 m=4; 4 m=2 dtype=i64; 0; 3 m=0; 2 dtype=bool; 2 dtype=bf16"))

/* ---- places ---- */

typedef struct {
    int64_t row;                  /* of the matrix: how many rows, */
    int64_t col;                  /* and how many columns */
    int64_t offset OPT(0);        /* of the diagonal that bounds the triangle, above the main one */
    fa_dtype dtype OPT(FA_SAME);  /* FA_SAME: i64 */
    fa_device device OPT({0, 0}); /* where it is made; by default the settings' device */
} triangle_indices_args;

static int64_t held(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* How many elements stand in columns below i + shift, of rows i = 0 to rows - 1. */
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
    int64_t offset = held(a->offset, -a->row - 1, a->col + 1), count = 0;
    if (all)
        count = upper ? all - count_below(a->row, a->col, offset) : count_below(a->row, a->col, offset + 1);
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

/** The places of a matrix's lower triangle, row by row: (2, k), rows above columns. */
OP(tril_indices, triangle_indices_args, (y), .infer = tril_indices_infer, .no_grad = "no operands",
   TORCH("tril_indices(row, col, offset, dtype=dtype or int64)"),
   SAMPLES("3 4; 4 3 offset=1; 3 3 offset=-1; 0 3; 3 0; 2 5 offset=9; 5 2 offset=-9; 9 4 offset=-3 dtype=i32"))

/** The places of a matrix's upper triangle, row by row: (2, k), rows above columns. */
OP(triu_indices, triangle_indices_args, (y), .infer = triu_indices_infer, .no_grad = "no operands",
   TORCH("triu_indices(row, col, offset, dtype=dtype or int64)"),
   SAMPLES("3 4; 4 3 offset=1; 3 3 offset=-1; 0 3; 3 0; 2 5 offset=9; 5 2 offset=-9; 9 4 offset=-3 dtype=i32"))

#include "ranges.rows"
