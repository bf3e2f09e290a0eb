/* Reading dataset files, plain or compressed, into memory. */
#include "data/file.h"
#include "plugins/gzip.h"
#include <errno.h>
#include <facula/error.h>
#include <facula/host.h>
#include <facula/scope.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const fa_object_type bytes_type = {"bytes", NULL};

enum { FIRST_ROOM = 1 << 16 };

/* An open file, of either kind. */
typedef struct source {
    FILE *plain;
    const fa__gzip *gzip;
    void *packed;
} source;

static ptrdiff_t source_read(const source *s, void *to, size_t size)
{
    if (s->packed)
        return s->gzip->read(s->packed, to, size);
    size_t n = fread(to, 1, size, s->plain);
    return ferror(s->plain) ? -1 : (ptrdiff_t)n;
}

static void source_close(const source *s)
{
    if (s->packed)
        s->gzip->close(s->packed);
    if (s->plain)
        fclose(s->plain);
}

static bool is_packed(const char *path)
{
    size_t length = strlen(path);
    return length >= 3 && !strcmp(path + length - 3, ".gz");
}

static const fa__gzip *gzip_for(const char *path)
{
    char purpose[FA__PATH_ROOM + 16];
    snprintf(purpose, sizeof purpose, "to read %s", path);
    return fa__plugin("gzip", purpose);
}

/* Opens an existing file. */
static bool source_open(source *s, const char *who, const char *path)
{
    int64_t size;
    *s = (source){.gzip = is_packed(path) ? gzip_for(path) : NULL};
    if (!s->gzip && is_packed(path))
        return false;
    int file = fa__file_open(who, path, &size);
    if (file < 0)
        return false;
    if (s->gzip)
        s->packed = s->gzip->open(file);
    else
        s->plain = fdopen(file, "rb");
    if (s->plain || s->packed)
        return true;
    fa_fail(FA_ERROR_FILE, "%s: %s: %s", who, path, strerror(errno));
    close(file);
    return false;
}

fa__bytes *fa__bytes_new(const char *path, size_t room)
{
    fa__bytes *b = fa_object_new(&bytes_type, sizeof *b + room);
    if (b)
        snprintf(b->path, sizeof b->path, "%s", path);
    return b;
}

static bool cannot_read(const source *s, const char *path, int64_t at, const char *who)
{
    if (s->packed)
        return fa_fail(FA_ERROR_FILE, "%s: %s, %s", who, path, s->gzip->reason(s->packed));
    return fa_fail(FA_ERROR_FILE, "%s: %s, behind byte %lld: %s", who, path, (long long)at, strerror(errno));
}

/* A copy with room for more, of at most `most` bytes. */
static fa__bytes *larger(const fa__bytes *b, int64_t most)
{
    fa__bytes *to = fa__bytes_new(b->path, (size_t)most);
    if (to) {
        memcpy(to->item, b->item, (size_t)b->size);
        to->size = b->size;
    }
    return to;
}

/* Reads to the end, doubling the buffer as needed; but no more than one byte beyond what the start of the file says,
 * as a small compressed file may hold a thousand times its size. */
static fa__bytes *read_all(const source *s, const char *who, const char *path, fa__bytes_expected *expected,
                           int64_t most)
{
    int64_t room = FIRST_ROOM;
    for (fa__bytes *b = fa__bytes_new(path, FIRST_ROOM); b; b = larger(b, room)) {
        ptrdiff_t n = source_read(s, b->item + b->size, (size_t)(room - b->size));
        if (n < 0)
            return cannot_read(s, b->path, b->size, who), NULL;
        bool first = b->size == 0;
        b->size += n;
        if (b->size < room || room >= most)
            return b;
        if (first && expected && (most = expected(b)) < INT64_MAX)
            most++;
        if (b->size >= most)
            return b;
        room = room > most / 2 ? most : 2 * room;
    }
    return NULL;
}

/* Stores the path of the first file that exists. */
static bool find(const char *folder, const char *below, const char *const *names, char *path)
{
    static const char *const endings[] = {"", ".gz"};
    for (; *names; names++)
        for (int i = 0; i < 4; i++) {
            const char *between = i & 1 ? below : "";
            int n = snprintf(path, FA__PATH_ROOM, "%s/%s%s%s%s", folder, between, *between ? "/" : "", *names,
                             endings[i >> 1]);
            if (n < FA__PATH_ROOM && (access(path, F_OK) == 0 || errno != ENOENT))
                return true;
        }
    return false;
}

fa__bytes *fa__bytes_read(const char *who, const char *folder, const char *below, const char *const *names, bool must,
                          fa__bytes_expected *expected)
{
    char path[FA__PATH_ROOM];
    source s;
    if (!folder) {
        fa_fail(FA_ERROR_ARGUMENT, "%s: the folder is NULL", who);
        return NULL;
    }
    if (!find(folder, below, names, path)) {
        if (must)
            fa_fail(FA_ERROR_FILE, "%s: there is no %s, nor one with .gz, in %s or %s/%s", who, names[0], folder,
                    folder, below);
        return NULL;
    }
    FA_SCOPE;
    fa__bytes *b = source_open(&s, who, path) ? read_all(&s, who, path, expected, INT64_MAX) : NULL;
    source_close(&s);
    return fa_escape(b);
}

fa__bytes *fa__bytes_of(const char *who, const char *path, int64_t most)
{
    source s;
    FA_SCOPE;
    fa__bytes *b = source_open(&s, who, path) ? read_all(&s, who, path, NULL, most + 1) : NULL;
    source_close(&s);
    if (b && b->size > most) {
        fa_fail(FA_ERROR_FILE, "%s: %s has more than %lld bytes", who, path, (long long)most);
        return NULL;
    }
    return b ? fa_escape(b) : NULL;
}

/* ---- files from start to end ---- */

struct fa__reader {
    fa_object base;
    const char *who;
    source source;
    int64_t at;
    char path[FA__PATH_ROOM];
};

static void reader_destroy(void *object)
{
    source_close(&((fa__reader *)object)->source);
}

static const fa_object_type reader_type = {"reader", reader_destroy};

fa__reader *fa__reader_open(const char *who, const char *path)
{
    fa__reader *r = fa_object_new(&reader_type, sizeof *r);
    if (!r)
        return NULL;
    r->who = who;
    snprintf(r->path, sizeof r->path, "%s", path);
    return source_open(&r->source, who, path) ? r : NULL;
}

int64_t fa__reader_read(fa__reader *r, void *to, int64_t size)
{
    ptrdiff_t n = source_read(&r->source, to, (size_t)size);
    if (n < 0)
        return cannot_read(&r->source, r->path, r->at, r->who) ? 0 : -1;
    r->at += n;
    return n;
}

fa__bytes *fa__reader_take(fa__reader *r, int64_t size)
{
    int64_t room = size < FIRST_ROOM ? size : FIRST_ROOM;
    for (fa__bytes *b = fa__bytes_new(r->path, (size_t)room); b; b = larger(b, room)) {
        int64_t n = fa__reader_read(r, b->item + b->size, room - b->size);
        if (n < 0)
            return NULL;
        b->size += n;
        if (b->size == size)
            return b;
        if (b->size < room)
            return fa__reader_wrong(r, "the file ends too early"), NULL;
        room = room > size / 2 ? size : 2 * room;
    }
    return NULL;
}

const char *fa__reader_path(const fa__reader *r)
{
    return r->path;
}

bool fa__reader_wrong(const fa__reader *r, const char *what)
{
    return fa_fail(FA_ERROR_FILE, "%s: %s, byte %lld: %s", r->who, r->path, (long long)r->at, what);
}
