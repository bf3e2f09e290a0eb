/* Gradients of a module, collected in buckets that are averaged over a group while backward runs. */
#ifndef FA__DIST_BUCKETS_H
#define FA__DIST_BUCKETS_H
#include <facula/dist.h>

typedef struct fa__buckets fa__buckets;

/* Puts hooks on all parameters of the module that require gradients. NULL and an error on failure. */
fa__buckets *fa__buckets_new(fa_module *module, fa_group *group, int64_t bytes);
void fa__buckets_free(fa__buckets *b);
/* Whether gradients are averaged, or only accumulated. */
void fa__buckets_sync(fa__buckets *b, bool sync);
#endif
