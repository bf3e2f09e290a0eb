/** @file
 *  Optimizers: they change parameters by their gradients, in one pass over all of them.
 *
 *      fa_optim *opt = fa_optim_sgd(net, .lr = 0.01, .momentum = 0.9);
 *      fa_optim_zero_grad(opt);
 *      fa_backward(loss);
 *      fa_optim_step(opt);
 *
 *  An optimizer holds its parameters, in the state that it keeps for each: on the parameter's device, in its dtype,
 *  and following it when it moves. It belongs to the innermost scope. One optimizer is for one thread at a time, and
 * its parameters are not used by others during a step. */
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
    double dampening;    /**< how much of the gradient is left out of the direction, but for the first step */
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

/** Takes the gradients of the parameters away. */
FA_API bool fa_optim_zero_grad(fa_optim *optimizer);

/** Changes every parameter that has a gradient; the others are left alone. All or nothing: all memory is taken before
 *  the first write. On a device that works while the host goes on, steps behind a fault (an index out of range in a
 *  kernel) change nothing until it is reported, but the host has counted them: Adam's correction of its first means is
 *  that of a later step.
 *  @return false and an error, with no parameter changed; also while an error stood before */
FA_API bool fa_optim_step(fa_optim *optimizer);

/** The learning rate. NaN for NULL. */
FA_API double fa_optim_lr(const fa_optim *optimizer);
/** Changes the learning rate to lr, 0 or more, from the next step on. */
FA_API bool fa_optim_set_lr(fa_optim *optimizer, double lr);

/** What an optimizer keeps for a parameter under a name: "momentum_buffer" of SGD, "exp_avg", "exp_avg_sq" and
 * "max_exp_avg_sq" of Adam, in the parameter's shape. It stays the optimizer's: not a copy, and gone with it. NULL,
 * without an error, before the parameter's first step; NULL and an error for what is not kept. */
FA_API fa_tensor *fa_optim_state(const fa_optim *optimizer, const fa_tensor *parameter, const char *name);

FA__END
#endif
