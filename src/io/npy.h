/* NumPy's files: an array (npy), and named arrays in a zip archive (npz). */
#ifndef FA__IO_NPY_H
#define FA__IO_NPY_H
#include "io/safetensors.h"

enum {
    FA__NPY_HEADER = 1 << 20, /* longest header that is read */
    FA__NPY_HEAD = 512        /* room for one that is written */
};

/* What the header of an npy file says. */
typedef struct fa__npy {
    char dtype_name[24];
    fa_dtype dtype; /* FA_SAME: not supported */
    bool swapped;   /* the elements are big-endian */
    bool fortran;   /* the first dimension is the fastest */
    bool empty, fits;
    int64_t rank, elements;
    fa_shape shape;
    int64_t begin; /* where the elements begin */
} fa__npy;

/* Whether a file begins like an npy file. */
bool fa__npy_begins(const char *bytes, size_t size);
/* Reads the header at the start of an npy file, of which `bytes` may be a part. NULL, or what is wrong, and the
 * position. */
const char *fa__npy_read(const char *bytes, size_t size, fa__npy *npy, size_t *at);
/* Whether npy files have the dtype of a tensor; an error if not. */
bool fa__npy_supports(const char *who, const fa_tensor *tensor);
/* Writes everything that stands before the elements of a tensor; the number of bytes. */
size_t fa__npy_head(const fa_tensor *tensor, char to[static FA__NPY_HEAD]);

/* Reads the headers of an npy file, or of all members of an npz file. False and an error if it is damaged. */
bool fa__npy_open(fa__stored *archive);
bool fa__npz_open(fa__stored *archive);
/* Adds an entry for an array that begins at a byte of the file, and has so many bytes with its header. */
bool fa__npy_add(fa__stored *archive, const char *name, int64_t at, int64_t size);
/* Write a tensor, or named tensors, in place of a file. */
bool fa__npy_write(const char *who, const char *path, fa_parameters state);
bool fa__npz_write(const char *who, const char *path, fa_parameters state);
#endif
