/* Kernels that do half precision by f32: operands are converted into memory of their own, and the result back. */
#include "backend/cpu/widened.h"
#include "base/alloc.h"
#include "base/parallel.h"
#include <string.h>

enum { CHUNK = 4096 };

static int64_t elements(const fa__operand *x)
{
    int64_t n = 1;
    for (int i = 0; i < x->rank; i++)
        n *= x->shape[i];
    return n;
}

static bool is_half(const fa__operand *x)
{
    return x->kind == FA__MEMORY && fa__dtype_is_half(x->dtype);
}

static void set_dense(fa__operand *x)
{
    int64_t step = 1;
    for (int i = x->rank - 1; i >= 0; i--) {
        x->stride[i] = step;
        step *= x->shape[i];
    }
}

static bool is_dense(const fa__operand *x)
{
    fa__operand dense = *x;
    set_dense(&dense);
    for (int i = 0; i < x->rank; i++)
        if (x->shape[i] != 1 && x->stride[i] != dense.stride[i])
            return false;
    return true;
}

/* Elements in rows: those of the last dimension, or pieces of what lies without gaps. */
typedef struct conversion {
    const fa__operand *half;
    float *wide;
    int64_t count, row;
    bool dense, store;
} conversion;

static int64_t offset_of(const fa__operand *x, int64_t row)
{
    int64_t offset = 0;
    for (int i = x->rank - 2; i >= 0; row /= x->shape[i--])
        offset += row % x->shape[i] * x->stride[i];
    return offset;
}

static void some_rows(void *context, int64_t begin, int64_t end)
{
    const conversion *c = context;
    const fa__simd_class *k = fa__cpu_simd->of[FA__CLASS_F32];
    const fa__operand *half = c->half;
    const int64_t stride = c->dense ? 1 : half->stride[half->rank - 1];
    for (int64_t i = begin; i < end; i++) {
        const int64_t at = i * c->row, n = c->count - at < c->row ? c->count - at : c->row;
        char *data = (char *)half->data + (c->dense ? at : offset_of(half, i)) * (int64_t)fa__dtype_size(half->dtype);
        if (c->store)
            k->store[half->dtype](data, stride, c->wide + at, n);
        else
            k->load[half->dtype](c->wide + at, data, stride, n);
    }
}

static void convert(const fa__operand *half, const fa__operand *wide, bool store)
{
    conversion c = {.half = half, .wide = wide->data, .count = elements(half), .dense = is_dense(half), .store = store};
    c.row = c.dense ? CHUNK : half->shape[half->rank - 1];
    if (c.count && c.wide)
        fa__parallel_for((c.count + c.row - 1) / c.row, 1 + 16384 / c.row, some_rows, &c);
}

static size_t padded(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static bool converts(const fa__launch *l, unsigned operands, int i)
{
    return (operands >> i & 1) && is_half(&l->operand[i]);
}

bool fa__cpu_run_widened_some(const fa__launch *l, unsigned operands, bool (*kernel)(const fa__launch *))
{
    size_t bytes = padded(fa__launch_size(l));
    for (int i = 0; i < l->operands; i++)
        bytes += converts(l, operands, i) ? padded((size_t)elements(&l->operand[i]) * sizeof(float)) : 0;
    char *memory = fa__aligned(64, bytes);
    if (!memory)
        return false;
    char *at = memory + padded(fa__launch_size(l));
    fa__launch *wide = (fa__launch *)(void *)memory;
    memcpy(wide, l, fa__launch_size(l));
    for (int i = 0; i < l->operands; i++)
        if (converts(l, operands, i)) {
            wide->operand[i].data = l->operand[i].data ? at : NULL;
            wide->operand[i].dtype = FA_F32;
            set_dense(&wide->operand[i]);
            at += padded((size_t)elements(&l->operand[i]) * sizeof(float));
            if (i >= l->outputs)
                convert(&l->operand[i], &wide->operand[i], false);
        }
    bool ok = kernel(wide);
    for (int i = 0; ok && i < l->outputs; i++)
        if (converts(l, operands, i))
            convert(&l->operand[i], &wide->operand[i], true);
    fa__aligned_free(memory);
    return ok;
}

bool fa__cpu_run_widened(const fa__launch *l, bool (*kernel)(const fa__launch *))
{
    return fa__cpu_run_widened_some(l, ~0u, kernel);
}
