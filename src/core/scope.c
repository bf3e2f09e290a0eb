/* Scopes, settings and owning variables: the public part of a thread's context. */
#include "base/alloc.h"
#include "base/error.h"
#include "core/casts.h"
#include "core/root.h"
#include "core/stream.h"
#include "core/tensor.h"
#include <string.h>

const uintptr_t fa__scope_check = (uintptr_t)0x5c0de5c0de5c0deU;

static bool grow(void **array, size_t *capacity, size_t item)
{
    void *larger = fa__realloc(*array, 2 * *capacity * item);
    if (!larger)
        return false;
    *array = larger;
    *capacity *= 2;
    return true;
}

/* ---- what scopes own ---- */

static FA__COLD bool grow_owned(fa__context *c)
{
    if (!grow((void **)&c->owned, &c->owned_capacity, sizeof *c->owned))
        return false;
    fa__root_check(c);
    return true;
}

void *fa__own_slowly(void *object)
{
    fa__context *c = fa__ctx();
    if (!object)
        return NULL;
    if (!c || (c->owned_count == c->owned_capacity && !grow_owned(c))) {
        fa__unref(object);
        return NULL;
    }
    c->owned[c->owned_count++] = object;
    return object;
}

/* The index of an object in the references of this thread; -1: not found. */
static ptrdiff_t find(const fa__context *c, const void *object, size_t from)
{
    for (size_t i = c->owned_count; i-- > from;)
        if (c->owned[i] == object)
            return (ptrdiff_t)i;
    return -1;
}

bool fa__disown(const void *object)
{
    fa__context *c = fa__ctx();
    ptrdiff_t i = c ? find(c, object, 0) : -1;
    if (i < 0)
        return false;
    memmove(c->owned + i, c->owned + i + 1, (c->owned_count - (size_t)i - 1) * sizeof *c->owned);
    c->owned_count--;
    for (size_t f = c->frames; f-- > 1 && c->frame[f].mark > (size_t)i;)
        c->frame[f].mark--;
    return true;
}

static void settings_in_force(fa__context *c)
{
    c->settings = &c->used[c->used_count - 1];
    if (FA__UNLIKELY(c->casts != NULL) && fa__casts_outlived(c))
        fa__casts_drop(c);
    fa__error_use(c->settings->catch_errors);
}

/* Closes settings that a jump left open within a scope. */
static void close_settings(fa__context *c, size_t count)
{
    if (FA__LIKELY(c->used_count <= count))
        return;
    c->used_count = count;
    settings_in_force(c);
}

/* Drops what was created since a mark. */
static inline void drop_to(fa__context *c, size_t mark)
{
    const char *outer = c->closing;
    c->closing = c->frame[c->frames - 1].where;
    while (c->owned_count > mark)
        fa__unref(c->owned[--c->owned_count]);
    c->closing = outer;
}

static void close_to(fa__context *c, size_t depth)
{
    if (depth == 0 || depth >= c->frames)
        return;
    close_settings(c, c->frame[depth].settings);
    drop_to(c, c->frame[depth].mark);
    c->frames = depth;
}

static FA__HOT size_t open_frame(const char *where, uintptr_t function)
{
    fa__context *c = fa__ctx();
    if (!c || (c->frames == c->frame_capacity && !grow((void **)&c->frame, &c->frame_capacity, sizeof *c->frame)))
        return 0;
    c->frame[c->frames] = (fa__scope_frame){
        .mark = c->owned_count, .settings = c->used_count, .where = where, .count = -1, .function = function};
    return c->frames++;
}

FA__HOT fa__scope fa__scope_open(const char *where, uintptr_t function)
{
    size_t depth = open_frame(where, function);
    return (fa__scope){.depth = depth, .check = fa__scope_check};
}

FA__HOT void fa__scope_empty(const fa__scope *scope)
{
    fa__context *c = fa__self->core;
    if (!c || !scope->depth || scope->depth >= c->frames)
        return;
    close_settings(c, c->frame[scope->depth].settings);
    drop_to(c, c->frame[scope->depth].mark);
    c->frames = scope->depth + 1; /* not counting scopes that a jump left open */
}

void fa__scope_trim(size_t mark, const void *kept)
{
    fa__context *c = fa__self->core;
    for (size_t i = mark; c && kept && i < c->owned_count; i++)
        if (c->owned[i] == kept) {
            c->owned[i] = c->owned[mark];
            c->owned[mark++] = (fa__object *)(uintptr_t)kept;
            break;
        }
    if (c && mark < c->owned_count)
        drop_to(c, mark);
}

FA__HOT void fa__scope_close(fa__scope *scope)
{
    fa__context *c = fa__self->core;
    if (c && scope->check == fa__scope_check)
        close_to(c, scope->depth);
    scope->check = 0;
}

/* ---- FA_REPEAT: the count is stored in the frame, the variable is only the counter ---- */

int64_t fa__repeat_open(int64_t count, const char *where, uintptr_t function)
{
    size_t depth = open_frame(where, function);
    if (depth)
        ((fa__context *)fa__self->core)->frame[depth].count = count > 0 ? count : 0;
    return -1;
}

static size_t frame_of(const fa__context *c, const void *variable)
{
    for (size_t f = c->frames; f-- > 1;)
        if (c->frame[f].variable == variable)
            return f;
    return 0;
}

FA__HOT bool fa__repeat_next(int64_t *i)
{
    fa__context *c = fa__self->core;
    if (!c || !i || c->frames < 2)
        return false;
    fa__scope_frame *top = &c->frame[c->frames - 1];
    if (!top->variable && top->count >= 0)
        top->variable = i;
    size_t f = top->variable == i ? c->frames - 1 : frame_of(c, i);
    if (!f)
        return false;
    close_settings(c, c->frame[f].settings);
    drop_to(c, c->frame[f].mark);
    c->frames = f + 1; /* not counting scopes that a jump left open */
    return ++*i < c->frame[f].count && !fa__failed() && !fa_stopped();
}

void fa__repeat_close(int64_t *i)
{
    fa__context *c = fa__self->core;
    if (!c)
        return;
    size_t f = frame_of(c, i);
    fa__scope_frame *top = &c->frame[c->frames - 1];
    if (!f && !top->variable && top->count >= 0 && *i < 0)
        f = c->frames - 1; /* left before its first iteration */
    close_to(c, f);
}

/* ---- settings ---- */

fa_settings fa__settings(void)
{
    fa__context *c = fa__ctx();
    return c ? *c->settings : (fa_settings){.size = offsetof(fa_settings, fa__end)};
}

/* A stream that is already active was checked before, so that settings inside its block do not fail because of it. */
static bool check_stream(const fa_stream *s, const fa_stream *in_force)
{
    if (!s || s == in_force || s->object.type == FA__TYPE_STREAM)
        return true;
    if (s->object.type != FA__TYPE_DEAD)
        return fa__fail(FA_ERROR_ARGUMENT, "FA_USE: .stream is a %s, not a stream", fa__object_name(&s->object));
    const char *where = s->object.link;
    return fa__fail(FA_ERROR_STATE,
                    "FA_USE: .stream was freed when its scope ended (%s): fa_escape or fa_keep let it "
                    "live on",
                    where ? where : "all references are gone");
}

/* Invalid values are an error; the settings stay unchanged then. */
static bool check_settings(const fa_settings *s, const fa_settings *before)
{
    if (s->autocast != FA_SAME && s->autocast != FA_F16 && s->autocast != FA_BF16)
        return fa__fail(FA_ERROR_ARGUMENT, "FA_USE: .autocast takes FA_F16, FA_BF16, and FA_SAME for none");
    if ((unsigned)s->placement > FA_PLACE_AUTO || s->forbid > (FA_SYNC | FA_TRANSFER))
        return fa__fail(FA_ERROR_ARGUMENT, "FA_USE: %s has a value that it does not take",
                        (unsigned)s->placement > FA_PLACE_AUTO ? ".placement" : ".forbid");
    return check_stream(s->stream, before->stream);
}

FA__HOT fa_settings *fa__use_again(fa__scope *scope)
{
    fa__context *c = fa__ctx();
    *scope = (fa__scope){.check = fa__scope_check};
    if (!c || (c->used_count == c->used_capacity && !grow((void **)&c->used, &c->used_capacity, sizeof *c->used)))
        return NULL;
    scope->depth = c->used_count++;
    fa_settings *next = &c->used[scope->depth];
    *next = next[-1];
    c->settings = next;
    return next;
}

fa__scope fa__use_open(const fa_settings *settings)
{
    fa__scope scope;
    fa_settings *next = fa__use_again(&scope);
    if (!next)
        return scope;
    memcpy(next, settings, settings->size < sizeof *settings ? settings->size : sizeof *settings);
    if (!check_settings(next, &next[-1]))
        *next = next[-1];
    next->size = offsetof(fa_settings, fa__end);
    fa__error_use(next->catch_errors);
    return scope;
}

FA__HOT void fa__use_close(fa__scope *scope)
{
    fa__context *c = fa__self->core;
    if (c && scope->check == fa__scope_check && scope->depth && scope->depth < c->used_count) {
        c->used_count = scope->depth;
        settings_in_force(c);
    }
    scope->check = 0;
}

/* ---- references held by the program ---- */

/* False for NULL, and with an error for an object that was freed. */
static bool living(const void *object, const char *what)
{
    return object && (FA__LIKELY(fa__object_lives(object)) || fa__tensor_check(object, what));
}

void *fa_keep(const void *object)
{
    if (!living(object, "fa_keep: the object"))
        return NULL;
    fa__object *o = fa__ref(object);
    atomic_fetch_add_explicit(&o->kept, 1, memory_order_relaxed);
    return o;
}

/* Takes back one fa_keep. False and an error if there is none left. */
static bool was_kept(const void *object, const char *function)
{
    fa__object *o = (fa__object *)(uintptr_t)object;
    uintptr_t kept = atomic_load_explicit(&o->kept, memory_order_relaxed);
    while (kept
           && !atomic_compare_exchange_weak_explicit(&o->kept, &kept, kept - 1, memory_order_relaxed,
                                                     memory_order_relaxed))
        continue;
    return kept
           || fa__fail(FA_ERROR_STATE, "%s: the %s was not kept: each fa_release() or fa_adopt() needs an fa_keep()",
                       function, fa__object_name(o));
}

void fa_release(const void *object)
{
    if (living(object, "fa_release: the object") && was_kept(object, "fa_release"))
        fa__unref(object);
}

void *fa__adopt(const void *object)
{
    bool good = living(object, "fa_adopt: the object") && was_kept(object, "fa_adopt");
    return good ? fa__own((void *)(uintptr_t)object) : NULL;
}

void *fa__hold(const void *object)
{
    return living(object, "the object") ? fa__ref(object) : NULL;
}

void fa__unhold(const void *object)
{
    fa__unref(object);
}

void *fa__own_held(const void *object)
{
    return object ? fa__own((void *)(uintptr_t)object) : NULL;
}

void fa_drop(const void *object)
{
    if (!living(object, "fa_drop: the object"))
        return;
    if (fa__disown(object))
        fa__unref(object);
    else
        fa__fail(FA_ERROR_STATE, "fa_drop: no scope of this thread owns the %s", fa__object_name(object));
}

/* Moves reference i of the innermost scope to the enclosing one. */
static void move_out(fa__context *c, size_t i)
{
    fa__scope_frame *inner = &c->frame[c->frames - 1];
    fa__object *o = c->owned[i];
    memmove(c->owned + inner->mark + 1, c->owned + inner->mark, (i - inner->mark) * sizeof *c->owned);
    c->owned[inner->mark++] = o;
}

/* Gives the innermost scope that this call of the function did not open a reference, unless it was the last to get one
 * to the same object. */
static void hold_outside(fa__context *c, const void *object, uintptr_t function)
{
    size_t f = c->frames;
    while (f > 1 && c->frame[f - 1].function == function)
        f--;
    size_t at = f < c->frames ? c->frame[f].mark : c->owned_count;
    if ((at && c->owned[at - 1] == object) || !fa__own(fa__ref(object)))
        return;
    memmove(c->owned + at + 1, c->owned + at, (c->owned_count - 1 - at) * sizeof *c->owned);
    c->owned[at] = (fa__object *)(uintptr_t)object;
    for (; f < c->frames; f++)
        c->frame[f].mark++;
}

/* Whether a variable that this call of the function declared owns the object. */
static bool is_of_variable(const fa__context *c, const void *object, uintptr_t function)
{
    for (size_t v = c->variables; v-- > 0;)
        if (c->variable[v].value == object && c->variable[v].function == function)
            return true;
    return false;
}

void *fa__escape(const void *object, uintptr_t function)
{
    fa__context *c = fa__ctx();
    if (!c || !living(object, "fa_escape: the object"))
        return NULL;
    if (is_of_variable(c, object, function)) {
        hold_outside(c, object, function);
    } else if (c->frames > 1) {
        ptrdiff_t i = find(c, object, c->frame[c->frames - 1].mark);
        if (i >= 0)
            move_out(c, (size_t)i);
    }
    return (void *)(uintptr_t)object;
}

/* ---- variables that own a tensor ---- */

static fa__owning *variable_at(fa__context *c, fa_tensor *const *address)
{
    for (size_t v = c->variables; v-- > 0;)
        if (c->variable[v].address == address)
            return &c->variable[v];
    return NULL;
}

fa_tensor *fa__variable(fa_tensor **address, fa_tensor *value, uintptr_t function)
{
    fa__context *c = fa__ctx();
    bool room = c
                && (c->variables < c->variable_capacity
                    || grow((void **)&c->variable, &c->variable_capacity, sizeof *c->variable));
    fa_tensor *held = room && living(value, "FA_VAR: the value") ? fa__ref(value) : NULL;
    if (room)
        c->variable[c->variables++] = (fa__owning){address, held, function, fa__line};
    return held;
}

/* An error unless the variable has what it holds: `h = fa_relu(h)` leaves it with a tensor of some scope. */
static bool has_its_own(const fa__owning *v, const fa_tensor *value)
{
    return v->value == value
           || fa__fail(FA_ERROR_STATE,
                       "the FA_VAR declared at %s was changed by =: fa_assign(&variable, value) changes it",
                       v->where ? v->where : "an unknown line");
}

void fa__variable_close(fa_tensor **variable)
{
    fa__context *c = fa__self->core;
    fa__owning *v = c ? variable_at(c, variable) : NULL;
    const fa_tensor *held = *variable;
    if (v) {
        c->variables = (size_t)(v - c->variable); /* with those that a jump left behind it */
        has_its_own(v, *variable);
        held = v->value;
    }
    fa__unref(held);
    *variable = NULL;
}

void(fa_assign)(fa_tensor **variable, fa_tensor *value)
{
    if (!variable) {
        fa__fail(FA_ERROR_ARGUMENT, "fa_assign: the variable is NULL");
        return;
    }
    fa__context *c = fa__ctx();
    fa_tensor *old = *variable;
    fa__owning *v = c ? variable_at(c, variable) : NULL;
    if (!v) {
        fa__fail(FA_ERROR_STATE, "fa_assign: the variable was not declared with FA_VAR in this thread");
        return;
    }
    if (!has_its_own(v, old))
        return;
    *variable = living(value, "fa_assign: the value") ? fa__ref(value) : NULL;
    v->value = *variable;
    fa__unref(old);
}

void fa_scope_report(FILE *file)
{
    fa__context *c = file ? fa__ctx() : NULL;
    if (!file)
        fa__fail(FA_ERROR_ARGUMENT, "fa_scope_report: the file is NULL");
    for (size_t f = 0; c && f < c->frames; f++) {
        size_t end = f + 1 < c->frames ? c->frame[f + 1].mark : c->owned_count;
        fprintf(file, "%-40s %zu objects\n", c->frame[f].where, end - c->frame[f].mark);
    }
}
