/* The internals of a module, for the files in this folder. */
#ifndef FA__NN_MODULE_H
#define FA__NN_MODULE_H
#include <facula/nn.h>
#include <facula/scope.h>
#include <stdatomic.h>

typedef enum { FA__PARAMETER, FA__BUFFER, FA__CHILD } fa__member_kind;

/* A named member of a module. */
typedef struct fa__member {
    fa_object base;
    struct fa__member *next;
    void *object; /* a tensor or a child module */
    fa__member_kind kind;
    char name[];
} fa__member;

/* A hook of a module. */
typedef enum { FA__FORWARD_PRE, FA__FORWARD, FA__BACKWARD_PRE, FA__BACKWARD } fa__hook_kind;
typedef struct fa__module_hook {
    fa_object base;
    struct fa__module_hook *next;
    int64_t number;
    fa__hook_kind kind;
    bool always; /* it is called after an error, too */
    void (*function)(void);
    void *context;
} fa__module_hook;

struct fa_module {
    fa_object base;
    fa__member *first, **end; /* members, in the order in which they were added */
    fa__module_hook *hooks;   /* hooks, in the order in which they are called: by number */
    int64_t hooks_added;      /* number of the last hook */
    const char *kind;
    void *data;
    size_t bytes; /* size of data in bytes */
    void (*destroy)(void *data);
    fa_forward_function forward;
    bool training;
    bool trains_unrecorded; /* was set to training mode where gradients are off: so it is meant */
    bool in_network;        /* was added to a module that runs, not just to a list */
    atomic_bool whole;      /* its data was checked */
    atomic_bool ran;        /* as the outermost module, with gradients */
    atomic_bool reported;   /* as a layer that was not added */
};

/* A position in a traversal: a module, and the names that lead to it. */
typedef struct fa__spot {
    const struct fa__spot *outer; /* NULL: the module is the root of the traversal */
    const char *name;
    const fa_module *module;
    int depth;
} fa__spot;

/* Called for a module (with member NULL), then for each of its members: children come last, and before their own
 * members. Returning false stops the traversal. */
typedef bool fa__visit(void *context, const fa__spot *spot, const fa__member *member);

/* Begins and ends a run without gradients for a report: fa__layer_trains() is silent. */
void fa__unrecorded_training(bool begins);

/* Calls watch(context, module) before each run of a module in this thread; NULL: no longer. */
void fa__forward_watch(void (*watch)(void *context, fa_module *), void *context);

/* What runs in this thread. */
typedef struct fa__first_run {
    const fa_module *module; /* the innermost module that runs; NULL: none */
    bool looks;              /* the outermost one is in its first run with gradients: layers are looked at */
    fa_module *stranger;     /* the outermost one that was not added; NULL: none */
    const fa_module *around; /* the module that runs it */
} fa__first_run;
/* Begins a run of a module, and reports it if it was not added and has parameters that are trained. Returns what
 * fa__first_run_end() restores. */
fa__first_run fa__first_run_begin(fa_module *module);
/* Begins a call of a hook: what it runs is no part of the network. */
fa__first_run fa__first_run_pause(void);
void fa__first_run_end(fa__first_run before);
/* Logs a warning, once, of the module that was not added, if one runs. */
void fa__first_run_report(void);
/* Notes that a child was added to a module. */
void fa__mark_in_network(const fa_module *module, fa_module *child);
/* Whether a module only holds others: fa_nn_list(), fa_nn_dict(). */
bool fa__is_list(const fa_module *module);

/* Traverses a module and its descendants. False if a visit returned false; false and an error if modules are nested
 * too deeply. */
bool fa__module_walk(const fa_module *module, fa__visit *visit, void *context);
/* Checks that this is a module; sets an error that starts with `who` if not. */
bool fa__module_check(const fa_module *module, const char *who);
/* Checks that nothing was written behind its data; sets an error that starts with `who` otherwise. */
bool fa__module_data_check(const fa_module *module, const char *who);
/* The parameter, buffer or, with `child`, child at a dotted path, and the module that contains it. NULL and an error
 * that starts with `who` if there is none. */
fa__member *fa__module_find(const fa_module *module, const char *path, bool child, const char *who,
                            const fa_module **holder);
/* Where the error of this thread came up, as far as the modules around it are known. */
typedef struct fa__failure {
    const fa_module *outer; /* the outermost of them; only compared. NULL: none has failed */
    char kind[48];          /* of the innermost one */
    char path[160];         /* its path in the outermost one: "features.0" */
    char text[280];         /* what the message says of it: `, in conv2d "features.0" of net` */
} fa__failure;
fa__failure *fa__failure_here(void);
/* Runs a module's forward function; fa__run_hooked also runs its hooks, in the innermost scope. */
typedef fa_tensor *fa__run(fa_module *module, fa_tensors inputs);
fa_tensor *fa__run_hooked(fa_module *module, fa_tensors inputs, fa__run *run);
/* True if it is floating point. */
bool fa__is_floating(const fa_tensor *t);
/* The member with a name of this length; NULL: none. */
fa__member *fa__module_member(const fa_module *module, const char *name, size_t length);
#endif
