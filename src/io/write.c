/* Writing safetensors files. */
#include "io/safetensors.h"
#include <facula/error.h>
#include <facula/host.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNED = 8 };

static const fa_object_type scratch_type = {"bytes", NULL};

/* The tensors in the order of the file, which is that of the reference library: by dtype, wider elements first, so
 * that each tensor is aligned to its elements; then by name. */
typedef struct place {
    const char *name;
    const fa_tensor *tensor;
    int rank;
} place;

typedef struct order {
    fa_object base;
    place at[];
} order;

static int before(const void *one, const void *other)
{
    const place *a = one, *b = other;
    return a->rank != b->rank ? b->rank - a->rank : strcmp(a->name, b->name);
}

static order *order_new(fa_parameters p)
{
    order *o = fa_object_new(&scratch_type, sizeof *o + p.count * sizeof *o->at);
    for (size_t i = 0; o && i < p.count; i++)
        o->at[i] = (place){p.name[i], p.item[i], fa_dtype_describe(fa_tensor_dtype(p.item[i]))->safetensors_rank};
    if (o)
        qsort(o->at, p.count, sizeof *o->at, before);
    return o;
}

static int by_text(const void *one, const void *other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* Names in alphabetical order. */
typedef struct sorted {
    fa_object base;
    const char *name[];
} sorted;

static bool names_differ(const char *who, const char *const *name, size_t count)
{
    FA_SCOPE;
    sorted *s = fa_object_new(&scratch_type, sizeof *s + count * sizeof *s->name);
    if (!s)
        return false;
    for (size_t i = 0; i < count; i++)
        s->name[i] = name[i];
    qsort(s->name, count, sizeof *s->name, by_text);
    for (size_t i = 1; i < count; i++)
        if (!strcmp(s->name[i - 1], s->name[i]))
            return fa_fail(FA_ERROR_ARGUMENT, "%s: there are two called \"%s\"", who, s->name[i]);
    return true;
}

static bool names_are_good(const char *who, const char *const *name, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!name || !name[i])
            return fa_fail(FA_ERROR_ARGUMENT, "%s: number %zu has no name", who, i);
        if (!strcmp(name[i], "__metadata__"))
            return fa_fail(FA_ERROR_ARGUMENT, "%s: no tensor can be called %s", who, name[i]);
    }
    return names_differ(who, name, count);
}

static bool is_good(const char *who, fa_parameters p, fa_metadata m)
{
    for (size_t i = 0; i < p.count; i++)
        if (!p.item || !p.item[i])
            return fa_fail(FA_ERROR_ARGUMENT, "%s: tensor %zu is NULL", who, i);
        else if (fa_dim(p.item[i]) < 0) {
            fa_error_append(" (tensor %zu of %s)", i, who);
            return false;
        }
    for (size_t i = 0; i < m.count; i++)
        if (!m.value || !m.value[i])
            return fa_fail(FA_ERROR_ARGUMENT, "%s: the value of metadata %zu is NULL", who, i);
    return names_are_good(who, p.name, p.count) && names_are_good(who, m.name, m.count)
           && fa__stored_texts_check(who, "the name of tensor", p.name, p.count)
           && fa__stored_texts_check(who, "the name of metadata", m.name, m.count)
           && fa__stored_texts_check(who, "the value of metadata", m.value, m.count);
}

/* ---- the header ---- */

static void put_text(FILE *f, const char *text)
{
    putc('"', f);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < ' ')
            fprintf(f, "\\u%04x", c);
        else
            putc(c, f);
    }
    putc('"', f);
}

static void put_texts(FILE *f, fa_metadata m)
{
    fprintf(f, "\"__metadata__\":{");
    for (size_t i = 0; i < m.count; i++) {
        fprintf(f, i ? "," : "");
        put_text(f, m.name[i]);
        putc(':', f);
        put_text(f, m.value[i]);
    }
    putc('}', f);
}

static void put_entry(FILE *f, const char *name, const fa_tensor *t, uint64_t *at)
{
    put_text(f, name);
    fprintf(f, ":{\"dtype\":\"%s\",\"shape\":[", fa__stored_dtype(fa_tensor_dtype(t)));
    for (int i = 0; i < fa_dim(t); i++)
        fprintf(f, "%s%" PRId64, i ? "," : "", fa_size(t, i));
    fprintf(f, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", *at, *at + fa_nbytes(t));
    *at += fa_nbytes(t);
}

/* Writes the header of a file, with spaces in place of the eight bytes of its length. */
static void put_head(FILE *f, size_t count, const order *o, fa_metadata m)
{
    uint64_t at = 0;
    fprintf(f, "%*s{", ALIGNED, "");
    if (m.count)
        put_texts(f, m);
    for (size_t i = 0; i < count; i++) {
        fputs(i || m.count ? "," : "", f);
        put_entry(f, o->at[i].name, o->at[i].tensor, &at);
    }
    putc('}', f);
    for (long n = ftell(f); n % ALIGNED; n++)
        putc(' ', f);
}

/* The length of the header in eight bytes, little-endian, and the text, padded with spaces so that the tensors start
 * at a multiple of eight. To be freed by the caller; NULL and an error if memory runs out. */
static char *head_text(const char *who, size_t count, const order *o, fa_metadata m, size_t *size)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, size);
    if (f)
        put_head(f, count, o, m);
    bool good = f && !ferror(f);
    if ((f && fclose(f)) || !good) {
        free(text);
        fa_fail(FA_ERROR_MEMORY, "%s: out of memory for the head of the file", who);
        return NULL;
    }
    if (*size - ALIGNED > FA__MOST_HEAD) {
        free(text);
        fa_fail(FA_ERROR_ARGUMENT, "%s: names and metadata take more than the %d bytes that a file may have of them",
                who, (int)FA__MOST_HEAD);
        return NULL;
    }
    for (int i = 0; i < ALIGNED; i++)
        text[i] = (char)((*size - ALIGNED) >> 8 * i);
    return text;
}

/* ---- the elements ---- */

typedef struct elements {
    fa_object base;
    _Alignas(16) char bytes[];
} elements;

static bool put_tensor(fa_file *out, const fa_tensor *t)
{
    FA_SCOPE;
    elements *e = fa_object_new(&scratch_type, sizeof *e + fa_nbytes(t));
    return e && fa_read(t, e->bytes, fa_tensor_dtype(t), fa_numel(t)) && fa_file_put(out, e->bytes, fa_nbytes(t));
}

static bool put_all(fa_file *out, size_t count, const order *o)
{
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = put_tensor(out, o->at[i].tensor);
    return good;
}

static bool file_write(const char *path, const char *head, size_t size, size_t count, const order *o)
{
    fa_file out;
    if (!fa_file_begin(&out, path))
        return false;
    bool good = fa_file_put(&out, head, size) && put_all(&out, count, o) && fa_file_commit(&out);
    fa_file_abandon(&out);
    return good;
}

/* Errors of fa_file do not contain the name of the calling function, which is added here. */
static bool file_write_for(const char *who, const char *path, const char *head, size_t size, size_t count,
                           const order *o)
{
    fa_error caught = {0};
    {
        FA_USE(.catch_errors = &caught);
        if (file_write(path, head, size, count, o) && !caught.code)
            return true;
    }
    return fa_fail(caught.code, "%s: %s", who, caught.message);
}

bool fa__stored_check(const char *who, const char *path, fa_parameters p, fa_metadata m)
{
    if (!path)
        fa_fail(FA_ERROR_ARGUMENT, "%s: the path is NULL", who);
    return !fa_error_stands() && is_good(who, p, m);
}

bool fa__stored_write(const char *who, const char *path, fa_parameters p, fa_metadata m)
{
    size_t size;
    if (!fa__stored_check(who, path, p, m))
        return false;
    FA_SCOPE;
    order *o = order_new(p);
    char *head = o ? head_text(who, p.count, o, m, &size) : NULL;
    bool good = head && file_write_for(who, path, head, size, p.count, o);
    free(head);
    return good;
}
