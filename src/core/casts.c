/* The cache of cast parameters: a hash table in the context of a thread, by the address of the parameter. */
#include "core/casts.h"
#include "base/alloc.h"

typedef struct entry {
    fa_tensor *from, *to; /* NULL: free */
    const fa__storage *storage;
    uint64_t version; /* of the storage when it was cast */
    bool recording;
} entry;

struct fa__casts {
    size_t depth; /* settings that belong to the outermost autocast block have at least this number */
    size_t count, room;
    entry *table;
};

static uint64_t version_of(const fa_tensor *t)
{
    return atomic_load_explicit(&t->storage->version, memory_order_relaxed);
}

/* The entry of a cast, whether current or outdated, or the free one where it belongs. A parameter may have several:
 * of both grad modes, and of both dtypes. */
static entry *entry_of(entry *table, size_t room, const fa_tensor *from, fa_dtype dtype, bool recording)
{
    size_t at = (size_t)(((uint64_t)(uintptr_t)from >> 4) * 0x9e3779b97f4a7c15U % room);
    for (;; at = (at + 1) % room) {
        entry *e = &table[at];
        if (!e->from || (e->from == from && e->to->dtype == dtype && e->recording == recording))
            return e;
    }
}

fa_tensor *fa__cast_find(const fa_tensor *from, fa_dtype dtype, bool recording)
{
    const struct fa__casts *c = fa__ctx()->casts;
    const entry *e = c ? entry_of(c->table, c->room, from, dtype, recording) : NULL;
    return e && e->from && e->storage == from->storage && e->version == version_of(from) ? e->to : NULL;
}

static size_t outermost(const fa__context *context)
{
    size_t depth = 1;
    while (depth < context->used_count && context->used[depth].autocast == FA_SAME)
        depth++;
    return depth;
}

static struct fa__casts *casts_of(fa__context *context)
{
    if (!context->casts && (context->casts = fa__calloc(1, sizeof *context->casts)))
        context->casts->depth = outermost(context);
    return context->casts;
}

/* At most half of the table is used. */
static bool make_room(struct fa__casts *c)
{
    if (c->room && 2 * (c->count + 1) <= c->room)
        return true;
    size_t room = c->room ? 2 * c->room : 64;
    entry *table = fa__calloc(room, sizeof *table);
    for (size_t i = 0; table && i < c->room; i++)
        if (c->table[i].from)
            *entry_of(table, room, c->table[i].from, (fa_dtype)c->table[i].to->dtype, c->table[i].recording) =
                c->table[i];
    if (table) {
        fa__free(c->table);
        c->table = table;
        c->room = room;
    }
    return table != NULL;
}

bool fa__cast_keep(fa_tensor *from, fa_tensor *to, bool recording)
{
    struct fa__casts *c = casts_of(fa__ctx());
    if (!c || !make_room(c))
        return false;
    entry *e = entry_of(c->table, c->room, from, (fa_dtype)to->dtype, recording);
    const entry old = *e;
    *e = (entry){fa__ref(from), fa__ref(to), from->storage, version_of(from), recording};
    c->count += !old.from;
    if (old.from) {
        fa__unref(old.from);
        fa__unref(old.to);
    }
    return true;
}

void fa__casts_drop(fa__context *context)
{
    struct fa__casts *c = context->casts;
    context->casts = NULL;
    for (size_t i = 0; i < c->room; i++)
        if (c->table[i].from) {
            fa__unref(c->table[i].from);
            fa__unref(c->table[i].to);
        }
    fa__free(c->table);
    fa__free(c);
}

bool fa__casts_outlived(const fa__context *context)
{
    return context->used_count <= context->casts->depth;
}
