/* Memory: OpenCL has buffers, the library has addresses. Each buffer gets a range of addresses that nobody may touch;
 * a table finds the buffer of an address. */
#define _GNU_SOURCE
#include "backend/gpu/opencl/opencl.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/fork.h"
#include <string.h>
#include <sys/mman.h>

typedef struct range {
    char *begin;
    size_t size;
    cl_mem buffer;
    const fa__device *device;
} range;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static range *ranges; /* in order of addresses */
static size_t count, capacity;

_Atomic uint64_t fa__opencl_releases;

FA__LOCKED_AT_FORK(GPU_MEMORY, &lock)

/* The place of the first range that begins behind the address. */
static size_t place_of(const char *address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool room(void)
{
    if (count < capacity)
        return true;
    size_t more = capacity ? capacity * 2 : 64;
    range *larger = fa__inject_now(more * sizeof *larger) ? NULL : fa__raw(16, more * sizeof *larger);
    if (!larger)
        return false;
    if (count)
        memcpy(larger, ranges, count * sizeof *larger);
    fa__aligned_free(ranges);
    ranges = larger;
    capacity = more;
    return true;
}

static bool add(range r)
{
    pthread_mutex_lock(&lock);
    bool good = room();
    if (good) {
        size_t at = place_of(r.begin);
        memmove(&ranges[at + 1], &ranges[at], (count - at) * sizeof r);
        ranges[at] = r;
        count++;
    }
    pthread_mutex_unlock(&lock);
    return good;
}

/* The last one takes the table with it. */
static cl_mem take_out(const char *begin)
{
    cl_mem buffer = NULL;
    pthread_mutex_lock(&lock);
    size_t at = place_of(begin);
    if (at && ranges[at - 1].begin == begin) {
        buffer = ranges[at - 1].buffer;
        count--;
        memmove(&ranges[at - 1], &ranges[at], (count + 1 - at) * sizeof *ranges);
    }
    if (!count) {
        fa__aligned_free(ranges);
        ranges = NULL;
        capacity = 0;
    }
    pthread_mutex_unlock(&lock);
    return buffer;
}

cl_mem fa__opencl_find(const fa__device *d, const void *address, size_t *offset)
{
    cl_mem buffer = NULL;
    const char *at = address;
    pthread_mutex_lock(&lock);
    size_t place = place_of(at);
    const range *r = place ? &ranges[place - 1] : NULL;
    if (r && fa__opencl_own(r->device)->platform == fa__opencl_own(d)->platform && (size_t)(at - r->begin) < r->size) {
        buffer = r->buffer;
        *offset = (size_t)(at - r->begin);
    }
    pthread_mutex_unlock(&lock);
    if (!buffer)
        fa__fail(FA_ERROR_INTERNAL, "%s: %p is not in its memory", d->name, address);
    return buffer;
}

const void *fa__opencl_segment(const fa__device *d, const void *address)
{
    size_t offset = 0;
    return fa__opencl_find(d, address, &offset) ? (const char *)address - offset : NULL;
}

/* A buffer that is there: many drivers would find out only when it is used first that there is no memory for it. What
 * it holds is kept, as another queue may write it before this queue comes to the command. */
static cl_mem new_buffer(const fa__device *d, size_t size)
{
    cl_int status = CL_SUCCESS;
    cl_mem buffer =
        fa__opencl.clCreateBuffer(fa__opencl_own(d)->platform->context, CL_MEM_READ_WRITE, size, NULL, &status);
    if (status != CL_SUCCESS)
        return NULL;
    status = fa__opencl.clEnqueueMigrateMemObjects(fa__gpu_own(d)->transfers, 1, &buffer, 0, 0, NULL, NULL);
    if (status == CL_SUCCESS)
        return buffer;
    fa__opencl.clReleaseMemObject(buffer);
    return NULL;
}

void *fa__opencl_allocate(fa__device *d, size_t size)
{
    void *begin = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin == MAP_FAILED)
        return NULL;
    cl_mem buffer = new_buffer(d, size);
    if (buffer && add((range){begin, size, buffer, d}))
        return begin;
    if (buffer)
        fa__opencl.clReleaseMemObject(buffer);
    munmap(begin, size);
    return NULL;
}

void fa__opencl_release(fa__device *d, void *memory, size_t size)
{
    (void)d;
    cl_mem buffer = take_out(memory);
    atomic_fetch_add(&fa__opencl_releases, 1);
    if (buffer)
        fa__opencl.clReleaseMemObject(buffer);
    munmap(memory, size);
}

/* ---- pinned memory ---- */
void *fa__opencl_pinned(fa__device *d, void *queue, size_t size, void **out)
{
    cl_int status = CL_SUCCESS;
    cl_mem buffer = fa__opencl.clCreateBuffer(fa__opencl_own(d)->platform->context,
                                              CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size, NULL, &status);
    if (!fa__opencl_good(d, status, "clCreateBuffer"))
        return NULL;
    void *host = fa__opencl.clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0, NULL,
                                               NULL, &status);
    if (fa__opencl_good(d, status, "clEnqueueMapBuffer")) {
        *out = buffer;
        return host;
    }
    fa__opencl.clReleaseMemObject(buffer);
    return NULL;
}

void fa__opencl_pinned_free(fa__device *d, void *queue, void *host, void *handle)
{
    (void)d;
    fa__opencl.clEnqueueUnmapMemObject(queue, handle, host, 0, NULL, NULL);
    fa__opencl.clReleaseMemObject(handle);
}
