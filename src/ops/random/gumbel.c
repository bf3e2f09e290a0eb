/* Gumbel-softmax (differentiable sampling). */
#include "dispatch/call.h"
#include "dispatch/row.h"

typedef struct {
    const fa_tensor *x; /* floating; gives shape, dtype and device */
    fa__key key;        /* identifies the random draw */
} gumbel_args;

static bool gumbel_infer(fa__call *c)
{
    const gumbel_args *a = c->args;
    if (!fa__dtype_is_float(a->x->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "x has to be floating");
    return fa__infer_like(c, a->x, (fa_dtype)a->x->dtype);
}

/* A uniform number of 0 is replaced by a small positive one, so that its logarithm is finite. */
static bool gumbel_run(fa__call *c)
{
    const gumbel_args *a = c->args;
    fa__bound bound[] = {{.name = "key", .key = &a->key}};
    return fa__run_expression(c, c->out[0], "-log(-log(maximum(uniform(key), 5.551115123125783e-17)))", 1, bound);
}

/** Random numbers from the Gumbel distribution: -log(-log(u)) with uniform u. Always finite. */
OP(gumbel, gumbel_args, (y), .infer = gumbel_infer, .run = gumbel_run, .no_grad = "random numbers", INTERNAL, TORCH(""),
   SAMPLES("(3,4); (); (0,2); (70)"))

typedef struct {
    const fa_tensor *x;   /* logits; floating */
    double tau OPT(1);    /* temperature, above 0: the lower, the closer to one-hot */
    bool hard OPT(false); /* true: the result is exactly one-hot */
    int64_t dim OPT(-1);  /* the dimension along which the results sum to 1; negative counts from the end */
    fa__key key;          /* identifies the random draw */
} gumbel_softmax_args;

/* One-hot along dim: 1 at the largest element, 0 elsewhere. */
static fa_tensor *largest_of(const fa_tensor *soft, int dim)
{
    FA_USE(.no_grad = true);
    if (!soft->rank)
        return fa_ones_like(soft);
    return fa_scatter(fa_zeros_like(soft), dim, fa_argmax(soft, .dim = dim, .keepdim = true), 1);
}

static fa_tensor *gumbel_softmax_compose(fa__call *c)
{
    const gumbel_softmax_args *a = c->args;
    const gumbel_args drawn = {.x = a->x, .key = a->key};
    fa__call noise = {.op = &fa__op_gumbel, .args = &drawn};
    int dim = fa__wrap_dim(c, a->x, a->dim);
    if (dim < 0 || !fa__invoke(&noise))
        return NULL;
    fa_tensor *soft = fa_softmax(fa_div(fa_add(a->x, noise.out[0]), a->tau), dim);
    if (!soft || !a->hard || !fa__numel(soft))
        return soft;
    return fa_add(largest_of(soft, dim), fa_sub(soft, fa_detach(soft)));
}

/** Gumbel-softmax: softmax((x + g) / tau) along dim, with random numbers g from the Gumbel distribution
 *  (arXiv:1611.01144). It samples a class with probabilities softmax(x), and gradients flow through the sample. With
 *  `hard` the result is exactly one-hot, with the gradient of the soft one (in PyTorch the 1 may be off by
 *  rounding). */
OP(gumbel_softmax, gumbel_softmax_args, (y), .compose = gumbel_softmax_compose, .require = REQUIRE(tau > 0), TORCH(""),
   SAMPLES("(3,4); (3,4) tau=0.5 dim=0; t(3,4) hard=true; (2,1,3) hard=true dim=1; (); () hard=true; (0,2); (3,0) "
           "hard=true; (2,3,2) tau=2 dim=1; n(9) hard=true"))

#include "gumbel.rows"
