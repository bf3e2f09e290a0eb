/* Collective calls by NCCL: each is issued to the communicator's stream, behind the work on its tensors. */
#include "dist/nccl.h"
#include <facula/cuda.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/ops/create.h>
#include <facula/ops/shape.h>
#include <facula/tensor.h>
#include <string.h>

enum { INT8 = 0, SUCCESS = 0 };

/* Who sends to whom, in a call made of messages. */
typedef enum way { ALL_TO_ALL, TO_ROOT, FROM_ROOT } way;

/* What one call issues. Sizes are in elements, or in bytes for calls that only move. */
typedef struct call {
    fa__nccl *n;
    const char *name;
    const fa_tensor *from, *into; /* NULL: nothing is read, or written, on this rank */
    size_t count, part;           /* part: bytes for each rank */
    int type, op, root;
    way way;
    int (*run)(const struct call *, void *comm, void *stream);
} call;

static const void *source(const call *c)
{
    return c->from ? fa__cuda_address(c->from) : NULL;
}

static void *target(const call *c)
{
    return c->into ? fa__cuda_address(c->into) : NULL;
}

/* ---- what is issued ---- */

static int run_all_reduce(const call *c, void *comm, void *stream)
{
    return fa__nccl_functions.all_reduce(source(c), target(c), c->count, c->type, c->op, comm, stream);
}

static int run_reduce(const call *c, void *comm, void *stream)
{
    return fa__nccl_functions.reduce(source(c), target(c), c->count, c->type, c->op, c->root, comm, stream);
}

static int run_reduce_scatter(const call *c, void *comm, void *stream)
{
    return fa__nccl_functions.reduce_scatter(source(c), target(c), c->count, c->type, c->op, comm, stream);
}

/* The root has the result already: its tensor is both. */
static int run_broadcast(const call *c, void *comm, void *stream)
{
    void *memory = fa__cuda_address(c->from ? c->from : c->into);
    return fa__nccl_functions.broadcast(memory, memory, c->count, INT8, c->root, comm, stream);
}

static int run_all_gather(const call *c, void *comm, void *stream)
{
    return fa__nccl_functions.all_gather(source(c), target(c), c->count, INT8, comm, stream);
}

/* The part of a rank in memory that has one for each, or all of it if each rank has one. */
static char *part_at(const void *memory, bool parts, int rank, size_t bytes)
{
    return (char *)(uintptr_t)memory + (parts ? (size_t)rank * bytes : 0);
}

/* Messages to and from all ranks, or the root alone, with this rank among them. */
static int run_parts(const call *c, void *comm, void *stream)
{
    const int ranks = c->n->wire->size;
    int code = fa__nccl_functions.group_start();
    for (int i = 0; i < ranks && code == SUCCESS; i++) {
        const bool sends = c->from && (c->way != TO_ROOT || i == c->root),
                   receives = c->into && (c->way != FROM_ROOT || i == c->root);
        if (sends)
            code = fa__nccl_functions.send(part_at(source(c), c->way != TO_ROOT, i, c->part), c->part, INT8, i, comm,
                                           stream);
        if (receives && code == SUCCESS)
            code = fa__nccl_functions.recv(part_at(target(c), c->way != FROM_ROOT, i, c->part), c->part, INT8, i, comm,
                                           stream);
    }
    const int ended = fa__nccl_functions.group_end();
    return code ? code : ended;
}

static int run_direct(const call *c, void *comm, void *stream)
{
    return c->into ? fa__nccl_functions.recv(target(c), c->count, INT8, c->root, comm, stream)
                   : fa__nccl_functions.send(source(c), c->count, INT8, c->root, comm, stream);
}

/* ---- issuing ---- */

static bool issue(void *context, void *stream)
{
    const call *c = context;
    const int code = c->run(c, c->n->handle, stream);
    if (code == SUCCESS)
        return true;
    char text[300];
    snprintf(text, sizeof text, "%s: NCCL failed on cuda:%d: %.200s (%d)", c->name, (int)c->n->device.index,
             fa__nccl_functions.get_error_string(code), code);
    return fa__wire_fail(c->n->wire, FA_ERROR_DEVICE, text);
}

static bool make(call c)
{
    fa__cuda_use use[2];
    size_t count = 0;
    if (fa_error_stands())
        return false;
    c.type = c.from ? fa__nccl_type(fa_tensor_dtype(c.from)) : 0;
    if (c.from && c.from != c.into)
        use[count++] = (fa__cuda_use){c.from, false};
    if (c.into)
        use[count++] = (fa__cuda_use){c.into, true};
    if (!fa__cuda_issue(c.n->stream, count, use, issue, &c))
        return false;
    c.n->name = c.name;
    fa__nccl_watch_note(c.n);
    return true;
}

/* NCCL's numbers of fa_dist_op */
static int number_of(fa_dist_op op)
{
    static const int numbers[] = {
        [FA_DIST_SUM] = 0, [FA_DIST_PRODUCT] = 1, [FA_DIST_MAX] = 2, [FA_DIST_MIN] = 3, [FA_DIST_MEAN] = 4};
    return numbers[op];
}

/* t itself, or a contiguous copy. */
static fa_tensor *dense(const fa_tensor *t)
{
    return fa_contiguous((fa_tensor *)(uintptr_t)t);
}

static bool put_back(fa_tensor *t, const fa_tensor *x)
{
    return x == t || fa_copy_(t, x) != NULL;
}

/* (more, ...) with the dimensions of t behind it; more < 0: (n / -more, ...) for (n, ...). */
static fa_tensor *result(const fa_tensor *t, int more)
{
    fa_shape shape = fa_tensor_shape(t);
    if (more > 0 && shape.rank == FA_MAX_DIMS) {
        fa_fail(FA_ERROR_SHAPE, "fa_dist_all_gather: the result has more than %d dimensions", FA_MAX_DIMS);
        return NULL;
    }
    if (more > 0) {
        memmove(shape.dim + 1, shape.dim, (size_t)shape.rank++ * sizeof *shape.dim);
        shape.dim[0] = more;
    } else if (more < 0)
        shape.dim[0] /= -more;
    return fa_empty(shape, .dtype = fa_tensor_dtype(t), .device = fa_tensor_device(t));
}

/* ---- the calls ---- */

bool fa__nccl_all_reduce(fa__nccl *n, fa_tensor *t, fa_dist_op op)
{
    FA_USE(.stream = n->stream);
    fa_tensor *x = dense(t);
    return x
           && make((call){.n = n,
                          .name = "all_reduce",
                          .from = x,
                          .into = x,
                          .count = (size_t)fa_numel(t),
                          .op = number_of(op),
                          .run = run_all_reduce})
           && put_back(t, x);
}

bool fa__nccl_reduce(fa__nccl *n, fa_tensor *t, int root, fa_dist_op op)
{
    FA_USE(.stream = n->stream);
    const bool here = n->wire->rank == root;
    fa_tensor *x = dense(t);
    return x
           && make((call){.n = n,
                          .name = "reduce",
                          .from = x,
                          .into = here ? x : NULL,
                          .count = (size_t)fa_numel(t),
                          .op = number_of(op),
                          .root = root,
                          .run = run_reduce})
           && (!here || put_back(t, x));
}

fa_tensor *fa__nccl_reduce_scatter(fa__nccl *n, const fa_tensor *t, fa_dist_op op)
{
    FA_USE(.stream = n->stream);
    fa_tensor *x = dense(t), *y = result(t, -n->wire->size);
    bool good = x && y
                && make((call){.n = n,
                               .name = "reduce_scatter",
                               .from = x,
                               .into = y,
                               .count = (size_t)fa_numel(y),
                               .op = number_of(op),
                               .run = run_reduce_scatter});
    return good ? y : NULL;
}

bool fa__nccl_broadcast(fa__nccl *n, fa_tensor *t, int root)
{
    FA_USE(.stream = n->stream);
    const bool here = n->wire->rank == root;
    fa_tensor *x = dense(t);
    return x
           && make((call){.n = n,
                          .name = "broadcast",
                          .from = here ? x : NULL,
                          .into = here ? NULL : x,
                          .count = fa_nbytes(t),
                          .root = root,
                          .run = run_broadcast})
           && (here || put_back(t, x));
}

bool fa__nccl_gather_into(fa__nccl *n, fa_tensor *all, const fa_tensor *part)
{
    FA_USE(.stream = n->stream);
    return make((call){
        .n = n, .name = "all_gather", .from = part, .into = all, .count = fa_nbytes(part), .run = run_all_gather});
}

fa_tensor *fa__nccl_all_gather(fa__nccl *n, const fa_tensor *t)
{
    FA_USE(.stream = n->stream);
    fa_tensor *x = dense(t), *y = result(t, n->wire->size);
    return x && y && fa__nccl_gather_into(n, y, x) ? y : NULL;
}

fa_tensor *fa__nccl_gather(fa__nccl *n, const fa_tensor *t, int root)
{
    FA_USE(.stream = n->stream);
    const bool here = n->wire->rank == root;
    fa_tensor *x = dense(t), *y = here ? result(t, n->wire->size) : (fa_tensor *)(uintptr_t)t;
    bool good = x && y
                && make((call){.n = n,
                               .name = "gather",
                               .from = x,
                               .into = here ? y : NULL,
                               .part = fa_nbytes(t),
                               .way = TO_ROOT,
                               .root = root,
                               .run = run_parts});
    return good ? y : NULL;
}

bool fa__nccl_scatter(fa__nccl *n, fa_tensor *t, const fa_tensor *all, int root)
{
    FA_USE(.stream = n->stream);
    const bool here = n->wire->rank == root;
    fa_tensor *x = dense(t), *parts = here ? dense(fa_to(all, n->device)) : NULL;
    return x && (!here || parts)
           && make((call){.n = n,
                          .name = "scatter",
                          .from = parts,
                          .into = x,
                          .part = fa_nbytes(t),
                          .way = FROM_ROOT,
                          .root = root,
                          .run = run_parts})
           && put_back(t, x);
}

fa_tensor *fa__nccl_all_to_all(fa__nccl *n, const fa_tensor *t)
{
    FA_USE(.stream = n->stream);
    fa_tensor *x = dense(t), *y = result(t, 0);
    bool good = x && y
                && make((call){.n = n,
                               .name = "all_to_all",
                               .from = x,
                               .into = y,
                               .part = fa_nbytes(t) / (size_t)n->wire->size,
                               .run = run_parts});
    return good ? y : NULL;
}

bool fa__nccl_direct(fa__nccl *n, const fa_tensor *t, int rank, bool receives)
{
    FA_USE(.stream = n->stream);
    fa_tensor *x = dense(t);
    return x
           && make((call){.n = n,
                          .name = receives ? "recv" : "send",
                          .from = receives ? NULL : x,
                          .into = receives ? x : NULL,
                          .count = fa_nbytes(t),
                          .root = rank,
                          .run = run_direct})
           && (!receives || put_back((fa_tensor *)(uintptr_t)t, x));
}
