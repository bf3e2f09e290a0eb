/* What a module is made of, for the files of this folder. */
#ifndef FA__NN_MODULE_H
#define FA__NN_MODULE_H
#include <facula/nn.h>
#include <facula/scope.h>

typedef enum { FA__PARAMETER, FA__BUFFER, FA__CHILD } fa__member_kind;

/* Something that a module owns under a name. */
typedef struct fa__member {
    fa_object base;
    struct fa__member *next;
    void *object; /* a tensor, or the child */
    fa__member_kind kind;
    char name[];
} fa__member;

/* A function that is called when a module runs. */
typedef enum { FA__FORWARD_PRE, FA__FORWARD, FA__BACKWARD_PRE, FA__BACKWARD } fa__hook_kind;
typedef struct fa__hook {
    fa_object base;
    struct fa__hook *next;
    int64_t number;
    fa__hook_kind kind;
    void (*function)(void);
    void *context;
} fa__hook;

struct fa_module {
    fa_object base;
    fa__member *first, **end; /* in the order they came */
    fa__hook *hooks;          /* in the order they came */
    int64_t hooks_added;      /* the number of the last one */
    const char *kind;
    void *data;
    size_t bytes; /* of data */
    void (*destroy)(void *data);
    fa_forward_function forward;
    bool training;
};

/* Where a walk is: a module, and the names that led there. */
typedef struct fa__spot {
    const struct fa__spot *outer; /* NULL: the module is the root of the walk */
    const char *name;
    const fa_module *module;
    int depth;
} fa__spot;

/* Called for a module (member NULL), then for each of its members, children last and before what is below them. False
 * ends the walk. */
typedef bool fa__visit(void *context, const fa__spot *spot, const fa__member *member);

/* Walks a module and all below it. False when a visit was false, or with an error when modules are nested too deep. */
bool fa__module_walk(const fa_module *module, fa__visit *visit, void *context);
/* Whether this is a module; sets an error that begins with `who` if not. */
bool fa__module_check(const fa_module *module, const char *who);
/* The parameter, buffer or (`child`) child that a path with dots leads to, and the module that has it. NULL and an
 * error that begins with `who` when there is none. */
fa__member *fa__module_find(const fa_module *module, const char *path, bool child, const char *who,
                            const fa_module **holder);
/* What a module does with its inputs; with the hooks around it, in the innermost scope. */
typedef fa_tensor *fa__run(fa_module *module, fa_tensors inputs);
fa_tensor *fa__run_hooked(fa_module *module, fa_tensors inputs, fa__run *run);
/* Whether gradients go through it. */
bool fa__is_floating(const fa_tensor *t);
/* The member of a name of this length; NULL: none. */
fa__member *fa__module_member(const fa_module *module, const char *name, size_t length);
#endif
