/* Reading whole files, and replacing files as a whole. */
#define _GNU_SOURCE
#include "base/files.h"
#include "base/alloc.h"
#include "base/error.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The system may refuse larger single reads and writes. */
enum { MOST_AT_ONCE = 1 << 30 };

static bool file_error(const char *what, const char *path)
{
    char text[128];
    return fa__fail(FA_ERROR_FILE, "%s: %s: %s", path, what, strerror_r(errno, text, sizeof text));
}

/* A buffer that grows, one byte kept for the 0 at the end. */
typedef struct growing {
    char *data;
    size_t size, room;
} growing;

static bool grow(growing *g)
{
    size_t room;
    if (!fa__mul_size(g->room, 2, &room))
        return fa__fail(FA_ERROR_MEMORY, "out of memory: a file is too large");
    char *data = (char *)fa__realloc(g->data, room);
    if (!data)
        return false;
    g->data = data;
    g->room = room;
    return true;
}

/* Reads once: 1 if there may be more, 0 at the end, -1 on failure. */
static int read_some(int file, growing *g)
{
    size_t left = g->room - g->size - 1;
    ssize_t got;
    do
        got = read(file, g->data + g->size, left < MOST_AT_ONCE ? left : MOST_AT_ONCE);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        g->size += (size_t)got;
    return got > 0 ? 1 : (int)got;
}

static bool read_all(int file, const char *path, growing *g)
{
    for (;;) {
        if (g->size + 1 == g->room && !grow(g))
            return false;
        int more = read_some(file, g);
        if (more < 0)
            return file_error("cannot read", path);
        if (!more)
            return true;
    }
}

/* Room for the size that the file claims, the 0, and a byte so that its end is seen without growing. */
static size_t expected_room(int file)
{
    struct stat status;
    size_t room;
    if (fstat(file, &status) || status.st_size <= 0 || !fa__add_size((size_t)status.st_size, 2, &room))
        return 4096;
    return room;
}

bool fa__file_read(const char *path, char **data, size_t *size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return file_error("cannot open", path);
    growing g = {.room = expected_room(file)};
    g.data = (char *)fa__malloc(g.room);
    bool whole = g.data && read_all(file, path, &g);
    close(file);
    if (!whole) {
        fa__free(g.data);
        return false;
    }
    g.data[g.size] = 0;
    *data = g.data;
    *size = g.size;
    return true;
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = (char *)fa__malloc(size);
    return copy ? (char *)memcpy(copy, text, size) : NULL;
}

/* What a link leads to, or the path itself when there is nothing yet. */
static char *target_of(const char *path)
{
    char *real = realpath(path, NULL);
    char *copy = copy_text(real ? real : path);
    free(real);
    return copy;
}

/* A new file beside the target, by a name that nobody has. */
static bool open_temporary(fa__file_out *out, const char *path)
{
    static _Atomic unsigned number;
    size_t size = strlen(out->path) + 48;
    out->temporary = (char *)fa__malloc(size);
    if (!out->temporary)
        return false;
    for (int attempt = 0; attempt < 100; attempt++) {
        snprintf(out->temporary, size, "%s.%ld-%u.part", out->path, (long)getpid(), number++);
        out->file = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->file >= 0 || errno != EEXIST)
            break;
    }
    if (out->file >= 0)
        return true;
    file_error("cannot write", path);
    fa__free(out->temporary);
    out->temporary = NULL;
    return false;
}

static bool open_directly(fa__file_out *out, const char *path)
{
    out->file = open(out->path, O_WRONLY | O_CLOEXEC);
    return out->file >= 0 || file_error("cannot write", path);
}

bool fa__file_begin(fa__file_out *out, const char *path)
{
    *out = (fa__file_out){.file = -1, .path = target_of(path)};
    if (!out->path)
        return false;
    struct stat status;
    bool there = stat(out->path, &status) == 0;
    bool open = there && !S_ISREG(status.st_mode) ? open_directly(out, path) : open_temporary(out, path);
    if (!open) {
        fa__file_abandon(out);
        return false;
    }
    if (there && out->temporary && fchmod(out->file, status.st_mode & 07777) != 0) {
        file_error("cannot keep its mode", path);
        fa__file_abandon(out);
        return false;
    }
    return true;
}

bool fa__file_put(fa__file_out *out, const void *data, size_t size)
{
    const char *at = (const char *)data;
    while (size > 0) {
        ssize_t done = write(out->file, at, size < MOST_AT_ONCE ? size : MOST_AT_ONCE);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return file_error("cannot write", out->path);
        at += done;
        size -= (size_t)done;
    }
    return true;
}

/* So that the new name is safe on disk too. Not every file system can: then the name is as safe as it gets. */
static void sync_folder_of(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        slash[slash == path] = 0;
    int folder = open(slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    fsync(folder);
    close(folder);
}

static bool finish(fa__file_out *out)
{
    if (out->temporary && fsync(out->file) != 0)
        return file_error("cannot write", out->path);
    bool closed = close(out->file) == 0;
    out->file = -1;
    if (!closed || (out->temporary && rename(out->temporary, out->path) != 0))
        return file_error("cannot write", out->path);
    return true;
}

bool fa__file_commit(fa__file_out *out)
{
    bool done = finish(out);
    if (done && out->temporary) {
        sync_folder_of(out->path);
        fa__free(out->temporary);
        out->temporary = NULL;
    }
    fa__file_abandon(out);
    return done;
}

void fa__file_abandon(fa__file_out *out)
{
    if (out->file >= 0)
        close(out->file);
    if (out->temporary)
        unlink(out->temporary);
    fa__free(out->temporary);
    fa__free(out->path);
    *out = (fa__file_out){.file = -1};
}

bool fa__file_write(const char *path, const void *data, size_t size)
{
    fa__file_out out;
    if (!fa__file_begin(&out, path))
        return false;
    if (fa__file_put(&out, data, size))
        return fa__file_commit(&out);
    fa__file_abandon(&out);
    return false;
}
