/* Indices as NumPy writes them: "1:5, ..., -1". Each entry becomes a view of the one before. */
#include "ops/row.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

typedef enum { INTEGER, SLICE, ELLIPSIS, NONE } entry_kind;

typedef struct entry {
    entry_kind kind;
    int64_t start, end, step; /* INTEGER: start */
} entry;

enum { MOST_ENTRIES = 2 * FA_MAX_DIMS + 1 };

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

/* A whole number, if one stands here. */
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
        p->wrong = "the number is too large";
    p->at = end;
    return true;
}

static bool read_entry(parser *p, entry *e)
{
    *e = (entry){.kind = INTEGER, .start = INT64_MIN, .end = INT64_MAX, .step = 1};
    if (is(p, "...")) {
        e->kind = ELLIPSIS;
        return true;
    }
    if (is(p, "None") || is(p, "newaxis")) {
        e->kind = NONE;
        return true;
    }
    bool some = whole(p, &e->start);
    if (some && e->start == INT64_MIN)
        e->start++; /* that one stands for none */
    if (is(p, ":")) {
        e->kind = SLICE;
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

static int read_all(parser *p, entry *e)
{
    int n = 0;
    blanks(p);
    if (!*p->at)
        p->wrong = "there is nothing in the index";
    while (!p->wrong) {
        if (n == MOST_ENTRIES)
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

/* How many dimensions the entries take; -1 when the ellipsis stands twice. */
static int taken(const entry *e, int n)
{
    int dims = 0, ellipses = 0;
    for (int i = 0; i < n; i++) {
        dims += e[i].kind == INTEGER || e[i].kind == SLICE;
        ellipses += e[i].kind == ELLIPSIS;
    }
    return ellipses > 1 ? -1 : dims;
}

static fa_tensor *apply(fa_tensor *v, const entry *e, int *dim, int skipped)
{
    switch (e->kind) {
    case INTEGER:
        return fa_select(v, *dim, e->start);
    case SLICE:
        return fa_slice(v, (*dim)++, .start = e->start, .end = e->end, .step = e->step);
    case ELLIPSIS:
        *dim += skipped;
        return v;
    default:
        return fa_unsqueeze(v, (*dim)++);
    }
}

static fa_tensor *wrong_index(const char *where, const parser *p)
{
    fa__fail(FA_ERROR_INDEX, "fa_get: in \"%s\" at %td: %s", where, p->at - p->text, p->wrong);
    return NULL;
}

fa_tensor *fa_get(const fa_tensor *x, const char *where)
{
    entry e[MOST_ENTRIES];
    if (!fa__tensor_check(x, "fa_get: the tensor"))
        return NULL;
    if (!where) {
        fa__fail(FA_ERROR_ARGUMENT, "fa_get: the index is NULL");
        return NULL;
    }
    parser p = {where, where, NULL};
    int n = read_all(&p, e), dims = n < 0 ? -1 : taken(e, n), dim = 0;
    if (n < 0)
        return wrong_index(where, &p);
    if (dims < 0 || dims > x->rank) {
        fa__fail(FA_ERROR_INDEX, "fa_get: \"%s\" %s", where,
                 dims < 0 ? "has more than one '...'" : "has more entries than the tensor has dimensions");
        return NULL;
    }
    fa_tensor *v = (fa_tensor *)(uintptr_t)x;
    bool stood = fa__failed();
    for (int i = 0; i < n && v; i++) {
        v = apply(v, &e[i], &dim, x->rank - dims);
        if (!v && !stood)
            fa__error_append(", entry %d of fa_get(x, \"%s\")", i + 1, where);
    }
    return v == x ? fa_expand_as(x, x) : v;
}

fa_tensor *(fa_set)(fa_tensor *x, const char *where, fa_arg value)
{
    if (fa__failed())
        return NULL;
    fa_tensor *view = fa_get(x, where);
    return view && fa_copy_(view, value) ? x : NULL;
}
