/* Lists of tensors returned by calls: an fa_tensors whose array is an object. */
#ifndef FA__CORE_LIST_H
#define FA__CORE_LIST_H
#include "core/tensor.h"

/* An array that holds a reference to each of its tensors, which may be NULL. */
typedef struct fa__list {
    fa__object object;
    size_t count;
    fa_tensor *item[];
} fa__list;

/* What a call that fails returns. */
#define FA__NO_TENSORS ((fa_tensors){0, fa__no_items})

/* A list of NULLs that no scope owns yet. NULL and an error if memory runs out. */
fa__list *fa__list_new(size_t count);
/* Gives the list and each of its tensors to the current scope, so that single tensors can be moved to another scope,
 * and the array lives as long as the scope. After an error, count is 0. NULL gives an empty list. */
fa_tensors fa__list_own(fa__list *);
#endif
