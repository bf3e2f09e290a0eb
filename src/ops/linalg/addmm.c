/* Matrix products with addition, beta * input + alpha * product. If beta is 0, input is ignored, including NaN in it.
 * All operands have the same dtype, which is not bool; only addr promotes dtypes. For integer tensors alpha and beta
 * are whole numbers. */
#include "dispatch/promote.h"
#include "dispatch/row.h"
#include <math.h>

/* A factor for x: a whole number if x is an integer tensor, so that the product keeps its dtype. */
static fa_arg factor(const fa_tensor *x, double v)
{
    return fa__dtype_is_float(x->dtype) ? fa__arg_f(v) : fa__arg_i((int64_t)v);
}

static bool is_whole(double v)
{
    return fabs(v) <= 0x1p53 && v == (double)(int64_t)v;
}

static bool check_sum(const fa__call *c, const fa_tensor *input, const fa_tensor *product, double beta, double alpha)
{
    if (input->dtype != product->dtype)
        return fa__call_fail(c, FA_ERROR_DTYPE, "input is %s and the product %s: both have to be of one dtype",
                             fa_dtype_name((fa_dtype)input->dtype), fa_dtype_name((fa_dtype)product->dtype));
    if (!fa__dtype_is_float(input->dtype) && !(is_whole(beta) && is_whole(alpha)))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "beta is %g and alpha %g: those of integers are integers", beta,
                             alpha);
    int more = product->rank - input->rank;
    bool fits = more >= 0;
    for (int i = 0; fits && i < input->rank; i++)
        fits = input->shape[i] == 1 || input->shape[i] == product->shape[more + i];
    return fits || fa__call_fail(c, FA_ERROR_SHAPE, "input does not broadcast to the shape of the product");
}

static fa_tensor *add_product(const fa__call *c, const fa_tensor *input, fa_tensor *product, double beta, double alpha)
{
    if (!product || !check_sum(c, input, product, beta, alpha))
        return NULL;
    if (beta == 0)
        return alpha == 1 ? product : fa_mul(product, factor(input, alpha));
    return fa_pointwise("z * x + w * y", input, product, factor(input, beta), factor(input, alpha));
}

typedef struct {
    const fa_tensor *input; /* broadcasts to (n, m) */
    const fa_tensor *a;     /* (n, k) */
    const fa_tensor *b;     /* (k, m) */
    double beta OPT(1);     /* factor for input; 0: input is ignored */
    double alpha OPT(1);    /* factor for the product */
} addmm_args;

static fa_tensor *addmm_compose(fa__call *c)
{
    const addmm_args *a = c->args;
    return add_product(c, a->input, fa_mm(a->a, a->b), a->beta, a->alpha);
}

/** beta * input + alpha * (a @ b) for matrices a (n, k) and b (k, m): the result is (n, m). */
OP(addmm, addmm_args, (y), .compose = addmm_compose, .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW,
   DIFFERS("bool: as matmul"),
   TORCH(
       "addmm(input, a, b, beta=int(beta) if beta % 1 == 0 else beta, alpha=int(alpha) if alpha % 1 == 0 else alpha)"),
   SAMPLES("(2,4) (2,3) (3,4); (4) (2,3) (3,4) beta=2 alpha=3; (2,1) (2,3) (3,4) beta=3 alpha=2; n(2,2) (2,3) (3,2) "
           "beta=0; n(2,2) (2,3) (3,2) beta=0 alpha=2; () (2,0) (0,3); (0,2) (0,3) (3,2)"))

typedef struct {
    const fa_tensor *input; /* broadcasts to (n) */
    const fa_tensor *x;     /* (n, m) */
    const fa_tensor *vec;   /* (m) */
    double beta OPT(1);     /* factor for input; 0: input is ignored */
    double alpha OPT(1);    /* factor for the product */
} addmv_args;

static fa_tensor *addmv_compose(fa__call *c)
{
    const addmv_args *a = c->args;
    return add_product(c, a->input, fa_mv(a->x, a->vec), a->beta, a->alpha);
}

/** beta * input + alpha * (x @ vec) for a matrix x (n, m) and a vector vec (m): the result is (n). */
OP(addmv, addmv_args, (y), .compose = addmv_compose, .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_WIDEST,
   DIFFERS("bool: as matmul"),
   TORCH("addmv(input, x, vec, beta=int(beta) if beta % 1 == 0 else beta, alpha=int(alpha) if alpha % 1 == 0 else "
         "alpha)"),
   SAMPLES("(2) (2,3) (3); (1) (2,3) (3) beta=2 alpha=3; () (2,3) (3) beta=3 alpha=2; n(2) (2,3) (3) beta=0; (2) (2,0) "
           "(0); (0) (0,3) (3)"))

typedef struct {
    const fa_tensor *input; /* broadcasts to (n, m) */
    const fa_tensor *vec1;  /* (n) */
    const fa_tensor *vec2;  /* (m) */
    double beta OPT(1);     /* factor for input; 0: input is ignored */
    double alpha OPT(1);    /* factor for the product */
} addr_args;

static fa_tensor *addr_compose(fa__call *c)
{
    const addr_args *a = c->args;
    if (a->input->dtype == FA_BOOL) {
        fa__call_fail(c, FA_ERROR_DTYPE, "there is no product of bool");
        return NULL;
    }
    fa_dtype dtype = fa__promote((fa_dtype)a->vec1->dtype, (fa_dtype)a->vec2->dtype);
    dtype = fa__promote((fa_dtype)a->input->dtype, dtype);
    const fa_tensor *vec1 = fa_to(a->vec1, dtype), *vec2 = fa_to(a->vec2, dtype);
    fa_tensor *product = vec1 && vec2 ? fa_outer(vec1, vec2) : NULL;
    const fa_tensor *input = product ? fa_to(a->input, dtype) : NULL;
    return input ? add_product(c, input, product, a->beta, a->alpha) : NULL;
}

/** beta * input + alpha * the outer product of vec1 (n) and vec2 (m): the result is (n, m). Computed elementwise, so
 *  dtypes are promoted. */
OP(addr, addr_args, (y), .compose = addr_compose, .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_WIDEST,
   DIFFERS("bool: as matmul"),
   TORCH("addr(input, vec1, vec2, beta=int(beta) if beta % 1 == 0 else beta, alpha=int(alpha) if alpha % 1 == 0 else "
         "alpha)"),
   SAMPLES("(2,3) (2) (3); (3) (2) (3) beta=2 alpha=3; () (2) (3) beta=3 alpha=2; n(2,3) (2) (3) beta=0; (0,3) (0) "
           "(3); i(2,3) (2) (3); (2,3) i(2) i(3) beta=2 alpha=3"))

typedef struct {
    const fa_tensor *input; /* broadcasts to (batch, n, m) */
    const fa_tensor *a;     /* (batch, n, k) */
    const fa_tensor *b;     /* (batch, k, m) */
    double beta OPT(1);     /* factor for input; 0: input is ignored */
    double alpha OPT(1);    /* factor for the products */
} baddbmm_args;

static fa_tensor *baddbmm_compose(fa__call *c)
{
    const baddbmm_args *a = c->args;
    return add_product(c, a->input, fa_bmm(a->a, a->b), a->beta, a->alpha);
}

/** beta * input + alpha * (a @ b) for batches of matrices a (batch, n, k) and b (batch, k, m): the result is (batch, n,
 *  m). */
OP(baddbmm, baddbmm_args, (y), .compose = baddbmm_compose, .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW,
   DIFFERS("bool: as matmul"),
   TORCH("baddbmm(input, a, b, beta=int(beta) if beta % 1 == 0 else beta, alpha=int(alpha) if alpha % 1 == 0 else "
         "alpha)"),
   SAMPLES("(2,2,4) (2,2,3) (2,3,4); (4) (2,2,3) (2,3,4) beta=2 alpha=3; (2,1,1) (2,2,3) (2,3,2) beta=3 alpha=2; "
           "n(2,2,2) (2,2,3) (2,3,2) beta=0; (0,2,2) (0,2,3) (0,3,2); (2,2,2) (2,2,0) (2,0,2)"))

typedef struct {
    const fa_tensor *input; /* broadcasts to (n, m) */
    const fa_tensor *a;     /* (batch, n, k) */
    const fa_tensor *b;     /* (batch, k, m) */
    double beta OPT(1);     /* factor for input; 0: input is ignored */
    double alpha OPT(1);    /* factor for the sum of the products */
} addbmm_args;

/* The sum over the batch becomes part of the inner dimension of a single matrix product. */
static fa_tensor *addbmm_compose(fa__call *c)
{
    const addbmm_args *a = c->args;
    const fa_tensor *x = a->a, *y = a->b;
    if (x->rank != 3 || y->rank != 3 || x->shape[0] != y->shape[0] || x->shape[2] != y->shape[1]) {
        fa__call_fail(c, FA_ERROR_SHAPE, "a has to be (batch, n, k), and b (batch, k, m)");
        return NULL;
    }
    fa_tensor *left = fa_flatten(fa_transpose(x, 0, 1), .start_dim = 1), *right = fa_flatten(y, .end_dim = 1);
    return add_product(c, a->input, left && right ? fa_mm(left, right) : NULL, a->beta, a->alpha);
}

/** beta * input + alpha * the sum over the batch of a[i] @ b[i], for a (batch, n, k) and b (batch, k, m): the result is
 *  (n, m). */
OP(addbmm, addbmm_args, (y), .compose = addbmm_compose, .autocast = FA__CAST_LOW, .autocast_cpu = FA__CAST_LOW,
   TORCH(
       "addbmm(input, a, b, beta=int(beta) if beta % 1 == 0 else beta, alpha=int(alpha) if alpha % 1 == 0 else alpha)"),
   SAMPLES("(2,4) (2,2,3) (2,3,4); (4) (2,2,3) (2,3,4) beta=2 alpha=3; (2,1) (3,2,2) (3,2,2) beta=3 alpha=2; n(2,2) "
           "(2,2,3) (2,3,2) beta=0; (2,2) (2,2,0) (2,0,2)"))

#include "addmm.rows"
