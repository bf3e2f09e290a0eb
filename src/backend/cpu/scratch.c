/* Working memory of a thread: one buffer that grows, in the thread's state. */
#include "backend/cpu/scratch.h"
#include "base/alloc.h"
#include "base/thread.h"

enum { ALIGNMENT = 64, SMALLEST = 1 << 16 };

void fa__cpu_scratch_release(void)
{
    fa__thread *t = fa__self;
    if (!t->scratch)
        return;
    fa__aligned_free(t->scratch);
    t->scratch = NULL;
    t->scratch_size = 0;
}

static void *grow(size_t bytes)
{
    fa__thread *t = fa__thread_here();
    if (!t)
        return NULL;
    fa__cpu_scratch_release();
    size_t size = bytes < SMALLEST ? SMALLEST : bytes;
    t->scratch = fa__aligned(ALIGNMENT, size);
    t->scratch_size = t->scratch ? size : 0;
    return t->scratch;
}

void *fa__cpu_scratch(size_t bytes)
{
    const fa__thread *t = fa__self;
    return FA__LIKELY(t->scratch && bytes <= t->scratch_size) ? t->scratch : grow(bytes);
}
