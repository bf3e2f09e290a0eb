/* What a kind of GPU (OpenCL, CUDA) gives to the issue layer that all kinds share: a table of calls of its driver. The
 * layer (queue.h) has tickets, events, copies through pinned memory, order between queues, faults, forks and scratch
 * memory; a kind has neither state of queues nor rules of order. */
#ifndef FA__BACKEND_GPU_DRIVER_H
#define FA__BACKEND_GPU_DRIVER_H
#include "backend/device.h"
#include "backend/gpu/range.h"
#include <facula/error.h>

/* An argument of a kernel. Memory becomes two parameters, `GLOBAL u8 *p` and `i64 at` (bytes), others one by value. */
typedef struct fa__gpu_arg {
    const void *data; /* an address of the device's memory, or the bytes of a value; NULL memory: no elements */
    size_t size;      /* of the value; 0: memory */
} fa__gpu_arg;

typedef struct fa__gpu_job fa__gpu_job;

typedef struct fa__gpu_kernel {
    void *handle;                    /* the driver's, when it is compiled; NULL then: it was refused */
    const fa__gpu_job *job;          /* that compiles it (jobs.h); NULL: it is compiled */
    _Atomic bool launched;           /* at least once: many drivers compile to the end only then */
    uint32_t group[2];               /* work-items of a group, as its source says */
    bool faults;                     /* it may write the queue's fault word */
    const char *name;                /* the entry */
    const struct fa__gpu_form *form; /* its line of families.def; NULL: it is not the library's */
} fa__gpu_kernel;

typedef struct fa__gpu_issue fa__gpu_issue;

/* A copy by the driver. Devices are NULL for the host, whose memory is pinned where the layer uses pinned memory. */
typedef struct fa__gpu_copy {
    void *to;
    const void *from;
    size_t bytes;
    const fa__device *to_device, *from_device;
    bool wait;   /* the host waits until it is done */
    void *after; /* an event that it comes behind, besides the queue's earlier work; NULL: none */
} fa__gpu_copy;

/* How far an event is. Below: the driver's code of a failure. */
enum { FA__GPU_DONE = 0, FA__GPU_RUNNING = 1 };

enum { FA__GPU_DEVICES = 32 /* of all kinds */, FA__GPU_ARGS = 24, FA__GPU_LEAST_ARGS = 1024 };

/* The calls of a driver: CALL(type, name, parameters) for each. Queues and events are the driver's own, which only it
 * looks into. Calls that return false or NULL have raised an error, unless it is said otherwise. The layer makes them
 * in any thread, but for one queue's or kernel's at a time. */
#define FA__GPU_DRIVER_CALLS(CALL)                                                                                     \
    CALL(const char *, error_name, (int code))                                                                         \
    /* ---- devices ---- */                                                                                            \
    CALL(bool, open, (fa__device *)) /* sets own, and in it what fa__gpu_device says */                                \
    CALL(void, close, (fa__device *))                                                                                  \
    /* ---- memory ---- */                                                                                             \
    /* An address, to which offsets are added. NULL, and no error: no more. */                                         \
    CALL(void *, allocate, (fa__device *, size_t))                                                                     \
    CALL(void, release, (fa__device *, void *, size_t))                                                                \
    /* Memory of the host that copies use without making the host wait; `handle` is what it is freed by. */            \
    CALL(void *, pinned, (fa__device *, void *queue, size_t, void **handle))                                           \
    CALL(void, pinned_free, (fa__device *, void *queue, void *host, void *handle))                                     \
    /* ---- queues: work in order ---- */                                                                              \
    CALL(void *, queue_new, (fa__device *))                                                                            \
    CALL(void, queue_free, (fa__device *, void *queue))                                                                \
    CALL(void, flush, (void *queue)) /* what was issued begins, if the driver kept it back */                          \
    CALL(int, finish, (void *queue)) /* the host waits; FA__GPU_DONE or a failure; no error */                         \
    /* `event`, which may be NULL, takes an event that knows the copy's times. */                                      \
    CALL(bool, copy, (fa__device *, void *queue, const fa__gpu_copy *, void **event))                                  \
    /* `groups` of the kernel's size. The kernel's first parameters are FAULT in the dialect. */                       \
    CALL(bool, launch,                                                                                                 \
         (fa__device *, void *queue, const fa__gpu_kernel *, const uint64_t groups[3], void *fault, bool careful,      \
          const fa__gpu_arg *, int count))                                                                             \
    /* ---- events ---- */                                                                                             \
    CALL(void *, record, (fa__device *, void *queue)) /* done when the queue's work so far is; and what flush does */  \
    CALL(bool, follow, (fa__device *, void *queue, void *event)) /* the queue's later work comes behind the event */   \
    CALL(int, poll, (void *event))                               /* how far it is; no errors */                        \
    CALL(int, wait, (void *event)) /* the host waits: FA__GPU_DONE or a failure; no errors */                          \
    CALL(void, event_free, (void *event))                                                                              \
    CALL(bool, times, (void *event, int64_t *start, int64_t *end)) /* in ns by the device's clock; false: not known */ \
    /* ---- kernels ---- */                                                                                            \
    /* NULL and an error (fa__gpu_build_failed) on failure. With `bytes`: also what load_binary() takes, of            \
     * fa__malloc; *bytes NULL, and no error, when there is nothing. */                                                \
    CALL(void *, build, (fa__device *, const char *source, const char *entry, void **bytes, size_t *size))             \
    /* From these bytes; NULL, and no error, when the driver does not take them. */                                    \
    CALL(void *, load_binary, (fa__device *, const void *bytes, size_t size, const char *entry))                       \
    CALL(void, kernel_free, (fa__device *, void *handle))

/* Those that a kind may lack: NULL. */
#define FA__GPU_DRIVER_EXTRAS(CALL)                                                                                    \
    /* Memory that grows (range.h): addresses, with memory of the device that is mapped there in pieces. All sizes are \
     * multiples of the range's granule. A failure is no error. */                                                     \
    CALL(void *, reserve, (fa__device *, size_t size)) /* NULL: none */                                                \
    CALL(bool, map, (fa__device *, void *at, size_t size))                                                             \
    CALL(bool, unmap, (fa__device *, void *at, size_t size))                                                           \
    /* Tells a simulator that the host reads or writes pinned memory now. */                                           \
    CALL(void, host, (const void *memory, size_t bytes, bool write))                                                   \
    CALL(void *, native, (void *queue)) /* what the driver calls the queue */                                          \
    /* The queue becomes `native`, which the program has, or with `own` a new one of its own; its work is done. */     \
    CALL(bool, adopt, (fa__device *, void *queue, bool own, void *native))                                             \
    /* ---- graphs: work that is kept by the driver, and issued as a whole ---- */                                     \
    /* What is issued to the queue from now on is kept, and not run. False, and no error: the driver has no graphs. */ \
    CALL(bool, capture, (fa__device *, void *queue))                                                                   \
    /* Ends it. NULL, and no error: something cannot be kept. */                                                       \
    CALL(void *, capture_end, (fa__device *, void *queue))                                                             \
    CALL(void *, captured, (fa__device *, void *queue)) /* the launch that was kept last; NULL and an error */         \
    /* The same launch with other values, from the next time on. */                                                    \
    CALL(bool, graph_change,                                                                                           \
         (fa__device *, void *graph, void *captured, const fa__gpu_kernel *, const uint64_t groups[3], void *fault,    \
          bool careful, const fa__gpu_arg *, int count))                                                               \
    CALL(bool, graph_launch, (fa__device *, void *queue, void *graph))                                                 \
    CALL(void, graph_free, (fa__device *, void *graph))

#define FA__GPU_MEMBER(type, name, parameters) type(*name) parameters;
typedef struct fa__gpu_driver {
    const char *name;    /* "OpenCL" */
    const char *prelude; /* the dialect's words in the driver's language; comes before every source */
    const char *tensor;  /* the words for tensor cores (dialect/cuda_tensor.h says which); NULL: there are none */
    const char *options; /* for the compiler */
    bool peers; /* it copies between the memories of connected devices, and no kernel reaches the other one's */
    int stuck;  /* the code for work that the driver calls done while it still runs, */
    int behind; /* and for work that an earlier failure of another queue stopped */
    FA__GPU_DRIVER_CALLS(FA__GPU_MEMBER)
    FA__GPU_DRIVER_EXTRAS(FA__GPU_MEMBER)
    /* Where the memory begins that a kernel is given as a whole when it is given this address: all of it can be reached
     * by an offset. NULL entry: any address can be, from NULL. */
    const void *(*segment)(const fa__device *, const void *address);
    const struct fa__gpu_library *library; /* for products of matrices (gpu.h); NULL: there is none */
} fa__gpu_driver;

static inline void fa__gpu_host_access(const fa__gpu_driver *driver, const void *memory, size_t bytes, bool write)
{
    if (driver->host)
        driver->host(memory, bytes, write);
}

/* What makes a product: never it, whenever it can, where it is faster. */
typedef enum fa__gpu_use { FA__GPU_NEVER, FA__GPU_ALWAYS, FA__GPU_FASTER } fa__gpu_use;

/* Which products of a size are faster: not known, ours, the library's. */
typedef struct fa__gpu_verdict {
    enum { FA__GPU_UNKNOWN, FA__GPU_OURS, FA__GPU_LIBRARYS } whose;
    int seen; /* products, as long as it is not known */
} fa__gpu_verdict;
enum { FA__GPU_PRODUCT_SIZES = 3 };

/* At the start of device->own. */
typedef struct fa__gpu_device {
    const fa__gpu_driver *driver;
    bool f64;           /* it computes in f64 */
    bool bit_equal;     /* its results are the CPU's, to the bit */
    bool tensor;        /* it has tensor cores that driver->tensor knows */
    bool pinned;        /* the host's memory is not the device's: copies go through pinned memory */
    bool serial;        /* the driver's compiler must not run in several threads, nor beside launches */
    bool caches;        /* the driver has a disk cache of its own, and compiles once more to give a kernel's bytes */
    uint64_t groups;    /* work-groups that keep it busy */
    uint64_t max_group; /* work-items of a group: not fewer than fa__gpu_largest_group() */
    size_t max_args;    /* bytes of all arguments: not fewer than FA__GPU_LEAST_ARGS */
    /* The driver orders queues of two devices by events, and copies between them, if they have the same platform. */
    const void *platform;
    char identity[640]; /* what a compiled kernel depends on besides its source: platform, device, driver, versions */
    /* the layer's */
    fa__gpu_ranges ranges; /* of memory that grows */
    int number;            /* below FA__GPU_DEVICES, over all kinds: the place of its kernels and queues in tables */
    void *transfers;       /* a queue of the driver's, for halves of copies that other devices' queues make */
    _Atomic int lost;      /* what the driver said when it failed; 0: the device is well */
    fa__program copy;      /* y = x; fa__gpu_enroll makes it */
    fa__gpu_use library_use, tensor_use; /* of the library for products, and of our kernels on tensor cores */
    fa__gpu_verdict verdict[2][FA__GPU_PRODUCT_SIZES]; /* f32, f64; by size */
    int64_t library_products, tensor_products;         /* that the library, our kernels on tensor cores made */
    pthread_mutex_t launching;                         /* held during a launch: kernels keep arguments */
} fa__gpu_device;

/* The entries of fa__backend that all kinds of GPU share; a kind adds its name, and how many devices there are. */
#define FA__GPU_BACKEND                                                                                                \
    .gone = fa__gpu_gone_why, .close = fa__gpu_close, .allocate = fa__gpu_allocate, .release = fa__gpu_release,        \
    .queue_new = fa__gpu_queue_new, .queue_free = fa__gpu_queue_free, .wait = fa__gpu_wait, .after = fa__gpu_after,    \
    .ready = fa__gpu_ready, .copy = fa__gpu_copy_bytes, .mark = fa__gpu_mark_time, .has_kernel = fa__gpu_has_kernel,   \
    .prepare = fa__gpu_prepare, .discard = fa__gpu_discard, .run = fa__gpu_run, .run_list = fa__gpu_run_list,          \
    .replay = fa__gpu_replay, .replay_end = fa__gpu_replay_end
const char *fa__gpu_gone_why(void);
bool fa__gpu_open(fa__device *, const fa__gpu_driver *);
void fa__gpu_close(fa__device *);
void *fa__gpu_allocate(fa__device *, size_t);
void fa__gpu_release(fa__device *, void *, size_t);
fa__queue *fa__gpu_queue_new(fa__device *);
void fa__gpu_queue_free(fa__queue *);
void fa__gpu_wait(fa__queue *, uint64_t ticket);
bool fa__gpu_after(fa__queue *, fa__sync_point);
bool fa__gpu_ready(fa__queue *);
uint64_t fa__gpu_copy_bytes(fa__queue *, const fa__copy *);
uint64_t fa__gpu_mark_time(fa__queue *, fa__timestamp *);
bool fa__gpu_has_kernel(const fa__op *);
bool fa__gpu_prepare(fa__device *, fa__program *, fa__class);
void fa__gpu_discard(void *what);
uint64_t fa__gpu_run(fa__queue *, const fa__launch *);
uint64_t fa__gpu_run_list(fa__queue *, const fa__launch *const *, int count);
uint64_t fa__gpu_replay(fa__queue *, const fa__launches *, fa_settings *own, void **whole);
void fa__gpu_replay_end(fa__queue *, void *whole);

/* For build(): raises an error with the compiler's log from its first error on (NULL: there is none), and writes all of
 * it to the program's log. */
void fa__gpu_build_failed(const fa__device *, fa_code, const char *entry, int status, const char *log);
/* The work-items of the largest group that a kernel has: a device that has only smaller ones cannot be used. */
uint32_t fa__gpu_largest_group(void);
/* Gives a device that is opened its number. False, and an error, when there are too many. */
bool fa__gpu_enroll(fa__device *);
/* Frees the kernels of a device: it is closed. */
void fa__gpu_forget(fa__device *);
#endif
