/* Index texts in NumPy's notation: "1:5, ..., -1". Each entry makes a view of the previous view; new dimensions are
 * inserted last, so no intermediate view has more dimensions than the result. */
#include "base/site.h"
#include "base/text.h"
#include "dispatch/call.h"
#include "ops/index/entries.h"
#include <ctype.h>
#include <errno.h>
#include <facula/plain.h>
#include <stdarg.h>
#include <stdlib.h>

enum { MOST_SHOWN = 80 /* longest index text shown in messages, in bytes */ };

typedef struct parser {
    const char *text, *at, *wrong;
} parser;

static void blanks(parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static bool is(parser *p, const char *word)
{
    size_t n = strlen(word);
    blanks(p);
    if (strncmp(p->at, word, n) != 0 || (isalpha((unsigned char)*word) && isalnum((unsigned char)p->at[n])))
        return false;
    p->at += n;
    return true;
}

/* Parses an integer if there is one. */
static bool whole(parser *p, int64_t *n)
{
    blanks(p);
    const char *digits = p->at + (*p->at == '-' || *p->at == '+');
    if (!isdigit((unsigned char)*digits))
        return false;
    char *end;
    errno = 0;
    *n = strtoll(p->at, &end, 10);
    if (errno)
        p->wrong = "the number does not fit into 64 bits"; /* the error points at the start of the number */
    else
        p->at = end;
    return true;
}

static bool read_entry(parser *p, fa__entry *e)
{
    *e = (fa__entry){.kind = FA__ENTRY_INTEGER, .start = INT64_MIN, .end = INT64_MAX, .step = 1};
    if (is(p, "...")) {
        e->kind = FA__ENTRY_ELLIPSIS;
        return true;
    }
    if (is(p, "None") || is(p, "newaxis")) {
        e->kind = FA__ENTRY_NONE;
        return true;
    }
    bool some = whole(p, &e->start);
    if (some && e->start == INT64_MIN)
        e->start++; /* this entry indexes no dimension */
    if (is(p, ":")) {
        e->kind = FA__ENTRY_SLICE;
        if (whole(p, &e->end) && e->end == INT64_MAX)
            e->end--; /* likewise */
        if (is(p, ":"))
            whole(p, &e->step);
        if (!e->step)
            p->wrong = "a step of 0";
        return !p->wrong;
    }
    if (!some)
        p->wrong = "a number, a slice, '...' or None was expected";
    return some && !p->wrong;
}

static int read_all(parser *p, fa__entry *e, int n)
{
    blanks(p);
    if (!*p->at)
        p->wrong = "there is nothing in the index";
    while (!p->wrong) {
        if (n == FA__MOST_ENTRIES)
            p->wrong = "there are too many entries";
        else if (read_entry(p, &e[n]))
            n++;
        blanks(p);
        if (p->wrong || !*p->at)
            break;
        if (!is(p, ","))
            p->wrong = "',' was expected";
        blanks(p);
        if (!*p->at)
            break;
    }
    return p->wrong ? -1 : n;
}

/* The number of dimensions that the entries index; -1 if the ellipsis occurs twice. */
static int taken(const fa__entry *e, int n)
{
    int dims = 0, ellipses = 0;
    for (int i = 0; i < n; i++) {
        dims += e[i].kind == FA__ENTRY_TENSOR ? e[i].covers
                                              : e[i].kind == FA__ENTRY_INTEGER || e[i].kind == FA__ENTRY_SLICE;
        ellipses += e[i].kind == FA__ENTRY_ELLIPSIS;
    }
    return ellipses > 1 ? -1 : dims;
}

/* Writes what is indexed, such as "fa_get((3, 4) f32 cpu, "0, 9")". */
static void describe(struct fa__text *text, const fa__indexing *g)
{
    fa__text_add(text, "%s(", g->name);
    fa__describe_tensor(text, g->x, false);
    fa__text_add(text, strlen(g->where) > MOST_SHOWN ? ", \"%.*s...\")" : ", \"%.*s\")", MOST_SHOWN, g->where);
}

fa_tensor *fa__index_fails(const fa__indexing *g, const char *format, ...)
{
    char head[500], what[300];
    struct fa__text text = fa__text_in(head, sizeof head), why = fa__text_in(what, sizeof what);
    va_list list;
    va_start(list, format);
    fa__text_add_list(&why, format, list);
    va_end(list);
    describe(&text, g);
    fa__fail(FA_ERROR_INDEX, "%s: %s", head, what);
    return NULL;
}

/* Applies an integer or a slice. */
static fa_tensor *take(fa_tensor *v, fa__entry *e, fa__indexing *g, int skipped)
{
    int64_t size = g->dim < v->rank ? v->shape[g->dim] : 0;
    switch (e->kind) {
    case FA__ENTRY_INTEGER:
        if (e->start < -size || e->start >= size)
            return fa__index_fails(g, "entry %d: index %lld is out of range for dimension %d of size %lld",
                                   g->entry + 1, (long long)e->start, g->source, (long long)size);
        g->source++;
        return fa_select(v, g->dim, e->start);
    case FA__ENTRY_SLICE:
        g->source++;
        return fa_slice(v, g->dim++, .start = e->start, .end = e->end, .step = e->step);
    case FA__ENTRY_ELLIPSIS:
        g->dim += skipped;
        g->source += skipped;
        return v;
    case FA__ENTRY_TENSOR:
        e->source = g->source;
        g->dim += e->covers;
        g->source += e->covers;
        return v;
    default:
        return v;
    }
}

/* Inserts a new dimension (None). */
static fa_tensor *insert(fa_tensor *v, fa__entry *e, fa__indexing *g, int skipped)
{
    e->at = g->dim;
    if (e->kind == FA__ENTRY_NONE)
        return fa_unsqueeze(v, g->dim++);
    g->dim += e->kind == FA__ENTRY_SLICE      ? 1
              : e->kind == FA__ENTRY_ELLIPSIS ? skipped
              : e->kind == FA__ENTRY_TENSOR   ? e->covers
                                              : 0;
    return v;
}

/* Applies one kind of entry after the other, giving the final view. */
static fa_tensor *through(fa_tensor *v, fa__entry *e, int n, fa__indexing *g, int skipped,
                          fa_tensor *apply(fa_tensor *, fa__entry *, fa__indexing *, int))
{
    bool stood = fa__failed();
    g->dim = g->source = 0;
    for (g->entry = 0; g->entry < n && v; g->entry++) {
        v = apply(v, &e[g->entry], g, skipped);
        if (!v && !stood && strncmp(fa__self->error->message, g->name, strlen(g->name)) != 0)
            fa__error_within("%s(x, \"%.80s\"): entry %d", g->name, g->where, g->entry + 1);
    }
    return v;
}

int fa__entries_read(const fa__indexing *g, fa__entry *e, int n)
{
    parser p = {g->where, g->where, NULL};
    n = read_all(&p, e, n);
    if (n < 0)
        fa__index_fails(g, "at %td: %s", p.at - p.text, p.wrong);
    return n;
}

fa_tensor *fa__entries_view(fa__indexing *g, fa__entry *e, int n)
{
    int dims = taken(e, n), skipped = g->x->rank - dims;
    if (dims < 0)
        return fa__index_fails(g, "there is more than one '...'");
    if (skipped < 0)
        return fa__index_fails(g, "more entries than the tensor has dimensions: %d for %d", dims, g->x->rank);
    fa_tensor *v = through((fa_tensor *)(uintptr_t)g->x, e, n, g, skipped, take);
    v = v ? through(v, e, n, g, skipped, insert) : NULL;
    return v == g->x ? fa_expand_as(g->x, g->x) : v;
}

/* Implements fa_get and the functions built on it; `name` is the caller's name. */
static fa_tensor *get(const char *name, const fa_tensor *x, const char *where)
{
    fa__entry e[FA__MOST_ENTRIES];
    fa__indexing g = {.name = name, .where = where, .x = x};
    int n = fa__entries_read(&g, e, 0);
    return n < 0 ? NULL : fa__entries_view(&g, e, n);
}

fa_tensor *(fa_get)(const fa_tensor *x, const char *where)
{
    static const fa__op get_op = {.name = "get", .id = FA__OP_expression};
    if (!fa__tensor_check(x, "fa_get: the tensor"))
        return NULL;
    if (!where) {
        fa__fail(FA_ERROR_ARGUMENT, "fa_get: the index is NULL");
        return NULL;
    }
    const fa__context *c = fa__ctx();
    size_t mark = c ? c->owned_count : 0;
    fa_tensor *view = get("fa_get", x, where);
    if (view && !fa__outermost_call())
        fa__sign(view, &get_op, FA__SITE);
    fa__scope_trim(mark, view);
    return view;
}

fa_arg fa__stripped(int rank, fa_arg value)
{
    const fa_tensor *t = value.kind == FA__ARG_TENSOR ? fa__tensor_in(value) : NULL;
    while (t && t->object.type == FA__TYPE_TENSOR && t->rank > rank && t->shape[0] == 1)
        t = fa_select(t, 0, 0);
    return t ? fa__arg_t(t) : value;
}

fa_tensor *(fa_set)(fa_tensor *x, const char *where, fa_arg value)
{
    static const fa__op set_op = {.name = "set", .id = FA__OP_expression};
    if (fa__failed() || !fa__tensor_check(x, "fa_set: the tensor"))
        return NULL;
    if (!where) {
        fa__fail(FA_ERROR_ARGUMENT, "fa_set: the index is NULL");
        return NULL;
    }
    /* before the view takes the memory of a tensor that was freed */
    if (value.kind == FA__ARG_TENSOR && !fa__tensor_check(fa__tensor_in(value), "fa_set: the value"))
        return NULL;
    FA__WORK_FOR(&set_op);
    const fa__context *c = fa__ctx();
    size_t mark = c ? c->owned_count : 0;
    fa_tensor *view = get("fa_set", x, where);
    bool set = view && fa_copy_(view, fa__stripped(view->rank, value));
    if (set)
        x->storage->changed_by = &set_op;
    else if (view && fa__failed() && fa__self->error->code != FA_ERROR_SYNC)
        fa__error_within("fa_set(x, \"%.80s\")", where);
    fa__scope_trim(mark, NULL);
    return set ? x : NULL;
}

bool fa__set_returned(fa_tensor *x, fa_arg value)
{
    if (fa__failed() || !fa__tensor_check(x, "the tensor that is assigned to"))
        return false;
    if (!fa__is_shared(x) && !atomic_load(&x->storage->pins))
        return fa__fail(FA_ERROR_ARGUMENT, "the left side is a new tensor and no view of another, so that the value "
                                           "would be lost: x[0] = 5 writes into x");
    return (fa_set)(x, "...", value);
}
