/* Slow paths of the small-object allocator: chunks, full lists, and the shared pool. */
#include "base/small.h"
#include "base/error.h"
#include "base/fork.h"
#include <pthread.h>

enum { CHUNK = 16384, CHUNK_HEAD = 64 };

typedef struct chunk {
    struct chunk *next;
} chunk;
_Static_assert(sizeof(chunk) <= CHUNK_HEAD, "a chunk's head has to fit");

/* The first object of a list in the shared pool; every object is large enough for it. */
typedef struct batch {
    char header[FA__LINK_AT]; /* of an object that was freed: it stays */
    void *next;               /* the list itself, as in a thread */
    struct batch *below;
    uint32_t count;
} batch;
_Static_assert(sizeof(batch) <= FA__SMALL_STEP, "the smallest object has to hold it");
_Static_assert(offsetof(batch, next) == FA__LINK_AT, "lists have one form");

static struct {
    pthread_mutex_t lock;
    batch *batches[FA__SMALL_CLASSES];
    chunk *chunks;
    int64_t made, home; /* number of objects in all chunks, and of those in the shared pool */
} depot = {.lock = PTHREAD_MUTEX_INITIALIZER};

FA__LOCKED_AT_FORK(SMALL, &depot.lock)

static size_t size_of(size_t class)
{
    return (class + 1) * FA__SMALL_STEP;
}

/* Number of objects in a chunk, in a full list, and at most in a batch. */
static uint32_t full_count(size_t class)
{
    return (uint32_t)((CHUNK - CHUNK_HEAD) / size_of(class));
}

static void put(size_t class, void *head, uint32_t count)
{
    batch *b = (batch *)head;
    fa__mark_used(b, sizeof *b);
    pthread_mutex_lock(&depot.lock);
    b->below = depot.batches[class];
    b->count = count;
    depot.batches[class] = b;
    depot.home += count;
    pthread_mutex_unlock(&depot.lock);
    fa__mark_free(b, sizeof *b);
}

static void *take(size_t class, uint32_t *count)
{
    pthread_mutex_lock(&depot.lock);
    batch *b = depot.batches[class];
    if (b) {
        fa__mark_used(b, sizeof *b);
        depot.batches[class] = b->below;
        depot.home -= b->count;
        *count = b->count;
        fa__mark_free(b, sizeof *b);
    }
    pthread_mutex_unlock(&depot.lock);
    return b;
}

static void *carve(size_t class, uint32_t *count)
{
    chunk *c = (chunk *)fa__raw(64, CHUNK);
    if (!c)
        return NULL;
    *count = full_count(class);
    size_t size = size_of(class);
    void *head = NULL;
    for (uint32_t i = *count; i-- > 0;) {
        void *object = (char *)c + CHUNK_HEAD + i * size;
        *fa__mark_link(object) = head;
        head = object;
    }
    fa__mark_free((char *)c + CHUNK_HEAD, *count * size);
    pthread_mutex_lock(&depot.lock);
    c->next = depot.chunks;
    depot.chunks = c;
    depot.made += *count;
    pthread_mutex_unlock(&depot.lock);
    return head;
}

/* Refills an empty list: from its full list, the shared pool, or a new chunk. */
static bool fill(fa__small_list *list, size_t class)
{
    uint32_t count = full_count(class);
    void *head = list->full;
    if (head)
        list->full = NULL;
    else if (!(head = take(class, &count)) && !(head = carve(class, &count)))
        return false;
    list->head = head;
    list->room = full_count(class) - count;
    return true;
}

static void *no_memory(size_t size)
{
    fa__fail(FA_ERROR_MEMORY, "out of memory: %zu bytes were asked for", size);
    return NULL;
}

void *fa__small_refill(size_t size)
{
    size_t class = (size - 1) / FA__SMALL_STEP;
    if (class >= FA__SMALL_CLASSES)
        return fa__malloc(size);
    if (fa__pools_off())
        return fa__aligned(FA__SMALL_STEP, size);
    fa__thread *t = fa__thread_here();
    if (!t)
        return NULL;
    if (fa__inject_now(size))
        return no_memory(size);
    fa__small_list *list = &t->small[class];
    if (!list->head && !fill(list, class))
        return no_memory(size);
    void *object = list->head;
    list->head = fa__mark_taken(object, size);
    list->room++;
    return object;
}

/* Called if the list is full, or if this thread has none yet. */
void fa__small_spill(void *object, size_t size)
{
    size_t class = (size - 1) / FA__SMALL_STEP;
    if (!object || class >= FA__SMALL_CLASSES || fa__pools_off()) {
        fa__free(object);
        return;
    }
    fa__thread *t = fa__self->started ? fa__self : NULL;
    if (!t) {
        fa__mark_linked(object, size_of(class), NULL);
        put(class, object, 1);
        return;
    }
    fa__small_list *list = &t->small[class];
    if (list->full)
        put(class, list->full, full_count(class));
    list->full = list->head;
    list->head = NULL;
    list->room = full_count(class) - 1;
    fa__mark_linked(object, size, NULL);
    list->head = object;
}

void fa__small_end(fa__thread *thread)
{
    if (!thread->started)
        return;
    for (size_t class = 0; class < FA__SMALL_CLASSES; class ++) {
        fa__small_list *list = &thread->small[class];
        if (list->head)
            put(class, list->head, full_count(class) - list->room);
        if (list->full)
            put(class, list->full, full_count(class));
        *list = (fa__small_list){0};
    }
}

void fa__small_stop(void)
{
    pthread_mutex_lock(&depot.lock);
    chunk *c = depot.home == depot.made ? depot.chunks : NULL;
    if (c) {
        depot.chunks = NULL;
        depot.home = depot.made = 0;
        for (size_t class = 0; class < FA__SMALL_CLASSES; class ++)
            depot.batches[class] = NULL;
    }
    pthread_mutex_unlock(&depot.lock);
    while (c) {
        chunk *next = c->next;
        fa__mark_used(c, CHUNK);
        fa__aligned_free(c);
        c = next;
    }
}
