/* Locks around fork(). The child has only one thread but a copy of every lock: a lock held by another thread would
 * stay locked forever, and the data it guards would be half modified. Therefore fork() takes all locks of the library
 * before, and both processes release them after it. Locks of single objects are not included: the child must not use
 * objects that other threads were modifying. */
#ifndef FA__BASE_FORK_H
#define FA__BASE_FORK_H
#include <pthread.h>

typedef enum fa__fork_moment { FA__FORK_BEFORE, FA__FORK_PARENT, FA__FORK_CHILD } fa__fork_moment;

/* All global locks, in the order in which fork() takes them. A thread that holds one may take any that follow, and
 * may wait for threads that take those, but must never take an earlier one. New locks must be added here. */
typedef enum fa__fork_place {
    FA__FORK_HELPERS,     /* threads that help in backward passes */
    FA__FORK_REGISTRY,    /* registry of devices */
    FA__FORK_MOVES,       /* storages that are moved to make room */
    FA__FORK_DEVICES,     /* of each device */
    FA__FORK_CACHES,      /* memory of each device; may wait for work of the device */
    FA__FORK_LATE,        /* registry of queues of late devices */
    FA__FORK_QUEUES,      /* of each late queue */
    FA__FORK_CHECKER,     /* checker of the order of late work */
    FA__FORK_GPU,         /* queues of GPUs */
    FA__FORK_GPU_MEMORY,  /* which buffer an address is in */
    FA__FORK_FORMULAS,    /* compiled expressions of operations and users */
    FA__FORK_REGISTERED,  /* registered operations */
    FA__FORK_KERNELS,     /* list of kernels compiled for GPUs */
    FA__FORK_COMPILERS,   /* kernels to be compiled for GPUs */
    FA__FORK_CREWS,       /* background threads */
    FA__FORK_EXPRESSIONS, /* cache of users' expressions */
    FA__FORK_ORDER,       /* pending work recorded by storages */
    FA__FORK_FAULTS,      /* which work of queues is behind a fault */
    FA__FORK_FAULT,       /* faults in kernels of the CPU */
    FA__FORK_LEDGER,
    FA__FORK_RANDOM, /* default random number generator */
    FA__FORK_CONTEXTS,
    FA__FORK_LINES, /* lines of other languages */
    FA__FORK_EXIT,  /* functions called at exit */
    FA__FORK_SMALL, /* shared pool of small objects */
    FA__FORK_LOG,
    FA__FORK_THREADS,
    FA__FORK_PLACES
} fa__fork_place;

/* Registers a function that is called around every fork at this position: it takes its locks before, and releases or
 * re-initializes them after the fork. To be called when the library is loaded. */
void fa__fork_register(fa__fork_place place, void (*function)(fa__fork_moment));

static inline void fa__fork_mutex(pthread_mutex_t *lock, fa__fork_moment moment)
{
    if (moment == FA__FORK_BEFORE)
        pthread_mutex_lock(lock);
    else
        pthread_mutex_unlock(lock);
}

/* Registers a function, or a mutex of this file. */
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
