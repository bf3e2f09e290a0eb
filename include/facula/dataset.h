/** @file
 *  Datasets made from others, and from files: image folders, tables, text and arrays.
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

/** Changes a sample: replaces tensors of it by others, which belong to the current scope. Returns false after
 *  fa_fail(). The workers of a loader may call it from several threads at the same time. */
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

/** The number of classes whose names a dataset knows, such as those of an image folder; 0 if it knows none. Splits,
 *  subsets and transformed datasets know the names of theirs. -1 and an error for NULL. */
FA_API int64_t fa_dataset_classes(const fa_dataset *dataset);
/** The name of class `index`, from 0, in UTF-8. NULL and an error if there is none. */
FA_API const char *fa_dataset_class_name(const fa_dataset *dataset, int64_t index);

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
    fa_missing missing; /**< what becomes of empty fields, and of NA, N/A, NaN, nan, null and ?, in columns other than
                           the target */
    fa_dtype target_dtype; /**< FA_I64 or FA_F32; FA_SAME: FA_I64 if the target is text or has only whole numbers */
    char fa__end;
} fa_data_csv_options;
#define FA__DEFAULT_fa_data_csv                                                                                        \
    {                                                                                                                  \
        offsetof(fa_data_csv_options, fa__end), NULL, -1, 0, FA_MISSING_FAIL, FA_SAME, 0                               \
    }

/** A table in a CSV file (RFC 4180): fields between double quotes may have delimiters, line ends and doubled quotes.
 *  A column whose fields are all numbers is numeric; any other is text, whose different values, sorted by their bytes,
 *  are the categories 0, 1, ...
 *
 *      fa_data_csv("iris.csv", .target = "species", .header = -1, .delimiter = 0, .missing = FA_MISSING_FAIL,
 * .target_dtype = FA_SAME)
 *
 *  Input: f32 (columns), all columns but the target; a text column has the number of the category. Target: i64 () or
 *  f32 (), see `target_dtype`; none with `.target = ""`. Names of classes are those of a text
 *  target. Compressed files (.gz) need the plugin gzip. Files of up to 2^32 bytes, uncompressed, are read completely.
 *
 *  @param path    path of the file
 *  @param options the options shown above; NULL for the defaults
 *  @return the dataset; NULL and an error of the form "data.csv:7:3: ..." with line and column (number of the field,
 * from 1) on failure */
FA_API fa_dataset *fa_data_csv(const char *path, const fa_data_csv_options *options);
#define fa_data_csv(...) FA__CALL1(fa_data_csv, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** What a column of a table has. */
typedef struct fa_column {
    const char *name;   /**< its name; its number if the file has no names. Valid as long as the dataset */
    bool target;        /**< it is the target */
    int64_t categories; /**< number of different values of a text column; 0: a numeric column */
    int64_t missing;    /**< number of missing values */
    double least, most; /**< the smallest and largest number; NaN for text, and if there is none */
    double mean, std;   /**< mean and standard deviation (of the population); NaN for text, and if there is no number */
} fa_column;

/** Describes a column of a dataset made by fa_data_csv(); of other datasets, none.
 *  @param dataset the dataset
 *  @param index   number of the column in the file, from 0
 *  @param column  the description
 *  @return false if there is no such column, without an error */
FA_API bool fa_data_csv_column(const fa_dataset *dataset, int64_t index, fa_column *column);

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
    const char *input;  /**< of an npz file, the name of the array of the inputs; NULL: its first array */
    char fa__end;
} fa_data_npy_options;
#define FA__DEFAULT_fa_data_npy                                                                                        \
    {                                                                                                                  \
        offsetof(fa_data_npy_options, fa__end), NULL, NULL, 0                                                          \
    }

/** Arrays in NumPy's files, whose first dimension is the sample index. Uncompressed files are mapped into memory: only
 *  the samples of a batch are read.
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
