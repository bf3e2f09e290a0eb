/* Kernels that are compiled: by threads that do nothing else, in the order in which they were asked for, while the
 * program goes on. Who needs one that is not done compiles, too. */
#ifndef FA__BACKEND_GPU_JOBS_H
#define FA__BACKEND_GPU_JOBS_H
#include "backend/gpu/driver.h"

typedef enum { FA__GPU_JOB_NONE, FA__GPU_JOB_QUEUED, FA__GPU_JOB_RUNS, FA__GPU_JOB_DONE } fa__gpu_job_state;

/* One kernel, which gets its handle; begins as zeros, with the device and the kernel. */
struct fa__gpu_job {
    fa__device *device;
    fa__gpu_kernel *kernel;
    const char *what;  /* it computes, for messages: an operation or an expression */
    char *source;      /* until it is compiled */
    fa_code code;      /* of the error, where there is no handle then, */
    char *why;         /* and its message; NULL: there was no memory for it */
    _Atomic int users; /* threads that wait for it */
    _Atomic int state; /* fa__gpu_job_state; the rest is the compiling thread's until it is DONE */
    fa__gpu_job *next;
};

static inline bool fa__gpu_job_is_done(const fa__gpu_job *j)
{
    return atomic_load_explicit(&j->state, memory_order_acquire) == FA__GPU_JOB_DONE;
}

/* It has its handle, or the compiler refused it. */
static inline bool fa__gpu_is_compiled(const fa__gpu_kernel *k)
{
    return !k->job || fa__gpu_job_is_done(k->job);
}

/* How many threads compile: one for each core but the program's, or what FACULA_COMPILE_THREADS says. 0: none, and each
 * kernel is compiled where it is needed. The first call starts them. */
int fa__gpu_job_threads(void);
/* Asks for the kernel, which has no handle; takes over the source. */
void fa__gpu_job_start(fa__gpu_job *, char *source);
/* Who is about to wait for it, under a lock that keeps it from being freed. */
static inline void fa__gpu_job_use(fa__gpu_job *j)
{
    atomic_fetch_add(&j->users, 1);
}
/* Ends that use, and returns when it is done; compiles it, and others meanwhile. Returns how long that took, in ns; 0:
 * it was done. */
int64_t fa__gpu_job_finish(fa__gpu_job *);
/* Raises the error of a kernel that could not be compiled; false. */
bool fa__gpu_job_fails(const fa__gpu_job *) __attribute__((__cold__));
/* Nothing refers to it any more: it is not compiled, or done. Frees what it has but for the handle. */
void fa__gpu_job_end(fa__gpu_job *);
#endif
