/* Queues that are made slow: late ones can be told to, and those of the simulator of CUDA; those of OpenCL get events
 * in front of each piece of work, which stand for work that takes long, and which a thread, or whoever waits,
 * completes. */
#include "backend/gpu/cuda/cuda.h"
#include "backend/gpu/opencl/opencl.h"
#include "backend/late/late.h"
#include "support/cudasim.h"
#include "support/devices.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_GATES = 4096 };

static fa__opencl_api real;
static cl_event (*create_event)(cl_context, cl_int *);
static cl_int (*set_status)(cl_event, cl_int);
static int64_t delay;
static bool changed, ignore;
static int one = -1;
static struct {
    cl_event event;
    cl_command_queue queue;
} gate[MOST_GATES];
static int gates;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void open_gates(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < gates; i++) {
        set_status(gate[i].event, CL_COMPLETE);
        real.clReleaseEvent(gate[i].event);
    }
    gates = 0;
    pthread_mutex_unlock(&lock);
}

static void sleep_us(int64_t us)
{
    nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

/* Opens what a piece of work waits for after some time. */
static void *open_late(void *event)
{
    sleep_us(__atomic_load_n(&delay, __ATOMIC_RELAXED));
    set_status(event, CL_COMPLETE);
    real.clReleaseEvent(event);
    return NULL;
}

static bool is_shut(cl_command_queue queue)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < gates && !found; i++)
        found = gate[i].queue == queue;
    pthread_mutex_unlock(&lock);
    return found;
}

static void shut(cl_command_queue queue, cl_event event)
{
    pthread_t thread;
    if (delay > 0 && !pthread_create(&thread, NULL, open_late, event)) {
        pthread_detach(thread);
        return;
    }
    pthread_mutex_lock(&lock);
    gate[gates].event = event;
    gate[gates++].queue = queue;
    pthread_mutex_unlock(&lock);
}

/* The first of the two that is one of OpenCL's; their platform is the same. */
static const fa__device *opencl_device(void)
{
    return fa__device_get(test_device(test_device(0).kind == FA__OPENCL ? 0 : 1));
}

static bool is_slow(cl_command_queue queue)
{
    const fa__queue *q = one < 0 ? NULL : fa__device_get(test_device(one))->queue;
    return delay && (!q || ((const fa__gpu_queue *)q)->handle == queue);
}

/* The queue's next piece of work waits. */
static void hold(cl_command_queue queue)
{
    cl_int status;
    if (!is_slow(queue) || (delay < 0 && is_shut(queue)))
        return;
    cl_event event = create_event(fa__opencl_own(opencl_device())->platform->context, &status);
    if (!event)
        return;
    real.clRetainEvent(event);
    real.clEnqueueBarrierWithWaitList(queue, 1, &event, NULL);
    real.clReleaseEvent(event);
    shut(queue, event);
}

/* A copy that the host waits for is a wait. */
static void hold_or_open(cl_command_queue queue, cl_bool wait)
{
    if (wait)
        open_gates();
    else
        hold(queue);
}

static cl_int launch_late(cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset, const size_t *size,
                          const size_t *group, cl_uint count, const cl_event *after, cl_event *event)
{
    hold(q);
    return real.clEnqueueNDRangeKernel(q, k, dims, offset, size, group, count, after, event);
}

static cl_int read_late(cl_command_queue q, cl_mem m, cl_bool wait, size_t offset, size_t size, void *to, cl_uint count,
                        const cl_event *after, cl_event *event)
{
    hold_or_open(q, wait);
    return real.clEnqueueReadBuffer(q, m, wait, offset, size, to, count, after, event);
}

static cl_int write_late(cl_command_queue q, cl_mem m, cl_bool wait, size_t offset, size_t size, const void *from,
                         cl_uint count, const cl_event *after, cl_event *event)
{
    hold_or_open(q, wait);
    return real.clEnqueueWriteBuffer(q, m, wait, offset, size, from, count, after, event);
}

static cl_int copy_late(cl_command_queue q, cl_mem from, cl_mem to, size_t a, size_t b, size_t size, cl_uint count,
                        const cl_event *after, cl_event *event)
{
    hold(q);
    return real.clEnqueueCopyBuffer(q, from, to, a, b, size, count, after, event);
}

/* ---- who waits opens the gates, and keeps the real order ---- */
static cl_int wait_for(cl_uint count, const cl_event *event)
{
    open_gates();
    return real.clWaitForEvents(count, event);
}

static cl_int finish(cl_command_queue q)
{
    open_gates();
    return real.clFinish(q);
}

static void *map(cl_command_queue q, cl_mem m, cl_bool wait, cl_bitfield how, size_t offset, size_t size, cl_uint count,
                 const cl_event *after, cl_event *event, cl_int *status)
{
    open_gates();
    return real.clEnqueueMapBuffer(q, m, wait, how, offset, size, count, after, event, status);
}

static int64_t orders;

/* Order between queues are barriers with events. */
static cl_int order(cl_command_queue q, cl_uint count, const cl_event *after, cl_event *event)
{
    __atomic_fetch_add(&orders, count > 0, __ATOMIC_RELAXED);
    return ignore && count ? CL_SUCCESS : real.clEnqueueBarrierWithWaitList(q, count, after, event);
}

static void change_functions(void)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
    void *create = library ? dlsym(library, "clCreateUserEvent") : NULL;
    void *set = library ? dlsym(library, "clSetUserEventStatus") : NULL;
    if (!create || !set || !fa__device_get(test_device(0)) || !fa__device_get(test_device(1))) {
        printf("queues of OpenCL cannot be made slow here\n");
        exit(2);
    }
    *(void **)&create_event = create;
    *(void **)&set_status = set;
    real = fa__opencl;
    fa__opencl.clEnqueueNDRangeKernel = launch_late;
    fa__opencl.clEnqueueReadBuffer = read_late;
    fa__opencl.clEnqueueWriteBuffer = write_late;
    fa__opencl.clEnqueueCopyBuffer = copy_late;
    fa__opencl.clWaitForEvents = wait_for;
    fa__opencl.clFinish = finish;
    fa__opencl.clEnqueueMapBuffer = map;
    fa__opencl.clEnqueueBarrierWithWaitList = order;
    atexit(open_gates);
    changed = true;
}

static bool has_opencl(void)
{
    return test_device(0).kind == FA__OPENCL || test_device(1).kind == FA__OPENCL;
}

/* ---- the simulator of CUDA ---- */
static const cudasim_functions *simulator(void)
{
    if (test_device(0).kind != FA__CUDA && test_device(1).kind != FA__CUDA)
        return NULL;
    const cudasim_functions *found = test_cudasim();
    if (!found) {
        printf("skipped: the queues of a GPU cannot be made slow\n");
        exit(TEST_SKIPPED);
    }
    return found;
}

static void delay_simulator(int64_t microseconds)
{
    const cudasim_functions *s = simulator();
    const fa__queue *q = s && one >= 0 ? fa__device_get(test_device(one))->queue : NULL;
    const fa__cuda_queue *only = q ? ((const fa__gpu_queue *)q)->handle : NULL;
    if (s)
        s->delay(microseconds, only ? only->stream : NULL);
}

void test_devices_delay(int64_t microseconds)
{
    fa__late_delay(microseconds);
    delay_simulator(microseconds);
    if (!has_opencl())
        return;
    if (!changed)
        change_functions();
    __atomic_store_n(&delay, microseconds, __ATOMIC_RELAXED);
    open_gates();
}

int64_t test_devices_orders(void)
{
    const cudasim_functions *s = simulator();
    return s ? s->calls("cuStreamWaitEvent") : __atomic_load_n(&orders, __ATOMIC_RELAXED);
}

void test_devices_delay_one(int number)
{
    one = number;
}

void test_devices_ignore_order(bool ignored)
{
    const cudasim_functions *s = simulator();
    fa__late_ignore_after(ignored);
    if (s)
        s->ignore_events(ignored);
    if (has_opencl() && !changed)
        change_functions();
    ignore = ignored;
}
