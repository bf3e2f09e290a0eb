/* Code shared by all kinds of meters. Each kind is a table of functions on a sum that stays on the device. */
#include "train/meter.h"
#include <facula/device.h>
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <math.h>

static void meter_destroy(void *object)
{
    fa__unhold(((fa_meter *)object)->sum);
}

static const fa_object_type meter_type = {"meter", meter_destroy};

fa_meter *fa__meter_new(const fa__meter_kind *kind)
{
    fa_meter *m = fa_object_new(&meter_type, sizeof *m);
    if (m)
        m->kind = kind;
    return m;
}

static bool meter_check(const fa_meter *m, const char *who)
{
    return fa__object_check(m, &meter_type, who);
}

void fa__meter_holds(fa_meter *m, fa_tensor *sum)
{
    fa__hold(sum);
    fa__unhold(m->sum);
    m->sum = sum;
}

/* Checks that the options are valid for this kind of meter. */
static bool options_fit(const fa_meter *m, const fa_meter_update_options *o)
{
    const char *name = m->kind->name;
    if (m->kind->classes && !o->target)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_meter_update: a meter of %s needs a .target", name);
    if (!m->kind->classes && o->target)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_meter_update: a meter of %s takes no .target", name);
    if (m->kind->classes && o->count != 1)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_meter_update: a meter of %s takes no .count: each target counts once",
                       name);
    return (o->count >= 0 && isfinite(o->count))
           || fa_fail(FA_ERROR_ARGUMENT, "fa_meter_update: .count is a number from 0 on, not %g", o->count);
}

/* The device of the sum, or where this value will create it; operations are placed there. */
static fa_device place_of(const fa_meter *m, fa_arg value)
{
    const fa_tensor *there = m->sum ? m->sum : value.kind == FA__ARG_TENSOR ? fa__tensor_in(value) : NULL;
    return there ? fa_tensor_device(there) : FA_CPU;
}

/* Checks that a value is on the device of the sum. */
static bool place_fits(const fa_meter *m, fa_arg value)
{
    if (value.kind != FA__ARG_TENSOR)
        return true;
    if (!fa__tensor_in(value))
        return fa_fail(FA_ERROR_ARGUMENT, "fa_meter_update: the value is NULL");
    fa_device here = fa_tensor_device(fa__tensor_in(value)), there = place_of(m, value);
    return fa_device_equal(here, there)
           || fa_fail(
               FA_ERROR_DEVICE,
               "fa_meter_update: the value is on %s, those before were on %s, until fa_meter_reset() begins anew",
               fa_device_name(here), fa_device_name(there));
}

bool(fa_meter_update)(fa_meter *meter, fa_arg value, const fa_meter_update_options *options)
{
    fa_meter_update_options o = FA__DEFAULT_fa_meter_update;
    fa__options_read(&o, o.size, options);
    if (!meter_check(meter, "fa_meter_update") || fa_error_stands())
        return false;
    if (!options_fit(meter, &o) || !place_fits(meter, value))
        return false;
    FA_SCOPE;
    FA_USE(.device = place_of(meter, value), .no_grad = true, .autocast = FA_SAME);
    return meter->kind->update(meter, value, &o);
}

double fa_meter_value(const fa_meter *meter)
{
    if (!meter_check(meter, "fa_meter_value") || fa_error_stands())
        return NAN;
    FA_SCOPE;
    FA_USE(.no_grad = true);
    return meter->sum ? meter->kind->value(meter) : NAN;
}

fa_tensor *fa_meter_tensor(const fa_meter *meter)
{
    if (!meter_check(meter, "fa_meter_tensor"))
        return NULL;
    FA_SCOPE;
    FA_USE(.device = place_of(meter, fa__arg_f(0)), .no_grad = true, .autocast = FA_SAME);
    return fa_escape(meter->sum ? meter->kind->tensor(meter) : fa_full(FA_SCALAR, NAN, .device = FA_CPU));
}

bool fa_meter_reset(fa_meter *meter)
{
    if (!meter_check(meter, "fa_meter_reset"))
        return false;
    fa__meter_holds(meter, NULL);
    return true;
}

fa_tensor *fa_meter_table(const fa_meter *meter)
{
    if (!meter_check(meter, "fa_meter_table"))
        return NULL;
    if (!meter->kind->table) {
        fa_fail(FA_ERROR_ARGUMENT, "fa_meter_table: a meter of %s has no table", meter->kind->name);
        return NULL;
    }
    FA_SCOPE;
    FA_USE(.device = place_of(meter, fa__arg_f(0)), .no_grad = true);
    return fa_escape(meter->kind->table(meter));
}
