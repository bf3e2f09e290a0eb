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

/* Reads the first of these files that exists, in the folder or in its subfolder `below`, each also with ".gz".
 * @param who   name for messages, such as "fa_data_mnist"
 * @param names terminated by NULL
 * @param must  if none of them exists: true: an error; false: only NULL */
fa__bytes *fa__bytes_read(const char *who, const char *folder, const char *below, const char *const *names, bool must);
#endif
