/* Cast parameters: in an autocast block, a parameter that is used several times is converted once. The cache lives for
 * the outermost autocast block of a thread. */
#ifndef FA__CORE_CASTS_H
#define FA__CORE_CASTS_H
#include "core/context.h"
#include "core/tensor.h"

/* What `from` became in this dtype and grad mode since it was last modified; NULL: it was not cast yet. */
fa_tensor *fa__cast_find(const fa_tensor *from, fa_dtype dtype, bool recording);
/* Remembers a cast. False and an error if there is no memory for that. */
bool fa__cast_keep(fa_tensor *from, fa_tensor *to, bool recording);
/* Whether the block that the casts of a thread live for is over. */
FA__COLD bool fa__casts_outlived(const fa__context *);
/* Forgets all casts of a thread, of which there are some. */
FA__COLD void fa__casts_drop(fa__context *);
#endif
