/* The expression language: text becomes a simplified scalar program (core/ssa.h), and a program its derivatives. It
 * knows nothing of dtypes, shapes and tensors; running programs is the backends' part.
 *
 *     x * sigmoid(1.702 * x)                  one result
 *     y = x > 0 ? x : exp(x) - 1              the same, with the result's name before it
 *     m = b * m + g; p = p - lr * m           several results, in place: later statements see the new values
 *     t = exp(-abs(x)); y = t / (1 + t)       t is neither operand nor result: a local
 *
 * An operand that is no result is only read.
 *
 * Precedence is C's: ?:  ||  &&  |  &  == !=  < <= > >=  + -  * /  and unary - + !. `|` and `&` join tests, `/` is true
 * division, comparisons do not chain. Functions are the primitives by name and dtype names as casts (`f16(x)`).
 * Constants: 3 and 0x1F are integers, 1.5, .5 and 1e-3 are not; pi, inf, nan, true, false. Names of operands hide
 * those of constants.
 *
 * Usually all values of a program are of one compute type, and a cast is the value after conversion, in that type:
 * whoever chooses the type looks at `casts`. A text that is parsed as `typed` becomes a program in which nothing is
 * simplified that could matter to types: each value then gets a type from its operands (dispatch/typing.h). */
#ifndef FA__POINTWISE_EXPRESSION_H
#define FA__POINTWISE_EXPRESSION_H
#include "core/ssa.h"
#include <stddef.h>

/* The names that a text may use: operands, numbered in this order, and results. A name in both is updated in place.
 * Without names of results there is one: the last statement. */
typedef struct fa__signature {
    const char *const *inputs;
    int ninputs;
    const char *const *outputs;
    int noutputs;
    bool typed; /* the values of the program will have types of their own (dispatch/typing.h) */
} fa__signature;

/* Immutable, and counted: each function that returns one gives a reference, fa__expression_free gives it back. What a
 * text mentions is judged before simplification (x * 1.0 is floating, select(c, x, x) has a condition), so promotion
 * does not depend on what can be simplified; `used` tells what is left to be read. */
typedef struct fa__expression {
    fa__ssa ssa;
    const char *text;         /* as given; of a derivative: "d(text)/d(x)" */
    const char *const *names; /* of the inputs */
    uint16_t ninputs;
    uint16_t order;      /* how often it was derived */
    uint32_t used;       /* bit i: the program reads input i */
    uint32_t mentioned;  /* bit i: as a value, that is not as a condition or a key alone; simplified away or not */
    uint32_t silent;     /* bit i: mentioned, and only directly as a condition, in a cast or as a key: not promoted */
    uint32_t bound_only; /* bit i: mentioned, and only directly as an operand of maximum() or minimum() */
    uint32_t divisors;   /* bit i: input i divides as it is: an error where it is the integer 0 */
    uint32_t random;     /* bit i: input i is a key, the operand of uniform() or normal() */
    uint32_t casts;      /* bit d: a cast to dtype d, other than bool, is mentioned: it takes part in promotion */
    uint32_t boolean;    /* bit o: output o is a test, or a choice between tests: stored as bool */
    uint8_t cast[FA__MAX_OUTPUTS]; /* of output o: the dtype of the cast that it is, FA_U8 for u8(x + y), or FA_SAME */
    bool floating;                 /* mentions a FLOAT primitive or a non-integer constant: integers compute in f32 */
    bool integral; /* mentions an integer constant, and not as an operand of a test: bools compute in i64 */
    bool signs;    /* mentions - of values: nothing for bools */
    bool whole;    /* mentions a WHOLE primitive: floats are an error */
    bool typed;    /* its values have types of their own */
    bool judged;   /* whole or typed: operands' dtypes have to be looked at, floats too */
} fa__expression;

typedef struct fa__parse_error {
    int position;      /* in bytes, from the start of the text */
    char message[160]; /* what was expected, or what is wrong; no final period */
} fa__parse_error;

/* NULL and `error` on failure; without memory, fa__failed() too. */
fa__expression *fa__expression_parse(const char *text, const fa__signature *, fa__parse_error *error);

/* One more reference, and one less. NULL is allowed in both. */
const fa__expression *fa__expression_ref(const fa__expression *);
void fa__expression_free(const fa__expression *);

/* Why there is no expression for a derivative: an error, fa__failed(); it is zero whatever the inputs; it needs more
 * inputs or values than an expression can have. */
typedef enum { FA__UNDERIVED_ERROR, FA__UNDERIVED_ZERO, FA__UNDERIVED_LARGE } fa__underived;

/* d output 0 / d input `wrt`, times the incoming gradient. Its inputs are those of e, then gy (number e->ninputs), then
 * y, the result of e (number e->ninputs + 1), which `used` mentions when y saves keeping operands or computing again.
 * All are ordinary inputs: to derive once more, derive by each of them that is used. Or NULL, and *why, which is 0
 * otherwise. */
fa__expression *fa__expression_derive(const fa__expression *e, int wrt, fa__underived *why);

/* The same, made once and owned by e: not to be freed, lives as long as e. Any thread may call it. */
const fa__expression *fa__expression_derivative(const fa__expression *e, int wrt, fa__underived *why);

/* Finds the names that the statements of a text assign, in the order in which they are first assigned: their numbers
 * go to `assigned`, which has room for `most`. Returns how many there are; what else is in the text is not judged. */
int fa__assigned_names(const char *text, const char *const *names, int count, int *assigned, int most);

/* Writes the text around the position, the position, what stands there and the message, on one line:
 * "in "x + * y" at 4, before "* y": expected an operand, found '*'". Always terminated; returns buffer. */
char *fa__parse_error_render(const char *text, const fa__parse_error *error, char *buffer, size_t size);
#endif
