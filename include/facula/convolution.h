/** @file
 *  Convolutions, of images and of lines, and their transposes. How they are summed is in backend/convolution.h.
 *
 *  Written by facula-rows from src/ops/convolution.c: edit there. */
/* clang-format off */
#ifndef FACULA_CONVOLUTION_H
#define FACULA_CONVOLUTION_H
#include <facula/types.h>

FA__BEGIN

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
/** @endcond */

FA__END
#endif
