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
 *  @ingroup ops
 *  @{ */

/** @name Scaled dot product attention
 *  Kernels never hold all scores. With dropout, for few queries on a GPU, and where
 *  backward is recorded, it calls matrix products and softmax, which give the same bits.
 *  @{ */

/** Options of fa_scaled_dot_product_attention(). */
typedef struct fa_scaled_dot_product_attention_options {
    size_t size;           /**< set by the macro */
    fa_tensor *out;        /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *mask; /**< broadcasts to (..., l, s): true where a query sees a key, or numbers to add */
    bool causal;           /**< true: query i sees the keys 0 to i only; not together with mask */
    double scale;          /**< factor of the scores; 0: 1 / sqrt(e) */
    double dropout;        /**< probability that a weight becomes 0; the others are divided by 1 - dropout */
    bool enable_gqa;       /**< true: k and v have fewer heads (dimension -3), each for several of q's heads */
    char fa__end;          /**< marks the end of this version's options */
} fa_scaled_dot_product_attention_options;

/** Attention (arXiv:1706.03762): softmax(q k^T * scale + mask) v over the keys that each query sees. Leading dimensions
 *  broadcast, and usually are (batch, heads); the result is (..., l, ev). A query that sees no key gets 0. f16 and bf16
 *  are computed in f32, except by cuDNN, which rounds weights before it multiplies them with values. Without dropout,
 *  memory is taken for some rows of the scores at a time, forward and backward (arXiv:2205.14135 has the idea); with
 *  dropout, and where backward is recorded, for all of them. The gradients of all operands, mask included, are
 *  differentiable. Dropout is applied whenever it is above 0: pass 0 in evaluation. In PyTorch the options are called
 *  attn_mask, is_causal and dropout_p.
 *
 *      fa_scaled_dot_product_attention(q, k, v, .mask = NULL, .causal = false, .scale = 0.0, .dropout = 0.0,
 *          .enable_gqa = false, .out = NULL)
 *
 *  @param q (..., l, e): queries, floating
 *  @param k (..., s, e): keys
 *  @param v (..., s, ev): values
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_scaled_dot_product_attention(const fa_tensor *q, const fa_tensor *k, const fa_tensor *v, const fa_scaled_dot_product_attention_options *options);

/** @} */

/** @name Convolution
 *  One and two dimensions, and transposed convolutions. The order of summation is described in
 *  backend/convolution.h.
 *  @{ */

/** Options of fa_conv2d(). */
typedef struct fa_conv2d_options {
    size_t size;           /**< set by the macro */
    fa_tensor *out;        /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *bias; /**< (out); NULL: none */
    fa_pair stride;        /**< step of the kernel over the input */
    fa_pair padding;       /**< zeros added on each side; FA_PADDING_SAME keeps the input's size */
    fa_pair dilation;      /**< spacing between kernel elements */
    int64_t groups;        /**< number of groups the channels are split into */
    char fa__end;          /**< marks the end of this version's options */
} fa_conv2d_options;

/** 2-dimensional convolution of images (cross-correlation: the kernel is not flipped). The result is (n, out_channels,
 *  height, width), where each size is floor((size + 2 * padding - dilation * (kernel - 1) - 1) / stride) + 1. Pairs are
 *  a height and a width, or one number for both. FA_PADDING_SAME requires stride 1; an odd amount of padding has the
 *  extra zeros at the end. All operands have one dtype, not bool. Integers wrap around; f16 and bf16 are accumulated in
 *  f32.
 *
 *      fa_conv2d(x, weight, .bias = NULL, .stride = 1, .padding = 0, .dilation = 1, .groups = 1, .out = NULL)
 *
 *  @param x input: (n, channels, height, width) or (channels, height, width)
 *  @param weight (out_channels, channels / groups, kernel_height, kernel_width)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_conv2d(const fa_tensor *x, const fa_tensor *weight, const fa_conv2d_options *options);

/** Options of fa_conv_transpose2d(). */
typedef struct fa_conv_transpose2d_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *bias;  /**< (out); NULL: none */
    fa_pair stride;         /**< step of the kernel over the result */
    fa_pair padding;        /**< rows and columns removed from the result on each side */
    fa_pair output_padding; /**< rows and columns added at the end of the result; less than stride or dilation */
    int64_t groups;         /**< number of groups the channels are split into */
    fa_pair dilation;       /**< spacing between kernel elements */
    char fa__end;           /**< marks the end of this version's options */
} fa_conv_transpose2d_options;

/** Transposed convolution: the gradient of conv2d with respect to its input, also called deconvolution. Each element of
 *  x, times the kernel, is added to the result at steps of `stride`. The result is (n, out_channels, height, width),
 *  where each size is (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1. Dtypes as for
 *  fa_conv2d().
 *
 *  It is computed as a convolution of x with zeros inserted between and around its elements. These zeros are multiplied
 *  with all weights, so an infinite or NaN weight makes results NaN that are finite in PyTorch.
 *
 *      fa_conv_transpose2d(x, weight, .bias = NULL, .stride = 1, .padding = 0, .output_padding = 0, .groups = 1,
 *          .dilation = 1, .out = NULL)
 *
 *  @param x input: (n, channels, height, width) or (channels, height, width)
 *  @param weight (channels, out_channels / groups, kernel_height, kernel_width)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_conv_transpose2d(const fa_tensor *x, const fa_tensor *weight, const fa_conv_transpose2d_options *options);

/** Options of fa_conv1d(). */
typedef struct fa_conv1d_options {
    size_t size;           /**< set by the macro */
    fa_tensor *out;        /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *bias; /**< (out); NULL: none */
    int64_t stride;        /**< step of the kernel over the input */
    int64_t padding;       /**< zeros added on each side; FA_PADDING_SAME keeps the input's size */
    int64_t dilation;      /**< spacing between kernel elements */
    int64_t groups;        /**< number of groups the channels are split into */
    char fa__end;          /**< marks the end of this version's options */
} fa_conv1d_options;

/** 1-dimensional convolution (cross-correlation) of sequences: (n, out_channels, length), with the length computed as
 *  for fa_conv2d().
 *
 *      fa_conv1d(x, weight, .bias = NULL, .stride = 1, .padding = 0, .dilation = 1, .groups = 1, .out = NULL)
 *
 *  @param x input: (n, channels, length) or (channels, length)
 *  @param weight (out_channels, channels / groups, kernel_length)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_conv1d(const fa_tensor *x, const fa_tensor *weight, const fa_conv1d_options *options);

/** Options of fa_conv_transpose1d(). */
typedef struct fa_conv_transpose1d_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *bias;  /**< (out); NULL: none */
    int64_t stride;         /**< step of the kernel over the result */
    int64_t padding;        /**< elements removed from the result on each side */
    int64_t output_padding; /**< elements added at the end of the result; less than stride or dilation */
    int64_t groups;         /**< number of groups the channels are split into */
    int64_t dilation;       /**< spacing between kernel elements */
    char fa__end;           /**< marks the end of this version's options */
} fa_conv_transpose1d_options;

/** 1-dimensional transposed convolution: (n, out_channels, length), with the length computed as for
 *  fa_conv_transpose2d().
 *
 *      fa_conv_transpose1d(x, weight, .bias = NULL, .stride = 1, .padding = 0, .output_padding = 0, .groups = 1,
 *          .dilation = 1, .out = NULL)
 *
 *  @param x input: (n, channels, length) or (channels, length)
 *  @param weight (channels, out_channels / groups, kernel_length)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_conv_transpose1d(const fa_tensor *x, const fa_tensor *weight, const fa_conv_transpose1d_options *options);

/** @} */

/** @name Embedding
 *  Looks up rows of a weight matrix by index.
 *  @{ */

/** Options of fa_embedding(). */
typedef struct fa_embedding_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< the tensor to write the result into; NULL: a new one */
    int64_t padding_idx;     /**< this row gets no gradient; negative counts from the end; default: none */
    bool scale_grad_by_freq; /**< true: divide each row's gradient by how often its index occurs in input */
    char fa__end;            /**< marks the end of this version's options */
} fa_embedding_options;

/** The rows of weight that input selects: shape input.shape + (embedding_dim). An index out of range is an error that
 *  names it. Gradients are added in the order of input, so every device gives the same bits. PyTorch's max_norm, which
 *  changes weight, is missing; fa_norm() finds rows that are too long.
 *
 *      fa_embedding(input, weight, .padding_idx = INT64_MIN, .scale_grad_by_freq = false, .out = NULL)
 *
 *  @param input indices: integers of any shape, from 0 to the number of rows - 1
 *  @param weight (num_embeddings, embedding_dim)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_embedding(const fa_tensor *input, const fa_tensor *weight, const fa_embedding_options *options);

/** @} */

/** @name Layer norm, RMS norm, normalize and local response norm
 *  @{ */

/** Options of fa_layer_norm(). */
typedef struct fa_layer_norm_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *weight; /**< in normalized_shape; NULL means 1 */
    const fa_tensor *bias;   /**< in normalized_shape; NULL means 0 */
    double eps;              /**< added to the variance */
    char fa__end;            /**< marks the end of this version's options */
} fa_layer_norm_options;

/** Layer normalization: (x - mean) / sqrt(variance + eps) * weight + bias, with mean and variance over the last
 *  dimensions (arXiv:1607.06450). The result has x's shape. Weight and bias may be f32 if x is f16 or bf16.
 *
 *      fa_layer_norm(x, normalized_shape, .weight = NULL, .bias = NULL, .eps = 1e-5, .out = NULL)
 *
 *  @param x (..., normalized_shape), floating
 *  @param normalized_shape the shape of x's last dimensions, over which the statistics are computed
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_layer_norm(const fa_tensor *x, fa_shape normalized_shape, const fa_layer_norm_options *options);

/** Options of fa_rms_norm(). */
typedef struct fa_rms_norm_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *weight; /**< in normalized_shape; NULL means 1 */
    double eps;              /**< added to the mean of squares; negative: the machine epsilon of f32 or f64 */
    char fa__end;            /**< marks the end of this version's options */
} fa_rms_norm_options;

/** Root mean square normalization: x / sqrt(mean(x * x) + eps) * weight, with the mean over the last dimensions
 *  (arXiv:1910.07467). The result has x's shape. The weight may be f32 if x is f16 or bf16.
 *
 *      fa_rms_norm(x, normalized_shape, .weight = NULL, .eps = -1, .out = NULL)
 *
 *  @param x (..., normalized_shape), floating
 *  @param normalized_shape the shape of x's last dimensions, over which the mean is computed
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_rms_norm(const fa_tensor *x, fa_shape normalized_shape, const fa_rms_norm_options *options);

/** Options of fa_normalize(). */
typedef struct fa_normalize_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double p;       /**< the p of the p-norm */
    fa_dims dim;    /**< one dimension, several as FA_DIMS(0, 2), or all: FA_ALL */
    double eps;     /**< lower bound of the divisor */
    char fa__end;   /**< marks the end of this version's options */
} fa_normalize_options;

/** x divided by its p-norm over the given dimensions: x / max(norm(x), eps).
 *
 *      fa_normalize(x, .p = 2, .dim = 1, .eps = 1e-12, .out = NULL)
 *
 *  @param x floating
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_normalize(const fa_tensor *x, const fa_normalize_options *options);

/** Options of fa_local_response_norm(). */
typedef struct fa_local_response_norm_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    double alpha;   /**< factor for the mean of squares */
    double beta;    /**< the exponent */
    double k;       /**< added to the mean */
    char fa__end;   /**< marks the end of this version's options */
} fa_local_response_norm_options;

/** Local response normalization: x / (k + alpha * mean)^beta, where mean is the mean of squares over `size` channels
 *  around each one; missing channels count as 0 (Krizhevsky et al. 2012).
 *
 *      fa_local_response_norm(x, size, .alpha = 1e-4, .beta = 0.75, .k = 1, .out = NULL)
 *
 *  @param x (n, channels, ...), floating
 *  @param size number of neighbouring channels
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_local_response_norm(const fa_tensor *x, int64_t size, const fa_local_response_norm_options *options);

/** @} */

/** @name Batch norm, instance norm and group norm
 *  Statistics are computed in f32 or f64, in two passes, with the fixed
 *  summation order of reductions: the same bits on every device.
 *  @{ */

/** Options of fa_batch_norm(). */
typedef struct fa_batch_norm_options {
    size_t size;                   /**< set by the macro */
    fa_tensor *out;                /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *running_mean; /**< (channels); updated in place in training */
    const fa_tensor *running_var;  /**< (channels); updated in place in training */
    const fa_tensor *weight;       /**< (channels); NULL means 1 */
    const fa_tensor *bias;         /**< (channels); NULL means 0 */
    bool training;                 /**< true: use the statistics of the batch instead of the running ones */
    double momentum;               /**< weight of the batch in the running statistics */
    double eps;                    /**< added to the variance */
    char fa__end;                  /**< marks the end of this version's options */
} fa_batch_norm_options;

/** Batch normalization of each channel, dimension 1: (x - mean) / sqrt(variance + eps) * weight + bias
 *  (arXiv:1502.03167). In training, mean and variance are computed over all other dimensions; running_mean and
 *  running_var, if given, are updated in place to (1 - momentum) * running + momentum * batch, with the unbiased
 *  variance. For a cumulative average pass momentum = 1 / (number of batches so far). Otherwise the running statistics
 *  are used, and get no gradients. The result has x's shape. Weight and bias may be f32 if x is f16 or bf16. An empty
 *  batch leaves the running statistics unchanged.
 *
 *      fa_batch_norm(x, .running_mean = NULL, .running_var = NULL, .weight = NULL, .bias = NULL,
 *          .training = false, .momentum = 0.1, .eps = 1e-5, .out = NULL)
 *
 *  @param x (n, channels) or (n, channels, ...), floating
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_batch_norm(const fa_tensor *x, const fa_batch_norm_options *options);

/** Options of fa_instance_norm(). */
typedef struct fa_instance_norm_options {
    size_t size;                   /**< set by the macro */
    fa_tensor *out;                /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *running_mean; /**< (channels); updated in place if use_input_stats is true */
    const fa_tensor *running_var;  /**< (channels); updated in place in training */
    const fa_tensor *weight;       /**< (channels); NULL means 1 */
    const fa_tensor *bias;         /**< (channels); NULL means 0 */
    bool use_input_stats;          /**< false: use the running statistics */
    double momentum;               /**< weight of the batch in the running statistics */
    double eps;                    /**< added to the variance */
    char fa__end;                  /**< marks the end of this version's options */
} fa_instance_norm_options;

/** Instance normalization: like fa_batch_norm(), but with statistics of each sample and channel alone
 *  (arXiv:1607.08022). The running statistics are updated with the mean over the samples.
 *
 *      fa_instance_norm(x, .running_mean = NULL, .running_var = NULL, .weight = NULL, .bias = NULL,
 *          .use_input_stats = true, .momentum = 0.1, .eps = 1e-5, .out = NULL)
 *
 *  @param x (n, channels, ...), floating
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_instance_norm(const fa_tensor *x, const fa_instance_norm_options *options);

/** Options of fa_group_norm(). */
typedef struct fa_group_norm_options {
    size_t size;             /**< set by the macro */
    fa_tensor *out;          /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *weight; /**< (channels); NULL means 1 */
    const fa_tensor *bias;   /**< (channels); NULL means 0 */
    double eps;              /**< added to the variance */
    char fa__end;            /**< marks the end of this version's options */
} fa_group_norm_options;

/** Group normalization: (x - mean) / sqrt(variance + eps) * weight + bias, with statistics of each sample over each
 *  group of channels and all dimensions after them (arXiv:1803.08494). The result has x's shape. Weight and bias may be
 *  f32 if x is f16 or bf16.
 *
 *      fa_group_norm(x, num_groups, .weight = NULL, .bias = NULL, .eps = 1e-5, .out = NULL)
 *
 *  @param x (n, channels) or (n, channels, ...), floating
 *  @param num_groups number of groups the channels are split into; divides their number
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_group_norm(const fa_tensor *x, int64_t num_groups, const fa_group_norm_options *options);

/** @} */

/** @name Pooling in two dimensions
 *  Maximum and mean over windows of the last two dimensions of (n, c, h, w) or (c, h, w).
 *  Gradients are added in the order of the windows: the same bits on every device.
 *  @{ */

/** Options of fa_max_pool2d(). */
typedef struct fa_max_pool2d_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< the tensor to write the result into; NULL: a new one */
    fa_pair stride;   /**< step between windows; 0: the kernel size */
    fa_pair padding;  /**< padding on each side; at most half of the dilated window */
    fa_pair dilation; /**< spacing between elements of a window */
    bool ceil_mode;   /**< true: round the number of windows up */
    char fa__end;     /**< marks the end of this version's options */
} fa_max_pool2d_options;

/** Max pooling: the largest element of each window, (n, c, h', w') with h' = floor((h + 2 * padding - dilation *
 *  (kernel - 1) - 1) / stride) + 1. With ceil_mode the division rounds up, as long as the last window starts before the
 *  padding at the end. Padding is never selected. NaN counts as the largest. Of equal elements the first, and of
 *  several NaN the last, is selected and gets the gradient. Unlike in PyTorch, a window that lies only in the padding
 *  is an error.
 *
 *      fa_max_pool2d(x, kernel, .stride = 0, .padding = 0, .dilation = 1, .ceil_mode = false, .out = NULL)
 *
 *  @param x (n, c, h, w) or (c, h, w), any dtype but bool
 *  @param kernel height and width of the window
 *  @param options the named options, packed by the macro; NULL: the defaults
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
    fa_pair stride;   /**< step between windows; 0: the kernel size */
    fa_pair padding;  /**< padding on each side; at most half of the dilated window */
    fa_pair dilation; /**< spacing between elements of a window */
    bool ceil_mode;   /**< true: round the number of windows up */
    char fa__end;     /**< marks the end of this version's options */
} fa_max_pool2d_with_indices_options;

/** fa_max_pool2d() and the position of each maximum: i64, row-major within the h x w plane.
 *
 *      fa_max_pool2d_with_indices(x, kernel, .stride = 0, .padding = 0, .dilation = 1, .ceil_mode = false)
 *
 *  @param x (n, c, h, w) or (c, h, w), any dtype but bool
 *  @param kernel height and width of the window
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the results; NULLs after an error */
FA_API fa_max_pool2d_with_indices_result fa_max_pool2d_with_indices(const fa_tensor *x, fa_pair kernel, const fa_max_pool2d_with_indices_options *options);

/** Options of fa_avg_pool2d(). */
typedef struct fa_avg_pool2d_options {
    size_t size;              /**< set by the macro */
    fa_tensor *out;           /**< the tensor to write the result into; NULL: a new one */
    fa_pair stride;           /**< step between windows; 0: the kernel size */
    fa_pair padding;          /**< padding on each side; at most half of the window */
    bool ceil_mode;           /**< true: round the number of windows up */
    bool count_include_pad;   /**< true: padding counts as zeros in the mean */
    int64_t divisor_override; /**< the divisor of the sums; 0: the number of elements */
    char fa__end;             /**< marks the end of this version's options */
} fa_avg_pool2d_options;

/** Average pooling: the mean of each window, in the shape of fa_max_pool2d()'s result. Sums are accumulated in f32 or
 *  f64, row by row. Elements past the padding (from ceil_mode) are never counted. Integers are an error.
 *
 *      fa_avg_pool2d(x, kernel, .stride = 0, .padding = 0, .ceil_mode = false, .count_include_pad = true,
 *          .divisor_override = 0, .out = NULL)
 *
 *  @param x (n, c, h, w) or (c, h, w), floating
 *  @param kernel height and width of the window
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_avg_pool2d(const fa_tensor *x, fa_pair kernel, const fa_avg_pool2d_options *options);

/** Options of fa_adaptive_avg_pool2d(). */
typedef struct fa_adaptive_avg_pool2d_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_adaptive_avg_pool2d_options;

/** Adaptive average pooling to a given height and width: result row i is the mean over input rows floor(i * h / h') up
 *  to, but not including, ceil((i + 1) * h / h'), and likewise for columns. Integers are an error.
 *
 *      fa_adaptive_avg_pool2d(x, size, .out = NULL)
 *
 *  @param x (n, c, h, w) or (c, h, w), floating
 *  @param size height and width of the result; -1 keeps x's
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_adaptive_avg_pool2d(const fa_tensor *x, fa_pair size, const fa_adaptive_avg_pool2d_options *options);

/** The results of fa_adaptive_max_pool2d_with_indices(). */
typedef struct fa_adaptive_max_pool2d_with_indices_result {
    fa_tensor *values;  /**< see fa_adaptive_max_pool2d_with_indices() */
    fa_tensor *indices; /**< see fa_adaptive_max_pool2d_with_indices() */
} fa_adaptive_max_pool2d_with_indices_result;

/** Adaptive max pooling to a given height and width, with the windows of fa_adaptive_avg_pool2d(), and the position of
 *  each maximum: i64, row-major within the plane. NaN and equal elements as for fa_max_pool2d().
 *
 *      fa_adaptive_max_pool2d_with_indices(x, size)
 *
 *  @param x (n, c, h, w) or (c, h, w), floating
 *  @param size height and width of the result; -1 keeps x's
 *  @return the results; NULLs after an error */
FA_API fa_adaptive_max_pool2d_with_indices_result fa_adaptive_max_pool2d_with_indices(const fa_tensor *x, fa_pair size);

/** Options of fa_adaptive_max_pool2d(). */
typedef struct fa_adaptive_max_pool2d_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_adaptive_max_pool2d_options;

/** Adaptive max pooling: the values of fa_adaptive_max_pool2d_with_indices().
 *
 *      fa_adaptive_max_pool2d(x, size, .out = NULL)
 *
 *  @param x (n, c, h, w) or (c, h, w), floating
 *  @param size height and width of the result; -1 keeps x's
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_adaptive_max_pool2d(const fa_tensor *x, fa_pair size, const fa_adaptive_max_pool2d_options *options);

/** @} */

/** @name Pooling in one dimension
 *  Sequences are (n, c, length) or (c, length); they are pooled as images of one row.
 *  @{ */

/** Options of fa_max_pool1d(). */
typedef struct fa_max_pool1d_options {
    size_t size;      /**< set by the macro */
    fa_tensor *out;   /**< the tensor to write the result into; NULL: a new one */
    int64_t stride;   /**< step between windows; 0: the kernel size */
    int64_t padding;  /**< padding on each side; at most half of the dilated window */
    int64_t dilation; /**< spacing between elements of a window */
    bool ceil_mode;   /**< true: round the number of windows up */
    char fa__end;     /**< marks the end of this version's options */
} fa_max_pool1d_options;

/** Max pooling of sequences: (n, c, length'). See fa_max_pool2d().
 *
 *      fa_max_pool1d(x, kernel, .stride = 0, .padding = 0, .dilation = 1, .ceil_mode = false, .out = NULL)
 *
 *  @param x (n, c, length) or (c, length), any dtype but bool
 *  @param kernel length of the window
 *  @param options the named options, packed by the macro; NULL: the defaults
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
    int64_t stride;   /**< step between windows; 0: the kernel size */
    int64_t padding;  /**< padding on each side; at most half of the dilated window */
    int64_t dilation; /**< spacing between elements of a window */
    bool ceil_mode;   /**< true: round the number of windows up */
    char fa__end;     /**< marks the end of this version's options */
} fa_max_pool1d_with_indices_options;

/** Max pooling of sequences, with the position of each maximum in its sequence (i64). See fa_max_pool2d().
 *
 *      fa_max_pool1d_with_indices(x, kernel, .stride = 0, .padding = 0, .dilation = 1, .ceil_mode = false)
 *
 *  @param x (n, c, length) or (c, length), any dtype but bool
 *  @param kernel length of the window
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the results; NULLs after an error */
FA_API fa_max_pool1d_with_indices_result fa_max_pool1d_with_indices(const fa_tensor *x, int64_t kernel, const fa_max_pool1d_with_indices_options *options);

/** Options of fa_avg_pool1d(). */
typedef struct fa_avg_pool1d_options {
    size_t size;            /**< set by the macro */
    fa_tensor *out;         /**< the tensor to write the result into; NULL: a new one */
    int64_t stride;         /**< step between windows; 0: the kernel size */
    int64_t padding;        /**< padding on each side; at most half of the window */
    bool ceil_mode;         /**< true: round the number of windows up */
    bool count_include_pad; /**< true: padding counts as zeros in the mean */
    char fa__end;           /**< marks the end of this version's options */
} fa_avg_pool1d_options;

/** Average pooling of sequences: (n, c, length'). See fa_avg_pool2d().
 *
 *      fa_avg_pool1d(x, kernel, .stride = 0, .padding = 0, .ceil_mode = false, .count_include_pad = true,
 *          .out = NULL)
 *
 *  @param x (n, c, length) or (c, length), floating
 *  @param kernel length of the window
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_avg_pool1d(const fa_tensor *x, int64_t kernel, const fa_avg_pool1d_options *options);

/** Options of fa_adaptive_avg_pool1d(). */
typedef struct fa_adaptive_avg_pool1d_options {
    size_t size;    /**< set by the macro */
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_adaptive_avg_pool1d_options;

/** Adaptive average pooling of sequences to a given length. See fa_adaptive_avg_pool2d().
 *
 *      fa_adaptive_avg_pool1d(x, size, .out = NULL)
 *
 *  @param x (n, c, length) or (c, length), floating
 *  @param size length of the result
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_adaptive_avg_pool1d(const fa_tensor *x, int64_t size, const fa_adaptive_avg_pool1d_options *options);

/** The results of fa_adaptive_max_pool1d_with_indices(). */
typedef struct fa_adaptive_max_pool1d_with_indices_result {
    fa_tensor *values;  /**< see fa_adaptive_max_pool1d_with_indices() */
    fa_tensor *indices; /**< see fa_adaptive_max_pool1d_with_indices() */
} fa_adaptive_max_pool1d_with_indices_result;

/** Adaptive max pooling of sequences to a given length, with the position of each maximum in its sequence (i64). See
 *  fa_adaptive_max_pool2d_with_indices().
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
    fa_tensor *out; /**< the tensor to write the result into; NULL: a new one */
    char fa__end;   /**< marks the end of this version's options */
} fa_adaptive_max_pool1d_options;

/** Adaptive max pooling of sequences to a given length. See fa_adaptive_max_pool2d().
 *
 *      fa_adaptive_max_pool1d(x, size, .out = NULL)
 *
 *  @param x (n, c, length) or (c, length), floating
 *  @param size length of the result
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_adaptive_max_pool1d(const fa_tensor *x, int64_t size, const fa_adaptive_max_pool1d_options *options);

/** @} */

/** @name Recurrent networks
 *  LSTM, GRU, and Elman's network. A layer runs the operation of recurrence.c in
 *  each direction; a projected LSTM, and the cells, are made of other operations.
 *  @{ */

/** The results of fa_lstm(). */
typedef struct fa_lstm_result {
    fa_tensor *output; /**< see fa_lstm() */
    fa_tensor *h_n;    /**< see fa_lstm() */
    fa_tensor *c_n;    /**< see fa_lstm() */
} fa_lstm_result;

/** Options of fa_lstm(). */
typedef struct fa_lstm_options {
    size_t size;          /**< set by the macro */
    const fa_tensor *h_0; /**< (layers * directions, n, out), or without n: the first states; NULL: zeros */
    const fa_tensor *c_0; /**< (layers * directions, n, hidden), or without n: the first cells; NULL: zeros */
    double dropout;       /**< probability that an element of what goes into the next layer becomes 0 */
    bool bidirectional;   /**< true: behind the parameters of each layer stand those of the reverse direction */
    bool batch_first;     /**< true: x and output are (n, t, ...) */
    char fa__end;         /**< marks the end of this version's options */
} fa_lstm_options;

/** A long short-term memory network (Hochreiter and Schmidhuber 1997; with forget gates: Gers et al. 2000), of one or
 *  more layers, each in one or both directions. The rows of weights and biases are those of the input gate i, the forget
 *  gate f, the cell g and the output gate o, all four of W_ih x + b_ih + W_hh h + b_hh: c' = sigmoid(f) * c + sigmoid(i)
 *  * tanh(g), h' = sigmoid(o) * tanh(c'). With weight_hr (out, hidden), known by weight_hh having fewer than hidden
 *  columns, h' is projected: weight_hr h' (arXiv:1402.1128).
 *
 *  output is (t, n, out * directions), with batch_first (n, t, ...), and without n where x is (t, in): the states of
 *  the last layer. h_n and c_n are the last states and cells of all layers, in the shapes of h_0 and c_0. Dropout is
 *  applied whenever it is above 0: pass 0 in evaluation. Under autocast on the CPU, the cells of a projected one keep
 *  their dtype.
 *
 *      fa_lstm(x, params, .h_0 = NULL, .c_0 = NULL, .dropout = 0.0, .bidirectional = false,
 *          .batch_first = false)
 *
 *  @param x (t, n, in), or with batch_first (n, t, in), or (t, in): t steps of n sequences
 *  @param params of each layer: weight_ih, weight_hh, perhaps bias_ih, bias_hh, perhaps weight_hr
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the results; NULLs after an error */
FA_API fa_lstm_result fa_lstm(const fa_tensor *x, fa_tensors params, const fa_lstm_options *options);

/** The results of fa_gru(). */
typedef struct fa_gru_result {
    fa_tensor *output; /**< see fa_gru() */
    fa_tensor *h_n;    /**< see fa_gru() */
} fa_gru_result;

/** Options of fa_gru(). */
typedef struct fa_gru_options {
    size_t size;          /**< set by the macro */
    const fa_tensor *h_0; /**< (layers * directions, n, hidden), or without n: the first states; NULL: zeros */
    double dropout;       /**< probability that an element of what goes into the next layer becomes 0 */
    bool bidirectional;   /**< true: behind the parameters of each layer stand those of the reverse direction */
    bool batch_first;     /**< true: x and output are (n, t, ...) */
    char fa__end;         /**< marks the end of this version's options */
} fa_gru_options;

/** A network of gated recurrent units (arXiv:1406.1078), of one or more layers, each in one or both directions. The
 *  rows of weights and biases are those of the reset gate r, the update gate z and the new state n, each with a part
 *  from the input, W_ih x + b_ih, and one from the state, W_hh h + b_hh. The parts of r and z are added up: h' = m +
 *  sigmoid(z) * (h - m), where m = tanh(n_ih + sigmoid(r) * n_hh). Shapes and options are as in fa_lstm().
 *
 *      fa_gru(x, params, .h_0 = NULL, .dropout = 0.0, .bidirectional = false, .batch_first = false)
 *
 *  @param x (t, n, in), or with batch_first (n, t, in), or (t, in): t steps of n sequences
 *  @param params of each layer: weight_ih, weight_hh, and perhaps bias_ih, bias_hh
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the results; NULLs after an error */
FA_API fa_gru_result fa_gru(const fa_tensor *x, fa_tensors params, const fa_gru_options *options);

/** The results of fa_rnn_tanh(). */
typedef struct fa_rnn_tanh_result {
    fa_tensor *output; /**< see fa_rnn_tanh() */
    fa_tensor *h_n;    /**< see fa_rnn_tanh() */
} fa_rnn_tanh_result;

/** Options of fa_rnn_tanh(). */
typedef struct fa_rnn_tanh_options {
    size_t size;          /**< set by the macro */
    const fa_tensor *h_0; /**< (layers * directions, n, hidden), or without n: the first states; NULL: zeros */
    double dropout;       /**< probability that an element of what goes into the next layer becomes 0 */
    bool bidirectional;   /**< true: behind the parameters of each layer stand those of the reverse direction */
    bool batch_first;     /**< true: x and output are (n, t, ...) */
    char fa__end;         /**< marks the end of this version's options */
} fa_rnn_tanh_options;

/** Elman's network (Elman 1990), of one or more layers, each in one or both directions: h' = tanh(W_ih x + b_ih + W_hh
 *  h + b_hh). Shapes and options are as in fa_lstm().
 *
 *      fa_rnn_tanh(x, params, .h_0 = NULL, .dropout = 0.0, .bidirectional = false, .batch_first = false)
 *
 *  @param x (t, n, in), or with batch_first (n, t, in), or (t, in): t steps of n sequences
 *  @param params of each layer: weight_ih, weight_hh, and perhaps bias_ih, bias_hh
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the results; NULLs after an error */
FA_API fa_rnn_tanh_result fa_rnn_tanh(const fa_tensor *x, fa_tensors params, const fa_rnn_tanh_options *options);

/** The results of fa_rnn_relu(). */
typedef struct fa_rnn_relu_result {
    fa_tensor *output; /**< see fa_rnn_relu() */
    fa_tensor *h_n;    /**< see fa_rnn_relu() */
} fa_rnn_relu_result;

/** Options of fa_rnn_relu(). */
typedef struct fa_rnn_relu_options {
    size_t size;          /**< set by the macro */
    const fa_tensor *h_0; /**< (layers * directions, n, hidden), or without n: the first states; NULL: zeros */
    double dropout;       /**< probability that an element of what goes into the next layer becomes 0 */
    bool bidirectional;   /**< true: behind the parameters of each layer stand those of the reverse direction */
    bool batch_first;     /**< true: x and output are (n, t, ...) */
    char fa__end;         /**< marks the end of this version's options */
} fa_rnn_relu_options;

/** Elman's network with relu in the place of tanh; otherwise as fa_rnn_tanh().
 *
 *      fa_rnn_relu(x, params, .h_0 = NULL, .dropout = 0.0, .bidirectional = false, .batch_first = false)
 *
 *  @param x (t, n, in), or with batch_first (n, t, in), or (t, in): t steps of n sequences
 *  @param params of each layer: weight_ih, weight_hh, and perhaps bias_ih, bias_hh
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the results; NULLs after an error */
FA_API fa_rnn_relu_result fa_rnn_relu(const fa_tensor *x, fa_tensors params, const fa_rnn_relu_options *options);

/** @} */

/** @name Recurrent cells
 *  one step of a recurrent network, for loops of a program's own.
 *  @{ */

/** The results of fa_lstm_cell(). */
typedef struct fa_lstm_cell_result {
    fa_tensor *h_1; /**< see fa_lstm_cell() */
    fa_tensor *c_1; /**< see fa_lstm_cell() */
} fa_lstm_cell_result;

/** Options of fa_lstm_cell(). */
typedef struct fa_lstm_cell_options {
    size_t size;              /**< set by the macro */
    const fa_tensor *bias_ih; /**< (4 * hidden); NULL: none */
    const fa_tensor *bias_hh; /**< (4 * hidden); NULL: none */
    char fa__end;             /**< marks the end of this version's options */
} fa_lstm_cell_options;

/** One step of an LSTM: the state and the cell behind it. See fa_lstm().
 *
 *      fa_lstm_cell(x, h_0, c_0, weight_ih, weight_hh, .bias_ih = NULL, .bias_hh = NULL)
 *
 *  @param x (n, in), or (in): a step of n sequences
 *  @param h_0 (n, hidden), or (hidden): the state before it
 *  @param c_0 in h_0's shape: the cell before it
 *  @param weight_ih (4 * hidden, in)
 *  @param weight_hh (4 * hidden, hidden)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the results; NULLs after an error */
FA_API fa_lstm_cell_result fa_lstm_cell(const fa_tensor *x, const fa_tensor *h_0, const fa_tensor *c_0, const fa_tensor *weight_ih, const fa_tensor *weight_hh, const fa_lstm_cell_options *options);

/** Options of fa_gru_cell(). */
typedef struct fa_gru_cell_options {
    size_t size;              /**< set by the macro */
    fa_tensor *out;           /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *bias_ih; /**< (gates * hidden); NULL: none */
    const fa_tensor *bias_hh; /**< (gates * hidden); NULL: none */
    char fa__end;             /**< marks the end of this version's options */
} fa_gru_cell_options;

/** One step of gated recurrent units: the state behind it. See fa_gru().
 *
 *      fa_gru_cell(x, h_0, weight_ih, weight_hh, .bias_ih = NULL, .bias_hh = NULL, .out = NULL)
 *
 *  @param x (n, in), or (in): a step of n sequences
 *  @param h_0 (n, hidden), or (hidden): the state before it
 *  @param weight_ih (gates * hidden, in)
 *  @param weight_hh (gates * hidden, hidden)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_gru_cell(const fa_tensor *x, const fa_tensor *h_0, const fa_tensor *weight_ih, const fa_tensor *weight_hh, const fa_gru_cell_options *options);

/** Options of fa_rnn_tanh_cell(). */
typedef struct fa_rnn_tanh_cell_options {
    size_t size;              /**< set by the macro */
    fa_tensor *out;           /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *bias_ih; /**< (gates * hidden); NULL: none */
    const fa_tensor *bias_hh; /**< (gates * hidden); NULL: none */
    char fa__end;             /**< marks the end of this version's options */
} fa_rnn_tanh_cell_options;

/** One step of Elman's network: the state behind it. See fa_rnn_tanh().
 *
 *      fa_rnn_tanh_cell(x, h_0, weight_ih, weight_hh, .bias_ih = NULL, .bias_hh = NULL, .out = NULL)
 *
 *  @param x (n, in), or (in): a step of n sequences
 *  @param h_0 (n, hidden), or (hidden): the state before it
 *  @param weight_ih (gates * hidden, in)
 *  @param weight_hh (gates * hidden, hidden)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_rnn_tanh_cell(const fa_tensor *x, const fa_tensor *h_0, const fa_tensor *weight_ih, const fa_tensor *weight_hh, const fa_rnn_tanh_cell_options *options);

/** Options of fa_rnn_relu_cell(). */
typedef struct fa_rnn_relu_cell_options {
    size_t size;              /**< set by the macro */
    fa_tensor *out;           /**< the tensor to write the result into; NULL: a new one */
    const fa_tensor *bias_ih; /**< (gates * hidden); NULL: none */
    const fa_tensor *bias_hh; /**< (gates * hidden); NULL: none */
    char fa__end;             /**< marks the end of this version's options */
} fa_rnn_relu_cell_options;

/** One step of Elman's network with relu: the state behind it. See fa_rnn_relu().
 *
 *      fa_rnn_relu_cell(x, h_0, weight_ih, weight_hh, .bias_ih = NULL, .bias_hh = NULL, .out = NULL)
 *
 *  @param x (n, in), or (in): a step of n sequences
 *  @param h_0 (n, hidden), or (hidden): the state before it
 *  @param weight_ih (gates * hidden, in)
 *  @param weight_hh (gates * hidden, hidden)
 *  @param options the named options, packed by the macro; NULL: the defaults
 *  @return the result; NULL after an error */
FA_API fa_tensor *fa_rnn_relu_cell(const fa_tensor *x, const fa_tensor *h_0, const fa_tensor *weight_ih, const fa_tensor *weight_hh, const fa_rnn_relu_cell_options *options);

/** @} */

/** @} */

/** @cond */
/* Macros through which the functions above take named options, and numbers instead of tensors. */
#define FA__DEFAULT_fa_scaled_dot_product_attention {offsetof(fa_scaled_dot_product_attention_options, fa__end), NULL, NULL, false, 0.0, 0.0, false, 0}
#define fa_scaled_dot_product_attention(...) FA__CALL3(fa_scaled_dot_product_attention, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_conv2d {offsetof(fa_conv2d_options, fa__end), NULL, NULL, 1, 0, 1, 1, 0}
#define fa_conv2d(...) FA__CALL2(fa_conv2d, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_conv_transpose2d {offsetof(fa_conv_transpose2d_options, fa__end), NULL, NULL, 1, 0, 0, 1, 1, 0}
#define fa_conv_transpose2d(...) FA__CALL2(fa_conv_transpose2d, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_conv1d {offsetof(fa_conv1d_options, fa__end), NULL, NULL, 1, 0, 1, 1, 0}
#define fa_conv1d(...) FA__CALL2(fa_conv1d, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_conv_transpose1d {offsetof(fa_conv_transpose1d_options, fa__end), NULL, NULL, 1, 0, 0, 1, 1, 0}
#define fa_conv_transpose1d(...) FA__CALL2(fa_conv_transpose1d, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_embedding {offsetof(fa_embedding_options, fa__end), NULL, INT64_MIN, false, 0}
#define fa_embedding(...) FA__CALL2(fa_embedding, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_layer_norm {offsetof(fa_layer_norm_options, fa__end), NULL, NULL, NULL, 1e-5, 0}
#define fa_layer_norm(...) FA__CALL2(fa_layer_norm, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SHAPE, __VA_ARGS__)
#define FA__DEFAULT_fa_rms_norm {offsetof(fa_rms_norm_options, fa__end), NULL, NULL, -1, 0}
#define fa_rms_norm(...) FA__CALL2(fa_rms_norm, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SHAPE, __VA_ARGS__)
#define FA__DEFAULT_fa_normalize {offsetof(fa_normalize_options, fa__end), NULL, 2, 1, 1e-12, 0}
#define fa_normalize(...) FA__CALL1(fa_normalize, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_local_response_norm {offsetof(fa_local_response_norm_options, fa__end), NULL, 1e-4, 0.75, 1, 0}
#define fa_local_response_norm(...) FA__CALL2(fa_local_response_norm, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_batch_norm {offsetof(fa_batch_norm_options, fa__end), NULL, NULL, NULL, NULL, NULL, false, 0.1, 1e-5, 0}
#define fa_batch_norm(...) FA__CALL1(fa_batch_norm, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_instance_norm {offsetof(fa_instance_norm_options, fa__end), NULL, NULL, NULL, NULL, NULL, true, 0.1, 1e-5, 0}
#define fa_instance_norm(...) FA__CALL1(fa_instance_norm, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_group_norm {offsetof(fa_group_norm_options, fa__end), NULL, NULL, NULL, 1e-5, 0}
#define fa_group_norm(...) FA__CALL2(fa_group_norm, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_max_pool2d {offsetof(fa_max_pool2d_options, fa__end), NULL, 0, 0, 1, false, 0}
#define fa_max_pool2d(...) FA__CALL2(fa_max_pool2d, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_max_pool2d_with_indices {offsetof(fa_max_pool2d_with_indices_options, fa__end), 0, 0, 1, false, 0}
#define fa_max_pool2d_with_indices(...) FA__CALL2(fa_max_pool2d_with_indices, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_avg_pool2d {offsetof(fa_avg_pool2d_options, fa__end), NULL, 0, 0, false, true, 0, 0}
#define fa_avg_pool2d(...) FA__CALL2(fa_avg_pool2d, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_adaptive_avg_pool2d {offsetof(fa_adaptive_avg_pool2d_options, fa__end), NULL, 0}
#define fa_adaptive_avg_pool2d(...) FA__CALL2(fa_adaptive_avg_pool2d, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define fa_adaptive_max_pool2d_with_indices(...) FA__CALLED(fa_adaptive_max_pool2d_with_indices(__VA_ARGS__))
#define FA__DEFAULT_fa_adaptive_max_pool2d {offsetof(fa_adaptive_max_pool2d_options, fa__end), NULL, 0}
#define fa_adaptive_max_pool2d(...) FA__CALL2(fa_adaptive_max_pool2d, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_max_pool1d {offsetof(fa_max_pool1d_options, fa__end), NULL, 0, 0, 1, false, 0}
#define fa_max_pool1d(...) FA__CALL2(fa_max_pool1d, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_max_pool1d_with_indices {offsetof(fa_max_pool1d_with_indices_options, fa__end), 0, 0, 1, false, 0}
#define fa_max_pool1d_with_indices(...) FA__CALL2(fa_max_pool1d_with_indices, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_avg_pool1d {offsetof(fa_avg_pool1d_options, fa__end), NULL, 0, 0, false, true, 0}
#define fa_avg_pool1d(...) FA__CALL2(fa_avg_pool1d, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_adaptive_avg_pool1d {offsetof(fa_adaptive_avg_pool1d_options, fa__end), NULL, 0}
#define fa_adaptive_avg_pool1d(...) FA__CALL2(fa_adaptive_avg_pool1d, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define fa_adaptive_max_pool1d_with_indices(...) FA__CALLED(fa_adaptive_max_pool1d_with_indices(__VA_ARGS__))
#define FA__DEFAULT_fa_adaptive_max_pool1d {offsetof(fa_adaptive_max_pool1d_options, fa__end), NULL, 0}
#define fa_adaptive_max_pool1d(...) FA__CALL2(fa_adaptive_max_pool1d, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_lstm {offsetof(fa_lstm_options, fa__end), NULL, NULL, 0.0, false, false, 0}
#define fa_lstm(...) FA__CALL2(fa_lstm, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__TENSOR_LIST, __VA_ARGS__)
#define FA__DEFAULT_fa_gru {offsetof(fa_gru_options, fa__end), NULL, 0.0, false, false, 0}
#define fa_gru(...) FA__CALL2(fa_gru, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__TENSOR_LIST, __VA_ARGS__)
#define FA__DEFAULT_fa_rnn_tanh {offsetof(fa_rnn_tanh_options, fa__end), NULL, 0.0, false, false, 0}
#define fa_rnn_tanh(...) FA__CALL2(fa_rnn_tanh, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__TENSOR_LIST, __VA_ARGS__)
#define FA__DEFAULT_fa_rnn_relu {offsetof(fa_rnn_relu_options, fa__end), NULL, 0.0, false, false, 0}
#define fa_rnn_relu(...) FA__CALL2(fa_rnn_relu, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__TENSOR_LIST, __VA_ARGS__)
#define FA__DEFAULT_fa_lstm_cell {offsetof(fa_lstm_cell_options, fa__end), NULL, NULL, 0}
#define fa_lstm_cell(...) FA__CALL5(fa_lstm_cell, FA__NAMED5(, ##__VA_ARGS__, ., ., ., ., ., .), FA__SAME, FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_gru_cell {offsetof(fa_gru_cell_options, fa__end), NULL, NULL, NULL, 0}
#define fa_gru_cell(...) FA__CALL4(fa_gru_cell, FA__NAMED4(, ##__VA_ARGS__, ., ., ., ., .), FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_rnn_tanh_cell {offsetof(fa_rnn_tanh_cell_options, fa__end), NULL, NULL, NULL, 0}
#define fa_rnn_tanh_cell(...) FA__CALL4(fa_rnn_tanh_cell, FA__NAMED4(, ##__VA_ARGS__, ., ., ., ., .), FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
#define FA__DEFAULT_fa_rnn_relu_cell {offsetof(fa_rnn_relu_cell_options, fa__end), NULL, NULL, NULL, 0}
#define fa_rnn_relu_cell(...) FA__CALL4(fa_rnn_relu_cell, FA__NAMED4(, ##__VA_ARGS__, ., ., ., ., .), FA__SAME, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
