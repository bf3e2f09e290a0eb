/** @file
 *  Operations as data. Three things are here:
 *
 *  - Reflection: every operation of the library, and every registered one, with its arguments, defaults, results and
 *    documentation. Language bindings, importers and tools read it.
 *  - Calls by operation: fa_call() calls any operation, with positional and named arguments.
 *  - Registration: fa_register_op() adds an operation of a program or plugin. Autograd, autocast, placement, fallback,
 *    error messages and `meta` treat it as they treat the library's own.
 *
 *  A program registers an operation once and calls it like this (examples/custom_operation.c is complete):
 *
 *      typedef struct { const fa_tensor *x; double limit; } clip_args;
 *
 *      const fa_op_field fields[] = {
 *          FA_FIELD(clip_args, x, FA_KIND_TENSOR, "any floating tensor"),
 *          FA_OPTION(clip_args, limit, FA_KIND_DOUBLE, 1.0, "the largest absolute value"),
 *      };
 *      const fa_op *clip = fa_register_op("demo::clip", 2, fields, .cpu = clip_cpu, .gradient = clip_gradient);
 *      fa_tensor *y = fa_call(clip, x, FA_ARGUMENT("limit", 0.5));
 *
 *  **Shapes.** `.infer` gets the arguments and fills in the dtype and shape of each result. It runs on `meta` too, and
 *  must not read elements. Without it each result has the dtype and shape of the first tensor.
 *
 *  **Kernels.** They are looked up by kind of device: `.cpu` runs on the CPU and on `late`, `.gpu` (text in the
 *  library's kernel dialect) on OpenCL. A call on a device without a kernel is FA_ERROR_UNAVAILABLE, or runs on the CPU
 *  under FA_USE(.fallback = true). A CPU kernel may run later than the call and on another thread: it gets pointers,
 *  shapes, strides and a copy of the arguments, and no tensors; the only functions of the library that it may call are
 *  those named fa_operand_... here and fa_fail(). Its memory is its own: results are new and never overlap operands,
 *  except for the operand that the in-place form writes.
 *
 *  **Gradients.** `.gradient` computes them from tensors with operations, so they have gradients of their own, to any
 *  order. Without it the results need no gradient.
 *
 *  **Expressions.** With `.expression` the operation is pointwise, and shapes (by broadcasting), dtypes (by promotion),
 *  gradients, kernels for all devices and the in-place form are derived from the text, as for fa_pointwise().
 *
 *  **Names and lifetime.** A name is letters, digits and `_`, with an optional `namespace::` in front, which plugins
 *  should have. A second registration of a name fails with FA_ERROR_ARGUMENT; fa_op_find() returns NULL if it is
 *  free. Operations stay until the process ends, as graphs may refer to them: there is no way to unregister one, and
 *  the shared object that holds its functions stays loaded even after dlclose(). Names, texts, fields and defaults are
 *  copied. All functions here may be called from any thread. */
#ifndef FACULA_OP_H
#define FACULA_OP_H
#include <facula/types.h>

FA__BEGIN

/** An operation: a row of the library's or a registered one. Lives until the process ends. */
typedef struct fa__op fa_op;

/** The type of an argument. */
typedef enum fa_kind {
    FA_KIND_TENSOR,  /**< `const fa_tensor *` */
    FA_KIND_LIKE,    /**< `const fa_tensor *` of which only shape, dtype and device are used */
    FA_KIND_TENSORS, /**< `fa_tensors` */
    FA_KIND_LIST,    /**< `fa_list`: numbers */
    FA_KIND_NUMBER,  /**< `fa_arg`: a tensor or a number */
    FA_KIND_INT,     /**< `int64_t` */
    FA_KIND_DOUBLE,  /**< `double` */
    FA_KIND_BOOL,    /**< `bool` */
    FA_KIND_DIMS,    /**< `fa_dims`: one dimension, several, or all */
    FA_KIND_PAIR,    /**< `fa_pair`: a height and a width */
    FA_KIND_SHAPE,   /**< `fa_shape` */
    FA_KIND_DTYPE,   /**< `fa_dtype` */
    FA_KIND_DEVICE,  /**< `fa_device` */
    FA_KIND_ENUM,    /**< an enumeration of four bytes, as `fa_reduction` */
    FA_KIND_STRING   /**< `const char *` */
} fa_kind;

/** An argument of a call by operation, or the default of an option. FA_ARGUMENT() and the macros of fa_call() make
 * them.
 */
typedef struct fa_value {
    const char *name; /**< the argument's name; NULL: the next argument in order */
    fa_kind kind;     /**< which member of `as` holds the value */
    /** What an argument is, by its kind. */
    union fa_value_as {
        const fa_tensor *tensor; /**< of FA_KIND_TENSOR and FA_KIND_LIKE; may be NULL where it is optional */
        fa_tensors tensors;      /**< of FA_KIND_TENSORS */
        fa_list list;            /**< of FA_KIND_LIST */
        fa_arg number;           /**< of FA_KIND_NUMBER */
        int64_t i;               /**< of FA_KIND_INT, _BOOL, _DIMS, _PAIR, _DTYPE and _ENUM */
        double f;                /**< of FA_KIND_DOUBLE */
        fa_shape shape;          /**< of FA_KIND_SHAPE */
        fa_device device;        /**< of FA_KIND_DEVICE */
        const char *string;      /**< of FA_KIND_STRING */
    } as;                        /**< the value */
} fa_value;

/** An argument of an operation. */
typedef struct fa_op_field {
    const char *name;  /**< as in errors and in FA_ARGUMENT() */
    fa_kind kind;      /**< its type */
    size_t offset;     /**< in the struct of arguments of a registered operation; 0 for the library's own */
    size_t size;       /**< its size there */
    bool optional;     /**< it has a default */
    fa_value fallback; /**< the default of an optional argument */
    const char *doc;   /**< what it means; "" if its meaning is evident */
} fa_op_field;

/** An operation at a glance. All texts live until the process ends. */
typedef struct fa_op_info {
    const char *name;        /**< "sum", whose function is fa_sum(); "demo::clip" */
    const char *group;       /**< its header: "reduce" is facula/ops/reduce.h; "" if registered */
    const char *doc;         /**< its documentation, in lines; "" if there is none */
    const char *expression;  /**< of a pointwise operation: "x * sigmoid(x)"; NULL otherwise */
    const char *no_gradient; /**< why its results need no gradient; NULL if they may */
    int fields;              /**< the number of arguments */
    int results;             /**< the number of results; 0: a list, whose length depends on the call */
    bool pointwise;          /**< computed element by element, with broadcasting */
    bool view;               /**< the result shares its operand's memory */
    bool composed;           /**< computed by calling other operations */
    bool functional;         /**< there is a form that returns a new result; fa_uniform_() has none */
    bool inplace;            /**< there is an in-place form: fa_add_() */
    bool out;                /**< it takes `.out`, a tensor to write the result into */
    bool random;             /**< it draws random numbers */
    bool registered;         /**< by fa_register_op() */
} fa_op_info;

FA__END

#ifdef __cplusplus
static inline fa_value fa__value_of_kind(fa_kind kind)
{
    fa_value v = FA__NONE;
    v.kind = kind;
    return v;
}
#define FA__VALUE_FUNCTION(name, type, kind_, member)                                                                  \
    static inline fa_value fa__value(type x)                                                                           \
    {                                                                                                                  \
        fa_value v = fa__value_of_kind(kind_);                                                                         \
        v.as.member = x;                                                                                               \
        return v;                                                                                                      \
    }
#else
#define FA__VALUE_FUNCTION(name, type, kind_, member)                                                                  \
    static inline fa_value fa__value_##name(type x)                                                                    \
    {                                                                                                                  \
        fa_value v = {.kind = kind_};                                                                                  \
        v.as.member = x;                                                                                               \
        return v;                                                                                                      \
    }
#endif
FA__VALUE_FUNCTION(tensor, const fa_tensor *, FA_KIND_TENSOR, tensor)
FA__VALUE_FUNCTION(tensors, fa_tensors, FA_KIND_TENSORS, tensors)
FA__VALUE_FUNCTION(list, fa_list, FA_KIND_LIST, list)
FA__VALUE_FUNCTION(number, fa_arg, FA_KIND_NUMBER, number)
FA__VALUE_FUNCTION(bool, bool, FA_KIND_BOOL, i)
FA__VALUE_FUNCTION(shape, fa_shape, FA_KIND_SHAPE, shape)
FA__VALUE_FUNCTION(device, fa_device, FA_KIND_DEVICE, device)
FA__VALUE_FUNCTION(string, const char *, FA_KIND_STRING, string)

#ifdef __cplusplus
static inline fa_value fa__value(fa_value v)
{
    return v;
}

static inline fa_value fa__value(std::nullptr_t)
{
    return fa__value_of_kind(FA_KIND_TENSOR);
}

static inline fa_value fa__value(const fa__tensor_list &l)
{
    return fa__value((fa_tensors)l);
}

static inline fa_value fa__value(const fa__number_list &l)
{
    return fa__value((fa_list)l);
}

template <class N> static inline std::enable_if_t<std::is_floating_point<N>::value, fa_value> fa__value(N x)
{
    fa_value v = fa__value_of_kind(FA_KIND_DOUBLE);
    v.as.f = (double)x;
    return v;
}

template <class N>
static inline std::enable_if_t<std::is_integral<N>::value || std::is_enum<N>::value, fa_value> fa__value(N x)
{
    fa_value v = fa__value_of_kind(FA_KIND_INT);
    v.as.i = (int64_t)x;
    return v;
}

#define FA_VALUE(v) fa__value(v)
#else
FA__VALUE_FUNCTION(int, int64_t, FA_KIND_INT, i)
FA__VALUE_FUNCTION(double, double, FA_KIND_DOUBLE, f)

static inline fa_value fa__value_same(fa_value v)
{
    return v;
}

/* What NULL is: no tensor. */
static inline fa_value fa__value_null(const void *none)
{
    (void)none;
    return fa__value_tensor(NULL);
}

/** What stands for one argument of an operation; fa_call() applies it itself. */
#define FA_VALUE(v)                                                                                                    \
    _Generic((v),                                                                                                      \
        fa_value: fa__value_same,                                                                                      \
        fa_tensor *: fa__value_tensor,                                                                                 \
        const fa_tensor *: fa__value_tensor,                                                                           \
        void *: fa__value_null,                                                                                        \
        fa_tensors: fa__value_tensors,                                                                                 \
        fa_list: fa__value_list,                                                                                       \
        fa_arg: fa__value_number,                                                                                      \
        bool: fa__value_bool,                                                                                          \
        fa_shape: fa__value_shape,                                                                                     \
        fa_device: fa__value_device,                                                                                   \
        char *: fa__value_string,                                                                                      \
        const char *: fa__value_string,                                                                                \
        float: fa__value_double,                                                                                       \
        double: fa__value_double,                                                                                      \
        default: fa__value_int)(v)
#endif

static inline fa_value fa__argument(const char *name, fa_value v)
{
    v.name = name;
    return v;
}

/** A named argument of fa_call(): FA_ARGUMENT("dim", 1). */
#define FA_ARGUMENT(name, v) fa__argument(name, FA_VALUE(v))

FA__BEGIN

/* ---- reflection ---- */

/** How many operations there are: the library's, then the registered ones, in the order of registration. */
FA_API size_t fa_op_count(void);
/** Operation i, below fa_op_count(). The library's are in the order of their names. NULL and an error out of range. */
FA_API const fa_op *fa_op_at(size_t i);
/** The operation of that name, as "sum" or "demo::clip"; NULL, and no error, if there is none. */
FA_API const fa_op *fa_op_find(const char *name);
/** What an operation is; zeros and an error for NULL. */
FA_API fa_op_info fa_op_describe(const fa_op *op);
/** Argument i of an operation, from 0; zeros and an error out of range. */
FA_API fa_op_field fa_op_field_at(const fa_op *op, int i);
/** The name of result i, as "values"; of an operation that returns a list, result 0 names the list. NULL and an error
 *  out of range. */
FA_API const char *fa_op_result_name(const fa_op *op, int i);

/* ---- calls ---- */

/** Calls an operation with `count` arguments in `values`, positional ones first; what fa_call() expands to.
 *  @return its result, or the first one, in the scope; NULL and an error, also where the operation returns a list */
FA_API fa_tensor *fa_op_call(const fa_op *op, size_t count, const fa_value *values);
/** As fa_op_call(), with the `count` arguments in `values`, and with all results: in an array that the scope owns;
 * count 0 and an error on failure. */
FA_API fa_tensors fa_op_call_all(const fa_op *op, size_t count, const fa_value *values);
/** As fa_op_call(), with the `count` arguments in `values`, and with the result written into `out`, as by `.out`. */
FA_API fa_tensor *fa_op_call_out(const fa_op *op, fa_tensor *out, size_t count, const fa_value *values);
/** The in-place form, with the `count` arguments in `values`: overwrites the operand that fa_add_() and its like
 *  overwrite, usually the first. */
FA_API fa_tensor *fa_op_call_(const fa_op *op, size_t count, const fa_value *values);

FA__END

#ifdef __cplusplus
template <class... A> static inline fa_tensor *fa_call(const fa_op *op, const A &...a)
{
    const fa_value v[] = {fa__value(a)...};
    return fa_op_call(op, sizeof...(a), v);
}

template <class... A> static inline fa_tensors fa_call_all(const fa_op *op, const A &...a)
{
    const fa_value v[] = {fa__value(a)...};
    return fa_op_call_all(op, sizeof...(a), v);
}

template <class... A> static inline fa_tensor *fa_call_out(const fa_op *op, fa_tensor *out, const A &...a)
{
    const fa_value v[] = {fa__value(a)...};
    return fa_op_call_out(op, out, sizeof...(a), v);
}

template <class... A> static inline fa_tensor *fa_call_(const fa_op *op, const A &...a)
{
    const fa_value v[] = {fa__value(a)...};
    return fa_op_call_(op, sizeof...(a), v);
}
#define fa_call(...) FA__CALLED(fa_call(__VA_ARGS__))
#define fa_call_all(...) FA__CALLED(fa_call_all(__VA_ARGS__))
#define fa_call_out(...) FA__CALLED(fa_call_out(__VA_ARGS__))
#define fa_call_(...) FA__CALLED(fa_call_(__VA_ARGS__))
#else
#define FA__VALUES(...)                                                                                                \
    FA__COUNT(__VA_ARGS__), (const fa_value[])                                                                         \
    {                                                                                                                  \
        FA__MAP(FA_VALUE, __VA_ARGS__)                                                                                 \
    }
/** Calls an operation with its arguments in order, then named ones: fa_call(op, x, FA_ARGUMENT("dim", 1)). An argument
 * is a tensor, a number, a bool, a string, FA_SHAPE(), FA_TENSORS(), FA_LIST() or a device; there is at least one.
 *  @return the (first) result, in the scope; NULL and an error on failure */
#define fa_call(op, ...) FA__CALLED(fa_op_call(op, FA__VALUES(__VA_ARGS__)))
/** The same with all results: fa_call_all(max, x, FA_ARGUMENT("dim", 1)).item[1] are the indices. */
#define fa_call_all(op, ...) FA__CALLED(fa_op_call_all(op, FA__VALUES(__VA_ARGS__)))
/** The same with the result written into `out`. */
#define fa_call_out(op, out, ...) FA__CALLED(fa_op_call_out(op, out, FA__VALUES(__VA_ARGS__)))
/** The in-place form: fa_call_(add, x, 1) is fa_add_(x, 1). */
#define fa_call_(op, ...) FA__CALLED(fa_op_call_(op, FA__VALUES(__VA_ARGS__)))
#endif

FA__BEGIN

/* ---- registration ---- */

/** An argument without a default, for an array of fa_op_field: FA_FIELD(clip_args, x, FA_KIND_TENSOR, "any dtype"). The
 *  struct has a member of that name. */
#define FA_FIELD(type, name, kind, doc)                                                                                \
    fa__field_of(#name, kind, offsetof(type, name), sizeof(((type *)NULL)->name), NULL, doc)
/** An argument with a default: FA_OPTION(clip_args, limit, FA_KIND_DOUBLE, 1.0, "the largest absolute value"). */
#define FA_OPTION(type, name, kind, fallback, doc)                                                                     \
    fa__option_of(#name, kind, offsetof(type, name), sizeof(((type *)NULL)->name), FA_VALUE(fallback), doc)

static inline fa_op_field fa__field_of(const char *name, fa_kind kind, size_t offset, size_t size,
                                       const fa_value *fallback, const char *doc)
{
    fa_op_field f = FA__NONE;
    f.name = name;
    f.kind = kind;
    f.offset = offset;
    f.size = size;
    f.optional = fallback != NULL;
    if (fallback)
        f.fallback = *fallback;
    f.doc = doc;
    return f;
}

static inline fa_op_field fa__option_of(const char *name, fa_kind kind, size_t offset, size_t size, fa_value fallback,
                                        const char *doc)
{
    return fa__field_of(name, kind, offset, size, &fallback, doc);
}

/** The dtype and shape of a result. */
typedef struct fa_op_spec {
    fa_dtype dtype; /**< of the elements */
    fa_shape shape; /**< the sizes */
} fa_op_spec;

/** An operand or result as a kernel sees it. */
typedef struct fa_operand {
    void *data;                  /**< element (0, ..., 0); NULL if there are no elements, or no tensor was given. For
                                      `.gpu_items` it is not an address of the host's */
    fa_dtype dtype;              /**< of the elements */
    int rank;                    /**< the number of dimensions */
    int64_t shape[FA_MAX_DIMS];  /**< their sizes */
    int64_t stride[FA_MAX_DIMS]; /**< in elements; may be 0 or negative */
    fa_arg number; /**< of FA_KIND_NUMBER: the number, if there is no tensor; kind FA__ARG_TENSOR if there is */
} fa_operand;

/** A call as a kernel sees it. Everything in it lives until the kernel returns. */
typedef struct fa_op_launch {
    const void *args; /**< a copy of the struct of arguments, in which all tensors are NULL */
    void *context;    /**< as registered */
    int results;      /**< the number of results */
    int operands;     /**< the number of operands */
    /** The results. */
    const fa_operand *result;
    /** One for each argument of FA_KIND_TENSOR and FA_KIND_NUMBER and for each item of a FA_KIND_TENSORS, in order. */
    const fa_operand *operand;
} fa_op_launch;

/** What `.gradient` gets. */
typedef struct fa_op_backward {
    const void *args; /**< the arguments of the call; tensors that `.saved` does not name have shape and dtype only */
    void *context;    /**< as registered */
    int results;      /**< the number of results */
    fa_tensor *const *grad;   /**< the gradient of each result; zeros if it is not needed */
    fa_tensor *const *result; /**< each result that `.saved` names; NULL for the others */
    const void *internal;     /**< the library's */
} fa_op_backward;

/** What autocast does with the floating operands of an operation, except for f64. */
typedef enum fa_autocast {
    FA_AUTOCAST_NONE,  /**< nothing */
    FA_AUTOCAST_LOW,   /**< converted to the dtype of `.autocast`, as f16: for matrix products and the like */
    FA_AUTOCAST_F32,   /**< converted to f32: for exponentials, long sums and losses */
    FA_AUTOCAST_WIDEST /**< converted to the widest dtype among them */
} fa_autocast;

/** Options of fa_register_op. Either `expression`, or at least one kernel. */
typedef struct fa_register_op_options {
    size_t size;            /**< set by the macro */
    const char *doc;        /**< the documentation that fa_op_describe() gives */
    const char *results;    /**< the names of 1 to 4 results: "values, indices"; NULL: "y" */
    const char *expression; /**< a pointwise operation: see fa_pointwise(); its operands are tensors and numbers */
    /** Fills in the dtype and shape of each result; false after fa_fail() if the operands do not fit. */
    bool (*infer)(const void *args, fa_op_spec *result, void *context);
    /** Computes gradients by operations and hands them over by fa_op_set_grad(); false after fa_fail(). */
    bool (*gradient)(const fa_op_backward *b);
    /** Names of the operands and results whose elements `.gradient` reads: "x, y". NULL: all operands. */
    const char *saved;
    bool (*cpu)(const fa_op_launch *l); /**< the kernel for the CPU and `late`; false after fa_fail() */
    const char *gpu;                    /**< the kernel for GPUs, in the library's kernel dialect */
    /** How many work-items `.gpu` runs with, rounded up to whole groups. NULL: the number of elements of result 0. */
    int64_t (*gpu_items)(const fa_op_launch *l);
    int gpu_group;            /**< work-items of a group, 1 to 256 */
    const char *inplace;      /**< the name of the operand that the in-place form overwrites; NULL: no such form */
    fa_autocast autocast;     /**< on GPUs and `late` */
    fa_autocast autocast_cpu; /**< on the CPU */
    void *context;            /**< handed to all functions above; lives until the process ends */
    char fa__end;
} fa_register_op_options;
#define FA__DEFAULT_fa_register_op                                                                                     \
    {                                                                                                                  \
        offsetof(fa_register_op_options, fa__end), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 64, NULL,     \
            FA_AUTOCAST_NONE, FA_AUTOCAST_NONE, NULL, 0                                                                \
    }

/** Registers an operation.
 *
 *      fa_register_op(name, count, fields, .doc, .results = "y", .expression, .infer, .gradient, .saved, .cpu, .gpu,
 *                     .gpu_items, .gpu_group = 64, .inplace, .autocast, .autocast_cpu, .context)
 *
 *  What `.gpu` may contain, and what each function gets, is described in docs/custom-operations.md.
 *
 *  @param name    "demo::clip"
 *  @param count   the number of arguments, 1 to 16
 *  @param fields  the arguments, in the order in which fa_call() takes them
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return the operation; NULL and an error that says what is wrong with the definition */
FA_API const fa_op *fa_register_op(const char *name, size_t count, const fa_op_field *fields,
                                   const fa_register_op_options *options);
#define fa_register_op(...)                                                                                            \
    FA__CALL3(fa_register_op, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__SAME, __VA_ARGS__)

/** In `.gradient`: whether the gradient of an argument is asked for. `field` is its address in b->args, as &a->x. */
FA_API bool fa_op_wants(const fa_op_backward *b, const void *field);
/** In `.gradient`: hands over the gradient `grad` of the argument at `field`, in its shape; several are added up. False
 *  and an error when it does not fit. */
FA_API bool fa_op_set_grad(const fa_op_backward *b, const void *field, fa_tensor *grad);
/** As fa_op_wants(), of item k of the argument of FA_KIND_TENSORS. */
FA_API bool fa_op_wants_item(const fa_op_backward *b, size_t k);
/** As fa_op_set_grad(): the gradient `grad` of item k of the argument of FA_KIND_TENSORS. */
FA_API bool fa_op_set_item_grad(const fa_op_backward *b, size_t k, fa_tensor *grad);

/** In a CPU kernel: the number of elements of an operand. */
FA_API int64_t fa_operand_count(const fa_operand *x);
/** In a CPU kernel: element i in row-major order, converted to double. Where a number was given, each is that number.
 */
FA_API double fa_operand_get(const fa_operand *x, int64_t i);
/** In a CPU kernel: stores `value` as element i in row-major order, rounded to the dtype. */
FA_API void fa_operand_set(const fa_operand *x, int64_t i, double value);

FA__END
#endif
