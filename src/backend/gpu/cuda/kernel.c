/* Kernels: compiled by NVRTC to the device's machine code, or to PTX, which the driver compiles, where NVRTC is older
 * than the device; loaded; launched. */
#include "backend/gpu/cuda/cuda.h"
#include "backend/gpu/gpu.h"
#include "base/alloc.h"
#include "base/error.h"
#include <string.h>

/* Nothing is fused, flushed to zero or approximated: results have the CPU's bits. 177: a function is not used. */
#define OPTIONS(X)                                                                                                     \
    X("--fmad=false") X("--ftz=false") X("--prec-div=true") X("--prec-sqrt=true") X("--diag-suppress=177")
#define JOINED(option) option " "
#define LISTED(option) option,
const char fa__cuda_options[] = OPTIONS(JOINED);

typedef fa__cuda_kernel kernel;

/* ---- from compiled bytes ---- */
/* NULL and a status when the driver does not take them. */
static kernel *kernel_of(const fa__cuda_device *o, const void *image, const char *entry, CUresult *status)
{
    kernel *k = fa__malloc(sizeof *k);
    *status = CUDA_ERROR_OUT_OF_MEMORY;
    if (!k)
        return NULL;
    *k = (kernel){0};
    *status = FA__CUDA(o, cuModuleLoadData, &k->module, image);
    if (*status == CUDA_SUCCESS) {
        *status = FA__CUDA(o, cuModuleGetFunction, &k->function, k->module, entry);
        if (*status == CUDA_SUCCESS)
            return k;
        FA__CUDA(o, cuModuleUnload, k->module);
    }
    fa__free(k);
    return NULL;
}

void *fa__cuda_load_binary(fa__device *d, const void *bytes, size_t size, const char *entry)
{
    CUresult status;
    return size ? kernel_of(fa__cuda_own(d), bytes, entry, &status) : NULL;
}

void fa__cuda_kernel_free(fa__device *d, void *handle)
{
    kernel *k = handle;
    FA__CUDA(fa__cuda_own(d), cuModuleUnload, k->module);
    fa__free(k);
}

/* ---- from source ---- */
/* A text or machine code that NVRTC gives. NULL when it gives none, or without memory, which is an error then. */
static char *bytes_of(nvrtcProgram p, nvrtcResult (*size_of)(nvrtcProgram, size_t *),
                      nvrtcResult (*get)(nvrtcProgram, char *), size_t *size)
{
    *size = 0;
    if (size_of(p, size) != NVRTC_SUCCESS || !*size)
        return NULL;
    char *bytes = fa__malloc(*size + 1);
    if (!bytes)
        return NULL;
    bytes[*size] = 0;
    if (get(p, bytes) == NVRTC_SUCCESS)
        return bytes;
    fa__free(bytes);
    return NULL;
}

static void fail_with_log(const fa__device *d, nvrtcProgram p, nvrtcResult status, const char *entry)
{
    size_t size;
    char *log = bytes_of(p, fa__nvrtc.nvrtcGetProgramLogSize, fa__nvrtc.nvrtcGetProgramLog, &size);
    fa__gpu_build_failed(d, status == NVRTC_ERROR_OUT_OF_MEMORY ? FA_ERROR_MEMORY : FA_ERROR_DEVICE, entry,
                         -FA__CUDA_NVRTC - status, log);
    fa__free(log);
}

/* Machine code or PTX; NULL and an error. */
static char *compile(const fa__device *d, nvrtcProgram p, const char *entry, size_t *size)
{
    const fa__cuda_device *o = fa__cuda_own(d);
    char target[40];
    const char *const options[] = {OPTIONS(LISTED) target};
    const bool own = o->target == o->capability;
    snprintf(target, sizeof target, "--gpu-architecture=%s_%d", own ? "sm" : "compute", o->target);
    nvrtcResult status = fa__nvrtc.nvrtcCompileProgram(p, sizeof options / sizeof *options, options);
    if (status != NVRTC_SUCCESS) {
        fail_with_log(d, p, status, entry);
        return NULL;
    }
    char *image = own ? bytes_of(p, fa__nvrtc.nvrtcGetCUBINSize, fa__nvrtc.nvrtcGetCUBIN, size)
                      : bytes_of(p, fa__nvrtc.nvrtcGetPTXSize, fa__nvrtc.nvrtcGetPTX, size);
    if (!image && !fa__failed())
        fa__fail(FA_ERROR_DEVICE, "%s: NVRTC has no code for kernel %s", d->name, entry);
    return image;
}

void *fa__cuda_build(fa__device *d, const char *source, const char *entry, void **bytes, size_t *size)
{
    nvrtcProgram p = NULL;
    nvrtcResult status = fa__nvrtc.nvrtcCreateProgram(&p, source, "kernel.cu", 0, NULL, NULL);
    if (status != NVRTC_SUCCESS) {
        fa__gpu_build_failed(d, FA_ERROR_DEVICE, entry, -FA__CUDA_NVRTC - status, NULL);
        return NULL;
    }
    CUresult loaded = CUDA_SUCCESS;
    size_t length = 0;
    char *image = compile(d, p, entry, &length);
    kernel *k = image ? kernel_of(fa__cuda_own(d), image, entry, &loaded) : NULL;
    fa__nvrtc.nvrtcDestroyProgram(&p);
    fa__cuda_good(d, loaded, "loading a kernel");
    if (k && bytes) {
        *bytes = image;
        *size = length;
        return k;
    }
    fa__free(image);
    return k;
}

/* ---- launches ---- */
void fa__cuda_parameters_fill(fa__cuda_parameters *p, void *fault, bool careful, const fa__gpu_arg *args, int count)
{
    static const int64_t no_offset = 0;
    int n = 2;
    p->fault = fault;
    p->careful = careful;
    p->at[0] = &p->fault;
    p->at[1] = &p->careful;
    for (int i = 0; i < count; i++) {
        const bool memory = !args[i].size;
        p->at[n++] = memory ? (const void *)&args[i].data : args[i].data;
        if (memory)
            p->at[n++] = &no_offset;
    }
}

bool fa__cuda_launch(fa__device *d, void *queue, const fa__gpu_kernel *kernel_, const uint64_t groups[3], void *fault,
                     bool careful, const fa__gpu_arg *args, int count)
{
    const fa__cuda_queue *q = queue;
    const kernel *k = kernel_->handle;
    fa__cuda_parameters p;
    fa__cuda_parameters_fill(&p, fault, careful, args, count);
    return FA__CUDA_TRY(d, cuLaunchKernel, k->function, (unsigned)groups[0], (unsigned)groups[1], (unsigned)groups[2],
                        kernel_->group[0], kernel_->group[1], 1, 0, q->stream, (void **)(uintptr_t)p.at, NULL);
}
