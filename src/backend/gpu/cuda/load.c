/* Finding the driver and NVRTC, the names of their errors, and the context of a call. */
#include "backend/gpu/cuda/cuda.h"
#include "base/dynamic.h"
#include "base/error.h"
#include "base/text.h"
#include <glob.h>
#include <stdlib.h>

fa__cuda_api fa__cuda;
fa__nvrtc_api fa__nvrtc;

#define CUDA_SYMBOL(name, parameters) {#name, &fa__cuda.name, false},
#define NVRTC_SYMBOL(name, parameters) {#name, &fa__nvrtc.name, false},
static const fa__symbol driver_symbols[] = {FA__CUDA_FUNCTIONS(CUDA_SYMBOL)};
static const fa__symbol nvrtc_symbols[] = {
    FA__NVRTC_FUNCTIONS(NVRTC_SYMBOL){"nvrtcGetErrorString", &fa__nvrtc.nvrtcGetErrorString, false}};
enum {
    DRIVER_SYMBOLS = sizeof driver_symbols / sizeof *driver_symbols,
    NVRTC_SYMBOLS = sizeof nvrtc_symbols / sizeof *nvrtc_symbols,
    NVRTC_NAMES = 64
};

/* ---- where NVRTC is ---- */
/* Patterns of glob(), for the folder that a variable of the environment names, "": none. Python's packages put it under
 * nvidia/cuda_nvrtc/lib, or nvidia/cu13/lib. The newest of each folder comes first. */
static const struct {
    const char *variable, *pattern;
} folders[] = {
    {"CUDA_HOME", "/lib64/libnvrtc.so"},
    {"CUDA_PATH", "/lib64/libnvrtc.so"},
    {"", "/usr/local/cuda/lib64/libnvrtc.so"},
    {"", "/usr/local/cuda-*/lib64/libnvrtc.so"},
    {"", "/opt/cuda/lib64/libnvrtc.so"},
    {"VIRTUAL_ENV", "/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so.1?"},
    {"CONDA_PREFIX", "/lib/libnvrtc.so.1?"},
    {"CONDA_PREFIX", "/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so.1?"},
    {"HOME", "/.local/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so.1?"},
    {"", "/usr/local/lib/python3*/*-packages/nvidia/*/lib/libnvrtc.so.1?"},
    {"", "/usr/lib/python3*/*-packages/nvidia/*/lib/libnvrtc.so.1?"},
};

/* Appends to what was found. */
static void look_into(const char *variable, const char *pattern, glob_t *found)
{
    const char *folder = *variable ? getenv(variable) : "";
    char path[1024];
    int n = folder ? snprintf(path, sizeof path, "%s%s", folder, pattern) : -1;
    if (n > 0 && n < (int)sizeof path && (!*variable || *folder == '/'))
        glob(path, GLOB_APPEND, NULL, found);
}

static bool open_nvrtc(fa__library *library)
{
    const char *named = getenv("FACULA_NVRTC_LIBRARY"), *names[NVRTC_NAMES] = {named};
    glob_t found = {0};
    if (named && *named)
        return fa__library_open(library, names, nvrtc_symbols, NVRTC_SYMBOLS);
    names[0] = "libnvrtc.so.13";
    names[1] = "libnvrtc.so.12";
    if (fa__library_open(library, names, nvrtc_symbols, NVRTC_SYMBOLS))
        return true;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        look_into(folders[i].variable, folders[i].pattern, &found);
    size_t count = 0;
    for (size_t i = found.gl_pathc; i > 0 && count < NVRTC_NAMES - 1; i--)
        names[count++] = found.gl_pathv[i - 1];
    names[count] = NULL;
    bool open = count && fa__library_open(library, names, nvrtc_symbols, NVRTC_SYMBOLS);
    globfree(&found);
    return open;
}

/* ---- the driver ---- */
static bool driver_is_open(fa__library *library)
{
    const char *named = getenv("FACULA_CUDA_LIBRARY");
    const char *const names[] = {named && *named ? named : "libcuda.so.1", NULL};
    return library->handle || fa__library_open(library, names, driver_symbols, DRIVER_SYMBOLS);
}

/* Whether there are devices is asked before NVRTC is opened, which is large. Both libraries stay open. */
bool fa__cuda_load(const char **why)
{
    static fa__library driver, nvrtc;
    static char reason[700];
    fa__text text = fa__text_in(reason, sizeof reason);
    *why = reason;
    int count = 0;
    if (!driver_is_open(&driver)) {
        fa__text_add(&text, "there is no CUDA driver: %s", driver.reason);
        return false;
    }
    CUresult status = fa__cuda.cuInit(0);
    status = status == CUDA_SUCCESS ? fa__cuda.cuDeviceGetCount(&count) : status;
    if (status != CUDA_SUCCESS || !count) {
        fa__text_add(&text, "the CUDA driver finds no GPU: %s",
                     fa__cuda_error_name(-(status != CUDA_SUCCESS ? status : CUDA_ERROR_NO_DEVICE)));
        return false;
    }
    if (nvrtc.handle || open_nvrtc(&nvrtc))
        return true;
    fa__text_add(&text, "there is no compiler (NVRTC): %s",
                 nvrtc.reason[0] ? nvrtc.reason : "libnvrtc.so.13 and libnvrtc.so.12 are not there");
    return false;
}

/* ---- errors ---- */
const char *fa__cuda_error_name(int code)
{
    const char *name = NULL;
    if (code <= -FA__CUDA_NVRTC)
        return fa__nvrtc.nvrtcGetErrorString(-code - FA__CUDA_NVRTC);
    return fa__cuda.cuGetErrorName && fa__cuda.cuGetErrorName(-code, &name) == CUDA_SUCCESS && name ? name : "an error";
}

bool fa__cuda_good(const fa__device *d, CUresult status, const char *call)
{
    if (status == CUDA_SUCCESS)
        return true;
    bool memory = status == CUDA_ERROR_OUT_OF_MEMORY;
    return fa__fail(memory ? FA_ERROR_MEMORY : FA_ERROR_DEVICE, "%s%s: %s failed: %s (%d)",
                    memory ? "out of memory on " : "", d->name, call, fa__cuda_error_name(-status), (int)status);
}

/* ---- contexts ---- */
static FA__TLS bool pushed;

void fa__cuda_enter(const fa__cuda_device *o)
{
    CUcontext current = NULL;
    bool there = fa__cuda.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == o->context;
    pushed = !there && fa__cuda.cuCtxPushCurrent_v2(o->context) == CUDA_SUCCESS;
}

CUresult fa__cuda_leave(CUresult status)
{
    CUcontext ignored;
    if (pushed)
        fa__cuda.cuCtxPopCurrent_v2(&ignored);
    return status;
}
