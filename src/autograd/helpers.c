/* The threads that help in backward passes. */
#include "autograd/helpers.h"
#include "base/alloc.h"
#include "base/crew.h"
#include "base/fork.h"
#include "base/thread.h"
#include <pthread.h>

/* The lock of the pool guards it. */
struct fa__helper {
    fa__helper *next;
    fa__crew *crew; /* one thread */
    pthread_cond_t wanted;
    void (*function)(void *context, int number); /* NULL: nothing to do */
    void *context;
    int number;
    bool taken; /* until the one that started it has waited for it */
    bool ending;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t finished;
    fa__helper *first;
    int count;
    bool registered; /* end_all will be called at the end of the process */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .finished = PTHREAD_COND_INITIALIZER};

FA__LOCKED_AT_FORK(HELPERS, &pool.lock)

static void work(void *context)
{
    fa__helper *h = context;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (!h->function && !h->ending)
            pthread_cond_wait(&h->wanted, &pool.lock);
        if (!h->function)
            break;
        pthread_mutex_unlock(&pool.lock);
        h->function(h->context, h->number);
        pthread_mutex_lock(&pool.lock);
        h->function = NULL;
        pthread_cond_broadcast(&pool.finished);
    }
    pthread_mutex_unlock(&pool.lock);
}

static void wake(void *context)
{
    fa__helper *h = context;
    pthread_mutex_lock(&pool.lock);
    h->ending = true;
    pthread_cond_signal(&h->wanted);
    pthread_mutex_unlock(&pool.lock);
}

/* At the end of the process, when no other thread uses the library. */
static void end_all(void)
{
    fa__helper *h = pool.first;
    pool.first = NULL;
    pool.count = 0;
    pool.registered = false;
    while (h) {
        fa__helper *next = h->next;
        if (fa__crew_end(h->crew)) {
            pthread_cond_destroy(&h->wanted);
            fa__free(h);
        }
        h = next;
    }
}

/* Called with the lock held, as its thread looks at it. NULL if there is none to be had. */
static fa__helper *helper_new(void)
{
    if (pool.count == FA__MOST_HELPERS || !(pool.registered || (pool.registered = fa__at_exit(end_all))))
        return NULL;
    fa__helper *h = fa__calloc(1, sizeof *h);
    if (!h)
        return NULL;
    pthread_cond_init(&h->wanted, NULL);
    h->crew = fa__crew_start(1, work, wake, h);
    if (!h->crew) {
        pthread_cond_destroy(&h->wanted);
        fa__free(h);
        return NULL;
    }
    h->next = pool.first;
    pool.first = h;
    pool.count++;
    return h;
}

/* One that waits for work, or a new one. */
static fa__helper *idle_helper(void)
{
    for (fa__helper *h = pool.first; h; h = h->next)
        if (!h->taken && !h->ending && fa__crew_works(h->crew))
            return h;
    return helper_new();
}

int fa__helpers_start(int count, void (*function)(void *context, int number), void *context, fa__helper **helper)
{
    int started = 0;
    pthread_mutex_lock(&pool.lock);
    for (fa__helper *h; started < count && (h = idle_helper()) != NULL;) {
        helper[started++] = h;
        h->taken = true;
        h->number = started;
        h->context = context;
        h->function = function;
        pthread_cond_signal(&h->wanted);
    }
    pthread_mutex_unlock(&pool.lock);
    return started;
}

void fa__helpers_wait(int count, fa__helper *const *helper)
{
    pthread_mutex_lock(&pool.lock);
    for (int i = 0; i < count; i++) {
        while (helper[i]->function)
            pthread_cond_wait(&pool.finished, &pool.lock);
        helper[i]->taken = false;
    }
    pthread_mutex_unlock(&pool.lock);
}
