/** @file
 *  Schedules: they change the learning rate of an optimizer from step to step.
 *
 *      fa_schedule *s = fa_schedule_cosine(opt, 100);
 *      for (int epoch = 0; epoch < 100; epoch++) {
 *          train(net, opt);
 *          fa_schedule_step(s);
 *      }
 *
 *  They are PyTorch's, with its options and defaults, in its recursive form: each step changes the rate that is there,
 * so several schedules of one optimizer, and changes by hand, work together. What counts as a step, a batch or an
 * epoch, is the program's choice. The rates of all groups change, each from its own: the base rate, which is the
 * group's rate when its first schedule is made. Making a schedule sets the rates of epoch 0. A schedule belongs to the
 * innermost scope and holds its optimizer, to which no group can be added while it goes on. It is for the optimizer's
 * thread.
 *
 *  Numbers are finite, and rates 0 or more; anything else is an FA_ERROR_ARGUMENT that names it. */
#ifndef FACULA_SCHEDULE_H
#define FACULA_SCHEDULE_H
#include <facula/optim.h>

FA__BEGIN

typedef struct fa_schedule fa_schedule; /**< how the rates of an optimizer change */

/** Goes to the next epoch: the optimizer's rates change.
 *  @return false and an error, with nothing changed, also while an error stood before; of a chain or a sequence, those
 *  before the one that failed have made their step */
FA_API bool fa_schedule_step(fa_schedule *schedule);
/** The same for fa_schedule_reduce_on_plateau(), whose steps depend on `metric`: a loss, an accuracy. NaN is not better
 *  than anything. */
FA_API bool fa_schedule_step_metric(fa_schedule *schedule, double metric);
/** The epoch: how many steps there were. -1 and an error for NULL. */
FA_API int64_t fa_schedule_epoch(const fa_schedule *schedule);
/** What kind of schedule it is: "cosine", after the function that makes it. "" and an error for NULL. */
FA_API const char *fa_schedule_kind(const fa_schedule *schedule);

/** What a schedule holds: its epoch, base rates, and what is counted on a plateau; those of a chain or a sequence under
 *  "0.linear.", "1.cosine." and so on. Its options are those that it was made with, and the rates of now are the
 *  optimizer's. There are no tensors. As fa_optim_state_dict(). */
FA_API fa_state_dict fa_schedule_state_dict(const fa_schedule *schedule);
/** Puts a `state` into a schedule that was made in the same way; the optimizer's rates stay, so its state is to be
 * loaded too. As fa_optim_load_state_dict(). */
FA_API bool fa_schedule_load_state_dict(fa_schedule *schedule, const fa_state_dict *state);

/* ---- rates that fall ---- */

/** Options of fa_schedule_step_lr(). */
typedef struct fa_schedule_step_lr_options {
    size_t size;  /**< set by the macro */
    double gamma; /**< what the rate is multiplied by */
    char fa__end;
} fa_schedule_step_lr_options;
#define FA__DEFAULT_fa_schedule_step_lr                                                                                \
    {                                                                                                                  \
        offsetof(fa_schedule_step_lr_options, fa__end), 0.1, 0                                                         \
    }
/** Multiplies the rate by gamma every `step_size` epochs. It keeps the `_lr` of PyTorch's name, as fa_schedule_step()
 * is what makes a step.
 *
 *      fa_schedule_step_lr(opt, 30, .gamma = 0.1)
 *
 *  @param optimizer whose rates change
 *  @param step_size 1 or more
 *  @param options   what the macro makes of the named options; NULL for the defaults */
FA_API fa_schedule *fa_schedule_step_lr(fa_optim *optimizer, int64_t step_size,
                                        const fa_schedule_step_lr_options *options);
#define fa_schedule_step_lr(...) FA__CALL2(fa_schedule_step_lr, FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_schedule_multi_step(). */
typedef struct fa_schedule_multi_step_options {
    size_t size;  /**< set by the macro */
    double gamma; /**< what the rate is multiplied by */
    char fa__end;
} fa_schedule_multi_step_options;
#define FA__DEFAULT_fa_schedule_multi_step                                                                             \
    {                                                                                                                  \
        offsetof(fa_schedule_multi_step_options, fa__end), 0.1, 0                                                      \
    }
/** Multiplies the rate by gamma at each of some epochs.
 *
 *      fa_schedule_multi_step(opt, FA_LIST(30, 80), .gamma = 0.1)
 *
 *  @param optimizer  whose rates change
 *  @param milestones epochs, in any order; one that is named twice counts twice; copied
 *  @param options    what the macro makes of the named options; NULL for the defaults */
FA_API fa_schedule *fa_schedule_multi_step(fa_optim *optimizer, fa_list milestones,
                                           const fa_schedule_multi_step_options *options);
#define fa_schedule_multi_step(...) FA__CALL2(fa_schedule_multi_step, FA__SAME, FA__SAME, __VA_ARGS__)

/** Multiplies the rate by `gamma`, 0 or more, every epoch. */
FA_API fa_schedule *fa_schedule_exponential(fa_optim *optimizer, double gamma);

/** Options of fa_schedule_cosine(). */
typedef struct fa_schedule_cosine_options {
    size_t size;    /**< set by the macro */
    double eta_min; /**< the lowest rate */
    char fa__end;
} fa_schedule_cosine_options;
#define FA__DEFAULT_fa_schedule_cosine                                                                                 \
    {                                                                                                                  \
        offsetof(fa_schedule_cosine_options, fa__end), 0, 0                                                            \
    }
/** Half a wave of the cosine from the base rate down to eta_min at epoch `t_max`, and up again after it: PyTorch's
 *  CosineAnnealingLR (Loshchilov and Hutter 2017, without restarts).
 *
 *      fa_schedule_cosine(opt, 100, .eta_min = 0)
 *
 *  @param optimizer whose rates change
 *  @param t_max     1 or more
 *  @param options   what the macro makes of the named options; NULL for the defaults */
FA_API fa_schedule *fa_schedule_cosine(fa_optim *optimizer, int64_t t_max, const fa_schedule_cosine_options *options);
#define fa_schedule_cosine(...) FA__CALL2(fa_schedule_cosine, FA__SAME, FA__SAME, __VA_ARGS__)

/* ---- warming up ---- */

/** Options of fa_schedule_linear(). */
typedef struct fa_schedule_linear_options {
    size_t size;         /**< set by the macro */
    double start_factor; /**< of the base rate at epoch 0: more than 0, at most 1 */
    double end_factor;   /**< of the base rate from epoch total_iters on: 0 to 1 */
    int64_t total_iters; /**< how many epochs it takes */
    char fa__end;
} fa_schedule_linear_options;
#define FA__DEFAULT_fa_schedule_linear                                                                                 \
    {                                                                                                                  \
        offsetof(fa_schedule_linear_options, fa__end), 1.0 / 3, 1, 5, 0                                                \
    }
/** From one part of the base rate to another in equal steps: a warm-up.
 *
 *      fa_schedule_linear(opt, .start_factor = 1.0 / 3, .end_factor = 1, .total_iters = 5)
 *
 *  @param optimizer whose rates change
 *  @param options   what the macro makes of the named options; NULL for the defaults */
FA_API fa_schedule *fa_schedule_linear(fa_optim *optimizer, const fa_schedule_linear_options *options);
#define fa_schedule_linear(...) FA__CALL1(fa_schedule_linear, FA__SAME, __VA_ARGS__)

/** Options of fa_schedule_constant(). */
typedef struct fa_schedule_constant_options {
    size_t size;         /**< set by the macro */
    double factor;       /**< of the base rate before epoch total_iters: more than 0, at most 1 */
    int64_t total_iters; /**< for how many epochs */
    char fa__end;
} fa_schedule_constant_options;
#define FA__DEFAULT_fa_schedule_constant                                                                               \
    {                                                                                                                  \
        offsetof(fa_schedule_constant_options, fa__end), 1.0 / 3, 5, 0                                                 \
    }
/** A part of the base rate for some epochs, then all of it.
 *
 *      fa_schedule_constant(opt, .factor = 1.0 / 3, .total_iters = 5)
 *
 *  @param optimizer whose rates change
 *  @param options   what the macro makes of the named options; NULL for the defaults */
FA_API fa_schedule *fa_schedule_constant(fa_optim *optimizer, const fa_schedule_constant_options *options);
#define fa_schedule_constant(...) FA__CALL1(fa_schedule_constant, FA__SAME, __VA_ARGS__)

/** Options of fa_schedule_one_cycle(). */
typedef struct fa_schedule_one_cycle_options {
    size_t size;                 /**< set by the macro */
    double pct_start;            /**< which part of the steps goes up: 0 to 1 */
    const char *anneal_strategy; /**< "cos" or "linear" */
    bool cycle_momentum;         /**< momentum, or Adam's beta1, falls while the rate rises, and the other way round */
    double base_momentum;        /**< the lowest momentum */
    double max_momentum;         /**< the highest, at the beginning and the end */
    double div_factor;           /**< the first rate is max_lr / div_factor; more than 0 */
    double final_div_factor;     /**< the last one is the first / final_div_factor; more than 0 */
    bool three_phase;            /**< up, down in as many steps, and to the last rate in the rest */
    fa_list max_lrs;             /**< a highest rate for each group, in the place of max_lr */
    char fa__end;
} fa_schedule_one_cycle_options;
#define FA__DEFAULT_fa_schedule_one_cycle                                                                              \
    {                                                                                                                  \
        offsetof(fa_schedule_one_cycle_options, fa__end), 0.3, "cos", true, 0.85, 0.95, 25, 1e4, false, {0, NULL}, 0   \
    }
/** Up to a highest rate and down to nearly nothing, in a given number of steps (Smith and Topin 2019). The optimizer's
 *  own rates are replaced. The fa_schedule_step() after the last of them is taken too, and one more is an
 * FA_ERROR_STATE; "linear" keeps the last rate there, where PyTorch's goes below 0.
 *
 *      fa_schedule_one_cycle(opt, 0.1, 1000, .pct_start = 0.3, .anneal_strategy = "cos", .cycle_momentum = true,
 *          .base_momentum = 0.85, .max_momentum = 0.95, .div_factor = 25, .final_div_factor = 1e4,
 *          .three_phase = false, .max_lrs = FA_LIST())
 *
 *  @param optimizer   whose rates change; with cycle_momentum it has .momentum or .beta1
 *  @param max_lr      the highest rate
 *  @param total_steps how many steps there will be: 1 or more
 *  @param options     what the macro makes of the named options; NULL for the defaults */
FA_API fa_schedule *fa_schedule_one_cycle(fa_optim *optimizer, double max_lr, int64_t total_steps,
                                          const fa_schedule_one_cycle_options *options);
#define fa_schedule_one_cycle(...) FA__CALL3(fa_schedule_one_cycle, FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)

/* ---- as training goes ---- */

/** Options of fa_schedule_reduce_on_plateau(). */
typedef struct fa_schedule_reduce_on_plateau_options {
    size_t size;                /**< set by the macro */
    const char *mode;           /**< "min": the metric is to fall; "max": to rise */
    double factor;              /**< what the rate is multiplied by: 0 or more, below 1 */
    int64_t patience;           /**< how many epochs without a better metric are borne */
    double threshold;           /**< by how much better a metric has to be than the best one */
    const char *threshold_mode; /**< "rel": a part of the best one; "abs": as it is */
    int64_t cooldown;           /**< for how many epochs after a change nothing is counted */
    double min_lr;              /**< the lowest rate */
    double eps;                 /**< changes of a rate by no more than this are left out */
    fa_list min_lrs;            /**< a lowest rate for each group, in the place of min_lr */
    char fa__end;
} fa_schedule_reduce_on_plateau_options;
#define FA__DEFAULT_fa_schedule_reduce_on_plateau                                                                      \
    {                                                                                                                  \
        offsetof(fa_schedule_reduce_on_plateau_options, fa__end), "min", 0.1, 10, 1e-4, "rel", 0, 0, 1e-8, {0, NULL},  \
            0                                                                                                          \
    }
/** Multiplies the rate by a factor when a metric has not got better for more than `patience` epochs. Its steps are made
 *  by fa_schedule_step_metric().
 *
 *      fa_schedule_reduce_on_plateau(opt, .mode = "min", .factor = 0.1, .patience = 10, .threshold = 1e-4,
 *          .threshold_mode = "rel", .cooldown = 0, .min_lr = 0, .eps = 1e-8, .min_lrs = FA_LIST())
 *
 *  @param optimizer whose rates change
 *  @param options   what the macro makes of the named options; NULL for the defaults */
FA_API fa_schedule *fa_schedule_reduce_on_plateau(fa_optim *optimizer,
                                                  const fa_schedule_reduce_on_plateau_options *options);
#define fa_schedule_reduce_on_plateau(...) FA__CALL1(fa_schedule_reduce_on_plateau, FA__SAME, __VA_ARGS__)

/** What the base rate of a group, from 0, is multiplied by at an epoch. */
typedef double (*fa_schedule_function)(int64_t epoch, int group, void *context);
/** The base rate times what a function of the program's own says.
 *  @param optimizer whose rates change
 *  @param function  called for each group when the schedule is made and in every step; it may return any number that
 *                   makes a rate of 0 or more
 *  @param context   handed to it; has to outlive the scope that the schedule is made in */
FA_API fa_schedule *fa_schedule_lambda(fa_optim *optimizer, fa_schedule_function function, void *context);

/* ---- several ---- */

FA_API fa_schedule *fa__schedule_chained(size_t count, fa_schedule *const *schedules);
FA_API fa_schedule *fa__schedule_sequential(fa_list milestones, size_t count, fa_schedule *const *schedules);
#ifdef __cplusplus
}
template <class... T> static inline fa_schedule *fa_schedule_chained(T... schedule)
{
    fa_schedule *const s[sizeof...(schedule) + 1] = {schedule...};
    return fa__schedule_chained(sizeof...(schedule), s);
}
template <class... T> static inline fa_schedule *fa_schedule_sequential(fa_list milestones, T... schedule)
{
    fa_schedule *const s[sizeof...(schedule) + 1] = {schedule...};
    return fa__schedule_sequential(milestones, sizeof...(schedule), s);
}
extern "C" {
#else
/** All of them at every epoch, one after the other: fa_schedule_chained(warm_up, decay). They are of one optimizer, and
 *  held; only the chain is to be stepped. None is a fa_schedule_reduce_on_plateau(). */
#define fa_schedule_chained(...) FA__CAT(FA__CHAINED, FA__EMPTY(__VA_ARGS__))(__VA_ARGS__)
#define FA__CHAINED0(...) fa__schedule_chained(FA__COUNT(__VA_ARGS__), (fa_schedule *const[]){__VA_ARGS__})
#define FA__CHAINED1(...) fa__schedule_chained(0, NULL)
/** One after the other: the first until epoch milestones[0], then the second from its own epoch 0 and the base rate,
 * and so on. There is one milestone less than schedules, in ascending order.
 *
 *      fa_schedule_sequential(FA_LIST(5), fa_schedule_linear(opt, .start_factor = 0.01), fa_schedule_cosine(opt, 95))
 *
 *  They are of one optimizer, and held; only the sequence is to be stepped. None is a fa_schedule_reduce_on_plateau().
 * A chain or a sequence may be one of them (PyTorch: only the first). */
#define fa_schedule_sequential(milestones, ...)                                                                        \
    fa__schedule_sequential(milestones, FA__COUNT(__VA_ARGS__), (fa_schedule *const[]){__VA_ARGS__})
#endif

FA__END
#endif
