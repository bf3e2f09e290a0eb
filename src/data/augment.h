/* The operations of RandAugment and AutoAugment, on one image and on batches on a device. */
#ifndef FA__DATA_AUGMENT_H
#define FA__DATA_AUGMENT_H
#include "data/frame.h"

typedef enum fa__augmentation {
    FA__IDENTITY,
    FA__SHEAR_X,
    FA__SHEAR_Y,
    FA__TRANSLATE_X,
    FA__TRANSLATE_Y,
    FA__ROTATE,
    FA__BRIGHTNESS,
    FA__COLOR,
    FA__CONTRAST,
    FA__SHARPNESS,
    FA__POSTERIZE,
    FA__SOLARIZE,
    FA__AUTOCONTRAST,
    FA__EQUALIZE,
    FA__INVERT
} fa__augmentation;

/* An operation of strength 0 to 1; `sign` is 1, or -1 at random. */
typedef struct fa__augment_step {
    fa__augmentation operation;
    double part, sign;
    fa_interpolation interpolation;
} fa__augment_step;

/* The map of an operation up to FA__ROTATE, the factor of one up to FA__SHARPNESS, the bits and the threshold. */
fa__warp fa__step_warp(const fa__augment_step *s, int64_t height, int64_t width);
double fa__step_factor(const fa__augment_step *s);
int fa__step_bits(const fa__augment_step *s);
double fa__step_threshold(const fa__augment_step *s);

/* Applies `rounds` steps to each image of a batch on a device: those of image i begin at step[i * rounds]. */
fa_tensor *fa__images_augment(const fa__images *b, const fa__augment_step *step, int64_t rounds);
#endif
