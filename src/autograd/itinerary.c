/* Makes itineraries: goes through the graph as the engine does, with parcels in the place of gradients. */
#include "autograd/itinerary.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/small.h"

enum { MOST_THREADS = 64, WORTH_IT = 4 };

/* ---- the table ---- */

static fa__target **look(fa__target **slot, size_t slots, const fa__object *object)
{
    size_t i = (size_t)fa__hash_mix((uint64_t)(uintptr_t)object) & (slots - 1);
    while (slot[i] && slot[i]->object != object)
        i = (i + 1) & (slots - 1);
    return &slot[i];
}

static bool grow(fa__itinerary *plan)
{
    size_t slots = plan->slots ? 2 * plan->slots : 256;
    fa__target **slot = fa__calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    for (size_t i = 0; i < plan->slots; i++)
        if (plan->slot[i])
            *look(slot, slots, plan->slot[i]->object) = plan->slot[i];
    fa__free(plan->slot);
    plan->slot = slot;
    plan->slots = slots;
    return true;
}

fa__target *fa__itinerary_find(const fa__itinerary *plan, const fa__object *object)
{
    return plan->slots ? *look(plan->slot, plan->slots, object) : NULL;
}

/* The target of an object; *fresh: it is new. NULL and an error if memory runs out. */
static fa__target *target_of(fa__itinerary *plan, fa__object *object, bool *fresh)
{
    if (2 * plan->used >= plan->slots && !grow(plan))
        return NULL;
    fa__target **at = look(plan->slot, plan->slots, object), *t = *at;
    *fresh = !t;
    if (t || !(t = fa__small_alloc(sizeof *t)))
        return t;
    *t = (fa__target){.object = fa__ref(object)};
    plan->used++;
    return *at = t;
}

/* ---- the order ---- */

static bool is_hooked(const fa_tensor *leaf)
{
    const fa__autograd *a = fa__autograd_if(leaf);
    return a && (a->hooks || a->after);
}

/* Lets edge i of a node deliver to its destination, behind what was planned before. */
static bool plan_edge(fa__itinerary *plan, fa__pass *w, fa__pending_work *rest, fa__parcel *parcel,
                      const fa__edge *edge)
{
    bool fresh;
    fa__target *to = target_of(plan, edge->to, &fresh);
    if (!to)
        return false;
    *parcel = (fa__parcel){.to = to, .slot = edge->slot};
    if (to->last)
        to->last->after = parcel;
    else
        to->next = parcel;
    to->last = parcel;
    if (edge->to->type == FA__TYPE_NODE)
        return fa__pending_of(rest, (fa__node *)edge->to) != NULL;
    to->hooked = fresh ? is_hooked((fa_tensor *)edge->to) && !w->captures : to->hooked;
    return !fresh || !to->hooked || fa__leaf_room(w, (fa_tensor *)edge->to);
}

static bool append(fa__itinerary *plan, fa__target *t)
{
    if (plan->nodes == plan->room) {
        size_t room = plan->room ? 2 * plan->room : 128;
        fa__target **node = fa__realloc(plan->node, room * sizeof *node);
        if (!node)
            return false;
        plan->node = node;
        plan->room = room;
    }
    t->rank = plan->nodes;
    plan->node[plan->nodes++] = t;
    return true;
}

static bool plan_node(fa__itinerary *plan, fa__pass *w, fa__pending_work *rest, fa__node *n)
{
    fa__target *t = fa__itinerary_find(plan, &n->object);
    t->edge = fa__calloc((size_t)n->edges + 1, sizeof *t->edge);
    bool good = t->edge && append(plan, t);
    for (uint32_t i = 0; good && i < n->edges; i++)
        if (n->edge[i].to && (!w->needed || fa__is_needed(w->needed, n->edge[i].to)))
            good = plan_edge(plan, w, rest, &t->edge[i], &n->edge[i]);
    return good;
}

/* Takes over the entry of a node, unless the node has one with gradients already. */
static bool take_entry(fa__itinerary *plan, fa__pending_node entry)
{
    bool fresh;
    fa__target *t = target_of(plan, &entry.node->object, &fresh);
    if (t && !t->gradient && (t->gradient = fa__small_alloc(sizeof *t->gradient))) {
        *t->gradient = entry;
        return true;
    }
    bool good = t && t->gradient;
    fa__pending_drop(&entry);
    return good;
}

static bool plan_all(fa__itinerary *plan, fa__pass *w, fa__pending_work *rest)
{
    for (fa__pending_node p; fa__pending_next(&w->work, &p);) {
        fa__node *n = p.node;
        if (!take_entry(plan, p) || !fa__pending_of(rest, n))
            return false;
    }
    for (fa__pending_node p; fa__pending_next(rest, &p);) {
        fa__node *n = p.node;
        if (!take_entry(plan, p) || !plan_node(plan, w, rest, n))
            return false;
    }
    return true;
}

/* ---- threads ---- */

static const fa__node *node_of(const fa__target *t)
{
    return (const fa__node *)t->object;
}

static bool has_hooks(const fa__node *n)
{
    const fa__hook *h = n->hooks;
    while (h && h->retain)
        h = h->next;
    return h != NULL;
}

/* The number of a device, found or added; 0 if there is no thread for it. */
static int thread_of(const fa__device **device, int *devices, const fa__device *d)
{
    int i = 0;
    while (i < *devices && device[i] != d)
        i++;
    if (i == *devices && i < MOST_THREADS)
        device[(*devices)++] = d;
    return i < MOST_THREADS ? i : 0;
}

/* The device of the calling thread: the host, or where the pass began. */
static const fa__device *first_device(const fa__itinerary *plan, const fa__pass *w)
{
    for (size_t i = 0; i < plan->nodes; i++)
        if (node_of(plan->node[i])->result[0].device->host)
            return node_of(plan->node[i])->result[0].device;
    return w->home;
}

static void divide(fa__itinerary *plan, const fa__pass *w)
{
    const fa__device *device[MOST_THREADS] = {first_device(plan, w)};
    int devices = 1;
    size_t elsewhere = 0;
    for (size_t i = 0; i < plan->nodes; i++) {
        const fa__node *n = node_of(plan->node[i]);
        int thread = thread_of(device, &devices, n->result[0].device);
        plan->node[i]->thread = has_hooks(n) ? 0 : thread;
        elsewhere += plan->node[i]->thread > 0;
    }
    plan->threads = devices;
    if (elsewhere < WORTH_IT)
        fa__itinerary_narrow(plan, 1);
}

void fa__itinerary_narrow(fa__itinerary *plan, int threads)
{
    if (threads >= plan->threads)
        return;
    for (size_t i = 0; i < plan->nodes; i++) {
        fa__target *t = plan->node[i];
        t->thread = t->thread && threads > 1 ? 1 + (t->thread - 1) % (threads - 1) : 0;
    }
    plan->threads = threads;
}

bool fa__itinerary_make(fa__itinerary *plan, fa__pass *w)
{
    fa__pending_work rest = {.settled = true};
    bool good = plan_all(plan, w, &rest);
    fa__pending_end(&rest);
    if (good)
        divide(plan, w);
    return good;
}

/* ---- the end ---- */

void fa__itinerary_done(fa__target *t)
{
    if (t->gradient)
        fa__pending_drop(t->gradient);
    fa__small_free(t->gradient, sizeof *t->gradient);
    t->gradient = NULL;
}

static void target_free(fa__target *t)
{
    fa__itinerary_done(t);
    for (fa__parcel *p = t->next; p; p = p->after)
        fa__unref(p->g);
    fa__unref(t->object);
}

/* Parcels belong to one target and are in the list of another. */
void fa__itinerary_end(fa__itinerary *plan)
{
    for (size_t i = 0; i < plan->slots; i++)
        if (plan->slot[i])
            target_free(plan->slot[i]);
    for (size_t i = 0; i < plan->slots; i++)
        if (plan->slot[i]) {
            fa__free(plan->slot[i]->edge);
            fa__small_free(plan->slot[i], sizeof *plan->slot[i]);
        }
    fa__free(plan->slot);
    fa__free(plan->node);
}
