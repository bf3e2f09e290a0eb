/* Internal interface to safetensors files. Such a file starts with eight bytes, the length of a JSON header, which
 * has the dtype, shape and byte range of each tensor. The byte ranges count from the end of the header; elements are
 * row-major and little-endian. */
#ifndef FA__IO_SAFETENSORS_H
#define FA__IO_SAFETENSORS_H
#include <facula/error.h>
#include <facula/save.h>
#include <facula/scope.h>
#include <stdio.h>
#include <string.h>

/* Maximum length of a header, as in the format's reference library. */
enum { FA__MOST_HEAD = 100000000 };

/* What arrays of NumPy's files need beside their entry. */
typedef struct fa__layout {
    bool swapped, fortran; /* big-endian; the first dimension is the fastest */
    bool checked;          /* there is a checksum, of all bytes from `at` to the entry's end */
    uint32_t crc;
    int64_t at;
    int64_t packed; /* bytes of a compressed array in the file, from `at`; 0: it is not compressed */
    char dtype_name[24];
} fa__layout;

/* An open file, owned by the innermost scope and closed when freed. */
typedef struct fa__stored {
    fa_object base;
    const char *who, *path; /* name of the call that opened it */
    const char *kind;       /* "safetensors", "npy" or "npz" */
    FILE *file;
    int64_t head, size; /* where the tensors begin, and the size of the file */
    size_t count, texts;
    fa_saved_entry *entry;      /* in the order of their position in the file */
    const char **name, **value; /* metadata */
    fa__layout *layout;         /* as many as entries; NULL in safetensors files */
    bool map;                   /* use the file's memory where that is possible */
    fa_object *mapping;
    fa_object *text, *entries, *names, *values; /* own the memory that these point to */
} fa__stored;

/* Memory as an object of the innermost scope. */
typedef struct fa__memory {
    fa_object base;
    _Alignas(16) char bytes[];
} fa__memory;

/* `size` bytes, set to zero; NULL and an error if memory runs out. */
fa__memory *fa__memory_new(size_t size);

/* Reads the header, whose text has `size` bytes and a zero byte after them. False and an error if it is damaged. */
bool fa__stored_header(fa__stored *archive, fa__memory *text, size_t size);
/* Sets FA_ERROR_FILE with the path and what is wrong at a byte of the file; returns false. */
bool fa__stored_damaged(const fa__stored *archive, const char *format, ...)
    __attribute__((__format__(__printf__, 2, 3)));
/* The error of a file that is a pickle. Returns false. */
bool fa__stored_pickle(const fa__stored *archive);
/* Opens a file and checks its header. `who` and `path` have to live as long. NULL and an error on failure. */
fa__stored *fa__stored_open(const char *who, const char *path);
/* The same for an open file, which it closes. */
fa__stored *fa__stored_from(const char *who, const char *path, FILE *file, int64_t size);
/* Makes room for entries with layouts. */
bool fa__layout_new(fa__stored *archive, uint64_t count);
/* Reads the first `size` bytes of what begins at byte `at` of the file, and decompresses them if the layout says so
 * (NULL: it is not compressed). False and an error if that cannot be. */
bool fa__stored_bytes(const fa__stored *archive, const fa__layout *layout, int64_t at, void *to, size_t size);
/* A name that occurs twice, where it occurs last; NULL: none, or an error. The names are `step` bytes apart. */
const char *fa__twice(const void *first, size_t count, size_t step);
/* A tensor over the memory of the file; NULL: it has to be read, or there is an error. */
fa_tensor *fa__stored_map(fa__stored *archive, const fa_saved_entry *entry, fa_device device);
/* Reads tensor number i: created on the CPU, then moved to the device; owned by the innermost scope. NULL and an
 * error on failure. */
fa_tensor *fa__stored_read(fa__stored *archive, size_t i, fa_device device);
/* Sets an error that was caught, with the call and the path in front, if they are not there; true if there is none. */
bool fa__stored_named(const fa__stored *archive, const fa_error *caught);
/* Closes the file; its header stays in memory. */
void fa__stored_close(fa__stored *archive);
/* The length in bytes of the first character of a text in UTF-8, which ends with a zero byte; 0 if it is invalid. */
int fa__utf8_length(const char *text);
/* Checks that strings are UTF-8; the error has `what` and the number of the string: "the name of tensor". */
bool fa__stored_texts_check(const char *who, const char *what, const char *const *text, size_t count);
/* Checks what is to be written. */
bool fa__stored_check(const char *who, const char *path, fa_parameters state, fa_metadata metadata);
/* Warns if the path of a file that was written ends as those of PyTorch's pickles do: .pt or .pth. */
void fa__warn_of_pickle(const char *who, const char *path);
/* Writes a file. */
bool fa__stored_write(const char *who, const char *path, fa_parameters state, fa_metadata metadata);

/* The part of a name after the prefix; NULL if the name does not start with it. */
static inline const char *fa__below(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) ? NULL : name + length;
}

/* Tensors, each with the file entry it is loaded from. */
typedef struct fa__match fa__match;

/* Finds the entry `prefix` + name for each tensor of `state`; owned by the innermost scope. NULL and an error that
 * lists, if strict, missing and unexpected names (with that prefix), and in any case mismatched shapes; or says behind
 * which other prefix the file has all names. */
fa__match *fa__match_new(const fa__stored *archive, const char *prefix, fa_parameters state, bool strict);
/* Reads the entries into memory of the innermost scope. */
bool fa__match_read(fa__stored *archive, fa__match *match);
/* Copies the values that were read to the tensors. */
bool fa__match_write(const fa__stored *archive, const fa__match *match);

/* The name of a dtype in such files; NULL: none. */
const char *fa__stored_dtype(fa_dtype dtype);
#endif
