/* Tensor objects: creation over storages, destruction, and descriptions for messages. */
#define _GNU_SOURCE
#include "core/tensor.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/site.h"
#include "base/text.h"
#include "core/context.h"
#include <dlfcn.h>
#include <facula/host.h>
#include <stdio.h>
#include <string.h>

void fa__tensor_inner(fa_tensor *t, bool inner)
{
    if (t->inner == inner || !t->storage)
        return;
    t->inner = inner;
    atomic_fetch_add(&t->storage->inner, inner ? 1 : -1);
}

static FA__HOT void tensor_destroy(fa__object *o)
{
    fa_tensor *t = (fa_tensor *)o;
    if (FA__UNLIKELY(t->inner))
        fa__tensor_inner(t, false);
    fa__storage_drop(t->storage);
    fa__unref(t->node);
    fa__unref(t->autograd);
    fa__unref(t->base);
    fa__object_free(o);
}

/* Where debuggers find what they print, as release builds have no types in their debug information (tools/gdb). */
FA_API extern const struct tensor_layout {
    uint16_t tensor, type, dtype, rank, storage, offset, shape, stride, device, data, storage_device, device_name,
        device_host;
    const char *const *dtype_names;
} fa__tensor_layout;

const struct tensor_layout fa__tensor_layout = {
    .tensor = FA__TYPE_TENSOR,
    .type = offsetof(fa__object, type),
    .dtype = offsetof(fa_tensor, dtype),
    .rank = offsetof(fa_tensor, rank),
    .storage = offsetof(fa_tensor, storage),
    .offset = offsetof(fa_tensor, offset),
    .shape = offsetof(fa_tensor, shape),
    .stride = offsetof(fa_tensor, stride),
    .device = offsetof(fa_tensor, device_),
    .data = offsetof(fa__storage, data),
    .storage_device = offsetof(fa__storage, device),
    .device_name = offsetof(fa__device, name),
    .device_host = offsetof(fa__device, host),
    .dtype_names = fa__dtype_names,
};

__attribute__((__constructor__)) static void tensor_type(void)
{
    fa__object_type(FA__TYPE_TENSOR, "tensor", tensor_destroy);
}

/* On success, takes over the caller's reference to the storage. */
static FA__HOT fa_tensor *tensor_over(fa__storage *storage, fa_dtype dtype, int rank, const int64_t *shape,
                                      const int64_t *stride, int64_t offset)
{
    fa_tensor *t = fa__object_new(FA__TYPE_TENSOR, sizeof *t);
    if (FA__UNLIKELY(!t))
        return NULL;
    t->storage = storage;
    t->dtype = (uint8_t)dtype;
    t->rank = (uint8_t)rank;
    t->requires_grad = false;
    t->no_grad_view = 0;
    t->multi_view = false;
    t->inner = false;
    t->slot = 0;
    t->offset = offset;
    t->dense = true;
    uint64_t step = 1;
    for (int i = rank; i-- > 0;) {
        t->shape[i] = shape[i];
        t->stride[i] = stride ? stride[i] : (int64_t)step;
        step *= shape[i] > 1 ? (uint64_t)shape[i] : 1;
    }
    if (stride)
        t->dense = fa__is_dense(rank, shape, stride);
    t->node = t->autograd = NULL;
    t->base = NULL;
    t->history = t->base_history = 0;
    t->device_ = NULL;
    t->made_by = NULL;
    t->made_at = NULL;
    return t;
}

FA__HOT fa_tensor *fa__tensor_new(fa__storage *storage, fa_dtype dtype, int rank, const int64_t *shape,
                                  const int64_t *stride, int64_t offset)
{
    fa_tensor *t = tensor_over(storage, dtype, rank, shape, stride, offset);
    if (t && storage)
        fa__ref(storage);
    return t;
}

static bool checked_bytes(fa_dtype dtype, int rank, const int64_t *shape, size_t *bytes)
{
    int64_t count, total;
    if (!fa__checked_numel(rank, shape, &count) || !fa__mul_i64(count, (int64_t)fa__dtype_size(dtype), &total))
        return false;
    *bytes = (size_t)total;
    return true;
}

FA__HOT fa_tensor *fa__tensor_empty(fa__device *device, fa_dtype dtype, int rank, const int64_t *shape,
                                    fa__queue *queue)
{
    size_t bytes;
    if (!checked_bytes(dtype, rank, shape, &bytes)) {
        char buffer[300];
        fa__text text = fa__text_in(buffer, sizeof buffer);
        fa__describe_size_error(&text, dtype, rank, shape);
        fa__fail(FA_ERROR_SHAPE, "%s", buffer);
        return NULL;
    }
    fa__storage *storage = fa__storage_new(device, bytes, queue);
    if (!storage)
        return NULL;
    fa_tensor *t = tensor_over(storage, dtype, rank, shape, NULL, 0);
    if (FA__UNLIKELY(!t))
        fa__unref(storage);
    return t;
}

fa_tensor *fa__tensor_alias(const fa_tensor *t)
{
    fa_tensor *alias = fa__tensor_new(t->storage, t->dtype, t->rank, t->shape, t->stride, t->offset);
    if (alias) {
        alias->device_ = t->device_;
        alias->made_by = t->made_by;
        alias->made_at = t->made_at;
    }
    return alias;
}

FA__HOT fa_tensor *fa__tensor_shape_only(const fa_tensor *t)
{
    fa_tensor *shape_only = fa__tensor_new(NULL, t->dtype, t->rank, t->shape, t->stride, 0);
    if (shape_only)
        shape_only->device_ = fa__tensor_device(t);
    return shape_only;
}

FA__HOT bool fa__tensor_check(const fa_tensor *t, const char *what)
{
    if (FA__LIKELY(t && t->object.type == FA__TYPE_TENSOR))
        return true;
    if (!t)
        return fa__fail(FA_ERROR_ARGUMENT, "%s is NULL", what);
    if (t->object.type == FA__TYPE_DEAD) {
        const char *where = t->object.link;
        return fa__fail(FA_ERROR_STATE,
                        "%s was freed when its scope ended (%s): FA_VAR, fa_escape or fa_keep let it live on", what,
                        !where   ? "all references are gone"
                        : *where ? where
                                 : "the root scope of a thread that has ended");
    }
    const char *more = fa__debugging() ? "" : "; FACULA_DEBUG=1 names the scope that ended";
    if (t->object.type == FA__TYPE_GONE)
        return fa__fail(FA_ERROR_STATE, "%s was freed: FA_VAR, fa_escape or fa_keep let it live on%s", what, more);
    return fa__fail(FA_ERROR_ARGUMENT, "%s is a %s, not a tensor: a freed one whose memory was used again?%s", what,
                    fa__object_name(&t->object), *more ? more + 1 : "");
}

bool fa__list_check(fa_tensors list, const char *what)
{
    return !list.count || list.item
           || fa__fail(FA_ERROR_ARGUMENT, "%s: the list of %zu tensors is NULL", what, list.count);
}

bool fa__same_view(const fa_tensor *a, const fa_tensor *b)
{
    if (!fa__same_shape(a, b) || a->offset != b->offset || a->dtype != b->dtype)
        return false;
    for (int i = 0; i < a->rank; i++)
        if (a->shape[i] > 1 && a->stride[i] != b->stride[i])
            return false;
    return true;
}

/* ---- descriptions ---- */

void fa__describe_shape(struct fa__text *text, int rank, const int64_t *shape)
{
    fa__text_add(text, "(");
    for (int i = 0; i < rank && i < FA_MAX_DIMS; i++)
        fa__text_add(text, i ? ", %lld" : "%lld", (long long)shape[i]);
    fa__text_add(text, rank > FA_MAX_DIMS ? ", ...)" : rank == 1 ? ",)" : ")");
}

fa__shape_text fa__shape_write(fa_shape shape)
{
    fa__shape_text s = {"("};
    size_t at = 1;
    for (int i = 0; i < shape.rank && i < FA_MAX_DIMS; i++)
        at += (size_t)snprintf(s.text + at, sizeof s.text - at, i ? ", %lld" : "%lld", (long long)shape.dim[i]);
    snprintf(s.text + at, sizeof s.text - at, ")");
    return s;
}

void fa__describe_size_error(struct fa__text *text, fa_dtype dtype, int rank, const int64_t *shape)
{
    for (int i = 0; i < rank; i++)
        if (shape[i] < 0) {
            fa__text_add(text, "size %lld of dimension %d is negative", (long long)shape[i], i);
            return;
        }
    int largest = 0;
    for (int i = 1; i < rank; i++)
        largest = shape[i] > shape[largest] ? i : largest;
    fa__text_add(text, "sizes ");
    fa__describe_shape(text, rank, shape);
    fa__text_add(text, " of %s are more than can be addressed: the largest is %lld, of dimension %d",
                 fa_dtype_name(dtype), (long long)(rank ? shape[largest] : 1), largest);
}

static void describe_origin(struct fa__text *text, const fa_tensor *t)
{
    if (t->made_by)
        fa__text_add(text, ", made by %s ", t->made_by->name);
    if (t->made_at) {
        fa__text_add(text, "at ");
        fa__describe_site(text, t->made_at);
    }
}

void fa__describe_tensor(struct fa__text *text, const fa_tensor *t, bool origin)
{
    if (!t) {
        fa__text_add(text, "NULL");
        return;
    }
    if (t->object.type != FA__TYPE_TENSOR) {
        fa__text_add(text, fa__object_lives(&t->object) ? "no tensor" : "a freed tensor");
        return;
    }
    fa__describe_shape(text, t->rank, t->shape);
    fa__text_add(text, " %s %s", fa__dtype_names[t->dtype], fa__tensor_device(t)->name);
    if (origin)
        describe_origin(text, t);
}
