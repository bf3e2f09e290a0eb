/* Saving and loading by name. */
#include "io/npy.h"
#include <facula/error.h>
#include <facula/host.h>
#include <facula/scope.h>

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), size = strlen(ending);
    return length >= size && !strcmp(path + length - size, ending);
}

void fa__warn_of_pickle(const char *who, const char *path)
{
    if (path && (ends_with(path, ".pt") || ends_with(path, ".pth")))
        fa__warn(
            "%s: %s is a safetensors file: Facula and safetensors.torch.load_file() read it, torch.load() does not",
            who, path);
}

/* Writes one of NumPy's files. */
static bool save_numpy(const char *path, fa_parameters state, fa_metadata metadata, bool many)
{
    static const char who[] = "fa_save";
    if (!fa__stored_check(who, path, state, metadata))
        return false;
    if (metadata.count)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: %s: NumPy's files have no metadata", who, path);
    return many ? fa__npz_write(who, path, state) : fa__npy_write(who, path, state);
}

bool fa__save_safetensors(fa_parameters state, const char *path, const fa_save_options *options)
{
    fa_save_options o = FA__DEFAULT_fa_save;
    fa__options_read(&o, o.size, options);
    return fa__stored_write("fa_save", path, state, o.metadata);
}

bool(fa_save)(fa_parameters state, const char *path, const fa_save_options *options)
{
    fa_save_options o = FA__DEFAULT_fa_save;
    fa__options_read(&o, o.size, options);
    bool many = path && ends_with(path, ".npz");
    if (many || (path && ends_with(path, ".npy")))
        return save_numpy(path, state, o.metadata, many);
    bool good = fa__save_safetensors(state, path, options);
    if (good)
        fa__warn_of_pickle("fa_save", path);
    return good;
}

bool(fa_load)(fa_parameters state, const char *path, const fa_load_options *options)
{
    fa_load_options o = FA__DEFAULT_fa_load;
    fa__options_read(&o, o.size, options);
    FA_SCOPE;
    fa__stored *a = fa__stored_open("fa_load", path);
    fa__match *m = a ? fa__match_new(a, o.prefix ? o.prefix : "", state, o.strict) : NULL;
    return m && fa__match_read(a, m) && fa__match_write(a, m);
}

/* ---- loading whole files ---- */

/* Holds what an fa_saved points to. */
typedef struct saved {
    fa_object base;
    fa__stored *archive;
    size_t count;
    fa_tensor *item[];
} saved;

static void saved_destroy(void *object)
{
    saved *s = object;
    for (size_t i = 0; i < s->count; i++)
        fa__unhold(s->item[i]);
    fa__unhold(s->archive);
}

static const fa_object_type saved_type = {"saved", saved_destroy};

/* Reads all tensors of a file. The pointers to the names are stored after those to the tensors. */
static saved *saved_new(fa__stored *a, fa_device device)
{
    saved *s = fa_object_new(&saved_type, sizeof *s + a->count * (sizeof *s->item + sizeof(char *)));
    const char **name = s ? (const char **)(void *)(s->item + a->count) : NULL;
    for (size_t i = 0; s && i < a->count; i++) {
        FA_SCOPE;
        fa_tensor *t = fa__stored_read(a, i, device);
        if (!t)
            return NULL;
        s->item[s->count++] = fa__hold(t);
        name[i] = a->entry[i].name;
    }
    return s;
}

fa_saved_head fa_load_header(const char *path)
{
    fa_saved_head none = {.metadata = {0, fa__no_names, fa__no_names}};
    fa__stored *a = fa__stored_open("fa_load_header", path);
    if (!a)
        return none;
    fa__stored_close(a);
    return (fa_saved_head){a->count, a->entry, {a->texts, a->name, a->value}};
}

const char *fa_metadata_find(fa_metadata list, const char *name)
{
    for (size_t i = 0; name && i < list.count; i++)
        if (!strcmp(list.name[i], name))
            return list.value[i];
    fa_fail(FA_ERROR_ARGUMENT, "fa_metadata_find: none of the %zu strings is called \"%.100s\"", list.count,
            name ? name : "NULL");
    return NULL;
}

fa_tensor *fa__load_mapped(const char *who, const char *path, size_t index)
{
    FA_SCOPE;
    fa__stored *a = fa__stored_open(who, path);
    if (!a)
        return NULL;
    a->map = true;
    fa_tensor *t = fa__stored_read(a, index, FA_CPU);
    return t ? fa_escape(t) : NULL;
}

fa_saved(fa_load_file)(const char *path, const fa_load_file_options *options)
{
    fa_saved none = {.tensors = {0, fa__no_items, fa__no_names}, .metadata = {0, fa__no_names, fa__no_names}};
    fa_load_file_options o = FA__DEFAULT_fa_load_file;
    fa__options_read(&o, o.size, options);
    FA_SCOPE;
    fa__stored *a = fa__stored_open("fa_load_file", path);
    if (a)
        a->map = o.map;
    saved *s = a ? saved_new(a, o.device) : NULL;
    if (!s)
        return none;
    fa__stored_close(a);
    s->archive = fa__hold(a);
    fa_escape(s);
    const char *const *names = (const char *const *)(void *)(s->item + s->count);
    return (fa_saved){{s->count, s->item, names}, {a->texts, a->name, a->value}};
}
