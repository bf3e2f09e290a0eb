/* Graph nodes: created from a call's arguments, released after backward, freed without recursion. */
#include "graph/node.h"
#include "base/alloc.h"
#include "base/error.h"
#include "graph/autograd.h"
#include <string.h>

bool (*fa__renew_view)(fa_tensor *view);

/* ---- tensors in recorded arguments ---- */

static fa_tensor *tensor_in(const fa__op *op, const void *args, uint32_t i)
{
    return (fa_tensor *)(uintptr_t)fa__field_tensor(args, &op->fields[i]);
}

static bool hold(fa__node *n, uint32_t i, uint32_t keep, uint32_t shape_only)
{
    fa_tensor *t = tensor_in(n->op, n->args, i);
    if (!t)
        return true;
    if (keep >> i & 1) {
        fa__ref(t);
        n->edge[i].version = atomic_load_explicit(&t->storage->version, memory_order_relaxed);
        n->kept |= 1U << i;
        n->keeps = true;
        return true;
    }
    n->shape_only |= shape_only >> i & 1;
    t = shape_only >> i & 1 ? fa__tensor_shape_only(t) : NULL;
    fa__put_tensor(n->args, &n->op->fields[i], t);
    return t || !(shape_only >> i & 1);
}

/* The items of a list are stored after the arguments; each is a reference, or a tensor with only a shape. */
static bool hold_list(fa__node *n, int i, fa_tensor **room, uint32_t keep)
{
    fa_tensors *list = (fa_tensors *)((char *)n->args + n->op->fields[i].offset);
    n->shape_only = true;
    memcpy(room, list->item, list->count * sizeof *room);
    list->item = room;
    for (size_t k = 0; k < list->count; k++) {
        room[k] = keep >> i & 1 ? fa__ref(room[k]) : fa__tensor_shape_only(room[k]);
        if (!room[k]) {
            list->count = k;
            return false;
        }
        if (keep >> i & 1)
            n->edge[(size_t)n->op->nfields + k].version =
                atomic_load_explicit(&room[k]->storage->version, memory_order_relaxed);
    }
    if (keep >> i & 1 && list->count) {
        n->kept |= 1U << i;
        n->keeps = true;
    }
    return true;
}

/* Counts the tensors in lists among the arguments. */
static size_t list_items(const fa__op *op, const void *args)
{
    size_t items = 0;
    FA__EACH_BIT (i, op->of[FA__TENSORS])
        items = ((const fa_tensors *)fa__field_at(args, &op->fields[i]))->count;
    return items;
}

/* Takes references to the tensors in the copied arguments; on failure, clears the remaining ones. */
static bool hold_all(fa__node *n, fa_tensor **items, uint32_t keep, uint32_t shape_only)
{
    bool good = true;
    FA__EACH_BIT (i, fa__tensor_fields(n->op)) {
        if (FA__LIKELY(good))
            good = hold(n, i, keep, shape_only);
        else if (tensor_in(n->op, n->args, i))
            fa__put_tensor(n->args, &n->op->fields[i], NULL);
    }
    FA__EACH_BIT (i, n->op->of[FA__TENSORS]) {
        if (good)
            good = hold_list(n, (int)i, items, keep);
        else
            ((fa_tensors *)((char *)n->args + n->op->fields[i].offset))->count = 0;
    }
    return good;
}

/* No edges are needed for fields after the last one that may hold a tensor. Edges of list items follow those of the
 * fields. */
static size_t count_edges(const fa__op *op, size_t items)
{
    uint32_t fields = fa__tensor_fields(op);
    if (op->of[FA__TENSORS])
        return op->nfields + items;
    return fields ? 32U - (unsigned)__builtin_clz(fields) : 0;
}

static size_t rounded(size_t n)
{
    return (n + 15) & ~(size_t)15;
}

FA__HOT fa__node *fa__node_new(const fa__op *op, const void *args, uint32_t results, uint32_t keep, uint32_t shape_only)
{
    const bool has_texts = fa__op_has_texts(op);
    size_t length = list_items(op, args), texts = FA__UNLIKELY(has_texts) ? fa__op_texts_size(op, args) : 0;
    size_t edges = count_edges(op, length);
    size_t args_at = rounded(sizeof(fa__node) + edges * sizeof(fa__edge));
    size_t results_at = args_at + rounded(op->args_size), items_at = results_at + rounded(results * sizeof(fa__result));
    fa__node *n = fa__object_new(FA__TYPE_NODE, items_at + length * sizeof(fa_tensor *) + texts);
    if (!n)
        return NULL;
    char *memory = (char *)n;
    memset(memory + sizeof n->object, 0, args_at - sizeof n->object);
    n->op = op;
    n->edges = (uint32_t)edges;
    n->results = results;
    n->args = memory + args_at;
    n->result = (fa__result *)(void *)(memory + results_at);
    memcpy(n->args, args, op->args_size);
    for (uint32_t i = 0; i < results; i++)
        n->result[i].kept = NULL;
    fa_tensor **items = (fa_tensor **)(void *)(memory + items_at);
    if (FA__UNLIKELY(has_texts))
        fa__op_texts_copy(op, n->args, (char *)(items + length));
    if (hold_all(n, items, keep, shape_only))
        return n;
    fa__unref(n);
    return NULL;
}

FA__HOT bool fa__node_result(fa__node *n, uint32_t slot, fa_tensor *t, bool keep)
{
    fa__result *r = &n->result[slot];
    r->device = fa__tensor_device(t);
    r->dtype = fa__gradient_dtype(t->dtype);
    r->rank = t->rank;
    for (int i = 0; i < t->rank; i++)
        r->shape[i] = t->shape[i];
    if (keep) {
        r->kept = fa__tensor_alias(t);
        if (!r->kept)
            return false;
        r->version = atomic_load_explicit(&t->storage->version, memory_order_relaxed);
        n->keeps = true;
    }
    return true;
}

FA__HOT bool fa__node_edge(fa__node *n, int i, fa_tensor *t)
{
    uint32_t slot = 0;
    if (!fa__needs_grad(t))
        return true;
    fa__node *from = fa__history(t, &slot);
    if (from && from->level >= n->level)
        n->level = from->level + 1;
    if (from)
        n->edge[i].to = fa__ref(from);
    else if (t->requires_grad)
        n->edge[i].to = fa__ref(t);
    else
        return !fa__failed();
    n->edge[i].slot = slot;
    n->joined = true;
    return true;
}

FA__HOT fa__node *fa__history(const fa_tensor *t, uint32_t *slot)
{
    if (fa__outdated(t) && !fa__renew_view((fa_tensor *)(uintptr_t)t))
        return NULL;
    *slot = t->slot;
    return (fa__node *)t->node;
}

/* Drops the tensors in the arguments: all of them, or only those with memory. */
static FA__HOT void drop(fa__node *n, bool all)
{
    FA__EACH_BIT (i, fa__tensor_fields(n->op)) {
        fa_tensor *t = tensor_in(n->op, n->args, i);
        if (t && (all || t->storage)) {
            fa__unref(t);
            fa__put_tensor(n->args, &n->op->fields[i], NULL);
        }
    }
    FA__EACH_BIT (i, n->op->of[FA__TENSORS]) {
        fa_tensors *list = (fa_tensors *)((char *)n->args + n->op->fields[i].offset);
        if (!all && !(n->kept >> i & 1))
            continue;
        for (size_t k = 0; k < list->count; k++)
            fa__unref(list->item[k]);
        list->count = 0;
    }
}

FA__HOT void fa__node_release(fa__node *n)
{
    if (n->released)
        return;
    n->released = true;
    if (n->keeps)
        drop(n, false);
    for (uint32_t i = 0; i < n->results; i++) {
        fa__unref(n->result[i].kept);
        n->result[i].kept = NULL;
    }
}

/* Moves the hook that retains a tensor's gradient to its new node. */
static void move_retaining(fa_tensor *t, fa__node *from, fa__node *to, uint32_t slot)
{
    for (fa__hook **h = &from->hooks; *h;) {
        fa__hook *moved = *h;
        if (!moved->retain || moved->context != t->autograd) {
            h = &moved->next;
            continue;
        }
        *h = moved->next;
        moved->next = to->hooks;
        moved->slot = slot;
        to->hooks = moved;
    }
}

FA__HOT void fa__node_attach(fa_tensor *t, fa__node *n, uint32_t slot)
{
    fa__node *old = (fa__node *)t->node;
    if (FA__UNLIKELY(old && old->hooks && t->autograd && n))
        move_retaining(t, old, n, slot);
    fa__unref(old);
    t->node = n ? &n->object : NULL;
    t->slot = slot;
}

static void free_hooks(fa__hook *h)
{
    while (h) {
        fa__hook *next = h->next;
        if (h->retain)
            fa__unref(h->context);
        fa__free(h);
        h = next;
    }
}

static FA__HOT void node_destroy(fa__object *o)
{
    fa__node *n = (fa__node *)o;
    fa__node_release(n);
    if (n->shape_only)
        drop(n, true);
    for (uint32_t i = 0; i < n->edges; i++)
        fa__unref(n->edge[i].to);
    fa__unref(n->own);
    free_hooks(n->hooks);
    fa__object_free(o);
}

/* ---- autograd state of a tensor ---- */

static void autograd_destroy(fa__object *o)
{
    fa__autograd *a = (fa__autograd *)o;
    fa__unref(a->grad);
    free_hooks(a->hooks);
    free_hooks(a->after);
    free_hooks(a->followers);
    pthread_mutex_destroy(&a->lock);
    fa__object_free(o);
}

/* Several threads may do this for the same leaf; one of them succeeds. */
FA__HOT fa__autograd *fa__autograd_of(fa_tensor *t)
{
    fa__object *made = __atomic_load_n(&t->autograd, __ATOMIC_ACQUIRE);
    if (made)
        return (fa__autograd *)made;
    fa__autograd *a = fa__object_new(FA__TYPE_AUTOGRAD, sizeof *a);
    if (!a)
        return NULL;
    a->grad = NULL;
    a->hooks = a->after = a->followers = NULL;
    a->used = -1;
    a->life = a->sums = 0;
    pthread_mutex_init(&a->lock, NULL);
    if (__atomic_compare_exchange_n(&t->autograd, &made, &a->object, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return a;
    fa__unref(a);
    return (fa__autograd *)made;
}

__attribute__((__constructor__)) static void graph_types(void)
{
    fa__object_type(FA__TYPE_NODE, "node", node_destroy);
    fa__object_type(FA__TYPE_AUTOGRAD, "gradient", autograd_destroy);
}
