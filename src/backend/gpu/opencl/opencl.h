/* What the files of the OpenCL backend share: platforms and devices, memory behind addresses, kernels. All of it are
 * calls of the driver for the issue layer of backend/gpu. */
#ifndef FA__BACKEND_GPU_OPENCL_OPENCL_H
#define FA__BACKEND_GPU_OPENCL_OPENCL_H
#include "backend/gpu/opencl/api.h"
#include "backend/gpu/queue.h"

enum { FA__OPENCL_DEVICES = 16 };

typedef struct fa__opencl_platform {
    cl_platform_id id;
    char name[96], version[128];
    cl_device_id device[FA__OPENCL_DEVICES]; /* those that we use */
    cl_uint devices;
    cl_context context; /* one for all of them, made when the first one is opened */
    int open;           /* devices that are */
} fa__opencl_platform;

typedef struct fa__opencl_device {
    fa__gpu_device gpu; /* first: see driver.h */
    cl_device_id id;
    fa__opencl_platform *platform;
    bool is_gpu, correct; /* correct: division and roots are rounded correctly */
} fa__opencl_device;

static inline fa__opencl_device *fa__opencl_own(const fa__device *d)
{
    return d->own;
}

/* ---- entries of fa__gpu_driver ---- */
#define FA__OPENCL_ENTRY(type, name, parameters) type fa__opencl_##name parameters;
FA__GPU_DRIVER_CALLS(FA__OPENCL_ENTRY)
/* Where this buffer begins. */
const void *fa__opencl_segment(const fa__device *, const void *address);

/* ---- load.c ---- */
extern bool fa__opencl_usual; /* it is the system's libOpenCL.so.1, which other libraries use, too */
/* Finds the functions: of the process itself, or of libOpenCL.so.1. False, with the reason, when there are none. */
bool fa__opencl_load(const char **why);
/* True for CL_SUCCESS; else an error that names device and call: FA_ERROR_MEMORY when memory was lacking, otherwise
 * FA_ERROR_DEVICE. */
bool fa__opencl_good(const fa__device *, cl_int status, const char *call);
#define FA__OPENCL_TRY(device, call, ...) fa__opencl_good(device, fa__opencl.call(__VA_ARGS__), #call)

/* ---- device.c ---- */
int fa__opencl_count(void);
int fa__opencl_gpus(void);
const char *fa__opencl_why(void);
void fa__opencl_properties(fa__device *, fa_device_properties *);

/* ---- memory.c ---- */
/* The buffer that an address lies in, and how far from its beginning. NULL, and an error, when it is none of the
 * device's platform. */
cl_mem fa__opencl_find(const fa__device *, const void *address, size_t *offset);
/* Changes whenever a buffer is freed, so that its address may be another one's. */
extern _Atomic uint64_t fa__opencl_releases;

/* ---- kernel.c, build.c ---- */
enum { FA__OPENCL_PARAMETERS = 2 + 2 * FA__GPU_ARGS };

/* The handle of a fa__gpu_kernel. */
typedef struct fa__opencl_kernel {
    cl_program program;
    cl_kernel kernel;
    /* the arguments of the last launch */
    uint64_t releases;                          /* fa__opencl_releases then */
    uint64_t known;                             /* those that are kept (bits) */
    const void *address[FA__OPENCL_PARAMETERS]; /* of buffers */
    char last[FA__GPU_LEAST_ARGS];              /* all values, one after the other */
    cl_uint next_argument;                      /* of the launch that is being set up */
    size_t next_byte;
} fa__opencl_kernel;

extern const char fa__opencl_options[];

/* ---- clblast.c ---- */
extern const struct fa__gpu_library fa__opencl_clblast;
void fa__opencl_clblast_end(void); /* frees what CLBlast has of contexts and programs */

/* ---- backend.c ---- */
extern const fa__gpu_driver fa__opencl_driver;
extern const fa__backend fa__backend_opencl;
#endif
