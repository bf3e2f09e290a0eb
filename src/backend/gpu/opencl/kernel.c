/* Launches. A kernel keeps its arguments: those that are as they were at its last launch are not set again. */
#include "backend/gpu/opencl/opencl.h"
#include <string.h>

typedef fa__opencl_kernel kernel;

/* Sets the next argument. One that has no room in `last` is set each time. */
static bool set(const fa__device *d, kernel *k, const void *value, size_t size)
{
    const cl_uint i = k->next_argument++;
    const size_t at = k->next_byte;
    k->next_byte += size;
    if (k->known >> i & 1 && !memcmp(k->last + at, value, size))
        return true;
    if (!FA__OPENCL_TRY(d, clSetKernelArg, k->kernel, i, size, value))
        return false;
    if (at + size <= sizeof k->last) {
        memcpy(k->last + at, value, size);
        k->known |= UINT64_C(1) << i;
    }
    return true;
}

/* A buffer and, unless the address is the beginning of one, the bytes from its beginning. Buffers are looked up where
 * the address is not that of the last launch. */
static bool set_memory(const fa__device *d, kernel *k, const void *address, bool with_offset)
{
    const cl_uint i = k->next_argument;
    size_t offset = 0;
    if (k->known >> i & 1 && k->address[i] == address) {
        k->next_argument += with_offset ? 2 : 1;
        k->next_byte += sizeof(cl_mem) + (with_offset ? sizeof(int64_t) : 0);
        return true;
    }
    cl_mem buffer = fa__opencl_find(d, address, &offset);
    const int64_t bytes = (int64_t)offset;
    k->address[i] = address;
    return buffer && set(d, k, &buffer, sizeof buffer) && (!with_offset || set(d, k, &bytes, sizeof bytes));
}

/* `none`, the fault word's address, stands for memory without elements, which kernels do not look at. */
static bool set_arguments(const fa__device *d, kernel *k, const void *none, bool careful, const fa__gpu_arg *args,
                          int count)
{
    const cl_int looks = careful;
    bool good = set_memory(d, k, none, false) && set(d, k, &looks, sizeof looks);
    for (int i = 0; good && i < count; i++)
        good = args[i].size ? set(d, k, args[i].data, args[i].size)
                            : set_memory(d, k, args[i].data ? args[i].data : none, true);
    return good;
}

bool fa__opencl_launch(fa__device *d, void *queue, const fa__gpu_kernel *kernel_, const uint64_t groups[3], void *fault,
                       bool careful, const fa__gpu_arg *args, int count)
{
    kernel *k = kernel_->handle;
    uint64_t releases = atomic_load(&fa__opencl_releases);
    if (k->releases != releases)
        k->known = 0;
    k->releases = releases;
    k->next_argument = 0;
    k->next_byte = 0;
    if (!set_arguments(d, k, fault, careful, args, count)) {
        k->known = 0;
        return false;
    }
    const size_t local[3] = {kernel_->group[0], kernel_->group[1], 1};
    const size_t global[3] = {(size_t)groups[0] * local[0], (size_t)groups[1] * local[1], (size_t)groups[2]};
    return FA__OPENCL_TRY(d, clEnqueueNDRangeKernel, queue, k->kernel, 3, NULL, global, local, 0, NULL, NULL);
}
