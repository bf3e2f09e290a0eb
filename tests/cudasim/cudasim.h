/* The simulator of CUDA: an object with the functions of the driver, NVRTC, cuBLASLt, cuDNN and NCCL, for machines
 * without a GPU. Devices have memory of their own, streams run late, in a thread of the simulator, and in any order
 * that their events allow. This is what its files share, and what tests may ask of it (by dlsym). */
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
 *   CUDASIM_VIRTUAL     0: the driver has no virtual memory
 *   CUDASIM_PEERS       0: no device reaches another one's memory
 *   CUDASIM_SEED        of the order in which streams run
 *   CUDASIM_DELAY_US    see cudasim_delay
 *   CUDASIM_RACES       1: looks for races (races.c)
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
/* How many races were found since the last call; `text` takes the last one. What nobody asks for makes the process fail
 * when it ends. */
EXPORT long cudasim_races(char *text, size_t size);
/* The host reads or writes this memory, which is pinned. */
EXPORT void cudasim_host(const void *memory, size_t bytes, int write);
/* How often rows that ldmatrix reads at once shared banks, in all kernels that were loaded. */
EXPORT long cudasim_conflicts(void);
/* Bytes that are allocated on a device. */
EXPORT size_t cudasim_allocated(int device);
/* Whether kernels of the device reach all of these bytes, which are mapped. */
EXPORT bool cudasim_reaches(int device, const void *memory, size_t bytes);

/* ---- driver.c ---- */
enum {
    DEVICES = 8,
    INVALID_VALUE = 1,
    INVALID_IMAGE = 200,
    NO_BINARY = 209,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    INVALID_CONTEXT = 201,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_INVALIDATED = 901,
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
/* Memory that virtual.c maps. The lock is held. */
bool cudasim_is_free(const void *memory, size_t bytes); /* nothing is there */
bool cudasim_add_mapped(int device, void *memory, size_t bytes);
size_t cudasim_mapped_at(const void *memory); /* the size of what begins there; 0: nothing does */
void cudasim_remove_mapped(const void *memory);
/* Devices (bits) may use what begins there; 1: its own could not before. */
unsigned cudasim_allow(const void *memory, unsigned users);
/* Whether the device has so much left. */
bool cudasim_has_room(int device, size_t bytes);
/* What a call of another file begins with: the thread's context, and the lock is held; NULL, and cudasim_entered says
 * what the call is to return. */
CUcontext cudasim_enter(const char *call);
extern __thread CUresult cudasim_entered;
CUresult cudasim_leave(CUresult status); /* lets go of the lock */
/* Whether this is to fail now; the code, or 0. The lock is held. */
int cudasim_fails(const char *call, CUcontext);

/* What a call begins with that needs no cuInit, such as those of NVRTC: the code that it is to fail with, or 0. */
nvrtcResult cudasim_begin(const char *call);

/* ---- stream.c: one lock for everything, and the thread that runs what is issued ---- */
void cudasim_lock(void);
void cudasim_unlock(void);

enum { CLOCKS = 256 };
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
    uint32_t clock[CLOCKS], operation; /* races.c */
} command;

struct CUevent_st {
    CUcontext context;
    uint64_t recorded, done; /* how often */
    int64_t time;            /* in ns: when it was done last */
    int users;               /* commands, and who made it */
    uint32_t clock[CLOCKS];  /* of the last record */
};

struct CUstream_st {
    CUcontext context;
    CUgraph capture; /* takes what is issued, in place of the stream; NULL: none */
    bool broken;     /* the capture: something was asked for that cannot be kept */
    command *first, *last;
    struct CUstream_st *next;
    int number; /* of its clock; 0: none yet, -1: never */
    uint32_t clock[CLOCKS];
};

/* A command whose arguments are in its own `value`. */
void cudasim_copy_command(command *to, const command *from);
/* The arguments of a launch in the context; false when one is none that it can have. */
bool cudasim_put_arguments(command *, void *const *parameter, CUcontext);
/* The last thing that the graph took; graph.c. False: no memory. */
bool cudasim_add_node(CUgraph, const command *);
/* True, and the capture is invalid, while the stream is captured: what the real driver refuses then. */
bool cudasim_is_captured(CUstream);

/* The stream, or the default one of the thread's context. */
CUstream cudasim_real(CUstream);

/* With the lock held. */
CUstream cudasim_stream(CUcontext); /* NULL: no memory */
void cudasim_stream_free(CUstream); /* waits for it */
bool cudasim_issue(CUstream, const command *);
void cudasim_drop(CUevent);
void cudasim_changed(void); /* something may run that could not before */
int cudasim_wait_stream(CUstream);
int cudasim_wait_event(CUevent);
void cudasim_wait_all(CUcontext);

/* ---- virtual.c; with the lock held ---- */
/* Bytes of the device's memory that were created and are not gone. */
size_t cudasim_created(int device);

/* ---- module.c ---- */
typedef struct three {
    unsigned x, y, z;
} three;

/* prelude.h has the same. */
typedef struct place {
    three thread, block, threads, blocks;
    void (*barrier)(void);
    void (*warp)(void);
} place;

struct CUmod_st {
    void *handle;
    CUcontext context;
    place *place;
    char **shared;
    CUfunction functions;
    long *conflicts; /* prelude.h */
    CUmodule next;
};

struct CUfunc_st {
    CUmodule module;
    CUfunction next;
    char name[80];
    const struct {
        void (*run)(void **);
        int count;
        unsigned size[64];
    } * kernel;
};

/* ---- races.c; with the lock held, but for cudasim_touch ---- */
extern bool cudasim_racing;
/* The command is issued; the host has waited for all in front of a clock; the command is done; memory is freed. */
void cudasim_clock_issue(CUstream, command *, bool ignore_events);
void cudasim_clock_waited(const uint32_t *clock);
void cudasim_clock_done(CUstream, const command *);
void cudasim_clock_freed(const void *memory, size_t bytes);
/* The command that runs accesses this memory. */
void cudasim_touch(const void *memory, size_t bytes, int write);
/* Whether it is a device's, or pinned. */
bool cudasim_is_memory(const void *);

/* ---- block.c ---- */
/* Runs all blocks. False, and a line: a barrier was not reached by all threads of a block. */
bool cudasim_run(const command *);
#endif
