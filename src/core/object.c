/* Objects: creation, and destruction without recursion. */
#include "core/object.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/small.h"
#include "core/context.h"

typedef struct type_row {
    const char *name;
    void (*destroy)(fa__object *);
} type_row;

/* An object that was freed lost a reference it did not have: the program released more than it held. */
static FA__COLD void freed_twice(fa__object *o)
{
    if (o->type == FA__TYPE_DEAD)
        o->link = NULL;
    fa__fail(FA_ERROR_STATE, "an object was freed while others held it: fa_release() drops what fa_keep() took, once");
}

static type_row types[FA__TYPES] = {
    [FA__TYPE_DEAD] = {"freed object", freed_twice}, [FA__TYPE_GONE] = {"freed object", freed_twice}};

void fa__object_type(fa__type type, const char *name, void (*destroy)(fa__object *))
{
    types[type] = (type_row){name, destroy};
}

const char *fa__object_name(const fa__object *o)
{
    return o && o->type < FA__TYPES && types[o->type].name ? types[o->type].name : "freed or other object";
}

/* A freed tensor is kept for a while, in place of the oldest one, so that its address is not another tensor's soon. */
FA__HOT void fa__object_free(fa__object *o)
{
    fa__context *c = fa__self->core;
    if (o->type == FA__TYPE_TENSOR && c) {
        fa__object **place = &c->dead[c->dead_next++ & (c->dead_most - 1)], *oldest = *place;
        o->type = FA__TYPE_DEAD;
        o->link = (void *)(uintptr_t)c->closing;
        *place = o;
        if (!(o = oldest))
            return;
    }
    o->type = FA__TYPE_GONE;
    fa__object_release(o);
}

FA__HOT void fa__object_destroy(fa__object *o)
{
    fa__context *c = fa__ctx();
    if (!c) {
        types[o->type].destroy(o);
        return;
    }
    if (c->destroying) {
        if (FA__UNLIKELY(!fa__object_lives(o))) {
            freed_twice(o);
            return;
        }
        o->link = c->dying;
        c->dying = o;
        return;
    }
    c->destroying = true;
    types[o->type].destroy(o);
    while ((o = c->dying)) {
        c->dying = o->link;
        types[o->type].destroy(o);
    }
    c->destroying = false;
}
