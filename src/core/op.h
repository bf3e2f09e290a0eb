/* What all layers know of an operation: its name, its number and the layout of its arguments. How it is computed and
 * differentiated is defined in its row (dispatch/row.h). */
#ifndef FA__CORE_OP_H
#define FA__CORE_OP_H
#include <facula/types.h>

/* The kind of an argument, which determines how it is printed, checked, recorded and sampled in tests. */
typedef enum {
    FA__TENSOR,  /* const fa_tensor * */
    FA__LIKE,    /* fa_like: a tensor of which only shape, dtype and device are used */
    FA__TENSORS, /* fa_tensors: a list */
    FA__LIST,    /* fa_list: numbers */
    FA__NUMBER,  /* fa_arg: a tensor or a number */
    FA__INT,     /* int64_t */
    FA__DOUBLE,
    FA__BOOL,
    FA__DIMS,    /* fa_dims */
    FA__PAIR_,   /* fa_pair */
    FA__SHAPE,   /* fa_shape */
    FA__DTYPE,   /* fa_dtype */
    FA__DEVICE_, /* fa_device */
    FA__ENUM,    /* an enum of four bytes */
    FA__STRING,  /* const char * */
    FA__KEY      /* fa__key: generated for each call, never passed by the caller */
} fa__kind;

enum { FA__KINDS = FA__KEY + 1, FA__MAX_RESULTS = 4, FA__MAX_FIELDS = 16 };

typedef const fa_tensor *fa_like;

/* The number of dimensions in an FA_DIMS; 0 for a single dimension as a plain number, and for FA_ALL. */
static inline int fa__dims_named(fa_dims d)
{
    return d >= FA__DIMS(1) && d < FA__DIMS(FA_MAX_DIMS + 1) ? (int)(d >> 52) : 0;
}

/* Whether a number that stands where a dimension goes was made by FA_PAIR. */
static inline bool fa__dim_is_pair(int64_t dim)
{
    return dim >= INT64_C(1) << 62 && dim != INT64_MAX;
}

/* Identifies one draw of random numbers: call number `call` of the sequence started by `seed`. */
typedef struct fa__key {
    uint64_t seed, call;
} fa__key;

typedef struct fa__field {
    const char *name;
    uint8_t kind;    /* fa__kind */
    bool optional;   /* a named option */
    uint16_t offset; /* offset in the arguments' struct */
} fa__field;

struct fa__launch;

typedef struct fa__op {
    const char *name;
    int id; /* FA__OP_name in the generated ids.h; FA__OP_expression for derivatives and user-defined expressions */
    const struct fa__traits *traits;
    const fa__field *fields;
    uint8_t nfields, nresults; /* 0: the result is a list, whose length each call determines */
    uint16_t args_size;
    uint16_t of[FA__KINDS]; /* bit i of of[k]: field i has kind k */
    uint32_t keep;          /* bit i: field i is saved for backward; after the fields, the results */
    uint16_t constant;      /* fields that the operation modifies: no gradient, no copy */
    uint16_t index;         /* fields that may be on the CPU if the others are not */
    int8_t inplace;         /* field that the in-place form writes to; -1: there is no in-place form */
    const void *defaults;   /* an arguments' struct with the defaults of all options */
    const char *results[4];
    /* For each field and result, the fields (bits) whose gradients need it saved; NULL: all need it. */
    const uint16_t *keep_for;
    struct fa__compiled *compiled; /* pointwise operations: the parsed expression and its derivatives */
    /* The arguments of fa_register_op (backend/registered.h); NULL for the library's own operations. */
    const struct fa__registered *registered;
    /* The CPU's kernel of it, if it has one: here, not in a table of all, so that a program that is linked statically
     * has the kernels of the operations that it calls. */
    bool (*cpu_kernel)(const struct fa__launch *);
} fa__op;

/* The prefix of an operation's name in messages that name the function the program called. */
static inline const char *fa__op_prefix(const fa__op *op)
{
    return op->registered ? "" : "fa_";
}

/* A loop over the bits i that are set in mask, lowest first. */
#define FA__EACH_BIT(i, mask)                                                                                          \
    for (uint32_t i##_left = (mask), i = 0; i##_left && (i = (uint32_t)__builtin_ctz(i##_left), true);                 \
         i##_left &= i##_left - 1)

/* The fields that may hold a single tensor, as bits. */
static inline uint32_t fa__tensor_fields(const fa__op *op)
{
    return (uint32_t)op->of[FA__TENSOR] | op->of[FA__LIKE] | op->of[FA__NUMBER];
}

/* Computes op->of from the fields, for operations created at run time. */
static inline void fa__op_sort_fields(fa__op *op)
{
    for (int i = 0; i < op->nfields; i++)
        op->of[op->fields[i].kind] = (uint16_t)(op->of[op->fields[i].kind] | 1U << i);
}

/* Field i of an arguments' struct. */
static inline const void *fa__field_at(const void *args, const fa__field *field)
{
    return (const char *)args + field->offset;
}

/* The tensor of a field; NULL when it has none. */
static inline const fa_tensor *fa__field_tensor(const void *args, const fa__field *f)
{
    const void *p = fa__field_at(args, f);
    if (f->kind == FA__TENSOR || f->kind == FA__LIKE)
        return *(const fa_tensor *const *)p;
    const fa_arg *a = (const fa_arg *)p;
    return f->kind == FA__NUMBER && a->kind == FA__ARG_TENSOR ? fa__tensor_in(*a) : NULL;
}

static inline void fa__put_tensor(void *args, const fa__field *f, const fa_tensor *t)
{
    void *p = (char *)args + f->offset;
    if (f->kind == FA__NUMBER)
        *(fa_arg *)p = fa__arg_t(t);
    else
        *(const fa_tensor **)p = t;
}

/* ---- op.c: lists of numbers and strings among the arguments, for copies of them that outlive the call ---- */
static inline bool fa__op_has_texts(const fa__op *op)
{
    return (op->of[FA__LIST] | op->of[FA__STRING]) != 0;
}

/* The bytes that they take, behind each other. */
size_t fa__op_texts_size(const fa__op *, const void *args);
/* Copies them to `room`, which is aligned for a double, and lets args point there. */
void fa__op_texts_copy(const fa__op *, void *args, char *room);
#endif
