/* Finds all reachable nodes, sorted by level: a node is needed if one of its edges leads to a needed node or an
 * input. */
#include "autograd/needed.h"
#include "base/alloc.h"
#include "base/hash.h"
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    const fa__object *object;
    bool needed;
} entry;

struct fa__needed {
    entry *slot; /* open addressing; a power of two */
    size_t slots, used;
    fa__node **found; /* reachable nodes */
    size_t count, capacity;
};

static entry *look(const fa__needed *n, const fa__object *object)
{
    size_t i = (size_t)fa__hash_mix((uint64_t)(uintptr_t)object) & (n->slots - 1);
    while (n->slot[i].object && n->slot[i].object != object)
        i = (i + 1) & (n->slots - 1);
    return &n->slot[i];
}

static bool grow(fa__needed *n)
{
    fa__needed larger = *n;
    larger.slots = n->slots ? 2 * n->slots : 256;
    larger.slot = fa__calloc(larger.slots, sizeof *larger.slot);
    if (!larger.slot)
        return false;
    for (size_t i = 0; i < n->slots; i++)
        if (n->slot[i].object)
            *look(&larger, n->slot[i].object) = n->slot[i];
    fa__free(n->slot);
    n->slot = larger.slot;
    n->slots = larger.slots;
    return true;
}

/* Returns true if the object is new. Sets *failed if memory runs out. */
static bool add(fa__needed *n, const fa__object *object, bool needed, bool *failed)
{
    if (2 * n->used >= n->slots && !grow(n)) {
        *failed = true;
        return false;
    }
    entry *e = look(n, object);
    bool fresh = !e->object;
    if (fresh)
        n->used++;
    e->object = object;
    e->needed |= needed;
    return fresh;
}

static bool find(fa__needed *n, fa__node *node)
{
    bool failed = false;
    if (!add(n, &node->object, false, &failed))
        return !failed;
    if (n->count == n->capacity) {
        size_t capacity = n->capacity ? 2 * n->capacity : 256;
        fa__node **found = fa__realloc(n->found, capacity * sizeof *found);
        if (!found)
            return false;
        n->found = found;
        n->capacity = capacity;
    }
    n->found[n->count++] = node;
    return true;
}

static int by_level(const void *a, const void *b)
{
    uint64_t x = (*(fa__node *const *)a)->level, y = (*(fa__node *const *)b)->level;
    return x < y ? -1 : x > y;
}

static bool search(fa__needed *n)
{
    for (size_t k = 0; k < n->count; k++)
        for (uint32_t i = 0; i < n->found[k]->edges; i++) {
            fa__object *to = n->found[k]->edge[i].to;
            if (to && to->type == FA__TYPE_NODE && !find(n, (fa__node *)to))
                return false;
        }
    return true;
}

static void spread(fa__needed *n)
{
    if (n->count)
        qsort(n->found, n->count, sizeof *n->found, by_level);
    for (size_t k = 0; k < n->count; k++) {
        entry *e = look(n, &n->found[k]->object);
        for (uint32_t i = 0; i < n->found[k]->edges && !e->needed; i++)
            e->needed = n->found[k]->edge[i].to && look(n, n->found[k]->edge[i].to)->needed;
    }
}

fa__needed *fa__needed_new(size_t outputs, fa__node *const *output, size_t inputs, fa__object *const *input)
{
    fa__needed *n = fa__calloc(1, sizeof *n);
    bool good = n != NULL, failed = false;
    for (size_t i = 0; good && i < outputs; i++)
        good = !output[i] || find(n, output[i]);
    good = good && search(n);
    for (size_t i = 0; good && i < inputs; i++) {
        add(n, input[i], true, &failed);
        good = !failed;
    }
    if (!good) {
        fa__needed_free(n);
        return NULL;
    }
    spread(n);
    return n;
}

bool fa__is_needed(const fa__needed *n, const fa__object *to)
{
    return look(n, to)->needed;
}

void fa__needed_free(fa__needed *n)
{
    if (!n)
        return;
    fa__free(n->slot);
    fa__free(n->found);
    fa__free(n);
}
