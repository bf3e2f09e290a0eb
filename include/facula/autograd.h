/** @file
 *  Gradients: recording is on unless FA_USE(.no_grad = true); fa_backward walks what was recorded. */
#ifndef FACULA_AUTOGRAD_H
#define FACULA_AUTOGRAD_H
#include <facula/types.h>

FA__BEGIN

/** Makes a leaf collect gradients (requires_grad), or stop, also for what was recorded before. FA_ERROR_DTYPE for a
 * tensor that is not floating, FA_ERROR_GRADIENT for a recorded result that is to stop: fa_detach() cuts it off. */
FA_API bool fa_set_requires_grad(fa_tensor *t, bool requires_grad);
/** Whether gradients flow through a tensor: a leaf that collects them, or a result that was recorded. */
FA_API bool fa_requires_grad(const fa_tensor *t);
/** Whether a tensor was made by the program and not by a recorded operation. */
FA_API bool fa_is_leaf(const fa_tensor *t);
/** The gradient of a leaf, or of a result after fa_retain_grad; NULL, without an error, when there is none. It is the
 *  tensor that fa_backward adds to, not a copy; the scope gets a reference to it. */
FA_API fa_tensor *fa_grad(const fa_tensor *t);
/** Puts `grad` in the place of a leaf's gradient, which holds it from now on; NULL takes the gradient away. Works while
 * an error stands. FA_ERROR_GRADIENT when its shape, dtype or device is not the leaf's. */
FA_API bool fa_set_grad(fa_tensor *t, fa_tensor *grad);
/** Keeps the gradient of a result that is not a leaf at the next backward. FA_ERROR_GRADIENT when none flows through
 * it; nothing to do for a leaf. */
FA_API bool fa_retain_grad(fa_tensor *t);
/** How often the memory of a tensor was changed in place, through it or any view of it; -1 for NULL. */
FA_API int64_t fa_tensor_version(const fa_tensor *t);

/** Options of fa_backward. */
typedef struct fa_backward_options {
    size_t size;       /**< set by the macro */
    fa_tensor *grad;   /**< the gradient to start from, in t's shape; NULL: 1, for one element */
    bool retain_graph; /**< keep what backward needs, for another time */
    bool create_graph; /**< record backward itself, for gradients of gradients; keeps the graph too */
    char fa__end;
} fa_backward_options;
#define FA__DEFAULT_fa_backward                                                                                        \
    {                                                                                                                  \
        offsetof(fa_backward_options, fa__end), NULL, false, false, 0                                                  \
    }

/** Adds the gradient of t with respect to every leaf it was computed from to that leaf's gradient (reverse mode:
 *  Linnainmaa 1976), and frees what was recorded for it. Several threads may do so at once, into the same leaves too.
 *
 *      fa_backward(loss, .grad = NULL, .retain_graph = false, .create_graph = false)
 *
 *  With .create_graph a gradient that is kept in a tensor holds the graph that it came from, and so that tensor: a
 *  cycle, which lives until fa_set_grad(t, NULL) opens it. The log warns of the first one. Leaves
 *  keep nothing of fa_grad_of.
 *  @return false and an error. One that stood before leaves all gradients as they were; one that comes up on the way
 *  may have been added to some */
FA_API bool fa_backward(const fa_tensor *t, const fa_backward_options *options);
#define fa_backward(...) FA__CALL1(fa_backward, FA__SAME, __VA_ARGS__)

/** Options of fa_grad_of. */
typedef struct fa_grad_of_options {
    size_t size;             /**< set by the macro */
    fa_tensors grad_outputs; /**< a gradient for each output; none: 1 for each, which then has one element */
    bool retain_graph;       /**< keep what backward needs, for another time */
    bool create_graph;       /**< record backward itself; keeps the graph too */
    bool allow_unused;       /**< NULL for an input that the outputs do not depend on, instead of an error */
    char fa__end;
} fa_grad_of_options;
#define FA__DEFAULT_fa_grad_of                                                                                         \
    {                                                                                                                  \
        offsetof(fa_grad_of_options, fa__end), {0, NULL}, false, false, false, 0                                       \
    }

/** The gradients of the sum of outputs with respect to inputs, which need not be leaves; no leaf's gradient changes.
 *
 *      fa_grad_of(outputs, inputs, .grad_outputs, .retain_graph = false, .create_graph = false, .allow_unused = false)
 *      fa_grad_of(FA_TENSORS(loss), FA_TENSORS(x, y), .create_graph = true)
 *  @return one gradient for each input, in its shape, in an array that the scope owns; count 0 and an error on failure
 */
FA_API fa_tensors fa_grad_of(fa_tensors outputs, fa_tensors inputs, const fa_grad_of_options *options);
#ifdef __cplusplus
#define fa_grad_of(...) FA__CALL2(fa_grad_of, FA__SAME, FA__SAME, __VA_ARGS__)
#else
#define fa_grad_of(outputs, ...) FA__CALL2(fa_grad_of, FA__SAME, FA__SAME, outputs, __VA_ARGS__)
#endif

/** Called with a gradient before it goes on, by the thread that runs fa_backward(). Runs in a scope of the library's;
 * may raise an error with fa_fail(), which ends the backward.
 *  @return NULL to leave it, or the gradient to go on with, of the same shape */
typedef fa_tensor *fa_hook(fa_tensor *grad, void *context);

/** Calls `hook(grad, context)` whenever a gradient of t is complete: of a leaf before it is added, of a result before
 * it goes on. Hooks run in the order in which they were added, until fa_unhook() or until the tensor and its graph go:
 * so long has what `context` points to to live. What a hook adds is called from the next gradient on. Not while another
 * thread runs a backward through t.
 *  @return a number for fa_unhook, or 0 and an error */
FA_API int64_t fa_hook_grad(fa_tensor *t, fa_hook *hook, void *context);
/** Calls `hook(grad, context)` with a leaf's whole gradient, fa_grad(t), after fa_backward added to it; what it returns
 * is ignored. All else is as for fa_hook_grad().
 *  @return a number for fa_unhook, or 0 and an error: FA_ERROR_GRADIENT when t is not a leaf */
FA_API int64_t fa_hook_after(fa_tensor *t, fa_hook *hook, void *context);
/** Removes the hook of t that fa_hook_grad() or fa_hook_after() gave the number `hook`; its context is not used again.
 * Hooks may do that, too, while they are called; other threads not while a backward runs through t. FA_ERROR_ARGUMENT
 * when t has no such hook. */
FA_API bool fa_unhook(fa_tensor *t, int64_t hook);

/** An operation of the program's own. */
typedef struct fa_function {
    const char *name; /**< for messages; lives as long as the graph: a constant */
    /** Computes the result, or NULL after fa_fail. Runs without recording. */
    fa_tensor *(*forward)(void *context, fa_tensors inputs);
    /** Fills grad_inputs[i] with the gradient of input i, or leaves it NULL, and returns true; false after fa_fail. It
     *  is recorded when the gradient's gradient is asked for. `saved` are inputs, then the result. */
    bool (*backward)(void *context, fa_tensors saved, fa_tensor *grad, fa_tensor **grad_inputs);
    /** Called once with the context when the graph no longer needs it, by whichever thread drops that; may be NULL. */
    void (*release)(void *context);
} fa_function;

/** Runs forward, and records it so that backward calls the function's backward.
 *  @param function copied
 *  @param context  handed to its functions; released with the graph, or at once when nothing was recorded. The graph
 *                  lives as long as its results do, so what the context points to has to outlive their scope
 *  @param inputs   up to 8 tensors
 *  @return what forward made, in the scope; NULL and an error, also when forward made nothing */
FA_API fa_tensor *fa_apply(const fa_function *function, void *context, fa_tensors inputs);

FA__END
#endif
