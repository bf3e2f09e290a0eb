/* Words, numbers and operators of the expression language. Inside src/pointwise only. */
#ifndef FA__POINTWISE_LEXER_H
#define FA__POINTWISE_LEXER_H
#include "base/types.h"
#include "core/ssa.h"
#include "pointwise/expression.h"

typedef enum { FA__TOKEN_END, FA__TOKEN_NUMBER, FA__TOKEN_NAME, FA__TOKEN_OPERATOR, FA__TOKEN_BAD } fa__token_kind;

/* What binds two operands: levels from loose to tight, 0 for what is no such operator. */
typedef struct fa__operator {
    char text[4];
    uint8_t level;
    uint8_t prim;     /* fa__prim */
    bool swapped;     /* a > b is b < a */
    bool tests;       /* operands have to be tests */
    bool single;      /* a < b < c is an error */
    const char *hint; /* of what C or others have and this language lacks: what to write */
} fa__operator;

typedef struct fa__token {
    fa__token_kind kind;
    int position, length;
    const fa__operator *op; /* of an operator */
    bool integer;           /* of a number: number.i, else number.f */
    union {
        double f;
        int64_t i;
    } number;
} fa__token;

enum { FA__MOST_TEXT = 65536, FA__TIGHTEST = 8 };

/* The token at or after `position`. FA__TOKEN_BAD with `error` filled in for what is none. */
fa__token fa__next_token(const char *text, int position, fa__parse_error *error);

/* Fills in an error. */
void fa__parse_error_set(fa__parse_error *, int position, const char *format, ...) FA__PRINTF(3, 4);

/* The known name most like `word`, or NULL when none is. */
const char *fa__suggest(const char *word, int length, const char *const *known, int count);
#endif
