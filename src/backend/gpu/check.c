/* Faults on GPUs. A kernel that finds something wrong writes the queue's fault word, the first one of several; kernels
 * that write over values look at the word and leave them as they are. Behind each launch that may find something the
 * word is copied to the host, which looks at the copy when that work is done: from the first copy that is not clear on,
 * the queue is behind a fault (core/faults.h). Queues that come behind such a launch take its copy over on the device,
 * before anybody knows what is in it. */
#include "backend/fault.h"
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/gpu.h"
#include "backend/gpu/queue.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "core/faults.h"
#include "core/ledger.h"
#include <string.h>

typedef fa__gpu_queue queue;
typedef fa__gpu_check check;

/* ---- places for copies of the fault word ---- */
static int find_place(queue *q)
{
    for (unsigned i = 0; i < FA__GPU_CHECKS; i++) {
        unsigned place = (q->next_place + i) % FA__GPU_CHECKS;
        if (!atomic_load(&q->taken[place])) {
            q->next_place = place + 1;
            return (int)place;
        }
    }
    return -1;
}

/* There are more places than work: when all are taken, other queues have fallen far behind this one. */
static bool take_place(queue *q, check *c, const fa__op *op)
{
    c->place = find_place(q);
    if (c->place < 0) {
        int64_t start = fa__clock_ns();
        fa__gpu_finish_all(false);
        fa__ledger_implicit(op, q->base.device, fa__clock_ns() - start);
        c->place = find_place(q);
    }
    if (c->place < 0)
        return fa__fail(FA_ERROR_INTERNAL, "%s: no place for a fault", q->base.device->name);
    atomic_store(&q->taken[c->place], true);
    return true;
}

/* ---- checks ---- */
static size_t rounded(size_t size)
{
    return (size + 15) / 16 * 16;
}

static void describe(check *c, const fa__launch *l)
{
    fa__launch *copy = memcpy(c->launch, l, fa__launch_size(l));
    if (l->op && l->args && l->op->args_size)
        copy->args = memcpy(c->launch + rounded(fa__launch_size(l)), l->args, l->op->args_size);
}

check *fa__gpu_check_new(fa__gpu_issue *issue, const char *name, check *source)
{
    const fa__launch *l = issue->launch;
    size_t size = l ? rounded(fa__launch_size(l)) : 0, args = l && l->op && l->args ? l->op->args_size : 0;
    check *c = fa__malloc(sizeof *c + size + args);
    if (!c)
        return NULL;
    c->queue = issue->queue;
    c->ticket = issue->queue->base.issued + 1;
    c->source = source;
    c->graph = NULL;
    c->line = fa__line;
    c->name = name;
    c->known = l != NULL;
    atomic_init(&c->users, 1);
    if (l)
        describe(c, l);
    c->place = -1;
    if (!issue->queue->capture && !take_place(issue->queue, c, issue->op)) {
        fa__free(c);
        return NULL;
    }
    return c;
}

void fa__gpu_check_drop(check *c)
{
    if (!c || atomic_fetch_sub(&c->users, 1) != 1)
        return;
    if (c->place >= 0)
        atomic_store(&c->queue->taken[c->place], false);
    fa__gpu_check_drop(c->source);
    fa__free(c);
}

/* ---- the fault word ---- */
static bool copy_word(queue *q, fa__fault *host, size_t at, bool to_host)
{
    const fa__device *d = q->base.device;
    char *word = (char *)q->word + at;
    const fa__gpu_copy c = {.to = to_host ? (void *)host : word,
                            .from = to_host ? (void *)word : host,
                            .bytes = sizeof *host,
                            .to_device = to_host ? NULL : d,
                            .from_device = to_host ? d : NULL};
    return fa__gpu_send(q, &c, NULL);
}

/* Without the copy nobody would know what the launch found: the word is made what it was before. */
bool fa__gpu_check_issue(check *c)
{
    queue *q = c->queue;
    if (FA__UNLIKELY(q->capture != NULL))
        return fa__gpu_capture_note(q);
    if (copy_word(q, &q->copies[c->place], 0, true))
        return true;
    fa__gpu_catch_up(q);
    q->gpu->driver->finish(q->handle);
    fa__gpu_wait_quietly(q, q->base.issued);
    if (fa__gpu_health_of(q) == FA__GPU_SOUND)
        copy_word(q, &q->copies[FA__GPU_CLEAR], 0, false);
    return false;
}

/* ---- what was found ---- */
/* A graph's launches mark what they found with their number (dialect/fault.inc), above the dimension. */
static const check *check_of(const check *c, fa__fault *f)
{
    const int number = f->dim >> FAULT_NUMBER;
    f->dim &= (1 << FAULT_NUMBER) - 1;
    return c->graph && number ? fa__gpu_capture_check(c->graph, number) : c;
}

static fa__fault_note *note_of(const check *of, const fa__fault *found)
{
    fa__fault fault = *found, *f = &fault;
    const check *c = check_of(of, f);
    fa_error error = {.code = FA_OK}, *before = fa__error_use(&error);
    const char *line = fa__line_enter(c->line);
    const fa__device *d = c->queue->base.device;
    char buffer[300];
    fa__text text = fa__text_in(buffer, sizeof buffer);
    if (c->known) {
        fa__fault_report(f, (const fa__launch *)(const void *)c->launch, d);
    } else {
        fa__fault_describe(&text, f, NULL, NULL);
        fa__fail((fa_code)atomic_load(&f->code), "%s: kernel %s: %s", d->name, c->name ? c->name : "", buffer);
    }
    fa__error_use(before);
    fa__line_leave(&line);
    return fa__fault_note_new(&error);
}

void fa__gpu_judge(queue *q, const fa__gpu_work *w, bool good)
{
    check *c = w->check, *source = c->source;
    const fa__fault *f = &q->copies[c->place];
    fa__gpu_host_access(q->gpu->driver, f, sizeof *f, false);
    if (good && atomic_load(&f->code) != FA_OK && !fa__faults_at(&q->base, w->ticket)) {
        fa__fault_note *note = source ? fa__faults_at(&source->queue->base, source->ticket) : NULL;
        fa__faults_open(&q->base, w->ticket, note ? note : note_of(c, f));
    }
    c->source = NULL; /* others may look at this one's copy for long */
    fa__gpu_check_drop(source);
    fa__gpu_check_drop(c);
}

fa__gpu_health fa__gpu_health_of(queue *q)
{
    fa__gpu_advance(q);
    pthread_mutex_lock(&q->lock);
    const bool waits = q->held_first || q->broken.note;
    pthread_mutex_unlock(&q->lock);
    const bool unsure = waits || q->last_check > fa__gpu_done(q);
    return fa__faults_stand(&q->base, false) ? FA__GPU_FAULTY : unsure ? FA__GPU_UNSURE : FA__GPU_SOUND;
}

/* ---- going on behind a fault that was reported ---- */
/* Work of an operation that is being compiled for was checked before the fault was reported: the word stays as it is
 * until that is issued. */
static bool clear(queue *q)
{
    while (q->compiling)
        pthread_cond_wait(&q->compiled, &q->base.device->lock);
    if (!fa__gpu_begin(q, NULL) || !copy_word(q, &q->copies[FA__GPU_CLEAR], 0, false))
        return false;
    fa__faults_close(&q->base, q->base.issued);
    return true;
}

/* Clears the fault word where the fault was reported, by this queue or by another one that has it: what this one has
 * taken over is waited for, as it may be that. */
bool fa__gpu_ready(fa__queue *base)
{
    queue *q = (queue *)base;
    uint64_t reports = fa__faults_reported();
    if (FA__LIKELY(q->reports == reports))
        return true;
    if (!fa__gpu_well(base->device))
        return false;
    fa__gpu_wait_inside(q, q->last_inherit, NULL);
    if (fa__faults_stand(base, true) && !clear(q))
        return false;
    q->reports = reports;
    return true;
}

/* ---- faults of other queues ---- */
/* The last check up to the ticket of which it is not known yet what it found, with one more user; NULL: there is none.
 */
static check *pending_of(queue *q, uint64_t ticket)
{
    check *found = NULL;
    pthread_mutex_lock(&q->lock);
    for (uint64_t i = q->work_next; i > q->work_first && !found; i--) {
        const fa__gpu_work *w = &q->work[(i - 1) % FA__GPU_OPEN];
        found = w->ticket <= ticket ? w->check : NULL;
    }
    if (found && fa__faults_at(&q->base, found->ticket))
        found = NULL; /* it only finds what is known */
    if (found)
        atomic_fetch_add(&found->users, 1);
    pthread_mutex_unlock(&q->lock);
    return found;
}

/* The copy goes behind our own word, where a kernel looks at both. Takes over the use of the source. */
static bool issue_inherit(queue *q, check *source)
{
    fa__gpu_issue issue = fa__gpu_issue_begin(&q->base, NULL);
    const fa__gpu_kernel *k = fa__gpu_fixed(&issue, FA__GPU_INHERIT, 0, FA__CLASS_I32);
    if (k && copy_word(q, &source->queue->copies[source->place], sizeof(fa__fault), false))
        return fa__gpu_launch_inherit(&issue, k, source) != 0;
    fa__gpu_check_drop(source);
    return false;
}

/* Once for each check: then it is behind that for good. */
static bool take_over(queue *q, check *source)
{
    queue *other = source->queue;
    uint64_t ticket = source->ticket;
    __typeof__(&q->seen[0]) seen = &q->seen[other->base.serial % FA__GPU_SEEN];
    if ((seen->of == other && seen->ticket >= ticket) || !fa__gpu_ready(&q->base)) {
        fa__gpu_check_drop(source);
        return !fa__failed();
    }
    if (!issue_inherit(q, source))
        return false;
    seen->of = other;
    seen->ticket = ticket;
    if (fa__faults_at(&other->base, ticket)) /* it was found, and maybe reported, meanwhile */
        q->reports = UINT64_MAX;
    return true;
}

static bool is_broken(queue *q, uint64_t ticket)
{
    pthread_mutex_lock(&q->lock);
    const bool broken = q->broken.note && q->broken.ticket <= ticket;
    pthread_mutex_unlock(&q->lock);
    return broken;
}

bool fa__gpu_inherit(queue *q, queue *other, uint64_t ticket)
{
    fa__gpu_advance(other);
    if (FA__UNLIKELY(is_broken(other, ticket)))
        fa__gpu_wait_inside(other, ticket, NULL);
    fa__fault_note *known = fa__faults_at(&other->base, ticket);
    if (known)
        return fa__fault_is_reported(known) || fa__fault_raise(known);
    check *c = pending_of(other, ticket);
    if (!c)
        return true;
    pthread_mutex_lock(&q->base.device->lock);
    bool good = take_over(q, c);
    pthread_mutex_unlock(&q->base.device->lock);
    return good;
}
