/* Buckets of gradients. A hook copies each gradient into its bucket when it is complete; a full bucket is averaged by
 * the background thread of the group while backward goes on. At the end of backward the averages become the gradients.
 * Buckets are averaged in one order on all ranks: at first that of the parameters from the last to the first, later
 * that in which the gradients of rank 0 became complete. */
#include "dist/buckets.h"
#include <facula/autograd.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/ops/shape.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 1 << 20 };

typedef struct parameter {
    fa__buckets *all;
    fa_tensor *tensor; /* a reference */
    char *name;
    int64_t hook;
    size_t bucket;
    int64_t start; /* in the bucket, in elements */
    bool ready;    /* in this pass */
} parameter;

typedef struct bucket {
    fa_tensor *flat; /* the gradients one after the other; a reference */
    size_t count, left;
    fa_work *work; /* a reference */
} bucket;

struct fa__buckets {
    fa_group *group; /* a reference */
    int64_t bytes;   /* of a bucket */
    fa_dtype dtype;  /* of what is exchanged; FA_SAME: that of each gradient */
    size_t count;
    parameter *item;
    int64_t *order; /* numbers of parameters: in the order of the buckets, */
    int64_t *ready; /* and in that of this pass */
    size_t readies;
    size_t buckets, begun; /* begun: how many are being averaged */
    bucket *bucket;        /* room for as many as there are parameters */
    bool sync, in_pass, ordered;
};

/* ---- layout ---- */

static size_t bytes_of(const parameter *p)
{
    return fa_nbytes(p->tensor);
}

static bool goes_along(const parameter *a, const parameter *b)
{
    return fa_tensor_dtype(a->tensor) == fa_tensor_dtype(b->tensor)
           && fa_device_equal(fa_tensor_device(a->tensor), fa_tensor_device(b->tensor));
}

static void drop_buckets(fa__buckets *b)
{
    for (size_t k = 0; k < b->buckets; k++) {
        fa__unhold(b->bucket[k].flat);
        fa__unhold(b->bucket[k].work);
    }
    memset(b->bucket, 0, b->count * sizeof *b->bucket);
    b->buckets = 0;
}

/* The next bucket, of parameters from number `first` of the order on. Returns how many; 0 and an error on failure. */
static size_t add_bucket(fa__buckets *b, size_t first)
{
    bucket *k = &b->bucket[b->buckets];
    const parameter *head = &b->item[b->order[first]];
    size_t most = b->buckets || b->bytes < FIRST_BYTES ? (size_t)b->bytes : FIRST_BYTES, bytes = 0;
    int64_t elements = 0;
    while (first + k->count < b->count) {
        parameter *p = &b->item[b->order[first + k->count]];
        if (k->count && (!goes_along(head, p) || bytes + bytes_of(p) > most))
            break;
        p->bucket = b->buckets;
        p->start = elements;
        elements += fa_numel(p->tensor);
        bytes += bytes_of(p);
        k->count++;
    }
    fa_dtype dtype = b->dtype == FA_SAME ? fa_tensor_dtype(head->tensor) : b->dtype;
    k->flat = fa__hold(fa_zeros(FA_SHAPE(elements), .dtype = dtype, .device = fa_tensor_device(head->tensor)));
    b->buckets++;
    return k->flat ? k->count : 0;
}

static bool lay_out(fa__buckets *b)
{
    FA_SCOPE;
    drop_buckets(b);
    for (size_t first = 0, count; first < b->count; first += count)
        if (!(count = add_bucket(b, first)))
            return false;
    return true;
}

/* ---- a backward pass ---- */

static fa_tensor *slice(const fa__buckets *b, const parameter *p)
{
    fa_tensor *part = fa_narrow(b->bucket[p->bucket].flat, 0, p->start, fa_numel(p->tensor));
    return part ? fa_view(part, fa_tensor_shape(p->tensor)) : NULL;
}

/* Starts averaging the buckets that are full, in their order. */
static bool start_full(fa__buckets *b)
{
    for (; b->begun < b->buckets && b->bucket[b->begun].left == 0; b->begun++) {
        bucket *k = &b->bucket[b->begun];
        k->work = fa__hold(fa_dist_all_reduce_start(k->flat, b->group, .op = FA_DIST_MEAN));
        if (!k->work)
            return false;
    }
    return true;
}

/* A gradient, or NULL for zeros, takes its place. */
static bool fill(fa__buckets *b, const parameter *p, fa_tensor *grad)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_tensor *to = slice(b, p);
    if (!to || !(grad ? fa_copy_(to, grad) : fa_copy_(to, 0)))
        return false;
    b->bucket[p->bucket].left--;
    return true;
}

/* Which parameters any rank has a gradient for. Gradients of parameters that this rank did not use in the pass are
 * those accumulated before, or zeros; with `none`, all are zeros. */
static bool complete(fa__buckets *b, bool none, fa_tensor **used)
{
    uint8_t *here = calloc(b->count + 1, 1);
    bool good = true;
    if (!here)
        return fa_fail(FA_ERROR_MEMORY, "fa_dist_data_parallel: out of memory");
    for (size_t i = 0; good && i < b->count; i++) {
        const parameter *p = &b->item[b->order[i]];
        fa_tensor *grad = none ? NULL : fa_grad(p->tensor);
        here[b->order[i]] = grad != NULL;
        if (!p->ready)
            good = fill(b, p, grad) && start_full(b);
    }
    *used = good ? fa_tensor_from(here, FA_SHAPE((int64_t)b->count), .dtype = FA_U8, .device = FA_CPU) : NULL;
    free(here);
    return *used && fa_dist_all_reduce(*used, b->group, .op = FA_DIST_MAX);
}

/* The averages become the gradients. */
static bool take(fa__buckets *b, fa_tensor *used)
{
    const uint8_t *any = fa_ptr_u8(used);
    for (size_t i = 0; any && i < b->count; i++) {
        FA_SCOPE;
        const parameter *p = &b->item[i];
        fa_tensor *mean = any[i] ? slice(b, p) : NULL, *grad = mean ? fa_grad(p->tensor) : NULL;
        if (grad ? !fa_copy_(grad, mean)
                 : mean && !fa_set_grad(p->tensor, fa_to(mean, fa_tensor_dtype(p->tensor), .copy = true)))
            return false;
    }
    return any && !fa_error_stands();
}

static bool wait_for_all(fa__buckets *b)
{
    bool good = true;
    for (size_t k = 0; k < b->buckets; k++) {
        good = b->bucket[k].work && fa_work_wait(b->bucket[k].work) && good;
        fa__unhold(b->bucket[k].work);
        b->bucket[k].work = NULL;
    }
    return good;
}

/* All ranks take the order of rank 0. */
static bool put_in_order(fa__buckets *b)
{
    for (size_t i = 0; i < b->count; i++)
        if (!b->item[i].ready)
            b->ready[b->readies++] = (int64_t)i;
    fa_tensor *order = fa_tensor_from(b->ready, FA_SHAPE((int64_t)b->count), .device = FA_CPU);
    b->ordered = true;
    return order && fa_dist_broadcast(order, 0, b->group) && fa_read(order, b->order, FA_I64, (int64_t)b->count)
           && lay_out(b);
}

static bool average(fa__buckets *b, bool none)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    fa_tensor *used = NULL;
    bool good = complete(b, none, &used) && wait_for_all(b) && take(b, used) && (b->ordered || put_in_order(b));
    return good || fa_fail(FA_ERROR_INTERNAL, "fa_dist_data_parallel: gradients were not averaged");
}

static bool end_pass(void *context, bool good)
{
    fa__buckets *b = context;
    b->in_pass = false;
    return good && average(b, false);
}

static void prepare(fa__buckets *b)
{
    b->readies = b->begun = 0;
    for (size_t i = 0; i < b->count; i++)
        b->item[i].ready = false;
    for (size_t k = 0; k < b->buckets; k++) {
        b->bucket[k].left = b->bucket[k].count;
        fa__unhold(b->bucket[k].work); /* of a pass that failed */
        b->bucket[k].work = NULL;
    }
}

static bool begin_pass(fa__buckets *b)
{
    b->in_pass = true;
    prepare(b);
    return fa__after_backward(end_pass, b);
}

bool fa__buckets_without(fa__buckets *b)
{
    prepare(b);
    return average(b, true);
}

static fa_tensor *gradient_is_complete(fa_tensor *grad, void *context)
{
    parameter *p = context;
    fa__buckets *b = p->all;
    if (!b->sync || (!b->in_pass && !begin_pass(b)))
        return NULL;
    if (p->ready)
        fa_fail(FA_ERROR_STATE,
                "fa_dist_data_parallel: \"%s\" gets its gradient twice in one backward pass: its layer runs in several "
                "checkpointed parts",
                p->name);
    else if (fill(b, p, grad)) {
        p->ready = true;
        b->ready[b->readies++] = p - b->item;
        start_full(b);
    }
    return NULL;
}

/* ---- creation ---- */

void fa__buckets_sync(fa__buckets *b, bool sync)
{
    b->sync = sync;
}

static bool add_parameter(fa__buckets *b, fa_tensor *tensor, const char *name)
{
    parameter *p = &b->item[b->count];
    p->all = b;
    p->name = strdup(name);
    p->hook = p->name ? fa_hook_after(tensor, gradient_is_complete, p) : 0;
    if (!p->hook)
        return fa_fail(FA_ERROR_MEMORY, "fa_dist_data_parallel: out of memory");
    p->tensor = fa__hold(tensor);
    b->count++;
    return true;
}

static bool add_parameters(fa__buckets *b, fa_parameters list)
{
    b->item = calloc(list.count + 1, sizeof *b->item);
    b->order = calloc(2 * list.count + 1, sizeof *b->order);
    b->bucket = calloc(list.count + 1, sizeof *b->bucket);
    if (!b->item || !b->order || !b->bucket)
        return fa_fail(FA_ERROR_MEMORY, "fa_dist_data_parallel: out of memory");
    for (size_t i = 0; i < list.count; i++)
        if (fa_requires_grad(list.item[i]) && !add_parameter(b, list.item[i], list.name[i]))
            return false;
    for (size_t i = 0; i < b->count; i++)
        b->order[i] = (int64_t)(b->count - 1 - i);
    b->ready = b->order + list.count;
    return !fa_error_stands();
}

fa__buckets *fa__buckets_new(fa_module *module, fa_group *group, int64_t bytes, fa_dtype dtype)
{
    FA_SCOPE;
    fa__buckets *b = calloc(1, sizeof *b);
    if (!b) {
        fa_fail(FA_ERROR_MEMORY, "fa_dist_data_parallel: out of memory");
        return NULL;
    }
    fa__hooks_early(1);
    b->group = fa__hold(group);
    b->bytes = bytes;
    b->dtype = dtype;
    b->sync = true;
    if (add_parameters(b, fa_module_parameters(module)) && lay_out(b))
        return b;
    fa__buckets_free(b);
    return NULL;
}

void fa__buckets_free(fa__buckets *b)
{
    fa__hooks_early(-1);
    if (b->bucket)
        drop_buckets(b);
    for (size_t i = 0; i < b->count; i++) {
        fa_unhook(b->item[i].tensor, b->item[i].hook);
        fa__unhold(b->item[i].tensor);
        free(b->item[i].name);
    }
    fa__unhold(b->group);
    free(b->item);
    free(b->order);
    free(b->bucket);
    free(b);
}
