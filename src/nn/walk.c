/* Traversal of a module and its descendants: modes, devices, gradients. Lists and names are in list.c. */
#include "nn/module.h"
#include <facula/autograd.h>
#include <facula/error.h>
#include <facula/tensor.h>

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

/* ---- modes and devices ---- */

static void set_mode(fa_module *module, bool training)
{
    module->training = training;
    module->trains_unrecorded |= training && fa__settings().no_grad;
}

static bool train_one(void *context, const fa__spot *spot, const fa__member *member)
{
    fa_module *module = (fa_module *)(uintptr_t)spot->module;
    if (!member)
        set_mode(module, *(const bool *)context);
    return true;
}

fa_module *fa_module_train(fa_module *module, bool training)
{
    if (!fa__module_check(module, "fa_module_train") || !fa__module_walk(module, train_one, &training))
        return NULL;
    return module;
}

bool fa__is_floating(const fa_tensor *t)
{
    return fa_dtype_is_floating(fa_tensor_dtype(t));
}

typedef struct move {
    fa_place where;
    bool (*step)(fa_tensor *t, fa_place where);
} move;

/* Appends a prefix such as "fc1." to the error. */
static void append_path(const fa__spot *spot)
{
    if (!spot->outer)
        return;
    append_path(spot->outer);
    fa_error_append("%s.", spot->name);
}

static bool move_one(void *context, const fa__spot *spot, const fa__member *member)
{
    const move *m = context;
    fa_place where = m->where;
    if (!member || member->kind == FA__CHILD)
        return true;
    if (!fa__is_floating(member->object))
        where.dtype = FA_SAME;
    if (fa_error_stands() || m->step(member->object, where))
        return !fa_error_stands();
    fa_error_append("; this is ");
    append_path(spot);
    fa_error_append("%s", member->name);
    return false;
}

fa_module *fa__module_to(fa_module *module, fa_place where)
{
    if (!fa__module_check(module, "fa_module_to"))
        return NULL;
    if (where.dtype != FA_SAME && !fa_dtype_is_floating(where.dtype)) {
        fa_fail(FA_ERROR_DTYPE, "fa_module_to: %s is not a floating dtype", fa_dtype_name(where.dtype));
        return NULL;
    }
    move check = {where, fa__can_move_of_module}, change = {where, fa__move_of_module};
    bool good = fa__module_walk(module, move_one, &check) && fa__module_walk(module, move_one, &change);
    return good ? module : NULL;
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

static bool freeze_one(void *context, const fa__spot *spot, const fa__member *member)
{
    (void)spot;
    const bool learns = *(const bool *)context;
    if (!member || member->kind != FA__PARAMETER || !fa__is_floating(member->object))
        return true;
    return fa_set_requires_grad(member->object, learns) && (learns || fa_set_grad(member->object, NULL));
}

fa_module *fa_module_set_requires_grad(fa_module *module, bool requires_grad)
{
    if (!fa__module_check(module, "fa_module_set_requires_grad")
        || !fa__module_walk(module, freeze_one, &requires_grad))
        return NULL;
    return module;
}
