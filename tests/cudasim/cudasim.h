/* The simulator of CUDA: an object with the driver's, NVRTC's, cuBLASLt's and cuDNN's functions, for machines without a
 * GPU. Devices have memory of their own, streams run late, in a thread of the simulator, and in any order that their
 * events allow. This is what its files share, and what tests may ask of it (by dlsym). */
#ifndef CUDASIM_H
#define CUDASIM_H
#include "backend/gpu/cuda/api.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The environment:
 *   CUDASIM_DEVICES     how many there are, 1 to 8 (2)
 *   CUDASIM_MEMORY      bytes of each (1 GiB)
 *   CUDASIM_CAPABILITY  90 for sm_90
 *   CUDASIM_PEERS       0: no device reaches another one's memory
 *   CUDASIM_SEED        of the order in which streams run
 *   CUDASIM_DELAY_US    see cudasim_delay
 *   CUDASIM_FAIL        "cuMemAlloc_v2:3:2": see cudasim_fail; ":sticky" may follow */

#define EXPORT __attribute__((__visibility__("default")))

/* ---- for tests ---- */
/* The n-th of these calls from now on fails with the code; "kernel": the n-th launch that runs. Sticky: the context of
 * the call is lost, and every call with it fails with this code. NULL: no call fails any more, and contexts are well.
 */
EXPORT void cudasim_fail(const char *call, long n, int code, bool sticky);
/* How often a function was called. */
EXPORT long cudasim_calls(const char *call);
/* Work begins only so many microseconds after it was issued; negative: when somebody waits; 0: at once. Only that of
 * the stream; NULL: of all. */
EXPORT void cudasim_delay(int64_t microseconds, const void *stream);
/* Streams do not wait for events: to see that tests notice. */
EXPORT void cudasim_ignore_events(bool);
/* Bytes that are allocated on a device. */
EXPORT size_t cudasim_allocated(int device);

/* ---- driver.c ---- */
enum {
    DEVICES = 8,
    INVALID_VALUE = 1,
    INVALID_IMAGE = 200,
    NO_BINARY = 209,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    INVALID_CONTEXT = 201,
    LAUNCH_FAILED = 719
};

struct CUctx_st {
    int device, users, lost; /* lost: the code of every call */
    unsigned peers;          /* devices (bits) whose memory its kernels reach */
    CUstream stream;         /* the default one */
};

int64_t cudasim_number(const char *variable, int64_t usual);
/* Whether all bytes are in one allocation of the device. The lock is held. */
bool cudasim_has(int device, const void *memory, size_t bytes);
/* What a call of another file begins with: the thread's context, and the lock is held; NULL, and cudasim_entered says
 * what the call is to return. */
CUcontext cudasim_enter(const char *call);
extern __thread CUresult cudasim_entered;
CUresult cudasim_leave(CUresult status); /* lets go of the lock */
/* Whether this is to fail now; the code, or 0. The lock is held. */
int cudasim_fails(const char *call, CUcontext);

/* ---- stream.c: one lock for everything, and the thread that runs what is issued ---- */
void cudasim_lock(void);
void cudasim_unlock(void);

typedef struct command {
    enum { COPY, CALL, LAUNCH, RECORD, WAIT } kind;
    struct command *next;
    int64_t ready; /* the time from which on it may run */
    void *to;      /* COPY */
    const void *from;
    size_t bytes;
    CUevent event; /* RECORD, WAIT */
    uint64_t number;
    void (*call)(const void *value); /* CALL */
    CUfunction function;             /* LAUNCH */
    unsigned grid[3], block[3];
    void *argument[64];
    unsigned char value[4096];
} command;

struct CUevent_st {
    CUcontext context;
    uint64_t recorded, done; /* how often */
    int64_t time;            /* in ns: when it was done last */
    int users;               /* commands, and who made it */
};

struct CUstream_st {
    CUcontext context;
    command *first, *last;
    struct CUstream_st *next;
};

/* With the lock held. */
CUstream cudasim_stream(CUcontext); /* NULL: no memory */
void cudasim_stream_free(CUstream); /* waits for it */
bool cudasim_issue(CUstream, const command *);
void cudasim_drop(CUevent);
int cudasim_wait_stream(CUstream);
int cudasim_wait_event(CUevent);
void cudasim_wait_all(CUcontext);

/* ---- module.c ---- */
typedef struct three {
    unsigned x, y, z;
} three;

/* prelude.h has the same. */
typedef struct place {
    three thread, block, threads, blocks;
    void (*barrier)(void);
} place;

struct CUmod_st {
    void *handle;
    CUcontext context;
    place *place;
    char **shared;
    CUfunction functions;
};

struct CUfunc_st {
    CUmodule module;
    CUfunction next;
    const struct {
        void (*run)(void **);
        int count;
        unsigned size[64];
    } * kernel;
};

/* ---- block.c ---- */
/* Runs all blocks. False, and a line: a barrier was not reached by all threads of a block. */
bool cudasim_run(const command *);
#endif
