/** @file
 *  Scopes: ownership of objects, and settings for a block of code.
 *
 *  Every object that a call creates belongs to the innermost open memory scope of the thread, and is freed when that
 *  scope ends, unless another reference to it exists. FA_SCOPE, FA_USE, FA_EACH and FA_REPEAT end on every way out of
 *  their block: break, continue, return, goto. A program frees nothing and leaks nothing.
 *
 *  - The root scope of a thread ends with the thread. A long-running thread should use FA_SCOPE or FA_REPEAT, as its
 *    root scope only grows. A warning is logged beyond some ten thousand objects; fa_scope_report() shows how many
 *    objects each scope holds.
 *  - After `x = fa_add(x, y)` in a loop, x is freed at the end of the iteration and dangles. Declare such a variable
 *    with FA_VAR, change it with fa_assign() and return it with fa_escape(). Using a freed tensor is an error that
 *    names its scope, as long as it is one of the 32 that the thread freed last (1,024 with FACULA_DEBUG=1 in the
 *    environment).
 *  - A new thread inherits nothing: it starts with a root scope of its own, default settings and no error.
 *  - Callbacks (hooks, `free` functions, destructors) may call the library; objects they create belong to the scope
 *    that is open at that time.
 *  - A longjmp over scopes leaves them open until the next outer scope or iteration ends, which closes them and
 *    restores their settings. Do not `switch` past a declaration (-Wjump-misses-init warns about it): FA_SCOPE and
 *    FA_USE detect this, FA_VAR cannot.
 *  - After fork(), the child process computes on the CPU with one thread, whatever other threads were doing. Devices
 *    that were in use before are not available in the child: calls on them fail with FA_ERROR_STATE. fork() waits for
 *    pending copies to the host, so that the child has their data; this wait is counted under the name `fork`. The
 *    child must not use an object that another thread was modifying during the fork, such as a leaf whose gradient
 *    was being accumulated or a shared generator. */
#ifndef FACULA_SCOPE_H
#define FACULA_SCOPE_H
#include <facula/error.h>
#include <facula/host.h>
#include <facula/types.h>

FA__BEGIN

/** @defgroup scope Scopes and settings
 *  @{ */

/** Settings of a block. FA_USE starts from the current settings and changes those that it names. */
typedef struct fa_settings {
    size_t size;      /**< size of this struct, set by the macro */
    fa_device device; /**< where new tensors are created and, with FA_PLACE_AUTO, where operations run */
    bool no_grad;     /**< do not record operations for backward */
    bool fallback; /**< run on the CPU, with counted copies, what the device has no kernel for or cannot do in f64. With
                      FA_PLACE_AUTO also: use an available device in place of an unavailable one */
    bool deterministic; /**< use only kernels that give bit-identical results in every run, on every machine and device.
                           All do, except large matrix products and convolutions on GPUs, which use NVIDIA's cuBLASLt
                           and cuDNN, or CLBlast where it is faster, if they are installed, or tensor cores, products of
                           bf16 on CPUs that have instructions for them, and convolutions on CPUs that use Winograd's
                           filtering, many of those with kernels of 3, 5 or 7 columns (docs/math.md) */
    bool tf32;    /**< matrix products and convolutions of f32 may round their operands to TF32, which has 10 bits of
                     fraction: up to 8 times as fast on NVIDIA's tensor cores. It concerns CUDA alone, what others
                     compute stays as it is. PyTorch: torch.backends.cuda.matmul.allow_tf32 */
    bool anomaly; /**< check for NaN after each gradient function, and report the forward call that recorded it */
    fa_dtype
        autocast; /**< dtype of lower precision for operations that benefit from it, FA_F16 or FA_BF16; FA_SAME: none */
    fa_placement
        placement; /**< what to do with operands on different devices: report an error, or with FA_PLACE_AUTO copy them.
                      The target is the device of the tensor that is written (in place, .out), else the setting
                      `device`, else the device of the first operand that is not on the CPU. Views, and operations that
                      may return one such as fa_reshape(), stay on the device of their operand */
    unsigned forbid;   /**< FA_SYNC and FA_TRANSFER make these events an error. Reading a value from a device always
                          counts as FA_SYNC; waiting for work that is already complete does not */
    fa_stream *stream; /**< the stream that work on its device is issued to; NULL: the default queue of the device
                          (device.h) */
    fa_error *catch_errors; /**< where errors in this block are stored, instead of in the thread */
    char fa__end;
} fa_settings;

typedef struct fa__scope {
    size_t depth;
    uintptr_t check;
} fa__scope;

FA_API fa_settings fa__settings(void);
FA_API fa__scope fa__use_open(const fa_settings *settings);
FA_API void fa__use_close(fa__scope *scope);
FA_API fa__scope fa__scope_open(const char *where, uintptr_t function);
FA_API void fa__scope_close(fa__scope *scope);
FA_API int64_t fa__repeat_open(int64_t count, const char *where, uintptr_t function);
FA_API bool fa__repeat_next(int64_t *i);
FA_API void fa__repeat_close(int64_t *i);
FA_API fa_tensor *fa__variable(fa_tensor **address, fa_tensor *value, uintptr_t function);
FA_API void fa__variable_close(fa_tensor **variable);

#define FA__USE_OPEN(o, ...)                                                                                           \
    __extension__({                                                                                                    \
        FA__LINE(o)                                                                                                    \
        fa_settings o = fa__settings();                                                                                \
        FA__SET_1(o, __VA_ARGS__)                                                                                      \
        fa__use_open(&o);                                                                                              \
    })

/** Settings for the rest of the enclosing block: FA_USE(.no_grad = true, .device = FA_CUDA(1)); They hold no
 *  references. */
#define FA_USE(...)                                                                                                    \
    fa__scope FA__UNIQUE(fa__u) FA__CLEANUP(fa__use_close) = FA__USE_OPEN(FA__UNIQUE(fa__o), __VA_ARGS__, .fa__end = 0)

/** Opens a memory scope for the rest of the enclosing block: FA_SCOPE; Memory that its objects point to (a context,
 *  borrowed data) must be declared before it, so that it outlives them. */
#define FA_SCOPE fa__scope FA__UNIQUE(fa__s) FA__CLEANUP(fa__scope_close) = fa__scope_open(FA__WHERE, FA__FUNCTION)

/** A loop in which each iteration is a memory scope: FA_REPEAT(100) { } or FA_REPEAT(i, 100) { } with i from 0. It
 *  ends early if an error is set. */
#define FA_REPEAT(...) FA__CAT(FA__REPEAT, FA__COUNT(__VA_ARGS__))(__VA_ARGS__)
#define FA__REPEAT1(n) FA__REPEAT2(FA__UNIQUE(fa__i), n)
#define FA__REPEAT2(i, n) FA__REPEAT3(i, n)
#define FA__REPEAT3(i, n)                                                                                              \
    for (int64_t i FA__CLEANUP(fa__repeat_close) = fa__repeat_open(n, FA__WHERE, FA__FUNCTION); fa__repeat_next(&i);)

/* A value that is computed in a scope of its own, which frees everything else that the expression creates. */
#define FA__IN_SCOPE(u, use)                                                                                           \
    __extension__({                                                                                                    \
        FA__LINE(u)                                                                                                    \
        fa__scope fa__s##u FA__CLEANUP(fa__scope_close) = fa__scope_open(FA__WHERE, 0);                                \
        use;                                                                                                           \
    })
#define FA__IN_SCOPE_(u, use) FA__IN_SCOPE(u, use)

/** Declares a variable that owns a tensor until the end of the block, even if inner scopes end before: FA_VAR(total,
 *  fa_zeros(...)); Only fa_assign() changes it, not =. The expression is a memory scope, as that of fa_assign() is. */
#define FA_VAR(name, value)                                                                                            \
    fa_tensor *name FA__CLEANUP(fa__variable_close) =                                                                  \
        FA__IN_SCOPE_(__COUNTER__, fa__variable(&name, value, FA__FUNCTION))

/** Assigns another tensor to a variable declared with FA_VAR in this thread: holds `value` and releases the old one.
 *  Every other variable is an error, and keeps what it has. `value` may be NULL. The expression is a memory scope: what
 * it creates besides the value is freed at once. A chain of calls thus holds two results at a time (and one more for
 * each call inside another), and not all of them until it returns:
 *
 *      FA_VAR(h, fa_relu(fa_forward(net->conv1, x)));
 *      fa_assign(&h, fa_max_pool2d(h, 2));
 *      fa_assign(&h, fa_forward(net->fc, fa_flatten(h, .start_dim = 1)));
 *      return fa_escape(h); */
FA_API void fa_assign(fa_tensor **variable, fa_tensor *value);
#define fa_assign(variable, value) FA__IN_SCOPE_(__COUNTER__, fa_assign(variable, value))

/** Adds a reference that the caller owns: the object lives until fa_release(). Returns the object. NULL is allowed.
 *  May be called from any thread. */
FA_API void *fa_keep(const void *object);

/** Drops a reference taken with fa_keep(). NULL is allowed. FA_ERROR_STATE for an object that was not kept, or has been
 *  released as often as it was kept. May be called from any thread. */
FA_API void fa_release(const void *object);

/** Frees an object before its scope ends: drops the reference of the scope of this thread that owns it. Other
 * references keep it alive. NULL is allowed. FA_ERROR_STATE if no scope of this thread owns it. */
FA_API void fa_drop(const void *object);

/* Not for programs, which have fa_keep(), fa_release() and fa_adopt(). They are here because the library's layers,
 * optimizers, datasets and the like see the public headers alone (docs/architecture.md). Such a reference, of an object
 * to another one, is no fa_keep() of the program, so that it does not count as one and the program cannot release it.
 * NULL is allowed. fa__own_held() gives such a reference to the innermost scope. */
FA_API void *fa__hold(const void *object);
FA_API void fa__unhold(const void *object);
FA_API void *fa__own_held(const void *object);

FA_API void *fa__escape(const void *object, uintptr_t function);
FA_API void *fa__adopt(const void *object);
#ifdef __cplusplus
}
/* In C++ it has the type of its argument. */
template <class T> static inline T *(fa_keep)(T *object)
{
    return (T *)(fa_keep)((const void *)object);
}
template <class T> static inline T *fa__escape_of(T *object, uintptr_t function)
{
    return (T *)fa__escape(object, function);
}
#define fa_escape(x) FA__CALLED(fa__escape_of(x, FA__FUNCTION))
template <class T> static inline T *fa_adopt(T *object)
{
    return (T *)fa__adopt(object);
}
#define fa_adopt(x) FA__CALLED(fa_adopt(x))
extern "C" {
#else
/** Moves an object from the innermost scope to the enclosing one, so that it outlives the current block. Returns the
 *  object. Does nothing if the innermost scope does not own it. The value of an FA_VAR goes to the scope in which the
 *  function was called: `return fa_escape(h)` is right from within any number of the function's scopes. */
#define fa_escape(x) ((__typeof__(x))FA__CALLED(fa__escape(x, FA__FUNCTION)))
/** Adopts an object from another thread, which must have called fa_keep() on it: the innermost scope of this thread
 *  takes over that reference. Returns the object. */
#define fa_adopt(x) ((__typeof__(x))FA__CALLED(fa__adopt(x)))
#endif
/** Writes the open scopes of this thread and the number of objects in each to `file`, outermost first. */
FA_API void fa_scope_report(FILE *file);

/** @} */

/** @defgroup object User-defined objects
 *
 *  Reference-counted objects of a program that belong to scopes as tensors do, and work with fa_keep(), fa_release(),
 *  fa_escape() and fa_adopt(). Modules, optimizers, datasets and loaders are such objects.
 *
 *      typedef struct counter {
 *          fa_object base;
 *          int64_t count;
 *      } counter;
 *      static const fa_object_type counter_type = {"counter", NULL};
 *      counter *c = fa_object_new(&counter_type, sizeof *c);
 *  @{ */

/** The type of an object: a static constant, which must outlive all objects of the type. */
typedef struct fa_object_type {
    const char *name;              /**< name for messages */
    void (*destroy)(void *object); /**< releases what the object refers to, but not the object itself; may be NULL */
} fa_object_type;

/** The first member of every object: its reference count and type. Managed by the library. */
typedef struct fa_object {
    uint64_t fa__head[2];
    const fa_object_type *type; /**< the type passed to fa_object_new() */
} fa_object;

/** Creates an object, with all bytes after the fa_object member set to zero. The innermost scope owns its only
 *  reference.
 *  @param type the type of the object
 *  @param size bytes of the whole struct, including its fa_object
 *  @return the object; NULL and an error if memory runs out */
FA_API void *fa_object_new(const fa_object_type *type, size_t size);

/** Returns true if an object was created by fa_object_new() with this `type` and has not been freed. False for NULL. */
FA_API bool fa_object_is(const void *object, const fa_object_type *type);
/* The same, and an error that begins with `who` and says what the object is instead. */
FA_API bool fa__object_check(const void *object, const fa_object_type *type, const char *who);

/** Returns true if an error is set in this thread, without marking it as seen. For layers, datasets and loops, which
 *  leave handling the error to the program. */
FA_API bool fa_error_stands(void);

/* Copies named options over their defaults: as many bytes as both the caller's version of the struct and this one
 * have. */
static inline void fa__options_read(void *options, size_t known, const void *given)
{
    size_t size = given ? *(const size_t *)given : 0;
    if (given)
        __builtin_memcpy(options, given, size < known ? size : known);
}

/** @} */

FA__END
#endif
