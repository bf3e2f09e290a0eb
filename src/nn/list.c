/* Lists of the parameters, buffers and modules of a module and its descendants, and lookup by name. */
#include "nn/module.h"
#include <facula/error.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A list as an object that holds its items; the names are stored after the arrays. */
typedef struct listing {
    fa_object base;
    size_t count;
    void *item[];
} listing;

static void listing_destroy(void *object)
{
    listing *l = object;
    for (size_t i = 0; i < l->count; i++)
        fa__unhold(l->item[i]);
}

static const fa_object_type listing_type = {"list of a module", listing_destroy};

enum {
    PARAMETERS = 1 << FA__PARAMETER,
    BUFFERS = 1 << FA__BUFFER,
    MODULES = 1 << FA__CHILD,
    NOT_BELOW = 8,
    EVERY_NAME = 16
};

typedef struct gathering {
    unsigned what;      /* the kinds of members to list */
    size_t count, text; /* sizes, including duplicates */
    listing *list;      /* NULL: only count */
    const char **name;
    char *at;
} gathering;

static size_t path_length(const fa__spot *spot)
{
    return spot->outer ? path_length(spot->outer) + strlen(spot->name) + 1 : 0;
}

/* Writes a prefix such as "fc1.", and returns its end. */
static char *path_write(const fa__spot *spot, char *at)
{
    if (!spot->outer)
        return at;
    at = path_write(spot->outer, at);
    size_t length = strlen(spot->name);
    memcpy(at, spot->name, length);
    at[length] = '.';
    return at + length + 1;
}

static bool known(const listing *l, const void *item)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->item[i] == item)
            return true;
    return false;
}

/* Appends an item with its path and name. */
static void gather_item(gathering *g, const fa__spot *spot, const char *name, const void *item)
{
    size_t length = strlen(name) + 1;
    if (!g->list) {
        g->count++;
        g->text += path_length(spot) + length;
    } else if (g->what & EVERY_NAME || !known(g->list, item)) {
        g->name[g->list->count] = g->at;
        g->at = (char *)memcpy(path_write(spot, g->at), name, length) + length;
        g->list->item[g->list->count++] = fa__hold(item);
    }
}

static bool gather_one(void *context, const fa__spot *spot, const fa__member *member)
{
    gathering *g = context;
    if (g->what & NOT_BELOW && spot->outer)
        return true;
    if (member && g->what >> member->kind & 1)
        gather_item(g, spot, member->name, member->object);
    else if (!member && !spot->outer && g->what == MODULES)
        gather_item(g, spot, "", spot->module);
    return true;
}

/* Creates a list that the current scope owns; NULL and an error on failure. */
static listing *gather(const fa_module *module, unsigned what, const char *who, const char *const **name)
{
    gathering g = {.what = what};
    if (!fa__module_check(module, who) || !fa__module_walk(module, gather_one, &g))
        return NULL;
    size_t array = g.count * sizeof(void *);
    g.list = fa_object_new(&listing_type, sizeof *g.list + 2 * array + g.text);
    if (!g.list)
        return NULL;
    g.name = (const char **)(void *)(g.list->item + g.count);
    g.at = (char *)(g.name + g.count);
    fa__module_walk(module, gather_one, &g);
    *name = g.name;
    return g.list;
}

/* ---- tensors ---- */

static fa_parameters tensors_of(const fa_module *module, unsigned what, const char *who)
{
    fa_parameters p = {0, fa__no_items, fa__no_names};
    listing *l = gather(module, what, who, &p.name);
    if (l)
        p.count = l->count, p.item = (fa_tensor *const *)(void *)l->item;
    return p;
}

fa_parameters fa_module_parameters(const fa_module *module)
{
    return tensors_of(module, PARAMETERS, "fa_module_parameters");
}

fa_parameters fa_module_buffers(const fa_module *module)
{
    return tensors_of(module, BUFFERS, "fa_module_buffers");
}

fa_parameters fa_module_state(const fa_module *module)
{
    return tensors_of(module, PARAMETERS | BUFFERS, "fa_module_state");
}

fa_parameters fa__module_names(const fa_module *module)
{
    return tensors_of(module, PARAMETERS | BUFFERS | EVERY_NAME, "fa_module_state");
}

fa_tensor *fa_parameters_find(fa_parameters list, const char *name)
{
    for (size_t i = 0; name && list.name && i < list.count; i++)
        if (list.name[i] && !strcmp(list.name[i], name))
            return list.item[i];
    fa_fail(FA_ERROR_ARGUMENT, "fa_parameters_find: none of the %zu tensors is called \"%.100s\"", list.count,
            name ? name : "NULL");
    return NULL;
}

/* ---- modules ---- */

static fa_modules modules_of(const fa_module *module, unsigned what, const char *who)
{
    fa_modules m = {0, (fa_module *const *)(const void *)fa__no_items, fa__no_names};
    listing *l = gather(module, what, who, &m.name);
    if (l)
        m.count = l->count, m.item = (fa_module *const *)(void *)l->item;
    return m;
}

fa_modules fa_module_children(const fa_module *module)
{
    return modules_of(module, MODULES | NOT_BELOW, "fa_module_children");
}

fa_modules fa_module_modules(const fa_module *module)
{
    return modules_of(module, MODULES, "fa_module_modules");
}

/* Appends a module after its descendants, each once. The list has room for all. */
static void put_after(listing *l, fa_module *module)
{
    if (known(l, module))
        return;
    for (const fa__member *m = module->first; m; m = m->next)
        if (m->kind == FA__CHILD)
            put_after(l, m->object);
    l->item[l->count++] = fa__hold(module);
}

fa_module *fa_module_apply(fa_module *module, bool (*function)(fa_module *each, void *context), void *context)
{
    static const char who[] = "fa_module_apply";
    FA_SCOPE;
    size_t count = fa_module_modules(module).count;
    if (count && !function)
        fa_fail(FA_ERROR_ARGUMENT, "%s: the function is NULL", who);
    listing *l = count && function ? fa_object_new(&listing_type, sizeof *l + count * sizeof(void *)) : NULL;
    if (!l)
        return NULL;
    put_after(l, module);
    for (size_t i = 0; i < l->count; i++) {
        fa_module *each = l->item[i];
        if (function(each, context))
            continue;
        fa_fail(FA_ERROR_USER, "%s: the function returned false for a module %s", who, each->kind);
        return NULL;
    }
    return module;
}

size_t fa_module_count(const fa_module *module)
{
    size_t count = 0;
    if (fa__module_check(module, "fa_module_count"))
        for (const fa__member *m = module->first; m; m = m->next)
            count += m->kind == FA__CHILD;
    return count;
}

fa_module *fa_module_at(const fa_module *module, int64_t index)
{
    static const char who[] = "fa_module_at";
    if (!fa__module_check(module, who))
        return NULL;
    int64_t count = (int64_t)fa_module_count(module), left = index < 0 ? index + count : index;
    for (const fa__member *m = left < 0 ? NULL : module->first; m; m = m->next)
        if (m->kind == FA__CHILD && left-- == 0)
            return m->object;
    fa_fail(FA_ERROR_INDEX, "%s: the module %s has no child %" PRId64 ": it has %" PRId64, who, module->kind, index,
            count);
    return NULL;
}

/* ---- by name ---- */

typedef struct names {
    char text[160];
} names;

/* The names of a module's members, as many as there is room for. */
static names names_of(const fa_module *module)
{
    names n = {"nothing"};
    size_t length = 0;
    for (const fa__member *m = module->first; m; m = m->next) {
        const char *comma = length ? ", " : "";
        if (length + strlen(m->name) + 8 > sizeof n.text) {
            snprintf(n.text + length, sizeof n.text - length, "%s...", comma);
            break;
        }
        length += (size_t)snprintf(n.text + length, sizeof n.text - length, "%s%s", comma, m->name);
    }
    return n;
}

fa__member *fa__module_find(const fa_module *module, const char *path, bool child, const char *who,
                            const fa_module **holder)
{
    if (!fa__module_check(module, who))
        return NULL;
    const char *at = path ? path : "";
    *holder = module;
    for (;;) {
        size_t length = strcspn(at, ".");
        fa__member *m = fa__module_member(*holder, at, length);
        if (!m || !at[length] || m->kind != FA__CHILD) {
            if (m && !at[length] && (m->kind == FA__CHILD) == child)
                return m;
            break;
        }
        *holder = m->object;
        at += length + 1;
    }
    fa_fail(FA_ERROR_ARGUMENT, "%s: the module %s has no %s \"%s\": %s has %s", who, module->kind,
            child ? "child" : "parameter or buffer", path ? path : "NULL", *holder == module ? "it" : (*holder)->kind,
            names_of(*holder).text);
    return NULL;
}

fa_tensor *fa_module_tensor(const fa_module *module, const char *name)
{
    const fa_module *holder;
    fa__member *m = fa__module_find(module, name, false, "fa_module_tensor", &holder);
    return m ? m->object : NULL;
}

fa_module *fa_module_child(const fa_module *module, const char *name)
{
    const fa_module *holder;
    fa__member *m = fa__module_find(module, name, true, "fa_module_child", &holder);
    return m ? m->object : NULL;
}
