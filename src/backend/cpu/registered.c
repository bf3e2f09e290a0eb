/* The CPU's kernels of registered operations, and what they read and write elements by. */
#include "backend/registered.h"
#include "backend/cpu/kernel.h"
#include "base/error.h"

KERNEL(expression)
{
    fa__launch_view v;
    if (!fa__launch_view_begin(&v, l))
        return false;
    bool good = l->op->registered->given.cpu(&v.launch);
    fa__launch_view_end(&v);
    if (!good)
        fa__fail(FA_ERROR_USER, "its CPU kernel failed and gives no reason");
    if (!good && l->caller) /* it runs late: nobody else knows any more what failed */
        fa__error_within("%s", l->caller->name);
    return good;
}

int64_t fa_operand_count(const fa_operand *x)
{
    int64_t n = 1;
    for (int i = 0; i < x->rank; i++)
        n *= x->shape[i];
    return n;
}

/* The address of element i in row-major order. */
static char *address(const fa_operand *x, int64_t i)
{
    int64_t offset = 0;
    for (int d = x->rank - 1; d >= 0; d--) {
        offset += i % x->shape[d] * x->stride[d];
        i /= x->shape[d];
    }
    return (char *)x->data + offset * (int64_t)fa__dtype_size(x->dtype);
}

double fa_operand_get(const fa_operand *x, int64_t i)
{
    double value = 0;
    if (x->number.kind == FA__ARG_FLOAT)
        return fa__double_in(x->number);
    if (x->number.kind != FA__ARG_TENSOR)
        return (double)fa__int_in(x->number);
    fa__cpu_simd->of[FA__CLASS_F64]->load[x->dtype](&value, address(x, i), 1, 1);
    return value;
}

void fa_operand_set(const fa_operand *x, int64_t i, double value)
{
    fa__cpu_simd->of[FA__CLASS_F64]->store[x->dtype](address(x, i), 1, &value, 1);
}
