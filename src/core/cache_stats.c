/* Statistics and limit of a caching allocator. */
#include "core/bins.h"

void fa__count_up(fa_memory_count *c, size_t n)
{
    c->current += n;
    c->total += n;
    if (c->current > c->peak)
        c->peak = c->current;
}

void fa__count_taken(fa__cache *c, size_t size, size_t requested)
{
    fa__count_up(&c->stats.active, size);
    fa__count_up(&c->stats.requested, requested);
    fa__count_up(&c->stats.blocks, 1);
}

void fa__count_given(fa__cache *c, size_t size, size_t requested)
{
    c->stats.active.current -= size;
    c->stats.requested.current -= requested;
    c->stats.blocks.current--;
}

void fa__cache_count(fa__cache *c, int64_t bytes)
{
    if (!bytes)
        return;
    size_t size = (size_t)(bytes < 0 ? -bytes : bytes);
    pthread_mutex_lock(&c->lock);
    if (bytes > 0)
        fa__count_taken(c, size, size);
    else
        fa__count_given(c, size, size);
    pthread_mutex_unlock(&c->lock);
}

size_t fa__largest_free(const fa__cache *c)
{
    size_t largest = 0;
    if (!c->bins)
        return 0;
    int list = 0;
    for (const fa__block *b; (b = fa__bins_from(c->bins, &list)); list++)
        for (; b; b = b->next)
            if (b->size > largest)
                largest = b->size;
    return largest;
}

fa_memory fa__cache_stats(fa__cache *c)
{
    pthread_mutex_lock(&c->lock);
    fa_memory stats = c->stats;
    stats.largest_free = fa__largest_free(c);
    stats.limit = c->limit;
    stats.spill = c->spill;
    pthread_mutex_unlock(&c->lock);
    stats.allocated = stats.active.current;
    stats.peak = stats.active.peak;
    stats.reserved = stats.segments.current;
    return stats;
}

void fa__cache_reset_peak(fa__cache *c)
{
    fa_memory_count *const counts[] = {&c->stats.active, &c->stats.requested, &c->stats.segments, &c->stats.blocks,
                                       &c->stats.spilled};
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        counts[i]->peak = counts[i]->current;
    pthread_mutex_unlock(&c->lock);
}

size_t fa__cache_set_limit(fa__cache *c, size_t bytes, size_t spill)
{
    pthread_mutex_lock(&c->lock);
    size_t before = c->spill;
    c->limit = bytes;
    c->spill = spill;
    pthread_mutex_unlock(&c->lock);
    return before;
}

/* ---- memory that moves ---- */
void fa__cache_count_spilled(fa__cache *c, int64_t bytes)
{
    pthread_mutex_lock(&c->lock);
    if (bytes > 0)
        fa__count_up(&c->stats.spilled, (size_t)bytes);
    else
        c->stats.spilled.current -= (size_t)-bytes;
    pthread_mutex_unlock(&c->lock);
}

void fa__cache_count_moved(fa__cache *c, size_t bytes)
{
    pthread_mutex_lock(&c->lock);
    c->stats.moved += bytes;
    pthread_mutex_unlock(&c->lock);
}

bool fa__cache_may_spill(fa__cache *c, size_t bytes)
{
    pthread_mutex_lock(&c->lock);
    size_t now = c->stats.spilled.current;
    bool may = now <= c->spill && bytes <= c->spill - now;
    pthread_mutex_unlock(&c->lock);
    return may;
}
