/* Writing an object's state to an fa_state_dict, and reading it. */
#include "optim/dict.h"
#include <facula/error.h>
#include <facula/scope.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The memory of a state dict: the lists, then the names. */
typedef struct fa__kept {
    fa_object base;
    size_t count; /* number of tensors it holds */
    fa_tensor **tensor;
    const char **tensor_name, **number_name;
    double *number;
    char *letter;
} fa__kept;

static void kept_destroy(void *object)
{
    fa__kept *k = object;
    for (size_t i = 0; i < k->count; i++)
        fa__unhold(k->tensor[i]);
}

static const fa_object_type kept_type = {"state", kept_destroy};

/* Composes the full name. */
static bool name_of(const fa__dict *a, char *name, const char *format, va_list list)
{
    size_t length = strlen(a->prefix);
    memcpy(name, a->prefix, length + 1);
    int more = vsnprintf(name + length, FA__DICT_NAME - length, format, list);
    return (size_t)more < FA__DICT_NAME - length
           || fa_fail(FA_ERROR_ARGUMENT, "%s: schedules are nested too deeply: \"%s...\"", a->who, name);
}

/* ---- writing ---- */

static const char *name_kept(fa__dict *a, const char *name)
{
    size_t size = strlen(name) + 1;
    char *to = a->to ? memcpy(a->to->letter + a->letters, name, size) : NULL;
    a->letters += size;
    return to;
}

static void number_written(fa__dict *a, const char *name, double value)
{
    const char *kept = name_kept(a, name);
    if (kept) {
        a->to->number[a->numbers] = value;
        a->to->number_name[a->numbers] = kept;
    }
    a->numbers++;
}

static void tensor_written(fa__dict *a, const char *name, fa_tensor *tensor)
{
    const char *kept = name_kept(a, name);
    if (kept) {
        a->to->tensor[a->to->count++] = fa__hold(tensor);
        a->to->tensor_name[a->tensors] = kept;
    }
    a->tensors++;
}

/* ---- reading ---- */

/* Finds a name, searching from position `*at` on and wrapping around; true if it was found. */
static bool found(const char *const *names, size_t count, const char *name, size_t *at)
{
    for (size_t i = 0; i < count; i++) {
        size_t k = (*at + i) % count;
        if (names[k] && !strcmp(names[k], name)) {
            *at = k;
            return true;
        }
    }
    return false;
}

static const double *number_found(fa__dict *a, const char *name)
{
    const fa_numbers *from = &a->from->numbers;
    if (!found(from->name, from->count, name, &a->numbers))
        return NULL;
    a->seen[a->numbers] = true;
    return &from->item[a->numbers];
}

static bool number_read(fa__dict *a, const char *name, double *value)
{
    const double *there = number_found(a, name);
    if (!there)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: \"%s\" is missing", a->who, name);
    *value = *there;
    return isfinite(*value) || fa_fail(FA_ERROR_ARGUMENT, "%s: \"%s\" is not finite, but %g", a->who, name, *value);
}

/* ---- in both directions ---- */

bool fa__dict_number(fa__dict *a, double *value, const char *format, ...)
{
    char name[FA__DICT_NAME];
    va_list list;
    va_start(list, format);
    bool good = name_of(a, name, format, list);
    va_end(list);
    if (good && a->from)
        return number_read(a, name, value);
    if (good)
        number_written(a, name, *value);
    return good;
}

bool fa__dict_whole(fa__dict *a, int64_t *value, int64_t least, const char *name)
{
    const double most = 9007199254740992.0;
    double v = (double)*value;
    if (!fa__dict_number(a, &v, "%s", name))
        return false;
    if (!(v >= (double)least && v <= most) || v != floor(v))
        return fa_fail(FA_ERROR_ARGUMENT, "%s: \"%s%s\" is a whole number from %lld on, not %g", a->who, a->prefix,
                       name, (long long)least, v);
    if (a->commit)
        *value = (int64_t)v;
    return true;
}

bool fa__dict_optional(fa__dict *a, double *value, double missing, const char *name)
{
    char whole[FA__DICT_NAME];
    snprintf(whole, sizeof whole, "%s%s", a->prefix, name);
    if (a->from ? number_found(a, whole) != NULL : isfinite(*value) != 0)
        return fa__dict_number(a, value, "%s", name);
    *value = missing;
    return true;
}

bool fa__dict_same(fa__dict *a, size_t value, const char *what, const char *name)
{
    double v = (double)value;
    if (!fa__dict_number(a, &v, "%s", name))
        return false;
    return v == (double)value
           || fa_fail(FA_ERROR_ARGUMENT, "%s: \"%s%s\" is %g: here are %zu %s", a->who, a->prefix, name, v, value,
                      what);
}

bool fa__dict_tensor(fa__dict *a, fa_tensor **tensor, const char *name)
{
    char whole[FA__DICT_NAME];
    snprintf(whole, sizeof whole, "%s%s", a->prefix, name);
    if (!a->from) {
        if (*tensor)
            tensor_written(a, whole, *tensor);
        return true;
    }
    const fa_parameters *from = &a->from->tensors;
    if (!found(from->name, from->count, whole, &a->tensors)) {
        *tensor = NULL;
        return true;
    }
    a->seen[a->from->numbers.count + a->tensors] = true;
    *tensor = from->item[a->tensors];
    return *tensor || fa_fail(FA_ERROR_ARGUMENT, "%s: \"%s\" is NULL", a->who, whole);
}

/* ---- complete state dicts ---- */

static fa__kept *kept_new(const fa__dict *counted)
{
    size_t tensors = counted->tensors, numbers = counted->numbers;
    size_t lists = (tensors * 2 + numbers) * sizeof(void *) + numbers * sizeof(double);
    fa__kept *k = fa_object_new(&kept_type, sizeof *k + lists + counted->letters);
    if (!k)
        return NULL;
    k->number = (double *)(void *)(k + 1);
    k->number_name = (const char **)(void *)(k->number + numbers);
    k->tensor_name = k->number_name + numbers;
    k->tensor = (fa_tensor **)(void *)(k->tensor_name + tensors);
    k->letter = (char *)(k->tensor + tensors);
    return k;
}

fa_state_dict fa__dict_none(void)
{
    static const double no_numbers[64];
    return (fa_state_dict){.tensors = {0, fa__no_items, fa__no_names}, .numbers = {0, no_numbers, fa__no_names}};
}

fa_state_dict fa__dict_write(const char *who, const char *kind, fa__dict_visit visit, void *object)
{
    fa_state_dict none = fa__dict_none();
    fa__dict a = {.who = who};
    if (!visit(&a, object))
        return none;
    fa__kept *k = kept_new(&a);
    if (!k)
        return none;
    a = (fa__dict){.who = who, .to = k};
    if (!visit(&a, object))
        return none;
    return (fa_state_dict){.kind = kind,
                           .tensors = {a.tensors, k->tensor, k->tensor_name},
                           .numbers = {a.numbers, k->number, k->number_name}};
}

typedef struct marks {
    fa_object base;
    bool seen[];
} marks;

static const fa_object_type marks_type = {"list", NULL};

/* Names that were not asked for are an error. */
static bool all_seen(const fa__dict *a)
{
    const fa_state_dict *d = a->from;
    for (size_t i = 0; i < d->numbers.count + d->tensors.count; i++) {
        bool number = i < d->numbers.count;
        const char *name = number ? d->numbers.name[i] : d->tensors.name[i - d->numbers.count];
        if (!a->seen[i])
            return fa_fail(FA_ERROR_ARGUMENT, "%s: \"%s\" is unexpected", a->who, name ? name : "NULL");
    }
    return true;
}

static bool dict_is_good(const char *who, const char *kind, const fa_state_dict *d)
{
    if (!d || !d->kind)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: the state is NULL", who);
    if (strcmp(d->kind, kind))
        return fa_fail(FA_ERROR_ARGUMENT, "%s: the state is of \"%s\", not of \"%s\"", who, d->kind, kind);
    bool numbers = !d->numbers.count || (d->numbers.item && d->numbers.name);
    bool tensors = !d->tensors.count || (d->tensors.item && d->tensors.name);
    return (numbers && tensors) || fa_fail(FA_ERROR_ARGUMENT, "%s: a list of the state is NULL", who);
}

bool fa__dict_read(const char *who, const char *kind, const fa_state_dict *d, fa__dict_visit visit, void *object)
{
    if (fa_error_stands() || !dict_is_good(who, kind, d))
        return false;
    FA_SCOPE;
    FA_USE(.no_grad = true);
    marks *m = fa_object_new(&marks_type, sizeof *m + d->numbers.count + d->tensors.count);
    if (!m)
        return false;
    fa__dict check = {.who = who, .from = d, .seen = m->seen};
    if (!visit(&check, object) || !all_seen(&check))
        return false;
    fa__dict commit = {.who = who, .from = d, .seen = m->seen, .commit = true};
    return visit(&commit, object);
}
