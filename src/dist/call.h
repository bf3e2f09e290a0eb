/* One collective call: the tensor as bytes on the host, and what goes to and comes from other ranks. */
#ifndef FA__DIST_CALL_H
#define FA__DIST_CALL_H
#include "dist/group.h"

typedef struct fa__dist_call {
    fa__wire *w;
    fa__message what;
    fa_tensor *given; /* NULL, or to be updated from `host` at the end */
    fa_tensor *host;
    char *bytes;
    size_t size, width; /* in bytes: all of it, one element */
    fa__transfer *transfer;
    size_t transfers;
} fa__dist_call;

/* False and an error that begins with `name`: this is no group, no tensor, no rank of the group, or a tensor whose
 * dimension 0 cannot be split over the ranks. */
bool fa__dist_check(fa_group *g, const fa_tensor *t, const char *name);
bool fa__dist_check_rank(const fa_group *g, int rank, const char *name);
bool fa__dist_check_parts(const fa_tensor *t, const fa_group *g, const char *name);

/* Until the end of the block, the group belongs to this thread and nothing is recorded. */
#define FA__DIST_TURN(group)                                                                                           \
    FA_USE(.no_grad = true);                                                                                           \
    fa_group *FA__UNIQUE(turn) FA__CLEANUP(fa__dist_turn_over) = (fa__group_begin(group), group)
static inline void fa__dist_turn_over(fa_group **g)
{
    if (*g)
        fa__group_end(*g);
}

/* Begins a call on t; `writes`: t becomes what the bytes are at the end. */
bool fa__dist_begin(fa__dist_call *c, fa__wire *w, const fa_tensor *t, const char *name, bool writes);
/* Ends a call, which also has to follow a failed fa__dist_begin() of a tensor; false if `good` is. */
bool fa__dist_end(fa__dist_call *c, bool good);
/* Adds bytes that go to a rank, or come from it, in the next exchange; nothing for this rank itself. */
void fa__dist_to(fa__dist_call *c, int rank, const void *data, size_t bytes);
void fa__dist_from(fa__dist_call *c, int rank, void *into, size_t bytes);
bool fa__dist_exchange(fa__dist_call *c);

/* The bytes of a contiguous tensor on the CPU; somewhere else if it has no elements. NULL and an error on failure. */
char *fa__dist_bytes(fa_tensor *t, bool writes);
/* A contiguous tensor (more, ...) on the CPU, with the dimensions of t behind it; more < 0: (n / -more, ...) for a t of
 * (n, ...). */
fa_tensor *fa__dist_result(const fa_tensor *t, int more);
/* The result on the device of t. */
fa_tensor *fa__dist_hand_out(fa_tensor *y, const fa_tensor *t);
/* fa_dist_all_gather() of the contiguous `part` of each rank into `all`, which has room for them one after the other;
 * `part` may be this rank's place in it. */
bool fa__dist_gather_into(fa_tensor *all, const fa_tensor *part, fa_group *group);
#endif
