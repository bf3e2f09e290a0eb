/** @file
 *  User-defined pointwise expressions. An expression is compiled on first use, runs in one pass over its operands,
 *  and is differentiable to any order. The compiled forms of the 1024 most recently used texts are kept, so pass
 *  numbers that change as operands, not as part of the text: then there is one text to compile. */
#ifndef FACULA_EXPRESSION_H
#define FACULA_EXPRESSION_H
#include <facula/types.h>

FA__BEGIN

/** @defgroup expression User-defined expressions
 *  @{ */

FA_API fa_tensor *fa__pointwise(const char *text, size_t count, const fa_arg *operands);

/** The value of one name in fa_update(): a list of tensors, a list of numbers, or a number. FA_BIND() creates it. */
typedef struct fa_binding {
    const char *name;      /**< the name, as it appears in the text */
    fa_tensors tensors;    /**< one tensor for each position of the lists; empty: the value is a number */
    fa_arg number;         /**< one number for all positions, or a 0-dimensional tensor that holds it */
    const double *numbers; /**< one number for each position of the lists; NULL: `number` is used */
    bool random;           /**< a random key, another one for each position and call, instead of a value */
} fa_binding;

static inline fa_binding fa__bind_list(const char *name, fa_tensors tensors)
{
    fa_binding b = FA__NONE;
    b.name = name;
    b.tensors = tensors;
    return b;
}

static inline fa_binding fa__bind_arg(const char *name, fa_arg number)
{
    fa_binding b = FA__NONE;
    b.name = name;
    b.number = number;
    return b;
}

static inline fa_binding fa__bind_t(const char *name, const fa_tensor *t)
{
    return fa__bind_arg(name, fa__arg_t(t));
}

static inline fa_binding fa__bind_f(const char *name, double v)
{
    return fa__bind_arg(name, fa__arg_f(v));
}

static inline fa_binding fa__bind_i(const char *name, int64_t v)
{
    return fa__bind_arg(name, fa__arg_i(v));
}

static inline fa_binding fa__bind_u(const char *name, uint64_t v)
{
    return fa__bind_arg(name, fa__arg_u(v));
}

/** Binds a name to a number, a 0-dimensional tensor that holds a number, or a list of tensors: FA_BIND("lr", 0.1),
 *  FA_BIND("lr", rate), FA_BIND("p", FA_TENSORS(w, b)). In C++, pass an fa_tensors variable over an array: FA_TENSORS
 *  would only live until the end of the expression. */
#ifdef __cplusplus
}
static inline fa_binding fa__bind(const char *name, fa_tensors tensors)
{
    return fa__bind_list(name, tensors);
}
fa_binding fa__bind(const char *name,
                    const fa__tensor_list &list) = delete; /* lives only until the end of the expression */
static inline fa_binding fa__bind(const char *name, const fa_tensor *number)
{
    return fa__bind_t(name, number);
}
static inline fa_binding fa__bind(const char *name, fa_tensor *number)
{
    return fa__bind_t(name, number);
}
template <class N> static inline fa_binding fa__bind(const char *name, N number)
{
    return fa__bind_arg(name, fa__number(number));
}
#define FA_BIND(name, value) fa__bind(name, value)
extern "C" {
#else
#define FA_BIND(name, value)                                                                                           \
    _Generic(value, fa_tensors                                                                                         \
             : fa__bind_list, fa_tensor *                                                                              \
             : fa__bind_t, const fa_tensor *                                                                           \
             : fa__bind_t, FA__NUMBERS(fa__bind_i, fa__bind_u, fa__bind_f))(name, value)
#endif

/** Binds a name to a random key, from which a program draws numbers: `uniform(key)` in [0, 1), and `normal(key)` with
 * mean 0 and standard deviation 1. Each tensor of the lists gets a new key from the generator in each call, and each of
 * its elements a number of its own; the same function of the same key is the same number. */
static inline fa_binding fa_bind_random(const char *name)
{
    fa_binding b = FA__NONE;
    b.name = name;
    b.random = true;
    return b;
}

/** A program for fa_update_all(), with its bindings. */
typedef struct fa_program {
    const char *text;           /**< assignments, as for fa_update() */
    size_t count;               /**< number of bindings */
    const fa_binding *bindings; /**< the bindings */
} fa_program;

/** Runs a program of assignments over lists of tensors, in one pass; the tensors it assigns to are modified in place.
 *  `bindings` are the values of `count` names, and are used during the call only.
 *
 *      const fa_binding bindings[] = {FA_BIND("p", FA_TENSORS(w, b)), FA_BIND("g", FA_TENSORS(gw, gb)),
 *                                     FA_BIND("m", FA_TENSORS(mw, mb)), FA_BIND("beta", 0.9), FA_BIND("lr", 0.1)};
 *      fa_update("m = beta * m + g; p = p - lr * m", 5, bindings)
 *
 *  Names without a binding are local variables; numbers cannot be assigned to. All lists have the same length, and
 *  the tensors at one position of the lists must have the same shape and device. They are never copied between
 *  devices, not even with FA_PLACE_AUTO. The program may read a modified tensor under a second name, if both names
 *  are bound to exactly the same elements. If a modified tensor overlaps another tensor in any other way, that is an
 *  error. Nothing is recorded for backward.
 *
 *  A number may be read from a 0-dimensional tensor on the tensors' device, FA_BIND("lr", rate), or from one such
 *  tensor for each position, in a list that is only read. It is read when the kernel runs, without a copy or a
 *  synchronization, so other work on the device may change it between two runs; its dtype does not take part in
 *  promotion.
 *
 *  A program draws random numbers from a name that fa_bind_random() binds: "p = p + sigma * normal(key)".
 *
 *  The update is all or nothing: arguments are checked and memory is allocated before the first write.
 *  @return false and an error, with nothing modified; also if an error was set before */
FA_API bool fa_update(const char *text, size_t count, const fa_binding *bindings);

/** Runs `count` programs one after the other, each like fa_update(), but all or nothing: the arguments of all
 *  `programs` are checked, and their memory is allocated, before the first write (docs/gpu.md names the one exception,
 *  on GPUs). Optimizers use this for parameter groups that need different programs. A program whose lists are empty
 *  does nothing.
 *  @return false and an error, with nothing modified; also if an error was set before */
FA_API bool fa_update_all(size_t count, const fa_program *programs);

/** @} */

FA__END

#ifdef __cplusplus
template <class... T> static inline fa_tensor *fa_pointwise(const char *text, T... operand)
{
    const fa_arg a[] = {fa__arg(operand)...};
    return fa__pointwise(text, sizeof...(operand), a);
}
#define fa_pointwise(...) FA__CALLED(fa_pointwise(__VA_ARGS__))
#else
/** Evaluates an expression for each element of the operands, which broadcast and promote as for fa_add().
 *
 *      fa_pointwise("x * sigmoid(1.702 * x)", x)
 *      fa_pointwise("x > 0 ? x : y * (exp(x) - 1)", x, 0.5)
 *
 *  The operands are named x, y, z, w, a, b, c, d, in order. The language has:
 *
 *  - C's operators + - * / ?: == != < <= > >= && || !
 *  - abs sign copysign signbit nextafter exponent maximum minimum fma select
 *  - floor ceil round round_to trunc floor_divide remainder fmod
 *  - sqrt cbrt pow hypot, exp exp2 expm1 log log2 log10 log1p softplus sigmoid
 *  - sin cos tan asin acos atan atan2, sinh cosh tanh asinh acosh atanh
 *  - erf erfc erfcx erfinv ndtr log_ndtr ndtri, lgamma digamma polygamma zeta igamma igammac
 *  - i0 i0e i1 i1e, and the other Bessel functions of the library under their names
 *  - for integers: gcd lcm bit_and bit_or bit_xor bit_not shift_left shift_right
 *  - casts, written as the name of a dtype: f64(x)
 *  - the constants pi, inf, nan, true and false
 *
 *  Intermediate values can be named in statements before the last one: "t = exp(-abs(x)); t / (1 + t)". Operands
 *  cannot be assigned to; use fa_update() to modify tensors. A syntax error quotes the text and the byte at which it
 *  is invalid, and says what was expected.
 *
 *  **Dtypes.** There are four compute types: f32 (for f16, bf16 and f32), f64, i32 (for bool, u8, i8, i16 and i32) and
 *  i64. If all operands have the same compute type, and the text has no cast, the whole expression is computed in the
 *  dtype that its operands promote to. Numbers in the text promote as numbers do in fa_add(): 3.0 turns integers into
 *  f32, and 3 turns bools into i64; numbers that are only compared do not promote. Negating bools alone is an error.
 *  Operands that are used only as conditions do not take part in promotion.
 *
 *  Operands of several compute types, and casts, can be mixed freely, without extra passes or copies. Each operation is
 *  then computed in the dtype that its own operands promote to, as if it were a call of its own, except that f16 and
 *  bf16 are not rounded in between. With x f32, and y and z i64, "x > 0 ? y : z" is i64 and exact. Numbers, results
 *  of comparisons and casts to bool have no dtype of their own and take that of the other operand; if neither operand
 *  has one, the tensors inside them decide: (x > y) - (x < y) is f32 for f32 x and y. Other casts count as tensors of
 *  their dtype: f64(x) / 3 is computed in f64, i64(x) * 3 in i64. An outermost cast sets the dtype of the result:
 *  i8(x * y).
 *
 *  **Gradients** are those of the expression, to any order. The branch that ?:, maximum or minimum does not take has
 *  a zero gradient. So have piecewise constant functions, such as floor(x), and the first operands of polygamma,
 *  zeta, igamma and igammac, which are treated as constants. Comparisons and integer results need no gradient. */
#define fa_pointwise(text, ...) FA__POINTWISE(__COUNTER__, FA__COUNT(__VA_ARGS__), text, __VA_ARGS__)
#define FA__POINTWISE(...) FA__POINTWISE_(__VA_ARGS__)
#define FA__POINTWISE_(u, n, text, ...)                                                                                \
    __extension__({                                                                                                    \
        FA__LINE(u) FA__BIND##n(u, __VA_ARGS__) fa__pointwise(text, n, (const fa_arg[]){FA__BOUND##n(u)});             \
    })
#endif
#endif
