/** @file
 *  Pooling: the largest element or the mean of each window of planes, the last two dimensions of (n, c, h, w) or
 *  (c, h, w). Which elements a window has is in backend/pool.h. Gradients add up in the windows' order: the same bits
 *  on every device.
 *
 *  Written by facula-rows from src/ops/pooling.c: edit there. */
/* clang-format off */
#ifndef FACULA_POOLING_H
#define FACULA_POOLING_H
#include <facula/types.h>

FA__BEGIN

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

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
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
/** @endcond */

FA__END
#endif
