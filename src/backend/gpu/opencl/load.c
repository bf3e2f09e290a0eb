/* Finding OpenCL in the process or in its library, and the names of its errors. */
#include "backend/gpu/opencl/opencl.h"
#include "base/dynamic.h"
#include "base/error.h"
#include <stdlib.h>

fa__opencl_api fa__opencl;
bool fa__opencl_usual;

#define SYMBOL(name, parameters) {#name, &fa__opencl.name, false},
#define SYMBOL_MAKER(result, name, parameters) {#name, &fa__opencl.name, false},
static const fa__symbol symbols[] = {FA__OPENCL_FUNCTIONS(SYMBOL, SYMBOL_MAKER)};
enum { SYMBOLS = sizeof symbols / sizeof *symbols };

/* What is in the process already comes first: tools such as Oclgrind bring an OpenCL of their own. A library stays
 * open: its vendors' threads may outlive every device. */
bool fa__opencl_load(const char **why)
{
    static fa__library library;
    const char *name = getenv("FACULA_OPENCL_LIBRARY");
    bool named = name && *name;
    const char *const names[] = {named ? name : "libOpenCL.so.1", NULL};
    bool open = library.handle || (!named && fa__library_in_process(symbols, SYMBOLS))
                || fa__library_open(&library, names, symbols, SYMBOLS);
    fa__opencl_usual = library.handle && !named;
    *why = library.reason;
    return open;
}

/* ---- errors: the names of those that drivers report at run time; messages have all numbers ---- */
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
    {-11, "CL_BUILD_PROGRAM_FAILURE"},
    {-12, "CL_MAP_FAILURE"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {-30, "CL_INVALID_VALUE"},
    {-36, "CL_INVALID_COMMAND_QUEUE"},
    {-38, "CL_INVALID_MEM_OBJECT"},
    {-42, "CL_INVALID_BINARY"},
    {-44, "CL_INVALID_PROGRAM"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-46, "CL_INVALID_KERNEL_NAME"},
    {-48, "CL_INVALID_KERNEL"},
    {-52, "CL_INVALID_KERNEL_ARGS"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE"},
    {-59, "CL_INVALID_OPERATION"},
    {-61, "CL_INVALID_BUFFER_SIZE"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    {-9999, "CL_ILLEGAL_READ_OR_WRITE_TO_A_BUFFER"},
};

const char *fa__opencl_error_name(cl_int status)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].status == status)
            return errors[i].name;
    return "an error";
}

bool fa__opencl_good(const fa__device *d, cl_int status, const char *call)
{
    if (status == CL_SUCCESS)
        return true;
    bool memory = status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY;
    return fa__fail(memory ? FA_ERROR_MEMORY : FA_ERROR_DEVICE, "%s%s: %s failed: %s (%d)",
                    memory ? "out of memory on " : "", d->name, call, fa__opencl_error_name(status), (int)status);
}
