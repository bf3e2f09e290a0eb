/* Launches. Parameters stay with a kernel: those that are as they were last are not set again. */
#include "backend/gpu/opencl/opencl.h"
#include <string.h>

typedef fa__opencl_kernel kernel;

/* Whether a parameter has that value already; if not, it is going to. */
static bool is_set(kernel *k, cl_uint at, uint64_t value)
{
    bool set = k->known >> at & 1 && k->parameter[at] == value;
    k->parameter[at] = value;
    k->known |= UINT64_C(1) << at;
    return set;
}

static bool set(const fa__device *d, kernel *k, cl_uint at, size_t size, const void *value)
{
    if (FA__OPENCL_TRY(d, clSetKernelArg, k->kernel, at, size, value))
        return true;
    k->known = 0;
    return false;
}

static bool set_value(const fa__device *d, kernel *k, cl_uint *at, size_t size, const void *value)
{
    uint64_t bits = 0;
    cl_uint i = (*at)++;
    if (size > sizeof bits)
        return set(d, k, i, size, value);
    memcpy(&bits, value, size);
    return is_set(k, i, bits) || set(d, k, i, size, value);
}

/* A buffer, and bytes from its beginning. `none` stands for what has no elements, and is not looked at. */
static bool set_memory(const fa__device *d, kernel *k, cl_uint *at, const void *address, const void *none)
{
    size_t offset = 0;
    cl_uint i = *at;
    *at += 2;
    address = address ? address : none;
    if (is_set(k, i, (uintptr_t)address))
        return true;
    cl_mem buffer = fa__opencl_find(d, address, &offset);
    int64_t bytes = (int64_t)offset;
    if (buffer && set(d, k, i, sizeof buffer, &buffer) && set(d, k, i + 1, sizeof bytes, &bytes))
        return true;
    k->known = 0;
    return false;
}

/* The fault word is the beginning of a buffer. */
static bool set_fault(const fa__device *d, kernel *k, const void *fault, bool careful, cl_uint *at)
{
    const cl_int looks = careful;
    size_t offset;
    cl_mem buffer = NULL;
    *at = 1;
    if (!is_set(k, 0, (uintptr_t)fault)
        && (!(buffer = fa__opencl_find(d, fault, &offset)) || !set(d, k, 0, sizeof buffer, &buffer))) {
        k->known = 0;
        return false;
    }
    return set_value(d, k, at, sizeof looks, &looks);
}

bool fa__opencl_launch(fa__device *d, void *queue, const fa__gpu_kernel *kernel_, const uint64_t groups[3], void *fault,
                       bool careful, const fa__gpu_arg *args, int count)
{
    kernel *k = kernel_->handle;
    uint64_t releases = atomic_load(&fa__opencl_releases);
    cl_uint at = 0;
    if (k->releases != releases)
        k->known = 0;
    k->releases = releases;
    bool good = set_fault(d, k, fault, careful, &at);
    for (int i = 0; good && i < count; i++)
        good = args[i].size ? set_value(d, k, &at, args[i].size, args[i].data)
                            : set_memory(d, k, &at, args[i].data, fault);
    const size_t local[3] = {kernel_->group[0], kernel_->group[1], 1};
    const size_t global[3] = {(size_t)groups[0] * local[0], (size_t)groups[1] * local[1], (size_t)groups[2]};
    return good && FA__OPENCL_TRY(d, clEnqueueNDRangeKernel, queue, k->kernel, 3, NULL, global, local, 0, NULL, NULL);
}

bool fa__opencl_first(void *handle)
{
    kernel *k = handle;
    bool first = !k->launched;
    k->launched = true;
    return first;
}
