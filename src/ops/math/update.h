/* Shared by the files of fa_update: a checked and prepared expression with its bindings (expression_api.c), and how it
 * runs (update_run.c). */
#ifndef FA__OPS_MATH_UPDATE_H
#define FA__OPS_MATH_UPDATE_H
#include "dispatch/call.h"

/* An expression over lists of tensors. The tensors at one index of the lists belong to one launch. */
typedef struct fa__update {
    const fa__op *op;
    size_t bindings, length; /* length: of the lists */
    const fa_binding *binding;
    int results, result[FA__MAX_OUTPUTS]; /* which bindings the program assigns */
    const fa__operand *drawn;             /* random keys that were drawn already, for each binding; NULL: none */
} fa__update;

/* The first assigned tensor at an index of the lists. */
static inline fa_tensor *fa__update_first(const fa__update *u, size_t place)
{
    return u->binding[u->result[0]].tensors.item[place];
}

/* The tensor that binding k has at an index of the lists; NULL if it is a number or a random key. */
static inline fa_tensor *fa__update_tensor(const fa__update *u, size_t k, size_t place)
{
    const fa_binding *b = &u->binding[k];
    if (b->tensors.count)
        return b->tensors.item[place];
    return b->numbers || b->random || b->number.kind != FA__ARG_TENSOR
               ? NULL
               : (fa_tensor *)(uintptr_t)fa__tensor_in(b->number);
}

/* Whether the binding is a number that the launch reads from a 0-dim tensor. */
bool fa__update_is_word(const fa__update *, size_t k, size_t place);
/* The dtype of the computation at an index of the lists; numbers do not affect it. */
fa_dtype fa__update_dtype(const fa__update *, size_t i);
/* Allocates all memory, then runs the updates one after the other. False and an error; running out of memory is
 * reported before anything is written. */
bool fa__updates_run(const fa__update *, size_t count);
#endif
