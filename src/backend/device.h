/* What a backend is: one vtable, and the launches it is given. A launch is self-contained (a copy of the arguments,
 * and for each operand a pointer, dtype, shape and strides): never a tensor, never the caller's stack, so that it can
 * run late. Backends stand in the one array of backend/registry.c. */
#ifndef FA__BACKEND_DEVICE_H
#define FA__BACKEND_DEVICE_H
#include "core/device.h"
#include "core/op.h"
#include "core/program.h"
#include <facula/device.h>
#include <facula/scope.h>

typedef enum { FA__MEMORY, FA__VALUE_FLOAT, FA__VALUE_INT, FA__VALUE_KEY } fa__operand_kind;

/* Elements in a device's memory, or a value that stands for as many elements as are asked for. */
typedef struct fa__operand {
    void *data;    /* of element (0, ..., 0); NULL for values */
    uint8_t kind;  /* fa__operand_kind */
    uint8_t dtype; /* fa_dtype; of numbers FA_F64, FA_I64 or FA_BOOL */
    uint8_t rank;
    union {
        double f;
        int64_t i;
        fa__key key;
    } value;
    int64_t shape[FA_MAX_DIMS];
    int64_t stride[FA_MAX_DIMS]; /* in elements */
} fa__operand;

/* An operand with one dimension at least: a 0-dim one as one element along it. */
static inline fa__operand fa__as_line(const fa__operand *x)
{
    fa__operand line = *x;
    if (!line.rank) {
        line.rank = 1;
        line.shape[0] = 1;
        line.stride[0] = 0;
    }
    return line;
}

typedef enum {
    FA__LAUNCH_KERNEL,  /* the device's kernel of `op`: operands have their own shapes */
    FA__LAUNCH_PROGRAM, /* `program` for each element of `shape`: operands have strides over `shape` */
    FA__LAUNCH_REDUCE   /* the value of `program` over `shape`, combined over the dimensions from `kept` on */
} fa__launch_kind;

typedef enum { FA__COMBINE_SUM, FA__COMBINE_PROD, FA__COMBINE_MAX, FA__COMBINE_MIN } fa__combine;

/* What an element of 0 tells where none may be (check_zeros): of tests such as w >= 0, that they fail. */
typedef enum { FA__ZERO_DIVISOR, FA__ZERO_NEGATIVE, FA__ZERO_WEIGHTS } fa__zero;

/* What a kernel found wrong, for the host to report: an index out of range, a division by zero. The first one stays.
 * `code` is written last. */
typedef struct fa__fault {
    _Atomic int32_t code; /* fa_code; 0: none */
    int32_t dim;          /* of a 0: fa__zero; of an index: the dimension that has no such place, */
    int64_t value, size;  /* the index, and the size of that dimension */
    int64_t position;     /* which element of the operand that is read, in logical order */
} fa__fault;

typedef struct fa__launch {
    uint8_t kind;        /* fa__launch_kind */
    uint8_t compute;     /* fa__class of the program */
    uint8_t combine;     /* fa__combine */
    uint8_t rank;        /* of shape */
    uint8_t kept;        /* REDUCE: dimensions that stay; outputs have stride 0 over the others */
    uint8_t error_dtype; /* KERNEL: the dtype that errors report for what op overwrites; FA_SAME: its operand's */
    bool overwrites;     /* it writes over values: they stay if work before it went wrong and nobody was told so yet */
    uint16_t outputs;    /* operand[0 .. outputs) are written, */
    uint16_t operands;   /* the rest, up to this number, are read */
    const fa__op *op;
    const fa__op *caller; /* of kernels: what the program called, op itself or an operation that is composed of it */
    const fa__program *program; /* its input i is operand[outputs + i]; KERNEL: what follows the kernel, or NULL */
    const void *args;           /* the operation's arguments; their tensors are not to be followed */
    fa__fault *fault;
    int64_t shape[FA_MAX_DIMS];
    fa__operand operand[];
} fa__launch;

/* A launch on the stack, with room for n operands. */
#define FA__LAUNCH_ROOM(n)                                                                                             \
    union {                                                                                                            \
        fa__launch launch;                                                                                             \
        _Alignas(16) char bytes[sizeof(fa__launch) + (n) * sizeof(fa__operand)];                                       \
    }

static inline size_t fa__launch_size(const fa__launch *l)
{
    return sizeof *l + l->operands * sizeof l->operand[0];
}

/* Copies a launch with its arguments to `room`, which has this many bytes and is aligned to 16 (backend/launch.c). */
size_t fa__launch_copy_size(const fa__launch *);
fa__launch *fa__launch_copy(const fa__launch *, void *room);

/* How one kind of device does an operation in its own way, for instance by a vendor's library, in the place of the
 * kernel (FA__LAUNCH_KERNEL). Returns what `run` returns, or FA__DECLINED, and sets no error, for calls that the kernel
 * is to do. OVERRIDE(kind, operation) { ... } in the folder of the kind defines one; the generator finds it. */
typedef uint64_t fa__override(fa__queue *queue, const fa__launch *l);
#define FA__DECLINED UINT64_MAX
#define OVERRIDE(kind, name)                                                                                           \
    fa__override fa__##kind##_over_##name;                                                                             \
    uint64_t fa__##kind##_over_##name(fa__queue *queue, const fa__launch *l)

/* Bytes that go from one device to another; one of the two may be the host, whose device is NULL. The copy is issued to
 * a queue of one of them: the target's when both have queues, unless a stream of the source's is in force. */
typedef struct fa__copy {
    const fa__op *op; /* on whose behalf, for reports */
    void *to;
    const void *from;
    size_t bytes;
    fa__device *to_device, *from_device; /* NULL: the host */
    bool overwrites;                     /* as in a launch */
    uint32_t age;                        /* of the ledger, for fa__ledger_copy_time */
} fa__copy;

/* Launches that a program recorded (backend/capture/): those that were issued together, one or a list (run_list), and
 * what their call read of the settings. */
typedef struct fa__recorded {
    size_t first; /* launch */
    int count;
    bool changes; /* it has a key of random numbers, another one in each replay */
    bool deterministic, tf32;
    const char *line; /* of the program's call; NULL: not known */
} fa__recorded;

typedef struct fa__launches {
    fa__launch *const *launch;
    const fa__recorded *issue;
    size_t issues;
} fa__launches;

/* Issues what was issued together in the recording, with its line and its settings, for which `own` is room: a copy of
 * those in force. */
uint64_t fa__recorded_issue(fa__queue *, const fa__launches *, size_t i, fa_settings *own);

/* A device's entries. Those that issue work return its ticket, or 0 after setting an error; they are called with the
 * device's lock held, and only for devices with a queue. */
typedef struct fa__backend {
    const char *name;
    int32_t kind;             /* FA__CPU, ... */
    int (*count)(void);       /* how many devices there are */
    int (*gpus)(void);        /* how many of these, the first ones, are GPUs; NULL: none */
    const char *(*why)(void); /* why there are none, or which others cannot be used, and why; "": there are no others */
    const char *(*gone)(void);  /* why they cannot be used any more: this is the child of a fork; NULL: they can */
    bool (*open)(fa__device *); /* fills host, shapes_only, queue, own */
    void (*close)(fa__device *);
    void (*properties)(fa__device *, fa_device_properties *);
    void *(*allocate)(fa__device *, size_t); /* NULL when there is no more; sets no error */
    void (*release)(fa__device *, void *, size_t);
    fa__queue *(*queue_new)(fa__device *);
    void (*queue_free)(fa__queue *);            /* when the device is closed */
    void (*wait)(fa__queue *, uint64_t ticket); /* the host waits; called without the lock */
    bool (*after)(fa__queue *,
                  fa__sync_point); /* later work of the queue runs behind the stamp's; any backend's stamp */
    /* Before work is issued, and before it is looked whether its operands are sound: ends the fault that the queue is
     * behind, if that was reported. False after an error. */
    bool (*ready)(fa__queue *);
    uint64_t (*copy)(fa__queue *, const fa__copy *);
    /* Issues work that writes the time when all work before it is done, and holds a reference to the moment until then.
     * NULL: the device cannot tell. */
    uint64_t (*mark)(fa__queue *, fa__timestamp *);
    bool (*has_kernel)(const fa__op *);
    bool (*prepare)(fa__device *, fa__program *, fa__class); /* compiles a program that is new to the device */
    void (*discard)(void *compiled); /* frees what prepare left in a program's `compiled`; NULL: it is fa__malloc's */
    /* Host devices: queue NULL, returns 1. FA_ERROR_UNAVAILABLE before anything is issued for what the device does not
     * do, which .fallback gives to the CPU; programs that only pass an input on are done in every dtype. */
    uint64_t (*run)(fa__queue *, const fa__launch *);
    /* Launches of one program in one class (FA__LAUNCH_PROGRAM), none of which touches what another one writes, in any
     * order and as few pieces of work as the device can. Returns the ticket of the last one. NULL: `run` does each. */
    uint64_t (*run_list)(fa__queue *, const fa__launch *const *, int count);
    /* Issues a recording as a whole, or FA__DECLINED: then each of its issues is by itself. What the device keeps for
     * the next time is in *whole, NULL at first; replay_end frees it when all replays are done. NULL: always declined.
     */
    uint64_t (*replay)(fa__queue *, const fa__launches *, fa_settings *own, void **whole);
    void (*replay_end)(fa__queue *, void *whole);
    fa__override *const *overrides; /* by the operations' numbers; NULL: none */
    /* Room for one more launch of so many operands by this thread, which then cannot fail for memory; 0: gives back
     * what is left. May be NULL. */
    bool (*reserve)(fa__queue *, int operands);
} fa__backend;

/* A FA__LAUNCH_KERNEL by the device's override of an operation, which takes the launch's arguments: of its own, mostly.
 * FA__DECLINED: by none. */
static inline uint64_t fa__run_override(const fa__device *d, fa__queue *queue, const fa__launch *l, int op)
{
    fa__override *const *overrides = d->backend->overrides;
    return overrides && overrides[op] ? overrides[op](queue, l) : FA__DECLINED;
}

/* The device of that name, opened when first used; NULL and FA_ERROR_DEVICE or FA_ERROR_UNAVAILABLE when there is none.
 */
fa__device *fa__device_get(fa_device);
extern const fa__backend *const fa__backends[FA__BACKENDS]; /* NULL: left out of the build */

/* ---- stream.c ---- */
/* Frees the streams that are kept for later, and their queues. */
void fa__streams_close(fa__device *);
/* The queue of a stream, or with NULL that in force of the current device; both are NULL where work is done at once.
 * False and an error in the name of who asks. */
bool fa__stream_queue(const fa_stream *, const char *who, fa__device **, fa__queue **);
/* ---- event.c ---- */
/* Drops a reference. */
void fa__timestamp_drop(fa__timestamp *);

extern fa__device fa__cpu_device; /* always there */
#endif
