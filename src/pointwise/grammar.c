/* The grammar of expressions: choices, operators by precedence, calls, names and constants. */
#include "base/text.h"
#include "pointwise/parser.h"
#include <string.h>

bool fa__parser_fail(fa__parser *p, int position, const char *format, ...)
{
    if (p->failed)
        return false;
    char message[sizeof p->error->message];
    fa__text text = fa__text_in(message, sizeof message);
    va_list list;
    va_start(list, format);
    fa__text_add_list(&text, format, list);
    va_end(list);
    fa__parse_error_set(p->error, position, "%s", message);
    p->failed = true;
    p->token = (fa__token){.position = position};
    return false;
}

void fa__parser_advance(fa__parser *p)
{
    if (p->failed)
        return;
    p->token = fa__next_token(p->text, p->token.position + p->token.length, p->error);
    if (p->token.kind == FA__TOKEN_BAD) {
        p->failed = true;
        p->token.kind = FA__TOKEN_END;
    }
}

bool fa__parser_at(const fa__parser *p, const char *op)
{
    return p->token.kind == FA__TOKEN_OPERATOR && !strcmp(p->token.op->text, op);
}

bool fa__parser_take(fa__parser *p, const char *op)
{
    bool here = fa__parser_at(p, op);
    if (here)
        fa__parser_advance(p);
    return here;
}

const char *fa__parser_found(const fa__parser *p, char found[48])
{
    fa__text text = fa__text_in(found, 48);
    if (p->token.kind == FA__TOKEN_END)
        fa__text_add(&text, "the end");
    else
        fa__text_add(&text, "'%.*s'", p->token.length < 40 ? p->token.length : 40, p->text + p->token.position);
    return found;
}

bool fa__parser_expect(fa__parser *p, const char *op)
{
    char found[48];
    return fa__parser_take(p, op)
           || fa__parser_fail(p, p->token.position, "expected '%s', found %s", op, fa__parser_found(p, found));
}

fa__binding *fa__find_binding(fa__parser *p, const char *name, int length)
{
    for (int i = 0; i < p->bindings; i++)
        if (p->binding[i].length == length && !memcmp(p->binding[i].name, name, (size_t)length))
            return &p->binding[i];
    return NULL;
}

void fa__note_use(fa__parser *p, uint32_t *as, fa__value value)
{
    const fa__ssa_node *n = &p->builder.node[value.node];
    if (n->prim != FA__PRIM_input)
        return;
    *as |= 1u << n->a;
    if (as != &p->random)
        p->used_at[n->a] = value.position;
}

void fa__note_constant(fa__parser *p, fa__value value)
{
    const fa__ssa_node *n = &p->builder.node[value.node];
    p->integral |= n->prim == FA__PRIM_constant && n->integer && !value.boolean;
}

static bool draws(fa__prim prim)
{
    return prim == FA__PRIM_uniform || prim == FA__PRIM_normal;
}

static bool bounds(fa__prim prim)
{
    return prim == FA__PRIM_maximum || prim == FA__PRIM_minimum;
}

static uint32_t *kind_of_use(fa__parser *p, fa__prim prim, int k)
{
    return prim == FA__PRIM_select && k == 0 ? &p->condition
           : draws(prim)                     ? &p->random
           : fa__is_cast(prim)               ? &p->cast
           : bounds(prim)                    ? &p->bound
                                             : &p->plain;
}

/* Notes how the operands are used, before anything is simplified. What is computed of constants is one again, and is
 * noted where it is used. */
static void note_operands(fa__parser *p, fa__prim prim, const fa__value operand[3])
{
    int arity = fa__prims[prim].arity, constants = 0;
    for (int k = 0; k < arity; k++) {
        fa__note_use(p, kind_of_use(p, prim, k), operand[k]);
        constants += fa__prim_of(&p->builder, operand[k].node) == FA__PRIM_constant;
    }
    bool tests = fa__prims[prim].domain == FA__DOMAIN_TEST || constants == arity;
    for (int k = prim == FA__PRIM_select; !tests && k < arity; k++)
        fa__note_constant(p, operand[k]);
    p->signs |= (prim == FA__PRIM_neg || prim == FA__PRIM_sub) && constants < arity;
    if (fa__is_cast(prim))
        p->casts |= 1U << fa__prims[prim].dtype;
    p->floating |= fa__prims[prim].domain == FA__DOMAIN_FLOAT;
}

static fa__value apply(fa__parser *p, fa__prim prim, const fa__value operand[3], int position)
{
    fa__value made = {.position = position, .cast = fa__is_cast(prim) ? fa__prims[prim].dtype : FA_SAME};
    if (p->failed)
        return made;
    note_operands(p, prim, operand);
    if (draws(prim) && fa__prim_of(&p->builder, operand[0].node) != FA__PRIM_input)
        fa__parser_fail(p, operand[0].position, "the operand of '%s' is a key, by its name", fa__prims[prim].name);
    if (fa__prims[prim].domain == FA__DOMAIN_WHOLE)
        p->whole = fa__prims[prim].name;
    made.boolean = fa__prims[prim].domain == FA__DOMAIN_TEST
                   || (prim == FA__PRIM_select && operand[1].boolean && operand[2].boolean);
    made.node = fa__build(&p->builder, prim, operand[0].node, operand[1].node, operand[2].node);
    if (p->builder.full)
        fa__parser_fail(p, position, "more than %d values", FA__MAX_NODES);
    return made;
}

static bool enter(fa__parser *p)
{
    return ++p->depth <= FA__MOST_DEPTH
           || fa__parser_fail(p, p->token.position, "nested more than %d deep", FA__MOST_DEPTH);
}

/* Functions are primitives under their names, and conversions under those of the dtypes. */
static const char *function_name(fa__prim prim)
{
    if (prim <= FA__PRIM_constant || prim >= FA__PRIM_count || prim == FA__PRIM_mad || prim == FA__PRIM_nmad)
        return NULL;
    return fa__prims[prim].dtype == FA_SAME ? fa__prims[prim].name : fa__prims[prim].name + strlen("to_");
}

static fa__prim find_function(const char *name, int length)
{
    for (fa__prim prim = 0; prim < FA__PRIM_count; prim++) {
        const char *known = function_name(prim);
        if (known && (int)strlen(known) == length && !memcmp(known, name, (size_t)length))
            return prim;
    }
    return FA__PRIM_count;
}

static bool no_function(fa__parser *p, fa__token name)
{
    const char *text = p->text + name.position, *known[FA__PRIM_count];
    int count = 0, length = name.length < 40 ? name.length : 40;
    for (fa__prim prim = 0; prim < FA__PRIM_count; prim++)
        if (function_name(prim))
            known[count++] = function_name(prim);
    if (fa__find_binding(p, text, name.length))
        return fa__parser_fail(p, name.position, "'%.*s' is an operand, not a function", length, text);
    const char *meant = fa__suggest(text, name.length, known, count);
    if (meant)
        return fa__parser_fail(p, name.position, "no function '%.*s'; did you mean '%s'?", length, text, meant);
    return fa__parser_fail(p, name.position, "no function '%.*s'", length, text);
}

/* The operands of a call, behind its '(': how many there are. The first three are kept. */
static int operands(fa__parser *p, fa__value operand[3])
{
    int given = 0;
    if (fa__parser_take(p, ")"))
        return 0;
    do {
        fa__value value = fa__parse_value(p);
        if (given < 3)
            operand[given] = value;
        given++;
    } while (fa__parser_take(p, ","));
    if (!fa__parser_at(p, ")")) {
        char found[48];
        fa__parser_fail(p, p->token.position, "expected ',' or ')', found %s", fa__parser_found(p, found));
    }
    fa__parser_advance(p);
    return given;
}

static fa__value call(fa__parser *p, fa__token name)
{
    fa__value operand[3] = {{0}}, nothing = {0};
    fa__prim prim = find_function(p->text + name.position, name.length);
    if (prim == FA__PRIM_count) {
        no_function(p, name);
        return nothing;
    }
    int given = operands(p, operand), takes = fa__prims[prim].arity;
    if (p->failed)
        return nothing;
    if (given == takes)
        return apply(p, prim, operand, name.position);
    fa__parser_fail(p, name.position, "'%s' takes %d operand%s, %d given", function_name(prim), takes,
                    takes == 1 ? "" : "s", given);
    return nothing;
}

static const struct {
    const char *name;
    bool boolean;
    double number;
} constants[] = {
    {"pi", false, 3.141592653589793},
    {"inf", false, __builtin_inf()},
    {"nan", false, __builtin_nan("")},
    {"true", true, 1},
    {"false", true, 0},
};

static fa__value constant(fa__parser *p, fa__node_id node, bool boolean, int position)
{
    if (p->builder.full)
        fa__parser_fail(p, position, "more than %d values", FA__MAX_NODES);
    return (fa__value){.node = node, .boolean = boolean, .position = position};
}

static bool named_constant(fa__parser *p, fa__token name, fa__value *value)
{
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        const char *known = constants[i].name;
        if ((int)strlen(known) != name.length || memcmp(known, p->text + name.position, strlen(known)) != 0)
            continue;
        bool boolean = constants[i].boolean;
        double number = constants[i].number;
        p->floating |= !boolean;
        fa__node_id node =
            boolean ? fa__build_integer(&p->builder, (int64_t)number) : fa__build_number(&p->builder, number);
        if (boolean && p->signature->typed) /* its type is bool, not that of the integers 1 and 0 */
            node = fa__build(&p->builder, FA__PRIM_to_bool, node, 0, 0);
        *value = constant(p, node, boolean, name.position);
        return true;
    }
    return false;
}

static bool no_operand(fa__parser *p, fa__token name)
{
    const char *text = p->text + name.position;
    int length = name.length < 40 ? name.length : 40, there = 0;
    if (find_function(text, name.length) != FA__PRIM_count)
        return fa__parser_fail(p, name.position, "'%.*s' is a function: expected '(' after it", length, text);
    char list[96];
    fa__text t = fa__text_in(list, sizeof list);
    for (int i = 0; i < p->bindings; i++)
        if (p->binding[i].has_value)
            fa__text_add(&t, "%s%.*s", there++ ? ", " : "", p->binding[i].length, p->binding[i].name);
    const char *verb = there == 1 ? "is" : "are";
    return fa__parser_fail(p, name.position, "no operand '%.*s': there %s %s", length, text, verb,
                           there ? list : "none");
}

static fa__value named(fa__parser *p)
{
    fa__token name = p->token;
    fa__value value = {.position = name.position};
    fa__binding *binding = fa__find_binding(p, p->text + name.position, name.length);
    fa__parser_advance(p);
    if (fa__parser_take(p, "("))
        return call(p, name);
    if (binding && binding->has_value) {
        binding->read = true;
        value = binding->value;
        value.position = name.position;
    } else if (binding) {
        fa__parser_fail(p, name.position, "'%.*s' has no value yet", binding->length, binding->name);
    } else if (!p->failed && !named_constant(p, name, &value)) {
        no_operand(p, name);
    }
    return value;
}

static fa__value number(fa__parser *p)
{
    fa__token t = p->token;
    fa__parser_advance(p);
    p->floating |= !t.integer;
    fa__node_id node =
        t.integer ? fa__build_integer(&p->builder, t.number.i) : fa__build_number(&p->builder, t.number.f);
    return constant(p, node, false, t.position);
}

static fa__value primary(fa__parser *p)
{
    if (p->token.kind == FA__TOKEN_NAME)
        return named(p);
    if (p->token.kind == FA__TOKEN_NUMBER)
        return number(p);
    int position = p->token.position;
    fa__value value = {.position = position};
    if (fa__parser_take(p, "(")) {
        value = fa__parse_value(p);
        fa__parser_expect(p, ")");
        value.position = position;
        return value;
    }
    char found[48];
    fa__parser_fail(p, position, "expected an operand, found %s", fa__parser_found(p, found));
    return value;
}

static fa__value unary(fa__parser *p)
{
    int position = p->token.position;
    fa__prim prim = fa__parser_at(p, "-") ? FA__PRIM_neg : fa__parser_at(p, "!") ? FA__PRIM_not : FA__PRIM_count;
    if (prim == FA__PRIM_count && !fa__parser_at(p, "+"))
        return primary(p);
    fa__value operand[3] = {{0}};
    if (enter(p)) {
        fa__parser_advance(p);
        operand[0] = unary(p);
    }
    p->depth--;
    return prim == FA__PRIM_count ? operand[0] : apply(p, prim, operand, position);
}

/* Whether a value can be an operand of '&' and '|': an operand may be bool, what was computed is known. */
static bool can_be_test(const fa__parser *p, fa__value value)
{
    return value.boolean || fa__prim_of(&p->builder, value.node) == FA__PRIM_input;
}

static fa__value binary(fa__parser *p, int level);

static void check_tests(fa__parser *p, const fa__operator *op, int position, fa__value left, fa__value right)
{
    if (op->tests && !p->failed && !(can_be_test(p, left) && can_be_test(p, right)))
        fa__parser_fail(p, position, "'%s' joins tests: comparisons and bools", op->text);
}

/* Operators of this level and tighter. */
static fa__value binary(fa__parser *p, int level)
{
    if (level > FA__TIGHTEST)
        return unary(p);
    fa__value left = binary(p, level + 1);
    bool compared = false;
    while (p->token.kind == FA__TOKEN_OPERATOR && p->token.op->level == level) {
        const fa__operator *op = p->token.op;
        int position = p->token.position;
        if (op->single && compared)
            fa__parser_fail(p, position, "comparisons do not chain: write a < b && b < c");
        compared = op->single;
        fa__parser_advance(p);
        fa__value right = binary(p, level + 1), operand[3] = {left, right};
        check_tests(p, op, position, left, right);
        if (op->swapped)
            operand[0] = right, operand[1] = left;
        left = apply(p, (fa__prim)op->prim, operand, left.position);
    }
    return left;
}

fa__value fa__parse_value(fa__parser *p)
{
    fa__value operand[3] = {{.position = p->token.position}};
    if (enter(p)) {
        operand[0] = binary(p, 1);
        if (fa__parser_take(p, "?")) {
            operand[1] = fa__parse_value(p);
            fa__parser_expect(p, ":");
            operand[2] = fa__parse_value(p);
            operand[0] = apply(p, FA__PRIM_select, operand, operand[0].position);
        }
    }
    p->depth--;
    return operand[0];
}
