/* What a node is replaced with, a rule a primitive. Each keeps every bit (a NaN's payload excepted) in each compute
 * class: so x + 0 stays (x may be -0), and so do x * 0 and x - x (x may be infinite or NaN). The same holds where the
 * values wrap in fewer bits: so abs(-x) stays, which is 56 for a u8 of 200. */
#include "pointwise/builder.h"

/* The operands of the node in question. */
typedef struct fa__rule_operands {
    fa__node_id x, y, z;
} operands;

typedef fa__node_id (*rule)(fa__builder *b, operands o);

static bool is(const fa__builder *b, fa__node_id id, fa__prim prim)
{
    return fa__prim_of(b, id) == prim;
}

static fa__node_id operand_of(const fa__builder *b, fa__node_id id)
{
    return b->node[id].a;
}

static fa__node_id build1(fa__builder *b, fa__prim prim, fa__node_id x)
{
    return fa__build(b, prim, x, 0, 0);
}

static fa__node_id build2(fa__builder *b, fa__prim prim, fa__node_id x, fa__node_id y)
{
    return fa__build(b, prim, x, y, 0);
}

/* A product's sign goes into its constant. */
static fa__node_id neg(fa__builder *b, operands o)
{
    const fa__ssa_node n = b->node[o.x];
    if (n.prim == FA__PRIM_neg)
        return n.a;
    for (int side = 0; n.prim == FA__PRIM_mul && side < 2; side++) {
        fa__node_id factor = side ? n.b : n.a, other = side ? n.a : n.b;
        fa__node_id negated = fa__fold(b, FA__PRIM_neg, (fa__node_id[3]){factor});
        if (negated != FA__NO_NODE)
            return build2(b, FA__PRIM_mul, negated, other);
    }
    return FA__NO_NODE;
}

static fa__node_id add(fa__builder *b, operands o)
{
    if (fa__is_number(b, o.x, -0.0))
        return o.y;
    if (fa__is_number(b, o.y, -0.0))
        return o.x;
    if (is(b, o.y, FA__PRIM_neg))
        return build2(b, FA__PRIM_sub, o.x, operand_of(b, o.y));
    if (is(b, o.x, FA__PRIM_neg))
        return build2(b, FA__PRIM_sub, o.y, operand_of(b, o.x));
    return FA__NO_NODE;
}

static fa__node_id sub(fa__builder *b, operands o)
{
    if (fa__is_number(b, o.y, 0.0))
        return o.x;
    return is(b, o.y, FA__PRIM_neg) ? build2(b, FA__PRIM_add, o.x, operand_of(b, o.y)) : FA__NO_NODE;
}

/* -x * y as -(x * y), whose sign a sum takes up; -x * -y as x * y. */
static fa__node_id signs_outside(fa__builder *b, fa__prim prim, operands o)
{
    bool x_neg = is(b, o.x, FA__PRIM_neg), y_neg = is(b, o.y, FA__PRIM_neg);
    if (!x_neg && !y_neg)
        return FA__NO_NODE;
    fa__node_id x = x_neg ? operand_of(b, o.x) : o.x, y = y_neg ? operand_of(b, o.y) : o.y;
    fa__node_id made = build2(b, prim, x, y);
    return x_neg && y_neg ? made : build1(b, FA__PRIM_neg, made);
}

static fa__node_id mul(fa__builder *b, operands o)
{
    for (int side = 0; side < 2; side++) {
        fa__node_id factor = side ? o.y : o.x, other = side ? o.x : o.y;
        if (fa__is_number(b, factor, 1))
            return other;
        if (fa__is_number(b, factor, -1))
            return build1(b, FA__PRIM_neg, other);
    }
    return signs_outside(b, FA__PRIM_mul, o);
}

/* 1 / value, if it is as exact as value: a power of two, and a normal number in f32. */
static bool exact_reciprocal(const fa__ssa_node *n, double *reciprocal)
{
    double value = n->integer ? (double)n->number.i : n->number.f, size = __builtin_fabs(value);
    union {
        double f;
        uint64_t bits;
    } pattern = {.f = value};
    bool power_of_two = !(pattern.bits << 12);
    *reciprocal = 1 / value;
    return n->prim == FA__PRIM_constant && power_of_two && size >= 0x1p-126 && size <= 0x1p126;
}

static fa__node_id divide(fa__builder *b, operands o)
{
    double reciprocal;
    if (fa__is_number(b, o.y, 1))
        return o.x;
    if (fa__is_number(b, o.y, -1))
        return build1(b, FA__PRIM_neg, o.x);
    if (exact_reciprocal(&b->node[o.y], &reciprocal))
        return build2(b, FA__PRIM_mul, o.x, fa__build_number(b, reciprocal));
    return signs_outside(b, FA__PRIM_div, o);
}

static fa__node_id absolute(fa__builder *b, operands o)
{
    return is(b, o.x, FA__PRIM_abs) || fa__is_test(b, o.x) ? o.x : FA__NO_NODE;
}

static fa__node_id cosine(fa__builder *b, operands o)
{
    return is(b, o.x, FA__PRIM_neg) ? build1(b, FA__PRIM_cos, operand_of(b, o.x)) : FA__NO_NODE;
}

/* C's pow: what is raised to 0 is 1, a NaN too. A square is one rounding, as pow's own. */
static fa__node_id power(fa__builder *b, operands o)
{
    if (fa__is_number(b, o.y, 0) || fa__is_number(b, o.y, -0.0))
        return fa__build_integer(b, 1);
    if (fa__is_number(b, o.y, 1))
        return o.x;
    return fa__is_number(b, o.y, 2) ? build2(b, FA__PRIM_mul, o.x, o.x) : FA__NO_NODE;
}

static bool is_zero(const fa__builder *b, fa__node_id id)
{
    return fa__is_number(b, id, 0.0) || fa__is_number(b, id, -0.0);
}

/* Whether a node is a constant other than 0. An integer may be computed in i32, where only its low 32 bits are left:
 * so one of these has to be set. */
static bool is_true(const fa__builder *b, fa__node_id id)
{
    const fa__ssa_node *n = &b->node[id];
    return n->prim == FA__PRIM_constant && (n->integer ? (uint32_t)n->number.i != 0 : n->number.f != 0);
}

/* What is true when id is, without comparisons with 0 around it; only for where truth alone counts. */
static fa__node_id condition(const fa__builder *b, fa__node_id id)
{
    while (is(b, id, FA__PRIM_to_bool)
           || (is(b, id, FA__PRIM_ne) && (is_zero(b, b->node[id].a) || is_zero(b, b->node[id].b))))
        id = is(b, id, FA__PRIM_ne) && is_zero(b, b->node[id].a) ? b->node[id].b : b->node[id].a;
    return id;
}

static fa__node_id as_test(fa__builder *b, fa__node_id id)
{
    return fa__is_test(b, id) ? id : build1(b, FA__PRIM_to_bool, id);
}

static fa__node_id inverted(fa__builder *b, operands o)
{
    const fa__ssa_node *n = &b->node[o.x];
    if (n->prim == FA__PRIM_not)
        return as_test(b, n->a);
    if (n->prim == FA__PRIM_eq || n->prim == FA__PRIM_ne)
        return build2(b, n->prim == FA__PRIM_eq ? FA__PRIM_ne : FA__PRIM_eq, n->a, n->b);
    return n->prim == FA__PRIM_to_bool ? build1(b, FA__PRIM_not, n->a) : FA__NO_NODE;
}

static fa__node_id both(fa__builder *b, operands o)
{
    if (is_zero(b, o.x) || is_zero(b, o.y))
        return fa__build_integer(b, 0);
    if (is_true(b, o.x))
        return as_test(b, o.y);
    return is_true(b, o.y) || o.x == o.y ? as_test(b, o.x) : FA__NO_NODE;
}

static fa__node_id either(fa__builder *b, operands o)
{
    if (is_true(b, o.x) || is_true(b, o.y))
        return fa__build_integer(b, 1);
    if (is_zero(b, o.x))
        return as_test(b, o.y);
    return is_zero(b, o.y) || o.x == o.y ? as_test(b, o.x) : FA__NO_NODE;
}

static fa__node_id to_bool(fa__builder *b, operands o)
{
    return fa__is_test(b, o.x) ? o.x : FA__NO_NODE;
}

static fa__node_id select(fa__builder *b, operands o)
{
    if (o.y == o.z || is_true(b, o.x))
        return o.y;
    if (is_zero(b, o.x))
        return o.z;
    fa__node_id when = condition(b, o.x), yes = o.y, no = o.z;
    if (is(b, yes, FA__PRIM_select) && b->node[yes].a == when)
        yes = b->node[yes].b;
    if (is(b, no, FA__PRIM_select) && b->node[no].a == when)
        no = b->node[no].c;
    if (is(b, when, FA__PRIM_not))
        return fa__build(b, FA__PRIM_select, operand_of(b, when), no, yes);
    bool simpler = when != o.x || yes != o.y || no != o.z;
    return simpler ? fa__build(b, FA__PRIM_select, when, yes, no) : FA__NO_NODE;
}

/* Where all values of an expression are of one compute type, that of an expression with this cast is f64, or f32 on a
 * device without f64. */
static fa__node_id to_f64(fa__builder *b, operands o)
{
    return b->typed ? FA__NO_NODE : o.x;
}

static const rule rules[FA__PRIM_count] = {
    [FA__PRIM_neg] = neg,       [FA__PRIM_add] = add,       [FA__PRIM_sub] = sub,    [FA__PRIM_mul] = mul,
    [FA__PRIM_div] = divide,    [FA__PRIM_abs] = absolute,  [FA__PRIM_cos] = cosine, [FA__PRIM_pow] = power,
    [FA__PRIM_not] = inverted,  [FA__PRIM_and] = both,      [FA__PRIM_or] = either,  [FA__PRIM_to_bool] = to_bool,
    [FA__PRIM_select] = select, [FA__PRIM_to_f64] = to_f64,
};

/* Primitives for which f(f(x)) is f(x). */
static const bool idempotent[FA__PRIM_count] = {
    [FA__PRIM_ceil] = true,  [FA__PRIM_round] = true, [FA__PRIM_sign] = true,
    [FA__PRIM_floor] = true, [FA__PRIM_trunc] = true,
#define DTYPE(tag, name, ...) [FA__PRIM_to_##name] = true,
#include "core/dtypes.def"
#undef DTYPE
};

fa__node_id fa__simplify(fa__builder *b, fa__prim prim, fa__node_id x, fa__node_id y, fa__node_id z)
{
    if (idempotent[prim] && is(b, x, prim))
        return x;
    return rules[prim] ? rules[prim](b, (operands){x, y, z}) : FA__NO_NODE;
}
