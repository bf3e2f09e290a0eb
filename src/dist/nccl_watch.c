/* Watching NCCL, which waits forever for a rank that does not come. A rank whose calls do not go on says so to the
 * others, over the group's other connections, and listens whether one of them has failed. After the timeout those that
 * have not said that they wait are the missing ones: the group fails, what waits for results gets the error, and the
 * calls are given up. */
#include "dist/nccl.h"
#include <facula/cuda.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/host.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum {
    SECOND = 1000000000,
    LOOKS = 8, /* within a timeout, at least */
    GRACE = 10 /* seconds: a rank that is gone may have done its part, which is still on its way */
};

typedef struct fa__nccl_watch {
    fa__crew *crew;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool busy, ending; /* busy: there may be calls that are not done */
} watch;

/* Since when nothing was done. */
typedef struct stall {
    uint64_t done;
    int64_t since;
    bool announced; /* this rank has sent its note that it waits */
} stall;

static int64_t patience(const fa__nccl *n)
{
    return (int64_t)(n->wire->timeout * SECOND);
}

/* Waits until there is a call, and then until it is time to look. False: the communicator ends. */
static bool sleeps(const fa__nccl *n, stall *s)
{
    watch *w = n->watch;
    const int64_t part = patience(n) / LOOKS;
    pthread_mutex_lock(&w->lock);
    while (!w->ending && !w->busy) {
        pthread_cond_wait(&w->changed, &w->lock);
        s->since = fa__dist_clock();
    }
    const int64_t then = fa__dist_clock() + (part < SECOND ? part : SECOND);
    const struct timespec until = {(time_t)(then / SECOND), (long)(then % SECOND)};
    while (!w->ending && !pthread_cond_timedwait(&w->changed, &w->lock, &until))
        ;
    w->busy = false;
    bool goes_on = !w->ending;
    pthread_mutex_unlock(&w->lock);
    return goes_on;
}

/* By whoever has the turn. False: the group has failed. */
static bool ask(fa__nccl *n, stall *s)
{
    const int64_t stands = fa__dist_clock() - s->since;
    fa_error ignored = {0}; /* it is the group's failure, too */
    FA_USE(.catch_errors = &ignored);
    if (!s->announced)
        fa__wire_note(n->wire, true);
    s->announced = true;
    if (fa__wire_listen(n->wire, stands / SECOND >= GRACE)
        && (stands <= patience(n) || fa__wire_missed(n->wire, n->name)))
        return true;
    fa__cuda_fail_pending(n->stream, FA_ERROR_STATE, n->wire->failure);
    fa__nccl_leave(n);
    return false;
}

/* Calls have gone on: the others need not wait for this rank's word. */
static void forget(const fa__nccl *n, stall *s, uint64_t done)
{
    if (s->announced && fa__group_try(n->group)) {
        fa__wire_note(n->wire, false);
        fa__group_end(n->group);
        s->announced = false;
    }
    s->done = done;
    s->since = fa__dist_clock();
}

/* Looks at the calls; false when they were given up. */
static bool look(fa__nccl *n, stall *s)
{
    const fa__cuda_progress p = fa__cuda_progress_of(n->stream);
    bool good = true;
    if (p.done == p.issued || p.done != s->done)
        forget(n, s, p.done);
    else if (fa__group_try(n->group)) {
        good = ask(n, s);
        fa__group_end(n->group);
    }
    if (p.done != p.issued || s->announced)
        fa__nccl_watch_note(n);
    return good;
}

static void work(void *context)
{
    fa__nccl *n = context;
    stall s = {.since = fa__dist_clock()};
    while (sleeps(n, &s))
        if (!look(n, &s))
            return;
}

static void wake(void *context)
{
    watch *w = ((const fa__nccl *)context)->watch;
    pthread_mutex_lock(&w->lock);
    w->ending = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

static void watch_free(watch *w)
{
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->changed);
    free(w);
}

void fa__nccl_watch_start(fa__nccl *n)
{
    watch *w = calloc(1, sizeof *w);
    pthread_condattr_t clock;
    if (!w)
        return;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, &clock);
    pthread_condattr_destroy(&clock);
    n->watch = w;
    w->crew = fa__crew_start(1, work, wake, n);
    if (w->crew)
        return;
    n->watch = NULL;
    watch_free(w);
}

void fa__nccl_watch_note(const fa__nccl *n)
{
    watch *w = n->watch;
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    if (!w->busy)
        pthread_cond_signal(&w->changed);
    w->busy = true;
    pthread_mutex_unlock(&w->lock);
}

bool fa__nccl_watch_end(fa__nccl *n)
{
    if (!n->watch)
        return true;
    if (!fa__crew_end(n->watch->crew))
        return false;
    watch_free(n->watch);
    n->watch = NULL;
    return true;
}
