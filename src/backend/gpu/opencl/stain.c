/* Stains: the work that a fault may have kept from being done. It stays known to the queue after the fault was told of
 * and forgiven, with the threads that are still to be told. */
#include "backend/gpu/opencl/opencl.h"
#include <string.h>

typedef fa__opencl_queue queue;
typedef fa__opencl_work work;
typedef fa__opencl_suspect suspect;
typedef fa__opencl_stain stain;
typedef fa__opencl_debt debt;

/* ---- debts ---- */
static debt *debt_of(queue *q, uint32_t epoch, uint32_t thread)
{
    for (int i = 0; i < q->debts; i++)
        if (q->debt[i].epoch == epoch && q->debt[i].thread == thread)
            return &q->debt[i];
    return NULL;
}

uint64_t fa__opencl_unpaid(const queue *q)
{
    uint64_t last = 0; /* of an earlier one the thread may know from elsewhere */
    for (int i = 0; i < q->debts; i++)
        if (q->debt[i].thread == fa__thread_number() && (q->forgive || q->debt[i].epoch != q->epoch)
            && q->debt[i].ticket > last)
            last = q->debt[i].ticket;
    return last;
}

/* That of number i is paid, or forgotten. */
static void end_debt(queue *q, int i)
{
    memmove(q->debt + i, q->debt + i + 1, (size_t)(--q->debts - i) * sizeof q->debt[0]);
}

void fa__opencl_owe(queue *q, uint64_t ticket)
{
    const work *w = fa__opencl_work_of(q, ticket);
    if ((q->forgive && !w->overwrites) || !fa__opencl_stands(w) || debt_of(q, w->epoch, w->thread))
        return; /* what is issued when the program was told is done, or clears the word first */
    if (q->debts == FA__OPENCL_DEBTS)
        end_debt(q, 0);
    q->debt[q->debts++] = (debt){.thread = w->thread, .epoch = w->epoch, .ticket = ticket};
}

/* ---- stains ---- */
stain *fa__opencl_last_stain(const queue *q)
{
    return q->stains ? (stain *)&q->stain[q->stains - 1] : NULL;
}

bool fa__opencl_stands(const work *w)
{
    const stain *last = fa__opencl_last_stain(w->queue);
    return last && last->epoch == w->epoch;
}

bool fa__opencl_is_stained(const queue *q)
{
    const stain *last = fa__opencl_last_stain(q);
    return last && last->epoch == q->epoch;
}

static bool is_owed(const queue *q, const stain *s)
{
    for (int i = 0; i < q->debts; i++)
        if (q->debt[i].epoch == s->epoch)
            return true;
    return false;
}

/* The first one that nobody is still to be told of; where there is none, the first one. */
static void forget_one(queue *q)
{
    int one = 0;
    while (one < q->stains && is_owed(q, &q->stain[one]))
        one++;
    one %= q->stains;
    for (int i = q->debts; i-- > 0;)
        if (q->debt[i].epoch == q->stain[one].epoch)
            end_debt(q, i);
    fa__opencl_disown(q->stain[one].guilty);
    memmove(q->stain + one, q->stain + one + 1, (size_t)(--q->stains - one) * sizeof q->stain[0]);
}

void fa__opencl_stain_new(queue *q, suspect *guilty, const fa__fault *f, uint64_t ticket)
{
    if (q->stains == FA__OPENCL_STAINS)
        forget_one(q);
    fa__opencl_own_suspect(guilty);
    q->stain[q->stains++] = (stain){.epoch = fa__opencl_work_of(q, ticket)->epoch,
                                    .from = ticket,
                                    .until = UINT64_MAX,
                                    .guilty = guilty,
                                    .fault = *f,
                                    .untold = true};
    for (uint64_t t = ticket; t <= q->base.issued; t++)
        fa__opencl_owe(q, t);
}

/* The work is in the stain, and nobody was told who used such work. */
static bool is_news(const stain *s, uint64_t ticket)
{
    return s->untold && s->from <= ticket && ticket <= s->until;
}

void fa__opencl_stains_end(queue *q)
{
    while (q->stains)
        fa__opencl_disown(q->stain[--q->stains].guilty);
    q->debts = 0;
}

bool fa__opencl_next_stain(queue *q, uint64_t ticket, stain *found)
{
    bool any = false;
    uint32_t behind = found->epoch;
    pthread_mutex_lock(&q->lock);
    for (int i = 0; i < q->stains && !any; i++) {
        const stain *s = &q->stain[i];
        const debt *d = debt_of(q, s->epoch, fa__thread_number());
        any = s->epoch > behind && ((d && d->ticket <= ticket) || is_news(s, ticket));
        if (any)
            *found = *s;
    }
    if (any) {
        found->untold = is_news(found, ticket);
        fa__opencl_own_suspect(found->guilty);
    }
    fa__opencl_leave(q);
    return any;
}

void fa__opencl_settle(queue *q, const stain *told)
{
    pthread_mutex_lock(&q->lock);
    debt *d = debt_of(q, told->epoch, fa__thread_number());
    if (d)
        end_debt(q, (int)(d - q->debt));
    for (int i = 0; i < q->stains && told->untold; i++)
        if (q->stain[i].epoch == told->epoch)
            q->stain[i].untold = false;
    q->forgive |= told->untold && told->epoch == q->epoch;
    fa__opencl_leave(q);
}
