/* The asynchronous work recorded by storages. One lock guards the records of all storages; it is held for a few
 * stores only, and only for storages that asynchronous work has used. Waiting happens without the lock. */
#include "core/order.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/fork.h"
#include "core/attribution.h"
#include <pthread.h>
#include <string.h>

bool (*fa__host_waits)(const fa__op *, fa__sync_point);
void (*fa__host_must_wait)(const fa__op *, fa__sync_point);
bool (*fa__queue_follows)(fa__queue *, fa__sync_point);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

FA__LOCKED_AT_FORK(ORDER, &lock)

enum { FIRST_ROOM = 4, SOME = 8 };

/* Copies some of the work recorded by a storage, from number `from` on: reads, then the write. Returns the number
 * copied; less than SOME means there is no more. */
static int look(const fa__storage *s, int from, fa__sync_point work[SOME])
{
    int count = 0;
    pthread_mutex_lock(&lock);
    const fa__pending *p = s->pending;
    for (; p && count < SOME && from + count <= p->reads; count++)
        work[count] = from + count < p->reads ? p->read[from + count] : p->write;
    pthread_mutex_unlock(&lock);
    return count;
}

/* The record with room for one more read. NULL and an error if memory runs out. Called with the lock held; to check
 * only whether there is a record, the pointer is read without it. */
static fa__pending *note(fa__storage *s)
{
    fa__pending *old = s->pending;
    if (old && old->reads < old->room)
        return old;
    int room = old ? 2 * old->room : FIRST_ROOM;
    fa__pending *p = fa__calloc(1, sizeof *p + (size_t)room * sizeof p->read[0]);
    if (!p)
        return NULL;
    if (old)
        memcpy(p, old, sizeof *old + (size_t)old->reads * sizeof old->read[0]);
    p->room = room;
    __atomic_store_n(&s->pending, p, __ATOMIC_RELEASE);
    fa__free(old);
    return p;
}

/* ---- before ---- */
/* Orders `queue` (NULL: the host) after `work`. */
static bool come_after(fa__queue *queue, fa__sync_point work, const fa__op *op)
{
    if (!work.queue || work.queue == queue)
        return true;
    if (!queue)
        return fa__host_waits(op, work);
    FA__WORK_FOR(op); /* waits inside the driver are counted for this operation */
    return fa__queue_follows(queue, work);
}

bool fa__before_read(fa__storage *s, fa__queue *queue, const fa__op *op)
{
    pthread_mutex_lock(&lock);
    fa__sync_point write = s->pending ? s->pending->write : (fa__sync_point){0};
    pthread_mutex_unlock(&lock);
    return come_after(queue, write, op) && fa__storage_sound(s);
}

bool fa__before_overwrite(fa__storage *s, fa__queue *queue, const fa__op *op)
{
    fa__sync_point work[SOME];
    for (int from = 0, count = SOME; count == SOME; from += count) {
        count = look(s, from, work);
        for (int i = 0; i < count; i++)
            if (!come_after(queue, work[i], op))
                return false;
    }
    return true;
}

bool fa__before_write(fa__storage *s, fa__queue *queue, const fa__op *op)
{
    return fa__before_overwrite(s, queue, op) && fa__storage_sound(s);
}

/* The fault that work is behind; NULL: none is known. */
static fa__fault_note *fault_at(fa__sync_point work)
{
    return work.queue ? fa__faults_at(work.queue, work.ticket) : NULL;
}

/* The same, of writing in place, if what was there is lost. */
static fa__fault_note *spoiled_at(fa__sync_point work)
{
    fa__fault_note *fault = fault_at(work);
    return fault && fa__fault_spoils(fault) ? fault : NULL;
}

/* The fault that the storage's values were made behind; NULL: none is known. */
static fa__fault_note *fault_of(fa__storage *s)
{
    pthread_mutex_lock(&lock);
    const fa__pending *p = s->pending;
    const fa__sync_point born = p ? p->born : (fa__sync_point){0}, changed = p ? p->changed : (fa__sync_point){0};
    pthread_mutex_unlock(&lock);
    fa__fault_note *fault = fault_at(born);
    return fault ? fault : spoiled_at(changed);
}

bool fa__storage_is_faulty(fa__storage *s)
{
    return FA__UNLIKELY(fa__any_faults()) && fa__has_pending(s) && fault_of(s);
}

bool fa__storage_fails(fa__storage *s)
{
    fa__fault_note *fault = fault_of(s);
    if (fault)
        fa__fault_raise(fault);
    return fault != NULL;
}

/* ---- after ---- */
/* Records a read, replacing an earlier one of the same queue. Threads that share a queue may get here in another
 * order than their work was issued. False if memory runs out. */
static bool put_read(fa__storage *s, fa__sync_point work)
{
    fa__pending *p = s->pending;
    for (int i = 0; p && i < p->reads; i++)
        if (p->read[i].queue == work.queue) {
            if (p->read[i].ticket < work.ticket)
                p->read[i] = work;
            return true;
        }
    p = note(s);
    if (p)
        p->read[p->reads++] = work;
    return p != NULL;
}

/* If there is no memory for the record, waits for the work even if waiting is forbidden, as it already runs. */
bool fa__after_read(fa__storage *s, fa__sync_point work, const fa__op *op)
{
    if (!work.queue)
        return true;
    pthread_mutex_lock(&lock);
    bool put = put_read(s, work);
    pthread_mutex_unlock(&lock);
    if (!put)
        fa__host_must_wait(op, work);
    return put;
}

bool fa__order_room(fa__storage *s)
{
    pthread_mutex_lock(&lock);
    bool good = note(s) != NULL;
    pthread_mutex_unlock(&lock);
    return good;
}

/* Values are made by several pieces of work where results are put together: the last one counts, unless an earlier one
 * is known to be behind a fault. Of one of which that is not known yet the fault stands in front of the last one, too.
 */
static void be_born(fa__pending *p, fa__sync_point work)
{
    if (!p->born.queue || !fa__faults_at(p->born.queue, p->born.ticket))
        p->born = work;
}

typedef enum { TAKES, CHANGES, CREATES } way;

static bool after_write(fa__storage *s, fa__sync_point work, const fa__op *op, way how)
{
    pthread_mutex_lock(&lock);
    fa__pending *p = s->pending || !work.queue ? s->pending : note(s);
    if (p) {
        p->write = work;
        p->reads = 0;
        if (how == CREATES && work.queue)
            be_born(p, work);
        if (how == CREATES || (how == CHANGES && !spoiled_at(p->changed)))
            p->changed = how == CHANGES ? work : (fa__sync_point){0};
    }
    pthread_mutex_unlock(&lock);
    if (work.queue && !p)
        fa__host_must_wait(op, work);
    return p || !work.queue;
}

bool fa__after_write(fa__storage *s, fa__sync_point work, const fa__op *op)
{
    return after_write(s, work, op, CHANGES);
}

bool fa__after_creation(fa__storage *s, fa__sync_point work, const fa__op *op)
{
    return after_write(s, work, op, CREATES);
}

bool fa__after_overwrite(fa__storage *s, fa__sync_point work, const fa__op *op)
{
    pthread_mutex_lock(&lock);
    if (s->pending)
        s->pending->born = (fa__sync_point){0};
    pthread_mutex_unlock(&lock);
    return after_write(s, work, op, CREATES);
}

/* ---- memory ---- */
void fa__order_exchange(fa__storage *a, fa__storage *b)
{
    pthread_mutex_lock(&lock);
    fa__pending *p = a->pending;
    __atomic_store_n(&a->pending, b->pending, __ATOMIC_RELEASE);
    __atomic_store_n(&b->pending, p, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}

/* Copies the work that is not known to be done, as far as a block remembers it. Returns how much of it there is. */
static int open_work(const fa__storage *s, fa__sync_point open[FA__BLOCK_USES])
{
    fa__sync_point work[SOME];
    int found = 0;
    for (int from = 0, count = SOME; count == SOME; from += count) {
        count = look(s, from, work);
        for (int i = 0; i < count; i++)
            if (!fa__sync_point_known(&work[i])) {
                if (found < FA__BLOCK_USES)
                    open[found] = work[i];
                found++;
            }
    }
    return found;
}

bool fa__order_take(fa__storage *s)
{
    fa__sync_point work[FA__BLOCK_USES];
    bool good = true;
    for (int i = fa__block_work(s->block, work); i-- > 0;)
        good &= after_write(s, work[i], NULL, TAKES);
    return good;
}

bool fa__order_done(fa__storage *s)
{
    fa__sync_point work[SOME];
    bool done = true;
    for (int from = 0, count = SOME; done && count == SOME; from += count) {
        count = look(s, from, work);
        for (int i = 0; i < count; i++)
            done &= fa__sync_point_done(&work[i]);
    }
    return done;
}

bool fa__order_may_go(fa__storage *s)
{
    fa__sync_point work[FA__BLOCK_USES];
    return open_work(s, work) < (s->block ? FA__BLOCK_USES : 1);
}

void fa__order_release(fa__storage *s)
{
    fa__sync_point work[FA__BLOCK_USES];
    int count = s->pending ? open_work(s, work) : 0;
    fa__cache_give_after(fa__block_cache(s->block), s->block, work, count);
    s->block = NULL;
}

/* ---- storages whose release is deferred ---- */
static fa__storage *deferred; /* linked through object.link */
static void (*_Atomic release_deferred)(fa__storage *);

static void wait_for(fa__storage *s)
{
    fa__sync_point work[SOME];
    for (int from = 0, count = SOME; count == SOME; from += count) {
        count = look(s, from, work);
        for (int i = 0; i < count; i++)
            if (!fa__sync_point_done(&work[i]))
                fa__host_must_wait(NULL, work[i]);
    }
}

void fa__order_reap(bool wait)
{
    pthread_mutex_lock(&lock);
    fa__storage *chain = deferred, *next, *back = NULL;
    deferred = NULL;
    pthread_mutex_unlock(&lock);
    for (; chain; chain = next) {
        next = chain->object.link;
        if (wait)
            wait_for(chain);
        if (fa__order_may_go(chain) || fa__order_done(chain)) {
            void (*release)(fa__storage *) = atomic_load(&release_deferred);
            release(chain);
        } else {
            chain->object.link = back;
            back = chain;
        }
    }
    for (; back; back = next) {
        next = back->object.link;
        pthread_mutex_lock(&lock);
        back->object.link = deferred;
        deferred = back;
        pthread_mutex_unlock(&lock);
    }
}

void fa__order_defer(fa__storage *s, void (*release)(fa__storage *))
{
    pthread_mutex_lock(&lock);
    atomic_store(&release_deferred, release);
    s->object.link = deferred;
    deferred = s;
    pthread_mutex_unlock(&lock);
    fa__order_reap(false);
}
