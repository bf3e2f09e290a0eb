/* CUDA's graphs: what a stream was issued while it was captured, launched as a whole. */
#include "backend/gpu/cuda/cuda.h"
#include "base/alloc.h"
#include "base/error.h"

typedef struct graph {
    CUgraph nodes; /* by whose names the executable one is changed */
    CUgraphExec exec;
} graph;

/* The driver may lack all of them. */
static bool are_there(void)
{
    bool all = true;
#define IS_THERE(name, parameters) all &= fa__cuda.name != NULL;
    FA__CUDA_GRAPH_FUNCTIONS(IS_THERE)
    return all;
}

/* Other threads may allocate memory and load kernels meanwhile: relaxed. */
bool fa__cuda_capture(fa__device *d, void *queue)
{
    const fa__cuda_queue *q = queue;
    return are_there() && FA__CUDA_TRY(d, cuStreamBeginCapture_v2, q->stream, CU_STREAM_CAPTURE_MODE_RELAXED);
}

void *fa__cuda_capture_end(fa__device *d, void *queue)
{
    const fa__cuda_queue *q = queue;
    graph g = {NULL, NULL}, *made = NULL;
    bool good = FA__CUDA_TRY(d, cuStreamEndCapture, q->stream, &g.nodes) && g.nodes
                && FA__CUDA_TRY(d, cuGraphInstantiateWithFlags, &g.exec, g.nodes, 0);
    if (good && (made = fa__malloc(sizeof *made)))
        *made = g;
    else if (good)
        FA__CUDA(fa__cuda_own(d), cuGraphExecDestroy, g.exec);
    if (!made && g.nodes)
        FA__CUDA(fa__cuda_own(d), cuGraphDestroy, g.nodes);
    return made;
}

/* What later work of the stream comes behind: its last node. */
void *fa__cuda_captured(fa__device *d, void *queue)
{
    const fa__cuda_queue *q = queue;
    unsigned status = 0;
    uint64_t id;
    CUgraph of;
    const CUgraphNode *last = NULL;
    size_t count = 0;
    if (!FA__CUDA_TRY(d, cuStreamGetCaptureInfo_v3, q->stream, &status, &id, &of, &last, NULL, &count))
        return NULL;
    if (status == CU_STREAM_CAPTURE_STATUS_ACTIVE && count == 1)
        return last[0];
    fa__fail(FA_ERROR_DEVICE, "%s: a launch was not captured", d->name);
    return NULL;
}

bool fa__cuda_graph_change(fa__device *d, void *graph_, void *captured, const fa__gpu_kernel *kernel,
                           const uint64_t groups[3], void *fault, bool careful, const fa__gpu_arg *args, int count)
{
    const fa__cuda_kernel *k = kernel->handle;
    fa__cuda_parameters p;
    fa__cuda_parameters_fill(&p, fault, careful, args, count);
    const CUDA_KERNEL_NODE_PARAMS node = {.func = k->function,
                                          .gridDimX = (unsigned)groups[0],
                                          .gridDimY = (unsigned)groups[1],
                                          .gridDimZ = (unsigned)groups[2],
                                          .blockDimX = kernel->group[0],
                                          .blockDimY = kernel->group[1],
                                          .blockDimZ = 1,
                                          .kernelParams = (void **)(uintptr_t)p.at};
    return FA__CUDA_TRY(d, cuGraphExecKernelNodeSetParams_v2, ((graph *)graph_)->exec, captured, &node);
}

bool fa__cuda_graph_launch(fa__device *d, void *queue, void *graph_)
{
    const fa__cuda_queue *q = queue;
    return FA__CUDA_TRY(d, cuGraphLaunch, ((graph *)graph_)->exec, q->stream);
}

void fa__cuda_graph_free(fa__device *d, void *graph_)
{
    graph *g = graph_;
    FA__CUDA(fa__cuda_own(d), cuGraphExecDestroy, g->exec);
    FA__CUDA(fa__cuda_own(d), cuGraphDestroy, g->nodes);
    fa__free(g);
}
