/* Callbacks of the program that a backward calls: hooks and gradients of its own operations. */
#ifndef FA__CORE_CALLBACK_H
#define FA__CORE_CALLBACK_H
#include "core/attribution.h"
#include "core/context.h"

/* A callback of the program: what it calls is reported under the names that it calls, and operations are placed as
 * where the program called backward. */
typedef struct fa__callback {
    const fa__attribution *before;
    fa_placement placement;
    fa__scope use;
} fa__callback;

static inline fa__callback fa__callback_begin(void)
{
    fa__callback b = {.before = fa__ctx()->attribution};
    fa_settings *s = fa__use_again(&b.use);
    b.placement = b.before ? b.before->placement : FA_PLACE_STRICT;
    if (s)
        s->placement = b.placement;
    fa__ctx()->attribution = NULL;
    return b;
}

static inline void fa__callback_end(fa__callback *b)
{
    fa__ctx()->attribution = b->before;
    fa__use_close(&b->use);
}
#endif
