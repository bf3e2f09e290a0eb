/* What the CPU's kernels share. */
#include "backend/cpu/kernel.h"
#include "backend/fault.h"
#include "base/fork.h"

static pthread_mutex_t fault_lock = PTHREAD_MUTEX_INITIALIZER;
FA__LOCKED_AT_FORK(FAULT, &fault_lock)

bool fa__cpu_fault(const fa__launch *l, fa_code code, fa__fault what)
{
    fa__fault *f = l->fault;
    pthread_mutex_lock(&fault_lock);
    if (atomic_load(&f->code) == FA_OK) {
        f->dim = what.dim;
        f->value = what.value;
        f->size = what.size;
        f->position = what.position;
        atomic_store(&f->code, (int32_t)code);
    }
    pthread_mutex_unlock(&fault_lock);
    return false;
}

int64_t fa__cpu_integer(const fa__operand *x, int64_t offset)
{
    switch (x->dtype) {
    case FA_I64:
        return ((const int64_t *)x->data)[offset];
    case FA_I32:
        return ((const int32_t *)x->data)[offset];
    case FA_I16:
        return ((const int16_t *)x->data)[offset];
    case FA_I8:
        return ((const int8_t *)x->data)[offset];
    default:
        return ((const uint8_t *)x->data)[offset];
    }
}

fa__cpu_walk fa__cpu_others(const int64_t *shape, int rank, int dim, const fa__operand *a, const fa__operand *b,
                            const fa__operand *c)
{
    const fa__operand *of[3] = {a, b, c};
    fa__cpu_walk w = {.count = 1};
    for (int i = 0; i < rank; i++) {
        if (i == dim)
            continue;
        w.shape[w.rank] = shape[i];
        for (int k = 0; k < 3; k++)
            w.stride[k][w.rank] = of[k] && of[k]->rank == rank ? of[k]->stride[i] : 0;
        w.count *= shape[i];
        w.rank++;
    }
    return w;
}

/* Whether dimensions d and d + 1 are one for all operands. */
static bool joins(const fa__cpu_walk *w, int d)
{
    for (int k = 0; k < 3; k++)
        if (w->stride[k][d] != w->stride[k][d + 1] * w->shape[d + 1])
            return false;
    return true;
}

fa__cpu_walk fa__cpu_joined(fa__cpu_walk w)
{
    for (int d = w.rank - 2; d >= 0; d--) {
        if (!joins(&w, d))
            continue;
        w.shape[d] *= w.shape[d + 1];
        w.rank--;
        for (int k = 0; k < 3; k++)
            w.stride[k][d] = w.stride[k][d + 1];
        for (int e = d + 1; e < w.rank; e++) {
            w.shape[e] = w.shape[e + 1];
            for (int k = 0; k < 3; k++)
                w.stride[k][e] = w.stride[k][e + 1];
        }
    }
    return w;
}

void fa__cpu_place(const fa__cpu_walk *w, int64_t i, int64_t offset[3])
{
    offset[0] = offset[1] = offset[2] = 0;
    for (int d = w->rank; d-- > 0; i /= w->shape[d]) {
        int64_t at = i % w->shape[d];
        for (int k = 0; k < 3; k++)
            offset[k] += at * w->stride[k][d];
    }
}

fa__operand fa__cpu_with_dim(const fa__operand *y, int rank, int dim)
{
    fa__operand w = *y;
    if (y->rank == rank)
        return w;
    for (int i = rank - 1; i > dim; i--) {
        w.shape[i] = y->shape[i - 1];
        w.stride[i] = y->stride[i - 1];
    }
    w.shape[dim] = 1;
    w.stride[dim] = 0;
    w.rank = (uint8_t)rank;
    return w;
}
