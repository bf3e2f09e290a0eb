/** @file
 *  Tensors: creating them from the caller's data, querying, reading and printing them, and moving them between
 *  devices and dtypes. Operations are declared in operations.h.
 *
 *  A tensor has a dtype, a shape of at most 8 dimensions, and strides, in elements, over memory on one device. */
#ifndef FACULA_TENSOR_H
#define FACULA_TENSOR_H
#include <facula/types.h>

FA__BEGIN

/** @defgroup tensor Tensors
 *  @{ */

/** Options of fa_tensor_from. */
typedef struct fa_tensor_from_options {
    size_t size;        /**< set by the macro */
    fa_dtype dtype;     /**< dtype of `data` and of the tensor; FA_SAME: that of the pointer's type */
    fa_device device;   /**< where the tensor is created */
    bool requires_grad; /**< make the tensor a leaf that accumulates a gradient */
    fa_dtype pointed;   /**< set by the macro: the dtype of the pointer's type; FA_SAME: it has none */
    size_t room; /**< set by the macro: the bytes at the pointer that the compiler knows of; 0, SIZE_MAX: unknown */
    char fa__end;
} fa_tensor_from_options;
#define FA__DEVICE_fa_tensor_from ,
#define FA__DEFAULT_fa_tensor_from                                                                                     \
    {                                                                                                                  \
        offsetof(fa_tensor_from_options, fa__end), FA_SAME, {0, 0}, false, FA_SAME, 0, 0                               \
    }

/* A call of f(data, shape, options) that passes the dtype of data's type on. */
#define FA__CALL_DATA(f, named, ...)                                                                                   \
    FA__CALL_DATA_(f, named, __COUNTER__, FA__1(__VA_ARGS__), FA__2(__VA_ARGS__), FA__DROP2(__VA_ARGS__, .fa__end = 0))
#define FA__CALL_DATA_(...) FA__CALL_DATA__(__VA_ARGS__)
#define FA__CALL_DATA__(f, named, u, data, shape, ...)                                                                 \
    __extension__({                                                                                                    \
        FA__LINE(u)                                                                                                    \
        FA__CHECK_COMPLETE(#f, named)                                                                                  \
        FA__BIND_DATA(fa__a##u, data)                                                                                  \
        const FA__AUTO fa__b##u = shape;                                                                               \
        FA__STATIC_ASSERT(FA__IS_SHAPE(fa__b##u), "a shape goes here, such as FA_SHAPE(3, 4) or FA_SCALAR, and data "  \
                                                  "with commas in parentheses: ((float[]){1, 2, 3})");                 \
        FA__CHECK_NAMED(#f, named) f##_options fa__o##u = FA__DEFAULT_##f;                                             \
        fa__o##u.pointed = FA__DATA_DTYPE(fa__a##u, data);                                                             \
        fa__o##u.room = FA__DATA_ROOM(fa__a##u, data);                                                                 \
        FA__SET(f, fa__o##u, __VA_ARGS__)                                                                              \
        f(FA__PASS_DATA(fa__a##u, data), fa__b##u, &fa__o##u);                                                         \
    })

/** Creates a tensor with a copy of the caller's data. Its dtype is that of the pointer's type: f64 for a double *. A
 *  pointer to void, char or unsigned 16-bit and larger integers needs .dtype; so do other arrays than those of one or
 *  two dimensions in C. A .dtype that contradicts the pointer's type is an error; bytes (uint8_t, int8_t) may be those
 * of any dtype, and int16_t the bits of f16 and bf16. So is an array that the compiler knows to be too small for the
 *  shape.
 *
 *      fa_tensor_from(data, shape, .dtype, .device, .requires_grad = false)
 *  @param data  the elements in row-major order, of type dtype; may be NULL if the shape has no elements
 *  @param shape the shape, such as FA_SHAPE(3, 4) or FA_SCALAR
 *  @param options the options shown above; NULL for the defaults */
FA_API fa_tensor *fa_tensor_from(const void *data, fa_shape shape, const fa_tensor_from_options *options);
#define fa_tensor_from(...) FA__CALL_DATA(fa_tensor_from, FA__NAMED2(, ##__VA_ARGS__, ., ., .), __VA_ARGS__)

/** Options of fa_tensor_borrow. */
typedef struct fa_tensor_borrow_options {
    size_t size;            /**< set by the macro */
    fa_dtype dtype;         /**< dtype of the elements; FA_SAME: that of the pointer's type */
    const int64_t *strides; /**< stride of each dimension in elements, of any sign; NULL: row-major */
    fa_device device;       /**< the CPU, or `meta`; other devices have memory of their own */
    void (*free)(
        void *context,
        void *data);  /**< called once when the last tensor over the memory is freed, by the thread that frees it */
    void *ctx;        /**< passed to `free` */
    fa_dtype pointed; /**< set by the macro: the dtype of the pointer's type; FA_SAME: it has none */
    size_t room;      /**< set by the macro, as in fa_tensor_from_options */
    char fa__end;
} fa_tensor_borrow_options;
#define FA__DEVICE_fa_tensor_borrow ,
#define FA__DEFAULT_fa_tensor_borrow                                                                                   \
    {                                                                                                                  \
        offsetof(fa_tensor_borrow_options, fa__end), FA_SAME, NULL, {0, 0}, NULL, NULL, FA_SAME, 0, 0                  \
    }

/** Creates a tensor over the caller's memory, without a copy. The memory must outlive the tensor and its views. Its
 *  dtype is found as by fa_tensor_from().
 *
 *  The caller may read and write the memory whenever no call is running: no device is using it then. A copy to a
 *  device takes the values at the time of the call: up to 16 MiB are staged for this; for more, the call waits until
 *  the device has read them. A copy into the memory is complete when the call returns. These waits are counted under
 *  the name of the call (device.h), and .forbid = FA_SYNC makes them an error.
 *
 *      fa_tensor_borrow(data, shape, .dtype, .strides, .device, .free, .ctx)
 *  @param data  address of element (0, ..., 0); with negative strides, this is not the lowest address
 *  @param shape the shape, such as FA_SHAPE(3, 4) or FA_SCALAR
 *  @param options the options shown above; NULL for the defaults
 *  @return NULL and an error, also where shape or strides reach beyond an array that the compiler knows the size of */
FA_API fa_tensor *fa_tensor_borrow(void *data, fa_shape shape, const fa_tensor_borrow_options *options);
#define fa_tensor_borrow(...) FA__CALL_DATA(fa_tensor_borrow, FA__NAMED2(, ##__VA_ARGS__, ., ., .), __VA_ARGS__)

FA_API fa_tensor *fa__tensor_of(size_t count, const fa_arg *item);

/** A one-dimensional tensor of up to 64 numbers, on the default device: f32 if at least one of them is a
 *  floating-point number (fa_tensor_of(1.0, 2)), bool if all are bool (fa_tensor_of(true, false)), else i64. An integer
 *  that i64 cannot represent is an error. */
#ifdef __cplusplus
}
template <class... T> static inline fa_tensor *fa_tensor_of(T... v)
{
    static_assert(sizeof...(v) <= 64, "at most 64 items go here");
    const fa_arg a[] = {fa__number(v)...};
    return fa__tensor_of(sizeof...(v), a);
}
extern "C" {
#else
#define fa_tensor_of(...)                                                                                              \
    FA__CALLED(fa__tensor_of(FA__COUNT(__VA_ARGS__), (const fa_arg[]){FA__MAP(FA__NUMBER, __VA_ARGS__)}))
#endif

/** Options of fa_tensor_parse. */
typedef struct fa_tensor_parse_options {
    size_t size;      /**< set by the macro */
    fa_dtype dtype;   /**< dtype of the tensor. FA_SAME: f32 if a number has a decimal point or an exponent, or if there
                         are none; i64 if all are integers; bool if all are true or false */
    fa_device device; /**< where the tensor is created; by default, the device of the settings */
    bool requires_grad; /**< make the tensor a leaf that accumulates a gradient */
    char fa__end;
} fa_tensor_parse_options;
#define FA__DEVICE_fa_tensor_parse ,
#define FA__DEFAULT_fa_tensor_parse                                                                                    \
    {                                                                                                                  \
        offsetof(fa_tensor_parse_options, fa__end), FA_SAME, {0, 0}, false, 0                                          \
    }

/** Creates a tensor from text as Python and NumPy print it: "[[1, 2], [3, 4]]", "[1. 2.5 -inf]", "true", "[[], []]".
 *
 *      fa_tensor_parse(text, .dtype, .device, .requires_grad = false)
 *  @param text numbers, true, false, inf and nan, separated by commas, spaces or both, in nested lists of equal
 *  length
 *  @param options the options shown above; NULL for the defaults
 *  @return the tensor; NULL and an error with the reason and the byte at which the text is invalid. A number that the
 *  integer dtype cannot represent is an error too */
FA_API fa_tensor *fa_tensor_parse(const char *text, const fa_tensor_parse_options *options);
#define fa_tensor_parse(...) FA__CALL1(fa_tensor_parse, FA__NAMED1(, ##__VA_ARGS__, ., .), FA__SAME, __VA_ARGS__)

/** The dtype of a tensor; FA_SAME for NULL. */
FA_API fa_dtype fa_tensor_dtype(const fa_tensor *t);
/** The device of a tensor. */
FA_API fa_device fa_tensor_device(const fa_tensor *t);
/** Whether the values of a tensor were computed behind a fault of its device, such as an index out of range inside a
 *  kernel, that has been reported: reading or using them is an error (error.h). Does not wait, and raises no error. */
FA_API bool fa_tensor_is_faulty(const fa_tensor *t);
/** The number of dimensions; -1 for NULL. */
FA_API int fa_dim(const fa_tensor *t);
/** The size of dimension `dim`; negative counts from the end. -1 and an error if there is no such dimension. */
FA_API int64_t fa_size(const fa_tensor *t, int64_t dim);
/** The stride of dimension `dim`, in elements. 0 and an error if there is no such dimension. */
FA_API int64_t fa_stride(const fa_tensor *t, int64_t dim);
/** The shape of a tensor. */
FA_API fa_shape fa_tensor_shape(const fa_tensor *t);
/** The number of elements; -1 for NULL. */
FA_API int64_t fa_numel(const fa_tensor *t);
/** The size of one element in bytes. */
FA_API size_t fa_element_size(const fa_tensor *t);
/** The size of all elements in bytes. */
FA_API size_t fa_nbytes(const fa_tensor *t);
/** Returns true if the elements are in row-major order without gaps. */
FA_API bool fa_is_contiguous(const fa_tensor *t);

/** Whether `x` and `y` have the same shape and equal elements; NaN equals nothing. Elements of two dtypes are compared
 *  as fa_eq() does, in the dtype that both are promoted to. Waits for both.
 *  @return false also after an error: tensors on different devices are one */
FA_API bool fa_equal(const fa_tensor *x, const fa_tensor *y);

/** Options of fa_allclose. */
typedef struct fa_allclose_options {
    size_t size;    /**< set by the macro */
    double rtol;    /**< allowed difference, relative to |y| */
    double atol;    /**< allowed difference */
    bool equal_nan; /**< NaN is close to NaN */
    char fa__end;
} fa_allclose_options;
#define FA__DEFAULT_fa_allclose                                                                                        \
    {                                                                                                                  \
        offsetof(fa_allclose_options, fa__end), 1e-5, 1e-8, false, 0                                                   \
    }

/** Whether |x - y| <= atol + rtol * |y| for all elements of `x` and `y`, which are broadcast: fa_isclose() of all.
 *  Waits for both.
 *
 *      fa_allclose(x, y, .rtol = 1e-5, .atol = 1e-8, .equal_nan = false)
 *  @return false also after an error: tensors on different devices, and shapes that do not broadcast, are errors */
FA_API bool fa_allclose(const fa_tensor *x, const fa_tensor *y, const fa_allclose_options *options);
#define fa_allclose(...) FA__CALL2(fa_allclose, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__SAME, __VA_ARGS__)

/** The value of a tensor with one element. Waits for it. NaN if an error is set. */
FA_API double fa_item(const fa_tensor *t);
/** The value of a tensor with one element, exact for integers. Waits for it. 0 if an error is set. */
FA_API int64_t fa_item_int(const fa_tensor *t);
/** Copies the elements, in row-major order and converted to `dtype`, into `data`, which has room for `count`
 *  elements. Waits for them. A pointer of another type than `dtype` and an array that the compiler knows to be too
 * small are errors, as for fa_tensor_from().
 *  @return false if an error is set, also one that was set before the call, as after a failed fa_load(): then `data` is
 *  unchanged; false and an error if count is not the number of elements of the tensor. The compiler warns if a program
 *  does not look at it */
FA_API bool fa_read(const fa_tensor *t, void *data, fa_dtype dtype, int64_t count);
/* pointed, room: as in fa_tensor_from_options. */
FA_API bool fa__read(const fa_tensor *t, void *data, fa_dtype dtype, int64_t count, fa_dtype pointed, size_t room);
static inline __attribute__((__warn_unused_result__)) bool fa__looked_at(bool good)
{
    return good;
}
#define fa_read(t, data, dtype, count) fa__looked_at(FA__READ_(__COUNTER__, t, data, dtype, count))
#define FA__READ_(...) FA__READ__(__VA_ARGS__)
#define FA__READ__(u, t, data, dtype, count)                                                                           \
    FA__CALLED(__extension__({                                                                                         \
        FA__BIND_DATA(fa__a##u, data)                                                                                  \
        fa__read(t, FA__PASS_DATA(fa__a##u, data), dtype, count, FA__DATA_DTYPE(fa__a##u, data),                       \
                 FA__DATA_ROOM(fa__a##u, data));                                                                       \
    }))

/** A pointer to element (0, ..., 0) in host memory, of type `dtype`; valid while the tensor lives, or until
 *  fa_ptr_end(). The memory is pinned until then: fa_move_() cannot move it. The call waits for work of devices on the
 *  memory. Afterwards the pointer may be used whenever no call is running: later copies to and from devices behave as
 *  for fa_tensor_borrow(). NULL if an error is set; NULL and an error if the tensor has another dtype or is not on the
 *  CPU. C programs have that error logged at once: reading by NULL would end them before they look at it. */
FA_API void *fa_ptr(fa_tensor *t, fa_dtype dtype);
FA_API void *fa__ptr(fa_tensor *t, fa_dtype dtype); /* the same, and logs */
#define fa_ptr(t, dtype) FA__CALLED(fa__ptr(t, dtype))
/** Ends the use of a pointer that fa_ptr() gave: the program does not touch the memory by it any more. Once each
 *  fa_ptr() of the memory, also of other views of it, has been ended, fa_move_() can move it again. May be called from
 *  any thread.
 *  @return false and FA_ERROR_STATE if no pointer is left to end */
FA_API bool fa_ptr_end(const fa_tensor *t);

/* The same for a contiguous tensor of any dtype, which is not pinned: to be used before the next call that may move it.
 * `writes`: its version is increased. */
FA_API void *fa__host_bytes(fa_tensor *t, bool writes);
/* Makes t, a leaf, use the memory of `view`, which has its shape and dtype, in place of its own; the gradient and hooks
 * of t stay. No other thread may use t. */
FA_API bool fa__use_memory_of(fa_tensor *t, const fa_tensor *view);
/* Whether others than the holder of one reference to t can see t or its memory. */
FA_API bool fa__is_shared(const fa_tensor *t);
/* Exchanges the memory and device of two tensors of equal size above 512 bytes, and so of all that share memory with
 * them: in a graph too, which notices nothing unless `changes` is true, which means that a has other elements than it
 * had when it was last used. FA_ERROR_STATE if the memory of either is borrowed, or a pointer to it was taken. */
FA_API bool fa__swap_memory(fa_tensor *a, fa_tensor *b, bool changes);

/** Prints a tensor to standard output as PyTorch does, followed by a newline. Tensors of more than 1000 elements are
 *  summarized. Waits for the tensor. */
FA_API void fa_print(const fa_tensor *t);
/** Prints `t` to `file` like fa_print(). Returns false and an error if writing fails. */
FA_API bool fa_fprint(FILE *file, const fa_tensor *t);
/** The text that fa_print() prints, as a string that the caller frees with fa_free_text(). NULL after an error. */
FA_API char *fa_text(const fa_tensor *t);
/** Frees a string returned by fa_text(). NULL is allowed. */
FA_API void fa_free_text(char *text);

/** @} */

/** @defgroup to Devices, dtypes and slices of tensors
 *
 *  Copying and moving tensors between devices and dtypes, and slicing in NumPy's notation.
 *  @{ */

/** A device or a dtype: the argument `where` of fa_to(). A macro creates it from either, or from the name of a device
 *  as for fa_device_of(). */
typedef struct fa_place {
    fa_device device; /**< kind 0: keep the device */
    fa_dtype dtype;   /**< FA_SAME: keep the dtype */
} fa_place;

static inline fa_place fa__place_device(fa_device device)
{
    fa_place p = FA__NONE;
    p.device = device;
    return p;
}

static inline fa_place fa__place_dtype(fa_dtype dtype)
{
    fa_place p = FA__NONE;
    p.dtype = dtype;
    return p;
}

/* The device with this name. A kind of -1 if there is none: the error of fa_device_of() is set then. */
FA_API fa_place fa__place_named(const char *name);

/** Options of fa_to. */
typedef struct fa_to_options {
    size_t size;       /**< set by the macro */
    bool copy;         /**< copy even if neither device nor dtype changes */
    bool non_blocking; /**< do not wait for the copy; reading the result waits */
    char fa__end;
} fa_to_options;
#define FA__DEFAULT_fa_to                                                                                              \
    {                                                                                                                  \
        offsetof(fa_to_options, fa__end), false, true, 0                                                               \
    }

/** Copies x to the device or dtype `where`. If neither changes, returns another reference to x. Differentiable: the
 *  gradient is copied back to the device and dtype of x. Conversion from floating point to integer truncates. The
 *  copy has no gaps between elements and keeps the memory order of x's dimensions.
 *
 *  The host does not wait, and x may be modified right after the call: later operations on x are ordered after the
 *  copy. If the program itself may write the memory (fa_tensor_borrow(), fa_ptr()), the copy has the values at the
 *  time of the call.
 *
 *      fa_to(x, FA_CUDA(0), .copy = false, .non_blocking = true)
 *      fa_to(x, "cuda:1")
 *      fa_to(x, FA_F16) */
FA_API fa_tensor *fa_to(const fa_tensor *x, fa_place where, const fa_to_options *options);

#ifdef __cplusplus
}
static inline fa_place fa__place(fa_device d)
{
    return fa__place_device(d);
}
static inline fa_place fa__place(fa_dtype d)
{
    return fa__place_dtype(d);
}
static inline fa_place fa__place(const char *name)
{
    return fa__place_named(name);
}
#define FA__PLACE(v) fa__place(v)
extern "C" {
#else
#define FA__PLACE(v)                                                                                                   \
    _Generic((v), fa_device: fa__place_device, fa_dtype: fa__place_dtype, int: fa__place_dtype,                        \
             char *: fa__place_named, const char *: fa__place_named)(v)
#endif
#define FA__BIND_FA__PLACE(text, name, v)
#define FA__PASS_FA__PLACE(name, v) FA__PLACE(v)
#define fa_to(...) FA__CALL2(fa_to, FA__NAMED2(, ##__VA_ARGS__, ., ., .), FA__SAME, FA__PLACE, __VA_ARGS__)

/** Moves a leaf to the device or dtype `where`, in place: views, the optimizer's state and all other references see
 *  the change, and its gradient moves too. The dtype cannot change while views of the tensor exist, or if its memory
 *  is borrowed or pinned by fa_ptr(). No other thread may use the tensor during the call.
 *  @return false and an error if that is not possible; nothing has changed then */
FA_API bool fa_move_(fa_tensor *t, fa_place where);

/** Makes `t` follow `leader`: whenever fa_move_() moves the leader, t moves with it, to its device and, if t is
 *  floating point and not 0-dim, to its dtype; if one of them cannot move, neither does. Optimizers use this for their
 *  state; their step counts, which are 0-dim, keep their dtype. The leader holds a reference to t; fa_unfollow() drops
 *  it. Chains are not allowed: tensors that follow t do not follow
 *  its leader. No other thread may move the leader during the call.
 *  @return false and an error: FA_ERROR_ARGUMENT if leader is t, or if other tensors follow t */
FA_API bool fa_follow(fa_tensor *t, fa_tensor *leader);
/** Ends fa_follow(): t no longer moves with `leader`. Does nothing if t does not follow `leader`. */
FA_API bool fa_unfollow(fa_tensor *t, fa_tensor *leader);
#define fa_move_(t, where) FA__CALLED(fa_move_(t, FA__PLACE(where)))
/* The same for fa_module_to(), under whose name copies are counted and errors are reported. */
FA_API bool fa__can_move_of_module(fa_tensor *t,
                                   fa_place where); /* checks everything except whether there is enough memory */
FA_API bool fa__move_of_module(fa_tensor *t, fa_place where);

/** Copies x to the CPU, like fa_to(). */
FA_API fa_tensor *fa_cpu(const fa_tensor *x);
/** Copies x to the current CUDA device, like fa_to(). */
FA_API fa_tensor *fa_cuda(const fa_tensor *x);
/** Returns x itself if it is on the default device, else a copy there, which is counted. */
FA_API fa_tensor *fa_identity(const fa_tensor *x);

/** A view of part of x, in NumPy's notation: "1:5, ..., -1", "::-2", "None, 0", "2". Supports slices, integers,
 *  ellipsis and None; an error shows the position in the text. See fa_index() for tensors and masks as indices.
 *  @param x     the tensor
 *  @param where one entry for each dimension, separated by commas; dimensions without an entry are kept whole. Or an
 *  integer: fa_get(x, i) is x[i] */
FA_API fa_tensor *fa_get(const fa_tensor *x, const char *where);
FA_API fa_tensor *fa__get_at(const fa_tensor *x, int64_t index);
#define fa_get(x, where) FA__CALLED(FA__GET_AT(x, where))

#ifdef __cplusplus
}
static inline fa_tensor *fa__get(const fa_tensor *x, const char *where)
{
    return (fa_get)(x, where);
}
static inline fa_tensor *fa__get(const fa_tensor *x, char *where)
{
    return (fa_get)(x, where);
}
template <class N> static inline fa_tensor *fa__get(const fa_tensor *x, N index)
{
    static_assert(std::is_integral<N>::value, "an index is a text or an integer");
    return fa__get_at(x, (int64_t)index);
}
#define FA__GET_AT(x, where) fa__get(x, where)
extern "C" {
#else
#define FA__GET_AT(x, where) FA__BY(where, fa_get, fa__get_at)(x, where)
/* One of two functions: for an index that is a text, or an integer. */
#define FA__BY(where, text, whole)                                                                                     \
    _Generic((where), char *: text, const char *: text, void *: text, char: whole, signed char: whole,                 \
             unsigned char: whole, short: whole, unsigned short: whole, int: whole, unsigned: whole, long: whole,      \
             unsigned long: whole, long long: whole, unsigned long long: whole)
#endif

/** fa_get() with an index in the form of printf(): fa_getf(x, "%d:%d, -1", i, i + 3). The arguments are those of
 *  `format`. */
FA_API fa_tensor *fa_getf(const fa_tensor *x, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));

/** Assigns `value`, a number or a tensor that broadcasts, to the part of x that `where` selects (see fa_get()), in
 *  place. Values are converted to x's dtype, and copied from other devices, as by fa_copy_(). See fa_index_put_() for
 *  tensors and masks as indices.
 *  @return x; NULL and an error on failure */
FA_API fa_tensor *fa_set(fa_tensor *x, const char *where, fa_arg value);
FA_API fa_tensor *fa__set_at(fa_tensor *x, int64_t index, fa_arg value);
#ifdef __cplusplus
}
static inline fa_tensor *fa__set(fa_tensor *x, const char *where, fa_arg value)
{
    return (fa_set)(x, where, value);
}
static inline fa_tensor *fa__set(fa_tensor *x, char *where, fa_arg value)
{
    return (fa_set)(x, where, value);
}
template <class N> static inline fa_tensor *fa__set(fa_tensor *x, N index, fa_arg value)
{
    static_assert(std::is_integral<N>::value, "an index is a text or an integer");
    return fa__set_at(x, (int64_t)index, value);
}
#define FA__SET_AT(x, where, value) fa__set(x, where, value)
extern "C" {
#else
#define FA__SET_AT(x, where, value) FA__BY(where, fa_set, fa__set_at)(x, where, value)
#endif
#define fa_set(x, where, value) FA__SET_THROUGH(FA__UNIQUE(fa__v), x, where, value)
#define FA__SET_THROUGH(name, x, where, value)                                                                         \
    __extension__({                                                                                                    \
        FA__LINE(name)                                                                                                 \
        FA__AUTO name = value;                                                                                         \
        FA__CHECK_FA__ARG("fa_set: the value is neither a tensor nor a number", name)                                  \
        FA__SET_AT(x, where, FA__ARG(name));                                                                           \
    })

/** fa_set() with an index in the form of printf(): fa_setf(x, 0.5, "%d, :", row). The value stands before the format,
 *  whose arguments follow it. */
FA_API fa_tensor *fa_setf(fa_tensor *x, fa_arg value, const char *format, ...)
    __attribute__((__format__(__printf__, 3, 4)));
#define fa_setf(x, value, ...) FA__SETF_THROUGH(FA__UNIQUE(fa__v), x, value, __VA_ARGS__)
#define FA__SETF_THROUGH(name, x, value, ...)                                                                          \
    __extension__({                                                                                                    \
        FA__LINE(name)                                                                                                 \
        FA__AUTO name = value;                                                                                         \
        FA__CHECK_FA__ARG("fa_setf: the value is neither a tensor nor a number", name)                                 \
        fa_setf(x, FA__ARG(name), __VA_ARGS__);                                                                        \
    })

/** @} */

/* relu and max pooling of 2 x 2 as one pass; NULL and no error where x's device has no kernel for it. */
FA_API fa_tensor *fa__relu_pool(const fa_tensor *x);
/* An activation that one operation computes together with the linear layer in front of it */
typedef enum fa__activation { FA__NO_ACTIVATION, FA__RELU, FA__GELU_TANH } fa__activation;
/* A linear layer and its activation as one operation; NULL and no error where an operand is NULL, the device has no
 * kernel for both, they do not go together, or gradients are recorded that it has not. bias: NULL for none. */
FA_API fa_tensor *fa__linear_then(const fa_tensor *x, const fa_tensor *weight, const fa_tensor *bias,
                                  fa__activation activation);

FA__END
#endif
