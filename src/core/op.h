/* What every floor may know of an operation: its name, its number and the layout of its arguments. How it is computed
 * and differentiated is in its row (src/ops/row.h). */
#ifndef FA__CORE_OP_H
#define FA__CORE_OP_H
#include <facula/types.h>

/* What an argument is; decides how it is described, checked, recorded and sampled. */
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
    FA__ENUM,    /* an enumeration: four bytes */
    FA__STRING,  /* const char * */
    FA__KEY      /* fa__key: drawn when the call is made, never given by the caller */
} fa__kind;

enum { FA__KINDS = FA__KEY + 1, FA__MAX_RESULTS = 4, FA__MAX_FIELDS = 16 };

typedef const fa_tensor *fa_like;

/* How many dimensions an FA_DIMS names; 0 when it is one dimension, as a plain number, or FA_ALL. */
static inline int fa__dims_named(fa_dims d)
{
    return d >= FA__DIMS(1) && d < FA__DIMS(FA_MAX_DIMS + 1) ? (int)(d >> 40) : 0;
}

/* Names one draw of random numbers: element i of call number `call` of the sequence that `seed` starts. */
typedef struct fa__key {
    uint64_t seed, call;
} fa__key;

typedef struct fa__field {
    const char *name;
    uint8_t kind;    /* fa__kind */
    bool optional;   /* a named option */
    uint16_t offset; /* in the arguments' struct */
} fa__field;

typedef struct fa__op {
    const char *name;
    int id; /* FA__OP_name of the generated ids.h; derived and user expressions have FA__OP_expression */
    const struct fa__traits *traits;
    const fa__field *fields;
    uint8_t nfields, nresults; /* 0 results: a list, of which each call finds the length */
    uint16_t args_size;
    uint16_t of[FA__KINDS]; /* bit i of of[k]: field i is of kind k */
    uint32_t keep;          /* bit i: field i is kept for backward; behind the fields, the results */
    uint16_t constant;      /* fields that the operation changes: no gradient, no copy */
    uint16_t index;         /* fields that may be on the CPU when the others are not */
    int8_t inplace;         /* the field that the in-place form writes into; -1: there is no such form */
    const void *defaults;   /* an arguments' struct with every option at its default */
    const char *results[4];
    /* For each field and result the fields (bits) whose gradients need it kept; NULL: what is kept is for all. */
    const uint16_t *keep_for;
    struct fa__compiled *compiled; /* of pointwise operations: the parsed expression and its derivatives */
} fa__op;

/* Runs what follows for each bit i that is set in mask, from the lowest. */
#define FA__EACH_BIT(i, mask)                                                                                          \
    for (uint32_t i##_left = (mask), i = 0; i##_left && (i = (uint32_t)__builtin_ctz(i##_left), true);                 \
         i##_left &= i##_left - 1)

/* The fields that may hold one tensor (bits). */
static inline uint32_t fa__tensor_fields(const fa__op *op)
{
    return (uint32_t)op->of[FA__TENSOR] | op->of[FA__LIKE] | op->of[FA__NUMBER];
}

/* Fills op->of from its fields, for operations that are made while the program runs. */
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
#endif
