/* Whole random numbers. */
#include "backend/random.h"
#include "ops/create/creation.h"

/* Whether there are numbers from low up to below high, and the dtype has them. */
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
    int64_t low;                   /* the smallest number */
    int64_t high;                  /* numbers are below it */
    fa_shape shape;                /* FA_SHAPE(3, 4) or FA_SCALAR */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME: i64 */
    fa_device device OPT({0, 0});  /* where it is made; by default the settings' device */
    bool requires_grad OPT(false); /* it is a leaf that collects a gradient */
    fa__key key;                   /* names the draw */
} randint_args;

static bool randint_infer(fa__call *c)
{
    const randint_args *a = c->args;
    fa_dtype dtype = a->dtype ? a->dtype : FA_I64;
    return check_bounds(c, dtype, a->low, a->high) && fa__infer_new(c, a->shape, dtype);
}

/** Whole random numbers from low up to below high, all as likely, of the default generator: the same on every device.
 *  Floating dtypes round numbers beyond those that they have, which may give `high` itself. */
OP(randint, randint_args, (y), .infer = randint_infer, .no_grad = "no operands", TORCH(""),
   SAMPLES("0 10 s(3,4); -5 5 s(); 0 2 s(0,2); 0 256 s(300) dtype=u8; -100 100 s(7) dtype=f16; 0 2 s(5) dtype=bool"))

typedef struct {
    fa_like x;                     /* gives the shape, and what the options leave open */
    int64_t low;                   /* the smallest number */
    int64_t high;                  /* numbers are below it */
    fa_dtype dtype OPT(FA_SAME);   /* FA_SAME: that of x */
    bool requires_grad OPT(false); /* it is a leaf that collects a gradient */
    fa__key key;                   /* names the draw */
} randint_like_args;

static bool randint_like_infer(fa__call *c)
{
    const randint_like_args *a = c->args;
    fa_dtype dtype = a->dtype ? a->dtype : (fa_dtype)a->x->dtype;
    return check_bounds(c, dtype, a->low, a->high) && fa__infer_like(c, a->x, dtype);
}

/** Whole random numbers from low up to below high, all as likely, with the shape, dtype and device of another tensor,
 *  as fa_randint() makes them. */
OP(randint_like, randint_like_args, (y), .infer = randint_like_infer, .no_grad = "no operands", TORCH(""),
   SAMPLES("(3,4) 0 10; () 3 4; (0,2) 0 2; i(5) -100 100; i(40) 0 50 dtype=f32"))

typedef struct {
    const fa_tensor *x;        /* is filled */
    int64_t from OPT(0);       /* the smallest number */
    int64_t to OPT(INT64_MIN); /* numbers are below it; by default as far as the dtype has all whole numbers */
    fa__key key;               /* names the draw */
} random__args;

/* Whether the dtype has whole numbers from `from` on: floating ones are not asked beyond the last that is exact. */
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

/** Fills x with whole random numbers, all as likely, of the default generator: the same on every device. Floating
 * dtypes round numbers beyond those that they have, which may give `to` itself. */
OP(random_, random__args, (y), .infer = random__infer, .grad = random__grad, .inplace = INPLACE(x), TORCH(""),
   SAMPLES("(3,4); () to=5; (0,2); i(9) from=-3 to=3; b(6); i(4)"))

#include "randint.rows"
