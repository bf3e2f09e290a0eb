/* What a thread has of its own above the base: its scopes, and the settings in force. */
#ifndef FA__CORE_CONTEXT_H
#define FA__CORE_CONTEXT_H
#include "base/thread.h"
#include "core/object.h"
#include "core/op.h"
#include <facula/scope.h>

/* An open scope. */
typedef struct fa__frame {
    size_t mark;          /* how many references outer scopes have: this one's are those behind them in `owned` */
    size_t settings;      /* how many settings were open when it was opened: those opened later end with it */
    const char *where;    /* "train.c:41" */
    const void *variable; /* of FA_REPEAT: where its counter lives, once it is known */
    int64_t count;        /* of FA_REPEAT: turns in all */
} fa__frame;

/* What one storage adds to fa__context.small, beside its bytes: the number of storages stands in the bits above them.
 */
#define FA__SMALL_ONE (INT64_C(1) << 40)

enum { FA__QUARANTINE = 1024 };

typedef struct fa__context {
    const fa_settings *settings; /* in force: the last of `used` */
    fa__object **owned;          /* references that scopes hold, innermost last */
    size_t owned_count, owned_capacity;
    fa__frame *frame; /* open scopes; frame 0 is the root */
    size_t frames, frame_capacity;
    fa_settings *used; /* settings, innermost last; 0 are the defaults */
    size_t used_count, used_capacity;
    fa__object *dying; /* objects that wait to be destroyed */
    bool destroying;
    bool debugging;       /* fa__debugging() */
    const char *closing;  /* the scope that is being closed */
    const char *here;     /* FA_HERE */
    const void *call;     /* the innermost call (ops/row.h): composed operations find their caller */
    const fa__op *for_;   /* the public function at work that is no operation (fa_item); NULL: none, or user's code */
    bool for_call;        /* it works for a composed call, which is what the program called */
    fa_placement callers; /* the .placement where the running backward was called: hooks of the user's run with it */
    /* Memory that stands inside storages, what this thread has made less what it has freed: bytes, and FA__SMALL_ONE
     * for each storage. */
    _Atomic int64_t small;
    void *generator;   /* fa_generator_use; NULL: the process's */
    size_t hint;       /* the size of the root scope that the log speaks of next */
    fa__object **dead; /* while debugging: freed objects, kept so that their use is an error with a name */
    size_t dead_next;
    struct fa__context *next, *previous; /* all contexts */
} fa__context;

/* NULL only when there is no memory for it; then the error is set. */
FA__COLD fa__context *fa__context_start(void);

static inline fa__context *fa__ctx(void)
{
    fa__context *c = fa__self->core;
    return FA__LIKELY(c != NULL) ? c : fa__context_start();
}

/* The public function that a thread works for: copies and waits are told under its name. */
typedef struct fa__errand {
    fa__context *context;
    const fa__op *before;
    bool before_call;
} fa__errand;

static inline fa__errand fa__errand_for(const fa__op *op, bool users_code)
{
    fa__errand e = {fa__ctx(), NULL, false};
    if (!e.context)
        return e;
    e.before = e.context->for_;
    e.before_call = e.context->for_call;
    if (!e.before || users_code) {
        e.context->for_ = op;
        e.context->for_call = e.context->call != NULL;
    }
    return e;
}

static inline void fa__errand_end(fa__errand *e)
{
    if (!e->context)
        return;
    e->context->for_ = e->before;
    e->context->for_call = e->before_call;
}

/* Until the end of the block the thread works for this function, unless it already does for one that calls it. */
#define FA__WORK_FOR(op)                                                                                               \
    fa__errand fa__errand_here __attribute__((__cleanup__(fa__errand_end), __unused__)) = fa__errand_for(op, false)
/* Until the end of the block a function of the user's is called: copies and waits in it are told under the names of the
 * functions that it calls itself. */
#define FA__USERS_CODE                                                                                                 \
    fa__errand fa__errand_here __attribute__((__cleanup__(fa__errand_end), __unused__)) = fa__errand_for(NULL, true)

FA__COLD void *fa__own_slowly(void *object);
/* Hands a new object's only reference to the innermost scope, and returns the object. NULL stays NULL; without memory
 * the object is dropped and NULL returned. */
static inline void *fa__own(void *object)
{
    fa__context *c = fa__self->core;
    if (FA__UNLIKELY(!object || !c || c->owned_count == c->owned_capacity))
        return fa__own_slowly(object);
    c->owned[c->owned_count++] = object;
    return object;
}

/* Drops what a scope owns, and leaves it open. */
void fa__scope_empty(const fa__scope *);
/* Opens a copy of the settings in force, which the caller changes (all but .catch_errors) before it does anything else,
 * and closes by fa__use_close. NULL and an error without memory. */
fa_settings *fa__use_again(fa__scope *);

/* The settings of user's code that runs in a backward: operations are placed as where the backward was called. */
static inline fa__scope fa__users_settings(void)
{
    fa__scope use;
    fa_settings *s = fa__use_again(&use);
    if (s)
        s->placement = fa__ctx()->callers;
    return use;
}

/* Takes back the reference that a scope of this thread holds: the caller owns it. False if none does. */
bool fa__disown(const void *object);
/* Host memory inside storages, over all threads: what fa_memory_stats adds to the CPU's cache. */
int64_t fa__small_bytes_all(void);
int64_t fa__small_count_all(void);
/* FACULA_DEBUG=1, or a build without NDEBUG: freed objects are kept for a while. */
bool fa__debugging(void);
#endif
