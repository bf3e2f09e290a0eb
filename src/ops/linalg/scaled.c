/* Matrix products of numbers in f8, which stand for more than they hold by scale factors. */
#include "dispatch/call.h"
#include "ids.h"

typedef struct {
    const fa_tensor *a; /* (n, k): f8, f32 or f64 */
    const fa_tensor *b; /* (k, m): f8, or a's dtype */
} mm_f8_args;

static bool is_f8(const fa_tensor *t)
{
    return fa__dtype_is_storage(t->dtype);
}

static bool mm_f8_infer(fa__call *c)
{
    const mm_f8_args *a = c->args;
    if (a->a->rank != 2 || a->b->rank != 2 || a->a->shape[1] != a->b->shape[0])
        return fa__call_fail(c, FA_ERROR_SHAPE, "a has to be (n, k), and b (k, m)");
    bool f8 = is_f8(a->a) && is_f8(a->b), wide = a->a->dtype == FA_F32 || a->a->dtype == FA_F64;
    if (!f8 && !(wide && a->b->dtype == a->a->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "a and b have to be f8, or both f32 or f64");
    return fa__infer_shape(c, f8 ? FA_F32 : (fa_dtype)a->a->dtype, 2, (int64_t[]){a->a->shape[0], a->b->shape[1]});
}

static fa_tensor *widened(const fa_tensor *t)
{
    return fa_to(t, is_f8(t) ? FA_F32 : (fa_dtype)t->dtype);
}

static bool mm_f8_run(fa__call *c)
{
    const mm_f8_args *a = c->args;
    if (c->plan.device->backend->has_kernel(c->op))
        return fa__run_kernel(c);
    FA_SCOPE;
    FA_USE(.no_grad = true, .autocast = FA_SAME);
    return fa__run_copy(c, c->out[0], fa_mm(widened(a->a), widened(a->b)));
}

static void mm_f8_grad(fa__back *b)
{
    const mm_f8_args *a = b->args;
    const fa_tensor *g = b->gy[0];
    if (fa__wants(b, &a->a))
        fa__set_input_grad(b, &a->a, fa_mm(g, fa_t(widened(a->b))));
    if (fa__wants(b, &a->b))
        fa__set_input_grad(b, &a->b, fa_mm(fa_t(widened(a->a)), g));
}

/** The product of two matrices. Of f8 it is f32. */
OP(mm_f8, mm_f8_args, (y), .infer = mm_f8_infer, .run = mm_f8_run, .grad = mm_f8_grad,
   .keep = KEEP(b for a, a for b), .widens = true, INTERNAL, TORCH(""),
   SAMPLES("(2,3) (3,4); (2,0) (0,3); (0,3) (3,2); (1,1) (1,1); (70,9) (9,66)"))

/* ---- the public operation ---- */

typedef struct {
    const fa_tensor *a; /* (n, k): floating, also f8 */
    const fa_tensor *b; /* (k, m): of a's dtype; if a is f8, of the same or the other f8 dtype */
    fa_arg scale_a;     /* a number, a 0-dim tensor, or (n, 1): a's elements stand for scale_a times them */
    fa_arg scale_b;     /* a number, a 0-dim tensor, or (1, m): the same for b */
    const fa_tensor *bias OPT(NULL); /* (m), floating: is added to each row of the result; NULL: none */
    fa_dtype dtype OPT(FA_SAME);     /* the result's floating dtype; FA_SAME means a's, and bf16 if that is f8 */
} scaled_mm_args;

static bool check_scale(const fa__call *c, const char *name, const fa_arg *scale, int64_t rows, int64_t columns)
{
    const fa_tensor *t = scale->kind == FA__ARG_TENSOR ? fa__tensor_in(*scale) : NULL;
    if (!t || !t->rank || (t->rank == 2 && t->shape[0] == rows && t->shape[1] == columns))
        return true;
    return fa__call_fail(c, FA_ERROR_SHAPE, "%s has to be a number, a 0-dim tensor, or of shape (%lld, %lld)", name,
                         (long long)rows, (long long)columns);
}

static bool check_scaled(const fa__call *c, const scaled_mm_args *a, fa_dtype dtype)
{
    if (a->a->rank != 2 || a->b->rank != 2 || a->a->shape[1] != a->b->shape[0])
        return fa__call_fail(c, FA_ERROR_SHAPE, "a has to be (n, k), and b (k, m)");
    if (!fa__dtype_is_float(a->a->dtype) || (a->a->dtype != a->b->dtype && !(is_f8(a->a) && is_f8(a->b))))
        return fa__call_fail(c, FA_ERROR_DTYPE, "a and b have to be f8, or of one floating dtype");
    if (!fa__dtype_is_float(dtype) || fa__dtype_is_storage(dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "dtype is %s, and has to be f16, bf16, f32 or f64",
                             fa_dtype_name(dtype));
    if (a->bias && (a->bias->rank != 1 || a->bias->shape[0] != a->b->shape[1]))
        return fa__call_fail(c, FA_ERROR_SHAPE, "bias has to be (m)");
    return check_scale(c, "scale_a", &a->scale_a, a->a->shape[0], 1)
           && check_scale(c, "scale_b", &a->scale_b, 1, a->b->shape[1]);
}

/* The product of the elements, in f32 or f64. */
static fa_tensor *product(const fa_tensor *a, const fa_tensor *b)
{
    if (a->dtype == FA_F16 || a->dtype == FA_BF16)
        return fa__mm_f8(fa_to(a, FA_F32), fa_to(b, FA_F32));
    return fa__mm_f8(a, b);
}

static fa_tensor *scaled_mm_compose(fa__call *c)
{
    const scaled_mm_args *a = c->args;
    char text[60];
    const fa_dtype dtype = a->dtype != FA_SAME ? a->dtype : is_f8(a->a) ? FA_BF16 : (fa_dtype)a->a->dtype;
    if (!check_scaled(c, a, dtype))
        return NULL;
    FA_USE(.autocast = FA_SAME);
    const fa_tensor *y = product(a->a, a->b);
    if (!y)
        return NULL;
    snprintf(text, sizeof text, "%s(x * y * z%s)", fa_dtype_name(dtype), a->bias ? " + w" : "");
    return a->bias ? fa_pointwise(text, y, a->scale_a, a->scale_b, a->bias)
                   : fa_pointwise(text, y, a->scale_a, a->scale_b);
}

/** The product of matrices that hold scaled numbers: (scale_a * a) @ (scale_b * b) + bias. It is computed in f32 (f64
 * for f64), also where a and b are f8, which saves memory and, with cuBLASLt on GPUs that multiply f8, time. There b is
 * read fastest in the order of a transposed matrix: fa_t(weight). A usual scale is the largest magnitude of a tensor
 * divided by the largest number of its dtype, 448 for FA_F8_E4M3FN:
 *
 *      fa_tensor *scale = fa_div(fa_amax(fa_abs(x)), 448.0);
 *      fa_tensor *x8 = fa_to(fa_div(x, scale), FA_F8_E4M3FN);
 *      fa_tensor *y = fa_scaled_mm(x8, w8, scale, w_scale);
 *
 *  Source: Micikevicius et al. 2022, "FP8 formats for deep learning". */
OP(scaled_mm, scaled_mm_args, (y), .compose = scaled_mm_compose, .widens = true,
   DIFFERS("f16 bf16 i64 i32 u8 bool: integers are refused; PyTorch rounds scaled operands in 16 bits"),
   TORCH("((a * scale_a) @ (b * scale_b) + (0 if bias is None else bias)).to(dtype or a.dtype)"), ALSO("`_scaled_mm`"),
   SAMPLES(
       "(2,3) (3,4) 2.0 0.5; (2,3) (3,4) (2,1) (1,4) bias=(4); (2,0) (0,3) () () bias=(3) dtype=f32; (0,3) (3,2) () "
       "3.0; (1,1) (1,1) () 1.0 dtype=f64"))

#include "scaled.rows"
