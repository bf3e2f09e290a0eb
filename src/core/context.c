/* The context of a thread: created when needed, freed when the thread or the process ends. */
#include "core/context.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/log.h"
#include "core/capture.h"
#include "core/casts.h"
#include <facula/random.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
FA__LOCKED_AT_FORK(CONTEXTS, &list_lock)

static fa__context *contexts;
static _Atomic int64_t gone; /* the sum of `small` over threads that have ended */

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
    atomic_fetch_add(&gone, atomic_load(&c->small));
    pthread_mutex_unlock(&list_lock);
}

static int64_t small_of_all(void)
{
    pthread_mutex_lock(&list_lock);
    int64_t sum = atomic_load(&gone);
    for (fa__context *c = contexts; c; c = c->next)
        sum += atomic_load_explicit(&c->small, memory_order_relaxed);
    pthread_mutex_unlock(&list_lock);
    return sum;
}

int64_t fa__small_bytes_all(void)
{
    return small_of_all() & (FA__SMALL_ONE - 1);
}

int64_t fa__small_count_all(void)
{
    return small_of_all() / FA__SMALL_ONE;
}

static void context_free(fa__context *c)
{
    for (size_t i = 0; c->dead && i < c->dead_most; i++)
        if (c->dead[i])
            fa__object_release(c->dead[i]);
    fa__free(c->dead);
    fa__free(c->owned);
    fa__free(c->frame);
    fa__free(c->used);
    fa__free(c->variable);
    fa__free(c);
}

/* Closes the root scope with the thread. Callbacks during this may create more objects, which are freed here too. */
static void context_end(void *core)
{
    fa__context *c = core;
    fa__thread *t = fa__self;
    __atomic_store_n(&t->core, c, __ATOMIC_RELAXED);
    c->frames = c->used_count = 1;
    c->settings = c->used;
    if (c->capture)
        c->capture->abandon(c->capture);
    if (c->casts)
        fa__casts_drop(c);
    fa__error_use(NULL);
    c->closing = c->frame[0].where;
    while (c->owned_count)
        fa__unref(c->owned[--c->owned_count]);
    fa_generator_use(NULL);
    __atomic_store_n(&t->core, NULL, __ATOMIC_RELAXED);
    delist(c);
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
    c->frame_capacity = c->used_capacity = c->variable_capacity = 16;
    c->owned = fa__malloc(c->owned_capacity * sizeof *c->owned);
    c->frame = fa__calloc(c->frame_capacity, sizeof *c->frame);
    c->used = fa__calloc(c->used_capacity, sizeof *c->used);
    c->variable = fa__malloc(c->variable_capacity * sizeof *c->variable);
    c->dead_most = fa__debugging() ? FA__DEAD_DEBUGGING : FA__DEAD;
    c->dead = fa__calloc(c->dead_most, sizeof *c->dead);
    if (!c->owned || !c->frame || !c->used || !c->variable || !c->dead)
        return context_free(c), NULL;
    c->frames = c->used_count = 1;
    c->frame[0].where = "the root scope";
    c->used[0] = (fa_settings){.size = offsetof(fa_settings, fa__end)};
    c->settings = c->used;
    c->hint = 10000;
    c->hint_bytes = (size_t)256 << 20;
    __atomic_store_n(&t->core, c, __ATOMIC_RELAXED);
    t->core_end = context_end;
    enlist(c);
    return c;
}
