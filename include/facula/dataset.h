/** @file
 *  Datasets made from others, streams of samples, and datasets in files: image folders, tables, text, arrays and tar
 *  archives; and their download.
 *
 *      fa_dataset *photos = fa_data_image_folder("photos", .transform = fa_transform_compose(
 *          fa_transform_resize(256), fa_transform_center_crop(224), fa_transform_to_tensor()));
 *      fa_datasets parts = fa_data_split(photos, 0.9);
 *
 *  They belong to the innermost scope and hold references to the datasets they are made from. */
#ifndef FACULA_DATASET_H
#define FACULA_DATASET_H
#include <facula/data.h>
#include <facula/types.h>

FA__BEGIN

/** @defgroup derived_datasets Datasets made from others
 *  @{ */

FA_API fa_dataset *fa__data_concat(size_t count, fa_dataset *const *parts);
/** Creates a dataset with the samples of several datasets, one after the other: fa_data_concat(a, b). In one batch,
 *  their samples must have the same shapes and dtypes. */
#ifdef __cplusplus
}
template <class... T> static inline fa_dataset *fa_data_concat(T... part)
{
    fa_dataset *const parts[sizeof...(part) + 1] = {part...};
    return fa__data_concat(sizeof...(part), parts);
}
#define fa_data_concat(...) FA__CALLED(fa_data_concat(__VA_ARGS__))
extern "C" {
#else
#define fa_data_concat(...) FA__CALLED(fa__data_concat(FA__COUNT(__VA_ARGS__), (fa_dataset *const[]){__VA_ARGS__}))
#endif

/** Changes a sample: replaces tensors of it by others, which belong to the current scope, or changes them in place:
 *  what the dataset below keeps is not changed by that. Returns false after fa_fail(). The workers of a loader may call
 * it from several threads at the same time. */
typedef bool fa_sample_function(void *context, int64_t index, fa_sample *sample);

/** Creates a dataset whose samples are changed by a function each time that they are read.
 *  @param dataset  the dataset
 *  @param function called with the context, the index and the sample
 *  @param context  passed to the function; must outlive the result and its loaders */
FA_API fa_dataset *fa_data_map(fa_dataset *dataset, fa_sample_function *function, void *context);

/** Returns true for samples to keep. */
typedef bool fa_sample_predicate(void *context, int64_t index, const fa_sample *sample);

/** Creates a dataset of the samples for which a function returns true. All samples are read once, before this returns.
 *  @param dataset   the dataset
 *  @param predicate called for each sample, with the context, the index and the sample
 *  @param context   passed to the predicate
 *  @return the subset; NULL and an error if a sample cannot be read, or if the predicate called fa_fail() */
FA_API fa_dataset *fa_data_filter(fa_dataset *dataset, fa_sample_predicate *predicate, void *context);

/** Creates a dataset that keeps each sample in memory once it was read. Random transforms belong outside of it, as what
 *  they return would be kept: fa_data_transformed(fa_data_cached(d), t).
 *  @param dataset the dataset */
FA_API fa_dataset *fa_data_cached(fa_dataset *dataset);

/** Creates a dataset that stores each sample in a file once it was read, so that later runs of the program read that:
 *  folder/0000000042.safetensors. Several processes may use one folder. Random transforms belong outside of it. Its
 *  samples are on the CPU.
 *  @param dataset the dataset
 *  @param folder  the folder, which is created if it does not exist. It must not be used for another dataset, which is
 *                 noticed only if that has another number of samples
 *  @return the dataset; NULL and an error if the folder cannot be used */
FA_API fa_dataset *fa_data_cached_in(fa_dataset *dataset, const char *folder);

/** Makes a batch from single samples, whose tensors are those of one sample: stores tensors in *batch, whose first
 *  dimension is `count`. Returns false after fa_fail(). The workers of a loader may call it from several threads at the
 *  same time. */
typedef bool fa_collate_function(void *context, const fa_sample *samples, int64_t count, fa_sample *batch);

/** Creates a dataset whose batches are made from single samples by a function; the collate_fn of PyTorch's loaders.
 *  @param dataset  the dataset
 *  @param function called with the context, the samples and their number
 *  @param context  passed to the function; must outlive the result and its loaders */
FA_API fa_dataset *fa_data_collated(fa_dataset *dataset, fa_collate_function *function, void *context);

/** Options of fa_data_padded(). */
typedef struct fa_data_padded_options {
    size_t size;         /**< set by the macro */
    double value;        /**< what inputs and extra tensors are padded with */
    double target_value; /**< what targets are padded with; fa_cross_entropy() ignores -100 */
    int64_t multiple;    /**< the first dimension of a sample is padded to a multiple of this number, at least 1 */
    bool lengths;        /**< add a tensor i64 (batch): the first dimension of each input, in the first free place of
                            `extra` */
    char fa__end;
} fa_data_padded_options;
#define FA__DEFAULT_fa_data_padded                                                                                     \
    {                                                                                                                  \
        offsetof(fa_data_padded_options, fa__end), 0, -100, 1, false, 0                                                \
    }

/** Creates a dataset of samples of different sizes, such as sequences, which are padded at their ends when a batch is
 *  made of them, to the largest size in the batch: torch.nn.utils.rnn.pad_sequence. fa_sampler_bucketed() puts samples
 *  of similar lengths into a batch.
 *
 *      fa_data_padded(dataset, .value = 0, .target_value = -100, .multiple = 1, .lengths = false)
 *
 *  @param dataset the dataset, whose samples have the same dtypes and numbers of dimensions
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_dataset *fa_data_padded(fa_dataset *dataset, const fa_data_padded_options *options);
#define fa_data_padded(...) FA__CALL1(fa_data_padded, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** The number of classes whose names a dataset knows: those of image folders, of tables and archives with names, of
 *  Fashion-MNIST and of CIFAR-10; 0 if it knows none. Splits, subsets and transformed datasets know the names of
 *  theirs. -1 and an error for NULL. */
FA_API int64_t fa_dataset_classes(const fa_dataset *dataset);
/** The name of class `index`, from 0, in UTF-8. NULL and an error if there is none. */
FA_API const char *fa_dataset_class_name(const fa_dataset *dataset, int64_t index);

/** @} */

/** @defgroup streams Streams
 *
 *  Datasets whose samples come one after the other, without numbers by which they could be had: from a socket, a
 *  decompressor, a generator, many archives.
 *  @{ */

/** The callbacks of a stream. Each pass over it (an epoch of a loader) has a state of its own, which `open` returns.
 *  Callbacks of one pass are called by one thread at a time, those of several passes possibly at the same time. They
 *  run without recording gradients. What takes long, such as decoding, belongs into fa_data_map() or a transform, which
 *  run in all workers. */
typedef struct fa_dataset_stream_type {
    const char *name; /**< name for messages; must live as long as the dataset */
    /** Begins a pass. For exact resumption, its samples must depend on nothing but the seed and the number of the
     *  epoch. Returns its state, not NULL; NULL after fa_fail(). */
    void *(*open)(void *context, uint64_t seed, int64_t epoch);
    /** Stores the next sample, whose tensors then leave the scope of the call; nothing at the end of the pass. Random
     *  numbers drawn by the library's operations depend on seed, epoch and the number of the sample alone. Returns
     *  false after fa_fail(). */
    bool (*next)(void *context, void *state, fa_sample *sample);
    void (*close)(void *context, void *state); /**< ends a pass, complete or not; may be NULL */
    void (*release)(void *context); /**< called once when the last reference to the dataset is dropped; may be NULL */
} fa_dataset_stream_type;

/** Creates a dataset whose samples come from a stream; IterableDataset in PyTorch. Loaders give them in their order,
 *  the same batches for any number of workers; each FA_EACH is a pass. Its length is INT64_MAX, fa_dataset_get() works
 *  in no other place than fa_data_map(), transforms and fa_data_collated() over it, and datasets that choose samples by
 *  number (subsets, splits, concat, filter, cached) refuse it, as loaders refuse .shuffle and .sampler with it.
 *  A loader that continues from a position within an epoch reads and drops the samples before it.
 *  @param type    the callbacks: open and next at least; the struct is copied
 *  @param context passed to the callbacks; released with the dataset, or at once after an error. It must outlive the
 *  scope in which the dataset is created and all loaders of the dataset */
FA_API fa_dataset *fa_dataset_stream(const fa_dataset_stream_type *type, void *context);

/** Options of fa_data_webdataset(). */
typedef struct fa_data_webdataset_options {
    size_t size;          /**< set by the macro */
    const char *input;    /**< names of the members that are the input, separated by ';', the first that a sample has;
                             NULL: "jpg;jpeg;png;ppm;pgm;pnm" */
    const char *target;   /**< the same for the target; "": there are none; NULL: "cls" */
    const char *extra;    /**< names of further members, one for each tensor of `extra`, at most 5; NULL: none */
    fa_module *transform; /**< transform of the inputs, see @ref transform; NULL: none */
    int64_t channels;     /**< of images, 1: gray; 3: red, green, blue; 0: as in each file */
    int64_t shuffle;      /**< samples among which the next one is chosen at random, 0 to 1,048,576; the archives are
                             then in random order, too, another one in each epoch. 0: the order of the files */
    int64_t rank, ranks;  /**< of several processes, this one reads archives rank, rank + ranks, ... */
    char fa__end;
} fa_data_webdataset_options;
#define FA__DEFAULT_fa_data_webdataset                                                                                 \
    {                                                                                                                  \
        offsetof(fa_data_webdataset_options, fa__end), NULL, NULL, NULL, NULL, 3, 0, 0, 1, 0                           \
    }

/** A stream of samples in tar archives, in the layout of the WebDataset library: successive members whose names are
 *  equal up to the first dot behind the last slash are one sample, and what follows the dot is the member's name in it:
 *  "train/000017.jpg" and "train/000017.cls". Files whose names begin with a dot are none. An input called jpg, jpeg,
 *  png, ppm, pgm or pnm is an image, decoded in all workers as by fa_image_read(), u8 (channels, height, width).
 * Members called cls, id and index are decimal numbers, i64 (); others are bytes, u8 (size).
 *
 *      fa_data_webdataset("data/train-{000..127}.tar", .input = NULL, .target = NULL, .extra = NULL,
 *          .transform = NULL, .channels = 3, .shuffle = 0, .rank = 0, .ranks = 1)
 *
 *  @param shards  path of the archives, .tar, or .tar.gz with the plugin gzip: one range {first..last} of numbers with
 *                 as many digits as the first one, or a pattern with * and ?, or neither
 *  @param options the options shown above; NULL for the defaults
 *  @return the dataset; NULL and an error if no archive has such a path. Damaged archives and samples without input or
 *  target are errors of the loop, which name the archive and the member; .skip_bad_samples of loaders leaves out images
 *  that cannot be decoded */
FA_API fa_dataset *fa_data_webdataset(const char *shards, const fa_data_webdataset_options *options);
#define fa_data_webdataset(...) FA__CALL1(fa_data_webdataset, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** @} */

/** @defgroup download Downloads
 *  @{ */

/** Called while a file is downloaded: bytes so far, and of the whole file; -1 if that is not known. Returns false to
 *  give up. */
typedef bool fa_download_function(void *context, int64_t bytes, int64_t whole);

/** Options of fa_data_download(). */
typedef struct fa_data_download_options {
    size_t size;                    /**< set by the macro */
    fa_download_function *progress; /**< called now and then; NULL: none */
    void *context;                  /**< passed to it */
    char fa__end;
} fa_data_download_options;
#define FA__DEFAULT_fa_data_download                                                                                   \
    {                                                                                                                  \
        offsetof(fa_data_download_options, fa__end), NULL, NULL, 0                                                     \
    }

/** Downloads a file by libcurl, which is opened when this is called first. Nothing happens if `dest` exists and has
 *  this SHA-256. The file is written to `dest` with ".part" at the end, and gets its name when its SHA-256 is right; a
 *  download that was interrupted continues where it ended. fa_stop() interrupts it.
 *
 *      fa_data_download("https://example.org/data.csv.gz", "440fcabf73cc546fa21475e81ea37026...", "data.csv.gz",
 *          .progress = NULL, .context = NULL)
 *
 *  @param url     http:// or https://, or file:// and an absolute path, which is copied
 *  @param sha256  64 hexadecimal digits
 *  @param dest    path of the file; folders that do not exist are created
 *  @param options the options shown above; NULL for the defaults
 *  @return false and an error: FA_ERROR_UNAVAILABLE if there is no libcurl, FA_ERROR_FILE if the file cannot be had or
 *  written, or has another SHA-256: then nothing is kept of it */
FA_API bool fa_data_download(const char *url, const char *sha256, const char *dest,
                             const fa_data_download_options *options);
#define fa_data_download(...)                                                                                          \
    FA__CALL3(fa_data_download, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)

/** Downloads the files of a dataset that are missing: what `.download = true` does. The environment variable
 *  FACULA_MIRROR, if it is set, is the address of a folder from which the files are taken instead of their own sites.
 *
 *      fa_data_get("cifar10", "data", .progress = NULL, .context = NULL)
 *
 *  @param name    "mnist", "fashion-mnist", "kmnist", "emnist" (all splits, for which the plugin gzip is needed),
 *                 "cifar10" or "cifar100"
 *  @param folder  the folder for the files
 *  @param options the options shown above; NULL for the defaults
 *  @return false and an error as of fa_data_download(), and for another name */
FA_API bool fa_data_get(const char *name, const char *folder, const fa_data_download_options *options);
/** Options of fa_data_get(). */
typedef fa_data_download_options fa_data_get_options;
#define FA__DEFAULT_fa_data_get FA__DEFAULT_fa_data_download
#define fa_data_get(...) FA__CALL2(fa_data_get, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** @} */

/** @defgroup file_datasets Datasets in files
 *  @{ */

/** Options of fa_data_image_folder(). */
typedef struct fa_data_image_folder_options {
    size_t size;          /**< set by the macro */
    fa_module *transform; /**< transform of the inputs, see @ref transform; NULL: none */
    int64_t channels;     /**< 1: gray; 3: red, green, blue; 0: as in each file */
    char fa__end;
} fa_data_image_folder_options;
#define FA__DEFAULT_fa_data_image_folder                                                                               \
    {                                                                                                                  \
        offsetof(fa_data_image_folder_options, fa__end), NULL, 3, 0                                                    \
    }

/** Images in a folder for each class: photos/cat/1.jpg, photos/dog/2.png. The classes are the names of the subfolders,
 *  sorted by their bytes; images are files in them, at any depth, whose names end with .jpg, .jpeg, .png, .ppm, .pgm or
 *  .pnm; torchvision.datasets.ImageFolder. Input: u8 (channels, height, width), unless the transform changes it,
 * decoded by fa_image_read() when the sample is read. Target: i64 ().
 *
 *      fa_data_image_folder("photos", .transform = NULL, .channels = 3)
 *
 *  Images of different sizes are transformed one by one; the transform must give them one size.
 *
 *  @param folder  the folder
 *  @param options the options shown above; NULL for the defaults
 *  @return the dataset; NULL and an error if the folder cannot be read, or has no such files */
FA_API fa_dataset *fa_data_image_folder(const char *folder, const fa_data_image_folder_options *options);
#define fa_data_image_folder(...)                                                                                      \
    FA__CALL1(fa_data_image_folder, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** What becomes of missing values in tables. */
typedef enum fa_missing {
    FA_MISSING_FAIL, /**< an error that names the line and the column */
    FA_MISSING_NAN,  /**< they are NaN */
    FA_MISSING_MEAN  /**< the mean of the column; for text, the most frequent value */
} fa_missing;

/** Options of fa_data_csv(). */
typedef struct fa_data_csv_options {
    size_t size;        /**< set by the macro */
    const char *target; /**< name of the column with the targets, or its number from 0; "": none; NULL: the last one */
    int64_t header;    /**< 1: the first line has the names of the columns; 0: it has not; -1: it has, unless one of its
                          fields is a number */
    int64_t delimiter; /**< character between fields, such as ';'; 0: the one of , ; and tab that is most frequent in
                          the first line */
    fa_missing missing; /**< what becomes of empty fields, and of NA, N/A, n/a, NaN, nan, -NaN, -nan, NULL, null, None,
                           ?, and the spellings of NA that pandas and Excel write, with or without blanks around them,
                           in columns other than the target */
    fa_dtype target_dtype; /**< FA_I64 or FA_F32; FA_SAME: FA_I64 if the target is text or has only whole numbers */
    char fa__end;
} fa_data_csv_options;
#define FA__DEFAULT_fa_data_csv                                                                                        \
    {                                                                                                                  \
        offsetof(fa_data_csv_options, fa__end), NULL, -1, 0, FA_MISSING_FAIL, FA_SAME, 0                               \
    }

/** A table in a CSV file (RFC 4180): fields between double quotes may have delimiters, line ends and doubled quotes.
 *  A column whose fields are all numbers (inf and infinity are some) is numeric; any other is text, whose different
 *  values, sorted by their bytes, are the categories 0, 1, ... A text among nine numbers or more, and
 *  a column of numbers with commas, give a warning.
 *
 *      fa_data_csv("iris.csv", .target = "species", .header = -1, .delimiter = 0, .missing = FA_MISSING_FAIL,
 *          .target_dtype = FA_SAME)
 *
 *  Input: f32 (columns), all columns but the target; a text column has the number of the category. Target: i64 () or
 *  f32 (), see `target_dtype`; none with `.target = ""`. Names of classes are those of a text
 *  target. Compressed files (.gz) need the plugin gzip. Files of up to 2^32 bytes, uncompressed, are read completely.
 *
 *  @param path    path of the file
 *  @param options the options shown above; NULL for the defaults
 *  @return the dataset; NULL and an error of the form "data.csv:7:3: ..." with line and column (number of the field,
 *  from 1) on failure */
FA_API fa_dataset *fa_data_csv(const char *path, const fa_data_csv_options *options);
#define fa_data_csv(...) FA__CALL1(fa_data_csv, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** What a column of a table has. */
typedef struct fa_column {
    const char *name;   /**< its name; its number if the file has no names. Valid as long as the dataset */
    bool target;        /**< it is the target */
    int64_t categories; /**< number of different values of a text column; 0: a numeric column */
    int64_t missing;    /**< number of missing values */
    double least, most; /**< the smallest and largest number; NaN for text, and if there is none */
    double mean, std;   /**< mean and standard deviation (of the population) of the finite numbers; NaN for text, and if
                           there are none */
} fa_column;

/** Describes a column of a dataset made by fa_data_csv(); of other datasets, none.
 *  @param dataset the dataset
 *  @param index   number of the column in the file, from 0
 *  @param column  the description
 *  @return false if there is no such column, without an error */
FA_API bool fa_data_csv_column(const fa_dataset *dataset, int64_t index, fa_column *column);

/** The text that a number of a text column stands for, in a dataset made by fa_data_csv() or from one.
 *  @param dataset the dataset
 *  @param column  number of the column in the file, from 0
 *  @param index   number of the category, from 0 to fa_column.categories - 1
 *  @return the text, valid as long as the dataset; NULL, without an error, if there is no such column or category */
FA_API const char *fa_data_csv_category(const fa_dataset *dataset, int64_t column, int64_t index);

/** What the tokens of a text are. */
typedef enum fa_token_kind {
    FA_TOKEN_BYTES,     /**< bytes: 256 tokens */
    FA_TOKEN_CHARACTERS /**< the different characters of a UTF-8 text, sorted by code point */
} fa_token_kind;

/** Options of fa_data_text(). */
typedef struct fa_data_text_options {
    size_t size;         /**< set by the macro */
    fa_token_kind token; /**< what a token is */
    int64_t stride;      /**< tokens from the start of one sample to the start of the next; 0: block_size */
    char fa__end;
} fa_data_text_options;
#define FA__DEFAULT_fa_data_text                                                                                       \
    {                                                                                                                  \
        offsetof(fa_data_text_options, fa__end), FA_TOKEN_BYTES, 0, 0                                                  \
    }

/** A text for training a language model: each sample is a window of the text. Input: i64 (block_size). Target: i64
 *  (block_size), the tokens that follow those of the input. The file is mapped into memory, and must not be modified
 *  while it is used. Names of classes are the tokens: the characters in UTF-8, printable ASCII bytes as they are and
 *  other bytes as "\x0a".
 *
 *      fa_data_text("book.txt", 256, .token = FA_TOKEN_BYTES, .stride = 0)
 *
 *  @param path       path of the file
 *  @param block_size number of tokens of a sample, at least 1
 *  @param options    the options shown above; NULL for the defaults
 *  @return the dataset; NULL and an error if the file cannot be read, is shorter than block_size + 1 tokens, or is no
 *  UTF-8 with FA_TOKEN_CHARACTERS, which names the byte */
FA_API fa_dataset *fa_data_text(const char *path, int64_t block_size, const fa_data_text_options *options);
#define fa_data_text(...) FA__CALL2(fa_data_text, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_data_npy(). */
typedef struct fa_data_npy_options {
    size_t size;        /**< set by the macro */
    const char *target; /**< path of a file with the targets; of an npz file, the name of an array; NULL: none */
    const char *input;  /**< of an npz file, the name of the array of the inputs; NULL: its first array that is not the
                           target */
    char fa__end;
} fa_data_npy_options;
#define FA__DEFAULT_fa_data_npy                                                                                        \
    {                                                                                                                  \
        offsetof(fa_data_npy_options, fa__end), NULL, NULL, 0                                                          \
    }

/** Arrays in NumPy's files, whose first dimension is the sample index. Uncompressed files are mapped into memory: only
 *  the samples of a batch are read. Other arrays of an npz file are not looked at.
 *
 *      fa_data_npy("x.npy", .target = "y.npy")
 *      fa_data_npy("data.npz", .target = "y", .input = NULL)
 *
 *  @param path    an npy or npz file
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_dataset *fa_data_npy(const char *path, const fa_data_npy_options *options);
#define fa_data_npy(...) FA__CALL1(fa_data_npy, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** @} */

FA__END
#endif
