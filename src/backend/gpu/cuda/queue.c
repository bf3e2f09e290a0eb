/* Streams, copies and events. A stream is in order by itself, and does not wait for the default stream of other code.
 */
#include "backend/gpu/cuda/cuda.h"
#include "base/alloc.h"
#include "base/error.h"

typedef fa__cuda_queue queue;
typedef fa__cuda_event event;

/* ---- queues ---- */
void *fa__cuda_queue_new(fa__device *d)
{
    queue *q = fa__malloc(sizeof *q);
    if (!q)
        return NULL;
    *q = (queue){.device = fa__cuda_own(d)};
    if (FA__CUDA_TRY(d, cuStreamCreate, &q->stream, CU_STREAM_NON_BLOCKING))
        return q;
    fa__free(q);
    return NULL;
}

static void let_go(const queue *q)
{
    if (!q->adopted)
        FA__CUDA(q->device, cuStreamDestroy_v2, q->stream);
}

void fa__cuda_queue_free(fa__device *d, void *queue_)
{
    (void)d;
    let_go(queue_);
    fa__free(queue_);
}

void *fa__cuda_native(void *queue_)
{
    return ((const queue *)queue_)->stream;
}

/* Events can be recorded only by streams of their own context. */
bool fa__cuda_adopt(fa__device *d, void *queue_, bool own, void *native)
{
    queue *q = queue_, next = {.device = q->device, .stream = native, .adopted = !own};
    if (own && !FA__CUDA_TRY(d, cuStreamCreate, &next.stream, CU_STREAM_NON_BLOCKING))
        return false;
    void *mark = fa__cuda_record(d, &next);
    if (!mark)
        return false;
    fa__cuda_event_free(mark);
    let_go(q);
    *q = next;
    return true;
}

/* The driver keeps nothing back. */
void fa__cuda_flush(void *queue_)
{
    (void)queue_;
}

int fa__cuda_finish(void *queue_)
{
    const queue *q = queue_;
    return -FA__CUDA(q->device, cuStreamSynchronize, q->stream);
}

/* ---- events ---- */
static bool record_at(fa__device *d, const queue *q, CUevent *out)
{
    return FA__CUDA_TRY(d, cuEventCreate, out, 0) && FA__CUDA_TRY(d, cuEventRecord, *out, q->stream);
}

static void drop(const fa__cuda_device *o, CUevent e)
{
    if (e)
        FA__CUDA(o, cuEventDestroy_v2, e);
}

void fa__cuda_event_free(void *event_)
{
    event *e = event_;
    drop(e->device, e->start);
    if (!e->kept)
        drop(e->device, e->end);
    fa__free(e);
}

void *fa__cuda_record(fa__device *d, void *queue_)
{
    event *e = fa__malloc(sizeof *e);
    if (!e)
        return NULL;
    *e = (event){.device = fa__cuda_own(d)};
    if (record_at(d, queue_, &e->end))
        return e;
    fa__cuda_event_free(e);
    return NULL;
}

bool fa__cuda_follow(fa__device *d, void *queue_, void *event_)
{
    return FA__CUDA_TRY(d, cuStreamWaitEvent, ((queue *)queue_)->stream, ((event *)event_)->end, 0);
}

int fa__cuda_poll(void *event_)
{
    const event *e = event_;
    CUresult status = FA__CUDA(e->device, cuEventQuery, e->end);
    return status == CUDA_ERROR_NOT_READY ? FA__GPU_RUNNING : -status;
}

int fa__cuda_wait(void *event_)
{
    const event *e = event_;
    return -FA__CUDA(e->device, cuEventSynchronize, e->end);
}

/* ---- times ---- */
/* CUDA tells the time between two events, as a float: beyond some seconds it would be coarse. So the event in hand
 * becomes the one that later times are measured from. */
enum { FAR_MS = 4000 };

static int64_t nanoseconds(float ms)
{
    return (int64_t)((double)ms * 1e6);
}

bool fa__cuda_times(void *event_, int64_t *start, int64_t *end)
{
    event *e = event_;
    fa__cuda_device *o = e->device;
    float behind = 0, lasted = 0;
    pthread_mutex_lock(&o->lock);
    bool good = !FA__CUDA(o, cuEventElapsedTime, &behind, o->base, e->end)
                && (!e->start || !FA__CUDA(o, cuEventElapsedTime, &lasted, e->start, e->end));
    *end = o->base_ns + nanoseconds(behind);
    *start = *end - nanoseconds(lasted);
    if (good && behind > FAR_MS) {
        drop(o, o->base);
        o->base = e->end;
        o->base_ns = *end;
        e->kept = true;
    }
    pthread_mutex_unlock(&o->lock);
    return good;
}

/* ---- copies ---- */
static CUdeviceptr address(const void *memory)
{
    return (CUdeviceptr)(uintptr_t)memory;
}

static bool send(fa__device *d, const queue *q, const fa__gpu_copy *c)
{
    if (!c->from_device)
        return FA__CUDA_TRY(d, cuMemcpyHtoDAsync_v2, address(c->to), c->from, c->bytes, q->stream);
    if (!c->to_device)
        return FA__CUDA_TRY(d, cuMemcpyDtoHAsync_v2, c->to, address(c->from), c->bytes, q->stream);
    if (c->to_device == c->from_device)
        return FA__CUDA_TRY(d, cuMemcpyDtoDAsync_v2, address(c->to), address(c->from), c->bytes, q->stream);
    return FA__CUDA_TRY(d, cuMemcpyPeerAsync, address(c->to), fa__cuda_own(c->to_device)->context, address(c->from),
                        fa__cuda_own(c->from_device)->context, c->bytes, q->stream);
}

static bool send_timed(fa__device *d, const queue *q, const fa__gpu_copy *c, event *e)
{
    return record_at(d, q, &e->start) && send(d, q, c) && record_at(d, q, &e->end);
}

bool fa__cuda_copy(fa__device *d, void *queue_, const fa__gpu_copy *c, void **out)
{
    queue *q = queue_;
    event *e = out ? fa__malloc(sizeof *e) : NULL;
    if (out && !e)
        return false;
    if (e)
        *e = (event){.device = fa__cuda_own(d)};
    bool good = (!c->after || fa__cuda_follow(d, q, c->after)) && (e ? send_timed(d, q, c, e) : send(d, q, c))
                && (!c->wait || FA__CUDA_TRY(d, cuStreamSynchronize, q->stream));
    if (good && out)
        *out = e;
    if (!good)
        fa__cuda_finish(q); /* the copy may be under way, and nobody will know of it */
    if (!good && e)
        fa__cuda_event_free(e);
    return good;
}
