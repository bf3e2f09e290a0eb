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
} fa__autograd;

/* The autograd state of t, created if there is none; NULL and an error if memory runs out. */
fa__autograd *fa__autograd_of(fa_tensor *t);

static inline fa__autograd *fa__autograd_if(const fa_tensor *t)
{
    return (fa__autograd *)__atomic_load_n(&t->autograd, __ATOMIC_ACQUIRE);
}

#endif
