/* The row: what an operation is, and what its functions are given. Included by every file under src/ops.
 *
 * A file under src/ops is a family: for each operation a struct of arguments (the schema), a comment (the manual page),
 * functions for shapes and gradient where they cannot be derived, and the row. tools/rows reads these files and writes
 * the public header, the tables and the samples. The file ends with #include "<family>.rows". */
#ifndef FA__OPS_ROW_H
#define FA__OPS_ROW_H
#include "backend/device.h"
#include "backend/fault.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/site.h"
#include "core/attribution.h"
#include "core/list.h"
#include "core/op.h"
#include "core/random.h"
#include "core/storage.h"
#include "core/tensor.h"
#include "graph/autograd.h"
#include "graph/node.h"
#include "ids.h"
#include "internal.h"
#include <facula/autograd.h>
#include <facula/expression.h>
#include <facula/operations.h>
#include <facula/tensor.h>
#include <string.h>

/* What autocast does with an operation's floating operands. */
typedef enum { FA__CAST_NONE, FA__CAST_LOW, FA__CAST_F32, FA__CAST_WIDEST } fa__cast;

/* What a result will be: filled by .infer, made by the call. For views strides and offset are in elements of x's
 * storage; for others strides are filled in by the call. */
typedef struct fa__spec {
    fa_dtype dtype;
    int rank;
    int64_t shape[FA_MAX_DIMS], stride[FA_MAX_DIMS], offset;
} fa__spec;

/* A pointwise call: what is inferred, and what its launch needs. */
typedef struct fa__elementwise {
    struct fa__compiled *compiled;
    const fa__program *program;
    fa__class compute;
    uint32_t values; /* bit i: field i is a 0-dim tensor of the CPU that is passed as a value */
    bool plain;      /* all tensors have the result's shape and are dense: one run of elements */
} fa__elementwise;

/* How a call is carried out: filled by the stages of dispatch.c, in their order. */
typedef struct fa__plan {
    fa__device *device;   /* where it runs */
    fa__queue *queue;     /* NULL: on the host, at once */
    uint32_t wants;       /* bit i: gradients flow through the tensor of field i */
    bool needs_grad;      /* gradients flow through an operand */
    bool pending;         /* late work was issued on an operand */
    bool several_devices; /* operands are on several devices */
    bool moves;           /* operands are to be copied to the device */
    bool unshares;        /* operands that share memory with what is written are to be copied */
    bool settled;         /* operands were copied and cast already, by the call that this one goes on for */
    bool unsupported;     /* the device cannot do it, which is no error yet: nothing was issued */
    uint8_t cast;         /* fa_dtype that floating operands are to be cast to; FA_SAME: none is */
    uint8_t error_dtype;  /* of its launches (backend/device.h) */
    void *recorded;       /* arguments for backward that differ from the call's, on the heap; NULL: they do not */
    fa__elementwise elementwise;
} fa__plan;

/* One call: on the caller's stack, its arguments too. */
typedef struct fa__call {
    /* The request. It never changes: what goes on with other operands is another call. */
    const fa__op *const op;
    const void *const args;
    const void *const site; /* where the program called (base/site.h) */
    fa_tensor *const given; /* .out, or the operand that an in-place call writes */
    const bool inplace;
    const bool requires_grad; /* of a creation: the results are leaves that need gradients */
    /* The results, or the list where the operation's result is one. */
    fa_tensor *out[FA__MAX_RESULTS];
    fa__list *list;
    fa__spec *spec;           /* one for each result, all of which .infer fills; for a list fa__parts makes them */
    const fa_tensor **tensor; /* one for each field; NULL: it has none */
    fa__plan plan;
} fa__call;

/* What a gradient function is given. gy and y have one entry for each result (node->results of them); a gy that nobody
 * asked for is NULL when the row says .null_gy, zeros otherwise. */
typedef struct fa__back {
    fa__node *node;
    const void *args; /* as recorded: tensors that were not kept have only a shape, and no memory */
    fa_tensor **gy, **y;
    const uint8_t *wanted; /* for each edge of the node: whether its gradient is asked for */
    fa_tensor **gx;        /* what the gradient function gives: for each edge a tensor of the scope's, or NULL */
} fa__back;

/* The traits that a row is written with. Exactly one of expr, infer and compose is there. */
typedef struct fa__traits {
    const char *expr;                  /* POINTWISE: the text after "y =" */
    bool (*infer)(fa__call *);         /* fills c->spec for each result, or fails */
    bool (*run)(fa__call *);           /* host code that launches; without it the device's KERNEL(name) runs */
    void (*grad)(fa__back *);          /* gives each operand its gradient by fa__set_input_grad */
    fa_tensor *(*compose)(fa__call *); /* made of other operations; further results it puts into c->out[1] and so on */
    bool (*compose_list)(fa__call *);  /* the same where the result is a list: gives it by fa__listed */
    bool view;                         /* the result shares the memory of the first field */
    bool may_view;                     /* composed: the result may share an operand's memory, so it is where that is */
    bool hot;                          /* also compiled into loops of its own */
    bool internal;                     /* only other operations call it: not in the public headers */
    bool null_gy;                      /* the gradient function takes NULL for gradients that are not there */
    fa__cast autocast, autocast_cpu;   /* on GPUs, on the CPU */
    fa__cast (*autocast_by)(const fa__call *); /* that on the CPU, where the arguments decide it */
    fa_dtype result;                           /* POINTWISE: the result's dtype; else by promotion */
    const char *keep;        /* KEEP(x, y): what backward needs; KEEP(b for a): only a's gradient does */
    const char *require;     /* REQUIRE(p >= 0 && p < 1): a condition on the numbers */
    const char *no_grad;     /* why there is no gradient */
    const char *constant;    /* FIELDS(x, y): are changed, so they get no gradient and are not copied elsewhere */
    const char *index;       /* FIELDS(x): may be on the CPU when the others are not: they are moved */
    bool exact;              /* it moves, selects or fills, and rounds nothing: for dtypes that only hold values, too */
    bool widens;             /* converts operands in dtypes that only hold values itself */
    bool any_store;          /* in place: stored in any dtype (copy_, fill_) */
    bool no_bool;            /* POINTWISE: an error for bool operands */
    bool sets_strides;       /* .infer gives the result's strides too */
    bool accumulate_f32;     /* several elements make one of the result: for halves its kernel works in f32 */
    bool cross_device;       /* crosses devices itself: no placement; .infer sets the device */
    const char *inplace;     /* INPLACE(x): what the in-place form writes; INPLACE(none): no such form */
    bool by_values;          /* the operands' values decide the result's shape: meta may refuse it */
    bool by_layout;          /* it speaks of memory: another layout may give another result, or an error */
    bool unspecified_values; /* the result's elements are not told, only its form */
    bool differs;            /* DIFFERS(...) is there */
    bool torch;              /* TORCH(...) is there */
    bool also;               /* ALSO(...) is there */
    bool samples;            /* SAMPLES(...) is there */
} fa__traits;

#define OPT(...)
#define HOT .hot = true
#define INTERNAL .internal = true
#define KEEP(...) #__VA_ARGS__
#define FIELDS(...) #__VA_ARGS__
#define REQUIRE(...) #__VA_ARGS__
#define INPLACE(field) #field
#define TORCH(...) .torch = true /* what PyTorch is asked for the same: for the tests */
#define DIFFERS(...)                                                                                                   \
    .differs = true                  /* "i64 bool: why": dtypes where PyTorch answers otherwise, on purpose; "coarse"  \
                                      */
#define ALSO(...) .also = true       /* names that PyTorch and NumPy have for the same, or nearly: for the manual */
#define SAMPLES(...) .samples = true /* tools/rows hands them to the tests */
#define POINTWISE(name, signature, expression, ...)                                                                    \
    static const fa__traits name##_traits = {.expr = #expression, __VA_ARGS__};
#define OP(name, args_type, results, ...) static const fa__traits name##_traits = {__VA_ARGS__};

/* The options of a call. A program that was compiled against an older version has fewer of them: these are put into
 * `filled`, over today's defaults. Not inline, as there are hundreds of functions with options. */
__attribute__((__noinline__, __cold__, __unused__)) static const void *
fa__complete(const void *options, const void *defaults, void *filled, size_t size, size_t known)
{
    if (!options)
        return defaults;
    size_t given = *(const size_t *)options;
    memcpy(filled, defaults, size);
    return memcpy(filled, options, given < known ? given : known);
}

/* f is the public function's name. */
#define FA__COMPLETE(f)                                                                                                \
    static const f##_options fa__defaults = FA__DEFAULT_##f;                                                           \
    f##_options fa__filled;                                                                                            \
    if (!options || options->size != fa__defaults.size)                                                                \
        options = fa__complete(options, &fa__defaults, &fa__filled, sizeof fa__filled, fa__defaults.size);

/* ---- the call ---- */
bool fa__invoke(fa__call *);
/* Fails with the operation and its operands described: "fa_sum(x=(3, 4) f32 cpu, dim=7): there is no dimension 7". */
bool fa__call_fail(const fa__call *, fa_code, const char *format, ...) FA__PRINTF(3, 4) __attribute__((__cold__));
#ifdef __clang_analyzer__ /* which sees one file at a time, and not that it always gives false */
#define fa__call_fail(...) (fa__call_fail(__VA_ARGS__), false)
#endif

/* Fails: the call would compute in a dtype that only holds values. */
bool fa__computes_in(const fa__call *, fa_dtype storage) __attribute__((__cold__));

/* ---- lists, of rows with [parts] in the place of (y): see CONTRIBUTING.md ---- */
/* Fails if a list cannot have `count` results. */
bool fa__check_parts(const fa__call *, size_t count);
/* Makes the list of `count` results, and from .infer their specs, which are to be filled; false after an error. */
bool fa__parts(fa__call *, size_t count);
/* From .compose_list: makes the list of these tensors. */
bool fa__listed(fa__call *, size_t count, fa_tensor *const *item);

/* ---- shapes: each fills spec[0] or fails ---- */
bool fa__infer_shape(fa__call *, fa_dtype, int rank, const int64_t *shape);
bool fa__infer_like(fa__call *, const fa_tensor *, fa_dtype);
bool fa__infer_reduced(fa__call *, const fa_tensor *, fa_dims, bool keepdim, fa_dtype);
bool fa__infer_resized(fa__call *, const fa_tensor *, int64_t dim, int64_t size);
/* Whether a number can be stored in a dtype: integers have bounds. */
bool fa__dtype_holds(fa_dtype, double);
/* False and an error when a number is beyond what a dtype holds. */
bool fa__check_holds(const fa__call *, fa_dtype, const fa_arg *number);
/* The same for a number that is written into a tensor: fractions are cut off, and negative whole numbers wrap into
 * unsigned ones, as PyTorch has it. */
bool fa__check_written(const fa__call *, fa_dtype, const fa_arg *number);
/* The dimension that a number names, 0 to rank - 1; -1 after an error. */
int fa__wrap_dim(const fa__call *, const fa_tensor *, int64_t dim);
/* The error of a dim that is no place for a new dimension: false. */
bool fa__no_place(const fa__call *c, int64_t dim);
/* The dimensions that fa_dims names, as bits; false after an error. */
bool fa__dim_set(const fa__call *, const fa_tensor *, fa_dims, unsigned *set);

/* ---- launches from .run ---- */
/* An expression in the source: parsed once. */
typedef struct fa__source {
    const char *text;
    _Atomic(struct fa__compiled *) compiled;
    struct fa__source *next; /* of those that know their formula */
} fa__source;
typedef struct fa__bound {
    const char *name;
    fa_arg value;
    const fa__key *key; /* of a random number; value is then not looked at */
} fa__bound;
bool fa__run_source(fa__call *, fa_tensor *out, fa__source *, int count, const fa__bound *);
bool fa__run_reduction(fa__call *, int outputs, fa_tensor *const *out, const char *const *names, fa__combine,
                       fa__source *, unsigned set, int count, const fa__bound *);
/* Runs an expression over out's shape, operands by the names given. */
#define fa__run_expression(c, out, text, ...)                                                                          \
    __extension__({                                                                                                    \
        static fa__source fa__parsed = {text, NULL, NULL};                                                             \
        fa__run_source(c, out, &fa__parsed, __VA_ARGS__);                                                              \
    })
/* out = x, broadcast and converted; false for an x that is NULL after an error. */
bool fa__run_copy(fa__call *, fa_tensor *out, const fa_tensor *x);
/* out = the combination of the expression's value over the dimensions in `set` of x, in x's logical order. */
#define fa__run_reduce(c, out, combine, text, ...)                                                                     \
    __extension__({                                                                                                    \
        static fa__source fa__parsed = {text, NULL, NULL};                                                             \
        fa__run_reduction(c, 1, (fa_tensor *[]){out}, NULL, combine, &fa__parsed, __VA_ARGS__);                        \
    })
/* The same for sums of several values, which statements name: all out[] are of one shape and dtype. */
#define fa__run_reduce_to(c, outputs, out, names, text, ...)                                                           \
    __extension__({                                                                                                    \
        static fa__source fa__parsed = {text, NULL, NULL};                                                             \
        fa__run_reduction(c, outputs, out, names, FA__COMBINE_SUM, &fa__parsed, __VA_ARGS__);                          \
    })
/* Copies elements between any two tensors: converts, broadcasts, crosses devices. */
bool fa__copy_elements(fa__call *, fa_tensor *to, const fa_tensor *from, bool wait);
/* The device's kernel of the operation, on the call's operands and results. */
bool fa__run_kernel(fa__call *);
/* The same for a kernel that the pointwise operation of one operand follows, in place on its result. */
bool fa__run_kernel_then(fa__call *, const fa__op *then);
/* The same for a kernel that adds up. Where the result is of halves, the kernel adds into f32, and the sums are rounded
 * once. It starts from what the in-place form writes into, or from zeros where the row has no such form. */
bool fa__run_accumulated_f32(fa__call *);

/* ---- gradients ---- */
void fa__set_input_grad(fa__back *, const void *field, fa_tensor *);
void fa__set_item_grad(fa__back *, size_t k, fa_tensor *); /* of the list among the arguments */
/* g, summed over the dimensions in which x was broadcast; g itself if there are none, or if g or x is NULL. */
fa_tensor *fa__summed_to(fa_tensor *g, const fa_tensor *x);
void fa__set_derived_grads(fa__back *); /* POINTWISE: what is derived from the expression */
/* Whether the gradient of a field is asked for. */
bool fa__wants(const fa__back *, const void *field);
bool fa__wants_item(const fa__back *, size_t k);
/* The dtype that the gradient of a field is wanted in: the field's own or, behind a conversion by autocast, f32. */
fa_dtype fa__wanted_dtype(const fa__back *, const void *field);
/* The gradient of a reduction of x over dims, with the dimensions of size 1 put back that a reduction without keepdim
 * took away, so that it broadcasts to x's shape. From a reduction over all it is a number, and stays that. */
fa_tensor *fa__undo_reduced(fa_tensor *gy, const fa_tensor *x, fa_dims, bool keepdim);
#endif
