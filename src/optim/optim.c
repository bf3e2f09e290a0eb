/* Optimizers: what they hold, and the step: one program over all parameters that have a gradient. */
#include "optim/optim.h"
#include <facula/autograd.h>
#include <facula/creation.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <facula/to.h>
#include <facula/view.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void optim_destroy(void *object)
{
    fa_optim *o = object;
    for (size_t i = 0; i < o->count; i++) {
        fa__slot *slot = &o->slot[i];
        for (int k = 0; k < FA__MOST_STATES && slot->state[k]; k++) {
            fa_unfollow(slot->state[k], slot->parameter);
            fa_release(slot->state[k]);
        }
        fa_release(slot->parameter);
    }
}

static const fa_object_type optim_type = {"optimizer", optim_destroy};

static bool optim_check(const fa_optim *o, const char *who)
{
    if (fa_object_is(o, &optim_type))
        return true;
    return fa_fail(FA_ERROR_ARGUMENT, "%s: the optimizer is %s", who, o ? "none, or was freed" : "NULL");
}

/* ---- making ---- */

static bool parameter_is_good(const char *name, fa_parameters p, size_t i)
{
    const fa_tensor *t = p.item ? p.item[i] : NULL;
    if (!t)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: parameter %zu is NULL", name, i);
    if (fa_tensor_dtype(t) < FA_F16 || fa_tensor_dtype(t) > FA_F64)
        return fa_fail(FA_ERROR_DTYPE, "%s: parameter %zu is %s: only floating ones can be learned", name, i,
                       fa_dtype_name(fa_tensor_dtype(t)));
    if (!fa_is_leaf(t))
        return fa_fail(FA_ERROR_GRADIENT, "%s: parameter %zu is the result of an operation, not a leaf", name, i);
    for (size_t k = 0; k < i; k++)
        if (p.item[k] == t)
            return fa_fail(FA_ERROR_ARGUMENT, "%s: parameters %zu and %zu are the same tensor", name, k, i);
    return true;
}

static bool not_negative(const char *name, const char *option, double value)
{
    return value >= 0 || fa_fail(FA_ERROR_ARGUMENT, "%s: .%s is 0 or more, not %g", name, option, value);
}

fa_optim *fa__optim_new(const char *name, fa_parameters p, double lr, double weight_decay)
{
    if (!not_negative(name, "lr", lr) || !not_negative(name, "weight_decay", weight_decay))
        return NULL;
    if (!p.count) {
        fa_fail(FA_ERROR_ARGUMENT, "%s: there are no parameters", name);
        return NULL;
    }
    for (size_t i = 0; i < p.count; i++)
        if (!parameter_is_good(name, p, i))
            return NULL;
    size_t head = (sizeof(fa_optim) + 15) & ~(size_t)15, slots = p.count * sizeof(fa__slot);
    size_t lists = (2 + FA__MOST_STATES) * p.count * sizeof(fa_tensor *), active = p.count * sizeof(fa__slot *);
    fa_optim *o = fa_object_new(&optim_type, head + slots + lists + active);
    if (!o)
        return NULL;
    o->name = name;
    o->lr = lr;
    o->slot = (fa__slot *)(void *)((char *)o + head);
    o->list = (fa_tensor **)(void *)((char *)o + head + slots);
    o->active = (fa__slot **)(void *)((char *)o + head + slots + lists);
    for (; o->count < p.count; o->count++)
        o->slot[o->count].parameter = fa_keep(p.item[o->count]);
    return o;
}

void fa__optim_state(fa_optim *o, const char *name, const char *symbol)
{
    o->state[o->states++] = (fa__state){name, symbol};
}

void fa__optim_number(fa_optim *o, const char *name, double (*value)(const fa_optim *, int64_t step))
{
    o->number[o->numbers++] = (fa__number){.name = name, .value = value};
}

void fa__optim_constant(fa_optim *o, const char *name, double value)
{
    o->number[o->numbers++] = (fa__number){.name = name, .constant = value};
}

void fa__optim_text(fa_optim *o, const char *format, ...)
{
    size_t length = strlen(o->text);
    va_list list;
    va_start(list, format);
    vsnprintf(o->text + length, sizeof o->text - length, format, list);
    va_end(list);
}

void fa__optim_gradient(fa_optim *o, bool maximize, double weight_decay)
{
    fa__optim_text(o, "d = %sg%s; ", maximize ? "-" : "", weight_decay != 0 ? " + decay * p" : "");
    if (weight_decay != 0)
        fa__optim_constant(o, "decay", weight_decay);
}

/* ---- the step ---- */

/* Makes a state, which moves with its parameter from then on. */
static bool state_ready(fa_tensor **state, fa_tensor *parameter)
{
    if (*state)
        return true;
    fa_tensor *zeros = fa_zeros_like(parameter);
    if (!zeros || !fa_follow(zeros, parameter))
        return false;
    *state = fa_keep(zeros);
    return true;
}

/* Puts the parameters that have a gradient, their gradients and their states into the lists. Their number; -1 after an
 * error. */
static ptrdiff_t lists_fill(fa_optim *o)
{
    size_t n = 0;
    for (size_t i = 0; i < o->count; i++) {
        fa__slot *slot = &o->slot[i];
        fa_tensor *grad = fa_grad(slot->parameter);
        if (!grad)
            continue;
        o->active[n] = slot;
        o->list[n] = slot->parameter;
        o->list[o->count + n] = grad;
        for (int k = 0; k < o->states; k++) {
            if (!state_ready(&slot->state[k], slot->parameter))
                return -1;
            o->list[(size_t)(2 + k) * o->count + n] = slot->state[k];
        }
        n++;
    }
    return fa_error_stands() ? -1 : (ptrdiff_t)n;
}

/* A list in the innermost scope. */
typedef struct scratch {
    fa_object base;
    fa_tensor *item[];
} scratch;

static const fa_object_type scratch_type = {"list", NULL};

/* For the i-th of the active parameters. */
static double number_value(const fa_optim *o, const fa__number *number, size_t i)
{
    return number->value ? number->value(o, o->active[i]->step + 1) : number->constant;
}

/* A number that differs between parameters, because they have had different numbers of steps: as tensors of their
 * shapes, which are one element each. */
static fa_tensors number_list(const fa_optim *o, size_t n, const fa__number *number)
{
    fa_tensors none = {0};
    scratch *s = fa_object_new(&scratch_type, sizeof *s + n * sizeof *s->item);
    for (size_t i = 0; s && i < n; i++) {
        const fa_tensor *p = o->list[i];
        fa_dtype dtype = fa_tensor_dtype(p) == FA_F64 ? FA_F64 : FA_F32;
        double value = number_value(o, number, i);
        s->item[i] = fa_expand_as(fa_full(FA_SCALAR, value, .dtype = dtype, .device = fa_tensor_device(p)), p);
        if (!s->item[i])
            return none;
    }
    return s ? (fa_tensors){n, s->item} : none;
}

static bool bind_number(const fa_optim *o, size_t n, const fa__number *number, fa_binding *b)
{
    double value = number_value(o, number, 0);
    bool same = true;
    for (size_t i = 1; i < n; i++)
        same &= o->active[i]->step == o->active[0]->step || number_value(o, number, i) == value;
    *b = (fa_binding){.name = number->name, .number = fa__arg_f(value)};
    if (!same)
        b->tensors = number_list(o, n, number);
    return same || b->tensors.count;
}

bool fa_optim_step(fa_optim *o)
{
    enum { MOST = 2 + FA__MOST_STATES + FA__MOST_NUMBERS };
    if (!optim_check(o, "fa_optim_step") || fa_error_stands())
        return false;
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_binding binding[MOST];
    ptrdiff_t filled = lists_fill(o);
    if (filled <= 0)
        return filled == 0;
    size_t n = (size_t)filled, bound = 0;
    for (int k = 0; k < 2 + o->states; k++) {
        const char *name = k == 0 ? "p" : k == 1 ? "g" : o->state[k - 2].symbol;
        binding[bound++] = (fa_binding){.name = name, .tensors = {n, o->list + (size_t)k * o->count}};
    }
    for (int k = 0; k < o->numbers; k++)
        if (!bind_number(o, n, &o->number[k], &binding[bound++]))
            return false;
    if (!fa_update(o->text, bound, binding))
        return false;
    for (size_t i = 0; i < n; i++)
        o->active[i]->step++;
    return true;
}

bool fa_optim_zero_grad(fa_optim *o)
{
    bool good = optim_check(o, "fa_optim_zero_grad");
    for (size_t i = 0; good && i < o->count; i++)
        good = fa_set_grad(o->slot[i].parameter, NULL);
    return good;
}

/* ---- looking, and the rate ---- */

double fa_optim_lr(const fa_optim *o)
{
    return optim_check(o, "fa_optim_lr") ? o->lr : (double)NAN;
}

bool fa_optim_set_lr(fa_optim *o, double lr)
{
    if (!optim_check(o, "fa_optim_set_lr") || !not_negative("fa_optim_set_lr", "lr", lr))
        return false;
    o->lr = lr;
    return true;
}

fa_tensor *fa_optim_state(const fa_optim *o, const fa_tensor *parameter, const char *name)
{
    if (!optim_check(o, "fa_optim_state"))
        return NULL;
    for (int k = 0; name && k < o->states; k++)
        for (size_t i = 0; !strcmp(o->state[k].name, name) && i < o->count; i++)
            if (o->slot[i].parameter == parameter)
                return o->slot[i].state[k];
    fa_fail(FA_ERROR_ARGUMENT, "fa_optim_state: no \"%s\" is kept for this tensor", name ? name : "NULL");
    return NULL;
}
