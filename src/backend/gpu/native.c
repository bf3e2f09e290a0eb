/* Handles of the driver that a program shares with the library (facula/cuda.h). */
#include "backend/gpu/cuda/cuda.h"
#include "backend/gpu/gpu.h"
#include "base/alloc.h"
#include "base/error.h"
#include "core/capture.h"
#include "core/faults.h"
#include "core/order.h"
#include "core/room.h"
#include "core/stream.h"
#include <facula/cuda.h>
#include <stdio.h>

enum { MOST_FUNCTIONS = 32 };

static const fa__op issue_op = {.name = "collective", .id = -1};
static const fa__op pointer_op = {.name = "cuda_pointer", .id = -1};

typedef fa__gpu_queue queue;

/* False and an error for devices of other kinds. */
static bool is_cuda(const fa__device *d, const char *who)
{
    return d->id.kind == FA__CUDA || fa__fail(FA_ERROR_DEVICE, "%s: %s is no CUDA device", who, d->name);
}

static fa__device *cuda_device(fa_device id, const char *who)
{
    bool stood = fa__failed();
    fa__device *d = fa__device_get(id);
    if (!d && !stood)
        fa__error_within("%s", who);
    return d && is_cuda(d, who) ? d : NULL;
}

/* ---- streams ---- */
/* The queue's work is done. */
static bool exchange(fa_stream *s, bool own, void *native)
{
    queue *q = (queue *)s->queue;
    fa__gpu_wait_quietly(q, fa__gpu_issued(q));
    pthread_mutex_lock(&s->device->lock);
    pthread_mutex_lock(&q->lock);
    const bool good = q->handle && q->gpu->driver->adopt(s->device, q->handle, own, native);
    q->shared = !own;
    pthread_mutex_unlock(&q->lock);
    pthread_mutex_unlock(&s->device->lock);
    return good;
}

/* The queue gets a stream of its own again; without it the queue is not used any more. */
static bool give_back(fa_stream *s)
{
    fa_error error = {.code = FA_OK}, *before = fa__error_use(&error);
    s->end = NULL;
    const bool good = !fa__gpu_gone && exchange(s, true, NULL);
    fa__error_use(before);
    return good;
}

fa_stream *fa_cuda_stream_adopt(fa_device device, void *cuda_stream)
{
    const fa__device *d = cuda_device(device, "fa_cuda_stream_adopt");
    fa_stream *s = d ? fa_stream_new(d->id) : NULL;
    if (!s || !exchange(s, false, cuda_stream))
        return NULL;
    s->end = give_back;
    return s;
}

void *fa_cuda_stream(const fa_stream *stream)
{
    fa__device *d;
    fa__queue *q;
    if (!fa__stream_queue(stream, "fa_cuda_stream", &d, &q) || !is_cuda(d, "fa_cuda_stream"))
        return NULL;
    pthread_mutex_lock(&d->lock);
    ((queue *)q)->shared = true;
    fa__gpu_catch_up((queue *)q);
    pthread_mutex_unlock(&d->lock);
    return fa__gpu_own(d)->driver->native(((queue *)q)->handle);
}

/* ---- memory ---- */
/* The storage's memory is complete, and stays where it is from now on, as the program has its address. */
static bool settle(fa__storage *s, fa__queue *q)
{
    if (!fa__storage_hold(s))
        return false;
    bool good = !fa__has_pending(s) || fa__before_write(s, q, &pointer_op);
    if (good) {
        atomic_fetch_add(&s->pins, 1);
        s->blank = false; /* the program may write it */
    }
    fa__storage_let_go(s);
    return good;
}

void *fa_cuda_pointer(const fa_tensor *t)
{
    if (!fa__tensor_check(t, "fa_cuda_pointer: the tensor") || !is_cuda(fa__tensor_device(t), "fa_cuda_pointer")
        || !fa__capture_allows("fa_cuda_pointer", "what the program does is not done by a replay"))
        return NULL;
    fa__queue *q = fa__queue_of(fa__tensor_device(t));
    return !fa__failed() && settle(t->storage, q) ? fa__tensor_data(t) : NULL;
}

/* ---- contexts ---- */
bool fa_cuda_context_adopt(fa_device device, void *context)
{
    const fa__backend *b = fa__backends[FA__CUDA];
    if (device.kind != FA__CUDA || !b)
        return fa__fail(FA_ERROR_DEVICE, "fa_cuda_context_adopt: the device is no CUDA device");
    if (device.index < 0 || device.index >= b->count())
        return fa__fail(FA_ERROR_DEVICE, "fa_cuda_context_adopt: there is no cuda:%d: %s", (int)device.index, b->why());
    return fa__cuda_context_adopt(device.index, context);
}

/* ---- libraries of NVIDIA's that other folders call ---- */
bool fa__cuda_open_functions(const char *variable, const char *stem, int version, size_t count,
                             const fa__cuda_function *function, char *why, size_t room)
{
    fa__library library = {.reason = "it has too many functions"}; /* stays open */
    fa__symbol symbols[MOST_FUNCTIONS];
    for (size_t i = 0; i < count && i < MOST_FUNCTIONS; i++)
        symbols[i] = (fa__symbol){function[i].name, function[i].pointer, false};
    bool open = count <= MOST_FUNCTIONS && fa__cuda_open_library(&library, variable, stem, version, symbols, count);
    snprintf(why, room, "%s", open ? "" : *library.reason ? library.reason : "the library is not there");
    return open;
}

static bool use_begins(const fa__cuda_use *u, fa__queue *q)
{
    fa__storage *s = u->tensor->storage;
    return u->writes ? fa__before_write(s, q, &issue_op) : fa__before_read(s, q, &issue_op);
}

static bool use_ends(const fa__cuda_use *u, fa__sync_point work)
{
    fa__storage *s = u->tensor->storage;
    if (!u->writes)
        return fa__after_read(s, work, &issue_op);
    const bool first = fa__is_unmade(s);
    s->blank = false;
    if (!first) {
        atomic_fetch_add_explicit(&s->version, 1, memory_order_relaxed);
        s->changed_by = &issue_op;
    }
    return first ? fa__after_creation(s, work, &issue_op) : fa__after_write(s, work, &issue_op);
}

/* The ticket of what was issued to the queue so far; 0 and an error on failure. */
static uint64_t ticket_of(fa__device *d, fa__queue *q)
{
    fa__timestamp *m = fa__calloc(1, sizeof *m);
    if (!m)
        return 0;
    atomic_init(&m->references, 1);
    pthread_mutex_lock(&d->lock);
    const uint64_t ticket = d->backend->mark(q, m);
    pthread_mutex_unlock(&d->lock);
    fa__timestamp_drop(m);
    return ticket;
}

/* For tensors that are held. */
static bool issue_to(fa__device *d, fa__queue *q, size_t count, const fa__cuda_use *use,
                     bool (*issue)(void *context, void *native), void *context)
{
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = use_begins(&use[i], q);
    if (!good)
        return false;
    fa__gpu_catch_up((queue *)q);
    void *native = fa__gpu_own(d)->driver->native(((queue *)q)->handle);
    fa__cuda_enter(fa__cuda_own(d));
    good = issue(context, native);
    fa__cuda_leave(CUDA_SUCCESS);
    if (!good || !count)
        return good;
    const fa__sync_point work = {q, ticket_of(d, q)};
    for (size_t i = 0; work.ticket && i < count; i++)
        good &= use_ends(&use[i], work);
    return good && work.ticket;
}

/* All that can be used on the device of the stream. */
static bool check_uses(const fa__device *d, size_t count, const fa__cuda_use *use)
{
    for (size_t i = 0; i < count; i++)
        if (!fa__tensor_check(use[i].tensor, "fa__cuda_issue: the tensor"))
            return false;
        else if (fa__tensor_device(use[i].tensor) != d)
            return fa__fail(FA_ERROR_DEVICE, "a collective call on %s has a tensor on %s", d->name,
                            fa__tensor_device(use[i].tensor)->name);
    return true;
}

bool fa__cuda_issue(const fa_stream *stream, size_t count, const fa__cuda_use *use,
                    bool (*issue)(void *context, void *native), void *context)
{
    fa__device *d;
    fa__queue *q;
    size_t held = 0;
    if (!fa__stream_queue(stream, "a collective call", &d, &q) || !is_cuda(d, "a collective call")
        || !fa__capture_allows("a collective call", "what other ranks do is not done by a replay")
        || !check_uses(d, count, use))
        return false;
    while (held < count && fa__storage_hold(use[held].tensor->storage))
        held++;
    const bool good = held == count && issue_to(d, q, count, use, issue, context);
    while (held > 0)
        fa__storage_let_go(use[--held].tensor->storage);
    return good;
}

void *fa__cuda_address(const fa_tensor *t)
{
    return fa__tensor_data(t);
}

fa__cuda_progress fa__cuda_progress_of(const fa_stream *stream)
{
    fa__device *d;
    fa__queue *q;
    if (!fa__stream_queue(stream, "a collective call", &d, &q) || !is_cuda(d, "a collective call"))
        return (fa__cuda_progress){0, 0};
    const uint64_t issued = fa__gpu_issued((queue *)q);
    fa__gpu_poll(q, issued);
    return (fa__cuda_progress){issued, fa__gpu_done((queue *)q)};
}

void fa__cuda_fail_pending(const fa_stream *stream, fa_code code, const char *message)
{
    fa__device *d;
    fa__queue *q;
    fa_error error = {.code = code};
    if (!fa__stream_queue(stream, "a collective call", &d, &q) || !is_cuda(d, "a collective call"))
        return;
    snprintf(error.message, sizeof error.message, "%s", message);
    fa__gpu_fail_pending(d, fa__fault_note_spoiling(&error));
}
