/** @file
 *  Layers with parameters or sizes: linear, convolutions, pooling, normalisation, dropout, shapes. Parameters and
 * buffers have PyTorch's names, and begin as PyTorch's do; what a layer computes, and which shapes it takes, its
 * function says, which is named in its comment. An error of a layer names the layer, and where in the network it is.
 *
 *  Sizes of kernels, steps and padding are an fa_pair: a number for both, or FA_PAIR(height, width). */
#ifndef FACULA_LAYER_H
#define FACULA_LAYER_H
#include <facula/nn.h>

FA__BEGIN

/** Options of fa_nn_linear(). */
typedef struct fa_nn_linear_options {
    size_t size;      /**< set by the macro */
    bool bias;        /**< add one */
    fa_dtype dtype;   /**< of the parameters; FA_SAME: f32 */
    fa_device device; /**< where they are made */
    char fa__end;
} fa_nn_linear_options;
#define FA__DEFAULT_fa_nn_linear                                                                                       \
    {                                                                                                                  \
        offsetof(fa_nn_linear_options, fa__end), true, FA_SAME, {0, 0}, 0                                              \
    }
/** x times the transpose of "weight" (out, in), plus "bias" (out): (..., in) becomes (..., out). Both begin uniform in
 *  ±1/sqrt(in), as PyTorch's do (He et al. 2015 with a = sqrt(5)). See fa_linear().
 *
 *      fa_nn_linear(in, out, .bias = true, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_linear(int64_t in, int64_t out, const fa_nn_linear_options *options);
#define fa_nn_linear(...) FA__CALL2(fa_nn_linear, FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_conv2d(). */
typedef struct fa_nn_conv2d_options {
    size_t size;              /**< set by the macro */
    fa_pair stride;           /**< steps of the kernel */
    fa_pair padding;          /**< on each side; or FA_PADDING_SAME */
    fa_pair dilation;         /**< how far the kernel's entries are apart */
    int64_t groups;           /**< parts of the channels; in and out are multiples of it */
    const char *padding_mode; /**< what stands around: "zeros"; or "reflect", "replicate", "circular" as in fa_pad() */
    bool bias;                /**< add one */
    fa_dtype dtype;           /**< of the parameters; FA_SAME: f32 */
    fa_device device;         /**< where they are made */
    char fa__end;
} fa_nn_conv2d_options;
#define FA__DEFAULT_fa_nn_conv2d                                                                                       \
    {                                                                                                                  \
        offsetof(fa_nn_conv2d_options, fa__end), 1, 0, 1, 1, "zeros", true, FA_SAME, {0, 0}, 0                         \
    }
/** The convolution of images with "weight" (out, in / groups, kernel height, kernel width), plus "bias" (out): (n, in,
 * h, w) becomes (n, out, h', w'), without n too. Both begin uniform in ±1/sqrt(in / groups * elements of the kernel).
 * See fa_conv2d().
 *
 *      fa_nn_conv2d(in, out, kernel, .stride = 1, .padding = 0, .dilation = 1, .groups = 1, .padding_mode = "zeros",
 *          .bias = true, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_conv2d(int64_t in, int64_t out, fa_pair kernel, const fa_nn_conv2d_options *options);
#define fa_nn_conv2d(...) FA__CALL3(fa_nn_conv2d, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_conv_transpose2d(). */
typedef struct fa_nn_conv_transpose2d_options {
    size_t size;            /**< set by the macro */
    fa_pair stride;         /**< steps of the kernel over the result */
    fa_pair padding;        /**< what the result lacks, on each side */
    fa_pair output_padding; /**< what it has more, behind */
    int64_t groups;         /**< parts of the channels; in and out are multiples of it */
    bool bias;              /**< add one */
    fa_pair dilation;       /**< how far the kernel's entries are apart */
    fa_dtype dtype;         /**< of the parameters; FA_SAME: f32 */
    fa_device device;       /**< where they are made */
    char fa__end;
} fa_nn_conv_transpose2d_options;
#define FA__DEFAULT_fa_nn_conv_transpose2d                                                                             \
    {                                                                                                                  \
        offsetof(fa_nn_conv_transpose2d_options, fa__end), 1, 0, 0, 1, true, 1, FA_SAME, {0, 0}, 0                     \
    }
/** The transpose of a convolution of images, with "weight" (in, out / groups, kernel height, kernel width) and "bias"
 * (out): (n, in, h, w) becomes (n, out, h', w'). Both begin uniform in ±1/sqrt(out / groups * elements of the kernel),
 * as PyTorch's do. See fa_conv_transpose2d().
 *
 *      fa_nn_conv_transpose2d(in, out, kernel, .stride = 1, .padding = 0, .output_padding = 0, .groups = 1,
 *          .bias = true, .dilation = 1, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_conv_transpose2d(int64_t in, int64_t out, fa_pair kernel,
                                         const fa_nn_conv_transpose2d_options *options);
#define fa_nn_conv_transpose2d(...) FA__CALL3(fa_nn_conv_transpose2d, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_conv1d(): of one dimension, numbers. */
typedef fa_nn_conv2d_options fa_nn_conv1d_options;
#define FA__DEFAULT_fa_nn_conv1d FA__DEFAULT_fa_nn_conv2d
/** The convolution of lines with "weight" (out, in / groups, kernel), plus "bias" (out): (n, in, length) becomes (n,
 * out, length'), without n too. Both begin uniform in ±1/sqrt(in / groups * elements of the kernel). See fa_conv1d().
 *
 *      fa_nn_conv1d(in, out, kernel, .stride = 1, .padding = 0, .dilation = 1, .groups = 1, .padding_mode = "zeros",
 *          .bias = true, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_conv1d(int64_t in, int64_t out, int64_t kernel, const fa_nn_conv1d_options *options);
#define fa_nn_conv1d(...) FA__CALL3(fa_nn_conv1d, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_conv_transpose1d(): of one dimension, numbers. */
typedef fa_nn_conv_transpose2d_options fa_nn_conv_transpose1d_options;
#define FA__DEFAULT_fa_nn_conv_transpose1d FA__DEFAULT_fa_nn_conv_transpose2d
/** The transpose of a convolution of lines, with "weight" (in, out / groups, kernel) and "bias" (out):
 *  (n, in, length) becomes (n, out, length'). Both begin uniform in ±1/sqrt(out / groups * elements of the kernel), as
 * PyTorch's do. See fa_conv_transpose1d().
 *
 *      fa_nn_conv_transpose1d(in, out, kernel, .stride = 1, .padding = 0, .output_padding = 0, .groups = 1,
 *          .bias = true, .dilation = 1, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_conv_transpose1d(int64_t in, int64_t out, int64_t kernel,
                                         const fa_nn_conv_transpose1d_options *options);
#define fa_nn_conv_transpose1d(...) FA__CALL3(fa_nn_conv_transpose1d, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_max_pool2d(). */
typedef struct fa_nn_max_pool2d_options {
    size_t size;      /**< set by the macro */
    fa_pair stride;   /**< from a window to the next; 0: the kernel */
    fa_pair padding;  /**< on each side */
    fa_pair dilation; /**< how far a window's elements are apart */
    bool ceil_mode;   /**< a last window that goes beyond the padding counts, too */
    char fa__end;
} fa_nn_max_pool2d_options;
#define FA__DEFAULT_fa_nn_max_pool2d                                                                                   \
    {                                                                                                                  \
        offsetof(fa_nn_max_pool2d_options, fa__end), 0, 0, 1, false, 0                                                 \
    }
/** fa_max_pool2d() as a module: the largest of each window.
 *
 *      fa_nn_max_pool2d(kernel, .stride = 0, .padding = 0, .dilation = 1, .ceil_mode = false) */
FA_API fa_module *fa_nn_max_pool2d(fa_pair kernel, const fa_nn_max_pool2d_options *options);
#define fa_nn_max_pool2d(...) FA__CALL1(fa_nn_max_pool2d, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_avg_pool2d(). */
typedef struct fa_nn_avg_pool2d_options {
    size_t size;              /**< set by the macro */
    fa_pair stride;           /**< from a window to the next; 0: the kernel */
    fa_pair padding;          /**< on each side */
    bool ceil_mode;           /**< a last window that goes beyond the padding counts, too */
    bool count_include_pad;   /**< padding counts as zeros */
    int64_t divisor_override; /**< what sums are divided by; 0: the number of elements */
    char fa__end;
} fa_nn_avg_pool2d_options;
#define FA__DEFAULT_fa_nn_avg_pool2d                                                                                   \
    {                                                                                                                  \
        offsetof(fa_nn_avg_pool2d_options, fa__end), 0, 0, false, true, 0, 0                                           \
    }
/** fa_avg_pool2d() as a module: the mean of each window.
 *
 *      fa_nn_avg_pool2d(kernel, .stride = 0, .padding = 0, .ceil_mode = false, .count_include_pad = true,
 *          .divisor_override = 0) */
FA_API fa_module *fa_nn_avg_pool2d(fa_pair kernel, const fa_nn_avg_pool2d_options *options);
#define fa_nn_avg_pool2d(...) FA__CALL1(fa_nn_avg_pool2d, FA__SAME, __VA_ARGS__)

/** fa_adaptive_avg_pool2d() as a module: means that make planes of a size.
 *  @param size of the planes; -1 keeps that of the input */
FA_API fa_module *fa_nn_adaptive_avg_pool2d(fa_pair size);

/** fa_adaptive_max_pool2d() as a module: the largest of each window of as many as make planes of a size.
 *  @param size of the planes; -1 keeps that of the input */
FA_API fa_module *fa_nn_adaptive_max_pool2d(fa_pair size);

/** Options of fa_nn_max_pool1d(): of one dimension, numbers. */
typedef fa_nn_max_pool2d_options fa_nn_max_pool1d_options;
#define FA__DEFAULT_fa_nn_max_pool1d FA__DEFAULT_fa_nn_max_pool2d
/** fa_nn_max_pool2d() of lines: (n, c, length), with a `kernel` of one number. */
FA_API fa_module *fa_nn_max_pool1d(int64_t kernel, const fa_nn_max_pool1d_options *options);
#define fa_nn_max_pool1d(...) FA__CALL1(fa_nn_max_pool1d, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_avg_pool1d(). */
typedef struct fa_nn_avg_pool1d_options {
    size_t size;            /**< set by the macro */
    int64_t stride;         /**< from a window to the next; 0: the kernel */
    int64_t padding;        /**< on each side */
    bool ceil_mode;         /**< a last window that goes beyond the padding counts, too */
    bool count_include_pad; /**< padding counts as zeros */
    char fa__end;
} fa_nn_avg_pool1d_options;
#define FA__DEFAULT_fa_nn_avg_pool1d                                                                                   \
    {                                                                                                                  \
        offsetof(fa_nn_avg_pool1d_options, fa__end), 0, 0, false, true, 0                                              \
    }
/** fa_nn_avg_pool2d() of lines.
 *
 *      fa_nn_avg_pool1d(kernel, .stride = 0, .padding = 0, .ceil_mode = false, .count_include_pad = true) */
FA_API fa_module *fa_nn_avg_pool1d(int64_t kernel, const fa_nn_avg_pool1d_options *options);
#define fa_nn_avg_pool1d(...) FA__CALL1(fa_nn_avg_pool1d, FA__SAME, __VA_ARGS__)

/** fa_nn_adaptive_avg_pool2d() of lines: (n, c, length), with a `size` of one number. */
FA_API fa_module *fa_nn_adaptive_avg_pool1d(int64_t size);

/** fa_nn_adaptive_max_pool2d() of lines: (n, c, length), with a `size` of one number. */
FA_API fa_module *fa_nn_adaptive_max_pool1d(int64_t size);

/** Options of fa_nn_batch_norm2d(). */
typedef struct fa_nn_batch_norm2d_options {
    size_t size; /**< set by the macro */
    double eps;  /**< is added to variances */
    double
        momentum; /**< how much of the running ones each batch replaces; below 0: they are the mean over all batches */
    bool affine;  /**< learn "weight" and "bias" */
    bool track_running_stats; /**< keep running ones, which inference takes */
    fa_dtype dtype;           /**< of the parameters; FA_SAME: f32 */
    fa_device device;         /**< where they are made */
    char fa__end;
} fa_nn_batch_norm2d_options;
#define FA__DEFAULT_fa_nn_batch_norm2d                                                                                 \
    {                                                                                                                  \
        offsetof(fa_nn_batch_norm2d_options, fa__end), 1e-5, 0.1, true, true, FA_SAME, {0, 0}, 0                       \
    }
/** Each channel normalised over the batch, times "weight" plus "bias" (features): for (n, features, h, w)
 *  (arXiv:1502.03167). In training it takes the batch's mean and variance, and moves the buffers "running_mean" and
 *  "running_var" (features) towards them; in inference it takes these. "num_batches_tracked" counts the batches of
 *  training; with a momentum below 0 the host waits for this count in each of them. See fa_batch_norm().
 *
 *      fa_nn_batch_norm2d(features, .eps = 1e-5, .momentum = 0.1, .affine = true, .track_running_stats = true,
 *          .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_batch_norm2d(int64_t features, const fa_nn_batch_norm2d_options *options);
#define fa_nn_batch_norm2d(...) FA__CALL1(fa_nn_batch_norm2d, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_batch_norm1d(). */
typedef fa_nn_batch_norm2d_options fa_nn_batch_norm1d_options;
#define FA__DEFAULT_fa_nn_batch_norm1d FA__DEFAULT_fa_nn_batch_norm2d
/** fa_nn_batch_norm2d() for (n, features) and (n, features, length). */
FA_API fa_module *fa_nn_batch_norm1d(int64_t features, const fa_nn_batch_norm1d_options *options);
#define fa_nn_batch_norm1d(...) FA__CALL1(fa_nn_batch_norm1d, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_layer_norm(). */
typedef struct fa_nn_layer_norm_options {
    size_t size;             /**< set by the macro */
    double eps;              /**< is added to variances */
    bool elementwise_affine; /**< learn "weight" */
    bool bias;               /**< and "bias" */
    fa_dtype dtype;          /**< of the parameters; FA_SAME: f32 */
    fa_device device;        /**< where they are made */
    char fa__end;
} fa_nn_layer_norm_options;
#define FA__DEFAULT_fa_nn_layer_norm                                                                                   \
    {                                                                                                                  \
        offsetof(fa_nn_layer_norm_options, fa__end), 1e-5, true, true, FA_SAME, {0, 0}, 0                              \
    }
/** The last dimensions normalised together, times "weight" plus "bias", which have their shape: (..., shape) keeps its
 *  shape (arXiv:1607.06450). See fa_layer_norm().
 *
 *      fa_nn_layer_norm(shape, .eps = 1e-5, .elementwise_affine = true, .bias = true, .dtype = FA_SAME, .device)
 *
 *  @param shape   of the last dimensions: FA_SHAPE(64)
 *  @param options what the macro makes of the named options; NULL for the defaults */
FA_API fa_module *fa_nn_layer_norm(fa_shape shape, const fa_nn_layer_norm_options *options);
#define fa_nn_layer_norm(...) FA__CALL1(fa_nn_layer_norm, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_rms_norm(). */
typedef struct fa_nn_rms_norm_options {
    size_t size;             /**< set by the macro */
    double eps;              /**< is added to the mean of squares; below 0: the distance of 1 to the next number */
    bool elementwise_affine; /**< learn "weight" */
    fa_dtype dtype;          /**< of the parameters; FA_SAME: f32 */
    fa_device device;        /**< where they are made */
    char fa__end;
} fa_nn_rms_norm_options;
#define FA__DEFAULT_fa_nn_rms_norm                                                                                     \
    {                                                                                                                  \
        offsetof(fa_nn_rms_norm_options, fa__end), -1, true, FA_SAME, {0, 0}, 0                                        \
    }
/** The last dimensions divided by the root of their mean square, times "weight" (arXiv:1910.07467). See fa_rms_norm().
 *
 *      fa_nn_rms_norm(shape, .eps = -1, .elementwise_affine = true, .dtype = FA_SAME, .device)
 *
 *  @param shape   of the last dimensions: FA_SHAPE(64)
 *  @param options what the macro makes of the named options; NULL for the defaults */
FA_API fa_module *fa_nn_rms_norm(fa_shape shape, const fa_nn_rms_norm_options *options);
#define fa_nn_rms_norm(...) FA__CALL1(fa_nn_rms_norm, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_group_norm(). */
typedef struct fa_nn_group_norm_options {
    size_t size;      /**< set by the macro */
    double eps;       /**< is added to variances */
    bool affine;      /**< learn "weight" and "bias" */
    fa_dtype dtype;   /**< of the parameters; FA_SAME: f32 */
    fa_device device; /**< where they are made */
    char fa__end;
} fa_nn_group_norm_options;
#define FA__DEFAULT_fa_nn_group_norm                                                                                   \
    {                                                                                                                  \
        offsetof(fa_nn_group_norm_options, fa__end), 1e-5, true, FA_SAME, {0, 0}, 0                                    \
    }
/** Groups of neighbouring channels normalised together, times "weight" plus "bias" (channels): (n, channels, ...)
 *  (arXiv:1803.08494). See fa_group_norm().
 *
 *      fa_nn_group_norm(groups, channels, .eps = 1e-5, .affine = true, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_group_norm(int64_t groups, int64_t channels, const fa_nn_group_norm_options *options);
#define fa_nn_group_norm(...) FA__CALL2(fa_nn_group_norm, FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_embedding(). */
typedef struct fa_nn_embedding_options {
    size_t size;             /**< set by the macro */
    int64_t padding_idx;     /**< a row that is 0 and stays so; negative counts from the end */
    bool scale_grad_by_freq; /**< what comes to a row is divided by how often it was taken */
    fa_dtype dtype;          /**< of the parameters; FA_SAME: f32 */
    fa_device device;        /**< where they are made */
    char fa__end;
} fa_nn_embedding_options;
#define FA__DEFAULT_fa_nn_embedding                                                                                    \
    {                                                                                                                  \
        offsetof(fa_nn_embedding_options, fa__end), INT64_MIN, false, FA_SAME, {0, 0}, 0                               \
    }
/** Rows of "weight" (rows, width) by their numbers: integers of any shape become (..., width). It begins normal, with
 *  mean 0 and deviation 1. See fa_embedding().
 *
 *      fa_nn_embedding(rows, width, .padding_idx, .scale_grad_by_freq = false, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_embedding(int64_t rows, int64_t width, const fa_nn_embedding_options *options);
#define fa_nn_embedding(...) FA__CALL2(fa_nn_embedding, FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_dropout(). */
typedef struct fa_nn_dropout_options {
    size_t size; /**< set by the macro */
    double p;    /**< the probability that an element becomes 0: 0 to 1 */
    char fa__end;
} fa_nn_dropout_options;
#define FA__DEFAULT_fa_nn_dropout                                                                                      \
    {                                                                                                                  \
        offsetof(fa_nn_dropout_options, fa__end), 0.5, 0                                                               \
    }
/** In training, each element is 0 with probability p and the rest scaled by 1 / (1 - p); in inference, its input
 *  (Srivastava et al. 2014). See fa_dropout().
 *
 *      fa_nn_dropout(.p = 0.5) */
FA_API fa_module *fa_nn_dropout(const fa_nn_dropout_options *options);
#define fa_nn_dropout(...) FA__CALL0(fa_nn_dropout, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_dropout2d(). */
typedef fa_nn_dropout_options fa_nn_dropout2d_options;
#define FA__DEFAULT_fa_nn_dropout2d FA__DEFAULT_fa_nn_dropout
/** The same with whole channels of (n, c, ...) (arXiv:1411.4280): fa_nn_dropout2d(.p = 0.5). See fa_feature_dropout().
 */
FA_API fa_module *fa_nn_dropout2d(const fa_nn_dropout2d_options *options);
#define fa_nn_dropout2d(...) FA__CALL0(fa_nn_dropout2d, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_alpha_dropout(). */
typedef fa_nn_dropout_options fa_nn_alpha_dropout_options;
#define FA__DEFAULT_fa_nn_alpha_dropout FA__DEFAULT_fa_nn_dropout
/** Dropout that keeps mean and variance behind fa_nn_selu() (arXiv:1706.02515): fa_nn_alpha_dropout(.p = 0.5). See
 *  fa_alpha_dropout(). */
FA_API fa_module *fa_nn_alpha_dropout(const fa_nn_alpha_dropout_options *options);
#define fa_nn_alpha_dropout(...) FA__CALL0(fa_nn_alpha_dropout, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_flatten(). */
typedef struct fa_nn_flatten_options {
    size_t size;   /**< set by the macro */
    int64_t start; /**< the first dimension that is joined; negative counts from the end */
    int64_t end;   /**< the last one */
    char fa__end;
} fa_nn_flatten_options;
#define FA__DEFAULT_fa_nn_flatten                                                                                      \
    {                                                                                                                  \
        offsetof(fa_nn_flatten_options, fa__end), 1, -1, 0                                                             \
    }
/** Dimensions joined to one, by default all after the first: fa_nn_flatten(.start = 1, .end = -1). See fa_flatten(). */
FA_API fa_module *fa_nn_flatten(const fa_nn_flatten_options *options);
#define fa_nn_flatten(...) FA__CALL0(fa_nn_flatten, FA__OPTIONS(__VA_ARGS__))

/** fa_unflatten() as a module: one dimension divided into several.
 *  @param dim   which one; negative counts from the end
 *  @param shape what it becomes; one size may be -1, which is found from the others */
FA_API fa_module *fa_nn_unflatten(int64_t dim, fa_shape shape);

/** Its input. In the place of a layer, as of the head of a network whose features are wanted. */
FA_API fa_module *fa_nn_identity(void);

/** @defgroup layer_activation Functions of tensors as modules, without parameters but for fa_nn_prelu(). What they
 * compute the functions of the same name say.
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
    const char *approximate; /**< "tanh": as fa_gelu_tanh() does it */
    char fa__end;
} fa_nn_gelu_options;
#define FA__DEFAULT_fa_nn_gelu                                                                                         \
    {                                                                                                                  \
        offsetof(fa_nn_gelu_options, fa__end), "none", 0                                                               \
    }
/** fa_gelu() as a module: fa_nn_gelu(.approximate = "none") */
FA_API fa_module *fa_nn_gelu(const fa_nn_gelu_options *options);
#define fa_nn_gelu(...) FA__CALL0(fa_nn_gelu, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_leaky_relu(). */
typedef struct fa_nn_leaky_relu_options {
    size_t size;           /**< set by the macro */
    double negative_slope; /**< below 0 */
    char fa__end;
} fa_nn_leaky_relu_options;
#define FA__DEFAULT_fa_nn_leaky_relu                                                                                   \
    {                                                                                                                  \
        offsetof(fa_nn_leaky_relu_options, fa__end), 0.01, 0                                                           \
    }
/** fa_leaky_relu() as a module: fa_nn_leaky_relu(.negative_slope = 0.01) */
FA_API fa_module *fa_nn_leaky_relu(const fa_nn_leaky_relu_options *options);
#define fa_nn_leaky_relu(...) FA__CALL0(fa_nn_leaky_relu, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_elu(). */
typedef struct fa_nn_elu_options {
    size_t size;  /**< set by the macro */
    double alpha; /**< minus the limit far below 0 */
    char fa__end;
} fa_nn_elu_options;
#define FA__DEFAULT_fa_nn_elu                                                                                          \
    {                                                                                                                  \
        offsetof(fa_nn_elu_options, fa__end), 1, 0                                                                     \
    }
/** fa_elu() as a module: fa_nn_elu(.alpha = 1) */
FA_API fa_module *fa_nn_elu(const fa_nn_elu_options *options);
#define fa_nn_elu(...) FA__CALL0(fa_nn_elu, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_celu(). */
typedef struct fa_nn_celu_options {
    size_t size;  /**< set by the macro */
    double alpha; /**< minus the limit far below 0 */
    char fa__end;
} fa_nn_celu_options;
#define FA__DEFAULT_fa_nn_celu                                                                                         \
    {                                                                                                                  \
        offsetof(fa_nn_celu_options, fa__end), 1, 0                                                                    \
    }
/** fa_celu() as a module: fa_nn_celu(.alpha = 1) */
FA_API fa_module *fa_nn_celu(const fa_nn_celu_options *options);
#define fa_nn_celu(...) FA__CALL0(fa_nn_celu, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_hardtanh(). */
typedef struct fa_nn_hardtanh_options {
    size_t size; /**< set by the macro */
    double low;  /**< the least */
    double high; /**< the most */
    char fa__end;
} fa_nn_hardtanh_options;
#define FA__DEFAULT_fa_nn_hardtanh                                                                                     \
    {                                                                                                                  \
        offsetof(fa_nn_hardtanh_options, fa__end), -1, 1, 0                                                            \
    }
/** fa_hardtanh() as a module: fa_nn_hardtanh(.low = -1, .high = 1) */
FA_API fa_module *fa_nn_hardtanh(const fa_nn_hardtanh_options *options);
#define fa_nn_hardtanh(...) FA__CALL0(fa_nn_hardtanh, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_softplus(). */
typedef struct fa_nn_softplus_options {
    size_t size;      /**< set by the macro */
    double beta;      /**< how sharp it bends */
    double threshold; /**< beta * x above it stays x */
    char fa__end;
} fa_nn_softplus_options;
#define FA__DEFAULT_fa_nn_softplus                                                                                     \
    {                                                                                                                  \
        offsetof(fa_nn_softplus_options, fa__end), 1, 20, 0                                                            \
    }
/** fa_softplus() as a module: fa_nn_softplus(.beta = 1, .threshold = 20) */
FA_API fa_module *fa_nn_softplus(const fa_nn_softplus_options *options);
#define fa_nn_softplus(...) FA__CALL0(fa_nn_softplus, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_softshrink(). */
typedef struct fa_nn_softshrink_options {
    size_t size;  /**< set by the macro */
    double lambd; /**< by how much */
    char fa__end;
} fa_nn_softshrink_options;
#define FA__DEFAULT_fa_nn_softshrink                                                                                   \
    {                                                                                                                  \
        offsetof(fa_nn_softshrink_options, fa__end), 0.5, 0                                                            \
    }
/** fa_softshrink() as a module: fa_nn_softshrink(.lambd = 0.5) */
FA_API fa_module *fa_nn_softshrink(const fa_nn_softshrink_options *options);
#define fa_nn_softshrink(...) FA__CALL0(fa_nn_softshrink, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_hardshrink(). */
typedef struct fa_nn_hardshrink_options {
    size_t size;  /**< set by the macro */
    double lambd; /**< up to where it is 0 */
    char fa__end;
} fa_nn_hardshrink_options;
#define FA__DEFAULT_fa_nn_hardshrink                                                                                   \
    {                                                                                                                  \
        offsetof(fa_nn_hardshrink_options, fa__end), 0.5, 0                                                            \
    }
/** fa_hardshrink() as a module: fa_nn_hardshrink(.lambd = 0.5) */
FA_API fa_module *fa_nn_hardshrink(const fa_nn_hardshrink_options *options);
#define fa_nn_hardshrink(...) FA__CALL0(fa_nn_hardshrink, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_rrelu(). */
typedef struct fa_nn_rrelu_options {
    size_t size;  /**< set by the macro */
    double lower; /**< the smallest slope below 0 */
    double upper; /**< the largest one */
    char fa__end;
} fa_nn_rrelu_options;
#define FA__DEFAULT_fa_nn_rrelu                                                                                        \
    {                                                                                                                  \
        offsetof(fa_nn_rrelu_options, fa__end), 0.125, 0.3333333333333333, 0                                           \
    }
/** fa_rrelu() as a module: slopes are drawn in training, fa_nn_rrelu(.lower = 0.125, .upper = 1.0 / 3) */
FA_API fa_module *fa_nn_rrelu(const fa_nn_rrelu_options *options);
#define fa_nn_rrelu(...) FA__CALL0(fa_nn_rrelu, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_nn_glu(). */
typedef struct fa_nn_glu_options {
    size_t size; /**< set by the macro */
    int64_t dim; /**< along which the input is halved */
    char fa__end;
} fa_nn_glu_options;
#define FA__DEFAULT_fa_nn_glu                                                                                          \
    {                                                                                                                  \
        offsetof(fa_nn_glu_options, fa__end), -1, 0                                                                    \
    }
/** fa_glu() as a module: fa_nn_glu(.dim = -1) */
FA_API fa_module *fa_nn_glu(const fa_nn_glu_options *options);
#define fa_nn_glu(...) FA__CALL0(fa_nn_glu, FA__OPTIONS(__VA_ARGS__))

/** fa_threshold() as a module.
 *  @param threshold what is above it stays
 *  @param value     what all else becomes */
FA_API fa_module *fa_nn_threshold(double threshold, double value);

/** fa_softmax() as a module: parts that add up to 1.
 *  @param dim along which; negative counts from the end */
FA_API fa_module *fa_nn_softmax(int64_t dim);

/** fa_log_softmax() as a module: their logarithms.
 *  @param dim along which; negative counts from the end */
FA_API fa_module *fa_nn_log_softmax(int64_t dim);

/** fa_softmin() as a module: the same of the negative.
 *  @param dim along which; negative counts from the end */
FA_API fa_module *fa_nn_softmin(int64_t dim);

/** Options of fa_nn_prelu(). */
typedef struct fa_nn_prelu_options {
    size_t size;            /**< set by the macro */
    int64_t num_parameters; /**< 1, or the number of channels */
    double init;            /**< what they begin as */
    fa_dtype dtype;         /**< of the parameters; FA_SAME: f32 */
    fa_device device;       /**< where they are made */
    char fa__end;
} fa_nn_prelu_options;
#define FA__DEFAULT_fa_nn_prelu                                                                                        \
    {                                                                                                                  \
        offsetof(fa_nn_prelu_options, fa__end), 1, 0.25, FA_SAME, {0, 0}, 0                                            \
    }
/** x where it is positive, "weight" (num_parameters) times x elsewhere: one slope, or one for each channel. See
 * fa_prelu().
 *
 *      fa_nn_prelu(.num_parameters = 1, .init = 0.25, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_prelu(const fa_nn_prelu_options *options);
#define fa_nn_prelu(...) FA__CALL0(fa_nn_prelu, FA__OPTIONS(__VA_ARGS__))

/** @} */

FA__END
#endif
