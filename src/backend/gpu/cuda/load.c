/* Finding the driver and NVIDIA's libraries, the names of their errors, and the context of a call. */
#include "backend/gpu/cuda/cuda.h"
#include "base/error.h"
#include "base/text.h"
#include <stdlib.h>

fa__cuda_api fa__cuda;
fa__nvrtc_api fa__nvrtc;

#define CUDA_SYMBOL(name, parameters) {#name, &fa__cuda.name, false},
#define OPTIONAL_SYMBOL(name, parameters) {#name, &fa__cuda.name, true},
#define NVRTC_SYMBOL(name, parameters) {#name, &fa__nvrtc.name, false},
static const fa__symbol driver_symbols[] = {FA__CUDA_FUNCTIONS(CUDA_SYMBOL) FA__CUDA_GRAPH_FUNCTIONS(
    OPTIONAL_SYMBOL) FA__CUDA_VIRTUAL_FUNCTIONS(OPTIONAL_SYMBOL){"cudasim_host", &fa__cuda.cudasim_host, true}};
static const fa__symbol nvrtc_symbols[] = {
    FA__NVRTC_FUNCTIONS(NVRTC_SYMBOL){"nvrtcGetErrorString", &fa__nvrtc.nvrtcGetErrorString, false}};
enum {
    DRIVER_SYMBOLS = sizeof driver_symbols / sizeof *driver_symbols,
    NVRTC_SYMBOLS = sizeof nvrtc_symbols / sizeof *nvrtc_symbols
};

/* ---- where NVIDIA's libraries are ---- */
/* What the program's environment names comes first. Python's packages put libraries under nvidia/cuda_nvrtc/lib and its
 * like, or nvidia/cu13/lib. */
static const fa__folder folders[] = {
    {"CUDA_HOME", "/lib64"},
    {"CUDA_PATH", "/lib64"},
    {"VIRTUAL_ENV", "/lib/python3*/site-packages/nvidia/*/lib"},
    {"CONDA_PREFIX", "/lib"},
    {"CONDA_PREFIX", "/lib/python3*/site-packages/nvidia/*/lib"},
    {"", "/usr/local/cuda/lib64"},
    {"", "/usr/local/cuda-*/lib64"},
    {"", "/opt/cuda/lib64"},
    {"HOME", "/.local/lib/python3*/site-packages/nvidia/*/lib"},
    {"", "/usr/local/lib/python3*/*-packages/nvidia/*/lib"},
    {"", "/usr/lib/python3*/*-packages/nvidia/*/lib"},
};

bool fa__cuda_open_library(fa__library *library, const char *variable, const char *stem, int newest,
                           const fa__symbol *symbols, size_t count)
{
    const fa__library_place place = {variable, stem, newest, folders, sizeof folders / sizeof *folders};
    return fa__library_search(library, &place, symbols, count);
}

static bool open_nvrtc(fa__library *library)
{
    return fa__cuda_open_library(library, "FACULA_NVRTC_LIBRARY", "libnvrtc", 13, nvrtc_symbols, NVRTC_SYMBOLS);
}

/* ---- the driver ---- */
static bool driver_is_open(fa__library *library)
{
    const char *named = getenv("FACULA_CUDA_LIBRARY");
    const char *const names[] = {named && *named ? named : "libcuda.so.1", NULL};
    return library->handle || fa__library_open(library, names, driver_symbols, DRIVER_SYMBOLS);
}

/* Whether there are devices is asked before NVRTC is opened, which is large. Both libraries stay open. */
bool fa__cuda_load(int *count, const char **why)
{
    static fa__library driver, nvrtc;
    static char reason[700];
    fa__text text = fa__text_in(reason, sizeof reason);
    *why = reason;
    *count = 0;
    if (!driver_is_open(&driver)) {
        fa__text_add(&text, "there is no CUDA driver: %s", driver.reason);
        return false;
    }
    CUresult status = fa__cuda.cuInit(0);
    status = status == CUDA_SUCCESS ? fa__cuda.cuDeviceGetCount(count) : status;
    if (status != CUDA_SUCCESS || !*count) {
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
