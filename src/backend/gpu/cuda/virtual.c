/* Memory that grows, by the driver's virtual memory: ranges of addresses, into which memory is mapped in pieces, each
 * behind the last one. Any piece can be given back; only those at the end leave addresses that are used again. What
 * fails is no error: memory is allocated instead. */
#include "backend/gpu/cuda/cuda.h"
#include "base/alloc.h"
#include <stdlib.h>
#include <string.h>

enum { PIECE = 10 /* granules of a piece, at most */ };

/* One of twice the device's memory, as there will be gaps. */
static fa__gpu_range *range_new(fa__cuda_device *o, bool small, size_t least)
{
    size_t memory = 0;
    CUdeviceptr begin = 0;
    fa__cuda.cuDeviceTotalMem_v2(&memory, o->id);
    size_t count = 2 * memory / o->granule > least ? 2 * memory / o->granule : least;
    size_t bytes = sizeof(fa__gpu_range) + count;
    fa__gpu_range *r = fa__inject_now(bytes) ? NULL : fa__raw(sizeof(void *), bytes);
    if (!r || FA__CUDA(o, cuMemAddressReserve, &begin, count * o->granule, o->granule, 0, 0)) {
        fa__aligned_free(r);
        return NULL;
    }
    memset(r, 0, bytes);
    *r = (fa__gpu_range){o->ranges, .begin = (uintptr_t)begin, .granule = o->granule, .count = count, .small = small};
    return o->ranges = r;
}

/* The driver keeps memory as long as it is mapped. */
static bool add_piece(fa__cuda_device *o, fa__gpu_range *r, size_t count)
{
    const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = o->access[0].location};
    CUmemGenericAllocationHandle handle = 0;
    size_t bytes = count * o->granule;
    if (FA__CUDA(o, cuMemCreate, &handle, bytes, &prop, 0))
        return false;
    bool mapped = FA__CUDA(o, cuMemMap, fa__gpu_range_at(r, r->top), bytes, 0, handle, 0) == CUDA_SUCCESS;
    FA__CUDA(o, cuMemRelease, handle);
    if (mapped)
        fa__gpu_range_add(r, count);
    return mapped;
}

static void remove_pieces(fa__cuda_device *o, fa__gpu_range *r, size_t from, size_t to)
{
    while (from < to) {
        uintptr_t begin = fa__gpu_range_at(r, from);
        size_t count = fa__gpu_range_remove(r, from);
        r->stuck |= FA__CUDA(o, cuMemUnmap, begin, count * o->granule) != CUDA_SUCCESS;
        from += count;
    }
}

static bool add_pieces(fa__cuda_device *o, fa__gpu_range *r, size_t count)
{
    size_t from = r->top, end = from + count;
    while (r->top < end && add_piece(o, r, end - r->top < PIECE ? end - r->top : PIECE))
        ;
    if (r->top == end
        && !FA__CUDA(o, cuMemSetAccess, fa__gpu_range_at(r, from), count * o->granule, o->access, o->accesses))
        return true;
    remove_pieces(o, r, from, r->top);
    return false;
}

void *fa__cuda_extend(fa__device *d, bool small, void *end, size_t size)
{
    fa__cuda_device *o = fa__cuda_own(d);
    pthread_mutex_lock(&o->mapping);
    bool possible = o->granule && size % o->granule == 0;
    size_t count = possible ? size / o->granule : 0;
    fa__gpu_range *r = possible ? fa__gpu_range_with_room(o->ranges, small, end, count) : NULL;
    if (possible && !r && !end)
        r = range_new(o, small, count);
    uintptr_t begin = r ? fa__gpu_range_at(r, r->top) : 0;
    bool good = r && add_pieces(o, r, count);
    pthread_mutex_unlock(&o->mapping);
    return good ? (void *)begin : NULL;
}

size_t fa__cuda_part(fa__device *d, void **memory, size_t size)
{
    fa__cuda_device *o = fa__cuda_own(d);
    pthread_mutex_lock(&o->mapping);
    const fa__gpu_range *r = fa__gpu_range_of(o->ranges, *memory);
    size_t bytes = r ? fa__gpu_range_part(r, memory, size) : 0;
    pthread_mutex_unlock(&o->mapping);
    return bytes;
}

bool fa__cuda_unmap(fa__cuda_device *o, void *memory, size_t size)
{
    pthread_mutex_lock(&o->mapping);
    fa__gpu_range *r = fa__gpu_range_of(o->ranges, memory);
    size_t from = r ? ((uintptr_t)memory - r->begin) / o->granule : 0;
    if (r)
        remove_pieces(o, r, from, from + size / o->granule);
    pthread_mutex_unlock(&o->mapping);
    return r != NULL;
}

void fa__cuda_virtual_share(fa__cuda_device *o, const fa__cuda_device *peer)
{
    const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, peer->id}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    pthread_mutex_lock(&o->mapping);
    bool known = false;
    for (size_t i = 0; i < o->accesses; i++)
        known |= o->access[i].location.id == peer->id;
    for (const fa__gpu_range *r = known ? NULL : o->ranges; r; r = r->next)
        for (size_t i = 0; i < r->top; i++)
            if (r->piece[i])
                FA__CUDA(o, cuMemSetAccess, fa__gpu_range_at(r, i), r->piece[i] * o->granule, &access, 1);
    if (!known)
        o->access[o->accesses++] = access;
    pthread_mutex_unlock(&o->mapping);
}

void fa__cuda_virtual_open(fa__cuda_device *o)
{
    const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {CU_MEM_LOCATION_TYPE_DEVICE, o->id}};
    const char *setting = getenv("FACULA_CUDA_EXPANDABLE");
    bool there = !setting || strcmp(setting, "0") != 0;
    int can = 0;
#define IS_THERE(name, parameters) there &= fa__cuda.name != NULL;
    FA__CUDA_VIRTUAL_FUNCTIONS(IS_THERE)
    if (there)
        fa__cuda.cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, o->id);
    size_t granule = 0;
    if (can && !FA__CUDA(o, cuMemGetAllocationGranularity, &granule, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM))
        o->granule = granule;
    fa__cuda_virtual_share(o, o);
}
