/* Tensor: a dtype, a shape and strides over a storage, and its place in the graph. It has no copy of the storage's
 * address or device, which may change: both are asked of the storage each time. */
#ifndef FA__CORE_TENSOR_H
#define FA__CORE_TENSOR_H
#include "core/object.h"
#include "core/storage.h"
#include <facula/tensor.h>

enum { FA__MADE_HERE = 1 }; /* in object.flags */

struct fa_tensor {
    fa__object object;
    fa__storage *storage; /* NULL: this is a husk, which has the shape, dtype and device of a tensor, but no elements */
    uint8_t dtype, rank;
    bool requires_grad;   /* a leaf that collects a gradient */
    bool dense;           /* its elements lie row-major without gaps; false says nothing, they may lie so or not */
    uint8_t no_grad_view; /* 0: no view made under no_grad; 1: such a view; 2: such a view of a tensor that needs
                             gradients. While gradients are on, 1 may not be changed in place by what gradients flow
                             through, as the base would not know of them; 2 may not be changed in place at all */
    bool multi_view; /* a view that came in a list of views: it may not be changed in place while gradients flow into
                         it */
    bool inner;      /* a view that a composed operation made for itself, and that only nodes hold; its storage
                        counts such views */
    uint32_t slot;   /* which result of node it is */
    int64_t offset;  /* of element (0, ..., 0), in elements */
    int64_t shape[FA_MAX_DIMS];
    int64_t stride[FA_MAX_DIMS]; /* in elements; may be negative or 0 */
    fa__object *node;            /* the fa__node that made it; NULL: a leaf */
    fa__object *autograd;        /* fa__autograd: gradient, hooks; NULL until there is one */
    fa_tensor *base;             /* of a differentiable view: what it is a view of; never itself such a view */
    uint32_t history;            /* how often changes in place have rewritten its history */
    uint32_t base_history;       /* base->history when node was made; node is out of date where the two differ */
    fa__device *device_;         /* of a husk */
    const fa__op *made_by;       /* the operation that made it, and who called that */
    const void *made_at;         /* a return address, or with FA__MADE_HERE in flags the text of FA_HERE */
};

/* A tensor over a storage, to which it takes a reference of its own; the caller's stays. Shape and strides are
 * copied; strides that are NULL are row-major. NULL and an error without memory. */
fa_tensor *fa__tensor_new(fa__storage *, fa_dtype, int rank, const int64_t *shape, const int64_t *stride,
                          int64_t offset);
/* A tensor over new memory, whose elements are not set. */
fa_tensor *fa__tensor_empty(fa__device *, fa_dtype, int rank, const int64_t *shape, fa__queue *queue);
/* Another tensor over the same elements, without history. */
fa_tensor *fa__tensor_alias(const fa_tensor *);
/* Notes that a view is a composed operation's own, or that it is not any more. */
void fa__tensor_inner(fa_tensor *, bool inner);
/* Shape, dtype and device without memory. */
fa_tensor *fa__tensor_husk(const fa_tensor *);
/* False and an error that names `what` unless t is a living tensor. */
bool fa__tensor_check(const fa_tensor *t, const char *what);
/* False and an error that names `what` where a list is to have tensors, and its array is NULL. The tensors themselves
 * are not looked at. */
bool fa__list_check(fa_tensors list, const char *what);

static inline fa__device *fa__tensor_device(const fa_tensor *t)
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
/* Whether two tensors over one storage have the same shape and dtype, and at each place the same element of it. */
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
