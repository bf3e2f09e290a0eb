/* NumPy's npz files: zip archives whose members NAME.npy are stored or compressed (deflate). See
 * https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT. */
#include "io/crc.h"
#include "io/npy.h"
#include <facula/error.h>
#include <facula/host.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <stdlib.h>

enum {
    LOCAL = 30,   /* bytes of a record without its name */
    CENTRAL = 46, /* the same in the directory at the end */
    END = 22,     /* the record at the end of the file */
    END64 = 56,
    LOCATOR = 20,     /* where END64 is */
    COMMENT = 0xffff, /* most bytes after the last record */
    UTF8 = 0x800,
    ENCRYPTED = 1,
    DEFLATED = 8,         /* a method of compression */
    MOST_DEFLATED = 1040, /* bytes that a compressed one stands for, at most */
    PADDING = 0xd935,     /* an extra field that only aligns what follows */
    ALIGNED = 64
};

static const uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50,
                      end64_mark = 0x06064b50, locator_mark = 0x07064b50;

uint64_t fa__zip_most = 0xffffffff;

static uint64_t get(const void *bytes, size_t at, int size)
{
    const unsigned char *b = (const unsigned char *)bytes + at;
    uint64_t value = 0;
    while (size--)
        value = value << 8 | b[size];
    return value;
}

static void put(char *bytes, size_t at, int size, uint64_t value)
{
    for (int i = 0; i < size; i++)
        bytes[at + (size_t)i] = (char)(value >> 8 * i);
}

/* ---- reading ---- */

static bool read_at(const fa__stored *a, int64_t at, void *to, size_t size)
{
    if (at < 0 || (uint64_t)size > (uint64_t)a->size || at > a->size - (int64_t)size)
        return fa__stored_damaged(a, "%zu bytes at byte %" PRId64 " are said to be there, and it has %" PRId64, size,
                                  at, a->size);
    return (!fseeko(a->file, (off_t)at, SEEK_SET) && fread(to, 1, size, a->file) == size)
           || fa__stored_damaged(a, "byte %" PRId64 " cannot be read", at);
}

typedef struct directory {
    uint64_t count, size, at;
} directory;

/* Reads the record of archives with large numbers, if there is one before the last record. */
static bool read_end64(const fa__stored *a, int64_t end, directory *d)
{
    char locator[LOCATOR], record[END64];
    if (end < LOCATOR || !read_at(a, end - LOCATOR, locator, LOCATOR))
        return end < LOCATOR;
    if (get(locator, 0, 4) != locator_mark)
        return true;
    uint64_t at = get(locator, 8, 8);
    if (at > INT64_MAX || !read_at(a, (int64_t)at, record, END64))
        return at > INT64_MAX ? fa__stored_damaged(a, "its directory is nowhere") : false;
    if (get(record, 0, 4) != end64_mark)
        return fa__stored_damaged(a, "at byte %" PRIu64 " there is no end of the directory", at);
    *d = (directory){get(record, 32, 8), get(record, 40, 8), get(record, 48, 8)};
    return true;
}

/* Finds the last record, behind which there may be a comment. */
static bool read_end(const fa__stored *a, directory *d)
{
    FA_SCOPE;
    size_t size = a->size < END + COMMENT ? (size_t)a->size : END + COMMENT;
    fa__memory *m = fa__memory_new(size);
    if (!m || !read_at(a, a->size - (int64_t)size, m->bytes, size))
        return false;
    for (size_t at = size < END ? 0 : size - END + 1; at-- > 0;)
        if (get(m->bytes, at, 4) == end_mark && get(m->bytes, at + 20, 2) == size - END - at) {
            *d = (directory){get(m->bytes, at + 10, 2), get(m->bytes, at + 12, 4), get(m->bytes, at + 16, 4)};
            return read_end64(a, a->size - (int64_t)(size - at), d);
        }
    return fa__stored_damaged(a, "it has no directory at its end");
}

/* A member in the directory. */
typedef struct member {
    char *name;
    size_t length;
    uint64_t flags, method, packed, size, at;
    uint32_t crc;
} member;

/* Replaces the numbers that are too large for 32 bits by those of the extra field 1. */
static bool read_large(const char *extra, size_t room, member *m)
{
    uint64_t *const numbers[] = {&m->size, &m->packed, &m->at};
    for (size_t at = 0; at + 4 <= room;) {
        size_t id = (size_t)get(extra, at, 2), size = (size_t)get(extra, at + 2, 2);
        at += 4;
        if (size > room - at)
            return false;
        for (size_t i = 0, used = 0; id == 1 && i < 3; i++)
            if (*numbers[i] == 0xffffffff) {
                if (used + 8 > size)
                    return false;
                *numbers[i] = get(extra, at + used, 8);
                used += 8;
            }
        at += size;
    }
    return true;
}

/* Reads a record of the directory; the number of its bytes, or 0 if it is damaged. */
static size_t read_member(char *record, size_t left, member *m)
{
    if (left < CENTRAL || get(record, 0, 4) != central_mark)
        return 0;
    size_t name = (size_t)get(record, 28, 2), extra = (size_t)get(record, 30, 2);
    size_t comment = (size_t)get(record, 32, 2);
    if (name + extra + comment > left - CENTRAL)
        return 0;
    *m = (member){record + CENTRAL,   name,
                  get(record, 8, 2),  get(record, 10, 2),
                  get(record, 20, 4), get(record, 24, 4),
                  get(record, 42, 4), (uint32_t)get(record, 16, 4)};
    return read_large(record + CENTRAL + name, extra, m) ? CENTRAL + name + extra + comment : 0;
}

static bool member_is_good(const fa__stored *a, const member *m)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(m->length < 60 ? m->length : 60), m->name);
    if (memchr(m->name, 0, m->length))
        return fa__stored_damaged(a, "a name of a member has a zero byte");
    if (m->flags & ENCRYPTED)
        return fa_fail(FA_ERROR_UNAVAILABLE, "%s: %s: \"%s\" is encrypted", a->who, a->path, name);
    if (m->method && m->method != DEFLATED)
        return fa_fail(FA_ERROR_UNAVAILABLE,
                       "%s: %s: \"%s\" is compressed by method %" PRIu64 ", and NumPy's is %d (deflate)", a->who,
                       a->path, name, m->method, (int)DEFLATED);
    bool sizes = m->method ? m->packed > 0 && m->size <= MOST_DEFLATED * m->packed : m->size == m->packed;
    return (m->packed <= (uint64_t)a->size && m->at <= (uint64_t)a->size && sizes)
           || fa__stored_damaged(a, "\"%s\" is said to have %" PRIu64 " bytes at byte %" PRIu64, name, m->size, m->at);
}

/* Whether a member is FOLDER/data.pkl, as torch.save() writes one. */
static bool is_pickle(const member *m)
{
    static const char name[] = "/data.pkl";
    size_t n = sizeof name - 1;
    return m->length > n && !memcmp(m->name + m->length - n, name, n);
}

/* Adds a member that is called NAME.npy; others are ignored, as numpy.load() ignores them until they are used. */
static bool add_member(fa__stored *a, const member *m)
{
    char local[LOCAL];
    if (is_pickle(m))
        return fa__stored_pickle(a);
    if (m->length < 4 || memcmp(m->name + m->length - 4, ".npy", 4))
        return true;
    if (!member_is_good(a, m) || !read_at(a, (int64_t)m->at, local, LOCAL))
        return false;
    m->name[m->length - 4] = 0;
    if (get(local, 0, 4) != local_mark)
        return fa__stored_damaged(a, "at byte %" PRIu64 " there is no member", m->at);
    int64_t at = (int64_t)(m->at + LOCAL + get(local, 26, 2) + get(local, 28, 2));
    if (at > a->size || (int64_t)m->packed > a->size - at)
        return fa__stored_damaged(a, "\"%s\" ends beyond the file", m->name);
    a->layout[a->count].checked = true;
    a->layout[a->count].crc = m->crc;
    a->layout[a->count].packed = m->method ? (int64_t)m->packed : 0;
    return fa__npy_add(a, m->name, at, (int64_t)m->size);
}

bool fa__npz_open(fa__stored *a)
{
    directory d = {0};
    a->kind = "npz";
    if (!read_end(a, &d))
        return false;
    if (d.size >= SIZE_MAX || d.at > (uint64_t)a->size || d.size > (uint64_t)a->size - d.at
        || d.count > d.size / CENTRAL)
        return fa__stored_damaged(
            a, "its directory is said to have %" PRIu64 " members in %" PRIu64 " bytes at byte %" PRIu64, d.count,
            d.size, d.at);
    size_t bytes = (size_t)d.size;
    fa__memory *text = fa__memory_new(bytes + 1);
    if (!text || !read_at(a, (int64_t)d.at, text->bytes, bytes) || !fa__layout_new(a, (size_t)d.count))
        return false;
    a->text = fa__hold(&text->base);
    size_t at = 0;
    for (uint64_t i = 0; i < d.count; i++) {
        member m;
        size_t size = read_member(text->bytes + at, bytes - at, &m);
        if (!size)
            return fa__stored_damaged(a, "at byte %" PRIu64 " its directory is damaged", d.at + at);
        if (!add_member(a, &m))
            return false;
        at += size;
    }
    const char *twice = a->count ? fa__twice(&a->entry->name, a->count, sizeof *a->entry) : NULL;
    return twice ? fa__stored_damaged(a, "there are two called \"%s\"", twice) : !fa_error_stands();
}

/* ---- writing ---- */

typedef struct writer {
    fa_file out;
    uint64_t at;
    FILE *directory;
    char *text; /* of the directory */
    size_t size;
} writer;

static bool put_bytes(writer *w, const void *bytes, size_t size)
{
    w->at += size;
    return fa_file_put(&w->out, bytes, size);
}

/* What stands in the records of both places: from the version to the name's length. */
static void put_common(char *to, size_t name, uint32_t crc, uint64_t size, bool large)
{
    put(to, 0, 2, large ? 45 : 20);
    put(to, 2, 2, UTF8);
    put(to, 8, 2, 0x21); /* 1980-01-01 */
    put(to, 10, 4, crc);
    put(to, 14, 4, large ? 0xffffffff : size);
    put(to, 18, 4, large ? 0xffffffff : size);
    put(to, 22, 2, name);
}

/* The record before a member, with an extra field that aligns it. */
static bool put_local(writer *w, const char *name, size_t length, uint32_t crc, uint64_t size, bool large)
{
    char record[LOCAL + 20 + 2 * ALIGNED] = {0};
    size_t extra = large ? 20 : 0, begin = (size_t)w->at + LOCAL + length + 4 + extra + 4;
    size_t padding = (ALIGNED - begin % ALIGNED) % ALIGNED;
    put(record, 0, 4, local_mark);
    put_common(record + 4, length + 4, crc, size, large);
    put(record, 28, 2, extra + 4 + padding);
    if (large) {
        put(record, LOCAL, 2, 1);
        put(record, LOCAL + 2, 2, 16);
        put(record, LOCAL + 4, 8, size);
        put(record, LOCAL + 12, 8, size);
    }
    put(record, LOCAL + extra, 2, PADDING);
    put(record, LOCAL + extra + 2, 2, padding);
    return put_bytes(w, record, LOCAL) && put_bytes(w, name, length) && put_bytes(w, ".npy", 4)
           && put_bytes(w, record + LOCAL, extra + 4 + padding);
}

static void put_central(writer *w, const char *name, size_t length, uint32_t crc, uint64_t size, uint64_t at,
                        bool large)
{
    char record[CENTRAL] = {0}, extra[28] = {0};
    put(record, 0, 4, central_mark);
    put(record, 4, 2, 45);
    put_common(record + 6, length + 4, crc, size, large);
    put(record, 30, 2, large ? sizeof extra : 0);
    put(record, 42, 4, large ? 0xffffffff : at);
    put(extra, 0, 2, 1);
    put(extra, 2, 2, 24);
    put(extra, 4, 8, size);
    put(extra, 12, 8, size);
    put(extra, 20, 8, at);
    fwrite(record, 1, sizeof record, w->directory);
    fwrite(name, 1, length, w->directory);
    fwrite(".npy", 1, 4, w->directory);
    fwrite(extra, 1, large ? sizeof extra : 0, w->directory);
}

static bool put_member(writer *w, const char *name, const fa_tensor *t)
{
    FA_SCOPE;
    char head[FA__NPY_HEAD];
    size_t size = fa__npy_head(t, head), length = strlen(name);
    fa__memory *m = fa__memory_new(fa_nbytes(t));
    if (!m || !fa_read(t, m->bytes, fa_tensor_dtype(t), fa_numel(t)))
        return false;
    uint64_t at = w->at, all = size + fa_nbytes(t);
    uint32_t crc = fa__crc(fa__crc(0, head, size), m->bytes, fa_nbytes(t));
    bool large = all >= fa__zip_most || at >= fa__zip_most;
    put_central(w, name, length, crc, all, at, large);
    return put_local(w, name, length, crc, all, large) && put_bytes(w, head, size)
           && put_bytes(w, m->bytes, fa_nbytes(t));
}

static bool put_end(writer *w, uint64_t count)
{
    char record[END64 + LOCATOR + END] = {0}, *locator = record + END64, *end = locator + LOCATOR;
    uint64_t at = w->at;
    if (fflush(w->directory) || ferror(w->directory) || !put_bytes(w, w->text, w->size))
        return false;
    bool large = at >= fa__zip_most || w->size >= fa__zip_most || count >= 0xffff;
    put(record, 0, 4, end64_mark);
    put(record, 4, 8, END64 - 12);
    put(record, 12, 2, 45);
    put(record, 14, 2, 45);
    put(record, 24, 8, count);
    put(record, 32, 8, count);
    put(record, 40, 8, w->size);
    put(record, 48, 8, at);
    put(locator, 0, 4, locator_mark);
    put(locator, 8, 8, w->at);
    put(locator, 16, 4, 1);
    put(end, 0, 4, end_mark);
    put(end, 8, 2, large ? 0xffff : count);
    put(end, 10, 2, large ? 0xffff : count);
    put(end, 12, 4, large ? 0xffffffff : w->size);
    put(end, 16, 4, large ? 0xffffffff : at);
    return put_bytes(w, large ? record : end, large ? sizeof record : END);
}

static bool write_all(writer *w, fa_parameters p)
{
    bool good = true;
    for (size_t i = 0; good && i < p.count; i++)
        good = put_member(w, p.name[i], p.item[i]);
    return good && put_end(w, p.count) && fa_file_commit(&w->out);
}

static bool npz_write(const char *path, fa_parameters p)
{
    writer w = {.at = 0};
    if (!fa_file_begin(&w.out, path))
        return false;
    w.directory = open_memstream(&w.text, &w.size);
    bool good =
        w.directory ? write_all(&w, p) : fa_fail(FA_ERROR_MEMORY, "out of memory for the directory of the file");
    fa_file_abandon(&w.out);
    if (w.directory)
        fclose(w.directory);
    free(w.text);
    return good;
}

static bool npy_write(const char *path, const fa_tensor *t)
{
    FA_SCOPE;
    fa_file out;
    char head[FA__NPY_HEAD];
    size_t size = fa__npy_head(t, head);
    fa__memory *m = fa__memory_new(fa_nbytes(t));
    if (!m || !fa_read(t, m->bytes, fa_tensor_dtype(t), fa_numel(t)) || !fa_file_begin(&out, path))
        return false;
    bool good = fa_file_put(&out, head, size) && fa_file_put(&out, m->bytes, fa_nbytes(t)) && fa_file_commit(&out);
    fa_file_abandon(&out);
    return good;
}

static bool dtypes_are_good(const char *who, fa_parameters p)
{
    bool good = true;
    for (size_t i = 0; good && i < p.count; i++) {
        good = fa__npy_supports(who, p.item[i]);
        if (good && strlen(p.name[i]) > 0xffff - 4)
            good = fa_fail(FA_ERROR_ARGUMENT, "%s: the name of tensor %zu is longer than zip allows", who, i);
    }
    return good;
}

bool fa__npz_write(const char *who, const char *path, fa_parameters p)
{
    fa_error caught = {0};
    if (!dtypes_are_good(who, p))
        return false;
    {
        FA_USE(.catch_errors = &caught);
        npz_write(path, p);
    }
    return !caught.code || fa_fail(caught.code, "%s: %s", who, caught.message);
}

bool fa__npy_write(const char *who, const char *path, fa_parameters p)
{
    fa_error caught = {0};
    if (p.count != 1)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: %s: an npy file has one tensor, not %zu: npz files have any number", who,
                       path, p.count);
    if (!dtypes_are_good(who, p))
        return false;
    {
        FA_USE(.catch_errors = &caught);
        npy_write(path, p.item[0]);
    }
    return !caught.code || fa_fail(caught.code, "%s: %s", who, caught.message);
}
