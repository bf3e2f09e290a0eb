/** @file
 *  Types used by all parts of Facula: dtypes, devices, shapes, dimensions, and arguments that may be a number or a
 *  tensor. All of them are small, are passed by value and own nothing. */
#ifndef FACULA_TYPES_H
#define FACULA_TYPES_H
#include <facula/dtype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#ifdef __cplusplus
#include <cstddef>
#include <type_traits>
#elif defined __STDC_VERSION__ && __STDC_VERSION__ <= 201710L
/* `true` is of type bool, as in C23 and C++: fa_full(shape, true) is a bool tensor. C11 defines it as the int 1. */
#undef true
#undef false
#define true ((_Bool) + 1u)
#define false ((_Bool) + 0u)
#endif

FA__BEGIN

/* What macros put in the place of a missing argument. They are nowhere defined, and declared only so that no further
 * error follows that of the static assertion. */
extern const int fa__argument_2_is_missing, fa__argument_3_is_missing, fa__argument_4_is_missing,
    fa__argument_5_is_missing;

/** @defgroup types Basic types
 *  @{ */

typedef struct fa_tensor fa_tensor;       /**< a multi-dimensional array of one dtype on one device, or a view of one */
typedef struct fa_module fa_module;       /**< a layer or network: parameters and a forward function */
typedef struct fa_optim fa_optim;         /**< an optimizer and its state */
typedef struct fa_dataset fa_dataset;     /**< an indexed collection of samples */
typedef struct fa_loader fa_loader;       /**< iterates over a dataset in batches */
typedef struct fa_generator fa_generator; /**< a random number generator */
typedef struct fa_stream fa_stream;       /**< a queue of work on a device */
typedef struct fa_event fa_event;         /**< a point in the work of a stream */

/** How a loss combines the values of a batch. FA_BATCHMEAN is supported by fa_kl_div() only. */
typedef enum fa_reduction { FA_MEAN, FA_SUM, FA_NONE, FA_BATCHMEAN } fa_reduction;

/** What happens when operands are on different devices. FA_PLACE_STRICT: an error. FA_PLACE_AUTO: they are copied to
 *  the device where the operation runs; these copies are counted (device.h). */
typedef enum fa_placement { FA_PLACE_DEFAULT, FA_PLACE_STRICT, FA_PLACE_AUTO } fa_placement;

/** Bits for the setting `.forbid`, which makes these events an error: FA_SYNC, the host waits for a device;
 *  FA_TRANSFER, data is copied between devices. */
enum { FA_SYNC = 1, FA_TRANSFER = 2 };

#ifdef __cplusplus
extern "C++" {
/* In C++ a 0 could be a name: the null pointer. */
template <class N> constexpr bool fa__is_no_device = std::is_arithmetic<N>::value || std::is_null_pointer<N>::value;
#define FA__NO_DEVICE(N)                                                                                               \
    static_assert(!fa__is_no_device<N>, "a device is FA_CPU, FA_CUDA(0), or a name such as \"cuda:0\", not a number")
#endif
/** A device. Kind 0 means the default device of the current settings. Index -1 is the current device of its kind. */
typedef struct fa_device {
    int32_t kind;  /**< the kind, as FA_CPU and the other macros set it */
    int32_t index; /**< which device of that kind, from 0 */
#ifdef __cplusplus
    inline fa_device &operator=(const char *name);
    template <class N> std::enable_if_t<fa__is_no_device<N>, fa_device &> operator=(N)
    {
        FA__NO_DEVICE(N);
        return *this;
    }
#endif
} fa_device;
#ifdef __cplusplus
}
#endif

/* fa_device_of(), for options: .device = "cuda:1" */
FA_API fa_device fa__device_named(const char *name);
#ifdef __cplusplus
inline fa_device &fa_device::operator=(const char *name)
{
    return *this = fa__device_named(name);
}
#endif

enum { FA__DEFAULT_DEVICE, FA__CPU, FA__CUDA, FA__OPENCL, FA__META, FA__LATE, FA__BACKENDS };

enum { FA_MAX_DIMS = 8 /**< the largest number of dimensions of a tensor */ };

/** A shape, passed by value. A rank above FA_MAX_DIMS is stored as it is, so that functions can report it as an
 *  error. */
typedef struct fa_shape {
    int32_t rank;             /**< number of dimensions */
    int64_t dim[FA_MAX_DIMS]; /**< size of each dimension, the innermost last */
} fa_shape;

/** One or more dimensions of a tensor: a plain number is one dimension (negative: counted from the end), FA_DIMS(0,
 *  -1) is several, FA_ALL is all of them. */
typedef int64_t fa_dims;
#define FA_ALL INT64_MIN /**< all dimensions */
#define FA__DIM(d) (INT64_C(1) << ((d) < -8 || (d) > 7 ? 17 : (d) + 8))
/** Several dimensions, each from -8 to 7. Naming a dimension twice is an error. */
#define FA_DIMS(...)                                                                                                   \
    (FA__DIMS(FA__COUNT(__VA_ARGS__)) | FA__CAT(FA__DIMS, FA__COUNT(__VA_ARGS__))(__VA_ARGS__)                         \
     | FA__CAT(FA__ORDER, FA__COUNT(__VA_ARGS__))(__VA_ARGS__))
/* The number of arguments is stored too: if fewer bits than that are set, a dimension was named twice. */
#define FA__DIMS(count) (INT64_C(1) * (count) << 52)
#define FA__DIMS1(a) FA__DIM(a)
#define FA__DIMS2(a, b) (FA__DIMS1(a) | FA__DIM(b))
#define FA__DIMS3(a, b, c) (FA__DIMS2(a, b) | FA__DIM(c))
#define FA__DIMS4(a, b, c, d) (FA__DIMS3(a, b, c) | FA__DIM(d))
#define FA__DIMS5(a, b, c, d, e) (FA__DIMS4(a, b, c, d) | FA__DIM(e))
#define FA__DIMS6(a, b, c, d, e, f) (FA__DIMS5(a, b, c, d, e) | FA__DIM(f))
#define FA__DIMS7(a, b, c, d, e, f, g) (FA__DIMS6(a, b, c, d, e, f) | FA__DIM(g))
#define FA__DIMS8(a, b, c, d, e, f, g, h) (FA__DIMS7(a, b, c, d, e, f, g) | FA__DIM(h))
/* Their order, for functions such as fa_permute(): four bits each from bit 18 on, the last one lowest. */
#define FA__ORDER1(a) (INT64_C(1) * (((a) + 8) & 15) << 18)
#define FA__ORDER2(a, b) (FA__ORDER1(a) << 4 | FA__ORDER1(b))
#define FA__ORDER3(a, b, c) (FA__ORDER2(a, b) << 4 | FA__ORDER1(c))
#define FA__ORDER4(a, b, c, d) (FA__ORDER3(a, b, c) << 4 | FA__ORDER1(d))
#define FA__ORDER5(a, b, c, d, e) (FA__ORDER4(a, b, c, d) << 4 | FA__ORDER1(e))
#define FA__ORDER6(a, b, c, d, e, f) (FA__ORDER5(a, b, c, d, e) << 4 | FA__ORDER1(f))
#define FA__ORDER7(a, b, c, d, e, f, g) (FA__ORDER6(a, b, c, d, e, f) << 4 | FA__ORDER1(g))
#define FA__ORDER8(a, b, c, d, e, f, g, h) (FA__ORDER7(a, b, c, d, e, f, g) << 4 | FA__ORDER1(h))

/** A height and a width, for images, kernels, strides and padding. A plain number stands for both; FA_PAIR(3, 5) is
 *  height 3 and width 5. */
typedef int64_t fa_pair;
/** A height and a width, each from -1 to 2147483646. */
#define FA_PAIR(height, width) fa__pair_of(height, width)
/** For the padding of a convolution: pad so that the output has the size of the input. If the total is odd, the extra
 *  row or column is added at the end. */
#define FA_PADDING_SAME INT64_MIN

/* What FA_PAIR makes of sizes outside its range; no function takes it. */
#define FA__PAIR_INVALID (-(INT64_C(1) << 40))

static inline fa_pair fa__pair_of(int64_t height, int64_t width)
{
    if (height < -1 || height >= INT32_MAX || width < -1 || width >= INT32_MAX)
        return FA__PAIR_INVALID;
    return INT64_C(1) << 62 | (width + 1) << 31 | (height + 1);
}

/** The height (`which` is 0) or the width (`which` is 1) of the pair `p`. Useful in custom layers and operations. */
static inline int64_t fa_pair_at(fa_pair p, int which)
{
    return p < INT64_C(1) << 62 ? p : (p >> 31 * which & INT32_MAX) - 1;
}

/* What is wrong with a pair that is neither a plain number nor FA_PAIR, to be said behind its name; NULL: nothing. */
static inline const char *fa__pair_mistake(fa_pair p)
{
    if (p < INT32_MAX || p >= INT64_C(1) << 62)
        return NULL;
    return p >= FA__DIMS(1) && p < FA__DIMS(FA_MAX_DIMS + 1)
               ? "is FA_DIMS: a height and a width are FA_PAIR(3, 5)"
               : "is no size: a height and a width are FA_PAIR(3, 5), and the padding \"same\" is FA_PADDING_SAME";
}

/** An operand that is a tensor or a number. The macros of the operations create it, and fa_arg_tensor(),
 * fa_arg_double(), fa_arg_int() and fa_arg_bool() (plain.h); programs rarely need to name it. It is two words, so that
 * any language can pass it by value: no union, and no floating-point member. */
typedef struct fa_arg {
    uint64_t bits;    /**< the tensor's address, the bits of the double, the integer in two's complement, or 0 or 1 */
    int32_t kind;     /**< what it is: 0 a tensor, 1 a double, 2 an integer, 3 a bool */
    int32_t reserved; /**< 0 */
} fa_arg;

/* FA__ARG_LARGE is used by fa_tensor_of() only. */
enum { FA__ARG_TENSOR, FA__ARG_FLOAT, FA__ARG_INT, FA__ARG_BOOL, FA__ARG_LARGE };

/** A list of up to 64 numbers: FA_LIST(0.5, 0.5). It lives until the end of the enclosing block; in C++, until the
 *  end of the expression. */
typedef struct fa_list {
    size_t count;       /**< number of items */
    const double *item; /**< the items */
} fa_list;

/** A list of tensors. FA_TENSORS(a, b) takes up to 64 tensors, does not own them, and lives until the end of the
 *  enclosing block (in C++, until the end of the expression). If a function returns a list, as fa_split() does, the
 *  array and its tensors belong to the current scope and must not be freed; use fa_keep() or fa_escape() on single
 *  tensors that should live longer. After an error, count is 0. */
typedef struct fa_tensors {
    size_t count;           /**< number of tensors */
    fa_tensor *const *item; /**< the tensors; after an error there are none, and the first 1,024 items are NULL */
} fa_tensors;

/* What lists point to after an error. */
FA__BEGIN
extern FA_API fa_tensor *const fa__no_items[1024];
extern FA_API const char *const fa__no_names[1024];
FA__END

static inline fa_arg fa__arg_f(double v)
{
    fa_arg a = FA__NONE;
    a.kind = FA__ARG_FLOAT;
    __builtin_memcpy(&a.bits, &v, sizeof v);
    return a;
}

static inline fa_arg fa__arg_i(int64_t v)
{
    fa_arg a = FA__NONE;
    a.kind = FA__ARG_INT;
    a.bits = (uint64_t)v;
    return a;
}

/* An integer that does not fit an i64 becomes a floating-point number. */
static inline fa_arg fa__arg_u(uint64_t v)
{
    return v > (uint64_t)INT64_MAX ? fa__arg_f((double)v) : fa__arg_i((int64_t)v);
}

/* The same for functions that must not round: a number that does not fit is marked, so that the function can reject
 * it. */
static inline fa_arg fa__arg_exact(uint64_t v)
{
    fa_arg a = fa__arg_i((int64_t)(v & (uint64_t)INT64_MAX));
    if (v > (uint64_t)INT64_MAX)
        a.kind = FA__ARG_LARGE; /* the value is that of the bits + 2^63 */
    return a;
}

static inline fa_arg fa__arg_b(bool v)
{
    fa_arg a = FA__NONE;
    a.kind = FA__ARG_BOOL;
    a.bits = v;
    return a;
}

static inline fa_arg fa__arg_t(const fa_tensor *t)
{
    fa_arg a = FA__NONE;
    a.bits = (uintptr_t)t;
    return a;
}

/* What an argument holds, of a kind that the caller has looked at. */
static inline const fa_tensor *fa__tensor_in(fa_arg a)
{
    return (const fa_tensor *)(uintptr_t)a.bits;
}

static inline double fa__double_in(fa_arg a)
{
    double v = 0;
    __builtin_memcpy(&v, &a.bits, sizeof v);
    return v;
}

static inline int64_t fa__int_in(fa_arg a)
{
    return (int64_t)a.bits;
}

static inline fa_arg fa__arg_same(fa_arg a)
{
    return a;
}

/* Dimensions in their order, of functions such as fa_permute(), from an FA_DIMS or a single number. What is no
 * dimension becomes one that no tensor has, and other numbers may give a rank beyond FA_MAX_DIMS, which is an error of
 * the function that gets it. */
static inline fa_shape fa__dims_in_order(fa_dims d)
{
    fa_shape order = FA__NONE;
    int several = d >= FA__DIMS(1) && d < INT64_C(1) << 62; /* beyond, it is an FA_PAIR */
    order.rank = several ? (int32_t)(d >> 52) : 1;
    order.dim[0] = d;
    for (int i = order.rank <= FA_MAX_DIMS ? order.rank : 0; several && i-- > 0;)
        order.dim[i] = d & FA__DIM(9) ? INT64_MAX : (d >> (18 + 4 * (order.rank - 1 - i)) & 15) - 8;
    return order;
}

static inline fa_shape fa__dims_given(fa_shape order)
{
    return order;
}

static inline fa_tensors fa__array_of_tensors(size_t count, fa_tensor *const *item)
{
    fa_tensors list = FA__NONE;
    list.count = count;
    list.item = item;
    return list;
}

static inline fa_list fa__array_of_numbers(size_t count, const double *item)
{
    fa_list list = FA__NONE;
    list.count = count;
    list.item = item;
    return list;
}

/* A rank above FA_MAX_DIMS is kept, as an error of the function that gets the shape. */
static inline fa_shape fa__array_of_sizes(size_t count, const int64_t *item)
{
    fa_shape shape = FA__NONE;
    shape.rank = count > INT32_MAX ? INT32_MAX : (int32_t)count;
    for (size_t i = 0; i < count && i < FA_MAX_DIMS; i++)
        shape.dim[i] = item[i];
    return shape;
}

FA__END

#ifdef __cplusplus
static inline fa_tensors fa__array(size_t count, fa_tensor *const *item)
{
    return fa__array_of_tensors(count, item);
}

static inline fa_list fa__array(size_t count, const double *item)
{
    return fa__array_of_numbers(count, item);
}

static inline fa_shape fa__array(size_t count, const int64_t *item)
{
    return fa__array_of_sizes(count, item);
}

static inline fa_shape fa__dims_in(fa_shape order)
{
    return order;
}

static inline fa_shape fa__dims_in(fa_dims dims)
{
    return fa__dims_in_order(dims);
}

/* The dtype of C's numbers; FA_SAME for types that say nothing of a dtype, such as char and uint16_t. */
template <class T> constexpr fa_dtype fa__dtype_of_type()
{
    typedef typename std::remove_cv<typename std::remove_all_extents<T>::type>::type E;
    return std::is_same<E, bool>::value            ? FA_BOOL
           : std::is_same<E, unsigned char>::value ? FA_U8
           : std::is_same<E, float>::value         ? FA_F32
           : std::is_same<E, double>::value        ? FA_F64
           : !std::is_integral<E>::value || !std::is_signed<E>::value || std::is_same<E, char>::value
                   || std::is_same<E, wchar_t>::value
               ? FA_SAME
           : std::is_same<E, signed char>::value ? FA_I8
           : std::is_same<E, short>::value       ? FA_I16
           : std::is_same<E, int>::value         ? FA_I32
                                                 : FA_I64;
}

/* What a pointer points to, and its dtype. */
template <class T> struct fa__data {
    T *pointer;
    fa_dtype dtype;
};

template <class T> static inline fa__data<T> fa__data_of(T *pointer)
{
    fa__data<T> d = {pointer, fa__dtype_of_type<T>()};
    return d;
}

static inline fa__data<void> fa__data_of(std::nullptr_t)
{
    fa__data<void> d = {NULL, FA_SAME};
    return d;
}

/* A number that may be written with its name, `.dim = 1`. */
struct fa__whole {
    int64_t value;
    template <class N> constexpr fa__whole(N number) : value((int64_t)number)
    {
    }
};

static inline fa_arg fa__arg(fa_arg a)
{
    return a;
}

static inline fa_device fa__device(int32_t kind, int32_t index)
{
    fa_device d = {kind, index};
    return d;
}

template <class... T> static inline fa_shape fa__shape_of(T... v)
{
    const int64_t n[sizeof...(v) + 1] = {(int64_t)v...};
    fa_shape s = {sizeof...(v), {}};
    for (size_t i = 0; i < sizeof...(v) && i < FA_MAX_DIMS; i++)
        s.dim[i] = n[i];
    return s;
}

static inline fa_arg fa__arg(const fa_tensor *t)
{
    return fa__arg_t(t);
}

static inline fa_arg fa__arg(fa_tensor *t)
{
    return fa__arg_t(t);
}

template <class N> static inline fa_arg fa__arg(N v)
{
    static_assert(std::is_arithmetic<N>::value, "a tensor or a number goes here");
    return std::is_floating_point<N>::value ? fa__arg_f((double)v)
           : std::is_same<N, bool>::value   ? fa__arg_b((bool)v)
           : std::is_unsigned<N>::value     ? fa__arg_u((uint64_t)v)
                                            : fa__arg_i((int64_t)v);
}

template <class N> static inline fa_arg fa__number(N v)
{
    static_assert(std::is_arithmetic<N>::value, "a number goes here");
    return std::is_unsigned<N>::value && !std::is_same<N, bool>::value ? fa__arg_exact((uint64_t)v) : fa__arg(v);
}

struct fa__tensor_list {
    fa_tensor *item[64];
    size_t count;
    operator fa_tensors() const
    {
        fa_tensors t = {count, item};
        return t;
    }
};

template <class... T> static inline fa__tensor_list fa__tensors_of(T... t)
{
    static_assert(sizeof...(t) <= 64, "at most 64 items go here");
    fa__tensor_list l = {{(fa_tensor *)t...}, sizeof...(t)};
    return l;
}

struct fa__number_list {
    double item[64];
    size_t count;
    operator fa_list() const
    {
        fa_list t = {count, item};
        return t;
    }
};

template <class... T> static inline fa__number_list fa__numbers_of(T... v)
{
    static_assert(sizeof...(v) <= 64, "at most 64 items go here");
    fa__number_list l = {{(double)v...}, sizeof...(v)};
    return l;
}

#define FA__DEVICE(kind, index) fa__device(kind, index)
#define FA_SHAPE(...) fa__shape_of(__VA_ARGS__)
#define FA_TENSORS(...) fa__tensors_of(__VA_ARGS__)
#define FA_LIST(...) fa__numbers_of(__VA_ARGS__)
#define FA_ARRAY(count, item) fa__array(count, item)
#define FA__ARG(v) fa__arg(v)
#define FA__CHECK_FA__ARG(text, v)
#define FA__BIND_DATA(name, v) const auto name = fa__data_of(v);
#define FA__PASS_DATA(name, v) name.pointer
#define FA__DATA_DTYPE(name, v) name.dtype
#define FA__DATA_ROOM(name, v) __builtin_object_size(name.pointer, 0)
#define FA__IN_ORDER(v) fa__dims_in(v)
#define FA__IS_ORDER(v) (FA__IS_SHAPE(v) || std::is_convertible<decltype(v), fa_dims>::value)
#define FA__IS_NO_LIST(text)                                                                                           \
    (__builtin_strncmp(text, "fa__shape_of", 12) && __builtin_strncmp(text, "fa__numbers_of", 14)                      \
     && __builtin_strncmp(text, "fa__tensors_of", 14) && __builtin_strncmp(text, "fa__scalar_shape", 16))
#define FA__IS_SHAPE(name) (std::is_same<std::remove_cv_t<std::remove_reference_t<decltype(name)>>, fa_shape>::value)
#define FA__IS_LIST(name) (std::is_convertible<decltype(name), fa_tensors>::value)
#define FA__ARE_NUMBERS(name) (std::is_convertible<decltype(name), fa_list>::value)
#define FA__IS_ONE(name) (!FA__IS_SHAPE(name) && !FA__ARE_NUMBERS(name))
#define FA__IS_TENSOR(name) (!std::is_arithmetic<std::remove_reference_t<decltype(name)>>::value)
#define FA__BIND_DIM(name, v)                                                                                          \
    struct {                                                                                                           \
        fa__whole dim;                                                                                                 \
    } name = {v};
#define FA__PASS_DIM(name) name.dim.value
#else
fa_shape fa__dims_wrong(const void *);
fa_arg fa__arg_wrong(const void *); /* declared only to show a readable error after a failed static assertion */
#define FA__DEVICE(k, i) ((fa_device){.kind = (k), .index = (i)})
                                    /** A shape: FA_SHAPE(3, 4). FA_SHAPE() is the same as FA_SCALAR. */
#define FA_SHAPE(...) FA__CAT(FA__SHAPE, FA__EMPTY(__VA_ARGS__))(__VA_ARGS__)
#define FA__SHAPE0(...) ((fa_shape){.rank = FA__COUNT(__VA_ARGS__), .dim = {__VA_ARGS__}})
#define FA__SHAPE1(...) ((fa_shape){.rank = 0})
                                    /** A list of tensors as an argument: FA_TENSORS(a, b). */
#define FA_TENSORS(...) FA__CAT(FA__TENSORS, FA__EMPTY(__VA_ARGS__))(__VA_ARGS__)
#define FA__TENSORS0(...) ((fa_tensors){FA__COUNT(__VA_ARGS__), (fa_tensor *const[]){__VA_ARGS__}})
#define FA__TENSORS1(...) ((fa_tensors){0, NULL})
                                    /** A list of numbers as an argument: FA_LIST(0.5, 0.5). */
#define FA_LIST(...) FA__CAT(FA__LIST, FA__EMPTY(__VA_ARGS__))(__VA_ARGS__)
#define FA__LIST0(...) ((fa_list){FA__COUNT(__VA_ARGS__), (const double[]){__VA_ARGS__}})
#define FA__LIST1(...) ((fa_list){0, NULL})
                                    /** A list of the `count` items of an array as an argument: tensors as for
                                     *  FA_TENSORS, double as for FA_LIST, int64_t as for FA_SHAPE. It does not copy
                                     *  tensors and numbers: the array must live as long as it. */
#define FA_ARRAY(count, item)                                                                                          \
    _Generic((item), fa_tensor **: fa__array_of_tensors, fa_tensor *const *: fa__array_of_tensors,                     \
             double *: fa__array_of_numbers, const double *: fa__array_of_numbers, int64_t *: fa__array_of_sizes,      \
             const int64_t *: fa__array_of_sizes)(count, item)
/* The dtype of what a pointer or an array of one or two dimensions points to; FA_SAME for types that say nothing of a
 * dtype, such as void, char and uint16_t. */
#define FA__POINTS(type, dtype) type * : dtype, const type * : dtype, type(*)[] : dtype, const type(*)[] : dtype
#define FA__DTYPE_OF(v)                                                                                                \
    _Generic((v), FA__POINTS(_Bool, FA_BOOL), FA__POINTS(unsigned char, FA_U8), FA__POINTS(signed char, FA_I8),        \
             FA__POINTS(short, FA_I16), FA__POINTS(int, FA_I32), FA__POINTS(long, FA__LONG),                           \
             FA__POINTS(long long, FA_I64), FA__POINTS(float, FA_F32), FA__POINTS(double, FA_F64), default             \
             : FA_SAME)
#define FA__LONG (sizeof(long) == 8 ? FA_I64 : FA_I32)
#define FA__BIND_DATA(name, v)
#define FA__PASS_DATA(name, v) v
#define FA__DATA_DTYPE(name, v) FA__DTYPE_OF(v)
#define FA__DATA_ROOM(name, v) __builtin_object_size(v, 0)
#define FA__IN_ORDER(v)                                                                                                \
    _Generic((v), fa_shape : fa__dims_given, FA__NUMBERS(fa__dims_in_order, fa__dims_in_order, fa__dims_wrong))(v)
#define FA__IS_ORDER(v) _Generic((v), fa_shape : 1, FA__NUMBERS(1, 1, 0), default : 0)
/* True of the text of an expanded operand, unless it begins as what FA_SHAPE, FA_LIST, FA_TENSORS and FA_SCALAR expand
 * to */
#define FA__IS_NO_LIST(text)                                                                                           \
    (__builtin_strncmp(text, "((fa_shape)", 11) && __builtin_strncmp(text, "((fa_list)", 10)                           \
     && __builtin_strncmp(text, "((fa_tensors)", 13) && __builtin_strncmp(text, "fa__scalar_shape", 16))
#define FA__IS_SHAPE(name) _Generic(name, fa_shape : 1, default : 0)
#define FA__IS_LIST(name) _Generic(name, fa_tensors : 1, default : 0)
#define FA__ARE_NUMBERS(name) _Generic(name, fa_list : 1, default : 0)
#define FA__IS_ONE(name) _Generic(name, fa_shape : 0, fa_list : 0, default : 1)
#define FA__IS_TENSOR(name) _Generic(name, fa_tensor * : 1, const fa_tensor * : 1, fa_arg : 1, default : 0)
#define FA__BIND_DIM(name, v)                                                                                          \
    const struct {                                                                                                     \
        int64_t dim;                                                                                                   \
    } name = {v};
#define FA__PASS_DIM(name) name.dim
#define FA__NUMBERS(whole, large, real)                                                                                \
    double : real,                                                                                                     \
             float : real,                                                                                             \
                     long double : real,                                                                               \
                                   char : whole,                                                                       \
                                          signed char : whole,                                                         \
                                                        unsigned char : whole,                                         \
                                                                        short : whole,                                 \
                                                                                unsigned short : whole,                \
                                                                                                 int : whole,          \
                                                                                                       unsigned        \
        : whole,                                                                                                       \
          long : whole,                                                                                                \
                 unsigned long : large,                                                                                \
                                 long long : whole,                                                                    \
                                             unsigned long long : large
#define FA__CHECK_FA__ARG(text, v)                                                                                     \
    _Static_assert(                                                                                                    \
        _Generic(v, fa_tensor * : 1, const fa_tensor * : 1, fa_arg : 1, _Bool : 1, FA__NUMBERS(1, 1, 1), default : 0), \
        text);
#define FA__ARG(v)                                                                                                     \
    _Generic(v, fa_tensor *: fa__arg_t, const fa_tensor *: fa__arg_t, fa_arg: fa__arg_same, _Bool: fa__arg_b,                                \
             FA__NUMBERS(fa__arg_i, fa__arg_u, fa__arg_f), default: fa__arg_wrong)(v)
#define FA__NUMBER(v) _Generic(v, _Bool : fa__arg_b, FA__NUMBERS(fa__arg_i, fa__arg_exact, fa__arg_f))(v)
#endif

/** The shape of a tensor without dimensions, which has one element. */
#define FA_SCALAR fa__scalar_shape()
/** The CPU. */
#define FA_CPU FA__DEVICE(FA__CPU, 0)
/** A GPU used through CUDA. */
#define FA_CUDA(index) FA__DEVICE(FA__CUDA, index)
/** A device used through OpenCL. */
#define FA_OPENCL(index) FA__DEVICE(FA__OPENCL, index)
/** A device without memory: operations compute shapes and dtypes only. */
#define FA_META FA__DEVICE(FA__META, 0)
/** A simulated device for tests, with memory of its own and a queue that runs asynchronously. */
#define FA_LATE(index) FA__DEVICE(FA__LATE, index)

static inline fa_shape fa__scalar_shape(void)
{
    fa_shape s = FA__NONE;
    return s;
}

/* FA__CALLn(function, FA__NAMEDn(...), a conversion for each operand, operands..., .option = value...) expands to ({
 * line; fa_f_options o = defaults; o .option = value; fa_f(operands..., &o); }). An operand that may be a number is
 * evaluated into a variable first, so that nested calls do not grow exponentially; other operands are expanded in
 * place. */
#define FA__BIND_FA__SAME(text, name, v)
#define FA__PASS_FA__SAME(name, v) v
#define FA__BIND_FA__ARG(text, name, v)                                                                                \
    FA__AUTO name = v;                                                                                                 \
    FA__CHECK_FA__ARG(text, name)
#define FA__PASS_FA__ARG(name, v) FA__ARG(name)
/* A shape: fa_zeros(3, 4) is an error that says what goes there. */
#define FA__BIND_FA__SHAPE(text, name, v)                                                                              \
    const FA__AUTO name = v;                                                                                           \
    FA__STATIC_ASSERT(FA__IS_SHAPE(name), "a shape goes here, such as FA_SHAPE(3, 4) or FA_SCALAR");
#define FA__PASS_FA__SHAPE(name, v) name
/* A list of tensors: fa_cat(x, y) is an error that says what goes there. */
#define FA__BIND_FA__TENSOR_LIST(text, name, v)                                                                        \
    const FA__AUTO name = v;                                                                                           \
    FA__STATIC_ASSERT(FA__IS_LIST(name), "a list of tensors goes here, such as FA_TENSORS(x, y)");
#define FA__PASS_FA__TENSOR_LIST(name, v) name
/* A list of numbers: fa_pad(x, 1, 1) and fa_pad(x, FA_SHAPE(1, 1)) are errors that say what goes there. */
#define FA__BIND_FA__NUMBER_LIST(text, name, v)                                                                        \
    const FA__AUTO name = v;                                                                                           \
    FA__STATIC_ASSERT(FA__ARE_NUMBERS(name), "a list of numbers goes here, such as FA_LIST(1, 2)");
#define FA__PASS_FA__NUMBER_LIST(name, v) name
/* The size of all parts: fa_split(x, FA_LIST(64, 4)) is an error that names the function of several sizes. */
#define FA__BIND_FA__ONE_SIZE(text, name, v)                                                                           \
    const FA__AUTO name = v;                                                                                           \
    FA__STATIC_ASSERT(FA__IS_ONE(name), "one number goes here; several sizes: fa_split_sizes(x, FA_LIST(64, 4))");
#define FA__PASS_FA__ONE_SIZE(name, v) name
/* Dimensions in their order: FA_DIMS(2, 0, 1), FA_SHAPE(2, 0, 1) or a single one. */
#define FA__BIND_FA__ORDER(text, name, v)                                                                              \
    FA__STATIC_ASSERT(FA__IS_ORDER(v), "dimensions go here, such as FA_DIMS(1, 0), or one of them");
#define FA__PASS_FA__ORDER(name, v) FA__IN_ORDER(v)
/* A tensor where a number would compile: C compares pointers in fa_where(x > y, x, y). */
#define FA__BIND_FA__CONDITION(text, name, v)                                                                          \
    FA__AUTO name = v;                                                                                                 \
    FA__STATIC_ASSERT(FA__IS_TENSOR(name), "the condition is a tensor, such as fa_gt(x, y); x > y compares pointers");
#define FA__PASS_FA__CONDITION(name, v) FA__ARG(name)
/* A dimension, with or without its name: fa_softmax(x, 1) or fa_softmax(x, .dim = 1). A list is only known by its text,
 * because an expression with a name in front is none. */
#define FA__BIND_FA__DIMENSION(text, name, v)                                                                          \
    FA__STATIC_ASSERT(FA__IS_NO_LIST(#v), "one dimension goes here, such as 1, or -1 for the last one");               \
    FA__BIND_DIM(name, v)
#define FA__PASS_FA__DIMENSION(name, v) FA__PASS_DIM(name)
#define FA__OPERAND_TEXT(f, which) #f ": the " which " operand is neither a tensor nor a number"

/* FA__CALLED2(function, a conversion for each operand, operands...): the same without options. */
#define FA__CALLED2(f, c1, c2, ...)                                                                                    \
    FA__CALLED2_(f, c1, c2, __COUNTER__, FA__COUNT2(__VA_ARGS__), FA__1(__VA_ARGS__), FA__LAST2(__VA_ARGS__))
#define FA__CALLED2_(...) FA__CALLED2__(__VA_ARGS__)
#define FA__CALLED2__(f, c1, c2, u, count, a, b)                                                                       \
    __extension__({                                                                                                    \
        FA__LINE(u)                                                                                                    \
        FA__STATIC_ASSERT(count == 2 || !FA__IS_LITERAL(a), #f ": an operand with commas goes in parentheses");        \
        FA__BIND_##c1(FA__OPERAND_TEXT(f, "first"), fa__a##u, a)                                                       \
            FA__BIND_##c2(FA__OPERAND_TEXT(f, "second"), fa__b##u, b)                                                  \
                FA__STATIC_ASSERT(count == 2, #f ": it takes 2 arguments");                                            \
        f(FA__PASS_##c1(fa__a##u, a), FA__PASS_##c2(fa__b##u, b));                                                     \
    })

#define FA__CALL0(f, named, ...) FA__CALL0_(f, named, __COUNTER__, __VA_ARGS__)
#define FA__CALL0_(...) FA__CALL0__(__VA_ARGS__)
#define FA__CALL0__(f, named, u, ...)                                                                                  \
    __extension__({                                                                                                    \
        FA__LINE(u) FA__CHECK_NAMED(#f, named) f##_options fa__o##u = FA__DEFAULT_##f;                                 \
        FA__SET(f, fa__o##u, __VA_ARGS__)                                                                              \
        f(&fa__o##u);                                                                                                  \
    })
#define FA__CALL1(f, named, c1, ...)                                                                                   \
    FA__CALL1_(f, named, c1, __COUNTER__, FA__1(__VA_ARGS__), FA__DROP1(__VA_ARGS__, .fa__end = 0))
#define FA__CALL1_(...) FA__CALL1__(__VA_ARGS__)
#define FA__CALL1__(f, named, c1, u, a, ...)                                                                           \
    __extension__({                                                                                                    \
        FA__LINE(u)                                                                                                    \
        FA__CHECK_COMPLETE(#f, named)                                                                                  \
        FA__BIND_##c1(FA__OPERAND_TEXT(f, "first"), fa__a##u, a) FA__CHECK_NAMED(#f, named) f##_options fa__o##u =     \
            FA__DEFAULT_##f;                                                                                           \
        FA__SET(f, fa__o##u, __VA_ARGS__)                                                                              \
        f(FA__PASS_##c1(fa__a##u, a), &fa__o##u);                                                                      \
    })
#define FA__CALL2(f, named, c1, c2, ...)                                                                               \
    FA__CALL2_(f, named, c1, c2, __COUNTER__, FA__1(__VA_ARGS__), FA__2(__VA_ARGS__),                                  \
               FA__DROP2(__VA_ARGS__, .fa__end = 0))
#define FA__CALL2_(...) FA__CALL2__(__VA_ARGS__)
#define FA__CALL2__(f, named, c1, c2, u, a, b, ...)                                                                    \
    __extension__({                                                                                                    \
        FA__LINE(u)                                                                                                    \
        FA__CHECK_COMPLETE(#f, named)                                                                                  \
        FA__BIND_##c1(FA__OPERAND_TEXT(f, "first"), fa__a##u, a)                                                       \
            FA__BIND_##c2(FA__OPERAND_TEXT(f, "second"), fa__b##u, b) FA__CHECK_NAMED(#f, named)                       \
                f##_options fa__o##u = FA__DEFAULT_##f;                                                                \
        FA__SET(f, fa__o##u, __VA_ARGS__)                                                                              \
        f(FA__PASS_##c1(fa__a##u, a), FA__PASS_##c2(fa__b##u, b), &fa__o##u);                                          \
    })
#define FA__CALL3(f, named, c1, c2, c3, ...)                                                                           \
    FA__CALL3_(f, named, c1, c2, c3, __COUNTER__, FA__1(__VA_ARGS__), FA__2(__VA_ARGS__), FA__3(__VA_ARGS__),          \
               FA__DROP3(__VA_ARGS__, .fa__end = 0))
#define FA__CALL3_(...) FA__CALL3__(__VA_ARGS__)
#define FA__CALL3__(f, named, c1, c2, c3, u, a, b, c, ...)                                                             \
    __extension__({                                                                                                    \
        FA__LINE(u)                                                                                                    \
        FA__CHECK_COMPLETE(#f, named)                                                                                  \
        FA__BIND_##c1(FA__OPERAND_TEXT(f, "first"), fa__a##u, a)                                                       \
            FA__BIND_##c2(FA__OPERAND_TEXT(f, "second"), fa__b##u, b)                                                  \
                FA__BIND_##c3(FA__OPERAND_TEXT(f, "third"), fa__c##u, c) FA__CHECK_NAMED(#f, named)                    \
                    f##_options fa__o##u = FA__DEFAULT_##f;                                                            \
        FA__SET(f, fa__o##u, __VA_ARGS__)                                                                              \
        f(FA__PASS_##c1(fa__a##u, a), FA__PASS_##c2(fa__b##u, b), FA__PASS_##c3(fa__c##u, c), &fa__o##u);              \
    })
#define FA__CALL4(f, named, c1, c2, c3, c4, ...)                                                                       \
    FA__CALL4_(f, named, c1, c2, c3, c4, __COUNTER__, FA__1(__VA_ARGS__), FA__2(__VA_ARGS__), FA__3(__VA_ARGS__),      \
               FA__4(__VA_ARGS__), FA__DROP4(__VA_ARGS__, .fa__end = 0))
#define FA__CALL4_(...) FA__CALL4__(__VA_ARGS__)
#define FA__CALL4__(f, named, c1, c2, c3, c4, u, a, b, c, d, ...)                                                      \
    __extension__({                                                                                                    \
        FA__LINE(u)                                                                                                    \
        FA__CHECK_COMPLETE(#f, named)                                                                                  \
        FA__BIND_##c1(FA__OPERAND_TEXT(f, "first"), fa__a##u, a)                                                       \
            FA__BIND_##c2(FA__OPERAND_TEXT(f, "second"), fa__b##u, b)                                                  \
                FA__BIND_##c3(FA__OPERAND_TEXT(f, "third"), fa__c##u, c)                                               \
                    FA__BIND_##c4(FA__OPERAND_TEXT(f, "fourth"), fa__d##u, d) FA__CHECK_NAMED(#f, named)               \
                        f##_options fa__o##u = FA__DEFAULT_##f;                                                        \
        FA__SET(f, fa__o##u, __VA_ARGS__)                                                                              \
        f(FA__PASS_##c1(fa__a##u, a), FA__PASS_##c2(fa__b##u, b), FA__PASS_##c3(fa__c##u, c),                          \
          FA__PASS_##c4(fa__d##u, d), &fa__o##u);                                                                      \
    })
#define FA__CALL5(f, named, c1, c2, c3, c4, c5, ...)                                                                   \
    FA__CALL5_(f, named, c1, c2, c3, c4, c5, __COUNTER__, FA__1(__VA_ARGS__), FA__2(__VA_ARGS__), FA__3(__VA_ARGS__),  \
               FA__4(__VA_ARGS__), FA__5(__VA_ARGS__), FA__DROP5(__VA_ARGS__, .fa__end = 0))
#define FA__CALL5_(...) FA__CALL5__(__VA_ARGS__)
#define FA__CALL5__(f, named, c1, c2, c3, c4, c5, u, a, b, c, d, e, ...)                                               \
    __extension__({                                                                                                    \
        FA__LINE(u)                                                                                                    \
        FA__CHECK_COMPLETE(#f, named)                                                                                  \
        FA__BIND_##c1(FA__OPERAND_TEXT(f, "first"), fa__a##u, a)                                                       \
            FA__BIND_##c2(FA__OPERAND_TEXT(f, "second"), fa__b##u, b)                                                  \
                FA__BIND_##c3(FA__OPERAND_TEXT(f, "third"), fa__c##u, c)                                               \
                    FA__BIND_##c4(FA__OPERAND_TEXT(f, "fourth"), fa__d##u, d)                                          \
                        FA__BIND_##c5(FA__OPERAND_TEXT(f, "fifth"), fa__e##u, e) FA__CHECK_NAMED(#f, named)            \
                            f##_options fa__o##u = FA__DEFAULT_##f;                                                    \
        FA__SET(f, fa__o##u, __VA_ARGS__)                                                                              \
        f(FA__PASS_##c1(fa__a##u, a), FA__PASS_##c2(fa__b##u, b), FA__PASS_##c3(fa__c##u, c),                          \
          FA__PASS_##c4(fa__d##u, d), FA__PASS_##c5(fa__e##u, e), &fa__o##u);                                          \
    })

/** @} */

#endif
