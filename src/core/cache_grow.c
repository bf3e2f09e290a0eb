/* Segments that grow: the source gives more memory behind their last block, and takes back any part that is free. */
#include "base/error.h"
#include "base/small.h"
#include "core/bins.h"

/* What a segment grows by is a multiple of this. */
static const size_t step = (size_t)2 << 20;

static void *extend(fa__cache *c, bool small, void *end, size_t size)
{
    return fa__cache_is_beyond(c, size) ? NULL : c->bins->growth->extend(c->source.context, small, end, size);
}

/* Whether the block is free, and memory behind it that nothing uses may be merged with it for this queue. */
static bool joins(const fa__block *end, const fa__queue *queue)
{
    return end->free && (end->uses == 0 || (end->uses == 1 && end->use[0].queue == queue));
}

static fa__block *append(fa__cache *c, fa__block *fresh, fa__block *end, void *memory, size_t size, bool small)
{
    *fresh = (fa__block){.memory = memory, .size = size, .small = small, .before = end};
    if (end)
        end->after = fresh;
    c->bins->end[small] = fresh;
    return fresh;
}

fa__block *fa__block_grow(fa__cache *c, fa__block *fresh, size_t bytes, bool small, const fa__queue *queue)
{
    fa__block *end = c->bins->end[small];
    bool joined = end && joins(end, queue);
    size_t whole = (bytes + step - 1) / step * step, have = joined ? end->size : 0;
    if (have >= bytes) /* it became free in the meantime, and is found without this */
        return NULL;
    size_t more = (bytes - have + step - 1) / step * step;
    void *memory = end ? extend(c, small, end->memory + end->size, more) : NULL;
    if (!memory) {
        more = whole;
        joined = false;
        end = NULL;
        memory = extend(c, small, NULL, more);
    }
    if (!memory)
        return NULL;
    fa__count_up(&c->stats.segments, more);
    if (!joined)
        return append(c, fresh, end, memory, more, small);
    fa__free_remove(c, end);
    end->size += more;
    return end;
}

/* A descriptor; NULL, and no error: there is no memory. */
static fa__block *descriptor(void)
{
    fa_error ignored = {0};
    fa_error *before = fa__error_use(&ignored);
    fa__block *b = fa__small_alloc(sizeof *b);
    fa__error_use(before);
    return b;
}

void fa__block_cut(fa__cache *c, fa__block *b, char *memory, size_t size)
{
    size_t head = (size_t)(memory - b->memory), rest = b->size - head - size;
    fa__block *r = rest ? descriptor() : NULL, *last = head ? b : b->before, *first = r ? r : b->after;
    if (rest && !r) {
        fa__free_put(c, b);
        return;
    }
    c->stats.segments.current -= size;
    c->source.release(c->source.context, memory, size);
    if (c->bins->end[b->small] == b)
        c->bins->end[b->small] = r ? r : last;
    if (r) {
        *r = (fa__block){.memory = memory + size, .size = rest, .small = b->small, .after = b->after};
        if (r->after)
            r->after->before = r;
        fa__free_put(c, r);
    }
    if (first)
        first->before = NULL;
    if (last)
        last->after = NULL;
    b->size = head;
    if (head)
        fa__free_put(c, b);
    else
        fa__small_free(b, sizeof *b);
}
