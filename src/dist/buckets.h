/* Gradients of a module, collected in buckets that are averaged over a group while backward runs. */
#ifndef FA__DIST_BUCKETS_H
#define FA__DIST_BUCKETS_H
#include <facula/dist.h>

typedef struct fa__buckets fa__buckets;

/* Puts hooks on all parameters of the module that require gradients, which are exchanged in a dtype (FA_SAME: their
 * own). NULL and an error on failure. */
fa__buckets *fa__buckets_new(fa_module *module, fa_group *group, int64_t bytes, fa_dtype dtype);
void fa__buckets_free(fa__buckets *b);
/* A pass in which this rank has no gradients: takes part in the averages of the others. */
bool fa__buckets_without(fa__buckets *b);
/* Whether gradients are averaged, or only accumulated. */
void fa__buckets_sync(fa__buckets *b, bool sync);
#endif
