/* Queues, copies and events: one call of the driver each. */
#include "backend/gpu/opencl/opencl.h"

/* ---- queues ---- */
void *fa__opencl_queue_new(fa__device *d)
{
    const fa__opencl_device *o = fa__opencl_own(d);
    cl_int status = CL_SUCCESS;
    cl_command_queue q =
        fa__opencl.clCreateCommandQueue(o->platform->context, o->id, CL_QUEUE_PROFILING_ENABLE, &status);
    return fa__opencl_good(d, status, "clCreateCommandQueue") ? q : NULL;
}

void fa__opencl_queue_free(fa__device *d, void *queue)
{
    (void)d;
    fa__opencl.clReleaseCommandQueue(queue);
}

void fa__opencl_flush(void *queue)
{
    fa__opencl.clFlush(queue);
}

int fa__opencl_finish(void *queue)
{
    return fa__opencl.clFinish(queue);
}

/* ---- copies ---- */
bool fa__opencl_copy(fa__device *d, void *queue, const fa__gpu_copy *c, void **out)
{
    size_t to_at = 0, from_at = 0;
    cl_mem to = c->to_device ? fa__opencl_find(c->to_device, c->to, &to_at) : NULL;
    cl_mem from = c->from_device ? fa__opencl_find(c->from_device, c->from, &from_at) : NULL;
    cl_event after = c->after, *event = (cl_event *)(void *)out;
    const cl_uint count = after != NULL;
    const cl_event *list = after ? &after : NULL;
    if ((c->to_device && !to) || (c->from_device && !from))
        return false;
    if (!c->from_device)
        return FA__OPENCL_TRY(d, clEnqueueWriteBuffer, queue, to, c->wait, to_at, c->bytes, c->from, count, list,
                              event);
    if (!c->to_device)
        return FA__OPENCL_TRY(d, clEnqueueReadBuffer, queue, from, c->wait, from_at, c->bytes, c->to, count, list,
                              event);
    return FA__OPENCL_TRY(d, clEnqueueCopyBuffer, queue, from, to, from_at, to_at, c->bytes, count, list, event);
}

/* ---- events ---- */
void *fa__opencl_record(fa__device *d, void *queue)
{
    cl_event event = NULL;
    if (!FA__OPENCL_TRY(d, clEnqueueMarkerWithWaitList, queue, 0, NULL, &event))
        return NULL;
    fa__opencl.clFlush(queue);
    return event;
}

bool fa__opencl_follow(fa__device *d, void *queue, void *event)
{
    cl_event e = event;
    return FA__OPENCL_TRY(d, clEnqueueBarrierWithWaitList, queue, 1, &e, NULL);
}

int fa__opencl_poll(void *event)
{
    cl_int status = CL_COMPLETE;
    cl_int asked = fa__opencl.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return asked != CL_SUCCESS ? asked : status > CL_COMPLETE ? FA__GPU_RUNNING : status;
}

int fa__opencl_wait(void *event)
{
    cl_event e = event;
    return fa__opencl.clWaitForEvents(1, &e);
}

void fa__opencl_event_free(void *event)
{
    fa__opencl.clReleaseEvent(event);
}

bool fa__opencl_times(void *event, int64_t *start, int64_t *end)
{
    cl_ulong from = 0, to = 0;
    if (fa__opencl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof from, &from, NULL)
        || fa__opencl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL))
        return false;
    *start = (int64_t)from;
    *end = (int64_t)to;
    return true;
}
