/* The work of one backward: nodes with gradients that wait for them, given out from the highest level down. */
#ifndef FA__AUTOGRAD_PENDING_H
#define FA__AUTOGRAD_PENDING_H
#include "graph/node.h"

typedef struct fa__pending_node {
    fa__node *node;
    uint64_t order; /* of arrival: decides between equal levels */
    fa_tensor *gy[FA__MAX_RESULTS];
    fa_tensor **more; /* for nodes with more results: all of them; NULL: there is none, or they are in gy */
} fa__pending_node;

/* Most graphs are chains, where one node waits at a time: that takes neither heap nor table. */
typedef struct fa__pending_work {
    fa__pending_node only;   /* the one that waits, while the heap is empty; its node is NULL when none does */
    fa__pending_node **heap; /* the highest level first */
    size_t count, capacity;
    fa__pending_node **slot; /* by node: open addressing; a power of two */
    size_t slots;
    uint64_t arrivals;
} fa__pending_work;

/* The entry of a node, made when there is none; NULL and an error without memory. */
fa__pending_node *fa__pending_of(fa__pending_work *, fa__node *);
/* The gradients of an entry, one for each result. */
static inline fa_tensor **fa__pending_gy(fa__pending_node *p)
{
    return FA__UNLIKELY(p->more != NULL) ? p->more : p->gy;
}
/* Takes out the entry with the highest level, which is the caller's to drop; false when there is none. */
bool fa__pending_next(fa__pending_work *, fa__pending_node *);
/* Gives back the references of an entry. */
void fa__pending_drop(fa__pending_node *);
void fa__pending_end(fa__pending_work *);
#endif
