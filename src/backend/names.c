/* Names of devices: parsed, listed in errors, and which device is the best or the current one. */
#include "backend/registry.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "core/context.h"
#include "core/dtype.h"
#include <facula/tensor.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    bool numbered;
} kinds[FA__BACKENDS] = {
    [FA__CPU] = {"cpu", false},   [FA__CUDA] = {"cuda", true}, [FA__OPENCL] = {"opencl", true},
    [FA__META] = {"meta", false}, [FA__LATE] = {"late", true},
};

static char names[FA__BACKENDS][FA__DEVICES_OF_A_KIND][16];

void fa__device_names_begin(void)
{
    for (int kind = FA__CPU; kind < FA__BACKENDS; kind++)
        for (int i = 0; i < FA__DEVICES_OF_A_KIND; i++)
            snprintf(names[kind][i], sizeof names[kind][i], kinds[kind].numbered ? "%s:%d" : "%s", kinds[kind].name, i);
}

const char *fa__backend_gone(int kind)
{
    return fa__backends[kind] && fa__backends[kind]->gone ? fa__backends[kind]->gone() : NULL;
}

static int count_of(int kind)
{
    int count = fa__backends[kind] && !fa__backend_gone(kind) ? fa__backends[kind]->count() : 0;
    return count < FA__DEVICES_OF_A_KIND ? count : FA__DEVICES_OF_A_KIND;
}

static const char *why_none(int kind)
{
    if (!fa__backends[kind])
        return "left out of this build (FACULA_OPS=minimal)";
    const char *why = fa__backend_gone(kind);
    return why ? why : fa__backends[kind]->why();
}

/* GPUs are the first of a kind's devices: OpenCL has others, too. */
static int gpus_of(int kind)
{
    return count_of(kind) && fa__backends[kind]->gpus ? fa__backends[kind]->gpus() : 0;
}

/* Why the remaining devices of a kind are unusable; "": there are none, or no device is usable. */
static const char *why_not_others(int kind)
{
    return count_of(kind) ? fa__backends[kind]->why() : "";
}

/* "cpu, late:0, late:1, meta"; and what is there besides and cannot be used */
static void describe_devices(fa__text *text)
{
    const char *between = "";
    for (int kind = FA__CPU; kind < FA__BACKENDS; kind++)
        for (int i = 0; i < count_of(kind); i++, between = ", ")
            fa__text_add(text, "%s%s", between, names[kind][i]);
    for (int kind = FA__CPU; kind < FA__BACKENDS; kind++)
        if (*why_not_others(kind))
            fa__text_add(text, "; %s, not available: %s", kinds[kind].name, why_not_others(kind));
}

static bool fail_with_devices(fa_code code, const char *what, const char *why)
{
    char buffer[800];
    fa__text text = fa__text_in(buffer, sizeof buffer);
    describe_devices(&text);
    return fa__fail(code, "%s: %s; there are: %s", what, why, buffer);
}

const char *fa_device_name(fa_device d)
{
    return fa__device_known(&d) ? names[d.kind][d.index] : "unknown";
}

enum { NO_GPU = -2 /* the number that no device has */ };

/* The device that a text names, whether it is there or not. "opencl:gpu" is the first GPU. */
static bool parse(const char *text, fa_device *out)
{
    size_t length = text ? strcspn(text, ":") : 0;
    for (int kind = FA__CPU; length && kind < FA__BACKENDS; kind++) {
        if (strlen(kinds[kind].name) != length || memcmp(kinds[kind].name, text, length) != 0)
            continue;
        const char *number = text + length + 1;
        char *end = NULL;
        if (text[length] && !strcmp(number, "gpu")) {
            *out = (fa_device){kind, gpus_of(kind) > 0 ? 0 : NO_GPU};
            return true;
        }
        long index = text[length] ? strtol(number, &end, 10) : 0;
        if (end && (end == number || *end || *number < '0' || *number > '9' || index > INT32_MAX))
            return false;
        *out = (fa_device){kind, (int32_t)index};
        return true;
    }
    return false;
}

bool fa__device_is_there(fa_device d)
{
    return fa__device_known(&d) && d.index < count_of(d.kind);
}

bool fa__device_missing(fa_device d)
{
    if (d.kind < FA__CPU || d.kind >= FA__BACKENDS)
        return fail_with_devices(FA_ERROR_DEVICE, "device", "there is no device of that kind");
    if (count_of(d.kind) == 0)
        return fail_with_devices(fa__backend_gone(d.kind) ? FA_ERROR_STATE : FA_ERROR_UNAVAILABLE, kinds[d.kind].name,
                                 why_none(d.kind));
    char what[32];
    snprintf(what, sizeof what, "%s:%d", kinds[d.kind].name, (int)d.index);
    return fail_with_devices(FA_ERROR_DEVICE, what, "there is no device of that number");
}

static bool fail_text(const char *text, const char *why)
{
    char what[80];
    snprintf(what, sizeof what, text ? "fa_device_of(\"%.40s\")" : "fa_device_of(%.40s)", text ? text : "NULL");
    return fail_with_devices(FA_ERROR_DEVICE, what, why);
}

static bool fail_name(const char *text)
{
    for (int i = 0; text && i < FA__DTYPES; i++)
        if (!strcmp(text, fa__dtype_names[i]))
            return fail_text(text, "that is a dtype, and dtypes are constants, such as FA_F32");
    return fail_text(text, "that names no device");
}

fa_device fa_device_of(const char *text)
{
    const fa_device none = {-1, -1};
    fa_device d = none;
    bool good = parse(text, &d) ? fa__device_is_there(d) : fail_name(text);
    if (!good && d.index == NO_GPU && count_of(d.kind))
        fail_text(text, "none of the devices of that kind is a GPU");
    else if (!good && d.kind != none.kind)
        fa__device_missing(d);
    return good ? d : none;
}

fa_device fa__device_named(const char *name)
{
    return fa_device_of(name);
}

fa_device fa_device_best(void)
{
    fa_device best = {FA__CPU, 0};
    const char *wanted = getenv("FACULA_DEVICE");
    if (wanted && *wanted) {
        if (parse(wanted, &best) && fa__device_is_there(best))
            return best;
        char buffer[800];
        fa__text text = fa__text_in(buffer, sizeof buffer);
        describe_devices(&text);
        fa__log(FA_LOG_WARNING, "FACULA_DEVICE=%s is not there; there are: %s", wanted, buffer);
    }
    static const int32_t order[] = {FA__CUDA, FA__OPENCL, FA__CPU};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (order[i] == FA__CPU || gpus_of(order[i]) > 0)
            return (fa_device){order[i], 0};
    return (fa_device){FA__CPU, 0};
}

bool fa__is_available_named(const char *name)
{
    fa_device d;
    return parse(name, &d) && fa__device_is_there(d);
}

bool(fa_is_available)(fa_device d)
{
    return fa__device_is_there(d.kind == FA__DEFAULT_DEVICE ? fa_device_current() : d);
}

int fa_device_count(const char *kind, const char **why)
{
    static const char unknown[] = "there are the kinds cpu, cuda, opencl, meta and late";
    const char *reason = unknown;
    int count = 0;
    for (int k = FA__CPU; kind && k < FA__BACKENDS; k++)
        if (!strcmp(kind, kinds[k].name)) {
            count = count_of(k);
            reason = count ? why_not_others(k) : why_none(k);
        }
    if (why)
        *why = reason;
    return count;
}

fa_place fa__place_named(const char *name)
{
    return fa__place_device(fa_device_of(name));
}

/* Soft placement: another device of the kind, or the best that there is. */
static fa_device instead(fa_device wanted)
{
    bool kind = wanted.kind >= FA__CPU && wanted.kind < FA__BACKENDS;
    fa_device found = kind && count_of(wanted.kind) > 0 ? (fa_device){wanted.kind, 0} : fa_device_best();
    if (fa__log_wants("placement") || fa__log_wants("fallback"))
        fa__log(FA_LOG_INFO, "placement: %s:%d is not there: %s takes its place", kind ? kinds[wanted.kind].name : "?",
                (int)wanted.index, fa_device_name(found));
    return found;
}

fa_device fa_device_current(void)
{
    fa__context *c = fa__self->core;
    if (!c || c->settings->device.kind == FA__DEFAULT_DEVICE)
        return (fa_device){FA__CPU, 0};
    fa_device d = c->settings->device;
    if (d.index == -1)
        d.index = 0;
    bool soft = c->settings->placement == FA_PLACE_AUTO && c->settings->fallback;
    return FA__UNLIKELY(soft) && !fa__device_is_there(d) ? instead(d) : d;
}
