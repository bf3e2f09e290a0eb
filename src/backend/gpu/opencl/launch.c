/* Launches: arguments, faults and scratch memory. Behind each launch that may fault, the queue's fault word is copied
 * to the host, so that the first copy that is not clear tells whose fault it was. */
#include "backend/fault.h"
#include "backend/gpu/opencl/opencl.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "core/ledger.h"
#include <string.h>

typedef fa__opencl_queue queue;
typedef fa__opencl_work work;
typedef fa__opencl_suspect suspect;

/* ---- whose fault ---- */
static size_t rounded(size_t size)
{
    return (size + 15) / 16 * 16;
}

/* What is told of a launch; NULL, and an error, without memory. */
static suspect *new_suspect(const queue *q, const char *name)
{
    const fa__launch *l = q->launch;
    size_t size = l ? rounded(fa__launch_size(l)) : 0, args = l && l->op && l->args ? l->op->args_size : 0;
    suspect *s = fa__malloc(sizeof *s + size + args);
    if (!s)
        return NULL;
    fa__text text = fa__text_in(s->name, sizeof s->name);
    fa__text_add(&text, "%s", name ? name : "");
    s->known = l != NULL;
    s->device = q->base.device;
    atomic_init(&s->owners, 1);
    if (!l)
        return s;
    fa__launch *copy = memcpy(s->launch, l, fa__launch_size(l));
    if (args)
        copy->args = memcpy(s->launch + size, l->args, args);
    return s;
}

void fa__opencl_disown(suspect *s)
{
    if (s && atomic_fetch_sub(&s->owners, 1) == 1)
        fa__free(s);
}

void fa__opencl_judge(work *w, uint64_t ticket, bool good)
{
    queue *q = w->queue;
    const fa__fault *f = &q->fault_host[ticket % FA__OPENCL_OPEN];
    if (good && atomic_load(&f->code) != FA_OK && w->epoch > q->fault_epoch) {
        q->fault_epoch = w->epoch;
        q->guilty = w->suspect;
        q->guilt = *f;
        q->guilty_ticket = ticket;
    } else {
        fa__opencl_disown(w->suspect);
    }
    w->suspect = NULL;
}

static void raise_guilt(const suspect *s, const fa__fault *f)
{
    char buffer[300];
    if (s->known) {
        fa__fault_report(f, (const fa__launch *)(const void *)s->launch, s->device);
        return;
    }
    fa__text text = fa__text_in(buffer, sizeof buffer);
    fa__fault_describe(&text, f);
    fa__fail((fa_code)atomic_load(&f->code), "%s: kernel %s: %s", s->device->name, s->name, buffer);
}

/* A fault stays in its word until the host was told, so that later work of the queue sees it and changes nothing. What
 * a lost device was to do fails whoever asks for it. */
void fa__opencl_surface(queue *q, uint64_t ticket)
{
    suspect *guilty = NULL;
    fa__fault guilt = {0};
    cl_int failed = 0;
    pthread_mutex_lock(&q->lock);
    if (q->guilty && q->guilty_ticket <= ticket) {
        guilty = q->guilty;
        guilt = q->guilt;
        q->guilty = NULL;
        q->forgive = true;
    }
    if (q->failed && q->failed_ticket <= ticket) {
        failed = q->failed;
        if (!atomic_load(&q->device->lost))
            q->failed = 0;
    }
    const char *call = q->failed_call;
    fa__opencl_leave(q);
    if (guilty)
        raise_guilt(guilty, &guilt);
    fa__opencl_disown(guilty);
    if (failed)
        fa__fail(FA_ERROR_DEVICE, "%s: work of %s failed: %s (%d)", q->base.device->name, call,
                 fa__opencl_error_name(failed), (int)failed);
}

/* The host has seen the fault: later work runs again. */
static bool forgive(queue *q)
{
    static const cl_int zero;
    pthread_mutex_lock(&q->lock);
    bool wanted = q->forgive;
    fa__opencl_leave(q);
    if (!wanted)
        return true;
    if (!FA__OPENCL_TRY(q->base.device, clEnqueueFillBuffer, q->queue, q->fault, &zero, sizeof zero, 0,
                        sizeof(fa__fault), 0, NULL, NULL))
        return false;
    pthread_mutex_lock(&q->lock);
    q->forgive = false;
    q->epoch++;
    fa__opencl_leave(q);
    return true;
}

/* ---- faults of other queues ---- */
bool fa__opencl_faulty(queue *q, uint64_t ticket, const fa__op *op)
{
    uint64_t last = atomic_load(&q->last_suspect);
    last = last < ticket ? last : ticket;
    if (fa__opencl_done(q) < last) {
        int64_t start = fa__clock_ns();
        fa__opencl_wait_quietly(q, last);
        fa__ledger_implicit(op, q->base.device, fa__clock_ns() - start);
    }
    pthread_mutex_lock(&q->lock);
    bool faulty = q->guilty && q->guilty_ticket <= ticket;
    fa__opencl_leave(q);
    return faulty;
}

/* The fault that stands, for one more owner. */
static suspect *fault_of(queue *q, fa__fault *fault)
{
    pthread_mutex_lock(&q->lock);
    suspect *s = q->guilty;
    *fault = q->guilt;
    if (s)
        atomic_fetch_add(&s->owners, 1);
    fa__opencl_leave(q);
    return s;
}

/* It becomes the queue's; NULL when it has one already. Returns what is not taken. */
static suspect *take_fault(queue *q, suspect *s, const fa__fault *fault)
{
    pthread_mutex_lock(&q->lock);
    if (!q->guilty) {
        q->guilty = s;
        q->guilt = *fault;
        q->guilty_ticket = q->base.issued + 1;
        q->fault_epoch = q->epoch;
        s = NULL;
    }
    fa__opencl_leave(q);
    return s;
}

bool fa__opencl_inherit(queue *q, queue *other)
{
    fa__fault fault;
    suspect *s = fault_of(other, &fault);
    if (!s)
        return true;
    pthread_mutex_lock(&q->base.device->lock);
    bool good = forgive(q)
                && FA__OPENCL_TRY(q->base.device, clEnqueueFillBuffer, q->queue, q->fault, &fault, sizeof fault, 0,
                                  sizeof fault, 0, NULL, NULL);
    if (good)
        s = take_fault(q, s, &fault);
    pthread_mutex_unlock(&q->base.device->lock);
    fa__opencl_disown(s);
    return good;
}

/* ---- arguments ---- */
static bool set(const queue *q, cl_kernel kernel, cl_uint *at, size_t size, const void *value)
{
    return FA__OPENCL_TRY(q->base.device, clSetKernelArg, kernel, (*at)++, size, value);
}

/* A buffer, and bytes from its beginning. What has no elements is not looked at. */
static bool set_memory(const queue *q, cl_kernel kernel, cl_uint *at, const void *address)
{
    size_t offset = 0;
    cl_mem buffer = address ? fa__opencl_find(q->base.device, address, &offset) : q->fault;
    int64_t bytes = (int64_t)offset;
    return buffer && set(q, kernel, at, sizeof buffer, &buffer) && set(q, kernel, at, sizeof bytes, &bytes);
}

static bool set_all(const queue *q, cl_kernel kernel, const fa__gpu_arg *args, int count)
{
    cl_uint at = 0;
    const cl_int careful = !q->launch || q->launch->changes || q->checked;
    bool good = set(q, kernel, &at, sizeof q->fault, &q->fault) && set(q, kernel, &at, sizeof careful, &careful);
    for (int i = 0; good && i < count; i++)
        good =
            args[i].size ? set(q, kernel, &at, args[i].size, args[i].data) : set_memory(q, kernel, &at, args[i].data);
    return good;
}

/* ---- launching ---- */
static bool enqueue(queue *q, const fa__gpu_kernel *k, const uint64_t groups[3], cl_event *event)
{
    const size_t local[3] = {k->group[0], k->group[1], 1};
    const size_t global[3] = {(size_t)groups[0] * local[0], (size_t)groups[1] * local[1], (size_t)groups[2]};
    const fa__opencl_kernel *handle = k->handle;
    return FA__OPENCL_TRY(q->base.device, clEnqueueNDRangeKernel, q->queue, handle->kernel, 3, NULL, global, local, 0,
                          NULL, event);
}

/* The copy of the fault word goes to the place of the work's ticket. */
static bool enqueue_look(queue *q, cl_event *event)
{
    fa__fault *place = &q->fault_host[(q->base.issued + 1) % FA__OPENCL_OPEN];
    if (FA__OPENCL_TRY(q->base.device, clEnqueueReadBuffer, q->queue, q->fault, CL_FALSE, 0, sizeof *place, place, 0,
                       NULL, event))
        return true;
    fa__opencl.clFinish(q->queue); /* of the kernel before it, nobody will know */
    return false;
}

uint64_t fa__opencl_launch(fa__queue *base, const fa__gpu_kernel *k, const uint64_t groups[3], const fa__gpu_arg *args,
                           int count)
{
    queue *q = (queue *)base;
    const fa__op *op = !q->launch ? NULL : q->launch->caller ? q->launch->caller : q->launch->op;
    cl_event event = NULL;
    if (!groups[0] || !groups[1] || !groups[2])
        return fa__opencl_nothing(q);
    work *w = fa__opencl_begin(q, op);
    const fa__opencl_kernel *handle = k->handle;
    if (!w || !set_all(q, handle->kernel, args, count) || !forgive(q))
        return 0;
    w->epoch = q->epoch;
    if (!k->faults)
        return enqueue(q, k, groups, &event) ? fa__opencl_commit(w, event, "clEnqueueNDRangeKernel") : 0;
    suspect *s = new_suspect(q, k->name);
    if (!s || !enqueue(q, k, groups, NULL) || !enqueue_look(q, &event)) {
        fa__opencl_disown(s);
        return 0;
    }
    w->suspect = s;
    q->checked = true;
    atomic_store(&q->last_suspect, q->base.issued + 1);
    return fa__opencl_commit(w, event, "clEnqueueNDRangeKernel");
}

/* ---- scratch ---- */
/* A block of the device's cache: it goes back with the queue's last ticket, so that the same queue may have it again at
 * once. 0 bytes: only gives back. */
void *fa__opencl_scratch(fa__queue *base, size_t bytes)
{
    queue *q = (queue *)base;
    fa__cache *cache = &base->device->cache;
    fa__cache_give(cache, q->scratch, base, base->issued);
    q->scratch = NULL;
    if (!bytes || !(q->scratch = fa__cache_take(cache, bytes, base)))
        return NULL;
    return fa__block_memory(q->scratch);
}

uint64_t fa__opencl_run(fa__queue *base, const fa__launch *l)
{
    queue *q = (queue *)base;
    q->launch = l;
    q->checked = false;
    q->device->issuing = l->caller ? l->caller : l->op;
    uint64_t ticket = fa__gpu_run(base, l);
    q->device->issuing = NULL;
    q->launch = NULL;
    fa__opencl_scratch(base, 0);
    return ticket;
}
