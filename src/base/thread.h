/* What a thread has of its own, behind one 8-byte pointer: its error, its free lists, and a place for the floors above.
 * It is made when first needed and freed when the thread ends. This is also where the process's end is in order. */
#ifndef FA__BASE_THREAD_H
#define FA__BASE_THREAD_H
#include "base/types.h"
#include <facula/error.h>

enum { FA__SMALL_STEP = 32, FA__SMALL_MOST = 1024, FA__SMALL_CLASSES = FA__SMALL_MOST / FA__SMALL_STEP };

/* Free objects of one size: a list being used, with room for that many more, and maybe one full list beside it. */
typedef struct fa__small_list {
    void *head;
    void *full;
    uint32_t room;
} fa__small_list;

typedef struct fa__thread {
    fa_error *error;                    /* where errors go: own, or what FA_USE(.catch_errors) named; never NULL */
    void *core;                         /* of the floors above, which use it as they like; set with __atomic_store_n */
    void (*core_end)(void *);           /* called with it when the thread or the process ends, if it is not NULL */
    bool started;                       /* false: one of the two shared constants, which nothing may be written to */
    bool in_parallel;                   /* inside the body of a parallel loop: further loops run inline */
    bool elsewhere;                     /* in a forked child: of a thread that only the parent has */
    void *scratch;                      /* working memory of kernels (backend/cpu/scratch.h), freed with the state */
    size_t scratch_size;                /* bytes of it */
    struct fa__thread *next, *previous; /* all threads' states, for the eyes of leak checkers */
    fa__small_list small[FA__SMALL_CLASSES];
    fa_error own;
} fa__thread;

/* This thread's state. Never NULL: before first use it is a constant without an error and with empty lists, so that
 * readers need no check of their own; writers go through fa__thread_here. */
extern FA__TLS fa__thread *fa__self;

/* Makes this thread's state. NULL, with FA_ERROR_MEMORY standing, if there is no memory for it. */
FA__COLD fa__thread *fa__thread_start(void);

/* This thread's state, to write to. NULL, with FA_ERROR_MEMORY standing, if there is no memory for it. */
static inline fa__thread *fa__thread_here(void)
{
    fa__thread *t = fa__self;
    return FA__LIKELY(t->started) ? t : fa__thread_start();
}

/* Calls function when the process ends (or the library is closed), after the thread pool has stopped and the calling
 * thread's core state has ended; what was registered last is called first. Not at all when there is another thread with
 * a core state: nothing is freed then that it may be using. Once more when one of these functions called
 * the program's, which used the library again: so it leaves things as they were before they were first used. False,
 * with an error, when there are more than 32. */
bool fa__at_exit(void (*function)(void));
#endif
