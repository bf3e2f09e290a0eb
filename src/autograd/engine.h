/* The engine: walks the graph from outputs to leaves, without recursion. */
#ifndef FA__AUTOGRAD_ENGINE_H
#define FA__AUTOGRAD_ENGINE_H
#include "autograd/needed.h"
#include "autograd/pending.h"
#include "dispatch/call.h"

typedef struct fa__leaf fa__leaf;

/* What one backward is asked for. */
typedef struct fa__walk {
    fa__pending_work work;
    fa__scope *scope; /* is emptied after each node */
    bool retain, create, anomaly;
    fa__needed *needed;    /* NULL: everything */
    size_t captures;       /* fa_grad_of: gradients that are caught instead of added to leaves */
    fa__object *const *at; /* a node or a leaf for each, */
    const uint32_t *slot;  /* and the node's result */
    fa_tensor **caught;    /* references */
    fa__leaf *leaf;        /* leaves with hooks, whose gradients come together until the end */
    size_t leaves, leaf_room;
} fa__walk;

/* The settings of user's code: operations are placed as where the backward was called. */
static inline fa__scope fa__users_settings(void)
{
    fa__scope use;
    fa_settings *s = fa__use_again(&use);
    if (s)
        s->placement = fa__ctx()->callers;
    return use;
}

/* What a hook makes of a gradient; what was placed elsewhere comes back to where the gradient is. */
static inline fa_tensor *fa__hook_call(const fa__hook *h, fa_tensor *g)
{
    FA__USERS_CODE;
    fa__scope use = fa__users_settings();
    fa_tensor *other = h->function(g, h->context);
    bool placed = other && other->object.type == FA__TYPE_TENSOR && fa__ctx()->callers == FA_PLACE_AUTO;
    if (placed && fa__tensor_device(other) != fa__tensor_device(g))
        other = fa_to(other, fa__tensor_device(g)->id);
    fa__use_close(&use);
    return other;
}

/* Hooks may remove and add hooks while they are called, so that no pointer into their list lasts. They have numbers
 * instead, which grow: a loop asks first for the newest one's, and then each time for the hook with the next number
 * behind the last one's, which is 0 at first, up to that newest. NULL when there are no more. */
int64_t fa__newest_hook(void);
fa__hook *fa__next_hook(fa__hook *list, int64_t behind, int64_t newest);

/* Whether what a hook returned can take a gradient's place. Describes both where it cannot. */
bool fa__hook_fits(const fa_tensor *other, const fa_tensor *g, struct fa__text *what);

/* Brings a gradient to where an edge points: it waits in a node for the others, is caught for fa_grad_of, or is added
 * to a leaf's. The caller's reference stays the caller's. */
bool fa__deliver(fa__walk *, fa__object *to, uint32_t slot, fa_tensor *g);
/* Runs everything that waits. False and an error on failure. */
bool fa__walk_on(fa__walk *);
/* Drops what is left. */
void fa__walk_end(fa__walk *);

/* ---- leaves.c ---- */
/* *sum += g, in place where nobody sees it; *sum may be NULL. */
bool fa__add_up(const fa__walk *, fa_tensor **sum, fa_tensor *g);
/* Adds g to the gradient of a result that is no leaf. The sum is a new tensor, never the old one changed: the program,
 * or a backward that is recorded, may have the old one. */
bool fa__retain(fa__autograd *, fa_tensor *g);
/* A gradient as a leaf gets it: in its dtype, where it is, after its hooks. NULL and an error on failure. */
fa_tensor *fa__leaf_gradient(fa_tensor *leaf, fa_tensor *g);
/* Adds a gradient to a leaf's. Where the leaf has hooks, the parts are collected, and added by fa__finish_leaves. */
bool fa__to_leaf(fa__walk *, fa_tensor *leaf, fa_tensor *g);
bool fa__finish_leaves(fa__walk *);
void fa__leaves_end(fa__walk *);
#endif
