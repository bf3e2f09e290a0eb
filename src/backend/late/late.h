/* The device for tests: the CPU's kernels behind queues that really run late, each on a thread of its own, with memory
 * of its own that is filled with garbage before and after use. What is issued without being ordered behind the work
 * that it depends on is found when it is issued, whatever the threads did (check.c). */
#ifndef FA__BACKEND_LATE_H
#define FA__BACKEND_LATE_H
#include "backend/device.h"
#include "core/faults.h"
#include <facula/error.h>

enum {
    FA__LATE_DEVICES = 4,
    FA__LATE_QUEUES = 16,
    FA__LATE_LOG = 64,
    FA__LATE_GARBAGE = 0xFF /* NaN in every dtype */
};

#define FA__LATE_FORKED "the process was forked: its queues are the parent's"

/* How far each queue has come, as somebody knows it. */
typedef struct fa__late_clock {
    uint64_t at[FA__LATE_QUEUES];
} fa__late_clock;

typedef struct fa__late_queue {
    fa__queue base;
    int number; /* in clocks */
    bool used;
    pthread_mutex_t lock;
    pthread_cond_t more, finished;
    struct fa__late_job *first, *last;
    pthread_t thread;
    bool running, stop;
    uint64_t last_to_host; /* the last copy into the host's memory; the device's lock guards it */
    int events;            /* that are not done, and may bring another queue's fault */
    uint64_t reports;      /* how many faults had been reported when work was issued last */
    int waiting;           /* threads that wait for it: then it does not dawdle */
    fa__fault fault;       /* of a kernel; only the queue's thread touches it */
    /* the checker's: what comes before the next piece of work, and what came before earlier ones */
    fa__late_clock now;
    struct {
        uint64_t ticket;
        fa__late_clock clock;
    } log[FA__LATE_LOG];
    size_t logged;
} fa__late_queue;

/* A piece of work, with all that it needs. */
typedef struct fa__late_job {
    struct fa__late_job *next;
    void (*work)(fa__late_queue *, struct fa__late_job *);
    uint64_t ticket;  /* of an event that of the work behind it */
    const char *line; /* of the program's call, for errors */
    bool event;
    fa__copy copy;
    fa__sync_point after;
    fa__timestamp *timestamp;
    _Alignas(16) char launch[]; /* a fa__launch, its operands and its arguments */
} fa__late_job;

extern fa__late_queue fa__late_queues[FA__LATE_QUEUES];
extern bool fa__late_forked; /* in the child of a fork: calls fail */

/* One access of a piece of work. */
typedef struct fa__late_access {
    const void *begin, *end;
    bool write;
    const fa__device *device; /* whose memory it has to be; NULL: the host's */
} fa__late_access;

/* ---- queue.c ---- */
fa__queue *fa__late_queue_new(fa__device *);
void fa__late_queue_free(fa__queue *);
/* Ends the threads of a device's queues. */
void fa__late_stop(fa__device *);
void fa__late_wait(fa__queue *, uint64_t ticket);
void fa__late_finish(void *device);
void fa__late_wait_quietly(fa__late_queue *, uint64_t ticket); /* raises nothing, and the checker does not know */
/* For all events of the queue; whether there were any. */
bool fa__late_wait_for_events(fa__late_queue *);
/* A job with room behind its launch; NULL, and no error, without memory. */
fa__late_job *fa__late_job_new(void (*work)(fa__late_queue *, fa__late_job *), size_t more);
/* Puts a job of that size aside for this thread; false without memory. And gives back what is left of these. */
bool fa__late_keep(size_t size);
void fa__late_keep_none(void);
/* Gives the job a ticket, has its accesses checked, and puts it at the queue's end. */
uint64_t fa__late_issue(fa__queue *, fa__late_job *, const fa__op *, const fa__late_access *, int count);
/* Gives the job a ticket, and puts it at the queue's end; the queue's lock is held, and released. Without a thread the
 * caller does it at once. */
uint64_t fa__late_append(fa__late_queue *, fa__late_job *);
/* How long a queue waits before each piece of work, unless somebody waits for it; negative: until somebody does.
 * FACULA_LATE_DELAY_US sets it, 20 is the default. */
void fa__late_delay(int64_t microseconds);

/* ---- work.c ---- */
bool fa__late_ready(fa__queue *);
bool fa__late_after(fa__queue *, fa__sync_point);
uint64_t fa__late_copy(fa__queue *, const fa__copy *);
uint64_t fa__late_mark(fa__queue *, fa__timestamp *);
uint64_t fa__late_run(fa__queue *, const fa__launch *);
bool fa__late_reserve(fa__queue *, int operands);
/* Garbage; 0 and no error when there is no memory for the work. */
uint64_t fa__late_fill(fa__queue *, const fa__device *, void *memory, size_t size);
/* For tests: the device has no kernel of the operation of that name; NULL: it has all that the CPU has. The name has to
 * live as long as it is set. */
void fa__late_lacks(const char *name);
/* For a test of the checker: events between queues are left out. */
void fa__late_ignore_after(bool);

/* ---- check.c ---- */
/* Work `ticket` is being issued: its accesses are looked at and remembered. queue NULL: the host does it now. */
void fa__late_check(fa__late_queue *, uint64_t ticket, const fa__op *, const fa__late_access *, int accesses);
/* The queue's later work comes behind `ticket` of another; the host has waited for `ticket`. */
void fa__late_check_after(fa__late_queue *, const fa__late_queue *, uint64_t ticket);
void fa__late_check_waited(const fa__late_queue *, uint64_t ticket);
/* Memory comes from the device, or goes back to it. */
bool fa__late_check_memory(const fa__device *, const void *memory, size_t size);
void fa__late_check_memory_gone(const void *memory);
/* The allocator hands memory out to a queue (NULL: the host): nobody else's work may still use it. */
void fa__late_check_taken(const fa__late_queue *, const void *memory, size_t size);
void fa__late_check_forget(void);

typedef struct fa__late_report {
    char text[256];
} fa__late_report;
/* What was found so far, at most 32 of them in *reports; returns how many there were. */
size_t fa__late_reports(const fa__late_report **out);
void fa__late_reports_clear(void);

/* The CPU touches host memory: looked at like a copy's. For tests and debugging. */
void fa__late_host_access(const fa__op *, const void *memory, size_t size, bool write);
#endif
