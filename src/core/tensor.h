/* Tensor: a dtype, a shape and strides over a storage, and its place in the graph. Caches no pointer and no device. */
#ifndef FA__CORE_TENSOR_H
#define FA__CORE_TENSOR_H
#include "core/object.h"
#include "core/storage.h"
#include <facula/tensor.h>

enum { FA__MADE_HERE = 1 }; /* in object.flags */

struct fa_tensor {
    fa__object object;
    fa__storage *storage; /* NULL: a husk: shape, dtype and device of a tensor that was not kept */
    uint8_t dtype, rank;
    bool requires_grad;   /* a leaf that collects a gradient */
    bool dense;           /* its elements lie row-major without gaps; false: they may all the same */
    uint8_t no_grad_view; /* a view made under no_grad: 1, or 2 of a tensor that needs gradients. It may not be changed
                             in place while gradients are on and flow into it, or would have to flow into its base */
    bool one_of_many; /* a view that came in a list of views: it may not be changed in place while gradients are on */
    bool inner;       /* a view that a composed operation made for itself: counted in its storage, seen by nobody but
                         the nodes that keep it */
    uint32_t slot;    /* which result of node it is */
    int64_t offset;   /* of element (0, ..., 0), in elements */
    int64_t shape[FA_MAX_DIMS];
    int64_t stride[FA_MAX_DIMS]; /* in elements; may be negative or 0 */
    fa__object *node;            /* the fa__node that made it; NULL: a leaf */
    fa__object *autograd;        /* fa__autograd: gradient, hooks; NULL until there is one */
    fa_tensor *base;             /* of a differentiable view: what it is a view of; never itself such a view */
    uint32_t history;            /* how often its history was rewritten by changes in place */
    uint32_t base_history;       /* that of base when node was made: another one means that node is out of date */
    fa__device *device_;         /* of a husk */
    const fa__op *made_by;       /* the operation that made it, and who called that */
    const void *made_at;         /* a return address, or with FA__MADE_HERE in flags the text of FA_HERE */
};

/* A tensor over a storage, with its own reference to it; strides dense. Shape is copied. NULL and an error. */
fa_tensor *fa__tensor_new(fa__storage *, fa_dtype, int rank, const int64_t *shape, const int64_t *stride,
                          int64_t offset);
/* New memory. */
fa_tensor *fa__tensor_empty(fa__device *, fa_dtype, int rank, const int64_t *shape, fa__queue *queue);
/* Another tensor over the same elements, without history. */
fa_tensor *fa__tensor_alias(const fa_tensor *);
/* Whether a view is a composed operation's own. */
void fa__tensor_inner(fa_tensor *, bool inner);
/* Shape, dtype and device without memory. */
fa_tensor *fa__tensor_husk(const fa_tensor *);
/* False and an error that names `what` unless t is a living tensor. */
bool fa__tensor_check(const fa_tensor *t, const char *what);
/* The same for a list that has tensors, but not for these. */
bool fa__list_check(fa_tensors list, const char *what);

static inline fa__device *fa__tensor_place(const fa_tensor *t)
{
    return t->storage ? t->storage->device : t->device_;
}

static inline int64_t fa__numel(const fa_tensor *t)
{
    int64_t n = 1;
    for (int i = 0; i < t->rank; i++)
        n *= t->shape[i];
    return n;
}

static inline void *fa__tensor_data(const fa_tensor *t); /* defined below fa__dtype_size */

/* ---- shapes ---- */
extern const uint8_t fa__dtype_sizes[FA__DTYPES];
extern const char *const fa__dtype_names[FA__DTYPES];

static inline size_t fa__dtype_size(unsigned dtype)
{
    return fa__dtype_sizes[dtype];
}

static inline void *fa__tensor_data(const fa_tensor *t)
{
    char *p = t->storage->data;
    return p ? p + t->offset * (int64_t)fa__dtype_size(t->dtype) : NULL;
}

static inline bool fa__dtype_is_float(unsigned dtype)
{
    return dtype >= FA_F16;
}

static inline bool fa__same_shape(const fa_tensor *a, const fa_tensor *b)
{
    if (a->rank != b->rank)
        return false;
    for (int i = 0; i < a->rank; i++)
        if (a->shape[i] != b->shape[i])
            return false;
    return true;
}

/* Row-major strides. */
void fa__dense_strides(int rank, const int64_t *shape, int64_t *stride);
/* Whether elements lie row-major without gaps. */
bool fa__is_dense(int rank, const int64_t *shape, const int64_t *stride);
/* Checked count of elements; false when it does not fit. */
bool fa__checked_numel(int rank, const int64_t *shape, int64_t *count);
/* The lowest and one past the highest element that the geometry touches, relative to its offset. */
void fa__extent(int rank, const int64_t *shape, const int64_t *stride, int64_t *low, int64_t *high);
/* Whether two tensors have bytes in common, true also when that would take long to find out. b may be NULL. */
bool fa__may_share(const fa_tensor *a, const fa_tensor *b);
/* Whether each element of two tensors over one storage is the same as the other's at its place. */
bool fa__same_view(const fa_tensor *a, const fa_tensor *b);
/* Whether two elements share memory: a size above 1 with stride 0, or strides that collide. */
bool fa__overlaps_itself(int rank, const int64_t *shape, const int64_t *stride);

/* "(3, 4) f32 cpu", "(3, 4) f32 late:0, made by to at train.c:41". */
struct fa__text;
void fa__describe_tensor(struct fa__text *, const fa_tensor *, bool origin) __attribute__((__cold__));
/* Where a return address is: "in main+0x4f". */
void fa__describe_address(struct fa__text *, const void *address);
void fa__describe_shape(struct fa__text *, int rank, const int64_t *shape) __attribute__((__cold__));
/* What is wrong with sizes that fa__checked_numel refuses, or that are too many bytes: "size -2 of dimension 1 is
 * negative". */
void fa__describe_size_error(struct fa__text *, fa_dtype, int rank, const int64_t *shape);
#endif
