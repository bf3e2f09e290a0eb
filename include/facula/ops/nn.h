/** @file
 *  Convolution, pooling, normalization and embedding.
 *
 *  Written by facula-rows from src/ops/nn: edit there. */
/* clang-format off */
#ifndef FACULA_OPS_NN_H
#define FACULA_OPS_NN_H
#include <facula/types.h>

FA__BEGIN

/** @defgroup ops_nn Convolution, pooling, normalization and embedding
 *  @{ */

/** @name Convolutions, of images and of lines, and their transposes
 *  How they are summed is in backend/convolution.h.
 *  @{ */

/** Options of fa_conv2d(). */
typedef struct fa_conv2d_options {
    size_t size;           /**< set by the macro */
    fa_tensor *out;        /**< where to write, instead of into new memory */
    const fa_tensor *bias; /**< (out); NULL: none */
    fa_pair stride;        /**< steps of the kernel over x */
    fa_pair padding;       /**< zeros around x, on each side; FA_PADDING_SAME: as many as keep its size */
    fa_pair dilation;      /**< how far the kernel's entries are apart */
    int64_t groups;        /**< so many parts of the channels, each with its part of the results */
    char fa__end;          /**< the end of what this version knows */
} fa_conv2d_options;

/** The convolution of images with a kernel, without turning it (a cross-correlation): a layer of a network. The result
 *  is (n, out, height, width), with (size + 2 padding - dilation (kernel - 1) - 1) / stride + 1 rows and columns,
 *  rounded down. Pairs are a height and a width, or a number for both. FA_PADDING_SAME goes with a stride of 1; where
 *  it is odd, what is more stands behind. Operands have one dtype, not bool; integers wrap around, f16 and bf16 are
 *  summed in f32.
 *
 *      fa_conv2d(x, weight, .bias = NULL, .stride = 1, .padding = 0, .dilation = 1, .groups = 1, .out = NULL)
 *
 *  @param x (n, channels, height, width), or without n
 *  @param weight (out, channels / groups, kernel height, kernel width)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_conv2d(const fa_tensor *x, const fa_tensor *weight, const fa_conv2d_options *options);

/** Options of fa_conv_transpose2d(). */
typedef struct fa_conv_transpose2d_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< where to write, instead of into new memory */
    const fa_tensor *bias;  /**< (out); NULL: none */
    fa_pair stride;         /**< steps of the kernel over the result */
    fa_pair padding;        /**< rows and columns that the result lacks, on each side */
    fa_pair output_padding; /**< rows and columns that it has more, behind; below stride or dilation */
    int64_t groups;         /**< so many parts of the channels, each with its part of the results */
    fa_pair dilation;       /**< how far the kernel's entries are apart */
    char fa__end;           /**< the end of what this version knows */
} fa_conv_transpose2d_options;

/** What has the shape of a convolution's gradient by its images: each entry of x, times the kernel, is added to the
 *  result, `stride` apart (a deconvolution). The result is (n, out, height, width), with (size - 1) stride - 2 padding
 *  + dilation (kernel - 1) + output_padding + 1 rows and columns. Dtypes are as fa_conv2d has them. It is computed as a
 *  convolution of x with zeros between its entries and around them, by which all weights are multiplied: an infinity or
 *  NaN among these makes NaN of results that it takes no part in, and that are finite in PyTorch.
 *
 *      fa_conv_transpose2d(x, weight, .bias = NULL, .stride = 1, .padding = 0, .output_padding = 0, .groups = 1,
 *          .dilation = 1, .out = NULL)
 *
 *  @param x (n, channels, height, width), or without n
 *  @param weight (channels, out / groups, kernel height, kernel width)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_conv_transpose2d(const fa_tensor *x, const fa_tensor *weight, const fa_conv_transpose2d_options *options);

/** Options of fa_conv1d(). */
typedef struct fa_conv1d_options {
    size_t size;           /**< set by the macro */
    fa_tensor *out;        /**< where to write, instead of into new memory */
    const fa_tensor *bias; /**< (out); NULL: none */
    int64_t stride;        /**< steps of the kernel over x */
    int64_t padding;       /**< zeros around x, on each side; FA_PADDING_SAME: as many as keep its size */
    int64_t dilation;      /**< how far the kernel's entries are apart */
    int64_t groups;        /**< so many parts of the channels, each with its part of the results */
    char fa__end;          /**< the end of what this version knows */
} fa_conv1d_options;

/** The convolution of lines with a kernel: (n, out, length), as fa_conv2d makes it of images with one row.
 *
 *      fa_conv1d(x, weight, .bias = NULL, .stride = 1, .padding = 0, .dilation = 1, .groups = 1, .out = NULL)
 *
 *  @param x (n, channels, length), or without n
 *  @param weight (out, channels / groups, kernel length)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_conv1d(const fa_tensor *x, const fa_tensor *weight, const fa_conv1d_options *options);

/** Options of fa_conv_transpose1d(). */
typedef struct fa_conv_transpose1d_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< where to write, instead of into new memory */
    const fa_tensor *bias;  /**< (out); NULL: none */
    int64_t stride;         /**< steps of the kernel over the result */
    int64_t padding;        /**< entries that the result lacks, on each side */
    int64_t output_padding; /**< entries that it has more, behind; below stride or dilation */
    int64_t groups;         /**< so many parts of the channels, each with its part of the results */
    int64_t dilation;       /**< how far the kernel's entries are apart */
    char fa__end;           /**< the end of what this version knows */
} fa_conv_transpose1d_options;

/** The transpose of a convolution of lines: (n, out, length), as fa_conv_transpose2d makes it of images with one row.
 *
 *      fa_conv_transpose1d(x, weight, .bias = NULL, .stride = 1, .padding = 0, .output_padding = 0, .groups = 1,
 *          .dilation = 1, .out = NULL)
 *
 *  @param x (n, channels, length), or without n
 *  @param weight (channels, out / groups, kernel length)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_conv_transpose1d(const fa_tensor *x, const fa_tensor *weight, const fa_conv_transpose1d_options *options);

/** @} */

/** @name Embeddings
 *  rows of a matrix by their numbers.
 *  @{ */

/** Options of fa_embedding(). */
typedef struct fa_embedding_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< where to write, instead of into new memory */
    int64_t padding_idx;     /**< a row that gets no gradient; negative counts from the end; by default none */
    bool scale_grad_by_freq; /**< what comes to a row is divided by how often the row is taken */
    char fa__end;            /**< the end of what this version knows */
} fa_embedding_options;

/** The rows of weight that input names: the shape of input, and width behind it. A number that is out of range is an
 *  error, which names it. Gradients are added in input's order: the same bits on every device. PyTorch's max_norm,
 *  which changes weight, is not there: fa_norm() finds the rows that are longer.
 *
 *      fa_embedding(input, weight, .padding_idx = INT64_MIN, .scale_grad_by_freq = false, .out = NULL)
 *
 *  @param input integers of any shape, each at least 0 and below the number of rows
 *  @param weight (rows, width)
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_embedding(const fa_tensor *input, const fa_tensor *weight, const fa_embedding_options *options);

/** @} */

/** @name Normalisation over the last dimensions, by norms, and by neighbouring channels
 *  @{ */

/** Options of fa_layer_norm(). */
typedef struct fa_layer_norm_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< where to write, instead of into new memory */
    const fa_tensor *weight; /**< of normalized_shape; NULL: 1 */
    const fa_tensor *bias;   /**< of normalized_shape; NULL: 0 */
    double eps;              /**< is added to variances */
    char fa__end;            /**< the end of what this version knows */
} fa_layer_norm_options;

/** (x - mean) / sqrt(variance + eps) * weight + bias, with statistics over the last dimensions (arXiv:1607.06450).
 *  Weight and bias may be f32 where x is f16 or bf16.
 *
 *      fa_layer_norm(x, normalized_shape, .weight = NULL, .bias = NULL, .eps = 1e-5, .out = NULL)
 *
 *  @param x (..., normalized_shape), floating
 *  @param normalized_shape the last dimensions of x: statistics are over these
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_layer_norm(const fa_tensor *x, fa_shape normalized_shape, const fa_layer_norm_options *options);

/** Options of fa_rms_norm(). */
typedef struct fa_rms_norm_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< where to write, instead of into new memory */
    const fa_tensor *weight; /**< of normalized_shape; NULL: 1 */
    double eps;              /**< is added to the mean; below 0: the distance of 1 to the next number, in f32 or f64 */
    char fa__end;            /**< the end of what this version knows */
} fa_rms_norm_options;

/** x / sqrt(mean of x * x + eps) * weight, with the mean over the last dimensions (arXiv:1910.07467). The weight may be
 *  f32 where x is f16 or bf16.
 *
 *      fa_rms_norm(x, normalized_shape, .weight = NULL, .eps = -1, .out = NULL)
 *
 *  @param x (..., normalized_shape), floating
 *  @param normalized_shape the last dimensions of x: the mean is over these
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_rms_norm(const fa_tensor *x, fa_shape normalized_shape, const fa_rms_norm_options *options);

/** Options of fa_normalize(). */
typedef struct fa_normalize_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double p;       /**< the order of the norm */
    fa_dims dim;    /**< one dimension, FA_DIMS(0, 2), or all of them */
    double eps;     /**< the least that is divided by */
    char fa__end;   /**< the end of what this version knows */
} fa_normalize_options;

/** x divided by its norms over dimensions, or by eps where that is larger.
 *
 *      fa_normalize(x, .p = 2, .dim = 1, .eps = 1e-12, .out = NULL)
 *
 *  @param x floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_normalize(const fa_tensor *x, const fa_normalize_options *options);

/** Options of fa_local_response_norm(). */
typedef struct fa_local_response_norm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    double alpha;   /**< of the mean of squares */
    double beta;    /**< the exponent */
    double k;       /**< is added */
    char fa__end;   /**< the end of what this version knows */
} fa_local_response_norm_options;

/** x / (k + alpha * mean)^beta, with the mean of squares over `size` channels around each, of which those that are not
 *  there count as 0 (Krizhevsky et al. 2012).
 *
 *      fa_local_response_norm(x, size, .alpha = 1e-4, .beta = 0.75, .k = 1, .out = NULL)
 *
 *  @param x (n, c, ...), floating
 *  @param size how many neighbouring channels
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_local_response_norm(const fa_tensor *x, int64_t size, const fa_local_response_norm_options *options);

/** @} */

/** @name Normalisation of channels
 *  over batches, groups and instances. Statistics are taken in f32 or f64, in two passes, by
 *  the reductions' fixed tree: the same bits on every device.
 *  @{ */

/** Options of fa_batch_norm(). */
typedef struct fa_batch_norm_options {
    size_t size;                   /**< set by the macro */
    fa_tensor *out;                /**< where to write, instead of into new memory */
    const fa_tensor *running_mean; /**< (c): changed in place in training */
    const fa_tensor *running_var;  /**< (c): the same */
    const fa_tensor *weight;       /**< (c): NULL: 1 */
    const fa_tensor *bias;         /**< (c): NULL: 0 */
    bool training;                 /**< take the batch's statistics, and not the running ones */
    double momentum;               /**< how much of the running ones each batch replaces */
    double eps;                    /**< is added to variances */
    char fa__end;                  /**< the end of what this version knows */
} fa_batch_norm_options;

/** (x - mean) / sqrt(variance + eps) * weight + bias for each channel, dimension 1 (arXiv:1502.03167). In training mean
 *  and variance are those of the batch, over all other dimensions; the running ones, where given, are changed in place
 *  to (1 - momentum) * running + momentum * the batch's, of the variance that divides by one element less: a
 *  cumulative average is momentum = 1 / the number of batches so far. Otherwise the running ones are taken, which get
 *  no gradients. Weight and bias may be f32 where x is f16 or bf16; an empty batch changes nothing.
 *
 *      fa_batch_norm(x, .running_mean = NULL, .running_var = NULL, .weight = NULL, .bias = NULL,
 *          .training = false, .momentum = 0.1, .eps = 1e-5, .out = NULL)
 *
 *  @param x (n, c) or (n, c, ...), floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_batch_norm(const fa_tensor *x, const fa_batch_norm_options *options);

/** Options of fa_instance_norm(). */
typedef struct fa_instance_norm_options {
    size_t size;                   /**< set by the macro */
    fa_tensor *out;                /**< where to write, instead of into new memory */
    const fa_tensor *running_mean; /**< (c): changed in place where the input's own statistics are used */
    const fa_tensor *running_var;  /**< (c): the same */
    const fa_tensor *weight;       /**< (c): NULL: 1 */
    const fa_tensor *bias;         /**< (c): NULL: 0 */
    bool use_input_stats;          /**< and not the running ones */
    double momentum;               /**< how much of the running ones each batch replaces */
    double eps;                    /**< is added to variances */
    char fa__end;                  /**< the end of what this version knows */
} fa_instance_norm_options;

/** batch_norm() with statistics of each sample alone, over all dimensions but the first two (arXiv:1607.08022). The
 *  running ones get the mean of the samples'.
 *
 *      fa_instance_norm(x, .running_mean = NULL, .running_var = NULL, .weight = NULL, .bias = NULL,
 *          .use_input_stats = true, .momentum = 0.1, .eps = 1e-5, .out = NULL)
 *
 *  @param x (n, c, ...), floating
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_instance_norm(const fa_tensor *x, const fa_instance_norm_options *options);

/** Options of fa_group_norm(). */
typedef struct fa_group_norm_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< where to write, instead of into new memory */
    const fa_tensor *weight; /**< (c): NULL: 1 */
    const fa_tensor *bias;   /**< (c): NULL: 0 */
    double eps;              /**< is added to variances */
    char fa__end;            /**< the end of what this version knows */
} fa_group_norm_options;

/** (x - mean) / sqrt(variance + eps) * weight + bias, with statistics of each sample over groups of neighbouring
 *  channels and all dimensions behind them (arXiv:1803.08494). Weight and bias may be f32 where x is f16 or bf16.
 *
 *      fa_group_norm(x, num_groups, .weight = NULL, .bias = NULL, .eps = 1e-5, .out = NULL)
 *
 *  @param x (n, c) or (n, c, ...), floating
 *  @param num_groups of channels, all of one size
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_group_norm(const fa_tensor *x, int64_t num_groups, const fa_group_norm_options *options);

/** @} */

/** @name Pooling
 *  the largest element or the mean of each window of planes, the last two dimensions of (n, c, h, w) or
 *  (c, h, w). Which elements a window has is in backend/pool.h. Gradients add up in the windows' order: the same bits
 *  on every device.
 *  @{ */

/** Options of fa_max_pool2d(). */
typedef struct fa_max_pool2d_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< where to write, instead of into new memory */
    fa_pair stride;   /**< how far a window is from the next; 0: the kernel */
    fa_pair padding;  /**< at both ends; at most half of what a window reaches over */
    fa_pair dilation; /**< how far a window's elements are apart */
    bool ceil_mode;   /**< a last window that goes beyond the padding counts, too */
    char fa__end;     /**< the end of what this version knows */
} fa_max_pool2d_options;

/** The largest element of each window: (n, c, h', w'), with h' = (h + 2 padding - dilation (kernel - 1) - 1) / stride +
 *  1, rounded down, or up with ceil_mode, when the last window still begins before the padding behind. Padding is never
 *  chosen. NaN is larger than everything; of equal elements the first is chosen, of several NaN the last, and gets the
 *  gradient. Unlike in PyTorch a window that has only padding is an error.
 *
 *      fa_max_pool2d(x, kernel, .stride = 0, .padding = 0, .dilation = 1, .ceil_mode = false, .out = NULL)
 *
 *  @param x (n, c, h, w) or (c, h, w), any dtype but bool
 *  @param kernel height and width of a window
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_max_pool2d(const fa_tensor *x, fa_pair kernel, const fa_max_pool2d_options *options);

/** The results of fa_max_pool2d_with_indices(). */
typedef struct fa_max_pool2d_with_indices_result {
    fa_tensor *values;  /**< see fa_max_pool2d_with_indices() */
    fa_tensor *indices; /**< see fa_max_pool2d_with_indices() */
} fa_max_pool2d_with_indices_result;

/** Options of fa_max_pool2d_with_indices(). */
typedef struct fa_max_pool2d_with_indices_options {
    size_t size;      /**< set by the macro */
    fa_pair stride;   /**< how far a window is from the next; 0: the kernel */
    fa_pair padding;  /**< at both ends; at most half of what a window reaches over */
    fa_pair dilation; /**< how far a window's elements are apart */
    bool ceil_mode;   /**< a last window that goes beyond the padding counts, too */
    char fa__end;     /**< the end of what this version knows */
} fa_max_pool2d_with_indices_options;

/** max_pool2d(), and where in its plane each of them is: i64, row by row.
 *
 *      fa_max_pool2d_with_indices(x, kernel, .stride = 0, .padding = 0, .dilation = 1, .ceil_mode = false)
 *
 *  @param x (n, c, h, w) or (c, h, w), any dtype but bool
 *  @param kernel height and width of a window
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the results; NULLs after an error */
FA_API fa_max_pool2d_with_indices_result fa_max_pool2d_with_indices(const fa_tensor *x, fa_pair kernel, const fa_max_pool2d_with_indices_options *options);

/** Options of fa_avg_pool2d(). */
typedef struct fa_avg_pool2d_options {
    size_t size;              /**< set by the macro */
    fa_tensor *out;           /**< where to write, instead of into new memory */
    fa_pair stride;           /**< how far a window is from the next; 0: the kernel */
    fa_pair padding;          /**< at both ends; at most half of the window */
    bool ceil_mode;           /**< a last window that goes beyond the padding counts, too */
    bool count_include_pad;   /**< padding counts as zeros */
    int64_t divisor_override; /**< what sums are divided by; 0: the number of elements */
    char fa__end;             /**< the end of what this version knows */
} fa_avg_pool2d_options;

/** The mean of each window, in the shape that max_pool2d() gives. Sums are taken in f32 or f64, row by row. What a
 *  window of ceil_mode has beyond the padding never counts. Integers are an error.
 *
 *      fa_avg_pool2d(x, kernel, .stride = 0, .padding = 0, .ceil_mode = false, .count_include_pad = true,
 *          .divisor_override = 0, .out = NULL)
 *
 *  @param x (n, c, h, w) or (c, h, w), floating
 *  @param kernel height and width of a window
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_avg_pool2d(const fa_tensor *x, fa_pair kernel, const fa_avg_pool2d_options *options);

/** Options of fa_adaptive_avg_pool2d(). */
typedef struct fa_adaptive_avg_pool2d_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_adaptive_avg_pool2d_options;

/** The means of as many windows as make planes of the given size: window i of n along a dimension of x has the elements
 *  from floor(i * h / n) to below ceil((i + 1) * h / n). Integers are an error.
 *
 *      fa_adaptive_avg_pool2d(x, size, .out = NULL)
 *
 *  @param x (n, c, h, w) or (c, h, w), floating
 *  @param size of the result's planes; -1 keeps the size of x
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_adaptive_avg_pool2d(const fa_tensor *x, fa_pair size, const fa_adaptive_avg_pool2d_options *options);

/** The results of fa_adaptive_max_pool2d_with_indices(). */
typedef struct fa_adaptive_max_pool2d_with_indices_result {
    fa_tensor *values;  /**< see fa_adaptive_max_pool2d_with_indices() */
    fa_tensor *indices; /**< see fa_adaptive_max_pool2d_with_indices() */
} fa_adaptive_max_pool2d_with_indices_result;

/** The largest elements of as many windows as make planes of the given size, as adaptive_avg_pool2d() has them, and
 *  where in its plane each is: i64, row by row. NaN and equal elements are as in max_pool2d().
 *
 *      fa_adaptive_max_pool2d_with_indices(x, size)
 *
 *  @param x (n, c, h, w) or (c, h, w), floating
 *  @param size of the result's planes; -1 keeps the size of x
 *  @return the results; NULLs after an error */
FA_API fa_adaptive_max_pool2d_with_indices_result fa_adaptive_max_pool2d_with_indices(const fa_tensor *x, fa_pair size);

/** Options of fa_adaptive_max_pool2d(). */
typedef struct fa_adaptive_max_pool2d_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_adaptive_max_pool2d_options;

/** What adaptive_max_pool2d_with_indices() gives first.
 *
 *      fa_adaptive_max_pool2d(x, size, .out = NULL)
 *
 *  @param x (n, c, h, w) or (c, h, w), floating
 *  @param size of the result's planes; -1 keeps the size of x
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_adaptive_max_pool2d(const fa_tensor *x, fa_pair size, const fa_adaptive_max_pool2d_options *options);

/** @} */

/** @name Pooling of lines
 *  (n, c, length) or (c, length), by what pools planes of one row.
 *  @{ */

/** Options of fa_max_pool1d(). */
typedef struct fa_max_pool1d_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< where to write, instead of into new memory */
    int64_t stride;   /**< how far a window is from the next; 0: the kernel */
    int64_t padding;  /**< at both ends; at most half of what a window reaches over */
    int64_t dilation; /**< how far a window's elements are apart */
    bool ceil_mode;   /**< a last window that goes beyond the padding counts, too */
    char fa__end;     /**< the end of what this version knows */
} fa_max_pool1d_options;

/** max_pool2d() of lines.
 *
 *      fa_max_pool1d(x, kernel, .stride = 0, .padding = 0, .dilation = 1, .ceil_mode = false, .out = NULL)
 *
 *  @param x (n, c, length) or (c, length), any dtype but bool
 *  @param kernel length of a window
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_max_pool1d(const fa_tensor *x, int64_t kernel, const fa_max_pool1d_options *options);

/** The results of fa_max_pool1d_with_indices(). */
typedef struct fa_max_pool1d_with_indices_result {
    fa_tensor *values;  /**< see fa_max_pool1d_with_indices() */
    fa_tensor *indices; /**< see fa_max_pool1d_with_indices() */
} fa_max_pool1d_with_indices_result;

/** Options of fa_max_pool1d_with_indices(). */
typedef struct fa_max_pool1d_with_indices_options {
    size_t size;      /**< set by the macro */
    int64_t stride;   /**< how far a window is from the next; 0: the kernel */
    int64_t padding;  /**< at both ends; at most half of what a window reaches over */
    int64_t dilation; /**< how far a window's elements are apart */
    bool ceil_mode;   /**< a last window that goes beyond the padding counts, too */
    char fa__end;     /**< the end of what this version knows */
} fa_max_pool1d_with_indices_options;

/** max_pool2d_with_indices() of lines: indices are places in them.
 *
 *      fa_max_pool1d_with_indices(x, kernel, .stride = 0, .padding = 0, .dilation = 1, .ceil_mode = false)
 *
 *  @param x (n, c, length) or (c, length), any dtype but bool
 *  @param kernel length of a window
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the results; NULLs after an error */
FA_API fa_max_pool1d_with_indices_result fa_max_pool1d_with_indices(const fa_tensor *x, int64_t kernel, const fa_max_pool1d_with_indices_options *options);

/** Options of fa_avg_pool1d(). */
typedef struct fa_avg_pool1d_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< where to write, instead of into new memory */
    int64_t stride;         /**< how far a window is from the next; 0: the kernel */
    int64_t padding;        /**< at both ends; at most half of the window */
    bool ceil_mode;         /**< a last window that goes beyond the padding counts, too */
    bool count_include_pad; /**< padding counts as zeros */
    char fa__end;           /**< the end of what this version knows */
} fa_avg_pool1d_options;

/** avg_pool2d() of lines.
 *
 *      fa_avg_pool1d(x, kernel, .stride = 0, .padding = 0, .ceil_mode = false, .count_include_pad = true,
 *          .out = NULL)
 *
 *  @param x (n, c, length) or (c, length), floating
 *  @param kernel length of a window
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_avg_pool1d(const fa_tensor *x, int64_t kernel, const fa_avg_pool1d_options *options);

/** Options of fa_adaptive_avg_pool1d(). */
typedef struct fa_adaptive_avg_pool1d_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_adaptive_avg_pool1d_options;

/** adaptive_avg_pool2d() of lines.
 *
 *      fa_adaptive_avg_pool1d(x, size, .out = NULL)
 *
 *  @param x (n, c, length) or (c, length), floating
 *  @param size length of the result
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_adaptive_avg_pool1d(const fa_tensor *x, int64_t size, const fa_adaptive_avg_pool1d_options *options);

/** The results of fa_adaptive_max_pool1d_with_indices(). */
typedef struct fa_adaptive_max_pool1d_with_indices_result {
    fa_tensor *values;  /**< see fa_adaptive_max_pool1d_with_indices() */
    fa_tensor *indices; /**< see fa_adaptive_max_pool1d_with_indices() */
} fa_adaptive_max_pool1d_with_indices_result;

/** adaptive_max_pool2d_with_indices() of lines: indices are places in them.
 *
 *      fa_adaptive_max_pool1d_with_indices(x, size)
 *
 *  @param x (n, c, length) or (c, length), floating
 *  @param size length of the result
 *  @return the results; NULLs after an error */
FA_API fa_adaptive_max_pool1d_with_indices_result fa_adaptive_max_pool1d_with_indices(const fa_tensor *x, int64_t size);

/** Options of fa_adaptive_max_pool1d(). */
typedef struct fa_adaptive_max_pool1d_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< where to write, instead of into new memory */
    char fa__end;   /**< the end of what this version knows */
} fa_adaptive_max_pool1d_options;

/** adaptive_max_pool2d() of lines.
 *
 *      fa_adaptive_max_pool1d(x, size, .out = NULL)
 *
 *  @param x (n, c, length) or (c, length), floating
 *  @param size length of the result
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_adaptive_max_pool1d(const fa_tensor *x, int64_t size, const fa_adaptive_max_pool1d_options *options);

/** @} */

/** @} */

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_conv2d {offsetof(fa_conv2d_options, fa__end), NULL, NULL, 1, 0, 1, 1, 0}
#define fa_conv2d(...) FA__CALL2(fa_conv2d, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_conv_transpose2d {offsetof(fa_conv_transpose2d_options, fa__end), NULL, NULL, 1, 0, 0, 1, 1, 0}
#define fa_conv_transpose2d(...) FA__CALL2(fa_conv_transpose2d, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_conv1d {offsetof(fa_conv1d_options, fa__end), NULL, NULL, 1, 0, 1, 1, 0}
#define fa_conv1d(...) FA__CALL2(fa_conv1d, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_conv_transpose1d {offsetof(fa_conv_transpose1d_options, fa__end), NULL, NULL, 1, 0, 0, 1, 1, 0}
#define fa_conv_transpose1d(...) FA__CALL2(fa_conv_transpose1d, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_embedding {offsetof(fa_embedding_options, fa__end), NULL, INT64_MIN, false, 0}
#define fa_embedding(...) FA__CALL2(fa_embedding, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_layer_norm {offsetof(fa_layer_norm_options, fa__end), NULL, NULL, NULL, 1e-5, 0}
#define fa_layer_norm(...) FA__CALL2(fa_layer_norm, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_rms_norm {offsetof(fa_rms_norm_options, fa__end), NULL, NULL, -1, 0}
#define fa_rms_norm(...) FA__CALL2(fa_rms_norm, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_normalize {offsetof(fa_normalize_options, fa__end), NULL, 2, 1, 1e-12, 0}
#define fa_normalize(...) FA__CALL1(fa_normalize, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_local_response_norm {offsetof(fa_local_response_norm_options, fa__end), NULL, 1e-4, 0.75, 1, 0}
#define fa_local_response_norm(...) FA__CALL2(fa_local_response_norm, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_batch_norm {offsetof(fa_batch_norm_options, fa__end), NULL, NULL, NULL, NULL, NULL, false, 0.1, 1e-5, 0}
#define fa_batch_norm(...) FA__CALL1(fa_batch_norm, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_instance_norm {offsetof(fa_instance_norm_options, fa__end), NULL, NULL, NULL, NULL, NULL, true, 0.1, 1e-5, 0}
#define fa_instance_norm(...) FA__CALL1(fa_instance_norm, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_group_norm {offsetof(fa_group_norm_options, fa__end), NULL, NULL, NULL, 1e-5, 0}
#define fa_group_norm(...) FA__CALL2(fa_group_norm, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_max_pool2d {offsetof(fa_max_pool2d_options, fa__end), NULL, 0, 0, 1, false, 0}
#define fa_max_pool2d(...) FA__CALL2(fa_max_pool2d, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_max_pool2d_with_indices {offsetof(fa_max_pool2d_with_indices_options, fa__end), 0, 0, 1, false, 0}
#define fa_max_pool2d_with_indices(...) FA__CALL2(fa_max_pool2d_with_indices, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_avg_pool2d {offsetof(fa_avg_pool2d_options, fa__end), NULL, 0, 0, false, true, 0, 0}
#define fa_avg_pool2d(...) FA__CALL2(fa_avg_pool2d, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_adaptive_avg_pool2d {offsetof(fa_adaptive_avg_pool2d_options, fa__end), NULL, 0}
#define fa_adaptive_avg_pool2d(...) FA__CALL2(fa_adaptive_avg_pool2d, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_adaptive_max_pool2d {offsetof(fa_adaptive_max_pool2d_options, fa__end), NULL, 0}
#define fa_adaptive_max_pool2d(...) FA__CALL2(fa_adaptive_max_pool2d, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_max_pool1d {offsetof(fa_max_pool1d_options, fa__end), NULL, 0, 0, 1, false, 0}
#define fa_max_pool1d(...) FA__CALL2(fa_max_pool1d, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_max_pool1d_with_indices {offsetof(fa_max_pool1d_with_indices_options, fa__end), 0, 0, 1, false, 0}
#define fa_max_pool1d_with_indices(...) FA__CALL2(fa_max_pool1d_with_indices, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_avg_pool1d {offsetof(fa_avg_pool1d_options, fa__end), NULL, 0, 0, false, true, 0}
#define fa_avg_pool1d(...) FA__CALL2(fa_avg_pool1d, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_adaptive_avg_pool1d {offsetof(fa_adaptive_avg_pool1d_options, fa__end), NULL, 0}
#define fa_adaptive_avg_pool1d(...) FA__CALL2(fa_adaptive_avg_pool1d, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_adaptive_max_pool1d {offsetof(fa_adaptive_max_pool1d_options, fa__end), NULL, 0}
#define fa_adaptive_max_pool1d(...) FA__CALL2(fa_adaptive_max_pool1d, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
