/** @file
 *  Indexing with tensors and masks, as NumPy does: fa_index() gets, fa_index_put_() sets. Indices that are a text alone
 *  are views; fa_get() and fa_set() have them. */
#ifndef FACULA_INDICES_H
#define FACULA_INDICES_H
#include <facula/types.h>

FA__BEGIN

/** One part of an index; FA_INDEX() makes them. */
typedef struct fa_index_part {
    const char *text;        /**< entries as for fa_get(); NULL: there is none */
    const fa_tensor *tensor; /**< integers, or a mask of bool */
    int64_t number;          /**< when there is neither text nor tensor: an integer */
    bool is_tensor;          /**< tensor is meant, also when it is NULL: that is an error */
} fa_index_part;

/** The parts of an index, in order. */
typedef struct fa_index_parts {
    size_t count;              /**< how many there are */
    const fa_index_part *item; /**< the parts; read during the call only */
} fa_index_parts;

static inline fa_index_part fa__part_text(const char *text)
{
    fa_index_part p = FA__NONE;
    p.text = text;
    p.is_tensor = !text;
    return p;
}

static inline fa_index_part fa__part_tensor(const fa_tensor *tensor)
{
    fa_index_part p = FA__NONE;
    p.tensor = tensor;
    p.is_tensor = true;
    return p;
}

static inline fa_index_part fa__part_whole(int64_t number)
{
    fa_index_part p = FA__NONE;
    p.number = number;
    return p;
}

static inline fa_index_part fa__part_large(uint64_t number)
{
    return fa__part_whole(number > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)number);
}

#ifdef __cplusplus
}
static inline fa_index_part fa__part(const char *text)
{
    return fa__part_text(text);
}

static inline fa_index_part fa__part(const fa_tensor *tensor)
{
    return fa__part_tensor(tensor);
}

template <class N> static inline fa_index_part fa__part_number(N v)
{
    static_assert(std::is_integral<N>::value, "a part of an index is a tensor, a text or an integer");
    return std::is_unsigned<N>::value ? fa__part_large((uint64_t)v) : fa__part_whole((int64_t)v);
}

static inline fa_index_part fa__part(fa_tensor *tensor)
{
    return fa__part_tensor(tensor);
}

static inline fa_index_part fa__part(char *text)
{
    return fa__part_text(text);
}

template <class N> static inline fa_index_part fa__part(N v)
{
    return fa__part_number(v);
}

struct fa__part_list {
    fa_index_part item[64];
    size_t count;
    operator fa_index_parts() const
    {
        fa_index_parts p = {count, item};
        return p;
    }
};

template <class... T> static inline fa__part_list fa__parts_of(T... v)
{
    static_assert(sizeof...(v) <= 64, "at most 64 parts go here");
    fa__part_list l = {{fa__part(v)...}, sizeof...(v)};
    return l;
}
#define FA_INDEX(...) fa__parts_of(__VA_ARGS__)
extern "C" {
#else
#define FA__PART(v)                                                                                                    \
    _Generic(v, fa_tensor * : fa__part_tensor, const fa_tensor * : fa__part_tensor, char * : fa__part_text,            \
             const char * : fa__part_text, char : fa__part_whole, signed char : fa__part_whole,                        \
             unsigned char : fa__part_whole, short : fa__part_whole, unsigned short : fa__part_whole,                  \
             int : fa__part_whole, unsigned : fa__part_whole, long : fa__part_whole, unsigned long : fa__part_large,   \
             long long : fa__part_whole, unsigned long long : fa__part_large)(v)
/** An index: tensors, texts as for fa_get() and integers, in order. FA_INDEX(rows, "::2, ...", 3). */
#define FA_INDEX(...)                                                                                                  \
    ((fa_index_parts){FA__COUNT(__VA_ARGS__), (const fa_index_part[]){FA__MAP(FA__PART, __VA_ARGS__)}})
#endif

/** What NumPy makes of x[index]. A tensor of integers (any integer dtype, negative ones count from the end) is for one
 *  dimension. A mask (bool) is for as many as it has, of which it has to have the sizes; it stands for the places where
 *  it is true. All of them broadcast together. Their dimensions stand in the result where those that they are for did,
 *  or in front when a slice, `...` or None stands between two of them; integers beside tensors count as tensors for
 *  that, as in NumPy (PyTorch differs there). Texts may have several entries. Without a tensor the result is a view, as
 *  that of fa_get(), else it is a copy.
 *
 *      fa_index(x, rows, cols)          fa_index(x, mask)          fa_index(x, "1:5", rows, "...", 2)
 *
 *  Tensors on the CPU go with x on any device, and are copied there; on another device they are an error, or by
 *  automatic placement copied, as x is: without a tensor in the index the result is where x is, else where operations
 *  are. Out of range is an error with the index, on every device. The host reads how many elements of a mask are true:
 * one wait for each mask.
 *  @param x     the tensor
 *  @param index what FA_INDEX() makes; the macro is given the parts themselves
 *  @return the elements; NULL after an error */
FA_API fa_tensor *fa_index(const fa_tensor *x, fa_index_parts index);
#define fa_index(x, ...) fa_index(x, FA_INDEX(__VA_ARGS__))

/** Options of fa_index_put(). */
typedef struct fa_index_put_options {
    size_t size;     /**< set by the macro */
    bool accumulate; /**< adds to what is there */
    char fa__end;    /**< the end of what this version knows */
} fa_index_put_options;

/** x with a value assigned to the elements that fa_index() gets. Where several come to one place the last one stays,
 *  in row-major order of the index, or with .accumulate all are added, in that order: the same bits on every device.
 * The gradient of the value is what the index names, whichever stayed. One number for a single mask is assigned without
 *  that wait of the host. The value has to be where x is, whatever the index is made of, or without dimensions and on
 *  the CPU; fa_set() copies one from another device, and converts it.
 *
 *      fa_index_put(x, FA_INDEX(rows, cols), value, .accumulate = false)
 *
 *  @param x       the tensor
 *  @param index   what FA_INDEX() makes
 *  @param value   a number, or a tensor of x's dtype that broadcasts to what fa_index() gives
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return a copy of x that is changed; NULL after an error */
FA_API fa_tensor *fa_index_put(const fa_tensor *x, fa_index_parts index, fa_arg value,
                               const fa_index_put_options *options);

/** fa_index_put() in place.
 *  @param x       what is changed
 *  @param index   what FA_INDEX() makes
 *  @param value   a number, or a tensor of x's dtype that broadcasts to what fa_index() gives
 *  @param options what the macro makes of the named options; NULL for the defaults
 *  @return x; NULL after an error */
FA_API fa_tensor *fa_index_put_(fa_tensor *x, fa_index_parts index, fa_arg value, const fa_index_put_options *options);

/** @cond */
typedef fa_index_put_options fa_index_put__options;
#define FA__DEFAULT_fa_index_put                                                                                       \
    {                                                                                                                  \
        offsetof(fa_index_put_options, fa__end), false, 0                                                              \
    }
#define FA__DEFAULT_fa_index_put_ FA__DEFAULT_fa_index_put
#define fa_index_put(...) FA__CALL3(fa_index_put, FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
#define fa_index_put_(...) FA__CALL3(fa_index_put_, FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
/** @endcond */

FA__END
#endif
