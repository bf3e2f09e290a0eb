/* The two tables of the OpenCL backend: for the house, and for the code that all kinds of GPU share. */
#include "backend/gpu/gpu.h"
#include "backend/gpu/opencl/opencl.h"
#include "kernels_gpu.h"

extern const char fa__embed_opencl_h[]; /* ends with a 0 */

const fa__gpu_driver fa__opencl_driver = {
    .prelude = fa__embed_opencl_h,
    .options = fa__opencl_options,
    .identity = fa__opencl_identity,
    .build = fa__opencl_build,
    .load = fa__opencl_load_binary,
    .binary = fa__opencl_binary,
    .kernel_free = fa__opencl_kernel_free,
    .launch = fa__opencl_launch,
    .scratch = fa__opencl_scratch,
    .upload = fa__opencl_upload,
    .segment = fa__opencl_segment,
};

const fa__backend fa__backend_opencl = {
    .name = "opencl",
    .kind = FA__OPENCL,
    .count = fa__opencl_count,
    .gpus = fa__opencl_gpus,
    .why = fa__opencl_why,
    .gone = fa__opencl_gone_why,
    .open = fa__opencl_open,
    .close = fa__opencl_close,
    .properties = fa__opencl_properties,
    .allocate = fa__opencl_allocate,
    .release = fa__opencl_release,
    .queue_new = fa__opencl_queue_new,
    .queue_free = fa__opencl_queue_free,
    .wait = fa__opencl_wait,
    .after = fa__opencl_after,
    .mark = fa__opencl_mark,
    .copy = fa__opencl_copy,
    .has_kernel = fa__gpu_has_kernel,
    .prepare = fa__gpu_prepare,
    .discard = fa__gpu_discard,
    .run = fa__opencl_run,
    .run_list = fa__opencl_run_list,
    .overrides = fa__opencl_overrides,
};
