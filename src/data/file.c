/* Reading dataset files, plain or compressed, into memory. */
#include "data/file.h"
#include "plugins/gzip.h"
#include <errno.h>
#include <facula/error.h>
#include <facula/host.h>
#include <facula/scope.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

/* Opens an existing file. */
static bool source_open(source *s, const char *who, const char *path)
{
    size_t length = strlen(path);
    struct stat status;
    *s = (source){0};
    if (!stat(path, &status) && !S_ISREG(status.st_mode)) /* checked first, because opening a pipe may block forever */
        return fa_fail(FA_ERROR_FILE, "%s: %s is no regular file", who, path);
    if (length < 3 || strcmp(path + length - 3, ".gz")) {
        s->plain = fopen(path, "rb");
    } else {
        char purpose[FA__PATH_ROOM + 16];
        snprintf(purpose, sizeof purpose, "to read %s", path);
        s->gzip = fa__plugin("gzip", purpose);
        if (!s->gzip)
            return false;
        s->packed = s->gzip->open(path);
    }
    return s->plain || s->packed || fa_fail(FA_ERROR_FILE, "%s: %s: %s", who, path, strerror(errno));
}

static fa__bytes *bytes_new(const char *path, size_t room)
{
    fa__bytes *b = fa_object_new(&bytes_type, sizeof *b + room);
    if (b)
        snprintf(b->path, sizeof b->path, "%s", path);
    return b;
}

/* Reads to the end, doubling the buffer as needed. */
static fa__bytes *read_all(const source *s, const char *who, const char *path)
{
    size_t room = FIRST_ROOM;
    fa__bytes *b = bytes_new(path, room);
    while (b) {
        ptrdiff_t n = source_read(s, b->item + b->size, room - (size_t)b->size);
        if (n < 0) {
            if (s->packed)
                fa_fail(FA_ERROR_FILE, "%s: %s, %s", who, path, s->gzip->reason(s->packed));
            else
                fa_fail(FA_ERROR_FILE, "%s: %s, behind byte %lld: %s", who, path, (long long)b->size, strerror(errno));
            return NULL;
        }
        b->size += n;
        if ((size_t)b->size < room)
            return b;
        fa__bytes *larger = bytes_new(path, 2 * room);
        if (larger) {
            memcpy(larger->item, b->item, room);
            larger->size = b->size;
        }
        room *= 2;
        b = larger;
    }
    return NULL;
}

static bool is_there(const char *path)
{
    FILE *f = fopen(path, "rb");
    bool there = f || errno != ENOENT;
    if (f)
        fclose(f);
    return there;
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
            if (n < FA__PATH_ROOM && is_there(path))
                return true;
        }
    return false;
}

fa__bytes *fa__bytes_read(const char *who, const char *folder, const char *below, const char *const *names, bool must)
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
    fa__bytes *b = source_open(&s, who, path) ? read_all(&s, who, path) : NULL;
    source_close(&s);
    return fa_escape(b);
}
