/* Programs for each element: the dense kernel where operands are runs of one dtype, the general one elsewhere. */
#include "backend/gpu/gpu.h"
#include "backend/gpu/source.h"
#include <string.h>

/* Bytes that four elements of a run are aligned to; elements of 8 bytes are read by two 16-byte words. */
static size_t alignment(uint8_t dtype)
{
    size_t size = fa__dtype_size(dtype);
    return size == 2 ? 8 : 16;
}

/* A run from an aligned address on, or (inputs only) one element that repeats. */
static bool is_run(const fa__gpu_operands *o, int k)
{
    const fa__operand *x = &o->launch->operand[k];
    int64_t stride = o->rank ? o->stride[k][0] : 1;
    return stride == 1 ? (uintptr_t)x->data % alignment(x->dtype) == 0 : stride == 0 && k >= o->launch->outputs;
}

/* The shape whose kernels have operands of this dtype only; GENERAL: none. */
static fa__gpu_shape dense_shape(uint8_t dtype, uint8_t class)
{
    static const uint8_t own[FA__CLASSES] = {
        [FA__CLASS_F32] = FA_F32, [FA__CLASS_F64] = FA_F64, [FA__CLASS_I32] = FA_I32, [FA__CLASS_I64] = FA_I64};
    if (dtype == own[class])
        return FA__GPU_DENSE;
    bool half = class == FA__CLASS_F32 && (dtype == FA_F16 || dtype == FA_BF16);
    return !half ? FA__GPU_GENERAL : dtype == FA_F16 ? FA__GPU_DENSE_F16 : FA__GPU_DENSE_BF16;
}

fa__gpu_shape fa__gpu_shape_for(const fa__gpu_operands *o)
{
    const fa__launch *l = o->launch;
    uint8_t dtype = l->operand[0].dtype;
    if (o->rank > 1 || l->program->ssa->type)
        return FA__GPU_GENERAL;
    FA__EACH_BIT (k, o->memory)
        if (l->operand[k].dtype != dtype || !is_run(o, (int)k))
            return FA__GPU_GENERAL;
    return dense_shape(dtype, l->compute);
}

/* Without any dimension there is one element: a run of it; where there are no elements, a run of none. */
static void give_dimension(fa__gpu_operands *o)
{
    if (o->rank > 0 && o->count > 0)
        return;
    o->rank = 1;
    o->shape[0] = o->count;
    FA__EACH_BIT (k, o->memory)
        o->stride[k][0] = 1;
}

void fa__gpu_operands_of(fa__gpu_operands *o, const fa__device *d, const fa__launch *l)
{
    fa__gpu_operands_begin(o, d, l, true);
    fa__gpu_operands_join(o, 0, o->rank);
    give_dimension(o);
}

/* ---- f64 where there is none ---- */

/* The input that the program only passes on; -1: it computes something. */
static int copied_input(const fa__ssa *ssa)
{
    const fa__ssa_node *n = &ssa->node[ssa->output[0]];
    return ssa->outputs == 1 && n->prim == FA__PRIM_input ? n->a : -1;
}

/* The bits of f64 as those of an i64. False when the operand has another dtype. */
static bool as_bits(fa__operand *x)
{
    if (x->kind == FA__MEMORY && x->dtype != FA_F64)
        return false;
    if (x->kind == FA__VALUE_INT)
        x->value.f = (double)x->value.i;
    if (x->kind != FA__MEMORY)
        x->kind = FA__VALUE_INT;
    x->dtype = FA_I64;
    return true;
}

static uint64_t run(fa__gpu_issue *, const fa__launch *);

/* A device that does not compute in f64 can still copy it: as integers. */
static uint64_t run_without_f64(fa__gpu_issue *issue, const fa__launch *l)
{
    FA__LAUNCH_ROOM(1 + FA__MAX_INPUTS) bits;
    int from = copied_input(l->program->ssa);
    if (from < 0 || l->operand[1 + from].kind == FA__VALUE_KEY || l->program->ssa->type)
        return fa__gpu_lacks_f64(issue->device, l->program->text);
    memcpy(&bits, l, fa__launch_size(l));
    bits.launch.compute = FA__CLASS_I64;
    if (!as_bits(&bits.launch.operand[0]) || !as_bits(&bits.launch.operand[1 + from]))
        return fa__gpu_lacks_f64(issue->device, l->program->text);
    bool prepared = fa__gpu_prepare(issue->device, (fa__program *)(uintptr_t)l->program, FA__CLASS_I64);
    return prepared ? run(issue, &bits.launch) : 0;
}

/* ---- launches ---- */

static uint64_t run(fa__gpu_issue *issue, const fa__launch *l)
{
    fa__gpu_operands o;
    fa__gpu_program_arguments p;
    fa__gpu_args args = {.count = 0};
    fa__gpu_operands_of(&o, issue->device, l);
    if (FA__UNLIKELY(o.rank > fa__gpu_program_dims(issue->device, l->program->ssa, FA__GPU_GENERAL)))
        return fa__gpu_run_by_table(issue, l);
    fa__gpu_shape shape = fa__gpu_shape_for(&o);
    const fa__gpu_kernel *kernel = fa__gpu_program(issue, l->program, (fa__class)l->compute, shape);
    if (!kernel || !fa__gpu_add_program(&args, &p, &o))
        return 0;
    return fa__gpu_launch_items(issue, kernel, shape == FA__GPU_GENERAL ? o.count : (o.count + 3) / 4, &args);
}

uint64_t fa__gpu_run_elementwise(fa__gpu_issue *issue, const fa__launch *l)
{
    const fa__gpu_device *g = issue->device->own;
    return FA__LIKELY(g->f64 || l->compute != FA__CLASS_F64) ? run(issue, l) : run_without_f64(issue, l);
}
