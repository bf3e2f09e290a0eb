/** @file
 *  Pooling of lines: (n, c, length) or (c, length), by what pools planes of one row.
 *
 *  Written by facula-rows from src/ops/pooling_lines.c: edit there. */
/* clang-format off */
#ifndef FACULA_POOLING_LINES_H
#define FACULA_POOLING_LINES_H
#include <facula/types.h>

FA__BEGIN

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

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
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
