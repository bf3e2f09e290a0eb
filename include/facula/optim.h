/** @file
 *  Optimizers, which update parameters from their gradients.
 *
 *      fa_optim *opt = fa_optim_sgd(net, .lr = 0.01, .momentum = 0.9);
 *      fa_optim_zero_grad(opt);
 *      fa_backward(loss);
 *      fa_optim_step(opt);
 *
 *  An optimizer holds references to its parameters, which may be on several devices and of several dtypes. Its state
 *  for a parameter has the device and (without master weights) the dtype of the parameter, and moves with it. An
 *  optimizer belongs to the innermost scope. It must not be used by several threads at the same time, and no other
 *  thread may use its parameters during a step.
 *
 *  **Master weights.** A step of a parameter in f16 or bf16 is lost where it is smaller than half a unit in the last
 *  place of the parameter. With `.master_weights = true` the optimizer keeps an f32 copy of such a parameter, the state
 *  "master_weight", and the rest of the state in f32; a step updates the copy and rounds it to the parameter, in the
 *  same kernel. A parameter that is modified between two steps, for instance by fa_load(), replaces its copy.
 *
 *  **Stochastic rounding** is the other remedy, without more memory: with `.stochastic_rounding = true` the new value
 * of a parameter in bf16 becomes one of the two bf16 numbers next to it, the nearer one with the higher probability, so
 * that it is right on average and small steps add up (Gupta et al. 2015). The same is done for the state in bf16. The
 * random numbers come from the generator of the thread that calls fa_optim_step(). Parameters in other dtypes are
 * updated as usual. It cannot be combined with master weights.
 *
 *  Options have the names and meanings of PyTorch's, and must be finite. For learning rate schedules, see schedule.h.
 */
#ifndef FACULA_OPTIM_H
#define FACULA_OPTIM_H
#include <facula/nn.h>
#include <facula/types.h>

FA__BEGIN

/** @defgroup optim Optimizers
 *  @{ */

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

#ifdef __cplusplus
}
#define fa_params(...) fa__parameters_listed(FA_TENSORS(__VA_ARGS__))
#define FA__BIND_FA__PARAMETERS(text, name, v)
#define FA__PASS_FA__PARAMETERS(name, v) FA__PARAMETERS(v)
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
/** A list of single parameters for an optimizer: fa_params(w, b). */
#define fa_params(...) FA__CAT(FA__PARAMS, FA__EMPTY(__VA_ARGS__))(__VA_ARGS__)
#define FA__PARAMS0(...) (FA__NO_MODULE(FA__1(__VA_ARGS__)), fa__parameters_listed(FA_TENSORS(__VA_ARGS__)))
#define FA__PARAMS1(...) fa__parameters_listed(FA_TENSORS())
#define FA__NO_MODULE(v)                                                                                               \
    __extension__({                                                                                                    \
        _Static_assert(_Generic((__typeof__(v) *)0, fa_module * * : 0, const fa_module ** : 0, default : 1),           \
                       "fa_params lists tensors; a module goes without it: fa_optim_sgd(net)");                        \
    })
#define FA__BIND_FA__PARAMETERS(text, name, v)                                                                         \
    FA__AUTO name = v;                                                                                                 \
    _Static_assert(                                                                                                    \
        _Generic(name, fa_module * : 1, const fa_module * : 1, fa_tensors : 1, fa_parameters : 1, default : 0),        \
        "parameters go here: a module, or fa_params(w, b)");
#define FA__PASS_FA__PARAMETERS(name, v) FA__PARAMETERS(name)
#define FA__PARAMETERS(p)                                                                                              \
    _Generic(p, fa_module *                                                                                            \
             : fa_module_parameters, const fa_module *                                                                 \
             : fa_module_parameters, fa_tensors                                                                        \
             : fa__parameters_listed, fa_parameters                                                                    \
             : fa__parameters_same)(p)
#endif

/** Options of fa_optim_sgd(). */
typedef struct fa_optim_sgd_options {
    size_t size;      /**< set by the macro */
    double lr;        /**< learning rate */
    double momentum;  /**< momentum factor; 0: no momentum, and no state */
    double dampening; /**< the gradient is multiplied by 1 - dampening before it is added to the momentum, except in the
                         first step */
    double weight_decay;      /**< L2 penalty: weight_decay * parameter is added to the gradient */
    bool nesterov;            /**< use Nesterov momentum; needs momentum > 0 and dampening = 0 */
    bool maximize;            /**< maximize instead of minimize */
    bool master_weights;      /**< f32 master weights and state for parameters in f16 and bf16, see above */
    bool stochastic_rounding; /**< stochastic rounding of parameters and state in bf16, see above */
    char fa__end;
} fa_optim_sgd_options;
#define FA__DEFAULT_fa_optim_sgd                                                                                       \
    {                                                                                                                  \
        offsetof(fa_optim_sgd_options, fa__end), 1e-3, 0, 0, 0, false, false, false, false, 0                          \
    }

/** Stochastic gradient descent. As in PyTorch, the momentum buffer starts as the first gradient, and the learning
 *  rate is not part of it (unlike in Sutskever et al. 2013).
 *
 *      fa_optim_sgd(net, .lr = 1e-3, .momentum = 0, .dampening = 0, .weight_decay = 0, .nesterov = false,
 *          .maximize = false, .master_weights = false, .stochastic_rounding = false)
 *
 *  @param parameters a module, fa_params(w, b), FA_ARRAY(count, array) of tensors, or an fa_parameters: floating-point
 *  leaves, each once
 *  @param options    the options shown above; NULL for the defaults */
FA_API fa_optim *fa_optim_sgd(fa_parameters parameters, const fa_optim_sgd_options *options);
#define fa_optim_sgd(...) FA__CALL1(fa_optim_sgd, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__PARAMETERS, __VA_ARGS__)

/** Options of fa_optim_adam(). */
typedef struct fa_optim_adam_options {
    size_t size; /**< set by the macro */
    double lr;   /**< learning rate */
    double beta1,
        beta2;  /**< decay rates of the running means of the gradient and of its square: at least 0, less than 1 */
    double eps; /**< added to the denominator */
    double weight_decay; /**< L2 penalty: weight_decay * parameter is added to the gradient */
    bool amsgrad;        /**< divide by the root of the largest running mean of squares so far (Reddi et al. 2018) */
    bool maximize;       /**< maximize instead of minimize */
    bool master_weights; /**< f32 master weights and state for parameters in f16 and bf16, see above */
    bool stochastic_rounding; /**< stochastic rounding of parameters and state in bf16, see above */
    char fa__end;
} fa_optim_adam_options;
#define FA__DEFAULT_fa_optim_adam                                                                                      \
    {                                                                                                                  \
        offsetof(fa_optim_adam_options, fa__end), 1e-3, 0.9, 0.999, 1e-8, 0, false, false, false, false, 0             \
    }

/** Adam (Kingma and Ba 2015), as in PyTorch.
 *
 *      fa_optim_adam(net, .lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .weight_decay = 0,
 *          .amsgrad = false, .maximize = false, .master_weights = false, .stochastic_rounding = false)
 *
 *  @param parameters as for fa_optim_sgd()
 *  @param options    the options shown above; NULL for the defaults */
FA_API fa_optim *fa_optim_adam(fa_parameters parameters, const fa_optim_adam_options *options);
#define fa_optim_adam(...) FA__CALL1(fa_optim_adam, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__PARAMETERS, __VA_ARGS__)

/** Options of fa_optim_adamw(): those of fa_optim_adam(). */
typedef fa_optim_adam_options fa_optim_adamw_options;
#define FA__DEFAULT_fa_optim_adamw                                                                                     \
    {                                                                                                                  \
        offsetof(fa_optim_adam_options, fa__end), 1e-3, 0.9, 0.999, 1e-8, 1e-2, false, false, false, false, 0          \
    }

/** AdamW: Adam with decoupled weight decay, which multiplies the parameter by 1 - lr * weight_decay and does not
 *  affect the running means (Loshchilov and Hutter 2019), as in PyTorch.
 *
 *      fa_optim_adamw(net, .lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .weight_decay = 1e-2,
 *          .amsgrad = false, .maximize = false, .master_weights = false, .stochastic_rounding = false)
 *
 *  @param parameters as for fa_optim_sgd()
 *  @param options    the options shown above; NULL for the defaults */
FA_API fa_optim *fa_optim_adamw(fa_parameters parameters, const fa_optim_adamw_options *options);
#define fa_optim_adamw(...) FA__CALL1(fa_optim_adamw, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__PARAMETERS, __VA_ARGS__)

/** Options of fa_optim_rmsprop(). */
typedef struct fa_optim_rmsprop_options {
    size_t size;         /**< set by the macro */
    double lr;           /**< learning rate */
    double alpha;        /**< decay rate of the running mean of squares */
    double eps;          /**< added to the denominator */
    double weight_decay; /**< L2 penalty: weight_decay * parameter is added to the gradient */
    double momentum;     /**< momentum factor; 0: no momentum */
    bool centered;       /**< divide by the root of the variance, which also needs the running mean of the gradient */
    bool maximize;       /**< maximize instead of minimize */
    bool master_weights; /**< f32 master weights and state for parameters in f16 and bf16, see above */
    bool stochastic_rounding; /**< stochastic rounding of parameters and state in bf16, see above */
    char fa__end;
} fa_optim_rmsprop_options;
#define FA__DEFAULT_fa_optim_rmsprop                                                                                   \
    {                                                                                                                  \
        offsetof(fa_optim_rmsprop_options, fa__end), 1e-2, 0.99, 1e-8, 0, 0, false, false, false, false, 0             \
    }

/** RMSprop (Hinton 2012; centered: Graves 2013), as in PyTorch.
 *
 *      fa_optim_rmsprop(net, .lr = 1e-2, .alpha = 0.99, .eps = 1e-8, .weight_decay = 0, .momentum = 0,
 *          .centered = false, .maximize = false, .master_weights = false, .stochastic_rounding = false)
 *
 *  @param parameters as for fa_optim_sgd()
 *  @param options    the options shown above; NULL for the defaults */
FA_API fa_optim *fa_optim_rmsprop(fa_parameters parameters, const fa_optim_rmsprop_options *options);
#define fa_optim_rmsprop(...)                                                                                          \
    FA__CALL1(fa_optim_rmsprop, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__PARAMETERS, __VA_ARGS__)

/** Options of fa_optim_adagrad(). */
typedef struct fa_optim_adagrad_options {
    size_t size;                      /**< set by the macro */
    double lr;                        /**< learning rate */
    double lr_decay;                  /**< the learning rate after n steps is lr / (1 + n * lr_decay) */
    double weight_decay;              /**< L2 penalty: weight_decay * parameter is added to the gradient */
    double initial_accumulator_value; /**< initial value of the sum of squares */
    double eps;                       /**< added to the denominator */
    bool maximize;                    /**< maximize instead of minimize */
    bool master_weights;              /**< f32 master weights and state for parameters in f16 and bf16, see above */
    bool stochastic_rounding;         /**< stochastic rounding of parameters and state in bf16, see above */
    char fa__end;
} fa_optim_adagrad_options;
#define FA__DEFAULT_fa_optim_adagrad                                                                                   \
    {                                                                                                                  \
        offsetof(fa_optim_adagrad_options, fa__end), 1e-2, 0, 0, 0, 1e-10, false, false, false, 0                      \
    }

/** Adagrad (Duchi et al. 2011), as in PyTorch.
 *
 *      fa_optim_adagrad(net, .lr = 1e-2, .lr_decay = 0, .weight_decay = 0, .initial_accumulator_value = 0,
 *          .eps = 1e-10, .maximize = false, .master_weights = false, .stochastic_rounding = false)
 *
 *  @param parameters as for fa_optim_sgd()
 *  @param options    the options shown above; NULL for the defaults */
FA_API fa_optim *fa_optim_adagrad(fa_parameters parameters, const fa_optim_adagrad_options *options);
#define fa_optim_adagrad(...)                                                                                          \
    FA__CALL1(fa_optim_adagrad, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__PARAMETERS, __VA_ARGS__)

/* ---- steps ---- */

/** Removes the gradients of all parameters. */
FA_API bool fa_optim_zero_grad(fa_optim *optimizer);

/** Updates every parameter that has a gradient; the others are unchanged. The step is all or nothing: memory is
 *  allocated before the first write. On an asynchronous device, an error in a kernel (such as an index out of range)
 *  is reported later. Steps issued in the meantime do not change the parameters, but they are counted, which affects
 *  Adam's bias correction. If backward has added to the gradients of the step before, as without fa_optim_zero_grad(),
 *  it logs a warning, once in the process. It does not if the program has removed, replaced or overwritten them before
 *  that backward, as by fa_copy_(grad, 0) (but not through a pointer, fa_ptr()); a program that overwrites them behind
 *  backward says by fa_set_grad(t, fa_grad(t)) that it means to. Sharded parameters are not watched.
 *  @return false and an error, with no parameter changed; also if an error was set before */
FA_API bool fa_optim_step(fa_optim *optimizer);

/* ---- clipping gradients ---- */

/** Options of fa_clip_grad_norm(). */
typedef struct fa_clip_grad_norm_options {
    size_t size;             /**< set by the macro */
    double norm_type;        /**< order of the norm, as `p` of fa_norm(); infinity: the largest absolute value */
    bool error_if_nonfinite; /**< report an error if the norm is not finite; for this the host waits */
    char fa__end;
} fa_clip_grad_norm_options;
#define FA__DEFAULT_fa_clip_grad_norm                                                                                  \
    {                                                                                                                  \
        offsetof(fa_clip_grad_norm_options, fa__end), 2, false, 0                                                      \
    }

/** Clips the norm of all gradients together, like PyTorch's clip_grad_norm_: multiplies each by max_norm / (norm +
 *  1e-6) if that is less than 1. The host does not wait. If the norm is not finite, the gradients become 0 or NaN,
 *  unless error_if_nonfinite is set.
 *
 *      fa_tensor *norm = fa_clip_grad_norm(net, 1.0, .norm_type = 2, .error_if_nonfinite = false);
 *
 *  @param parameters as for fa_optim_sgd(); those without a gradient are ignored
 *  @param max_norm   maximum norm, at least 0; infinity: only compute the norm
 *  @param options    the options shown above; NULL for the defaults
 *  @return the norm before clipping, a tensor without dimensions on the device of the first gradient; 0 if there are
 *  no gradients. NULL and an error, with the gradients unchanged; also if an error was set before */
FA_API fa_tensor *fa_clip_grad_norm(fa_parameters parameters, double max_norm,
                                    const fa_clip_grad_norm_options *options);
#define fa_clip_grad_norm(...)                                                                                         \
    FA__CALL2(fa_clip_grad_norm, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__PARAMETERS, FA__SAME, __VA_ARGS__)

/** Clamps each element of the gradients of `parameters` to -clip_value..clip_value, where `clip_value` is 0 or more.
 *  NaN stays NaN. False and an error, with the gradients unchanged; also if an error was set before. */
FA_API bool fa_clip_grad_value(fa_parameters parameters, double clip_value);
#define fa_clip_grad_value(parameters, clip_value)                                                                     \
    FA__CALLED(fa_clip_grad_value(FA__PARAMETERS(parameters), clip_value))

/* ---- parameter groups ---- */

/** Options of fa_optim_add_group(): those of all optimizers. The default NaN means "as in group 0". */
typedef struct fa_optim_add_group_options {
    size_t size;                      /**< set by the macro */
    double lr;                        /**< as the option of the same name of the optimizer; so are all others */
    double momentum;                  /**< SGD and RMSprop */
    double dampening;                 /**< SGD */
    double weight_decay;              /**< all optimizers */
    double beta1;                     /**< Adam and AdamW */
    double beta2;                     /**< Adam and AdamW */
    double alpha;                     /**< RMSprop */
    double eps;                       /**< all except SGD */
    double lr_decay;                  /**< Adagrad */
    double initial_accumulator_value; /**< Adagrad */
    double nesterov;                  /**< SGD: true or false */
    double amsgrad;                   /**< Adam and AdamW: true or false */
    double centered;                  /**< RMSprop: true or false */
    double maximize;                  /**< all optimizers: true or false */
    double master_weights;            /**< all optimizers: true or false */
    double stochastic_rounding;       /**< all optimizers: true or false */
    char fa__end;
} fa_optim_add_group_options;
#define FA__UNSET __builtin_nan("")
#define FA__DEFAULT_fa_optim_add_group                                                                                 \
    {                                                                                                                  \
        offsetof(fa_optim_add_group_options, fa__end), FA__UNSET, FA__UNSET, FA__UNSET, FA__UNSET, FA__UNSET,          \
            FA__UNSET, FA__UNSET, FA__UNSET, FA__UNSET, FA__UNSET, FA__UNSET, FA__UNSET, FA__UNSET, FA__UNSET,         \
            FA__UNSET, FA__UNSET, 0                                                                                    \
    }

/** Adds parameters with options of their own. Options that are not given are those that the optimizer was created
 *  with. The parameters it was created with are group 0.
 *
 *      fa_optim *opt = fa_optim_sgd(body, .lr = 0.01, .momentum = 0.9, .weight_decay = 1e-4);
 *      fa_optim_add_group(opt, head, .lr = 0.1, .weight_decay = 0);
 *
 *  @param optimizer  the optimizer
 *  @param parameters as for fa_optim_sgd(), and not yet in the optimizer
 *  @param options    options of the group; NULL for none
 *  @return the number of the group, from 1; -1 and an error, with nothing changed, also for an option that this
 *  optimizer does not have */
FA_API int fa_optim_add_group(fa_optim *optimizer, fa_parameters parameters, const fa_optim_add_group_options *options);
#define fa_optim_add_group(...)                                                                                        \
    FA__CALL2(fa_optim_add_group, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__PARAMETERS, __VA_ARGS__)

/** The number of groups. -1 and an error for NULL. */
FA_API int fa_optim_groups(const fa_optim *optimizer);

/** The option `name` of a group, such as "lr" or "weight_decay"; true is 1. `group` counts from 0. NaN and an error
 *  if there is no such group or option. */
FA_API double fa_optim_option(const fa_optim *optimizer, int group, const char *name);
/** Sets the option `name` of a group to `value` (1 and 0 for true and false), from the next step on. `group` counts
 *  from 0. The optimizer's state is kept. False and an error, with nothing changed, for a value that the optimizer
 *  could not have been created with. */
FA_API bool fa_optim_set_option(fa_optim *optimizer, int group, const char *name, double value);

/** The learning rate of group 0; for others, use fa_optim_option(optimizer, 1, "lr"). NaN and an error for NULL. */
FA_API double fa_optim_lr(const fa_optim *optimizer);
/** Sets the learning rate of all groups to `lr`, 0 or more, from the next step on. */
FA_API bool fa_optim_set_lr(fa_optim *optimizer, double lr);
/** Makes a parameter group read its learning rate from a tensor when a step's kernels run (PyTorch: lr=tensor with
 *  capturable=True). `lr` is a 0-dimensional floating tensor on the device of the group's parameters; the optimizer
 *  keeps a reference to it. Other work on the device may change it between two steps, without a copy or a
 *  synchronization. While the tensor is set, fa_optim_set_lr(), fa_optim_set_option() and schedules write into it;
 *  fa_optim_lr() and saved states give the number that these functions set last. If `lr` is NULL, the group uses that
 *  number again.
 *  @return false and an error if there is no such group, or the tensor is not a floating one without dimensions */
FA_API bool fa_optim_set_lr_tensor(fa_optim *optimizer, int group, fa_tensor *lr);

/** Keeps step counts on the devices of the parameters, where Adam, AdamW and Adagrad compute from them what depends on
 *  the number of steps, such as Adam's bias correction (PyTorch: capturable=True). The host then passes no number that
 *  changes from step to step, so a step that is issued again on the device counts. A parameter's count is its own. A
 *  saved state reads the counts, which waits for the device. The default is false: the host counts.
 *  @return false and an error on failure */
FA_API bool fa_optim_set_capturable(fa_optim *optimizer, bool capturable);

/* ---- optimizer state ---- */

/** The kind of an optimizer: "sgd", "adam", "adamw", "rmsprop" or "adagrad". "" and an error for NULL. */
FA_API const char *fa_optim_kind(const fa_optim *optimizer);

/** The state of an optimizer for a `parameter`, a tensor of the parameter's shape. `name` is "momentum_buffer" for
 *  SGD and RMSprop; "exp_avg", "exp_avg_sq" or "max_exp_avg_sq" for Adam and AdamW; "square_avg" or "grad_avg" for
 *  RMSprop; "sum" for Adagrad; "master_weight" with master weights. It is not a copy, and the caller gets no
 *  reference: it is freed with the optimizer, or when another state is loaded. NULL, without an error, before the first
 *  step of the parameter; NULL and an error if the optimizer has no such state. */
FA_API fa_tensor *fa_optim_state(const fa_optim *optimizer, const fa_tensor *parameter, const char *name);

/* ---- saving and restoring the state ---- */

/** A list of named numbers. */
typedef struct fa_numbers {
    size_t count;            /**< number of items */
    const double *item;      /**< the numbers, all finite */
    const char *const *name; /**< their names */
} fa_numbers;

/** The state of an optimizer or schedule, under names that stay the same in future versions. To resume training
 *  bit-identically, store the numbers exactly (as f64 tensors, or with 17 digits) and the tensors in their dtype.
 *  fa_checkpoint_save() does this. */
typedef struct fa_state_dict {
    const char *kind;      /**< fa_optim_kind() or fa_schedule_kind(); NULL after an error */
    fa_parameters tensors; /**< tensors, with names such as "state.3.exp_avg" */
    fa_numbers numbers;    /**< numbers, with names such as "group.0.lr" and "state.3.step" */
} fa_state_dict;

/** The state of an optimizer. Lists, names and references to the tensors belong to the current scope. The tensors are
 *  those of the optimizer, not copies: write or copy them before the next step.
 *
 *  - "groups" is the number of groups. Each group has "group.0.parameters", the number of its parameters, its
 *    options, such as "group.0.lr", and "group.0.initial_lr" if it has had a schedule.
 *  - Parameters are numbered across all groups. Each has "state.3.step", the number of its steps, and
 *    "state.3.tensors", the number of its state tensors.
 *  - The tensors are those of fa_optim_state(), under names such as "state.3.exp_avg". A parameter that has not been
 *    updated yet has none.
 *  @return the state; kind is NULL after an error */
FA_API fa_state_dict fa_optim_state_dict(const fa_optim *optimizer);

/** Loads a `state` into an optimizer that was created in the same way: the same number of groups, with parameters of
 *  the same shapes in the same order. It need not have made a step. Replaces its options, learning rates, step counts
 *  and state; tensors are copied to the devices of the parameters, and to the dtypes that the state has. Create
 * schedules before this call, as creating one changes the learning rates. The order of names does not matter.
 *  @return false and an error that names what is missing, unexpected or invalid, with nothing changed; also if an
 *  error was set before */
FA_API bool fa_optim_load_state_dict(fa_optim *optimizer, const fa_state_dict *state);

/** @} */

FA__END
#endif
