/** @file
 *  Saving tensors under names, and loading them: safetensors files, which PyTorch and others read and write
 *  (https://huggingface.co/docs/safetensors). Reading them needs the plugin json.
 *
 *      fa_save(net, "cnn.safetensors");
 *      fa_load(net, "cnn.safetensors");
 *
 *  A file is written beside its path and renamed when it is safe on disk: whatever happens, there is the old one or the
 *  new one. While an error stands nothing is saved and nothing is loaded. */
#ifndef FACULA_SAVE_H
#define FACULA_SAVE_H
#include <facula/data.h>
#include <facula/nn.h>
#include <facula/schedule.h>
#include <facula/types.h>

FA__BEGIN

#define FA__BIND_FA__STATE(text, name, v)
#define FA__PASS_FA__STATE(name, v) FA__STATE(v)
#define FA__BIND_FA__NAMES(text, name, v)
#define FA__PASS_FA__NAMES(name, v) FA__NAMES(v)
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
#define FA__STATE(s) fa__state(s)
#define FA__NAMES(s) fa__names(s)
extern "C" {
#else
#define FA__STATE(s)                                                                                                   \
    _Generic(s, fa_module * : fa_module_state, const fa_module * : fa_module_state, fa_parameters : fa__state_same)(s)
#define FA__NAMES(s)                                                                                                   \
    _Generic(s, fa_module * : fa__module_names, const fa_module * : fa__module_names, fa_parameters : fa__state_same)(s)
#endif

/** Texts with names. */
typedef struct fa_metadata {
    size_t count;             /**< how many */
    const char *const *name;  /**< as many names, each once, in UTF-8 */
    const char *const *value; /**< as many texts, in UTF-8 */
} fa_metadata;

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
/* Puts the names first, and behind them the values. */
static inline fa_metadata fa__metadata_of(size_t count, const char *const *text, const char **to)
{
    for (size_t i = 0; i < count; i++)
        to[i / 2 + i % 2 * (count / 2)] = text[i];
    return (fa_metadata){count / 2, to, to + count / 2};
}
/** Texts where a list of them goes, each behind its name: FA_METADATA("run", "7", "by", "me"). */
#define FA_METADATA(...) FA__CAT(FA__METADATA, FA__EMPTY(__VA_ARGS__))(__VA_ARGS__)
#define FA__METADATA0(...)                                                                                             \
    fa__metadata_of(FA__PAIRED(FA__COUNT(__VA_ARGS__)), (const char *const[]){__VA_ARGS__},                            \
                    (const char * [FA__COUNT(__VA_ARGS__)]){NULL})
#define FA__METADATA1(...) ((fa_metadata){0, NULL, NULL})
#define FA__PAIRED(count)                                                                                              \
    ((count) + 0 * sizeof(struct {                                                                                     \
                   int fa__none;                                                                                       \
                   _Static_assert((count) % 2 == 0, "each name has its value behind it");                              \
               }))
#endif

/** Options of fa_save(). */
typedef struct fa_save_options {
    size_t size;          /**< set by the macro */
    fa_metadata metadata; /**< texts to put in front */
    char fa__end;
} fa_save_options;
#define FA__DEFAULT_fa_save                                                                                            \
    {                                                                                                                  \
        offsetof(fa_save_options, fa__end), {0, NULL, NULL}, 0                                                         \
    }

/** Writes tensors to a safetensors file, from whatever devices they are on: waits for each.
 *
 *      fa_save(net, "cnn.safetensors", .metadata = FA_METADATA("run", "7"))
 *
 *  @param state   a module, whose fa_module_state() it is, or an fa_parameters with names
 *  @param path    of the file, which is replaced
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return false and an error: then the old file is as it was. Names and texts that are not UTF-8 are one, since nobody
 *  could read the file */
FA_API bool fa_save(fa_parameters state, const char *path, const fa_save_options *options);
#define fa_save(...) FA__CALL2(fa_save, FA__STATE, FA__SAME, __VA_ARGS__)

/** Options of fa_load(). */
typedef struct fa_load_options {
    size_t size; /**< set by the macro */
    bool strict; /**< missing and unexpected names are an error; false: they are passed over */
    char fa__end;
} fa_load_options;
#define FA__DEFAULT_fa_load                                                                                            \
    {                                                                                                                  \
        offsetof(fa_load_options, fa__end), true, 0                                                                    \
    }

/** Sets tensors to what a safetensors file has under their names. They stay where they are and keep their dtype; their
 *  shapes have to be those of the file. Nothing is changed before all of the file has been read and found good. A
 *  tensor that a module has under several names may be there under any of them; of several the last one counts, as for
 *  PyTorch.
 *
 *      fa_load(net, "cnn.safetensors", .strict = true)
 *
 *  @param state   a module, whose fa_module_state() it is, or an fa_parameters with names
 *  @param path    of the file
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return false and an error, which names what is missing, unexpected, or of another shape */
FA_API bool fa_load(fa_parameters state, const char *path, const fa_load_options *options);
#define fa_load(...) FA__CALL2(fa_load, FA__NAMES, FA__SAME, __VA_ARGS__)

/** What is in a file: its arrays belong to the scope, as the tensors do. */
typedef struct fa_saved {
    fa_parameters tensors; /**< in the order of the file; name is NULL after an error */
    fa_metadata metadata;  /**< the texts in front of them */
} fa_saved;

/** Options of fa_load_file(). */
typedef struct fa_load_file_options {
    size_t size;      /**< set by the macro */
    fa_device device; /**< where the tensors are made; FA_META: shapes and dtypes alone are read */
    char fa__end;
} fa_load_file_options;
#define FA__DEFAULT_fa_load_file                                                                                       \
    {                                                                                                                  \
        offsetof(fa_load_file_options, fa__end), {0, 0}, 0                                                             \
    }

/** All that a safetensors file has.
 *
 *      fa_load_file("cnn.safetensors", .device)
 *
 *  @param path    of the file
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return empty after an error: FA_ERROR_FILE for a damaged file, FA_ERROR_DTYPE for a dtype that is not there,
 *  FA_ERROR_SHAPE for more than FA_MAX_DIMS dimensions */
FA_API fa_saved fa_load_file(const char *path, const fa_load_file_options *options);
#define fa_load_file(...) FA__CALL1(fa_load_file, FA__SAME, __VA_ARGS__)

/** What a file tells of a tensor, be it one that cannot be loaded. */
typedef struct fa_saved_entry {
    const char *name;       /**< in UTF-8 */
    const char *dtype_name; /**< as the file has it: "F32" */
    fa_dtype dtype;         /**< what that is here; FA_SAME: nothing, it cannot be loaded */
    fa_shape shape;         /**< of more than FA_MAX_DIMS sizes the first ones */
    int64_t rank;           /**< how many sizes there are; with more than FA_MAX_DIMS it cannot be loaded */
    int64_t elements;       /**< their product */
    int64_t begin;          /**< where its bytes begin, counted from the end of the file's head */
    int64_t end;            /**< where they end */
} fa_saved_entry;

/** The head of a file. Names, texts and entries live as long as the scope in which fa_load_header() was called. */
typedef struct fa_saved_head {
    size_t count;                /**< how many tensors there are */
    const fa_saved_entry *entry; /**< as many, in the order of the file; NULL after an error */
    fa_metadata metadata;        /**< the texts in front of them */
} fa_saved_head;

/** What a safetensors file says that it has. No tensor is read, and none has to be of a dtype that is there.
 *  @param path of the file
 *  @return empty after an error: FA_ERROR_FILE for a damaged file */
FA_API fa_saved_head fa_load_header(const char *path);

/* ---- checkpoints: all that training needs to go on ---- */

/** What a checkpoint is of; NULL: there is none. */
typedef struct fa_checkpoint_options {
    size_t size;           /**< set by the macro */
    fa_module *module;     /**< its fa_module_state() */
    fa_optim *optim;       /**< what it keeps for its parameters, its options and rates */
    fa_schedule *schedule; /**< where it stands */
    fa_loader *loader;     /**< its fa_loader_position(): the epoch, and the batch within it */
    fa_metadata metadata;  /**< texts of the program's own, which fa_load_file() gives back; names that begin with
                                "facula." are the library's */
    char fa__end;
} fa_checkpoint_options;
#define FA__DEFAULT_fa_checkpoint                                                                                      \
    {                                                                                                                  \
        offsetof(fa_checkpoint_options, fa__end), NULL, NULL, NULL, NULL, {0, NULL, NULL}, 0                           \
    }
#define FA__DEFAULT_fa_checkpoint_save FA__DEFAULT_fa_checkpoint
#define FA__DEFAULT_fa_checkpoint_load FA__DEFAULT_fa_checkpoint
/** Options of fa_checkpoint_save(). */
typedef fa_checkpoint_options fa_checkpoint_save_options;
/** Options of fa_checkpoint_load(). */
typedef fa_checkpoint_options fa_checkpoint_load_options;

/** Writes all that training needs to go on as if it had never stopped: what is named here, and the state of the default
 *  generator of random numbers. It is a safetensors file, written as fa_save() writes one; the network's tensors have
 *  their names with "model." in front.
 *
 *      FA_EACH(batch, loader) {
 *          step(net, opt, batch);
 *          if (batch.index % 1000 == 999)
 *              fa_checkpoint_save("run.safetensors", .module = net, .optim = opt, .loader = loader);
 *      }
 *
 *  A program with several networks, optimizers or loaders writes a file for each; these are replaced one by one, so
 * that one who stops it in between finds some of them old. The default generator is the same in all.
 *
 *  An epoch that was left by `break` is gone on with where it was left; fa_loader_position() tells how to go to the
 * next one before saving.
 *
 *  @param path    of the file, which is replaced
 *  @param options what the macro makes of the named options
 *  @return false and an error: then the old file is as it was */
FA_API bool fa_checkpoint_save(const char *path, const fa_checkpoint_options *options);
#define fa_checkpoint_save(...) FA__CALL1(fa_checkpoint_save, FA__SAME, __VA_ARGS__)

/** Puts objects that were made in the same way, and the default generator, to where a checkpoint left them; they may be
 *  on other devices than they were. Then the same program goes on bit for bit: the next FA_EACH goes through the rest
 * of the epoch.
 *
 *      int64_t epoch = fa_loader_position(loader).epoch;
 *
 *  Schedules are made before, as making one changes the optimizer's rates.
 *  @param path    of a file of fa_checkpoint_save()
 *  @param options what is to be restored, which may be less than there is
 *  @return false and an error: a file that is damaged or does not fit changes nothing; without memory, part of it may
 *  be done */
FA_API bool fa_checkpoint_load(const char *path, const fa_checkpoint_options *options);
#define fa_checkpoint_load(...) FA__CALL1(fa_checkpoint_load, FA__SAME, __VA_ARGS__)

FA__END
#endif
