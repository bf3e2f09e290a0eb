/* Whose work stands behind a fault: threads that share a queue are to be told each. */
#include "backend/gpu/opencl/opencl.h"
#include <string.h>

typedef fa__opencl_queue queue;
typedef fa__opencl_work work;
typedef fa__opencl_victim victim;

uint32_t fa__opencl_thread(void)
{
    static _Atomic uint32_t threads;
    static FA__TLS uint32_t mine;
    if (!mine)
        mine = atomic_fetch_add(&threads, 1) + 1;
    return mine;
}

static victim *victim_of(queue *q, uint32_t thread)
{
    for (int i = 0; i < q->victims; i++)
        if (q->victim[i].thread == thread)
            return &q->victim[i];
    return NULL;
}

/* When there are too many, the oldest one is forgotten. */
static victim *new_victim(queue *q, uint32_t thread, uint64_t ticket)
{
    if (q->victims == FA__OPENCL_VICTIMS)
        memmove(q->victim, q->victim + 1, (size_t)--q->victims * sizeof q->victim[0]);
    victim *v = &q->victim[q->victims++];
    *v = (victim){.thread = thread, .ticket = ticket};
    return v;
}

void fa__opencl_note(const work *w, uint64_t ticket)
{
    if (fa__opencl_stands(w, ticket) && !victim_of(w->queue, w->thread))
        new_victim(w->queue, w->thread, ticket);
}

void fa__opencl_forget_told(queue *q)
{
    int left = 0;
    for (int i = 0; i < q->victims; i++)
        if (!q->victim[i].told)
            q->victim[left++] = q->victim[i];
    q->victims = left;
}

bool fa__opencl_is_victim(queue *q, uint64_t ticket)
{
    const victim *v = victim_of(q, fa__opencl_thread());
    return v && !v->told && v->ticket <= ticket;
}

void fa__opencl_note_told(queue *q)
{
    victim *v = victim_of(q, fa__opencl_thread());
    v = v ? v : new_victim(q, fa__opencl_thread(), 0);
    v->told = true;
}
