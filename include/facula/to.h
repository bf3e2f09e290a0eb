/** @file
 *  Moving tensors between devices and dtypes, and indexing as NumPy writes it. */
#ifndef FACULA_TO_H
#define FACULA_TO_H
#include <facula/types.h>

FA__BEGIN

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

FA__END
#endif
