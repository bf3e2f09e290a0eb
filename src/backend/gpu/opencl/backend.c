/* The two tables of the OpenCL backend: for the house, and for the code that all kinds of GPU share. */
#include "backend/gpu/gpu.h"
#include "backend/gpu/opencl/opencl.h"
#include "kernels_gpu.h"

extern const char fa__embed_opencl_h[]; /* ends with a 0 */

static bool open_device(fa__device *d)
{
    return fa__gpu_open(d, &fa__opencl_driver);
}

const fa__gpu_driver fa__opencl_driver = {
    .name = "OpenCL",
    .prelude = fa__embed_opencl_h,
    .options = fa__opencl_options,
    .stuck = CL_OUT_OF_RESOURCES,
    .behind = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
    .error_name = fa__opencl_error_name,
    .open = fa__opencl_open,
    .close = fa__opencl_close,
    .allocate = fa__opencl_allocate,
    .release = fa__opencl_release,
    .pinned = fa__opencl_pinned,
    .pinned_free = fa__opencl_pinned_free,
    .queue_new = fa__opencl_queue_new,
    .queue_free = fa__opencl_queue_free,
    .flush = fa__opencl_flush,
    .finish = fa__opencl_finish,
    .copy = fa__opencl_copy,
    .launch = fa__opencl_launch,
    .segment = fa__opencl_segment,
    .record = fa__opencl_record,
    .follow = fa__opencl_follow,
    .poll = fa__opencl_poll,
    .wait = fa__opencl_wait,
    .event_free = fa__opencl_event_free,
    .times = fa__opencl_times,
    .build = fa__opencl_build,
    .load = fa__opencl_load_binary,
    .binary = fa__opencl_binary,
    .kernel_free = fa__opencl_kernel_free,
    .library = &fa__opencl_clblast,
};

const fa__backend fa__backend_opencl = {
    .name = "opencl",
    .kind = FA__OPENCL,
    .count = fa__opencl_count,
    .gpus = fa__opencl_gpus,
    .why = fa__opencl_why,
    .open = open_device,
    .properties = fa__opencl_properties,
    .overrides = fa__opencl_overrides,
    FA__GPU_BACKEND,
};
