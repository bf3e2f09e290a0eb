/** @file
 *  Datasets, which provide samples by index; loaders, which combine them into batches; image transforms and image
 *  files.
 *
 *      fa_loader *loader = fa_data_loader(fa_data_digits(.train = true), .batch_size = 32, .shuffle = true);
 *      FA_EACH(batch, loader) {
 *          fa_tensor *logits = fa_forward(net, batch.input);
 *      }
 *
 *  Datasets and loaders belong to the innermost scope; a loader holds a reference to its dataset. The context of a
 *  user-defined dataset must outlive that scope: declare it before FA_SCOPE, or free it in `release`. A loader must
 *  not be used by several threads at the same time. Its worker threads (fa_data_loader_options.workers) prepare batches
 *  ahead of the loop; the batches are the same for any number of them. */
#ifndef FACULA_DATA_H
#define FACULA_DATA_H
#include <facula/nn.h>
#include <facula/sampler.h>
#include <facula/scope.h>
#include <facula/types.h>

FA__BEGIN

/** @defgroup data Datasets
 *  @{ */

enum { FA_MAX_EXTRA = 6 /**< maximum number of tensors of a sample besides input and target */ };

/** The tensors of one sample, or of a batch, whose first dimension is the batch dimension. */
typedef struct fa_sample {
    fa_tensor *input;               /**< not NULL, except after an error */
    fa_tensor *target;              /**< NULL if the dataset has no targets */
    fa_tensor *extra[FA_MAX_EXTRA]; /**< further tensors of the sample; unused entries are NULL */
} fa_sample;

/** The callbacks of a user-defined dataset. They run in a scope of their own, without recording gradients, and the
 *  tensors they store in samples leave that scope. They return false after fa_fail(). The workers of a loader call them
 *  from several threads at the same time, unless there is at most one worker; the loop may be one of these threads. In
 * a loader, random numbers that `get` draws by the library's operations depend on the sample alone, and those of
 * `batch` on the batch, see fa_data_loader(). Callbacks that are not needed are NULL. */
typedef struct fa_dataset_type {
    const char *name;                 /**< name for messages; must live as long as the dataset */
    int64_t (*length)(void *context); /**< returns the number of samples, which must not change */
    bool (*get)(void *context, int64_t index, fa_sample *sample); /**< gets the sample `index`, from 0 to length - 1 */
    /** Gets many samples at once, for datasets that can do this faster. NULL: `get` is called for each sample, and
     *  the tensors are stacked; they must have the same shape and dtype. */
    bool (*batch)(void *context, const int64_t *index, int64_t count, fa_sample *batch);
    void (*release)(void *context); /**< called once when the last reference to the dataset is dropped; may be NULL */
} fa_dataset_type;

/** Creates a user-defined dataset.
 *  @param type    the callbacks: length, and get or batch; the struct is copied
 *  @param context passed to the callbacks; released with the dataset, or at once after an error. It must outlive the
 *  scope in which the dataset is created and all loaders of the dataset */
FA_API fa_dataset *fa_dataset_new(const fa_dataset_type *type, void *context);
/** The number of samples; INT64_MAX for a stream, whose length is not known (fa_dataset_stream()). -1 for NULL; -1 and
 *  an error if the `length` callback failed. */
FA_API int64_t fa_dataset_length(const fa_dataset *dataset);
/** Returns the sample `index`, from 0. Its tensors belong to the current scope. They may be the dataset's own
 *  tensors: do not modify them in place.
 *  @return the sample. On failure its tensors are NULL, and the error is FA_ERROR_INDEX if there is no such sample,
 *  or that of the dataset's callback (FA_ERROR_USER if it set none) */
FA_API fa_sample fa_dataset_get(fa_dataset *dataset, int64_t index);
/** Returns `count` samples stacked along a new first dimension. `index` has count numbers of samples, in any order
 *  and possibly repeated. The tensors are new and belong to the current scope.
 *  @return the batch. On failure its tensors are NULL, and the error is as for fa_dataset_get(), or FA_ERROR_SHAPE if
 *  samples differ in shape, dtype or device */
FA_API fa_sample fa_dataset_batch(fa_dataset *dataset, const int64_t *index, int64_t count);

FA_API fa_dataset *fa__data_tensors(fa_tensors tensors);
/** Creates a dataset of tensors whose first dimension is the sample index: fa_data_tensors(x, y). The first tensor is
 *  the input, the second the target, others are extra; the dataset holds references to them. Their first dimensions
 *  must be equal. If they are on a device, batches are made there; the sample numbers are copied to the device, and
 *  these copies are counted under fa_tensor_from. */
#define fa_data_tensors(...) FA__CALLED(fa__data_tensors(FA_TENSORS(__VA_ARGS__)))

/** Creates a dataset of some samples of another one.
 *  @param dataset the dataset, to which the subset holds a reference
 *  @param index   `count` numbers of samples, in any order; copied
 *  @param count   number of samples, 0 or more
 *  @return the subset; NULL and an error: FA_ERROR_INDEX if there is no sample with one of these numbers */
FA_API fa_dataset *fa_data_subset(fa_dataset *dataset, const int64_t *index, int64_t count);

/** Options of fa_data_digits(). */
typedef struct fa_data_digits_options {
    size_t size;          /**< set by the macro */
    bool train;           /**< true: the training set; false: the test set, a fifth of each class */
    int64_t seed;         /**< selects which fifth; training and test set of the same seed are disjoint */
    fa_module *transform; /**< transform of the inputs, see @ref transform; NULL: none. Those of images need a channel:
                             fa_nn_unflatten(1, FA_SHAPE(1, 8, 8)) comes before them */
    char fa__end;
} fa_data_digits_options;
#define FA__DEFAULT_fa_data_digits                                                                                     \
    {                                                                                                                  \
        offsetof(fa_data_digits_options, fa__end), true, 0, NULL, 0                                                    \
    }

/** Handwritten digits, built into the library: 1,797 images of 8 x 8 pixels (Alpaydin and Kaynak 1998, UCI Machine
 *  Learning Repository, CC BY 4.0). Input: f32 (64), from 0 to 1, row-major. Target: i64 (), from 0 to 9.
 *
 *      fa_data_digits(.train = true, .seed = 0, .transform = NULL) */
FA_API fa_dataset *fa_data_digits(const fa_data_digits_options *options);
#define fa_data_digits(...) FA__CALL0(fa_data_digits, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Creates a dataset whose inputs are transformed by a module, batch by batch.
 *  @param dataset   the dataset, to which the result holds a reference
 *  @param transform a module that maps a batch of inputs, to which the result holds a reference; NULL: no transform */
FA_API fa_dataset *fa_data_transformed(fa_dataset *dataset, fa_module *transform);

/** The two parts of a split dataset. */
typedef struct fa_datasets {
    fa_dataset *first, *second; /**< both are NULL after an error */
} fa_datasets;

/** Options of fa_data_split(). */
typedef struct fa_data_split_options {
    size_t size;  /**< set by the macro */
    int64_t seed; /**< seed of the random assignment; -1: the first samples form the first part */
    char fa__end;
} fa_data_split_options;
#define FA__DEFAULT_fa_data_split                                                                                      \
    {                                                                                                                  \
        offsetof(fa_data_split_options, fa__end), 0, 0                                                                 \
    }

/** Splits a dataset into two disjoint parts, which hold references to it.
 *
 *      fa_datasets parts = fa_data_split(whole, 0.8, .seed = 0);   a fraction
 *      fa_datasets parts = fa_data_split(whole, 50000);            a count
 *
 *  @param dataset the dataset
 *  @param first   the size of the first part; the second has all other samples. A floating-point number is a fraction
 * of the samples, 0 to 1, whose number is rounded; an integer is a count of samples, from 1 to all of them. An integer
 * 0, as 4 / 5 gives it, is an error
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_datasets fa_data_split(fa_dataset *dataset, fa_arg first, const fa_data_split_options *options);
#define fa_data_split(...)                                                                                             \
    FA__CALL2(fa_data_split, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__ARG, __VA_ARGS__)

/** @} */

/** @defgroup image_datasets Image datasets in files
 *
 *  Input: u8 (channels, height, width), unless a transform changes it. Target: i64 (). The folder argument is the
 *  folder with the files or its parent. Files are read completely and checked: magic numbers, sizes, labels. An error
 *  names the file and the position in it.
 *  @{ */

/** Options of fa_data_mnist(). */
typedef struct fa_data_mnist_options {
    size_t size;          /**< set by the macro */
    bool train;           /**< true: the training samples; false: the test samples */
    fa_module *transform; /**< transform of the inputs, see @ref transform; NULL: none */
    bool download;        /**< download files that are missing, see fa_data_download() */
    char fa__end;
} fa_data_mnist_options;
#define FA__DEFAULT_fa_data_mnist                                                                                      \
    {                                                                                                                  \
        offsetof(fa_data_mnist_options, fa__end), true, NULL, false, 0                                                 \
    }

/** MNIST: handwritten digits (LeCun et al. 1998), images of (1, 28, 28). Reads the IDX files
 *  "train-images-idx3-ubyte" and so on, uncompressed, or with ".gz" if the plugin gzip is available. Other datasets
 *  with these file names can be read too.
 *
 *      fa_data_mnist("data/mnist", .train = true, .transform = NULL, .download = false)
 *
 *  @param folder  the folder
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_dataset *fa_data_mnist(const char *folder, const fa_data_mnist_options *options);
#define fa_data_mnist(...) FA__CALL1(fa_data_mnist, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_data_fashion_mnist(). */
typedef fa_data_mnist_options fa_data_fashion_mnist_options;
#define FA__DEFAULT_fa_data_fashion_mnist FA__DEFAULT_fa_data_mnist

/** Fashion-MNIST: clothes, in the format of MNIST (Xiao, Rasul and Vollgraf 2017).
 *
 *      fa_data_fashion_mnist("data", .train = true, .transform = NULL, .download = false)
 *
 *  @param folder  the folder; NULL: that of Debian's package dataset-fashion-mnist
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_dataset *fa_data_fashion_mnist(const char *folder, const fa_data_fashion_mnist_options *options);
#define fa_data_fashion_mnist(...)                                                                                     \
    FA__CALL1(fa_data_fashion_mnist, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_data_kmnist(). */
typedef fa_data_mnist_options fa_data_kmnist_options;
#define FA__DEFAULT_fa_data_kmnist FA__DEFAULT_fa_data_mnist

/** Kuzushiji-MNIST: characters of old Japanese books in 10 classes, in the format of MNIST (Clanuwat et al. 2018).
 *
 *      fa_data_kmnist("data", .train = true, .transform = NULL, .download = false)
 *
 *  @param folder  the folder
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_dataset *fa_data_kmnist(const char *folder, const fa_data_kmnist_options *options);
#define fa_data_kmnist(...) FA__CALL1(fa_data_kmnist, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_data_emnist(). */
typedef struct fa_data_emnist_options {
    size_t size;          /**< set by the macro */
    bool train;           /**< true: the training set; false: the test set */
    fa_module *transform; /**< transform of the inputs, see @ref transform; NULL: none */
    bool download;        /**< download the archive of all splits (560 MB) if a file is missing, see fa_data_get() */
    char fa__end;
} fa_data_emnist_options;
#define FA__DEFAULT_fa_data_emnist                                                                                     \
    {                                                                                                                  \
        offsetof(fa_data_emnist_options, fa__end), true, NULL, false, 0                                                \
    }

/** EMNIST: handwritten letters and digits, images of (1, 28, 28) (Cohen et al. 2017). Reads the IDX files
 *  "emnist-letters-train-images-idx3-ubyte" and so on, as those of MNIST. The images are turned upright: in the files,
 *  rows are columns. Labels are those of the files: those of "letters" are 1 to 26.
 *
 *      fa_data_emnist("data", "letters", .train = true, .transform = NULL, .download = false)
 *
 *  @param folder  the folder
 *  @param split   "balanced", "byclass", "bymerge", "digits", "letters" or "mnist"
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_dataset *fa_data_emnist(const char *folder, const char *split, const fa_data_emnist_options *options);
#define fa_data_emnist(...)                                                                                            \
    FA__CALL2(fa_data_emnist, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_data_cifar10(). */
typedef fa_data_mnist_options fa_data_cifar10_options;
#define FA__DEFAULT_fa_data_cifar10 FA__DEFAULT_fa_data_mnist

/** CIFAR-10: color photographs of (3, 32, 32) in 10 classes (Krizhevsky 2009). Reads the binary files
 *  data_batch_1.bin to data_batch_5.bin, as many as exist, or test_batch.bin. A file may have any number of records.
 *  They may also be in an archive: cifar-10-binary.tar.gz in the folder, or `folder` may name a .tar or .tar.gz file.
 *  If there are none, Python's files are read, data_batch_1 to data_batch_5 and test_batch, from the folder or from
 *  cifar-10-python.tar.gz. They are pickled; only what such files have is understood, and nothing in them is executed.
 *
 *      fa_data_cifar10("data", .train = true, .transform = NULL, .download = false)
 *
 *  @param folder  the folder
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_dataset *fa_data_cifar10(const char *folder, const fa_data_cifar10_options *options);
#define fa_data_cifar10(...) FA__CALL1(fa_data_cifar10, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_data_cifar100(). */
typedef struct fa_data_cifar100_options {
    size_t size;          /**< set by the macro */
    bool train;           /**< true: the training set; false: the test set */
    fa_module *transform; /**< transform of the inputs, see @ref transform; NULL: none */
    bool coarse;          /**< use the 20 coarse labels instead of the 100 fine ones */
    bool download;        /**< download files that are missing, see fa_data_download() */
    char fa__end;
} fa_data_cifar100_options;
#define FA__DEFAULT_fa_data_cifar100                                                                                   \
    {                                                                                                                  \
        offsetof(fa_data_cifar100_options, fa__end), true, NULL, false, false, 0                                       \
    }

/** CIFAR-100: color photographs in 100 classes, in the files train.bin and test.bin, or in
 *  cifar-100-binary.tar.gz, or in Python's files train and test, or in cifar-100-python.tar.gz; otherwise like
 *  fa_data_cifar10().
 *
 *      fa_data_cifar100("data", .train = true, .transform = NULL, .coarse = false, .download = false)
 *
 *  @param folder  the folder
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_dataset *fa_data_cifar100(const char *folder, const fa_data_cifar100_options *options);
#define fa_data_cifar100(...) FA__CALL1(fa_data_cifar100, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** @} */

/** @defgroup loader Loaders
 *  @{ */

/** Options of fa_data_loader(). */
typedef struct fa_data_loader_options {
    size_t size;         /**< set by the macro */
    int64_t batch_size;  /**< samples in a batch, at least 1; the last batch may be smaller */
    bool shuffle;        /**< use a new random order in each epoch */
    fa_sampler *sampler; /**< chooses the samples of an epoch and their order, see @ref sampler; NULL: all, in order or
                            shuffled. Not together with `shuffle` */
    bool drop_last;      /**< omit a last batch that would be smaller */
    int64_t seed;     /**< seed of the orders and of random transforms, at least 0; -1: from the current generator when
                         the loader is created, which goes on by one number if `shuffle` is set */
    fa_device device; /**< device of the batches; by default, that of the dataset */
    int64_t workers;  /**< threads that prepare batches, 0 to 256; 0: the thread of the loop prepares each one when it
                         is needed */
    int64_t prefetch; /**< batches that each worker prepares ahead, 1 to 1024; 0: from 2 to 32, as many as fit into 16
                         MiB for all workers. An idle one begins again when as many are taken, or half of all */
    bool skip_bad_samples; /**< leave samples that cannot be read out of their batches, which are then smaller or do not
                              come, and count them (fa_loader_report()); an epoch without a good sample is an error.
                              false: they are errors */
    double timeout;        /**< seconds to wait for a batch of the workers before it is an error; 0: no limit */
    char fa__end;
} fa_data_loader_options;
#define FA__DEVICE_fa_data_loader ,
#define FA__DEFAULT_fa_data_loader                                                                                     \
    {                                                                                                                  \
        offsetof(fa_data_loader_options, fa__end), 1, false, NULL, false, -1, {0, 0}, 0, 0, false, 0, 0                \
    }

/** Creates a loader, which goes through a dataset in batches: each epoch has every sample once, in order or shuffled,
 *  or the samples that a sampler chooses.
 *
 *      fa_data_loader(dataset, .batch_size = 1, .shuffle = false, .sampler = NULL, .drop_last = false,
 *          .seed = -1, .device, .workers = 0, .prefetch = 0, .skip_bad_samples = false, .timeout = 0)
 *
 *  A batch depends only on the seed, the epoch and its number in the epoch. The random numbers of a sample, for the
 *  library's random transforms and for a dataset's `get`, depend only on the seed, the epoch and the index of the
 * sample (with samplers that can return a sample more than once, also on its position in the epoch). Orders and
 * augmentation are therefore the same for any number of workers, and for a loader that continues from a saved position;
 *  augmentation also for any batch size. Other random operations, in a dataset's `batch` or a module of the program's
 *  own, draw from a generator of the batch.
 *
 *  Workers are threads that start with the first FA_EACH and end with the loader, which waits for the calls of the
 *  dataset that are in progress. They continue across epochs: at the end of one, the first batches of the next are
 *  prepared. They use the settings that were in force when the loader was created, and no further threads. With
 *  `.device`, they copy batches to the device on a stream of the loader's, so that the copy overlaps the training step.
 *  With two workers or more, the loop prepares the batch that it asks for itself where none of them has begun it; not
 *  that of a stream, and not with a `.timeout`.
 *  Until the loader ends, the transform must not be changed. An error in a worker is an error of the FA_EACH that
 *  would have returned the batch. In a child process after fork(), the loop prepares the batches itself.
 *
 *  @return the loader; NULL and an error on failure, also if the device is not available */
FA_API fa_loader *fa_data_loader(fa_dataset *dataset, const fa_data_loader_options *options);
#define fa_data_loader(...) FA__CALL1(fa_data_loader, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** The number of batches in an epoch; INT64_MAX for a stream. -1 and an error for NULL. */
FA_API int64_t fa_loader_length(const fa_loader *loader);
/** The dataset of a loader. The caller gets no reference. */
FA_API fa_dataset *fa_loader_dataset(const fa_loader *loader);

/** A position in the sequence of batches of a loader. */
typedef struct fa_loader_place {
    uint64_t seed; /**< seed of the orders and of random transforms */
    int64_t epoch; /**< number of epochs before the current one, complete or not */
    int64_t batch; /**< number of batches of the current epoch that FA_EACH has returned */
} fa_loader_place;

/** The position of a loader: after the last batch that FA_EACH returned. Zeros and an error for NULL. The next epoch
 *  begins when FA_EACH ends: within its last turn, `batch` is the number of all batches, so that a program which is
 *  resumed from there does what follows the loop (a step of a schedule, say), after no more turns.
 *
 *  After a `break`, the position is within the epoch. A loader that is set to this position by fa_loader_seek()
 *  continues that epoch, whereas the next FA_EACH of the same loader starts a new epoch. A program that leaves epochs
 *  early, and always wants to continue with the next one, should advance the position before it reads or saves it:
 *
 *      fa_loader_place at = fa_loader_position(loader);
 *      if (at.batch)
 *          fa_loader_seek(loader, (fa_loader_place){at.seed, at.epoch + 1, 0}); */
FA_API fa_loader_place fa_loader_position(const fa_loader *loader);
/** Sets a loader to a `position`, taken from a loader with the same dataset and options. The next FA_EACH runs
 *  through the rest of that epoch, and the one after it through the next epoch; the batches are bit-identical to those
 *  of the other loader, for any number of workers. False and an error if the epoch has fewer batches. */
FA_API bool fa_loader_seek(fa_loader *loader, fa_loader_place position);

/** Where the time of a loader went, in seconds since it was created. All but `waiting` are summed over its workers; a
 *  worker that has no CPU of its own counts the time in which it did not run, too. */
typedef struct fa_loader_times {
    int64_t batches;     /**< number of batches that FA_EACH returned */
    double waiting;      /**< time in which the loop waited for batches, or prepared them itself */
    double reading;      /**< time in which the dataset made batches, without transforms */
    double transforming; /**< time in transforms */
    double copying;      /**< time in which copies to the device were issued */
    int64_t skipped;     /**< samples that were left out because they could not be read, see skip_bad_samples */
} fa_loader_times;

/** Where the time of a loader went. Zeros and an error for NULL.
 *
 *      fa_loader_times t = fa_loader_report(loader);
 *      printf("%.1f%% of the epoch was waiting for data\n", 100 * t.waiting / seconds); */
FA_API fa_loader_times fa_loader_report(const fa_loader *loader);

/** The loop variable of FA_EACH: a batch. Its tensors belong to the scope of the iteration. */
typedef struct fa_batch {
    fa_tensor *input;               /**< (batch, ...) */
    fa_tensor *target;              /**< (batch, ...), or NULL */
    fa_tensor *extra[FA_MAX_EXTRA]; /**< (batch, ...), or NULL */
    int64_t index;                  /**< number of the batch in the epoch, from 0 */
    int64_t size;                   /**< number of samples in the batch */
    const int64_t *samples;         /**< their indices in the dataset */
    struct fa__epoch *fa__epoch;
    fa__scope fa__turn;
} fa_batch;

FA_API fa_batch fa__each_open(fa_loader *loader, const char *where, uintptr_t function);
FA_API bool fa__each_next(fa_batch *batch);
FA_API void fa__each_close(fa_batch *batch);

/** A loop over the batches of one epoch, in which each iteration is a memory scope. It ends early if an error is set,
 *  and after fa_stop(). Loops over one loader may be nested: each runs through an epoch of its own. */
#define FA_EACH(batch, loader)                                                                                         \
    for (fa_batch batch FA__CLEANUP(fa__each_close) = fa__each_open(loader, FA__WHERE, FA__FUNCTION);                  \
         fa__each_next(&batch);)

/** @} */

/** @defgroup transform Image transforms
 *
 *  Transforms preprocess and augment images between a dataset and a network. They are modules that map batches of
 *  images (batch, channels, height, width); fa_nn_custom() creates user-defined ones.
 *
 *      fa_transform *t = fa_transform_compose(
 *          fa_transform_random_crop(32, .padding = 4), fa_transform_random_horizontal_flip(),
 *          fa_transform_to_tensor(), fa_transform_normalize(FA_LIST(0.5, 0.5, 0.5), FA_LIST(0.5, 0.5, 0.5)));
 *      fa_dataset *train = fa_data_cifar10("data", .train = true, .transform = t);
 *
 *  Random transforms draw for each image separately: numbers that belong to the sample if a loader runs them (see
 *  fa_data_loader()), else from the current generator. They are disabled in inference mode, see fa_module_train().
 *
 *  @{ */

/** A module that transforms batches of images. */
typedef fa_module fa_transform;

/** Applies transforms one after the other: fa_transform_compose(a, b). */
#define fa_transform_compose fa_nn_sequential

/** Converts u8 values 0 to 255 to f32 values 0 to 1. Other dtypes are left unchanged. */
FA_API fa_transform *fa_transform_to_tensor(void);

/** Computes (x - mean) / std for each channel, in the dtype of x, or in f32 if x is an integer tensor. u8 images are an
 *  error: fa_transform_to_tensor() comes before it.
 *  @param mean the mean of each channel, or one number for all
 *  @param std  as many standard deviations, not 0. One that becomes 0 in the dtype of x is an FA_ERROR_ARGUMENT when
 *  the transform runs */
FA_API fa_transform *fa_transform_normalize(fa_list mean, fa_list std);
#define fa_transform_normalize(...) FA__CALLED2(fa_transform_normalize, FA__NUMBER_LIST, FA__NUMBER_LIST, __VA_ARGS__)

/** Options of fa_transform_random_crop(). */
typedef struct fa_transform_random_crop_options {
    size_t size;     /**< set by the macro */
    fa_pair padding; /**< padding on each side before cropping */
    double fill;     /**< value of the padding */
    char fa__end;
} fa_transform_random_crop_options;
#define FA__DEFAULT_fa_transform_random_crop                                                                           \
    {                                                                                                                  \
        offsetof(fa_transform_random_crop_options, fa__end), 0, 0, 0                                                   \
    }

/** Crops each image at a random position; in inference mode, at the center.
 *
 *      fa_transform_random_crop(32, .padding = 0, .fill = 0)
 *
 *  @param size    height and width of the result; smaller images are an error
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_transform *fa_transform_random_crop(fa_pair size, const fa_transform_random_crop_options *options);
#define fa_transform_random_crop(...)                                                                                  \
    FA__CALL1(fa_transform_random_crop, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_transform_random_horizontal_flip(). */
typedef struct fa_transform_random_horizontal_flip_options {
    size_t size; /**< set by the macro */
    double p;    /**< probability for each image, 0 to 1 */
    char fa__end;
} fa_transform_random_horizontal_flip_options;
#define FA__DEFAULT_fa_transform_random_horizontal_flip                                                                \
    {                                                                                                                  \
        offsetof(fa_transform_random_horizontal_flip_options, fa__end), 0.5, 0                                         \
    }

/** Flips images left to right at random.
 *
 *      fa_transform_random_horizontal_flip(.p = 0.5) */
FA_API fa_transform *fa_transform_random_horizontal_flip(const fa_transform_random_horizontal_flip_options *options);
#define fa_transform_random_horizontal_flip(...)                                                                       \
    FA__CALL0(fa_transform_random_horizontal_flip, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** Options of fa_transform_random_vertical_flip(). */
typedef struct fa_transform_random_vertical_flip_options {
    size_t size; /**< set by the macro */
    double p;    /**< probability for each image, 0 to 1 */
    char fa__end;
} fa_transform_random_vertical_flip_options;
#define FA__DEFAULT_fa_transform_random_vertical_flip                                                                  \
    {                                                                                                                  \
        offsetof(fa_transform_random_vertical_flip_options, fa__end), 0.5, 0                                           \
    }

/** Flips images upside down at random.
 *
 *      fa_transform_random_vertical_flip(.p = 0.5) */
FA_API fa_transform *fa_transform_random_vertical_flip(const fa_transform_random_vertical_flip_options *options);
#define fa_transform_random_vertical_flip(...)                                                                         \
    FA__CALL0(fa_transform_random_vertical_flip, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/** @} */

/** @defgroup image Image files
 *
 *  Reads PNG and JPEG (with the plugin image), PGM and PPM files, and resizes images.
 *
 *      fa_tensor *photo = fa_image_read("shirt.png", .channels = 1);
 *      fa_tensor *small = fa_image_resize(photo, FA_PAIR(28, 28));
 *
 *  The format is detected from the first bytes of the file, not from its name.
 *  @{ */

/** Options of fa_image_read(). */
typedef struct fa_image_read_options {
    size_t size;      /**< set by the macro */
    int64_t channels; /**< 1: gray, 0.299 red + 0.587 green + 0.114 blue, rounded (ITU-R BT.601); 3: red, green, blue;
                         0: as in the file */
    char fa__end;
} fa_image_read_options;
#define FA__DEFAULT_fa_image_read                                                                                      \
    {                                                                                                                  \
        offsetof(fa_image_read_options, fa__end), 0, 0                                                                 \
    }

/** Reads an image file to a tensor u8 (channels, height, width) on the CPU, with 1 or 3 channels. PNG files give what
 *  Pillow's convert("RGB") and convert("L") give: of 16-bit channels the upper 8 bits (Pillow cuts 16-bit gray off at
 *  255 instead), colors without the alpha channel (what lies behind transparent pixels is not computed), no gamma or
 *  color profile applied. JPEG files with cyan, magenta, yellow and black give what Pillow's convert("RGB") gives; what
 *  libjpeg only warns of, such as odd bytes between two segments, is no error. JPEG and PNG files are turned upright as
 *  their EXIF data say (Pillow's ImageOps.exif_transpose). PGM and PPM files with another maximum value are scaled to
 *  255.
 *
 *      fa_image_read("shirt.png", .channels = 0)
 *
 *  @param path    path of the file
 *  @param options the options shown above; NULL for the defaults
 *  @return the image; NULL and an error that names the file: FA_ERROR_FILE if it is no regular file, cannot be
 *  read, is damaged, has an unknown format, or is larger than 2^28 bytes, compressed or uncompressed;
 * FA_ERROR_UNAVAILABLE if the plugin is missing */
FA_API fa_tensor *fa_image_read(const char *path, const fa_image_read_options *options);
#define fa_image_read(...) FA__CALL1(fa_image_read, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/* fa_image_read(); with `view`, the result may be a view of interleaved pixels. */
FA_API fa_tensor *fa__image_read(const char *path, int64_t channels, bool view);
/* Decodes the content of a file as fa_image_read() does; `path` is its name in errors. */
FA_API fa_tensor *fa__image_decode(const char *path, const void *content, size_t size, int64_t channels);

/** Resizes an image with antialiased bilinear filtering, like PyTorch's interpolate() with mode "bilinear" and
 *  antialias=True: bilinear interpolation, whose triangle filter is widened by the scale factor when the image
 *  shrinks. The host does not wait. Differentiable, except for u8.
 *
 *  @param image u8 or floating point, (..., height, width), with at least one pixel
 *  @param size  the new height and width, each at least 1: 28, or FA_PAIR(28, 20)
 *  @return the resized image, with the dtype and device of `image`; u8 is rounded. NULL and an error for other dtypes
 *  and shapes */
FA_API fa_tensor *fa_image_resize(const fa_tensor *image, fa_pair size);

/** @} */

FA__END
#endif
