/* A safetensors file, as the files of this folder see it: eight bytes with the length of a head in JSON, which tells
 * for each tensor dtype, shape and the bytes behind the head that are its elements, row-major and little-endian. */
#ifndef FA__IO_SAFETENSORS_H
#define FA__IO_SAFETENSORS_H
#include <facula/save.h>
#include <facula/scope.h>
#include <stdio.h>
#include <string.h>

/* The longest head, as the format's own library has it. */
enum { FA__MOST_HEAD = 100000000 };

/* An open file; it belongs to the innermost scope, and closes when it goes. */
typedef struct fa__stored {
    fa_object base;
    const char *who, *path; /* of the call that opened it */
    FILE *file;
    const struct fa__json *json;
    void *document; /* to which all names and texts belong */
    int64_t head, size;
    size_t count, texts;
    fa_saved_entry *entry;      /* by their place in the file */
    const char **name, **value; /* texts */
    fa_object *lists;           /* holds what these point to */
} fa__stored;

/* Opens a file and checks its head. `who` and `path` have to live as long. NULL and an error. */
fa__stored *fa__stored_open(const char *who, const char *path);
/* Its tensor number i, in the innermost scope, made on the CPU and moved to the device. NULL and an error. */
fa_tensor *fa__stored_read(const fa__stored *archive, size_t i, fa_device device);
/* Closes the file; what its head said stays. */
void fa__stored_close(fa__stored *archive);
/* Whether texts are UTF-8; an error tells `what` and its number: "the name of tensor". */
bool fa__stored_texts_check(const char *who, const char *what, const char *const *text, size_t count);
/* Writes a file. */
bool fa__stored_write(const char *who, const char *path, fa_parameters state, fa_metadata metadata);

/* What follows the prefix in a name; NULL: the name does not begin with it. */
static inline const char *fa__below(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) ? NULL : name + length;
}

/* Tensors, each with the entry of the file that it is to be set to. */
typedef struct fa__match fa__match;

/* Finds the entry `prefix` + name for each tensor of `state`, in the innermost scope. NULL, with an error that names
 * all that is missing or (of that prefix) unexpected, unless not strict, and what is of another shape. */
fa__match *fa__match_new(const fa__stored *archive, const char *prefix, fa_parameters state, bool strict);
/* Reads what was found, into memory of the innermost scope. */
bool fa__match_read(const fa__stored *archive, fa__match *match);
/* Sets the tensors to what was read. */
bool fa__match_write(const fa__match *match);

/* The dtypes' names in such files; NULL: it has none. */
const char *fa__stored_dtype(fa_dtype dtype);
#endif
