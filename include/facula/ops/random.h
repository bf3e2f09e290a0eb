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
 *  @ingroup ops
 *  @{ */

/** @name Dropout of channels, alpha dropout
 *  fa_dropout() of single elements is listed under "Elementwise arithmetic".
 *  @{ */

/** Options of fa_alpha_dropout(). */
typedef struct fa_alpha_dropout_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double p;       /**< see fa_alpha_dropout() */
    bool training;  /**< see fa_alpha_dropout() */
    char fa__end;   /**< marks the end of this version's options */
} fa_alpha_dropout_options;

/** Alpha dropout, for networks with fa_selu(): in training each element becomes -1.7580993408473766 (selu's limit at
 *  -infinity) with probability p, and all elements are scaled and shifted so that mean 0 and variance 1 are kept
 *  (arXiv:1706.02515). Otherwise x is returned.
 *
 *      fa_alpha_dropout(x, .p = 0.5, .training = true, .out = NULL)
 *
 *  @param x a tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_alpha_dropout(const fa_tensor *x, const fa_alpha_dropout_options *options);

/** fa_alpha_dropout() in place: writes the result into x, and returns it. */
FA_API fa_tensor *fa_alpha_dropout_(fa_tensor *x, const fa_alpha_dropout_options *options);

/** Options of fa_feature_dropout(). */
typedef struct fa_feature_dropout_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double p;       /**< probability that a channel becomes 0 */
    bool training;  /**< false: the result is a copy of x */
    char fa__end;   /**< marks the end of this version's options */
} fa_feature_dropout_options;

/** Dropout of whole channels (dimension 1 of each sample); channels that are kept are scaled by 1 / (1 - p). These are
 *  PyTorch's dropout1d, dropout2d and dropout3d. An x without a batch dimension needs fa_unsqueeze(x, 0).
 *
 *      fa_feature_dropout(x, .p = 0.5, .training = true, .out = NULL)
 *
 *  @param x (n, channels, ...), floating
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_feature_dropout(const fa_tensor *x, const fa_feature_dropout_options *options);

/** @} */

/** @name Filling tensors with random numbers, in place
 *  Element i depends only on the generator's state and on i, so every
 *  device gives the same numbers.
 *  @{ */

/** Options of fa_uniform_(). */
typedef struct fa_uniform__options {
    size_t size;  /**< set by the macro */
    double from;  /**< lower bound */
    double to;    /**< exclusive upper bound */
    char fa__end; /**< marks the end of this version's options */
} fa_uniform__options;

/** Fills x with random numbers, uniformly distributed in [from, to). A number that rounds to `to` in x's dtype becomes
 *  `from`.
 *
 *      fa_uniform_(x, .from = 0, .to = 1)
 *
 *  @param x the tensor to fill; floating
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return x; NULL after an error */
FA_API fa_tensor *fa_uniform_(fa_tensor *x, const fa_uniform__options *options);

/** Options of fa_normal_(). */
typedef struct fa_normal__options {
    size_t size;  /**< set by the macro */
    double mean;  /**< mean of the normal distribution */
    double std;   /**< its standard deviation, at least 0 */
    char fa__end; /**< marks the end of this version's options */
} fa_normal__options;

/** Fills x with random numbers from a normal distribution.
 *
 *      fa_normal_(x, .mean = 0, .std = 1)
 *
 *  @param x the tensor to fill; floating
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return x; NULL after an error */
FA_API fa_tensor *fa_normal_(fa_tensor *x, const fa_normal__options *options);

/** Options of fa_log_normal_(). */
typedef struct fa_log_normal__options {
    size_t size;  /**< set by the macro */
    double mean;  /**< mean of the logarithm */
    double std;   /**< standard deviation of the logarithm, at least 0 */
    char fa__end; /**< marks the end of this version's options */
} fa_log_normal__options;

/** Fills x with random numbers from a log-normal distribution: their logarithms are normally distributed.
 *
 *      fa_log_normal_(x, .mean = 1, .std = 2)
 *
 *  @param x the tensor to fill; floating
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return x; NULL after an error */
FA_API fa_tensor *fa_log_normal_(fa_tensor *x, const fa_log_normal__options *options);

/** Options of fa_exponential_(). */
typedef struct fa_exponential__options {
    size_t size;  /**< set by the macro */
    double lambd; /**< the rate, 1 / mean; above 0 */
    char fa__end; /**< marks the end of this version's options */
} fa_exponential__options;

/** Fills x with random numbers from an exponential distribution: -log(u) / lambd with uniform u. They are never 0
 *  unless they underflow in x's dtype.
 *
 *      fa_exponential_(x, .lambd = 1)
 *
 *  @param x the tensor to fill; floating
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return x; NULL after an error */
FA_API fa_tensor *fa_exponential_(fa_tensor *x, const fa_exponential__options *options);

/** Options of fa_cauchy_(). */
typedef struct fa_cauchy__options {
    size_t size;   /**< set by the macro */
    double median; /**< the median */
    double sigma;  /**< half the distance between the quartiles; above 0 */
    char fa__end;  /**< marks the end of this version's options */
} fa_cauchy__options;

/** Fills x with random numbers from a Cauchy distribution: median + sigma * tan(pi * (u - 0.5)) with uniform u.
 *
 *      fa_cauchy_(x, .median = 0, .sigma = 1)
 *
 *  @param x the tensor to fill; floating
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return x; NULL after an error */
FA_API fa_tensor *fa_cauchy_(fa_tensor *x, const fa_cauchy__options *options);

/** Options of fa_geometric_(). */
typedef struct fa_geometric__options {
    size_t size;  /**< set by the macro */
    char fa__end; /**< marks the end of this version's options */
} fa_geometric__options;

/** Fills x with random numbers from a geometric distribution: the number of trials up to the first success, 1 or more,
 *  computed as log(u) / log(1 - p) rounded up, with uniform u.
 *
 *      fa_geometric_(x, p)
 *
 *  @param x the tensor to fill
 *  @param p probability of success of each trial: above 0, at most 1
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return x; NULL after an error */
FA_API fa_tensor *fa_geometric_(fa_tensor *x, double p, const fa_geometric__options *options);

/** Options of fa_bernoulli_(). */
typedef struct fa_bernoulli__options {
    size_t size;  /**< set by the macro */
    char fa__end; /**< marks the end of this version's options */
} fa_bernoulli__options;

/** Fills x with 1 with probability p, and with 0 otherwise. In a tensor p, NaN counts as 0, and elements above 1 as
 *  1.
 *
 *      fa_bernoulli_(x, p)
 *
 *  @param x the tensor to fill
 *  @param p probability of 1: a number from 0 to 1, or a tensor that broadcasts to x
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return x; NULL after an error */
FA_API fa_tensor *fa_bernoulli_(fa_tensor *x, fa_arg p, const fa_bernoulli__options *options);

/** @} */

/** @name Gumbel-softmax (differentiable sampling)
 *  @{ */

/** Options of fa_gumbel_softmax(). */
typedef struct fa_gumbel_softmax_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double tau;     /**< temperature, above 0: the lower, the closer to one-hot */
    bool hard;      /**< true: the result is exactly one-hot */
    int64_t dim;    /**< the dimension along which the results sum to 1; negative counts from the end */
    char fa__end;   /**< marks the end of this version's options */
} fa_gumbel_softmax_options;

/** Gumbel-softmax: softmax((x + g) / tau) along dim, with random numbers g from the Gumbel distribution
 *  (arXiv:1611.01144). It samples a class with probabilities softmax(x), and gradients flow through the sample. With
 *  `hard` the result is exactly one-hot, with the gradient of the soft one (in PyTorch the 1 may be off by
 *  rounding).
 *
 *      fa_gumbel_softmax(x, .tau = 1, .hard = false, .dim = -1, .out = NULL)
 *
 *  @param x logits; floating
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_gumbel_softmax(const fa_tensor *x, const fa_gumbel_softmax_options *options);

/** @} */

/** @name Random integers
 *  @{ */

/** Options of fa_randint(). */
typedef struct fa_randint_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;     /**< FA_SAME means i64 */
    fa_device device;   /**< the device of the result; default: the current default device */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_randint_options;

/** Random integers, uniformly distributed in [low, high), from the default generator. Every device gives the same
 *  numbers for the same seed. A floating dtype rounds integers that it cannot represent, which may give `high`
 *  itself.
 *
 *      fa_randint(low, high, shape, .dtype = FA_SAME, .device = ..., .requires_grad = false, .out = NULL)
 *
 *  @param low lower bound
 *  @param high exclusive upper bound
 *  @param shape FA_SHAPE(3, 4), or FA_SCALAR for a 0-dim tensor
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_randint(int64_t low, int64_t high, fa_shape shape, const fa_randint_options *options);

/** Options of fa_randint_like(). */
typedef struct fa_randint_like_options {
    size_t size;        /**< set by the macro */
    fa_tensor *out;     /**< the tensor to write the result into; NULL: a new one */
    fa_dtype dtype;     /**< FA_SAME means x's dtype */
    bool requires_grad; /**< true: the result is a leaf that accumulates a gradient */
    char fa__end;       /**< marks the end of this version's options */
} fa_randint_like_options;

/** Random integers, uniformly distributed in [low, high), with the shape, dtype and device of x; see fa_randint().
 *
 *      fa_randint_like(x, low, high, .dtype = FA_SAME, .requires_grad = false, .out = NULL)
 *
 *  @param x gives the shape and device, and the dtype unless it is given
 *  @param low lower bound
 *  @param high exclusive upper bound
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_randint_like(const fa_tensor *x, int64_t low, int64_t high, const fa_randint_like_options *options);

/** Options of fa_random_(). */
typedef struct fa_random__options {
    size_t size;  /**< set by the macro */
    int64_t from; /**< lower bound */
    int64_t to;   /**< exclusive upper bound; default: up to where the dtype represents all integers */
    char fa__end; /**< marks the end of this version's options */
} fa_random__options;

/** Fills x with random integers, uniformly distributed in [from, to), from the default generator. Every device gives
 *  the same numbers for the same seed. A floating dtype rounds integers that it cannot represent, which may give `to`
 *  itself.
 *
 *      fa_random_(x, .from = 0, .to = INT64_MIN)
 *
 *  @param x the tensor to fill
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return x; NULL after an error */
FA_API fa_tensor *fa_random_(fa_tensor *x, const fa_random__options *options);

/** @} */

/** @name Sampling from distributions given by tensors
 *  Element i depends only on the generator's state, on i and on the
 *  operands' element i: the same numbers on every device.
 *  @{ */

/** Options of fa_bernoulli(). */
typedef struct fa_bernoulli_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_bernoulli_options;

/** 1 with probability p, 0 otherwise, elementwise, in p's shape and dtype. NaN counts as 0, and elements above 1 as
 *  1.
 *
 *      fa_bernoulli(p, .out = NULL)
 *
 *  @param p probability of 1: floating, from 0 to 1
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_bernoulli(const fa_tensor *p, const fa_bernoulli_options *options);

/** Options of fa_normal(). */
typedef struct fa_normal_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_normal_options;

/** Random numbers from normal distributions: mean + std * z with z from the standard normal distribution. At least one
 *  of mean and std is a tensor; they broadcast. The sign of std has no effect on the distribution. Both get gradients,
 *  for which backward draws the same numbers again (in PyTorch they are 0). fa_normal_() fills a tensor from one
 *  distribution.
 *
 *      fa_normal(mean, std, .out = NULL)
 *
 *  @param mean a tensor or a number
 *  @param std a tensor or a number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_normal(fa_arg mean, fa_arg std, const fa_normal_options *options);

/** Options of fa_poisson(). */
typedef struct fa_poisson_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_poisson_options;

/** Random numbers from Poisson distributions with the given means, in rate's shape and dtype. Computed in f64, which
 *  the device has to support. A negative or NaN rate gives NaN, where PyTorch raises an error. Below a rate of 10 the
 *  distribution function is inverted; from 10 on the method is Hoermann's transformed rejection (PTRS, 1993).
 *
 *      fa_poisson(rate, .out = NULL)
 *
 *  @param rate the means: floating, at least 0
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_poisson(const fa_tensor *rate, const fa_poisson_options *options);

/** Options of fa_multinomial(). */
typedef struct fa_multinomial_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< the tensor to write the result into; NULL: a new one */
    bool replacement; /**< true: a category may be drawn more than once */
    char fa__end;     /**< marks the end of this version's options */
} fa_multinomial_options;

/** Samples category indices of each row, with probabilities proportional to the weights: (num_samples) or (m,
 *  num_samples), i64. Categories with weight 0 are never drawn; without replacement none is drawn twice, and the result
 *  is in the order of drawing. Computed in f64, which the device has to support. The host checks the weights, which
 *  waits for them.
 *
 *      fa_multinomial(x, num_samples, .replacement = false, .out = NULL)
 *
 *  @param x weights, not necessarily normalized: (n) or (m, n), at least 0
 *  @param num_samples number of samples for each row
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_multinomial(const fa_tensor *x, int64_t num_samples, const fa_multinomial_options *options);

/** @} */

/** @} */

/** @cond */
/* Macros through which the functions above take named options, and numbers instead of tensors. */
#define FA__DEFAULT_fa_alpha_dropout {offsetof(fa_alpha_dropout_options, fa__end), NULL, 0.5, true, 0}
#define fa_alpha_dropout(...) FA__CALL1(fa_alpha_dropout, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
typedef fa_alpha_dropout_options fa_alpha_dropout__options;
#define FA__DEFAULT_fa_alpha_dropout_ FA__DEFAULT_fa_alpha_dropout
#define fa_alpha_dropout_(...) FA__CALL1(fa_alpha_dropout_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_feature_dropout {offsetof(fa_feature_dropout_options, fa__end), NULL, 0.5, true, 0}
#define fa_feature_dropout(...) FA__CALL1(fa_feature_dropout, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_uniform_ {offsetof(fa_uniform__options, fa__end), 0, 1, 0}
#define fa_uniform_(...) FA__CALL1(fa_uniform_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_normal_ {offsetof(fa_normal__options, fa__end), 0, 1, 0}
#define fa_normal_(...) FA__CALL1(fa_normal_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_log_normal_ {offsetof(fa_log_normal__options, fa__end), 1, 2, 0}
#define fa_log_normal_(...) FA__CALL1(fa_log_normal_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_exponential_ {offsetof(fa_exponential__options, fa__end), 1, 0}
#define fa_exponential_(...) FA__CALL1(fa_exponential_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_cauchy_ {offsetof(fa_cauchy__options, fa__end), 0, 1, 0}
#define fa_cauchy_(...) FA__CALL1(fa_cauchy_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_geometric_ {offsetof(fa_geometric__options, fa__end), 0}
#define fa_geometric_(...) FA__CALL2(fa_geometric_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_bernoulli_ {offsetof(fa_bernoulli__options, fa__end), 0}
#define fa_bernoulli_(...) FA__CALL2(fa_bernoulli_, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_gumbel_softmax {offsetof(fa_gumbel_softmax_options, fa__end), NULL, 1, false, -1, 0}
#define fa_gumbel_softmax(...) FA__CALL1(fa_gumbel_softmax, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_randint {offsetof(fa_randint_options, fa__end), NULL, FA_SAME, {0, 0}, false, 0}
#define FA__DEVICE_fa_randint ,
#define fa_randint(...) FA__CALL3(fa_randint, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SHAPE, __VA_ARGS__)
#define FA__DEFAULT_fa_randint_like {offsetof(fa_randint_like_options, fa__end), NULL, FA_SAME, false, 0}
#define fa_randint_like(...) FA__CALL3(fa_randint_like, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_random_ {offsetof(fa_random__options, fa__end), 0, INT64_MIN, 0}
#define fa_random_(...) FA__CALL1(fa_random_, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_bernoulli {offsetof(fa_bernoulli_options, fa__end), NULL, 0}
#define fa_bernoulli(...) FA__CALL1(fa_bernoulli, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_normal {offsetof(fa_normal_options, fa__end), NULL, 0}
#define fa_normal(...) FA__CALL2(fa_normal, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__ARG, FA__ARG, __VA_ARGS__)
#define FA__DEFAULT_fa_poisson {offsetof(fa_poisson_options, fa__end), NULL, 0}
#define fa_poisson(...) FA__CALL1(fa_poisson, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_multinomial {offsetof(fa_multinomial_options, fa__end), NULL, false, 0}
#define fa_multinomial(...) FA__CALL2(fa_multinomial, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
