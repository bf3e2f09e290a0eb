/* Tables in CSV files: the types of the columns, categories of text, missing values; as datasets. */
#include "data/csv.h"
#include "data/data.h"
#include "data/file.h"
#include <facula/dataset.h>
#include <facula/error.h>
#include <facula/host.h>
#include <facula/ops/create.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (INT64_C(1) << 32)

/* What fa_data_csv_column() and fa_data_csv_category() report. */
typedef struct table {
    fa_object base;
    int64_t count;
    fa__names *names;
    struct {
        fa_column facts;
        fa__names *categories; /* of a column of text; NULL: of numbers */
    } column[];
} table;

static void table_destroy(void *object)
{
    table *t = object;
    fa__unhold(t->names);
    for (int64_t k = 0; k < t->count; k++)
        fa__unhold(t->column[k].categories);
}

static const fa_object_type table_type = {"table", table_destroy};

/* A file, and what is made of it. Rows begin behind the header. */
typedef struct reader {
    const char *path;
    const fa__csv *csv;
    int64_t first, rows, target; /* the first row of values, their number, the column of the target or -1 */
    fa_data_csv_options options;
    table *about;
} reader;

/* A column's values: numbers, or the numbers of the categories; NaN where they are missing. */
typedef struct values {
    fa_object base;
    fa__names *names; /* of the categories; NULL: a column of numbers */
    double item[];
} values;

static const fa_object_type values_type = {"values", NULL};

static const fa__csv_field *field_of(const reader *r, int64_t row, int64_t column)
{
    return &r->csv->field[(r->first + row) * r->csv->columns + column];
}

static bool no_value(const reader *r, int64_t row, int64_t column)
{
    const fa_column *c = &r->about->column[column].facts;
    return fa_fail(FA_ERROR_FILE, "%s:%" PRId64 ":%" PRId64 ": there is no value in the column \"%s\"%s", r->path,
                   r->csv->line[r->first + row], column + 1, c->name,
                   c->target ? ", the target"
                             : "; .missing = FA_MISSING_MEAN takes the column's mean, or its most frequent text");
}

/* ---- header ---- */

/* Whether the first line has names; what the option -1 decides by. */
static bool has_header(const reader *r)
{
    double number;
    if (r->options.header >= 0)
        return r->options.header;
    for (int64_t k = 0; k < r->csv->columns; k++)
        if (fa__csv_number(&r->csv->field[k], &number))
            return false;
    return true;
}

static bool make_table(reader *r)
{
    int64_t n = r->csv->columns;
    size_t bytes = (size_t)n * 24;
    r->first = has_header(r);
    r->rows = r->csv->rows - r->first;
    for (int64_t k = 0; k < n && r->first; k++)
        bytes += (size_t)r->csv->field[k].length;
    table *t = fa_object_new(&table_type, sizeof *t + (size_t)n * sizeof *t->column);
    fa__names *names = t ? fa__names_new(n, bytes) : NULL;
    char *at = names ? names->text : NULL;
    for (int64_t k = 0; at && k < n; k++) {
        names->item[k] = at;
        at += r->first ? sprintf(at, "%s", r->csv->field[k].text) + 1 : sprintf(at, "%" PRId64, k) + 1;
        t->column[k].facts.name = names->item[k];
    }
    if (!at)
        return false;
    t->names = fa__hold(names);
    t->count = n;
    r->about = t;
    return true;
}

static bool no_column(const reader *r, const char *name)
{
    char list[300] = "";
    size_t at = 0;
    int64_t k = 0;
    for (; k < r->about->count && at < sizeof list - 60; k++)
        at +=
            (size_t)snprintf(list + at, sizeof list - at, "%s\"%.40s\"", k ? ", " : "", r->about->column[k].facts.name);
    return fa_fail(FA_ERROR_ARGUMENT, "fa_data_csv: %s has no column \"%s\", the .target; it has %s%s", r->path, name,
                   list, k < r->about->count ? ", ..." : "");
}

static bool find_target(reader *r)
{
    const char *name = r->options.target;
    char *end;
    r->target = name ? -1 : r->csv->columns - 1;
    for (int64_t k = 0; name && *name && k < r->csv->columns; k++)
        if (!strcmp(r->about->column[k].facts.name, name))
            r->target = k;
    if (name && *name && r->target < 0) {
        long long number = strtoll(name, &end, 10);
        if (*end || number < 0 || number >= r->csv->columns)
            return no_column(r, name);
        r->target = number;
    }
    if (r->target >= 0)
        r->about->column[r->target].facts.target = true;
    return true;
}

/* ---- columns ---- */

/* Reads numbers; false, without an error, if a field is neither a number nor missing. */
static bool read_numbers(const reader *r, int64_t column, values *v)
{
    for (int64_t i = 0; i < r->rows; i++) {
        const fa__csv_field *f = field_of(r, i, column);
        v->item[i] = NAN;
        if (!fa__csv_missing(f) && !fa__csv_number(f, &v->item[i]))
            return false;
    }
    return true;
}

typedef struct texts {
    fa_object base;
    struct word {
        const char *text;
        int64_t row;
    } item[];
} texts;

static const fa_object_type texts_type = {"texts", NULL};

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct word *)a)->text, ((const struct word *)b)->text);
}

/* Reads categories: the different texts, sorted. */
static bool read_categories(const reader *r, int64_t column, values *v)
{
    texts *t = fa_object_new(&texts_type, sizeof *t + (size_t)r->rows * sizeof *t->item);
    int64_t n = 0, count = 0;
    size_t bytes = 0;
    for (int64_t i = 0; t && i < r->rows; i++) {
        const fa__csv_field *f = field_of(r, i, column);
        v->item[i] = NAN;
        if (!fa__csv_missing(f))
            t->item[n++] = (struct word){f->text, i};
    }
    if (!t)
        return false;
    qsort(t->item, (size_t)n, sizeof *t->item, by_text);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || by_text(&t->item[i - 1], &t->item[i])) {
            bytes += strlen(t->item[i].text) + 1;
            count++;
        }
    v->names = fa__names_new(count, bytes);
    char *at = v->names ? v->names->text : NULL;
    count = -1;
    for (int64_t i = 0; at && i < n; i++) {
        if (i == 0 || by_text(&t->item[i - 1], &t->item[i])) {
            v->names->item[++count] = strcpy(at, t->item[i].text);
            at += strlen(at) + 1;
        }
        v->item[t->item[i].row] = (double)count;
    }
    return at;
}

/* The mean and the deviation of the finite values; NaN if there are none. */
static void add_moments(const reader *r, const values *v, fa_column *c)
{
    int64_t n = 0;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < r->rows; i++) {
        bool finite = isfinite(v->item[i]);
        n += finite;
        sum += finite ? v->item[i] : 0;
    }
    c->mean = sum / (double)n;
    for (int64_t i = 0; i < r->rows; i++)
        squares += isfinite(v->item[i]) ? (v->item[i] - c->mean) * (v->item[i] - c->mean) : 0;
    c->std = sqrt(squares / (double)n);
}

/* Numbers of missing values, and statistics of numbers; missing ones are left out. */
static void describe(const reader *r, const values *v, fa_column *c)
{
    int64_t n = 0;
    c->least = INFINITY, c->most = -INFINITY;
    for (int64_t i = 0; i < r->rows; i++) {
        double x = v->item[i];
        if (isnan(x))
            continue;
        n++;
        c->least = x < c->least ? x : c->least;
        c->most = x > c->most ? x : c->most;
    }
    c->missing = r->rows - n;
    c->categories = v->names ? v->names->count : 0;
    if (v->names || !n)
        c->least = c->most = c->mean = c->std = NAN;
    else
        add_moments(r, v, c);
}

/* The most frequent category. */
static double mode_of(const reader *r, const values *v)
{
    fa__numbers *times = fa__numbers_new(v->names->count);
    int64_t best = 0;
    for (int64_t i = 0; times && i < r->rows; i++)
        if (!isnan(v->item[i]))
            times->item[(int64_t)v->item[i]]++;
    for (int64_t k = 1; times && k < times->count; k++)
        best = times->item[k] > times->item[best] ? k : best;
    return times && times->count ? (double)best : NAN;
}

/* Replaces missing values, or refuses them. */
static bool fill_missing(const reader *r, int64_t column, values *v)
{
    const fa_column *c = &r->about->column[column].facts;
    bool must = c->target || r->options.missing == FA_MISSING_FAIL;
    if (!c->missing || (!must && r->options.missing == FA_MISSING_NAN))
        return true;
    double by = v->names ? mode_of(r, v) : c->mean;
    for (int64_t i = 0; i < r->rows; i++)
        if (isnan(v->item[i])) {
            if (must)
                return no_value(r, i, column);
            v->item[i] = by;
        }
    return true;
}

/* Whether a text looks like a number with a comma in it: for a point, or between thousands. */
static bool is_number_with_comma(const fa__csv_field *f)
{
    return strchr(f->text, ',') && strpbrk(f->text, "0123456789")
           && (int64_t)strspn(f->text, "0123456789+-., ") == f->length;
}

/* Warns of a column of text of which nearly all fields are numbers, or would be without commas: that is seldom meant.
 */
static void warn_of_few_texts(const reader *r, int64_t column)
{
    int64_t numbers = 0, others = 0, commas = 0, first = 0;
    double number;
    for (int64_t i = 0; i < r->rows; i++) {
        const fa__csv_field *f = field_of(r, i, column);
        if (fa__csv_missing(f))
            continue;
        if (fa__csv_number(f, &number)) {
            numbers++;
            continue;
        }
        if (!others++)
            first = i;
        commas += is_number_with_comma(f);
    }
    const fa__csv_field *f = field_of(r, first, column);
    if (numbers + commas >= 9 * (others - commas))
        fa__warn("fa_data_csv: %s:%" PRId64 ":%" PRId64 ": \"%.40s\"%s is no number, so that the column \"%s\" is read "
                 "as text; %" PRId64 " of its values are numbers, %" PRId64 " are not",
                 r->path, r->csv->line[r->first + first], column + 1, f->text,
                 is_number_with_comma(f) ? ", with its comma," : "", r->about->column[column].facts.name, numbers,
                 others);
}

static values *read_column(const reader *r, int64_t column)
{
    values *v = fa_object_new(&values_type, sizeof *v + (size_t)r->rows * sizeof *v->item);
    if (!v)
        return NULL;
    if (!read_numbers(r, column, v)) {
        warn_of_few_texts(r, column);
        if (!read_categories(r, column, v))
            return NULL;
    }
    describe(r, v, &r->about->column[column].facts);
    r->about->column[column].categories = v->names ? fa__hold(v->names) : NULL;
    return fill_missing(r, column, v) ? v : NULL;
}

/* ---- tensors ---- */

static bool are_whole(const reader *r, const values *v)
{
    for (int64_t i = 0; i < r->rows; i++)
        if (v->item[i] != floor(v->item[i]) || fabs(v->item[i]) > 0x1p53)
            return false;
    return true;
}

static fa_tensor *target_of(const reader *r, const values *v)
{
    fa_dtype dtype = r->options.target_dtype;
    bool whole = v->names || are_whole(r, v);
    if (dtype == FA_I64 && !whole) {
        fa_fail(FA_ERROR_DTYPE,
                "fa_data_csv: %s: the target \"%s\" has numbers that are not whole, and .target_dtype is i64", r->path,
                r->about->column[r->target].facts.name);
        return NULL;
    }
    fa_tensor *t = fa_tensor_from(v->item, FA_SHAPE(r->rows), .dtype = FA_F64, .device = FA_CPU);
    return fa_to(t, dtype != FA_SAME ? dtype : whole ? FA_I64 : FA_F32);
}

/* Reads all columns. *names are those of the target's classes. */
static fa_dataset *read_columns(const reader *r, fa__names **names)
{
    int64_t inputs = r->csv->columns - (r->target >= 0), k = 0;
    fa_tensor *x = fa_empty(FA_SHAPE(r->rows, inputs), .device = FA_CPU), *y = NULL;
    float *to = x && r->rows && inputs ? fa_ptr(x, FA_F32) : NULL;
    for (int64_t c = 0; c < r->csv->columns; c++) {
        FA_SCOPE;
        values *v = fa_error_stands() ? NULL : read_column(r, c);
        if (!v)
            return NULL;
        if (c == r->target) {
            y = target_of(r, v);
            *names = v->names ? fa_escape(v->names) : NULL;
            if (!y)
                return NULL;
            y = fa_escape(y);
            continue;
        }
        for (int64_t i = 0; to && i < r->rows; i++)
            to[i * inputs + k] = (float)v->item[i];
        k++;
    }
    return y ? fa_data_tensors(x, y) : fa_data_tensors(x);
}

static fa_dataset *csv_new(reader *r)
{
    fa__bytes *b = fa__bytes_of("fa_data_csv", r->path, MOST_BYTES);
    char *text = b ? (char *)b->item : NULL;
    if (!b || !(r->csv = fa__csv_parse(r->path, text, b->size, (char)r->options.delimiter)) || !make_table(r)
        || !find_target(r))
        return NULL;
    fa__names *names = NULL;
    fa_dataset *d = fa__dataset_set_about(read_columns(r, &names), &r->about->base);
    return d && names ? fa__dataset_named(d, names) : d;
}

fa_dataset *(fa_data_csv)(const char *path, const fa_data_csv_options *options)
{
    reader r = {.path = path, .options = FA__DEFAULT_fa_data_csv};
    fa_data_csv_options *o = &r.options;
    fa__options_read(o, o->size, options);
    if (fa_error_stands())
        return NULL;
    const char *why =
        !path                                    ? "the path is NULL"
        : o->header < -1 || o->header > 1        ? ".header is -1, 0 or 1"
        : (unsigned)o->missing > FA_MISSING_MEAN ? "there is no such .missing"
        : o->delimiter < 0 || o->delimiter > 126 || o->delimiter == '"' || o->delimiter == '\n' || o->delimiter == '\r'
            ? ".delimiter is an ASCII character, and no quote or line end"
        : o->target_dtype != FA_SAME && o->target_dtype != FA_I64 && o->target_dtype != FA_F32
            ? ".target_dtype is FA_I64, FA_F32 or FA_SAME"
            : NULL;
    if (why) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_data_csv: %s", why);
        return NULL;
    }
    FA_SCOPE;
    fa_dataset *d = csv_new(&r);
    return d ? fa_escape(d) : NULL;
}

/* The table that a dataset was read from, if it has a column with this number; else NULL. */
static const table *table_of(const fa_dataset *dataset, int64_t column, const char *who)
{
    const fa_object *about = fa__dataset_check(dataset, who) ? fa__dataset_about(dataset) : NULL;
    const table *t = fa_object_is(about, &table_type) ? (const table *)(const void *)about : NULL;
    return t && column >= 0 && column < t->count ? t : NULL;
}

bool fa_data_csv_column(const fa_dataset *dataset, int64_t index, fa_column *column)
{
    const table *t = table_of(dataset, index, "fa_data_csv_column");
    if (t)
        *column = t->column[index].facts;
    return t;
}

const char *fa_data_csv_category(const fa_dataset *dataset, int64_t column, int64_t index)
{
    const table *t = table_of(dataset, column, "fa_data_csv_category");
    const fa__names *names = t ? t->column[column].categories : NULL;
    return names && index >= 0 && index < names->count ? names->item[index] : NULL;
}
