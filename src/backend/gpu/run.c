/* What a device is asked to do: programs, reductions, kernels of operations. */
#include "backend/gpu/gpu.h"
#include "base/error.h"
#include "kernels_gpu.h"

bool fa__gpu_has_kernel(const fa__op *op)
{
    return op->id < FA__OP_expression && fa__gpu_kernels[op->id];
}

static uint64_t run_kernel(fa__queue *queue, const fa__launch *l)
{
    uint64_t ticket = fa__run_override(queue->device, queue, l);
    return ticket == FA__DECLINED ? fa__gpu_kernels[l->op->id](queue, l) : ticket;
}

uint64_t fa__gpu_run(fa__queue *queue, const fa__launch *l)
{
    if (FA__LIKELY(l->kind == FA__LAUNCH_PROGRAM))
        return fa__gpu_run_elementwise(queue, l);
    return l->kind == FA__LAUNCH_REDUCE ? fa__gpu_run_reduce(queue, l) : run_kernel(queue, l);
}

/* A kernel without items still runs, as one group: its ticket is what the caller waits for. */
uint64_t fa__gpu_launch_items(fa__queue *queue, const fa__gpu_kernel *kernel, int64_t items, const fa__gpu_args *args)
{
    int64_t group = (int64_t)kernel->group[0] * kernel->group[1], groups = (items + group - 1) / group;
    return fa__gpu_launch_groups(queue, kernel, (uint64_t[3]){groups > 0 ? (uint64_t)groups : 1, 1, 1}, args);
}

uint64_t fa__gpu_launch_buffers(fa__queue *queue, const fa__gpu_kernel *kernel, int64_t items, const void *struct_,
                                size_t size, const void *const *address, int buffers)
{
    fa__gpu_args args = {.count = 0};
    for (int i = 0; i < buffers; i++)
        fa__gpu_memory(&args, address[i]);
    fa__gpu_value(&args, struct_, size);
    return kernel ? fa__gpu_launch_items(queue, kernel, items, &args) : 0;
}

uint64_t fa__gpu_launch_groups(fa__queue *queue, const fa__gpu_kernel *kernel, const uint64_t groups[3],
                               const fa__gpu_args *args)
{
    const fa__gpu_device *g = queue->device->own;
    return g->driver->launch(queue, kernel, groups, args->arg, args->count);
}
