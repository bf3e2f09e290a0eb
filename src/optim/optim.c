/* Optimizers: their data. The parameters of each group form an object of their own, so that groups can be added. */
#include "optim/optim.h"
#include <facula/autograd.h>
#include <facula/error.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <math.h>
#include <string.h>

static void group_destroy(void *object)
{
    fa__group *g = object;
    if (g->lr)
        fa__unhold(g->lr);
    for (size_t i = 0; i < g->count; i++) {
        fa__slot *slot = &g->slot[i];
        for (int k = 0; k < FA__MOST_STATES; k++) {
            fa__state_drop(&slot->state[k], slot->parameter);
            fa__state_drop(&slot->loaded[k], slot->parameter);
        }
        fa__counters_drop(slot);
        fa__unhold(slot->parameter);
    }
}

static void optim_destroy(void *object)
{
    fa_optim *o = object;
    for (fa__group *g = o->group, *next; g; g = next) {
        next = g->next;
        fa__unhold(g);
    }
}

static const fa_object_type group_type = {"group of parameters", group_destroy};
static const fa_object_type optim_type = {"optimizer", optim_destroy};

bool fa__optim_check(const fa_optim *o, const char *who)
{
    return fa__object_check(o, &optim_type, who);
}

fa__group *fa__optim_group(const fa_optim *o, const char *who, int group)
{
    if (!fa__optim_check(o, who))
        return NULL;
    fa__group *g = group >= 0 ? o->group : NULL;
    for (int i = 0; g && i < group; i++)
        g = g->next;
    if (!g)
        fa_fail(FA_ERROR_ARGUMENT, "%s: there is no group %d: the optimizer has %zu", who, group, o->groups);
    return g;
}

/* ---- states ---- */

const fa__state *fa__state_row(const fa__method *m, int k)
{
    static const fa__state master = {.name = "master_weight", .symbol = "q"};
    return k == FA__MASTER ? &master : &m->state[k];
}

bool fa__has_master(bool master, const fa__slot *slot)
{
    fa_dtype dtype = master ? fa_tensor_dtype(slot->parameter) : FA_F32;
    return dtype == FA_F16 || dtype == FA_BF16;
}

/* ---- creation ---- */

/* Checks that a tensor is not yet a parameter of the optimizer. */
static bool parameter_is_new(const fa_optim *o, const char *who, const fa_tensor *t, size_t i)
{
    int number = 0;
    FA__EACH_GROUP(g, o)
    {
        for (size_t k = 0; k < g->count; k++)
            if (g->slot[k].parameter == t)
                return fa_fail(FA_ERROR_ARGUMENT, "%s: parameter %zu is number %zu of group %d already", who, i, k,
                               number);
        number++;
    }
    return true;
}

static bool parameter_is_good(const fa_optim *o, const char *who, fa_parameters p, size_t i)
{
    const fa_tensor *t = p.item ? p.item[i] : NULL;
    if (!t)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: parameter %zu is NULL", who, i);
    if (!fa_dtype_is_floating(fa_tensor_dtype(t)))
        return fa_fail(FA_ERROR_DTYPE, "%s: parameter %zu is %s: only floating ones can be learned", who, i,
                       fa_dtype_name(fa_tensor_dtype(t)));
    if (!fa_is_leaf(t))
        return fa_fail(FA_ERROR_GRADIENT, "%s: parameter %zu is the result of an operation, not a leaf", who, i);
    for (size_t k = 0; k < i; k++)
        if (p.item[k] == t)
            return fa_fail(FA_ERROR_ARGUMENT, "%s: parameters %zu and %zu are the same tensor", who, k, i);
    return parameter_is_new(o, who, t, i);
}

/* Takes a part of the memory at `*at`. */
static void *part(char **at, size_t bytes)
{
    void *p = *at;
    *at += (bytes + 15) & ~(size_t)15;
    return p;
}

static fa__group *group_new(const fa__method *method, size_t count)
{
    size_t lists = 3 + FA__MOST_STATES + FA__MOST_COUNTERS;
    size_t each =
        sizeof(fa__slot) + sizeof(fa__slot *) + lists * sizeof(fa_tensor *) + FA__MOST_NUMBERS * sizeof(double);
    fa__group *g = fa_object_new(&group_type, sizeof *g + count * each + 80);
    if (!g)
        return NULL;
    char *at = (char *)g;
    part(&at, sizeof *g);
    g->method = method;
    g->initial_lr = (double)NAN;
    g->slot = part(&at, count * sizeof(fa__slot));
    g->active = part(&at, count * sizeof(fa__slot *));
    g->list = part(&at, count * lists * sizeof(fa_tensor *));
    g->values = part(&at, count * FA__MOST_NUMBERS * sizeof(double));
    return g;
}

/* Adds a group to an optimizer. */
static bool group_add(fa_optim *o, const char *who, fa_parameters p, const double *option)
{
    if (!fa__options_check(o->method, who, option))
        return false;
    if (!p.count)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: there are no parameters: a module has those of what was added to it",
                       who);
    for (size_t i = 0; i < p.count; i++)
        if (!parameter_is_good(o, who, p, i))
            return false;
    fa__group *g = group_new(o->method, p.count);
    if (!g)
        return false;
    for (; g->count < p.count; g->count++)
        g->slot[g->count].parameter = fa__hold(p.item[g->count]);
    g->capturable = o->capturable;
    fa__group_set(g, option);
    g->first = o->count;
    o->count += g->count;
    o->groups++;
    *(o->last ? &o->last->next : &o->group) = fa__hold(g);
    o->last = g;
    return true;
}

fa_optim *fa__optim_new(const fa__method *method, fa_parameters p, const void *options)
{
    fa_optim *o = fa_object_new(&optim_type, sizeof *o);
    if (!o)
        return NULL;
    o->method = method;
    fa__options_take(method, options, o->option);
    return group_add(o, method->name, p, o->option) ? o : NULL;
}

/* The offset of each option of any method in fa_optim_group_options. */
static const struct {
    const char *name;
    size_t offset;
} group_options[] = {
    {"lr", offsetof(fa_optim_add_group_options, lr)},
    {"momentum", offsetof(fa_optim_add_group_options, momentum)},
    {"dampening", offsetof(fa_optim_add_group_options, dampening)},
    {"weight_decay", offsetof(fa_optim_add_group_options, weight_decay)},
    {"beta1", offsetof(fa_optim_add_group_options, beta1)},
    {"beta2", offsetof(fa_optim_add_group_options, beta2)},
    {"alpha", offsetof(fa_optim_add_group_options, alpha)},
    {"eps", offsetof(fa_optim_add_group_options, eps)},
    {"lr_decay", offsetof(fa_optim_add_group_options, lr_decay)},
    {"initial_accumulator_value", offsetof(fa_optim_add_group_options, initial_accumulator_value)},
    {"nesterov", offsetof(fa_optim_add_group_options, nesterov)},
    {"amsgrad", offsetof(fa_optim_add_group_options, amsgrad)},
    {"centered", offsetof(fa_optim_add_group_options, centered)},
    {"maximize", offsetof(fa_optim_add_group_options, maximize)},
    {"master_weights", offsetof(fa_optim_add_group_options, master_weights)},
    {"stochastic_rounding", offsetof(fa_optim_add_group_options, stochastic_rounding)},
};

int(fa_optim_add_group)(fa_optim *o, fa_parameters parameters, const fa_optim_add_group_options *options)
{
    const char *who = "fa_optim_add_group";
    fa_optim_add_group_options given = FA__DEFAULT_fa_optim_add_group;
    double option[FA__MOST_OPTIONS];
    if (!fa__optim_check(o, who))
        return -1;
    fa__options_read(&given, given.size, options);
    memcpy(option, o->option, sizeof option);
    for (size_t i = 0; i < sizeof group_options / sizeof *group_options; i++) {
        double value;
        memcpy(&value, (const char *)&given + group_options[i].offset, sizeof value);
        int k = fa__option_find(o->method, group_options[i].name);
        if (!isnan(value) && k < 0) {
            fa_fail(FA_ERROR_ARGUMENT, "%s: %s has no option .%s", who, o->method->name, group_options[i].name);
            return -1;
        }
        if (!isnan(value))
            option[k] = value;
    }
    return group_add(o, who, parameters, option) ? (int)o->groups - 1 : -1;
}

int fa_optim_groups(const fa_optim *o)
{
    return fa__optim_check(o, "fa_optim_groups") ? (int)o->groups : -1;
}

/* ---- queries ---- */

const char *fa_optim_kind(const fa_optim *o)
{
    return fa__optim_check(o, "fa_optim_kind") ? o->method->name + strlen("fa_optim_") : "";
}

/* True if a method keeps this state for the parameters of a group. */
static bool is_kept(const fa__group *g, const fa__slot *slot, int k)
{
    int when = fa__state_row(g->method, k)->when;
    bool wanted = k == FA__MASTER ? fa__has_master(g->master, slot) : !when || g->option[when] != 0;
    return slot->state[k] || wanted;
}

static const fa__slot *slot_of(const fa_optim *o, const fa_tensor *parameter, const fa__group **group)
{
    FA__EACH_GROUP(g, o)
    for (size_t i = 0; i < g->count; i++)
        if (g->slot[i].parameter == parameter) {
            *group = g;
            return &g->slot[i];
        }
    return NULL;
}

fa_tensor *fa_optim_state(const fa_optim *o, const fa_tensor *parameter, const char *name)
{
    const fa__group *g = NULL;
    if (!fa__optim_check(o, "fa_optim_state"))
        return NULL;
    const fa__slot *slot = slot_of(o, parameter, &g);
    for (int k = 0; slot && name && k < FA__MOST_STATES; k++) {
        const char *kept = fa__state_row(o->method, k)->name;
        if (kept && !strcmp(kept, name) && is_kept(g, slot, k))
            return slot->state[k];
    }
    fa_fail(FA_ERROR_ARGUMENT, "fa_optim_state: no \"%s\" is kept for this tensor", name ? name : "NULL");
    return NULL;
}
