/* Atomic file replacement (fa_file). */
#define _GNU_SOURCE
#include "base/alloc.h"
#include "base/error.h"
#include <errno.h>
#include <facula/host.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Larger single writes may be refused by the system. */
enum { MOST_AT_ONCE = 1 << 30 };

static bool file_error(const char *what, const char *path)
{
    char text[128];
    return fa__fail(FA_ERROR_FILE, "%s: %s: %s", path, what, strerror_r(errno, text, sizeof text));
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = (char *)fa__malloc(size);
    return copy ? (char *)memcpy(copy, text, size) : NULL;
}

/* The target of a symbolic link, or the path itself if it does not exist yet. */
static char *target_of(const char *path)
{
    char *real = realpath(path, NULL);
    char *copy = copy_text(real ? real : path);
    free(real);
    return copy;
}

/* Creates a file beside the target, under an unused name. */
static bool open_temporary(fa_file *out, const char *path)
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

static bool open_directly(fa_file *out, const char *path)
{
    out->file = open(out->path, O_WRONLY | O_CLOEXEC);
    return out->file >= 0 || file_error("cannot write", path);
}

bool fa_file_begin(fa_file *out, const char *path)
{
    *out = (fa_file){.file = -1, .path = target_of(path)};
    if (!out->path)
        return false;
    struct stat status;
    bool there = stat(out->path, &status) == 0;
    bool open = there && !S_ISREG(status.st_mode) ? open_directly(out, path) : open_temporary(out, path);
    if (!open) {
        fa_file_abandon(out);
        return false;
    }
    if (there && out->temporary && fchmod(out->file, status.st_mode & 07777) != 0) {
        file_error("cannot keep its mode", path);
        fa_file_abandon(out);
        return false;
    }
    return true;
}

bool fa_file_put(fa_file *out, const void *data, size_t size)
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

/* Flushes the folder to disk, so that the new name is durable too. Failures are ignored, as some file systems do not
 * support this. */
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

static bool finish(fa_file *out)
{
    if (out->temporary && fsync(out->file) != 0)
        return file_error("cannot write", out->path);
    bool closed = close(out->file) == 0;
    out->file = -1;
    if (!closed || (out->temporary && rename(out->temporary, out->path) != 0))
        return file_error("cannot write", out->path);
    return true;
}

bool fa_file_commit(fa_file *out)
{
    bool done = finish(out);
    if (done && out->temporary) {
        sync_folder_of(out->path);
        fa__free(out->temporary);
        out->temporary = NULL;
    }
    fa_file_abandon(out);
    return done;
}

void fa_file_abandon(fa_file *out)
{
    if (out->file >= 0)
        close(out->file);
    if (out->temporary)
        unlink(out->temporary);
    fa__free(out->temporary);
    fa__free(out->path);
    *out = (fa_file){.file = -1};
}

bool fa_file_write(const char *path, const void *data, size_t size)
{
    fa_file out;
    if (!fa_file_begin(&out, path))
        return false;
    if (fa_file_put(&out, data, size))
        return fa_file_commit(&out);
    fa_file_abandon(&out);
    return false;
}
