/* What storages remember of late work. The notes of all storages are under one lock: it is held for a few stores, and
 * only storages that late work has touched come here. Waits happen outside of it. */
#include "core/order.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/fork.h"
#include <pthread.h>

bool (*fa__host_waits)(const fa__op *, fa__stamp);
void (*fa__host_must_wait)(const fa__op *, fa__stamp);
bool (*fa__queue_follows)(fa__queue *, fa__stamp);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

FA__LOCKED_AT_FORK(ORDER, &lock)

/* A copy of a storage's note; one without work when there is none. */
static fa__pending look(const fa__storage *s)
{
    pthread_mutex_lock(&lock);
    fa__pending p = s->pending ? *s->pending : (fa__pending){0};
    pthread_mutex_unlock(&lock);
    return p;
}

/* The note, made when there is none yet. NULL, with an error, without memory. The lock is held; the pointer is read
 * without it by those who only want to know whether there is one. */
static fa__pending *note(fa__storage *s)
{
    if (!s->pending) {
        fa__pending *p = fa__calloc(1, sizeof *p);
        __atomic_store_n(&s->pending, p, __ATOMIC_RELEASE);
    }
    return s->pending;
}

/* ---- before ---- */
/* Work of `queue` (NULL: the host's) comes behind `work`. */
static bool come_after(fa__queue *queue, fa__stamp work, const fa__op *op)
{
    if (!work.queue || work.queue == queue)
        return true;
    return queue ? fa__queue_follows(queue, work) : fa__host_waits(op, work);
}

bool fa__before_read(fa__storage *s, fa__queue *queue, const fa__op *op)
{
    return come_after(queue, look(s).write, op);
}

bool fa__before_write(fa__storage *s, fa__queue *queue, const fa__op *op)
{
    fa__pending p = look(s);
    for (int i = 0; i < FA__MAX_READS; i++)
        if (!come_after(queue, p.read[i], op))
            return false;
    return come_after(queue, p.write, op);
}

/* ---- after ---- */
/* Remembers a read: in the place of an older one of the same queue, or in a free one. False when there is none. */
static bool put_read(fa__pending *p, fa__stamp work, const fa__op *op)
{
    int place = 0;
    while (place < FA__MAX_READS && p->read[place].queue && p->read[place].queue != work.queue)
        place++;
    if (place == FA__MAX_READS)
        return false;
    p->read[place] = work;
    p->reader[place] = op;
    return true;
}

/* Without a place for the note, the work is waited for, whatever is forbidden: it runs already. */
bool fa__after_read(fa__storage *s, fa__stamp work, const fa__op *op)
{
    if (!work.queue)
        return true;
    pthread_mutex_lock(&lock);
    fa__pending *p = note(s);
    bool put = p && put_read(p, work, op);
    pthread_mutex_unlock(&lock);
    if (!put)
        fa__host_must_wait(op, work);
    return p != NULL;
}

bool fa__order_room(fa__storage *s)
{
    pthread_mutex_lock(&lock);
    bool good = note(s) != NULL;
    pthread_mutex_unlock(&lock);
    return good;
}

bool fa__after_write(fa__storage *s, fa__stamp work, const fa__op *op)
{
    pthread_mutex_lock(&lock);
    fa__pending *p = work.queue ? note(s) : s->pending;
    if (p)
        *p = (fa__pending){.write = work, .writer = op};
    pthread_mutex_unlock(&lock);
    if (work.queue && !p)
        fa__host_must_wait(op, work);
    return p || !work.queue;
}

/* ---- memory ---- */
/* The work of a note that is not done. */
static int open_work(const fa__pending *p, fa__stamp *work)
{
    int count = 0;
    for (int i = 0; i < FA__MAX_READS; i++)
        if (!fa__stamp_done(&p->read[i]))
            work[count++] = p->read[i];
    if (!fa__stamp_done(&p->write))
        work[count++] = p->write;
    return count;
}

bool fa__order_take(fa__storage *s)
{
    fa__stamp work[FA__BLOCK_USES];
    bool good = true;
    for (int i = fa__block_work(s->block, work); i-- > 0;)
        good &= fa__after_write(s, work[i], NULL);
    return good;
}

bool fa__order_done(fa__storage *s)
{
    fa__stamp work[FA__MAX_READS + 1];
    fa__pending p = look(s);
    return open_work(&p, work) == 0;
}

void fa__order_release(fa__storage *s)
{
    if (!s->pending) {
        fa__cache_give(&s->device->cache, s->block, NULL, 0);
    } else {
        fa__stamp work[FA__MAX_READS + 1];
        fa__pending p = look(s);
        int count = open_work(&p, work);
        fa__cache_give_after(&s->device->cache, s->block, work, count);
    }
    s->block = NULL;
}

/* ---- storages that wait for their work ---- */
static fa__storage *deferred; /* linked by object.link */
static void (*_Atomic release_deferred)(fa__storage *);

static void wait_for(fa__storage *s)
{
    fa__stamp work[FA__MAX_READS + 1];
    fa__pending p = look(s);
    for (int i = open_work(&p, work); i-- > 0;)
        fa__host_must_wait(NULL, work[i]);
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
        if (fa__order_done(chain)) {
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
