/* The two tables of the CUDA backend: for the house, and for the code that all kinds of GPU share. */
#include "backend/gpu/cuda/cuda.h"
#include "kernels_gpu.h"

extern const char fa__embed_cuda_h[], fa__embed_cuda_tensor_h[]; /* end with a 0 */

static bool open_device(fa__device *d)
{
    return fa__gpu_open(d, &fa__cuda_driver);
}

#define ENTRY(type, name, parameters) .name = fa__cuda_##name,
const fa__gpu_driver fa__cuda_driver = {.name = "CUDA",
                                        .prelude = fa__embed_cuda_h,
                                        .tensor = fa__embed_cuda_tensor_h,
                                        .options = fa__cuda_options,
                                        .peers = true,
                                        .stuck = -CUDA_ERROR_UNKNOWN,
                                        .behind = FA__GPU_DONE, /* there is none: a failure is that of one context */
                                        .library = &fa__cuda_cublaslt,
                                        FA__GPU_DRIVER_CALLS(ENTRY) FA__GPU_DRIVER_EXTRAS(ENTRY)};

const fa__backend fa__backend_cuda = {
    .name = "cuda",
    .kind = FA__CUDA,
    .count = fa__cuda_count,
    .gpus = fa__cuda_count,
    .why = fa__cuda_why,
    .open = open_device,
    .properties = fa__cuda_properties,
    .overrides = fa__cuda_overrides,
    FA__GPU_BACKEND,
};
