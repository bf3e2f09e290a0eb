/** @file
 *  Layers: linear, convolution, pooling, normalization, embedding, recurrent, dropout, shape and activation layers.
 * Names and initial values of parameters and buffers are those of PyTorch. Each layer calls the function of the same
 * name, whose documentation has the formula and all accepted shapes. An error in a layer names the layer and its
 * position in the network.
 *
 *  Kernel sizes, strides and padding are of type fa_pair: one number for both dimensions, or FA_PAIR(height, width). */
#ifndef FACULA_LAYER_H
#define FACULA_LAYER_H
#include <facula/nn.h>

FA__BEGIN

/** @defgroup layer Layers
 *  @{ */

/** Options of fa_nn_linear(). */
typedef struct fa_nn_linear_options {
    size_t size;      /**< set by the macro */
    bool bias;        /**< add a bias */
    fa_dtype dtype;   /**< dtype of the parameters; FA_SAME: f32 */
    fa_device device; /**< device of the parameters */
    char fa__end;
} fa_nn_linear_options;
#define FA__DEVICE_fa_nn_linear ,
#define FA__DEFAULT_fa_nn_linear                                                                                       \
    {                                                                                                                  \
        offsetof(fa_nn_linear_options, fa__end), true, FA_SAME, {0, 0}, 0                                              \
    }
/** Linear layer: (..., in) to (..., out). Computes x times the transpose of "weight" (out, in), plus "bias" (out).
 *  Both are initialized uniformly in ±1/sqrt(in) (He et al. 2015 with a = sqrt(5)). See fa_linear().
 *
 *      fa_nn_linear(in, out, .bias = true, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_linear(int64_t in, int64_t out, const fa_nn_linear_options *options);
#define fa_nn_linear(...) FA__CALL2(fa_nn_linear, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_conv2d(). */
typedef struct fa_nn_conv2d_options {
    size_t size;              /**< set by the macro */
    fa_pair stride;           /**< stride of the kernel */
    fa_pair padding;          /**< padding on each side, or FA_PADDING_SAME */
    fa_pair dilation;         /**< distance between the elements of the kernel */
    int64_t groups;           /**< number of groups the channels are split into; in and out must be multiples of it */
    const char *padding_mode; /**< how to pad: "zeros", or "reflect", "replicate", "circular" as in fa_pad() */
    bool bias;                /**< add a bias */
    fa_dtype dtype;           /**< dtype of the parameters; FA_SAME: f32 */
    fa_device device;         /**< device of the parameters */
    char fa__end;
} fa_nn_conv2d_options;
#define FA__DEVICE_fa_nn_conv2d ,
#define FA__DEFAULT_fa_nn_conv2d                                                                                       \
    {                                                                                                                  \
        offsetof(fa_nn_conv2d_options, fa__end), 1, 0, 1, 1, "zeros", true, FA_SAME, {0, 0}, 0                         \
    }
/** 2D convolution: (n, in, h, w) to (n, out, h', w'), or the same without n. "weight" is (out, in / groups, kernel
 *  height, kernel width), "bias" is (out). Both are initialized uniformly in ±1/sqrt(fan), where fan = in / groups *
 *  kernel height * kernel width. See fa_conv2d().
 *
 *      fa_nn_conv2d(in, out, kernel, .stride = 1, .padding = 0, .dilation = 1, .groups = 1, .padding_mode = "zeros",
 *          .bias = true, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_conv2d(int64_t in, int64_t out, fa_pair kernel, const fa_nn_conv2d_options *options);
#define fa_nn_conv2d(...)                                                                                              \
    FA__CALL3(fa_nn_conv2d, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_conv_transpose2d(). */
typedef struct fa_nn_conv_transpose2d_options {
    size_t size;            /**< set by the macro */
    fa_pair stride;         /**< stride of the kernel over the output */
    fa_pair padding;        /**< rows and columns removed from each side of the output */
    fa_pair output_padding; /**< rows and columns added at the end of the output */
    int64_t groups;         /**< number of groups the channels are split into; in and out must be multiples of it */
    bool bias;              /**< add a bias */
    fa_pair dilation;       /**< distance between the elements of the kernel */
    fa_dtype dtype;         /**< dtype of the parameters; FA_SAME: f32 */
    fa_device device;       /**< device of the parameters */
    char fa__end;
} fa_nn_conv_transpose2d_options;
#define FA__DEVICE_fa_nn_conv_transpose2d ,
#define FA__DEFAULT_fa_nn_conv_transpose2d                                                                             \
    {                                                                                                                  \
        offsetof(fa_nn_conv_transpose2d_options, fa__end), 1, 0, 0, 1, true, 1, FA_SAME, {0, 0}, 0                     \
    }
/** 2D transposed convolution: (n, in, h, w) to (n, out, h', w'). "weight" is (in, out / groups, kernel height, kernel
 *  width), "bias" is (out). Both are initialized uniformly in ±1/sqrt(fan), where fan = out / groups * kernel height
 *  * kernel width. See fa_conv_transpose2d().
 *
 *      fa_nn_conv_transpose2d(in, out, kernel, .stride = 1, .padding = 0, .output_padding = 0, .groups = 1,
 *          .bias = true, .dilation = 1, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_conv_transpose2d(int64_t in, int64_t out, fa_pair kernel,
                                         const fa_nn_conv_transpose2d_options *options);
#define fa_nn_conv_transpose2d(...)                                                                                    \
    FA__CALL3(fa_nn_conv_transpose2d, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME,           \
              __VA_ARGS__)

/** Options of fa_nn_conv1d(); sizes are plain numbers. */
typedef fa_nn_conv2d_options fa_nn_conv1d_options;
#define FA__DEFAULT_fa_nn_conv1d FA__DEFAULT_fa_nn_conv2d
/** 1D convolution: (n, in, length) to (n, out, length'), or the same without n. "weight" is (out, in / groups,
 *  kernel), "bias" is (out). Both are initialized uniformly in ±1/sqrt(in / groups * kernel). See fa_conv1d().
 *
 *      fa_nn_conv1d(in, out, kernel, .stride = 1, .padding = 0, .dilation = 1, .groups = 1, .padding_mode = "zeros",
 *          .bias = true, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_conv1d(int64_t in, int64_t out, int64_t kernel, const fa_nn_conv1d_options *options);
#define fa_nn_conv1d(...)                                                                                              \
    FA__CALL3(fa_nn_conv1d, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_conv_transpose1d(); sizes are plain numbers. */
typedef fa_nn_conv_transpose2d_options fa_nn_conv_transpose1d_options;
#define FA__DEFAULT_fa_nn_conv_transpose1d FA__DEFAULT_fa_nn_conv_transpose2d
/** 1D transposed convolution: (n, in, length) to (n, out, length'). "weight" is (in, out / groups, kernel), "bias" is
 *  (out). Both are initialized uniformly in ±1/sqrt(out / groups * kernel). See fa_conv_transpose1d().
 *
 *      fa_nn_conv_transpose1d(in, out, kernel, .stride = 1, .padding = 0, .output_padding = 0, .groups = 1,
 *          .bias = true, .dilation = 1, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_conv_transpose1d(int64_t in, int64_t out, int64_t kernel,
                                         const fa_nn_conv_transpose1d_options *options);
#define fa_nn_conv_transpose1d(...)                                                                                    \
    FA__CALL3(fa_nn_conv_transpose1d, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME,           \
              __VA_ARGS__)

/** Options of fa_nn_max_pool2d(). */
typedef struct fa_nn_max_pool2d_options {
    size_t size;      /**< set by the macro */
    fa_pair stride;   /**< distance between windows; 0: the size of the kernel */
    fa_pair padding;  /**< padding on each side */
    fa_pair dilation; /**< distance between the elements of a window */
    bool ceil_mode; /**< round the output size up instead of down; the last window may then extend beyond the padding */
    char fa__end;
} fa_nn_max_pool2d_options;
#define FA__DEFAULT_fa_nn_max_pool2d                                                                                   \
    {                                                                                                                  \
        offsetof(fa_nn_max_pool2d_options, fa__end), 0, 0, 1, false, 0                                                 \
    }
/** 2D max pooling: the maximum of each window. See fa_max_pool2d().
 *
 *      fa_nn_max_pool2d(kernel, .stride = 0, .padding = 0, .dilation = 1, .ceil_mode = false) */
FA_API fa_module *fa_nn_max_pool2d(fa_pair kernel, const fa_nn_max_pool2d_options *options);
#define fa_nn_max_pool2d(...) FA__CALL1(fa_nn_max_pool2d, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_nn_avg_pool2d(). */
typedef struct fa_nn_avg_pool2d_options {
    size_t size;     /**< set by the macro */
    fa_pair stride;  /**< distance between windows; 0: the size of the kernel */
    fa_pair padding; /**< padding on each side */
    bool ceil_mode; /**< round the output size up instead of down; the last window may then extend beyond the padding */
    bool count_include_pad;   /**< count padding as zeros in the mean */
    int64_t divisor_override; /**< divide the sum of a window by this number; 0: by its number of elements */
    char fa__end;
} fa_nn_avg_pool2d_options;
#define FA__DEFAULT_fa_nn_avg_pool2d                                                                                   \
    {                                                                                                                  \
        offsetof(fa_nn_avg_pool2d_options, fa__end), 0, 0, false, true, 0, 0                                           \
    }
/** 2D average pooling: the mean of each window. See fa_avg_pool2d().
 *
 *      fa_nn_avg_pool2d(kernel, .stride = 0, .padding = 0, .ceil_mode = false, .count_include_pad = true,
 *          .divisor_override = 0) */
FA_API fa_module *fa_nn_avg_pool2d(fa_pair kernel, const fa_nn_avg_pool2d_options *options);
#define fa_nn_avg_pool2d(...) FA__CALL1(fa_nn_avg_pool2d, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** 2D adaptive average pooling: the window is chosen to give an output of the wanted size. See
 *  fa_adaptive_avg_pool2d().
 *  @param size height and width of the output; -1 keeps that of the input */
FA_API fa_module *fa_nn_adaptive_avg_pool2d(fa_pair size);

/** 2D adaptive max pooling: the window is chosen to give an output of the wanted size. See fa_adaptive_max_pool2d().
 *  @param size height and width of the output; -1 keeps that of the input */
FA_API fa_module *fa_nn_adaptive_max_pool2d(fa_pair size);

/** Options of fa_nn_max_pool1d(); sizes are plain numbers. */
typedef fa_nn_max_pool2d_options fa_nn_max_pool1d_options;
#define FA__DEFAULT_fa_nn_max_pool1d FA__DEFAULT_fa_nn_max_pool2d
/** 1D max pooling of (n, c, length), with a `kernel` of one number. Its options are those of fa_nn_max_pool2d(). */
FA_API fa_module *fa_nn_max_pool1d(int64_t kernel, const fa_nn_max_pool1d_options *options);
#define fa_nn_max_pool1d(...) FA__CALL1(fa_nn_max_pool1d, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_nn_avg_pool1d(). */
typedef struct fa_nn_avg_pool1d_options {
    size_t size;     /**< set by the macro */
    int64_t stride;  /**< distance between windows; 0: the size of the kernel */
    int64_t padding; /**< padding on each side */
    bool ceil_mode; /**< round the output size up instead of down; the last window may then extend beyond the padding */
    bool count_include_pad; /**< count padding as zeros in the mean */
    char fa__end;
} fa_nn_avg_pool1d_options;
#define FA__DEFAULT_fa_nn_avg_pool1d                                                                                   \
    {                                                                                                                  \
        offsetof(fa_nn_avg_pool1d_options, fa__end), 0, 0, false, true, 0                                              \
    }
/** 1D average pooling of (n, c, length).
 *
 *      fa_nn_avg_pool1d(kernel, .stride = 0, .padding = 0, .ceil_mode = false, .count_include_pad = true) */
FA_API fa_module *fa_nn_avg_pool1d(int64_t kernel, const fa_nn_avg_pool1d_options *options);
#define fa_nn_avg_pool1d(...) FA__CALL1(fa_nn_avg_pool1d, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** 1D adaptive average pooling of (n, c, length) to the length `size`. */
FA_API fa_module *fa_nn_adaptive_avg_pool1d(int64_t size);

/** 1D adaptive max pooling of (n, c, length) to the length `size`. */
FA_API fa_module *fa_nn_adaptive_max_pool1d(int64_t size);

/* What a batch_norm layer consists of: parameters, or NULL; running statistics, or NULL; the weight of this batch in
 * them. */
typedef struct fa__batch_norm_parts {
    fa_tensor *weight, *bias, *mean, *variance, *count;
    double eps, momentum;
} fa__batch_norm_parts;
/* The layer in training, in place of fa_batch_norm(): normalizes over the batches of several processes. */
typedef fa_tensor *fa__batch_together(fa__batch_norm_parts parts, fa_tensor *x, void *context);
/* Lets a batch_norm layer train by a function; NULL: with its own batch alone. False, and no error, if the module is
 * none. */
FA_API bool fa__batch_norm_together(fa_module *module, fa__batch_together *together, void *context);

/** Options of fa_nn_batch_norm2d(). */
typedef struct fa_nn_batch_norm2d_options {
    size_t size; /**< set by the macro */
    double eps;  /**< added to variances before the square root */
    double
        momentum; /**< weight of a new batch in the running statistics; below 0: they are the mean over all batches */
    bool affine;  /**< learn "weight" and "bias" */
    bool track_running_stats; /**< keep running statistics, which inference uses */
    fa_dtype dtype;           /**< dtype of the parameters; FA_SAME: f32 */
    fa_device device;         /**< device of the parameters */
    char fa__end;
} fa_nn_batch_norm2d_options;
#define FA__DEVICE_fa_nn_batch_norm2d ,
#define FA__DEFAULT_fa_nn_batch_norm2d                                                                                 \
    {                                                                                                                  \
        offsetof(fa_nn_batch_norm2d_options, fa__end), 1e-5, 0.1, true, true, FA_SAME, {0, 0}, 0                       \
    }
/** Batch normalization of (n, features, h, w) (arXiv:1502.03167): normalizes each channel over the batch, then
 *  multiplies by "weight" and adds "bias", both (features). In training it uses the mean and variance of the batch
 *  and updates the buffers "running_mean" and "running_var" (features); in inference it uses these buffers.
 *  "num_batches_tracked" counts the training batches; with a momentum below 0 the host waits for this count in each
 *  of them. See fa_batch_norm().
 *
 *      fa_nn_batch_norm2d(features, .eps = 1e-5, .momentum = 0.1, .affine = true, .track_running_stats = true,
 *          .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_batch_norm2d(int64_t features, const fa_nn_batch_norm2d_options *options);
#define fa_nn_batch_norm2d(...) FA__CALL1(fa_nn_batch_norm2d, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_nn_batch_norm1d(). */
typedef fa_nn_batch_norm2d_options fa_nn_batch_norm1d_options;
#define FA__DEFAULT_fa_nn_batch_norm1d FA__DEFAULT_fa_nn_batch_norm2d
/** Batch normalization of (n, features) or (n, features, length); otherwise like fa_nn_batch_norm2d(). */
FA_API fa_module *fa_nn_batch_norm1d(int64_t features, const fa_nn_batch_norm1d_options *options);
#define fa_nn_batch_norm1d(...) FA__CALL1(fa_nn_batch_norm1d, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_nn_layer_norm(). */
typedef struct fa_nn_layer_norm_options {
    size_t size;             /**< set by the macro */
    double eps;              /**< added to variances before the square root */
    bool elementwise_affine; /**< learn "weight" */
    bool bias;               /**< learn "bias"; needs elementwise_affine */
    fa_dtype dtype;          /**< dtype of the parameters; FA_SAME: f32 */
    fa_device device;        /**< device of the parameters */
    char fa__end;
} fa_nn_layer_norm_options;
#define FA__DEVICE_fa_nn_layer_norm ,
#define FA__DEFAULT_fa_nn_layer_norm                                                                                   \
    {                                                                                                                  \
        offsetof(fa_nn_layer_norm_options, fa__end), 1e-5, true, true, FA_SAME, {0, 0}, 0                              \
    }
/** Layer normalization (arXiv:1607.06450): normalizes over the last dimensions together, then multiplies by "weight"
 *  and adds "bias", which have the shape of these dimensions. See fa_layer_norm().
 *
 *      fa_nn_layer_norm(shape, .eps = 1e-5, .elementwise_affine = true, .bias = true, .dtype = FA_SAME, .device)
 *
 *  @param shape   the sizes of the last dimensions, such as FA_SHAPE(64)
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_module *fa_nn_layer_norm(fa_shape shape, const fa_nn_layer_norm_options *options);
#define fa_nn_layer_norm(...) FA__CALL1(fa_nn_layer_norm, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SHAPE, __VA_ARGS__)

/** Options of fa_nn_rms_norm(). */
typedef struct fa_nn_rms_norm_options {
    size_t size;             /**< set by the macro */
    double eps;              /**< added to the mean square; below 0: the machine epsilon of the dtype */
    bool elementwise_affine; /**< learn "weight" */
    fa_dtype dtype;          /**< dtype of the parameters; FA_SAME: f32 */
    fa_device device;        /**< device of the parameters */
    char fa__end;
} fa_nn_rms_norm_options;
#define FA__DEVICE_fa_nn_rms_norm ,
#define FA__DEFAULT_fa_nn_rms_norm                                                                                     \
    {                                                                                                                  \
        offsetof(fa_nn_rms_norm_options, fa__end), -1, true, FA_SAME, {0, 0}, 0                                        \
    }
/** RMS normalization (arXiv:1910.07467): divides the last dimensions by the root of their mean square, then
 *  multiplies by "weight". See fa_rms_norm().
 *
 *      fa_nn_rms_norm(shape, .eps = -1, .elementwise_affine = true, .dtype = FA_SAME, .device)
 *
 *  @param shape   the sizes of the last dimensions, such as FA_SHAPE(64)
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_module *fa_nn_rms_norm(fa_shape shape, const fa_nn_rms_norm_options *options);
#define fa_nn_rms_norm(...) FA__CALL1(fa_nn_rms_norm, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SHAPE, __VA_ARGS__)

/** Options of fa_nn_group_norm(). */
typedef struct fa_nn_group_norm_options {
    size_t size;      /**< set by the macro */
    double eps;       /**< added to variances before the square root */
    bool affine;      /**< learn "weight" and "bias" */
    fa_dtype dtype;   /**< dtype of the parameters; FA_SAME: f32 */
    fa_device device; /**< device of the parameters */
    char fa__end;
} fa_nn_group_norm_options;
#define FA__DEVICE_fa_nn_group_norm ,
#define FA__DEFAULT_fa_nn_group_norm                                                                                   \
    {                                                                                                                  \
        offsetof(fa_nn_group_norm_options, fa__end), 1e-5, true, FA_SAME, {0, 0}, 0                                    \
    }
/** Group normalization of (n, channels, ...) (arXiv:1803.08494): normalizes each group of adjacent channels, then
 *  multiplies by "weight" and adds "bias", both (channels). See fa_group_norm().
 *
 *      fa_nn_group_norm(groups, channels, .eps = 1e-5, .affine = true, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_group_norm(int64_t groups, int64_t channels, const fa_nn_group_norm_options *options);
#define fa_nn_group_norm(...)                                                                                          \
    FA__CALL2(fa_nn_group_norm, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_embedding(). */
typedef struct fa_nn_embedding_options {
    size_t size;             /**< set by the macro */
    int64_t padding_idx;     /**< index of a row that is zero and is not trained; negative counts from the end */
    bool scale_grad_by_freq; /**< divide the gradient of a row by the number of times it occurs */
    fa_dtype dtype;          /**< dtype of the parameters; FA_SAME: f32 */
    fa_device device;        /**< device of the parameters */
    char fa__end;
} fa_nn_embedding_options;
#define FA__DEVICE_fa_nn_embedding ,
#define FA__DEFAULT_fa_nn_embedding                                                                                    \
    {                                                                                                                  \
        offsetof(fa_nn_embedding_options, fa__end), INT64_MIN, false, FA_SAME, {0, 0}, 0                               \
    }
/** Embedding: looks up rows of "weight" (rows, width) by integer indices of any shape (...), which become (...,
 *  width). The weight is initialized from the standard normal distribution. See fa_embedding().
 *
 *      fa_nn_embedding(rows, width, .padding_idx, .scale_grad_by_freq = false, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_embedding(int64_t rows, int64_t width, const fa_nn_embedding_options *options);
#define fa_nn_embedding(...)                                                                                           \
    FA__CALL2(fa_nn_embedding, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_dropout(). */
typedef struct fa_nn_dropout_options {
    size_t size; /**< set by the macro */
    double p;    /**< probability of an element to be set to 0: 0 to 1 */
    char fa__end;
} fa_nn_dropout_options;
#define FA__DEFAULT_fa_nn_dropout                                                                                      \
    {                                                                                                                  \
        offsetof(fa_nn_dropout_options, fa__end), 0.5, 0                                                               \
    }
/** Dropout (Srivastava et al. 2014): in training, sets each element to 0 with probability p and scales the others by
 *  1 / (1 - p); in inference, returns its input. See fa_dropout().
 *
 *      fa_nn_dropout(.p = 0.5) */
FA_API fa_module *fa_nn_dropout(const fa_nn_dropout_options *options);
#define fa_nn_dropout(...) FA__CALL0(fa_nn_dropout, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_dropout2d(). */
typedef fa_nn_dropout_options fa_nn_dropout2d_options;
#define FA__DEFAULT_fa_nn_dropout2d FA__DEFAULT_fa_nn_dropout
/** Dropout of whole channels of (n, c, ...) (arXiv:1411.4280): fa_nn_dropout2d(.p = 0.5). See fa_feature_dropout(). */
FA_API fa_module *fa_nn_dropout2d(const fa_nn_dropout2d_options *options);
#define fa_nn_dropout2d(...) FA__CALL0(fa_nn_dropout2d, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_alpha_dropout(). */
typedef fa_nn_dropout_options fa_nn_alpha_dropout_options;
#define FA__DEFAULT_fa_nn_alpha_dropout FA__DEFAULT_fa_nn_dropout
/** Alpha dropout, which preserves mean and variance after fa_nn_selu() (arXiv:1706.02515): fa_nn_alpha_dropout(.p =
 *  0.5). See fa_alpha_dropout(). */
FA_API fa_module *fa_nn_alpha_dropout(const fa_nn_alpha_dropout_options *options);
#define fa_nn_alpha_dropout(...)                                                                                       \
    FA__CALL0(fa_nn_alpha_dropout, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_flatten(). */
typedef struct fa_nn_flatten_options {
    size_t size;       /**< set by the macro */
    int64_t start_dim; /**< first dimension to flatten; negative counts from the end */
    int64_t end_dim;   /**< last dimension to flatten */
    char fa__end;
} fa_nn_flatten_options;
#define FA__DEFAULT_fa_nn_flatten                                                                                      \
    {                                                                                                                  \
        offsetof(fa_nn_flatten_options, fa__end), 1, -1, 0                                                             \
    }
/** Flattens a range of dimensions into one, by default all except the first: fa_nn_flatten(.start_dim = 1, .end_dim =
 * -1). See fa_flatten(). */
FA_API fa_module *fa_nn_flatten(const fa_nn_flatten_options *options);
#define fa_nn_flatten(...) FA__CALL0(fa_nn_flatten, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Splits one dimension into several. See fa_unflatten().
 *  @param dim   the dimension; negative counts from the end
 *  @param shape the sizes it becomes; one of them may be -1, which is computed from the others */
FA_API fa_module *fa_nn_unflatten(int64_t dim, fa_shape shape);
#define fa_nn_unflatten(...) FA__CALLED2(fa_nn_unflatten, FA__SAME, FA__SHAPE, __VA_ARGS__)

/** Returns its input. A placeholder, for example in place of the head of a network of which the features are wanted. */
FA_API fa_module *fa_nn_identity(void);

/** @} */

/** @defgroup layer_recurrent Recurrent layers
 *
 *  Layers that read a sequence step by step and carry a state: fa_nn_lstm(), fa_nn_gru(), fa_nn_rnn(), and cells, which
 *  do one step. fa_forward() gives the output of all steps, fa_forward_recurrent() the last states besides.
 *
 *      fa_module *lstm = fa_nn_lstm(32, 64, .num_layers = 2);
 *      fa_tensor *output = fa_forward(lstm, x);                          // (t, n, 32) to (t, n, 64)
 *      fa_recurrent y = fa_forward_recurrent(lstm, x);                   // y.output, y.h_n, y.c_n
 *      y = fa_forward_recurrent(lstm, next, .h_0 = y.h_n, .c_0 = y.c_n); // goes on from there
 *
 *  Parameters have PyTorch's names, "weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0", then those of the
 * reverse direction, which end with "_reverse", then those of the next layer; cells have "weight_ih" and so on. All are
 *  initialized uniformly in ±1/sqrt(hidden_size).
 *  @{ */

/** Options of fa_nn_lstm(). */
typedef struct fa_nn_lstm_options {
    size_t size;        /**< set by the macro */
    int64_t num_layers; /**< number of layers; each but the first reads the output of the one before */
    bool bias;          /**< add "bias_ih" and "bias_hh" */
    bool batch_first;   /**< x and output are (n, t, ...) instead of (t, n, ...) */
    double dropout;     /**< probability that an element of what goes into the next layer becomes 0, in training; not
                           behind the last */
    bool bidirectional; /**< each layer runs in both directions, and gives twice as many features */
    int64_t proj_size;  /**< size of the projected states, below hidden_size; 0: they are not projected */
    fa_dtype dtype;     /**< dtype of the parameters; FA_SAME: f32 */
    fa_device device;   /**< device of the parameters */
    char fa__end;
} fa_nn_lstm_options;
#define FA__DEVICE_fa_nn_lstm ,
#define FA__DEFAULT_fa_nn_lstm                                                                                         \
    {                                                                                                                  \
        offsetof(fa_nn_lstm_options, fa__end), 1, true, false, 0, false, 0, FA_SAME, {0, 0}, 0                         \
    }
/** Long short-term memory (Hochreiter and Schmidhuber 1997): (t, n, input_size) to (t, n, hidden_size), t steps of n
 *  sequences, or the same without n. Inputs are x, or x, h_0 and c_0: the states and cells before the first step,
 *  (num_layers * directions, n, hidden_size), which are zeros otherwise. With .proj_size the states are products with
 *  "weight_hr_l0" (proj_size, hidden_size), and are that wide. See fa_lstm().
 *
 *      fa_nn_lstm(input_size, hidden_size, .num_layers = 1, .bias = true, .batch_first = false, .dropout = 0,
 *          .bidirectional = false, .proj_size = 0, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_lstm(int64_t input_size, int64_t hidden_size, const fa_nn_lstm_options *options);
#define fa_nn_lstm(...) FA__CALL2(fa_nn_lstm, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_gru(). */
typedef struct fa_nn_gru_options {
    size_t size;        /**< set by the macro */
    int64_t num_layers; /**< number of layers; each but the first reads the output of the one before */
    bool bias;          /**< add "bias_ih" and "bias_hh" */
    bool batch_first;   /**< x and output are (n, t, ...) instead of (t, n, ...) */
    double dropout;     /**< probability that an element of what goes into the next layer becomes 0, in training; not
                           behind the last */
    bool bidirectional; /**< each layer runs in both directions, and gives twice as many features */
    fa_dtype dtype;     /**< dtype of the parameters; FA_SAME: f32 */
    fa_device device;   /**< device of the parameters */
    char fa__end;
} fa_nn_gru_options;
#define FA__DEVICE_fa_nn_gru ,
#define FA__DEFAULT_fa_nn_gru                                                                                          \
    {                                                                                                                  \
        offsetof(fa_nn_gru_options, fa__end), 1, true, false, 0, false, FA_SAME, {0, 0}, 0                             \
    }
/** Gated recurrent units (arXiv:1406.1078): shapes are as in fa_nn_lstm(). Inputs are x, or x and h_0. See fa_gru().
 *
 *      fa_nn_gru(input_size, hidden_size, .num_layers = 1, .bias = true, .batch_first = false, .dropout = 0,
 *          .bidirectional = false, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_gru(int64_t input_size, int64_t hidden_size, const fa_nn_gru_options *options);
#define fa_nn_gru(...) FA__CALL2(fa_nn_gru, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_rnn(). */
typedef struct fa_nn_rnn_options {
    size_t size;              /**< set by the macro */
    int64_t num_layers;       /**< number of layers; each but the first reads the output of the one before */
    const char *nonlinearity; /**< "tanh" or "relu" */
    bool bias;                /**< add "bias_ih" and "bias_hh" */
    bool batch_first;         /**< x and output are (n, t, ...) instead of (t, n, ...) */
    double dropout;     /**< probability that an element of what goes into the next layer becomes 0, in training; not
                           behind the last */
    bool bidirectional; /**< each layer runs in both directions, and gives twice as many features */
    fa_dtype dtype;     /**< dtype of the parameters; FA_SAME: f32 */
    fa_device device;   /**< device of the parameters */
    char fa__end;
} fa_nn_rnn_options;
#define FA__DEVICE_fa_nn_rnn ,
#define FA__DEFAULT_fa_nn_rnn                                                                                          \
    {                                                                                                                  \
        offsetof(fa_nn_rnn_options, fa__end), 1, "tanh", true, false, 0, false, FA_SAME, {0, 0}, 0                     \
    }
/** Elman's network (Elman 1990): shapes are as in fa_nn_lstm(). Inputs are x, or x and h_0. See fa_rnn_tanh() and
 *  fa_rnn_relu().
 *
 *      fa_nn_rnn(input_size, hidden_size, .num_layers = 1, .nonlinearity = "tanh", .bias = true, .batch_first = false,
 *          .dropout = 0, .bidirectional = false, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_rnn(int64_t input_size, int64_t hidden_size, const fa_nn_rnn_options *options);
#define fa_nn_rnn(...) FA__CALL2(fa_nn_rnn, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_lstm_cell(). */
typedef struct fa_nn_lstm_cell_options {
    size_t size;      /**< set by the macro */
    bool bias;        /**< add "bias_ih" and "bias_hh" */
    fa_dtype dtype;   /**< dtype of the parameters; FA_SAME: f32 */
    fa_device device; /**< device of the parameters */
    char fa__end;
} fa_nn_lstm_cell_options;
#define FA__DEVICE_fa_nn_lstm_cell ,
#define FA__DEFAULT_fa_nn_lstm_cell                                                                                    \
    {                                                                                                                  \
        offsetof(fa_nn_lstm_cell_options, fa__end), true, FA_SAME, {0, 0}, 0                                           \
    }
/** One step of fa_nn_lstm(): (n, input_size) to the state (n, hidden_size), or the same without n. Inputs are x, or x,
 *  h_0 and c_0, in the shape of the result. fa_forward_recurrent() gives the cell, too. See fa_lstm_cell().
 *
 *      fa_nn_lstm_cell(input_size, hidden_size, .bias = true, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_lstm_cell(int64_t input_size, int64_t hidden_size, const fa_nn_lstm_cell_options *options);
#define fa_nn_lstm_cell(...)                                                                                           \
    FA__CALL2(fa_nn_lstm_cell, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_gru_cell(). */
typedef fa_nn_lstm_cell_options fa_nn_gru_cell_options;
#define FA__DEFAULT_fa_nn_gru_cell FA__DEFAULT_fa_nn_lstm_cell
/** One step of fa_nn_gru(): (n, input_size) to the state (n, hidden_size), or the same without n. Inputs are x, or x
 * and h_0. See fa_gru_cell().
 *
 *      fa_nn_gru_cell(input_size, hidden_size, .bias = true, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_gru_cell(int64_t input_size, int64_t hidden_size, const fa_nn_gru_cell_options *options);
#define fa_nn_gru_cell(...)                                                                                            \
    FA__CALL2(fa_nn_gru_cell, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_rnn_cell(). */
typedef struct fa_nn_rnn_cell_options {
    size_t size;              /**< set by the macro */
    bool bias;                /**< add "bias_ih" and "bias_hh" */
    const char *nonlinearity; /**< "tanh" or "relu" */
    fa_dtype dtype;           /**< dtype of the parameters; FA_SAME: f32 */
    fa_device device;         /**< device of the parameters */
    char fa__end;
} fa_nn_rnn_cell_options;
#define FA__DEVICE_fa_nn_rnn_cell ,
#define FA__DEFAULT_fa_nn_rnn_cell                                                                                     \
    {                                                                                                                  \
        offsetof(fa_nn_rnn_cell_options, fa__end), true, "tanh", FA_SAME, {0, 0}, 0                                    \
    }
/** One step of fa_nn_rnn(): (n, input_size) to the state (n, hidden_size), or the same without n. Inputs are x, or x
 * and h_0. See fa_rnn_tanh_cell().
 *
 *      fa_nn_rnn_cell(input_size, hidden_size, .bias = true, .nonlinearity = "tanh", .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_rnn_cell(int64_t input_size, int64_t hidden_size, const fa_nn_rnn_cell_options *options);
#define fa_nn_rnn_cell(...)                                                                                            \
    FA__CALL2(fa_nn_rnn_cell, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** What fa_forward_recurrent() returns. The tensors belong to the current scope. */
typedef struct fa_recurrent {
    fa_tensor *output; /**< the states of the last layer after each step; of a cell: h_n */
    fa_tensor *h_n;    /**< the states after the last step: (num_layers * directions, n, hidden_size); of a cell: (n,
                          hidden_size) */
    fa_tensor *c_n;    /**< the cells of an LSTM after the last step, likewise; otherwise NULL */
} fa_recurrent;

/** Options of fa_forward_recurrent(). */
typedef struct fa_forward_recurrent_options {
    size_t size;          /**< set by the macro */
    const fa_tensor *h_0; /**< the states before the first step; NULL: zeros */
    const fa_tensor *c_0; /**< the cells of an LSTM before the first step, given together with h_0; NULL: zeros */
    char fa__end;
} fa_forward_recurrent_options;
#define FA__DEFAULT_fa_forward_recurrent                                                                               \
    {                                                                                                                  \
        offsetof(fa_forward_recurrent_options, fa__end), NULL, NULL, 0                                                 \
    }
/** Runs a recurrent layer or cell as fa_forward() does, and returns the last states besides the output. Training on
 *  pieces of a long sequence cuts the graph between them: .h_0 = fa_detach(y.h_n).
 *
 *      fa_forward_recurrent(lstm, x, .h_0 = NULL, .c_0 = NULL)
 *
 *  @param module  a layer or cell of this group
 *  @param x       its input
 *  @param options the options shown above; NULL for the defaults
 *  @return NULLs and an error if the module is none of these, or if running it failed */
FA_API fa_recurrent fa_forward_recurrent(fa_module *module, fa_tensor *x, const fa_forward_recurrent_options *options);
#define fa_forward_recurrent(...)                                                                                      \
    FA__CALL2(fa_forward_recurrent, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** @} */

/** @defgroup layer_attention Attention and transformers
 *
 *  Multi-head attention, the layers of transformers that are made of it, and stacks of these. fa_forward() runs them
 *  without masks; fa_forward_attention() and fa_forward_transformer() take masks, and the former gives the weights.
 *
 *      fa_module *layer = fa_nn_transformer_encoder_layer(64, 4, .dim_feedforward = 256, .batch_first = true);
 *      fa_module *encoder = fa_nn_transformer_encoder(layer, 6);
 *      fa_tensor *y = fa_forward_transformer(encoder, x, .causal = true); // (n, l, 64) to (n, l, 64)
 *
 *  A mask that is bool is true where something is hidden, as in PyTorch's layers; that of
 *  fa_scaled_dot_product_attention() is true where it is seen. A floating mask is added to the scores. All masks of a
 *  call hide together. A query that sees no key gets 0 from the values; in PyTorch it gets NaN.
 *  @{ */

/** Options of fa_nn_multihead_attention(). */
typedef struct fa_nn_multihead_attention_options {
    size_t size;        /**< set by the macro */
    double dropout;     /**< probability that a weight becomes 0, in training */
    bool bias;          /**< add "in_proj_bias" and "out_proj.bias" */
    bool add_bias_kv;   /**< one more key and value, the parameters "bias_k" and "bias_v" (1, 1, embed_dim) */
    bool add_zero_attn; /**< one more key and value, of zeros */
    int64_t kdim;       /**< width of the keys; 0: embed_dim */
    int64_t vdim;       /**< width of the values; 0: embed_dim */
    bool batch_first;   /**< tensors are (n, l, ...) instead of (l, n, ...) */
    fa_dtype dtype;     /**< dtype of the parameters; FA_SAME: f32 */
    fa_device device;   /**< device of the parameters */
    char fa__end;
} fa_nn_multihead_attention_options;
#define FA__DEVICE_fa_nn_multihead_attention ,
#define FA__DEFAULT_fa_nn_multihead_attention                                                                          \
    {                                                                                                                  \
        offsetof(fa_nn_multihead_attention_options, fa__end), 0, true, false, false, 0, 0, false, FA_SAME, {0, 0}, 0   \
    }
/** Multi-head attention (arXiv:1706.03762): queries (l, n, embed_dim), keys (s, n, kdim) and values (s, n, vdim) to (l,
 *  n, embed_dim), or the same without n. Inputs are the three, or x, which is all of them. Each of num_heads heads
 *  attends with embed_dim / num_heads features of the projected inputs; "out_proj" projects what they give. The
 *  projections are "in_proj_weight" (3 * embed_dim, embed_dim), or with other widths of keys or values
 *  "q_proj_weight" (embed_dim, embed_dim), "k_proj_weight" (embed_dim, kdim) and "v_proj_weight" (embed_dim, vdim);
 *  these are initialized uniformly as in fa_init_xavier_uniform_(), "out_proj.weight" as in fa_nn_linear(), biases with
 *  0, "bias_k" and "bias_v" as in fa_init_xavier_normal_(). No mask hides the keys of .add_bias_kv and .add_zero_attn,
 *  which stand behind the others, in this order. See fa_scaled_dot_product_attention().
 *
 *      fa_nn_multihead_attention(embed_dim, num_heads, .dropout = 0, .bias = true, .add_bias_kv = false,
 *          .add_zero_attn = false, .kdim = 0, .vdim = 0, .batch_first = false, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_multihead_attention(int64_t embed_dim, int64_t num_heads,
                                            const fa_nn_multihead_attention_options *options);
#define fa_nn_multihead_attention(...)                                                                                 \
    FA__CALL2(fa_nn_multihead_attention, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** What fa_forward_attention() returns. The tensors belong to the current scope. */
typedef struct fa_attention {
    fa_tensor *output;  /**< (l, n, embed_dim), or as the query */
    fa_tensor *weights; /**< (n, l, s), or (n, heads, l, s) without .average_attn_weights: how much each query takes of
                           each key, also of those of .add_bias_kv and .add_zero_attn; without n for inputs without n.
                           NULL without .need_weights */
} fa_attention;

/** Options of fa_forward_attention(). */
typedef struct fa_forward_attention_options {
    size_t size;                       /**< set by the macro */
    const fa_tensor *key_padding_mask; /**< (n, s): true for keys that no query sees, or numbers to add; NULL: none */
    const fa_tensor *attn_mask;        /**< (l, s) or (n * num_heads, l, s): true where a query does not see a key, or
                                          numbers to add; NULL: none */
    bool causal;                       /**< query i sees the keys 0 to i only */
    bool need_weights; /**< return the weights; without them, memory is taken for some rows of the scores at a time */
    bool average_attn_weights; /**< return their mean over the heads */
    char fa__end;
} fa_forward_attention_options;
#define FA__DEFAULT_fa_forward_attention                                                                               \
    {                                                                                                                  \
        offsetof(fa_forward_attention_options, fa__end), NULL, NULL, false, true, true, 0                              \
    }
/** Runs a layer of fa_nn_multihead_attention() as fa_forward() does, with masks, and returns the weights besides.
 *
 *      fa_forward_attention(attention, query, key, value, .key_padding_mask = NULL, .attn_mask = NULL,
 *          .causal = false, .need_weights = true, .average_attn_weights = true)
 *
 *  @param module  the layer
 *  @param query   the queries
 *  @param key     the keys
 *  @param value   the values
 *  @param options the options shown above; NULL for the defaults
 *  @return NULLs and an error if the module is another one, or if running it failed */
FA_API fa_attention fa_forward_attention(fa_module *module, fa_tensor *query, fa_tensor *key, fa_tensor *value,
                                         const fa_forward_attention_options *options);
#define fa_forward_attention(...)                                                                                      \
    FA__CALL4(fa_forward_attention, FA__NAMED4(, ##__VA_ARGS__, ., ., ., ., .), FA__SAME, FA__SAME, FA__SAME,          \
              FA__SAME, __VA_ARGS__)

/** Options of fa_nn_transformer_encoder_layer(). */
typedef struct fa_nn_transformer_encoder_layer_options {
    size_t size;             /**< set by the macro */
    int64_t dim_feedforward; /**< width between "linear1" and "linear2" */
    double dropout;          /**< probability that an element becomes 0, in training */
    const char *activation;  /**< "relu" or "gelu": the function between "linear1" and "linear2" */
    double layer_norm_eps;   /**< added to the variance in the normalizations */
    bool batch_first;        /**< tensors are (n, l, ...) instead of (l, n, ...) */
    bool norm_first;         /**< normalize before each part, not after it */
    bool bias;               /**< add biases, also of the normalizations */
    fa_dtype dtype;          /**< dtype of the parameters; FA_SAME: f32 */
    fa_device device;        /**< device of the parameters */
    char fa__end;
} fa_nn_transformer_encoder_layer_options;
#define FA__DEVICE_fa_nn_transformer_encoder_layer ,
#define FA__DEFAULT_fa_nn_transformer_encoder_layer                                                                    \
    {                                                                                                                  \
        offsetof(fa_nn_transformer_encoder_layer_options, fa__end), 2048, 0.1, "relu", 1e-5, false, false, true,       \
            FA_SAME, {0, 0}, 0                                                                                         \
    }
/** Layer of a transformer's encoder (arXiv:1706.03762), or with .causal of a language model: (l, n, d_model) to the
 *  same shape, or the same without n. x + "self_attn", then x + "linear2" of the activation of "linear1", with "norm1"
 *  and "norm2" after these parts, or before them (arXiv:2002.04745).
 *
 *      fa_nn_transformer_encoder_layer(d_model, nhead, .dim_feedforward = 2048, .dropout = 0.1, .activation = "relu",
 *          .layer_norm_eps = 1e-5, .batch_first = false, .norm_first = false, .bias = true, .dtype = FA_SAME, .device)
 */
FA_API fa_module *fa_nn_transformer_encoder_layer(int64_t d_model, int64_t nhead,
                                                  const fa_nn_transformer_encoder_layer_options *options);
#define fa_nn_transformer_encoder_layer(...)                                                                           \
    FA__CALL2(fa_nn_transformer_encoder_layer, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_transformer_decoder_layer(). */
typedef fa_nn_transformer_encoder_layer_options fa_nn_transformer_decoder_layer_options;
#define FA__DEVICE_fa_nn_transformer_decoder_layer ,
#define FA__DEFAULT_fa_nn_transformer_decoder_layer FA__DEFAULT_fa_nn_transformer_encoder_layer
/** Layer of a transformer's decoder: x (l, n, d_model) and memory (s, n, d_model), what the encoder gave, to x's shape.
 *  As fa_nn_transformer_encoder_layer(), but between its two parts x + "multihead_attn", which attends to memory.
 *
 *      fa_nn_transformer_decoder_layer(d_model, nhead, .dim_feedforward = 2048, .dropout = 0.1, .activation = "relu",
 *          .layer_norm_eps = 1e-5, .batch_first = false, .norm_first = false, .bias = true, .dtype = FA_SAME, .device)
 */
FA_API fa_module *fa_nn_transformer_decoder_layer(int64_t d_model, int64_t nhead,
                                                  const fa_nn_transformer_decoder_layer_options *options);
#define fa_nn_transformer_decoder_layer(...)                                                                           \
    FA__CALL2(fa_nn_transformer_decoder_layer, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_transformer_encoder(). */
typedef struct fa_nn_transformer_encoder_options {
    size_t size;     /**< set by the macro */
    fa_module *norm; /**< a layer behind the last one, such as fa_nn_layer_norm(); NULL: none */
    char fa__end;
} fa_nn_transformer_encoder_options;
#define FA__DEFAULT_fa_nn_transformer_encoder                                                                          \
    {                                                                                                                  \
        offsetof(fa_nn_transformer_encoder_options, fa__end), NULL, 0                                                  \
    }
/** Stack of num_layers copies of a fa_nn_transformer_encoder_layer(), "layers.0" and so on, which begin with the same
 *  parameters.
 *
 *      fa_nn_transformer_encoder(layer, num_layers, .norm = NULL) */
FA_API fa_module *fa_nn_transformer_encoder(fa_module *layer, int64_t num_layers,
                                            const fa_nn_transformer_encoder_options *options);
#define fa_nn_transformer_encoder(...)                                                                                 \
    FA__CALL2(fa_nn_transformer_encoder, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_transformer_decoder(). */
typedef fa_nn_transformer_encoder_options fa_nn_transformer_decoder_options;
#define FA__DEFAULT_fa_nn_transformer_decoder FA__DEFAULT_fa_nn_transformer_encoder
/** Stack of num_layers copies of a fa_nn_transformer_decoder_layer(), "layers.0" and so on, which all read the same
 *  memory.
 *
 *      fa_nn_transformer_decoder(layer, num_layers, .norm = NULL) */
FA_API fa_module *fa_nn_transformer_decoder(fa_module *layer, int64_t num_layers,
                                            const fa_nn_transformer_decoder_options *options);
#define fa_nn_transformer_decoder(...)                                                                                 \
    FA__CALL2(fa_nn_transformer_decoder, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_transformer(). */
typedef struct fa_nn_transformer_options {
    size_t size;                /**< set by the macro */
    int64_t num_encoder_layers; /**< layers of the encoder */
    int64_t num_decoder_layers; /**< layers of the decoder */
    int64_t dim_feedforward;    /**< width between "linear1" and "linear2" of each layer */
    double dropout;             /**< probability that an element becomes 0, in training */
    const char *activation;     /**< "relu" or "gelu": the function between "linear1" and "linear2" */
    fa_module *custom_encoder;  /**< a stack of fa_nn_transformer_encoder() in place of the encoder; NULL: none */
    fa_module *custom_decoder;  /**< a stack of fa_nn_transformer_decoder() in place of the decoder; NULL: none */
    double layer_norm_eps;      /**< added to the variance in the normalizations */
    bool batch_first;           /**< tensors are (n, l, ...) instead of (l, n, ...) */
    bool norm_first;            /**< normalize before each part, not after it */
    bool bias;                  /**< add biases, also of the normalizations */
    fa_dtype dtype;             /**< dtype of the parameters; FA_SAME: f32 */
    fa_device device;           /**< device of the parameters */
    char fa__end;
} fa_nn_transformer_options;
#define FA__DEVICE_fa_nn_transformer ,
#define FA__DEFAULT_fa_nn_transformer                                                                                  \
    {                                                                                                                  \
        offsetof(fa_nn_transformer_options, fa__end), 6, 6, 2048, 0.1, "relu", NULL, NULL, 1e-5, false, false, true,   \
            FA_SAME, {0, 0}, 0                                                                                         \
    }
/** Transformer of an encoder and a decoder (arXiv:1706.03762): src (s, n, d_model) and tgt (l, n, d_model) to tgt's
 *  shape, or the same without n. "encoder" and "decoder" are stacks with a layer norm behind their last layer; the
 *  decoder reads what the encoder gives for src. Matrices are initialized as in fa_init_xavier_uniform_(). A custom
 *  stack is shared, not copied, and keeps its parameters; options for its layers are ignored. fa_forward() takes src
 *  and tgt; fa_forward_transformer() takes tgt, .src, and masks.
 *
 *      fa_nn_transformer(d_model, nhead, .num_encoder_layers = 6, .num_decoder_layers = 6, .dim_feedforward = 2048,
 *          .dropout = 0.1, .activation = "relu", .custom_encoder = NULL, .custom_decoder = NULL,
 *          .layer_norm_eps = 1e-5, .batch_first = false, .norm_first = false, .bias = true, .dtype = FA_SAME, .device)
 */
FA_API fa_module *fa_nn_transformer(int64_t d_model, int64_t nhead, const fa_nn_transformer_options *options);
#define fa_nn_transformer(...)                                                                                         \
    FA__CALL2(fa_nn_transformer, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_forward_transformer(). */
typedef struct fa_forward_transformer_options {
    size_t size;                              /**< set by the macro */
    const fa_tensor *memory;                  /**< what a decoder reads besides: (s, n, d_model); NULL for an encoder */
    const fa_tensor *mask;                    /**< .attn_mask of "self_attn"; NULL: none */
    const fa_tensor *key_padding_mask;        /**< that of "self_attn"; NULL: none */
    bool causal;                              /**< position i of x sees the positions 0 to i only */
    const fa_tensor *memory_mask;             /**< .attn_mask of "multihead_attn"; NULL: none */
    const fa_tensor *memory_key_padding_mask; /**< that of "multihead_attn"; NULL: none */
    bool memory_causal;                       /**< position i of x sees the positions 0 to i of memory only */
    const fa_tensor *src;                     /**< what the encoder of fa_nn_transformer() reads; x is tgt then */
    const fa_tensor *src_mask;                /**< .mask of the encoder; NULL: none */
    const fa_tensor *src_key_padding_mask;    /**< that of the encoder; NULL: none */
    bool src_causal;                          /**< .causal of the encoder */
    char fa__end;
} fa_forward_transformer_options;
#define FA__DEFAULT_fa_forward_transformer                                                                             \
    {                                                                                                                  \
        offsetof(fa_forward_transformer_options, fa__end), NULL, NULL, NULL, false, NULL, NULL, false, NULL, NULL,     \
            NULL, false, 0                                                                                             \
    }
/** Runs a layer or stack of a transformer, or fa_nn_transformer(), as fa_forward() does, with masks, which all layers
 * of a stack get. Masks are those of fa_forward_attention().
 *
 *      fa_forward_transformer(module, x, .memory = NULL, .mask = NULL, .key_padding_mask = NULL, .causal = false,
 *          .memory_mask = NULL, .memory_key_padding_mask = NULL, .memory_causal = false, .src = NULL,
 *          .src_mask = NULL, .src_key_padding_mask = NULL, .src_causal = false)
 *
 *  @param module  a layer or stack of this group
 *  @param x       its input
 *  @param options the options shown above; NULL for the defaults
 *  @return NULL and an error if the module is none of these, or if running it failed */
FA_API fa_tensor *fa_forward_transformer(fa_module *module, fa_tensor *x,
                                         const fa_forward_transformer_options *options);
#define fa_forward_transformer(...)                                                                                    \
    FA__CALL2(fa_forward_transformer, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** @} */

/** @defgroup layer_activation Activation layers
 *
 *  Activation functions as modules. Only fa_nn_prelu() has parameters. The formulas are documented with the functions
 *  of the same names.
 *  @{ */

/** fa_relu() as a module. */
FA_API fa_module *fa_nn_relu(void);
/** fa_relu6() as a module. */
FA_API fa_module *fa_nn_relu6(void);
/** fa_sigmoid() as a module. */
FA_API fa_module *fa_nn_sigmoid(void);
/** fa_tanh() as a module. */
FA_API fa_module *fa_nn_tanh(void);
/** fa_silu() as a module. */
FA_API fa_module *fa_nn_silu(void);
/** fa_selu() as a module. */
FA_API fa_module *fa_nn_selu(void);
/** fa_mish() as a module. */
FA_API fa_module *fa_nn_mish(void);
/** fa_logsigmoid() as a module. */
FA_API fa_module *fa_nn_logsigmoid(void);
/** fa_softsign() as a module. */
FA_API fa_module *fa_nn_softsign(void);
/** fa_tanhshrink() as a module. */
FA_API fa_module *fa_nn_tanhshrink(void);
/** fa_hardsigmoid() as a module. */
FA_API fa_module *fa_nn_hardsigmoid(void);
/** fa_hardswish() as a module. */
FA_API fa_module *fa_nn_hardswish(void);

/** Options of fa_nn_gelu(). */
typedef struct fa_nn_gelu_options {
    size_t size;             /**< set by the macro */
    const char *approximate; /**< "none": exact; "tanh": the approximation of fa_gelu_tanh() */
    char fa__end;
} fa_nn_gelu_options;
#define FA__DEFAULT_fa_nn_gelu                                                                                         \
    {                                                                                                                  \
        offsetof(fa_nn_gelu_options, fa__end), "none", 0                                                               \
    }
/** fa_gelu() as a module: fa_nn_gelu(.approximate = "none") */
FA_API fa_module *fa_nn_gelu(const fa_nn_gelu_options *options);
#define fa_nn_gelu(...) FA__CALL0(fa_nn_gelu, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_leaky_relu(). */
typedef struct fa_nn_leaky_relu_options {
    size_t size;           /**< set by the macro */
    double negative_slope; /**< slope for negative inputs */
    char fa__end;
} fa_nn_leaky_relu_options;
#define FA__DEFAULT_fa_nn_leaky_relu                                                                                   \
    {                                                                                                                  \
        offsetof(fa_nn_leaky_relu_options, fa__end), 0.01, 0                                                           \
    }
/** fa_leaky_relu() as a module: fa_nn_leaky_relu(.negative_slope = 0.01) */
FA_API fa_module *fa_nn_leaky_relu(const fa_nn_leaky_relu_options *options);
#define fa_nn_leaky_relu(...) FA__CALL0(fa_nn_leaky_relu, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_elu(). */
typedef struct fa_nn_elu_options {
    size_t size;  /**< set by the macro */
    double alpha; /**< scale for negative inputs; the function approaches -alpha */
    char fa__end;
} fa_nn_elu_options;
#define FA__DEFAULT_fa_nn_elu                                                                                          \
    {                                                                                                                  \
        offsetof(fa_nn_elu_options, fa__end), 1, 0                                                                     \
    }
/** fa_elu() as a module: fa_nn_elu(.alpha = 1) */
FA_API fa_module *fa_nn_elu(const fa_nn_elu_options *options);
#define fa_nn_elu(...) FA__CALL0(fa_nn_elu, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_celu(). */
typedef struct fa_nn_celu_options {
    size_t size;  /**< set by the macro */
    double alpha; /**< scale for negative inputs; the function approaches -alpha */
    char fa__end;
} fa_nn_celu_options;
#define FA__DEFAULT_fa_nn_celu                                                                                         \
    {                                                                                                                  \
        offsetof(fa_nn_celu_options, fa__end), 1, 0                                                                    \
    }
/** fa_celu() as a module: fa_nn_celu(.alpha = 1) */
FA_API fa_module *fa_nn_celu(const fa_nn_celu_options *options);
#define fa_nn_celu(...) FA__CALL0(fa_nn_celu, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_hardtanh(). */
typedef struct fa_nn_hardtanh_options {
    size_t size; /**< set by the macro */
    double low;  /**< lower bound */
    double high; /**< upper bound */
    char fa__end;
} fa_nn_hardtanh_options;
#define FA__DEFAULT_fa_nn_hardtanh                                                                                     \
    {                                                                                                                  \
        offsetof(fa_nn_hardtanh_options, fa__end), -1, 1, 0                                                            \
    }
/** fa_hardtanh() as a module: fa_nn_hardtanh(.low = -1, .high = 1) */
FA_API fa_module *fa_nn_hardtanh(const fa_nn_hardtanh_options *options);
#define fa_nn_hardtanh(...) FA__CALL0(fa_nn_hardtanh, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_softplus(). */
typedef struct fa_nn_softplus_options {
    size_t size;      /**< set by the macro */
    double beta;      /**< sharpness of the bend */
    double threshold; /**< the function is linear where beta * x exceeds this */
    char fa__end;
} fa_nn_softplus_options;
#define FA__DEFAULT_fa_nn_softplus                                                                                     \
    {                                                                                                                  \
        offsetof(fa_nn_softplus_options, fa__end), 1, 20, 0                                                            \
    }
/** fa_softplus() as a module: fa_nn_softplus(.beta = 1, .threshold = 20) */
FA_API fa_module *fa_nn_softplus(const fa_nn_softplus_options *options);
#define fa_nn_softplus(...) FA__CALL0(fa_nn_softplus, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_softshrink(). */
typedef struct fa_nn_softshrink_options {
    size_t size;  /**< set by the macro */
    double lambd; /**< values move towards 0 by lambd; those within ±lambd become 0 */
    char fa__end;
} fa_nn_softshrink_options;
#define FA__DEFAULT_fa_nn_softshrink                                                                                   \
    {                                                                                                                  \
        offsetof(fa_nn_softshrink_options, fa__end), 0.5, 0                                                            \
    }
/** fa_softshrink() as a module: fa_nn_softshrink(.lambd = 0.5) */
FA_API fa_module *fa_nn_softshrink(const fa_nn_softshrink_options *options);
#define fa_nn_softshrink(...) FA__CALL0(fa_nn_softshrink, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_hardshrink(). */
typedef struct fa_nn_hardshrink_options {
    size_t size;  /**< set by the macro */
    double lambd; /**< values within ±lambd become 0 */
    char fa__end;
} fa_nn_hardshrink_options;
#define FA__DEFAULT_fa_nn_hardshrink                                                                                   \
    {                                                                                                                  \
        offsetof(fa_nn_hardshrink_options, fa__end), 0.5, 0                                                            \
    }
/** fa_hardshrink() as a module: fa_nn_hardshrink(.lambd = 0.5) */
FA_API fa_module *fa_nn_hardshrink(const fa_nn_hardshrink_options *options);
#define fa_nn_hardshrink(...) FA__CALL0(fa_nn_hardshrink, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_rrelu(). */
typedef struct fa_nn_rrelu_options {
    size_t size;  /**< set by the macro */
    double lower; /**< minimum slope for negative inputs */
    double upper; /**< maximum slope for negative inputs */
    char fa__end;
} fa_nn_rrelu_options;
#define FA__DEFAULT_fa_nn_rrelu                                                                                        \
    {                                                                                                                  \
        offsetof(fa_nn_rrelu_options, fa__end), 0.125, 0.3333333333333333, 0                                           \
    }
/** fa_rrelu() as a module; slopes are random in training: fa_nn_rrelu(.lower = 0.125, .upper = 1.0 / 3) */
FA_API fa_module *fa_nn_rrelu(const fa_nn_rrelu_options *options);
#define fa_nn_rrelu(...) FA__CALL0(fa_nn_rrelu, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_glu(). */
typedef struct fa_nn_glu_options {
    size_t size; /**< set by the macro */
    int64_t dim; /**< dimension along which the input is halved */
    char fa__end;
} fa_nn_glu_options;
#define FA__DEFAULT_fa_nn_glu                                                                                          \
    {                                                                                                                  \
        offsetof(fa_nn_glu_options, fa__end), -1, 0                                                                    \
    }
/** fa_glu() as a module: fa_nn_glu(.dim = -1) */
FA_API fa_module *fa_nn_glu(const fa_nn_glu_options *options);
#define fa_nn_glu(...) FA__CALL0(fa_nn_glu, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** fa_threshold() as a module.
 *  @param threshold inputs above it are kept
 *  @param value     replaces all other inputs */
FA_API fa_module *fa_nn_threshold(double threshold, double value);

/** fa_softmax() as a module.
 *  @param dim the dimension; negative counts from the end */
FA_API fa_module *fa_nn_softmax(int64_t dim);

/** fa_log_softmax() as a module.
 *  @param dim the dimension; negative counts from the end */
FA_API fa_module *fa_nn_log_softmax(int64_t dim);

/** fa_softmin() as a module.
 *  @param dim the dimension; negative counts from the end */
FA_API fa_module *fa_nn_softmin(int64_t dim);

/** Options of fa_nn_prelu(). */
typedef struct fa_nn_prelu_options {
    size_t size;            /**< set by the macro */
    int64_t num_parameters; /**< 1, or the number of channels */
    double init;            /**< initial value of the slopes */
    fa_dtype dtype;         /**< dtype of the parameters; FA_SAME: f32 */
    fa_device device;       /**< device of the parameters */
    char fa__end;
} fa_nn_prelu_options;
#define FA__DEVICE_fa_nn_prelu ,
#define FA__DEFAULT_fa_nn_prelu                                                                                        \
    {                                                                                                                  \
        offsetof(fa_nn_prelu_options, fa__end), 1, 0.25, FA_SAME, {0, 0}, 0                                            \
    }
/** PReLU: x where it is positive, "weight" (num_parameters) times x elsewhere, with one slope for all or for each
 *  channel. See fa_prelu().
 *
 *      fa_nn_prelu(.num_parameters = 1, .init = 0.25, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_prelu(const fa_nn_prelu_options *options);
#define fa_nn_prelu(...) FA__CALL0(fa_nn_prelu, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** @} */

FA__END
#endif
