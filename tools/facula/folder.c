/* Folders of images as data: their parts, and the size and colors that a network for them has. */
#include "network.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { LEAST_SIDE = 8, USUAL_SIDE = 64, MOST_OWN_SIDE = 128, MOST_LOOKED_AT = 256, KEPT_BYTES = 1 << 30 };

/* ---- parts ---- */

static bool is_folder(const char *path)
{
    struct stat status;
    return !stat(path, &status) && S_ISDIR(status.st_mode);
}

/* The path of a subfolder; NULL if there is none. */
static const char *inner(const char *folder, const char *name)
{
    size_t room = strlen(folder) + strlen(name) + 2;
    char *path = scratch(room);
    if (path)
        snprintf(path, room, "%s/%s", folder, name);
    return path && is_folder(path) ? path : NULL;
}

/* The subfolder with the held-out samples; NULL: the folder has no parts. */
static const char *held_out_in(const char *folder)
{
    static const char *const names[] = {"test", "val", "valid", "validation"};
    const char *path = NULL;
    for (size_t i = 0; !path && i < sizeof names / sizeof *names && inner(folder, "train"); i++)
        path = inner(folder, names[i]);
    return path;
}

/* The samples of a part, as bytes of `channels` channels. */
static fa_dataset *open_part(const char *folder, int64_t channels, int64_t seed, int part)
{
    const char *held_out = held_out_in(folder);
    if (held_out)
        return fa_data_image_folder(part == 1 ? inner(folder, "train") : held_out, .channels = channels);
    fa_dataset *all = fa_data_image_folder(folder, .channels = channels);
    if (!all || part < 0)
        return all;
    fa_datasets parts = fa_data_split(all, 0.8, .seed = seed);
    return part == 1 ? parts.first : parts.second;
}

/* ---- describing ---- */

/* What some images have in common. */
typedef struct looks {
    int64_t height, width; /* 0: they differ */
    bool color;
    double sum[MOST_CHANNELS], squares[MOST_CHANNELS], pixels;
} looks;

static void add_channel(looks *l, int64_t at, const fa_tensor *x)
{
    fa_tensor *v = fa_div(fa_to(x, FA_F64), 255);
    l->sum[at] += fa_item(fa_sum(v));
    l->squares[at] += fa_item(fa_sum(fa_square(v)));
}

static void add_image(looks *l, const fa_tensor *x)
{
    int64_t channels = fa_size(x, 0), height = fa_size(x, 1), width = fa_size(x, 2);
    bool first = l->pixels == 0;
    l->color |= channels > 1;
    l->height = first || l->height == height ? height : 0;
    l->width = first || l->width == width ? width : 0;
    l->pixels += (double)(height * width);
    for (int64_t i = 0; i < MOST_CHANNELS; i++)
        add_channel(l, i, fa_select(x, 0, i < channels ? i : 0));
}

static bool look_at(fa_dataset *d, const settings *s, looks *l)
{
    int64_t all = fa_dataset_length(d), count = all < MOST_LOOKED_AT ? all : MOST_LOOKED_AT;
    FA_USE(.no_grad = true);
    for (int64_t i = 0; i < count && !fa_failed(); i++) {
        FA_SCOPE;
        fa_tensor *x = sample_of(d, i * all / count, s).input;
        if (x)
            add_image(l, x);
    }
    return !fa_failed();
}

static void take_looks(network *n, const looks *l, int64_t size)
{
    bool own =
        l->height >= LEAST_SIDE && l->width >= LEAST_SIDE && l->height <= MOST_OWN_SIDE && l->width <= MOST_OWN_SIDE;
    n->channels = l->color ? 3 : 1;
    n->height = size ? size : own ? l->height : USUAL_SIDE;
    n->width = size ? size : own ? l->width : USUAL_SIDE;
    for (int64_t i = 0; i < n->channels; i++) {
        double mean = l->sum[i] / l->pixels, variance = fmax(0, l->squares[i] / l->pixels - mean * mean);
        n->mean[i] = mean;
        n->deviation[i] = variance > 1e-6 ? sqrt(variance) : 1;
    }
}

static bool take_classes(network *n, const fa_dataset *d, const char *path)
{
    n->classes = fa_dataset_classes(d);
    if (n->classes < 2 || n->classes > MOST_CLASSES)
        return fa_fail(FA_ERROR_USER, "%s has %" PRId64 " class%s, which are its subfolders: a network learns 2 to %d",
                       path, n->classes, n->classes == 1 ? "" : "es", (int)MOST_CLASSES);
    for (int64_t i = 0; i < n->classes; i++)
        n->class_name[i] = fa_dataset_class_name(d, i);
    return true;
}

bool folder_describe(const settings *s, network *n)
{
    looks l = {0};
    fa_dataset *d = open_part(s->data, 0, s->seed, 1);
    if (!d || !take_classes(n, d, s->data) || !look_at(d, s, &l))
        return false;
    if (l.pixels == 0)
        return fa_fail(FA_ERROR_USER, "%s has no samples to learn from", s->data);
    take_looks(n, &l, s->size);
    return true;
}

/* ---- samples ---- */

/* The numbers of the network's classes for those of a folder. */
static bool rename_class(void *context, int64_t index, fa_sample *sample)
{
    const int64_t *number = context;
    (void)index;
    sample->target = fa_tensor_from(&number[fa_item_int(sample->target)], FA_SCALAR, .dtype = FA_I64, .device = FA_CPU);
    return sample->target;
}

/* Numbers the classes as the network does, by their names. */
static fa_dataset *renamed(const network *n, fa_dataset *d, const char *path)
{
    int64_t classes = fa_dataset_classes(d), *number = scratch((size_t)(classes + 1) * sizeof *number);
    bool same = number;
    for (int64_t i = 0; number && i < classes; i++) {
        number[i] = network_class(n, fa_dataset_class_name(d, i));
        same &= number[i] == i;
        if (number[i] >= 0)
            continue;
        fa_fail(FA_ERROR_USER, "%s has a class \"%s\", which the network does not know", path,
                fa_dataset_class_name(d, i));
        return NULL;
    }
    return !number ? NULL : same ? d : fa_data_map(d, rename_class, number);
}

/* Images are decoded and resized once, if the results fit into a gigabyte. */
fa_dataset *folder_data(const network *n, const settings *s, int part)
{
    fa_dataset *d = open_part(s->data, n->channels, n->seed, part);
    d = d ? renamed(n, d, s->data) : NULL;
    if (!d)
        return NULL;
    d = fa_data_transformed(d, fa_transform_resize(FA_PAIR(n->height, n->width)));
    int64_t bytes = n->channels * n->height * n->width, count = fa_dataset_length(d);
    if (d && count >= 0 && count < KEPT_BYTES / bytes)
        d = fa_data_cached(d);
    return fa_data_transformed(d, network_transform(n, part == 1 && s->augment));
}
