/* The threads of a backward pass through several devices. A parcel that comes before its turn waits in its target's
 * list; whoever delivers the one that the others wait for adds them up. */
#include "autograd/team.h"
#include "autograd/helpers.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "core/attribution.h"
#include "core/capture.h"
#include "core/random.h"
#include <pthread.h>
#include <stdlib.h>

/* A gradient of a pass within this one. */
typedef struct deferred {
    fa_tensor *leaf, *g; /* references */
    size_t rank, number;
} deferred;

/* The part of one thread. */
typedef struct share {
    pthread_cond_t ready; /* something that it may wait for has happened */
    fa_error error;
    size_t failed_at; /* the node whose error it is */
} share;

struct fa__team {
    fa__pass *pass;
    fa__itinerary plan;
    /* What threads take over from the calling one. */
    fa_settings settings;
    const fa__attribution *attribution;
    const char *line;
    fa_generator_state random;
    pthread_mutex_t lock; /* guards what follows, and the parcels of the plan */
    size_t stop;          /* nodes from here on are not processed, since one has failed */
    deferred *deferred;
    size_t count, room;
    share share[FA__MOST_HELPERS + 1];
};

/* ---- parcels ---- */

static bool add(fa__pass *w, const fa__parcel *p, fa_tensor *g)
{
    const fa__target *to = p->to;
    if (to->gradient)
        return fa__add_up(w, &fa__pending_gy(to->gradient)[p->slot], g);
    fa_tensor *leaf = (fa_tensor *)to->object;
    if (w->captures)
        return fa__deliver_to_leaf(w, leaf, g);
    return !leaf->requires_grad || (to->hooked ? fa__leaf_collect(w, leaf, g) : fa__leaf_add(w, leaf, g));
}

/* Adds up a parcel whose turn it is, and those that wait behind it. The lock is held, but not during additions. */
static bool add_arrived(fa__pass *w, fa__target *to, fa_tensor *g)
{
    fa__team *t = w->team;
    bool good = true;
    to->adding = true;
    for (fa__parcel *p = to->next; good && p && p->arrived; p = to->next) {
        pthread_mutex_unlock(&t->lock);
        good = !g || add(w, p, g);
        fa__unref(p->g);
        pthread_mutex_lock(&t->lock);
        p->g = NULL;
        to->next = p->after;
        g = to->next ? to->next->g : NULL;
    }
    to->adding = false;
    if (!to->next)
        pthread_cond_signal(&t->share[to->thread].ready);
    return good;
}

/* The reference of the caller's scope is enough if it is added at once: then a leaf may take g as it is. */
static bool send(fa__pass *w, fa__parcel *p, fa_tensor *g)
{
    fa__target *to = p->to;
    if (g && to->gradient && !(g = fa__fitted(to->gradient->node, p->slot, g)))
        return false;
    bool good = true;
    pthread_mutex_lock(&w->team->lock);
    p->arrived = true;
    if (to->next == p && !to->adding)
        good = add_arrived(w, to, g);
    else if (g)
        p->g = fa__ref(g);
    pthread_mutex_unlock(&w->team->lock);
    return good;
}

bool fa__team_send_all(fa__pass *w, const fa__target *from, fa_tensor *const *gx)
{
    const uint32_t edges = ((const fa__node *)from->object)->edges;
    bool good = true;
    for (uint32_t i = 0; good && i < edges; i++)
        good = !from->edge[i].to || send(w, &from->edge[i], gx ? gx[i] : NULL);
    return good;
}

/* ---- a share ---- */

/* Waits until all gradients of a node are there. False: another thread has failed. */
static bool await(fa__team *t, const fa__target *x)
{
    pthread_mutex_lock(&t->lock);
    while ((x->next || x->adding) && x->rank < t->stop)
        pthread_cond_wait(&t->share[x->thread].ready, &t->lock);
    bool go = x->rank < t->stop;
    pthread_mutex_unlock(&t->lock);
    return go;
}

static bool has_gradient(const fa__target *x)
{
    fa_tensor **gy = fa__pending_gy(x->gradient);
    for (uint32_t i = 0; i < x->gradient->node->results; i++)
        if (gy[i])
            return true;
    return false;
}

static bool process(fa__pass *w, fa__target *x)
{
    const fa__node *n = x->gradient->node;
    if (n->queue)
        fa__use_stream(n->queue->stream);
    bool good = has_gradient(x) ? fa__run_planned(w, x) : fa__team_send_all(w, x, NULL);
    if (!good)
        fa_error_append(", on %s", n->result[0].device->name);
    fa__scope_empty(w->scope);
    fa__itinerary_done(x);
    return good;
}

/* Nodes before a failed one are still processed: one of them may fail as well, and then that is the error. */
static void stop_at(fa__team *t, int number, size_t rank)
{
    pthread_mutex_lock(&t->lock);
    t->share[number].failed_at = rank;
    t->stop = rank < t->stop ? rank : t->stop;
    for (int i = 0; i < t->plan.threads; i++)
        pthread_cond_signal(&t->share[i].ready);
    pthread_mutex_unlock(&t->lock);
}

static void process_all(fa__team *t, fa__pass *w, int number)
{
    for (size_t i = 0; i < t->plan.nodes; i++) {
        fa__target *x = t->plan.node[i];
        if (x->thread != number)
            continue;
        if (!await(t, x))
            return;
        fa__ctx()->teammate->rank = i;
        if (!process(w, x)) {
            stop_at(t, number, i);
            return;
        }
    }
}

/* Random numbers of a callback follow from those of the calling thread and from the thread's number. */
static bool begin_random(const fa__team *t, int number)
{
    if (!number)
        return true;
    fa_generator *own = fa_generator_new(fa__hash_add(fa__hash_add(t->random.seed, t->random.call), (uint64_t)number));
    fa_generator_use(own);
    return own != NULL;
}

/* In the context of its thread, which is that of the calling one: works on its behalf, in its line. */
static void work_in(fa__context *c, fa__team *t, int number, fa__pass *w)
{
    const fa__attribution *attribution = c->attribution;
    const char *line FA__CLEANUP(fa__line_leave) = fa__line_enter(t->line);
    fa__teammate member = {.team = t, .owned = c->owned_count};
    c->attribution = t->attribution;
    c->teammate = &member;
    if (begin_random(t, number))
        process_all(t, w, number);
    else
        stop_at(t, number, 0);
    if (number)
        fa_generator_use(NULL);
    c->teammate = NULL;
    c->attribution = attribution;
}

static void work(void *context, int number)
{
    fa__team *t = context;
    pthread_mutex_lock(&t->lock); /* the calling thread may still be dividing the plan */
    pthread_mutex_unlock(&t->lock);
    fa_settings settings = t->settings;
    settings.catch_errors = &t->share[number].error;
    fa__scope use = fa__use_open(&settings), scope = fa__scope_open("fa_backward", 0);
    fa__context *c = fa__ctx();
    fa__pass mine = *t->pass;
    mine.scope = &scope;
    if (c && c->settings->catch_errors == settings.catch_errors)
        work_in(c, t, number, &mine);
    else
        stop_at(t, number, 0); /* there is no memory for settings */
    fa__scope_close(&scope);
    fa__use_close(&use);
}

/* ---- passes within the pass ---- */

bool fa__teammate_defers(const fa__teammate *m, const fa__object *to)
{
    const fa__context *c = fa__ctx();
    for (size_t i = m->owned; i < c->owned_count; i++)
        if (c->owned[i] == to)
            return false;
    return to->type == FA__TYPE_TENSOR;
}

static bool make_room(fa__team *t)
{
    if (t->count < t->room)
        return true;
    size_t room = t->room ? 2 * t->room : 32;
    deferred *larger = fa__realloc(t->deferred, room * sizeof *larger);
    if (!larger)
        return false;
    t->deferred = larger;
    t->room = room;
    return true;
}

bool fa__teammate_defer(const fa__teammate *m, fa_tensor *leaf, fa_tensor *g)
{
    fa__team *t = m->team;
    pthread_mutex_lock(&t->lock);
    bool good = make_room(t);
    if (good) {
        t->deferred[t->count] = (deferred){fa__ref(leaf), fa__ref(g), m->rank, t->count};
        t->count++;
    }
    pthread_mutex_unlock(&t->lock);
    return good;
}

static int in_order(const void *a, const void *b)
{
    const deferred *x = a, *y = b;
    return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1) : x->number < y->number ? -1 : x->number > y->number;
}

static bool add_deferred(fa__team *t, bool good)
{
    if (t->count)
        qsort(t->deferred, t->count, sizeof *t->deferred, in_order);
    for (size_t i = 0; i < t->count; i++) {
        deferred *d = &t->deferred[i];
        fa_tensor *g = fa__own(d->g);
        good = good && g && fa__to_leaf(t->pass, d->leaf, g);
        fa__unref(d->leaf);
        fa__scope_empty(t->pass->scope);
    }
    fa__free(t->deferred);
    return good;
}

/* ---- the team ---- */

bool fa__team_may(fa__pass *w)
{
    w->work.several = false;
    w->work.settled = true;
    return !w->ready && !w->outer && !fa__ctx()->teammate && !fa__capturing();
}

/* The error of the earliest node becomes that of the calling thread. */
static bool take_error(fa__team *t)
{
    share *first = NULL;
    for (int i = 0; i < t->plan.threads; i++) {
        share *s = &t->share[i];
        if (s->error.code != FA_OK && (!first || s->failed_at < first->failed_at))
            first = s;
    }
    if (!first)
        return t->stop == SIZE_MAX || fa__fail(FA_ERROR_MEMORY, "fa_backward: out of memory in the thread of a device");
    fa__error_hand_over(&first->error);
    return false;
}

static void run(fa__team *t)
{
    fa__helper *helper[FA__MOST_HELPERS];
    for (int i = 0; i < t->plan.threads; i++)
        pthread_cond_init(&t->share[i].ready, NULL);
    int threads = t->plan.threads;
    pthread_mutex_lock(&t->lock);
    int helpers = fa__helpers_start(threads - 1, work, t, helper);
    fa__itinerary_narrow(&t->plan, 1 + helpers);
    pthread_mutex_unlock(&t->lock);
    work(t, 0);
    fa__helpers_wait(helpers, helper);
    for (int i = 0; i < threads; i++)
        pthread_cond_destroy(&t->share[i].ready);
}

static fa__team *team_new(fa__pass *w)
{
    fa__team *t = fa__calloc(1, sizeof *t);
    if (!t)
        return NULL;
    fa_generator *used = fa__generator_used();
    t->pass = w;
    t->settings = *fa__ctx()->settings;
    t->attribution = fa__ctx()->attribution;
    t->line = fa__line;
    t->random = used ? fa_generator_get(used) : fa_random_state();
    t->stop = SIZE_MAX;
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

bool fa__team_walk(fa__pass *w)
{
    fa__team *t = w->team = team_new(w);
    if (!t)
        return false;
    bool good = fa__itinerary_make(&t->plan, w);
    if (good) {
        run(t);
        good = take_error(t);
    }
    w->team = NULL;
    good = add_deferred(t, good);
    fa__itinerary_end(&t->plan);
    pthread_mutex_destroy(&t->lock);
    fa__free(t);
    return good;
}
