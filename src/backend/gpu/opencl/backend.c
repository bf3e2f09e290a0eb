/* The two tables of the OpenCL backend: for the house, and for the code that all kinds of GPU share. */
#include "backend/gpu/gpu.h"
#include "backend/gpu/opencl/opencl.h"
#include "kernels_gpu.h"

extern const char fa__embed_opencl_h[]; /* ends with a 0 */

static bool open_device(fa__device *d)
{
    return fa__gpu_open(d, &fa__opencl_driver);
}

#define ENTRY(type, name, parameters) .name = fa__opencl_##name,
const fa__gpu_driver fa__opencl_driver = {.name = "OpenCL",
                                          .prelude = fa__embed_opencl_h,
                                          .options = fa__opencl_options,
                                          .stuck = CL_OUT_OF_RESOURCES,
                                          .behind = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                                          .segment = fa__opencl_segment,
                                          .library = &fa__opencl_clblast,
                                          FA__GPU_DRIVER_CALLS(ENTRY)};

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
