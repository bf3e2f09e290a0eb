/* Operations on one image at a time, in floats, on the CPU. An operation finds its image in frame[0] and leaves its
 * result there; frame[1] is scratch memory of the same capacity, and may be swapped with it. Values are 0 to `bound`:
 * 255 for images of bytes, which are rounded at the end, and 1 for others. */
#ifndef FA__DATA_FRAME_H
#define FA__DATA_FRAME_H
#include <facula/transform.h>

typedef struct fa__frame {
    float *at; /* (channels, height, width) */
    int64_t channels, height, width;
    float bound;
    uint64_t *state; /* the image's stream of random numbers, in frame[0] before the first operation; NULL: none */
} fa__frame;

/* Transforms the image in frame[0]. */
typedef void fa__frame_function(const void *data, fa__frame frame[2]);

/* A frame for an image of this size, otherwise like another one. */
static inline fa__frame fa__frame_of(float *at, const fa__frame *like, int64_t height, int64_t width)
{
    return (fa__frame){at, like->channels, height, width, like->bound, NULL};
}

/* Images on a device. */
typedef struct fa__images {
    fa_tensor *x; /* (count, channels, height, width) f32 */
    int64_t count, channels, height, width;
    float bound;
    uint64_t *state; /* `count` streams of random numbers; NULL: none */
} fa__images;

/* Does the same as an fa__frame_function for all images of a batch, by operations of their device, from the same random
 * numbers. Values that are not whole, or beyond the bounds, are rounded and limited behind it. NULL after an error. */
typedef fa_tensor *fa__images_function(const void *data, const fa__images *b);

/* Applies a function to each image of a batch. The result is a batch of images of height x width, of the same dtype, on
 * the same device. `draws`: random numbers are needed: state is not NULL. `there` is the function for images that are
 * not on the CPU. NULL and an error for other batches than u8 and f32 of images. */
fa_tensor *fa__frames_map(const fa_module *self, fa_tensor *x, int64_t height, int64_t width, bool draws,
                          fa__frame_function *function, fa__images_function *there);

/* Reads an option of two numbers, the smaller one first; nothing if the list is empty. False and an error if they are
 * not from least to most. */
bool fa__range_read(const char *kind, const char *name, fa_list list, double least, double most, double range[2]);

/* ---- geometry ---- */

/* Part of an image, resized. */
typedef struct fa__box {
    int64_t top, left, height, width;
} fa__box;

void fa__frame_crop(fa__frame frame[2], fa__box box, float fill); /* beyond the edges: fill */
void fa__frame_resize(fa__frame frame[2], int64_t height, int64_t width, fa_interpolation how, bool antialias);

/* Source coordinates from those of the result, both in pixels from the image's center:
 * x' = (m[0] x + m[1] y + m[2]) / (m[6] x + m[7] y + 1), and y' with m[3], m[4], m[5] and the same denominator. */
typedef struct fa__warp {
    double m[8];
} fa__warp;

/* The inverse of: shear, rotate clockwise and scale around `center`, and translate; angles in degrees. */
fa__warp fa__warp_of(double angle, const double translate[2], double scale, const double shear[2],
                     const double center[2]);
/* The map that shows at corner `to` what was at corner `from`: upper left, upper right, lower right and lower left
 * (x and y of each), in pixels from the upper left corner of the first pixel of an image of this size. */
fa__warp fa__warp_of_corners(const double from[8], const double to[8], int64_t height, int64_t width);
/* Where the pixel in row i and column k of the result was: column *u, row *v. False: far outside of the image. */
bool fa__warp_source(const fa__warp *w, int64_t k, int64_t i, int64_t height, int64_t width, double *u, double *v);
void fa__frame_warp(fa__frame frame[2], const fa__warp *w, fa_interpolation how, float fill);

/* The pixels that a result in a line is made of: `count` from `first` on, with weights of sum 1. */
typedef struct fa__taps {
    int64_t first, count;
    float *weight;
} fa__taps;

/* The taps of all results of a line, in one block of memory, for free(); NULL and an error if memory ran out. `bytes`:
 * with the weights that images of bytes have. */
fa__taps *fa__taps_of(int64_t in, int64_t out, fa_interpolation how, bool antialias, bool bytes);

/* ---- the same on a device ---- */

/* Numbers of the images, `each` of every one: number k of all of them is fa__number_of(t, k), (count, 1, 1, 1). */
fa_tensor *fa__numbers_of(const fa__images *b, const double *item, int64_t each);
fa_tensor *fa__number_of(const fa_tensor *t, int64_t k);
/* Resizes the part box[i] of image i, or box[0] of all of them. */
fa_tensor *fa__images_resize(const fa__images *b, const fa__box *box, int64_t boxes, const int64_t to[2],
                             fa_interpolation how, bool antialias);
fa_tensor *fa__images_crop(const fa__images *b, fa__box box, double fill);
/* Image i is mapped by w[i]. */
fa_tensor *fa__images_warp(const fa__images *b, const fa__warp *w, fa_interpolation how, double fill);
/* A factor, or a turn, for each image; `wanted` (bool) says for which. */
fa_tensor *fa__images_brightness(const fa__images *b, fa_tensor *factor, fa_tensor *wanted);
fa_tensor *fa__images_contrast(const fa__images *b, fa_tensor *factor, fa_tensor *wanted);
fa_tensor *fa__images_saturation(const fa__images *b, fa_tensor *factor, fa_tensor *wanted);
fa_tensor *fa__images_hue(const fa__images *b, fa_tensor *turn, fa_tensor *wanted);
fa_tensor *fa__images_grayscale(const fa__images *b);
fa_tensor *fa__images_sharpness(const fa__images *b, fa_tensor *factor);
fa_tensor *fa__images_autocontrast(const fa__images *b);
fa_tensor *fa__images_equalize(const fa__images *b);
fa_tensor *fa__images_posterize(const fa__images *b, int bits);
fa_tensor *fa__images_solarize(const fa__images *b, double threshold);
/* Image i is blurred with sigma[i]. */
fa_tensor *fa__images_blur(const fa__images *b, const int64_t kernel[2], const double *sigma);
/* Fills the part box[i] of image i. */
fa_tensor *fa__images_fill(const fa__images *b, const fa__box *box, double value);

/* ---- colors ---- */

void fa__frame_brightness(fa__frame *f, double factor);
void fa__frame_contrast(fa__frame *f, double factor);
void fa__frame_saturation(fa__frame *f, double factor);
void fa__frame_hue(fa__frame *f, double turn);
void fa__frame_grayscale(fa__frame *f);
void fa__frame_sharpness(fa__frame frame[2], double factor);
void fa__gaussian(float *weight, int64_t size, double sigma);
void fa__frame_blur(fa__frame frame[2], const int64_t kernel[2], double sigma);
void fa__frame_autocontrast(fa__frame *f);
void fa__frame_equalize(fa__frame *f);
void fa__frame_posterize(fa__frame *f, int bits);
void fa__frame_solarize(fa__frame *f, double threshold); /* a fraction of bound */

/* ---- helpers ---- */

static inline float *fa__frame_row(const fa__frame *f, int64_t channel, int64_t row)
{
    return f->at + (channel * f->height + row) * f->width;
}

static inline int64_t fa__frame_count(const fa__frame *f)
{
    return f->channels * f->height * f->width;
}

static inline void fa__frames_swap(fa__frame frame[2])
{
    fa__frame first = frame[0];
    frame[0] = frame[1];
    frame[1] = first;
}
#endif
