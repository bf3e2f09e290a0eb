/* Faults: what a kernel found wrong. It stays in the queue's fault word until the host was told, so that later work of
 * the queue sees it and changes nothing. Behind each launch that may fault the word is copied to the host: the first
 * copy that is not clear tells whose fault it was. Work of other queues that comes behind such a launch is given the
 * same copy, by the device and before anybody knows what is in it. So all that the host knows of a queue's faults it
 * learns when work of that queue is put away, in order. */
#include "backend/fault.h"
#include "backend/gpu/gpu.h"
#include "backend/gpu/opencl/opencl.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "core/ledger.h"

typedef fa__opencl_queue queue;
typedef fa__opencl_work work;
typedef fa__opencl_suspect suspect;
typedef fa__opencl_stain stain;

/* ---- what is found ---- */
/* Of one epoch the first launch is to blame. */
void fa__opencl_judge(work *w, uint64_t ticket, bool good)
{
    queue *q = w->queue;
    suspect *s = w->suspect;
    const fa__fault *f = &q->fault_host[s->place];
    bool faulty = good && atomic_load(&f->code) != FA_OK;
    w->suspect = NULL;
    if (faulty && fa__opencl_stands(w)) {
        s->culprit = fa__opencl_last_stain(q)->guilty;
        fa__opencl_own_suspect(s->culprit);
    } else if (faulty) {
        fa__opencl_stain_new(q, s, f, ticket);
    }
    fa__opencl_let_go(s, faulty);
    fa__opencl_drop(s);
}

/* The last launch up to the ticket of which it is not known yet what it found; `inherited`: that takes over what others
 * found, and of a fault that somebody was told of since. 0: there is none. The queue's lock is held. */
static uint64_t last_pending(queue *q, uint64_t ticket, bool inherited)
{
    uint64_t t = atomic_load(&q->last_suspect), done = fa__opencl_done(q);
    for (t = t < ticket ? t : ticket; t > done; t--) {
        const suspect *s = fa__opencl_work_of(q, t)->suspect;
        if (s && (!inherited || (s->source && s->born < fa__tellings_count())))
            return t;
    }
    return 0;
}

fa__opencl_health fa__opencl_health_of(queue *q)
{
    pthread_mutex_lock(&q->lock);
    bool faulty = fa__opencl_is_stained(q), unsure = last_pending(q, q->base.issued, false) != 0;
    fa__opencl_leave(q);
    return faulty ? FA__OPENCL_FAULTY : unsure ? FA__OPENCL_UNSURE : FA__OPENCL_SOUND;
}

/* ---- who is told ---- */
static void raise_guilt(suspect *s, const fa__fault *f)
{
    char buffer[300];
    const fa__device *d = s->queue->base.device;
    fa__tellings_add(&s->told);
    if (s->known) {
        fa__fault_report(f, (const fa__launch *)(const void *)s->launch, d);
        return;
    }
    fa__text text = fa__text_in(buffer, sizeof buffer);
    fa__fault_describe(&text, f, NULL, false);
    fa__fail((fa_code)atomic_load(&f->code), "%s: kernel %s: %s", d->name, s->name, buffer);
}

/* Whether that thread, 0: any, was told of the fault, by any queue, since this one has it. */
static bool is_known(suspect *guilty, uint32_t thread)
{
    return fa__tellings_have(&fa__opencl_origin(guilty)->told, thread, guilty->born, UINT64_MAX);
}

/* This thread uses work up to the ticket. It is told of each fault that nobody was told of here, and of those that it
 * is still to be told of; of none that it knows. One error can stand at a time: the next fault is left to a later wait.
 * `device_tells`, which may be NULL: where nobody was told here, or now is not the time, the device goes on with this
 * one, to whoever waits later; one more owner of its suspect. True when it was told. */
static bool tell(queue *q, uint64_t ticket, stain *device_tells)
{
    bool raised = false, stands = fa__failed();
    for (stain s = {.epoch = 0}; !raised && fa__opencl_next_stain(q, ticket, &s); fa__opencl_disown(s.guilty)) {
        bool known = is_known(s.guilty, fa__thread_number());
        if (!known && device_tells && (s.untold || stands)) {
            fa__opencl_disown(device_tells->guilty);
            *device_tells = s;
            fa__opencl_own_suspect(s.guilty);
        } else if (known || !stands) {
            raised = !known;
            s.untold &= raised; /* what one knows may be news to others */
            fa__opencl_settle(q, &s);
        }
        if (raised)
            raise_guilt(fa__opencl_origin(s.guilty), &s.fault);
    }
    return raised;
}

/* Whether this thread is to be told that work up to the ticket failed: of what a lost device was to do whenever it asks
 * for it, else once. The queue's lock is held. */
static bool failure_is_news(queue *q, uint64_t ticket)
{
    uint32_t thread = fa__thread_number();
    if (!q->failed || ticket < q->failed_ticket || fa__failed())
        return false;
    if (atomic_load(&q->device->lost))
        return true;
    if (!q->failed_told)
        q->failed_threads = fa__thread_last();
    if (thread > q->failed_threads || fa__tellings_have(&q->failed_told, thread, 0, UINT64_MAX))
        return false;
    fa__tellings_add(&q->failed_told);
    return true;
}

void fa__opencl_surface(queue *q, uint64_t ticket)
{
    tell(q, ticket, NULL);
    pthread_mutex_lock(&q->lock);
    cl_int failed = failure_is_news(q, ticket) ? q->failed : 0;
    const char *call = q->failed_call;
    fa__opencl_leave(q);
    if (failed)
        fa__fail(FA_ERROR_DEVICE, "%s: work of %s failed: %s (%d)", q->base.device->name, call,
                 fa__opencl_error_name(failed), (int)failed);
}

/* ---- forgiving ---- */
/* What the queue has taken over up to the ticket, or is about to, is waited for: it may be what the program was told
 * of. */
static void learn(queue *q, uint64_t ticket, const fa__op *op)
{
    pthread_mutex_lock(&q->lock);
    ticket = last_pending(q, ticket, true);
    fa__opencl_leave(q);
    if (!ticket)
        return;
    int64_t start = fa__clock_ns();
    fa__opencl_wait_quietly(q, ticket);
    fa__ledger_implicit(op, q->base.device, fa__clock_ns() - start);
}

/* Whether the program was told of the fault that stands, by another queue that has it, since it came here: what it may
 * have spoilt here had been issued before. */
static bool is_told_elsewhere(queue *q)
{
    suspect *s = NULL;
    learn(q, UINT64_MAX, q->device->issuing);
    pthread_mutex_lock(&q->lock);
    if (fa__opencl_is_stained(q)) {
        s = fa__opencl_last_stain(q)->guilty;
        fa__opencl_own_suspect(s);
    }
    fa__opencl_leave(q);
    bool told = s && is_known(s, 0);
    fa__opencl_disown(s);
    return told;
}

/* Where others were told, nothing keeps a thread any longer from using what the fault spoilt: one that is still to be
 * told is told before it issues more. */
static bool is_told_now(queue *q)
{
    pthread_mutex_lock(&q->lock);
    uint64_t ticket = fa__opencl_unpaid(q);
    fa__opencl_leave(q);
    return ticket && !fa__failed() && tell(q, ticket, NULL);
}

bool fa__opencl_forgive(queue *q)
{
    static const cl_int zero;
    uint64_t before = q->tellings;
    q->tellings = fa__tellings_count();
    bool elsewhere = q->tellings > before && is_told_elsewhere(q);
    pthread_mutex_lock(&q->lock);
    bool wanted = q->forgive |= elsewhere, owed = q->debts != 0;
    fa__opencl_leave(q);
    if (owed && is_told_now(q))
        return false;
    if (!wanted)
        return true;
    if (!FA__OPENCL_TRY(q->base.device, clEnqueueFillBuffer, q->queue, q->fault, &zero, sizeof zero, 0,
                        sizeof(fa__fault), 0, NULL, NULL))
        return false;
    pthread_mutex_lock(&q->lock);
    q->forgive = false;
    q->epoch++;
    fa__opencl_last_stain(q)->until = q->base.issued;
    fa__opencl_leave(q);
    return true;
}

/* ---- faults of other queues ---- */
/* What another queue found goes behind our own word, where a kernel looks at both: what is known, or the copy that the
 * device makes. */
static bool issue_look(queue *q, suspect *s, const fa__fault *known)
{
    const fa__fault *copy = &s->queue->fault_host[s->place];
    const fa__gpu_kernel *k = fa__gpu_fixed(q->base.device, FA__GPU_INHERIT, 0, FA__CLASS_I32);
    bool good = k
                && (known ? FA__OPENCL_TRY(q->base.device, clEnqueueFillBuffer, q->queue, q->fault, known,
                                           sizeof *known, sizeof *known, sizeof *known, 0, NULL, NULL)
                          : FA__OPENCL_TRY(q->base.device, clEnqueueWriteBuffer, q->queue, q->fault, CL_FALSE,
                                           sizeof *copy, sizeof *copy, copy, 0, NULL, NULL));
    if (!good)
        return false;
    q->source = s;
    q->source_known = known != NULL;
    uint64_t ticket = fa__opencl_launch(&q->base, k, (const uint64_t[3]){1, 1, 1}, NULL, 0);
    q->source = NULL;
    if (!ticket && !known)
        fa__opencl.clFinish(q->queue); /* the copy may be anybody's again */
    return ticket != 0;
}

/* What this thread had the device look at last of that queue, or of another one that shares the place. */
static fa__opencl_sight *sight_of(queue *q, const suspect *s)
{
    return &q->seen[(fa__thread_number() + s->queue->base.serial) % FA__OPENCL_SIGHTS];
}

/* Whether this thread has had the device look there already: then it has work behind that. */
static bool has_seen(queue *q, const suspect *s)
{
    const fa__opencl_sight *seen = sight_of(q, s);
    return seen->of == s->queue && seen->ticket >= s->ticket && seen->epoch == q->epoch
           && seen->thread == fa__thread_number();
}

/* The device looks behind that launch of the other queue, or takes over what it is known to have found. */
static bool look_behind(queue *q, suspect *s, const fa__fault *known)
{
    pthread_mutex_lock(&q->base.device->lock);
    bool good = fa__opencl_forgive(q);
    if (good && (known || !has_seen(q, s)) && (good = issue_look(q, s, known)) && !known)
        *sight_of(q, s) = (fa__opencl_sight){s->queue, s->ticket, q->epoch, fa__thread_number()};
    pthread_mutex_unlock(&q->base.device->lock);
    return good;
}

/* The last launch up to the ticket that may bring news to this thread: none where it stands behind a fault that the
 * thread knows, whose copy holds nothing else. What is found meanwhile is seen by tell(). */
static suspect *pending_of(queue *q, uint64_t ticket)
{
    suspect *guilty = NULL;
    pthread_mutex_lock(&q->lock);
    uint64_t t = last_pending(q, ticket, false);
    const work *w = fa__opencl_work_of(q, t);
    suspect *s = t ? w->suspect : NULL;
    if (s)
        fa__opencl_use(s);
    if (s && fa__opencl_stands(w)) {
        guilty = fa__opencl_last_stain(q)->guilty;
        fa__opencl_own_suspect(guilty);
    }
    fa__opencl_leave(q);
    if (guilty && is_known(guilty, fa__thread_number())) {
        fa__opencl_drop(s);
        s = NULL;
    }
    fa__opencl_disown(guilty);
    return s;
}

bool fa__opencl_hand_over(queue *q, queue *other, uint64_t ticket)
{
    learn(other, ticket, NULL);
    suspect *s = pending_of(other, ticket);
    stain known = {.guilty = NULL};
    bool good = !tell(other, ticket, &known);
    if (good && known.guilty)
        good = look_behind(q, known.guilty, &known.fault);
    else if (good && s)
        good = look_behind(q, s, NULL);
    fa__opencl_disown(known.guilty);
    fa__opencl_drop(s);
    return good;
}
