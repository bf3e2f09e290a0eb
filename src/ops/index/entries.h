/* The entries of an index: the parts between the commas in NumPy's notation. */
#ifndef FA__OPS_ENTRIES_H
#define FA__OPS_ENTRIES_H
#include "dispatch/row.h"
#include <facula/indexing.h>

typedef enum {
    FA__ENTRY_INTEGER,
    FA__ENTRY_SLICE,
    FA__ENTRY_ELLIPSIS,
    FA__ENTRY_NONE,
    FA__ENTRY_TENSOR /* integers or bool: the dimensions it indexes stay in the view */
} fa__entry_kind;

typedef struct fa__entry {
    fa__entry_kind kind;
    int64_t start, end, step; /* INTEGER uses start only */
    const fa_tensor *tensor;  /* for TENSOR */
    int covers;               /* for TENSOR: number of dimensions of x that it indexes */
    int source, at;           /* set by fa__entries_view: the entry's first dimension in x, and in the view */
} fa__entry;

enum { FA__MOST_ENTRIES = 2 * FA_MAX_DIMS + 1 };

/* An index being applied: the caller and the current entry, for error messages. */
typedef struct fa__indexing {
    const char *name, *where; /* the function's name, and the index as messages show it */
    const fa_tensor *x;
    int entry;  /* number of the current entry, from 0 */
    int dim;    /* current dimension of the view */
    int source; /* current dimension of x */
} fa__indexing;

/* The arguments of an indexing call with tensors, as error messages and the profiler show them. */
typedef struct fa__index_args {
    const fa_tensor *x;
    const char *index;
    fa_arg value; /* for fa_index_put() */
} fa__index_args;

typedef struct fa__indexed {
    const fa__call *call;
    fa__index_args *args;
    bool stays; /* the call has to run on x's device, because it writes into x or returns a view */
} fa__indexed;

/* ---- device of the call (index_place.c) ---- */
static inline const fa_tensor *fa__index_value(const fa__index_args *a)
{
    return a->value.kind == FA__ARG_TENSOR ? fa__tensor_in(a->value) : NULL;
}
void fa__describe_index(struct fa__text *, fa_index_parts, bool origins);
/* The device that the call runs on; NULL and an error if there is none. x, the index tensors and the value are live
 * tensors. */
fa__device *fa__index_device(const fa__indexed *, fa_index_parts);

/* Reports an error that shows the index, such as "fa_get((3, 4) f32 cpu, "0, 9"): ..."; returns NULL. */
fa_tensor *fa__index_fails(const fa__indexing *, const char *format, ...) FA__PRINTF(2, 3);
/* Parses an index text and appends its entries to the n entries present. Returns the new count, or -1 and an error. */
int fa__entries_read(const fa__indexing *, fa__entry *, int n);
/* The view of x that n entries describe; NULL and an error. */
fa_tensor *fa__entries_view(fa__indexing *, fa__entry *, int n);
/* A value without the leading dimensions of size 1 beyond the rank of what it is assigned to. */
fa_arg fa__stripped(int rank, fa_arg value);
#endif
