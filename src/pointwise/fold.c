/* Constant folding, only of what every compute class agrees on: the operands are exact in f32, and f32 and f64 give the
 * same bits; integers besides stay small enough that i32 holds them and never give a negative zero. The rest, such as
 * 1.0 / 3.0, is left to whoever knows the class. */
#include "pointwise/builder.h"

/* One row a primitive: its value, computed in float and in double. */
#define FOLDS(ROW)                                                                                                     \
    ROW(neg, -x)                                                                                                       \
    ROW(add, x + y)                                                                                                    \
    ROW(sub, x - y)                                                                                                    \
    ROW(mul, x *y)                                                                                                     \
    ROW(div, x / y)                                                                                                    \
    ROW(abs, __builtin_fabs((double)x))                                                                                \
    ROW(lt, x < y)                                                                                                     \
    ROW(le, x <= y)                                                                                                    \
    ROW(eq, x == y)                                                                                                    \
    ROW(ne, x != y)                                                                                                    \
    ROW(and, (x != 0) & (y != 0))                                                                                      \
    ROW(or, (x != 0) | (y != 0))                                                                                       \
    ROW(not, x == 0)                                                                                                   \
    ROW(to_bool, x != 0)

#define IN_F32(name, expression)                                                                                       \
    static float name##_f32(float x, float y)                                                                          \
    {                                                                                                                  \
        (void)y;                                                                                                       \
        return (float)(expression);                                                                                    \
    }
#define IN_F64(name, expression)                                                                                       \
    static double name##_f64(double x, double y)                                                                       \
    {                                                                                                                  \
        (void)y;                                                                                                       \
        return (double)(expression);                                                                                   \
    }
#define CELL(name, expression) [FA__PRIM_##name] = {name##_f32, name##_f64},

FOLDS(IN_F32)
FOLDS(IN_F64)

static const struct {
    float (*f32)(float, float);
    double (*f64)(double, double);
} folds[FA__PRIM_count] = {FOLDS(CELL)};

static const double exact_integers = 1 << 24; /* up to here, each integer is exact in f32 */

static bool exact(const fa__ssa_node *n, double *value)
{
    *value = n->integer ? (double)n->number.i : n->number.f;
    if (n->integer)
        return *value >= -exact_integers && *value <= exact_integers;
    return (double)(float)*value == *value; /* not for NaN */
}

/* Negation changes no magnitude, so it is exact for every number. But an integer 0 may run in a float class. */
static fa__node_id negated(fa__builder *b, const fa__ssa_node *n)
{
    if (!n->integer)
        return fa__build_number(b, -n->number.f);
    bool folds_here = n->number.i != 0 && n->number.i != INT64_MIN;
    return folds_here ? fa__build_integer(b, -n->number.i) : FA__NO_NODE;
}

fa__node_id fa__fold(fa__builder *b, fa__prim prim, const fa__node_id operand[3])
{
    if (!folds[prim].f32)
        return FA__NO_NODE;
    double value[3] = {0};
    bool integer = fa__prims[prim].domain != FA__DOMAIN_FLOAT, fits = true;
    for (int k = 0; k < fa__prims[prim].arity; k++) {
        const fa__ssa_node *n = &b->node[operand[k]];
        if (n->prim != FA__PRIM_constant)
            return FA__NO_NODE;
        fits = exact(n, &value[k]) && fits;
        integer = integer && (n->integer || fa__prims[prim].domain == FA__DOMAIN_TEST);
    }
    if (prim == FA__PRIM_neg)
        return negated(b, &b->node[operand[0]]);
    double wide = folds[prim].f64(value[0], value[1]);
    float narrow = folds[prim].f32((float)value[0], (float)value[1]);
    if (!fits || (double)narrow != wide || __builtin_isinf(wide))
        return FA__NO_NODE;
    if (!integer)
        return fa__build_number(b, wide);
    bool small = wide >= -exact_integers && wide <= exact_integers && !(wide == 0 && __builtin_signbit(wide));
    return small ? fa__build_integer(b, (int64_t)wide) : FA__NO_NODE;
}
