/* Types of a program's values. Each value has a dtype, which is found from the operands' dtypes by the promotion of
 * each primitive, and is computed in the compute type of that dtype (f32, f64, i32 or i64). Conversions are nodes of
 * the typed program. Values made of numbers alone have no dtype of their own: they take the type of what they meet, and
 * so does the result of a comparison. */
#ifndef FA__DISPATCH_TYPING_H
#define FA__DISPATCH_TYPING_H
#include "core/dtype.h"
#include "core/program.h"
#include "dispatch/promote.h"
#include <facula/error.h>

/* How an operand takes part in promotion. */
enum { FA__OPERAND_NUMBER, FA__OPERAND_ZERO_DIM, FA__OPERAND_DIMS };

/* The operands of a program, and the dtype of what is made of numbers alone. */
typedef struct fa__operand_types {
    uint8_t dtype[FA__MAX_INPUTS]; /* of a number: FA_BOOL, FA_I64 or FA_F32; FA_SAME: it is not there, nor read */
    uint8_t rank[FA__MAX_INPUTS];  /* FA__OPERAND_NUMBER and its like */
    uint8_t numbers;
} fa__operand_types;

/* A program for operands of these types, which lives as long as the compiled expression that it belongs to. */
typedef struct fa__typed {
    struct fa__typed *next;
    fa__operand_types key;
    uint8_t result;    /* dtype of the result */
    fa__class compute; /* the type of all values, or of the result's where they differ */
    uint32_t divisors; /* bit i: an integer division reads operand i as its divisor */
    fa__program program;
} fa__typed;

/* Why a program has no types. */
typedef struct fa__type_error {
    fa_code code;
    uint8_t dtype; /* only stores values, and would have to be computed in; else FA_SAME, and there is a message */
    char message[128];
} fa__type_error;

/* What is known of a value of the program without types. */
typedef struct fa__value_type {
    uint8_t dtype; /* of a number: FA_BOOL, FA_I64 or FA_F32, its category */
    uint8_t rank;  /* FA__OPERAND_NUMBER: it is made of numbers alone, or a test */
    bool test;
    uint8_t tests; /* of a test: the dtype that its operands are compared in */
} fa__value_type;

/* For each node; false, with *why, when one has no dtype. */
bool fa__find_value_types(const fa__ssa *, const fa__operand_types *, fa__value_type of[FA__MAX_NODES],
                          fa__type_error *why);

/* The dtype in which numbers alone are computed, where nothing else asks for one. */
static inline uint8_t fa__numbers_dtype(const fa__operand_types *operands, uint8_t category)
{
    if (fa__dtype_is_float(operands->numbers))
        return operands->numbers;
    return fa__dtype_is_float(category) ? FA_F32 : FA_I64;
}

static inline const fa__typed *fa__typed_with(const fa__program *p)
{
    return (const fa__typed *)(const void *)((const char *)p - offsetof(fa__typed, program));
}

/* One piece of memory, freed with fa__free; the program has no text and no owner yet. NULL, with *why, or without
 * memory with why->code FA_OK and an error. */
fa__typed *fa__program_typed(const fa__ssa *, const fa__operand_types *, fa__type_error *why);
#endif
