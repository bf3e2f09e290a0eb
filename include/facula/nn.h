/** @file
 *  Modules: parameters, buffers, child modules and a forward function. Layers are modules; so are the program's own.
 *
 *      fa_module *net = fa_nn_sequential(fa_nn_linear(64, 32), fa_nn_relu(), fa_nn_linear(32, 10));
 *      fa_tensor *logits = fa_forward(net, x);
 *
 *  A module is made in training mode, in the innermost scope, and holds its parameters, buffers and children. One
 * module may be used for inference by several threads at once as long as none changes it. */
#ifndef FACULA_NN_H
#define FACULA_NN_H
#include <facula/tensor.h>
#include <facula/types.h>

FA__BEGIN

/* ---- using modules ---- */

/** The result of a module for one or more inputs.
 *
 *      fa_forward(net, x)
 *      fa_forward(attention, query, key, value)
 *
 *  An error on the way names the modules that it came up in: "... in conv2d "3" of sequential "features" of net".
 *  It is a memory scope: what the module made on the way is freed when it returns, unless backward needs it. NULL and
 * an error when the module takes another number of inputs, or when its function failed. */
#define fa_forward(module, ...) fa__forward(module, FA_TENSORS(__VA_ARGS__))
FA_API fa_tensor *fa__forward(fa_module *module, fa_tensors inputs);

/** Switches a module and all below it to training, or (training = false) to inference: what dropout and
 *  batch_norm do depends on it. Parameters and recording stay as they are; FA_USE(.no_grad = true) is what saves
 * memory. Not while another thread uses the module. Returns the module; NULL and an error for NULL. */
FA_API fa_module *fa_module_train(fa_module *module, bool training);
/** Whether it is in training mode. */
FA_API bool fa_module_training(const fa_module *module);

FA_API fa_module *fa__module_to(fa_module *module, fa_place where);
/** Moves a module to a device, or its floating parameters and buffers to a dtype, in place: they stay the same tensors,
 *  so gradients, an optimizer's state and every other holder follow. All are looked at first, so that what cannot move
 *  changes nothing, and the error tells its path; only where memory runs out some may have moved. A graph that was
 *  recorded before and keeps what has changed is out of date: fa_backward() through it is an error. Returns the module.
 *
 *      fa_module_to(net, FA_CUDA(0));  fa_module_to(net, FA_BF16); */
#define fa_module_to(module, where) fa__module_to(module, FA__PLACE(where))

/** Takes the gradients of all parameters away: fa_grad() is NULL then. */
FA_API bool fa_module_zero_grad(fa_module *module);

/** Lets the floating parameters of a module and all below it collect gradients, or (requires_grad = false) freezes
 * them: the gradients that they have are taken away, backward passes them by, and so optimizers leave them as they are.
 * PyTorch leaves gradients where they are, and the next step takes them. Modes and buffers stay as they are: a frozen
 * batch_norm that is to keep its statistics needs fa_module_train(module, false) too. Returns the module; NULL and an
 * error for NULL. */
FA_API fa_module *fa_module_set_requires_grad(fa_module *module, bool requires_grad);

/** Tensors with their names. Holds them, and belongs to the scope it was made in; one of fa_params() belongs to nobody.
 */
typedef struct fa_parameters {
    size_t count;            /**< how many */
    fa_tensor *const *item;  /**< as many tensors */
    const char *const *name; /**< "fc1.weight"; NULL: they have none */
} fa_parameters;

/** The parameters of a module, its own first, then those of its children: each once, under the first of its names. */
FA_API fa_parameters fa_module_parameters(const fa_module *module);
/** Its buffers, in the same way. */
FA_API fa_parameters fa_module_buffers(const fa_module *module);
/** Both, a module's own before those of its children: what is saved of it, by the names that PyTorch has for the same
 * layers. */
FA_API fa_parameters fa_module_state(const fa_module *module);
/* The same with each tensor under all names that it has: what fa_load() may find. */
FA_API fa_parameters fa__module_names(const fa_module *module);

/** Modules with their names. Holds them, and belongs to the scope it was made in. */
typedef struct fa_modules {
    size_t count;            /**< how many */
    fa_module *const *item;  /**< as many modules */
    const char *const *name; /**< "features.0"; NULL after an error */
} fa_modules;

/** The children of a module, in the order they came: each once, under the first of its names. */
FA_API fa_modules fa_module_children(const fa_module *module);
/** The module itself, by the name "", and all below it, each before what it has: each once, under the first of its
 * paths. */
FA_API fa_modules fa_module_modules(const fa_module *module);
/** Calls `function(each, context)` for the module and all below it, each once, and after what it has.
 *
 *      static bool begin(fa_module *m, void *context)
 *      {
 *          return strcmp(fa_module_kind(m), "linear") || fa_init_xavier_normal_(fa_module_tensor(m, "weight"));
 *      }
 *      fa_module_apply(net, begin, NULL);
 *
 *  It ends early when the function returns false. Returns the module; NULL, and an error, when it ended so. */
FA_API fa_module *fa_module_apply(fa_module *module, bool (*function)(fa_module *each, void *context), void *context);
/** The number of its children. 0 and an error for NULL. */
FA_API size_t fa_module_count(const fa_module *module);
/** Child number `index`, from 0; negative counts from the end. It stays the module's. NULL and an error when there is
 *  none. */
FA_API fa_module *fa_module_at(const fa_module *module, int64_t index);

/** The parameter or buffer of a name: "fc1.weight". It stays the module's. NULL and an error when there is none. */
FA_API fa_tensor *fa_module_tensor(const fa_module *module, const char *name);
/** The module below this one of a name: "fc1", "0.conv". It stays the module's. NULL and an error when there is none.
 */
FA_API fa_module *fa_module_child(const fa_module *module, const char *name);
/** What kind of module it is: "linear". "" for NULL. */
FA_API const char *fa_module_kind(const fa_module *module);
/** The number of elements of a module's parameters in all: what is called the size of a model. */
FA_API int64_t fa_module_numel(const fa_module *module);
/** The number of bytes that its parameters and buffers take in all, each once. A model built on FA_META takes none of
 *  them, so this tells what it would need on another device; gradients and what an optimizer keeps come on top. */
FA_API size_t fa_module_nbytes(const fa_module *module);

/** Options of fa_module_summary(). */
typedef struct fa_module_summary_options {
    size_t size;       /**< set by the macro */
    fa_shape input;    /**< of zeros to run it with, on the device of its first parameter; without dimensions: none */
    fa_dtype dtype;    /**< of these zeros; FA_SAME: that of its first parameter */
    fa_tensors inputs; /**< what to run it with instead */
    char fa__end;
} fa_module_summary_options;
#define FA__DEFAULT_fa_module_summary                                                                                  \
    {                                                                                                                  \
        offsetof(fa_module_summary_options, fa__end), {0, {0}}, FA_SAME, {0, NULL}, 0                                  \
    }
/** Writes a module with all below it to `file` as a table. Without an input it has the parameters and buffers of each,
 *  and their shapes. With one, the module is run on it once, in inference and without gradients, and the table has the
 *  shape of what each module gave, and how many multiplications with addition its linear layers and convolutions took
 *  (bias not counted; twice that are what is called FLOPs). Modules that were run several times count each, with the
 *  first shape. Totals are at the end: parameters and frozen ones, bytes of these and buffers, of the input, and of
 * what the layers that have no others below them gave. A network on FA_META is run there, without computing. Modes are
 * as before when it returns.
 *
 *      fa_module_summary(net, stdout, .input = FA_SHAPE(1, 3, 32, 32), .dtype = FA_SAME, .inputs)
 *
 *  @param module  any
 *  @param file    to write to
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return false and an error when running or writing failed */
FA_API bool fa_module_summary(const fa_module *module, FILE *file, const fa_module_summary_options *options);
#define fa_module_summary(...) FA__CALL2(fa_module_summary, FA__SAME, FA__SAME, __VA_ARGS__)

/* ---- modules of the program's own ---- */

/** What a module does: of one input, or of several. fa_nn_custom makes it of either function. */
typedef struct fa_forward_function {
    fa_tensor *(*one)(fa_module *module, fa_tensor *input);   /**< NULL: it is the other one */
    fa_tensor *(*many)(fa_module *module, fa_tensors inputs); /**< NULL: it is the other one */
} fa_forward_function;

/** Options of fa_nn_custom(). */
typedef struct fa_nn_custom_options {
    size_t size;                 /**< set by the macro */
    const void *data;            /**< what its data begins as, copied; NULL: zeros */
    void (*destroy)(void *data); /**< called with the module's data before the module goes */
    char fa__end;
} fa_nn_custom_options;
#define FA__DEFAULT_fa_nn_custom                                                                                       \
    {                                                                                                                  \
        offsetof(fa_nn_custom_options, fa__end), NULL, NULL, 0                                                         \
    }

/** A module of the program's own.
 *
 *      fa_nn_custom("mlp", sizeof(mlp), mlp_forward, .data = NULL, .destroy = NULL)
 *
 *  @param kind    its name in messages; copied
 *  @param bytes   of its data, which is freed with the module and begins as zeros, or as .data; see fa_module_data()
 *  @param forward a function of (fa_module *, fa_tensor *) or of (fa_module *, fa_tensors) that returns a tensor, or
 *                 NULL after an error
 *  @param options what the macro makes of the named options; NULL for the defaults */
FA_API fa_module *fa_nn_custom(const char *kind, size_t bytes, fa_forward_function forward,
                               const fa_nn_custom_options *options);
#define fa_nn_custom(...) FA__CALL3(fa_nn_custom, FA__SAME, FA__SAME, FA__FORWARD, __VA_ARGS__)

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

#define FA__BIND_FA__FORWARD(text, name, v)
#define FA__PASS_FA__FORWARD(name, v) FA__FORWARD(v)
#ifdef __cplusplus
}
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
#define FA__FORWARD(f)                                                                                                 \
    _Generic(&*(f), fa_tensor * (*)(fa_module *, fa_tensor *)                                                          \
             : fa__forward_one, fa_tensor * (*)(fa_module *, fa_tensors)                                               \
             : fa__forward_many)(f)
#endif

/** The data of a module that fa_nn_custom made, aligned to 16 bytes; NULL when it has none. */
FA_API void *fa_module_data(const fa_module *module);
/** Gives a module a child under a name of its own, without dots; the module holds it from now on. Returns the child;
 * NULL and an error when the name is taken, or the module would become a part of itself. */
FA_API fa_module *fa_module_add(fa_module *module, const char *name, fa_module *child);
/** The same under its next number: "0", "1", ... Returns the child. */
FA_API fa_module *fa_module_append(fa_module *module, fa_module *child);
/** Puts a module in the place of the child of a name: fa_module_replace(net, "head", fa_nn_linear(64, 5)). The old one
 *  is released; an optimizer that was made before keeps its parameters, and does not know those of the new one. Where
 * the data of the module that has it points to the old child, it points to the new one from now on. Not while another
 * thread uses the module.
 *  @param module the module, or one above it
 *  @param name   of the child, with a dot between levels: "features.0"
 *  @param child  in its place
 *  @return the new child; NULL and an error when there is no such name, or a module would become a part of itself */
FA_API fa_module *fa_module_replace(fa_module *module, const char *name, fa_module *child);
/** Puts a tensor in the place of a parameter or buffer, in the same way: so two modules share a weight. A floating
 *  parameter collects gradients from now on, which an optimizer that was made before does not know.
 *
 *      fa_module_replace_tensor(net, "decoder.weight", fa_module_tensor(net, "encoder.weight"));
 *
 *  @param module the module, or one above it
 *  @param name   of the tensor, with a dot between levels
 *  @param tensor in its place: a leaf where it is a parameter, of any shape
 *  @return the tensor; NULL and an error */
FA_API fa_tensor *fa_module_replace_tensor(fa_module *module, const char *name, fa_tensor *tensor);
/** Gives a module a parameter under a name of its own: a leaf, which collects gradients from now on if it is floating.
 * The module holds it. Returns `tensor`; NULL and an error as fa_module_add(). */
FA_API fa_tensor *fa_module_parameter(fa_module *module, const char *name, fa_tensor *tensor);
/** Gives a module a tensor that moves with it but is not learned, under a name of its own. The module holds it. Returns
 *  `tensor`; NULL and an error as fa_module_add(). */
FA_API fa_tensor *fa_module_buffer(fa_module *module, const char *name, fa_tensor *tensor);

/* ---- modules of modules ---- */

FA_API fa_module *fa__nn_sequential(size_t count, fa_module *const *modules);
/** Modules one after the other, as children "0", "1", ...: fa_nn_sequential(fa_nn_linear(64, 10), fa_nn_relu()) */
#ifdef __cplusplus
}
template <class... T> static inline fa_module *fa_nn_sequential(T... module)
{
    fa_module *const m[sizeof...(module) + 1] = {module...};
    return fa__nn_sequential(sizeof...(module), m);
}
extern "C" {
#else
#define fa_nn_sequential(...) FA__CAT(FA__SEQUENTIAL, FA__EMPTY(__VA_ARGS__))(__VA_ARGS__)
#define FA__SEQUENTIAL0(...) fa__nn_sequential(FA__COUNT(__VA_ARGS__), (fa_module *const[]){__VA_ARGS__})
#define FA__SEQUENTIAL1(...) fa__nn_sequential(0, NULL)
#endif

FA_API fa_module *fa__nn_list(size_t count, fa_module *const *modules);
/** Modules of a module of the program's own, by number: children "0", "1", ..., which fa_module_at() gives back.
 *  fa_nn_list(fa_nn_linear(64, 32), fa_nn_linear(32, 10)); fa_module_append() adds more. It has no forward function. */
#ifdef __cplusplus
}
template <class... T> static inline fa_module *fa_nn_list(T... module)
{
    fa_module *const m[sizeof...(module) + 1] = {module...};
    return fa__nn_list(sizeof...(module), m);
}
extern "C" {
#else
#define fa_nn_list(...) FA__CAT(FA__NN_LIST, FA__EMPTY(__VA_ARGS__))(__VA_ARGS__)
#define FA__NN_LIST0(...) fa__nn_list(FA__COUNT(__VA_ARGS__), (fa_module *const[]){__VA_ARGS__})
#define FA__NN_LIST1(...) fa__nn_list(0, NULL)
#endif
/** Modules by name: fa_module_add() adds them, fa_module_child() gives them back, fa_module_children() lists them in
 * the order they came. It has no forward function. */
FA_API fa_module *fa_nn_dict(void);

/** @defgroup module_hook Functions that are called when a module runs: to look at what goes in and out, forward and
 * backward, or to change it.
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
 *  the module.
 *  @{ */

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

/** @} */

FA__END

#include <facula/layer.h>
#endif
