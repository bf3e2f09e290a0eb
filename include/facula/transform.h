/** @file
 *  Transforms of images: sizes, geometry, colors, and augmentation. Those of data.h (crops, flips, to_tensor,
 * normalize) are computed with them in any order:
 *
 *      fa_transform *train = fa_transform_compose(fa_transform_random_resized_crop(224),
 *                                                 fa_transform_random_horizontal_flip(), fa_transform_rand_augment(),
 *                                                 fa_transform_to_tensor());
 *
 *  All map batches (batch, channels, height, width) of u8, or of f32 from 0 to 1, to batches of the same dtype; u8 is
 *  rounded and limited to 0 to 255. Results are within 1/255 of torchvision.transforms.v2.functional. Random ones draw
 *  for each image separately (see fa_data_loader()), and return their input in inference mode, unless their comment
 *  says otherwise. Changes of colors are for images of 1 or 3 channels.
 *
 *  Images are transformed on the device that they are on, from the same random numbers and within 1/255 of the CPU's
 *  result. What each image has of its own, such as a box or an angle, is drawn by the host and copied to the device;
 *  nothing is copied back. Only where equalize or posterize, which have steps, follow other operations (in RandAugment
 * and AutoAugment), values just below a step may fall on the other side of it. */
#ifndef FACULA_TRANSFORM_H
#define FACULA_TRANSFORM_H
#include <facula/data.h>
#include <facula/types.h>

FA__BEGIN

/** @defgroup image_transform More image transforms
 *  @{ */

/** How pixels between those of an image are computed. */
typedef enum fa_interpolation {
    FA_NEAREST,  /**< the nearest pixel */
    FA_BILINEAR, /**< linear in both directions */
    FA_BICUBIC   /**< cubic in both directions (Keys 1981) */
} fa_interpolation;

/** Options of fa_transform_resize(). */
typedef struct fa_transform_resize_options {
    size_t size;                    /**< set by the macro */
    fa_interpolation interpolation; /**< how pixels are computed */
    bool antialias;                 /**< use all pixels where the image shrinks; not with FA_NEAREST */
    char fa__end;
} fa_transform_resize_options;
#define FA__DEFAULT_fa_transform_resize                                                                                \
    {                                                                                                                  \
        offsetof(fa_transform_resize_options, fa__end), FA_BILINEAR, true, 0                                           \
    }

/** Resizes images.
 *
 *      fa_transform_resize(256, .interpolation = FA_BILINEAR, .antialias = true)
 *
 *  @param size    FA_PAIR(height, width); or one number for the shorter side, the other one in proportion
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_transform *fa_transform_resize(fa_pair size, const fa_transform_resize_options *options);
#define fa_transform_resize(...)                                                                                       \
    FA__CALL1(fa_transform_resize, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Cuts out the center; smaller images are padded with 0.
 *  @param size height and width of the result */
FA_API fa_transform *fa_transform_center_crop(fa_pair size);

/** Options of fa_transform_random_resized_crop(). */
typedef struct fa_transform_random_resized_crop_options {
    size_t size;                    /**< set by the macro */
    fa_list scale;                  /**< least and largest fraction of the image's area; default: 0.08, 1 */
    fa_list ratio;                  /**< least and largest width / height; default: 3/4, 4/3 */
    fa_interpolation interpolation; /**< how pixels are computed */
    bool antialias;                 /**< use all pixels where the image shrinks; not with FA_NEAREST */
    char fa__end;
} fa_transform_random_resized_crop_options;
#define FA__DEFAULT_fa_transform_random_resized_crop                                                                   \
    {                                                                                                                  \
        offsetof(fa_transform_random_resized_crop_options, fa__end), {0, NULL}, {0, NULL}, FA_BILINEAR, true, 0        \
    }

/** Cuts out a part of random size, shape and position, and resizes it; in inference mode, the largest central part that
 *  has the shape of the result.
 *
 *      fa_transform_random_resized_crop(224, .scale = FA_LIST(0.08, 1), .ratio = FA_LIST(0.75, 1.33333),
 *          .interpolation = FA_BILINEAR, .antialias = true)
 *
 *  @param size    height and width of the result
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_transform *fa_transform_random_resized_crop(fa_pair size,
                                                      const fa_transform_random_resized_crop_options *options);
#define fa_transform_random_resized_crop(...)                                                                          \
    FA__CALL1(fa_transform_random_resized_crop, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_transform_pad(). */
typedef struct fa_transform_pad_options {
    size_t size; /**< set by the macro */
    double fill; /**< value of the padding, in units of the images: 0 to 255 for u8 */
    char fa__end;
} fa_transform_pad_options;
#define FA__DEFAULT_fa_transform_pad                                                                                   \
    {                                                                                                                  \
        offsetof(fa_transform_pad_options, fa__end), 0, 0                                                              \
    }

/** Pads images on all sides.
 *
 *      fa_transform_pad(4, .fill = 0)
 *
 *  @param padding rows above and below, and columns left and right
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_transform *fa_transform_pad(fa_pair padding, const fa_transform_pad_options *options);
#define fa_transform_pad(...) FA__CALL1(fa_transform_pad, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_transform_random_affine(). */
typedef struct fa_transform_random_affine_options {
    size_t size;       /**< set by the macro */
    fa_list translate; /**< largest shift as a fraction of width and height; default: none */
    fa_list scale;     /**< least and largest scale; default: 1, 1 */
    fa_list shear;     /**< largest shear in degrees along x, and along y if there are two; default: none */
    fa_interpolation interpolation; /**< FA_NEAREST or FA_BILINEAR */
    double fill;                    /**< value outside of the image, in units of the images: 0 to 255 for u8 */
    char fa__end;
} fa_transform_random_affine_options;
#define FA__DEFAULT_fa_transform_random_affine                                                                         \
    {                                                                                                                  \
        offsetof(fa_transform_random_affine_options, fa__end), {0, NULL}, {0, NULL}, {0, NULL}, FA_NEAREST, 0, 0       \
    }

/** Rotates, shifts, scales and shears images at random around their center.
 *
 *      fa_transform_random_affine(30, .translate = FA_LIST(0, 0), .scale = FA_LIST(1, 1), .shear = FA_LIST(0, 0),
 *          .interpolation = FA_NEAREST, .fill = 0)
 *
 *  @param degrees largest angle in either direction
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_transform *fa_transform_random_affine(double degrees, const fa_transform_random_affine_options *options);
#define fa_transform_random_affine(...)                                                                                \
    FA__CALL1(fa_transform_random_affine, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_transform_random_rotation(). */
typedef struct fa_transform_random_rotation_options {
    size_t size;                    /**< set by the macro */
    fa_interpolation interpolation; /**< FA_NEAREST or FA_BILINEAR */
    double fill;                    /**< value outside of the image, in units of the images: 0 to 255 for u8 */
    char fa__end;
} fa_transform_random_rotation_options;
#define FA__DEFAULT_fa_transform_random_rotation                                                                       \
    {                                                                                                                  \
        offsetof(fa_transform_random_rotation_options, fa__end), FA_NEAREST, 0, 0                                      \
    }

/** Rotates images by a random angle around their center.
 *
 *      fa_transform_random_rotation(15, .interpolation = FA_NEAREST, .fill = 0)
 *
 *  @param degrees largest angle in either direction
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_transform *fa_transform_random_rotation(double degrees, const fa_transform_random_rotation_options *options);
#define fa_transform_random_rotation(...)                                                                              \
    FA__CALL1(fa_transform_random_rotation, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_transform_random_perspective(). */
typedef struct fa_transform_random_perspective_options {
    size_t size;                    /**< set by the macro */
    double distortion;              /**< how far corners move at most, as a fraction of half the image: 0 to 1 */
    double p;                       /**< probability for each image, 0 to 1 */
    fa_interpolation interpolation; /**< FA_NEAREST or FA_BILINEAR */
    double fill;                    /**< value outside of the image, in units of the images: 0 to 255 for u8 */
    char fa__end;
} fa_transform_random_perspective_options;
#define FA__DEFAULT_fa_transform_random_perspective                                                                    \
    {                                                                                                                  \
        offsetof(fa_transform_random_perspective_options, fa__end), 0.5, 0.5, FA_BILINEAR, 0, 0                        \
    }

/** Shows images as if seen from another point: their four corners move inwards by random distances.
 *
 *      fa_transform_random_perspective(.distortion = 0.5, .p = 0.5, .interpolation = FA_BILINEAR, .fill = 0) */
FA_API fa_transform *fa_transform_random_perspective(const fa_transform_random_perspective_options *options);
#define fa_transform_random_perspective(...)                                                                           \
    FA__CALL0(fa_transform_random_perspective, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Options of fa_transform_color_jitter(). */
typedef struct fa_transform_color_jitter_options {
    size_t size;       /**< set by the macro */
    double brightness; /**< factors from 1 - brightness (at least 0) to 1 + brightness */
    double contrast;   /**< the same for the distance from the mean gray */
    double saturation; /**< the same for the distance from gray */
    double hue;        /**< from -hue to hue, in turns: 0 to 0.5 */
    char fa__end;
} fa_transform_color_jitter_options;
#define FA__DEFAULT_fa_transform_color_jitter                                                                          \
    {                                                                                                                  \
        offsetof(fa_transform_color_jitter_options, fa__end), 0, 0, 0, 0, 0                                            \
    }

/** Changes brightness, contrast, saturation and hue by random amounts, in random order.
 *
 *      fa_transform_color_jitter(.brightness = 0, .contrast = 0, .saturation = 0, .hue = 0) */
FA_API fa_transform *fa_transform_color_jitter(const fa_transform_color_jitter_options *options);
#define fa_transform_color_jitter(...)                                                                                 \
    FA__CALL0(fa_transform_color_jitter, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Makes images gray: 0.2989 red + 0.587 green + 0.114 blue in each channel. */
FA_API fa_transform *fa_transform_grayscale(void);

enum { FA_MAX_BLUR = 255 /**< largest size of the kernel of fa_transform_gaussian_blur() */ };

/** Options of fa_transform_gaussian_blur(). */
typedef struct fa_transform_gaussian_blur_options {
    size_t size;   /**< set by the macro */
    fa_list sigma; /**< least and largest standard deviation in pixels; default: 0.1, 2 */
    char fa__end;
} fa_transform_gaussian_blur_options;
#define FA__DEFAULT_fa_transform_gaussian_blur                                                                         \
    {                                                                                                                  \
        offsetof(fa_transform_gaussian_blur_options, fa__end), {0, NULL}, 0                                            \
    }

/** Blurs images by a Gaussian of random width; images are reflected at their edges.
 *
 *      fa_transform_gaussian_blur(5, .sigma = FA_LIST(0.1, 2))
 *
 *  @param kernel_size height and width of the kernel, odd, up to FA_MAX_BLUR; images must be larger than half of it
 *  @param options     the options shown above; NULL for the defaults */
FA_API fa_transform *fa_transform_gaussian_blur(fa_pair kernel_size, const fa_transform_gaussian_blur_options *options);
#define fa_transform_gaussian_blur(...)                                                                                \
    FA__CALL1(fa_transform_gaussian_blur, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_transform_random_erasing(). */
typedef struct fa_transform_random_erasing_options {
    size_t size;   /**< set by the macro */
    double p;      /**< probability for each image, 0 to 1 */
    fa_list scale; /**< least and largest fraction of the image's area; default: 0.02, 0.33 */
    fa_list ratio; /**< least and largest height / width; default: 0.3, 3.3 */
    double value;  /**< value of the rectangle, in units of the images: 0 to 255 for u8 */
    char fa__end;
} fa_transform_random_erasing_options;
#define FA__DEFAULT_fa_transform_random_erasing                                                                        \
    {                                                                                                                  \
        offsetof(fa_transform_random_erasing_options, fa__end), 0.5, {0, NULL}, {0, NULL}, 0, 0                        \
    }

/** Erases a random rectangle (Zhong et al. 2017).
 *
 *      fa_transform_random_erasing(.p = 0.5, .scale = FA_LIST(0.02, 0.33), .ratio = FA_LIST(0.3, 3.3), .value = 0) */
FA_API fa_transform *fa_transform_random_erasing(const fa_transform_random_erasing_options *options);
#define fa_transform_random_erasing(...)                                                                               \
    FA__CALL0(fa_transform_random_erasing, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Stretches each channel of an image, so that its least value becomes 0 and its largest 255 (u8) or 1. */
FA_API fa_transform *fa_transform_autocontrast(void);
/** Equalizes the histogram of each channel, of 256 levels. */
FA_API fa_transform *fa_transform_equalize(void);
/** Keeps the upper bits of each value. @param bits their number, 1 to 8 */
FA_API fa_transform *fa_transform_posterize(int64_t bits);
/** Inverts values from a threshold on. @param threshold a fraction of the largest value, 0 to 1: 0.5 stands for 127.5
 * of u8 */
FA_API fa_transform *fa_transform_solarize(double threshold);

/** Options of fa_transform_rand_augment(). */
typedef struct fa_transform_rand_augment_options {
    size_t size;                    /**< set by the macro */
    int64_t num_ops;                /**< number of operations for each image, 1 to 16 */
    int64_t magnitude;              /**< strength of all operations, 0 to num_magnitude_bins - 1 */
    int64_t num_magnitude_bins;     /**< number of strengths, at least 2 */
    fa_interpolation interpolation; /**< FA_NEAREST or FA_BILINEAR */
    char fa__end;
} fa_transform_rand_augment_options;
#define FA__DEFAULT_fa_transform_rand_augment                                                                          \
    {                                                                                                                  \
        offsetof(fa_transform_rand_augment_options, fa__end), 2, 9, 31, FA_NEAREST, 0                                  \
    }

/** RandAugment (Cubuk et al. 2019): operations chosen at random among identity, shear, translation, rotation,
 * brightness, color, contrast, sharpness, posterize, solarize, autocontrast and equalize, all with the same strength.
 *
 *      fa_transform_rand_augment(.num_ops = 2, .magnitude = 9, .num_magnitude_bins = 31, .interpolation = FA_NEAREST)
 */
FA_API fa_transform *fa_transform_rand_augment(const fa_transform_rand_augment_options *options);
#define fa_transform_rand_augment(...)                                                                                 \
    FA__CALL0(fa_transform_rand_augment, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Options of fa_transform_auto_augment(). */
typedef struct fa_transform_auto_augment_options {
    size_t size;                    /**< set by the macro */
    fa_interpolation interpolation; /**< FA_NEAREST or FA_BILINEAR */
    char fa__end;
} fa_transform_auto_augment_options;
#define FA__DEFAULT_fa_transform_auto_augment                                                                          \
    {                                                                                                                  \
        offsetof(fa_transform_auto_augment_options, fa__end), FA_NEAREST, 0                                            \
    }

/** AutoAugment (Cubuk et al. 2018) with the policy that was learned for CIFAR-10: one of 25 pairs of operations, each
 *  with a probability and strength of its own.
 *
 *      fa_transform_auto_augment(.interpolation = FA_NEAREST) */
FA_API fa_transform *fa_transform_auto_augment(const fa_transform_auto_augment_options *options);
#define fa_transform_auto_augment(...)                                                                                 \
    FA__CALL0(fa_transform_auto_augment, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Applies one of several transforms to each image, all with the same probability:
 *  fa_transform_random_choice(fa_nn_list(a, b, c)). They must not change shape or dtype.
 *  @param transforms the list, to which the result holds a reference */
FA_API fa_transform *fa_transform_random_choice(fa_module *transforms);
/** Applies a transform to each image with probability p. It must not change shape or dtype.
 *  @param transform the transform
 *  @param p         the probability, 0 to 1 */
FA_API fa_transform *fa_transform_random_apply(fa_transform *transform, double p);

/** The inputs and targets of a mixed batch. */
typedef struct fa_mixed {
    fa_tensor *input;  /**< like the input; NULL after an error */
    fa_tensor *target; /**< f32 (batch, classes): probabilities of the classes, as fa_cross_entropy() takes them */
} fa_mixed;

/** Options of fa_mixup(). */
typedef struct fa_mixup_options {
    size_t size;  /**< set by the macro */
    double alpha; /**< parameter of the distribution Beta(alpha, alpha) of the fraction of the first image, above 0 */
    char fa__end;
} fa_mixup_options;
#define FA__DEFAULT_fa_mixup                                                                                           \
    {                                                                                                                  \
        offsetof(fa_mixup_options, fa__end), 1, 0                                                                      \
    }

/** MixUp (Zhang et al. 2017): mixes each image and target of a batch with the one before it, all in the same random
 *  proportion, which is drawn from the current generator.
 *
 *      fa_mixed m = fa_mixup(batch.input, batch.target, 10, .alpha = 1);
 *      fa_tensor *loss = fa_cross_entropy(fa_forward(net, m.input), m.target);
 *
 *  @param input   f32 (batch, ...), on any device
 *  @param target  i64 (batch): the classes
 *  @param classes number of classes
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_mixed fa_mixup(const fa_tensor *input, const fa_tensor *target, int64_t classes,
                         const fa_mixup_options *options);
#define fa_mixup(...)                                                                                                  \
    FA__CALL3(fa_mixup, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_cutmix(). */
typedef fa_mixup_options fa_cutmix_options;
#define FA__DEFAULT_fa_cutmix FA__DEFAULT_fa_mixup

/** CutMix (Yun et al. 2019): replaces a random rectangle of each image by that of the image before it in the batch, the
 *  same rectangle in all, and mixes the targets in proportion to the areas.
 *
 *      fa_cutmix(batch.input, batch.target, 10, .alpha = 1)
 *
 *  @param input   images (batch, channels, height, width), on any device
 *  @param target  i64 (batch): the classes
 *  @param classes number of classes
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_mixed fa_cutmix(const fa_tensor *input, const fa_tensor *target, int64_t classes,
                          const fa_cutmix_options *options);
#define fa_cutmix(...)                                                                                                 \
    FA__CALL3(fa_cutmix, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)

/** @} */

FA__END
#endif
