/* fa_to and its variants, and copies between tensors of any two devices and dtypes. */
#include "backend/movement.h"
#include "base/site.h"
#include "base/text.h"
#include "core/ledger.h"
#include "dispatch/call.h"

static const fa__traits no_traits;
/* The operation behind fa_move, under the names of its variants (fa_cpu, fa_to, ...). */
#define OTHER_NAME(text)                                                                                               \
    {                                                                                                                  \
        .name = text, .id = FA__OP_move, .traits = &no_traits                                                          \
    }
static const fa__op to_op = OTHER_NAME("to"), cpu_op = OTHER_NAME("cpu"), cuda_op = OTHER_NAME("cuda"),
                    identity_op = OTHER_NAME("identity"), move_in_place_op = OTHER_NAME("move_"),
                    module_to_op = OTHER_NAME("module_to");

/* Fails with an error that names the caller, such as "fa_cpu: the tensor ...". */
static bool check_tensor(const fa_tensor *x, const fa__op *op)
{
    char what[40];
    if (FA__LIKELY(x && x->object.type == FA__TYPE_TENSOR))
        return true;
    snprintf(what, sizeof what, "fa_%s: the tensor", op->name);
    return fa__tensor_check(x, what);
}

/* The requested device; default: x's. The error of an unknown device is prefixed with op's name. */
static fa__device *device_of(const fa_tensor *x, fa_device wanted, const fa__op *op)
{
    bool stood = fa__failed();
    fa__device *device = wanted.kind == FA__DEFAULT_DEVICE ? fa__tensor_device(x) : fa__device_get(wanted);
    if (!device && !stood)
        fa__error_within("fa_%s", op->name);
    return device;
}

/* Implements fa_to() and its variants. A tensor that it creates records op as its origin, called from site. */
static fa_tensor *moved(const fa__op *op, const fa_tensor *x, fa_place where, const fa_to_options *options,
                        const void *site)
{
    if (!check_tensor(x, op))
        return NULL;
    fa__device *device = device_of(x, where.device, op);
    fa_dtype dtype = where.dtype == FA_SAME ? (fa_dtype)x->dtype : where.dtype;
    if (!device)
        return NULL;
    if (!fa_dtype_size(dtype)) {
        fa__fail(FA_ERROR_DTYPE, "fa_to: %d is no dtype", (int)dtype);
        return NULL;
    }
    if (device == fa__tensor_device(x) && dtype == (fa_dtype)x->dtype && !options->copy)
        return fa__own(fa__ref(x));
    FA__WORK_FOR(op);
    fa_tensor *y = fa_move(x, .device = device->id, .dtype = dtype, .non_blocking = options->non_blocking);
    if (!y || fa__outermost_call())
        return y;
    fa__sign(y, &to_op, site);
    return y;
}

fa_tensor *(fa_to)(const fa_tensor *x, fa_place where, const fa_to_options *options)
{
    FA__COMPLETE(fa_to)
    return moved(&to_op, x, where, options, FA__SITE);
}

static const fa_to_options to_defaults = FA__DEFAULT_fa_to;

fa_tensor *fa_cpu(const fa_tensor *x)
{
    return moved(&cpu_op, x, fa__place_device(FA_CPU), &to_defaults, FA__SITE);
}

fa_tensor *fa_cuda(const fa_tensor *x)
{
    return moved(&cuda_op, x, fa__place_device(FA_CUDA(-1)), &to_defaults, FA__SITE);
}

fa_tensor *fa_identity(const fa_tensor *x)
{
    return moved(&identity_op, x, fa__place_device(fa_device_current()), &to_defaults, FA__SITE);
}

/* One tensor to move. Everything that can fail is done for all tensors before the first one is changed. */
typedef struct change {
    fa_tensor *t, *other; /* other: replaces t's contents if the dtype changes */
    fa__storage *copied;  /* replaces t's storage if only the device changes */
} change;

/* The operation that errors name: fa_move_ or fa_module_to. */
static const fa__op *asked_for(void)
{
    const fa__op *function = fa__outermost_function();
    return function ? function : &move_in_place_op;
}

/* Reports an error such as "fa_move_: why: (3,) f32 cpu, made by ones in main+0x4f"; returns false. */
static bool cannot(const fa_tensor *t, fa_code code, const char *why)
{
    char text[300];
    struct fa__text tensor = fa__text_in(text, sizeof text);
    fa__describe_tensor(&tensor, t, true);
    return fa__fail(code, "fa_%s: %s: %s", asked_for()->name, why, text);
}

static bool can_change(const fa_tensor *t, fa_dtype dtype)
{
    if (t->node || t->base)
        return cannot(t, FA_ERROR_STATE,
                      t->base ? "the tensor is a view, not a leaf: fa_to makes a copy elsewhere"
                              : "the tensor is the result of a recorded operation, not a leaf: fa_to makes a copy "
                                "elsewhere");
    if (!fa_dtype_size(dtype))
        return fa__fail(FA_ERROR_DTYPE, "fa_%s: %d is no dtype", asked_for()->name, (int)dtype);
    if (t->requires_grad && !fa__dtype_is_float(dtype)) {
        char why[80];
        snprintf(why, sizeof why, "a tensor that needs gradients is floating and cannot become %s",
                 fa_dtype_name(dtype));
        return cannot(t, FA_ERROR_DTYPE, why);
    }
    if (dtype == (fa_dtype)t->dtype)
        return true;
    if (atomic_load(&t->storage->object.references) - atomic_load(&t->storage->inner) != 1)
        return cannot(t, FA_ERROR_STATE, "the dtype cannot change while other tensors view the same memory");
    return (!t->storage->borrowed && !atomic_load(&t->storage->pins))
           || cannot(t, FA_ERROR_STATE,
                     "memory that is borrowed, or that a pointer was taken of, cannot change its dtype");
}

/* Appends the tensor to an error of its storage, because a storage does not know its tensors. */
static void name_tensor(const fa_tensor *t)
{
    char text[300];
    struct fa__text tensor = fa__text_in(text, sizeof text);
    fa__describe_tensor(&tensor, t, true);
    fa_error_append(": %s", text);
}

/* A copy of t's storage on another device. NULL and an error that names t if it fails. */
static fa__storage *copied(const fa_tensor *t, fa__device *to)
{
    fa__storage *s = fa__storage_copied(t->storage, to, asked_for(), fa__move_bytes);
    if (!s)
        name_tensor(t);
    return s;
}

static bool prepare(change *m, fa_tensor *t, fa__device *to, fa_dtype dtype)
{
    *m = (change){.t = t};
    if (!can_change(t, dtype))
        return false;
    if (dtype != (fa_dtype)t->dtype)
        m->other = fa_contiguous((fa_to)(t, (fa_place){to->id, dtype}, NULL));
    else if (to != t->storage->device)
        m->copied = copied(t, to);
    else
        return true;
    return m->other || m->copied;
}

/* The dtype of a follower: converted with t if it is floating, and no single number. */
static fa_dtype dtype_of_follower(const fa_tensor *follower, const fa_tensor *t, fa_dtype dtype)
{
    bool converts = dtype != (fa_dtype)t->dtype && follower->rank && fa__dtype_is_float(follower->dtype);
    return converts ? dtype : (fa_dtype)follower->dtype;
}

/* Prepares the move of a tensor and its gradient. */
static bool prepare_both(change **next, fa_tensor *t, fa__device *to, fa_dtype dtype)
{
    const fa__autograd *a = fa__autograd_if(t);
    return prepare((*next)++, t, to, dtype)
           && (!a || !a->grad || prepare((*next)++, a->grad, to, fa__gradient_dtype(dtype)));
}

/* Prepares the move of a tensor and of all tensors that follow it. */
static bool prepare_all(change **next, fa_tensor *t, fa__device *to, fa_dtype dtype)
{
    const fa__autograd *a = fa__autograd_if(t);
    if (!prepare_both(next, t, to, dtype))
        return false;
    for (const fa__hook *h = a ? a->followers : NULL; h; h = h->next) {
        fa_tensor *follower = h->context;
        if (!prepare_both(next, follower, to, dtype_of_follower(follower, t, dtype)))
            return false;
    }
    return true;
}

static void commit(change *m)
{
    fa_tensor *t = m->t;
    if (m->copied) {
        fa__storage_take(t->storage, m->copied);
        t->storage->changed_by = &move_in_place_op;
    }
    if (!m->other)
        return;
    fa__storage *old = t->storage;
    t->storage = fa__ref(m->other->storage);
    old->changed_by = t->storage->changed_by = &move_in_place_op;
    atomic_store(&t->storage->version, atomic_fetch_add(&old->version, 1) + 1);
    fa__unref(old);
    t->dtype = m->other->dtype;
    t->offset = m->other->offset;
    t->dense = m->other->dense;
    memcpy(t->stride, m->other->stride, sizeof t->stride);
}

static bool move_for(const fa__op *op, fa_tensor *t, fa_place where)
{
    if (!check_tensor(t, op) || fa__failed())
        return false;
    fa__device *to = device_of(t, where.device, op);
    fa_dtype dtype = where.dtype == FA_SAME ? (fa_dtype)t->dtype : where.dtype;
    const bool stood = fa__failed();
    if (!to)
        return false;
    FA_USE(.no_grad = true);
    FA_SCOPE;
    FA__WORK_FOR(op);
    size_t tensors = 1;
    for (const fa__hook *h = fa__autograd_if(t) ? fa__autograd_if(t)->followers : NULL; h; h = h->next)
        tensors++;
    change *all = fa__malloc(2 * tensors * sizeof *all), *next = all;
    bool good = all && prepare_all(&next, t, to, dtype);
    for (change *m = all; m < next; m++)
        if (good)
            commit(m);
        else
            fa__unref(m->copied);
    fa__free(all);
    if (!good && !stood)
        fa__error_named(op->name);
    return good;
}

bool(fa_move_)(fa_tensor *t, fa_place where)
{
    return move_for(&move_in_place_op, t, where);
}

bool fa__move_of_module(fa_tensor *t, fa_place where)
{
    return move_for(&module_to_op, t, where);
}

static bool can_move(const fa_tensor *t, const fa__device *to, fa_dtype dtype)
{
    if (!can_change(t, dtype))
        return false;
    bool good = to == t->storage->device || fa__storage_can_move(t->storage, to, asked_for());
    if (!good)
        name_tensor(t);
    return good;
}

static bool can_move_both(const fa_tensor *t, const fa__device *to, fa_dtype dtype)
{
    const fa__autograd *a = fa__autograd_if(t);
    return can_move(t, to, dtype) && (!a || !a->grad || can_move(a->grad, to, fa__gradient_dtype(dtype)));
}

bool fa__can_move_of_module(fa_tensor *t, fa_place where)
{
    if (!check_tensor(t, &module_to_op) || fa__failed())
        return false;
    const fa__device *to = device_of(t, where.device, &module_to_op);
    fa_dtype dtype = where.dtype == FA_SAME ? (fa_dtype)t->dtype : where.dtype;
    const fa__autograd *a = fa__autograd_if(t);
    FA__WORK_FOR(&module_to_op);
    bool good = to && can_move_both(t, to, dtype);
    for (const fa__hook *h = a ? a->followers : NULL; good && h; h = h->next)
        good = can_move_both(h->context, to, dtype_of_follower(h->context, t, dtype));
    return good;
}

/* ---- copies between devices ---- */

/* Runs out = x on one device. */
static bool here(fa__call *c, fa_tensor *out, const fa_tensor *x)
{
    fa__call there = *c;
    there.plan.device = fa__tensor_device(out);
    there.plan.queue = fa__queue_of(there.plan.device);
    bool good = fa__run_expression(&there, out, "x", 1, (fa__bound[]){{.name = "x", .value = fa__arg_t(x)}});
    c->plan.unsupported |= there.plan.unsupported;
    return good;
}

/* x as a contiguous tensor of a dtype, on x's device. */
static const fa_tensor *packed(fa__call *c, const fa_tensor *x, fa_dtype dtype)
{
    if ((fa_dtype)x->dtype == dtype && fa__is_dense(x->rank, x->shape, x->stride))
        return x;
    fa__device *at = fa__tensor_device(x);
    fa_tensor *dense = fa__own(fa__tensor_empty(at, dtype, x->rank, x->shape, fa__queue_of(at)));
    return dense && here(c, dense, x) ? dense : NULL;
}

static size_t byte_of(const fa_tensor *t)
{
    return (size_t)t->offset * fa__dtype_size(t->dtype);
}

static bool across(fa__call *c, fa_tensor *to, const fa_tensor *from, fa_dtype travels)
{
    const fa_tensor *source = packed(c, from, travels);
    fa__device *there = fa__tensor_device(to);
    bool straight =
        (fa_dtype)to->dtype == travels && fa__same_shape(to, from) && fa__is_dense(to->rank, to->shape, to->stride);
    fa_tensor *landing =
        straight ? to : fa__own(fa__tensor_empty(there, travels, from->rank, from->shape, fa__queue_of(there)));
    if (!source || !landing)
        return false;
    size_t bytes = (size_t)fa__numel(source) * fa__dtype_size(travels);
    if (bytes
        && !fa__move_bytes(fa__asked_for(c), landing->storage, byte_of(landing), source->storage, byte_of(source),
                           bytes, straight && c->given))
        return false;
    return straight || here(c, to, landing);
}

/* Copies with conversion on the side that makes the transfer smaller; with .fallback on the other side if that device
 * does not support the conversion. */
static bool converted(fa__call *c, fa_tensor *to, const fa_tensor *from)
{
    bool fewer = fa__dtype_size(to->dtype) < fa__dtype_size(from->dtype);
    if (across(c, to, from, (fa_dtype)(fewer ? to : from)->dtype))
        return true;
    if (!c->plan.unsupported)
        return false;
    c->plan.unsupported = false;
    return across(c, to, from, (fa_dtype)(fewer ? from : to)->dtype);
}

/* Whether both have the same dimension order in memory and no gaps, so that the bytes can be copied as they are. */
static bool same_bytes(const fa_tensor *to, const fa_tensor *from)
{
    if (to->dtype != from->dtype || !fa__same_shape(to, from) || fa__is_dense(to->rank, to->shape, to->stride))
        return false;
    for (int i = 0; i < to->rank; i++)
        if (to->shape[i] > 1 && (to->stride[i] != from->stride[i] || to->stride[i] < 0))
            return false;
    int64_t low, high;
    fa__extent(to->rank, to->shape, to->stride, &low, &high);
    return high == fa__numel(to);
}

bool fa__copy_elements(fa__call *c, fa_tensor *to, const fa_tensor *from, bool wait)
{
    if (fa__tensor_device(to)->shapes_only)
        return true;
    if (fa__tensor_device(from)->shapes_only)
        return fa__call_fail(c, FA_ERROR_DEVICE, "a tensor on meta has no elements");
    if (fa__tensor_device(to) == fa__tensor_device(from))
        return here(c, to, from);
    size_t bytes = (size_t)fa__numel(to) * fa__dtype_size(to->dtype);
    bool good = same_bytes(to, from) ? fa__move_bytes(fa__asked_for(c), to->storage, byte_of(to), from->storage,
                                                      byte_of(from), bytes, c->given != NULL)
                                     : converted(c, to, from);
    const fa__device *there = fa__tensor_device(fa__tensor_device(to)->host ? from : to);
    if (good && wait && fa__has_pending(to->storage))
        good = fa__allow_sync(fa__asked_for(c), there) && fa__before_read(to->storage, NULL, fa__asked_for(c));
    return good;
}
