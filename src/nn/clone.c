/* Copies of modules: of their members, what these share, and data that points to them. */
#include "nn/module.h"
#include <facula/autograd.h>
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <string.h>

/* A tensor or module, and its copy. */
typedef struct pair {
    const void *old;
    void *copy;
} pair;

typedef struct copies {
    fa_object base;
    fa_device device; /* kind 0: each stays on its own */
    size_t count;
    pair item[];
} copies;

static const fa_object_type copies_type = {"copies of a module", NULL};

static void *known(const copies *c, const void *old)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->item[i].old == old)
            return c->item[i].copy;
    return NULL;
}

static void *note(copies *c, const void *old, void *copy)
{
    if (copy)
        c->item[c->count++] = (pair){old, copy};
    return copy;
}

static fa_tensor *copy_tensor(const copies *c, const fa_tensor *t)
{
    FA_USE(.no_grad = true);
    fa_tensor *fresh = c->device.kind ? fa_to(t, c->device, .copy = true) : fa_clone(t);
    return fresh && (!fa_requires_grad(t) || fa_set_requires_grad(fresh, true)) ? fresh : NULL;
}

static fa_module *copy_module(copies *c, const fa_module *old);

static bool copy_member(copies *c, fa_module *to, const fa__member *m)
{
    void *copy = known(c, m->object);
    if (m->kind == FA__CHILD)
        return (copy || (copy = copy_module(c, m->object))) && fa_module_add(to, m->name, copy);
    if (!copy && !(copy = note(c, m->object, copy_tensor(c, m->object))))
        return false;
    if (m->kind == FA__BUFFER)
        return fa_module_buffer(to, m->name, copy);
    bool learns = fa_requires_grad(copy);
    return fa_module_parameter(to, m->name, copy) && fa_set_requires_grad(copy, learns);
}

/* Makes pointers to members in the data of a copy point to their copies. */
static void renew_pointers(const copies *c, fa_module *copy)
{
    void *word, *renewed;
    for (size_t at = 0; at + sizeof word <= copy->bytes; at += sizeof word) {
        memcpy(&word, (char *)copy->data + at, sizeof word);
        if (word && (renewed = known(c, word)))
            memcpy((char *)copy->data + at, &renewed, sizeof renewed);
    }
}

static fa_module *copy_module(copies *c, const fa_module *old)
{
    if (old->destroy) {
        fa_fail(FA_ERROR_ARGUMENT,
                "fa_module_clone: the module %s has a .destroy function, which would free its data twice", old->kind);
        return NULL;
    }
    fa_module *copy =
        note(c, old,
             (fa_nn_custom)(old->kind, old->bytes, old->forward,
                            &(fa_nn_custom_options){.size = sizeof(fa_nn_custom_options), .data = old->data}));
    for (const fa__member *m = old->first; copy && m; m = m->next)
        if (!copy_member(c, copy, m))
            return NULL;
    if (copy) {
        copy->training = old->training;
        copy->trains_unrecorded = old->trains_unrecorded;
        renew_pointers(c, copy);
    }
    return copy;
}

static bool count_one(void *count, const fa__spot *spot, const fa__member *member)
{
    (void)spot, (void)member;
    ++*(size_t *)count;
    return true;
}

fa_module *fa__module_clone_to(const fa_module *module, fa_device device)
{
    size_t count = 0;
    if (!fa__module_check(module, "fa_module_clone") || !fa__module_walk(module, count_one, &count))
        return NULL;
    FA_SCOPE;
    copies *c = fa_object_new(&copies_type, sizeof *c + count * sizeof *c->item);
    if (c)
        c->device = device;
    fa_module *copy = c ? copy_module(c, module) : NULL;
    return copy ? fa_escape(copy) : NULL;
}

fa_module *fa_module_clone(const fa_module *module)
{
    return fa__module_clone_to(module, (fa_device){0});
}
