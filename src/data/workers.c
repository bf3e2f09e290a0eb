/* The workers of a loader: threads that make the batches behind the one that the loop has taken last, at most so many
 * ahead. The loop takes batches in their order, and makes one that no worker has begun. When it asks for another
 * position than the next one, the workers start there again: a new run, in which unfinished batches of earlier runs are
 * dropped. */
#define _GNU_SOURCE /* SCHED_BATCH */
#include "data/batch.h"
#include <errno.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/host.h>
#include <facula/lines.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

/* A batch that is ready, or the error of making it. */
typedef struct slot {
    bool ready;
    fa__made made; /* holds references */
    fa_error error;
} slot;

/* The lock guards all that follows it; what stands before it is constant, but for the pass. */
struct fa__workers {
    fa__batch_plan plan;
    fa_settings settings;
    fa_stream *stream; /* on which batches are copied to the device; NULL: they are not */
    fa__crew *crew;
    pthread_mutex_t pulling; /* held by the worker that begins a batch of a stream; taken before the other lock */
    fa__stream_pass *pass;   /* guarded by `pulling`; NULL: there is no stream */
    int64_t slots;           /* the most batches ahead of the loop */
    pthread_mutex_t lock;
    pthread_cond_t wanted, ready;
    bool ending;
    int64_t run;                /* number of the run; 0: the loop has not asked for a batch yet */
    int64_t broken;             /* the run in which a stream has failed, so that no more batches are begun; 0: none */
    int64_t begun, taken;       /* batches of the run that were begun, and that the loop has taken */
    int64_t ahead;              /* how many may be begun that the loop has not taken, at most `slots` */
    fa_loader_place next, last; /* of the batch to begin, and of the one that the loop takes next */
    const char *where;          /* the line of the loop */
    fa__order *order;           /* of the epoch of `next`; NULL: none yet */
    slot slot[];
};

static bool same_place(fa_loader_place a, fa_loader_place b)
{
    return a.seed == b.seed && a.epoch == b.epoch && a.batch == b.batch;
}

static void made_release(fa__made *made)
{
    for (int k = 0; k < FA__ITEMS; k++)
        fa__unhold(*fa__sample_item(&made->sample, k));
    fa__unhold(made->which);
    *made = (fa__made){0};
}

/* ---- the side of the workers ---- */

/* A batch that a worker has to make. */
typedef struct job {
    int64_t run, number;
    fa_loader_place at;
    fa__order *order;   /* holds a reference */
    fa__pulled *pulled; /* the same; NULL: the samples come from no stream */
    const char *where;
} job;

/* The order of the epoch of `next`, with a reference for the caller. The lock is held: all other workers need it too.
 */
static bool order_here(fa__workers *w, fa__order **order)
{
    if (!w->order) {
        FA_SCOPE;
        w->order = fa__hold(fa__order_new(w->plan.sampler, w->next.seed, w->next.epoch));
    }
    *order = fa__hold(w->order);
    return *order;
}

static void forget_order(fa__workers *w)
{
    fa__unhold(w->order);
    w->order = NULL;
}

/* With the lock: the next batch is begun. An error if memory runs out. */
static void begin_next(fa__workers *w, job *j)
{
    *j = (job){.run = w->run, .number = w->begun++, .at = w->next, .where = w->where};
    order_here(w, &j->order);
    w->next = fa__place_after(&w->plan, w->next, false);
    if (w->next.epoch != j->at.epoch)
        forget_order(w);
}

/* Waits until there is room ahead of the loop, and begins the next batch. False: the workers end. If memory ran out,
 * *error is set. */
static bool begin(fa__workers *w, job *j, fa_error *error)
{
    FA_USE(.catch_errors = error);
    pthread_mutex_lock(&w->lock);
    while (!w->ending && (!w->run || w->broken == w->run || w->begun - w->taken >= w->ahead))
        pthread_cond_wait(&w->wanted, &w->lock);
    bool goes_on = !w->ending;
    if (goes_on)
        begin_next(w, j);
    pthread_mutex_unlock(&w->lock);
    return goes_on;
}

/* The settings of the loader, with errors caught. */
static fa_settings settings_of(const fa__workers *w, fa_error *error)
{
    fa_settings settings = w->settings;
    settings.catch_errors = error;
    settings.stream = w->stream;
    settings.no_grad = true;
    return settings;
}

/* Takes the samples of a batch from the stream, while no other worker begins one. */
static void pull(fa__workers *w, job *j, fa_error *error)
{
    fa_settings settings = settings_of(w, error);
    fa__scope used FA__CLEANUP(fa__use_close) = fa__use_open(&settings);
    const char *outer FA__CLEANUP(fa__line_leave) = fa__line_enter(j->where);
    FA_SCOPE;
    j->pulled = fa__hold(fa__batch_pull(&w->plan, w->pass, j->at));
    pthread_mutex_lock(&w->lock);
    if (j->run == w->run && !j->pulled)
        w->broken = w->run;
    else if (j->run == w->run && j->pulled->last)
        w->next = fa__place_after(&w->plan, j->at, true);
    pthread_mutex_unlock(&w->lock);
}

static bool begin_of_stream(fa__workers *w, job *j, fa_error *error)
{
    pthread_mutex_lock(&w->pulling);
    bool goes_on = begin(w, j, error);
    if (goes_on && !error->code)
        pull(w, j, error);
    pthread_mutex_unlock(&w->pulling);
    return goes_on;
}

/* Makes a batch under the settings of the loader; its references are the caller's. */
static void make(const fa__workers *w, const job *j, fa__made *made, fa_error *error)
{
    fa_settings settings = settings_of(w, error);
    fa__scope used FA__CLEANUP(fa__use_close) = fa__use_open(&settings);
    const char *outer FA__CLEANUP(fa__line_leave) = fa__line_enter(j->where);
    FA_SCOPE;
    fa__made here = {0};
    bool good = fa__batch_make(&w->plan, j->order, j->pulled, j->at, &here) && !error->code;
    if (!good && !error->code)
        fa_fail(FA_ERROR_MEMORY, "FA_EACH: out of memory in a worker of the loader");
    if (!good)
        return;
    for (int k = 0; k < FA__ITEMS; k++)
        fa__hold(*fa__sample_item(&here.sample, k));
    fa__hold(here.which);
    *made = here;
}

/* Without .prefetch, so many batches for each worker as fit into ROOM bytes: a worker may wait for a processor as long
 * as many small batches last, while a few large ones are enough. */
enum { LEAST_AHEAD = 2, MOST_AHEAD = 32, ROOM = 16 << 20 };

static int64_t ahead_for(const fa__workers *w, fa__made *made)
{
    int64_t bytes = 1, workers = w->plan.options.workers;
    for (int k = 0; k < FA__ITEMS; k++) {
        const fa_tensor *t = *fa__sample_item(&made->sample, k);
        bytes += t ? (int64_t)fa_nbytes(t) : 0;
    }
    int64_t fit = ROOM / bytes;
    return fit < LEAST_AHEAD * workers ? LEAST_AHEAD * workers : fit < w->slots ? fit : w->slots;
}

static void finish(fa__workers *w, const job *j, fa__made *made, const fa_error *error)
{
    pthread_mutex_lock(&w->lock);
    bool wanted = j->run == w->run && !w->ending;
    if (wanted) {
        slot *s = &w->slot[j->number % w->slots];
        if (!w->plan.options.prefetch && made->sample.input)
            w->ahead = ahead_for(w, made);
        s->made = *made;
        s->error = *error;
        s->ready = true;
        pthread_cond_signal(&w->ready);
    }
    pthread_mutex_unlock(&w->lock);
    if (!wanted)
        made_release(made);
}

/* Makes a batch that was begun, unless that gave an error, and puts it into its slot. */
static void complete(fa__workers *w, job *j, fa_error *error)
{
    fa__made made = {0};
    if (!error->code && (!j->pulled || j->pulled->count))
        make(w, j, &made, error);
    made.last = j->pulled && j->pulled->last;
    fa__unhold(j->order);
    fa__unhold(j->pulled);
    finish(w, j, &made, error);
}

/* Linux: a worker that is woken does not interrupt the loop, or a thread that computes, in the middle of its time. */
static void do_not_interrupt(void)
{
#ifdef SCHED_BATCH
    struct sched_param parameters;
    int policy;
    if (!pthread_getschedparam(pthread_self(), &policy, &parameters) && policy == SCHED_OTHER)
        pthread_setschedparam(pthread_self(), SCHED_BATCH, &parameters);
#endif
}

static void work(void *context)
{
    fa__workers *w = context;
    do_not_interrupt();
    for (;;) {
        job j = {0};
        fa_error error = {0};
        if (!(w->pass ? begin_of_stream(w, &j, &error) : begin(w, &j, &error)))
            return;
        complete(w, &j, &error);
    }
}

static void wake(void *context)
{
    fa__workers *w = context;
    pthread_mutex_lock(&w->lock);
    w->ending = true;
    pthread_cond_broadcast(&w->wanted);
    pthread_mutex_unlock(&w->lock);
}

/* ---- the side of the loop ---- */

static void locks_new(fa__workers *w)
{
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&w->lock, NULL);
    pthread_mutex_init(&w->pulling, NULL);
    pthread_cond_init(&w->wanted, NULL);
    pthread_cond_init(&w->ready, &clock);
    pthread_condattr_destroy(&clock);
}

static void drop_ready(fa__workers *w)
{
    for (int64_t i = 0; i < w->slots; i++) {
        made_release(&w->slot[i].made);
        w->slot[i].ready = false;
    }
}

static void workers_free(fa__workers *w)
{
    drop_ready(w);
    fa__unhold(w->order);
    fa__unhold(w->pass);
    fa__unhold(w->stream);
    fa__unhold(w->plan.dataset);
    fa__unhold((fa_sampler *)(uintptr_t)w->plan.sampler);
    pthread_mutex_destroy(&w->lock);
    pthread_mutex_destroy(&w->pulling);
    pthread_cond_destroy(&w->wanted);
    pthread_cond_destroy(&w->ready);
    free(w);
}

/* The stream of the copies; *failed is set after an error. */
static fa_stream *stream_for(const fa__batch_plan *plan, bool *failed)
{
    fa_device device = plan->options.device;
    if (device.kind == FA__DEFAULT_DEVICE || fa_device_equal(device, FA_CPU))
        return NULL;
    FA_SCOPE;
    fa_stream *stream = fa__hold(fa_stream_new(device));
    *failed = !stream;
    return stream;
}

/* A pass over the plan's stream, if its samples come from one; *failed is set after an error. */
static fa__stream_pass *pass_for(const fa__batch_plan *plan, bool *failed)
{
    if (*failed || !fa__dataset_stream(plan->dataset))
        return NULL;
    FA_SCOPE;
    fa__stream_pass *pass = fa__hold(fa__pass_new(plan->dataset));
    *failed = !pass;
    return pass;
}

fa__workers *fa__workers_start(const fa__batch_plan *plan, const fa_settings *settings)
{
    bool failed = false;
    fa_stream *stream = stream_for(plan, &failed);
    fa__stream_pass *pass = pass_for(plan, &failed);
    if (failed) {
        fa__unhold(stream);
        return NULL;
    }
    const int64_t workers = plan->options.workers, prefetch = plan->options.prefetch;
    const int64_t slots = workers * (prefetch ? prefetch : MOST_AHEAD);
    fa__workers *w = calloc(1, sizeof *w + (size_t)slots * sizeof *w->slot);
    if (!w) {
        fa_fail(FA_ERROR_MEMORY, "FA_EACH: out of memory for the workers of a loader");
        fa__unhold(stream);
        fa__unhold(pass);
        return NULL;
    }
    w->plan = *plan;
    w->pass = pass;
    fa__hold(plan->dataset);
    fa__hold((fa_sampler *)(uintptr_t)plan->sampler);
    w->settings = *settings;
    w->stream = stream;
    w->slots = slots;
    w->ahead = workers * (prefetch ? prefetch : LEAST_AHEAD);
    locks_new(w);
    w->crew = fa__crew_start((int)workers, work, wake, w);
    if (w->crew)
        return w;
    workers_free(w);
    return NULL;
}

void fa__workers_end(fa__workers *workers)
{
    if (workers && fa__crew_end(workers->crew))
        workers_free(workers);
}

bool fa__workers_work(const fa__workers *workers)
{
    return fa__crew_works(workers->crew);
}

/* Lets the workers start again at this position. Batches are dropped without the lock, as freeing them may call
 * functions of the program. */
static void restart(fa__workers *w, fa_loader_place at)
{
    pthread_mutex_lock(&w->lock);
    w->run++;
    w->begun = w->slots; /* nothing begins before the slots are empty */
    w->taken = 0;
    pthread_mutex_unlock(&w->lock);
    drop_ready(w);
    pthread_mutex_lock(&w->lock);
    w->begun = w->taken = 0;
    w->next = w->last = at;
    forget_order(w);
    pthread_cond_broadcast(&w->wanted);
    pthread_mutex_unlock(&w->lock);
}

static struct timespec in_ms(int64_t ms)
{
    int64_t then = fa__data_clock() + ms * 1000000;
    return (struct timespec){.tv_sec = (time_t)(then / 1000000000), .tv_nsec = (long)(then % 1000000000)};
}

/* With the lock: waits until the slot is ready. It looks now and then whether fa_stop() was called. */
static bool wait_for(fa__workers *w, const slot *s)
{
    double limit = w->plan.options.timeout;
    int64_t began = fa__data_clock();
    while (!s->ready) {
        if (fa_stopped() || w->ending)
            return false;
        if (limit > 0 && (double)(fa__data_clock() - began) > limit * 1e9)
            return fa_fail(FA_ERROR_STATE, "FA_EACH: no batch came within %g s from the %lld workers of the loader",
                           limit, (long long)w->plan.options.workers);
        struct timespec then = in_ms(limit > 0 && limit < 0.2 ? (int64_t)(limit * 500) : 100);
        pthread_cond_timedwait(&w->ready, &w->lock, &then);
    }
    return true;
}

/* The loop makes the batch that it asks for itself if no worker has begun it. Not that of a stream, whose pass belongs
 * to the workers; not beside a single worker, as such a dataset need not be used by several threads; and not where the
 * loop is to wait for a limited time. */
static void help(fa__workers *w)
{
    const fa_data_loader_options *o = &w->plan.options;
    fa_error error = {0};
    job j = {0};
    if (w->pass || o->workers < 2 || o->timeout > 0 || fa_stopped())
        return;
    pthread_mutex_lock(&w->lock);
    bool mine = w->begun == w->taken && !w->ending;
    if (mine) {
        FA_USE(.catch_errors = &error);
        begin_next(w, &j);
    }
    pthread_mutex_unlock(&w->lock);
    if (mine)
        complete(w, &j, &error);
}

/* Waking a worker takes time: it is to make as many as it prepares ahead then, or half of all if that is less. Those
 * that are being made are begun, too. */
static bool is_worth_waking(const fa__workers *w)
{
    const int64_t room = w->ahead - (w->begun - w->taken), each = w->ahead / w->plan.options.workers;
    return room >= each || room >= w->ahead / 2;
}

static void hand_out(fa__made *made)
{
    for (int k = 0; k < FA__ITEMS; k++)
        fa__own_held(*fa__sample_item(&made->sample, k));
    fa__own_held(made->which);
}

bool fa__workers_take(fa__workers *w, fa_loader_place at, const char *where, fa__made *made)
{
    fa_error error = {0};
    pthread_mutex_lock(&w->lock);
    bool follows = w->run && same_place(w->last, at);
    w->where = where;
    pthread_mutex_unlock(&w->lock);
    if (!follows)
        restart(w, at);
    help(w);
    pthread_mutex_lock(&w->lock);
    slot *s = &w->slot[w->taken % w->slots];
    bool good = wait_for(w, s);
    if (good) {
        *made = s->made;
        error = s->error;
        s->made = (fa__made){0};
        s->ready = false;
        w->taken++;
        w->last = error.code ? (fa_loader_place){.epoch = -1} : fa__place_after(&w->plan, at, made->last);
        if (is_worth_waking(w))
            pthread_cond_signal(&w->wanted);
    }
    pthread_mutex_unlock(&w->lock);
    if (error.code)
        fa__error_hand_over(&error);
    else if (good && made->which)
        hand_out(made);
    return good && made->which;
}
