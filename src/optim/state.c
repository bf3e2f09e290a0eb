/* The state dict of an optimizer. */
#include "optim/dict.h"
#include "optim/optim.h"
#include <facula/error.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* State dicts of earlier versions lack these two. */
static bool option_visit(fa__dict *a, const fa__option *o, double *value)
{
    bool later = !strcmp(o->name, "master_weights") || !strcmp(o->name, "stochastic_rounding");
    return later ? fa__dict_optional(a, value, 0, o->name) : fa__dict_number(a, value, "%s", o->name);
}

/* Sets *master to the option "master_weights", which the states' dtype depends on. */
static bool options_visit(fa__dict *a, fa__group *g, bool *master)
{
    double option[FA__MOST_OPTIONS], initial_lr = g->initial_lr;
    memcpy(option, g->option, sizeof option);
    for (int k = 0; g->method->option[k].name; k++)
        if (!option_visit(a, &g->method->option[k], &option[k]))
            return false;
    if (!fa__dict_optional(a, &initial_lr, (double)NAN, "initial_lr"))
        return false;
    if (a->from && !fa__options_check(g->method, a->who, option))
        return false;
    if (a->commit) {
        fa__group_set(g, option);
        g->initial_lr = initial_lr;
    }
    *master = option[fa__option_find(g->method, "master_weights")] != 0;
    return true;
}

static bool same_shape(const fa_tensor *a, const fa_tensor *b)
{
    fa_shape s = fa_tensor_shape(a), t = fa_tensor_shape(b);
    return s.rank == t.rank && !memcmp(s.dim, t.dim, (size_t)s.rank * sizeof *s.dim);
}

/* Copies a tensor of the dict to the device of the parameter; the copy becomes its state. */
static bool state_load(const char *who, fa_tensor *found, fa_tensor **loaded, fa_tensor *parameter, fa_dtype dtype,
                       const char *name)
{
    if (!fa_dtype_is_floating(fa_tensor_dtype(found)) || !same_shape(found, parameter))
        return fa_fail(FA_ERROR_SHAPE, "%s: \"%s\" is not floating, or not of the shape of its parameter", who, name);
    fa_tensor *there = fa_to(found, fa_tensor_device(parameter));
    fa_tensor *made = there ? fa_to(there, dtype, .copy = true) : NULL;
    if (!made || !fa_follow(made, parameter))
        return false;
    *loaded = fa__hold(made);
    return true;
}

/* The states of a parameter; when reading, sets *count to their number. */
static bool states_visit(fa__dict *a, const fa__method *m, fa__slot *slot, bool master, size_t *count)
{
    bool has_master = fa__has_master(master, slot);
    fa_dtype dtype = has_master ? FA_F32 : fa_tensor_dtype(slot->parameter);
    for (int k = 0; k < FA__MOST_STATES; k++) {
        const char *name = fa__state_row(m, k)->name;
        fa_tensor *found = slot->state[k];
        if (!name)
            continue;
        if (!fa__dict_tensor(a, &found, name))
            return false;
        *count += found != NULL;
        if (a->commit) {
            fa__state_drop(&slot->state[k], slot->parameter);
            slot->state[k] = slot->loaded[k];
            slot->loaded[k] = NULL;
            slot->fresh = slot->synced = false;
        } else if (a->from && found && (has_master || k != FA__MASTER)
                   && !state_load(a->who, found, &slot->loaded[k], slot->parameter, dtype, name))
            return false;
    }
    return true;
}

static bool slot_visit(fa__dict *a, const fa__method *m, fa__slot *slot, bool master)
{
    size_t count = 0;
    if (a->commit)
        fa__counters_drop(slot);
    return fa__dict_whole(a, &slot->step, 0, "step") && states_visit(a, m, slot, master, &count)
           && fa__dict_same(a, count, "tensors of this name", "tensors");
}

static bool optim_visit(fa__dict *a, void *object)
{
    fa_optim *o = object;
    size_t number = 0;
    bool good = fa__dict_same(a, o->groups, "groups", "groups");
    o->stepped |= a->commit;
    for (fa__group *g = o->group; good && g; g = g->next, number++) {
        snprintf(a->prefix, sizeof a->prefix, "group.%zu.", number);
        bool master = false;
        good = fa__dict_same(a, g->count, "parameters", "parameters") && options_visit(a, g, &master);
        for (size_t i = 0; good && i < g->count; i++) {
            snprintf(a->prefix, sizeof a->prefix, "state.%zu.", g->first + i);
            good = slot_visit(a, g->method, &g->slot[i], master);
        }
    }
    return good;
}

fa_state_dict fa_optim_state_dict(const fa_optim *o)
{
    fa_state_dict none = fa__dict_none();
    if (!fa__optim_check(o, "fa_optim_state_dict") || !fa__optim_read_counts((fa_optim *)(uintptr_t)o))
        return none;
    return fa__dict_write("fa_optim_state_dict", fa_optim_kind(o), optim_visit, (void *)(uintptr_t)o);
}

bool fa_optim_load_state_dict(fa_optim *o, const fa_state_dict *state)
{
    const char *who = "fa_optim_load_state_dict";
    if (!fa__optim_check(o, who))
        return false;
    bool good = fa__dict_read(who, fa_optim_kind(o), state, optim_visit, o);
    FA__EACH_GROUP(g, o)
    for (size_t i = 0; i < g->count; i++)
        for (int k = 0; k < FA__MOST_STATES; k++)
            fa__state_drop(&g->slot[i].loaded[k], g->slot[i].parameter);
    return good;
}
