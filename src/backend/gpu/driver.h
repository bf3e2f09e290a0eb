/* What a kind of GPU (OpenCL, CUDA) gives to the code that all kinds share: compiling, launching, scratch memory. The
 * entries of fa__backend for memory, copies, queues and order are the kind's own. All are called with the device's
 * lock held. */
#ifndef FA__BACKEND_GPU_DRIVER_H
#define FA__BACKEND_GPU_DRIVER_H
#include "backend/device.h"

/* An argument of a kernel. Memory becomes two parameters, `GLOBAL u8 *p` and `i64 at` (bytes), others one by value. */
typedef struct fa__gpu_arg {
    const void *data; /* an address of the device's memory, or the bytes of a value; NULL memory: no elements */
    size_t size;      /* of the value; 0: memory */
} fa__gpu_arg;

typedef struct fa__gpu_kernel {
    void *handle;                    /* the driver's */
    uint32_t group[2];               /* work-items of a group, as its source says */
    bool faults;                     /* it may write the queue's fault word */
    const char *name;                /* the entry */
    const struct fa__gpu_form *form; /* its line of families.def; NULL: it is not the library's */
} fa__gpu_kernel;

enum { FA__GPU_DEVICES = 32 /* of all kinds */, FA__GPU_ARGS = 24, FA__GPU_LEAST_ARGS = 1024 };

typedef struct fa__gpu_driver {
    const char *prelude; /* the dialect's words in the driver's language; comes before every source */
    const char *options; /* for the compiler */
    /* What a compiled kernel depends on besides its source: platform, device, driver, versions. */
    const char *(*identity)(fa__device *);
    /* NULL and FA_ERROR_COMPILE(or what error.h has), with the log, on failure. */
    void *(*build)(fa__device *, const char *source, const char *entry);
    /* From what binary() gave; NULL, and no error, when the driver does not take it. */
    void *(*load)(fa__device *, const void *bytes, size_t size, const char *entry);
    /* Bytes of fa__malloc, NULL (and no error) when there are none. */
    void *(*binary)(fa__device *, void *handle, size_t *size);
    void (*kernel_free)(fa__device *, void *handle);
    /* `groups` of the kernel's size. The first parameters of every kernel (FAULT in the dialect) are put in by the
     * driver; then the arguments. Returns the ticket; 0 after an error. */
    uint64_t (*launch)(fa__queue *, const fa__gpu_kernel *, const uint64_t groups[3], const fa__gpu_arg *, int count);
    /* Memory for the next launches of this queue, until the next call: partial results. NULL after an error. */
    void *(*scratch)(fa__queue *, size_t bytes);
    /* The same memory, in which these bytes of the host's stand for the queue's next launches. They may be changed when
     * it returns, and no transfer is counted. */
    void *(*upload)(fa__queue *, const void *bytes, size_t size);
    /* Where the memory begins that a kernel is given as a whole when it is given this address: all of it can be reached
     * by an offset. NULL entry: any address can be, from NULL. */
    const void *(*segment)(const fa__device *, const void *address);
} fa__gpu_driver;

/* At the start of device->own. */
typedef struct fa__gpu_device {
    const fa__gpu_driver *driver;
    int number; /* below FA__GPU_DEVICES, over all kinds: the place of its kernels in tables; fa__gpu_enroll */
    bool f64;   /* it computes in f64 */
    bool bit_equal;
    uint64_t groups;    /* work-groups that keep it busy */
    uint64_t max_group; /* work-items of a group: not fewer than fa__gpu_largest_group() */
    size_t max_args;    /* bytes of all arguments: not fewer than FA__GPU_LEAST_ARGS */
    fa__program copy;   /* y = x; fa__gpu_enroll makes it */
} fa__gpu_device;

/* The entries of fa__backend that all kinds of GPU share. */
bool fa__gpu_has_kernel(const fa__op *);
bool fa__gpu_prepare(fa__device *, fa__program *, fa__class);
uint64_t fa__gpu_run(fa__queue *, const fa__launch *);
uint64_t fa__gpu_run_list(fa__queue *, const fa__launch *const *, int count);
/* Frees what prepare left in a program. */
void fa__gpu_discard(void *what);
/* The work-items of the largest group that a kernel has: a device that has only smaller ones cannot be used. */
uint32_t fa__gpu_largest_group(void);
/* Gives a device that is opened its number. False, and an error, when there are too many. */
bool fa__gpu_enroll(fa__device *);
/* Frees the kernels of a device: it is closed. */
void fa__gpu_forget(fa__device *);
#endif
