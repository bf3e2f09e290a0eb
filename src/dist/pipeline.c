/* A pipeline of stages: each rank runs forward and backward of micro-batches in turn (1F1B). A rank has one exchange
 * with each neighbor at a time, in both directions at once, so that no two of them wait for each other. */
#include "dist/call.h"
#include <facula/autograd.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/operations.h>
#include <facula/parallel.h>
#include <facula/tensor.h>
#include <math.h>
#include <stdlib.h>

/* ---- a tensor each way between neighbors ---- */

/* What goes ahead of a tensor: its dtype and shape. */
typedef struct head {
    int64_t dtype, rank, dim[FA_MAX_DIMS];
} head;

static head head_of(const fa_tensor *t)
{
    fa_shape shape = fa_tensor_shape(t);
    head h = {.dtype = fa_tensor_dtype(t), .rank = shape.rank};
    for (int i = 0; i < shape.rank; i++)
        h.dim[i] = shape.dim[i];
    return h;
}

static fa_tensor *room_for(const head *h)
{
    fa_shape shape = {.rank = (int)h->rank};
    for (int i = 0; i < shape.rank; i++)
        shape.dim[i] = h->dim[i];
    return fa_empty(shape, .dtype = (fa_dtype)h->dtype, .device = FA_CPU);
}

/* Sends and receives at the same time; either of them may be NULL. */
static bool exchange(fa_group *group, int peer, const void *out, size_t out_bytes, void *in, size_t in_bytes)
{
    fa__transfer t[2];
    size_t count = 0;
    if (out)
        t[count++] = (fa__transfer){.peer = peer, .data = out, .bytes = out_bytes};
    if (in)
        t[count++] = (fa__transfer){.peer = peer, .receives = true, .into = in, .bytes = in_bytes};
    return fa__exchange(group->wire, (fa__message){.name = "pipeline", .phase = FA__DIRECT}, t, count);
}

/* Sends `out` to a neighbor, unless it is NULL, and receives *in, unless that is. */
static bool swap(fa_group *group, int peer, const fa_tensor *out, fa_tensor **in)
{
    FA__DIST_TURN(group);
    head theirs = {0}, ours = out ? head_of(out) : theirs;
    fa_tensor *host = out ? fa_contiguous(fa_cpu(out)) : NULL;
    if (fa_error_stands()
        || !exchange(group, peer, out ? &ours : NULL, sizeof ours, in ? &theirs : NULL, sizeof theirs))
        return false;
    if (in && !(*in = room_for(&theirs)))
        return false;
    const char *bytes = fa__dist_bytes(host, false);
    char *into = in ? fa__dist_bytes(*in, true) : NULL;
    return !fa_error_stands() && exchange(group, peer, bytes, out ? fa_nbytes(out) : 0, into, in ? fa_nbytes(*in) : 0);
}

/* ---- a step ---- */

typedef struct step {
    fa_module *stage;
    fa_group *group;
    fa_tensors input, target; /* micro-batches, on the first and the last rank */
    fa_dist_loss *loss;
    void *context;
    int64_t count;
    fa_tensor **x, **y; /* references to the input and output of each micro-batch that waits for its backward */
    double sum;         /* of the losses */
    fa_device device;   /* of the stage */
    bool first, last, trains;
} step;

static void hold(fa_tensor **slot, fa_tensor *t)
{
    fa__hold(t);
    fa__unhold(*slot);
    *slot = t;
}

static bool run_forward(step *s, int64_t k, fa_tensor *received)
{
    FA_SCOPE;
    fa_tensor *x = s->first ? s->input.item[k] : fa_to(received, s->device);
    if (!s->first && s->trains && !fa_set_requires_grad(x, true))
        return false;
    fa_tensor *y = fa_forward(s->stage, x);
    if (s->last && y) {
        y = s->loss(y, s->target.item[k], s->context);
        s->sum += y ? fa_item(y) : 0;
        y = fa_div(y, (double)s->count);
    }
    hold(&s->x[k], x);
    hold(&s->y[k], y);
    return y && !fa_error_stands();
}

/* Returns the gradient of the input, for the rank before. */
static bool run_backward(step *s, int64_t k, fa_tensor *grad, fa_tensor **gx)
{
    fa_tensor *gy = grad ? fa_to(grad, fa_tensor_device(s->y[k])) : NULL;
    bool good = !fa_error_stands() && fa_backward(s->y[k], .grad = gy);
    *gx = good && !s->first ? fa_grad(s->x[k]) : NULL;
    if (good && !s->first && !*gx)
        *gx = fa_zeros_like(s->x[k]);
    hold(&s->x[k], NULL);
    hold(&s->y[k], NULL);
    return good && (s->first || *gx);
}

static bool from_before(step *s, const fa_tensor *gx, fa_tensor **x)
{
    return s->first || (!gx && !x) || swap(s->group, fa_dist_rank(s->group) - 1, gx, x);
}

static bool with_next(step *s, const fa_tensor *y, fa_tensor **gy)
{
    return s->last || swap(s->group, fa_dist_rank(s->group) + 1, y, gy);
}

/* Forward of micro-batch k, whose output goes on. */
static bool go_forward(step *s, int64_t k)
{
    FA_SCOPE;
    fa_tensor *x = NULL;
    bool good = from_before(s, NULL, &x) && run_forward(s, k, x) && with_next(s, s->y[k], NULL);
    if (!s->trains) {
        hold(&s->x[k], NULL);
        hold(&s->y[k], NULL);
    }
    return good;
}

/* Backward of micro-batch k, whose gradient comes from the next rank. */
static bool go_backward(step *s, int64_t k)
{
    FA_SCOPE;
    fa_tensor *gy = NULL, *gx = NULL;
    return with_next(s, NULL, &gy) && run_backward(s, k, gy, &gx) && from_before(s, gx, NULL);
}

/* Forward of one micro-batch and backward of an earlier one in turn; the exchanges of both are one. */
static bool alternate(step *s, int64_t ahead)
{
    fa_tensor *x = NULL;
    fa_tensor *next = NULL;
    bool good = from_before(s, NULL, &x);
    hold(&next, x);
    for (int64_t k = 0; good && k + ahead < s->count; k++) {
        FA_SCOPE;
        fa_tensor *gy = NULL, *gx = NULL, *more = NULL;
        good = run_forward(s, k + ahead, next) && with_next(s, s->y[k + ahead], &gy) && run_backward(s, k, gy, &gx)
               && from_before(s, gx, k + ahead + 1 < s->count ? &more : NULL);
        hold(&next, more);
    }
    fa__unhold(next);
    return good;
}

static bool run_all(step *s)
{
    int64_t behind = fa_dist_size(s->group) - 1 - fa_dist_rank(s->group);
    int64_t ahead = !s->trains || behind > s->count ? s->count : behind;
    for (int64_t k = 0; k < ahead; k++)
        if (!go_forward(s, k))
            return false;
    if (!s->trains)
        return true;
    if (ahead < s->count && !alternate(s, ahead))
        return false;
    for (int64_t k = s->count - ahead; k < s->count; k++)
        if (!go_backward(s, k))
            return false;
    return true;
}

/* ---- the call ---- */

/* The micro-batches of t, of equal size. */
static bool split(const fa_tensor *t, int64_t count, const char *what, fa_tensors *parts)
{
    if (!t || fa_dim(t) < 1 || fa_size(t, 0) % count || !fa_size(t, 0))
        return fa_fail(FA_ERROR_SHAPE, "fa_dist_pipeline_step: the %s cannot be split into %lld micro-batches", what,
                       (long long)count);
    *parts = fa_split(t, fa_size(t, 0) / count);
    return parts->count == (size_t)count;
}

/* Whether operations are recorded now. */
static bool records(void)
{
    const fa_tensor *leaf = fa_zeros(FA_SCALAR, .requires_grad = true, .device = FA_CPU);
    const fa_tensor *result = leaf ? fa_neg(leaf) : NULL;
    return result && fa_requires_grad(result);
}

static bool prepare(step *s, const fa_tensor *input, const fa_tensor *target)
{
    if (s->count < 1 || s->count > 1 << 20)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_dist_pipeline_step: %lld micro-batches", (long long)s->count);
    fa_parameters p = fa_module_parameters(s->stage);
    s->device = p.count ? fa_tensor_device(p.item[0]) : FA_CPU;
    s->x = calloc((size_t)s->count, sizeof *s->x);
    s->y = calloc((size_t)s->count, sizeof *s->y);
    if (!s->x || !s->y)
        return fa_fail(FA_ERROR_MEMORY, "fa_dist_pipeline_step: out of memory");
    return !fa_error_stands() && (!s->first || split(input, s->count, "input", &s->input))
           && (!s->last || split(target, s->count, "target", &s->target));
}

static void clear(step *s)
{
    for (int64_t k = 0; s->x && s->y && k < s->count; k++) {
        fa__unhold(s->x[k]);
        fa__unhold(s->y[k]);
    }
    free(s->x);
    free(s->y);
}

double(fa_dist_pipeline_step)(fa_module *stage, fa_tensor *input, fa_tensor *target, fa_dist_loss *loss,
                              fa_group *group, const fa_dist_pipeline_step_options *options)
{
    fa_dist_pipeline_step_options o = FA__DEFAULT_fa_dist_pipeline_step;
    fa__options_read(&o, o.size, options);
    if (fa_error_stands() || !fa__group_check(group, "fa_dist_pipeline_step"))
        return NAN;
    FA_SCOPE;
    int rank = fa_dist_rank(group), ranks = fa_dist_size(group);
    step s = {.stage = stage,
              .group = group,
              .loss = loss,
              .context = o.context,
              .count = o.micro_batches,
              .first = rank == 0,
              .last = rank == ranks - 1,
              .trains = records()};
    bool good = prepare(&s, input, target) && run_all(&s);
    clear(&s);
    fa_tensor *mean = good ? fa_full(FA_SHAPE(1), s.sum / (double)s.count, .dtype = FA_F64, .device = FA_CPU) : NULL;
    return mean && fa_dist_broadcast(mean, ranks - 1, group) ? fa_item(mean) : NAN;
}
