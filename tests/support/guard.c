/* Memory whose borders are watched. */
#include "support/guard.h"
#include <facula/host.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PATTERN = 0xA5, BORDER = 64 };
static _Atomic int broken;

void guard_fill(void *at, size_t bytes)
{
    memset(at, PATTERN, bytes);
}

bool guard_intact(const void *at, size_t bytes)
{
    for (const unsigned char *p = at, *end = p + bytes; p < end; p++)
        if (*p != PATTERN)
            return false;
    return true;
}

/* A block: room for its alignment and the address to free, a border, the memory, a border. */
static void *allocate(void *context, size_t size, size_t alignment)
{
    (void)context;
    size_t front = BORDER + alignment + sizeof(void *);
    if (size > SIZE_MAX - front - BORDER)
        return NULL;
    char *whole = malloc(front + size + BORDER);
    if (!whole)
        return NULL;
    char *at = whole + sizeof whole + BORDER;
    at += (alignment - (uintptr_t)at % alignment) % alignment;
    memcpy(at - BORDER - sizeof whole, &whole, sizeof whole);
    guard_fill(at - BORDER, BORDER);
    guard_fill(at + size, BORDER);
    return at;
}

static void release(void *context, void *memory, size_t size)
{
    (void)context;
    char *at = memory, *whole;
    memcpy(&whole, at - BORDER - sizeof whole, sizeof whole);
    if (!guard_intact(at - BORDER, BORDER) || !guard_intact(at + size, BORDER))
        atomic_fetch_add(&broken, 1);
    free(whole);
}

bool guard_start(void)
{
    setenv("FACULA_POOL", "off", 1);
    return fa_set_allocator(&(fa_allocator){.allocate = allocate, .release = release});
}

int guard_broken(void)
{
    return atomic_exchange(&broken, 0);
}
