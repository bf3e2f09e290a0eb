/* Memory that grows, by the driver's virtual memory: addresses, memory that is mapped there (backend/gpu/range.c
 * decides where), and who may use it. */
#include "backend/gpu/cuda/cuda.h"
#include <stdlib.h>
#include <string.h>

void *fa__cuda_reserve(fa__device *d, size_t size)
{
    fa__cuda_device *o = fa__cuda_own(d);
    CUdeviceptr begin = 0;
    CUresult status = FA__CUDA(o, cuMemAddressReserve, &begin, size, o->gpu.ranges.granule, 0, 0);
    return status == CUDA_SUCCESS ? (void *)(uintptr_t)begin : NULL;
}

bool fa__cuda_unmap(fa__device *d, void *at, size_t size)
{
    return FA__CUDA(fa__cuda_own(d), cuMemUnmap, (uintptr_t)at, size) == CUDA_SUCCESS;
}

/* The driver keeps memory as long as it is mapped. */
bool fa__cuda_map(fa__device *d, void *at, size_t size)
{
    fa__cuda_device *o = fa__cuda_own(d);
    const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = o->access[0].location};
    CUmemGenericAllocationHandle handle = 0;
    if (FA__CUDA(o, cuMemCreate, &handle, size, &prop, 0))
        return false;
    bool mapped = FA__CUDA(o, cuMemMap, (uintptr_t)at, size, 0, handle, 0) == CUDA_SUCCESS;
    FA__CUDA(o, cuMemRelease, handle);
    if (!mapped || !FA__CUDA(o, cuMemSetAccess, (uintptr_t)at, size, o->access, o->accesses))
        return mapped;
    fa__cuda_unmap(d, at, size);
    return false;
}

void fa__cuda_virtual_share(fa__cuda_device *o, const fa__cuda_device *peer)
{
    const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, peer->id}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    pthread_mutex_lock(&o->gpu.ranges.lock);
    bool known = false;
    for (size_t i = 0; i < o->accesses; i++)
        known |= o->access[i].location.id == peer->id;
    for (const fa__gpu_range *r = known ? NULL : o->gpu.ranges.first; r; r = r->next)
        for (size_t i = 0; i < r->top; i++)
            if (r->piece[i])
                FA__CUDA(o, cuMemSetAccess, fa__gpu_range_at(r, i), r->piece[i] * r->granule, &access, 1);
    if (!known)
        o->access[o->accesses++] = access;
    pthread_mutex_unlock(&o->gpu.ranges.lock);
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
    size_t granule = 0, memory = 0;
    if (can && !FA__CUDA(o, cuMemGetAllocationGranularity, &granule, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM))
        o->gpu.ranges.granule = granule;
    fa__cuda.cuDeviceTotalMem_v2(&memory, o->id);
    o->gpu.ranges.size = 2 * memory; /* of a range, as there will be gaps */
    fa__cuda_virtual_share(o, o);
}
