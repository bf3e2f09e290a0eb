/* A formula: the parsed expression of a pointwise operation, and the operations that are its derivatives, made when
 * first needed. Derivatives are pointwise operations too, so they have derivatives of their own. */
#ifndef FA__OPS_FORMULA_H
#define FA__OPS_FORMULA_H
#include "base/types.h"
#include "core/dtype.h"
#include "core/op.h"
#include "core/program.h"
#include "dispatch/typing.h"
#include "pointwise/expression.h"

enum { FA__NEEDS_INPUTS = 4 /* expressions of at most so many operands are remembered */ };

typedef struct fa__compiled {
    const fa__expression *e;
    fa__program program;
    uint8_t result; /* the result's dtype; FA_SAME: by promotion */
    uint8_t casts;  /* the dtype of its casts, which promotes as an operand's does; FA_SAME: there are none */
    bool exact;     /* it computes nothing that would have to be rounded: it selects, compares or changes signs */
    struct fa__object
        *owner; /* referenced by whatever uses this beyond a call; NULL: it lives until the process ends */
    _Atomic(fa__program *) narrow[FA__DTYPES];          /* for FA__NARROW_DTYPES: made when first needed */
    _Atomic(fa__typed *) typed;                         /* of a typed expression: a list, by operands' dtypes */
    _Atomic(const fa__op *) derivative[FA__MAX_INPUTS]; /* by input: an operation, or fa__zero_op */
    /* What a record has to know, by the operands (bits) whose gradients are asked for; 0: not asked yet. */
    _Atomic(uint64_t) needs[1 << FA__NEEDS_INPUTS];
} fa__compiled;

/* Operands that gradients flow to, operands that these gradients mention, and whether they mention the result. */
typedef struct fa__needs {
    uint32_t wants, keep;
    bool keep_y;
} fa__needs;

/* For the operands (bits) whose gradients are asked for; false and an error on failure. */
bool fa__needs_of(const fa__op *op, uint32_t wants, fa__needs *needs);

/* What stands for a derivative that is zero whatever the operands. */
extern const fa__op fa__zero_op;
/* What stands for a derivative that is too large for one expression: it is computed step by step. */
extern const fa__op fa__large_op;

/* The formula of a pointwise operation; NULL and an error when it does not parse or memory is lacking. */
fa__compiled *fa__compiled_of(const fa__op *);
/* The program that gives results of a dtype. NULL and an error when memory is lacking. */
FA__COLD fa__program *fa__narrow_program(fa__compiled *, fa_dtype);
static inline fa__program *fa__program_of(fa__compiled *f, fa_dtype d)
{
    return FA__LIKELY(!(FA__NARROW_DTYPES >> d & 1)) ? &f->program : fa__narrow_program(f, d);
}
/* Of a typed expression: the program for operands of these types. NULL, with *why, or without memory with why->code
 * FA_OK and an error. */
fa__typed *fa__typed_of(fa__compiled *, const fa__operand_types *, fa__type_error *why);
/* Whether a primitive computes nothing that would have to be rounded: it selects, compares or changes signs. */
bool fa__prim_is_exact(fa__prim);
/* d op / d input, times gy: an operation whose fields are those of op, then gy, then y; fa__zero_op or fa__large_op; op
 * itself where it is a derivative and the input its own gy, which it is linear in: the new one is to stand there. NULL
 * and an error on failure. */
const fa__op *fa__derivative_of(const fa__op *op, int input);
/* A formula of a parsed expression, which it takes over; without memory NULL, and the expression stays the caller's.
 * `owner`: what has to live for as long as anybody uses the formula or what is made of it. */
fa__compiled *fa__compiled_new(const fa__expression *, struct fa__object *owner);
/* Frees it with its derivatives, and with what devices made of their programs, none of which may be in use. */
void fa__compiled_free(fa__compiled *);
/* The formula of a registered operation, whose fields and result have these names. NULL and an error that names the
 * operation and the place when the text is wrong. */
fa__compiled *fa__compiled_of_text(const char *op, const char *text, const char *const *names, int count,
                                   const char *result);
#endif
