/* Compiled kernels on disk, one file for each, in FACULA_CACHE_DIR ("off" or "": none), or else in facula/ of
 * XDG_CACHE_HOME or ~/.cache. Whatever is wrong with a file, there is none: nothing here raises an error. Files are
 * written beside their place and renamed, so that processes need not know of each other. When they become too many,
 * those go that were not used for the longest time. */
#define _GNU_SOURCE
#include "backend/gpu/gpu.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What a file begins with; the payload follows. A change of what files mean changes `magic`. */
typedef struct header {
    char magic[8];
    uint64_t key[2];
    uint64_t size, check; /* of the payload */
} header;

static const char magic[8] = "FAKERN1";
enum {
    PATH_MOST = 1024,
    KERNEL_MOST = 1 << 28, /* bytes of a kernel, */
    FOLDER_MOST = 1 << 28, /* and of all */
    WRITES = 64,           /* so many are written before the folder is looked at again */
    HOUR = 3600,
    DAY = 24 * HOUR
};

/* False when there is to be no cache, or its name is too long. */
static bool folder(char *path)
{
    const char *named = getenv("FACULA_CACHE_DIR"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (named)
        n = *named && strcmp(named, "off") != 0 ? snprintf(path, PATH_MOST, "%s", named) : -1;
    else if (cache && *cache == '/')
        n = snprintf(path, PATH_MOST, "%s/facula", cache);
    else if (home && *home)
        n = snprintf(path, PATH_MOST, "%s/.cache/facula", home);
    return n > 0 && n < PATH_MOST;
}

bool fa__gpu_disk_is_used(void)
{
    char path[PATH_MOST];
    return folder(path);
}

static void make_folder(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

/* FNV-1a (Fowler, Noll, Vo), of a text and its 0: the second half of a key, of another kind than the first. */
static uint64_t add_text(uint64_t hash, const char *text)
{
    do
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    while (*text++);
    return hash;
}

static header header_for(const char *identity, const char *options, const char *source)
{
    header h = {.key = {0, UINT64_C(0xcbf29ce484222325)}};
    const char *const texts[] = {identity, options, source};
    memcpy(h.magic, magic, sizeof magic);
    for (int i = 0; i < 3; i++) {
        h.key[0] = fa__hash_add(h.key[0], fa__hash_text(texts[i]));
        h.key[1] = add_text(h.key[1], texts[i]);
    }
    return h;
}

static bool file_for(const header *h, char *path)
{
    size_t n = folder(path) ? strlen(path) : PATH_MOST;
    if (n + 64 > PATH_MOST)
        return false;
    snprintf(path + n, PATH_MOST - n, "/%016llx%016llx.kernel", (unsigned long long)h->key[0],
             (unsigned long long)h->key[1]);
    return true;
}

static bool read_all(int file, void *to, size_t size)
{
    for (char *at = to; size > 0;) {
        ssize_t n = read(file, at, size);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool write_all(int file, const void *from, size_t size)
{
    for (const char *at = from; size > 0;) {
        ssize_t n = write(file, at, size);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Only what this user wrote is trusted: it will run. */
static bool is_own(const struct stat *s)
{
    return S_ISREG(s->st_mode) && s->st_uid == geteuid() && !(s->st_mode & (S_IWGRP | S_IWOTH));
}

/* The time of a file is that of its last use, to the day. */
static void note_use(int file, const struct stat *s)
{
    if (time(NULL) - s->st_mtime > DAY)
        futimens(file, NULL);
}

static void *read_payload(int file, const header *want, size_t *size)
{
    struct stat s;
    header h;
    if (fstat(file, &s) || !is_own(&s) || !read_all(file, &h, sizeof h)
        || memcmp(h.magic, want->magic, sizeof h.magic) != 0 || memcmp(h.key, want->key, sizeof h.key) != 0
        || h.size == 0 || h.size > KERNEL_MOST || (uint64_t)s.st_size != sizeof h + h.size)
        return NULL;
    void *bytes = fa__malloc((size_t)h.size);
    if (bytes && read_all(file, bytes, (size_t)h.size) && fa__hash_bytes(bytes, (size_t)h.size) == h.check) {
        *size = (size_t)h.size;
        note_use(file, &s);
        return bytes;
    }
    fa__free(bytes);
    return NULL;
}

void *fa__gpu_disk_read(const char *identity, const char *options, const char *source, size_t *size)
{
    char path[PATH_MOST];
    header h = header_for(identity, options, source);
    int file = file_for(&h, path) ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    if (file < 0)
        return NULL;
    fa_error ignored = {.code = FA_OK}, *before = fa__error_use(&ignored);
    void *bytes = read_payload(file, &h, size);
    fa__error_use(before);
    close(file);
    return bytes;
}

/* ---- making room ---- */
typedef struct entry {
    time_t used;
    off_t size;
    char name[48];
} entry;

/* What is there of ours. What a process left behind that was killed while it wrote is removed, when it is old enough
 * that it cannot be another's that is writing. NULL for none, and without memory. */
static entry *list(DIR *folder, size_t *count, uint64_t *bytes)
{
    entry *all = NULL;
    size_t room = 0;
    struct stat s;
    for (struct dirent *e; (e = readdir(folder));) {
        const char *dot = strchr(e->d_name, '.');
        size_t length = strlen(e->d_name);
        if (!dot || strncmp(dot, ".kernel", 7) != 0 || length >= sizeof all->name
            || fstatat(dirfd(folder), e->d_name, &s, AT_SYMLINK_NOFOLLOW) || !is_own(&s))
            continue;
        if (dot[7] && time(NULL) - s.st_mtime > HOUR)
            unlinkat(dirfd(folder), e->d_name, 0);
        if (dot[7])
            continue;
        if (*count == room) {
            room = room ? 2 * room : 64;
            entry *larger = fa__realloc(all, room * sizeof *all);
            if (!larger)
                break;
            all = larger;
        }
        entry *new = &all[(*count)++];
        *new = (entry){.used = s.st_mtime, .size = s.st_size};
        memcpy(new->name, e->d_name, length + 1);
        *bytes += (uint64_t)s.st_size;
    }
    return all;
}

static int by_use(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return (x->used > y->used) - (x->used < y->used);
}

void fa__gpu_disk_trim(uint64_t most)
{
    char path[PATH_MOST];
    size_t count = 0;
    uint64_t bytes = 0;
    DIR *d = folder(path) ? opendir(path) : NULL;
    if (!d)
        return;
    fa_error ignored = {.code = FA_OK}, *before = fa__error_use(&ignored);
    entry *all = list(d, &count, &bytes);
    if (all && bytes > most) {
        qsort(all, count, sizeof *all, by_use);
        for (size_t i = 0; i < count && bytes > most / 4 * 3; i++)
            if (!unlinkat(dirfd(d), all[i].name, 0))
                bytes -= (uint64_t)all[i].size;
    }
    fa__free(all);
    fa__error_use(before);
    closedir(d);
}

void fa__gpu_disk_write(const char *identity, const char *options, const char *source, const void *bytes, size_t size)
{
    char path[PATH_MOST], temporary[PATH_MOST + 8];
    header h = header_for(identity, options, source);
    if (size == 0 || size > KERNEL_MOST || !folder(path))
        return;
    make_folder(path);
    if (!file_for(&h, path))
        return;
    h.size = size;
    h.check = fa__hash_bytes(bytes, size);
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    int file = mkostemp(temporary, O_CLOEXEC);
    if (file < 0)
        return;
    bool good = write_all(file, &h, sizeof h) && write_all(file, bytes, size);
    good &= close(file) == 0;
    if (!good || rename(temporary, path) != 0)
        unlink(temporary);
    static _Atomic unsigned writes;
    if (atomic_fetch_add(&writes, 1) % WRITES == 0)
        fa__gpu_disk_trim(FOLDER_MOST);
}
