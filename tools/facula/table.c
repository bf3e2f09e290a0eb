/* Tables in CSV files as data: columns become features, and the target's values classes. */
#include "network.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FEATURES = 100000 };

/* ---- describing ---- */

static bool take_categories(const fa_dataset *d, int64_t at, column *c)
{
    c->category = scratch((size_t)c->categories * sizeof *c->category);
    for (int64_t k = 0; c->category && k < c->categories; k++)
        c->category[k] = fa_data_csv_category(d, at, k);
    return c->category;
}

/* The columns but the target, and the number of features they make. */
static bool take_columns(const settings *s, const fa_dataset *d, network *n)
{
    fa_column f;
    int64_t all = 0;
    while (fa_data_csv_column(d, all, &f))
        all++;
    n->column = scratch((size_t)all * sizeof *n->column);
    for (int64_t i = 0; n->column && i < all && fa_data_csv_column(d, i, &f); i++) {
        column *c = &n->column[n->columns];
        if (f.target) {
            n->target = f.name;
            continue;
        }
        *c = (column){.name = f.name, .categories = f.categories, .mean = f.mean, .deviation = f.std};
        if (c->categories || !isfinite(f.mean) || !isfinite(f.std))
            c->mean = 0, c->deviation = 1;
        if (!(c->deviation > 0))
            c->deviation = 1;
        if (c->categories && !take_categories(d, i, c))
            return false;
        n->width += c->categories ? c->categories : 1;
        n->columns++;
    }
    if (n->column && (!n->columns || n->width > MOST_FEATURES))
        fa_fail(FA_ERROR_USER, "%s has %" PRId64 " features besides the target \"%s\": a network takes 1 to %d%s",
                s->data, n->width, n->target, (int)MOST_FEATURES, n->columns ? "; each different text is one" : "");
    return !fa_failed();
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool too_many(const char *path, const network *n)
{
    return fa_fail(
        FA_ERROR_USER,
        "%s: the target \"%s\" has more than %d different values, and a network learns classes; --target names "
        "another column",
        path, n->target, (int)MOST_CLASSES);
}

/* The different values of a target of whole numbers, in ascending order. */
static bool take_numbers(const char *path, network *n, const int64_t *value, int64_t count)
{
    int64_t *sorted = scratch((size_t)count * sizeof *sorted);
    if (!sorted)
        return false;
    memcpy(sorted, value, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    for (int64_t i = 0; i < count; i++) {
        if (i && sorted[i] == sorted[i - 1])
            continue;
        char *name = scratch(24);
        if (!name || n->classes == MOST_CLASSES)
            return name && too_many(path, n);
        snprintf(name, 24, "%" PRId64, sorted[i]);
        n->class_name[n->classes++] = name;
    }
    return true;
}

/* Numbers that the classes of a target have in the file, f32 or i64; NULL and an error if they are not whole. */
static int64_t *targets_of(const char *path, const char *target, fa_dataset *d, int64_t count)
{
    int64_t *index = scratch((size_t)count * sizeof *index);
    for (int64_t i = 0; index && i < count; i++)
        index[i] = i;
    FA_USE(.no_grad = true);
    fa_tensor *y = index ? fa_dataset_batch(d, index, count).target : NULL;
    if (!y)
        return NULL;
    if (fa_tensor_dtype(y) != FA_I64) {
        fa_fail(FA_ERROR_USER,
                "%s: the target \"%s\" has numbers that are not whole, and a network learns classes; --target names "
                "another "
                "column",
                path, target);
        return NULL;
    }
    return fa_read(y, index, FA_I64, count) ? index : NULL;
}

static bool take_classes(const char *path, network *n, fa_dataset *d)
{
    int64_t count = fa_dataset_length(d), names = fa_dataset_classes(d);
    if (count < 2)
        return fa_fail(FA_ERROR_USER, "%s has %" PRId64 " row%s: too few to learn from", path, count,
                       count == 1 ? "" : "s");
    const int64_t *value = names ? NULL : targets_of(path, n->target, d, count);
    if (names > MOST_CLASSES)
        return too_many(path, n);
    for (int64_t i = 0; i < names; i++)
        n->class_name[n->classes++] = fa_dataset_class_name(d, i);
    if (!names && (!value || !take_numbers(path, n, value, count)))
        return false;
    return n->classes > 1
           || fa_fail(FA_ERROR_USER, "%s: all values of the target \"%s\" are the same", path, n->target);
}

bool table_describe(const settings *s, network *n)
{
    if (s->model == MODEL_CNN)
        return fa_fail(FA_ERROR_USER, "%s is a table, and cnn takes images: mlp or linear", s->data);
    fa_dataset *d = fa_data_csv(s->data, .target = s->target, .missing = FA_MISSING_NAN);
    n->channels = n->height = 1;
    return d && take_columns(s, d, n) && take_classes(s->data, n, d);
}

/* ---- rows ---- */

/* The column of the file that a column of the network is read from, its place among the inputs, and the numbers of the
 * network's categories for those of the file. */
typedef struct source {
    fa_column in_file;
    int64_t place;
    int64_t *category; /* -1: not known */
} source;

static int64_t category_named(const column *c, const char *name)
{
    int64_t i = c->categories - 1;
    while (i >= 0 && strcmp(c->category[i], name))
        i--;
    return i;
}

static bool map_categories(const fa_dataset *d, int64_t at, const column *c, source *to)
{
    int64_t count = to->in_file.categories;
    to->category = scratch((size_t)(count + 1) * sizeof *to->category);
    for (int64_t i = 0; to->category && i < count; i++)
        to->category[i] = category_named(c, fa_data_csv_category(d, at, i));
    return to->category;
}

/* Finds a column by its name. False and an error if it is not there, or is text instead of numbers. */
static bool find(const fa_dataset *d, const char *path, const column *c, source *to)
{
    int64_t place = 0;
    for (int64_t i = 0; fa_data_csv_column(d, i, &to->in_file); i++) {
        if (strcmp(to->in_file.name, c->name) != 0 || to->in_file.target) {
            place += !to->in_file.target;
            continue;
        }
        to->place = place;
        if (to->in_file.categories && !c->categories)
            return fa_fail(FA_ERROR_USER, "%s: the column \"%s\" has text, and the network takes numbers there", path,
                           c->name);
        return !to->in_file.categories || map_categories(d, i, c, to);
    }
    return fa_fail(FA_ERROR_USER, "%s has no column \"%s\", which the network takes", path, c->name);
}

/* Writes the features of a column for one value of the file. */
static float *put_value(const column *c, const source *from, float value, float *to)
{
    if (!c->categories) {
        *to = !isfinite(value) ? 0 : (float)(((double)value - c->mean) / c->deviation);
        return to + 1;
    }
    int64_t at = -1;
    char number[32];
    snprintf(number, sizeof number, "%.9g", (double)value); /* a column of text whose texts here are numbers */
    if (!isnan(value))
        at = from->category ? from->category[(int64_t)value] : category_named(c, number);
    for (int64_t k = 0; k < c->categories; k++)
        to[k] = k == at ? 1 : 0;
    return to + c->categories;
}

/* The features of rows whose inputs are x, f32 (rows, inputs). */
static fa_tensor *features_of(const network *n, const source *from, const fa_tensor *x)
{
    int64_t rows = fa_size(x, 0), inputs = fa_size(x, 1);
    fa_tensor *features = fa_zeros(FA_SHAPE(rows, n->width), .device = FA_CPU);
    float *value = scratch((size_t)(rows * inputs) * sizeof *value), *to = features ? fa_ptr(features, FA_F32) : NULL;
    if (!to || !value || !fa_read(x, value, FA_F32, rows * inputs))
        return NULL;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < n->columns; k++)
            to = put_value(&n->column[k], &from[k], value[i * inputs + from[k].place], to);
    return features;
}

/* The network's classes of all rows. */
static fa_tensor *classes_of(const network *n, const char *path, fa_dataset *d, int64_t count)
{
    int64_t *class = targets_of(path, n->target, d, count), names = fa_dataset_classes(d);
    for (int64_t i = 0; class && i < count; i++) {
        char number[24];
        snprintf(number, sizeof number, "%" PRId64, class[i]);
        const char *name = names ? fa_dataset_class_name(d, class[i]) : number;
        class[i] = network_class(n, name);
        if (class[i] >= 0)
            continue;
        fa_fail(FA_ERROR_USER, "%s has the class \"%s\", which the network does not know", path, name);
        return NULL;
    }
    return class ? fa_tensor_from(class, FA_SHAPE(count), .dtype = FA_I64, .device = FA_CPU) : NULL;
}

bool table_read(const network *n, const char *path, fa_tensor **features, fa_tensor **target)
{
    fa_dataset *d = fa_data_csv(path, .target = target ? n->target : "", .missing = FA_MISSING_NAN);
    source *from = scratch((size_t)n->columns * sizeof *from);
    int64_t count = d ? fa_dataset_length(d) : 0;
    if (!d || !from)
        return false;
    if (!count)
        return fa_fail(FA_ERROR_USER, "%s has no rows", path);
    memset(from, 0, (size_t)n->columns * sizeof *from);
    for (int64_t k = 0; k < n->columns; k++)
        if (!find(d, path, &n->column[k], &from[k]))
            return false;
    int64_t *index = scratch((size_t)count * sizeof *index);
    for (int64_t i = 0; index && i < count; i++)
        index[i] = i;
    fa_tensor *x = index ? fa_dataset_batch(d, index, count).input : NULL;
    *features = x ? features_of(n, from, x) : NULL;
    if (target && *features)
        *target = classes_of(n, path, d, count);
    return *features && (!target || *target);
}

fa_dataset *table_data(const network *n, const settings *s, int part)
{
    fa_tensor *x = NULL, *y = NULL;
    fa_dataset *d =
        table_read(n, s->data, &x, &y) ? fa_data_tensors(fa_view(x, FA_SHAPE(-1, 1, 1, n->width)), y) : NULL;
    if (!d || part < 0)
        return d;
    fa_datasets parts = fa_data_split(d, 0.8, .seed = n->seed);
    return part == 1 ? parts.first : parts.second;
}
