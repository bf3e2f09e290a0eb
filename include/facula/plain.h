/** @file
 *  Calls without C's macros, for other languages: ctypes, bindgen, cgo, P/Invoke. docs/languages.md has an example of
 *  each way; api.json, which is installed in share/facula, lists all functions, structs, defaults and documentation.
 *
 *  The calls of the other headers are macros, each of which calls an exported function of the same name. Where there
 * are named options, it has one parameter behind the operands: a pointer to a struct, as fa_sum_options, or NULL for
 * the defaults. fa_options_default() fills such a struct. A program in C does not need this header. */
#ifndef FACULA_PLAIN_H
#define FACULA_PLAIN_H
#include <facula/data.h>
#include <facula/scope.h>
#include <facula/types.h>

FA__BEGIN

/** @defgroup plain Calls from other languages
 *  @{ */

/** Fills an options struct with its defaults, and with its `size`, which must not be changed.
 *
 *      fa_sum_options o;
 *      fa_options_default("fa_sum", &o, sizeof o);
 *      o.dim = 1;
 *      fa_tensor *y = (fa_sum)(x, &o);
 *
 *  @param function the name of the function that takes the options, as "fa_sum" or "fa_optim_sgd"
 *  @param options  the struct to fill
 *  @param size     its size in bytes, as the caller's language lays it out
 *  @return false and FA_ERROR_ARGUMENT if the function is unknown, takes no options, or has a struct of another size */
FA_API bool fa_options_default(const char *function, void *options, size_t size);

/* ---- arguments ---- */

/** The tensor `t` as an argument that may be a tensor or a number. An fa_arg is a struct of three integers, which is
 *  passed by value; a binding may fill it itself. */
FA_API fa_arg fa_arg_tensor(const fa_tensor *t);
/** The floating-point number `v` as an argument that may be a tensor or a number. */
FA_API fa_arg fa_arg_double(double v);
/** The integer `v` as an argument that may be a tensor or a number. */
FA_API fa_arg fa_arg_int(int64_t v);
/** The truth value `v` as an argument that may be a tensor or a number. */
FA_API fa_arg fa_arg_bool(bool v);

/** Several dimensions, as FA_DIMS(0, -1): `count` of them in the array `dim`, each from -8 to 7. Other numbers, and too
 *  many of them, are an error of the function that gets the result. */
FA_API fa_dims fa_dims_of(size_t count, const int64_t *dim);
/** A height and a width, as FA_PAIR(height, width). */
FA_API fa_pair fa_pair_of(int64_t height, int64_t width);

/* Writes into a tensor that a call has returned to C++, as x[0] = 5 does. False and an error if nothing else refers to
 * its memory: the program could not read what was written. */
FA_API bool fa__set_returned(fa_tensor *x, fa_arg value);

/* ---- ownership ---- */

/** Takes an object that a call of this thread has returned out of its scope: the caller owns that reference then, and
 *  gives it back with fa_release(), from any thread. For handles of languages that free objects themselves.
 *  @return the object; NULL for NULL; NULL and FA_ERROR_STATE if no scope of this thread owns it */
FA_API void *fa_own(const void *object);

/** Opens a memory scope, as FA_SCOPE does. Scopes of a thread are left in the reverse order.
 *  @param name what reports and messages call it; must live until the scope is left
 *  @return its number, for fa_scope_leave(); 0 if memory runs out */
FA_API size_t fa_scope_enter(const char *name);
/** Leaves a memory scope: frees what it owns, and closes scopes and settings inside it that are still open. Nothing
 *  happens if it is not open any more. */
FA_API void fa_scope_leave(size_t scope);

/** fa_own() of `object` and fa_scope_leave() in one. Calls leave what they compute besides their results in the scope,
 * so that a handle whose thread has no other scope opens one around each call:
 *
 *      size_t scope = fa_scope_enter("handle");
 *      handle.object = fa_scope_leave_with(scope, fa_relu(x, NULL));
 *
 *  @param scope  the number that fa_scope_enter() returned
 *  @param object what the call returned, or NULL
 *  @return the object; NULL for NULL, and with an error as fa_own() */
FA_API void *fa_scope_leave_with(size_t scope, const void *object);

/** The settings in force, to be changed and handed to fa_use_enter(). */
FA_API fa_settings fa_settings_now(void);
/** Puts settings in force until fa_use_leave(), as FA_USE does. Settings of a thread are left in the reverse order.
 *  @param settings what fa_settings_now() returned, with changes; invalid ones set an error and change nothing
 *  @return their number, for fa_use_leave(); 0 if memory runs out */
FA_API size_t fa_use_enter(const fa_settings *settings);
/** Restores the settings before fa_use_enter(), which returned the number `use`. */
FA_API void fa_use_leave(size_t use);

/* torch.set_grad_enabled in the innermost block of settings, until it ends; true if gradients were enabled before. */
FA_API bool fa__set_grad_enabled(bool enabled);
/* The operation that recorded a tensor, or NULL. */
FA_API const char *fa__grad_fn(const fa_tensor *t);

/* ---- lines ---- */

/** The text "train.py:41", which lives until the process ends, for fa_line_enter().
 *  @param file path of a source file, of which messages show what they show of C's
 *  @param line number of a line
 *  @return the same text for the same arguments; NULL if memory runs out */
FA_API const char *fa_line_of(const char *file, int line);
/** Makes `line` what messages, reports and the origins of tensors name as the line of this thread's next calls; NULL:
 *  none. It must live until the process ends.
 *  @return the line before, to be restored after the call */
FA_API const char *fa_line_enter(const char *line);

/* ---- loops ---- */

/** Begins a loop over the batches of one epoch of `loader`, as FA_EACH does: fills `batch`, which is not copied until
 *  fa_loader_end().
 *
 *      fa_batch batch;
 *      fa_loader_begin(loader, &batch);
 *      while (fa_loader_next(&batch))
 *          train(batch.input, batch.target);
 *      fa_loader_end(&batch);
 *
 *  @return false and an error on failure; fa_loader_next() returns false then */
FA_API bool fa_loader_begin(fa_loader *loader, fa_batch *batch);
/** Goes to the next batch, whose tensors belong to a scope that ends with the next call or with fa_loader_end(). False
 *  after the last one, after fa_stop() and while an error is set. */
FA_API bool fa_loader_next(fa_batch *batch);
/** Ends the loop, also before its last batch. */
FA_API void fa_loader_end(fa_batch *batch);

/** @} */

FA__END
#endif
