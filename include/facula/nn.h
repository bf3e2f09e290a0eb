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
#include <facula/to.h>
#include <facula/types.h>

FA__BEGIN

/* ---- using modules ---- */

/** The result of a module for one or more inputs.
 *
 *      fa_forward(net, x)
 *      fa_forward(attention, query, key, value)
 *
 *  It is a memory scope: what the module made on the way is freed when it returns, unless backward needs it. NULL and
 * an error when the module takes another number of inputs, or when its function failed. */
#define fa_forward(module, ...) fa__forward(module, FA_TENSORS(__VA_ARGS__))
FA_API fa_tensor *fa__forward(fa_module *module, fa_tensors inputs);

/** Switches a module and all below it to training, or (training = false) to inference: what dropout does depends on it.
 *  Parameters and recording stay as they are; FA_USE(.no_grad = true) is what saves memory. Not while another thread
 *  uses the module. Returns the module; NULL and an error for NULL. */
FA_API fa_module *fa_module_train(fa_module *module, bool training);
/** Whether it is in training mode. */
FA_API bool fa_module_training(const fa_module *module);

FA_API fa_module *fa__module_to(fa_module *module, fa_place where);
/** Moves a module to a device, or its floating parameters and buffers to a dtype, in place: they stay the same tensors,
 *  so gradients, an optimizer's state and every other holder follow. After an error some may have moved. Returns the
 *  module.
 *
 *      fa_module_to(net, FA_CUDA(0));  fa_module_to(net, FA_BF16); */
#define fa_module_to(module, where) fa__module_to(module, FA__PLACE(where))

/** Takes the gradients of all parameters away: fa_grad() is NULL then. */
FA_API bool fa_module_zero_grad(fa_module *module);

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
/** Writes a module with all below it to `file`: kinds, parameters, their shapes, how many elements they have, and the
 * bytes of all parameters and buffers. */
FA_API bool fa_module_summary(const fa_module *module, FILE *file);

/* ---- modules of the program's own ---- */

/** What a module does: of one input, or of several. fa_nn_custom makes it of either function. */
typedef struct fa_forward_function {
    fa_tensor *(*one)(fa_module *module, fa_tensor *input);   /**< NULL: it is the other one */
    fa_tensor *(*many)(fa_module *module, fa_tensors inputs); /**< NULL: it is the other one */
} fa_forward_function;

/** Options of fa_nn_custom(). */
typedef struct fa_nn_custom_options {
    size_t size;                 /**< set by the macro */
    void (*destroy)(void *data); /**< called with the module's data before the module goes */
    char fa__end;
} fa_nn_custom_options;
#define FA__DEFAULT_fa_nn_custom                                                                                       \
    {                                                                                                                  \
        offsetof(fa_nn_custom_options, fa__end), NULL, 0                                                               \
    }

/** A module of the program's own.
 *
 *      fa_nn_custom("mlp", sizeof(mlp), mlp_forward, .destroy = NULL)
 *
 *  @param kind    its name in messages; copied
 *  @param bytes   of its data, which begins as zeros and is freed with the module; see fa_module_data()
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
/** Gives a module a parameter under a name of its own: a leaf, which collects gradients from now on if it is floating.
 * The module holds it. Returns `tensor`; NULL and an error as fa_module_add(). */
FA_API fa_tensor *fa_module_parameter(fa_module *module, const char *name, fa_tensor *tensor);
/** Gives a module a tensor that moves with it but is not learned, under a name of its own. The module holds it. Returns
 *  `tensor`; NULL and an error as fa_module_add(). */
FA_API fa_tensor *fa_module_buffer(fa_module *module, const char *name, fa_tensor *tensor);

/* ---- layers ---- */

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

/** Options of fa_nn_linear(). */
typedef struct fa_nn_linear_options {
    size_t size;      /**< set by the macro */
    bool bias;        /**< add one */
    fa_dtype dtype;   /**< of the parameters; FA_SAME: f32 */
    fa_device device; /**< where they are made */
    char fa__end;
} fa_nn_linear_options;
#define FA__DEFAULT_fa_nn_linear                                                                                       \
    {                                                                                                                  \
        offsetof(fa_nn_linear_options, fa__end), true, FA_SAME, {0, 0}, 0                                              \
    }

/** x times the transpose of "weight" (out, in), plus "bias" (out): (..., in) becomes (..., out). Both begin uniform in
 *  ±1/sqrt(in), as PyTorch's do (He et al. 2015 with a = sqrt(5)).
 *
 *      fa_nn_linear(in, out, .bias = true, .dtype = FA_SAME, .device) */
FA_API fa_module *fa_nn_linear(int64_t in, int64_t out, const fa_nn_linear_options *options);
#define fa_nn_linear(...) FA__CALL2(fa_nn_linear, FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_nn_dropout(). */
typedef struct fa_nn_dropout_options {
    size_t size; /**< set by the macro */
    double p;    /**< the probability that an element becomes 0: 0 to 1 */
    char fa__end;
} fa_nn_dropout_options;
#define FA__DEFAULT_fa_nn_dropout                                                                                      \
    {                                                                                                                  \
        offsetof(fa_nn_dropout_options, fa__end), 0.5, 0                                                               \
    }

/** In training, each element is 0 with probability p and the rest scaled by 1 / (1 - p); in inference, its input
 *  (Srivastava et al. 2014).
 *
 *      fa_nn_dropout(.p = 0.5) */
FA_API fa_module *fa_nn_dropout(const fa_nn_dropout_options *options);
#define fa_nn_dropout(...) FA__CALL0(fa_nn_dropout, FA__OPTIONS(__VA_ARGS__))

/** All dimensions after the first joined to one. */
FA_API fa_module *fa_nn_flatten(void);
/** fa_relu() as a module. */
FA_API fa_module *fa_nn_relu(void);
/** fa_sigmoid() as a module. */
FA_API fa_module *fa_nn_sigmoid(void);
/** fa_tanh() as a module. */
FA_API fa_module *fa_nn_tanh(void);
/** fa_gelu() as a module. */
FA_API fa_module *fa_nn_gelu(void);
/** fa_silu() as a module. */
FA_API fa_module *fa_nn_silu(void);

FA__END
#endif
