/* Saving and loading by name. */
#include "io/safetensors.h"
#include <facula/device.h>
#include <facula/error.h>
#include <facula/move.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <stdarg.h>
#include <string.h>

bool(fa_save)(fa_parameters state, const char *path, const fa_save_options *options)
{
    fa_save_options o = FA__DEFAULT_fa_save;
    fa__options_read(&o, o.size, options);
    return fa__archive_write("fa_save", path, state, o.metadata);
}

/* ---- what fits ---- */

enum { NOWHERE = -1 };

/* Which entry of the file each tensor is; and which entries are of use. */
typedef struct match {
    fa_object base;
    ptrdiff_t *entry;
    fa_tensor **read;
    bool *used;
} match;

static const fa_object_type match_type = {"match", NULL};

static match *match_new(const fa__archive *a, fa_parameters p)
{
    size_t each = sizeof(ptrdiff_t) + sizeof(fa_tensor *);
    match *m = fa_object_new(&match_type, sizeof *m + p.count * each + a->count * sizeof *m->used);
    size_t from = 0;
    if (!m)
        return NULL;
    m->entry = (ptrdiff_t *)(void *)(m + 1);
    m->read = (fa_tensor **)(void *)(m->entry + p.count);
    m->used = (bool *)(m->read + p.count);
    for (size_t i = 0; i < p.count; i++) {
        m->entry[i] = NOWHERE;
        for (size_t k = 0; k < a->count && m->entry[i] == NOWHERE; k++) {
            size_t at = (from + k) % a->count; /* most often they have one order */
            if (!strcmp(a->entry[at].name, p.name[i]))
                m->entry[i] = (ptrdiff_t)at, m->used[at] = true, from = at + 1;
        }
    }
    return m;
}

/* A list of complaints, cut where it grows long. */
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

static bool fits(const fa__archive *a, fa_parameters p, const match *m, bool strict)
{
    static const char missing[] = "missing: ", unexpected[] = "unexpected: ", misshapen[] = "of another shape: ";
    complaints c = {.length = 0};
    char here[128], there[128];
    for (size_t i = 0; strict && i < p.count; i++)
        if (m->entry[i] == NOWHERE)
            complain(&c, missing, "%s", p.name[i]);
    for (size_t k = 0; strict && k < a->count; k++)
        if (!m->used[k])
            complain(&c, unexpected, "%s", a->entry[k].name);
    for (size_t i = 0; i < p.count; i++) {
        fa_shape s = fa_tensor_shape(p.item[i]);
        if (m->entry[i] != NOWHERE && !same_shape(s, a->entry[m->entry[i]].shape))
            complain(&c, misshapen, "%s is %s in the file, %s here", p.name[i],
                     shape_text(there, a->entry[m->entry[i]].shape), shape_text(here, s));
    }
    return !c.length || fa_fail(FA_ERROR_ARGUMENT, "%s: %s: %s", a->who, a->path, c.text);
}

/* ---- loading ---- */

static bool state_is_good(const char *who, fa_parameters p)
{
    for (size_t i = 0; i < p.count; i++) {
        if (!p.item || !p.item[i] || !p.name || !p.name[i])
            return fa_fail(FA_ERROR_ARGUMENT, "%s: tensor %zu is NULL, or has no name", who, i);
        if (fa_device_equal(fa_tensor_device(p.item[i]), FA_META))
            return fa_fail(FA_ERROR_DEVICE, "%s: \"%s\" is on meta, where there is no memory to load into", who,
                           p.name[i]);
    }
    return true;
}

/* All is read before anything is written. */
static bool load_matched(const fa__archive *a, fa_parameters p, const match *m)
{
    for (size_t i = 0; i < p.count; i++) {
        ptrdiff_t at = m->entry[i];
        if (at != NOWHERE && !(m->read[i] = fa__archive_read(a, (size_t)at, FA_CPU)))
            return false;
    }
    for (size_t i = 0; i < p.count; i++)
        if (m->read[i] && !fa_copy_(p.item[i], m->read[i]))
            return false;
    return true;
}

bool(fa_load)(fa_parameters state, const char *path, const fa_load_options *options)
{
    static const char who[] = "fa_load";
    fa_load_options o = FA__DEFAULT_fa_load;
    fa__options_read(&o, o.size, options);
    if (fa_error_stands() || !state_is_good(who, state))
        return false;
    FA_SCOPE;
    FA_USE(.no_grad = true);
    const fa__archive *a = fa__archive_open(who, path);
    const match *m = a ? match_new(a, state) : NULL;
    return m && fits(a, state, m, o.strict) && load_matched(a, state, m);
}

/* ---- all that there is ---- */

/* Holds what an fa_saved points to. */
typedef struct saved {
    fa_object base;
    fa__archive *archive;
    size_t count;
    fa_tensor *item[];
} saved;

static void saved_destroy(void *object)
{
    saved *s = object;
    for (size_t i = 0; i < s->count; i++)
        fa_release(s->item[i]);
    fa_release(s->archive);
}

static const fa_object_type saved_type = {"saved", saved_destroy};

/* Its names stand behind the tensors. */
static saved *saved_new(fa__archive *a, fa_device device)
{
    saved *s = fa_object_new(&saved_type, sizeof *s + a->count * (sizeof *s->item + sizeof(char *)));
    const char **name = s ? (const char **)(void *)(s->item + a->count) : NULL;
    for (size_t i = 0; s && i < a->count; i++) {
        FA_SCOPE;
        fa_tensor *t = fa__archive_read(a, i, device);
        if (!t)
            return NULL;
        s->item[s->count++] = fa_keep(t);
        name[i] = a->entry[i].name;
    }
    return s;
}

fa_saved(fa_load_file)(const char *path, const fa_load_file_options *options)
{
    fa_saved none = {0};
    fa_load_file_options o = FA__DEFAULT_fa_load_file;
    fa__options_read(&o, o.size, options);
    FA_SCOPE;
    fa__archive *a = fa__archive_open("fa_load_file", path);
    saved *s = a ? saved_new(a, o.device) : NULL;
    if (!s)
        return none;
    fa__archive_close(a);
    s->archive = fa_keep(a);
    fa_escape(s);
    const char *const *names = (const char *const *)(void *)(s->item + s->count);
    return (fa_saved){{s->count, s->item, names}, {a->texts, a->name, a->value}};
}
