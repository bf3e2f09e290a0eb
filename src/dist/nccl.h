/* NCCL as the transport of collective calls on tensors of CUDA devices. The library is opened when it is first used;
 * the communicators of a group, one for each device, are made by the first collective call with a tensor of that
 * device. */
#ifndef FA__DIST_NCCL_H
#define FA__DIST_NCCL_H
#include "dist/group.h"

/* The communicator of a group for one device. */
typedef struct fa__nccl {
    fa_device device;
    void *handle;                 /* ncclComm_t; NULL: this device goes through the host */
    fa_stream *stream;            /* all its calls are issued to it; a reference */
    fa__wire *wire;               /* of its group */
    fa_group *group;              /* the same */
    const char *name;             /* of the last call */
    struct fa__nccl_watch *watch; /* the thread that finds calls that do not go on; NULL: there is none */
    struct fa__nccl *next;
} fa__nccl;

/* What a group does with tensors of CUDA devices. */
typedef enum fa__nccl_use {
    FA__NCCL_AUTO,  /* NCCL where all ranks have it, else copies through the host */
    FA__NCCL_NEVER, /* always through the host */
    FA__NCCL_ALWAYS /* NCCL, or an error that says why it is not available */
} fa__nccl_use;

/* That of a backend of fa_dist_init(); NULL: "auto". */
fa__nccl_use fa__nccl_use_of(const char *backend);

/* Finds the communicator for calls on t: *n is NULL for tensors that go through the host. The first call for a device
 * is made by all ranks, which then agree. `reduces`: values are combined, so the dtype has to be one of NCCL's. False
 * and an error on failure. */
bool fa__nccl_find(fa_group *g, const fa_tensor *t, bool reduces, fa__nccl **n);
/* The same for a message between two ranks, which makes no communicator. */
fa__nccl *fa__nccl_ready(const fa_group *g, const fa_tensor *t);
/* Ends all communicators of a group. */
void fa__nccl_free(fa_group *g);

/* The calls, issued behind the work on the tensors and not waited for. Those with results return NULL and an error on
 * failure. */
bool fa__nccl_all_reduce(fa__nccl *n, fa_tensor *t, fa_dist_op op);
bool fa__nccl_reduce(fa__nccl *n, fa_tensor *t, int root, fa_dist_op op);
fa_tensor *fa__nccl_reduce_scatter(fa__nccl *n, const fa_tensor *t, fa_dist_op op);
bool fa__nccl_broadcast(fa__nccl *n, fa_tensor *t, int root);
bool fa__nccl_gather_into(fa__nccl *n, fa_tensor *all, const fa_tensor *part);
fa_tensor *fa__nccl_all_gather(fa__nccl *n, const fa_tensor *t);
fa_tensor *fa__nccl_gather(fa__nccl *n, const fa_tensor *t, int root);
bool fa__nccl_scatter(fa__nccl *n, fa_tensor *t, const fa_tensor *all, int root);
fa_tensor *fa__nccl_all_to_all(fa__nccl *n, const fa_tensor *t);
bool fa__nccl_direct(fa__nccl *n, const fa_tensor *t, int rank, bool receives);

/* ---- between the files of NCCL ---- */
/* Ends the handle: calls that wait for other ranks are given up if the group has failed. */
void fa__nccl_leave(fa__nccl *n);
/* Watches the communicator's calls, if there is a thread to be had: when other ranks do not come within the timeout,
 * the group fails, and who waits for a result gets the error. */
void fa__nccl_watch_start(fa__nccl *n);
/* A call was issued. */
void fa__nccl_watch_note(const fa__nccl *n);
/* False in a forked child: it has to be left as it is. */
bool fa__nccl_watch_end(fa__nccl *n);

/* Names, types and numbers are those of NCCL's documentation (nccl.h, version 2). */
typedef struct fa__nccl_id {
    char bytes[128];
} fa__nccl_id;
typedef struct fa__nccl_api {
    int (*get_unique_id)(fa__nccl_id *);
    int (*comm_init_rank)(void **comm, int ranks, fa__nccl_id, int rank);
    int (*comm_destroy)(void *comm);
    int (*comm_abort)(void *comm);
    const char *(*get_error_string)(int);
    int (*group_start)(void);
    int (*group_end)(void);
    int (*all_reduce)(const void *, void *, size_t, int type, int op, void *comm, void *stream);
    int (*reduce)(const void *, void *, size_t, int type, int op, int root, void *comm, void *stream);
    int (*reduce_scatter)(const void *, void *, size_t, int type, int op, void *comm, void *stream);
    int (*broadcast)(const void *, void *, size_t, int type, int root, void *comm, void *stream);
    int (*all_gather)(const void *, void *, size_t, int type, void *comm, void *stream);
    int (*send)(const void *, size_t, int type, int peer, void *comm, void *stream);
    int (*recv)(void *, size_t, int type, int peer, void *comm, void *stream);
} fa__nccl_api;
extern fa__nccl_api fa__nccl_functions;
/* NCCL's number of a dtype; -1: there is none. */
int fa__nccl_type(fa_dtype dtype);
#endif
