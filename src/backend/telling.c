/* Tellings, numbered in order: each fault's in a list, all lists under one lock. */
#include "backend/telling.h"
#include "base/alloc.h"
#include "base/fork.h"
#include "base/thread.h"

struct fa__telling {
    struct fa__telling *next;
    uint64_t number;
    uint32_t thread;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t count;
static _Atomic uint32_t threads;

FA__LOCKED_AT_FORK(TELLINGS, &lock)

uint32_t fa__thread_number(void)
{
    static FA__TLS uint32_t mine;
    if (!mine)
        mine = atomic_fetch_add(&threads, 1) + 1;
    return mine;
}

uint32_t fa__thread_last(void)
{
    return atomic_load(&threads);
}

uint64_t fa__tellings_count(void)
{
    return atomic_load(&count);
}

uint64_t fa__tellings_add(fa__tellings *all)
{
    struct fa__telling *t = fa__inject_now(sizeof *t) ? NULL : fa__raw(16, sizeof *t);
    pthread_mutex_lock(&lock);
    uint64_t number = atomic_load(&count) + 1;
    if (t) {
        *t = (struct fa__telling){*all, number, fa__thread_number()};
        *all = t;
    }
    atomic_store(&count, number);
    pthread_mutex_unlock(&lock);
    return number;
}

bool fa__tellings_have(const fa__tellings *all, uint32_t thread, uint64_t since, uint64_t until)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (const struct fa__telling *t = *all; t && !found; t = t->next)
        found = since < t->number && t->number <= until && (!thread || t->thread == thread);
    pthread_mutex_unlock(&lock);
    return found;
}

void fa__tellings_end(fa__tellings *all)
{
    while (*all) {
        struct fa__telling *t = *all;
        *all = t->next;
        fa__aligned_free(t);
    }
}
