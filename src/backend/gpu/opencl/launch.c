/* Launches: arguments, the look at the fault word behind them, and scratch memory. */
#include "backend/gpu/opencl/opencl.h"

typedef fa__opencl_queue queue;
typedef fa__opencl_work work;

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
    const cl_int careful = !q->launch || q->launch->overwrites || q->checked;
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
    fa__opencl_kernel *handle = k->handle;
    if (!FA__OPENCL_TRY(q->base.device, clEnqueueNDRangeKernel, q->queue, handle->kernel, 3, NULL, global, local, 0,
                        NULL, event))
        return false;
    if (!handle->launched)
        atomic_store(&q->last_new, q->base.issued + 1);
    return handle->launched = true;
}

/* Without it nobody will know what the kernel before it found: then the word is as it was. */
static bool enqueue_look(queue *q, const fa__opencl_suspect *s, cl_event *event)
{
    static const cl_int zero;
    fa__fault *copy = &q->fault_host[s->place];
    if (FA__OPENCL_TRY(q->base.device, clEnqueueReadBuffer, q->queue, q->fault, CL_FALSE, 0, sizeof *copy, copy, 0,
                       NULL, event))
        return true;
    fa__opencl.clFinish(q->queue);
    fa__opencl_wait_quietly(q, q->base.issued);
    if (fa__opencl_health_of(q) == FA__OPENCL_SOUND)
        fa__opencl.clEnqueueFillBuffer(q->queue, q->fault, &zero, sizeof zero, 0, sizeof *copy, 0, NULL, NULL);
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
    if (!w || !set_all(q, handle->kernel, args, count) || !fa__opencl_forgive(q))
        return 0;
    w->epoch = q->epoch;
    w->overwrites = true;
    if (!k->faults)
        return enqueue(q, k, groups, &event) ? fa__opencl_commit(w, event, "clEnqueueNDRangeKernel") : 0;
    fa__opencl_suspect *s = fa__opencl_suspect_new(q, k->name, op);
    if (!s || !enqueue(q, k, groups, NULL) || !enqueue_look(q, s, &event)) {
        fa__opencl_drop(s);
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

static void begin_launch(queue *q, const fa__launch *l)
{
    q->launch = l;
    q->checked = false;
    q->device->issuing = l->caller ? l->caller : l->op;
}

static uint64_t end_launch(queue *q, uint64_t ticket)
{
    q->device->issuing = NULL;
    q->launch = NULL;
    fa__opencl_scratch(&q->base, 0);
    return ticket;
}

uint64_t fa__opencl_run(fa__queue *base, const fa__launch *l)
{
    queue *q = (queue *)base;
    begin_launch(q, l);
    return end_launch(q, fa__gpu_run(base, l));
}

uint64_t fa__opencl_run_list(fa__queue *base, const fa__launch *const *l, int count)
{
    queue *q = (queue *)base;
    begin_launch(q, l[0]);
    return end_launch(q, fa__gpu_run_list(base, l, count));
}
