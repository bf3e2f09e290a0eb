/* Memory of the device, and pinned memory of the host. Addresses are CUDA's own. */
#include "backend/gpu/cuda/cuda.h"

void *fa__cuda_allocate(fa__device *d, size_t size)
{
    CUdeviceptr memory = 0;
    CUresult status = FA__CUDA(fa__cuda_own(d), cuMemAlloc_v2, &memory, size);
    if (status == CUDA_ERROR_OUT_OF_MEMORY || !fa__cuda_good(d, status, "cuMemAlloc_v2"))
        return NULL;
    return (void *)(uintptr_t)memory;
}

void fa__cuda_release(fa__device *d, void *memory, size_t size)
{
    (void)size;
    FA__CUDA(fa__cuda_own(d), cuMemFree_v2, (uintptr_t)memory);
}

void *fa__cuda_pinned(fa__device *d, void *queue, size_t size, void **handle)
{
    (void)queue;
    void *host = NULL;
    if (!FA__CUDA_TRY(d, cuMemHostAlloc, &host, size, CU_MEMHOSTALLOC_PORTABLE))
        return NULL;
    return *handle = host;
}

void fa__cuda_pinned_free(fa__device *d, void *queue, void *host, void *handle)
{
    (void)queue, (void)handle;
    FA__CUDA(fa__cuda_own(d), cuMemFreeHost, host);
}

/* The simulator of our tests asks for it (tests/cudasim/races.c); no driver does. */
void fa__cuda_host(const void *memory, size_t bytes, bool write)
{
    if (fa__cuda.cudasim_host)
        fa__cuda.cudasim_host(memory, bytes, write);
}
