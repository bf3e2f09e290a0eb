/* Files of samples, plain or compressed, read into memory. */
#ifndef FA__DATA_FILE_H
#define FA__DATA_FILE_H
#include <facula/scope.h>

enum { FA__PATH_ROOM = 4096 };

/* The bytes of a file, in the innermost scope, and where it was found. */
typedef struct fa__bytes {
    fa_object base;
    char path[FA__PATH_ROOM];
    int64_t size;
    unsigned char item[];
} fa__bytes;

/* Reads the first of these files that is there: in the folder, or in its folder `below`; each also with ".gz".
 *  @param who   "fa_data_mnist", for messages
 *  @param names ended by NULL
 *  @param must  when there is none of them: an error, or just NULL */
fa__bytes *fa__bytes_read(const char *who, const char *folder, const char *below, const char *const *names, bool must);
#endif
