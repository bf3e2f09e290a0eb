/* Faults as errors. */
#include "backend/fault.h"
#include "base/error.h"
#include "ids.h"

static const char *op_name(int32_t op)
{
    return op >= 0 && op < FA__OPS && fa__ops[op] ? fa__ops[op]->name : "an operation";
}

bool fa__fault_report(fa__fault *f)
{
    int32_t code = atomic_load_explicit(&f->code, memory_order_acquire);
    if (code == FA_OK)
        return true;
    const char *name = op_name(f->op);
    atomic_store_explicit(&f->code, FA_OK, memory_order_relaxed);
    if (code == FA_ERROR_INDEX)
        return fa__fail(FA_ERROR_INDEX, "%s: index %lld is out of range for size %lld", name, (long long)f->value,
                        (long long)f->size);
    if (code == FA_ERROR_ARGUMENT)
        return fa__fail(FA_ERROR_ARGUMENT, "%s: division by zero, at element %lld", name, (long long)f->position);
    return fa__fail((fa_code)code, "%s: a kernel failed at element %lld, with value %lld", name, (long long)f->position,
                    (long long)f->value);
}
