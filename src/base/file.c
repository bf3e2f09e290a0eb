/* Atomic file replacement (fa_file), and opening regular files. */
#define _GNU_SOURCE
#include "base/alloc.h"
#include "base/error.h"
#include <dirent.h>
#include <errno.h>
#include <facula/host.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_AT_ONCE = 1 << 30, /* larger single writes may be refused by the system */
    MOST_LINKS = 40,        /* as the kernel's limit */
    DIGITS = 16             /* of the number in the name of a temporary file */
};

static bool file_error(const char *what, const char *path)
{
    return fa__fail(FA_ERROR_FILE, "%s: %s: %s", path, what, strerror(errno));
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = (char *)fa__malloc(size);
    return copy ? (char *)memcpy(copy, text, size) : NULL;
}

/* The last part of a path. */
static const char *name_in(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The path of `name` in the folder of a file, or `name` itself if it is absolute. */
static char *beside(const char *path, const char *name)
{
    size_t folder = *name == '/' ? 0 : (size_t)(name_in(path) - path), length = strlen(name) + 1;
    char *to = (char *)fa__malloc(folder + length);
    if (!to)
        return NULL;
    memcpy(to, path, folder);
    memcpy(to + folder, name, length);
    return to;
}

/* The file that a path leads to through symbolic links, whether it exists or not. */
static char *target_of(const char *path)
{
    char link[PATH_MAX];
    char *at = copy_text(path);
    for (int links = 0; at; links++) {
        ssize_t length = readlink(at, link, sizeof link - 1);
        if (length < 0)
            return at;
        link[length] = 0;
        char *next = links < MOST_LINKS ? beside(at, link) : NULL;
        if (links == MOST_LINKS) {
            errno = ELOOP;
            file_error("cannot write", path);
        }
        fa__free(at);
        at = next;
    }
    return NULL;
}

/* ---- temporary files ----
 *
 * NAME.0123456789abcdef.part stands beside NAME while it is written, and is locked: what a process left that was
 * killed is not locked any more, and the next one that writes NAME removes it. */

static const char ending[] = ".part";

/* How much of a name stands in that of its temporary file: names have at most NAME_MAX bytes. */
static size_t stem_of(const char *name)
{
    size_t length = strlen(name), most = NAME_MAX - 1 - DIGITS - (sizeof ending - 1);
    return length < most || length > NAME_MAX ? length : most;
}

/* Whether a file is named like a temporary file for the file `name`. */
static bool is_temporary(const char *entry, const char *name)
{
    size_t stem = stem_of(name);
    if (strlen(entry) != stem + 1 + DIGITS + sizeof ending - 1 || memcmp(entry, name, stem) || entry[stem] != '.')
        return false;
    return strspn(entry + stem + 1, "0123456789abcdef") == DIGITS && !strcmp(entry + stem + 1 + DIGITS, ending);
}

/* Removes a temporary file unless it is locked. */
static void remove_unlocked(int folder, const char *entry)
{
    int file = openat(folder, entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return;
    struct stat status;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && flock(file, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, entry, 0);
    close(file);
}

/* Removes the temporary files of processes that were killed while they wrote this file. */
static void remove_left(const char *path)
{
    char *folder = beside(path, ".");
    DIR *entries = folder ? opendir(folder) : NULL;
    fa__free(folder);
    if (!entries)
        return;
    for (struct dirent *entry; (entry = readdir(entries));)
        if (is_temporary(entry->d_name, name_in(path)))
            remove_unlocked(dirfd(entries), entry->d_name);
    closedir(entries);
}

/* A number that other processes and threads do not draw at the same time, also with the same process number. */
static uint64_t drawn_number(void)
{
    static _Atomic uint64_t number;
    struct timespec now;
    uint64_t drawn = 0;
    if (getrandom(&drawn, sizeof drawn, GRND_NONBLOCK) == sizeof drawn)
        return drawn;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec << 24 ^ (uint64_t)getpid() << 8 ^ number++;
}

/* Locks a file that was just created; false if another process took it for one that was left, and removed it. A file
 * system without locks has none that could be taken for it. */
static bool lock(int file)
{
    struct stat status;
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    return fstat(file, &status) == 0 && status.st_nlink > 0;
}

/* Creates a locked file beside the target, under an unused name. */
static bool open_temporary(fa_file *out, const char *path)
{
    const char *name = name_in(out->path);
    size_t front = (size_t)(name - out->path) + stem_of(name), size = front + 1 + DIGITS + sizeof ending;
    out->temporary = (char *)fa__malloc(size);
    if (!out->temporary)
        return false;
    remove_left(out->path);
    memcpy(out->temporary, out->path, front);
    for (int attempt = 0; attempt < 100; attempt++) {
        snprintf(out->temporary + front, size - front, ".%016" PRIx64 "%s", drawn_number(), ending);
        out->file = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->file >= 0 && lock(out->file))
            return true;
        if (out->file < 0 && errno != EEXIST)
            break;
        if (out->file >= 0)
            close(out->file);
        out->file = -1;
        errno = EEXIST;
    }
    file_error("cannot write", path);
    fa__free(out->temporary);
    out->temporary = NULL;
    return false;
}

static bool open_directly(fa_file *out, const char *path)
{
    out->path = copy_text(path);
    if (!out->path)
        return false;
    out->file = open(path, O_WRONLY | O_CLOEXEC);
    return out->file >= 0 || file_error("cannot write", path);
}

bool fa_file_begin(fa_file *out, const char *path)
{
    *out = (fa_file){.file = -1};
    struct stat status;
    bool there = stat(path, &status) == 0, open;
    if (there && !S_ISREG(status.st_mode))
        open = open_directly(out, path);
    else
        open = (out->path = target_of(path)) && open_temporary(out, path);
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

/* Errors that are found when a file is closed: of another descriptor, as the lock ends with the last one. */
static bool is_written(int file)
{
    if (fsync(file) != 0)
        return false;
    int other = fcntl(file, F_DUPFD_CLOEXEC, 0);
    return other >= 0 && close(other) == 0;
}

static bool finish(fa_file *out)
{
    if (out->temporary)
        return (is_written(out->file) && rename(out->temporary, out->path) == 0)
               || file_error("cannot write", out->path);
    bool closed = close(out->file) == 0;
    out->file = -1;
    return closed || file_error("cannot write", out->path);
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

int fa__file_open(const char *who, const char *path, int64_t *size)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); /* a pipe may have no writer */
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        *size = status.st_size;
        return file;
    }
    if (file >= 0)
        fa__fail(FA_ERROR_FILE, "%s: %s is no regular file", who, path);
    else
        fa__fail(FA_ERROR_FILE, "%s: %s: cannot open: %s", who, path, strerror(errno));
    if (file >= 0)
        close(file);
    return -1;
}
