/** @file
 *  Saving and loading named tensors in safetensors files (https://huggingface.co/docs/safetensors), a format that
 *  PyTorch models are commonly distributed in; NumPy's npy and npz files; and checkpoints of a training run.
 *
 *      fa_save(net, "cnn.safetensors");
 *      fa_load(net, "cnn.safetensors");
 *
 *  Files are replaced atomically: after a failure or crash, the file has either its old or its new content. If an
 *  error is set, nothing is saved and nothing is loaded. */
#ifndef FACULA_SAVE_H
#define FACULA_SAVE_H
#include <facula/amp.h>
#include <facula/data.h>
#include <facula/nn.h>
#include <facula/schedule.h>
#include <facula/types.h>

FA__BEGIN

/** @defgroup save Safetensors and NumPy files
 *  @{ */

static inline fa_parameters fa__state_same(fa_parameters state)
{
    return state;
}
#ifdef __cplusplus
}
static inline fa_parameters fa__state(const fa_module *module)
{
    return fa_module_state(module);
}
static inline fa_parameters fa__state(fa_parameters state)
{
    return state;
}
static inline fa_parameters fa__names(const fa_module *module)
{
    return fa__module_names(module);
}
static inline fa_parameters fa__names(fa_parameters state)
{
    return state;
}
#define FA__BIND_FA__STATE(text, name, v)
#define FA__PASS_FA__STATE(name, v) FA__STATE(v)
#define FA__BIND_FA__NAMES(text, name, v)
#define FA__PASS_FA__NAMES(name, v) FA__NAMES(v)
#define FA__STATE(s) fa__state(s)
#define FA__NAMES(s) fa__names(s)
extern "C" {
#else
#define FA__BIND_FA__STATE(text, name, v)                                                                              \
    FA__AUTO name = v;                                                                                                 \
    _Static_assert(_Generic(name, fa_module * : 1, const fa_module * : 1, fa_parameters : 1, default : 0),             \
                   "tensors with names go here: a module, or an FA_NAMED list");
#define FA__PASS_FA__STATE(name, v) FA__STATE(name)
#define FA__BIND_FA__NAMES(text, name, v) FA__BIND_FA__STATE(text, name, v)
#define FA__PASS_FA__NAMES(name, v) FA__NAMES(name)
#define FA__STATE(s)                                                                                                   \
    _Generic(s, fa_module * : fa_module_state, const fa_module * : fa_module_state, fa_parameters : fa__state_same)(s)
#define FA__NAMES(s)                                                                                                   \
    _Generic(s, fa_module * : fa__module_names, const fa_module * : fa__module_names, fa_parameters : fa__state_same)(s)
#endif

/** A list of named strings. */
typedef struct fa_metadata {
    size_t count;             /**< number of strings */
    const char *const *name;  /**< the names, which must be distinct, in UTF-8 */
    const char *const *value; /**< the strings, in UTF-8 */
} fa_metadata;

/** The string with this `name` in a list, such as `metadata` of fa_load_file(). NULL and an error if there is none. */
FA_API const char *fa_metadata_find(fa_metadata list, const char *name);

#ifdef __cplusplus
}
struct fa__metadata_list {
    const char *name[32], *value[32];
    size_t count;
    operator fa_metadata() const
    {
        fa_metadata t = {count, name, value};
        return t;
    }
};

static inline void fa__metadata_add(fa__metadata_list &)
{
}
template <class... T>
static inline void fa__metadata_add(fa__metadata_list &list, const char *name, const char *value, T... rest)
{
    list.name[list.count] = name;
    list.value[list.count++] = value;
    fa__metadata_add(list, rest...);
}
template <class... T> static inline fa__metadata_list fa__metadata_of(T... texts)
{
    static_assert(sizeof...(texts) <= 64, "at most 64 items go here");
    static_assert(sizeof...(texts) % 2 == 0, "each name has its value behind it");
    fa__metadata_list list = {};
    fa__metadata_add(list, texts...);
    return list;
}
#define FA_METADATA(...) fa__metadata_of(__VA_ARGS__)
extern "C" {
#else
/* Puts the names first and the values after them. */
static inline fa_metadata fa__metadata_of(size_t count, const char *const *text, const char **to)
{
    for (size_t i = 0; i < count; i++)
        to[i / 2 + i % 2 * (count / 2)] = text[i];
    return (fa_metadata){count / 2, to, to + count / 2};
}
/** A list of named strings as an argument, each after its name: FA_METADATA("run", "7", "by", "me"). */
#define FA_METADATA(...) FA__CAT(FA__METADATA, FA__EMPTY(__VA_ARGS__))(__VA_ARGS__)
#define FA__METADATA0(...)                                                                                             \
    fa__metadata_of(FA__PAIRED(FA__COUNT(__VA_ARGS__)), (const char *const[]){__VA_ARGS__},                            \
                    (const char * [FA__COUNT(__VA_ARGS__)]){NULL})
#define FA__METADATA1(...) ((fa_metadata){0, NULL, NULL})
#endif

/** Options of fa_save(). */
typedef struct fa_save_options {
    size_t size;          /**< set by the macro */
    fa_metadata metadata; /**< strings to store in the header of the file */
    char fa__end;
} fa_save_options;
#define FA__DEFAULT_fa_save                                                                                            \
    {                                                                                                                  \
        offsetof(fa_save_options, fa__end), {0, NULL, NULL}, 0                                                         \
    }

/** Writes tensors to a safetensors file, or to one of NumPy's: a path that ends with ".npz" gives an archive of named
 *  arrays, as numpy.savez() writes it, and ".npy" a single array, as numpy.save() does. NumPy has no bf16 and no 8-bit
 *  floats, and its files no metadata. Waits for tensors on devices.
 *
 *      fa_save(net, "cnn.safetensors", .metadata = FA_METADATA("run", "7"))
 *      fa_save(FA_NAMED("mean", mean, "std", std), "statistics.safetensors")
 *
 *  @param state   a module, of which fa_module_state() is written, or an fa_parameters with names
 *  @param path    path of the file, which is replaced if it exists. A name that ends with ".pt" or ".pth" gives a
 *  safetensors file and a warning: torch.load() reads pickles, which the library neither writes nor reads
 *  @param options the options shown above; NULL for the defaults
 *  @return false and an error, with the old file unchanged. Names and strings that are not valid UTF-8 are an error */
FA_API bool fa_save(fa_parameters state, const char *path, const fa_save_options *options);
/* The same in the format of safetensors, whatever the path ends with. */
FA_API bool fa__save_safetensors(fa_parameters state, const char *path, const fa_save_options *options);
#define fa_save(...) FA__CALL2(fa_save, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__STATE, FA__SAME, __VA_ARGS__)

/** Options of fa_load(). */
typedef struct fa_load_options {
    size_t size;        /**< set by the macro */
    bool strict;        /**< true: missing and unexpected names are an error; false: they are ignored, unless no name
                             fits at all */
    const char *prefix; /**< load only names of the file that begin with this, such as "encoder.", without it */
    char fa__end;
} fa_load_options;
#define FA__DEFAULT_fa_load                                                                                            \
    {                                                                                                                  \
        offsetof(fa_load_options, fa__end), true, "", 0                                                                \
    }

/** Loads the values of tensors from a safetensors or npz file, by their names. The tensors keep their device and dtype;
 *  their shapes must match the file. Nothing is modified unless the whole file could be read and is valid. A tensor
 *  that a module has under several names may be stored under any of them; if it is stored several times, the last one
 *  is used, as in PyTorch.
 *
 *      fa_load(net, "cnn.safetensors", .strict = true, .prefix = "")
 *
 *  @param state   a module, whose parameters and buffers are loaded, or an fa_parameters with names
 *  @param path    path of the file
 *  @param options the options shown above; NULL for the defaults
 *  @return false and an error that names what is missing, unexpected, or of another shape */
FA_API bool fa_load(fa_parameters state, const char *path, const fa_load_options *options);
#define fa_load(...) FA__CALL2(fa_load, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__NAMES, FA__SAME, __VA_ARGS__)

/** The content of a file. The arrays and tensors belong to the current scope. */
typedef struct fa_saved {
    fa_parameters tensors; /**< the tensors, in the order of the file; none after an error */
    fa_metadata metadata;  /**< the strings in the header */
} fa_saved;

/** Options of fa_load_file(). */
typedef struct fa_load_file_options {
    size_t size;      /**< set by the macro */
    fa_device device; /**< device of the tensors; FA_META: read only shapes and dtypes */
    bool map;         /**< map the file into memory in place of reading it, see fa_load_file() */
    char fa__end;
} fa_load_file_options;
#define FA__DEVICE_fa_load_file ,
#define FA__DEFAULT_fa_load_file                                                                                       \
    {                                                                                                                  \
        offsetof(fa_load_file_options, fa__end), {0, 0}, false, 0                                                      \
    }

/** Loads all tensors of a safetensors, npy or npz file, recognized by their first bytes. The array of an npy
 *  file is called "array". Arrays in NumPy's files may be in C or Fortran order and of either byte order; the tensors
 *  are row-major, except mapped ones. Compressed arrays, as numpy.savez_compressed() writes them, need the plugin gzip.
 *
 *  With `.map = true`, tensors on the CPU are the file's memory, of which only what is used is read. What is written to
 *  them does not reach the file. The file may be replaced, as fa_save() does, but must not be shortened or changed in
 *  place. Bool, big-endian, unaligned and compressed tensors are read as usual, and the checksums of npz files are not
 * verified.
 *
 *      fa_load_file("cnn.safetensors", .device, .map = false)
 *
 *  @param path    path of the file
 *  @param options the options shown above; NULL for the defaults
 *  @return the content; empty after an error: FA_ERROR_FILE for a damaged file, FA_ERROR_DTYPE for an unsupported
 *  dtype, FA_ERROR_SHAPE for more than FA_MAX_DIMS dimensions */
FA_API fa_saved fa_load_file(const char *path, const fa_load_file_options *options);
#define fa_load_file(...) FA__CALL1(fa_load_file, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** The entry of one tensor in a file's header, also of one that cannot be loaded. */
typedef struct fa_saved_entry {
    const char *name;       /**< name, in UTF-8 */
    const char *dtype_name; /**< name of the dtype in the file, such as "F32" */
    fa_dtype dtype;         /**< the dtype; FA_SAME: not supported, cannot be loaded */
    fa_shape shape;         /**< shape; if there are more than FA_MAX_DIMS dimensions, the first ones */
    int64_t rank;           /**< number of dimensions; with more than FA_MAX_DIMS it cannot be loaded */
    int64_t elements;       /**< number of elements */
    int64_t begin;          /**< position of the first byte, counted from the end of the header */
    int64_t end;            /**< position after the last byte (of a compressed array: if it were not compressed) */
} fa_saved_entry;

/** The header of a file. Names, strings and entries belong to the scope in which fa_load_header() was called. */
typedef struct fa_saved_head {
    size_t count;                /**< number of tensors */
    const fa_saved_entry *entry; /**< their entries, in the order of the file; NULL after an error */
    fa_metadata metadata;        /**< the strings in the header */
} fa_saved_head;

/** Reads the header of a safetensors, npy or npz file. No tensor data is read, and dtypes need not be supported.
 *  @param path path of the file
 *  @return the header; empty after an error: FA_ERROR_FILE for a damaged file */
FA_API fa_saved_head fa_load_header(const char *path);
/* Tensor number `index` of fa_load_header(path), as fa_load_file() with `.map = true` gives it on the CPU. */
FA_API fa_tensor *fa__load_mapped(const char *who, const char *path, size_t index);

/** @} */

/** @defgroup checkpoint Checkpoints
 *  @{ */

/** The objects in a checkpoint; those that are NULL are left out. */
typedef struct fa_checkpoint_options {
    size_t size;           /**< set by the macro */
    fa_module *module;     /**< its parameters and buffers, as fa_module_state() lists them */
    fa_optim *optim;       /**< its state, options and learning rates */
    fa_schedule *schedule; /**< its state */
    fa_scaler *scaler;     /**< its scale and factors */
    fa_loader *loader;     /**< its fa_loader_position(): the epoch, and the batch in it */
    fa_metadata metadata; /**< strings of the program, which fa_load_file() returns; names that start with "facula." are
                             reserved */
    char fa__end;
} fa_checkpoint_options;
#define FA__DEFAULT_fa_checkpoint                                                                                      \
    {                                                                                                                  \
        offsetof(fa_checkpoint_options, fa__end), NULL, NULL, NULL, NULL, NULL, {0, NULL, NULL}, 0                     \
    }
#define FA__DEFAULT_fa_checkpoint_save FA__DEFAULT_fa_checkpoint
#define FA__DEFAULT_fa_checkpoint_load FA__DEFAULT_fa_checkpoint
/** Options of fa_checkpoint_save(). */
typedef fa_checkpoint_options fa_checkpoint_save_options;
/** Options of fa_checkpoint_load(). */
typedef fa_checkpoint_options fa_checkpoint_load_options;

/** Saves everything that is needed to resume training with identical results: the given objects, and the state of the
 *  default random number generator. The file is a safetensors file, replaced atomically; names of the module's
 *  tensors are prefixed with "model.".
 *
 *      FA_EACH(batch, loader) {
 *          step(net, opt, batch);
 *          if (batch.index % 1000 == 999)
 *              fa_checkpoint_save("run.safetensors", .module = net, .optim = opt, .loader = loader);
 *      }
 *
 *  A program with several networks, optimizers or loaders writes one file for each. They are replaced one after the
 *  other, so an interruption in between leaves some of them outdated. All of them contain the same default generator.
 *
 *  An epoch that was left with `break` is resumed where it was left; fa_loader_position() explains how to continue
 *  with the next epoch instead.
 *
 *  @param path    path of the file, which is replaced if it exists. ".pt" and ".pth": as for fa_save()
 *  @param options the objects to save
 *  @return false and an error, with the old file unchanged */
FA_API bool fa_checkpoint_save(const char *path, const fa_checkpoint_options *options);
#define fa_checkpoint_save(...) FA__CALL1(fa_checkpoint_save, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Restores objects that were created in the same way as the saved ones, and the default random number generator,
 *  from a checkpoint. They may be on other devices than before. On the same devices, training continues
 *  bit-identically: the next FA_EACH runs through the rest of the epoch.
 *
 *      int64_t epoch = fa_loader_position(loader).epoch;
 *
 *  Create schedules before this call, as creating one changes the learning rates of the optimizer.
 *  @param path    path of a file written by fa_checkpoint_save()
 *  @param options the objects to restore; they may be fewer than in the file
 *  @return false and an error. If the file is damaged or does not match, nothing has changed; if memory runs out,
 *  some objects may have been restored */
FA_API bool fa_checkpoint_load(const char *path, const fa_checkpoint_options *options);
#define fa_checkpoint_load(...) FA__CALL1(fa_checkpoint_load, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** @} */

FA__END
#endif
