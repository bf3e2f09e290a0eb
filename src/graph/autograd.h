/* What a tensor has in the graph besides its node: its gradient and hooks. */
#ifndef FA__GRAPH_AUTOGRAD_H
#define FA__GRAPH_AUTOGRAD_H
#include "graph/node.h"
#include <pthread.h>

typedef struct fa__autograd {
    fa__object object;
    fa_tensor *grad;
    fa__hook *hooks;      /* leaf: called before accumulation */
    fa__hook *after;      /* leaf: called after accumulation */
    fa__hook *followers;  /* their contexts are tensors that fa_move_ moves together with this one */
    pthread_mutex_t lock; /* for accumulation from several threads */
    /* For noticing that gradients are not removed between steps (autograd/used.c): */
    int64_t used;  /* the version of `grad` that a step used, or backward added to after that; -1: none */
    uint32_t life; /* how often the gradient was removed, replaced or, after a step, modified by the program */
    uint32_t sums; /* how often backward added to a gradient that a step had used */
} fa__autograd;

/* The autograd state of t, created if there is none; NULL and an error if memory runs out. */
fa__autograd *fa__autograd_of(fa_tensor *t);

static inline fa__autograd *fa__autograd_if(const fa_tensor *t)
{
    return (fa__autograd *)__atomic_load_n(&t->autograd, __ATOMIC_ACQUIRE);
}

/* The gradient does not contain the one that a step used any more. Called with the lock held. */
static inline void fa__grad_renew(fa__autograd *a)
{
    a->used = -1;
    a->life++;
}

#endif
