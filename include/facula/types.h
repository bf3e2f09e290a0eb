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
#include <type_traits>
#endif

FA__BEGIN

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

/** A device. Kind 0 means the default device of the current settings. Index -1 is the current device of its kind. */
typedef struct fa_device {
    int32_t kind;  /**< the kind, as FA_CPU and the other macros set it */
    int32_t index; /**< which device of that kind, from 0 */
} fa_device;

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
#define FA_DIMS(...) (FA__DIMS(FA__COUNT(__VA_ARGS__)) | FA__CAT(FA__DIMS, FA__COUNT(__VA_ARGS__))(__VA_ARGS__))
/* The number of arguments is stored too: if fewer bits than that are set, a dimension was named twice. */
#define FA__DIMS(count) (INT64_C(1) * (count) << 40)
#define FA__DIMS1(a) FA__DIM(a)
#define FA__DIMS2(a, b) (FA__DIMS1(a) | FA__DIM(b))
#define FA__DIMS3(a, b, c) (FA__DIMS2(a, b) | FA__DIM(c))
#define FA__DIMS4(a, b, c, d) (FA__DIMS3(a, b, c) | FA__DIM(d))
#define FA__DIMS5(a, b, c, d, e) (FA__DIMS4(a, b, c, d) | FA__DIM(e))
#define FA__DIMS6(a, b, c, d, e, f) (FA__DIMS5(a, b, c, d, e) | FA__DIM(f))
#define FA__DIMS7(a, b, c, d, e, f, g) (FA__DIMS6(a, b, c, d, e, f) | FA__DIM(g))
#define FA__DIMS8(a, b, c, d, e, f, g, h) (FA__DIMS7(a, b, c, d, e, f, g) | FA__DIM(h))

/** A height and a width, for images, kernels, strides and padding. A plain number stands for both; FA_PAIR(3, 5) is
 *  height 3 and width 5. */
typedef int64_t fa_pair;
/** A height and a width, each from -1 to 2147483646. */
#define FA_PAIR(height, width) fa__pair_of(height, width)
/** For the padding of a convolution: pad so that the output has the size of the input. If the total is odd, the extra
 *  row or column is added at the end. */
#define FA_PADDING_SAME INT64_MIN

/* An invalid pair becomes -2, which is not a valid size either. */
static inline fa_pair fa__pair_of(int64_t height, int64_t width)
{
    if (height < -1 || height >= INT32_MAX || width < -1 || width >= INT32_MAX)
        return -2;
    return INT64_C(1) << 62 | (width + 1) << 31 | (height + 1);
}

/** The height (`which` is 0) or the width (`which` is 1) of the pair `p`. Useful in custom layers and operations. */
static inline int64_t fa_pair_at(fa_pair p, int which)
{
    return p < INT64_C(1) << 62 ? p : (p >> 31 * which & INT32_MAX) - 1;
}

/** An operand that is a tensor or a number. The macros of the operations create it; programs rarely need to name it. */
typedef struct fa_arg {
    int32_t kind; /**< FA__ARG_TENSOR, FA__ARG_FLOAT, FA__ARG_INT or FA__ARG_BOOL */
    union {
        double f;           /**< for FA__ARG_FLOAT */
        int64_t i;          /**< for FA__ARG_INT and FA__ARG_BOOL */
        const fa_tensor *t; /**< for FA__ARG_TENSOR */
    } as;                   /**< the value */
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
    fa_tensor *const *item; /**< the tensors; after an error there are none, and the first 64 items are NULL */
} fa_tensors;

/* What lists point to after an error. */
FA__BEGIN
extern FA_API fa_tensor *const fa__no_items[64];
extern FA_API const char *const fa__no_names[64];
FA__END

static inline fa_arg fa__arg_f(double v)
{
    fa_arg a = FA__NONE;
    a.kind = FA__ARG_FLOAT;
    a.as.f = v;
    return a;
}

static inline fa_arg fa__arg_i(int64_t v)
{
    fa_arg a = FA__NONE;
    a.kind = FA__ARG_INT;
    a.as.i = v;
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
        a.kind = FA__ARG_LARGE; /* the value is as.i + 2^63 */
    return a;
}

static inline fa_arg fa__arg_b(bool v)
{
    fa_arg a = FA__NONE;
    a.kind = FA__ARG_BOOL;
    a.as.i = v;
    return a;
}

static inline fa_arg fa__arg_t(const fa_tensor *t)
{
    fa_arg a = FA__NONE;
    a.as.t = t;
    return a;
}

static inline fa_arg fa__arg_same(fa_arg a)
{
    return a;
}

FA__END

#ifdef __cplusplus
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
#define FA__ARG(v) fa__arg(v)
#define FA__CHECK_FA__ARG(text, v)
#else
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

/* FA__CALLn(function, a conversion for each operand, operands..., .option = value...) expands to ({ line; fa_f_options
 * o = defaults; o .option = value; fa_f(operands..., &o); }). An operand that may be a number is evaluated into a
 * variable first, so that nested calls do not grow exponentially; other operands are expanded in place. */
#define FA__BIND_FA__SAME(text, name, v)
#define FA__PASS_FA__SAME(name, v) v
#define FA__BIND_FA__ARG(text, name, v)                                                                                \
    FA__AUTO name = v;                                                                                                 \
    FA__CHECK_FA__ARG(text, name)
#define FA__PASS_FA__ARG(name, v) FA__ARG(name)
#define FA__OPERAND_TEXT(f, which) #f ": the " which " operand is neither a tensor nor a number"

#define FA__CALL0(f, ...) FA__CALL0_(f, __COUNTER__, __VA_ARGS__)
#define FA__CALL0_(...) FA__CALL0__(__VA_ARGS__)
#define FA__CALL0__(f, u, ...)                                                                                         \
    __extension__({                                                                                                    \
        FA__LINE(u)                                                                                                    \
        f##_options fa__o##u = FA__DEFAULT_##f;                                                                        \
        FA__SET(fa__o##u, __VA_ARGS__)                                                                                 \
        f(&fa__o##u);                                                                                                  \
    })
#define FA__CALL1(f, c1, ...) FA__CALL1_(f, c1, __COUNTER__, FA__1(__VA_ARGS__), FA__DROP1(__VA_ARGS__, .fa__end = 0))
#define FA__CALL1_(...) FA__CALL1__(__VA_ARGS__)
#define FA__CALL1__(f, c1, u, a, ...)                                                                                  \
    __extension__({                                                                                                    \
        FA__LINE(u)                                                                                                    \
        FA__BIND_##c1(FA__OPERAND_TEXT(f, "first"), fa__a##u, a) f##_options fa__o##u = FA__DEFAULT_##f;               \
        FA__SET(fa__o##u, __VA_ARGS__)                                                                                 \
        f(FA__PASS_##c1(fa__a##u, a), &fa__o##u);                                                                      \
    })
#define FA__CALL2(f, c1, c2, ...)                                                                                      \
    FA__CALL2_(f, c1, c2, __COUNTER__, FA__1(__VA_ARGS__), FA__2(__VA_ARGS__), FA__DROP2(__VA_ARGS__, .fa__end = 0))
#define FA__CALL2_(...) FA__CALL2__(__VA_ARGS__)
#define FA__CALL2__(f, c1, c2, u, a, b, ...)                                                                           \
    __extension__({                                                                                                    \
        FA__LINE(u)                                                                                                    \
        FA__BIND_##c1(FA__OPERAND_TEXT(f, "first"), fa__a##u, a)                                                       \
            FA__BIND_##c2(FA__OPERAND_TEXT(f, "second"), fa__b##u, b) f##_options fa__o##u = FA__DEFAULT_##f;          \
        FA__SET(fa__o##u, __VA_ARGS__)                                                                                 \
        f(FA__PASS_##c1(fa__a##u, a), FA__PASS_##c2(fa__b##u, b), &fa__o##u);                                          \
    })
#define FA__CALL3(f, c1, c2, c3, ...)                                                                                  \
    FA__CALL3_(f, c1, c2, c3, __COUNTER__, FA__1(__VA_ARGS__), FA__2(__VA_ARGS__), FA__3(__VA_ARGS__),                 \
               FA__DROP3(__VA_ARGS__, .fa__end = 0))
#define FA__CALL3_(...) FA__CALL3__(__VA_ARGS__)
#define FA__CALL3__(f, c1, c2, c3, u, a, b, c, ...)                                                                    \
    __extension__({                                                                                                    \
        FA__LINE(u)                                                                                                    \
        FA__BIND_##c1(FA__OPERAND_TEXT(f, "first"), fa__a##u, a)                                                       \
            FA__BIND_##c2(FA__OPERAND_TEXT(f, "second"), fa__b##u, b)                                                  \
                FA__BIND_##c3(FA__OPERAND_TEXT(f, "third"), fa__c##u, c) f##_options fa__o##u = FA__DEFAULT_##f;       \
        FA__SET(fa__o##u, __VA_ARGS__)                                                                                 \
        f(FA__PASS_##c1(fa__a##u, a), FA__PASS_##c2(fa__b##u, b), FA__PASS_##c3(fa__c##u, c), &fa__o##u);              \
    })
#define FA__CALL4(f, c1, c2, c3, c4, ...)                                                                              \
    FA__CALL4_(f, c1, c2, c3, c4, __COUNTER__, FA__1(__VA_ARGS__), FA__2(__VA_ARGS__), FA__3(__VA_ARGS__),             \
               FA__4(__VA_ARGS__), FA__DROP4(__VA_ARGS__, .fa__end = 0))
#define FA__CALL4_(...) FA__CALL4__(__VA_ARGS__)
#define FA__CALL4__(f, c1, c2, c3, c4, u, a, b, c, d, ...)                                                             \
    __extension__({                                                                                                    \
        FA__LINE(u)                                                                                                    \
        FA__BIND_##c1(FA__OPERAND_TEXT(f, "first"), fa__a##u, a)                                                       \
            FA__BIND_##c2(FA__OPERAND_TEXT(f, "second"), fa__b##u, b)                                                  \
                FA__BIND_##c3(FA__OPERAND_TEXT(f, "third"), fa__c##u, c)                                               \
                    FA__BIND_##c4(FA__OPERAND_TEXT(f, "fourth"), fa__d##u, d) f##_options fa__o##u = FA__DEFAULT_##f;  \
        FA__SET(fa__o##u, __VA_ARGS__)                                                                                 \
        f(FA__PASS_##c1(fa__a##u, a), FA__PASS_##c2(fa__b##u, b), FA__PASS_##c3(fa__c##u, c),                          \
          FA__PASS_##c4(fa__d##u, d), &fa__o##u);                                                                      \
    })
#define FA__CALL5(f, c1, c2, c3, c4, c5, ...)                                                                          \
    FA__CALL5_(f, c1, c2, c3, c4, c5, __COUNTER__, FA__1(__VA_ARGS__), FA__2(__VA_ARGS__), FA__3(__VA_ARGS__),         \
               FA__4(__VA_ARGS__), FA__5(__VA_ARGS__), FA__DROP5(__VA_ARGS__, .fa__end = 0))
#define FA__CALL5_(...) FA__CALL5__(__VA_ARGS__)
#define FA__CALL5__(f, c1, c2, c3, c4, c5, u, a, b, c, d, e, ...)                                                      \
    __extension__({                                                                                                    \
        FA__LINE(u)                                                                                                    \
        FA__BIND_##c1(FA__OPERAND_TEXT(f, "first"), fa__a##u, a)                                                       \
            FA__BIND_##c2(FA__OPERAND_TEXT(f, "second"), fa__b##u, b)                                                  \
                FA__BIND_##c3(FA__OPERAND_TEXT(f, "third"), fa__c##u, c)                                               \
                    FA__BIND_##c4(FA__OPERAND_TEXT(f, "fourth"), fa__d##u, d)                                          \
                        FA__BIND_##c5(FA__OPERAND_TEXT(f, "fifth"), fa__e##u, e) f##_options fa__o##u =                \
                            FA__DEFAULT_##f;                                                                           \
        FA__SET(fa__o##u, __VA_ARGS__)                                                                                 \
        f(FA__PASS_##c1(fa__a##u, a), FA__PASS_##c2(fa__b##u, b), FA__PASS_##c3(fa__c##u, c),                          \
          FA__PASS_##c4(fa__d##u, d), FA__PASS_##c5(fa__e##u, e), &fa__o##u);                                          \
    })

/** @} */

#endif
