/* Kernels: from source, from compiled bytes, to compiled bytes. */
#include "backend/gpu/opencl/opencl.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"
#include <string.h>

const char fa__opencl_options[] = "-cl-std=CL1.2 -Werror";
/* For drivers that refuse the last of the options above. */
static const char fewer_options[] = "-cl-std=CL1.2";
static const char correct_option[] = " -cl-fp32-correctly-rounded-divide-sqrt";

static cl_int build_with(const fa__opencl_device *o, cl_program program, const char *options)
{
    char all[128];
    snprintf(all, sizeof all, "%s%s", options, o->correct ? correct_option : "");
    return fa__opencl.clBuildProgram(program, 1, &o->id, all, NULL, NULL);
}

static cl_int build(const fa__device *d, cl_program program)
{
    const fa__opencl_device *o = fa__opencl_own(d);
    cl_int status = build_with(o, program, fa__opencl_options);
    return status == CL_INVALID_BUILD_OPTIONS ? build_with(o, program, fewer_options) : status;
}

/* ---- what the compiler says ---- */
/* To be freed; NULL when there is nothing. */
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

/* The message has its first lines, from the first error on; the program's log all of them. */
static void tell(const fa__device *d, const char *entry, cl_int status, char *log)
{
    char *error = log ? strstr(log, "error") : NULL;
    while (error && error > log && error[-1] != '\n')
        error--;
    fa__fail(status == CL_OUT_OF_HOST_MEMORY ? FA_ERROR_MEMORY : FA_ERROR_DEVICE,
             "%s: kernel %s was not built: %s (%d): %.300s", d->name, entry, fa__opencl_error_name(status), (int)status,
             error ? error
             : log ? log
                   : "the compiler says nothing");
    for (char *line = log, *end; line && *line; line = end) {
        end = line + strcspn(line, "\n");
        fa__log(FA_LOG_ERROR, "%s: kernel %s: %.*s", d->name, entry, (int)(end - line), line);
        end += *end != 0;
    }
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

void *fa__opencl_build(fa__device *d, const char *source, const char *entry)
{
    const fa__opencl_device *o = fa__opencl_own(d);
    cl_int status = CL_SUCCESS;
    cl_program program = fa__opencl.clCreateProgramWithSource(o->platform->context, 1, &source, NULL, &status);
    if (!fa__opencl_good(d, status, "clCreateProgramWithSource"))
        return NULL;
    status = build(d, program);
    if (status != CL_SUCCESS) {
        char *log = log_of(o, program);
        tell(d, entry, status, log);
        fa__aligned_free(log);
        fa__opencl.clReleaseProgram(program);
        return NULL;
    }
    fa__opencl_kernel *k = kernel_of(program, entry, &status);
    if (!k && fa__opencl_good(d, status, "clCreateKernel"))
        fa__fail(FA_ERROR_INTERNAL, "%s: there is no kernel %s", d->name, entry);
    return k;
}

/* Where the driver is gone, kernels are kept. */
static bool keep(fa__opencl_kernel *k)
{
    static _Atomic(fa__opencl_kernel *) kept;
    if (fa__gpu_gone)
        k->next = atomic_exchange(&kept, k);
    return fa__gpu_gone != NULL;
}

void fa__opencl_kernel_free(fa__device *d, void *handle)
{
    fa__opencl_kernel *k = handle;
    (void)d;
    if (!k || keep(k))
        return;
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
    if (taken != CL_SUCCESS || build(d, program) != CL_SUCCESS) {
        fa__opencl.clReleaseProgram(program);
        return NULL;
    }
    return kernel_of(program, entry, &status);
}

/* A program belongs to all devices of its platform, but was built for one: only that one has bytes. Which place is its
 * own is not asked: drivers do not agree about it. */
void *fa__opencl_binary(fa__device *d, void *handle, size_t *size)
{
    const fa__opencl_kernel *k = handle;
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
