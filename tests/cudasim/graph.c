/* Graphs: what a stream is issued while it is captured is kept, and issued to a stream by each launch of the graph. The
 * executable graph has the values of its own, which can be changed between launches. */
#include "cudasim.h"
#include <stdlib.h>

struct CUgraphNode_st {
    command command;
    size_t number;
    CUgraphNode next;
};

struct CUgraph_st {
    CUgraphNode first, last;
    size_t count;
};

struct CUgraphExec_st {
    CUcontext context;
    size_t count;
    command command[];
};

bool cudasim_add_node(CUgraph g, const command *c)
{
    CUgraphNode n = calloc(1, sizeof *n);
    if (!n)
        return false;
    cudasim_copy_command(&n->command, c);
    n->number = g->count++;
    if (g->last)
        g->last->next = n;
    else
        g->first = n;
    g->last = n;
    return true;
}

bool cudasim_is_captured(CUstream s)
{
    s->broken |= s->capture != NULL;
    return s->capture;
}

static void free_graph(CUgraph g)
{
    for (CUgraphNode n = g->first, next; n; n = next) {
        next = n->next;
        free(n);
    }
    free(g);
}

/* ---- captures ---- */
EXPORT CUresult cuStreamBeginCapture_v2(CUstream s, unsigned mode)
{
    CUcontext c = cudasim_enter("cuStreamBeginCapture_v2");
    if (!c)
        return cudasim_entered;
    if (mode > 2 || !s || s->context != c || s->capture)
        return cudasim_leave(!s || s->capture ? CAPTURE_UNSUPPORTED : INVALID_VALUE);
    s->broken = false;
    s->capture = calloc(1, sizeof *s->capture);
    return cudasim_leave(s->capture ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

EXPORT CUresult cuStreamEndCapture(CUstream s, CUgraph *out)
{
    *out = NULL;
    if (!cudasim_enter("cuStreamEndCapture"))
        return cudasim_entered;
    CUgraph g = s->capture;
    s->capture = NULL;
    if (g && s->broken)
        free_graph(g);
    *out = s->broken ? NULL : g;
    return cudasim_leave(!g ? INVALID_VALUE : s->broken ? CAPTURE_INVALIDATED : CUDA_SUCCESS);
}

EXPORT CUresult cuStreamGetCaptureInfo_v3(CUstream s, unsigned *status, uint64_t *id, CUgraph *graph,
                                          const CUgraphNode **last, const CUgraphEdgeData **edges, size_t *count)
{
    if (!cudasim_enter("cuStreamGetCaptureInfo_v3"))
        return cudasim_entered;
    (void)edges; /* all are plain */
    *status = !s->capture ? 0 : s->broken ? 2 : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (s->capture) {
        *id = (uintptr_t)s->capture;
        *graph = s->capture;
        *last = &s->capture->last;
        *count = s->capture->last != NULL;
    }
    return cudasim_leave(CUDA_SUCCESS);
}

/* ---- graphs ---- */
EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph g, unsigned long long flags)
{
    CUcontext c = cudasim_enter("cuGraphInstantiateWithFlags");
    if (!c)
        return cudasim_entered;
    CUgraphExec e = flags ? NULL : calloc(1, sizeof *e + g->count * sizeof(command));
    if (!e)
        return cudasim_leave(flags ? INVALID_VALUE : CUDA_ERROR_OUT_OF_MEMORY);
    e->context = c;
    for (CUgraphNode n = g->first; n; n = n->next)
        cudasim_copy_command(&e->command[e->count++], &n->command);
    *out = e;
    return cudasim_leave(CUDA_SUCCESS);
}

/* The function has to be that of the same context, and the block's size one that it can have. */
EXPORT CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec e, CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p)
{
    CUcontext context = cudasim_enter("cuGraphExecKernelNodeSetParams_v2");
    if (!context)
        return cudasim_entered;
    command c = {.kind = LAUNCH,
                 .function = p->func,
                 .grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
                 .block = {p->blockDimX, p->blockDimY, p->blockDimZ}};
    const bool is_kernel = n->number < e->count && e->command[n->number].kind == LAUNCH;
    if (!is_kernel || context != e->context || p->func->module->context != context || p->extra || p->kern || p->ctx
        || p->sharedMemBytes || !p->gridDimX || !p->gridDimY || !p->gridDimZ
        || !cudasim_put_arguments(&c, p->kernelParams, context))
        return cudasim_leave(INVALID_VALUE);
    cudasim_copy_command(&e->command[n->number], &c);
    return cudasim_leave(CUDA_SUCCESS);
}

EXPORT CUresult cuGraphLaunch(CUgraphExec e, CUstream s)
{
    CUcontext c = cudasim_enter("cuGraphLaunch");
    if (!c)
        return cudasim_entered;
    s = cudasim_real(s);
    if (s->context != c || e->context != c)
        return cudasim_leave(INVALID_HANDLE);
    bool good = true;
    for (size_t i = 0; i < e->count && good; i++)
        good = cudasim_issue(s, &e->command[i]);
    return cudasim_leave(good ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

EXPORT CUresult cuGraphExecDestroy(CUgraphExec e)
{
    if (!cudasim_enter("cuGraphExecDestroy"))
        return cudasim_entered;
    free(e);
    return cudasim_leave(CUDA_SUCCESS);
}

EXPORT CUresult cuGraphDestroy(CUgraph g)
{
    if (!cudasim_enter("cuGraphDestroy"))
        return cudasim_entered;
    free_graph(g);
    return cudasim_leave(CUDA_SUCCESS);
}
