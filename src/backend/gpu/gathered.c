/* Programs whose operands step through more dimensions than a kernel's arguments have room for: those that have gaps
 * are copied to where they lie one element behind the other, and results from there. */
#include "backend/gpu/gpu.h"
#include "base/alloc.h"
#include "base/error.h"
#include <string.h>

/* A copy of a launch. */
typedef union room {
    fa__launch launch;
    _Alignas(16) char bytes[sizeof(fa__launch) + (FA__MAX_INPUTS + FA__MAX_OUTPUTS) * sizeof(fa__operand)];
} room;

/* The operands (bits) that have gaps. */
static uint32_t with_gaps(const fa__gpu_operands *o)
{
    uint32_t gaps = 0;
    FA__EACH_BIT (k, o->memory)
        gaps |= (uint32_t)!fa__is_dense(o->launch->rank, o->launch->shape, o->launch->operand[k].stride) << k;
    return gaps;
}

/* Memory for all elements of these operands, to which they are turned. */
static bool make_room(fa__queue *queue, const fa__gpu_operands *o, uint32_t gaps, fa__launch *l)
{
    const fa__gpu_device *g = queue->device->own;
    size_t at[FA__MAX_INPUTS + FA__MAX_OUTPUTS] = {0}, all = 0;
    FA__EACH_BIT (k, gaps) {
        size_t bytes;
        at[k] = all;
        if (!fa__mul_size((size_t)o->count, fa__dtype_size(l->operand[k].dtype), &bytes)
            || !fa__add_size(bytes, 63, &bytes) || !fa__add_size(all, bytes & ~(size_t)63, &all))
            return fa__fail(FA_ERROR_MEMORY, "%lld elements are too many to be copied", (long long)o->count);
    }
    char *begin = g->driver->scratch(queue, all);
    FA__EACH_BIT (k, begin ? gaps : 0) {
        l->operand[k].data = begin + at[k];
        fa__dense_strides(l->rank, l->shape, l->operand[k].stride);
    }
    return begin != NULL;
}

static uint64_t copy(fa__queue *queue, const fa__launch *l, const fa__operand *to, const fa__operand *from)
{
    fa__gpu_device *g = queue->device->own;
    room r;
    r.launch = (fa__launch){.kind = FA__LAUNCH_PROGRAM,
                            .compute = (uint8_t)fa__class_of(from->dtype),
                            .rank = l->rank,
                            .overwrites = l->overwrites,
                            .outputs = 1,
                            .operands = 2,
                            .op = l->op,
                            .caller = l->caller,
                            .program = &g->copy};
    memcpy(r.launch.shape, l->shape, sizeof l->shape);
    r.launch.operand[0] = *to;
    r.launch.operand[1] = *from;
    bool prepared = fa__gpu_prepare(queue->device, &g->copy, (fa__class)r.launch.compute);
    return prepared ? fa__gpu_run_elementwise(queue, &r.launch) : 0;
}

uint64_t fa__gpu_run_gathered(fa__queue *queue, const fa__gpu_operands *o)
{
    const fa__launch *l = o->launch;
    uint32_t gaps = with_gaps(o);
    room dense;
    memcpy(&dense, l, fa__launch_size(l));
    if (!fa__gpu_has_dtypes(o) || !make_room(queue, o, gaps, &dense.launch))
        return 0;
    uint64_t ticket = 1;
    FA__EACH_BIT (k, gaps)
        if (k >= l->outputs && ticket)
            ticket = copy(queue, l, &dense.launch.operand[k], &l->operand[k]);
    ticket = ticket ? fa__gpu_run_elementwise(queue, &dense.launch) : 0;
    FA__EACH_BIT (k, gaps)
        if (k < l->outputs && ticket)
            ticket = copy(queue, l, &l->operand[k], &dense.launch.operand[k]);
    return ticket;
}
