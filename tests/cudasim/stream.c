/* Streams and events: what is issued is put into a list, and one thread runs it, choosing at random among the streams
 * whose next command may run. */
#define _GNU_SOURCE
#include "cudasim.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;                         /* for the thread: something may run */
static pthread_cond_t done = PTHREAD_COND_INITIALIZER; /* for those that wait: something has run */
static CUstream streams;                               /* all there are */
static bool begun;
static int waiting; /* threads that wait for some work */
static int64_t delay;
static const void *delayed; /* the one stream; NULL: all */
static bool ignoring;
static uint64_t chance = 1;

void cudasim_lock(void)
{
    pthread_mutex_lock(&lock);
}

void cudasim_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void cudasim_delay(int64_t microseconds, const void *stream)
{
    cudasim_lock();
    delay = microseconds;
    delayed = stream;
    for (CUstream s = streams; s; s = s->next)
        for (command *c = s->first; c; c = c->next)
            c->ready = 0;
    if (begun)
        pthread_cond_broadcast(&changed);
    cudasim_unlock();
}

void cudasim_ignore_events(bool ignore)
{
    cudasim_lock();
    ignoring = ignore;
    cudasim_unlock();
}

/* ---- the thread ---- */
static bool may_run(const command *c, int64_t *soon)
{
    if (c->kind == WAIT && c->event->done < c->number && !c->event->context->lost && !ignoring)
        return false;
    if (c->ready == INT64_MAX)
        return waiting > 0;
    if (c->ready > now()) {
        *soon = c->ready < *soon ? c->ready : *soon;
        return false;
    }
    return true;
}

/* One of those that may run; NULL: there is none before `soon`. */
static CUstream choose(int64_t *soon)
{
    CUstream chosen = NULL;
    int candidates = 0;
    *soon = INT64_MAX;
    for (CUstream s = streams; s; s = s->next) {
        if (!s->first || !may_run(s->first, soon))
            continue;
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        if ((chance >> 33) % (unsigned)++candidates == 0)
            chosen = s;
    }
    return chosen;
}

static void sleep_until(int64_t time)
{
    if (time == INT64_MAX) {
        pthread_cond_wait(&changed, &lock);
        return;
    }
    const struct timespec t = {time / 1000000000, time % 1000000000};
    pthread_cond_timedwait(&changed, &lock, &t);
}

/* Without the lock: it may take long. */
static void run(const command *c, CUcontext context)
{
    if (c->kind == COPY) {
        memcpy(c->to, c->from, c->bytes);
        cudasim_touch(c->from, c->bytes, false);
        cudasim_touch(c->to, c->bytes, true);
    } else if (c->kind == CALL)
        c->call(c->value);
    else if (!cudasim_run(c))
        __atomic_store_n(&context->lost, LAUNCH_FAILED, __ATOMIC_RELAXED);
}

static void do_first(CUstream s)
{
    command *c = s->first;
    int code = c->kind == LAUNCH ? cudasim_fails("kernel", s->context) : 0;
    if (c->kind == RECORD) {
        c->event->done = c->number > c->event->done ? c->number : c->event->done;
        c->event->time = now();
    } else if (c->kind != WAIT && !s->context->lost && !code) {
        cudasim_unlock();
        run(c, s->context);
        cudasim_lock();
        cudasim_clock_done(s, c);
    }
    s->first = c->next;
    s->last = s->first ? s->last : NULL;
    if (c->event)
        cudasim_drop(c->event);
    free(c);
    pthread_cond_broadcast(&done);
}

static void *work(void *unused)
{
    (void)unused;
    cudasim_lock();
    for (;;) {
        int64_t soon;
        CUstream s = choose(&soon);
        if (s)
            do_first(s);
        else
            sleep_until(soon);
    }
    return NULL;
}

static void begin(void)
{
    pthread_condattr_t clock;
    pthread_t thread;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &clock);
    delay = cudasim_number("CUDASIM_DELAY_US", delay);
    chance = (uint64_t)cudasim_number("CUDASIM_SEED", 1);
    begun = !pthread_create(&thread, NULL, work, NULL) && !pthread_detach(thread);
    if (!begun)
        abort();
}

/* ---- streams ---- */
CUstream cudasim_stream(CUcontext context)
{
    CUstream s = calloc(1, sizeof *s);
    if (!begun)
        begin();
    if (!s)
        return NULL;
    s->context = context;
    s->next = streams;
    return streams = s;
}

static void wait_changed(void)
{
    waiting++;
    pthread_cond_broadcast(&changed);
    pthread_cond_wait(&done, &lock);
    waiting--;
}

int cudasim_wait_stream(CUstream s)
{
    while (s->first)
        wait_changed();
    return s->context->lost;
}

void cudasim_wait_all(CUcontext context)
{
    for (CUstream s = streams; s; s = s->next)
        if (s->context == context && s->first) {
            cudasim_wait_stream(s);
            s = streams; /* the list may have changed */
        }
}

void cudasim_stream_free(CUstream s)
{
    cudasim_wait_stream(s);
    for (CUstream *link = &streams; *link; link = &(*link)->next)
        if (*link == s) {
            *link = s->next;
            break;
        }
    free(s);
}

void cudasim_copy_command(command *to, const command *from)
{
    *to = *from;
    for (int i = 0; i < 64 && from->argument[i]; i++)
        to->argument[i] = to->value + ((const unsigned char *)from->argument[i] - from->value);
}

bool cudasim_issue(CUstream s, const command *c)
{
    if (s->capture)
        return cudasim_add_node(s->capture, c);
    command *new = malloc(sizeof *new);
    if (!new)
        return false;
    cudasim_copy_command(new, c);
    bool slow = delay && (!delayed || delayed == s) && c->kind <= LAUNCH;
    new->ready = !slow ? 0 : delay < 0 ? INT64_MAX : now() + delay * 1000;
    new->next = NULL;
    cudasim_clock_issue(s, new, ignoring);
    if (c->event)
        c->event->users++;
    if (s->last)
        s->last->next = new;
    else
        s->first = new;
    s->last = new;
    pthread_cond_broadcast(&changed);
    return true;
}

/* ---- events ---- */
int cudasim_wait_event(CUevent e)
{
    uint64_t number = e->recorded;
    uint32_t clock[CLOCKS];
    memcpy(clock, e->clock, sizeof clock);
    while (e->done < number && !e->context->lost)
        wait_changed();
    cudasim_clock_waited(clock);
    return e->context->lost;
}

void cudasim_changed(void)
{
    if (begun)
        pthread_cond_broadcast(&changed);
    pthread_cond_broadcast(&done);
}

void cudasim_drop(CUevent e)
{
    if (--e->users == 0)
        free(e);
}
