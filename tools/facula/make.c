/* Creates the parts of a run: network, optimizer, schedule and data loaders. */
#include "run.h"
#include <math.h>

/* ---- optimizers ---- */

static fa_optim *sgd(fa_module *net, const settings *s)
{
    return fa_optim_sgd(net, .lr = s->lr, .momentum = s->momentum, .weight_decay = s->weight_decay);
}

static fa_optim *adam(fa_module *net, const settings *s)
{
    return fa_optim_adam(net, .lr = s->lr, .weight_decay = s->weight_decay);
}

static fa_optim *adamw(fa_module *net, const settings *s)
{
    return fa_optim_adamw(net, .lr = s->lr, .weight_decay = s->weight_decay);
}

static fa_optim *rmsprop(fa_module *net, const settings *s)
{
    return fa_optim_rmsprop(net, .lr = s->lr, .momentum = s->momentum, .weight_decay = s->weight_decay);
}

static fa_optim *adagrad(fa_module *net, const settings *s)
{
    return fa_optim_adagrad(net, .lr = s->lr, .weight_decay = s->weight_decay);
}

static fa_optim *(*const optimizers[])(fa_module *, const settings *) = {sgd, adam, adamw, rmsprop, adagrad};

/* ---- schedules; their steps are batches, except for reduce_on_plateau ---- */

typedef struct steps {
    int64_t epoch, warm, all; /* batches in an epoch, in the warm-up, in the whole run */
} steps;

static fa_schedule *step_new(const run *r, steps n)
{
    int64_t epochs = r->s.step_size < INT64_MAX / n.epoch ? r->s.step_size : INT64_MAX / n.epoch;
    return fa_schedule_step_lr(r->optim, epochs * n.epoch, .gamma = r->s.gamma);
}

/* Number of steps of half a cosine wave. */
static int64_t wave(steps n)
{
    return n.all > n.warm ? n.all - n.warm : 1;
}

static fa_schedule *cosine_new(const run *r, steps n)
{
    return fa_schedule_cosine(r->optim, wave(n));
}

static fa_schedule *one_cycle_new(const run *r, steps n)
{
    return fa_schedule_one_cycle(r->optim, r->s.lr, n.all, .cycle_momentum = false);
}

static fa_schedule *plateau_new(const run *r, steps n)
{
    (void)n;
    return fa_schedule_reduce_on_plateau(r->optim, .factor = r->s.gamma, .patience = r->s.patience);
}

static steps steps_of(const run *r)
{
    int64_t length = fa_loader_length(r->train);
    steps n = {length, (int64_t)fmin(round(r->s.warm_up * (double)length), 1e15), r->s.epochs * length};
    n.all = n.all > 0 ? n.all : 1;
    return n;
}

static fa_schedule *schedule_new(const run *r)
{
    static fa_schedule *(*const make[])(const run *, steps) = {NULL, step_new, cosine_new, one_cycle_new, plateau_new};
    steps n = steps_of(r);
    fa_schedule *(*rest)(const run *, steps) = make[r->s.schedule];
    if (!n.warm)
        return rest ? rest(r, n) : NULL;
    fa_schedule *warm = fa_schedule_linear(r->optim, .start_factor = 1e-3, .total_iters = n.warm);
    return rest ? fa_schedule_sequential(FA_LIST((double)n.warm), warm, rest(r, n)) : warm;
}

bool run_join_wave(run *r)
{
    steps n = steps_of(r);
    int64_t at = r->steps_before - n.warm;
    if (r->s.schedule != SCHEDULE_COSINE || at < 0)
        return true;
    return fa_optim_set_lr(r->optim, r->s.lr * (1 + cos(acos(-1) * (double)at / (double)wave(n))) / 2);
}

/* Opens the data, and describes the network for it, unless a file has done so. */
static bool open_data(run *r, fa_dataset **train, fa_dataset **held_out)
{
    if (!r->n.classes && !network_for(&r->s, &r->n))
        return false;
    if (r->n.columns)
        r->s.target = r->n.target;
    return network_data(&r->n, &r->s, train, held_out) && network_look(&r->n, &r->s, *held_out);
}

bool run_new(run *r)
{
    fa_dataset *train = NULL, *held_out = NULL;
    fa_manual_seed((uint64_t)r->s.seed);
    if (!open_data(r, &train, &held_out))
        return false;
    r->train = fa_data_loader(train, .batch_size = r->s.batch_size, .shuffle = true, .seed = r->s.seed,
                              .device = r->device, .workers = r->s.workers, .skip_bad_samples = r->s.skip_broken);
    r->held_out = fa_data_loader(held_out, .batch_size = 256, .device = r->device, .workers = r->s.workers,
                                 .skip_bad_samples = r->s.skip_broken);
    if (fa_failed())
        return false;
    r->net = fa_module_to(network_new(&r->n), r->device);
    r->runs = r->world              ? fa_dist_data_parallel(r->net, r->world)
              : r->device_count > 1 ? fa_data_parallel_on(r->net, r->device_count, r->devices)
                                    : r->net;
    r->optim = optimizers[r->s.optimizer](r->net, &r->s);
    r->schedule = schedule_new(r);
    r->scaler = r->s.amp == AMP_F16 ? fa_amp_scaler() : NULL;
    return !fa_failed();
}
