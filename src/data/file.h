/* Reading dataset files, plain or compressed, into memory. */
#ifndef FA__DATA_FILE_H
#define FA__DATA_FILE_H
#include <facula/scope.h>

enum { FA__PATH_ROOM = 4096 };

/* The content of a file, in the innermost scope, and its path. */
typedef struct fa__bytes {
    fa_object base;
    char path[FA__PATH_ROOM];
    int64_t size;
    unsigned char item[];
} fa__bytes;

/* Room for bytes of this file, in the innermost scope; NULL and an error if memory runs out. */
fa__bytes *fa__bytes_new(const char *path, size_t room);

/* The size that the start of a file gives for it, at least 0; INT64_MAX: any. */
typedef int64_t fa__bytes_expected(const fa__bytes *start);

/* Reads the first of these files that exists, in the folder or in its subfolder `below`, each also with ".gz".
 * @param who   name for messages, such as "fa_data_mnist"
 * @param names terminated by NULL
 * @param must  if none of them exists: true: an error; false: only NULL
 * @param expected looks at the first 64 KiB of a larger file, of which no more is read than one byte beyond this size;
 *        NULL: reads to the end */
fa__bytes *fa__bytes_read(const char *who, const char *folder, const char *below, const char *const *names, bool must,
                          fa__bytes_expected *expected);
/* Reads a file, compressed if its name ends with ".gz". An error if it has more than `most` bytes, uncompressed, of
 * which no more than one is read. */
fa__bytes *fa__bytes_of(const char *who, const char *path, int64_t most);

/* A file that is read from its start to its end, in the innermost scope; decompressed if its name ends with ".gz". */
typedef struct fa__reader fa__reader;
fa__reader *fa__reader_open(const char *who, const char *path);
/* Reads up to `size` bytes, fewer only at the end; -1 and an error that names the file on failure. */
int64_t fa__reader_read(fa__reader *r, void *to, int64_t size);
/* The same to memory that grows as bytes arrive, in the innermost scope: NULL and an error if the file has fewer. */
fa__bytes *fa__reader_take(fa__reader *r, int64_t size);
const char *fa__reader_path(const fa__reader *r);
/* Sets FA_ERROR_FILE with the file's name and the position; returns false. */
bool fa__reader_wrong(const fa__reader *r, const char *what);

/* Bytes of a file. */
typedef struct fa__span {
    const unsigned char *item; /* NULL: none */
    int64_t size;
} fa__span;

/* Finds the first file of this name, in any folder of a tar archive. It stays the archive's; none if there is no such
 * file. False and an error if the archive is damaged. */
bool fa__tar_find(const char *who, const fa__bytes *archive, const char *name, fa__span *member);

/* Writes the member of a zip archive that has this name, in any folder, to a file. False and an error on failure. */
bool fa__zip_extract(const char *who, const char *path, const char *name, const char *to);

/* A regular file in a tar archive. */
typedef struct fa__tar_member {
    char name[FA__PATH_ROOM];
    const fa__bytes *content; /* in the innermost scope; NULL: there are no more */
} fa__tar_member;

/* Reads the next regular file of an archive, with long names as GNU and POSIX have them. False and an error if the
 * archive is damaged. */
bool fa__tar_next(fa__reader *r, fa__tar_member *member);
#endif
