/* A backward pass through several devices: a thread for each of them, as in the forward of fa_data_parallel, and the
 * calling thread for the host. Each processes its nodes in the order in which one thread alone would, and gradients are
 * added up in that order too, so that a pass has the same bits as one of a single thread. */
#ifndef FA__AUTOGRAD_TEAM_H
#define FA__AUTOGRAD_TEAM_H
#include "autograd/itinerary.h"

typedef struct fa__team fa__team;

/* What a thread that works in a team is at; in its context, so that passes within this pass see it. */
typedef struct fa__teammate {
    fa__team *team;
    size_t rank;  /* of the node that it processes */
    size_t owned; /* references of its scopes before that */
} fa__teammate;

/* Whether the rest of a pass may go to several threads: not in a pass within another, while a graph is recorded, or if
 * leaves are finished as soon as they are complete. If not, it is not asked again. */
bool fa__team_may(fa__pass *);
/* Processes all pending nodes. False and an error on failure: the one that a single thread would have met, with the
 * name of the device. */
bool fa__team_walk(fa__pass *);
/* Delivers gradients of a planned node along its edges; without any (NULL), it lets others know that none will come. */
bool fa__team_send_all(fa__pass *, const fa__target *, fa_tensor *const *gx);

/* A pass within that of the team, as in a checkpoint of a replica, has a gradient for a leaf to which other threads may
 * add as well: one that was there before. */
bool fa__teammate_defers(const fa__teammate *, const fa__object *to);
/* Keeps it until the threads are done: then such gradients are added in the order of the nodes. */
bool fa__teammate_defer(const fa__teammate *, fa_tensor *leaf, fa_tensor *g);
#endif
