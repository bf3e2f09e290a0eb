/* What the files of the CUDA backend share: devices, queues, events, kernels. All of it are calls of the driver, and of
 * NVRTC, for the issue layer of backend/gpu. */
#ifndef FA__BACKEND_GPU_CUDA_CUDA_H
#define FA__BACKEND_GPU_CUDA_CUDA_H
#include "backend/gpu/cuda/api.h"
#include "backend/gpu/queue.h"
#include "base/dynamic.h"

enum { FA__CUDA_DEVICES = 16 };

typedef struct fa__cuda_device {
    fa__gpu_device gpu; /* first: see driver.h */
    CUdevice id;
    CUcontext context; /* the primary one, which the CUDA runtime and other libraries in the process use too, */
    CUcontext adopted; /* or this one of the program's; NULL: none */
    int capability;    /* 90 for sm_90 */
    int target;        /* what NVRTC compiles for: capability, or an earlier one as PTX */
    char name[96];
    int64_t convolutions, attentions; /* that cuDNN made */
    /* Times are measured from this event. It is replaced from time to time: see fa__cuda_times. */
    pthread_mutex_t lock;
    CUevent base;
    int64_t base_ns;
    CUmemAccessDesc access[FA__CUDA_DEVICES]; /* who may use memory that grows: the device, and those that reach it */
    size_t accesses;
} fa__cuda_device;

/* A queue and an event as the issue layer has them. */
typedef struct fa__cuda_queue {
    const fa__cuda_device *device;
    CUstream stream;
    bool adopted; /* it is the program's */
} fa__cuda_queue;

typedef struct fa__cuda_event {
    fa__cuda_device *device;
    CUevent start, end; /* start: of a copy; NULL: the event has one time */
    bool kept;          /* its end is the device's base: not to be freed */
} fa__cuda_event;

typedef struct fa__cuda_kernel {
    CUmodule module;
    CUfunction function;
} fa__cuda_kernel;

/* A kernel's parameters: those of FAULT, and two for each buffer. */
typedef struct fa__cuda_parameters {
    void *fault;
    int32_t careful;
    const void *at[2 + 2 * FA__GPU_ARGS];
} fa__cuda_parameters;

static inline fa__cuda_device *fa__cuda_own(const fa__device *d)
{
    return d->own;
}

/* ---- entries of fa__gpu_driver ---- */
#define FA__CUDA_ENTRY(type, name, parameters) type fa__cuda_##name parameters;
FA__GPU_DRIVER_CALLS(FA__CUDA_ENTRY)
FA__GPU_DRIVER_EXTRAS(FA__CUDA_ENTRY)

/* ---- load.c ---- */
/* Opens the driver and NVRTC, and sets *count to the number of GPUs. False, with the reason, if one of the two
 * libraries is missing or lacks a function, or if there is no GPU. */
bool fa__cuda_load(int *count, const char **why);
/* Opens the library of NVIDIA's that the variable of the environment names, else the newest version, or the one before,
 * of `stem` ("libnvrtc"), from where the system, the toolkit or Python's packages have it. */
bool fa__cuda_open_library(fa__library *, const char *variable, const char *stem, int newest, const fa__symbol *,
                           size_t count);
/* The issue layer has negative numbers for failures: CUDA's with another sign, and NVRTC's below these. */
enum { FA__CUDA_NVRTC = 100000 };
/* True for CUDA_SUCCESS; else an error that names device and call: FA_ERROR_MEMORY when memory was lacking, otherwise
 * FA_ERROR_DEVICE. */
bool fa__cuda_good(const fa__device *, CUresult, const char *call);

/* A call of the driver with the device's context, which is the thread's own one only for this call: programs may use
 * other contexts. FA__CUDA is its result, FA__CUDA_TRY whether it succeeded, with an error when not. */
#define FA__CUDA(own, call, ...) (fa__cuda_enter(own), fa__cuda_leave(fa__cuda.call(__VA_ARGS__)))
#define FA__CUDA_TRY(d, call, ...) fa__cuda_good(d, FA__CUDA(fa__cuda_own(d), call, __VA_ARGS__), #call)
void fa__cuda_enter(const fa__cuda_device *);
CUresult fa__cuda_leave(CUresult);

/* ---- device.c ---- */
int fa__cuda_count(void);
const char *fa__cuda_why(void);
void fa__cuda_properties(fa__device *, fa_device_properties *);
bool fa__cuda_context_adopt(int index, CUcontext);

/* ---- virtual.c ---- */
/* Whether the device's memory can grow; a failure is no error. */
void fa__cuda_virtual_open(fa__cuda_device *);
/* Memory of the device that grows is also `peer`'s to use. */
void fa__cuda_virtual_share(fa__cuda_device *, const fa__cuda_device *peer);

/* ---- kernel.c ---- */
extern const char fa__cuda_options[];
/* They refer to the arguments. */
void fa__cuda_parameters_fill(fa__cuda_parameters *, void *fault, bool careful, const fa__gpu_arg *, int count);

/* ---- cublaslt.c ---- */
extern const struct fa__gpu_library fa__cuda_cublaslt;
void fa__cuda_cublaslt_close(const fa__device *);

/* ---- cudnn.c ---- */
void fa__cuda_cudnn_close(const fa__device *);

/* ---- backend.c ---- */
extern const fa__gpu_driver fa__cuda_driver;
extern const fa__backend fa__backend_cuda;
#endif
