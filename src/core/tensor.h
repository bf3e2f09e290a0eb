/* Tensor: a dtype, a shape and strides over a storage, and its position in the autograd graph. It has no copy of the
 * storage's address or device, which may change; both are read from the storage each time. */
#ifndef FA__CORE_TENSOR_H
#define FA__CORE_TENSOR_H
#include "core/dtype.h"
#include "core/object.h"
#include "core/storage.h"
#include <facula/tensor.h>

struct fa_tensor {
    fa__object object;
    fa__storage *storage; /* NULL: it has only a shape, dtype and device, but no elements */
    uint8_t dtype, rank;
    bool requires_grad;   /* a leaf that accumulates a gradient */
    bool dense;           /* true: its elements are in row-major order without gaps; false: unknown */
    uint8_t no_grad_view; /* 0: not a view made under no_grad; 1: such a view; 2: such a view of a tensor that requires
                           * gradients. With recording on, 1 must not be modified in place by values that require
                           * gradients, as its base would not know of them; 2 must not be modified in place at all */
    bool multi_view;      /* a view that was returned in a list of views: must not be modified in place by values that
                             require gradients */
    bool inner; /* a view that a composed operation made for itself and that only nodes hold; counted in its storage */
    uint32_t slot;  /* index of this result of `node` */
    int64_t offset; /* offset of element (0, ..., 0), in elements */
    int64_t shape[FA_MAX_DIMS];
    int64_t stride[FA_MAX_DIMS]; /* in elements; may be negative or 0 */
    fa__object *node;            /* the fa__node that created it; NULL: a leaf */
    fa__object *autograd;        /* fa__autograd: gradient, hooks; NULL until there is one */
    fa_tensor *base;       /* for a differentiable view: the tensor it is a view of, which is not such a view itself */
    uint32_t history;      /* how often in-place modifications have replaced its history */
    uint32_t base_history; /* value of base->history when node was created; if they differ, node is outdated */
    fa__device *device_;   /* device if storage is NULL */
    const fa__op *made_by; /* the operation that created it, and its caller */
    const void *made_at;   /* where the program called (base/site.h) */
};

/* A tensor over a storage, to which it adds a reference; the caller keeps its own. Shape and strides are copied; NULL
 * strides mean row-major. NULL and an error if memory runs out. */
fa_tensor *fa__tensor_new(fa__storage *, fa_dtype, int rank, const int64_t *shape, const int64_t *stride,
                          int64_t offset);
/* A tensor over new memory, whose elements are uninitialized. */
fa_tensor *fa__tensor_empty(fa__device *, fa_dtype, int rank, const int64_t *shape, fa__queue *queue);
/* Another tensor over the same elements, without history. */
fa_tensor *fa__tensor_alias(const fa_tensor *);
/* Marks a view as internal to a composed operation, or unmarks it. */
void fa__tensor_inner(fa_tensor *, bool inner);
/* A tensor with the same shape, dtype and device, but without memory. */
fa_tensor *fa__tensor_shape_only(const fa_tensor *);
/* False and an error that contains `what`, unless t is a valid tensor. */
bool fa__tensor_check(const fa_tensor *t, const char *what);
/* False and an error that contains `what` if a list should have tensors but its array is NULL. Does not check the
 * tensors. */
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

static inline void *fa__tensor_data(const fa_tensor *t)
{
    char *p = __atomic_load_n(&t->storage->data, __ATOMIC_RELAXED);
    return p ? p + t->offset * (int64_t)fa__dtype_size(t->dtype) : NULL;
}

/* ---- shapes ---- */
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
/* True if the elements are in row-major order without gaps. */
bool fa__is_dense(int rank, const int64_t *shape, const int64_t *stride);
/* The number of elements; false on overflow. */
bool fa__checked_numel(int rank, const int64_t *shape, int64_t *count);
/* The lowest element and one past the highest element that the tensor uses, relative to its offset. */
void fa__extent(int rank, const int64_t *shape, const int64_t *stride, int64_t *low, int64_t *high);
/* True if two tensors have bytes in common, or if finding out would take too long. b may be NULL. */
bool fa__may_share(const fa_tensor *a, const fa_tensor *b);
/* True if two tensors over one storage have the same shape and dtype, and use the same element at each index. */
bool fa__same_view(const fa_tensor *a, const fa_tensor *b);
/* True if two elements share memory: a size above 1 with stride 0, or overlapping strides. */
bool fa__overlaps_itself(int rank, const int64_t *shape, const int64_t *stride);

/* "(3, 4) f32 cpu", "(3, 4) f32 late:0, made by to at train.c:41". */
struct fa__text;
void fa__describe_tensor(struct fa__text *, const fa_tensor *, bool origin) __attribute__((__cold__));
void fa__describe_shape(struct fa__text *, int rank, const int64_t *shape) __attribute__((__cold__));
/* Why fa__checked_numel rejects sizes, or why they are too many bytes: "size -2 of dimension 1 is negative". */
void fa__describe_size_error(struct fa__text *, fa_dtype, int rank, const int64_t *shape);
#endif
