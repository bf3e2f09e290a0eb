/* A group of ranks, for the files of this folder. */
#ifndef FA__DIST_GROUP_H
#define FA__DIST_GROUP_H
#include "dist/wire.h"
#include <facula/dist.h>
#include <facula/scope.h>
#include <pthread.h>

struct fa_work {
    fa_object base;
    fa_tensor *tensor;
    fa_dist_op op;
    struct fa_work *next; /* guarded by the group's lock */
    bool done;            /* guarded by the lock of all works, as what follows */
    fa_error error;
};

struct fa_group {
    fa_object base;
    fa__wire *wire;
    fa__crew *crew; /* the background thread; NULL: not started yet */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool ending, busy;      /* a call is running */
    fa_work *first, **last; /* works that wait, with references */
    struct fa__nccl *nccl;  /* communicators of devices; used by whoever has the turn */
};

/* The group object over connections, which it owns, also on failure. NULL and an error if memory runs out. */
fa_group *fa__group_new(fa__wire *wire);
/* Checks that this is a group; the error begins with `who`. */
bool fa__group_check(const fa_group *group, const char *who);
/* Waits for its turn behind all works that were started, and gives the turn back. */
void fa__group_begin(fa_group *group);
/* Begins an operation of the group if none is running or queued; false otherwise. */
bool fa__group_try(fa_group *group);
void fa__group_end(fa_group *group);
/* The call itself, by whoever has the turn. */
bool fa__all_reduce(fa_group *g, fa_tensor *t, fa_dist_op op);
#endif
