/* Order, as a race detector sees it (CUDASIM_RACES=1). Each stream, and the host, has a clock of everything that comes
 * before its next work: issuing work, events that a stream waits for, and the host's waiting join clocks. What a
 * command reads and writes is known exactly: kernels are compiled so that they report each access. A command that
 * touches what another one wrote, or writes what another one read, has to come behind it by its clock; it does not
 * matter in which order the two happened to run. Accesses are kept by lines of 64 bytes, in words of 4. */
#define _GNU_SOURCE
#include "cudasim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 64, WORD = 4, PAGE_LINES = 64, RECORDS = 8, KEPT = 1 << 16, HOST = 0, FAILED = 66 };

bool cudasim_racing;
static uint32_t host[CLOCKS];
static int clocks = 1; /* in use; number 0 is the host's */
static long found;
static char report[600];

__attribute__((__constructor__)) static void begin(void)
{
    cudasim_racing = cudasim_number("CUDASIM_RACES", 0);
}

/* Races that nobody asked for. */
__attribute__((__destructor__)) static void end(void)
{
    if (found)
        _exit(FAILED);
}

/* ---- clocks ---- */
static void join(uint32_t *to, const uint32_t *from)
{
    for (int i = 0; i < clocks; i++)
        to[i] = from[i] > to[i] ? from[i] : to[i];
}

/* At its first work. Numbers of streams that are freed are not used again; those that come too late are not looked at.
 */
static bool has_clock(CUstream s)
{
    if (cudasim_racing && !s->number)
        s->number = clocks < CLOCKS ? clocks++ : -1;
    return cudasim_racing && s->number > 0;
}

/* ---- what is issued ---- */
static struct {
    char text[100];
} kept[KEPT];
static uint32_t operations;

static void describe(CUstream s, const command *c, uint32_t operation)
{
    char *text = kept[operation % KEPT].text;
    const size_t size = sizeof kept[0].text;
    int n = c->kind == LAUNCH ? snprintf(text, size, "kernel %.40s", c->function->name)
            : c->kind == COPY ? snprintf(text, size, "a copy of %zu bytes", c->bytes)
                              : snprintf(text, size, "a library's call");
    snprintf(text + n, size - (size_t)n, " (number %u), stream %d of device %d", operation, s->number,
             s->context->device);
}

void cudasim_clock_issue(CUstream s, command *c, bool ignore_events)
{
    if (!has_clock(s))
        return;
    join(s->clock, host);
    host[HOST]++;
    s->clock[s->number]++;
    if (c->kind == WAIT && !ignore_events)
        join(s->clock, c->event->clock);
    if (c->kind == RECORD)
        memcpy(c->event->clock, s->clock, sizeof s->clock);
    if (c->kind <= LAUNCH) {
        memcpy(c->clock, s->clock, sizeof s->clock);
        c->operation = ++operations;
        describe(s, c, c->operation);
    }
}

void cudasim_clock_waited(const uint32_t *clock)
{
    if (cudasim_racing)
        join(host, clock);
}

/* ---- what one command touches: a table of lines ---- */
typedef struct touched {
    uintptr_t line; /* 0: none */
    uint16_t reads, writes;
} touched;

static touched *table;
static size_t room, used, last;

static size_t place_of(const touched *t, size_t size, uintptr_t line)
{
    size_t i = (line * 0x9e3779b97f4a7c15u >> 20) & (size - 1);
    while (t[i].line && t[i].line != line)
        i = (i + 1) & (size - 1);
    return i;
}

static void grow(void)
{
    size_t larger = room ? 2 * room : 1 << 12;
    touched *t = calloc(larger, sizeof *t);
    if (!t)
        abort();
    for (size_t i = 0; i < room; i++)
        if (table[i].line)
            t[place_of(t, larger, table[i].line)] = table[i];
    free(table);
    table = t;
    room = larger;
    last = 0;
}

static touched *touch_line(uintptr_t line)
{
    if (2 * used >= room)
        grow();
    if (table[last].line != line) {
        last = place_of(table, room, line);
        used += !table[last].line;
        table[last].line = line;
    }
    return &table[last];
}

/* The words of a line that are between two addresses. */
static uint16_t words_of(uintptr_t line, uintptr_t from, uintptr_t to)
{
    const uintptr_t start = line * LINE, stop = start + LINE < to ? start + LINE : to;
    const unsigned first = from > start ? (unsigned)(from - start) / WORD : 0;
    return (uint16_t)((1u << ((stop - 1 - start) / WORD + 1)) - (1u << first));
}

void cudasim_touch(const void *memory, size_t bytes, int write)
{
    const uintptr_t from = (uintptr_t)memory, to = from + bytes;
    for (uintptr_t line = from / LINE; cudasim_racing && line * LINE < to; line++) {
        touched *t = touch_line(line);
        *(write ? &t->writes : &t->reads) |= words_of(line, from, to);
    }
}

/* ---- what was touched before ---- */
typedef struct record {
    uint32_t operation, clock; /* operation 0: the host */
    int16_t number;            /* of the clock */
    uint16_t reads, writes;
} record;

typedef struct page {
    uintptr_t number; /* 0: none */
    struct lines {
        int count;
        record record[RECORDS];
    } * line;
} page;

static page *pages;
static size_t page_room, page_count;

static page *page_at(uintptr_t number)
{
    size_t i = (number * 0x9e3779b97f4a7c15u >> 20) & (page_room - 1);
    while (pages[i].number && pages[i].number != number)
        i = (i + 1) & (page_room - 1);
    return &pages[i];
}

static void grow_pages(void)
{
    page *old = pages;
    const size_t before = page_room;
    page_room = before ? 2 * before : 1 << 10;
    pages = calloc(page_room, sizeof *pages);
    if (!pages)
        abort();
    for (size_t i = 0; i < before; i++)
        if (old[i].number)
            *page_at(old[i].number) = old[i];
    free(old);
}

static struct lines *lines_of(uintptr_t line)
{
    if (2 * page_count >= page_room)
        grow_pages();
    page *p = page_at(line / PAGE_LINES);
    if (!p->number) {
        p->number = line / PAGE_LINES;
        page_count++;
    }
    if (!p->line && !(p->line = calloc(PAGE_LINES, sizeof *p->line)))
        abort();
    return &p->line[line % PAGE_LINES];
}

/* ---- comparing ---- */
typedef struct access {
    const char *text;
    const uint32_t *clock;
    uint32_t operation;
    int number;
    bool told; /* one race of a command is enough */
} access_of;

static const char *does(const touched *t, uint16_t words)
{
    return t->writes & words ? "writes" : "reads";
}

static void tell(access_of *a, const touched *t, const record *r, uint16_t words)
{
    const touched other = {.reads = r->reads, .writes = r->writes};
    const int first = __builtin_ctz(words);
    if (a->told)
        return;
    a->told = true;
    found++;
    snprintf(report, sizeof report, "a race at %p:\n  %s %s,\n  %s %s,\nand nothing orders the two",
             (void *)(t->line * LINE + (uintptr_t)first * WORD),
             r->operation ? kept[r->operation % KEPT].text : "the host", does(&other, words), a->text, does(t, words));
    fprintf(stderr, "cudasim: %s\n", report);
}

/* What comes before by the clock counts no more where this access is again: what comes later is behind both or neither.
 */
static void compare(access_of *a, const touched *t)
{
    struct lines *l = lines_of(t->line);
    int left = 0;
    for (int i = 0; i < l->count; i++) {
        record *r = &l->record[i];
        const bool before = r->clock <= a->clock[r->number];
        const uint16_t words = (uint16_t)((r->writes & (t->reads | t->writes)) | (r->reads & t->writes));
        if (!before && words)
            tell(a, t, r, words);
        if (before) {
            r->writes &= (uint16_t)~t->writes;
            r->reads &= (uint16_t) ~(t->reads | t->writes);
        }
        if (r->reads | r->writes)
            l->record[left++] = *r;
    }
    if (left == RECORDS)
        memmove(l->record, l->record + 1, (size_t)--left * sizeof *l->record);
    l->record[left] = (record){a->operation, a->clock[a->number], (int16_t)a->number, t->reads, t->writes};
    l->count = left + 1;
}

/* All that was touched since the last time, as far as it is memory of the driver. */
static void compare_all(access_of *a)
{
    for (size_t i = 0; i < room && used; i++)
        if (table[i].line && cudasim_is_memory((const void *)(table[i].line * LINE)))
            compare(a, &table[i]);
}

void cudasim_clock_done(CUstream s, const command *c)
{
    access_of a = {
        .text = kept[c->operation % KEPT].text, .clock = c->clock, .operation = c->operation, .number = s->number};
    if (has_clock(s) && c->kind <= LAUNCH)
        compare_all(&a);
    if (used)
        memset(table, 0, room * sizeof *table);
    used = 0;
}

/* The host's accesses come one by one, in the order in which it says so. */
static void host_access(const void *memory, size_t bytes, const char *text, bool write, bool forget)
{
    access_of a = {.text = text, .clock = host, .number = HOST};
    const uintptr_t from = (uintptr_t)memory, to = from + bytes;
    for (uintptr_t line = from / LINE; line * LINE < to && page_room; line++) {
        const page *p = page_at(line / PAGE_LINES);
        const uint16_t words = words_of(line, from, to);
        const touched t = {line, write ? 0 : words, write ? words : 0};
        if (forget && !p->line)
            continue;
        if (cudasim_is_memory((const void *)(line * LINE)))
            compare(&a, &t);
        p = page_at(line / PAGE_LINES);
        if (forget && p->line)
            p->line[line % PAGE_LINES].count = 0;
    }
}

void cudasim_clock_freed(const void *memory, size_t bytes)
{
    if (cudasim_racing)
        host_access(memory, bytes, "the host, which frees it,", true, true);
}

/* ---- for programs ---- */
void cudasim_host(const void *memory, size_t bytes, int write)
{
    if (!cudasim_racing)
        return;
    cudasim_lock();
    host_access(memory, bytes, "the host", write, false);
    cudasim_unlock();
}

long cudasim_races(char *text, size_t size)
{
    cudasim_lock();
    const long races = found;
    snprintf(text, size, "%s", found ? report : "");
    found = 0;
    cudasim_unlock();
    return races;
}
