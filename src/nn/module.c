/* Modules as objects: creation and members. They are run in forward.c and traversed in walk.c and list.c. */
#include "nn/module.h"
#include "nn/layer.h"
#include <facula/autograd.h>
#include <facula/error.h>
#include <facula/host.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <string.h>

static void member_destroy(void *object)
{
    fa__unhold(((fa__member *)object)->object);
}

static void module_destroy(void *object)
{
    fa_module *m = object;
    if (m->destroy)
        m->destroy(m->data);
    while (m->first) {
        fa__member *gone = m->first;
        m->first = gone->next;
        fa__unhold(gone);
    }
    while (m->hooks) {
        fa__module_hook *gone = m->hooks;
        m->hooks = gone->next;
        fa__unhold(gone);
    }
}

static const fa_object_type member_type = {"member", member_destroy}, module_type = {"module", module_destroy};

bool fa__module_check(const fa_module *module, const char *who)
{
    return fa__object_check(module, &module_type, who);
}

/* Zeros behind the data of a module, which show that a program has written there: its struct is larger. */
enum { MARGIN = 128 };

bool fa__module_data_check(const fa_module *module, const char *who)
{
    static const char zeros[MARGIN];
    if (!module->bytes || !memcmp((const char *)module->data + module->bytes, zeros, MARGIN))
        return true;
    return fa_fail(FA_ERROR_ARGUMENT,
                   "%s: the data of the module %s has %zu bytes, and the program has written behind them: "
                   "fa_nn_custom(\"%s\", sizeof(the struct), ...), not the size of a pointer to it",
                   who, module->kind, module->bytes, module->kind);
}

fa_module *(fa_nn_custom)(const char *kind, size_t bytes, fa_forward_function forward,
                          const fa_nn_custom_options *options)
{
    fa_nn_custom_options o = FA__DEFAULT_fa_nn_custom;
    fa__options_read(&o, o.size, options);
    size_t text = kind ? strlen(kind) + 1 : 0, head = (sizeof(fa_module) + 15) & ~(size_t)15;
    size_t margin = bytes ? MARGIN : 0;
    if (!kind || (!forward.one && !forward.many) || bytes > SIZE_MAX / 2 - head - text - MARGIN) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_nn_custom: a module has a name, data of a possible size and a forward function");
        return NULL;
    }
    fa_module *m = fa_object_new(&module_type, head + bytes + margin + text);
    if (!m)
        return NULL;
    char *after = (char *)m + head;
    m->data = bytes ? after : NULL;
    m->bytes = bytes;
    if (bytes && o.data)
        memcpy(m->data, o.data, bytes);
    m->kind = memcpy(after + bytes + margin, kind, text);
    m->end = &m->first;
    m->destroy = o.destroy;
    m->forward = forward;
    m->training = true;
    return m;
}

const char *fa_module_kind(const fa_module *module)
{
    return module ? module->kind : "";
}

void *fa_module_data(const fa_module *module)
{
    return fa__module_check(module, "fa_module_data") ? module->data : NULL;
}

bool fa_module_training(const fa_module *module)
{
    return fa__module_check(module, "fa_module_training") && module->training;
}

static _Thread_local int unrecorded_training;

void fa__unrecorded_training(bool begins)
{
    unrecorded_training += begins ? 1 : -1;
}

static void warn_of_training(const fa_module *layer)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&warned))
        fa__warn(
            "%s runs in training mode while gradients are off: fa_module_train(net, false) before evaluation, which "
            "reaches what was added to net (fa_module_train(net, true) under .no_grad says that it is meant)",
            layer->kind);
}

bool fa__layer_trains(const fa_module *layer)
{
    if (layer->training && fa__settings().no_grad && !layer->trains_unrecorded && !unrecorded_training
        && !fa__in_apply())
        warn_of_training(layer);
    if (layer->training)
        fa__first_run_report();
    return layer->training;
}

/* ---- members of a module ---- */

fa__member *fa__module_member(const fa_module *module, const char *name, size_t length)
{
    for (fa__member *m = module->first; m; m = m->next)
        if (!strncmp(m->name, name, length) && !m->name[length])
            return m;
    return NULL;
}

static bool name_is_good(const fa_module *module, const char *name, const char *who)
{
    if (!name || !*name || strchr(name, '.'))
        return fa_fail(FA_ERROR_ARGUMENT, "%s: a name has one character or more and no dot: \"%s\"", who,
                       name ? name : "NULL");
    const fa__member *same = fa__module_member(module, name, strlen(name));
    if (same)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: the module %s has a \"%s\" already: %s() replaces it", who, module->kind,
                       name, same->kind == FA__CHILD ? "fa_module_replace" : "fa_module_replace_tensor");
    return true;
}

/* Holds the object and appends it to the members. */
static bool member_add(fa_module *module, fa__member_kind kind, const char *name, void *object, const char *who)
{
    if (!object)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: \"%s\" is NULL", who, name ? name : "NULL");
    if (!fa__module_check(module, who) || !fa__module_data_check(module, who) || !name_is_good(module, name, who))
        return false;
    FA_SCOPE;
    size_t text = strlen(name) + 1;
    fa__member *m = fa__hold(fa_object_new(&member_type, sizeof *m + text));
    if (!m)
        return false;
    memcpy(m->name, name, text);
    m->kind = kind;
    m->object = fa__hold(object);
    *module->end = m;
    module->end = &m->next;
    return true;
}

/* Visitor that stops, with false, at the wanted module. */
static bool is_not(void *wanted, const fa__spot *spot, const fa__member *member)
{
    (void)member;
    return spot->module != wanted;
}

/* Checks that adding a child would not create a cycle. */
static bool may_hold(const fa_module *module, const fa_module *child, const char *who)
{
    if (!fa__module_check(child, who) || !fa__module_check(module, who))
        return false;
    return fa__module_walk(child, is_not, (void *)(uintptr_t)module)
           || fa_fail(FA_ERROR_ARGUMENT, "%s: the module %s cannot be a part of itself", who, module->kind);
}

static fa_module *add(fa_module *module, const char *name, fa_module *child, const char *who)
{
    if (!may_hold(module, child, who) || !member_add(module, FA__CHILD, name, child, who))
        return NULL;
    fa__mark_in_network(module, child);
    return child;
}

fa_module *fa_module_add(fa_module *module, const char *name, fa_module *child)
{
    return add(module, name, child, "fa_module_add");
}

fa_module *fa_module_append(fa_module *module, fa_module *child)
{
    static const char who[] = "fa_module_append";
    char name[24];
    if (!fa__module_check(module, who))
        return NULL;
    snprintf(name, sizeof name, "%zu", fa_module_count(module));
    return add(module, name, child, who);
}

static bool is_leaf(const fa_tensor *tensor, const char *name, const char *who)
{
    return !tensor || fa_is_leaf(tensor)
           || fa_fail(FA_ERROR_ARGUMENT, "%s: \"%s\" is a result that was recorded, not a leaf", who,
                      name ? name : "NULL");
}

static bool learn(fa_tensor *tensor)
{
    return !fa__is_floating(tensor) || fa_set_requires_grad(tensor, true);
}

fa_tensor *fa_module_parameter(fa_module *module, const char *name, fa_tensor *tensor)
{
    static const char who[] = "fa_module_parameter";
    if (!is_leaf(tensor, name, who) || !member_add(module, FA__PARAMETER, name, tensor, who) || !learn(tensor))
        return NULL;
    return tensor;
}

fa_tensor *fa_module_buffer(fa_module *module, const char *name, fa_tensor *tensor)
{
    return member_add(module, FA__BUFFER, name, tensor, "fa_module_buffer") ? tensor : NULL;
}

bool fa__module_remove(fa_module *module, const char *name)
{
    static const char who[] = "fa_module_remove";
    if (!fa__module_check(module, who))
        return false;
    fa__member **at = &module->first;
    while (*at && strcmp((*at)->name, name))
        at = &(*at)->next;
    fa__member *gone = *at;
    if (!gone)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: the module %s has no \"%s\"", who, module->kind, name);
    *at = gone->next;
    if (!gone->next)
        module->end = at;
    fa__unhold(gone);
    return true;
}

/* ---- replacing members ---- */

/* Replaces the object of a member, and pointers to the old one in the module's data. */
static void put(const fa_module *module, fa__member *m, void *object)
{
    void *old = m->object, *word;
    for (size_t at = 0; at + sizeof word <= module->bytes; at += sizeof word) {
        memcpy(&word, (char *)module->data + at, sizeof word);
        if (word == old)
            memcpy((char *)module->data + at, &object, sizeof object);
    }
    m->object = fa__hold(object);
    fa__unhold(old);
}

fa_module *fa_module_replace(fa_module *module, const char *name, fa_module *child)
{
    static const char who[] = "fa_module_replace";
    const fa_module *holder;
    fa__member *m = fa__module_find(module, name, true, who, &holder);
    if (!m || !may_hold(holder, child, who))
        return NULL;
    put(holder, m, child);
    fa__mark_in_network(holder, child);
    return child;
}

fa_tensor *fa_module_replace_tensor(fa_module *module, const char *name, fa_tensor *tensor)
{
    static const char who[] = "fa_module_replace_tensor";
    const fa_module *holder;
    fa__member *m = fa__module_find(module, name, false, who, &holder);
    if (!m)
        return NULL;
    if (!tensor) {
        fa_fail(FA_ERROR_ARGUMENT, "%s: \"%s\" is NULL", who, name);
        return NULL;
    }
    if (m->kind == FA__PARAMETER && (!is_leaf(tensor, name, who) || !learn(tensor)))
        return NULL;
    put(holder, m, tensor);
    return tensor;
}
