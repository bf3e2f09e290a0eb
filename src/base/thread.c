/* Per-thread state: its creation, its end with the thread, and the order of cleanup when the process ends. The state
 * of the first thread is static, so that small programs allocate none, and out-of-memory errors can be stored. */
#define _GNU_SOURCE
#include "base/thread.h"
#include "base/alloc.h"
#include "base/crew.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/parallel.h"
#include "base/small.h"
#include <pthread.h>
#include <string.h>

static const fa__thread nobody = {.error = (fa_error *)&nobody.own};
static const fa__thread without_memory = {
    .error = (fa_error *)&without_memory.own,
    .own = {.code = FA_ERROR_MEMORY, .seen = true, .message = "out of memory: none is left for a thread's own state"},
};

FA__TLS fa__thread *fa__self = (fa__thread *)&nobody;

static fa__thread first;
static atomic_flag first_taken = ATOMIC_FLAG_INIT;

/* The states of all threads. After fork(), the child keeps the states of threads it does not have: these threads may
 * have been in the middle of an operation, so their states are left untouched. */
static struct {
    pthread_mutex_t lock;
    fa__thread head;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .head = {.next = &all.head, .previous = &all.head}};

static void list_around_fork(fa__fork_moment moment)
{
    for (fa__thread *t = all.head.next; moment == FA__FORK_CHILD && t != &all.head; t = t->next)
        t->elsewhere = t != fa__self;
    fa__fork_mutex(&all.lock, moment);
}

FA__AROUND_FORK(THREADS, list_around_fork)

static void enlist(fa__thread *t)
{
    pthread_mutex_lock(&all.lock);
    t->next = &all.head;
    t->previous = all.head.previous;
    t->previous->next = t->next->previous = t;
    pthread_mutex_unlock(&all.lock);
}

static void delist(fa__thread *t)
{
    pthread_mutex_lock(&all.lock);
    t->previous->next = t->next;
    t->next->previous = t->previous;
    pthread_mutex_unlock(&all.lock);
}

/* True if another thread of the program may be using the library. Threads that only run parts of loops, threads of
 * the library and threads of drivers have no core state. */
static bool others_use_it(void)
{
    bool found = false;
    pthread_mutex_lock(&all.lock);
    for (fa__thread *t = all.head.next; t != &all.head && !found; t = t->next)
        found = t != fa__self && !t->elsewhere && __atomic_load_n(&t->core, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&all.lock);
    return found;
}

static pthread_key_t key;
static _Atomic bool key_made;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Logging an error and freeing the core state both call functions of the program, which may use the library and
 * create new state or errors. These are cleaned up too, in a limited number of rounds. */
enum { ROUNDS = 4 };

static bool unseen(const fa_error *error)
{
    return error->code != FA_OK && !error->seen;
}

/* Clears the error before logging it, as the log function may set another one. */
static void tell(fa__thread *t)
{
    fa_error error = t->own;
    t->own.code = FA_OK;
    t->own.message[0] = 0;
    fa__error_report(&error);
}

static void end_work(fa__thread *t)
{
    for (int round = 0; round < ROUNDS && (t->core || unseen(&t->own)); round++) {
        t->error = &t->own; /* the block that the error slot belonged to may no longer exist */
        tell(t);
        void *core = t->core;
        __atomic_store_n(&t->core, NULL, __ATOMIC_RELAXED);
        if (core && t->core_end)
            t->core_end(core);
    }
}

static void end_thread(void *state)
{
    fa__thread *t = (fa__thread *)state;
    end_work(t);
    fa__aligned_free(t->scratch);
    fa__small_end(t);
    fa__self = (fa__thread *)&nobody;
    delist(t);
    if (t != &first) {
        fa__aligned_free(t);
        return;
    }
    atomic_flag_clear_explicit(&first_taken, memory_order_release);
}

static void prepare(void)
{
    key_made = pthread_key_create(&key, end_thread) == 0;
}

static fa__thread *room_for_state(void)
{
    if (!atomic_flag_test_and_set_explicit(&first_taken, memory_order_acquire))
        return &first;
    return fa__inject_now(sizeof first) ? NULL : (fa__thread *)fa__raw(64, sizeof first);
}

__thread const char *fa__line;

fa__thread *fa__thread_start(void)
{
    pthread_once(&once, prepare);
    fa__thread *t = room_for_state();
    if (!t) {
        fa__self = (fa__thread *)&without_memory;
        return NULL;
    }
    memset(t, 0, sizeof *t);
    if (fa__self == &without_memory) /* an earlier attempt failed, and its error has not been cleared */
        t->own = without_memory.own;
    t->error = &t->own;
    t->started = true;
    fa__self = t;
    enlist(t);
    if (key_made)
        pthread_setspecific(key, t);
    return t;
}

void fa_error_clear(void)
{
    fa__thread *t = fa__self;
    if (!t->started) {
        fa__self = (fa__thread *)&nobody;
        return;
    }
    t->error->code = FA_OK;
    t->error->seen = false;
    t->error->message[0] = 0;
}

static void (*exit_functions[32])(void);
static int exit_count;
static pthread_mutex_t exit_lock = PTHREAD_MUTEX_INITIALIZER;

FA__LOCKED_AT_FORK(EXIT, &exit_lock)

bool fa__at_exit(void (*function)(void))
{
    pthread_mutex_lock(&exit_lock);
    bool fits = exit_count < (int)(sizeof exit_functions / sizeof *exit_functions);
    if (fits)
        exit_functions[exit_count++] = function;
    pthread_mutex_unlock(&exit_lock);
    return fits || fa__fail(FA_ERROR_INTERNAL, "too many functions to call at exit");
}

static void call_exit_functions(void)
{
    pthread_mutex_lock(&exit_lock);
    for (int i = exit_count; i-- > 0;) {
        void (*function)(void) = exit_functions[i];
        pthread_mutex_unlock(&exit_lock);
        function();
        pthread_mutex_lock(&exit_lock);
    }
    pthread_mutex_unlock(&exit_lock);
}

/* Returns true if exit functions called functions of the program that used the library again. */
static bool end_all_work(void)
{
    fa__parallel_stop();
    if (fa__self->started)
        end_work(fa__self);
    call_exit_functions();
    return fa__self->started && (fa__self->core || unseen(&fa__self->own));
}

static void free_all(void)
{
    for (int round = 0; round < ROUNDS && end_all_work(); round++)
        continue;
    fa__parallel_stop(); /* in case one of these created it again */
    if (fa__self->started)
        end_thread(fa__self);
    fa__small_stop();
}

/* Frees nothing, because other threads are still computing: only logs errors. The system reclaims the memory soon. */
static void leave_all(void)
{
    for (int round = 0; round < ROUNDS && fa__self->started && unseen(&fa__self->own); round++)
        tell(fa__self);
    fa__parallel_stop();
}

/* With the lowest priority available to programs, so that their destructors can still use the library. The key is
 * deleted, because its destructor's code may be about to be unmapped. */
__attribute__((__destructor__(101))) static void end_process(void)
{
    fa__crews_stop();
    if (others_use_it())
        leave_all();
    else
        free_all();
    if (atomic_exchange(&key_made, false))
        pthread_key_delete(key);
}
