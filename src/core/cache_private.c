/* Private caches: the memory of a graph, which stays where it is as long as the graph or one of its tensors exists. */
#include "base/alloc.h"
#include "core/bins.h"

static void *allocate(void *context, size_t size)
{
    fa__device *d = context;
    return fa__cache_lend(&d->cache, size);
}

static void release(void *context, void *memory, size_t size)
{
    fa__device *d = context;
    fa__cache_take_back(&d->cache, memory, size);
}

/* Sanitizers are not informed of its blocks: replayed work uses them after they were freed. */
fa__cache *fa__cache_private(fa__device *d)
{
    fa__cache *c = fa__calloc(1, sizeof *c);
    if (!c)
        return NULL;
    fa__cache_source source = d->cache.source;
    source.allocate = allocate;
    source.release = release;
    source.context = d;
    source.host = false;
    fa__cache_init(c, source);
    c->direct = false;
    c->parent = &d->cache;
    return c;
}

void fa__cache_dispose(fa__cache *c)
{
    fa__cache_trim(c);
    if (c->stats.segments.current && c->source.finish) {
        c->source.finish(c->source.context);
        fa__cache_trim(c);
    }
    fa__free(c->bins);
    pthread_mutex_destroy(&c->lock);
    fa__free(c);
}

void fa__cache_abandon(fa__cache *c)
{
    pthread_mutex_lock(&c->lock);
    c->abandoned = true;
    bool over = !c->live;
    pthread_mutex_unlock(&c->lock);
    if (over)
        fa__cache_dispose(c);
}

bool fa__cache_each_owner(fa__cache *c, bool (*call)(void *context, struct fa__storage *), void *context)
{
    bool good = true;
    pthread_mutex_lock(&c->lock);
    for (const fa__block *b = c->live; b && good; b = b->next)
        if (fa__block_owner(b))
            good = call(context, fa__block_owner(b));
    pthread_mutex_unlock(&c->lock);
    return good;
}
