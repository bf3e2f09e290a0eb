/* Tensors from the caller's data, and access to their elements: the public functions of facula/tensor.h. */
#include "base/alloc.h"
#include "base/log.h"
#include "base/site.h"
#include "base/text.h"
#include "core/attribution.h"
#include "core/capture.h"
#include "core/ledger.h"
#include "core/order.h"
#include "dispatch/call.h"
#include "tensor/data.h"
#include <math.h>

bool fa__data_check(const char *name, fa_shape shape, fa_dtype dtype, const void *data, size_t room)
{
    int64_t count;
    if (fa_dtype_size(dtype) == 0)
        return fa__fail(FA_ERROR_DTYPE, "%s: %d is no dtype", name, (int)dtype);
    if (shape.rank < 0 || shape.rank > FA_MAX_DIMS)
        return fa__fail(FA_ERROR_SHAPE, "%s: %d dimensions: a tensor has 0 to %d", name, shape.rank, FA_MAX_DIMS);
    if (!fa__checked_numel(shape.rank, shape.dim, &count) || count > INT64_MAX / 8) {
        char text[300];
        struct fa__text why = fa__text_in(text, sizeof text);
        fa__describe_size_error(&why, dtype, shape.rank, shape.dim);
        return fa__fail(FA_ERROR_SHAPE, "%s: %s", name, text);
    }
    if (room && room < (size_t)count * fa__dtype_size(dtype))
        return fa__fail(FA_ERROR_ARGUMENT, "%s: the data has %zu bytes, and %lld elements of %s take %zu", name, room,
                        (long long)count, fa_dtype_name(dtype), (size_t)count * fa__dtype_size(dtype));
    if (data || !count)
        return true;
    return fa__fail(FA_ERROR_ARGUMENT, "%s: data is NULL, and %lld elements of %s are to be read from it", name,
                    (long long)count, fa_dtype_name(dtype));
}

fa_dtype fa__data_dtype(const char *name, const void *data, fa_dtype named, fa_dtype pointed)
{
    bool bits = pointed == FA_U8 || pointed == FA_I8 || (pointed == FA_I16 && (named == FA_F16 || named == FA_BF16));
    if (named == FA_SAME && pointed == FA_SAME && data)
        fa__fail(FA_ERROR_DTYPE, "%s: the type of the data's pointer tells no dtype: name .dtype", name);
    else if (named == FA_SAME)
        return pointed == FA_SAME ? FA_F32 : pointed;
    else if (pointed == FA_SAME || pointed == named || bits)
        return named;
    else
        fa__fail(FA_ERROR_DTYPE,
                 "%s: the data's pointer is one to %s, and the dtype given is %s: give the pointer's, fa_to() converts",
                 name, fa_dtype_name(pointed), fa_dtype_name(named));
    return FA_SAME;
}

static fa__device *device_for(const char *name, fa_device wanted)
{
    bool stood = fa__failed();
    fa__device *device = fa__device_get(wanted.kind == FA__DEFAULT_DEVICE ? fa_device_current() : wanted);
    if (!device && !stood)
        fa__error_within("%s", name);
    return device;
}

static const fa__traits from_traits;
#define FUNCTION(text)                                                                                                 \
    {                                                                                                                  \
        .name = text, .id = FA__OP_expression, .traits = &from_traits                                                  \
    }
static const fa__op from_op = FUNCTION("tensor_from"), of_op = FUNCTION("tensor_of");

fa_tensor *fa__data_signed(fa_tensor *t, const fa__op *op, const void *site)
{
    if (!t || !fa__ctx()) {
        fa__unref(t);
        return NULL;
    }
    fa__sign(t, op, site);
    return fa__own(t);
}

/* Moves a dense host tensor to a device, as a leaf; frees the host tensor. */
static fa_tensor *placed(fa_tensor *t, fa__device *device)
{
    if (!t || device->host)
        return t;
    FA__WORK_FOR(t->made_by);
    fa__context *x = fa__ctx();
    fa_settings s = *x->settings;
    s.no_grad = true;
    fa__scope scope = fa__use_open(&s);
    fa_tensor *there = fa_to(t, device->id);
    fa__use_close(&scope);
    if (there) {
        there->made_by = t->made_by;
        there->made_at = t->made_at;
        there->object.flags = t->object.flags;
    }
    return there;
}

/* False and an error while this thread records a graph. */
static bool graph_allows(const fa__op *op, const char *why)
{
    char name[40];
    if (FA__LIKELY(!fa__capturing()))
        return true;
    snprintf(name, sizeof name, "fa_%s", op->name);
    return fa__capture_refuses(name, why);
}

static fa_tensor *host_copy(const void *data, int rank, const int64_t *shape, fa_dtype dtype, const fa__op *op,
                            const void *site)
{
    if (!graph_allows(op, "the program's data are copied once"))
        return NULL;
    fa_tensor *t = fa__tensor_empty(&fa__cpu_device, dtype, rank, shape, NULL);
    if (t && t->storage->bytes)
        memcpy(t->storage->data, data, t->storage->bytes);
    return fa__data_signed(t, op, site);
}

fa_tensor *(fa_tensor_from)(const void *data, fa_shape shape, const fa_tensor_from_options *options)
{
    FA__COMPLETE(fa_tensor_from)
    fa_dtype dtype = fa__data_dtype("fa_tensor_from", data, options->dtype, options->pointed);
    if (!dtype || !fa__data_check("fa_tensor_from", shape, dtype, data, options->room))
        return NULL;
    if (options->requires_grad && !fa__dtype_is_float(dtype)) {
        fa__fail(FA_ERROR_DTYPE, "fa_tensor_from: only floating tensors can need gradients, not %s",
                 fa_dtype_name(dtype));
        return NULL;
    }
    fa__device *device = device_for("fa_tensor_from", options->device);
    if (!device)
        return NULL;
    fa_tensor *t = placed(host_copy(data, shape.rank, shape.dim, dtype, &from_op, FA__SITE), device);
    if (!t)
        return fa__error_named("tensor_from"), NULL;
    t->requires_grad = options->requires_grad;
    return t;
}

enum { MOST_OF = 64 };

static fa_tensor *tensor_of(fa_dtype dtype, size_t count, const void *item, const void *site)
{
    int64_t n = (int64_t)count;
    fa__device *device = device_for("fa_tensor_of", (fa_device){0, 0});
    return device ? placed(host_copy(item, 1, &n, dtype, &of_op, site), device) : NULL;
}

static fa_tensor *of_floats(size_t count, const fa_arg *item, const void *site)
{
    float f[MOST_OF];
    for (size_t i = 0; i < count; i++)
        f[i] = item[i].kind == FA__ARG_FLOAT   ? (float)fa__double_in(item[i])
               : item[i].kind == FA__ARG_LARGE ? (float)((uint64_t)fa__int_in(item[i]) | UINT64_C(1) << 63)
                                               : (float)fa__int_in(item[i]);
    return tensor_of(FA_F32, count, f, site);
}

static fa_tensor *of_whole(size_t count, const fa_arg *item, const void *site)
{
    int64_t n[MOST_OF];
    for (size_t i = 0; i < count; i++) {
        n[i] = fa__int_in(item[i]);
        if (item[i].kind == FA__ARG_LARGE) {
            fa__fail(FA_ERROR_ARGUMENT, "fa_tensor_of: %llu does not fit into i64",
                     (unsigned long long)n[i] | 1ULL << 63);
            return NULL;
        }
    }
    return tensor_of(FA_I64, count, n, site);
}

static fa_tensor *of_truth(size_t count, const fa_arg *item, const void *site)
{
    bool b[MOST_OF];
    for (size_t i = 0; i < count; i++)
        b[i] = fa__int_in(item[i]) != 0;
    return tensor_of(FA_BOOL, count, b, site);
}

fa_tensor *fa__tensor_of(size_t count, const fa_arg *item)
{
    const void *site = FA__SITE;
    bool whole = true, truth = count > 0;
    for (size_t i = 0; i < count; i++) {
        whole = whole && item[i].kind != FA__ARG_FLOAT;
        truth = truth && item[i].kind == FA__ARG_BOOL;
    }
    if (truth)
        return of_truth(count, item, site);
    return whole ? of_whole(count, item, site) : of_floats(count, item, site);
}

/* ---- properties ---- */

fa_dtype fa_tensor_dtype(const fa_tensor *t)
{
    return fa__tensor_check(t, "fa_tensor_dtype: the tensor") ? (fa_dtype)t->dtype : FA_SAME;
}

fa_device fa_tensor_device(const fa_tensor *t)
{
    return fa__tensor_check(t, "fa_tensor_device: the tensor") ? fa__tensor_device(t)->id : (fa_device){0, 0};
}

bool fa_tensor_is_faulty(const fa_tensor *t)
{
    return fa__tensor_check(t, "fa_tensor_is_faulty: the tensor") && t->storage && fa__storage_is_faulty(t->storage);
}

int fa_dim(const fa_tensor *t)
{
    return fa__tensor_check(t, "fa_dim: the tensor") ? t->rank : -1;
}

/* The number of a dimension; -1 and an error if there is none. */
static int dimension(const char *name, const fa_tensor *t, int64_t dim)
{
    if (dim >= -(int64_t)t->rank && dim < t->rank)
        return (int)(dim < 0 ? dim + t->rank : dim);
    fa__fail(FA_ERROR_INDEX, "%s: a %d-dim tensor has no dimension %lld", name, t->rank, (long long)dim);
    return -1;
}

int64_t fa_size(const fa_tensor *t, int64_t dim)
{
    int d = fa__tensor_check(t, "fa_size: the tensor") ? dimension("fa_size", t, dim) : -1;
    return d < 0 ? -1 : t->shape[d];
}

int64_t fa_stride(const fa_tensor *t, int64_t dim)
{
    int d = fa__tensor_check(t, "fa_stride: the tensor") ? dimension("fa_stride", t, dim) : -1;
    return d < 0 ? 0 : t->stride[d];
}

fa_shape fa_tensor_shape(const fa_tensor *t)
{
    fa_shape s = {0};
    if (!fa__tensor_check(t, "fa_tensor_shape: the tensor"))
        return s;
    s.rank = t->rank;
    memcpy(s.dim, t->shape, sizeof t->shape[0] * t->rank);
    return s;
}

int64_t fa_numel(const fa_tensor *t)
{
    return fa__tensor_check(t, "fa_numel: the tensor") ? fa__numel(t) : -1;
}

size_t fa_element_size(const fa_tensor *t)
{
    return fa__tensor_check(t, "fa_element_size: the tensor") ? fa__dtype_size(t->dtype) : 0;
}

size_t fa_nbytes(const fa_tensor *t)
{
    return fa__tensor_check(t, "fa_nbytes: the tensor") ? (size_t)fa__numel(t) * fa__dtype_size(t->dtype) : 0;
}

bool fa_is_contiguous(const fa_tensor *t)
{
    return fa__tensor_check(t, "fa_is_contiguous: the tensor") && fa__is_dense(t->rank, t->shape, t->stride);
}

/* ---- reading ---- */

static const fa__op read_op = FUNCTION("read"), item_op = FUNCTION("item"), item_int_op = FUNCTION("item_int"),
                    ptr_op = FUNCTION("ptr");

/* Reports an error such as "fa_item: why: (3,) f32 cpu, made by ones in main+0x4f"; returns false. */
static bool refuse(const fa__op *op, fa_code code, const char *why, const fa_tensor *t)
{
    char text[300];
    struct fa__text tensor = fa__text_in(text, sizeof text);
    fa__describe_tensor(&tensor, t, true);
    return fa__fail(code, "fa_%s: %s: %s", op->name, why, text);
}

static bool may_read(void)
{
    const fa__op *called = fa__called_by_program();
    return graph_allows(called ? called : &read_op, "the host reads a value, which a replay would not do");
}

static fa_tensor *read_late(const fa_tensor *t, fa_dtype dtype, const fa__op *op)
{
    if (!may_read())
        return NULL;
    if (fa__tensor_device(t)->shapes_only || !t->storage) {
        refuse(op, FA_ERROR_DEVICE, "a tensor on meta has no elements", t);
        return NULL;
    }
    fa_tensor *h = (fa_tensor *)(uintptr_t)t;
    if (t->storage->device->host && fa__has_pending(t->storage) && !fa__before_read(t->storage, NULL, op))
        return NULL;
    const fa__device *there = t->storage->device->host ? NULL : t->storage->device;
    if (there || (fa_dtype)t->dtype != dtype || !fa__is_dense(t->rank, t->shape, t->stride)) {
        fa_settings s = fa__settings();
        s.no_grad = true;
        s.placement = FA_PLACE_STRICT;
        fa__scope scope = fa__use_open(&s);
        h = fa_to(fa_contiguous(t), FA_CPU);
        if (h && there && fa__has_pending(h->storage) && !fa__allow_sync(op, there))
            h = NULL; /* even if the value has arrived */
        if (h && fa__has_pending(h->storage) && !fa__before_read(h->storage, NULL, op))
            h = NULL; /* a fault is reported as it is, not as one of the conversion below */
        h = h && (fa_dtype)h->dtype != dtype ? fa_to(h, dtype) : h;
        fa__use_close(&scope);
    }
    if (!h || (fa__has_pending(h->storage) && !fa__before_read(h->storage, NULL, op)))
        return NULL;
    return h;
}

/* A dense tensor of a dtype on the host with t's elements, after waiting for all work on it. NULL also if the device
 * reports only during this wait that the work failed: then the elements are not valid. */
static fa_tensor *on_host(const fa_tensor *t, fa_dtype dtype, const fa__op *op)
{
    FA__WORK_FOR(op);
    bool stood = fa__failed();
    fa_tensor *h = read_late(t, dtype, fa__outermost_function());
    return stood || !fa__failed() ? h : NULL;
}

bool(fa_read)(const fa_tensor *t, void *data, fa_dtype dtype, int64_t count)
{
    return fa__read(t, data, dtype, count, FA_SAME, 0);
}

bool fa__read(const fa_tensor *t, void *data, fa_dtype dtype, int64_t count, fa_dtype pointed, size_t room)
{
    if (!fa__tensor_check(t, "fa_read: the tensor"))
        return false;
    if (!fa_dtype_size(dtype))
        return fa__fail(FA_ERROR_DTYPE, "fa_read: %d is no dtype", (int)dtype);
    if (count != fa__numel(t)) {
        char why[120];
        snprintf(why, sizeof why, "the tensor has %lld elements, there is room for %lld of %s", (long long)fa__numel(t),
                 (long long)count, fa_dtype_name(dtype));
        return refuse(&read_op, FA_ERROR_ARGUMENT, why, t);
    }
    if (!data && count)
        return refuse(&read_op, FA_ERROR_ARGUMENT, "data is NULL", t);
    if (!fa__data_dtype("fa_read", data, dtype, pointed)
        || !fa__data_check("fa_read", fa_tensor_shape(t), dtype, data, room))
        return false;
    if (fa__failed())
        return false;
    fa__scope scope = fa__scope_open("fa_read", 0);
    fa_tensor *h = on_host(t, dtype, &read_op);
    if (h && count)
        memcpy(data, fa__tensor_data(h), (size_t)count * fa__dtype_size(dtype));
    fa__scope_close(&scope);
    return h != NULL;
}

static bool one_element(const fa_tensor *t, const fa__op *op)
{
    if (FA__UNLIKELY(!t || t->object.type != FA__TYPE_TENSOR)) {
        char what[40];
        snprintf(what, sizeof what, "fa_%s: the tensor", op->name);
        return fa__tensor_check(t, what);
    }
    if (fa__failed())
        return false;
    return fa__numel(t) == 1
           || refuse(op, FA_ERROR_SHAPE, "reads a tensor with one element, and this one has more or none", t);
}

double fa_item(const fa_tensor *t)
{
    double value = NAN;
    if (!one_element(t, &item_op))
        return NAN;
    if (t->storage && t->storage->device->host && !fa__has_pending(t->storage) && !fa__capturing())
        return fa__load_f64(fa__tensor_data(t), (fa_dtype)t->dtype);
    fa__scope scope = fa__scope_open("fa_item", 0);
    fa_tensor *h = on_host(t, FA_F64, &item_op);
    if (h)
        value = *(double *)fa__tensor_data(h);
    fa__scope_close(&scope);
    return fa__failed() ? NAN : value;
}

int64_t fa_item_int(const fa_tensor *t)
{
    int64_t value = 0;
    if (!one_element(t, &item_int_op))
        return 0;
    fa__scope scope = fa__scope_open("fa_item_int", 0);
    fa_tensor *h = on_host(t, FA_I64, &item_int_op);
    if (h)
        value = *(int64_t *)fa__tensor_data(h);
    fa__scope_close(&scope);
    return fa__failed() ? 0 : value;
}

void *fa__host_bytes(fa_tensor *t, bool writes)
{
    if (!fa__tensor_check(t, "fa__host_bytes: the tensor") || fa__failed())
        return NULL;
    if (!t->storage || !t->storage->device->host || !fa_is_contiguous(t)) {
        fa__fail(FA_ERROR_DEVICE, "fa__host_bytes: the tensor is not a contiguous one on the CPU");
        return NULL;
    }
    if (fa__has_pending(t->storage) && (!fa__before_write(t->storage, NULL, &ptr_op) || fa__failed()))
        return NULL;
    t->storage->blank = false;
    if (writes)
        atomic_fetch_add_explicit(&t->storage->version, 1, memory_order_relaxed);
    return fa__tensor_data(t);
}

void *(fa_ptr)(fa_tensor *t, fa_dtype dtype)
{
    if (!fa__tensor_check(t, "fa_ptr: the tensor"))
        return NULL;
    bool same = t->dtype == dtype, here = t->storage && t->storage->device->host;
    if (!same || !here) {
        fa__fail(same ? FA_ERROR_DEVICE : FA_ERROR_DTYPE, "fa_ptr: the tensor is %s on %s, asked for was %s on cpu: %s",
                 fa_dtype_name((fa_dtype)t->dtype), fa__tensor_device(t)->name, fa_dtype_name(dtype),
                 here                                ? "fa_to converts it"
                 : fa__tensor_device(t)->shapes_only ? "it has no elements there"
                                                     : "fa_cpu copies it");
        return NULL;
    }
    if (fa__failed())
        return NULL;
    if (!graph_allows(&ptr_op, "what the program does by the pointer is not done by a replay"))
        return NULL;
    if (fa__has_pending(t->storage) && (!fa__before_write(t->storage, NULL, &ptr_op) || fa__failed()))
        return NULL;
    atomic_fetch_add(&t->storage->pins, 1);
    if (t->storage->blank)
        t->storage->blank = false; /* the program writes by the pointer */
    return fa__tensor_data(t);
}

bool fa_ptr_end(const fa_tensor *t)
{
    if (!fa__tensor_check(t, "fa_ptr_end: the tensor"))
        return false;
    int32_t pins = t->storage ? atomic_load(&t->storage->pins) : 0;
    while (pins > 0)
        if (atomic_compare_exchange_weak(&t->storage->pins, &pins, pins - 1))
            return true;
    return fa__fail(FA_ERROR_STATE, "fa_ptr_end: no pointer to the memory of the tensor was taken");
}

static FA__COLD void log_error(void)
{
    if (!fa__self->error->seen)
        fa__log(FA_LOG_WARNING, "%s (and the pointer is NULL)", fa_error_message());
}

void *fa__ptr(fa_tensor *t, fa_dtype dtype)
{
    void *p = (fa_ptr)(t, dtype);
    if (!p && fa__failed())
        log_error();
    return p;
}
