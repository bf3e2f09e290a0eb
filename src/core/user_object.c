/* Objects created by programs and higher layers: fa_object_new() on top of the common object header. */
#include "base/error.h"
#include "core/context.h"
#include "core/object.h"
#include <facula/scope.h>
#include <string.h>

_Static_assert(sizeof(fa__object) <= offsetof(fa_object, type), "fa_object holds the header of all objects");

static void user_object_destroy(fa__object *o)
{
    const fa_object_type *type = ((fa_object *)(void *)o)->type;
    if (type->destroy)
        type->destroy(o);
    fa__object_free(o);
}

__attribute__((__constructor__)) static void user_object_type(void)
{
    fa__object_type(FA__TYPE_OTHER, "module or other object", user_object_destroy);
}

void *fa_object_new(const fa_object_type *type, size_t size)
{
    if (!type || size < sizeof(fa_object)) {
        fa__fail(FA_ERROR_ARGUMENT, "fa_object_new: an object has a type, and begins with an fa_object");
        return NULL;
    }
    fa_object *o = fa__object_new(FA__TYPE_OTHER, size);
    if (!o)
        return NULL;
    memset((char *)o + offsetof(fa_object, type), 0, size - offsetof(fa_object, type));
    o->type = type;
    return fa__own(o);
}

bool fa_object_is(const void *object, const fa_object_type *type)
{
    const fa__object *o = object;
    return o && o->type == FA__TYPE_OTHER && ((const fa_object *)object)->type == type;
}

bool fa__object_check(const void *object, const fa_object_type *type, const char *who)
{
    const fa__object *o = object;
    if (fa_object_is(object, type))
        return true;
    if (!o)
        return fa__fail(FA_ERROR_ARGUMENT, "%s: the %s is NULL", who, type->name);
    if (!fa__object_lives(o))
        return fa__fail(FA_ERROR_ARGUMENT, "%s: the %s was freed: fa_escape or fa_keep let it live on", who,
                        type->name);
    bool other = o->type == FA__TYPE_OTHER; /* of its own type nothing is read: it may be memory that is used again */
    return fa__fail(FA_ERROR_ARGUMENT, "%s: the %s is %s%s", who, type->name,
                    other ? "an object of another kind" : "a ", other ? "" : fa__object_name(o));
}

bool fa_error_stands(void)
{
    return fa__failed();
}
