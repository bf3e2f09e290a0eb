/* Loaders and FA_EACH: an epoch is an order of samples, an iteration is a memory scope with a batch. */
#include "data/batch.h"
#include <facula/device.h>
#include <facula/error.h>
#include <facula/host.h>
#include <facula/ops/create.h>
#include <facula/random.h>
#include <facula/tensor.h>
#include <inttypes.h>

struct fa_loader {
    fa_object base;
    fa_dataset *dataset;
    fa_sampler *sampler;
    fa_data_loader_options options;
    fa_settings settings;     /* in force when it was created, for the workers */
    fa__workers *workers;     /* NULL: none have been started */
    int64_t epoch, first;     /* the next epoch, and its first batch */
    fa_loader_place position; /* after the last batch that was returned */
    int64_t returned, waited; /* batches, and nanoseconds in which the loop waited for them */
    int64_t skipped;          /* samples that were left out of the batches that were returned */
    fa__times times;
};

/* One pass over the samples; nested loops over one loader each have their own. */
typedef struct fa__epoch {
    fa_object base;
    fa_loader *loader;
    fa__batch_plan plan;
    fa_loader_place at;    /* of the next batch */
    fa_loader_place end;   /* behind the last one that was returned, in this epoch */
    int64_t left;          /* batches */
    bool given;            /* a batch was returned */
    fa__order *order;      /* if the loop makes its batches itself, and has begun */
    fa__stream_pass *pass; /* the same, of a stream */
    const char *where;
    uintptr_t function; /* FA__FUNCTION of the loop */
} fa__epoch;

static void loader_destroy(void *object)
{
    fa_loader *l = object;
    fa__workers_end(l->workers);
    fa__unhold(l->dataset);
    fa__unhold(l->sampler);
}

static void epoch_destroy(void *object)
{
    fa__unhold(((fa__epoch *)object)->loader);
    fa__unhold(((fa__epoch *)object)->order);
    fa__unhold(((fa__epoch *)object)->pass);
}

static const fa_object_type loader_type = {"loader", loader_destroy}, epoch_type = {"epoch", epoch_destroy};

static bool loader_check(const fa_loader *l, const char *who)
{
    return fa__object_check(l, &loader_type, who);
}

/* Draws a seed from the default generator; false and an error if that failed. */
static bool draw_seed(uint64_t *seed)
{
    FA_SCOPE;
    double drawn = fa_item(fa_rand(FA_SCALAR, .dtype = FA_F64, .device = FA_CPU));
    if (!(drawn >= 0 && drawn < 1)) /* NaN */
        return false;
    *seed = (uint64_t)(drawn * 0x1p53);
    return true;
}

/* A seed from the state of the current generator, which does not go on. */
static uint64_t seed_of_state(void)
{
    const fa_generator *own = fa__generator_used();
    fa_generator_state state = own ? fa_generator_get(own) : fa_random_state();
    return fa__seed_of(state.seed, state.call, 0) >> 11;
}

/* Checks that the device is available; the error lists the available ones. */
static bool device_is_there(fa_device device)
{
    fa_device_properties properties;
    fa_error caught = {0};
    if (device.kind == FA__DEFAULT_DEVICE)
        return true;
    {
        FA_USE(.catch_errors = &caught);
        fa_device_info(device, &properties);
    }
    return !caught.code || fa_fail(caught.code, "fa_data_loader: %s", caught.message);
}

static bool options_are_good(const fa_data_loader_options *o)
{
    const struct {
        const char *name;
        int64_t value, least, most;
    } rows[] = {{"batch_size", o->batch_size, 1, INT64_MAX},
                {"seed", o->seed, -1, INT64_MAX},
                {"workers", o->workers, 0, 256},
                {"prefetch", o->prefetch, 0, 1024}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].value < rows[i].least || rows[i].value > rows[i].most)
            return fa_fail(FA_ERROR_ARGUMENT, "fa_data_loader: .%s is %" PRId64 ", which is %s than %" PRId64,
                           rows[i].name, rows[i].value, rows[i].value < rows[i].least ? "less" : "more",
                           rows[i].value < rows[i].least ? rows[i].least : rows[i].most);
    return (o->timeout >= 0 && o->timeout <= 1e9)
           || fa_fail(FA_ERROR_ARGUMENT, "fa_data_loader: .timeout is %g, and not 0 to 1e9 seconds", o->timeout);
}

/* The loader's own sampler, unless the program gave one. NULL after an error. */
static fa_sampler *sampler_for(const fa_dataset *dataset, const fa_data_loader_options *o)
{
    if (fa__dataset_stream(dataset) && (o->shuffle || o->sampler)) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_data_loader: the samples of a stream come in the order of the stream: no %s",
                o->shuffle ? ".shuffle" : ".sampler");
        return NULL;
    }
    if (!o->sampler)
        return o->shuffle ? fa_sampler_random(dataset) : fa_sampler_sequential(dataset);
    if (o->shuffle)
        fa_fail(FA_ERROR_ARGUMENT, "fa_data_loader: .shuffle and .sampler are both set: the sampler decides the order");
    return !o->shuffle && fa__sampler_check(o->sampler, "fa_data_loader") ? o->sampler : NULL;
}

fa_loader *(fa_data_loader)(fa_dataset *dataset, const fa_data_loader_options *options)
{
    fa_data_loader_options o = FA__DEFAULT_fa_data_loader;
    fa__options_read(&o, o.size, options);
    if (!options_are_good(&o))
        return NULL;
    if (!fa__dataset_check(dataset, "fa_data_loader"))
        return NULL;
    FA_SCOPE;
    fa_sampler *sampler =
        fa_dataset_length(dataset) < 0 || !device_is_there(o.device) ? NULL : sampler_for(dataset, &o);
    if (!sampler)
        return NULL;
    uint64_t seed = o.seed >= 0 ? (uint64_t)o.seed : seed_of_state();
    if (o.seed < 0 && fa__sampler_draws(sampler) && !draw_seed(&seed))
        return NULL;
    fa_loader *l = fa_object_new(&loader_type, sizeof *l);
    if (!l)
        return NULL;
    l->dataset = fa__hold(dataset);
    l->sampler = fa__hold(sampler);
    l->options = o;
    l->settings = fa__settings();
    l->position.seed = seed;
    return fa_escape(l);
}

/* Batches of an epoch; of a stream, as many as can be numbered. */
static int64_t batches_of(const fa_loader *loader, const char *who)
{
    int64_t n = loader_check(loader, who) ? fa_sampler_length(loader->sampler) : -1;
    if (n < 0)
        return -1;
    int64_t size = loader->options.batch_size;
    if (fa__dataset_stream(loader->dataset))
        return n / size;
    return n / size + (!loader->options.drop_last && n % size);
}

int64_t fa_loader_length(const fa_loader *loader)
{
    int64_t n = batches_of(loader, "fa_loader_length");
    return n >= 0 && fa__dataset_stream(loader->dataset) ? INT64_MAX : n;
}

fa_dataset *fa_loader_dataset(const fa_loader *loader)
{
    return loader_check(loader, "fa_loader_dataset") ? loader->dataset : NULL;
}

fa_loader_place fa_loader_position(const fa_loader *loader)
{
    return loader_check(loader, "fa_loader_position") ? loader->position : (fa_loader_place){0};
}

bool fa_loader_seek(fa_loader *loader, fa_loader_place position)
{
    int64_t n = batches_of(loader, "fa_loader_seek");
    if (n < 0)
        return false;
    if (position.epoch < 0 || position.batch < 0 || position.batch > n)
        return fa_fail(FA_ERROR_INDEX,
                       "fa_loader_seek: there is no epoch %" PRId64 ", batch %" PRId64 " of a loader of %" PRId64
                       " batches",
                       position.epoch, position.batch, n);
    loader->position = position;
    loader->epoch = position.epoch;
    loader->first = position.batch;
    return true;
}

fa_loader_times fa_loader_report(const fa_loader *loader)
{
    if (!loader_check(loader, "fa_loader_report"))
        return (fa_loader_times){0};
    const fa__times *t = &loader->times;
    return (fa_loader_times){.batches = loader->returned,
                             .waiting = 1e-9 * (double)loader->waited,
                             .reading = 1e-9 * (double)atomic_load(&t->reading),
                             .transforming = 1e-9 * (double)atomic_load(&t->transforming),
                             .copying = 1e-9 * (double)atomic_load(&t->copying),
                             .skipped = loader->skipped};
}

/* ---- FA_EACH ---- */

/* An epoch that the caller owns. */
static fa__epoch *epoch_new(fa_loader *l, const char *where, uintptr_t function)
{
    FA_SCOPE;
    int64_t n = loader_check(l, "FA_EACH") ? fa_sampler_length(l->sampler) : -1;
    fa__epoch *e = n < 0 ? NULL : fa_object_new(&epoch_type, sizeof *e);
    if (!e)
        return NULL;
    e->loader = fa__hold(l);
    e->plan = (fa__batch_plan){l->dataset, l->sampler, l->options, n, batches_of(l, "FA_EACH"), &l->times};
    e->at = (fa_loader_place){l->position.seed, l->epoch++, l->first};
    e->left = e->plan.batches - l->first;
    e->where = where;
    e->function = function;
    l->first = 0;
    l->position = e->left > 0 ? e->at : fa__place_after(&e->plan, e->at, true);
    return fa__hold(e);
}

fa_batch fa__each_open(fa_loader *loader, const char *where, uintptr_t function)
{
    const char *outer FA__CLEANUP(fa__line_leave) = fa__line_enter(where); /* of errors */
    return (fa_batch){.index = -1, .fa__epoch = epoch_new(loader, where, function)};
}

/* The workers of the epoch's loader, started if needed. NULL: the loop makes its batches itself. */
static fa__workers *workers_of(const fa__epoch *e)
{
    fa_loader *l = e->loader;
    if (l->options.workers && !l->workers)
        l->workers = fa__workers_start(&e->plan, &l->settings);
    return l->workers && fa__workers_work(l->workers) ? l->workers : NULL;
}

static bool make_of_stream(fa__epoch *e, fa__made *made)
{
    FA_SCOPE;
    if (!e->pass)
        e->pass = fa__hold(fa__pass_new(e->plan.dataset));
    const fa__pulled *pulled = e->pass ? fa__batch_pull(&e->plan, e->pass, e->at) : NULL;
    made->last = pulled && pulled->last;
    if (!pulled || !pulled->count || !fa__batch_make(&e->plan, NULL, pulled, e->at, made))
        return false;
    for (int k = 0; k < FA__ITEMS; k++)
        if (*fa__sample_item(&made->sample, k))
            fa_escape(*fa__sample_item(&made->sample, k));
    fa_escape(made->which);
    return true;
}

static bool make_here(fa__epoch *e, fa__made *made)
{
    FA_USE(.no_grad = true);
    if (fa__dataset_stream(e->plan.dataset))
        return make_of_stream(e, made);
    if (!e->order) {
        FA_SCOPE;
        e->order = fa__hold(fa__order_new(e->plan.sampler, e->at.seed, e->at.epoch));
    }
    return e->order && fa__batch_make(&e->plan, e->order, NULL, e->at, made);
}

/* Sets the position after a batch, or at the end of a stream. */
static void move_on(fa__epoch *e, bool last)
{
    e->left = last ? 0 : e->left - 1;
    e->at = e->loader->position = fa__place_after(&e->plan, e->at, last);
}

/* Makes the next batch, or takes it from the workers, in the innermost scope; false at the end of a stream, too. */
static bool make_next(fa__epoch *e, fa__made *made)
{
    int64_t began = fa__data_clock();
    fa__workers *workers = workers_of(e);
    if (fa_error_stands())
        return false;
    bool good = workers ? fa__workers_take(workers, e->at, e->where, made) : make_here(e, made);
    e->loader->waited += fa__data_clock() - began;
    if (!good && made->last && !fa_error_stands())
        move_on(e, true);
    return good;
}

/* Goes on behind a batch of which all samples were left out. False at the end of the epoch. */
static bool pass_over(fa__epoch *e, const fa__made *made)
{
    e->loader->skipped += made->skipped;
    move_on(e, made->last);
    if (e->left <= 0 && !e->given)
        fa_fail(FA_ERROR_FILE, "FA_EACH: no sample of the epoch can be read; %" PRId64 " were left out",
                e->loader->skipped);
    return e->left > 0;
}

/* The next batch, in the innermost scope. */
static bool load(fa_batch *batch, fa__epoch *e)
{
    fa__made made = {0};
    bool good = make_next(e, &made);
    while (good && !made.sample.input) {
        if (!pass_over(e, &made))
            return false;
        made = (fa__made){0};
        good = make_next(e, &made);
    }
    if (!good)
        return false;
    e->given = true;
    batch->input = made.sample.input;
    batch->target = made.sample.target;
    for (int k = 0; k < FA_MAX_EXTRA; k++)
        batch->extra[k] = made.sample.extra[k];
    batch->index = e->at.batch;
    batch->size = made.which->count;
    batch->samples = made.which->item;
    e->loader->skipped += made.skipped;
    e->end = (fa_loader_place){e->at.seed, e->at.epoch, e->at.batch + 1};
    move_on(e, made.last);
    if (e->left <= 0)
        e->loader->position = e->end;
    return true;
}

/* Behind the last turn, unless it has set another position: what is saved within that turn is resumed in its epoch. */
static void end_epoch(fa__epoch *e)
{
    fa_loader_place *position = &e->loader->position;
    if (e->given && position->epoch == e->end.epoch && position->batch == e->end.batch)
        *position = e->at;
}

bool fa__each_next(fa_batch *batch)
{
    fa__epoch *e = batch->fa__epoch;
    const char *outer FA__CLEANUP(fa__line_leave) = fa__line_enter(e ? e->where : NULL);
    fa__scope_close(&batch->fa__turn);
    if (!e || fa_error_stands() || fa_stopped())
        return false;
    if (e->left <= 0) {
        end_epoch(e);
        return false;
    }
    batch->fa__turn = fa__scope_open(e->where, e->function);
    if (!load(batch, e))
        return false;
    e->loader->returned++;
    return true;
}

void fa__each_close(fa_batch *batch)
{
    fa__scope_close(&batch->fa__turn);
    fa__unhold(batch->fa__epoch);
    batch->fa__epoch = NULL;
}
