/* The pending nodes of a backward pass with their accumulated gradients, processed from the highest level down. */
#ifndef FA__AUTOGRAD_PENDING_H
#define FA__AUTOGRAD_PENDING_H
#include "graph/node.h"

typedef struct fa__pending_node {
    fa__node *node;
    uint64_t order; /* order of arrival, for equal levels */
    fa_tensor *gy[FA__MAX_RESULTS];
    fa_tensor **more; /* for nodes with more results: all gradients; NULL: missing, or stored in gy */
} fa__pending_node;

/* Most graphs are chains, in which only one node is pending at a time: this needs neither heap nor table. */
typedef struct fa__pending_work {
    fa__pending_node only;   /* the pending node while the heap is empty; its node is NULL if there is none */
    fa__pending_node **heap; /* a heap, highest level first */
    size_t count, capacity;
    fa__pending_node **slot; /* hash table by node, with open addressing; a power of two */
    size_t slots;
    uint64_t arrivals;
    bool several; /* nodes of several devices have been pending at the same time */
    bool settled; /* `several` is not set again */
} fa__pending_work;

/* The entry of a node, created if there is none; NULL and an error if memory runs out. */
fa__pending_node *fa__pending_of(fa__pending_work *, fa__node *);
/* The gradients of an entry, one for each result. */
static inline fa_tensor **fa__pending_gy(fa__pending_node *p)
{
    return FA__UNLIKELY(p->more != NULL) ? p->more : p->gy;
}
/* Removes the entry with the highest level, which the caller must drop; false if there is none. */
bool fa__pending_next(fa__pending_work *, fa__pending_node *);
/* Drops the references of an entry. */
void fa__pending_drop(fa__pending_node *);
void fa__pending_end(fa__pending_work *);
#endif
