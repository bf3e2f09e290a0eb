/** @file
 *  Random sampling and dropout.
 *
 *  Written by facula-rows from src/ops/random: edit there. */
/* clang-format off */
#ifndef FACULA_OPS_RANDOM_H
#define FACULA_OPS_RANDOM_H
#include <facula/types.h>

FA__BEGIN

/** @defgroup ops_random Random sampling and dropout
 *  @{ */

/** @name Dropout of channels, and dropout that keeps mean and variance
 *  That of elements is in pointwise.h.
 *  @{ */

/** Options of fa_alpha_dropout(). */
typedef struct fa_alpha_dropout_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double p;       /**< see fa_alpha_dropout() */
    bool training;  /**< see fa_alpha_dropout() */
    char fa__end;   /**< the end of what this version knows */
} fa_alpha_dropout_options;

/** Dropout for selu(): sets each element to -1.7580993408473766, what selu gives for -infinity, with probability p, and
 *  scales and shifts all so that numbers of mean 0 and variance 1 keep both (arXiv:1706.02515); x itself when not
 *  training.
 *
 *      fa_alpha_dropout(x, .p = 0.5, .training = true, .out = NULL)
 *
 *  @param x a tensor
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_alpha_dropout(const fa_tensor *x, const fa_alpha_dropout_options *options);

/** fa_alpha_dropout() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_alpha_dropout_(fa_tensor *x, const fa_alpha_dropout_options *options);

/** Options of fa_feature_dropout(). */
typedef struct fa_feature_dropout_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double p;       /**< how likely a channel is dropped: 0 to 1 */
    bool training;  /**< else the result is a copy of x */
    char fa__end;   /**< the end of what this version knows */
} fa_feature_dropout_options;

/** dropout() of whole channels: dimension 1 of each sample. What stays is divided by 1 - p. PyTorch's dropout1d,
 *  dropout2d and dropout3d, of x without a batch: fa_unsqueeze(x, 0) gives it one.
 *
 *      fa_feature_dropout(x, .p = 0.5, .training = true, .out = NULL)
 *
 *  @param x (n, c, ...), floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_feature_dropout(const fa_tensor *x, const fa_feature_dropout_options *options);

/** @} */

/** @name Filling tensors with random numbers
 *  element i is a function of the generator's state and of i alone, on every
 *  device.
 *  @{ */

/** Options of fa_uniform_(). */
typedef struct fa_uniform__options {
    size_t size;  /**< set by the macro */
    double from;  /**< the smallest number */
    double to;    /**< numbers are below it */
    char fa__end; /**< the end of what this version knows */
} fa_uniform__options;

/** Fills x with numbers that are as likely anywhere from `from` up to below `to`; what the dtype rounds to `to` becomes
 *  `from`.
 *
 *      fa_uniform_(x, .from = 0, .to = 1)
 *
 *  @param x is filled; floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return x; NULL after an error */
FA_API fa_tensor *fa_uniform_(fa_tensor *x, const fa_uniform__options *options);

/** Options of fa_normal_(). */
typedef struct fa_normal__options {
    size_t size;  /**< set by the macro */
    double mean;  /**< of the numbers, */
    double std;   /**< and their deviation, at least 0; of log_normal_ those of their logarithms */
    char fa__end; /**< the end of what this version knows */
} fa_normal__options;

/** Fills x with normal numbers.
 *
 *      fa_normal_(x, .mean = 0, .std = 1)
 *
 *  @param x is filled; floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return x; NULL after an error */
FA_API fa_tensor *fa_normal_(fa_tensor *x, const fa_normal__options *options);

/** Options of fa_log_normal_(). */
typedef struct fa_log_normal__options {
    size_t size;  /**< set by the macro */
    double mean;  /**< of the numbers' logarithms, */
    double std;   /**< and their deviation, at least 0 */
    char fa__end; /**< the end of what this version knows */
} fa_log_normal__options;

/** Fills x with numbers whose logarithms are normal.
 *
 *      fa_log_normal_(x, .mean = 1, .std = 2)
 *
 *  @param x is filled; floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return x; NULL after an error */
FA_API fa_tensor *fa_log_normal_(fa_tensor *x, const fa_log_normal__options *options);

/** Options of fa_exponential_(). */
typedef struct fa_exponential__options {
    size_t size;  /**< set by the macro */
    double lambd; /**< the rate: one over the mean; above 0 */
    char fa__end; /**< the end of what this version knows */
} fa_exponential__options;

/** Fills x with exponential numbers: -log(u) / lambd for a uniform u. Never 0, where the dtype has so small ones.
 *
 *      fa_exponential_(x, .lambd = 1)
 *
 *  @param x is filled; floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return x; NULL after an error */
FA_API fa_tensor *fa_exponential_(fa_tensor *x, const fa_exponential__options *options);

/** Options of fa_cauchy_(). */
typedef struct fa_cauchy__options {
    size_t size;   /**< set by the macro */
    double median; /**< of the numbers */
    double sigma;  /**< half of them are nearer to it than this; above 0 */
    char fa__end;  /**< the end of what this version knows */
} fa_cauchy__options;

/** Fills x with Cauchy numbers: median + sigma * tan(pi * (u - 0.5)) for a uniform u.
 *
 *      fa_cauchy_(x, .median = 0, .sigma = 1)
 *
 *  @param x is filled; floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return x; NULL after an error */
FA_API fa_tensor *fa_cauchy_(fa_tensor *x, const fa_cauchy__options *options);

/** Options of fa_geometric_(). */
typedef struct fa_geometric__options {
    size_t size;  /**< set by the macro */
    char fa__end; /**< the end of what this version knows */
} fa_geometric__options;

/** Fills x with the numbers of trials that it takes to succeed once, 1 at least: log(u) / log(1 - p) for a uniform u,
 *  rounded up.
 *
 *      fa_geometric_(x, p)
 *
 *  @param x is filled
 *  @param p how likely a trial succeeds: above 0, at most 1
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return x; NULL after an error */
FA_API fa_tensor *fa_geometric_(fa_tensor *x, double p, const fa_geometric__options *options);

/** Options of fa_bernoulli_(). */
typedef struct fa_bernoulli__options {
    size_t size;  /**< set by the macro */
    char fa__end; /**< the end of what this version knows */
} fa_bernoulli__options;

/** Fills x with 1 where a uniform number is below p, and with 0 elsewhere. Of a tensor's elements NaN is as 0, and what
 *  is above 1 as 1.
 *
 *      fa_bernoulli_(x, p)
 *
 *  @param x is filled
 *  @param p how likely 1 is: a number from 0 to 1, or a tensor that broadcasts to x
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return x; NULL after an error */
FA_API fa_tensor *fa_bernoulli_(fa_tensor *x, fa_arg p, const fa_bernoulli__options *options);

/** @} */

/** @name Draws of classes that gradients flow through
 *  @{ */

/** Options of fa_gumbel_softmax(). */
typedef struct fa_gumbel_softmax_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double tau;     /**< the temperature, above 0: the lower it is, the nearer is one element to 1 */
    bool hard;      /**< 1 for the largest element and 0 for the others */
    int64_t dim;    /**< along which the results add up to 1; negative counts from the end */
    char fa__end;   /**< the end of what this version knows */
} fa_gumbel_softmax_options;

/** softmax() of the logits and of Gumbel numbers added to them, over the temperature: a draw of a class that gradients
 *  flow through (arXiv:1611.01144). Class i has the largest element as often as softmax() of x says. With `hard` the
 *  draw is exactly 0 and 1, with the gradient of the soft one; PyTorch's 1 may be rounded.
 *
 *      fa_gumbel_softmax(x, .tau = 1, .hard = false, .dim = -1, .out = NULL)
 *
 *  @param x floating: logits
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_gumbel_softmax(const fa_tensor *x, const fa_gumbel_softmax_options *options);

/** @} */

/** @name Whole random numbers
 *  @{ */

/** Options of fa_randint(). */
typedef struct fa_randint_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< FA_SAME: i64 */
    fa_device device;   /**< where it is made; by default the settings' device */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_randint_options;

/** Whole random numbers from low up to below high, all as likely, of the default generator: the same on every device.
 *  Floating dtypes round numbers beyond those that they have, which may give `high` itself.
 *
 *      fa_randint(low, high, shape, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param low the smallest number
 *  @param high numbers are below it
 *  @param shape FA_SHAPE(3, 4) or FA_SCALAR
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_randint(int64_t low, int64_t high, fa_shape shape, const fa_randint_options *options);

/** Options of fa_randint_like(). */
typedef struct fa_randint_like_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< where to write, instead of into new memory */
    fa_dtype dtype;     /**< FA_SAME: that of x */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;       /**< the end of what this version knows */
} fa_randint_like_options;

/** Whole random numbers from low up to below high, all as likely, with the shape, dtype and device of another tensor,
 *  as fa_randint() makes them.
 *
 *      fa_randint_like(x, low, high, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the shape, and what the options leave open
 *  @param low the smallest number
 *  @param high numbers are below it
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_randint_like(const fa_tensor *x, int64_t low, int64_t high, const fa_randint_like_options *options);

/** Options of fa_random_(). */
typedef struct fa_random__options {
    size_t size;  /**< set by the macro */
    int64_t from; /**< the smallest number */
    int64_t to;   /**< numbers are below it; by default as far as the dtype has all whole numbers */
    char fa__end; /**< the end of what this version knows */
} fa_random__options;

/** Fills x with whole random numbers, all as likely, of the default generator: the same on every device. Floating
 *  dtypes round numbers beyond those that they have, which may give `to` itself.
 *
 *      fa_random_(x, .from = 0, .to = INT64_MIN)
 *
 *  @param x is filled
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return x; NULL after an error */
FA_API fa_tensor *fa_random_(fa_tensor *x, const fa_random__options *options);

/** @} */

/** @name Random numbers of distributions that tensors describe
 *  Element i of a result is a function of the generator's state,
 *  of i, and of the operands there: the same on every device.
 *  @{ */

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

/** @} */

/** @} */

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_alpha_dropout {offsetof(fa_alpha_dropout_options, fa__end), NULL, 0.5, true, 0}
#define fa_alpha_dropout(...) FA__CALL1(fa_alpha_dropout, FA__SAME, __VA_ARGS__)
typedef fa_alpha_dropout_options fa_alpha_dropout__options;
#define FA__DEFAULT_fa_alpha_dropout_ FA__DEFAULT_fa_alpha_dropout
#define fa_alpha_dropout_(...) FA__CALL1(fa_alpha_dropout_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_feature_dropout {offsetof(fa_feature_dropout_options, fa__end), NULL, 0.5, true, 0}
#define fa_feature_dropout(...) FA__CALL1(fa_feature_dropout, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_uniform_ {offsetof(fa_uniform__options, fa__end), 0, 1, 0}
#define fa_uniform_(...) FA__CALL1(fa_uniform_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_normal_ {offsetof(fa_normal__options, fa__end), 0, 1, 0}
#define fa_normal_(...) FA__CALL1(fa_normal_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_log_normal_ {offsetof(fa_log_normal__options, fa__end), 1, 2, 0}
#define fa_log_normal_(...) FA__CALL1(fa_log_normal_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_exponential_ {offsetof(fa_exponential__options, fa__end), 1, 0}
#define fa_exponential_(...) FA__CALL1(fa_exponential_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cauchy_ {offsetof(fa_cauchy__options, fa__end), 0, 1, 0}
#define fa_cauchy_(...) FA__CALL1(fa_cauchy_, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_geometric_ {offsetof(fa_geometric__options, fa__end), 0}
#define fa_geometric_(...) FA__CALL2(fa_geometric_, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_bernoulli_ {offsetof(fa_bernoulli__options, fa__end), 0}
#define fa_bernoulli_(...) FA__CALL2(fa_bernoulli_, FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_gumbel_softmax {offsetof(fa_gumbel_softmax_options, fa__end), NULL, 1, false, -1, 0}
#define fa_gumbel_softmax(...) FA__CALL1(fa_gumbel_softmax, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_randint {offsetof(fa_randint_options, fa__end), NULL, FA_SAME, {0, 0}, false, 0}
#define fa_randint(...) FA__CALL3(fa_randint, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_randint_like {offsetof(fa_randint_like_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_randint_like(...) FA__CALL3(fa_randint_like, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_random_ {offsetof(fa_random__options, fa__end), 0, INT64_MIN, 0}
#define fa_random_(...) FA__CALL1(fa_random_, FA__SAME, __VA_ARGS__)
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
