/** @file
 *  Expressions of the program's own: compiled when first seen, run in one pass, differentiable to any order. The
 *  compiled forms of the 1024 texts that were used last are kept. A number that changes is best an operand, not a part
 *  of the text: then there is one text to compile. */
#ifndef FACULA_EXPRESSION_H
#define FACULA_EXPRESSION_H
#include <facula/types.h>

FA__BEGIN

FA_API fa_tensor *fa__pointwise(const char *text, size_t count, const fa_arg *operands);

/** One name of a program for fa_update: a list of tensors, a list of numbers, or a number. */
typedef struct fa_binding {
    const char *name;      /**< as the text has it */
    fa_tensors tensors;    /**< one for each place in the lists; none: numbers are meant */
    fa_arg number;         /**< the same for all places */
    const double *numbers; /**< one for each place in the lists; NULL: number is meant */
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

/** A name with what stands for it, a number or a list of tensors: FA_BIND("lr", 0.1), FA_BIND("p", FA_TENSORS(w, b)).
 *  In C++ the list is a variable, an fa_tensors of an array: that of FA_TENSORS would be gone. */
#ifdef __cplusplus
}
static inline fa_binding fa__bind(const char *name, fa_tensors tensors)
{
    return fa__bind_list(name, tensors);
}
fa_binding fa__bind(const char *name, const fa__tensor_list &list) = delete; /* its end is the expression's */
template <class N> static inline fa_binding fa__bind(const char *name, N number)
{
    return fa__bind_arg(name, fa__number(number));
}
#define FA_BIND(name, value) fa__bind(name, value)
extern "C" {
#else
#define FA_BIND(name, value)                                                                                           \
    _Generic(value, fa_tensors : fa__bind_list, FA__NUMBERS(fa__bind_i, fa__bind_u, fa__bind_f))(name, value)
#endif

/** A program for fa_update_all(), with its bindings. */
typedef struct fa_program {
    const char *text;           /**< assignments, as for fa_update() */
    size_t count;               /**< how many names are bound */
    const fa_binding *bindings; /**< as many */
} fa_program;

/** Runs a program of assignments over lists of tensors, in one pass: the names that it assigns are changed in place.
 *  `bindings` are `count` names; they are not needed afterwards.
 *
 *      const fa_binding bindings[] = {FA_BIND("p", FA_TENSORS(w, b)), FA_BIND("g", FA_TENSORS(gw, gb)),
 *                                     FA_BIND("m", FA_TENSORS(mw, mb)), FA_BIND("beta", 0.9), FA_BIND("lr", 0.1)};
 *      fa_update("m = beta * m + g; p = p - lr * m", 5, bindings)
 *
 *  Names that are not bound are locals; numbers are only read. Every tensor list has the same length, and the tensors
 *  at one place have one shape and one device. They are never copied to another device for this, not even with
 *  FA_PLACE_AUTO: such a copy would be older than what the same call writes. What is changed may be read under other
 *  names too, as a whole: tensors that overlap it otherwise, or that are changed as well, are an error. Nothing is
 *  recorded. All or nothing: what could fail is checked, and all memory taken, before the first write.
 *  @return false and an error, with nothing changed, also when an error stood before */
FA_API bool fa_update(const char *text, size_t count, const fa_binding *bindings);

/** Runs `count` programs one after the other, as fa_update() runs one, all or nothing: what could fail in any of them
 *  is checked, and the memory of all is taken, before the first write. Groups of an optimizer that differ in more than
 *  numbers are such `programs`. One whose lists are empty does nothing.
 *  @return false and an error, with nothing changed, also when an error stood before */
FA_API bool fa_update_all(size_t count, const fa_program *programs);

FA__END

#ifdef __cplusplus
template <class... T> static inline fa_tensor *fa_pointwise(const char *text, T... operand)
{
    const fa_arg a[] = {fa__arg(operand)...};
    return fa__pointwise(text, sizeof...(operand), a);
}
#else
/** The result of an expression for each element of the operands, which broadcast and promote as those of fa_add.
 *
 *      fa_pointwise("x * sigmoid(1.702 * x)", x)
 *      fa_pointwise("x > 0 ? x : y * (exp(x) - 1)", x, 0.5)
 *
 *  Operands are called x, y, z, w, a, b, c, d in their order. The language has C's operators + - * / ?: == != < <= > >=
 *  && || !, the functions abs sign copysign signbit nextafter exponent maximum minimum fma select, floor ceil round
 *  round_to trunc floor_divide remainder fmod, sqrt cbrt pow hypot, exp exp2 expm1 log log2 log10 log1p softplus
 *  sigmoid, sin cos tan asin acos atan atan2, sinh cosh tanh asinh acosh atanh, erf erfc erfcx erfinv ndtr log_ndtr
 *  ndtri, lgamma digamma polygamma zeta igamma igammac, i0 i0e i1 i1e, the other Bessel functions of bessel.h by their
 *  names, and of integers gcd lcm bit_and bit_or bit_xor bit_not shift_left shift_right, casts named as dtypes, and the
 *  constants pi, inf, nan, true and false. Values may have names of their own, in statements before the last:
 *  "t = exp(-abs(x)); t / (1 + t)". Operands are only read: fa_update() is what changes tensors. An error quotes the
 *  text and says at which byte of it what was expected.
 *
 *  All of an expression is computed in the dtype that its operands promote to. Numbers in the text take part as numbers
 *  do in fa_add: 3.0 makes f32 of integers, and 3 makes i64 of bools, unless they are only compared with; - of bools
 *  alone is an error. Casts take part as tensors of their dtype, in the place of what they cast: f64(x) / 3 is
 *  computed in f64, i64(x) * 3 in i64. A cast to less than what is computed in rounds or wraps to its dtype, and a cast
 *  that is outermost gives the result its dtype: i8(x * y). Operands that are only conditions do not promote.
 *
 *  Gradients are those of the formula, to any order. What ? : maximum or minimum do not take has a gradient of 0. So
 *  has what makes no difference, such as x in floor(x), and the first operand of polygamma, zeta, igamma and igammac,
 *  which counts as a constant; tests, and results of integers, need no gradients. */
#define fa_pointwise(text, ...) FA__POINTWISE(__COUNTER__, FA__COUNT(__VA_ARGS__), text, __VA_ARGS__)
#define FA__POINTWISE(...) FA__POINTWISE_(__VA_ARGS__)
#define FA__POINTWISE_(u, n, text, ...)                                                                                \
    __extension__({ FA__BIND##n(u, __VA_ARGS__) fa__pointwise(text, n, (const fa_arg[]){FA__BOUND##n(u)}); })
#endif
#endif
