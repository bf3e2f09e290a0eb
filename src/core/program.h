/* A scalar program that devices run, with what each device made of it. */
#ifndef FA__CORE_PROGRAM_H
#define FA__CORE_PROGRAM_H
#include "core/ssa.h"
#include <facula/types.h>
#include <stdatomic.h>

/* What a dtype computes in. */
extern const uint8_t fa__dtype_classes[FA__DTYPES];

static inline fa__class fa__class_of(unsigned dtype)
{
    return (fa__class)fa__dtype_classes[dtype];
}

typedef struct fa__program {
    const fa__ssa *ssa;
    const char *text;         /* for reports */
    int hot;                  /* FA__HOT_name of the generated hot.h when the C compiler made loops of it, else -1 */
    struct fa__object *owner; /* late work that runs the program has a reference to it; NULL: it lives for ever */
    int32_t low, high;        /* the values of the dtype, where it computes in 32-bit integers */
    _Atomic(void *) compiled[FA__BACKENDS][FA__CLASSES];
} fa__program;
#endif
