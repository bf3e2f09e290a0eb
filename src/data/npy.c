/* Datasets of arrays in NumPy's files. */
#include "data/data.h"
#include <facula/dataset.h>
#include <facula/error.h>
#include <facula/save.h>
#include <string.h>

/* The array of this name; if it is NULL, the first one with another name than `other`. The others are not read, so that
 * their dtypes do not matter. NULL and an error if there is none. */
static fa_tensor *array_of(const char *path, fa_saved_head head, const char *name, const char *other)
{
    for (size_t i = 0; i < head.count; i++)
        if (name ? !strcmp(head.entry[i].name, name) : !other || strcmp(head.entry[i].name, other) != 0)
            return fa__load_mapped("fa_data_npy", path, i);
    if (!fa_error_stands())
        fa_fail(FA_ERROR_FILE, "fa_data_npy: %s has no%s array%s%s", path, !name && other ? " other" : "",
                name ? " " : "", name ? name : "");
    return NULL;
}

static bool is_archive(fa_saved_head head)
{
    return head.count != 1 || strcmp(head.entry[0].name, "array") != 0;
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
    fa_saved_head head = fa_load_header(path);
    bool archive = !fa_error_stands() && is_archive(head);
    fa_tensor *x = array_of(path, head, o.input, archive ? o.target : NULL), *y = NULL;
    if (x && o.target)
        y = archive ? array_of(path, head, o.target, NULL) : array_of(o.target, fa_load_header(o.target), NULL, NULL);
    if (!x || (o.target && !y))
        return NULL;
    fa_dataset *d = y ? fa_data_tensors(x, y) : fa_data_tensors(x);
    return d ? fa_escape(d) : NULL;
}
