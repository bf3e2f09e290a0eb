/* Groups as objects: whose turn it is, the background thread, groups of threads. */
#include "dist/group.h"
#include "dist/nccl.h"
#include "dist/neighbors.h"
#include <facula/error.h>
#include <facula/host.h>
#include <stdlib.h>
#include <string.h>

/* Guards the results of all works: a work does not refer to its group, which may be freed before it. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t done;
} works = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};

/* A call that is running fails, as it may wait for a rank that does not come. */
static void wake(void *context)
{
    fa_group *g = context;
    fa__wire_interrupt(g->wire);
    pthread_mutex_lock(&g->lock);
    g->ending = true;
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
}

static void set_done(fa_work *w, const char *failure)
{
    pthread_mutex_lock(&works.lock);
    if (failure) {
        w->error.code = FA_ERROR_STATE;
        snprintf(w->error.message, sizeof w->error.message, "%s", failure);
    }
    w->done = true;
    pthread_cond_broadcast(&works.done);
    pthread_mutex_unlock(&works.lock);
}

static void group_destroy(void *object)
{
    fa_group *g = object;
    if (g->crew && !fa__crew_end(g->crew))
        return; /* a forked child */
    while (g->first) {
        fa_work *w = g->first;
        g->first = w->next;
        set_done(w, "fa_dist_all_reduce_start: the group was freed before the call was made");
        fa__unhold(w);
    }
    fa__nccl_free(g);
    fa__wire_free(g->wire);
    pthread_mutex_destroy(&g->lock);
    pthread_cond_destroy(&g->changed);
}

static void work_destroy(void *object)
{
    fa__unhold(((fa_work *)object)->tensor);
}

static const fa_object_type group_type = {"group", group_destroy}, work_type = {"work", work_destroy};

fa_group *fa__group_new(fa__wire *wire)
{
    fa_group *g = fa_object_new(&group_type, sizeof *g);
    if (!g) {
        fa__wire_free(wire);
        return NULL;
    }
    g->wire = wire;
    g->last = &g->first;
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->changed, NULL);
    return g;
}

bool fa__group_check(const fa_group *group, const char *who)
{
    return fa__object_check(group, &group_type, who);
}

int fa_dist_rank(const fa_group *group)
{
    return fa__group_check(group, "fa_dist_rank") ? group->wire->rank : -1;
}

int fa_dist_size(const fa_group *group)
{
    return fa__group_check(group, "fa_dist_size") ? group->wire->size : 0;
}

double fa_dist_waited(const fa_group *group, int rank)
{
    if (!fa__group_check(group, "fa_dist_waited"))
        return 0;
    if (rank >= 0 && rank < group->wire->size)
        return group->wire->waited[rank];
    fa_fail(FA_ERROR_ARGUMENT, "fa_dist_waited: rank %d of a group of %d", rank, group->wire->size);
    return 0;
}

/* ---- turns ---- */

void fa__group_begin(fa_group *g)
{
    pthread_mutex_lock(&g->lock);
    while (g->busy || (g->first && fa__crew_works(g->crew)))
        pthread_cond_wait(&g->changed, &g->lock);
    g->busy = true;
    pthread_mutex_unlock(&g->lock);
}

bool fa__group_try(fa_group *g)
{
    pthread_mutex_lock(&g->lock);
    bool free_now = !g->busy && !g->first;
    g->busy |= free_now;
    pthread_mutex_unlock(&g->lock);
    return free_now;
}

void fa__group_end(fa_group *g)
{
    pthread_mutex_lock(&g->lock);
    g->busy = false;
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
}

/* ---- works ---- */

static void run(fa_group *g, fa_work *w)
{
    FA_SCOPE;
    FA_USE(.catch_errors = &w->error, .no_grad = true);
    fa__all_reduce(g, w->tensor, w->op);
}

/* The next work, once no other call is running; NULL: the group ends. */
static fa_work *take(fa_group *g)
{
    pthread_mutex_lock(&g->lock);
    while (!g->ending && (g->busy || !g->first))
        pthread_cond_wait(&g->changed, &g->lock);
    fa_work *w = g->ending ? NULL : g->first;
    if (w) {
        g->first = w->next;
        g->last = g->first ? g->last : &g->first;
        g->busy = true;
    }
    pthread_mutex_unlock(&g->lock);
    return w;
}

static void background(void *context)
{
    fa_group *g = context;
    for (fa_work *w; (w = take(g));) {
        run(g, w);
        set_done(w, NULL);
        fa__group_end(g);
        fa__unhold(w);
    }
}

static bool start(fa_group *g, fa_work *w)
{
    pthread_mutex_lock(&g->lock);
    if (!g->crew)
        g->crew = fa__crew_start(1, background, wake, g);
    bool threads = g->crew && fa__crew_works(g->crew);
    if (threads) {
        *g->last = fa__hold(w);
        g->last = &w->next;
        pthread_cond_broadcast(&g->changed);
    }
    pthread_mutex_unlock(&g->lock);
    return threads;
}

fa_work *(fa_dist_all_reduce_start)(fa_tensor *t, fa_group *group, const fa_dist_all_reduce_start_options *options)
{
    fa_dist_all_reduce_start_options o = FA__DEFAULT_fa_dist_all_reduce_start;
    fa__options_read(&o, o.size, options);
    if (fa_error_stands() || !fa__group_check(group, "fa_dist_all_reduce_start"))
        return NULL;
    FA_SCOPE;
    fa_work *w = fa_object_new(&work_type, sizeof *w);
    if (!w)
        return NULL;
    w->tensor = fa__hold(t);
    w->op = o.op;
    if (!start(group, w)) { /* no thread: at once */
        fa__group_begin(group);
        run(group, w);
        set_done(w, NULL);
        fa__group_end(group);
    }
    return fa_escape(w);
}

bool fa_work_wait(fa_work *work)
{
    if (!fa__object_check(work, &work_type, "fa_work_wait"))
        return false;
    pthread_mutex_lock(&works.lock);
    while (!work->done)
        pthread_cond_wait(&works.done, &works.lock);
    pthread_mutex_unlock(&works.lock);
    if (!work->error.code)
        return true;
    fa_error copy = work->error;
    fa__error_hand_over(&copy);
    return false;
}

/* ---- groups of threads ---- */

static bool connect_all(fa__wire **w, int ranks)
{
    for (int i = 0; i < ranks; i++)
        for (int k = i + 1; k < ranks; k++)
            if (!fa__neighbors_threads(w[i], w[k]))
                return false;
    return true;
}

bool fa_dist_threads(int ranks, double timeout, fa_group **groups)
{
    if (ranks < 1 || ranks > 1024 || !(timeout > 0) || !groups)
        return fa_fail(FA_ERROR_ARGUMENT,
                       "fa_dist_threads: 1 to 1024 ranks, a timeout above 0 and room for groups: %d, %g", ranks,
                       timeout);
    fa__wire **w = calloc((size_t)ranks, sizeof *w);
    bool good = true;
    if (!w)
        return fa_fail(FA_ERROR_MEMORY, "fa_dist_threads: out of memory");
    for (int i = 0; good && i < ranks; i++)
        if ((good = (w[i] = fa__wire_new(i, ranks, timeout)) != NULL)) {
            w[i]->nccl = (int)fa__nccl_use_of(getenv("FACULA_DIST_BACKEND"));
            w[i]->threads = true;
        }
    good = good && connect_all(w, ranks);
    for (int i = 0; i < ranks; i++) {
        groups[i] = good ? fa__group_new(w[i]) : NULL;
        if (!good)
            fa__wire_free(w[i]);
        good = good && groups[i];
    }
    free(w);
    return good;
}
