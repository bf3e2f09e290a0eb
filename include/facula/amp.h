/** @file
 *  Mixed precision training: gradient scaling.
 *
 *  `FA_USE(.autocast = FA_F16)` runs matrix products and convolutions in f16. Small gradients then underflow to 0, so
 *  the loss is multiplied by a scale before the backward pass, and the gradients are divided by it before the step. A
 *  step whose gradients overflowed is skipped, and the scale is reduced. The names and rules are those of PyTorch's
 *  torch.amp.GradScaler. With FA_BF16, which has the exponents of f32, no scaler is needed.
 *
 *      fa_scaler *scaler = fa_amp_scaler();
 *      FA_EACH(batch, loader) {
 *          fa_tensor *loss;
 *          fa_optim_zero_grad(opt);
 *          {
 *              FA_USE(.autocast = FA_F16);
 *              loss = fa_cross_entropy(fa_forward(net, batch.input), batch.target);
 *          }
 *          fa_backward(fa_scaler_scale(scaler, loss));
 *          fa_scaler_step(scaler, opt);
 *          fa_scaler_update(scaler);
 *      }
 *
 *  The scale, and whether gradients overflowed, stay on the device: no call here waits for it, except where its
 *  description says so. A scaler belongs to the innermost scope, and is used by one thread at a time. */
#ifndef FACULA_AMP_H
#define FACULA_AMP_H
#include <facula/optim.h>

FA__BEGIN

/** @defgroup amp Mixed precision
 *  @{ */

typedef struct fa_scaler fa_scaler; /**< a gradient scaler */

/** Options of fa_amp_scaler(). */
typedef struct fa_amp_scaler_options {
    size_t size;             /**< set by the macro */
    double init_scale;       /**< initial scale, more than 0: a normal number of f32 */
    double growth_factor;    /**< the scale is multiplied by it after growth_interval steps without overflow; above 1.
                                  Factors are rounded to f32 */
    double backoff_factor;   /**< the scale is multiplied by it after a step with overflow; between 0 and 1 */
    int64_t growth_interval; /**< number of consecutive steps without overflow before the scale grows; 1 to 2^48 */
    double min_scale; /**< an overflow does not make the scale less than this; more than 0 (PyTorch's has no limit) */
    bool enabled;     /**< false: losses are not scaled, and fa_scaler_step() is fa_optim_step() */
    char fa__end;
} fa_amp_scaler_options;
#define FA__DEFAULT_fa_amp_scaler                                                                                      \
    {                                                                                                                  \
        offsetof(fa_amp_scaler_options, fa__end), 65536, 2, 0.5, 2000, 0x1p-24, true, 0                                \
    }

/** Creates a gradient scaler.
 *
 *      fa_amp_scaler(.init_scale = 65536, .growth_factor = 2, .backoff_factor = 0.5, .growth_interval = 2000,
 *          .min_scale = 0x1p-24, .enabled = true)
 *
 *  @param options the options shown above; NULL for the defaults
 *  @return the scaler; NULL and an error if an option is out of range */
FA_API fa_scaler *fa_amp_scaler(const fa_amp_scaler_options *options);
#define fa_amp_scaler(...) FA__CALL0(fa_amp_scaler, FA__NAMED0(, ##__VA_ARGS__, ., .), FA__OPTIONS(__VA_ARGS__))

/* Lets agree(context, found) change `found`, 1 or 0 without dimensions, before it decides about a step. The scaler
 * holds a reference to the context, an object or NULL. NULL for `agree` ends it. */
FA_API bool fa__scaler_agree(fa_scaler *scaler, bool (*agree)(void *context, fa_tensor *found), void *context);

/** `loss` multiplied by the scale, on the loss's device: call fa_backward() on the result. An f16 loss without
 *  dimensions becomes f32. If several losses contribute to the same gradients, scale each of them.
 *  @return the scaled loss, a new tensor; the loss itself if the scaler is not enabled; NULL and an error on failure */
FA_API fa_tensor *fa_scaler_scale(fa_scaler *scaler, fa_tensor *loss);

/** Divides the gradients of the optimizer's parameters by the scale, and checks whether all were finite. Call it
 *  before fa_scaler_step() only to look at the gradients or to clip them; otherwise fa_scaler_step() does it. With
 *  gradient accumulation, call it after the last backward pass.
 *  @return false and an error, with the gradients unchanged, if a gradient is f16, if none exists, or if it was called
 *  for this optimizer, or fa_scaler_step() was, since the last fa_scaler_update() */
FA_API bool fa_scaler_unscale(fa_scaler *scaler, fa_optim *optimizer);

/** fa_optim_step() with unscaled gradients; a step in which a gradient was not finite changes nothing, and is not
 *  counted by Adam. Parameters on GPUs and `late` make the optimizer capturable (fa_optim_set_capturable()), as the
 *  host does not know whether the step is skipped.
 *  @return false and an error, with no parameter changed; also if it was called for this optimizer since the last
 *  fa_scaler_update(). A skipped step is not an error */
FA_API bool fa_scaler_step(fa_scaler *scaler, fa_optim *optimizer);

/** Options of fa_scaler_update(). */
typedef struct fa_scaler_update_options {
    size_t size;      /**< set by the macro */
    double new_scale; /**< 0: the rule below; otherwise the scale is set to this, more than 0 */
    char fa__end;
} fa_scaler_update_options;
#define FA__DEFAULT_fa_scaler_update                                                                                   \
    {                                                                                                                  \
        offsetof(fa_scaler_update_options, fa__end), 0, 0                                                              \
    }

/** Adjusts the scale; call it once after the steps of all optimizers. If a gradient of any of them was not finite, the
 *  scale is multiplied by backoff_factor. After growth_interval consecutive updates without that, it is multiplied by
 *  growth_factor, unless the result would not be finite.
 *
 *      fa_scaler_update(scaler, .new_scale = 0)
 *
 *  @param scaler  the scaler
 *  @param options the options shown above; NULL for the defaults
 *  @return false and an error; also if no fa_scaler_step() or fa_scaler_unscale() came before it, unless new_scale is
 *  given */
FA_API bool fa_scaler_update(fa_scaler *scaler, const fa_scaler_update_options *options);
#define fa_scaler_update(...) FA__CALL1(fa_scaler_update, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** The scale; 1 if the scaler is not enabled. Waits for the device. NaN and an error on failure. */
FA_API double fa_scaler_get_scale(const fa_scaler *scaler);
/** Whether the scaler is enabled. False and an error for NULL. */
FA_API bool fa_scaler_is_enabled(const fa_scaler *scaler);

/** The growth factor: what the scale is multiplied by after growth_interval updates without overflow. NaN and an error
 *  for NULL. */
FA_API double fa_scaler_get_growth_factor(const fa_scaler *scaler);
/** Sets the growth `factor`, which is finite and more than 1, from the next fa_scaler_update() on, also if the scaler
 * is not enabled. A graph (graph.h) keeps the factors and the interval with which it was recorded.
 *  @return false and an error, and nothing is changed, for another value */
FA_API bool fa_scaler_set_growth_factor(fa_scaler *scaler, double factor);
/** The backoff factor: what the scale is multiplied by after an overflow. NaN and an error for NULL. */
FA_API double fa_scaler_get_backoff_factor(const fa_scaler *scaler);
/** Sets the backoff `factor`, which is between 0 and 1. Otherwise like fa_scaler_set_growth_factor(). */
FA_API bool fa_scaler_set_backoff_factor(fa_scaler *scaler, double factor);
/** The growth interval: how many consecutive updates without overflow make the scale grow. 0 and an error for NULL. */
FA_API int64_t fa_scaler_get_growth_interval(const fa_scaler *scaler);
/** Sets the growth `interval`, which is 1 or more. Updates without overflow so far count: if they are as many already,
 *  the scale grows in the next one. Otherwise like fa_scaler_set_growth_factor(). */
FA_API bool fa_scaler_set_growth_interval(fa_scaler *scaler, int64_t interval);

/** The state of a scaler: numbers named "scale", "growth_factor", "backoff_factor", "growth_interval", "min_scale" and
 *  "growth_tracker", the number of updates since the last change; no numbers if the scaler is not enabled. Save it
 * after fa_scaler_update(). Waits for the device; otherwise like fa_optim_state_dict(). fa_checkpoint_save() includes
 * it. */
FA_API fa_state_dict fa_scaler_state_dict(const fa_scaler *scaler);
/** Loads a `state`, including the factors; a scaler that is not enabled takes nothing of it. The state of one that was
 * not enabled is an error for one that is. Otherwise like fa_optim_load_state_dict(). */
FA_API bool fa_scaler_load_state_dict(fa_scaler *scaler, const fa_state_dict *state);

/** @} */

FA__END
#endif
