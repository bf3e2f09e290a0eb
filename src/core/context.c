/* The context of a thread: made when first needed, taken apart when the thread or the process ends. */
#include "core/context.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static fa__context *contexts;
static _Atomic int64_t gone_bytes, gone_count; /* of threads that have ended */

bool fa__debugging(void)
{
    static _Atomic int state;
    int known = atomic_load_explicit(&state, memory_order_relaxed);
    if (!known) {
        const char *text = getenv("FACULA_DEBUG");
#ifdef NDEBUG
        bool on = text && *text && *text != '0';
#else
        bool on = !text || *text != '0';
#endif
        known = on ? 2 : 1;
        atomic_store_explicit(&state, known, memory_order_relaxed);
    }
    return known == 2;
}

static void enlist(fa__context *c)
{
    pthread_mutex_lock(&list_lock);
    c->next = contexts;
    if (contexts)
        contexts->previous = c;
    contexts = c;
    pthread_mutex_unlock(&list_lock);
}

static void delist(fa__context *c)
{
    pthread_mutex_lock(&list_lock);
    if (c->previous)
        c->previous->next = c->next;
    else
        contexts = c->next;
    if (c->next)
        c->next->previous = c->previous;
    atomic_fetch_add(&gone_bytes, atomic_load(&c->small_bytes));
    atomic_fetch_add(&gone_count, atomic_load(&c->small_count));
    pthread_mutex_unlock(&list_lock);
}

static int64_t sum_over_threads(bool bytes)
{
    pthread_mutex_lock(&list_lock);
    int64_t sum = atomic_load(bytes ? &gone_bytes : &gone_count);
    for (fa__context *c = contexts; c; c = c->next)
        sum += atomic_load_explicit(bytes ? &c->small_bytes : &c->small_count, memory_order_relaxed);
    pthread_mutex_unlock(&list_lock);
    return sum;
}

int64_t fa__small_bytes_all(void)
{
    return sum_over_threads(true);
}

int64_t fa__small_count_all(void)
{
    return sum_over_threads(false);
}

static void context_free(fa__context *c)
{
    for (size_t i = 0; c->dead && i < FA__QUARANTINE; i++)
        if (c->dead[i])
            fa__object_release(c->dead[i]);
    fa__free(c->dead);
    fa__free(c->owned);
    fa__free(c->frame);
    fa__free(c->used);
    fa__free(c);
}

/* The root scope ends with the thread. */
static void context_end(void *core)
{
    fa__context *c = core;
    fa__error_use(NULL);
    c->closing = "the root scope";
    while (c->owned_count)
        fa__unref(c->owned[--c->owned_count]);
    fa__unref(c->generator);
    delist(c);
    fa__thread *t = fa__thread_here();
    if (t)
        t->core = NULL;
    context_free(c);
}

fa__context *fa__context_start(void)
{
    fa__thread *t = fa__thread_here();
    if (!t)
        return NULL;
    fa__context *c = fa__calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->owned_capacity = 64;
    c->frame_capacity = c->used_capacity = 16;
    c->owned = fa__malloc(c->owned_capacity * sizeof *c->owned);
    c->frame = fa__calloc(c->frame_capacity, sizeof *c->frame);
    c->used = fa__calloc(c->used_capacity, sizeof *c->used);
    if (!c->owned || !c->frame || !c->used)
        return context_free(c), NULL;
    c->frames = c->used_count = 1;
    c->frame[0].where = "the root scope";
    c->used[0] = (fa_settings){.size = offsetof(fa_settings, fa__end), .device = FA_CPU};
    c->settings = c->used;
    c->hint = 10000;
    t->core = c;
    t->core_end = context_end;
    enlist(c);
    return c;
}
