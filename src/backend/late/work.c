/* What late queues do: events, copies, garbage, and the CPU's kernels on a copy of the launch. */
#include "backend/cpu/cpu.h"
#include "backend/fault.h"
#include "backend/late/late.h"
#include "backend/movement.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "core/ledger.h"
#include "core/tensor.h"
#include <string.h>

typedef fa__late_job job;

static _Atomic bool ignore_after;

void fa__late_ignore_after(bool ignore)
{
    atomic_store(&ignore_after, ignore);
}

static uint64_t no_memory(const fa__queue *queue)
{
    fa__fail(FA_ERROR_MEMORY, "out of memory: none is left for work of %s", queue->device->name);
    return 0;
}

/* ---- faults ---- */
/* Work behind a fault that nobody had reported when it was issued: then it changes nothing. How far the queue's thread
 * has come makes no difference. */
static bool is_faulty(fa__late_queue *q, const job *j)
{
    return fa__faults_at(&q->base, j->ticket) != NULL;
}

/* Ends the fault where it was reported, by this queue or by another one that has it: events are waited for, as they may
 * bring that. */
bool fa__late_ready(fa__queue *queue)
{
    fa__late_queue *q = (fa__late_queue *)queue;
    uint64_t reports = fa__faults_reported();
    if (FA__LIKELY(q->reports == reports))
        return true;
    int64_t start = fa__clock_ns();
    if (fa__late_wait_for_events(q))
        fa__ledger_implicit(NULL, queue->device, fa__clock_ns() - start);
    if (fa__faults_stand(queue, true))
        fa__faults_close(queue, atomic_load(&queue->issued));
    q->reports = reports;
    return true;
}

/* ---- events ---- */
/* What went wrong there goes wrong here too: this queue's later work depends on it. */
static void wait_for_other(fa__late_queue *q, job *j)
{
    fa__late_queue *other = (fa__late_queue *)j->after.queue;
    fa__late_wait_quietly(other, j->after.ticket);
    fa__fault_note *fault = fa__faults_at(&other->base, j->after.ticket);
    if (fault)
        fa__faults_open(&q->base, j->ticket, fault);
}

bool fa__late_after(fa__queue *queue, fa__sync_point work)
{
    if (!work.queue || work.queue == queue || fa__late_forked || atomic_load(&ignore_after))
        return true;
    if (work.queue->device->id.kind != FA__LATE)
        return fa__wait_for_kind(work);
    fa__late_queue *q = (fa__late_queue *)queue, *other = (fa__late_queue *)work.queue;
    fa__late_check_after(q, other, work.ticket);
    bool done = fa__sync_point_done(&work);
    fa__fault_note *fault = fa__faults_at(work.queue, work.ticket);
    if (fault)
        return fa__fault_is_reported(fault) || fa__fault_raise(fault);
    if (done)
        return true;
    job *j = fa__late_job_new(wait_for_other, 0);
    if (!j)
        return no_memory(queue) != 0;
    j->after = work;
    j->event = true;
    pthread_mutex_lock(&q->lock);
    fa__late_append(q, j);
    return true;
}

/* ---- moments ---- */
static void do_mark(fa__late_queue *q, job *j)
{
    (void)q;
    atomic_store(&j->timestamp->ns, fa__clock_ns());
    fa__timestamp_drop(j->timestamp);
}

uint64_t fa__late_mark(fa__queue *queue, fa__timestamp *timestamp)
{
    job *j = fa__late_job_new(do_mark, 0);
    if (!j)
        return no_memory(queue);
    j->timestamp = timestamp;
    atomic_fetch_add(&timestamp->references, 1);
    uint64_t ticket = fa__late_issue(queue, j, NULL, NULL, 0);
    if (!ticket)
        fa__timestamp_drop(timestamp);
    return ticket;
}

/* ---- copies and fills ---- */
/* Behind an error that nobody has seen nothing is changed: what is there is better than what depends on the error. */
static void do_copy(fa__late_queue *q, job *j)
{
    if (j->copy.overwrites && is_faulty(q, j))
        return;
    int64_t start = fa__clock_ns();
    memcpy(j->copy.to, j->copy.from, j->copy.bytes);
    if (j->copy.to_device != j->copy.from_device)
        fa__ledger_copy_time(j->copy.age, j->copy.op, j->copy.from_device, j->copy.to_device, fa__clock_ns() - start);
}

uint64_t fa__late_copy(fa__queue *queue, const fa__copy *copy)
{
    job *j = fa__late_job_new(do_copy, 0);
    if (!j)
        return no_memory(queue);
    j->copy = *copy;
    const char *to = copy->to, *from = copy->from;
    const fa__late_access access[] = {{to, to + copy->bytes, true, copy->to_device},
                                      {from, from + copy->bytes, false, copy->from_device}};
    uint64_t ticket = fa__late_issue(queue, j, copy->op, access, 2);
    if (!copy->to_device)
        ((fa__late_queue *)queue)->last_to_host = ticket;
    return ticket;
}

static void do_fill(fa__late_queue *q, job *j)
{
    (void)q;
    memset(j->copy.to, FA__LATE_GARBAGE, j->copy.bytes);
}

uint64_t fa__late_fill(fa__queue *queue, const fa__device *device, void *memory, size_t size)
{
    job *j = fa__late_job_new(do_fill, 0);
    if (!j)
        return 0;
    j->copy = (fa__copy){.to = memory, .bytes = size};
    const fa__late_access access = {memory, (char *)memory + size, true, device};
    return fa__late_issue(queue, j, NULL, &access, 1);
}

/* ---- kernels ---- */
static void do_launch(fa__late_queue *q, job *j)
{
    const fa__launch *l = (const fa__launch *)(const void *)j->launch;
    if (!l->overwrites || !is_faulty(q, j)) {
        fa__cpu_run(l);
        fa__fault_report(&q->fault, l, q->base.device);
        atomic_store(&q->fault.code, FA_OK);
    }
    fa__unref(l->program ? l->program->owner : NULL);
}

/* The bytes that an operand reaches. False when there are none. */
static bool reach(const fa__launch *l, int i, const fa__device *device, fa__late_access *access)
{
    const fa__operand *o = &l->operand[i];
    int64_t low, high, size = (int64_t)fa__dtype_size(o->dtype);
    if (o->kind != FA__MEMORY || !o->data)
        return false;
    bool own = l->kind == FA__LAUNCH_KERNEL;
    fa__extent(own ? o->rank : l->rank, own ? o->shape : l->shape, o->stride, &low, &high);
    *access = (fa__late_access){(char *)o->data + low * size, (char *)o->data + high * size, i < l->outputs, device};
    return low < high;
}

static size_t rounded(size_t size)
{
    return (size + 15) / 16 * 16;
}

/* Room for one launch, and for the events before it. */
bool fa__late_reserve(fa__queue *queue, int operands)
{
    if (!operands) {
        fa__late_keep_none();
        return true;
    }
    size_t count = (size_t)operands, size = sizeof(fa__launch) + count * sizeof(fa__operand);
    bool good = fa__late_keep(rounded(size) + (count + 1) * sizeof(fa__late_access));
    for (int i = 0; good && i < operands; i++)
        good = fa__late_keep(rounded(size) + (count + 1) * sizeof(fa__late_access));
    return good || no_memory(queue) != 0;
}

uint64_t fa__late_run(fa__queue *queue, const fa__launch *l)
{
    fa__late_queue *q = (fa__late_queue *)queue;
    size_t access_at = fa__launch_copy_size(l);
    job *j = fa__late_job_new(do_launch, access_at + (l->operands + (size_t)1) * sizeof(fa__late_access));
    if (!j)
        return no_memory(queue);
    fa__launch *copy = fa__launch_copy(l, j->launch);
    copy->fault = &q->fault;
    fa__late_access *access = (fa__late_access *)(void *)(j->launch + access_at);
    int count = 0;
    for (int i = 0; i < l->operands; i++)
        count += reach(l, i, q->base.device, &access[count]);
    fa__object *owner = l->program ? l->program->owner : NULL;
    if (owner)
        fa__ref(owner);
    uint64_t ticket = fa__late_issue(queue, j, l->caller ? l->caller : l->op, access, count);
    if (!ticket)
        fa__unref(owner);
    return ticket;
}
