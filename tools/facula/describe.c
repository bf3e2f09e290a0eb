/* The description of a network in the metadata of its file. */
#include "network.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void *scratch(size_t size)
{
    typedef struct memory {
        fa_object base;
        max_align_t at[];
    } memory;
    static const fa_object_type type = {"memory", NULL};
    memory *m = fa_object_new(&type, sizeof *m + size);
    return m ? m->at : NULL;
}

/* ---- writing ---- */

void texts_add(texts *t, const char *name, const char *value)
{
    size_t i = t->count, length = strlen(value) + 1;
    t->name[i] = name;
    t->value[i] = length <= TEXT_ROOM ? memcpy(t->room[i], value, length) : value;
    t->count++;
}

static void add_numbers(texts *t, const char *name, const double *number, int64_t count)
{
    char text[200] = "";
    for (int64_t i = 0; i < count; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%.17g", i ? " " : "", number[i]);
    }
    texts_add(t, name, text);
}

/* Appends a field and what ends it; in the field, "\\n" stands for a line end, and so on. */
static char *put_field(char *to, const char *text, char end)
{
    for (; *text; text++) {
        bool special = *text == '\\' || *text == '\n' || *text == '\t';
        if (special)
            *to++ = '\\';
        *to++ = *text == '\n' ? 'n' : *text == '\t' ? 't' : *text;
    }
    *to++ = end;
    *to = 0;
    return to;
}

/* A line for each class. */
static bool tell_classes(const network *n, texts *t)
{
    size_t room = 1;
    for (int64_t i = 0; i < n->classes; i++)
        room += 2 * strlen(n->class_name[i]) + 1;
    char *text = scratch(room), *at = text;
    for (int64_t i = 0; text && i < n->classes; i++)
        at = put_field(at, n->class_name[i], '\n');
    if (!text)
        return false;
    at[-1] = 0;
    texts_add(t, "run.classes", text);
    return true;
}

/* A line for each column of a table: its name, mean and deviation, and the categories, between tabs. */
static bool tell_columns(const network *n, texts *t)
{
    size_t room = 1;
    for (int64_t i = 0; i < n->columns; i++) {
        const column *c = &n->column[i];
        room += 2 * strlen(c->name) + 64;
        for (int64_t k = 0; k < c->categories; k++)
            room += 2 * strlen(c->category[k]) + 1;
    }
    char *text = scratch(room), *at = text;
    for (int64_t i = 0; text && i < n->columns; i++) {
        const column *c = &n->column[i];
        at = put_field(at, c->name, '\t');
        at += sprintf(at, "%.17g %.17g\n", c->mean, c->deviation);
        for (int64_t k = 0; k < c->categories; k++) {
            at[-1] = '\t';
            at = put_field(at, c->category[k], '\n');
        }
    }
    if (!text)
        return false;
    at[-1] = 0;
    texts_add(t, "run.columns", text);
    return true;
}

bool network_tell(const network *n, texts *t)
{
    const double size[] = {(double)n->channels, (double)n->height, (double)n->width};
    add_numbers(t, "run.input", size, 3);
    if (n->columns)
        return tell_columns(n, t) && tell_classes(n, t);
    add_numbers(t, "run.mean", n->mean, n->channels);
    add_numbers(t, "run.std", n->deviation, n->channels);
    if (!isnan(n->edge))
        add_numbers(t, "run.edge", (const double[]){n->edge, n->edge_spread}, 2);
    return tell_classes(n, t);
}

/* ---- reading ---- */

const char *saved_text(const fa_saved *file, const char *name)
{
    for (size_t i = 0; i < file->metadata.count; i++)
        if (!strcmp(file->metadata.name[i], name))
            return file->metadata.value[i];
    return NULL;
}

/* Parses up to `most` numbers and returns how many; -1 if the text is missing or invalid, or has more. */
static int read_numbers(const fa_saved *file, const char *name, double *to, int most)
{
    const char *text = saved_text(file, name);
    int count = 0;
    for (char *end; text && *text; text = end) {
        double value = strtod(text, &end);
        if (end == text || count == most)
            return -1;
        to[count++] = value;
    }
    return text ? count : -1;
}

/* Takes the next field of a text, which it writes over, and what ended it: a tab, a line end or 0. */
static char *take_field(char **at, char *end)
{
    char *field = *at, *to = field, *from = field;
    for (; *from && *from != '\n' && *from != '\t'; from++) {
        if (*from == '\\' && from[1])
            from++, *to++ = *from == 'n' ? '\n' : *from == 't' ? '\t' : *from;
        else
            *to++ = *from;
    }
    *end = *from;
    *at = *from ? from + 1 : from;
    *to = 0;
    return field;
}

/* A copy of a text of the file, in the innermost scope; NULL if there is none. */
static char *copy_of(const fa_saved *file, const char *name)
{
    const char *text = saved_text(file, name);
    char *copy = text ? scratch(strlen(text) + 1) : NULL;
    return copy ? strcpy(copy, text) : NULL;
}

static bool read_classes(const fa_saved *file, network *n)
{
    char *at = copy_of(file, "run.classes"), end = '\n';
    while (at && end && n->classes < MOST_CLASSES)
        n->class_name[n->classes++] = take_field(&at, &end);
    return at && !end;
}

static int64_t count_of(const char *text, char what)
{
    int64_t n = 0;
    for (; *text; text++)
        n += *text == what;
    return n;
}

/* Reads a line: the name, the numbers, and the categories. `room` has place for those. */
static bool read_column(char **at, char *end, column *c, const char ***room)
{
    c->name = take_field(at, end);
    if (*end != '\t')
        return false;
    const char *numbers = take_field(at, end);
    c->category = *room;
    while (*end == '\t')
        c->category[c->categories++] = take_field(at, end);
    *room += c->categories;
    return sscanf(numbers, "%lf %lf", &c->mean, &c->deviation) == 2;
}

static bool read_columns(const fa_saved *file, network *n)
{
    char *at = copy_of(file, "run.columns"), end = '\n';
    if (!at)
        return false;
    int64_t lines = count_of(at, '\n') + 1, features = 0;
    n->column = scratch((size_t)lines * sizeof *n->column);
    const char **room = scratch((size_t)(count_of(at, '\t') + 1) * sizeof *room);
    if (!n->column || !room)
        return false;
    memset(n->column, 0, (size_t)lines * sizeof *n->column);
    for (; end; n->columns++) {
        column *c = &n->column[n->columns];
        if (n->columns == lines || !read_column(&at, &end, c, &room))
            return false;
        features += c->categories ? c->categories : 1;
    }
    return features == n->width;
}

static bool is_size(double v)
{
    return v >= 1 && v <= 1048576 && v == (double)(int64_t)v;
}

/* Reads a setting of the run, such as "run.hidden". */
static bool read_setting(const fa_saved *file, settings *s, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "run.%s", name);
    const char *text = saved_text(file, key);
    return text && setting_read(s, setting_named(name), text);
}

static bool read_images(const fa_saved *file, network *n)
{
    double edge[2];
    bool looked = read_numbers(file, "run.edge", edge, 2) == 2;
    n->edge = looked ? edge[0] : NAN;
    n->edge_spread = looked ? edge[1] : NAN;
    return n->channels <= MOST_CHANNELS && n->height <= 4096 && n->width <= 4096
           && read_numbers(file, "run.mean", n->mean, MOST_CHANNELS) == n->channels
           && read_numbers(file, "run.std", n->deviation, MOST_CHANNELS) == n->channels;
}

static bool read(const fa_saved *file, network *n)
{
    settings s = {0};
    double size[3];
    if (!read_setting(file, &s, "model") || !read_setting(file, &s, "hidden") || !read_setting(file, &s, "data")
        || !read_setting(file, &s, "seed") || read_numbers(file, "run.input", size, 3) != 3 || !is_size(size[0])
        || !is_size(size[1]) || !is_size(size[2]) || !s.data)
        return false;
    *n = (network){.model = s.model,
                   .hidden = s.hidden,
                   .channels = (int64_t)size[0],
                   .height = (int64_t)size[1],
                   .width = (int64_t)size[2],
                   .data = s.data,
                   .target = saved_text(file, "run.target"),
                   .seed = s.seed,
                   .folder = saved_text(file, "run.data-dir")};
    bool table = saved_text(file, "run.columns");
    return (table ? n->target && n->model != MODEL_CNN && read_columns(file, n) : read_images(file, n))
           && read_classes(file, n);
}

bool network_read(const fa_saved *file, const char *path, network *n)
{
    return read(file, n)
           || (!fa_failed()
               && fa_fail(FA_ERROR_FILE, "%s does not tell of a network: it was not saved by `facula train`", path));
}
