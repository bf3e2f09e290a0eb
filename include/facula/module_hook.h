/** @file
 *  Functions that are called when a module runs: to look at what goes in and out, forward and backward, or to change
 * it.
 *
 *      static fa_tensor *show(fa_module *m, fa_tensors inputs, fa_tensor *output, void *context)
 *      {
 *          fa_fprint(context, fa_mean(output));
 *          return NULL;
 *      }
 *      int64_t number = fa_module_hook_forward(fa_module_child(net, "features"), show, stdout);
 *      fa_forward(net, x);
 *      fa_module_unhook(fa_module_child(net, "features"), number);
 *
 *  Hooks of a kind are called in the order in which they were added; what a hook adds is called from the next time on.
 *  They may remove themselves and each other. What `context` points to lives as long as the hook does: until
 *  fa_module_unhook(), or until the module goes, which graphs that were recorded with backward hooks hold. A hook may
 *  raise an error with fa_fail(), which ends what was running. Hooks are added and removed while no other thread uses
 *  the module. */
#ifndef FACULA_MODULE_HOOK_H
#define FACULA_MODULE_HOOK_H
#include <facula/nn.h>

FA__BEGIN

/** Called with the `count` inputs of `module` before it runs; may put other tensors in their places. */
typedef void fa_forward_pre_hook(fa_module *module, fa_tensor **inputs, size_t count, void *context);
/** Called with what `module` was run with, and what it gave.
 *  @return the result in its place, or NULL to leave it */
typedef fa_tensor *fa_forward_hook(fa_module *module, fa_tensors inputs, fa_tensor *output, void *context);
/** Called in backward with the gradient of the result of `module`, before it goes into the module.
 *  @return the gradient to go on with, of the same shape, or NULL to leave it */
typedef fa_tensor *fa_backward_pre_hook(fa_module *module, fa_tensor *grad_output, void *context);
/** Called in backward for each input of `module` through which a gradient came: with its number, the gradient, which is
 *  the part that came through this run of the module alone, and the gradient of the result, without history. Where no
 * input needs gradients it is called once, as for input 0, with a `grad_input` of NULL.
 *  @return the gradient to go on with, of the same shape, or NULL to leave it */
typedef fa_tensor *fa_backward_hook(fa_module *module, size_t input, fa_tensor *grad_input, fa_tensor *grad_output,
                                    void *context);

/** Calls `hook(module, ..., context)` before each run of the module. Returns a number for fa_module_unhook(), or 0 and
 *  an error. */
FA_API int64_t fa_module_hook_forward_pre(fa_module *module, fa_forward_pre_hook *hook, void *context);
/** Calls `hook(module, ..., context)` after each run of the module. Returns a number for fa_module_unhook(), or 0 and
 * an error. */
FA_API int64_t fa_module_hook_forward(fa_module *module, fa_forward_hook *hook, void *context);
/** Calls `hook(module, ..., context)` in backward before that of what the module did, if it was recorded after this
 *  call. Returns a number for fa_module_unhook(), or 0 and an error. */
FA_API int64_t fa_module_hook_backward_pre(fa_module *module, fa_backward_pre_hook *hook, void *context);
/** Calls `hook(module, ..., context)` in backward after that of what the module did, if it was recorded after this
 * call. What the module is given cannot be changed in place by it then. Returns a number for fa_module_unhook(), or 0
 * and an error. */
FA_API int64_t fa_module_hook_backward(fa_module *module, fa_backward_hook *hook, void *context);
/** Removes the hook of the module that has this number: `hook` is what the functions above returned. FA_ERROR_ARGUMENT
 *  when it has none such. */
FA_API bool fa_module_unhook(fa_module *module, int64_t hook);

FA__END
#endif
