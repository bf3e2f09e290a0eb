/* Per-thread state above the base layer: scopes and the current settings. */
#ifndef FA__CORE_CONTEXT_H
#define FA__CORE_CONTEXT_H
#include "base/thread.h"
#include "core/object.h"
#include "core/op.h"
#include <facula/scope.h>

/* An open scope. */
typedef struct fa__scope_frame {
    size_t mark;          /* number of references of outer scopes; those after them in `owned` belong to this one */
    size_t settings;      /* number of settings that were open when it was opened; later ones end with it */
    const char *where;    /* source position, such as "train.c:41" */
    const void *variable; /* FA_REPEAT: the address of its counter, once it is known */
    int64_t count;        /* FA_REPEAT: number of iterations */
    uintptr_t function;   /* FA__FUNCTION where it was opened; 0: within the library */
} fa__scope_frame;

/* A variable declared with FA_VAR. */
typedef struct fa__owning {
    fa_tensor *const *address; /* only compared: a jump may have left it behind */
    const fa_tensor *value;
    uintptr_t function; /* FA__FUNCTION where it was declared */
    const char *where;  /* source position, such as "train.c:41"; NULL: unknown */
} fa__owning;

/* What one storage adds to fa__context.small besides its bytes: the upper bits count storages. */
#define FA__SMALL_ONE (INT64_C(1) << 40)

/* How many freed tensors a thread keeps, a power of two: with debugging and without, where they have to stay in the
 * cache. */
enum { FA__DEAD_DEBUGGING = 1024, FA__DEAD = 32 };

typedef struct fa__context {
    const fa_settings *settings; /* the current settings: the last of `used` */
    fa__object **owned;          /* references held by scopes, innermost last */
    size_t owned_count, owned_capacity;
    fa__scope_frame *frame; /* open scopes; frame 0 is the root */
    size_t frames, frame_capacity;
    fa_settings *used; /* settings, innermost last; number 0 has the defaults */
    size_t used_count, used_capacity;
    fa__owning *variable; /* the FA_VARs in scope, innermost last */
    size_t variables, variable_capacity;
    fa__object *dying; /* objects waiting to be destroyed */
    bool destroying;
    const char *closing;                       /* the scope that is being closed */
    const struct fa__attribution *attribution; /* on whose behalf it works, innermost first; NULL: the program */
    /* Memory inside storages, allocated minus freed by this thread: bytes, plus FA__SMALL_ONE for each storage. */
    _Atomic int64_t small;
    struct fa__casts *casts;       /* of the outermost autocast block (core/casts.h); NULL: none */
    void *generator;               /* set by fa_generator_use; NULL: the default generator */
    struct fa__teammate *teammate; /* of the team in a backward pass that it works for (autograd/team.h); NULL: none */
    struct fa__capture *capture;   /* of the graph that it records (core/capture.h); NULL: none */
    size_t hint;                   /* size of the root scope at which the next warning is logged */
    size_t hint_bytes;             /* bytes of it that one line made, at which the next one is logged */
    fa__object **dead;             /* freed tensors, kept for a while so that using them is an error with a name */
    size_t dead_most, dead_next;   /* the size of `dead`; how many there have been */
    struct fa__context *next, *previous; /* all contexts */
} fa__context;

/* Distinguishes an initialized scope variable from one whose declaration was jumped over. */
extern const uintptr_t fa__scope_check;

/* NULL only if there is no memory for it; an error is set then. */
FA__COLD fa__context *fa__context_start(void);

static inline fa__context *fa__ctx(void)
{
    fa__context *c = fa__self->core;
    return FA__LIKELY(c != NULL) ? c : fa__context_start();
}

FA__COLD void *fa__own_slowly(void *object);
/* Transfers the only reference to a new object to the innermost scope, and returns the object. NULL stays NULL; if
 * memory runs out, the object is dropped and NULL returned. */
static inline void *fa__own(void *object)
{
    fa__context *c = fa__self->core;
    if (FA__UNLIKELY(!object || !c || c->owned_count == c->owned_capacity))
        return fa__own_slowly(object);
    c->owned[c->owned_count++] = object;
    return object;
}

/* Drops everything a scope owns, and leaves it open. */
void fa__scope_empty(const fa__scope *);
/* Drops what the innermost scope has got since scopes of this thread held `mark` references (fa__context.owned_count),
 * except for `kept`, if it is there: the intermediate results of a call made of others. */
void fa__scope_trim(size_t mark, const void *kept);
/* Opens a copy of the current settings. The caller changes it (all except .catch_errors) before doing anything else,
 * and closes it with fa__use_close. NULL and an error if memory runs out. */
fa_settings *fa__use_again(fa__scope *);

/* Takes over the reference that a scope of this thread holds. False if no scope does. */
bool fa__disown(const void *object);
/* Host memory inside storages, over all threads, which fa_memory_stats adds to the CPU's cache. */
int64_t fa__small_bytes_all(void);
int64_t fa__small_count_all(void);
/* True with FACULA_DEBUG=1, or in a build without NDEBUG: more freed tensors are kept. */
bool fa__debugging(void);
#endif
