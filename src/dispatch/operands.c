/* Calls that go on with other operands: copies on the device, or in the dtype, that the plan names. The request stays
 * as it was; a second call with other arguments takes its place, and hands its results to the first. */
#include "base/log.h"
#include "core/casts.h"
#include "dispatch/call.h"

const fa_tensors *fa__list_operand(const fa__call *c)
{
    FA__EACH_BIT (i, c->op->of[FA__TENSORS])
        return fa__field_at(c->args, &c->op->fields[i]);
    return NULL;
}

/* ---- one operand ---- */

bool fa__moves(const fa__call *c, int i, const fa_tensor *t)
{
    bool overwritten = i >= 0 && c->op->constant >> i & 1; /* a change of a copy would be lost */
    return fa__tensor_device(t) != c->plan.device && !overwritten
           && !(fa__is_elementwise(c->op) && fa__is_host_value(t));
}

static fa_tensor *moved(const fa__call *c, int i, const fa_tensor *t)
{
    if (!c->plan.moves || !fa__moves(c, i, t))
        return (fa_tensor *)(uintptr_t)t;
    if (fa__log_wants("placement"))
        fa__log(FA_LOG_INFO, "placement: %s: %s copied from %s to %s", c->op->name,
                i < 0 ? "an item" : c->op->fields[i].name, fa__tensor_device(t)->name, c->plan.device->name);
    FA__WORK_FOR(fa__asked_for(c));
    return fa_to(t, c->plan.device->id);
}

/* Whether the program can write to its memory without a call, so that the version does not tell. */
static bool may_change(const fa_tensor *t)
{
    return t->storage->borrowed || atomic_load(&t->storage->pins);
}

/* A conversion on the CPU, whose gradients come in f32: products give theirs so in one pass, and a sum of several is
 * rounded once less. */
static fa_tensor *converted(fa_tensor *t, fa_dtype to)
{
    fa_tensor *made = fa_to(t, to);
    if (made && made->node && t->dtype == FA_F32 && made->storage->device->host)
        ((fa__node *)made->node)->result[made->slot].dtype = FA_F32;
    return made;
}

/* f64, f8, whose values need scale factors, and integers are not cast. A parameter is cast once (core/casts.h). */
static fa_tensor *cast(const fa__call *c, fa_tensor *t)
{
    fa_dtype to = (fa_dtype)c->plan.cast;
    bool casts = t && to != FA_SAME && fa__autocasts(t) && t->dtype != to;
    if (!casts)
        return t;
    if (!t->requires_grad || t->node || may_change(t))
        return converted(t, to);
    bool recording = fa__recording();
    fa_tensor *made = fa__cast_find(t, to, recording);
    if (made)
        return made;
    made = converted(t, to);
    return made && fa__cast_keep(t, made, recording) ? made : NULL;
}

static fa_tensor *settled(const fa__call *c, int i, const fa_tensor *t)
{
    if (c->plan.unshares && fa__overlaps_given(c, i, t))
        return fa_clone(t);
    return cast(c, moved(c, i, t));
}

/* ---- all operands ---- */

/* What an earlier field's tensor became that is the same, so that it is copied once; NULL: none is. */
static fa_tensor *as_before(const fa__call *c, const void *args, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (c->op->fields[k].kind != FA__LIKE && c->tensor[k] == c->tensor[i])
            return (fa_tensor *)(uintptr_t)fa__field_tensor(args, &c->op->fields[k]);
    return NULL;
}

enum { FEW = 16 };

/* What an earlier item became that is the same tensor; NULL when it is not among the last FEW of them. */
static fa_tensor *item_as_before(const fa_tensors *list, fa_tensor *const *item, size_t i)
{
    for (size_t k = i > FEW ? i - FEW : 0; k < i; k++)
        if (list->item[k] == list->item[i])
            return item[k];
    return NULL;
}

/* Changes the tensors in a copy of the arguments; `item` has room for those of a list. */
static bool settle(const fa__call *c, char *args, fa_tensor **item)
{
    const fa_tensors *list = fa__list_operand(c);
    FA__EACH_BIT (i, fa__tensor_fields(c->op)) {
        const fa__field *f = &c->op->fields[i];
        if (!c->tensor[i] || f->kind == FA__LIKE)
            continue;
        fa_tensor *t =
            c->plan.unshares ? NULL : as_before(c, args, i); /* what is written stays, and is copied as well */
        if (!t && !(t = settled(c, (int)i, c->tensor[i])))
            return false;
        fa__put_tensor(args, f, t);
    }
    for (size_t k = 0; list && k < list->count; k++)
        if (!(item[k] = item_as_before(list, item, k)) && !(item[k] = settled(c, -1, list->item[k])))
            return false;
    if (list)
        ((fa_tensors *)(void *)(args + ((const char *)list - (const char *)c->args)))->item = item;
    return true;
}

/* ---- the second call ---- */

/* With on_host it writes into new results, whatever the first call writes into. */
static bool call_again(fa__call *c, const void *args, bool on_host)
{
    fa__call again = {.op = c->op,
                      .args = args,
                      .site = c->site,
                      .given = on_host ? NULL : c->given,
                      .inplace = !on_host && c->inplace,
                      .requires_grad = !on_host && c->requires_grad,
                      .plan = {.device = c->plan.device, .settled = true}};
    bool good = fa__dispatch(&again);
    memcpy(c->out, again.out, sizeof c->out);
    c->list = again.list;
    c->plan.device = again.plan.device;
    c->plan.queue = again.plan.queue;
    return good;
}

static bool go_on(fa__call *c, bool on_host)
{
    _Alignas(16) char args[c->op->args_size + 1];
    fa_tensor *few[FEW], **item = few;
    const fa_tensors *list = fa__list_operand(c);
    if (list && list->count > FEW && !(item = fa__malloc(list->count * sizeof *item)))
        return false;
    memcpy(args, c->args, c->op->args_size);
    bool good = settle(c, args, item) && call_again(c, args, on_host);
    if (item != few)
        fa__free(item);
    return good;
}

bool fa__go_on_with_operands(fa__call *c)
{
    return go_on(c, false);
}

bool fa__go_on_with_host_operands(fa__call *c)
{
    c->plan.device = &fa__cpu_device;
    c->plan.moves = true;
    c->plan.cast = FA_SAME;
    c->plan.unsupported = false;
    return go_on(c, true);
}
