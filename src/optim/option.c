/* Options of groups: read from the methods' structs, checked, looked up by name; and the programs generated from
 * them. */
#include "optim/optim.h"
#include <facula/error.h>
#include <facula/graph.h>
#include <facula/operations.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Ranges of options: at least `least`, and less than `below`. */
static const struct {
    double least, below;
    const char *text;
} limits[] = {
    [FA__NOT_NEGATIVE] = {0, INFINITY, "0 or more, and finite"},
    [FA__BELOW_ONE] = {0, 1, "0 or more, and below 1"},
    [FA__ANY_NUMBER] = {-INFINITY, INFINITY, "finite"},
    [FA__YES_OR_NO] = {0, 2, "0 or 1"},
};

int fa__option_count(const fa__method *m)
{
    int n = 0;
    while (m->option[n].name)
        n++;
    return n;
}

int fa__option_find(const fa__method *m, const char *name)
{
    for (int k = 0; name && m->option[k].name; k++)
        if (!strcmp(m->option[k].name, name))
            return k;
    return -1;
}

void fa__options_take(const fa__method *m, const void *options, double *option)
{
    for (int k = 0; m->option[k].name; k++) {
        const void *field = (const char *)options + m->option[k].offset;
        option[k] = m->option[k].limit == FA__YES_OR_NO ? *(const bool *)field : *(const double *)field;
    }
}

static bool option_is_good(const char *who, const fa__option *o, double value)
{
    bool good = value >= limits[o->limit].least && value < limits[o->limit].below && isfinite(value);
    if (o->limit == FA__YES_OR_NO)
        good = value == 0 || value == 1;
    return good || fa_fail(FA_ERROR_ARGUMENT, "%s: .%s is %s, not %g", who, o->name, limits[o->limit].text, value);
}

bool fa__options_check(const fa__method *m, const char *who, const double *option)
{
    for (int k = 0; m->option[k].name; k++)
        if (!option_is_good(who, &m->option[k], option[k]))
            return false;
    if (option[fa__option_find(m, "master_weights")] != 0 && option[fa__option_find(m, "stochastic_rounding")] != 0)
        return fa_fail(FA_ERROR_ARGUMENT,
                       "%s: .stochastic_rounding and .master_weights cannot be combined: master "
                       "weights need no other rounding",
                       who);
    return !m->check || m->check(who, option);
}

bool fa__state_is_used(const fa__group *g, int k)
{
    const fa__state *s = &g->method->state[k];
    return s->name && (!s->when || g->option[s->when] != 0);
}

/* Rounds the new value v of `name` to a multiple of u, the distance of bf16 numbers of its magnitude: down, after r has
 * been added, of which the digits are used that v has below u. */
static int write_rounding(char *to, size_t room, const char *name)
{
    return snprintf(to, room, "; u = exp2(maximum(exponent(%s), -125) - 8); %s = floor(%s / u + r) * u", name, name,
                    name);
}

/* Generates the program for low parameters. */
static void write_low(fa__group *g)
{
    char *at = g->low_text, *end = at + sizeof g->low_text;
    at += snprintf(at, (size_t)(end - at), g->master ? "%s; q = p" : "%s; r = floor(65536 * uniform(key)) / 65536",
                   g->text);
    if (g->master)
        return;
    at += write_rounding(at, (size_t)(end - at), "p");
    for (int k = 0; k < FA__METHOD_STATES; k++)
        if (fa__state_is_used(g, k))
            at += write_rounding(at, (size_t)(end - at), g->method->state[k].symbol);
}

void fa__group_set(fa__group *g, const double *option)
{
    memmove(g->option, option, sizeof g->option);
    g->text[0] = 0;
    g->numbers = 0;
    g->method->write(g);
    g->master = option[fa__option_find(g->method, "master_weights")] != 0;
    g->stochastic = option[fa__option_find(g->method, "stochastic_rounding")] != 0;
    write_low(g);
    if (fa__group_counts(g))
        g->method->write_count(g);
}

/* ---- generating programs ---- */

/* Whether this number is a counter on the device. */
static bool is_counter(const fa__group *g, const char *name)
{
    for (int k = 0; fa__group_counts(g) && k < FA__MOST_COUNTERS && g->method->counter[k]; k++)
        if (!strcmp(g->method->counter[k], name))
            return true;
    return false;
}

void fa__optim_number(fa__group *g, const char *name, double (*value)(const double *option, int64_t step, bool fresh))
{
    if (is_counter(g, name))
        return;
    g->number[g->numbers++] = (fa__number){.name = name, .value = value};
}

void fa__optim_constant(fa__group *g, const char *name, double value)
{
    g->number[g->numbers++] = (fa__number){.name = name, .constant = value};
}

void fa__optim_count_constant(fa__group *g, const char *name, double value)
{
    g->number[g->numbers++] = (fa__number){.name = name, .constant = value, .counting = true};
}

void fa__optim_rate(fa__group *g, double (*value)(const double *option, int64_t step, bool fresh))
{
    bool counts = is_counter(g, "rate_of_one");
    if (!g->lr && !counts) {
        fa__optim_number(g, "rate", value);
        return;
    }
    fa__optim_text(g, "rate = lr * rate_of_one; ");
    if (!g->lr)
        fa__optim_constant(g, "lr", g->option[0]);
    if (!counts)
        g->number[g->numbers++] = (fa__number){.name = "rate_of_one", .value = value, .of_one = true};
}

void fa__optim_text(fa__group *g, const char *format, ...)
{
    size_t length = strlen(g->text);
    va_list list;
    va_start(list, format);
    vsnprintf(g->text + length, sizeof g->text - length, format, list);
    va_end(list);
}

void fa__optim_gradient(fa__group *g, double maximize, double weight_decay)
{
    fa__optim_text(g, "d = %sg%s; ", maximize != 0 ? "-" : "", weight_decay != 0 ? " + decay * p" : "");
    if (weight_decay != 0)
        fa__optim_constant(g, "decay", weight_decay);
}

void fa__optim_mean(fa__group *g, double keep)
{
    bool most = keep > 0.5;
    fa__optim_text(g, most ? "m = m + gain * (d - m); " : "m = d - kept * (d - m); ");
    fa__optim_constant(g, most ? "gain" : "kept", most ? 1 - keep : keep);
}

/* ---- reading and setting options ---- */

/* The number of an option; -1 and an error if there is none. */
static int option_named(const fa_optim *o, const char *who, const char *name)
{
    int k = fa__option_find(o->method, name);
    if (k < 0)
        fa_fail(FA_ERROR_ARGUMENT, "%s: %s has no option \"%s\"", who, o->method->name, name ? name : "NULL");
    return k;
}

double fa_optim_option(const fa_optim *o, int group, const char *name)
{
    const fa__group *g = fa__optim_group(o, "fa_optim_option", group);
    int k = g ? option_named(o, "fa_optim_option", name) : -1;
    return k < 0 ? (double)NAN : g->option[k];
}

/* Where the learning rate stands in a tensor: neither a copy nor a wait. */
static bool lr_write(const fa__group *g, double value)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    return fa_copy_(g->lr, value) != NULL;
}

static bool group_change(fa__group *g, const char *who, int k, double value)
{
    double option[FA__MOST_OPTIONS];
    if (fa_graph_recording())
        return fa_fail(FA_ERROR_STATE, "%s: this cannot be recorded in a graph: a replay would not set .%s", who,
                       g->method->option[k].name);
    memcpy(option, g->option, sizeof option);
    option[k] = value;
    if (!fa__options_check(g->method, who, option))
        return false;
    if (k == 0 && g->lr && !lr_write(g, value))
        return false;
    fa__group_set(g, option);
    return true;
}

bool fa_optim_set_option(fa_optim *o, int group, const char *name, double value)
{
    fa__group *g = fa__optim_group(o, "fa_optim_set_option", group);
    int k = g ? option_named(o, "fa_optim_set_option", name) : -1;
    return k >= 0 && group_change(g, "fa_optim_set_option", k, value);
}

double fa_optim_lr(const fa_optim *o)
{
    return fa__optim_check(o, "fa_optim_lr") ? o->group->option[0] : (double)NAN;
}

bool fa_optim_set_lr(fa_optim *o, double lr)
{
    bool good = fa__optim_check(o, "fa_optim_set_lr");
    for (fa__group *g = good ? o->group : NULL; g && good; g = g->next)
        good = group_change(g, "fa_optim_set_lr", 0, lr);
    return good;
}

bool fa_optim_set_lr_tensor(fa_optim *o, int group, fa_tensor *lr)
{
    const char *who = "fa_optim_set_lr_tensor";
    fa__group *g = fa__optim_group(o, who, group);
    if (!g)
        return false;
    if (lr && (fa_tensor_shape(lr).rank || !fa_dtype_is_floating(fa_tensor_dtype(lr))))
        return fa_fail(FA_ERROR_ARGUMENT, "%s: the learning rate is a floating tensor without dimensions", who);
    if (fa_error_stands())
        return false;
    fa_tensor *before = g->lr;
    g->lr = lr ? fa__hold(lr) : NULL;
    if (before)
        fa__unhold(before);
    fa__group_set(g, g->option);
    return true;
}

bool fa_optim_set_capturable(fa_optim *o, bool capturable)
{
    if (!fa__optim_check(o, "fa_optim_set_capturable") || fa_error_stands())
        return false;
    if (!capturable && !fa__optim_read_counts(o))
        return false;
    for (fa__group *g = o->capturable == capturable ? NULL : o->group; g; g = g->next) {
        g->capturable = capturable;
        for (size_t i = 0; !capturable && i < g->count; i++)
            fa__counters_drop(&g->slot[i]);
        fa__group_set(g, g->option);
    }
    o->capturable = capturable;
    return true;
}
