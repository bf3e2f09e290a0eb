/** @file
 *  Tensors: making them from the caller's data, looking at them, reading them. Operations are in operations.h.
 *
 *  A tensor has a dtype, a shape of at most 8 dimensions, and strides in elements over memory on one device. */
#ifndef FACULA_TENSOR_H
#define FACULA_TENSOR_H
#include <facula/types.h>

FA__BEGIN

/** Options of fa_tensor_from. */
typedef struct fa_tensor_from_options {
    size_t size;        /**< set by the macro */
    fa_dtype dtype;     /**< of `data` and of the tensor; FA_SAME: f32 */
    fa_device device;   /**< where the copy is made */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;
} fa_tensor_from_options;
#define FA__DEFAULT_fa_tensor_from                                                                                     \
    {                                                                                                                  \
        offsetof(fa_tensor_from_options, fa__end), FA_SAME, {0, 0}, false, 0                                           \
    }

/** A tensor with a copy of the caller's elements, row-major.
 *
 *      fa_tensor_from(data, shape, .dtype = FA_F32, .device, .requires_grad = false)
 *  @param data  as many elements of dtype as the shape has; may be NULL when that is none
 *  @param shape FA_SHAPE(3, 4) or FA_SCALAR
 *  @param options what the macro makes of the named options; NULL for the defaults */
FA_API fa_tensor *fa_tensor_from(const void *data, fa_shape shape, const fa_tensor_from_options *options);
#define fa_tensor_from(...) FA__CALL2(fa_tensor_from, FA__SAME, FA__SAME, __VA_ARGS__)

/** Options of fa_tensor_borrow. */
typedef struct fa_tensor_borrow_options {
    size_t size;            /**< set by the macro */
    fa_dtype dtype;         /**< FA_SAME: f32 */
    const int64_t *strides; /**< in elements, one a dimension, any sign; NULL: row-major */
    fa_device device;       /**< the CPU, or `meta`: other devices have memory of their own */
    void (*free)(void *context,
                 void *data); /**< called once when the last tensor over the memory goes, by that thread */
    void *ctx;                /**< its context, which lives until then */
    char fa__end;
} fa_tensor_borrow_options;
#define FA__DEFAULT_fa_tensor_borrow                                                                                   \
    {                                                                                                                  \
        offsetof(fa_tensor_borrow_options, fa__end), FA_SAME, NULL, {0, 0}, NULL, NULL, 0                              \
    }

/** A tensor over the caller's memory: nothing is copied, and it must outlive the tensor and its views.
 *
 *  Whenever no call is running the caller may read and change it: no device still works on it then. A copy to a device
 *  has its values as they were at the call: up to 16 MiB are put aside for that, with more the call waits for the
 *  device. A copy into it is done when the call returns. Such waits are in the ledger under the call's name, and
 *  .forbid = FA_SYNC refuses them.
 *
 *      fa_tensor_borrow(data, shape, .dtype, .strides, .device, .free, .ctx)
 *  @param data  element (0, ..., 0): with negative strides not the lowest address
 *  @param shape FA_SHAPE(3, 4) or FA_SCALAR
 *  @param options what the macro makes of the named options; NULL for the defaults */
FA_API fa_tensor *fa_tensor_borrow(void *data, fa_shape shape, const fa_tensor_borrow_options *options);
#define fa_tensor_borrow(...) FA__CALL2(fa_tensor_borrow, FA__SAME, FA__SAME, __VA_ARGS__)

FA_API fa_tensor *fa__tensor_of(size_t count, const fa_arg *item);

/** A one-dimensional tensor of up to 64 numbers: f32 when one of them has a point (fa_tensor_of(1.0, 2)), i64 else;
 *  whole numbers that i64 does not hold are an error. On the device of the settings. */
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
#define fa_tensor_of(...) fa__tensor_of(FA__COUNT(__VA_ARGS__), (const fa_arg[]){FA__MAP(FA__NUMBER, __VA_ARGS__)})
#endif

/** Options of fa_tensor_parse. */
typedef struct fa_tensor_parse_options {
    size_t size;      /**< set by the macro */
    fa_dtype dtype;   /**< FA_SAME: f32 when one of the numbers has a point or an exponent, or when there are none; i64
                           when all are whole; bool when all are true or false */
    fa_device device; /**< where it is made; by default the settings' device */
    bool requires_grad; /**< it is a leaf that collects a gradient */
    char fa__end;
} fa_tensor_parse_options;
#define FA__DEFAULT_fa_tensor_parse                                                                                    \
    {                                                                                                                  \
        offsetof(fa_tensor_parse_options, fa__end), FA_SAME, {0, 0}, false, 0                                          \
    }

/** A tensor from text, as Python and NumPy write it: "[[1, 2], [3, 4]]", "[1. 2.5 -inf]", "true", "[[], []]".
 *
 *      fa_tensor_parse(text, .dtype, .device, .requires_grad = false)
 *  @param text numbers, true, false, inf and nan, in rows of equal length; between them commas, blanks or both
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return NULL and an error that says at which byte the text is wrong, and why; also for a number that an integer
 *          dtype does not hold */
FA_API fa_tensor *fa_tensor_parse(const char *text, const fa_tensor_parse_options *options);
#define fa_tensor_parse(...) FA__CALL1(fa_tensor_parse, FA__SAME, __VA_ARGS__)

/** The dtype of the elements; FA_SAME for NULL. */
FA_API fa_dtype fa_tensor_dtype(const fa_tensor *t);
/** "f32" */
FA_API const char *fa_dtype_name(fa_dtype dtype);
/** Bytes an element; 0 for none. */
FA_API size_t fa_dtype_size(fa_dtype dtype);
/** Where the elements are. */
FA_API fa_device fa_tensor_device(const fa_tensor *t);
/** The number of dimensions; -1 for NULL. */
FA_API int fa_dim(const fa_tensor *t);
/** The size of dimension dim, negative from the end; -1 and an error when there is no such dimension. */
FA_API int64_t fa_size(const fa_tensor *t, int64_t dim);
/** The stride of dimension dim, in elements; 0 and an error when there is no such dimension. */
FA_API int64_t fa_stride(const fa_tensor *t, int64_t dim);
/** All sizes. */
FA_API fa_shape fa_tensor_shape(const fa_tensor *t);
/** The number of elements; -1 for NULL. */
FA_API int64_t fa_numel(const fa_tensor *t);
/** Bytes an element. */
FA_API size_t fa_element_size(const fa_tensor *t);
/** Bytes of all elements. */
FA_API size_t fa_nbytes(const fa_tensor *t);
/** Whether the elements lie row-major without gaps. */
FA_API bool fa_is_contiguous(const fa_tensor *t);
/** Whether a and b have the same shape, dtype and values, NaN being equal to NaN; reads both, wherever they are. */
FA_API bool fa_same(const fa_tensor *a, const fa_tensor *b);

/** The value of a tensor with one element; waits for it. NaN while an error stands. */
FA_API double fa_item(const fa_tensor *t);
/** The same, exact for integers. 0 while an error stands. */
FA_API int64_t fa_item_int(const fa_tensor *t);
/** Copies the elements, row-major and as dtype, into `data`, which has room for `count` of them; waits.
 *  While an error stands it reads what is there, also what changes in place were left out of: fa_failed() tells.
 *  @return false and an error when count is not the tensor's number of elements */
FA_API bool fa_read(const fa_tensor *t, void *data, fa_dtype dtype, int64_t count);

/** A pointer to element (0, ..., 0) in the host's memory, valid while the tensor lives: it pins the memory, which can
 *  no longer move. Work of devices on it is waited for now; copies to and from them later are as with memory that was
 *  lent (fa_tensor_borrow), so that the pointer may be used whenever no call is running. NULL and an error for another
 *  dtype or device. */
FA_API void *fa_ptr(fa_tensor *t, fa_dtype dtype);
/** The same for one dtype, with its pointer: f16 and bf16 are the bits. */
#define fa_ptr_bool(t) ((bool *)fa_ptr(t, FA_BOOL))
#define fa_ptr_u8(t) ((uint8_t *)fa_ptr(t, FA_U8))
#define fa_ptr_i8(t) ((int8_t *)fa_ptr(t, FA_I8))
#define fa_ptr_i16(t) ((int16_t *)fa_ptr(t, FA_I16))
#define fa_ptr_i32(t) ((int32_t *)fa_ptr(t, FA_I32))
#define fa_ptr_i64(t) ((int64_t *)fa_ptr(t, FA_I64))
#define fa_ptr_f16(t) ((uint16_t *)fa_ptr(t, FA_F16))
#define fa_ptr_bf16(t) ((uint16_t *)fa_ptr(t, FA_BF16))
#define fa_ptr_f32(t) ((float *)fa_ptr(t, FA_F32))
#define fa_ptr_f64(t) ((double *)fa_ptr(t, FA_F64))

/** Prints a tensor as PyTorch does, summarised beyond 1000 elements, with a line end. Waits for it. */
FA_API void fa_print(const fa_tensor *t);
/** Prints t to a file in the same way. False and an error when writing fails. */
FA_API bool fa_fprint(FILE *file, const fa_tensor *t);
/** What fa_print prints, as text that belongs to the caller: fa_free_text() frees it. NULL after an error. */
FA_API char *fa_text(const fa_tensor *t);
/** Frees what fa_text returned; NULL is nothing. */
FA_API void fa_free_text(char *text);

/** @defgroup to Moving tensors between devices and dtypes, and indexing as NumPy writes it.
 *  @{ */

/** A device or a dtype: what fa_to takes. */
typedef struct fa_place {
    fa_device device; /**< kind 0: where the tensor is */
    fa_dtype dtype;   /**< FA_SAME: that of the tensor */
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

/** Options of fa_to. */
typedef struct fa_to_options {
    size_t size;       /**< set by the macro */
    bool copy;         /**< a new tensor even when nothing changes */
    bool non_blocking; /**< the host goes on at once, and waits when it reads */
    char fa__end;
} fa_to_options;
#define FA__DEFAULT_fa_to                                                                                              \
    {                                                                                                                  \
        offsetof(fa_to_options, fa__end), false, true, 0                                                               \
    }

/** x on a device, or as a dtype: an explicit copy, and another reference to x itself when nothing changes.
 *  Differentiable: the gradient comes back to where x is. Float to integer truncates. The copy has no gaps, and keeps
 *  the order of x's dimensions in memory.
 *
 *  The host does not wait, and x may be changed at once: changes by calls come behind the copy, and of memory that the
 *  program itself may change (fa_tensor_borrow, fa_ptr) the copy has the values of now.
 *
 *      fa_to(x, FA_CUDA(0), .copy = false, .non_blocking = true)
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
#define FA__PLACE(v) fa__place(v)
extern "C" {
#else
#define FA__PLACE(v) _Generic(v, fa_device : fa__place_device, fa_dtype : fa__place_dtype, int : fa__place_dtype)(v)
#endif
#define FA__BIND_FA__PLACE(text, name, v)
#define FA__PASS_FA__PLACE(name, v) FA__PLACE(v)
#define fa_to(...) FA__CALL2(fa_to, FA__SAME, FA__PLACE, __VA_ARGS__)

/** Moves a leaf's memory to another device or dtype (`where`), in place: the optimizer's state, views and every other
 *  holder of the tensor follow, and its gradient moves too. A dtype cannot change while the program has views, nor
 * while memory is borrowed or fa_ptr() was taken of it. Not while another thread uses the tensor.
 *  @return false and an error when that is not possible: then nothing has changed */
FA_API bool fa_move_(fa_tensor *t, fa_place where);

/** From now on fa_move_() moves `t` with `leader`, both or neither: to its device, and to its dtype if t is floating.
 * It is for what belongs to a tensor, as an optimizer's state does, which follows its parameter so. The leader holds t;
 *  fa_unfollow() ends that. What follows t does not follow its leader. Not while another thread moves the leader.
 *  @return false and an error: FA_ERROR_ARGUMENT when the leader is t, or t has followers of its own */
FA_API bool fa_follow(fa_tensor *t, fa_tensor *leader);
/** t stays where it is when its former `leader` moves. Nothing happens when it does not follow it. */
FA_API bool fa_unfollow(fa_tensor *t, fa_tensor *leader);
#define fa_move_(t, where) fa_move_(t, FA__PLACE(where))
/* The same for fa_module_to, under whose name copies are counted and errors are told. */
FA_API bool fa__can_move_of_module(fa_tensor *t, fa_place where); /* as far as can be told without memory */
FA_API bool fa__move_of_module(fa_tensor *t, fa_place where);

/** x on the CPU. */
FA_API fa_tensor *fa_cpu(const fa_tensor *x);
/** x on the current CUDA device. */
FA_API fa_tensor *fa_cuda(const fa_tensor *x);
/** x on the device of the settings: a copy, counted, when x is elsewhere. */
FA_API fa_tensor *fa_identity(const fa_tensor *x);

/** A view of x, indexed as NumPy writes it: "1:5, ..., -1", "::-2", "None, 0", "2". Slices, integers, ellipsis, None;
 *  an error shows the place in the text. fa_index() has tensors and masks beside them.
 *  @param x     the tensor
 *  @param where one entry a dimension, with commas; those that are missing are taken whole */
FA_API fa_tensor *fa_get(const fa_tensor *x, const char *where);

/** Assigns `value`, a number or a tensor which broadcasts, in place to the part of x that `where` names as for fa_get.
 *  Values are converted, and copied from other devices, as fa_copy_() does it. fa_index_put_() assigns through tensors
 *  and masks.
 *  @return x, or NULL and an error */
FA_API fa_tensor *fa_set(fa_tensor *x, const char *where, fa_arg value);
#define fa_set(x, where, value) FA__SET_THROUGH(FA__UNIQUE(fa__v), x, where, value)
#define FA__SET_THROUGH(name, x, where, value)                                                                         \
    __extension__({                                                                                                    \
        FA__AUTO name = value;                                                                                         \
        FA__CHECK_FA__ARG("fa_set: the value is neither a tensor nor a number", name)                                  \
        fa_set(x, where, FA__ARG(name));                                                                               \
    })

/** @} */

FA__END
#endif
