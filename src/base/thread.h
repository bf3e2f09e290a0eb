/* Per-thread state, behind one 8-byte pointer: the error, free lists, and a slot for higher layers. It is created
 * when needed and freed when the thread ends. Also controls the order of cleanup at the end of the process. */
#ifndef FA__BASE_THREAD_H
#define FA__BASE_THREAD_H
#include "base/types.h"
#include <facula/error.h>

enum { FA__SMALL_STEP = 32, FA__SMALL_MOST = 1024, FA__SMALL_CLASSES = FA__SMALL_MOST / FA__SMALL_STEP };

/* Free objects of one size: the current list, with room for that many more, and an optional second list that is full.
 */
typedef struct fa__small_list {
    void *head;
    void *full;
    uint32_t room;
} fa__small_list;

typedef struct fa__thread {
    fa_error *error;          /* where errors are stored: `own`, or the struct of FA_USE(.catch_errors); never NULL */
    void *core;               /* used by higher layers; set with __atomic_store_n */
    void (*core_end)(void *); /* called with `core` when the thread or the process ends, unless that is NULL */
    bool started;             /* false: one of the two shared constants, which must not be written */
    bool in_parallel;         /* inside the body of a parallel loop: nested loops run on this thread alone */
    bool elsewhere;           /* in a forked child: the thread exists only in the parent */
    void *scratch;            /* working memory of kernels (backend/cpu/scratch.h), freed with the state */
    size_t scratch_size;      /* its size in bytes */
    struct fa__thread *next, *previous; /* list of all threads' states, so that leak checkers can reach them */
    fa__small_list small[FA__SMALL_CLASSES];
    fa_error own;
} fa__thread;

/* The state of this thread; never NULL. Before first use it is a constant without an error and with empty lists, so
 * that readers need no check; writers call fa__thread_here. */
extern FA__TLS fa__thread *fa__self;

/* Creates the state of this thread. NULL and FA_ERROR_MEMORY if memory runs out. */
FA__COLD fa__thread *fa__thread_start(void);

/* The state of this thread, for writing. NULL and FA_ERROR_MEMORY if memory runs out. */
static inline fa__thread *fa__thread_here(void)
{
    fa__thread *t = fa__self;
    return FA__LIKELY(t->started) ? t : fa__thread_start();
}

/* Registers a function to call when the process ends or the library is unloaded, after the thread pool has stopped
 * and the core state of the calling thread has been freed; the last one registered is called first. It is not called
 * if another thread has a core state, which could still use what it frees. It may be called again, if an exit
 * function caused the program to use the library again, so it must restore the initial state. False and an error for
 * more than 32 functions. */
bool fa__at_exit(void (*function)(void));
#endif
