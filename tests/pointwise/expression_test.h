/* Parsing for tests: operands are x, y, z, c and the key k, unless a test says otherwise. */
#ifndef EXPRESSION_TEST_H
#define EXPRESSION_TEST_H
#include "base/alloc.h"
#include "base/base_test.h"
#include "base/error.h"
#include "pointwise/expression.h"
#include "support/ssa_eval.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { X, Y, Z, C, K, OPERANDS };

static const char *const operand_names[OPERANDS] = {"x", "y", "z", "c", "k"};
static const fa__signature operands = {.inputs = operand_names, .ninputs = OPERANDS};

static inline fa__expression *parse(const char *text)
{
    char report[512];
    fa__parse_error error;
    fa__expression *e = fa__expression_parse(text, &operands, &error);
    if (!e)
        fail_msg("%s", fa__parse_error_render(text, &error, report, sizeof report));
    return e;
}

/* In double, with the operands x, y, z and c. */
static inline double value_of(const char *text, double x, double y, double z, double c)
{
    fa__expression *e = parse(text);
    double value = fa__ssa_eval(&e->ssa, (double[]){x, y, z, c, 0}, 0);
    fa__expression_free(e);
    return value;
}

static inline bool same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

#define COUNT(table) (sizeof(table) / sizeof *(table))
#endif
