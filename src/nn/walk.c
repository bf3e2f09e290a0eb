/* Looking through a module and all below it: names, parameters, modes, places. */
#include "nn/module.h"
#include <facula/autograd.h>
#include <facula/error.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <string.h>

enum { DEEPEST = 200 };

static bool walk_from(const fa__spot *spot, fa__visit *visit, void *context)
{
    if (spot->depth > DEEPEST)
        return fa_fail(FA_ERROR_ARGUMENT, "modules are nested more than %d deep", (int)DEEPEST);
    if (!visit(context, spot, NULL))
        return false;
    for (const fa__member *m = spot->module->first; m; m = m->next)
        if (m->kind != FA__CHILD && !visit(context, spot, m))
            return false;
    for (const fa__member *m = spot->module->first; m; m = m->next) {
        fa__spot below = {.outer = spot, .name = m->name, .module = m->object, .depth = spot->depth + 1};
        if (m->kind == FA__CHILD && (!visit(context, spot, m) || !walk_from(&below, visit, context)))
            return false;
    }
    return true;
}

bool fa__module_walk(const fa_module *module, fa__visit *visit, void *context)
{
    fa__spot root = {.module = module};
    return walk_from(&root, visit, context);
}

/* ---- modes and places ---- */

static bool train_one(void *context, const fa__spot *spot, const fa__member *member)
{
    fa_module *module = (fa_module *)(uintptr_t)spot->module;
    if (!member)
        module->training = *(const bool *)context;
    return true;
}

fa_module *fa_module_train(fa_module *module, bool training)
{
    if (!fa__module_check(module, "fa_module_train") || !fa__module_walk(module, train_one, &training))
        return NULL;
    return module;
}

static bool is_floating(const fa_tensor *t)
{
    return fa_tensor_dtype(t) >= FA_F16 && fa_tensor_dtype(t) <= FA_F64;
}

static bool move_one(void *context, const fa__spot *spot, const fa__member *member)
{
    (void)spot;
    fa_place where = *(const fa_place *)context;
    if (!member || member->kind == FA__CHILD)
        return true;
    if (!is_floating(member->object))
        where.dtype = FA_SAME;
    return fa__move_of_module(member->object, where);
}

fa_module *fa__module_to(fa_module *module, fa_place where)
{
    if (!fa__module_check(module, "fa_module_to"))
        return NULL;
    if (where.dtype != FA_SAME && (where.dtype < FA_F16 || where.dtype > FA_F64)) {
        fa_fail(FA_ERROR_DTYPE, "fa_module_to: %s is not a floating dtype", fa_dtype_name(where.dtype));
        return NULL;
    }
    return fa__module_walk(module, move_one, &where) ? module : NULL;
}

static bool forget_grad(void *context, const fa__spot *spot, const fa__member *member)
{
    (void)context, (void)spot;
    return !member || member->kind != FA__PARAMETER || fa_set_grad(member->object, NULL);
}

bool fa_module_zero_grad(fa_module *module)
{
    return fa__module_check(module, "fa_module_zero_grad") && fa__module_walk(module, forget_grad, NULL);
}

/* ---- lists of tensors ---- */

/* An fa_parameters as an object, which holds its tensors; behind the arrays are the names. */
typedef struct listing {
    fa_object base;
    size_t count;
    fa_tensor *item[];
} listing;

static void listing_destroy(void *object)
{
    listing *l = object;
    for (size_t i = 0; i < l->count; i++)
        fa_release(l->item[i]);
}

static const fa_object_type listing_type = {"parameters", listing_destroy};

typedef struct gathering {
    unsigned kinds;     /* bits: 1 << FA__PARAMETER */
    size_t count, text; /* how much there is: with tensors that come twice */
    listing *list;      /* NULL: only count */
    const char **name;
    char *at;
} gathering;

static size_t path_length(const fa__spot *spot)
{
    return spot->outer ? path_length(spot->outer) + strlen(spot->name) + 1 : 0;
}

/* Writes "fc1.", and returns its end. */
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

static bool known(const listing *l, const fa_tensor *t)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->item[i] == t)
            return true;
    return false;
}

static bool gather_one(void *context, const fa__spot *spot, const fa__member *member)
{
    gathering *g = context;
    if (!member || !(g->kinds >> member->kind & 1))
        return true;
    size_t length = strlen(member->name) + 1;
    if (!g->list) {
        g->count++;
        g->text += path_length(spot) + length;
    } else if (!known(g->list, member->object)) {
        g->name[g->list->count] = g->at;
        g->at = (char *)memcpy(path_write(spot, g->at), member->name, length) + length;
        g->list->item[g->list->count++] = fa_keep(member->object);
    }
    return true;
}

enum { PARAMETERS = 1 << FA__PARAMETER, BUFFERS = 1 << FA__BUFFER };

static fa_parameters gather(const fa_module *module, unsigned kinds, const char *who)
{
    fa_parameters none = {0};
    gathering g = {.kinds = kinds};
    if (!fa__module_check(module, who) || !fa__module_walk(module, gather_one, &g))
        return none;
    size_t array = g.count * sizeof(void *);
    g.list = fa_object_new(&listing_type, sizeof *g.list + 2 * array + g.text);
    if (!g.list)
        return none;
    g.name = (const char **)(void *)(g.list->item + g.count);
    g.at = (char *)(g.name + g.count);
    fa__module_walk(module, gather_one, &g);
    return (fa_parameters){.count = g.list->count, .item = g.list->item, .name = g.name};
}

fa_parameters fa_module_parameters(const fa_module *module)
{
    return gather(module, PARAMETERS, "fa_module_parameters");
}

fa_parameters fa_module_buffers(const fa_module *module)
{
    return gather(module, BUFFERS, "fa_module_buffers");
}

fa_parameters fa_module_state(const fa_module *module)
{
    return gather(module, PARAMETERS | BUFFERS, "fa_module_state");
}

/* ---- by name ---- */

/* The member that a path with dots leads to. */
static const fa__member *find(const fa_module *module, const char *path)
{
    for (;;) {
        size_t length = strcspn(path, ".");
        const fa__member *m = fa__module_member(module, path, length);
        if (!m || !path[length])
            return m;
        if (m->kind != FA__CHILD)
            return NULL;
        module = m->object;
        path += length + 1;
    }
}

static void *find_kind(const fa_module *module, const char *path, bool child, const char *who)
{
    if (!fa__module_check(module, who))
        return NULL;
    const fa__member *m = path ? find(module, path) : NULL;
    if (m && (m->kind == FA__CHILD) == child)
        return m->object;
    fa_fail(FA_ERROR_ARGUMENT, "%s: the module %s has no %s \"%s\"", who, module->kind,
            child ? "child" : "parameter or buffer", path ? path : "NULL");
    return NULL;
}

fa_tensor *fa_module_tensor(const fa_module *module, const char *name)
{
    return find_kind(module, name, false, "fa_module_tensor");
}

fa_module *fa_module_child(const fa_module *module, const char *name)
{
    return find_kind(module, name, true, "fa_module_child");
}

/* ---- sizes and summary ---- */

/* Adds the elements and bytes of a module's parameters or buffers to what is there; NULL: not wanted. False with an
 * error: on meta a model may be larger than 64 bits can count. */
static bool add_up(const fa_module *module, unsigned kinds, int64_t *numel, size_t *nbytes, const char *who)
{
    FA_SCOPE;
    fa_parameters p = gather(module, kinds, who);
    for (size_t i = 0; i < p.count; i++)
        if ((numel && __builtin_add_overflow(*numel, fa_numel(p.item[i]), numel))
            || (nbytes && __builtin_add_overflow(*nbytes, fa_nbytes(p.item[i]), nbytes)))
            return fa_fail(FA_ERROR_SHAPE, "%s: the module is larger than 64 bits can count", who);
    return p.name != NULL;
}

int64_t fa_module_numel(const fa_module *module)
{
    int64_t sum = 0;
    return add_up(module, PARAMETERS, &sum, NULL, "fa_module_numel") ? sum : 0;
}

size_t fa_module_nbytes(const fa_module *module)
{
    static const char who[] = "fa_module_nbytes";
    size_t sum = 0;
    return add_up(module, PARAMETERS | BUFFERS, NULL, &sum, who) ? sum : 0;
}

static void write_tensor(FILE *file, int indent, const fa__member *m)
{
    const fa_tensor *t = m->object;
    fprintf(file, "%*s%s: %s (", indent, "", m->name, fa_dtype_name(fa_tensor_dtype(t)));
    for (int i = 0; i < fa_dim(t); i++)
        fprintf(file, "%s%" PRId64, i ? ", " : "", fa_size(t, i));
    fprintf(file, ")%s\n", m->kind == FA__BUFFER ? " buffer" : "");
}

static bool write_one(void *context, const fa__spot *spot, const fa__member *member)
{
    FILE *file = context;
    int indent = 2 * spot->depth;
    if (!member)
        fprintf(file, "%*s%s%s%s\n", indent, "", spot->outer ? spot->name : "", spot->outer ? ": " : "",
                spot->module->kind);
    else if (member->kind != FA__CHILD)
        write_tensor(file, indent + 2, member);
    return !ferror(file);
}

bool fa_module_summary(const fa_module *module, FILE *file)
{
    static const char who[] = "fa_module_summary";
    int64_t numel = 0;
    size_t nbytes = 0;
    if (!file)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: the file is NULL", who);
    if (!add_up(module, PARAMETERS, &numel, &nbytes, who) || !add_up(module, BUFFERS, NULL, &nbytes, who))
        return false;
    if (!fa__module_walk(module, write_one, file)
        || fprintf(file, "%" PRId64 " parameters, %zu bytes\n", numel, nbytes) < 0)
        return fa_fail(FA_ERROR_FILE, "%s: writing failed", who);
    return true;
}
