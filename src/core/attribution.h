/* On whose behalf a thread works: what errors, copies, waits and the origin of tensors are reported under. */
#ifndef FA__CORE_ATTRIBUTION_H
#define FA__CORE_ATTRIBUTION_H
#include "core/context.h"

struct fa__call;

/* An entry for each composed operation, and for each public function that is no operation (fa_item, fa_backward), while
 * it runs; entries stand on the stack. The outermost one is what the program called. A callback of the program begins
 * anew, without entries. */
typedef struct fa__attribution {
    const struct fa__attribution *outer; /* NULL: the program called this one */
    const fa__op *op;
    const struct fa__call *call; /* NULL: it is a function and no operation */
    fa_placement placement;      /* the setting where the program called the outermost: its callbacks run with it */
} fa__attribution;

static inline void fa__attribution_enter(fa__attribution *a, const fa__op *op, const struct fa__call *call)
{
    fa__context *c = fa__ctx();
    *a = (fa__attribution){NULL, op, call, FA_PLACE_STRICT};
    if (!c)
        return;
    a->outer = c->attribution;
    a->placement = a->outer ? a->outer->placement : c->settings->placement;
    c->attribution = a;
}

static inline void fa__attribution_leave(const fa__attribution *a)
{
    fa__context *c = fa__self->core;
    if (c)
        c->attribution = a->outer;
}

/* Until the end of the block the thread works for a function. */
#define FA__WORK_FOR(op)                                                                                               \
    fa__attribution fa__work_for __attribute__((__cleanup__(fa__attribution_leave), __unused__));                      \
    fa__attribution_enter(&fa__work_for, op, NULL)

/* What the program called; NULL: nothing that has an entry. */
static inline const fa__op *fa__called_by_program(void)
{
    const fa__context *c = fa__self->core;
    const fa__attribution *a = c ? c->attribution : NULL;
    while (a && a->outer)
        a = a->outer;
    return a ? a->op : NULL;
}

/* The outermost function that is no operation, whatever called it; NULL: there is none. */
static inline const fa__op *fa__outermost_function(void)
{
    const fa__context *c = fa__self->core;
    const fa__op *op = NULL;
    for (const fa__attribution *a = c ? c->attribution : NULL; a; a = a->outer)
        op = a->call ? op : a->op;
    return op;
}

/* The outermost composed operation; NULL: there is none. */
static inline const struct fa__call *fa__outermost_call(void)
{
    const fa__context *c = fa__self->core;
    const struct fa__call *call = NULL;
    for (const fa__attribution *a = c ? c->attribution : NULL; a; a = a->outer)
        call = a->call ? a->call : call;
    return call;
}
#endif
