/* Which threads record a graph. */
#include "core/capture.h"
#include "base/error.h"
#include <facula/graph.h>

_Atomic int fa__captures;

fa__capture *fa__capture_of_thread(void)
{
    const fa__context *c = fa__self->core;
    return c ? c->capture : NULL;
}

bool fa__capture_refuses(const char *what, const char *why)
{
    return fa__fail(FA_ERROR_STATE, "%s: this cannot be recorded in a graph: %s", what, why);
}

void fa__capture_begin(fa__capture *capture)
{
    fa__ctx()->capture = capture;
    atomic_fetch_add(&fa__captures, 1);
}

void fa__capture_end(void)
{
    fa__ctx()->capture = NULL;
    atomic_fetch_sub(&fa__captures, 1);
}

bool fa_graph_recording(void)
{
    return fa__capturing() != NULL;
}

void *fa__unrecorded_begin(void)
{
    fa__context *c = fa__self->core;
    void *capture = c ? c->capture : NULL;
    if (capture)
        c->capture = NULL;
    return capture;
}

void fa__unrecorded_end(void **capture)
{
    fa__context *c = fa__self->core;
    if (c && *capture)
        c->capture = *capture;
}
