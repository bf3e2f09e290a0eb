/* Pending nodes of a backward pass: a single entry, or a heap by level and a hash table by node. */
#include "autograd/pending.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/small.h"
#include <string.h>

static size_t home(const fa__pending_work *w, const fa__node *n)
{
    return (size_t)fa__hash_mix((uint64_t)(uintptr_t)n) & (w->slots - 1);
}

static size_t find(const fa__pending_work *w, const fa__node *n)
{
    size_t i = home(w, n);
    while (w->slot[i] && w->slot[i]->node != n)
        i = (i + 1) & (w->slots - 1);
    return i;
}

static bool grow(fa__pending_work *w)
{
    size_t before = w->slots, slots = before ? 2 * before : 32;
    fa__pending_node **slot = fa__calloc(slots, sizeof *slot), **old = w->slot;
    fa__pending_node **heap = slot ? fa__malloc(slots / 2 * sizeof *heap) : NULL;
    if (!heap) {
        fa__free(slot);
        return false;
    }
    if (w->count)
        memcpy(heap, w->heap, w->count * sizeof *heap);
    fa__free(w->heap);
    w->heap = heap;
    w->capacity = slots / 2;
    w->slot = slot;
    w->slots = slots;
    for (size_t i = 0; i < before; i++)
        if (old[i])
            w->slot[find(w, old[i]->node)] = old[i];
    fa__free(old);
    return true;
}

static bool comes_before(const fa__pending_node *a, const fa__pending_node *b)
{
    return a->node->level != b->node->level ? a->node->level > b->node->level : a->order < b->order;
}

static void push(fa__pending_work *w, fa__pending_node *p)
{
    size_t i = w->count++;
    for (; i && comes_before(p, w->heap[(i - 1) / 2]); i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = p;
}

static void sink(fa__pending_work *w, fa__pending_node *p)
{
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= w->count)
            break;
        if (child + 1 < w->count && comes_before(w->heap[child + 1], w->heap[child]))
            child++;
        if (!comes_before(w->heap[child], p))
            break;
        w->heap[i] = w->heap[child];
        i = child;
    }
    w->heap[i] = p;
}

/* Removes an entry from the table and closes the gap. */
static void forget(fa__pending_work *w, const fa__node *n)
{
    size_t mask = w->slots - 1, gap = find(w, n);
    for (size_t i = (gap + 1) & mask; w->slot[i]; i = (i + 1) & mask) {
        size_t at = home(w, w->slot[i]->node);
        if (((i - at) & mask) >= ((i - gap) & mask)) {
            w->slot[gap] = w->slot[i];
            gap = i;
        }
    }
    w->slot[gap] = NULL;
}

/* Adds an entry for a node that has none to the heap and the table. */
static fa__pending_node *add(fa__pending_work *w, fa__pending_node entry)
{
    if (w->count == w->capacity && !grow(w))
        return NULL;
    fa__pending_node *p = fa__small_alloc(sizeof *p);
    if (!p)
        return NULL;
    *p = entry;
    w->slot[find(w, p->node)] = p;
    push(w, p);
    return p;
}

/* If memory runs out, its node is NULL and an error is set. */
static fa__pending_node entry_for(fa__pending_work *w, fa__node *n)
{
    fa__pending_node entry = {.order = w->arrivals++};
    if (FA__UNLIKELY(n->results > FA__MAX_RESULTS) && !(entry.more = fa__calloc(n->results, sizeof *entry.more)))
        return entry;
    entry.node = fa__ref(n);
    return entry;
}

static const fa__device *device_of(const fa__node *n)
{
    return n->results ? n->result[0].device : NULL;
}

/* A second node becomes pending: the first one moves into the heap. */
static FA__NOINLINE fa__pending_node *among_many(fa__pending_work *w, fa__node *n)
{
    if (w->only.node) {
        if (!add(w, w->only))
            return NULL;
        w->only.node = NULL;
    }
    w->several |= !w->settled && device_of(n) != device_of(w->heap[0]->node);
    fa__pending_node *p = w->slot[find(w, n)];
    if (p)
        return p;
    fa__pending_node entry = entry_for(w, n);
    p = entry.node ? add(w, entry) : NULL;
    if (!p && entry.node)
        fa__pending_drop(&entry);
    return p;
}

FA__HOT fa__pending_node *fa__pending_of(fa__pending_work *w, fa__node *n)
{
    fa__pending_node *only = &w->only;
    if (FA__UNLIKELY(w->count || (only->node && only->node != n)))
        return among_many(w, n);
    if (!only->node)
        *only = entry_for(w, n);
    return only->node ? only : NULL;
}

static FA__NOINLINE bool take_highest(fa__pending_work *w, fa__pending_node *entry)
{
    if (!w->count)
        return false;
    fa__pending_node *p = w->heap[0];
    w->count--;
    if (w->count)
        sink(w, w->heap[w->count]);
    forget(w, p->node);
    *entry = *p;
    fa__small_free(p, sizeof *p);
    return true;
}

FA__HOT bool fa__pending_next(fa__pending_work *w, fa__pending_node *entry)
{
    if (FA__UNLIKELY(!w->only.node))
        return take_highest(w, entry);
    *entry = w->only;
    w->only.node = NULL;
    return true;
}

FA__HOT void fa__pending_drop(fa__pending_node *p)
{
    fa_tensor **gy = fa__pending_gy(p);
    for (uint32_t i = 0; i < p->node->results; i++)
        fa__unref(gy[i]);
    if (FA__UNLIKELY(p->more != NULL))
        fa__free(p->more);
    fa__unref(p->node);
}

FA__HOT void fa__pending_end(fa__pending_work *w)
{
    for (fa__pending_node p; fa__pending_next(w, &p);)
        fa__pending_drop(&p);
    fa__free(w->heap);
    fa__free(w->slot);
}
