/* The spans of tickets behind faults, of all queues under one lock: only queues that had a fault come here. */
#include "core/faults.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/fork.h"
#include <stdio.h>
#include <string.h>

struct fa__fault_note {
    fa__fault_note *next; /* the one that was made after it */
    _Atomic bool reported;
    bool spoils; /* what was written in place, too */
    fa_code code;
    const char *line; /* of the call whose work failed; NULL: not known */
    char *message;    /* NULL: it was one of many others, and is not kept any more */
};

enum { MESSAGES = 1024 /* that are kept: a fault costs little more than its span then */ };

/* The tickets `from` to `until`; UINT64_MAX: the fault is not cleared. */
typedef struct span {
    uint64_t from, until;
    fa__fault_note *note;
} span;

typedef struct fa__fault_spans {
    uint32_t count, room;
    span span[]; /* in order, none overlaps another */
} spans;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fa__fault_note *first, *last, *first_kept; /* first_kept: the oldest one with a message */
static int kept;
static int queues; /* that have spans: with the last of them all notes go */
static _Atomic uint64_t reports;
_Atomic bool fa__faults_were;

FA__LOCKED_AT_FORK(FAULTS, &lock)

static fa__fault_note no_memory[2] = {{.code = FA_ERROR_MEMORY}, {.code = FA_ERROR_MEMORY, .spoils = true}};

static void *memory(size_t size)
{
    return fa__inject_now(size) ? NULL : fa__raw(16, size);
}

static void drop_message(fa__fault_note *n)
{
    fa__aligned_free(n->message);
    n->message = NULL;
}

static void add(fa__fault_note *n)
{
    *(last ? &last->next : &first) = n;
    last = n;
    if (!first_kept)
        first_kept = n;
    if (++kept > MESSAGES) {
        drop_message(first_kept);
        first_kept = first_kept->next;
        kept--;
    }
}

static fa__fault_note *note_new(const fa_error *error, bool spoils)
{
    size_t length = strlen(error->message) + 1;
    fa__fault_note *n = memory(sizeof *n);
    if (!n)
        return &no_memory[spoils];
    *n = (fa__fault_note){.spoils = spoils, .code = error->code, .line = error->line, .message = memory(length)};
    if (n->message)
        memcpy(n->message, error->message, length);
    pthread_mutex_lock(&lock);
    add(n);
    pthread_mutex_unlock(&lock);
    return n;
}

fa__fault_note *fa__fault_note_new(const fa_error *error)
{
    return note_new(error, false);
}

fa__fault_note *fa__fault_note_spoiling(const fa_error *error)
{
    return note_new(error, true);
}

bool fa__fault_spoils(const fa__fault_note *note)
{
    return note->spoils;
}

/* ---- spans; the lock is held ---- */
static span *last_of(const fa__queue *q)
{
    spans *s = q->spans;
    return s && s->count ? &s->span[s->count - 1] : NULL;
}

/* The span that a ticket is in, by halving; NULL: none. */
static span *span_of(const fa__queue *q, uint64_t ticket)
{
    spans *s = q->spans;
    uint32_t low = 0, high = s ? s->count : 0;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (s->span[middle].until < ticket)
            low = middle + 1;
        else
            high = middle;
    }
    return s && low < s->count && s->span[low].from <= ticket ? &s->span[low] : NULL;
}

/* Room for one more. Without memory there is none: then the last span is made longer, which makes errors of sound
 * values, never sound values of errors. */
static bool room(fa__queue *q)
{
    enum { FIRST = 4 };
    static spans none;
    spans *old = q->spans ? q->spans : &none;
    if (old->count < old->room)
        return true;
    uint32_t more = old->room ? 2 * old->room : FIRST;
    spans *s = fa__raw(16, sizeof *s + more * sizeof s->span[0]);
    if (!s)
        return false;
    memcpy(s, old, sizeof *s + old->count * sizeof s->span[0]);
    s->room = more;
    queues += !q->spans;
    fa__aligned_free(q->spans);
    q->spans = s;
    return true;
}

void fa__faults_open(fa__queue *q, uint64_t ticket, fa__fault_note *note)
{
    pthread_mutex_lock(&lock);
    if (!span_of(q, ticket)) {
        if (room(q))
            q->spans->span[q->spans->count++] = (span){ticket, UINT64_MAX, note};
        else if (last_of(q))
            *last_of(q) = (span){last_of(q)->from, UINT64_MAX, note};
        if (last_of(q))
            atomic_store_explicit(&q->faults, q->spans->count, memory_order_release);
        atomic_store_explicit(&fa__faults_were, true, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
}

fa__fault_note *fa__faults_find(fa__queue *q, uint64_t ticket)
{
    pthread_mutex_lock(&lock);
    const span *s = span_of(q, ticket);
    fa__fault_note *note = s ? s->note : NULL;
    pthread_mutex_unlock(&lock);
    return note;
}

bool fa__faults_stand(fa__queue *q, bool reported)
{
    bool stand = false;
    if (!atomic_load_explicit(&q->faults, memory_order_acquire))
        return false;
    pthread_mutex_lock(&lock);
    const span *s = last_of(q);
    stand = s && s->until == UINT64_MAX && (!reported || atomic_load(&s->note->reported));
    pthread_mutex_unlock(&lock);
    return stand;
}

void fa__faults_close(fa__queue *q, uint64_t ticket)
{
    pthread_mutex_lock(&lock);
    span *s = last_of(q);
    if (s && s->until == UINT64_MAX)
        s->until = ticket;
    pthread_mutex_unlock(&lock);
}

/* ---- reports ---- */
uint64_t fa__faults_reported(void)
{
    return atomic_load_explicit(&reports, memory_order_acquire);
}

bool fa__fault_is_reported(const fa__fault_note *note)
{
    return atomic_load(&note->reported);
}

bool fa__fault_raise(fa__fault_note *note)
{
    char message[sizeof((fa_error *)NULL)->message];
    if (fa__failed())
        return false;
    pthread_mutex_lock(&lock);
    snprintf(message, sizeof message, "%s",
             note->message ? note->message
                           : "an error of a device, of which nothing more is known: memory was lacking, "
                             "or there were many others since");
    pthread_mutex_unlock(&lock);
    if (!atomic_exchange(&note->reported, true))
        atomic_fetch_add(&reports, 1);
    const char *line FA__CLEANUP(fa__line_leave) = fa__line_enter(note->line ? note->line : fa__line);
    fa__fail(note->code, "%s", message);
    if (fa__self->started)
        fa__self->error->complete = true;
    return false;
}

bool fa__faults_surface(fa__queue *q, uint64_t ticket)
{
    fa__fault_note *found = NULL;
    if (FA__LIKELY(!atomic_load_explicit(&q->faults, memory_order_acquire)) || fa__failed())
        return true;
    pthread_mutex_lock(&lock);
    spans *s = q->spans;
    for (uint32_t i = 0; i < s->count && !found; i++)
        if (s->span[i].from <= ticket && !atomic_load(&s->span[i].note->reported))
            found = s->span[i].note;
    pthread_mutex_unlock(&lock);
    return !found || fa__fault_raise(found);
}

/* ---- the end ---- */
void fa__faults_end(fa__queue *q)
{
    pthread_mutex_lock(&lock);
    queues -= q->spans != NULL;
    fa__aligned_free(q->spans);
    q->spans = NULL;
    atomic_store(&q->faults, 0);
    while (first && !queues) {
        fa__fault_note *n = first;
        first = n->next;
        drop_message(n);
        fa__aligned_free(n);
    }
    if (!first)
        last = first_kept = NULL, kept = 0;
    pthread_mutex_unlock(&lock);
}
