/** @file
 *  Expressions of the program's own: compiled when first seen, run in one pass, differentiable to any order. */
#ifndef FACULA_EXPRESSION_H
#define FACULA_EXPRESSION_H
#include <facula/types.h>

FA__BEGIN

FA_API fa_tensor *fa__pointwise(const char *text, size_t count, const fa_arg *operands);

/** One name of a program for fa_update: a list of tensors, or a number. */
typedef struct fa_binding {
    const char *name;   /**< as the text has it */
    fa_tensors tensors; /**< one for each place in the lists; none: number is meant */
    fa_arg number;      /**< the same for all */
} fa_binding;

/** Runs a program of assignments over lists of tensors, in one pass: the names that it assigns are changed in place.
 *  `bindings` are `count` names; they are not needed afterwards.
 *
 *      fa_update("m = beta * m + g; p = p - lr * m", 4, bindings)
 *
 *  Names that are not bound are locals. Every tensor list has the same length; the tensors at one place have one shape.
 *  Nothing is recorded. All or nothing: what could fail is checked, and all memory taken, before the first write.
 *  @return false and an error, with nothing changed, also when an error stood before */
FA_API bool fa_update(const char *text, size_t count, const fa_binding *bindings);

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
 *  && || !, the functions abs sign copysign signbit nextafter maximum minimum fma select, floor ceil round round_to trunc
 *  floor_divide remainder fmod, sqrt pow hypot, exp exp2 expm1 log log2 log10 log1p softplus sigmoid, sin cos tan asin
 *  acos atan atan2, sinh cosh tanh asinh acosh atanh, erf erfc erfinv lgamma digamma polygamma, and of integers gcd lcm
 *  bit_and bit_or bit_xor bit_not shift_left shift_right, casts named as dtypes, and the constants pi, inf, nan, true
 *  and false. An error quotes the text and says at which byte of it what was expected. */
#define fa_pointwise(text, ...)                                                                                        \
    fa__pointwise(text, FA__COUNT(__VA_ARGS__), (const fa_arg[]){FA__MAP(FA__ARG, __VA_ARGS__)})
#endif
#endif
