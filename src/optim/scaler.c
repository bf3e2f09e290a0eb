/* Gradient scaling for mixed precision. The scale, the number of updates since it changed, and whether gradients were
 * finite are 0-dimensional f32 tensors, so that no call waits for a device. The number is in two of them: f32 has all
 * numbers up to 2^24 only, and not all devices have f64. */
#include "optim/dict.h"
#include "optim/optim.h"
#include <facula/amp.h>
#include <facula/autograd.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/graph.h>
#include <facula/operations.h>
#include <facula/tensor.h>
#include <float.h>
#include <math.h>

#define LOW_DIGIT 0x1p24
#define MOST_UPDATES 0x1p48

/* What was done with an optimizer since the last update of the scale. */
typedef struct record {
    fa_object base;
    struct record *next;
    fa_optim *optim;
    fa_tensor *found; /* 1 if a gradient was not finite, else 0; on the device of the first gradient */
    bool stepped;
} record;

struct fa_scaler {
    fa_object base;
    double growth_factor, backoff_factor, min_scale;
    int64_t growth_interval;
    bool enabled;
    bool (*agree)(void *context, fa_tensor *found); /* NULL: this process decides alone */
    void *context;                                  /* a reference, or NULL */
    double first_scale, first_tracker;              /* values of the tensors below when they are created */
    fa_tensor *scale;                               /* on the device of the first loss; NULL before it */
    fa_tensor *tracker, *turns;                     /* likewise; the number of updates is turns * LOW_DIGIT + tracker */
    record *records;
};

static void record_destroy(void *object)
{
    record *r = object;
    fa__unhold(r->optim);
    fa__unhold(r->found);
}

static void records_drop(fa_scaler *s)
{
    for (record *r = s->records, *next; r; r = next) {
        next = r->next;
        fa__unhold(r);
    }
    s->records = NULL;
}

static void scaler_destroy(void *object)
{
    fa_scaler *s = object;
    records_drop(s);
    fa__unhold(s->scale);
    fa__unhold(s->tracker);
    fa__unhold(s->turns);
    fa__unhold(s->context);
}

static const fa_object_type record_type = {"record of a scaler", record_destroy};
static const fa_object_type scaler_type = {"scaler", scaler_destroy};

static bool is_scaler(const fa_scaler *s, const char *who)
{
    return fa__object_check(s, &scaler_type, who);
}

/* ---- creation ---- */

/* On the device it is an f32; of a subnormal one, 1 / scale may be infinite. */
static bool is_scale(double value)
{
    return value >= (double)FLT_MIN && value <= (double)FLT_MAX;
}

static bool scale_is_good(const char *who, const char *name, double scale)
{
    return is_scale(scale)
           || fa_fail(FA_ERROR_ARGUMENT, "%s: %s is between 1.2e-38 and 3.4e38, not %g", who, name, scale);
}

static bool growth_is_good(const char *who, const char *name, double factor)
{
    return (factor <= (double)FLT_MAX && (float)factor > 1)
           || fa_fail(FA_ERROR_ARGUMENT, "%s: %s is more than 1, and finite, in f32, not %.10g", who, name, factor);
}

static bool backoff_is_good(const char *who, const char *name, double factor)
{
    return ((float)factor > 0 && (float)factor < 1)
           || fa_fail(FA_ERROR_ARGUMENT, "%s: %s is between 0 and 1 in f32, not %.10g", who, name, factor);
}

static bool is_count(double n)
{
    return n >= 0 && n <= MOST_UPDATES && n == floor(n);
}

static bool interval_is_good(const char *who, const char *name, double interval)
{
    return (is_count(interval) && interval >= 1)
           || fa_fail(FA_ERROR_ARGUMENT, "%s: %s is a whole number from 1 to 2^48, not %.17g", who, name, interval);
}

/* The five numbers, under the names that they have where they were given. */
static bool numbers_are_good(const char *who, const char *const name[5], const fa_scaler *s, double scale,
                             double interval)
{
    return scale_is_good(who, name[0], scale) && growth_is_good(who, name[1], s->growth_factor)
           && backoff_is_good(who, name[2], s->backoff_factor) && interval_is_good(who, name[3], interval)
           && scale_is_good(who, name[4], s->min_scale);
}

fa_scaler *(fa_amp_scaler)(const fa_amp_scaler_options *options)
{
    fa_amp_scaler_options o = FA__DEFAULT_fa_amp_scaler;
    fa__options_read(&o, o.size, options);
    fa_scaler *s = fa_error_stands() ? NULL : fa_object_new(&scaler_type, sizeof *s);
    if (!s)
        return NULL;
    s->growth_factor = o.growth_factor;
    s->backoff_factor = o.backoff_factor;
    s->growth_interval = o.growth_interval;
    s->min_scale = o.min_scale;
    s->enabled = o.enabled;
    s->first_scale = o.init_scale;
    static const char *const names[] = {".init_scale", ".growth_factor", ".backoff_factor", ".growth_interval",
                                        ".min_scale"};
    return numbers_are_good("fa_amp_scaler", names, s, o.init_scale, (double)o.growth_interval) ? s : NULL;
}

bool fa__scaler_agree(fa_scaler *s, bool (*agree)(void *context, fa_tensor *found), void *context)
{
    if (!is_scaler(s, "fa__scaler_agree"))
        return false;
    fa__unhold(s->context);
    s->context = agree ? fa__hold(context) : NULL;
    s->agree = agree;
    return true;
}

bool fa_scaler_is_enabled(const fa_scaler *s)
{
    return is_scaler(s, "fa_scaler_is_enabled") && s->enabled;
}

double fa_scaler_get_scale(const fa_scaler *s)
{
    if (!is_scaler(s, "fa_scaler_get_scale"))
        return (double)NAN;
    if (!s->enabled)
        return 1;
    return s->scale ? fa_item(s->scale) : s->first_scale;
}

/* ---- its numbers ---- */

double fa_scaler_get_growth_factor(const fa_scaler *s)
{
    return is_scaler(s, "fa_scaler_get_growth_factor") ? s->growth_factor : (double)NAN;
}

bool fa_scaler_set_growth_factor(fa_scaler *s, double factor)
{
    const char *who = "fa_scaler_set_growth_factor";
    bool good = is_scaler(s, who) && !fa_error_stands() && growth_is_good(who, "the factor", factor);
    if (good)
        s->growth_factor = factor;
    return good;
}

double fa_scaler_get_backoff_factor(const fa_scaler *s)
{
    return is_scaler(s, "fa_scaler_get_backoff_factor") ? s->backoff_factor : (double)NAN;
}

bool fa_scaler_set_backoff_factor(fa_scaler *s, double factor)
{
    const char *who = "fa_scaler_set_backoff_factor";
    bool good = is_scaler(s, who) && !fa_error_stands() && backoff_is_good(who, "the factor", factor);
    if (good)
        s->backoff_factor = factor;
    return good;
}

int64_t fa_scaler_get_growth_interval(const fa_scaler *s)
{
    return is_scaler(s, "fa_scaler_get_growth_interval") ? s->growth_interval : 0;
}

bool fa_scaler_set_growth_interval(fa_scaler *s, int64_t interval)
{
    const char *who = "fa_scaler_set_growth_interval";
    bool good = is_scaler(s, who) && !fa_error_stands() && interval_is_good(who, "the interval", (double)interval);
    if (good)
        s->growth_interval = interval;
    return good;
}

/* ---- scaling ---- */

static fa_tensor *number_on(fa_device device, double value)
{
    FA_UNRECORDED;
    fa_tensor *made = fa_full(FA_SCALAR, value, .dtype = FA_F32, .device = device);
    return made ? fa__hold(made) : NULL;
}

static bool tensors_ready(fa_scaler *s, fa_device device)
{
    if (!s->scale)
        s->scale = number_on(device, s->first_scale);
    if (s->scale && !s->tracker)
        s->tracker = number_on(device, fmod(s->first_tracker, LOW_DIGIT));
    if (s->tracker && !s->turns)
        s->turns = number_on(device, floor(s->first_tracker / LOW_DIGIT));
    return s->turns != NULL;
}

fa_tensor *fa_scaler_scale(fa_scaler *s, fa_tensor *loss)
{
    const char *who = "fa_scaler_scale";
    if (!is_scaler(s, who) || fa_error_stands())
        return NULL;
    if (!loss || !fa_dtype_is_floating(fa_tensor_dtype(loss))) {
        fa_fail(FA_ERROR_ARGUMENT, "%s: the loss has to be a floating tensor, not %s", who,
                loss ? fa_dtype_name(fa_tensor_dtype(loss)) : "NULL");
        return NULL;
    }
    if (!s->enabled)
        return loss;
    FA_SCOPE;
    FA_USE(.placement = FA_PLACE_STRICT);
    fa_device device = fa_tensor_device(loss);
    fa_tensor *scaled = tensors_ready(s, device) ? fa_mul(loss, fa_to(s->scale, device)) : NULL;
    return scaled ? fa_escape(scaled) : NULL;
}

/* ---- unscaling ---- */

/* The gradients of an optimizer, and for each of them what is computed from it; in the innermost scope. */
typedef struct gradients {
    fa_object base;
    size_t count;
    fa_tensor **grad, **inverse, **largest;
} gradients;

static const fa_object_type gradients_type = {"list", NULL};

static gradients *gradients_new(size_t most)
{
    gradients *l = fa_object_new(&gradients_type, sizeof *l + 3 * most * sizeof(fa_tensor *));
    if (l) {
        l->grad = (fa_tensor **)(void *)(l + 1);
        l->inverse = l->grad + most;
        l->largest = l->inverse + most;
    }
    return l;
}

static gradients *gradients_of(const char *who, const fa_optim *o)
{
    gradients *l = gradients_new(o->count);
    size_t number = 0;
    for (const fa__group *g = o->group; l && g; g = g->next)
        for (size_t i = 0; i < g->count; i++, number++) {
            fa_tensor *grad = fa_grad(g->slot[i].parameter);
            if (grad && fa_tensor_dtype(grad) == FA_F16) {
                fa_fail(FA_ERROR_DTYPE,
                        "%s: the gradient of parameter %zu is f16: keep parameters in f32 and let .autocast convert "
                        "them",
                        who, number);
                return NULL;
            }
            if (grad && fa_numel(grad))
                l->grad[l->count++] = grad;
        }
    if (l && !l->count)
        fa_fail(FA_ERROR_ARGUMENT, "%s: no parameter of the optimizer has a gradient: call fa_backward() before", who);
    return fa_error_stands() ? NULL : l;
}

/* Fills the lists of inverse scales and of largest absolute values. */
static bool look_at(const fa_scaler *s, gradients *l)
{
    fa_tensor *inverse = fa_div(1, s->scale);
    for (size_t i = 0; i < l->count && !fa_error_stands(); i++) {
        fa_device device = fa_tensor_device(l->grad[i]);
        bool again = i && fa_device_equal(device, fa_tensor_device(l->grad[i - 1]));
        l->inverse[i] = again ? l->inverse[i - 1] : fa_to(inverse, device);
        l->largest[i] = fa_to(fa_norm(l->grad[i], .p = INFINITY), fa_tensor_device(l->grad[0]));
    }
    return !fa_error_stands();
}

static bool unscale(const fa_scaler *s, const char *who, record *r)
{
    FA_SCOPE;
    FA_USE(.no_grad = true, .placement = FA_PLACE_STRICT, .autocast = FA_SAME);
    gradients *l = gradients_of(who, r->optim);
    if (!l || !look_at(s, l))
        return false;
    const fa_tensors all = {l->count, l->largest};
    fa_tensor *largest = fa_stack(all);
    fa_tensor *found = fa_to(fa_amax(fa_pointwise("x - x == 0 ? 0 : 1", largest)), FA_F32);
    if (s->agree && !s->agree(s->context, found))
        return false;
    const fa_binding names[] = {FA_BIND("g", ((fa_tensors){l->count, l->grad})),
                                FA_BIND("inverse", ((fa_tensors){l->count, l->inverse}))};
    if (!found || !fa_update("g = g * inverse", 2, names))
        return false;
    r->found = fa__hold(found);
    return true;
}

/* ---- records ---- */

static record *record_of(const fa_scaler *s, const fa_optim *o)
{
    record *r = s->records;
    while (r && r->optim != o)
        r = r->next;
    return r;
}

/* Unscales the gradients of an optimizer that has no record yet. */
static record *record_new(fa_scaler *s, const char *who, fa_optim *o)
{
    if (!s->scale) {
        fa_fail(FA_ERROR_ARGUMENT, "%s: no loss was scaled yet: call fa_backward(fa_scaler_scale(scaler, loss))", who);
        return NULL;
    }
    FA_SCOPE;
    record *r = fa_object_new(&record_type, sizeof *r);
    if (!r)
        return NULL;
    r->optim = fa__hold(o);
    if (!unscale(s, who, r))
        return NULL;
    r->next = s->records;
    return s->records = fa__hold(r);
}

static bool arguments_are_good(const fa_scaler *s, const fa_optim *o, const char *who)
{
    return is_scaler(s, who) && fa__optim_check(o, who) && !fa_error_stands();
}

bool fa_scaler_unscale(fa_scaler *s, fa_optim *o)
{
    const char *who = "fa_scaler_unscale";
    if (!arguments_are_good(s, o, who))
        return false;
    if (!s->enabled)
        return true;
    const record *r = record_of(s, o);
    if (r)
        return fa_fail(FA_ERROR_STATE, "%s: %s", who,
                       r->stepped ? "fa_scaler_step() was called for this optimizer since the last fa_scaler_update(): "
                                    "unscale before the step"
                                  : "the gradients of this optimizer were already unscaled: call it once between two "
                                    "fa_scaler_update(), after the last fa_backward()");
    return record_new(s, who, o) != NULL;
}

bool fa_scaler_step(fa_scaler *s, fa_optim *o)
{
    const char *who = "fa_scaler_step";
    if (!arguments_are_good(s, o, who))
        return false;
    if (!s->enabled)
        return fa_optim_step(o);
    record *r = record_of(s, o);
    if (r && r->stepped)
        return fa_fail(
            FA_ERROR_STATE,
            "%s: it was already called for this optimizer since the last fa_scaler_update(): call that after "
            "the steps of all optimizers",
            who);
    if (!r && !(r = record_new(s, who, o)))
        return false;
    r->stepped = fa__optim_step_unless(o, r->found);
    return r->stepped;
}

/* ---- updating the scale ---- */

static const char update_text[] =
    "t = found > 0 ? 0 : t + 1; u = found > 0 ? 0 : (t < digit ? u : u + 1); t = t < digit ? t : 0; "
    "due = u < high ? 0 : (u > high ? 1 : (t < low ? 0 : 1)); grown = due > 0 ? s * growth : s; "
    "s = found > 0 ? maximum(s * backoff, minimum(s, least)) : (grown - grown == 0 ? grown : s); "
    "t = due > 0 ? 0 : t; u = due > 0 ? 0 : u";

/* Whether any gradient was not finite, on the scale's device. */
static fa_tensor *found_by_any(const fa_scaler *s)
{
    fa_tensor *any = NULL;
    for (const record *r = s->records; r; r = r->next) {
        fa_tensor *found = fa_to(r->found, fa_tensor_device(s->scale));
        any = any ? fa_maximum(any, found) : found;
    }
    return any;
}

static bool scale_set(fa_scaler *s, double value)
{
    s->first_scale = value;
    return !s->scale || fa_copy_(s->scale, value);
}

static bool scale_adjust(fa_scaler *s)
{
    fa_tensor *found = found_by_any(s);
    if (!found)
        return fa_fail(FA_ERROR_STATE,
                       "fa_scaler_update: no fa_scaler_step() or fa_scaler_unscale() came before it: call "
                       "it once, after the steps of all optimizers");
    const fa_binding names[] = {FA_BIND("s", FA_TENSORS(s->scale)),
                                FA_BIND("t", FA_TENSORS(s->tracker)),
                                FA_BIND("found", found),
                                FA_BIND("u", FA_TENSORS(s->turns)),
                                FA_BIND("digit", LOW_DIGIT),
                                FA_BIND("low", fmod((double)s->growth_interval, LOW_DIGIT)),
                                FA_BIND("high", floor((double)s->growth_interval / LOW_DIGIT)),
                                FA_BIND("growth", s->growth_factor),
                                FA_BIND("backoff", s->backoff_factor),
                                FA_BIND("least", s->min_scale)};
    return fa_update(update_text, sizeof names / sizeof *names, names);
}

bool(fa_scaler_update)(fa_scaler *s, const fa_scaler_update_options *options)
{
    const char *who = "fa_scaler_update";
    fa_scaler_update_options o = FA__DEFAULT_fa_scaler_update;
    fa__options_read(&o, o.size, options);
    if (!is_scaler(s, who) || fa_error_stands())
        return false;
    if (o.new_scale != 0 && !scale_is_good(who, ".new_scale", o.new_scale))
        return false;
    if (!s->enabled)
        return true;
    FA_SCOPE;
    FA_USE(.no_grad = true, .placement = FA_PLACE_STRICT, .autocast = FA_SAME);
    if (!(o.new_scale > 0 ? scale_set(s, o.new_scale) : scale_adjust(s)))
        return false;
    records_drop(s);
    return true;
}

/* ---- state: nothing where the scaler is not enabled, as in PyTorch ---- */

static bool none_visit(fa__dict *a, void *object)
{
    (void)a, (void)object;
    return true;
}

static bool numbers_visit(fa__dict *a, void *object)
{
    fa_scaler *s = object, to = *s;
    if (a->from && !a->from->numbers.count)
        return fa_fail(FA_ERROR_ARGUMENT,
                       "%s: the state is that of a scaler that was not enabled, which has no numbers: load it into one "
                       "with .enabled = false, or go on with the scale that this one has",
                       a->who);
    double scale = s->first_scale, interval = (double)s->growth_interval, tracker = s->first_tracker;
    bool good = fa__dict_number(a, &scale, "scale") && fa__dict_number(a, &to.growth_factor, "growth_factor")
                && fa__dict_number(a, &to.backoff_factor, "backoff_factor")
                && fa__dict_number(a, &interval, "growth_interval") && fa__dict_number(a, &to.min_scale, "min_scale")
                && fa__dict_number(a, &tracker, "growth_tracker");
    static const char *const names[] = {"\"scale\"", "\"growth_factor\"", "\"backoff_factor\"", "\"growth_interval\"",
                                        "\"min_scale\""};
    if (!good || !a->from)
        return good;
    if (!is_count(tracker))
        return fa_fail(FA_ERROR_ARGUMENT, "%s: \"growth_tracker\" is a whole number from 0 to 2^48, not %.17g", a->who,
                       tracker);
    if (!a->commit)
        return numbers_are_good(a->who, names, &to, scale, interval);
    s->growth_factor = to.growth_factor;
    s->backoff_factor = to.backoff_factor;
    s->growth_interval = (int64_t)interval;
    s->min_scale = to.min_scale;
    s->first_scale = scale;
    s->first_tracker = tracker;
    return true;
}

/* Copies the two tensors' values to the host; they are created from these again. */
static bool numbers_read(fa_scaler *s)
{
    if (!s->scale)
        return true;
    double scale = fa_item(s->scale), tracker = fa_item(s->turns) * LOW_DIGIT + fa_item(s->tracker);
    if (fa_error_stands())
        return false;
    s->first_scale = scale;
    s->first_tracker = tracker;
    return true;
}

fa_state_dict fa_scaler_state_dict(const fa_scaler *scaler)
{
    fa_scaler *s = (fa_scaler *)(uintptr_t)scaler;
    fa_state_dict none = fa__dict_none();
    if (!is_scaler(s, "fa_scaler_state_dict") || fa_error_stands() || !numbers_read(s))
        return none;
    return fa__dict_write("fa_scaler_state_dict", "scaler", s->enabled ? numbers_visit : none_visit, s);
}

bool fa_scaler_load_state_dict(fa_scaler *s, const fa_state_dict *state)
{
    const char *who = "fa_scaler_load_state_dict";
    if (!is_scaler(s, who))
        return false;
    if (!s->enabled)
        return fa__dict_read(who, "scaler", &(fa_state_dict){.kind = state ? state->kind : NULL}, none_visit, s);
    if (!fa__dict_read(who, "scaler", state, numbers_visit, s))
        return false;
    fa__unhold(s->scale);
    fa__unhold(s->tracker);
    fa__unhold(s->turns);
    s->scale = s->tracker = s->turns = NULL;
    records_drop(s);
    return true;
}
