/* The checker of order: vector clocks. Each queue has a clock that tells what its next work comes after: its own work,
 * what an event put before it, and what the host had waited for when it issued. An access of bytes that other work
 * accesses, one of them writing, has to come after it. Whether the threads happened to be fast plays no role.
 *
 * Memory of the host is used again without our knowledge, so there work that is done is forgotten. */
#include "backend/late/late.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/log.h"
#include <string.h>

enum { REPORTS = 32 };

/* Bytes that a piece of work accesses. */
typedef struct record {
    const char *begin, *end;
    const fa__late_queue *queue;
    uint64_t ticket;
    const fa__op *op;
    bool write, host;
} record;

typedef struct segment {
    const char *begin, *end;
    const fa__device *device;
} segment;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fa__late_clock host; /* what the host knows to be done */
static record *records;
static size_t count, capacity;
static segment *segments;
static size_t segment_count, segment_capacity;
static fa__late_report reports[REPORTS];
static size_t report_count;

FA__LOCKED_AT_FORK(CHECKER, &lock)

static void join(fa__late_clock *a, const fa__late_clock *b)
{
    for (int i = 0; i < FA__LATE_QUEUES; i++)
        if (b->at[i] > a->at[i])
            a->at[i] = b->at[i];
}

/* What came before a ticket, as far as it is still known: then maybe a little too much. */
static const fa__late_clock *clock_of(const fa__late_queue *q, uint64_t ticket)
{
    const fa__late_clock *best = &q->now;
    size_t known = q->logged < FA__LATE_LOG ? q->logged : FA__LATE_LOG;
    for (size_t k = 1; k <= known; k++) {
        size_t i = (q->logged - k) % FA__LATE_LOG;
        best = &q->log[i].clock;
        if (q->log[i].ticket <= ticket)
            break;
    }
    return best;
}

/* Work is issued. What comes before it is logged when that is not as before; its queue's own work always does. */
static void tick(fa__late_queue *q, uint64_t ticket)
{
    join(&q->now, &host);
    q->now.at[q->number] = 0;
    size_t last = (q->logged + FA__LATE_LOG - 1) % FA__LATE_LOG;
    if (!q->logged || memcmp(&q->now, &q->log[last].clock, sizeof q->now) != 0) {
        size_t i = q->logged++ % FA__LATE_LOG;
        q->log[i].ticket = ticket;
        q->log[i].clock = q->now;
    }
    q->now.at[q->number] = ticket;
}

static void join_ticket(fa__late_clock *clock, const fa__late_queue *q, uint64_t ticket)
{
    uint64_t own = clock->at[q->number];
    join(clock, clock_of(q, ticket));
    clock->at[q->number] = own > ticket ? own : ticket;
}

void fa__late_check_after(fa__late_queue *q, const fa__late_queue *other, uint64_t ticket)
{
    pthread_mutex_lock(&lock);
    join_ticket(&q->now, other, ticket);
    pthread_mutex_unlock(&lock);
}

void fa__late_check_waited(const fa__late_queue *q, uint64_t ticket)
{
    pthread_mutex_lock(&lock);
    join_ticket(&host, q, ticket);
    pthread_mutex_unlock(&lock);
}

/* ---- reports ---- */
static void tell(const char *text)
{
    if (report_count < REPORTS)
        snprintf(reports[report_count].text, sizeof reports[0].text, "%s", text);
    report_count++;
    fa__log(FA_LOG_ERROR, "%s", text);
    fa__fail(FA_ERROR_INTERNAL, "%s", text);
}

static const char *op_name(const fa__op *op)
{
    return op ? op->name : "the allocator";
}

static void describe(char *out, size_t size, const fa__late_queue *q, uint64_t ticket, const fa__op *op)
{
    const char *prefix = op ? fa__op_prefix(op) : "";
    if (q)
        snprintf(out, size, "%s%s (work %llu of queue %d, %s)", prefix, op_name(op), (unsigned long long)ticket,
                 q->number, q->base.device->name);
    else
        snprintf(out, size, "%s%s (on the host)", prefix, op_name(op));
}

static void tell_unordered(const record *now, const record *earlier)
{
    char one[80], other[80], text[256];
    describe(one, sizeof one, now->queue, now->ticket, now->op);
    describe(other, sizeof other, earlier->queue, earlier->ticket, earlier->op);
    snprintf(text, sizeof text, "unordered: %s %s bytes that %s %s", one, now->write ? "writes" : "reads", other,
             earlier->write ? "writes" : "reads");
    tell(text);
}

size_t fa__late_reports(const fa__late_report **out)
{
    *out = reports;
    return report_count;
}

void fa__late_reports_clear(void)
{
    pthread_mutex_lock(&lock);
    report_count = 0;
    pthread_mutex_unlock(&lock);
}

/* ---- accesses ---- */
static bool is_done(const record *r)
{
    return atomic_load_explicit(&r->queue->base.done, memory_order_acquire) >= r->ticket;
}

static bool comes_after(const record *now, const record *earlier)
{
    if (now->queue == earlier->queue)
        return true;
    const fa__late_clock *clock = now->queue ? &now->queue->now : &host;
    return clock->at[earlier->queue->number] >= earlier->ticket;
}

/* Whether nobody needs a record any more: all later work comes after it, or the new one stands for it. */
static bool is_over(const record *r, const record *now)
{
    if (host.at[r->queue->number] >= r->ticket || (r->host && is_done(r)))
        return true;
    bool covered = now->begin <= r->begin && r->end <= now->end;
    return covered && (now->write || (!r->write && r->queue == now->queue));
}

static void look(const record *now)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        const record *r = &records[i];
        bool meets = now->begin < r->end && r->begin < now->end && (now->write || r->write);
        if (meets && !comes_after(now, r) && !(r->host && is_done(r)))
            tell_unordered(now, r);
        if (!is_over(r, now))
            records[left++] = *r;
    }
    count = left;
}

static bool room(void **array, size_t *size, size_t used, size_t each)
{
    if (used < *size)
        return true;
    size_t more = *size ? *size * 2 : 64;
    void *larger = fa__raw(16, more * each);
    if (!larger)
        return false;
    if (used)
        memcpy(larger, *array, used * each);
    fa__aligned_free(*array);
    *array = larger;
    *size = more;
    return true;
}

/* Whose memory it is; NULL: the host's. Part of a segment counts. */
static const fa__device *owner(const char *begin, const char *end)
{
    for (size_t i = 0; i < segment_count; i++)
        if (begin < segments[i].end && segments[i].begin < end)
            return segments[i].device;
    return NULL;
}

static void check_place(const record *now, const fa__device *device)
{
    const fa__device *real = owner(now->begin, now->end);
    if (real == device)
        return;
    char one[80], text[256];
    describe(one, sizeof one, now->queue, now->ticket, now->op);
    snprintf(text, sizeof text, "wrong memory: %s %s memory of %s as that of %s", one, now->write ? "writes" : "reads",
             real ? real->name : "the host", device ? device->name : "the host");
    tell(text);
}

/* All are looked at before any is remembered: they are one piece of work. */
void fa__late_check(fa__late_queue *q, uint64_t ticket, const fa__op *op, const fa__late_access *access, int accesses)
{
    pthread_mutex_lock(&lock);
    if (q)
        tick(q, ticket);
    for (int i = 0; i < accesses; i++) {
        record now = {access[i].begin, access[i].end, q, ticket, op, access[i].write, access[i].device == NULL};
        check_place(&now, access[i].device);
        look(&now);
        void *array = records;
        if (q && room(&array, &capacity, count, sizeof *records)) {
            records = array;
            records[count++] = now;
        }
    }
    pthread_mutex_unlock(&lock);
}

void fa__late_host_access(const fa__op *op, const void *memory, size_t size, bool write)
{
    const fa__late_access access = {memory, (const char *)memory + size, write, NULL};
    fa__late_check(NULL, 0, op, &access, 1);
}

/* ---- memory ---- */
bool fa__late_check_memory(const fa__device *d, const void *memory, size_t size)
{
    pthread_mutex_lock(&lock);
    void *array = segments;
    bool fits = room(&array, &segment_capacity, segment_count, sizeof *segments);
    segments = array;
    if (fits)
        segments[segment_count++] = (segment){memory, (const char *)memory + size, d};
    pthread_mutex_unlock(&lock);
    return fits;
}

static void forget(const char *begin, const char *end)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if (records[i].end <= begin || end <= records[i].begin)
            records[left++] = records[i];
    count = left;
}

void fa__late_check_memory_gone(const void *memory)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < segment_count; i++)
        if (segments[i].begin == memory) {
            forget(segments[i].begin, segments[i].end);
            segments[i] = segments[--segment_count];
            break;
        }
    pthread_mutex_unlock(&lock);
}

void fa__late_check_taken(const fa__late_queue *q, const void *memory, size_t size)
{
    const char *begin = memory, *end = begin + size;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++) {
        const record *r = &records[i];
        if (r->end <= begin || end <= r->begin || r->queue == q || is_done(r))
            continue;
        char other[80], text[256];
        describe(other, sizeof other, r->queue, r->ticket, r->op);
        snprintf(text, sizeof text, "handed out too early: memory that %s still %s", other,
                 r->write ? "writes" : "reads");
        tell(text);
    }
    forget(begin, end);
    pthread_mutex_unlock(&lock);
}

void fa__late_check_forget(void)
{
    pthread_mutex_lock(&lock);
    fa__aligned_free(records);
    fa__aligned_free(segments);
    records = NULL;
    segments = NULL;
    count = capacity = segment_count = segment_capacity = 0;
    pthread_mutex_unlock(&lock);
}
