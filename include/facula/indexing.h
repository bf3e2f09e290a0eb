/** @file
 *  Indexing with tensors and masks, as in NumPy: fa_index() reads elements, fa_index_put_() writes them. For slices
 *  only, see fa_get() and fa_set(). */
#ifndef FACULA_INDEXING_H
#define FACULA_INDEXING_H
#include <facula/types.h>

FA__BEGIN

/** @defgroup indexing Indexing with tensors and masks
 *  @{ */

/** One part of an index, created by FA_INDEX(). */
typedef struct fa_index_part {
    const char *text;        /**< entries as for fa_get(); NULL: not a text */
    const fa_tensor *tensor; /**< a tensor of integers, or a mask of dtype bool */
    int64_t number;          /**< an integer, if there is neither a text nor a tensor */
    bool is_tensor;          /**< the part is a tensor; if `tensor` is NULL then, that is an error */
} fa_index_part;

/** The parts of an index, in order. */
typedef struct fa_index_parts {
    size_t count;              /**< number of parts */
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
/** An index made of tensors, integers, and strings as for fa_get(), in order: FA_INDEX(rows, "::2, ...", 3). */
#define FA_INDEX(...)                                                                                                  \
    ((fa_index_parts){FA__COUNT(__VA_ARGS__), (const fa_index_part[]){FA__MAP(FA__PART, __VA_ARGS__)}})
#endif

/** Selects elements, as x[index] does in NumPy.
 *
 *      fa_index(x, rows, cols)          fa_index(x, mask)          fa_index(x, "1:5", rows, "...", 2)
 *
 *  - A tensor of integers indexes one dimension; negative numbers count from the end.
 *  - A mask (dtype bool) indexes as many dimensions as it has, whose sizes must match. It selects the elements at
 *    which it is true.
 *  - All index tensors broadcast together. The broadcast dimensions replace the indexed ones in the result; if a
 *    slice, `...` or None separates two index tensors, they come first. Integers beside tensors count as index
 *    tensors here, as in NumPy but not in PyTorch.
 *  - A string may contain several entries.
 *  - The result is a view, as of fa_get(), if there is no index tensor, else a copy.
 *
 *  Index tensors on the CPU may be used with x on any device, and are copied there. Index tensors on another device
 *  are an error, unless automatic placement (FA_PLACE_AUTO) copies them. An index out of range is an error that names
 *  the index, on every device. For each mask, the host waits to read its number of true elements.
 *  @param x     the tensor
 *  @param index an FA_INDEX(); the macro takes the parts directly
 *  @return the selected elements; NULL after an error */
FA_API fa_tensor *fa_index(const fa_tensor *x, fa_index_parts index);
#define fa_index(x, ...) FA__CALLED(fa_index(x, FA_INDEX(__VA_ARGS__)))

/** Options of fa_index_put(). */
typedef struct fa_index_put_options {
    size_t size;     /**< set by the macro */
    bool accumulate; /**< add to the elements instead of replacing them */
    char fa__end;    /**< marks the end of the options */
} fa_index_put_options;

/** Returns a copy of x in which the elements that fa_index() would select are set to `value`. If an element is
 *  selected several times, the last value in row-major order of the index is kept, or with .accumulate all are added
 *  in that order; the result is bit-identical on every device. The gradient with respect to `value` is the gradient
 *  at the selected elements, whether or not a value was overwritten. Assigning one number through a single mask does
 *  not make the host wait. `value` must be on the device of x, or be a tensor without dimensions on the CPU; fa_set()
 *  also copies from other devices and converts.
 *
 *      fa_index_put(x, FA_INDEX(rows, cols), value, .accumulate = false)
 *
 *  @param x       the tensor
 *  @param index   an FA_INDEX()
 *  @param value   a number, or a tensor of x's dtype that broadcasts to the shape of the selection
 *  @param options the options shown above; NULL for the defaults
 *  @return the modified copy; NULL after an error */
FA_API fa_tensor *fa_index_put(const fa_tensor *x, fa_index_parts index, fa_arg value,
                               const fa_index_put_options *options);

/** fa_index_put() in place.
 *  @param x       the tensor to modify
 *  @param index   an FA_INDEX()
 *  @param value   a number, or a tensor of x's dtype that broadcasts to the shape of the selection
 *  @param options the options of fa_index_put(); NULL for the defaults
 *  @return x; NULL after an error */
FA_API fa_tensor *fa_index_put_(fa_tensor *x, fa_index_parts index, fa_arg value, const fa_index_put_options *options);

/** @cond */
typedef fa_index_put_options fa_index_put__options;
#define FA__DEFAULT_fa_index_put                                                                                       \
    {                                                                                                                  \
        offsetof(fa_index_put_options, fa__end), false, 0                                                              \
    }
#define FA__DEFAULT_fa_index_put_ FA__DEFAULT_fa_index_put
#define fa_index_put(...)                                                                                              \
    FA__CALL3(fa_index_put, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
#define fa_index_put_(...)                                                                                             \
    FA__CALL3(fa_index_put_, FA__NAMED3(, ##__VA_ARGS__, ., ., ., .), FA__SAME, FA__SAME, FA__ARG, __VA_ARGS__)
/** @endcond */

/** @} */

FA__END
#endif
