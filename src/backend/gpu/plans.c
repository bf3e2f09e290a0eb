/* Plans by their questions: a table with open addressing. When it is full, a new plan takes the place of the one where
 * its search begins. */
#include "backend/gpu/plans.h"
#include "base/alloc.h"
#include "base/hash.h"
#include <string.h>

/* Where the plan is, or can be; NULL: nowhere. */
static void **place_of(fa__gpu_plans *own, const fa__gpu_planning *how, const void *question)
{
    const size_t begin = fa__hash_bytes(question, how->question) % FA__GPU_PLANS;
    for (size_t i = 0; i < FA__GPU_PLANS; i++) {
        void **at = &own->plan[(begin + i) % FA__GPU_PLANS];
        if (!*at || !memcmp(*at, question, how->question))
            return at;
    }
    return how->stays ? NULL : &own->plan[begin];
}

static void drop(void **at, const fa__gpu_planning *how)
{
    if (*at)
        how->forget(*at);
    fa__free(*at);
    *at = NULL;
}

void *fa__gpu_plan(fa__gpu_plans *own, const fa__gpu_planning *how, const void *question, void *handle, int *status)
{
    void **at = place_of(own, how, question);
    *status = 0;
    if (!at || (*at && !memcmp(*at, question, how->question)))
        return at ? *at : NULL;
    drop(at, how);
    *at = fa__calloc(1, how->plan);
    if (!*at)
        return NULL;
    memcpy(*at, question, how->question);
    *status = how->make(*at, handle);
    if (*status)
        drop(at, how);
    return *at;
}

void fa__gpu_plans_free(fa__gpu_plans *own, const fa__gpu_planning *how)
{
    for (int i = 0; i < FA__GPU_PLANS; i++)
        drop(&own->plan[i], how);
}
