/* Whole files: read into memory, and written so that a reader sees the old one or the new one, never half. Failures
 * raise FA_ERROR_FILE with the file's name and the reason. */
#ifndef FA__BASE_FILES_H
#define FA__BASE_FILES_H
#include "base/types.h"

/* Reads a file, a pipe or a device to its end. *data has a 0 behind its *size bytes and is freed with fa__free. On
 * failure both are left alone. */
bool fa__file_read(const char *path, char **data, size_t *size);

/* Writes a file in one go; see fa__file_begin. */
bool fa__file_write(const char *path, const void *data, size_t size);

/* A file being written. */
typedef struct fa__file_out {
    int file;               /* -1: none */
    char *path, *temporary; /* temporary is NULL when path itself is written: a device, a pipe */
} fa__file_out;

/* Begins to write a file beside `path`, to be put in its place by fa__file_commit. A link is followed, the mode of a
 * file that is already there is kept, and what is no regular file is written directly. */
bool fa__file_begin(fa__file_out *out, const char *path);

bool fa__file_put(fa__file_out *out, const void *data, size_t size);

/* Makes what was put safe on disk (fsync) and puts it in its place. On failure the old file is as it was. Ends `out`.
 */
bool fa__file_commit(fa__file_out *out);

/* Throws away what was put. Does nothing after a commit, or a begin that failed. */
void fa__file_abandon(fa__file_out *out);
#endif
