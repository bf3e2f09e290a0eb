/* Images as operands of matrix products (gemm_kind.h): what a convolution multiplies is packed from where it lies, and
 * never written out as a matrix. */
#ifndef FA__CPU_PATCHES_H
#define FA__CPU_PATCHES_H
#include "backend/convolution.h"
#include "backend/cpu/gemm_kind.h"

/* The matrix (taps x pixels) of the patches of an image, from a pixel on. */
typedef struct fa__cpu_patches {
    fa__gemm_source source;
    const void *data;
    fa__patches p;
    int64_t first; /* pixel */
    bool flat;     /* pixels have as many columns as the image with its padding: see fa__cpu_flatten */
} fa__cpu_patches;

/* An image as a matrix (pixels x channels), or (channels x pixels), from a pixel on. */
typedef struct fa__cpu_image {
    fa__gemm_source source; /* (pixels x channels) */
    fa__gemm_sink sink;     /* (channels x pixels) */
    void *data;
    int64_t pixels[2], stride[4]; /* of images, channels, rows, columns */
    int64_t first;                /* pixel */
    int64_t columns;              /* as pixels[1]; fewer: those behind are left out of the sink */
} fa__cpu_image;

void fa__cpu_patches_init(fa__cpu_patches *, const void *data, const fa__patches *, int64_t first);
void fa__cpu_image_init(fa__cpu_image *, void *data, const int64_t pixels[2], const int64_t stride[4], int64_t first);

/* Where that makes packing faster: more pixels than there are, so that the ones that a tap meets are neighbours in
 * memory over whole images. What is summed for those that are too many goes nowhere. rows: of the result. Returns how
 * many pixels there are then. */
int64_t fa__cpu_flatten(fa__cpu_patches *, fa__cpu_image *sink, int64_t rows);

/* Pixels that follow each other: of one image, and of one row unless rows join. */
typedef struct fa__cpu_strip {
    int64_t image, row, column, count;
} fa__cpu_strip;

/* The run that begins at a pixel, of at most `most` pixels; rows join where they may. */
fa__cpu_strip fa__cpu_run_from(const int64_t pixels[2], bool join, int64_t pixel, int64_t most);
#endif
