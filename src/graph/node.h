/* Graph nodes and edges: what a recorded call leaves for backward. A result holds a reference to its node, so a node
 * must not hold references to its results: that would be a cycle. A result that backward needs is stored as a
 * detached tensor over the same elements, and gets its history back when it is used. A node's level is higher than
 * those of the nodes its edges lead to; backward always processes the highest level first, which is a topological
 * order. */
#ifndef FA__GRAPH_NODE_H
#define FA__GRAPH_NODE_H
#include "core/op.h"
#include "core/tensor.h"

/* The destination of an operand's gradient: a result of a node, or a leaf. */
typedef struct fa__edge {
    fa__object *to;   /* an fa__node, or a leaf fa_tensor; NULL: no gradient needed */
    uint32_t slot;    /* index of the node's result */
    uint64_t version; /* version of the operand's memory when it was saved */
} fa__edge;

/* A result: its shape and device, and the dtype of its gradient, for zeros if that is missing; and the result itself
 * if it is saved. */
typedef struct fa__result {
    fa_tensor *kept; /* detached; NULL: not saved */
    uint64_t version;
    fa__device *device;
    fa_dtype dtype;
    int rank;
    int64_t shape[FA_MAX_DIMS];
} fa__result;

/* Called with a gradient before it is propagated; a non-NULL return value replaces the gradient. */
typedef struct fa__hook {
    struct fa__hook *next;
    int64_t id;
    uint32_t slot;
    bool retain; /* retains the gradient of a result that is not a leaf */
    fa_tensor *(*function)(fa_tensor *grad, void *context);
    void *context;
} fa__hook;

typedef struct fa__node {
    fa__object object;
    const fa__op *op;
    uint64_t level;
    const fa__op *called; /* the composed operation that it is a part of; NULL: none that is known */
    const void *made_at;  /* as in a tensor */
    fa__hook *hooks;      /* hooks of the results */
    fa__object *own; /* an object that lives as long as the node, or NULL: a user function, or a compiled expression */
    fa__queue *queue;
    void *args;     /* the recorded arguments */
    uint32_t kept;  /* bit i: field i is saved. The node holds references to the tensors in args */
    uint32_t edges; /* fields that may hold a tensor, followed by the tensors of a list */
    uint32_t results;
    bool released;   /* saved values have been dropped */
    bool keeps;      /* something was saved: a second backward needs .retain_graph */
    bool shape_only; /* its arguments contain lists, or tensors without memory */
    bool joined;     /* at least one edge has a destination: gradients are propagated from here */
    fa__result *result;
    fa__edge edge[];
} fa__node;

/* Creates a node for a call of `op`, with room for its edges and `results`, and a copy of `args` including lists and
 * strings. In the copy, operands with a bit in `keep` are the tensors themselves, those with a bit in `shape_only` are
 * tensors with a shape but without elements, and all others are NULL; the node holds references to them. NULL and an
 * error on failure. */
fa__node *fa__node_new(const fa__op *op, const void *args, uint32_t results, uint32_t keep, uint32_t shape_only);
/* Makes t result number `slot` of a node. */
bool fa__node_result(fa__node *, uint32_t slot, fa_tensor *t, bool keep);
/* Points edge i to the destination of t's gradient. If t needs no gradient, the edge is unchanged. */
bool fa__node_edge(fa__node *, int i, fa_tensor *t);
/* Gives t, which requires gradients, another node as its history, and takes over the caller's reference to that node.
 * A hook that retains t's gradient is moved to the new node. */
void fa__node_attach(fa_tensor *t, fa__node *, uint32_t slot);
/* Drops the saved values. */
void fa__node_release(fa__node *);

/* True if t is a view of a tensor whose history has changed since t's node was created. */
static inline bool fa__outdated(const fa_tensor *t)
{
    return t->base && t->base_history != t->base->history;
}

/* True if t has a node, or would get one in fa__history(): an outdated view does if its base has a node or requires
 * gradients. */
static inline bool fa__has_history(const fa_tensor *t)
{
    return FA__UNLIKELY(fa__outdated(t)) ? t->base->requires_grad || t->base->node != NULL : t->node != NULL;
}

/* True if gradients flow through a tensor. */
static inline bool fa__needs_grad(const fa_tensor *t)
{
    return t->requires_grad || fa__has_history(t);
}

/* The node that created t, updated if t is a view whose base was modified in place since then; NULL for a leaf. Sets
 * *slot. An error is set if the update failed. */
fa__node *fa__history(const fa_tensor *t, uint32_t *slot);

/* Set by a higher layer: creates `t->node` again for a view of a modified base. */
extern bool (*fa__renew_view)(fa_tensor *view);
#endif
