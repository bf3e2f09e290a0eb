/** @file
 *  Writing a file so that a reader sees the old one or the new one, never half of it: fa_save() does, and programs that
 *  write files of their own can.
 *
 *      fa_file out;
 *      if (fa_file_begin(&out, "log.csv") && fa_file_put(&out, text, size))
 *          fa_file_commit(&out);
 *      fa_file_abandon(&out);
 *
 *  Failures raise FA_ERROR_FILE with the file's name and the reason. Different files may be written by different
 * threads at once. */
#ifndef FACULA_FILE_H
#define FACULA_FILE_H
#include <facula/types.h>

FA__BEGIN

/** A file being written. */
typedef struct fa_file {
    int file;        /**< its descriptor; -1: none */
    char *path;      /**< what it will be; the library's */
    char *temporary; /**< what it is until then, beside it; NULL: path itself, a device or a pipe */
} fa_file;

/** Begins to write a file beside `path`, to be put in its place by fa_file_commit(). A link is followed, the mode of a
 *  file that is already there is kept, and what is no regular file is written directly. After a failure there is
 * nothing to abandon. */
FA_API bool fa_file_begin(fa_file *out, const char *path);

/** Adds `size` bytes of `data`. */
FA_API bool fa_file_put(fa_file *out, const void *data, size_t size);

/** Makes what was put safe on disk (fsync) and puts it in its place (rename). On failure the old file is as it was.
 * Ends `out` in both cases. */
FA_API bool fa_file_commit(fa_file *out);

/** Throws away what was put. Does nothing after a commit, or a begin that failed. */
FA_API void fa_file_abandon(fa_file *out);

/** A file of `size` bytes of `data` in one go. */
FA_API bool fa_file_write(const char *path, const void *data, size_t size);

FA__END
#endif
