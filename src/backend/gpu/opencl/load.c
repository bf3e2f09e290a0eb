/* Finding OpenCL in the process or in its library, and the names of its errors. */
#define _GNU_SOURCE
#include "backend/gpu/opencl/opencl.h"
#include "base/dynamic.h"
#include "base/error.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

fa__opencl_api fa__opencl;
bool fa__opencl_usual;

#define SYMBOL(name, parameters) {#name, &fa__opencl.name, false},
#define SYMBOL_MAKER(result, name, parameters) {#name, &fa__opencl.name, false},
static const fa__symbol symbols[] = {FA__OPENCL_FUNCTIONS(SYMBOL, SYMBOL_MAKER)};
enum { SYMBOLS = sizeof symbols / sizeof *symbols };

/* What is in the process already comes first: tools such as Oclgrind bring an OpenCL of their own. */
static bool in_process(void)
{
    void *process = dlopen(NULL, RTLD_NOW);
    bool all = process && dlsym(process, "clGetPlatformIDs");
    for (size_t i = 0; all && i < SYMBOLS; i++) {
        void *function = dlsym(process, symbols[i].name);
        memcpy(symbols[i].pointer, &function, sizeof function);
        all = function != NULL;
    }
    if (process)
        dlclose(process);
    return all;
}

/* The library stays open: its vendors' threads may outlive every device. */
bool fa__opencl_load(const char **why)
{
    static fa__library library;
    const char *name = getenv("FACULA_OPENCL_LIBRARY");
    bool named = name && *name;
    const char *const names[] = {named ? name : "libOpenCL.so.1", NULL};
    bool open = library.handle || (!named && in_process()) || fa__library_open(&library, names, symbols, SYMBOLS);
    fa__opencl_usual = library.handle && !named;
    *why = library.reason;
    return open;
}

/* ---- errors ---- */
static const struct {
    cl_int status;
    const char *name;
} errors[] = {
    {0, "CL_SUCCESS"},
    {-1, "CL_DEVICE_NOT_FOUND"},
    {-2, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, "CL_COMPILER_NOT_AVAILABLE"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, "CL_OUT_OF_RESOURCES"},
    {-6, "CL_OUT_OF_HOST_MEMORY"},
    {-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    {-8, "CL_MEM_COPY_OVERLAP"},
    {-9, "CL_IMAGE_FORMAT_MISMATCH"},
    {-10, "CL_IMAGE_FORMAT_NOT_SUPPORTED"},
    {-11, "CL_BUILD_PROGRAM_FAILURE"},
    {-12, "CL_MAP_FAILURE"},
    {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {-15, "CL_COMPILE_PROGRAM_FAILURE"},
    {-16, "CL_LINKER_NOT_AVAILABLE"},
    {-17, "CL_LINK_PROGRAM_FAILURE"},
    {-18, "CL_DEVICE_PARTITION_FAILED"},
    {-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"},
    {-30, "CL_INVALID_VALUE"},
    {-31, "CL_INVALID_DEVICE_TYPE"},
    {-32, "CL_INVALID_PLATFORM"},
    {-33, "CL_INVALID_DEVICE"},
    {-34, "CL_INVALID_CONTEXT"},
    {-35, "CL_INVALID_QUEUE_PROPERTIES"},
    {-36, "CL_INVALID_COMMAND_QUEUE"},
    {-37, "CL_INVALID_HOST_PTR"},
    {-38, "CL_INVALID_MEM_OBJECT"},
    {-42, "CL_INVALID_BINARY"},
    {-43, "CL_INVALID_BUILD_OPTIONS"},
    {-44, "CL_INVALID_PROGRAM"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-46, "CL_INVALID_KERNEL_NAME"},
    {-47, "CL_INVALID_KERNEL_DEFINITION"},
    {-48, "CL_INVALID_KERNEL"},
    {-49, "CL_INVALID_ARG_INDEX"},
    {-50, "CL_INVALID_ARG_VALUE"},
    {-51, "CL_INVALID_ARG_SIZE"},
    {-52, "CL_INVALID_KERNEL_ARGS"},
    {-53, "CL_INVALID_WORK_DIMENSION"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE"},
    {-56, "CL_INVALID_GLOBAL_OFFSET"},
    {-57, "CL_INVALID_EVENT_WAIT_LIST"},
    {-58, "CL_INVALID_EVENT"},
    {-59, "CL_INVALID_OPERATION"},
    {-61, "CL_INVALID_BUFFER_SIZE"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {-64, "CL_INVALID_PROPERTY"},
    {-66, "CL_INVALID_COMPILER_OPTIONS"},
    {-67, "CL_INVALID_LINKER_OPTIONS"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    {-9999, "CL_ILLEGAL_READ_OR_WRITE_TO_A_BUFFER"},
};

const char *fa__opencl_error_name(cl_int status)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].status == status)
            return errors[i].name;
    return "an error without a name";
}

bool fa__opencl_good(const fa__device *d, cl_int status, const char *call)
{
    if (status == CL_SUCCESS)
        return true;
    bool memory = status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY;
    return fa__fail(memory ? FA_ERROR_MEMORY : FA_ERROR_DEVICE, "%s%s: %s failed: %s (%d)",
                    memory ? "out of memory on " : "", d->name, call, fa__opencl_error_name(status), (int)status);
}
