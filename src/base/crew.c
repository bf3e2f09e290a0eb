/* Background threads that run work of the library's upper layers, such as the workers of a loader: started together,
 * joined together, stopped before the process ends, and known to be gone in a forked child. */
#define _GNU_SOURCE
#include "base/crew.h"
#include "base/alloc.h"
#include "base/fork.h"
#include "base/thread.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

typedef enum { RUNNING, JOINING, JOINED, LOST } crew_state;

struct fa__crew {
    fa__crew *next, *previous;
    void (*work)(void *context);
    void (*wake)(void *context);
    void *context;
    crew_state state; /* LOST: in a forked child, which has none of the threads */
    int count;
    pthread_t thread[];
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t joined;
    fa__crew *first;
    bool forked; /* a child after fork() gets no crews: it may be left without what its threads need */
} crews = {.lock = PTHREAD_MUTEX_INITIALIZER, .joined = PTHREAD_COND_INITIALIZER};

static void around_fork(fa__fork_moment moment)
{
    if (moment == FA__FORK_CHILD)
        crews.forked = true;
    for (fa__crew *c = crews.first; moment == FA__FORK_CHILD && c; c = c->next)
        c->state = LOST;
    fa__fork_mutex(&crews.lock, moment);
}

FA__AROUND_FORK(CREWS, around_fork)

/* Loops within the work run on this thread alone: the pool is for the program's own threads. */
static void *run(void *argument)
{
    const fa__crew *c = argument;
    fa__thread *t = fa__thread_here();
    if (t)
        t->in_parallel = true;
    c->work(c->context);
    return NULL;
}

/* With all signals blocked: signals are handled by the program's own threads. */
static int start_threads(fa__crew *c, int count)
{
    sigset_t all, before;
    int made = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (made < count && pthread_create(&c->thread[made], NULL, run, c) == 0) {
        char name[16];
        snprintf(name, sizeof name, "facula-crew-%d", made % 100);
        pthread_setname_np(c->thread[made++], name);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return made;
}

static void enlist(fa__crew *c)
{
    pthread_mutex_lock(&crews.lock);
    c->next = crews.first;
    if (c->next)
        c->next->previous = c;
    crews.first = c;
    pthread_mutex_unlock(&crews.lock);
}

static void delist(fa__crew *c)
{
    pthread_mutex_lock(&crews.lock);
    if (c->previous)
        c->previous->next = c->next;
    else
        crews.first = c->next;
    if (c->next)
        c->next->previous = c->previous;
    pthread_mutex_unlock(&crews.lock);
}

fa__crew *fa__crew_start(int count, void (*work)(void *), void (*wake)(void *), void *context)
{
    fa__crew *c = crews.forked ? NULL : fa__calloc(1, sizeof *c + (size_t)count * sizeof *c->thread);
    if (!c)
        return NULL;
    c->work = work;
    c->wake = wake;
    c->context = context;
    c->count = start_threads(c, count);
    if (!c->count) {
        fa__free(c);
        return NULL;
    }
    enlist(c);
    return c;
}

static crew_state state_of(const fa__crew *c)
{
    pthread_mutex_lock(&crews.lock);
    crew_state state = c->state;
    pthread_mutex_unlock(&crews.lock);
    return state;
}

bool fa__crew_works(const fa__crew *c)
{
    return state_of(c) == RUNNING;
}

/* Joins the threads, or waits until the thread that is doing so has finished. */
static void join(fa__crew *c)
{
    pthread_mutex_lock(&crews.lock);
    bool mine = c->state == RUNNING;
    if (mine)
        c->state = JOINING;
    while (!mine && c->state == JOINING)
        pthread_cond_wait(&crews.joined, &crews.lock);
    pthread_mutex_unlock(&crews.lock);
    if (!mine)
        return;
    c->wake(c->context);
    for (int i = 0; i < c->count; i++)
        pthread_join(c->thread[i], NULL);
    pthread_mutex_lock(&crews.lock);
    c->state = JOINED;
    pthread_cond_broadcast(&crews.joined);
    pthread_mutex_unlock(&crews.lock);
}

bool fa__crew_end(fa__crew *c)
{
    if (state_of(c) == LOST) /* it stays in the list, so that leak checkers can reach what it refers to */
        return false;
    join(c);
    delist(c);
    fa__free(c);
    return true;
}

static fa__crew *running_crew(void)
{
    pthread_mutex_lock(&crews.lock);
    fa__crew *c = crews.first;
    while (c && c->state != RUNNING)
        c = c->next;
    for (int i = 0; c && i < c->count; i++)
        if (pthread_equal(c->thread[i], pthread_self())) /* a callback in a crew has called exit() */
            c = NULL;
    pthread_mutex_unlock(&crews.lock);
    return c;
}

void fa__crews_stop(void)
{
    for (fa__crew *c; (c = running_crew());)
        join(c);
}
