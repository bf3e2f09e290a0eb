/* Datasets of arrays in NumPy's files. */
#include "data/data.h"
#include <facula/dataset.h>
#include <facula/error.h>
#include <facula/save.h>
#include <string.h>

static fa_parameters read_arrays(const char *path)
{
    return fa_load_file(path, .map = true, .device = FA_CPU).tensors;
}

/* The array of this name; the first one if it is NULL. NULL and an error if there is none. */
static fa_tensor *array_of(const char *path, fa_parameters arrays, const char *name)
{
    for (size_t i = 0; i < arrays.count; i++)
        if (!name || !strcmp(arrays.name[i], name))
            return arrays.item[i];
    if (!fa_error_stands())
        fa_fail(FA_ERROR_FILE, "fa_data_npy: %s has no array%s%s", path, name ? " " : "", name ? name : "");
    return NULL;
}

static bool is_archive(fa_parameters arrays)
{
    return arrays.count != 1 || strcmp(arrays.name[0], "array") != 0;
}

fa_dataset *(fa_data_npy)(const char *path, const fa_data_npy_options *options)
{
    fa_data_npy_options o = FA__DEFAULT_fa_data_npy;
    fa__options_read(&o, o.size, options);
    if (fa_error_stands())
        return NULL;
    if (!path) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_data_npy: the path is NULL");
        return NULL;
    }
    FA_SCOPE;
    fa_parameters arrays = read_arrays(path);
    fa_tensor *x = array_of(path, arrays, o.input), *y = NULL;
    if (x && o.target)
        y = is_archive(arrays) ? array_of(path, arrays, o.target) : array_of(o.target, read_arrays(o.target), NULL);
    if (!x || (o.target && !y))
        return NULL;
    fa_dataset *d = y ? fa_data_tensors(x, y) : fa_data_tensors(x);
    return d ? fa_escape(d) : NULL;
}
