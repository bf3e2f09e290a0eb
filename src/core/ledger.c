/* Transfer statistics: counts of copies and waits by operation and devices, in a hash table under one lock. Output is
 * in ledger_report.c. */
#include "core/ledger.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/hash.h"
#include "core/attribution.h"
#include <pthread.h>
#include <string.h>

enum { ROWS = 1024, MOST = 960 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fa__ledger_row table[ROWS]; /* rows without devices are free */
static size_t used;
static _Atomic uint32_t age; /* how often the statistics were reset */

FA__LOCKED_AT_FORK(LEDGER, &lock)

const fa__op fa__ledger_fork = {.name = "fork", .id = -1};

static bool is_free(const fa__ledger_row *r)
{
    return !r->from && !r->to;
}

static fa__ledger_row *place_of(bool wait, const fa__op *op, const fa__device *from, const fa__device *to)
{
    uint64_t hash = fa__hash_add(wait, (uint64_t)(uintptr_t)op);
    hash = fa__hash_add(hash, (uint64_t)(uintptr_t)from);
    hash = fa__hash_add(hash, (uint64_t)(uintptr_t)to);
    for (size_t i = hash % ROWS;; i = (i + 1) % ROWS) {
        fa__ledger_row *r = &table[i];
        if (is_free(r) || (r->op == op && r->from == from && r->to == to && r->wait == wait))
            return r;
    }
}

/* The row for a key, created if it is new. If the table is full, further operations share a row. The lock is held. */
static fa__ledger_row *find(bool wait, const fa__op *op, const fa__device *from, const fa__device *to)
{
    fa__ledger_row *r = place_of(wait, op, from, to);
    if (is_free(r) && used >= MOST)
        r = place_of(wait, op = NULL, from, to);
    if (is_free(r)) {
        *r = (fa__ledger_row){.op = op, .from = from, .to = to, .wait = wait};
        used++;
    }
    return r;
}

static const fa__device *not_host(const fa__device *d)
{
    return d && d->host ? NULL : d;
}

void fa__ledger_copy(const fa__op *op, const fa__device *from, const fa__device *to, size_t bytes)
{
    from = not_host(from);
    to = not_host(to);
    if (!from && !to)
        return;
    pthread_mutex_lock(&lock);
    fa__ledger_row *r = find(false, op, from, to);
    r->count++;
    r->bytes += bytes;
    pthread_mutex_unlock(&lock);
}

uint32_t fa__ledger_age(void)
{
    return atomic_load(&age);
}

void fa__ledger_copy_time(uint32_t since, const fa__op *op, const fa__device *from, const fa__device *to, int64_t ns)
{
    from = not_host(from);
    to = not_host(to);
    if (!from && !to)
        return;
    pthread_mutex_lock(&lock);
    if (since == atomic_load(&age))
        find(false, op, from, to)->ns += (uint64_t)ns;
    pthread_mutex_unlock(&lock);
}

void fa__ledger_wait(const fa__op *op, const fa__device *device, int64_t ns)
{
    pthread_mutex_lock(&lock);
    fa__ledger_row *r = find(true, op, device, device);
    r->count++;
    r->ns += (uint64_t)ns;
    pthread_mutex_unlock(&lock);
}

void fa__ledger_implicit(const fa__op *op, const fa__device *device, int64_t ns)
{
    op = op ? op : fa__called_by_program();
    pthread_mutex_lock(&lock);
    fa__ledger_row *r = find(true, op, device, device);
    r->implicit++;
    r->implicit_ns += (uint64_t)ns;
    pthread_mutex_unlock(&lock);
}

void fa_transfers_reset(void)
{
    pthread_mutex_lock(&lock);
    memset(table, 0, sizeof table);
    used = 0;
    atomic_fetch_add(&age, 1);
    pthread_mutex_unlock(&lock);
}

size_t fa__ledger_rows(fa__ledger_row *out, size_t most)
{
    size_t count = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < ROWS && count < most; i++)
        if (!is_free(&table[i]))
            out[count++] = table[i];
    pthread_mutex_unlock(&lock);
    return count;
}

/* ---- forbidding ---- */
static const char *place_name(const fa__device *d)
{
    return d ? d->name : "cpu";
}

static bool forbidden(unsigned what)
{
    fa__context *c = fa__self->core;
    return c && c->settings->forbid & what;
}

bool fa__allow_sync(const fa__op *op, const fa__device *device)
{
    return !forbidden(FA_SYNC)
           || fa__fail_unfinished(FA_ERROR_SYNC,
                                  "%s%s: the host would wait for %s, which .forbid = FA_SYNC forbids here",
                                  op ? "fa_" : "", op ? op->name : "the program", place_name(device));
}

bool fa__allow_transfer(const fa__op *op, const fa__device *from, const fa__device *to)
{
    return !forbidden(FA_TRANSFER)
           || fa__fail_unfinished(FA_ERROR_SYNC, "%s%s: a copy from %s to %s, which .forbid = FA_TRANSFER forbids here",
                                  op ? "fa_" : "", op ? op->name : "the program", place_name(from), place_name(to));
}
