/* Whether the rows make sense: each rule is a function, each breach is told with the row's line. Also fills what the
 * writers need to know of a row: its forms, what it keeps, its samples. */
#include "rows.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const known_traits[] = {"infer",        "run",
                                           "grad",         "compose",
                                           "view",         "null_gy",
                                           "compose_list", "autocast",
                                           "autocast_cpu", "result",
                                           "keep",         "require",
                                           "no_grad",      "index",
                                           "no_bool",      "cross_device",
                                           "widens",       "any_store",
                                           "sets_strides", "inplace",
                                           "HOT",          "INTERNAL",
                                           "SAMPLES",      "TORCH",
                                           "ALSO",         "DIFFERS",
                                           "constant",     "by_values",
                                           "by_layout",    "unspecified_values",
                                           "may_view",     "accumulate_f32",
                                           "exact",        "autocast_by"};

#define COMPLAIN(o, ...) fail((o)->source->path, (o)->line, "%s: %s", (o)->name, rows_format(__VA_ARGS__))

static bool has(const op *o, const char *name)
{
    return cell_find(o, name) != NULL;
}

static int field_number(const op *o, const char *name)
{
    for (int i = 0; i < o->args->nfields; i++)
        if (!strcmp(o->args->field[i].name, name))
            return i;
    return -1;
}

static void check_traits(op *o)
{
    for (int i = 0; i < o->ncells; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof known_traits / sizeof *known_traits; k++)
            known |= !strcmp(o->cell[i].name, known_traits[k]);
        if (!known)
            fail(o->source->path, o->cell[i].line, "%s: there is no cell called %s", o->name, o->cell[i].name);
    }
    const cell *torch = cell_find(o, "TORCH"), *samples = cell_find(o, "SAMPLES"), *also = cell_find(o, "ALSO");
    const cell *differs = cell_find(o, "DIFFERS");
    o->also = also ? also->value : "";
    o->differs = differs ? differs->value : "\"\"";
    o->torch = torch ? torch->value : "";
    o->samples = samples ? samples->value : "";
    if (*o->samples != '"')
        COMPLAIN(o, "no SAMPLES");
    if (*o->torch != '"')
        COMPLAIN(o, "no TORCH");
    if (!o->doc || !*o->doc)
        COMPLAIN(o, "no /** documentation */ before the row");
}

/* Exactly one way to know the result, and a gradient or the reason why there is none. */
static void check_ways(op *o)
{
    bool infer = has(o, "infer"), compose = has(o, o->list ? "compose_list" : "compose");
    if (o->pointwise) {
        if (infer || compose)
            COMPLAIN(o, "a POINTWISE row has neither .infer nor .compose");
        return;
    }
    const char *name = o->list ? "compose_list" : "compose", *other = o->list ? "compose" : "compose_list";
    if (!infer && !compose)
        COMPLAIN(o, "neither .infer nor .%s", name);
    if (infer && compose)
        COMPLAIN(o, "both .infer and .%s", name);
    if (has(o, other))
        COMPLAIN(o, "its result is %s list: write .%s", o->list ? "a" : "no", name);
    if (o->list && infer && !(has(o, "view") && has(o, "null_gy")))
        COMPLAIN(o, "a list is of views (.view and .null_gy), or composed");
    if (has(o, "may_view") && infer)
        COMPLAIN(o, ".may_view is of what is composed");
    if (!compose && !has(o, "grad") && !has(o, "no_grad"))
        COMPLAIN(o, "no .grad (or .no_grad = \"why\")");
    if (has(o, "HOT"))
        COMPLAIN(o, "only a POINTWISE row can be HOT");
}

/* A field or a result by its name. */
static int kept_number(const op *o, const token *t)
{
    int bit = field_number(o, token_text(t));
    for (int k = 0; k < o->nresults && bit < 0; k++)
        if (token_is(t, o->result[k]))
            bit = o->args->nfields + k;
    if (bit < 0)
        COMPLAIN(o, "KEEP names %s, which is no field and no result", token_text(t));
    return bit;
}

/* The tensors whose gradients need what is kept, as bits: the one behind "for", or all. */
static uint32_t keep_reason(const op *o, const token *kept, const token *of)
{
    if (!of)
        return (1u << o->args->nfields) - 1;
    int i = of->kind == T_NAME ? field_number(o, token_text(of)) : -1;
    if (of->kind != T_NAME)
        COMPLAIN(o, "KEEP names %s for nothing", token_text(kept));
    else if (i < 0 || !is_tensor(&o->args->field[i]))
        COMPLAIN(o, "KEEP names %s for %s, which is no tensor", token_text(kept), token_text(of));
    else
        return 1u << i;
    return 0;
}

/* KEEP(x, y, b for a): fields and results by name. */
static void check_keep(op *o)
{
    const cell *c = cell_find(o, "keep");
    if (!c)
        return;
    if (strncmp(c->value, "KEEP(", 5) || (o->pointwise && !has(o, "grad"))) {
        COMPLAIN(o, o->pointwise ? ".keep is found from the expression" : "write .keep = KEEP(...)");
        return;
    }
    o->keep = 0;
    for (int i = c->first + 2; i < c->last; i++) {
        const token *t = &o->source->token[i];
        if (t->kind != T_NAME)
            continue;
        int bit = kept_number(o, t);
        const token *of = token_is(t + 1, "for") ? t + 2 : NULL;
        uint32_t reason = keep_reason(o, t, of);
        i += of ? 2 : 0;
        if (bit >= 0 && reason) {
            o->keep |= 1u << bit;
            o->keep_for[bit] |= reason;
        }
    }
}

/* FIELDS(x, y): tensors among the fields, as bits; none where the row has no such cell. */
static uint32_t check_names(const op *o, const char *name)
{
    const cell *c = cell_find(o, name);
    uint32_t fields = 0;
    if (c && strncmp(c->value, "FIELDS(", 7))
        return COMPLAIN(o, "write .%s = FIELDS(...)", name), 0;
    for (int i = c ? c->first + 2 : 0; c && i < c->last; i++) {
        const token *t = &o->source->token[i];
        int k = t->kind == T_NAME ? field_number(o, token_text(t)) : -1;
        if (k >= 0 && is_tensor(&o->args->field[k]))
            fields |= 1u << k;
        else if (t->kind == T_NAME)
            COMPLAIN(o, "FIELDS names %s, which is no tensor", token_text(t));
    }
    return fields;
}

/* REQUIRE(p >= 0 && p < 1): a condition on the numbers. */
static void check_require(const op *o)
{
    const cell *c = cell_find(o, "require");
    if (c && strncmp(c->value, "REQUIRE(", 8))
        COMPLAIN(o, "write .require = REQUIRE(...)");
    else if (c)
        formula_check(o, c->first + 2, c->last - 1);
}

/* The in-place form writes the first operand of a POINTWISE row, or the field that INPLACE names. */
static void check_inplace(op *o)
{
    const cell *c = cell_find(o, "inplace");
    if (!c) {
        o->inplace = o->pointwise && !o->internal ? 0 : -1;
        return;
    }
    if (strncmp(c->value, "INPLACE(", 8)) {
        COMPLAIN(o, "write .inplace = INPLACE(...)");
        return;
    }
    const char *name = rows_copy(c->value + 8, strlen(c->value) - 9);
    if (!strcmp(name, "none"))
        return;
    o->inplace = field_number(o, name);
    if (o->inplace < 0 || !is_tensor(&o->args->field[o->inplace]) || !is_operand(&o->args->field[o->inplace]))
        COMPLAIN(o, "INPLACE names %s, which is no operand", name);
    else if (o->view || o->list || o->nresults > 1)
        COMPLAIN(o, "a view, or an operation with several results, has no in-place form");
}

static void check_forms(op *o)
{
    const cell *view = cell_find(o, "view");
    const field *f = o->args->field;
    int operands = 0, named = 0;
    for (int i = 0; i < o->args->nfields; i++)
        operands += is_operand(&f[i]), named += is_option(&f[i]);
    o->view = view && !strcmp(view->value, "true");
    o->hot = has(o, "HOT");
    o->internal = has(o, "INTERNAL");
    o->source->listed += !o->internal;
    o->source->group->listed += !o->internal;
    o->fills = o->name[strlen(o->name) - 1] == '_';
    o->out = o->nresults == 1 && !o->fills && !o->list && !o->view && !o->internal && (named || operands <= 4);
    o->options = o->out || o->fills || named;
    if (o->view && strcmp(f[0].kind->name, "TENSOR"))
        COMPLAIN(o, "a view's first field is the tensor that it views");
    if (o->options && (operands < 1 || operands > MOST_OPERANDS))
        COMPLAIN(o, "%d operands: there have to be 1 to %d", operands, MOST_OPERANDS);
    check_inplace(o);
    if (o->fills && o->inplace < 0)
        COMPLAIN(o, "its name says that it works in place: write .inplace = INPLACE(...)");
    if (o->internal && (o->options || o->list))
        COMPLAIN(o, "an INTERNAL row has no list and no options");
}

/* Whether a word stands in a text. */
static bool mentions(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = words; (p = strstr(p, word)); p += n) {
        bool before = p > words && (isalnum((unsigned char)p[-1]) || p[-1] == '_');
        if (!before && !isalnum((unsigned char)p[n]) && p[n] != '_')
            return true;
    }
    return false;
}

/* Options have to be explained: in a comment of their own, or, in a POINTWISE row, in the documentation. */
static void check_fields(op *o)
{
    for (int i = 0; i < o->args->nfields; i++) {
        field *f = &o->args->field[i];
        if (!*f->doc && o->pointwise && is_option(f) && o->doc && mentions(o->doc, f->name))
            f->doc = rows_format("see fa_%s()", o->name);
        if (!*f->doc && f->kind->passed && (is_option(f) || !is_tensor(f)))
            fail(o->source->path, f->line, "%s: %s has no comment", o->args->name, f->name), f->doc = "?";
        if (is_option(f) && (!strcmp(f->name, "out") || !strcmp(f->name, "size")))
            fail(o->source->path, f->line, "%s: an option cannot be called %s", o->name, f->name);
    }
}

static bool is_placed(const fa__expression *e)
{
    for (int i = 0; i < e->ssa.count; i++) {
        int prim = e->ssa.node[i].prim;
        if (prim == FA__PRIM_index || prim == FA__PRIM_uniform || prim == FA__PRIM_normal)
            return true;
    }
    return false;
}

static void check_formula(op *o)
{
    if (!o->pointwise)
        return;
    formula_make(o);
    if (o->hot && o->formula && is_placed(o->formula))
        COMPLAIN(o, "HOT: its values depend on the element's place");
}

/* Whether the file of a family includes the .rows that are generated for it. */
static void check_family(const source *f)
{
    const char *line = rows_format("#include \"%s.rows\"", f->family);
    for (int i = 0; i < f->count; i++)
        if (f->token[i].kind == T_DIRECTIVE && !strncmp(f->token[i].at, line, strlen(line)))
            return;
    fail(f->path, f->token[f->count - 1].line, "the file does not end with %s", line);
}

/* docs/operations.md has what stands before the first colon or point as a heading. */
static void check_heading(const source *f)
{
    size_t n = strcspn(f->about, ":.\n");
    const char *end = f->about + n;
    if (*end && end[1] && (*end == '\n' || !strchr(" \n", end[1])))
        fail(f->path, 1, "the heading ends within a sentence: %.*s", (int)n, f->about);
}

void check_rows(rows *r)
{
    for (op *o = r->ops; o; o = o->next) {
        check_traits(o);
        check_ways(o);
        if (!o->args || !o->args->nfields)
            continue;
        check_forms(o);
        check_fields(o);
        check_formula(o);
        check_keep(o);
        o->constant = check_names(o, "constant");
        o->index = check_names(o, "index");
        check_require(o);
    }
    for (const source *f = r->sources; f; f = f->next) {
        if (f->ops)
            check_family(f);
        if (f->listed)
            check_heading(f);
    }
}
