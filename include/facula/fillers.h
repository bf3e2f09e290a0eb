/** @file
 *  Filling tensors with random numbers: element i is a function of the generator's state and of i alone, on every
 *  device.
 *
 *  Written by facula-rows from src/ops/fillers.c: edit there. */
/* clang-format off */
#ifndef FACULA_FILLERS_H
#define FACULA_FILLERS_H
#include <facula/types.h>

FA__BEGIN

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

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
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
/** @endcond */

FA__END
#endif
