/* Datasets whose samples are stored in files, one for each sample, when they are read first. */
#include "data/data.h"
#include <errno.h>
#include <facula/dataset.h>
#include <facula/error.h>
#include <facula/host.h>
#include <facula/save.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

static const char *const names[FA__ITEMS] = {"input",  "target", "extra0", "extra1",
                                             "extra2", "extra3", "extra4", "extra5"};

typedef struct stored {
    fa_object base;
    fa_dataset *dataset;
    char folder[PATH_ROOM - 64];
} stored;

static void stored_destroy(void *object)
{
    fa__unhold(((stored *)object)->dataset);
}

static const fa_object_type stored_object = {"stored", stored_destroy};

static int64_t stored_length(void *context)
{
    return fa_dataset_length(((const stored *)context)->dataset);
}

static bool read_file(const char *path, fa_sample *sample)
{
    fa_saved s = fa_load_file(path, .device = FA_CPU);
    for (size_t i = 0; i < s.tensors.count; i++)
        for (int k = 0; k < FA__ITEMS; k++)
            if (!strcmp(s.tensors.name[i], names[k]))
                *fa__sample_item(sample, k) = s.tensors.item[i];
    return !fa_error_stands()
           && (sample->input || fa_fail(FA_ERROR_FILE, "fa_data_cached_in: %s is no sample of a dataset", path));
}

static bool write_file(const char *path, fa_sample *sample)
{
    fa_tensor *item[FA__ITEMS];
    const char *name[FA__ITEMS];
    size_t count = 0;
    for (int k = 0; k < FA__ITEMS; k++)
        if (*fa__sample_item(sample, k)) {
            item[count] = *fa__sample_item(sample, k);
            name[count++] = names[k];
        }
    const fa_parameters all = {count, item, name};
    return fa_save(all, path);
}

static bool stored_get(void *context, int64_t index, fa_sample *sample)
{
    const stored *s = context;
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%010" PRId64 ".safetensors", s->folder, index);
    if (access(path, F_OK) == 0)
        return read_file(path, sample);
    *sample = fa_dataset_get(s->dataset, index);
    for (int k = 0; sample->input && k < FA__ITEMS; k++)
        if (*fa__sample_item(sample, k))
            *fa__sample_item(sample, k) = fa_cpu(*fa__sample_item(sample, k));
    return sample->input && write_file(path, sample);
}

/* The folder says how many samples the dataset has for which it was made. */
static bool folder_is_good(const char *folder, int64_t samples)
{
    char path[PATH_ROOM];
    long long there = -1;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return fa_fail(FA_ERROR_FILE, "fa_data_cached_in: %s: %s", folder, strerror(errno));
    snprintf(path, sizeof path, "%s/samples", folder);
    FILE *f = fopen(path, "r");
    if (!f) {
        char text[32];
        int n = snprintf(text, sizeof text, "%" PRId64 "\n", samples);
        return fa_file_write(path, text, (size_t)n);
    }
    bool read = fscanf(f, "%lld", &there) == 1;
    fclose(f);
    return (read && there == samples)
           || fa_fail(FA_ERROR_FILE,
                      "fa_data_cached_in: %s is for a dataset of %lld samples, and this one has %" PRId64, folder,
                      there, samples);
}

fa_dataset *fa_data_cached_in(fa_dataset *dataset, const char *folder)
{
    static const fa_dataset_type type = {
        .name = "cached_in", .length = stored_length, .get = stored_get, .release = fa__context_release};
    if (!folder || strlen(folder) >= sizeof(((stored *)0)->folder)) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_data_cached_in: the folder is %s", folder ? "too long a path" : "NULL");
        return NULL;
    }
    int64_t n = fa__dataset_by_number(dataset, "fa_data_cached_in") ? fa_dataset_length(dataset) : -1;
    if (n < 0 || fa_error_stands() || !folder_is_good(folder, n))
        return NULL;
    FA_SCOPE;
    stored *s = fa_object_new(&stored_object, sizeof *s);
    if (!s)
        return NULL;
    s->dataset = fa__hold(dataset);
    snprintf(s->folder, sizeof s->folder, "%s", folder);
    fa_dataset *d = fa__dataset_like(fa_dataset_new(&type, fa__hold(s)), dataset, true);
    return d ? fa_escape(d) : NULL;
}
