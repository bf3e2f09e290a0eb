/* Progress bars: their values, which are copied from devices asynchronously. Drawing is in draw.c. */
#include "train/progress.h"
#include <facula/autograd.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <math.h>
#include <string.h>
#include <time.h>

static const double often = 0.1, seldom = 10; /* time in seconds */

static void progress_destroy(void *object)
{
    fa_progress *bar = object;
    fa__progress_end_line(bar);
    for (int i = 0; i < bar->values; i++) {
        fa__unhold(bar->value[i].copy);
        fa__unhold(bar->value[i].arrival);
    }
}

static const fa_object_type progress_type = {"progress bar", progress_destroy};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

fa_progress *(fa_progress_new)(int64_t total, const fa_progress_new_options *options)
{
    fa_progress_new_options o = FA__DEFAULT_fa_progress_new;
    fa__options_read(&o, o.size, options);
    if (!(o.interval >= 0)) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_progress_new: .interval is seconds, 0 or more, not %g", o.interval);
        return NULL;
    }
    fa_progress *bar = fa_object_new(&progress_type, sizeof *bar);
    if (!bar)
        return NULL;
    bar->total = total > 0 ? total : 0;
    bar->file = o.quiet ? NULL : o.file ? o.file : stderr;
    bar->terminal = bar->file && fa__progress_is_terminal(bar->file);
    bar->interval = o.interval > 0 ? o.interval : bar->terminal ? often : seldom;
    bar->begun = now();
    bar->drawn = bar->terminal ? -INFINITY : bar->begun;
    snprintf(bar->label, sizeof bar->label, "%s", o.label ? o.label : "");
    return bar;
}

/* ---- values ---- */

/* The value with this name, created if it does not exist; NULL and an error if there are too many. */
static fa__progress_value *value_named(fa_progress *bar, const char *name)
{
    fa__progress_value *v = bar->value;
    for (int i = 0; i < bar->values; i++, v++)
        if (!strncmp(v->name, name, sizeof v->name - 1))
            return v;
    if (bar->values == FA_MAX_PROGRESS_VALUES) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_progress_tick: \"%s\" is one value too many: a bar shows %d", name,
                FA_MAX_PROGRESS_VALUES);
        return NULL;
    }
    bar->values++;
    snprintf(v->name, sizeof v->name, "%s", name);
    v->shown = NAN;
    return v;
}

/* Takes over a copy that has arrived. */
static void value_arrive(fa__progress_value *v)
{
    if (!v->copy || !fa_event_done(v->arrival))
        return;
    v->shown = fa_item(v->copy);
    v->known = true;
    fa__unhold(v->copy);
    v->copy = NULL;
}

/* Starts a copy of a tensor to the host; the event marks its arrival. */
static bool value_send(fa__progress_value *v, const fa_tensor *t)
{
    FA_USE(.device = fa_tensor_device(t), .stream = NULL, .no_grad = true);
    if (!v->arrival && !(v->arrival = fa__hold(fa_event_new())))
        return false;
    fa_tensor *copy = fa_to(t, FA_CPU, .non_blocking = true);
    if (!copy || !fa_event_record(v->arrival, NULL))
        return false;
    v->copy = fa__hold(copy);
    return true;
}

static bool value_is_single(const fa_tensor *t, const char *name)
{
    if (!t)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_progress_tick: \"%s\" is NULL", name);
    return fa_numel(t) == 1
           || fa_fail(FA_ERROR_SHAPE, "fa_progress_tick: \"%s\" has %lld elements, not one", name,
                      (long long)fa_numel(t));
}

static bool value_take(fa__progress_value *v, fa_arg a)
{
    if (a.kind != FA__ARG_TENSOR) {
        v->shown = a.kind == FA__ARG_FLOAT ? fa__double_in(a) : (double)fa__int_in(a);
        return v->known = true;
    }
    bool here = fa_device_equal(fa_tensor_device(fa__tensor_in(a)), FA_CPU);
    if (v->copy || (!here && fa__settings().forbid & FA_TRANSFER))
        return true;
    if (!value_send(v, fa__tensor_in(a)))
        return false;
    value_arrive(v);
    return !fa_error_stands();
}

/* ---- ticks ---- */

static bool args_are_valid(size_t count, const fa__tick *args)
{
    bool good = count % 2;
    for (size_t i = 0; good && i < count; i++)
        good = !args[i].bar == (i > 0) && !args[i].name == !(i % 2);
    return good || fa_fail(FA_ERROR_ARGUMENT, "fa_progress_tick: a bar comes first, then names and values in turn");
}

/* Also called for ticks that draw nothing, so that errors are reported where they occur. */
static bool values_are_good(fa_progress *bar, size_t count, const fa__tick *args)
{
    for (size_t i = 1; i + 1 < count; i += 2) {
        const fa_arg *a = &args[i + 1].value;
        if (!value_named(bar, args[i].name)
            || (a->kind == FA__ARG_TENSOR && !value_is_single(fa__tensor_in(*a), args[i].name)))
            return false;
    }
    return true;
}

static bool values_take(fa_progress *bar, size_t count, const fa__tick *args)
{
    for (size_t i = 1; i + 1 < count; i += 2) {
        fa__progress_value *v = value_named(bar, args[i].name);
        if (!v || !value_take(v, args[i + 1].value))
            return false;
    }
    return true;
}

static bool update(fa_progress *bar, size_t count, const fa__tick *args)
{
    double time = now();
    bool last = bar->done == bar->total;
    if (!bar->file || (!last && time - bar->drawn < bar->interval))
        return true;
    for (int i = 0; i < bar->values; i++)
        value_arrive(&bar->value[i]);
    if (fa_error_stands() || !values_take(bar, count, args))
        return false;
    fa__progress_draw(bar, time);
    return true;
}

bool fa__progress_tick(size_t count, const fa__tick *args)
{
    fa_progress *bar = count ? args[0].bar : NULL;
    if (!fa__object_check(bar, &progress_type, "fa_progress_tick") || !bar)
        return false;
    FA_SCOPE;
    bar->done++;
    if (!fa_error_stands() && args_are_valid(count, args) && values_are_good(bar, count, args)
        && update(bar, count, args))
        return true;
    fa__progress_end_line(bar);
    return false;
}

void fa_progress_clear(fa_progress *bar)
{
    if (fa_object_is(bar, &progress_type))
        fa__progress_wipe(bar);
}
