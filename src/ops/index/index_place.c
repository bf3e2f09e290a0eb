/* The device that an indexing call runs on, and how error messages show an index. */
#include "base/text.h"
#include "dispatch/call.h"
#include "ops/index/entries.h"

static void tell_part(struct fa__text *t, const fa_index_part *p, bool origins)
{
    if (p->text)
        fa__text_add(t, "%s", p->text);
    else if (!p->is_tensor)
        fa__text_add(t, "%lld", (long long)p->number);
    else
        fa__describe_tensor(t, p->tensor, origins);
}

void fa__describe_index(struct fa__text *t, fa_index_parts index, bool origins)
{
    for (size_t i = 0; i < index.count; i++) {
        fa__text_add(t, "%s", i ? ", " : "");
        tell_part(t, &index.item[i], origins);
    }
}

/* Reports that tensors are on different devices, with the origin of each. */
static FA__COLD fa__device *apart(const fa__indexed *i, fa_index_parts index, long part)
{
    char text[600], name[40] = "value";
    struct fa__text told = fa__text_in(text, sizeof text);
    const fa_tensor *t = part < 0 ? fa__tensor_in(i->args->value) : index.item[part].tensor;
    const char *before = i->args->index;
    if (part >= 0)
        snprintf(name, sizeof name, "index[%ld]", part);
    fa__describe_index(&told, index, true);
    i->args->index = text;
    fa__apart(i->call, "x", fa__tensor_device(i->args->x), name, fa__tensor_device(t));
    i->args->index = before;
    return NULL;
}

/* Every tensor has to be on x's device, except indices and 0-dim values, which may be on the CPU. */
static fa__device *same_device(const fa__indexed *i, fa_index_parts index)
{
    fa__device *device = fa__tensor_device(i->args->x);
    for (size_t k = 0; k < index.count; k++) {
        const fa_tensor *t = index.item[k].tensor;
        if (index.item[k].is_tensor && fa__tensor_device(t) != device && !fa__tensor_device(t)->host)
            return apart(i, index, (long)k);
    }
    const fa_tensor *v = fa__index_value(i->args);
    if (v && fa__tensor_device(v) != device && (v->rank || !fa__tensor_device(v)->host))
        return apart(i, index, -1);
    return device;
}

/* The device of the first tensor that is not on the CPU; if there is none, x's. */
static fa__device *first_device(const fa__indexed *i, fa_index_parts index)
{
    fa__device *device = fa__tensor_device(i->args->x);
    const fa_tensor *v = fa__index_value(i->args);
    for (size_t k = 0; k < index.count && device->host; k++)
        if (index.item[k].is_tensor)
            device = fa__tensor_device(index.item[k].tensor);
    return device->host && v ? fa__tensor_device(v) : device;
}

fa__device *fa__index_device(const fa__indexed *i, fa_index_parts index)
{
    const fa_settings *s = fa__ctx()->settings;
    if (s->placement != FA_PLACE_AUTO)
        return same_device(i, index);
    if (i->stays)
        return fa__tensor_device(i->args->x);
    return s->device.kind != FA__DEFAULT_DEVICE ? fa__device_get(fa_device_current()) : first_device(i, index);
}
