/** @file
 *  Data: datasets give samples by number, loaders make batches of them.
 *
 *      fa_loader *loader = fa_data_loader(fa_data_digits(.train = true), .batch_size = 32, .shuffle = true);
 *      FA_EACH(batch, loader) {
 *          fa_tensor *logits = fa_forward(net, batch.input);
 *      }
 *
 *  Datasets and loaders belong to the innermost scope; a loader holds its dataset. A dataset's context has to outlive
 *  that scope: declare it before FA_SCOPE, or let `release` free it. One loader is for one thread at a time. */
#ifndef FACULA_DATA_H
#define FACULA_DATA_H
#include <facula/nn.h>
#include <facula/scope.h>
#include <facula/types.h>

FA__BEGIN

/* ---- datasets ---- */

enum { FA_MAX_EXTRA = 6 /**< the most tensors of a sample beside input and target */ };

/** The tensors of one sample; or of a batch, with a first dimension that counts samples. */
typedef struct fa_sample {
    fa_tensor *input;               /**< never NULL, but after an error */
    fa_tensor *target;              /**< NULL: the dataset has none */
    fa_tensor *extra[FA_MAX_EXTRA]; /**< what else belongs to a sample; the rest is NULL */
} fa_sample;

/** How a dataset of the program's own works. The functions run in a scope of the library's, without recording
 *  gradients, and hand out what they put into samples; they return false after fa_fail(). They are called by one thread
 *  at a time. Zeros stand for what is not there. */
typedef struct fa_dataset_type {
    const char *name;                                             /**< for messages; lives as long as the dataset */
    int64_t (*length)(void *context);                             /**< the number of samples; it does not change */
    bool (*get)(void *context, int64_t index, fa_sample *sample); /**< sample 0 to length - 1 */
    /** Many samples at once, where that is faster; NULL: get is called for each, and their tensors, which then all have
     *  one shape and dtype, are stacked. */
    bool (*batch)(void *context, const int64_t *index, int64_t count, fa_sample *batch);
    void (*release)(void *context); /**< called once when the last reference to the dataset goes; may be NULL */
} fa_dataset_type;

/** A dataset of the program's own.
 *  @param type    copied; it has a length, and get or batch
 *  @param context handed to its functions; released with the dataset, or at once after an error. What it points to
 *  has to outlive the scope that the dataset is made in, and every loader of it */
FA_API fa_dataset *fa_dataset_new(const fa_dataset_type *type, void *context);
/** The number of samples; -1 for NULL, and with an error when the dataset's function gives none. */
FA_API int64_t fa_dataset_length(const fa_dataset *dataset);
/** Sample number `index`, from 0. Its tensors belong to the scope; they may be the dataset's own, so do not change them
 * in place.
 *  @return all NULL and an error when there is none of that number (FA_ERROR_INDEX), or when the dataset's function
 *  failed: its code, or FA_ERROR_USER */
FA_API fa_sample fa_dataset_get(fa_dataset *dataset, int64_t index);
/** Several samples, stacked along a new first dimension of size `count`; `index` has as many numbers, in any order,
 *  which may repeat. The tensors are new, and belong to the scope.
 *  @return all NULL and an error as of fa_dataset_get(); FA_ERROR_SHAPE when samples differ in shape, dtype, device */
FA_API fa_sample fa_dataset_batch(fa_dataset *dataset, const int64_t *index, int64_t count);

FA_API fa_dataset *fa__data_tensors(fa_tensors tensors);
/** Samples that are the entries of tensors along their first dimension: fa_data_tensors(x, y). The first tensor is the
 *  input, the second the target, others extra; all are held, and have the same length. Of tensors on a device a batch
 * is made there: the numbers of its samples are copied to each device, counted as fa_tensor_from. */
#define fa_data_tensors(...) fa__data_tensors(FA_TENSORS(__VA_ARGS__))

/** Some samples of a dataset, which is held.
 *  @param dataset kept by the subset
 *  @param index   `count` numbers of samples, in any order; copied
 *  @param count   how many numbers index has, 0 or more
 *  @return NULL and an error: FA_ERROR_INDEX when there is no sample of such a number */
FA_API fa_dataset *fa_data_subset(fa_dataset *dataset, const int64_t *index, int64_t count);

/** Options of fa_data_digits(). */
typedef struct fa_data_digits_options {
    size_t size;  /**< set by the macro */
    bool train;   /**< the larger part; false: the fifth of each class that is held out */
    int64_t seed; /**< which fifth; the two parts of one seed have no sample in common */
    char fa__end;
} fa_data_digits_options;
#define FA__DEFAULT_fa_data_digits                                                                                     \
    {                                                                                                                  \
        offsetof(fa_data_digits_options, fa__end), true, 0, 0                                                          \
    }

/** Handwritten digits, part of the library: 1,797 images of 8 x 8 pixels (Alpaydin and Kaynak 1998, UCI Machine
 * Learning Repository, CC BY 4.0). Input: f32 (64), 0 to 1, row by row. Target: i64 (), 0 to 9.
 *
 *      fa_data_digits(.train = true, .seed = 0) */
FA_API fa_dataset *fa_data_digits(const fa_data_digits_options *options);
#define fa_data_digits(...) FA__CALL0(fa_data_digits, FA__OPTIONS(__VA_ARGS__))

/** Samples of a dataset whose inputs, as batches, go through a module: a transform of images.
 *  @param dataset   kept
 *  @param transform of a batch of inputs, kept; NULL: they stay as they are */
FA_API fa_dataset *fa_data_transformed(fa_dataset *dataset, fa_module *transform);

/** Two parts of a dataset. */
typedef struct fa_datasets {
    fa_dataset *first, *second; /**< NULL, both, after an error */
} fa_datasets;

/** Options of fa_data_split(). */
typedef struct fa_data_split_options {
    size_t size;  /**< set by the macro */
    int64_t seed; /**< of the order in which samples are dealt out; -1: the first part is the first samples */
    char fa__end;
} fa_data_split_options;
#define FA__DEFAULT_fa_data_split                                                                                      \
    {                                                                                                                  \
        offsetof(fa_data_split_options, fa__end), 0, 0                                                                 \
    }

/** Deals the samples of a dataset out to two parts, both of which hold it: each is in one of them.
 *
 *      fa_datasets parts = fa_data_split(whole, 0.8, .seed = 0);
 *
 *  @param dataset  which one
 *  @param fraction of the samples, 0 to 1, that go into the first part; their number is rounded
 *  @param options  what the macro makes of the named options; NULL for the defaults */
FA_API fa_datasets fa_data_split(fa_dataset *dataset, double fraction, const fa_data_split_options *options);
#define fa_data_split(...) FA__CALL2(fa_data_split, FA__SAME, FA__SAME, __VA_ARGS__)

/* ---- images in files ----
 *
 * Input: u8 (channels, height, width), unless the transform makes something else of it. Target: i64 (). A folder is the
 * one with the files, or the one above it. Files are read whole, and checked: magic numbers, sizes, labels; an error
 * names the file and the place in it. */

/** Options of fa_data_mnist(). */
typedef struct fa_data_mnist_options {
    size_t size;          /**< set by the macro */
    bool train;           /**< the 60,000 samples for training; false: the 10,000 others */
    fa_module *transform; /**< of the inputs, see @ref transform; NULL: none */
    char fa__end;
} fa_data_mnist_options;
#define FA__DEFAULT_fa_data_mnist                                                                                      \
    {                                                                                                                  \
        offsetof(fa_data_mnist_options, fa__end), true, NULL, 0                                                        \
    }

/** Handwritten digits (LeCun et al. 1998), or whatever else is in four files of its format (IDX) and names:
 *  "train-images-idx3-ubyte" and so on, plain or, with the plugin gzip, with ".gz". Images are (1, 28, 28) there.
 *
 *      fa_data_mnist("data/mnist", .train = true, .transform = NULL)
 *
 *  @param folder  which one
 *  @param options what the macro makes of the named options; NULL for the defaults */
FA_API fa_dataset *fa_data_mnist(const char *folder, const fa_data_mnist_options *options);
#define fa_data_mnist(...) FA__CALL1(fa_data_mnist, FA__SAME, __VA_ARGS__)

/** Options of fa_data_fashion_mnist(). */
typedef fa_data_mnist_options fa_data_fashion_mnist_options;
#define FA__DEFAULT_fa_data_fashion_mnist FA__DEFAULT_fa_data_mnist

/** Articles of clothing, in the format of MNIST (Xiao, Rasul and Vollgraf 2017).
 *
 *      fa_data_fashion_mnist("data", .train = true, .transform = NULL)
 *
 *  @param folder  NULL: where Debian's package dataset-fashion-mnist puts it
 *  @param options what the macro makes of the named options; NULL for the defaults */
FA_API fa_dataset *fa_data_fashion_mnist(const char *folder, const fa_data_fashion_mnist_options *options);
#define fa_data_fashion_mnist(...) FA__CALL1(fa_data_fashion_mnist, FA__SAME, __VA_ARGS__)

/** Options of fa_data_cifar10(). */
typedef fa_data_mnist_options fa_data_cifar10_options;
#define FA__DEFAULT_fa_data_cifar10 FA__DEFAULT_fa_data_mnist

/** Photographs of ten kinds of things, (3, 32, 32) (Krizhevsky 2009): the binary files data_batch_1.bin to 5 (those of
 *  them that are there), or test_batch.bin, of any whole number of records.
 *
 *      fa_data_cifar10("data", .train = true, .transform = NULL)
 *
 *  @param folder  which one
 *  @param options what the macro makes of the named options; NULL for the defaults */
FA_API fa_dataset *fa_data_cifar10(const char *folder, const fa_data_cifar10_options *options);
#define fa_data_cifar10(...) FA__CALL1(fa_data_cifar10, FA__SAME, __VA_ARGS__)

/** Options of fa_data_cifar100(). */
typedef struct fa_data_cifar100_options {
    size_t size;          /**< set by the macro */
    bool train;           /**< the larger part */
    fa_module *transform; /**< of the inputs, see @ref transform; NULL: none */
    bool coarse;          /**< labels are the 20 groups of kinds, not the 100 kinds */
    char fa__end;
} fa_data_cifar100_options;
#define FA__DEFAULT_fa_data_cifar100                                                                                   \
    {                                                                                                                  \
        offsetof(fa_data_cifar100_options, fa__end), true, NULL, false, 0                                              \
    }

/** Photographs of a hundred kinds of things, as fa_data_cifar10(): the files train.bin and test.bin.
 *
 *      fa_data_cifar100("data", .train = true, .transform = NULL, .coarse = false)
 *
 *  @param folder  which one
 *  @param options what the macro makes of the named options; NULL for the defaults */
FA_API fa_dataset *fa_data_cifar100(const char *folder, const fa_data_cifar100_options *options);
#define fa_data_cifar100(...) FA__CALL1(fa_data_cifar100, FA__SAME, __VA_ARGS__)

/* ---- loaders ---- */

/** Options of fa_data_loader(). */
typedef struct fa_data_loader_options {
    size_t size;        /**< set by the macro */
    int64_t batch_size; /**< samples in a batch: 1 or more; the last one may be smaller */
    bool shuffle;       /**< another order in each epoch */
    bool drop_last;     /**< leave a last batch out that would be smaller */
    int64_t seed;       /**< of the orders, 0 or more; -1: drawn from the default generator when the loader is made */
    fa_device device;   /**< where batches are handed out; by default where the dataset has them */
    char fa__end;
} fa_data_loader_options;
#define FA__DEFAULT_fa_data_loader                                                                                     \
    {                                                                                                                  \
        offsetof(fa_data_loader_options, fa__end), 1, false, false, -1, {0, 0}, 0                                      \
    }

/** Makes batches of a dataset: in every epoch each sample once, in order or shuffled.
 *
 *      fa_data_loader(dataset, .batch_size = 1, .shuffle = false, .drop_last = false, .seed = -1, .device)
 *
 *  @return NULL and an error, also when the device is not there */
FA_API fa_loader *fa_data_loader(fa_dataset *dataset, const fa_data_loader_options *options);
#define fa_data_loader(...) FA__CALL1(fa_data_loader, FA__SAME, __VA_ARGS__)

/** The number of batches of an epoch; -1 and an error for NULL. */
FA_API int64_t fa_loader_length(const fa_loader *loader);
/** The dataset; the loader goes on holding it, and the scope gets no reference. */
FA_API fa_dataset *fa_loader_dataset(const fa_loader *loader);

/** Where a loader stands. */
typedef struct fa_loader_place {
    uint64_t seed; /**< of its orders */
    int64_t epoch; /**< epochs that are over, or were left, before the one that this is in */
    int64_t batch; /**< of its batches, those that were handed out */
} fa_loader_place;

/** Where a loader stands: behind the batch that its last FA_EACH handed out. Zeros and an error for NULL.
 *
 *  An epoch that was left by `break` stands where it was left: a loader that is put to this place goes through the rest
 *  of it, where the next FA_EACH of the loader itself begins the next epoch. A program that leaves its epochs early,
 * and wants the next one of both, goes to it before it asks for the place or saves it:
 *
 *      fa_loader_place at = fa_loader_position(loader);
 *      if (at.batch)
 *          fa_loader_seek(loader, (fa_loader_place){at.seed, at.epoch + 1, 0}); */
FA_API fa_loader_place fa_loader_position(const fa_loader *loader);
/** Puts a loader to a `position` of one that was made in the same way: its next FA_EACH goes through the rest of that
 *  epoch, the one behind it through the next epoch. False and an error when there is no such batch. */
FA_API bool fa_loader_seek(fa_loader *loader, fa_loader_place position);

/** A turn of FA_EACH: its batch, which the turn's scope owns. */
typedef struct fa_batch {
    fa_tensor *input;               /**< (samples, ...) */
    fa_tensor *target;              /**< (samples, ...), or NULL */
    fa_tensor *extra[FA_MAX_EXTRA]; /**< the same, or NULL */
    int64_t index;                  /**< which batch of the epoch, from 0 */
    int64_t size;                   /**< how many samples */
    const int64_t *samples;         /**< their numbers in the dataset */
    struct fa__epoch *fa__epoch;
    fa__scope fa__turn;
} fa_batch;

FA_API fa_batch fa__each_open(fa_loader *loader, const char *where);
FA_API bool fa__each_next(fa_batch *batch);
FA_API void fa__each_close(fa_batch *batch);

/** A loop over the batches of an epoch, whose turns are memory scopes. It ends early while an error stands, and after
 *  fa_stop(). Loops over one loader may be nested: each is an epoch of its own. */
#define FA_EACH(batch, loader)                                                                                         \
    for (fa_batch batch FA__CLEANUP(fa__each_close) = fa__each_open(loader, FA__WHERE); fa__each_next(&batch);)

/** @defgroup transform Transforms: what images go through on their way from a dataset to a network. They are modules,
 of batches of images
 *  (samples, channels, height, width); one of the program's own is made by fa_nn_custom().
 *
 *      fa_transform *t = fa_transform_compose(
 *          fa_transform_random_crop(32, .padding = 4), fa_transform_random_horizontal_flip(),
 *          fa_transform_to_tensor(), fa_transform_normalize(FA_LIST(0.5, 0.5, 0.5), FA_LIST(0.5, 0.5, 0.5)));
 *      fa_dataset *train = fa_data_cifar10("data", .train = true, .transform = t);
 *
 *  Random ones draw from the default generator, for each sample anew, and are off in inference, see fa_module_train().

 *  @{ */

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

/** @} */

/** @defgroup image Images in files: PNG and JPEG (by the plugin image), and PGM and PPM.
 *
 *      fa_tensor *photo = fa_image_read("shirt.png", .channels = 1);
 *      fa_tensor *small = fa_image_resize(photo, FA_PAIR(28, 28));
 *
 *  What is in a file is found by its first bytes, not by its name.
 *  @{ */

/** Options of fa_image_read(). */
typedef struct fa_image_read_options {
    size_t size;      /**< set by the macro */
    int64_t channels; /**< 1: gray, 0.299 red + 0.587 green + 0.114 blue, rounded (ITU-R BT.601); 3: red, green, blue;
                           0: as many as the file has */
    char fa__end;
} fa_image_read_options;
#define FA__DEFAULT_fa_image_read                                                                                      \
    {                                                                                                                  \
        offsetof(fa_image_read_options, fa__end), 0, 0                                                                 \
    }

/** The image in a file: u8 (channels, height, width) on the CPU, of 1 or 3 channels. 16 bits a channel become 8, what
 * is transparent lies on white, and a PGM or PPM is scaled to 255 when it counts to another number.
 *
 *      fa_image_read("shirt.png", .channels = 0)
 *
 *  @param path    of the file
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return NULL and an error that names the file: FA_ERROR_FILE when it cannot be read, is damaged, of another format,
 *  or of more than 2^28 bytes, in the file or unpacked; FA_ERROR_UNAVAILABLE without the plugin */
FA_API fa_tensor *fa_image_read(const char *path, const fa_image_read_options *options);
#define fa_image_read(...) FA__CALL1(fa_image_read, FA__SAME, __VA_ARGS__)

/** An image of another size: each pixel is the mean of those that it covers, weighted by a triangle that is as wide as
 *  two pixels of the smaller of both images. As PyTorch's interpolate with mode "bilinear" and antialias. The host
 * waits for nothing, and gradients go through, but for those of u8.
 *
 *  @param image u8 or floating, (..., height, width), with at least one pixel
 *  @param size  the new height and width, each 1 or more: 28, or FA_PAIR(28, 20)
 *  @return of the dtype of `image`, where that is: u8 is rounded. NULL and an error for other dtypes and shapes */
FA_API fa_tensor *fa_image_resize(const fa_tensor *image, fa_pair size);

/** @} */

FA__END
#endif
