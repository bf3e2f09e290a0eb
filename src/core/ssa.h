/* A scalar program: the compiled form of an expression. src/pointwise parses, simplifies and differentiates it; a
 * backend interprets it or generates code from it. It is independent of dtypes, shapes and memory. */
#ifndef FA__CORE_SSA_H
#define FA__CORE_SSA_H
#include <facula/dtype.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum {
    FA__PRIM_input,    /* a: index of the input */
    FA__PRIM_constant, /* a number, integer or not */
#define PRIMITIVE(name, arity, domain, ...) FA__PRIM_##name,
#include "core/primitives.def"
#undef PRIMITIVE
    FA__PRIM_count
} fa__prim;

typedef enum { FA__DOMAIN_ANY, FA__DOMAIN_FLOAT, FA__DOMAIN_TEST, FA__DOMAIN_WHOLE } fa__domain;

typedef struct fa__prim_info {
    const char *name;
    uint8_t arity;
    uint8_t domain; /* fa__domain */
    uint8_t dtype;  /* of a conversion: what it is to; else FA_SAME */
} fa__prim_info;

extern const fa__prim_info fa__prims[FA__PRIM_count];

/* Whether a primitive converts to a dtype. to_bool does not count: it is a comparison. */
static inline bool fa__is_cast(unsigned prim)
{
    return fa__prims[prim].dtype != FA_SAME && fa__prims[prim].dtype != FA_BOOL;
}

/* One value. Operands are indices of earlier nodes, so that the order of the array is an order of evaluation. */
typedef struct fa__ssa_node {
    uint8_t prim;     /* fa__prim */
    bool integer;     /* a constant written without decimal point or exponent: number.i, else number.f */
    uint16_t a, b, c; /* operands; 0 if there is none */
    union {
        double f;
        int64_t i;
    } number;
} fa__ssa_node;

/* Operand k of a node. */
static inline uint16_t fa__ssa_operand(const fa__ssa_node *node, int k)
{
    return k == 0 ? node->a : k == 1 ? node->b : node->c;
}

enum { FA__MAX_INPUTS = 16, FA__MAX_OUTPUTS = 5, FA__MAX_NODES = 512 };

/* The operands of a node are of its type, with one exception: to_f32, to_f64, to_i32 and to_i64, when their operand is
 * of another type, convert it. An input is loaded in the type of its only node. */
typedef struct fa__ssa {
    uint16_t count, inputs, outputs;
    uint16_t output[FA__MAX_OUTPUTS]; /* indices of the nodes that are results */
    fa__ssa_node *node;
    const uint8_t *type; /* fa__class of each node; NULL: all are of the type that the launch names */
} fa__ssa;

/* The compute types: other dtypes are converted when loaded and stored. */
typedef enum { FA__CLASS_F32, FA__CLASS_F64, FA__CLASS_I32, FA__CLASS_I64, FA__CLASSES } fa__class;

/* The compute type of node i, where the launch names `class`. */
static inline fa__class fa__ssa_type(const fa__ssa *ssa, int i, fa__class class)
{
    return ssa->type ? (fa__class)ssa->type[i] : class;
}

/* The compute type that an input is loaded in. */
static inline fa__class fa__ssa_input_type(const fa__ssa *ssa, int input, fa__class class)
{
    for (int i = 0; ssa->type && i < ssa->count; i++)
        if (ssa->node[i].prim == FA__PRIM_input && ssa->node[i].a == input)
            return (fa__class)ssa->type[i];
    return class;
}

/* Whether node i of a program with types converts its operand from another type. */
static inline bool fa__ssa_converts(const fa__ssa *ssa, int i)
{
    return ssa->type && fa__is_cast(ssa->node[i].prim) && ssa->type[ssa->node[i].a] != ssa->type[i];
}
#endif
