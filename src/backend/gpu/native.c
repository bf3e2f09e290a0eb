/* Handles of the driver that a program shares with the library (facula/cuda.h). */
#include "backend/gpu/cuda/cuda.h"
#include "backend/gpu/gpu.h"
#include "base/error.h"
#include "core/capture.h"
#include "core/order.h"
#include "core/stream.h"
#include <facula/cuda.h>

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
