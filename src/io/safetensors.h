/* A safetensors file, as the files of this folder see it: eight bytes with the length of a head in JSON, which tells
 * for each tensor dtype, shape and the bytes behind the head that are its elements, row-major and little-endian. */
#ifndef FA__IO_SAFETENSORS_H
#define FA__IO_SAFETENSORS_H
#include <facula/object.h>
#include <facula/save.h>
#include <stdio.h>

/* A tensor in a file. */
typedef struct fa__entry {
    const char *name, *dtype_name;
    fa_dtype dtype; /* FA_SAME: one that is not here */
    fa_shape shape;
    int64_t begin, end; /* its bytes, from the end of the head on */
} fa__entry;

/* An open file; it belongs to the innermost scope, and closes when it goes. */
typedef struct fa__archive {
    fa_object base;
    const char *who, *path; /* of the call that opened it */
    FILE *file;
    const struct fa__json *json;
    void *document; /* to which all names and texts belong */
    int64_t head, size;
    size_t count, texts;
    fa__entry *entry;           /* by their place in the file */
    const char **name, **value; /* texts */
    fa_object *lists;           /* holds what these point to */
} fa__archive;

/* Opens a file and checks its head. `who` and `path` have to live as long. NULL and an error. */
fa__archive *fa__archive_open(const char *who, const char *path);
/* Its tensor number i, in the innermost scope, made on the CPU and moved to the device. NULL and an error. */
fa_tensor *fa__archive_read(const fa__archive *archive, size_t i, fa_device device);
/* Closes the file; what its head said stays. */
void fa__archive_close(fa__archive *archive);
/* Writes a file. */
bool fa__archive_write(const char *who, const char *path, fa_parameters state, fa_metadata metadata);

/* The dtypes' names in such files; NULL: it has none. */
const char *fa__archive_dtype(fa_dtype dtype);
#endif
