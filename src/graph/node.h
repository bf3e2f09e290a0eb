/* Nodes and edges: what a recorded call leaves behind for backward. A result has a reference to its node, so
 * that a node may have none to its results: that would be a cycle. A result that backward needs is kept as a tensor
 * over the same elements without history, and is given its history again when it is asked for. A node's level is above
 * those of the nodes that its edges lead to: backward takes the highest one first, and needs no other order. */
#ifndef FA__GRAPH_NODE_H
#define FA__GRAPH_NODE_H
#include "core/op.h"
#include "core/tensor.h"

/* Where the gradient of an operand goes: into a node's result, or into a leaf. */
typedef struct fa__edge {
    fa__object *to;   /* a fa__node, or a leaf fa_tensor; NULL: nowhere */
    uint32_t slot;    /* the node's result */
    uint64_t version; /* of the operand's memory when it was kept */
} fa__edge;

/* A result: what it takes to make zeros where its gradient is missing, which are its shape, dtype and device; and the
 * result itself if it is kept. */
typedef struct fa__result {
    fa_tensor *kept; /* detached; NULL: not kept */
    uint64_t version;
    fa__device *device;
    fa_dtype dtype;
    int rank;
    int64_t shape[FA_MAX_DIMS];
} fa__result;

/* Called with a gradient before it goes on; what it returns (not NULL) takes its place. */
typedef struct fa__hook {
    struct fa__hook *next;
    int64_t id;
    uint32_t slot;
    bool retain; /* keeps the gradient of a result that is not a leaf */
    fa_tensor *(*function)(fa_tensor *grad, void *context);
    void *context;
} fa__hook;

typedef struct fa__node {
    fa__object object;
    const fa__op *op;
    uint64_t level;
    const void *made_at; /* as in a tensor */
    fa__hook *hooks;     /* of results */
    fa__object *own;     /* what lives as long as the node does, or NULL: a user's function, or an expression */
    fa__queue *queue;
    void *args;     /* the recorded arguments */
    uint32_t kept;  /* bit i: field i is kept. The node has references to the tensors among its args */
    uint32_t edges; /* fields that may hold a tensor, then the tensors of a list */
    uint32_t results;
    bool released; /* what was kept has been dropped */
    bool keeps;    /* something was kept: a second backward needs .retain_graph */
    bool husks;    /* it has lists, or tensors without memory, among its arguments */
    bool joined;   /* an edge leads somewhere: gradients go on from here */
    fa__result *result;
    fa__edge edge[];
} fa__node;

/* A node for a call of `op`, with room for its edges and `results`, and a copy of `args`, of lists and strings among
 * them, too. In the copy operands that are kept (bits in `keep`) are the tensors themselves, those in `husks` are
 * tensors without elements, and all others are NULL; the node has references to them. NULL and an error. */
fa__node *fa__node_new(const fa__op *op, const void *args, uint32_t results, uint32_t keep, uint32_t husks);
/* Makes t result number `slot` of a node. */
bool fa__node_result(fa__node *, uint32_t slot, fa_tensor *t, bool keep);
/* Points edge i at where the gradient of t goes. Where t needs none, the edge stays as it is. */
bool fa__node_edge(fa__node *, int i, fa_tensor *t);
/* Gives t, which needs gradients, another node as its history, and takes over the caller's reference to that node. A
 * hook that keeps t's gradient goes with it to the new node. */
void fa__node_attach(fa_tensor *t, fa__node *, uint32_t slot);
/* Drops what was kept. */
void fa__node_release(fa__node *);

/* Whether t is a view of a tensor whose history was rewritten since t's node was made. */
static inline bool fa__outdated(const fa_tensor *t)
{
    return t->base && t->base_history != t->base->history;
}

/* Whether t has a node, or gets one when somebody asks: a view that is out of date gets one when its base has one, or
 * collects gradients. */
static inline bool fa__has_history(const fa_tensor *t)
{
    return FA__UNLIKELY(fa__outdated(t)) ? t->base->requires_grad || t->base->node != NULL : t->node != NULL;
}

/* Whether gradients flow through a tensor. */
static inline bool fa__needs_grad(const fa_tensor *t)
{
    return t->requires_grad || fa__has_history(t);
}

/* The node that made t, brought up to date if t is a view whose base was changed in place since; NULL for a leaf. Sets
 * *slot. An error stands if bringing it up to date failed. */
fa__node *fa__history(const fa_tensor *t, uint32_t *slot);

/* Filled by ops: makes node `t->node` anew for a view of a changed base. */
extern bool (*fa__renew_view)(fa_tensor *view);
#endif
