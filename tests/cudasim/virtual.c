/* Virtual memory: addresses are reserved, memory is created, mapped to them and made accessible, each by a call of its
 * own. Memory lives as long as it is mapped or its handle is not released. What is not mapped cannot be accessed: a
 * kernel that does is reported, and ends the process. */
#define _GNU_SOURCE
#include "cudasim.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define API EXPORT CUresult
#define BEGIN(name)                                                                                                    \
    if (!cudasim_enter(#name))                                                                                         \
    return cudasim_entered

enum { GRANULE = 2 << 20 };

typedef struct range {
    char *begin;
    size_t size;
    struct range *next;
} range;

typedef struct handle {
    CUmemGenericAllocationHandle number;
    int device;
    size_t size;
    char *mapped; /* NULL: nowhere */
    bool released;
    struct handle *next;
} handle;

static range *ranges;
static handle *handles;

static char *at(CUdeviceptr p)
{
    return (char *)(uintptr_t)p;
}

/* ---- accesses to what is not mapped ---- */
static struct sigaction others;

/* No lock: the thread may have it. */
static void report(int number, siginfo_t *info, void *context)
{
    char text[160];
    (void)context;
    for (const range *r = ranges; r; r = r->next)
        if ((char *)info->si_addr >= r->begin && (char *)info->si_addr < r->begin + r->size) {
            int n = snprintf(text, sizeof text, "cudasim: an access to %p, where no memory is mapped (%p + %zu)\n",
                             info->si_addr, (void *)r->begin, (size_t)((char *)info->si_addr - r->begin));
            n = (int)write(2, text, (size_t)n);
        }
    sigaction(number, &others, NULL); /* it happens once more */
}

static void watch(void)
{
    static bool watched;
    struct sigaction action = {.sa_sigaction = report, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (!watched)
        sigaction(SIGSEGV, &action, &others);
    watched = true;
}

/* ---- addresses ---- */
static bool is_reserved(const char *memory, size_t size)
{
    const range *r = ranges;
    while (r && (memory < r->begin || memory + size > r->begin + r->size))
        r = r->next;
    return r != NULL;
}

static bool fits(CUdeviceptr p, size_t size)
{
    return size && size % GRANULE == 0 && p % GRANULE == 0;
}

API cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *p, unsigned option)
{
    BEGIN(cuMemGetAllocationGranularity);
    if (p->type != CU_MEM_ALLOCATION_TYPE_PINNED || p->location.type != CU_MEM_LOCATION_TYPE_DEVICE || option > 1)
        return cudasim_leave(INVALID_VALUE);
    *granularity = GRANULE;
    return cudasim_leave(CUDA_SUCCESS);
}

API cuMemAddressReserve(CUdeviceptr *out, size_t size, size_t alignment, CUdeviceptr wish, unsigned long long flags)
{
    BEGIN(cuMemAddressReserve);
    if (!fits(0, size) || (alignment & (alignment - 1)) || alignment > GRANULE || wish || flags)
        return cudasim_leave(INVALID_VALUE);
    range *r = malloc(sizeof *r);
    char *all =
        r ? mmap(NULL, size + GRANULE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) : MAP_FAILED;
    if (all == MAP_FAILED) {
        free(r);
        return cudasim_leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    char *begin = all + (GRANULE - (uintptr_t)all % GRANULE) % GRANULE;
    if (begin > all)
        munmap(all, (size_t)(begin - all));
    munmap(begin + size, (size_t)(all + GRANULE - begin));
    *r = (range){begin, size, ranges};
    ranges = r;
    watch();
    *out = (uintptr_t)begin;
    return cudasim_leave(CUDA_SUCCESS);
}

/* ---- memory ---- */
size_t cudasim_created(int device)
{
    size_t bytes = 0;
    for (const handle *h = handles; h; h = h->next)
        bytes += h->device == device ? h->size : 0;
    return bytes;
}

static void drop_if_unused(handle *h)
{
    handle **link = &handles;
    if (!h->released || h->mapped)
        return;
    while (*link != h)
        link = &(*link)->next;
    *link = h->next;
    free(h);
}

static handle *handle_of(CUmemGenericAllocationHandle number)
{
    handle *h = handles;
    while (h && (h->number != number || h->released))
        h = h->next;
    return h;
}

API cuMemCreate(CUmemGenericAllocationHandle *out, size_t size, const CUmemAllocationProp *p, unsigned long long flags)
{
    static CUmemGenericAllocationHandle last;
    BEGIN(cuMemCreate);
    if (!fits(0, size) || p->type != CU_MEM_ALLOCATION_TYPE_PINNED || p->requestedHandleTypes || p->win32HandleMetaData
        || p->location.type != CU_MEM_LOCATION_TYPE_DEVICE || p->location.id < 0 || p->location.id >= DEVICES || flags)
        return cudasim_leave(INVALID_VALUE);
    handle *h = cudasim_has_room(p->location.id, size) ? malloc(sizeof *h) : NULL;
    if (!h)
        return cudasim_leave(CUDA_ERROR_OUT_OF_MEMORY);
    *h = (handle){.number = ++last, .device = p->location.id, .size = size, .next = handles};
    handles = h;
    *out = h->number;
    return cudasim_leave(CUDA_SUCCESS);
}

API cuMemRelease(CUmemGenericAllocationHandle number)
{
    BEGIN(cuMemRelease);
    handle *h = handle_of(number);
    if (!h)
        return cudasim_leave(INVALID_VALUE);
    h->released = true;
    drop_if_unused(h);
    return cudasim_leave(CUDA_SUCCESS);
}

API cuMemMap(CUdeviceptr p, size_t size, size_t offset, CUmemGenericAllocationHandle number, unsigned long long flags)
{
    BEGIN(cuMemMap);
    handle *h = handle_of(number);
    if (!fits(p, size) || !h || h->mapped || h->size != size || offset || flags || !is_reserved(at(p), size)
        || !cudasim_is_free(at(p), size))
        return cudasim_leave(INVALID_VALUE);
    if (!cudasim_add_mapped(h->device, at(p), size))
        return cudasim_leave(CUDA_ERROR_OUT_OF_MEMORY);
    h->mapped = at(p);
    return cudasim_leave(CUDA_SUCCESS);
}

/* Whether these bytes are pieces as they were mapped, and all of these. */
static bool is_mapped(const char *memory, size_t size)
{
    size_t piece = 1, left = size;
    while (left && piece && (piece = cudasim_mapped_at(memory)) && piece <= left) {
        memory += piece;
        left -= piece;
    }
    return !left;
}

API cuMemUnmap(CUdeviceptr p, size_t size)
{
    BEGIN(cuMemUnmap);
    if (!fits(p, size) || !is_mapped(at(p), size))
        return cudasim_leave(INVALID_VALUE);
    for (char *piece = at(p), *end = piece + size; piece < end;) {
        handle *h = handles;
        while (h->mapped != piece)
            h = h->next;
        size_t bytes = h->size;
        cudasim_remove_mapped(piece);
        mmap(piece, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        h->mapped = NULL;
        drop_if_unused(h);
        piece += bytes;
    }
    return cudasim_leave(CUDA_SUCCESS);
}

/* Memory is poisoned when its device first gets access. */
API cuMemSetAccess(CUdeviceptr p, size_t size, const CUmemAccessDesc *access, size_t count)
{
    BEGIN(cuMemSetAccess);
    unsigned users = 0;
    for (size_t i = 0; i < count; i++) {
        if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || access[i].location.id < 0
            || access[i].location.id >= DEVICES || access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return cudasim_leave(INVALID_VALUE);
        users |= 1U << access[i].location.id;
    }
    if (!users || !fits(p, size) || !is_mapped(at(p), size))
        return cudasim_leave(INVALID_VALUE);
    for (char *piece = at(p), *end = piece + size; piece < end; piece += cudasim_mapped_at(piece))
        if (cudasim_allow(piece, users)) {
            mprotect(piece, cudasim_mapped_at(piece), PROT_READ | PROT_WRITE);
            memset(piece, 0xfb, cudasim_mapped_at(piece));
        }
    return cudasim_leave(CUDA_SUCCESS);
}
