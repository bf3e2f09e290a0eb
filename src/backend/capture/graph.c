/* Graphs as programs see them. */
#include "backend/capture/capture.h"
#include "backend/movement.h"
#include "base/error.h"
#include "base/text.h"
#include "core/order.h"
#include "core/stream.h"
#include <string.h>

/* ---- the object ---- */

/* Memory of the graph that no tensor has is free as soon as the last replay is done. */
static void graph_destroy(fa__object *o)
{
    fa_graph *g = (fa_graph *)o;
    if (g->last.queue && !fa__sync_point_done(&g->last))
        fa__host_must_wait(NULL, g->last);
    if (g->whole)
        g->capture.device->backend->replay_end(g->queue, g->whole);
    fa__graph_clear(g);
    if (g->capture.pool)
        fa__cache_abandon(g->capture.pool);
    fa__unref(g->stream);
    pthread_mutex_destroy(&g->lock);
    fa__object_free(o);
}

__attribute__((__constructor__)) static void graph_type(void)
{
    fa__object_type(FA__TYPE_GRAPH, "graph", graph_destroy);
}

fa_graph *fa_graph_new(fa_device device)
{
    bool stood = fa__failed();
    fa__device *d = fa__device_get(device);
    if (!d && !stood)
        fa__error_within("fa_graph_new");
    if (d && d->shapes_only)
        fa__fail(FA_ERROR_DEVICE, "fa_graph_new: %s has no memory, and nothing to replay", d->name);
    fa_graph *g = d && !d->shapes_only ? fa__object_new(FA__TYPE_GRAPH, sizeof *g) : NULL;
    if (!g)
        return NULL;
    memset((char *)g + sizeof g->object, 0, sizeof *g - sizeof g->object);
    g->capture.device = d;
    pthread_mutex_init(&g->lock, NULL);
    return fa__own(g);
}

static bool check(const fa_graph *g, const char *who)
{
    if (FA__LIKELY(g && g->object.type == FA__TYPE_GRAPH))
        return true;
    if (!g)
        return fa__fail(FA_ERROR_ARGUMENT, "%s: the graph is NULL", who);
    return fa__fail(FA_ERROR_ARGUMENT, "%s: it is a %s, not a graph", who, fa__object_name(&g->object));
}

/* ---- recording ---- */

static bool begin(fa_graph *g)
{
    if (!check(g, "FA_RECORD") || fa__failed() || !fa__ctx())
        return false;
    if (fa__capturing())
        return fa__fail(FA_ERROR_STATE, "FA_RECORD: this thread is recording a graph already");
    if (g->state != FA__GRAPH_NEW)
        return fa__fail(FA_ERROR_STATE, "FA_RECORD: %s: fa_graph_new() makes another one",
                        g->state == FA__GRAPH_READY       ? "the graph was recorded already"
                        : g->state == FA__GRAPH_RECORDING ? "another thread records the graph"
                                                          : "an earlier recording of the graph failed");
    return fa__graph_begin(g);
}

fa__graph_block fa__graph_open(fa_graph *g, const char *where, uintptr_t function)
{
    const char *line = fa__line_enter(where);
    fa__graph_block r = {.graph = begin(g) ? g : NULL};
    fa__line_leave(&line);
    if (r.graph)
        r.scope = fa__scope_open(where, function);
    return r;
}

bool fa__graph_next(fa__graph_block *r)
{
    bool enter = r->graph && !r->entered;
    r->entered = true;
    return enter;
}

void fa__graph_close(fa__graph_block *r)
{
    if (!r->graph)
        return;
    fa__scope_close(&r->scope);
    fa__graph_end(r->graph);
    r->graph = NULL;
}

/* ---- replaying ---- */

bool fa_graph_replay(fa_graph *g)
{
    if (!check(g, "fa_graph_replay") || fa__failed() || !fa__ctx())
        return false;
    if (fa__capturing())
        return fa__capture_refuses("fa_graph_replay", "a graph cannot be part of another one");
    if (g->state != FA__GRAPH_READY)
        return fa__fail(FA_ERROR_STATE, "fa_graph_replay: %s",
                        g->state == FA__GRAPH_NEW ? "the graph was not recorded"
                                                  : "the graph is empty: its recording failed, or goes on");
    if (!fa__device_get(g->capture.device->id)) {
        fa__error_within("fa_graph_replay");
        return false;
    }
    return fa__graph_replay(g);
}

/* ---- reports ---- */

size_t fa_graph_launches(const fa_graph *g)
{
    return check(g, "fa_graph_launches") ? g->launch.count : 0;
}

fa_memory fa_graph_memory(const fa_graph *g)
{
    bool good = check(g, "fa_graph_memory");
    return good && g->capture.pool ? fa__cache_stats(g->capture.pool) : (fa_memory){0};
}

static void add_operand(fa__text *text, const fa__launch *l, int i)
{
    const fa__operand *o = &l->operand[i];
    bool own = l->kind == FA__LAUNCH_KERNEL;
    if (o->kind == FA__VALUE_FLOAT)
        fa__text_add(text, " %g", o->value.f);
    else if (o->kind == FA__VALUE_INT)
        fa__text_add(text, " %lld", (long long)o->value.i);
    else if (o->kind == FA__VALUE_KEY)
        fa__text_add(text, " key");
    else if (o->data) {
        fa__text_add(text, " ");
        fa__describe_shape(text, own ? o->rank : l->rank, own ? o->shape : l->shape);
        fa__text_add(text, " %s at %p", fa__dtype_names[o->dtype], o->data);
    }
}

static void print_launch(const fa__launch *l, const char *line, FILE *file)
{
    char buffer[1000];
    fa__text text = fa__text_in(buffer, sizeof buffer);
    fa__text_add(&text, "%-24s", l->op->name);
    for (int i = 0; i < l->operands; i++) {
        if (i == l->outputs)
            fa__text_add(&text, " <-");
        add_operand(&text, l, i);
    }
    fprintf(file, "%s%s%s\n", buffer, line ? "  " : "", line ? line : "");
}

void fa_graph_print(const fa_graph *g, FILE *file)
{
    if (!check(g, "fa_graph_print"))
        return;
    if (!file) {
        fa__fail(FA_ERROR_ARGUMENT, "fa_graph_print: the file is NULL");
        return;
    }
    for (size_t i = 0; i < g->issue.count; i++)
        for (int k = 0; k < g->issue.item[i].count; k++)
            print_launch(g->launch.item[g->issue.item[i].first + (size_t)k], g->issue.item[i].line, file);
}
