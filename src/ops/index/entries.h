/* The entries of an index: what stands between the commas when NumPy writes it. */
#ifndef FA__OPS_ENTRIES_H
#define FA__OPS_ENTRIES_H
#include "dispatch/row.h"
#include <facula/indexing.h>

typedef enum {
    FA__ENTRY_INTEGER,
    FA__ENTRY_SLICE,
    FA__ENTRY_ELLIPSIS,
    FA__ENTRY_NONE,
    FA__ENTRY_TENSOR /* of integers or bool: the dimensions that it is for stay in the view */
} fa__entry_kind;

typedef struct fa__entry {
    fa__entry_kind kind;
    int64_t start, end, step; /* INTEGER: start */
    const fa_tensor *tensor;  /* TENSOR */
    int covers;               /* TENSOR: how many dimensions of x it is for */
    int source, at;           /* set by fa__entries_view: its first dimension of x, of the view */
} fa__entry;

enum { FA__MOST_ENTRIES = 2 * FA_MAX_DIMS + 1 };

/* An index in work: of whom, and where it stands. */
typedef struct fa__indexing {
    const char *name, *where; /* the function, the index as it is told in messages */
    const fa_tensor *x;
    int entry;  /* from 0 */
    int dim;    /* of the view so far */
    int source; /* of x */
} fa__indexing;

/* What errors, and what is counted, are told of when tensors are among the parts of an index. */
typedef struct fa__index_args {
    const fa_tensor *x;
    const char *index;
    fa_arg value; /* of fa_index_put() */
} fa__index_args;

typedef struct fa__indexed {
    const fa__call *call;
    fa__index_args *args;
    bool stays; /* the call is where x is: it writes into it, or gives a view */
} fa__indexed;

/* ---- index_place.c */
static inline const fa_tensor *fa__index_value(const fa__index_args *a)
{
    return a->value.kind == FA__ARG_TENSOR ? a->value.as.t : NULL;
}
void fa__describe_index(struct fa__text *, fa_index_parts, bool origins);
/* Where the call runs, NULL after an error: x, the tensors of the index and the value are alive. */
fa__device *fa__index_device(const fa__indexed *, fa_index_parts);

/* Fails with what is indexed: "fa_get((3, 4) f32 cpu, "0, 9"): ...". NULL. */
fa_tensor *fa__index_fails(const fa__indexing *, const char *format, ...) FA__PRINTF(2, 3);
/* Puts the entries of a text behind the n that are there: how many there are then; -1 and an error. */
int fa__entries_read(const fa__indexing *, fa__entry *, int n);
/* The view of x through n entries; NULL and an error. */
fa_tensor *fa__entries_view(fa__indexing *, fa__entry *, int n);
/* A value without the dimensions of size 1 that it has in front of those of what it is assigned to. */
fa_arg fa__stripped(int rank, fa_arg value);
#endif
