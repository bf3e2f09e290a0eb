/* Pairwise distances and cosine similarity. At a distance of 0 the gradient is 0. f16 and bf16 are computed in f32. */
#include "dispatch/promote.h"
#include "dispatch/row.h"
#include "ops/linalg/pairs.h"
#include <math.h>

/* From this many vectors on, Euclidean distances of all pairs are computed by a matrix product. */
enum { MANY_VECTORS = 26 };

static fa_tensor *widened(const fa_tensor *x)
{
    bool low = fa__dtype_is_half(x->dtype) && !fa__dtype_is_storage(x->dtype);
    return low ? fa_to(x, FA_F32) : (fa_tensor *)(uintptr_t)x;
}

/* The p-norm of x - y + eps along the last dimension. */
static fa_tensor *norm_of(const fa_tensor *x, const fa_tensor *y, double eps, double p)
{
    if (p == 0)
        return fa_sum(fa_pointwise("x - y + z == 0 ? 0.0 : 1.0", x, y, eps), .dim = -1);
    if (p == 1 || isinf(p)) {
        fa_tensor *size = fa_pointwise("abs(x - y + z)", x, y, eps);
        bool some = size && (!size->rank || size->shape[size->rank - 1]);
        return p == 1 || !some ? fa_sum(size, .dim = -1) : fa_amax(size, .dim = -1);
    }
    if (p == 2) {
        fa_tensor *squares = fa_pointwise("r = x - y + z; r * r", x, y, eps);
        return fa_pointwise("x <= 0 ? 0 : sqrt(x)", fa_sum(squares, .dim = -1));
    }
    fa_tensor *powers = fa_pointwise("r = x - y + z; r == 0 ? 0 : pow(abs(r), w)", x, y, eps, p);
    return fa_pointwise("x <= 0 ? 0 : pow(x, y)", fa_sum(powers, .dim = -1), 1 / p);
}

/* The same in the promoted dtype of the operands; NULL if an operand is NULL. */
static fa_tensor *distance(const fa_tensor *x, const fa_tensor *y, double eps, double p)
{
    if (!x || !y)
        return NULL;
    fa_dtype dtype = fa__promote((fa_dtype)x->dtype, (fa_dtype)y->dtype);
    fa_tensor *z = norm_of(widened(x), widened(y), eps, p);
    return z && fa__dtype_is_float(dtype) ? fa_to(z, dtype) : z;
}

typedef struct {
    const fa_tensor *x1;     /* (..., d) */
    const fa_tensor *x2;     /* (..., d): broadcasts with x1 */
    double p OPT(2);         /* the p of the p-norm, 0 or larger; infinity: the largest difference */
    double eps OPT(1e-6);    /* added to each difference, which keeps the gradient finite */
    bool keepdim OPT(false); /* true: keep the last dimension with size 1 */
} pairwise_distance_args;

static fa_tensor *pairwise_distance_compose(fa__call *c)
{
    const pairwise_distance_args *a = c->args;
    fa_tensor *y = distance(a->x1, a->x2, a->eps, a->p);
    return y && a->keepdim ? fa_unsqueeze(y, -1) : y;
}

/** The distance of corresponding vectors: the p-norm of x1 - x2 + eps along the last dimension. x1 and x2 broadcast;
 *  the result is (...). */
OP(pairwise_distance, pairwise_distance_args, (y), .compose = pairwise_distance_compose, .require = REQUIRE(p >= 0),
   .autocast = FA__CAST_F32, DIFFERS("u8 bool: differences are taken in f32"),
   TORCH("nn.functional.pairwise_distance(x1, x2, p, eps, keepdim)"),
   SAMPLES(
       "(3,4) (3,4); (3,4) (4) p=1; (2,3,4) (3,4) p=3 keepdim=true; (4) (4) p=inf; (0,3) (0,3); t(5,3) t(5,3) eps=0; "
       "t(5,3) t(5,3) eps=0 p=1; (3,2) (3,2) p=0.5 eps=0.25"))

/* ---- distances of all pairs ---- */

typedef struct {
    const fa_tensor *x1; /* (..., n, d), floating */
    const fa_tensor *x2; /* (..., m, d); leading dimensions broadcast with x1's */
    double p OPT(2);     /* the p of the p-norm, 0 or larger; infinity: the largest difference */
} cdist_args;

/* |x - y|^2 = |x|^2 + |y|^2 - 2xy. */
static fa_tensor *euclidean_by_product(const fa_tensor *x, const fa_tensor *y)
{
    fa_tensor *xx = fa_sum(fa_square(x), .dim = -1, .keepdim = true);
    fa_tensor *yy = fa_unsqueeze(fa_sum(fa_square(y), .dim = -1), -2);
    return fa_pointwise("r = y + z - 2 * x; r <= 0 ? 0 : sqrt(r)", fa_matmul(x, fa_transpose(y, -1, -2)), xx, yy);
}

static bool check_all_pairs(const fa__call *c, const fa_tensor *x, const fa_tensor *y)
{
    if (x->rank < 2 || y->rank < 2 || x->shape[x->rank - 1] != y->shape[y->rank - 1])
        return fa__call_fail(c, FA_ERROR_SHAPE, "x1 has to be (..., n, d), and x2 (..., m, d)");
    if (!fa__dtype_is_float(x->dtype) || x->dtype != y->dtype)
        return fa__call_fail(c, FA_ERROR_DTYPE, "x1 and x2 have to be of one floating dtype");
    return true;
}

static fa_tensor *cdist_compose(fa__call *c)
{
    const cdist_args *a = c->args;
    const fa_tensor *x = a->x1, *y = a->x2;
    if (!check_all_pairs(c, x, y))
        return NULL;
    bool many = x->shape[x->rank - 2] >= MANY_VECTORS || y->shape[y->rank - 2] >= MANY_VECTORS;
    fa_tensor *z = a->p == 2 && many ? euclidean_by_product(widened(x), widened(y))
                                     : fa__pair_distances(widened(x), widened(y), a->p);
    return z ? fa_to(z, (fa_dtype)x->dtype) : NULL;
}

/** The distances of all vectors of x1 (..., n, d) to all vectors of x2 (..., m, d): (..., n, m). The p-norm is
 *  accumulated from the differences without storing them. Euclidean distances (p = 2) of more than 25 vectors come from
 *  a matrix product, as in PyTorch's default compute_mode: much faster, but small distances of large vectors lose
 *  digits. */
OP(cdist, cdist_args, (y), .compose = cdist_compose, .require = REQUIRE(p >= 0), .autocast = FA__CAST_F32,
   .autocast_cpu = FA__CAST_F32, TORCH("cdist(x1, x2, p)"),
   SAMPLES(
       "(3,4) (2,4); (3,4) (2,4) p=1; (2,3,4) (2,2,4) p=3; (2,3,4) (5,4) p=inf; (0,3) (2,3); (2,0) (3,0); (2,1,2,3) "
       "(3,2,3) p=1.5; t(3,2) t(4,2) p=0; (27,2) p(3,2); (2,3) (2,0,3) p=1; (2,0) (3,0) p=inf; (5,4) p(6,4) p=0.5; "
       "n(3,2) n(3,2) p=3; (30,3) (2,3) p=4"))

typedef struct {
    const fa_tensor *x; /* (n, d), floating */
    double p OPT(2);    /* the p of the p-norm, 0 or larger; infinity: the largest difference */
} pdist_args;

static fa_tensor *pdist_compose(fa__call *c)
{
    const pdist_args *a = c->args;
    if (a->x->rank != 2 || !fa__dtype_is_float(a->x->dtype)) {
        fa__call_fail(c, a->x->rank != 2 ? FA_ERROR_SHAPE : FA_ERROR_DTYPE, "x has to be (n, d), floating");
        return NULL;
    }
    int64_t n = a->x->shape[0];
    fa_tensor *all = fa__pair_distances(widened(a->x), widened(a->x), a->p);
    fa_tensor *pair = fa_triu_indices(n, n, .offset = 1, .device = fa_tensor_device(a->x));
    fa_tensor *place = pair ? fa_add(fa_mul(fa_select(pair, 0, 0), n), fa_select(pair, 0, 1)) : NULL;
    fa_tensor *y = all && place ? fa_index_select(fa_flatten(all), 0, place) : NULL;
    return y ? fa_to(y, (fa_dtype)a->x->dtype) : NULL;
}

/** The distances of all pairs of rows of x (n, d): row 0 to rows 1, 2, ..., then row 1 to rows 2, 3, ..., as a vector
 *  of n * (n - 1) / 2 elements. */
OP(pdist, pdist_args, (y), .compose = pdist_compose, .require = REQUIRE(p >= 0), .autocast = FA__CAST_F32,
   TORCH("pdist(x, p) if len(x) else sum(cdist(x, x), 1)"),
   SAMPLES("(5,3); (4,2) p=1; (4,3) p=3; (3,5) p=inf; (1,3); (0,3); t(5,2) p=0"))

/* ---- cosine similarity ---- */

typedef struct {
    const fa_tensor *x1;
    const fa_tensor *x2;  /* broadcasts with x1 */
    int64_t dim OPT(1);   /* the dimension of the vectors; negative counts from the end */
    double eps OPT(1e-8); /* smaller vector lengths are replaced by eps */
} cosine_similarity_args;

/* The Euclidean length along dim, which is kept with size 1. */
static fa_tensor *length_of(const fa_tensor *x, int dim)
{
    return fa_pointwise("x <= 0 ? 0 : sqrt(x)", fa_sum(fa_square(x), .dim = dim, .keepdim = true));
}

static fa_tensor *cosine_similarity_compose(fa__call *c)
{
    const cosine_similarity_args *a = c->args;
    fa_tensors both = fa_broadcast_tensors(FA_TENSORS((fa_tensor *)(uintptr_t)a->x1, (fa_tensor *)(uintptr_t)a->x2));
    if (both.count != 2)
        return NULL;
    fa_dtype dtype = fa__promote((fa_dtype)a->x1->dtype, (fa_dtype)a->x2->dtype);
    if (!fa__dtype_is_float(dtype)) {
        fa__call_fail(c, FA_ERROR_DTYPE, "x1 or x2 has to be floating: fa_to converts");
        return NULL;
    }
    fa_dtype wide = dtype == FA_F64 ? FA_F64 : FA_F32;
    fa_tensor *x = fa_to(both.item[0], wide), *y = fa_to(both.item[1], wide);
    int dim = fa__wrap_dim(c, both.item[0], a->dim);
    if (dim < 0)
        return NULL;
    fa_tensor *terms = fa_pointwise("(z < a ? x / a : x / z) * (w < a ? y / a : y / w)", x, y, length_of(x, dim),
                                    length_of(y, dim), a->eps);
    fa_tensor *sum = both.item[0]->rank ? fa_sum(terms, .dim = dim) : terms;
    return sum ? fa_to(sum, dtype) : NULL;
}

/** The cosine of the angle between vectors: the sum of x1 * x2 along dim, divided by the product of both lengths. A
 *  length replaced by eps is a constant for the gradient; PyTorch uses the derivative of the length there. */
OP(cosine_similarity, cosine_similarity_args, (y), .compose = cosine_similarity_compose, .require = REQUIRE(eps > 0),
   .autocast = FA__CAST_F32, TORCH("cosine_similarity(x1, x2, dim, eps)"),
   SAMPLES(
       "(3,4) (3,4); (3,4) (4) dim=-1; (2,3,4) (3,1) dim=1; (3) (3) dim=0; (3,4) (3,4) dim=0 eps=0.25; (0,3) (0,3); "
       "(3,0) "
       "(3,0)"))

#include "distances.rows"
