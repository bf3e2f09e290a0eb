/* What the files of fa_update share: a program with its bindings, checked and prepared (expression_api.c), and how it
 * is run (update_run.c). */
#ifndef FA__OPS_MATH_UPDATE_H
#define FA__OPS_MATH_UPDATE_H
#include "dispatch/call.h"

/* A program over lists of tensors. The tensors at one place of the lists are those of one launch. */
typedef struct fa__update {
    const fa__op *op;
    size_t bindings, length; /* length: of the lists */
    const fa_binding *binding;
    int results, result[FA__MAX_OUTPUTS]; /* which bindings the program assigns */
} fa__update;

/* The first tensor at a place: one that is assigned. */
static inline fa_tensor *fa__update_first(const fa__update *u, size_t place)
{
    return u->binding[u->result[0]].tensors.item[place];
}

/* The dtype that a place is computed in. */
fa_dtype fa__update_dtype(const fa__update *, size_t place);
/* Takes all memory and runs the programs, one after the other. False and an error; before anything was changed, when it
 * is memory that is lacking. */
bool fa__updates_run(const fa__update *, size_t count);
#endif
