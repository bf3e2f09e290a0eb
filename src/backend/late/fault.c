/* Faults of late queues: what went wrong in their work, for which work that counts, and who is told. All of it goes by
 * when work was issued, as on devices that clear a fault behind what they have been given by then: how far the queue's
 * thread has come makes no difference. A thread is told of what nobody was told of who waited for this queue: unlike
 * OpenCL's, a late queue does not remember whose work is behind a fault. */
#include "backend/late/late.h"
#include "base/alloc.h"
#include "base/error.h"
#include <string.h>

typedef fa__late_queue queue;
typedef fa__late_job job;
typedef fa__late_stain stain;

struct fa__late_fault {
    _Atomic int owners;
    fa__tellings told;
    fa_error error;
};

static void disown(struct fa__late_fault *f)
{
    if (!f || atomic_fetch_sub(&f->owners, 1) != 1)
        return;
    fa__tellings_end(&f->told);
    fa__aligned_free(f);
}

/* Of what there was no memory for, nobody knows that he was told. */
static bool was_told(const stain *s, uint32_t thread, uint64_t until)
{
    return s->fault && fa__tellings_have(&s->fault->told, thread, s->born, until);
}

/* ---- what work finds ---- */
bool fa__late_stands(queue *q, const job *j)
{
    bool stands = false;
    pthread_mutex_lock(&q->lock);
    for (int i = 0; i < q->stains && !stands; i++)
        stands = q->stain[i].told > j->age && !was_told(&q->stain[i], 0, j->age);
    pthread_mutex_unlock(&q->lock);
    return stands;
}

static void forget_first(queue *q)
{
    disown(q->stain[0].fault);
    memmove(q->stain, q->stain + 1, (size_t)--q->stains * sizeof q->stain[0]);
}

/* Behind a fault that stands, others may be its consequences. */
static void add(queue *q, const job *j, struct fa__late_fault *f)
{
    if (fa__late_stands(q, j)) {
        disown(f);
        return;
    }
    pthread_mutex_lock(&q->lock);
    if (q->stains == FA__LATE_STAINS)
        forget_first(q);
    q->stain[q->stains++] = (stain){
        .fault = f, .born = j->age, .told = UINT64_MAX, .from = atomic_load(&q->base.done) + 1, .until = UINT64_MAX};
    pthread_mutex_unlock(&q->lock);
}

void fa__late_fault_new(queue *q, const job *j, const fa_error *error)
{
    struct fa__late_fault *f = fa__raw(16, sizeof *f);
    if (f) {
        f->told = NULL;
        f->error = *error;
        atomic_init(&f->owners, 1);
    }
    add(q, j, f);
}

/* ---- what a thread issues ---- */
void fa__late_forgive(queue *q)
{
    for (int i = 0; i < q->stains; i++)
        if (q->stain[i].until == UINT64_MAX && was_told(&q->stain[i], 0, UINT64_MAX))
            q->stain[i].until = q->base.issued;
}

/* The work of that ticket may be spoilt, and neither the thread was told of it when the job was issued, nor whoever
 * waited for this queue. */
static bool is_spoilt(const stain *s, uint64_t ticket, const job *j)
{
    return s->from <= ticket && ticket <= s->until && s->told > j->age && !was_told(s, j->thread, j->age);
}

bool fa__late_hand_over(queue *q, const job *j, queue *other, uint64_t ticket)
{
    stain found[FA__LATE_STAINS];
    int count = 0;
    pthread_mutex_lock(&other->lock);
    for (int i = 0; i < other->stains; i++)
        if (is_spoilt(&other->stain[i], ticket, j)) {
            if (q && other->stain[i].fault)
                atomic_fetch_add(&other->stain[i].fault->owners, 1);
            found[count++] = other->stain[i];
        }
    pthread_mutex_unlock(&other->lock);
    for (int i = 0; i < count && q; i++)
        add(q, j, found[i].fault);
    return count > 0;
}

/* ---- who is told ---- */
/* One error can stand at a time: what comes then is left to a later wait. */
void fa__late_surface(queue *q, uint64_t ticket)
{
    static const fa_error unknown = {.code = FA_ERROR_MEMORY, .message = "out of memory: none was left for an error"};
    fa_error error = {.code = FA_OK};
    pthread_mutex_lock(&q->lock);
    for (int i = 0; i < q->stains && !fa__failed() && error.code == FA_OK; i++) {
        stain *s = &q->stain[i];
        if (s->from > ticket || ticket > s->until || s->told != UINT64_MAX
            || was_told(s, fa__thread_number(), UINT64_MAX))
            continue;
        error = s->fault ? s->fault->error : unknown;
        s->told = s->fault ? fa__tellings_add(&s->fault->told) : fa__tellings_count();
    }
    pthread_mutex_unlock(&q->lock);
    fa__error_hand_over(&error);
}

void fa__late_faults_end(queue *q)
{
    while (q->stains)
        forget_first(q);
}
