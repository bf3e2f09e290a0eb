/* CUDA's driver and its run-time compiler (NVRTC) as far as we call them: their types, constants and functions,
 * declared here so that building needs no CUDA. Names and values are those of NVIDIA's documentation. */
#ifndef FA__BACKEND_GPU_CUDA_API_H
#define FA__BACKEND_GPU_CUDA_API_H
#include <stddef.h>
#include <stdint.h>

typedef int CUresult, CUdevice;
typedef unsigned CUdevice_attribute;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUgraphEdgeData_st CUgraphEdgeData;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef int nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
    CUDA_ERROR_UNKNOWN = 999,

    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13, /* in kHz */
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,

    CU_STREAM_NON_BLOCKING = 1,
    CU_MEMHOSTALLOC_PORTABLE = 1,
    CU_STREAM_CAPTURE_MODE_RELAXED = 2,
    CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
    CU_MEM_ALLOCATION_TYPE_PINNED = 1,
    CU_MEM_LOCATION_TYPE_DEVICE = 1,
    CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
    CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,

    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_OUT_OF_MEMORY = 1
};

typedef struct CUDA_KERNEL_NODE_PARAMS_st {
    CUfunction func;
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    void **kernelParams, **extra, *kern;
    CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;

typedef struct CUmemLocation_st {
    int type, id;
} CUmemLocation;

typedef struct CUmemAllocationProp_st {
    int type, requestedHandleTypes;
    CUmemLocation location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType, gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
} CUmemAllocationProp;

typedef struct CUmemAccessDesc_st {
    CUmemLocation location;
    int flags;
} CUmemAccessDesc;

/* The lists of functions. Each is included twice: for a table, and for looking them up. */
#define FA__CUDA_FUNCTIONS(FUNCTION)                                                                                   \
    FUNCTION(cuInit, (unsigned))                                                                                       \
    FUNCTION(cuDriverGetVersion, (int *))                                                                              \
    FUNCTION(cuGetErrorName, (CUresult, const char **))                                                                \
    FUNCTION(cuDeviceGetCount, (int *))                                                                                \
    FUNCTION(cuDeviceGet, (CUdevice *, int))                                                                           \
    FUNCTION(cuDeviceGetName, (char *, int, CUdevice))                                                                 \
    FUNCTION(cuDeviceTotalMem_v2, (size_t *, CUdevice))                                                                \
    FUNCTION(cuDeviceGetAttribute, (int *, CUdevice_attribute, CUdevice))                                              \
    FUNCTION(cuDeviceCanAccessPeer, (int *, CUdevice, CUdevice))                                                       \
    FUNCTION(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                                                        \
    FUNCTION(cuDevicePrimaryCtxRelease_v2, (CUdevice))                                                                 \
    FUNCTION(cuCtxGetCurrent, (CUcontext *))                                                                           \
    FUNCTION(cuCtxGetDevice, (CUdevice *))                                                                             \
    FUNCTION(cuCtxPushCurrent_v2, (CUcontext))                                                                         \
    FUNCTION(cuCtxPopCurrent_v2, (CUcontext *))                                                                        \
    FUNCTION(cuCtxEnablePeerAccess, (CUcontext, unsigned))                                                             \
    FUNCTION(cuMemAlloc_v2, (CUdeviceptr *, size_t))                                                                   \
    FUNCTION(cuMemFree_v2, (CUdeviceptr))                                                                              \
    FUNCTION(cuMemHostAlloc, (void **, size_t, unsigned))                                                              \
    FUNCTION(cuMemFreeHost, (void *))                                                                                  \
    FUNCTION(cuStreamCreate, (CUstream *, unsigned))                                                                   \
    FUNCTION(cuStreamDestroy_v2, (CUstream))                                                                           \
    FUNCTION(cuStreamSynchronize, (CUstream))                                                                          \
    FUNCTION(cuStreamWaitEvent, (CUstream, CUevent, unsigned))                                                         \
    FUNCTION(cuMemcpyHtoDAsync_v2, (CUdeviceptr, const void *, size_t, CUstream))                                      \
    FUNCTION(cuMemcpyDtoHAsync_v2, (void *, CUdeviceptr, size_t, CUstream))                                            \
    FUNCTION(cuMemcpyDtoDAsync_v2, (CUdeviceptr, CUdeviceptr, size_t, CUstream))                                       \
    FUNCTION(cuMemcpyPeerAsync, (CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream))                    \
    FUNCTION(cuEventCreate, (CUevent *, unsigned))                                                                     \
    FUNCTION(cuEventDestroy_v2, (CUevent))                                                                             \
    FUNCTION(cuEventRecord, (CUevent, CUstream))                                                                       \
    FUNCTION(cuEventQuery, (CUevent))                                                                                  \
    FUNCTION(cuEventSynchronize, (CUevent))                                                                            \
    FUNCTION(cuEventElapsedTime, (float *, CUevent, CUevent))                                                          \
    FUNCTION(cuModuleLoadData, (CUmodule *, const void *))                                                             \
    FUNCTION(cuModuleUnload, (CUmodule))                                                                               \
    FUNCTION(cuModuleGetFunction, (CUfunction *, CUmodule, const char *))                                              \
    FUNCTION(cuLaunchKernel, (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,        \
                              CUstream, void **, void **))

/* Those that a driver may lack: then recorded steps are issued launch by launch. */
#define FA__CUDA_GRAPH_FUNCTIONS(FUNCTION)                                                                             \
    FUNCTION(cuStreamBeginCapture_v2, (CUstream, unsigned))                                                            \
    FUNCTION(cuStreamEndCapture, (CUstream, CUgraph *))                                                                \
    FUNCTION(cuStreamGetCaptureInfo_v3,                                                                                \
             (CUstream, unsigned *, uint64_t *, CUgraph *, const CUgraphNode **, const CUgraphEdgeData **, size_t *))  \
    FUNCTION(cuGraphInstantiateWithFlags, (CUgraphExec *, CUgraph, unsigned long long))                                \
    FUNCTION(cuGraphExecKernelNodeSetParams_v2, (CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS *))           \
    FUNCTION(cuGraphLaunch, (CUgraphExec, CUstream))                                                                   \
    FUNCTION(cuGraphExecDestroy, (CUgraphExec))                                                                        \
    FUNCTION(cuGraphDestroy, (CUgraph))

/* Those that a driver may lack: then memory does not grow. */
#define FA__CUDA_VIRTUAL_FUNCTIONS(FUNCTION)                                                                           \
    FUNCTION(cuMemGetAllocationGranularity, (size_t *, const CUmemAllocationProp *, unsigned))                         \
    FUNCTION(cuMemAddressReserve, (CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long))                    \
    FUNCTION(cuMemCreate, (CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *, unsigned long long))   \
    FUNCTION(cuMemRelease, (CUmemGenericAllocationHandle))                                                             \
    FUNCTION(cuMemMap, (CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long))                \
    FUNCTION(cuMemUnmap, (CUdeviceptr, size_t))                                                                        \
    FUNCTION(cuMemSetAccess, (CUdeviceptr, size_t, const CUmemAccessDesc *, size_t))

#define FA__NVRTC_FUNCTIONS(FUNCTION)                                                                                  \
    FUNCTION(nvrtcVersion, (int *, int *))                                                                             \
    FUNCTION(nvrtcGetNumSupportedArchs, (int *))                                                                       \
    FUNCTION(nvrtcGetSupportedArchs, (int *))                                                                          \
    FUNCTION(nvrtcCreateProgram,                                                                                       \
             (nvrtcProgram *, const char *, const char *, int, const char *const *, const char *const *))              \
    FUNCTION(nvrtcDestroyProgram, (nvrtcProgram *))                                                                    \
    FUNCTION(nvrtcCompileProgram, (nvrtcProgram, int, const char *const *))                                            \
    FUNCTION(nvrtcGetProgramLogSize, (nvrtcProgram, size_t *))                                                         \
    FUNCTION(nvrtcGetProgramLog, (nvrtcProgram, char *))                                                               \
    FUNCTION(nvrtcGetCUBINSize, (nvrtcProgram, size_t *))                                                              \
    FUNCTION(nvrtcGetCUBIN, (nvrtcProgram, char *))                                                                    \
    FUNCTION(nvrtcGetPTXSize, (nvrtcProgram, size_t *))                                                                \
    FUNCTION(nvrtcGetPTX, (nvrtcProgram, char *))

#define FA__CUDA_FUNCTION(name, parameters) CUresult(*name) parameters;
typedef struct fa__cuda_api {
    FA__CUDA_FUNCTIONS(FA__CUDA_FUNCTION)
    FA__CUDA_GRAPH_FUNCTIONS(FA__CUDA_FUNCTION)
    FA__CUDA_VIRTUAL_FUNCTIONS(FA__CUDA_FUNCTION)
    void (*cudasim_host)(const void *memory, size_t bytes, int write); /* the simulator's alone */
} fa__cuda_api;

typedef struct fa__nvrtc_api {
    FA__NVRTC_FUNCTIONS(FA__CUDA_FUNCTION)
    const char *(*nvrtcGetErrorString)(nvrtcResult);
} fa__nvrtc_api;

extern fa__cuda_api fa__cuda; /* filled by fa__cuda_load, */
extern fa__nvrtc_api fa__nvrtc;
#endif
