/* fork() handlers: takes all locks in their order before the fork, and releases them in reverse order after it, in
 * both processes. */
#include "base/fork.h"
#include "base/parallel.h"
#include <stddef.h>

static void (*functions[FA__FORK_PLACES])(fa__fork_moment);

void fa__fork_register(fa__fork_place place, void (*function)(fa__fork_moment))
{
    functions[place] = function;
}

static void before(void)
{
    for (int i = 0; i < FA__FORK_PLACES; i++)
        if (functions[i])
            functions[i](FA__FORK_BEFORE);
}

/* In reverse order, as data guarded by an earlier lock may determine which later locks exist. */
static void after(fa__fork_moment moment)
{
    for (int i = FA__FORK_PLACES; i-- > 0;)
        if (functions[i])
            functions[i](moment);
}

static void in_parent(void)
{
    after(FA__FORK_PARENT);
}

static void in_child(void)
{
    fa__parallel_forked();
    after(FA__FORK_CHILD);
}

__attribute__((__constructor__)) static void begin(void)
{
    pthread_atfork(before, in_parent, in_child);
}
