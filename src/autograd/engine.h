/* The autograd engine: traverses the graph from outputs to leaves, without recursion. */
#ifndef FA__AUTOGRAD_ENGINE_H
#define FA__AUTOGRAD_ENGINE_H
#include "autograd/needed.h"
#include "autograd/pending.h"
#include "core/callback.h"
#include "dispatch/call.h"

typedef struct fa__leaf fa__leaf;
typedef struct fa__ready fa__ready;

/* The parameters and state of one backward pass. */
typedef struct fa__pass {
    fa__pending_work work;
    fa__scope *scope;       /* emptied after each node */
    const fa__device *home; /* where it began */
    bool retain, create, anomaly;
    fa__needed *needed;    /* NULL: all nodes */
    size_t captures;       /* fa_grad_of: number of gradients that are captured instead of being added to leaves */
    fa__object *const *at; /* for each, a node or a leaf, */
    const uint32_t *slot;  /* and the index of the node's result */
    fa_tensor **caught;    /* references */
    fa__leaf *leaf;        /* leaves with hooks, whose gradients are accumulated until the end */
    size_t leaves, leaf_room;
    struct fa__team *team;      /* whose threads share the rest of the pass; NULL: none */
    struct fa__teammate *outer; /* the team that calls it from within its own pass; NULL: none */
    fa__ready *ready;           /* NULL: hooks of leaves run at the end; or when each gradient is complete */
} fa__pass;

/* Calls a hook on a gradient; a result on another device is copied back to that of the gradient. */
static inline fa_tensor *fa__hook_call(const fa__hook *h, fa_tensor *g)
{
    fa__callback b = fa__callback_begin();
    fa_tensor *other = h->function(g, h->context);
    bool placed = other && other->object.type == FA__TYPE_TENSOR && b.placement == FA_PLACE_AUTO;
    if (placed && fa__tensor_device(other) != fa__tensor_device(g))
        other = fa_to(other, fa__tensor_device(g)->id);
    fa__callback_end(&b);
    return other;
}

/* Iterates over hooks by number, as hooks may remove and add hooks while they are called, which would invalidate
 * pointers into the list. Numbers increase: a loop first gets the newest number, and then repeatedly the hook with
 * the next number after the last one (0 at first), up to the newest. NULL if there are no more. */
int64_t fa__newest_hook(void);
fa__hook *fa__next_hook(fa__hook *list, int64_t behind, int64_t newest);

/* True if the tensor returned by a hook can replace the gradient. Otherwise describes both. */
bool fa__hook_fits(const fa_tensor *other, const fa_tensor *g, struct fa__text *what);

/* Delivers a gradient to the destination of an edge: it is stored for a node until that is processed, captured for
 * fa_grad_of, or added to the gradient of a leaf. The caller keeps its reference. */
bool fa__deliver(fa__pass *, fa__object *to, uint32_t slot, fa_tensor *g);
/* The same for a leaf: captured for fa_grad_of, or added to its gradient. */
bool fa__deliver_to_leaf(fa__pass *, fa_tensor *leaf, fa_tensor *g);
/* A gradient converted to the dtype and device of a node's result. NULL after an error. */
fa_tensor *fa__fitted(const fa__node *, uint32_t slot, fa_tensor *g);
/* Sets the stream in the settings of this backward pass, which are the innermost ones between nodes. */
void fa__use_stream(fa_stream *);
/* Processes a node that a plan has, whose gradients are all there. */
struct fa__target;
bool fa__run_planned(fa__pass *, const struct fa__target *);
/* Processes all pending nodes. False and an error on failure. */
bool fa__walk_on(fa__pass *);
/* Releases everything that is left. */
void fa__walk_end(fa__pass *);

/* ---- leaves.c ---- */
/* *sum += g, in place if no one else can see it; *sum may be NULL. */
bool fa__add_up(const fa__pass *, fa_tensor **sum, fa_tensor *g);
/* Adds g to the retained gradient of a result that is not a leaf. The sum is a new tensor, as the program or a
 * recorded backward pass may hold the old one. */
bool fa__retain(fa__autograd *, fa_tensor *g);
/* The gradient that a leaf accumulates: in its dtype, on its device, after its hooks. NULL and an error on failure. */
fa_tensor *fa__leaf_gradient(fa_tensor *leaf, fa_tensor *g);
/* Adds a gradient to that of a leaf. If the leaf has hooks, it is collected first, and added by fa__finish_leaves. */
bool fa__to_leaf(fa__pass *, fa_tensor *leaf, fa_tensor *g);
/* Makes room for the gradient that a leaf with hooks collects; nothing, if it has room already. */
bool fa__leaf_room(fa__pass *, fa_tensor *leaf);
/* Adds to what a leaf with hooks, which has room, has collected. */
bool fa__leaf_collect(fa__pass *, const fa_tensor *leaf, fa_tensor *g);
/* Adds to the gradient of a leaf without collecting it first. */
bool fa__leaf_add(const fa__pass *, fa_tensor *leaf, fa_tensor *g);
bool fa__finish_leaves(fa__pass *);
void fa__leaves_end(fa__pass *);
/* Adds the collected gradient of one leaf, if there is one, and runs its hooks. */
bool fa__finish_leaf(fa__pass *, const fa_tensor *leaf);

/* ---- ready.c ---- */
bool fa__hooks_are_early(void);
/* Counts the edges to leaves with hooks of all nodes behind `root`. NULL and an error if memory runs out. */
fa__ready *fa__ready_new(fa__node *root);
void fa__ready_free(fa__ready *);
/* A node has been processed: finishes the leaves that are complete now. */
bool fa__ready_done(fa__pass *, const fa__node *);
/* Around each pass; at the end of the outermost one, what fa__after_backward() registered is called. */
void fa__pass_begin(void);
bool fa__pass_end(bool good);
#endif
