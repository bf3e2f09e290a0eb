/* Tensors that get other memory: that of a view of a larger tensor, or that of another tensor. */
#include "base/error.h"
#include "core/tensor.h"
#include <string.h>

bool fa__use_memory_of(fa_tensor *t, const fa_tensor *view)
{
    if (!fa__tensor_check(t, "fa__use_memory_of: the tensor") || !fa__tensor_check(view, "fa__use_memory_of: the view"))
        return false;
    if (!fa__same_shape(t, view) || t->dtype != view->dtype || t->node || t->base)
        return fa__fail(FA_ERROR_SHAPE, "fa__use_memory_of: the tensor is no leaf of the shape and dtype of the view");
    fa__storage *old = t->storage;
    t->storage = fa__ref(view->storage);
    t->offset = view->offset;
    t->dense = view->dense;
    memcpy(t->stride, view->stride, sizeof t->stride);
    atomic_fetch_add(&t->storage->version, atomic_load(&old->version) + 1);
    fa__unref(old);
    return true;
}

bool fa__is_shared(const fa_tensor *t)
{
    const fa__storage *s = t->storage;
    return s->borrowed || atomic_load(&s->object.references) != 1 || atomic_load(&t->object.references) != 1;
}

static bool may_swap(const fa_tensor *t)
{
    const fa__storage *s = t->storage;
    return (!s->borrowed && !atomic_load(&s->pins) && s->data != (const void *)s->bytes_inline)
           || fa__fail(FA_ERROR_STATE, "fa__swap_memory: the memory is borrowed, or a pointer to it was taken");
}

bool fa__swap_memory(fa_tensor *a, fa_tensor *b, bool changes)
{
    if (!fa__tensor_check(a, "fa__swap_memory: the tensor") || !fa__tensor_check(b, "fa__swap_memory: the other tensor")
        || !may_swap(a) || !may_swap(b))
        return false;
    if (a->storage->bytes != b->storage->bytes)
        return fa__fail(FA_ERROR_SHAPE, "fa__swap_memory: %zu bytes for %zu", b->storage->bytes, a->storage->bytes);
    fa__storage_swap(a->storage, b->storage);
    if (changes)
        atomic_fetch_add(&a->storage->version, 1);
    return true;
}
