/* Optimizers over 100 steps with each of their options, clipping, and schedules over 200 steps, held against PyTorch's
 * (tests/reference/optim.txt): on the CPU, on a device, and with the second parameter on another one. */
#include "support/reference.h"
#include "support/check.h"
#include "support/devices.h"
#include "support/tensors.h"
#include <facula/schedule.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 100, EPOCHS = 200, MOST = 8 };
static char *reference;

/* Where the two parameters are. */
typedef struct place {
    fa_device first, second;
} place;

/* Holds numbers against the line "run at: numbers", if there is one. Returns how many were held. */
static int hold(const char *run, int at, const double *have, int count, double tolerance)
{
    char head[128], *end;
    snprintf(head, sizeof head, "\n%s %d: ", run, at);
    char *s = strstr(reference, head);
    if (!s)
        return 0;
    s += strlen(head);
    for (int i = 0; i < count; i++, s = end) {
        double want = strtod(s, &end);
        bool ok = fabs(have[i] - want) <= tolerance * (1e-3 + fabs(want));
        check(ok && end != s, "%s %d: number %d is %.17g, not %.17g", run, at, i, have[i], want);
    }
    check(*s == '\n', "%s %d: there are more than %d numbers", run, at, count);
    return count;
}

/* ---- the parameters and gradients of optim.py ---- */

static fa_tensor *parameter(int k, fa_device device, fa_dtype dtype)
{
    double v[6];
    for (int i = 0; i < 6; i++)
        v[i] = (i + 1) * 0.5 - 1 - k;
    fa_shape shape = k ? FA_SHAPE(2) : FA_SHAPE(2, 3);
    fa_tensor *p = fa_to(fa_to(fa_tensor_from(v, shape, .dtype = FA_F64, .device = FA_CPU), dtype), device);
    fa_set_requires_grad(p, true);
    return p;
}

static double slope(double p, int step, int k, int i)
{
    return (p - (i - 2) * 0.25) * (1 + i) * 0.5 + ((step * 7 + i * 13 + k * 5) % 11 - 5) / 8.0;
}

static void give_grad(fa_tensor *p, int step, int k)
{
    double *v = tensor_values(p);
    for (int i = 0; v && i < fa_numel(p); i++)
        v[i] = slope(v[i], step, k, i);
    fa_tensor *grad = v ? fa_tensor_from(v, fa_tensor_shape(p), .dtype = FA_F64, .device = FA_CPU) : NULL;
    bool none = k == 1 && step % 3 == 2;
    fa_set_grad(p, none ? NULL : fa_to(fa_to(grad, fa_tensor_dtype(p)), fa_tensor_device(p)));
    free(v);
}

static void read_values(const fa_tensor *p, double *v)
{
    if (!fa_read(p, v, FA_F64, fa_numel(p)))
        v[0] = NAN;
}

/* ---- optimizers ---- */

typedef fa_optim *(*maker)(fa_parameters p, fa_tensor *second);

/* Of both parameters at once. */
#define OPTIMIZERS(ROW)                                                                                                \
    ROW(sgd, fa_optim_sgd(p))                                                                                          \
    ROW(sgd_momentum, fa_optim_sgd(p, .lr = 0.05, .momentum = 0.9))                                                    \
    ROW(sgd_dampening, fa_optim_sgd(p, .lr = 0.05, .momentum = 0.9, .dampening = 0.4))                                 \
    ROW(sgd_weight_decay, fa_optim_sgd(p, .lr = 0.05, .weight_decay = 0.1))                                            \
    ROW(sgd_nesterov, fa_optim_sgd(p, .lr = 0.05, .momentum = 0.8, .nesterov = true))                                  \
    ROW(sgd_maximize, fa_optim_sgd(p, .lr = 0.001, .maximize = true))                                                  \
    ROW(sgd_all, fa_optim_sgd(p, .lr = 0.01, .momentum = 0.8, .weight_decay = 3, .nesterov = true, .maximize = true))  \
    ROW(adam, fa_optim_adam(p))                                                                                        \
    ROW(adam_lr, fa_optim_adam(p, .lr = 0.05))                                                                         \
    ROW(adam_betas, fa_optim_adam(p, .lr = 0.02, .beta1 = 0.5, .beta2 = 0.7))                                          \
    ROW(adam_no_betas, fa_optim_adam(p, .lr = 0.02, .beta1 = 0, .beta2 = 0, .eps = 1e-2))                              \
    ROW(adam_eps, fa_optim_adam(p, .lr = 0.02, .eps = 0.1))                                                            \
    ROW(adam_weight_decay, fa_optim_adam(p, .lr = 0.02, .weight_decay = 0.1))                                          \
    ROW(adam_amsgrad, fa_optim_adam(p, .lr = 0.02, .beta2 = 0.8, .amsgrad = true))                                     \
    ROW(adam_maximize, fa_optim_adam(p, .lr = 0.02, .maximize = true))                                                 \
    ROW(adam_all, fa_optim_adam(p, .lr = 0.02, .beta1 = 0.8, .beta2 = 0.9, .eps = 1e-3, .weight_decay = 2,             \
                                .amsgrad = true, .maximize = true))                                                    \
    ROW(adamw, fa_optim_adamw(p))                                                                                      \
    ROW(adamw_lr, fa_optim_adamw(p, .lr = 0.05))                                                                       \
    ROW(adamw_betas, fa_optim_adamw(p, .lr = 0.02, .beta1 = 0.5, .beta2 = 0.7))                                        \
    ROW(adamw_eps, fa_optim_adamw(p, .lr = 0.02, .eps = 0.1))                                                          \
    ROW(adamw_weight_decay, fa_optim_adamw(p, .lr = 0.02, .weight_decay = 0.5))                                        \
    ROW(adamw_no_decay, fa_optim_adamw(p, .lr = 0.02, .weight_decay = 0))                                              \
    ROW(adamw_amsgrad, fa_optim_adamw(p, .lr = 0.02, .beta2 = 0.8, .amsgrad = true))                                   \
    ROW(adamw_maximize, fa_optim_adamw(p, .lr = 0.02, .maximize = true))                                               \
    ROW(adamw_all, fa_optim_adamw(p, .lr = 0.02, .beta1 = 0.8, .beta2 = 0.9, .eps = 1e-3, .weight_decay = 2,           \
                                  .amsgrad = true, .maximize = true))                                                  \
    ROW(rmsprop, fa_optim_rmsprop(p))                                                                                  \
    ROW(rmsprop_lr, fa_optim_rmsprop(p, .lr = 0.002))                                                                  \
    ROW(rmsprop_alpha, fa_optim_rmsprop(p, .alpha = 0.8))                                                              \
    ROW(rmsprop_eps, fa_optim_rmsprop(p, .eps = 0.1))                                                                  \
    ROW(rmsprop_weight_decay, fa_optim_rmsprop(p, .weight_decay = 0.1))                                                \
    ROW(rmsprop_momentum, fa_optim_rmsprop(p, .lr = 0.003, .momentum = 0.9))                                           \
    ROW(rmsprop_centered, fa_optim_rmsprop(p, .alpha = 0.9, .centered = true))                                         \
    ROW(rmsprop_maximize, fa_optim_rmsprop(p, .maximize = true))                                                       \
    ROW(rmsprop_all, fa_optim_rmsprop(p, .lr = 0.003, .alpha = 0.9, .eps = 1e-3, .weight_decay = 2, .momentum = 0.8,   \
                                      .centered = true, .maximize = true))                                             \
    ROW(adagrad, fa_optim_adagrad(p))                                                                                  \
    ROW(adagrad_lr, fa_optim_adagrad(p, .lr = 0.3))                                                                    \
    ROW(adagrad_lr_decay, fa_optim_adagrad(p, .lr = 0.1, .lr_decay = 0.05))                                            \
    ROW(adagrad_weight_decay, fa_optim_adagrad(p, .lr = 0.1, .weight_decay = 0.1))                                     \
    ROW(adagrad_initial, fa_optim_adagrad(p, .lr = 0.1, .initial_accumulator_value = 0.5))                             \
    ROW(adagrad_eps, fa_optim_adagrad(p, .lr = 0.1, .eps = 0.1))                                                       \
    ROW(adagrad_maximize, fa_optim_adagrad(p, .lr = 0.1, .maximize = true))                                            \
    ROW(adagrad_all, fa_optim_adagrad(p, .lr = 0.1, .lr_decay = 0.1, .weight_decay = 2,                                \
                                      .initial_accumulator_value = 0.3, .eps = 1e-3, .maximize = true))

#define MAKER(name, call)                                                                                              \
    static fa_optim *name(fa_parameters p, fa_tensor *second)                                                          \
    {                                                                                                                  \
        p = fa_params(p.item[0], second);                                                                              \
        return call;                                                                                                   \
    }
OPTIMIZERS(MAKER)

/* Of the first parameter, the second being a group with options of its own. */
#define GROUPED(ROW)                                                                                                   \
    ROW(groups_sgd, fa_optim_sgd(p, .lr = 0.05, .momentum = 0.9, .weight_decay = 0.1), .lr = 0.01, .weight_decay = 0)  \
    ROW(groups_sgd_nesterov, fa_optim_sgd(p, .lr = 0.05, .momentum = 0.9), .nesterov = true, .momentum = 0.5)          \
    ROW(groups_adam, fa_optim_adam(p, .lr = 0.02), .beta1 = 0.5, .beta2 = 0.6, .eps = 1e-2, .weight_decay = 0.3,       \
        .amsgrad = true)                                                                                               \
    ROW(groups_adamw, fa_optim_adamw(p, .lr = 0.02), .lr = 0.001, .weight_decay = 0)                                   \
    ROW(groups_rmsprop, fa_optim_rmsprop(p, .momentum = 0.5), .alpha = 0.7, .centered = true, .momentum = 0,           \
        .maximize = true)                                                                                              \
    ROW(groups_adagrad, fa_optim_adagrad(p, .lr = 0.1), .lr = 0.2, .lr_decay = 0.1, .eps = 1e-2)

#define GROUPS_MAKER(name, call, ...)                                                                                  \
    static fa_optim *name(fa_parameters p, fa_tensor *second)                                                          \
    {                                                                                                                  \
        fa_optim *o = call;                                                                                            \
        check(fa_optim_add_group(o, fa_params(second), __VA_ARGS__) == 1, "a group is added");                         \
        return o;                                                                                                      \
    }
GROUPED(GROUPS_MAKER)

/* Clipping: the norm; NaN when it tells none. */
static double no_clip(fa_parameters p)
{
    (void)p;
    return (double)NAN;
}

static fa_optim *clipped(fa_parameters p, fa_tensor *second)
{
    return fa_optim_sgd(fa_params(p.item[0], second), .lr = 0.05);
}

#define CLIPS(ROW)                                                                                                     \
    ROW(clip_norm, fa_clip_grad_norm(p, 0.5))                                                                          \
    ROW(clip_norm_1, fa_clip_grad_norm(p, 2, .norm_type = 1, .error_if_nonfinite = true))                              \
    ROW(clip_norm_3, fa_clip_grad_norm(p, 0.5, .norm_type = 3))                                                        \
    ROW(clip_norm_inf, fa_clip_grad_norm(p, 0.25, .norm_type = (double)INFINITY))                                      \
    ROW(clip_norm_large, fa_clip_grad_norm(p, 1e6))
#define CLIPPER(name, call)                                                                                            \
    static double name(fa_parameters p)                                                                                \
    {                                                                                                                  \
        fa_tensor *t = call;                                                                                           \
        check(t &&fa_dim(t) == 0, "the norm has no dimension");                                                        \
        return fa_item(t);                                                                                             \
    }
CLIPS(CLIPPER)

static double clip_value(fa_parameters p)
{
    check(fa_clip_grad_value(p, 0.3), "gradients are clipped");
    return (double)NAN;
}

typedef struct optimizer_run {
    const char *name;
    maker make;
    double (*clip)(fa_parameters p);
} optimizer_run;

static void optimizer_run_at(const optimizer_run *r, const place *at, fa_dtype dtype)
{
    FA_SCOPE;
    char run[64];
    int held = 0;
    snprintf(run, sizeof run, "%s%s", r->name, dtype == FA_F32 ? "_f32" : "");
    fa_tensor *p = parameter(0, at->first, dtype), *q = parameter(1, at->second, dtype);
    fa_optim *o = r->make(fa_params(p), q);
    for (int step = 0; step < STEPS; step++) {
        FA_SCOPE;
        double v[MOST + 1];
        give_grad(p, step, 0);
        give_grad(q, step, 1);
        double norm = v[0] = r->clip(fa_params(p, q));
        int clips = !isnan(norm);
        if (!check(fa_optim_step(o), "%s: step %d", run, step))
            return;
        read_values(p, v + clips);
        read_values(q, v + clips + 6);
        held += hold(run, step + 1, v, clips + MOST, dtype == FA_F64 ? 1e-12 : 2e-5);
    }
    check(held >= 4 * MOST, "%s: there is a reference", run);
}

static void optimizers_at(const place *at)
{
#define BOTH(name, ...) {#name, name, no_clip},
#define CLIPPED(name, ...) {#name, clipped, name},
    static const optimizer_run runs[] = {OPTIMIZERS(BOTH) GROUPED(BOTH) CLIPS(CLIPPED) CLIPPED(clip_value, )};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        optimizer_run_at(&runs[i], at, FA_F64);
        if (strstr(runs[i].name, "_all"))
            optimizer_run_at(&runs[i], at, FA_F32);
    }
}

/* ---- schedules ---- */

static double hyperbola(int64_t epoch, int group, void *context)
{
    return 1 / ((double)epoch + *(const double *)context + group);
}

static double one = 1;

#define SCHEDULES(ROW)                                                                                                 \
    ROW(step_lr, fa_schedule_step_lr(o, 30))                                                                           \
    ROW(step_lr_gamma, fa_schedule_step_lr(o, 7, .gamma = 0.9))                                                        \
    ROW(multi_step, fa_schedule_multi_step(o, FA_LIST(80, 30, 30, 120)))                                               \
    ROW(multi_step_gamma, fa_schedule_multi_step(o, FA_LIST(3, 5, 50), .gamma = 0.5))                                  \
    ROW(exponential, fa_schedule_exponential(o, 0.97))                                                                 \
    ROW(cosine, fa_schedule_cosine(o, 200))                                                                            \
    ROW(cosine_again, fa_schedule_cosine(o, 30, .eta_min = 0.001))                                                     \
    ROW(linear, fa_schedule_linear(o))                                                                                 \
    ROW(linear_down, fa_schedule_linear(o, .start_factor = 0.9, .end_factor = 0.1, .total_iters = 150))                \
    ROW(constant, fa_schedule_constant(o))                                                                             \
    ROW(constant_half, fa_schedule_constant(o, .factor = 0.5, .total_iters = 40))                                      \
    ROW(lambda, fa_schedule_lambda(o, hyperbola, &one))                                                                \
    ROW(one_cycle, fa_schedule_one_cycle(o, 0.5, 200))                                                                 \
    ROW(one_cycle_linear,                                                                                              \
        fa_schedule_one_cycle(o, 0.5, 210, .pct_start = 0.2, .anneal_strategy = "linear", .base_momentum = 0.5,        \
                              .max_momentum = 0.9, .div_factor = 10, .final_div_factor = 100))                         \
    ROW(one_cycle_three, fa_schedule_one_cycle(o, 1, 200, .three_phase = true, .max_lrs = FA_LIST(0.5, 0.3)))          \
    ROW(one_cycle_still, fa_schedule_one_cycle(o, 0.5, 200, .cycle_momentum = false))                                  \
    ROW(cyclic, fa_schedule_cyclic(o, 0.01, 0.3, .step_size_up = 10))                                                  \
    ROW(cyclic_halved, fa_schedule_cyclic(o, 0.05, 0.5, .step_size_up = 7, .step_size_down = 20,                       \
                                          .mode = "triangular2", .base_momentum = 0.5, .max_momentum = 0.95))          \
    ROW(cyclic_range,                                                                                                  \
        fa_schedule_cyclic(o, 0.01, 0.4, .step_size_up = 30, .step_size_down = 3, .mode = "exp_range", .gamma = 0.98)) \
    ROW(cyclic_still, fa_schedule_cyclic(o, 0.01, 0.4, .step_size_up = 25, .cycle_momentum = false))                   \
    ROW(plateau, fa_schedule_reduce_on_plateau(o))                                                                     \
    ROW(plateau_patience, fa_schedule_reduce_on_plateau(o, .factor = 0.7, .patience = 3, .threshold = 1e-2))           \
    ROW(plateau_abs, fa_schedule_reduce_on_plateau(o, .factor = 0.7, .patience = 3, .threshold = 1e-2,                 \
                                                   .threshold_mode = "abs", .cooldown = 5))                            \
    ROW(plateau_max, fa_schedule_reduce_on_plateau(o, .mode = "max", .factor = 0.5, .patience = 20, .min_lr = 0.01))   \
    ROW(plateau_max_abs, fa_schedule_reduce_on_plateau(o, .mode = "max", .factor = 0.5, .patience = 20,                \
                                                       .threshold = 0.5, .threshold_mode = "abs", .cooldown = 9,       \
                                                       .min_lrs = FA_LIST(0.001, 0.01), .eps = 1e-3))                  \
    ROW(chained, fa_schedule_chained(fa_schedule_linear(o, .start_factor = 0.1, .total_iters = 20),                    \
                                     fa_schedule_exponential(o, 0.98), fa_schedule_step_lr(o, 50)))                    \
    ROW(sequential,                                                                                                    \
        fa_schedule_sequential(FA_LIST(10), fa_schedule_linear(o, .start_factor = 0.01, .total_iters = 10),            \
                               fa_schedule_cosine(o, 190)))                                                            \
    ROW(sequential_three,                                                                                              \
        fa_schedule_sequential(FA_LIST(4, 80), fa_schedule_constant(o, .factor = 0.1, .total_iters = 100),             \
                               fa_schedule_exponential(o, 0.9), fa_schedule_step_lr(o, 20)))                           \
    ROW(sequential_multi_step,                                                                                         \
        fa_schedule_sequential(FA_LIST(15), fa_schedule_constant(o, .factor = 0.1, .total_iters = 10),                 \
                               fa_schedule_multi_step(o, FA_LIST(0, 30), .gamma = 0.5)))

#define SCHEDULER(name, call)                                                                                          \
    static fa_schedule *schedule_##name(fa_optim *o)                                                                   \
    {                                                                                                                  \
        return call;                                                                                                   \
    }
SCHEDULES(SCHEDULER)

typedef struct schedule_run {
    const char *name;
    fa_schedule *(*make)(fa_optim *);
} schedule_run;

static double metric(int epoch)
{
    return epoch == 33 ? (double)NAN : 1.0 / (1 + epoch / 7) + ((epoch * 5) % 3 - 1) / 1024.0;
}

static fa_optim *scheduled(bool adam)
{
    fa_tensor *p = parameter(0, FA_CPU, FA_F64), *q = parameter(1, FA_CPU, FA_F64);
    fa_optim *o = adam ? fa_optim_adam(fa_params(p), .lr = 0.1) : fa_optim_sgd(fa_params(p), .lr = 0.1);
    check(fa_optim_add_group(o, fa_params(q), .lr = 0.02) == 1, "a group is added");
    return o;
}

static bool schedule_step(fa_schedule *s, int epoch)
{
    bool plateau = !strcmp(fa_schedule_kind(s), "reduce_on_plateau");
    return plateau ? fa_schedule_step_metric(s, metric(epoch - 1)) : fa_schedule_step(s);
}

static void hold_rates(const schedule_run *r)
{
    FA_SCOPE;
    bool adam = !strcmp(r->name, "one_cycle_linear"), cycle = strstr(r->name, "cycl");
    fa_optim *o = scheduled(adam);
    fa_schedule *s = r->make(o);
    int held = 0;
    for (int epoch = 0; epoch <= EPOCHS; epoch++) {
        if (!check(!epoch || schedule_step(s, epoch), "%s: epoch %d", r->name, epoch))
            return;
        check(fa_schedule_epoch(s) == epoch, "%s: epoch %d is counted", r->name, epoch);
        double have[] = {fa_optim_lr(o), fa_optim_option(o, 1, "lr"),
                         fa_optim_option(o, 0, adam ? "beta1" : "momentum")};
        held += hold(r->name, epoch, have, cycle ? 3 : 2, 1e-12);
    }
    check(held > 90, "%s: there is a reference", r->name);
}

int main(void)
{
#define SCHEDULED(name, call) {#name, schedule_##name},
    static const schedule_run schedules[] = {SCHEDULES(SCHEDULED)};
    if (!test_devices_there())
        return TEST_SKIPPED;
    const place places[] = {{FA_CPU, FA_CPU}, {DEVICE(0), DEVICE(0)}, {DEVICE(1), FA_CPU}};
    reference = reference_load("optim.txt");
    if (!check(reference != NULL, "tests/reference/optim.txt cannot be read"))
        return check_end();
    for (int i = 0; i < 3; i++) {
        check_about("first parameter on %s, second on %s", fa_device_name(places[i].first),
                    fa_device_name(places[i].second));
        optimizers_at(&places[i]);
    }
    check_about("schedules");
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++)
        hold_rates(&schedules[i]);
    free(reference);
    return check_end();
}
