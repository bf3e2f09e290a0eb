/* Finds when the gradient of a leaf is complete: when all nodes with an edge to it have been processed. Needed for
 * hooks that use gradients while the rest of the backward pass runs, such as exchanging them with other processes. */
#include "autograd/engine.h"
#include "base/alloc.h"
#include "base/hash.h"

typedef struct entry {
    const fa__object *object; /* a node, or a leaf with hooks */
    int64_t left;             /* of a leaf: edges of nodes that have not been processed */
} entry;

struct fa__ready {
    entry *slot; /* open addressing; a power of two */
    size_t slots, used;
    fa__node **found; /* nodes whose edges have not been looked at */
    size_t count, capacity;
};

static _Atomic int early;

void fa__hooks_early(int change)
{
    atomic_fetch_add(&early, change);
}

bool fa__hooks_are_early(void)
{
    return atomic_load_explicit(&early, memory_order_relaxed) > 0;
}

static entry *look(const fa__ready *r, const fa__object *object)
{
    size_t i = (size_t)fa__hash_mix((uint64_t)(uintptr_t)object) & (r->slots - 1);
    while (r->slot[i].object && r->slot[i].object != object)
        i = (i + 1) & (r->slots - 1);
    return &r->slot[i];
}

static bool grow(fa__ready *r)
{
    fa__ready larger = *r;
    larger.slots = r->slots ? 2 * r->slots : 256;
    larger.slot = fa__calloc(larger.slots, sizeof *larger.slot);
    if (!larger.slot)
        return false;
    for (size_t i = 0; i < r->slots; i++)
        if (r->slot[i].object)
            *look(&larger, r->slot[i].object) = r->slot[i];
    fa__free(r->slot);
    r->slot = larger.slot;
    r->slots = larger.slots;
    return true;
}

/* The entry of an object; *fresh: it is new. NULL and an error if memory runs out. */
static entry *add(fa__ready *r, const fa__object *object, bool *fresh)
{
    if (2 * r->used >= r->slots && !grow(r))
        return NULL;
    entry *e = look(r, object);
    *fresh = !e->object;
    r->used += *fresh;
    e->object = object;
    return e;
}

static bool push(fa__ready *r, fa__node *node)
{
    bool fresh;
    if (!add(r, &node->object, &fresh))
        return false;
    if (!fresh)
        return true;
    if (r->count == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 256;
        fa__node **found = fa__realloc(r->found, capacity * sizeof *found);
        if (!found)
            return false;
        r->found = found;
        r->capacity = capacity;
    }
    r->found[r->count++] = node;
    return true;
}

static bool is_hooked(const fa__object *to)
{
    const fa__autograd *a = to->type == FA__TYPE_TENSOR ? fa__autograd_if((const fa_tensor *)to) : NULL;
    return a && (a->hooks || a->after);
}

static bool count_edges(fa__ready *r, const fa__node *n)
{
    bool fresh;
    for (uint32_t i = 0; i < n->edges; i++) {
        fa__object *to = n->edge[i].to;
        if (!to)
            continue;
        if (to->type == FA__TYPE_NODE && !push(r, (fa__node *)to))
            return false;
        entry *e = is_hooked(to) ? add(r, to, &fresh) : NULL;
        if (e)
            e->left++;
        else if (is_hooked(to))
            return false;
    }
    return true;
}

fa__ready *fa__ready_new(fa__node *root)
{
    fa__ready *r = fa__calloc(1, sizeof *r);
    bool good = r && push(r, root);
    while (good && r->count)
        good = count_edges(r, r->found[--r->count]);
    if (good)
        return r;
    fa__ready_free(r);
    return NULL;
}

bool fa__ready_done(fa__pass *w, const fa__node *n)
{
    for (uint32_t i = 0; i < n->edges; i++) {
        fa__object *to = n->edge[i].to;
        entry *e = to && to->type == FA__TYPE_TENSOR ? look(w->ready, to) : NULL;
        if (e && e->object && --e->left == 0 && !fa__finish_leaf(w, (fa_tensor *)to))
            return false;
    }
    return true;
}

void fa__ready_free(fa__ready *r)
{
    if (!r)
        return;
    fa__free(r->slot);
    fa__free(r->found);
    fa__free(r);
}

/* ---- the end of a pass ---- */

enum { MOST_ENDS = 16 };

static _Thread_local struct {
    int depth; /* of passes within passes */
    int count;
    struct {
        bool (*function)(void *context, bool good);
        void *context;
    } end[MOST_ENDS];
} passes;

bool fa__after_backward(bool (*function)(void *, bool), void *context)
{
    if (!passes.depth)
        return fa__fail(FA_ERROR_STATE, "fa__after_backward: no backward pass is running");
    if (passes.count == MOST_ENDS)
        return fa__fail(FA_ERROR_STATE, "a backward pass goes through more than %d distributed modules", MOST_ENDS);
    passes.end[passes.count].function = function;
    passes.end[passes.count++].context = context;
    return true;
}

void fa__pass_begin(void)
{
    passes.depth++;
}

bool fa__pass_end(bool good)
{
    if (--passes.depth || !passes.count)
        return good;
    int count = passes.count;
    passes.count = 0;
    for (int i = 0; i < count; i++)
        good &= passes.end[i].function(passes.end[i].context, good);
    return good;
}
