/* Where a call runs whose operands are on several devices, and where automatic placement puts a call. */
#include "base/log.h"
#include "dispatch/call.h"

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
    const fa_tensors *list = fa__list_operand(c);
    const char *list_name = "";
    reference f = {NULL, NULL, -1};
    for (int i = 0; i < c->op->nfields; i++) {
        const fa_tensor *t = c->tensor[i];
        const char *name = c->op->fields[i].name;
        if (c->op->fields[i].kind == FA__TENSORS)
            list_name = name;
        if (!t || c->op->fields[i].kind == FA__LIKE || (values && fa__is_host_value(t))
            || ((c->op->index >> i & 1) && fa__tensor_device(t)->host))
            continue;
        if (!agrees(c, &f, t, name, -1))
            return false;
    }
    for (size_t k = 0; list && k < list->count; k++)
        if (!agrees(c, &f, list->item[k], list_name, (long)k))
            return false;
    if (f.device)
        c->plan.device = f.device;
    return true;
}

/* With automatic placement: where the result was given, else the settings' device, else the first that is not the CPU.
 */
static fa__device *automatic_device(const fa__call *c)
{
    if (c->given && c->given->object.type == FA__TYPE_TENSOR)
        return fa__tensor_device(c->given);
    if (fa__ctx()->settings->device.kind != FA__DEFAULT_DEVICE)
        return fa__device_get(fa_device_current());
    for (int i = 0; i < c->op->nfields; i++)
        if (c->tensor[i] && !fa__tensor_device(c->tensor[i])->host)
            return fa__tensor_device(c->tensor[i]);
    const fa_tensors *list = fa__list_operand(c);
    for (size_t k = 0; list && k < list->count; k++)
        if (!fa__tensor_device(list->item[k])->host)
            return fa__tensor_device(list->item[k]);
    return c->plan.device;
}

/* What runs where its operands are, whatever the settings place: what crosses devices itself; and views, since what is
 * written into the view of a copy would be lost. */
static bool stays(const fa__call *c)
{
    const fa__traits *row = c->op->traits;
    return row->cross_device || (!c->plan.several_devices && (row->view || row->may_view));
}

static bool any_moves(const fa__call *c)
{
    const fa_tensors *list = fa__list_operand(c);
    for (int i = 0; i < c->op->nfields; i++)
        if (c->tensor[i] && c->op->fields[i].kind != FA__LIKE && fa__moves(c, i, c->tensor[i]))
            return true;
    for (size_t k = 0; list && k < list->count; k++)
        if (fa__moves(c, -1, list->item[k]))
            return true;
    return false;
}

/* Without automatic placement the parts of a composed operation see to it themselves. */
bool fa__place(fa__call *c, bool automatic)
{
    fa__plan *p = &c->plan;
    if (stays(c))
        return true;
    if (automatic)
        p->device = automatic_device(c);
    else if (!one_device(c))
        return false;
    if (!p->device)
        return false;
    if (!automatic && fa__is_composed(c->op))
        return true;
    p->several_devices = fa__is_elementwise(c->op); /* values may stay on the CPU */
    p->moves = any_moves(c);
    return true;
}

/* FACULA_LOG=placement: where each call ran. It is asked once, so that other programs' calls do not have to. */
static void tell_place(const fa__call *c, int depth)
{
    (void)depth;
    fa__log(FA_LOG_INFO, "placement: %s on %s", c->op->name, c->plan.device->name);
}

__attribute__((__constructor__)) static void tell_places(void)
{
    if (fa__log_wants("placement"))
        fa__call_hook = tell_place;
}
