/** @file
 *  Optimizers: they change parameters by their gradients, in one pass over all of them.
 *
 *      fa_optim *opt = fa_optim_sgd(net, .lr = 0.01, .momentum = 0.9);
 *      fa_optim_zero_grad(opt);
 *      fa_backward(loss);
 *      fa_optim_step(opt);
 *
 *  An optimizer holds its parameters, which may be on several devices and of several dtypes, and the state that it
 * keeps for each: on the parameter's device, in its dtype, and following it when it moves. It belongs to the innermost
 * scope. One optimizer is for one thread at a time, and its parameters are not used by others during a step.
 *
 *  Options are PyTorch's, and finite. Rates over time are in schedule.h. */
#ifndef FACULA_OPTIM_H
#define FACULA_OPTIM_H
#include <facula/nn.h>
#include <facula/types.h>

FA__BEGIN

static inline fa_parameters fa__parameters_listed(fa_tensors tensors)
{
    fa_parameters p = FA__NONE;
    p.count = tensors.count;
    p.item = tensors.item;
    return p;
}

static inline fa_parameters fa__parameters_same(fa_parameters parameters)
{
    return parameters;
}

/** Parameters one by one, for an optimizer: fa_params(w, b). */
#define fa_params(...) fa__parameters_listed(FA_TENSORS(__VA_ARGS__))

#define FA__BIND_FA__PARAMETERS(text, name, v)
#define FA__PASS_FA__PARAMETERS(name, v) FA__PARAMETERS(v)
#ifdef __cplusplus
}
static inline fa_parameters fa__parameters(const fa_module *module)
{
    return fa_module_parameters(module);
}
static inline fa_parameters fa__parameters(fa_parameters parameters)
{
    return parameters;
}
static inline fa_parameters fa__parameters(fa_tensors tensors)
{
    return fa__parameters_listed(tensors);
}
#define FA__PARAMETERS(p) fa__parameters(p)
extern "C" {
#else
#define FA__PARAMETERS(p)                                                                                              \
    _Generic(p, fa_module *                                                                                            \
             : fa_module_parameters, const fa_module *                                                                 \
             : fa_module_parameters, fa_tensors                                                                        \
             : fa__parameters_listed, fa_parameters                                                                    \
             : fa__parameters_same)(p)
#endif

/** Options of fa_optim_sgd(). */
typedef struct fa_optim_sgd_options {
    size_t size;         /**< set by the macro */
    double lr;           /**< the learning rate */
    double momentum;     /**< how much of the last direction is kept; 0: none, and no state */
    double dampening;    /**< how much of the gradient is left out of the direction, but for its first one */
    double weight_decay; /**< this times the parameter is added to the gradient */
    bool nesterov;       /**< look ahead: needs momentum, and no dampening */
    bool maximize;       /**< go up */
    char fa__end;
} fa_optim_sgd_options;
#define FA__DEFAULT_fa_optim_sgd                                                                                       \
    {                                                                                                                  \
        offsetof(fa_optim_sgd_options, fa__end), 1e-3, 0, 0, 0, false, false, 0                                        \
    }

/** Stochastic gradient descent as PyTorch's: the direction begins as the gradient itself, and the rate stays outside it
 *  (Sutskever et al. 2013).
 *
 *      fa_optim_sgd(net, .lr = 1e-3, .momentum = 0, .dampening = 0, .weight_decay = 0, .nesterov = false,
 *          .maximize = false)
 *
 *  @param parameters a module, fa_params(w, b), FA_TENSORS(w, b) or an fa_parameters: floating leaves, each once
 *  @param options what the macro makes of the named options; NULL for the defaults */
FA_API fa_optim *fa_optim_sgd(fa_parameters parameters, const fa_optim_sgd_options *options);
#define fa_optim_sgd(...) FA__CALL1(fa_optim_sgd, FA__PARAMETERS, __VA_ARGS__)

/** Options of fa_optim_adam(). */
typedef struct fa_optim_adam_options {
    size_t size;         /**< set by the macro */
    double lr;           /**< the learning rate */
    double beta1, beta2; /**< how much of the mean of gradients, and of their squares, is kept: at least 0, below 1 */
    double eps;          /**< added after the root */
    double weight_decay; /**< this times the parameter is added to the gradient */
    bool amsgrad;        /**< divide by the largest mean of squares so far (Reddi et al. 2018) */
    bool maximize;       /**< go up */
    char fa__end;
} fa_optim_adam_options;
#define FA__DEFAULT_fa_optim_adam                                                                                      \
    {                                                                                                                  \
        offsetof(fa_optim_adam_options, fa__end), 1e-3, 0.9, 0.999, 1e-8, 0, false, false, 0                           \
    }

/** Adam (Kingma and Ba 2015), as PyTorch's.
 *
 *      fa_optim_adam(net, .lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .weight_decay = 0,
 *          .amsgrad = false, .maximize = false)
 *
 *  @param parameters as for fa_optim_sgd()
 *  @param options what the macro makes of the named options; NULL for the defaults */
FA_API fa_optim *fa_optim_adam(fa_parameters parameters, const fa_optim_adam_options *options);
#define fa_optim_adam(...) FA__CALL1(fa_optim_adam, FA__PARAMETERS, __VA_ARGS__)

/** Options of fa_optim_adamw(): Adam's. */
typedef fa_optim_adam_options fa_optim_adamw_options;
#define FA__DEFAULT_fa_optim_adamw                                                                                     \
    {                                                                                                                  \
        offsetof(fa_optim_adam_options, fa__end), 1e-3, 0.9, 0.999, 1e-8, 1e-2, false, false, 0                        \
    }

/** Adam whose weight decay shrinks the parameter itself, by lr times weight_decay of it, and takes no part in the means
 *  (Loshchilov and Hutter 2019), as PyTorch's.
 *
 *      fa_optim_adamw(net, .lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .weight_decay = 1e-2,
 *          .amsgrad = false, .maximize = false)
 *
 *  @param parameters as for fa_optim_sgd()
 *  @param options what the macro makes of the named options; NULL for the defaults */
FA_API fa_optim *fa_optim_adamw(fa_parameters parameters, const fa_optim_adamw_options *options);
#define fa_optim_adamw(...) FA__CALL1(fa_optim_adamw, FA__PARAMETERS, __VA_ARGS__)

/** Options of fa_optim_rmsprop(). */
typedef struct fa_optim_rmsprop_options {
    size_t size;         /**< set by the macro */
    double lr;           /**< the learning rate */
    double alpha;        /**< how much of the mean of squares is kept */
    double eps;          /**< added after the root */
    double weight_decay; /**< this times the parameter is added to the gradient */
    double momentum;     /**< how much of the last direction is kept; 0: none, and no state */
    bool centered;       /**< divide by the root of the variance: the mean of gradients is kept too */
    bool maximize;       /**< go up */
    char fa__end;
} fa_optim_rmsprop_options;
#define FA__DEFAULT_fa_optim_rmsprop                                                                                   \
    {                                                                                                                  \
        offsetof(fa_optim_rmsprop_options, fa__end), 1e-2, 0.99, 1e-8, 0, 0, false, false, 0                           \
    }

/** RMSprop (Hinton 2012; centered: Graves 2013), as PyTorch's.
 *
 *      fa_optim_rmsprop(net, .lr = 1e-2, .alpha = 0.99, .eps = 1e-8, .weight_decay = 0, .momentum = 0,
 *          .centered = false, .maximize = false)
 *
 *  @param parameters as for fa_optim_sgd()
 *  @param options what the macro makes of the named options; NULL for the defaults */
FA_API fa_optim *fa_optim_rmsprop(fa_parameters parameters, const fa_optim_rmsprop_options *options);
#define fa_optim_rmsprop(...) FA__CALL1(fa_optim_rmsprop, FA__PARAMETERS, __VA_ARGS__)

/** Options of fa_optim_adagrad(). */
typedef struct fa_optim_adagrad_options {
    size_t size;                      /**< set by the macro */
    double lr;                        /**< the learning rate */
    double lr_decay;                  /**< after n steps the rate is lr / (1 + n * lr_decay) */
    double weight_decay;              /**< this times the parameter is added to the gradient */
    double initial_accumulator_value; /**< what the sum of squares begins as */
    double eps;                       /**< added after the root */
    bool maximize;                    /**< go up */
    char fa__end;
} fa_optim_adagrad_options;
#define FA__DEFAULT_fa_optim_adagrad                                                                                   \
    {                                                                                                                  \
        offsetof(fa_optim_adagrad_options, fa__end), 1e-2, 0, 0, 0, 1e-10, false, 0                                    \
    }

/** Adagrad (Duchi et al. 2011), as PyTorch's.
 *
 *      fa_optim_adagrad(net, .lr = 1e-2, .lr_decay = 0, .weight_decay = 0, .initial_accumulator_value = 0,
 *          .eps = 1e-10, .maximize = false)
 *
 *  @param parameters as for fa_optim_sgd()
 *  @param options what the macro makes of the named options; NULL for the defaults */
FA_API fa_optim *fa_optim_adagrad(fa_parameters parameters, const fa_optim_adagrad_options *options);
#define fa_optim_adagrad(...) FA__CALL1(fa_optim_adagrad, FA__PARAMETERS, __VA_ARGS__)

/* ---- steps ---- */

/** Takes the gradients of the parameters away. */
FA_API bool fa_optim_zero_grad(fa_optim *optimizer);

/** Changes every parameter that has a gradient; the others are left alone. All or nothing: all memory is taken before
 *  the first write. On a device that works while the host goes on, steps behind a fault (an index out of range in a
 *  kernel) change nothing until it is reported, but the host has counted them: Adam's correction of its first means is
 *  that of a later step.
 *  @return false and an error, with no parameter changed; also while an error stood before */
FA_API bool fa_optim_step(fa_optim *optimizer);

/* ---- clipping gradients ---- */

/** Options of fa_clip_grad_norm(). */
typedef struct fa_clip_grad_norm_options {
    size_t size;             /**< set by the macro */
    double norm_type;        /**< the order of the norm, as fa_norm()'s p: infinity for the largest element */
    bool error_if_nonfinite; /**< an error when the norm is not finite, for which the host waits */
    char fa__end;
} fa_clip_grad_norm_options;
#define FA__DEFAULT_fa_clip_grad_norm                                                                                  \
    {                                                                                                                  \
        offsetof(fa_clip_grad_norm_options, fa__end), 2, false, 0                                                      \
    }

/** Scales the gradients of parameters, as of one long vector, to a norm of at most `max_norm`: each is multiplied by
 *  max_norm / (norm + 1e-6), or by 1 where that is more. As PyTorch's clip_grad_norm_. The host does not wait. A norm
 * that is not finite makes gradients of 0 or NaN, unless error_if_nonfinite refuses it.
 *
 *      fa_tensor *norm = fa_clip_grad_norm(net, 1.0, .norm_type = 2, .error_if_nonfinite = false);
 *
 *  @param parameters as for fa_optim_sgd(); those without a gradient are left out
 *  @param max_norm   0 or more; with infinity the norm is only told
 *  @param options    what the macro makes of the named options; NULL for the defaults
 *  @return the norm that there was, of no dimension, on the first gradient's device; 0 without gradients. NULL and an
 *  error with the gradients unchanged, also while an error stood before */
FA_API fa_tensor *fa_clip_grad_norm(fa_parameters parameters, double max_norm,
                                    const fa_clip_grad_norm_options *options);
#define fa_clip_grad_norm(...) FA__CALL2(fa_clip_grad_norm, FA__PARAMETERS, FA__SAME, __VA_ARGS__)

/** Brings every element of the gradients of `parameters` into -clip_value to `clip_value`, which is 0 or more. NaN
 * stays. False and an error with the gradients unchanged, also while an error stood before. */
FA_API bool fa_clip_grad_value(fa_parameters parameters, double clip_value);
#define fa_clip_grad_value(parameters, clip_value) fa_clip_grad_value(FA__PARAMETERS(parameters), clip_value)

/* ---- groups: parameters with options of their own ---- */

/** Options of fa_optim_add_group(): those of all optimizers; NaN stands for "as the optimizer was made with". */
typedef struct fa_optim_add_group_options {
    size_t size;                      /**< set by the macro */
    double lr;                        /**< as the optimizer's option of that name; so are all others */
    double momentum;                  /**< of SGD and RMSprop */
    double dampening;                 /**< of SGD */
    double weight_decay;              /**< of all */
    double beta1;                     /**< of Adam and AdamW */
    double beta2;                     /**< of Adam and AdamW */
    double alpha;                     /**< of RMSprop */
    double eps;                       /**< of all but SGD */
    double lr_decay;                  /**< of Adagrad */
    double initial_accumulator_value; /**< of Adagrad */
    double nesterov;                  /**< of SGD: true or false */
    double amsgrad;                   /**< of Adam and AdamW: true or false */
    double centered;                  /**< of RMSprop: true or false */
    double maximize;                  /**< of all: true or false */
    char fa__end;
} fa_optim_add_group_options;
#define FA__UNSET __builtin_nan("")
#define FA__DEFAULT_fa_optim_add_group                                                                                 \
    {                                                                                                                  \
        offsetof(fa_optim_add_group_options, fa__end), FA__UNSET, FA__UNSET, FA__UNSET, FA__UNSET, FA__UNSET,          \
            FA__UNSET, FA__UNSET, FA__UNSET, FA__UNSET, FA__UNSET, FA__UNSET, FA__UNSET, FA__UNSET, FA__UNSET, 0       \
    }

/** Gives an optimizer more parameters, whose options are those that it was made with, but for those named here. The
 *  parameters that it was made with are group 0.
 *
 *      fa_optim *opt = fa_optim_sgd(body, .lr = 0.01, .momentum = 0.9, .weight_decay = 1e-4);
 *      fa_optim_add_group(opt, head, .lr = 0.1, .weight_decay = 0);
 *
 *  @param optimizer  whose groups they join
 *  @param parameters as for fa_optim_sgd(), and none that it has already
 *  @param options    what the macro makes of the named options; NULL for none
 *  @return the group's number, from 1; -1 and an error, with nothing changed, also for an option that the optimizer
 * does not have */
FA_API int fa_optim_add_group(fa_optim *optimizer, fa_parameters parameters, const fa_optim_add_group_options *options);
#define fa_optim_add_group(...) FA__CALL2(fa_optim_add_group, FA__SAME, FA__PARAMETERS, __VA_ARGS__)

/** How many groups there are; -1 and an error for NULL. */
FA_API int fa_optim_groups(const fa_optim *optimizer);

/** An option of a group, from 0, by its name: "lr", "weight_decay"; true is 1. NaN and an error when there is no such
 *  group or option. */
FA_API double fa_optim_option(const fa_optim *optimizer, int group, const char *name);
/** Changes the option of that name of a group, from 0, to value, from the next step on; 1 and 0 for true and false.
 * What is kept for parameters stays. False and an error, with nothing changed, for what the optimizer could not have
 * been made with. */
FA_API bool fa_optim_set_option(fa_optim *optimizer, int group, const char *name, double value);

/** The learning rate: of group 0 where groups differ; fa_optim_option(optimizer, 1, "lr") is that of group 1. NaN and
 * an error for NULL. */
FA_API double fa_optim_lr(const fa_optim *optimizer);
/** Changes the learning rate of all groups to lr, 0 or more, from the next step on. */
FA_API bool fa_optim_set_lr(fa_optim *optimizer, double lr);
/** From now on the learning rate of a group is read from a tensor when the work of a step runs: a floating one without
 *  dimensions on the device of the group's parameters, which the optimizer keeps. It may be changed on the device
 * between two steps, without a copy or a wait (PyTorch's lr=tensor with capturable=True). fa_optim_set_lr(),
 *  fa_optim_set_option() and schedules write into it; fa_optim_lr() and what is saved are the number that was set last.
 *  NULL: the number is used again.
 *  @return false and an error for a group that is not there, or another tensor */
FA_API bool fa_optim_set_lr_tensor(fa_optim *optimizer, int group, fa_tensor *lr);

/* ---- what is kept ---- */

/** What kind of optimizer it is: "sgd", "adam", "adamw", "rmsprop", "adagrad". "" and an error for NULL. */
FA_API const char *fa_optim_kind(const fa_optim *optimizer);

/** What an optimizer keeps for a parameter under a name: "momentum_buffer" of SGD and RMSprop; "exp_avg", "exp_avg_sq"
 *  and "max_exp_avg_sq" of Adam and AdamW; "square_avg" and "grad_avg" of RMSprop; "sum" of Adagrad; in the parameter's
 *  shape. It stays the optimizer's: not a copy, and gone with it, or with the next state that it loads. NULL, without
 * an error, before the parameter's first step; NULL and an error for what is not kept. */
FA_API fa_tensor *fa_optim_state(const fa_optim *optimizer, const fa_tensor *parameter, const char *name);

/* ---- saving and restoring ---- */

/** Numbers with their names. */
typedef struct fa_numbers {
    size_t count;            /**< how many */
    const double *item;      /**< as many numbers, all finite */
    const char *const *name; /**< as many names */
} fa_numbers;

/** All that an optimizer or a schedule holds, by names that do not change from one version to the next: what a
 *  checkpoint has to keep. Numbers are to be kept with all their bits (as a tensor of f64, say, or in 17 digits), and
 *  tensors in their dtype; then training goes on bit for bit as if it had never stopped. */
typedef struct fa_state_dict {
    const char *kind;      /**< fa_optim_kind() or fa_schedule_kind(); NULL after an error */
    fa_parameters tensors; /**< "state.3.exp_avg" */
    fa_numbers numbers;    /**< "group.0.lr", "state.3.step" */
} fa_state_dict;

/** What an optimizer holds beside its parameters. Lists, names and references to the tensors belong to the scope; the
 *  tensors themselves are the optimizer's own, which the next step changes: write or copy them before it.
 *
 *  Numbers: "groups"; for each group "group.0.parameters", its options, as "group.0.lr", and once it has had a schedule
 *  "group.0.initial_lr"; for each parameter, counted over all groups, "state.3.step" and "state.3.tensors", the number
 * of tensors that are kept for it. Tensors: what fa_optim_state() has, as "state.3.exp_avg"; none for parameters that
 * have had no step.
 *  @return kind NULL and an error on failure */
FA_API fa_state_dict fa_optim_state_dict(const fa_optim *optimizer);

/** Puts a `state` into an optimizer that was made in the same way: as many groups, each of as many parameters, of the
 *  same shapes in the same order. It need not have had a step. Options, rates and steps are those of the state from now
 *  on; tensors are copied to the devices and dtypes of the parameters. Schedules are to be made before, as making one
 *  changes rates. Names may be in any order.
 *  @return false and an error that names what is missing, unexpected or unfit, with nothing changed; also while an
 * error stood before */
FA_API bool fa_optim_load_state_dict(fa_optim *optimizer, const fa_state_dict *state);

FA__END
#endif
