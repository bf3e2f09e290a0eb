/** @file
 *  Automatic differentiation. Operations on tensors that require gradients are recorded in a graph, except under
 *  FA_USE(.no_grad = true); fa_backward() computes gradients from it. */
#ifndef FACULA_AUTOGRAD_H
#define FACULA_AUTOGRAD_H
#include <facula/nn.h>
#include <facula/types.h>

FA__BEGIN

/** @defgroup autograd Automatic differentiation
 *  @{ */

/** Sets whether a leaf, or each tensor of an fa_tensors or fa_parameters, accumulates gradients; affects operations
 * already recorded too. Returns false and FA_ERROR_DTYPE for a tensor that is not floating point, or FA_ERROR_GRADIENT
 * if `requires_grad` is false and t is the result of a recorded operation: use fa_detach() for that. */
FA_API bool fa_set_requires_grad(fa_tensor *t, bool requires_grad);
FA_API bool fa__set_requires_grad_all(fa_tensors list, bool requires_grad);
static inline bool fa__set_requires_grad_named(fa_parameters list, bool requires_grad)
{
    return fa__set_requires_grad_all(fa__array_of_tensors(list.count, list.item), requires_grad);
}
#ifdef __cplusplus
}
static inline bool fa__set_requires_grad(fa_tensor *t, bool requires_grad)
{
    return fa_set_requires_grad(t, requires_grad);
}
static inline bool fa__set_requires_grad(fa_tensors list, bool requires_grad)
{
    return fa__set_requires_grad_all(list, requires_grad);
}
static inline bool fa__set_requires_grad(fa_parameters list, bool requires_grad)
{
    return fa__set_requires_grad_named(list, requires_grad);
}
#define fa_set_requires_grad(t, requires_grad) FA__CALLED(fa__set_requires_grad(t, requires_grad))
extern "C" {
#else
#define fa_set_requires_grad(t, requires_grad)                                                                         \
    FA__CALLED(_Generic((t), fa_tensor *: fa_set_requires_grad, void *: fa_set_requires_grad,                          \
                        fa_tensors: fa__set_requires_grad_all,                                                         \
                        fa_parameters: fa__set_requires_grad_named)(t, requires_grad))
#endif
/** Returns true if gradients flow to a tensor: a leaf that accumulates them, or the result of a recorded operation. */
FA_API bool fa_requires_grad(const fa_tensor *t);
/** Returns true if a tensor is a leaf, that is, not the result of a recorded operation. */
FA_API bool fa_is_leaf(const fa_tensor *t);
/** The gradient of a leaf, or of another tensor after fa_retain_grad(). NULL, without an error, if there is none. It
 *  is the tensor that fa_backward() accumulates into, not a copy; the current scope gets a reference to it. Its dtype
 *  is that of the tensor, and f32 for f8, of which no sums are computed. */
FA_API fa_tensor *fa_grad(const fa_tensor *t);
/** Replaces the gradient of a leaf by `grad`, to which the leaf then holds a reference; NULL removes the gradient.
 *  Works even if an error is set. FA_ERROR_GRADIENT if the shape, dtype or device is not that of the leaf (for f8, the
 *  dtype f32). */
FA_API bool fa_set_grad(fa_tensor *t, fa_tensor *grad);
/** Makes the next fa_backward() keep the gradient of a tensor that is not a leaf. FA_ERROR_GRADIENT if the tensor
 *  does not require a gradient. Does nothing for a leaf. */
FA_API bool fa_retain_grad(fa_tensor *t);
/* Changes a count. While it is above 0, backward passes run the hooks of a leaf as soon as its gradient is complete,
 * and not behind all other nodes. */
FA_API void fa__hooks_early(int change);
/* To be called in a hook: function(context, good) is called when the outermost backward pass of this thread ends, with
 * `good` false if it failed; its result is that of the pass. */
FA_API bool fa__after_backward(bool (*function)(void *context, bool good), void *context);
/* What an optimizer remembers of the gradient that its last step used; zero before the first. */
typedef struct fa__grad_use {
    bool stepped;
    uint32_t life, sums;
} fa__grad_use;
/* To be called behind a step that used the gradient of t. Logs a warning, once, if backward has added to this gradient
 * since the last call with `use`, and the program has not removed, replaced or modified it before that. */
FA_API void fa__grad_was_used(fa_tensor *t, fa__grad_use *use);
/* Whether this thread runs a forward function for fa_apply(), where gradients are off although it may be training. */
FA_API bool fa__in_apply(void);
/* Makes t, a leaf or an earlier result of this, a copy of `source` that was recorded now: gradients of t go to source,
 * converted to its dtype and device. Without recording, or if no gradients flow to source or it is NULL, t becomes a
 * constant. Elements do not change. No other thread may use t. */
FA_API bool fa__link(fa_tensor *t, fa_tensor *source);
/** How often the memory of a tensor was modified in place, through the tensor or any of its views; -1 for NULL. */
FA_API int64_t fa_tensor_version(const fa_tensor *t);

/** Options of fa_backward. */
typedef struct fa_backward_options {
    size_t size;       /**< set by the macro */
    fa_tensor *grad;   /**< gradient with respect to t, in t's shape; NULL: 1, for a t with one element */
    bool retain_graph; /**< keep the graph, so that backward can run again */
    bool create_graph; /**< record the backward pass itself, for higher derivatives; implies retain_graph */
    char fa__end;
} fa_backward_options;
#define FA__DEFAULT_fa_backward                                                                                        \
    {                                                                                                                  \
        offsetof(fa_backward_options, fa__end), NULL, false, false, 0                                                  \
    }

/** Computes the gradients of t with respect to all leaves it depends on, adds them to the leaves' gradients
 *  (reverse-mode differentiation: Linnainmaa 1976), and frees the graph. Several threads may call it at the same
 *  time, even for the same leaves.
 *
 *      fa_backward(loss, .grad = NULL, .retain_graph = false, .create_graph = false)
 *
 *  With .create_graph, the gradient stored in a leaf refers to its graph, and that refers to the leaf: a reference
 *  cycle, which keeps both alive until fa_set_grad(t, NULL). The first such cycle is logged as a warning.
 *  fa_grad_of() avoids it, as it stores nothing in leaves.
 *
 *  Where gradients of several devices are ready, as behind fa_data_parallel(), each device gets a thread: the calling
 *  one computes those of the CPU, or else of the device of t, and runs all hooks. Gradients are added in the same order
 *  as by one thread, so they have the same bits, and an error is the one that it would have met, with the name of the
 *  device. There is one thread for all if a recorded graph or fa_dist_data_parallel() is in use, and for backward in
 *  callbacks of backward.
 *  @return false and an error. If the error was set before the call, all gradients are unchanged; if it occurs during
 *  the call, some leaves may have been updated */
FA_API bool fa_backward(const fa_tensor *t, const fa_backward_options *options);
#define fa_backward(...) FA__CALL1(fa_backward, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** Options of fa_grad_of. */
typedef struct fa_grad_of_options {
    size_t size; /**< set by the macro */
    fa_tensors
        grad_outputs;  /**< one gradient for each output; empty: 1 for each output, which must have one element then */
    bool retain_graph; /**< keep the graph, so that backward can run again */
    bool create_graph; /**< record the backward pass itself; implies retain_graph */
    bool allow_unused; /**< return NULL, instead of an error, for an input that the outputs do not depend on */
    char fa__end;
} fa_grad_of_options;
#define FA__DEFAULT_fa_grad_of                                                                                         \
    {                                                                                                                  \
        offsetof(fa_grad_of_options, fa__end), {0, NULL}, false, false, false, 0                                       \
    }

/** The gradients of the sum of `outputs` with respect to `inputs`, which need not be leaves. No leaf's gradient
 *  changes.
 *
 *      fa_grad_of(outputs, inputs, .grad_outputs, .retain_graph = false, .create_graph = false, .allow_unused = false)
 *      fa_grad_of(FA_TENSORS(loss), FA_TENSORS(x, y), .create_graph = true)
 *  @return one gradient for each input, in the input's shape; the array belongs to the current scope. After an error,
 *  count is 0 */
FA_API fa_tensors fa_grad_of(fa_tensors outputs, fa_tensors inputs, const fa_grad_of_options *options);
#ifdef __cplusplus
#define fa_grad_of(...)                                                                                                \
    FA__CALL2(fa_grad_of, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__TENSOR_LIST, FA__TENSOR_LIST, __VA_ARGS__)
#else
#define fa_grad_of(outputs, ...)                                                                                       \
    FA__CALL2(fa_grad_of, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__TENSOR_LIST, FA__TENSOR_LIST, outputs, __VA_ARGS__)
#endif

/** A function whose gradients are checked: returns a tensor that it computes from `inputs`; NULL after fa_fail(). */
typedef fa_tensor *fa_gradcheck_function(void *context, fa_tensors inputs);

/** Options of fa_gradcheck. */
typedef struct fa_gradcheck_options {
    size_t size;   /**< set by the macro */
    void *context; /**< passed to the function */
    double eps;    /**< what is added to each element of the inputs, and subtracted from it; more than 0 */
    double atol;   /**< tolerance of each element of a gradient */
    double rtol;   /**< and in proportion to the difference */
    char fa__end;
} fa_gradcheck_options;
#define FA__DEFAULT_fa_gradcheck                                                                                       \
    {                                                                                                                  \
        offsetof(fa_gradcheck_options, fa__end), NULL, 1e-6, 1e-5, 1e-3, 0                                             \
    }

/** Compares the gradients of a function with finite differences, (f(x + eps) - f(x - eps)) / (2 eps), for all elements
 *  of the result and of the inputs that require a gradient: for tests of gradients of one's own. A gradient g and a
 *  difference d agree if |g - d| <= atol + rtol * |d|.
 *
 *      fa_gradcheck(f, FA_TENSORS(x, y), .context = NULL, .eps = 1e-6, .atol = 1e-5, .rtol = 1e-3)
 *
 *  The function is called twice for each element of the inputs, which hold other values then, and their own again
 *  afterwards. It has to give the same result for the same inputs each time: no dropout in training mode. Parameters of
 *  a module that it runs may be among the inputs.
 *  @param function computes a tensor of the inputs
 *  @param inputs   tensors, those that require a gradient in f64
 *  @param options  the options shown above; NULL for the defaults
 *  @return false and an error: FA_ERROR_GRADIENT names the first element whose gradient differs, and both values; they
 *  are counted in row-major order */
FA_API bool fa_gradcheck(fa_gradcheck_function *function, fa_tensors inputs, const fa_gradcheck_options *options);
#define fa_gradcheck(...)                                                                                              \
    FA__CALL2(fa_gradcheck, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__TENSOR_LIST, __VA_ARGS__)

/** A hook that receives a gradient, in the thread that runs fa_backward(). It runs in a scope of its own, and may
 *  call fa_fail() to abort the backward pass.
 *  @return NULL to leave the gradient unchanged, or a tensor of the same shape that replaces it */
typedef fa_tensor *fa_hook(fa_tensor *grad, void *context);

/** Adds a hook that is called as `hook(grad, context)` when a gradient of t has been computed: for a leaf, before it
 *  is added to fa_grad(t); for another tensor, before it is propagated further. Hooks run in the order in which they
 *  were added, until fa_unhook() or until the tensor and its graph are freed; `context` must stay valid that long. A
 *  hook added by a hook is called from the next gradient on. Must not be called while another thread runs a backward
 *  pass through t.
 *  @return a number for fa_unhook(); 0 and an error on failure */
FA_API int64_t fa_hook_grad(fa_tensor *t, fa_hook *hook, void *context);
/** Adds a hook that is called as `hook(grad, context)` with the accumulated gradient of a leaf, fa_grad(t), after
 *  fa_backward() has added to it. Its return value is ignored. Otherwise like fa_hook_grad().
 *  @return a number for fa_unhook(); 0 and an error on failure: FA_ERROR_GRADIENT if t is not a leaf */
FA_API int64_t fa_hook_after(fa_tensor *t, fa_hook *hook, void *context);
/** Removes a hook of t; `hook` is the number that fa_hook_grad() or fa_hook_after() returned. Its context is not used
 *  any more. A hook may call this while it runs; another thread must not call it while a backward pass runs through
 *  t. FA_ERROR_ARGUMENT if t has no such hook. */
FA_API bool fa_unhook(fa_tensor *t, int64_t hook);

/** A user-defined differentiable function. */
typedef struct fa_function {
    const char *name; /**< name for messages; must live as long as the graph: a string literal */
    /** Computes the result; returns NULL after fa_fail(). Its operations are not recorded. */
    fa_tensor *(*forward)(void *context, fa_tensors inputs);
    /** Sets grad_inputs[i] to the gradient of input i, or leaves it NULL, and returns true; returns false after
     *  fa_fail(). Its operations are recorded if create_graph is set, and run under the .autocast that was in force
     *  in fa_apply(). `saved` holds the inputs, followed by the result. It is called in the thread that runs
     *  fa_backward(), or in that of the device of its result; then random numbers follow from those of the former. */
    bool (*backward)(void *context, fa_tensors saved, fa_tensor *grad, fa_tensor **grad_inputs);
    /** Called once, from any thread, when the graph no longer needs the context; may be NULL. */
    void (*release)(void *context);
    /** In place of `forward`, for several results or tensors to save: stores the results in `out`, followed by what
     *  backward needs besides inputs and results. Returns false after fa_fail(). */
    bool (*forward_all)(void *context, fa_tensors inputs, fa_tensor **out);
    /** In place of `backward`, with the gradient of each result. `saved` holds the inputs, the results, and what
     *  forward_all saved, which is a constant in gradients of gradients. */
    bool (*backward_all)(void *context, fa_tensors saved, fa_tensors grads, fa_tensor **grad_inputs);
    int results;     /**< how many results forward_all stores: 1 to 4 */
    int saves;       /**< how many tensors it saves: up to 8 */
    bool null_grads; /**< of a result that has no gradient, `grads` holds NULL, and not zeros */
} fa_function;

/** Applies a user-defined function: runs `forward`, and records it so that fa_backward() calls `backward`.
 *  @param function the function; the struct is copied
 *  @param context  passed to its callbacks; released with the graph, or at once if nothing was recorded. As the graph
 *  lives as long as its results, what the context points to must outlive their scope
 *  @param inputs   up to 8 tensors
 *  @return the result of `forward`, owned by the current scope; NULL and an error on failure, also if `forward`
 *  returned NULL */
FA_API fa_tensor *fa_apply(const fa_function *function, void *context, fa_tensors inputs);

/** As fa_apply() of `function` with its `context` and `inputs`, with all its results. After an error, count is 0. */
FA_API fa_tensors fa_apply_all(const fa_function *function, void *context, fa_tensors inputs);

FA_API fa_tensor *fa__checkpoint(fa_module *module, fa_tensors inputs);
/** Activation checkpointing (arXiv:1604.06174): runs a module on up to 7 inputs, as fa_forward() does, but keeps none
 * of its intermediate results for backward. Instead, fa_backward() runs the module again. A network of n such parts
 * needs the memory of one of them and of n outputs, for one more forward pass.
 *
 *      h = fa_checkpoint(block, x);
 *
 *  The second run draws the same random numbers, has the settings of the first (such as .autocast), and leaves the
 *  module's buffers, such as running statistics, as they are. Hooks of the module run in both.
 *
 *  Gradients of parameters are added to those of the leaves by fa_backward(); fa_grad_of() gives the inputs' only.
 *  fa_backward() fails with FA_ERROR_GRADIENT if a parameter or the training mode of the module has been changed since,
 * or with .create_graph. Returns NULL and an error if the module fails. */
#define fa_checkpoint(module, ...) FA__CALLED(fa__checkpoint(module, FA_TENSORS(__VA_ARGS__)))

/** @} */

FA__END
#endif
