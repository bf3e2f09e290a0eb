/* The two tables of the CUDA backend: for the house, and for the code that all kinds of GPU share. */
#include "backend/gpu/cuda/cuda.h"
#include "kernels_gpu.h"

extern const char fa__embed_cuda_h[], fa__embed_cuda_tensor_h[]; /* end with a 0 */

static bool open_device(fa__device *d)
{
    return fa__gpu_open(d, &fa__cuda_driver);
}

const fa__gpu_driver fa__cuda_driver = {
    .name = "CUDA",
    .prelude = fa__embed_cuda_h,
    .tensor = fa__embed_cuda_tensor_h,
    .options = fa__cuda_options,
    .peers = true,
    .stuck = -CUDA_ERROR_UNKNOWN,
    .behind = FA__GPU_DONE, /* there is none: a failure is that of one context */
    .error_name = fa__cuda_error_name,
    .open = fa__cuda_open,
    .close = fa__cuda_close,
    .allocate = fa__cuda_allocate,
    .release = fa__cuda_release,
    .extend = fa__cuda_extend,
    .part = fa__cuda_part,
    .pinned = fa__cuda_pinned,
    .pinned_free = fa__cuda_pinned_free,
    .host = fa__cuda_host,
    .queue_new = fa__cuda_queue_new,
    .queue_free = fa__cuda_queue_free,
    .flush = fa__cuda_flush,
    .finish = fa__cuda_finish,
    .copy = fa__cuda_copy,
    .launch = fa__cuda_launch,
    .record = fa__cuda_record,
    .follow = fa__cuda_follow,
    .poll = fa__cuda_poll,
    .wait = fa__cuda_wait,
    .event_free = fa__cuda_event_free,
    .times = fa__cuda_times,
    .native = fa__cuda_native,
    .adopt = fa__cuda_adopt,
    .capture = fa__cuda_capture,
    .capture_end = fa__cuda_capture_end,
    .captured = fa__cuda_captured,
    .graph_change = fa__cuda_graph_change,
    .graph_launch = fa__cuda_graph_launch,
    .graph_free = fa__cuda_graph_free,
    .build = fa__cuda_build,
    .load = fa__cuda_load_binary,
    .binary = fa__cuda_binary,
    .kernel_free = fa__cuda_kernel_free,
    .library = &fa__cuda_cublaslt,
};

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
