/* Lists of tensors that calls return: fa_tensors whose array is an object. */
#ifndef FA__CORE_LIST_H
#define FA__CORE_LIST_H
#include "core/tensor.h"

/* An array that holds a reference to each of its tensors; one may be NULL. */
typedef struct fa__list {
    fa__object object;
    size_t count;
    fa_tensor *item[];
} fa__list;

/* Of NULLs, and nobody's yet. NULL and an error without memory. */
fa__list *fa__list_new(size_t count);
/* Gives the list, and each of its tensors, to the scope: so a tensor of it can escape, and the array lives as long as
 * the scope. Of count 0 after an error. NULL is an empty list. */
fa_tensors fa__list_own(fa__list *);
#endif
