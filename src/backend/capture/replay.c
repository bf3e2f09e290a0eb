/* Replays: the recorded launches are issued again, on the same memory, with new random numbers. */
#include "backend/capture/capture.h"
#include "backend/fault.h"
#include "base/error.h"
#include "core/context.h"
#include "core/order.h"
#include "core/random.h"

static const fa__op replay_op = {.name = "graph_replay", .id = -1};

/* ---- random numbers ---- */

static void draw(fa_graph *g)
{
    for (size_t i = 0; i < g->from.count; i++)
        g->from.item[i].base = fa__draw_keys(g->from.item[i].generator, g->from.item[i].count);
    for (size_t i = 0; i < g->keyed.count; i++) {
        const fa__draw *d = &g->draw.item[g->keyed.item[i].draw];
        fa__key base = g->from.item[d->from].base;
        *g->keyed.item[i].key = (fa__key){base.seed, base.call + d->number};
    }
}

/* ---- memory ---- */

static bool is_in_place(const fa_graph *g)
{
    for (size_t i = 0; i < g->held.count; i++)
        if (g->held.item[i].storage->data != g->held.item[i].data)
            return fa__fail(FA_ERROR_STATE,
                            "fa_graph_replay: memory that the graph uses was moved to another device since it was "
                            "recorded: record a new graph");
    return true;
}

/* Behind work of other queues, or of devices that write memory of the host. */
static bool come_after(const fa_graph *g)
{
    for (size_t i = 0; i < g->held.count; i++) {
        const fa__held *h = &g->held.item[i];
        if (!fa__has_pending(h->storage))
            continue;
        if (!(h->made      ? fa__before_overwrite
              : h->written ? fa__before_write
                           : fa__before_read)(h->storage, g->queue, &replay_op))
            return false;
    }
    return true;
}

/* What the replay wrote is changed, for later work and for autograd. */
static bool note(const fa_graph *g)
{
    bool good = true;
    for (size_t i = 0; i < g->held.count; i++) {
        const fa__held *h = &g->held.item[i];
        if (h->written) {
            atomic_fetch_add_explicit(&h->storage->version, 1, memory_order_relaxed);
            h->storage->changed_by = &replay_op;
        }
        if (g->queue)
            good &= (h->made      ? fa__after_overwrite
                     : h->written ? fa__after_write
                                  : fa__after_read)(h->storage, g->last, &replay_op);
    }
    return good;
}

/* ---- settings ---- */

/* Those of the program, with what the recorded call read of them. */
static const fa_settings *use_settings(fa_settings *own, const fa__recorded *one)
{
    own->deterministic = one->deterministic;
    own->tf32 = one->tf32;
    return own;
}

/* ---- devices that work at once ---- */

static bool failed(const fa_graph *g, const fa__launch *l)
{
    if (fa__fault_report(&g->fault, l, g->capture.device) && !fa__failed())
        fa__fail(FA_ERROR_INTERNAL, "fa_graph_replay: %s failed, and gives no reason", l->op->name);
    return false;
}

static bool run_on_host(fa_graph *g, fa_settings *own)
{
    const fa__backend *b = g->capture.device->backend;
    atomic_store_explicit(&g->fault.code, FA_OK, memory_order_relaxed);
    for (size_t i = 0; i < g->issue.count; i++) {
        const fa__launch *l = g->launch.item[g->issue.item[i].first];
        fa__line = g->issue.item[i].line;
        fa__ctx()->settings = use_settings(own, &g->issue.item[i]);
        if (FA__UNLIKELY(!b->run(NULL, l) || atomic_load_explicit(&g->fault.code, memory_order_relaxed)))
            return failed(g, l);
    }
    return true;
}

/* ---- devices with queues ---- */

static bool is_sound(const fa_graph *g)
{
    for (size_t i = 0; i < g->held.count && fa__any_faults(); i++)
        if (!g->held.item[i].made && !fa__storage_sound(g->held.item[i].storage))
            return false;
    return true;
}

uint64_t fa__recorded_issue(fa__queue *queue, const fa__launches *r, size_t i, fa_settings *own)
{
    const fa__backend *b = queue->device->backend;
    const fa__recorded *one = &r->issue[i];
    const fa__launch *const *l = (const fa__launch *const *)&r->launch[one->first];
    fa__line = one->line;
    fa__ctx()->settings = use_settings(own, one);
    return one->count == 1 ? b->run(queue, *l) : b->run_list(queue, l, one->count);
}

static bool issue_each(fa_graph *g, const fa__launches *r, fa_settings *own)
{
    for (size_t i = 0; i < r->issues; i++) {
        uint64_t ticket = fa__recorded_issue(g->queue, r, i, own);
        if (!ticket)
            return false;
        g->last.ticket = ticket;
    }
    return true;
}

/* At once where the device can do that. */
static bool issue_all(fa_graph *g, fa_settings *own)
{
    const fa__backend *b = g->capture.device->backend;
    const fa__launches r = {.launch = g->launch.item, .issue = g->issue.item, .issues = g->issue.count};
    uint64_t ticket = b->replay ? b->replay(g->queue, &r, own, &g->whole) : FA__DECLINED;
    if (ticket == FA__DECLINED)
        return issue_each(g, &r, own);
    g->last.ticket = ticket ? ticket : g->last.ticket;
    return ticket != 0;
}

static bool run_on_queue(fa_graph *g, fa_settings *own)
{
    fa__device *d = g->capture.device;
    pthread_mutex_lock(&d->lock);
    bool good = d->backend->ready(g->queue) && is_sound(g) && issue_all(g, own);
    pthread_mutex_unlock(&d->lock);
    return good;
}

/* ---- replays ---- */

static bool replay(fa_graph *g)
{
    if (!is_in_place(g) || !come_after(g))
        return false;
    draw(g);
    const char *line = fa__line;
    const fa_settings *settings = fa__ctx()->settings;
    fa_settings own = *settings;
    bool good = g->queue ? run_on_queue(g, &own) : run_on_host(g, &own);
    fa__ctx()->settings = settings;
    fa__line = line;
    return note(g) && good;
}

bool fa__graph_replay(fa_graph *g)
{
    pthread_mutex_lock(&g->lock);
    bool good = replay(g);
    pthread_mutex_unlock(&g->lock);
    return good;
}
