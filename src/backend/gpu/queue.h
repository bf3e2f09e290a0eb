/* The issue layer of all kinds of GPU, as its files share it: queues, the work on them that is not done, and what is
 * being issued. Issuing is under the device's lock; what other threads look at is under the queue's. */
#ifndef FA__BACKEND_GPU_QUEUE_H
#define FA__BACKEND_GPU_QUEUE_H
#include "backend/gpu/driver.h"
#include "backend/gpu/jobs.h"
#include "core/faults.h"

enum {
    FA__GPU_QUEUES = 64,                 /* of a device, its own among them */
    FA__GPU_OPEN = 1024,                 /* tickets of a queue that are not done: who issues more waits */
    FA__GPU_MARKS = 2 * FA__GPU_OPEN,    /* events of a queue */
    FA__GPU_STRIDE = 32,                 /* tickets between two events that nobody asked for */
    FA__GPU_FLUSH = 8,                   /* and between two flushes */
    FA__GPU_CHECKS = 2 * FA__GPU_OPEN,   /* copies of a queue's fault word */
    FA__GPU_SEEN = 16,                   /* other queues whose faults were looked at last */
    FA__GPU_STAGING = 16 << 20,          /* bytes of pinned memory of a queue, for copies */
    FA__GPU_CHUNK = FA__GPU_STAGING / 4, /* of one copy through it */
    FA__GPU_CLEAR = FA__GPU_CHECKS,      /* the place, behind these, of a word that is always clear, */
    FA__GPU_BROKEN,                      /* and of that of a launch which could not be issued */
    FA__GPU_COPIES,                      /* all places */
    FA__GPU_WORD = 128                   /* bytes of a fault word, with room behind it for that of another queue */
};

/* A launch that may have written the fault word: an operation's, or the one that takes over another queue's fault. The
 * word is copied to the host behind it. It lives until its work is done, and all that looks at the copy. */
typedef struct fa__gpu_check {
    struct fa__gpu_queue *queue;
    uint64_t ticket;
    int place;                           /* of the copy; -1: within a graph, which has one copy behind all */
    _Atomic int users;                   /* its work, and other queues' launches that take the copy over */
    struct fa__gpu_check *source;        /* whose copy it takes over; NULL: it is an operation's */
    const struct fa__gpu_capture *graph; /* it is that of a graph's launches, which have checks of their own; or NULL */
    const char *name;                    /* of the kernel */
    const char *line;                    /* of the program's call */
    bool known;                          /* there is a launch */
    _Alignas(16) char launch[];          /* a fa__launch, its operands and its arguments: for the message */
} fa__gpu_check;

/* Work that leaves something to do when it is done. Plain launches leave nothing, and are not among it. */
typedef struct fa__gpu_work {
    uint64_t ticket;
    const fa__op *op;
    /* copies */
    const fa__device *from, *to; /* NULL: the host */
    void *event;                 /* which knows the time; its mark owns it. NULL: nobody asks */
    void *other;                 /* the half that another device's queue does; NULL: there is none */
    uint32_t age;                /* of the ledger */
    bool timed;
    bool overwrites;    /* it writes over values: staged bytes stay aside behind a fault */
    char *target;       /* memory of the host that it writes: `bytes`; NULL: none */
    const void *staged; /* these come from here when it is done; NULL: the device writes them itself */
    size_t bytes;
    uint64_t staging_end;     /* what may be used again of the queue's pinned memory; 0: it has none of it */
    fa__timestamp *timestamp; /* takes the time; a reference; NULL: nobody asks */
    fa__gpu_check *check;     /* whose copy of the fault word is looked at; NULL: there is none */
} fa__gpu_work;

/* An event behind all work up to a ticket. */
typedef struct fa__gpu_mark {
    uint64_t ticket;
    void *event;
    const char *call; /* what made it, for messages */
    int users;        /* threads that wait for it */
    bool waited;      /* a wait for its event has returned */
} fa__gpu_mark;

typedef struct fa__gpu_queue {
    fa__queue base;
    bool used;
    fa__gpu_device *gpu;
    void *handle; /* the driver's */
    pthread_mutex_t lock;
    /* rings, by numbers that only grow */
    fa__gpu_work *work;
    uint64_t work_first, work_next;
    fa__gpu_mark *mark;
    uint64_t mark_freed, mark_first, mark_next; /* before `first` they are done, before `freed` freed, too */
    _Atomic uint64_t marked;                    /* the last ticket with an event behind it */
    _Atomic uint64_t last_new;                  /* the last launch of a kernel that had not been launched before */
    /* pinned memory: a ring of bytes, given out and given back in order */
    char *staging;
    void *staging_handle;
    uint64_t staging_first, staging_next;
    uint64_t last_read;   /* the last work that writes memory of the host; */
    uint64_t last_staged; /* the host does it at the end */
    /* faults */
    void *word;        /* in the device's memory */
    fa__fault *copies; /* FA__GPU_CHECKS of them, and the two below */
    void *copies_handle;
    _Atomic bool *taken; /* places in it */
    unsigned next_place;
    uint64_t last_check;   /* the last launch that may raise a fault, */
    uint64_t last_inherit; /* and the last one that takes over another queue's */
    uint64_t reports;      /* how many faults had been reported when work was issued last */
    struct {
        const struct fa__gpu_queue *of;
        uint64_t ticket; /* of the last check of that queue whose fault was taken over */
    } seen[FA__GPU_SEEN];
    /* What waits for kernels to be compiled, and what was issued behind it (held.c). */
    struct fa__gpu_held *held_first, *held_last;
    _Atomic bool holds;
    bool shared; /* the program issues to it, too, behind what calls of the library issued: nothing waits */
    struct {
        uint64_t ticket;
        fa__fault_note *note; /* NULL: none */
    } broken;      /* a launch that could not be issued when its turn came; until the work before it is put away */
    int compiling; /* threads that have let go of the device's lock within an operation: no fault may be cleared */
    pthread_cond_t compiled;
    struct fa__gpu_capture
        *capture; /* it takes the work of a graph that is made: graph.c; NULL: it is an ordinary one */
} fa__gpu_queue;

/* An operation that is being issued: on the stack of fa__gpu_run, with the device's lock held. */
struct fa__gpu_issue {
    fa__gpu_queue *queue;
    fa__device *device;
    const fa__launch *launch; /* NULL: a kernel by itself */
    const fa__op *op;         /* on whose behalf; may be NULL */
    bool checked;             /* a kernel of it may raise a fault: what comes behind it looks */
    fa__block *scratch;
};

static inline fa__gpu_device *fa__gpu_own(const fa__device *d)
{
    return d->own;
}

static inline bool fa__gpu_connected(const fa__device *a, const fa__device *b)
{
    return fa__gpu_own(a)->driver == fa__gpu_own(b)->driver && fa__gpu_own(a)->platform == fa__gpu_own(b)->platform;
}

static inline uint64_t fa__gpu_done(fa__gpu_queue *q)
{
    return atomic_load_explicit(&q->base.done, memory_order_acquire);
}

/* ---- queue.c ---- */
extern fa__gpu_queue fa__gpu_queues[FA__GPU_DEVICES][FA__GPU_QUEUES]; /* by the device's number */
/* Why no driver is to be called any more: this is the child of a fork, or the process is ending. NULL: they may be.
 * What they have is kept then, where leak checkers see it. */
extern const char *_Atomic fa__gpu_gone;
/* Frees all queues of a device: it is closed. */
void fa__gpu_queues_end(fa__device *);
/* Waits for all queues of a device. */
void fa__gpu_finish(void *device);
/* The next queue of a device that is in use, from number `*i` on; NULL: there is none. */
fa__gpu_queue *fa__gpu_next_queue(const fa__device *, int *i);
/* Waits for all queues of all devices, raising nothing; or only for kernels that were launched for the first time: the
 * driver may be compiling them. */
void fa__gpu_finish_all(bool only_new);
uint64_t fa__gpu_issued(fa__gpu_queue *);
/* Puts what is not done, on any queue of the device, behind a fault. */
void fa__gpu_fail_pending(const fa__device *, fa__fault_note *);
/* Pinned memory of the host for the queue's copies; NULL and an error. */
void *fa__gpu_pinned(fa__gpu_queue *, size_t, void **handle);

/* ---- work.c ---- */
/* False and an error when the device is lost, or the driver not to be called any more. */
bool fa__gpu_well(const fa__device *);
/* Room for one more ticket; may have to wait for the oldest. False after an error. */
bool fa__gpu_begin(fa__gpu_queue *, const fa__op *);
/* The next ticket, for what was issued. NULL: it leaves nothing to do when it is done. `event` is done when the work
 * is; NULL: there is none. `call` says what made it. */
uint64_t fa__gpu_commit(fa__gpu_queue *, const fa__gpu_work *, void *event, const char *call);
/* Asks the driver how far the queue has come, and puts away what is done. */
void fa__gpu_advance(fa__gpu_queue *);
void fa__gpu_wait_quietly(fa__gpu_queue *, uint64_t ticket); /* raises nothing */
/* The same, counted for an operation, if it is not known to be done. */
void fa__gpu_wait_inside(fa__gpu_queue *, uint64_t ticket, const fa__op *);
void fa__gpu_poll(fa__queue *, uint64_t ticket);
/* An event behind the ticket, or behind later work; NULL: the work is done, or the driver failed. The queue's lock is
 * held. */
fa__gpu_mark *fa__gpu_mark_behind(fa__gpu_queue *, uint64_t ticket);

/* ---- check.c ---- */
/* A check of the next ticket, with a place for the copy; NULL and an error without memory. */
fa__gpu_check *fa__gpu_check_new(fa__gpu_issue *, const char *name, fa__gpu_check *source);
void fa__gpu_check_drop(fa__gpu_check *); /* NULL: nothing */
/* Has the fault word copied for the check, behind the launch. False after an error: then it is as if there had been no
 * launch. */
bool fa__gpu_check_issue(fa__gpu_check *);
/* The work of a check is over: looks at the copy. The queue's lock is held. */
void fa__gpu_judge(fa__gpu_queue *, const fa__gpu_work *, bool good);
/* Whether a fault stands in front of what is issued next: no; that is not known yet; yes. */
typedef enum { FA__GPU_SOUND, FA__GPU_UNSURE, FA__GPU_FAULTY } fa__gpu_health;
fa__gpu_health fa__gpu_health_of(fa__gpu_queue *);
/* Later work of the queue is behind what the other one finds up to the ticket. False after an error: a fault that is
 * known, and was not reported yet, is raised. */
bool fa__gpu_inherit(fa__gpu_queue *, fa__gpu_queue *other, uint64_t ticket);

/* ---- graph.c: the queue is that of a graph that is made (or changed) ---- */
/* What stands in the place of fa__gpu_commit, of a launch, and of scratch memory. `keep`: nothing else takes that
 * memory as long as the graph exists. */
uint64_t fa__gpu_capture_commit(fa__gpu_queue *, const fa__gpu_work *);
bool fa__gpu_capture_launch(fa__gpu_issue *, const fa__gpu_kernel *, const uint64_t groups[3], bool careful,
                            const fa__gpu_arg *, int count);
void *fa__gpu_capture_memory(fa__gpu_issue *, size_t bytes, bool keep);
/* Gives scratch memory back, for later launches of the graph. */
void fa__gpu_capture_give(fa__gpu_issue *);
/* The queue that the graph is launched on. */
fa__gpu_queue *fa__gpu_capture_real(const struct fa__gpu_capture *);
/* What was issued last cannot be changed: a library did it. */
void fa__gpu_capture_library(struct fa__gpu_capture *);
/* Has a fault that is found by now, and none was before, marked with the check's number. */
bool fa__gpu_capture_note(fa__gpu_queue *);
/* The check of that number. */
const fa__gpu_check *fa__gpu_capture_check(const struct fa__gpu_capture *, int number);

/* ---- held.c ---- */
/* Whether what is issued now has to wait: for the kernel, or behind what waits already. */
static inline bool fa__gpu_has_to_wait(fa__gpu_queue *q, const fa__gpu_kernel *k)
{
    return !fa__gpu_is_compiled(k) || atomic_load_explicit(&q->holds, memory_order_acquire);
}
/* Issues a launch when its turn comes; `careful` as in the driver's call. False and an error without memory. */
bool fa__gpu_hold_launch(fa__gpu_issue *, const fa__gpu_kernel *, const uint64_t groups[3], bool careful,
                         const fa__gpu_arg *, int count);
/* The driver's copy on the queue, behind what waits: `event` NULL may wait, too. */
bool fa__gpu_send(fa__gpu_queue *, const fa__gpu_copy *, void **event);
/* All that the queue holds is issued when this returns; it waits for kernels, which the statistics count. */
void fa__gpu_catch_up(fa__gpu_queue *);
/* The same with the queue's lock, which is let go of meanwhile, and not counted: who waits for the queue counts that.
 * `wait` false: as far as kernels are compiled; then false if something is left. */
bool fa__gpu_catch_up_locked(fa__gpu_queue *, bool wait);
/* The same for all queues of a device. */
void fa__gpu_catch_up_device(const fa__device *);
/* Puts what is behind a launch that could not be issued, up to a ticket, behind a fault. The queue's lock is held. */
void fa__gpu_open_broken(fa__gpu_queue *, uint64_t ticket);
/* In a forked child: nothing is issued any more. */
void fa__gpu_forget_held(fa__gpu_queue *);

/* ---- order.c ---- */
/* The host is about to read this memory on behalf of the queue's next work: waits for earlier work that writes it. */
void fa__gpu_before_host_read(fa__gpu_queue *, const fa__op *, const void *from, size_t bytes);

/* ---- issue.c ---- */
/* The device's lock is held. Its end gives scratch memory back. */
static inline fa__gpu_issue fa__gpu_issue_begin(fa__queue *queue, const fa__launch *l)
{
    return (fa__gpu_issue){.queue = (fa__gpu_queue *)queue,
                           .device = queue->device,
                           .launch = l,
                           .op = !l          ? NULL
                                 : l->caller ? l->caller
                                             : l->op};
}
void fa__gpu_issue_end(fa__gpu_issue *);
/* The driver's launch of a kernel that is compiled, for a ticket. */
bool fa__gpu_launch_now(fa__gpu_queue *, const fa__gpu_kernel *, const uint64_t groups[3], bool careful,
                        const fa__gpu_arg *, int count, uint64_t ticket);
/* A launch that takes over what a check of another queue finds; takes over the use of it, too. */
uint64_t fa__gpu_launch_inherit(fa__gpu_issue *, const fa__gpu_kernel *, fa__gpu_check *source);
/* The device's lock is let go of while a kernel is waited for, and taken again. */
void fa__gpu_compile_begin(fa__gpu_issue *);
void fa__gpu_compile_end(fa__gpu_issue *);

/* ---- compile.c ---- */
/* A kernel's handle, from disk or built; NULL after an error. In any thread, without locks. */
void *fa__gpu_compile(fa__device *, const char *source, const char *entry);

/* ---- device.c ---- */
/* This thread uses a device: what is to be done when it ends is. */
void fa__gpu_register_end(void);
#endif
