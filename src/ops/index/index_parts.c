/* Indexing with tensors and masks: fa_index and fa_index_put_. First the other entries make a view; then the dimensions
 * that tensors index are moved to the front of that view, and one combined index selects slices over all of them. */
#include "base/site.h"
#include "base/text.h"
#include "dispatch/call.h"
#include "ops/index/entries.h"
#include "ops/index/index.h"

static const fa__field fields[] = {{"x", FA__TENSOR, false, offsetof(fa__index_args, x)},
                                   {"index", FA__STRING, false, offsetof(fa__index_args, index)},
                                   {"value", FA__NUMBER, false, offsetof(fa__index_args, value)}};

static const fa__op ops[] = {
    {.name = "index", .id = FA__OP_expression, .fields = fields, .nfields = 2, .nresults = 1},
    {.name = "index_put", .id = FA__OP_expression, .fields = fields, .nfields = 3, .nresults = 1},
    {.name = "index_put_", .id = FA__OP_expression, .fields = fields, .nfields = 3, .nresults = 1},
};

/* The state of one indexing call. */
typedef struct plan {
    fa__call call;
    fa__attribution attribution;
    fa__index_args args;
    fa_tensor *x; /* args.x on the device of the call; for fa_index_put() a copy */
    bool accumulate;
    fa_dtype cast; /* what autocast makes of x and the value; FA_SAME: nothing */
    char text[200];
    fa__entry entry[FA__MOST_ENTRIES];
    int entries, tensors;
    fa_tensor *view; /* view of x with the indexed dimensions in front */
    int lead;        /* how many of them there are */
    fa_shape size;   /* their sizes, and their numbers in x */
    int source[FA_MAX_DIMS];
    int at;      /* where the indexed dimensions go in the result */
    size_t mark; /* how many references the scopes held before */
} plan;

/* ---- parts to entries ---- */

static bool add_tensor(plan *p, const fa_tensor *t)
{
    if (fa__dtype_is_float(t->dtype))
        return fa__call_fail(&p->call, FA_ERROR_DTYPE, "a part is %s: an index is of integers or bool",
                             fa_dtype_name((fa_dtype)t->dtype));
    p->tensors++;
    p->entry[p->entries++] =
        (fa__entry){.kind = FA__ENTRY_TENSOR, .tensor = t, .covers = t->dtype == FA_BOOL ? t->rank : 1};
    return true;
}

static bool add_part(plan *p, const fa__indexing *g, const fa_index_part *part)
{
    if (p->entries == FA__MOST_ENTRIES)
        return fa__index_fails(g, "there are too many entries") != NULL;
    if (part->is_tensor)
        return add_tensor(p, part->tensor);
    if (part->text) {
        const fa__indexing of_text = {.name = g->name, .where = part->text, .x = g->x};
        int n = fa__entries_read(&of_text, p->entry, p->entries);
        p->entries = n < 0 ? p->entries : n;
        return n >= 0;
    }
    p->entry[p->entries++] = (fa__entry){.kind = FA__ENTRY_INTEGER, .start = part->number};
    return true;
}

/* ---- where the tensors stand ---- */

static bool is_advanced(const fa__entry *e)
{
    return e->kind == FA__ENTRY_TENSOR || e->kind == FA__ENTRY_INTEGER;
}

/* The position of the first tensor or integer entry if they are all adjacent, else 0 (NumPy's rule). */
static int place_of_tensors(const plan *p)
{
    int first = 0, last = p->entries - 1;
    while (!is_advanced(&p->entry[first]))
        first++;
    while (!is_advanced(&p->entry[last]))
        last--;
    for (int i = first; i <= last; i++)
        if (!is_advanced(&p->entry[i]))
            return 0;
    return p->entry[first].at;
}

/* Moves the indexed dimensions to the front; the order of the others is kept. */
static bool bring_forward(plan *p)
{
    fa_shape order = {.rank = p->view->rank};
    unsigned taken = 0;
    for (int i = 0; i < p->entries; i++)
        for (int k = 0; p->entry[i].kind == FA__ENTRY_TENSOR && k < p->entry[i].covers; k++) {
            int d = p->entry[i].at + k;
            p->source[p->lead] = p->entry[i].source + k;
            p->size.dim[p->lead] = p->view->shape[d];
            order.dim[p->lead++] = d;
            taken |= 1U << d;
        }
    for (int d = 0, n = p->lead; d < p->view->rank; d++)
        if (!(taken >> d & 1))
            order.dim[n++] = d;
    p->size.rank = p->lead;
    p->at = place_of_tensors(p);
    p->view = fa_permute(p->view, order);
    return p->view != NULL;
}

/* Checks that all tensors are live, and counts the tensors in the index. */
static bool check_tensors(const plan *p, fa_index_parts index, int *tensors)
{
    const fa_tensor *value = fa__index_value(&p->args);
    for (size_t i = 0; i < index.count; i++)
        if (index.item[i].is_tensor && (++*tensors, !fa__tensor_check(index.item[i].tensor, "a part of the index")))
            return false;
    return (p->args.value.kind != FA__ARG_TENSOR) || fa__tensor_check(value, "the value");
}

/* The tensor on the device of the call. */
static fa_tensor *beside(const plan *p, const fa_tensor *t)
{
    if (fa__tensor_device(t) == p->call.plan.device)
        return (fa_tensor *)(uintptr_t)t;
    FA__WORK_FOR(fa__asked_for(&p->call));
    return fa_to(t, p->call.plan.device->id);
}

/* As in PyTorch, fa_index_put() on GPUs takes the widest dtype of x and the value. */
static fa_dtype autocast_of(const plan *p)
{
    const fa_arg value = p->args.value;
    const fa_tensor *t = value.kind == FA__ARG_TENSOR ? fa__tensor_in(value) : NULL;
    if (p->call.op != &ops[1] || fa__ctx()->settings->autocast == FA_SAME || p->call.plan.device->host || !t
        || !fa__autocasts(p->args.x) || !fa__autocasts(t))
        return FA_SAME;
    return fa__promote((fa_dtype)p->args.x->dtype, (fa_dtype)t->dtype);
}

/* A copy of x on the device of the call */
static fa_tensor *copied(const plan *p)
{
    const fa_tensor *x = p->args.x;
    if (p->cast != FA_SAME && p->cast != (fa_dtype)x->dtype) {
        x = beside(p, x);
        return x ? fa_to(x, p->cast) : NULL;
    }
    return fa__tensor_device(x) == p->call.plan.device ? fa_clone(x) : beside(p, x);
}

/* Chooses the device of the call and moves x there. */
static bool settle(plan *p, fa_index_parts index)
{
    int tensors = 0;
    bool copies = p->call.op == &ops[1];
    const fa_tensor *x = p->args.x;
    if (!check_tensors(p, index, &tensors))
        return false;
    const fa__indexed i = {&p->call, &p->args, p->call.op == &ops[2] || (!copies && !tensors)};
    if (!(p->call.plan.device = fa__index_device(&i, index)))
        return false;
    FA_USE(.placement = FA_PLACE_STRICT);
    p->cast = autocast_of(p);
    p->x = copies ? copied(p) : beside(p, x);
    if (p->x && copies && p->x->storage)
        p->x->storage->making = true;
    return p->x != NULL;
}

static bool begin(plan *p, const fa_tensor *x, fa_index_parts index, fa_arg value)
{
    char name[30], what[50];
    snprintf(name, sizeof name, "fa_%s", p->call.op->name);
    snprintf(what, sizeof what, "%s: the tensor", name);
    if (fa__failed() || !fa__tensor_check(x, what))
        return false;
    p->args = (fa__index_args){x, p->text, value};
    struct fa__text told = fa__text_in(p->text, sizeof p->text);
    fa__describe_index(&told, index, false);
    fa__indexing g = {.name = name, .where = p->text, .x = x};
    if (!index.count)
        return fa__index_fails(&g, "there is nothing in the index") != NULL;
    if (!settle(p, index))
        return false;
    g.x = p->x;
    for (size_t i = 0; i < index.count; i++)
        if (!add_part(p, &g, &index.item[i]))
            return false;
    p->view = fa__entries_view(&g, p->entry, p->entries);
    return p->view && (!p->tensors || bring_forward(p));
}

/* ---- one combined index over the leading dimensions ---- */

static bool mask_fits(plan *p, const fa__entry *e, int first)
{
    for (int k = 0; k < e->covers; k++)
        if (e->tensor->shape[k] != p->size.dim[first + k])
            return fa__call_fail(
                &p->call, FA_ERROR_INDEX, "a mask has size %lld in dimension %d, but dimension %d of x has %lld",
                (long long)e->tensor->shape[k], k, p->source[first + k], (long long)p->size.dim[first + k]);
    return true;
}

/* The row-major positions that a tensor entry selects in the dimensions it indexes; `first` is the first of these. */
static fa_tensor *places_of(plan *p, const fa__entry *e, int first)
{
    bool mask = e->tensor->dtype == FA_BOOL;
    if (mask && !mask_fits(p, e, first))
        return NULL;
    fa_tensor *t = beside(p, e->tensor);
    if (!t)
        return NULL;
    return mask ? fa__places_of_mask(&p->call, t) : fa__index_at(t, p->source[first], p->size.dim[first]);
}

static fa_tensor *all_places(plan *p)
{
    fa_tensor *all = NULL;
    int first = 0;
    for (int i = 0; i < p->entries; i++) {
        const fa__entry *e = &p->entry[i];
        int64_t size = 1;
        if (e->kind != FA__ENTRY_TENSOR)
            continue;
        fa_tensor *places = places_of(p, e, first);
        for (int k = 0; k < e->covers; k++)
            if (!fa__mul_i64(size, p->size.dim[first++], &size)) {
                fa__call_fail(&p->call, FA_ERROR_INDEX, "there are more places than can be counted");
                return NULL;
            }
        all = all ? fa_add(fa_mul(all, size), places) : places;
        if (!all)
            return NULL;
    }
    return all;
}

/* Whether the index is a single mask, which selects no position twice. */
static bool is_mask_alone(const plan *p)
{
    for (int i = 0; i < p->entries; i++)
        if (p->entry[i].kind == FA__ENTRY_TENSOR)
            return p->tensors == 1 && p->entry[i].tensor->dtype == FA_BOOL;
    return false;
}

/* The shape of the result: the dimensions of `places` inserted among the remaining dimensions of the view. */
static bool result_shape(plan *p, const fa_tensor *places, fa_shape *shape)
{
    int rest = p->view->rank - p->lead;
    shape->rank = 0;
    if (rest + places->rank > FA_MAX_DIMS)
        return fa__call_fail(&p->call, FA_ERROR_SHAPE, "the result would have %d dimensions: a tensor has at most %d",
                             rest + places->rank, FA_MAX_DIMS);
    for (int i = 0; i <= rest; i++) {
        for (int k = 0; i == p->at && k < places->rank; k++)
            shape->dim[shape->rank++] = places->shape[k];
        if (i < rest)
            shape->dim[shape->rank++] = p->view->shape[p->lead + i];
    }
    return true;
}

/* The permutation that moves `count` dimensions from position `from` to position `to`. */
static fa_shape moved(int rank, int from, int to, int count)
{
    fa_shape order = {.rank = rank};
    for (int i = 0; i < rank; i++) {
        int rest = i < to ? i : i - count;
        order.dim[i] = i >= to && i < to + count ? from + i - to : rest < from ? rest : rest + count;
    }
    return order;
}

static fa_tensor *fetched(plan *p)
{
    fa_tensor *places = all_places(p);
    fa_shape shape, front = {.rank = 0};
    if (!places || !result_shape(p, places, &shape))
        return NULL;
    fa_tensor *y = fa__fetch_at(p->view, p->lead, fa_flatten(places), is_mask_alone(p));
    for (int i = 0; i < places->rank; i++)
        front.dim[front.rank++] = places->shape[i];
    for (int i = p->lead; i < p->view->rank; i++)
        front.dim[front.rank++] = p->view->shape[i];
    y = fa_reshape(y, front);
    return p->at ? fa_permute(y, moved(front.rank, 0, p->at, places->rank)) : y;
}

/* ---- assignment ---- */

/* A value broadcast to one slice for each of n positions; a number is converted to x's dtype. */
static fa_tensor *slices_for(plan *p, const fa_tensor *places, fa_arg value)
{
    fa_shape shape, slices = {.rank = 1, .dim = {fa__numel(places)}};
    if (!result_shape(p, places, &shape))
        return NULL;
    for (int i = p->lead; i < p->view->rank; i++)
        slices.dim[slices.rank++] = p->view->shape[i];
    if (value.kind != FA__ARG_TENSOR)
        return fa__number_as(value, p->view, slices);
    fa_tensor *v = fa_expand(fa__tensor_in(fa__stripped(shape.rank, value)), shape);
    return fa_reshape(p->at ? fa_permute(v, moved(shape.rank, p->at, 0, places->rank)) : v, slices);
}

/* Assigning one element through a mask does not read the mask on the host. */
static fa_tensor *fill_mask(plan *p, fa_arg value)
{
    const fa__entry *e = p->entry;
    while (e->kind != FA__ENTRY_TENSOR)
        e++;
    fa_shape shape = fa_tensor_shape(e->tensor);
    if (!mask_fits(p, e, 0))
        return NULL;
    for (int i = p->lead; i < p->view->rank; i++)
        shape.dim[shape.rank++] = 1;
    if (value.kind == FA__ARG_TENSOR)
        value = fa__arg_t(fa_reshape(fa__tensor_in(value), FA_SCALAR));
    return fa_masked_fill_(p->view, fa_reshape(beside(p, e->tensor), shape), value);
}

static bool value_fits(plan *p, fa_arg *value)
{
    const fa_tensor *t = value->kind == FA__ARG_TENSOR ? fa__tensor_in(*value) : NULL;
    if (!t)
        return true;
    if (t->dtype != p->x->dtype && p->cast == FA_SAME)
        return fa__call_fail(&p->call, FA_ERROR_DTYPE, "the value is %s and not of x's dtype",
                             fa_dtype_name((fa_dtype)t->dtype));
    t = beside(p, t);
    t = t && p->cast != FA_SAME ? fa_to(t, p->cast) : t;
    *value = fa__arg_t(t);
    return t != NULL;
}

static fa_tensor *assigned(plan *p)
{
    fa_arg value = p->args.value;
    const bool accumulate = p->accumulate;
    if (!value_fits(p, &value))
        return NULL;
    bool one = value.kind != FA__ARG_TENSOR || fa__numel(fa__tensor_in(value)) == 1;
    if (one && !accumulate && is_mask_alone(p))
        return fill_mask(p, value);
    if (!p->tensors) {
        value = fa__stripped(p->view->rank, value);
        return accumulate ? fa_add_(p->view, value) : fa_copy_(p->view, value);
    }
    fa_tensor *places = all_places(p), *slices = places ? slices_for(p, places, value) : NULL;
    return fa__place_at_(p->view, p->lead, fa_flatten(places), slices, accumulate, is_mask_alone(p));
}

/* ---- public functions ---- */

static fa_tensor *leave(plan *p, fa_tensor *y, bool stood)
{
    char text[400];
    struct fa__text description = fa__text_in(text, sizeof text);
    fa__attribution_leave(&p->attribution);
    fa__scope_trim(p->mark, y);
    if (y && !fa__outermost_call())
        fa__tensor_inner(y, false); /* the program has it */
    if (y || stood || !fa__failed() || !p->args.x || fa__self->error->code == FA_ERROR_SYNC)
        return y;
    fa__text_add(&description, "fa_");
    fa__describe_call(&description, &p->call, false);
    if (!fa__error_names(text))
        fa__error_within("%s", text);
    return NULL;
}

/* The whole call has been placed on a device; inner calls are not placed again. */
static fa_tensor *settled(plan *p, fa_tensor *(*work)(plan *))
{
    FA_USE(.placement = FA_PLACE_STRICT);
    return work(p);
}

fa_tensor *(fa_index)(const fa_tensor *x, fa_index_parts index)
{
    plan p = {.call = {.op = &ops[0], .args = &p.args, .site = FA__SITE}};
    bool stood = fa__failed();
    if (!fa__ctx())
        return NULL;
    p.mark = fa__ctx()->owned_count;
    fa__attribution_enter(&p.attribution, p.call.op, &p.call);
    fa_tensor *y = begin(&p, x, index, fa__arg_i(0)) ? p.view : NULL;
    return leave(&p, y && p.tensors ? settled(&p, fetched) : y, stood);
}

static fa_tensor *put(const fa__op *op, const fa_tensor *x, fa_index_parts index, fa_arg value,
                      const fa_index_put_options *options, const void *site)
{
    FA__COMPLETE(fa_index_put)
    plan p = {.call = {.op = op, .args = &p.args, .site = site}, .accumulate = options->accumulate};
    bool stood = fa__failed();
    if (!fa__ctx())
        return NULL;
    p.mark = fa__ctx()->owned_count;
    fa__attribution_enter(&p.attribution, op, &p.call);
    bool good = begin(&p, x, index, value) && settled(&p, assigned);
    if (p.x && p.x->storage)
        p.x->storage->making = false;
    return leave(&p, good ? p.x : NULL, stood);
}

fa_tensor *(fa_index_put)(const fa_tensor *x, fa_index_parts index, fa_arg value, const fa_index_put_options *options)
{
    return put(&ops[1], x, index, value, options, FA__SITE);
}

fa_tensor *(fa_index_put_)(fa_tensor *x, fa_index_parts index, fa_arg value, const fa_index_put_options *options)
{
    return put(&ops[2], x, index, value, options, FA__SITE);
}
