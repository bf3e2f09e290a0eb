/* Shared by the functions that make tensors from data of the program: copied (tensors.c), borrowed (borrow.c), and
 * exchanged with other libraries (dlpack.c). */
#ifndef FA__TENSOR_DATA_H
#define FA__TENSOR_DATA_H
#include "core/tensor.h"

/* Checks what a tensor is to be made of; false and an error that begins with `name`. */
bool fa__data_check(const char *name, fa_shape shape, fa_dtype dtype, const void *data, size_t room);
/* The dtype of the program's data: the one that it names, or that of its pointer's type; FA_SAME and an error if there
 * is neither, or if they contradict each other. Bytes may be those of any dtype, and int16_t the bits of f16 and bf16.
 */
fa_dtype fa__data_dtype(const char *name, const void *data, fa_dtype named, fa_dtype pointed);
/* Gives a new tensor to the innermost scope; it is a function's that the program called at `site`. */
fa_tensor *fa__data_signed(fa_tensor *, const fa__op *, const void *site);

/* Memory of somebody else. */
typedef struct fa__lent {
    void *data;            /* element (0, ..., 0) */
    fa_shape shape;        /* checked */
    const int64_t *stride; /* in elements; NULL: row-major */
    fa_dtype dtype;
    void (*release)(void *context, void *data); /* called once, when the last tensor over it is freed; may be NULL */
    void *context;
    size_t room; /* bytes from `data` on; 0: not known */
} fa__lent;

/* A tensor over it, on that device; NULL and an error, and then nothing is released. */
fa_tensor *fa__tensor_lent(const fa__op *, fa__device *, const fa__lent *, const void *site);
#endif
