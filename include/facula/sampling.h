/** @file
 *  Random numbers of distributions that tensors describe. Element i of a result is a function of the generator's state,
 *  of i, and of the operands there: the same on every device.
 *
 *  Written by facula-rows from src/ops/sampling.c: edit there. */
/* clang-format off */
#ifndef FACULA_SAMPLING_H
#define FACULA_SAMPLING_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_bernoulli(). */
typedef struct fa_bernoulli_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_bernoulli_options;

/** 1 where a uniform number is below the element of p, 0 elsewhere, in the dtype of p. NaN is as 0, and what is above 1
 *  as 1.
 *
 *      fa_bernoulli(p, .out = NULL)
 *
 *  @param p how likely 1 is: floating, from 0 to 1
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bernoulli(const fa_tensor *p, const fa_bernoulli_options *options);

/** Options of fa_normal(). */
typedef struct fa_normal_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_normal_options;

/** Normal numbers: mean + std * z, with z that is normal with mean 0 and deviation 1. Mean and deviation are tensors,
 *  which broadcast, or one of them is; the sign of the deviation does
 *  not matter. They get gradients, for which backward draws the same numbers again; PyTorch's
 *  are 0. fa_normal_() fills a tensor by numbers alone.
 *
 *      fa_normal(mean, std, .out = NULL)
 *
 *  @param mean a tensor or a number
 *  @param std a tensor or a number
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_normal(fa_arg mean, fa_arg std, const fa_normal_options *options);

/** Options of fa_poisson(). */
typedef struct fa_poisson_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_poisson_options;

/** Poisson numbers, in the dtype of the rates, which are their means: computed in f64, which the device has to have.
 *  What is no rate, as negative numbers, gives NaN; PyTorch refuses it. Below a rate of 10 the probabilities are added
 *  up until they are above a uniform number; from there on it is Hoermann's transformed rejection (PTRS, 1993).
 *
 *      fa_poisson(rate, .out = NULL)
 *
 *  @param rate floating, at least 0: the mean
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_poisson(const fa_tensor *rate, const fa_poisson_options *options);

/** Options of fa_multinomial(). */
typedef struct fa_multinomial_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< where to write, instead of into new memory */
    bool replacement; /**< a place may be drawn again */
    char fa__end;     /**< the end of what this version knows */
} fa_multinomial_options;

/** Places of each line, drawn with probabilities in the ratio of the weights: (num_samples) or (m, num_samples), i64. A
 *  place without weight is never drawn; without replacement none comes twice, and they stand in the order in which
 *  they were drawn. Computed in f64, which the device has to have. The weights are checked, which waits for them.
 *
 *      fa_multinomial(x, num_samples, .replacement = false, .out = NULL)
 *
 *  @param x (n) or (m, n): weights of n places, at least 0, that need not add up to 1
 *  @param num_samples how many places are drawn of each line
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_multinomial(const fa_tensor *x, int64_t num_samples, const fa_multinomial_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_bernoulli {offsetof(fa_bernoulli_options, fa__end), NULL, 0}
#define fa_bernoulli(...) FA__CALL1(fa_bernoulli, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_normal {offsetof(fa_normal_options, fa__end), NULL, 0}
#define fa_normal(...) FA__CALL2(fa_normal, FA__ARG, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_poisson {offsetof(fa_poisson_options, fa__end), NULL, 0}
#define fa_poisson(...) FA__CALL1(fa_poisson, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_multinomial {offsetof(fa_multinomial_options, fa__end), NULL, false, 0}
#define fa_multinomial(...) FA__CALL2(fa_multinomial, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
