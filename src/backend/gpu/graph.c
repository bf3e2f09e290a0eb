/* Replays of recorded steps by graphs of the driver. The first replay issues the recording to a queue of its own, whose
 * work the driver keeps instead of running it; from then on a replay is one call. Before it, launches that have keys of
 * random numbers are issued once more to that queue, which only changes their values in the graph.
 *
 * Addresses are part of a graph: scratch memory comes from a cache that the graph has to itself, and tables of
 * arguments, which are written before the graph is launched, have memory that no launch of it writes. A recording that
 * the driver cannot keep is issued launch by launch, as without graphs. */
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"
#include "base/array.h"
#include "base/error.h"
#include "base/log.h"
#include <stdlib.h>
#include <string.h>

typedef fa__gpu_queue queue;
typedef struct fa__gpu_capture capture;

/* Memory that launches were given, in the order in which they asked. */
typedef struct given {
    void *memory;
    fa__block *block; /* kept; NULL: scratch, which later launches may have, too */
} given;

/* What was issued together and has keys: where its memory and its launches begin. */
typedef struct changing {
    size_t issue, given, launch;
} changing;

struct fa__gpu_capture {
    queue queue; /* what is issued to it is done at once */
    queue *real;
    void *graph;                /* the driver's; NULL: it keeps no such recording */
    fa__cache *memory;          /* for scratch */
    bool updating;              /* launches of a change are issued: */
    bool library;               /* a library did a part of them */
    size_t at_given, at_launch; /* next */
    FA__ARRAY(given) given;
    FA__ARRAY(void *) launch; /* of those that change: the driver's names */
    FA__ARRAY(changing) changing;
    FA__ARRAY(fa__gpu_check *) check;
    bool changes; /* what is issued now does */
};

queue *fa__gpu_capture_real(const capture *c)
{
    return c->real;
}

void fa__gpu_capture_library(capture *c)
{
    c->library = true;
}

/* ---- what launches need ---- */
static void *next_memory(capture *c)
{
    return c->at_given < c->given.count ? c->given.item[c->at_given++].memory : NULL;
}

void *fa__gpu_capture_memory(fa__gpu_issue *issue, size_t bytes, bool keep)
{
    capture *c = issue->queue->capture;
    fa__gpu_capture_give(issue);
    if (c->updating)
        return next_memory(c);
    fa__cache *cache = keep ? &issue->device->cache : c->memory;
    fa__block *b = fa__cache_take(cache, bytes, &c->real->base);
    given *g = b ? FA__ADD(c->given) : NULL;
    if (!g) {
        fa__cache_give(cache, b, NULL, 0);
        return NULL;
    }
    *g = (given){fa__block_memory(b), keep ? b : NULL};
    issue->scratch = keep ? NULL : b;
    return g->memory;
}

void fa__gpu_capture_give(fa__gpu_issue *issue)
{
    capture *c = issue->queue->capture;
    fa__cache_give(c->memory, issue->scratch, &c->real->base, c->real->base.issued);
    issue->scratch = NULL;
}

/* ---- launches ---- */
static bool change(capture *c, fa__gpu_issue *issue, const fa__gpu_kernel *k, const uint64_t groups[3], bool careful,
                   const fa__gpu_arg *args, int count)
{
    if (c->at_launch == c->launch.count)
        return fa__fail(FA_ERROR_INTERNAL, "a graph's launches are other ones than before");
    return c->queue.gpu->driver->graph_change(issue->device, c->graph, c->launch.item[c->at_launch++], k, groups,
                                              c->queue.word, careful, args, count);
}

bool fa__gpu_capture_launch(fa__gpu_issue *issue, const fa__gpu_kernel *k, const uint64_t groups[3], bool careful,
                            const fa__gpu_arg *args, int count)
{
    capture *c = issue->queue->capture;
    const fa__gpu_driver *driver = c->queue.gpu->driver;
    if (c->updating)
        return change(c, issue, k, groups, careful, args, count);
    if (!driver->launch(issue->device, c->queue.handle, k, groups, c->queue.word, careful, args, count))
        return false;
    void *name = c->changes ? driver->captured(issue->device, c->queue.handle) : NULL;
    void **place = name ? FA__ADD(c->launch) : NULL;
    if (place)
        *place = name;
    return place || !c->changes;
}

uint64_t fa__gpu_capture_commit(queue *q, const fa__gpu_work *w)
{
    capture *c = q->capture;
    fa__gpu_check **check = w && w->check && !c->updating ? FA__ADD(c->check) : NULL;
    if (check)
        *check = w->check;
    else if (w)
        fa__gpu_check_drop(w->check);
    if (w && w->check && !check && !c->updating)
        return 0;
    const uint64_t ticket = q->base.issued + 1;
    q->base.issued = ticket;
    atomic_store(&q->base.done, ticket);
    return ticket;
}

/* ---- faults ---- */
bool fa__gpu_capture_note(queue *q)
{
    const capture *c = q->capture;
    fa__gpu_issue issue = fa__gpu_issue_begin(&q->base, NULL);
    if (c->updating)
        return true;
    const fa__gpu_kernel *k = fa__gpu_fixed(&issue, FA__GPU_NOTE, 0, FA__CLASS_I32);
    const note_arguments a = {.number = (i32)c->check.count + 1};
    const fa__gpu_arg arg = {.data = &a, .size = sizeof a};
    return k && q->gpu->driver->launch(issue.device, q->handle, k, (uint64_t[3]){1, 1, 1}, q->word, false, &arg, 1);
}

const fa__gpu_check *fa__gpu_capture_check(const capture *c, int number)
{
    return c->check.item[(size_t)number <= c->check.count ? number - 1 : 0];
}

/* ---- making a graph ---- */
static void clear(capture *c)
{
    for (size_t i = 0; i < c->given.count; i++)
        fa__cache_give(&c->queue.base.device->cache, c->given.item[i].block, &c->real->base, c->real->base.issued);
    for (size_t i = 0; i < c->check.count; i++)
        fa__gpu_check_drop(c->check.item[i]);
    FA__ARRAY_FREE(c->given);
    FA__ARRAY_FREE(c->check);
    FA__ARRAY_FREE(c->launch);
    FA__ARRAY_FREE(c->changing);
    if (c->memory)
        fa__cache_abandon(c->memory);
    c->memory = NULL;
}

static bool issue_one(capture *c, const fa__launches *r, size_t i, fa_settings *own)
{
    c->changes = r->issue[i].changes;
    c->library = false;
    changing *x = c->changes ? FA__ADD(c->changing) : NULL;
    if (x)
        *x = (changing){i, c->given.count, c->launch.count};
    if ((c->changes && !x) || !fa__recorded_issue(&c->queue.base, r, i, own))
        return false;
    return !(c->changes && c->library) || fa__fail(FA_ERROR_UNAVAILABLE, "a library uses random numbers");
}

/* The queue that takes the work: its faults are the real one's. */
static bool begin(capture *c, queue *real)
{
    fa__device *d = real->base.device;
    c->real = real;
    c->queue = (queue){.base = {.device = d}, .gpu = real->gpu, .word = real->word, .capture = c};
    pthread_mutex_init(&c->queue.lock, NULL);
    pthread_cond_init(&c->queue.compiled, NULL);
    c->memory = fa__cache_private(d);
    c->queue.handle = c->memory ? real->gpu->driver->queue_new(d) : NULL;
    return c->queue.handle && real->gpu->driver->capture(d, c->queue.handle);
}

static bool keep_all(capture *c, const fa__launches *r, fa_settings *own)
{
    bool good = true;
    for (size_t i = 0; i < r->issues && good; i++)
        good = issue_one(c, r, i, own);
    void *graph = c->real->gpu->driver->capture_end(c->real->base.device, c->queue.handle);
    if (good)
        c->graph = graph;
    else if (graph)
        c->real->gpu->driver->graph_free(c->real->base.device, graph);
    return c->graph;
}

/* Why not is no error: it is logged. */
static void make(capture *c, queue *real, const fa__launches *r, fa_settings *own)
{
    fa_error error = {.code = FA_OK}, *before = fa__error_use(&error);
    const bool good = begin(c, real) && keep_all(c, r, own);
    fa__error_use(before);
    if (c->queue.handle)
        real->gpu->driver->queue_free(real->base.device, c->queue.handle);
    c->queue.handle = NULL;
    fa__log(FA_LOG_INFO, "%s: a graph of %zu calls is replayed %s%s%s", real->base.device->name, r->issues,
            good ? "as a whole" : "launch by launch", error.code ? ": " : "", error.code ? error.message : "");
    if (!good)
        clear(c);
}

/* ---- replays ---- */
static bool change_all(capture *c, const fa__launches *r, fa_settings *own)
{
    bool good = true;
    c->updating = true;
    for (size_t i = 0; i < c->changing.count && good; i++) {
        c->at_given = c->changing.item[i].given;
        c->at_launch = c->changing.item[i].launch;
        good = fa__recorded_issue(&c->queue.base, r, c->changing.item[i].issue, own) != 0;
    }
    return good;
}

static uint64_t launch(const capture *c)
{
    queue *q = c->real;
    const fa__gpu_driver *driver = q->gpu->driver;
    fa__gpu_issue issue = fa__gpu_issue_begin(&q->base, NULL);
    if (!fa__gpu_begin(q, NULL))
        return 0;
    fa__gpu_check *check = c->check.count ? fa__gpu_check_new(&issue, "graph", NULL) : NULL;
    if (check)
        check->graph = c;
    else if (c->check.count)
        return 0;
    fa__gpu_catch_up(q);
    if (!driver->graph_launch(issue.device, q->handle, c->graph) || (check && !fa__gpu_check_issue(check))) {
        fa__gpu_check_drop(check);
        return 0;
    }
    const fa__gpu_work w = {.check = check};
    q->last_check = check ? check->ticket : q->last_check;
    return fa__gpu_commit(q, check ? &w : NULL, NULL, NULL);
}

static bool is_off(void)
{
    const char *setting = getenv("FACULA_CUDA_GRAPHS");
    return setting && !strcmp(setting, "0");
}

uint64_t fa__gpu_replay(fa__queue *base, const fa__launches *r, fa_settings *own, void **whole)
{
    queue *q = (queue *)base;
    capture *c = *whole;
    if (!q->gpu->driver->capture || (!c && is_off()) || !fa__gpu_begin(q, NULL))
        return fa__failed() ? 0 : FA__DECLINED;
    if (!c) {
        c = *whole = fa__calloc(1, sizeof *c);
        if (!c)
            return 0;
        make(c, q, r, own);
    }
    if (!c->graph)
        return FA__DECLINED;
    return change_all(c, r, own) ? launch(c) : 0;
}

void fa__gpu_replay_end(fa__queue *base, void *whole)
{
    capture *c = whole;
    const fa__gpu_driver *driver = ((queue *)base)->gpu->driver;
    if (c->graph && !fa__gpu_gone)
        driver->graph_free(base->device, c->graph);
    clear(c);
    pthread_mutex_destroy(&c->queue.lock);
    pthread_cond_destroy(&c->queue.compiled);
    fa__free(c);
}
