/* Kernels: from source, from compiled bytes, to compiled bytes. */
#include "backend/gpu/opencl/opencl.h"
#include "base/alloc.h"
#include "base/error.h"

const char fa__opencl_options[] = "-cl-std=CL1.2 -Werror";

/* Again without -Werror for drivers that refuse it. */
static cl_int build(const fa__opencl_device *o, cl_program program)
{
    cl_int status = CL_INVALID_BUILD_OPTIONS;
    for (int fewer = 0; fewer < 2 && status == CL_INVALID_BUILD_OPTIONS; fewer++) {
        char options[128];
        snprintf(options, sizeof options, "%s%s", fewer ? "-cl-std=CL1.2" : fa__opencl_options,
                 o->correct ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
        status = fa__opencl.clBuildProgram(program, 1, &o->id, options, NULL, NULL);
    }
    return status;
}

/* The compiler's log. To be freed; NULL when there is nothing. */
static char *log_of(const fa__opencl_device *o, cl_program program)
{
    size_t size = 0;
    if (fa__opencl.clGetProgramBuildInfo(program, o->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) || size < 2)
        return NULL;
    char *log = fa__raw(16, size + 1);
    if (log && fa__opencl.clGetProgramBuildInfo(program, o->id, CL_PROGRAM_BUILD_LOG, size, log, NULL)) {
        fa__aligned_free(log);
        return NULL;
    }
    if (log)
        log[size] = 0;
    return log;
}

/* ---- building ---- */
/* Takes over the program, and releases it after an error. */
static fa__opencl_kernel *kernel_of(cl_program program, const char *entry, cl_int *status)
{
    fa__opencl_kernel *k = fa__malloc(sizeof *k);
    *status = CL_OUT_OF_HOST_MEMORY;
    if (k)
        *k = (fa__opencl_kernel){.program = program, .kernel = fa__opencl.clCreateKernel(program, entry, status)};
    if (k && *status == CL_SUCCESS)
        return k;
    fa__opencl.clReleaseProgram(program);
    fa__free(k);
    return NULL;
}

/* A program belongs to all devices of its platform, but was built for one: only that one has bytes. Which place is its
 * own is not asked: drivers do not agree about it. */
static void *bytes_of(const fa__device *d, const fa__opencl_kernel *k, size_t *size)
{
    size_t sizes[FA__OPENCL_DEVICES] = {0};
    unsigned char *binaries[FA__OPENCL_DEVICES] = {NULL}; /* those that stay NULL are not asked for */
    cl_uint count = fa__opencl_own(d)->platform->devices, place = 0;
    if (fa__opencl.clGetProgramInfo(k->program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL))
        return NULL;
    while (place < count && !sizes[place])
        place++;
    if (place == count)
        return NULL;
    *size = sizes[place];
    unsigned char *bytes = binaries[place] = fa__malloc(*size);
    if (bytes && fa__opencl.clGetProgramInfo(k->program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL)) {
        fa__free(bytes);
        return NULL;
    }
    return bytes;
}

void *fa__opencl_build(fa__device *d, const char *source, const char *entry, void **bytes, size_t *size)
{
    const fa__opencl_device *o = fa__opencl_own(d);
    cl_int status = CL_SUCCESS;
    cl_program program = fa__opencl.clCreateProgramWithSource(o->platform->context, 1, &source, NULL, &status);
    if (!fa__opencl_good(d, status, "clCreateProgramWithSource"))
        return NULL;
    status = build(o, program);
    if (status != CL_SUCCESS) {
        char *log = log_of(o, program);
        fa__gpu_build_failed(d, status == CL_OUT_OF_HOST_MEMORY ? FA_ERROR_MEMORY : FA_ERROR_DEVICE, entry, status,
                             log);
        fa__aligned_free(log);
        fa__opencl.clReleaseProgram(program);
        return NULL;
    }
    fa__opencl_kernel *k = kernel_of(program, entry, &status);
    if (!k && fa__opencl_good(d, status, "clCreateKernel"))
        fa__fail(FA_ERROR_INTERNAL, "%s: there is no kernel %s", d->name, entry);
    if (k && bytes)
        *bytes = bytes_of(d, k, size);
    return k;
}

void fa__opencl_kernel_free(fa__device *d, void *handle)
{
    fa__opencl_kernel *k = handle;
    (void)d;
    fa__opencl.clReleaseKernel(k->kernel);
    fa__opencl.clReleaseProgram(k->program);
    fa__free(k);
}

/* ---- compiled bytes ---- */
void *fa__opencl_load_binary(fa__device *d, const void *bytes, size_t size, const char *entry)
{
    const fa__opencl_device *o = fa__opencl_own(d);
    const unsigned char *binary = bytes;
    cl_int status = CL_SUCCESS, taken = CL_SUCCESS;
    if (!size)
        return NULL;
    cl_program program =
        fa__opencl.clCreateProgramWithBinary(o->platform->context, 1, &o->id, &size, &binary, &taken, &status);
    if (status != CL_SUCCESS)
        return NULL;
    if (taken != CL_SUCCESS || build(o, program) != CL_SUCCESS) {
        fa__opencl.clReleaseProgram(program);
        return NULL;
    }
    return kernel_of(program, entry, &status);
}
