/* Faults: what a kernel found wrong. It stays in the queue's fault word until the host was told, so that later work of
 * the queue sees it and changes nothing. Behind each launch that may fault the word is copied to the host: the first
 * copy that is not clear tells whose fault it was. Work of other queues that comes behind such a launch is given the
 * same copy, by the device and before anybody knows what is in it. */
#include "backend/fault.h"
#include "backend/gpu/gpu.h"
#include "backend/gpu/opencl/opencl.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "core/ledger.h"
#include <string.h>

typedef fa__opencl_queue queue;
typedef fa__opencl_work work;
typedef fa__opencl_suspect suspect;

/* ---- places for copies of the fault word ---- */
static int find_place(queue *q)
{
    for (unsigned i = 0; i < FA__OPENCL_LOOKS; i++) {
        unsigned place = (q->next_look + i) % FA__OPENCL_LOOKS;
        if (!atomic_load(&q->taken[place])) {
            q->next_look = place + 1;
            return (int)place;
        }
    }
    return -1;
}

/* There are more places than work: when all are taken, other queues have fallen far behind this one. */
static bool take_place(queue *q, suspect *s, const fa__op *op)
{
    s->place = find_place(q);
    if (s->place < 0) {
        int64_t start = fa__clock_ns();
        fa__opencl_finish_all();
        fa__ledger_implicit(op, q->base.device, fa__clock_ns() - start);
        s->place = find_place(q);
    }
    if (s->place < 0)
        return fa__fail(FA_ERROR_INTERNAL, "%s: no place for a fault", q->base.device->name);
    atomic_store(&q->taken[s->place], true);
    return true;
}

/* ---- whose fault ---- */
static size_t rounded(size_t size)
{
    return (size + 15) / 16 * 16;
}

static void own(suspect *s)
{
    atomic_fetch_add(&s->owners, 1);
}

static void use_copy(suspect *s)
{
    own(s);
    atomic_fetch_add(&s->users, 1);
}

void fa__opencl_disown(suspect *s)
{
    if (!s || atomic_fetch_sub(&s->owners, 1) != 1)
        return;
    fa__opencl_disown(s->source);
    fa__opencl_disown(s->culprit);
    fa__free(s);
}

/* Its copy of the source's copy is made, or never will be. What it found is known then: only a fault may have to be
 * looked for where it came from. */
static void let_go(suspect *s, bool faulty)
{
    suspect *source = s->source;
    if (!source || s->copied)
        return;
    s->copied = true;
    if (faulty)
        own(source);
    else
        s->source = NULL;
    fa__opencl_drop(source);
}

void fa__opencl_drop(suspect *s)
{
    if (s && atomic_fetch_sub(&s->users, 1) == 1) {
        let_go(s, false);
        atomic_store(&s->queue->taken[s->place], false);
    }
    fa__opencl_disown(s);
}

/* What is told of the launch that is being issued. */
static void describe(suspect *s, const fa__launch *l)
{
    fa__launch *copy = memcpy(s->launch, l, fa__launch_size(l));
    if (l->op && l->args && l->op->args_size)
        copy->args = memcpy(s->launch + rounded(fa__launch_size(l)), l->args, l->op->args_size);
}

suspect *fa__opencl_suspect_new(queue *q, const char *name, const fa__op *op)
{
    const fa__launch *l = q->launch;
    size_t size = l ? rounded(fa__launch_size(l)) : 0, args = l && l->op && l->args ? l->op->args_size : 0;
    suspect *s = fa__malloc(sizeof *s + size + args);
    if (!s)
        return NULL;
    fa__text text = fa__text_in(s->name, sizeof s->name);
    fa__text_add(&text, "%s", name ? name : "");
    s->known = l != NULL;
    s->queue = q;
    s->ticket = q->base.issued + 1;
    s->source = q->source;
    s->culprit = NULL;
    s->copied = false;
    atomic_init(&s->told, 0);
    atomic_init(&s->teller, 0);
    atomic_init(&s->owners, 1);
    atomic_init(&s->users, 1);
    if (l)
        describe(s, l);
    if (!take_place(q, s, op)) {
        fa__free(s);
        return NULL;
    }
    if (s->source)
        use_copy(s->source);
    return s;
}

/* The queue's fault is another one. */
static void blame(queue *q, suspect *s, const fa__fault *f, uint64_t ticket)
{
    own(s);
    fa__opencl_disown(q->guilty);
    q->guilty = s;
    q->guilt = *f;
    q->guilty_ticket = ticket;
    q->untold = true;
}

/* Of one epoch the first launch is to blame: another queue's fault may have been taken over before that was known. */
static bool is_first(const queue *q, const work *w, uint64_t ticket)
{
    return w->epoch > q->fault_epoch || (w->epoch == q->fault_epoch && q->untold && ticket < q->guilty_ticket);
}

void fa__opencl_judge(work *w, uint64_t ticket, bool good)
{
    queue *q = w->queue;
    suspect *s = w->suspect;
    const fa__fault *f = &q->fault_host[s->place];
    bool faulty = good && atomic_load(&f->code) != FA_OK;
    w->suspect = NULL;
    if (faulty && is_first(q, w, ticket)) {
        if (w->epoch > q->fault_epoch) {
            q->guilty_until = UINT64_MAX;
            fa__opencl_forget_told(q);
        }
        q->fault_epoch = w->epoch;
        blame(q, s, f, ticket);
    } else if (faulty && w->epoch == q->fault_epoch) {
        own(q->guilty);
        s->culprit = q->guilty;
    }
    let_go(s, faulty);
    fa__opencl_drop(s);
}

bool fa__opencl_stands(const work *w, uint64_t ticket)
{
    const queue *q = w->queue;
    return q->guilty && w->epoch == q->fault_epoch && q->guilty_ticket <= ticket;
}

/* Whose fault it was at first. Where it came from is over, but maybe not put away. */
static suspect *origin(suspect *s)
{
    while (s->source) {
        s = s->source;
        fa__opencl_wait_quietly(s->queue, s->ticket);
        s = s->culprit ? s->culprit : s;
    }
    return s;
}

static _Atomic uint64_t tellings; /* of all queues */

static void raise_guilt(suspect *s, const fa__fault *f)
{
    char buffer[300];
    const fa__device *d = s->queue->base.device;
    atomic_store(&s->teller, fa__opencl_thread());
    atomic_store(&s->told, atomic_fetch_add(&tellings, 1) + 1);
    if (s->known) {
        fa__fault_report(f, (const fa__launch *)(const void *)s->launch, d);
        return;
    }
    fa__text text = fa__text_in(buffer, sizeof buffer);
    fa__fault_describe(&text, f);
    fa__fail((fa_code)atomic_load(&f->code), "%s: kernel %s: %s", d->name, s->name, buffer);
}

/* The fault that is to be told of when work up to the ticket is waited for, for one more owner. When it was forgiven
 * before that, the program was told elsewhere, and has gone on. `again`: somebody was told, but not this thread, or
 * elsewhere. The queue's lock is held. */
static suspect *guilty_for(queue *q, uint64_t ticket, bool *again)
{
    bool stands = q->untold && q->guilty_ticket <= ticket;
    *again = !stands || ticket > q->guilty_until;
    if (stands) {
        q->untold = false;
        q->forgive |= q->guilty_until == UINT64_MAX;
    }
    if (!q->guilty || (*again && !fa__opencl_is_victim(q, ticket)))
        return NULL;
    fa__opencl_note_told(q);
    own(q->guilty);
    return q->guilty;
}

/* What a lost device was to do fails whoever asks for it. */
void fa__opencl_surface(queue *q, uint64_t ticket)
{
    cl_int failed = 0;
    bool again;
    pthread_mutex_lock(&q->lock);
    suspect *guilty = guilty_for(q, ticket, &again);
    const fa__fault guilt = q->guilt;
    if (q->failed && q->failed_ticket <= ticket) {
        failed = q->failed;
        if (!atomic_load(&q->device->lost))
            q->failed = 0;
    }
    const char *call = q->failed_call;
    fa__opencl_leave(q);
    suspect *first = guilty ? origin(guilty) : NULL;
    if (first && !(again && atomic_load(&first->teller) == fa__opencl_thread()))
        raise_guilt(first, &guilt);
    fa__opencl_disown(guilty);
    if (failed)
        fa__fail(FA_ERROR_DEVICE, "%s: work of %s failed: %s (%d)", q->base.device->name, call,
                 fa__opencl_error_name(failed), (int)failed);
}

/* Whether the program was told of the fault that stands, by another queue that has it, since work was issued here: what
 * it may have spoilt here had been issued before. */
static bool is_told_elsewhere(queue *q, uint64_t before)
{
    fa__opencl_look(q);
    pthread_mutex_lock(&q->lock);
    suspect *s = q->untold && q->guilty_until == UINT64_MAX ? q->guilty : NULL;
    if (s)
        own(s);
    fa__opencl_leave(q);
    bool told = s && atomic_load(&origin(s)->told) > before;
    fa__opencl_disown(s);
    return told;
}

bool fa__opencl_forgive(queue *q)
{
    static const cl_int zero;
    uint64_t before = q->tellings;
    q->tellings = atomic_load(&tellings);
    bool elsewhere = q->tellings > before && is_told_elsewhere(q, before);
    pthread_mutex_lock(&q->lock);
    bool wanted = q->forgive || elsewhere;
    fa__opencl_leave(q);
    if (!wanted)
        return true;
    if (!FA__OPENCL_TRY(q->base.device, clEnqueueFillBuffer, q->queue, q->fault, &zero, sizeof zero, 0,
                        sizeof(fa__fault), 0, NULL, NULL))
        return false;
    pthread_mutex_lock(&q->lock);
    q->forgive = false;
    q->epoch++;
    q->guilty_until = q->base.issued;
    fa__opencl_leave(q);
    return true;
}

/* ---- faults of other queues ---- */
fa__opencl_health fa__opencl_health_of(queue *q, uint64_t ticket, suspect **last)
{
    fa__opencl_health found = FA__OPENCL_SOUND;
    uint64_t t = atomic_load(&q->last_suspect);
    pthread_mutex_lock(&q->lock);
    if (q->untold && q->guilty_ticket <= ticket && ticket <= q->guilty_until)
        found = FA__OPENCL_FAULTY;
    for (t = t < ticket ? t : ticket; !found && t > fa__opencl_done(q); t--) {
        suspect *s = fa__opencl_work_of(q, t)->suspect;
        if (!s)
            continue;
        found = FA__OPENCL_UNSURE;
        if (last)
            use_copy(*last = s);
    }
    fa__opencl_leave(q);
    return found;
}

/* The fault that stands, for one more owner. */
static suspect *fault_of(queue *q, fa__fault *fault)
{
    pthread_mutex_lock(&q->lock);
    suspect *s = q->untold ? q->guilty : NULL;
    *fault = q->guilt;
    if (s)
        own(s);
    fa__opencl_leave(q);
    return s;
}

/* It becomes the queue's, unless it has one already. */
static void take_fault(queue *q, suspect *s, const fa__fault *fault)
{
    pthread_mutex_lock(&q->lock);
    if (!q->untold || q->guilty_until != UINT64_MAX) {
        blame(q, s, fault, q->base.issued + 1);
        q->guilty_until = UINT64_MAX;
        q->fault_epoch = q->epoch;
        fa__opencl_forget_told(q);
    }
    fa__opencl_leave(q);
}

/* The other queue is faulty: so is what comes behind its work. */
static bool inherit(queue *q, queue *other)
{
    fa__fault fault;
    suspect *s = fault_of(other, &fault);
    if (!s)
        return true;
    pthread_mutex_lock(&q->base.device->lock);
    bool good = fa__opencl_forgive(q)
                && FA__OPENCL_TRY(q->base.device, clEnqueueFillBuffer, q->queue, q->fault, &fault, sizeof fault, 0,
                                  sizeof fault, 0, NULL, NULL);
    if (good)
        take_fault(q, s, &fault);
    pthread_mutex_unlock(&q->base.device->lock);
    fa__opencl_disown(s);
    return good;
}

/* The other queue's copy goes behind our own word, where a kernel looks at both. */
static bool issue_look(queue *q, suspect *s)
{
    const fa__fault *copy = &s->queue->fault_host[s->place];
    const fa__gpu_kernel *k = fa__gpu_fixed(q->base.device, FA__GPU_INHERIT, 0, FA__CLASS_I32);
    if (!k
        || !FA__OPENCL_TRY(q->base.device, clEnqueueWriteBuffer, q->queue, q->fault, CL_FALSE, sizeof *copy,
                           sizeof *copy, copy, 0, NULL, NULL))
        return false;
    q->source = s;
    uint64_t ticket = fa__opencl_launch(&q->base, k, (const uint64_t[3]){1, 1, 1}, NULL, 0);
    q->source = NULL;
    if (!ticket)
        fa__opencl.clFinish(q->queue); /* the copy may be anybody's again */
    return ticket != 0;
}

/* Nobody knows yet whether the other queue is faulty: the device looks, behind this launch of it. */
static bool look_behind(queue *q, suspect *s)
{
    pthread_mutex_lock(&q->base.device->lock);
    bool good = fa__opencl_forgive(q);
    bool again = q->seen == s->queue && q->seen_ticket >= s->ticket && q->seen_epoch == q->epoch;
    if (good && !again && (good = issue_look(q, s))) {
        q->seen = s->queue;
        q->seen_ticket = s->ticket;
        q->seen_epoch = q->epoch;
    }
    pthread_mutex_unlock(&q->base.device->lock);
    fa__opencl_drop(s);
    return good;
}

bool fa__opencl_hand_over(queue *q, queue *other, uint64_t ticket)
{
    suspect *s = NULL;
    fa__opencl_health health = fa__opencl_health_of(other, ticket, &s);
    return health == FA__OPENCL_SOUND || (health == FA__OPENCL_FAULTY ? inherit(q, other) : look_behind(q, s));
}
