/* The state of one parse, shared by the grammar of expressions (grammar.c) and of statements (parse.c). */
#ifndef FA__POINTWISE_PARSER_H
#define FA__POINTWISE_PARSER_H
#include "pointwise/builder.h"
#include "pointwise/lexer.h"

/* What an expression became, and what its text said of it. */
typedef struct fa__value {
    fa__node_id node;
    bool boolean; /* a test, a choice between tests, true or false */
    uint8_t cast; /* the dtype when it is a cast, or FA_SAME */
    int position; /* of its text */
} fa__value;

/* A name and what it stands for now. */
typedef struct fa__binding {
    const char *name;
    int length;
    fa__value value;
    bool has_value, assigned, read;
    int8_t output; /* its number, or -1 */
    bool local;    /* neither operand nor result */
} fa__binding;

enum {
    FA__MOST_LOCALS = 64,
    FA__MOST_BINDINGS = FA__MAX_INPUTS + FA__MAX_OUTPUTS + FA__MOST_LOCALS,
    FA__MOST_DEPTH = 200
};

typedef struct fa__parser {
    const char *text;
    const fa__signature *signature;
    fa__parse_error *error;
    bool failed;
    int depth;
    fa__token token; /* the next one */
    fa__builder builder;
    fa__binding binding[FA__MOST_BINDINGS];
    int bindings;
    /* mentions of inputs: as a key, a condition, in a cast, as a bound, or in another way; and where the last was that
     * is no key */
    uint32_t random, condition, cast, bound, plain;
    int used_at[FA__MAX_INPUTS];
    uint32_t casts; /* as in fa__expression */
    bool floating, integral, signs;
    const char *whole; /* the last function of integers, or NULL */
} fa__parser;

/* Records the first error, and ends the text there. Always false. */
bool fa__parser_fail(fa__parser *, int position, const char *format, ...) FA__PRINTF(3, 4);

void fa__parser_advance(fa__parser *);
bool fa__parser_at(const fa__parser *, const char *op);
bool fa__parser_take(fa__parser *, const char *op); /* goes on if it is the next token */
bool fa__parser_expect(fa__parser *, const char *op);

/* Reads an expression. After an error the value is of no use. */
fa__value fa__parse_value(fa__parser *);

/* Notes that a value, if it is an input, is used as one. */
void fa__note_use(fa__parser *, uint32_t *as, fa__value);
/* Notes that a value, if it is an integer, is used outside of tests. */
void fa__note_constant(fa__parser *, fa__value);

fa__binding *fa__find_binding(fa__parser *, const char *name, int length);

/* What is there, for "expected ..., found ...": in quotes, or "the end". In a buffer of 48 bytes, which is returned. */
const char *fa__parser_found(const fa__parser *, char found[48]);
#endif
