/* The public names of PyTorch and NumPy (names.txt), and why some of them have no operation here
 * (missing.txt): each name has to be the one or the other. Where there are no such files, nothing is held. */
#include "rows.h"
#include <ctype.h>
#include <string.h>

/* "torch.linalg.qr" with its last part, "qr"; and what it is here: an operation, or missing for a reason. */
struct foreign {
    const char *full, *last;
    const op *op;
    const excuse *why;
    foreign *next;
};

static const char *last_part(const char *full)
{
    const char *dot = strrchr(full, '.');
    return dot ? dot + 1 : full;
}

/* Whether `entry`, which may begin anywhere between two parts, is the end of a full name. */
static bool ends_with(const char *full, const char *entry)
{
    size_t n = strlen(full), m = strlen(entry);
    return m <= n && !strcmp(full + n - m, entry) && (m == n || full[n - m - 1] == '.');
}

/* What PyTorch is asked by a row: "nn.functional.silu" of "nn.functional.silu(x)", "x.expand_as" of "x.expand_as(y)".
 */
static char *asked(const op *o)
{
    const char *from = o->torch + strspn(o->torch, "\"");
    return rows_copy(from, strspn(from, "abcdefghijklmnopqrstuvwxyz0123456789_."));
}

/* Whether a name stands between backquotes in ALSO("..."). */
static bool quoted(const char *also, const char *entry)
{
    const char *at = strstr(also, rows_format("`%s`", entry));
    return at != NULL;
}

static bool is_of(const op *o, const char *last)
{
    return !strcmp(o->name, last) || !strcmp(last_part(asked(o)), last) || quoted(o->also, last);
}

static const op *of_name(const rows *r, const char *last)
{
    for (const op *o = r->ops; o; o = o->next)
        if (!o->internal && is_of(o, last))
            return o;
    return NULL;
}

static foreign *name_read(rows *r, foreign **at, const char *line, size_t length)
{
    foreign *n = rows_get(sizeof *n);
    n->full = rows_copy(line, length);
    n->last = last_part(n->full);
    n->op = of_name(r, n->last);
    return *at = n;
}

/* One name on each line. */
static void read_names_file(rows *r, const char *path)
{
    size_t length;
    const char *p = file_read(path, &length);
    foreign **at = &r->names;
    for (size_t n; p && *p; p += n + (p[n] == '\n')) {
        n = strcspn(p, "\n");
        if (n && *p != '#')
            at = &name_read(r, at, p, n)->next;
    }
}

/* A name of missing.txt: all public names that end with it, but for those that another entry names more exactly. */
static void miss(rows *r, const excuse *why, const char *path, int line, const char *entry)
{
    bool any = false;
    for (foreign *n = r->names; n; n = n->next) {
        if (!ends_with(n->full, entry))
            continue;
        any = true;
        n->why = why;
        if (n->op && entry == last_part(entry))
            fail(path, line, "%s: fa_%s does this", entry, n->op->name);
    }
    if (!any)
        fail(path, line, "%s: PyTorch and NumPy have no such public name", entry);
}

static excuse *excuse_add(rows *r, excuse ***end, const char *line, size_t length)
{
    excuse *why = rows_get(sizeof *why);
    why->text = rows_copy(line, length);
    if (!*end)
        *end = &r->reasons;
    **end = why;
    *end = &why->next;
    return why;
}

static void read_missing_line(rows *r, const excuse *why, const char *path, int number, const char *p, size_t length)
{
    for (const char *end = p + length; p < end;) {
        size_t n = strcspn(p, " \n");
        if (n && !why)
            fail(path, number, "a name before the first reason");
        else if (n)
            miss(r, why, path, number, rows_copy(p, n));
        p += n ? n : 1;
    }
}

/* Lines that begin at the margin are reasons, those that are indented their names. */
static void read_missing_file(rows *r, const char *path)
{
    size_t length;
    const char *p = file_read(path, &length);
    excuse *why = NULL, **end = NULL;
    int number = 1;
    for (size_t n; p && *p; p += n + (p[n] == '\n'), number++) {
        n = strcspn(p, "\n");
        if (n && *p != ' ' && *p != '#')
            why = excuse_add(r, &end, p, n);
        else if (n && *p == ' ')
            read_missing_line(r, why, path, number, p, n);
    }
}

static const foreign *name_find(const rows *r, const char *last, size_t length)
{
    for (const foreign *n = r->names; n; n = n->next)
        if (strlen(n->last) == length && !strncmp(n->last, last, length))
            return n;
    return NULL;
}

/* abs_ goes with abs. */
static bool is_inplace_of_known(const rows *r, const char *last)
{
    size_t n = strlen(last);
    const foreign *base = n > 1 && last[n - 1] == '_' ? name_find(r, last, n - 1) : NULL;
    return base && (base->op || base->why);
}

struct torch_name {
    const op *op;
    const char *text;
    torch_name *next;
};

/* "name: signature" on each line. */
static void read_signatures(rows *r, const char *path)
{
    size_t length;
    const char *p = file_read(path, &length);
    int line = 1;
    for (size_t n; p && *p; p += n + (p[n] == '\n'), line++) {
        n = strcspn(p, "\n");
        if (!n || *p == '#')
            continue;
        size_t name = strcspn(p, ":\n"), from = name + (p[name] == ':');
        from += strspn(p + from, " ");
        torch_name *s = rows_get(sizeof *s);
        *s = (torch_name){op_find(r, rows_copy(p, name)), rows_copy(p + from, n - from), r->signatures};
        r->signatures = s;
        if (!s->op)
            fail(path, line, "%.*s: there is no such operation", (int)name, p);
    }
}

const char *torch_signature(const rows *r, const op *o)
{
    for (const torch_name *s = r->signatures; s; s = s->next)
        if (s->op == o)
            return s->text;
    return NULL;
}

void read_names(rows *r, const char *folder)
{
    read_signatures(r, rows_format("%s/signatures.txt", folder));
    const char *names = rows_format("%s/names.txt", folder);
    read_names_file(r, names);
    read_missing_file(r, rows_format("%s/missing.txt", folder));
    for (const foreign *n = r->names; n; n = n->next)
        if (!n->op && !n->why && !is_inplace_of_known(r, n->last))
            fail(names, 0, "%s: no operation, and missing.txt does not say why", n->full);
}

/* ALSO("NumPy's `repeat`") says it outright, and that no operation of that name is meant. */
static bool claims(const op *o, const char *last)
{
    return strstr(o->also, rows_format("NumPy's `%s`", last)) != NULL;
}

static bool is_claimed(const rows *r, const char *last)
{
    for (const op *o = r->ops; o; o = o->next)
        if (claims(o, last))
            return true;
    return false;
}

const char *numpy_name(const rows *r, const op *o)
{
    const char *found = "";
    for (const foreign *n = r->names; n; n = n->next) {
        if (strncmp(n->full, "numpy.", 6) || n->why || !is_of(o, n->last))
            continue;
        if (claims(o, n->last))
            return n->last;
        if (!is_claimed(r, n->last) && (!*found || !strcmp(n->last, o->name)))
            found = n->last;
    }
    return found;
}

/* Whether a name came before under the same reason: NumPy's after PyTorch's. */
static bool said(const rows *r, const foreign *n)
{
    for (const foreign *m = r->names; m != n; m = m->next)
        if (m->why == n->why && !strcmp(m->last, n->last))
            return true;
    return false;
}

void put_missing(text *t, const rows *r)
{
    if (r->reasons)
        put(t, "\n## Functions of PyTorch and NumPy without an operation\n");
    for (const excuse *why = r->reasons; why; why = why->next) {
        const char *between = "";
        put(t, "\n%s\n\n> ", why->text);
        for (const foreign *n = r->names; n; n = n->next)
            if (n->why == why && !said(r, n)) {
                put(t, "%s`%s`", between, n->last);
                between = ", ";
            }
        put(t, "\n");
    }
}
