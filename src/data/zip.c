/* Members of zip archives of less than 4 GiB, stored or compressed by deflate; see
 * https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT. */
#include "data/file.h"
#include "plugins/gzip.h"
#include <errno.h>
#include <facula/error.h>
#include <facula/host.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    LOCAL = 30,   /* bytes of the record before a member, without its name */
    CENTRAL = 46, /* the same in the directory at the end */
    END = 22,     /* the record at the end of the file */
    COMMENT = 0xffff,
    DEFLATED = 8,
    MOST_DIRECTORY = 1 << 24,
    MOST_CONTENT = 1 << 30
};

static const uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50;

/* Where a member is, and how many bytes it has in the file and uncompressed. */
typedef struct member {
    int64_t method, packed, size, at;
} member;

typedef struct archive {
    const char *who, *path;
    FILE *file;
    int64_t size;
} archive;

static bool wrong(const archive *a, const char *what)
{
    return fa_fail(FA_ERROR_FILE, "%s: %s: %s", a->who, a->path, what);
}

static int64_t get(const unsigned char *bytes, int size)
{
    int64_t value = 0;
    while (size--)
        value = value << 8 | bytes[size];
    return value;
}

static fa__bytes *read_at(const archive *a, int64_t at, int64_t size, int64_t most)
{
    if (at < 0 || size < 0 || size > most || at > a->size - size)
        return wrong(a, "the zip archive is damaged, or a member is too large"), NULL;
    fa__bytes *b = fa__bytes_new(a->path, (size_t)size);
    if (!b)
        return NULL;
    b->size = size;
    if (fseeko(a->file, (off_t)at, SEEK_SET) || fread(b->item, 1, (size_t)size, a->file) != (size_t)size)
        return wrong(a, strerror(errno)), NULL;
    return b;
}

/* The directory, which the last record says where to find. */
static fa__bytes *read_directory(const archive *a)
{
    int64_t size = a->size < END + COMMENT ? a->size : END + COMMENT;
    const fa__bytes *b = read_at(a, a->size - size, size, size);
    for (int64_t at = size - END; b && at >= 0; at--)
        if (get(b->item + at, 4) == end_mark)
            return read_at(a, get(b->item + at + 16, 4), get(b->item + at + 12, 4), MOST_DIRECTORY);
    if (b)
        wrong(a, "it is no zip archive");
    return NULL;
}

static bool is_named(const unsigned char *path, int64_t length, const char *name)
{
    int64_t n = (int64_t)strlen(name);
    return length >= n && !memcmp(path + length - n, name, (size_t)n) && (length == n || path[length - n - 1] == '/');
}

static bool find(const archive *a, const char *name, member *m)
{
    const fa__bytes *d = read_directory(a);
    for (int64_t at = 0, length; d && d->size - at >= CENTRAL; at += length) {
        const unsigned char *record = d->item + at;
        int64_t path = get(record + 28, 2);
        length = CENTRAL + path + get(record + 30, 2) + get(record + 32, 2);
        if (get(record, 4) != central_mark || length > d->size - at)
            return wrong(a, "the directory of the zip archive is damaged");
        if (!is_named(record + CENTRAL, path, name))
            continue;
        *m = (member){get(record + 10, 2), get(record + 20, 4), get(record + 24, 4), get(record + 42, 4)};
        return true;
    }
    return d && fa_fail(FA_ERROR_FILE, "%s: there is no %s in %s", a->who, name, a->path);
}

/* The content of a member; the record before it has a name and further bytes, too. */
static const fa__bytes *take(const archive *a, const member *m)
{
    const fa__bytes *local = read_at(a, m->at, LOCAL, LOCAL);
    if (!local || get(local->item, 4) != local_mark)
        return local ? (wrong(a, "the zip archive has no member where it should be"), NULL) : NULL;
    int64_t at = m->at + LOCAL + get(local->item + 26, 2) + get(local->item + 28, 2);
    const fa__bytes *packed = read_at(a, at, m->packed, MOST_CONTENT);
    if (!packed || m->method == 0)
        return packed;
    const fa__gzip *gzip = m->method == DEFLATED ? fa__plugin("gzip", "to read a zip archive") : NULL;
    fa__bytes *b = gzip && m->size <= MOST_CONTENT ? fa__bytes_new(a->path, (size_t)m->size) : NULL;
    if (!b)
        return fa_error_stands() ? NULL : (wrong(a, "a member is compressed by another method, or too large"), NULL);
    b->size = m->size;
    if (!gzip->inflate(packed->item, (size_t)packed->size, b->item, (size_t)b->size))
        return wrong(a, "a member cannot be decompressed"), NULL;
    return b;
}

bool fa__zip_extract(const char *who, const char *path, const char *name, const char *to)
{
    FA_SCOPE;
    archive a = {.who = who, .path = path};
    member m = {0};
    int descriptor = fa__file_open(who, path, &a.size);
    if (descriptor < 0)
        return false;
    a.file = fdopen(descriptor, "rb");
    if (!a.file)
        return close(descriptor), wrong(&a, strerror(errno));
    const fa__bytes *b = find(&a, name, &m) ? take(&a, &m) : NULL;
    fclose(a.file);
    return b && fa_file_write(to, b->item, (size_t)b->size);
}
