/** @file
 *  Tensors brought to a common shape, each a view: by broadcasting, and as coordinates of a grid.
 *
 *  Written by facula-rows from src/ops/grid.c: edit there. */
/* clang-format off */
#ifndef FACULA_GRID_H
#define FACULA_GRID_H
#include <facula/types.h>

FA__BEGIN

/** Each tensor with the shape that all of them broadcast to. Under automatic placement they may be on several devices,
 *  and are brought to one.
 *
 *      fa_broadcast_tensors(x)
 *
 *  @param x of shapes that broadcast
 *  @return tensors in an array that the scope owns; none after an error */
FA_API fa_tensors fa_broadcast_tensors(fa_tensors x);

/** Options of fa_meshgrid(). */
typedef struct fa_meshgrid_options {
    size_t size;          /**< set by the macro */
    const char *indexing; /**< "ij": the first is the first dimension; "xy": the second is, as in images */
    char fa__end;         /**< the end of what this version knows */
} fa_meshgrid_options;

/** For each axis the coordinate of every point of the grid that the axes span.
 *
 *      fa_meshgrid(x, .indexing = "ij")
 *
 *  @param x coordinates along each axis: (n) or (), of one dtype
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return tensors in an array that the scope owns; none after an error */
FA_API fa_tensors fa_meshgrid(fa_tensors x, const fa_meshgrid_options *options);

/** @cond */
/* How named options, and numbers in the place of tensors, reach the functions above. */
#define FA__DEFAULT_fa_meshgrid {offsetof(fa_meshgrid_options, fa__end), "ij", 0}
#define fa_meshgrid(...) FA__CALL1(fa_meshgrid, FA__SAME, __VA_ARGS__)
/** @endcond */

FA__END
#endif
