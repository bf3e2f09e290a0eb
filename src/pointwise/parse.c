/* The grammar of statements, and what a whole text has to be: every result assigned, every local read. */
#include "base/alloc.h"
#include "pointwise/body.h"
#include "pointwise/parser.h"
#include <string.h>

/* Whether the token after the next one is '='. */
static bool assignment_follows(const fa__parser *p)
{
    if (p->token.kind != FA__TOKEN_NAME)
        return false;
    fa__parse_error ignored;
    fa__token after = fa__next_token(p->text, p->token.position + p->token.length, &ignored);
    return after.kind == FA__TOKEN_OPERATOR && !strcmp(after.op->text, "=");
}

static fa__binding *add_binding(fa__parser *p, const char *name, int length)
{
    fa__binding *binding = &p->binding[p->bindings++];
    *binding = (fa__binding){.name = name, .length = length, .output = -1};
    return binding;
}

/* A local whose value nobody read, which is more likely a misspelt result than an idle computation. */
static bool check_read(fa__parser *p, const fa__binding *b)
{
    if (!b->local || b->read)
        return true;
    int length = b->length < 40 ? b->length : 40;
    return fa__parser_fail(p, b->value.position, "'%.*s' is neither a result nor used later", length, b->name);
}

static fa__binding *assign(fa__parser *p)
{
    fa__token name = p->token;
    const char *text = p->text + name.position;
    fa__binding *binding = fa__find_binding(p, text, name.length);
    if (binding && binding->output < 0 && !binding->local)
        fa__parser_fail(p, name.position,
                        "'%.*s' is an operand, which is only read: == compares, other names may be assigned",
                        name.length < 40 ? name.length : 40, text);
    fa__parser_advance(p);
    fa__parser_expect(p, "=");
    fa__value value = fa__parse_value(p);
    value.position = name.position;
    if (!binding && p->bindings == FA__MOST_BINDINGS)
        fa__parser_fail(p, name.position, "more than %d locals", FA__MOST_LOCALS);
    if (p->failed)
        return NULL;
    if (!binding)
        binding = add_binding(p, text, name.length);
    check_read(p, binding);
    binding->value = value;
    binding->has_value = binding->assigned = true;
    binding->read = false;
    binding->local = binding->output < 0;
    return binding;
}

/* Inputs have a value from the start, results when they are assigned. */
static bool bind(fa__parser *p)
{
    const fa__signature *s = p->signature;
    if (s->ninputs < 0 || s->ninputs > FA__MAX_INPUTS || s->noutputs < 0 || s->noutputs > FA__MAX_OUTPUTS)
        return fa__parser_fail(p, 0, "%d operands and %d results, and at most %d and %d", s->ninputs, s->noutputs,
                               FA__MAX_INPUTS, FA__MAX_OUTPUTS);
    for (int i = 0; i < s->ninputs; i++) {
        int length = (int)strlen(s->inputs[i]);
        if (fa__find_binding(p, s->inputs[i], length))
            return fa__parser_fail(p, 0, "two operands are named '%.40s'", s->inputs[i]);
        fa__binding *binding = add_binding(p, s->inputs[i], length);
        binding->value = (fa__value){.node = fa__build_input(&p->builder, (unsigned)i)};
        binding->has_value = true;
    }
    for (int o = 0; o < s->noutputs; o++) {
        int length = (int)strlen(s->outputs[o]);
        fa__binding *binding = fa__find_binding(p, s->outputs[o], length);
        binding = binding ? binding : add_binding(p, s->outputs[o], length);
        if (binding->output >= 0)
            return fa__parser_fail(p, 0, "two results are named '%.40s'", s->outputs[o]);
        binding->output = (int8_t)o;
    }
    return true;
}

/* The text's statements. *result is the value of the last one, if it is what a text without named results gives. */
static void statements(fa__parser *p, fa__value *result, bool *bare)
{
    fa__binding *last = NULL;
    do {
        *bare = !assignment_follows(p);
        if (*bare && p->signature->noutputs > 1)
            fa__parser_fail(p, p->token.position, "expected a result's name and '=': there are %d results",
                            p->signature->noutputs);
        if (*bare) {
            *result = fa__parse_value(p);
            break;
        }
        last = assign(p);
        if (last)
            *result = last->value;
    } while (fa__parser_take(p, ";") && p->token.kind != FA__TOKEN_END);
    fa__parser_take(p, ";");
    char found[48];
    if (p->token.kind != FA__TOKEN_END && *bare)
        fa__parser_fail(p, p->token.position, "expected an operator or the end, found %s", fa__parser_found(p, found));
    if (p->token.kind != FA__TOKEN_END)
        fa__parser_fail(p, p->token.position, "expected an operator or ';', found %s", fa__parser_found(p, found));
    if (last && !*bare && !p->signature->noutputs)
        last->read = true;
}

/* Collects the results, in their order; false if one is missing. */
static bool results(fa__parser *p, fa__value last, bool bare, fa__value *output)
{
    int count = p->signature->noutputs;
    for (int i = 0; i < p->bindings && !p->failed; i++)
        check_read(p, &p->binding[i]);
    if (!count || (count == 1 && bare)) {
        *output = last;
        return !p->failed;
    }
    for (int i = 0; i < p->bindings && !p->failed; i++) {
        const fa__binding *b = &p->binding[i];
        if (b->output < 0)
            continue;
        output[b->output] = b->value;
        if (!b->assigned)
            fa__parser_fail(p, (int)strlen(p->text), "no statement gives '%.40s' a value", b->name);
    }
    return !p->failed;
}

static bool check_keys(fa__parser *p)
{
    for (int i = 0; i < p->signature->ninputs; i++)
        if (p->random & (p->plain | p->bound | p->cast | p->condition) & 1u << i)
            return fa__parser_fail(p, p->used_at[i], "'%.40s' is a key: only uniform() and normal() take it",
                                   p->signature->inputs[i]);
    return true;
}

/* Functions of integers and of floats do not go together where all values are of one compute type. */
static bool check_whole(fa__parser *p)
{
    return !p->whole || !p->floating || p->casts || p->signature->typed
           || fa__parser_fail(p, 0, "'%s' is of integers, and the rest computes in floats", p->whole);
}

/* Inputs that floor_divide, remainder and fmod divide by; one that was computed is not looked at. */
static uint32_t divisors_of(const fa__ssa *s)
{
    uint32_t set = 0;
    for (int i = 0; i < s->count; i++) {
        const fa__ssa_node *node = &s->node[i], *by = &s->node[node->b];
        bool divides =
            node->prim == FA__PRIM_floor_divide || node->prim == FA__PRIM_remainder || node->prim == FA__PRIM_fmod;
        if (divides && by->prim == FA__PRIM_input)
            set |= 1U << by->a;
    }
    return set;
}

/* Writes down what the parser saw on its way, of operands and of outputs. */
static void describe(fa__expression *e, const fa__parser *p, const fa__value *output, int count)
{
    e->mentioned = p->plain | p->bound | p->cast;
    e->silent = (p->condition | p->cast | p->random) & ~(p->plain | p->bound);
    e->bound_only = p->signature->typed ? 0 : p->bound & ~(p->plain | p->cast | p->condition);
    e->divisors = divisors_of(&e->ssa);
    e->random = p->random;
    e->casts = p->casts;
    e->floating = p->floating;
    e->integral = p->integral;
    e->signs = p->signs;
    e->whole = p->whole != NULL;
    e->typed = p->signature->typed;
    e->judged = e->whole || e->typed;
    for (int o = 0; o < count; o++) {
        e->boolean |= (uint32_t)output[o].boolean << o;
        e->cast[o] = output[o].cast;
    }
}

static fa__expression *finish(fa__parser *p, const fa__value *output, int count)
{
    fa__node_id node[FA__MAX_OUTPUTS];
    for (int o = 0; o < count; o++) {
        fa__note_use(p, &p->plain, output[o]);
        fa__note_constant(p, output[o]);
        node[o] = output[o].node;
    }
    if (!check_keys(p))
        return NULL;
    fa__draft draft = {&p->builder, node, count, p->text, *p->signature};
    if (fa__draft_count(&draft) > FA__MAX_NODES) {
        fa__parser_fail(p, 0, "more than %d values", FA__MAX_NODES);
        return NULL;
    }
    fa__expression *e = fa__draft_finish(&draft);
    if (e)
        describe(e, p, output, count);
    else
        fa__parser_fail(p, 0, "out of memory");
    return e;
}

static fa__expression *parse(fa__parser *p)
{
    fa__value output[FA__MAX_OUTPUTS] = {{0}}, last = {0};
    bool bare = false;
    if (strnlen(p->text, FA__MOST_TEXT + 1) > FA__MOST_TEXT)
        fa__parser_fail(p, 0, "longer than %d bytes", FA__MOST_TEXT);
    if (!p->failed && bind(p)) {
        fa__parser_advance(p);
        statements(p, &last, &bare);
    }
    if (p->failed || !results(p, last, bare, output) || !check_whole(p))
        return NULL;
    return finish(p, output, p->signature->noutputs ? p->signature->noutputs : 1);
}

fa__expression *fa__expression_parse(const char *text, const fa__signature *signature, fa__parse_error *error)
{
    fa__parser p = {.text = text, .signature = signature, .error = error};
    fa__expression *e = NULL;
    error->position = 0;
    error->message[0] = 0;
    bool ready = fa__builder_init(&p.builder, 2 * FA__MAX_NODES);
    p.builder.typed = p.builder.verbatim = signature->typed;
    if (ready)
        e = parse(&p);
    else
        fa__parse_error_set(error, 0, "out of memory");
    fa__builder_end(&p.builder);
    return e;
}

static bool is_operator(const fa__token *t, const char *op)
{
    return t->kind == FA__TOKEN_OPERATOR && !strcmp(t->op->text, op);
}

/* The number of the name that the token is; -1: none. */
static int name_number(const char *text, const fa__token *t, const char *const *names, int count)
{
    for (int i = 0; i < count && t->kind == FA__TOKEN_NAME; i++)
        if ((int)strlen(names[i]) == t->length && !memcmp(names[i], text + t->position, (size_t)t->length))
            return i;
    return -1;
}

/* The text behind the statement that begins at `at`; NULL: it is the last one. */
static const char *next_statement(const char *at)
{
    at = strchr(at, ';');
    return at ? at + 1 : NULL;
}

int fa__assigned_names(const char *text, const char *const *names, int count, int *assigned, int most)
{
    fa__parse_error ignored;
    int n = 0;
    for (const char *at = text; at; at = next_statement(at)) {
        fa__token t = fa__next_token(at, 0, &ignored), after;
        if (t.kind != FA__TOKEN_NAME)
            continue;
        after = fa__next_token(at, t.position + t.length, &ignored);
        int name = is_operator(&after, "=") ? name_number(at, &t, names, count) : -1;
        for (int k = 0; k < n && name >= 0; k++)
            name = assigned[k] == name ? -1 : name;
        if (name >= 0 && n < most)
            assigned[n++] = name;
    }
    return n;
}
