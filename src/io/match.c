/* Matches tensors with the entries of a file by name, and lists what does not match. */
#include "io/safetensors.h"
#include <facula/device.h>
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NOWHERE = -1 };

/* The file entry of each tensor, and which entries are used. */
struct fa__match {
    fa_object base;
    ptrdiff_t *entry;
    fa_tensor **read;
    bool *used;
    fa_parameters state;
};

static const fa_object_type match_type = {"match", NULL};

/* The entries of a file, sorted by name. */
typedef struct sorted {
    fa_object base;
    const fa_saved_entry *at[];
} sorted;

static const fa_object_type sorted_type = {"sorted entries", NULL};

static int by_name(const void *one, const void *other)
{
    const fa_saved_entry *const *a = one, *const *b = other;
    return strcmp((*a)->name, (*b)->name);
}

static sorted *sorted_new(const fa__stored *a)
{
    sorted *s = fa_object_new(&sorted_type, sizeof *s + a->count * sizeof *s->at);
    for (size_t i = 0; s && i < a->count; i++)
        s->at[i] = &a->entry[i];
    if (s)
        qsort(s->at, a->count, sizeof *s->at, by_name);
    return s;
}

/* A name in two parts. */
typedef struct wanted {
    const char *prefix, *name;
} wanted;

static int wanted_against(const void *key, const void *entry)
{
    const wanted *w = key;
    const fa_saved_entry *const *e = entry;
    size_t length = strlen(w->prefix);
    int order = strncmp(w->prefix, (*e)->name, length);
    return order ? order : strcmp(w->name, (*e)->name + length);
}

/* Finds the entry of each tensor among those with the prefix. */
static fa__match *match_find(const fa__stored *a, const char *prefix, fa_parameters p)
{
    size_t each = sizeof(ptrdiff_t) + sizeof(fa_tensor *);
    fa__match *m = fa_object_new(&match_type, sizeof *m + p.count * each + a->count * sizeof *m->used);
    if (!m)
        return NULL;
    FA_SCOPE;
    const sorted *s = sorted_new(a);
    if (!s)
        return NULL;
    m->state = p;
    m->entry = (ptrdiff_t *)(void *)(m + 1);
    m->read = (fa_tensor **)(void *)(m->entry + p.count);
    m->used = (bool *)(m->read + p.count);
    for (size_t i = 0; i < p.count; i++) {
        const wanted w = {prefix, p.name[i]};
        const fa_saved_entry *const *found = bsearch(&w, s->at, a->count, sizeof *s->at, wanted_against);
        m->entry[i] = found ? *found - a->entry : NOWHERE;
        if (found)
            m->used[m->entry[i]] = true;
    }
    return m;
}

/* A list of mismatches for a message, truncated if it becomes too long. */
typedef struct complaints {
    char text[900];
    size_t length;
    const char *kind;
} complaints;

__attribute__((__format__(__printf__, 3, 4))) static void complain(complaints *c, const char *kind, const char *format,
                                                                   ...)
{
    size_t room = sizeof c->text - c->length;
    if (room < 200) {
        if (c->kind)
            strcpy(c->text + c->length, ", ...");
        c->kind = NULL;
        return;
    }
    const char *between = c->kind == kind ? ", " : c->length ? "; " : "";
    c->length += (size_t)snprintf(c->text + c->length, room, "%s%s", between, c->kind == kind ? "" : kind);
    c->kind = kind;
    va_list list;
    va_start(list, format);
    int n = vsnprintf(c->text + c->length, 150, format, list);
    va_end(list);
    c->length += n < 150 ? (size_t)n : 149;
}

static const char *shape_text(char text[static 128], fa_shape s)
{
    int at = snprintf(text, 128, "(");
    for (int i = 0; i < s.rank && at < 100; i++)
        at += snprintf(text + at, 128 - (size_t)at, "%s%lld", i ? ", " : "", (long long)s.dim[i]);
    snprintf(text + at, 128 - (size_t)at, ")");
    return text;
}

static bool same_shape(fa_shape a, fa_shape b)
{
    bool same = a.rank == b.rank;
    for (int i = 0; same && i < a.rank; i++)
        same = a.dim[i] == b.dim[i];
    return same;
}

/* True if the message has no room for more. */
static bool is_full(const complaints *c)
{
    return c->length && !c->kind;
}

/* True if the file has no entry for tensor i, neither under its name nor under another name of the same tensor. */
static bool is_missing(const fa__match *m, size_t i)
{
    bool missing = m->entry[i] == NOWHERE;
    for (size_t k = 0; missing && k < m->state.count; k++)
        missing = m->state.item[k] != m->state.item[i] || m->entry[k] == NOWHERE;
    return missing;
}

/* A prefix or a file that fits nothing is a mistake even where some names may be missing. */
static bool finds_nothing(const fa__match *m)
{
    for (size_t i = 0; i < m->state.count; i++)
        if (m->entry[i] != NOWHERE)
            return false;
    return m->state.count > 0;
}

/* True if the file has all tensors, of the right shapes, and none where they were looked for: under their names behind
 * another prefix, the first `length` bytes of `*name`. */
static bool is_elsewhere(const fa__stored *a, const fa__match *m, const char **name, int *length)
{
    if (!finds_nothing(m))
        return false;
    FA_SCOPE;
    fa_parameters p = m->state;
    const sorted *s = sorted_new(a);
    size_t last = strlen(p.name[0]);
    for (size_t k = 0; s && k < a->count; k++) {
        size_t all = strlen(a->entry[k].name), begin = all < last ? 0 : all - last;
        char prefix[128];
        if (all < last || strcmp(a->entry[k].name + begin, p.name[0]) || begin >= sizeof prefix)
            continue;
        memcpy(prefix, a->entry[k].name, begin);
        prefix[begin] = 0;
        bool found = true;
        for (size_t i = 0; i < p.count && found; i++) {
            const wanted w = {prefix, p.name[i]};
            const fa_saved_entry *const *e = bsearch(&w, s->at, a->count, sizeof *s->at, wanted_against);
            found = e && (*e)->rank <= FA_MAX_DIMS && same_shape((*e)->shape, fa_tensor_shape(p.item[i]));
        }
        if (found) {
            *name = a->entry[k].name;
            *length = (int)begin;
            return true;
        }
    }
    return false;
}

static bool is_checkpoint(const fa__stored *a)
{
    for (size_t i = 0; i < a->texts; i++)
        if (!strcmp(a->name[i], "facula.checkpoint"))
            return true;
    return false;
}

/* False and an error if no name fits, and it is known why. */
static bool is_the_right_place(const fa__stored *a, const char *prefix, const fa__match *m)
{
    bool checkpoint = is_checkpoint(a);
    const char *name;
    int length;
    for (size_t k = 0; !m->state.count && k < a->count; k++)
        if (fa__below(a->entry[k].name, prefix))
            return fa_fail(FA_ERROR_ARGUMENT,
                           "%s: %s: there are no tensors to load into: a module has those of what was added to it",
                           a->who, a->path);
    if (checkpoint && !*prefix && finds_nothing(m))
        return fa_fail(FA_ERROR_ARGUMENT,
                       "%s: %s: this is a checkpoint: fa_checkpoint_load reads it, and .prefix = \"model.\" the "
                       "module's tensors alone",
                       a->who, a->path);
    const bool elsewhere = !checkpoint && is_elsewhere(a, m, &name, &length);
    if (elsewhere && !length)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: %s: no name fits behind \"%s\", and without .prefix all do", a->who,
                       a->path, prefix);
    if (elsewhere)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: %s: all names are in the file behind \"%.*s\": .prefix = \"%.*s\"",
                       a->who, a->path, length, name, length, name);
    return true;
}

static bool fits(const fa__stored *a, const char *prefix, const fa__match *m, bool strict)
{
    const char *nothing = !strict && finds_nothing(m) ? "no name fits, and so nothing would be loaded: " : "";
    strict = strict || *nothing;
    static const char missing[] = "missing: ", unexpected[] = "unexpected: ", misshapen[] = "of another shape: ";
    complaints c = {.length = 0};
    char here[128], there[128];
    fa_parameters p = m->state;
    if (strict && !is_the_right_place(a, prefix, m))
        return false;
    for (size_t i = 0; strict && i < p.count && !is_full(&c); i++)
        if (is_missing(m, i))
            complain(&c, missing, "%s", p.name[i]);
    for (size_t k = 0; strict && k < a->count; k++)
        if (!m->used[k] && fa__below(a->entry[k].name, prefix))
            complain(&c, unexpected, "%s", fa__below(a->entry[k].name, prefix));
    for (size_t i = 0; i < p.count; i++) {
        fa_shape s = fa_tensor_shape(p.item[i]);
        const fa_saved_entry *e = m->entry[i] == NOWHERE ? NULL : &a->entry[m->entry[i]];
        if (e && e->rank <= FA_MAX_DIMS && !same_shape(s, e->shape)) /* other errors are reported when it is read */
            complain(&c, misshapen, "%s is %s in the file, %s here", p.name[i], shape_text(there, e->shape),
                     shape_text(here, s));
    }
    return !c.length || fa_fail(FA_ERROR_ARGUMENT, "%s: %s: %s%s", a->who, a->path, nothing, c.text);
}

/* ---- loading ---- */

static bool state_is_good(const char *who, fa_parameters p)
{
    for (size_t i = 0; i < p.count; i++) {
        if (!p.item || !p.item[i] || !p.name || !p.name[i])
            return fa_fail(FA_ERROR_ARGUMENT, "%s: tensor %zu is NULL, or has no name", who, i);
        if (fa_dim(p.item[i]) < 0) {
            fa_error_append(" (\"%s\" of %s)", p.name[i], who);
            return false;
        }
        if (fa_device_equal(fa_tensor_device(p.item[i]), FA_META))
            return fa_fail(FA_ERROR_DEVICE, "%s: \"%s\" is on meta, where there is no memory to load into", who,
                           p.name[i]);
    }
    return true;
}

fa__match *fa__match_new(const fa__stored *a, const char *prefix, fa_parameters state, bool strict)
{
    if (fa_error_stands() || !state_is_good(a->who, state))
        return NULL;
    fa__match *m = match_find(a, prefix, state);
    return m && fits(a, prefix, m, strict) ? m : NULL;
}

bool fa__match_read(fa__stored *a, fa__match *m)
{
    for (size_t i = 0; i < m->state.count; i++) {
        ptrdiff_t at = m->entry[i];
        if (at != NOWHERE && !(m->read[i] = fa__stored_read(a, (size_t)at, FA_CPU)))
            return false;
    }
    return true;
}

bool fa__match_write(const fa__stored *a, const fa__match *m)
{
    fa_error caught = {0};
    {
        FA_USE(.no_grad = true, .catch_errors = &caught);
        for (size_t i = 0; i < m->state.count && !caught.code; i++)
            if (m->read[i])
                fa_copy_(m->state.item[i], m->read[i]);
    }
    return fa__stored_named(a, &caught);
}
