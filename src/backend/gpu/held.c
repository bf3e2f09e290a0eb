/* Launches whose kernels are still being compiled. The program goes on, and asks for further kernels, which are
 * compiled at the same time: the launches wait in the queue's list, and so do launches and copies without an event that
 * come behind them. They have their tickets; the driver gets them in order, with the next call, or when a thread waits
 * for the queue or needs the driver's own queue. A thread that waits compiles, too.
 *
 * A launch that cannot be issued any more, because the compiler refused its kernel, is a fault of its ticket, as one
 * that a kernel finds. The list is guarded by the queue's lock; so is what the driver is given of it. */
#include "backend/gpu/gpu.h"
#include "backend/gpu/queue.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "core/ledger.h"
#include <string.h>

typedef fa__gpu_queue queue;

typedef struct fa__gpu_held {
    struct fa__gpu_held *next;
    uint64_t ticket;
    const fa__op *op;
    const char *line;             /* of the program's call */
    const fa__gpu_kernel *kernel; /* NULL: a copy */
    fa__gpu_copy copy;
    uint64_t groups[3];
    bool careful;
    int count;
    fa__gpu_arg arg[]; /* and, behind them, the bytes of values */
} held;

/* ---- the list; the queue's lock is held ---- */
static void append(queue *q, held *h)
{
    if (q->held_first)
        q->held_last->next = h;
    else
        q->held_first = h;
    q->held_last = h;
    atomic_store_explicit(&q->holds, true, memory_order_release);
}

static void remove_first(queue *q)
{
    held *h = q->held_first;
    q->held_first = h->next;
    if (!q->held_first)
        atomic_store_explicit(&q->holds, false, memory_order_release);
    fa__free(h);
}

void fa__gpu_forget_held(queue *q)
{
    while (q->held_first)
        remove_first(q);
}

/* ---- what cannot be issued ---- */
/* Only the first launch that fails is reported: later ones would compute with values that do not exist. The fault word
 * is set, so that later launches do not overwrite existing values. */
static void note_broken(queue *q, const held *h, const fa_error *error)
{
    if (q->broken.note && !fa__faults_at(&q->base, q->broken.ticket))
        return;
    q->broken.ticket = h->ticket;
    q->broken.note = fa__fault_note_new(error);
    const fa__gpu_copy mark = {
        .to = q->word, .from = &q->copies[FA__GPU_BROKEN], .bytes = sizeof(fa__fault), .to_device = q->base.device};
    fa_error another = {.code = FA_OK}, *before = fa__error_use(&another);
    q->gpu->driver->copy(q->base.device, q->handle, &mark, NULL);
    fa__error_use(before);
}

void fa__gpu_open_broken(queue *q, uint64_t ticket)
{
    if (FA__LIKELY(!q->broken.note) || q->broken.ticket > ticket)
        return;
    fa__faults_open(&q->base, q->broken.ticket, q->broken.note);
    q->broken.note = NULL;
}

/* ---- issuing; the queue's lock is held ---- */
static bool issue(queue *q, const held *h)
{
    const fa__gpu_driver *driver = q->gpu->driver;
    fa__device *d = q->base.device;
    if (!h->kernel)
        return driver->copy(d, q->handle, &h->copy, NULL);
    if (!h->kernel->handle)
        return fa__gpu_job_fails(h->kernel->job);
    return fa__gpu_launch_now(q, h->kernel, h->groups, h->careful, h->arg, h->count, h->ticket);
}

static void issue_first(queue *q)
{
    const held *h = q->held_first;
    fa_error error = {.code = FA_OK}, *before = fa__error_use(&error);
    const char *line = fa__line_enter(h->line);
    if (!issue(q, h)) {
        if (h->op)
            fa__error_named(h->op->name);
        note_broken(q, h, &error);
    }
    fa__line_leave(&line);
    fa__error_use(before);
    remove_first(q);
}

/* Lets go of the lock meanwhile: others may poll, and issue. */
static void finish_kernel(queue *q, const held *h)
{
    fa__gpu_job *j = (fa__gpu_job *)(uintptr_t)h->kernel->job;
    fa__gpu_job_use(j);
    pthread_mutex_unlock(&q->lock);
    fa__gpu_job_finish(j);
    pthread_mutex_lock(&q->lock);
}

bool fa__gpu_catch_up_locked(queue *q, bool wait)
{
    while (q->held_first) {
        const held *h = q->held_first;
        if (h->kernel && !fa__gpu_is_compiled(h->kernel)) {
            if (!wait)
                return false;
            finish_kernel(q, h);
            continue;
        }
        issue_first(q);
    }
    return true;
}

void fa__gpu_catch_up(queue *q)
{
    if (FA__LIKELY(!atomic_load_explicit(&q->holds, memory_order_acquire)) || fa__gpu_gone)
        return;
    const int64_t start = fa__clock_ns();
    pthread_mutex_lock(&q->lock);
    const fa__op *op = q->held_first ? q->held_first->op : NULL;
    const bool waits = !fa__gpu_catch_up_locked(q, false);
    fa__gpu_catch_up_locked(q, true);
    pthread_mutex_unlock(&q->lock);
    if (waits)
        fa__ledger_implicit(op, q->base.device, fa__clock_ns() - start);
}

void fa__gpu_catch_up_device(const fa__device *d)
{
    int i = 0;
    for (queue *q; (q = fa__gpu_next_queue(d, &i));)
        fa__gpu_catch_up(q);
}

/* ---- holding ---- */
static held *held_new(const queue *q, const fa__op *op, size_t more)
{
    held *h = fa__calloc(1, sizeof *h + more);
    if (h) {
        h->ticket = q->base.issued + 1;
        h->op = op;
        h->line = fa__line;
    }
    return h;
}

/* The rest is issued as far as its kernels are there, so that the device begins early. */
static void put(queue *q, held *h)
{
    pthread_mutex_lock(&q->lock);
    append(q, h);
    fa__gpu_catch_up_locked(q, false);
    pthread_mutex_unlock(&q->lock);
}

static size_t bytes_of(const fa__gpu_arg *args, int count)
{
    size_t bytes = 0;
    for (int i = 0; i < count; i++)
        bytes += (args[i].size + 7) / 8 * 8;
    return bytes;
}

static void keep_args(held *h, const fa__gpu_arg *args, int count)
{
    char *at = (char *)&h->arg[count];
    h->count = count;
    for (int i = 0; i < count; i++) {
        h->arg[i] = args[i];
        if (args[i].size)
            h->arg[i].data = memcpy(at, args[i].data, args[i].size);
        at += (args[i].size + 7) / 8 * 8;
    }
}

bool fa__gpu_hold_launch(fa__gpu_issue *issue, const fa__gpu_kernel *k, const uint64_t groups[3], bool careful,
                         const fa__gpu_arg *args, int count)
{
    held *h = held_new(issue->queue, issue->op, (size_t)count * sizeof *args + bytes_of(args, count));
    if (!h)
        return false;
    h->kernel = k;
    memcpy(h->groups, groups, sizeof h->groups);
    h->careful = careful;
    keep_args(h, args, count);
    put(issue->queue, h);
    return true;
}

bool fa__gpu_send(queue *q, const fa__gpu_copy *c, void **event)
{
    const bool holds = atomic_load_explicit(&q->holds, memory_order_acquire);
    if (!holds || event || c->wait || c->after) {
        fa__gpu_catch_up(q);
        return q->gpu->driver->copy(q->base.device, q->handle, c, event);
    }
    held *h = held_new(q, NULL, 0);
    if (!h)
        return false;
    h->copy = *c;
    put(q, h);
    return true;
}
