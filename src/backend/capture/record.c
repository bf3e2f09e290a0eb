/* Recording: copies of launches, references to the memory that they use, and which random numbers they take. */
#include "backend/capture/capture.h"
#include "base/alloc.h"
#include "base/error.h"
#include "core/casts.h"
#include "core/random.h"
#include "core/stream.h"
#include <stdlib.h>
#include <string.h>

/* ---- random numbers ---- */

static bool drawn(fa__capture *c, void *generator, fa__key key)
{
    fa_graph *g = fa__graph_of(c);
    size_t i = 0;
    while (i < g->from.count && g->from.item[i].generator != generator)
        i++;
    if (i == g->from.count) {
        fa__drawn_from *f = FA__ADD(g->from);
        if (!f)
            return false;
        *f = (fa__drawn_from){.generator = generator ? fa__ref(generator) : NULL};
    }
    fa__draw *d = FA__ADD(g->draw);
    if (d)
        *d = (fa__draw){key, i, g->from.item[i].count++};
    return d != NULL;
}

/* Keys of earlier calls, which a gradient uses again, stay as they are. */
static bool note_key(fa_graph *g, fa__key *key)
{
    for (size_t i = g->draw.count; i-- > 0;)
        if (g->draw.item[i].key.seed == key->seed && g->draw.item[i].key.call == key->call) {
            fa__keyed *k = FA__ADD(g->keyed);
            if (k)
                *k = (fa__keyed){key, i};
            g->issue.item[g->issue.count - 1].changes = true;
            return k != NULL;
        }
    return true;
}

static bool note_keys(fa_graph *g, fa__launch *l)
{
    bool good = true;
    for (int i = 0; good && i < l->operands; i++)
        if (l->operand[i].kind == FA__VALUE_KEY)
            good = note_key(g, &l->operand[i].value.key);
    if (l->kind == FA__LAUNCH_KERNEL && l->args)
        FA__EACH_BIT (i, l->op->of[FA__KEY])
            good = good && note_key(g, (fa__key *)(uintptr_t)fa__field_at(l->args, &l->op->fields[i]));
    return good;
}

/* ---- memory ---- */

static bool is_own(const fa_graph *g, const fa__storage *s)
{
    return s->block && fa__block_cache(s->block) == g->capture.pool;
}

/* As long as the graph exists the memory stays where it is. */
static bool hold(fa_graph *g, fa__storage *s, bool written, bool made)
{
    if (!fa__storage_hold(s))
        return false;
    fa__held *h = FA__ADD(g->held);
    if (h)
        *h = (fa__held){s, s->data, written, made};
    else
        fa__storage_let_go(s);
    return h != NULL;
}

static void let_go(fa__storage *s)
{
    fa__storage_let_go(s);
    fa__unref(s);
}

static bool hold_operands(fa_graph *g, const fa__launch *l, fa_tensor *const *tensor)
{
    for (int i = 0; i < l->operands; i++) {
        fa__storage *s = tensor[i] ? tensor[i]->storage : NULL;
        if (!s || !s->data || is_own(g, s))
            continue;
        if (!hold(g, s, i < l->outputs, false))
            return false;
        fa__ref(s);
    }
    return true;
}

/* A storage that is being freed is none. */
static bool hold_made(void *graph, struct fa__storage *s)
{
    int32_t n = atomic_load(&s->object.references);
    while (n > 0 && !atomic_compare_exchange_weak(&s->object.references, &n, n + 1))
        ;
    return n <= 0 || hold(graph, s, true, true);
}

static int by_storage(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const fa__held *)a)->storage, y = (uintptr_t)((const fa__held *)b)->storage;
    return (x > y) - (x < y);
}

/* One entry, and one reference, for each storage. */
static void merge_held(fa_graph *g)
{
    size_t left = 0;
    if (g->held.count)
        qsort(g->held.item, g->held.count, sizeof *g->held.item, by_storage);
    for (size_t i = 0; i < g->held.count; i++) {
        fa__held *h = &g->held.item[i], *last = left ? &g->held.item[left - 1] : NULL;
        if (last && last->storage == h->storage) {
            last->written |= h->written;
            let_go(h->storage);
        } else {
            g->held.item[left++] = *h;
        }
    }
    g->held.count = left;
}

/* ---- launches ---- */

static void free_launch(fa__launch *l)
{
    fa__unref(l->program ? l->program->owner : NULL);
    fa__free(l);
}

static bool add_launch(fa_graph *g, const fa__launch *l, fa_tensor *const *tensor)
{
    void *room = fa__malloc(fa__launch_copy_size(l));
    fa__launch **place = room ? FA__ADD(g->launch) : NULL;
    if (!place) {
        fa__free(room);
        return false;
    }
    fa__launch *copy = *place = fa__launch_copy(l, room);
    if (copy->program && copy->program->owner)
        fa__ref(copy->program->owner);
    copy->fault = &g->fault;
    return hold_operands(g, copy, tensor) && note_keys(g, copy);
}

bool fa__graph_allows(const fa__device *device, const fa__queue *queue, const fa__op *op)
{
    const fa__capture *c = fa__capturing();
    char name[80], why[120];
    snprintf(name, sizeof name, "%s%s", fa__op_prefix(op), op->name);
    if (device != c->device) {
        snprintf(why, sizeof why, "it runs on %s, and the graph is for %s", device->name, c->device->name);
        return fa__capture_refuses(name, why);
    }
    return queue == fa__graph_of((fa__capture *)(uintptr_t)c)->queue
           || fa__capture_refuses(name, "it runs on another stream than the graph");
}

bool fa__graph_add(fa__launch *const *l, fa_tensor *const *const *tensor, int count, uint64_t ticket)
{
    fa_graph *g = fa__graph_of(fa__capturing());
    fa__recorded *issue = FA__ADD(g->issue);
    if (!issue)
        return false;
    const fa_settings *s = fa__ctx()->settings;
    *issue = (fa__recorded){
        .first = g->launch.count, .count = count, .deterministic = s->deterministic, .tf32 = s->tf32, .line = fa__line};
    g->last = (fa__sync_point){g->queue, ticket};
    for (int i = 0; i < count; i++)
        if (!add_launch(g, l[i], tensor[i]))
            return false;
    return true;
}

/* ---- the recording ---- */

void fa__graph_clear(fa_graph *g)
{
    for (size_t i = 0; i < g->launch.count; i++)
        free_launch(g->launch.item[i]);
    for (size_t i = 0; i < g->held.count; i++)
        let_go(g->held.item[i].storage);
    for (size_t i = 0; i < g->from.count; i++)
        fa__unref(g->from.item[i].generator);
    FA__ARRAY_FREE(g->launch);
    FA__ARRAY_FREE(g->issue);
    FA__ARRAY_FREE(g->held);
    FA__ARRAY_FREE(g->from);
    FA__ARRAY_FREE(g->draw);
    FA__ARRAY_FREE(g->keyed);
}

static void stop(fa_graph *g, bool good)
{
    fa__capture_end();
    g->state = good ? FA__GRAPH_READY : FA__GRAPH_FAILED;
    if (!good)
        fa__graph_clear(g);
    fa__unref(g);
}

static void abandon(fa__capture *c)
{
    stop(fa__graph_of(c), false);
}

/* Parameters that autocast converted before, or in the recording, are other values in a replay. */
static void forget_casts(void)
{
    if (fa__ctx()->casts)
        fa__casts_drop(fa__ctx());
}

bool fa__graph_begin(fa_graph *g)
{
    g->queue = fa__queue_of(g->capture.device);
    if (g->queue && g->queue->stream)
        g->stream = fa__ref(g->queue->stream);
    g->capture.pool = fa__cache_private(g->capture.device);
    if (!g->capture.pool)
        return false;
    g->capture.drawn = drawn;
    g->capture.abandon = abandon;
    g->state = FA__GRAPH_RECORDING;
    forget_casts();
    fa__ref(g);
    fa__capture_begin(&g->capture);
    return true;
}

void fa__graph_end(fa_graph *g)
{
    forget_casts();
    bool good = !fa__failed() && fa__cache_each_owner(g->capture.pool, hold_made, g);
    merge_held(g);
    stop(g, good);
}
