/* Image folders: a subfolder for each class, and image files at any depth in it. */
#include "data/data.h"
#include <dirent.h>
#include <errno.h>
#include <facula/dataset.h>
#include <facula/error.h>
#include <facula/tensor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 32, PATH_ROOM = 4096 };

typedef struct folder {
    fa_object base;
    int64_t channels, count, room;
    struct {
        char *path;
        int64_t class;
    } * file;
} folder;

static void folder_destroy(void *object)
{
    folder *f = object;
    for (int64_t i = 0; i < f->count; i++)
        free(f->file[i].path);
    free(f->file);
}

static const fa_object_type folder_object = {"image folder", folder_destroy};

static int64_t folder_length(void *context)
{
    return ((const folder *)context)->count;
}

static bool folder_get(void *context, int64_t index, fa_sample *sample)
{
    const folder *f = context;
    int64_t class = f->file[index].class;
    sample->input = fa__image_read(f->file[index].path, f->channels, fa__sample_is_copied());
    sample->target = fa_tensor_from(&class, FA_SCALAR, .dtype = FA_I64, .device = FA_CPU);
    return sample->input && sample->target;
}

/* ---- finding the files ---- */

static bool is_image(const char *name)
{
    static const char *const endings[] = {".jpg", ".jpeg", ".png", ".ppm", ".pgm", ".pnm"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (!strcasecmp(dot, endings[i]))
            return true;
    return false;
}

static bool out_of_memory(void)
{
    return fa_fail(FA_ERROR_MEMORY, "fa_data_image_folder: out of memory for the names of the files");
}

static bool add_file(folder *f, const char *path, int64_t class)
{
    if (f->count == f->room) {
        int64_t room = f->room ? 2 * f->room : 64;
        void *larger = realloc(f->file, (size_t)room * sizeof *f->file);
        if (!larger)
            return out_of_memory();
        f->file = larger;
        f->room = room;
    }
    char *copy = strdup(path);
    if (!copy)
        return out_of_memory();
    f->file[f->count].path = copy;
    f->file[f->count++].class = class;
    return true;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void entries_free(struct dirent **entry, int count)
{
    for (int i = 0; i < count; i++)
        free(entry[i]);
    free(entry);
}

/* The entries of a folder, sorted; -1 and an error on failure. */
static int entries_of(const char *path, struct dirent ***entry)
{
    int n = scandir(path, entry, is_visible, by_bytes);
    if (n < 0)
        fa_fail(FA_ERROR_FILE, "fa_data_image_folder: %s: %s", path, strerror(errno));
    return n;
}

/* The path of an entry, and whether it is a folder or a regular file; neither if it cannot be looked at. */
static bool join(char to[static PATH_ROOM], const char *path, const char *name, bool *is_folder, bool *is_file)
{
    struct stat s;
    if (snprintf(to, PATH_ROOM, "%s/%s", path, name) >= PATH_ROOM)
        return fa_fail(FA_ERROR_FILE, "fa_data_image_folder: the path %s/%s is too long", path, name);
    bool there = stat(to, &s) == 0;
    *is_folder = there && S_ISDIR(s.st_mode);
    *is_file = there && S_ISREG(s.st_mode);
    return true;
}

static bool add_files(folder *f, const char *path, int64_t class, int depth)
{
    struct dirent **entry;
    int n = entries_of(path, &entry);
    bool good = n >= 0, is_folder = false, is_file = false;
    for (int i = 0; good && i < n; i++) {
        char inner[PATH_ROOM];
        good = join(inner, path, entry[i]->d_name, &is_folder, &is_file);
        if (good && is_folder)
            good = depth < DEEPEST ? add_files(f, inner, class, depth + 1)
                                   : fa_fail(FA_ERROR_FILE, "fa_data_image_folder: %s: more than %d folders deep",
                                             inner, (int)DEEPEST);
        else if (good && is_file && is_image(entry[i]->d_name))
            good = add_file(f, inner, class);
    }
    if (n >= 0)
        entries_free(entry, n);
    return good;
}

/* What else a folder without classes is likely to be: text behind "no subfolders", in `to`. */
static const char *other_data(const char *path, char *to, size_t size)
{
    static const char *const data[][2] = {{"data_batch_1.bin", "fa_data_cifar10"},
                                          {"train.bin", "fa_data_cifar100"},
                                          {"train-images-idx3-ubyte", "fa_data_mnist"},
                                          {"train-images-idx3-ubyte.gz", "fa_data_mnist"}};
    char file[PATH_ROOM];
    *to = 0;
    for (size_t i = 0; i < sizeof data / sizeof *data; i++)
        if (snprintf(file, sizeof file, "%s/%s", path, data[i][0]) < PATH_ROOM && access(file, F_OK) == 0)
            snprintf(to, size, ", but %s, which %s() reads", data[i][0], data[i][1]);
    return to;
}

static bool without_images(const char *path, bool classes)
{
    char other[100];
    return fa_fail(FA_ERROR_FILE, "fa_data_image_folder: %s has %s%s", path,
                   classes ? "no images in its subfolders" : "no subfolders, which would be the classes",
                   classes ? "" : other_data(path, other, sizeof other));
}

/* The files of all classes, and the names of the classes in the innermost scope; NULL and an error on failure. */
static fa__names *add_classes(folder *f, const char *path)
{
    struct dirent **entry;
    int n = entries_of(path, &entry);
    if (n < 0)
        return NULL;
    const char **name = calloc((size_t)n + 1, sizeof *name);
    int64_t classes = 0;
    bool good = name, is_folder = false, is_file = false;
    if (!name)
        out_of_memory();
    for (int i = 0; good && i < n; i++) {
        char inner[PATH_ROOM];
        good = join(inner, path, entry[i]->d_name, &is_folder, &is_file);
        if (good && is_folder) {
            name[classes] = entry[i]->d_name;
            good = add_files(f, inner, classes++, 0);
        }
    }
    if (good && !f->count)
        good = without_images(path, classes > 0);
    fa__names *names = good ? fa__names_of(name, classes) : NULL;
    free(name);
    entries_free(entry, n);
    return names;
}

static fa_dataset *folder_new(const char *path, const fa_data_image_folder_options *o)
{
    static const fa_dataset_type type = {
        .name = "image_folder", .length = folder_length, .get = folder_get, .release = fa__context_release};
    folder *f = fa_object_new(&folder_object, sizeof *f);
    fa__names *names = f ? add_classes(f, path) : NULL;
    if (!names)
        return NULL;
    f->channels = o->channels;
    fa_dataset *d = fa__dataset_named(fa_dataset_new(&type, fa__hold(f)), names);
    return d ? fa_data_transformed(d, o->transform) : NULL;
}

fa_dataset *(fa_data_image_folder)(const char *path, const fa_data_image_folder_options *options)
{
    fa_data_image_folder_options o = FA__DEFAULT_fa_data_image_folder;
    fa__options_read(&o, o.size, options);
    if (fa_error_stands())
        return NULL;
    if (!path || (o.channels != 0 && o.channels != 1 && o.channels != 3)) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_data_image_folder: %s", path ? ".channels is 0, 1 or 3" : "the folder is NULL");
        return NULL;
    }
    FA_SCOPE;
    fa_dataset *d = folder_new(path, &o);
    return d ? fa_escape(d) : NULL;
}
