/* Exchange of tensors with other libraries (facula/dlpack.h). */
#include "tensor/dlpack.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/site.h"
#include "core/capture.h"
#include "dispatch/call.h"
#include "tensor/data.h"
#include <string.h>

static const fa__traits no_traits;
static const fa__op to_op = {.name = "to_dlpack", .id = FA__OP_expression, .traits = &no_traits},
                    from_op = {.name = "from_dlpack", .id = FA__OP_expression, .traits = &no_traits};

/* ---- export ---- */

/* A struct of either form, with what it points to and keeps alive. */
typedef struct exported {
    union {
        struct DLManagedTensorVersioned versioned;
        struct DLManagedTensor unversioned;
    } as;
    fa__storage *storage;
    int64_t shape[FA_MAX_DIMS], stride[FA_MAX_DIMS];
} exported;

static void release_export(exported *e)
{
    atomic_fetch_add(&e->storage->pins, -1);
    fa__unref(e->storage);
    fa__free(e);
}

static void delete_versioned(struct DLManagedTensorVersioned *m)
{
    release_export(m->context);
}

static void delete_unversioned(struct DLManagedTensor *m)
{
    release_export(m->context);
}

/* The kind of device as DLPack numbers it; 0: other libraries cannot reach its memory. */
static int32_t kind_of(const fa__device *device)
{
    return device->id.kind == FA__CPU ? DL_CPU : device->id.kind == FA__CUDA ? DL_CUDA : 0;
}

static bool may_be_exported(const fa_tensor *t)
{
    if (!fa__tensor_check(t, "fa_to_dlpack: the tensor"))
        return false;
    if (fa__needs_grad(t))
        return fa__fail(FA_ERROR_GRADIENT, "fa_to_dlpack: the tensor requires a gradient: fa_detach() drops the graph");
    const fa__device *device = fa__tensor_device(t);
    return (t->storage && kind_of(device))
           || fa__fail(FA_ERROR_DEVICE, "fa_to_dlpack: other libraries cannot reach the memory of %s: fa_cpu() copies",
                       device->name);
}

/* Once the work on it is complete, and until the export is given back, the memory stays where it is. */
static bool pin(fa__storage *s)
{
    if (!fa__storage_hold(s))
        return false;
    bool good = !fa__has_pending(s) || (fa__before_write(s, NULL, &to_op) && !fa__failed());
    if (good)
        atomic_fetch_add(&s->pins, 1);
    fa__storage_let_go(s);
    return good;
}

static exported *export_new(const fa_tensor *t)
{
    if (!may_be_exported(t) || fa__failed()
        || !fa__capture_allows("fa_to_dlpack", "what the other library does is not done by a replay"))
        return NULL;
    if (!pin(t->storage))
        return NULL;
    exported *e = fa__malloc(sizeof *e);
    if (!e) {
        atomic_fetch_add(&t->storage->pins, -1);
        return NULL;
    }
    memset(e, 0, sizeof *e);
    e->storage = fa__ref(t->storage);
    t->storage->blank = false; /* others write into it, too */
    memcpy(e->shape, t->shape, sizeof t->shape[0] * t->rank);
    memcpy(e->stride, t->stride, sizeof t->stride[0] * t->rank);
    return e;
}

static fa__dl_tensor describe(exported *e, const fa_tensor *t)
{
    const fa__device *device = fa__tensor_device(t);
    return (fa__dl_tensor){.data = fa__tensor_data(t),
                           .device = {kind_of(device), device->id.index},
                           .rank = t->rank,
                           .dtype = {fa__dtypes[t->dtype].info.dlpack, (uint8_t)(8 * fa__dtype_size(t->dtype)), 1},
                           .shape = e->shape,
                           .strides = e->stride};
}

struct DLManagedTensorVersioned *fa_to_dlpack(const fa_tensor *t)
{
    exported *e = export_new(t);
    if (!e)
        return NULL;
    e->as.versioned = (struct DLManagedTensorVersioned){
        .version = {1, 0}, .context = e, .deleter = delete_versioned, .tensor = describe(e, t)};
    return &e->as.versioned;
}

struct DLManagedTensor *fa_to_dlpack_unversioned(const fa_tensor *t)
{
    exported *e = export_new(t);
    if (!e)
        return NULL;
    e->as.unversioned = (struct DLManagedTensor){.tensor = describe(e, t), .context = e, .deleter = delete_unversioned};
    return &e->as.unversioned;
}

/* ---- capsules of Python ---- */
static struct {
    int (*is_valid)(void *, const char *);
    void *(*pointer)(void *, const char *);
} python;

void fa__capsule_calls(int (*is_valid)(void *, const char *), void *(*pointer)(void *, const char *))
{
    python.is_valid = is_valid;
    python.pointer = pointer;
}

static void *untaken(void *capsule, const char *name)
{
    return python.is_valid(capsule, name) ? python.pointer(capsule, name) : NULL;
}

void fa__capsule_end(void *capsule)
{
    struct DLManagedTensorVersioned *versioned = untaken(capsule, "dltensor_versioned");
    struct DLManagedTensor *unversioned = untaken(capsule, "dltensor");
    if (versioned)
        versioned->deleter(versioned);
    if (unversioned)
        unversioned->deleter(unversioned);
}

/* ---- import ---- */

/* FA_SAME and an error if there is none like it. */
static fa_dtype dtype_of(const fa__dl_tensor *d)
{
    for (int i = 1; i < FA__DTYPES; i++)
        if (fa__dtypes[i].info.dlpack == d->dtype.code && 8 * fa__dtype_size((unsigned)i) == d->dtype.bits
            && d->dtype.lanes == 1)
            return (fa_dtype)i;
    static const char *const kinds[] = {"integers", "unsigned integers", "floats", "handles",
                                        "bfloats",  "complex numbers",   "bools"};
    const size_t code = d->dtype.code;
    fa__fail(FA_ERROR_DTYPE,
             "fa_from_dlpack: there is no dtype for %s of %d bits (type code %d, lanes %d): convert them first",
             code < sizeof kinds / sizeof *kinds ? kinds[code] : "elements", d->dtype.bits, d->dtype.code,
             d->dtype.lanes);
    return FA_SAME;
}

static fa__device *device_of(const fa__dl_tensor *d)
{
    int32_t kind = d->device.kind;
    if (kind == DL_CPU || kind == DL_CUDA_HOST)
        return fa__device_get(FA_CPU);
    if (kind == DL_CUDA || kind == DL_CUDA_MANAGED)
        return fa__device_get(FA_CUDA(d->device.index));
    fa__fail(FA_ERROR_DEVICE, "fa_from_dlpack: the memory is on a device of kind %d, neither the CPU nor CUDA", kind);
    return NULL;
}

/* The sizes; those of a rank that is an error are not read. */
static fa_shape shape_of(const fa__dl_tensor *d)
{
    fa_shape shape = {.rank = d->rank};
    for (int i = 0; i < d->rank && i < FA_MAX_DIMS; i++)
        shape.dim[i] = d->shape[i];
    return shape;
}

static fa_tensor *import(const fa__dl_tensor *d, void (*release)(void *, void *), void *context, const void *site)
{
    fa_dtype dtype = dtype_of(d);
    fa__device *device = dtype ? device_of(d) : NULL;
    void *data = d->data ? (char *)d->data + d->byte_offset : NULL;
    if (!device || !fa__data_check("fa_from_dlpack", shape_of(d), dtype, data, 0))
        return NULL;
    if ((uintptr_t)data % fa_dtype_size(dtype)) {
        fa__fail(FA_ERROR_ARGUMENT, "fa_from_dlpack: the address is no multiple of an element's %zu bytes",
                 fa_dtype_size(dtype));
        return NULL;
    }
    const fa__lent lent = {data, shape_of(d), d->strides, dtype, release, context, 0};
    return fa__tensor_lent(&from_op, device, &lent, site);
}

static void release_versioned(void *context, void *data)
{
    struct DLManagedTensorVersioned *m = context;
    (void)data;
    if (m->deleter)
        m->deleter(m);
}

static void release_unversioned(void *context, void *data)
{
    struct DLManagedTensor *m = context;
    (void)data;
    if (m->deleter)
        m->deleter(m);
}

/* A copy of memory that must not be written. */
static fa_tensor *copied(struct DLManagedTensorVersioned *from, const void *site)
{
    FA_SCOPE;
    fa_tensor *lent = import(&from->tensor, release_versioned, from, site), *copy = lent ? fa_clone(lent) : NULL;
    if (lent && !copy)
        lent->storage->release = NULL; /* the struct stays the caller's */
    return fa_escape(copy);
}

fa_tensor *fa_from_dlpack(struct DLManagedTensorVersioned *from)
{
    if (!from) {
        fa__fail(FA_ERROR_ARGUMENT, "fa_from_dlpack: the struct is NULL");
        return NULL;
    }
    if (from->version.major != 1) {
        fa__fail(FA_ERROR_ARGUMENT, "fa_from_dlpack: the struct is of DLPack %u, not 1", from->version.major);
        return NULL;
    }
    if (from->flags & DL_READ_ONLY)
        return copied(from, FA__SITE);
    return import(&from->tensor, release_versioned, from, FA__SITE);
}

fa_tensor *fa_from_dlpack_unversioned(struct DLManagedTensor *from)
{
    if (!from) {
        fa__fail(FA_ERROR_ARGUMENT, "fa_from_dlpack_unversioned: the struct is NULL");
        return NULL;
    }
    return import(&from->tensor, release_unversioned, from, FA__SITE);
}
