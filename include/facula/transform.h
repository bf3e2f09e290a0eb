/** @file
 *  Transforms: what images go through on their way from a dataset to a network. They are modules, of batches of images
 *  (samples, channels, height, width); one of the program's own is made by fa_nn_custom().
 *
 *      fa_transform *t = fa_transform_compose(
 *          fa_transform_random_crop(32, .padding = 4), fa_transform_random_horizontal_flip(),
 *          fa_transform_to_tensor(), fa_transform_normalize(FA_LIST(0.5, 0.5, 0.5), FA_LIST(0.5, 0.5, 0.5)));
 *      fa_dataset *train = fa_data_cifar10("data", .train = true, .transform = t);
 *
 *  Random ones draw from the default generator, for each sample anew, and are off in inference, see fa_module_train().
 */
#ifndef FACULA_TRANSFORM_H
#define FACULA_TRANSFORM_H
#include <facula/nn.h>
#include <facula/types.h>

FA__BEGIN

/** A module that samples go through. */
typedef fa_module fa_transform;

/** One transform after the other: fa_transform_compose(a, b). */
#define fa_transform_compose fa_nn_sequential

/** Bytes from 0 to 255 become f32 from 0 to 1, by division by 255; other dtypes stay as they are. */
FA_API fa_transform *fa_transform_to_tensor(void);

/** (x - mean) / std for each channel, in the dtype of x, or f32 where x is of whole numbers.
 *  @param mean of each channel, or one for all
 *  @param std  as many, none of them 0; one that is 0 in the dtype of x is an FA_ERROR_ARGUMENT there */
FA_API fa_transform *fa_transform_normalize(fa_list mean, fa_list std);

/** Options of fa_transform_random_crop(). */
typedef struct fa_transform_random_crop_options {
    size_t size;     /**< set by the macro */
    fa_pair padding; /**< at each side, before it is cut */
    double fill;     /**< of the padding */
    char fa__end;
} fa_transform_random_crop_options;
#define FA__DEFAULT_fa_transform_random_crop                                                                           \
    {                                                                                                                  \
        offsetof(fa_transform_random_crop_options, fa__end), 0, 0, 0                                                   \
    }

/** A part of each image, at a place of its own; in inference, the part in the middle.
 *
 *      fa_transform_random_crop(32, .padding = 0, .fill = 0)
 *
 *  @param size    height and width of the part; images that are smaller are an error
 *  @param options what the macro makes of the named options; NULL for the defaults */
FA_API fa_transform *fa_transform_random_crop(fa_pair size, const fa_transform_random_crop_options *options);
#define fa_transform_random_crop(...) FA__CALL1(fa_transform_random_crop, FA__SAME, __VA_ARGS__)

/** Options of fa_transform_random_horizontal_flip(). */
typedef struct fa_transform_random_horizontal_flip_options {
    size_t size; /**< set by the macro */
    double p;    /**< the probability for an image: 0 to 1 */
    char fa__end;
} fa_transform_random_horizontal_flip_options;
#define FA__DEFAULT_fa_transform_random_horizontal_flip                                                                \
    {                                                                                                                  \
        offsetof(fa_transform_random_horizontal_flip_options, fa__end), 0.5, 0                                         \
    }

/** Some of the images with left and right changed about.
 *
 *      fa_transform_random_horizontal_flip(.p = 0.5) */
FA_API fa_transform *fa_transform_random_horizontal_flip(const fa_transform_random_horizontal_flip_options *options);
#define fa_transform_random_horizontal_flip(...)                                                                       \
    FA__CALL0(fa_transform_random_horizontal_flip, FA__OPTIONS(__VA_ARGS__))

/** Options of fa_transform_random_vertical_flip(). */
typedef struct fa_transform_random_vertical_flip_options {
    size_t size; /**< set by the macro */
    double p;    /**< the probability for an image: 0 to 1 */
    char fa__end;
} fa_transform_random_vertical_flip_options;
#define FA__DEFAULT_fa_transform_random_vertical_flip                                                                  \
    {                                                                                                                  \
        offsetof(fa_transform_random_vertical_flip_options, fa__end), 0.5, 0                                           \
    }

/** Some of the images upside down.
 *
 *      fa_transform_random_vertical_flip(.p = 0.5) */
FA_API fa_transform *fa_transform_random_vertical_flip(const fa_transform_random_vertical_flip_options *options);
#define fa_transform_random_vertical_flip(...) FA__CALL0(fa_transform_random_vertical_flip, FA__OPTIONS(__VA_ARGS__))

FA__END
#endif
