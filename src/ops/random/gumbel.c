/* Draws of classes that gradients flow through. */
#include "dispatch/call.h"
#include "dispatch/row.h"

typedef struct {
    const fa_tensor *x; /* floating: tells shape, dtype and device */
    fa__key key;        /* names the draw */
} gumbel_args;

static bool gumbel_infer(fa__call *c)
{
    const gumbel_args *a = c->args;
    if (!fa__dtype_is_float(a->x->dtype))
        return fa__call_fail(c, FA_ERROR_DTYPE, "x has to be floating");
    return fa__infer_like(c, a->x, (fa_dtype)a->x->dtype);
}

/* A uniform of 0 stands for what is below the smallest number that is drawn: its logarithm is finite. */
static bool gumbel_run(fa__call *c)
{
    const gumbel_args *a = c->args;
    fa__bound bound[] = {{.name = "key", .key = &a->key}};
    return fa__run_expression(c, c->out[0], "-log(-log(maximum(uniform(key), 5.551115123125783e-17)))", 1, bound);
}

/** Gumbel numbers: -log(-log(u)) for uniform u. Always finite. */
OP(gumbel, gumbel_args, (y), .infer = gumbel_infer, .run = gumbel_run, .no_grad = "a draw", INTERNAL, TORCH(""),
   SAMPLES("(3,4); (); (0,2); (70)"))

typedef struct {
    const fa_tensor *x;   /* floating: logits */
    double tau OPT(1);    /* the temperature, above 0: the lower it is, the nearer is one element to 1 */
    bool hard OPT(false); /* 1 for the largest element and 0 for the others */
    int64_t dim OPT(-1);  /* along which the results add up to 1; negative counts from the end */
    fa__key key;          /* names the draw */
} gumbel_softmax_args;

/* 1 where the largest element along dim stands, 0 elsewhere. */
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

/** softmax() of the logits and of Gumbel numbers added to them, over the temperature: a draw of a class that gradients
 *  flow through (arXiv:1611.01144). Class i has the largest element as often as softmax() of x says. With `hard` the
 *  draw is exactly 0 and 1, with the gradient of the soft one; PyTorch's 1 may be rounded. */
OP(gumbel_softmax, gumbel_softmax_args, (y), .compose = gumbel_softmax_compose, .require = REQUIRE(tau > 0), TORCH(""),
   SAMPLES("(3,4); (3,4) tau=0.5 dim=0; t(3,4) hard=true; (2,1,3) hard=true dim=1; (); () hard=true; (0,2); (3,0) "
           "hard=true; (2,3,2) tau=2 dim=1; n(9) hard=true"))

#include "gumbel.rows"
