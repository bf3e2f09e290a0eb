/* What a library was asked before, and what it answered: plans, found by their questions. The device's lock guards
 * those of a device. */
#ifndef FA__BACKEND_GPU_PLANS_H
#define FA__BACKEND_GPU_PLANS_H
#include "base/types.h"

enum { FA__GPU_PLANS = 128 /* that are kept: a power of two */ };

typedef struct fa__gpu_planning {
    size_t question; /* bytes of one, without padding, as questions are compared by their bytes */
    size_t plan;     /* bytes of one, which begins with its question */
    bool stays;      /* work with a plan may be on its way: no other one takes its place */
    /* Makes the plan of its question; what else is in it is 0. The library's status: 0, also where it has no way. */
    int (*make)(void *plan, void *handle);
    void (*forget)(void *plan); /* frees what it has of the library, also of one that was not made to the end */
} fa__gpu_planning;

typedef struct fa__gpu_plans {
    void *plan[FA__GPU_PLANS];
} fa__gpu_plans;

/* The plan of a question, which is made when there is none. NULL: making it failed with this status; with 0, there is
 * no room, or no memory, which is an error. */
void *fa__gpu_plan(fa__gpu_plans *, const fa__gpu_planning *, const void *question, void *handle, int *status);
void fa__gpu_plans_free(fa__gpu_plans *, const fa__gpu_planning *);
#endif
