/* A module whose parameters, gradients and optimizer state are sharded over the ranks of a group. */
#ifndef FA__DIST_SHARD_H
#define FA__DIST_SHARD_H
#include "dist/flat.h"

typedef struct fa__sharded {
    fa_module *net; /* a reference, as the next */
    fa_group *group;
    size_t count;
    fa__flat *flat;
    fa__piece *piece; /* of all flats */
    int level;
    bool sync; /* gradients are reduced, and not only accumulated */
    bool broadcast_buffers;
    bool whole; /* parameters stay gathered */
    bool in_pass;
} fa__sharded;

/* Adds the hooks of a flat, and removes them. */
bool fa__shard_watch(fa__flat *f);
void fa__shard_unwatch(const fa__flat *f);
/* Releases a flat, unless parameters stay gathered. */
bool fa__shard_release(const fa__sharded *s, fa__flat *f);
/* What fa_dist_shard() made; NULL, and no error: it is another module. */
fa__sharded *fa__sharded_of(const fa_module *m);
#endif
