/** @file
 *  Modules: parameters, buffers, child modules and a forward function. All layers are modules, and programs can
 *  define their own.
 *
 *      fa_module *net = fa_nn_sequential(fa_nn_linear(64, 32), fa_nn_relu(), fa_nn_linear(32, 10));
 *      fa_tensor *logits = fa_forward(net, x);
 *
 *  A new module is in training mode, belongs to the innermost scope, and holds references to its parameters, buffers
 *  and children. Several threads may use one module for inference at the same time as long as none modifies it. */
#ifndef FACULA_NN_H
#define FACULA_NN_H
#include <facula/tensor.h>
#include <facula/types.h>

FA__BEGIN

/** @defgroup nn Modules
 *  @{ */

/** Runs a module on one or more inputs and returns its result.
 *
 *      fa_forward(net, x)
 *      fa_forward(attention, query, key, value)
 *
 *  The call is a memory scope: intermediate results are freed when it returns, unless backward needs them. An error
 *  inside it names the modules: "... in conv2d "3" of sequential "features" of net". Returns NULL and an error if the
 *  module takes another number of inputs, or if its forward function failed. */
#define fa_forward(module, ...) FA__CALLED(fa__forward(module, FA_TENSORS(__VA_ARGS__)))
FA_API fa_tensor *fa__forward(fa_module *module, fa_tensors inputs);

/** Sets a module and all its descendants to training mode, or, if `training` is false, to inference mode, which
 *  changes the behaviour of dropout and batch_norm. It does not affect parameters or the recording of gradients; use
 *  FA_USE(.no_grad = true) to save memory. The first such layer that runs in training mode where gradients are off is
 *  logged as a warning, unless training mode was set there too. Must not be called while another thread uses the
 *  module. Returns the module; NULL and an error for NULL. */
FA_API fa_module *fa_module_train(fa_module *module, bool training);
/** Returns true if a module is in training mode. */
FA_API bool fa_module_training(const fa_module *module);

FA_API fa_module *fa__module_to(fa_module *module, fa_place where);
/** Moves a module to the device `where`, or its floating-point parameters and buffers to the dtype `where`, in place:
 *  they remain the same tensors, so gradients, optimizer state and all other references see the change. All tensors
 *  are checked first: if one cannot move, nothing changes, and the error names it. Only if memory runs out may some
 *  have moved. A graph that was recorded earlier and needs the old values is invalid: fa_backward() through it is an
 *  error. Returns the module.
 *
 *      fa_module_to(net, FA_CUDA(0));  fa_module_to(net, FA_BF16); */
#define fa_module_to(module, where) FA__CALLED(fa__module_to(module, FA__PLACE(where)))

/** Removes the gradients of all parameters: fa_grad() is NULL then. */
FA_API bool fa_module_zero_grad(fa_module *module);

/** Makes the floating-point parameters of a module and its descendants accumulate gradients, or freezes them if
 *  requires_grad is false. Freezing also removes their gradients, so that optimizers leave them unchanged; PyTorch
 *  keeps the gradients, and the next step still applies them. Modes and buffers do not change: to freeze the
 *  statistics of a batch_norm, call fa_module_train(module, false) too. Returns the module; NULL and an error for
 *  NULL. */
FA_API fa_module *fa_module_set_requires_grad(fa_module *module, bool requires_grad);

/** A list of tensors with their names. It holds references to the tensors and belongs to the current scope; the list
 *  that fa_params() makes owns nothing. */
typedef struct fa_parameters {
    size_t count;            /**< number of tensors */
    fa_tensor *const *item;  /**< the tensors; after an error there are none, and the first 1,024 items are NULL */
    const char *const *name; /**< their names, such as "fc1.weight"; NULL: they have none */
} fa_parameters;

#ifdef __cplusplus
}
struct fa__named_list {
    fa_tensor *item[32];
    const char *name[32];
    size_t count;
    operator fa_parameters() const
    {
        fa_parameters p = {count, item, name};
        return p;
    }
};

static inline void fa__named_add(fa__named_list &)
{
}
template <class... T>
static inline void fa__named_add(fa__named_list &list, const char *name, const fa_tensor *tensor, T... rest)
{
    list.name[list.count] = name;
    list.item[list.count++] = (fa_tensor *)tensor;
    fa__named_add(list, rest...);
}
template <class... T> static inline fa__named_list fa__named_of(T... items)
{
    static_assert(sizeof...(items) <= 64, "at most 64 items go here");
    static_assert(sizeof...(items) % 2 == 0, "each name has its value behind it");
    fa__named_list list = {};
    fa__named_add(list, items...);
    return list;
}
#define FA_NAMED(...) fa__named_of(__VA_ARGS__)
extern "C" {
#else
/* A name or a tensor. */
typedef struct fa__named {
    const char *name;
    const fa_tensor *tensor;
} fa__named;

static inline fa__named fa__named_text(const char *name)
{
    return (fa__named){name, NULL};
}
static inline fa__named fa__named_tensor(const fa_tensor *tensor)
{
    return (fa__named){NULL, tensor};
}
/* A tensor where a name belongs gives an item without a name, and the reverse one without a tensor: errors of the
 * function that gets the list. */
static inline fa_parameters fa__named_of(size_t count, const fa__named *item, fa_tensor **tensor, const char **name)
{
    for (size_t i = 0; i < count / 2; i++) {
        name[i] = item[2 * i].name;
        tensor[i] = (fa_tensor *)(uintptr_t)item[2 * i + 1].tensor;
    }
    return (fa_parameters){count / 2, tensor, name};
}
/** A list of up to 32 tensors as an argument, each after its name: FA_NAMED("mean", mean, "std", std). */
#define FA_NAMED(...)                                                                                                  \
    fa__named_of(FA__PAIRED(FA__COUNT(__VA_ARGS__)), (const fa__named[]){FA__MAP(FA__NAMED_ITEM, __VA_ARGS__)},        \
                 (fa_tensor * [FA__COUNT(__VA_ARGS__)]){NULL}, (const char * [FA__COUNT(__VA_ARGS__)]){NULL})
#define FA__NAMED_ITEM(v)                                                                                              \
    _Generic((v), char *: fa__named_text, const char *: fa__named_text, fa_tensor *: fa__named_tensor,                 \
             const fa_tensor *: fa__named_tensor)(v)
#define FA__PAIRED(count)                                                                                              \
    ((count) + 0 * sizeof(struct {                                                                                     \
                   int fa__none;                                                                                       \
                   _Static_assert((count) % 2 == 0, "each name has its value behind it");                              \
               }))
#endif

/** The tensor with this `name` in a list, such as `tensors` of fa_load_file(). The caller gets no reference. NULL and
 * an error if there is none. */
FA_API fa_tensor *fa_parameters_find(fa_parameters list, const char *name);

/** The parameters of a module and its descendants: its own first, then those of its children. A shared parameter is
 *  listed once, under its first name. */
FA_API fa_parameters fa_module_parameters(const fa_module *module);
/** The buffers of a module and its descendants, in the same order. */
FA_API fa_parameters fa_module_buffers(const fa_module *module);
/** The parameters and buffers that fa_save() stores: those of a module before those of its children. The names are
 *  those of PyTorch's state_dict() for the same layers. */
FA_API fa_parameters fa_module_state(const fa_module *module);
/* The same, but with a shared tensor listed under all of its names, which fa_load() accepts. */
FA_API fa_parameters fa__module_names(const fa_module *module);

/** A list of modules with their names. It holds references to the modules and belongs to the current scope. */
typedef struct fa_modules {
    size_t count;            /**< number of modules */
    fa_module *const *item;  /**< the modules */
    const char *const *name; /**< their names, such as "features.0" */
} fa_modules;

/** The direct children of a module, in the order in which they were added. A child with several names is listed once,
 *  under the first. */
FA_API fa_modules fa_module_children(const fa_module *module);
/** The module itself, with the name "", and all its descendants, parents first. A module with several paths is listed
 *  once, under the first. */
FA_API fa_modules fa_module_modules(const fa_module *module);
/** Calls `function(each, context)` for all descendants of a module and then for the module itself; once for each,
 *  children first.
 *
 *      static bool initialize(fa_module *m, void *context)
 *      {
 *          return strcmp(fa_module_kind(m), "linear") || fa_init_xavier_normal_(fa_module_tensor(m, "weight"));
 *      }
 *      fa_module_apply(net, initialize, NULL);
 *
 *  Stops if the function returns false. Returns the module; NULL and an error if it was stopped. */
FA_API fa_module *fa_module_apply(fa_module *module, bool (*function)(fa_module *each, void *context), void *context);
/** The number of direct children of a module. 0 and an error for NULL. */
FA_API size_t fa_module_count(const fa_module *module);
/** The child with the number `index`, from 0; negative counts from the end. The caller gets no reference. NULL and an
 *  error if there is none. */
FA_API fa_module *fa_module_at(const fa_module *module, int64_t index);

/** The parameter or buffer with this `name`, such as "fc1.weight". The caller gets no reference. NULL and an error if
 *  there is none. */
FA_API fa_tensor *fa_module_tensor(const fa_module *module, const char *name);
/** The descendant with this `name`, such as "fc1" or "0.conv". The caller gets no reference. NULL and an error if
 *  there is none. */
FA_API fa_module *fa_module_child(const fa_module *module, const char *name);
/** The kind of a module, such as "linear"; "" for NULL. */
FA_API const char *fa_module_kind(const fa_module *module);
/** The total number of elements of a module's parameters. */
FA_API int64_t fa_module_numel(const fa_module *module);
/** The total size in bytes of a module's parameters and buffers, with shared tensors counted once. For a model on
 *  FA_META this is the size it would have on a real device, without gradients and optimizer state. */
FA_API size_t fa_module_nbytes(const fa_module *module);

/** Options of fa_module_summary(). */
typedef struct fa_module_summary_options {
    size_t size;    /**< set by the macro */
    fa_shape input; /**< shape of an input of zeros to run the module on, on the device of its first parameter; without
                       dimensions: do not run it */
    fa_dtype dtype; /**< dtype of that input; FA_SAME: that of the first parameter */
    fa_tensors inputs; /**< inputs to run the module on instead */
    char fa__end;
} fa_module_summary_options;
#define FA__DEFAULT_fa_module_summary                                                                                  \
    {                                                                                                                  \
        offsetof(fa_module_summary_options, fa__end), {0, {0}}, FA_SAME, {0, NULL}, 0                                  \
    }
/** Writes a table of a module and its descendants to `file`.
 *
 *  Without an input, it lists the parameters and buffers of each module with their shapes. With an input, the module
 *  is run once, in inference mode and without recording gradients, and the table also has the shape of each module's
 *  output and the number of multiply-adds of its linear, convolution and recurrent layers (half the number of FLOPs;
 *  bias is not counted). If a module runs several times, all runs are counted, and the shape is that of the first.
 *
 *  The last lines are totals: parameters, frozen parameters, and the bytes of parameters, buffers, input, and outputs
 *  of layers without children. A network on FA_META is run on FA_META, without computing. The training mode is
 *  restored afterwards, and printed. Modules that the forward function runs, but that are no descendants, so that they
 * are neither trained nor saved with the module, are named last.
 *
 *      fa_module_summary(net, stdout, .input = FA_SHAPE(1, 3, 32, 32), .dtype = FA_SAME, .inputs)
 *
 *  @param module  the module
 *  @param file    the file to write to
 *  @param options the options shown above; NULL for the defaults
 *  @return false and an error if running the module or writing failed */
FA_API bool fa_module_summary(const fa_module *module, FILE *file, const fa_module_summary_options *options);
#define fa_module_summary(...)                                                                                         \
    FA__CALL2(fa_module_summary, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** @} */

/** @defgroup nn_custom User-defined modules
 *  @{ */

/** The forward function of a module, with one input or with a list of inputs. fa_nn_custom() accepts either function
 *  and creates this struct. */
typedef struct fa_forward_function {
    fa_tensor *(*one)(fa_module *module, fa_tensor *input);   /**< function of one input, or NULL */
    fa_tensor *(*many)(fa_module *module, fa_tensors inputs); /**< function of a list of inputs, or NULL */
} fa_forward_function;

/** Options of fa_nn_custom(). */
typedef struct fa_nn_custom_options {
    size_t size;                 /**< set by the macro */
    const void *data;            /**< initial content of the module's data, which is copied; NULL: zeros */
    void (*destroy)(void *data); /**< called with the module's data before the module is freed */
    char fa__end;
} fa_nn_custom_options;
#define FA__DEFAULT_fa_nn_custom                                                                                       \
    {                                                                                                                  \
        offsetof(fa_nn_custom_options, fa__end), NULL, NULL, 0                                                         \
    }

/** Creates a user-defined module.
 *
 *      fa_nn_custom("mlp", sizeof(mlp), mlp_forward, .data = NULL, .destroy = NULL)
 *
 *  @param kind    name of its kind, for messages; copied
 *  @param bytes   size of its data, which is initialized from .data and freed with the module; see fa_module_data().
 *  That of the struct, sizeof(mlp): if the program writes up to 128 bytes behind it, as after sizeof(mlp *), the next
 *  fa_module_add() or the first fa_forward() is an error
 *  @param forward a function of (fa_module *, fa_tensor *) or of (fa_module *, fa_tensors) that returns a tensor, or
 *  NULL after an error
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_module *fa_nn_custom(const char *kind, size_t bytes, fa_forward_function forward,
                               const fa_nn_custom_options *options);
#define fa_nn_custom(...)                                                                                              \
    FA__CALL3(fa_nn_custom, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__FORWARD, __VA_ARGS__)

static inline fa_forward_function fa__forward_one(fa_tensor *(*f)(fa_module *, fa_tensor *))
{
    fa_forward_function forward = FA__NONE;
    forward.one = f;
    return forward;
}

static inline fa_forward_function fa__forward_many(fa_tensor *(*f)(fa_module *, fa_tensors))
{
    fa_forward_function forward = FA__NONE;
    forward.many = f;
    return forward;
}

#ifdef __cplusplus
}
#define FA__BIND_FA__FORWARD(text, name, v)
#define FA__PASS_FA__FORWARD(name, v) FA__FORWARD(v)
static inline fa_forward_function fa__forward_of(fa_tensor *(*f)(fa_module *, fa_tensor *))
{
    return fa__forward_one(f);
}
static inline fa_forward_function fa__forward_of(fa_tensor *(*f)(fa_module *, fa_tensors))
{
    return fa__forward_many(f);
}
#define FA__FORWARD(f) fa__forward_of(f)
extern "C" {
#else
#define FA__BIND_FA__FORWARD(text, name, v)                                                                            \
    FA__AUTO name = v;                                                                                                 \
    _Static_assert(                                                                                                    \
        _Generic(name, fa_tensor * (*)(fa_module *, fa_tensor *) : 1, fa_tensor * (*)(fa_module *, fa_tensors) : 1,    \
                 default : 0),                                                                                         \
        "the forward function goes here: fa_tensor *f(fa_module *, fa_tensor *) or (fa_module *, fa_tensors)");
#define FA__PASS_FA__FORWARD(name, v) FA__FORWARD(name)
#define FA__FORWARD(f)                                                                                                 \
    _Generic(f, fa_tensor * (*)(fa_module *, fa_tensor *)                                                              \
             : fa__forward_one, fa_tensor * (*)(fa_module *, fa_tensors)                                               \
             : fa__forward_many)(f)
#endif

/** The data of a module created by fa_nn_custom(), aligned to 16 bytes; NULL if it has none. */
FA_API void *fa_module_data(const fa_module *module);
/** Adds a child to a module, under a `name` that is unique in the module and contains no dots. The module holds a
 *  reference to it. Returns `child`; NULL and an error if the name is in use or a cycle would result.
 *
 *  In the first run of a network with gradients, a layer that runs inside it but was added to no module is logged as a
 *  warning, once, if it has parameters that are trained or is in training mode and differs in inference. There is none
 *  for what runs without gradients, such as a teacher, in a hook, or outside of other modules. */
FA_API fa_module *fa_module_add(fa_module *module, const char *name, fa_module *child);
/** Adds a child to a module, named by its number: "0", "1", ... Returns `child`. */
FA_API fa_module *fa_module_append(fa_module *module, fa_module *child);
/** Copies a module, its descendants, and their parameters, buffers and data. What they share, the copies share.
 * Pointers to parameters, buffers and children in the data become pointers to the copies. Gradients and hooks are not
 * copied.
 *  @return the copy; NULL and an error on failure, also if a module has a .destroy function, which would free its data
 *  twice */
FA_API fa_module *fa_module_clone(const fa_module *module);
/* The same with all tensors on this device; kind 0: each on its own. */
FA_API fa_module *fa__module_clone_to(const fa_module *module, fa_device device);
/* Notes that another module runs this one, which is not added to it, and that this is no mistake. */
FA_API bool fa__module_runs_inside(const fa_module *module);
/** Replaces a child of a module: fa_module_replace(net, "head", fa_nn_linear(64, 5)). The old child is released.
 *  Optimizers created earlier still refer to its parameters and do not know the new ones. Pointers to the old child
 *  in the data of its parent are changed to the new one. Must not be called while another thread uses the module.
 *  @param module the module, or an ancestor of it
 *  @param name   name of the child, with dots between levels: "features.0"
 *  @param child  the new child
 *  @return the new child; NULL and an error if there is no such name or a cycle would result */
FA_API fa_module *fa_module_replace(fa_module *module, const char *name, fa_module *child);
/** Replaces a parameter or buffer, which allows two modules to share a weight. A floating-point parameter accumulates
 *  gradients from then on; optimizers created earlier do not know it.
 *
 *      fa_module_replace_tensor(net, "decoder.weight", fa_module_tensor(net, "encoder.weight"));
 *
 *  @param module the module, or an ancestor of it
 *  @param name   name of the tensor, with dots between levels
 *  @param tensor the new tensor, of any shape; it must be a leaf to replace a parameter
 *  @return the tensor; NULL and an error on failure */
FA_API fa_tensor *fa_module_replace_tensor(fa_module *module, const char *name, fa_tensor *tensor);
/** Adds a parameter under a `name` that is unique in the module: a leaf, which accumulates gradients from then on if
 *  it is floating point. The module holds a reference to it. Returns `tensor`; NULL and an error as for
 *  fa_module_add(). */
FA_API fa_tensor *fa_module_parameter(fa_module *module, const char *name, fa_tensor *tensor);
/** Adds a buffer under a `name` that is unique in the module: a tensor that moves and is saved with the module, but
 *  is not trained. The module holds a reference to it. Returns `tensor`; NULL and an error as for fa_module_add(). */
FA_API fa_tensor *fa_module_buffer(fa_module *module, const char *name, fa_tensor *tensor);
/* Removes a parameter, buffer or child of the module itself. Its data still points to it. */
FA_API bool fa__module_remove(fa_module *module, const char *name);

/** @} */

/** @defgroup nn_container Containers of modules
 *  @{ */

/* The modules that a module runs one after the other: itself, or the parts of sequentials. Returns their number; -1 if
 * it is more than `most`, or if one of them or of the sequentials has hooks. */
FA_API int fa__module_chain(const fa_module *module, const fa_module **part, int most);
/* True if this is the module's forward function. */
FA_API bool fa__module_runs(const fa_module *module, fa_tensor *(*forward)(fa_module *self, fa_tensor *x));
FA_API fa_module *fa__nn_sequential(size_t count, fa_module *const *modules);
#define FA__MODULES_ONE_BY_ONE                                                                                         \
    "modules go here one by one; those of an array: fa_module_append(net, array[i]) in a loop"
#ifndef __cplusplus
#define FA__MODULES0(f, ...)                                                                                           \
    FA__MODULES_(f, __COUNTER__, FA__COUNT(__VA_ARGS__), FA__1(__VA_ARGS__), FA__DROP1(__VA_ARGS__, NULL))
#define FA__MODULES1(f, ...) FA__CALLED(f(0, NULL))
#define FA__MODULES_(...) FA__MODULES__(__VA_ARGS__)
#define FA__MODULES__(f, u, count, a, ...)                                                                             \
    __extension__({                                                                                                    \
        FA__LINE(u)                                                                                                    \
        FA__AUTO fa__m##u = a;                                                                                         \
        _Static_assert(_Generic(fa__m##u, fa_module * * : 0, fa_module *const * : 0, int : 0, default : 1),            \
                       FA__MODULES_ONE_BY_ONE);                                                                        \
        f(count, (fa_module *const[]){fa__m##u, __VA_ARGS__});                                                         \
    })
#endif
/** Creates a module that runs its children "0", "1", ... one after the other: fa_nn_sequential(fa_nn_linear(64, 10),
 *  fa_nn_relu()); fa_module_append() adds more, as in a loop. */
#ifdef __cplusplus
}
template <class... T> static inline fa_module *fa_nn_sequential(T... module)
{
    static_assert((std::is_convertible<T, fa_module *>::value && ...), FA__MODULES_ONE_BY_ONE);
    fa_module *const m[sizeof...(module) + 1] = {module...};
    return fa__nn_sequential(sizeof...(module), m);
}
#define fa_nn_sequential(...) FA__CALLED(fa_nn_sequential(__VA_ARGS__))
extern "C" {
#else
#define fa_nn_sequential(...) FA__CAT(FA__MODULES, FA__EMPTY(__VA_ARGS__))(fa__nn_sequential, __VA_ARGS__)
#endif

FA_API fa_module *fa__nn_list(size_t count, fa_module *const *modules);
/** Creates a list of modules: children "0", "1", ..., which fa_module_at() returns, for use in a user-defined module.
 *  fa_nn_list(fa_nn_linear(64, 32), fa_nn_linear(32, 10)); fa_module_append() adds more. It has no forward function. */
#ifdef __cplusplus
}
template <class... T> static inline fa_module *fa_nn_list(T... module)
{
    static_assert((std::is_convertible<T, fa_module *>::value && ...), FA__MODULES_ONE_BY_ONE);
    fa_module *const m[sizeof...(module) + 1] = {module...};
    return fa__nn_list(sizeof...(module), m);
}
#define fa_nn_list(...) FA__CALLED(fa_nn_list(__VA_ARGS__))
extern "C" {
#else
#define fa_nn_list(...) FA__CAT(FA__MODULES, FA__EMPTY(__VA_ARGS__))(fa__nn_list, __VA_ARGS__)
#endif
/** Creates a dictionary of modules: fa_module_add() adds a module under a name, fa_module_child() returns it, and
 *  fa_module_children() lists all in the order in which they were added. It has no forward function. */
FA_API fa_module *fa_nn_dict(void);

/** @} */

/** @defgroup module_hook Module hooks
 *
 *  Callbacks that inspect or replace the inputs, outputs and gradients of a module.
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
 *  Hooks of one kind are called in the order in which they were added; a hook that is added by a hook is called from
 *  the next run on. Hooks may remove themselves and each other. `context` must stay valid as long as the hook exists:
 *  until fa_module_unhook(), or until the module is freed. Note that a graph recorded with backward hooks holds a
 *  reference to the module. A hook may call fa_fail() to abort the forward or backward pass. Hooks must not be added
 *  or removed while another thread uses the module.
 *  @{ */

/** Called before `module` runs, with its `count` inputs; may replace them in the array `inputs`. */
typedef void fa_forward_pre_hook(fa_module *module, fa_tensor **inputs, size_t count, void *context);
/** Called after `module` has run, with its inputs and its output.
 *  @return a tensor that replaces the output, or NULL to leave it */
typedef fa_tensor *fa_forward_hook(fa_module *module, fa_tensors inputs, fa_tensor *output, void *context);
/** Called in the backward pass with the gradient of the output of `module`, before the gradients inside the module
 *  are computed.
 *  @return a tensor of the same shape that replaces the gradient, or NULL to leave it */
typedef fa_tensor *fa_backward_pre_hook(fa_module *module, fa_tensor *grad_output, void *context);
/** Called in the backward pass for each input of `module` that receives a gradient. `input` is the number of the
 *  input; `grad_input` is its gradient through this run of the module only; `grad_output` is the gradient of the
 *  output, detached from its graph. If no input requires a gradient, the hook is called once, with input 0 and
 *  grad_input NULL.
 *  @return a tensor of the same shape that replaces grad_input, or NULL to leave it */
typedef fa_tensor *fa_backward_hook(fa_module *module, size_t input, fa_tensor *grad_input, fa_tensor *grad_output,
                                    void *context);

/** Adds a hook that is called before each run of the module, as `hook(module, ..., context)`. Returns a number for
 *  fa_module_unhook(); 0 and an error on failure. */
FA_API int64_t fa_module_hook_forward_pre(fa_module *module, fa_forward_pre_hook *hook, void *context);
/** Adds a hook that is called after each run of the module, as `hook(module, ..., context)`. Returns a number for
 *  fa_module_unhook(); 0 and an error on failure. */
FA_API int64_t fa_module_hook_forward(fa_module *module, fa_forward_hook *hook, void *context);
/** Adds a hook that is called in the backward pass, before the gradients inside the module are computed, as
 *  `hook(module, ..., context)`. It applies to forward passes recorded after this call. Returns a number for
 *  fa_module_unhook(); 0 and an error on failure. */
FA_API int64_t fa_module_hook_backward_pre(fa_module *module, fa_backward_pre_hook *hook, void *context);
/** Adds a hook that is called in the backward pass, after the gradients of the module's inputs have been computed, as
 *  `hook(module, ..., context)`. It applies to forward passes recorded after this call. In these, the module cannot
 *  modify its inputs in place. Returns a number for fa_module_unhook(); 0 and an error on failure. */
FA_API int64_t fa_module_hook_backward(fa_module *module, fa_backward_hook *hook, void *context);
/** Removes a hook of the module; `hook` is the number that the function above returned. FA_ERROR_ARGUMENT if the
 *  module has no such hook. */
FA_API bool fa_module_unhook(fa_module *module, int64_t hook);
/* For bindings: changes a hook that was added, and returns its number, which is another one then. `first`: it is called
 * before those that are there. `always`, of forward hooks: it is called after an error, too, with the output if there
 * is one; what it returns is dropped then, and its own error is a warning. */
FA_API int64_t fa__module_hook_change(fa_module *module, int64_t hook, bool first, bool always);

/** @} */

FA__END

#include <facula/layer.h>
#endif
