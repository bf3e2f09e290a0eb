/* A copy of a module on another device, which is kept and refreshed. */
#ifndef FA__DIST_REPLICA_H
#define FA__DIST_REPLICA_H
#include <facula/nn.h>

typedef struct fa__replica {
    fa_device device;
    fa_module *net; /* NULL: not made yet */
    /* The tensors and modules of the source, with references, and those of the copy. */
    size_t tensors, modules;
    fa_tensor **source, **copy;
    fa_module **source_module, **copy_module;
    int64_t *source_version, *copy_version; /* after the last refresh */
} fa__replica;

/* Makes r->net equal to `source`: makes it again if tensors or modules of the source are other ones, copies tensors
 * that were changed in either, sets the training modes, and lets gradients of the copy's parameters go to the source's.
 * No other thread may use the copy. False and an error on failure. */
bool fa__replica_refresh(fa__replica *r, const fa_module *source);
void fa__replica_free(fa__replica *r);
#endif
