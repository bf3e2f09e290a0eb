/* Reading safetensors files: opening one, and its tensors. */
#include "io/crc.h"
#include "io/npy.h"
#include "plugins/gzip.h"
#include <errno.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/host.h>
#include <facula/ops/create.h>
#include <facula/ops/shape.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    fa__unhold(a->mapping);
    fa__unhold(a->text);
    fa__unhold(a->entries);
    fa__unhold(a->names);
    fa__unhold(a->values);
}

static const fa_object_type archive_type = {"safetensors", archive_destroy}, memory_type = {"bytes", NULL};

fa__memory *fa__memory_new(size_t size)
{
    return fa_object_new(&memory_type, sizeof(fa__memory) + size);
}

bool fa__layout_new(fa__stored *a, uint64_t count)
{
    const size_t each = sizeof *a->entry + sizeof *a->layout;
    FA_SCOPE;
    if (count > (SIZE_MAX - sizeof(fa__memory)) / each)
        return fa_fail(FA_ERROR_MEMORY, "%s: %s has %" PRIu64 " arrays: no memory for so many", a->who, a->path, count);
    fa__memory *m = fa__memory_new((size_t)count * each);
    if (!m)
        return false;
    a->entries = fa__hold(&m->base);
    a->entry = (fa_saved_entry *)(void *)m->bytes;
    a->layout = (fa__layout *)(void *)(a->entry + count);
    return true;
}

bool fa__stored_damaged(const fa__stored *a, const char *format, ...)
{
    char why[400];
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof why, format, list);
    va_end(list);
    return fa_fail(FA_ERROR_FILE, "%s: %s is damaged, or no %s file: %s", a->who, a->path, a->kind, why);
}

bool fa__stored_pickle(const fa__stored *a)
{
    return fa_fail(
        FA_ERROR_UNAVAILABLE,
        "%s: %s is a pickle of Python's, as torch.save() writes: safetensors.torch.save_file(net.state_dict(), "
        "path) writes a file to read here",
        a->who, a->path);
}

bool fa__stored_named(const fa__stored *a, const fa_error *caught)
{
    if (caught->code && !strncmp(caught->message, a->who, strlen(a->who)))
        fa_fail(caught->code, "%s", caught->message);
    else if (caught->code)
        fa_fail(caught->code, "%s: %s: %s", a->who, a->path, caught->message);
    return !caught->code;
}

static bool cannot(const fa__stored *a, const char *what)
{
    return fa_fail(FA_ERROR_FILE, "%s: %s: cannot %s: %s", a->who, a->path, what, strerror(errno));
}

const char *fa__stored_dtype(fa_dtype dtype)
{
    return fa_dtype_describe(dtype)->safetensors;
}

static bool read_head(fa__stored *a)
{
    unsigned char length[LENGTH];
    uint64_t n = 0;
    if (fread(length, 1, LENGTH, a->file) != LENGTH)
        return fa__stored_damaged(a, "it has %" PRId64 " bytes", a->size);
    if (fa__npy_begins((const char *)length, LENGTH))
        return fa__npy_open(a);
    if (!memcmp(length, "PK\3\4", 4) || !memcmp(length, "PK\5\6", 4))
        return fa__npz_open(a);
    for (int i = LENGTH - 1; i >= 0; i--)
        n = n << 8 | length[i];
    if (n > FA__MOST_HEAD && length[0] == 0x80 && length[1] >= 2 && length[1] <= 5) /* PROTO, and its number */
        return fa__stored_pickle(a);
    if (n > FA__MOST_HEAD)
        return fa__stored_damaged(a, "its header is said to have %" PRIu64 " bytes, and the format allows %d", n,
                                  (int)FA__MOST_HEAD);
    if (n > (uint64_t)(a->size - LENGTH))
        return fa__stored_damaged(a, "its header is said to have %" PRIu64 " bytes, and it has %" PRId64 " in all", n,
                                  a->size);
    a->head = LENGTH + (int64_t)n;
    const size_t size = (size_t)n;
    fa__memory *text = fa__memory_new(size + 1);
    if (!text)
        return false;
    return fread(text->bytes, 1, size, a->file) == size ? fa__stored_header(a, text, size) : cannot(a, "read");
}

fa__stored *fa__stored_from(const char *who, const char *path, FILE *file, int64_t size)
{
    FA_SCOPE;
    fa__stored *a = fa_object_new(&archive_type, sizeof *a);
    if (!a)
        return fclose(file), NULL;
    a->who = who;
    a->path = path;
    a->file = file;
    a->size = size;
    a->kind = "safetensors";
    return read_head(a) ? fa_escape(a) : NULL;
}

fa__stored *fa__stored_open(const char *who, const char *path)
{
    if (!path)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: the path is NULL", who), NULL;
    if (fa_error_stands())
        return NULL;
    int64_t size;
    int descriptor = fa__file_open(who, path, &size);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
    if (file)
        return fa__stored_from(who, path, file, size);
    if (descriptor >= 0) {
        fa_fail(FA_ERROR_FILE, "%s: %s: cannot open: %s", who, path, strerror(errno));
        close(descriptor);
    }
    return NULL;
}

/* ---- tensors ---- */

/* Checks that the dtype and number of dimensions of an entry are supported; sets an error if not. */
static bool can_be_here(const fa__stored *a, const fa_saved_entry *e)
{
    if (e->dtype == FA_SAME)
        return fa_fail(FA_ERROR_DTYPE, "%s: %s: \"%s\" is %s, an unsupported dtype", a->who, a->path, e->name,
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

static void bytes_swap(char *bytes, size_t size, size_t element)
{
    for (char *at = bytes; at < bytes + size; at += element)
        for (size_t i = 0; i < element / 2; i++) {
            char kept = at[i];
            at[i] = at[element - 1 - i];
            at[element - 1 - i] = kept;
        }
}

static bool read_packed(const fa__stored *a, int64_t at, size_t packed, void *to, size_t size)
{
    FA_SCOPE;
    const fa__gzip *gzip = fa__plugin("gzip", "to read compressed arrays");
    fa__memory *m = gzip ? fa__memory_new(packed) : NULL;
    if (!m || !fa__stored_bytes(a, NULL, at, m->bytes, packed))
        return false;
    return gzip->inflate(m->bytes, packed, to, size)
           || fa__stored_damaged(a, "the %zu bytes from byte %" PRId64 " cannot be decompressed", packed, at);
}

bool fa__stored_bytes(const fa__stored *a, const fa__layout *l, int64_t at, void *to, size_t size)
{
    if (l && l->packed)
        return read_packed(a, at, (size_t)l->packed, to, size);
    return (!fseeko(a->file, (off_t)at, SEEK_SET) && fread(to, 1, size, a->file) == size) || cannot(a, "read");
}

/* A tensor of elements whose first dimension is the fastest, in row-major order. */
static fa_tensor *from_fortran(const void *bytes, const fa_saved_entry *e, fa_device device)
{
    fa_shape reversed = {.rank = e->shape.rank}, order = reversed;
    for (int i = 0; i < e->shape.rank; i++) {
        order.dim[i] = e->shape.rank - 1 - i;
        reversed.dim[i] = e->shape.dim[order.dim[i]];
    }
    return fa_contiguous(fa_permute(fa_tensor_from(bytes, reversed, .dtype = e->dtype, .device = device), order));
}

static fa_tensor *read_tensor(fa__stored *a, const fa_saved_entry *e, fa_device device)
{
    if (fa_device_equal(device, FA_META))
        return fa_empty(e->shape, .dtype = e->dtype, .device = FA_META);
    fa_tensor *mapped = fa__stored_map(a, e, device);
    if (mapped || fa_error_stands())
        return mapped;
    FA_SCOPE;
    const fa__layout *l = a->layout ? &a->layout[e - a->entry] : NULL;
    int64_t begin = l ? l->at : a->head + e->begin, skipped = a->head + e->begin - begin;
    size_t size = (size_t)(e->end - e->begin), all = size + (size_t)skipped;
    fa__memory *s = fa__memory_new(all);
    if (!s || !fa__stored_bytes(a, l, begin, s->bytes, all))
        return NULL;
    if (l && l->checked && fa__crc(0, s->bytes, all) != l->crc)
        return fa_fail(FA_ERROR_FILE, "it is damaged: its checksum is another"), NULL;
    char *bytes = s->bytes + skipped;
    bytes_mend(e->dtype, bytes, size);
    if (l && l->swapped)
        bytes_swap(bytes, size, fa_dtype_size(e->dtype));
    FA_USE(.no_grad = true, .placement = FA_PLACE_STRICT);
    return fa_escape(l && l->fortran ? from_fortran(bytes, e, device)
                                     : fa_tensor_from(bytes, e->shape, .dtype = e->dtype, .device = device));
}

fa_tensor *fa__stored_read(fa__stored *a, size_t i, fa_device device)
{
    const fa_saved_entry *e = &a->entry[i];
    fa_error caught = {0};
    fa_tensor *t;
    if (!can_be_here(a, e))
        return NULL;
    {
        FA_USE(.catch_errors = &caught);
        t = read_tensor(a, e, device);
    }
    if (!caught.code)
        return t;
    if (!strncmp(caught.message, a->who, strlen(a->who)))
        fa_fail(caught.code, "%s", caught.message);
    else
        fa_fail(caught.code, "%s: %s: \"%s\": %s", a->who, a->path, e->name, caught.message);
    return NULL;
}
