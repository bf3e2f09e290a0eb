/* Parameters of a module laid out one after the other, padded and cut into a part for each rank of a group. */
#ifndef FA__DIST_FLAT_H
#define FA__DIST_FLAT_H
#include <facula/dist.h>

typedef struct fa__flat fa__flat;

/* A parameter in it. */
typedef struct fa__piece {
    fa__flat *flat;
    fa_tensor *tensor; /* a reference; its memory is that of `whole` */
    int64_t start, hook;
    bool ready; /* its gradient is complete in this pass */
} fa__piece;

struct fa__flat {
    void *owner; /* for hooks */
    fa_group *group;
    fa_module *module; /* its forward needs the parameters; NULL: that of the whole network */
    fa_tensor *whole;  /* (ranks * part); a reference, as those that follow */
    fa_tensor *shard;  /* (part): what this rank optimizes */
    int64_t numel;     /* without padding */
    int64_t version;   /* of the shard when it was gathered */
    int64_t hook[3];   /* of the module */
    size_t count, left;
    fa__piece *piece;
    int level;
    bool trains;  /* its parameters require gradients */
    bool present; /* `whole` has memory and the present values */
    bool reduced; /* in this pass */
};

/* The elements of each rank's part of `numel` elements. Small ones are padded, so that the whole is no storage that has
 * its bytes inline. */
static inline int64_t fa__flat_part(int64_t numel, int64_t ranks)
{
    const int64_t least = 1024;
    return ((numel > least ? numel : least) + ranks - 1) / ranks;
}

/* Lays out the pieces, which become views of `whole`, and makes the shard. False and an error on failure. */
bool fa__flat_make(fa__flat *f);
void fa__flat_free(fa__flat *f);
/* Gets the values of all ranks. At level 3, what is present already stays unless the shard has changed. */
bool fa__flat_gather(fa__flat *f);
/* Level 3: frees the memory of `whole`; using a parameter is an error then. */
bool fa__flat_release(fa__flat *f);
/* The values of `whole` become those of the shard. */
bool fa__flat_cut(fa__flat *f);
/* The mean over the ranks of this rank's part of the gradients goes to the gradient of the shard; above level 1 the
 * gradients of the parameters go. */
bool fa__flat_reduce(fa__flat *f);
/* Removes the gradients of the parameters. */
bool fa__flat_clear(const fa__flat *f);
#endif
