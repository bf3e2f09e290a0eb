/* Reading safetensors files: the header, with validation, and the tensors. */
#include "io/safetensors.h"
#include "plugins/json.h"
#include <errno.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/host.h>
#include <facula/ops/create.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LENGTH = 8 };

void fa__stored_close(fa__stored *a)
{
    if (a->file)
        fclose(a->file);
    a->file = NULL;
}

static void archive_destroy(void *object)
{
    fa__stored *a = object;
    fa__stored_close(a);
    if (a->document)
        a->json->free(a->document);
    fa_release(a->lists);
}

static const fa_object_type archive_type = {"safetensors", archive_destroy}, scratch_type = {"bytes", NULL};

/* Memory owned by the innermost scope. */
typedef struct scratch {
    fa_object base;
    _Alignas(16) char bytes[];
} scratch;

static scratch *scratch_new(size_t size)
{
    return fa_object_new(&scratch_type, sizeof(scratch) + size);
}

__attribute__((__format__(__printf__, 2, 3))) static bool damaged(const fa__stored *a, const char *format, ...)
{
    char why[400];
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof why, format, list);
    va_end(list);
    return fa_fail(FA_ERROR_FILE, "%s: %s is damaged, or no safetensors file: %s", a->who, a->path, why);
}

static bool cannot(const fa__stored *a, const char *what)
{
    return fa_fail(FA_ERROR_FILE, "%s: %s: cannot %s: %s", a->who, a->path, what, strerror(errno));
}

/* ---- the header ---- */

const char *fa__stored_dtype(fa_dtype dtype)
{
    return fa_dtype_describe(dtype)->safetensors;
}

static fa_dtype dtype_of(const char *name)
{
    const fa_dtype_info *info;
    for (int d = FA_SAME + 1; (info = fa_dtype_describe((fa_dtype)d)); d++)
        if (!strcmp(info->safetensors, name))
            return (fa_dtype)d;
    return FA_SAME;
}

/* Reads the shape, and computes its size in bytes. */
static bool read_shape(const fa__stored *a, fa_saved_entry *e, const void *shape, int64_t *bytes)
{
    *bytes = 0;
    e->rank = shape ? a->json->count(shape) : -1;
    if (e->rank < 0)
        return damaged(a, "the shape of \"%s\" is no array", e->name);
    e->shape.rank = (int32_t)(e->rank < FA_MAX_DIMS ? e->rank : FA_MAX_DIMS);
    e->elements = 1;
    bool fits = true, empty = false;
    for (int64_t i = 0, size; i < e->rank; i++) {
        if (!a->json->integer(a->json->item(shape, i), &size) || size < 0)
            return damaged(a, "size %" PRId64 " of \"%s\" is no whole number of 0 or more", i, e->name);
        if (i < e->shape.rank)
            e->shape.dim[i] = size;
        empty |= size == 0;
        fits = fits && !__builtin_mul_overflow(e->elements, size, &e->elements);
    }
    e->elements = empty ? 0 : e->elements;
    fits = fits && !__builtin_mul_overflow(e->elements, (int64_t)fa_dtype_size(e->dtype), bytes);
    return fits || empty || damaged(a, "\"%s\" is larger than 64 bits can count", e->name);
}

static bool read_entry(const fa__stored *a, fa_saved_entry *e, const void *object)
{
    const fa__json *j = a->json;
    const void *offsets = j->find(object, "data_offsets");
    int64_t bytes, room = a->size - a->head;
    e->dtype_name = j->text(j->find(object, "dtype"));
    if (!e->dtype_name)
        return damaged(a, "\"%s\" has no dtype", e->name);
    e->dtype = dtype_of(e->dtype_name);
    if (!read_shape(a, e, j->find(object, "shape"), &bytes))
        return false;
    if (!offsets || j->count(offsets) != 2 || !j->integer(j->item(offsets, 0), &e->begin)
        || !j->integer(j->item(offsets, 1), &e->end))
        return damaged(a, "the data_offsets of \"%s\" are no two whole numbers", e->name);
    if (e->begin < 0 || e->begin > e->end || e->end > room)
        return damaged(a, "\"%s\" is said to be bytes %" PRId64 " to %" PRId64 " of %" PRId64, e->name, e->begin,
                       e->end, room);
    if (e->dtype != FA_SAME && e->end - e->begin != bytes)
        return damaged(a, "\"%s\" has %" PRId64 " bytes, and its shape takes %" PRId64, e->name, e->end - e->begin,
                       bytes);
    return true;
}

static bool read_texts(fa__stored *a, void *object)
{
    const fa__json *j = a->json;
    for (void *m = j->next(object, NULL); m; m = j->next(object, m)) {
        a->name[a->texts] = j->name(m);
        a->value[a->texts] = j->text(j->value(m));
        if (!a->value[a->texts++])
            return damaged(a, "the metadata \"%s\" is no text", j->name(m));
    }
    return true;
}

static int by_place(const void *one, const void *other)
{
    const fa_saved_entry *a = one, *b = other;
    return a->begin != b->begin ? (a->begin > b->begin) - (a->begin < b->begin) : (a->end > b->end) - (a->end < b->end);
}

/* Checks that the tensors fill the file without gaps. */
static bool places_are_good(const fa__stored *a)
{
    int64_t at = 0;
    for (size_t i = 0; i < a->count; at = a->entry[i++].end)
        if (a->entry[i].begin != at)
            return damaged(a, "\"%s\" begins at byte %" PRId64 ", where %" PRId64 " comes next", a->entry[i].name,
                           a->entry[i].begin, at);
    return at == a->size - a->head
           || damaged(a, "its tensors end at byte %" PRId64 " of %" PRId64, at, a->size - a->head);
}

static size_t members(const fa__json *j, void *object)
{
    size_t n = 0;
    for (void *m = j->next(object, NULL); m; m = j->next(object, m))
        n++;
    return n;
}

static bool read_members(fa__stored *a)
{
    static const char texts_name[] = "__metadata__";
    const fa__json *j = a->json;
    void *texts = j->find(a->document, texts_name);
    if (!j->object(a->document) || (texts && !j->object(texts)))
        return damaged(a, "%s is no object", texts ? texts_name : "its head");
    size_t entries = members(j, a->document), count = texts ? members(j, texts) : 0;
    scratch *s = scratch_new(entries * sizeof *a->entry + 2 * count * sizeof *a->name);
    if (!s)
        return false;
    a->lists = fa_keep(&s->base);
    a->entry = (fa_saved_entry *)(void *)s->bytes;
    a->name = (const char **)(void *)(a->entry + entries);
    a->value = a->name + count;
    for (void *m = j->next(a->document, NULL); m; m = j->next(a->document, m)) {
        if (j->value(m) == texts)
            continue;
        a->entry[a->count].name = j->name(m);
        if (!read_entry(a, &a->entry[a->count++], j->value(m)))
            return false;
    }
    qsort(a->entry, a->count, sizeof *a->entry, by_place);
    return (!texts || read_texts(a, texts)) && places_are_good(a);
}

static bool read_head(fa__stored *a)
{
    unsigned char length[LENGTH];
    char reason[200];
    uint64_t n = 0;
    if (fread(length, 1, LENGTH, a->file) != LENGTH)
        return damaged(a, "it has %" PRId64 " bytes", a->size);
    for (int i = LENGTH - 1; i >= 0; i--)
        n = n << 8 | length[i];
    if (n > FA__MOST_HEAD || n > (uint64_t)(a->size - LENGTH))
        return damaged(a, "its head is said to have %" PRIu64 " bytes, and it has %" PRId64 " in all", n, a->size);
    a->head = LENGTH + (int64_t)n;
    scratch *s = scratch_new(n + 1);
    if (!s)
        return false;
    if (fread(s->bytes, 1, n, a->file) != n)
        return cannot(a, "read");
    a->document = a->json->parse(s->bytes, n, reason, sizeof reason);
    return a->document ? read_members(a) : damaged(a, "its head is no JSON: %s", reason);
}

fa__stored *fa__stored_open(const char *who, const char *path)
{
    struct stat status;
    if (!path)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: the path is NULL", who), NULL;
    const fa__json *json = fa_error_stands() ? NULL : fa__plugin("json", "to read safetensors files");
    FA_SCOPE;
    fa__stored *a = json ? fa_object_new(&archive_type, sizeof *a) : NULL;
    if (!a)
        return NULL;
    a->json = json;
    a->who = who;
    a->path = path;
    if (!stat(path, &status) && !S_ISREG(status.st_mode)) /* checked first, because opening a pipe may block forever */
        return fa_fail(FA_ERROR_FILE, "%s: %s is no regular file", who, path), NULL;
    a->file = fopen(path, "rb");
    if (!a->file || fstat(fileno(a->file), &status))
        return cannot(a, "open"), NULL;
    a->size = status.st_size;
    return read_head(a) ? fa_escape(a) : NULL;
}

/* ---- tensors ---- */

/* Checks that the dtype and number of dimensions of an entry are supported; sets an error if not. */
static bool can_be_here(const fa__stored *a, const fa_saved_entry *e)
{
    if (e->dtype == FA_SAME)
        return fa_fail(FA_ERROR_DTYPE, "%s: %s: \"%s\" is %s, a dtype that is not there", a->who, a->path, e->name,
                       e->dtype_name);
    return e->rank <= FA_MAX_DIMS
           || fa_fail(FA_ERROR_SHAPE, "%s: %s: \"%s\" has %" PRId64 " dimensions, and tensors have at most %d", a->who,
                      a->path, e->name, e->rank, (int)FA_MAX_DIMS);
}

/* Makes nonzero bytes of a bool tensor 1. */
static void bytes_mend(fa_dtype dtype, char *bytes, size_t size)
{
    for (size_t i = 0; dtype == FA_BOOL && i < size; i++)
        bytes[i] = bytes[i] != 0;
}

fa_tensor *fa__stored_read(const fa__stored *a, size_t i, fa_device device)
{
    const fa_saved_entry *e = &a->entry[i];
    if (!can_be_here(a, e))
        return NULL;
    if (fa_device_equal(device, FA_META))
        return fa_empty(e->shape, .dtype = e->dtype, .device = FA_META);
    FA_SCOPE;
    size_t size = (size_t)(e->end - e->begin);
    scratch *s = scratch_new(size);
    if (!s)
        return NULL;
    if (fseeko(a->file, (off_t)(a->head + e->begin), SEEK_SET) || fread(s->bytes, 1, size, a->file) != size)
        return cannot(a, "read"), NULL;
    bytes_mend(e->dtype, s->bytes, size);
    return fa_escape(fa_tensor_from(s->bytes, e->shape, .dtype = e->dtype, .device = device));
}
