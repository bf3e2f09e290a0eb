/* The rest of a backward pass, divided among threads: its nodes in the order in which one thread would process them,
 * and for each node and leaf the gradients it will get, in the order in which one thread would add them up. */
#ifndef FA__AUTOGRAD_ITINERARY_H
#define FA__AUTOGRAD_ITINERARY_H
#include "autograd/engine.h"

typedef struct fa__target fa__target;

/* What one edge delivers. */
typedef struct fa__parcel {
    fa__target *to;           /* NULL: no gradient is wanted here */
    struct fa__parcel *after; /* the one that is added after it */
    fa_tensor *g;             /* a reference that waits for its turn; NULL: not there yet, added already, or none */
    uint32_t slot;
    bool arrived;
} fa__parcel;

/* A node or a leaf. Parcels and `adding` are guarded by the lock of the team (team.h). */
struct fa__target {
    fa__object *object;         /* a reference */
    fa__parcel *next, *last;    /* next: the first one that was not added up; NULL: all were */
    bool adding;                /* a thread is doing so */
    bool hooked;                /* a leaf with hooks */
    int thread;                 /* of a node: who processes it, */
    size_t rank;                /* its place in the order, */
    fa__parcel *edge;           /* what its edges deliver, */
    fa__pending_node *gradient; /* and its gradients so far */
};

typedef struct fa__itinerary {
    fa__target **slot; /* hash table by object, with open addressing; a power of two */
    size_t slots, used;
    fa__target **node; /* in order */
    size_t nodes, room;
    int threads; /* the calling one, number 0, included */
} fa__itinerary;

/* Takes over the pending nodes of the pass, and finds what else it will process. Nodes on the host and those with hooks
 * are the calling thread's, others those of a thread for each device. False and an error if memory runs out. */
bool fa__itinerary_make(fa__itinerary *, fa__pass *);
/* Divides it among fewer threads. */
void fa__itinerary_narrow(fa__itinerary *, int threads);
/* NULL: gradients of this pass do not go there. */
fa__target *fa__itinerary_find(const fa__itinerary *, const fa__object *);
/* A node was processed. */
void fa__itinerary_done(fa__target *);
void fa__itinerary_end(fa__itinerary *);
#endif
