/* Fork: the child has one thread, and finds every lock as it was. One that another thread held then would stay locked
 * for ever, over data that were half changed. So a fork first takes all locks of the library, and both processes
 * release them after it. Locks of single objects are not among them: the child leaves alone what other threads were
 * changing. */
#ifndef FA__BASE_FORK_H
#define FA__BASE_FORK_H
#include <pthread.h>

typedef enum fa__fork_moment { FA__FORK_BEFORE, FA__FORK_PARENT, FA__FORK_CHILD } fa__fork_moment;

/* All locks of the process, in the order in which a fork takes them; they are released the other way round. Who holds
 * one may take those that follow, and may wait for threads that take them: never one that comes before. A new lock gets
 * a place here. */
typedef enum fa__fork_place {
    FA__FORK_REGISTRY,    /* of devices: which are open */
    FA__FORK_DEVICES,     /* each device's */
    FA__FORK_CACHES,      /* each device's memory; may wait for the device's work */
    FA__FORK_LATE,        /* late queues: which are in use */
    FA__FORK_QUEUES,      /* each late queue's */
    FA__FORK_CHECKER,     /* of the order of late work */
    FA__FORK_OPENCL,      /* OpenCL's queues and memory */
    FA__FORK_TELLINGS,    /* which thread was told of which fault */
    FA__FORK_FORMULAS,    /* what rows' and users' expressions became */
    FA__FORK_KERNELS,     /* the list of those that GPUs have compiled */
    FA__FORK_EXPRESSIONS, /* the cache of users' expressions */
    FA__FORK_ORDER,       /* what storages remember of late work */
    FA__FORK_FAULT,       /* of kernels */
    FA__FORK_LEDGER,
    FA__FORK_RANDOM, /* the default generator */
    FA__FORK_CONTEXTS,
    FA__FORK_EXIT,  /* functions to call at the end */
    FA__FORK_SMALL, /* the depot of small objects */
    FA__FORK_LOG,
    FA__FORK_THREADS,
    FA__FORK_PLACES
} fa__fork_place;

/* Has function called around every fork, at its place: it takes its locks before, and releases them, or makes them
 * anew, after. To be called when the library is loaded. */
void fa__fork_register(fa__fork_place place, void (*function)(fa__fork_moment));

static inline void fa__fork_mutex(pthread_mutex_t *lock, fa__fork_moment moment)
{
    if (moment == FA__FORK_BEFORE)
        pthread_mutex_lock(lock);
    else
        pthread_mutex_unlock(lock);
}

/* Registers a function, or the mutex of a file. */
#define FA__AROUND_FORK(place, function)                                                                               \
    __attribute__((__constructor__)) static void fa__fork_begin_##place(void)                                          \
    {                                                                                                                  \
        fa__fork_register(FA__FORK_##place, function);                                                                 \
    }
#define FA__LOCKED_AT_FORK(place, lock)                                                                                \
    static void fa__fork_##place(fa__fork_moment moment)                                                               \
    {                                                                                                                  \
        fa__fork_mutex(lock, moment);                                                                                  \
    }                                                                                                                  \
    FA__AROUND_FORK(place, fa__fork_##place)
#endif
