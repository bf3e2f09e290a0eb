/* The public functions for languages without C's macros (facula/plain.h): arguments, ownership, scopes and settings. */
#include "base/error.h"
#include "core/context.h"
#include "core/object.h"
#include <facula/plain.h>

/* ---- arguments ---- */

fa_arg fa_arg_tensor(const fa_tensor *t)
{
    return fa__arg_t(t);
}

fa_arg fa_arg_double(double v)
{
    return fa__arg_f(v);
}

fa_arg fa_arg_int(int64_t v)
{
    return fa__arg_i(v);
}

fa_arg fa_arg_bool(bool v)
{
    return fa__arg_b(v);
}

/* Too many dimensions are as one that no tensor has. */
fa_dims fa_dims_of(size_t count, const int64_t *dim)
{
    if (count > FA_MAX_DIMS)
        return FA__DIMS(1) | FA__DIM(9);
    fa_dims order = 0, set = 0;
    for (size_t i = 0; i < count; i++) {
        order = order << 4 | FA__ORDER1(dim[i]);
        set |= FA__DIM(dim[i]);
    }
    return FA__DIMS((int64_t)count) | set | order;
}

fa_pair fa_pair_of(int64_t height, int64_t width)
{
    return fa__pair_of(height, width);
}

/* ---- ownership ---- */

void *fa_own(const void *object)
{
    fa__object *o = (fa__object *)(uintptr_t)object;
    if (!object)
        return NULL;
    if (!fa__disown(object)) {
        fa__fail(FA_ERROR_STATE, "fa_own: no scope of this thread owns the object");
        return NULL;
    }
    atomic_fetch_add_explicit(&o->kept, 1, memory_order_relaxed);
    return o;
}

size_t fa_scope_enter(const char *name)
{
    return fa__scope_open(name, 0).depth;
}

void fa_scope_leave(size_t scope)
{
    fa__scope s = {.depth = scope, .check = fa__scope_check};
    fa__scope_close(&s);
}

void *fa_scope_leave_with(size_t scope, const void *object)
{
    void *owned = fa_own(object);
    fa_scope_leave(scope);
    return owned;
}

fa_settings fa_settings_now(void)
{
    return fa__settings();
}

size_t fa_use_enter(const fa_settings *settings)
{
    if (!settings) {
        fa__fail(FA_ERROR_ARGUMENT, "fa_use_enter: the settings are NULL");
        return 0;
    }
    return fa__use_open(settings).depth;
}

void fa_use_leave(size_t use)
{
    fa__scope s = {.depth = use, .check = fa__scope_check};
    fa__use_close(&s);
}

bool fa__set_grad_enabled(bool enabled)
{
    fa__context *c = fa__ctx();
    bool before = c && !c->settings->no_grad;
    if (c)
        c->used[c->used_count - 1].no_grad = !enabled;
    return before;
}

/* ---- lines ---- */

const char *fa_line_enter(const char *line)
{
    return fa__line_enter(line);
}
