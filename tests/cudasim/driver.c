/* The driver's functions: devices, contexts, memory, copies, events, launches, and failures on demand. They refuse what
 * the real driver refuses: streams and events of another context, addresses that are not a device's. */
#define _GNU_SOURCE
#include "cudasim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define API EXPORT CUresult

static struct CUctx_st contexts[DEVICES];
static bool initialized;

int64_t cudasim_number(const char *variable, int64_t usual)
{
    const char *text = getenv(variable);
    return text && *text ? atoll(text) : usual;
}

/* ---- failures, and counts of calls ---- */
static struct {
    char call[40];
    long left;
    int code;
    bool sticky;
} failure;

static struct {
    const char *name;
    long calls;
} counted[128];

void cudasim_fail(const char *call, long n, int code, bool sticky)
{
    cudasim_lock();
    failure.left = call ? n : 0;
    failure.code = code;
    failure.sticky = sticky;
    snprintf(failure.call, sizeof failure.call, "%s", call ? call : "");
    for (int i = 0; i < DEVICES && !call; i++)
        contexts[i].lost = 0;
    cudasim_unlock();
}

int cudasim_fails(const char *call, CUcontext c)
{
    if (!failure.left || strcmp(call, failure.call) != 0 || --failure.left)
        return 0;
    if (failure.sticky && c)
        c->lost = failure.code;
    return failure.code;
}

static void count_call(const char *call)
{
    size_t i = 0;
    while (counted[i].name && strcmp(counted[i].name, call) != 0)
        i++;
    counted[i].name = call;
    counted[i].calls++;
}

long cudasim_calls(const char *call)
{
    long calls = 0;
    cudasim_lock();
    for (size_t i = 0; counted[i].name; i++)
        calls += strcmp(counted[i].name, call) ? 0 : counted[i].calls;
    cudasim_unlock();
    return calls;
}

/* ---- contexts: each thread has a stack of them ---- */
static __thread CUcontext stack[32];
static __thread int depth;

static CUcontext current(void)
{
    return depth ? stack[depth - 1] : NULL;
}

static void read_environment(void)
{
    static bool read;
    const char *fail = read ? NULL : getenv("CUDASIM_FAIL");
    char sticky[8] = "";
    read = true;
    if (fail && sscanf(fail, "%39[^:]:%ld:%d:%7s", failure.call, &failure.left, &failure.code, sticky) < 3)
        fprintf(stderr, "cudasim: CUDASIM_FAIL=%s is not call:number:code\n", fail);
    failure.sticky |= !strcmp(sticky, "sticky");
}

/* What every call begins with; the lock is held when it returns 0. */
static CUresult enter(const char *call, bool context)
{
    cudasim_lock();
    read_environment();
    count_call(call);
    CUcontext c = current();
    CUresult status = cudasim_fails(call, c);
    if (!status && !initialized && strcmp(call, "cuInit"))
        status = 3; /* CUDA_ERROR_NOT_INITIALIZED */
    if (!status && context)
        status = !c || !c->users ? INVALID_CONTEXT : c->lost;
    if (status)
        cudasim_unlock();
    return status;
}

static CUresult leave(CUresult status)
{
    cudasim_unlock();
    return status;
}

__thread CUresult cudasim_entered;

CUcontext cudasim_enter(const char *call)
{
    cudasim_entered = enter(call, true);
    return cudasim_entered ? NULL : current();
}

CUresult cudasim_leave(CUresult status)
{
    return leave(status);
}

nvrtcResult cudasim_begin(const char *call)
{
    cudasim_lock();
    read_environment();
    count_call(call);
    int status = cudasim_fails(call, NULL);
    cudasim_unlock();
    return status;
}

#define BEGIN(name, context)                                                                                           \
    CUresult stood = enter(#name, context);                                                                            \
    if (stood)                                                                                                         \
    return stood
#define BEGIN_ANYWHERE(name) BEGIN(name, false) /* no context is needed */
#define BEGIN_IN_CONTEXT(name) BEGIN(name, true)

API cuInit(unsigned flags)
{
    BEGIN_ANYWHERE(cuInit);
    for (int i = 0; i < DEVICES; i++)
        contexts[i].device = i;
    initialized = true;
    return leave(flags ? INVALID_VALUE : CUDA_SUCCESS);
}

API cuDriverGetVersion(int *version)
{
    BEGIN_ANYWHERE(cuDriverGetVersion);
    *version = 13000;
    return leave(CUDA_SUCCESS);
}

API cuGetErrorName(CUresult code, const char **name)
{
    static const struct {
        int code;
        const char *name;
    } names[] = {{0, "CUDA_SUCCESS"},
                 {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
                 {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
                 {3, "CUDA_ERROR_NOT_INITIALIZED"},
                 {46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
                 {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
                 {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
                 {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
                 {NO_BINARY, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                 {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
                 {NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
                 {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY"},
                 {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                 {CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"},
                 {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
                 {CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
                 {CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
                 {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN"}};
    CUresult status = cudasim_begin("cuGetErrorName"); /* it needs no cuInit either */
    if (status)
        return status;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == code) {
            *name = names[i].name;
            return CUDA_SUCCESS;
        }
    return INVALID_VALUE;
}

/* ---- devices ---- */
static int devices(void)
{
    int64_t n = cudasim_number("CUDASIM_DEVICES", 2);
    return n < 0 ? 0 : n > DEVICES ? DEVICES : (int)n;
}

static size_t allocated(int device);

static size_t memory_of_each(void)
{
    return (size_t)cudasim_number("CUDASIM_MEMORY", 1 << 30);
}

bool cudasim_has_room(int device, size_t bytes)
{
    return device < devices() && bytes <= memory_of_each() && allocated(device) <= memory_of_each() - bytes;
}

API cuDeviceGetCount(int *count)
{
    BEGIN_ANYWHERE(cuDeviceGetCount);
    *count = devices();
    return leave(CUDA_SUCCESS);
}

API cuDeviceGet(CUdevice *device, int number)
{
    BEGIN_ANYWHERE(cuDeviceGet);
    *device = number;
    return leave(number >= 0 && number < devices() ? CUDA_SUCCESS : 101);
}

API cuDeviceGetName(char *name, int size, CUdevice device)
{
    BEGIN_ANYWHERE(cuDeviceGetName);
    (void)device;
    snprintf(name, (size_t)size, "simulator (no GPU%s)", cudasim_racing ? ", looks for races" : "");
    return leave(CUDA_SUCCESS);
}

API cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    BEGIN_ANYWHERE(cuDeviceTotalMem_v2);
    (void)device;
    *bytes = memory_of_each();
    return leave(CUDA_SUCCESS);
}

API cuDeviceGetAttribute(int *value, CUdevice_attribute what, CUdevice device)
{
    BEGIN_ANYWHERE(cuDeviceGetAttribute);
    int capability = (int)cudasim_number("CUDASIM_CAPABILITY", 90);
    (void)device;
    *value = what == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK      ? 1024
             : what == CU_DEVICE_ATTRIBUTE_CLOCK_RATE               ? 1000000
             : what == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT     ? 2
             : what == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? capability / 10
             : what == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? capability % 10
             : what == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
                 ? (int)cudasim_number("CUDASIM_VIRTUAL", 1)
                 : 0;
    return leave(CUDA_SUCCESS);
}

API cuDeviceCanAccessPeer(int *can, CUdevice a, CUdevice b)
{
    BEGIN_ANYWHERE(cuDeviceCanAccessPeer);
    *can = a != b && cudasim_number("CUDASIM_PEERS", 1);
    return leave(CUDA_SUCCESS);
}

/* ---- contexts ---- */
API cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device)
{
    BEGIN_ANYWHERE(cuDevicePrimaryCtxRetain);
    CUcontext c = &contexts[device];
    if (!c->stream)
        c->stream = cudasim_stream(c);
    c->users++;
    *out = c;
    return leave(c->lost);
}

API cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    BEGIN_ANYWHERE(cuDevicePrimaryCtxRelease_v2);
    CUcontext c = &contexts[device];
    if (!c->users)
        return leave(INVALID_CONTEXT);
    if (--c->users == 0) {
        cudasim_wait_all(c);
        c->peers = 0;
    }
    return leave(CUDA_SUCCESS);
}

API cuCtxGetCurrent(CUcontext *out)
{
    BEGIN_ANYWHERE(cuCtxGetCurrent);
    *out = current();
    return leave(CUDA_SUCCESS);
}

API cuCtxGetDevice(CUdevice *device)
{
    BEGIN_IN_CONTEXT(cuCtxGetDevice);
    *device = current()->device;
    return leave(CUDA_SUCCESS);
}

/* One of the program's own, which becomes the thread's. */
API cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device)
{
    BEGIN_ANYWHERE(cuCtxCreate_v2);
    CUcontext c = flags || depth == 32 ? NULL : calloc(1, sizeof *c);
    if (!c)
        return leave(INVALID_VALUE);
    *c = (struct CUctx_st){.device = device, .users = 1, .stream = cudasim_stream(c)};
    *out = stack[depth++] = c;
    return leave(CUDA_SUCCESS);
}

API cuCtxPushCurrent_v2(CUcontext c)
{
    BEGIN_ANYWHERE(cuCtxPushCurrent_v2);
    if (!c || !c->users || depth == 32)
        return leave(INVALID_CONTEXT);
    stack[depth++] = c;
    return leave(CUDA_SUCCESS);
}

API cuCtxPopCurrent_v2(CUcontext *out)
{
    BEGIN_ANYWHERE(cuCtxPopCurrent_v2);
    if (!depth)
        return leave(INVALID_CONTEXT);
    *out = stack[--depth];
    return leave(CUDA_SUCCESS);
}

API cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    BEGIN_IN_CONTEXT(cuCtxEnablePeerAccess);
    CUcontext c = current();
    if (flags || !peer || !peer->users)
        return leave(INVALID_VALUE);
    bool there = c->peers >> peer->device & 1;
    c->peers |= 1U << peer->device;
    return leave(there ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_SUCCESS);
}

/* ---- memory: pages of its own for each allocation, which are nobody's once it is freed ---- */
typedef struct block {
    char *begin;
    size_t size, pages;
    int device;     /* -1: pinned memory of the host */
    bool mapped;    /* virtual.c has its pages, */
    unsigned users; /* and these devices (bits) may use it */
    struct block *next;
} block;

static block *blocks;

static block **find(int device, const void *memory)
{
    for (block **b = &blocks; *b; b = &(*b)->next)
        if ((*b)->device == device && (const char *)memory >= (*b)->begin
            && (const char *)memory < (*b)->begin + (*b)->size)
            return b;
    return NULL;
}

/* Pieces that are mapped one behind the other are as one. */
bool cudasim_has(int device, const void *memory, size_t bytes)
{
    const char *from = memory, *end = from + bytes;
    do {
        block **b = find(device, from);
        if (!b || ((*b)->mapped && !((*b)->users >> device & 1)))
            return false;
        from = (*b)->begin + (*b)->size;
        if (!(*b)->mapped)
            return from >= end;
    } while (from < end);
    return true;
}

bool cudasim_reaches(int device, const void *memory, size_t bytes)
{
    const char *from = memory, *end = from + bytes;
    bool does = true;
    cudasim_lock();
    while (does && from < end) {
        const block *b = blocks;
        while (b && (!b->mapped || from < b->begin || from >= b->begin + b->size))
            b = b->next;
        does = b && b->users >> device & 1;
        from = does ? b->begin + b->size : end;
    }
    cudasim_unlock();
    return does;
}

bool cudasim_is_free(const void *memory, size_t bytes)
{
    bool is = true;
    for (block *b = blocks; b && is; b = b->next)
        is = b->begin >= (const char *)memory + bytes || b->begin + b->pages <= (const char *)memory;
    return is;
}

bool cudasim_add_mapped(int device, void *memory, size_t bytes)
{
    block *b = malloc(sizeof *b);
    if (b)
        *b = (block){.begin = memory, .size = bytes, .pages = bytes, .device = device, .mapped = true, .next = blocks};
    blocks = b ? b : blocks;
    return b != NULL;
}

size_t cudasim_mapped_at(const void *memory)
{
    for (block *b = blocks; b; b = b->next)
        if (b->mapped && b->begin == memory)
            return b->size;
    return 0;
}

void cudasim_remove_mapped(const void *memory)
{
    block **link = &blocks;
    while ((*link)->begin != memory)
        link = &(*link)->next;
    block *b = *link;
    cudasim_clock_freed(b->begin, b->size);
    *link = b->next;
    free(b);
}

unsigned cudasim_allow(const void *memory, unsigned users)
{
    block *b = blocks;
    while (b->begin != memory)
        b = b->next;
    unsigned before = b->users;
    b->users |= users;
    return (before ^ b->users) >> b->device & 1;
}

bool cudasim_is_memory(const void *memory)
{
    bool is = false;
    for (block *b = blocks; b && !is; b = b->next)
        is = (const char *)memory >= b->begin && (const char *)memory < b->begin + b->pages;
    return is;
}

static size_t allocated(int device)
{
    size_t bytes = cudasim_created(device);
    for (block *b = blocks; b; b = b->next)
        bytes += b->device == device && !b->mapped ? b->size : 0;
    return bytes;
}

size_t cudasim_allocated(int device)
{
    cudasim_lock();
    size_t bytes = allocated(device);
    cudasim_unlock();
    return bytes;
}

/* Poisoned: neither zeros nor anything's bytes. */
static CUresult allocate(int device, size_t size, void **out)
{
    block *b = malloc(sizeof *b);
    if (!b || !size)
        return free(b), size ? CUDA_ERROR_OUT_OF_MEMORY : INVALID_VALUE;
    *b = (block){.size = size, .pages = (size + 4095) / 4096 * 4096, .device = device, .next = blocks};
    b->begin = mmap(NULL, b->pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (b->begin == MAP_FAILED)
        return free(b), CUDA_ERROR_OUT_OF_MEMORY;
    if (size <= 1 << 20)
        memset(b->begin, 0xfb, size);
    blocks = b;
    *out = b->begin;
    return CUDA_SUCCESS;
}

static CUresult release(int device, const void *memory)
{
    block **link = find(device, memory), *b = link ? *link : NULL;
    if (!b || b->begin != memory || b->mapped)
        return INVALID_VALUE;
    cudasim_clock_freed(b->begin, b->size);
    *link = b->next;
    munmap(b->begin, b->pages);
    free(b);
    return CUDA_SUCCESS;
}

API cuMemAlloc_v2(CUdeviceptr *out, size_t size)
{
    BEGIN_IN_CONTEXT(cuMemAlloc_v2);
    int device = current()->device;
    void *memory = NULL;
    if (!cudasim_has_room(device, size))
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    CUresult status = allocate(device, size, &memory);
    *out = (uintptr_t)memory;
    return leave(status);
}

/* Unlike the real one it waits for nothing: who frees memory has to know that nobody uses it. */
API cuMemFree_v2(CUdeviceptr memory)
{
    BEGIN_IN_CONTEXT(cuMemFree_v2);
    return leave(release(current()->device, (void *)(uintptr_t)memory));
}

API cuMemHostAlloc(void **out, size_t size, unsigned flags)
{
    BEGIN_IN_CONTEXT(cuMemHostAlloc);
    (void)flags;
    return leave(allocate(-1, size, out));
}

API cuMemFreeHost(void *memory)
{
    BEGIN_IN_CONTEXT(cuMemFreeHost);
    return leave(release(-1, memory));
}

/* ---- streams and events ---- */
CUstream cudasim_real(CUstream s)
{
    return s ? s : current()->stream;
}

API cuStreamCreate(CUstream *out, unsigned flags)
{
    BEGIN_IN_CONTEXT(cuStreamCreate);
    *out = flags > 1 ? NULL : cudasim_stream(current());
    return leave(flags > 1 ? INVALID_VALUE : *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

API cuStreamDestroy_v2(CUstream s)
{
    BEGIN_IN_CONTEXT(cuStreamDestroy_v2);
    cudasim_stream_free(s);
    return leave(CUDA_SUCCESS);
}

API cuStreamSynchronize(CUstream s)
{
    BEGIN_IN_CONTEXT(cuStreamSynchronize);
    if (cudasim_is_captured(cudasim_real(s)))
        return leave(CAPTURE_UNSUPPORTED);
    CUresult status = cudasim_wait_stream(cudasim_real(s));
    cudasim_clock_waited(cudasim_real(s)->clock);
    return leave(status);
}

/* The event may be another context's, the stream not. */
API cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags)
{
    BEGIN_IN_CONTEXT(cuStreamWaitEvent);
    if (cudasim_real(s)->context != current() || flags)
        return leave(INVALID_HANDLE);
    if (cudasim_is_captured(cudasim_real(s)))
        return leave(CAPTURE_UNSUPPORTED);
    const command c = {.kind = WAIT, .event = e, .number = e->recorded};
    return leave(cudasim_issue(cudasim_real(s), &c) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

API cuEventCreate(CUevent *out, unsigned flags)
{
    BEGIN_IN_CONTEXT(cuEventCreate);
    CUevent e = *out = flags ? NULL : calloc(1, sizeof *e);
    if (!e)
        return leave(flags ? INVALID_VALUE : CUDA_ERROR_OUT_OF_MEMORY);
    e->context = current();
    e->users = 1;
    return leave(CUDA_SUCCESS);
}

API cuEventDestroy_v2(CUevent e)
{
    BEGIN_IN_CONTEXT(cuEventDestroy_v2);
    cudasim_drop(e);
    return leave(CUDA_SUCCESS);
}

API cuEventRecord(CUevent e, CUstream s)
{
    BEGIN_IN_CONTEXT(cuEventRecord);
    if (e->context != current() || cudasim_real(s)->context != current())
        return leave(INVALID_HANDLE);
    if (cudasim_is_captured(cudasim_real(s)))
        return leave(CAPTURE_UNSUPPORTED);
    const command c = {.kind = RECORD, .event = e, .number = ++e->recorded};
    return leave(cudasim_issue(cudasim_real(s), &c) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

API cuEventQuery(CUevent e)
{
    BEGIN_IN_CONTEXT(cuEventQuery);
    if (e->done == e->recorded)
        cudasim_clock_waited(e->clock);
    return leave(e->context->lost ? e->context->lost : e->done < e->recorded ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS);
}

API cuEventSynchronize(CUevent e)
{
    BEGIN_IN_CONTEXT(cuEventSynchronize);
    return leave(cudasim_wait_event(e));
}

API cuEventElapsedTime(float *ms, CUevent from, CUevent to)
{
    BEGIN_IN_CONTEXT(cuEventElapsedTime);
    if (!from->recorded || !to->recorded || from->context != to->context)
        return leave(INVALID_HANDLE);
    *ms = (float)((double)(to->time - from->time) / 1e6);
    return leave(from->done < from->recorded || to->done < to->recorded ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS);
}

/* ---- copies. Memory of the host that is not pinned is read or written before the call returns. ---- */
static CUresult copy(CUstream s, void *to, const void *from, size_t bytes, bool pinned)
{
    const command c = {.kind = COPY, .to = to, .from = from, .bytes = bytes};
    if (cudasim_real(s)->context != current())
        return INVALID_HANDLE;
    if (!pinned && cudasim_is_captured(cudasim_real(s)))
        return CAPTURE_UNSUPPORTED;
    if (!cudasim_issue(cudasim_real(s), &c))
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (pinned)
        return CUDA_SUCCESS;
    CUresult status = cudasim_wait_stream(cudasim_real(s));
    cudasim_clock_waited(cudasim_real(s)->clock);
    return status;
}

static void *at(CUdeviceptr p)
{
    return (void *)(uintptr_t)p;
}

API cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream s)
{
    BEGIN_IN_CONTEXT(cuMemcpyHtoDAsync_v2);
    if (!cudasim_has(current()->device, at(to), bytes))
        return leave(INVALID_VALUE);
    return leave(copy(s, at(to), from, bytes, cudasim_has(-1, from, bytes)));
}

API cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream s)
{
    BEGIN_IN_CONTEXT(cuMemcpyDtoHAsync_v2);
    if (!cudasim_has(current()->device, at(from), bytes))
        return leave(INVALID_VALUE);
    return leave(copy(s, to, at(from), bytes, cudasim_has(-1, to, bytes)));
}

API cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s)
{
    BEGIN_IN_CONTEXT(cuMemcpyDtoDAsync_v2);
    int device = current()->device;
    if (!cudasim_has(device, at(to), bytes) || !cudasim_has(device, at(from), bytes))
        return leave(INVALID_VALUE);
    return leave(copy(s, at(to), at(from), bytes, true));
}

API cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes,
                      CUstream s)
{
    BEGIN_IN_CONTEXT(cuMemcpyPeerAsync);
    if (!cudasim_has(to_context->device, at(to), bytes) || !cudasim_has(from_context->device, at(from), bytes))
        return leave(INVALID_VALUE);
    return leave(copy(s, at(to), at(from), bytes, true));
}

/* ---- launches ---- */
/* Arguments that are addresses have to be the device's, or those of one that it reaches; of memory that is mapped,
 * those that it was given access to. */
static bool is_stray(CUcontext c, const void *value)
{
    void *address;
    memcpy(&address, value, sizeof address);
    for (int d = 0; d < DEVICES; d++) {
        block **b = find(d, address);
        if (b && !((*b)->mapped ? (*b)->users >> c->device & 1 : d == c->device || c->peers >> d & 1))
            return true;
    }
    return false;
}

bool cudasim_put_arguments(command *c, void *const *parameter, CUcontext context)
{
    size_t at = 0;
    for (int i = 0; i < c->function->kernel->count; i++) {
        size_t size = c->function->kernel->size[i];
        at = (at + 15) / 16 * 16;
        if (i >= 63 || at + size > sizeof c->value || (size == sizeof(void *) && is_stray(context, parameter[i])))
            return false;
        memcpy(c->value + at, parameter[i], size);
        c->argument[i] = c->value + at;
        at += size;
    }
    return true;
}

API cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned x, unsigned y, unsigned z,
                   unsigned shared, CUstream s, void **parameter, void **extra)
{
    BEGIN_IN_CONTEXT(cuLaunchKernel);
    command c = {.kind = LAUNCH, .function = f, .grid = {gx, gy, gz}, .block = {x, y, z}};
    bool size = gx && gy && gz && gx <= 0x7fffffff && gy <= 65535 && gz <= 65535 && x && y && z && x * y * z <= 1024;
    if (cudasim_real(s)->context != current() || f->module->context != current())
        return leave(INVALID_HANDLE);
    if (!size || shared || extra || !cudasim_put_arguments(&c, parameter, current()))
        return leave(INVALID_VALUE);
    return leave(cudasim_issue(cudasim_real(s), &c) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}
