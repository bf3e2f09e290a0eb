/** @file
 *  Learning rate schedules.
 *
 *      fa_schedule *s = fa_schedule_cosine(opt, 100);
 *      for (int epoch = 0; epoch < 100; epoch++) {
 *          train(net, opt);
 *          fa_schedule_step(s);
 *      }
 *
 *  Schedules, options and defaults are those of PyTorch's lr_scheduler, in the recursive form: each step modifies the
 *  current learning rate, so that several schedules of one optimizer, and fa_optim_set_lr(), can be combined. The
 *  program decides whether a step is a batch or an epoch; the documentation says epoch. A schedule changes the rates
 *  of all groups. Each group has a base rate: its learning rate when its first schedule is created. Creating a
 *  schedule sets the rates of epoch 0.
 *
 *  A schedule belongs to the innermost scope and holds a reference to its optimizer. No groups can be added to the
 *  optimizer while it has a schedule. A schedule must be used by the same thread as its optimizer.
 *
 *  All numbers must be finite, and rates 0 or more; otherwise FA_ERROR_ARGUMENT. */
#ifndef FACULA_SCHEDULE_H
#define FACULA_SCHEDULE_H
#include <facula/optim.h>

FA__BEGIN

/** @defgroup schedule Learning rate schedules
 *  @{ */

typedef struct fa_schedule fa_schedule; /**< a learning rate schedule */

/** Advances a schedule to the next epoch and changes the optimizer's learning rates. It comes behind the step of the
 *  optimizer: one before the optimizer's first step would skip the first rate, and logs a warning.
 *  @return false and an error, with nothing changed; also if an error was set before. If one schedule of a chain or
 *  sequence fails, those before it have made their step */
FA_API bool fa_schedule_step(fa_schedule *schedule);
/* The same without the warning. */
FA_API bool fa__schedule_step(fa_schedule *schedule);
/** fa_schedule_step() for fa_schedule_reduce_on_plateau(), which depends on a `metric` such as the validation loss or
 *  accuracy. NaN is never an improvement. */
FA_API bool fa_schedule_step_metric(fa_schedule *schedule, double metric);
/** The current epoch, which is the number of steps so far. -1 and an error for NULL. */
FA_API int64_t fa_schedule_epoch(const fa_schedule *schedule);
/** The kind of a schedule, such as "cosine", after the function that creates it. "" and an error for NULL. */
FA_API const char *fa_schedule_kind(const fa_schedule *schedule);

/** The state of a schedule: its epoch, base rates and, for plateaus, counters. States in a chain or sequence have the
 *  prefixes "0.linear.", "1.cosine." and so on. Options are not included, and the current rates are part of the
 *  optimizer's state. There are no tensors. Otherwise like fa_optim_state_dict(). */
FA_API fa_state_dict fa_schedule_state_dict(const fa_schedule *schedule);
/** Loads a `state` into a schedule that was created in the same way. It does not set the optimizer's learning rates:
 *  load the optimizer's state too. Otherwise like fa_optim_load_state_dict(). */
FA_API bool fa_schedule_load_state_dict(fa_schedule *schedule, const fa_state_dict *state);

/* ---- decay ---- */

/** Options of fa_schedule_step_lr(). */
typedef struct fa_schedule_step_lr_options {
    size_t size;  /**< set by the macro */
    double gamma; /**< factor of the learning rate */
    char fa__end;
} fa_schedule_step_lr_options;
#define FA__DEFAULT_fa_schedule_step_lr                                                                                \
    {                                                                                                                  \
        offsetof(fa_schedule_step_lr_options, fa__end), 0.1, 0                                                         \
    }
/** Multiplies the learning rate by gamma every `step_size` epochs. It is called step_lr, as in PyTorch, because
 *  fa_schedule_step() is the function that advances a schedule.
 *
 *      fa_schedule_step_lr(opt, 30, .gamma = 0.1)
 *
 *  @param optimizer the optimizer
 *  @param step_size number of epochs, at least 1
 *  @param options   the options shown above; NULL for the defaults */
FA_API fa_schedule *fa_schedule_step_lr(fa_optim *optimizer, int64_t step_size,
                                        const fa_schedule_step_lr_options *options);
#define fa_schedule_step_lr(...)                                                                                       \
    FA__CALL2(fa_schedule_step_lr, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_schedule_multi_step(). */
typedef struct fa_schedule_multi_step_options {
    size_t size;  /**< set by the macro */
    double gamma; /**< factor of the learning rate */
    char fa__end;
} fa_schedule_multi_step_options;
#define FA__DEFAULT_fa_schedule_multi_step                                                                             \
    {                                                                                                                  \
        offsetof(fa_schedule_multi_step_options, fa__end), 0.1, 0                                                      \
    }
/** Multiplies the learning rate by gamma at each of the given epochs.
 *
 *      fa_schedule_multi_step(opt, FA_LIST(30, 80), .gamma = 0.1)
 *
 *  @param optimizer  the optimizer
 *  @param milestones the epochs, in any order; an epoch that occurs twice counts twice; copied
 *  @param options    the options shown above; NULL for the defaults */
FA_API fa_schedule *fa_schedule_multi_step(fa_optim *optimizer, fa_list milestones,
                                           const fa_schedule_multi_step_options *options);
#define fa_schedule_multi_step(...)                                                                                    \
    FA__CALL2(fa_schedule_multi_step, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__NUMBER_LIST, __VA_ARGS__)

/** Multiplies the learning rate by `gamma`, 0 or more, every epoch. */
FA_API fa_schedule *fa_schedule_exponential(fa_optim *optimizer, double gamma);

/** Options of fa_schedule_cosine(). */
typedef struct fa_schedule_cosine_options {
    size_t size;    /**< set by the macro */
    double eta_min; /**< minimum learning rate */
    char fa__end;
} fa_schedule_cosine_options;
#define FA__DEFAULT_fa_schedule_cosine                                                                                 \
    {                                                                                                                  \
        offsetof(fa_schedule_cosine_options, fa__end), 0, 0                                                            \
    }
/** Cosine annealing: half a cosine wave from the base rate down to eta_min at epoch `t_max`, and up again after it;
 *  PyTorch's CosineAnnealingLR (Loshchilov and Hutter 2017, without restarts).
 *
 *      fa_schedule_cosine(opt, 100, .eta_min = 0)
 *
 *  @param optimizer the optimizer
 *  @param t_max     number of epochs to the minimum, at least 1
 *  @param options   the options shown above; NULL for the defaults */
FA_API fa_schedule *fa_schedule_cosine(fa_optim *optimizer, int64_t t_max, const fa_schedule_cosine_options *options);
#define fa_schedule_cosine(...)                                                                                        \
    FA__CALL2(fa_schedule_cosine, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/* ---- warm-up ---- */

/** Options of fa_schedule_linear(). */
typedef struct fa_schedule_linear_options {
    size_t size;         /**< set by the macro */
    double start_factor; /**< factor of the base rate at epoch 0: greater than 0, at most 1 */
    double end_factor;   /**< factor of the base rate from epoch total_iters on: 0 to 1 */
    int64_t total_iters; /**< number of epochs between the two */
    char fa__end;
} fa_schedule_linear_options;
#define FA__DEFAULT_fa_schedule_linear                                                                                 \
    {                                                                                                                  \
        offsetof(fa_schedule_linear_options, fa__end), 1.0 / 3, 1, 5, 0                                                \
    }
/** Linear warm-up: changes the factor of the base rate linearly from start_factor to end_factor.
 *
 *      fa_schedule_linear(opt, .start_factor = 1.0 / 3, .end_factor = 1, .total_iters = 5)
 *
 *  @param optimizer the optimizer
 *  @param options   the options shown above; NULL for the defaults */
FA_API fa_schedule *fa_schedule_linear(fa_optim *optimizer, const fa_schedule_linear_options *options);
#define fa_schedule_linear(...) FA__CALL1(fa_schedule_linear, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_schedule_constant(). */
typedef struct fa_schedule_constant_options {
    size_t size;         /**< set by the macro */
    double factor;       /**< factor of the base rate before epoch total_iters: greater than 0, at most 1 */
    int64_t total_iters; /**< number of epochs */
    char fa__end;
} fa_schedule_constant_options;
#define FA__DEFAULT_fa_schedule_constant                                                                               \
    {                                                                                                                  \
        offsetof(fa_schedule_constant_options, fa__end), 1.0 / 3, 5, 0                                                 \
    }
/** Multiplies the base rate by a constant factor for some epochs, then returns to the base rate.
 *
 *      fa_schedule_constant(opt, .factor = 1.0 / 3, .total_iters = 5)
 *
 *  @param optimizer the optimizer
 *  @param options   the options shown above; NULL for the defaults */
FA_API fa_schedule *fa_schedule_constant(fa_optim *optimizer, const fa_schedule_constant_options *options);
#define fa_schedule_constant(...)                                                                                      \
    FA__CALL1(fa_schedule_constant, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_schedule_one_cycle(). */
typedef struct fa_schedule_one_cycle_options {
    size_t size;                 /**< set by the macro */
    double pct_start;            /**< fraction of the steps in which the rate rises: 0 to 1 */
    const char *anneal_strategy; /**< "cos" or "linear" */
    bool cycle_momentum;     /**< lower the momentum, or Adam's beta1, while the rate rises, and raise it while the rate
                                falls */
    double base_momentum;    /**< minimum momentum */
    double max_momentum;     /**< maximum momentum, used in the first and last step */
    double div_factor;       /**< the initial rate is max_lr / div_factor; greater than 0 */
    double final_div_factor; /**< the final rate is the initial rate / final_div_factor; greater than 0 */
    bool three_phase; /**< three phases: up, down in as many steps, and down to the final rate in the remaining steps */
    fa_list max_lrs;  /**< one maximum rate for each group, in place of max_lr */
    char fa__end;
} fa_schedule_one_cycle_options;
#define FA__DEFAULT_fa_schedule_one_cycle                                                                              \
    {                                                                                                                  \
        offsetof(fa_schedule_one_cycle_options, fa__end), 0.3, "cos", true, 0.85, 0.95, 25, 1e4, false, {0, NULL}, 0   \
    }
/** One-cycle policy: raises the learning rate to a maximum and then lowers it to almost 0, within a given number of
 *  steps (Smith and Topin 2019). It replaces the learning rates of the optimizer. fa_schedule_step() can be called
 *  total_steps times; one more call is an FA_ERROR_STATE. The cycle is complete after total_steps - 1 calls. In the
 *  last call, "linear" keeps the final rate; in PyTorch, the rate becomes negative there.
 *
 *      fa_schedule_one_cycle(opt, 0.1, 1000, .pct_start = 0.3, .anneal_strategy = "cos", .cycle_momentum = true,
 *          .base_momentum = 0.85, .max_momentum = 0.95, .div_factor = 25, .final_div_factor = 1e4,
 *          .three_phase = false, .max_lrs = FA_LIST())
 *
 *  @param optimizer   the optimizer; with cycle_momentum it must have the option momentum or beta1
 *  @param max_lr      the maximum learning rate
 *  @param total_steps number of steps, at least 1
 *  @param options     the options shown above; NULL for the defaults */
FA_API fa_schedule *fa_schedule_one_cycle(fa_optim *optimizer, double max_lr, int64_t total_steps,
                                          const fa_schedule_one_cycle_options *options);
#define fa_schedule_one_cycle(...)                                                                                     \
    FA__CALL3(fa_schedule_one_cycle, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_schedule_cyclic(). */
typedef struct fa_schedule_cyclic_options {
    size_t size;            /**< set by the macro */
    int64_t step_size_up;   /**< steps in which the rate rises, at least 1 */
    int64_t step_size_down; /**< steps in which it falls; 0: as many as it rises in */
    const char *mode;       /**< "triangular": cycles of one height; "triangular2": each half as high as the one before;
                               "exp_range": the height is multiplied with gamma in each step */
    double gamma;           /**< for "exp_range" */
    bool cycle_momentum;    /**< lower the momentum, or Adam's beta1, while the rate rises, and raise it while the rate
                               falls */
    double base_momentum;   /**< minimum momentum */
    double max_momentum;    /**< maximum momentum, used in the first step */
    char fa__end;
} fa_schedule_cyclic_options;
#define FA__DEFAULT_fa_schedule_cyclic                                                                                 \
    {                                                                                                                  \
        offsetof(fa_schedule_cyclic_options, fa__end), 2000, 0, "triangular", 1, true, 0.8, 0.9, 0                     \
    }
/** Raises the learning rate from base_lr to max_lr and lowers it again, in cycles without an end (Smith 2017). It
 *  replaces the learning rates of the optimizer. Meant to be stepped after each batch.
 *
 *      fa_schedule_cyclic(opt, 0.01, 0.1, .step_size_up = 2000, .step_size_down = 0, .mode = "triangular", .gamma = 1,
 *          .cycle_momentum = true, .base_momentum = 0.8, .max_momentum = 0.9)
 *
 *  @param optimizer the optimizer; with cycle_momentum it must have the option momentum or beta1
 *  @param base_lr   the lowest learning rate, that of the first step
 *  @param max_lr    the highest one
 *  @param options   the options shown above; NULL for the defaults */
FA_API fa_schedule *fa_schedule_cyclic(fa_optim *optimizer, double base_lr, double max_lr,
                                       const fa_schedule_cyclic_options *options);
#define fa_schedule_cyclic(...)                                                                                        \
    FA__CALL3(fa_schedule_cyclic, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)

/* ---- schedules that depend on results ---- */

/** Options of fa_schedule_reduce_on_plateau(). */
typedef struct fa_schedule_reduce_on_plateau_options {
    size_t size;                /**< set by the macro */
    const char *mode;           /**< "min": the metric should decrease; "max": it should increase */
    double factor;              /**< factor of the learning rate: 0 or more, less than 1 */
    int64_t patience;           /**< number of epochs without improvement that are tolerated */
    double threshold;           /**< by how much a metric must be better than the best one to be an improvement */
    const char *threshold_mode; /**< "rel": threshold is relative to the best metric; "abs": absolute */
    int64_t cooldown;           /**< number of epochs after a change in which bad epochs are not counted */
    double min_lr;              /**< minimum learning rate */
    double eps;                 /**< a rate that would change by eps or less stays as it is */
    fa_list min_lrs;            /**< one minimum rate for each group, in place of min_lr */
    char fa__end;
} fa_schedule_reduce_on_plateau_options;
#define FA__DEFAULT_fa_schedule_reduce_on_plateau                                                                      \
    {                                                                                                                  \
        offsetof(fa_schedule_reduce_on_plateau_options, fa__end), "min", 0.1, 10, 1e-4, "rel", 0, 0, 1e-8, {0, NULL},  \
            0                                                                                                          \
    }
/** Reduces the learning rate by a factor if a metric has not improved for more than `patience` epochs. Advance it
 *  with fa_schedule_step_metric().
 *
 *      fa_schedule_reduce_on_plateau(opt, .mode = "min", .factor = 0.1, .patience = 10, .threshold = 1e-4,
 *          .threshold_mode = "rel", .cooldown = 0, .min_lr = 0, .eps = 1e-8, .min_lrs = FA_LIST())
 *
 *  @param optimizer the optimizer
 *  @param options   the options shown above; NULL for the defaults */
FA_API fa_schedule *fa_schedule_reduce_on_plateau(fa_optim *optimizer,
                                                  const fa_schedule_reduce_on_plateau_options *options);
#define fa_schedule_reduce_on_plateau(...)                                                                             \
    FA__CALL1(fa_schedule_reduce_on_plateau, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Returns the factor of the base rate of a group (counted from 0) at an epoch. */
typedef double (*fa_schedule_function)(int64_t epoch, int group, void *context);
/** Multiplies the base rate by the result of a user-defined function.
 *  @param optimizer the optimizer
 *  @param function  called for each group when the schedule is created and in every step; the resulting rate must be
 *  0 or more
 *  @param context   passed to the function; must outlive the scope in which the schedule is created */
FA_API fa_schedule *fa_schedule_lambda(fa_optim *optimizer, fa_schedule_function function, void *context);

/* ---- combining schedules ---- */

FA_API fa_schedule *fa__schedule_chained(size_t count, fa_schedule *const *schedules);
FA_API fa_schedule *fa__schedule_sequential(fa_list milestones, size_t count, fa_schedule *const *schedules);
#ifdef __cplusplus
}
template <class... T> static inline fa_schedule *fa_schedule_chained(T... schedule)
{
    fa_schedule *const s[sizeof...(schedule) + 1] = {schedule...};
    return fa__schedule_chained(sizeof...(schedule), s);
}
#define fa_schedule_chained(...) FA__CALLED(fa_schedule_chained(__VA_ARGS__))
template <class... T> static inline fa_schedule *fa_schedule_sequential(fa_list milestones, T... schedule)
{
    fa_schedule *const s[sizeof...(schedule) + 1] = {schedule...};
    return fa__schedule_sequential(milestones, sizeof...(schedule), s);
}
#define fa_schedule_sequential(...) FA__CALLED(fa_schedule_sequential(__VA_ARGS__))
extern "C" {
#else
/** Steps several schedules of one optimizer together: fa_schedule_chained(warm_up, decay). Each step advances all of
 *  them, in order. The result holds references to them; step only the result. fa_schedule_reduce_on_plateau() cannot
 *  be one of them. */
#define fa_schedule_chained(...) FA__CALLED(FA__CAT(FA__CHAINED, FA__EMPTY(__VA_ARGS__))(__VA_ARGS__))
#define FA__CHAINED0(...) fa__schedule_chained(FA__COUNT(__VA_ARGS__), (fa_schedule *const[]){__VA_ARGS__})
#define FA__CHAINED1(...) fa__schedule_chained(0, NULL)
/** Runs schedules of one optimizer one after the other: the first until epoch milestones[0], then the second from its
 *  own epoch 0 and the base rate, and so on. n schedules take n - 1 milestones, in ascending order.
 *
 *      fa_schedule_sequential(FA_LIST(5), fa_schedule_linear(opt, .start_factor = 0.01), fa_schedule_cosine(opt, 95))
 *
 *  The result holds references to them; step only the result. fa_schedule_reduce_on_plateau() cannot be one of them.
 *  Chains and sequences can (in PyTorch, only as the first). */
#define fa_schedule_sequential(milestones, ...)                                                                        \
    FA__CALLED(fa__schedule_sequential(milestones, FA__COUNT(__VA_ARGS__), (fa_schedule *const[]){__VA_ARGS__}))
#endif

/** @} */

FA__END
#endif
