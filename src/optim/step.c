/* The optimizer step: one program for each group, over its parameters that have a gradient; all groups or none. */
#include "optim/optim.h"
#include <facula/autograd.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/graph.h>
#include <facula/host.h>
#include <facula/ops/create.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

void fa__state_drop(fa_tensor **state, fa_tensor *parameter)
{
    if (!*state)
        return;
    fa_unfollow(*state, parameter);
    fa__unhold(*state);
    *state = NULL;
}

/* A state becomes `made`, which moves with its parameter from then on. */
static bool state_set(fa__slot *slot, int k, fa_tensor *made)
{
    if (!made || !fa_follow(made, slot->parameter))
        return false;
    fa__state_drop(&slot->state[k], slot->parameter);
    slot->state[k] = fa__hold(made);
    return true;
}

/* Creates a state, or converts it if its dtype is no longer that of the group's states. One that was created by a step
 * behind a fault holds no values: that step changed nothing, and the next one is the first. */
static bool state_ready(const fa__group *g, int k, fa__slot *slot)
{
    int begin = g->method->state[k].begin;
    fa_dtype dtype = fa__has_master(g->master, slot) ? FA_F32 : fa_tensor_dtype(slot->parameter);
    bool exists = slot->state[k] && !fa_tensor_is_faulty(slot->state[k]);
    if (exists && fa_tensor_dtype(slot->state[k]) == dtype)
        return true;
    if (slot->state[k] && !exists)
        slot->step = 0;
    FA_UNRECORDED;
    FA_USE(.device = fa_tensor_device(slot->parameter)); /* on the parameter's device even with automatic placement */
    slot->fresh |= !exists;
    return state_set(slot, k,
                     exists ? fa_to(slot->state[k], dtype)
                            : fa_full_like(slot->parameter, begin ? g->option[begin] : 0, .dtype = dtype));
}

/* ---- master weights ---- */

static int64_t ahead(const fa__slot *slot)
{
    return fa_tensor_version(slot->parameter) - fa_tensor_version(slot->state[FA__MASTER]);
}

/* The master weight starts as the parameter, and again when somebody else has modified that. */
static bool master_ready(fa__slot *slot)
{
    fa_tensor *master = slot->state[FA__MASTER];
    if (master && fa_tensor_dtype(master) == FA_F32 && !fa_tensor_is_faulty(master)
        && (!slot->synced || slot->ahead == ahead(slot)))
        return true;
    FA_UNRECORDED;
    FA_USE(.device = fa_tensor_device(slot->parameter));
    slot->synced = false;
    return state_set(slot, FA__MASTER, fa_to(slot->parameter, FA_F32));
}

/* ---- step counts on the device ---- */

bool fa__group_counts(const fa__group *g)
{
    int when = g->method->count_when;
    return g->capturable && g->method->count && (!when || g->option[when] != 0);
}

void fa__counters_drop(fa__slot *slot)
{
    for (int k = 0; k < FA__MOST_COUNTERS; k++)
        fa__state_drop(&slot->counter[k], slot->parameter);
}

/* Creates a counter, which starts as the step count known on the host. Those behind the first are computed from it in
 * each step, and have the dtype of the parameter's other numbers; the first keeps its dtype when a module is moved. */
static bool counter_ready(fa__slot *slot, int k)
{
    fa_tensor *counter = slot->counter[k];
    const fa_dtype dtype = fa_tensor_dtype(slot->parameter) == FA_F64 ? FA_F64 : FA_F32;
    if (counter && (!k || fa_tensor_dtype(counter) == dtype) && !fa_tensor_is_faulty(counter))
        return true;
    fa__state_drop(&slot->counter[k], slot->parameter);
    FA_UNRECORDED;
    fa_tensor *made =
        fa_full(FA_SCALAR, (double)slot->step, .dtype = dtype, .device = fa_tensor_device(slot->parameter));
    if (!made || !fa_follow(made, slot->parameter))
        return false;
    slot->counter[k] = fa__hold(made);
    return true;
}

/* Behind the lists of parameters, gradients and states. */
static fa_tensor **counters(const fa__group *g, int k)
{
    return g->list + (size_t)(2 + FA__MOST_STATES + k) * g->count;
}

static fa_tensor **founds(const fa__group *g)
{
    return counters(g, FA__MOST_COUNTERS);
}

static bool counters_ready(fa__group *g, fa__slot *slot, size_t n)
{
    for (int k = 0; k < FA__MOST_COUNTERS && g->method->counter[k]; k++) {
        if (!counter_ready(slot, k))
            return false;
        counters(g, k)[n] = slot->counter[k];
    }
    return true;
}

bool fa__optim_read_counts(fa_optim *o)
{
    FA__EACH_GROUP(g, o)
    for (size_t i = 0; i < g->count; i++) {
        fa_tensor *t = g->slot[i].counter[0];
        double count = t ? fa_item(t) : 0;
        if (t && !(count >= 0))
            return false;
        if (t)
            g->slot[i].step = (int64_t)count;
    }
    return true;
}

/* ---- programs ---- */

static fa_tensor **states(const fa__group *g, int k)
{
    return g->list + (size_t)(2 + k) * g->count;
}

/* Adds a parameter to the lists, with its gradient and its states. */
static bool lists_add(fa__group *g, fa__slot *slot, fa_tensor *grad, bool master)
{
    size_t n = g->actives++;
    if (master && !master_ready(slot))
        return false;
    g->active[n] = slot;
    g->list[n] = master ? slot->state[FA__MASTER] : slot->parameter;
    g->list[g->count + n] = grad;
    states(g, FA__MASTER)[n] = slot->parameter;
    for (int k = 0; k < FA__METHOD_STATES; k++) {
        if (!fa__state_is_used(g, k))
            continue;
        if (!state_ready(g, k, slot))
            return false;
        states(g, k)[n] = slot->state[k];
    }
    return !fa__group_counts(g) || counters_ready(g, slot, n);
}

/* Whether the program for low parameters is that of a parameter. */
static bool is_low(const fa__group *g, const fa__slot *slot)
{
    return fa__has_master(g->master, slot) || (g->stochastic && fa_tensor_dtype(slot->parameter) == FA_BF16);
}

/* Fills the lists with the parameters that have a gradient. */
static bool lists_fill(fa__group *g)
{
    const int rounds = g->master || g->stochastic ? 2 : 1;
    g->actives = 0;
    for (int low = 0; low < rounds; low++) {
        for (size_t i = 0; i < g->count; i++) {
            fa__slot *slot = &g->slot[i];
            fa_tensor *grad = is_low(g, slot) == low ? fa_grad(slot->parameter) : NULL;
            if (grad && !lists_add(g, slot, grad, low && g->master))
                return false;
        }
        if (!low)
            g->plain = g->actives;
    }
    return !fa_error_stands();
}

static double number_of(const fa__group *g, const fa__number *number, const fa__slot *slot)
{
    double option[FA__MOST_OPTIONS];
    memcpy(option, g->option, sizeof option);
    if (number->of_one)
        option[0] = 1;
    return number->value(option, slot->step + 1, slot->fresh);
}

/* The parameters of one program, from `from` to before `end` in the lists. */
typedef struct range {
    size_t from, end;
} range;

static fa_tensors listed(fa_tensor **list, range r)
{
    return (fa_tensors){r.end - r.from, list + r.from};
}

/* Binds a number, or one number for each parameter if their step counts differ. */
static fa_binding bind_number(fa__group *g, int k, range r)
{
    const fa__number *number = &g->number[k];
    fa_binding b = {.name = number->name, .number = fa__arg_f(number->constant)};
    double *values = g->values + (size_t)k * g->count;
    if (!number->value)
        return b;
    for (size_t i = r.from; i < r.end; i++) {
        const fa__slot *slot = g->active[i], *before = i > r.from ? g->active[i - 1] : NULL;
        bool same = before && slot->step == before->step && slot->fresh == before->fresh;
        values[i] = same ? values[i - 1] : number_of(g, number, slot);
    }
    b.numbers = values + r.from;
    return b;
}

static size_t bind_counters(fa__group *g, range r, fa_binding *b, size_t bound)
{
    for (int k = 0; fa__group_counts(g) && k < FA__MOST_COUNTERS && g->method->counter[k]; k++)
        b[bound++] = (fa_binding){.name = g->method->counter[k], .tensors = listed(counters(g, k), r)};
    return bound;
}

/* The numbers of the program that counts, or of the others. */
static size_t bind_numbers(fa__group *g, bool counting, range r, fa_binding *b, size_t bound)
{
    for (int k = 0; k < g->numbers; k++)
        if (g->number[k].counting == counting)
            b[bound++] = bind_number(g, k, r);
    return bound;
}

/* A text that leaves what is bound to lists as it was where `found` is not 0. */
static const char *guarded(char *to, const char *text, const fa_binding *b, size_t bound)
{
    char *at = to, *end = to + FA__GUARDED_ROOM;
    for (size_t k = 0; k < bound; k++)
        at += snprintf(at, (size_t)(end - at), "%s_before = %s; ", b[k].name, b[k].name);
    at += snprintf(at, (size_t)(end - at), "%s", text);
    for (size_t k = 0; k < bound; k++)
        at += snprintf(at, (size_t)(end - at), "; %s = found > 0 ? %s_before : %s", b[k].name, b[k].name, b[k].name);
    return to;
}

static fa_binding found_binding(const fa__group *g, range r)
{
    return (fa_binding){.name = "found", .tensors = listed(founds(g), r)};
}

static fa_program count_program_of(fa__group *g, bool may_skip)
{
    const range all = {0, g->actives};
    fa_binding *b = g->count_binding;
    const char *text = g->method->count;
    size_t bound = bind_counters(g, all, b, 0);
    if (may_skip)
        text = guarded(g->count_guarded, text, b, bound);
    bound = bind_numbers(g, true, all, b, bound);
    if (may_skip)
        b[bound++] = found_binding(g, all);
    return (fa_program){.text = text, .count = bound, .bindings = b};
}

/* Binds what a program assigns to. */
static size_t bind_states(fa__group *g, bool master, range r, fa_binding *b)
{
    size_t bound = 0;
    b[bound++] = (fa_binding){.name = "p", .tensors = listed(g->list, r)};
    for (int k = 0; k < FA__MOST_STATES; k++)
        if (k == FA__MASTER ? master : fa__state_is_used(g, k))
            b[bound++] = (fa_binding){.name = fa__state_row(g->method, k)->symbol, .tensors = listed(states(g, k), r)};
    return bound;
}

static fa_program program_of(fa__group *g, bool low, bool may_skip)
{
    const range r = {low ? g->plain : 0, low ? g->actives : g->plain};
    fa_binding *b = g->binding[low];
    const char *text = low ? g->low_text : g->text;
    size_t bound = bind_states(g, low && g->master, r, b);
    if (may_skip) {
        text = guarded(g->guarded[low], text, b, bound);
        b[bound++] = found_binding(g, r);
    }
    if (low && g->stochastic)
        b[bound++] = fa_bind_random("key");
    b[bound++] = (fa_binding){.name = "g", .tensors = listed(g->list + g->count, r)};
    bound = bind_numbers(g, false, r, b, bind_counters(g, r, b, bound));
    if (g->lr)
        b[bound++] = (fa_binding){.name = "lr", .number = fa__arg_t(g->lr)};
    return (fa_program){.text = text, .count = bound, .bindings = b};
}

/* The programs of a step, in the innermost scope. */
typedef struct programs {
    fa_object base;
    fa_program item[];
} programs;

static const fa_object_type programs_type = {"programs", NULL};

/* Fills the list of what decides whether a parameter's step is skipped, on the parameters' devices. */
static bool founds_fill(const fa__group *g, fa_tensor *found)
{
    for (size_t i = 0; i < g->actives; i++) {
        fa_device device = fa_tensor_device(g->list[i]);
        bool again = i && fa_device_equal(device, fa_tensor_device(g->list[i - 1]));
        founds(g)[i] = again ? founds(g)[i - 1] : fa_to(found, device);
    }
    return !fa_error_stands();
}

static bool groups_run(const fa_optim *o, fa_tensor *found)
{
    size_t n = 0;
    programs *p = fa_object_new(&programs_type, sizeof *p + 3 * o->groups * sizeof *p->item);
    if (!p)
        return false;
    FA__EACH_GROUP(g, o)
    {
        if (!lists_fill(g) || (found && !founds_fill(g, found)))
            return false;
        if (g->actives && fa__group_counts(g))
            p->item[n++] = count_program_of(g, found != NULL);
        if (g->plain)
            p->item[n++] = program_of(g, false, found != NULL);
        if (g->actives > g->plain)
            p->item[n++] = program_of(g, true, found != NULL);
    }
    return fa_update_all(n, p->item);
}

/* A step that a graph records reads what changes from step to step from the device: step counts and learning rates. */
static bool make_replayable(fa_optim *o)
{
    int number = 0;
    FA_UNRECORDED;
    bool good = fa_optim_set_capturable(o, true);
    for (fa__group *g = o->group; good && g; g = g->next, number++) {
        const fa_tensor *p = g->slot[0].parameter;
        fa_dtype dtype = fa_tensor_dtype(p) == FA_F64 ? FA_F64 : FA_F32;
        good = g->lr
               || fa_optim_set_lr_tensor(
                   o, number, fa_full(FA_SCALAR, g->option[0], .dtype = dtype, .device = fa_tensor_device(p)));
    }
    return good && !fa_error_stands();
}

/* Steps that never change anything are a mistake: gradients were removed after backward, or are another network's. */
static void warn_of_no_gradients(void)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&warned))
        fa__warn("fa_optim_step: no parameter has ever had a gradient, so none changes: fa_backward has to run after "
                 "fa_optim_zero_grad, and the optimizer has to have the parameters that the network trains");
}

/* That a parameter has no gradient in steps where others have some is a mistake, unless it is meant: something cuts the
 * graph, or the loss does not use the parameter. */
static void warn_of_parameters_without(const fa_optim *o)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    const fa_tensor *first = NULL;
    size_t without = 0, number = 0;
    FA__EACH_GROUP(g, o)
    for (size_t i = 0; i < g->count; i++) {
        const fa__slot *slot = &g->slot[i];
        if (slot->step || !fa_requires_grad(slot->parameter))
            continue;
        number = without++ ? number : g->first + i;
        first = first ? first : slot->parameter;
    }
    if (!without || atomic_flag_test_and_set(&warned))
        return;
    fa__warn(
        "fa_optim_step: %zu of %zu parameters had no gradient in %d steps, the first of them number %zu, of shape %s: "
        "fa_detach or .no_grad cuts them off, or the loss does not use them (frozen ones are not counted)",
        without, o->count, (int)FA__WATCHED_STEPS, number, fa__shape_write(fa_tensor_shape(first)).text);
}

static size_t actives(const fa_optim *o)
{
    size_t n = 0;
    FA__EACH_GROUP(g, o)
    n += g->actives;
    return n;
}

static bool step(fa_optim *o, fa_tensor *found)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    o->stepped = true;
    if ((fa_graph_recording() && !make_replayable(o)) || !groups_run(o, found))
        return false;
    const bool active = actives(o) > 0;
    if (active)
        o->idle_steps = -1;
    else if (o->idle_steps >= 0 && ++o->idle_steps == 2)
        warn_of_no_gradients();
    FA__EACH_GROUP(g, o)
    for (size_t i = 0; i < g->actives; i++) {
        fa__slot *slot = g->active[i];
        slot->step++;
        slot->fresh = false;
        fa__grad_was_used(slot->parameter, &slot->use);
        slot->synced = g->master && i >= g->plain;
        if (slot->synced)
            slot->ahead = ahead(slot);
        else /* of a time when it had one */
            fa__state_drop(&slot->state[FA__MASTER], slot->parameter);
    }
    if (active && o->watched_steps < FA__WATCHED_STEPS && ++o->watched_steps == FA__WATCHED_STEPS)
        warn_of_parameters_without(o);
    return true;
}

bool fa_optim_step(fa_optim *o)
{
    return fa__optim_check(o, "fa_optim_step") && !fa_error_stands() && step(o, NULL);
}

bool fa__optim_step_unless(fa_optim *o, fa_tensor *found)
{
    if (!fa_device_equal(fa_tensor_device(found), FA_CPU) || fa_graph_recording())
        return fa_optim_set_capturable(o, true) && step(o, found);
    double skip = fa_item(found);
    o->stepped = true;
    return !fa_error_stands() && (skip != 0 || step(o, NULL));
}

bool fa_optim_zero_grad(fa_optim *o)
{
    bool good = fa__optim_check(o, "fa_optim_zero_grad");
    for (fa__group *g = good ? o->group : NULL; g; g = g->next)
        for (size_t i = 0; good && i < g->count; i++)
            good = fa_set_grad(g->slot[i].parameter, NULL);
    return good;
}
