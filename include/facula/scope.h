/** @file
 *  Scopes: who owns what is made, and which settings are in force.
 *
 *  Everything that a call makes belongs to the innermost open memory scope of the thread and is freed when that ends,
 *  unless somebody else holds it. FA_SCOPE, FA_USE, FA_EACH and FA_REPEAT are closed on every way out of their block:
 *  break, continue, return, goto. A program frees nothing and leaks nothing.
 *
 *  - The root scope ends with the thread. In a thread that runs for long it only grows: work inside FA_SCOPE or
 * FA_REPEAT. The log says so past some ten thousand objects; fa_scope_report() shows where they are.
 *  - `x = fa_add(x, y)` in a loop leaves x pointing to what the turn frees: such a variable is an FA_VAR, changed by
 *    fa_assign(). With FACULA_DEBUG=1 in the environment freed tensors are kept dead for a while, and using one is an
 *    error that names its scope.
 *  - Threads inherit nothing: each begins with a root scope of its own, default settings and no error.
 *  - What the library calls back (a hook, a `free`, a destructor) may use the library; what it makes belongs to the
 * scope that is open then.
 *  - A longjmp over scopes leaves them open until the next outer scope or turn ends, which closes them, their settings
 *    too. Do not `switch` past a declaration (-Wjump-misses-init tells of it): FA_SCOPE and FA_USE notice, FA_VAR
 * cannot.
 *  - After fork, the child computes on the CPU with one thread, whatever other threads were doing; it has no devices
 * that were in use before: they are not available, and calls on them fail with FA_ERROR_STATE. A fork waits for copies
 * that are on their way to the host, which the ledger counts as `fork`: the child has them. Single objects that other
 * threads were changing at the fork (a leaf that they added a gradient to, a generator that they shared) are not to be
 * used in the child. */
#ifndef FACULA_SCOPE_H
#define FACULA_SCOPE_H
#include <facula/error.h>
#include <facula/host.h>
#include <facula/types.h>

FA__BEGIN

/** What holds in a block. FA_USE starts from the settings in force and changes what it names. */
typedef struct fa_settings {
    size_t size;        /**< of this struct, set by the macro */
    fa_device device;   /**< where new tensors are made, and with FA_PLACE_AUTO where operations run */
    bool no_grad;       /**< record nothing for gradients */
    bool fallback;      /**< what a device has no kernel of, or no f64 for, runs on the CPU, by counted copies; and with
                             FA_PLACE_AUTO, what is on a device that is not there is placed on one that is */
    bool deterministic; /**< only kernels whose bits do not change from run to run: all are such but large matrix
                             products on OpenCL, which CLBlast makes where it is installed and was faster */
    bool anomaly;       /**< look for NaN after each gradient function, and name the forward call that made it */
    fa_dtype autocast;  /**< low precision for operations that gain by it; FA_OFF: none */
    fa_placement placement; /**< operands on several devices: an error, or with FA_PLACE_AUTO counted copies: to where
                                 the result was given (in place, .out), else to the device above, else to that of the
                                 first operand that is not on the CPU. Views stay where their tensor is, and with them
                                 what may be one, as fa_reshape's result */
    unsigned forbid;        /**< FA_SYNC, FA_TRANSFER: what is an error instead. To read a value of a device is FA_SYNC
                                 however fast it is; to wait for what is done already is not */
    fa_stream *stream;      /**< the queue that work on its device is issued to; NULL: the device's own (device.h) */
    fa_error *catch_errors; /**< where errors of this block are kept, instead of in the thread */
    char fa__end;
} fa_settings;

typedef struct fa__scope {
    size_t depth;
    uintptr_t check;
} fa__scope;

FA_API fa_settings fa__settings(void);
FA_API fa__scope fa__use_open(const fa_settings *settings);
FA_API void fa__use_close(fa__scope *scope);
FA_API fa__scope fa__scope_open(const char *where);
FA_API void fa__scope_close(fa__scope *scope);
FA_API int64_t fa__repeat_open(int64_t count, const char *where);
FA_API bool fa__repeat_next(int64_t *i);
FA_API void fa__repeat_close(int64_t *i);
FA_API fa_tensor *fa__variable(fa_tensor *value);
FA_API void fa__variable_close(fa_tensor **variable);

#define FA__CLEANUP(f) __attribute__((__cleanup__(f), __unused__))
#define FA__WHERE __FILE__ ":" FA__STRING(__LINE__)
#define FA__STRING(x) FA__STRING_(x)
#define FA__STRING_(x) #x
#define FA__USE_OPEN(o, ...)                                                                                           \
    __extension__({                                                                                                    \
        fa_settings o = fa__settings();                                                                                \
        FA__SET(o, __VA_ARGS__)                                                                                        \
        fa__use_open(&o);                                                                                              \
    })

/** Settings to the end of the enclosing block: FA_USE(.no_grad = true, .device = FA_CUDA(1)); They own nothing. */
#define FA_USE(...)                                                                                                    \
    fa__scope FA__UNIQUE(fa__u) FA__CLEANUP(fa__use_close) = FA__USE_OPEN(FA__UNIQUE(fa__o), __VA_ARGS__, .fa__end = 0)

/** A memory scope to the end of the enclosing block: FA_SCOPE; What its objects point to (a context, borrowed memory)
 * is declared before it, so that it lives longer. */
#define FA_SCOPE fa__scope FA__UNIQUE(fa__s) FA__CLEANUP(fa__scope_close) = fa__scope_open(FA__WHERE)

/** A loop whose turns are memory scopes: FA_REPEAT(100) { } or FA_REPEAT(i, 100) { } with i from 0. It ends early while
 *  an error stands. */
#define FA_REPEAT(...) FA__CAT(FA__REPEAT, FA__COUNT(__VA_ARGS__))(__VA_ARGS__)
#define FA__REPEAT1(n) FA__REPEAT2(FA__UNIQUE(fa__i), n)
#define FA__REPEAT2(i, n) FA__REPEAT3(i, n)
#define FA__REPEAT3(i, n)                                                                                              \
    for (int64_t i FA__CLEANUP(fa__repeat_close) = fa__repeat_open(n, FA__WHERE); fa__repeat_next(&i);)

/** A variable that owns its tensor to the end of the block, whatever scopes end before: FA_VAR(total, fa_zeros(...));
 *  Only fa_assign changes it. */
#define FA_VAR(name, value) fa_tensor *name FA__CLEANUP(fa__variable_close) = fa__variable(value)

/** Gives a variable of FA_VAR another tensor: `value` is kept, the old one released. NULL is nothing. */
FA_API void fa_assign(fa_tensor **variable, fa_tensor *value);

/** Takes a reference of the caller's own: the object lives until fa_release. Returns it. NULL is nothing. Any thread.
 */
FA_API void *fa_keep(const void *object);

/** Drops a reference that fa_keep took. Any thread; NULL is nothing. */
FA_API void fa_release(const void *object);

FA_API void *fa__escape(const void *object);
FA_API void *fa__adopt(const void *object);
#ifdef __cplusplus
}
template <class T> static inline T *fa_escape(T *object)
{
    return (T *)fa__escape(object);
}
template <class T> static inline T *fa_adopt(T *object)
{
    return (T *)fa__adopt(object);
}
extern "C" {
#else
/** Hands an object from the innermost scope to the enclosing one, so that it outlives this block. Returns it. One that
 *  the innermost scope does not own stays where it is. */
#define fa_escape(x) ((__typeof__(x))fa__escape(x))
/** Puts an object that another thread kept (fa_keep) into this thread's innermost scope, which takes over that
 *  reference. Returns it. */
#define fa_adopt(x) ((__typeof__(x))fa__adopt(x))
#endif
/** Writes the open scopes of this thread with the number of objects in each, outermost first. */
FA_API void fa_scope_report(FILE *file);

/** Errors about tensors that this thread makes from here on name this place, until the next one: FA_HERE; */
#define FA_HERE fa__here(FA__WHERE)
FA_API void fa__here(const char *where);

/** @defgroup object Objects of the program's own that belong to scopes as tensors do: counted references, fa_keep,
 * fa_release, fa_escape and fa_adopt. Modules, optimizers, datasets and loaders are made of these.
 *
 *      typedef struct counter {
 *          fa_object base;
 *          int64_t count;
 *      } counter;
 *      static const fa_object_type counter_type = {"counter", NULL};
 *      counter *c = fa_object_new(&counter_type, sizeof *c);
 *  @{ */

/** What an object is. Lives as long as objects of it do: a static constant. */
typedef struct fa_object_type {
    const char *name;              /**< for messages */
    void (*destroy)(void *object); /**< releases what the object holds, not the object; may be NULL */
} fa_object_type;

/** The first member of an object: its references and its type. Only the library changes it. */
typedef struct fa_object {
    uint64_t fa__head[2];
    const fa_object_type *type; /**< as fa_object_new() was given it */
} fa_object;

/** Makes an object: zeros after its first member, one reference, which the innermost scope owns.
 *  @param type what it is
 *  @param size of the whole, its fa_object included
 *  @return the object; NULL and an error without memory */
FA_API void *fa_object_new(const fa_object_type *type, size_t size);

/** Whether an object was made by fa_object_new with this type, and is still there. False for NULL. */
FA_API bool fa_object_is(const void *object, const fa_object_type *type);

/** Whether an error stands in this thread. Does not count as looking at it: for layers, datasets and loops, which leave
 *  that to the program. */
FA_API bool fa_error_stands(void);

/* Reads named options over their defaults: as much of them as the caller's version and this one both know. */
static inline void fa__options_read(void *options, size_t known, const void *given)
{
    size_t size = given ? *(const size_t *)given : 0;
    if (given)
        __builtin_memcpy(options, given, size < known ? size : known);
}

/** @} */

FA__END
#endif
