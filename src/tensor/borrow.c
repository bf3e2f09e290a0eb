/* Tensors over memory of the program or of another library, without a copy. */
#include "base/error.h"
#include "base/site.h"
#include "core/context.h"
#include "dispatch/call.h"
#include "tensor/data.h"
#include <string.h>

/* The first dimension whose stride overflows when counted in bytes; -1 if there is none. */
static int too_far(fa_shape shape, const int64_t *stride, int64_t size)
{
    int64_t bytes = size, reach;
    for (int i = 0; i < shape.rank; i++) {
        if (shape.dim[i] == 0)
            return -1;
        if (stride[i] == INT64_MIN || !fa__mul_i64(shape.dim[i] - 1, stride[i] < 0 ? -stride[i] : stride[i], &reach)
            || !fa__mul_i64(reach, size, &reach) || !fa__add_i64(bytes, reach, &bytes))
            return i;
    }
    return -1;
}

static bool check_reach(const char *name, fa_shape shape, const int64_t *stride, int64_t size)
{
    int far = too_far(shape, stride, size);
    return far < 0
           || fa__fail(FA_ERROR_SHAPE,
                       "fa_%s: stride %lld of dimension %d, whose size is %lld, reaches further than can be addressed",
                       name, (long long)stride[far], far, (long long)shape.dim[far]);
}

fa_tensor *fa__tensor_lent(const fa__op *op, fa__device *device, const fa__lent *l, const void *site)
{
    int64_t low, high, stride[FA_MAX_DIMS], size = (int64_t)fa_dtype_size(l->dtype);
    fa__dense_strides(l->shape.rank, l->shape.dim, stride);
    if (l->stride && l->shape.rank)
        memcpy(stride, l->stride, sizeof stride[0] * (size_t)l->shape.rank);
    if (!check_reach(op->name, l->shape, stride, size))
        return NULL;
    fa__extent(l->shape.rank, l->shape.dim, stride, &low, &high);
    if (l->room && (size_t)(high * size) > l->room) {
        fa__fail(FA_ERROR_ARGUMENT, "fa_%s: the data has %zu bytes, and the strides reach to byte %lld", op->name,
                 l->room, (long long)(high * size));
        return NULL;
    }
    char *lowest = l->data ? (char *)l->data + low * size : NULL;
    fa__storage *s = fa__storage_borrow(device, lowest, (size_t)((high - low) * size), NULL, l->context);
    if (!s)
        return NULL;
    s->handed = l->data;
    fa_tensor *t = fa__tensor_new(s, l->dtype, l->shape.rank, l->shape.dim, stride, -low);
    t = fa__data_signed(t, op, site);
    if (t)
        s->release = l->release; /* from here on the tensor owns the memory, not the caller */
    fa__unref(s);
    return t;
}

/* The device that memory owned by the program can belong to; NULL and an error. */
static fa__device *borrowing_device(fa_device wanted)
{
    fa__device *device = wanted.kind == FA__DEFAULT_DEVICE ? &fa__cpu_device : fa__device_get(wanted);
    if (!device || device->host || device->shapes_only)
        return device;
    fa__fail(FA_ERROR_DEVICE, "fa_tensor_borrow: %s has memory of its own: fa_tensor_from copies there", device->name);
    return NULL;
}

static const fa__traits borrow_traits;
static const fa__op borrow_op = {.name = "tensor_borrow", .id = FA__OP_expression, .traits = &borrow_traits};

fa_tensor *(fa_tensor_borrow)(void *data, fa_shape shape, const fa_tensor_borrow_options *options)
{
    FA__COMPLETE(fa_tensor_borrow)
    fa_dtype dtype = fa__data_dtype("fa_tensor_borrow", data, options->dtype, options->pointed);
    if (!dtype || !fa__data_check("fa_tensor_borrow", shape, dtype, data, options->strides ? 0 : options->room))
        return NULL;
    fa__device *device = borrowing_device(options->device);
    const fa__lent lent = {data, shape, options->strides, dtype, options->free, options->ctx, options->room};
    return device ? fa__tensor_lent(&borrow_op, device, &lent, FA__SITE) : NULL;
}
