/* Random integers. */
#include "backend/random.h"
#include "ops/create/creation.h"

/* Checks that [low, high) is not empty and within the range of the dtype. */
static bool check_bounds(const fa__call *c, fa_dtype dtype, int64_t low, int64_t high)
{
    if (low >= high)
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "there is no number from %lld up to below %lld", (long long)low,
                             (long long)high);
    const fa_arg least = fa__arg_i(low), most = fa__arg_i(high - 1);
    if (dtype == FA_BOOL && (low < 0 || high > 2))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "bool has the numbers 0 and 1 alone");
    return fa__check_holds(c, dtype, &least) && fa__check_holds(c, dtype, &most);
}

typedef struct {
    int64_t low;                   /* lower bound */
    int64_t high;                  /* exclusive upper bound */
    fa_shape shape;                /* FA_SHAPE(3, 4), or FA_SCALAR for a 0-dim tensor */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME means i64 */
    fa_device device OPT({0, 0});  /* the device of the result; default: the current default device */
    bool requires_grad OPT(false); /* true: the result is a leaf that accumulates a gradient */
    fa__key key;                   /* identifies the random draw */
} randint_args;

static bool randint_infer(fa__call *c)
{
    const randint_args *a = c->args;
    fa_dtype dtype = a->dtype ? a->dtype : FA_I64;
    return check_bounds(c, dtype, a->low, a->high) && fa__infer_new(c, a->shape, dtype);
}

/** Random integers, uniformly distributed in [low, high), from the default generator. Every device gives the same
 *  numbers for the same seed. A floating dtype rounds integers that it cannot represent, which may give `high`
 *  itself. */
OP(randint, randint_args, (y), .infer = randint_infer, .no_grad = "no operands", TORCH(""),
   SAMPLES("0 10 s(3,4); -5 5 s(); 0 2 s(0,2); 0 256 s(300) dtype=u8; -100 100 s(7) dtype=f16; 0 2 s(5) dtype=bool"))

typedef struct {
    fa_like x;                     /* gives the shape and device, and the dtype unless it is given */
    int64_t low;                   /* lower bound */
    int64_t high;                  /* exclusive upper bound */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME means x's dtype */
    bool requires_grad OPT(false); /* true: the result is a leaf that accumulates a gradient */
    fa__key key;                   /* identifies the random draw */
} randint_like_args;

static bool randint_like_infer(fa__call *c)
{
    const randint_like_args *a = c->args;
    fa_dtype dtype = a->dtype ? a->dtype : (fa_dtype)a->x->dtype;
    return check_bounds(c, dtype, a->low, a->high) && fa__infer_like(c, a->x, dtype);
}

/** Random integers, uniformly distributed in [low, high), with the shape, dtype and device of x; see fa_randint(). */
OP(randint_like, randint_like_args, (y), .infer = randint_like_infer, .no_grad = "no operands", TORCH(""),
   SAMPLES("(3,4) 0 10; () 3 4; (0,2) 0 2; i(5) -100 100; i(40) 0 50 dtype=f32"))

typedef struct {
    const fa_tensor *x;        /* the tensor to fill */
    int64_t from OPT(0);       /* lower bound */
    int64_t to OPT(INT64_MIN); /* exclusive upper bound; default: up to where the dtype represents all integers */
    fa__key key;               /* identifies the random draw */
} random__args;

/* Whether the dtype represents the integers from `from` on; floating dtypes are checked up to their last exact
 * integer. */
static bool check_start(const fa__call *c, fa_dtype dtype, int64_t from)
{
    const fa_arg least = fa__arg_i(from);
    if (from >= 0 && (uint64_t)from >= fa__random_end(dtype))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "from is %lld, and %s has all whole numbers up to %lld: give to",
                             (long long)from, fa_dtype_name(dtype), (long long)(fa__random_end(dtype) - 1));
    return fa__check_holds(c, dtype, &least);
}

static bool random__infer(fa__call *c)
{
    const random__args *a = c->args;
    fa_dtype dtype = (fa_dtype)a->x->dtype;
    bool good = a->to == INT64_MIN ? check_start(c, dtype, a->from) : check_bounds(c, dtype, a->from, a->to);
    return good && fa__infer_like(c, a->x, dtype);
}

static void random__grad(fa__back *b)
{
    const random__args *a = b->args;
    fa__set_input_grad(b, &a->x, fa_zeros_like(b->gy[0]));
}

/** Fills x with random integers, uniformly distributed in [from, to), from the default generator. Every device gives
 *  the same numbers for the same seed. A floating dtype rounds integers that it cannot represent, which may give `to`
 *  itself. */
OP(random_, random__args, (y), .infer = random__infer, .grad = random__grad, .inplace = INPLACE(x), TORCH(""),
   SAMPLES("(3,4); () to=5; (0,2); i(9) from=-3 to=3; b(6); i(4)"))

#include "randint.rows"
