/* Where a call runs when its operands are on several devices, and autocast: both run the call again on a copy of its
 * arguments with other tensors in it. */
#include "base/alloc.h"
#include "base/log.h"
#include "dispatch/call.h"
#include "dispatch/promote.h"

/* A 0-dim tensor of the host is handed on as a number, so it goes with operands of any device. */
static bool is_value(const fa_tensor *t)
{
    return t->rank == 0 && t->storage && t->storage->device->host;
}

/* The list among the arguments; NULL when there is none. */
static const fa_tensors *list_of(const fa__call *c)
{
    for (int i = 0; i < c->op->nfields; i++)
        if (c->op->fields[i].kind == FA__TENSORS)
            return fa__field_at(c->args, &c->op->fields[i]);
    return NULL;
}

/* The operands of a call on their way to be compared: what the first one is called and where it is. */
typedef struct reference {
    fa__device *device;
    const char *name;
    long item; /* of a list; -1: it is none */
} reference;

static const char *name_of(char *buffer, size_t size, const char *name, long item)
{
    if (item < 0)
        return name;
    snprintf(buffer, size, "%s[%ld]", name, item);
    return buffer;
}

bool fa__apart(const fa__call *c, const char *first, const fa__device *its, const char *odd, const fa__device *other)
{
    return fa__call_fail(c, FA_ERROR_DEVICE,
                         "operands are on different devices, %s on %s and %s on %s: fa_to moves one, "
                         "FA_USE(.placement = FA_PLACE_AUTO) copies",
                         first, its->name, odd, other->name);
}

/* Whether t is where the first operand is. When not, an error tells of both. */
static bool agrees(const fa__call *c, reference *f, const fa_tensor *t, const char *name, long item)
{
    fa__device *d = fa__tensor_device(t);
    char one[80], other[80];
    if (!f->device)
        *f = (reference){d, name, item};
    return d == f->device
           || fa__apart(c, name_of(one, sizeof one, f->name, f->item), f->device,
                        name_of(other, sizeof other, name, item), d);
}

/* Finds the device that all operands are on, but values and indices that go with any; an error when there are several.
 * The parts of a composed operation see for themselves whether values go with it. */
static bool one_device(fa__call *c)
{
    bool values = fa__is_elementwise(c->op) || fa__is_composed(c->op);
    const fa_tensors *list = list_of(c);
    const char *list_name = "";
    reference f = {NULL, NULL, -1};
    for (int i = 0; i < c->op->nfields; i++) {
        const fa_tensor *t = c->tensor[i];
        const char *name = c->op->fields[i].name;
        if (c->op->fields[i].kind == FA__TENSORS)
            list_name = name;
        if (!t || c->op->fields[i].kind == FA__LIKE || (values && is_value(t))
            || ((c->op->index >> i & 1) && fa__tensor_device(t)->host))
            continue;
        if (!agrees(c, &f, t, name, -1))
            return false;
    }
    for (size_t k = 0; list && k < list->count; k++)
        if (!agrees(c, &f, list->item[k], list_name, (long)k))
            return false;
    if (f.device)
        c->device = f.device;
    return true;
}

/* With automatic placement: where the result was given, else the settings' device, else the first that is not the CPU.
 */
static fa__device *automatic(const fa__call *c)
{
    if (c->given && c->given->object.type == FA__TYPE_TENSOR)
        return fa__tensor_device(c->given);
    if (fa__ctx()->settings->device.kind != FA__DEFAULT_DEVICE)
        return fa__device_get(fa_device_current());
    for (int i = 0; i < c->op->nfields; i++)
        if (c->tensor[i] && !fa__tensor_device(c->tensor[i])->host)
            return fa__tensor_device(c->tensor[i]);
    const fa_tensors *list = list_of(c);
    for (size_t k = 0; list && k < list->count; k++)
        if (!fa__tensor_device(list->item[k])->host)
            return fa__tensor_device(list->item[k]);
    return c->device;
}

static void set_tensor(void *args, const fa__field *f, const fa_tensor *t)
{
    char *p = (char *)args + f->offset;
    if (f->kind == FA__NUMBER)
        ((fa_arg *)(void *)p)->as.t = t;
    else
        *(const fa_tensor **)(void *)p = t;
}

/* What the tensor of field i became as that of an earlier one, so that it is changed once; NULL: it is in none. */
static fa_tensor *as_before(const fa__call *c, const void *given, int i)
{
    for (int k = 0; k < i; k++)
        if (c->op->fields[k].kind != FA__LIKE && fa__field_tensor(given, &c->op->fields[k]) == c->tensor[i])
            return (fa_tensor *)(uintptr_t)c->tensor[k];
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

/* Runs `go` on a copy of the arguments in which tensors were changed by `change`; `item` has room for those of a list.
 */
static bool with_items(fa__call *c, fa_tensor *(*change)(fa__call *, int i, const fa_tensor *), bool (*go)(fa__call *),
                       fa_tensor **item)
{
    const void *given = c->args;
    const fa_tensors *list = list_of(c);
    size_t items = list ? list->count : 0;
    _Alignas(16) char copy[c->op->args_size + 1];
    memcpy(copy, given, c->op->args_size);
    for (int i = 0; i < c->op->nfields; i++) {
        const fa__field *f = &c->op->fields[i];
        if (!c->tensor[i] || f->kind == FA__LIKE)
            continue;
        fa_tensor *t = as_before(c, given, i);
        if (!t && !(t = change(c, i, c->tensor[i])))
            return false;
        set_tensor(copy, f, t);
        c->tensor[i] = t;
    }
    for (size_t k = 0; k < items; k++)
        if (!(item[k] = item_as_before(list, item, k)) && !(item[k] = change(c, -1, list->item[k])))
            return false;
    if (list)
        ((fa_tensors *)(void *)(copy + ((const char *)list - (const char *)given)))->item = item;
    c->args = copy;
    bool good = go(c);
    c->args = given;
    return good;
}

static bool with_changed(fa__call *c, fa_tensor *(*change)(fa__call *, int i, const fa_tensor *),
                         bool (*go)(fa__call *))
{
    fa_tensor *few[FEW], **many = NULL;
    const fa_tensors *list = list_of(c);
    if (list && list->count > FEW && !(many = fa__malloc(list->count * sizeof *many)))
        return false;
    bool good = with_items(c, change, go, many ? many : few);
    fa__free(many);
    return good;
}

static fa_tensor *moved(fa__call *c, int i, const fa_tensor *t)
{
    fa_tensor *same = (fa_tensor *)(uintptr_t)t;
    bool changes = i >= 0 && c->op->constant >> i & 1; /* the change of a copy would be lost */
    if (fa__tensor_device(t) == c->device || (fa__is_elementwise(c->op) && is_value(t)) || changes)
        return same;
    if (fa__log_wants("placement"))
        fa__log(FA_LOG_INFO, "placement: %s: %s copied from %s to %s", c->op->name,
                i < 0 ? "an item" : c->op->fields[i].name, fa__tensor_device(t)->name, c->device->name);
    FA__WORK_FOR(fa__asked_for(c));
    return fa_to(t, c->device->id);
}

bool fa__moved(fa__call *c, bool (*go)(fa__call *))
{
    return with_changed(c, moved, go);
}

bool fa__placed(fa__call *c, bool (*go)(fa__call *))
{
    bool placing = fa__ctx()->settings->placement == FA_PLACE_AUTO;
    if (!placing && !one_device(c))
        return false;
    if (placing)
        c->device = automatic(c);
    if (!c->device)
        return false;
    if (!placing && fa__is_composed(c->op))
        return go(c);
    c->mixed = fa__is_elementwise(c->op); /* values may stay on the CPU */
    return fa__moved(c, go);
}

/* FACULA_LOG=placement: where each call ran. It is asked once, so that other programs' calls do not have to. */
static void tell_place(const fa__call *c, int depth)
{
    (void)depth;
    fa__log(FA_LOG_INFO, "placement: %s on %s", c->op->name, c->device->name);
}

__attribute__((__constructor__)) static void tell_places(void)
{
    if (fa__log_wants("placement"))
        fa__call_hook = tell_place;
}

/* ---- autocast ---- */

static fa_dtype cast_to(const fa__call *c)
{
    const fa_settings *s = fa__ctx()->settings;
    fa__cast kind = c->device && c->device->host ? c->op->traits->autocast_cpu : c->op->traits->autocast;
    fa_dtype widest = FA_SAME;
    switch (kind) {
    case FA__CAST_LOW:
        return s->autocast;
    case FA__CAST_F32:
        return FA_F32;
    case FA__CAST_WIDEST:
        for (int i = 0; i < c->op->nfields; i++)
            if (c->tensor[i] && c->tensor[i]->dtype != FA_F64 && fa__dtype_is_float(c->tensor[i]->dtype))
                widest = fa__promote(widest, (fa_dtype)c->tensor[i]->dtype);
        return widest;
    default:
        return FA_SAME;
    }
}

/* f64 and integers are left alone. */
static fa_tensor *recast(fa__call *c, int i, const fa_tensor *t)
{
    (void)i;
    fa_dtype to = cast_to(c);
    bool changes = to != FA_SAME && fa__dtype_is_float(t->dtype) && t->dtype != FA_F64 && t->dtype != to;
    return changes ? fa_to(t, to) : (fa_tensor *)(uintptr_t)t;
}

bool fa__autocasted(fa__call *c, bool (*go)(fa__call *))
{
    return with_changed(c, recast, go);
}
