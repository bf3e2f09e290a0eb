/* OpenCL 1.2 as far as we call it: its types, constants and functions, declared here so that building needs no OpenCL.
 * Names and values are those of the standard. */
#ifndef FA__BACKEND_GPU_OPENCL_API_H
#define FA__BACKEND_GPU_OPENCL_API_H
#include <stddef.h>
#include <stdint.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint, cl_bool;
typedef uint64_t cl_ulong, cl_bitfield;
typedef struct fa__cl_platform *cl_platform_id;
typedef struct fa__cl_device *cl_device_id;
typedef struct fa__cl_context *cl_context;
typedef struct fa__cl_queue *cl_command_queue;
typedef struct fa__cl_mem *cl_mem;
typedef struct fa__cl_program *cl_program;
typedef struct fa__cl_kernel *cl_kernel;
typedef struct fa__cl_event *cl_event;

enum {
    CL_SUCCESS = 0,
    CL_COMPLETE = 0, /* of an event; what runs or waits is above, what failed below */
    CL_DEVICE_NOT_FOUND = -1,
    CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
    CL_OUT_OF_RESOURCES = -5,
    CL_OUT_OF_HOST_MEMORY = -6,
    CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST = -14,
    CL_INVALID_BUILD_OPTIONS = -43,
    CL_PLATFORM_NOT_FOUND_KHR = -1001,

    CL_FALSE = 0,
    CL_TRUE = 1,

    CL_PLATFORM_VERSION = 0x0901,
    CL_PLATFORM_NAME = 0x0902,

    CL_DEVICE_TYPE_GPU = 1 << 2,
    CL_DEVICE_TYPE_CUSTOM = 1 << 4,
    CL_DEVICE_TYPE = 0x1000,
    CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
    CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
    CL_DEVICE_MAX_CLOCK_FREQUENCY = 0x100C,
    CL_DEVICE_MAX_PARAMETER_SIZE = 0x1017,
    CL_DEVICE_SINGLE_FP_CONFIG = 0x101B,
    CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
    CL_DEVICE_ENDIAN_LITTLE = 0x1026,
    CL_DEVICE_AVAILABLE = 0x1027,
    CL_DEVICE_COMPILER_AVAILABLE = 0x1028,
    CL_DEVICE_NAME = 0x102B,
    CL_DEVICE_VENDOR = 0x102C,
    CL_DRIVER_VERSION = 0x102D,
    CL_DEVICE_PROFILE = 0x102E,
    CL_DEVICE_VERSION = 0x102F,
    CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032,
    CL_DEVICE_HOST_UNIFIED_MEMORY = 0x1035,

    CL_FP_DENORM = 1 << 0,
    CL_FP_ROUND_TO_NEAREST = 1 << 2,
    CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT = 1 << 7,

    CL_QUEUE_PROFILING_ENABLE = 1 << 1,
    CL_MEM_READ_WRITE = 1 << 0,
    CL_MEM_ALLOC_HOST_PTR = 1 << 4,
    CL_MAP_READ = 1 << 0,
    CL_MAP_WRITE = 1 << 1,

    CL_PROGRAM_BINARY_SIZES = 0x1165,
    CL_PROGRAM_BINARIES = 0x1166,
    CL_PROGRAM_BUILD_LOG = 0x1183,

    CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11D3,
    CL_PROFILING_COMMAND_START = 0x1282,
    CL_PROFILING_COMMAND_END = 0x1283
};
#define CL_DEVICE_TYPE_ALL 0xFFFFFFFFu

/* The one list of functions: FUNCTION(name, parameters) for those that return a status, MAKER(result, name, parameters)
 * for the others. Included twice: for the table, and for looking them up. */
#define FA__OPENCL_FUNCTIONS(FUNCTION, MAKER)                                                                          \
    FUNCTION(clGetPlatformIDs, (cl_uint, cl_platform_id *, cl_uint *))                                                 \
    FUNCTION(clGetPlatformInfo, (cl_platform_id, cl_uint, size_t, void *, size_t *))                                   \
    FUNCTION(clGetDeviceIDs, (cl_platform_id, cl_bitfield, cl_uint, cl_device_id *, cl_uint *))                        \
    FUNCTION(clGetDeviceInfo, (cl_device_id, cl_uint, size_t, void *, size_t *))                                       \
    MAKER(cl_context, clCreateContext,                                                                                 \
          (const intptr_t *, cl_uint, const cl_device_id *, void (*)(const char *, const void *, size_t, void *),      \
           void *, cl_int *))                                                                                          \
    FUNCTION(clReleaseContext, (cl_context))                                                                           \
    MAKER(cl_command_queue, clCreateCommandQueue, (cl_context, cl_device_id, cl_bitfield, cl_int *))                   \
    FUNCTION(clReleaseCommandQueue, (cl_command_queue))                                                                \
    MAKER(cl_mem, clCreateBuffer, (cl_context, cl_bitfield, size_t, void *, cl_int *))                                 \
    FUNCTION(clReleaseMemObject, (cl_mem))                                                                             \
    MAKER(cl_program, clCreateProgramWithSource, (cl_context, cl_uint, const char **, const size_t *, cl_int *))       \
    MAKER(cl_program, clCreateProgramWithBinary,                                                                       \
          (cl_context, cl_uint, const cl_device_id *, const size_t *, const unsigned char **, cl_int *, cl_int *))     \
    FUNCTION(clBuildProgram,                                                                                           \
             (cl_program, cl_uint, const cl_device_id *, const char *, void (*)(cl_program, void *), void *))          \
    FUNCTION(clGetProgramInfo, (cl_program, cl_uint, size_t, void *, size_t *))                                        \
    FUNCTION(clGetProgramBuildInfo, (cl_program, cl_device_id, cl_uint, size_t, void *, size_t *))                     \
    FUNCTION(clReleaseProgram, (cl_program))                                                                           \
    MAKER(cl_kernel, clCreateKernel, (cl_program, const char *, cl_int *))                                             \
    FUNCTION(clReleaseKernel, (cl_kernel))                                                                             \
    FUNCTION(clSetKernelArg, (cl_kernel, cl_uint, size_t, const void *))                                               \
    FUNCTION(clEnqueueNDRangeKernel, (cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,            \
                                      const size_t *, cl_uint, const cl_event *, cl_event *))                          \
    FUNCTION(clEnqueueReadBuffer,                                                                                      \
             (cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *))       \
    FUNCTION(clEnqueueWriteBuffer,                                                                                     \
             (cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint, const cl_event *, cl_event *)) \
    FUNCTION(clEnqueueCopyBuffer,                                                                                      \
             (cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event *, cl_event *))        \
    FUNCTION(clEnqueueMigrateMemObjects,                                                                               \
             (cl_command_queue, cl_uint, const cl_mem *, cl_bitfield, cl_uint, const cl_event *, cl_event *))          \
    MAKER(void *, clEnqueueMapBuffer,                                                                                  \
          (cl_command_queue, cl_mem, cl_bool, cl_bitfield, size_t, size_t, cl_uint, const cl_event *, cl_event *,      \
           cl_int *))                                                                                                  \
    FUNCTION(clEnqueueUnmapMemObject, (cl_command_queue, cl_mem, void *, cl_uint, const cl_event *, cl_event *))       \
    FUNCTION(clEnqueueMarkerWithWaitList, (cl_command_queue, cl_uint, const cl_event *, cl_event *))                   \
    FUNCTION(clEnqueueBarrierWithWaitList, (cl_command_queue, cl_uint, const cl_event *, cl_event *))                  \
    FUNCTION(clWaitForEvents, (cl_uint, const cl_event *))                                                             \
    FUNCTION(clRetainEvent, (cl_event))                                                                                \
    FUNCTION(clReleaseEvent, (cl_event))                                                                               \
    FUNCTION(clGetEventInfo, (cl_event, cl_uint, size_t, void *, size_t *))                                            \
    FUNCTION(clGetEventProfilingInfo, (cl_event, cl_uint, size_t, void *, size_t *))                                   \
    FUNCTION(clFlush, (cl_command_queue))                                                                              \
    FUNCTION(clFinish, (cl_command_queue))

#define FA__OPENCL_FUNCTION(name, parameters) cl_int(*name) parameters;
#define FA__OPENCL_MAKER(result, name, parameters) result(*name) parameters;
typedef struct fa__opencl_api {
    FA__OPENCL_FUNCTIONS(FA__OPENCL_FUNCTION, FA__OPENCL_MAKER)
} fa__opencl_api;

extern fa__opencl_api fa__opencl; /* filled by fa__opencl_load */
#endif
