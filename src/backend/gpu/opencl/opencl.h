/* What the files of the OpenCL backend share: platforms and devices, memory behind addresses, queues and their work. */
#ifndef FA__BACKEND_GPU_OPENCL_OPENCL_H
#define FA__BACKEND_GPU_OPENCL_OPENCL_H
#include "backend/gpu/driver.h"
#include "backend/gpu/opencl/api.h"
#include "backend/telling.h"

enum {
    FA__OPENCL_DEVICES = 16,
    FA__OPENCL_QUEUES = 64,                   /* of a device, its own among them */
    FA__OPENCL_OPEN = 1024,                   /* pieces of work of a queue that are not done: more wait for the first */
    FA__OPENCL_LOOKS = 2 * FA__OPENCL_OPEN,   /* copies of a queue's fault word */
    FA__OPENCL_STAINS = 16,                   /* faults of a queue that are remembered when they are over, */
    FA__OPENCL_DEBTS = 64,                    /* and threads that are still to be told: older ones are forgotten */
    FA__OPENCL_SIGHTS = 16,                   /* looks of a queue at others that are remembered */
    FA__OPENCL_STAGING = 16 << 20,            /* bytes of pinned memory of a queue, for copies */
    FA__OPENCL_CHUNK = FA__OPENCL_STAGING / 4 /* of one copy through it */
};

typedef struct fa__opencl_platform {
    cl_platform_id id;
    char name[96], version[128];
    cl_device_id device[FA__OPENCL_DEVICES]; /* those that we use */
    cl_uint devices;
    cl_context context; /* one for all of them, made when the first one is opened */
    int open;           /* devices that are */
} fa__opencl_platform;

/* Whose products of a size are faster: not known, ours, CLBlast's. */
typedef struct fa__opencl_verdict {
    enum { FA__OPENCL_UNKNOWN, FA__OPENCL_OURS, FA__OPENCL_CLBLAST } whose;
    int seen; /* products, as long as it is not known */
} fa__opencl_verdict;
enum { FA__OPENCL_PRODUCTS = 3 };

typedef struct fa__opencl_device {
    fa__gpu_device gpu; /* first: see driver.h */
    cl_device_id id;
    fa__opencl_platform *platform;
    bool is_gpu, correct; /* correct: division and roots are rounded correctly */
    bool pinned;          /* the host's memory is not the device's: copies go through pinned memory */
    char identity[640];
    cl_command_queue transfers; /* reads, and writes, on behalf of other devices' queues */
    const fa__op *issuing; /* whose launch is being issued: what the driver waits for meanwhile is counted for it */
    int clblast;           /* 0: never, 1: whenever it can, -1: where it is faster */
    fa__opencl_verdict verdict[2][FA__OPENCL_PRODUCTS]; /* f32, f64; by size */
    int64_t products;                                   /* that CLBlast made */
    _Atomic cl_int lost;                                /* what its driver said when it failed; 0: it is well */
} fa__opencl_device;

/* A launch that may write the queue's fault word: one of the library's kernels, or that which takes over the fault of
 * another queue. */
typedef struct fa__opencl_suspect {
    char name[64]; /* of the kernel */
    bool known;    /* there is a launch */
    struct fa__opencl_queue *queue;
    uint64_t ticket;
    int place;                          /* of the word's copy behind it, */
    _Atomic int users;                  /* which its work needs, and other queues' work that takes it over */
    _Atomic int owners;                 /* these, the stains that it is guilty of, and other suspects */
    uint64_t born;                      /* the last telling of any fault when it was issued */
    fa__tellings told;                  /* of its own fault */
    struct fa__opencl_suspect *source;  /* whose copy it takes over; NULL: it is a launch of its own, or was sound */
    bool copied;                        /* it has done so */
    struct fa__opencl_suspect *culprit; /* whose fault stands in its copy; NULL: its own, or none */
    _Alignas(16) char launch[];         /* a fa__launch, its operands and its arguments */
} fa__opencl_suspect;

/* What a fault may have kept from being done: the work of one epoch of the queue's from the launch on that found it. */
typedef struct fa__opencl_stain {
    uint32_t epoch;
    uint64_t from, until; /* until: UINT64_MAX as long as the fault stands */
    fa__opencl_suspect *guilty;
    fa__fault fault;
    bool untold; /* nobody was told who used such work */
} fa__opencl_stain;

/* A thread whose work is in a stain, the first such work from `ticket` on. It is to be told, whoever else was. */
typedef struct fa__opencl_debt {
    uint32_t thread, epoch;
    uint64_t ticket;
} fa__opencl_debt;

/* A piece of work: that of ticket t is work[t % FA__OPENCL_OPEN] of its queue. Its place is used again when the work is
 * done and its callback was called, whichever comes last. */
typedef struct fa__opencl_work {
    struct fa__opencl_queue *queue;
    cl_event event, other; /* other: the half of a copy that another device's queue does; NULL: there is none */
    _Atomic cl_int status;
    _Atomic bool called; /* the driver has called back; false from issue on */
    const char *call;    /* the function that issued it, for messages */
    /* copies */
    const fa__op *op;
    const fa__device *from, *to; /* NULL: the host */
    bool timed;
    uint32_t age; /* of the ledger */
    char *target; /* memory of the host that it writes: `bytes`; NULL: none */
    size_t bytes;
    const void *staged;       /* these come from here when it is done; NULL: the device writes them itself */
    uint64_t staging_end;     /* what the queue may use again of its pinned memory; 0: it has none of it */
    fa__timestamp *timestamp; /* takes the time when it is done; a reference; NULL: nobody asks */
    /* launches that may fault */
    fa__opencl_suspect *suspect;
    uint32_t epoch, thread; /* thread: who issued it */
    bool overwrites;        /* what it stages stays aside behind a fault */
} fa__opencl_work;

/* A thread had the device look at another queue's fault word, up to that queue's ticket, in an epoch of its own. */
typedef struct fa__opencl_sight {
    const struct fa__opencl_queue *of;
    uint64_t ticket;
    uint32_t epoch, thread;
} fa__opencl_sight;

typedef struct fa__opencl_queue {
    fa__queue base;
    bool used;
    cl_command_queue queue;
    fa__opencl_device *device;
    pthread_mutex_t lock; /* of what follows; issuing is under the device's */
    fa__opencl_work *work;
    uint64_t known;            /* work up to this ticket is done, as the driver told somebody who waited */
    _Atomic uint64_t last_new; /* the last launch of a kernel that had not been launched before */
    /* pinned memory: a ring of bytes, given out and given back in order; positions only grow */
    cl_mem staging;
    char *staging_host;
    uint64_t staging_first, staging_next;
    uint64_t last_read;   /* the last work that writes memory of the host; */
    uint64_t last_staged; /* the host does it at the end */
    /* faults: one word of the device's memory, with room for that of another queue behind it, and one copy of it for
     * each launch that may have written it */
    cl_mem fault, fault_copies;
    fa__fault *fault_host;
    _Atomic bool *taken;        /* places in it */
    unsigned next_look;         /* where to look for a free one */
    fa__opencl_suspect *source; /* of what is being issued; */
    bool source_known;          /* not its copy, but what was found is taken over */
    const fa__launch *launch;   /* what is being issued; NULL: a kernel by itself */
    bool checked;               /* a kernel of that launch may raise a fault: what comes behind it looks */
    fa__block *scratch;
    uint32_t epoch;    /* how often the word was cleared */
    bool forgive;      /* the host has seen the fault: the word is to be cleared */
    uint64_t tellings; /* how often threads had been told of a fault when work was issued last */
    fa__opencl_stain stain[FA__OPENCL_STAINS]; /* in order */
    fa__opencl_debt debt[FA__OPENCL_DEBTS];
    int stains, debts;
    fa__opencl_sight seen[FA__OPENCL_SIGHTS]; /* by thread and queue */
    _Atomic uint64_t last_suspect;            /* the last launch that may raise a fault */
    cl_int failed;                            /* a piece of work ended with this status; 0: none; */
    const char *failed_call;
    uint64_t failed_ticket;
    uint32_t failed_threads; /* the last thread there was when the first one was told: none of the later ones is */
    fa__tellings failed_told;
} fa__opencl_queue;

/* ---- load.c ---- */
extern bool fa__opencl_usual; /* it is the system's libOpenCL.so.1, which other libraries use, too */
/* Finds the functions: of the process itself, or of libOpenCL.so.1. False, with the reason, when there are none. */
bool fa__opencl_load(const char **why);
const char *fa__opencl_error_name(cl_int status); /* "CL_OUT_OF_RESOURCES" */
/* True for CL_SUCCESS; else an error that names device and call: FA_ERROR_MEMORY when memory was lacking, otherwise
 * FA_ERROR_DEVICE. */
bool fa__opencl_good(const fa__device *, cl_int status, const char *call);
#define FA__OPENCL_TRY(device, call, ...) fa__opencl_good(device, fa__opencl.call(__VA_ARGS__), #call)

/* ---- device.c ---- */
int fa__opencl_count(void);
int fa__opencl_gpus(void);
const char *fa__opencl_why(void);
const char *fa__opencl_gone_why(void);
/* This thread uses a device: what is to be done when it ends is. */
void fa__opencl_register_end(void);
bool fa__opencl_open(fa__device *);
void fa__opencl_close(fa__device *);
void fa__opencl_properties(fa__device *, fa_device_properties *);
const char *fa__opencl_identity(fa__device *);
static inline fa__opencl_device *fa__opencl_own(const fa__device *d)
{
    return d->own;
}

/* ---- memory.c ---- */
void *fa__opencl_allocate(fa__device *, size_t);
void fa__opencl_release(fa__device *, void *, size_t);
/* The buffer that an address lies in, and how far from its beginning. NULL, and an error, when it is none of this
 * device's. */
cl_mem fa__opencl_find(const fa__device *, const void *address, size_t *offset);
/* Where this buffer begins. */
const void *fa__opencl_segment(const fa__device *, const void *address);
/* Memory of the host that the device copies from and to without a stop. */
void *fa__opencl_pinned(const fa__device *, cl_command_queue, size_t, cl_mem *);
void fa__opencl_pinned_free(cl_command_queue, cl_mem, void *);
/* The locks of memory and of queues, around a fork. */
void fa__opencl_memory_at_fork(int moment);

/* ---- queue.c ---- */
extern fa__opencl_queue fa__opencl_queues[FA__OPENCL_DEVICES][FA__OPENCL_QUEUES]; /* by the device's number */
/* Why the driver is not to be called any more: this is the child of a fork, or the process is ending. NULL: it may be.
 * What it has is kept then, where leak checkers see it. */
extern const char *_Atomic fa__opencl_gone;
fa__queue *fa__opencl_queue_new(fa__device *);
void fa__opencl_queue_free(fa__queue *);
/* Frees all queues of a device: it is closed. */
void fa__opencl_queues_end(fa__device *);
/* Waits for all queues of a device; of all devices, raising nothing. */
void fa__opencl_finish(void *device);
void fa__opencl_finish_all(void);
/* Waits for all kernels that were launched for the first time, raising nothing: the driver may be compiling them. */
void fa__opencl_finish_new(void);

/* ---- work.c ---- */
/* False and an error when the device is lost, or the driver not to be called any more. */
bool fa__opencl_well(const fa__device *);
/* A place for a piece of work that is about to be issued; may have to wait for the oldest. NULL after an error: the
 * device is lost, or the process was forked. Nothing is lost when the place is then not used. */
fa__opencl_work *fa__opencl_begin(fa__opencl_queue *, const fa__op *);
/* The work was issued and has an event: gives it its ticket. */
uint64_t fa__opencl_commit(fa__opencl_work *, cl_event, const char *call);
/* Work that does nothing; and that writes the time when it is done. */
uint64_t fa__opencl_nothing(fa__opencl_queue *);
uint64_t fa__opencl_mark(fa__queue *, fa__timestamp *);
void fa__opencl_leave(fa__opencl_queue *); /* releases the queue's lock */
void fa__opencl_wait(fa__queue *, uint64_t ticket);
void fa__opencl_wait_quietly(fa__opencl_queue *, uint64_t ticket); /* raises nothing */
uint64_t fa__opencl_issued(fa__opencl_queue *);                    /* the last ticket */
/* The event of a piece of work that is not put away, to be released; NULL: it is done. */
cl_event fa__opencl_event_of(fa__opencl_queue *, uint64_t ticket);
static inline fa__opencl_work *fa__opencl_work_of(const fa__opencl_queue *q, uint64_t ticket)
{
    return &q->work[ticket % FA__OPENCL_OPEN];
}

static inline uint64_t fa__opencl_done(fa__opencl_queue *q)
{
    return atomic_load_explicit(&q->base.done, memory_order_acquire);
}

/* ---- order.c ---- */
bool fa__opencl_after(fa__queue *, fa__sync_point);
/* The host is about to read this memory on behalf of the queue's next work: waits for earlier work that writes it. */
void fa__opencl_before_host_read(fa__opencl_queue *, const fa__op *, const void *from, size_t bytes);

/* ---- copy.c ---- */
uint64_t fa__opencl_copy(fa__queue *, const fa__copy *);
/* Scratch memory that holds these bytes of the host's. */
void *fa__opencl_upload(fa__queue *, const void *bytes, size_t size);

/* ---- build.c ---- */
/* The handle of a fa__gpu_kernel. */
typedef struct fa__opencl_kernel {
    cl_program program;
    cl_kernel kernel;
    struct fa__opencl_kernel *next; /* of those that the child of a fork cannot free */
    bool launched;                  /* once: many drivers compile to the end only then */
} fa__opencl_kernel;

extern const char fa__opencl_options[];
void *fa__opencl_build(fa__device *, const char *source, const char *entry);
void *fa__opencl_load_binary(fa__device *, const void *bytes, size_t size, const char *entry);
void *fa__opencl_binary(fa__device *, void *handle, size_t *size);
void fa__opencl_kernel_free(fa__device *, void *handle);

/* ---- launch.c ---- */
uint64_t fa__opencl_launch(fa__queue *, const fa__gpu_kernel *, const uint64_t groups[3], const fa__gpu_arg *,
                           int count);
void *fa__opencl_scratch(fa__queue *, size_t bytes);
uint64_t fa__opencl_run(fa__queue *, const fa__launch *);
uint64_t fa__opencl_run_list(fa__queue *, const fa__launch *const *, int count);

/* ---- suspect.c ---- */
/* What is told of the launch that is being issued, by a kernel of that name; NULL, and an error, without memory. */
fa__opencl_suspect *fa__opencl_suspect_new(fa__opencl_queue *, const char *name, const fa__op *);
/* One more owner; and a user of its copy. */
void fa__opencl_own_suspect(fa__opencl_suspect *);
void fa__opencl_use(fa__opencl_suspect *);
/* One owner less; and one user. NULL: nothing. */
void fa__opencl_disown(fa__opencl_suspect *);
void fa__opencl_drop(fa__opencl_suspect *);
/* Its copy of the source's copy is made, or never will be. What it found is known then: only a fault may have to be
 * looked for where it came from. */
void fa__opencl_let_go(fa__opencl_suspect *, bool faulty);
/* Whose fault it was at first. */
fa__opencl_suspect *fa__opencl_origin(fa__opencl_suspect *);

/* ---- fault.c ---- */
/* Looks at the copy of the fault word behind a launch that is over; the queue's lock is held. */
void fa__opencl_judge(fa__opencl_work *, uint64_t ticket, bool good);
/* Raises what work up to the ticket found wrong: for the first thread that waits, and for those whose work is behind
 * it. */
void fa__opencl_surface(fa__opencl_queue *, uint64_t ticket);
/* Before work is issued: clears the fault word when the program was told of the fault, by this queue or by another one
 * that has it. Later work runs again. */
bool fa__opencl_forgive(fa__opencl_queue *);
/* Whether a fault stands in front of what is issued next: no; that is not known yet; yes. */
typedef enum { FA__OPENCL_SOUND, FA__OPENCL_UNSURE, FA__OPENCL_FAULTY } fa__opencl_health;
fa__opencl_health fa__opencl_health_of(fa__opencl_queue *);
/* What comes behind this work of another queue is as faulty as that: the device finds out, where it is not known; and
 * this thread is told of what others were told of before. False after an error. */
bool fa__opencl_hand_over(fa__opencl_queue *, fa__opencl_queue *other, uint64_t ticket);

/* ---- stain.c ---- */
/* With the queue's lock held: a fault that was found; the last one, or NULL; whether it stands; whether it stood when
 * this work was done, that is put away, or is not done; and the work with that ticket was issued, maybe behind it. */
void fa__opencl_stain_new(fa__opencl_queue *, fa__opencl_suspect *guilty, const fa__fault *, uint64_t ticket);
fa__opencl_stain *fa__opencl_last_stain(const fa__opencl_queue *);
bool fa__opencl_is_stained(const fa__opencl_queue *);
bool fa__opencl_stands(const fa__opencl_work *);
void fa__opencl_owe(fa__opencl_queue *, uint64_t ticket);
/* Work of this thread behind a fault that others were told of, and it was not; 0: none. The queue's lock is held. */
uint64_t fa__opencl_unpaid(const fa__opencl_queue *);
/* The next stain behind `found`, which begins with epoch 0, that this thread may have to be told of when it uses work
 * up to the ticket: then it owns the suspect, too, and is `untold` when nobody was told and the work is in it. False:
 * there is none. */
bool fa__opencl_next_stain(fa__opencl_queue *, uint64_t ticket, fa__opencl_stain *found);
/* This thread knows of it now. */
void fa__opencl_settle(fa__opencl_queue *, const fa__opencl_stain *);
void fa__opencl_stains_end(fa__opencl_queue *);

/* ---- product.c: matrix products by CLBlast ---- */
/* What the environment says: FACULA_CLBLAST. */
void fa__opencl_product_begin(fa__opencl_device *);
/* CLBlast lets go of what it has of contexts and programs. */
void fa__opencl_product_end(void);

/* ---- backend.c ---- */
extern const fa__gpu_driver fa__opencl_driver;
extern const fa__backend fa__backend_opencl;
#endif
