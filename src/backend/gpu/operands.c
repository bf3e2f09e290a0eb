/* Operands of programs: dimensions made few, and the arguments that program.inc reads. */
#include "backend/cpu/level.h"
#include "backend/gpu/gpu.h"
#include "backend/gpu/source.h"
#include "base/error.h"
#include <string.h>

void fa__gpu_operands_begin(fa__gpu_operands *o, const fa__device *d, const fa__launch *l, bool outputs)
{
    uint32_t read = fa__gpu_reads(d, l->program, (fa__class)l->compute);
    *o = (fa__gpu_operands){.device = d, .launch = l, .count = 1};
    for (int k = 0; k < l->operands; k++) {
        bool used = k < l->outputs ? outputs : read >> (k - l->outputs) & 1;
        if (used && l->operand[k].kind == FA__MEMORY)
            o->memory |= 1U << k;
    }
    for (int i = 0; i < l->rank; i++) {
        o->count *= l->shape[i];
        if (l->shape[i] == 1)
            continue;
        FA__EACH_BIT (k, o->memory)
            o->stride[k][o->rank] = l->operand[k].stride[i];
        o->kept += i < l->kept;
        o->shape[o->rank++] = l->shape[i];
    }
}

static bool joins(const fa__gpu_operands *o, int d)
{
    FA__EACH_BIT (k, o->memory)
        if (o->stride[k][d] != o->stride[k][d + 1] * o->shape[d + 1])
            return false;
    return true;
}

static void remove_dim(fa__gpu_operands *o, int d)
{
    o->rank--;
    for (int e = d; e < o->rank; e++)
        o->shape[e] = o->shape[e + 1];
    FA__EACH_BIT (k, o->memory)
        for (int e = d; e < o->rank; e++)
            o->stride[k][e] = o->stride[k][e + 1];
}

int fa__gpu_operands_join(fa__gpu_operands *o, int from, int to)
{
    int rank = o->rank;
    for (int d = to - 2; d >= from; d--)
        if (joins(o, d)) {
            o->shape[d + 1] *= o->shape[d];
            remove_dim(o, d);
        }
    return rank - o->rank;
}

/* The value of an operand that is none in memory, in its place among the strides. */
static void put_number(const fa__launch *l, int k, int64_t *word)
{
    const fa__operand *x = &l->operand[k];
    word[0] = 0;
    if (x->kind == FA__VALUE_KEY)
        memcpy(word, &x->value.key, sizeof x->value.key);
    else if (x->kind != FA__MEMORY) {
        fa__class type = fa__ssa_input_type(l->program->ssa, k - l->outputs, (fa__class)l->compute);
        fa__cpu_simd->of[type]->load[x->dtype](word, &x->value, 0, 1);
    }
}

bool fa__gpu_has_dtypes(const fa__gpu_operands *o)
{
    const fa__gpu_device *g = o->device->own;
    FA__EACH_BIT (k, o->memory)
        if (o->launch->operand[k].dtype == FA_F64 && !g->f64)
            return fa__gpu_lacks_f64(o->device, o->launch->program->text);
    return true;
}

int64_t *fa__gpu_put_arguments(int64_t *word, const fa__gpu_operands *o, int dims)
{
    const fa__launch *l = o->launch;
    const size_t words = (size_t)FA__GPU_ARGUMENT_WORDS(dims, l->operands);
    int64_t *end = memset(word, 0, words * sizeof *word);
    end += words;
    *word++ = o->count;
    memcpy(word, o->shape, (size_t)o->rank * sizeof *word);
    word += dims;
    int32_t *number = (int32_t *)(void *)(word + dims * l->operands);
    *number++ = o->rank;
    for (int k = 0; k < l->operands; k++, word += dims) {
        const fa__operand *x = &l->operand[k];
        bool memory = o->memory >> k & 1;
        number[k] = memory ? x->dtype : 0;
        if (memory)
            memcpy(word, o->stride[k], (size_t)o->rank * sizeof *word);
        else
            put_number(l, k, word);
    }
    return end;
}

bool fa__gpu_add_program(fa__gpu_args *a, fa__gpu_program_arguments *p, const fa__gpu_operands *o)
{
    const fa__launch *l = o->launch;
    if (!fa__gpu_has_dtypes(o))
        return false;
    int dims = fa__gpu_program_dims(o->device, l->program->ssa, FA__GPU_GENERAL);
    if (o->rank > dims)
        return fa__fail(
            FA_ERROR_UNAVAILABLE,
            "fa_%s: %d operands over %d dimensions that cannot be joined are more than a kernel of %s takes (%d "
            "dimensions): FA_USE(.fallback = true) runs it on the CPU by counted copies",
            (l->caller ? l->caller : l->op)->name, (int)l->operands, o->rank, o->device->name, dims);
    for (int k = 0; k < l->operands; k++)
        fa__gpu_memory(a, o->memory >> k & 1 ? l->operand[k].data : NULL);
    const int64_t *end = fa__gpu_put_arguments(p->word, o, dims);
    fa__gpu_value(a, p->word, (size_t)(end - p->word) * sizeof *end);
    return true;
}
